"""Compares the tables of local maxima with a search by definition."""

import numpy as np
import pytest
import scipy.ndimage
from helpers import blobs, read_nifti, read_table, streaming_limit, voronoi, write_nifti

SHAPE = (21, 33, 40)  # z y x
AFFINE = np.diag([2.0, 1.5, 3.0, 1])
RANDOM = np.random.default_rng(9)


def smooth(steps=None, seed=1):
    field = scipy.ndimage.gaussian_filter(np.random.default_rng(seed).normal(size=SHAPE), 1.5).astype(np.float32)
    return field if steps is None else np.round(field * steps).astype(np.int16)


def maxima_of(labels, values, distance=0):
    """[label, value, i, j, k] of each maximum, by label and descending value. Plateaus are the components of equal values."""
    rows = []
    for label in range(1, labels.max() + 1):
        inside = (labels == label) & ~np.isnan(values)
        found = []
        for value in np.unique(values[inside]):
            plateaus, count = scipy.ndimage.label(inside & (values == value), np.ones((3, 3, 3)))
            around = scipy.ndimage.maximum_filter(np.where(inside, values, -np.inf), 3, mode="constant", cval=-np.inf)
            for plateau in range(1, count + 1):
                if around[plateaus == plateau].max() <= value:
                    found.append((-value, int(np.flatnonzero(plateaus.ravel() == plateau)[0])))
        kept = []
        for value, index in sorted(found):
            at = np.array(np.unravel_index(index, labels.shape))[::-1]
            if all(np.linalg.norm(AFFINE[:3, :3] @ (at - other)) >= distance for _, other in kept):
                kept.append((value, at))
        rows += [[label, -value, *at] for value, at in kept]
    return rows


def rows_of(path):
    rows = read_table(path)
    for row in rows:
        position = AFFINE[:3, :3] @ [row["i"], row["j"], row["k"]]
        assert [row["x_mm"], row["y_mm"], row["z_mm"]] == pytest.approx(position.tolist())
    return [[row[name] for name in ("label", "value", "i", "j", "k")] for row in rows]


@pytest.mark.parametrize("distance", (0, 8))
@pytest.mark.parametrize("image", [smooth(), smooth(5), smooth(40), np.full(SHAPE, 3, np.uint8)], ids=["float", "flat", "steps", "constant"])
def test_against_the_definition(voxcc, tmp_path, image, distance):
    write_nifti(tmp_path / "in.nii", blobs(SHAPE, 0.4, seed=2).astype(np.uint8), AFFINE)
    image = image.copy()
    if image.dtype == np.float32:
        image[RANDOM.random(SHAPE) < 0.02] = np.nan
    write_nifti(tmp_path / "image.nii", image, AFFINE)
    options = ["--intensity", "image.nii", "--local-maxima", "m.csv", "--peak-distance", distance, "-f"]
    voxcc("label", "in.nii", "-o", "l.nii", *options, cwd=tmp_path)
    expected = maxima_of(read_nifti(tmp_path / "l.nii"), image.astype(float), distance)
    assert rows_of(tmp_path / "m.csv") == expected
    voxcc("stats", "l.nii", "-o", "t.csv", *options, cwd=tmp_path)
    assert rows_of(tmp_path / "m.csv") == expected


def test_the_greatest_maximum_is_the_peak(voxcc, tmp_path):
    image = smooth(30)
    write_nifti(tmp_path / "image.nii", image, AFFINE)
    voxcc("label", "image.nii", "--threshold", ">2", "--intensity", "image.nii", "--stats", "t.csv", "--local-maxima", "m.csv", cwd=tmp_path)
    first = {}
    for row in rows_of(tmp_path / "m.csv"):
        first.setdefault(row[0], row)
    assert list(first.values()) == [[r["label"], r["intensity_max"], r["peak_i"], r["peak_j"], r["peak_k"]] for r in read_table(tmp_path / "t.csv")]


def test_peaks_of_negative_components_are_minima(voxcc, tmp_path):
    image = smooth()
    write_nifti(tmp_path / "image.nii", image, AFFINE)
    run = ["label", "image.nii", "--threshold", "abs>0.08", "--split-signs", "-o", "l.nii", "--intensity", "image.nii", "--local-maxima", "m.csv", "-f"]
    for distance in (0, 8):
        voxcc(*run, "--peak-distance", distance, "--min-size", 5, "--sort", "size", cwd=tmp_path)
        labels = read_nifti(tmp_path / "l.nii")
        signs = {label: np.sign(image[labels == label][0]) for label in np.unique(labels)[1:]}
        assert set(signs.values()) == {1, -1}
        sign = np.vectorize(lambda label: signs.get(label, 1))(labels)
        mirrored = maxima_of(labels, image.astype(float) * sign, distance)
        assert rows_of(tmp_path / "m.csv") == [[label, value * signs[label], *at] for label, value, *at in mirrored]


