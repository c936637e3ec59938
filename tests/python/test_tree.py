"""`voxcc tree` beside labellings of all thresholds by scipy, and beside scikit-image."""

import math

import nibabel
import numpy as np
import pytest
import scipy.ndimage
import skimage.morphology
from helpers import noise, read_nifti, read_table, structure, write_nifti


def labels_at(values, threshold, connectivity):
    return scipy.ndimage.label(values >= threshold, structure(connectivity, values.ndim))


def enhanced(values, connectivity, e, h, step):
    """Threshold-free cluster enhancement of values above 0."""
    heights = np.unique(values[values > 0]) if step is None else np.arange(1, int(values.max() / step) + 1) * step
    weights = np.diff(np.concatenate([[0], heights ** (h + 1)])) / (h + 1) if step is None else heights**h * step
    result = np.zeros(values.shape)
    for height, weight in zip(heights, weights):
        labels, count = labels_at(values, height, connectivity)
        result += np.where(labels > 0, np.bincount(labels.ravel(), minlength=count + 1)[labels] ** e * weight, 0)
    return result


def branches(values, connectivity):
    """Per maximum, by its first voxel: birth, death (NaN: never), voxels, and the maximum that it joins. Outside the tree: -inf."""
    found, flat = {}, values.ravel()
    for threshold in np.unique(values[np.isfinite(values)])[::-1]:
        labels, count = labels_at(values, threshold, connectivity)
        inside = np.flatnonzero(labels)
        order = inside[np.lexsort((inside, -flat[inside]))]
        numbers, first = np.unique(labels.ravel()[order], return_index=True)
        peaks = dict(zip(numbers, order[first]))
        for peak in peaks.values():
            found.setdefault(peak, [flat[peak], math.nan, 0, None])
        sizes = np.bincount(labels.ravel())
        for peak, branch in found.items():
            elder = peaks[labels.ravel()[peak]]
            if not math.isnan(branch[1]):
                continue
            if elder == peak:
                branch[2] = sizes[labels.ravel()[peak]]
            else:
                branch[1], branch[3] = threshold, elder
    return found


def volume(seed, few=False, dtype="float32", shape=(7, 9, 11)):
    values = scipy.ndimage.gaussian_filter(np.random.default_rng(seed).standard_normal(shape), 0.7) * 10
    return np.round(values).astype(dtype) if few else values.astype(dtype)


