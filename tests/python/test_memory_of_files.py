"""Memory for small files that decode to much data, or claim to: at most 200 MB, 10 times the file, and the volume that it describes.

docs/develop/sandbox.md has the limits by format."""

import gzip
import json
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import h5py
import imagecodecs
import numpy as np
import pytest
from helpers import noise, write_nifti
from jpeg2000_files import encode
from tiff_files import page_tags, tiff_file

BASE, PER_BYTE = 200e6, 10
SHAPE = (8, 16, 16)
ZEROS = bytes(400_000_000)  # what the bombs decode to


def gzip_nifti(folder):
    write_nifti(folder / "a.nii", np.zeros(SHAPE, np.uint8))
    with gzip.open(folder / "a.nii.gz", "wb", 1) as file:
        file.write((folder / "a.nii").read_bytes() + ZEROS)
    return folder / "a.nii.gz"


def npz(folder):
    header = np.lib.format.header_data_from_array_1_0(np.zeros(SHAPE, np.uint8))
    with zipfile.ZipFile(folder / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, header)
        member.write(ZEROS)
    return folder / "a.npz"


def tiff(compression, content):
    def make(folder):
        strip = content()
        path = folder / "a.tif"
        path.write_bytes(tiff_file([(page_tags((16, 16), compression=compression), [strip])]))
        return path

    return make


def hdf5(folder):
    """A deflate chunk that is longer than the chunk."""
    with h5py.File(folder / "a.h5", "w") as file:
        made = file.create_dataset("volume", SHAPE, np.uint8, chunks=SHAPE, compression="gzip")
        made.id.write_direct_chunk((0, 0, 0), zlib.compress(ZEROS, 1))
    return folder / "a.h5"


def hdf5_long_axis(folder):
    """A scale-offset dataset whose axis of 13 voxels is said to have 16777229, with a maximum of 13."""
    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset("volume", data=np.arange(9 * 11 * 13, dtype=np.uint16).reshape(9, 11, 13), scaleoffset=True, chunks=(3, 4, 5), maxshape=(9, 11, 13))
    content = (folder / "a.h5").read_bytes()
    axes = b"".join(n.to_bytes(8, "little") for n in (9, 11, 13, 9, 11, 13))
    assert content.count(axes) == 1
    (folder / "a.h5").write_bytes(content.replace(axes, axes[:16] + (16777229).to_bytes(8, "little") + axes[24:]))
    return folder / "a.h5"


