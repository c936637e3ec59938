"""voxcc.fill_holes() against scipy, a search hole by hole and the program, and voxcc.fill_voids against the package fill_voids."""

import os
import subprocess

import numpy as np
import pytest
import scipy.ndimage
import voxcc
import voxcc.fill_voids
from arrays import INTEGERS, LAYOUTS, TYPES, arrays, in_layout, structure_of
from hypothesis import given
from hypothesis import strategies as st

DUAL = {4: 8, 8: 4, 6: 26, 18: 6, 26: 6}


def foreground_of(x):
    return (x != 0) & (x == x)


def holes_of(x, connectivity):
    """The labels of the background, and the labels of the holes. Axes of length 1 have no faces."""
    pieces, count = scipy.ndimage.label(~foreground_of(x), structure_of(DUAL[connectivity], x.ndim))
    at_border = set()
    for axis in range(x.ndim):
        if x.shape[axis] > 1:
            at_border |= {*np.unique(pieces.take([0, -1], axis)).tolist()}
    return pieces, [k for k in range(1, count + 1) if k not in at_border and x.size > 1]


def expected(x, connectivity, values=False, max_size=np.inf):
    """Fills hole by hole with the values of the voxels that share a face with the hole."""
    pieces, holes = holes_of(x, connectivity)
    result = x.astype(x.dtype.newbyteorder("="))
    for hole in holes:
        inside = pieces == hole
        around = scipy.ndimage.binary_dilation(inside, structure_of(6 if x.ndim != 2 else 4, x.ndim)) & ~inside
        found = np.unique(x[around])
        if inside.sum() <= max_size and (len(found) == 1 or not values):
            result[inside] = found.max()
    return result


CONNECTIVITIES = {1: [None, 1], 2: [None, 4, 8], 3: [None, 6, 18, 26]}


@given(arrays(types=TYPES), st.sampled_from([0, 1, 2, 3]), st.booleans(), st.sampled_from([None, 0, 1, 3]))
def test_against_a_search(x, choice, values, max_size):
    choices = CONNECTIVITIES[x.ndim]
    connectivity = choices[choice % len(choices)]
    neighbours = {None: 8 if x.ndim == 2 else 26, 1: 26}.get(connectivity, connectivity)
    want = expected(x, neighbours, values, np.inf if max_size is None else max_size)
    before = x.copy()
    got, count = voxcc.fill_holes(x, connectivity, values=values, max_size=max_size, return_fill_count=True)
    assert got.dtype == x.dtype and got.shape == x.shape
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(x, before)
    assert type(count) is int and count == np.count_nonzero(want != before)
    if x.flags.writeable and x.dtype.isnative and x.flags.aligned:
        assert voxcc.fill_holes(x, connectivity, values=values, max_size=max_size, out=x) is x
        np.testing.assert_array_equal(x, want)


@pytest.mark.parametrize("ndim", [2, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_against_scipy(ndim, layout):
    mask = np.random.default_rng(ndim).random((20, 21, 9)[:ndim]) < 0.75
    x = in_layout(mask, layout)
    np.testing.assert_array_equal(voxcc.fill_holes(x), scipy.ndimage.binary_fill_holes(mask))
    full = scipy.ndimage.generate_binary_structure(ndim, ndim)
    np.testing.assert_array_equal(voxcc.fill_holes(x, 1), scipy.ndimage.binary_fill_holes(mask, full))
    assert voxcc.fill_holes(x).flags.f_contiguous == x.flags.f_contiguous


def ring(value, hole=0, size=5):
    x = np.full((size, size), value)
    x[size // 2, size // 2] = hole
    return x


def test_values():
    assert (voxcc.fill_holes(ring(255).astype("u1")) == 255).all()
    assert (voxcc.fill_holes(ring(-3)) == -3).all()
    assert (voxcc.fill_holes(ring(2.5, np.nan)) == 2.5).all()
    assert (voxcc.fill_holes(ring(2**63 + 1).astype("u8")) == 2**63 + 1).all()
    assert (voxcc.fill_holes(ring(np.inf)) == np.inf).all()
    nested = np.pad(ring(7), 1)  # the gap between 5 and 7 touches two values
    nested = np.pad(nested, 1, constant_values=5)
    filled = nested.copy()
    filled[4, 4] = 7
    np.testing.assert_array_equal(voxcc.fill_holes(nested, values=True), filled)
    np.testing.assert_array_equal(voxcc.fill_holes(nested), np.where(filled == 0, 7, filled))
    nan_in_mask = ring(1.0, np.nan)
    nan_in_mask[0, 0] = np.nan  # background at the border
    filled, count = voxcc.fill_holes(nan_in_mask, return_fill_count=True)
    assert np.isnan(filled[0, 0]) and filled[2, 2] == 1 and count == 1


def test_one_value_outside_of_the_sample():
    x = np.zeros((40, 40), "f4")
    x[5:10, 5:10] = 3
    x[6, 6] = 0
    x[21, 21] = 9
    want = x.copy()
    want[6, 6] = 3
    np.testing.assert_array_equal(voxcc.fill_holes(x), want)


def test_sizes():
    x = np.pad(np.zeros((2, 2), bool), 2, constant_values=True)
    assert voxcc.fill_holes(x, max_size=3).sum() == x.sum()
    assert voxcc.fill_holes(x, max_size=4).all()


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0, 3)])
def test_empty_arrays(shape):
    filled, count = voxcc.fill_holes(np.zeros(shape), return_fill_count=True)
    assert filled.shape == shape and count == 0


