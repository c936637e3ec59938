#!/usr/bin/env python3
"""Writes small valid files of every format as seeds of the fuzz targets: FOLDER/TARGET/NAME.

Usage: make_seeds.py FOLDER. Needs nibabel, tifffile, h5py, imagecodecs and Pillow (tests/python/requirements.txt). Seeds that no library writes
are in tests/fuzz/seeds and are copied, too.
"""
import bz2
import gzip
import io
import itertools
import json
import shutil
import struct
import sys
import tempfile
import zlib
from pathlib import Path

import h5py
import imagecodecs
import nibabel
import numpy
import PIL.Image
import tifffile

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import tiff_files  # noqa: E402
from dicom_seeds import add_dicom  # noqa: E402
from seed_files import NEXT_FILE, Seeds, rng, volume  # noqa: E402
from vtk_and_mrc_seeds import add_mrc_and_gipl, add_vtk  # noqa: E402
from zarr_seeds import add_zarr  # noqa: E402

VERSIONS = ("earliest", "v110")  # libhdf5 1.10 does not read later structures


def nifti_files():
    for image_class, name in ((nibabel.Nifti1Image, "n1"), (nibabel.Nifti2Image, "n2")):
        for dtype in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"):
            image = image_class(volume(dtype), numpy.diag([0.5, 0.5, 2, 1]), dtype=numpy.dtype(dtype))
            yield f"{name}_{dtype}.nii", image.to_bytes()
        big = image_class(volume("i2"), None, image_class.header_class(endianness=">"))
        yield f"{name}_big.nii", big.to_bytes()
        scaled = image_class(volume("i2", (2, 3, 4, 2)), numpy.eye(4))
        scaled.header.set_slope_inter(0.5, -3)
        scaled.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"text of an extension"))
        yield f"{name}_4d.nii", scaled.to_bytes()


def add_nifti(seeds):
    for name, content in nifti_files():
        seeds.add("nifti", name, content)
        seeds.add("nifti_gz", name + ".gz", gzip.compress(content, mtime=0))
    for dtype in ("u1", "i2"):
        pair = nibabel.Nifti1Pair(volume(dtype), numpy.eye(4), dtype=numpy.dtype(dtype))
        files = {key: nibabel.FileHolder(fileobj=io.BytesIO()) for key in ("header", "image")}
        pair.to_file_map(files)
        seeds.add("nifti_pair", dtype, files["header"].fileobj.getvalue() + NEXT_FILE + files["image"].fileobj.getvalue())


def add_gzip(seeds):
    raw = bytes(range(40)) * 30
    members = [gzip.compress(raw, level, mtime=0) for level in (0, 1, 9)]
    for i, member in enumerate(members):
        seeds.add("gzip", f"level{i}", member)
    seeds.add("gzip", "members", b"".join(members) + gzip.compress(b"", mtime=0))
    seeds.add("gzip", "fixed_codes", deflated(raw, 31, zlib.Z_FIXED))
    with io.BytesIO() as file:
        with gzip.GzipFile("name", "wb", fileobj=file, mtime=1) as member:
            member.write(raw)
        seeds.add("gzip", "named", file.getvalue())
    fields = b"\x1f\x8b\x08\x1f\0\0\0\0\0\xff\x02\0xyname\0comment\0"
    seeds.add("gzip", "all_fields", fields + struct.pack("<H", zlib.crc32(fields) & 0xffff) + members[1][10:])
    words = b" ".join(str(number).encode() for number in rng.integers(0, 3000, 6000))
    for level in (1, 6, 9):
        seeds.add("gzip", f"many_blocks{level}", in_small_blocks(words[:13000], level))
        seeds.add("gzip", f"larger_than_window{level}", in_small_blocks(words[:2000] + bytes(20000) + words[:8000] * 5, level))
    seeds.add("gzip", "stored_and_coded", in_small_blocks(words[:4000] + rng.bytes(2000) + words[:4000], 6))
    for flush in (zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH):
        seeds.add("gzip", f"flushed{flush}", in_small_blocks(words[:9000], 6, flush))
    for i, data in enumerate((raw, b"\0" * 900, volume("u4", (6, 7, 8)).tobytes(), rng.bytes(300))):
        seeds.add("deflate", str(i), data)


