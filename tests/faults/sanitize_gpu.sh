#!/usr/bin/env bash
# Row 51 of the fault matrix: runs memcheck, racecheck, initcheck and synccheck of compute-sanitizer on the kernels, with small odd sizes.
# usage: tests/faults/sanitize_gpu.sh BINARY [OPTION...]
#   BINARY   kernels_test of the preset racecheck
#   OPTION   options of kernels_test, for example --algorithms uf,dlp
# Each tool runs each test case in a process of its own; the processes share the GPU. The output of a process is printed if it fails.
# memcheck also looks for memory that a stream uses before its allocation or after its release. initcheck leaves out the test cases of
# several devices, which use one host thread per device: if several threads start kernels, it reports written memory as not written, also
# in a program whose threads share nothing (compute-sanitizer of CUDA 13.0, NVIDIA H200).
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
    local tool=$1 test=$2 log result=passed options=()
    shift 2
    log=$(mktemp)
    if [[ $tool == memcheck ]]; then options=(--track-stream-ordered-races all); fi
    compute-sanitizer --tool "$tool" "${options[@]}" --error-exitcode 1 "$@" --device cuda "--test-case=${test//,/?}" &>"$log" || result=FAILED
    if [[ $result == FAILED ]]; then cat "$log"; fi
    rm "$log"
    echo "$tool: $test: $result, $SECONDS s"
    [[ $result == passed ]]
}
export -f check

# racecheck first: it takes the longest.
for tool in racecheck memcheck initcheck synccheck; do
    left_out="nothing"
    if [[ $tool == initcheck ]]; then left_out="*several devices*"; fi
    "$1" --list-test-cases "--test-case=sanitizer*" "--test-case-exclude=$left_out" | sed -n "s/^sanitizer.*/$tool\n&/p"
done | tr '\n' '\0' | xargs -0 -n 2 -P "$(nproc)" bash -c 'check "${@: -2}" "${@:1:$#-2}"' check "$@"
