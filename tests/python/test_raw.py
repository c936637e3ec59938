"""Files without a header (--raw) against numpy."""

import json

import numpy as np
import pytest
from helpers import label_scipy, noise, read_nifti, read_table

TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", ("little", "big"))
@pytest.mark.parametrize("offset", (0, 1, 128))
@pytest.mark.parametrize("shape", [(9, 11, 65), (1, 1, 1), (4, 1, 63)])
def test_types(voxcc, tmp_path, dtype, order, offset, shape):
    array = (noise(shape, 0.4) * np.random.default_rng(1).integers(1, 100, shape)).astype(dtype)
    path = tmp_path / "v.raw"
    path.write_bytes(b"h" * offset + array.astype(np.dtype(dtype).newbyteorder("<" if order == "little" else ">")).tobytes())
    layout = f"{dtype},{shape[2]}x{shape[1]}x{shape[0]},{order}" + (f",offset={offset}" if offset else "")
    voxcc("label", path, "--raw", layout, "-c", 6, "--threshold", ">40", "-o", tmp_path / "out.nii", "--masked-output", tmp_path / "values.npy")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(array > 40, 6))
    np.testing.assert_array_equal(np.load(tmp_path / "values.npy").T, np.where(array > 40, array, 0).reshape(np.load(tmp_path / "values.npy").T.shape))
    assert path.read_bytes()[:offset] == b"h" * offset


def test_forms(voxcc, tmp_path):
    array = noise((3, 6, 7, 8), 0.3).astype(np.uint16)
    path = tmp_path / "v.bin"
    path.write_bytes(array.tobytes())
    for volume in range(3):
        voxcc("label", path, "--raw", "uint16,8x7x6x3", "--volume", volume, "-f", "-o", tmp_path / "o.nii")
        np.testing.assert_array_equal(read_nifti(tmp_path / "o.nii"), label_scipy(array[volume], 26))
    assert "--volume 0..2" in voxcc.fails(64, "label", path, "--raw", "uint16,8x7x6x3")
    voxcc("label", path, "--raw", "uint16,offset=0,little,8x126".replace("offset=0,little,8x126", "8x126,offset=0,little"), "-c", 8, "-f", "-o", tmp_path / "o.nii")
    np.testing.assert_array_equal(np.squeeze(read_nifti(tmp_path / "o.nii")), label_scipy(array.reshape(126, 8), 8))
    voxcc("label", path, "--raw", "uint16,8x7x18", "--spacing", "0.5,0.5,2", "--stats", tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv")[0]["volume_mm3"] == read_table(tmp_path / "t.csv")[0]["voxels"] * 0.5
    info = json.loads(voxcc("info", path, "--raw", "uint16,8x7x18", "--json").stdout)
    assert info["format"] == "raw" and info["shape"] == [8, 7, 18] and info["range"]["max"] == 1


def test_applies_to_the_input_only(voxcc, tmp_path):
    array = noise((6, 7, 8), 0.5)
    (tmp_path / "v.raw").write_bytes(array.tobytes())
    np.save(tmp_path / "mask.npy", (np.arange(336).reshape(6, 7, 8) % 3 > 0).astype(np.uint8))
    voxcc("label", tmp_path / "v.raw", "--raw", "uint8,8x7x6", "--mask", tmp_path / "mask.npy", "-o", tmp_path / "o.nii", "--json", tmp_path / "j.json")
    np.testing.assert_array_equal(read_nifti(tmp_path / "o.nii"), label_scipy(array * np.load(tmp_path / "mask.npy"), 26))
    assert json.loads((tmp_path / "j.json").read_text())["options"]["raw"] == "uint8,8x7x6x1,little,offset=0"


def test_sizes(voxcc, tmp_path):
    path = tmp_path / "v.raw"
    path.write_bytes(bytes(100))
    assert "12 bytes after the voxels are ignored" in voxcc("label", path, "--raw", "uint8,8x11").stderr
    for layout in ("uint8,101x1", "uint16,51x1", "uint8,100x1,offset=1", "uint8,10x10,offset=9223372036854775807",
                   "float64,3037000500x3037000500", "uint8,9223372036854775807x2", "uint8,1000000x1000000x1000000x1000000", "uint8,1x1,offset=100"):  # fmt: skip
        voxcc.fails(65, "label", path, "--raw", layout)
    path.write_bytes(b"")
    voxcc.fails(65, "label", path, "--raw", "uint8,1x1")


@pytest.mark.parametrize("layout", ["", "uint8", "uint9,2x2", "uint8,2", "uint8,2x", "uint8,0x2", "uint8,-1x2", "uint8,2x2x2x2x2", "uint8,2x2,middle", "uint8,2x2,little,big",
                                    "uint8,2x2,offset=-1", "uint8,2x2,offset=", "uint8,2x2,offset=1,offset=2", "uint8,2x2,", "2x2,uint8", "uint8 2x2", "uint8,99999999999999999999x2"])  # fmt: skip
def test_mistakes(voxcc, tmp_path, layout):
    (tmp_path / "v.raw").write_bytes(bytes(16))
    voxcc.fails(64, "label", tmp_path / "v.raw", "--raw", layout)


def test_without_the_option(voxcc, tmp_path):
    (tmp_path / "v.raw").write_bytes(bytes(16))
    assert "--raw uint16,512x512x300" in voxcc.fails(65, "label", tmp_path / "v.raw")
    voxcc.fails(64, "label", tmp_path / "v.raw", "--raw", "uint8,4x4", "--reader", "itk")
