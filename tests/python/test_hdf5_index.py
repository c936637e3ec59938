"""Damaged indexes of chunks and parameters of filters in HDF5 files. The library reads other voxels from them without an error."""

import struct

import h5py
import numpy as np
import pytest
from helpers import blobs, write_nifti

VOLUME = blobs((8, 12, 10), 0.3).astype(np.uint16) * np.arange(1, 11, dtype=np.uint16)
CHUNK = (4, 4, 5)
KEY = 8 + 4 * 8 + 8  # bytes of a key (size, skipped filters, four offsets) and of the address of its chunk
FIRST_KEY = 24  # in a node of the index
SCALED = {"chunks": (8, 12, 10), "scaleoffset": 0}


def write(path, volume=VOLUME, **options):
    with h5py.File(path, "w") as file:
        file.create_dataset("v", data=volume, **options)
    return path


def chunk_of(path, number=0):
    with h5py.File(path) as file:
        return file["v"].id.get_chunk_info(number)


def damage(path, at, fmt, value):
    content = bytearray(path.read_bytes())
    content[at : at + struct.calcsize(fmt)] = struct.pack(fmt, value)
    path.write_bytes(content)
    return path


def key_at(path, number):
    """The offset of a key of the index of chunks."""
    return path.read_bytes().index(b"TREE\x01\x00") + FIRST_KEY + number * KEY


def expect_refused(voxcc, path, cause):
    """All commands refuse the file."""
    for command in (["label", path, "--stats", "-"], ["info", path], ["verify", path]):
        assert cause in voxcc.fails(65, *command) or command[0] == "verify"


def expect_read(voxcc, path, volume=VOLUME):
    reference = write_nifti(path.with_suffix(".nii"), volume.astype(np.int32 if volume.dtype.kind != "f" else np.float64))
    options = ("--intensity", path, "--units", "voxel", "--stats", "-", "--threshold", ">0")
    tables = [voxcc("label", p, *options[:1], p, *options[2:]).stdout for p in (path, reference)]
    assert tables[0] == tables[1]
    voxcc("verify", path)


@pytest.mark.parametrize(
    ("number", "at", "fmt", "value", "cause"),
    [
        (1, 8 + 16, "<Q", 44, "begins at 44 along axis 2, not at a multiple of 5"),
        (1, 8 + 16, "<Q", 6, "begins at 6 along axis 2, not at a multiple of 5"),
        (1, 8 + 16, "<Q", 50, "has a chunk at 50 along axis 2, which has 10 elements"),
        (3, 8, "<Q", 2**40, "along axis 0, which has 8 elements"),
        (1, 8 + 24, "<Q", 2, "begins inside an element"),
        (1, 0, "<I", 0, "has a chunk of 0 bytes"),
        (3, 8 + 8, "<Q", 0, "is not in order"),
        (1, 8 + 16, "<Q", 0, "two chunks for the same voxels"),
    ],
    ids=("far and between", "between", "far", "very far", "inside an element", "without bytes", "out of order", "twice"),
)
def test_damaged_coordinates(voxcc, tmp_path, number, at, fmt, value, cause):
    path = write(tmp_path / "a.h5", chunks=CHUNK)
    expect_refused(voxcc, damage(path, key_at(path, number) + at, fmt, value), cause)


@pytest.mark.parametrize("shift", (-1, 0, 1))
def test_two_chunks_in_the_same_bytes(voxcc, tmp_path, shift):
    path = write(tmp_path / "a.h5", chunks=CHUNK)
    damage(path, key_at(path, 2) + KEY - 8, "<Q", chunk_of(path, 5).byte_offset + shift)
    expect_refused(voxcc, path, "has two chunks in the same bytes of the file")


@pytest.mark.parametrize(("skipped", "cause"), [(4, "without its checksum"), (6, "without its checksum"), (2, "")])
def test_chunk_that_skips_filters(voxcc, tmp_path, skipped, cause):
    """The bit of deflate without its checksum: the bytes are read as voxels, and the checksum is wrong."""
    path = write(tmp_path / "a.h5", chunks=CHUNK, compression="gzip", shuffle=True, fletcher32=True)
    damage(path, key_at(path, 1) + 4, "<I", skipped)
    assert cause in voxcc.fails(65, "label", path, "--stats", "-")


