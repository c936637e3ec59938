"""The choice of foreground by thresholds, inversion and masks; and the table columns for an intensity image."""

import csv
import itertools
import json

import h5py
import nibabel
import numpy as np
import pytest
import scipy.ndimage
import scipy.sparse.csgraph
import tifffile
import SimpleITK as sitk
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
                                  (">=-inf", known), ("-inf:0", image <= 0), (f"<{level}", image < level), (f"<= {level}", image <= level),
                                  (f"{level}:", image >= level), (f":{level}", image <= level), (f"abs>{level}", np.abs(image) > level),
                                  (f"abs >= {level}", np.abs(image) >= level)]:
        np.testing.assert_array_equal(label(voxcc, tmp_path, image, f"--threshold={threshold}"), label_scipy(foreground, 26), err_msg=threshold)
        np.testing.assert_array_equal(label(voxcc, tmp_path, image, f"--threshold={threshold}", "--invert", "-c", "6"),
                                      label_scipy(~foreground & known, 6), err_msg="not " + threshold)


SHAPE = (6, 7, 41)
BOUNDS = (0.1, 0.3, -0.1, 1e-8, 1e-46, 16777217.0, 16777219.0, 3.4e38 * 1.1, -3.4e38 * 1.1)


def around(bounds, dtype):
    """Values directly below, at and above each bound, which is rounded to `dtype`; also infinities, zeros and NaN."""
    with np.errstate(over="ignore"):
        at = np.array(bounds).astype(dtype)
        values = np.concatenate([at, np.nextafter(at, dtype(np.inf)), np.nextafter(at, dtype(-np.inf)),
                                 np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)])
    return np.random.default_rng(3).choice(values, SHAPE).astype(dtype)


def assert_foreground(voxcc, folder, threshold, foreground, *options):
    """Compares all labels. Connectivity 6 gives many components."""
    voxcc("label", folder / "in.nii", f"--threshold={threshold}", "-c", "6", "-o", folder / "out.nii", "-f", *options)
    np.testing.assert_array_equal(read_nifti(folder / "out.nii"), label_scipy(foreground, 6), err_msg=threshold)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.filterwarnings("ignore:overflow")  # for a bound above the largest float32
def test_thresholds_have_the_precision_of_the_voxels(voxcc, tmp_path, dtype, bound):
    """numpy compares a float32 array with a Python number in float32, a float64 array in float64."""
    image = around(BOUNDS, dtype)
    write_nifti(tmp_path / "in.nii", image)
    assert_foreground(voxcc, tmp_path, f">{bound!r}", image > bound)
    assert_foreground(voxcc, tmp_path, f">={bound!r}", image >= bound)
    assert_foreground(voxcc, tmp_path, f"{bound!r}", image >= bound)
    assert_foreground(voxcc, tmp_path, f"{bound!r}:inf", image >= bound)
    assert_foreground(voxcc, tmp_path, f"-inf:{bound!r}", image <= bound)
    assert_foreground(voxcc, tmp_path, f">{bound!r}", ~(image > bound) & ~np.isnan(image), "--invert")


@pytest.mark.parametrize("dtype", (np.uint8, np.int8, np.uint16, np.int16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64))
def test_lists_of_values(voxcc, tmp_path, dtype):
    image = np.random.default_rng(1).integers(0, 9, SHAPE).astype(dtype)
    if np.dtype(dtype).kind == "f":
        image[image == 8], image[image == 7] = np.nan, dtype(0.1)
    write_nifti(tmp_path / "in.nii", image, dtype=dtype)
    known = image == image
    for values in ((3,), (1, 2, 3), (0, 2, 5, 6), (0.1, 4), (-1, 300), (2.5,), tuple(range(0, 9, 2))):
        text, listed = ",".join(map(str, values)), np.isin(image, np.array(values).astype(dtype if known.sum() < image.size else float))
        assert_foreground(voxcc, tmp_path, f"=={text}", listed)
        assert_foreground(voxcc, tmp_path, f"!={text}", ~listed & known)
        assert_foreground(voxcc, tmp_path, f"== {text}", ~listed & known, "--invert")
        assert_foreground(voxcc, tmp_path, f"!={text}", listed, "--invert")


@pytest.mark.parametrize("options", [["-t", "3"], ["--algorithm", "uf"], ["--per-slice", "x", "-c", "4"],
                                     ["--multilabel"]], ids=" ".join)
