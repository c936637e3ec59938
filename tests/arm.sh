#!/usr/bin/env bash
# Builds the library for 64-bit ARM with a cross-compiler, and runs the tests of the kernels in an emulator. Takes several minutes.
# Needs the Debian packages g++-aarch64-linux-gnu, qemu-user and doctest-dev. The exit status is 77 if one of them is missing.
#
#   tests/arm.sh [arguments of kernels_test]
#   tests/arm.sh "--test-case=*"    # all tests, half an hour or more
set -euo pipefail
cd "$(dirname "$0")/.."

for program in aarch64-linux-gnu-g++ qemu-aarch64; do
    if ! command -v "$program" >/dev/null; then
        echo "skipped: $program is not installed (Debian: g++-aarch64-linux-gnu, qemu-user)"
        exit 77
    fi
done

cmake --preset arm -DVOXCC_CUDA=OFF -DVOXCC_TESTS=ON >/dev/null
cmake --build build-arm --target kernels_test -j"${JOBS:-$(nproc)}"
arguments=("$@")
if ((${#arguments[@]} == 0)); then  # the other tests take most of the time
    arguments=("--test-case-exclude=published:*,tiles*,slabs*")
fi
qemu-aarch64 -L /usr/aarch64-linux-gnu build-arm/kernels_test "${arguments[@]}"