def test_intact_indexes(voxcc, tmp_path):
    """Sparse files, files with several levels of the index, and files whose dataset became smaller."""
    expect_read(voxcc, write(tmp_path / "chunks.h5", chunks=CHUNK, compression="gzip", shuffle=True, fletcher32=True))
    deep = blobs((8, 50, 40), 0.3).astype(np.uint8)
    expect_read(voxcc, write(tmp_path / "deep.h5", deep, chunks=(1, 2, 5)), deep)
    sparse = np.zeros((40, 40, 40), np.uint8)
    with h5py.File(tmp_path / "sparse.h5", "w") as file:
        dataset = file.create_dataset("v", sparse.shape, np.uint8, chunks=(8, 8, 8), maxshape=(None, None, None))
        for begin in (0, 20, 30):
            sparse[begin : begin + 5, :5, begin : begin + 5] = dataset[begin : begin + 5, :5, begin : begin + 5] = 3
        dataset.resize((37, 40, 33))
    expect_read(voxcc, tmp_path / "sparse.h5", sparse[:37, :, :33])


def test_more_elements_than_the_maximum(voxcc, tmp_path):
    path = write(tmp_path / "a.h5", chunks=CHUNK, maxshape=(20, 12, 10))
    at = path.read_bytes().index(struct.pack("<QQQ", 8, 12, 10))
    expect_refused(voxcc, damage(path, at, "<Q", 2**24), "of which it allows only 20")


@pytest.mark.parametrize("bits", (0, 3, 5, 6, 15, 16, 17, 32, 255, 2**31))
def test_bits_of_scale_offset(voxcc, tmp_path, bits):
    path = write(tmp_path / "a.h5", **SCALED)
    info = chunk_of(path)
    assert bits != path.read_bytes()[info.byte_offset]
    expect_read(voxcc, path)
    damage(path, info.byte_offset, "<I", bits)
    assert "scaleoffset has parameters in a chunk that do not fit its bytes" in voxcc.fails(65, "label", path, "--stats", "-")
    voxcc.fails(65, "verify", path)


@pytest.mark.parametrize(("number", "value"), [(0, 0), (1, 17), (2, 961), (3, 1), (4, 4), (5, 1), (6, 1), (7, 2)])
def test_parameters_of_scale_offset(voxcc, tmp_path, number, value):
    """Kind of scaling, factor, elements of a chunk, class, size, sign, byte order, fill value."""
    path = write(tmp_path / "a.h5", **SCALED)
    at = path.read_bytes().index(struct.pack("<8I", 2, 0, 960, 0, 2, 0, 0, 1))
    expect_refused(voxcc, damage(path, at + 4 * number, "<I", value), "scaleoffset has parameters that do not fit its type")


@pytest.mark.parametrize("value", (0, 1, 4, 2**31))
def test_element_size_of_shuffle(voxcc, tmp_path, value):
    path = write(tmp_path / "a.h5", chunks=CHUNK, compression="gzip", shuffle=True)
    at = path.read_bytes().index(b"shuffle\0") + 8
    expect_refused(voxcc, damage(path, at, "<I", value), "")


@pytest.mark.parametrize("dtype", ("<u1", ">i2", "<f4", ">f8", "<i8"))
@pytest.mark.parametrize("after", ({}, {"compression": "gzip"}, {"compression": "gzip", "shuffle": True}), ids=str)
def test_intact_scale_offset(voxcc, tmp_path, dtype, after):
    """The parameters of chunks are also found below other filters; a chunk of equal values has no bits per element."""
    for name, volume in (("varied", VOLUME % 100), ("equal", np.full_like(VOLUME, 7))):
        path = write(tmp_path / f"{name}.h5", volume.astype(dtype), chunks=(5, 7, 10), scaleoffset=2 if "f" in dtype else 0, **after)
        expect_read(voxcc, path, volume)


def test_chunk_of_equal_values_that_claims_much_memory(voxcc, tmp_path):
    """Chunks beside the dataset are allowed, but a file of 7 kB cannot claim 1 GB for a few voxels."""
    for depth, expected in ((100, 0), (10_000, 65)):
        path = tmp_path / f"{depth}.h5"
        with h5py.File(path, "w") as file:
            file.create_dataset("v", VOLUME.shape, np.uint8, maxshape=(None, None, None), chunks=(depth, 300, 300), scaleoffset=0)
        voxcc("label", path, "--stats", "-", expect=expected)
