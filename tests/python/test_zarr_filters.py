"""Filters, checksums and bzip2 of Zarr arrays, as numcodecs defines them, against zarr-python."""

import bz2
import json

import numpy as np
import pytest
import zarr
import zarr.codecs.numcodecs as v3
from damaged_zarr import SHAPE, edit, put, volume
from numcodecs import Adler32, BZ2, CRC32, Blosc, Delta, Fletcher32, Shuffle, Zlib


def stored(path, dtype, zarr_format=2, chunks=(4, 7, 8), **options):
    """Values of all sizes and signs; chunks extend beyond the border."""
    info = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    values = np.random.default_rng(3).integers(-90, 90, SHAPE) * (volume() > 3)
    values = np.clip(values, max(info.min, -90), 90).astype(dtype)
    if values.dtype.kind in "iu":
        values.flat[:4] = info.max, info.min, info.max, 1  # the differences overflow
    array = zarr.create_array(path, shape=SHAPE, dtype=dtype, chunks=chunks, zarr_format=zarr_format, **options)
    array[:] = values
    np.testing.assert_array_equal(zarr.open_array(path, mode="r")[:], values)
    return values


def check(voxcc, store, expected, folder):
    voxcc("label", store, "--masked-output", folder / "values.npy", "-f", "-q", "-t", 3)
    read = np.load(folder / "values.npy")
    np.testing.assert_array_equal(read, expected.astype(read.dtype))


FILTERS = {
    "delta": lambda dtype: [Delta(dtype)],
    "delta shuffle": lambda dtype: [Delta(dtype), Shuffle(np.dtype(dtype).itemsize)],
    "shuffle 1": lambda dtype: [Shuffle(1)],
    "shuffle": lambda dtype: [Shuffle(np.dtype(dtype).itemsize)],
    "shuffle 8": lambda dtype: [Shuffle(8)],
    "fletcher32": lambda dtype: [Fletcher32()],
    "adler32": lambda dtype: [Adler32()],
    "adler32 end": lambda dtype: [Adler32("end")],
    "crc32": lambda dtype: [CRC32()],
    "all": lambda dtype: [Delta(dtype), CRC32("end"), Fletcher32(), Shuffle(4), Adler32()],
}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("dtype", ["|u1", ">i2", "<u8"])
def test_filters_of_v2(voxcc, tmp_path, name, dtype):
    for number, (compressor, order) in enumerate(((None, "C"), (Zlib(1), "F"), (BZ2(1), "C"), (Blosc("lz4"), "F"))):
        store = tmp_path / str(number)
        expected = stored(store, dtype, filters=FILTERS[name](dtype), compressors=compressor, order=order, chunks=(4, 8, 8))
        check(voxcc, store, expected, tmp_path)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_filters_of_floats(voxcc, tmp_path, dtype):
    expected = stored(tmp_path / "a", dtype, filters=[Shuffle(np.dtype(dtype).itemsize), Fletcher32()], compressors=BZ2(9))
    check(voxcc, tmp_path / "a", expected, tmp_path)


@pytest.mark.parametrize("codecs", [
    (v3.BZ2(level=3),), (v3.Shuffle(elementsize=2), v3.BZ2()), (v3.Shuffle(elementsize=4), v3.Zlib(level=1), v3.Adler32()), (v3.CRC32(),),
    (v3.Fletcher32(), v3.LZ4()), (v3.Shuffle(), v3.Fletcher32(), v3.Adler32(), v3.CRC32()),
], ids=str)
@pytest.mark.parametrize("shards", [None, (8, 16, 16)])
def test_codecs_of_v3(voxcc, tmp_path, codecs, shards):
    expected = stored(tmp_path / "a", "i2", 3, chunks=(4, 8, 8), compressors=codecs, shards=shards)
    check(voxcc, tmp_path / "a", expected, tmp_path)


def test_streams_of_bzip2(voxcc, tmp_path):
    """Several streams in one chunk, as the program bzip2 makes them by concatenation."""
    expected = stored(tmp_path / "a", "i2", compressors=BZ2(1), chunks=SHAPE)
    raw = expected.tobytes()
    chunk = tmp_path / "a" / "0.0.0"
    whole = bz2.compress(raw[:1001]) + bz2.compress(b"") + bz2.compress(raw[1001:])
    chunk.write_bytes(whole)
    check(voxcc, tmp_path / "a", expected, tmp_path)
    for wrong in (whole[:-1], whole + b"\0", bz2.compress(raw[:-1]), bz2.compress(raw + b"\0"), b"", whole[1:], bz2.compress(raw)[:-4] + b"abcd"):
        chunk.write_bytes(wrong)
        assert "bytes of bz2 data" in voxcc.fails(65, "verify", tmp_path / "a")


@pytest.mark.parametrize("codec", [Fletcher32(), Adler32(), Adler32("end"), CRC32()], ids=str)
def test_checksums(voxcc, tmp_path, codec):
    stored(tmp_path / "a", "i2", filters=[codec], compressors=None, chunks=SHAPE)
    chunk = tmp_path / "a" / "0.0.0"
    content = chunk.read_bytes()
    for at in (0, 3, 4, 500, len(content) - 5, len(content) - 1):
        chunk.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1:])
        assert f"wrong checksum ({codec.codec_id})" in voxcc.fails(65, "verify", tmp_path / "a")
    for length in (0, 3, 4, len(content) - 2):
        chunk.write_bytes(content[:length])
        voxcc.fails(65, "verify", tmp_path / "a")


@pytest.mark.parametrize("change, cause", [
    (put("filters", [{"id": "delta", "dtype": "<i2", "astype": "|i1"}]), "as integers of one type only"),
    (put("filters", [{"id": "delta", "dtype": "<f4", "astype": "<f4"}]), "as integers of one type only"),
    (put("filters", [{"id": "delta", "dtype": "<c8"}]), "complex"), (put("filters", [{"id": "delta"}]), "'dtype' is missing"),
    (put("filters", [{"id": "shuffle", "elementsize": 0}]), "positive number"), (put("filters", [{"id": "shuffle", "elementsize": -2}]), "whole number"),
    (put("filters", [{"id": "adler32", "location": "middle"}]), "start or end"), (put("filters", [{"id": "quantize"}]), "filter 'quantize' is not read"),
    (put("filters", [{"id": "crc32c"}]), "filter 'crc32c' is not read"), (put("filters", [{"id": "zlib"}, {"id": "zstd"}]), "two compressors"),
    (put("compressor", {"id": "lzma"}), "compressor 'lzma' is not read"),
])
def test_other_filters_are_refused(voxcc, tmp_path, change, cause):
    stored(tmp_path / "a", "i2", compressors=None)
    edit(tmp_path / "a", change, ".zarray")
    assert cause in voxcc.fails(65, "label", tmp_path / "a")


def test_hostile_element_size(voxcc, tmp_path):
    """A size beyond the chunk leaves the bytes as they are, as in numcodecs and HDF5."""
    expected = stored(tmp_path / "a", "i2", compressors=None)
    edit(tmp_path / "a", put("filters", [{"id": "shuffle", "elementsize": 2**62}]), ".zarray")
    check(voxcc, tmp_path / "a", expected, tmp_path)
    assert json.loads(voxcc("info", tmp_path / "a", "--json").stdout)["compression"] == "none"
