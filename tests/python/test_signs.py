"""--split-signs: positive and negative voxels never belong to the same component."""

import json

import nibabel
import numpy as np
import pytest
import scipy.ndimage
from helpers import label_scipy, read_nifti, read_table, write_nifti

FIELD = scipy.ndimage.gaussian_filter(np.random.default_rng(3).standard_normal((18, 21, 70)), 1.0) * 8


def joined(positive, negative):
    """Labels of two labellings without common voxels, numbered by first voxel. @return the labels and the sign of each component"""
    both = np.where(positive > 0, positive, np.where(negative > 0, negative + positive.max(), 0)).ravel()
    names, first = np.unique(both, return_index=True)
    order = [name for _, name in sorted(zip(first, names)) if name > 0]
    numbers = np.zeros(both.max() + 1, int)
    numbers[order] = np.arange(1, len(order) + 1)
    return numbers[both].reshape(positive.shape), [1 if name <= positive.max() else -1 for name in order]


def label_signs(values, selected, connectivity):
    return joined(label_scipy(selected & (values > 0), connectivity), label_scipy(selected & (values < 0), connectivity))


def check(voxcc, folder, wanted, *options, image="in.nii"):
    labels, signs = wanted
    voxcc("label", folder / image, "--split-signs", "-o", folder / "out.nii", "--stats", folder / "t.csv", "-f", *options)
    np.testing.assert_array_equal(read_nifti(folder / "out.nii"), labels, err_msg=str(options))
    rows = read_table(folder / "t.csv")
    assert [row["sign"] for row in rows] == signs
    assert [row["voxels"] for row in rows] == list(np.bincount(labels.ravel())[1:])
    assert "source_label" not in rows[0] and list(rows[0]).index("sign") == list(rows[0]).index("touches_border") + 1


@pytest.mark.parametrize("connectivity", (6, 18, 26))
@pytest.mark.parametrize("options", [["--device", "cpu"], ["-t", "1"], ["-t", "3"], ["--max-memory", "13MB", "-t", "1"],
                                     ["--algorithm", "ziegler-links", "--device", "cpu"]], ids=" ".join)
def test_both_parts_are_labelled_separately(voxcc, tmp_path, connectivity, options):
    image = np.where(np.random.default_rng(4).random(FIELD.shape) < 0.05, 0, FIELD).astype(np.float32)
    image[3, 4, 5:9] = np.nan
    write_nifti(tmp_path / "in.nii", image)
    for rule, selected in (("nonzero", ~np.isnan(image)), ("abs>0.8", np.abs(image) > np.float32(0.8)), ("<0.5", image < 0.5),
                           ("-1:1", (image >= -1) & (image <= 1)), (">1", image > 1), ("!=0", ~np.isnan(image))):
        check(voxcc, tmp_path, label_signs(image, selected, connectivity), f"--threshold={rule}", "-c", connectivity, *options)
    check(voxcc, tmp_path, label_signs(image, ~(np.abs(image) > 0.5) & ~np.isnan(image), connectivity), "--threshold", "abs>0.5", "--invert",
          "-c", connectivity, *options)


def test_streamed_in_many_slabs(voxcc, tmp_path):
    image = np.random.default_rng(5).integers(-2, 3, (32, 30, 20)).astype(np.int16).repeat(5, 0).repeat(5, 1).repeat(10, 2)
    write_nifti(tmp_path / "in.nii", image)
    wanted = label_signs(image, image != 0, 6)
    check(voxcc, tmp_path, wanted, "-c", "6")
    options = ["-c", "6", "--max-memory", "16500KB", "-t", "1"]
    assert json.loads(voxcc("label", tmp_path / "in.nii", "--split-signs", "--dry-run", *options).stdout)["volumes"][0]["slabs"] > 1
    check(voxcc, tmp_path, wanted, *options)


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("connectivity", (4, 8))
def test_signs_per_slice(voxcc, tmp_path, axis, connectivity):
    image = np.round(FIELD).astype(np.int8)
    write_nifti(tmp_path / "in.nii", image)
    place = "zyx".index(axis)
    slices = np.moveaxis(image, place, 0)
    labels, signs, count = np.zeros_like(slices, dtype=int), [], 0
    for number, part in enumerate(slices):
        labelled, of_part = label_signs(part, part != 0, connectivity)
        labels[number] = np.where(labelled > 0, labelled + count, 0)
        signs += of_part
        count += len(of_part)
    check(voxcc, tmp_path, (np.moveaxis(labels, 0, place), signs), "--per-slice", axis, "-c", connectivity)


