"""Seeds of the fuzz targets for VTK, MRC and GIPL; part of make_seeds.py."""

import gzip
import struct

import numpy

VTK_TYPES = {"bit": "u1", "char": "i1", "unsigned_char": "u1", "short": ">i2", "unsigned_int": ">u4", "vtktypeint64": ">i8", "vtkIdType": ">i4",
             "float": ">f4", "double": ">f8"}


def add_vtk(seeds):
    head = (b"# vtk DataFile Version %s\ntitle\n%s\nDATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 2\n%s 1 1 2\nORIGIN 0 0 5\n")
    text = lambda count: b" ".join(b"%d" % (i % 2) for i in range(count)) + b" \n"
    scalars = lambda name, kind: b"SCALARS %s %s \nLOOKUP_TABLE default\n" % (name, kind.encode())
    for kind, dtype in VTK_TYPES.items():
        binary = numpy.packbits(numpy.arange(12) % 2).tobytes() if kind == "bit" else numpy.arange(12).astype(dtype).tobytes()
        for encoding, values in ((b"BINARY", binary + b"\n"), (b"ASCII", text(12))):
            seeds.add("vtk", f"{kind}_{encoding.decode().lower()}", head % (b"3.0", encoding, b"SPACING") + b"POINT_DATA 12\n" + scalars(b"v", kind) + values)
    for encoding in (b"BINARY", b"ASCII"):
        values = (lambda count, size: bytes(count * size) + b"\n") if encoding == b"BINARY" else (lambda count, size: text(count))
        strings = b"\xc3a b\x80\2xy\n" if encoding == b"BINARY" else b"a%20b\nxy\n"
        cells = b"CELL_DATA 2\n" + scalars(b"c", "short") + values(2, 2)
        table = b"LOOKUP_TABLE t 2\n" + values(8, 1)
        metadata = b"METADATA\nCOMPONENT_NAMES\nX%20x\n\n\nINFORMATION 2\nNAME a LOCATION b\nDATA 2\nx\ny\nNAME c LOCATION d\nDATA 5\n\n"
        field = b"FIELD FieldData 3\nNULL_ARRAY\nf 1 12 int\n" + values(12, 4) + b"texts 1 2 string\n" + strings
        time = b"FIELD FieldData 1\nTIME 1 1 double\n" + values(1, 8)
        attributes = (b"VECTORS v float\n" + values(36, 4) + metadata + b"NORMALS n double\n" + values(36, 8) + b"TENSORS6 t char\n" + values(72, 1)
                      + b"TEXTURE_COORDINATES x 2 float\n" + values(24, 4) + b"GLOBAL_IDS g vtkIdType\n" + values(12, 4))
        points = b"POINT_DATA 12\n" + scalars(b"p", "unsigned_char") + values(12, 1)
        for name, parts in (("cells", [cells]), ("both", [cells, points]), ("points_first", [points, cells]), ("field", [time, points, field]),
                            ("attributes", [points, table, attributes]), ("colours", [b"POINT_DATA 12\nCOLOR_SCALARS c 1\n", values(12, 1)])):
            seeds.add("vtk", f"{name}_{encoding.decode().lower()}", head % (b"5.1", encoding, b"ASPECT_RATIO") + b"".join(parts))


def mrc(order, mode, dtype, **fields):
    at = {"extents": (0, "3i"), "starts": (16, "3i"), "intervals": (28, "3i"), "cell": (40, "3f"), "angles": (52, "3f"), "axes": (64, "3i"), "group": (88, "i"),
          "extended": (92, "i"), "version": (108, "i"), "imod": (152, "2i"), "origin": (196, "3f")}
    given = {"extents": (3, 2, 2), "intervals": (3, 2, 2), "cell": (3, 2, 4), "angles": (90, 90, 90), "axes": (1, 2, 3), "group": (1,), **fields}
    header = bytearray(1024)
    struct.pack_into(order + "i", header, 12, mode)
    for name, numbers in given.items():
        struct.pack_into(order + at[name][1], header, at[name][0], *numbers)
    header[208:214] = b"MAP " + (b"DD" if order == "<" else b"\x11\x11")
    return bytes(header) + bytes(given.get("extended", (0,))[0]) + numpy.arange(12).astype(order + dtype).tobytes()


def add_mrc_and_gipl(seeds):
    for order in "<>":
        name = "little" if order == "<" else "big"
        for mode, dtype in ((0, "i1"), (1, "i2"), (2, "f4"), (6, "u2"), (12, "f2")):
            seeds.add("mrc", f"mode{mode}_{name}", mrc(order, mode, dtype))
        seeds.add("mrc", f"turned_{name}", mrc(order, 2, "f4", axes=(3, 1, 2), angles=(80, 95, 120), starts=(1, 2, 3)))
        seeds.add("mrc", f"stack_{name}", mrc(order, 2, "f4", group=(401,), intervals=(3, 2, 1)))
        seeds.add("mrc", f"images_{name}", mrc(order, 2, "f4", group=(0,), intervals=(3, 2, 1), origin=(1, 2, 3)))
        seeds.add("mrc", f"imod_{name}", mrc(order, 0, "i1", imod=(1146047817, 1), extended=(80,), version=(20140,)))
        seeds.add("mrc", f"old_{name}", mrc(order, 1, "i2").replace(b"MAP ", bytes(4)))
        seeds.add("mrc_gz", name, gzip.compress(mrc(order, 12, "f2"), mtime=0))
    for code, dtype in ((7, "i1"), (8, "u1"), (15, "i2"), (16, "u2"), (31, "u4"), (32, "i4"), (64, "f4"), (65, "f8")):
        header = struct.pack(">4HH4f", 3, 2, 2, 1, code, 1, 1, 2, 0).ljust(204, b"\0") + struct.pack(">4d", 1, 2, 3, 0)
        seeds.add("gipl", dtype, header.ljust(252, b"\0") + struct.pack(">I", 719555000) + numpy.arange(12).astype(">" + dtype).tobytes())
    seeds.add("gipl", "volumes", struct.pack(">4HH4f", 3, 2, 1, 2, 8, 1, 1, 2, 0).ljust(252, b"\0") + struct.pack(">I", 4026526128) + bytes(12))
