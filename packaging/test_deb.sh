#!/usr/bin/env bash
# Tests the Debian packages: lintian, then installation, use and removal in a minimal Debian 12. Must run as root.
#
# usage: packaging/test_deb.sh [FOLDER]      FOLDER has the packages (default: build_deb.sh builds them first)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system=$work/deb-root
packages=${1:-$work/deb}

install_tools lintian debootstrap
if (($# == 0)); then packaging/build_deb.sh "$packages"; fi
say "Checking the packages with lintian"
lintian --allow-root --fail-on error,warning --profile debian "$packages"/*.changes

make_root bookworm "$system"
mkdir -p "$system/packages"
cp "$packages"/*.deb "$system/packages/"
add_smoke_test "$system"
# Prints each path, except those of the package manager.
paths() { (cd "$system" && find . -regex './var/\(cache\|log\|lib/apt\|lib/dpkg\)' -prune -o -print | LC_ALL=C sort); }

say "Installing the libraries of voxcc"
in_root "$system" apt-get -qq update
in_root "$system" apt-get -qq -y --no-install-recommends satisfy "$(dpkg-deb -f "$packages"/voxcc_*.deb Depends)" >/dev/null
paths >"$work/deb-paths-before"
say "Installing and using voxcc"
in_root "$system" sh -euc 'dpkg -i /packages/voxcc_*.deb' >/dev/null
in_root "$system" /smoke/smoke_test.sh voxcc "$version"
say "Using the published algorithms of voxcc-lab"
in_root "$system" sh -euc '! voxcc label /smoke/ct_lesions.nii.gz -o /tmp/buf.nii --algorithm buf 2>/tmp/missing
    grep -q "install the package voxcc-lab" /tmp/missing
    dpkg -i /packages/voxcc-lab_*.deb >/dev/null
    voxcc label /smoke/ct_lesions.nii.gz -o /tmp/buf.nii --algorithm buf -q
    voxcc label /smoke/ct_lesions.nii.gz -o /tmp/ours.nii -q
    cmp /tmp/buf.nii /tmp/ours.nii
    rm /tmp/missing /tmp/buf.nii /tmp/ours.nii'
say "Removing voxcc"
in_root "$system" apt-get -qq -y purge voxcc voxcc-lab >/dev/null
paths >"$work/deb-paths-after"
diff "$work/deb-paths-before" "$work/deb-paths-after" || fail "These paths are left after the removal"

say "Compiling the example with voxcc-dev"
in_root "$system" sh -euc 'apt-get -qq -y --no-install-recommends install g++ cmake make /packages/voxcc-dev_*.deb' >/dev/null
mkdir "$system/example"
cp examples/library/* "$system/example/"
in_root "$system" sh -euc 'cd /tmp && cmake -S /example -B build && cmake --build build && build/example' | tail -n 4
rm -rf "$system"
say "The Debian packages passed"