def test_every_path_through_the_program_compares_in_float32(voxcc, tmp_path, options):
    """The voxels are 0 or the float32 nearest to 0.1. It is greater than 0.1 in float64, but not in float32."""
    image = np.where(np.random.default_rng(4).random((20, 30, 40)) < 0.5, np.float32(0.1), np.float32(0)).astype(np.float32)
    write_nifti(tmp_path / "in.nii", image)
    for threshold, components in ((">0.1", 0), (">=0.1", 1), ("0.1:0.1", 1)):
        done = voxcc("label", tmp_path / "in.nii", "--threshold", threshold, "--device", "cpu", "--json", "-", *options)
        assert (json.loads(done.stdout)["volumes"][0]["components"] > 0) == components, threshold


def test_simpleitk_selects_the_same_voxels(voxcc, tmp_path):
    image = around((0.1, 0.3, 16777217.0), np.float32)
    image[~np.isfinite(image)] = 0
    write_nifti(tmp_path / "in.nii", image)
    for low, high in ((0.1, 0.3), (0.1, 1e9), (0.3, 16777217.0), (-1.0, 0.1)):
        with_itk = sitk.BinaryThreshold(sitk.GetImageFromArray(image), low, high)
        assert_foreground(voxcc, tmp_path, f"{low!r}:{high!r}", sitk.GetArrayFromImage(with_itk) > 0)


@pytest.mark.parametrize("dtype", (np.float32, np.int16, np.uint8))
@pytest.mark.parametrize("slope, intercept", ((0.1, 0.0), (1.0, 0.1), (-0.3, 7.7), (1e-8, 0.0)))
def test_scaled_values_are_compared_in_float64(voxcc, tmp_path, dtype, slope, intercept):
    write_scaled(tmp_path / "in.nii", np.random.default_rng(5).integers(0, 9, SHAPE).astype(dtype), slope, intercept)
    values = nibabel.load(tmp_path / "in.nii").get_fdata().T
    for bound in (*np.unique(values)[1:4], 0.1, 0.3):
        bound = float(bound)
        assert_foreground(voxcc, tmp_path, f">{bound!r}", values > bound)
        assert_foreground(voxcc, tmp_path, f"{bound!r}", values >= bound)
        assert_foreground(voxcc, tmp_path, f"=={bound!r}", values == bound)
        assert_foreground(voxcc, tmp_path, f"<{bound!r}", values < bound)
        assert_foreground(voxcc, tmp_path, f"abs>{abs(bound)!r}", np.abs(values) > abs(bound))
    for level in (37.5, 50, 99):
        assert_foreground(voxcc, tmp_path, f"p{level}", values > np.percentile(values, level))


def write_scaled(path, stored, slope, intercept):
    image = nibabel.Nifti1Image(stored.T, np.eye(4))
    image.header.set_slope_inter(slope, intercept)
    nibabel.save(image, path)
    assert nibabel.load(path).dataobj.slope == np.float32(slope)


def test_integers_are_compared_with_the_real_number(voxcc, tmp_path):
    image = np.random.default_rng(6).choice(np.array([2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, -1, 0, 1]), SHAPE)
    write_nifti(tmp_path / "in.nii", image, dtype=np.int64)
    for bound in (2**53, 2**53 + 1):
        assert_foreground(voxcc, tmp_path, f">{bound}", image > bound)
        assert_foreground(voxcc, tmp_path, f"<={bound}", image <= bound)
        assert_foreground(voxcc, tmp_path, f"=={bound},-1", (image == bound) | (image == -1))
        assert_foreground(voxcc, tmp_path, f"abs>={bound}", image >= bound)
    assert_foreground(voxcc, tmp_path, ">0.1", image >= 1)
    assert_foreground(voxcc, tmp_path, "-0.5:0.5", image == 0)


def otsu(image):
    """The lowest level with the largest variance between the classes. Floats are counted in 256 equal bins, in their own precision."""
    values = image[np.isfinite(image)]
    if image.dtype.kind == "f":
        counts, edges = np.histogram(values, 256)
        centres = (edges[:-1] + edges[1:]) / 2
        assert centres.dtype == image.dtype
    else:
        centres = np.arange(int(values.min()), int(values.max()) + 1)
        counts = np.bincount(values.astype(int) - int(values.min()))
    below, above = np.cumsum(counts)[:-1].astype(float), (counts.sum() - np.cumsum(counts)[:-1]).astype(float)
    sums = np.cumsum(counts * centres.astype(float))
    between = below * above * (sums[:-1] / below - (sums[-1] - sums[:-1]) / above) ** 2
    return centres[np.argmax(between)]


