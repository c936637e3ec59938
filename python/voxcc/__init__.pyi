from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Generic, Literal, Protocol, overload

from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Self, TypeVar

from . import blocks as blocks
from . import cc3d as cc3d
from . import dask as dask
from . import fill_voids as fill_voids
from . import monai as monai
from . import scipy as scipy
from . import skimage as skimage

__version__: str

_Labels = TypeVar("_Labels", default=NDArray[Any])
_Count = TypeVar("_Count", default=int)
_Rows = TypeVar("_Rows", default="Table")
_D = TypeVar("_D", bound="_DataArray")

class Table(dict[str, NDArray[Any]]):
    def copy(self) -> Table: ...
    def to_arrow(self) -> Any: ...  # a pyarrow.Table

class DimensionError(ValueError):
    subject: str
    cause: str
    remedy: str
    def __init__(self, subject: str, cause: str = "", remedy: str = "") -> None: ...

class FormatError(ValueError):
    subject: str
    cause: str
    remedy: str
    def __init__(self, subject: str, cause: str = "", remedy: str = "") -> None: ...

class DeviceError(RuntimeError):
    subject: str
    cause: str
    remedy: str
    def __init__(self, subject: str, cause: str = "", remedy: str = "") -> None: ...

class _DataArray(Protocol):
    """A DataArray of xarray. Its overloads come first: DataArray has __getattr__, so mypy takes it for a _CudaArray, too."""

    @property
    def dims(self) -> Any: ...
    @property
    def coords(self) -> Any: ...
    @property
    def chunks(self) -> Any: ...

class _LabelResult(tuple[_Labels, _Count], Generic[_Labels, _Count, _Rows]):
    def __new__(cls, labels: _Labels, count: _Count, table: _Rows | None = None) -> Self: ...
    @property
    def labels(self) -> _Labels: ...
    @property
    def count(self) -> _Count: ...  # type: ignore[override]  # hides the method of tuples
    table: _Rows | None

class Result(_LabelResult[_Labels, _Count]): ...
class FileResult(_LabelResult[None]): ...

class Patch:
    def undo(self) -> None: ...
    def __enter__(self) -> Patch: ...
    def __exit__(self, *exception: object) -> None: ...

class Count:
    def __index__(self) -> int: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __add__(self, other: int) -> int: ...
    def __radd__(self, other: int) -> int: ...
    def __sub__(self, other: int) -> int: ...
    def __mul__(self, other: int) -> int: ...
    def __lt__(self, other: float) -> bool: ...
    def __le__(self, other: float) -> bool: ...
    def __gt__(self, other: float) -> bool: ...
    def __ge__(self, other: float) -> bool: ...

class _Stream(Protocol):
    def __cuda_stream__(self) -> tuple[int, int]: ...

class _CudaArray(Protocol):
    """An array of CuPy, PyTorch or another library, which can be on a CUDA device."""

    @property
    def __cuda_array_interface__(self) -> Any: ...

