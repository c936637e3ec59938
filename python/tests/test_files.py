"""label_file() and the exceptions of files. The tests of the program need VOXCC."""

import os
import pickle
import re

import numpy as np
import pytest
import voxcc
from odd_values import odd_values
from voxcc import _errors, _files, _program_errors

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
    np.testing.assert_array_equal(table["value"], expected["value"])
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
    np.testing.assert_array_equal(result.table["volume"], expected.table["voxels"] * 6)


@needs_program
@pytest.mark.parametrize("options", ({"values": True}, {"periodic": "xz", "connectivity": 6}, {"threshold": 9}), ids=str)
def test_table_is_the_table_of_label(volume, tmp_path, options):
    """Names, types and values. The program adds columns, for example positions in mm."""
    path, voxels = volume
    image = np.random.default_rng(3).random(voxels.shape).astype("f4")
    np.save(tmp_path / "image.npy", np.ascontiguousarray(image.T))
    table = voxcc.label_file(path, table=True, intensity=tmp_path / "image.npy", spacing=(1, 2, 3), **options).table
    options = {**options, "periodic": (0, 2)} if "periodic" in options else options
    expected = voxcc.label(voxels, order="F", table=True, intensity=image, spacing=(1, 2, 3), **options).table
    assert set(expected) - set(table) == set()
    for name, column in expected.items():
        if name != "value":
            assert table[name].dtype == column.dtype, name
        np.testing.assert_allclose(table[name], column, rtol=1e-12, atol=1e-12, err_msg=name)
    further = set(table) - set(expected)
    assert all(re.search("_[xyz]{1,2}_mm2?$|^(peak|minimum)_[012]$|^(skewness|kurtosis)$", name) for name in further), further


@needs_program
def test_fill_holes(tmp_path):
    scipy = pytest.importorskip("scipy.ndimage")
    x = np.random.default_rng(4).random((9, 10, 11)) < 0.6
    np.save(tmp_path / "x.npy", x.astype("u1"))
    count = voxcc.label_file(tmp_path / "x.npy", tmp_path / "out.npy", fill_holes=True, connectivity=26).count
    assert count == voxcc.label(scipy.binary_fill_holes(x)).count
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy") > 0, scipy.binary_fill_holes(x))


@pytest.mark.parametrize("name", _files.OPTIONS)
def test_odd_arguments(name):
    """Without the program: each value becomes an option, or is a TypeError or a ValueError with a short message."""
    for value in odd_values():
        try:
            _files._command({name: value})
        except (TypeError, ValueError) as error:
            assert error.subject == name and error.cause and error.remedy and len(str(error)) < 300


@pytest.mark.parametrize("remedy, expected", [
    ("overwrite it with --force, or name another output", "overwrite it with overwrite=True, or name another output"),
    ("make the folder, or add --mkdir", "make the folder"),
    ("use fewer threads (-t), or set --max-memory", "use fewer threads, or set max_memory"),
    ("read it with --allow-external if you trust the file",
     "use the program voxcc instead of label_file(): read it with --allow-external if you trust the file"),
    ("list the datasets with 'voxcc info --json'", "list the datasets with 'voxcc info --json'"),
    ("see 'voxcc label --help'", "see help(voxcc.label_file)"),
])  # fmt: skip
def test_remedies_name_arguments(remedy, expected):
    assert _program_errors.remedy_for(remedy, _files.NAMES) == expected


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
    assert result.count == sum(one.count for one in expected) and result.table["volume_index"].tolist() == [0] * expected[0].count + [2] * expected[2].count
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
        (FileExistsError, lambda: voxcc.label_file(path, tmp_path / "broken.nii")),
        (FileNotFoundError, lambda: voxcc.label_file(path, tmp_path / "absent" / "out.nii")),
        (ValueError, lambda: voxcc.label_file(path, "-")),
        (TypeError, lambda: voxcc.label_file(7)),
        (TypeError, lambda: voxcc.label_file(path, connectivity="6")),
        (voxcc.FormatError, lambda: voxcc.label_file(tmp_path / "broken.nii")),
        (ValueError, lambda: voxcc.label_file(path, connectivity=7)),
        (voxcc.DeviceError, lambda: voxcc.label_file(path, device="cuda:999")),
    ):
        with pytest.raises(kind) as caught:
            call()
        assert caught.value.subject and caught.value.cause and caught.value.remedy
        assert str(caught.value) == f"{caught.value.subject}: {caught.value.cause}; {caught.value.remedy}"
        assert not re.search("(^|[^a-z])--?[a-z]", str(caught.value))  # an option of the program


def test_no_program(monkeypatch):
    monkeypatch.delenv("VOXCC", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ImportError, match="needs the program voxcc"):
        voxcc.label_file("x.nii")


@pytest.mark.parametrize("kind", {*_errors.EXCEPTIONS.values(), _errors.WrongType, _errors.Failure, voxcc.DimensionError})
def test_exceptions_survive_pickling(kind):
    error = kind("x.nii", "cannot open", "check the path")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error) == "x.nii: cannot open; check the path"
    assert (copy.subject, copy.cause, copy.remedy) == ("x.nii", "cannot open", "check the path")


def test_dimension_error():
    with pytest.raises(voxcc.DimensionError) as caught:
        voxcc.label(np.ones((1, 1, 1, 1)))
    assert (caught.value.subject, caught.value.cause, caught.value.remedy) == ("x", "has 4 dimensions", "it must have 1, 2 or 3")
