"""Row 14: sheared, singular, NaN and zero sforms, and unusable qforms. Labels are right, the header is copied, and no number in mm is wrong."""

import struct

import nibabel
import numpy as np
import pytest

from helpers import columns, label_scipy, nifti_type, noise, read_table, write_nifti

ARRAY = noise((6, 7, 8), 0.2, seed=3)
COMPONENTS = label_scipy(ARRAY, 26)
STEPS = np.array([2, 3, 4])  # mm along i, j, k
SHEARED = np.array([[2, 0.5, 0, 10], [0, 3, 0.75, -20], [0.25, 0, 4, 30], [0, 0, 0, 1]])
QOFFSET = [5, 6, 7]
SINGULAR = SHEARED.copy()
SINGULAR[:, 1] = 2 * SINGULAR[:, 0]
NAN = SHEARED.copy()
NAN[0, 0] = np.nan
INFINITE = SHEARED.copy()
INFINITE[1, 3] = np.inf
ZERO = np.zeros((4, 4))
# The header fields by their offsets in NIfTI-1.
QFORM_CODE, SFORM_CODE, PIXDIM, QUATERN, SROW = 252, 254, 76, 256, 280
MM = ("volume_mm3", "centroid_x_mm", "centroid_y_mm", "centroid_z_mm", "cov_xx_mm2", "cov_yz_mm2", "axis1_mm", "elongation", "flatness")


def write(path, sform=None, sform_code=1, qform_code=0, quaternion=(0, 0, 0), steps=None):
    """Writes ARRAY with these fields in the header, as bytes, because libraries do not write such headers.

    @param steps  pixdim; by default the steps of the sform if it is used and finite, and otherwise STEPS
    """
    if steps is None:
        steps = np.linalg.norm(SHEARED[:3, :3], axis=0) if sform is SHEARED and sform_code > 0 else STEPS
    write_nifti(path, ARRAY)
    header = bytearray(path.read_bytes())
    struct.pack_into("<hh", header, QFORM_CODE, qform_code, 0 if sform is None else sform_code)
    struct.pack_into("<4f", header, PIXDIM, 1, *steps)
    struct.pack_into("<6f", header, QUATERN, *quaternion, *QOFFSET)
    struct.pack_into("<12f", header, SROW, *np.ravel(ZERO[:3] if sform is None else sform[:3]))
    path.write_bytes(header)
    return path


def label(voxcc, path, *options):
    """@return the rows of the table, and the warnings without the name of the file"""
    folder = path.parent
    done = voxcc("label", path, "-o", folder / "out.nii", "--stats", folder / "out.csv", "-f", *options)
    # As bytes, because nibabel refuses some of the headers. 352: the offset of the voxels.
    labels = np.frombuffer((folder / "out.nii").read_bytes()[352:], nifti_type(COMPONENTS.max())).reshape(ARRAY.shape)
    np.testing.assert_array_equal(labels, COMPONENTS)
    if not options:  # the geometry is copied bit by bit
        source, copy = path.read_bytes(), (folder / "out.nii").read_bytes()
        assert source[PIXDIM:108] == copy[PIXDIM:108] and source[QFORM_CODE:328] == copy[QFORM_CODE:328]
    prefix = f"voxcc: warning: {path}: "
    lines = done.stderr.splitlines()
    note = f"voxcc: note: {path}: does not state the size of its voxels"
    assert all(line.startswith((prefix, note)) for line in lines), done.stderr
    lines = [line for line in lines if line.startswith(prefix)]
    return read_table(folder / "out.csv"), [line.removeprefix(prefix) for line in lines]


def assert_placed(rows, affine):
    """The centroids and the volumes are the indices through this affine."""
    indices = columns(rows, "centroid_i", "centroid_j", "centroid_k")
    expected = indices @ affine[:3, :3].T + affine[:3, 3]
    np.testing.assert_allclose(columns(rows, "centroid_x_mm", "centroid_y_mm", "centroid_z_mm"), expected, rtol=1e-5, atol=1e-5)
    volume = abs(np.linalg.det(affine[:3, :3]))
    np.testing.assert_allclose(columns(rows, "volume_mm3")[:, 0], [row["voxels"] * volume for row in rows], rtol=1e-5)


def assert_without_place(rows, warnings):
    assert len(rows) > 5 and all(row[name] == "n/a" for row in rows for name in MM)
    assert all(isinstance(row[name], (int, float)) for row in rows for name in ("voxels", "centroid_i", "cov_ij", "bbox_k_max"))
    assert "all columns in mm are n/a" in warnings[-1]


def test_row14_sheared_sform(voxcc, tmp_path):
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", SHEARED))
    assert warnings == []
    assert_placed(rows, SHEARED)


@pytest.mark.parametrize("sform", [SINGULAR, NAN, ZERO, INFINITE], ids=["singular", "nan", "zero", "infinite"])
@pytest.mark.parametrize("code", [1, 4])
def test_row14_unusable_sform_alone(voxcc, tmp_path, sform, code):
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", sform, code))
    assert len(warnings) == 2 and "sform is singular or not finite" in warnings[0]
    assert_without_place(rows, warnings)


