"""Masks, intensities, label images and functions besides label(), with arrays on a real CUDA device. Skipped without a device."""

import numpy as np
import pytest
import scipy.ndimage
import voxcc
import voxcc.cc3d
import voxcc.scipy
import voxcc.skimage
from arrays import equal_tables, random_array, structure_of
from real_gpu import CuPyArrays, PyTorchArrays, arrays, needs_gpu

pytestmark = needs_gpu


def test_filters(arrays):
    for dtype in ("?", "u1", "f4"):
        x = random_array(8, (40, 50, 60), dtype, 3, 0.2)
        np.testing.assert_array_equal(arrays.get(voxcc.keep_largest(arrays.put(x), 3)), voxcc.keep_largest(x, 3))
        np.testing.assert_array_equal(arrays.get(voxcc.remove_small(arrays.put(x), 4, 6, values=True)),
                                      voxcc.remove_small(x, 4, 6, values=True))  # fmt: skip
        out = arrays.put(np.empty_like(x))
        assert voxcc.remove_small(arrays.put(x), 4, out=out) is out
        np.testing.assert_array_equal(arrays.get(out), voxcc.remove_small(x, 4))


def test_compatible_modules(arrays):
    x = random_array(9, (40, 50, 60), "i4", 3, 0.3)
    for structure in (None, structure_of(26, 3)):
        labels, count = voxcc.scipy.label(arrays.put(x), structure)
        want, number = scipy.ndimage.label(x, structure)
        np.testing.assert_array_equal(arrays.get(labels), want)
        assert count == number and arrays.get(labels).dtype == np.int32
    for y in (x, x != 0, x.astype("f4")):
        labels, count = voxcc.skimage.label(arrays.put(y), return_num=True)
        want, number = voxcc.skimage.label(y, return_num=True)
        np.testing.assert_array_equal(arrays.get(labels), want)
        assert count == number and arrays.get(labels).dtype == np.int32


def test_labels_of_cupyx():
    cupy, ndimage = pytest.importorskip("cupy"), pytest.importorskip("cupyx.scipy.ndimage")
    for seed, density in enumerate((0.1, 0.3, 0.6)):
        x = cupy.asarray(random_array(seed, (60, 70, 80), "u1", 1, density))
        for structure in (None, cupy.ones((3, 3, 3), bool)):
            ours, theirs = voxcc.scipy.label(x, structure), ndimage.label(x, structure)
            assert ours[1] == theirs[1] and ours[0].dtype == theirs[0].dtype
            assert cupy.array_equal(ours[0], theirs[0])


def equal_results(arrays, got, want):
    np.testing.assert_array_equal(arrays.get(got.labels), want.labels)
    assert got.count == want.count
    if want.table:
        equal_tables(got.table, want.table)


def test_masks(arrays):
    for seed, shape in enumerate([(7,), (65, 33), (30, 64, 48), (33, 65, 70)]):
        x = random_array(seed, shape, ["u1", "i2", "u1", "f4"][seed], 3, 0.3)
        for dtype in ("?", "u1", "i2", "u4", "i8", "f2", "f4", "f8"):
            mask = random_array(seed + 7, shape, dtype, 2, 0.8)
            if mask.dtype.kind == "f":
                mask[np.random.default_rng(seed).random(shape) < 0.1] = np.nan
            for options in ({}, {"values": True}, {"min_size": 3}, {"periodic": True}, {"order": "F"}):
                got = voxcc.label(arrays.put(x), mask=arrays.put(mask), **options)
                equal_results(arrays, got, voxcc.label(x, mask=mask, **options))
    x = random_array(1, (30, 40, 50), "u1", 2, 0.4)
    with pytest.raises(ValueError, match="mask has the shape"):
        voxcc.label(arrays.put(x), mask=arrays.put(x[1:]))
    with pytest.raises(TypeError, match="mask is of the type ndarray"):
        voxcc.label(arrays.put(x), mask=x)
    equal_results(arrays, voxcc.label(arrays.put(x), mask=arrays.put(np.asfortranarray(x))), voxcc.label(x, mask=x))


def test_masks_of_other_streams_and_libraries():
    cupy, torch = CuPyArrays(), PyTorchArrays()
    x, mask = random_array(1, (64, 60, 50), "u1", 1, 0.5), random_array(2, (64, 60, 50), "u1", 1, 0.5)
    want = voxcc.label(x, mask=mask)
    source, late = torch.put(mask), torch.zeros(mask.shape, "uint8")
    voxcc.label(cupy.put(x), mask=source)
    torch.wait()
    for order in ("C", "F"):  # F: the mask is copied on its stream
        with torch.using(torch.stream()):
            late[...] = 0
            torch.keep_busy()
            late[...] = source
            result = voxcc.label(cupy.put(x), mask=late, order=order)
            late[...] = 0
            np.testing.assert_array_equal(cupy.get(result.labels), voxcc.label(x, mask=mask, order=order).labels)
        assert result.count == want.count


