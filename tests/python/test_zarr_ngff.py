"""OME-Zarr images of all versions, their levels, labels and axes, as folders and archives."""

import json
import os
import zipfile

import numpy as np
import ome_zarr.scale
import ome_zarr.writer
import pytest
import zarr
from helpers import blobs, label_scipy, noise, read_table, spacing_in_mm

SHAPE = (5, 12, 14)  # z, y, x


def image(seed=1):
    return noise(SHAPE, 0.4, 2, seed)


def info(voxcc, *arguments):
    return json.loads(voxcc("info", "--json", *arguments).stdout)


def labels(voxcc, store, tmp_path, *options):
    voxcc("label", store, "-f", "-o", tmp_path / "out.npy", "-q", *options)
    return np.load(tmp_path / "out.npy")


def array(path, data, zarr_format, **options):
    keys = {"name": "v2", "separator": options.pop("separator", "/")} if zarr_format == 2 else None
    zarr.create_array(path, shape=data.shape, dtype=data.dtype, chunks=(1,) * (data.ndim - 3) + (2, 8, 8), zarr_format=zarr_format,
                      chunk_key_encoding=keys, overwrite=True, **options)[:] = data


def group(path, attributes, zarr_format):
    path.mkdir(parents=True, exist_ok=True)
    if zarr_format == 2:
        (path / ".zgroup").write_text('{"zarr_format": 2}')
        (path / ".zattrs").write_text(json.dumps(attributes))
    else:
        (path / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {"ome": attributes}}))


def axes_of(names, unit="micrometer"):
    kinds = {"t": "time", "c": "channel"}
    return [{"name": n, "type": kinds.get(n, "space"), **({"unit": unit} if n not in kinds and unit else {})} for n in names]


def write_image(path, data, names, version="0.4", scale=None, translation=None, unit="micrometer", extra=None):
    zarr_format = 3 if version == "0.5" else 2
    transforms = [{"type": "scale", "scale": scale or [1.0] * len(names)}]
    if translation:
        transforms.append({"type": "translation", "translation": translation})
    multiscales = [{"axes": axes_of(names, unit), "datasets": [{"path": "0", "coordinateTransformations": transforms}]}]
    attributes = {"multiscales": multiscales, **(extra or {})}
    if version == "0.5":
        attributes["version"] = version
    else:
        multiscales[0]["version"] = version
    group(path, attributes, zarr_format)
    array(path / "0", data, zarr_format)
    return path


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_geometry(voxcc, tmp_path, version):
    """Spacing in mm from the unit of each axis, and the position from the translation."""
    store = write_image(tmp_path / "a.ome.zarr", image(), "zyx", version, [2.0, 0.5, 0.25])
    about = info(voxcc, store)
    assert about["format"] == f"OME-Zarr {version}" and about["unit"] == "um" and about["dataset"] == "/0"
    assert spacing_in_mm(about) == [0.00025, 0.0005, 0.002] and "affine" not in about
    assert about["axes"][0] == {"name": "z", "type": "space", "unit": "micrometer", "size": 5}
    assert about["levels"] == [{"path": "/0", "shape": [5, 12, 14], "scale": [2.0, 0.5, 0.25]}]
    assert about["chunks"]["shape"] == [2, 8, 8] and about["chunks"]["total"] == 12 and about["chunks"]["fill_value"] == "0"
    np.testing.assert_array_equal(labels(voxcc, store, tmp_path), label_scipy(image(), 26))
    moved = write_image(tmp_path / "b.ome.zarr", image(), "zyx", version, [2.0, 0.5, 0.25], [100.0, 10.0, 1.0])
    voxcc("label", moved, "--stats", tmp_path / "t.csv", "--units", "um")
    for row in read_table(tmp_path / "t.csv"):
        np.testing.assert_allclose(
            [row["centroid_x_um"], row["centroid_y_um"], row["centroid_z_um"]],
            [row["centroid_i"] * 0.25 + 1, row["centroid_j"] * 0.5 + 10, row["centroid_k"] * 2 + 100], rtol=1e-12)


def test_axes_in_another_order(voxcc, tmp_path):
    """i, j, k follow the order in memory, and x, y, z the names of the axes."""
    store = write_image(tmp_path / "a.zarr", image(), "xyz", "0.4", [2.0, 0.5, 0.25])
    np.testing.assert_array_equal(labels(voxcc, store, tmp_path), label_scipy(image(), 26))
    voxcc("label", store, "--stats", tmp_path / "t.csv", "--units", "um")
    for row in read_table(tmp_path / "t.csv"):
        np.testing.assert_allclose([row["centroid_x_um"], row["centroid_y_um"], row["centroid_z_um"]],
                                   [row["centroid_k"] * 2, row["centroid_j"] * 0.5, row["centroid_i"] * 0.25], rtol=1e-12)


