"""The base classes of the transforms, and the conversion of images: from MONAI, or replacements for NumPy arrays without MONAI."""

from ._tensors import is_tensor, tensor_like

try:
    from monai.data.meta_obj import get_track_meta
    from monai.transforms import MapTransform, Transform
    from monai.utils import TransformBackends, convert_to_dst_type, convert_to_tensor
except ModuleNotFoundError as error:
    if error.name != "monai":
        raise

    BACKEND = []

    class Transform:
        """As monai.transforms.Transform."""

    class MapTransform(Transform):
        """As monai.transforms.MapTransform: changes the entries `keys` of dictionaries."""

        def __init__(self, keys, allow_missing_keys=False):
            is_sequence = isinstance(keys, (list, tuple))
            self.keys = tuple(keys) if is_sequence else (keys,)
            self.allow_missing_keys = allow_missing_keys
            if not self.keys:
                raise ValueError("keys must be non empty.")

        def key_iterator(self, data):
            """The keys that exist. Raises KeyError for a key that does not, unless allow_missing_keys."""
            for key in self.keys:
                if key in data:
                    yield key
                elif not self.allow_missing_keys:
                    raise KeyError(f"Key `{key}` of transform `{type(self).__name__}` was missing in the data and allow_missing_keys==False.")

    def converted(img):
        """The image in the form that is returned."""
        return img

    def like(array, img):
        """An array as the kind of a converted image."""
        return tensor_like(array, img) if is_tensor(img) else array

else:
    BACKEND = [TransformBackends.NUMPY]

    def converted(img):
        """The image in the form that is returned: a MetaTensor, or a tensor if MONAI does not track metadata."""
        return convert_to_tensor(img, track_meta=get_track_meta())

    def like(array, img):
        """An array as a tensor with the class, type, device and metadata of a converted image."""
        import torch

        return convert_to_dst_type(torch.from_numpy(array), dst=img)[0]
