"""The channels and colour spaces of JPEG 2000 images, against OpenJPEG of imagecodecs."""

import itertools
import json
import struct

import imagecodecs
import numpy as np
import pytest
from jpeg2000_files import MAPPING, PALETTE, SHAPE, box, definitions, encode, jp2, samples, values

CONVERTED = "its colours are stored as sYCC; they are converted to RGB"
COLOUR, OPACITY, PREMULTIPLIED = 0, 1, 2
COMPLETE_IMAGE, UNSPECIFIED = 0, 65535


def space(number):
    return box(b"colr", struct.pack(">BBBI", 1, 0, 0, number))


SRGB, SYCC = space(16), space(18)


def expect_channels(voxcc, path, folder, *expected):
    for channel, array in enumerate(expected):
        for selector in (f"[c={channel}]", f"[{channel}]"):
            np.testing.assert_array_equal(values(voxcc, path, folder, selector), array, err_msg=selector)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_stored_order_of_colours(voxcc, tmp_path, order):
    """The component i stores the colour order[i]; c=0 is red in every order."""
    rgb, path = samples("uint8", 8, (*SHAPE, 3)), tmp_path / "a.jp2"
    channels = definitions(*((component, COLOUR, colour + 1) for component, colour in enumerate(order)))
    path.write_bytes(jp2(rgb[..., list(order)], SRGB, channels, mct=False))
    np.testing.assert_array_equal(imagecodecs.imread(path, codec="jpeg2k"), rgb)
    expect_channels(voxcc, path, tmp_path, *np.moveaxis(rgb, -1, 0))
    assert voxcc("verify", path).stderr == ""


def test_opacity_follows_the_colours(voxcc, tmp_path):
    pixels, path = samples("uint8", 8, (*SHAPE, 4)), tmp_path / "a.jp2"
    a, b, c, d = np.moveaxis(pixels, -1, 0)
    for channels, expected in (
        (((0, OPACITY, COMPLETE_IMAGE), (1, COLOUR, 3), (2, COLOUR, 2), (3, COLOUR, 1)), (d, c, b, a)),
        (((0, PREMULTIPLIED, 1), (3, COLOUR, 1), (2, COLOUR, 2), (1, COLOUR, 3)), (d, c, b, a)),
        (((0, COLOUR, 2), (1, COLOUR, 1), (2, COLOUR, 3), (3, UNSPECIFIED, UNSPECIFIED)), (b, a, c, d)),
        (((0, OPACITY, 1), (0, OPACITY, 2), (1, COLOUR, 1), (2, COLOUR, 2), (3, COLOUR, 3)), (b, c, d, a)),
        (tuple((component, UNSPECIFIED, UNSPECIFIED) for component in range(4)), (a, b, c, d)),
    ):
        path.write_bytes(jp2(pixels, SRGB, definitions(*channels), mct=False))
        expect_channels(voxcc, path, tmp_path, *expected)
    path.write_bytes(jp2(pixels[..., :2], space(17), definitions((0, OPACITY, 0), (1, COLOUR, 1))))
    expect_channels(voxcc, path, tmp_path, b, a)


@pytest.mark.parametrize("bits", [8, 12, 16])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)], ids=str)
def test_sycc_becomes_rgb(voxcc, tmp_path, bits, order):
    """Equal to OpenJPEG, and within its rounding of the formula of IEC 61966-2-1."""
    dtype, path = "uint8" if bits == 8 else "uint16", tmp_path / "a.jp2"
    stored = samples(dtype, bits, (*SHAPE, 3))
    channels = definitions(*((component, COLOUR, colour + 1) for component, colour in enumerate(order)))
    size = box(b"ihdr", struct.pack(">IIH4B", *SHAPE, 3, bits - 1, 7, 0, 0))
    path.write_bytes(jp2(stored, SYCC, channels, size=size, bitspersample=bits, mct=False))
    read = np.stack([values(voxcc, path, tmp_path, f"[c={channel}]") for channel in range(3)], axis=-1)
    assert read.dtype == stored.dtype
    np.testing.assert_array_equal(read, imagecodecs.imread(path, codec="jpeg2k"))
    y, cb, cr = np.moveaxis(stored[..., list(order)].astype(float), -1, 0)
    cb, cr = cb - (1 << bits - 1), cr - (1 << bits - 1)
    exact = np.stack([y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb], axis=-1)
    assert np.abs(read - np.clip(exact, 0, (1 << bits) - 1)).max() < (1.1 if bits == 8 else 12)  # OpenJPEG has 3 digits
    assert CONVERTED in voxcc("label", f"{path}[c=0]", "--stats", "-").stderr
    assert json.loads(voxcc("info", path, "--json").stdout)["warnings"] == [CONVERTED]


