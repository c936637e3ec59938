"""Row 10, HDF5: files with wrong sizes and counts: each file must give one error or the correct result, never a crash or a hang."""

import struct

import h5py
import numpy as np
import pytest
from helpers import NODE, SIZE_IN_NODE

SHAPE = (2, 3, 4)
CHUNK_BYTES = 24


@pytest.fixture
def one_chunk(tmp_path):
    """A file with one chunk, and the offset of the chunk size in the chunk index: (path, offset)."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        file.create_dataset("v", data=np.ones(SHAPE, np.uint8), chunks=SHAPE)
    at = path.read_bytes().find(NODE) + SIZE_IN_NODE
    assert at >= SIZE_IN_NODE and path.read_bytes()[at] == CHUNK_BYTES
    return path, at


@pytest.mark.parametrize("claimed", (0, 1, 23, 25, 200, 100_000, 10_000_000, 0x7FFFFFFF, 0xFFFFFFFF))
def test_row10_a_wrong_size_of_a_chunk_is_an_error(voxcc, tmp_path, one_chunk, claimed):
    path, at = one_chunk
    content = bytearray(path.read_bytes())
    content[at : at + 4] = struct.pack("<I", claimed)
    path.write_bytes(content)
    assert path.name in voxcc.fails(65, "label", path, "-o", tmp_path / "out.nii")
    assert sorted(tmp_path.iterdir()) == [path] and path.read_bytes() == bytes(content)


def test_row10_the_file_with_the_right_size_is_read(voxcc, one_chunk):
    assert "1 component" in voxcc("label", one_chunk[0]).stdout


def test_row10_large_chunks_that_were_never_written_are_read(voxcc, tmp_path):
    """The volume has 500,000 voxels, and the chunk shape of the dataset has 2^30 voxels."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("v", (50, 100, 100), np.uint8, maxshape=(None, None, None), chunks=(1, 1024, 1 << 20), fillvalue=7)
    voxcc("label", path, "--stats", tmp_path / "table.csv", timeout=60)
    assert (tmp_path / "table.csv").read_text().splitlines()[1].split(",")[1] == "500000"


def test_row10_a_dataset_that_claims_more_voxels_than_the_file_can_hold(voxcc, tmp_path):
    """7e13 voxels without a filter, in a file whose contiguous data are truncated."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        file.create_dataset("v", data=np.ones((2, 3, 4), np.uint64))
    content = bytearray(path.read_bytes())
    shape = struct.pack("<3Q", 2, 3, 4)
    assert content.count(shape) >= 1
    path.write_bytes(content.replace(shape, struct.pack("<3Q", 41000, 41000, 41000)))
    voxcc.fails(65, "label", path, "-o", tmp_path / "out.nii")
