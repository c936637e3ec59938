"""`voxcc map --fill-holes` beside scipy: a search hole by hole, and each label filled alone."""

import os

import nibabel
import numpy as np
import pytest
import scipy.ndimage
from helpers import read_nifti, structure, voronoi, write_nifti

DUAL = {26: 6, 18: 6, 6: 26, 8: 4, 4: 8}


def holes_of(labels, connectivity):
    """The labels of the background, and its components that are holes. Axes of length 1 have no faces."""
    neighbours = structure(DUAL[connectivity])
    if neighbours.ndim == 2:
        neighbours = np.stack([np.zeros((3, 3)), neighbours, np.zeros((3, 3))])
    pieces, count = scipy.ndimage.label(labels == 0, neighbours)
    border = {*np.unique(np.concatenate([pieces.take([0, -1], axis).ravel() for axis in range(3) if labels.shape[axis] > 1])).tolist()}
    return pieces, [k for k in range(1, count + 1) if k not in border]


def around(pieces, hole, labels):
    """The labels that share a face with a hole."""
    inside = pieces == hole
    return np.unique(labels[scipy.ndimage.binary_dilation(inside) & ~inside])


def expected(labels, connectivity, most=np.inf):
    """The filled labels, the number of filled holes, and the number of holes between several labels."""
    pieces, holes = holes_of(labels, connectivity)
    result, filled, left = labels.copy(), 0, 0
    for hole in holes:
        found = around(pieces, hole, labels)
        if (pieces == hole).sum() > most or not found.size:
            continue
        if found.size > 1:
            left += 1
            continue
        result[pieces == hole] = found[0]
        filled += 1
    return result, filled, left


def random_labels(seed):
    """Cells with holes, nested shells, or noise: volumes, volumes of one slice, and slices along y."""
    random = np.random.default_rng(seed)
    shape = [(9, 10, 70), (7, 8, 9), (1, 17, 20), (12, 1, 15), (6, 5, 1)][seed % 5]
    kind = seed // 5 % 3
    if kind == 0:
        labels = voronoi(shape, int(random.integers(1, 12)), 0.1, seed).astype(np.int64)
    elif kind == 1:
        distance = np.max(np.abs(np.indices(shape) - np.array(shape).reshape(3, 1, 1, 1) // 2) * (np.array(shape) > 1).reshape(3, 1, 1, 1), axis=0)
        labels = np.array([0, 3, 0, 5, 7, 0, 7, 2, 0, 9] * 8)[distance + random.integers(0, 3)]
    else:
        labels = random.integers(1, 4, shape)
    return np.where(random.random(shape) < random.choice([0, 0.05, 0.3]), 0, labels).astype(np.uint16)


def fill(voxcc, tmp_path, labels, *options):
    write_nifti(tmp_path / "in.nii", labels)
    voxcc("map", tmp_path / "in.nii", "--fill-holes", "-o", tmp_path / "out.nii", "-f", "-q", *options)
    return read_nifti(tmp_path / "out.nii")


@pytest.mark.parametrize("part", range(6))
def test_random_labels(voxcc, tmp_path, part):
    filled = left = 0
    for seed in range(part * 30, part * 30 + 30):
        labels = random_labels(seed)
        connectivity = ([8, 4] if labels.shape[0] == 1 else [26, 18, 6])[seed % (2 if labels.shape[0] == 1 else 3)]
        most = [np.inf, 2][seed % 7 == 0]
        want, holes, between = expected(labels, connectivity, most)
        filled, left = filled + holes, left + between
        options = ["-c", connectivity, *(["--max-hole", most] if most == 2 else [])]
        np.testing.assert_array_equal(fill(voxcc, tmp_path, labels, *options, "-t", 1), want)
        content = (tmp_path / "out.nii").read_bytes()
        for more in (["-t", 4], ["--max-memory", "1000", "-t", 2]):
            fill(voxcc, tmp_path, labels, *options, *more)
            assert (tmp_path / "out.nii").read_bytes() == content
    assert filled > 20 and left > 5


@pytest.mark.parametrize("part", range(3))
def test_each_label_alone(voxcc, tmp_path, part):
    """Where the filled voxels of different labels do not meet and hold no other label, each label is filled as if it were alone.

    With 6 neighbours, a hole ends only at labels: if another label touches it by an edge, the label alone does not enclose it.
    """
    compared = 0
    for seed in range(part * 40, part * 40 + 40):
        labels = random_labels(seed)
        connectivity = 8 if labels.shape[0] == 1 else (26, 18, 6)[seed % 3]
        got = fill(voxcc, tmp_path, labels, "-c", connectivity)
        flat = labels.shape[0] == 1
        background = structure(DUAL[connectivity], 2) if flat else structure(DUAL[connectivity])
        alone = {}
        for label in np.unique(labels[labels > 0]):
            mask = labels == label
            # Axes of length 1 have no faces.
            image = mask.reshape([n for n in labels.shape if n > 1])
            shape = background if image.ndim == background.ndim else scipy.ndimage.generate_binary_structure(image.ndim, image.ndim if connectivity == 6 else 1)
            alone[label] = scipy.ndimage.binary_fill_holes(image, shape).reshape(labels.shape) & ~mask
        times = sum(filled.astype(int) for filled in alone.values())
        for label, filled in alone.items():
            pieces, count = scipy.ndimage.label(filled, np.ones((3, 3, 3)))
            for piece in range(1, count + 1):
                inside = pieces == piece
                if (labels[inside] == 0).all() and (times[inside] == 1).all():
                    assert (got[inside] == label).all()
                    compared += 1
        changed = got != labels
        assert (labels[changed] == 0).all()
        if connectivity != 6:
            for label, filled in alone.items():
                assert filled[changed & (got == label)].all()
    assert compared > 20


def test_holes_are_holes_of_the_new_numbers(voxcc, tmp_path):
    """Two halves of a shell enclose a hole together once they have one number. A label that becomes 0 can be a hole."""
    labels = np.zeros((7, 9, 9), np.uint8)
    labels[1:6, 1:8, 1:8] = 4
    labels[1:6, 1:8, 5:8] = 6
    labels[2:5, 3:6, 3:6] = 0
    labels[3, 4, 4] = 9
    assert (fill(voxcc, tmp_path, labels) == labels).all()
    (tmp_path / "t.csv").write_text("label,new\n4,300\n6,300\n9,0\n")
    want = np.zeros_like(labels, np.uint16)
    want[1:6, 1:8, 1:8] = 300
    np.testing.assert_array_equal(fill(voxcc, tmp_path, labels, "--table", tmp_path / "t.csv"), want)
    (tmp_path / "c.csv").write_text("label_a,label_b\n4,6\n4,9\n")
    np.testing.assert_array_equal(fill(voxcc, tmp_path, labels, "--merge", tmp_path / "c.csv"), want // 75)
    write_nifti(tmp_path / "in.nii", labels)
    note = voxcc("map", tmp_path / "in.nii", "--fill-holes", "-o", tmp_path / "o.nii").stderr
    assert "3 labels" in note and "filled 0 holes; 1 hole between several labels is not filled (26 voxels)" in note
    note = voxcc("map", tmp_path / "in.nii", "--fill-holes", "--table", tmp_path / "t.csv", "-o", tmp_path / "o.nii", "-f").stderr
    assert "filled 1 hole (27 voxels)" in note and "between" not in note


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "uint64", "float32"])
def test_types(voxcc, tmp_path, dtype):
    labels = random_labels(0).astype(dtype)
    labels[labels == 3] = np.iinfo(dtype).max if dtype != "float32" else 70000
    want, holes, _ = expected(labels, 26)
    assert holes > 0
    np.save(tmp_path / "in.npy", labels)
    voxcc("map", tmp_path / "in.npy", "--fill-holes", "-o", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), want)


