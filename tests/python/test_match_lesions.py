"""The lesion-wise metrics of `voxcc match` against the definitions of BraTS 2023 and of the WMH Segmentation Challenge, in scipy."""

import json
import math

import numpy as np
import pytest
from helpers import label_scipy, write_nifti
from scipy import ndimage

DILATION = ndimage.generate_binary_structure(3, 2)


def blobs(rng, shape, count):
    """Balls of several sizes, of which some touch."""
    mask = np.zeros(shape, bool)
    grid = np.indices(shape)
    for _ in range(count):
        centre = np.array([rng.integers(0, size) for size in shape]).reshape(-1, 1, 1, 1)
        mask |= ((grid - centre) ** 2).sum(0) <= rng.uniform(0, 3) ** 2
    return mask


def prediction(rng, mask):
    """A prediction: some lesions are missed, others are moved, and there are new ones."""
    labels = label_scipy(mask, 26)
    kept = np.append(False, rng.random(labels.max()) < 0.7)[labels]
    shifted = np.roll(kept, tuple(rng.integers(-2, 3, 3)), (0, 1, 2)) & (rng.random(mask.shape) < 0.95)
    return shifted | blobs(rng, mask.shape, int(rng.integers(0, 3)))


def brats(a, b, dilation, least):
    """Voxel by voxel: the lesions of BraTS are the foreground in one component of the dilated mask."""
    dilated = ndimage.binary_dilation(a, DILATION, iterations=dilation) if dilation else a
    groups, objects = label_scipy(dilated, 26), label_scipy(b, 26)
    dices, found, missed, touched = [], 0, 0, set()
    for group in range(1, groups.max() + 1):
        lesion = (groups == group) & a
        names = set(np.unique(objects[groups == group]).tolist()) - {0}
        touched |= names
        if lesion.sum() < least:
            continue
        found, missed = found + bool(names), missed + (not names)
        union = np.isin(objects, list(names))
        dices.append(2 * (union & lesion).sum() / (union.sum() + lesion.sum()))
    false_positives = objects.max() - len(touched)
    count = len(dices) + false_positives
    return {"lesion_tp": found, "lesion_fn": missed, "lesion_fp": false_positives, "lesion_dice": sum(dices) / count if count else None}


def wmh(a, b):
    """Recall, precision and F1 of evaluation.py of the WMH Segmentation Challenge, for masks that are not empty."""
    lesions, objects = label_scipy(a, 26), label_scipy(b, 26)
    recall = len(set(np.unique(lesions[b]).tolist()) - {0}) / lesions.max()
    precision = len(set(np.unique(objects[a]).tolist()) - {0}) / objects.max()
    f1 = 0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)
    return {"lesion_recall": recall, "lesion_precision": precision, "lesion_f1": f1}


def check(metrics, expected):
    for name, value in expected.items():
        assert metrics[name] is None if value is None else math.isclose(metrics[name], value, rel_tol=1e-12, abs_tol=1e-12), name


@pytest.fixture
def match(voxcc):
    return lambda *arguments: json.loads(voxcc("match", *arguments, "--json", "-").stdout)["metrics"]


@pytest.mark.parametrize("seed", range(12))
def test_lesions_of_brats_and_wmh(match, tmp_path, seed):
    rng = np.random.default_rng(seed)
    shape = tuple(int(rng.integers(5, 40)) for _ in range(3))
    a = blobs(rng, shape, int(rng.integers(1, 12)))
    b = prediction(rng, a)
    if seed == 0:
        b[:] = False
    files = [write_nifti(tmp_path / f"{name}.nii", mask.astype(np.uint8)) for name, mask in (("a", a), ("b", b))]
    for dilation, least in ((0, 1), (0, 9), (1, 3), (3, 51), (2, 1)):
        metrics = match(*files, "--components", "--dilate", dilation, "--min-lesion", least, "-t", 1 + seed % 3)
        check(metrics, brats(a, b, dilation, least))
    if b.any():
        check(match(*files, "--components"), wmh(a, b))


def test_label_volumes_can_be_dilated(match, tmp_path):
    rng = np.random.default_rng(7)
    a = blobs(rng, (20, 24, 70), 12)
    b = prediction(rng, a)
    labels = [np.where(mask, 3 * label_scipy(mask, 26), 0).astype(np.int16) for mask in (a, b)]
    files = [write_nifti(tmp_path / f"{name}.nii.gz", array) for name, array in zip("ab", labels)]
    check(match(*files, "--dilate", 2, "--min-lesion", 20), brats(a, b, 2, 20))


def test_the_least_size_can_be_a_volume(match, tmp_path):
    a = np.zeros((4, 9, 9), np.uint8)
    a[1, 1, 1:3], a[1, 5, 1:6] = 1, 1  # 2 and 5 voxels of 2 mm3
    files = [write_nifti(tmp_path / f"{name}.nii", a, np.diag([1, 1, 2, 1])) for name in "ab"]
    for size, lesions in (("4mm3", 2), ("5mm3", 1), ("10mm3", 1), ("11mm3", 0)):
        assert match(*files, "--components", "--min-lesion", size)["lesion_tp"] == lesions


def test_images_of_one_slice(match, tmp_path):
    a, b = np.zeros((1, 12, 20), np.uint8), np.zeros((1, 12, 20), np.uint8)
    a[0, 2, 2], a[0, 2, 6], b[0, 4, 8] = 1, 1, 1
    files = [write_nifti(tmp_path / f"{name}.nii", array) for name, array in (("a", a), ("b", b))]
    for dilation, expected in ((0, (0, 2, 1)), (1, (0, 2, 1)), (2, (1, 0, 0))):  # 2: the squares of 5 x 5 pixels meet, and reach b
        metrics = match(*files, "--components", "--dilate", dilation)
        assert tuple(metrics[name] for name in ("lesion_tp", "lesion_fn", "lesion_fp")) == expected, dilation


def test_wrong_options(voxcc, tmp_path):
    file = write_nifti(tmp_path / "a.nii", np.ones((3, 3, 3), np.uint8))
    for option, value in (("--dilate", "-1"), ("--dilate", "1.5"), ("--dilate", "2mm"), ("--min-lesion", "5mm2x"), ("--min-lesion", "-3")):
        assert voxcc.fails(64, "match", file, file, "--components", option, value).startswith(f"voxcc: error: {option}: ")
    voxcc.fails(64, "match", file, file, "--components", "--min-lesion", "5mm2")  # the objects are volumes
