"""Small volumes of all formats, and independent readers of them. A reader returns [z, y, x], or fails."""

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import dicom_files
import h5py
import imagecodecs
import mrcfile
import nibabel
import nrrd
import numpy as np
import pydicom
import PIL.Image
import SimpleITK
import tifffile
import zarr
from helpers import blobs

VOLUME = blobs((5, 11, 13), 0.4).astype(np.int16) * np.arange(1, 14, dtype=np.int16) * 9


@dataclass
class Format:
    """`write` makes the files in an empty folder and returns the name of the volume."""

    write: Callable
    read: Callable
    is_numpy: bool = False  # NumPy and Zarr: axes have the same order in masks that voxcc writes as .npy


def by_itk(path):
    return SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path)))


def by_nibabel(path):
    return np.asarray(nibabel.load(path).dataobj).T


def nibabel_writer(name, cls):
    def write(folder):
        nibabel.save(cls(VOLUME.T, np.diag([2, 1, 3, 1])), folder / name)
        return name

    return Format(write, by_nibabel)


def itk_writer(name, compress=False):
    def write(folder):
        image = SimpleITK.GetImageFromArray(VOLUME)
        image.SetSpacing((2, 1, 3))
        SimpleITK.WriteImage(image, str(folder / name), compress)
        return name

    return Format(write, by_itk)


def tiff_writer(**options):
    def write(folder):
        tifffile.imwrite(folder / "a.tif", VOLUME, **{"photometric": "minisblack", "metadata": None} | options)
        return "a.tif"

    def read(path):
        with tifffile.TiffFile(path) as file:
            return np.stack([page.asarray() for page in file.pages]) if len(file.pages) > 1 else file.asarray()

    return Format(write, read)


def hdf5_writer(libver="earliest", **options):
    def write(folder):
        with h5py.File(folder / "a.h5", "w", libver=libver) as file:
            file.create_dataset("v", data=VOLUME, **options)
        return "a.h5"

    def read(path):
        with h5py.File(path) as file:
            (name,) = file
            return file[name][()]

    return Format(write, read)


def zarr_writer(version, zipped=False, **options):
    def write(folder):
        zarr.create_array(folder / "a.zarr", data=VOLUME, chunks=(2, 6, 7), zarr_format=version, **options)
        if not zipped:
            return "a.zarr"
        with zipfile.ZipFile(folder / "a.zarr.zip", "w") as archive:
            for path in sorted((folder / "a.zarr").rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(folder / "a.zarr"))
                    path.unlink()
        return "a.zarr.zip"

    def read(path):
        store = zarr.storage.ZipStore(path) if zipped else path
        return zarr.open_array(store, mode="r")[:]

    return Format(write, read, True)


def nrrd_writer(name, **options):
    def write(folder):
        nrrd.write(str(folder / name), VOLUME, {"spacings": [2, 1, 3]}, index_order="C", **options)
        return name

    return Format(write, lambda path: nrrd.read(str(path), index_order="C")[0])


def write_npz(folder):
    np.savez_compressed(folder / "a.npz", v=VOLUME)
    return "a.npz"


def read_npz(path):
    with np.load(path) as archive:
        (name,) = archive.files
        return archive[name]


def write_mrc(folder):
    with mrcfile.new(folder / "a.mrc") as file:
        file.set_data(VOLUME)
    return "a.mrc"


def read_mrc(path):
    with mrcfile.open(path, permissive=True) as file:  # old files have no machine stamp
        return file.data


def write_dicom(folder):
    (folder / "d").mkdir()
    for z, slice_ in enumerate(VOLUME):
        made = dicom_files.dataset(InstanceNumber=z + 1, ImagePositionPatient=[0, 0, 3 * z], ImageOrientationPatient=dicom_files.AXIAL)
        made.PixelSpacing, made.SOPInstanceUID = [1, 2], f"1.2.3.4.{z + 1}"
        dicom_files.set_pixels(made, slice_.astype(np.int16))
        made.save_as(folder / "d" / f"{z:03}.dcm", enforce_file_format=True)
    return "d"


def read_dicom(path):
    slices = [pydicom.dcmread(file) for file in sorted(path.iterdir())]
    slices.sort(key=lambda made: made.ImagePositionPatient[2])
    return np.stack([made.pixel_array for made in slices])


def write_png(folder):
    (folder / "p").mkdir()
    for z, slice_ in enumerate(VOLUME):
        PIL.Image.fromarray(slice_.astype(np.uint8)).save(folder / "p" / f"{z:03}.png")
    return "p"


def read_png(path):
    return np.stack([np.asarray(PIL.Image.open(file)) for file in sorted(path.glob("*.png"))])


def write_jp2(folder):
    (folder / "a.jp2").write_bytes(imagecodecs.jpeg2k_encode(VOLUME[2].astype(np.uint16), level=0, codecformat="jp2", reversible=True))
    return "a.jp2"


FORMATS = {
    "nii": nibabel_writer("a.nii", nibabel.Nifti1Image),
    "nii.gz": nibabel_writer("a.nii.gz", nibabel.Nifti1Image),
    "nii2": nibabel_writer("a.nii", nibabel.Nifti2Image),
    "mgh": nibabel_writer("a.mgh", nibabel.MGHImage),
    "mgz": nibabel_writer("a.mgz", nibabel.MGHImage),
    "tiff": tiff_writer(),
    "tiff deflate": tiff_writer(compression="zlib", predictor=True, rowsperstrip=4),
    "tiff lzw": tiff_writer(compression="lzw", byteorder=">"),
    "tiff tiles": tiff_writer(tile=(16, 16), bigtiff=True, compression="zlib"),
    "hdf5": hdf5_writer(),
    "hdf5 chunks": hdf5_writer(chunks=(2, 6, 7)),
    "hdf5 deflate": hdf5_writer(chunks=(2, 6, 7), compression="gzip", shuffle=True, fletcher32=True),
    "hdf5 lzf": hdf5_writer(chunks=(5, 6, 7), compression="lzf", shuffle=True),
    "hdf5 scale-offset": hdf5_writer(chunks=(5, 6, 7), scaleoffset=0),
    "hdf5 1.10": hdf5_writer("v110", chunks=(2, 6, 7), compression="gzip"),
    "zarr 2": zarr_writer(2),
    "zarr 3": zarr_writer(3),
    "zarr shards": zarr_writer(3, shards=(4, 12, 14)),
    "zarr zip": zarr_writer(2, zipped=True),
    "nrrd": nrrd_writer("a.nrrd", compression_level=1),
    "nhdr": nrrd_writer("a.nhdr", detached_header=True),
    "mha": itk_writer("a.mha"),
    "mha deflate": itk_writer("a.mha", True),
    "mhd": itk_writer("a.mhd"),
    "vtk": itk_writer("a.vtk"),
    "gipl": itk_writer("a.gipl"),
    "npy": Format(lambda folder: np.save(folder / "a.npy", VOLUME) or "a.npy", lambda path: np.load(io.BytesIO(path.read_bytes())), True),
    "npz": Format(write_npz, read_npz, True),
    "mrc": Format(write_mrc, read_mrc),
    "dicom": Format(write_dicom, read_dicom),
    "png": Format(write_png, read_png),
    "jp2": Format(write_jp2, lambda path: imagecodecs.jpeg2k_decode(Path(path).read_bytes())[None]),
}
