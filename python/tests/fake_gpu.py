"""Fake CUDA arrays and a fake device for machines without a GPU: memory of the device is host memory."""

import ctypes
import sys
import types

import numpy as np
import pytest
import voxcc._core
import voxcc._frameworks
import voxcc._gpu
from arrays import random_array

X = random_array(3, (5, 6, 7), "i2", 2, 0.5)

NAMES = {0: "u1", 1: "i1", 2: "u2", 3: "i2", 4: "u4", 5: "i4", 6: "u8", 7: "i8", 8: "f4", 9: "f8"}


class CudaArray:
    """An array with __cuda_array_interface__, as of Numba. Changes of the interface can be passed by name."""

    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, not array.flags.writeable),
            "strides": None if array.flags.c_contiguous else array.strides,
            "version": 3,
            "stream": None,
            **changes,
        }


class DlpackArray:
    """An array with DLPack on a CUDA device; `capsules` lists the arguments of the calls of __dlpack__."""

    def __init__(self, array, device=(2, 0), versions=True):
        self.array = array
        self.device = device
        self.versions = versions
        self.calls = []
        self.shape = array.shape

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **arguments):
        self.calls.append(arguments)
        if not self.versions and "max_version" in arguments:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**({"max_version": (1, 0)} if self.versions else {}))


def memory_at(address, type_, shape, order="C"):
    """The array at an address of the host."""
    dtype = np.dtype(NAMES[type_])
    size = int(np.prod(shape))
    memory = (ctypes.c_byte * (size * dtype.itemsize)).from_address(address)
    return np.frombuffer(memory, dtype).reshape(shape, order=order)


def elements_at(address, type_, shape, f_layout, slice_axis):
    """The array of a labelling: in C or Fortran order, or with the axis across the slices as the slowest one."""
    axes = [axis for axis in range(len(shape)) if axis != slice_axis]
    if f_layout:
        axes.reverse()
    if slice_axis >= 0:
        axes.insert(0, slice_axis)
    return memory_at(address, type_, [shape[axis] for axis in axes]).transpose(np.argsort(axes))


class Count:
    def __init__(self, device, value):
        self.device = device
        self.number = value

    def value(self):
        self.device.waits += 1
        return self.number


class Device:
    """Takes the place of voxcc._core in the modules for GPU arrays. Labels on the CPU. Records what was called."""

    def __init__(self, number=0):
        self.number = number
        self.labelled = []  # (address, device, stream, layout) per call
        self.stream_waits = []  # (device, first, then)
        self.waits = 0
        self.painted = []
        self.matched = []  # (address, device, stream, layout) per call
        self.mapped = []  # the type of the result per call
        self.measured_while_painting = 0  # calls
        device = self

        class DeviceLabelled:
            def __init__(self, address, type_, shape, f_layout, device_number, stream, rule, complement, nan, connectivity, values, delta,
                         periodic, slice_axis, owner=None, mask=None):
                device.labelled.append((address, device_number, stream, "F" if f_layout else "C"))
                self.elements = lambda address, type_: elements_at(address, type_, shape, f_layout, slice_axis)
                x, mask = self.elements(address, type_), None if mask is None else self.elements(*mask)
                self.of = voxcc._core.Labelled(x, mask, *rule, complement, nan, connectivity, values, delta, periodic, slice_axis,
                                              f_layout, 1)

            @property
            def count(self):
                device.waits += 1
                return self.of.count

            def send_count(self):
                return Count(device, self.of.count)

            def select(self, *arguments):
                self.of.select(*arguments)

            def select_rows(self, kept):
                self.of.select_rows(kept)

            def table(self, spacing=None, intensity=None):
                return self.of.table(spacing, () if intensity is None else (("intensity", self.elements(*intensity)),))

            def paint(self, address, type_):
                device.painted.append((address, type_))
                self.of.paint(self.elements(address, type_))

            def paint_and_measure(self, address, type_):
                self.paint(address, type_)
                device.measured_while_painting += 1

            def paint_numbers(self, address, type_, numbers):
                self.of.paint_numbers(self.elements(address, type_), numbers)

            def paint_mask(self, address):
                self.of.paint_mask(self.elements(address, 0).view(bool))

        class DeviceBuffer:
            stream = 5

            def __init__(self, device_number, size):
                self.memory = np.zeros(size, np.uint8)
                self.address = self.memory.ctypes.data

            def upload(self, array, first):
                assert first % 256 == 0
                self.memory[first : first + array.nbytes] = np.frombuffer(array.tobytes("A"), np.uint8)

            def download(self, array, first):
                ctypes.memmove(array.ctypes.data, self.address + first, array.nbytes)

        self.DeviceLabelled = DeviceLabelled
        self.DeviceBuffer = DeviceBuffer
        for name in ("Labelled", "DlpackArray", "measure", "contacts", "match"):
            setattr(self, name, getattr(voxcc._core, name))

    def measure_on_device(self, address, type_, shape, f_layout, device, stream, intensity, background, spacing):
        x = elements_at(address, type_, shape, f_layout, -1)
        image = None if intensity is None else elements_at(*intensity, shape, f_layout, -1)
        return voxcc._core.measure(x, () if image is None else (("intensity", image),), (), None, background, spacing, 1)

    def contacts_on_device(self, address, type_, shape, f_layout, device, stream, connectivity):
        return voxcc._core.contacts(elements_at(address, type_, shape, f_layout, -1), connectivity, 1)

    def match_on_device(self, address, type_, shape, f_layout, device, stream, b, *arguments):
        self.matched.append((address, device, stream, "F" if f_layout else "C"))
        return voxcc._core.match(elements_at(address, type_, shape, f_layout, -1), elements_at(*b, shape, f_layout, -1), *arguments, 0, 1)

    def map_on_device(self, address, type_, shape, f_layout, device, stream, labels, numbers, keep, out):
        assert labels.dtype.itemsize == numbers.dtype.itemsize == 8
        x, result = elements_at(address, type_, shape, f_layout, -1), elements_at(*out, shape, f_layout, -1)
        self.mapped.append(out[1])
        table = dict(zip(labels.tolist(), numbers.tolist()))
        new = [table.get(label, label if keep else 0) for label in x.ravel().tolist()]
        result[...] = np.array([number % 2**64 for number in new], np.uint64).astype(result.dtype).reshape(shape)
        present = np.unique(x)
        return {"label": present[present != 0].astype("u8" if x.dtype == "u8" else "i8")}

    def device_of_address(self, address):
        return self.number

    def wait_for_stream(self, device, first, then):
        self.stream_waits.append((device, first, then))