def in_small_blocks(raw, level, flush=zlib.Z_NO_FLUSH, step=1500):
    """A gzip member with 128 symbols per block."""
    stream = zlib.compressobj(level, zlib.DEFLATED, 31, 1)
    parts = [stream.compress(raw[at:at + step]) + stream.flush(flush) for at in range(0, len(raw), step)]
    return b"".join(parts) + stream.flush()


def deflated(raw, window_bits, strategy):
    stream = zlib.compressobj(6, zlib.DEFLATED, window_bits, strategy=strategy)
    return stream.compress(raw) + stream.flush()


def tiff_bytes(data, **options):
    with io.BytesIO() as file:
        tifffile.imwrite(file, data, **options)
        return file.getvalue()


def small_tiff(pages):
    """Pages of 5 x 4 pixels with these tags."""
    common = {256: (3, [5]), 257: (3, [4]), 262: (3, [1]), 277: (3, [1]), 278: (3, [4])}
    return tiff_files.tiff_file([(common | tags, strips) for tags, strips in pages])


def ccitt_codes(page, compression):
    with io.BytesIO() as stream:
        PIL.Image.fromarray(page).save(stream, "tiff", compression=compression)
        stream.seek(0)
        with tifffile.TiffFile(stream) as file:
            return stream.getvalue()[file.pages[0].dataoffsets[0]:][:file.pages[0].databytecounts[0]]


