"""--periodic: measures of components that cross an end of the volume, against a model that searches voxel by voxel (periodic_model.py)."""

import itertools
import json
import random

import numpy as np
import pytest
import scipy.ndimage
from helpers import blobs, noise, read_nifti, read_table, streaming_limit, voronoi, write_nifti
from parts_steps import in_parts
from periodic_model import euler_number, exposed_faces, search

DIAGONAL = np.diag([0.5, 2, 3, 1.0])
SHEARED = np.array([[2.0, 0.25, 0, 10.0], [-0.125, 1.5, 0, -20.5], [0.0, 0.5, 3.0, 1000.25], [0, 0, 0, 1]])
AXIS_SETS = ["".join(axes) for n in (1, 2, 3) for axes in itertools.combinations("xyz", n)]
INDICES = "kji"  # of the axes of an array
LETTERS = "zyx"

JOINS = {(): lambda a, b: True, ("--multilabel",): lambda a, b: a == b, ("--delta", "1"): lambda a, b: abs(int(a) - int(b)) <= 1}


def random_volume(rng, shape, most):
    return (rng.integers(1, most + 1, shape) * (rng.random(shape) < rng.choice([0.04, 0.08, 0.15, 0.3, 0.5, 1.0]))).astype(np.uint8)


def rows_per_file(voxcc, folder, volumes, *options, affine):
    """The rows of the tables of several volumes, which one run labels."""
    paths = [write_nifti(folder / f"v{number}.nii", volume, affine) for number, volume in enumerate(volumes)]
    voxcc("label", *paths, "--stats", folder / "t.csv", "-f", "--device", "cpu", *options)
    rows = {str(path): [] for path in paths}
    for row in read_table(folder / "t.csv"):
        rows[row["file"]].append(row)
    return list(rows.values())


def value(cell):
    return np.nan if cell == "n/a" else float(cell)


def check_close(row, names, wanted, tolerance=1e-9):
    got = np.array([value(row[name]) for name in names])
    np.testing.assert_allclose(got, np.ravel(wanted).astype(float), rtol=1e-9, atol=tolerance, err_msg=str(names))


def check_index_columns(row, component):
    check_close(row, [f"centroid_{i}" for i in INDICES], component.centroid())
    box = np.where(component.wraps[:, None], np.nan, component.box())
    check_close(row, [f"bbox_{i}_{end}" for i in INDICES for end in ("min", "max")], box, 0)
    covariance = component.covariance()[::-1, ::-1]  # i j k
    check_close(row, ["cov_ii", "cov_ij", "cov_ik", "cov_jj", "cov_jk", "cov_kk"], covariance[np.triu_indices(3)])
    axes = "".join(LETTERS[axis] for axis in (2, 1, 0) if component.wraps[axis])
    assert row["wraps"] == (axes or "none")
    low, high = component.stored.min(0), component.stored.max(0)
    faces = (np.array(component.shape) > 1) & ~component.periodic & ((low == 0) | (high == component.shape - 1))
    assert row["touches_border"] == int(faces.any())


def masked_product(matrix, values):
    """matrix @ values. A term with a NaN counts only if its factor is not 0."""
    return np.where(matrix != 0, matrix * np.where(matrix != 0, values, 0), 0).sum(-1)


def check_world_columns(row, component, affine):
    turned = affine[:3, :3]
    position = masked_product(turned, component.centroid()[::-1]) + affine[:3, 3]
    check_close(row, ["centroid_x_mm", "centroid_y_mm", "centroid_z_mm"], position, 1e-7)
    covariance = component.covariance()[::-1, ::-1]
    in_space = np.array([[masked_product(np.outer(turned[r], turned[q]).ravel(), covariance.ravel()) for q in range(3)] for r in range(3)])
    names = ["cov_xx_mm2", "cov_xy_mm2", "cov_xz_mm2", "cov_yy_mm2", "cov_yz_mm2", "cov_zz_mm2"]
    check_close(row, names, in_space[np.triu_indices(3)], 1e-7)
    axes = ["axis1_mm", "axis2_mm", "axis3_mm"]
    if component.wraps.any():
        assert {row[name] for name in [*axes, "elongation", "flatness"]} == {"n/a"}
    else:
        check_close(row, axes, np.sqrt(np.maximum(np.linalg.eigvalsh(in_space)[::-1], 0)), 2e-6)
    assert row["volume_mm3"] == pytest.approx(len(component.stored) * abs(np.linalg.det(turned)), rel=1e-12)


