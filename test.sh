#!/usr/bin/env bash
# Builds all targets and runs all tests, including the comparisons with Python libraries. Prints the summary of ctest last.
# Arguments are passed to cmake. VOXCC_TEST_DATA is a folder of real volumes. Without it, the tests of real volumes are skipped with a
# message.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source scripts/packages.sh

# Creates the virtual environment again if the pinned versions have changed.
python_environment() {
    local pins=tests/python/requirements.txt
    if cmp -s "$pins" .venv/requirements.txt; then return; fi
    say "Installing the Python peers of tests/python/requirements.txt into .venv"
    rm -rf .venv
    python3 -m venv .venv
    twice .venv/bin/pip install --quiet --disable-pip-version-check --requirement "$pins"
    cp "$pins" .venv/requirements.txt
}

data=$(test_data)

install_packages
python_environment
say "Building the program and its tests"
configure cpu -DVOXCC_TESTS=ON -DVOXCC_PYTHON="$PWD/.venv/bin/python" -DVOXCC_TEST_DATA="$data" "$@"
cmake --build build --parallel "$(nproc)"
say "Testing${data:+ with the volumes of $data}"
# With three tests at a time, all tests took 16 minutes on two processors on 2026-11-27.
exec ctest --test-dir build --output-on-failure --parallel 3
