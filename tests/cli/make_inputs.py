"""Writes small NIfTI-1, BMP and OME-TIFF files for the cases; needs only the standard library: python3 make_inputs.py FOLDER."""
import gzip
import pathlib
import struct
import sys

CODES = {"B": 2, "h": 4, "i": 8, "f": 16, "H": 512, "I": 768, "q": 1024, "Q": 1280}  # format letter of struct -> NIfTI datatype


def nifti(shape, letter, values, spacing=(1, 1, 1), scaling=(0, 0)):
    """The bytes of a single-file NIfTI-1 volume. values: in raster order, x fastest."""
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, len(shape), *shape, *[1] * (7 - len(shape)))
    struct.pack_into("<hh", header, 70, CODES[letter], 8 * struct.calcsize("<" + letter))
    struct.pack_into("<8f", header, 76, 1, *spacing, *[1] * 4)
    struct.pack_into("<fff", header, 108, 352, *scaling)
    header[344:348] = b"n+1\0"
    return bytes(header) + struct.pack(f"<{len(values)}{letter}", *values)


def bmp(rows):
    """The bytes of a BMP image of 24-bit colours. rows: lists of (red, green, blue), from the top."""
    padding = b"\0" * (-3 * len(rows[0]) % 4)
    pixels = b"".join(b"".join(bytes(reversed(colour)) for colour in row) + padding for row in reversed(rows))
    header = struct.pack("<IiiHHIIiiII", 40, len(rows[0]), len(rows), 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) + header + pixels


def ome_tiff(pages, sizes):
    """The bytes of an OME-TIFF of 8-bit pages of 2 x 2 pixels. sizes: for example {"C": 2, "T": 3}, the fastest axis first."""
    named = " ".join(f'Size{axis}="{sizes.get(axis, 1)}"' for axis in "ZCT")
    xml = (f'<OME><Image><Pixels DimensionOrder="XYCTZ" Type="uint8" SizeX="2" SizeY="2" {named}>'
           "<TiffData/></Pixels></Image></OME>\0").encode()
    data, first = bytearray(b"II*\0" + struct.pack("<I", 8)), 8
    for number, pixels in enumerate(pages):
        tags = [(256, 3, 1, 2), (257, 3, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 0), (277, 3, 1, 1),
                (278, 3, 1, 2), (279, 4, 1, 4)]
        if number == 0:
            tags.insert(5, (270, 2, len(xml), 0))
        end = first + 2 + 12 * len(tags) + 4  # of the page directory; then follow the pixels and the description
        places = {273: end, 270: end + 4}
        following = end + 4 + (len(xml) if number == 0 else 0)
        data += struct.pack("<H", len(tags))
        for tag, kind, count, value in tags:
            data += struct.pack("<HHII", tag, kind, count, places.get(tag, value))
        data += struct.pack("<I", following if number + 1 < len(pages) else 0) + bytes(pixels) + (xml if number == 0 else b"")
        first = following
    return bytes(data)


def files():
    """File name -> content in bytes."""
    two = [0, 1, 1, 0, 0, 0, 0, 2, 0, 0, 2, 2]  # two components of 3 x 2 x 2 voxels
    swapped = [{0: 0, 1: 7, 2: 5}[v] for v in two]
    whole = nifti((3, 2, 2), "B", two, spacing=(0.5, 0.5, 2))
    packed = gzip.compress(whole, mtime=0)
    return {
        "two.nii": whole,
        "two.nii.gz": packed,
        "swapped.nii": nifti((3, 2, 2), "h", swapped),
        "same64.nii": nifti((3, 2, 2), "q", two),
        "float.nii": nifti((3, 2, 2), "f", two),
        "half.nii": nifti((3, 2, 2), "f", [0.5] * 12),
        "merged.nii": nifti((3, 2, 2), "B", [min(v, 1) for v in two]),
        "split.nii": nifti((3, 2, 2), "B", [0, 1, 3, 0, 0, 0, 0, 2, 0, 0, 2, 2]),
        "grown.nii": nifti((3, 2, 2), "B", [1] + two[1:]),
        "wide.nii": nifti((4, 3, 1), "B", two),
        "negative.nii": nifti((3, 2, 2), "h", [-v for v in two]),
        "huge.nii": nifti((3, 2, 2), "Q", [2**64 - v if v else 0 for v in two]),
        "nan.nii": nifti((2, 2, 1), "f", [float("nan"), -1.5, 2.25, 0]),
        "scaled.nii": nifti((2, 2, 1), "h", [0, 1, 2, 3], scaling=(-2, 10)),
        "time.nii": nifti((2, 2, 1, 3), "B", list(range(12))),
        "cells.nii": nifti((6, 1, 1, 3), "B", [4, 4, 4, 4, 0, 9, 1, 1, 2, 2, 0, 9, 3, 3, 3, 3, 0, 0]),  # 4 splits, 1 and 2 merge
        "cut.nii": whole[:-1],
        "badcrc.nii.gz": packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:],
        "colours.bmp": bmp([[(10, 0, 0), (10, 3, 2), (0, 0, 0), (0, 0, 9)], [(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 4, 9)]]),
        "channels.ome.tif": ome_tiff([[n, 0, 0, n] for n in range(1, 7)], {"C": 2, "T": 3}),
        "numbers.csv": b"label,new\n2,300\n",
        "twice.csv": b"label,new\n1,3\n2,4\n1,5\n",
        "pairs.csv": b"label_a,label_b,faces\n1,2,4\n",
        "text.nii": b"this is not a volume\n",
        "empty.nii": b"",
    }


if __name__ == "__main__":
    for name, content in files().items():
        (pathlib.Path(sys.argv[1]) / name).write_bytes(content)
