"""--keep: conditions on the columns of the table, against pandas."""

import numpy as np
import pandas
import pytest

from helpers import noise, read_nifti, write_nifti

CONDITIONS = {  # expression: the same for pandas
    "voxels >= 3": "voxels >= 3",
    "volume > 2 and elongation < 0.5": "volume_mm3 > 2 and elongation < 0.5",
    "voxels = 1 or sphericity > 0.9 and not touches_border = 1": "voxels == 1 or (sphericity > 0.9 and not touches_border == 1)",
    "(voxels = 1 or sphericity > 0.9) and touches_border != 1": "(voxels == 1 or sphericity > 0.9) and touches_border != 1",
    "centroid_x_mm - 2 * centroid_i > -3.5 / (1 + 1)": "centroid_x_mm - 2 * centroid_i > -3.5 / 2",
    "intensity_mean > 4.5 and intensity_p50 <= 7": "intensity_mean > 4.5 and intensity_p50 <= 7",
    "inside_i < 4 and voxels > -1e3": "inside_i < 4 and voxels > -1000",
    "voxels < 0": "voxels < 0",
    "voxels > 0": "voxels > 0",
}


@pytest.fixture
def image(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(5)
    write_nifti(tmp_path / "ct.nii", random.normal(5, 3, (9, 10, 11)).astype(np.float32), np.diag([0.7, 1.1, 1.3, 1]))
    return write_nifti(tmp_path / "in.nii", noise((9, 10, 11), 0.3, seed=2), np.diag([0.7, 1.1, 1.3, 1]))


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("order", ("raster", "size"))
def test_label_equals_pandas(voxcc, image, condition, order):
    measures = ["--shape", "--inside", "--intensity", "ct.nii", "--percentiles", "50", "-c", "6", "--sort", order, "--min-size", "1"]
    voxcc("label", image, "-o", "all.nii", "--stats", "all.csv", *measures)
    voxcc("label", image, "-o", "some.nii", "--stats", "some.csv", "--summary", "volume.csv", "--local-maxima", "peaks.csv", "--contacts",
          "contacts.csv", "--keep", condition, *measures)
    every, some = pandas.read_csv("all.csv"), pandas.read_csv("some.csv")
    kept = every.query(CONDITIONS[condition])
    numbers = np.zeros(len(every) + 1, int)
    numbers[kept["label"]] = np.arange(1, len(kept) + 1)
    np.testing.assert_array_equal(read_nifti("some.nii"), numbers[read_nifti("all.nii")])
    assert some["label"].tolist() == list(range(1, len(kept) + 1))
    for name in every.columns.drop("label"):
        np.testing.assert_array_equal(some[name], kept[name], err_msg=name)
    volume = pandas.read_csv("volume.csv").iloc[0]
    assert volume["components"] == len(kept) and volume["voxels"] == kept["voxels"].sum() and volume["foreground_voxels"] == every["voxels"].sum()
    peaks, contacts = pandas.read_csv("peaks.csv"), pandas.read_csv("contacts.csv")
    assert sorted(set(peaks["label"])) == some["label"].tolist()
    for label, rows in peaks.groupby("label"):
        assert rows["value"].max() == some["intensity_max"][label - 1]
    assert set(contacts["label_a"]) | set(contacts["label_b"]) <= set(some["label"])

    voxcc("stats", "all.nii", "-o", "stats.csv", "--contacts", "touching.csv", "--keep", condition, "--shape", "--inside", "--intensity",
          "ct.nii", "--percentiles", "50", "-c", "6")
    assert pandas.read_csv("stats.csv")["label"].tolist() == sorted(kept["label"])


def test_columns_need_no_table(voxcc, image):
    done = voxcc("label", image, "--shape", "--keep", "sphericity > 0.8", "--json", "-")
    assert '"count"' in done.stdout
    voxcc("label", image, "--intensity", "ct=ct.nii", "--keep", "ct_mean > 5", "-o", "out.nii")


def test_values_and_texts(voxcc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = np.array([[[1, 1, 0, 2], [0, 0, 0, 2], [3, 0, 1, 0]]], np.uint8)
    path = write_nifti(tmp_path / "in.nii", values)
    voxcc("label", path, "--multilabel", "-c", "4", "--keep", "source_label != 2", "-o", "out.nii")
    assert read_nifti("out.nii").tolist() == [[[1, 1, 0, 0], [0, 0, 0, 0], [2, 0, 3, 0]]]
    voxcc("label", path, "--periodic", "x", "--keep", "wraps = 'none'", "-o", "out.nii", "-f", "-c", "4")


@pytest.mark.parametrize("condition, message", (
    ("voxel > 3", "the table has no column 'voxel', nearest: 'voxels'"), ("sphericity > 1", "which --shape adds"),
    ("intensity_mean > 1", "which --intensity adds"), ("voxels", "compares nothing"), ("voxels >", "ends too early"),
    ("voxels > 3 and", "ends too early"), ("(voxels > 3", "'(' without ')'"), ("voxels > 3)", "after its end"),
    ("voxels > 3 and 5", "has no comparison beside 'and'"), ("not voxels", "after 'not'"), ("voxels > 'a'", "order of texts"),
    ("voxels > 1e", "number that is not valid"), ("'a > 3", "quote without its partner"), ("voxels + 'a' > 3", "not a number"),
    ("1 < voxels < 3", "after its end"), ("voxels & 3", "after its end"), ("", "ends too early"), ("(" * 300 + "voxels", "nested too deeply"),
    ("voxels > 1 and " * 2000 + "voxels > 1", "longer than"), ("voxels > 12abc", "number that is not valid"), ("size > 3", "no column 'size'"),
))
def test_conditions_that_are_not_valid(voxcc, image, condition, message):
    voxcc("label", image, "-o", "labels.nii")
    assert message in voxcc.fails(64, "label", image, "--stats", "t.csv", f"--keep={condition}" if condition else "--keep", *[""] * (not condition))
    assert message in voxcc.fails(64, "stats", "labels.nii", "-o", "t.csv", f"--keep={condition}" if condition else "--keep", *[""] * (not condition))


def test_parts(voxcc, image):
    assert "--keep: is not possible in parts" in voxcc.fails(64, "split", image, "-o", "plan.json", "--keep", "voxels > 3")
