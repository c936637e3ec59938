"""Labels of volumes with slope and intercept, and floats that are nearly whole: the same labels in every command, as nibabel reads them."""

import csv
import io
import json
import struct

import nibabel
import numpy as np
import pytest
from helpers import label_equal_values, noise, read_nifti, write_nifti
from parts_steps import in_parts


def scaled(path, stored, slope, intercept=0.0):
    """A NIfTI volume with these stored values; nibabel.save() would choose a slope of its own."""
    write_nifti(path, stored)
    content = bytearray(path.read_bytes())
    content[112:120] = struct.pack("<ff", slope, intercept)
    path.write_bytes(content)
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def stats(voxcc, path, *options):
    done = voxcc("stats", path, "-o", "-", *options)
    return {int(row["label"]): int(row["voxels"]) for row in rows_of(done.stdout)}, done.stderr


def slices(*values, dtype=np.int16):
    """Slices of these values, with background between them."""
    volume = np.zeros((2 * len(values), 4, 5), dtype)
    volume[::2] = np.array(values, dtype)[:, None, None]
    return volume


CASES = [  # stored values, slope, intercept, labels
    ((100, 200, 300), 0.01, 0, (1, 2, 3)), ((1, 2, 3), 2, 0, (2, 4, 6)), ((10, 20, 30000), 0.1, 0, (1, 2, 3000)), ((3, 6, 9), -1 / 3, 0, (-1, -2, -3)),
    ((255, 510, 765), 1 / 255, 0, (1, 2, 3)), ((500, 1000, 32000), 0.002, 0, (1, 2, 64)),
]


@pytest.mark.parametrize("stored, slope, intercept, labels", CASES)
def test_slopes(voxcc, tmp_path, stored, slope, intercept, labels):
    path = scaled(tmp_path / "a.nii", slices(*stored), slope, intercept)
    np.testing.assert_allclose(np.unique(nibabel.load(path).get_fdata()), np.unique([0, *labels]), rtol=1e-6)
    found, messages = stats(voxcc, path)
    assert found == dict.fromkeys(labels, 20) and "warning" not in messages.replace("no spacing", "")
    rows = rows_of(voxcc("label", path, "--multilabel", "--stats", "-").stdout)
    assert sorted(row["source_label"] for row in rows) == sorted(map(str, labels))
    plain = write_nifti(tmp_path / "plain.nii", slices(*labels, dtype=np.int32))
    assert "same labels: 3 components" in voxcc("compare", path, plain, "--exact").stdout
    assert stats(voxcc, plain)[0] == found


def test_intercept_moves_the_background(voxcc, tmp_path):
    """Stored -5 is 0: the background. Stored 0 is the label 10."""
    stored = np.full((6, 4, 5), -5, np.int16)
    stored[0], stored[2], stored[4] = 0, -4, 15
    path = scaled(tmp_path / "a.nii", stored, 2, 10)
    values = nibabel.load(path).get_fdata().T
    assert set(np.unique(values)) == {0, 2, 10, 40}
    assert stats(voxcc, path)[0] == {2: 20, 10: 20, 40: 20}
    voxcc("label", path, "--multilabel", "-o", tmp_path / "out.nii", "--stats", tmp_path / "out.csv")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_equal_values(values, 26))
    assert [row["source_label"] for row in rows_of((tmp_path / "out.csv").read_text())] == ["10", "2", "40"]
    assert "same labels" in voxcc("compare", path, write_nifti(tmp_path / "b.nii", values.astype(np.int16)), "--exact").stdout
    assert "same partition" in voxcc("compare", path, tmp_path / "out.nii").stdout


def test_no_background(voxcc, tmp_path):
    """No stored value becomes 0, so that every voxel has a label: stored 0 is 1."""
    path = scaled(tmp_path / "a.nii", slices(1, 2, 3), 2, 1)
    assert stats(voxcc, path)[0] == {1: 60, 3: 20, 5: 20, 7: 20}
    rows = rows_of(voxcc("label", path, "--multilabel", "--stats", "-").stdout)
    assert sorted(row["source_label"] for row in rows) == ["1", "1", "1", "3", "5", "7"]


