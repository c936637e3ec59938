"""`voxcc map --merge` beside scipy.sparse: labels that touch are united, and tables of contacts that are refused."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse.csgraph
from conftest import REPOSITORY
from helpers import label_scipy, noise, read_nifti, read_table, voronoi, write_nifti
from mapped_labels import mapped, read, write_table


def united(labels, pairs):
    """The oracle of --merge: connected components of the graph of pairs, each named by its smallest label."""
    values = sorted({int(v) for v in np.unique(labels) if v != 0} | {v for pair in pairs for v in pair})
    place = {v: i for i, v in enumerate(values)}
    rows, columns = [place[a] for a, b in pairs], [place[b] for a, b in pairs]
    graph = scipy.sparse.coo_matrix((np.ones(len(pairs)), (rows, columns)), shape=(len(values), len(values)))
    of = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    least = {}
    for v in values:
        least.setdefault(of[place[v]], v)
    return mapped(labels, {v: least[of[place[v]]] for v in values}, "keep")


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint32", "uint64", "float32"])
@pytest.mark.parametrize("where", ["", "faces >= 40", "faces > 20 and not label_a = 7 or corners = 1", "area_mm2 / faces > 2"])
def test_united_contacts(voxcc, tmp_path, dtype, where):
    labels = voronoi((20, 30, 40), 60, 0.1, seed=3).astype(np.uint64)
    if dtype == "uint64":
        labels = np.where(labels > 0, 2**64 - 1 - labels, 0).astype(np.uint64)
    write_nifti(tmp_path / "labels.nii", labels.astype(dtype), np.diag([1, 2, 3, 1]))
    voxcc("stats", "labels.nii", "--contacts", "contacts.csv", "-o", "t.csv", cwd=tmp_path)
    rows = read_table(tmp_path / "contacts.csv")
    condition = {
        "": lambda r: True,
        "faces >= 40": lambda r: r["faces"] >= 40,
        "faces > 20 and not label_a = 7 or corners = 1": lambda r: r["faces"] > 20 and r["label_a"] != 7 or r["corners"] == 1,
        "area_mm2 / faces > 2": lambda r: r["faces"] > 0 and r["area_mm2"] / r["faces"] > 2,
    }[where]
    pairs = [(r["label_a"], r["label_b"]) for r in rows if condition(r)]
    assert pairs and (len(pairs) < len(rows) or not where)
    expected = united(labels, pairs)
    assert len(np.unique(expected)) < len(np.unique(labels))
    for threads in (1, 2):
        done = voxcc("map", "labels.nii", "--merge", "contacts.csv", *(["--where", where] if where else []), "-o", "o.nrrd", "-f", "-t", threads, cwd=tmp_path)
        np.testing.assert_array_equal(read(tmp_path / "o.nrrd"), expected)
    assert f"{len(np.unique(labels)) - 1} labels; o.nrrd: {len(np.unique(expected)) - 1} label" in done.stderr and "warning" not in done.stderr


def test_long_chains_unite(voxcc, tmp_path):
    """A chain of 200,000 labels in random order becomes one label, beside labels above 2^26."""
    count = 200_000
    labels = np.arange(1, count + 1, dtype=np.uint32).reshape(1, 200, 1000)
    labels = labels + np.uint32(1 << 27) * (labels > 1000)
    order = np.random.default_rng(1).permutation(count - 1)
    flat = labels.ravel()
    np.save(tmp_path / "labels.npy", labels)
    write_table(tmp_path / "c.csv", zip(flat[order], flat[order + 1]), ("label_a", "label_b"))
    voxcc("map", "labels.npy", "--merge", "c.csv", "-o", "o.npy", cwd=tmp_path)
    assert (read(tmp_path / "o.npy") == 1).all() and read(tmp_path / "o.npy").dtype == np.uint8


def test_labels_equal_to_one_labelling(voxcc, tmp_path):
    """Slices that are labelled separately, and united by their contacts, are the components of the volume."""
    volume = noise((12, 25, 40), 0.2, 2, seed=4)
    write_nifti(tmp_path / "v.nii", volume)
    voxcc("label", "v.nii", "--per-slice", "z", "-c", "4", "-o", "slices.nii", cwd=tmp_path)
    voxcc("stats", "slices.nii", "--contacts", "c.csv", "-o", "t.csv", "-c", "6", cwd=tmp_path)
    voxcc("map", "slices.nii", "--merge", "c.csv", "-o", "united.nii", cwd=tmp_path)
    voxcc("label", "v.nii", "-c", "6", "-o", "once.nii", cwd=tmp_path)
    voxcc("compare", "united.nii", "once.nii", cwd=tmp_path)
    values, first = np.unique(read_nifti(tmp_path / "united.nii"), return_index=True)
    rows = [(v, i) for i, v in enumerate(values[np.argsort(first)][values[np.argsort(first)] > 0], 1)]
    write_table(tmp_path / "t2.csv", rows)
    voxcc("map", "united.nii", "--table", "t2.csv", "-o", "numbered.nii", cwd=tmp_path)
    np.testing.assert_array_equal(read_nifti(tmp_path / "numbered.nii"), label_scipy(volume, 6))


BAD_CONTACTS = {
    ("label_a,label_b,faces\n1,2,9\n", "face > 3"): (64, "t.csv has no column 'face', nearest: 'faces'"),
    ("label_a,label_b,faces\n", "face > 3"): (64, "nearest: 'faces'"),
    ("label_a,label_b,faces\n1,2,9\n", "faces >"): (64, "ends too early"),
    ("label_a,b,faces\n1,2,9\n", ""): (65, "has no column 'label_b'"),
    ("label_a,label_b\n1,x\n", ""): (65, "row 1 has 'x' in the column 'label_b'"),
    ("label_a,label_b\n1,2\n0,2\n", ""): (65, "row 2 has the label 0"),
    ("label_a,label_b\n-1,2\n", ""): (65, "row 1 has the negative label -1"),
    ("label_a,label_b,file\n1,2,a.nii\n1,3,b.nii\n", ""): (65, "row 2 is of the file 'b.nii', and a row before it of 'a.nii'; choose one with --where, as in --where 'file = \"a.nii\"'"),
    ("label_a,label_b,volume\n1,2,0\n1,3,1\n", ""): (65, "--where 'volume = 0'"),
}


@pytest.mark.parametrize("text, where", BAD_CONTACTS)
def test_bad_contacts(voxcc, tmp_path, text, where):
    np.save(tmp_path / "labels.npy", np.ones((1, 2, 3), np.uint8))
    (tmp_path / "t.csv").write_text(text)
    code, message = BAD_CONTACTS[text, where]
    assert message in voxcc.fails(code, "map", "labels.npy", "--merge", "t.csv", *(["--where", where] if where else []), "-o", "o.npy", cwd=tmp_path)
    assert not (tmp_path / "o.npy").exists()


def test_rows_that_unite_nothing_are_not_checked(voxcc, tmp_path):
    np.save(tmp_path / "labels.npy", np.array([[[1, 2, 3, 4]]], np.uint8))
    (tmp_path / "t.csv").write_text("label_a,label_b,file\n-1,0,a.nii\n1,3,b.nii\n2,3,a.nii\n")
    voxcc("map", "labels.npy", "--merge", "t.csv", "--where", "file = 'b.nii'", "-o", "o.npy", cwd=tmp_path)
    np.testing.assert_array_equal(read(tmp_path / "o.npy").ravel(), [1, 2, 1, 4])
    (tmp_path / "t.csv").write_text("label_a,label_b\n8,9\n")
    done = voxcc("map", "labels.npy", "--merge", "t.csv", "-o", "p.npy", cwd=tmp_path)
    assert "has no label of t.csv" in done.stderr
    np.testing.assert_array_equal(read(tmp_path / "p.npy").ravel(), [1, 2, 3, 4])


@pytest.mark.parametrize("tile", [8, 13, 64])
def test_stitched_tiles_have_the_labels_of_one_run(voxcc, tmp_path, tile):
    """examples/python/stitch_tiles.py, with tiles of full and of partial size, and with one tile."""
    np.save(tmp_path / "v.npy", volume := noise((20, 31, 45), 0.2, 2, seed=6))
    script = REPOSITORY / "examples" / "python" / "stitch_tiles.py"
    running = {"check": True, "cwd": tmp_path, "env": {**os.environ, "VOXCC": voxcc.program}, "timeout": 120}
    subprocess.run([sys.executable, script, "v.npy", "o.npy", str(tile)], **running)
    np.testing.assert_array_equal(np.load(tmp_path / "o.npy"), label_scipy(volume, 26))
    np.save(tmp_path / "v.npy", np.zeros((5, 6, 7), np.uint8)), subprocess.run([sys.executable, script, "v.npy", "empty.npy"], **running)
    assert not np.load(tmp_path / "empty.npy").any()
