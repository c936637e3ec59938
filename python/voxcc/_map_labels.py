"""map_labels(): gives labels new numbers."""

import warnings
from collections.abc import Mapping

import numpy as np

from . import _arguments as arguments
from . import _gpu, _label
from ._frameworks import framework_of
from ._result_memory import empty
from ._xarray import array_of, is_data_array, labels_like

MISSING = ("keep", "zero", "error")
MOST_DENSE = 1 << 26  # labels below it are looked up in an array
BLOCK = 1 << 20  # voxels per step


def map_labels(labels, table, *, missing="error", dtype=None):
    """Gives the labels of a label image new numbers, as `voxcc map` does with files.

    labels: integers with one, two or three axes, also negative. 0 is background and stays 0. An array on a CUDA device gets its numbers
    there.
    table: a dict of labels and their new numbers, or a pair of arrays of equal length: the labels, and the new numbers. Several labels may
    get one number. The number 0 removes a label. Labels that do not occur change nothing.
    missing: what happens to labels that the table does not have. "error" raises ValueError, "keep" keeps the number, "zero" removes the
    label. With "keep", a warning states that a label keeps a number which is also the new number of another label.
    dtype: integer type of the result. None: uint32, or uint64 if a number needs it; for tensors of PyTorch on a device int32, or int64 or
    uint64 if a number needs it. "min": the smallest unsigned type.

    Returns an array in the layout of labels: C or Fortran, else C. For a DataArray of xarray, the result is a DataArray. For an array of
    CuPy or PyTorch on a device, it is an array of this library on the device; arrays of other libraries on a device raise TypeError.
    Raises ValueError for a table that gives one label two numbers, or 0 a number other than 0, for new numbers below 0, for negative labels
    that keep their numbers, and for numbers that dtype cannot hold. Raises TypeError for labels that are not integers.

    >>> labels = np.array([[7, 7, 0], [0, 8, 9]])
    >>> voxcc.map_labels(labels, {7: 1, 8: 1, 9: 2})
    array([[1, 1, 0],
           [0, 1, 2]], dtype=uint32)
    >>> voxcc.map_labels(labels, ([7, 8], [1, 0]), missing="keep", dtype="min")
    array([[1, 1, 0],
           [0, 0, 9]], dtype=uint8)
    """
    if is_data_array(labels):
        return labels_like(labels, map_labels(array_of(labels, "labels"), table, missing=missing, dtype=dtype))
    missing = MISSING[arguments.choice(missing, MISSING, "missing")]
    if framework_of(labels) is not None:
        return _map_on_device(_gpu.label_image(labels), table, missing, dtype)
    labels = arguments.labels_argument(labels)
    if labels.dtype == bool:
        labels = labels.view(np.uint8)
    wide = np.int64 if labels.dtype.kind == "i" else np.uint64
    old, new = _numbers_of(table, wide)
    fortran = arguments.layout_of(labels) == "F"
    flat = np.ascontiguousarray(labels.T if fortran else labels).reshape(-1)
    least, largest = (int(flat.min()), int(flat.max())) if flat.size else (0, 0)
    dense = 0 <= least and largest < min(MOST_DENSE, 16 * flat.size + (1 << 16))
    if dense:
        occurs = np.zeros(largest + 1, bool)
        for first in range(0, flat.size, BLOCK):
            occurs[flat[first : first + BLOCK]] = True
        present = np.flatnonzero(occurs).astype(wide)
    else:
        present, places = np.unique(flat, return_inverse=True)
        present = present.astype(wide)
    numbers = _new_numbers(present, old, new, missing)
    dtype = _type_for(dtype, int(numbers.max(initial=0)))
    out = empty(labels.shape, dtype, "F" if fortran else "C")
    target = (out.T if fortran else out).reshape(-1)
    if dense:
        lookup = np.zeros(largest + 1, dtype)
        lookup[present.astype(np.intp)] = numbers.astype(dtype)
        for first in range(0, flat.size, BLOCK):
            target[first : first + BLOCK] = lookup[flat[first : first + BLOCK]]
    else:
        target[:] = numbers.astype(dtype)[places.reshape(-1)]
    return out


def _map_on_device(work, table, missing, dtype):
    """map_labels() for a result of _gpu.label_image(). The pass that finds the labels that occur also makes the result, of the type that the
    table lets expect. Another pass follows only if these labels need another type."""
    framework = work.framework
    if framework.label_type is None:
        raise TypeError("the library of labels is neither CuPy nor PyTorch; pass labels as cupy.asarray(labels) or torch.as_tensor(labels)")
    wide = np.int64 if work.array.type[1] == "i" else np.uint64
    old, new = _numbers_of(table, wide)
    expected = _device_type_for(dtype, int(new.max(initial=0)), framework)
    out, present = _gpu.map_labels(work, old, new, missing == "keep", expected)
    numbers = _new_numbers(present.astype(wide), old, new, missing)
    largest = int(numbers.max(initial=0))
    type_ = _device_type_for(dtype, largest, framework)
    if largest > _gpu.LARGEST_LABELS[type_]:
        raise _does_not_fit(largest, np.dtype(type_))
    return out if type_ == expected else _gpu.map_labels(work, old, new, missing == "keep", type_)[0]


