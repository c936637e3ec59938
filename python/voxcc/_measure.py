"""Measurements of label images: arrays of integers in which 0 is background."""

import math

import numpy as np

from . import _arguments as arguments
from . import _core, _gpu, _images
from ._frameworks import framework_of
from ._table import Table
from ._xarray import array_of, is_data_array


def measure(labels, intensity=None, spacing=None, threads=None, *, background=False, percentiles=None, shape=False, connectivity=None):
    """Measures every label of a label image with one, two or three dimensions.

    labels: integers of any size, also negative. 0 is background. Labels need neither be connected nor consecutive. An array on a CUDA
    device is measured there; the table is in host memory. A DataArray of xarray is measured in indices, not in its coordinates.
    intensity: array of the shape of labels that is measured inside each label. NaN voxels are left out. If a label has an infinite value,
    its sum, mean and weighted centroid are NaN, and its least and greatest values are as in NumPy. A dict of arrays measures several
    images, whose columns begin with the names in place of "intensity". If labels are on a device, the intensity must be there, too. Both
    are copied to the host in parts, and measured there.
    spacing: distance between voxels, one number per axis, or one for all axes.
    threads: number of threads; see label(). Not for arrays on a device.
    background: adds a row for the voxels with label 0, if there are any; not with intensity and shape.
    percentiles: numbers from 0 to 100; adds the columns intensity_p5, ..., computed as by numpy.percentile; needs intensity.
    shape: True adds columns of the shape, in units of spacing, or of voxels without spacing. They need arrays in host memory.
    connectivity: the neighbours of a voxel in one label, on which the Euler number depends; see label().

    Returns a Table, a dict of arrays with one row per label, in ascending order of the labels. For the axes A and B:
    label, voxels, centroid_A (0-based index), bbox_A_min and bbox_A_max (exclusive), cov_AB (population covariance of voxel indices);
    with spacing: volume, axis_1, axis_2, axis_3 (standard deviations along the principal axes), elongation, flatness;
    with intensity: intensity_mean, _std, _min, _max, _sum and _weighted_centroid_A;
    with shape: surface (Crofton formula), surface_faces (faces of voxels), in 2D perimeter and perimeter_sides, euler_number, sphericity,
    equivalent_diameter, extent, feret (largest distance between two corners of voxels), axis_N_A (unit vector of the principal axis N, 1
    is the longest) and axis_N_length (4 standard deviations).
    Raises TypeError for labels that are not integers, ValueError for shapes that differ.

    >>> table = voxcc.measure(np.array([[7, 7, 0], [0, 7, -2]]))
    >>> table["label"], table["voxels"], table["bbox_1_max"]
    (array([-2,  7]), array([1, 3], dtype=uint64), array([3, 2]))
    """
    if is_data_array(labels):
        intensity = _images.images_beside(labels, intensity)
        labels = array_of(labels, "labels")
    on_device = framework_of(labels) is not None
    background, shape = arguments.boolean(background, "background"), arguments.boolean(shape, "shape")
    if connectivity is not None and not shape:
        raise ValueError("connectivity is used only for the shape; add shape=True")
    if background and (intensity is not None or shape):
        raise ValueError("background cannot be combined with intensity and shape, which are measured inside labels only")
    if on_device:
        arguments.no_host_arguments(threads=threads)
        return _gpu.measure(labels, _images.only_image(intensity, percentiles, shape), background, spacing)
    labels = arguments.labels_argument(labels)
    images = _images.images_argument(intensity, labels)
    percents = _images.percents_argument(percentiles)
    if percents and not images:
        raise ValueError(_images.NO_IMAGE)
    neighbours = arguments.connectivity_argument(connectivity, labels.ndim) if shape else None
    spacing = arguments.spacing_argument(spacing, labels.ndim)
    threads = arguments.threads_argument(threads)
    if labels.size == 0:
        labels = np.zeros((1,) * labels.ndim, labels.dtype)
        background = False
        images = tuple((name, np.zeros(labels.shape, image.dtype)) for name, image in images)
    return Table(_core.measure(labels, images, percents, neighbours, background, spacing, threads))


def contacts(labels, connectivity=None, *, spacing=None, threads=None):
    """Counts the neighbouring voxels of each pair of labels that touch.

    labels: see measure(). An array on a device is copied to the host in parts, and compared there.
    connectivity: see label().
    spacing: distance between voxels, one number per axis, or one for all axes. Adds the column area.

    Returns a Table, a dict of arrays with one row per pair, in ascending order: a and b (a < b), faces_A: pairs of voxels that share a face
    across axis A, edges_and_corners: pairs that share only an edge or a corner. area: the area of the faces.

    >>> voxcc.contacts(np.array([[1, 1, 2], [1, 3, 2]]), 4)["faces_1"]
    array([1, 1, 1], dtype=uint64)
    """
    if is_data_array(labels):
        labels = array_of(labels, "labels")
    work = None
    if framework_of(labels) is not None:
        arguments.no_host_arguments(threads=threads)
        work = _gpu.label_image(labels)
    else:
        labels = arguments.labels_argument(labels)
    ndim = labels.ndim if work is None else len(work.shape)
    neighbours = arguments.connectivity_argument(connectivity, ndim)
    spacing = arguments.spacing_argument(spacing, ndim)
    threads = arguments.threads_argument(threads)
    if work is not None:
        table = _gpu.contacts(work, neighbours)
    else:
        table = Table(_core.contacts(labels if labels.size else np.zeros((1,) * ndim, labels.dtype), neighbours, threads))
    if spacing is not None:
        faces = (table[f"faces_{axis}"] * (math.prod(spacing) / spacing[axis]) for axis in range(ndim))
        table["area"] = sum(faces, np.zeros(len(table["a"])))
    return table