def test_units(voxcc, tmp_path):
    for unit, expected in {"nanometer": 1e-6, "millimeter": 1.0, "µm": 1e-3, "angstrom": 1e-7}.items():
        store = write_image(tmp_path / unit, image(), "zyx", "0.4", [1.0, 1.0, 1.0], unit=unit)
        np.testing.assert_allclose(spacing_in_mm(info(voxcc, store)), [expected] * 3)
    about = info(voxcc, write_image(tmp_path / "none", image(), "zyx", "0.4", [3.0, 1.0, 1.0], unit=None))
    assert spacing_in_mm(about) is None and about["unit"] == "unknown" and about["spacing_unit"] == [1, 1, 3]


def channels():
    return np.stack([[image(10 * t + c + 1) for c in range(2)] for t in range(3)])  # t, c, z, y, x


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_channels_and_times(voxcc, tmp_path, version):
    data = channels()
    store = write_image(tmp_path / "a.zarr", data, "tczyx", version)
    for t in range(3):
        for c in range(2):
            expected = label_scipy(data[t, c], 26)
            np.testing.assert_array_equal(labels(voxcc, f"{store}[c={c},t={t}]", tmp_path), expected)
            np.testing.assert_array_equal(labels(voxcc, store, tmp_path, "--volume", t * 2 + c), expected)
    assert "6 volumes: axis t of 3, axis c of 2" in voxcc.fails(64, "label", store)
    assert info(voxcc, store)["volume_order"] == "N = t * 2 + c"
    one = write_image(tmp_path / "one.zarr", data[:1, :1], "tczyx", version)
    np.testing.assert_array_equal(labels(voxcc, f"{one}[c=0]", tmp_path), label_scipy(data[0, 0], 26))
    np.testing.assert_array_equal(labels(voxcc, one, tmp_path), label_scipy(data[0, 0], 26))


@pytest.mark.parametrize("version", ["0.1", "0.2", "0.3"])
def test_old_versions(voxcc, tmp_path, version):
    multiscales = {"version": version, "datasets": [{"path": "0"}]}
    if version == "0.3":
        multiscales["axes"] = ["t", "c", "z", "y", "x"]
    group(tmp_path / "a.zarr", {"multiscales": [multiscales]}, 2)
    array(tmp_path / "a.zarr/0", channels(), 2, separator="." if version == "0.1" else "/")
    assert info(voxcc, tmp_path / "a.zarr")["format"] == f"OME-Zarr {version}"
    np.testing.assert_array_equal(labels(voxcc, f"{tmp_path}/a.zarr[c=1,t=2]", tmp_path), label_scipy(channels()[2, 1], 26))


def test_unknown_versions(voxcc, tmp_path):
    store = write_image(tmp_path / "a.zarr", image(), "zyx", "0.5")
    document = json.loads((store / "zarr.json").read_text())
    document["attributes"]["ome"]["version"] = "0.6"
    (store / "zarr.json").write_text(json.dumps(document))
    assert "version 0.6 of NGFF is not read" in voxcc.fails(65, "label", store)
    np.testing.assert_array_equal(labels(voxcc, f"{store}:/0", tmp_path), label_scipy(image(), 26))
    assert "version 0.6 of NGFF" in voxcc("label", f"{store}:/0").stderr


