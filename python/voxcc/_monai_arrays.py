"""What the transforms of voxcc.monai compute, for NumPy arrays."""

import numpy as np

from . import _arguments as arguments
from . import _fill_holes, _label


def largest_mask(array, connectivity, num_components):
    """A mask of the largest components of equal values. Floats are rounded towards 0, as by skimage.measure.label."""
    integers = array.astype(np.int64) if array.dtype.kind == "f" else array
    if array.size == 0:
        return array.astype(bool)
    labelled = _labelled(integers, connectivity)
    if labelled.count <= num_components:
        return array.astype(bool)
    labelled.select(0, 2**64 - 1, min(num_components, 2**64 - 1), _label.TIES.index("all"), False, False)
    if labelled.count > num_components:
        labelled = _labelled(integers, connectivity)
        labelled.select_rows(_largest_rows(labelled, num_components))
    mask = np.empty(array.shape, bool)
    labelled.paint_mask(mask)
    return mask


def _largest_rows(labelled, num_components):
    """Which components MONAI keeps. Equally large ones depend on numpy.argsort, whose order of equal numbers differs between machines."""
    sizes = np.concatenate([[0], labelled.table()["voxels"]]).astype(np.int64)
    kept = np.zeros(sizes.size, bool)
    kept[np.argsort(sizes)[::-1][:num_components]] = True
    return np.ascontiguousarray(kept[1:])


def _labelled(array, connectivity):
    array = arguments.array_argument(array, "img")
    neighbours = arguments.connectivity_argument(reach_argument(connectivity, array.ndim), array.ndim)
    return _label.run(array, neighbours, (arguments.NONZERO, 0.0, 0.0), values=array.dtype != bool)


def reach_argument(connectivity, ndim=None):
    """Checks the connectivity of MONAI: 1 to the number of axes, or None. @param ndim None: not known yet"""
    if connectivity is not None:
        connectivity = arguments.integer(connectivity, "connectivity", 1)
        if ndim is not None and connectivity > ndim:
            raise ValueError(f"connectivity is {arguments.shown(connectivity)}; it must be 1 to {ndim}, or None")
    return connectivity


def labels_in(array, is_onehot):
    """The labels of an image, or the channels that are not empty. Without 0. A set, because MONAI follows the order of sets."""
    if is_onehot:
        labels = {number for number, channel in enumerate(array) if channel.sum() > 0}
    elif array.shape[0] != 1:
        raise ValueError(f"img has {array.shape[0]} channels; without one-hot, it must have 1")
    else:
        labels = set(np.unique(array).tolist())
    labels.discard(0)
    return labels


def keep_largest(array, labels, is_onehot, independent, connectivity, num_components):
    """Changes an image: see KeepLargestConnectedComponent. @param labels None: all"""
    if is_onehot is None:
        is_onehot = array.shape[0] > 1
    if labels is None:
        labels = labels_in(array, is_onehot)

    def dropped(foreground):
        return foreground & ~largest_mask(foreground, connectivity, num_components)

    if independent:
        for label in labels:
            channel = array[label if is_onehot else 0]
            channel[dropped(channel > 0 if is_onehot else channel == label)] = 0
    elif is_onehot:
        outside = dropped((array[list(labels)] == 1).any(axis=0))
        for label in labels:
            array[label][outside] = 0
    else:
        array[0][dropped(np.isin(array[0], list(labels)))] = 0


def fill_holes(array, labels, connectivity):
    """Changes an image: see FillHoles. @param labels None: all"""
    is_onehot = array.shape[0] > 1
    labels = labels_in(array, is_onehot) if labels is None else set(labels)
    labels.discard(0)
    for label in labels:
        foreground = array[label] != 0 if is_onehot else array[0] == label
        holes = _holes_of(foreground, connectivity)
        if is_onehot:
            array[label] = foreground
        if holes is not None:
            mask = np.empty(foreground.shape, bool)
            holes.paint_mask(mask)
            array[label if is_onehot else 0][mask] = 1 if is_onehot else label


def _holes_of(foreground, connectivity):
    arguments.dimensions_argument(foreground.ndim, "img")
    reach = min(reach_argument(connectivity) or foreground.ndim, foreground.ndim)
    if 1 in foreground.shape:  # all voxels are at a face
        return None
    return _fill_holes.find_holes(foreground, arguments.connectivity_argument(reach, foreground.ndim))


def remove_small(mask, min_size, connectivity):
    """Drops the components of a boolean image that have fewer than min_size voxels. Changes the image. Channels count as an axis."""
    part = mask[0] if mask.shape[0] == 1 else mask
    if part.ndim == 0:
        part = mask
    arguments.dimensions_argument(part.ndim, "img")
    neighbours = arguments.connectivity_argument(min(connectivity or part.ndim, part.ndim), part.ndim)
    if min_size > 1:
        _label.filtered(part, neighbours, False, lambda labelled: labelled.select(min_size, 2**64 - 1, None, 0, False, False), part, None)


def without_rare_labels(labels, min_size):
    """Sets the labels with fewer than min_size voxels to 0. Changes the image."""
    if labels.min() < 0:
        raise ValueError(f"img contains the label {labels.min()}; labels must be at least 0")
    if labels.max() < max(labels.size, 2**16):
        is_rare = (np.bincount(labels.ravel()) < min_size)[labels]
    else:
        _, which, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        is_rare = (sizes < min_size)[which.reshape(labels.shape)]
    labels[is_rare] = 0
    return labels
