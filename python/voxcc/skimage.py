"""Functions of scikit-image on the engine of voxcc, with the same arguments, results and errors.

    from voxcc.skimage import label, regionprops_table

>>> from voxcc.skimage import label
>>> label(np.array([[1, 1, 2], [0, 0, 2]]))
array([[1, 1, 2],
       [0, 0, 2]])
"""

import math

import numpy as np

from . import _arguments as arguments
from . import _gpu, _label, _measure
from ._frameworks import framework_of
from ._result_memory import empty
from ._skimage_filters import clear_border, remove_small_holes, remove_small_objects
from ._skimage_library import library_function
from ._skimage_regions import regionprops

__all__ = ["clear_border", "label", "regionprops", "regionprops_table", "remove_small_holes", "remove_small_objects"]


def label(label_image, background=None, return_num=False, connectivity=None):
    """Labels connected components of equal values, as skimage.measure.label.

    background: the value that is labelled 0. None is 0.
    connectivity: 1 to the number of axes; None is the number of axes.
    Returns int32 for boolean arrays and int64 for others; with return_num, (labels, count). If label_image is an array on a CUDA device,
    the labels are there, too, and always int32, as in cucim.skimage.measure.

    >>> label(np.array([0, 2, 2, 0, 1]), background=-1, return_num=True)
    (array([1, 2, 2, 3, 4]), 4)
    """
    framework = framework_of(label_image)
    if framework is not None:
        return _label_on_device(label_image, framework, background, return_num, connectivity)
    is_bool = label_image.dtype == bool
    ndim = label_image.ndim
    if ndim not in (1, 2, 3):
        return _skimage("label", f"an array with {ndim} dimensions")(label_image, background, return_num, connectivity)
    reach = ndim if connectivity is None else connectivity
    if not 1 <= reach <= ndim:
        raise ValueError(f"Connectivity for {ndim}D image should be in [1, ..., {ndim}]. Got {arguments.shown(reach)}.")
    background = 0 if background is None else background
    if is_bool:
        array, dtype = np.asarray(label_image), np.int32
        array = ~array if background == 1 else array
        background = 0
    else:
        with np.errstate(invalid="ignore"):
            array, dtype = np.asarray(label_image).astype(np.intp, copy=False), np.intp
        background = int(background)
    labels = empty(array.shape, dtype)
    count = 0
    if array.size:
        rule, mask = _foreground(array, background)
        neighbours = arguments.connectivity_argument(reach, ndim)
        labelled = _label.run(array, neighbours, rule, mask=mask, values=not is_bool, complement=mask is None)
        labelled.paint(labels)
        count = labelled.count
    return (labels, count) if return_num else labels


def _label_on_device(x, framework, background, return_num, connectivity):
    array = _gpu.described(x, framework, name="label_image")
    ndim = len(array.shape)
    reach = ndim if connectivity is None else connectivity
    if not 1 <= reach <= ndim:
        raise ValueError(f"Connectivity for {ndim}D image should be in [1, ..., {ndim}]. Got {arguments.shown(reach)}.")
    background = 0 if background is None else int(background)
    if array.type[1] == "f" or array.type in _gpu.NARROW_FLOATS:
        array = framework.describe(framework.astype(x, "<i8"))
    is_bool = array.type == "|b1"
    if is_bool and background not in (0, 1):
        background = 0
    if abs(background) > 2**53:
        raise NotImplementedError("on a CUDA device, background must be at most 2**53")
    labels, count, _ = _gpu.label(
        array, arguments.connectivity_argument(reach, ndim), (arguments.RANGE, float(background), float(background)),
        complement=True, values=not is_bool, dtype=np.int32,
    )
    return (labels, int(count)) if return_num else labels


def _foreground(array, background):
    """The rule whose complement is the foreground, and a mask or None."""
    if abs(background) <= 2**53:
        return (arguments.RANGE, float(background), float(background)), None
    return (arguments.RANGE, -math.inf, math.inf), array != background


def _skimage(name, what):
    """A function of skimage.measure itself."""
    return library_function("skimage.measure", name, what)


SHAPE_PROPERTIES = ("label", "bbox", "area", "num_pixels", "area_bbox", "centroid", "extent", "equivalent_diameter_area")
INTENSITY_PROPERTIES = ("intensity_mean", "intensity_min", "intensity_max", "intensity_std", "centroid_weighted")


