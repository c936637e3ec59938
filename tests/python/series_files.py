"""Files that hold several volumes, for tests."""

import h5py
import nibabel
import nrrd
import numpy as np
import SimpleITK
import tifffile
from helpers import blobs, label_scipy, noise

AFFINE = np.array([[-2, 0, 0, 90], [0, 2.5, 0, -126], [0, 0, 3, -72], [0, 0, 0, 1.0]])


def series_of(volumes=4, shape=(12, 20, 65)):
    """Volumes of int16 with few components, many, and none in one of them, [volume, z, y, x]."""
    series = np.zeros((volumes, *shape), np.int16)
    for number in range(volumes):
        if number != 2:
            series[number] = blobs(shape, 0.3, 1.5, number + 1) * (number + 3) if number != 1 else noise(shape, 0.08, seed=5) * 7
    return series


def read(path):
    """The stored values, [volume, z, y, x]."""
    if path.suffix == ".h5":
        with h5py.File(path) as file:
            (dataset,) = file.values()
            assert [axis.label for axis in dataset.dims] == ["t", "z", "y", "x"][-dataset.ndim :] or dataset.ndim == 3
            return dataset[()]
    if path.suffix == ".tif":
        with tifffile.TiffFile(path) as file:
            assert file.series[0].axes == "TZYX"
            return file.asarray()
    if path.suffix == ".npy":
        return np.load(path).T
    if path.suffix == ".nrrd":
        return nrrd.read(str(path))[0].T
    if path.suffix in (".mha", ".mhd"):
        return SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(path))
    if path.suffix == ".npz":
        return np.load(path)["labels"].T
    return np.asarray(nibabel.load(path).dataobj.get_unscaled() if ".nii" in path.name else nibabel.load(path).dataobj).T


def write_series(path, series):
    image = nibabel.Nifti1Image(series.T, AFFINE)
    image.header.set_zooms((2, 2.5, 3, 1.75))
    image.header.set_xyzt_units("mm", "sec")
    image.header["toffset"] = 4.5
    nibabel.save(image, path)
    return path


def labels_of(series, connectivity=26):
    return np.stack([label_scipy(volume != 0, connectivity) for volume in series])
