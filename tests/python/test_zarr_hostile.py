"""Damaged and hostile Zarr stores: each is an error of one line with its exit code, and never a wrong voxel."""

import gzip
import json
import os
import struct

import numcodecs
import numpy as np
import pytest
import zarr
from damaged_zarr import CODEC, SHAPE, chunk_of, edit, put, remove, volume, write
from helpers import blobs
from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ZstdCodec

V3 = {
    "rank": (put("shape", [2] * 9), "another number of axes"),
    "no axes": (lambda d: d.update(shape=[], chunk_grid={"name": "regular", "configuration": {"chunk_shape": []}}), "without axes"),
    "negative": (put("shape", [-1, 16, 16]), "whole number"),
    "float": (put("shape", [8.0, 16, 16]), "whole number"),
    "huge number": (put("shape", [2**64, 16, 16]), "whole number"),
    "text": (put("shape", "8"), "must be a list"),
    "zero": (put("shape", [0, 16, 16]), "no elements"),
    "overflow": (put("shape", [2**40, 2**40, 16]), "more than 2^63 bytes"),
    "too many voxels": (put("shape", [2**20, 2**20, 2**10]), "more than 2^41"),
    "chunk of zero": (put("chunk_grid", "configuration", "chunk_shape", [0, 8, 8]), "chunk has no elements"),
    "chunk of other rank": (put("chunk_grid", "configuration", "chunk_shape", [8, 8]), "another number of axes"),
    "huge chunk": (put("chunk_grid", "configuration", "chunk_shape", [2**20, 2**10, 2**10]), "more than 1 GiB"),
    "chunk overflow": (put("chunk_grid", "configuration", "chunk_shape", [2**40, 2**40, 8]), "2^63"),
    "grid": (put("chunk_grid", "name", "rectilinear"), "'rectilinear' are not read"),
    "type": (put("data_type", "string"), "'string' are not read"),
    "complex": (put("data_type", "complex64"), "complex"),
    "extension type": (put("data_type", {"name": "numpy.datetime64", "configuration": {}}), "are not read"),
    "fill": (put("fill_value", 70000), "not a number of the type uint16"),
    "fill text": (put("fill_value", "NaN"), "not a number of the type uint16"),
    "no fill": (remove("fill_value"), "'fill_value' is missing"),
    "no codecs": (put("codecs", []), "is missing"),
    "unknown codec": (lambda d: d["codecs"].append({"name": "numcodecs.lzma"}), "'numcodecs.lzma' is not read"),
    "codec without name": (lambda d: d["codecs"].append({}), "'name' is missing"),
    "two compressors": (lambda d: d["codecs"].extend(2 * [{"name": "zstd", "configuration": {}}]), "two compressors"),
    "byte order": (put("codecs", [{"name": "bytes"}]), "'endian' is missing"),
    "permutation": (put("codecs", [{"name": "transpose", "configuration": {"order": [0, 1, 1]}}, CODEC]), "not a permutation"),
    "short permutation": (put("codecs", [{"name": "transpose", "configuration": {"order": [1, 0]}}, CODEC]), "not a permutation"),
    "long permutation": (put("codecs", [{"name": "transpose", "configuration": {"order": [0, 1, 3]}}, CODEC]), "not a permutation"),
    "keys": (put("chunk_key_encoding", {"name": "other"}), "are not read"),
    "separator": (put("chunk_key_encoding", {"name": "default", "configuration": {"separator": "../"}}), "must be '.' or '/'"),
    "transformers": (put("storage_transformers", [{"name": "x"}]), "storage transformers"),
    "extension": (put("other", {"name": "x"}), "extension 'other'"),
    "extension value": (put("other", 1), "extension 'other'"),
    "version": (put("zarr_format", 4), "must be 3"),
    "node": (put("node_type", "table"), "'node_type' must be"),
    "names": (put("dimension_names", ["z"]), "one name per axis"),
}


@pytest.mark.parametrize("case", V3)
def test_metadata_v3(voxcc, tmp_path, case):
    store = write(tmp_path / "a")
    change, message = V3[case]
    edit(store, change)
    assert message in voxcc.fails(65, "label", store, "-o", tmp_path / "out.npy")
    assert not (tmp_path / "out.npy").exists()


def test_metadata_that_may_be_ignored(voxcc, tmp_path):
    store = write(tmp_path / "a")
    edit(store, put("other", {"name": "x", "must_understand": False}))
    voxcc("label", store)


V2 = {
    "structured": (put("dtype", [["a", "<u2"]]), "records"),
    "object": (put("dtype", "|O"), "Python objects"),
    "text": (put("dtype", "<U4"), "texts"),
    "dates": (put("dtype", "<M8[s]"), "are not read"),
    "compressor": (put("compressor", {"id": "lzma"}), "'lzma' is not read"),
    "no id": (put("compressor", {}), "'id' is missing"),
    "filter": (put("filters", [{"id": "packbits"}]), "filter 'packbits'"),
    "order": (put("order", "K"), "C or F"),
    "separator": (put("dimension_separator", "-"), "'.' or '/'"),
    "fill": (put("fill_value", -1), "not a number of the type"),
    "version": (put("zarr_format", 1), "must be 2"),
    "no chunks": (remove("chunks"), "'chunks' is missing"),
}


