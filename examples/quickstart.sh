#!/usr/bin/env bash
# Labels the lesions of examples/data/ct_lesions.nii.gz and shows the largest of them.
#
# usage: examples/quickstart.sh [FOLDER]      FOLDER gets lesions.nii.gz, lesions.tsv and lesions.png; default build/quickstart
# VOXCC names the program; default build/voxcc.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
voxcc=${VOXCC:-$root/build/voxcc}
folder=${1:-$root/build/quickstart}
mkdir -p "$folder"

# Neighbours are the 26 around a voxel; number 1 is the largest lesion; specks below 10 cubic mm are dropped.
"$voxcc" label "$root/examples/data/ct_lesions.nii.gz" --output "$folder/lesions.nii.gz" --stats "$folder/lesions.tsv" \
    --preview "$folder/lesions.png" --connectivity 26 --sort size --min-size 10mm3 --force

# The table has a row a lesion and 33 columns; these are the label, its volume and the centre in mm (RAS+).
table=$(head -n 11 "$folder/lesions.tsv" | cut -f 1-3,7-9)
if command -v column >/dev/null; then table=$(column -t <<<"$table"); fi
printf '\n%s\n\nAll %d lesions: %s\nLabel volume:   %s\nPicture:        %s\n' "$table" "$(($(wc -l <"$folder/lesions.tsv") - 1))" \
    "$folder/lesions.tsv" "$folder/lesions.nii.gz" "$folder/lesions.png"
