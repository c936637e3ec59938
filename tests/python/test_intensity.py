"""Compares the measurements of intensity images with numpy and scipy: extremes, moments, percentiles, several images."""

import json
import math
from fractions import Fraction

import nibabel
import numpy as np
import pytest
import scipy.stats
from helpers import blobs, noise, read_nifti, read_table, streaming_limit, voronoi, write_nifti

SHAPE = (21, 33, 70)  # z y x
AFFINE = np.array([[2.0, 0.25, -0.5, 10.0], [-0.125, 1.5, 0.75, -20.5], [0.0, 0.5, 3.0, 1000.25], [0, 0, 0, 1]])
PERCENTILES = [0, 5, 33.3, 50, 99.5, 100]
RANDOM = np.random.default_rng(3)
TYPES = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.float32, np.float64)


def image_of(dtype):
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        return RANDOM.integers(limits.min, limits.max, SHAPE, dtype, endpoint=True)
    values = RANDOM.normal(1000, 3, SHAPE).astype(dtype)
    values[RANDOM.random(SHAPE) < 0.05] = np.nan
    return values


def write_scaled(path, array, slope, inter):
    header = nibabel.Nifti1Header()
    header.set_data_dtype(array.dtype)
    image = nibabel.Nifti1Image(array.T, AFFINE, header)
    nibabel.save(image, path)
    # nibabel would convert the values. The header is changed in the file.
    content = bytearray(path.read_bytes())
    content[112:120] = np.array([slope, inter], "<f4").tobytes()
    path.write_bytes(content)


def scaled_values(path):
    return np.asarray(nibabel.load(path).get_fdata(dtype=np.float64)).T


def expected_of(labels, values, label):
    at = np.argwhere((labels == label) & ~np.isnan(values))
    inside = values[tuple(at.T)]
    if len(inside) == 0:
        return None
    world = lambda p: AFFINE[:3, :3] @ p[::-1] + AFFINE[:3, 3]  # noqa: E731
    peak, minimum = at[inside.argmax()], at[inside.argmin()]
    constant = inside.min() == inside.max()
    return {
        **{f"peak_{a}": peak[::-1][i] for i, a in enumerate("ijk")},
        **{f"minimum_{a}": minimum[::-1][i] for i, a in enumerate("ijk")},
        **{f"peak_{a}_mm": world(peak)[i] for i, a in enumerate("xyz")},
        **{f"minimum_{a}_mm": world(minimum)[i] for i, a in enumerate("xyz")},
        "skewness": "n/a" if constant else scipy.stats.skew(inside),
        "kurtosis": "n/a" if constant else scipy.stats.kurtosis(inside),
        **{f"intensity_p{p}": np.percentile(inside, p) for p in PERCENTILES},
    }


def assert_row(row, expected):
    for name, value in expected.items():
        if value == "n/a" or name.startswith(("peak_i", "minimum_i")):
            assert row[name] == value, name
        else:
            np.testing.assert_allclose(row[name], value, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("scaling", [(1, 0), (-0.5, 3)], ids=["stored", "negative-slope"])
@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: np.dtype(t).name)
def test_columns(voxcc, tmp_path, dtype, scaling):
    write_nifti(tmp_path / "in.nii", blobs(SHAPE, 0.3, seed=4).astype(np.uint8), AFFINE)
    write_scaled(tmp_path / "image.nii", image_of(dtype), *scaling)
    options = ["--intensity", tmp_path / "image.nii", "--percentiles", ",".join(map(str, PERCENTILES))]
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "l.nii", "--stats", tmp_path / "t.csv", *options)
    labels, values = read_nifti(tmp_path / "l.nii"), scaled_values(tmp_path / "image.nii")
    rows = read_table(tmp_path / "t.csv")
    assert len(rows) > 3
    for row in rows:
        expected = expected_of(labels, values, row["label"])
        if expected is None:
            assert row["peak_i"] == row["skewness"] == row["intensity_p50"] == row["minimum_x_mm"] == "n/a"
        else:
            assert_row(row, expected)
    voxcc("stats", tmp_path / "l.nii", "-o", tmp_path / "s.csv", *options)
    keep = lambda row: {name: value for name, value in row.items() if name != "touches_border"}  # noqa: E731
    assert [keep(row) for row in read_table(tmp_path / "s.csv")] == [keep(row) for row in rows]