@pytest.mark.parametrize("case", V2)
def test_metadata_v2(voxcc, tmp_path, case):
    store = write(tmp_path / "a", 2)
    change, message = V2[case]
    edit(store, change, ".zarray")
    assert message in voxcc.fails(65, "label", store)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"zarr_format": NaN}', b"\xff\xfe", b'{"a":' * 100 + b"1" + b"}" * 100, b'{"a":"' + b"x" * (17 << 20) + b'"}'])
def test_documents(voxcc, tmp_path, content):
    store = write(tmp_path / "a")
    (store / "zarr.json").write_bytes(content)
    voxcc.fails(65, "label", store)
    (store / "zarr.json").rename(store / ".zattrs")
    voxcc.fails(65, "info", store)


def test_claims_without_chunks(voxcc, tmp_path):
    """Metadata of a few bytes may state 10^12 voxels. No memory is allocated for them."""
    store = write(tmp_path / "a")
    edit(store, put("shape", [10**4, 10**4, 10**4]))
    assert voxcc("info", "--no-range", store).stdout.count("10000") >= 3
    for chunk in (store / "c").rglob("*"):
        if chunk.is_file():
            chunk.unlink()
    edit(store, put("shape", [2 * 10**4, 10**4, 10**4]))
    assert "has no chunks, but its metadata state 2000000000000 voxels" in voxcc.fails(65, "label", store)


def image(store, path, **extra):
    write(store / "0")
    ome = {"version": "0.5", "multiscales": [{"axes": [{"name": n, "type": "space"} for n in "zyx"],
                                              "datasets": [{"path": path, "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 1]}]}], **extra}]}
    (store / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {"ome": ome}}))
    return store


@pytest.mark.parametrize("path", ["../b", "/etc", "", ".", "..", "0/../../b", "a\\b", "a//b", "0\u0000", "x" * 300])
def test_paths(voxcc, tmp_path, path):
    """No path in the metadata leads out of the store."""
    write(tmp_path / "b")
    store = image(tmp_path / "a", path)
    voxcc.fails(65, "label", store)
    if path and "\0" not in path and path not in (".", "/etc"):
        voxcc.fails(64, "label", image(tmp_path / "c", "0"), "--dataset", path)


@pytest.mark.parametrize("change", [
    lambda image: image["axes"].pop(),
    lambda image: image.update(axes=[]),
    lambda image: image.update(axes=image["axes"] * 3),
    lambda image: image.update(axes=["z", {"name": "y"}, "x"]),
    lambda image: image.update(datasets=[]),
    lambda image: image.update(datasets=image["datasets"] * 100),
    lambda image: image["axes"][0].update(type="time") or image["axes"][1].update(type="time"),
    lambda image: image["datasets"][0].update(coordinateTransformations=[{"type": "scale", "scale": [1, 1]}]),
    lambda image: image["datasets"][0].update(coordinateTransformations=[{"type": "scale", "scale": [0, 1, 1]}]),
    lambda image: image["datasets"][0].update(coordinateTransformations=[{"type": "scale", "path": "x"}]),
    lambda image: image["datasets"][0].update(coordinateTransformations=[{"type": "affine", "affine": [[1]]}]),
    lambda image: image["datasets"][0].update(path="missing"),
])
def test_images(voxcc, tmp_path, change):
    store = image(tmp_path / "a", "0")
    edit(store, lambda d: change(d["attributes"]["ome"]["multiscales"][0]))
    code = 66 if "missing" in (store / "zarr.json").read_text() else 65
    voxcc.fails(code, "label", store)


CODECS = {"raw": (), "gzip": GzipCodec(), "zstd": ZstdCodec(checksum=True), "crc32c": (Crc32cCodec(),), "zstd crc": (ZstdCodec(), Crc32cCodec()),
          **{f"blosc {cname} {shuffle}": BloscCodec(cname=cname, shuffle=shuffle) for cname in ("lz4", "zstd", "zlib", "blosclz")
             for shuffle in ("shuffle", "bitshuffle", "noshuffle")}}


@pytest.mark.parametrize("codec", CODECS)
def test_chunks(voxcc, tmp_path, codec):
    """Truncated, empty, extended and changed chunks. A changed chunk is an error, or its content is only a little different."""
    store = write(tmp_path / "a", compressors=CODECS[codec])
    chunk = chunk_of(store)
    content = chunk.read_bytes()
    for damaged in (b"", content[:1], content[: len(content) // 2], content[:-1], content + b"\0", content * 2, b"\0" * len(content), b"\xff" * len(content)):
        if damaged in (content, b"\0" * len(content), b"\xff" * len(content)) and codec == "raw":
            continue
        if codec == "gzip" and damaged == content * 2:
            continue
        chunk.write_bytes(damaged)
        error = voxcc.fails(65, "label", store)
        assert str(chunk) in error
        assert voxcc.fails(65, "verify", store).replace("label", "verify")
    chunk.write_bytes(content)
    voxcc("label", store)
    random = np.random.default_rng(3)
    for _ in range(25):
        damaged = bytearray(content)
        # The header of gzip has a time and the name of a system, which change nothing.
        damaged[random.integers(10 if codec == "gzip" else 0, len(content))] ^= 1 << random.integers(8)
        chunk.write_bytes(damaged)
        done = voxcc.program, "label", store
        code = os.spawnv(os.P_WAIT, voxcc.program, [str(a) for a in done] + ["-q"])
        assert code in (0, 65)
        if codec in ("gzip", "crc32c", "zstd", "zstd crc"):
            assert code == 65  # these have a checksum


def test_gzip_members(voxcc, tmp_path):
    """Several members are one chunk; other bytes after them are an error."""
    store = write(tmp_path / "a", compressors=GzipCodec(), chunks=SHAPE)
    raw = volume().astype("<u2").tobytes()
    chunk_of(store).write_bytes(gzip.compress(raw[:1000]) + gzip.compress(raw[1000:]))
    voxcc("label", store)
    chunk_of(store).write_bytes(gzip.compress(raw) + gzip.compress(b"more"))
    voxcc.fails(65, "label", store)


def test_lz4_length(voxcc, tmp_path):
    store = write(tmp_path / "a", 2, compressors=numcodecs.LZ4(), chunks=SHAPE)
    chunk = store / "0.0.0"
    content = chunk.read_bytes()
    for length in (0, 1, 2**31, 2**32 - 1):
        chunk.write_bytes(struct.pack("<I", length) + content[4:])
        voxcc.fails(65, "label", store)


@pytest.mark.parametrize("field,value", [(0, b"\x07"), (3, b"\0"), (4, b"\0\0\0\0"), (4, b"\xff\xff\xff\x7f"), (8, b"\0\0\0\0"), (8, b"\xff\xff\xff\xff"),
                                         (12, b"\0\0\0\0"), (12, b"\xff\xff\xff\x7f"), (16, b"\0\0\0\0"), (16, b"\xff\xff\xff\xff")])
def test_blosc_headers(voxcc, tmp_path, field, value):
    store = write(tmp_path / "a", compressors=BloscCodec(cname="lz4"), chunks=SHAPE)
    chunk = chunk_of(store)
    content = chunk.read_bytes()
    chunk.write_bytes(content[:field] + value + content[field + len(value):])
    voxcc.fails(65, "label", store)


def test_blosclz_of_more_than_8_mib(voxcc, tmp_path):
    """c-blosc 1.21 can be made to write outside of its buffer by blosclz data of more than 8,421,505 bytes."""
    data = np.random.default_rng(1).integers(0, 2**16, (1, 2900, 2900)).astype(np.uint16)
    data[0, ::2] = 0
    raw = numcodecs.Blosc("blosclz", 9, 0, 2**24).encode(data)
    if raw[2] & 2:
        pytest.skip("blosclz did not compress the chunk")
    zarr.create_array(tmp_path / "a", shape=data.shape, dtype="u2", chunks=data.shape, compressors=BloscCodec(cname="blosclz"))
    (tmp_path / "a/c/0/0").mkdir(parents=True)
    (tmp_path / "a/c/0/0/0").write_bytes(raw)
    assert ("more than 8 MiB of blosclz" in voxcc.fails(65, "label", tmp_path / "a")) == (len(raw) > 2**23)


def test_special_files(voxcc, tmp_path):
    """A FIFO in the place of a chunk or of the metadata does not block the program."""
    store = write(tmp_path / "a")
    chunk = chunk_of(store)
    chunk.unlink()
    os.mkfifo(chunk)
    voxcc.fails(66, "label", store, timeout=20)
    chunk.unlink()
    (store / "zarr.json").unlink()
    os.mkfifo(store / "zarr.json")
    voxcc.fails(66, "label", store, timeout=20)


def test_no_permission(voxcc, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    store = write(tmp_path / "a")
    chunk_of(store).chmod(0)
    voxcc.fails(77, "label", store)


def test_the_first_error_is_reported(voxcc, tmp_path):
    """The message does not depend on the threads."""
    zarr.create_array(tmp_path / "a", shape=(32, 64, 64), dtype="u1", chunks=(4, 8, 8))[:] = blobs((32, 64, 64)) + 1
    chunks = sorted(p for p in (tmp_path / "a/c").rglob("*") if p.is_file())
    for chunk in chunks[70::3]:
        chunk.write_bytes(b"x")
    errors = {voxcc.fails(65, "label", tmp_path / "a", "-t", threads) for threads in (1, 2, 4, 4, 4)}
    assert len(errors) == 1


def test_files_are_not_changed(voxcc, tmp_path):
    store = write(tmp_path / "a")
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in store.rglob("*") if p.is_file()}
    folders = {p: p.stat().st_mtime_ns for p in (store, *store.rglob("*")) if p.is_dir()}
    for command in ("label", "info", "verify"):
        voxcc(command, store)
    assert before == {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in store.rglob("*") if p.is_file()}
    assert folders == {p: p.stat().st_mtime_ns for p in (store, *store.rglob("*")) if p.is_dir()}
