"""Replaces functions of other packages by functions of voxcc, in programs whose source cannot be changed."""

import functools
import importlib
import sys

# Per package: the module of voxcc with functions of the same names, and the modules that define the functions.
PACKAGES = {
    "scipy": ("voxcc.scipy", ("scipy.ndimage",)),
    "skimage": ("voxcc.skimage", ("skimage.measure", "skimage.morphology", "skimage.segmentation")),
    "cc3d": ("voxcc.cc3d", ("cc3d",)),
    "fill_voids": ("voxcc.fill_voids", ("fill_voids",)),
}
_replaced = {}  # package: list of (original, replacement), as long as it is replaced
_uses = {}  # package: number of patches that were not undone


def original(module, name):
    """A function of another package, also while it is replaced."""
    function = getattr(module, name)
    for pairs in _replaced.values():
        for of_package, replacement in pairs:
            if replacement is function:
                return of_package
    return function


def _replacement(package, module, name, theirs, ours, exceptions):
    """A function that calls ours while the package is replaced, and theirs after that, from wherever it is called.

    It is an object of its own, so that undo() finds it in all modules, and leaves modules alone that have imported the function of voxcc.
    It is pickled by its name in the package, as the function that it replaces.
    exceptions: pairs of an exception of voxcc and the exception of the package that is raised instead of it.
    """

    @functools.wraps(ours)
    def function(*args, **kwargs):
        if package not in _replaced:
            return theirs(*args, **kwargs)
        try:
            return ours(*args, **kwargs)
        except tuple(exceptions) as error:
            raise exceptions[type(error)](str(error)) from error

    function.__module__, function.__qualname__ = module, name
    return function


def _replace(package):
    ours_name, module_names = PACKAGES[package]
    ours = importlib.import_module(ours_name)
    modules = [importlib.import_module(name) for name in module_names]
    found = [(module, name, getattr(module, name), getattr(ours, name)) for module in modules for name in ours.__all__ if hasattr(module, name)]
    exceptions = {mine: theirs for _, _, theirs, mine in found if isinstance(mine, type) and issubclass(mine, Exception)}
    functions = [use for use in found if use[-1] not in exceptions]
    pairs = [(theirs, _replacement(package, module.__name__, name, theirs, mine, exceptions)) for module, name, theirs, mine in functions]
    _replaced[package] = pairs
    _exchange(pairs)


def _exchange(pairs):
    """Puts the second function of each pair into the place of the first one, in all modules of the process."""
    functions = {id(old): new for old, new in pairs}
    for module in list(sys.modules.values()):  # also the modules that have imported a function by its name
        if str(getattr(module, "__name__", "voxcc")).partition(".")[0] == "voxcc":
            continue
        for attribute, value in list(getattr(module, "__dict__", {}).items()):
            if id(value) in functions:
                setattr(module, attribute, functions[id(value)])


class Patch:
    """The result of patch(). undo(), or the end of a with statement, restores the functions, unless another patch replaces them, too."""

    def __init__(self, packages):
        self._packages = packages

    def undo(self):
        """Restores the functions, also in modules that were imported in the meantime. A second call has no effect."""
        for package in self._packages:
            _uses[package] -= 1
            if not _uses[package]:
                _exchange([(replacement, theirs) for theirs, replacement in _replaced.pop(package)])
        self._packages = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.undo()


def patch(*packages):
    """Replaces functions of other packages by functions of voxcc, in all modules of the process that have imported them.

    packages: "scipy", "skimage", "cc3d" and "fill_voids": all functions of voxcc.scipy, voxcc.skimage, voxcc.cc3d and voxcc.fill_voids.
    Returns an object with the method undo(), which is also a context manager. A package is replaced until each patch of it is undone.
    After that, a replaced function that a program has stored calls the function of the package. Functions are pickled by their names in
    the package, so a process without a patch loads the function of the package.
    Not thread-safe. Raises TypeError for objects that are not names, ValueError for other names, ImportError if a package is not installed.

    >>> import scipy.ndimage
    >>> with voxcc.patch("scipy"):
    ...     voxcc.patched(), scipy.ndimage.label(np.eye(2, dtype=int))[1]
    (['scipy'], 2)
    >>> voxcc.patched()
    []
    """
    for package in packages:
        if not isinstance(package, str):
            raise TypeError(f"a package is of the type {type(package).__name__}; write the names as in patch('scipy', 'skimage')")
        if package not in PACKAGES:
            raise ValueError(f"{package!r} cannot be replaced; choose from {', '.join(map(repr, PACKAGES))}")
    chosen = list(dict.fromkeys(packages))
    for package in chosen:
        for module in PACKAGES[package][1]:
            importlib.import_module(module)
    for package in chosen:
        if package not in _replaced:
            _replace(package)
        _uses[package] = _uses.get(package, 0) + 1
    return Patch(chosen)


def patched():
    """The packages whose functions are replaced, as a list of names in the order of the calls of patch()."""
    return list(_replaced)
