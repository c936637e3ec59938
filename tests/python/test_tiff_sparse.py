"""Strips and tiles of TIFF that are not stored (SPARSE_OK of GDAL), undefined samples, and pages that no plane names; against tifffile."""

import json
import struct

import numpy as np
import pytest
import tifffile
from helpers import label_scipy, noise, read_nifti

VOLUME = noise((3, 64, 80), 0.3).astype(np.uint16) * 700
FORMS = {"tiles": {"tile": (32, 32)}, "strips": {"rowsperstrip": 16}}


def directory_values(content, tag):
    """Where the values of a tag of each page are: (offset, bytes per value, count)."""
    order, found = "<" if content[:2] == b"II" else ">", []
    at = struct.unpack(order + "I", content[4:8])[0]
    while at:
        count = struct.unpack(order + "H", content[at:at + 2])[0]
        for entry in range(at + 2, at + 2 + 12 * count, 12):
            code, kind, number = struct.unpack(order + "HHI", content[entry:entry + 8])
            if code == tag:
                width = {3: 2, 4: 4, 2: 1}[kind]
                found.append((entry + 8 if width * number <= 4 else struct.unpack(order + "I", content[entry + 8:entry + 12])[0], width, number))
        at = struct.unpack(order + "I", content[at + 2 + 12 * count:at + 6 + 12 * count])[0]
    return found


def remove_chunks(path, form, missing, pages=1):
    """Sets offset and size of some strips or tiles of the first pages to 0."""
    content = bytearray(path.read_bytes())
    for tag in ((324, 325) if form == "tiles" else (273, 279)):
        for at, width, _ in directory_values(content, tag)[:pages]:
            for chunk in missing:
                content[at + width * chunk:at + width * (chunk + 1)] = bytes(width)
    path.write_bytes(content)


def values(voxcc, path, folder):
    """The voxels as [z, y, x], and the messages."""
    done = voxcc("label", path, "--threshold=-inf:inf", "--masked-output", folder / "values.nii", "-f")
    return read_nifti(folder / "values.nii"), done.stderr


@pytest.mark.parametrize("width", [1, 2, 4])
def test_undefined_sample_format(voxcc, tmp_path, width):
    """TIFF 6.0: 'undefined' (4) is read as if the field were not there, as unsigned integers."""
    array = ((VOLUME // 300) * np.where(VOLUME[..., ::-1] > 0, -1, 1)).astype(f"i{width}")
    tifffile.imwrite(tmp_path / "a.tif", array, photometric="minisblack", metadata=None)
    content = bytearray((tmp_path / "a.tif").read_bytes())
    for at, size, _ in directory_values(content, 339):
        assert content[at] == 2
        content[at:at + size] = (4).to_bytes(size, "little")
    (tmp_path / "a.tif").write_bytes(content)
    expected = array.view(f"u{width}")
    assert (expected > 1 << 8 * width - 1).any()
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "a.tif").view(expected.dtype), expected)
    read, messages = values(voxcc, tmp_path / "a.tif", tmp_path)
    np.testing.assert_array_equal(read, expected)
    assert messages == "" and json.loads(voxcc("info", tmp_path / "a.tif", "--json").stdout)["stored_type"] == expected.dtype.name
