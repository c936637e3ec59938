"""NumPy files against numpy: types, byte orders, shapes and orders in both directions, and hostile headers."""

import io
import json
import subprocess

import h5py
import nibabel
import numpy as np
import pytest
import scipy.ndimage
import tifffile
from helpers import noise, read_table, write_nifti
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TYPES = ("?", "u1", "i1", "<u2", ">u2", "<i2", ">i2", "<u4", ">u4", "<i4", ">i4", "<u8", ">u8", "<i8", ">i8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8")
VOLUME = noise((7, 8, 9), 0.3)
RUNS = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])


def header_of(path):
    """(shape, whether the order is Fortran, type) as numpy reads them."""
    with open(path, "rb") as file:
        assert np.lib.format.read_magic(file) == (1, 0)
        return np.lib.format.read_array_header_1_0(file)


def expected_labels(array, is_fortran):
    """Labels in the order of memory, with the shape of the array."""
    raster = array.T if is_fortran else array
    cube = raster.reshape((1,) * (3 - raster.ndim) + raster.shape)
    labels = scipy.ndimage.label(cube, np.ones((3, 3, 3)))[0].reshape(raster.shape)
    return labels.T if is_fortran else labels


@given(dtype=st.sampled_from(TYPES), shape=st.lists(st.integers(1, 9), min_size=1, max_size=3), order=st.sampled_from("CF"),
       version=st.sampled_from([(1, 0), (2, 0), (3, 0)]), seed=st.integers(0, 2**32 - 1))
@RUNS
def test_labels_match_the_array(voxcc, tmp_path, dtype, shape, order, version, seed):
    """labels[index] belongs to array[index], for every type, shape, order and version."""
    random = np.random.default_rng(seed)
    array = np.asarray(random.integers(0, 3, shape) * random.integers(0, 2, shape), order=order).astype(dtype)
    path, out = tmp_path / "in.npy", tmp_path / "out.npy"
    with open(path, "wb") as file:
        np.lib.format.write_array(file, array, version=version)
    is_fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    voxcc("label", path, "-o", out, "-f", "-q")
    labels = np.load(out)
    expected = expected_labels(array != 0, is_fortran)
    np.testing.assert_array_equal(labels, expected)
    assert header_of(out) == (array.shape, is_fortran, np.uint8)
    found = json.loads(voxcc("info", path, "--json").stdout)
    memory = array.shape if is_fortran else array.shape[::-1]
    assert found["shape"] == [*memory, 1, 1][:3]
    assert (found["format"], found["stored_type"], found["array_order"]) == ("NumPy", array.dtype.name, "Fortran" if is_fortran else "C")
    assert (found["range"]["min"], found["range"]["max"]) == (array.min(), array.max())


@pytest.mark.parametrize("dtype", TYPES)
def test_exact_values(voxcc, tmp_path, dtype):
    """The extreme values of each type arrive unchanged."""
    kind = np.dtype(dtype)
    limits = (0, 1) if kind.kind == "b" else (np.finfo(kind).smallest_subnormal, np.finfo(kind).max) if kind.kind == "f" else (
        np.iinfo(kind).min, np.iinfo(kind).max)  # fmt: skip
    np.save(tmp_path / "in.npy", np.array([limits, limits], kind))
    found = json.loads(voxcc("info", tmp_path / "in.npy", "--json").stdout)["range"]
    assert (found["min"], found["max"]) == tuple(np.array(limits, kind).tolist())


@pytest.mark.parametrize("dtype", ("uint8", "uint16", "uint32", "uint64"))
@pytest.mark.parametrize("options", ([], ["-t", "1"], ["-t", "3"]))
def test_label_types(voxcc, tmp_path, dtype, options):
    volume = noise((60, 61, 62), 0.1)
    np.save(tmp_path / "in.npy", volume.T)
    voxcc("label", tmp_path / "in.npy", "-o", tmp_path / "out.npy", "-c", "26", "--dtype", dtype, *options, expect=65 if dtype == "uint8" else 0)
    if dtype != "uint8":
        labels = np.load(tmp_path / "out.npy")
        assert labels.dtype == dtype
        np.testing.assert_array_equal(labels, expected_labels(volume.T, True))


