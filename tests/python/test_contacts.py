"""Compares the tables of contacts with cc3d and with a count of all pairs of voxels."""

import itertools

import cc3d
import numpy as np
import pytest
from helpers import noise, read_nifti, read_table, streaming_limit, voronoi, write_nifti

SHAPE = (21, 33, 70)  # z y x
AFFINE = np.array([[2.0, 0.25, -0.5, 10.0], [-0.125, 1.5, 0.75, -20.5], [0.0, 0.5, 3.0, 1000.25], [0, 0, 0, 1]])
SPACING = (0.5, 2.0, 3.0)  # x y z


def counted(labels, connectivity, affine=None):
    """{(a, b): (faces, area, edges, corners)} by a count of all pairs; None where the connectivity does not count."""
    affine = np.eye(4) if affine is None else affine
    columns = [affine[:3, axis] for axis in range(3)]
    areas = [np.linalg.norm(np.cross(columns[(a + 1) % 3], columns[(a + 2) % 3])) for a in range(3)]
    reach = {4: 1, 6: 1, 8: 2, 18: 2, 26: 3}[connectivity]
    found = {}
    for step in itertools.product((-1, 0, 1), repeat=3):  # z y x
        kind = sum(map(abs, step))
        if not 0 < kind <= reach or step < (0, 0, 0) or (connectivity in (4, 8) and step[0]):
            continue
        own = tuple(slice(max(-s, 0), n - max(s, 0)) for s, n in zip(step, labels.shape))
        other = tuple(slice(max(s, 0), n - max(-s, 0)) for s, n in zip(step, labels.shape))
        a, b = labels[own].ravel().astype(object), labels[other].ravel().astype(object)
        for pair in zip(a, b):
            if pair[0] == pair[1] or 0 in pair:
                continue
            counts = found.setdefault(tuple(sorted(pair)), [0, 0.0, 0, 0])
            counts[{1: 0, 2: 2, 3: 3}[kind]] += 1
            if kind == 1:
                counts[1] += areas[2 - next(i for i, s in enumerate(step) if s)]
    return dict(sorted(found.items()))


def table_of(path):
    names = ("faces", "area_mm2", "edges", "corners")
    rows = read_table(path)
    pairs = {(row["label_a"], row["label_b"]): [row[name] for name in names if name in row] for row in rows}
    assert len(pairs) == len(rows) and list(pairs) == sorted(pairs)
    return pairs


def assert_equal(got, expected, connectivity):
    assert list(got) == list(expected)
    for pair, (faces, area, edges, corners) in expected.items():
        values = [faces, pytest.approx(area, rel=1e-12)]
        if connectivity not in (4, 6):
            values += [edges, corners if connectivity == 26 else "n/a"]
        assert got[pair] == values, pair


def assert_equals_cc3d(rows, labels, connectivity, spacing=(1, 1, 1)):
    array = np.ascontiguousarray(labels.T)
    areas = cc3d.contacts(array, connectivity=connectivity, surface_area=True, anisotropy=spacing)
    assert set(rows) == set(areas) == set(cc3d.region_graph(array, connectivity=connectivity))
    for pair, row in rows.items():
        np.testing.assert_allclose(row[1], areas[pair], rtol=1e-4)  # cc3d adds in float32
    if connectivity == 26:
        return  # cc3d counts some pairs over corners several times
    counts = cc3d.contacts(array, connectivity=connectivity, surface_area=False)
    assert {pair: row[0] + sum(n for n in row[2:] if n != "n/a") for pair, row in rows.items()} == counts


@pytest.mark.parametrize("connectivity", (6, 18, 26))
def test_stats(voxcc, tmp_path, connectivity):
    for seed, affine in ((1, None), (2, AFFINE), (3, np.diag([*SPACING, 1]))):
        labels = voronoi(SHAPE, cells=80, background=0.15, seed=seed)
        write_nifti(tmp_path / "l.nii", labels, affine)
        voxcc("stats", tmp_path / "l.nii", "-o", tmp_path / "t.csv", "--contacts", tmp_path / "c.csv", "-c", connectivity, "-f")
        rows = table_of(tmp_path / "c.csv")
        assert_equal(rows, counted(labels, connectivity, affine), connectivity)
        if affine is not AFFINE:
            assert_equals_cc3d(rows, labels, connectivity, (1, 1, 1) if affine is None else SPACING)


