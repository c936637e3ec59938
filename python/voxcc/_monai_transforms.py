"""The transforms of voxcc.monai. Importing this module imports MONAI, if it is installed."""

import math
import warnings

import numpy as np

from . import _arguments as arguments
from . import _monai_arrays as arrays
from ._monai_base import BACKEND, MapTransform, Transform, converted, like
from ._tensors import array_of


def _labels_argument(labels):
    """The labels as a tuple, or None."""
    return None if labels is None else tuple(np.atleast_1d(labels).tolist())


class KeepLargestConnectedComponent(Transform):
    """Sets the voxels of all but the largest components to 0, as the transform of MONAI.

    applied_labels: the labels (without one-hot) or channels (with one-hot) that are processed, a number or a sequence. None: all but 0.
    is_onehot: whether the channels of the image are the labels. None: if the image has more than one channel.
    independent: process each label by itself; else the labels count as one foreground.
    connectivity, num_components: see get_largest_connected_component_mask().
    Raises TypeError or ValueError for arguments that are not valid.

    >>> from voxcc.monai import KeepLargestConnectedComponent
    >>> np.asarray(KeepLargestConnectedComponent(applied_labels=[1])(np.array([[1, 1, 0, 1, 2]])))
    array([[1, 1, 0, 0, 2]])
    """

    backend = BACKEND

    def __init__(self, applied_labels=None, is_onehot=None, independent=True, connectivity=None, num_components=1):
        super().__init__()
        self.applied_labels = _labels_argument(applied_labels)
        self.is_onehot = is_onehot
        self.independent = independent
        self.connectivity = arrays.reach_argument(connectivity)
        self.num_components = arguments.integer(num_components, "num_components", 0)

    def __call__(self, img):
        """Processes an image whose first axis is the channel. Returns a new image; raises ValueError for several channels without one-hot."""
        img = converted(img)
        array = array_of(img).copy()
        arrays.keep_largest(array, self.applied_labels, self.is_onehot, self.independent, self.connectivity, self.num_components)
        return like(array, img)


class FillHoles(Transform):
    """Fills the holes of each label, as the transform of MONAI. A voxel of another label inside a hole is filled, too.

    applied_labels: the labels, or for an image with several channels the channels, that are processed. None: all but 0.
    connectivity: the neighbours of the background, 1 to the number of axes. None is the number of axes.

    >>> from voxcc.monai import FillHoles
    >>> np.asarray(FillHoles()(np.array([[[2, 2, 2], [2, 0, 2], [2, 2, 2]]])))[0, 1]
    array([2, 2, 2])
    """

    backend = BACKEND

    def __init__(self, applied_labels=None, connectivity=None):
        super().__init__()
        self.applied_labels = _labels_argument(applied_labels or None) if np.ndim(applied_labels) == 0 else _labels_argument(applied_labels)
        self.connectivity = arrays.reach_argument(connectivity)

    def __call__(self, img):
        """Processes an image whose first axis is the channel. Returns a new image."""
        img = converted(img)
        array = array_of(img).copy()
        arrays.fill_holes(array, self.applied_labels, self.connectivity)
        return like(array, img)


