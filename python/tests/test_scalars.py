"""Arguments as NumPy scalars, as arrays without axes, and as floats that are integers. Objects that change during a call."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.ndimage
import skimage.measure
import voxcc
import voxcc.blocks
import voxcc.cc3d
import voxcc.dask
import voxcc.monai
import voxcc.skimage

X = np.random.default_rng(5).integers(0, 4, (7, 8, 9)).astype(np.uint8)
INTEGERS = (np.uint8, np.int64, np.float64, np.float32, np.longdouble, np.array, float, Fraction, Decimal, lambda n: np.array(n, "f8"))


@pytest.mark.parametrize("make", (*INTEGERS, bool), ids=str)
def test_background(make):
    expected, _ = skimage.measure.label(X, background=1, return_num=True)
    np.testing.assert_array_equal(voxcc.label(X, background=make(1), values=True).labels, expected)
    assert voxcc.label(X, background=make(0)).count == voxcc.label(X).count


@pytest.mark.parametrize("dtype", ("?", "u1", "i8", "f2", "f4", "f8", ">i4"))
def test_background_of_the_array(dtype):
    x = X.astype(dtype)
    for value in (x.min(), x.max(), x[0, 0, 0]):
        assert voxcc.label(x, background=value).count == scipy.ndimage.label(x != value, np.ones((3, 3, 3)))[1]


@pytest.mark.parametrize("make", INTEGERS, ids=str)
def test_integers(make):
    """Each argument that is a number, with another type of the same value."""
    image = X.astype("f4")
    calls = {
        "label": lambda n: voxcc.label(X, n(6), delta=n(1), threshold=n(1), min_size=n(3), max_size=n(99), keep_largest=n(4), threads=n(2),
                                       spacing=n(2), table=True).table["volume"],
        "per_slice": lambda n: voxcc.label(X, n(4), per_slice=n(1), periodic=[n(0)]).labels,
        "periodic": lambda n: voxcc.label(X, n(2), periodic=n(2), threshold=(n(1), n(2)), spacing=(n(1), n(2), n(3)), table=True).labels,
        "keep_largest": lambda n: voxcc.keep_largest(X, n(3), n(18), threads=n(1)),
        "remove_small": lambda n: voxcc.remove_small(X, n(9), n(6)),
        "measure": lambda n: voxcc.measure(X, image, n(2), n(1))["volume"],
        "contacts": lambda n: voxcc.contacts(X, n(6), spacing=n(3))["area"],
        "cc3d": lambda n: voxcc.cc3d.dust(X, n(5), n(6)) + voxcc.cc3d.largest_k(X, n(3), n(26)),
        "cc3d stack": lambda n: voxcc.cc3d.connected_components_stack([X], n(6)),
        "monai": lambda n: voxcc.monai.get_largest_connected_component_mask(X, n(2), n(3)),
        "blocks": lambda n: np.array(
            voxcc.blocks.number(
                voxcc.blocks.join([voxcc.blocks.summarise(X, [n(0)] * 3, [n(7), n(8), n(9)], n(6), measure="sizes", threads=n(1))], n(0)),
                min_size=n(2), keep_largest=n(4),
            ).count
        ),
    }  # fmt: skip
    for name, call in calls.items():
        np.testing.assert_array_equal(call(make), call(int), err_msg=name)


@pytest.mark.parametrize("value", (2.5, np.float32(0.5), float("nan"), np.nan, np.inf, Decimal("0.1"), Fraction(7, 2), np.array(1.5)), ids=str)
def test_numbers_that_are_not_integers(value):
    calls = (
        lambda: voxcc.label(X, value), lambda: voxcc.label(X, min_size=value), lambda: voxcc.label(X, max_size=value),
        lambda: voxcc.keep_largest(X, value), lambda: voxcc.label(X, threads=value), lambda: voxcc.label(X, periodic=value),
        lambda: voxcc.label(X, per_slice=value), lambda: voxcc.set_threads(value), lambda: voxcc.label(X, device=value),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(ValueError, match="it must be an integer$"):
            call()


def test_flags():
    for true, false in ((np.True_, np.False_), (1, 0), (np.array(True), np.array(False))):
        assert voxcc.label(X, values=true).count == voxcc.label(X, values=True).count
        assert voxcc.label(X, values=false, clear_border=true, table=false).table is None
    for wrong in ("no", None, 2, [True], np.array([True, False])):
        for call in (lambda: voxcc.label(X, values=wrong), lambda: voxcc.label(X, table=wrong), lambda: voxcc.remove_small(X, 2, values=wrong),
                     lambda: voxcc.label(X, clear_border=wrong), lambda: voxcc.measure(X, background=wrong)):  # fmt: skip
            with pytest.raises(TypeError, match="it must be True or False$"):
                call()


def test_large_shapes():
    """No message speaks of a file."""
    huge = np.broadcast_to(np.uint8(0), (2**62,))
    for call in (voxcc.label, voxcc.measure, voxcc.contacts, voxcc.keep_largest):
        with pytest.raises(ValueError, match="an array must have less than 2\\^60 voxels"):
            call(huge)
    for call in (voxcc.scipy.label, voxcc.skimage.label, voxcc.cc3d.connected_components):
        with pytest.raises(ValueError, match="array is too big|less than 2\\^60 voxels"):
            call(huge)


def changes():
    """Functions that change an array of 1,000 elements without its consent."""
    return {
        "shape": lambda a: setattr(a, "shape", (1000,)),
        "resize": lambda a: a.resize((1,), refcheck=False),
        "larger": lambda a: a.resize((200, 10, 10), refcheck=False),
    }


@pytest.mark.filterwarnings("ignore:Setting the shape")
@pytest.mark.parametrize("change", changes())
@pytest.mark.parametrize("which", ("x", "out"))
@pytest.mark.parametrize("dtype", ("?", "u1", "f4"))
def test_filter_whose_callback_changes_an_array(change, which, dtype):
    arrays = {"x": np.ones((10, 10, 10), dtype), "out": np.zeros((10, 10, 10), dtype)}

    def keep(table):
        changes()[change](arrays[which])
        return np.ones(len(table["voxels"]), bool)

    with pytest.raises(ValueError, match="keep has changed the shape, the type or the memory"):
        voxcc.filter(arrays["x"], keep, out=arrays["out"])


def test_filter_whose_callback_changes_elements():
    x = np.ones((4, 4), np.uint8)

    def keep(table):
        x[0, 0] = 7
        return table["voxels"] > 0

    assert voxcc.filter(x, keep).tolist() == x.tolist()


@pytest.mark.filterwarnings("ignore:Setting the shape")
def test_objects_that_change_another_array():
    """A mask whose __array__() assigns the shape of x and of out."""
    x, out = np.ones((50, 50), np.uint8), np.zeros((50, 50), np.uint32)

    class Mask:
        def __array__(self, dtype=None, copy=None):
            x.shape = (2500,)
            return np.ones((50, 50), bool)

    assert voxcc.label(x, mask=Mask(), out=out).count == 1
    assert out.shape == (50, 50) and out.all()


def test_images_of_a_stack_in_the_same_memory():
    """An iterable may return the same array several times, with other elements."""
    images = np.random.default_rng(6).integers(0, 3, (4, 5, 6, 2)).astype(np.uint8)

    def reused():
        buffer = np.empty(images[0].shape, np.uint8)
        for image in images:
            buffer[...] = image
            yield buffer

    expected = voxcc.cc3d.connected_components_stack(list(images), return_N=True)
    labels, count = voxcc.cc3d.connected_components_stack(reused(), return_N=True)
    assert count == expected[1]
    np.testing.assert_array_equal(labels, expected[0])
