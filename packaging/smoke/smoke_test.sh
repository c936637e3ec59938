#!/bin/sh
# Tests an installed program on small files. It needs only a POSIX shell and the basic commands of a minimal system.
#
# usage: smoke_test.sh VOXCC VERSION [VOLUME]      VOLUME is ct_lesions.nii.gz (default: in the folder of this script)
set -eu
voxcc=$1 version=$2
here=$(cd "$(dirname "$0")" && pwd)
volume=$(realpath "${3:-$here/ct_lesions.nii.gz}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "smoke test: $*" >&2; exit 1; }

"$voxcc" --version >version.txt
case $(head -n 1 version.txt) in
    "voxcc $version+"??????????) ;;
    *) fail "the version is '$(head -n 1 version.txt)', not $version with a commit" ;;
esac

# NIfTI. expected.csv holds the labels, sizes and bounding boxes that scipy computes.
"$voxcc" label "$volume" -o labels.nii.gz --stats table.csv --preview picture.png -q
cut -d, -f1,2,10-15 table.csv | cmp - "$here/expected.csv" || fail "the table is different"
"$voxcc" verify labels.nii.gz

# HDF5 and TIFF, each with a library of its own. The labels must be the same as in the first label volume.
for file in labels.h5 labels.tif labels.nrrd; do
    "$voxcc" label "$volume" -o "$file" -q
    "$voxcc" compare --exact "$file" labels.nii.gz || fail "$file contains other labels"
done

# PNG, which the ITK module reads: 1 0 1 / 1 0 0 has two components.
"$voxcc" label "$here/small.png" --stats small.csv -q
[ "$(cut -d, -f1,2 small.csv | tr '\n' ' ')" = "label,voxels 1,2 2,1 " ] || fail "the table of the PNG file is different"
echo "smoke test: passed"
