"""The function of the package fill_voids on the engine of voxcc.

    import voxcc.fill_voids as fill_voids

The arguments and results are those of fill_voids 2.1, except for the differences that docs/manual/python-packages.md lists.

>>> import voxcc.fill_voids
>>> voxcc.fill_voids.fill(np.array([[5, 5, 5], [5, 0, 5], [5, 5, 5]]), return_fill_count=True)
(array([[1, 1, 1],
       [1, 1, 1],
       [1, 1, 1]]), 1)
"""

import numpy as np

from . import _arguments as arguments
from . import _fill_holes
from ._errors import DimensionError
from ._result_memory import empty

__all__ = ["DimensionError", "fill"]


def fill(labels, in_place=False, return_fill_count=False):
    """Fills the holes of a mask, as fill_voids.fill: background with 6 neighbours (in 2D: 4) that does not touch a face of the array.

    labels: an array with one to three axes, and any number of axes of length 1 after them. Booleans, integers, and
    floats of 32 or 64 bits, in the byte order of the machine. Voxels that are not 0, also NaN, are foreground.
    in_place: write the result into labels.
    return_fill_count: return (result, number of filled voxels).
    Returns an array of the type of labels: 1 in foreground and holes, 0 elsewhere. It is labels itself with in_place. Else it has Fortran
    order if labels has, and C order if not. An axis of length 1 has faces, so an array with the shape (n, m, 1) has no holes.
    Raises DimensionError for arrays with more axes, TypeError for other types, and ValueError for an array that is read-only with in_place.

    >>> voxcc.fill_voids.fill(np.array([1.5, 0, 1.5]))
    array([1., 0., 1.])
    """
    shape = labels.shape
    arguments.on_host(labels, "labels")
    if len(shape) < 1 or any(n != 1 for n in shape[3:]):
        raise DimensionError("labels", f"has the shape {shape}", "it must have one to three axes, and only axes of length 1 after them")
    array = np.asarray(labels)
    if array.size == 0:
        return (labels, 0) if return_fill_count else labels
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8 or array.dtype == np.float16 or not array.dtype.isnative:
        raise TypeError(f"labels has the type {array.dtype}; it must hold booleans, integers, or floats of 32 or 64 bits, in the byte "
                        "order of the machine")
    if in_place and not array.flags.writeable:
        raise ValueError("labels is read-only, so it cannot be filled in_place")
    volume = array.reshape(shape[:3])
    has_border_only = volume.ndim == 1 or 1 in volume.shape
    holes = None if has_border_only else _fill_holes.find_holes(volume, 4 if volume.ndim == 2 else 6)
    mask = empty(volume.shape, bool, arguments.layout_of(volume))
    if holes is None:
        np.not_equal(volume, 0, out=mask)
        count = 0
    else:
        holes.paint_mask(mask)
        count = np.count_nonzero(mask) if return_fill_count else 0
        np.logical_or(volume, mask, out=mask)
    mask = mask.reshape(shape)
    if in_place:
        array[...] = mask
        result = array
    elif array.dtype.itemsize == 1:
        result = mask.view(array.dtype)
    else:
        result = mask.astype(array.dtype)
    return (result, int(count)) if return_fill_count else result
