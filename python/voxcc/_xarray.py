"""Arrays of xarray. Results have the dimensions and the coordinates of the argument.

xarray is never imported: a caller who has a DataArray has imported it.
"""

import sys


def is_data_array(x):
    data_array = getattr(sys.modules.get("xarray"), "DataArray", None)
    return data_array is not None and isinstance(x, data_array)


def array_of(x, name="x"):
    """The array in a DataArray. Raises TypeError if it is divided into chunks."""
    if x.chunks is not None:
        raise TypeError(f"{name} is a DataArray in chunks; label {name}.data with voxcc.dask.label(), or pass {name}.compute()")
    return x.data


def array_beside(x, other, name):
    """An array that is read beside the DataArray x: a DataArray in the order of the axes of x. Other arrays are returned as they are."""
    if not is_data_array(other):
        return other
    if set(other.dims) != set(x.dims):
        raise ValueError(f"{name} has the dimensions {other.dims}, but the array has the dimensions {x.dims}")
    for axis in x.dims:
        if axis in x.coords and axis in other.coords and not x.coords[axis].variable.equals(other.coords[axis].variable):
            raise ValueError(f"{name} and the array have different coordinates along {axis!r}; make them equal, for example with xarray.align()")
    return array_of(other.transpose(*x.dims), name)


def like(x, values):
    """A DataArray of other values of the same quantity: with the name, dimensions, coordinates and attributes of x."""
    return x.copy(deep=False, data=values)


def labels_like(x, labels):
    """A DataArray of labels with the dimensions and coordinates of x."""
    result = like(x, labels).rename("labels")
    result.attrs = {"long_name": "connected components"}
    result.encoding = {}  # the scale and the fill value of x in a file are not for labels
    return result
