"""Seeds of the fuzz targets for Zarr; part of make_seeds.py."""

import gzip
import io
import json
import struct
import zipfile
import zlib

import imagecodecs
from seed_files import NEXT_FILE, volume


def zarr_documents():
    """Documents and chunks in the order of run_zarr_metadata()."""
    codecs = lambda *more: [{"name": "bytes", "configuration": {"endian": "big"}}, *more]  # noqa: E731
    base = {"zarr_format": 3, "node_type": "array", "shape": [3, 4, 5], "data_type": "uint16", "fill_value": 1, "codecs": codecs(),
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 4, 5]}}, "chunk_key_encoding": {"name": "v2"}}
    shards = [{"name": "sharding_indexed", "configuration": {"chunk_shape": [1, 2, 5], "codecs": codecs({"name": "crc32c"}),
                                                             "index_codecs": codecs({"name": "crc32c"}), "index_location": "start"}}]
    arrays = {"plain": {}, "names": {"dimension_names": ["c", "y", "x"]}, "sharded": {"codecs": shards}, "float": {"data_type": "float16", "fill_value": "NaN"},
              "transposed": {"codecs": [{"name": "transpose", "configuration": {"order": [2, 0, 1]}}, *codecs()]},
              "zstd": {"codecs": codecs({"name": "zstd", "configuration": {"level": 1}})}}
    scale = [{"type": "scale", "scale": [1.0, 0.5, 2.0]}, {"type": "translation", "translation": [1, 2, 3.5]}]
    multiscales = [{"axes": [{"name": n, "type": "space", "unit": "micrometer"} for n in "zyx"],
                    "datasets": [{"path": "0", "coordinateTransformations": scale}]}]
    raw = volume(">u2").tobytes()
    for name, changes in arrays.items():
        group = {"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5", "multiscales": multiscales, "image-label": {}}}}
        yield f"v3_{name}", [json.dumps(group), "", "", json.dumps(base | changes), "", "", raw, ""]
    v2 = {"zarr_format": 2, "shape": [3, 4, 5], "chunks": [3, 4, 5], "dtype": "<u2", "compressor": None, "fill_value": 0, "order": "F", "filters": None}
    for name, changes in {"plain": {}, "zlib": {"compressor": {"id": "zlib", "level": 1}}, "nested": {"dimension_separator": "/"}}.items():
        group = {"multiscales": [{"version": "0.4", **multiscales[0]}], "labels": ["a"]}
        content = zlib.compress(raw) if name == "zlib" else raw
        yield f"v2_{name}", ["", json.dumps(group), "", "", json.dumps(v2 | changes), '{"_ARRAY_DIMENSIONS": ["z", "y", "x"]}', content, ""]
    yield "array", ["", "", json.dumps(v2), "", "", "", "", ""]


def add_zarr(seeds):
    for name, parts in zarr_documents():
        seeds.add("zarr_metadata", name, NEXT_FILE.join(p if isinstance(p, bytes) else p.encode() for p in parts))
    raw = volume("u2", (4, 4, 4)).tobytes()  # 128 bytes
    length = bytes([len(raw) // 8 - 1])
    with_sum = lambda data: data + struct.pack("<I", zarr_checksum(data))  # noqa: E731
    packed = {0: [raw], 2: [imagecodecs.zstd_encode(raw)], 3: [gzip.compress(raw, mtime=0), gzip.compress(raw[:50]) + gzip.compress(raw[50:])],
              4: [zlib.compress(raw)], 5: [struct.pack("<I", len(raw)) + imagecodecs.lz4_encode(raw)], 7: [with_sum(imagecodecs.zstd_encode(raw))]}
    packed[1] = [imagecodecs.blosc_encode(raw * 10, compressor=name, shuffle=shuffle, typesize=2) for name in ("lz4", "zstd", "zlib", "blosclz", "snappy")
                 for shuffle in (0, 1, 2)]
    packed[6] = [imagecodecs.blosc_encode(with_sum(raw), compressor="lz4", typesize=2)]
    for kind, chunks in packed.items():
        for i, chunk in enumerate(chunks):
            seeds.add("zarr_chunk", f"{kind}_{i}", bytes([kind]) + (bytes([len(raw) * 10 // 8 - 1]) if kind == 1 else length) + chunk)
    chunk = volume(">u2", (2, 4, 4)).tobytes()
    for first in (0, 1):
        entries = [struct.pack("<QQ", (128 if first else 0) + len(chunk) * i, len(chunk)) for i in range(7)] + [b"\xff" * 16]
        parts = [b"".join(entries), chunk * 7]
        seeds.add("zarr_shard", f"index_{first}", bytes([first]) + b"".join(parts if first else parts[::-1]))
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        for name, parts in zarr_documents():
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", method) as archive:
                for path, data in zip(("zarr.json", ".zattrs", ".zarray", "0/zarr.json", "0/.zarray", "0/.zattrs", "0/0.0.0"), parts):
                    if data:
                        archive.writestr(zipfile.ZipInfo(path), data)
            seeds.add("zarr_zip", f"{name}_{method}", content.getvalue())


def zarr_checksum(data):
    """CRC-32C."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF
