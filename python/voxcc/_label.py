"""label(), and filters of its components."""

import numpy as np

from . import _arguments as arguments
from . import _core, _gpu, _images
from ._errors import DimensionError
from ._frameworks import framework_of
from ._level import level_rule
from ._result_memory import FEW_VOXELS, empty, empty_like
from ._results import Result
from ._table import Table
from ._xarray import array_beside, array_of, is_data_array, labels_like, like

TIES = ("first", "last", "all")
ORDERS = ("C", "F", "memory")
KEEP_ALL = 0, 2**64 - 1, None, 0, False, False  # arguments of Labelled.select()
UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)


def run(x, connectivity, rule, *, mask=None, values=False, delta=None, complement=False, nan=False, periodic=0, slice_axis=-1,
        f_order=False, threads=0):
    """Labels an array that is not empty; all arguments must be checked. @param rule the result of threshold_argument()"""
    arguments.voxels_argument(x)
    return _core.Labelled(x, mask, *rule, complement, nan, connectivity, values, delta, periodic, slice_axis, f_order, threads)


def label_type(dtype, count):
    """The type of the labels. @param dtype None, "min" or an integer type"""
    if dtype is None:
        return UINT32 if count < 2**32 else UINT64
    if isinstance(dtype, str) and dtype == "min":
        return np.min_scalar_type(count)
    dtype = arguments.dtype_argument(dtype)
    if dtype.kind not in "iu" or not dtype.isnative:
        raise ValueError(f"dtype is {dtype}; labels must be integers in the byte order of the machine")
    if count > np.iinfo(dtype).max:
        raise ValueError(f"there are {count} components, which do not fit {dtype}; use a wider dtype")
    return dtype


