#!/usr/bin/env bash
# Builds the tests with the sanitizers and runs them, except the Python tests. This compiles the library and the tests twice more. Run it
# before a release, and after a change to threads, to kernels3d or to the memory of a reader.
#
# usage: scripts/check_sanitizers.sh [--quick] [asan|tsan|fuzz]...      default: asan tsan
# --quick runs the tests that .ci/run needs. asan: the tests of the readers and of the command line, compiled by clang in the folder of the
# fuzz targets. tsan: random volumes with all engines and algorithms. fuzz: each fuzz target for 5 seconds; with seed 1, so that all runs
# begin with the same changes. Without --quick, tests/fuzz/run does it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/packages.sh

quick=''
if [[ ${1:-} == --quick ]]; then quick=quick-; shift; fi
kinds=("$@")
if (($# == 0)); then kinds=(asan tsan); fi
for kind in "${kinds[@]}"; do
    if [[ ! $quick$kind =~ ^((quick-)?(asan|tsan)|quick-fuzz)$ ]]; then say "'$kind' is not asan or tsan, or fuzz after --quick." >&2; exit 64; fi
done

data=$(test_data)
VOXCC_PACKAGES+=(clang-14 libclang-rt-14-dev)
install_packages
# The thread sanitizer fails with the address randomisation of newer kernels.
fixed_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then fixed_addresses=(setarch "$(uname -m)" -R); fi

for kind in "${kinds[@]}"; do
    preset=$kind options=() targets=() choice=(--label-exclude python)
    case $quick$kind in
        asan)  # The Python package is tested, too, if test.sh has made .venv.
            if [[ -x .venv/bin/python ]]; then options=(-DVOXCC_PYTHON="$PWD/.venv/bin/python"); fi ;;
        tsan) ;;
        quick-asan | quick-fuzz)  # -O0 compiles in two thirds of the time of -O1
            preset=fuzz options=("-DCMAKE_CXX_FLAGS_SANITIZED=-O0 -g1") targets=(--target fuzz_targets) ;;&
        quick-asan) targets+=(voxcc io_test) choice=(--tests-regex '^(io_test|cli)$') ;;
        quick-tsan) targets=(--target random_volumes) choice=(--tests-regex '^random_volumes$') ;;
    esac
    say "The tests under $kind"
    configure "$preset" -DVOXCC_TESTS=ON -DVOXCC_WERROR=ON -DVOXCC_TEST_DATA="$data" "${options[@]}"
    cmake --build "build-$preset" --parallel "$(nproc)" "${targets[@]}"
    if [[ $kind == fuzz ]]; then
        tests/fuzz/run --binaries build-fuzz --seconds 5 --seed 1 --jobs "$(nproc)"
        continue
    fi
    "${fixed_addresses[@]}" ctest --test-dir "build-$preset" --output-on-failure --parallel 2 "${choice[@]}"
done
