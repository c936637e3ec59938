"""Several images, percentiles and the shape in tables, against NumPy, scikit-image and definitions."""

import itertools

import numpy as np
import pytest
import scipy.ndimage
import voxcc
from arrays import in_layout
from skimage import measure

SHAPE = {"euler_number", "sphericity", "equivalent_diameter", "extent", "feret"}


def mask_of(seed, ndim):
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(1 if seed % 3 == 0 else 4, 12, ndim))
    return in_layout(scipy.ndimage.gaussian_filter(random.normal(size=shape), 0.7) > 0.1, "CF"[seed % 2])


@pytest.mark.parametrize("ndim", (1, 2, 3))
@pytest.mark.parametrize("seed", range(8))
def test_images_and_percentiles(ndim, seed):
    mask = mask_of(seed, ndim)
    random = np.random.default_rng(seed + 100)
    images = {"a": random.normal(size=mask.shape).astype(np.float32), "b c": random.integers(-99, 99, mask.shape).astype(np.int16),
              "half": random.normal(size=mask.shape).astype(np.float16), "wide": random.integers(-(2**62), 2**62, mask.shape)}
    images["a"][random.random(mask.shape) < 0.1] = np.nan
    percents = [0, 5, 50, 99.5, 100]
    result = voxcc.label(mask, table=True, intensity=images, percentiles=percents, threads=1 + seed % 3)
    table = result.table
    for name, image in images.items():
        alone = voxcc.label(mask, table=True, intensity=image).table
        for column in ("mean", "std", "min", "max", "sum"):
            np.testing.assert_array_equal(table[f"{name}_{column}"], alone[f"intensity_{column}"])
        for row in range(result.count):
            values = image[result.labels == row + 1].astype(float)
            values = values[~np.isnan(values)]
            for percent in percents:
                want = np.percentile(values, percent) if values.size else np.nan
                np.testing.assert_allclose(table[f"{name}_p{percent}"][row], want, rtol=1e-14)
    measured = voxcc.measure(result.labels, images, percentiles=percents)
    for name in measured:
        np.testing.assert_array_equal(measured[name], table[name], err_msg=name)


def test_percentiles_of_periodic_arrays_and_selections():
    x = np.array([3, 0, 1, 2, 0, 5])
    table = voxcc.label(x, table=True, intensity=x, percentiles=50, periodic=True, min_size=2, sort="size").table
    assert table["intensity_p50"].tolist() == [4.0, 1.5]
    assert table["intensity_mean"].tolist() == [4.0, 1.5]


@pytest.mark.parametrize("arguments, error", (
    ({"percentiles": [5]}, ValueError), ({"percentiles": [101], "intensity": [1, 2, 3]}, ValueError),
    ({"percentiles": "5", "intensity": [1, 2, 3]}, TypeError), ({"percentiles": [None], "intensity": [1, 2, 3]}, TypeError),
    ({"percentiles": [True], "intensity": [1, 2, 3]}, TypeError), ({"percentiles": np.nan, "intensity": [1, 2, 3]}, ValueError),
    ({"intensity": {1: [1, 2, 3]}}, TypeError), ({"intensity": {"a": [1, 2]}}, ValueError), ({"shape": 2}, TypeError),
))
def test_arguments_that_are_not_valid(arguments, error):
    labels = np.array([1, 0, 2])
    with pytest.raises(error):
        voxcc.measure(labels, **arguments)
    with pytest.raises(error):
        voxcc.label(labels, table=True, **arguments)


def test_shape_needs_a_table():
    for arguments in ({"shape": True}, {"percentiles": 5}):
        with pytest.raises(ValueError, match="add table=True"):
            voxcc.label(np.ones(3), **arguments)
    with pytest.raises(ValueError, match="shape=True"):
        voxcc.measure(np.ones(3, int), connectivity=4)
    with pytest.raises(ValueError, match="background"):
        voxcc.measure(np.ones(3, int), background=True, shape=True)


def corners(at, spacing):
    """The positions of all corners of voxels."""
    steps = np.array(list(itertools.product((-0.5, 0.5), repeat=at.shape[1])))
    return ((at[:, None, :] + steps[None]) * spacing).reshape(-1, at.shape[1])


def exposed(mask, spacing):
    """The area of the faces between a mask and the outside."""
    padded = np.pad(mask, 1).astype(np.int8)
    return sum(np.count_nonzero(np.diff(padded, axis=axis)) * np.prod(spacing) / spacing[axis] for axis in range(mask.ndim))


