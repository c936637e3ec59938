from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

# An array of NumPy, or a tensor of PyTorch.
_Image = TypeVar("_Image")

def get_largest_connected_component_mask(img: _Image, connectivity: int | None = None, num_components: int = 1) -> _Image: ...

# With MONAI, the bases of the classes are monai.transforms.Transform and MapTransform, and images become tensors. A stub that imports them
# would need MONAI.

class KeepLargestConnectedComponent:
    def __init__(
        self,
        applied_labels: int | Iterable[int] | None = None,
        is_onehot: bool | None = None,
        independent: bool = True,
        connectivity: int | None = None,
        num_components: int = 1,
    ) -> None: ...
    def __call__(self, img: Any) -> Any: ...

class FillHoles:
    def __init__(self, applied_labels: int | Iterable[int] | None = None, connectivity: int | None = None) -> None: ...
    def __call__(self, img: Any) -> Any: ...

class RemoveSmallObjects:
    def __init__(
        self,
        min_size: float = 64,
        connectivity: int | None = 1,
        independent_channels: bool = True,
        by_measure: bool = False,
        pixdim: float | Sequence[float] | None = None,
    ) -> None: ...
    def __call__(self, img: _Image) -> _Image: ...

class _OfDictionaries:
    keys: tuple[Hashable, ...]
    allow_missing_keys: bool
    def __call__(self, data: Mapping[Hashable, Any]) -> dict[Hashable, Any]: ...

class KeepLargestConnectedComponentd(_OfDictionaries):
    def __init__(
        self,
        keys: Hashable | Sequence[Hashable],
        applied_labels: int | Iterable[int] | None = None,
        is_onehot: bool | None = None,
        independent: bool = True,
        connectivity: int | None = None,
        num_components: int = 1,
        allow_missing_keys: bool = False,
    ) -> None: ...

class FillHolesd(_OfDictionaries):
    def __init__(
        self,
        keys: Hashable | Sequence[Hashable],
        applied_labels: int | Iterable[int] | None = None,
        connectivity: int | None = None,
        allow_missing_keys: bool = False,
    ) -> None: ...

class RemoveSmallObjectsd(_OfDictionaries):
    def __init__(
        self,
        keys: Hashable | Sequence[Hashable],
        min_size: float = 64,
        connectivity: int | None = 1,
        independent_channels: bool = True,
        by_measure: bool = False,
        pixdim: float | Sequence[float] | None = None,
        allow_missing_keys: bool = False,
    ) -> None: ...

KeepLargestConnectedComponentD = KeepLargestConnectedComponentd
KeepLargestConnectedComponentDict = KeepLargestConnectedComponentd
FillHolesD = FillHolesd
FillHolesDict = FillHolesd
RemoveSmallObjectsD = RemoveSmallObjectsd
RemoveSmallObjectsDict = RemoveSmallObjectsd
