"""Checks of the arguments of all functions. Every function raises TypeError or ValueError with a message of one sentence."""

import math
import operator
import re

import numpy as np

from ._errors import DimensionError
from ._frameworks import framework_of


def array_argument(x, name="x"):
    """The argument as an array of booleans, integers or floats with one to three dimensions. A NumPy array is not copied."""
    if type(x) is not np.ndarray:
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError(f"{name} is a masked array; pass its data, and its inverted mask as 'mask'")
        on_host(x, name)
        x = np.asarray(x)
    dtype = x.dtype
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise TypeError(f"{name} has the type {dtype}; it must hold booleans, integers, or floats of 16, 32 or 64 bits")
    dimensions_argument(x.ndim, name)
    return x


def on_host(x, name="x"):
    """Raises an error for arrays on CUDA devices."""
    if framework_of(x) is not None:
        raise NotImplementedError(f"{name} is on a CUDA device, which is not supported here; copy it to the host, for example with "
                                  "x.get() or x.cpu()")


def dimensions_argument(ndim, name="x"):
    if not 1 <= ndim <= 3:
        raise DimensionError(name, f"has {ndim} dimensions", "it must have 1, 2 or 3")
    return ndim


def no_host_arguments(threads=None, **arrays):
    """Raises an error for arguments that labelling on a CUDA device does not support."""
    if threads is not None:
        raise ValueError("threads is for labelling on the CPU; leave it out")
    for name, value in arrays.items():
        if value is not None:
            raise NotImplementedError(f"labelling on a CUDA device does not support {name}; label a copy of the array on the host")


def labels_argument(labels, name="labels"):
    labels = array_argument(labels, name)
    if labels.dtype.kind == "f":
        raise TypeError(f"{name} has the type {labels.dtype}; labels must be integers")
    return labels


def same_shape(array, x, name):
    """The argument as an array of the shape of x, or None."""
    if array is None:
        return None
    array = array_argument(array, name)
    if array.shape != x.shape:
        raise ValueError(f"{name} has the shape {array.shape}, but the array has the shape {x.shape}")
    return array


def integer(value, name, least):
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is a boolean; it must be an integer")
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be an integer") from None
    if value < least:
        raise ValueError(f"{name} is {value}; it must be at least {least}")
    return value


def size_argument(value, name):
    """A number of voxels that fits 64 bits."""
    return min(integer(value, name, 0), 2**64 - 1)


def threads_argument(threads):
    """The number of threads for the engine; 0 if it decides."""
    return 0 if threads is None else min(integer(threads, "threads", 1), 1024)


CONNECTIVITIES = {
    1: dict.fromkeys((None, 1, 4, 6, 8, 18, 26), 26),
    2: {None: 8, 1: 4, 4: 4, 6: 4, 2: 8, 8: 8, 18: 8, 26: 8},
    3: {None: 26, 1: 6, 6: 6, 2: 18, 18: 18, 3: 26, 26: 26},
    "slices": {None: 8, 1: 4, 4: 4, 2: 8, 8: 8},
}


def connectivity_argument(connectivity, dimensions):
    """The number of neighbours. @param dimensions the number of axes, or "slices" """
    choices = CONNECTIVITIES[dimensions]
    if connectivity is not None:
        connectivity = integer(connectivity, "connectivity", 1)
    if connectivity not in choices:
        valid = ", ".join(str(choice) for choice in choices if choice is not None)
        of = "with per_slice" if dimensions == "slices" else f"for {dimensions} dimensions"
        raise ValueError(f"connectivity is {connectivity}; {of}, it must be one of {valid}")
    return choices[connectivity]


def connectivity_of_structure(structure):
    """The connectivity, and the axis of separate slices or -1, of a structure that the engine supports. Else None."""
    ndim = structure.ndim
    distance = np.abs(np.indices(structure.shape) - 1).sum(axis=0)
    for reach in range(1, ndim + 1):
        if np.array_equal(structure, distance <= reach):
            return connectivity_argument(reach, ndim), -1
    if ndim == 3 and not structure[0].any():
        flat = connectivity_of_structure(structure[1])
        return None if flat is None else (flat[0], 0)
    return None


def structure_argument(structure, ndim):
    """The connectivity, and the axis of separate slices or -1."""
    structure = np.asarray(structure, dtype=bool)
    if structure.shape != (3,) * ndim:
        raise ValueError(f"structure has the shape {structure.shape}; it must have 3 elements along each of the {ndim} axes")
    neighbours = connectivity_of_structure(structure)
    if neighbours is None:
        raise ValueError(
            "structure is none of scipy.ndimage.generate_binary_structure(), and not such a structure within slices across axis 0; "
            "use voxcc.scipy.label()"
        )
    return neighbours


def delta_argument(delta):
    """The largest difference as a bound."""
    if isinstance(delta, str):
        raise TypeError(f"delta is {delta!r}; it must be a number")
    number = bound(delta, "delta")
    if delta < 0:
        raise ValueError(f"delta is {delta!r}; it must be at least 0")
    return number