def test_intensities(arrays):
    """Sums over the same rows in the same order are equal to the last bit."""
    for seed, shape in enumerate([(200,), (65, 130), (40, 64, 60), (120, 300, 260)]):
        x = random_array(seed, shape, "u1", 2, 0.35)
        for dtype in ("u1", "i2", "u4", "i8", "f2", "f4", "f8", "?") if seed < 3 else ("f4",):
            image = random_array(seed + 5, shape, dtype, 100, 0.9)
            if image.dtype.kind == "f":
                image = image * np.random.default_rng(seed).random(shape).astype(dtype)
                image[np.random.default_rng(seed + 1).random(shape) < 0.01] = np.nan
            for options in ({}, {"values": True, "spacing": 2.0}, {"min_size": 4, "sort": "size"}):
                got = voxcc.label(arrays.put(x), table=True, intensity=arrays.put(image), **options)
                equal_results(arrays, got, voxcc.label(x, table=True, intensity=image, **options))
        if len(shape) == 3 and seed < 3:
            for axis in range(3):
                got = voxcc.label(arrays.put(x), table=True, intensity=arrays.put(image), mask=arrays.put(x), per_slice=axis)
                equal_results(arrays, got, voxcc.label(x, table=True, intensity=image, mask=x, per_slice=axis))


def test_slices_across_every_axis(arrays):
    x = random_array(6, (20, 33, 65), "i2", 2, 0.4)
    for layout in ("C", "F"):
        y = np.asarray(x, order=layout)
        for axis in range(3):
            for options in ({}, {"values": True, "connectivity": 4}, {"order": "F", "table": True}, {"order": "memory", "min_size": 3}):
                equal_results(arrays, voxcc.label(arrays.put(y), per_slice=axis, **options), voxcc.label(y, per_slice=axis, **options))
    out = arrays.zeros(x.shape, "int32")
    assert voxcc.label(arrays.put(x), per_slice=2, out=out).labels is out
    np.testing.assert_array_equal(arrays.get(out), voxcc.label(x, per_slice=2).labels)


def test_label_images(arrays):
    for seed, (shape, dtype) in enumerate([((50,), "u1"), ((64, 33), "i2"), ((40, 50, 70), "i4"), ((33, 64, 65), "u8"), ((20, 20, 30), "?")]):
        for layout in ("C", "F"):
            labels = np.asarray(random_array(seed, shape, dtype, 4, 0.7), order=layout)
            if labels.dtype.kind == "i":
                labels[labels == 2] = -5
            image = np.asarray(random_array(seed + 3, shape, "f4", 50, 0.9), order=layout)
            equal_tables(voxcc.measure(arrays.put(labels)), voxcc.measure(labels))
            equal_tables(voxcc.measure(arrays.put(labels), background=True, spacing=2), voxcc.measure(labels, background=True, spacing=2))
            equal_tables(voxcc.measure(arrays.put(labels), arrays.put(image)), voxcc.measure(labels, image))
            equal_tables(voxcc.contacts(arrays.put(labels), spacing=2), voxcc.contacts(labels, spacing=2))
            assert voxcc.scipy.find_objects(arrays.put(labels)) == voxcc.scipy.find_objects(labels)
            np.testing.assert_equal(voxcc.cc3d.contacts(arrays.put(labels)), voxcc.cc3d.contacts(labels))
            if labels.dtype.kind in "iu" and labels.ndim > 1:
                names = ("label", "bbox", "area", "centroid", "extent", "intensity_mean", "centroid_weighted")
                equal_tables(voxcc.skimage.regionprops_table(arrays.put(labels), arrays.put(image), names),
                             voxcc.skimage.regionprops_table(labels, image, names))  # fmt: skip
    components = voxcc.label(random_array(1, (128, 130, 140), "u1", 1, 0.3)).labels.astype("i4")
    equal_tables(voxcc.measure(arrays.put(components)), voxcc.measure(components))
    with pytest.raises(TypeError, match="must be integers"):
        voxcc.measure(arrays.put(image))


def test_filter(arrays):
    x = random_array(7, (30, 40, 50), "i4", 3, 0.3)

    def is_small(table):
        return table["voxels"] < 9

    np.testing.assert_array_equal(arrays.get(voxcc.filter(arrays.put(x), is_small)), voxcc.filter(x, is_small))


def equal_to_cc3d(arrays, got, want):
    if isinstance(want, tuple):
        assert got[1] == want[1]
        got, want = got[0], want[0]
    got = arrays.get(got)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_cc3d(arrays):
    for seed, (shape, dtype, layout) in enumerate([((40, 50, 64), "i4", "C"), ((30, 33, 65), "u1", "F"), ((90, 120), "?", "C")]):
        x = np.asarray(random_array(seed, shape, dtype, 3, 0.35), order=layout)
        for options in ({}, {"return_N": True, "binary_image": True}, {"out_dtype": np.uint64}, {"periodic_boundary": True}):
            equal_to_cc3d(arrays, voxcc.cc3d.connected_components(arrays.put(x), **options), voxcc.cc3d.connected_components(x, **options))
        for options in ({}, {"return_N": True, "invert": True}, {"precomputed_ccl": True, "return_N": True}, {"in_place": True}):
            for threshold in (3, (2, 6)):
                want = voxcc.cc3d.dust(x.copy(order="K"), threshold, **options)
                equal_to_cc3d(arrays, voxcc.cc3d.dust(arrays.put(x), threshold, **options), want)
        for k in (0, 1, 3, 10**6):
            for options in ({"return_N": True}, {"precomputed_ccl": True}):
                equal_to_cc3d(arrays, voxcc.cc3d.largest_k(arrays.put(x), k, **options), voxcc.cc3d.largest_k(x, k, **options))
        labels = voxcc.cc3d.connected_components(x).astype("i4")
        np.testing.assert_equal(voxcc.cc3d.statistics(arrays.put(labels)), voxcc.cc3d.statistics(labels))
    with pytest.raises(NotImplementedError, match="NaN"):
        voxcc.cc3d.connected_components(arrays.put(np.full((3, 3), np.nan)))
