#!/usr/bin/env bash
# Compiles the library and examples/library with other compilers than the tests, and compares what the examples print. Compilers that are
# not installed are named and left out. Needs about 4 minutes of processor time per compiler.
#
# usage: scripts/check_compilers.sh [COMPILER]...      default: the compilers of docs/develop/compilers.md
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/packages.sh

compilers=("$@")
if (($# == 0)); then compilers=(g++-11 g++-12 g++-13 g++-14 clang++-14 clang++-16 clang++-19); fi
folder=build-compilers
mkdir -p "$folder"
first='' failed=0
for compiler in "${compilers[@]}"; do
    if ! command -v "$compiler" >/dev/null; then
        say "$compiler: is not installed"
        continue
    fi
    say "$compiler: $("$compiler" --version | head -n 1)"
    here=$folder/$compiler
    if ! { cmake -S . -B "$here" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DVOXCC_IO=OFF -DVOXCC_LAB=OFF -DVOXCC_TESTS=OFF \
        -DVOXCC_BENCH=OFF -DVOXCC_CUDA=OFF && cmake --build "$here" --target voxcc_kernels --parallel "$(nproc)"; } >"$here.log" 2>&1; then
        say "$compiler: failed, see $here.log" >&2
        failed=1
        continue
    fi
    for example in main measures match tree slabs parts device; do
        "$compiler" -std=c++20 -O1 -Iinclude "examples/library/$example.cpp" "$here/kernels3d/libvoxcc.a" -pthread -o "$here/$example"
        "$here/$example"
    done >"$here.txt"
    if [[ -n $first ]] && ! cmp "$first" "$here.txt"; then
        say "$compiler: the examples print other results than $first" >&2
        failed=1
    fi
    first=${first:-$here.txt}
done
if [[ -z $first ]]; then
    say "none of these compilers is installed: ${compilers[*]}" >&2
    exit 69
fi
exit "$failed"
