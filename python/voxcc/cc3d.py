"""The functions of cc3d 4 (connected-components-3d) on the engine of voxcc.

    import voxcc.cc3d as cc3d

The arguments, their defaults and the results are those of cc3d 4.1, except for the differences that docs/manual/python-packages.md lists.

>>> import voxcc.cc3d as cc3d
>>> labels, count = cc3d.connected_components(np.array([[1, 1, 2], [0, 0, 2]], np.uint8), return_N=True)
>>> labels
array([[1, 1, 2],
       [0, 0, 2]], dtype=uint16)
"""

import math

import numpy as np

from . import _arguments as arguments
from . import _cc3d_gpu, _core, _gpu, _label, _measure, _stack
from ._cc3d_graphs import (
    array_like_cc3d, choice_like_cc3d, color_connectivity_graph, connectivity_like_cc3d, contacts, estimate_provisional_labels, region_graph,
    voxel_connectivity_graph,
)  # fmt: skip
from ._errors import DimensionError
from ._frameworks import framework_of
from ._result_memory import empty, empty_like

__all__ = [
    "DimensionError",
    "color_connectivity_graph",
    "connected_components",
    "connected_components_stack",
    "contacts",
    "dust",
    "each",
    "estimate_provisional_labels",
    "largest_k",
    "region_graph",
    "statistics",
    "voxel_connectivity_graph",
]

LABEL_TYPES = (np.uint16, np.uint32, np.uint64)


def _delta(delta, data):
    """The largest difference, or None for equal values."""
    delta = arguments.delta_argument(delta)
    if delta == 0:
        return None
    if data.dtype == np.float16:
        raise TypeError("float16 is not supported for continuous images (delta != 0).")
    return delta


def _labelled(data, connectivity, binary_image, periodic=False, delta=None):
    """The labelled array. @param data a result of array_like_cc3d() that is not empty"""
    values = not binary_image and data.dtype != bool
    options = {"nan": True, "f_order": arguments.layout_of(data) == "F"}
    neighbours, rule = connectivity_like_cc3d(connectivity, data.ndim), (arguments.NONZERO, 0.0, 0.0)
    if values and delta is not None:
        if periodic:
            raise ValueError("periodic_boundary is not yet implemented continuous data.")
        return _label.run(data, neighbours, rule, delta=delta, **options)
    options["periodic"] = (1 << data.ndim) - 1 if periodic else 0
    labelled = _label.run(data, neighbours, rule, values=values, **options)
    if values and labelled.nan_voxels:  # each NaN is a component of its own; the engine joins NaN
        if periodic:
            raise NotImplementedError("NaN with periodic_boundary is not supported; replace NaN")
        labelled = _label.run(data, neighbours, rule, delta=0.0, **options)
    return labelled


def _painted(data, labelled, dtype, file=None, numbers=None):
    """@param numbers the label of each component; None: 1, 2, ..."""
    if dtype is None:
        dtype = next(t for t in LABEL_TYPES if labelled.count <= np.iinfo(t).max)
    elif labelled.count > np.iinfo(dtype).max:
        raise ValueError(f"There are {labelled.count} components, which do not fit {np.dtype(dtype)}; use a wider out_dtype.")
    order = arguments.layout_of(data)
    out = empty(data.shape, dtype, order) if file is None else np.memmap(file, dtype, "w+", shape=data.shape, order=order)
    if numbers is None:
        labelled.paint(out)
    else:
        labelled.paint_numbers(out, numbers)
    return out


