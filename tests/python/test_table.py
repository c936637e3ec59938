"""Compares the table with numpy: every column, the filters, and the choices of foreground."""

import json

import numpy as np
import pytest
import scipy.ndimage
from helpers import (blobs, columns, label_equal_values, label_scipy, noise, read_nifti, read_table, structure, voronoi, write_nifti)

SHEARED = np.array([[2.0, 0.25, -0.5, 10.0], [-0.125, 1.5, 0.75, -20.5], [0.0, 0.5, 3.0, 1000.25], [0, 0, 0, 1]])
COLUMNS = (
    "label voxels volume_mm3 centroid_i centroid_j centroid_k centroid_x_mm centroid_y_mm centroid_z_mm "
    "bbox_i_min bbox_i_max bbox_j_min bbox_j_max bbox_k_min bbox_k_max cov_ii cov_ij cov_ik cov_jj cov_jk cov_kk "
    "cov_xx_mm2 cov_xy_mm2 cov_xz_mm2 cov_yy_mm2 cov_yz_mm2 cov_zz_mm2 axis1_mm axis2_mm axis3_mm elongation flatness touches_border"
).split()
UPPER = np.triu_indices(3)


def expected_rows(labels, affine, border_axes=(0, 1, 2)):
    """COLUMNS of every component, computed by definition. Axes with one voxel, and axes that are not in border_axes, have no border."""
    border_axes = [axis for axis in border_axes if labels.shape[::-1][axis] > 1]
    last = np.array(labels.shape[::-1]) - 1
    rows = []
    for label, where in enumerate(scipy.ndimage.find_objects(labels), 1):
        corner = [part.start for part in where][::-1]
        at = np.argwhere(labels[where] == label)[:, ::-1] + corner
        low, high = at.min(0), at.max(0)
        centroid = at.mean(0)
        covariance = (at - centroid).T @ (at - centroid) / len(at)
        world = affine[:3, :3] @ covariance @ affine[:3, :3].T
        axes = np.sqrt(np.maximum(np.linalg.eigvalsh(world)[::-1], 0))
        shape = axes[1:] / axes[0] if len(at) > 1 else np.zeros(2)
        border = any(low[axis] == 0 or high[axis] == last[axis] for axis in border_axes)
        rows.append([label, len(at), len(at) * abs(np.linalg.det(affine[:3, :3])), *centroid, *(affine[:3, :3] @ centroid + affine[:3, 3]),
                     *np.stack([low, high], 1).ravel(), *covariance[UPPER], *world[UPPER], *axes, *shape, border])
    return np.array(rows, float).reshape(len(rows), len(COLUMNS))


def assert_table(rows, expected, size="volume_mm3"):
    """Compares all columns. `size` is the name of the third column: area_mm2 in 2D."""
    assert len(rows) == len(expected)
    rows = [{"volume_mm3" if name == size else name: value for name, value in row.items()} for row in rows]
    ours = np.array([[{"true": 1, "false": 0}.get(row[name], row[name]) for name in COLUMNS] for row in rows], float)
    # numpy computes small nonzero values for eigenvalues that are 0. The tolerance covers their square roots.
    np.testing.assert_allclose(ours, expected.reshape(ours.shape), rtol=1e-9, atol=1e-6)
    exact = [COLUMNS.index(name) for name in COLUMNS if name.startswith(("label", "voxels", "bbox", "touches"))]
    np.testing.assert_array_equal(ours[:, exact], expected[:, exact])


def stats(voxcc, folder, array, *options, affine=None, suffix="csv"):
    write_nifti(folder / "in.nii", array, affine)
    voxcc("label", folder / "in.nii", "-o", folder / "out.nii", "--stats", folder / f"out.{suffix}", "-f", *options)
    return folder / f"out.{suffix}", read_nifti(folder / "out.nii")


@pytest.mark.parametrize("connectivity", (6, 18, 26))
@pytest.mark.parametrize("volume", [noise((31, 33, 70), 0.15), blobs((40, 41, 70)), blobs((40, 41, 70), 0.05), noise((9, 9, 9), 1.0)],
                         ids=["noise", "blobs", "sparse-blobs", "solid"])