def test_negative_slope(voxcc, tmp_path):
    image = smooth(20)
    write_nifti(tmp_path / "in.nii", voronoi(SHAPE, cells=8), AFFINE)
    write_nifti(tmp_path / "image.nii", image, AFFINE)
    content = bytearray((tmp_path / "image.nii").read_bytes())
    content[112:120] = np.array([-2, 5], "<f4").tobytes()
    (tmp_path / "image.nii").write_bytes(content)
    voxcc("label", "in.nii", "--multilabel", "-o", "l.nii", "--intensity", "image.nii", "--local-maxima", "m.csv", cwd=tmp_path)
    assert rows_of(tmp_path / "m.csv") == maxima_of(read_nifti(tmp_path / "l.nii"), image * -2.0 + 5)


def test_several_images_and_volumes(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", blobs(SHAPE, 0.4, seed=2).astype(np.uint8), AFFINE)
    write_nifti(tmp_path / "4d.nii", np.stack([blobs(SHAPE, 0.4, seed=s) for s in (2, 3)]).astype(np.uint8), AFFINE)
    own = {}
    for seed, name in enumerate("ab"):
        write_nifti(tmp_path / f"{name}.nii", smooth(seed=seed), AFFINE)
        voxcc("label", "in.nii", "--intensity", f"{name}.nii", "--local-maxima", f"m{name}.csv", cwd=tmp_path)
        own[name] = read_table(tmp_path / f"m{name}.csv")
    both = ["--intensity", "a.nii", "--intensity", "pet=b.nii", "--local-maxima", "m.csv", "-f"]
    voxcc("label", "in.nii", *both, cwd=tmp_path)
    expected = [{**row, "intensity": "n/a"} for row in own["a"]] + [{**row, "intensity": "pet"} for row in own["b"]]
    assert read_table(tmp_path / "m.csv") == expected
    voxcc("label", "in.nii", "4d.nii", "--volume", "all", *both, "--shared", "-j", "2", cwd=tmp_path)
    rows = read_table(tmp_path / "m.csv")
    assert {(row["file"], row["volume"]) for row in rows} == {("in.nii", 0), ("4d.nii", 0), ("4d.nii", 1)}
    place = ("file", "volume")
    assert [{k: v for k, v in row.items() if k not in place} for row in rows if row["file"] == "4d.nii" and row["volume"] == 0] == expected


@pytest.mark.parametrize("axis", "xyz")
def test_slices(voxcc, tmp_path, axis):
    image = smooth(20)
    write_nifti(tmp_path / "in.nii", blobs(SHAPE, 0.4).astype(np.uint8), AFFINE)
    write_nifti(tmp_path / "image.nii", image, AFFINE)
    voxcc("label", "in.nii", "--per-slice", axis, "-o", "l.nii", "--intensity", "image.nii", "--local-maxima", "m.csv", cwd=tmp_path)
    assert rows_of(tmp_path / "m.csv") == maxima_of(read_nifti(tmp_path / "l.nii"), image.astype(float))


def test_streamed(voxcc, tmp_path):
    shape = (120, 130, 140)
    write_nifti(tmp_path / "in.nii", blobs(shape, 0.4, scale=5).astype(np.uint8), AFFINE)
    image = scipy.ndimage.gaussian_filter(RANDOM.normal(size=shape), 2)
    write_nifti(tmp_path / "image.nii", np.round(image * 100).astype(np.int16), AFFINE)
    run = ["label", "in.nii", "--intensity", "image.nii", "--local-maxima", "m.csv", "--peak-distance", "10", "-f"]
    tables = set()
    for threads in (1, 4):
        for limit in ([], streaming_limit(voxcc, *run, "-t", threads, cwd=tmp_path)):
            voxcc(*run, "-t", threads, *limit, cwd=tmp_path)
            tables.add((tmp_path / "m.csv").read_bytes())
    assert len(tables) == 1


def test_mistakes(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", voronoi(SHAPE, cells=20))
    label = ["label", "in.nii"]
    assert "--intensity" in voxcc.fails(64, *label, "--local-maxima", "x.csv", cwd=tmp_path)
    assert "--local-maxima" in voxcc.fails(64, *label, "--intensity", "in.nii", "--peak-distance", "3", cwd=tmp_path)
    image = ["--intensity", "in.nii", "--local-maxima", "x.csv"]
    assert "--periodic" in voxcc.fails(64, *label, *image, "--periodic", "x", cwd=tmp_path)
    for distance in ("-1", "near"):
        voxcc.fails(64, *label, *image, f"--peak-distance={distance}", cwd=tmp_path)
    assert "also the file" in voxcc.fails(64, *label, *image, "--stats", "x.csv", cwd=tmp_path)
    assert "also the file" in voxcc.fails(64, "stats", "in.nii", "-o", "x.csv", *image, cwd=tmp_path)
    content = bytearray((tmp_path / "in.nii").read_bytes())
    content[252:256] = np.array([0, 1], "<i2").tobytes()  # only the sform, with a row of zeros
    content[296:312] = bytes(16)
    (tmp_path / "flat.nii").write_bytes(content)
    message = voxcc.fails(64, "label", "flat.nii", "--intensity", "flat.nii", "--local-maxima", "x.csv", "--peak-distance", "3", cwd=tmp_path)
    assert "--spacing" in message
    assert not list(tmp_path.glob("x*"))
    voxcc("label", "flat.nii", "--intensity", "flat.nii", "--local-maxima", "x.csv", cwd=tmp_path)
    assert read_table(tmp_path / "x.csv")[0]["x_mm"] == "n/a"
