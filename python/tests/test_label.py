"""voxcc.label() against scipy and a flood fill: types, layouts, orders, options and errors."""

import numpy as np
import pytest
import scipy.ndimage
import voxcc
from arrays import FULL, INTEGERS, LAYOUTS, TYPES, arrays, flood_fill, in_layout, random_array, structure_of
from hypothesis import given
from hypothesis import strategies as st


def connectivities(ndim):
    return {1: [26, 1], 2: [4, 8], 3: [6, 18, 26]}[ndim]


@given(arrays(), st.data())
def test_scipy_gives_the_same_labels(x, data):
    connectivity = data.draw(st.sampled_from(connectivities(x.ndim)))
    threads = data.draw(st.sampled_from([1, 2, 8]))
    if x.ndim == 1:
        connectivity = 26
    result = voxcc.label(x, connectivity, threads=threads)
    expected, count = scipy.ndimage.label(np.array(x != 0), structure_of(connectivity, x.ndim))
    assert result.count == count
    assert result.labels.dtype == np.uint32 and result.table is None
    np.testing.assert_array_equal(result.labels, expected)


@given(arrays(), st.data())
def test_fortran_order_is_the_order_of_the_transposed_array(x, data):
    values = data.draw(st.booleans())
    labels, count = voxcc.label(x, values=values, order="F", threads=data.draw(st.sampled_from([1, 3])))
    transposed = voxcc.label(x.T, values=values)
    assert count == transposed.count
    np.testing.assert_array_equal(labels, transposed.labels.T)


