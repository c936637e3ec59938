#!/usr/bin/env python3
"""Labels the lesions of a NIfTI volume, prints the ten largest lesions, and writes the labels.

    python3 measure_lesions.py IN.nii.gz OUT.nii.gz      needs voxcc and nibabel

Each voxel has 26 neighbours. Label 1 is the largest lesion. Lesions smaller than 10 mm3 are removed.
"""

import math
import sys
from pathlib import Path

import nibabel
import numpy as np
import voxcc


def main(source, target):
    if not target.endswith((".nii", ".nii.gz")) or not Path(target).resolve().parent.is_dir():
        sys.exit(f"{target} cannot be written: name a file that ends in .nii or .nii.gz, in a folder that exists")
    image = nibabel.load(source)
    spacing = image.header.get_zooms()[:3]
    smallest = math.ceil(10 / math.prod(spacing))
    result = voxcc.label(
        np.asanyarray(image.dataobj), order="memory", min_size=smallest, sort="size", table=True, spacing=spacing
    )
    labels, count, table = result.labels, result.count, result.table
    print("label  voxels  mm3  centre (x y z in mm)")
    indices = np.stack([table[f"centroid_{axis}"] for axis in range(3)], axis=1)
    for row, centre in enumerate(nibabel.affines.apply_affine(image.affine, indices)[:10]):
        position = " ".join(f"{mm:.1f}" for mm in centre)
        print(f"{table['label'][row]:5}  {table['voxels'][row]:6}  {table['volume'][row]:.0f}  {position}")
    print(f"{count} lesions")
    nibabel.save(nibabel.Nifti1Image(labels, image.affine, dtype=labels.dtype), target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
