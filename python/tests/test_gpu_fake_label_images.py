"""match() and map_labels() with fake arrays and a fake CUDA device."""

import warnings

import numpy as np
import pytest
import voxcc
from arrays import equal_tables, random_array
from fake_gpu import CudaArray, DlpackArray, Ndarray, cupy, device


def images(dtypes, layouts="CC"):
    a, b = (random_array(seed, (6, 7, 8), dtype, 9, 0.6) for seed, dtype in enumerate(dtypes))
    return tuple(np.asarray(x, order=layout) for x, layout in zip((a, b), layouts))


def equal_matches(got, want):
    assert list(got.metrics) == list(want.metrics)
    np.testing.assert_equal(got.metrics, want.metrics)
    for name in ("pairs", "objects_a", "objects_b"):
        equal_tables(getattr(got, name), getattr(want, name))


def test_match(cupy, device):
    for dtypes in (("u1", "i8"), ("i2", "u4"), ("u8", "?"), ("?", "i1")):
        for layouts in ("CC", "CF", "FC", "FF"):
            a, b = images(dtypes, layouts)
            for options in ({"at": 0.05}, {"by": "distance", "at": 2.5, "spacing": (1, 2, 0.5)}, {"assign": "greedy", "least_change": 0.2, "at": 0.1}):
                equal_matches(voxcc.match(Ndarray(a), Ndarray(b), **options), voxcc.match(a, b, **options))
            assert device.matched[-1] == (a.ctypes.data, 0, 7, layouts[0])
    a, b = images(("i4", "u2"))
    for given in ((CudaArray(a), CudaArray(b)), (DlpackArray(a), Ndarray(b)), (Ndarray(a), CudaArray(b))):
        equal_matches(voxcc.match(*given, at=0.1), voxcc.match(a, b, at=0.1))
    gaps = np.repeat(a, 2, axis=1)[:, ::2]
    equal_matches(voxcc.match(Ndarray(gaps), Ndarray(b), at=0.1), voxcc.match(a, b, at=0.1))
    for shape in ((0,), (3, 0), (2, 0, 4)):
        equal_matches(voxcc.match(Ndarray(np.zeros(shape, "?")), Ndarray(np.zeros(shape, "i4"))), voxcc.match(np.zeros(shape, "?"), np.zeros(shape, "i4")))


def test_match_refuses(cupy, device):
    a, b = images(("i4", "u2"))
    for given, error, message in [
        ((Ndarray(a), b), TypeError, "a is on a CUDA device, but b is in host memory"),
        ((a, CudaArray(b)), TypeError, "b is on a CUDA device, but a is in host memory"),
        ((Ndarray(a), Ndarray(b, device=1)), ValueError, "b is on the device cuda:1, not on cuda:0"),
        ((Ndarray(a), Ndarray(b[1:])), ValueError, "b has the shape"),
        ((Ndarray(a.astype("f4")), Ndarray(b)), TypeError, "a has the type <f4; labels must be integers"),
        ((Ndarray(a), Ndarray(b.astype("f2"))), TypeError, "b has the type <f2; labels must be integers"),
        ((Ndarray(a.reshape(2, 3, 7, 8)), Ndarray(b.reshape(2, 3, 7, 8))), ValueError, "4 dimensions"),
    ]:
        with pytest.raises(error, match=message):
            voxcc.match(*given)
    with pytest.raises(ValueError, match="threads"):
        voxcc.match(Ndarray(a), Ndarray(b), threads=2)
    with pytest.raises(ValueError, match="at=2 must be"):
        voxcc.match(Ndarray(a), Ndarray(b), at=2)
    assert device.matched == []


def test_streams_of_match(device):
    """The stream of a waits for the stream of b, and runs the work."""
    a, b = images(("i4", "u2"))
    voxcc.match(CudaArray(a, stream=9), CudaArray(b, stream=9))
    assert device.stream_waits == []
    voxcc.match(CudaArray(a, stream=9), CudaArray(b, stream=8))
    assert device.stream_waits == [(0, 8, 9)] and device.matched[-1][2] == 9


