"""label(delta=), NaN as components of their own, and connectivity graphs, against graphs of single voxels."""

import cc3d
import numpy as np
import pytest
import voxcc
import voxcc.cc3d as ours
from arrays import FULL, INTEGERS, arrays, reach_of
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from test_cc3d import CONNECTIVITIES, contiguous


def graph_labels(x, connectivity, joined, foreground, order):
    """Labels and count of a graph with one edge per pair of neighbours for which joined(a, b) is true."""
    index = np.arange(x.size).reshape(x.shape)
    first, second = [], []
    for step in np.ndindex((3,) * x.ndim):
        step = np.array(step) - 1
        if not 0 < np.abs(step).sum() <= reach_of(connectivity) or tuple(step) < (0,) * x.ndim:
            continue
        own = tuple(slice(max(-s, 0), n - max(s, 0)) for s, n in zip(step, x.shape))
        other = tuple(slice(max(s, 0), n - max(-s, 0)) for s, n in zip(step, x.shape))
        edge = foreground[own] & foreground[other] & joined(x[own], x[other])
        first.append(index[own][edge])
        second.append(index[other][edge])
    first, second = np.concatenate(first), np.concatenate(second)
    components = connected_components(coo_matrix((np.ones(len(first)), (first, second)), (x.size, x.size)), directed=False)[1]
    components = np.where(foreground, components.reshape(x.shape), -1)
    used, place = np.unique(components.ravel(order=order), return_index=True)
    place = place[used >= 0]
    numbers = np.zeros(x.size + 1, np.int64)
    numbers[used[used >= 0][np.argsort(place)]] = np.arange(1, len(place) + 1)
    return numbers[components], len(place)


def exactly_near(a, b, delta):
    """Differences of 80-bit floats are exact here, or off the limit by more than their rounding error."""
    return np.abs(a.astype(np.longdouble) - b.astype(np.longdouble)) <= np.longdouble(delta)


def near(delta):
    def joined(a, b):
        if a.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                return (a == b) | exactly_near(a, b, delta)
        return np.vectorize(lambda p, q: abs(int(p) - int(q)) <= delta, otypes=[bool])(a, b)

    return joined


@given(arrays(types=[*INTEGERS, "f2", "f4", "f8"], values=(3, 9)), st.sampled_from([0, 1, 2.5, 4, 1e30]), st.data())
def test_delta(x, delta, data):
    connectivity = data.draw(st.sampled_from([FULL[x.ndim], {1: 26, 2: 4, 3: 6}[x.ndim], {1: 26, 2: 8, 3: 18}[x.ndim]]))
    order = data.draw(st.sampled_from("CF"))
    native = x.astype(x.dtype.newbyteorder("="))
    expected, count = graph_labels(native, connectivity, near(delta), (native != 0) & (native == native), order)
    result = voxcc.label(x, connectivity, delta=delta, order=order, table=True)
    np.testing.assert_array_equal(result.labels, expected)
    assert result.count == count
    np.testing.assert_array_equal(result.table["voxels"], np.bincount(expected.ravel(), minlength=count + 1)[1:])


@pytest.mark.parametrize("dtype", [*INTEGERS, "f4", "f8"])
def test_extreme_values(dtype):
    limits = np.iinfo(dtype) if dtype[0] in "iu" else np.finfo(dtype)
    x = np.array([limits.max, limits.min or 1, limits.max - 1, limits.max, limits.min or 1], dtype)
    assert voxcc.label(x, delta=1).labels.tolist() == [1, 2, 3, 3, 4]
    assert voxcc.label(x, delta=2.0**65 if dtype[0] in "iu" else np.inf).count == 1


def test_exact_differences():
    x = np.array([1, -(2.0**-60)])
    assert voxcc.label(x, delta=1).count == 2  # the difference rounds to 1
    assert voxcc.label(np.array([1, 2.0**-60]), delta=1).count == 1
    x = np.array([0.2, 0.1], np.float32)  # their difference is 0.1 as float32
    assert voxcc.label(x, delta=0.1).count == 1
    assert voxcc.label(x, delta=0.0999999).count == 2
    assert voxcc.label(x.astype(np.float64), delta=0.1).count == 2
    assert voxcc.label(x, delta=1e300).count == 1
    x = np.array([2**63, 2**63 - 1, 2**63 - 4], np.uint64)
    assert voxcc.label(x, delta=1).labels.tolist() == [1, 1, 2]
    assert voxcc.label(np.array([1, 255], np.uint8), delta=2).count == 2


