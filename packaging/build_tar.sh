#!/usr/bin/env bash
# Makes an archive of the Debian package voxcc and all its libraries except glibc. It runs on Linux systems with the glibc of this machine
# or a newer one. The same packages give the same bytes.
#
# usage: packaging/build_tar.sh [DEB [FOLDER]]      writes voxcc-VERSION-linux-MACHINE.tar.gz to FOLDER (default: build/packaging/tar)
# DEB is the package voxcc (default: the package that build_deb.sh has written to build/packaging/deb).
set -euo pipefail
start=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
package=$(cd "$start" && realpath -e "${1:-$(echo "$work"/deb/voxcc_*.deb)}")
output=$(cd "$start" && realpath -m "${2:-$work/tar}")
name=voxcc-$version-linux-$(uname -m)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/$name

# Prints the path and the Debian package of each shared library that the files need, one line per library, without glibc.
libraries() {
    local path resolved owner
    ldd "$@" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | LC_ALL=C sort -u | while read -r path; do
        resolved=$(realpath "$path")
        # The database of dpkg contains some libraries below /lib, others below /usr/lib.
        owner=$(dpkg-query -S "$resolved" 2>/dev/null || dpkg-query -S "${resolved#/usr}") || return 1
        owner=${owner%%:*}
        if [[ $owner != libc6 ]]; then printf '%s %s\n' "$path" "$owner"; fi
    done
}

# copy_licences PACKAGE...: the copyright files of the packages, the licences that they refer to, and the versions of the packages.
copy_licences() {
    local owner texts folder=$tree/share/doc/voxcc/licences
    mkdir -p "$folder"
    for owner in "$@"; do cp -L "/usr/share/doc/$owner/copyright" "$folder/$owner.txt"; done
    mapfile -t texts < <(grep -hoE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$folder"/*.txt | LC_ALL=C sort -u)
    cp -L "${texts[@]}" "$folder/"
    dpkg-query -W -f='${Package} ${Version}, source ${source:Package} ${source:Version}\n' "$@" >"$folder/packages.txt"
}

install_tools patchelf
dpkg-deb --extract "$package" "$scratch/package"
mv "$scratch/package/usr" "$tree"
time=$(stat --format=%Y "$tree/bin/voxcc")  # the time of the commit, which build_deb.sh has passed to dpkg-buildpackage
say "Adding the libraries"
program=$tree/bin/voxcc
module=$(find "$tree/lib" -name 'voxcc_itk-*.so')
libraries "$program" "$module" >"$scratch/libraries.txt"
# RPATH instead of RUNPATH: libraries in LD_LIBRARY_PATH, which many environments set, must not replace these.
while read -r path _; do
    cp -L "$path" "$tree/lib/"
    patchelf --force-rpath --set-rpath "\$ORIGIN" "$tree/lib/$(basename "$path")"
done <"$scratch/libraries.txt"
patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$program"
patchelf --force-rpath --set-rpath "\$ORIGIN/$(realpath --relative-to="$(dirname "$module")" "$tree/lib")" "$module"
mapfile -t owners < <(cut -d ' ' -f 2 "$scratch/libraries.txt" | LC_ALL=C sort -u)
copy_licences "${owners[@]}"

say "Writing the archive"
chmod -R u=rwX,go=rX "$tree"
mkdir -p "$output"
tar --create --format=gnu --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner -C "$scratch" "$name" |
    gzip --best --no-name >"$output/$name.tar.gz"
(cd "$output" && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")
