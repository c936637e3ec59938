"""Access to scikit-image itself, which is imported only when a call needs it."""

import importlib

from . import _patch
from ._frameworks import framework_of


def library_function(module, name, what):
    """A function of scikit-image, also while voxcc.patch() replaces it. @param what needs it, for the message if it is not installed"""
    try:
        module = importlib.import_module(module)
    except ImportError:
        raise NotImplementedError(f"{what} needs scikit-image") from None
    return _patch.original(module, name)


def on_host(name, *arrays):
    """Raises an error for arrays on CUDA devices. @param name of the function"""
    for array in arrays:
        if framework_of(array) is not None:
            raise NotImplementedError(f"voxcc.skimage.{name}() does not support arrays on a CUDA device; copy them to the host")
