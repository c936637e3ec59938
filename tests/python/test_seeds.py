"""--seed-threshold (hysteresis) and --keep-largest --per-value, against scikit-image and definitions."""

import subprocess

import numpy as np
import pytest
import scipy.ndimage
from skimage import filters

from helpers import label_equal_values, label_scipy, noise, read_nifti, read_table, write_nifti


def smooth(seed, dtype=np.float32):
    random = np.random.default_rng(seed)
    return (scipy.ndimage.gaussian_filter(random.normal(size=tuple(random.integers(6, 20, 3))), 1) * 60).astype(dtype)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("options", ([], ["--device", "cpu", "-t", "3"]))
def test_hysteresis_equals_scikit_image(voxcc, tmp_path, seed, options):
    image = smooth(seed, (np.float32, np.int16)[seed % 2])
    low, high = (float(np.round(value)) for value in np.percentile(image, (60, 92)))
    want = filters.apply_hysteresis_threshold(image.astype(float), low, high)
    path = write_nifti(tmp_path / "in.nii.gz", image)
    voxcc("label", path, "--threshold", f">{low}", "--seed-threshold", f">{high}", "-c", "6", "-o", tmp_path / "out.nii", "--stats",
          tmp_path / "t.csv", *options)
    labels = label_scipy(want, 6)
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), labels)
    assert [row["voxels"] for row in read_table(tmp_path / "t.csv")] == np.bincount(labels.ravel())[1:].tolist()


def test_seeds_in_slabs(voxcc, tmp_path):
    image = np.random.default_rng(8).normal(0, 1, (64, 300, 200)).astype(np.float32)
    path = write_nifti(tmp_path / "in.nii.gz", image)
    outputs = []
    for options in (["-t", "1"], ["--max-memory", "24MB", "-t", "1"]):
        voxcc("label", path, "--threshold", ">1", "--seed-threshold", ">3", "--device", "cpu", "-o", tmp_path / "out.nii", "-f", *options)
        outputs.append((tmp_path / "out.nii").read_bytes())
    assert outputs[0] == outputs[1]
    every = label_scipy(image > 1, 26)
    seeded = np.unique(every[image > 3])
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii") > 0, np.isin(every, seeded))


@pytest.mark.parametrize("axis", "xyz")
def test_seeds_of_slices(voxcc, tmp_path, axis):
    image = smooth(8)
    path = write_nifti(tmp_path / "in.nii", image)
    voxcc("label", path, "--threshold", ">0", "--seed-threshold", "p95", "--per-slice", axis, "-c", "4", "-o", tmp_path / "out.nii")
    voxcc("label", path, "--threshold", ">0", "--per-slice", axis, "-c", "4", "-o", tmp_path / "all.nii")
    every, some = read_nifti(tmp_path / "all.nii"), read_nifti(tmp_path / "out.nii")
    level = np.percentile(image, 95)
    seeded = np.unique(every[image > level])
    np.testing.assert_array_equal(some > 0, np.isin(every, seeded[seeded > 0]))


def test_level_of_the_seeds_is_computed_inside_the_mask(voxcc, tmp_path):
    image = smooth(3)
    mask = noise(image.shape, 0.6, seed=5)
    level = np.percentile(image[mask > 0], 95)
    path, mask_path = write_nifti(tmp_path / "in.nii", image), write_nifti(tmp_path / "mask.nii", mask)
    voxcc("label", path, "--mask", mask_path, "--threshold", ">0", "--seed-threshold", "p95", "-o", tmp_path / "out.nii")
    every = label_scipy((image > 0) & (mask > 0), 26)
    seeded = np.unique(every[(image > level) & (mask > 0)])
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii") > 0, np.isin(every, seeded[seeded > 0]))


def test_seeds_of_a_pipe(voxcc, tmp_path):
    image = smooth(4)
    path = write_nifti(tmp_path / "in.nii", image)
    options = ["--threshold", ">0", "--seed-threshold", ">20", "-o", tmp_path / "out.nii", "-f"]
    voxcc("label", path, *options)
    want = (tmp_path / "out.nii").read_bytes()
    with open(path, "rb") as file:
        subprocess.run([voxcc.program, "label", "-", *map(str, options)], stdin=file, check=True)
    assert (tmp_path / "out.nii").read_bytes() == want


def test_rules_of_seeds_that_are_not_valid(voxcc, tmp_path):
    path = write_nifti(tmp_path / "in.nii", smooth(1))
    assert "--seed-threshold: 'abc' is not a threshold" in voxcc.fails(64, "label", path, "--seed-threshold", "abc")
    assert "contradicts --invert" in voxcc.fails(64, "label", path, "--seed-threshold", ">5", "--invert")
    assert "--seed-threshold: is not possible in parts" in voxcc.fails(64, "split", path, "-o", tmp_path / "plan.json", "--seed-threshold", ">5")


@pytest.mark.parametrize("k", (1, 2))
@pytest.mark.parametrize("seed", range(4))
def test_largest_of_each_value(voxcc, tmp_path, seed, k):
    values = np.random.default_rng(seed).integers(0, 4, (9, 10, 11)).astype(np.uint8)
    path = write_nifti(tmp_path / "in.nii", values)
    voxcc("label", path, "--multilabel", "--keep-largest", k, "--per-value", "-c", "6", "-o", tmp_path / "out.nii", "--stats", tmp_path / "t.csv")
    every = label_equal_values(values, 6)
    sizes = np.bincount(every.ravel())
    value_of = np.zeros(sizes.size, int)
    value_of[every.ravel()] = values.ravel()
    kept = []
    for value in (1, 2, 3):
        own = np.flatnonzero(value_of == value)
        kept += own[np.argsort(-sizes[own], kind="stable")][:k].tolist()
    numbers = np.zeros(sizes.size, int)
    numbers[sorted(kept)] = np.arange(1, len(kept) + 1)
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), numbers[every])
    assert sorted(row["source_label"] for row in read_table(tmp_path / "t.csv")) == sorted([1, 2, 3] * k)


def test_per_value_needs_other_options(voxcc, tmp_path):
    path = write_nifti(tmp_path / "in.nii", noise((3, 4, 5), 0.5))
    assert "needs --multilabel" in voxcc.fails(64, "label", path, "--keep-largest", "1", "--per-value")
    assert "needs --keep-largest" in voxcc.fails(64, "label", path, "--multilabel", "--per-value")