@pytest.mark.parametrize("stored, slope, intercept", [
    ((100, 101), 0.01, 0), ((1, 2), 1, 0.5), ((1, 2), 1.5, 0), ((10000, 10001), 1e-4, 0), ((9999999, 1), 1e-7, 0), ((1, 2), 1e20, 0),
])
def test_values_that_are_not_labels(voxcc, tmp_path, stored, slope, intercept):
    path = scaled(tmp_path / "a.nii", slices(*stored, dtype=np.int32), slope, intercept)
    plain = write_nifti(tmp_path / "plain.nii", slices(1, 2))
    for arguments in (["stats", path, "-o", "-"], ["compare", path, plain], ["stats", path, "-o", "-", "--shape"], ["stats", path, "-o", "-", "--contacts", tmp_path / "c.csv"]):
        line = voxcc.fails(65, *arguments)
        assert "(with slope and intercept), and labels must be whole numbers" in line
    voxcc("label", path, "--multilabel", "--stats", tmp_path / "t.csv")  # an image may have any values
    written = [float(row["source_label"]) for row in rows_of((tmp_path / "t.csv").read_text())]
    expected = np.unique(nibabel.load(path).get_fdata())
    np.testing.assert_allclose(np.unique(written), expected[expected != 0], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value, label", [(2.9999999, 3), (3.0000004, 3), (-1.0000001, -1), (1e-7, 0), (3.0000458, None), (2.99999, None), (2.5, None)])
def test_floats(voxcc, tmp_path, dtype, value, label):
    volume = slices(1, value, dtype=dtype)
    np.save(tmp_path / "a.npy", volume)
    if label is None:
        assert "labels must be whole numbers" in voxcc.fails(65, "stats", tmp_path / "a.npy", "-o", "-")
        return
    assert stats(voxcc, tmp_path / "a.npy")[0] == {key: 20 for key in sorted({1, label} - {0})}
    np.save(tmp_path / "b.npy", slices(1, label, dtype=np.int16))
    assert "same labels" in voxcc("compare", tmp_path / "a.npy", tmp_path / "b.npy", "--exact").stdout


@pytest.mark.parametrize("option", ["--shape", "--contacts", "--intensity", "--local-maxima"])
def test_measures_equal_plain_labels(voxcc, tmp_path, option):
    """Each way of reading labels: rows, all threads, contacts and pictures."""
    labels = noise((6, 9, 10), 0.5) * np.random.default_rng(0).integers(1, 5, (6, 9, 10))
    files = {"scaled": scaled(tmp_path / "scaled.nii", ((labels - 7) * 4).astype(np.int16), 0.25, 7), "plain": write_nifti(tmp_path / "plain.nii", labels.astype(np.int16))}
    image = write_nifti(tmp_path / "image.nii", np.random.default_rng(1).random(labels.shape).astype(np.float32))
    results = {}
    for name, path in files.items():
        more = {"--shape": ["--shape"], "--contacts": ["--contacts", tmp_path / f"{name}.csv"], "--intensity": ["--intensity", image],
                "--local-maxima": ["--intensity", image, "--local-maxima", tmp_path / f"{name}.csv"]}[option]
        table = voxcc("stats", path, "-o", "-", *more).stdout
        results[name] = table, (tmp_path / f"{name}.csv").read_text() if len(more) > 1 and more[-1] != image else ""
    assert results["scaled"] == results["plain"] and results["plain"][0].count("\n") == 5


def test_source_labels_in_parts(voxcc, tmp_path):
    """The steps of a run in parts write the same table."""
    labels = noise((8, 12, 12), 0.5) * np.random.default_rng(0).integers(1, 4, (8, 12, 12)) * 50
    path = scaled(tmp_path / "a.nii", labels.astype(np.int16), 0.02)
    outputs = ["--stats", tmp_path / "parts.csv"]
    in_parts(voxcc, tmp_path, path, "--multilabel", "--part-size", 6, outputs=outputs)
    voxcc("label", path, "--multilabel", "--stats", tmp_path / "one.csv")
    assert (tmp_path / "parts.csv").read_text() == (tmp_path / "one.csv").read_text()
    assert {row["source_label"] for row in rows_of((tmp_path / "one.csv").read_text())} == {"1", "2", "3"}


def test_json_has_numbers(voxcc, tmp_path):
    path = scaled(tmp_path / "a.nii", slices(100, 300), 0.01)
    voxcc("label", path, "--multilabel", "--stats", tmp_path / "t.json")
    assert [row["source_label"] for row in json.loads((tmp_path / "t.json").read_text())] == [1, 3]
