"""Rows 9 to 13: sizes, offsets and byte orders in headers."""

import gzip
import struct
import subprocess
import sys

import h5py
import nibabel
import nrrd
import numpy as np
import pytest
import tifffile
from cases import EXPECTED, VOLUME, is_labelled, refused
from helpers import write_nifti

CLASSES = (nibabel.Nifti1Image, nibabel.Nifti2Image)
DIM = {nibabel.Nifti1Image: (40, "h", 2), nibabel.Nifti2Image: (16, "q", 8)}  # offset, code and bytes of one number of dim[8]
MOST_KB = 100 << 10


def nifti(path, cls, order="<"):
    array = VOLUME.astype(np.dtype(np.int16).newbyteorder(order))
    nibabel.save(cls(array.T, np.eye(4), cls.header_class(endianness=order), dtype=array.dtype), path)
    return bytearray(path.read_bytes())


def changed(content, offset, code, *values):
    return bytes(content[:offset]) + struct.pack(code, *values) + bytes(content[offset + struct.calcsize(code) :])


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("cls", CLASSES, ids=("nifti1", "nifti2"))
def test_row09_dimensions_of_nifti(voxcc, tmp_path, cls, order):
    path = tmp_path / "in.nii"
    content = nifti(path, cls, order)
    is_labelled(voxcc, tmp_path, path)
    (tmp_path / "labels.nii").unlink()
    offset, code, width = DIM[cls]
    largest = 2 ** (8 * width - 1) - 1
    for axis, values in {0: (0, 8, 200 if width == 8 else -1, -1, largest), 1: (0, -1, largest), 2: (0, -12), 3: (0, -1, largest)}.items():
        for value in values:
            path.write_bytes(changed(content, offset + width * axis, order + code, value))
            refused(voxcc, tmp_path, path)


@pytest.mark.parametrize("sizes", ("0 11 10", "-12 11 10", "12 11", "12 11 10 9", f"{2**62} 11 10", "4294967296 4294967296 4294967296", "12 x 10"))
@pytest.mark.parametrize("kind", ("nrrd", "mha", "npy"))
def test_row09_dimensions_of_text_headers(voxcc, tmp_path, kind, sizes):
    path = tmp_path / f"in.{kind}"
    header = {"nrrd": f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: {sizes}\nencoding: raw\n\n",
              "mha": f"ObjectType = Image\nNDims = 3\nDimSize = {sizes}\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n",
              "npy": npy_header("|u1", f"({sizes.replace(' ', ', ')})")}[kind]
    voxels = bytes(100) if kind == "npy" else VOLUME.tobytes()  # (12, 11) is a valid shape of an array
    path.write_bytes(header.encode("latin1") + voxels)
    refused(voxcc, tmp_path, path)


def npy_header(descr, shape):
    text = f"{{'descr': '{descr}', 'fortran_order': True, 'shape': {shape}, }}\n"
    return f"\x93NUMPY\1\0{chr(len(text))}\0{text}"


def huge(kind):
    """A file of less than 1 kB that claims 30000^3 voxels."""
    side = 30000
    if kind in ("nii", "nii.gz"):
        header = nibabel.Nifti1Header()
        header.set_data_dtype(np.uint8)
        header.set_data_shape((side, side, side))
        header["vox_offset"], header["magic"] = 352, b"n+1"
        content = header.binaryblock + bytes(50)
        return gzip.compress(content) if kind == "nii.gz" else content
    if kind in ("nrrd", "nrrd.gz"):
        encoding = "raw" if kind == "nrrd" else "gzip"
        text = f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: {side} {side} {side}\nencoding: {encoding}\n\n"
        return text.encode() + (bytes(100) if encoding == "raw" else gzip.compress(bytes(100)))
    if kind == "npy":
        return npy_header("|u1", (side, side, side)).encode("latin1") + bytes(100)
    return (f"ObjectType = Image\nNDims = 3\nDimSize = {side} {side} {side}\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n").encode() + bytes(100)


# The peak memory of a process includes the memory of the process that started it, so that a small Python starts the command.
MEASURE = "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL); " \
          "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