PERCENTILES = (0, 0.1, 37.5, 50, 99, 99.9, 100)


@pytest.mark.parametrize("name", (*IMAGES, "float64"))
def test_levels_from_the_image(voxcc, tmp_path, name):
    image = IMAGES["float"].astype(np.float64) if name == "float64" else IMAGES[name]
    levels = {"otsu": otsu(image), **{f"p{p}": np.nanpercentile(image, p) for p in PERCENTILES}}
    for threshold, level in levels.items():
        np.testing.assert_array_equal(label(voxcc, tmp_path, image, "--threshold", threshold), label_scipy(image > level, 26), err_msg=threshold)


@pytest.mark.parametrize("seed", range(5))
def test_levels_of_few_float32_values(voxcc, tmp_path, seed):
    """Interpolation, bins and comparison must use float32. Voxels equal to a float32 level can differ from a float64 level."""
    random = np.random.default_rng(seed)
    image = (random.integers(0, 7, SHAPE) * random.random(dtype=np.float32)).astype(np.float32)
    write_nifti(tmp_path / "in.nii", image)
    for p in (*PERCENTILES, 10, 25, 75, 90):
        level = np.percentile(image, p)
        assert level.dtype == np.float32
        done = voxcc("label", tmp_path / "in.nii", "--threshold", f"p{p}", "--json", "-")
        assert json.loads(done.stdout)["volumes"][0]["foreground"]["low"] == float(level), p
        assert_foreground(voxcc, tmp_path, f"p{p}", image > level)
    done = voxcc("label", tmp_path / "in.nii", "--threshold", "otsu", "--json", "-")
    assert json.loads(done.stdout)["volumes"][0]["foreground"]["low"] == float(otsu(image))