def feret(component, affine):
    points = component.corners((0, 1, 2))[:, ::-1] @ affine[:3, :3].T
    return max(np.sqrt(((points - point) ** 2).sum(1)).max() for point in points)


def check_shape_columns(row, component, connectivity, affine):
    step = affine[:3, :3].T  # of i, j, k
    areas = [np.linalg.norm(np.cross(step[a], step[b])) for a, b in ((1, 2), (0, 2), (0, 1))]
    exposed = exposed_faces(component, (0, 1, 2))[::-1]
    assert row["surface_faces_mm2"] == pytest.approx(np.dot(exposed, areas), rel=1e-9)
    assert row["euler_number"] == euler_number(component, connectivity, (0, 1, 2))
    directions = [f"axis{n}_{axis}" for n in (1, 2, 3) for axis in "xyz"]
    lengths = [f"axis{n}_length_mm" for n in (1, 2, 3)]
    if component.wraps.any():
        assert {row[name] for name in ["extent", "feret_mm", *directions, *lengths]} == {"n/a"}
        return
    assert row["extent"] == pytest.approx(len(component.stored) / np.prod(np.diff(component.box()) + 1), rel=1e-12)
    assert row["feret_mm"] == pytest.approx(feret(component, affine), rel=1e-9)
    check_close(row, lengths, [4 * row[f"axis{n}_mm"] for n in (1, 2, 3)])
    vectors = np.array([row[name] for name in directions], float).reshape(3, 3)
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(3), atol=1e-9)


def test_a_block_that_crosses_an_end(voxcc, tmp_path):
    volume = np.zeros((6, 6, 20), np.uint8)
    volume[2:4, 2:4, :2] = volume[2:4, 2:4, 17:] = 1
    (row,) = rows_per_file(voxcc, tmp_path, [volume, volume], "--periodic", "x", "--shape", affine=np.eye(4))[0]
    assert row["centroid_i"] == 19 and row["centroid_x_mm"] == 19 and (row["bbox_i_min"], row["bbox_i_max"]) == (17, 21)
    assert row["axis1_mm"] == pytest.approx(np.sqrt(2)) and row["feret_mm"] == pytest.approx(np.sqrt(33))
    assert row["extent"] == 1 and row["surface_faces_mm2"] == 48 and row["euler_number"] == 1
    assert row["wraps"] == "none" and row["touches_border"] == 0


def test_a_component_that_wraps_around(voxcc, tmp_path):
    volume = np.zeros((5, 6, 7), np.uint8)
    volume[:, 2, 3] = volume[1, 2, 2] = 1
    (row,) = rows_per_file(voxcc, tmp_path, [volume, volume], "--periodic", "z", "--shape", affine=DIAGONAL)[0]
    assert row["wraps"] == "z" and row["voxels"] == 6 and row["volume_mm3"] == 18
    missing = ["centroid_k", "centroid_z_mm", "bbox_k_min", "bbox_k_max", "cov_ik", "cov_jk", "cov_kk", "cov_xz_mm2", "cov_yz_mm2", "cov_zz_mm2",
               "axis1_mm", "axis2_mm", "axis3_mm", "elongation", "flatness", "extent", "feret_mm", "axis1_x", "axis3_length_mm"]
    assert {row[name] for name in missing} == {"n/a"}
    assert row["centroid_i"] == pytest.approx(17 / 6) and row["centroid_y_mm"] == 4 and (row["bbox_i_min"], row["bbox_i_max"]) == (2, 3)
    assert row["surface_faces_mm2"] == 5 * 2 * (0.5 * 3 + 2 * 3) + 2 * (0.5 * 2 + 0.5 * 3) and row["euler_number"] == 0


