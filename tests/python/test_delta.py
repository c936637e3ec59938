"""--delta T: neighbours are connected if their stored values differ by at most T."""

import json

import cc3d
import numpy as np
import pytest
from helpers import read_nifti, read_table, write_nifti

STEPS = [(dz, dy, dx) for dz in (0, 1) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dz, dy, dx) > (0, 0, 0)]
REACH = {6: 1, 18: 2, 26: 3, 4: 1, 8: 2}


def graph_labels(x, connectivity, delta):
    """Labels by union-find over all pairs of neighbours. x is [z][y][x]; differences are differences of Python integers or of doubles."""
    foreground = (x != 0) & (x == x)
    values = x.astype(object if x.dtype.kind in "iu" else np.float64)
    parent = list(range(x.size))
    index = np.arange(x.size).reshape(x.shape)

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for step in STEPS:
        if sum(map(abs, step)) > REACH[connectivity] or (connectivity in (4, 8) and step[0]):
            continue
        own = tuple(slice(max(-s, 0), n - max(s, 0)) for s, n in zip(step, x.shape))
        other = tuple(slice(max(s, 0), n - max(-s, 0)) for s, n in zip(step, x.shape))
        with np.errstate(invalid="ignore"):
            near = (values[own] == values[other]) | (np.abs(values[own] - values[other]) <= delta)
        edges = foreground[own] & foreground[other] & near.astype(bool)
        for a, b in zip(index[own][edges].tolist(), index[other][edges].tolist()):
            a, b = root(a), root(b)
            parent[max(a, b)] = min(a, b)
    roots = np.array([root(i) for i in range(x.size)])
    is_first = (roots == np.arange(x.size)) & foreground.ravel()
    return np.where(foreground.ravel(), np.cumsum(is_first)[roots], 0).reshape(x.shape)


def volume(dtype, shape, seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 12, shape).astype(dtype)
    if x.dtype.kind == "f":
        x[rng.random(shape) < 0.05] = np.nan
        x[rng.random(shape) < 0.05] = rng.choice([np.inf, -np.inf])
    else:
        limits = np.iinfo(dtype)
        x[rng.random(shape) < 0.2] = limits.max
        x[rng.random(shape) < 0.2] = limits.max - 1
        x[rng.random(shape) < 0.2] = limits.min
    return x


def labels_of(voxcc, folder, x, *options):
    write_nifti(folder / "in.nii", x)
    voxcc("label", folder / "in.nii", "-o", folder / "out.nii", "--stats", folder / "t.csv", "-f", *options)
    labels = read_nifti(folder / "out.nii").astype(int)
    assert [row["voxels"] for row in read_table(folder / "t.csv")] == np.bincount(labels.ravel())[1:].tolist()
    return labels


@pytest.mark.parametrize("dtype", ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"))
def test_all_types(voxcc, tmp_path, dtype):
    for seed, shape in enumerate([(4, 5, 63), (3, 4, 64), (3, 3, 65), (1, 1, 1), (1, 6, 9), (5, 1, 1)]):
        for connectivity, delta in [(6, 1), (18, 2), (26, 0), (26, 1.5), (6, 300)]:
            x = volume(dtype, shape, seed)
            flat = {6: 4, 18: 8, 26: 8}[connectivity] if shape[0] == 1 else connectivity
            labels = labels_of(voxcc, tmp_path, x, "-c", connectivity, "--delta", delta, "--device", "cpu", "-t", 1 + seed % 3)
            np.testing.assert_array_equal(labels, graph_labels(x, flat, delta), err_msg=f"{shape} {connectivity} {delta}")


@pytest.mark.parametrize("connectivity", (6, 18, 26))
@pytest.mark.parametrize("algorithm", ("ziegler-gather", "ziegler-links", "ziegler-master-slave"))
def test_published_algorithms(voxcc, tmp_path, connectivity, algorithm):
    for dtype in ("u1", "i8", "f4"):
        x = volume(dtype, (5, 6, 70), 3)
        ours = labels_of(voxcc, tmp_path, x, "-c", connectivity, "--delta", 1, "--device", "cpu")
        theirs = labels_of(voxcc, tmp_path, x, "-c", connectivity, "--gradient", 1, "--device", "cpu", "--algorithm", algorithm)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("connectivity", (6, 18, 26))
def test_cc3d(voxcc, tmp_path, connectivity):
    rng = np.random.default_rng(4)
    for x in (rng.integers(1, 30, (20, 30, 70)), np.sin(np.indices((20, 30, 70)).sum(0) / 5) * 20 + rng.random((20, 30, 70))):
        x = x.astype(np.float32)
        labels = labels_of(voxcc, tmp_path, x, "-c", connectivity, "--delta", 2, "-t", 2)
        np.testing.assert_array_equal(labels, cc3d.connected_components(x, delta=2, connectivity=connectivity))


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("connectivity", (4, 8))
def test_per_slice(voxcc, tmp_path, axis, connectivity):
    x = volume("i2", (6, 7, 20), 5)
    labels = labels_of(voxcc, tmp_path, x, "-c", connectivity, "--delta", 2, "--per-slice", axis)
    place = "zyx".index(axis)
    count, want = 0, []
    for part in np.moveaxis(x, place, 0):
        numbers = graph_labels(part[None], connectivity, 2)[0]
        want.append(np.where(numbers > 0, numbers + count, 0))
        count += numbers.max()
    np.testing.assert_array_equal(labels, np.moveaxis(np.array(want), 0, place))


def test_selections(voxcc, tmp_path):
    x = volume("f4", (6, 9, 70), 6)
    want = graph_labels(np.where(x > 2, x, 0), 6, 1)
    sizes = np.bincount(want.ravel())
    kept = np.flatnonzero((sizes >= 4) & (np.arange(len(sizes)) > 0))
    numbers = np.zeros(len(sizes), int)
    numbers[kept] = np.arange(1, len(kept) + 1)
    labels = labels_of(voxcc, tmp_path, x, "-c", "6", "--delta", 1, "--threshold", ">2", "--min-size", 4)
    np.testing.assert_array_equal(labels, numbers[want])


@pytest.mark.parametrize("connectivity", (6, 18, 26))
def test_streamed_bytes(voxcc, tmp_path, connectivity):
    x = np.random.default_rng(7).integers(0, 12, (32, 30, 20)).astype(np.int16).repeat(5, 0).repeat(5, 1).repeat(10, 2)
    x += np.random.default_rng(8).integers(0, 2, x.shape).astype(np.int16)
    x[x < 3] = 0
    for periodic in ([], ["--periodic", "xyz"]):
        options = ["-c", connectivity, "--delta", 3 + len(periodic), *periodic, "-t", 1, "-f"]
        write_nifti(tmp_path / "in.nii", x)
        voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "one.nii.gz", "--stats", tmp_path / "one.csv", *options)
        plan = lambda *limit: json.loads(voxcc("label", tmp_path / "in.nii", *options, *limit, "--dry-run").stdout)["volumes"][0]  # noqa: B023, E731
        limit = ["--max-memory", int(plan()["memory_bytes"] * 0.97)]
        assert plan(*limit)["slabs"] > 1
        voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "slabs.nii.gz", "--stats", tmp_path / "slabs.csv", *options, *limit)
        for name in ("nii.gz", "csv"):
            assert (tmp_path / f"one.{name}").read_bytes() == (tmp_path / f"slabs.{name}").read_bytes()
