"""Every format that ITK writes: voxcc reads the voxels and the spacing that were written, or refuses the file with a reason."""

import json
import struct
import subprocess

import nrrd
import numpy as np
import pytest
import SimpleITK

INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
TYPES = (*INTEGERS, "uint64", "int64", "float32", "float64")
# The types of each format, and whether it stores the spacing
FORMATS = {
    "vtk": (TYPES, True), "gipl": (("uint8", "int8", "uint16", "int16", "float32", "float64"), True), "hdr": (TYPES, True), "img": (TYPES, True),
    "gipl.gz": (("uint8", "int8", "uint16", "int16", "float32", "float64"), True), "img.gz": (TYPES, True), "nii": (TYPES, True),
    "nii.gz": (TYPES, True), "nrrd": (TYPES, True), "nhdr": (TYPES, True), "mha": (TYPES, True), "mhd": (TYPES, True), "hdf5": (TYPES, True),
    "mrc": (("uint8", "uint16", "int16", "float32"), True), "tif": ((*INTEGERS, "float32"), False), "lsm": (("uint8", "uint16"), False),
    "pic": (("uint8",), False), "png": (("uint8", "uint16"), False), "bmp": (("uint8",), False), "jp2": (("uint8", "uint16"), False),
}
PICTURES = ("png", "bmp", "jp2")
SPACING = (0.5, 0.75, 2.0)


def written(path, dtype, axes, compress):
    shape = (5, 6, 7)[-axes:]
    array = (np.random.default_rng(axes).random(shape) * 100).astype(dtype)
    image = SimpleITK.GetImageFromArray(array)
    image.SetSpacing(SPACING[:axes])
    SimpleITK.WriteImage(image, str(path), compress)
    return array


def values(voxcc, path, folder):
    out = folder / "values.nrrd"
    voxcc("label", path, "--threshold=-inf:inf", "--masked-output", out, "-f", "-q")
    return nrrd.read(str(out), index_order="C")[0].squeeze()


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("extension", FORMATS)
def test_read(voxcc, tmp_path, extension, compress, axes):
    types, has_spacing = FORMATS[extension]
    if axes == 3 and extension in PICTURES:
        pytest.skip("holds one slice")
    for dtype in types:
        folder = tmp_path / dtype
        folder.mkdir()
        path = folder / f"x.{extension}"
        array = written(path, dtype, axes, compress)
        read = values(voxcc, path, folder)
        assert read.dtype == array.dtype
        np.testing.assert_array_equal(read, array)
        info = json.loads(voxcc("info", path, "--json").stdout)
        if has_spacing:
            unit = 1e-7 if extension == "mrc" else 1  # lengths of MRC are in angstrom
            np.testing.assert_allclose(info["spacing_mm"], np.multiply((*SPACING[:axes], 1)[:3], unit), rtol=1e-6)
        else:
            assert "spacing_mm" not in info
        voxcc("verify", path)


@pytest.mark.parametrize("extension, dtype, cause", [
    ("nia", "int16", "is a NIfTI image whose voxels are text; save it as .nii"),
    ("spr", "int16", "is a Stimulate image; read it with ITK"),
    ("mnc", "int16", "is a MINC image, whose values are scaled and have a position; convert it with 'mnc2nii'"),
    ("jp2", "float32", "has samples of"),
])
def test_refused(voxcc, tmp_path, extension, dtype, cause):
    written(tmp_path / f"x.{extension}", dtype, 2 if extension == "jp2" else 3, False)
    for command in ("label", "info", "verify"):
        assert cause in voxcc.fails(65, command, tmp_path / f"x.{extension}")


def test_stored_values_of_minc(voxcc, tmp_path):
    array = written(tmp_path / "x.mnc", "int16", 3, False)
    np.testing.assert_array_equal(values(voxcc, f"{tmp_path / 'x.mnc'}:/minc-2.0/image/0/image", tmp_path), array)


def biorad(array):
    """Samples are little-endian; ITK writes the samples of 16 bits in the other order."""
    nz, ny, nx = array.shape
    head = struct.pack("<7Hh", nx, ny, nz, 0, 0, 0, 0, int(array.dtype.itemsize == 1)).ljust(54, b"\0") + struct.pack("<H", 12345)
    return head.ljust(76, b"\0") + array.tobytes()


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_biorad(voxcc, tmp_path, dtype):
    array, path = (np.random.default_rng(0).random((5, 6, 7)) * 200).astype(dtype), tmp_path / "x.pic"
    content = biorad(array)
    path.write_bytes(content)
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)
    np.testing.assert_array_equal(SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))), array)
    for cut in (0, 10, 55, 56, 75, 76, len(content) - 1):
        path.write_bytes(content[:cut])
        voxcc.fails(65, "label", path, "-o", tmp_path / "out.nii")
    for sizes in ((0, 6, 5), (65535, 65535, 65535), (7, 6, 6)):
        path.write_bytes(struct.pack("<3H", *sizes) + content[6:])
        voxcc.fails(65, "label", path)
    for at in range(6, 76):
        path.write_bytes(content[:at] + b"\xff" + content[at + 1:])
        done = subprocess.run([voxcc.program, "verify", path], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode in (0, 65), done.stderr