def add_tiff(seeds):
    compressions = (None, "zlib", "lzw", "packbits", "zstd", "adobe_deflate")
    for compression, order in itertools.product(compressions, "<>"):
        for big in (False, True):
            name = f"{compression}_{'little' if order == '<' else 'big'}_{'big' if big else 'classic'}"
            seeds.add("tiff", name, tiff_bytes(volume("u2"), compression=compression, byteorder=order, bigtiff=big,
                                               photometric="minisblack", rowsperstrip=2, metadata=None))
    for dtype in ("u1", "i1", "i2", "u4", "f4", "f8", "f2"):
        seeds.add("tiff", dtype, tiff_bytes(volume(dtype), photometric="minisblack", compression="zlib"))
    tiles = volume("u1", (2, 20, 40))
    seeds.add("tiff", "tiles", tiff_bytes(tiles, tile=(16, 16), compression="zlib", photometric="minisblack", metadata=None))
    seeds.add("tiff", "tiles_plain", tiff_bytes(tiles, tile=(16, 32), photometric="minisblack", metadata=None))
    for predictor, dtype in ((2, "u2"), (3, "f4"), (2, "u1")):
        seeds.add("tiff", f"predictor{predictor}_{dtype}",
                  tiff_bytes(volume(dtype), compression="zlib", predictor=predictor, photometric="minisblack"))
    seeds.add("tiff", "imagej", tiff_bytes(volume("u2", (2, 3, 2, 4, 5)), imagej=True, resolution=(2.0, 2.0),
                                           metadata={"axes": "TZCYX", "spacing": 3.5, "unit": "um"}))
    seeds.add("tiff", "imagej_contiguous", tiff_bytes(volume("u1", (6, 4, 5)), imagej=True, metadata={"axes": "ZYX"}))
    seeds.add("tiff", "ome", tiff_bytes(volume("u2", (2, 3, 4, 5)), ome=True, photometric="minisblack",
                                        metadata={"axes": "CZYX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5, "PhysicalSizeZ": 2}))
    seeds.add("tiff", "bits", tiff_bytes(volume("u1") > 0, photometric="minisblack"))
    seeds.add("tiff", "palette", tiff_bytes(volume("u1"), photometric="palette", colormap=numpy.zeros((3, 256), "u2")))
    for planar, shape in (("contig", (3, 4, 5, 3)), ("separate", (3, 3, 4, 5))):
        seeds.add("tiff", f"rgb_{planar}", tiff_bytes(volume("u1", shape), photometric="rgb", planarconfig=planar))
        seeds.add("tiff", f"rgb_predictor_{planar}", tiff_bytes(volume("u2", shape), photometric="rgb", planarconfig=planar, compression="zlib", predictor=2))
    for bits in (2, 4, 12):
        page = ({258: (3, [bits]), 259: (3, [1])}, [bytes(rng.integers(0, 256, 4 * -(-5 * bits // 8), "u1"))])
        seeds.add("tiff", f"packed_{bits}", small_tiff([page] * 3))
    for compression, codec in (("tiff_ccitt", 2), ("group3", 3), ("group4", 4)):
        seeds.add("tiff", compression, small_tiff([({258: (3, [1]), 259: (3, [codec])}, [ccitt_codes(page, compression)]) for page in volume("u1") > 0]))
    seeds.add("tiff", "jpeg", tiff_bytes(volume("u1", (2, 16, 24)), photometric="minisblack", compression="jpeg"))
    seeds.add("tiff", "jpeg_rgb", tiff_bytes(volume("u1", (16, 24, 3)), photometric="rgb", compression="jpeg"))
    for dtype in ("u1", "i2", "f4"):
        seeds.add("tiff", f"lerc_{dtype}", tiff_bytes(volume(dtype), photometric="minisblack", compression="lerc"))


def hdf5_bytes(fill, **options):
    with io.BytesIO() as file:
        with h5py.File(file, "w", **options) as h5:
            fill(h5)
        return file.getvalue()


def hdf5_files():
    filters = {"plain": {}, "chunks": {"chunks": (2, 2, 3)}, "gzip": {"chunks": (2, 2, 3), "compression": "gzip"},
               "lzf": {"chunks": (2, 3, 5), "compression": "lzf", "shuffle": True},
               "all": {"chunks": (1, 4, 5), "compression": "gzip", "shuffle": True, "fletcher32": True},
               "scale": {"chunks": (1, 4, 5), "scaleoffset": 0}, "growing": {"chunks": (1, 2, 5), "maxshape": (None, None, 5)},
               "growing1": {"chunks": (1, 4, 5), "maxshape": (None, 4, 5)}}
    for (name, options), version in itertools.product(filters.items(), VERSIONS):
        def fill(h5, options=options):
            dataset = h5.create_dataset("v", data=volume("u2"), **options)
            dataset.attrs["element_size_um"] = [2.0, 0.5, 0.5]
        yield f"{name}_{version}.h5", hdf5_bytes(fill, libver=(version, "v110"))
    for dtype in ("u1", ">u2", "i4", ">f4", "f8", "f2", "u8"):
        yield f"type_{dtype.strip('>')}.h5", hdf5_bytes(lambda h5, dtype=dtype: h5.create_dataset("v", data=volume(dtype)))

    def groups(h5):
        h5.create_dataset("a/b/c", data=volume("u1"))
        h5.create_dataset("a/image", data=volume("u1", (4, 5)))
        h5["link"] = h5py.SoftLink("/a/b/c")
        h5["outside"] = h5py.ExternalLink("other.h5", "/v")
        h5.create_dataset("text", data="text")

    def axes(h5):
        dataset = h5.create_dataset("t0/channel0", data=volume("u2", (2, 3, 4, 5)), chunks=(1, 1, 4, 5), fillvalue=7)
        dataset.dims[0].label = "c"
        h5.create_dataset("empty", shape=(3, 4, 5), dtype="u1", chunks=(1, 4, 5))

    def compact(h5):
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((2, 3, 4))
        h5py.h5d.create(h5.id, b"v", h5py.h5t.STD_U8LE, space, properties)

    for fill in (groups, axes, compact):
        for version in VERSIONS:
            yield f"{fill.__name__}_{version}.h5", hdf5_bytes(fill, libver=(version, "v110"))
    yield "user_block.h5", hdf5_bytes(lambda h5: h5.create_dataset("v", data=volume("u1")), userblock_size=512)


def add_hdf5(seeds):
    for name, content in hdf5_files():
        seeds.add("hdf5", name, content)
        seeds.add("hdf5_answers", name, content + b"\0")  # no patches
    chunk = volume("u2", (4, 4, 4)).tobytes()
    head = lambda count, ids, skipped: bytes([count, ids, 2 << 4 | skipped, (len(chunk) - 1) >> 8, (len(chunk) - 1) & 255, 0, 0, 0])
    seeds.add("hdf5_filters", "none", head(0, 0, 0) + chunk)
    seeds.add("hdf5_filters", "deflate", head(1, 0, 0) + zlib.compress(chunk))
    seeds.add("hdf5_filters", "shuffle_deflate", head(2, 1, 0) + zlib.compress(chunk))
    seeds.add("hdf5_filters", "skipped", head(2, 1, 3) + chunk)
    literals = b"".join(bytes([31]) + chunk[i:i + 32] for i in range(0, len(chunk), 32))
    seeds.add("hdf5_filters", "lzf", head(1, 3, 0) + literals)


def add_nrrd_and_metaimage(seeds):
    raw = volume("i2").tobytes()
    as_text = " ".join(map(str, numpy.frombuffer(raw, "<i2"))).encode() + b"\n"
    encodings = {"raw": raw, "gzip": gzip.compress(raw, mtime=0), "bzip2": bz2.compress(raw), "text": as_text, "hex": raw.hex().encode()}
    geometry = ("space: left-posterior-superior\nspace directions: (0.5,0,0) (0,0.5,0) (0,0,2)\nspace origin: (1,2,3)\n", "spacings: 1 1 2\n",
                "axis mins: 0 0 0\naxis maxs: 4 4 4\ncentering: cell cell cell\nlabels: \"x\" \"y\" \"z\"\n")
    for (encoding, data), (i, where) in itertools.product(encodings.items(), enumerate(geometry)):
        header = (f"NRRD0004\n# a comment\ntype: short\ndimension: 3\nsizes: 5 4 3\nencoding: {encoding}\nendian: "
                  f"{('little', 'big')[i % 2]}\n{where}key:=value\n")
        seeds.add("nrrd", f"{encoding}{i}", (header + "\n").encode() + data)
        seeds.add("nrrd_pair", f"{encoding}{i}", f"{header}byte skip: 0\ndata file: p.raw\n\n".encode() + NEXT_FILE + data)
    seeds.add("nrrd", "4d", b"NRRD0005\ntype: uint8\ndimension: 4\nsizes: 5 4 3 2\nkinds: space space space list\nencoding: raw\n"
                            b"space dimension: 3\nspace directions: (1,0,0) (0,1,0) (0,0,1) none\n\n" + bytes(120))
    for compressed, data in (("False", raw), ("True", zlib.compress(raw))):
        header = (f"ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = {compressed}\n"
                  + (f"CompressedDataSize = {len(data)}\n" if compressed == "True" else "")
                  + "TransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = 1 2 3\nElementSpacing = 0.5 0.5 2\nDimSize = 5 4 3\n"
                    "ElementNumberOfChannels = 1\nElementType = MET_SHORT\n")
        seeds.add("metaimage", compressed, f"{header}ElementDataFile = LOCAL\n".encode() + data)
        seeds.add("metaimage_pair", compressed, f"{header}ElementDataFile = p.raw\n".encode() + NEXT_FILE + data)
    seeds.add("metaimage", "text", b"NDims = 3\nBinaryData = False\nDimSize = 5 4 3\nElementType = MET_SHORT\nElementDataFile = LOCAL\n" + as_text)
    seeds.add("metaimage", "header_size", b"NDims = 2\nHeaderSize = -1\nDimSize = 5 4\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n" + bytes(20))


def npy_bytes(array, version=(1, 0)):
    stream = io.BytesIO()
    numpy.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def add_npy(seeds):
    for dtype in ("?", "u1", "i1", "<u2", ">i2", "<u4", ">i4", "<u8", ">i8", "<f2", ">f2", ">f4", "<f8"):
        seeds.add("npy", dtype.replace("?", "bool").replace("<", "little_").replace(">", "big_"), npy_bytes(volume(dtype)))
    for shape in ((60,), (5, 12), (3, 4, 5), (2, 3, 2, 5)):
        seeds.add("npy", f"fortran_{len(shape)}d", npy_bytes(numpy.asfortranarray(volume("u1", shape))))
        seeds.add("npy", f"c_{len(shape)}d", npy_bytes(volume("u1", shape), (2, 0)))
    seeds.add("npy", "version_3", npy_bytes(volume("u1"), (3, 0)))
    seeds.add("npy", "longer", npy_bytes(volume("u1")) + b"more")
    seeds.add("npy", "records", npy_bytes(numpy.zeros(3, [("r", "u1"), ("g", "u1")])))
    seeds.add("npy", "complex", npy_bytes(numpy.zeros((3, 4), "c8")))


def add_freesurfer_and_zstd(seeds):
    for dtype in ("u1", "i2", "i4", "f4"):
        for shape in ((3, 4, 5), (2, 3, 4, 2)):
            content = nibabel.freesurfer.MGHImage(volume(dtype, shape), numpy.diag([0.5, 0.5, 2, 1])).to_bytes()
            seeds.add("mgh", f"{dtype}_{len(shape)}d", content)
            seeds.add("mgz", f"{dtype}_{len(shape)}d", gzip.compress(content, mtime=0))
    for name, content in nifti_files():
        seeds.add("zstd", name, imagecodecs.zstd_encode(content))
        seeds.add("zstd", "frames_" + name, imagecodecs.zstd_encode(content[:200]) + imagecodecs.zstd_encode(content[200:]))
    for name, save in (("stored", numpy.savez), ("deflated", numpy.savez_compressed)):
        for dtype in ("u1", "f2", ">i2"):
            content = io.BytesIO()
            save(content, volume(dtype), spacing=numpy.ones(3))
            seeds.add("npz", f"{name}_{dtype}".replace(">", "big_"), content.getvalue())
    for kind in range(4):
        seeds.add("raw", f"type_{kind}", bytes([kind, 3, 2, 2, 2, kind % 2]) + bytes(range(200)))


def add_slices(seeds):
    pages = [tiff_bytes(page, photometric="minisblack") for page in volume("u1", (4, 6, 7))]
    for name, pattern in (("numbered", "s%02d.tif"), ("two_numbers", "scan3_%d.tif"), ("mixed", "a%d.png")):
        files = (f"{pattern % i}\n".encode() + page for i, page in enumerate(pages))
        seeds.add("slices", name, NEXT_FILE.join(files))


def add_ome_sets(seeds):
    """Two time points of two slices in two files. Each file describes both; with BinaryOnly, only the first does."""
    ids = [f"urn:uuid:0000000{i}-0000-4000-8000-000000000000" for i in range(2)]
    planes = volume("u1", (2, 2, 4, 5))
    blocks = [f'<TiffData FirstT="{t}" FirstZ="{z}" IFD="{z}" PlaneCount="1"><UUID FileName="{t}.ome.tif">{ids[t]}</UUID></TiffData>'
              for t in range(2) for z in range(2)]
    joined = [f'<TiffData FirstT="{t}" PlaneCount="2"><UUID FileName="{t}.ome.tif">{ids[t]}</UUID></TiffData>' for t in range(2)]
    for name, data, identities in (("planes", blocks, ids), ("stacks", joined, ids), ("names", [text.replace(ids[0], "").replace(ids[1], "") for text in blocks], ["", ""])):
        texts = [f'<OME UUID="{own}"><Image><Pixels DimensionOrder="XYZCT" Type="uint8" SizeX="5" SizeY="4" SizeZ="2" SizeC="1" SizeT="2" '
                 f'PhysicalSizeX="0.5">{"".join(data)}</Pixels></Image></OME>' for own in identities]
        for further in ("complete", "binary_only"):
            if further == "binary_only":
                texts[1] = f'<OME UUID="{identities[1]}"><BinaryOnly MetadataFile="0.ome.tif" UUID="{identities[0]}"/></OME>'
            files = (f"{t}.ome.tif\n".encode() + tiff_bytes(planes[t], photometric="minisblack", description=texts[t], metadata=None) for t in range(2))
            seeds.add("ome_set", f"{name}_{further}", NEXT_FILE.join(files))


def add_headers(seeds):
    biorad = struct.pack("<7Hh", 3, 2, 2, 0, 0, 0, 0, 1).ljust(54, b"\0") + struct.pack("<H", 12345)
    seeds.add("itk_headers", "biorad", b"\4" + biorad.ljust(76, b"\0") + bytes(12))
    rows = b"".join(b"\0" + bytes(5) for _ in range(4))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 5, 4, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    seeds.add("itk_headers", "png", b"\0" + png)
    bmp = b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + 48, 0, 0, 54, 40, 4, 4, 1, 24, 0, 48, 0, 0, 0, 0) + bytes(48)
    seeds.add("itk_headers", "bmp", b"\2" + bmp)
    jpeg = b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xc0\0\x0b\x08\0\4\0\4\1\1\x11\0\xff\xda\0\x08\1\1\0\0\x3f\0\x7f\xff\xd9"
    seeds.add("itk_headers", "jpeg", b"\1" + jpeg)
    for form, array in (("j2k", volume("u1")[0]), ("jp2", volume("u2")[0]), ("jp2", volume("i2").transpose(1, 2, 0)[..., :3].copy())):
        seeds.add("jpeg2000", f"{form}_{array.dtype}_{array.ndim}", imagecodecs.jpeg2k_encode(array, level=0, codecformat=form, reversible=True))
    tiles = io.BytesIO()
    PIL.Image.fromarray(volume("u1", (1, 40, 50))[0]).save(tiles, "JPEG2000", tile_size=(16, 16), irreversible=False)
    seeds.add("jpeg2000", "tiles", tiles.getvalue())


def add_texts(seeds):
    rows = [["label", "voxels", "centroid_x_mm", "file"], ["1", "20", "-1.5", "a.nii"], ["2", "n/a", "1e-9", "'=b, \"c\""]]
    seeds.add("csv", "table", "\n".join(",".join('"' + cell.replace('"', '""') + '"' if '"' in cell else cell for cell in row) for row in rows) + "\n")
    seeds.add("csv", "bom", "\ufefflabel,voxels\r\n1,2\r\n")
    seeds.add("tsv", "table", "\n".join("\t".join(row) for row in rows) + "\nx\\ty\t1\t2\t3\n")
    seeds.add("json_table", "table", json.dumps([{"label": 1, "voxels": 20, "mean": 1.5, "file": "a", "x": None, "y": True}, {"label": 2}]))
    seeds.add("json_table", "rows", json.dumps([{"label": i, "mean": -i / 3} for i in range(4)]))
    for i, (kind, rest) in enumerate(itertools.product(range(3), range(3))):  # join.cpp: formats of input and output
        text = ("\n".join(",".join(row) for row in rows[:2]), "\n".join("\t".join(row) for row in rows[:2]), json.dumps([{"label": 1, "mean": 1.5, "file": "a"}]))[kind]
        seeds.add("join", str(i), bytes([kind + 3 * rest]) + text.encode() + b"\n")
    seeds.add("join", "identifiers", b"\0subject,x\n007,1e5\n1.10,12345678901234567890123\n-inf,n/a\n")
    seeds.add("summary", "run", json.dumps({
        "program": "voxcc", "version": "1", "argv": ["voxcc", "label"], "device": "cpu", "threads": 2, "seconds": {"read": 0.1},
        "inputs": [{"path": "a", "bytes": 3, "sha256": "00"}], "failed": [{"input": "b", "error": "c"}],
        "volumes": [{"input": "a", "volume": 3, "count": 0}, {"input": "a", "volume": None, "count": 2}]}))
    arguments = ["nonzero", "otsu", ">=200", ">-1e3", "2:5", "-inf:5", "p99.5", "8GiB", "500MB", "1.5K", "0.5,0.5,2", "256,256,100", "64,32", "5mm3",
                 "100", "all", "xyz", "cuda:0,1", "auto", "-", "size", "[3]", "[0..4]", "[c=1,t=0..2]", ":/seg/mask[3]"]
    for i, text in enumerate(arguments):
        seeds.add("arguments", f"{i:02}", text)
    seeds.add("config", "plain", 'threads = 4\noutput = "a.nii.gz"  # where\nspacing = [0.5, 0.5, 2]\nforce = true\nthreshold = ">=5"\n')
    seeds.add("config", "section", "[label]\nthreads = 2\nthreshold = 'p99'\n[stats]\nx = 1\n")
    for i in range(12):  # writers.cpp takes numbers from the end
        seeds.add("writers", f"{i:02}", rng.bytes(40 + 60 * i) + bytes([i]))


def main():
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:  # a new folder takes the place of the old one only when it is complete
        seeds = Seeds(Path(temporary) / "seeds")
        for add in (add_nifti, add_gzip, add_tiff, add_hdf5, add_nrrd_and_metaimage, add_npy, add_freesurfer_and_zstd, add_zarr, add_slices, add_ome_sets,
                    add_headers, add_dicom, add_vtk, add_mrc_and_gipl, add_texts):
            add(seeds)
        stored = Path(__file__).resolve().parent / "seeds"
        if stored.is_dir():
            shutil.copytree(stored, seeds.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.md"))
        if folder.exists():
            shutil.rmtree(folder)
        seeds.folder.rename(folder)


if __name__ == "__main__":
    main()
