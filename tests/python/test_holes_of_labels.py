"""--fill-holes with --mask, --multilabel and --delta: what is filled, and with which label."""
import numpy as np
import pytest
import scipy.ndimage
from helpers import read_nifti, read_table, streaming_limits, write_nifti
from parts_steps import in_parts


def labels(voxcc, tmp_path, array, *options):
    write_nifti(tmp_path / "in.nii", array)
    voxcc("label", tmp_path / "in.nii", "--fill-holes", "-o", tmp_path / "out.nii", "-f", "-q", *options)
    return read_nifti(tmp_path / "out.nii")


def box(shape, value, dtype=np.uint8, **holes):
    array = np.zeros(shape, dtype)
    array[tuple(slice(1, n - 1) for n in shape)] = value
    return array


def test_a_mask_bounds_the_filled_voxels(voxcc, tmp_path):
    array = box((5, 5, 5), 1)
    mask = np.ones_like(array)
    mask[2, 2, 2] = 0
    write_nifti(tmp_path / "mask.nii", mask)
    out = labels(voxcc, tmp_path, array, "--mask", tmp_path / "mask.nii")
    np.testing.assert_array_equal(out, array * mask)


@pytest.mark.parametrize("connectivity", (6, 18, 26))
@pytest.mark.parametrize("limit", ((), ("--max-hole", 4)))
def test_random_masks(voxcc, tmp_path, connectivity, limit):
    """Holes are holes of the foreground inside the mask, and only voxels inside the mask are filled: in one piece, in slabs, in parts."""
    random = np.random.default_rng(connectivity)
    array = (scipy.ndimage.gaussian_filter(random.normal(size=(30, 31, 33)), 0.8) > -0.15).astype(np.uint8)
    mask = (random.random(array.shape) > 0.05).astype(np.float32)
    mask[0, 0, :3] = np.nan
    inside = (mask != 0) & ~np.isnan(mask)
    foreground = (array != 0) & inside
    pieces, count = scipy.ndimage.label(~foreground, np.ones((3, 3, 3)) if connectivity == 6 else None)
    border = {*np.unique(np.concatenate([np.take(pieces, [0, -1], axis).ravel() for axis in range(3)]))}
    sizes = np.bincount(pieces.ravel(), minlength=count + 1)
    holes = [k for k in range(1, count + 1) if k not in border and (not limit or sizes[k] <= limit[1])]
    assert len(holes) > 20
    wanted = foreground | (np.isin(pieces, holes) & inside)
    assert wanted.sum() > foreground.sum()
    write_nifti(tmp_path / "mask.nii", mask)
    given = ["--mask", tmp_path / "mask.nii", "-c", connectivity, *limit]
    out = labels(voxcc, tmp_path, array, *given)
    np.testing.assert_array_equal(out != 0, wanted)
    content = (tmp_path / "out.nii").read_bytes()
    run = ["label", tmp_path / "in.nii", "--fill-holes", *given, "-o", tmp_path / "out.nii", "-f", "-t", 1]
    for memory in streaming_limits(voxcc, run, tmp_path):
        voxcc(*run, *memory, "-q")
        assert (tmp_path / "out.nii").read_bytes() == content
    in_parts(voxcc, tmp_path, tmp_path / "in.nii", "--fill-holes", "--part-size", 16, *given, outputs=["-o", tmp_path / "out.nii"])
    assert (tmp_path / "out.nii").read_bytes() == content
    for per_slice in "xyz":
        assert not (labels(voxcc, tmp_path, array, "--mask", tmp_path / "mask.nii", "--per-slice", per_slice) != 0)[~inside].any()


NESTED = box((9, 9, 9), 5)
NESTED[2:7, 2:7, 2:7] = 0
NESTED[3:6, 3:6, 3:6] = 7
NESTED[4, 4, 4] = 0


