"""The functions of voxcc.scipy that measure an image inside labels."""

import numpy as np

from . import _measure, _patch
from ._frameworks import framework_of


def scipy_function(name):
    """A function of scipy.ndimage itself."""
    try:
        import scipy.ndimage
    except ImportError:
        raise NotImplementedError("this structure, type or number of dimensions needs scipy") from None
    return _patch.original(scipy.ndimage, name)


def _columns(input, labels, index, names, missing):
    """The columns of measure() for the labels in index, or None if scipy must compute them."""
    for array in (input, labels):
        if framework_of(array) is not None:
            raise NotImplementedError("arrays on a CUDA device are not supported here; use voxcc.measure(labels, intensity)")
    if labels is None or index is None:
        return None
    image, labels, index = np.asarray(input), np.asarray(labels), np.asarray(index)
    if (
        image.dtype.kind not in "biuf" or image.dtype.itemsize > 8 or labels.dtype.kind not in "iu" or index.dtype.kind not in "iu"
        or image.shape != labels.shape or labels.ndim not in (1, 2, 3) or index.ndim != 1 or (index == 0).any()
        or (image.dtype.kind == "f" and not np.isfinite(image).all())
    ):
        return None
    table = _measure.measure(labels, image)
    known = table["label"]
    row = np.searchsorted(known, index)
    found = np.zeros(len(index), bool)
    inside = row < len(known)
    found[inside] = known[row[inside]] == index[inside]
    columns = []
    for name in names(labels.ndim):
        column = np.full(len(index), missing)
        column[found] = table[name][row[found]]
        columns.append(column)
    return columns


def _measured(name, column, missing, keeps_type):
    def function(input, labels=None, index=None):
        columns = _columns(input, labels, index, lambda ndim: [column], missing)
        dtype = np.asarray(input).dtype
        if columns is None or (keeps_type and dtype.itemsize == 8 and dtype.kind in "iu"):  # a float holds integers up to 2^53
            return scipy_function(name)(input, labels, index)
        return columns[0].astype(dtype) if keeps_type else columns[0]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The same as scipy.ndimage.{name}, rounded once. The engine measures finite images inside integer labels.

    index: a sequence of labels that are not 0. For other arguments, scipy itself computes the result.
    """
    return function


sum_labels = _measured("sum_labels", "intensity_sum", 0.0, False)
mean = _measured("mean", "intensity_mean", np.nan, False)
standard_deviation = _measured("standard_deviation", "intensity_std", np.nan, False)
minimum = _measured("minimum", "intensity_min", 0.0, True)
maximum = _measured("maximum", "intensity_max", 0.0, True)


def center_of_mass(input, labels=None, index=None):
    """The same as scipy.ndimage.center_of_mass: one tuple of indices per label. See sum_labels() for the arguments.

    >>> from voxcc.scipy import center_of_mass
    >>> center_of_mass(np.array([[1, 3], [0, 0]]), np.array([[1, 1], [2, 2]]), [1])
    [(np.float64(0.0), np.float64(0.75))]
    """
    columns = _columns(input, labels, index, lambda ndim: [f"intensity_weighted_centroid_{axis}" for axis in range(ndim)], np.nan)
    if columns is None:
        return scipy_function("center_of_mass")(input, labels, index)
    return [tuple(row) for row in np.stack(columns, axis=1)]
