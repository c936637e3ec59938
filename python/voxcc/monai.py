"""Functions of monai.transforms on the engine of voxcc, for NumPy arrays and tensors of PyTorch. MONAI itself is not needed.

    from voxcc.monai import KeepLargestConnectedComponent, get_largest_connected_component_mask

>>> from voxcc.monai import get_largest_connected_component_mask
>>> get_largest_connected_component_mask(np.array([[1, 1, 0, 1]]))
array([[ True,  True, False, False]])
"""

import numpy as np

from . import _label

__all__ = ["KeepLargestConnectedComponent", "get_largest_connected_component_mask"]


def _is_tensor(image):
    return not isinstance(image, np.ndarray) and hasattr(image, "detach") and hasattr(image, "new_tensor")


def _array_of(image):
    return image.detach().cpu().numpy() if _is_tensor(image) else np.asarray(image)


def _like(array, image):
    """The array as the kind of the image: a tensor of the same class on the same device, or an array."""
    if not _is_tensor(image):
        return array
    import torch

    tensor = torch.from_numpy(array).to(image.device)
    if type(image) is torch.Tensor:
        return tensor
    result = tensor.as_subclass(type(image))
    if hasattr(result, "copy_meta_from"):  # a MetaTensor of MONAI
        result.copy_meta_from(image)
    return result


def _largest(array, connectivity, num_components):
    """A mask of the largest components of equal values. Floats are rounded towards 0, as by skimage.measure.label."""
    if array.dtype.kind == "f":
        integers = array.astype(np.int64)
    else:
        integers = array
    labelled, count = (None, 0) if array.size == 0 else _labelled(integers, connectivity)
    if count <= num_components:
        return array.astype(bool)
    labelled.select(0, 2**64 - 1, num_components, _label.TIES.index("last"), False, False)
    mask = np.empty(array.shape, bool)
    labelled.paint_mask(mask)
    return mask


def _labelled(array, connectivity):
    arguments = _label.arguments
    array = arguments.array_argument(array, "img")
    if connectivity is not None and not 1 <= connectivity <= array.ndim:
        raise ValueError(f"connectivity is {connectivity}; it must be 1 to {array.ndim}, or None")
    neighbours = arguments.connectivity_argument(connectivity, array.ndim)
    labelled = _label.run(array, neighbours, (arguments.NONZERO, 0.0, 0.0), values=array.dtype != bool)
    return labelled, labelled.count


def get_largest_connected_component_mask(img, connectivity=None, num_components=1):
    """A boolean mask of the largest connected components, as the function of MONAI.

    img: an array or a tensor with 1 to 3 axes and without a channel axis. Components have equal values; 0 is background.
    connectivity: 1 to the number of axes; None is the number of axes. num_components: how many components are kept. Of equally large
    components, the last ones are kept. If there are not more components, the mask is True where img is not 0.
    Returns an array, or a tensor of the class and the device of img.

    >>> get_largest_connected_component_mask(np.array([1, 0, 2, 2, 0, 1]), num_components=2)
    array([False, False,  True,  True, False,  True])
    """
    return _like(_largest(_array_of(img), connectivity, num_components), img)


class KeepLargestConnectedComponent:
    """Sets the voxels of all but the largest components to 0, as the transform of MONAI.

    applied_labels: the labels (without one-hot) or channels (with one-hot) that are processed, a number or a sequence. None: all but 0.
    is_onehot: whether the channels of the image are the labels. None: if the image has more than one channel.
    independent: process each label by itself; else the labels count as one foreground.
    connectivity, num_components: see get_largest_connected_component_mask().

    >>> KeepLargestConnectedComponent(applied_labels=[1])(np.array([[1, 1, 0, 1, 2]]))
    array([[1, 1, 0, 0, 2]])
    """

    def __init__(self, applied_labels=None, is_onehot=None, independent=True, connectivity=None, num_components=1):
        self.applied_labels = None if applied_labels is None else tuple(np.atleast_1d(applied_labels).tolist())
        self.is_onehot = is_onehot
        self.independent = independent
        self.connectivity = connectivity
        self.num_components = num_components

    def __call__(self, img):
        """Processes an image whose first axis is the channel. Returns a new image of the same kind and type."""
        array = _array_of(img).copy()
        onehot = array.shape[0] > 1 if self.is_onehot is None else self.is_onehot
        labels = self.applied_labels
        if labels is None:
            used = np.flatnonzero(array.reshape(array.shape[0], -1).any(axis=1)) if onehot else np.unique(array)
            labels = tuple(label for label in used.tolist() if label != 0)
        if self.independent:
            for label in labels:
                channel = array[label if onehot else 0]
                foreground = channel > 0 if onehot else channel == label
                channel[self._dropped(foreground)] = 0
        elif onehot:
            dropped = self._dropped((array[list(labels)] == 1).any(axis=0))
            for label in labels:
                array[label][dropped] = 0
        else:
            array[0][self._dropped(np.isin(array[0], labels))] = 0
        return _like(array, img)

    def _dropped(self, foreground):
        return foreground & ~_largest(foreground, self.connectivity, self.num_components)
