"""Labels of a stack of images that are labelled one after the other."""

import numpy as np

from . import _arguments as arguments
from . import _label


class _Sets:
    """Union-find over the numbers 0 to n; the smallest number of a set is its root."""

    def __init__(self):
        self.parent = [0]

    def extend(self, count):
        self.parent.extend(range(len(self.parent), len(self.parent) + count))

    def root(self, number):
        while self.parent[number] != number:
            self.parent[number] = self.parent[self.parent[number]]
            number = self.parent[number]
        return number

    def unite(self, a, b):
        a, b = sorted((self.root(a), self.root(b)))
        self.parent[b] = a


def _pairs(numbers, labels):
    """The different pairs of a number and a label, where both are not 0."""
    both = (numbers != 0) & (labels != 0)
    return np.unique(np.stack([numbers[both], labels[both]], axis=1), axis=0).tolist()


def label_stack(images, label_image):
    """Labels images that lie on each other along their third axis.

    images: an iterable of arrays with three axes, of the same length along the first two.
    label_image: a function that returns (labels, count) of an array, numbered in Fortran order.
    Returns labels in the layout of the last image, numbered in Fortran order, and the count.
    """
    parts, sets, last, layout = [], _Sets(), None, "C"
    for image in images:
        image = np.asarray(image)
        layout = arguments.layout_of(image)
        if image.ndim != 3:
            raise arguments.DimensionError("stacked_images", f"holds an image with {image.ndim} dimensions", "each must have 3")
        if last is not None and image.shape[:2] != last[0].shape[:2]:
            raise ValueError(f"stacked_images holds images of the shapes {last[0].shape[:2]} and {image.shape[:2]} along the first two axes")
        if image.size == 0:
            continue
        labels, count = label_image(image)
        labels = np.where(labels == 0, 0, labels.astype(np.int64) + (len(sets.parent) - 1))
        sets.extend(count)
        if last is not None:
            seam = np.concatenate([last[0], image[:, :, :1]], axis=2)
            across = label_image(seam)[0]
            members = {}
            for layer, painted in ((0, last[1]), (1, labels[:, :, :1])):
                for number, label in _pairs(across[:, :, layer].ravel(), painted.ravel()):
                    sets.unite(members.setdefault(number, label), label)
        last = image[:, :, -1:].copy(), labels[:, :, -1:]  # the iterable may reuse the memory of the image
        parts.append(labels)
    roots = np.array([sets.root(number) for number in range(len(sets.parent))])
    is_root = roots == np.arange(len(roots))
    numbers = np.cumsum(is_root) - 1
    count = int(numbers[-1])
    if not parts:
        raise ValueError("stacked_images holds no voxel")
    dtype = _label.label_type("min", count)
    finals = numbers.astype(dtype)[roots]
    labels = np.empty((*parts[0].shape[:2], sum(part.shape[2] for part in parts)), dtype, order=layout)
    np.concatenate([finals[part] for part in parts], axis=2, out=labels)
    return labels, count
