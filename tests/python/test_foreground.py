"""Which voxels are foreground: thresholds, inversion, masks; and the columns that an intensity image adds."""

import numpy as np
import pytest
import scipy.ndimage
import tifffile
from helpers import blobs, columns, label_scipy, read_nifti, read_table, write_nifti

FIELD = scipy.ndimage.gaussian_filter(np.random.default_rng(5).standard_normal((20, 22, 67)), 1.5) * 100
IMAGES = {
    "float": np.where(np.random.default_rng(6).random(FIELD.shape) < 0.02, np.nan, FIELD).astype(np.float32),
    "int16": (FIELD * 30).astype(np.int16),
    "uint8": np.clip(FIELD * 3 + 100, 0, 255).astype(np.uint8),
}


def label(voxcc, folder, image, *options):
    write_nifti(folder / "in.nii", image)
    voxcc("label", folder / "in.nii", "-o", folder / "out.nii", "-f", *options)
    return read_nifti(folder / "out.nii")


@pytest.mark.parametrize("name", IMAGES)
def test_fixed_thresholds(voxcc, tmp_path, name):
    image = IMAGES[name]
    level = float(np.nanpercentile(image, 60).round())
    known = ~np.isnan(image)
    for threshold, foreground in [("nonzero", (image != 0) & known), (f">{level}", image > level), (f">={level}", image >= level),
                                  (f"{level}", image >= level), (f"-5:{level}", (image >= -5) & (image <= level)), (">inf", image > np.inf),
                                  (">=-inf", known), ("-inf:0", image <= 0)]:
        np.testing.assert_array_equal(label(voxcc, tmp_path, image, f"--threshold={threshold}"), label_scipy(foreground, 26), err_msg=threshold)
        np.testing.assert_array_equal(label(voxcc, tmp_path, image, f"--threshold={threshold}", "--invert", "-c", "6"),
                                      label_scipy(~foreground, 6), err_msg="not " + threshold)  # NaN is background


def otsu(image):
    """The README's definition: the lowest level that makes the variance between the classes largest; floats in 256 equal bins."""
    values = image[np.isfinite(image)].astype(float)
    if image.dtype.kind == "f":
        counts, edges = np.histogram(values, 256)
        centres = (edges[:-1] + edges[1:]) / 2
    else:
        centres = np.arange(values.min(), values.max() + 1)
        counts = np.bincount((values - values.min()).astype(int))
    below, above = np.cumsum(counts)[:-1], counts.sum() - np.cumsum(counts)[:-1]
    sums = np.cumsum(counts * centres)
    between = below * above * (sums[:-1] / below - (sums[-1] - sums[:-1]) / above) ** 2
    return centres[np.argmax(between)]


@pytest.mark.parametrize("name", IMAGES)
def test_levels_from_the_image(voxcc, tmp_path, name):
    image = IMAGES[name]
    levels = {"otsu": otsu(image), **{f"p{p}": np.nanpercentile(image.astype(float), p) for p in (0, 37.5, 99, 100)}}
    for threshold, level in levels.items():
        np.testing.assert_array_equal(label(voxcc, tmp_path, image, "--threshold", threshold), label_scipy(image > level, 26), err_msg=threshold)