def test_axes_of_length_1():
    x = ring(1)
    for axis in range(3):
        assert voxcc.fill_holes(np.expand_dims(x, axis)).all()
    assert voxcc.fill_holes([1, 0, 1]).tolist() == [1, 1, 1]


def test_out_that_overlaps():
    memory = np.zeros((6, 5), bool)
    memory[:5] = ring(1).astype(bool)
    voxcc.fill_holes(memory[:5], out=memory[1:])
    assert memory[1:].all()


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (([1],), {"connectivity": 7}, "connectivity is 7"),
        (([1],), {"max_size": -1}, "max_size is -1"),
        (([1],), {"max_size": 1.5}, "max_size is 1.5"),
        (([1],), {"threads": 0}, "threads is 0"),
        (([1],), {"out": np.zeros(2, int)}, "out has the shape"),
        (([1],), {"out": np.zeros(1, np.int8)}, "out has the type int8"),
        (([1j],), {}, "x has the type complex128"),
        ((np.zeros((1, 1, 1, 1)),), {}, "x: has 4 dimensions"),
        ((np.ma.array([1], mask=[0]),), {}, "masked array"),
    ],
)
def test_errors(arguments, error, text):
    with pytest.raises((TypeError, ValueError), match=text):
        voxcc.fill_holes(*arguments, **error)


def test_device_arrays_are_refused():
    class OnDevice:
        __cuda_array_interface__ = {}

    with pytest.raises(NotImplementedError, match="copy it to the host"):
        voxcc.fill_holes(OnDevice())


@pytest.mark.skipif(not os.environ.get("VOXCC"), reason="SKIPPED: --fill-holes: VOXCC does not name the program")
@pytest.mark.parametrize("connectivity", [6, 18, 26])
def test_against_the_program(connectivity, tmp_path):
    """The program fills the holes of its labels. fill_holes() fills the same voxels."""
    x = (np.random.default_rng(connectivity).random((12, 13, 14)) < 0.9).astype("u1")
    x[6:] *= 2
    np.save(tmp_path / "x.npy", x)
    for values, limit in ((False, None), (False, 2), (True, None), (True, 1)):
        command = [os.environ["VOXCC"], "label", tmp_path / "x.npy", "--fill-holes", "-c", str(connectivity), "-o", tmp_path / "y.npy", "-f", "-q"]
        command += ["--multilabel"] * values + (["--max-hole", str(limit)] if limit else [])
        subprocess.run(command, check=True)
        labels = np.load(tmp_path / "y.npy")
        filled = voxcc.fill_holes(x, connectivity, values=values, max_size=limit)
        assert np.count_nonzero(filled) > np.count_nonzero(x)
        np.testing.assert_array_equal(labels, voxcc.label(filled, connectivity, values=values).labels)


@pytest.mark.skipif(not os.environ.get("VOXCC"), reason="SKIPPED: map --fill-holes: VOXCC does not name the program")
@pytest.mark.parametrize("connectivity", [6, 18, 26])
@pytest.mark.parametrize("limit", [None, 2])
def test_against_the_program_for_labels(connectivity, limit, tmp_path):
    random = np.random.default_rng(connectivity)
    x = np.kron(random.integers(1, 400, (4, 3, 5)), np.ones((5, 6, 5))).astype("u2")
    x[random.random(x.shape) < 0.15] = 0
    np.save(tmp_path / "x.npy", x)
    command = [os.environ["VOXCC"], "map", tmp_path / "x.npy", "--fill-holes", "-c", str(connectivity), "-o", tmp_path / "y.npy", "-q"]
    subprocess.run(command + (["--max-hole", str(limit)] if limit else []), check=True)
    for threads in (1, 4):
        filled = voxcc.fill_holes(x, connectivity, values=True, max_size=limit, threads=threads)
        np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), filled)
    assert x.size > np.count_nonzero(filled) > np.count_nonzero(x)