@pytest.mark.parametrize("dtype", (np.int8, np.int16, np.int64, np.uint64, np.float32))
def test_labels_of_other_types(voxcc, tmp_path, dtype):
    labels = voronoi(SHAPE, cells=20).astype(dtype)
    if dtype == np.uint64:
        labels[labels == 3] = 2**63 + 1
    elif np.dtype(dtype).kind in "if":
        labels[labels == 3] = -7
    write_nifti(tmp_path / "l.nii", labels)
    voxcc("stats", tmp_path / "l.nii", "-o", tmp_path / "t.csv", "--contacts", tmp_path / "c.csv")
    assert_equal(table_of(tmp_path / "c.csv"), counted(labels.astype(np.uint64 if dtype == np.uint64 else np.int64), 26), 26)


@pytest.mark.parametrize("connectivity", (6, 18, 26))
def test_multilabel(voxcc, tmp_path, connectivity):
    write_nifti(tmp_path / "in.nii", voronoi(SHAPE, cells=40), AFFINE)
    for extra in ([], ["--sort", "size"], ["--min-size", "200"], ["-t", "1"]):
        voxcc("label", "in.nii", "--multilabel", "-c", connectivity, *extra, "-o", "l.nii", "--contacts", "c.csv", "-f", cwd=tmp_path)
        assert_equal(table_of(tmp_path / "c.csv"), counted(read_nifti(tmp_path / "l.nii"), connectivity, AFFINE), connectivity)


@pytest.mark.parametrize("connectivity", (6, 18))
def test_binary(voxcc, tmp_path, connectivity):
    """Components of a binary labelling touch only where the connectivity does not reach."""
    write_nifti(tmp_path / "in.nii", noise(SHAPE, 0.2).astype(np.uint8))
    voxcc("label", "in.nii", "-c", connectivity, "-o", "l.nii", "--contacts", "c.csv", cwd=tmp_path)
    rows = table_of(tmp_path / "c.csv")
    assert_equal(rows, counted(read_nifti(tmp_path / "l.nii"), 26), 26)
    assert rows and all(row[0] == 0 for row in rows.values())


def test_split_signs(voxcc, tmp_path):
    image = np.sign(np.random.default_rng(1).normal(size=SHAPE)).astype(np.float32) * (voronoi(SHAPE, cells=30) % 3 > 0)
    write_nifti(tmp_path / "in.nii", image)
    voxcc("label", "in.nii", "--split-signs", "--threshold", "abs>0.5", "-c", "6", "-o", "l.nii", "--contacts", "c.csv", cwd=tmp_path)
    assert_equal(table_of(tmp_path / "c.csv"), counted(read_nifti(tmp_path / "l.nii"), 6), 6)


@pytest.mark.parametrize("axis", "xyz")
def test_slices(voxcc, tmp_path, axis):
    volume = voronoi(SHAPE, cells=60)
    write_nifti(tmp_path / "in.nii", volume, np.diag([*SPACING, 1]))
    run = ["label", "in.nii", "--multilabel", "--per-slice", axis, "-o", "l.nii", "--contacts", "c.csv", "-f"]
    for connectivity in (4, 8):
        voxcc(*run, "-c", connectivity, cwd=tmp_path)
        labels = read_nifti(tmp_path / "l.nii")
        spacing = list(SPACING)
        expected = {}
        for index in range(labels.shape["zyx".index(axis)]):
            part = np.moveaxis(labels, "zyx".index(axis), 0)[index : index + 1]
            order = {"z": [0, 1, 2], "y": [0, 2, 1], "x": [1, 2, 0]}[axis]  # the axes x y z of the moved slice
            expected |= counted(part, connectivity, np.diag([*[spacing[a] for a in order], 1]))
        assert_equal(table_of(tmp_path / "c.csv"), dict(sorted(expected.items())), connectivity)


def test_images_of_one_slice(voxcc, tmp_path):
    labels = voronoi((1, 60, 90), cells=30)
    write_nifti(tmp_path / "l.nii", labels)
    voxcc("stats", tmp_path / "l.nii", "-o", tmp_path / "t.csv", "--contacts", tmp_path / "c.csv")
    assert_equal(table_of(tmp_path / "c.csv"), counted(labels, 8), 8)