@pytest.mark.parametrize("connectivity", [6, 18, 26])
@pytest.mark.parametrize("options", [{}, {"e": 1, "h": 0.5}, {"step": 0.7}, {"e": 0.3, "step": 2}])
def test_tfce_equals_all_thresholds(voxcc, tmp_path, connectivity, options):
    values = volume(connectivity)
    write_nifti(tmp_path / "v.nii", values)
    given = [word for name, value in options.items() for word in (f"--tfce-{name}", value)]
    e, h, step = options.get("e", 0.5), options.get("h", 2), options.get("step")
    positive, negative = (enhanced(side.astype("f8"), connectivity, e, h, step) for side in (values, -values))
    for sign, expected in (("positive", positive), ("negative", -negative), ("both", positive - negative)):
        voxcc("tree", "v.nii", "--tfce", "t.nii.gz", "-f", "-c", connectivity, "--sign", sign, *given, cwd=tmp_path)
        np.testing.assert_allclose(read_nifti(tmp_path / "t.nii.gz"), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("sign", ["positive", "negative"])
@pytest.mark.parametrize("few", [False, True])
def test_nodes_equal_all_thresholds(voxcc, tmp_path, sign, few):
    values = volume(3, few)
    values[2:4, 5, 5] = np.nan
    mask = np.random.default_rng(1).random(values.shape) < 0.9
    write_nifti(tmp_path / "v.nii", values), write_nifti(tmp_path / "m.nii", mask.astype("uint8"))
    voxcc("tree", "v.nii", "--mask", "m.nii", "--nodes", "n.csv", "--dynamics", "d.nii", "--sign", sign, "-c", 6, cwd=tmp_path)
    factor = -1 if sign == "negative" else 1
    values = np.where(mask & ~np.isnan(values), values.astype("f8") * factor, -np.inf)
    expected = branches(values, 6)
    rows = read_table(tmp_path / "n.csv")
    nz, ny, nx = values.shape
    voxel = [int(row["peak_i"]) + nx * (int(row["peak_j"]) + ny * int(row["peak_k"])) for row in rows]
    assert voxel == sorted(expected, key=lambda peak: (-expected[peak][0], peak))
    dynamics = read_nifti(tmp_path / "d.nii").ravel()
    for number, (row, peak) in enumerate(zip(rows, voxel), 1):
        birth, death, voxels, parent = expected[peak]
        assert int(row["branch"]) == number and int(row["voxels"]) == voxels
        assert float(row["birth"]) * factor == float(row["peak_value"]) * factor == birth
        assert dynamics[peak] == np.float32(row["dynamics"])
        if parent is None:
            assert row["death"] == row["persistence"] == row["parent"] == "n/a"
            continue
        assert float(row["death"]) * factor == death and float(row["persistence"]) == birth - death
        assert voxel[int(row["parent"]) - 1] == parent
        if expected[parent][0] > birth:
            assert float(row["dynamics"]) == birth - death


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
def test_filters_equal_scikit_image(voxcc, tmp_path, dtype):
    values = np.abs(volume(5, True, "float64")).astype(dtype)
    write_nifti(tmp_path / "v.nii", values)
    for connectivity in (6, 18, 26):
        steps = {6: 1, 18: 2, 26: 3}[connectivity]
        for least in (1, 2, 7, values.size + 1):
            voxcc("tree", "v.nii", "--area-opening", least, "o.nii", "-c", connectivity, "-f", cwd=tmp_path)
            opened = read_nifti(tmp_path / "o.nii")
            assert opened.dtype == values.dtype
            assert np.array_equal(opened, skimage.morphology.area_opening(values, least, steps))
        for height in (1, 2, 5, 1000):
            voxcc("tree", "v.nii", "--h-maxima", height, "h.nii", "-c", connectivity, "-f", cwd=tmp_path)
            assert np.array_equal(read_nifti(tmp_path / "h.nii"), skimage.morphology.h_maxima(values, height, structure(connectivity)))
    voxcc("tree", "v.nii", "--area-opening", 5, "c.nii", "-c", 6, "--sign", "negative", cwd=tmp_path)
    assert np.array_equal(read_nifti(tmp_path / "c.nii"), skimage.morphology.area_closing(values, 5, 1))


def test_counts_equal_labellings(voxcc, tmp_path):
    values = volume(6, True)
    write_nifti(tmp_path / "v.nii", values)
    voxcc("tree", "v.nii", "--counts", "c.csv", cwd=tmp_path)
    rows = [tuple(float(row[name]) for name in ("threshold", "components", "voxels")) for row in read_table(tmp_path / "c.csv")]
    assert rows == [(t, labels_at(values, t, 26)[1], (values >= t).sum()) for t in np.unique(values)]
    voxcc("tree", "v.nii", "--counts", "l.csv", "--thresholds", "0.5,-2,1e9", "--sign", "negative", cwd=tmp_path)
    rows = [tuple(float(row[name]) for name in ("threshold", "components", "voxels")) for row in read_table(tmp_path / "l.csv")]
    assert rows == [(t, labels_at(-values, -t, 26)[1], (values <= t).sum()) for t in (0.5, -2, 1e9)]


def test_scaled_values_are_used(voxcc, tmp_path):
    stored = noise((5, 6, 7), 0.5, 3).astype("int16") * np.arange(7, dtype="int16")
    image = nibabel.Nifti1Image(stored.T, np.eye(4))
    image.header.set_slope_inter(-0.5, 1)
    nibabel.save(image, tmp_path / "s.nii")
    scaled = nibabel.load(tmp_path / "s.nii").get_fdata().T
    voxcc("tree", "s.nii", "--tfce", "t.nii", "--area-opening", 3, "o.nii", "-c", 6, cwd=tmp_path)
    np.testing.assert_allclose(read_nifti(tmp_path / "t.nii"), enhanced(scaled, 6, 0.5, 2, None), rtol=1e-6)
    assert np.array_equal(read_nifti(tmp_path / "o.nii"), skimage.morphology.area_opening(scaled, 3, 1))


def test_threads_formats_and_volumes_give_the_same_values(voxcc, tmp_path):
    values = np.stack([volume(8), volume(9)])
    nibabel.save(nibabel.Nifti1Image(values.transpose(3, 2, 1, 0), np.eye(4)), tmp_path / "f.nii.gz")
    expected = enhanced(values[1].astype("f8"), 26, 0.5, 2, None)
    bytes_of = set()
    for threads in (1, 3):
        voxcc("tree", "f.nii.gz[1]", "--tfce", "t.nii.gz", "-f", "-t", threads, cwd=tmp_path)
        bytes_of.add((tmp_path / "t.nii.gz").read_bytes())
    assert len(bytes_of) == 1
    np.testing.assert_allclose(read_nifti(tmp_path / "t.nii.gz"), expected, rtol=1e-6)
    voxcc("tree", "f.nii.gz", "--volume", 1, "--tfce", "t.npy", cwd=tmp_path)
    np.testing.assert_allclose(np.load(tmp_path / "t.npy").T, expected, rtol=1e-6)
    assert "--volume" in voxcc.fails(64, "tree", "f.nii.gz", "--tfce", "x.nii", cwd=tmp_path)
    voxcc.fails(64, "tree", "f.nii.gz", "--volume", "all", "--tfce", "x.nii", cwd=tmp_path)


def test_images_of_one_slice_and_constant_volumes(voxcc, tmp_path):
    values = volume(10, True, shape=(12, 13))
    np.save(tmp_path / "v.npy", values)
    voxcc("tree", "v.npy", "--tfce", "t.npy", "--h-maxima", 1, "h.npy", cwd=tmp_path)
    np.testing.assert_allclose(np.load(tmp_path / "t.npy"), enhanced(values.astype("f8"), 8, 0.5, 2, None), rtol=1e-6)
    np.save(tmp_path / "c.npy", np.full((3, 4, 5), 2.0))
    voxcc("tree", "c.npy", "--nodes", "n.csv", "--counts", "k.csv", cwd=tmp_path)
    assert [(row["birth"], row["voxels"], row["dynamics"]) for row in read_table(tmp_path / "n.csv")] == [(2, 60, 0)]
    np.save(tmp_path / "n.npy", np.full((3, 4, 5), np.nan))
    voxcc("tree", "n.npy", "--nodes", "e.csv", "--tfce", "z.npy", "--area-opening", 1, "y.npy", cwd=tmp_path)
    assert read_table(tmp_path / "e.csv") == [] and not np.load(tmp_path / "z.npy").any() and not np.load(tmp_path / "y.npy").any()


def test_infinite_values_are_an_error_without_output(voxcc, tmp_path):
    values = volume(11)
    values[0, 0, 0] = np.inf
    write_nifti(tmp_path / "v.nii", values)
    assert "v.nii: has infinite values" in voxcc.fails(65, "tree", "v.nii", "--tfce", "t.nii", cwd=tmp_path)
    assert not (tmp_path / "t.nii").exists()
    values[0, 0, 0] = -np.inf
    write_nifti(tmp_path / "v.nii", values)
    voxcc("tree", "v.nii", "--tfce", "t.nii", cwd=tmp_path)
    voxcc.fails(65, "tree", "v.nii", "--nodes", "n.csv", cwd=tmp_path)


@pytest.mark.parametrize(
    "code, options",
    [
        (64, []),
        (64, ["--h-maxima", "h.nii"]),
        (64, ["--area-opening", "h.nii"]),
        (64, ["--h-maxima", 3, "--nodes", "n.csv"]),
        (64, ["--h-maxima", -3, "h.nii"]),
        (64, ["--h-maxima", 3, "h.nii", "--h-maxima", 4, "i.nii"]),
        (64, ["--thresholds", "1,2", "--nodes", "n.csv"]),
        (64, ["--tfce-e", 1, "--nodes", "n.csv"]),
        (64, ["--tfce", "t.nii", "--tfce-step", 0]),
        (64, ["--tfce", "t.nii", "--tfce-step", 1e-9]),
        (64, ["--tfce", "t.nii", "--tfce-e", "nan"]),
        (64, ["--nodes", "n.csv", "--sign", "both"]),
        (64, ["--nodes", "n.csv", "--counts", "n.csv"]),
        (64, ["--nodes", "n.xyz"]),
        (64, ["--tfce", "t.nii", "-c", 4]),
        (64, ["--area-opening", 2, "o.mgz"]),
        (73, ["--tfce", "v.nii"]),
        (66, ["--tfce", "t.nii", "--mask", "absent.nii"]),
    ],
)
def test_errors(voxcc, tmp_path, code, options):
    write_nifti(tmp_path / "v.nii", volume(12, dtype="float64"))
    voxcc.fails(code, "tree", "v.nii", *options, cwd=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v.nii"]


def test_nan_voxels_of_the_mask_are_reported(voxcc, tmp_path):
    mask = np.ones((4, 5, 6), np.float32)
    mask[1, 2, 3] = np.nan
    write_nifti(tmp_path / "v.nii", np.arange(120, dtype=np.int16).reshape(4, 5, 6))
    write_nifti(tmp_path / "m.nii", mask)
    done = voxcc("tree", "v.nii", "--mask", "m.nii", "--nodes", "n.csv", cwd=tmp_path)
    assert "m.nii: contains NaN in 1 voxel; NaN is outside the mask" in done.stderr
