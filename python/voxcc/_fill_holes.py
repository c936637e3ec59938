"""fill_holes(): fills background that is enclosed by foreground."""

import numpy as np

from . import _arguments as arguments
from . import _core, _label
from ._result_memory import empty, empty_like

# The neighbours of the background by the neighbours of the foreground: a cavity in a component with 26 neighbours has 6.
DUAL = {4: 8, 8: 4, 6: 26, 18: 6, 26: 6}
SAMPLE = 16  # voxels per axis that are compared before all voxels are; they are enough to find two values in most label images


def fill_holes(x, /, connectivity=None, *, values=False, max_size=None, return_fill_count=False, out=None, threads=None):
    """Fills holes: components of the background that do not touch a face of the array.

    x: booleans, integers or floats with one, two or three axes in host memory, in any layout. 0 and NaN are background. Axes of length 1
    have no faces, so an image with the shape (1, n, m) has the holes of an image with the shape (n, m).
    connectivity: the neighbours of the foreground; see label(). The background has 6 neighbours for 26 and 18, and 26 for 6; in 2D it has
    4 for 8, and 8 for 4.
    values: whether values are labels. A hole gets the value around it, if all voxels that share a face with the hole have one value. If
    they have several values, values=True leaves the hole as it is, and values=False fills it with the largest of them.
    max_size: fill only holes of at most this number of voxels.
    return_fill_count: also return the number of voxels that were filled.
    out: array of the shape and type of x; it may be x.
    threads: see label().

    Returns an array of the type of x, or (array, number of filled voxels).
    Raises TypeError or ValueError for arguments that are not valid, NotImplementedError for arrays on a CUDA device, and MemoryError.

    >>> x = np.array([[5, 5, 5, 0, 7], [5, 0, 5, 0, 7], [5, 5, 5, 0, 7]])
    >>> voxcc.fill_holes(x, return_fill_count=True)
    (array([[5, 5, 5, 0, 7],
           [5, 5, 5, 0, 7],
           [5, 5, 5, 0, 7]]), 1)
    """
    x = arguments.array_argument(x)
    values, return_fill_count = arguments.boolean(values, "values"), arguments.boolean(return_fill_count, "return_fill_count")
    connectivity = arguments.connectivity_argument(connectivity, x.ndim)
    largest = 2**64 - 1 if max_size is None else arguments.size_argument(max_size, "max_size")
    threads = arguments.threads_argument(threads)
    arguments.out_like(out, x)
    if x.dtype.kind in "iu" and x.size:
        out, count = _filled_labels(x, connectivity, largest, values, out, threads)
        return (out, count) if return_fill_count else out
    holes = find_holes(x, DUAL[connectivity], largest=largest, nan=True, threads=threads)
    count = 0
    if holes is None:
        out = _copied(x, out)
    elif x.dtype == bool:
        out, count = _filled_mask(x, holes, out, return_fill_count)
    else:
        mask = empty(x.shape, bool, arguments.layout_of(x))
        holes.paint_mask(mask)
        value = only_value(x)
        if value is not None:
            out = _copied(x, out)
            np.copyto(out, value, where=mask)
            count = np.count_nonzero(mask) if return_fill_count else 0
        else:
            at, filling = _values_of_holes(x, holes, mask, values)
            out = _copied(x, out)
            out[at] = filling
            count = filling.size
    return (out, int(count)) if return_fill_count else out


def find_holes(x, neighbours, *, largest=2**64 - 1, nan=False, threads=0):
    """The holes as components that can be painted; None if the array has no hole.

    @param neighbours of the background
    @param largest number of voxels of a hole
    @param nan whether NaN is background
    """
    if x.size <= 1:  # A single voxel has no neighbours, so it is not a hole.
        return None
    # Numbers in the order of the memory need less time.
    background = _label.run(x, neighbours, (arguments.NONZERO, 0.0, 0.0), complement=True, nan=nan, threads=threads,
                            f_order=arguments.layout_of(x) == "F")
    if background.count == 0:
        return None
    background.select(0, largest, None, 0, True, False)
    return background if background.count else None


def only_value(x):
    """The value of all foreground voxels; None if they have several, or if there is none. NaN is background."""
    sample = x[tuple(slice(None, None, max(1, n // SAMPLE)) for n in x.shape)]
    values = sample[(sample != 0) & (sample == sample)]
    if values.size and (values != values[0]).any():
        return None
    value = values[0] if values.size else np.fmax.reduce(x, axis=None) or np.fmin.reduce(x, axis=None)
    foreground = np.count_nonzero(x) - (np.count_nonzero(x != x) if x.dtype.kind == "f" else 0)
    return value if np.count_nonzero(x == value) == foreground else None


def _copied(x, out):
    if out is None:
        out = empty_like(x)
    if out is not x:
        np.copyto(out, x)
    return out


def _filled_labels(x, connectivity, largest, values, out, threads):
    """@param x integers, not empty"""
    holes = _core.ImageHoles(x, connectivity, largest, 0 if threads is None else threads)
    out = _copied(x, out)
    return out, holes.fill(out, values)


def _filled_mask(x, holes, out, counts):
    """@param counts whether the filled voxels are counted"""
    shared = out is not None and np.may_share_memory(x, out)
    mask = empty_like(x) if out is None or shared else out
    holes.paint_mask(mask)
    count = np.count_nonzero(mask) if counts else 0
    out = mask if out is None else out
    np.logical_or(x, mask, out=out)
    return out, count


def _values_of_holes(x, holes, mask, values):
    """The indices of the voxels that are filled, and their values.

    A hole does not touch a face, so each of its voxels has neighbours along all axes longer than 1. A neighbour by a face is in the same
    hole, or is foreground.
    """
    labels = empty(x.shape, _label.label_type(None, holes.count), arguments.layout_of(x))
    holes.paint(labels)
    at = np.nonzero(mask)
    numbers = labels[at]
    native = x.dtype.newbyteorder("=")
    least = np.empty(holes.count + 1, native)
    most = np.empty(holes.count + 1, native)
    around = []
    for axis in (axis for axis in range(x.ndim) if x.shape[axis] > 1):
        for step in (-1, 1):
            beside = tuple(index + step if a == axis else index for a, index in enumerate(at))
            is_foreground = labels[beside] == 0
            beside = tuple(index[is_foreground] for index in beside)
            around.append((numbers[is_foreground], x[beside].astype(native, copy=False)))
    for hole, value in around:  # any neighbour is a first bound
        least[hole] = most[hole] = value
    for hole, value in around:
        np.minimum.at(least, hole, value)
        np.maximum.at(most, hole, value)
    filling = most[numbers]
    if values:
        is_filled = (least == most)[numbers]
        at, filling = tuple(index[is_filled] for index in at), filling[is_filled]
    return at, filling