def test_map_labels(cupy, device):
    for dtype in ("u1", "i1", "u2", "i4", "u8", "?"):
        for layout in ("C", "F"):
            labels = np.asarray(random_array(4, (5, 6, 7), dtype, 9, 0.7), order=layout)
            values = [int(value) for value in np.unique(labels) if value]
            table = {value: (place * 37) % 400 for place, value in enumerate(values)}
            for options in ({}, {"dtype": "min"}, {"dtype": "i8"}, {"missing": "zero", "dtype": "u2"}):
                got, want = voxcc.map_labels(Ndarray(labels), table, **options), voxcc.map_labels(labels, table, **options)
                assert isinstance(got, Ndarray) and got.dtype == want.dtype and got.flags.f_contiguous == want.flags.f_contiguous
                np.testing.assert_array_equal(got.array, want)
            few = (values[::2], np.arange(len(values[::2])))
            np.testing.assert_array_equal(voxcc.map_labels(Ndarray(labels), few, missing="zero").array, voxcc.map_labels(labels, few, missing="zero"))
    for shape in ((0,), (3, 0), (2, 0, 4)):
        got = voxcc.map_labels(Ndarray(np.zeros(shape, "i4")), {1: 2}, dtype="min")
        assert got.shape == shape and got.dtype == np.uint8


def test_map_labels_takes_two_passes_only_for_another_type(cupy, device):
    labels = np.array([1, 2, 0, 2**40], "u8")
    assert voxcc.map_labels(Ndarray(labels), {1: 300, 2: 5}, missing="zero", dtype="min").dtype == np.uint16
    assert len(device.mapped) == 1
    assert voxcc.map_labels(Ndarray(labels), {7: 300, 2: 5}, missing="zero", dtype="min").dtype == np.uint8
    assert len(device.mapped) == 3
    kept = voxcc.map_labels(Ndarray(labels), {1: 7}, missing="keep")
    assert kept.dtype == np.uint64 and kept.array.tolist() == [7, 2, 0, 2**40] and len(device.mapped) == 5
    assert voxcc.map_labels(Ndarray(labels), {1: 7, 9: 2**33}, missing="zero").dtype == np.uint32 and len(device.mapped) == 7


def test_map_labels_refuses_as_on_the_host(cupy, device):
    labels = np.array([1, -2, 0, 5], "i4")
    for table, options in [
        ({0: 5}, {}), ({1: -1}, {}), ({1: 1.5}, {}), (([1, 1], [2, 3]), {}), (5, {}), ({1: 2}, {"missing": "drop"}),
        ({1: 300, -2: 1, 5: 1}, {"dtype": "uint8"}), ({1: 2}, {"missing": "keep"}), ({1: 2}, {}), ({1: 2, -2: 1, 5: 1}, {"dtype": "f4"}),
    ]:
        with pytest.raises((TypeError, ValueError)) as want:
            voxcc.map_labels(labels, table, **options)
        with pytest.raises(want.type) as got:
            voxcc.map_labels(Ndarray(labels), table, **options)
        assert str(got.value).replace("<f4", "f4") == str(want.value).replace("float32", "f4")
    with pytest.raises(TypeError, match="labels must be integers"):
        voxcc.map_labels(Ndarray(labels.astype("f4")), {1: 2})
    with pytest.raises(TypeError, match="neither CuPy nor PyTorch"):
        voxcc.map_labels(CudaArray(labels), {1: 2})
    positive = np.array([1, 2, 3, 4], "u2")
    with pytest.warns(UserWarning) as want:
        voxcc.map_labels(positive, {1: 3, 2: 4}, missing="keep")
    with pytest.warns(UserWarning) as got:
        voxcc.map_labels(Ndarray(positive), {1: 3, 2: 4}, missing="keep")
    assert [str(warning.message) for warning in got] == [str(warning.message) for warning in want]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        voxcc.map_labels(Ndarray(positive), {1: 7, 2: 8, 40: 3}, missing="keep")
