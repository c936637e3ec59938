"""NumPy arrays and tensors of PyTorch, also of subclasses such as the MetaTensor of MONAI. PyTorch is imported only for tensors."""

import numpy as np


def is_tensor(image):
    return not isinstance(image, np.ndarray) and hasattr(image, "detach") and hasattr(image, "new_tensor")


def array_of(image):
    """The elements as a NumPy array. It may share the memory of the image. Tensors of bfloat16 become float32."""
    if not is_tensor(image):
        return np.asarray(image)
    image = image.detach().cpu()
    return (image.float() if str(image.dtype) == "torch.bfloat16" else image).numpy()


def tensor_like(array, image):
    """An array as a tensor of the class and the device of an image."""
    import torch

    tensor = torch.from_numpy(array).to(image.device)
    if type(image) is torch.Tensor:
        return tensor
    result = tensor.as_subclass(type(image))
    if hasattr(result, "copy_meta_from"):  # a MetaTensor of MONAI
        result.copy_meta_from(image)
    return result
