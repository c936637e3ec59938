"""Small Zarr arrays that tests damage."""

import json

import numpy as np
import zarr
from helpers import noise

SHAPE = (8, 16, 16)


def volume():
    return (noise(SHAPE, 0.4, 2) * 7).astype(np.uint16)


def write(path, zarr_format=3, **options):
    zarr.create_array(path, shape=SHAPE, dtype="u2", chunks=options.pop("chunks", (4, 8, 8)), zarr_format=zarr_format, **options)[:] = volume()
    return path


def edit(store, change, name="zarr.json"):
    document = json.loads((store / name).read_text())
    change(document)
    (store / name).write_text(json.dumps(document))


def put(*keys_and_value):
    *keys, value = keys_and_value

    def change(document):
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = value

    return change


def remove(key):
    return lambda document: document.pop(key)


CODEC = {"name": "bytes", "configuration": {"endian": "little"}}


def chunk_of(store):
    return next(p for p in sorted((store / "c").rglob("*")) if p.is_file())
