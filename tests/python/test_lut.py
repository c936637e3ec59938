"""--lut writes the labels, names and colours in the formats of the viewers."""

import json
import re

import numpy as np
import pytest
from helpers import blobs, write_nifti
from preview_pictures import PALETTE

COLOURS = [tuple(map(int, colour)) for colour in PALETTE]


def itk_snap(text):
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    fields = [re.fullmatch(r'(\d+) (\d+) (\d+) (\d+) (\S+) ([01]) ([01]) "(.*)"', row).groups() for row in rows]
    assert fields[0] == ("0", "0", "0", "0", "0", "0", "0", "Clear Label")
    assert all(row[4:7] == ("1", "1", "1") for row in fields[1:])
    return {int(row[0]): (tuple(map(int, row[1:4])), row[7]) for row in fields[1:]}


def fsleyes(text):
    """FSLeyes reads a label, three fractions and a name per line."""
    rows = [line.split(" ", 4) for line in text.splitlines()]
    return {int(row[0]): (tuple(round(float(channel) * 255) for channel in row[1:4]), row[4]) for row in rows}


def slicer(text):
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    assert rows[0] == ["0", "Background", "0", "0", "0", "0"] and all(len(row) == 6 and row[5] == "255" for row in rows[1:])
    return {int(row[0]): (tuple(map(int, row[2:5])), row[1].replace("_", " ")) for row in rows[1:]}


def napari(text):
    colours = json.loads(text)
    assert colours.pop("0") == [0, 0, 0, 0] and all(colour[3] == 1 for colour in colours.values())
    return {int(label): (tuple(round(channel * 255) for channel in colour[:3]), f"component {label}") for label, colour in colours.items()}


READERS = {".txt": itk_snap, ".lut": fsleyes, ".ctbl": slicer, ".json": napari, ".LUT": fsleyes}


@pytest.mark.parametrize("extension, read", READERS.items())
@pytest.mark.parametrize("components", (0, 1, 20, 4000))
def test_all_labels_have_a_name_and_a_colour(voxcc, tmp_path, extension, read, components):
    array = np.zeros((20, 21, 40), np.uint8)
    array[::2, ::2, ::2].flat[:components] = 1
    assert array.sum() == min(components, 10 * 11 * 20)
    write_nifti(tmp_path / "in.nii", array)
    voxcc("label", tmp_path / "in.nii", "--lut", tmp_path / f"out{extension}")
    labels = read((tmp_path / f"out{extension}").read_text())
    assert labels == {label: (COLOURS[(label - 1) % len(COLOURS)], f"component {label}") for label in range(1, int(array.sum()) + 1)}


def test_the_labels_are_those_that_are_kept(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", blobs((20, 21, 40), 0.2))
    voxcc("label", tmp_path / "in.nii", "--keep-largest", 2, "--lut", tmp_path / "out.lut", "--max-memory", "100MB")
    assert list(fsleyes((tmp_path / "out.lut").read_text())) == [1, 2]


def test_several_inputs_have_a_list_each(voxcc, tmp_path):
    for name in ("a", "b"):
        write_nifti(tmp_path / f"{name}.nii", np.full((3, 4, 5), name == "b", np.uint8))
    inputs = (tmp_path / "a.nii", tmp_path / "b.nii")
    voxcc("label", *inputs, "--lut", tmp_path / "{stem}.ctbl")
    assert [len(slicer((tmp_path / f"{name}.ctbl").read_text())) for name in ("a", "b")] == [0, 1]
    error = voxcc.fails(64, "label", *inputs, "--lut", tmp_path / "all.ctbl")
    assert "is a single file, but there are several inputs; use {stem}" in error


def test_wrong_names_are_refused(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", np.ones((3, 4, 5), np.uint8))
    for name in ("out.csv", "out", "-"):
        assert "does not end in .txt, .lut, .ctbl or .json" in voxcc.fails(64, "label", tmp_path / "in.nii", "--lut", name)
    error = voxcc.fails(64, "label", tmp_path / "in.nii", "--stats", tmp_path / "t.tsv", "--sidecar", "--lut", tmp_path / "t.json")
    assert "is also the file of --sidecar" in error
    (tmp_path / "kept.lut").write_text("mine")
    voxcc.fails(73, "label", tmp_path / "in.nii", "--lut", tmp_path / "kept.lut")
    assert (tmp_path / "kept.lut").read_text() == "mine"
    voxcc.fails(73, "label", tmp_path / "in.nii", "--lut", tmp_path / "no" / "out.lut")


def test_a_changed_list_is_written_again(voxcc, tmp_path):
    """--skip-existing treats the list as the other outputs."""
    write_nifti(tmp_path / "in.nii", np.ones((3, 4, 5), np.uint8))
    command = ("label", tmp_path / "in.nii", "--lut", tmp_path / "out.lut", "--json", tmp_path / "out.json", "--skip-existing")
    voxcc(*command)
    assert "is skipped" in voxcc(*command).stderr
    (tmp_path / "out.lut").unlink()
    voxcc(*command)
    assert len(fsleyes((tmp_path / "out.lut").read_text())) == 1
