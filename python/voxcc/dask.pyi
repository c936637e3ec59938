from collections.abc import Iterable, Sequence
from typing import Any, Literal

from dask.array import Array
from dask.delayed import Delayed
from numpy.typing import DTypeLike

from . import Result as _ComputedResult
from . import _LabelResult

class Result(_LabelResult[Array, Delayed, Delayed]):
    def compute(self, **options: Any) -> _ComputedResult: ...

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
