"""PNG slices whose chunks break the rules of the format: a precise error before libpng, which ITK lets abort, reads them."""

import struct
import zlib

import numpy as np
import pytest
import SimpleITK

SHAPE = (5, 7)
IMAGE = (np.arange(35, dtype=np.uint8) % 9).reshape(SHAPE)


def chunk(name, content=b""):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def header(width=7, height=5, depth=8, colour=0, *rest):
    return chunk(b"IHDR", struct.pack(">2I5B", width, height, depth, colour, *(rest or (0, 0, 0))))


def data(parts=1):
    stream = zlib.compress(b"".join(b"\0" + row.tobytes() for row in IMAGE))
    step = -(-len(stream) // parts)
    return [chunk(b"IDAT", stream[at:at + step]) for at in range(0, len(stream), step)]


def png(*chunks):
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


END = chunk(b"IEND")
PALETTE = chunk(b"PLTE", bytes(range(27)))
TEXT = chunk(b"tEXt", b"a\0b")
DAMAGED = {
    "two headers": ((header(), header(), *data(), END), "more than one chunk IHDR"),
    "no header": ((*data(), END), "first chunk is not IHDR"),
    "late header": ((TEXT, header(), *data(), END), "first chunk is not IHDR"),
    "long header": ((chunk(b"IHDR", bytes(14)), *data(), END), "13 bytes"),
    "no pixels": ((header(width=0), *data(), END), "states 0 x 5 pixels"),
    "too wide": ((header(width=2**31), *data(), END), "2147483648 x 5 pixels"),
    "depth": ((header(depth=3), *data(), END), "states 3 bits of the colour type 0"),
    "colour type": ((header(colour=5), *data(), END), "8 bits of the colour type 5"),
    "compression": ((header(7, 5, 8, 0, 1, 0, 0), *data(), END), "a compression, a filter or an interlacing"),
    "interlacing": ((header(7, 5, 8, 0, 0, 0, 2), *data(), END), "a compression, a filter or an interlacing"),
    "no palette": ((header(colour=3), *data(), END), "no chunk PLTE"),
    "two palettes": ((header(colour=3), PALETTE, PALETTE, *data(), END), "PLTE is not once"),
    "late palette": ((header(), *data(), PALETTE, END), "PLTE is not once"),
    "short palette": ((header(colour=3), chunk(b"PLTE", bytes(4)), *data(), END), "1 to 256 colours"),
    "divided data": ((header(), data(2)[0], TEXT, data(2)[1], END), "between its chunks IDAT"),
    "no data": ((header(), END), "no chunk IDAT"),
    "end with content": ((header(), *data(), chunk(b"IEND", b"x")), "IEND has content"),
    "no end": ((header(), *data()), "truncated"),
    "name": ((header(), chunk(b"t3Xt"), *data(), END), "does not consist of letters"),
    "CRC": ((header(), data()[0][:-1] + b"\0", END), "CRC of a chunk is wrong (IDAT)"),
    "unknown critical chunk": ((header(), chunk(b"ABCD"), *data(), END), "a chunk ABCD, which a reader must know"),
}


@pytest.mark.parametrize("case", DAMAGED)
@pytest.mark.parametrize("command", ["label", "info", "verify"])
def test_chunks_that_break_the_rules(voxcc, tmp_path, case, command):
    chunks, message = DAMAGED[case]
    for z in range(3):
        (tmp_path / f"s{z}.png").write_bytes(png(*(chunks if z == 1 else (header(), *data(), END))))
    error = voxcc.fails(65, command, tmp_path)
    assert message in error and "s1.png" in error


@pytest.mark.parametrize("chunks", [(header(), *data(), END), (header(), TEXT, *data(3), TEXT, END)], ids=["short", "long"])
def test_chunks_that_keep_the_rules(voxcc, tmp_path, chunks):
    (tmp_path / "s0.png").write_bytes(png(*chunks))
    voxcc("label", tmp_path / "s%d.png", "--masked-output", tmp_path / "v.nii", "--threshold=-inf:inf")
    np.testing.assert_array_equal(SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(tmp_path / "v.nii"))).squeeze(), IMAGE)
