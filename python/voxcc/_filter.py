"""filter(): keeps components that a condition of the caller chooses."""

import numpy as np

from . import _arguments as arguments
from . import _gpu, _label
from ._frameworks import framework_of
from ._table import Table
from ._xarray import array_of, is_data_array, like


def filter(x, /, keep, connectivity=None, *, values=False, spacing=None, out=None, threads=None):
    """Sets all voxels to 0 that belong to components which a condition does not choose.

    keep: a function that receives the table of the components and returns one boolean per row; see label(table=True) for the columns.
    spacing: distance between voxels, one number per axis; adds volume and axis lengths to the table.
    x, connectivity, values, threads: see label().
    out: array of the shape and type of x; it may be x.
    Returns an array of the type of x. For a DataArray of xarray, and for arrays of CuPy and PyTorch on a CUDA device, this is an array of
    the same library.
    Raises ValueError if keep does not return one boolean per component, or if it changes the shape of x or out.

    >>> x = np.array([5, 5, 0, 3, 0, 1, 1, 1])
    >>> voxcc.filter(x, lambda table: table["bbox_0_max"] < 5)
    array([5, 5, 0, 3, 0, 0, 0, 0])
    """
    if not callable(keep):
        raise TypeError(f"keep is {arguments.shown(keep)}; it must be a function that receives a table")
    if is_data_array(x):
        return like(x, filter(array_of(x), keep, connectivity, values=values, spacing=spacing, out=out, threads=threads))
    framework = framework_of(x)
    ndim = arguments.array_argument(x).ndim if framework is None else len(_gpu.described(x, framework).shape)
    spacing = arguments.spacing_argument(spacing, ndim)

    def select(labelled):
        before = forms_of(x, out)
        chosen = arguments.host_array(keep(Table(labelled.table(spacing))), "the result of keep")
        if forms_of(x, out) != before:
            raise ValueError("keep has changed the shape, the type or the memory of x or out; it may change elements only")
        if chosen.dtype != bool or chosen.shape != (labelled.count,):
            raise ValueError(
                f"keep returned the type {chosen.dtype} and the shape {chosen.shape}; it must return {labelled.count} booleans, one per row"
            )
        labelled.select_rows(np.ascontiguousarray(chosen))

    return _label.filtered(x, connectivity, values, select, out, threads)


def forms_of(*arrays):
    """Where and how the NumPy arrays among the arguments are stored."""
    return [(a.ctypes.data, a.shape, a.strides, a.dtype) for a in arrays if isinstance(a, np.ndarray)]
