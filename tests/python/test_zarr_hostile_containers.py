"""Damaged and hostile shards and archives of Zarr: each is an error of one line with its exit code, and never a wrong voxel."""

import io
import json
import struct
import zipfile

import numcodecs
import numpy as np
import pytest
from damaged_zarr import CODEC, chunk_of, edit, put, volume, write
from zarr.codecs import ZstdCodec


def sharded(path, location="end"):
    return write(path, shards={"shape": (8, 16, 16), "index_location": location}, compressors=ZstdCodec())


def with_index(content, entries, location="end"):
    """A shard with other numbers in its index of 8 chunks, and the right checksum."""
    index = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    index += struct.pack("<I", int(np.frombuffer(numcodecs.CRC32C().encode(index)[-4:], "<u4")[0]))
    return content[: -len(index)] + index if location == "end" else index + content[len(index):]


@pytest.mark.parametrize("location", ["end", "start"])
def test_shards(voxcc, tmp_path, location):
    store = sharded(tmp_path / "a", location)
    shard = chunk_of(store)
    content = shard.read_bytes()
    index = content[-132:] if location == "end" else content[:132]
    good = [struct.unpack("<QQ", index[16 * i : 16 * i + 16]) for i in range(8)]
    shard.write_bytes(with_index(content, good, location))
    voxcc("label", store)
    absent = 2**64 - 1
    size = len(content)
    for entry in [(0, size + 1), (size, 1), (size - 1, 2), (absent, 10), (0, absent), (10, 0), (2**63, 2**63), (absent - 5, 10), (0, 2**40), (1, 20), (3, 60)]:
        for at in (0, 7):
            shard.write_bytes(with_index(content, good[:at] + [entry] + good[at + 1 :], location))
            assert str(shard) in voxcc.fails(65, "label", store)
    for damaged in (b"", content[:10], content[:131], content[:-1], bytes(132), content[: len(content) // 2]):
        shard.write_bytes(damaged)
        voxcc.fails(65, "label", store)
    broken = bytearray(content)
    broken[-1 if location == "end" else 131] ^= 1
    shard.write_bytes(broken)
    assert "wrong checksum" in voxcc.fails(65, "label", store)
    shard.write_bytes(with_index(content, [(absent, absent)] * 8, location))
    voxcc("label", store)


SHARDING = ("codecs", 0, "configuration")


@pytest.mark.parametrize("change,message", [
    (put(*SHARDING, "chunk_shape", [3, 8, 8]), "do not divide"),
    (put(*SHARDING, "chunk_shape", [8, 8]), "one extent per axis"),
    (put(*SHARDING, "chunk_shape", [0, 8, 8]), "no elements"),
    (put(*SHARDING, "index_location", "middle"), "start or end"),
    (put(*SHARDING, "index_codecs", [CODEC, {"name": "gzip"}]), "'gzip' is not read"),
    (put(*SHARDING, "index_codecs", []), "'bytes' is missing"),
    (lambda d: d["codecs"].append({"name": "gzip", "configuration": {}}), "shards with the codec 'gzip'"),
    (lambda d: d["codecs"][0]["configuration"].update(codecs=json.loads(json.dumps(d["codecs"]))), "shards inside shards"),
    (lambda d: (put(*SHARDING, "chunk_shape", [1, 1, 1])(d), put("chunk_grid", "configuration", "chunk_shape", [1024, 1024, 1024])(d)), "more than 4,194,304"),
])
def test_sharding_metadata(voxcc, tmp_path, change, message):
    store = sharded(tmp_path / "a")
    edit(store, change)
    assert message in voxcc.fails(65, "label", store)


def archive(store, method=zipfile.ZIP_STORED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as file:
        for path in sorted(p for p in store.rglob("*") if p.is_file()):
            file.write(path, path.relative_to(store))
    return content.getvalue()


def test_archives(voxcc, tmp_path):
    content = archive(write(tmp_path / "a"))
    path = tmp_path / "a.ozx"
    path.write_bytes(content)
    voxcc("label", path)
    name = b"c/1/1/1"
    second = content.rfind(name)
    for damaged in (b"PK\3\4", content[:-1], content[: len(content) // 2], content.replace(name, b"c/1/1/0"), content[:second] + b"c/9" + content[second + 3 :]):
        path.write_bytes(damaged)
        voxcc.fails(65, "label", path)
    data = content.find(name) + len(name)
    for at in (data + 5, data + 20):
        damaged = bytearray(content)
        damaged[at] ^= 1
        path.write_bytes(damaged)
        assert "c/1/1/1" in voxcc.fails(65, "label", path)
    path.write_bytes(archive(sharded(tmp_path / "s"), zipfile.ZIP_DEFLATED))
    assert "shards cannot be compressed twice" in voxcc.fails(65, "label", path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("text.txt", "x")
    assert "without the metadata of a Zarr store" in voxcc.fails(65, "label", path)
    path.rename(tmp_path / "b.zip")
    assert "is a ZIP archive; unpack it" in voxcc.fails(65, "label", tmp_path / "b.zip")


def test_corrupt_shard_in_an_archive(voxcc, tmp_path):
    """The CRC of the archive protects chunks without compression, which have no checksum of their own."""
    store = write(tmp_path / "a", shards=(8, 16, 16), compressors=())
    content = bytearray(archive(store))
    at = content.find(volume()[:4, :8, :8].astype("<u2").tobytes())
    assert at > 0
    content[at + 100] ^= 1
    (tmp_path / "a.ozx").write_bytes(content)
    assert "CRC" in voxcc.fails(65, "label", tmp_path / "a.ozx")
