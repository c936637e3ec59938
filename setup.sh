#!/usr/bin/env bash
# Installs the packages that voxcc needs (Debian 12), builds build/voxcc, labels the example volume and shows its table.
# May be run repeatedly.
#
# usage: ./setup.sh [--prefix DIR] [--cuda] [cmake arguments]      for example ./setup.sh --prefix ~/.local -DVOXCC_WERROR=ON
# --prefix DIR installs the program, the library, the headers and the documents in DIR.
# --cuda builds the GPU code on a machine without a GPU. On a machine with a GPU it is built if nvcc is found.
set -euo pipefail
start=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"
source scripts/packages.sh

prefix='' cmake_arguments=()
while (($#)); do
    case $1 in
        --prefix)
            if (($# < 2)); then say "--prefix needs a folder, as in ./setup.sh --prefix ~/.local" >&2; exit 64; fi
            prefix=$2
            shift 2 ;;
        --prefix=*) prefix=${1#*=}; shift ;;
        --cuda) cmake_arguments+=(-DVOXCC_CUDA=ON); shift ;;
        *) cmake_arguments+=("$1"); shift ;;
    esac
done
if [[ -n $prefix && $prefix != /* ]]; then prefix=$start/$prefix; fi

install_packages
say "Building build/voxcc on $(nproc) processors"
SECONDS=0
configure cpu "${cmake_arguments[@]}"
cmake --build build --target voxcc --parallel "$(nproc)"
say "The build took $SECONDS s"
say "Labelling the example volume (examples/quickstart.sh)"
examples/quickstart.sh
folder=$PWD/build
if [[ -n $prefix ]]; then
    say "Installing in $prefix"
    cmake --install build --prefix "$prefix" >/dev/null
    folder=$prefix/bin
fi
say "Ready: $folder/voxcc --help"
say "To run it as 'voxcc', add this line to ~/.profile: export PATH=\"$folder:\$PATH\""
if [[ -z $prefix ]]; then say "To install it in another folder: ./setup.sh --prefix DIR"; fi