@given(arrays(types=["?", "i2", "f4"], values=(1, 2)), st.data())
def test_flood_fill_gives_the_same_labels(x, data):
    values = data.draw(st.booleans())
    order = data.draw(st.sampled_from(["C", "F"]))
    periodic = data.draw(st.sets(st.integers(0, x.ndim - 1)))
    connectivity = FULL[x.ndim] if x.ndim == 1 else data.draw(st.sampled_from(connectivities(x.ndim)))
    result = voxcc.label(x, connectivity, values=values, periodic=sorted(periodic), order=order, threads=2)
    expected, count = flood_fill(x, connectivity, values, periodic, order)
    assert result.count == count
    np.testing.assert_array_equal(result.labels, expected)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_slices_are_labelled_separately(axis, layout, order):
    x = in_layout(random_array(3, (5, 7, 6), "u1", 2, 0.6), layout)
    for connectivity in (4, 8):
        result = voxcc.label(x, connectivity, per_slice=axis, order=order)
        expected, count = flood_fill(x, connectivity, order=order, slice_axis=axis % 3)
        assert result.count == count
        np.testing.assert_array_equal(result.labels, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_type_in_every_layout(dtype, layout):
    for shape in [(70,), (3, 66), (6, 5, 67)]:
        for byte_order in "<>":
            x = in_layout(random_array(7, shape, dtype, 1, 0.4).astype(np.dtype(dtype).newbyteorder(byte_order)), layout)
            expected = scipy.ndimage.label(np.array(x != 0), np.ones((3,) * x.ndim))[0]
            np.testing.assert_array_equal(voxcc.label(x).labels, expected)


def test_axes_of_length_one():
    for shape in [(1, 1, 1), (1, 9, 8), (9, 1, 8), (9, 8, 1), (1, 1, 9), (9, 1, 1), (1, 9, 1), (1, 8), (8, 1)]:
        x = random_array(5, shape, "u1", 1, 0.5)
        for layout in LAYOUTS:
            for connectivity in connectivities(x.ndim):
                result = voxcc.label(in_layout(x, layout), connectivity, table=True)
                expected, count = scipy.ndimage.label(x, structure_of(connectivity, x.ndim))
                np.testing.assert_array_equal(result.labels, expected)
                centers = scipy.ndimage.center_of_mass(x, expected, range(1, count + 1))
                np.testing.assert_allclose(np.array([result.table[f"centroid_{a}"] for a in range(x.ndim)]).T.reshape(-1, x.ndim),
                                           np.array(centers).reshape(-1, x.ndim))


def test_nan_and_signed_zero_are_background():
    for dtype in ("f2", "f4", "f8"):
        x = np.array([np.nan, 1, -0.0, np.inf, np.nan, -np.inf], dtype)
        assert voxcc.label(x).labels.tolist() == [0, 1, 0, 2, 0, 3]
        assert voxcc.label(x, values=True).labels.tolist() == [0, 1, 0, 2, 0, 3]
        assert voxcc.label(x, threshold=-5).labels.tolist() == [0, 1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("threshold", "foreground"),
    [
        (2, lambda x: x >= 2), (">2", lambda x: x > 2), (">=2", lambda x: x >= 2), ("2", lambda x: x >= 2),
        ((1, 2), lambda x: (x >= 1) & (x <= 2)), ("1:2", lambda x: (x >= 1) & (x <= 2)), ("-1e0 : +2.5", lambda x: (x >= -1) & (x <= 2.5)),
        (-np.inf, lambda x: x >= -np.inf), ((3, np.inf), lambda x: x >= 3),
    ],
)  # fmt: skip
def test_thresholds(threshold, foreground):
    for dtype in ("i2", "f4", "f2"):
        x = random_array(1, (9, 10, 11), dtype, 4, 0.8)
        np.testing.assert_array_equal(voxcc.label(x, threshold=threshold).labels, voxcc.label(foreground(x)).labels)


@given(arrays(dimensions=(2, 3)), st.data())
def test_a_mask_limits_the_foreground(x, data):
    mask = random_array(data.draw(st.integers(0, 99)), x.shape, data.draw(st.sampled_from(["?", "u2", ">f8"])), 1, 0.7)
    mask = in_layout(mask, data.draw(st.sampled_from(LAYOUTS)))
    values = data.draw(st.booleans())
    result = voxcc.label(x, mask=mask, values=values, threads=2)
    np.testing.assert_array_equal(result.labels, voxcc.label(np.where(mask != 0, x, x.dtype.type(0)), values=values).labels)


@given(arrays(values=(1, 3)), st.data())
def test_selections(x, data):
    connectivity, values = FULL[x.ndim], data.draw(st.booleans())
    smallest, largest = data.draw(st.integers(0, 4)), data.draw(st.none() | st.integers(1, 9))
    keep, ties = data.draw(st.none() | st.integers(0, 4)), data.draw(st.sampled_from(["first", "last", "all"]))
    border, sort = data.draw(st.booleans()), data.draw(st.sampled_from(["raster", "size"]))
    labels, count = flood_fill(x, connectivity, values)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    kept = [k for k in range(1, count + 1) if sizes[k] >= smallest and (largest is None or sizes[k] <= largest)]
    if border:
        faces = set()
        for axis in range(x.ndim):
            if x.shape[axis] > 1:
                faces.update(np.unique(np.take(labels, [0, -1], axis)).tolist())
        kept = [k for k in kept if k not in faces]
    if keep is not None and keep < len(kept):
        by_size = sorted(kept, key=lambda k: (-sizes[k], -k if ties == "last" else k))
        limit = sizes[by_size[keep - 1]] if keep else np.inf
        kept = sorted(k for k in kept if sizes[k] >= limit) if ties == "all" and keep else sorted(by_size[:keep])
    if sort == "size":
        kept.sort(key=lambda k: (-sizes[k], k))
    expected = np.zeros_like(labels)
    for number, k in enumerate(kept, 1):
        expected[labels == k] = number
    result = voxcc.label(x, values=values, min_size=smallest, max_size=largest, keep_largest=keep, ties=ties, clear_border=border,
                         sort=sort, table=True)  # fmt: skip
    assert result.count == len(kept)
    np.testing.assert_array_equal(result.labels, expected)
    assert result.table["voxels"].tolist() == [sizes[k] for k in kept]


def test_border_of_slices_and_periodic_axes():
    x = np.zeros((3, 5, 5), np.uint8)
    x[0, 2, 2] = x[1, 0, 3] = 1
    assert voxcc.label(x, clear_border=True).count == 0
    assert voxcc.label(x, per_slice=0, clear_border=True).count == 1
    assert voxcc.label(x, periodic=0, clear_border=True).count == 1
    assert voxcc.label(x, periodic=True, clear_border=True).count == 2


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("layout", ["C", "F", "crop", "step", "negative", "transposed"])
def test_out_of_every_type_and_layout(dtype, layout):
    x = random_array(2, (5, 6, 7), "u1", 1, 0.1)
    out = in_layout(np.full(x.shape, 77, dtype), layout)
    result = voxcc.label(x, out=out)
    assert result.labels is out and result.count < 127
    np.testing.assert_array_equal(out, scipy.ndimage.label(x, np.ones((3, 3, 3)))[0])


def test_out_may_be_an_input():
    x = random_array(2, (5, 6, 70), "i4", 2, 0.5)
    expected = voxcc.label(x, values=True, mask=x, intensity=x, table=True)
    for layout in ["C", "F", "transposed", "negative"]:
        y = in_layout(x, layout)
        result = voxcc.label(y, values=True, mask=y, intensity=y, table=True, out=y)
        np.testing.assert_array_equal(y, expected.labels)
        for name, column in expected.table.items():
            np.testing.assert_allclose(result.table[name], column, rtol=1e-12)
    both = np.zeros(400, "u1")
    both[::3] = 1
    assert voxcc.label(both[:300], out=both[100:]).count == 100  # parts of the same memory
    assert both[100:].tolist() == [i // 3 + 1 if i % 3 == 0 else 0 for i in range(300)]


def test_types_of_labels():
    x = np.zeros(600, bool)
    x[::2] = True
    assert voxcc.label(x, dtype="min").labels.dtype == np.uint16
    assert voxcc.label(x[:400], dtype="min").labels.dtype == np.uint8
    for dtype in INTEGERS[1:4] + INTEGERS[5:]:
        labels = voxcc.label(x, dtype=dtype).labels
        assert labels.dtype == dtype and labels.max() == 300
    for dtype in ("u1", "i1"):
        with pytest.raises(ValueError, match="300 components, which do not fit"):
            voxcc.label(x, dtype=dtype)
        with pytest.raises(ValueError, match="300 components, which do not fit"):
            voxcc.label(x, out=np.zeros(600, dtype))


def test_layout_of_the_labels():
    x = np.zeros((4, 5, 6), bool)
    assert voxcc.label(x).labels.flags.c_contiguous
    assert voxcc.label(np.asfortranarray(x)).labels.flags.f_contiguous
    assert voxcc.label(x[::2, ::2]).labels.flags.c_contiguous
    assert voxcc.label(x.transpose(1, 0, 2)).labels.flags.c_contiguous
    y = np.asfortranarray(random_array(0, (4, 5, 6), "?", 1, 0.3))
    np.testing.assert_array_equal(voxcc.label(y, order="memory").labels, voxcc.label(y, order="F").labels)
    np.testing.assert_array_equal(voxcc.label(y.T, order="memory").labels, voxcc.label(y.T).labels)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0, 2), (0, 0, 0)])
