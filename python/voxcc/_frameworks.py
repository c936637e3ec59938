"""The libraries whose arrays are on CUDA devices: CuPy, PyTorch, and others by their array interfaces.

Each library has one class here, with the same functions. CuPy and PyTorch are never imported: a caller who has such an array has imported
its library.
"""

import contextlib
import math
import sys

import numpy as np

from . import _core

CUDA, CUDA_MANAGED = 2, 13  # device types of DLPack
LEGACY_STREAM = 1

# The ScalarType of the engine per type of an array. Booleans are bytes.
TYPE_NUMBERS = {
    "|b1": 0, "|u1": 0, "|i1": 1, "<u2": 2, "<i2": 3, "<u4": 4, "<i4": 5, "<u8": 6, "<i8": 7, "<f4": 8, "<f8": 9,
}  # fmt: skip


class GpuArray:
    """What the engine must know of an array: its address, type, shape, device, the stream of its last work, and its layouts."""

    __slots__ = ("address", "device", "framework", "is_c", "is_f", "owner", "read_only", "shape", "stream", "type")

    def __init__(self, owner, framework, address, type_, shape, device, stream, is_c, is_f, read_only=False):
        self.owner = owner
        self.framework = framework
        self.address = address
        self.type = type_
        self.shape = shape
        self.device = device
        self.stream = stream
        self.is_c = is_c
        self.is_f = is_f
        self.read_only = read_only

    @property
    def size(self):
        return math.prod(self.shape)


def layouts_of(shape, strides, itemsize):
    """Whether the elements are without gaps in C order, and in Fortran order. @param strides in bytes; None: C order"""

    def is_dense(axes):
        expected = itemsize
        for axis in axes:
            if shape[axis] != 1 and strides[axis] != expected:
                return False
            expected *= shape[axis]
        return True

    longer = sum(n != 1 for n in shape)
    if strides is None:
        return True, longer < 2
    axes = range(len(shape))
    return is_dense(reversed(axes)), is_dense(axes)


class Stream:
    """The handle of a stream as an object."""

    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return 0, self.handle


class CuPy:
    name = "CuPy"
    label_type = "<u4"

    def __init__(self, cupy):
        self.cupy = cupy

    def owns(self, x):
        return isinstance(x, self.cupy.ndarray)

    def describe(self, x):
        flags = x.flags
        device = x.data.device_id
        stream = self.cupy.cuda.get_current_stream(device).ptr
        return GpuArray(x, self, x.data.ptr, x.dtype.str, x.shape, device, stream, flags.c_contiguous, flags.f_contiguous)

    def context(self, device, stream):
        """Where memory is allocated and copied: a context, or None if this is the present one. @param stream None: the current one"""
        if stream is not None:
            return self._on_stream(device, stream)
        return None if self.cupy.cuda.runtime.getDevice() == device else self.cupy.cuda.Device(device)

    @contextlib.contextmanager
    def _on_stream(self, device, stream):
        cuda = self.cupy.cuda
        with cuda.Device(device):
            if stream in (0, LEGACY_STREAM):
                external = cuda.Stream.null
            elif hasattr(cuda.Stream, "from_external"):
                external = cuda.Stream.from_external(Stream(stream))
            else:  # CuPy 13 and earlier
                external = cuda.ExternalStream(stream, device)
            with external:
                yield

    def empty(self, shape, type_, layout, device):
        return self.cupy.empty(shape, type_, order=layout)

    def address(self, x):
        return x.data.ptr

    def transposed(self, x, axes):
        return x.transpose(axes)

    def contiguous(self, x, layout):
        return self.cupy.asfortranarray(x) if layout == "F" else self.cupy.ascontiguousarray(x)

    def astype(self, x, type_):
        return x.astype(type_)

    def can_make(self, type_):
        return True

    def zeros_like(self, x):
        return self.cupy.zeros_like(x)

    def invert(self, x):
        return ~x

    def has_nan(self, x):
        return bool(self.cupy.isnan(x).any())

    def kept(self, x, mask):
        return self.cupy.where(mask, x, x.dtype.type(0))

    def copy(self, x):
        return x.copy()

    def assign(self, to, x):
        to[...] = x

    def record_use(self, x, device, stream):
        """Memory of CuPy belongs to the stream on which it was allocated; the caller must keep x until `stream` has finished."""


