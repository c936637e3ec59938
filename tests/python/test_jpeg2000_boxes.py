"""The boxes of JP2 files, against OpenJPEG of imagecodecs."""

import struct
import subprocess

import imagecodecs
import numpy as np
import pytest
from jpeg2000_files import GREY, MAPPING, PALETTE, SHAPE, START, box, definitions, encode, jp2, samples, size_box, values


def test_boxes(voxcc, tmp_path):
    path, stream = tmp_path / "a.jp2", encode(samples("uint8", 8), "j2k")
    start = START + box(b"jp2h", size_box() + GREY)
    good = (box(b"jp2c", stream), struct.pack(">I", 0) + b"jp2c" + stream, struct.pack(">I4sQ", 1, b"jp2c", 16 + len(stream)) + stream)
    for last in good:
        path.write_bytes(start + last)
        np.testing.assert_array_equal(values(voxcc, path, tmp_path), samples("uint8", 8))
    for last, cause in (
        (b"", "contains no image"), (box(b"jp2c", stream) * 2, "contains 2 images"), (box(b"jp2c", b""), "not complete"),
        (struct.pack(">I", 7) + b"jp2c", "a box of 7 bytes"), (struct.pack(">I4sQ", 1, b"jp2c", 15) + stream, "a box of 15 bytes"),
        (struct.pack(">I4sQ", 1, b"jp2c", 2**64 - 1) + stream, "exceeds the file"), (struct.pack(">I", 2**32 - 1) + b"jp2c" + stream, "exceeds the file"),
        (box(b"free", b"") * 100_001, "too many boxes"), (box(b"jp2c", stream) + b"abc", "exceeds the file"),
        (box(b"jp2c", stream[:-2] + b"\0\0"), "ends without end marker"),
    ):
        path.write_bytes(start + last)
        assert cause in voxcc.fails(65, "label", path), cause


@pytest.mark.parametrize("header, cause", [
    ([GREY, size_box()], "does not start with the size (ihdr)"), ([], "does not start with the size (ihdr)"),
    ([size_box()[:-1]], "exceeds its outer box"), ([box(b"ihdr", size_box()[8:-1])], "a box 'ihdr' of 13 bytes"),
    ([size_box(shape=(37, 52))], "states 52 x 37 pixels of 1 component, but its codestream has 53 x 37"),
    ([size_box(), GREY + b"abc"], "exceeds its outer box"), ([size_box(), box(b"bpcc", b"77")], "a box 'bpcc' of 2 bytes"),
    ([size_box(), box(b"colr", b"12")], "a box 'colr' of 2 bytes"), ([size_box(), GREY[:3] + b"\x0e" + GREY[4:-1]], "a box 'colr' of 6 bytes"),
    ([size_box(), box(b"pclr", b"\0\0\1\7")], "a palette of 0 entries"), ([size_box(), PALETTE, PALETTE], "several palettes"),
    ([size_box(), box(b"pclr", PALETTE[8:-1])], "a box 'pclr' of 17 bytes"), ([size_box(), MAPPING], "before the palette"),
    ([size_box(), PALETTE, MAPPING, MAPPING], "several boxes 'cmap'"),
    ([size_box(), PALETTE, box(b"cmap", struct.pack(">HBB", 1, 0, 0))], "states component 1"),
    ([size_box(), box(b"cdef", b"\0\1")], "a box 'cdef' of 2 bytes"), ([size_box(), definitions((1, 0, 1))], "states channel 1"),
    ([size_box(), definitions((0, 0, 2))], "colour 2 of 1 channels"), ([size_box(), definitions((0, 0, 1)) * 2], "several boxes 'cdef'"),
    ([size_box(), PALETTE, MAPPING, definitions((0, 0, 1), (1, 0, 2))], "does not define all channels"),
])
def test_damaged_header_boxes(voxcc, tmp_path, header, cause):
    """OpenJPEG refuses these files, too, except where another order of the boxes has one meaning only."""
    path = tmp_path / "a.jp2"
    path.write_bytes(jp2(samples("uint8", 8), *header, size=b""))
    if header != [GREY, size_box()]:
        with pytest.raises(Exception, match="."):
            imagecodecs.jpeg2k_decode(path.read_bytes())
    for command in ("label", "info", "verify"):
        assert cause in voxcc.fails(65, command, path)


def test_damaged_outer_boxes(voxcc, tmp_path):
    path, header = tmp_path / "a.jp2", box(b"jp2h", size_box() + GREY)
    image = box(b"jp2c", encode(samples("uint8", 8), "j2k"))
    signature, kind = START[:12], START[12:]
    for content, cause in (
        (signature + header + kind + image, "second box is not the file type"), (signature + header + image, "second box is not the file type"),
        (START + image + header, "no header box (jp2h) before its image"), (START + image, "no header box (jp2h) before its image"),
        (START + header + header + image, "several header boxes"), (signature + box(b"ftyp", b"jp2 \0\0\0\0jp2") + header + image, "of 11 bytes"),
    ):
        path.write_bytes(content)
        assert cause in voxcc.fails(65, "verify", path)


def test_what_openjpeg_refuses_is_refused(voxcc, tmp_path):
    """One changed byte of the boxes."""
    path, array = tmp_path / "a.jp2", samples("uint8", 8, (*SHAPE, 3))
    opacity = definitions((0, 0, 1), (1, 0, 2), (2, 1, 0))
    for content in (jp2(array[..., 0], GREY, PALETTE, MAPPING), jp2(array, GREY, box(b"bpcc", b"\7\7\7"), opacity)):
        for at in range(12, content.index(b"jp2c")):
            changed = bytearray(content)
            changed[at] ^= 0x41
            try:
                imagecodecs.jpeg2k_decode(bytes(changed))
                refused = False
            except Exception:  # noqa: BLE001
                refused = True
            path.write_bytes(changed)
            done = subprocess.run([voxcc.program, "verify", path], capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode in ((65,) if refused else (0, 65)), (at, done.stderr)