def connected_components(data, max_labels=-1, connectivity=26, return_N=False, delta=0, out_dtype=None, out_file=None,
                         periodic_boundary=False, binary_image=False):
    """Labels connected components: of equal values, or of all voxels that are not 0 if the array is boolean or `binary_image` is set.

    delta: connect voxels whose values differ by at most this; not for boolean arrays, binary_image and periodic_boundary.
    out_file: a name or an open file that receives the labels; the result is a memory map of the file.
    max_labels is ignored, as in cc3d 4. Returns labels, or (labels, count) with return_N. A torch.Tensor has torch.Tensor labels. Arrays
    of CuPy and PyTorch on a CUDA device have labels there; delta, out_file and NaN are not supported for them.

    >>> cc3d.connected_components(np.array([[5, 5, 0, 3]]), return_N=True)
    (array([[1, 1, 0, 2]], dtype=uint16), 2)
    """
    del max_labels
    framework = framework_of(data)
    if framework is not None:
        return _cc3d_gpu.connected_components(data, framework, connectivity, return_N, delta, out_dtype, out_file, periodic_boundary,
                                              binary_image)
    if _is_tensor(data):
        result = connected_components(
            data.cpu().numpy(), -1, connectivity, True, delta, out_dtype, out_file, periodic_boundary, binary_image
        )
        labels = _tensor_of(result[0])
        return (labels, result[1]) if return_N else labels
    original = np.asarray(data)
    data = array_like_cc3d(original)
    connectivity_like_cc3d(connectivity, data.ndim)
    out_dtype = None if out_dtype is None else arguments.dtype_argument(out_dtype, "out_dtype")
    if out_dtype is not None and out_dtype not in LABEL_TYPES:
        raise ValueError(f"Explicitly defined out_dtype ({out_dtype}) must be one of: np.uint16, np.uint32, np.uint64")
    limit = _delta(delta, original)
    if data.size == 0:
        labels = np.zeros(data.shape, original.dtype if out_dtype is None else out_dtype, order=arguments.layout_of(data))
        return (labels, 0) if return_N else labels
    labelled = _labelled(data, connectivity, binary_image or original.dtype == bool, periodic_boundary, limit)
    labels = _painted(data, labelled, out_dtype, out_file)
    return (labels, labelled.count) if return_N else labels


def _is_tensor(data):
    return type(data).__module__.partition(".")[0] == "torch"


def _tensor_of(labels):
    import torch

    return torch.from_numpy(labels)


def _dense_table(labels):
    """Count, centroid and box of every label from 0 to the largest, in arrays; boxes have an exclusive end. None for an empty array.

    An array with one axis counts as an array of shape (n, 1).
    """
    framework = framework_of(labels)
    if framework is not None:
        shape = _gpu.described(labels, framework, name="labels").shape
    else:
        labels = np.asarray(labels)
        if labels.dtype.kind not in "biu" or not 1 <= labels.ndim <= 3:
            raise TypeError(f"labels must be integers in 1, 2 or 3 dimensions, not {labels.dtype} in {labels.ndim}")
        shape = labels.shape
    if math.prod(shape) == 0:
        return None
    if len(shape) == 1:
        shape = (*shape, 1)
        labels = labels.reshape(shape)
    size, ndim = math.prod(shape), len(shape)
    table = _measure.measure(labels, background=True)
    ids = table["label"]
    if len(ids) and ids[0] < 0:
        raise ValueError(f"Statistics can only be computed on volumes containing labels with values >= 0. Min: {ids[0]}")
    largest = int(ids[-1]) if len(ids) else 0
    if largest > size:
        raise ValueError(
            f"Statistics can only be computed on volumes containing labels with values lower than the number of voxels. Max: {largest}"
        )
    counts = np.zeros(largest + 1, np.uint32 if size < 2**32 else np.uint64)
    centroids = np.full((largest + 1, ndim), np.nan)
    low, high = (np.zeros((largest + 1, ndim), np.int64) for _ in range(2))
    rows = ids.astype(int)
    counts[rows] = table["voxels"]
    for axis in range(ndim):
        centroids[rows, axis] = table[f"centroid_{axis}"]
        low[rows, axis] = table[f"bbox_{axis}_min"]
        high[rows, axis] = table[f"bbox_{axis}_max"]
    return shape, counts, centroids, low, high


def statistics(out_labels, no_slice_conversion=False):
    """Voxel counts, bounding boxes and centroids of the labels 0 to N, as arrays and lists of N + 1 elements.

    bounding_boxes: a tuple of slices per label, None for labels that do not occur. With no_slice_conversion, an array with the first and
    last index along each axis. The results are in host memory, also for labels on a CUDA device.

    >>> cc3d.statistics(np.array([[1, 1, 0]]))["voxel_counts"]
    array([1, 2], dtype=uint32)
    """
    table = _dense_table(out_labels)
    if table is None:
        return {"voxel_counts": None, "bounding_boxes": None, "centroids": None}
    shape, counts, centroids, low, high = table
    absent = counts == 0
    if no_slice_conversion:
        dtype = np.uint16 if max(shape) < 2**16 else np.uint32
        boxes = np.empty((len(counts), 2 * len(shape)), dtype)
        boxes[:, 0::2], boxes[:, 1::2] = low, high - 1
        boxes[absent, 0::2], boxes[absent, 1::2] = np.iinfo(dtype).max, 0
    else:
        boxes = _core.box_slices(low, high, ~absent)
    return {"voxel_counts": counts, "bounding_boxes": boxes, "centroids": centroids}


