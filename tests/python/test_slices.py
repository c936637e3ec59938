"""--per-slice x and y of volumes that are larger than --max-memory: the same bytes as in memory, and the labels of scipy."""

import json
import subprocess

import nibabel
import numpy as np
import pytest
from helpers import blobs, label_equal_values, label_scipy, noise, read_nifti, sha256, voronoi, write_nifti


def limits(voxcc, command, folder):
    """Memory limits with which a run is streamed: close to the need in memory, and lower."""
    def plan(*limit):
        done = subprocess.run([voxcc.program, *map(str, command), *limit, "--dry-run"], capture_output=True, text=True, cwd=folder, check=False)
        return json.loads(done.stdout)["volumes"][0]

    whole = plan()["memory_bytes"]
    plans = [(limit, plan("--max-memory", str(limit))) for limit in range(whole - 1, whole // 2, -whole // 25)]
    fitting = [limit for limit, streamed in plans if streamed["fits"] and streamed["slabs"] > 1]
    assert len(fitting) > 1
    return [["--max-memory", str(fitting[0])], ["--max-memory", str(fitting[len(fitting) // 5])]]


def label_slices(image, axis, label):
    """Labels each slice; numbering continues from slice to slice."""
    place, count = "zyx".index(axis), 0
    labels = np.zeros(np.moveaxis(image, place, 0).shape, np.int64)
    for number, part in enumerate(np.moveaxis(image, place, 0)):
        own = label(part).astype(np.int64)
        labels[number] = np.where(own > 0, own + count, 0)
        count += own.max()
    return np.moveaxis(labels, 0, place)


IMAGES = {"blobs": lambda shape: blobs(shape, 0.5, 8), "noise": lambda shape: noise(shape, 0.4, 30), "classes": lambda shape: voronoi(
    [n // 10 for n in shape], 60, dtype=np.int16).repeat(10, 0).repeat(10, 1).repeat(10, 2)}
CASES = {"plain": ("blobs", []), "noise": ("noise", []), "multilabel": ("classes", ["--multilabel"]), "wrap": ("noise", ["--periodic", "z"]),
         "wrap-all": ("noise", None), "selection": ("blobs", ["--min-size", "20", "--sort", "size", "--clear-border"]),
         "holes": ("blobs", ["--fill-holes"]), "small-holes": ("blobs", ["--fill-holes", "--max-hole", "30"]),
         "wrapped-holes": ("noise", ["--fill-holes", "--periodic", "z"]), "invert": ("blobs", ["--invert"])}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("slices")
    for name, make in IMAGES.items():
        write_nifti(path / f"{name}.nii", make((260, 200, 190)))
    nibabel.save(nibabel.load(path / "blobs.nii"), path / "blobs.nii.gz")
    return path


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("axis, connectivity", (("x", 4), ("y", 8)))
def test_streamed_slices_have_the_same_bytes(voxcc, tmp_path, folder, axis, connectivity, name):
    image, options = CASES[name]
    options = ["--periodic", "yz" if axis == "x" else "xz"] if options is None else options
    command = ["label", folder / f"{image}.nii", "--per-slice", axis, "-c", connectivity, "--device", "cpu", "-o", tmp_path / "l.nii", "--stats",
               tmp_path / "t.csv", "--size-output", tmp_path / "s.tif", "-f", *options]
    contents = set()
    for limit in ([], *limits(voxcc, [*command, "-t", "1"], tmp_path)):
        voxcc(*command, "-t", "1", *limit)
        contents.add(tuple(sha256(tmp_path / output) for output in ("l.nii", "t.csv", "s.tif")))
    assert len(contents) == 1
    values = read_nifti(folder / f"{image}.nii")
    if name in ("plain", "noise", "multilabel"):
        of_slice = (lambda part: label_equal_values(part, connectivity)) if name == "multilabel" else (lambda part: label_scipy(part, connectivity))
        np.testing.assert_array_equal(read_nifti(tmp_path / "l.nii"), label_slices(values, axis, of_slice))


@pytest.mark.parametrize("axis", "xy")
@pytest.mark.parametrize("output", ("l.nii.gz", "l.h5", "l.tif"))
def test_threads_formats_and_other_outputs(voxcc, tmp_path, folder, axis, output):
    command = ["label", folder / "blobs.nii.gz", "--per-slice", axis, "--device", "cpu", "-o", tmp_path / output, "--intensity", folder / "noise.nii",
               "--stats", tmp_path / "t.csv", "--preview", tmp_path / "p.png", "-f"]
    contents = set()
    for threads in ("1", "3"):
        for limit in ([], limits(voxcc, [*command, "-t", threads], tmp_path)[0]):
            voxcc(*command, "-t", threads, *limit)
            contents.add(tuple(sha256(tmp_path / name) for name in (output, "t.csv", "p.png")))
    assert len(contents) == 1


@pytest.mark.parametrize("option", (["--shape", "--stats", "t.csv"], ["--contacts", "c.csv", "--multilabel"]), ids=" ".join)
def test_what_is_labelled_in_one_piece(voxcc, tmp_path, folder, option):
    command = ["label", folder / "blobs.nii", "--per-slice", "y", "--device", "cpu", *option, "--max-memory", "14MB", "-t", "1"]
    line = voxcc.fails(71, *command, cwd=tmp_path)
    assert f"in one piece for --per-slice y with {option[0]}" in line
