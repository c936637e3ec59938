"""The functions of voxcc.scipy that pass the values of each label to a function: histograms, and functions of the caller."""

import math

import numpy as np

from ._scipy_groups import groups_of, on_host, scipy_function


def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False):
    """Calls a function with the values of each label. This is scipy.ndimage.labeled_comprehension, which receives all arguments.

    The order of the values in a call is the order of scipy, which is not stable, so that the engine cannot prepare them.

    >>> from voxcc.scipy import labeled_comprehension
    >>> labeled_comprehension(np.array([5, 3, 4]), np.array([1, 1, 2]), [1, 2, 7], np.max, int, -1)
    array([ 5,  4, -1])
    """
    on_host(input, labels)
    return scipy_function("labeled_comprehension")(input, labels, index, func, out_dtype, default, pass_positions)


def histogram(input, min, max, bins, labels=None, index=None):
    """The histogram of the values of each label, as scipy.ndimage.histogram.

    min, max: the limits of all bins; max belongs to the last bin. bins: the number of bins, which have equal widths.
    input, labels, index: see minimum().
    Returns an array of objects: one array of counts per element of index, None for labels that do not occur. Other arguments are passed
    on to scipy.

    >>> from voxcc.scipy import histogram
    >>> histogram(np.array([5, 3, 4]), 0, 10, 2, np.array([1, 1, 2]), [1, 2])
    array([array([1, 1]), array([1, 0])], dtype=object)
    """
    groups = groups_of(input, labels, index)
    if (
        groups is None or groups.values.dtype == bool or not _are_limits(min, max, bins) or groups.count * bins > groups.values.size + 4096
        or groups.rows.size == 0 or (np.asarray(index).astype(np.asarray(labels).dtype) != index).any()
    ):
        return scipy_function("histogram")(input, min, max, bins, labels, index)
    occurs, groups = groups.occurring(), groups.of_index()
    edges = np.linspace(min, max, bins + 1)
    numbers = np.searchsorted(edges, groups.values, side="right")
    numbers[groups.values == edges[-1]] = bins
    inside = (numbers > 0) & (numbers <= bins)
    cells = groups.labels * bins
    cells += numbers
    cells -= 1
    counts = np.bincount(cells[inside], minlength=groups.count * bins).reshape(groups.count, bins)
    result = np.empty(len(groups.rows), object)
    for place, row in enumerate(groups.rows.tolist()):
        if occurs[row]:
            result[place] = counts[row].copy()
    return result


def _are_limits(low, high, bins):
    numbers = (int, float, np.integer, np.floating)
    return (
        isinstance(low, numbers) and isinstance(high, numbers) and isinstance(bins, (int, np.integer)) and not isinstance(bins, bool)
        and math.isfinite(low) and math.isfinite(high) and low < high and bins >= 1
    )