class PyTorch:
    name = "PyTorch"
    label_type = "<i4"  # few functions of PyTorch support uint32

    def __init__(self, torch):
        self.torch = torch
        names = {"bool": "|b1", "uint8": "|u1", "int8": "|i1", "uint16": "<u2", "int16": "<i2", "uint32": "<u4", "int32": "<i4",
                 "uint64": "<u8", "int64": "<i8", "float16": "<f2", "bfloat16": "bfloat16", "float32": "<f4", "float64": "<f8"}
        self.types = {getattr(torch, name): type_ for name, type_ in names.items() if hasattr(torch, name)}
        self.dtypes = {type_: dtype for dtype, type_ in self.types.items()}

    def owns(self, x):
        return isinstance(x, self.torch.Tensor)

    def describe(self, x):
        if x.layout is not self.torch.strided:
            raise TypeError(f"x is a tensor with the layout {x.layout}; it must be dense: use x.to_dense()")
        shape = tuple(x.shape)
        device = x.get_device()
        if x.is_contiguous():
            is_c, is_f = True, len(shape) < 2 or sum(n != 1 for n in shape) < 2
        else:
            is_c, is_f = layouts_of(shape, x.stride(), 1)
        stream = self.torch.cuda.current_stream(device).cuda_stream
        return GpuArray(x, self, x.data_ptr(), self.types.get(x.dtype, str(x.dtype)), shape, device, stream, is_c, is_f)

    def context(self, device, stream):
        if stream is None:
            return None
        cuda = self.torch.cuda
        return cuda.stream(cuda.default_stream(device) if stream in (0, LEGACY_STREAM) else cuda.ExternalStream(stream, device=device))

    def empty(self, shape, type_, layout, device):
        dtype, device = self.dtypes[type_], self.torch.device("cuda", device)
        if layout == "F":
            return self.torch.empty(shape[::-1], dtype=dtype, device=device).permute(*reversed(range(len(shape))))
        return self.torch.empty(shape, dtype=dtype, device=device)

    def address(self, x):
        return x.data_ptr()

    def transposed(self, x, axes):
        return x.permute(*axes)

    def contiguous(self, x, layout):
        if layout == "C":
            return x.contiguous()
        reverse = tuple(reversed(range(x.ndim)))
        return x.permute(*reverse).contiguous().permute(*reverse)

    def astype(self, x, type_):
        return x.to(self.dtypes[type_])

    def can_make(self, type_):
        return type_ in self.dtypes

    def zeros_like(self, x):
        return self.torch.zeros_like(x)

    def invert(self, x):
        return ~x

    def has_nan(self, x):
        return bool(self.torch.isnan(x).any())

    def kept(self, x, mask):
        return self.torch.where(mask, x, self.torch.zeros((), dtype=x.dtype, device=x.device))

    def copy(self, x):
        return x.clone()

    def assign(self, to, x):
        to.copy_(x)

    def record_use(self, x, device, stream):
        """Keeps the memory of x from being used again before `stream` has finished."""
        if stream not in (0, LEGACY_STREAM):
            x.record_stream(self.torch.cuda.ExternalStream(stream, device=device))


