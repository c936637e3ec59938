"""Levels of --threshold that are computed from the image, compared with scikit-image and numpy."""

import json

import nibabel
import numpy as np
import pytest
import scipy.ndimage
from helpers import label_scipy, read_nifti, write_nifti
from skimage.filters import threshold_li, threshold_triangle, threshold_yen

SCIKIT_IMAGE = {"li": threshold_li, "triangle": threshold_triangle, "yen": threshold_yen}
INTEGERS = {"uint8": (20, 60), "int8": (12, 0), "uint16": (300, 1000), "int16": (500, 0), "int32": (1000, -1234567), "uint32": (900, 123456)}


def field(seed):
    """Random values of several distributions, with a standard deviation of about 1."""
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(4, 30, 3))
    noise = random.normal(0, 1, shape)
    return [noise, random.gamma(1.5, 1, shape), np.where(random.random(shape) < 0.3, noise + 5, noise), np.round(noise * 3),
            scipy.ndimage.gaussian_filter(noise, 1) * 4][seed % 5]


def foreground_of(voxcc, path, threshold):
    done = voxcc("label", path, "--threshold", threshold, "--device", "cpu", "--json", "-", "-q")
    return json.loads(done.stdout)["volumes"][0]["foreground"]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("seed", range(10))
def test_levels_of_integers_equal_scikit_image(voxcc, tmp_path, dtype, seed):
    factor, offset = INTEGERS[dtype]
    limits = np.iinfo(dtype)
    # scikit-image subtracts the minimum in the type of the image, so the range must not be wider than half of a signed type.
    half = limits.max // 2 if limits.min < 0 else 0
    image = (field(seed) * factor + offset).clip(-half if half else 0, half or limits.max).astype(dtype)
    path = write_nifti(tmp_path / "in.nii", image)
    for name, function in SCIKIT_IMAGE.items():
        assert foreground_of(voxcc, path, name) == {"rule": ">", "low": float(function(image)), "invert": False}, name


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("seed", range(20))
def test_levels_of_floats_equal_scikit_image(voxcc, tmp_path, dtype, seed):
    scale = 10.0 ** (seed % 4 * 3 - 4)
    image = (field(seed) * scale - scale * (seed % 3)).astype(dtype)
    path = write_nifti(tmp_path / "in.nii", image)
    for name in ("triangle", "yen"):
        assert foreground_of(voxcc, path, name)["low"] == float(SCIKIT_IMAGE[name](image)), name
    # scikit-image rounds the means of float32 images to float32.
    level, want = foreground_of(voxcc, path, "li")["low"], float(threshold_li(image.copy()))
    assert abs(level - want) <= (1e-6 if dtype == np.float32 else 1e-9) * np.ptp(image)
    voxcc("label", path, "--threshold", "li", "-o", tmp_path / "out.nii", "-c", "6")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(image > dtype(want), 6))


def test_values_that_are_not_finite_are_left_out(voxcc, tmp_path):
    image = field(2).astype(np.float32)
    finite = write_nifti(tmp_path / "finite.nii", image)
    with_others = np.concatenate([image, np.full_like(image[:3], np.nan), np.full_like(image[:1], np.inf), np.full_like(image[:1], -np.inf)])
    other = write_nifti(tmp_path / "other.nii", with_others)
    for name in (*SCIKIT_IMAGE, "otsu", "40%"):
        assert foreground_of(voxcc, other, name)["low"] == foreground_of(voxcc, finite, name)["low"], name


@pytest.mark.parametrize("slope, intercept", ((2.5, -7.0), (-0.5, 100.0)))
def test_levels_of_scaled_integers(voxcc, tmp_path, slope, intercept):
    stored = (field(2) * 20 + 60).clip(0, 255).astype(np.uint8)
    image = nibabel.Nifti1Image(stored.T, np.eye(4))
    image.header.set_slope_inter(slope, intercept)
    nibabel.save(image, tmp_path / "in.nii")
    ascending = stored if slope > 0 else 255 - stored
    for name, function in SCIKIT_IMAGE.items():
        level = function(ascending) if slope > 0 else 255 - function(ascending)
        assert foreground_of(voxcc, tmp_path / "in.nii", name)["low"] == pytest.approx(level * slope + intercept, rel=1e-12), name