def zarr(codec, content):
    def make(folder):
        store = folder / "a.zarr"
        (store / "c" / "0" / "0").mkdir(parents=True)
        metadata = {"zarr_format": 3, "node_type": "array", "shape": SHAPE, "data_type": "uint8", "fill_value": 0,
                    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": SHAPE}},
                    "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}, codec]}
        (store / "zarr.json").write_text(json.dumps(metadata))
        (store / "c" / "0" / "0" / "0").write_bytes(content())
        return store

    return make


def zarr_v2(compressor, content):
    def make(folder):
        store = folder / "a.zarr"
        store.mkdir()
        metadata = {"zarr_format": 2, "shape": SHAPE, "chunks": SHAPE, "dtype": "|u1", "fill_value": 0, "order": "C", "filters": None, "compressor": compressor}
        (store / ".zarray").write_text(json.dumps(metadata))
        (store / "0.0.0").write_bytes(content())
        return store

    return make


def jpeg2000(folder):
    """The image is said to have one tile of 20000 x 20000 samples."""
    content = encode(np.zeros((16, 16), np.uint8), form="j2k")
    size = (20000).to_bytes(4, "big")
    at = content.index(b"\xff\x51") + 6
    (folder / "a.j2k").write_bytes(content[:at] + 2 * size + content[at + 8 : at + 16] + 2 * size + content[at + 24 :])
    return folder / "a.j2k"


def nrrd(folder):
    head = f"NRRD0005\ntype: uint8\ndimension: 3\nsizes: {SHAPE[2]} {SHAPE[1]} {SHAPE[0]}\nencoding: gzip\n\n".encode()
    (folder / "a.nrrd").write_bytes(head + gzip.compress(ZEROS, 1))
    return folder / "a.nrrd"


def metaimage(folder):
    head = f"ObjectType = Image\nNDims = 3\nDimSize = {SHAPE[2]} {SHAPE[1]} {SHAPE[0]}\nElementType = MET_UCHAR\nCompressedData = True\nElementDataFile = LOCAL\n"
    (folder / "a.mha").write_bytes(head.encode() + zlib.compress(ZEROS, 1))
    return folder / "a.mha"


def raw_deflate():
    return zlib.compress(ZEROS, 1)


def blosc():
    return imagecodecs.blosc_encode(ZEROS, level=1, compressor="lz4")


FILES = {
    "gzip in NIfTI": gzip_nifti, "deflate in npz": npz, "gzip in NRRD": nrrd, "zlib in MetaImage": metaimage,
    "deflate in TIFF": tiff(8, raw_deflate), "zstd in TIFF": tiff(50000, lambda: imagecodecs.zstd_encode(ZEROS)),
    "xz in TIFF": tiff(34925, lambda: imagecodecs.lzma_encode(ZEROS, level=0)), "LZW in TIFF": tiff(5, lambda: imagecodecs.lzw_encode(ZEROS[:50_000_000])),
    "deflate in HDF5": hdf5, "axis of HDF5": hdf5_long_axis,
    "gzip in Zarr": zarr({"name": "gzip", "configuration": {"level": 1}}, lambda: gzip.compress(ZEROS, 1)),
    "zstd in Zarr": zarr({"name": "zstd", "configuration": {"level": 0, "checksum": False}}, lambda: imagecodecs.zstd_encode(ZEROS)),
    "blosc in Zarr": zarr({"name": "blosc", "configuration": {"cname": "lz4", "clevel": 1, "shuffle": "noshuffle", "blocksize": 0}}, blosc),
    "lz4 in Zarr": zarr_v2({"id": "lz4", "acceleration": 1}, lambda: len(ZEROS).to_bytes(4, "little") + imagecodecs.lz4_encode(ZEROS)),
    "JPEG 2000": jpeg2000,
}  # fmt: skip

# Peak memory and processor time of a program and of its processes, measured by a small process: ru_maxrss includes the memory before exec().
MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_maxrss, used.ru_utime + used.ru_stime)
sys.exit(code)
"""


class Use:
    """What a run of the program used: peak memory in bytes, processor time in seconds; and its exit code and messages."""

    def __init__(self, voxcc, *arguments):
        measured = [sys.executable, "-c", MEASURE, voxcc.program, *map(str, arguments)]
        done = subprocess.run(measured, capture_output=True, text=True, errors="replace", timeout=120, check=False)
        kilobytes, seconds = done.stdout.splitlines()[-1].split()
        self.peak, self.seconds, self.code, self.errors = int(kilobytes) * 1024, float(seconds), done.returncode, done.stderr


def size_of(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.is_dir() else path.stat().st_size


@pytest.mark.parametrize("name", FILES)
def test_small_files(voxcc, tmp_path, name):
    path = FILES[name](tmp_path)
    limit = BASE + PER_BYTE * size_of(path) + np.prod(SHAPE)
    for command in (("label", path, "-q", "-t", "1", "--json", tmp_path / "a.json", "-f"), ("verify", path, "-q"), ("info", path)):
        use = Use(voxcc, *command)
        assert use.peak < limit, f"{command[0]} of {size_of(path)} bytes needs {use.peak / 1e6:.0f} MB: {use.errors}"
        assert use.code in (0, 65, 71), use.errors


# Files that needed much memory or time, or caused other faults, when fuzz targets and other tests found them.
SEEDS = sorted(path for path in (Path(__file__).parents[1] / "fuzz" / "seeds").glob("*/*.*") if path.suffix != ".md")


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_files_of_fuzz_targets(voxcc, tmp_path, path):
    limit = BASE + PER_BYTE * path.stat().st_size
    for command in (("label", path, "-q", "-t", "1", "--json", tmp_path / "a.json", "-f"), ("verify", path, "-q"), ("info", path)):
        use = Use(voxcc, *command)
        assert use.peak < limit and use.seconds < 10, f"{command[0]} needs {use.peak / 1e6:.0f} MB and {use.seconds} s: {use.errors}"
        assert use.code in (0, 64, 65, 71), use.errors

