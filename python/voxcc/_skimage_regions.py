"""regionprops(): the regions of a label image as objects of scikit-image whose measures are rows of one table."""

import functools
import importlib

import numpy as np

from . import _measure
from ._skimage_library import library_function, on_host


class _Measures:
    """The measures of all regions of a label image."""

    def __init__(self, labels, image):
        self.labels = labels
        self.image = image
        self.table = _measure.measure(labels)
        self.first_row = int(np.searchsorted(self.table["label"], 1))  # rows of negative labels come first; they are not regions
        self.template = None  # an object of scikit-image with the attributes that all regions share

    @functools.cached_property
    def boxes(self):
        """One tuple per row: the first index of each axis, then the end of each axis."""
        axes = range(self.labels.ndim)
        return list(zip(*(self.table[f"bbox_{axis}_{end}"].tolist() for end in ("min", "max") for axis in axes)))

    @functools.cached_property
    def voxels(self):
        return self.table["voxels"].astype(np.int64)

    @functools.cached_property
    def areas(self):
        return self.voxels * self.template._pixel_area

    @functools.cached_property
    def centroids(self):
        indices = np.stack([self.table[f"centroid_{axis}"] for axis in range(self.labels.ndim)], axis=1)
        return indices * self.template._spacing + self.template._offset

    def slice(self, row):
        box, ndim = self.boxes[row], self.labels.ndim
        return tuple(slice(box[axis], box[ndim + axis]) for axis in range(ndim))

    @functools.cached_property
    def intensities(self):
        """The table with intensities; None if scikit-image must measure each region.

        The engine needs as long for 2048 voxels with floats or 64-bit integers as scikit-image needs for one region (measured with 128**3 voxels).
        """
        image = self.image
        regions = len(self.table["label"]) - self.first_row
        if (
            type(image) not in (np.ndarray, np.memmap) or image.shape != self.labels.shape or image.dtype.kind not in "biuf"
            or image.dtype.itemsize > 8 or image.dtype == np.float16
            or ((image.dtype.kind == "f" or image.dtype.itemsize == 8) and (regions * 2048 < self.labels.size or not np.isfinite(image).all()))
        ):
            return None
        return _measure.measure(self.labels, image)


def _restored(measures, row, label):
    """A region from a pickle."""
    return _region_class()(measures, row, label)


class _Shared:
    """An attribute with one value for all regions, until a region gets its own value."""

    def __init__(self, name):
        self._name = name

    def __get__(self, region, owner=None):
        return self if region is None else getattr(region._measures.template, self._name)


def _own(base, name, value_of):
    """A property that reads the table with intensities, or computes the value as scikit-image does."""
    inherited = vars(base)[name]

    def value(self):
        table = self._measures.intensities
        result = None if table is None else value_of(self, table)
        return inherited.fget(self) if result is None else result

    return property(value, doc=inherited.__doc__)


def _column(name, keeps_type=False):
    def value_of(region, table):
        image = region._measures.image
        value = table[name][region._row]
        return value.astype(image.dtype.newbyteorder("=")) if keeps_type and image.dtype.kind == "f" else value

    return value_of


def _weighted_centroid(region, table):
    if table["intensity_sum"][region._row] == 0:
        return None
    return tuple(table[f"intensity_weighted_centroid_{axis}"][region._row] * size for axis, size in enumerate(region._spacing))


@functools.cache
def _region_class():
    """A class of scikit-image with a few attributes that read the table. All other attributes are inherited."""
    base = importlib.import_module("skimage.measure._regionprops").RegionProperties

    class Region(base):
        def __init__(self, measures, row, label):
            self.__dict__.update(label=label, _measures=measures, _row=row)

        @functools.cached_property
        def slice(self):
            return self._measures.slice(self._row)

        @functools.cached_property
        def _cache(self):
            return {}

        @property
        def bbox(self):
            return self._measures.boxes[self._row]

        @property
        def num_pixels(self):
            return self._measures.voxels[self._row]

        @property
        def area(self):
            return self._measures.areas[self._row]

        @property
        def centroid(self):
            return tuple(self._measures.centroids[self._row])

        def __reduce__(self):
            return _restored, (self._measures, self._row, self.label), self.__dict__

    Region.__name__ = Region.__qualname__ = base.__name__
    Region.__module__ = base.__module__
    Region.__doc__ = base.__doc__
    Region._slice = property(lambda self: self.slice)
    for name in ("bbox", "num_pixels", "area", "centroid"):
        vars(Region)[name].__doc__ = vars(base)[name].__doc__
    for name in ("_offset", "_label_image", "_intensity_image", "_cache_active", "_ndim", "_multichannel", "_spatial_axes", "_spacing",
                 "_pixel_area", "_extra_properties"):
        setattr(Region, name, _Shared(name))
    for name, value_of in {
        "intensity_mean": _column("intensity_mean", keeps_type=True),
        "intensity_std": _column("intensity_std", keeps_type=True),
        "intensity_min": _column("intensity_min"),
        "intensity_max": _column("intensity_max"),
        "centroid_weighted": _weighted_centroid,
    }.items():
        setattr(Region, name, _own(base, name, value_of))
    return Region


def regionprops(label_image, intensity_image=None, cache=True, *, extra_properties=None, spacing=None, offset=None):
    """The regions of a label image, as skimage.measure.regionprops. It needs scikit-image.

    label_image: integers with two or three dimensions; 0 and negative labels are not regions.
    intensity_image: an array of the same shape, or with one more axis for channels.
    cache, extra_properties, spacing, offset: see scikit-image.

    Returns a list of objects of the class RegionProperties of scikit-image, one per label in ascending order. label, slice, bbox,
    num_pixels, area, centroid, and attributes that follow from them are read from one table, which this call makes. The first access to
    intensity_mean, _std, _min, _max or centroid_weighted adds these measures of all regions; images with NaN or infinity, and images of
    floats with few regions, are left to scikit-image. It also computes all other attributes when they are used. An array that changes
    after the call does not change the table.

    >>> from voxcc.skimage import regionprops
    >>> regions = regionprops(np.array([[1, 1, 0], [0, 0, 2]]))
    >>> regions[0].area, regions[1]["bbox"]
    (np.float64(2.0), (1, 2, 2, 3))
    """
    on_host("regionprops", label_image, intensity_image)
    function = library_function("skimage.measure", "regionprops", "regionprops")
    if (
        type(label_image) not in (np.ndarray, np.memmap) or label_image.ndim not in (2, 3) or label_image.dtype.kind not in "iu"
        or label_image.size == 0
        or (offset is not None and np.shape(offset) != (label_image.ndim,))
    ):
        return function(label_image, intensity_image, cache, extra_properties=extra_properties, spacing=spacing, offset=offset)
    measures = _Measures(label_image, intensity_image)
    labels = measures.table["label"][measures.first_row:].tolist()
    if not labels:
        return []
    region = _region_class()
    measures.template = region.__base__(
        measures.slice(measures.first_row), labels[0], label_image, intensity_image, cache, extra_properties=extra_properties,
        spacing=spacing, offset=offset,
    )
    return [region(measures, row, label) for row, label in enumerate(labels, measures.first_row)]
