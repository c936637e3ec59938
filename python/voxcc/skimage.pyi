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
def regionprops(
    label_image: NDArray[Any],
    intensity_image: NDArray[Any] | None = None,
    cache: bool = True,
    *,
    extra_properties: Iterable[Any] | None = None,
    spacing: float | Sequence[float] | None = None,
    offset: Sequence[int] | None = None,
) -> list[Any]: ...
def remove_small_objects(
    ar: NDArray[Any],
    min_size: Any = ...,
    connectivity: int = 1,
    *,
    max_size: float = 64,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]: ...
def remove_small_holes(
    ar: NDArray[Any],
    area_threshold: Any = ...,
    connectivity: int = 1,
    *,
    max_size: float = 64,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]: ...
def clear_border(
    labels: NDArray[Any],
    buffer_size: int = 0,
    bgval: float = 0,
    mask: NDArray[Any] | None = None,
    *,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]: ...
