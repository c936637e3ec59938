"""The functions of voxcc.cc3d for arrays on CUDA devices."""

import numpy as np

from . import _arguments as arguments
from . import _gpu, _label
from ._cc3d_graphs import connectivity_like_cc3d

RULE = (arguments.NONZERO, 0.0, 0.0)
LABEL_TYPES = ("<u2", "<u4", "<u8")


class Volume:
    """An array of cc3d on a device, and its labelling."""

    def __init__(self, data, framework, connectivity):
        if framework.label_type is None:
            raise TypeError("the library of the array is neither CuPy nor PyTorch; pass it as cupy.asarray(x) or torch.as_tensor(x)")
        array = _gpu.described(data, framework, name="data")
        if array.type in _gpu.NARROW_FLOATS:
            raise NotImplementedError("floats of 16 bits are not supported on a CUDA device; use float32")
        self.data, self.framework = data, framework
        self.type, self.ndim, self.size = array.type, len(array.shape), array.size
        self.neighbours = connectivity_like_cc3d(connectivity, self.ndim)
        self.work = _gpu.Work(array, None, "memory")
        self.labelled = None

    def label(self, binary_image, periodic=False):
        values = not binary_image and self.type != "|b1"
        if values and self.type[1] == "f" and self.framework.has_nan(self.data):
            raise NotImplementedError("NaN is not supported on a CUDA device; replace NaN, or copy the array to the host")
        self.labelled = self.work.start(RULE, self.neighbours, nan=True, values=values, periodic=(1 << self.ndim) - 1 if periodic else 0)
        return self.labelled

    def label_values(self):
        """Labels connected voxels of the same value. Returns the values, their numbers of voxels, and the index of the value of each component."""
        if self.type[1] not in "biu":
            raise TypeError(f"img has the type {self.type}; with precomputed_ccl, it must hold integers")
        self.labelled = self.work.start(RULE, 26 if self.ndim != 2 else 8, values=True)
        table = self.labelled.table()
        values, of_component = np.unique(table["value"], return_inverse=True)
        sizes = np.zeros(len(values), np.uint64)
        np.add.at(sizes, of_component, table["voxels"])
        return values, sizes, of_component

    def mask(self):
        mask = self.work.empty("|b1")
        self.labelled.paint_mask(self.framework.address(mask))
        return mask

    def painted(self, type_, numbers=None):
        """Labels of the type, or of the smallest type of cc3d. @param numbers the label of each component; None: 1, 2, ..."""
        count = self.labelled.count if numbers is None else int(max(numbers, default=0))
        if type_ is None:
            type_ = next(t for t in LABEL_TYPES if self.framework.can_make(t) and count <= _gpu.LARGEST_LABELS[t])
        elif count > _gpu.LARGEST_LABELS[type_]:
            raise ValueError(f"There are {count} components, which do not fit {np.dtype(type_)}; use a wider out_dtype.")
        labels = self.work.empty(type_)
        address, number = self.framework.address(labels), _gpu.TYPE_NUMBERS[type_]
        if numbers is None:
            self.labelled.paint(address, number)
        else:
            self.labelled.paint_numbers(address, number, np.ascontiguousarray(numbers, np.uint64))
        return labels

    def kept(self, mask):
        return self.work.inside(lambda: self.framework.kept(self.data, mask))


def connected_components(data, framework, connectivity, return_N, delta, out_dtype, out_file, periodic_boundary, binary_image):
    if out_file is not None:
        raise NotImplementedError("out_file is not supported for arrays on a CUDA device")
    if delta != 0:
        raise NotImplementedError("delta is not supported for arrays on a CUDA device; label a copy of the array on the host")
    type_ = None if out_dtype is None else _gpu.label_type(out_dtype, framework)
    if type_ is not None and type_ not in LABEL_TYPES:
        raise ValueError(f"Explicitly defined out_dtype ({out_dtype}) must be one of: np.uint16, np.uint32, np.uint64")
    volume = Volume(data, framework, connectivity)
    if volume.size == 0:
        labels, count = volume.work.empty(type_ or "<u4"), 0
    else:
        labelled = volume.label(binary_image, periodic_boundary)
        labels, count = volume.painted(type_), labelled.count
    return (labels, count) if return_N else labels


def dust(img, framework, sizes, connectivity, in_place, binary_image, precomputed_ccl, invert, return_N):
    """@param sizes the smallest and the largest number of voxels that remain"""
    smallest, largest = sizes
    volume = Volume(img, framework, connectivity)
    if volume.size == 0:
        out = img if in_place else framework.copy(img)
        return (out, 0) if return_N else out
    if precomputed_ccl:
        _, voxels, of_component = volume.label_values()
        remain = (voxels >= smallest) & (voxels <= max(largest, 0))
        if invert:
            remain = ~remain
        volume.labelled.select_rows(np.ascontiguousarray(remain[of_component]))
        kept, mask = int(np.count_nonzero(remain)), volume.mask()
    else:
        labelled = volume.label(binary_image)
        count = labelled.count
        if largest < smallest:
            smallest = largest = 2**64 - 1  # no component has this size
        labelled.select(smallest, largest, None, 0, False, False)
        kept, mask = count - labelled.count if invert else labelled.count, volume.mask()
        if invert:
            mask = volume.work.inside(lambda: framework.invert(mask))
    out = volume.kept(mask)
    if in_place:
        volume.work.inside(lambda: framework.assign(img, out))
        out = img
    return (out, kept) if return_N else out


def largest_k(img, framework, k, connectivity, delta, return_N, binary_image, precomputed_ccl):
    if delta != 0:
        raise NotImplementedError("delta is not supported for arrays on a CUDA device; use a copy of the array on the host")
    volume = Volume(img, framework, connectivity)
    if volume.size == 0 or k == 0:
        labels = volume.work.inside(lambda: framework.zeros_like(volume.work.empty("<u2" if framework.can_make("<u2") else "<u4")))
        return (labels, 0) if return_N and k else labels
    if precomputed_ccl:
        result, count = _largest_values(volume, k)
    else:
        result, count = _largest_components(volume, k, volume.label(binary_image))
    return (result, count) if return_N else result


def _largest_components(volume, k, labelled):
    if labelled.count <= k:
        return volume.painted(None), labelled.count
    labelled.select(0, 2**64 - 1, k, _label.TIES.index("first" if k == 1 else "last"), False, False)
    if k == 1:
        return volume.mask(), 1
    numbers = np.empty(k, np.uint64)
    numbers[np.argsort(labelled.table()["voxels"], kind="stable")] = np.arange(1, k + 1)
    return volume.painted(None, numbers), k


def _largest_values(volume, k):
    values, sizes, of_component = volume.label_values()
    if len(values) <= k:
        return volume.data, len(values)
    if k == 1:
        volume.labelled.select_rows(of_component == np.argmax(sizes))
        return volume.mask(), 1
    numbers = np.zeros(len(values), np.uint64)
    numbers[np.argsort(sizes, kind="stable")[-k:]] = np.arange(1, k + 1)
    return volume.painted(None, numbers[of_component]), k
