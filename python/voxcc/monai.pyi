from collections.abc import Iterable
from typing import TypeVar

# An array of NumPy, or a tensor of PyTorch.
_Image = TypeVar("_Image")

def get_largest_connected_component_mask(img: _Image, connectivity: int | None = None, num_components: int = 1) -> _Image: ...

class KeepLargestConnectedComponent:
    def __init__(
        self,
        applied_labels: int | Iterable[int] | None = None,
        is_onehot: bool | None = None,
        independent: bool = True,
        connectivity: int | None = None,
        num_components: int = 1,
    ) -> None: ...
    def __call__(self, img: _Image) -> _Image: ...