def test_wide_integers(voxcc, tmp_path):
    """Integers that span 2^24 values or more are counted in 256 bins or, for li, by their leading bits."""
    image = (np.random.default_rng(4).gamma(2, 1, (9, 20, 30)) * 2**40).astype(np.int64) - 2**43
    path = write_nifti(tmp_path / "in.nii", image, dtype=np.int64)
    floats = image.astype(np.float64)
    for name, function in SCIKIT_IMAGE.items():
        assert foreground_of(voxcc, path, name)["low"] == pytest.approx(float(function(floats.copy())), abs=1e-9 * np.ptp(floats)), name


@pytest.mark.parametrize("dtype", (np.uint8, np.int16, np.int32, np.float32, np.float64))
def test_part_of_the_range(voxcc, tmp_path, dtype):
    image = (field(0) * 30 + 80).clip(0, 255).astype(dtype)
    path = write_nifti(tmp_path / "in.nii", image)
    least, largest = float(image.min()), float(image.max())
    for percent in (0, 12.5, 40, 41, 99.9, 100):
        level = largest if percent == 100 else least + percent / 100 * (largest - least)
        assert foreground_of(voxcc, path, f"{percent}%") == {"rule": ">=", "low": level, "invert": False}
        voxcc("label", path, "--threshold", f"{percent}%", "-o", tmp_path / "out.nii", "-c", "6", "-f")
        np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(image >= dtype(level) if dtype in (np.float32, np.float64)
                                                                                   else image >= level, 6))


@pytest.mark.parametrize("name", (*SCIKIT_IMAGE, "otsu", "40%"))
@pytest.mark.parametrize("value", (0, 7, 200))
def test_level_of_one_value_is_an_error(voxcc, tmp_path, name, value):
    for dtype in (np.uint8, np.float32):
        path = write_nifti(tmp_path / "in.nii", np.full((3, 4, 5), value, dtype))
        assert "two different finite values" in voxcc.fails(65, "label", path, "--threshold", name, "-o", tmp_path / "out.nii")
        assert not (tmp_path / "out.nii").exists()


@pytest.mark.parametrize("name", (*SCIKIT_IMAGE, "otsu", "40%"))
def test_level_does_not_depend_on_threads_and_memory(voxcc, tmp_path, name):
    image = np.random.default_rng(8).normal(0, 1, (64, 300, 200)).astype(np.float32)
    path = write_nifti(tmp_path / "in.nii.gz", image)
    outputs = []
    for options in (["-t", "1"], ["-t", "3"], ["--max-memory", "24MB", "-t", "1"]):
        voxcc("label", path, "--threshold", name, "--device", "cpu", "-o", tmp_path / "out.nii", "-f", *options)
        outputs.append((tmp_path / "out.nii").read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]


def test_one_level_for_a_batch(voxcc, tmp_path):
    images = {name: (field(2) * factor).astype(np.float32) for name, factor in (("a", 1), ("b", 2), ("c", 0.5))}
    for name, image in images.items():
        write_nifti(tmp_path / f"{name}.nii", image)
    for options, rule in (([], "otsu"), (["--threshold", "p90"], "p90"), (["--threshold", "30 %"], "30%"), (["--threshold", "li", "-j", "2"], "li")):
        level = foreground_of(voxcc, tmp_path / "b.nii", rule)["low"]
        voxcc("label", *(tmp_path / f"{name}.nii" for name in images), "--threshold-from", tmp_path / "b.nii", *options, "-c", "6", "-f",
              "-o", tmp_path / "{stem}_out.nii", "--json", tmp_path / "all.json")
        summary = json.loads((tmp_path / "all.json").read_text())
        assert {volume["foreground"]["low"] for volume in summary["volumes"]} == {level}
        assert summary["options"]["threshold"] == rule and summary["options"]["threshold-from"] == str(tmp_path / "b.nii")
        for name, image in images.items():
            selected = image >= np.float32(level) if rule == "30%" else image > np.float32(level)
            np.testing.assert_array_equal(read_nifti(tmp_path / f"{name}_out.nii"), label_scipy(selected, 6), err_msg=f"{name} {rule}")


