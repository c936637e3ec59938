"""Zarr arrays written by zarr and tensorstore: every type, codec, order and layout of chunks."""

import itertools
import json
import random

import numcodecs
import numpy as np
import pytest
import tensorstore
import zarr
from helpers import blobs, label_scipy, noise
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec

SHAPE = (9, 17, 21)
TYPES = ("bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8")
BLOSC = [(cname, shuffle) for cname in ("lz4", "lz4hc", "zstd", "zlib", "blosclz", "snappy") for shuffle in ("noshuffle", "shuffle", "bitshuffle")]
SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")
CHUNKS = ((9, 17, 21), (4, 8, 16), (1, 17, 5), (3, 1, 7), (16, 32, 24), (5, 6, 1))


def values(dtype, shape=SHAPE, seed=1):
    """Small integers, about half of them 0."""
    random_values = np.random.default_rng(seed).integers(1, 90, shape)
    return (noise(shape, 0.5, 2, seed) * (random_values if dtype != "bool" else 1)).astype(dtype)


def check(voxcc, store, array, tmp_path, *options):
    """Labels equal scipy's on the array, and all voxels have the values of the array."""
    out, stored = tmp_path / "out.npz", tmp_path / "values.npz"
    voxcc("label", store, "-f", "-o", out, "--masked-output", stored, "-q", *options)
    labels, read = np.load(out)["labels"], np.load(stored)["labels"]
    foreground = (array != 0) & ~np.isnan(array) if array.dtype.kind == "f" else array != 0
    np.testing.assert_array_equal(read, np.where(foreground, array, 0).astype(read.dtype))
    np.testing.assert_array_equal(labels, label_scipy(foreground, 26))


def combinations(count, **choices):
    """Random combinations. Every pair of choices occurs several times."""
    pick = random.Random(7)
    return [{name: pick.choice(options) for name, options in choices.items()} for _ in range(count)]


V2_COMPRESSORS = [None, numcodecs.Zlib(1), numcodecs.GZip(5), numcodecs.Zstd(1), numcodecs.LZ4(),
                  *(numcodecs.Blosc(cname, 5, SHUFFLES.index(shuffle)) for cname, shuffle in BLOSC if cname != "snappy")]  # numcodecs lacks snappy


def number(cases):
    return [pytest.param(case, id=str(i)) for i, case in enumerate(cases)]


@pytest.mark.parametrize("case", number(combinations(90, dtype=TYPES, byte_order="<>", compressor=V2_COMPRESSORS, order="CF", chunks=CHUNKS,
                                                     separator="./", fill=(0, 3, None), missing=(False, True))))
def test_v2(voxcc, tmp_path, case):
    dtype = np.dtype(case["dtype"]).newbyteorder(case["byte_order"])
    fill = case["fill"] if case["dtype"] != "bool" else False
    array = zarr.create_array(tmp_path / "a.zarr", shape=SHAPE, dtype=dtype, chunks=case["chunks"], zarr_format=2, order=case["order"],
                              compressors=case["compressor"], fill_value=fill,
                              chunk_key_encoding={"name": "v2", "separator": case["separator"]}, config={"write_empty_chunks": True})
    data = values(case["dtype"])
    if case["missing"]:
        data[:5], data[:, :8, :] = fill or 0, fill or 0
        array[5:, 8:] = data[5:, 8:]
        data = np.asarray(array[:]) if fill is not None else data
    else:
        array[:] = data
    check(voxcc, tmp_path / "a.zarr", np.asarray(array[:]).astype(case["dtype"]), tmp_path)


V3_COMPRESSORS = [(), (GzipCodec(level=1),), (ZstdCodec(level=1),), (ZstdCodec(level=3, checksum=True), Crc32cCodec()), (Crc32cCodec(),),
                  *((BloscCodec(cname=cname, clevel=5, shuffle=shuffle, typesize=2),) for cname, shuffle in BLOSC if cname != "snappy")]


@pytest.mark.parametrize("case", number(combinations(110, dtype=TYPES, endian=("little", "big"), compressors=V3_COMPRESSORS,
                                                     transpose=(None, *itertools.permutations(range(3))), chunks=CHUNKS,
                                                     encoding=("default", "v2"), separator="./", shards=(None, None, "end", "start"),
                                                     fill=(0, 5), missing=(False, True))))
def test_v3(voxcc, tmp_path, case):
    fill = case["fill"] if case["dtype"] != "bool" else False
    shards = {"shape": tuple(2 * c for c in case["chunks"]), "index_location": case["shards"]} if case["shards"] else None
    array = zarr.create_array(tmp_path / "a.zarr", shape=SHAPE, dtype=case["dtype"], chunks=case["chunks"], shards=shards, zarr_format=3,
                              filters=[TransposeCodec(order=case["transpose"])] if case["transpose"] else None,
                              serializer=BytesCodec(endian=case["endian"]), compressors=case["compressors"], fill_value=fill,
                              chunk_key_encoding={"name": case["encoding"], "separator": case["separator"]},
                              config={"write_empty_chunks": not case["missing"]})
    data = values(case["dtype"])
    if case["missing"]:
        array[5:, 8:] = data[5:, 8:]
    else:
        array[:] = data
    check(voxcc, tmp_path / "a.zarr", np.asarray(array[:]), tmp_path)


