"""Transforms and a function of monai.transforms on the engine of voxcc.

    from voxcc.monai import KeepLargestConnectedComponentd, get_largest_connected_component_mask

The transforms are classes of MONAI: monai.transforms.Transform and MapTransform are their bases. MONAI is imported when the first of them is
used. If it is not installed, they take and return NumPy arrays and tensors of PyTorch. The function does not need MONAI.

>>> from voxcc.monai import get_largest_connected_component_mask
>>> get_largest_connected_component_mask(np.array([[1, 1, 0, 1]]))
array([[ True,  True, False, False]])
"""

from . import _arguments as arguments
from . import _monai_arrays as arrays
from . import _tensors as tensors

_TRANSFORMS = [name + end for name in ("FillHoles", "KeepLargestConnectedComponent", "RemoveSmallObjects") for end in ("", "D", "Dict", "d")]
__all__ = [*_TRANSFORMS, "get_largest_connected_component_mask"]


def __getattr__(name):
    if name not in _TRANSFORMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _monai_transforms

    return getattr(_monai_transforms, name)


def __dir__():
    return sorted({*globals(), *__all__})


def get_largest_connected_component_mask(img, connectivity=None, num_components=1):
    """A boolean mask of the largest connected components, as the function of MONAI.

    img: an array or a tensor with 1 to 3 axes and without a channel axis. Components have equal values; 0 is background.
    connectivity: 1 to the number of axes; None is the number of axes. num_components: how many components are kept, at least 0. Which of
    equally large components are kept is decided by numpy.argsort, as by MONAI, and may differ between machines. If there are not more
    components, the mask is True where img is not 0.
    Returns an array, or a tensor of the class and the device of img.
    Raises TypeError or ValueError for arguments that are not valid.

    >>> get_largest_connected_component_mask(np.array([1, 0, 2, 2, 0, 1]), num_components=1)
    array([False, False,  True,  True, False, False])
    """
    num_components = arguments.integer(num_components, "num_components", 0)
    mask = arrays.largest_mask(tensors.array_of(img), connectivity, num_components)
    return tensors.tensor_like(mask, img) if tensors.is_tensor(img) else mask
