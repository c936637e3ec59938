"""Connected components of NumPy arrays: labels, counts, tables and filters.

>>> import numpy as np, voxcc
>>> mask = np.array([[1, 1, 0, 1], [0, 0, 0, 1]])
>>> labels, count = voxcc.label(mask)
>>> labels
array([[1, 1, 0, 2],
       [0, 0, 0, 2]], dtype=uint32)
>>> count
2

voxcc.cc3d, voxcc.scipy, voxcc.skimage, voxcc.fill_voids and voxcc.monai have functions with the names, arguments and results of these
packages. These modules, voxcc.dask and voxcc.blocks are imported when they are first used. "from voxcc import *" imports all names
except filter, which would replace the function of Python.
"""

import importlib
import os

from . import _interpreter  # isort: skip  # before the module _core is loaded
from . import _core
from ._arguments import threads_argument
from ._count import Count
from ._errors import DeviceError, DimensionError, FormatError
from ._files import label_file
from ._fill_holes import fill_holes
from ._filter import filter
from ._label import keep_largest, label, remove_small
from ._level import level
from ._map_labels import map_labels
from ._match import Match, match
from ._measure import contacts, measure
from ._patch import Patch, patch, patched
from ._results import FileResult, Result
from ._table import Table
from ._tfce import tfce

__version__ = _core.version

# The modules that are imported when they are first used, as voxcc.scipy.
MODULES = ("blocks", "cc3d", "dask", "fill_voids", "monai", "scipy", "skimage")

# All public names except filter(): "from voxcc import *" must not replace the function of Python.
__all__ = [
    "Count",
    "DeviceError",
    "DimensionError",
    "FileResult",
    "FormatError",
    "Match",
    "Patch",
    "Result",
    "Table",
    "capabilities",
    "clear_cache",
    "contacts",
    "fill_holes",
    "get_threads",
    "keep_largest",
    "label",
    "label_file",
    "level",
    "map_labels",
    "match",
    "measure",
    "patch",
    "patched",
    "remove_small",
    "set_threads",
    "tfce",
]


def __getattr__(name):
    if name not in MODULES:
        raise AttributeError(f"module 'voxcc' has no attribute {name!r}")
    try:
        return importlib.import_module(f"voxcc.{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(f"voxcc.{name} needs the package {error.name}, which is not installed") from error


def __dir__():
    return sorted({*globals(), *MODULES})


def set_threads(threads: int | None) -> None:
    """Sets the number of threads of calls without `threads`. None: all CPUs that the process may use.

    Small arrays use fewer threads: one per 2 MiB.
    """
    _core.set_default_threads(threads_argument(threads))


def get_threads() -> int:
    """The number of threads of calls without `threads`."""
    return _core.default_threads()


def capabilities() -> dict:
    """What this build can use: its version and commit, the devices, the instruction set and the number of threads.

    >>> voxcc.capabilities()["devices"][0]
    'cpu'
    """
    return {
        "version": _core.version,
        "commit": _core.commit,
        "devices": ["cpu", *_cuda_devices()],
        "instruction_set": _core.isa(),
        "threads": _core.default_threads(),
    }


def clear_cache() -> None:
    """Returns memory that is kept for later calls: of CUDA devices, and of large results in host memory. Waits until these devices are idle."""
    _core.release_result_memory()
    _core.release_stream_memory()


def _cuda_devices() -> list:
    devices = []
    while not _core.why_no_cuda(len(devices)):
        devices.append(f"cuda:{len(devices)}")
    return devices


def _threads_of_environment() -> None:
    text = os.environ.get("VOXCC_THREADS", "")
    if not text:
        return
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ValueError(f"the environment variable VOXCC_THREADS is '{text}'; it must be a number of threads, at least 1")
    set_threads(int(text))


_threads_of_environment()