def test_periodic_arrays():
    rng = np.random.default_rng(9)
    for connectivity in (6, 18, 26):
        for axes in (0, 1, 2, (0, 2), True):
            x = rng.integers(0, 12, (3, 5, 70)).astype(rng.choice(["u1", "i8", "f4"]))
            padded = np.pad(x, 1, mode="wrap")  # the copies of each voxel are connected with the voxel by hand
            wrapped = range(3) if axes is True else np.atleast_1d(axes)
            labels = voxcc.label(x, connectivity, delta=2, periodic=axes, threads=3).labels
            keep = tuple(slice(None) if a in wrapped else slice(1, -1) for a in range(3))
            pieces = voxcc.label(padded[keep], connectivity, delta=2).labels
            number = np.pad(np.arange(1, x.size + 1).reshape(x.shape), 1, mode="wrap")[keep]
            first, second = pieces.ravel(), number.ravel() + pieces.max()
            inside = first > 0
            graph = coo_matrix((np.ones(inside.sum()), (first[inside], second[inside])), (x.size + pieces.max() + 1,) * 2)
            parts = connected_components(graph, directed=False)[1][pieces.max() + 1 :].reshape(x.shape)
            pairs = np.unique(np.stack([labels[x != 0], parts[x != 0]]), axis=1)
            assert len(np.unique(pairs[0])) == len(np.unique(pairs[1])) == pairs.shape[1]


def test_infinite_values():
    x = np.array([np.inf, np.inf, -np.inf, 1, np.nan, 2])
    assert voxcc.label(x, delta=5).labels.tolist() == [1, 1, 2, 3, 0, 4]
    assert voxcc.label(x, delta=np.inf).labels.tolist() == [1, 1, 1, 1, 0, 2]


def test_threads_and_slices():
    x = np.random.default_rng(3).integers(0, 50, (70, 40, 130), np.uint8)
    one = voxcc.label(x, 6, delta=3, threads=1, table=True)
    four = voxcc.label(x, 6, delta=3, threads=4, table=True)
    np.testing.assert_array_equal(one.labels, four.labels)
    assert all((one.table[name] == four.table[name]).all() for name in one.table)
    slices = voxcc.label(x, 4, delta=3, per_slice=1).labels
    count = 0
    for y in range(x.shape[1]):
        labels = voxcc.label(x[:, y], 4, delta=3)
        np.testing.assert_array_equal(slices[:, y], np.where(labels.labels > 0, labels.labels + np.uint32(count), 0))
        count += labels.count


@given(arrays(types=["f4", "f8"], values=(3, 6), big_endian=False), st.sampled_from([0.5, 1, 2]), st.data())
def test_delta_of_cc3d(x, delta, data):
    connectivity = data.draw(st.sampled_from(CONNECTIVITIES[x.ndim]))
    options = {"connectivity": connectivity, "delta": delta, "return_N": True}
    labels, count = ours.connected_components(x, **options)
    expected, expected_count = cc3d.connected_components(contiguous(x), **options)
    np.testing.assert_array_equal(labels, expected)
    assert count == expected_count


def test_delta_of_other_functions():
    x = np.array([[1, 2, 9, 0], [0, 0, 8, 4]], np.float32)
    assert ours.largest_k(x, 1, delta=1, connectivity=4).tolist() == cc3d.largest_k(x, 1, delta=1, connectivity=4).tolist()
    assert ours.connected_components(x > 0, delta=1).max() == 1
    for call in (
        lambda m: m.connected_components(x, delta=1, periodic_boundary=True, connectivity=4),
        lambda m: m.connected_components(x.astype(np.float16), delta=1),
    ):
        with pytest.raises(Exception) as expected:
            call(cc3d)
        with pytest.raises(expected.type):
            call(ours)
    with pytest.raises(ValueError):
        ours.connected_components(x, delta=-1)


@given(arrays(types=["f2", "f4", "f8"], values=(1, 3), big_endian=False), st.data())
def test_nan_in_multi_label_mode(x, data):
    """Each NaN is a component of its own. cc3d compares the bits of halves."""
    x = contiguous(x)
    x[np.random.default_rng(data.draw(st.integers(0, 99))).random(x.shape) < 0.3] = np.nan
    connectivity = data.draw(st.sampled_from(CONNECTIVITIES[x.ndim]))
    labels, count = ours.connected_components(x, connectivity=connectivity, return_N=True)
    try:
        expected, expected_count = cc3d.connected_components(x, connectivity=connectivity, return_N=True)
    except ValueError:  # cc3d fails for some arrays with few values ("cannot convert float NaN to integer")
        assert x.size < 1000
    else:
        np.testing.assert_array_equal(labels, expected)
        assert count == expected_count
    if x.dtype != np.float16:
        order = "F" if x.flags.f_contiguous and not x.flags.c_contiguous else "C"
        full = FULL[x.ndim] if x.ndim < 3 and connectivity in (18, 26) else connectivity
        np.testing.assert_array_equal(labels, graph_labels(x, full, lambda a, b: a == b, x != 0, order)[0])
    np.testing.assert_array_equal(ours.dust(x, 2, connectivity=connectivity) != 0, np.bincount(labels.ravel())[labels] * (labels > 0) > 1)