def test_empty_arrays(shape):
    x = np.zeros(shape, "f4")
    result = voxcc.label(x, table=True, intensity=x, mask=x, spacing=2, out=np.zeros(shape, "i8"))
    assert result.labels.shape == shape and result.labels.dtype == np.int64 and result.count == 0
    assert all(len(column) == 0 for column in result.table.values())
    assert list(result.table) == list(voxcc.label(np.ones((1,) * len(shape), "f4"), table=True, intensity=np.ones((1,) * len(shape)),
                                                  spacing=2).table)  # fmt: skip
    assert voxcc.keep_largest(x).shape == voxcc.remove_small(x, 2).shape == shape
    assert len(voxcc.measure(x.astype(int))["label"]) == len(voxcc.contacts(x.astype(int))["a"]) == 0


@given(arrays(big_endian=False), st.integers(0, 4), st.data())
def test_filters_keep_the_values(x, size, data):
    x = np.array(x)
    values, ties = data.draw(st.booleans()), data.draw(st.sampled_from(["first", "last", "all"]))
    for filtered, options in [
        (lambda **o: voxcc.remove_small(x, size, values=values, **o), {"min_size": size}),
        (lambda **o: voxcc.keep_largest(x, size, values=values, ties=ties, **o), {"keep_largest": size, "ties": ties}),
    ]:
        expected = np.where(voxcc.label(x, values=values, **options).labels > 0, x, x.dtype.type(0))
        before = x.copy()
        result = filtered()
        assert result.dtype == x.dtype
        np.testing.assert_array_equal(result, expected)
        np.testing.assert_array_equal(x, before)
        other = np.full_like(x, 1)
        assert filtered(out=other) is other
        np.testing.assert_array_equal(other, expected)
        assert filtered(out=x) is x
        np.testing.assert_array_equal(x, expected)
        x[...] = before


