#!/usr/bin/env bash
# Row 51 of the fault matrix: runs memcheck, racecheck, initcheck and synccheck of compute-sanitizer on the kernels, with small odd sizes.
# usage: tests/faults/sanitize_gpu.sh BINARY   BINARY is kernels_test of a build with CUDA
set -euo pipefail
if (($# != 1)) || [[ ! -x $1 ]]; then
    echo "usage: tests/faults/sanitize_gpu.sh BINARY (kernels_test of a build with CUDA)" >&2
    exit 64
fi
if ! command -v compute-sanitizer >/dev/null; then
    echo "skipped: compute-sanitizer is not installed" >&2
    exit 77
fi
for tool in memcheck racecheck initcheck synccheck; do
    echo "== $tool"
    compute-sanitizer --tool "$tool" --error-exitcode 1 "$1" --device cuda "--test-case=sanitizer*"
done