@pytest.mark.parametrize("sform", [SINGULAR, NAN, ZERO], ids=["singular", "nan", "zero"])
def test_row14_usable_qform_takes_over(voxcc, tmp_path, sform):
    """A half turn about z: x and y change their signs."""
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", sform, qform_code=1, quaternion=(0, 0, 1)))
    assert len(warnings) == 1 and "sform" in warnings[0] and "the qform is used" in warnings[0]
    affine = np.diag([-2.0, -3, 4, 1])
    affine[:3, 3] = QOFFSET
    assert_placed(rows, affine)
    np.testing.assert_allclose(nibabel.load(tmp_path / "out.nii").get_qform(), affine, atol=1e-6)


@pytest.mark.parametrize("quaternion", [(1, 1, 1), (0, 0, 1.01), (np.nan, 0, 0), (np.inf, 0, 0)])
def test_row14_unusable_quaternion(voxcc, tmp_path, quaternion):
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", qform_code=1, quaternion=quaternion))
    assert len(warnings) == 2 and "qform" in warnings[0]
    assert_without_place(rows, warnings)
    # With a usable sform, the positions are right, but other programs may use the qform.
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", SHEARED, qform_code=1, quaternion=quaternion))
    assert len(warnings) == 1 and "qform" in warnings[0] and "the sform is used" in warnings[0]
    assert_placed(rows, SHEARED)


def test_row14_rounded_quaternion_is_a_rotation(voxcc, tmp_path):
    third = np.float32(np.sqrt(1 / 3))  # three of these are a half turn about (1, 1, 1); their squares add up to 1 + 3e-8
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", qform_code=1, quaternion=(third, third, third)))
    assert warnings == []
    turn = 2 / 3 * np.ones((3, 3)) - np.eye(3)
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = turn * STEPS, QOFFSET
    assert_placed(rows, affine)


def test_row14_both_codes_0(voxcc, tmp_path):
    """The header states no place: a position is index times pixdim, whatever the other fields hold."""
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", SINGULAR, sform_code=0, quaternion=(1, 1, 1)))
    assert warnings == []
    assert_placed(rows, np.diag([2.0, 3, 4, 1]))


@pytest.mark.parametrize("code", [6, 99, -1])
def test_row14_unknown_codes(voxcc, tmp_path, code):
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", SHEARED, sform_code=code))
    assert len(warnings) == 1 and f"sform_code is {code}" in warnings[0]
    assert_placed(rows, SHEARED if code > 0 else np.diag([2.0, 3, 4, 1]))
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", qform_code=code))
    assert len(warnings) == 1 and f"qform_code is {code}" in warnings[0]


@pytest.mark.parametrize("step", [0, -3, np.nan, np.inf])
def test_row14_unusable_pixdim(voxcc, tmp_path, step):
    steps = (2, step, 4)
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", qform_code=1, steps=steps))
    assert len(warnings) == 2 and "pixdim" in warnings[0]
    assert_without_place(rows, warnings)
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", SHEARED, steps=steps))
    assert len(warnings) == 1 and "pixdim" in warnings[0] and "the sform is used" in warnings[0]
    assert_placed(rows, SHEARED)
    rows, warnings = label(voxcc, write(tmp_path / "in.nii", steps=steps))
    assert len(warnings) == 1 and "the size of the voxels is unknown" in warnings[0]
    assert not any(name in rows[0] for name in MM[:6]) and all(row["volume_voxel3"] == row["voxels"] for row in rows)


@pytest.mark.parametrize("sform", [SINGULAR, NAN], ids=["singular", "nan"])
def test_row14_spacing_is_the_remedy(voxcc, tmp_path, sform):
    path = write(tmp_path / "in.nii", sform)
    assert "--spacing" in voxcc.fails(64, "label", path, "--min-size", "5mm3", "--stats", tmp_path / "t.csv")
    rows, _ = label(voxcc, path, "--spacing", "2,3,5")
    assert_placed(rows, np.diag([2.0, 3, 5, 1]))


def test_row14_stats_and_info(voxcc, tmp_path):
    path = write(tmp_path / "in.nii", NAN)
    done = voxcc("stats", path, "-o", tmp_path / "t.csv")
    assert all(row["volume_mm3"] == "n/a" for row in read_table(tmp_path / "t.csv")) and "all columns in mm are n/a" in done.stderr
    assert "sform is singular or not finite" in voxcc("info", path, "--json").stdout


@pytest.mark.parametrize("extension", ["nrrd", "mha", "npy", "tif", "h5", "nii.gz"])
def test_row14_other_formats(voxcc, tmp_path, extension):
    """The label volume of a file without a place is written, and can be read."""
    path = write(tmp_path / "in.nii", SINGULAR)
    voxcc("label", path, "-o", tmp_path / f"out.{extension}")
    voxcc("compare", tmp_path / f"out.{extension}", tmp_path / f"out.{extension}")
