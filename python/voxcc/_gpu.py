"""label(), and filters of its components, for arrays on CUDA devices."""

import re

import numpy as np

from . import _arguments as arguments
from . import _core
from ._count import Count
from ._frameworks import TYPE_NUMBERS, framework_of, same_stream, stream_argument
from ._table import Table

NARROW_FLOATS = ("<f2", "bfloat16")  # read as float32, which holds all their values
MOST_DEVICES = 2**31 - 1  # the largest number of a device
MOST_COMPONENTS = 2**31 - 1  # of the engine on a device
LARGEST_LABELS = {type_: int(np.iinfo(type_).max) for type_ in TYPE_NUMBERS if type_[1] in "iu"}


def device_argument(device):
    """The number of a CUDA device; None for "cpu". @param device "cpu", "cuda", "cuda:N" or N"""
    if isinstance(device, str):
        if device == "cpu":
            return None
        match = re.fullmatch(r"cuda(?::([0-9]+))?", device)
        if not match:
            raise ValueError(f"device is {arguments.shown(device)}; it must be 'cpu', 'cuda' or 'cuda:N'")
        digits = (match[1] or "0").lstrip("0")[:10]
        return min(int(digits or 0), MOST_DEVICES)
    return min(arguments.integer(device, "device", 0), MOST_DEVICES)


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
    slice_axis: the axis across which slices are labelled separately; -1: none. If it is not the slowest axis of the layout, the array is
    copied into an order in which it is: C order of the axes in `axes`.
    """

    def __init__(self, array, stream, layout, slice_axis=-1):
        self.array = array
        self.shape = array.shape
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
        self.slice_axis = slice_axis
        self.axes = axes_with_slices_first(slice_axis, layout) if slice_axis >= 0 else None
        self.streams = []  # other streams, of arrays that the work reads, too
        if self.axes is not None or array.type in NARROW_FLOATS or not (array.is_f if layout == "F" else array.is_c):
            self.array = self._arranged(array)

    def _arranged(self, array):
        """The array in the order of the work, and in a type that the engine reads. Copied if necessary."""
        framework = array.framework

        def replaced(make):
            return self.inside(lambda: framework.describe(make()), framework)

        if array.type in NARROW_FLOATS:
            widened = array.owner
            array = replaced(lambda: framework.astype(widened, "<f4"))
        layout = self.layout
        if self.axes is not None:
            straight, layout = array.owner, "C"
            array = replaced(lambda: framework.transposed(straight, self.axes))
        if not (array.is_f if layout == "F" else array.is_c):
            owner = array.owner
            array = replaced(lambda: framework.contiguous(owner, layout))
        return array

    def inside(self, make, framework=None):
        """Calls make() on the device and the stream of the work. @param framework whose stream this is; None: of the array"""
        context = (framework or self.framework).context(self.array.device, self.chosen_stream)
        if context is None:
            return make()
        with context:
            return make()

    def beside(self, x, name):
        """The address and the type of another array as the engine reads it beside the array of the work, and an object that keeps it alive."""
        framework = framework_of(x)
        if framework is None:
            raise TypeError(f"{name} is of the type {type(x).__name__}; it must be an array on the device of x")
        array = described(x, framework, self.array.device if self.array.size else None, name)
        if array.shape != self.shape:
            raise ValueError(f"{name} has the shape {array.shape}, but the array has the shape {self.shape}")
        if array.size == 0:
            return None, array
        is_foreign = not same_stream(array.stream, self.stream)
        if is_foreign and self.chosen_stream is not None:
            _core.wait_for_stream(array.device, array.stream, self.stream)
        arranged = self._arranged(array)
        if is_foreign:
            if self.chosen_stream is None:  # copies are made on the stream of the other array
                _core.wait_for_stream(array.device, array.stream, self.stream)
            framework.record_use(arranged.owner, array.device, self.stream)
            self.streams.append(array.stream)
        return (arranged.address, TYPE_NUMBERS[arranged.type]), arranged

    def start(self, rule, neighbours, *, complement=False, nan=False, values=False, delta=None, periodic=0, mask=None):
        """@param rule the result of threshold_argument() @param mask a result of beside(), or None"""
        array = self.array
        labelled = _core.DeviceLabelled(array.address, TYPE_NUMBERS[array.type], self.shape, self.layout == "F", array.device, self.stream,
                                        rule, complement, nan, neighbours, values, delta, periodic, self.slice_axis, None, mask and mask[0])
        for stream in self.streams:  # memory of the other arrays must not be used again before the work is done
            _core.wait_for_stream(array.device, self.stream, stream)
        return labelled

    def empty(self, type_):
        """An array in the order of the work, which labelled.paint() can fill."""
        array = self.array
        if self.axes is not None:
            shape = tuple(self.shape[axis] for axis in self.axes)
            return self.inside(lambda: self.framework.empty(shape, type_, "C", array.device))
        return self.inside(lambda: self.framework.empty(array.shape, type_, self.layout, array.device))

    def straight(self, painted):
        """The array of empty() with the axes and the layout of the result."""
        if self.axes is None:
            return painted
        framework, back = self.framework, tuple(int(axis) for axis in np.argsort(self.axes))
        return self.inside(lambda: framework.contiguous(framework.transposed(painted, back), self.layout))

    def described_out(self, out, kinds, what):
        """Checks an array for results."""
        framework = framework_of(out)
        if framework is None:
            raise TypeError(f"out is of the type {type(out).__name__}; it must be an array on the device of x")
        array = described(out, framework, self.array.device if self.array.size else None, "out")
        if array.shape != self.shape:
            raise ValueError(f"out has the shape {array.shape}, but the array has the shape {self.shape}")
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


def axes_with_slices_first(slice_axis, layout):
    """The axes of an array in the order of the engine, the slowest first; None if this is the layout already."""
    axes = (0, 1, 2) if layout == "C" else (2, 1, 0)
    return None if slice_axis == axes[0] else (slice_axis, *(axis for axis in axes if axis != slice_axis))


def label(array, neighbours, rule, *, complement=False, nan=False, values=False, delta=None, selection=None, periodic=0, slice_axis=-1,
          dtype=None, out=None, order="C", table=False, spacing=None, stream=None, mask=None, intensity=None):
    """voxcc.label() for the result of described(); the other arguments are checked. Returns labels, count and table."""
    work = Work(array, stream, order, slice_axis)
    framework = work.framework
    address = None
    if mask is not None:
        mask = work.beside(mask, "mask")
    if intensity is not None:
        intensity = work.beside(intensity, "intensity")
    if out is not None:
        described_out = work.described_out(out, "iu", "integers")
        if dtype is not None and label_type(dtype, framework) != described_out.type:
            raise ValueError(f"dtype is {dtype}, but out has the type {described_out.type}")
        type_, address = described_out.type, described_out.address
    else:
        type_ = label_type(dtype, framework)
    if work.array.size == 0:
        columns = empty_table(work.array, values, spacing, intensity is not None) if table else None
        return work.straight(work.empty(type_ or "|u1")) if out is None else out, 0, columns
    if framework.label_type is None and out is None:
        work.empty(type_)  # raises the error
    labelled = work.start(rule, neighbours, complement=complement, nan=nan, values=values, delta=delta, periodic=periodic, mask=mask)
    if selection is not None:
        labelled.select(*selection)
    fits = type_ is not None and LARGEST_LABELS[type_] >= min(MOST_COMPONENTS, work.array.size)
    # The engine adds up sums while it paints, unless the table must come first: out may be the array or the intensity image.
    measures_while_painting = table and fits and selection is None and intensity is None and not values
    columns, count = None, None
    if not measures_while_painting:
        columns = Table(labelled.table(spacing, intensity and intensity[0])) if table else None
        count = Count(labelled.send_count()) if selection is None and not table and fits else labelled.count
    if type_ is None:
        type_ = np.min_scalar_type(count).str
    elif not fits:
        check_fits(type_, count)
    painted = None
    if out is None or work.axes is not None:
        painted = work.empty(type_)
        address = framework.address(painted)
    if measures_while_painting:
        labelled.paint_and_measure(address, TYPE_NUMBERS[type_])
        columns, count = Table(labelled.table(spacing)), labelled.count
    else:
        labelled.paint(address, TYPE_NUMBERS[type_])
    if painted is None:
        return out, count, columns
    if out is None:
        return work.straight(painted), count, columns
    work.inside(lambda: framework.assign(out, work.straight(painted)))
    return out, count, columns


def empty_table(array, values, spacing, has_intensity):
    """The table of an array without elements."""
    background = np.zeros((1,) * len(array.shape), np.float32 if array.type in NARROW_FLOATS else array.type)
    rule = (arguments.NONZERO, 0.0, 0.0)
    labelled = _core.Labelled(background, None, *rule, False, False, 26, values, None, 0, -1, False, 1)
    return Table(labelled.table(spacing, (("intensity", background),) if has_intensity else ()))


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


def label_from_host(x, number, neighbours, rule, *, complement, values, delta, selection, periodic, slice_axis, order, table, spacing, mask,
                    intensity):
    """voxcc.label() for a NumPy array that is copied to the device with this number, and its labels back, as uint32. x must not be empty."""
    layout = arguments.layout_of(x) if order == "memory" else order
    axes = axes_with_slices_first(slice_axis, layout) if slice_axis >= 0 else None

    def arranged(array):
        array = np.asarray(array, np.float32 if array.dtype == np.float16 else array.dtype.newbyteorder("="))
        return np.asarray(array, order=layout) if axes is None else np.ascontiguousarray(array.transpose(axes))

    arrays = {name: arranged(array) for name, array in (("x", x), ("mask", mask), ("intensity", intensity)) if array is not None}
    first, end = {}, 0
    for name, array in arrays.items():
        first[name], end = end, -(-(end + array.nbytes) // 256) * 256
    buffer = _core.DeviceBuffer(number, end + 4 * x.size)
    for name, array in arrays.items():
        buffer.upload(array, first[name])

    def voxels(name):
        return (buffer.address + first[name], TYPE_NUMBERS[arrays[name].dtype.str]) if name in arrays else None

    labelled = _core.DeviceLabelled(*voxels("x"), x.shape, layout == "F", number, buffer.stream, rule, complement, False, neighbours, values,
                                    delta, periodic, slice_axis, buffer, voxels("mask"))
    if selection is not None:
        labelled.select(*selection)
    columns = Table(labelled.table(spacing, voxels("intensity"))) if table else None
    labelled.paint(buffer.address + end, TYPE_NUMBERS["<u4"])
    labels = np.empty(arrays["x"].shape, np.uint32, order=layout if axes is None else "C")
    buffer.download(labels, end)
    if axes is not None:
        labels = np.asarray(labels.transpose(np.argsort(axes)), order=layout)
    return labels, labelled.count, columns


def described_labels(labels, name):
    array = described(labels, framework_of(labels), name=name)
    if array.type[1] not in "biu":
        raise TypeError(f"{name} has the type {array.type}; labels must be integers")
    return array


def label_image(labels, name="labels"):
    """The work of a label image on a device."""
    return Work(described_labels(labels, name), None, "memory")


def address_arguments(work):
    """The arguments with which functions of the module read the array of a label image."""
    array = work.array
    return array.address, TYPE_NUMBERS[array.type], array.shape, work.layout == "F", array.device, work.stream


def measure(labels, intensity, background, spacing):
    """voxcc.measure() for an array on a device; spacing is one number, one per axis, or None."""
    work = label_image(labels)
    spacing = arguments.spacing_argument(spacing, len(work.shape))
    image = None if intensity is None else work.beside(intensity, "intensity")
    array = work.array
    if array.size == 0:
        empty = np.zeros((1,) * len(work.shape), array.type)
        images = () if image is None else (("intensity", empty),)
        return Table(_core.measure(empty, images, (), None, False, spacing, 1))
    return Table(_core.measure_on_device(*address_arguments(work), image and image[0], background, spacing))


def contacts(work, neighbours):
    """The table of voxcc.contacts() without areas. @param work a result of label_image()"""
    array = work.array
    if array.size == 0:
        return Table(_core.contacts(np.zeros((1,) * len(work.shape), array.type), neighbours, 1))
    return Table(_core.contacts_on_device(*address_arguments(work), neighbours))


def label_images(a, b):
    """The work of a label image, and another image of the same shape beside it: see Work.beside()."""
    work = label_image(a, "a")
    described_labels(b, "b")
    return work, work.beside(b, "b")


def match(work, b, *arguments):
    """The tables of voxcc.match(). @param work, b results of label_images() @param arguments by, at, assignment, least_change, min_lesion,
    spacing"""
    if work.array.size == 0:
        a, b = (np.zeros((1,) * len(work.shape), array.type.replace("b", "u")) for array in (work.array, b[1]))
        return _core.match(a, b, *arguments, 0, 1)
    return _core.match_on_device(*address_arguments(work), b[0], *arguments)


def map_labels(work, labels, numbers, keep, type_):
    """Gives the labels of an image new numbers.

    labels, numbers: arrays of 64 bits.
    keep: whether labels without a new number keep their number; else they become 0.
    Returns an array of the type, whose numbers lose the bits that it cannot hold, and the labels that occur, in ascending order, without 0.
    """
    array = work.array
    out = work.empty(type_)
    if array.size == 0:
        return out, np.zeros(0, labels.dtype)
    table = _core.map_on_device(*address_arguments(work), labels, numbers, keep, (work.framework.address(out), TYPE_NUMBERS[type_]))
    return out, table["label"]
