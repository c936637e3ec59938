"""--columns and --digits."""

import json

import numpy as np
import pandas
import pytest

from helpers import noise, write_nifti

GROUPS = {
    "size": ["voxels", "volume_mm3"],
    "centroid": ["centroid_i", "centroid_j", "centroid_k", "centroid_x_mm", "centroid_y_mm", "centroid_z_mm"],
    "box": [f"bbox_{axis}_{end}" for axis in "ijk" for end in ("min", "max")],
    "axes": ["axis1_mm", "axis2_mm", "axis3_mm", "elongation", "flatness"],
}


@pytest.fixture
def image(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_nifti(tmp_path / "in.nii", noise((8, 9, 10), 0.3, seed=2), np.diag([0.7, 1.1, 1.3, 1]))


@pytest.mark.parametrize("choice, names", (
    ("label,size", ["label", *GROUPS["size"]]), ("box,label", [*GROUPS["box"], "label"]), ("volume,voxels", ["volume_mm3", "voxels"]),
    ("volume_mm3,size,label", ["volume_mm3", "voxels", "label"]), ("centroid,axes", GROUPS["centroid"] + GROUPS["axes"]),
    ("centroid_x,axis1", ["centroid_x_mm", "axis1_mm"]), ("sphericity,label", ["sphericity", "label"]),
    ("intensity_mean,intensity_p5", ["intensity_mean", "intensity_p5"]),
))
@pytest.mark.parametrize("extension", ("csv", "tsv", "json"))
def test_columns_and_their_order(voxcc, image, choice, names, extension):
    options = ["--shape", "--intensity", image, "--percentiles", "5"]
    voxcc("label", image, "-o", "labels.nii", "--stats", "all.csv", "--mkdir", *options)
    for command in (["label", image, "--stats"], ["stats", "labels.nii", "-o"]):
        voxcc(*command, f"some.{extension}", "--columns", choice, "--sidecar", "-f", *options)
        if extension == "json":
            some = pandas.DataFrame(json.loads(open("some.json").read()))
        else:
            some = pandas.read_csv(f"some.{extension}", sep="\t" if extension == "tsv" else ",")
        assert some.columns.tolist() == names
        every = pandas.read_csv("all.csv")
        for name in names:
            np.testing.assert_array_equal(some[name], every[name])


def test_groups_of_images_and_shapes(voxcc, image):
    voxcc("label", image, "--stats", "all.csv", "--shape", "--intensity", f"ct={image}")
    voxcc("label", image, "--stats", "some.csv", "--shape", "--intensity", f"ct={image}", "--columns", "label,intensity,shape,covariance")
    every, some = pandas.read_csv("all.csv").columns.tolist(), pandas.read_csv("some.csv").columns.tolist()
    assert some[0] == "label" and set(some[1:]) == {n for n in every if n.startswith(("ct_", "cov_"))} | set(every[every.index("surface_mm2"):])


def test_columns_of_all_images(voxcc, image):
    images = ("--intensity", f"ct={image}", "--intensity", f"pet={image}")
    names = ["label", "ct_mean", "pet_mean", "pet_weighted_centroid_i", "ct_weighted_centroid_i", "pet_max"]
    voxcc("label", image, "--stats", "some.csv", *images, "--columns", "label,intensity_mean,pet_weighted_centroid_i,weighted_centroid_i,pet_max")
    assert pandas.read_csv("some.csv").columns.tolist() == names
    voxcc.fails(64, "label", image, "--stats", "t.csv", *images, "--keep", "intensity_mean > 3")


@pytest.mark.parametrize("digits", (1, 3, 17))
def test_digits(voxcc, image, digits):
    voxcc("label", image, "--stats", "all.csv")
    voxcc("label", image, "--stats", "some.csv", "--digits", str(digits))
    every, some = pandas.read_csv("all.csv"), pandas.read_csv("some.csv")
    assert every["voxels"].tolist() == some["voxels"].tolist()
    for name in every:
        for a, b in zip(every[name], some[name], strict=True):
            assert b == (a if name in ("label", "voxels", "touches_border") or name.startswith("bbox") else float(f"{a:.{digits - 1}e}"))


@pytest.mark.parametrize("arguments, message", (
    (["--columns", "volum"], "the table has no column 'volum', nearest: 'volume'"), (["--columns", "surface"], "has no column 'surface'"),
    (["--columns", "a,,b"], "empty name"), (["--columns", "label,label"], "twice"), (["--digits", "0"], "whole number from 1 to 17"),
    (["--columns", "intensity"], "has no column 'intensity'"),
))
def test_choices_that_are_not_valid(voxcc, image, arguments, message):
    assert message in voxcc.fails(64, "label", image, "--stats", "t.csv", *arguments)
    voxcc("label", image, "-o", "labels.nii")
    assert message in voxcc.fails(64, "stats", "labels.nii", "-o", "t.csv", *arguments)


def test_choices_without_a_table(voxcc, image):
    for arguments in (["--columns", "label"], ["--digits", "3"]):
        assert "no table is written" in voxcc.fails(64, "label", image, *arguments)


def test_columns_in_the_unit_of_the_file(voxcc, image):
    assert "volume_um3" in voxcc.fails(64, "label", image, "--stats", "t.csv", "--columns", "volume_um3")
    voxcc("label", image, "--stats", "t.csv", "--columns", "volume_um3", "--units", "um")
    assert pandas.read_csv("t.csv").columns.tolist() == ["volume_um3"]