def label(x, /, connectivity=None, *, structure=None, values=False, delta=None, background=0, threshold=None, mask=None, min_size=0,
          max_size=None, keep_largest=None, ties="first", clear_border=False, sort="raster", periodic=False, per_slice=None, dtype=None,
          out=None, order="C", table=False, intensity=None, spacing=None, threads=None, device=None, stream=None, seed_threshold=None,
          percentiles=None, shape=False):
    """Labels the connected components of an array with one, two or three dimensions.

    x: booleans, integers or floats, in any layout; it is not copied. Voxels that are not 0 are foreground. NaN is background. An array on
    a CUDA device, for example of CuPy or PyTorch, is labelled there; the labels are an array of the same library. For a DataArray of
    xarray, the labels are a DataArray with its dimensions and coordinates. mask and intensity may be DataArrays with the same dimensions.
    connectivity: 6, 18 or 26 neighbours in 3D, 4 or 8 in 2D, or 1 to x.ndim as in scikit-image. None: 26 or 8.
    structure: the neighbours as an array with 3 elements per axis, as in scipy.ndimage.label, instead of connectivity.
    values: connect only voxels with equal values.
    delta: connect only voxels whose values differ by at most this; not with values. Differences are exact.
    background: the value of the background instead of 0; not with threshold.
    threshold: foreground is x >= T for a number T, low <= x <= high for (low, high); also '>T', '>=T', 'LOW:HIGH'. 'otsu', 'li',
       'triangle', 'yen', 'p99' and '40%' are computed from x, inside the mask; see level().
    seed_threshold: a rule as for threshold. Keeps the components that contain a voxel of this rule (hysteresis).
    mask: an array of the shape of x; only voxels where it is not 0 are labelled.
    min_size, max_size: smallest and largest number of voxels of a component.
    keep_largest: keep the K largest components. ties: which of equally large components are kept: "first", "last" or "all".
    clear_border: drop components that touch a face of the array.
    sort: "raster" numbers components by first voxel, "size" by size, largest first.
    periodic: True or axes along which the array wraps around. The table measures components that cross an end unwrapped, and gets the
       columns wraps_0, ...: whether a component wraps around the axis. Its measures along this axis are NaN.
    per_slice: the axis of a 3D array whose slices are labelled separately. The numbers continue from slice to slice.
    dtype: integer type of the labels. None: uint32, or uint64 from 2**32 components on. "min": the smallest unsigned type.
    out: array of the shape of x that receives the labels. It may be x, mask or intensity. For a DataArray, it must be a NumPy array.
    order: the first voxel is the first in C order ("C", last axis fastest), in Fortran order ("F"), or in the layout of x ("memory").
    table: True adds a Table: a dict with one array per column, and one row per component.
    intensity: array of the shape of x that is measured inside each component; needs table=True. A dict of arrays measures several images,
       whose columns begin with the names in place of "intensity".
    percentiles: numbers from 0 to 100; adds the columns intensity_p5, ..., computed as by numpy.percentile; needs intensity.
    shape: True adds surface, Euler number and other columns of the shape to the table; see measure().
    spacing: distance between voxels, one number per axis; adds volume and axis lengths to the table.
    threads: number of threads. None: voxcc.get_threads(), fewer for small arrays.
    device: None: where x is. "cuda" or "cuda:N" copies a NumPy array to this CUDA device, and the labels back.
    stream: for arrays on a device: the CUDA stream that computes the labels. None: the current stream of the library of x.

    Returns a Result: labels, count = voxcc.label(x). Its attributes are labels, count and table, which is a Table or None. The labels are
    1 to count; 0 is background. For arrays on a device, the call returns before the labels are computed (with periodic, after the first
    pass), and count is an integer that waits for the device when it is used.
    Raises TypeError or ValueError for arguments that are not valid, MemoryError, and KeyboardInterrupt. For devices also DeviceError.

    >>> x = np.array([[0, 1, 1, 0], [2, 0, 0, 2]])
    >>> voxcc.label(x, connectivity=4).count
    3
    >>> voxcc.label(x, values=True).labels
    array([[0, 1, 1, 0],
           [2, 0, 0, 3]], dtype=uint32)
    >>> voxcc.label(x, 4, table=True).table["voxels"]
    array([2, 1, 1], dtype=uint64)
    """
    if type(x) is np.ndarray:
        framework = None
    elif is_data_array(x):
        options = {name: value for name, value in locals().items() if name != "x"}
        return label_data_array(x, **options)
    else:
        framework = framework_of(x)
    values, table = arguments.boolean(values, "values"), arguments.boolean(table, "table")
    measures_shape = arguments.boolean(shape, "shape")
    number = None if device is None else _gpu.device_argument(device)
    if framework is None:
        x = arguments.array_argument(x)
        if stream is not None:
            raise ValueError("stream is for arrays on a CUDA device; x is in host memory")
        ndim = x.ndim
    else:
        if isinstance(device, str) and device == "cpu":
            raise ValueError("x is on a CUDA device; copy it to the host, for example with x.get() or x.cpu(), or leave out device")
        array = _gpu.described(x, framework, number)
        ndim = len(array.shape)
    on_device = framework is not None or number is not None
    rule = arguments.threshold_argument(threshold)
    seeds = None if seed_threshold is None else arguments.threshold_argument(seed_threshold, "seed_threshold")
    outside = None if type(background) is int and background == 0 else arguments.background_argument(background)
    has_background = outside is not None
    if has_background:
        if threshold is not None:
            raise ValueError("background and threshold both state what the foreground is; use one of them")
        rule = outside
    slice_axis = -1 if per_slice is None else slice_axis_of(per_slice, ndim)
    if structure is None:
        neighbours = arguments.connectivity_argument(connectivity, ndim if slice_axis < 0 else "slices")
    else:
        if connectivity is not None or per_slice is not None:
            raise ValueError("structure states the neighbours; do not combine it with connectivity or per_slice")
        neighbours, slice_axis = arguments.structure_argument(structure, ndim)
    wrapped = arguments.periodic_argument(periodic, ndim) if periodic is not False else 0
    if delta is not None:
        delta = arguments.delta_argument(delta)
        if values:
            raise ValueError("delta cannot be combined with values")
    if slice_axis >= 0 and wrapped >> slice_axis & 1:
        raise ValueError("periodic must not contain the axis of per_slice")
    if type(order) is not str or order != "C":
        order = ORDERS[arguments.choice(order, ORDERS, "order")]
    selection = selection_of(min_size, max_size, keep_largest, ties, clear_border, sort)
    if not table and (intensity is not None or spacing is not None or percentiles is not None or measures_shape):
        raise ValueError("intensity, percentiles, shape and spacing are used only in the table; add table=True")
    if on_device:
        arguments.no_host_arguments(threads=threads, seed_threshold=seed_threshold)
        intensity = _images.only_image(intensity, percentiles, measures_shape)
    percents = _images.percents_argument(percentiles)
    if percents and intensity is None:
        raise ValueError(_images.NO_IMAGE)
    if spacing is not None:
        spacing = arguments.spacing_argument(spacing, ndim)
    if framework is not None:
        if isinstance(rule, str):
            raise NotImplementedError("a threshold is computed from arrays in host memory only; pass the result of voxcc.level()")
        return Result(*_gpu.label(array, neighbours, rule, complement=has_background, values=values, delta=delta, selection=selection,
                                  periodic=wrapped, slice_axis=slice_axis, dtype=dtype, out=out, order=order, table=table, spacing=spacing, stream=stream,
                                  mask=mask, intensity=intensity))
    if mask is not None:
        mask = arguments.same_shape(mask, x, "mask")
    rule = level_rule(x, mask, rule)
    images = _images.images_argument(intensity, x)
    threads = arguments.threads_argument(threads)
    if out is not None:
        target = arguments.out_argument(out, x.shape, "iu", "integers")
        if dtype is not None and arguments.dtype_argument(dtype) != target.dtype:
            raise ValueError(f"dtype is {np.dtype(dtype)}, but out has the type {target.dtype}")
        dtype = target.dtype
    elif dtype is not None:
        label_type(dtype, 0)
    if number is not None and x.size:
        labels, count, columns = _gpu.label_from_host(x, number, neighbours, rule, complement=has_background, values=values, delta=delta,
                                                      selection=selection, periodic=wrapped, slice_axis=slice_axis, order=order, table=table,
                                                      spacing=spacing, mask=mask, intensity=images[0][1] if images else None)
        dtype = label_type(dtype, count)
        if out is None:
            return Result(labels.astype(dtype, order="K", copy=False), count, columns)
        target[...] = labels
        return Result(out, count, columns)

    f_order = order == "F" or (order == "memory" and arguments.layout_of(x) == "F")
    shape_of_labels = x.shape
    is_empty = x.size == 0
    if is_empty:  # an empty array has the results of an array of background
        x = np.zeros((1,) * x.ndim, x.dtype)
        mask = np.zeros(x.shape, bool)
        images = tuple((name, x) for name, _ in images)
    labelled = run(x, neighbours, rule, mask=mask, values=values, delta=delta, complement=has_background, periodic=wrapped,
                   slice_axis=slice_axis, f_order=f_order, threads=threads)
    if seeds is not None and not is_empty:
        labelled.require_seeds(x, *level_rule(x, mask, seeds))
        selection = selection or KEEP_ALL
    if selection is not None:
        labelled.select(*selection)
    count = labelled.count
    columns = Table(labelled.table(spacing, images, percents, measures_shape)) if table else None
    dtype = label_type(dtype, count)
    if out is None:
        make = np.empty if x.size < FEW_VOXELS else empty  # empty() takes 0.8 us more
        out = target = make(shape_of_labels, dtype, arguments.layout_of(x))
    if not is_empty:
        labelled.paint(target)
    return Result(out, count, columns)