@given(arrays(types=["?", *INTEGERS, "f4", "f8"], big_endian=False), st.booleans())
def test_against_fill_voids(x, in_place):
    fill_voids = pytest.importorskip("fill_voids", reason="SKIPPED: fill_voids: the package is not installed")
    want = fill_voids.fill(x)
    given = x.copy() if in_place else x
    got, count = voxcc.fill_voids.fill(given, in_place, return_fill_count=True)
    assert (got.dtype, got.shape, type(count), int(count)) == (want.dtype, want.shape, int, int(got.sum()) - np.count_nonzero(x))
    # fill_voids 2.1 fills some background that touches an edge of the array.
    pieces, _ = scipy.ndimage.label(x == 0)
    at_edge = {*np.unique(pieces[want != got]).tolist()} - {0}
    assert all(any(np.isin(pieces.take([0, -1], axis), piece).any() for axis in range(x.ndim)) for piece in at_edge)
    np.testing.assert_array_equal(got, np.where(np.isin(pieces, [*at_edge]), 0, want))
    assert not in_place or got is given


def test_background_at_an_edge_is_not_filled():
    """fill_voids 2.1 fills x[0, 0, 1], because its search of a face does not begin again in each row."""
    x = np.ones((2, 2, 4), np.uint8)
    x[0, 0, 1] = x[0, 1, 0] = x[1, 0, 0] = 0
    filled, count = voxcc.fill_voids.fill(x, return_fill_count=True)
    np.testing.assert_array_equal(filled, x)
    assert count == 0


def test_fill():
    """The results of fill_voids 2.1 for arguments that its tests do not contain."""
    fill = voxcc.fill_voids.fill
    assert fill(np.array([1, 0, 5])).tolist() == [1, 0, 1]
    assert fill(ring(1)[..., np.newaxis], return_fill_count=True)[1] == 0
    assert fill(ring(1)[..., np.newaxis, np.newaxis]).shape == (5, 5, 1, 1)
    assert fill(ring(-2.5)).tolist() == np.ones((5, 5)).tolist()
    assert fill(ring(1.0, np.nan), return_fill_count=True)[1] == 0
    assert fill(np.ones((0, 3)), return_fill_count=True)[1] == 0
    part = np.zeros((8, 8), np.int16)
    part[1:6, 2:7] = ring(4)
    fill(part[1:6, 2:7], in_place=True)
    assert part.sum() == 25
    read_only = ring(1)
    read_only.flags.writeable = False
    assert fill(read_only).all()
    with pytest.raises(ValueError, match="read-only"):
        fill(read_only, in_place=True)


@pytest.mark.parametrize("dtype", ["f2", "c8", ">i4", "O", "S1"])
def test_types_that_fill_voids_refuses(dtype):
    with pytest.raises(TypeError, match="labels has the type"):
        voxcc.fill_voids.fill(ring(1).astype(dtype))


@pytest.mark.parametrize("shape", [(), (2, 2, 2, 2), (1, 2, 2, 2)])
def test_dimensions_that_fill_voids_refuses(shape):
    with pytest.raises(voxcc.fill_voids.DimensionError, match="one to three axes"):
        voxcc.fill_voids.fill(np.ones(shape))


def test_own_tests_of_fill_voids(run_tests_of, request):
    """Its file automated_test.py is under the LGPL, so this repository does not contain it. VOXCC_FILL_VOIDS_TESTS names the file.

    scipy needs minutes for the two comparisons with scipy, which run with --long only.
    """
    path = os.environ.get("VOXCC_FILL_VOIDS_TESTS")
    if not path:
        pytest.skip("SKIPPED: fill_voids' own tests: VOXCC_FILL_VOIDS_TESTS does not name its file automated_test.py")
    for package in ("crackle", "tqdm"):
        pytest.importorskip(package, reason=f"SKIPPED: fill_voids' own tests: {package} is not installed")
    options = [] if request.config.getoption("--long") else ["-k", "not scipy"]
    code = f"import os, sys, voxcc.fill_voids\nsys.modules['fill_voids'] = voxcc.fill_voids\nos.chdir({os.path.dirname(path)!r})\n"
    assert run_tests_of(path, code, *options) >= 20
