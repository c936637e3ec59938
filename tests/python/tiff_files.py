"""Writes TIFF files tag by tag, for content that no library writes: packed samples, palettes, wrong counts, cycles of directories."""

import struct

import numpy as np

SHORT, LONG, RATIONAL, LONG8 = 3, 4, 5, 16
FORMATS = {2: "s", SHORT: "H", LONG: "I", RATIONAL: "II", LONG8: "Q", 1: "B", 7: "s"}
MINISWHITE, MINISBLACK, RGB, PALETTE, SEPARATED, YCBCR = 0, 1, 2, 3, 5, 6


def packed_rows(array, bits):
    """Rows of unsigned numbers of `bits` bits, the highest bit first, each row padded to bytes. array: [rows, numbers per row]."""
    places = np.arange(bits - 1, -1, -1)
    return np.packbits((array[..., None].astype(np.uint32) >> places & 1).astype(np.uint8).reshape(len(array), -1), axis=1)


def reversed_bits(data):
    return np.packbits(np.unpackbits(np.frombuffer(data, np.uint8)).reshape(-1, 8)[:, ::-1]).tobytes()


def values_of(kind, values, order):
    if isinstance(values, bytes):
        return values
    return b"".join(struct.pack(order + FORMATS[kind], *(value if kind == RATIONAL else (value,))) for value in values)


def tiff_file(pages, order="<", big=False, last_next=0):
    """The bytes of a TIFF. pages: pairs of tags {tag: (type, values)} and the stored strips or tiles, whose tags are added.

    last_next: number of the page that follows the last one, counted from 1; 0: none.
    """
    offset_format, count_format = (order + "Q", order + "Q") if big else (order + "I", order + "H")
    head = (b"II" if order == "<" else b"MM") + (struct.pack(order + "HHH", 43, 8, 0) if big else struct.pack(order + "H", 42))
    data = bytearray(head + struct.pack(offset_format, 0))
    link, directories = len(head), []
    for tags, chunks in pages:
        offsets = []
        for chunk in chunks:
            data += bytes(-len(data) % 4)
            offsets.append(len(data))
            data += chunk
        tiled = 322 in tags
        tags = {273 + 51 * tiled: (LONG8 if big else LONG, offsets), 279 + 46 * tiled: (LONG, [len(chunk) for chunk in chunks])} | tags
        entries = b""
        for tag, (kind, values) in sorted(tags.items()):
            stored = values_of(kind, values, order)
            count = len(values)
            if len(stored) > struct.calcsize(offset_format):
                data += bytes(-len(data) % 8)
                at, stored = len(data), stored
                data += stored
                stored = struct.pack(offset_format, at)
            entries += struct.pack(order + "HH", tag, kind) + struct.pack(offset_format, count) + stored.ljust(struct.calcsize(offset_format), b"\0")
        data += bytes(-len(data) % 8)
        directories.append(len(data))
        struct.pack_into(offset_format, data, link, len(data))
        data += struct.pack(count_format, len(tags)) + entries
        link = len(data)
        data += struct.pack(offset_format, 0)
    if last_next:
        struct.pack_into(offset_format, data, link, directories[last_next - 1])
    return bytes(data)


def page_tags(shape, bits=8, samples=1, photometric=MINISBLACK, compression=1, rows_per_strip=None, **more):
    """Tags of a page of (rows, columns)."""
    tags = {256: (LONG, [shape[1]]), 257: (LONG, [shape[0]]), 258: (SHORT, [bits] * samples), 259: (SHORT, [compression]),
            262: (SHORT, [photometric]), 277: (SHORT, [samples]), 278: (LONG, [rows_per_strip or shape[0]])}
    return tags | more.get("more", {})


def strips_of(rows, rows_per_strip):
    """Rows of bytes as strips."""
    return [rows[first:first + rows_per_strip].tobytes() for first in range(0, len(rows), rows_per_strip)]


def tiles_of(array, bits, edge):
    """Packed square tiles of a page, padded with ones."""
    rows, columns = array.shape
    padded = np.full((-(-rows // edge) * edge, -(-columns // edge) * edge), (1 << bits) - 1, array.dtype)
    padded[:rows, :columns] = array
    return [packed_rows(padded[y:y + edge, x:x + edge], bits).tobytes()
            for y in range(0, padded.shape[0], edge) for x in range(0, padded.shape[1], edge)]


def voxels(voxcc, folder, path, *options):
    """The voxels as voxcc reads them: the values in the components of all voxels that are not 0."""
    voxcc("label", path, "--masked-output", folder / "values.npy", "--force", "-q", *options)
    return np.load(folder / "values.npy").T
