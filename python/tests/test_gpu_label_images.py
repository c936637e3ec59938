"""match() and map_labels() with arrays on a real CUDA device, beside the same functions for arrays in host memory and counts of NumPy. Skipped
without a device."""

import warnings

import numpy as np
import pytest
import voxcc
from arrays import INTEGERS, equal_tables
from real_gpu import CuPyArrays, arrays, needs_gpu

pytestmark = needs_gpu


def random_labels(random, shape, dtype):
    """Boxes and noise with few or many labels, from any part of the type."""
    info = np.iinfo(dtype)
    lowest = [1, max(info.min, -9), info.max - 400 if info.max > 500 else 1, info.min][random.integers(4)]
    values = random.integers(lowest, min(info.max, lowest + int(random.choice([5, 300]))), 60, dtype, endpoint=True)
    labels = np.zeros(shape, dtype)
    for value in values:
        start = [int(random.integers(0, max(n, 1))) for n in shape]
        labels[tuple(slice(s, s + int(random.integers(1, 12))) for s in start)] = value
    noise = random.random(shape) < random.choice([0, 0.02, 0.5])
    return np.where(noise, values[random.integers(0, len(values), shape)], labels)


def random_shape(random):
    ndim = int(random.integers(1, 4))
    most = (3000, 70, 30)[ndim - 1]
    return tuple(0 if random.random() < 0.02 else int(random.integers(1, most + 1)) for _ in range(ndim))


def view_of(random, arrays, x):
    """The array on the device, in one of several layouts."""
    kind = random.choice(["C", "F", "step", "turned"])
    if kind == "F":
        return arrays.put(np.asfortranarray(x))
    if kind == "step":
        return arrays.put(np.repeat(x, 2, axis=-1))[..., ::2]
    if kind == "turned" and x.ndim > 1:
        axes = (*range(1, x.ndim), 0)
        y = arrays.put(x.transpose(axes))
        back = tuple(int(axis) for axis in np.argsort(axes))
        return y.permute(*back) if hasattr(y, "permute") else y.transpose(back)
    return arrays.put(x)


def equal_matches(got, want):
    np.testing.assert_equal(got.metrics, want.metrics)
    for name in ("pairs", "objects_a", "objects_b"):
        equal_tables(getattr(got, name), getattr(want, name))


def check_match(random, arrays):
    shape = random_shape(random)
    a, b = (random_labels(random, shape, random.choice(INTEGERS)) for _ in range(2))
    if random.random() < 0.3:
        b = a.copy()
    options = [{"at": 0.01}, {"by": "distance", "at": 4.0, "spacing": 1.25}, {"assign": "greedy", "by": "dice", "at": 0.05},
               {"assign": "many", "by": "fraction", "at": 0.1, "least_change": 0.2}][random.integers(4)]  # fmt: skip
    got = voxcc.match(view_of(random, arrays, a), view_of(random, arrays, b), **options)
    equal_matches(got, voxcc.match(a, b, threads=int(random.integers(1, 4)), **options))
    both = (a != 0) & (b != 0)
    pairs, counts = np.unique(np.rec.fromarrays([a[both], b[both]]), return_counts=True)
    for name, column in (("a", pairs.f0), ("b", pairs.f1), ("voxels", counts)):
        np.testing.assert_array_equal(got.pairs[name], column)
    for x, table in ((a, got.objects_a), (b, got.objects_b)):
        labels, voxels = np.unique(x[x != 0], return_counts=True)
        np.testing.assert_array_equal(table["label"], labels)
        np.testing.assert_array_equal(table["voxels"], voxels)


