from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, BinaryIO, Literal, Protocol, overload

from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import DimensionError as DimensionError

_Array = NDArray[Any]

class _CudaArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> Any: ...

class _Images(Protocol):
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[int, _Array]]: ...

@overload
def connected_components(
    data: _CudaArray,
    max_labels: int = -1,
    connectivity: Literal[4, 8, 6, 18, 26] = 26,
    return_N: bool = False,
    delta: float = 0,
    out_dtype: Any = None,
    out_file: None = None,
    periodic_boundary: bool = False,
    binary_image: bool = False,
) -> Any: ...
@overload
def connected_components(
    data: ArrayLike,
    max_labels: int = -1,
    connectivity: Literal[4, 8, 6, 18, 26] = 26,
    return_N: Literal[False] = False,
    delta: float = 0,
    out_dtype: DTypeLike | None = None,
    out_file: str | PathLike[str] | BinaryIO | None = None,
    periodic_boundary: bool = False,
    binary_image: bool = False,
) -> _Array: ...
@overload
def connected_components(
    data: ArrayLike,
    max_labels: int = -1,
    connectivity: Literal[4, 8, 6, 18, 26] = 26,
    *,
    return_N: Literal[True],
    delta: float = 0,
    out_dtype: DTypeLike | None = None,
    out_file: str | PathLike[str] | BinaryIO | None = None,
    periodic_boundary: bool = False,
    binary_image: bool = False,
) -> tuple[_Array, int]: ...
def statistics(out_labels: ArrayLike | _CudaArray, no_slice_conversion: bool = False) -> dict[str, Any]: ...
@overload
def dust(
    img: _CudaArray,
    threshold: float | tuple[float, float] | list[float],
    connectivity: Literal[4, 8, 6, 18, 26] = 26,
    in_place: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
    invert: bool = False,
    return_N: bool = False,
) -> Any: ...
@overload
def dust(
    img: ArrayLike,
    threshold: float | tuple[float, float] | list[float],
    connectivity: Literal[4, 8, 6, 18, 26] = 26,
    in_place: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
    invert: bool = False,
    return_N: Literal[False] = False,
) -> _Array: ...
@overload
def dust(
    img: ArrayLike,
    threshold: float | tuple[float, float] | list[float],
    connectivity: Literal[4, 8, 6, 18, 26] = 26,
    in_place: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
    invert: bool = False,
    *,
    return_N: Literal[True],
) -> tuple[_Array, int]: ...
@overload
def largest_k(
    img: _CudaArray,
    k: int,
    connectivity: Literal[4, 8, 6, 18, 26] = 26,
    delta: float = 0,
    return_N: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
) -> Any: ...
@overload
def largest_k(
    img: ArrayLike,
    k: int,
    connectivity: Literal[4, 8, 6, 18, 26] = 26,
    delta: float = 0,
    return_N: Literal[False] = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
) -> _Array: ...
@overload
def largest_k(
    img: ArrayLike,
    k: int,
    connectivity: Literal[4, 8, 6, 18, 26] = 26,
    delta: float = 0,
    *,
    return_N: Literal[True],
    binary_image: bool = False,
    precomputed_ccl: bool = False,
) -> tuple[_Array, int]: ...
def each(labels: ArrayLike, binary: bool = False, in_place: bool = False) -> _Images: ...
def contacts(
    labels: ArrayLike | _CudaArray,
    connectivity: Literal[4, 8, 6, 18, 26] = 26,
    surface_area: bool = True,
    anisotropy: Iterable[float] = (1, 1, 1),
) -> dict[tuple[int, int], float]: ...
def region_graph(labels: ArrayLike | _CudaArray, connectivity: Literal[4, 8, 6, 18, 26] = 26) -> set[tuple[int, int]]: ...
def voxel_connectivity_graph(data: ArrayLike, connectivity: Literal[4, 8, 6, 18, 26] = 26) -> _Array: ...
@overload
def color_connectivity_graph(vcg: ArrayLike, connectivity: Literal[4, 8, 6, 26] = 26, return_N: Literal[False] = False) -> _Array: ...
@overload
def color_connectivity_graph(
    vcg: ArrayLike, connectivity: Literal[4, 8, 6, 26] = 26, *, return_N: Literal[True]
) -> tuple[_Array, int]: ...
@overload
def connected_components_stack(
    stacked_images: Iterable[ArrayLike],
    connectivity: Literal[6, 26] = 26,
    return_N: Literal[False] = False,
    binary_image: bool = False,
) -> _Array: ...
@overload
def connected_components_stack(
    stacked_images: Iterable[ArrayLike], connectivity: Literal[6, 26] = 26, *, return_N: Literal[True], binary_image: bool = False
) -> tuple[_Array, int]: ...
def estimate_provisional_labels(data: ArrayLike) -> tuple[int, int, int]: ...
