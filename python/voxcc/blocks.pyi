from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import Table

class Summary:
    @property
    def low(self) -> tuple[int, ...]: ...
    @property
    def high(self) -> tuple[int, ...]: ...
    @property
    def nbytes(self) -> int: ...

class Numbering(NamedTuple):
    count: int  # type: ignore[assignment]  # hides the method of tuples
    numbers: dict[tuple[int, ...], NDArray[Any]]
    table: Table | None

def summarise(
    block: ArrayLike,
    origin: Sequence[int],
    shape: Sequence[int],
    connectivity: int | None = None,
    *,
    values: bool = False,
    periodic: bool | int | Iterable[int] = False,
    measure: Literal["sizes", "table"] | None = None,
    threads: int | None = None,
) -> Summary: ...
def join(summaries: Iterable[Summary], axis: int) -> Summary: ...
def number(
    summary: Summary,
    *,
    min_size: int = 0,
    keep_largest: int | None = None,
    ties: Literal["first", "last", "all"] = "first",
    spacing: float | Sequence[float] | None = None,
) -> Numbering: ...
def paint(
    block: ArrayLike,
    numbers: ArrayLike,
    connectivity: int | None = None,
    *,
    values: bool = False,
    dtype: DTypeLike | None = None,
    threads: int | None = None,
) -> NDArray[Any]: ...
