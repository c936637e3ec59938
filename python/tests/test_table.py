"""Tables of label(), measure() and contacts() against sums with numpy."""

import itertools

import numpy as np
import pytest
import scipy.ndimage
import voxcc
from arrays import FULL, INTEGERS, arrays, equal_tables, in_layout, random_array
from hypothesis import given
from hypothesis import strategies as st


def check_rows(table, ids, where, ndim, shape):
    """Compares every column without units. @param where where(id): the mask of a row"""
    assert [len(column) for column in table.values()] == [len(ids)] * len(table)
    for row, label in enumerate(ids):
        at = np.argwhere(where(label))
        assert table["voxels"][row] == len(at)
        np.testing.assert_allclose([table[f"centroid_{a}"][row] for a in range(ndim)], at.mean(axis=0), rtol=1e-13)
        assert [table[f"bbox_{a}_min"][row] for a in range(ndim)] == at.min(axis=0).tolist()
        assert [table[f"bbox_{a}_max"][row] for a in range(ndim)] == (at.max(axis=0) + 1).tolist()
        covariance = np.cov(at.T, bias=True).reshape(ndim, ndim)
        for a, b in itertools.combinations_with_replacement(range(ndim), 2):
            np.testing.assert_allclose(table[f"cov_{a}{b}"][row], covariance[a, b], rtol=1e-9, atol=1e-9)
    assert table["voxels"].dtype == np.uint64 and table["bbox_0_min"].dtype == np.int64


@given(arrays(values=(2, 3)), st.data())
def test_table_of_label(x, data):
    values, order = data.draw(st.booleans()), data.draw(st.sampled_from(["C", "F"]))
    result = voxcc.label(x, values=values, order=order, table=True, threads=data.draw(st.sampled_from([1, 3])))
    ids = range(1, result.count + 1)
    assert result.table["label"].tolist() == list(ids)
    check_rows(result.table, ids, lambda label: result.labels == label, x.ndim, x.shape)
    for row, label in enumerate(ids):
        faces = [np.take(result.labels == label, [0, -1], a).any() for a in range(x.ndim) if x.shape[a] > 1]
        assert result.table["touches_border"][row] == any(faces)
    if values:
        flat = result.labels.ravel().tolist()
        expected = [x.ravel()[flat.index(label)] for label in ids]
        assert result.table["value"].tolist() == np.array(expected, x.dtype).astype(float if x.dtype.kind == "f" else x.dtype).tolist()


@given(arrays(types=["?", *INTEGERS], values=(3, 9)), st.sampled_from([1, 2, 5]))
def test_measure(labels, threads):
    table = voxcc.measure(labels, threads=threads)
    ids = [label for label in np.unique(labels).tolist() if label != 0]
    assert table["label"].tolist() == ids
    check_rows(table, ids, lambda label: labels == label, labels.ndim, labels.shape)


def test_labels_of_any_size():
    labels = np.array([0, 2**64 - 1, 2**63, 2**22, 5, 2**63], np.uint64)
    assert voxcc.measure(labels)["label"].tolist() == [5, 2**22, 2**63, 2**64 - 1]
    assert voxcc.measure(labels)["label"].dtype == np.uint64
    signed = np.array([-(2**63), 3, -1, 0, 2**63 - 1])
    table = voxcc.measure(signed, intensity=np.arange(5))
    assert table["label"].tolist() == [-(2**63), -1, 3, 2**63 - 1]
    assert table["intensity_sum"].tolist() == [0, 2, 1, 4]
    assert voxcc.contacts(signed)["a"].tolist() == [-(2**63), -1]


