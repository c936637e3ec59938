"""Thresholds that are computed from the array, and seeds of a hysteresis, against NumPy, scipy and scikit-image."""

import numpy as np
import pytest
import scipy.ndimage
import voxcc
from arrays import in_layout
from skimage import filters

LEVELS = {"otsu": filters.threshold_otsu, "li": filters.threshold_li, "triangle": filters.threshold_triangle, "yen": filters.threshold_yen}
TYPES = (np.uint8, np.int16, np.uint16, np.int64, np.float16, np.float32, np.float64)


def image(seed, dtype, ndim):
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(5, 12, ndim))
    smooth = scipy.ndimage.gaussian_filter(random.normal(size=shape), 1) * 60 + 100
    return in_layout(smooth.clip(0, 250).astype(dtype), "CF"[seed % 2])


def variance(values, level):
    """Otsu's criterion: the variance between the values up to a level and the values above it."""
    low, high = values[values <= level].astype(float), values[values > level].astype(float)
    return low.size * high.size * (low.mean() - high.mean()) ** 2


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("ndim", (1, 2, 3))
@pytest.mark.parametrize("seed", range(4))
def test_levels_equal_scikit_image(dtype, ndim, seed):
    x = image(seed, dtype, ndim)
    mask = np.random.default_rng(seed).random(x.shape) < 0.8 if seed > 1 else None
    values = x.ravel() if mask is None else x[mask]
    # scikit-image computes in the type of the array, so the narrow types are widened without changing a value.
    wide = values.astype(np.float32 if x.dtype.kind == "f" and x.dtype.itemsize < 8 else x.dtype)
    for name, function in LEVELS.items():
        level, want = voxcc.level(x, name, mask=mask), function(wide)
        if name == "otsu":  # several levels can have nearly the same variance
            level, want = variance(wide, level), variance(wide, want)
        assert level == pytest.approx(float(want), rel=1e-2 if name == "otsu" else 1e-6), name
    for percent in (0, 12.5, 50, 99, 100):
        assert voxcc.level(x, f"p{percent}", mask=mask) == pytest.approx(float(np.percentile(wide, percent)), rel=1e-6)
        least, largest = float(values.min()), float(values.max())
        assert voxcc.level(x, f"{percent}%", mask=mask) == (largest if percent == 100 else least + percent / 100 * (largest - least))


@pytest.mark.parametrize("rule", ("otsu", "p80", "40%"))
def test_label_uses_the_level_inside_the_mask(rule):
    x = image(5, np.float32, 3)
    mask = np.random.default_rng(1).random(x.shape) < 0.7
    level = voxcc.level(x, rule, mask=mask)
    foreground = (x >= np.float32(level) if "%" in rule else x > np.float32(level)) & mask
    np.testing.assert_array_equal(voxcc.label(x, threshold=rule, mask=mask).labels, voxcc.label(foreground).labels)


def test_levels_of_wide_integers_are_exact():
    x = np.array([2**53 + 1, 2**53 + 3, 2**63 - 1])
    assert voxcc.level(x, "100%") == 2**63 - 1
    assert voxcc.label(x, threshold="100%").labels.tolist() == [0, 0, 1]


@pytest.mark.parametrize("rule", (*LEVELS, "40%"))
def test_values_without_a_level(rule):
    for x in (np.ones((3, 3)), np.full(4, np.nan), np.zeros(5, np.uint8)):
        with pytest.raises(ValueError, match="two different finite values"):
            voxcc.label(x, threshold=rule)
    with pytest.raises(ValueError, match="inside the mask"):
        voxcc.level(np.arange(5), rule, mask=np.zeros(5))
    assert voxcc.label(np.zeros((0, 3)), threshold=rule).count == 0


@pytest.mark.parametrize("rule", ("ots", "p101", "-1%", "pnan", "", 5, None))
def test_rules_that_are_not_valid(rule):
    with pytest.raises(ValueError, match="rule is"):
        voxcc.level(np.arange(5), rule)


@pytest.mark.parametrize("ndim", (1, 2, 3))
@pytest.mark.parametrize("seed", range(10))
def test_seeds_of_hysteresis_equal_scikit_image(ndim, seed):
    x = image(seed, (np.uint8, np.float32)[seed % 2], ndim)
    low, high = np.percentile(x, (60, 92))
    want = filters.apply_hysteresis_threshold(x.astype(float), low, high)  # neighbours by faces
    for threads in (1, 3):
        result = voxcc.label(x, 1, threshold=f">{float(low)!r}", seed_threshold=f">{float(high)!r}", threads=threads)
        labels, count = scipy.ndimage.label(want)
        np.testing.assert_array_equal(result.labels, labels)
        assert result.count == count


@pytest.mark.parametrize("order", ("C", "F"))
@pytest.mark.parametrize("per_slice", (None, 0, 1, 2))
def test_seeds_with_other_arguments(order, per_slice):
    x = image(3, np.float32, 3)
    mask = np.random.default_rng(3).random(x.shape) < 0.9
    arguments = {"threshold": "p50", "mask": mask, "order": order, "per_slice": per_slice, "connectivity": 8 if per_slice is not None else 26}
    labels = voxcc.label(x, **arguments).labels
    seeded = np.unique(labels[(x > np.float32(voxcc.level(x, "p95", mask=mask))) & mask])
    for selection in ({}, {"min_size": 4}, {"keep_largest": 2}, {"clear_border": True}):
        kept = voxcc.label(np.where(np.isin(labels, seeded[seeded > 0]), labels, 0), values=True, order=order, per_slice=per_slice,
                           connectivity=arguments["connectivity"], **selection)
        np.testing.assert_array_equal(voxcc.label(x, seed_threshold="p95", **arguments, **selection).labels, kept.labels)


def test_seeds_of_periodic_arrays():
    x = np.array([2, 0, 1, 0, 1])
    assert voxcc.label(x, seed_threshold=2, periodic=True).labels.tolist() == [1, 0, 0, 0, 1]
    assert voxcc.label(x, seed_threshold=2).labels.tolist() == [1, 0, 0, 0, 0]
    assert voxcc.label(x, seed_threshold=3).labels.tolist() == [0] * 5
    assert voxcc.label(np.zeros((2, 0)), seed_threshold="otsu").count == 0