def _sizes_to_keep(threshold):
    """The smallest and the largest number of voxels that dust() keeps; the first is greater if it keeps nothing."""
    threshold = arguments.scalar(threshold)
    if not isinstance(threshold, (tuple, list, np.ndarray)):
        return _voxels(threshold), 2**64 - 1
    if len(threshold) != 2:
        raise ValueError(f"threshold has {len(threshold)} numbers; it must have 1 or 2")
    return _voxels(threshold[0]), _voxels(threshold[1]) - 1


def _voxels(size):
    """A number rounded up to an integer of 64 bits."""
    number = arguments.bound(size, "the threshold")
    number = number[0] + 1 if isinstance(number, tuple) else number
    return 2**64 - 1 if number >= 2**64 - 1 else math.ceil(max(number, 0))


def dust(img, threshold, connectivity=26, in_place=False, binary_image=False, precomputed_ccl=False, invert=False, return_N=False):
    """Sets the voxels of components to 0 that have fewer than `threshold` voxels.

    threshold: a size, or (low, high): components outside low <= size < high are removed. invert: remove the others.
    precomputed_ccl: each value of img is a component. Returns img, or (img, number of components that remain) with return_N. For arrays of
    CuPy and PyTorch on a CUDA device, img is an array of the same library.

    >>> cc3d.dust(np.array([[1, 1, 0, 2]]), 2)
    array([[1, 1, 0, 0]])
    """
    framework = framework_of(img)
    if framework is not None:
        return _cc3d_gpu.dust(img, framework, _sizes_to_keep(threshold), connectivity, in_place, binary_image, precomputed_ccl, invert,
                              return_N)
    img = np.asarray(img)
    data = array_like_cc3d(img)
    connectivity_like_cc3d(connectivity, data.ndim)
    out = img if in_place else empty_like(img)
    smallest, largest = _sizes_to_keep(threshold)
    if data.size == 0:
        kept = 0
    elif precomputed_ccl:
        np.copyto(out, img)
        kept = _remove_values(data, smallest, largest, invert, out)
    else:
        labelled = _labelled(data, connectivity, binary_image)
        count = labelled.count
        if largest < smallest:
            smallest = largest = 2**64 - 1  # no component has this size
        labelled.select(smallest, largest, None, 0, False, False)
        kept = count - labelled.count if invert else labelled.count
        _label.keep_components(img, labelled, out, invert)
    return (out, kept) if return_N else out


def _remove_values(data, smallest, largest, invert, out):
    """Sets the values that have too few or too many voxels to 0. Returns the number of values that remain."""
    table = _measure.measure(data)
    remain = (table["voxels"] >= smallest) & (table["voxels"] <= max(largest, 0))
    if invert:
        remain = ~remain
    np.copyto(out, out.dtype.type(0), where=np.isin(data, table["label"][~remain].astype(data.dtype)))
    return int(np.count_nonzero(remain))


def largest_k(img, k, connectivity=26, delta=0, return_N=False, binary_image=False, precomputed_ccl=False):
    """Keeps the k largest components.

    Returns a boolean mask if k is 1 and there are several components. Else returns labels: 1 to k in ascending order of size, or all
    components in raster order if there are not more than k. With return_N, returns (labels, number of labels), except for k = 0. For
    arrays of CuPy and PyTorch on a CUDA device, the result is an array of the same library.

    >>> cc3d.largest_k(np.array([[1, 1, 0, 2]]), 1)
    array([[ True,  True, False, False]])
    """
    k = arguments.integer(k, "k", 0)
    framework = framework_of(img)
    if framework is not None:
        return _cc3d_gpu.largest_k(img, framework, k, connectivity, delta, return_N, binary_image, precomputed_ccl)
    img = np.asarray(img)
    data = array_like_cc3d(img)
    connectivity_like_cc3d(connectivity, data.ndim)
    if k == 0:
        return np.zeros(img.shape, np.uint16, order=arguments.layout_of(img))
    limit = _delta(delta, img)
    if img.size == 0:
        result, count = connected_components(img, return_N=True)
    elif precomputed_ccl:
        result, count = _largest_values(img, k)
    else:
        result, count = _largest_components(data, k, _labelled(data, connectivity, binary_image, delta=limit))
    return (result, count) if return_N else result


