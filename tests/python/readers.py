"""Helpers of the tests of --reader."""

import json

import numpy as np
import pytest
import SimpleITK
from helpers import noise, read_nifti, read_table

VOLUME = noise((7, 12, 35), 0.25)
TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")
LPS_TO_RAS = np.diag([-1, -1, 1])
ITK_ONLY = "only ITK reads this format"


def stored(dtype):
    """VOLUME with foreground values that use all bytes of the type."""
    kind = np.dtype(dtype)
    values = {"f": 0.25, "u": (2**63 + 5) >> (64 - 8 * kind.itemsize), "i": (-(2**62) - 5) >> (64 - 8 * kind.itemsize)}
    return np.where(VOLUME, np.array(values[kind.kind]).astype(kind), np.array(0, kind))


def oblique(array):
    """An image of ITK with a rotated grid and three different spacings."""
    image = SimpleITK.GetImageFromArray(array)
    turn = SimpleITK.Euler3DTransform()
    turn.SetRotation(0.3, -0.2, 0.5)
    image.SetSpacing((0.5, 0.75, 2))
    image.SetOrigin((10, -20, 30))
    image.SetDirection(turn.GetMatrix())
    return image


def affine_of(image):
    """The affine of an image of ITK: voxel (i, j, k) to mm in RAS+."""
    steps = LPS_TO_RAS @ np.array(image.GetDirection()).reshape(3, 3) @ np.diag(image.GetSpacing())
    return np.column_stack([steps, LPS_TO_RAS @ np.array(image.GetOrigin())])


def label(voxcc, folder, path, *given):
    """The labels and the rows of the table."""
    voxcc("label", path, "-o", folder / "labels.nii", "--stats", folder / "table.csv", "-f", "-q", *given)
    return read_nifti(folder / "labels.nii"), read_table(folder / "table.csv")


def check_same(voxcc, folder, path, *given, columns=None):
    """Both readers must give the same labels and table. @param columns names of the columns to compare; None: all"""
    labels, table = label(voxcc, folder, path, *given)
    labels_by_itk, table_by_itk = label(voxcc, folder, path, "--reader", "itk", *given)
    assert labels_by_itk.dtype == labels.dtype and len(table_by_itk) == len(table) > 0
    np.testing.assert_array_equal(labels_by_itk.squeeze(), labels.squeeze())
    for row, row_by_itk in zip(table, table_by_itk):
        for name in columns or row:
            assert row_by_itk[name] == pytest.approx(row[name], rel=1e-4, abs=1e-4), name


VOXEL_COLUMNS = ("label", "voxels", "centroid_i", "centroid_j", "centroid_k", "bbox_i_min", "bbox_k_max", "cov_ij")


def info(voxcc, path, *given):
    return json.loads(voxcc("info", path, "--json", *given).stdout)


def refused(voxcc, folder, path, fragment, *given):
    """Checks that ITK must not be used for the file, and that no output is left. `fragment` is part of the error."""
    line = voxcc.fails(64, "label", path, "--reader", "itk", "-o", folder / "no.nii", "--stats", folder / "no.csv", "-q", *given)
    assert fragment in line and line.endswith("; read it with --reader voxcc")
    assert not (folder / "no.nii").exists() and not (folder / "no.csv").exists()