class Ndarray:
    """An array of the fake CuPy: a NumPy array with the attributes that voxcc reads of an array of CuPy."""

    def __init__(self, array, device=0):
        self.array = array
        self.shape, self.dtype, self.flags = array.shape, array.dtype, array.flags
        self.data = types.SimpleNamespace(ptr=array.ctypes.data, device_id=device)
        self.device = device

    def astype(self, type_):
        return Ndarray(self.array.astype(type_), self.device)

    def copy(self):
        return Ndarray(self.array.copy(), self.device)

    def transpose(self, axes):
        return Ndarray(self.array.transpose(axes), self.device)

    def reshape(self, shape):
        return Ndarray(self.array.reshape(shape), self.device)

    def __invert__(self):
        return Ndarray(~self.array, self.device)

    def __setitem__(self, key, value):
        self.array[key] = value.array


class Context:
    def __init__(self, cupy, kind, *arguments):
        self.cupy, self.entry = cupy, (kind, *arguments)

    def __enter__(self):
        self.cupy.contexts.append(self.entry)

    def __exit__(self, *_):
        self.cupy.contexts.append(("end", self.entry[0]))


def fake_cupy(current_stream=7, current_device=0):
    """A module with the part of CuPy that voxcc uses."""
    cupy = types.ModuleType("cupy")
    cupy.contexts = []
    cupy.ndarray = Ndarray
    cupy.empty = lambda shape, dtype, order="C": Ndarray(np.empty(shape, dtype, order=order), current_device)
    cupy.ascontiguousarray = lambda x: Ndarray(np.ascontiguousarray(x.array), x.device)
    cupy.asfortranarray = lambda x: Ndarray(np.asfortranarray(x.array), x.device)
    cupy.zeros_like = lambda x: Ndarray(np.zeros_like(x.array), x.device)
    cupy.isnan = lambda x: np.isnan(x.array)
    cupy.where = lambda mask, x, other: Ndarray(np.where(mask.array, x.array, other), x.device)
    cupy.cuda = types.SimpleNamespace(
        get_current_stream=lambda device: types.SimpleNamespace(ptr=current_stream),
        Stream=types.SimpleNamespace(
            null=Context(cupy, "stream", 0), from_external=lambda stream: Context(cupy, "stream", stream.__cuda_stream__()[1])
        ),
        Device=lambda device: Context(cupy, "device", device),
        runtime=types.SimpleNamespace(getDevice=lambda: current_device),
    )
    return cupy


@pytest.fixture
def device(monkeypatch):
    device = Device()
    monkeypatch.setattr(voxcc._gpu, "_core", device)
    monkeypatch.setattr(voxcc._frameworks, "_core", device)
    return device


@pytest.fixture
def cupy(monkeypatch, device):
    cupy = fake_cupy()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(voxcc._frameworks, "_frameworks", {})
    return cupy


def labels_like(x, dtype="u4"):
    return np.full_like(x, 77, dtype=dtype)