@pytest.mark.parametrize("ndim", (2, 3))
@pytest.mark.parametrize("seed", range(8))
def test_shape_of_components(ndim, seed):
    mask = mask_of(seed, ndim)
    spacing = np.random.default_rng(seed).uniform(0.5, 2, ndim)
    result = voxcc.label(mask, table=True, shape=True, spacing=spacing)
    table = result.table
    assert SHAPE | ({"surface", "surface_faces"} if ndim == 3 else {"perimeter", "perimeter_sides"}) <= set(table)
    regions = measure.regionprops(result.labels)
    if 1 not in mask.shape:  # scikit-image counts no Euler number of an image with an axis of length 1
        assert table["euler_number"].tolist() == [region.euler_number for region in regions]
    np.testing.assert_allclose(table["extent"], [region.extent for region in regions])
    for row in range(result.count):
        where = result.labels == row + 1
        at = np.argwhere(where)
        positions = corners(at, spacing)
        farthest = max(np.linalg.norm(positions - position, axis=1).max() for position in positions)
        np.testing.assert_allclose(table["feret"][row], farthest, rtol=1e-12)
        np.testing.assert_allclose(table["surface_faces" if ndim == 3 else "perimeter_sides"][row], exposed(where, spacing), rtol=1e-12)
        size = len(at) * np.prod(spacing)
        diameter = np.cbrt(6 * size / np.pi) if ndim == 3 else np.sqrt(4 * size / np.pi)
        np.testing.assert_allclose(table["equivalent_diameter"][row], diameter, rtol=1e-12)
        covariance = np.cov(at.T * spacing[:, None], bias=True).reshape(ndim, ndim) if len(at) > 1 else np.zeros((ndim, ndim))
        for n in range(ndim):
            axis = np.array([table[f"axis_{n + 1}_{a}"][row] for a in range(ndim)])
            np.testing.assert_allclose(np.linalg.norm(axis), 1, rtol=1e-9)
            variance = (table[f"axis_{n + 1}_length"][row] / 4) ** 2
            np.testing.assert_allclose(covariance @ axis, variance * axis, atol=1e-8)


@pytest.mark.parametrize("ndim", (1, 2, 3))
@pytest.mark.parametrize("seed", range(6))
def test_shape_does_not_depend_on_the_layout(ndim, seed):
    mask = mask_of(seed, ndim)
    image = np.random.default_rng(seed).normal(size=mask.shape)
    tables = []
    for layout in ("C", "F"):
        x = in_layout(np.asarray(mask), layout)
        result = voxcc.label(x, table=True, shape=True, intensity=image, percentiles=[50])
        tables += [result.table, voxcc.measure(result.labels, image, percentiles=[50], shape=True)]
    for other in tables[1:]:
        for name in other:
            np.testing.assert_array_equal(tables[0][name], other[name], err_msg=name)


@pytest.mark.parametrize("axis", (0, 1, 2))
@pytest.mark.parametrize("connectivity", (4, 8))
def test_shape_of_separate_slices(axis, connectivity):
    mask = mask_of(4, 3)
    spacing = np.array([0.7, 1.0, 1.9])
    table = voxcc.label(mask, connectivity, per_slice=axis, table=True, shape=True, spacing=spacing).table
    plane = [a for a in range(3) if a != axis]
    first = 0
    for index in range(mask.shape[axis]):
        slice_table = voxcc.label(np.ascontiguousarray(np.take(mask, index, axis)), connectivity, table=True, shape=True, spacing=spacing[plane]).table
        rows = slice(first, first + len(slice_table["label"]))
        for name in ("perimeter", "perimeter_sides", "euler_number", "sphericity", "equivalent_diameter", "extent", "feret", "axis_1_length"):
            np.testing.assert_allclose(table[name][rows], slice_table[name], rtol=1e-12, err_msg=name)
        for n, (a, b) in itertools.product((1, 2), enumerate(plane)):
            np.testing.assert_allclose(table[f"axis_{n}_{b}"][rows], slice_table[f"axis_{n}_{a}"], atol=1e-12)
        first = rows.stop


@pytest.mark.parametrize("connectivity, euler", ((6, 8), (18, 8), (26, 1)))
def test_euler_number_depends_on_the_neighbours(connectivity, euler):
    """Eight voxels in the corners of a cube with its centre touch at corners."""
    labels = np.zeros((3, 3, 3), int)
    labels[::2, ::2, ::2] = 1
    labels[1, 1, 1] = 1
    assert voxcc.measure(labels, shape=True, connectivity=connectivity)["euler_number"].tolist() == [euler if connectivity == 26 else 9]


def test_shape_of_empty_and_single():
    assert len(voxcc.measure(np.zeros((0, 3, 2), int), shape=True)["feret"]) == 0
    table = voxcc.label(np.ones((1, 1, 1)), table=True, shape=True).table
    assert table["surface_faces"].tolist() == [6] and table["euler_number"].tolist() == [1]
    np.testing.assert_allclose(table["feret"], np.sqrt(3))