def test_level_of_one_value_is_an_error(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", np.full((3, 4, 5), 7, np.uint8))
    voxcc.fails(65, "label", tmp_path / "in.nii", "--threshold", "otsu", "-o", tmp_path / "out.nii")


@pytest.mark.parametrize("name", IMAGES)
def test_mask(voxcc, tmp_path, name):
    image, mask = IMAGES[name], blobs(FIELD.shape, 0.6, seed=8)
    write_nifti(tmp_path / "mask.nii.gz", mask)
    np.testing.assert_array_equal(label(voxcc, tmp_path, image, "--threshold", ">0", "--mask", tmp_path / "mask.nii.gz"),
                                  label_scipy((image > 0) & (mask > 0), 26))


def test_mask_of_another_geometry_is_refused(voxcc, tmp_path):
    image = write_nifti(tmp_path / "image.nii", IMAGES["uint8"])
    write_nifti(tmp_path / "smaller.nii", np.ones((20, 22, 66), np.uint8))
    write_nifti(tmp_path / "moved.nii", np.ones(FIELD.shape, np.uint8), affine=np.diag([1, 1, 2, 1]))
    for name in ("smaller.nii", "moved.nii"):
        assert name in voxcc.fails(65, "label", image, "--mask", tmp_path / name, "-o", tmp_path / "out.nii")
        assert name in voxcc.fails(65, "label", image, "--intensity", tmp_path / name, "--stats", tmp_path / "t.csv")


def test_images_of_another_spacing_are_refused_without_an_affine(voxcc, tmp_path):
    """TIFF has a spacing only. NIfTI has an affine, whose columns are as long as the spacing."""
    volume = IMAGES["uint8"]

    def tiff(name, xy, z):
        tifffile.imwrite(tmp_path / name, volume, imagej=True, resolution=(1 / xy, 1 / xy), metadata={"unit": "um", "spacing": z, "axes": "ZYX"})
        return tmp_path / name

    image, other = tiff("image.tif", 0.3, 1), tiff("other.tif", 5, 9)
    same = [tiff("same.tif", 0.3, 1), write_nifti(tmp_path / "same.nii", volume, np.diag([-0.3e-3, 0.3e-3, 1e-3, 1]))]
    tifffile.imwrite(tmp_path / "without.tif", volume, metadata=None)
    different = [other, write_nifti(tmp_path / "moved.nii", volume, np.diag([5e-3, 5e-3, 9e-3, 1]))]
    for option in ("--mask", "--intensity"):
        for path in (*same, tmp_path / "without.tif"):
            voxcc("label", image, option, path, "--stats", tmp_path / "t.csv", "-f")
        for path in different:
            message = voxcc.fails(65, "label", image, option, path, "--stats", tmp_path / "u.csv")
            assert all(text in message for text in (path.name, "image.tif", "0.0003 x 0.0003 x 0.001 mm", "0.005 x 0.005 x 0.009 mm"))
        voxcc("label", image, option, other, "--spacing", "1,1,1", "--stats", tmp_path / "t.csv", "-f")
    message = voxcc.fails(65, "stats", image, "--intensity", other, "-o", tmp_path / "u.csv")
    assert "other.tif" in message and "image.tif" in message


@pytest.mark.parametrize("name", IMAGES)
def test_intensity_columns(voxcc, tmp_path, name):
    volume, intensity = blobs(FIELD.shape, 0.3, seed=9), IMAGES[name]
    affine = np.array([[2.0, 0.25, -0.5, 10.0], [-0.125, 1.5, 0.75, -20.5], [0.0, 0.5, 3.0, 1000.25], [0, 0, 0, 1]])
    write_nifti(tmp_path / "in.nii", volume, affine)
    write_nifti(tmp_path / "intensity.nii.gz", intensity, affine)
    voxcc("label", tmp_path / "in.nii", "--stats", tmp_path / "t.csv", "-o", tmp_path / "out.nii", "--intensity", tmp_path / "intensity.nii.gz")
    labels, rows = read_nifti(tmp_path / "out.nii"), read_table(tmp_path / "t.csv")
    assert len(rows) == labels.max() > 5
    for row in rows:
        at = np.argwhere((labels == row["label"]) & ~np.isnan(intensity))
        values = intensity[tuple(at.T)].astype(float)
        expected = [values.mean(), values.std(), values.min(), values.max(), values.sum()]
        np.testing.assert_allclose([row[f"intensity_{what}"] for what in ("mean", "std", "min", "max", "sum")], expected, rtol=1e-9, atol=1e-7)
        if name == "uint8" and values.sum() > 0:
            centre = (at[:, ::-1] * values[:, None]).sum(0) / values.sum()
            np.testing.assert_allclose(columns([row], *(f"weighted_centroid_{axis}" for axis in "ijk"))[0], centre, rtol=1e-9)
