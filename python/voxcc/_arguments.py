"""Checks of the arguments of all functions. Every function raises TypeError or ValueError with a message of one sentence."""

import math
import numbers
import operator
import re

import numpy as np

from . import _core
from ._errors import DimensionError
from ._frameworks import framework_of

MOST_VOXELS = 2**60


def shown(value):
    """A value in a message: at most 60 characters in one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer of more than 4300 digits, or an object that has no representation
        return f"of the type {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def scalar(value):
    """The Python number of a NumPy scalar, of an array without axes, or of a similar object; other values as they are."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def is_decimal(value):
    """Whether a value is a Decimal. The module decimal is not imported, because importing voxcc must be fast."""
    return type(value).__module__ in ("decimal", "_decimal", "_pydecimal")


def is_number(value):
    return isinstance(value, numbers.Real) or is_decimal(value)


def boolean(value, name):
    """The argument as True or False. 0 and 1 are accepted, too."""
    if value is True or value is False:
        return value
    value = scalar(value)
    if not isinstance(value, int) or value not in (0, 1):
        raise TypeError(f"{name} is {shown(value)}; it must be True or False")
    return bool(value)


def array_argument(x, name="x", axes=(1, 3)):
    """The argument as an array of booleans, integers or floats with one to three dimensions. A NumPy array is not copied.

    The result is a view, so that a program that assigns the shape of x during the call does not change it.
    """
    if type(x) is not np.ndarray:
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError(f"{name} is a masked array; pass its data, and its inverted mask as 'mask'")
        on_host(x, name)
        x = host_array(x, name)
    x = x.view()
    dtype = x.dtype
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise TypeError(f"{name} has the type {dtype}; it must hold booleans, integers, or floats of 16, 32 or 64 bits")
    dimensions_argument(x.ndim, name, *axes)
    return voxels_argument(x, name)


def host_array(x, name="x"):
    """The argument as a NumPy array."""
    try:
        return np.asarray(x)
    except RuntimeError as error:  # a tensor of PyTorch with a gradient
        raise TypeError(f"{name} cannot be read as an array of NumPy: {error}") from error


def voxels_argument(x, name="x"):
    """Raises an error for an array whose labels would need more than 2^63 bytes."""
    if x.size >= MOST_VOXELS:
        raise ValueError(f"{name} has the shape {x.shape}; an array must have less than 2^60 voxels")
    return x


def on_host(x, name="x"):
    """Raises an error for arrays on CUDA devices."""
    if framework_of(x) is not None:
        raise NotImplementedError(f"{name} is on a CUDA device, which is not supported here; copy it to the host, for example with "
                                  "x.get() or x.cpu()")


def dimensions_argument(ndim, name="x", least=1, most=3):
    if not least <= ndim <= most:
        raise DimensionError(name, f"has {ndim} dimensions", f"it must have {least}, {least + 1} or {most}")
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
    """The argument as an integer. Accepts everything whose value is an integer: NumPy scalars, arrays without axes, and floats as 3.0."""
    value = scalar(value)
    if isinstance(value, bool):
        raise TypeError(f"{name} is a boolean; it must be an integer")
    try:
        number = operator.index(value)
    except TypeError:
        number = whole(value, name)
    if number < least:
        raise ValueError(f"{name} is {shown(number)}; it must be at least {least}")
    return number


def whole(value, name):
    """The integer that a float, a Fraction or a Decimal is equal to."""
    if not is_number(value):
        raise TypeError(f"{name} is {shown(value)}; it must be an integer") from None
    try:
        number = int(value)
    except (ValueError, OverflowError):  # NaN and infinity
        number = None
    if number is None or number != value:
        raise ValueError(f"{name} is {shown(value)}; it must be an integer") from None
    return number


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
        raise ValueError(f"connectivity is {shown(connectivity)}; {of}, it must be one of {valid}")
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
    structure = host_array(structure, "structure")
    if structure.dtype.kind not in "biuf":
        raise TypeError(f"structure has the type {structure.dtype}; it must hold booleans")
    structure = structure.astype(bool)
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
    number = bound(delta, "delta")
    if (number[0] if isinstance(number, tuple) else number) < 0:
        raise ValueError(f"delta is {shown(delta)}; it must be at least 0")
    return number


def axis_argument(axis, ndim, name):
    axis = integer(axis, name, -ndim)
    if axis >= ndim:
        raise ValueError(f"{name} is {shown(axis)}; the array has the axes 0 to {ndim - 1}")
    return axis % ndim


def periodic_argument(periodic, ndim):
    """One bit per axis. @param periodic a boolean, or axes"""
    periodic = scalar(periodic)
    if isinstance(periodic, bool):
        return (1 << ndim) - 1 if periodic else 0
    if periodic is None or isinstance(periodic, (str, bytes)):
        raise TypeError(f"periodic is {shown(periodic)}; it must be a boolean, an axis or several axes")
    axes = periodic if hasattr(type(periodic), "__iter__") else [periodic]
    bits = 0
    for axis in axes:
        bits |= 1 << axis_argument(axis, ndim, "periodic")
    return bits


def spacing_argument(spacing, ndim):
    """One float per axis, or None."""
    if spacing is None:
        return None
    spacing = scalar(spacing)
    given = [spacing] * ndim if is_number(spacing) else spacing
    try:
        if isinstance(given, (str, bytes)) or any(isinstance(scalar(s), (bool, str, bytes)) for s in given):
            raise TypeError
        values = [float(scalar(s)) for s in given]
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"spacing is {shown(spacing)}; it must be one positive number per axis, or one for all axes") from None
    if len(values) == 1:
        values *= ndim
    if len(values) != ndim or not all(math.isfinite(s) and s > 0 for s in values):
        raise ValueError(f"spacing is {shown(spacing)}; it must be one positive number per axis, or one for all axes")
    return values