def _largest_components(data, k, labelled):
    if labelled.count <= k:
        return _painted(data, labelled, None), labelled.count
    labelled.select(0, 2**64 - 1, k, _label.TIES.index("first" if k == 1 else "last"), False, False)
    if k == 1:
        mask = empty(data.shape, bool, arguments.layout_of(data))
        labelled.paint_mask(mask)
        return mask, 1
    numbers = np.empty(k, np.uint64)
    numbers[np.argsort(labelled.sizes(), kind="stable")] = np.arange(1, k + 1)
    return _painted(data, labelled, None, numbers=numbers), k


def _largest_values(labels, k):
    table = _measure.measure(labels)
    values, sizes = table["label"], table["voxels"]
    if len(values) <= k:
        return labels, len(values)
    if k == 1:
        return labels == values[np.argmax(sizes)].astype(labels.dtype), 1
    kept = values[np.argsort(sizes, kind="stable")[-k:]]
    dtype = next(t for t in LABEL_TYPES if k <= np.iinfo(t).max)
    order = np.argsort(kept)
    ascending = kept[order].astype(labels.dtype)
    place = np.minimum(np.searchsorted(ascending, labels), k - 1)
    return np.where(ascending[place] == labels, order[place] + 1, 0).astype(dtype), k


class _Images:
    """The images of each(): a sized iterable of (label, image)."""

    def __init__(self, labels, binary, in_place):
        arguments.on_host(labels, "labels")
        self._labels = np.asarray(labels)
        self._dtype = bool if binary else self._labels.dtype
        self._in_place = in_place
        self._table = _measure.measure(self._labels)

    def __len__(self):
        return len(self._table["label"])

    def _box(self, row):
        bounds = range(self._labels.ndim)
        return tuple(slice(int(self._table[f"bbox_{a}_min"][row]), int(self._table[f"bbox_{a}_max"][row])) for a in bounds)

    def _new_image(self):
        return np.zeros(self._labels.shape, self._dtype, order=arguments.layout_of(self._labels))

    def __iter__(self):
        image = None
        for row, label in enumerate(self._table["label"].tolist()):
            if image is None or not self._in_place:
                image = self._new_image()
            box = self._box(row)
            image[box] = np.where(self._labels[box] == label, label, 0)
            if self._in_place:
                shown = image.view()
                shown.flags.writeable = False
                yield label, shown
                image[box] = 0
            else:
                yield label, image


def each(labels, binary=False, in_place=False):
    """A sized iterable of (label, image), in which the image holds this label only. binary: images are boolean masks.

    in_place: all images are the same read-only array, which is valid until the next step; this takes less time and memory.

    >>> [(label, image.tolist()) for label, image in cc3d.each(np.array([1, 0, 7]))]
    [(1, [1, 0, 0]), (7, [0, 0, 7])]
    """
    return _Images(labels, binary, in_place)


def connected_components_stack(stacked_images, connectivity=26, return_N=False, binary_image=False):
    """Labels images that lie on each other along their third axis, one after the other. 0 is background.

    stacked_images: an iterable of arrays with three axes, of the same length along the first two. connectivity: 6 or 26.
    Returns an array of the smallest unsigned type (cc3d: a compressed array), or (labels, count) with return_N.

    >>> cc3d.connected_components_stack([np.ones((1, 1, 2), np.uint8), np.zeros((1, 1, 1), np.uint8), np.ones((1, 1, 1), np.uint8)]).tolist()
    [[[1, 1, 0, 2]]]
    """
    connectivity = choice_like_cc3d(connectivity, (6, 26), "Connectivity must be 6 or 26.")

    def label_image(image):
        fortran = np.asfortranarray(image)
        return connected_components(fortran, connectivity=connectivity, return_N=True, binary_image=binary_image)

    labels, count = _stack.label_stack(stacked_images, label_image)
    return (labels, count) if return_N else labels