def axis_argument(axis, ndim, name):
    axis = integer(axis, name, -ndim)
    if axis >= ndim:
        raise ValueError(f"{name} is {axis}; the array has the axes 0 to {ndim - 1}")
    return axis % ndim


def periodic_argument(periodic, ndim):
    """One bit per axis. @param periodic a boolean, or axes"""
    if isinstance(periodic, (bool, np.bool_)):
        return (1 << ndim) - 1 if periodic else 0
    axes = [periodic] if np.ndim(periodic) == 0 else periodic
    bits = 0
    for axis in axes:
        bits |= 1 << axis_argument(axis, ndim, "periodic")
    return bits


def spacing_argument(spacing, ndim):
    if spacing is None:
        return None
    values = [float(s) for s in np.atleast_1d(np.asarray(spacing, dtype=float)).tolist()]
    if len(values) == 1:
        values *= ndim
    if len(values) != ndim or not all(math.isfinite(s) and s > 0 for s in values):
        raise ValueError(f"spacing is {spacing!r}; it must be one positive number per axis, or one for all axes")
    return values


NONZERO, ABOVE, AT_LEAST, RANGE = range(4)
THRESHOLDS = ", two numbers or a text such as '>5'"
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


def bound(value, name="threshold"):
    """A number of a rule, as the engine reads it: an integer, a float, or a tuple (whole, real) for a number above the integer `whole` that
    lies on another side of some integer than the nearest float `real`."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is a boolean; it must be a number")
    if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0:
        value = value.item()
    if isinstance(value, int):
        return value
    try:
        number = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be a number{THRESHOLDS if name == 'threshold' else ''}") from None
    if math.isnan(number):
        raise ValueError(f"{name} is {value!r}; it must be a number")
    if math.isinf(number) or isinstance(value, float):
        return number
    whole = math.floor(value)
    if whole == value:
        return whole
    return number if whole < number < whole + 1 else (whole, number)


def number_in(text, threshold):
    """The exact value of a decimal number."""
    from decimal import Decimal  # imported here, because importing voxcc must be fast
    from fractions import Fraction

    nearest = float(text)
    if math.isinf(nearest) or (nearest == 0 and Decimal(text) != 0):
        raise ValueError(f"threshold is '{threshold}'; it must be a number that a float of 64 bits holds")
    return Fraction(text)


def threshold_argument(threshold):
    """Kind, low and high of the rule for foreground."""
    if threshold is None:
        return NONZERO, 0.0, 0.0
    if isinstance(threshold, str):
        text = threshold.replace(" ", "")
        if match := re.fullmatch(rf"(>=|>)?({NUMBER})", text):
            return (ABOVE if match[1] == ">" else AT_LEAST), bound(number_in(match[2], threshold)), 0.0
        if match := re.fullmatch(rf"({NUMBER}):({NUMBER})", text):
            threshold = number_in(match[1], threshold), number_in(match[2], threshold)
        else:
            raise ValueError(f"threshold is '{threshold}'; it must be as '>5', '>=5' or '2:5'")
    if isinstance(threshold, (tuple, list)):
        if len(threshold) != 2:
            raise ValueError(f"threshold has {len(threshold)} numbers; it must have 1 or 2")
        low, high = threshold
        bounds = bound(low), bound(high)
        if low > high:
            raise ValueError(f"threshold is {low} to {high}; the first number must not be greater than the second")
        return RANGE, *bounds
    return AT_LEAST, bound(threshold), 0.0


def background_argument(background):
    """The rule whose complement is the foreground."""
    if isinstance(background, str):
        raise TypeError(f"background is {background!r}; it must be a number")
    value = bound(background, "background")
    return RANGE, value, value


def choice(value, choices, name):
    """The index of a value among the choices."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, choices))}")
    return choices.index(value)


def layout_of(x):
    """The order in which results are stored: "F" for arrays in Fortran order, else "C"."""
    flags = x.flags
    return "F" if flags.f_contiguous and not flags.c_contiguous else "C"


def out_argument(out, shape, kinds, what):
    """Checks an array for results."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is of the type {type(out).__name__}; it must be a NumPy array")
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, but the array has the shape {shape}")
    if out.dtype.kind not in kinds:
        raise ValueError(f"out has the type {out.dtype}; it must hold {what}")
    if not out.dtype.isnative or not out.flags.aligned or not out.flags.writeable:
        raise ValueError("out must be writable and aligned, and have the byte order of the machine")


def out_like(out, x):
    """Checks an array for a result of the shape and type of x, or None."""
    if out is None:
        return
    out_argument(out, x.shape, x.dtype.kind, f"values of the type {x.dtype}")
    if out.dtype != x.dtype:
        raise ValueError(f"out has the type {out.dtype}, but the array has the type {x.dtype}")
