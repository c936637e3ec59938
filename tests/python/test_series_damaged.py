"""Damaged files that hold several volumes: nothing is written for them, and other files of a batch are labelled."""

import h5py
import numpy as np
import pytest
from helpers import write_nifti
from series_files import labels_of, read, series_of, write_series


def damage_second_volume(folder, extension):
    """A file of three volumes of random values, of which the second is damaged."""
    random = np.random.default_rng(3).integers(0, 2**15, (3, 40, 50, 60)).astype(np.int16)
    path = folder / f"in{extension}"
    if extension == ".h5":
        with h5py.File(path, "w") as file:
            dataset = file.create_dataset("v", data=random, chunks=(1, 40, 50, 60), compression="gzip")
            chunk = dataset.id.get_chunk_info(1)
        begin, end = chunk.byte_offset + 100, chunk.byte_offset + 300
    else:
        write_nifti(path, random)
        begin, end = path.stat().st_size // 2, path.stat().st_size // 2 + 200
    content = bytearray(path.read_bytes())
    content[begin:end] = bytes(end - begin)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("options", ([], ["--dtype", "uint32"]), ids=("two passes", "one pass"))
@pytest.mark.parametrize("jobs", (1, 3))
@pytest.mark.parametrize("extension", (".h5", ".nii.gz"))
def test_error_in_the_second_of_three_volumes(voxcc, tmp_path, extension, jobs, options):
    """Nothing is written, and earlier outputs keep their content."""
    path = damage_second_volume(tmp_path, extension)
    (tmp_path / "l.nii.gz").write_text("old")
    command = ["label", path, "--volume", "all", "--threshold", ">20000", "-j", jobs, *options, "-f"]
    outputs = ["-o", "l.nii.gz", "--mask-output", "m.h5", "--stats", "t.csv", "--json", "j.json"]
    voxcc.fails(65, *command, *outputs, cwd=tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([path.name, "l.nii.gz"])
    assert (tmp_path / "l.nii.gz").read_text() == "old"


def test_one_damaged_input_of_a_batch(voxcc, tmp_path):
    path = damage_second_volume(tmp_path, ".h5")
    write_series(tmp_path / "a.nii", series_of())
    voxcc("label", "a.nii", path, "--volume", "all", "-o", "{stem}_l.nii", "--stats", "t.csv", "--units", "voxel", "-j", 4, expect=1, cwd=tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.nii", "a_l.nii", "in.h5", "t.csv"]
    np.testing.assert_array_equal(read(tmp_path / "a_l.nii"), labels_of(series_of()))
