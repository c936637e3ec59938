#!/usr/bin/env bash
# Runs clang-tidy with the checks of .clang-tidy on the C++ sources that changed since a revision.
#   scripts/tidy.sh [REVISION [BUILD]]      defaults: origin/main, or main without a remote; build
# BUILD needs a compile_commands.json with each file (cmake --preset cpu -DVOXCC_GROUPS=OFF). CLANG_TIDY names the program (default: clang-tidy).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${CLANG_TIDY:-clang-tidy}
default=main
if git rev-parse --quiet --verify origin/main >/dev/null; then default=origin/main; fi
revision=${1:-$default}
build=${2:-build}
if ! command -v "$program" >/dev/null; then
    echo "tidy.sh: error: $program is not installed; install the Debian package clang-tidy" >&2
    exit 69
fi
if ! git rev-parse --quiet --verify "$revision^{commit}" >/dev/null; then
    echo "tidy.sh: error: '$revision' is not a revision; name a commit or a branch" >&2
    exit 64
fi
if [[ ! -e $build/compile_commands.json ]]; then
    echo "tidy.sh: error: $build/compile_commands.json is missing; run cmake --preset cpu -DVOXCC_GROUPS=OFF" >&2
    exit 66
fi

# Uncommitted changes are included. Headers are checked only through changed sources that include them (HeaderFilterRegex).
mapfile -d '' -t changed < <(git diff -z --name-only --diff-filter=d "$(git merge-base "$revision" HEAD)" -- '*.cpp')
if ((${#changed[@]} == 0)); then
    echo "tidy.sh: no C++ source changed since $revision"
    exit 0
fi
# The build has warning options of gcc that clang does not have.
options=(--quiet -p "$build" --extra-arg=-Wno-unknown-warning-option --warnings-as-errors='*')
printf '%s\0' "${changed[@]}" | xargs -0 -n 1 -P "$(nproc)" "$program" "${options[@]}"
