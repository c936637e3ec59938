"""Functions of scipy.ndimage on the engine of voxcc, with the same arguments, results and errors.

    from voxcc.scipy import label, find_objects

>>> from voxcc.scipy import label
>>> label([0, 1, 1, 0, 5])
(array([0, 1, 1, 0, 2], dtype=int32), 2)
"""

import numpy as np

from . import _arguments as arguments
from . import _core, _gpu, _label, _measure
from ._frameworks import framework_of
from ._result_memory import empty
from ._scipy_groups import scipy_function
from ._scipy_histogram import histogram, labeled_comprehension
from ._scipy_measures import center_of_mass, mean, standard_deviation, sum, sum_labels, variance
from ._scipy_select import extrema, maximum, maximum_position, median, minimum, minimum_position

__all__ = [
    "center_of_mass",
    "extrema",
    "find_objects",
    "histogram",
    "label",
    "labeled_comprehension",
    "maximum",
    "maximum_position",
    "mean",
    "median",
    "minimum",
    "minimum_position",
    "standard_deviation",
    "sum",
    "sum_labels",
    "variance",
]


def label(input, structure=None, output=None):
    """Labels connected components, as scipy.ndimage.label. Elements that are not 0, also NaN, are foreground.

    structure: the neighbours; None is connectivity 1 (6 neighbours in 3D). The structures of generate_binary_structure() and the same
    structures without the first axis run on the engine. Other structures, and arrays with more than three axes, need scipy.
    output: a type, or an array that receives the labels.
    Returns (labels, count), or count if output is an array. If input is an array on a CUDA device, the labels are there, too, and int32,
    as in cupyx.scipy.ndimage; then only the structures of generate_binary_structure() are supported.

    >>> label(np.eye(3), structure=np.ones((3, 3)))[1]
    1
    """
    framework = framework_of(input)
    if framework is not None:
        return _label_on_device(input, framework, structure, output)
    array = np.asarray(input)
    if np.iscomplexobj(array):
        raise TypeError("Complex type not supported")
    structure = _structure(structure, array.ndim)
    labels, returned = _output(output, array)
    neighbours = arguments.connectivity_of_structure(structure) if array.ndim in (1, 2, 3) else None
    if neighbours is None or not _is_supported(array.dtype) or not _is_supported(labels.dtype):
        count = scipy_function("label")(array, structure, labels)
    else:
        if not array.dtype.isnative or not labels.dtype.isnative:
            raise ValueError("Big-endian buffer not supported on little-endian compiler")
        count = _label_with_engine(array, neighbours, labels)
    return (labels, count) if returned else count


def _label_on_device(x, framework, structure, output):
    array = _gpu.described(x, framework, name="input")
    ndim = len(array.shape)
    neighbours = (arguments.connectivity_argument(1, ndim), -1) if structure is None else None
    if structure is not None:
        structure = structure.get() if hasattr(structure, "get") else structure  # an array of CuPy
        neighbours = arguments.connectivity_of_structure(_structure(structure, ndim))
        if neighbours is None:
            raise NotImplementedError("this structure is not supported on a CUDA device; use generate_binary_structure()")
    is_array = framework_of(output) is not None
    labels, count, _ = _gpu.label(
        array, neighbours[0], (arguments.NONZERO, 0.0, 0.0), nan=True, slice_axis=neighbours[1],
        dtype=None if is_array else np.int32 if output is None else output, out=output if is_array else None,
    )
    return int(count) if is_array else (labels, int(count))


def _is_supported(dtype):
    return dtype.kind in "biuf" and dtype.itemsize <= 8 and dtype != np.float16


def _structure(structure, ndim):
    if structure is None:
        distance = np.abs(np.indices((3,) * ndim) - 1).sum(axis=0)
        return distance <= 1
    structure = np.asarray(structure, dtype=bool)
    if structure.ndim != ndim:
        raise RuntimeError("structure and input must have equal rank")
    if any(n != 3 for n in structure.shape):
        raise ValueError("structure dimensions must be equal to 3")
    if not np.array_equal(structure, structure[(slice(None, None, -1),) * ndim]):
        raise AssertionError("Structuring element is not symmetric")
    return structure


def _output(output, array):
    """The array for the labels, and whether it is returned."""
    if output is None:
        output = np.int32 if array.size < 2**31 - 2 else np.intp
    if isinstance(output, np.ndarray):
        if output.shape != array.shape:
            raise ValueError("output shape not correct")
        return output, False
    return empty(array.shape, arguments.dtype_argument(output, "output")), True


def _label_with_engine(array, neighbours, labels):
    if array.size == 0:
        return 0
    connectivity, slice_axis = neighbours
    if slice_axis < 0:
        fastest = _fastest_axis(labels.strides)
        array, labels = np.moveaxis(array, fastest, -1), np.moveaxis(labels, fastest, -1)
    elif _fastest_axis(labels.strides) != 2:
        return scipy_function("label")(array, [[[0] * 3] * 3, _square(connectivity), [[0] * 3] * 3], labels)
    labelled = _label.run(array, connectivity, (arguments.NONZERO, 0.0, 0.0), nan=True, slice_axis=slice_axis)
    count = labelled.count
    largest = np.iinfo(labels.dtype).max if labels.dtype.kind in "iu" else 2**53
    if count > largest:
        raise RuntimeError("insufficient bit-depth in requested output type")
    if labels.dtype.kind in "iu" and labels.flags.aligned and labels.flags.writeable:
        labelled.paint(labels)
    else:
        integers = np.empty(labels.shape, np.intp, order=arguments.layout_of(labels))
        labelled.paint(integers)
        labels[...] = integers
    return count


def _fastest_axis(strides):
    """The axis that scipy follows first when it numbers components: the axis of the output with the least positive stride."""
    fastest = 0
    for axis in range(1, len(strides)):
        if 0 < strides[axis] < strides[fastest]:
            fastest = axis
    return fastest


def _square(connectivity):
    return [[1, 1, 1]] * 3 if connectivity == 8 else [[0, 1, 0], [1, 1, 1], [0, 1, 0]]


def find_objects(input, max_label=0):
    """The bounding boxes of the labels 1 to max_label (0: the largest label) as tuples of slices; None for labels that do not occur.

    input: integers, also on a CUDA device.

    >>> from voxcc.scipy import find_objects
    >>> find_objects(np.array([[1, 1, 0, 3]]))
    [(slice(0, 1, None), slice(0, 2, None)), None, (slice(0, 1, None), slice(3, 4, None))]
    """
    labels = input
    if framework_of(labels) is None:
        labels = np.asarray(input)
        if np.iscomplexobj(labels):
            raise TypeError("Complex type not supported")
        if labels.dtype.kind not in "biu" or labels.ndim not in (1, 2, 3):
            return scipy_function("find_objects")(labels, max_label)
    table = _measure.measure(labels)
    ids = table["label"]
    if max_label < 1:
        max_label = int(ids[-1]) if len(ids) else 0
    rows = np.flatnonzero((ids >= 1) & (ids <= max(max_label, 0)))
    at = ids[rows].astype(np.int64) - 1
    axes = len([axis for axis in range(3) if f"bbox_{axis}_min" in table])  # sum() is the function of this module
    low, high = (np.zeros((max(max_label, 0), axes), np.int64) for _ in range(2))
    present = np.zeros(len(low), bool)
    present[at] = True
    for axis in range(axes):
        low[at, axis] = table[f"bbox_{axis}_min"][rows]
        high[at, axis] = table[f"bbox_{axis}_max"][rows]
    return _core.box_slices(low, high, present)
