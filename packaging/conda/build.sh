#!/usr/bin/env bash
# Builds and installs voxcc into $PREFIX, in the folder of the source. rattler-build sets the variables and calls this script.
set -euo pipefail

chart=()
if [[ -f libjs-chart.js.deb ]]; then
    ar p libjs-chart.js.deb data.tar.xz | tar -xJ ./usr/share/javascript/chart.js
    chart=("-DVOXCC_CHART_JS=$PWD/usr/share/javascript/chart.js/chart.min.js")
fi

# CMAKE_ARGS contains options of conda's compilers and holds several words.
# shellcheck disable=SC2086
cmake -S . -B build-conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DVOXCC_CUDA=OFF -DVOXCC_TESTS=OFF -DVOXCC_BENCH=OFF "${chart[@]}"
cmake --build build-conda --parallel "${CPU_COUNT:-$(nproc)}"
cmake --install build-conda
