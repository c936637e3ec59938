"""The functions of voxcc.skimage that remove components: small objects, small holes, and objects at the border."""

import math
import warnings

import numpy as np

from . import _arguments as arguments
from . import _label
from ._result_memory import empty
from ._skimage_library import library_function, on_host

MORPHOLOGY = "skimage.morphology"


class DEPRECATED:
    """The default of arguments whose names scikit-image has changed. scikit-image has a class of the same name for the same purpose."""


def _is_given(value):
    return not (isinstance(value, type) and value.__name__ == "DEPRECATED")


OLD_NAME = (
    "Parameter `{old}` is deprecated since version 0.26.0 and will be removed in 2.0.0 (or later). To avoid this warning, please use the "
    "parameter `max_size` instead. For more details, see the documentation of `{function}`. Note that the new threshold removes objects "
    "smaller than **or equal to** its value, while the previous parameter only removed smaller ones."
)


def _size(function, old, old_value, max_size):
    """The largest size that is removed. Both names are inclusive in scikit-image 0.26, and cannot be combined."""
    if not _is_given(old_value):
        return max_size if _is_given(max_size) else 64
    warnings.warn(OLD_NAME.format(old=old, function=function), FutureWarning, stacklevel=3)
    if _is_given(max_size):
        raise ValueError(
            f"Both deprecated parameter `{old}` and new parameter `max_size` are used. Use only the latter to avoid conflicting values."
        )
    return old_value


def _neighbours(x, connectivity, size):
    """The connectivity for the engine; None if scikit-image must compute the result."""
    whole = isinstance(connectivity, (int, np.integer)) and not isinstance(connectivity, bool)
    if (
        type(x) not in (np.ndarray, np.memmap) or x.dtype.kind not in "biu" or x.ndim not in (1, 2, 3) or x.size == 0 or not whole
        or connectivity < 1 or not isinstance(size, (int, float, np.integer, np.floating)) or not math.isfinite(size)
    ):
        return None
    return arguments.connectivity_argument(min(int(connectivity), x.ndim), x.ndim)


def _is_result(out, x):
    """Whether the engine can write a boolean result of the shape of x into the argument out."""
    return out is None or (type(out) in (np.ndarray, np.memmap) and out.dtype == bool and out.shape == x.shape and out.flags.writeable)


def _select_large(labelled, size):
    labelled.select(min(max(math.floor(size) + 1, 0), 2**64 - 1), 2**64 - 1, None, 0, False, False)


def remove_small_objects(ar, min_size=DEPRECATED, connectivity=1, *, max_size=DEPRECATED, out=None):
    """Removes components of at most max_size voxels (not given: 64), as skimage.morphology.remove_small_objects.

    ar: booleans, or integers that are labels. The engine computes booleans with one to three dimensions; other arrays are passed on to
    scikit-image.
    min_size: the old name of max_size. It warns, and is inclusive, too, as in scikit-image 0.26.
    connectivity: 1 to the number of axes.
    out: an array of the shape of ar for the result; it may be ar.

    >>> from voxcc.skimage import remove_small_objects
    >>> remove_small_objects(np.array([True, True, True, False, True]), max_size=2)
    array([ True,  True,  True, False, False])
    """
    on_host("remove_small_objects", ar)
    size = _size("remove_small_objects", "min_size", min_size, max_size)
    neighbours = _neighbours(ar, connectivity, size)
    if neighbours is None or ar.dtype != bool or not _is_result(out, ar):
        function = library_function(MORPHOLOGY, "remove_small_objects", "a label image, or an array of this type or shape,")
        return function(ar, connectivity=connectivity, max_size=size, out=out)
    labelled = _label.run(ar, neighbours, (arguments.NONZERO, 0.0, 0.0))
    _select_large(labelled, size)
    result = empty(ar.shape, bool) if out is None else out
    labelled.paint_mask(result)
    return result