def _device_type_for(dtype, largest, framework):
    """The type of a result on a device, as in the array interface. A type that dtype names can be too small for the largest number."""
    if isinstance(dtype, str) and dtype == "min":
        return np.min_scalar_type(largest).str
    type_ = _gpu.label_type(dtype, framework)
    wider = [type_] if dtype is not None else [type_, "<i8", "<u8"] if type_ == "<i4" else [type_, "<u8"]
    return next((t for t in wider if largest <= _gpu.LARGEST_LABELS[t]), wider[-1])


def _type_for(dtype, largest):
    is_chosen = dtype is not None and not (isinstance(dtype, str) and dtype == "min")
    if is_chosen and largest > np.iinfo(_label.label_type(dtype, 0)).max:
        raise _does_not_fit(largest, arguments.dtype_argument(dtype))
    return _label.label_type(dtype, largest)


def _does_not_fit(largest, dtype):
    return ValueError(f"the label {largest} does not fit {dtype}; use a wider dtype")


def _numbers_of(table, wide):
    """The labels of a table that an array of the type `wide` can have, in ascending order, and their new numbers as uint64."""
    if isinstance(table, Mapping):
        table = (list(table.keys()), list(table.values()))
    if not isinstance(table, (tuple, list)) or len(table) != 2:
        raise TypeError(f"table is {arguments.shown(table)}; it must be a dict, or a pair of arrays: the labels, and the new numbers")
    old, new = _whole_numbers(table[0], "label", -(2**63)), _whole_numbers(table[1], "new number", 0)
    if len(old) != len(new):
        raise ValueError(f"the table has {len(old)} labels, but {len(new)} new numbers")
    limits = np.iinfo(wide)
    # An array of objects has the numbers that neither int64 nor uint64 holds together. Comparisons of int64 and uint64 are exact.
    can_occur = np.array((old >= limits.min) & (old <= limits.max), bool)
    old, new = old[can_occur].astype(wide), new[can_occur].astype(np.uint64)
    order = np.argsort(old, kind="stable")
    old, new = old[order], new[order]
    for i in np.flatnonzero((old[1:] == old[:-1]) & (new[1:] != new[:-1]))[:1]:
        raise ValueError(f"the table gives the label {old[i]} the new numbers {new[i]} and {new[i + 1]}")
    if ((old == 0) & (new != 0)).any():
        raise ValueError("the table gives a new number to the label 0, which is the background")
    return old, new


def _whole_numbers(values, name, least):
    """A column of the table as an array of integers."""
    values = np.asarray(values) if isinstance(values, np.ndarray) or hasattr(values, "__array__") else np.array(list(values), object)
    if values.ndim != 1:
        raise ValueError(f"the {name}s of the table have {values.ndim} axes; they must have one")
    if values.dtype.kind not in "iu":
        values = np.array([arguments.integer(value, f"a {name} of the table", least) for value in values], object)
    for value in (values.min(), values.max()) if len(values) else ():
        if not least <= int(value) < 2**64:
            raise ValueError(f"a {name} of the table is {value}; it must be from {least} to {2**64 - 1}")
    return values


def _new_numbers(present, old, new, missing):
    """The new number of each label. @param present labels in ascending order, may contain 0"""
    if np.array_equal(present, old):
        return new
    place = np.searchsorted(old, present)
    known = np.zeros(len(present), bool)
    inside = place < len(old)
    known[inside] = old[place[inside]] == present[inside]
    numbers = np.zeros(len(present), np.uint64)
    numbers[known] = new[place[known]]
    absent = ~known & (present != 0)
    if missing == "error" and absent.any():
        more = int(np.count_nonzero(absent)) - 1
        others = f" and {more} further label{'s' * (more > 1)}" * (more > 0)
        raise ValueError(f"the table does not have the label {present[absent][0]}{others}; add rows, or pass missing='keep' or 'zero'")
    if missing == "keep" and absent.any():
        kept = present[absent]
        if kept[0] < 0:
            raise ValueError(f"the label {kept[0]} is negative and would keep its number; add it to the table, or pass missing='zero'")
        numbers[absent] = kept
        _warn_of_collisions(kept.astype(np.uint64), present[known], numbers[known])
    return numbers


def _warn_of_collisions(kept, sources, numbers):
    both = kept[np.isin(kept, numbers)]
    if both.size:
        source = sources[numbers == both[0]][0]
        more = f"; the same holds for {both.size - 1} further label{'s' * (both.size > 2)}" * (both.size > 1)
        warnings.warn(
            f"the label {both[0]} is not in the table and keeps its number, which is also the new number of the label {source}; both are one "
            f"label now{more}",
            stacklevel=3,
        )
