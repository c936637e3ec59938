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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compression", [None, "deflate", "lzw", "zstd", "jpeg"])
@pytest.mark.parametrize("byteorder", "<>")
def test_missing_chunks(voxcc, tmp_path, form, compression, byteorder):
    path, array = tmp_path / "a.tif", VOLUME if compression != "jpeg" else (VOLUME > 0).astype(np.uint8) * 255
    tifffile.imwrite(path, array, compression=compression, byteorder=byteorder, photometric="minisblack", metadata=None, **FORMS[form])
    total = 3 * (6 if form == "tiles" else 4)
    remove_chunks(path, form, (0, 3), pages=3)
    expected = tifffile.imread(path)
    assert (expected != array).any()
    read, messages = values(voxcc, path, tmp_path)
    np.testing.assert_array_equal(read, expected)
    assert f"6 of {total} {form} are not stored; their pixels are 0" in messages
    voxcc("label", path, "-o", tmp_path / "out.nii", "--threshold", "100")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(expected >= 100, 26))
    for command in ("label", "verify", "info"):
        assert f"6 of {total} {form} are not stored" in voxcc.fails(65, command, path, "--missing-chunks", "error")
    assert "are not stored" in voxcc("verify", path).stderr


def test_missing_chunks_of_colours(voxcc, tmp_path):
    colours = np.stack([VOLUME[0] // 256, VOLUME[1] // 256, VOLUME[2] // 256], axis=-1).astype(np.uint8) + 1
    for planar in ("contig", "separate"):
        array = colours if planar == "contig" else np.moveaxis(colours, -1, 0)
        tifffile.imwrite(tmp_path / "a.tif", array, photometric="rgb", planarconfig=planar, tile=(32, 32), metadata=None)
        remove_chunks(tmp_path / "a.tif", "tiles", (1, 5))
        expected = tifffile.imread(tmp_path / "a.tif")
        expected = expected if planar == "contig" else np.moveaxis(expected, 0, -1)
        for channel in range(3):
            read, _ = values(voxcc, f"{tmp_path / 'a.tif'}[c={channel}]", tmp_path)
            np.testing.assert_array_equal(read.squeeze(), expected[..., channel])


def test_all_chunks_missing(voxcc, tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", VOLUME[0], tile=(32, 32), metadata=None)
    remove_chunks(tmp_path / "a.tif", "tiles", range(6))
    read, messages = values(voxcc, tmp_path / "a.tif", tmp_path)
    assert not read.any() and "6 of 6 tiles are not stored" in messages


def test_only_one_number_is_zero(voxcc, tmp_path):
    """An offset without a size, or a size without an offset, is damage."""
    for tag, cause in ((324, "lies beyond the end of the file"), (325, "which is not possible")):
        tifffile.imwrite(tmp_path / "a.tif", VOLUME[0], tile=(32, 32), compression="deflate", metadata=None)
        content = bytearray((tmp_path / "a.tif").read_bytes())
        at, width, _ = directory_values(content, tag)[0]
        content[at + width:at + 2 * width] = bytes(width)
        (tmp_path / "a.tif").write_bytes(content)
        assert cause in voxcc.fails(65, "label", tmp_path / "a.tif")


@pytest.mark.parametrize("text, is_read", [("0", True), ("-0.0", True), ("-9999", False), ("nan", False)])
def test_value_of_missing_pixels(voxcc, tmp_path, text, is_read):
    tifffile.imwrite(tmp_path / "a.tif", VOLUME[0], tile=(32, 32), metadata=None, extratags=[(42113, 2, 0, text, True)])
    remove_chunks(tmp_path / "a.tif", "tiles", (2,))
    if is_read:
        assert "1 of 6 tiles are not stored" in values(voxcc, tmp_path / "a.tif", tmp_path)[1]
    else:
        assert "another value than 0 (GDAL_NODATA)" in voxcc.fails(65, "label", tmp_path / "a.tif")
    tifffile.imwrite(tmp_path / "a.tif", VOLUME[0], tile=(32, 32), metadata=None, extratags=[(42113, 2, 0, text, True)])
    voxcc("label", tmp_path / "a.tif")  # no pixel is missing


def test_large_claims(voxcc, tmp_path):
    """A small file must not become terabytes of zeros."""
    tifffile.imwrite(tmp_path / "a.tif", VOLUME[0], rowsperstrip=64, metadata=None)
    remove_chunks(tmp_path / "a.tif", "strips", (0,))
    content = bytearray((tmp_path / "a.tif").read_bytes())
    for tag, value in ((256, 60000), (257, 60000), (278, 60000)):
        at, width, _ = directory_values(content, tag)[0]
        content[at:at + width] = value.to_bytes(width, "little")
    (tmp_path / "a.tif").write_bytes(content)
    assert "more than 1 GiB that are not stored" in voxcc.fails(65, "label", tmp_path / "a.tif")


OME = """<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0"
DimensionOrder="XYZCT" Type="uint16" SizeX="80" SizeY="64" SizeZ="3" SizeC="1" SizeT="1" PhysicalSizeX="1" PhysicalSizeY="1" PhysicalSizeZ="2">
<Channel ID="Channel:0:0" SamplesPerPixel="1"/>{}</Pixels></Image></OME>"""


def test_pages_without_a_plane(voxcc, tmp_path):
    """The pages 0 and 4 are not planes of the image, as OME permits."""
    planes = "".join(f'<TiffData IFD="{z + 1}" FirstZ="{z}" PlaneCount="1"/>' for z in range(3))
    pages = np.concatenate([VOLUME[:1] + 9, VOLUME, VOLUME[:1] + 7])
    tifffile.imwrite(tmp_path / "a.ome.tif", pages, description=OME.format(planes), metadata=None, photometric="minisblack")
    np.testing.assert_array_equal(tifffile.TiffFile(tmp_path / "a.ome.tif").series[0].asarray(), VOLUME)
    read, messages = values(voxcc, tmp_path / "a.ome.tif", tmp_path)
    np.testing.assert_array_equal(read, VOLUME)
    assert "2 pages are not used, because the OME-XML does not name a plane for them" in messages
    for further in (1, 2):  # without TiffData, it is not known which pages are planes
        tifffile.imwrite(tmp_path / "b.ome.tif", pages[:3 + further], description=OME.format(""), metadata=None, photometric="minisblack")
        assert f"tells of 3 planes, but the file has {3 + further} pages" in voxcc.fails(65, "label", tmp_path / "b.ome.tif")
    tifffile.imwrite(tmp_path / "c.ome.tif", pages[:2], description=OME.format(planes), metadata=None, photometric="minisblack")
    voxcc.fails(65, "label", tmp_path / "c.ome.tif")
