from typing import Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from . import DimensionError as DimensionError

_T = TypeVar("_T", bound=np.generic)

@overload
def fill(labels: NDArray[_T], in_place: bool = False, return_fill_count: Literal[False] = False) -> NDArray[_T]: ...
@overload
def fill(labels: NDArray[_T], in_place: bool = False, *, return_fill_count: Literal[True]) -> tuple[NDArray[_T], int]: ...
@overload
def fill(labels: NDArray[_T], in_place: bool, return_fill_count: Literal[True]) -> tuple[NDArray[_T], int]: ...
