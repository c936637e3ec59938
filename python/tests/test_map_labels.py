"""map_labels() beside a dictionary of Python integers, and the tables that it refuses."""

import warnings

import numpy as np
import pytest
import voxcc
from arrays import in_layout

TYPES = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64, ">i4", ">u8")


def labels_of(dtype, ndim, seed=1):
    random, info = np.random.default_rng(seed), np.iinfo(dtype)
    values = [0, 1, 2, 5, info.max, info.max - 1] + ([-1, -3, info.min] if info.min < 0 else [])
    values += [int(v) for v in random.integers(1, min(info.max, 1 << 30), 20)]
    return np.array(values, dtype)[random.integers(0, len(values), tuple(random.integers(4, 9, ndim)))]


def mapped(labels, numbers, missing):
    new = [0 if v == 0 else numbers.get(v, v if missing == "keep" else 0) for v in labels.ravel().tolist()]
    return np.array(new, np.uint64).reshape(labels.shape)


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_all_types(dtype, ndim, layout):
    labels = in_layout(labels_of(dtype, ndim), layout)
    random = np.random.default_rng(3)
    values = [v for v in np.unique(labels).tolist() if v != 0]
    for largest in (200, 70_000, 2**64 - 1):
        numbers = {v: int(random.integers(0, largest, dtype=np.uint64, endpoint=True)) for v in values}
        numbers[values[-1]] = largest
        got = voxcc.map_labels(labels, numbers)
        np.testing.assert_array_equal(got, mapped(labels, numbers, "error"))
        assert got.dtype == (np.uint32 if largest < 2**32 else np.uint64) and got.flags.f_contiguous == labels.flags.f_contiguous
        assert voxcc.map_labels(labels, numbers, dtype="min").dtype == np.min_scalar_type(largest)
        pair = (np.array(list(numbers), object), np.array(list(numbers.values()), np.uint64))
        np.testing.assert_array_equal(voxcc.map_labels(labels, pair), got)
        few = {v: n for v, n in numbers.items() if v % 2}
        np.testing.assert_array_equal(voxcc.map_labels(labels, few, missing="zero"), mapped(labels, few, "zero"))
        with pytest.raises(ValueError, match="does not have the label"):
            voxcc.map_labels(labels, {v: 1 for v in values[:-1]})
        if values[0] > 0:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                np.testing.assert_array_equal(voxcc.map_labels(labels, few, missing="keep"), mapped(labels, few, "keep"))


def test_large_arrays_are_mapped_in_blocks():
    labels = np.random.default_rng(1).integers(0, 5000, (130, 110, 101), np.uint32)
    old = np.arange(5000)
    new = np.random.default_rng(2).permutation(5000)
    new[0] = 0
    np.testing.assert_array_equal(voxcc.map_labels(labels, (old, new)), new[labels])
    np.testing.assert_array_equal(voxcc.map_labels(labels[::2, :, ::-3], (old, new)), new[labels[::2, :, ::-3]])
    assert not voxcc.map_labels(labels, {}, missing="zero").any()


def test_labels_that_become_one():
    labels = np.array([1, 2, 3, 4, 5, 6])
    with pytest.warns(UserWarning, match="the label 3 is not in the table .* of the label 1; both are one label now; the same holds for 1 further label$"):
        np.testing.assert_array_equal(voxcc.map_labels(labels, {1: 3, 2: 5, 40: 4}, missing="keep"), [3, 5, 3, 4, 5, 6])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        voxcc.map_labels(labels, {1: 7, 2: 8, 40: 3}, missing="keep")


@pytest.mark.parametrize(
    "table, options, error, message",
    [
        ({0: 5}, {}, ValueError, "label 0"),
        ({1: -1}, {}, ValueError, "at least 0"),
        ({1: 2**64}, {}, ValueError, "must be from 0"),
        ({1: 1.5}, {}, ValueError, "must be an integer"),
        ({1: True}, {}, TypeError, "boolean"),
        (([1, 1], [2, 3]), {}, ValueError, "gives the label 1 the new numbers 2 and 3"),
        (([1, 2], [2]), {}, ValueError, "2 labels, but 1 new numbers"),
        (([[1]], [[2]]), {}, ValueError, "2 axes"),
        (5, {}, TypeError, "must be a dict"),
        ({1: 2}, {"missing": "drop"}, ValueError, "'keep', 'zero', 'error'"),
        ({1: 300, -2: 1}, {"dtype": "uint8"}, ValueError, "the label 300 does not fit uint8"),
        ({1: 2}, {"missing": "keep"}, ValueError, "the label -2 is negative"),
        ({1: 2}, {}, ValueError, "does not have the label -2; add rows"),
    ],
)
def test_refused(table, options, error, message):
    with pytest.raises(error, match=message):
        voxcc.map_labels(np.array([1, -2]), table, **options)


def test_floats_are_not_labels():
    with pytest.raises(TypeError, match="labels must be integers"):
        voxcc.map_labels(np.array([1.0]), {1: 2})


def test_empty_and_equal_rows():
    assert voxcc.map_labels(np.zeros((0, 3), int), {1: 2}).shape == (0, 3)
    np.testing.assert_array_equal(voxcc.map_labels(np.array([0, 3]), ([3.0, 3, 0], [4, 4.0, 0])), [0, 4])


def test_data_arrays():
    xarray = pytest.importorskip("xarray")
    x = xarray.DataArray(np.array([[1, 2]]), dims=("y", "x"), coords={"x": [10, 20]})
    got = voxcc.map_labels(x, {1: 7, 2: 0})
    assert got.dims == x.dims and got.coords["x"].equals(x.coords["x"]) and got.values.tolist() == [[7, 0]]