def test_array_of_nibabel(voxcc, tmp_path):
    """The labels of a NIfTI file have the shape and the order of nibabel's array."""
    path = write_nifti(tmp_path / "in.nii", VOLUME)
    image = nibabel.load(path).get_fdata()
    voxcc("label", path, "-o", tmp_path / "out.npy", "--stats", tmp_path / "t.csv")
    labels = np.load(tmp_path / "out.npy")
    assert header_of(tmp_path / "out.npy") == (image.shape, True, np.uint8)
    np.testing.assert_array_equal(labels, expected_labels(image != 0, True))
    np.testing.assert_array_equal(labels != 0, image != 0)
    for row in read_table(tmp_path / "t.csv"):
        indices = np.argwhere(labels == row["label"])
        assert [row[f"bbox_{axis}_min"] for axis in "ijk"] == indices.min(axis=0).tolist()


@pytest.mark.parametrize("name", ("in.tif", "in.h5"))
def test_other_formats_to_npy(voxcc, tmp_path, name):
    if name == "in.tif":
        tifffile.imwrite(tmp_path / name, VOLUME, photometric="minisblack")
    else:
        with h5py.File(tmp_path / name, "w") as file:
            file["v"] = VOLUME
    voxcc("label", tmp_path / name, "-o", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy").T, expected_labels(VOLUME, False))


@pytest.mark.parametrize("order", "CF")
def test_columns_i_j_k(voxcc, tmp_path, order):
    """C order: array[k, j, i]; Fortran order: array[i, j, k]. The file states no spacing, so lengths are in voxels."""
    array = np.zeros((5, 6, 7), order=order)
    array[1, 2, 3] = 1
    np.save(tmp_path / "in.npy", array)
    voxcc("label", tmp_path / "in.npy", "--stats", tmp_path / "t.csv")
    (row,) = read_table(tmp_path / "t.csv")
    index = [row[f"centroid_{axis}"] for axis in "ijk"]
    assert index == ([3, 2, 1] if order == "C" else [1, 2, 3])
    assert index == [row[f"centroid_{axis}_voxel"] for axis in "xyz"] and row["volume_voxel3"] == 1
    voxcc("label", tmp_path / "in.npy", "--stats", tmp_path / "t.csv", "--spacing", "2,3,4", "-f")
    assert read_table(tmp_path / "t.csv")[0]["volume_mm3"] == 24


@pytest.mark.parametrize("order", "CF")
def test_further_axes_are_volumes(voxcc, tmp_path, order):
    """Volumes are counted in the order of memory: along the first axes in C order, along the last axes in Fortran order."""
    array = np.stack([noise((4, 5, 6), 0.3, seed=seed) for seed in range(6)]).reshape(2, 3, 4, 5, 6)
    array = array if order == "C" else array.T
    np.save(tmp_path / "in.npy", array)
    assert "--volume 0..5" in voxcc.fails(64, "label", tmp_path / "in.npy", "-o", tmp_path / "out.npy")
    voxcc.fails(64, "label", tmp_path / "in.npy", "--volume", "6")
    for number in range(6):
        voxcc("label", tmp_path / "in.npy", "--volume", number, "-o", tmp_path / "out.npy", "-f")
        t, c = divmod(number, 3)
        volume = array[t, c] if order == "C" else array[..., c, t]
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected_labels(volume, order == "F"))


def test_every_command(voxcc, tmp_path):
    voxcc("generate", "blobs", "--shape", "20,21,22", "-o", tmp_path / "in.npy")
    volume = np.load(tmp_path / "in.npy")
    assert header_of(tmp_path / "in.npy")[:2] == ((20, 21, 22), True)
    voxcc("label", tmp_path / "in.npy", "-o", f"{tmp_path}/{{stem}}_labels.npy", "--stats", tmp_path / "t.csv")
    labels = np.load(tmp_path / "in_labels.npy")
    np.testing.assert_array_equal(labels, expected_labels(volume != 0, True))
    voxcc("stats", tmp_path / "in_labels.npy", "--intensity", tmp_path / "in.npy", "-o", tmp_path / "u.csv")
    assert [row["voxels"] for row in read_table(tmp_path / "u.csv")] == np.bincount(labels.ravel(order="F"))[1:].tolist()
    voxcc("label", tmp_path / "in.npy", "-o", tmp_path / "labels.nii")
    voxcc("compare", "--exact", tmp_path / "labels.nii", tmp_path / "in_labels.npy")
    np.save(tmp_path / "other.npy", np.where(labels == 1, 0, labels))
    voxcc("compare", tmp_path / "other.npy", tmp_path / "in_labels.npy", expect=1)
    assert voxcc("verify", tmp_path / "in.npy").stdout == f"{tmp_path}/in.npy: ok\n"


