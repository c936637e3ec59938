"""Damaged tags and offsets of TIFF files. libtiff ignores many of them, and the pages would get other pixels."""

import json
import struct

import numpy as np
import pytest
import tifffile
from helpers import blobs

VOLUME = blobs((4, 20, 24), 0.3).astype(np.uint16) * 7
TYPE, COUNT, VALUE = 2, 4, 8  # offsets in an entry of a directory
BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER, OFFSETS, ORIENTATION, SAMPLES, ROWS, SIZES, PLANAR, PREDICTOR, FORMAT = (
    *(258, 259, 262, 266, 273, 274, 277, 278, 279, 284, 317, 339),
)


def write(path, volume=VOLUME, **options):
    options = {"metadata": None, "byteorder": "<", "photometric": "minisblack"} | options
    tifffile.imwrite(path, volume, **options)
    return path


def entry_of(path, page, code):
    """The offset of an entry of a directory in the file."""
    with tifffile.TiffFile(path) as file:
        return file.pages[page].tags[code].offset


def damage(path, at, fmt, value):
    content = bytearray(path.read_bytes())
    content[at : at + struct.calcsize(fmt)] = struct.pack(fmt, value)
    path.write_bytes(content)
    return path


def put_tag(path, page, code, value):
    """Replaces the unit of the resolution by another tag."""
    at = entry_of(path, page, 296)
    for begin, fmt, number in ((0, "<H", code), (TYPE, "<H", 3), (COUNT, "<I", 1), (VALUE, "<H", value)):
        damage(path, at + begin, fmt, number)
    return path


def expect_refused(voxcc, path, cause):
    for command in (["label", path, "--stats", "-"], ["info", path], ["verify", path]):
        assert cause in voxcc.fails(65, *command)


def warnings_of(voxcc, path):
    done = voxcc("verify", path)
    return [line for line in (done.stdout + done.stderr).splitlines() if "warning" in line]


@pytest.mark.parametrize("code", (PREDICTOR, COMPRESSION, BITS, PHOTOMETRIC, OFFSETS, SAMPLES, ROWS, SIZES, 256, 257))
@pytest.mark.parametrize("change", [(TYPE, "<H", 99), (COUNT, "<I", 0), (COUNT, "<I", 255)], ids=str)
def test_tags_that_cannot_be_used(voxcc, tmp_path, code, change):
    path = write(tmp_path / "a.tif", compression="zlib", predictor=True)
    at, fmt, value = change
    voxcc.fails(65, "info", damage(path, entry_of(path, 2, code) + at, fmt, value))


@pytest.mark.parametrize(("code", "value"), [(ORIENTATION, 9), (PLANAR, 3), (FORMAT, 7), (FILL_ORDER, 3), (PREDICTOR, 2)])
def test_values_that_cannot_be_used(voxcc, tmp_path, code, value):
    """Some programs apply a predictor to pixels without compression, others do not."""
    path = put_tag(write(tmp_path / "a.tif"), 1, code, 1)
    voxcc("info", path)
    expect_refused(voxcc, damage(path, path.read_bytes().index(struct.pack("<HHIH", code, 3, 1, 1)) + VALUE, "<H", value), "")


def test_tag_that_appears_twice(voxcc, tmp_path):
    path = write(tmp_path / "a.tif", compression="zlib", predictor=True)
    expect_refused(voxcc, put_tag(path, 1, PREDICTOR, 1), "Predictor twice")


@pytest.mark.parametrize("value", (1, 7))
def test_strip_over_the_header(voxcc, tmp_path, value):
    path = write(tmp_path / "a.tif")
    expect_refused(voxcc, damage(path, entry_of(path, 2, OFFSETS) + VALUE, "<I", value), "overlaps the header of the file")


def test_strip_over_a_directory(voxcc, tmp_path):
    path = write(tmp_path / "a.tif")
    expect_refused(voxcc, damage(path, entry_of(path, 2, OFFSETS) + VALUE, "<I", entry_of(path, 0, OFFSETS)), "overlaps a directory")


@pytest.mark.parametrize("compression", (None, "zlib"))
@pytest.mark.parametrize("shift", (-3, 1))
def test_strips_that_overlap(voxcc, tmp_path, shift, compression):
    path = write(tmp_path / "a.tif", np.random.default_rng(1).integers(0, 9999, VOLUME.shape, np.uint16), compression=compression)
    with tifffile.TiffFile(path) as file:
        offset = file.pages[1].dataoffsets[0]
    damage(path, entry_of(path, 2, OFFSETS) + VALUE, "<I", offset + shift)
    assert "overlaps" in voxcc.fails(65, "info", path)


def test_shared_strips_are_named(voxcc, tmp_path):
    """Some programs store equal strips once."""
    path = write(tmp_path / "a.tif")
    with tifffile.TiffFile(path) as file:
        offset = file.pages[1].dataoffsets[0]
    damage(path, entry_of(path, 2, OFFSETS) + VALUE, "<I", offset)
    assert "1 strips or tiles use the same bytes" in warnings_of(voxcc, path)[0]


def test_sizes_of_uncompressed_strips(voxcc, tmp_path):
    path = write(tmp_path / "a.tif")
    at = entry_of(path, 1, SIZES) + VALUE
    assert warnings_of(voxcc, path) == []
    assert "1 strips or tiles have more bytes" in warnings_of(voxcc, damage(path, at, "<I", 961))[0]
    expect_refused(voxcc, damage(path, at, "<I", 959), "StripByteCounts states 959")


def test_pages_that_are_stored_otherwise_are_named(voxcc, tmp_path):
    path = write(tmp_path / "a.tif", compression="zlib", predictor=True)
    assert warnings_of(voxcc, path) == []
    damage(path, entry_of(path, 2, PREDICTOR) + VALUE, "<H", 1)
    assert "pages (from 0) 2 have another compression, predictor or order than page 0" in warnings_of(voxcc, path)[0]
    plain = put_tag(write(tmp_path / "b.tif"), 3, ORIENTATION, 3)
    assert "pages (from 0) 3 have another compression" in warnings_of(voxcc, plain)[0]


@pytest.mark.parametrize(("kind", "cause"), [(1, "marked as a reduced copy"), (4, "marked as a mask"), (5, "marked as a mask")])
def test_page_that_is_marked_as_another_kind(voxcc, tmp_path, kind, cause):
    """The page must not disappear."""
    path = write(tmp_path / "a.tif", subfiletype=0)
    content = path.read_bytes()
    at = entry_of(path, 2, 254) + VALUE
    assert content[at : at + 4] == bytes(4)
    expect_refused(voxcc, damage(path, at, "<I", kind), cause)


def test_description_that_is_not_text(voxcc, tmp_path):
    """The description decides the axes of the pages."""
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, VOLUME.reshape(2, 2, 20, 24), imagej=True, metadata={"axes": "ZCYX"}, byteorder="<")
    assert json.loads(voxcc("info", path, "--json").stdout)["volumes"] == 2
    expect_refused(voxcc, damage(path, entry_of(path, 0, 270) + TYPE, "<H", 3), "ImageDescription")