def remove_small_holes(ar, area_threshold=DEPRECATED, connectivity=1, *, max_size=DEPRECATED, out=None):
    """Fills components of the background that have at most max_size voxels (not given: 64), as skimage.morphology.remove_small_holes.

    ar: booleans, or integers, which warn. The result has booleans.
    area_threshold: the old name of max_size. It warns, and is inclusive, too, as in scikit-image 0.26.
    connectivity: of the background; 1 to the number of axes.
    out: an array of booleans of the shape of ar for the result; it may be ar.

    >>> from voxcc.skimage import remove_small_holes
    >>> remove_small_holes(np.array([True, False, True, False, False]), max_size=1)
    array([ True,  True,  True, False, False])
    """
    on_host("remove_small_holes", ar)
    size = _size("remove_small_holes", "area_threshold", area_threshold, max_size)
    neighbours = _neighbours(ar, connectivity, size)
    if neighbours is None or not _is_result(out, ar):
        function = library_function(MORPHOLOGY, "remove_small_holes", "an array of this type or shape")
        return function(ar, connectivity=connectivity, max_size=size, out=out)
    if ar.dtype != bool:
        warnings.warn("Any labeled images will be returned as a boolean array. Did you mean to use a boolean array?", UserWarning, stacklevel=2)
    labelled = _label.run(ar, neighbours, (arguments.NONZERO, 0.0, 0.0), complement=True)
    _select_large(labelled, size)
    result = empty(ar.shape, bool, arguments.layout_of(ar)) if out is None else out
    labelled.paint_mask(result)
    return np.logical_not(result, out=result)


def clear_border(labels, buffer_size=0, bgval=0, mask=None, *, out=None):
    """Clears components that touch the border, as skimage.segmentation.clear_border.

    labels: booleans or integers with one to three dimensions, whose components of equal values are cleared; other arrays are passed on to
    scikit-image.
    buffer_size: the width of the border minus 1, in voxels.
    bgval: the new value of cleared voxels. If a voxel of the border is 0, all voxels that are 0 get this value, too.
    mask: booleans; if given, the border is where mask is False, and buffer_size is not used.
    out: None, or an array of the shape of labels. As in scikit-image, its components are cleared, and labels is not used.

    >>> from voxcc.skimage import clear_border
    >>> clear_border(np.array([[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]]))[2]
    array([0, 0, 2, 0])
    """
    on_host("clear_border", labels)
    x = labels if out is None else out
    if not _can_clear(labels, x, out, buffer_size, mask):
        function = library_function("skimage.segmentation", "clear_border", "an array of this type or shape")
        return function(labels, buffer_size, bgval, mask, out=out)
    value = np.empty((), x.dtype)
    value[()] = bgval
    labelled = _label.run(x, {1: 26, 2: 8, 3: 26}[x.ndim], (arguments.NONZERO, 0.0, 0.0), values=x.dtype != bool)
    if mask is None and buffer_size == 0 and min(x.shape) > 1:  # the engine does not count the faces of an axis of length 1
        clears_background = value != 0 and any((face == 0).any() for face in _border(x, 1))
        labelled.select(0, 2**64 - 1, None, 0, True, False)
    else:
        clears_background = _select_inside(labelled, x, buffer_size, mask)
    if value == 0:
        return _label.keep_components(x, labelled, empty(x.shape, x.dtype) if out is None else out)
    cleared = empty(x.shape, bool)
    labelled.paint_mask(cleared)
    np.logical_not(cleared, out=cleared)
    if not clears_background:
        cleared &= x != 0
    result = x.copy() if out is None else out
    np.copyto(result, value, where=cleared)
    return result


def _can_clear(labels, x, out, buffer_size, mask):
    arrays = (np.ndarray, np.memmap)
    return (
        type(labels) in arrays and type(x) in arrays and x.shape == labels.shape and x.dtype.kind in "biu" and x.dtype.isnative
        and x.ndim in (1, 2, 3) and x.size > 0 and (x.flags.writeable or out is None) and isinstance(buffer_size, (int, np.integer))
        and (0 <= buffer_size < min(x.shape) if mask is None else type(mask) in arrays and mask.dtype == bool and mask.shape == x.shape)
    )


def _border(x, width):
    """The parts of an array that are at most `width` voxels from a face."""
    for axis in range(x.ndim):
        turned = np.moveaxis(x, axis, 0)
        yield turned[:width]
        yield turned[-width:]


def _select_inside(labelled, x, buffer_size, mask):
    """Keeps the components that do not touch a wide border or the outside of a mask. Returns whether the background touches it."""
    numbers = empty(x.shape, np.uint32 if labelled.count < 2**32 else np.uint64, arguments.layout_of(x))
    labelled.paint(numbers)
    touches = np.zeros(labelled.count + 1, bool)
    for part in _border(numbers, int(buffer_size) + 1) if mask is None else (numbers[~mask],):
        touches[part] = True
    labelled.select_rows(~touches[1:])
    return touches[0]
