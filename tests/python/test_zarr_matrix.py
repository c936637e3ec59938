"""All forms of Zarr outputs: each pair of two choices occurs in a case. The cases are read with zarr, tensorstore, ome-zarr and
ome-zarr-models, and checked against the JSON schemas of NGFF that the package ngff-zarr contains."""

import functools
import importlib.resources
import itertools
import json
import zipfile

import jsonschema_rs
import numpy as np
import ome_zarr.io
import ome_zarr.reader
import ome_zarr_models
import pytest
import tensorstore
import zarr
from helpers import label_scipy, noise, write_nifti
from zarr_images import attributes_of, image_of

CHOICES = {
    "ngff": ("0.4", "0.5", "none"),
    "dtype": ("uint8", "uint16", "uint32", "uint64", "int16", "int32"),
    "container": ("folder", "zip"),
    "pyramid": ("auto", "mode", "nearest", "none"),
    "compress": (0, 1, 9),
    "shape": ((9, 30, 40), (1, 40, 30), (1, 1, 1), (65, 7, 131), (3, 300, 17), (2, 1, 513), (1, 1, 700), (129, 5, 1), (1, 530, 1025)),
    "volumes": (1, 3),
}


def pairs_of(case):
    return set(itertools.combinations(sorted(case.items()), 2))


def pairwise():
    """Few cases that have all pairs: each case has as many new pairs as possible, of some candidates."""
    missing = set().union(*(pairs_of(dict(zip(CHOICES, case))) for case in itertools.product(*CHOICES.values())))
    random, cases = np.random.default_rng(1), []
    while missing:
        first = sorted(missing, key=repr)[0]
        candidates = [{name: values[random.integers(len(values))] for name, values in CHOICES.items()} | dict(first) for _ in range(60)]
        cases.append(max(candidates, key=lambda case: len(pairs_of(case) & missing)))
        missing -= pairs_of(cases[-1])
    return cases


def name_of(case):
    return "-".join("x".join(map(str, value)) if isinstance(value, tuple) else str(value) for value in case.values())


@functools.cache
def validator(version, model, strict=False):
    """A schema of NGFF. Its references are resolved without a network."""
    folder = importlib.resources.files("ngff_zarr") / "spec" / version / "schemas"
    schemas = {path.name: json.loads(path.read_text()) for path in folder.iterdir()}
    registry = jsonschema_rs.Registry([(schema["$id"], schema) for schema in schemas.values()])
    return jsonschema_rs.validator_for(schemas[f"{'strict_' if strict else ''}{model}.schema"], registry=registry)


def check_schemas(attributes, version, levels=2):
    """The schemas also state what an image should have, except colours: napari hides labels that a list of colours leaves out."""
    stated = attributes if version == "0.4" else {"ome": attributes}
    validator(version, "image", strict=levels > 1).validate(stated)
    validator(version, "label").validate(stated)
    if version == "0.5":
        validator(version, "ome_zarr").validate(stated)


def documents(path):
    """The metadata files of a store."""
    if path.is_file():
        with zipfile.ZipFile(path) as archive:
            return {name: json.loads(archive.read(name)) for name in archive.namelist() if name.rsplit("/")[-1].startswith((".z", "zarr"))}
    return {str(file.relative_to(path)): json.loads(file.read_text()) for file in path.rglob("*") if file.name.startswith((".z", "zarr"))}


def by_tensorstore(path, array, zarr_format):
    base = {"driver": "file", "path": str(path)}
    store = {"driver": "zip", "base": base, "path": array + "/"} if path.is_file() else {"driver": "file", "path": str(path / array)}
    if path.is_file() and not array:
        store["path"] = ""
    return tensorstore.open({"driver": "zarr3" if zarr_format == 3 else "zarr", "kvstore": store}).result().read().result()