@pytest.mark.parametrize("affine", [np.eye(4), SHEARED, np.diag([-1, -1, 2, 1])], ids=["identity", "sheared", "flipped"])
def test_every_column(voxcc, tmp_path, volume, affine, connectivity):
    table, labels = stats(voxcc, tmp_path, volume, "-c", connectivity, affine=affine)
    np.testing.assert_array_equal(labels, label_scipy(volume, connectivity))
    assert table.read_text().split("\n")[0] == ",".join(COLUMNS)
    assert_table(read_table(table), expected_rows(labels, affine))


def test_two_dimensions_and_slices(voxcc, tmp_path):
    image = blobs((50, 70), 0.4)[None]
    table, labels = stats(voxcc, tmp_path, image)
    assert_table(read_table(table), expected_rows(labels, np.eye(4)), "area_mm2")
    table, labels = stats(voxcc, tmp_path, blobs((6, 40, 50), 0.4), "--per-slice", "z")
    rows = read_table(table)
    assert_table(rows, expected_rows(labels, np.eye(4), border_axes=(0, 1)), "area_mm2")
    assert [row["slice"] for row in rows] == [row["bbox_k_min"] for row in rows]


def test_one_voxel_is_all_zeros(voxcc, tmp_path):
    volume = np.zeros((5, 6, 7), np.uint8)
    volume[2, 3, 4] = 1
    text = stats(voxcc, tmp_path, volume)[0].read_text()
    assert "nan" not in text
    row = read_table(tmp_path / "out.csv")[0]
    assert [row[name] for name in COLUMNS if name.startswith(("cov", "axis", "elong", "flat"))] == [0] * 17
    assert (row["centroid_i"], row["centroid_j"], row["centroid_k"]) == (4, 3, 2)


def test_nothing_is_a_header_and_zeros(voxcc, tmp_path):
    table, labels = stats(voxcc, tmp_path, np.zeros((5, 6, 7), np.uint8))
    assert table.read_text() == ",".join(COLUMNS) + "\n"
    assert labels.dtype == np.uint8 and not labels.any()
    assert json.loads(stats(voxcc, tmp_path, np.zeros((5, 6, 7), np.uint8), suffix="json")[0].read_text()) == []


def test_all_forms_say_the_same(voxcc, tmp_path):
    volume = blobs((20, 21, 40), 0.2)
    rows = read_table(stats(voxcc, tmp_path, volume)[0])
    assert read_table(stats(voxcc, tmp_path, volume, suffix="tsv")[0]) == rows
    as_json = json.loads(stats(voxcc, tmp_path, volume, suffix="json")[0].read_text())
    assert [list(row) for row in as_json] == [COLUMNS] * len(rows)
    np.testing.assert_array_equal(columns(as_json, *COLUMNS[:-1]), columns(rows, *COLUMNS[:-1]))
    done = voxcc("label", tmp_path / "in.nii", "--stats", "-")
    assert done.stdout == (tmp_path / "out.csv").read_text()


def test_multilabel_and_stats_of_labels(voxcc, tmp_path):
    volume = voronoi((30, 31, 40))
    table, labels = stats(voxcc, tmp_path, volume, "--multilabel", "-c", "6", affine=SHEARED)
    np.testing.assert_array_equal(labels, label_equal_values(volume, 6))
    rows = read_table(table)
    assert_table(rows, expected_rows(labels, SHEARED))
    first = [np.flatnonzero(labels == row["label"])[0] for row in rows]
    assert [row["source_label"] for row in rows] == list(volume.flat[first])
    voxcc("stats", tmp_path / "out.nii", "-o", tmp_path / "again.csv")
    assert_table(read_table(tmp_path / "again.csv"), expected_rows(labels, SHEARED))


def kept(labels, keep):
    """The components for which keep(label, voxels) is true, renumbered in the same order."""
    sizes = np.bincount(labels.ravel())
    number, table = 0, np.zeros(len(sizes), np.int64)
    for label in range(1, len(sizes)):
        if keep(label, sizes[label]):
            number += 1
            table[label] = number
    return table[labels]


