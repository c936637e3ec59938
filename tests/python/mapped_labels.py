"""Label volumes and tables of new numbers for the tests of `voxcc map`, and a model in NumPy."""

import json

import h5py
import nrrd
import numpy as np
import tifffile
from helpers import read_nifti, write_nifti


def write_table(path, rows, names=("label", "new")):
    if str(path).endswith(".json"):
        path.write_text(json.dumps([dict(zip(names, row)) for row in rows]))
        return path
    separator = "\t" if str(path).endswith(".tsv") else ","
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in [names, *rows]))
    return path


def mapped(labels, numbers, missing):
    """The oracle: each voxel by a dictionary of Python integers."""
    values, inverse = np.unique(labels, return_inverse=True)
    new = [numbers.get(int(v), int(v) if missing == "keep" else 0) if v != 0 else 0 for v in values]
    return np.array(new, np.uint64)[inverse].reshape(labels.shape)


def write(path, labels):
    """Writes an array [z, y, x]."""
    name = path.name
    if name.endswith((".nii", ".nii.gz")):
        return write_nifti(path, labels)
    if name.endswith(".npy"):
        np.save(path, labels)
    elif name.endswith(".h5"):
        with h5py.File(path, "w") as file:
            file.create_dataset("labels", data=labels, chunks=(4, 8, 16), compression="gzip")
    elif name.endswith(".tif"):
        tifffile.imwrite(path, labels, photometric="minisblack")
    elif name.endswith(".nrrd"):
        nrrd.write(str(path), labels.T)
    return path


def read(path):
    """The array [z, y, x] of a label volume that voxcc wrote."""
    if path.name.endswith((".nii", ".nii.gz")):
        return read_nifti(path)
    if path.name.endswith(".npy"):
        array = np.load(path)
        return array if array.flags.c_contiguous else array.T
    if path.name.endswith(".h5"):
        with h5py.File(path) as file:
            (dataset,) = file.values()
            return dataset[()]
    if path.name.endswith(".tif"):
        return tifffile.imread(path)
    return nrrd.read(str(path))[0].T