def reduced(data, method, axes):
    """The next level of one volume or of several. @param axes of a volume"""
    shape = (*data.shape[:-axes], *((n + 1) // 2 for n in data.shape[-axes:]))
    out = np.zeros(shape, data.dtype)
    for index in np.ndindex(shape):
        outer, inner = index[: data.ndim - axes], index[data.ndim - axes:]
        block = data[(*outer, *(slice(2 * i, 2 * i + 2) for i in inner))].ravel()
        values, counts = np.unique(block, return_counts=True)
        best = values[counts == counts.max()]
        out[index] = block[0] if method == "nearest" else min(best, key=lambda value: (value == 0, value))
    return out


@pytest.mark.parametrize("case", pairwise(), ids=name_of)
def test_outputs(voxcc, tmp_path, case):
    shape, ngff, count = case["shape"], case["ngff"], case["volumes"]
    data = np.stack([noise(shape, 0.4, 4, seed) for seed in range(count)])
    if case["dtype"] == "uint8":
        data[:, :, 20:] = 0
        data[:, :, :, 60:] = 0
    path = write_nifti(tmp_path / "in.nii", data if count > 1 else data[0], affine=np.diag([0.5, 0.75, 2.5, 1]))
    axes, connectivity = (2, 8) if shape[0] == 1 else (3, 26)
    expected = np.stack([label_scipy(volume[0] if axes == 2 else volume, connectivity) for volume in data])
    expected = expected if count > 1 else expected[0]
    store = tmp_path / ("out.zarr.zip" if case["container"] == "zip" else "out.zarr")
    options = ["--ngff", ngff, "--pyramid", case["pyramid"], "--compress", case["compress"], "--dtype", case["dtype"], "-c", connectivity]
    voxcc("label", path, "-o", store, *options, *(["--volume", "all"] if count > 1 else []))

    opened = zarr.storage.ZipStore(store, mode="r") if store.is_file() else store
    zarr_format = 2 if ngff == "0.4" else 3
    found = documents(store)
    levels = [""]
    if ngff != "none":
        attributes = found[".zattrs"] if ngff == "0.4" else found["zarr.json"]["attributes"]["ome"]
        levels = [level["path"] for level in attributes["multiscales"][0]["datasets"]]
        check_schemas(attributes, ngff, len(levels))
        ome_zarr_models.open_ome_zarr(zarr.open_group(opened, mode="r"), version=ngff)
    assert (len(levels) > 1) == (max(shape) > 256 and ngff != "none" and case["pyramid"] != "none")
    arrays = [zarr.open_array(opened, path=level, mode="r") for level in levels]
    for level, array in zip(levels, arrays):
        values = array[:]
        assert array.dtype == case["dtype"] and array.metadata.zarr_format == zarr_format
        np.testing.assert_array_equal(by_tensorstore(store, level, zarr_format), values)
    np.testing.assert_array_equal(arrays[0][:], expected)
    if len(levels) > 1 and arrays[0].size < 50_000:
        method = "nearest" if case["pyramid"] == "nearest" else "mode"
        np.testing.assert_array_equal(arrays[1][:], reduced(arrays[0][:], method, axes))
    if case["compress"] == 0:
        text = json.dumps([document for name, document in found.items() if name.startswith("0/") or ngff == "none"])
        assert "zstd" not in text
    if ngff != "none" and not store.is_file():
        nodes = list(ome_zarr.reader.Reader(ome_zarr.io.parse_url(str(store)))())
        np.testing.assert_array_equal(nodes[0].data[0].compute(), expected)
    assert "ok" in voxcc("verify", store).stdout
    about = json.loads(voxcc("info", "--json", store).stdout)
    assert "warnings" not in about and about["volumes"] == count


@pytest.mark.parametrize("version, content, shape", [
    ("0.4", "labels", (5, 300, 40)), ("0.5", "labels", (5, 300, 40)), ("0.4", "mask", (9, 30, 40)), ("0.5", "mask", (1, 300, 40)),
])
def test_schemas_of_labels_in_an_image(voxcc, tmp_path, version, content, shape):
    image = tmp_path / "image.zarr"
    image_of(image, version, shape=(2, 1, *shape))
    voxcc("label", f"{image}[t=1]", "-o" if content == "labels" else "--mask-output", image / "labels/a")
    check_schemas(attributes_of(image / "labels/a", version), version)
    stated = attributes_of(image / "labels", version)
    assert stated["labels"] == ["a"] and (version == "0.4" or stated["version"] == "0.5")


@pytest.mark.parametrize("version", ["0.4", "0.5"])
@pytest.mark.parametrize("change", [
    lambda image: image["axes"].pop(), lambda image: image["axes"][0].pop("name"), lambda image: image.pop("datasets"),
    lambda image: image["datasets"][0].pop("coordinateTransformations"), lambda image: image["datasets"][0].pop("path"),
])
def test_the_schemas_find_errors(voxcc, tmp_path, version, change):
    path = write_nifti(tmp_path / "in.nii", noise((1, 5, 6), 0.4))
    voxcc("label", path, "-o", tmp_path / "out.zarr", "--ngff", version)
    attributes = attributes_of(tmp_path / "out.zarr", version)
    check_schemas(attributes, version, levels=1)
    change(attributes["multiscales"][0])
    with pytest.raises(jsonschema_rs.ValidationError):
        check_schemas(attributes, version, levels=1)
