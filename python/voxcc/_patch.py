"""Replaces functions of other packages by functions of voxcc, in programs whose source cannot be changed."""

import importlib
import sys

# Per package: the module of voxcc with functions of the same names, and the modules that define the functions.
PACKAGES = {
    "scipy": ("voxcc.scipy", ("scipy.ndimage",)),
    "skimage": ("voxcc.skimage", ("skimage.measure", "skimage.morphology", "skimage.segmentation")),
    "cc3d": ("voxcc.cc3d", ("cc3d",)),
    "fill_voids": ("voxcc.fill_voids", ("fill_voids",)),
}
_replaced = {}  # package: list of (module, name, original)


def original(module, name):
    """A function of another package, also while it is replaced."""
    for places in _replaced.values():
        for place, attribute, function in places:
            if place is module and attribute == name:
                return function
    return getattr(module, name)


def _replace(package):
    ours_name, module_names = PACKAGES[package]
    ours = importlib.import_module(ours_name)
    modules = [importlib.import_module(name) for name in module_names]
    functions = {id(getattr(module, name)): getattr(ours, name) for module in modules for name in ours.__all__ if hasattr(module, name)}
    places = []
    for other in list(sys.modules.values()):  # also the modules that have imported a function by its name
        if getattr(other, "__name__", "voxcc").partition(".")[0] == "voxcc":
            continue
        for attribute, value in list(getattr(other, "__dict__", {}).items()):
            if id(value) in functions:
                places.append((other, attribute, value))
                setattr(other, attribute, functions[id(value)])
    _replaced[package] = places


class Patch:
    """The result of patch(). undo(), or the end of a with statement, restores the functions that this call has replaced."""

    def __init__(self, packages):
        self._packages = packages

    def undo(self):
        """Restores the functions. A second call has no effect."""
        for package in self._packages:
            for module, attribute, function in _replaced.pop(package, ()):
                setattr(module, attribute, function)
        self._packages = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.undo()


def patch(*packages):
    """Replaces functions of other packages by functions of voxcc, in all modules of the process that have imported them.

    packages: "scipy", "skimage", "cc3d" and "fill_voids": all functions of voxcc.scipy, voxcc.skimage, voxcc.cc3d and voxcc.fill_voids.
    Returns an object with the method undo(), which is also a context manager. Packages that are replaced already stay as they are.
    Not thread-safe. Raises ValueError for other names, ImportError if a package is not installed.

    >>> import scipy.ndimage
    >>> with voxcc.patch("scipy"):
    ...     voxcc.patched(), scipy.ndimage.label is voxcc.scipy.label
    (['scipy'], True)
    >>> voxcc.patched()
    []
    """
    for package in packages:
        if package not in PACKAGES:
            raise ValueError(f"{package!r} cannot be replaced; choose from {', '.join(map(repr, PACKAGES))}")
    fresh = [package for package in dict.fromkeys(packages) if package not in _replaced]
    for package in fresh:
        for module in PACKAGES[package][1]:
            importlib.import_module(module)
    for package in fresh:
        _replace(package)
    return Patch(fresh)


def patched():
    """The packages whose functions are replaced, as a list of names in the order of the calls of patch()."""
    return list(_replaced)