@given(arrays(types=["i2"], values=(3,)), arrays(), st.data())
def test_intensity(labels, other, data):
    dtype = other.dtype
    image = random_array(data.draw(st.integers(0, 99)), labels.shape, dtype, 1 if dtype == bool else 100, 0.8)
    image = in_layout(image, data.draw(st.sampled_from(["C", "F", "crop", "negative", "transposed"])))
    if dtype.kind == "f" and data.draw(st.booleans()):
        image = image.copy()
        image[(0,) * image.ndim] = np.nan
    result = voxcc.label(labels, values=True, intensity=image, table=True)
    for table, ids, where in [
        (result.table, range(1, result.count + 1), lambda label: result.labels == label),
        (voxcc.measure(labels, intensity=image, threads=data.draw(st.sampled_from([1, 3]))), [i for i in np.unique(labels).tolist() if i], lambda label: labels == label),
    ]:
        for row, label in enumerate(ids):
            mask = where(label) & (image == image)
            inside = image[mask].astype(float)
            if not inside.size:
                assert np.isnan(table["intensity_mean"][row])
                continue
            for name, expected in [("mean", inside.mean()), ("std", inside.std()), ("min", inside.min()), ("max", inside.max()),
                                   ("sum", inside.sum())]:  # fmt: skip
                np.testing.assert_allclose(table[f"intensity_{name}"][row], expected, rtol=1e-9, atol=1e-9)
            if inside.sum() != 0:
                centroid = (np.argwhere(mask) * inside[:, None]).sum(axis=0) / inside.sum()
                got = [table[f"intensity_weighted_centroid_{a}"][row] for a in range(labels.ndim)]
                np.testing.assert_allclose(got, centroid, rtol=1e-9, atol=1e-9)


def test_spacing():
    x = np.zeros((4, 5, 6), np.uint8)
    x[0, 0, :] = 1
    x[2:4, 2:5, 3] = 2
    for table in (voxcc.label(x, values=True, table=True, spacing=(2, 3, 5)).table, voxcc.measure(np.asfortranarray(x), spacing=(2, 3, 5))):
        assert table["volume"].tolist() == [6 * 30, 6 * 30]
        np.testing.assert_allclose(table["axis_1"], [5 * np.arange(6).std(), 3 * np.arange(3).std()])
        np.testing.assert_allclose(table["axis_2"], [0, 2 * 0.5], atol=1e-12)
        np.testing.assert_allclose(table["elongation"], [0, 1 / (3 * np.arange(3).std())], atol=1e-12)
        assert table["flatness"].tolist() == [0, 0]
    assert voxcc.measure(np.ones((1, 5, 1), int), spacing=(2, 3, 5))["volume"].tolist() == [5 * 30]
    assert "elongation" not in voxcc.measure(np.ones(4, int), spacing=2)


@given(arrays(types=INTEGERS, values=(2, 6), dimensions=(1, 2, 3)), st.data())
def test_contacts(labels, data):
    ndim = labels.ndim
    reach = data.draw(st.integers(1, ndim))
    expected = {}
    native = labels.astype(labels.dtype.newbyteorder("="))
    for step in itertools.product((-1, 0, 1), repeat=ndim):
        kind = np.abs(step).sum()
        if not 0 < kind <= reach or step < (0,) * ndim:
            continue
        own = tuple(slice(max(-s, 0), n - max(s, 0)) for s, n in zip(step, labels.shape))
        other = tuple(slice(max(s, 0), n - max(-s, 0)) for s, n in zip(step, labels.shape))
        for a, b in zip(native[own].ravel().tolist(), native[other].ravel().tolist()):
            if a != b and a != 0 and b != 0:
                counts = expected.setdefault((min(a, b), max(a, b)), [0] * (ndim + 1))
                counts[[i for i, s in enumerate(step) if s][0] if kind == 1 else ndim] += 1
    table = voxcc.contacts(labels, reach, threads=data.draw(st.sampled_from([1, 4])), spacing=(2, 3, 5)[:ndim])
    got = {(a, b): [table[f"faces_{axis}"][row] for axis in range(ndim)] + [table["edges_and_corners"][row]]
           for row, (a, b) in enumerate(zip(table["a"].tolist(), table["b"].tolist()))}  # fmt: skip
    assert got == expected
    assert list(got) == sorted(expected)
    areas = {1: (1,), 2: (3, 2), 3: (15, 10, 6)}[ndim]
    assert table["area"].tolist() == [sum(n * area for n, area in zip(expected[pair], areas)) for pair in got]