class RemoveSmallObjects(Transform):
    """Sets small components to 0, as the transform of MONAI. In images of labels above 1, an object is a label, connected or not.

    min_size: the least number of voxels of an object that stays; with by_measure, its least area or volume in the unit of the image.
    connectivity: 1 to the number of axes; None is the number of axes. Channels count as an axis.
    independent_channels: whether labels are compared; else components of voxels that are greater than 0 are removed.
    by_measure, pixdim: the size of a voxel is pixdim, or the size that a MetaTensor states.

    >>> from voxcc.monai import RemoveSmallObjects
    >>> RemoveSmallObjects(min_size=2)(np.array([[1, 1, 0, 1, 0]]))
    array([[1, 1, 0, 0, 0]])
    """

    backend = BACKEND

    def __init__(self, min_size=64, connectivity=1, independent_channels=True, by_measure=False, pixdim=None):
        super().__init__()
        self.min_size = min_size
        self.connectivity = arrays.reach_argument(connectivity)
        self.independent_channels = independent_channels
        self.by_measure = by_measure
        self.pixdim = pixdim

    def __call__(self, img):
        """Processes an image whose first axis is the channel. Returns an image of the same kind.

        Raises DimensionError for an image with several channels and three more axes, ValueError for labels below 0.
        """
        array = array_of(img)
        if array.size == 0 or (array == array.flat[0]).all():
            return img
        min_size = self._voxels(img)
        if self.independent_channels and array.max() > 1:
            return _as(arrays.without_rare_labels(array.astype(np.int32), min_size), img)
        mask = array > 0 if not self.independent_channels else array.astype(bool)
        arrays.remove_small(mask, min_size, self.connectivity)
        return _as(mask, img) if self.independent_channels else img * _as(mask, img)

    def _voxels(self, img):
        """The least number of voxels of an object that stays."""
        size = self.min_size
        if self.by_measure:
            spacing = getattr(img, "pixdim", self.pixdim)
            if spacing is None:
                warnings.warn("img is not a MetaTensor and pixdim is None, so the size of a voxel is assumed to be 1")
                spacing = 1.0
            axes = img.ndim - 1
            volume = float(np.prod(np.broadcast_to(np.asarray(spacing, float), axes)))
            if volume == 0:
                warnings.warn("pixdim contains 0, so the size of a voxel is assumed to be 1")
            size = size / (volume or 1.0)
        elif self.pixdim is not None:
            warnings.warn("pixdim is not used without by_measure")
        return max(math.ceil(size), 0)


def _as(array, img):
    """An array as the kind and the type of an image."""
    return array.astype(img.dtype) if isinstance(img, np.ndarray) else like(array, img)


class _OfDictionaries(MapTransform):
    """A transform of entries of dictionaries. The attribute `converter` is the transform of an image."""

    backend = BACKEND

    def __call__(self, data):
        """Returns a new dictionary. Raises KeyError for a key that is missing, unless allow_missing_keys."""
        result = dict(data)
        for key in self.key_iterator(result):
            result[key] = self.converter(result[key])
        return result


class KeepLargestConnectedComponentd(_OfDictionaries):
    """KeepLargestConnectedComponent for the entries `keys` of dictionaries. allow_missing_keys: leave out keys that do not exist.

    >>> from voxcc.monai import KeepLargestConnectedComponentd
    >>> np.asarray(KeepLargestConnectedComponentd("label")({"label": np.array([[1, 1, 0, 1]])})["label"])
    array([[1, 1, 0, 0]])
    """

    def __init__(self, keys, applied_labels=None, is_onehot=None, independent=True, connectivity=None, num_components=1,
                 allow_missing_keys=False):
        super().__init__(keys, allow_missing_keys)
        self.converter = KeepLargestConnectedComponent(applied_labels, is_onehot, independent, connectivity, num_components)


class FillHolesd(_OfDictionaries):
    """FillHoles for the entries `keys` of dictionaries. allow_missing_keys: leave out keys that do not exist."""

    def __init__(self, keys, applied_labels=None, connectivity=None, allow_missing_keys=False):
        super().__init__(keys, allow_missing_keys)
        self.converter = FillHoles(applied_labels, connectivity)


class RemoveSmallObjectsd(_OfDictionaries):
    """RemoveSmallObjects for the entries `keys` of dictionaries. allow_missing_keys: leave out keys that do not exist."""

    def __init__(self, keys, min_size=64, connectivity=1, independent_channels=True, by_measure=False, pixdim=None,
                 allow_missing_keys=False):
        super().__init__(keys, allow_missing_keys)
        self.converter = RemoveSmallObjects(min_size, connectivity, independent_channels, by_measure, pixdim)


KeepLargestConnectedComponentD = KeepLargestConnectedComponentDict = KeepLargestConnectedComponentd
FillHolesD = FillHolesDict = FillHolesd
RemoveSmallObjectsD = RemoveSmallObjectsDict = RemoveSmallObjectsd