def write_levels(path, version="0.5"):
    """An image of two levels with labels of two levels, as ome-zarr writes it."""
    zarr_format = 3 if version == "0.5" else 2
    store = zarr.open_group(path, mode="w", zarr_format=zarr_format)
    fmt = ome_zarr.format.FormatV05() if version == "0.5" else ome_zarr.format.FormatV04()
    data = blobs((8, 32, 32), 0.4) * 200
    cells = label_scipy(data, 26).astype(np.uint16)
    scales = [[{"type": "scale", "scale": [1.0, s, s]}] for s in (0.5, 1.0)]
    names = axes_of("zyx")
    ome_zarr.writer.write_multiscale([data, data[:, ::2, ::2]], store, axes=names, coordinate_transformations=scales, fmt=fmt)
    ome_zarr.writer.write_multiscale_labels([cells, cells[:, ::2, ::2]], store, name="cells", axes=names, coordinate_transformations=scales, fmt=fmt)
    return data, cells


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_levels_and_labels(voxcc, tmp_path, version):
    """Images and labels that ome-zarr wrote, by every name of a level and of the labels."""
    store = tmp_path / "a.ome.zarr"
    data, cells = write_levels(store, version)
    about = info(voxcc, store)
    levels = [level["path"] for level in about["levels"]]
    assert len(levels) == 2 and [d["path"] for d in about["datasets"] if "labels" not in d["path"]] == levels
    label_path = next(d["path"] for d in about["datasets"] if "labels" in d["path"])
    whole, half = label_scipy(data, 26), label_scipy(data[:, ::2, ::2], 26)
    for name, expected in ((store, whole), (f"{store}:{levels[1]}", half), (f"{store}{levels[0]}", whole), (f"{store}{levels[1]}", half)):
        np.testing.assert_array_equal(labels(voxcc, name, tmp_path), expected)
    np.testing.assert_array_equal(labels(voxcc, store, tmp_path, "--dataset", levels[1]), half)
    metadata = store / ("zarr.json" if version == "0.5" else ".zattrs")
    np.testing.assert_array_equal(labels(voxcc, metadata, tmp_path), whole)
    for name in (f"{store}{levels[0]}", f"{store}{levels[1]}", f"{store}/labels/cells", f"{store}{label_path}", f"{store}:{label_path}"):
        voxcc("verify", name)
    voxcc("stats", f"{store}:/labels/cells", "--intensity", f"{store}:{levels[0]}", "-o", tmp_path / "a.csv")
    voxcc("stats", f"{store}/labels/cells", "--intensity", store, "-o", tmp_path / "b.csv")
    rows = read_table(tmp_path / "a.csv")
    assert rows == read_table(tmp_path / "b.csv") and len(rows) == cells.max() and {row["intensity_mean"] for row in rows} == {200}
    assert [row["voxels"] for row in rows] == list(np.bincount(cells.ravel())[1:])
    np.save(tmp_path / "cells.npy", cells)
    voxcc("compare", "--exact", f"{store}:{label_path}", tmp_path / "cells.npy")
    np.testing.assert_array_equal(labels(voxcc, store, tmp_path, "--mask", f"{store}:/labels/cells"), whole)
    assert voxcc("verify", store).stdout.endswith("ok\n")
    assert abs(spacing_in_mm(info(voxcc, f"{store}{levels[1]}"))[0] - 1e-3) < 1e-12  # the axes of the image above the array


def test_verify_reads_all_levels(voxcc, tmp_path):
    """A corrupt chunk of the second level or of the labels is found without a choice."""
    for part in ("labels/cells", ""):
        store = tmp_path / f"a{len(part)}.zarr"
        write_levels(store)
        folder = store / part
        level = json.loads((folder / "zarr.json").read_text())["attributes"]["ome"]["multiscales"][0]["datasets"][1]["path"]
        chunk = next(p for p in (folder / level / "c").rglob("*") if p.is_file())
        chunk.write_bytes(chunk.read_bytes()[:-3])
        assert str(chunk) in voxcc.fails(65, "verify", store)
        voxcc("info", store)


def test_several_images(voxcc, tmp_path):
    """The layout of bioformats2raw: no image is chosen silently."""
    store = tmp_path / "a.zarr"
    group(store, {"bioformats2raw.layout": 3}, 2)
    write_image(store / "0", image(1), "zyx")
    np.testing.assert_array_equal(labels(voxcc, store, tmp_path), label_scipy(image(1), 26))
    write_image(store / "1", image(2), "zyx")
    assert "choose one with --dataset: /0/0, /1/0" in voxcc.fails(64, "label", store)
    for name in (f"{store}:/1", f"{store}/1", f"{store}:/1/0"):
        np.testing.assert_array_equal(labels(voxcc, name, tmp_path), label_scipy(image(2), 26))
    assert "/0/0, /1/0" in voxcc.fails(64, "label", store, "--dataset", "7")
    group(tmp_path / "plate", {"plate": {"wells": [{"path": "A/1"}, {"path": "A/2"}]}}, 2)
    assert "plate" in voxcc.fails(64, "label", tmp_path / "plate")


def zipped(folder, path, prefix="", **options):
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name in sorted(p for p in folder.rglob("*") if p.is_file()):
            archive.write(name, prefix + str(name.relative_to(folder)))
    return path


@pytest.mark.parametrize("name", ["a.ozx", "a.zarr.zip", "a.zip"])
def test_archives(voxcc, tmp_path, name):
    data, cells = write_levels(tmp_path / "a.ome.zarr")
    expected = label_scipy(data, 26)
    for options in ({}, {"compression": zipfile.ZIP_DEFLATED}, {"prefix": "a.zarr/"}):
        path = zipped(tmp_path / "a.ome.zarr", tmp_path / name, **options)
        np.testing.assert_array_equal(labels(voxcc, path, tmp_path), expected)
        voxcc("stats", f"{path}:/labels/cells", "-o", tmp_path / "t.csv", "-f")
        assert len(read_table(tmp_path / "t.csv")) == cells.max()
        assert voxcc("verify", path).stdout.endswith("ok\n")
    store = zarr.storage.ZipStore(tmp_path / name, mode="w")
    zarr.create_array(store, shape=data.shape, dtype="u1", chunks=(4, 8, 8), shards=(8, 16, 16))[:] = data
    store.close()
    np.testing.assert_array_equal(labels(voxcc, tmp_path / name, tmp_path), expected)


