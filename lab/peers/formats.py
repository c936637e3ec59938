"""Reads and writes files with the libraries of the peers. Arrays are [z, y, x], x fastest. Also writes the inputs of the tables, with
compression level 1."""

import subprocess

FORMATS = (".nii.gz", ".nii", ".tif", ".h5", ".nrrd")
CHUNK = 64  # edge of HDF5 chunks, in voxels


def format_of(path):
    return next(suffix for suffix in FORMATS if str(path).endswith(suffix))


def read_nibabel(path):
    import nibabel
    import numpy as np

    return np.asarray(nibabel.load(path).dataobj).T


def write_nibabel(path, array):
    import nibabel
    import numpy as np

    nibabel.save(nibabel.Nifti1Image(array.T, np.eye(4)), path)


def read_tifffile(path):
    import tifffile

    return tifffile.imread(path)


def write_tifffile(path, array):
    import tifffile

    tifffile.imwrite(path, array, photometric="minisblack", compression="zlib", compressionargs={"level": 1})


def read_h5py(path):
    """The first three-dimensional dataset in any group of the file."""
    import h5py

    with h5py.File(path) as file:
        return file.visititems(lambda name, node: node[()] if isinstance(node, h5py.Dataset) and node.ndim == 3 else None)


def write_h5py(path, array):
    import h5py

    with h5py.File(path, "w") as file:
        chunks = tuple(min(CHUNK, extent) for extent in array.shape)
        file.create_dataset("volume", data=array, chunks=chunks, compression="gzip", compression_opts=1)


def read_simpleitk(path):
    import SimpleITK

    return SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path)))


def write_simpleitk(path, array):
    import SimpleITK

    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(array), str(path), True, 1)


READ = {".nii.gz": read_nibabel, ".nii": read_nibabel, ".tif": read_tifffile, ".h5": read_h5py, ".nrrd": read_simpleitk}
WRITE = {".nii.gz": write_nibabel, ".nii": write_nibabel, ".tif": write_tifffile, ".h5": write_h5py, ".nrrd": write_simpleitk}
LIBRARY = {".nii.gz": "nibabel", ".nii": "nibabel", ".tif": "tifffile", ".h5": "h5py", ".nrrd": "SimpleITK"}
SCALARS = {"u8": "uint8", "u16": "uint16", "u32": "uint32", "f32": "float32"}


def read(path):
    return READ[format_of(path)](path)


def write(path, array):
    WRITE[format_of(path)](path, array)


def variant(path, suffix, scalar):
    """The path of a .nii volume in another format and type. Makes the file if it is missing."""
    made = path.with_name(f"{path.stem}-{scalar}{suffix}")
    if not made.exists():
        unfinished = made.with_name(f"unfinished-{made.name}")
        write(unfinished, read(path).astype(SCALARS[scalar]))
        unfinished.rename(made)
    return made


def readers(path):
    """Pairs (library, array) for each library that must be able to read the file. For .nii.gz, gzip first verifies the checksum."""
    suffix = format_of(path)
    if suffix == ".nii.gz":
        subprocess.run(["gzip", "-t", path], check=True)
    yield LIBRARY[suffix], READ[suffix](path)
    if suffix in (".nii", ".nii.gz"):
        yield "SimpleITK", read_simpleitk(path)