class ByInterface:
    """Arrays of other libraries. The engine reads and writes them, but cannot make them."""

    name = "this library"
    label_type = None

    def owns(self, x):
        return True

    def describe(self, x):
        interface = getattr(x, "__cuda_array_interface__", None)
        # Without a stream in the interface, JAX returns the array before its data have arrived. DLPack makes the stream wait for them.
        if interface is None or (interface.get("stream") is None and hasattr(x, "__dlpack__")):
            return self.by_dlpack(x, LEGACY_STREAM)
        return self.by_cuda_array_interface(x, interface)

    def by_cuda_array_interface(self, x, interface):
        version = interface.get("version")
        if version not in (2, 3):
            raise ValueError(f"__cuda_array_interface__ has the version {version}; versions 2 and 3 are supported")
        if interface.get("mask") is not None:
            raise ValueError("__cuda_array_interface__ has a mask; masked arrays are not supported")
        stream = interface.get("stream")
        if stream is None:  # the producer states that the data can be used on every stream
            stream = LEGACY_STREAM
        elif isinstance(stream, bool) or not isinstance(stream, int) or stream < 1:
            raise ValueError(f"__cuda_array_interface__ has the stream {stream!r}; it must be None or an integer that is at least 1")
        shape, type_ = tuple(interface["shape"]), interface["typestr"]
        address, read_only = interface["data"]
        is_c, is_f = layouts_of(shape, interface.get("strides"), np.dtype(type_).itemsize)
        device = _core.device_of_address(address) if address and math.prod(shape) else 0
        return GpuArray(x, self, address, type_, shape, device, stream, is_c, is_f, bool(read_only))

    def by_dlpack(self, x, stream):
        try:
            capsule = x.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:  # a producer from before version 1
            capsule = x.__dlpack__(stream=stream)
        array = _core.DlpackArray(capsule)
        itemsize = int(array.type[2:]) if array.type else 1
        is_c, is_f = layouts_of(array.shape, array.strides, itemsize)
        return GpuArray((x, array), self, array.address, array.type or "a type without a name", array.shape, array.device, stream, is_c, is_f)

    def context(self, device, stream):
        return None

    def empty(self, shape, type_, layout, device):
        raise TypeError("the library of x is neither CuPy nor PyTorch; pass out=, or x as cupy.asarray(x) or torch.as_tensor(x)")

    def transposed(self, x, axes):
        raise ValueError("per_slice with this axis needs a copy of the array; pass it as cupy.asarray(x)")

    def contiguous(self, x, layout):
        raise ValueError("x has gaps between its elements, or another order of axes; copy it, or pass it as cupy.asarray(x)")

    def astype(self, x, type_):
        raise TypeError("x must be converted to a type that the engine reads; pass it as cupy.asarray(x).astype('float32')")

    invert = has_nan = kept = copy = assign = empty

    def record_use(self, x, device, stream):
        """The caller must keep x until `stream` has finished."""


_frameworks = {}
_by_interface = ByInterface()


def _framework(name, make, attribute):
    """The class of a library that has been imported; None if it has not."""
    found = _frameworks.get(name)
    if found is None:
        module = sys.modules.get(name)
        if module is None or not hasattr(module, attribute):
            return None
        found = _frameworks[name] = make(module)
    return found


def framework_of(x):
    """The library of an array on a CUDA device; None for all other objects."""
    if isinstance(x, np.ndarray):
        return None
    cupy = _framework("cupy", CuPy, "ndarray")
    if cupy is not None and cupy.owns(x):
        return cupy
    torch = _framework("torch", PyTorch, "Tensor")
    if torch is not None and torch.owns(x):
        return torch if x.is_cuda else None
    if hasattr(x, "__cuda_array_interface__"):
        return _by_interface
    device = getattr(x, "__dlpack_device__", None)
    if device is not None and int(device()[0]) in (CUDA, CUDA_MANAGED):
        return _by_interface
    return None


def stream_argument(stream):
    """The handle of a stream: an int, or an object of CUDA Python, CuPy, PyTorch or Numba."""
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        version, handle = protocol() if callable(protocol) else protocol
        if version != 0:
            raise ValueError(f"__cuda_stream__ has the version {version}; version 0 is supported")
    else:
        handle = getattr(stream, "cuda_stream", getattr(stream, "ptr", stream))
    if isinstance(handle, (bool, np.bool_)) or not isinstance(handle, int):
        raise TypeError(f"stream is {stream!r}; it must be an integer, or an object with __cuda_stream__")
    if handle < 0:
        raise ValueError(f"stream is {handle}; it must be at least 0")
    return handle


def same_stream(a, b):
    return a == b or {a, b} == {0, LEGACY_STREAM}