@pytest.mark.parametrize("axes", AXIS_SETS)
@pytest.mark.parametrize("connectivity", [6, 18, 26])
def test_random_volumes(voxcc, tmp_path, connectivity, axes):
    seed = connectivity * 10 + AXIS_SETS.index(axes)
    rng = np.random.default_rng(seed)
    rule = list(JOINS)[seed % 3]
    affine = SHEARED if seed % 2 else DIAGONAL
    volumes = [random_volume(rng, rng.integers(2 if n % 4 else 1, 8, 3), 3) for n in range(16)]
    volumes = [volume for volume in volumes if volume.shape[0] > 1]
    results = rows_per_file(voxcc, tmp_path, volumes, "-c", connectivity, "--periodic", axes, "--shape", *rule, affine=affine)
    kinds = set()
    for volume, rows in zip(volumes, results):
        components = search(volume, connectivity, [letter in axes for letter in LETTERS], joins=JOINS[rule])
        assert [row["voxels"] for row in rows] == [len(component.stored) for component in components]
        for row, component in zip(rows, components):
            check_index_columns(row, component)
            check_world_columns(row, component, affine)
            check_shape_columns(row, component, connectivity, affine)
            kinds.add((component.wraps.any(), (component.places != component.stored).any()))
    assert {(False, False), (False, True), (True, False)} <= kinds


@pytest.mark.parametrize("axes", ["x", "y", "xy", "xyz"])
@pytest.mark.parametrize("connectivity", [4, 8])
def test_images_of_one_slice(voxcc, tmp_path, connectivity, axes):
    rng = np.random.default_rng(connectivity + AXIS_SETS.index(axes))
    volumes = [random_volume(rng, (1, *rng.integers(1, 12, 2)), 2) for _ in range(12)]
    results = rows_per_file(voxcc, tmp_path, volumes, "-c", connectivity, "--periodic", axes, "--shape", affine=DIAGONAL)
    for volume, rows in zip(volumes, results):
        components = search(volume, connectivity, [letter in axes for letter in LETTERS], joins=JOINS[()])
        assert len(rows) == len(components)
        for row, component in zip(rows, components):
            check_index_columns(row, component)
            exposed = exposed_faces(component, (1, 2))
            assert row["perimeter_sides_mm"] == pytest.approx(exposed[2] * 2 + exposed[1] * 0.5)
            assert row["euler_number"] == euler_number(component, connectivity, (1, 2))
            if not component.wraps.any():
                points = component.corners((1, 2))[:, ::-1] * np.diag(DIAGONAL)[:3]
                assert row["feret_mm"] == pytest.approx(max(np.sqrt(((points - point) ** 2).sum(1)).max() for point in points))


@pytest.mark.parametrize("across", "xyz")
@pytest.mark.parametrize("connectivity", [4, 8])
def test_slices(voxcc, tmp_path, connectivity, across):
    rng = np.random.default_rng(connectivity)
    others = "xyz".replace(across, "")
    for axes in (others[0], others[1], others):
        volumes = [random_volume(rng, rng.integers(2, 8, 3), 2) for _ in range(6)]
        options = ("-c", connectivity, "--per-slice", across, "--periodic", axes, "--multilabel", "--shape")
        for volume, rows in zip(volumes, rows_per_file(voxcc, tmp_path, volumes, *options, affine=DIAGONAL)):
            components = search(volume, connectivity, [letter in axes for letter in LETTERS], joins=lambda a, b: a == b,
                                slice_axis=LETTERS.index(across))
            assert [row["voxels"] for row in rows] == [len(component.stored) for component in components]
            for row, component in zip(rows, components):
                extent = np.where(np.arange(3) == LETTERS.index(across), 1, component.shape)  # slices have no border across them
                component.shape = extent
                check_index_columns(row, component)
                wraps = component.wraps.any()
                assert (row["feret_mm"] == "n/a") == wraps and (row["extent"] == "n/a") == wraps


