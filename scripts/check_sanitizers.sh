#!/usr/bin/env bash
# Builds the tests with the sanitizers and runs them, except the Python tests. This compiles the library and the tests twice more, so .ci/run
# does not do it. Run it before a release, and after a change to threads, to kernels3d or to the memory of a reader.
#
# usage: scripts/check_sanitizers.sh [asan|tsan]...      default: both presets
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/packages.sh

presets=("$@")
if (($# == 0)); then presets=(asan tsan); fi
for preset in "${presets[@]}"; do
    if [[ $preset != asan && $preset != tsan ]]; then say "'$preset' is not a sanitizer preset. Use asan or tsan." >&2; exit 64; fi
done

data=$(test_data)
install_packages
# The thread sanitizer of gcc 12 fails with the address randomisation of newer kernels.
fixed_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then fixed_addresses=(setarch "$(uname -m)" -R); fi
# The Python package is tested, too, if test.sh has made .venv.
python=()
if [[ -x .venv/bin/python ]]; then python=(-DVOXCC_PYTHON="$PWD/.venv/bin/python"); fi

for preset in "${presets[@]}"; do
    say "The tests under $preset"
    configure "$preset" -DVOXCC_TESTS=ON -DVOXCC_WERROR=ON -DVOXCC_TEST_DATA="$data" "${python[@]}"
    cmake --build "build-$preset" --parallel "$(nproc)"
    "${fixed_addresses[@]}" ctest --test-dir "build-$preset" --output-on-failure --parallel 2 --label-exclude python
done