def outcome(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except (TypeError, ValueError) as error:
            return type(error), str(error)
    return result, [str(warning.message) for warning in caught]


def check_map_labels(random, arrays):
    labels = random_labels(random, random_shape(random), random.choice(INTEGERS))
    present = [value for value in np.unique(labels).tolist() if value != 0]
    known = [value for value in present if random.random() < random.choice([0.5, 1])]
    largest = [100, 60_000, 2**31 - 1, 2**32 - 1, 2**63 - 1][random.integers(5)]
    table = {value: int(random.integers(0, largest, endpoint=True)) for value in known}
    if random.random() < 0.2:
        table[int(random.integers(1, 2**40))] = 5
    missing = str(random.choice(["error", "keep", "zero"]))
    dtype = [None, "min", "uint8", "int16", "uint32", "int64", "uint64"][random.integers(7)]
    want, messages = outcome(lambda: voxcc.map_labels(labels, table, missing=missing, dtype=dtype))
    got, got_messages = outcome(lambda: voxcc.map_labels(view_of(random, arrays, labels), table, missing=missing, dtype=dtype))
    assert got_messages == messages
    if isinstance(want, type):
        assert got is want
        return
    got = arrays.get(got)
    np.testing.assert_array_equal(got, want)
    if dtype is not None or isinstance(arrays, CuPyArrays):
        assert got.dtype == want.dtype
    else:
        assert got.dtype == (np.int32 if want.max(initial=0) < 2**31 else np.int64 if want.max() < 2**63 else np.uint64)
    expected = [0 if v == 0 else table.get(v, v if missing == "keep" else 0) for v in labels.ravel().tolist()]
    np.testing.assert_array_equal(got.ravel(), np.array(expected, got.dtype))


@pytest.mark.parametrize("seed", range(5))
def test_match(arrays, seed):
    random = np.random.default_rng(seed)
    for _ in range(40):
        check_match(random, arrays)


@pytest.mark.parametrize("seed", range(5))
def test_map_labels(arrays, seed):
    random = np.random.default_rng(100 + seed)
    for _ in range(40):
        check_map_labels(random, arrays)


def test_many_labels_and_pairs(arrays):
    """More labels and pairs than the first tables of the device hold."""
    random = np.random.default_rng(1)
    a, b = (random.integers(0, 900, (60, 70, 80)).astype("u2") for _ in range(2))
    equal_matches(voxcc.match(arrays.put(a), arrays.put(b), at=0.001), voxcc.match(a, b, at=0.001))
    labels = random.integers(0, 2**63, (60, 70, 80)).astype("i8")
    for options in ({"missing": "keep"}, {"missing": "zero"}):
        np.testing.assert_array_equal(arrays.get(voxcc.map_labels(arrays.put(labels), {1: 2}, **options)), voxcc.map_labels(labels, {1: 2}, **options))
    old = np.unique(labels[labels != 0])
    table = (old, random.permutation(len(old)))
    np.testing.assert_array_equal(arrays.get(voxcc.map_labels(arrays.put(labels), table)), voxcc.map_labels(labels, table))


def test_addresses_that_are_not_aligned(arrays):
    for dtype in ("u1", "u2", "i4"):
        labels = np.random.default_rng(2).integers(0, 100, 5003).astype(dtype)
        table = (np.arange(1, 100), np.arange(1, 100)[::-1] * 3)
        on_device = arrays.put(labels)
        for first in (0, 1, 3):
            np.testing.assert_array_equal(arrays.get(voxcc.map_labels(on_device[first:], table)), voxcc.map_labels(labels[first:], table))
            equal_matches(voxcc.match(on_device[first:], on_device[: len(labels) - first]), voxcc.match(labels[first:], labels[: len(labels) - first]))


def test_streams(arrays):
    """Work follows the work of the streams of both arrays."""
    x = np.zeros((64, 64, 64), np.int32)
    x[3:20], x[30:] = 5, 9
    stream, other = arrays.stream(), arrays.stream()
    with arrays.using(stream):
        arrays.keep_busy()
        a = arrays.put(x)
        arrays.wait()
        arrays.keep_busy()
        a[:] = arrays.put(x * 2)
        b = arrays.put(x)
        equal_matches(voxcc.match(a, b), voxcc.match(x * 2, x))
        mapped = voxcc.map_labels(a, {10: 1, 18: 2})
    with arrays.using(other):
        arrays.wait()
        np.testing.assert_array_equal(arrays.get(mapped), voxcc.map_labels(x * 2, {10: 1, 18: 2}))


def test_mixed_memory(arrays):
    x = np.ones((3, 4), np.int32)
    with pytest.raises(TypeError, match="a is on a CUDA device, but b is in host memory"):
        voxcc.match(arrays.put(x), x)
    with pytest.raises(TypeError, match="labels must be integers"):
        voxcc.map_labels(arrays.put(x.astype("f4")), {1: 2})
