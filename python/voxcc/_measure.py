"""Measurements of label images: arrays of integers in which 0 is background."""

import math

import numpy as np

from . import _arguments as arguments
from . import _core, _gpu
from ._frameworks import framework_of
from ._table import Table
from ._xarray import array_beside, array_of, is_data_array


def measure(labels, intensity=None, spacing=None, threads=None, *, background=False):
    """Measures every label of a label image with one, two or three dimensions.

    labels: integers of any size, also negative. 0 is background. Labels need neither be connected nor consecutive. An array on a CUDA
    device is measured there; the table is in host memory. A DataArray of xarray is measured in indices, not in its coordinates.
    intensity: array of the shape of labels that is measured inside each label. NaN voxels are left out. If a label has an infinite value,
    its sum, mean and weighted centroid are NaN, and its least and greatest values are as in NumPy. If labels are on a device, the
    intensity must be there, too. Both are copied to the host in parts, and measured there.
    spacing: distance between voxels, one number per axis, or one for all axes.
    threads: number of threads; see label(). Not for arrays on a device.
    background: adds a row for the voxels with label 0, if there are any; not with intensity.

    Returns a Table, a dict of arrays with one row per label, in ascending order of the labels. For the axes A and B:
    label, voxels, centroid_A (0-based index), bbox_A_min and bbox_A_max (exclusive), cov_AB (population covariance of voxel indices);
    with spacing: volume, axis_1, axis_2, axis_3 (standard deviations along the principal axes), elongation, flatness;
    with intensity: intensity_mean, _std, _min, _max, _sum and _weighted_centroid_A.
    Raises TypeError for labels that are not integers, ValueError for shapes that differ.

    >>> table = voxcc.measure(np.array([[7, 7, 0], [0, 7, -2]]))
    >>> table["label"], table["voxels"], table["bbox_1_max"]
    (array([-2,  7]), array([1, 3], dtype=uint64), array([3, 2]))
    """
    if is_data_array(labels):
        intensity = array_beside(labels, intensity, "intensity")
        labels = array_of(labels, "labels")
    on_device = framework_of(labels) is not None
    background = arguments.boolean(background, "background")
    if not on_device:
        labels = arguments.labels_argument(labels)
        intensity = arguments.same_shape(intensity, labels, "intensity")
    if background and intensity is not None:
        raise ValueError("background cannot be combined with intensity, which is measured inside labels only")
    if on_device:
        arguments.no_host_arguments(threads=threads)
        return _gpu.measure(labels, intensity, background, spacing)
    spacing = arguments.spacing_argument(spacing, labels.ndim)
    threads = arguments.threads_argument(threads)
    if labels.size == 0:
        labels = np.zeros((1,) * labels.ndim, labels.dtype)
        background = False
        intensity = None if intensity is None else np.zeros(labels.shape, intensity.dtype)
    return Table(_core.measure(labels, intensity, background, spacing, threads))


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
