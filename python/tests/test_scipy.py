"""voxcc.scipy against scipy.ndimage."""

import warnings

import numpy as np
import pytest
import scipy.ndimage
import voxcc.scipy
from arrays import INTEGERS, arrays, in_layout, random_array
from hypothesis import given
from hypothesis import strategies as st


def outcome(function, *arguments, **options):
    """The result of a call with its types, or the type and text of its exception."""
    try:
        result = function(*arguments, **options)
    except Exception as error:
        return type(error), str(error)
    if not isinstance(result, tuple):
        return type(result), result
    labels, count = result
    return labels.dtype, labels.shape, labels.flags.c_contiguous, labels.tolist(), type(count), count


@given(arrays(types=["?", *INTEGERS, "f4", "f8"]), st.data())
def test_label(x, data):
    structure = data.draw(st.sampled_from([None, *(scipy.ndimage.generate_binary_structure(x.ndim, r) for r in range(1, x.ndim + 1))]))
    output = data.draw(st.sampled_from([None, np.int64, np.uint16, np.float32]))
    assert outcome(voxcc.scipy.label, x, structure, output) == outcome(scipy.ndimage.label, x, structure, output)


SQUARE = np.zeros((3, 3, 3), int)
SQUARE[1] = 1
CROSS = np.zeros((3, 3, 3), int)
CROSS[1] = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
SKEW = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]


@pytest.mark.parametrize("structure", [SQUARE, CROSS, SQUARE.T, np.zeros((3, 3, 3)), np.moveaxis(CROSS, 0, 1), np.diag([0, 1, 0])[None] * SQUARE])
def test_other_structures(structure):
    x = random_array(5, (6, 7, 8), "u1", 1, 0.6)
    assert outcome(voxcc.scipy.label, x, structure) == outcome(scipy.ndimage.label, x, structure)


def test_output_arrays():
    x = random_array(6, (6, 7, 8), "u1", 1, 0.3)
    for dtype in ["u1", "i2", "u4", "i8", "f4", "f8", ">i4", "f2", "c8", "?"]:
        for layout in ["C", "F", "crop", "step", "negative", "transposed"]:
            ours, theirs = (in_layout(np.zeros(x.shape, dtype), layout) for _ in range(2))
            with np.errstate(all="ignore"):
                assert outcome(voxcc.scipy.label, x, output=ours)[0] == outcome(scipy.ndimage.label, x, output=theirs)[0], (dtype, layout)
            assert ours.tolist() == theirs.tolist(), (dtype, layout)
    same = x.copy()
    assert voxcc.scipy.label(same, output=same) == scipy.ndimage.label(x)[1]
    assert same.tolist() == scipy.ndimage.label(x)[0].tolist()


@pytest.mark.parametrize(
    ("x", "options"),
    [
        ([[1, 0], [0, 1]], {}), (np.array(5), {}), (np.array(0), {}), (np.zeros((0, 3)), {}), (np.zeros((2, 3), complex), {}),
        (np.array([np.nan, 0, -0.0, 2]), {}), (np.ones((2, 2), np.float16), {}), (np.ones((2, 2), ">i4"), {}), (np.ones((2, 2), "S1"), {}),
        (np.eye(600), {"output": np.int8, "structure": np.eye(3)}), (np.eye(600), {"output": np.uint8}),
        (np.eye(3), {"output": np.zeros((3, 2), int)}), (np.eye(3), {"structure": np.ones((3, 3, 3))}),
        (np.eye(3), {"structure": np.ones((3, 2))}), (np.eye(3), {"structure": np.triu(np.ones((3, 3)))}), (np.eye(9), {"structure": SKEW}),
        (np.ones((2, 2, 2, 2)), {}), (np.eye(4), {"output": ">i4"}), (np.eye(4), {"output": complex}),
    ],
)  # fmt: skip
def test_special_arguments(x, options):
    assert outcome(voxcc.scipy.label, x, **options) == outcome(scipy.ndimage.label, x, **options)


@given(arrays(types=INTEGERS, values=(1, 4), big_endian=False), st.integers(0, 6))
def test_find_objects(labels, largest):
    assert voxcc.scipy.find_objects(labels, largest) == scipy.ndimage.find_objects(labels.astype(np.int64), largest)


MEASURES = ["sum_labels", "mean", "standard_deviation", "minimum", "maximum", "center_of_mass"]


@pytest.mark.parametrize("name", MEASURES)
@given(arrays(types=[*INTEGERS, "f4", "f8"], values=(1, 9), big_endian=False), st.integers(0, 2**32))
def test_measures(name, image, seed):
    labels = np.random.default_rng(seed).integers(-1, 4, image.shape)
    index = [3, 1, -1, 7]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = getattr(voxcc.scipy, name)(image, labels, index)
        theirs = getattr(scipy.ndimage, name)(image, labels, index)
    assert type(ours) is type(theirs) and np.asarray(ours).dtype == np.asarray(theirs).dtype
    finite = np.isfinite(theirs) & (np.abs(np.nan_to_num(np.asarray(theirs, float))) < 1e9)  # sums near 0 make other quotients
    np.testing.assert_allclose(np.asarray(ours)[finite], np.asarray(theirs)[finite], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("arguments", [(), ([[1, 1], [2, 2]],), ([[1, 1], [2, 2]], 2), ([[1, 1], [2, 0]], [0, 1])])
def test_measures_of_scipy_itself(name, arguments):
    image = np.array([[1.0, 5.0], [2.0, 4.0]])
    ours, theirs = (getattr(module, name)(image, *arguments) for module in (voxcc.scipy, scipy.ndimage))
    assert np.asarray(ours).tolist() == np.asarray(theirs).tolist()
