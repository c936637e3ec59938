"""voxcc.cc3d against cc3d."""

import inspect

import cc3d
import numpy as np
import pytest
import voxcc.cc3d as ours
from arrays import INTEGERS, arrays, flood_fill, in_layout, random_array
from hypothesis import assume, given
from hypothesis import strategies as st

CONNECTIVITIES = {1: [6, 18, 26], 2: [4, 8, 6, 18, 26], 3: [6, 18, 26]}
LABELS = ["u1", "u2", "u4", "u8"]


def in_values(x, binary):
    """The array as values for cc3d. The binary mode of cc3d 4.1.1 labels some arrays with few rows wrongly."""
    x = contiguous(x)
    return (x != 0).view(np.uint8) if binary or x.dtype == bool else x


def from_cc3d(function, *arguments, **options):
    """The result of cc3d, which fails for some arrays of few voxels ("maximum length exception") and for negative values."""
    try:
        return function(*arguments, **options)
    except (RuntimeError, OverflowError):
        assume(False)


def contiguous(x):
    """A copy that cc3d reads correctly: it needs arrays that can be written, and misreads some strided arrays."""
    return np.array(x, order="F" if x.flags.f_contiguous and not x.flags.c_contiguous else "C")


def drawn_connectivity(data, x):
    return data.draw(st.sampled_from(CONNECTIVITIES[x.ndim]))


def test_names_and_defaults():
    for name in ours.__all__:
        if name == "DimensionError":
            continue
        theirs = inspect.signature(getattr(cc3d, name)).parameters.values()
        mine = inspect.signature(getattr(ours, name)).parameters.values()
        assert [p.name for p in mine] == [p.name for p in theirs], name
        for a, b in zip(mine, theirs):
            assert str(a.default) == str(b.default), (name, a.name)


@given(arrays(big_endian=False), st.data())
def test_connected_components(x, data):
    options = {"connectivity": drawn_connectivity(data, x), "binary_image": data.draw(st.booleans()), "return_N": True}
    out_dtype = data.draw(st.sampled_from([None, np.uint32, np.uint64]))
    labels, count = ours.connected_components(x, out_dtype=out_dtype, **options)
    given = in_values(x, options["binary_image"])
    expected, expected_count = from_cc3d(
        cc3d.connected_components, given, out_dtype=out_dtype, connectivity=options["connectivity"], return_N=True
    )
    assert (count, type(count)) == (expected_count, type(expected_count))
    assert labels.dtype == (out_dtype or np.uint16)
    np.testing.assert_array_equal(labels, expected)
    assert labels.flags.f_contiguous == expected.flags.f_contiguous
    np.testing.assert_array_equal(ours.connected_components(x, connectivity=options["connectivity"], binary_image=options["binary_image"]), labels)


@given(arrays(types=["u1", "i4"], dimensions=(2, 3), big_endian=False), st.data())
def test_periodic_boundary(x, data):
    """The reference is a flood fill: cc3d 4.1.1 does not join [[0, 0, 0], [0, 0, 0], [1, 0, 1]]."""
    connectivity = data.draw(st.sampled_from({2: [4, 8], 3: [6, 26]}[x.ndim]))
    labels = ours.connected_components(x, connectivity=connectivity, periodic_boundary=True)
    order = "F" if x.flags.f_contiguous and not x.flags.c_contiguous else "C"
    expected = flood_fill(x, connectivity, True, range(x.ndim), order)[0]
    np.testing.assert_array_equal(labels, expected)


def test_types_follow_the_count():
    x = np.zeros((300, 500), np.uint8)
    x[::2, ::2] = 1
    assert ours.connected_components(x, out_dtype=np.uint16).max() == 37500
    many = np.zeros((600, 500), np.uint8)
    many[::2, ::2] = 1
    assert ours.connected_components(many).dtype == np.uint32
    with pytest.raises(ValueError, match="75000 components"):
        ours.connected_components(many, out_dtype=np.uint16)
    assert ours.connected_components(np.zeros((0, 3), np.int16)).dtype == np.int16
    nan = np.array([1, np.nan, np.nan, 0])
    assert ours.connected_components(nan, binary_image=True).tolist() == cc3d.connected_components(nan, binary_image=True).tolist()


def same_statistics(mine, theirs):
    assert list(mine) == list(theirs)
    for name in ("voxel_counts", "centroids"):
        np.testing.assert_allclose(mine[name], theirs[name], rtol=1e-12)
        assert mine[name].dtype == theirs[name].dtype
    if isinstance(theirs["bounding_boxes"], list):
        assert mine["bounding_boxes"] == theirs["bounding_boxes"]
    else:
        np.testing.assert_array_equal(mine["bounding_boxes"], theirs["bounding_boxes"])
        assert mine["bounding_boxes"].dtype == theirs["bounding_boxes"].dtype