def regionprops_table(label_image, intensity_image=None, properties=("label", "bbox"), *, cache=True, separator="-",
                      extra_properties=None, spacing=None):
    """Measures every label, as skimage.measure.regionprops_table. Returns a dict with one array per column.

    The engine computes label, bbox, area, num_pixels, area_bbox, centroid, extent, equivalent_diameter_area, intensity_mean, _min, _max,
    _std and centroid_weighted. If there is another property, or NaN or infinity inside a label, scikit-image computes all of them. Arrays
    on a CUDA device can have the properties of the engine; the table is in host memory.

    >>> from voxcc.skimage import regionprops_table
    >>> regionprops_table(np.array([[1, 1, 0], [0, 0, 2]]), properties=("label", "area"))
    {'label': array([1, 2]), 'area': array([2., 1.])}
    """
    framework = framework_of(label_image)
    if framework is not None:
        return _table_of_device(label_image, framework, intensity_image, properties, separator, extra_properties, spacing)
    labels, properties = np.asarray(label_image), tuple(properties)
    image = None if intensity_image is None else np.asarray(intensity_image)
    supported = SHAPE_PROPERTIES if image is None else SHAPE_PROPERTIES + INTENSITY_PROPERTIES
    if (
        any(name not in supported for name in properties) or extra_properties or labels.dtype.kind not in "iu"
        or labels.ndim not in (2, 3) or (image is not None and (image.shape != labels.shape or image.dtype.kind not in "biuf"))
        or not _is_finite(image, labels, properties)
    ):
        return _skimage("regionprops_table", "one of these properties, types or shapes")(
            label_image, intensity_image, properties, cache=cache, separator=separator, extra_properties=extra_properties,
            spacing=spacing,
        )
    return _table(labels, image, labels.ndim, properties, separator, spacing)


def _is_finite(image, labels, properties):
    """Whether the engine and scikit-image measure the same. scikit-image multiplies NaN outside of a label by 0 for centroid_weighted."""
    if image is None or image.dtype.kind != "f" or not any(name in INTENSITY_PROPERTIES for name in properties):
        return True
    finite = np.isfinite(image)
    return finite.all() or ("centroid_weighted" not in properties and bool(finite[labels > 0].all()))


def _table_of_device(labels, framework, image, properties, separator, extra_properties, spacing):
    supported = SHAPE_PROPERTIES if image is None else SHAPE_PROPERTIES + INTENSITY_PROPERTIES
    missing = [name for name in properties if name not in supported]
    if missing or extra_properties:
        what = f"the property {missing[0]}" if missing else "extra_properties"
        raise NotImplementedError(f"{what} is not supported for labels on a CUDA device; copy them to the host")
    ndim = len(_gpu.described(labels, framework, name="label_image").shape)
    return _table(labels, image, ndim, properties, separator, spacing)


def _table(labels, image, ndim, properties, separator, spacing):
    spacing = (1.0,) * ndim if spacing is None else arguments.spacing_argument(spacing, ndim)
    table = _measure.measure(labels, image)
    if len(table["label"]) and table["label"][0] < 0:
        positive = table["label"] > 0
        table = {name: column[positive] for name, column in table.items()}
    columns = {}
    for name in properties:
        column = PROPERTIES[name](table, spacing)
        if isinstance(column, list):
            columns.update((f"{name}{separator}{i}", part) for i, part in enumerate(column))
        else:
            columns[name] = column
    return columns


def _box(table, spacing):
    ends = ("min", "max")
    return [table[f"bbox_{axis}_{end}"] for end in ends for axis in range(len(spacing))]


def _area(table, spacing):
    return table["voxels"] * math.prod(spacing)


def _area_of_box(table, spacing):
    lengths = (table[f"bbox_{axis}_max"] - table[f"bbox_{axis}_min"] for axis in range(len(spacing)))
    return np.prod([*lengths], axis=0) * math.prod(spacing)


def _diameter(table, spacing):
    ndim = len(spacing)
    return (2 * ndim * _area(table, spacing) / math.pi) ** (1 / ndim)


def _scaled(name):
    return lambda table, spacing: [table[f"{name}_{axis}"] * size for axis, size in enumerate(spacing)]


PROPERTIES = {
    "label": lambda table, spacing: table["label"].astype(np.int64),
    "bbox": _box,
    "area": _area,
    "num_pixels": lambda table, spacing: table["voxels"].astype(np.int64),
    "area_bbox": _area_of_box,
    "centroid": _scaled("centroid"),
    "extent": lambda table, spacing: _area(table, spacing) / _area_of_box(table, spacing),
    "equivalent_diameter_area": _diameter,
    "intensity_mean": lambda table, spacing: table["intensity_mean"],
    "intensity_min": lambda table, spacing: table["intensity_min"],
    "intensity_max": lambda table, spacing: table["intensity_max"],
    "intensity_std": lambda table, spacing: table["intensity_std"],
    "centroid_weighted": _scaled("intensity_weighted_centroid"),
}