def test_streamed(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", voronoi((120, 130, 140), cells=500))
    run = ["label", "in.nii", "--multilabel", "--contacts", "c.csv", "--stats", "t.csv", "-f"]
    tables = set()
    for threads in (1, 4):
        for limit in ([], streaming_limit(voxcc, *run, "-t", threads, cwd=tmp_path)):
            voxcc(*run, "-t", threads, *limit, cwd=tmp_path)
            tables.add((tmp_path / "c.csv").read_bytes())
    assert len(tables) == 1 and len(table_of(tmp_path / "c.csv")) > 500


def test_batches_and_4d(voxcc, tmp_path):
    volumes = np.stack([voronoi(SHAPE, cells=20, seed=s) for s in (1, 2)])
    write_nifti(tmp_path / "4d.nii", volumes)
    for index, volume in enumerate(volumes):
        write_nifti(tmp_path / f"v{index}.nii", volume)
        voxcc("label", f"v{index}.nii", "--multilabel", "--contacts", f"own{index}.csv", cwd=tmp_path)
    own = [read_table(tmp_path / f"own{index}.csv") for index in (0, 1)]
    voxcc("label", "v0.nii", "v1.nii", "--multilabel", "-j", "2", "--contacts", "all.csv", cwd=tmp_path)
    assert read_table(tmp_path / "all.csv") == [{**row, "file": f"v{i}.nii"} for i in (0, 1) for row in own[i]]
    voxcc("label", "v0.nii", "v1.nii", "--multilabel", "--contacts", "{stem}_c.tsv", cwd=tmp_path)
    assert [read_table(tmp_path / f"v{i}_c.tsv") for i in (0, 1)] == own
    voxcc("label", "4d.nii", "--volume", "all", "--multilabel", "--contacts", "4d.csv", cwd=tmp_path)
    assert read_table(tmp_path / "4d.csv") == [{**row, "volume": i} for i in (0, 1) for row in own[i]]
    voxcc("stats", "4d.nii", "--volume", "all", "-o", "t.csv", "--contacts", "s.csv", cwd=tmp_path)
    assert {row["volume"] for row in read_table(tmp_path / "s.csv")} == {0, 1}
    done = voxcc("label", "v0.nii", "--multilabel", "--contacts", "-", cwd=tmp_path)
    assert done.stdout == (tmp_path / "own0.csv").read_text()


def test_outputs(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", voronoi(SHAPE, cells=20))
    label = ["label", "in.nii", "--multilabel"]
    voxcc(*label, "--contacts", "c.csv", "--json", "c.json", cwd=tmp_path)
    before = (tmp_path / "c.csv").read_bytes()
    assert "--force" in voxcc.fails(73, *label, "--contacts", "c.csv", cwd=tmp_path)
    assert "skipped" in voxcc(*label, "--contacts", "c.csv", "--json", "c.json", "--skip-existing", cwd=tmp_path).stderr
    (tmp_path / "c.csv").write_text("changed")
    assert "skipped" not in voxcc(*label, "--contacts", "c.csv", "--json", "c.json", "--skip-existing", "-f", cwd=tmp_path).stderr
    assert (tmp_path / "c.csv").read_bytes() == before
    assert "also the file" in voxcc.fails(64, *label, "--contacts", "x.csv", "--stats", "./x.csv", cwd=tmp_path)
    assert "stdout" in voxcc.fails(64, *label, "--contacts", "-", "--stats", "-", cwd=tmp_path)
    voxcc.fails(64, *label, "--contacts", "x.png", cwd=tmp_path)
    for extra in ([], ["-c", "26"]):
        assert "--multilabel" in voxcc.fails(64, "label", "in.nii", *extra, "--contacts", "x.csv", cwd=tmp_path)
    assert "--periodic" in voxcc.fails(64, *label, "--periodic", "x", "--contacts", "x.csv", cwd=tmp_path)
    assert "--contacts" in voxcc.fails(64, "stats", "in.nii", "-o", "x.csv", "-c", "6", cwd=tmp_path)
    assert "also the file" in voxcc.fails(64, "stats", "in.nii", "-o", "x.csv", "--contacts", "x.csv", cwd=tmp_path)
    assert not list(tmp_path.glob("x*"))


def test_no_contacts(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", np.zeros(SHAPE, np.uint8))
    voxcc("label", "in.nii", "--multilabel", "--contacts", "c.csv", cwd=tmp_path)
    assert (tmp_path / "c.csv").read_text() == "label_a,label_b,faces,area_mm2,edges,corners\n"