@given(arrays(types=LABELS, values=(1, 9), big_endian=False, layouts=["C", "F", "crop", "negative", "read-only"]), st.booleans())
def test_statistics(x, no_slices):
    if x.max() > x.size:
        return
    same_statistics(ours.statistics(x, no_slices), cc3d.statistics(contiguous(x), no_slice_conversion=no_slices))


def test_statistics_of_special_arrays():
    assert ours.statistics(np.zeros((0, 3), np.uint8)) == cc3d.statistics(np.zeros((0, 3), np.uint8))
    for x in (np.ones((2, 3), np.uint8), np.zeros((2, 3), np.uint8), np.eye(3, dtype=bool), np.array([1, 1, 0], np.uint16)):
        same_statistics(ours.statistics(x), cc3d.statistics(x))
    for x in (np.array([[0, 1, 4]], np.uint8), np.array([[1, 1, -1]], np.int8)):
        with pytest.raises(ValueError) as caught:
            ours.statistics(x)
        with pytest.raises(ValueError) as expected:
            cc3d.statistics(x)
        assert str(caught.value) == str(expected.value)


@given(arrays(values=(1, 3), types=["?", *INTEGERS, "f4"], big_endian=False, layouts=["C", "F", "crop", "negative", "step"]), st.data())
def test_dust(x, data):
    threshold = data.draw(st.sampled_from([-1, 0, 1, 2, 2.5, 5, (1, 3), [0, 2], [3, 2], (0, 0)]))
    connectivity, binary, invert = drawn_connectivity(data, x), data.draw(st.booleans()), data.draw(st.booleans())
    labels, count = ours.connected_components(x, connectivity=connectivity, binary_image=binary, return_N=True)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    low, high = threshold if np.ndim(threshold) else (threshold, np.inf)
    remain = ((sizes >= low) & (sizes < high)) != invert
    remain[0] = False
    expected = np.where(remain[labels], x, x.dtype.type(0))
    options = {"threshold": threshold, "connectivity": connectivity, "binary_image": binary, "invert": invert}
    before = x.copy()
    result, kept = ours.dust(x, return_N=True, **options)
    assert (kept, type(kept), result.dtype) == (remain.sum(), int, x.dtype)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(x, before)
    if not binary and not invert and not np.ndim(threshold):  # cc3d ignores binary_image here
        theirs, count = from_cc3d(cc3d.dust, in_values(x, False), return_N=True, **options)
        assert kept == count
        np.testing.assert_array_equal(theirs.view(x.dtype), expected)  # cc3d returns some signed arrays as unsigned ones
    assert ours.dust(x, in_place=True, **options) is x
    np.testing.assert_array_equal(x, expected)


@given(arrays(values=(2, 6), types=LABELS, big_endian=False, layouts=["C", "F"]), st.sampled_from([0, 2, 4, (1, 5)]), st.booleans())
def test_dust_of_labels(x, threshold, invert):
    if x.max() > x.size:  # cc3d refuses such labels
        return
    options = {"threshold": threshold, "precomputed_ccl": True, "invert": invert, "return_N": True, "connectivity": 26}
    result, count = ours.dust(x, **options)
    np.testing.assert_array_equal(result, cc3d.dust(contiguous(x), **options)[0])
    assert count == len(set(result.ravel().tolist()) - {0})  # cc3d also counts labels that do not occur


@given(arrays(values=(1, 2), types=["?", "u1", "i2", "f4"], big_endian=False, layouts=["C", "F", "crop"]), st.integers(0, 5), st.data())
def test_largest_k(x, k, data):
    options = {"connectivity": drawn_connectivity(data, x), "binary_image": data.draw(st.booleans())}
    given = in_values(x, options["binary_image"])
    labels, count = from_cc3d(cc3d.connected_components, given, connectivity=options["connectivity"], return_N=True)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:]
    if k == 0:
        expected = np.zeros(x.shape, np.uint16)
    elif count <= k:
        expected = labels.astype(np.uint16)
    elif k == 1:
        expected = labels == np.argmax(sizes) + 1
    else:
        numbers = np.zeros(count + 1, np.uint16)
        numbers[np.argsort(sizes, kind="stable")[-k:] + 1] = np.arange(1, k + 1)
        expected = numbers[labels]
    result = ours.largest_k(x, k, **options)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    both = ours.largest_k(x, k, return_N=True, **options)
    assert k == 0 or (both[1] == min(count, k) and (both[0] == expected).all())
    if len(set(sizes)) == count:  # cc3d keeps any of equal sizes, and numbers in another order if fastremap is installed
        theirs = from_cc3d(cc3d.largest_k, given, k, connectivity=options["connectivity"])
        pairs = set(zip(result.ravel().tolist(), theirs.ravel().tolist()))
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
        np.testing.assert_array_equal(result != 0, theirs != 0)


