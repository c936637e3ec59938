"""Notes about results that users may not expect, and options that would have no effect."""
import json

import numpy as np
import pytest
from helpers import blobs, voronoi, write_nifti

JOINED = "looks like labels, and labels that touch are joined"


def notes(voxcc, *arguments):
    return [line for line in voxcc("label", *arguments).stderr.splitlines() if "note:" in line]


def test_nearly_all_voxels_are_foreground(voxcc, tmp_path):
    image = np.random.default_rng(1).integers(1, 1000, (20, 20, 20)).astype(np.int16)
    path = write_nifti(tmp_path / "in.nii", image)
    assert notes(voxcc, path) == [f"voxcc: note: {path}: all voxels are foreground, because no voxel is 0; for a threshold, add --threshold"]
    assert [line for line in notes(voxcc, path, path) if "foreground" in line] == notes(voxcc, path)
    for given in (["--threshold", ">0"], ["--multilabel"], ["--invert"], ["--delta", 3], ["--mask", path]):
        assert not notes(voxcc, path, *given), given
    image.ravel()[:80] = 0
    write_nifti(path, image)
    assert "because only 80 voxels are 0; " in notes(voxcc, path)[0]
    image.ravel()[80] = 0
    write_nifti(path, image)
    assert not notes(voxcc, path)
    assert not voxcc("label", write_nifti(path, image + 1), "-q").stderr


def test_labels_that_touch(voxcc, tmp_path):
    touching = voronoi((20, 30, 40), cells=9).astype(np.uint16)
    touching[:, :, :5] = 0
    apart = np.zeros((20, 30, 40), np.uint16)
    apart[2:8, 2:8, 2:8], apart[12:18, 12:18, 12:18] = 3, 8
    above = np.zeros((20, 30, 40), np.int32)
    above[2:8, 2:8, 2:8], above[8:12, 2:8, 2:8] = 3, 8  # touch along z only
    noise = np.random.default_rng(1).integers(0, 200, touching.shape).astype(np.uint8)
    for array, is_noted in ((touching, True), (apart, False), (above, True), (noise, False), (blobs(touching.shape, 0.3).astype(np.uint8), False),
                            (touching.astype(np.float32), False)):
        path = write_nifti(tmp_path / "in.nii", array)
        found = [note for note in notes(voxcc, path) if JOINED in note]
        assert len(found) == is_noted and (not found or "add --multilabel, or measure the labels with 'voxcc stats'" in found[0])
        assert not notes(voxcc, path, "--multilabel")
    path = write_nifti(tmp_path / "in.nii", touching)
    (line,) = voxcc("label", path, "--log-format", "json").stderr.splitlines()
    assert JOINED in json.loads(line)["message"]


def test_no_component_is_left(voxcc, tmp_path):
    array = np.zeros((9, 9, 9), np.uint8)
    array[1, 1, 1] = array[4, 4:7, 4] = array[8, 8, 0:5] = 1
    path = write_nifti(tmp_path / "in.nii", array)
    left = f"voxcc: note: {path}: no component is left: "
    assert notes(voxcc, path, "--min-size", 6) == [left + "3 are smaller than --min-size"]
    assert notes(voxcc, path, "--min-size", 2, "--max-size", 2) == [left + "1 is smaller than --min-size, 2 are larger than --max-size"]
    assert notes(voxcc, path, "--min-size", 4, "--clear-border") == [left + "2 are smaller than --min-size, 1 is at the border"]
    assert not notes(voxcc, path, "--min-size", 5)
    empty = write_nifti(tmp_path / "empty.nii", array * 0)
    assert not notes(voxcc, empty, "--min-size", 5)


@pytest.mark.parametrize("given, cause", (
    (["--intensity", "in.nii"], "--intensity: is measured for a table, but no table is written"),
    (["--intensity", "in.nii", "--contacts", "c.csv", "-c", "6"], "--intensity: is measured for a table, but no table is written"),
    (["--units", "mm"], "--units: is the unit of tables, but no table is written"),
    (["--geometry-tolerance", "1mm"], "--geometry-tolerance: compares the grids of two volumes, but there is only one"),
    (["--geometry-tolerance", "ignore", "--stats", "t.csv"], "--geometry-tolerance: compares the grids of two volumes"),
    (["--dtype", "uint16"], "--dtype: is the type of a label volume, but no such volume is written"),
    (["-o=x.nii"], "-o: has its value after '=', as only long options have; write '-o x.nii'"),
    (["-c=6"], "-c: has its value after '='"),
))
def test_options_without_effect(voxcc, tmp_path, given, cause):
    write_nifti(tmp_path / "in.nii", np.ones((3, 4, 5), np.uint8))
    assert cause in voxcc.fails(64, "label", "in.nii", *given, cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["in.nii"]


def test_the_same_in_stats_and_report(voxcc, tmp_path):
    path = write_nifti(tmp_path / "in.nii", np.ones((3, 4, 5), np.uint8))
    cause = "--geometry-tolerance: compares the grids of two volumes, but there is only one"
    assert cause in voxcc.fails(64, "stats", path, "-o", "-", "--geometry-tolerance", "1mm")
    assert cause in voxcc.fails(64, "report", tmp_path / "t.csv", "-o", tmp_path / "r.html", "--labels", path, "--geometry-tolerance", "1mm")