def test_volumes_pipes_and_formats(voxcc, tmp_path):
    """Each volume of a series is filled separately."""
    series = np.stack([random_labels(seed) for seed in (0, 15, 10, 40)])
    nibabel.save(nibabel.Nifti1Image(series.T, np.eye(4)), tmp_path / "s.nii.gz")
    want = np.stack([expected(volume, 26)[0] for volume in series])
    assert (want != series).any(axis=(1, 2, 3)).sum() > 1
    voxcc("map", "s.nii.gz", "--volume", "all", "--fill-holes", "-o", "all.nii.gz", cwd=tmp_path)
    np.testing.assert_array_equal(read_nifti(tmp_path / "all.nii.gz"), want)
    voxcc("map", "s.nii.gz[1]", "--fill-holes", "-o", "one.nii", cwd=tmp_path)
    for output in ("one.zarr", "one.tif", "one.h5", "one.nrrd"):
        voxcc("map", "s.nii.gz[1]", "--fill-holes", "-o", output, cwd=tmp_path)
        voxcc("compare", "one.nii", output, "--exact", cwd=tmp_path)
    assert os.system(f"cd {tmp_path} && {voxcc.program} map - --fill-holes -o - < one.nii > again.nii 2>/dev/null") == 0
    voxcc("compare", "one.nii", "again.nii", "--exact", cwd=tmp_path)
    np.testing.assert_array_equal(read_nifti(tmp_path / "one.nii"), want[1])


def test_sizes_with_units(voxcc, tmp_path):
    labels = np.ones((5, 5, 12), np.uint8)
    labels[2, 2, 2], labels[2, 2, 5:7] = 0, 0
    nibabel.save(nibabel.Nifti1Image(labels.T, np.diag([2, 1, 1, 1])), tmp_path / "in.nii")
    for size, holes in (("2mm3", 1), ("4mm3", 2), ("1", 1), ("1.9mm3", 0)):
        note = voxcc("map", tmp_path / "in.nii", "--fill-holes", "--max-hole", size, "-o", tmp_path / "out.nii", "-f").stderr
        assert f"filled {holes} hole" in note


def test_errors(voxcc, tmp_path):
    labels = random_labels(0)
    write_nifti(tmp_path / "in.nii", labels)
    for options in (["-c", 6], ["--max-hole", 4], ["--max-memory", "1GB"]):
        (tmp_path / "t.csv").write_text("label,new\n1,2\n")
        assert "add --fill-holes" in voxcc.fails(64, "map", tmp_path / "in.nii", "--table", tmp_path / "t.csv", "-o", tmp_path / "o.nii", *options)
    assert "is for images of one slice" in voxcc.fails(64, "map", tmp_path / "in.nii", "--fill-holes", "-c", 8, "-o", tmp_path / "o.nii")
    assert "needs new numbers" in voxcc.fails(64, "map", tmp_path / "in.nii", "-o", tmp_path / "o.nii")
    np.save(tmp_path / "negative.npy", -labels.astype(np.int32))
    assert "would keep the negative label" in voxcc.fails(65, "map", tmp_path / "negative.npy", "--fill-holes", "-o", tmp_path / "o.npy")
    np.save(tmp_path / "real.npy", labels + np.float32(0.5))
    assert "labels must be whole numbers" in voxcc.fails(65, "map", tmp_path / "real.npy", "--fill-holes", "-o", tmp_path / "o.npy")
    assert not list(tmp_path.glob("o.*"))
