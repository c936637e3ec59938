"""--reader: ITK and the own readers give the same labels and tables. The differences are listed in docs/formats.md and tested here."""

import json
import os
import resource
import struct
from pathlib import Path

import h5py
import nibabel
import nrrd
import numpy as np
import pytest
import SimpleITK
import tifffile
from helpers import noise, read_nifti, read_table
from test_data import FOLDER, MAY_BE_READ, hostile, needs_data, run_bounded

VOLUME = noise((7, 12, 35), 0.25)
TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")
LPS_TO_RAS = np.diag([-1, -1, 1])


def stored(dtype):
    """VOLUME with values that use all bytes of the type."""
    values = {"f": 0.25, "u": 2**63 + 5, "i": -(2**62) - 5}
    kind = np.dtype(dtype)
    value = values[kind.kind] if kind.kind == "f" else values[kind.kind] >> (64 - 8 * kind.itemsize)
    return np.where(VOLUME, np.array(value, kind), np.array(0, kind))


def oblique_image(array):
    """An image of ITK with a rotated grid and three different spacings."""
    image = SimpleITK.GetImageFromArray(array)
    image.SetSpacing((0.5, 0.75, 2))
    image.SetOrigin((10, -20, 30))
    turn = SimpleITK.Euler3DTransform()
    turn.SetRotation(0.3, -0.2, 0.5)
    image.SetDirection(turn.GetMatrix())
    return image


def affine_of(image):
    """The affine of an image of ITK: voxel (i, j, k) to mm in RAS+."""
    direction = np.array(image.GetDirection()).reshape(3, 3)
    steps = LPS_TO_RAS @ direction @ np.diag(image.GetSpacing())
    return np.column_stack([steps, LPS_TO_RAS @ np.array(image.GetOrigin())])


def label(voxcc, folder, path, *options):
    """Labels and rows of the table."""
    voxcc("label", path, "-o", folder / "labels.nii", "--stats", folder / "table.csv", "-f", "-q", *options)
    return read_nifti(folder / "labels.nii"), read_table(folder / "table.csv")


def check_same(voxcc, folder, path, *options, columns=None):
    """Checks that both readers give the same labels and table. @param columns of the table to compare; None: all"""
    labels, table = label(voxcc, folder, path, *options)
    by_itk, table_by_itk = label(voxcc, folder, path, "--reader", "itk", *options)
    np.testing.assert_array_equal(by_itk, labels)
    assert labels.dtype == by_itk.dtype and len(table) == len(table_by_itk)
    for row, row_by_itk in zip(table, table_by_itk):
        for name in columns or row:
            assert row_by_itk[name] == pytest.approx(row[name], rel=1e-4, abs=1e-4), name


def info(voxcc, path, *options):
    return json.loads(voxcc("info", path, "--json", *options).stdout)


@pytest.mark.parametrize("suffix", ("nii", "nii.gz", "nrrd", "mha", "mhd", "h5"))
def test_files_of_itk(voxcc, tmp_path, suffix):
    """Volumes that ITK wrote: both readers give the position that ITK was given."""
    path = tmp_path / f"in.{suffix}"
    for dtype in TYPES:
        image = oblique_image(stored(dtype))
        for compressed in (False, True):
            SimpleITK.WriteImage(image, str(path), compressed)
            check_same(voxcc, tmp_path, path, "--multilabel")
        of_itk, own = info(voxcc, path, "--reader", "itk"), info(voxcc, path)
        np.testing.assert_allclose(own["affine"], affine_of(image), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(of_itk["affine"], affine_of(image), rtol=1e-5, atol=1e-5)
        for key in ("format", "compression", "shape", "dimensions", "volumes", "stored_type", "read_as", "range"):
            assert of_itk[key] == own[key], key