NONZERO, ABOVE, AT_LEAST, RANGE = range(4)
THRESHOLDS = ", two numbers or a text such as '>5'"
LEVELS = "'otsu', 'li', 'triangle', 'yen', a percentile such as 'p99', or a part of the range such as '40%'"
NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"


def bound(value, name="threshold"):
    """A number of a rule, as the engine reads it: an integer, a float, or a tuple (whole, real) for a number above the integer `whole` that
    lies on another side of some integer than the nearest float `real`."""
    value = scalar(value)
    if isinstance(value, bool):
        raise TypeError(f"{name} is a boolean; it must be a number")
    if isinstance(value, int):
        return value
    if not is_number(value):
        raise TypeError(f"{name} is {shown(value)}; it must be a number{THRESHOLDS if name.endswith('threshold') else ''}")
    try:
        number = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a NaN of Decimal that signals
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"{name} is {shown(value)}; it must be a number")
    if math.isinf(number) or isinstance(value, float):
        return number
    below = math.floor(value)
    if below == value:
        return below
    return number if below < number < below + 1 else (below, number)


def number_in(text, threshold, name):
    """The exact value of a decimal number."""
    from fractions import Fraction  # imported here, because importing voxcc must be fast

    nearest = float(text)
    if math.isinf(nearest) or (nearest == 0 and re.search("[1-9]", re.split("[eE]", text)[0])):
        raise ValueError(f"{name} is {shown(threshold)}; it must be a number that a float of 64 bits holds")
    return Fraction(text)


def comparable(number):
    """A number that can be compared with any other number. Decimal cannot be compared with Fraction."""
    if not is_decimal(number):
        return number
    from fractions import Fraction

    return Fraction(number) if number.is_finite() else float(number)


def is_level(text):
    """Whether a text names a threshold that is computed from the array."""
    return text.isascii() and _core.is_level(text)


def threshold_argument(threshold, name="threshold"):
    """Kind, low and high of the rule for foreground, or the name of a level, which is computed from the array."""
    if threshold is None:
        return NONZERO, 0.0, 0.0
    threshold = scalar(threshold)
    if isinstance(threshold, str):
        text = threshold.replace(" ", "")
        if match := re.fullmatch(rf"(>=|>)?({NUMBER})", text):
            return (ABOVE if match[1] == ">" else AT_LEAST), bound(number_in(match[2], threshold, name), name), 0.0
        if match := re.fullmatch(rf"({NUMBER}):({NUMBER})", text):
            threshold = number_in(match[1], threshold, name), number_in(match[2], threshold, name)
        elif is_level(text):
            return text
        else:
            raise ValueError(f"{name} is {shown(threshold)}; it must be as '>5', '>=5' or '2:5', or {LEVELS}")
    if isinstance(threshold, np.ndarray) and threshold.ndim == 1:
        threshold = threshold.tolist()
    if isinstance(threshold, (tuple, list)):
        if len(threshold) != 2:
            raise ValueError(f"{name} has {len(threshold)} numbers; it must have 1 or 2")
        bounds = [bound(number, name) for number in threshold]
        low, high = (comparable(scalar(number)) for number in threshold)
        if low > high:
            raise ValueError(f"{name} is {shown(low)} to {shown(high)}; the first number must not be greater than the second")
        return RANGE, *bounds
    return AT_LEAST, bound(threshold, name), 0.0


def background_argument(background):
    """The rule whose complement is the foreground; None for the background 0."""
    background = scalar(background)
    value = bound(int(background) if isinstance(background, bool) else background, "background")
    return None if value == 0 else (RANGE, value, value)


def choice(value, choices, name):
    """The index of a text among the choices."""
    value = scalar(value)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} is {shown(value)}; it must be one of {', '.join(map(repr, choices))}")
    return choices.index(value)


def dtype_argument(dtype, name="dtype"):
    """The argument as a type of NumPy."""
    try:
        return np.dtype(dtype)
    except Exception:  # NumPy raises many exceptions, for example SyntaxError
        raise TypeError(f"{name} is {shown(dtype)}; it must be a type of NumPy") from None


def layout_of(x):
    """The order in which results are stored: "F" for arrays in Fortran order, else "C"."""
    flags = x.flags
    return "F" if flags.f_contiguous and not flags.c_contiguous else "C"


def out_argument(out, shape, kinds, what):
    """Checks an array for results. Returns a view of it, which keeps its shape if a program assigns the shape of out."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is of the type {type(out).__name__}; it must be a NumPy array")
    view = out.view(np.ndarray)
    if view.shape != shape:
        raise ValueError(f"out has the shape {view.shape}, but the array has the shape {shape}")
    if view.dtype.kind not in kinds:
        raise ValueError(f"out has the type {view.dtype}; it must hold {what}")
    if not view.dtype.isnative or not view.flags.aligned or not view.flags.writeable:
        raise ValueError("out must be writable and aligned, and have the byte order of the machine")
    return view


def out_like(out, x):
    """Checks an array for a result of the shape and type of x. Returns a view of it, or None for None."""
    if out is None:
        return None
    view = out_argument(out, x.shape, x.dtype.kind, f"values of the type {x.dtype}")
    if view.dtype != x.dtype:
        raise ValueError(f"out has the type {view.dtype}, but the array has the type {x.dtype}")
    return view
