"""The functions of voxcc.scipy that select or count values inside labels, against scipy.ndimage."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.ndimage
import voxcc.scipy
from arrays import INTEGERS, arrays, random_array
from hypothesis import given
from hypothesis import strategies as st

NAMES = ["minimum", "maximum", "median", "minimum_position", "maximum_position", "extrema", "sum", "variance", "standard_deviation"]


def outcome(module, name, *arguments):
    """The result with its types, or the exception, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = getattr(module, name)(*arguments)
        except Exception as error:
            result = type(error), str(error)
    return result, [(warning.category, str(warning.message)) for warning in caught]


def assert_equal(ours, theirs, exact=True):
    assert type(ours) is type(theirs)
    if isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for ours_, theirs_ in zip(ours, theirs):
            assert_equal(ours_, theirs_, exact)
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        if theirs.dtype == object:
            assert_equal(ours.tolist(), theirs.tolist())
        elif exact:
            np.testing.assert_array_equal(ours, theirs)
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    else:
        np.testing.assert_equal(ours, theirs)


def compare(name, *arguments, exact=True):
    (ours, our_warnings), (theirs, their_warnings) = (outcome(module, name, *arguments) for module in (voxcc.scipy, scipy.ndimage))
    assert_equal(ours, theirs, exact)
    if exact:
        assert our_warnings == their_warnings


@pytest.mark.parametrize("name", NAMES)
@given(arrays(types=["?", *INTEGERS, "f2", "f4", "f8"], values=(1, 3, 200)), st.integers(0, 2**32))
def test_random_arrays(name, image, seed):
    random = np.random.default_rng(seed)
    if random.random() < 0.3 and image.dtype.kind == "f":
        image = np.where(random.random(image.shape) < 0.1, random.choice([np.nan, np.inf, -np.inf, -0.0]), image).astype(image.dtype)
    elif random.random() < 0.5 and image.dtype.itemsize > 2:  # all values differ
        image = random.permutation(image.size).reshape(image.shape).astype(image.dtype)
    labels = random.integers(random.choice([-1, 0, 0, 0, 2]), random.choice([4, 30]), image.shape).astype(random.choice(["i4", "i8"]))
    index = random.integers(-1, 32, random.integers(1, 9))
    compare(name, image, labels, index, exact=name in NAMES[:6])


SMALL = np.array([[1.0, 5.0], [2.0, 4.0]])
LABELS = np.array([[1, 1], [2, 0]])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "arguments",
    [
        (SMALL,), (SMALL, LABELS), (SMALL, LABELS, 2), (SMALL, LABELS, [0, 1]), (SMALL, LABELS, []), (SMALL, LABELS, [[1, 2]]),
        (SMALL, LABELS, [1.0, 2.0]), (SMALL, LABELS[0], [1]), (SMALL, LABELS.astype("u1"), [1, 300]), (SMALL, LABELS * 1000, [1000]),
        (SMALL, LABELS.astype("u8"), [2, 1]), (SMALL.astype(">f4"), LABELS, [1]), (SMALL * 1j, LABELS, [1]),
        (SMALL.tolist(), LABELS.tolist(), [1, 7]), (np.ma.masked_array(SMALL, SMALL > 4), LABELS, [1]), (SMALL, np.ones((3, 3), int), [1]),
        (np.zeros((0, 3)), np.zeros((0, 3), int), [1]), (np.full((2, 2), np.nan), LABELS, [1, 2]), (np.arange(16.0).reshape(2, 2, 2, 2),
        np.ones((2, 2, 2, 2), int), [1]), (SMALL, LABELS.astype(float), [1, 2]),
    ],
)  # fmt: skip
def test_special_arguments(name, arguments):
    compare(name, *arguments)


@given(arrays(types=[*INTEGERS, "f2", "f4", "f8"], values=(3, 200)), st.integers(0, 2**32))
def test_histogram(image, seed):
    random = np.random.default_rng(seed)
    labels = random.integers(0, 4, image.shape)
    limits = random.choice([[0, 4, 4], [-10, 10, 7], [0.5, 1.5, 1], [0, 0, 3], [0, 1e-300, 3], [0, 10, 0], [0, np.inf, 2], [5, 1, 2]])
    compare("histogram", image, limits[0], limits[1], int(limits[2]), labels, random.integers(-1, 6, 4))


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 5, 2), (0, 5, 2, LABELS), (0, 5, 2, LABELS, 1), (0, 5, 2, LABELS, []), (0, 5, 2.0, LABELS, [1]), (0, 5, 10**6, LABELS, [1, 2]),
        (0, 5, 2, LABELS.astype("u1"), [1, 300]), (0, 5, True, LABELS, [1]), (np.float32(0.1), 5, 2, LABELS, [1]),
    ],
)  # fmt: skip
def test_special_arguments_of_histogram(arguments):
    compare("histogram", SMALL, *arguments)
    compare("histogram", SMALL > 1, *arguments)


def test_labeled_comprehension():
    for arguments in [([0, 1, 7], np.sum, float, -1), (2, np.max, int, 0), (None, np.min, float, 0), ([1], len, int, 0)]:
        compare("labeled_comprehension", SMALL, LABELS, *arguments)
    compare("labeled_comprehension", SMALL, LABELS, [1, 2], lambda values, positions: positions.sum(), int, -1, True)


@pytest.mark.parametrize("name", ["sum_labels", "mean", "standard_deviation", "center_of_mass", *NAMES])
def test_many_labels(name):
    """More labels than the engine measures as fast as scipy."""
    labels = np.random.default_rng(1).integers(0, 3000, (40, 50, 20))
    image = random_array(2, labels.shape, "i4", 10**6, 1)
    compare(name, image, labels, np.arange(1, 3000, 7), exact=False)


def test_own_tests_of_scipy(run_tests_of):
    """All tests of measurements in the wheel of scipy pass with the functions of voxcc.scipy."""
    tests = Path(scipy.ndimage.__file__).parent / "tests" / "test_measurements.py"
    if not tests.is_file():
        pytest.skip("SKIPPED: the tests of scipy: this installation of scipy does not contain them")
    code = "import voxcc\ndef pytest_collection_finish():\n    voxcc.patch('scipy')\n"
    assert run_tests_of(tests, code) > 100
