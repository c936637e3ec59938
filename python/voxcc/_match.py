"""match(): the objects of two label images."""

import math

import numpy as np

from . import _arguments as arguments
from . import _core, _gpu
from ._frameworks import framework_of
from ._table import Table
from ._xarray import array_of, is_data_array

BY = ("iou", "dice", "fraction", "distance")
ASSIGNMENTS = ("optimal", "greedy", "many")
CHANGES = np.array(["gone", "new", "unchanged", "grown", "shrunk", "split", "merged"])


class Match:
    """The result of match(). Attributes:

    metrics: dict with the counts tp, fp, fn, lesion_tp, lesion_fp and lesion_fn, and the floats precision, recall, f1, rq, sq, pq, mean_dice,
    dice, iou, lesion_precision, lesion_recall, lesion_f1 and lesion_dice. A metric whose denominator is 0 is NaN.
    pairs: Table with one row per pair of labels that share voxels: a, b, voxels, iou, dice, fraction_a, fraction_b.
    objects_a, objects_b: Tables with one row per label: label, voxels, has_partner, partner, iou, dice, distance, change, voxel_change.
    """

    __slots__ = ("metrics", "objects_a", "objects_b", "pairs")

    def __init__(self, tables):
        self.metrics = dict(tables["metrics"])
        self.pairs = Table(tables["pairs"])
        for name in ("objects_a", "objects_b"):
            table = Table(tables[name])
            table["change"] = CHANGES[table["change"]]
            setattr(self, name, table)

    def __repr__(self):
        counts = ", ".join(f"{name}={self.metrics[name]}" for name in ("tp", "fp", "fn"))
        return f"Match({counts}, pairs=<{self.pairs.size_text()}>)"


def real_argument(value, name):
    """A finite number that is not negative, as a float."""
    try:
        number = float(value) if arguments.is_number(value) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"{name}={arguments.shown(value)} must be a finite number that is not negative")
    return number


def match(a, b, *, by="iou", at=None, assign="optimal", least_change=0, dilate=0, min_lesion=1, spacing=None, threads=None):
    """Matches the objects of two label images of one shape, as `voxcc match` does with files.

    a: integers with one, two or three axes: the reference, or the earlier image. An object is all voxels with one label; 0 is background.
    An array on a CUDA device is compared there; the tables are in host memory.
    b: the prediction, or the later image. It must be on the device of a.
    by: which objects can be partners. "iou": shared / (a or b), "dice": 2 shared / (a + b), "fraction": shared / the smaller object; these
    must be at least `at` (default: 0.5). "distance": the distance of the centroids must be at most `at`, which must be given.
    assign: "optimal": one to one, with the largest sum of values (by distance, of `at` minus the distance). "greedy": one to one, the pair
    with the largest value first. "many": each object of b gets the object of a with the largest value.
    least_change: changes of fewer voxels than this part of an object count as unchanged.
    dilate: number of dilations of a before the lesion-wise metrics, as in BraTS 2023. Lesions that meet are one. Not for arrays on a device.
    min_lesion: least number of voxels of a lesion of a; for the lesion-wise metrics.
    spacing: distance between voxels, one number per axis, or one for all axes; for distances.
    threads: see label(). Not for arrays on a device.

    Returns a Match with the attributes metrics, pairs, objects_a and objects_b. docs/manual/match.md defines the metrics and changes.
    Raises ValueError for different shapes and for numbers out of range, TypeError for labels that are not integers, and
    if only one image is on a device.

    >>> result = voxcc.match(np.array([1, 1, 1, 0, 2, 2]), np.array([0, 5, 5, 0, 0, 6]), at=0.6)
    >>> result
    Match(tp=1, fp=1, fn=1, pairs=<2 rows x 7 columns>)
    >>> result.objects_a["partner"], result.metrics["precision"]
    (array([5, 0]), 0.5)
    """
    a, b = (array_of(x, name) if is_data_array(x) else x for name, x in (("a", a), ("b", b)))
    on_device = framework_of(a) is not None
    if on_device != (framework_of(b) is not None):
        there, here = ("a", "b") if on_device else ("b", "a")
        raise TypeError(f"{there} is on a CUDA device, but {here} is in host memory; copy one of them, so that both are in the same memory")
    if on_device:
        arguments.no_host_arguments(threads=threads)
        work, b = _gpu.label_images(a, b)
        ndim = len(work.shape)
    else:
        a, b = arguments.labels_argument(a, "a"), arguments.labels_argument(b, "b")
        arguments.same_shape(a, b, "b")
        ndim = a.ndim
    rule, assignment = BY.index(BY[arguments.choice(by, BY, "by")]), arguments.choice(assign, ASSIGNMENTS, "assign")
    if at is None:
        if by == "distance":
            raise ValueError('by="distance" needs at=, the largest distance')
        at = 0.5
    at = real_argument(at, "at")
    if at == 0 or (by != "distance" and at > 1):
        raise ValueError(f"at={at:g} must be above 0" + ("" if by == "distance" else " and at most 1"))
    least_change = real_argument(least_change, "least_change")
    dilate, min_lesion = arguments.integer(dilate, "dilate", 0), arguments.size_argument(min_lesion, "min_lesion")
    if dilate > 1000:
        raise ValueError(f"dilate={arguments.shown(dilate)} must be at most 1000")
    spacing = arguments.spacing_argument(spacing, ndim)
    if on_device:
        arguments.no_host_arguments(dilate=dilate or None)
        return Match(_gpu.match(work, b, rule, at, assignment, least_change, min_lesion, spacing))
    threads = arguments.threads_argument(threads)
    if a.size == 0:
        a, b = (np.zeros((1,) * x.ndim, x.dtype) for x in (a, b))
    a, b = (x.view(np.uint8) if x.dtype == bool else x for x in (a, b))
    return Match(_core.match(a, b, rule, at, assignment, least_change, min_lesion, spacing, dilate, threads))