def test_objects_that_become_arrays():
    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.array([[1, 0], [0, 1]])

    assert voxcc.label(Wrapped()).count == 1
    assert voxcc.label([[1, 0], [0, 1]], 4).count == 2
    assert voxcc.label([True, False, True]).labels.tolist() == [1, 0, 2]


def test_memory_map(tmp_path):
    file = np.memmap(tmp_path / "x", np.uint8, "w+", shape=(20, 30))
    file[...] = random_array(0, (20, 30), "u1", 1, 0.5)
    file.flush()
    x = np.memmap(tmp_path / "x", np.uint8, "r", shape=(20, 30))
    out = np.memmap(tmp_path / "labels", np.uint32, "w+", shape=(20, 30))
    assert voxcc.label(x, out=out).labels is out
    np.testing.assert_array_equal(out, scipy.ndimage.label(x, np.ones((3, 3)))[0])


X = np.ones((3, 4), np.uint8)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (TypeError, "complex128", lambda: voxcc.label(X.astype(complex))),
        (TypeError, "datetime64", lambda: voxcc.label(X.astype("M8[s]"))),
        (TypeError, "object", lambda: voxcc.label(X.astype(object))),
        (TypeError, "float128", lambda: voxcc.label(X.astype(np.longdouble))),
        (TypeError, "masked array", lambda: voxcc.label(np.ma.array(X))),
        (voxcc.DimensionError, "0 dimensions", lambda: voxcc.label(np.array(1))),
        (voxcc.DimensionError, "4 dimensions", lambda: voxcc.label(np.ones((1, 1, 1, 2)))),
        (ValueError, "connectivity is 5; for 2 dimensions", lambda: voxcc.label(X, 5)),
        (ValueError, "connectivity is 3", lambda: voxcc.label(X, 3)),
        (ValueError, "connectivity is 8.5; it must be an integer", lambda: voxcc.label(X, 8.5)),
        (TypeError, "connectivity is a boolean", lambda: voxcc.label(X, True)),
        (ValueError, "with per_slice", lambda: voxcc.label(X[None], 26, per_slice=0)),
        (voxcc.DimensionError, "per_slice: does not support 2 dimensions", lambda: voxcc.label(X, per_slice=0)),
        (ValueError, "per_slice is 3", lambda: voxcc.label(X[None], per_slice=3)),
        (ValueError, "periodic must not contain", lambda: voxcc.label(X[None], per_slice=0, periodic=True)),
        (ValueError, "periodic is 2", lambda: voxcc.label(X, periodic=(0, 2))),
        (ValueError, "mask has the shape", lambda: voxcc.label(X, mask=X.T)),
        (ValueError, "intensity has the shape", lambda: voxcc.label(X, table=True, intensity=X[:1])),
        (ValueError, "add table=True", lambda: voxcc.label(X, intensity=X)),
        (ValueError, "add table=True", lambda: voxcc.label(X, spacing=1)),
        (ValueError, "spacing is", lambda: voxcc.label(X, table=True, spacing=(1, 2, 3))),
        (ValueError, "spacing is", lambda: voxcc.measure(X, spacing=0)),
        (ValueError, "spacing is", lambda: voxcc.measure(X, spacing=np.nan)),
        (ValueError, "threshold is 'x'", lambda: voxcc.label(X, threshold="x")),
        (ValueError, "threshold has 3 numbers", lambda: voxcc.label(X, threshold=(1, 2, 3))),
        (ValueError, "must not be greater", lambda: voxcc.label(X, threshold=(2, 1))),
        (ValueError, "must be a number", lambda: voxcc.label(X, threshold=float("nan"))),
        (ValueError, "that a float of 64 bits holds", lambda: voxcc.label(X, threshold=">1e400")),
        (TypeError, "threshold is", lambda: voxcc.label(X, threshold=1j)),
        (TypeError, "threshold is a boolean", lambda: voxcc.label(X, threshold=True)),
        (ValueError, "min_size is -1", lambda: voxcc.label(X, min_size=-1)),
        (ValueError, "max_size is 1.5", lambda: voxcc.label(X, max_size=1.5)),
        (ValueError, "keep_largest is -1", lambda: voxcc.label(X, keep_largest=-1)),
        (ValueError, "ties is 'none'", lambda: voxcc.label(X, keep_largest=1, ties="none")),
        (ValueError, "sort is 'x'", lambda: voxcc.label(X, sort="x")),
        (ValueError, "order is 'A'", lambda: voxcc.label(X, order="A")),
        (ValueError, "threads is 0", lambda: voxcc.label(X, threads=0)),
        (ValueError, "threads is 0", lambda: voxcc.set_threads(0)),
        (ValueError, "dtype is float64", lambda: voxcc.label(X, dtype=float)),
        (ValueError, "dtype is >u4", lambda: voxcc.label(X, dtype=">u4")),
        (ValueError, "but out has the type", lambda: voxcc.label(X, dtype="u4", out=np.zeros(X.shape, "u2"))),
        (TypeError, "out is of the type list", lambda: voxcc.label(X, out=[])),
        (ValueError, "out has the shape", lambda: voxcc.label(X, out=np.zeros(12, "u4"))),
        (ValueError, "must hold integers", lambda: voxcc.label(X, out=np.zeros(X.shape))),
        (ValueError, "byte order", lambda: voxcc.label(X, out=np.zeros(X.shape, ">u4"))),
        (ValueError, "writable", lambda: voxcc.label(X, out=in_layout(X, "read-only"))),
        (ValueError, "out has the type int8", lambda: voxcc.keep_largest(X, out=X.astype("i1"))),
        (ValueError, "out has the type uint16", lambda: voxcc.remove_small(X, 1, out=X.astype("u2"))),
        (TypeError, "labels must be integers", lambda: voxcc.measure(X.astype(float))),
        (TypeError, "labels must be integers", lambda: voxcc.contacts(X.astype(float))),
        (ValueError, "connectivity is 7", lambda: voxcc.contacts(X, 7)),
    ],
)  # fmt: skip
def test_errors(error, words, call):
    with pytest.raises(error, match=words.replace("(", r"\(")) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("connectivity", [6, 18, 26])
def test_short_rows_are_joined_across_the_pieces_of_a_copied_array(connectivity):
    # The engine copies 64 KiB at a time: here the pieces end within a slice.
    shape = (3, 206, 43)
    voxels = np.zeros([2 * n for n in shape], np.float32)
    voxels[::2, ::2, ::2] = np.random.default_rng(connectivity).random(shape) < 0.5
    view = voxels[::2, ::2, ::2]
    structure = structure_of(connectivity, 3)
    expected, count = scipy.ndimage.label(view, structure)
    result = voxcc.label(view, connectivity, threads=1)
    assert result.count == count
    assert np.array_equal(result.labels, expected)
