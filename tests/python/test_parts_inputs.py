"""Parts of inputs with several files: a change between the plan and a step is noticed (docs/manual/scale.md)."""

import json
import os
import shutil

import nibabel
import numpy as np
import pytest
import tifffile
import zarr
from helpers import blobs
from ome_zarr.writer import write_image

SHAPE = (24, 30, 36)


def nested_zarr(folder):
    zarr.create_array(folder / "in.zarr", data=blobs(SHAPE, 0.4, 1, 3), chunks=(8, 10, 12))
    return folder / "in.zarr", folder / "in.zarr/c/1/1/1", folder / "in.zarr/zarr.json"


def flat_zarr(folder):
    zarr.create_array(folder / "in.zarr", data=blobs(SHAPE, 0.4, 1, 3), chunks=(8, 10, 12), zarr_format=2)
    return folder / "in.zarr", folder / "in.zarr/1.1.1", folder / "in.zarr/.zarray"


def ome_zarr(folder):
    write_image(blobs(SHAPE, 0.4, 1, 3), str(folder / "in.ome.zarr"), axes="zyx", storage_options={"chunks": (8, 10, 12)})
    level = json.loads((folder / "in.ome.zarr/zarr.json").read_text())["attributes"]["ome"]["multiscales"][0]["datasets"][0]["path"]
    array = folder / "in.ome.zarr" / level
    return folder / "in.ome.zarr", array / "c/1/1/1", array / "zarr.json"


def slices(folder):
    (folder / "in").mkdir()
    for z, image in enumerate(blobs(SHAPE, 0.4, 1, 3)):
        tifffile.imwrite(folder / f"in/{z:03}.tif", image)
    return folder / "in", folder / "in/004.tif", folder / "in/005.tif"


def pair(folder):
    nibabel.save(nibabel.Nifti1Pair(blobs(SHAPE, 0.4, 1, 3).T, np.eye(4)), folder / "in.hdr")
    return folder / "in.hdr", folder / "in.img", folder / "in.hdr"


def split(voxcc, folder, source):
    voxcc("split", source, "--part-size", "16", "-o", folder / "plan.json", "-f", "-q")


def label(voxcc, folder, **how):
    shutil.rmtree(folder / "state", ignore_errors=True)
    return voxcc("label", "--plan", folder / "plan.json", "--part", "0", "-o", folder / "state", "-q", **how)


def require_changed(voxcc, folder):
    assert "has changed since 'voxcc split' made the plan" in label(voxcc, folder, expect=65).stderr
    assert not (folder / "state").exists()


def later(path):
    """Sets another time, as a program does that writes the same bytes again."""
    os.utime(path, ns=(0, os.stat(path).st_mtime_ns + 1))


@pytest.mark.parametrize("make", (nested_zarr, flat_zarr, ome_zarr, slices, pair))
def test_changed_files_are_refused(voxcc, tmp_path, make):
    source, data, other = make(tmp_path)
    split(voxcc, tmp_path, source)
    label(voxcc, tmp_path)
    for path in (data, other):
        later(path)
        require_changed(voxcc, tmp_path)
        split(voxcc, tmp_path, source)
        label(voxcc, tmp_path)
    data.rename(tmp_path / "elsewhere")
    assert label(voxcc, tmp_path, expect=66 if make is pair else 65).stderr
    (tmp_path / "elsewhere").rename(data)
    label(voxcc, tmp_path)


def test_labels_beside_the_array_change_nothing(voxcc, tmp_path):
    """The result can be written into the image that was read, and each step can be repeated after that."""
    source, _, array = ome_zarr(tmp_path)
    split(voxcc, tmp_path, source)
    later(source / "zarr.json")
    plan, state, merged = (tmp_path / name for name in ("plan.json", "state", "merged"))
    voxcc("label", "--plan", plan, "-o", state, "-q")
    voxcc("merge", "--plan", plan, state, "-o", merged, "-q")
    voxcc("relabel", "--plan", plan, state, merged, "-q")
    for force in ([], ["-f"]):
        voxcc("relabel", "--plan", plan, "--finish", state, merged, "-o", source / "labels/cells", "-q", *force)
    voxcc("label", source, "-o", tmp_path / "one.npy", "-q")
    assert np.array_equal(zarr.open_array(source / "labels/cells" / array.parent.name, mode="r")[:], np.load(tmp_path / "one.npy"))
    label(voxcc, tmp_path)


def test_many_chunks(voxcc, tmp_path):
    """Of more than 10,000 files only the names and the times of the folders count."""
    folder, edge = tmp_path / "in.zarr", 22
    folder.mkdir()
    metadata = {"zarr_format": 2, "shape": [edge] * 3, "chunks": [1] * 3, "dtype": "|u1", "compressor": None, "fill_value": 0,
                "order": "C", "filters": None}  # fmt: skip
    (folder / ".zarray").write_text(json.dumps(metadata))
    for index in np.ndindex((edge,) * 3):
        (folder / ".".join(map(str, index))).write_bytes(b"\1")
    split(voxcc, tmp_path, folder)
    label(voxcc, tmp_path)
    (folder / "3.4.5").write_bytes(b"\0")  # in place: the folder does not change
    label(voxcc, tmp_path)
    (tmp_path / "chunk").write_bytes(b"\0")
    (tmp_path / "chunk").rename(folder / "3.4.5")
    require_changed(voxcc, tmp_path)
    split(voxcc, tmp_path, folder)
    (folder / "3.4.5").unlink()
    require_changed(voxcc, tmp_path)


def test_a_mask_of_several_files(voxcc, tmp_path):
    source, data, _ = nested_zarr(tmp_path)
    np.save(tmp_path / "in.npy", np.ones(SHAPE, np.uint8))
    voxcc("split", tmp_path / "in.npy", "--mask", source, "--part-size", "16", "-o", tmp_path / "plan.json", "-q")
    label(voxcc, tmp_path)
    later(data)
    require_changed(voxcc, tmp_path)