def test_table_does_not_depend_on_threads_or_layout():
    x = random_array(9, (40, 50, 60), "u1", 2, 0.3)
    image = random_array(4, x.shape, "i2", 100, 0.9)
    options = {"intensity": image, "spacing": (0.7, 1.3, 2.1)}
    expected = voxcc.label(x, 6, table=True, threads=1, **options)
    measured = voxcc.measure(expected.labels, threads=1, **options)
    for layout, threads in itertools.product(["C", "F", "transposed"], [1, 2, 8]):
        result = voxcc.label(in_layout(x, layout), 6, table=True, threads=threads, **options)
        assert (result.labels == expected.labels).all()
        for name, column in expected.table.items():
            np.testing.assert_array_equal(result.table[name], column)
        table = voxcc.measure(in_layout(expected.labels, layout), threads=threads, **options)
        for name, column in measured.items():
            np.testing.assert_array_equal(table[name], column)


def test_scipy_gives_the_same_centres():
    x = random_array(1, (30, 30, 30), "?", 1, 0.2)
    labels, count = result = voxcc.label(x, FULL[3], table=True)
    centers = scipy.ndimage.center_of_mass(x, labels, range(1, count + 1))
    np.testing.assert_allclose(np.transpose([result.table[f"centroid_{a}"] for a in range(3)]), centers, rtol=1e-12)


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 1300])
def test_tables_of_many_components_do_not_depend_on_threads(count):
    """Rows are computed 256 at a time, by several threads."""
    x = np.zeros((3, 80, 66), np.uint8)
    places = np.random.default_rng(count).permutation([(y, z) for y in range(0, 80, 2) for z in range(0, 66, 2)])[:count]
    x[1, places[:, 0], places[:, 1]] = 1 + np.arange(count) % 7
    options = dict(values=True, table=True, intensity=x.astype("f4"), spacing=(3, 2, 0.5))
    want = voxcc.label(x, 6, threads=1, **options)
    assert want.count == len(want.table["label"]) == count
    if count:
        np.testing.assert_array_equal(want.table["voxels"], np.bincount(want.labels.ravel())[1:])
        centres = scipy.ndimage.center_of_mass(np.ones_like(x), want.labels, range(1, want.count + 1))
        np.testing.assert_allclose(np.column_stack([want.table[f"centroid_{axis}"] for axis in range(3)]), centres, atol=1e-12)
        np.testing.assert_array_equal(want.table["intensity_max"], want.table["value"])
    measured = voxcc.measure(want.labels, spacing=(3, 2, 0.5), threads=1)
    for threads in (2, 5):
        equal_tables(voxcc.label(x, 6, threads=threads, **options).table, want.table)
        equal_tables(voxcc.measure(want.labels, spacing=(3, 2, 0.5), threads=threads), measured)
    for name in measured.keys() - {"label"}:
        np.testing.assert_array_equal(measured[name], want.table[name])


@pytest.mark.parametrize("infinite", ([np.inf], [-np.inf], [np.inf, -np.inf]))
def test_infinite_intensities(infinite):
    """Only the extremes exist. Other labels are not affected, and NaN is left out."""
    image = np.array([1.0, *infinite, np.nan, 2.0, 4.0])
    labels = np.array([1] * (len(image) - 2) + [2, 2])
    table = voxcc.measure(labels, image)
    for name in ("mean", "sum", "std", "weighted_centroid_0"):
        assert np.isnan(table[f"intensity_{name}"][0]) and np.isfinite(table[f"intensity_{name}"][1])
    assert table["intensity_min"][0] == np.nanmin(image[labels == 1]) and table["intensity_max"][0] == np.nanmax(image[labels == 1])


@pytest.mark.parametrize("shape", [(2**32,), (2**32 + 10, 1), (1, 1, 2**33 + 5)])
def test_axes_that_bounding_boxes_cannot_describe(shape):
    """The array needs no memory. Its sums would take minutes, so the error is raised before the first row is read."""
    labels = np.broadcast_to(np.uint8(1), shape)
    for call in (lambda: voxcc.measure(labels), lambda: voxcc.measure(labels, labels), lambda: voxcc.label(labels), lambda: voxcc.keep_largest(labels)):
        with pytest.raises(ValueError, match=f"an axis of {max(shape)} voxels; 2\\^32 - 1 is the most"):
            call()
