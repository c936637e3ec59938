from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, overload

from numpy.typing import ArrayLike, NDArray

class _CudaArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> Any: ...

@overload
def label(
    label_image: _CudaArray,
    background: float | None = None,
    return_num: bool = False,
    connectivity: int | None = None,
) -> Any: ...
@overload
def label(
    label_image: NDArray[Any],
    background: float | None = None,
    return_num: Literal[False] = False,
    connectivity: int | None = None,
) -> NDArray[Any]: ...
@overload
def label(
    label_image: NDArray[Any],
    background: float | None = None,
    *,
    return_num: Literal[True],
    connectivity: int | None = None,
) -> tuple[NDArray[Any], int]: ...
def regionprops_table(
    label_image: ArrayLike | _CudaArray,
    intensity_image: ArrayLike | _CudaArray | None = None,
    properties: Iterable[str] = ("label", "bbox"),
    *,
    cache: bool = True,
    separator: str = "-",
    extra_properties: Iterable[Any] | None = None,
    spacing: float | Sequence[float] | None = None,
) -> dict[str, NDArray[Any]]: ...