def label_data_array(x, *, mask, intensity, **options):
    """label() for a DataArray of xarray."""
    mask, intensity = array_beside(x, mask, "mask"), _images.images_beside(x, intensity)
    result = label(array_of(x), mask=mask, intensity=intensity, **options)
    return Result(labels_like(x, result.labels), result.count, result.table)


def slice_axis_of(per_slice, ndim):
    if ndim != 3:
        raise DimensionError("per_slice", f"does not support {ndim} dimensions", "use an array with 3")
    return arguments.axis_argument(per_slice, 3, "per_slice")


def selection_of(min_size, max_size, keep_largest, ties, clear_border, sort):
    """The arguments of Labelled.select(); None if all components are kept in raster order."""
    if (
        type(min_size) is int and 0 <= min_size <= 1 and max_size is None and keep_largest is None and clear_border is False
        and type(ties) is str and ties == "first" and type(sort) is str and sort == "raster"
    ):
        return None  # a call without these arguments saves time
    ties = arguments.choice(ties, TIES, "ties")
    by_size = arguments.choice(sort, ("raster", "size"), "sort") == 1
    clear_border = arguments.boolean(clear_border, "clear_border")
    smallest = arguments.size_argument(min_size, "min_size")
    largest = 2**64 - 1 if max_size is None else arguments.size_argument(max_size, "max_size")
    keep = None if keep_largest is None else arguments.size_argument(keep_largest, "keep_largest")
    if smallest <= 1 and max_size is None and keep is None and not clear_border and not by_size:
        return None
    return smallest, largest, keep, ties, clear_border, by_size


