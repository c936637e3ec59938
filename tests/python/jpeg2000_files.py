"""JPEG 2000 files for the tests: images of OpenJPEG in boxes that the tests write."""

import io
import struct

import imagecodecs
import nrrd
import numpy as np
import PIL.Image

SHAPE = (37, 53)


def values(voxcc, path, folder, selector=""):
    """The voxels that voxcc has read: all of them are foreground."""
    out = folder / "values.nrrd"
    voxcc("label", f"{path}{selector}", "--threshold=-inf:inf", "--masked-output", out, "-f", "-q")
    return nrrd.read(str(out), index_order="C")[0].reshape(-1, *nrrd.read_header(str(out))["sizes"][1::-1]).squeeze(0)


def samples(dtype, bits, shape=SHAPE, seed=0):
    """Random values with the limits of the type."""
    signed = np.dtype(dtype).kind == "i"
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    array = np.random.default_rng(seed).integers(low, high, size=shape, endpoint=True).astype(dtype)
    array.flat[:2] = low, high
    return array


def encode(array, form="jp2", **options):
    """Without loss."""
    bits = options.pop("bitspersample", array.dtype.itemsize * 8)
    return imagecodecs.jpeg2k_encode(array, level=0, codecformat=form, reversible=True, bitspersample=bits, **options)


def by_pillow(array, **options):
    content = io.BytesIO()
    PIL.Image.fromarray(array).save(content, "JPEG2000", **{"irreversible": False, **options})
    return content.getvalue()


def codestream_of(content):
    return content[content.index(b"\xff\x4f\xff\x51"):]


def tile_parts(codestream):
    """The main header, and the tile-parts."""
    at = codestream.index(b"\xff\x90")
    head, parts = codestream[:at], []
    while codestream[at:at + 2] == b"\xff\x90":
        length = struct.unpack(">I", codestream[at + 6:at + 10])[0]
        parts.append(codestream[at:at + length])
        at += length
    assert codestream[at:] == b"\xff\xd9"
    return head, parts


def box(name, content):
    return struct.pack(">I", 8 + len(content)) + name + content


START = box(b"jP  ", b"\r\n\x87\n") + box(b"ftyp", b"jp2 \0\0\0\0jp2 ")
GREY = box(b"colr", struct.pack(">BBBI", 1, 0, 0, 17))


def size_box(channels=1, shape=SHAPE):
    return box(b"ihdr", struct.pack(">IIH4B", *shape, channels, 7, 7, 0, 0))


def jp2(array, *header, size=None, **options):
    """A JP2 file with these boxes in its header."""
    size = size_box(array.shape[2] if array.ndim == 3 else 1, array.shape[:2]) if size is None else size
    return START + box(b"jp2h", size + b"".join(header)) + box(b"jp2c", encode(array, "j2k", **options))


def definitions(*channels):
    """The box with the definitions of channels: channel, type, colour."""
    return box(b"cdef", struct.pack(">H", len(channels)) + b"".join(struct.pack(">3H", *channel) for channel in channels))


PALETTE = box(b"pclr", struct.pack(">HB3B", 4, 3, 7, 7, 7) + bytes(range(12)))
MAPPING = box(b"cmap", b"".join(struct.pack(">HBB", 0, 1, column) for column in range(3)))