def test_file_of_the_level(voxcc, tmp_path):
    image = write_nifti(tmp_path / "in.nii", field(1).astype(np.float32))
    level = write_nifti(tmp_path / "level.nii", field(2).astype(np.float32))
    summary = json.loads(voxcc("label", image, "--threshold-from", level, "--json", "-").stdout)
    assert [record["path"] for record in summary["inputs"]] == [str(image), str(level)]
    voxcc.fails(66, "label", image, "--threshold-from", tmp_path / "none.nii", "-o", tmp_path / "out.nii")
    voxcc.fails(73, "label", image, "--threshold-from", level, "-o", level, "-f")
    for rule in (">3", "nonzero", "2:5"):
        assert "--threshold-from" in voxcc.fails(64, "label", image, "--threshold-from", level, "--threshold", rule)
    constant = write_nifti(tmp_path / "constant.nii", np.ones((3, 4, 5), np.uint8))
    assert "constant.nii" in voxcc.fails(65, "label", image, "--threshold-from", constant, "-o", tmp_path / "out.nii")
    assert not (tmp_path / "out.nii").exists()
    repeated = ["label", image, "--threshold-from", level, "-o", tmp_path / "out.nii", "--json", tmp_path / "out.json", "--skip-existing"]
    voxcc(*repeated)
    assert "is skipped" in voxcc(*repeated).stderr
    write_nifti(level, field(3).astype(np.float32))
    assert "is skipped" not in voxcc(*repeated).stderr


def test_note_on_the_option_t(voxcc, tmp_path):
    """FSL users write -t 3 for a threshold."""
    values = write_nifti(tmp_path / "values.nii", field(0).astype(np.float32))
    mask = write_nifti(tmp_path / "mask.nii", np.where(field(0) > 0, np.float32(1), np.float32(np.nan)))

    def noted(*arguments):
        return "number of threads" in voxcc("label", "--device", "cpu", *arguments).stderr

    for arguments in ([values, "-t", "3"], ["-t", "1", mask, values], [values, "-t", "2", "--per-slice", "x"]):
        assert noted(*arguments)
    for arguments in ([mask, "-t", "3"], [values, "--threads", "3"], [values], [values, "-t", "3", "-q"], [values, "-t", "3", "--multilabel"],
                      [values, "-t", "3", "--threshold", ">0"], [values, "-t", "2", "--threshold", "nonzero"]):
        assert not noted(*arguments), arguments
    assert voxcc("label", values, values, "-t", "2").stderr.count("number of threads") == 1


@pytest.mark.parametrize("dtype", (np.uint8, np.int16, np.float32, np.float64))
def test_levels_inside_the_mask(voxcc, tmp_path, dtype):
    """Levels of an image with a mask are the levels of the values inside the mask."""
    from skimage.filters import threshold_otsu

    functions = SCIKIT_IMAGE | {"otsu": threshold_otsu, "p99": lambda v: np.percentile(v, 99), "p50": np.median,
                                "40%": lambda v: float(v.min()) + 0.4 * (float(v.max()) - float(v.min()))}
    for seed in range(5):
        image = (field(seed) * 20 + 60).clip(0, 250).astype(dtype)
        random = np.random.default_rng(seed)
        mask = np.where(scipy.ndimage.gaussian_filter(random.normal(size=image.shape), 1) > 0, random.uniform(-2, 2, image.shape), 0)
        mask = mask.astype(np.float32)
        mask[0, 0, :2] = np.nan
        inside = image[(mask != 0) & ~np.isnan(mask)]
        image[mask == 0] = image[mask == 0][::-1]  # does not count
        path, within = write_nifti(tmp_path / "in.nii", image), write_nifti(tmp_path / "mask.nii", mask)
        for name, function in functions.items():
            done = voxcc("label", path, "--mask", within, "--threshold", name, "--device", "cpu", "--json", "-", "-q")
            level = json.loads(done.stdout)["volumes"][0]["foreground"]["low"]
            wanted = float(function(inside.astype(np.float64) if name == "li" else inside))
            tolerance = 1e-6 * float(np.ptp(inside)) if name in ("li", "p99", "p50", "40%") else 0
            assert abs(level - wanted) <= tolerance, (name, seed)


def test_a_mask_without_values_has_no_level(voxcc, tmp_path):
    image = write_nifti(tmp_path / "in.nii", (field(0) * 9).astype(np.float32))
    mask = write_nifti(tmp_path / "mask.nii", np.zeros_like(field(0), np.uint8))
    for name in (*SCIKIT_IMAGE, "otsu", "p99", "40%"):
        assert "inside the mask" in voxcc.fails(65, "label", image, "--mask", mask, "--threshold", name, "--stats", tmp_path / "t.csv")
    assert not (tmp_path / "t.csv").exists()
