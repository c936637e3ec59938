from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from numpy.typing import ArrayLike, DTypeLike, NDArray

__version__: str

Table = dict[str, NDArray[Any]]

class DimensionError(ValueError): ...

class Result(NamedTuple):
    labels: NDArray[Any]
    count: int  # type: ignore[assignment]  # hides the method of tuples
    table: Table | None

def label(
    x: ArrayLike,
    /,
    connectivity: int | None = None,
    *,
    values: bool = False,
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
    intensity: ArrayLike | None = None,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
) -> Result: ...
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
def measure(
    labels: ArrayLike,
    intensity: ArrayLike | None = None,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
) -> Table: ...
def contacts(
    labels: ArrayLike,
    connectivity: int | None = None,
    *,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
) -> Table: ...
def set_threads(threads: int | None) -> None: ...
def get_threads() -> int: ...
def capabilities() -> dict[str, Any]: ...
