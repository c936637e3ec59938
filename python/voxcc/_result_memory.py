"""Arrays for results."""

import math

import numpy as np

from . import _core

KEPT_FROM = 32 << 20  # bytes; smaller arrays are left to NumPy, which keeps their memory itself
FEW_VOXELS = KEPT_FROM // 8  # arrays of fewer voxels are smaller, whatever their type is


def empty(shape, dtype, order="C"):
    """As numpy.empty(). The memory of a large array comes from a result that was freed before, if there is one: see result_memory.h."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    memory = _core.result_memory(size) if KEPT_FROM <= size < 2**63 else None  # NumPy raises ValueError for larger sizes
    if memory is None:
        return np.empty(shape, dtype, order)
    return memory.view(dtype).reshape(shape, order=order)


def empty_like(x):
    """As numpy.empty_like(), with the memory of empty()."""
    if x.flags.forc:
        return empty(x.shape, x.dtype, "C" if x.flags.c_contiguous else "F")
    return np.empty_like(x)
