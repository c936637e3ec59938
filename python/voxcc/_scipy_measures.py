"""The functions of voxcc.scipy that sum an image inside labels."""

import importlib.util

import numpy as np

from . import _measure
from ._scipy_groups import on_host, scipy_function


def _is_slow(image, labels, name):
    """Whether scipy is faster than the engine: for sums of floats, and for many labels (measured with 128**3 voxels)."""
    is_sum = name in ("intensity_sum", "intensity_mean")
    if is_sum and (image.dtype.kind == "f" or image.dtype.itemsize == 8):
        return _has_scipy()
    return int(labels.max()) > max(64, labels.size // 1024) and _has_scipy()


def _has_scipy():
    return importlib.util.find_spec("scipy") is not None


def _columns(input, labels, index, names):
    """The columns of measure() for the labels in index, or None if scipy must compute them.

    A label that does not occur has the sum 0. Its other measures are 0 / 0, which is NaN and warns as in scipy.
    """
    on_host(input, labels)
    if labels is None or index is None:
        return None
    image, labels, index = np.asarray(input), np.asarray(labels), np.asarray(index)
    if (
        image.dtype.kind not in "biuf" or image.dtype.itemsize > 8 or labels.dtype.kind not in "iu" or index.dtype.kind not in "iu"
        or image.shape != labels.shape or labels.ndim not in (1, 2, 3) or labels.size == 0 or index.ndim != 1 or (index == 0).any()
        or (image.dtype.kind == "f" and not np.isfinite(image).all()) or _is_slow(image, labels, names[0])
    ):
        return None
    table = _measure.measure(labels, image)
    known = table["label"]
    row = np.searchsorted(known, index)
    found = np.zeros(len(index), bool)
    inside = row < len(known)
    found[inside] = known[row[inside]] == index[inside]
    columns = []
    for name in names:
        column = np.zeros(len(index))
        column[found] = table[name][row[found]]
        columns.append(column if name == "intensity_sum" else column / found)
    return columns


def _measured(name, column):
    def function(input, labels=None, index=None):
        columns = _columns(input, labels, index, [column])
        return scipy_function(name)(input, labels, index) if columns is None else columns[0]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The same as scipy.ndimage.{name}, rounded once. The engine measures finite images inside integer labels.

    index: a sequence of labels that are not 0. For other arguments, and where scipy is faster, scipy itself computes the result.
    """
    return function


sum_labels = _measured("sum_labels", "intensity_sum")
mean = _measured("mean", "intensity_mean")
standard_deviation = _measured("standard_deviation", "intensity_std")


def sum(input, labels=None, index=None):
    """The same as sum_labels(), as in scipy."""
    return sum_labels(input, labels, index)


def variance(input, labels=None, index=None):
    """The variance per label. This is scipy.ndimage.variance: the engine computes the standard deviation only, whose square is rounded.

    >>> from voxcc.scipy import variance
    >>> variance(np.array([1, 2, 5]), np.array([1, 1, 2]), [1, 2])
    array([0.25, 0.  ])
    """
    on_host(input, labels)
    return scipy_function("variance")(input, labels, index)


def center_of_mass(input, labels=None, index=None):
    """The same as scipy.ndimage.center_of_mass: one tuple of indices per label. See sum_labels() for the arguments.

    >>> from voxcc.scipy import center_of_mass
    >>> center_of_mass(np.array([[1, 3], [0, 0]]), np.array([[1, 1], [2, 2]]), [1])
    [(np.float64(0.0), np.float64(0.75))]
    """
    on_host(input, labels)
    names = [f"intensity_weighted_centroid_{axis}" for axis in range(np.ndim(input))]
    columns = _columns(input, labels, index, names) if names else None
    if columns is None:
        return scipy_function("center_of_mass")(input, labels, index)
    return [tuple(row) for row in np.stack(columns, axis=1)]