def tensorstore_array(path, driver, metadata, data):
    store = tensorstore.open({"driver": driver, "kvstore": {"driver": "file", "path": str(path)}, "metadata": metadata}, create=True).result()
    store[...] = data


TS_V2 = [None, {"id": "zlib", "level": 1}, {"id": "gzip", "level": 2}, {"id": "zstd", "level": 1}, {"id": "bz2", "level": 1},
         *({"id": "blosc", "cname": cname, "clevel": 5, "shuffle": SHUFFLES.index(shuffle)} for cname, shuffle in BLOSC)]
TS_TYPES = {"bool": "bool", "u1": "uint8", "i1": "int8", "u2": "uint16", "i2": "int16", "u4": "uint32", "i4": "int32", "u8": "uint64",
            "i8": "int64", "f2": "float16", "f4": "float32", "f8": "float64"}


@pytest.mark.parametrize("case", number(combinations(60, dtype=TYPES, byte_order="<>", compressor=[c for c in TS_V2 if not c or c["id"] != "bz2"],
                                                     order="CF", chunks=CHUNKS, separator="./")))
def test_v2_of_tensorstore(voxcc, tmp_path, case):
    single = case["dtype"] == "bool" or case["dtype"].endswith("1")
    dtype = ("|" if single else case["byte_order"]) + (case["dtype"] if case["dtype"] != "bool" else "b1")
    data = values(case["dtype"])
    metadata = {"shape": SHAPE, "chunks": case["chunks"], "dtype": dtype, "order": case["order"], "compressor": case["compressor"],
                "dimension_separator": case["separator"], "fill_value": None, "filters": None}
    tensorstore_array(tmp_path / "a", "zarr", metadata, data)
    check(voxcc, tmp_path / "a", data, tmp_path)


TS_V3 = [[], [{"name": "gzip", "configuration": {"level": 1}}], [{"name": "zstd", "configuration": {"level": 1}}], [{"name": "crc32c"}],
         [{"name": "zstd", "configuration": {"level": 1}}, {"name": "crc32c"}],
         *([{"name": "blosc", "configuration": {"cname": cname, "clevel": 5, "shuffle": shuffle, "typesize": 2, "blocksize": 0}}]
           for cname, shuffle in BLOSC)]


@pytest.mark.parametrize("case", number(combinations(90, dtype=TYPES, endian=("little", "big"), codecs=TS_V3,
                                                     outer=(None, *itertools.permutations(range(3))), inner=(None, (2, 0, 1), (0, 2, 1)),
                                                     chunks=CHUNKS[1:4], sharded=(False, True), index=("start", "end"),
                                                     index_sum=(False, True))))
def test_v3_of_tensorstore(voxcc, tmp_path, case):
    transpose = lambda order: [{"name": "transpose", "configuration": {"order": order}}] if order else []  # noqa: E731
    outer, inner = transpose(case["outer"]), transpose(case["inner"])
    codecs = [{"name": "bytes", "configuration": {"endian": case["endian"]}}, *case["codecs"]]
    chunk = case["chunks"]
    if case["sharded"]:
        index = [{"name": "bytes", "configuration": {"endian": case["endian"]}}, *([{"name": "crc32c"}] if case["index_sum"] else [])]
        stated = [chunk[axis] for axis in case["outer"]] if case["outer"] else chunk
        codecs = [{"name": "sharding_indexed", "configuration": {"chunk_shape": stated, "codecs": inner + codecs, "index_codecs": index,
                                                                 "index_location": case["index"]}}]
        chunk = tuple(3 * c for c in chunk)
    data = values(case["dtype"])
    metadata = {"shape": SHAPE, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}}, "codecs": outer + codecs,
                "chunk_key_encoding": {"name": "default"}, "data_type": TS_TYPES[case["dtype"]], "fill_value": False if case["dtype"] == "bool" else 0}
    tensorstore_array(tmp_path / "a", "zarr3", metadata, data)
    check(voxcc, tmp_path / "a", data, tmp_path)


@pytest.mark.parametrize("location", ["start", "end"])
def test_checksum_of_shards(voxcc, tmp_path, location):
    """A checksum of the complete shard, after the checksum of its index."""
    shard = ShardingCodec(chunk_shape=(3, 9, 7), codecs=[BytesCodec(), ZstdCodec()], index_location=location)
    array = zarr.create_array(tmp_path / "a", shape=SHAPE, dtype="u2", chunks=(9, 18, 21), zarr_format=3, serializer=shard,
                              compressors=(Crc32cCodec(),), filters=None)
    array[:] = values("u2")
    check(voxcc, tmp_path / "a", values("u2"), tmp_path)
    path = tmp_path / "a/c/0/0/0"
    content = bytearray(path.read_bytes())
    content[200] ^= 1
    path.write_bytes(content)
    assert "wrong checksum" in voxcc.fails(65, "label", tmp_path / "a")


