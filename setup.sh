#!/usr/bin/env bash
# Installs what voxcc needs (Debian 12), builds build/voxcc, labels the example volume and shows its table.
# May be run again at any time. Arguments go to cmake: ./setup.sh -DVOXCC_WERROR=ON
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source scripts/packages.sh

install_packages
say "Building build/voxcc"
configure cpu "$@"
cmake --build build --target voxcc --parallel "$(nproc)"
say "Labelling the example volume (examples/quickstart.sh)"
examples/quickstart.sh
say "Ready: build/voxcc --help"
