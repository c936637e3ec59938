#!/usr/bin/env bash
# Builds the Debian packages voxcc, voxcc-lab and voxcc-dev for the Debian release of this machine.
#
# usage: packaging/build_deb.sh [FOLDER]      writes the packages to FOLDER (default: build/packaging/deb)
set -euo pipefail
start=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
output=$(cd "$start" && realpath -m "${1:-$work/deb}")

install_packages
install_tools debhelper
copy_source "$work/deb-source/voxcc"
cp -r packaging/deb "$work/deb-source/voxcc/debian"
say "Building the Debian packages"
(cd "$work/deb-source/voxcc" && DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-parallel=$(nproc)}" dpkg-buildpackage --build=binary \
    --unsigned-changes --unsigned-buildinfo >"$work/deb.log" 2>&1) || { tail -n 40 "$work/deb.log"; fail "See $work/deb.log"; }
rm -rf "$output"
mkdir -p "$output"
mv "$work"/deb-source/*.deb "$work"/deb-source/*.changes "$work"/deb-source/*.buildinfo "$output/"
ls -l "$output"