@pytest.mark.parametrize("command", (["label", "{c}", "--mask", "{f}"], ["label", "{c}", "--intensity", "{f}", "--stats", "-"],
                                     ["stats", "{c}", "--intensity", "{f}", "-o", "-"], ["compare", "{c}", "{f}"]))  # fmt: skip
def test_equal_shapes_in_different_orders_are_refused(voxcc, tmp_path, command):
    """array[index] is another voxel in each file. The extents of cubes do not show this."""
    array = noise((6, 6, 6), 0.3)
    paths = {"c": tmp_path / "c.npy", "f": tmp_path / "f.npy"}
    np.save(paths["c"], array)
    np.save(paths["f"], np.asfortranarray(array))
    line = voxcc.fails(65, *(part.format(**paths) for part in command))
    assert "C order" in line and "Fortran order" in line and "numpy.ascontiguousarray" in line
    np.save(paths["c"], VOLUME)
    np.save(paths["f"], VOLUME.T)
    voxcc(*(part.format(**paths) for part in command))


def test_types_that_are_not_numbers(voxcc, tmp_path):
    path = tmp_path / "in.npy"
    arrays = {"complex": np.zeros((3, 4), "c16"), "Python objects": np.array([[1, "x"]], object), "texts": np.array([["a", "b"]]),
              "records": np.zeros((3, 4), [("r", "u1"), ("g", "u1")]), "'<M8[ns]'": np.zeros((3, 4), "M8[ns]"), "'|V4'": np.zeros((3, 4), "V4"),
              "without axes": np.array(5), "extent of 0": np.zeros((3, 0, 4))}  # fmt: skip
    for text, array in arrays.items():
        np.save(path, array, allow_pickle=True)
        for command in ("label", "info", "verify"):
            assert text in voxcc.fails(65, command, path)
    assert "--reader voxcc" in (np.save(path, VOLUME), voxcc.fails(64, "label", path, "--reader", "itk"))[1]


def test_second_array_in_a_file_is_ignored_with_a_warning(voxcc, tmp_path):
    with open(tmp_path / "in.npy", "wb") as file:
        np.save(file, VOLUME)
        np.save(file, VOLUME)
    assert "bytes after the voxels are ignored" in voxcc("verify", tmp_path / "in.npy").stderr


PIECES = ["'descr'", "'<u2'", "'shape'", "(2, 3)", "'fortran_order'", "True", "False", "{", "}", ":", ",", "(", ")", "-1", "3L", "''", '"', "\n", " ", "#",
          "0", "6", "\\", "\0", "é", "{}", "(6,)", "()", "'|u2'", "'>u2'", "u2", "1_0", "0x6", "+3", "3.0", "None", "a"]  # fmt: skip


@given(changes=st.lists(st.tuples(st.integers(0, 80), st.integers(0, 8), st.sampled_from(PIECES)), min_size=1, max_size=3),
       version=st.sampled_from([(1, 0), (2, 0), (3, 0)]))
@settings(RUNS, max_examples=150)
def test_hostile_headers(voxcc, tmp_path, changes, version):
    """A header that voxcc reads is read by numpy, with the same values. Every other header is an error."""
    text = "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }\n"
    for at, removed, piece in changes:
        text = text[:at] + piece + text[at + removed :]
    encoded = text.encode("utf-8" if version == (3, 0) else "latin1")
    content = b"\x93NUMPY" + bytes(version) + len(encoded).to_bytes(2 if version == (1, 0) else 4, "little") + encoded + bytes(range(12))
    path = tmp_path / "in.npy"
    path.write_bytes(content)
    done = subprocess.run([voxcc.program, "info", path, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 65), done.stderr
    if done.returncode == 65:
        assert len(done.stderr.splitlines()) == 1
        return
    found = json.loads(done.stdout)
    array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    assert found["stored_type"] == array.dtype.name
    assert np.prod(found["shape"]) * found["volumes"] == array.size
    assert (found["range"]["min"], found["range"]["max"]) == (array.min(), array.max())