@pytest.mark.parametrize("image_type", [np.int16, np.float32, np.uint64])
def test_intensities(voxcc, tmp_path, image_type):
    rng = np.random.default_rng(7)
    for number in range(8):
        axes = AXIS_SETS[number % len(AXIS_SETS)]
        volume = random_volume(rng, rng.integers(3, 9, 3), 1)
        image = rng.integers(1, 50, volume.shape).astype(image_type)
        write_nifti(tmp_path / "in.nii", volume, DIAGONAL)
        write_nifti(tmp_path / "image.nii", image, DIAGONAL)
        voxcc("label", tmp_path / "in.nii", "--periodic", axes, "--intensity", tmp_path / "image.nii", "--percentiles", "50", "--stats",
              tmp_path / "t.csv", "--sort", "size", "--min-size", 2, "-f", "--device", "cpu")
        components = search(volume, 26, [letter in axes for letter in LETTERS], joins=JOINS[()])
        components = sorted([c for c in components if len(c.stored) > 1], key=lambda component: -len(component.stored))
        rows = read_table(tmp_path / "t.csv")
        assert len(rows) == len(components)
        for row, component in zip(rows, components):
            weights = image[tuple(component.stored.T)].astype(float)
            check_close(row, [f"weighted_centroid_{i}" for i in INDICES], component.centroid(weights))
            position = component.centroid(weights)[::-1] * np.diag(DIAGONAL)[:3]
            check_close(row, [f"weighted_centroid_{axis}_mm" for axis in "xyz"], position)
            check_close(row, ["intensity_mean", "intensity_p50", "intensity_sum"], [weights.mean(), np.median(weights), weights.sum()])
            peak = [row[f"peak_{i}"] for i in INDICES]
            assert image[tuple(peak)] == weights.max() and peak in component.stored.tolist()


def texts(voxcc, folder, *options):
    voxcc("label", folder / "in.nii", "--stats", folder / "t.csv", "-o", folder / "o.nii", "-f", "--device", "cpu", *options)
    return (folder / "t.csv").read_text(), (folder / "o.nii").read_bytes()


@pytest.mark.parametrize("options", [(), ("-c", "18", "--multilabel"), ("-c", "6", "--delta", "1"), ("--per-slice", "x", "--periodic", "yz"),
                                     ("--per-slice", "y", "--periodic", "xz", "--multilabel")], ids=lambda options: " ".join(options))
def test_same_bytes_in_every_way(voxcc, tmp_path, options):
    options = options if "--periodic" in options else (*options, "--periodic", "xyz")
    volume = (voronoi((60, 50, 80), 40) % 3 * blobs((60, 50, 80), 0.12, seed=2)).astype(np.uint8)
    write_nifti(tmp_path / "in.nii", volume, SHEARED)
    write_nifti(tmp_path / "image.nii", noise(volume.shape, 0.5, seed=3) * 7, SHEARED)
    options = (*options, "--intensity", tmp_path / "image.nii")
    first = texts(voxcc, tmp_path, *options, "-t", 1)
    assert any(value(row["bbox_j_max"]) >= 50 or value(row["bbox_k_max"]) >= 60 for row in read_table(tmp_path / "t.csv"))
    for more in (("-t", 3), ("--isa", "portable")):
        assert texts(voxcc, tmp_path, *options, *more) == first, more
    limit = streaming_limit(voxcc, "label", "in.nii", "--stats", "t.csv", "-o", "o.nii", "-f", "--device", "cpu", "-t", 1, *map(str, options),
                            cwd=tmp_path)
    assert texts(voxcc, tmp_path, *options, "-t", 1, *limit) == first


