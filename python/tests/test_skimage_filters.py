"""The functions of voxcc.skimage that remove components, against scikit-image."""

import warnings

import numpy as np
import pytest
import skimage.morphology
import skimage.segmentation
import voxcc.skimage
from arrays import arrays
from hypothesis import given
from hypothesis import strategies as st

TYPES = ["?", "?", "u1", "i4", "i8", "u8", "f4"]
SIZES = [0, 1, 2, 5, 64, 2.5, -1, np.float32(3), float("inf"), None, "2"]


def outcome(function, *arguments, **options):
    """The result with its type and layout, or the exception; and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            x = function(*arguments, **options)
            result = x.dtype, x.shape, x.flags.c_contiguous, x.flags.f_contiguous, x.tolist(), x is options.get("out")
        except Exception as error:
            result = type(error), str(error)
    return result, [(warning.category, str(warning.message)) for warning in caught]


def compare(name, module, x, **options):
    copies = [{key: value.copy(order="K") if isinstance(value, np.ndarray) else value for key, value in options.items()} for _ in range(2)]
    ours, theirs = (
        outcome(getattr(module, name), x.copy(order="K"), **options) for module, options in zip((voxcc.skimage, module), copies)
    )
    assert ours == theirs
    if options.get("out") is not None:
        np.testing.assert_array_equal(copies[0]["out"], copies[1]["out"])


@pytest.mark.parametrize(("name", "old"), [("remove_small_objects", "min_size"), ("remove_small_holes", "area_threshold")])
@given(arrays(types=TYPES, big_endian=False), st.data())
def test_small(name, old, x, data):
    options = {"connectivity": data.draw(st.sampled_from([1, 1, 2, 3, 5, 0, True]))}
    for size in data.draw(st.sampled_from([(), ("max_size",), ("max_size",), (old,), (old, "max_size")])):
        options[size] = data.draw(st.sampled_from(SIZES))
    out = data.draw(st.sampled_from([None, None, "?", "i4", "shape"]))
    if out is not None:
        options["out"] = np.ones((3, *x.shape), bool) if out == "shape" else np.ones(x.shape, out)
    compare(name, skimage.morphology, x, **options)


@given(arrays(types=TYPES, big_endian=False, dimensions=(1, 2, 3)), st.data())
def test_clear_border(x, data):
    options = {"buffer_size": data.draw(st.sampled_from([0, 0, 0, 1, 2, -1, 1.0])), "bgval": data.draw(st.sampled_from([0, 0, 1, 7, 300, -1, 1.5]))}
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    mask = data.draw(st.sampled_from([None, None, None, "?", "i4", "shape"]))
    if mask is not None:
        options["mask"] = np.ones((3, *x.shape), bool) if mask == "shape" else (random.random(x.shape) < 0.9).astype(mask)
    if data.draw(st.integers(0, 3)) == 0:
        options["out"] = random.integers(0, 3, x.shape).astype(x.dtype)
    compare("clear_border", skimage.segmentation, x, **options)


@pytest.mark.parametrize("x", [np.zeros((0, 3), bool), np.array(True), np.ones((2, 2, 2, 2), bool), np.eye(3, dtype=complex)])
def test_special_arrays(x):
    compare("remove_small_objects", skimage.morphology, x)
    compare("remove_small_holes", skimage.morphology, x)
    compare("clear_border", skimage.segmentation, x)


def test_in_place():
    x = np.array([[1, 1, 0, 1], [0, 0, 0, 0]], bool)
    assert voxcc.skimage.remove_small_objects(x, max_size=1, out=x) is x
    assert x.tolist() == [[True, True, False, False], [False] * 4]
    assert voxcc.skimage.remove_small_holes(x, max_size=6, out=x) is x and x.all()
    labels = np.pad(np.array([[3]]), 2)
    labels[0, 0] = 5
    assert voxcc.skimage.clear_border(labels, out=labels) is labels and labels.sum() == 3


def test_warnings_name_the_line_of_the_caller():
    with pytest.warns(FutureWarning, match="min_size") as caught:
        voxcc.skimage.remove_small_objects(np.eye(3, dtype=bool), 1)
    with pytest.warns(FutureWarning, match="area_threshold") as holes:
        voxcc.skimage.remove_small_holes(np.eye(3, dtype=bool), area_threshold=1)
    assert {warning.filename for warning in [*caught, *holes]} == {__file__}