def keep_largest(x, /, k=1, connectivity=None, *, values=False, ties="first", out=None, threads=None):
    """Sets all voxels to 0 that do not belong to the k largest components.

    x, connectivity, values, ties, threads: see label().
    out: array of the shape and type of x; it may be x.
    Returns an array of the type of x. For a DataArray of xarray, and for arrays of CuPy and PyTorch on a CUDA device, this is an array of
    the same library.

    >>> voxcc.keep_largest(np.array([5, 5, 0, 3, 0, 1, 1, 1]))
    array([0, 0, 0, 0, 0, 1, 1, 1])
    """
    selection = selection_of(0, None, arguments.size_argument(k, "k"), ties, False, "raster")
    return filtered(x, connectivity, values, lambda labelled: labelled.select(*selection), out, threads)


def remove_small(x, /, min_size, connectivity=None, *, values=False, out=None, threads=None):
    """Sets all voxels to 0 that belong to components of fewer than min_size voxels.

    x, connectivity, values, threads: see label().
    out: array of the shape and type of x; it may be x.
    Returns an array of the type of x. For a DataArray of xarray, and for arrays of CuPy and PyTorch on a CUDA device, this is an array of
    the same library.

    >>> voxcc.remove_small(np.array([5, 5, 0, 3, 0, 1, 1, 1]), 2)
    array([5, 5, 0, 0, 0, 1, 1, 1])
    """
    smallest = arguments.size_argument(min_size, "min_size")

    def select(labelled):
        if smallest > 1:
            labelled.select(smallest, 2**64 - 1, None, 0, False, False)

    return filtered(x, connectivity, values, select, out, threads)


def filtered(x, connectivity, values, select, out, threads):
    """Writes the components of x that remain after select(labelled). @param out None, or an array for the result"""
    if is_data_array(x):
        return like(x, filtered(array_of(x), connectivity, values, select, out, threads))
    framework = framework_of(x)
    values = arguments.boolean(values, "values")
    if framework is not None:
        arguments.no_host_arguments(threads=threads)
        array = _gpu.described(x, framework)
        neighbours = arguments.connectivity_argument(connectivity, len(array.shape))
        return _gpu.filtered(array, neighbours, values, select, out)
    x = arguments.array_argument(x)
    neighbours = arguments.connectivity_argument(connectivity, x.ndim)
    threads = arguments.threads_argument(threads)
    target = arguments.out_like(out, x)
    if x.size == 0:
        return x.copy() if out is None else out
    labelled = run(x, neighbours, (arguments.NONZERO, 0.0, 0.0), values=values, threads=threads)
    select(labelled)
    if out is None:
        return keep_components(x, labelled, None)
    keep_components(x, labelled, target)
    return out


def keep_components(x, labelled, out, invert=False):
    """Writes x into out, with 0 instead of components that were dropped (invert: that were kept). Returns out."""
    if x.dtype == bool and not invert:
        out = empty_like(x) if out is None else out
        labelled.paint_mask(out)
        return out
    mask = empty(x.shape, bool, arguments.layout_of(x))
    labelled.paint_mask(mask)
    if invert:
        np.logical_not(mask, out=mask)
    if out is None:
        out = empty_like(x)
    if x.dtype.kind == "f":  # 0 times NaN is not 0
        np.copyto(out, np.where(mask, x, x.dtype.type(0)))
    else:
        np.multiply(x, mask, out=out)
    return out