def test_a_hole_takes_the_value_around_it(voxcc, tmp_path):
    """The gap between 5 and 7 touches two values, and stays background. The hole inside 7 gets the value 7."""
    out = labels(voxcc, tmp_path, NESTED, "--multilabel", "--stats", tmp_path / "t.csv")
    filled = NESTED.copy()
    filled[4, 4, 4] = 7
    np.testing.assert_array_equal(out, np.where(filled == 5, 1, np.where(filled == 7, 2, 0)))
    assert [(row["source_label"], row["voxels"]) for row in read_table(tmp_path / "t.csv")] == [(5, (filled == 5).sum()), (7, 27)]
    one_value = np.where(NESTED > 0, 5, 0).astype(np.uint8)
    np.testing.assert_array_equal(labels(voxcc, tmp_path, one_value, "--multilabel"), labels(voxcc, tmp_path, one_value))


def test_differences(voxcc, tmp_path):
    """With --delta, a hole belongs to the only component around it. Holes of NaN are holes, too."""
    array = NESTED.astype(np.float32)
    array[4, 4, 4] = np.nan
    out = labels(voxcc, tmp_path, array, "--delta", 1)
    np.testing.assert_array_equal(out, np.where(NESTED == 5, 1, np.where((NESTED == 7) | np.isnan(array), 2, 0)))
    one = np.where(NESTED > 0, NESTED, 0).astype(np.int16)
    np.testing.assert_array_equal(labels(voxcc, tmp_path, one, "--delta", 1), labels(voxcc, tmp_path, NESTED, "--multilabel"))
    ramp = box((3, 9, 9), 1, np.int16) * np.arange(9, dtype=np.int16)
    ramp[1, 4, 4] = 0
    assert (labels(voxcc, tmp_path, ramp, "--delta", 1, "-c", 4, "--per-slice", "z")[1] == (box((3, 9, 9), 1)[1])).all()


def test_a_corner_does_not_join_components(voxcc, tmp_path):
    """The voxel of another component that touches a hole only by a corner stays separate."""
    array = np.zeros((5, 6), np.uint8)
    array[1:4, 1:4] = 3
    array[2, 2] = 0
    array[1, 1] = 4
    for option in (("--multilabel",), ("--delta", "0")):
        out = labels(voxcc, tmp_path, array[None], "-c", 8, *option)[0]
        assert out[2, 2] == out[2, 1] == out[1, 2] != out[1, 1] != 0


@pytest.mark.parametrize("axes", ("x", "xyz"))
def test_periodic_axes(voxcc, tmp_path, axes):
    """A tube through a periodic axis is a hole of the component around it."""
    array = np.full((6, 6, 5), 2, np.uint8)
    array[[0, -1]] = array[:, [0, -1]] = 0
    array[2:4, 2:4] = 0
    for option in (("--multilabel",), ()):
        out = labels(voxcc, tmp_path, array, "--periodic", axes, *option)
        assert (out[1:5, 1:5] == 1).all()


def test_where_it_is_refused(voxcc, tmp_path):
    array = np.kron(np.random.default_rng(1).integers(0, 3, (40, 40, 40)), np.ones((2, 2, 2))).astype(np.uint8)
    write_nifti(tmp_path / "in.nii", array)
    for option in (("--multilabel",), ("--delta", "1")):
        error = voxcc.fails(71, "label", tmp_path / "in.nii", "--fill-holes", *option, "--max-memory", "1MB", "-t", 1)
        assert f"in one piece for --fill-holes with {option[0]}" in error
    assert "--fill-holes: is not possible in parts with --multilabel" in voxcc.fails(
        64, "split", tmp_path / "in.nii", "--fill-holes", "--multilabel", "-o", tmp_path / "plan.json")
    assert "cannot be combined with both --delta and --periodic" in voxcc.fails(
        64, "label", tmp_path / "in.nii", "--fill-holes", "--delta", 1, "--periodic", "x", "--stats", "-")
    assert list(tmp_path.iterdir()) == [tmp_path / "in.nii"]