def test_largest_k_of_labels():
    labels = np.array([[0, 9, 9, 4, 4, 4, 7, 7, 1, 200]], np.uint8)
    assert ours.largest_k(labels, 1, precomputed_ccl=True).tolist() == (labels == 4).tolist()
    result, count = ours.largest_k(labels, 3, precomputed_ccl=True, return_N=True)
    assert (result.tolist(), count) == ([[0, 2, 2, 3, 3, 3, 1, 1, 0, 0]], 3)
    assert ours.largest_k(labels, 9, precomputed_ccl=True).tolist() == labels.tolist()


@given(arrays(values=(2, 5), types=LABELS, big_endian=False, layouts=["C", "F", "crop"]), st.booleans(), st.booleans())
def test_each(labels, binary, in_place):
    mine = ours.each(labels, binary=binary, in_place=in_place)
    theirs = cc3d.each(contiguous(labels), binary=binary)
    occur = [(label, image) for label, image in theirs if image.any()]  # cc3d also returns labels that do not occur
    assert len(mine) == len(occur)
    steps = 0
    for (label, image), (expected, expected_image) in zip(mine, occur):
        assert (label, type(label), image.dtype, image.flags.writeable) == (expected, type(expected), expected_image.dtype, not in_place)
        np.testing.assert_array_equal(image, expected_image)
        steps += 1
    assert steps == len(occur)


@given(arrays(values=(2, 5), types=LABELS, big_endian=False, layouts=["C", "F"]), st.booleans(), st.data())
def test_contacts(labels, surface_area, data):
    connectivity = drawn_connectivity(data, labels)
    options = {"connectivity": connectivity, "surface_area": surface_area, "anisotropy": (2, 3, 5)}
    if surface_area or connectivity in (4, 6):  # cc3d counts some diagonal pairs several times
        assert ours.contacts(labels, **options) == cc3d.contacts(contiguous(labels), **options)
    assert ours.region_graph(labels, connectivity=connectivity) == cc3d.region_graph(labels, connectivity=connectivity)


@given(arrays(values=(1, 3), types=["?", *INTEGERS], dimensions=(2, 3), big_endian=False), st.data())
def test_voxel_connectivity_graph(x, data):
    connectivity = drawn_connectivity(data, x)
    graph = ours.voxel_connectivity_graph(x, connectivity=connectivity)
    expected = cc3d.voxel_connectivity_graph(contiguous(x), connectivity=connectivity)
    assert (graph.dtype, graph.flags.f_contiguous) == (expected.dtype, expected.flags.f_contiguous)
    np.testing.assert_array_equal(graph, expected)


ONES = np.ones((4, 4), np.uint8)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.connected_components(np.ones((2, 2, 2, 2))), lambda m: m.connected_components(np.array(1)),
        lambda m: m.connected_components(ONES, connectivity=5), lambda m: m.connected_components(ONES[None], connectivity=8),
        lambda m: m.connected_components(ONES, out_dtype=np.int32), lambda m: m.connected_components(ONES.astype(complex)),
        lambda m: m.connected_components(ONES.astype(">i4")), lambda m: m.dust(ONES, 3, connectivity=5),
        lambda m: m.contacts(ONES, connectivity=5), lambda m: m.contacts(ONES.astype(float)), lambda m: m.statistics(ONES.astype(float)),
        lambda m: m.voxel_connectivity_graph(ONES.astype(float)), lambda m: m.voxel_connectivity_graph(ONES, connectivity=5),
    ],
)  # fmt: skip
def test_errors(call):
    with pytest.raises(Exception) as expected:
        call(cc3d)
    with pytest.raises(Exception) as caught:
        call(ours)
    assert caught.type.__name__ == expected.type.__name__


def test_nan_with_periodic_boundary():
    with pytest.raises(NotImplementedError, match="NaN with periodic_boundary"):
        ours.connected_components(np.array([[1, np.nan]]), connectivity=4, periodic_boundary=True)


def test_halves():
    x = in_layout(random_array(3, (5, 6, 7), "f2", 2, 0.5), "F")
    x[0, 0, 0] = -0.0
    np.testing.assert_array_equal(ours.connected_components(x), cc3d.connected_components(x))