def root(value):
    """The square root of a fraction, to 300 binary digits."""
    up = 2 * max(0, 300 + value.denominator.bit_length() - value.numerator.bit_length())
    return Fraction(math.isqrt((value.numerator << up) // value.denominator), 1 << up // 2)


def nearest(value):
    try:
        return float(value)
    except OverflowError:
        return "n/a"  # an infinite number


def exact_row(values, at):
    """The columns of a component, from fractions: each is rounded once."""
    v = [Fraction(value) for value in values.tolist()]
    n, total = len(v), sum(v)
    powers = [sum((value - total / n) ** k for value in v) / n for k in range(5)]
    row = {"intensity_mean": total / n, "intensity_sum": total, "intensity_std": root(powers[2])}
    if powers[2] > 0:
        row |= {"skewness": powers[3] / (powers[2] * root(powers[2])), "kurtosis": powers[4] / powers[2] ** 2 - 3}
    if total != 0:
        for axis, name in enumerate("kji"):
            row[f"weighted_centroid_{name}"] = sum(value * int(index) for value, index in zip(v, at[:, axis], strict=True)) / total
    return {name: nearest(value) for name, value in row.items()}


def hostile(kind, dtype):
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    size = np.finfo(dtype)
    match kind:
        case "any-bits":
            values = RANDOM.integers(0, np.iinfo(bits).max, SHAPE, bits, endpoint=True).view(dtype)
            return np.where(np.isfinite(values), values, dtype(0))
        case "cancel":
            values = RANDOM.normal(0, 1, SHAPE).astype(dtype) * size.max
            return np.where(RANDOM.random(SHAPE) < 0.5, np.copysign(size.max, values), RANDOM.normal(0, 1, SHAPE)).astype(dtype)
        case "subnormal":
            return RANDOM.integers(0, 1000, SHAPE).astype(bits).view(dtype)
        case "offset":
            return (dtype(1) + RANDOM.integers(0, 3, SHAPE) * size.eps).astype(dtype)
        case "normal":
            return RANDOM.normal(0, 1, SHAPE).astype(dtype)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("kind", ["any-bits", "cancel", "subnormal", "offset", "normal"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda t: np.dtype(t).name)
def test_results_are_rounded_once(voxcc, tmp_path, dtype, kind):
    labels, image = voronoi(SHAPE, cells=100)[:9], hostile(kind, dtype)[:9]
    write_nifti(tmp_path / "l.nii", labels)
    write_nifti(tmp_path / "image.nii", image)
    voxcc("stats", tmp_path / "l.nii", "--intensity", tmp_path / "image.nii", "-o", tmp_path / "t.csv")
    rows = read_table(tmp_path / "t.csv")
    assert len(rows) > 20
    for row in rows:
        at = np.argwhere(labels == row["label"])
        for name, value in exact_row(image[tuple(at.T)], at).items():
            assert row[name] == value, name


def test_percentiles_equal_numpy_exactly(voxcc, tmp_path):
    labels = voronoi(SHAPE, cells=30)
    write_nifti(tmp_path / "l.nii", labels)
    for dtype in (np.int16, np.float32):
        image = image_of(dtype)
        write_nifti(tmp_path / "image.nii", image)
        voxcc("stats", tmp_path / "l.nii", "--intensity", tmp_path / "image.nii", "--percentiles", "2.5,50,97.5", "-o", tmp_path / "t.csv", "-f")
        for row in read_table(tmp_path / "t.csv"):
            inside = image[labels == row["label"]].astype(np.float64)
            assert [row["intensity_p2.5"], row["intensity_p50"], row["intensity_p97.5"]] == np.nanpercentile(inside, [2.5, 50, 97.5]).tolist()


def test_several_images(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", noise(SHAPE, 0.1).astype(np.uint8))
    for name in ("a", "b"):
        write_nifti(tmp_path / f"{name}.nii", image_of(np.int16))
    percentiles = ["--percentiles", "50"]
    both = ["--intensity", f"ct={tmp_path}/a.nii", "--intensity", f"{tmp_path}/b.nii"]
    voxcc("label", tmp_path / "in.nii", *both, *percentiles, "--stats", tmp_path / "both.csv")
    for prefix, name in (("ct_", "a"), ("", "b")):
        voxcc("label", tmp_path / "in.nii", "--intensity", tmp_path / f"{name}.nii", *percentiles, "--stats", tmp_path / "one.csv", "-f")
        for row, one in zip(read_table(tmp_path / "both.csv"), read_table(tmp_path / "one.csv"), strict=True):
            for column, value in one.items():
                of_image = column.startswith(("intensity_", "weighted_", "peak_", "minimum_", "skewness", "kurtosis"))
                named = prefix + column.removeprefix("intensity_") if of_image and prefix else column
                assert row[named] == value
    # The configuration file and the environment.
    (tmp_path / "c.toml").write_text(f'intensity = ["ct={tmp_path}/a.nii", "{tmp_path}/b.nii"]\npercentiles = [50]\n')
    voxcc("label", tmp_path / "in.nii", "--config", tmp_path / "c.toml", "--stats", tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_bytes() == (tmp_path / "both.csv").read_bytes()


def test_a_file_with_an_equals_sign(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", noise(SHAPE, 0.1).astype(np.uint8))
    write_nifti(tmp_path / "a=b.nii", image_of(np.uint8))
    for path in ("a=b.nii", "./a=b.nii"):
        voxcc("label", "in.nii", "--intensity", path, "--stats", "t.csv", "-f", cwd=tmp_path)
        assert "intensity_mean" in read_table(tmp_path / "t.csv")[0]


@pytest.mark.parametrize("options", [[], ["--per-slice", "z"], ["--multilabel"]], ids=" ".join)
def test_streamed(voxcc, tmp_path, options):
    volume = voronoi((120, 130, 140), cells=60) if options == ["--multilabel"] else blobs((120, 130, 140), 0.4, scale=5).astype(np.uint8)
    write_nifti(tmp_path / "in.nii", volume)
    image = RANDOM.normal(0, 100, volume.shape).astype(np.float32)
    write_nifti(tmp_path / "image.nii", image)
    run = ["label", "in.nii", *options, "--intensity", "image.nii", "--percentiles", "5,50,95", "--stats", "t.csv", "-f"]
    tables = set()
    for threads in (1, 4):
        for limit in ([], streaming_limit(voxcc, *run, "-t", threads, cwd=tmp_path)):
            voxcc(*run, "-t", threads, *limit, cwd=tmp_path)
            tables.add((tmp_path / "t.csv").read_bytes())
    assert len(tables) == 1
    row = max(read_table(tmp_path / "t.csv"), key=lambda row: row["voxels"])
    if not options:
        labels = scipy.ndimage.label(volume, np.ones((3, 3, 3)))[0]
        inside = image[labels == row["label"]].astype(float)
        assert [row["intensity_p5"], row["intensity_p95"]] == np.percentile(inside, [5, 95]).tolist()
        np.testing.assert_allclose(row["kurtosis"], scipy.stats.kurtosis(inside), rtol=1e-9)


def test_slices_across_other_axes(voxcc, tmp_path):
    volume, image = blobs(SHAPE, 0.4).astype(np.uint8), image_of(np.int16)
    write_nifti(tmp_path / "in.nii", volume)
    write_nifti(tmp_path / "image.nii", image)
    for axis, name in enumerate("zyx"):
        voxcc("label", "in.nii", "--per-slice", name, "-o", "l.nii", "--stats", "t.csv", "--intensity", "image.nii", "--percentiles", "50", "-f",
              cwd=tmp_path)
        labels = read_nifti(tmp_path / "l.nii")
        for row in read_table(tmp_path / "t.csv"):
            assert_row(row, {name: value for name, value in expected_of(labels, image.astype(float), row["label"]).items()
                             if name in ("peak_i", "peak_k", "minimum_j", "skewness", "intensity_p50")})


def test_4d_and_batches(voxcc, tmp_path):
    volumes = np.stack([noise(SHAPE, 0.1, seed=s) for s in (1, 2)]).astype(np.uint8)
    write_nifti(tmp_path / "4d.nii", volumes)
    write_nifti(tmp_path / "other.nii", volumes[1])
    write_nifti(tmp_path / "image.nii", image_of(np.int16))
    options = ["--intensity", "pet=image.nii", "--percentiles", "50", "--stats", "t.csv", "-f"]
    voxcc("label", "4d.nii", "--volume", "all", *options, cwd=tmp_path)
    both = read_table(tmp_path / "t.csv")
    voxcc("label", "other.nii", "4d.nii", "--volume", "all", "-j", "2", *options, "--shared", cwd=tmp_path)
    batch = read_table(tmp_path / "t.csv")
    of = lambda rows, volume: [row["pet_p50"] for row in rows if row["volume"] == volume]  # noqa: E731
    other = [row for row in batch if row["file"] == "other.nii"]
    assert [row["pet_p50"] for row in other] == of(both, 1)
    assert [row["pet_p50"] for row in batch if row["file"] == "4d.nii"] == [row["pet_p50"] for row in both]


def test_mistakes(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", noise(SHAPE, 0.1).astype(np.uint8))
    label = ["label", tmp_path / "in.nii", "--stats", tmp_path / "t.csv"]
    image = tmp_path / "in.nii"
    assert "intensity_mean" in voxcc.fails(64, *label, "--intensity", image, "--intensity", image)
    assert "ct_mean" in voxcc.fails(64, *label, "--intensity", f"ct={image}", "--intensity", f"ct={image}")
    assert "--intensity" in voxcc.fails(64, *label, "--percentiles", "50")
    for text in ("101", "a", "5,,95", "-1", "nan"):
        assert "percentages" in voxcc.fails(64, *label, "--intensity", image, f"--percentiles={text}")
    assert "twice" in voxcc.fails(64, *label, "--intensity", image, "--percentiles", "5,5.0")
    assert "names no file" in voxcc.fails(64, *label, "--intensity", "ct=")
    voxcc.fails(66, *label, "--intensity", "ct=missing.nii")
    assert not (tmp_path / "t.csv").exists()


def test_an_image_is_never_overwritten(voxcc, tmp_path):
    for name in ("in", "image"):
        write_nifti(tmp_path / f"{name}.nii", noise(SHAPE, 0.1).astype(np.uint8))
    before = (tmp_path / "image.nii").read_bytes()
    voxcc.fails(73, "label", "in.nii", "--intensity", "ct=image.nii", "-o", "image.nii", "--stats", "t.csv", "-f", cwd=tmp_path)
    assert (tmp_path / "image.nii").read_bytes() == before


def test_provenance_lists_all_images(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", noise(SHAPE, 0.1).astype(np.uint8))
    for name in ("a", "b"):
        write_nifti(tmp_path / f"{name}.nii", image_of(np.float32))
    run = ["label", "in.nii", "--intensity", "x=a.nii", "--intensity", "y=b.nii", "--stats", "t.csv", "--json", "t.json"]
    voxcc(*run, cwd=tmp_path)
    summary = json.loads((tmp_path / "t.json").read_text())
    assert [record["path"] for record in summary["inputs"]] == ["in.nii", "a.nii", "b.nii"]
    assert summary["options"]["intensity"] == "x=a.nii; y=b.nii"
    assert "skipped" in voxcc(*run, "--skip-existing", cwd=tmp_path).stderr
    write_nifti(tmp_path / "b.nii", image_of(np.float32))
    assert "skipped" not in voxcc(*run, "--skip-existing", "-f", cwd=tmp_path).stderr
