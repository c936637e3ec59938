"""OME-Zarr images that other programs write, and the files of a store."""

import json

import numpy as np
import zarr
from helpers import noise


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def image_of(path, version, shape=(1, 2, 40, 60, 50), levels=2, name="axes", paths="s{}"):
    """An image with axes t, c, z, y, x whose levels keep z, written by hand as bioformats2raw writes it."""
    zarr_format = 3 if version == "0.5" else 2
    axes = [{"name": n, "type": {"t": "time", "c": "channel"}.get(n, "space")} for n in "tczyx"]
    for axis in axes[2:]:
        axis["unit"] = "micrometer"
    data = noise(shape[2:], 0.3, 3)
    group = zarr.create_group(path, zarr_format=zarr_format)
    datasets = []
    for level in range(levels):
        scaled = data[:, ::2**level, ::2**level]
        keys = {"name": "v2", "separator": "/"} if version == "0.4" else None
        if "/" in paths:
            group.require_group(paths.format(level).rsplit("/", 1)[0])
        array = group.create_array(paths.format(level), shape=(*shape[:2], *scaled.shape), dtype="u1", chunks=(1, 1, 1, 32, 32),
                                   chunk_key_encoding=keys, dimension_names=None if keys else list("tczyx"))
        array[:] = np.broadcast_to(scaled, (*shape[:2], *scaled.shape))
        transform = [{"type": "scale", "scale": [1, 1, 2.5, 0.5 * 2**level, 0.5 * 2**level]},
                     {"type": "translation", "translation": [0, 0, 7, level / 4, level / 4]}]
        datasets.append({"path": paths.format(level), "coordinateTransformations": transform})
    multiscales = [{"axes": axes, "datasets": datasets, "name": name}]
    if version == "0.4":
        multiscales[0]["version"] = "0.4"
        group.attrs["multiscales"] = multiscales
    else:
        group.attrs["ome"] = {"version": "0.5", "multiscales": multiscales}
    return data, multiscales[0]


def attributes_of(folder, version):
    if version == "0.4":
        return json.loads((folder / ".zattrs").read_text())
    return json.loads((folder / "zarr.json").read_text())["attributes"]["ome"]