@pytest.mark.parametrize("fill", ["NaN", "Infinity", "-Infinity", "0x40490fdb", 2.5, 0])
def test_fill_of_floats(voxcc, tmp_path, fill):
    """A fill value in each form that the specification allows."""
    zarr.create_array(tmp_path / "a", shape=(4, 5, 6), dtype="f4", chunks=(2, 5, 6), zarr_format=3, fill_value=0.0)[:2] = 1
    metadata = json.loads((tmp_path / "a/zarr.json").read_text())
    metadata["fill_value"] = fill
    (tmp_path / "a/zarr.json").write_text(json.dumps(metadata))
    check(voxcc, tmp_path / "a", np.asarray(zarr.open_array(tmp_path / "a")[:]), tmp_path)


def with_missing_chunk(folder, dtype, fill):
    """An array of Zarr v2 whose second half is not stored."""
    zarr.create_array(folder / "a", shape=(4, 5, 6), dtype=dtype, chunks=(2, 5, 6), zarr_format=2, fill_value=0)[:2] = 1
    metadata = json.loads((folder / "a/.zarray").read_text())
    (folder / "a/.zarray").write_text(json.dumps({**metadata, "fill_value": fill}))
    return folder / "a"


@pytest.mark.parametrize("dtype, fill", [
    ("i2", "0"), ("i2", "-7"), ("u1", "255"), ("u8", "18446744073709551615"), ("i8", "-9223372036854775808"), ("f4", "0"), ("f4", "1.5"),
    ("f4", "NaN"), ("f4", "-Infinity"), ("f8", "1e300"), ("f8", "0.0"),
])
def test_fill_as_text(voxcc, tmp_path, dtype, fill):
    """n5-zarr and JZarr write fill values as texts."""
    store = with_missing_chunk(tmp_path, dtype, fill)
    expected = np.asarray(zarr.open_array(store, mode="r")[:])
    assert expected[2, 0, 0] == np.dtype(dtype).type(fill) or fill == "NaN"
    check(voxcc, store, expected, tmp_path)


@pytest.mark.parametrize("dtype, fill", [
    ("u1", "300"), ("u1", "-1"), ("i2", "1.5"), ("i2", ""), ("i2", " 3"), ("i2", "3 "), ("i2", "0x10"), ("i2", "NaN"), ("f4", "one"), ("f4", ""),
    ("f8", "1e999"), ("bool", "true"),
])
def test_wrong_fill_as_text(voxcc, tmp_path, dtype, fill):
    store = with_missing_chunk(tmp_path, dtype, fill)
    assert "is not a number of the type" in voxcc.fails(65, "label", store)


@pytest.mark.parametrize("fill", [0.1, 65519.0, 70000.0, 1e-8, 6e-5, "0x3555", "NaN"])
def test_fill_of_halves(voxcc, tmp_path, fill):
    zarr.create_array(tmp_path / "a", shape=(4, 5, 6), dtype="f2", chunks=(2, 5, 6), zarr_format=3, fill_value=0.0)[:2] = 1
    metadata = json.loads((tmp_path / "a/zarr.json").read_text())
    metadata["fill_value"] = fill
    (tmp_path / "a/zarr.json").write_text(json.dumps(metadata))
    with np.errstate(over="ignore"):
        number_of = np.float16(fill) if not isinstance(fill, str) else np.float16("nan") if fill == "NaN" else np.uint16(0x3555).view("f2")
    expected = np.full((4, 5, 6), number_of)
    expected[:2] = 1
    check(voxcc, tmp_path / "a", expected.astype("f4"), tmp_path)


def test_layers_and_slabs(voxcc, tmp_path):
    """A volume of many chunks has the same labels in memory, in slabs, and for every number of threads."""
    data = blobs((70, 150, 130), 0.4)
    for name, options in {"chunks": {"chunks": (16, 32, 32)}, "shards": {"chunks": (8, 16, 16), "shards": (32, 64, 64)},
                          "flat": {"chunks": (1, 150, 130)}, "rows": {"chunks": (70, 1, 130)}, "columns": {"chunks": (70, 150, 1)}}.items():
        zarr.create_array(tmp_path / name, shape=data.shape, dtype="u1", zarr_format=3, **options)[:] = data
        voxcc("label", tmp_path / name, "-o", tmp_path / f"{name}.npy", "--stats", tmp_path / f"{name}.csv", "-t", 3)
        np.testing.assert_array_equal(np.load(tmp_path / f"{name}.npy"), label_scipy(data, 26))
        plan = json.loads(voxcc("label", tmp_path / name, "-o", "x.npy", "-t", 1, "--dry-run").stdout)["volumes"][0]
        needs = plan["bytes"]
        least = plan["memory_bytes"] - (needs["bits"] + needs["index"] + needs["runs_smooth"]) // 2
        voxcc("label", tmp_path / name, "-f", "-o", tmp_path / "slabs.npy", "--stats", tmp_path / "slabs.csv", "-t", 1, "--max-memory", least)
        assert (tmp_path / "slabs.npy").read_bytes() == (tmp_path / f"{name}.npy").read_bytes()
        assert (tmp_path / "slabs.csv").read_bytes() == (tmp_path / f"{name}.csv").read_bytes()
