"""label_file() and the exceptions of files. The tests of the program need VOXCC."""

import os
import pickle

import numpy as np
import pytest
import voxcc
from voxcc import _errors

needs_program = pytest.mark.skipif(not os.environ.get("VOXCC"), reason="SKIPPED: label_file(): VOXCC does not name the program")


@pytest.fixture
def volume(tmp_path):
    nibabel = pytest.importorskip("nibabel")
    voxels = (np.random.default_rng(1).random((20, 21, 22)) < 0.2).astype(np.uint8)
    nibabel.save(nibabel.Nifti1Image(voxels, np.diag([1, 2, 3, 1])), tmp_path / "in.nii")
    return tmp_path / "in.nii", voxels


@needs_program
def test_infinite_values(tmp_path):
    """JSON, which the program writes for the table, has no infinite numbers."""
    x = np.array([[1, np.inf, np.inf, -np.inf]], "f4")
    np.save(tmp_path / "x.npy", x)
    table = voxcc.label_file(tmp_path / "x.npy", values=True, intensity=tmp_path / "x.npy", table=True).table
    expected = voxcc.label(x, values=True, intensity=x, table=True).table
    np.testing.assert_array_equal(table["source_label"], expected["value"])
    np.testing.assert_array_equal(table["intensity_max"], expected["intensity_max"])


@needs_program
def test_labels_and_table(volume, tmp_path):
    import nibabel

    path, voxels = volume
    result = voxcc.label_file(path, tmp_path / "out.nii", connectivity=6, min_size=3, table=True, dtype=np.uint16, threads=1)
    expected = voxcc.label(voxels, 6, min_size=3, order="F", table=True)
    labels = np.asanyarray(nibabel.load(tmp_path / "out.nii").dataobj)
    assert (result.labels, result.count, labels.dtype) == (None, expected.count, np.uint16)
    np.testing.assert_array_equal(labels, expected.labels)
    np.testing.assert_array_equal(result.table["voxels"], expected.table["voxels"])
    np.testing.assert_array_equal(result.table["volume_mm3"], expected.table["voxels"] * 6)


@needs_program
def test_arguments(volume):
    path, voxels = volume
    assert voxcc.label_file(path, threshold=(1, 1), values=True, keep_largest=2, sort="size", device="cpu").count == 2
    assert voxcc.label_file(str(path), delta=1, connectivity=18).count == voxcc.label(voxels, 18).count
    assert voxcc.label_file(path, threshold=7, table=True).table["label"].tolist() == []
    assert voxcc.label_file(path, per_slice="z", connectivity=4, spacing=2).count == voxcc.label(voxels, 4, per_slice=2).count


@pytest.fixture
def four(tmp_path):
    """A file of three volumes, [x, y, z, volume]. The second is empty."""
    nibabel = pytest.importorskip("nibabel")
    voxels = (np.random.default_rng(2).random((12, 11, 10, 3)) < 0.2).astype(np.uint8)
    voxels[..., 1] = 0
    nibabel.save(nibabel.Nifti1Image(voxels, np.eye(4)), tmp_path / "four.nii.gz")
    return tmp_path / "four.nii.gz", voxels


@needs_program
@pytest.mark.parametrize("extension", (".nii.gz", ".tif", ".npy"))
def test_all_volumes(four, tmp_path, extension):
    import nibabel

    path, voxels = four
    expected = [voxcc.label(voxels[..., volume], 6, order="F", table=True) for volume in range(3)]
    result = voxcc.label_file(path, tmp_path / f"out{extension}", connectivity=6, volume="all", table=True)
    assert result.count == sum(one.count for one in expected) and result.table["volume"].tolist() == [0] * expected[0].count + [2] * expected[2].count
    np.testing.assert_array_equal(result.table["voxels"], np.concatenate([one.table["voxels"] for one in expected]))
    if extension == ".nii.gz":
        np.testing.assert_array_equal(np.asanyarray(nibabel.load(tmp_path / "out.nii.gz").dataobj), np.stack([one.labels for one in expected], 3))
    for volume in range(3):
        assert voxcc.label_file(f"{tmp_path}/out{extension}[{volume}]", values=True).count == expected[volume].count


@needs_program
def test_one_of_several_volumes(four, tmp_path):
    path, voxels = four
    for volume in range(3):
        count = voxcc.label(voxels[..., volume], 6).count
        assert voxcc.label_file(path, volume=volume, connectivity=6).count == voxcc.label_file(f"{path}[{volume}]", connectivity=6).count == count
    assert voxcc.label_file(f"{path}[0..1]", connectivity=6).count == voxcc.label(voxels[..., 0], 6).count
    for volume in (None, 3, -1, "first", 0.5):
        with pytest.raises(ValueError) as caught:
            voxcc.label_file(path, tmp_path / "out.nii", volume=volume)
        assert caught.value.subject and caught.value.cause and caught.value.remedy
    assert [file.name for file in tmp_path.iterdir()] == ["four.nii.gz"]


@needs_program
def test_exceptions(volume, tmp_path):
    path, _ = volume
    (tmp_path / "broken.nii").write_bytes(path.read_bytes()[:1000])
    for kind, call in (
        (FileNotFoundError, lambda: voxcc.label_file(tmp_path / "absent.nii")),
        (FileExistsError, lambda: voxcc.label_file(path, path, overwrite=True)),
        (voxcc.FormatError, lambda: voxcc.label_file(tmp_path / "broken.nii")),
        (ValueError, lambda: voxcc.label_file(path, connectivity=7)),
        (voxcc.DeviceError, lambda: voxcc.label_file(path, device="cuda:999")),
    ):
        with pytest.raises(kind) as caught:
            call()
        assert caught.value.subject and caught.value.cause and caught.value.remedy
        assert str(caught.value) == f"{caught.value.subject}: {caught.value.cause}; {caught.value.remedy}"


def test_no_program(monkeypatch):
    monkeypatch.delenv("VOXCC", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ImportError, match="needs the program voxcc"):
        voxcc.label_file("x.nii")


@pytest.mark.parametrize("code", [*_errors.EXCEPTIONS, 70])
def test_exceptions_survive_pickling(code):
    error = _errors.of_exit_code(code, "x.nii", "cannot open", "check the path")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error) == "x.nii: cannot open; check the path"
    assert (copy.subject, copy.cause, copy.remedy) == ("x.nii", "cannot open", "check the path")


def test_dimension_error():
    with pytest.raises(voxcc.DimensionError) as caught:
        voxcc.label(np.ones((1, 1, 1, 1)))
    assert (caught.value.subject, caught.value.cause, caught.value.remedy) == ("x", "has 4 dimensions", "it must have 1, 2 or 3")
