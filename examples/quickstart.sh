#!/usr/bin/env bash
# Labels the lesions in examples/data/ct_lesions.nii.gz and prints the ten largest lesions.
#
# usage: examples/quickstart.sh [FOLDER]      writes lesions.nii.gz, lesions.tsv and lesions.png to FOLDER (default: build/quickstart)
# VOXCC is the program (default: build/voxcc).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
voxcc=${VOXCC:-$root/build/voxcc}
folder=${1:-$root/build/quickstart}
mkdir -p "$folder"

# Each voxel has 26 neighbours. Label 1 is the largest lesion. Lesions smaller than 10 mm3 are removed.
"$voxcc" label "$root/examples/data/ct_lesions.nii.gz" --output "$folder/lesions.nii.gz" --stats "$folder/lesions.tsv" \
    --preview "$folder/lesions.png" --connectivity 26 --sort size --min-size 10mm3 --force

# The table has one row per lesion and 33 columns. These columns are the label, its size in voxels and mm3, and its centroid in mm (RAS+).
table=$(head -n 11 "$folder/lesions.tsv" | cut -f 1-3,7-9)
if command -v column >/dev/null; then table=$(column -t <<<"$table"); fi
printf '\n%s\n\nAll %d lesions: %s\nLabel volume:   %s\nPicture:        %s\n' "$table" "$(($(wc -l <"$folder/lesions.tsv") - 1))" \
    "$folder/lesions.tsv" "$folder/lesions.nii.gz" "$folder/lesions.png"