def peak_kb(command):
    """Runs a command that must end with exit code 65. Returns its peak memory in kB."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", MEASURE, *map(str, command)], capture_output=True, text=True, timeout=60, check=True)
    code, kilobytes = map(int, done.stdout.split())
    assert code == 65, (code, done.stderr)
    return kilobytes


@pytest.mark.parametrize("kind", ("nii", "nii.gz", "nrrd", "nrrd.gz", "mha", "npy"))
def test_row10_huge_volume_in_a_small_file(voxcc, tmp_path, kind):
    path = tmp_path / f"in.{kind.removesuffix('.gz') if kind == 'nrrd.gz' else kind}"
    path.write_bytes(huge(kind))
    assert path.stat().st_size < 1000
    for command in ("label", "verify", "info"):
        assert peak_kb([voxcc.program, command, path]) < MOST_KB
    assert sorted(tmp_path.iterdir()) == [path]


def test_row10_huge_tiff(voxcc, tmp_path):
    path = tmp_path / "in.tif"
    tifffile.imwrite(path, np.zeros((4, 5), np.uint8), photometric="minisblack", metadata=None)
    with tifffile.TiffFile(path) as file:
        tags = file.pages[0].tags
        places = [tags[name].valueoffset for name in ("ImageWidth", "ImageLength", "RowsPerStrip")]
        kinds = [tags[name].dtype for name in ("ImageWidth", "ImageLength", "RowsPerStrip")]
    content = bytearray(path.read_bytes())
    for place, kind in zip(places, kinds):
        content = changed(content, place, "<H" if kind == 3 else "<I", 65535 if kind == 3 else 2_000_000_000)
    path.write_bytes(content)
    assert peak_kb([voxcc.program, "label", path]) < MOST_KB


def test_row10_huge_hdf5(voxcc, tmp_path):
    """7e13 voxels in chunks that were never written, in a file of less than 10 kB."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("v", (41000, 41000, 41000), np.uint8, chunks=(1, 4096, 4096), compression="gzip")
    assert path.stat().st_size < 10_000
    for command in ("label", "verify", "info"):
        assert peak_kb([voxcc.program, command, path]) < MOST_KB
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.fixture(scope="module")
def bomb(tmp_path_factory):
    """A valid gzip file of less than 1 MB with 1e8 voxels, of which one is not 0."""
    path = tmp_path_factory.mktemp("bomb") / "in.nii.gz"
    volume = np.zeros((100, 1000, 1000), np.uint8)
    volume[50, 500, 500] = 1
    write_nifti(path, volume)
    assert path.stat().st_size < 1_000_000
    return path


def test_row11_valid_bomb(voxcc, tmp_path, bomb):
    voxcc("label", bomb, "--max-memory", "60MB", "-t", 2, "--stats", tmp_path / "t.csv", "-q")
    assert (tmp_path / "t.csv").read_text().splitlines()[1].split(",")[1] == "1"
    line = voxcc.fails(71, "label", bomb, "--max-memory", "1MB", "-t", 2, "-o", tmp_path / "no.nii")
    assert "needs at least" in line and "--max-memory allows 1" in line
    assert not (tmp_path / "no.nii").exists()


BAD_FIELDS = {  # name -> (offset, struct code, value) in NIfTI-1
    "vox_offset 1e30": (108, "<f", 1e30), "vox_offset NaN": (108, "<f", float("nan")), "vox_offset 100": (108, "<f", 100),
    "vox_offset -1": (108, "<f", -1), "datatype 0": (70, "<h", 0), "datatype 3": (70, "<h", 3),
    "magic": (344, "4s", b"n+7\0"), "no magic": (344, "4s", bytes(4)), "sizeof_hdr": (0, "<i", 349)}


@pytest.mark.parametrize("name", BAD_FIELDS)
def test_row12_bad_fields_of_nifti(voxcc, tmp_path, name):
    path = tmp_path / "in.nii"
    path.write_bytes(changed(nifti(path, nibabel.Nifti1Image), *BAD_FIELDS[name]))
    refused(voxcc, tmp_path, path)


@pytest.mark.parametrize("size", (-8, 0, 7, 17, 1 << 20, 2**31 - 1))
def test_row12_bad_size_of_an_extension(voxcc, tmp_path, size):
    path = tmp_path / "in.nii"
    content = nifti(path, nibabel.Nifti1Image)
    extension = struct.pack("<ii", size, 6) + bytes(8)
    header = changed(content[:352], 108, "<f", 352 + len(extension))
    path.write_bytes(changed(header, 348, "4s", b"\1\0\0\0") + extension + bytes(content[352:]))
    refused(voxcc, tmp_path, path)


@pytest.mark.parametrize("dtype", ("int16", "uint32", "float32", "float64", "uint64"))
def test_row13_big_endian_equals_little_endian(voxcc, tmp_path, dtype):
    tables = {}
    for order in "<>":
        array = (VOLUME * 3).astype(np.dtype(dtype).newbyteorder(order))
        nibabel.save(nibabel.Nifti1Image(array.T, np.eye(4), nibabel.Nifti1Header(endianness=order), dtype=array.dtype), tmp_path / "in.nii")
        nrrd.write(str(tmp_path / "in.nrrd"), array, {"encoding": "raw"}, index_order="C")
        tifffile.imwrite(tmp_path / "in.tif", array, byteorder=order, photometric="minisblack", metadata=None)
        np.save(tmp_path / "in.npy", array)
        with h5py.File(tmp_path / "in.h5", "w") as file:
            file["v"] = array
        header = f"ObjectType = Image\nNDims = 3\nBinaryDataByteOrderMSB = {order == '>'}\nDimSize = 12 11 10\n"
        (tmp_path / "in.mha").write_bytes((header + f"ElementType = {MET[dtype]}\nElementDataFile = LOCAL\n").encode() + array.tobytes())
        for suffix in ("nii", "nrrd", "tif", "h5", "mha", "npy"):
            is_labelled(voxcc, tmp_path, tmp_path / f"in.{suffix}")
            tables.setdefault(suffix, set()).add(voxcc("label", tmp_path / f"in.{suffix}", "--threshold", "3", "-c", 6, "--stats", "-").stdout)
    assert all(len(seen) == 1 and len(next(iter(seen)).splitlines()) == EXPECTED.max() + 1 for seen in tables.values())


MET = {"int16": "MET_SHORT", "uint32": "MET_UINT", "float32": "MET_FLOAT", "float64": "MET_DOUBLE", "uint64": "MET_ULONG_LONG"}
