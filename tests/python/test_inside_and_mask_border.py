"""--inside: a voxel inside each component. --clear-mask-border: components at the edge of the mask."""
import numpy as np
import pytest
import scipy.ndimage
from helpers import blobs, label_scipy, noise, read_nifti, read_table, streaming_limits, write_nifti

AFFINE = np.array([[-2, 0, 0.5, 10], [0, 3, 0, -20], [0, 0, 4, 5], [0, 0, 0, 1.0]])


def inside_of(labels, k):
    """The middle voxel of the run that contains the middle voxel; index (i, j, k)."""
    flat = np.flatnonzero(labels.ravel() == k)
    z, y, x = np.unravel_index(flat[(len(flat) - 1) // 2], labels.shape)
    first = last = x
    while first > 0 and labels[z, y, first - 1] == k:
        first -= 1
    while last + 1 < labels.shape[2] and labels[z, y, last + 1] == k:
        last += 1
    return (first + last) // 2, y, z


def check_rows(rows, labels, affine):
    assert len(rows) > 0
    for row in rows:
        at = inside_of(labels, row["label"])
        assert (row["inside_i"], row["inside_j"], row["inside_k"]) == at and labels[at[::-1]] == row["label"]
        np.testing.assert_allclose([row[f"inside_{axis}_mm"] for axis in "xyz"], affine[:3, :3] @ at + affine[:3, 3])


@pytest.mark.parametrize("connectivity", (6, 26))
def test_a_voxel_inside(voxcc, tmp_path, connectivity):
    array = blobs((44, 45, 71), 0.45, seed=connectivity).astype(np.uint8)
    write_nifti(tmp_path / "in.nii", array, AFFINE)
    given = ["label", tmp_path / "in.nii", "-c", connectivity, "--inside", "--stats", tmp_path / "t.csv", "-o", tmp_path / "l.nii", "-f", "-t", 1]
    voxcc(*given)
    labels = read_nifti(tmp_path / "l.nii")
    check_rows(read_table(tmp_path / "t.csv"), labels, AFFINE)
    table = (tmp_path / "t.csv").read_bytes()
    for limit in streaming_limits(voxcc, given, tmp_path):
        voxcc(*given, *limit)
        assert (tmp_path / "t.csv").read_bytes() == table
    voxcc(*given, "--keep-largest", 5, "--sort", "size")
    check_rows(read_table(tmp_path / "t.csv"), read_nifti(tmp_path / "l.nii"), AFFINE)
    spread = np.where(labels % 3 == 1, 7, labels).astype(np.int16)
    write_nifti(tmp_path / "l.nii", spread, AFFINE)
    voxcc("stats", tmp_path / "l.nii", "--inside", "-o", tmp_path / "s.csv")
    check_rows(read_table(tmp_path / "s.csv"), spread, AFFINE)


@pytest.mark.parametrize("suffix", (".nii.gz", ".tif"))
def test_a_voxel_inside_of_many_labels(voxcc, tmp_path, suffix):
    """Several threads read the labels, so each thread meets them in its own order."""
    labels = np.where(noise((60, 80, 70), 0.2, seed=5), np.arange(60 * 80 * 70).reshape(60, 80, 70) // 3, 0).astype(np.uint32)
    write_nifti(tmp_path / "in.nii", labels, AFFINE)
    voxcc("label", tmp_path / "in.nii", "--multilabel", "-c", 6, "-o", tmp_path / f"l{suffix}")
    voxcc("stats", tmp_path / f"l{suffix}", "--inside", "-o", tmp_path / "s.csv")
    voxcc("label", tmp_path / "in.nii", "--multilabel", "-c", 6, "-o", tmp_path / "l2.nii")
    found = read_nifti(tmp_path / "l2.nii")
    rows = read_table(tmp_path / "s.csv")
    assert len(rows) == found.max() > 30_000
    at = np.array([[row[f"inside_{axis}"] for axis in "kji"] for row in rows], int)
    assert (found[tuple(at.T)] == [row["label"] for row in rows]).all()


@pytest.mark.parametrize("axis", "xyz")
def test_slices_and_rings(voxcc, tmp_path, axis):
    array = np.zeros((11, 11, 11), np.uint8)
    array[2:9, 2:9, 2:9] = 1
    array[3:8, 3:8, 3:8] = 0
    write_nifti(tmp_path / "in.nii", array, AFFINE)
    voxcc("label", tmp_path / "in.nii", "--per-slice", axis, "--inside", "--stats", tmp_path / "t.csv", "-o", tmp_path / "l.nii")
    check_rows(read_table(tmp_path / "t.csv"), read_nifti(tmp_path / "l.nii"), AFFINE)


def touching(labels, inside, axes=(0, 1, 2), periodic=()):
    """Labels that touch a voxel outside the mask by a face. @param axes 0 is z"""
    found = set()
    for axis in axes:
        for shift in (1, -1):
            outside = np.roll(~inside, shift, axis)
            if axis not in periodic:
                edge = [slice(None)] * 3
                edge[axis] = 0 if shift == 1 else -1
                outside[tuple(edge)] = False
            found |= set(np.unique(labels[outside]))
    return found - {0}


@pytest.mark.parametrize("given, axes, periodic", (([], (0, 1, 2), ()), (["--periodic", "xz"], (0, 1, 2), (0, 2)), (["--per-slice", "x"], (0, 1), ()),
                                                   (["--per-slice", "y", "--periodic", "x"], (0, 2), (2,)), (["--clear-border"], (0, 1, 2), ())))
def test_components_at_the_edge_of_the_mask(voxcc, tmp_path, given, axes, periodic):
    array = blobs((40, 41, 70), 0.2, 1.0, seed=3).astype(np.uint8)
    mask = scipy.ndimage.gaussian_filter(np.random.default_rng(2).normal(size=array.shape), 6).astype(np.float32)
    mask[mask < 0] = 0
    mask[3, 4, :5] = np.nan
    write_nifti(tmp_path / "in.nii", array)
    write_nifti(tmp_path / "mask.nii", mask)
    run = ["label", tmp_path / "in.nii", "--mask", tmp_path / "mask.nii", *given, "-o", tmp_path / "l.nii", "-f", "-q", "-t", 1]
    voxcc(*run)
    labels = read_nifti(tmp_path / "l.nii")
    gone = touching(labels, (mask != 0) & ~np.isnan(mask), axes, periodic)
    assert 0 < len(gone) < labels.max()
    kept = np.where(np.isin(labels, list(gone)), 0, labels)
    numbers = {label: number for number, label in enumerate(sorted(set(np.unique(kept)) - {0}), 1)} | {0: 0}
    voxcc(*run, "--clear-mask-border")
    cleared = read_nifti(tmp_path / "l.nii")
    np.testing.assert_array_equal(cleared, np.vectorize(numbers.get)(kept))
    content = (tmp_path / "l.nii").read_bytes()
    if "--per-slice" in given and periodic:  # the memory is mainly for the ends of the periodic axis
        return
    for limit in streaming_limits(voxcc, [*run, "--clear-mask-border"], tmp_path):
        voxcc(*run, "--clear-mask-border", *limit)
        assert (tmp_path / "l.nii").read_bytes() == content


def test_where_it_is_refused(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", np.ones((3, 4, 5), np.uint8))
    assert "--clear-mask-border: needs a mask" in voxcc.fails(64, "label", tmp_path / "in.nii", "--clear-mask-border", "--stats", "-")
    assert "--inside: adds columns to the table" in voxcc.fails(64, "label", tmp_path / "in.nii", "--inside")
    for given in (("--clear-mask-border", "--mask", tmp_path / "in.nii"), ("--inside",)):
        assert f"{given[0]}: is not possible in parts" in voxcc.fails(64, "split", tmp_path / "in.nii", *given, "-o", tmp_path / "plan.json")