def by_size(labels, count=None):
    """The components, renumbered by decreasing size, ties by first voxel. count: number of components to keep."""
    sizes = np.bincount(labels.ravel())[1:]
    table = np.zeros(len(sizes) + 1, np.int64)
    for number, index in enumerate(np.argsort(-sizes, kind="stable")[:count], 1):
        table[index + 1] = number
    return table[labels]


def test_filters(voxcc, tmp_path):
    volume = noise((25, 26, 70), 0.2)
    labels = label_scipy(volume, 18)
    sizes = np.bincount(labels.ravel())
    largest = np.isin(np.arange(len(sizes)), 1 + np.argsort(-sizes[1:], kind="stable")[:7])
    border = set(np.unique(np.concatenate([labels.take(end, axis).ravel() for axis in range(3) for end in (0, -1)])))
    affine = np.diag([2.0, 1, 1, 1])  # 2 mm3 per voxel
    for options, expected in [
        (["--min-size", "4"], kept(labels, lambda label, size: size >= 4)),
        (["--max-size", "9"], kept(labels, lambda label, size: size <= 9)),
        (["--min-size", "2", "--max-size", "5"], kept(labels, lambda label, size: 2 <= size <= 5)),
        (["--min-size", "8mm3"], kept(labels, lambda label, size: 2 * size >= 8)),
        (["--keep-largest", "7"], kept(labels, lambda label, size: largest[label])),
        (["--clear-border"], kept(labels, lambda label, size: label not in border)),
        (["--sort", "size"], by_size(labels)),
        (["--sort", "size", "--keep-largest", "5"], by_size(labels, 5)),
        (["--sort", "raster"], labels),
    ]:
        table, ours = stats(voxcc, tmp_path, volume, "-c", "18", *options, affine=affine)
        np.testing.assert_array_equal(ours, expected, err_msg=str(options))
        assert_table(read_table(table), expected_rows(expected, affine))


@pytest.mark.parametrize("connectivity", (6, 18, 26))
def test_fill_holes(voxcc, tmp_path, connectivity):
    """A hole is background that is not connected to the border with the dual connectivity (6 for 18 and 26, 26 for 6)."""
    volume = 1 - blobs((40, 41, 66), 0.25, 1.2)
    filled = scipy.ndimage.binary_fill_holes(volume, structure(26 if connectivity == 6 else 6))
    assert filled.sum() > volume.sum()
    _, ours = stats(voxcc, tmp_path, volume, "-c", connectivity, "--fill-holes")
    np.testing.assert_array_equal(ours, label_scipy(filled, connectivity))


@pytest.mark.parametrize("axes", ("x", "y", "z", "xy", "xyz"))
@pytest.mark.parametrize("connectivity", (6, 18, 26))
def test_periodic(voxcc, tmp_path, connectivity, axes):
    volume = noise((11, 13, 70), 0.25)
    shifts = [tuple(shift) for shift in np.argwhere(structure(connectivity)) - 1]
    labels = label_scipy(volume, connectivity)
    parent = list(range(labels.max() + 1))

    def root(node):
        while parent[node] != node:
            node = parent[node]
        return node

    wrapped = np.pad(labels, [(1, 1) if name in axes else (0, 0) for name in "zyx"], mode="wrap")
    for shift in shifts:
        here = wrapped[tuple(slice(max(0, -step), wrapped.shape[axis] - max(0, step)) for axis, step in enumerate(shift))]
        there = wrapped[tuple(slice(max(0, step), wrapped.shape[axis] - max(0, -step)) for axis, step in enumerate(shift))]
        for a, b in np.unique(np.stack([here[(here > 0) & (there > 0)], there[(here > 0) & (there > 0)]], 1), axis=0):
            a, b = sorted((root(a), root(b)))
            parent[b] = a
    roots = np.array([root(label) for label in range(len(parent))])
    expected = np.unique(roots, return_inverse=True)[1][labels]
    _, ours = stats(voxcc, tmp_path, volume, "-c", connectivity, "--periodic", axes)
    np.testing.assert_array_equal(ours, expected)