@st.composite
def graphs(draw):
    """Random bits, which need not be symmetric."""
    ndim, connectivity = draw(st.sampled_from([(2, 4), (2, 8), (3, 6), (3, 26)]))
    dtype = "u4" if connectivity == 26 else draw(st.sampled_from(["u1", "u4"]))
    shape = tuple(draw(st.integers(1, 9)) for _ in range(ndim))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    bits = random.random((np.dtype(dtype).itemsize * 8, *shape)) < draw(st.sampled_from([0.05, 0.3]))
    graph = np.zeros(shape, dtype)
    for bit, plane in enumerate(bits):
        graph |= plane.astype(dtype) << np.dtype(dtype).type(bit)
    return np.array(graph, order=draw(st.sampled_from("CF"))), connectivity


@given(graphs())
def test_color_connectivity_graph(drawn):
    graph, connectivity = drawn
    labels, count = ours.color_connectivity_graph(graph, connectivity, return_N=True)
    expected, expected_count = cc3d.color_connectivity_graph(np.asfortranarray(graph), connectivity, return_N=True)
    assert (labels.dtype, labels.flags.f_contiguous, count) == (expected.dtype, expected.flags.f_contiguous, expected_count)
    np.testing.assert_array_equal(labels, expected)


@given(arrays(types=INTEGERS, values=(1, 3), dimensions=(2, 3), big_endian=False), st.data())
def test_color_of_voxel_connectivity_graph(x, data):
    """The components of the graph of an image are its components of equal values, also of the value 0."""
    connectivity = data.draw(st.sampled_from({2: [4], 3: [6, 26]}[x.ndim]))
    labels = ours.color_connectivity_graph(ours.voxel_connectivity_graph(x, connectivity), connectivity)
    expected = graph_labels(x, connectivity, lambda a, b: a == b, np.ones(x.shape, bool), "F")[0]
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize(
    "graph", [np.ones((3, 3), np.int32), np.ones(3, np.uint32), np.ones((3, 3, 3), np.uint8), np.ones((2, 3, 2, 1), np.uint8)]
)
def test_errors_of_graphs(graph):
    with pytest.raises(Exception) as expected:
        cc3d.color_connectivity_graph(graph, 26)
    with pytest.raises(Exception) as caught:
        ours.color_connectivity_graph(graph, 26)
    assert caught.type.__name__ == expected.type.__name__


@given(arrays(types=INTEGERS, values=(1, 3), layouts=["C", "F"], big_endian=False))
def test_estimate_provisional_labels(x):
    assert ours.estimate_provisional_labels(x) == cc3d.estimate_provisional_labels(x)


@given(arrays(types=["u1", "i4", "f4"], values=(1, 3), dimensions=(3,), layouts=["C", "F"], big_endian=False), st.data())
def test_stack(x, data):
    options = {"connectivity": data.draw(st.sampled_from([6, 26])), "binary_image": data.draw(st.booleans()), "return_N": True}
    cuts = sorted(data.draw(st.lists(st.integers(0, x.shape[2]), max_size=3)))
    labels, count = ours.connected_components_stack(np.split(x, cuts, axis=2), **options)
    expected, expected_count = ours.connected_components(np.asfortranarray(x), **options)
    np.testing.assert_array_equal(labels, expected)
    assert count == expected_count


def test_stack_errors():
    for images, kind in (([], ValueError), ([np.ones((2, 2))], voxcc.DimensionError), ([np.ones((2, 2, 1)), np.ones((2, 3, 1))], ValueError)):
        with pytest.raises(kind):
            ours.connected_components_stack(images)
    with pytest.raises(ValueError):
        ours.connected_components_stack([np.ones((2, 2, 2))], connectivity=18)


def test_out_file(tmp_path):
    x = np.asfortranarray(np.random.default_rng(2).integers(0, 3, (5, 6, 7), np.uint8))
    expected = cc3d.connected_components(x, out_file=str(tmp_path / "theirs"))
    labels = ours.connected_components(x, out_file=str(tmp_path / "labels"))
    assert isinstance(labels, np.memmap)
    np.testing.assert_array_equal(labels, expected)
    labels.flush()
    assert (tmp_path / "labels").read_bytes() == expected.tobytes(order="F")
    with open(tmp_path / "open", "w+b") as file:
        np.testing.assert_array_equal(ours.connected_components(np.ascontiguousarray(x), out_file=file), ours.connected_components(np.ascontiguousarray(x)))