@overload
def label(
    x: _D,
    /,
    connectivity: int | None = None,
    *,
    structure: ArrayLike | None = None,
    values: bool = False,
    delta: float | None = None,
    background: float = 0,
    threshold: float | str | tuple[float, float] | list[float] | None = None,
    mask: ArrayLike | _DataArray | None = None,
    min_size: int = 0,
    max_size: int | None = None,
    keep_largest: int | None = None,
    ties: Literal["first", "last", "all"] = "first",
    clear_border: bool = False,
    sort: Literal["raster", "size"] = "raster",
    periodic: bool | int | Iterable[int] = False,
    per_slice: int | None = None,
    dtype: DTypeLike | Literal["min"] | None = None,
    out: NDArray[Any] | None = None,
    order: Literal["C", "F", "memory"] = "C",
    table: bool = False,
    intensity: ArrayLike | _DataArray | Mapping[str, ArrayLike | _DataArray] | None = None,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
    device: str | int | None = None,
    stream: int | _Stream | None = None,
    seed_threshold: float | str | tuple[float, float] | list[float] | None = None,
    percentiles: float | Sequence[float] | None = None,
    shape: bool = False,
) -> Result[_D]: ...
@overload
def label(
    x: _CudaArray,
    /,
    connectivity: int | None = None,
    *,
    structure: ArrayLike | None = None,
    values: bool = False,
    delta: float | None = None,
    background: float = 0,
    threshold: float | str | tuple[float, float] | list[float] | None = None,
    mask: Any = None,
    min_size: int = 0,
    max_size: int | None = None,
    keep_largest: int | None = None,
    ties: Literal["first", "last", "all"] = "first",
    clear_border: bool = False,
    sort: Literal["raster", "size"] = "raster",
    periodic: bool | int | Iterable[int] = False,
    per_slice: int | None = None,
    dtype: Any = None,
    out: Any = None,
    order: Literal["C", "F", "memory"] = "C",
    table: bool = False,
    intensity: Any = None,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
    device: str | int | None = None,
    stream: int | _Stream | None = None,
    seed_threshold: float | str | tuple[float, float] | list[float] | None = None,
    percentiles: float | Sequence[float] | None = None,
    shape: bool = False,
) -> Result[Any, int | Count]: ...  # labels: an array of the library of x
@overload
def label(
    x: ArrayLike,
    /,
    connectivity: int | None = None,
    *,
    structure: ArrayLike | None = None,
    values: bool = False,
    delta: float | None = None,
    background: float = 0,
    threshold: float | str | tuple[float, float] | list[float] | None = None,
    mask: ArrayLike | None = None,
    min_size: int = 0,
    max_size: int | None = None,
    keep_largest: int | None = None,
    ties: Literal["first", "last", "all"] = "first",
    clear_border: bool = False,
    sort: Literal["raster", "size"] = "raster",
    periodic: bool | int | Iterable[int] = False,
    per_slice: int | None = None,
    dtype: DTypeLike | Literal["min"] | None = None,
    out: NDArray[Any] | None = None,
    order: Literal["C", "F", "memory"] = "C",
    table: bool = False,
    intensity: ArrayLike | Mapping[str, ArrayLike] | None = None,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
    device: str | int | None = None,
    stream: int | _Stream | None = None,
    seed_threshold: float | str | tuple[float, float] | list[float] | None = None,
    percentiles: float | Sequence[float] | None = None,
    shape: bool = False,
) -> Result: ...
@overload
def keep_largest(
    x: _D,
    /,
    k: int = 1,
    connectivity: int | None = None,
    *,
    values: bool = False,
    ties: Literal["first", "last", "all"] = "first",
    out: NDArray[Any] | None = None,
    threads: int | None = None,
) -> _D: ...
@overload
def keep_largest(
    x: _CudaArray,
    /,
    k: int = 1,
    connectivity: int | None = None,
    *,
    values: bool = False,
    ties: Literal["first", "last", "all"] = "first",
    out: Any = None,
    threads: int | None = None,
) -> Any: ...
@overload
def keep_largest(
    x: ArrayLike,
    /,
    k: int = 1,
    connectivity: int | None = None,
    *,
    values: bool = False,
    ties: Literal["first", "last", "all"] = "first",
    out: NDArray[Any] | None = None,
    threads: int | None = None,
) -> NDArray[Any]: ...
@overload
def remove_small(
    x: _D,
    /,
    min_size: int,
    connectivity: int | None = None,
    *,
    values: bool = False,
    out: NDArray[Any] | None = None,
    threads: int | None = None,
) -> _D: ...
@overload
def remove_small(
    x: _CudaArray,
    /,
    min_size: int,
    connectivity: int | None = None,
    *,
    values: bool = False,
    out: Any = None,
    threads: int | None = None,
) -> Any: ...
@overload
def remove_small(
    x: ArrayLike,
    /,
    min_size: int,
    connectivity: int | None = None,
    *,
    values: bool = False,
    out: NDArray[Any] | None = None,
    threads: int | None = None,
) -> NDArray[Any]: ...
@overload
def fill_holes(
    x: ArrayLike,
    /,
    connectivity: int | None = None,
    *,
    values: bool = False,
    max_size: int | None = None,
    return_fill_count: Literal[False] = False,
    out: NDArray[Any] | None = None,
    threads: int | None = None,
) -> NDArray[Any]: ...
@overload
def fill_holes(
    x: ArrayLike,
    /,
    connectivity: int | None = None,
    *,
    values: bool = False,
    max_size: int | None = None,
    return_fill_count: Literal[True],
    out: NDArray[Any] | None = None,
    threads: int | None = None,
) -> tuple[NDArray[Any], int]: ...
@overload
def filter(
    x: _D,
    /,
    keep: Callable[[Table], ArrayLike],
    connectivity: int | None = None,
    *,
    values: bool = False,
    spacing: float | Sequence[float] | None = None,
    out: NDArray[Any] | None = None,
    threads: int | None = None,
) -> _D: ...
@overload
def filter(
    x: _CudaArray,
    /,
    keep: Callable[[Table], ArrayLike],
    connectivity: int | None = None,
    *,
    values: bool = False,
    spacing: float | Sequence[float] | None = None,
    out: Any = None,
    threads: int | None = None,
) -> Any: ...
@overload
def filter(
    x: ArrayLike,
    /,
    keep: Callable[[Table], ArrayLike],
    connectivity: int | None = None,
    *,
    values: bool = False,
    spacing: float | Sequence[float] | None = None,
    out: NDArray[Any] | None = None,
    threads: int | None = None,
) -> NDArray[Any]: ...
def label_file(
    path: str | PathLike[str],
    output: str | PathLike[str] | None = None,
    *,
    connectivity: int | None = None,
    threshold: float | str | tuple[float, float] | list[float] | None = None,
    values: bool = False,
    delta: float | None = None,
    mask: str | PathLike[str] | None = None,
    min_size: int | str | None = None,
    max_size: int | str | None = None,
    keep_largest: int | None = None,
    fill_holes: bool = False,
    clear_border: bool = False,
    sort: Literal["raster", "size"] | None = None,
    periodic: str | None = None,
    per_slice: Literal["x", "y", "z"] | None = None,
    spacing: float | Sequence[float] | None = None,
    dtype: DTypeLike | None = None,
    table: bool = False,
    intensity: str | PathLike[str] | None = None,
    dataset: str | None = None,
    volume: int | Literal["all"] | None = None,
    max_memory: int | str | None = None,
    device: str | None = None,
    threads: int | None = None,
    overwrite: bool = False,
    percentiles: float | Sequence[float] | None = None,
    shape: bool = False,
) -> FileResult: ...
def patch(*packages: Literal["scipy", "skimage", "cc3d", "fill_voids"]) -> Patch: ...
def patched() -> list[str]: ...
def measure(
    labels: ArrayLike | _CudaArray | _DataArray,
    intensity: ArrayLike | _CudaArray | _DataArray | Mapping[str, ArrayLike | _DataArray] | None = None,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
    *,
    background: bool = False,
    percentiles: float | Sequence[float] | None = None,
    shape: bool = False,
    connectivity: int | None = None,
) -> Table: ...
@overload
def map_labels(
    labels: _D,
    table: Mapping[int, int] | tuple[ArrayLike, ArrayLike] | list[ArrayLike],
    *,
    missing: Literal["keep", "zero", "error"] = "error",
    dtype: DTypeLike | None = None,
) -> _D: ...
@overload
def map_labels(
    labels: _CudaArray,
    table: Mapping[int, int] | tuple[ArrayLike, ArrayLike] | list[ArrayLike],
    *,
    missing: Literal["keep", "zero", "error"] = "error",
    dtype: Any = None,
) -> Any: ...
@overload
def map_labels(
    labels: ArrayLike,
    table: Mapping[int, int] | tuple[ArrayLike, ArrayLike] | list[ArrayLike],
    *,
    missing: Literal["keep", "zero", "error"] = "error",
    dtype: DTypeLike | None = None,
) -> NDArray[Any]: ...
class Match:
    metrics: dict[str, float]
    pairs: Table
    objects_a: Table
    objects_b: Table

def match(
    a: ArrayLike | _CudaArray | _DataArray,
    b: ArrayLike | _CudaArray | _DataArray,
    *,
    by: Literal["iou", "dice", "fraction", "distance"] = "iou",
    at: float | None = None,
    assign: Literal["optimal", "greedy", "many"] = "optimal",
    least_change: float = 0,
    dilate: int = 0,
    min_lesion: int = 1,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
) -> Match: ...
def tfce(
    x: ArrayLike | _DataArray,
    /,
    *,
    e: float = 0.5,
    h: float = 2,
    step: float | None = None,
    connectivity: int | None = None,
    two_sided: bool = True,
    batch: bool = False,
    threads: int | None = None,
) -> NDArray[Any]: ...
def level(x: ArrayLike | _DataArray, rule: str, /, *, mask: ArrayLike | _DataArray | None = None) -> float: ...
def contacts(
    labels: ArrayLike | _CudaArray | _DataArray,
    connectivity: int | None = None,
    *,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
) -> Table: ...
def set_threads(threads: int | None) -> None: ...
def get_threads() -> int: ...
def clear_cache() -> None: ...
def capabilities() -> dict[str, Any]: ...
