"""GIPL files against SimpleITK: voxels, position, compression, and damaged headers."""

import gzip
import struct

import numpy as np
import pytest
import SimpleITK
from helpers import read_nifti
from readers import affine_of, check_same, info

ARRAY = np.random.default_rng(2).integers(0, 186, (5, 9, 11)).astype("i2")


def write(path):
    image = SimpleITK.GetImageFromArray(ARRAY)
    image.SetSpacing((0.7, 0.8, 2.5))
    image.SetOrigin((1, 2, 3))
    SimpleITK.WriteImage(image, str(path))
    return image


@pytest.mark.parametrize("suffix", ["gipl", "gipl.gz"])
def test_voxels_and_position(voxcc, tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    image = write(path)
    voxcc("label", path, "--threshold=-inf:inf", "--masked-output", tmp_path / "values.nii", "-q")
    np.testing.assert_array_equal(read_nifti(tmp_path / "values.nii"), ARRAY)
    described = info(voxcc, path)
    assert described["format"] == "GIPL" and described["unit"] == "mm"
    np.testing.assert_allclose(described["affine"], affine_of(image), rtol=1e-6)
    check_same(voxcc, tmp_path, path)


def test_several_volumes(voxcc, tmp_path):
    write(tmp_path / "a.gipl")
    content = (tmp_path / "a.gipl").read_bytes()
    (tmp_path / "a.gipl").write_bytes(struct.pack(">4H", 11, 9, 5, 2) + content[8:] + (ARRAY + 1).astype(">i2").tobytes())
    assert "holds 2 volumes" in voxcc.fails(64, "label", tmp_path / "a.gipl")
    assert info(voxcc, tmp_path / "a.gipl", "--volume", "1")["range"]["min"] == 1


def test_damaged(voxcc, tmp_path):
    path = tmp_path / "a.gipl"
    write(path)
    content = path.read_bytes()
    wrong_magic = content[:252] + b"\xef\xff\xe9\xb1" + content[256:]
    for damaged in (wrong_magic, content[:100] + b"abc" + content[100:], gzip.compress(wrong_magic)):
        path.write_bytes(damaged)
        for command in ("label", "verify", "info"):
            assert "is not a GIPL file: its magic number at byte 252 is wrong" in voxcc.fails(65, command, path)
    for damaged in (content[:-1], content[:255], gzip.compress(content)[:-1], gzip.compress(content[:-1])):
        path.write_bytes(damaged)
        voxcc.fails(65, "label", path)
    path.write_bytes(content[:8] + struct.pack(">H", 200) + content[10:])
    assert "voxels of the GIPL type 200 are not read" in voxcc.fails(65, "label", path)
    path.write_bytes(content + b"12345")
    assert "5 bytes after the voxels are ignored" in voxcc("verify", path).stderr
