"""Post-processing of segmentations with MONAI: the largest component per class, and no small components, on the engine of voxcc.

    from monai_postprocessing import postprocessing
    labels = postprocessing(classes=[1, 2])(network(image)[0])

Needs MONAI and PyTorch. Tensors and MetaTensors stay what they are, with their metadata.
"""

import numpy as np
import torch
import voxcc
from monai.transforms import AsDiscrete, AsDiscreted, Compose
from voxcc.monai import KeepLargestConnectedComponent, KeepLargestConnectedComponentd


def postprocessing(classes):
    """From the output of a network (a channel per class, then the axes) to one channel of class numbers.

    Keeps the largest component per class in `classes`. Other classes are not changed.
    """
    return Compose([AsDiscrete(argmax=True), KeepLargestConnectedComponent(applied_labels=classes)])


def postprocessing_of_dictionaries(key, classes):
    """The same for the entry `key` of dictionaries, as in MONAI's pipelines for inference."""
    return Compose([AsDiscreted(keys=key, argmax=True), KeepLargestConnectedComponentd(keys=key, applied_labels=classes)])


class RemoveSmallComponents:
    """Sets components of fewer than `min_size` voxels to 0. Voxels belong together if they touch and have the same class.

    Takes a tensor or a MetaTensor with one channel of class numbers. Returns a new tensor of the same kind.
    """

    def __init__(self, min_size):
        self.min_size = min_size

    def __call__(self, classes):
        kept = voxcc.label(np.asarray(classes[0].cpu()), values=True, min_size=self.min_size).labels > 0
        return classes * torch.from_numpy(kept).to(classes.device)
