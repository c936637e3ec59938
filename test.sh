#!/usr/bin/env bash
# Builds everything and passes all tests, those against Python's peers included; ctest's summary is the last thing printed.
# Arguments go to cmake. VOXCC_TEST_DATA names a folder of real volumes; without it their tests are skipped, and say so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source scripts/packages.sh

# The virtual environment is made anew whenever the pinned versions change.
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
exec ctest --test-dir build --output-on-failure --parallel 2
