#!/usr/bin/env bash
# Row 51 of the fault matrix: runs memcheck, racecheck, initcheck and synccheck of compute-sanitizer on the kernels, with small odd sizes.
# usage: tests/faults/sanitize_gpu.sh BINARY [OPTION...]
#   BINARY   kernels_test of the preset racecheck
#   OPTION   options of kernels_test, for example --algorithms uf,dlp
# Each tool runs each test case in a process of its own; the processes share the GPU. The output of a process is printed if it fails.
set -euo pipefail
if (($# < 1)) || [[ ! -x $1 ]]; then
    echo "usage: tests/faults/sanitize_gpu.sh BINARY [OPTION...] (BINARY: kernels_test of the preset racecheck)" >&2
    exit 64
fi
if ! command -v compute-sanitizer >/dev/null; then
    echo "skipped: compute-sanitizer is not installed" >&2
    exit 77
fi

check() {
    local tool=$1 test=$2 log result=passed
    shift 2
    log=$(mktemp)
    compute-sanitizer --tool "$tool" --error-exitcode 1 "$@" --device cuda "--test-case=${test//,/?}" &>"$log" || result=FAILED
    if [[ $result == FAILED ]]; then cat "$log"; fi
    rm "$log"
    echo "$tool: $test: $result, $SECONDS s"
    [[ $result == passed ]]
}
export -f check

# racecheck first: it takes the longest.
for tool in racecheck memcheck initcheck synccheck; do
    "$1" --list-test-cases "--test-case=sanitizer*" | sed -n "s/^sanitizer.*/$tool\n&/p"
done | tr '\n' '\0' | xargs -0 -n 2 -P "$(nproc)" bash -c 'check "${@: -2}" "${@:1:$#-2}"' check "$@"