def test_opacity_of_sycc_is_not_converted(voxcc, tmp_path):
    pixels, path = samples("uint8", 8, (*SHAPE, 4)), tmp_path / "a.jp2"
    channels = definitions((0, OPACITY, COMPLETE_IMAGE), (1, COLOUR, 1), (2, COLOUR, 2), (3, COLOUR, 3))
    path.write_bytes(jp2(pixels, SYCC, channels, mct=False))
    expect_channels(voxcc, path, tmp_path, *np.moveaxis(imagecodecs.imread(path, codec="jpeg2k")[..., :3], -1, 0), pixels[..., 0])


def test_one_component_of_sycc_is_grey(voxcc, tmp_path):
    (tmp_path / "a.jp2").write_bytes(jp2(samples("uint8", 8), SYCC))
    np.testing.assert_array_equal(values(voxcc, tmp_path / "a.jp2", tmp_path), samples("uint8", 8))


@pytest.mark.parametrize("number, name", [(3, "YCbCr"), (13, "YCCK"), (14, "CIELab"), (24, "e-sYCC"), (99, "of the colour space 99")])
def test_other_colours_are_refused(voxcc, tmp_path, number, name):
    path = tmp_path / "a.jp2"
    path.write_bytes(jp2(samples("uint8", 8, (*SHAPE, 3)), space(number)))
    for command in ("label", "info", "verify"):
        assert f"its colours are {name}; convert it to RGB" in voxcc.fails(65, command, path)


def test_sycc_of_different_components_is_refused(voxcc, tmp_path):
    content = bytearray(jp2(samples("uint8", 8, (*SHAPE, 3)), SYCC, mct=False))
    content[content.index(b"\xff\x51") + 43] = 0x87  # the second component is signed
    (tmp_path / "a.jp2").write_bytes(content)
    assert "sYCC with signed or different components" in voxcc.fails(65, "label", tmp_path / "a.jp2", "--volume", "0")


@pytest.mark.parametrize("number", [11, 12, 16, 20, 21])
def test_colours_as_stored(voxcc, tmp_path, number):
    pixels = samples("uint8", 8, (*SHAPE, 4 if number == 12 else 3))
    (tmp_path / "a.jp2").write_bytes(jp2(pixels, space(number), SYCC))  # the first box counts
    expect_channels(voxcc, tmp_path / "a.jp2", tmp_path, *np.moveaxis(pixels, -1, 0))


def test_profiles_are_not_applied(voxcc, tmp_path):
    pixels, profile = samples("uint8", 8, (*SHAPE, 3)), box(b"colr", b"\x02\0\0" + bytes(132))
    for boxes in ((profile, SYCC), (box(b"colr", b"\x03\0\0" + bytes(132)), SRGB)):
        (tmp_path / "a.jp2").write_bytes(jp2(pixels, *boxes))
        expect_channels(voxcc, tmp_path / "a.jp2", tmp_path, *np.moveaxis(pixels, -1, 0))


def test_channels_of_a_palette(voxcc, tmp_path):
    """The definitions are of the columns of the palette, so the index stays as it is."""
    index, path = samples("uint8", 2), tmp_path / "a.jp2"
    path.write_bytes(jp2(index, SYCC, PALETTE, MAPPING, definitions((0, COLOUR, 3), (1, COLOUR, 2), (2, COLOUR, 1))))
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), index)


def test_codestream_has_no_colour_space(voxcc, tmp_path):
    pixels = samples("uint8", 8, (*SHAPE, 3))
    (tmp_path / "a.j2k").write_bytes(encode(pixels, "j2k"))
    expect_channels(voxcc, tmp_path / "a.j2k", tmp_path, *np.moveaxis(pixels, -1, 0))
