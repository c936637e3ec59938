"""tfce() against labellings of all thresholds."""

import numpy as np
import pytest
import scipy.ndimage
import voxcc

DTYPES = ("bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", ">f4", ">i2")


def one_side(values, connectivity, e, h, step):
    """The enhanced values above 0: one labelling per distinct value, or per step."""
    reach = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}[connectivity]
    structure = scipy.ndimage.generate_binary_structure(values.ndim, min(reach, values.ndim))
    values = np.where(np.isnan(values), 0, values)
    if step is None:
        heights = np.unique(values[values > 0])
        weights = np.diff(np.concatenate([[0], heights ** (h + 1)])) / (h + 1)
    else:
        heights = np.arange(1, values.max() // step + 2) * step
        heights = heights[heights <= values.max()]
        weights = heights**h * step
    enhanced = np.zeros(values.shape)
    for height, weight in zip(heights, weights):
        labels, count = scipy.ndimage.label(values >= height, structure)
        enhanced += np.where(labels > 0, np.bincount(labels.ravel(), minlength=count + 1)[labels] ** e * weight, 0)
    return enhanced


def model(values, connectivity, e, h, step, two_sided):
    values = values.astype("f8")
    return one_side(values, connectivity, e, h, step) - (one_side(-values, connectivity, e, h, step) if two_sided else 0)


def drawn(rng, shape, dtype, few):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.6
    if dtype.kind == "f":
        values = rng.standard_normal(shape)
        values = (np.round(values) if few else values).astype(dtype)
        values[rng.random(shape) < 0.1] = np.nan
        values[rng.random(shape) < 0.1] = -0.0
        return values
    return rng.integers(0 if dtype.kind == "u" else -3, 4 if few else 100, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_arrays_equal_all_thresholds(dtype):
    rng = np.random.default_rng(DTYPES.index(dtype))
    for number in range(24):
        ndim = number % 3 + 1
        x = drawn(rng, tuple(rng.integers(1, (60, 14, 8)[ndim - 1], ndim)), dtype, number % 2)
        connectivity = int(rng.choice({1: [26], 2: [4, 8], 3: [6, 18, 26]}[ndim]))
        e, h = [(0.5, 2), (1, 0), (0.7, 1.3), (0, 1), (2, 3)][number % 5]
        step = [None, None, 0.25, 0.7][number % 4]
        two_sided = bool(number % 7)
        enhanced = voxcc.tfce(x, e=e, h=h, step=step, connectivity=connectivity, two_sided=two_sided)
        expected = model(x, connectivity, e, h, step, two_sided)
        small = np.dtype(dtype).itemsize <= (4 if np.dtype(dtype).kind == "f" else 2)
        assert enhanced.dtype == (np.float32 if small else np.float64) and enhanced.shape == x.shape
        np.testing.assert_allclose(enhanced, expected, rtol=1e-6 if small else 1e-10, atol=1e-6 * max(1, np.abs(expected).max()) if small else 1e-9)


def test_batches_equal_single_maps_for_any_number_of_threads():
    maps = np.random.default_rng(1).standard_normal((7, 9, 8, 7)).astype("f4")
    single = np.stack([voxcc.tfce(one, connectivity=6) for one in maps])
    for threads in (1, 2, 5, None):
        assert np.array_equal(voxcc.tfce(maps, connectivity=6, batch=True, threads=threads), single)
    assert np.array_equal(voxcc.tfce(maps[:, :, :, ::-1], connectivity=6, batch=True), single[:, :, :, ::-1])
    flat = maps.reshape(7, -1)
    assert np.array_equal(voxcc.tfce(flat, batch=True), np.stack([voxcc.tfce(one) for one in flat]))


def test_layouts_give_the_same_values():
    x = np.random.default_rng(2).standard_normal((6, 7, 8))
    expected = voxcc.tfce(x)
    assert np.array_equal(voxcc.tfce(np.asfortranarray(x)), expected)
    assert np.array_equal(voxcc.tfce(np.repeat(x, 2, axis=1)[:, ::2]), expected)


def test_constant_empty_and_single_voxels():
    assert voxcc.tfce(np.full((3, 3, 3), 2.0), e=1, h=1)[0, 0, 0] == 27 * 2
    assert voxcc.tfce(np.zeros((4, 4))).sum() == 0
    assert voxcc.tfce(np.full(5, np.nan)).sum() == 0
    assert voxcc.tfce(np.array([3.0]), e=0, h=1) == [4.5]
    assert voxcc.tfce(np.zeros((0, 3))).shape == (0, 3)
    assert voxcc.tfce(np.zeros((0, 3, 3)), batch=True).shape == (0, 3, 3)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_steps_that_differ_from_values_by_rounding(dtype):
    x = np.array([0.3, 0.1, 0.0], dtype)
    assert voxcc.tfce(x, e=1, h=0, step=0.1).tolist() == pytest.approx([0.4, 0.2, 0])  # 3 * 0.1 is above 0.3
    for number in range(50):
        x = np.random.default_rng(number).standard_normal(4).astype(dtype)
        top = voxcc.tfce(np.abs(x), e=0, h=0, step=float(np.abs(x).max()) / 100).max()
        assert top == pytest.approx(float(np.abs(x).max()), rel=1e-6)  # 100 steps
    x = np.array([0.3, 0.1, 0.0], dtype)
    assert voxcc.tfce(x, e=1, h=0, step=0.5).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ({"e": -1}, ValueError, "e=-1 must be"),
        ({"h": "2"}, ValueError, "h='2' must be"),
        ({"step": 0}, ValueError, "step is 0"),
        ({"step": 1e-12}, ValueError, "16,777,216 steps"),
        ({"connectivity": 5}, ValueError, "connectivity is 5"),
        ({"threads": 0}, ValueError, "threads"),
        ({"x": np.zeros((2, 2, 2, 2))}, voxcc.DimensionError, "1, 2 or 3"),
        ({"x": np.zeros(2), "batch": True}, voxcc.DimensionError, "2, 3 or 4"),
        ({"x": np.array([1.0, np.inf])}, ValueError, "infinite"),
        ({"x": np.zeros(3, complex)}, TypeError, "complex128"),
    ],
)
def test_wrong_arguments(arguments, error, text):
    arguments = {"x": np.array([1.0, 2.0]), **arguments}
    with pytest.raises(error, match=text):
        voxcc.tfce(arguments.pop("x"), **arguments)
