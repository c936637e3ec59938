"""The arguments of the functions of voxcc.scipy that compute with NumPy, and how scipy finds the labels of the argument index."""

from typing import NamedTuple

import numpy as np

from . import _patch
from ._frameworks import framework_of


def scipy_function(name):
    """A function of scipy.ndimage itself."""
    try:
        import scipy.ndimage
    except ImportError:
        raise NotImplementedError(f"{name}() with these arguments needs scipy") from None
    return _patch.original(scipy.ndimage, name)


def on_host(*arrays):
    """Raises an error for arrays on CUDA devices."""
    for array in arrays:
        if framework_of(array) is not None:
            raise NotImplementedError("arrays on a CUDA device are not supported here; use voxcc.measure(labels, intensity)")


class Groups(NamedTuple):
    """The voxels of an image by label, as flat arrays in C order. The labels are 0 to count - 1."""

    values: np.ndarray
    labels: np.ndarray  # intp
    count: int
    rows: np.ndarray  # per element of index: its label, or count if it is larger than all labels or negative

    def occurring(self):
        """One boolean per label and one for the row `count`: whether the label occurs."""
        occurs = np.zeros(self.count + 1, bool)
        occurs[self.labels] = True
        return occurs

    def of_index(self):
        """The groups of the labels in index alone."""
        chosen = np.zeros(self.count + 1, bool)
        chosen[self.rows] = True
        inside = chosen[self.labels]
        return self._replace(values=self.values[inside], labels=self.labels[inside])


def groups_of(input, labels, index):
    """The groups of the arguments, or None if scipy itself must compute the result.

    They are groups if the image has booleans, integers or floats, labels has its shape and integers from 0 to its size, and index is a
    sequence of integers.
    """
    on_host(input, labels)
    if labels is None or index is None:
        return None
    image, labels, index = np.asanyarray(input), np.asarray(labels), np.asarray(index)
    if (
        type(image) is not np.ndarray or image.dtype.kind not in "biuf" or image.dtype.itemsize > 8 or not image.dtype.isnative
        or labels.dtype.kind not in "iu" or not np.can_cast(labels.dtype, np.intp) or index.dtype.kind not in "iu" or index.ndim != 1
        or not np.can_cast(index.dtype, np.intp) or image.shape != labels.shape or image.size == 0
    ):
        return None
    smallest, largest = int(labels.min()), int(labels.max())
    if smallest < 0 or largest > labels.size:
        return None
    rows = np.where((index >= 0) & (index <= largest), index, largest + 1)
    return Groups(image.ravel(), labels.ravel().astype(np.intp, copy=False), largest + 1, rows)
