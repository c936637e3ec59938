"""label(), and filters of its components, for arrays on CUDA devices."""

import re

import numpy as np

from . import _arguments as arguments
from . import _core
from ._count import Count
from ._frameworks import TYPE_NUMBERS, framework_of, same_stream, stream_argument

NARROW_FLOATS = ("<f2", "bfloat16")  # read as float32, which holds all their values
MOST_COMPONENTS = 2**31 - 1  # of the engine on a device
LARGEST_LABELS = {type_: int(np.iinfo(type_).max) for type_ in TYPE_NUMBERS if type_[1] in "iu"}


def device_argument(device):
    """The number of a CUDA device; None for "cpu". @param device "cpu", "cuda", "cuda:N" or N"""
    if device == "cpu":
        return None
    if isinstance(device, str):
        match = re.fullmatch(r"cuda(?::(\d+))?", device)
        if not match:
            raise ValueError(f"device is '{device}'; it must be 'cpu', 'cuda' or 'cuda:N'")
        return int(match[1] or 0)
    return arguments.integer(device, "device", 0)


def described(x, framework, device=None, name="x"):
    """The description of an array with one to three axes. @param device None, or the device on which it must be"""
    array = framework.describe(x)
    arguments.dimensions_argument(len(array.shape), name)
    if array.type not in TYPE_NUMBERS and array.type not in NARROW_FLOATS:
        raise TypeError(f"{name} has the type {array.type}; it must hold booleans, integers, or floats of 16, 32 or 64 bits")
    if device is not None and array.size and array.device != device:
        raise ValueError(f"{name} is on the device cuda:{array.device}, not on cuda:{device}")
    return array


class Work:
    """A labelling of one array: the array as the engine reads it, and where and how results are made.

    array: the result of described().
    stream: None for the stream of the array, else a stream that runs all work after the present work of the stream of the array.
    layout: "C" or "F", the order in which elements are compared; "memory" is the layout of the array. An array without this layout is copied.
    """

    def __init__(self, array, stream, layout):
        self.array = array
        self.framework = framework = array.framework
        own = stream is not None
        self.stream = stream_argument(stream) if own else array.stream
        if own and array.size:
            if not same_stream(self.stream, array.stream):
                _core.wait_for_stream(array.device, array.stream, self.stream)
            framework.record_use(array.owner, array.device, self.stream)
        self.chosen_stream = self.stream if own else None
        if layout == "memory":
            layout = "F" if array.is_f and not array.is_c else "C"
        self.layout = layout
        if array.type in NARROW_FLOATS:
            self._replace(lambda: framework.astype(array.owner, "<f4"))
        if not (array.is_f if layout == "F" else array.is_c):
            self._replace(lambda: framework.contiguous(self.array.owner, layout))

    def _replace(self, make):
        self.array = self.inside(lambda: self.framework.describe(make()))

    def inside(self, make):
        """Calls make() on the device and the stream of the work."""
        context = self.framework.context(self.array.device, self.chosen_stream)
        if context is None:
            return make()
        with context:
            return make()

    def start(self, rule, neighbours, *, complement=False, nan=False, values=False, periodic=0, slice_axis=-1):
        """@param rule the result of threshold_argument()"""
        array = self.array
        return _core.DeviceLabelled(array.address, TYPE_NUMBERS[array.type], array.shape, self.layout == "F", array.device, self.stream,
                                    rule, complement, nan, neighbours, values, periodic, slice_axis)

    def empty(self, type_):
        """An array of the shape and the layout of the work."""
        array = self.array
        return self.inside(lambda: self.framework.empty(array.shape, type_, self.layout, array.device))

    def described_out(self, out, kinds, what):
        """Checks an array for results."""
        framework = framework_of(out)
        if framework is None:
            raise TypeError(f"out is of the type {type(out).__name__}; it must be an array on the device of x")
        array = described(out, framework, self.array.device if self.array.size else None, "out")
        if array.shape != self.array.shape:
            raise ValueError(f"out has the shape {array.shape}, but the array has the shape {self.array.shape}")
        if array.type not in TYPE_NUMBERS or array.type[1] not in kinds:
            raise ValueError(f"out has the type {array.type}; it must hold {what}")
        if array.read_only:
            raise ValueError("out must be writable")
        if not (array.is_f if self.layout == "F" else array.is_c):
            raise ValueError(f"out must be without gaps in {'Fortran' if self.layout == 'F' else 'C'} order")
        return array


def label_type(dtype, framework):
    """The type of labels as in the array interface, for example "<u4"; None for "min". @param dtype None, "min" or a type"""
    if dtype is None:
        return framework.label_type or "<u4"
    if isinstance(dtype, str) and dtype == "min":
        return None
    types = getattr(framework, "types", {})
    type_ = types.get(dtype) or np.dtype(dtype).str
    if type_ not in TYPE_NUMBERS or type_[1] not in "iu":
        raise ValueError(f"dtype is {dtype}; labels must be integers in the byte order of the machine")
    return type_


