"""Masks, intensities, label images and functions besides label(), with fake arrays and a fake CUDA device."""

import numpy as np
import pytest
import voxcc
import voxcc.cc3d
import voxcc.scipy
import voxcc.skimage
from arrays import equal_tables, random_array
from fake_gpu import CudaArray, Ndarray, X, cupy, device, labels_like


def test_selections_and_tables(device):
    for options in [{"min_size": 3}, {"keep_largest": 2, "sort": "size"}, {"clear_border": True}, {"periodic": True}, {"per_slice": 0},
                    {"threshold": (0, 1)}, {"threshold": ">-1", "values": True}, {"table": True, "spacing": (1, 2, 3), "values": True}]:
        out = labels_like(X)
        got, want = voxcc.label(CudaArray(X), out=CudaArray(out), **options), voxcc.label(X, **options)
        np.testing.assert_array_equal(out, want.labels)
        assert got.count == want.count
        assert (got.table is None) == (want.table is None)
        for name in want.table or {}:
            np.testing.assert_array_equal(got.table[name], want.table[name])


def test_masks(cupy, device):
    mask = random_array(8, X.shape, "f4", 1, 0.6)
    mask[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    for of_mask in (mask, mask != 0, np.asfortranarray(mask), mask.astype("f2"), mask.astype("f8")):
        for options in [{}, {"values": True}, {"order": "F"}, {"per_slice": 1}, {"background": 1, "connectivity": 6}, {"periodic": True}]:
            got, want = voxcc.label(Ndarray(X), mask=Ndarray(of_mask), **options), voxcc.label(X, mask=of_mask, **options)
            np.testing.assert_array_equal(got.labels.array, want.labels)
            assert got.count == want.count
    out = labels_like(X)
    voxcc.label(CudaArray(X), mask=CudaArray(mask), out=CudaArray(out))
    np.testing.assert_array_equal(out, voxcc.label(X, mask=mask).labels)
    assert len(voxcc.label(Ndarray(X[:0]), mask=Ndarray(X[:0]), table=True).table["label"]) == 0
    with pytest.raises(ValueError, match="mask is on the device cuda:1"):
        voxcc.label(Ndarray(X), mask=Ndarray(X, device=1))
    with pytest.raises(ValueError, match="mask has the shape"):
        voxcc.label(Ndarray(X), mask=Ndarray(X[1:]))


def test_table_while_painting(cupy, device):
    """One call paints and measures, unless the table must come first."""
    for options in [{}, {"connectivity": 6}, {"mask": X > 0}, {"order": "F"}, {"per_slice": 1}, {"spacing": (3, 2, 1)}, {"dtype": "i8"}]:
        on_device = {name: Ndarray(value) if name == "mask" else value for name, value in options.items()}
        got, want = voxcc.label(Ndarray(X), table=True, **on_device), voxcc.label(X, table=True, **options)
        np.testing.assert_array_equal(got.labels.array, want.labels)
        assert type(got.count) is int and got.count == want.count
        equal_tables(got.table, want.table)
    assert device.measured_while_painting == 7
    array = X.copy()
    got = voxcc.label(CudaArray(array), table=True, out=CudaArray(array), dtype="i2")
    equal_tables(got.table, voxcc.label(X, table=True).table)
    array = X.astype("i8")
    got = voxcc.label(CudaArray(array), table=True, out=CudaArray(array))
    equal_tables(got.table, voxcc.label(X, table=True).table)
    assert device.measured_while_painting == 9
    for options in [{"values": True}, {"min_size": 2}, {"dtype": "min"}, {"dtype": "i1"}, {"intensity": Ndarray(X)}]:
        voxcc.label(Ndarray(X), table=True, **options)
    voxcc.label(Ndarray(X))
    assert device.measured_while_painting == 9


def test_streams_of_masks(cupy, device):
    """The stream of the array waits for the stream of the mask, which waits for the labelling."""
    out = CudaArray(labels_like(X))
    voxcc.label(CudaArray(X, stream=9), mask=CudaArray(X, stream=9), out=out)
    assert device.stream_waits == []
    voxcc.label(CudaArray(X, stream=9), mask=CudaArray(X, stream=8), out=out)
    assert device.stream_waits == [(0, 8, 9), (0, 9, 8)]
    device.stream_waits.clear()
    voxcc.label(Ndarray(X), mask=Ndarray(X), stream=23)
    assert device.stream_waits == [(0, 7, 23), (0, 7, 23), (0, 23, 7)]


def test_intensities(cupy):
    for dtype in ("?", "u1", "i2", "i8", "f2", "f4", "f8"):
        image = random_array(9, X.shape, dtype, 5, 0.8)
        for options in [{}, {"values": True, "spacing": 2}, {"min_size": 3, "sort": "size"}, {"per_slice": 2}, {"mask": X > 1}]:
            on_device = {name: Ndarray(value) if name == "mask" else value for name, value in options.items()}
            got = voxcc.label(Ndarray(X), table=True, intensity=Ndarray(image), **on_device)
            equal_tables(got.table, voxcc.label(X, table=True, intensity=image, **options).table)
    empty = voxcc.label(Ndarray(X[:0]), table=True, intensity=Ndarray(image[:0]))
    equal_tables(empty.table, voxcc.label(X[:0], table=True, intensity=image[:0]).table)


def test_slices_across_every_axis(cupy, device):
    for layout in ("C", "F"):
        x = np.asarray(X, order=layout)
        for axis in (0, 1, 2, -1):
            for order in ("C", "F", "memory"):
                for options in ({}, {"values": True, "connectivity": 4}, {"table": True, "spacing": (1, 2, 3), "periodic": (axis + 1) % 3}):
                    got, want = (
                        voxcc.label(a, per_slice=axis, order=order, **options) for a in (Ndarray(x), x)
                    )
                    np.testing.assert_array_equal(got.labels.array, want.labels)
                    assert got.count == want.count
                    flags = got.labels.flags
                    assert flags.f_contiguous if order == "F" or (order == "memory" and layout == "F") else flags.c_contiguous
                    if want.table:
                        equal_tables(got.table, want.table)
    for layout in ("C", "F"):  # no copy of the array is necessary
        x = np.asarray(X, order=layout)
        voxcc.label(Ndarray(x), per_slice=0 if layout == "C" else 2, order=layout)
        assert device.labelled[-1][0] == x.ctypes.data
    out = Ndarray(labels_like(X, "i8"))
    assert voxcc.label(Ndarray(X), per_slice=1, out=out).labels is out
    np.testing.assert_array_equal(out.array, voxcc.label(X, per_slice=1).labels)
    assert voxcc.label(Ndarray(X[:, :0]), per_slice=1).labels.shape == (5, 0, 7)


def test_label_images(cupy):
    """measure(), contacts(), and the functions that use them."""
    for dtype in ("?", "u1", "i4", "u8"):
        for layout in ("C", "F"):
            labels = np.asarray(random_array(5, (6, 7, 8), dtype, 4, 0.7), order=layout)
            equal_tables(voxcc.measure(Ndarray(labels)), voxcc.measure(labels))
            equal_tables(voxcc.measure(CudaArray(labels), spacing=(1, 2, 3)), voxcc.measure(labels, spacing=(1, 2, 3)))
            image = np.asarray(random_array(6, labels.shape, "i2", 9, 0.9), order=layout)
            equal_tables(voxcc.measure(Ndarray(labels), Ndarray(image)), voxcc.measure(labels, image))
            equal_tables(voxcc.contacts(Ndarray(labels), 6, spacing=2), voxcc.contacts(labels, 6, spacing=2))
            assert voxcc.cc3d.contacts(Ndarray(labels)) == voxcc.cc3d.contacts(labels)
            assert voxcc.cc3d.region_graph(Ndarray(labels), 6) == voxcc.cc3d.region_graph(labels, 6)
            assert voxcc.scipy.find_objects(Ndarray(labels)) == voxcc.scipy.find_objects(labels)
            if labels.dtype.kind in "iu":
                names = ("label", "bbox", "area", "centroid", "intensity_mean", "centroid_weighted")
                equal_tables(voxcc.skimage.regionprops_table(Ndarray(labels), Ndarray(image), names),
                             voxcc.skimage.regionprops_table(labels, image, names))
    with pytest.raises(NotImplementedError, match="euler_number"):
        voxcc.skimage.regionprops_table(Ndarray(labels), properties=("euler_number",))
    with pytest.raises(TypeError, match="must be integers"):
        voxcc.measure(Ndarray(X.astype("f4")))
    with pytest.raises(TypeError, match="intensity is of the type"):
        voxcc.measure(Ndarray(labels), labels)
    for shape in ((0,), (3, 0), (2, 0, 4)):
        empty = np.zeros(shape, "i4")
        equal_tables(voxcc.measure(Ndarray(empty), Ndarray(empty)), voxcc.measure(empty, empty))
        equal_tables(voxcc.contacts(Ndarray(empty), spacing=1), voxcc.contacts(empty, spacing=1))


def test_filter(cupy):
    x = random_array(7, (6, 7, 8), "i4", 3, 0.3)

    def is_small(table):
        return table["voxels"] < 9

    np.testing.assert_array_equal(voxcc.filter(Ndarray(x), is_small, spacing=2).array, voxcc.filter(x, is_small, spacing=2))


def equal_results(got, want):
    if isinstance(want, tuple):
        assert got[1] == want[1] and isinstance(got[1], int)
        got, want = got[0], want[0]
    assert isinstance(got, Ndarray) and got.dtype == want.dtype
    np.testing.assert_array_equal(got.array, want)


def test_cc3d(cupy):
    for seed, (shape, dtype, layout) in enumerate([((6, 7, 8), "i4", "C"), ((6, 7, 8), "u1", "F"), ((9, 12), "?", "C"), ((40,), "f4", "C")]):
        x = np.asarray(random_array(seed, shape, dtype, 3, 0.4), order=layout)
        for options in [{}, {"return_N": True, "binary_image": True}, {"out_dtype": np.uint64}, {"periodic_boundary": True}]:
            equal_results(voxcc.cc3d.connected_components(Ndarray(x), **options), voxcc.cc3d.connected_components(x, **options))
        for threshold in (0, 2, 3.5, (2, 5), (5, 2)):
            for options in [{}, {"return_N": True}, {"invert": True, "return_N": True}, {"binary_image": True}, {"in_place": True},
                            {"precomputed_ccl": True, "return_N": True}, {"precomputed_ccl": True, "invert": True}]:
                if dtype == "f4" and "precomputed_ccl" in options:
                    continue
                y, z = x.copy(order="K"), Ndarray(x.copy(order="K"))
                got = voxcc.cc3d.dust(z, threshold, **options)
                equal_results(got, voxcc.cc3d.dust(y, threshold, **options))
                assert (got is z) == ("in_place" in options)
        for k in (0, 1, 2, 4, 1000):
            for options in [{}, {"return_N": True}, {"binary_image": True}, {"precomputed_ccl": True, "return_N": True}]:
                if dtype == "f4" and "precomputed_ccl" in options:
                    continue
                equal_results(voxcc.cc3d.largest_k(Ndarray(x), k, **options), voxcc.cc3d.largest_k(x, k, **options))
        labels = voxcc.cc3d.connected_components(x)
        for convert in (True, False):
            got, want = (voxcc.cc3d.statistics(a, no_slice_conversion=convert) for a in (Ndarray(labels), labels))
            np.testing.assert_equal(got, want)
    with pytest.raises(NotImplementedError, match="NaN"):
        voxcc.cc3d.connected_components(Ndarray(np.full((3, 3), np.nan)))
    with pytest.raises(NotImplementedError, match="16 bits"):
        voxcc.cc3d.dust(Ndarray(X.astype("f2")), 3)
    with pytest.raises(NotImplementedError, match="delta"):
        voxcc.cc3d.largest_k(Ndarray(X), 3, delta=1)
    with pytest.raises(ValueError, match="out_dtype"):
        voxcc.cc3d.connected_components(Ndarray(X), out_dtype=np.int32)
    with pytest.raises(ValueError, match="connectivities"):
        voxcc.cc3d.connected_components(Ndarray(X), connectivity=5)
    labels, count = voxcc.cc3d.connected_components(Ndarray(X[:0]), return_N=True)
    assert labels.shape == (0, 6, 7) and count == 0


def test_empty_arrays(cupy):
    for shape in [(0,), (3, 0), (2, 0, 4)]:
        result = voxcc.label(Ndarray(np.zeros(shape, "f4")), table=True)
        assert result.labels.shape == shape and result.count == 0 and len(result.table["label"]) == 0
        assert result.table.keys() == voxcc.label(np.zeros(shape, "f4"), table=True).table.keys()


def test_filters(cupy):
    for dtype in ("?", "u1", "i8", "f4"):
        x = random_array(7, (6, 7, 8), dtype, 3, 0.3)
        np.testing.assert_array_equal(voxcc.keep_largest(Ndarray(x), 2).array, voxcc.keep_largest(x, 2))
        np.testing.assert_array_equal(voxcc.remove_small(Ndarray(x), 3, 6, values=True).array, voxcc.remove_small(x, 3, 6, values=True))
        out = Ndarray(np.empty_like(x))
        assert voxcc.remove_small(Ndarray(x), 0, out=out) is out
        np.testing.assert_array_equal(out.array, x)
        with pytest.raises(ValueError, match="out must be"):
            voxcc.remove_small(Ndarray(x), 3, out=Ndarray(x[:2]))


def test_compatible_modules(cupy):
    for structure in (None, np.ones((3, 3, 3)), [[[0] * 3] * 3, [[1] * 3] * 3, [[0] * 3] * 3]):
        for x in (X, X.astype("f4") * np.nan, np.asfortranarray(X)):
            labels, count = voxcc.scipy.label(Ndarray(x), structure)
            expected, number = voxcc.scipy.label(np.ascontiguousarray(x), structure)
            np.testing.assert_array_equal(labels.array, expected)
            assert (labels.dtype, count, type(count)) == (np.int32, number, int)
    out = Ndarray(labels_like(X, "i8"))
    assert voxcc.scipy.label(Ndarray(X), output=out) == voxcc.scipy.label(X)[1]
    with pytest.raises(NotImplementedError, match="structure"):
        voxcc.scipy.label(Ndarray(X), np.ones((3, 3, 3)) - np.eye(3))
    for x in (X, X != 0, X.astype("f4") + 0.5, X.astype("u1")):
        for background in (None, 0, 1, -1):
            labels, count = voxcc.skimage.label(Ndarray(x), background, True, 2)
            expected, number = voxcc.skimage.label(x, background, True, 2)
            if x.dtype == bool and background == 1:
                expected, number = voxcc.skimage.label(~x, 0, True, 2)
            np.testing.assert_array_equal(labels.array, expected)
            assert (labels.dtype, count, type(count)) == (np.int32, number, int)
    with pytest.raises(ValueError, match="Connectivity"):
        voxcc.skimage.label(Ndarray(X), connectivity=4)
