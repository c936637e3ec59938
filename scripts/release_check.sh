#!/usr/bin/env bash
# Runs the items of the table in docs/develop/release.md, in their order. Prints one line per item: "ok", or "failed" with the file that has
# the output of its command. Goes on after a failure, and ends with exit code 1 if an item failed.
#
# usage: scripts/release_check.sh [--quick]      --quick: only the items that need no build and less than a minute
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

page=docs/develop/release.md
case ${1:-} in
    "") wanted='quick|long' ;;
    --quick) wanted='quick' ;;
    *)
        echo "release_check.sh: error: '$1' is not an option; the only option is --quick" >&2
        exit 64
        ;;
esac
logs=build/release
mkdir -p "$logs"

failed=0 number=0
while IFS='|' read -r _ item kind command _; do
    read -r kind <<<"$kind"
    [[ $kind =~ ^(quick|long)$ ]] || continue
    number=$((number + 1))
    [[ $kind =~ ^($wanted)$ ]] || continue
    read -r item <<<"$item"
    log=$logs/$number.log
    command=${command#*\`}
    if bash -c "${command%\`*}" </dev/null >"$log" 2>&1; then
        echo "ok      $item"
    else
        echo "failed  $item: see $log"
        failed=1
    fi
done <"$page"
if ((number == 0)); then
    echo "release_check.sh: error: $page has no table of items" >&2
    exit 69
fi
exit "$failed"