def check_fits(type_, count):
    if count > LARGEST_LABELS[type_]:
        raise ValueError(f"there are {count} components, which do not fit {np.dtype(type_)}; use a wider dtype")


def layout_of_slices(slice_axis, layout):
    """The layout in which slices are labelled separately: the axis across the slices is the slowest."""
    if slice_axis > 0:
        raise NotImplementedError("on a device, per_slice must be 0; move this axis to the front, for example with moveaxis()")
    if slice_axis == 0 and layout == "F":
        raise NotImplementedError("on a device, per_slice needs order='C'")
    return layout if slice_axis < 0 else "C"


def label(array, neighbours, rule, *, complement=False, nan=False, values=False, selection=None, periodic=0, slice_axis=-1,
          dtype=None, out=None, order="C", table=False, spacing=None, stream=None):
    """voxcc.label() for the result of described(); the other arguments are checked. Returns labels, count and table."""
    work = Work(array, stream, layout_of_slices(slice_axis, order))
    framework = work.framework
    address = None
    if out is not None:
        described_out = work.described_out(out, "iu", "integers")
        if dtype is not None and label_type(dtype, framework) != described_out.type:
            raise ValueError(f"dtype is {dtype}, but out has the type {described_out.type}")
        type_, address = described_out.type, described_out.address
    else:
        type_ = label_type(dtype, framework)
    if work.array.size == 0:
        return work.empty(type_ or "|u1") if out is None else out, 0, empty_table(work.array, values, spacing) if table else None
    if framework.label_type is None and out is None:
        work.empty(type_)  # raises the error
    labelled = work.start(rule, neighbours, complement=complement, nan=nan, values=values, periodic=periodic, slice_axis=slice_axis)
    if selection is not None:
        labelled.select(*selection)
    columns = labelled.table(spacing) if table else None
    fits = type_ is not None and LARGEST_LABELS[type_] >= min(MOST_COMPONENTS, work.array.size)
    if selection is None and not table and fits:
        count = Count(labelled.send_count())
    else:
        count = labelled.count
    if type_ is None:
        type_ = np.min_scalar_type(count).str
    elif not fits:
        check_fits(type_, count)
    if out is None:
        out = work.empty(type_)
        address = framework.address(out)
    labelled.paint(address, TYPE_NUMBERS[type_])
    return out, count, columns


def empty_table(array, values, spacing):
    """The table of an array without elements."""
    background = np.zeros((1,) * len(array.shape), np.float32 if array.type in NARROW_FLOATS else array.type)
    rule = (arguments.NONZERO, 0.0, 0.0)
    labelled = _core.Labelled(background, None, *rule, False, False, 26, values, None, 0, -1, False, 1)
    return labelled.table(spacing, None)


def filtered(array, neighbours, values, select, out):
    """The array with only the components that remain after select(labelled)."""
    x, framework = array.owner, array.framework
    if framework.label_type is None:
        raise TypeError("the library of x is neither CuPy nor PyTorch; pass x as cupy.asarray(x) or torch.as_tensor(x)")
    work = Work(array, None, "memory")
    if out is not None and (not framework.owns(out) or out.shape != x.shape or out.dtype != x.dtype or out.device != x.device):
        raise ValueError("out must be an array of the library, the shape, the type and the device of x")
    result = None
    if work.array.size:
        labelled = work.start((arguments.NONZERO, 0.0, 0.0), neighbours, values=values)
        select(labelled)
        mask = work.empty("|b1")
        labelled.paint_mask(framework.address(mask))
        result = work.inside(lambda: framework.kept(x, mask))
    elif out is None:
        result = work.inside(lambda: framework.copy(x))
    if out is None:
        return result
    work.inside(lambda: framework.assign(out, x if result is None else result))
    return out


def label_from_host(x, number, neighbours, rule, *, complement, values, selection, periodic, slice_axis, order, table, spacing):
    """voxcc.label() for a NumPy array that is copied to the device with this number, and its labels back, as uint32. x must not be empty."""
    layout = arguments.layout_of(x) if order == "memory" else order
    layout = layout_of_slices(slice_axis, layout)
    x = np.asarray(x, np.float32 if x.dtype == np.float16 else x.dtype.newbyteorder("="), order=layout)
    labels_at = -(-x.nbytes // 256) * 256
    buffer = _core.DeviceBuffer(number, labels_at + 4 * x.size)
    buffer.upload(x)
    labelled = _core.DeviceLabelled(buffer.address, TYPE_NUMBERS[x.dtype.str], x.shape, layout == "F", number, buffer.stream, rule,
                                    complement, False, neighbours, values, periodic, slice_axis, buffer)
    if selection is not None:
        labelled.select(*selection)
    columns = labelled.table(spacing) if table else None
    labelled.paint(buffer.address + labels_at, TYPE_NUMBERS["<u4"])
    labels = np.empty(x.shape, np.uint32, order=layout)
    buffer.download(labels, labels_at)
    return labels, labelled.count, columns
