from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from dask.array import Array
from dask.delayed import Delayed
from numpy.typing import DTypeLike

class Result(NamedTuple):
    labels: Array
    count: Delayed
    table: Delayed | None

def label(
    x: Array,
    /,
    connectivity: int | None = None,
    *,
    values: bool = False,
    periodic: bool | int | Iterable[int] = False,
    min_size: int = 0,
    keep_largest: int | None = None,
    ties: Literal["first", "last", "all"] = "first",
    dtype: DTypeLike | None = None,
    table: bool = False,
    spacing: float | Sequence[float] | None = None,
    threads: int = 1,
) -> Result: ...
