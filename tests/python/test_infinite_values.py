"""Infinite values of a file are written, in all tables and formats; zero never has a sign."""

import csv
import io
import json
import re

import nibabel
import numpy as np
import pandas
import pytest
from helpers import write_nifti

INFINITE = np.array([[[1, 1, 0, np.inf, np.inf], [0, 0, 0, 0, 0], [-np.inf, 0, np.nan, 0, 2.5]]], "f4")
MINUS_ZERO = re.compile(r"(?<![\w.])-0(\.0+)?(?![\d.eE])")


def cells(text, name, delimiter=","):
    return [row[name] for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)]


@pytest.fixture
def image(tmp_path):
    return write_nifti(tmp_path / "in.nii", INFINITE)


def test_source_label(voxcc, tmp_path, image):
    want = ["1", "inf", "-inf", "2.5"]
    for name, delimiter in (("t.csv", ","), ("t.tsv", "\t")):
        voxcc("label", image, "--multilabel", "--stats", tmp_path / name)
        assert cells((tmp_path / name).read_text(), "source_label", delimiter) == want
        table = pandas.read_csv(tmp_path / name, sep=delimiter)
        assert table["source_label"].tolist() == [1, np.inf, -np.inf, 2.5]
    voxcc("label", image, "--multilabel", "--stats", tmp_path / "t.json")
    assert [row["source_label"] for row in json.loads((tmp_path / "t.json").read_text())] == [1, "inf", "-inf", 2.5]


def test_join_keeps_infinite_values(voxcc, tmp_path, image):
    formats = ("csv", "tsv", "json")
    for name in formats:
        voxcc("label", image, "--multilabel", "--stats", tmp_path / f"direct.{name}")
    for source in formats:
        for target in formats:
            joined = f"{source}_to.{target}"
            voxcc("join", f"direct.{source}", "-o", joined, "--file", "in.nii", cwd=tmp_path)
            voxcc("join", f"direct.{target}", "-o", f"same.{target}", "--file", "in.nii", "-f", cwd=tmp_path)
            assert (tmp_path / joined).read_bytes() == (tmp_path / f"same.{target}").read_bytes()
    assert cells((tmp_path / "json_to.csv").read_text(), "source_label") == ["1", "inf", "-inf", "2.5"]


def test_a_file_that_is_named_inf(voxcc, tmp_path, image):
    """The column `file` is text."""
    voxcc("label", image, "--stats", tmp_path / "t.csv")
    for name in ("j.csv", "j.json"):
        voxcc("join", "t.csv", "-o", name, "--file", "inf", cwd=tmp_path)
        voxcc("join", name, "-o", "again.json", "-f", cwd=tmp_path)
        assert {row["file"] for row in json.loads((tmp_path / "again.json").read_text())} == {"inf"}


def test_extremes_of_an_image(voxcc, tmp_path):
    """numpy gives the extremes and the percentiles; other results do not exist."""
    values = np.array([[[1, np.inf, 3, 0], [-np.inf, 2, 5, 0], [7, 8, np.nan, 0]]], "f8")
    labels = np.array([[[1, 1, 1, 0], [2, 2, 2, 0], [3, 3, 3, 0]]], "u1")
    write_nifti(tmp_path / "v.nii", values)
    write_nifti(tmp_path / "l.nii", labels)
    options = ["--intensity", tmp_path / "v.nii", "--percentiles", "0,50,100"]
    for command in (["stats", tmp_path / "l.nii", "-o"], ["label", tmp_path / "l.nii", "--multilabel", "--stats"]):
        text = voxcc(*command, "-", *options).stdout
        for row, (least, greatest) in zip(csv.DictReader(io.StringIO(text)), ((1, np.inf), (-np.inf, 5), (7, 8)), strict=True):
            assert (float(row["intensity_min"]), float(row["intensity_max"])) == (least, greatest)
            assert (float(row["intensity_p0"]), float(row["intensity_p100"])) == (least, greatest)
            is_finite = np.isfinite([least, greatest]).all()
            for name in ("mean", "std", "sum"):
                assert (row[f"intensity_{name}"] != "n/a") == is_finite
            assert (row["weighted_centroid_i"] != "n/a") == is_finite
    maxima = voxcc("label", tmp_path / "l.nii", "--multilabel", "--intensity", tmp_path / "v.nii", "--local-maxima", "-").stdout
    assert "inf" in cells(maxima, "value")


