#!/usr/bin/env bash
# Makes the archive twice, compares the bytes, and runs the program in a minimal Debian 12 and a minimal Ubuntu 24.04. Must run as root.
#
# usage: packaging/test_tar.sh [DEB]      DEB as in build_tar.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system=$work/tar-root
folder='/moved here'

# Fails if a library is missing, or if a library other than glibc comes from the system. Uses ldd of that system.
check_libraries() {
    local path owners
    in_root "$system" sh -euc "cd '$folder' && find . -name '*.so*' -exec ldd bin/voxcc {} +" >"$work/tar-ldd"
    if grep 'not found' "$work/tar-ldd"; then fail "These libraries are missing"; fi
    sed -n 's/.* => \(\/.*\) (0x.*/\1/p' "$work/tar-ldd" | grep -v "^$folder/" | sort -u >"$work/tar-system-libraries"
    while read -r path; do
        owners=$(in_root "$system" dpkg-query -S "*/$(basename "$path")")
        [[ $owners == *libc6:* ]] || fail "$path is not in the archive"
    done <"$work/tar-system-libraries"
}

install_tools debootstrap
packaging/build_tar.sh "${1:-$(echo "$work"/deb/voxcc_*.deb)}" "$work/tar"
packaging/build_tar.sh "${1:-$(echo "$work"/deb/voxcc_*.deb)}" "$work/tar-again"
archive=$(echo "$work"/tar/*.tar.gz)
cmp "$archive" "$work/tar-again/$(basename "$archive")"
say "Two archives of the same package have the same bytes"

for suite in bookworm noble; do
    make_root "$suite" "$system"
    add_smoke_test "$system"
    mkdir "$system$folder"
    tar -x -C "$system$folder" --strip-components=1 -f "$archive"
    say "Using voxcc in $suite"
    in_root "$system" /smoke/smoke_test.sh "$folder/bin/voxcc" "$version"
    check_libraries
    # Libraries in LD_LIBRARY_PATH must not be used. These have the same names, but are empty.
    mkdir "$system/other"
    for library in "$system$folder"/lib/*.so.*; do : >"$system/other/$(basename "$library")"; done
    in_root "$system" env LD_LIBRARY_PATH=/other /smoke/smoke_test.sh "$folder/bin/voxcc" "$version"
    rm -rf "$system"
done
say "The archive passed"