@pytest.mark.parametrize("slope, intercept", ((0.5, -2.0), (-1.5, 3.0)))
def test_signs_are_signs_of_scaled_values(voxcc, tmp_path, slope, intercept):
    stored = np.random.default_rng(6).integers(0, 9, (9, 10, 40)).astype(np.uint8)
    image = nibabel.Nifti1Image(stored.T, np.eye(4))
    image.header.set_slope_inter(slope, intercept)
    nibabel.save(image, tmp_path / "in.nii")
    values = nibabel.load(tmp_path / "in.nii").get_fdata().T
    check(voxcc, tmp_path, label_signs(values, values != 0, 6), "-c", "6")
    check(voxcc, tmp_path, label_signs(values, np.abs(values) >= 1, 18), "-c", "18", "--threshold", "abs>=1")


def test_mask_selection_and_wrapping(voxcc, tmp_path):
    image, mask = FIELD.astype(np.float64), np.random.default_rng(7).random(FIELD.shape) < 0.8
    write_nifti(tmp_path / "in.nii", image)
    write_nifti(tmp_path / "mask.nii", mask.astype(np.uint8))
    wanted = label_signs(image, mask & (np.abs(image) > 0.3), 6)
    check(voxcc, tmp_path, wanted, "-c", "6", "--threshold", "abs>0.3", "--mask", tmp_path / "mask.nii")
    sizes = np.bincount(wanted[0].ravel())
    kept = [label for label in range(1, len(sizes)) if sizes[label] >= 20]
    numbers = np.zeros(len(sizes), int)
    numbers[kept] = np.arange(1, len(kept) + 1)
    check(voxcc, tmp_path, (numbers[wanted[0]], [wanted[1][label - 1] for label in kept]), "-c", "6", "--threshold", "abs>0.3", "--mask",
          tmp_path / "mask.nii", "--min-size", "20")
    plain = read_table_of(voxcc, tmp_path, "--periodic", "x")
    tiled = np.concatenate([image] * 2, axis=2)
    assert len(plain) <= len(label_signs(image, np.abs(image) > 0.3, 6)[1])
    assert {row["sign"] for row in plain} == {-1, 1} and sum(row["voxels"] for row in plain) == (np.abs(tiled) > 0.3).sum() // 2


def read_table_of(voxcc, folder, *options):
    voxcc("label", folder / "in.nii", "--split-signs", "--threshold", "abs>0.3", "-c", "6", "--stats", folder / "p.csv", "-f", *options)
    return read_table(folder / "p.csv")


def test_volumes_without_components(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", np.zeros((3, 4, 5), np.uint8))
    assert voxcc("label", tmp_path / "in.nii", "--split-signs", "--stats", "-").stdout.splitlines()[0].split(",")[-1] == "sign"


@pytest.mark.parametrize("option", (["--multilabel"], ["--delta", "1"], ["--fill-holes"]))
def test_contradictions(voxcc, tmp_path, option):
    write_nifti(tmp_path / "in.nii", np.zeros((3, 4, 5), np.uint8))
    assert option[0] in voxcc.fails(64, "label", tmp_path / "in.nii", "--split-signs", *option)


def test_summary(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", FIELD.astype(np.float32))
    summary = json.loads(voxcc("label", tmp_path / "in.nii", "--split-signs", "--json", "-").stdout)
    assert summary["options"]["split-signs"] == "yes" and summary["joined_by"]["rule"] == "equal signs"