def test_otsu_of_an_infinite_range_is_an_error(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", np.array([[[-1.7e308, 0, 1.7e308]]]))
    voxcc.fails(65, "label", tmp_path / "in.nii", "--threshold", "otsu")


def test_level_of_one_value_is_an_error(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", np.full((3, 4, 5), 7, np.uint8))
    voxcc.fails(65, "label", tmp_path / "in.nii", "--threshold", "otsu", "-o", tmp_path / "out.nii")


@pytest.mark.parametrize("name", IMAGES)
def test_mask(voxcc, tmp_path, name):
    image, mask = IMAGES[name], blobs(FIELD.shape, 0.6, seed=8)
    write_nifti(tmp_path / "mask.nii.gz", mask)
    np.testing.assert_array_equal(label(voxcc, tmp_path, image, "--threshold", ">0", "--mask", tmp_path / "mask.nii.gz"),
                                  label_scipy((image > 0) & (mask > 0), 26))


NAN_IMAGE = np.random.default_rng(7).choice(np.array([0, 1, 2, np.nan], np.float32), (9, 20, 70), p=(0.4, 0.3, 0.1, 0.2))


@pytest.mark.parametrize("options", [
    [], ["--invert"], ["--threshold", ">1", "--invert"], ["--multilabel"], ["--invert", "--algorithm", "uf"],
    ["--delta", "9"],
    ["--algorithm", "ziegler-links", "--delta", "9"],
    ["--invert", "--per-slice", "x"]], ids=" ".join)
def test_nan_is_background_under_every_rule(voxcc, tmp_path, options):
    labels = label(voxcc, tmp_path, NAN_IMAGE, "--device", "cpu", *options)
    kept = NAN_IMAGE <= 1 if ">1" in options else NAN_IMAGE == 0 if "--invert" in options else NAN_IMAGE > 0
    np.testing.assert_array_equal(labels > 0, kept)


def test_holes_of_nan_are_filled_as_other_background(voxcc, tmp_path):
    image = np.zeros((5, 5, 5), np.float32)
    image[1:4, 1:4, 1:4] = 1
    image[2, 2, 2] = np.nan
    assert label(voxcc, tmp_path, image)[2, 2, 2] == 0
    assert label(voxcc, tmp_path, image, "--fill-holes")[2, 2, 2] == 1


def test_nan_is_outside_the_mask(voxcc, tmp_path):
    write_nifti(tmp_path / "mask.nii", NAN_IMAGE)
    labels = label(voxcc, tmp_path, np.ones_like(NAN_IMAGE), "--mask", tmp_path / "mask.nii")
    np.testing.assert_array_equal(labels > 0, NAN_IMAGE > 0)


@pytest.mark.parametrize("options", [[], ["--invert"], ["--threshold", "p50", "--invert"], ["--threshold=0:1"], ["--multilabel"], ["--fill-holes"],
                                     ["--algorithm", "uf"], ["-t", "1"]], ids=" ".join)
def test_nan_voxels_are_counted(voxcc, tmp_path, options):
    image = write_nifti(tmp_path / "in.nii", NAN_IMAGE)
    write_nifti(tmp_path / "finite.nii", np.ones_like(NAN_IMAGE))
    n = int(np.isnan(NAN_IMAGE).sum())
    common = ["--device", "cpu", "-o", tmp_path / "out.nii", "--intensity", tmp_path / "finite.nii", "--stats", tmp_path / "out.csv", "-f"]
    warnings = [line for line in voxcc("label", image, *common, *options).stderr.splitlines() if "NaN" in line]
    assert warnings == [f"voxcc: warning: {image}: contains NaN in {n} voxels; NaN is always background"]
    warnings = [line for line in voxcc("label", tmp_path / "finite.nii", "--mask", image, *common[:4], "-f", *options).stderr.splitlines()
                if "NaN" in line]
    assert warnings == [f"voxcc: warning: {image}: contains NaN in {n} voxels; NaN is outside the mask"]


@pytest.mark.parametrize("options", [[], ["--invert"], ["--per-slice", "x"], ["-t", "1"]], ids=" ".join)
def test_nan_voxels_are_in_the_summary(voxcc, tmp_path, options):
    image = write_nifti(tmp_path / "in.nii", NAN_IMAGE)
    finite = write_nifti(tmp_path / "finite.nii", np.ones_like(NAN_IMAGE))
    n = int(np.isnan(NAN_IMAGE).sum())

    def counts(*arguments):
        (volume,) = json.loads(voxcc("label", *arguments, "--device", "cpu", "--json", "-", *options).stdout)["volumes"]
        return [volume[name] for name in ("nan_voxels", "nan_voxels_of_mask", "nan_voxels_of_components")]

    assert n > 0 and counts(image) == [n, 0, 0]
    assert counts(finite, "--mask", image)[:2] == [0, n]
    assert counts(finite, "--intensity", image, "--stats", tmp_path / "t.csv") == [0, 0, 0 if "--invert" in options else n]  # all voxels are in the component, or none
    assert counts(finite) == [0, 0, 0]


def test_nan_voxels_of_chunks_are_counted_once(voxcc, tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file.create_dataset("volume", data=NAN_IMAGE, chunks=(4, 7, 33), compression="gzip")
    done = voxcc("label", tmp_path / "in.h5", "-o", tmp_path / "out.nii", "--threshold", "otsu")
    assert f"contains NaN in {np.isnan(NAN_IMAGE).sum()} voxels" in done.stderr


def test_mask_of_another_geometry_is_refused(voxcc, tmp_path):
    image = write_nifti(tmp_path / "image.nii", IMAGES["uint8"])
    write_nifti(tmp_path / "smaller.nii", np.ones((20, 22, 66), np.uint8))
    write_nifti(tmp_path / "moved.nii", np.ones(FIELD.shape, np.uint8), affine=np.diag([1, 1, 2, 1]))
    for name in ("smaller.nii", "moved.nii"):
        assert name in voxcc.fails(65, "label", image, "--mask", tmp_path / name, "-o", tmp_path / "out.nii")
        assert name in voxcc.fails(65, "label", image, "--intensity", tmp_path / name, "--stats", tmp_path / "t.csv")


def test_images_of_another_spacing_are_refused_without_an_affine(voxcc, tmp_path):
    """TIFF stores only a spacing. NIfTI stores an affine; the lengths of its columns are the spacing."""
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
            assert all(text in message for text in (path.name, "image.tif", "0.3 x 0.3 x 1 um", "5 x 5 x 9 um"))
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


def colour_labels(image, most):
    """Labels 1..K by first voxel: all 8 or 26 neighbours are connected if neither is 0 in all channels and their channels differ by at most `most`."""
    foreground = image.any(axis=-1)
    index = np.arange(foreground.size).reshape(foreground.shape)
    pairs = []
    for step in itertools.product((-1, 0, 1), repeat=foreground.ndim):
        if step <= (0,) * foreground.ndim:
            continue  # the opposite step finds the same pairs
        a = tuple(slice(max(0, -d), n - max(0, d)) for d, n in zip(step, foreground.shape))
        b = tuple(slice(max(0, d), n - max(0, -d)) for d, n in zip(step, foreground.shape))
        joined = foreground[a] & foreground[b] & (np.abs(image[a].astype(int) - image[b]).sum(axis=-1) <= most)
        pairs.append(np.stack([index[a][joined], index[b][joined]]))
    ends = np.concatenate(pairs, axis=1)
    graph = scipy.sparse.coo_matrix((np.ones(ends.shape[1]), ends), shape=(foreground.size,) * 2)
    _, component = scipy.sparse.csgraph.connected_components(graph, directed=False)
    component[~foreground.ravel()] = -1
    _, first = np.unique(component, return_index=True)
    order = [component[i] for i in sorted(first) if component[i] >= 0]
    numbers = {c: n for n, c in enumerate(order, start=1)}
    return np.array([numbers.get(c, 0) for c in component]).reshape(foreground.shape)


@pytest.mark.parametrize("algorithm", ["ziegler-gather", "ziegler-max-gather", "ziegler-links", "ziegler-masters", "ziegler-master-slave"])
@pytest.mark.parametrize("channels, type_", [(3, np.uint8), (4, np.uint8), (3, np.uint16)])
def test_colours_of_a_png(voxcc, tmp_path, channels, type_, algorithm):
    rng = np.random.default_rng(channels)
    image = rng.choice(np.array([0, 1, 2, np.iinfo(type_).max], type_), (23, 31, channels), p=(0.5, 0.2, 0.2, 0.1))
    sitk.WriteImage(sitk.GetImageFromArray(image, isVector=True), str(tmp_path / "in.png"))
    for most in (0, 2, 3.5, 1e9):
        voxcc("label", tmp_path / "in.png", "--device", "cpu", "--algorithm", algorithm, "--colour", most, "-o", tmp_path / "out.tif", "-f")
        np.testing.assert_array_equal(tifffile.imread(tmp_path / "out.tif"), colour_labels(image, most))


def test_colours_of_slices(voxcc, tmp_path):
    image = np.random.default_rng(9).choice(np.array([0, 1, 2], np.uint8), (4, 9, 11, 3), p=(0.7, 0.2, 0.1))
    for z, pixels in enumerate(image):
        sitk.WriteImage(sitk.GetImageFromArray(pixels, isVector=True), str(tmp_path / f"s{z}.png"))
    options = "--device", "cpu", "--algorithm", "ziegler-master-slave", "--colour"
    voxcc("label", tmp_path / "s%d.png", *options, 1, "-o", tmp_path / "out.tif")
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "out.tif"), colour_labels(image, 1))
    sitk.WriteImage(sitk.GetImageFromArray(np.zeros((9, 11, 4), np.uint8), isVector=True), str(tmp_path / "s2.png"))
    assert "uint8 x 4" in voxcc.fails(65, "label", tmp_path / "s%d.png", *options, 1)


@pytest.mark.parametrize("name, channels", [("in.png", 3), ("in.png", 4), ("in.jpg", 3), ("in.bmp", 3)])
def test_the_bench_counts_components_of_colours(voxcc, tmp_path, name, channels):
    path = str(tmp_path / name)
    colours = np.random.default_rng(channels).integers(0, 256, (6, 8, channels)).astype(np.uint8)
    sitk.WriteImage(sitk.GetImageFromArray(colours.repeat(4, axis=0).repeat(4, axis=1), isVector=True), path)
    amounts = (0, 150, 300)
    criteria = "equal," + ",".join(f"colour:{most}" for most in amounts)
    table = voxcc("bench", path, "--algorithms", "ziegler-links", "--connectivity", 8, "--criterion", criteria, "--repeat", 1).stdout
    rows = [row for row in csv.DictReader(table.splitlines()) if row["statistic"] == "components"]
    label = "label", path, "--device", "cpu", "--algorithm", "ziegler-links", "--stats", "-", "--colour"
    counts = [len(voxcc(*label, most).stdout.splitlines()) - 1 for most in (0, *amounts)]  # without the header line
    assert [float(row["value"]) for row in rows] == counts and len(set(counts)) == 3