def test_named_axes_of_arrays(voxcc, tmp_path):
    data = channels()[0]  # c, z, y, x
    array(tmp_path / "v3", data, 3, dimension_names=["c", "z", "y", "x"])
    array(tmp_path / "v2", data, 2, attributes={"_ARRAY_DIMENSIONS": ["c", "z", "y", "x"]})
    array(tmp_path / "none", data, 3)
    for name in ("v2", "v3"):
        np.testing.assert_array_equal(labels(voxcc, f"{tmp_path / name}[c=1]", tmp_path), label_scipy(data[1], 26))
    np.testing.assert_array_equal(labels(voxcc, f"{tmp_path}/none[1]", tmp_path), label_scipy(data[1], 26))
    last = np.moveaxis(data, 0, -1)
    zarr.create_array(tmp_path / "last", shape=last.shape, dtype="u1", chunks=(2, 5, 5, 2), dimension_names=["z", "y", "x", "c"])[:] = last
    np.testing.assert_array_equal(labels(voxcc, f"{tmp_path}/last[c=1]", tmp_path), label_scipy(data[1], 26))
    flat = data[0, 0]
    zarr.create_array(tmp_path / "flat", shape=flat.shape, dtype="u1", chunks=(5, 5))[:] = flat
    np.testing.assert_array_equal(labels(voxcc, tmp_path / "flat", tmp_path), label_scipy(flat, 8))


def test_missing_chunks(voxcc, tmp_path):
    data = np.zeros((8, 16, 16), np.uint8)
    data[:2, :8, :8] = 1
    array(tmp_path / "a", data, 3)
    about = info(voxcc, tmp_path / "a")
    assert about["chunks"]["total"] == 16 and about["chunks"]["missing"] == 15
    assert "15 of 16 chunks are not stored" in "".join(about["warnings"])
    assert "15 of 16 chunks are not stored; their voxels have the fill value 0" in voxcc("label", tmp_path / "a").stderr
    zarr.create_array(tmp_path / "none", shape=(8, 9, 10), dtype="u1", chunks=(2, 8, 8))
    assert "has no chunks; all voxels have the fill value 0" in voxcc("label", tmp_path / "none").stderr


@pytest.mark.parametrize("separator", "./")
def test_wrong_separator(voxcc, tmp_path, separator):
    """With the wrong separator, every chunk would be missing."""
    array(tmp_path / "a", image(), 2, separator=separator)
    document = json.loads((tmp_path / "a/.zarray").read_text())
    document["dimension_separator"] = "/" if separator == "." else "."
    (tmp_path / "a/.zarray").write_text(json.dumps(document))
    assert f"its chunks are stored with '{separator}'" in voxcc.fails(65, "label", tmp_path / "a")


def test_links(voxcc, tmp_path):
    """A link below the store needs --allow-external. It is never a missing chunk."""
    array(tmp_path / "a.zarr", image(), 3)
    (tmp_path / "a.zarr/c/0/0/0").rename(tmp_path / "chunk")
    os.symlink(tmp_path / "chunk", tmp_path / "a.zarr/c/0/0/0")
    assert "symbolic link" in voxcc.fails(65, "label", tmp_path / "a.zarr")
    np.testing.assert_array_equal(labels(voxcc, tmp_path / "a.zarr", tmp_path, "--allow-external"), label_scipy(image(), 26))
    (tmp_path / "a.zarr/c").rename(tmp_path / "folder")
    os.symlink(tmp_path / "folder", tmp_path / "a.zarr/c")
    assert "symbolic link" in voxcc.fails(65, "label", tmp_path / "a.zarr")
    os.symlink(tmp_path / "a.zarr", tmp_path / "b.zarr")  # a link that the user names


def test_outputs_do_not_replace_inputs(voxcc, tmp_path):
    array(tmp_path / "a.zarr", image(), 3)
    before = (tmp_path / "a.zarr/zarr.json").read_bytes()
    voxcc.fails(73, "label", tmp_path / "a.zarr", "-f", "--stats", tmp_path / "a.zarr/zarr.json")
    assert (tmp_path / "a.zarr/zarr.json").read_bytes() == before


def test_json_summary(voxcc, tmp_path):
    """The provenance lists the files that were read."""
    array(tmp_path / "a.zarr", image(), 3)
    summary = json.loads(voxcc("label", tmp_path / "a.zarr", "--json", "-", "-q").stdout)
    assert "sha256" in json.dumps(summary)