@pytest.mark.parametrize("seed", range(4))
def test_parts_have_the_bytes_of_one_run(voxcc, tmp_path, seed):
    draw = random.Random(seed)
    rule = () if seed % 2 else ("--multilabel",)
    volume = (voronoi((20, 24, 28), 30) % 4 * noise((20, 24, 28), 0.35, seed=seed)).astype(np.uint8)
    write_nifti(tmp_path / "in.nii", volume, SHEARED)
    write_nifti(tmp_path / "image.nii", (noise(volume.shape, 0.5, seed=9) * 3).astype(np.float32), SHEARED)
    axes = draw.choice(AXIS_SETS[3:])
    options = (tmp_path / "in.nii", "--periodic", axes, *rule, "--shape", "--intensity", tmp_path / "image.nii", *(("--sort", "size") * (seed > 1)))
    voxcc("label", *options, "--stats", tmp_path / "one.csv", "-o", tmp_path / "one.nii", "--device", "cpu")
    shape, size = draw.choice([("bricks", 9), ("bricks", 13), ("slabs", 7), ("bricks", 26)])
    in_parts(voxcc, tmp_path, *options, "--parts", shape, "--part-size", size,
             outputs=("-o", tmp_path / "parts.nii", "--stats", tmp_path / "parts.csv"), order=draw)
    assert (tmp_path / "parts.csv").read_text() == (tmp_path / "one.csv").read_text()
    assert (tmp_path / "parts.nii").read_bytes() == (tmp_path / "one.nii").read_bytes()


def test_holes_that_cross_an_end(voxcc, tmp_path):
    """A hole whose unwrapped box ends outside of the volume."""
    shell = np.zeros((12, 13, 14), np.uint8)
    shell[2:9, 2:9, 2:9] = 1
    shell[4:7, 4:7, 4:7] = 0
    filled = scipy.ndimage.binary_fill_holes(shell)
    for shift in ((6, 0, 0), (0, 8, 0), (0, 0, 9), (6, 8, 0)):
        write_nifti(tmp_path / "in.nii", np.roll(shell, shift, (0, 1, 2)))
        axes = "".join(letter for letter, by in zip(LETTERS, shift) if by)
        voxcc("label", tmp_path / "in.nii", "--fill-holes", "--periodic", axes, "-o", tmp_path / "o.nii", "-f", "--device", "cpu")
        np.testing.assert_array_equal(read_nifti(tmp_path / "o.nii") > 0, np.roll(filled, shift, (0, 1, 2)))


def test_the_column_is_absent_without_the_option(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", noise((5, 6, 7), 0.3))
    voxcc("label", tmp_path / "in.nii", "--stats", tmp_path / "t.csv")
    assert "wraps" not in (tmp_path / "t.csv").read_text().splitlines()[0].split(",")
    voxcc("label", tmp_path / "in.nii", "--stats", tmp_path / "t.csv", "--periodic", "x", "--shape", "-f")
    names = (tmp_path / "t.csv").read_text().splitlines()[0].split(",")
    assert names[names.index("touches_border") + 1] == "wraps"


def test_json_and_report(voxcc, tmp_path):
    volume = noise((8, 9, 10), 0.1, seed=4)
    volume[3, 3] = 1
    write_nifti(tmp_path / "in.nii", volume)
    voxcc("label", tmp_path / "in.nii", "--stats", tmp_path / "t.json", "-o", tmp_path / "labels.nii", "--periodic", "xyz", "--sidecar")
    table = json.loads((tmp_path / "t.json").read_text())
    rows = table if isinstance(table, list) else table["rows"]
    assert any(row["wraps"] != "none" and row["centroid_i"] is None for row in rows)
    voxcc("label", tmp_path / "in.nii", "--stats", tmp_path / "t.csv", "--periodic", "xyz")
    assert max(row["bbox_i_max"] for row in read_table(tmp_path / "t.csv") if row["bbox_i_max"] != "n/a") >= 10
    voxcc("report", tmp_path / "t.csv", "--labels", tmp_path / "labels.nii", "-o", tmp_path / "r.html")