def test_info(voxcc, tmp_path, image):
    assert "min -inf  max inf" in voxcc("info", image).stdout
    value_range = json.loads(voxcc("info", image, "--json").stdout)["range"]
    assert (value_range["min"], value_range["max"], value_range["nan"]) == ("-inf", "inf", 1)


def test_summary(voxcc, image):
    foreground = json.loads(voxcc("label", image, "--threshold", "1:inf", "--json", "-").stdout)["volumes"][0]["foreground"]
    assert (foreground["low"], foreground["high"]) == (1, "inf")


def page_data(path):
    text = path.read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def test_report(voxcc, tmp_path, image):
    for name in ("t.csv", "t.json"):
        voxcc("label", image, "--multilabel", "--stats", tmp_path / name)
        voxcc("report", tmp_path / name, "-o", tmp_path / "page.html", "-f")
        volume = page_data(tmp_path / "page.html")["volumes"][0]
        column = volume["columns"].index("source_label")
        assert [row[column] for row in volume["rows"]] == [1, "inf", "-inf", 2.5]


def minus_zeros(text):
    return [text[max(match.start() - 60, 0) : match.end() + 20] for match in MINUS_ZERO.finditer(text)]


def test_no_minus_zero(voxcc, tmp_path):
    """Positions with negative axes, centroids with negative weights, covariances and values of -0."""
    x = np.zeros((6, 6, 6), "f4")
    x[0:2, 0:2, 0:2] = 1
    x[4, 4, 0] = -1
    weights = np.where(x > 0, -0.0, -1.0).astype("f4")
    weights[0, 0, 1] = -3
    affine = np.diag([-1, -1, -1, 1.0])
    affine[:3, 3] = [-0.0, 0, -0.0]
    write_nifti(tmp_path / "in.nii", x, affine)
    write_nifti(tmp_path / "w.nii", weights, affine)
    nibabel.save(nibabel.load(tmp_path / "in.nii"), tmp_path / "i.nii.gz")
    options = ["--intensity", "w.nii", "--percentiles", "0,50", "--shape", "--json", "run.json", "--sidecar", "-f"]
    for name in ("t.csv", "t.tsv", "t.json"):
        voxcc("label", "in.nii", "-c", 6, "-o", "l.nii", "--stats", name, "--contacts", "c.csv", "--local-maxima", "m.csv", *options, cwd=tmp_path)
        for file in tmp_path.glob("*.[cjt]s*"):
            assert minus_zeros(file.read_text()) == [], file
    voxcc("report", "t.csv", "-o", "page.html", "--images", "in.nii", "--labels", "l.nii", cwd=tmp_path)
    assert minus_zeros(json.dumps(page_data(tmp_path / "page.html"))) == []
    np.save(tmp_path / "z.npy", np.full((2, 3, 4), -0.0))
    for file in ("in.nii", "i.nii.gz", "w.nii", "z.npy"):
        for form in ([], ["--json"]):
            text = voxcc("info", file, *form, cwd=tmp_path).stdout
            assert minus_zeros(text) == [], text
    voxcc("label", "in.nii", "-o", "l.ome.zarr", cwd=tmp_path)
    for document in (tmp_path / "l.ome.zarr").rglob("zarr.json"):
        assert minus_zeros(document.read_text()) == []


def test_the_search_finds_minus_zero():
    assert minus_zeros("a,-0,b") and minus_zeros("[-0.0, 1]") and minus_zeros("x -0.0\n")
    assert not minus_zeros("a,-0.5,b-0,1e-0,2026-01-01,-0e,0-0.25")
