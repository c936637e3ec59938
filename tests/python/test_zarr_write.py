"""Zarr outputs: read by zarr, tensorstore, ome-zarr and ome-zarr-models, and again by voxcc."""

import hashlib
import json
import zipfile

import numpy as np
import ome_zarr.io
import ome_zarr.reader
import ome_zarr_models
import pytest
import scipy.ndimage
import tensorstore
import zarr
from helpers import blobs, label_scipy, noise, read_nifti, write_nifti
from zarr_images import attributes_of, contents, image_of

SHAPE = (21, 150, 140)  # z, y, x: several chunks along x and y


def volume(tmp_path, data=None, name="in.nii", **options):
    data = noise(SHAPE, 0.3, 3) if data is None else data
    return write_nifti(tmp_path / name, data, **options), data


def info(voxcc, *arguments):
    return json.loads(voxcc("info", "--json", *arguments).stdout)


def by_tensorstore(path, zarr_format):
    driver = "zarr3" if zarr_format == 3 else "zarr"
    return tensorstore.open({"driver": driver, "kvstore": {"driver": "file", "path": str(path)}}).result().read().result()


def first_array(store, ngff):
    return store if ngff == "none" else store / "0"


@pytest.mark.parametrize("ngff, compress, dtype", [
    ("0.5", 1, "uint8"), ("0.5", 0, "uint64"), ("0.5", 9, "uint32"), ("0.5", 1, "int16"),
    ("0.4", 1, "uint32"), ("0.4", 0, "uint16"), ("0.4", 6, "uint64"), ("0.4", 1, "int32"),
    ("none", 1, "uint16"), ("none", 0, "uint32"),
])
def test_values(voxcc, tmp_path, ngff, compress, dtype):
    path, data = volume(tmp_path, blobs(SHAPE, 0.3, 4) if dtype == "uint8" else None)
    store = tmp_path / "out.zarr"
    voxcc("label", path, "-o", store, "--ngff", ngff, "--compress", compress, "--dtype", dtype, "--json", tmp_path / "out.json")
    expected = label_scipy(data, 26)
    zarr_format = 2 if ngff == "0.4" else 3
    array = zarr.open_array(first_array(store, ngff), mode="r")
    assert array.dtype == dtype and array.metadata.zarr_format == zarr_format and array.shape == SHAPE
    np.testing.assert_array_equal(array[:], expected)
    np.testing.assert_array_equal(by_tensorstore(first_array(store, ngff), zarr_format), expected)
    voxcc("label", path, "-o", tmp_path / "out.npy")
    voxcc("compare", "--exact", store, tmp_path / "out.npy")
    assert "ok" in voxcc("verify", store).stdout
    assert "warnings" not in info(voxcc, store)
    files = sorted(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in contents(store).items())
    listing = "".join(sorted(files, key=lambda line: line[66:]))
    records = json.loads((tmp_path / "out.json").read_text())["outputs"]
    record = next(record for record in records if record["path"] == str(store))
    assert record["sha256"] == hashlib.sha256(listing.encode()).hexdigest()
    assert record["bytes"] == sum(len(data) for data in contents(store).values())


@pytest.mark.parametrize("shape", [(1, 40, 30), (1, 1100, 900), (2, 3, 4), (70, 5, 6), (65, 129, 257), (1, 1, 1)])
@pytest.mark.parametrize("ngff", ["0.4", "0.5"])
def test_shapes(voxcc, tmp_path, shape, ngff):
    path, data = volume(tmp_path, noise(shape, 0.5, 1))
    voxcc("label", path, "-o", tmp_path / "out.ome.zarr", "--ngff", ngff, "-c", "8" if shape[0] == 1 else "26")
    array = zarr.open_array(tmp_path / "out.ome.zarr/0", mode="r")
    expected = label_scipy(data[0], 8) if shape[0] == 1 else label_scipy(data, 26)
    np.testing.assert_array_equal(array[:], expected)
    assert info(voxcc, tmp_path / "out.ome.zarr")["shape"] == info(voxcc, path)["shape"]


@pytest.mark.parametrize("ngff", ["0.4", "0.5"])
@pytest.mark.parametrize("option", ["-o", "--mask-output", "--size-output", "--masked-output"])
def test_metadata(voxcc, tmp_path, ngff, option):
    """The readers of OME-Zarr accept the image, and find its place in the world."""
    affine = np.diag([0.5, 0.75, 2.0, 1.0])
    affine[:3, 3] = [10, -20, 30]
    path, data = volume(tmp_path, blobs((30, 300, 60), 0.3, 4), affine=affine)
    store = tmp_path / "cells.ome.zarr"
    voxcc("label", path, option, store, "--ngff", ngff)
    model = ome_zarr_models.open_ome_zarr(zarr.open_group(store, mode="r"), version=ngff)
    attributes = model.attributes if ngff == "0.4" else model.attributes.ome
    multiscales = attributes.multiscales[0]
    assert multiscales.name == "cells" and [axis.name for axis in multiscales.axes] == ["z", "y", "x"]
    assert {axis.unit for axis in multiscales.axes} == {"millimeter"}
    assert len(multiscales.datasets) == 2
    is_labels = option in ("-o", "--mask-output")
    stated = json.loads((store / (".zattrs" if ngff == "0.4" else "zarr.json")).read_text())
    assert ("image-label" in (stated if ngff == "0.4" else stated["attributes"]["ome"])) == is_labels
    levels = [[transform.model_dump() for transform in dataset.coordinateTransformations] for dataset in multiscales.datasets]
    assert levels[0][0]["scale"] == [2, 0.75, 0.5] and levels[0][1]["translation"] == [30, -20, 10]
    centre = np.array([2, 0.75, 0.5]) / 2 if is_labels else 0  # of the first block of two voxels; nearest takes its first voxel
    assert levels[1][0]["scale"] == [4, 1.5, 1] and levels[1][1]["translation"] == list(np.array([30, -20, 10]) + centre)
    nodes = list(ome_zarr.reader.Reader(ome_zarr.io.parse_url(str(store)))())
    assert [array.shape for array in nodes[0].data] == [(30, 300, 60), (15, 150, 30)]
    about = info(voxcc, store)
    assert about["spacing_mm"] == [0.5, 0.75, 2] and np.array(about["affine"])[:3, 3].tolist() == [10, -20, 30]


def reduced(data, method):
    """The next level: blocks of 2 x 2 x 2, which are smaller at the ends."""
    shape = tuple((n + 1) // 2 for n in data.shape)
    out = np.zeros(shape, data.dtype)
    for index in np.ndindex(shape):
        block = data[tuple(slice(2 * i, 2 * i + 2) for i in index)].ravel()
        if method == "nearest":
            out[index] = block[0]
            continue
        values, counts = np.unique(block, return_counts=True)
        best = values[counts == counts.max()]
        out[index] = min(best, key=lambda value: (value == 0, value))
    return out


@pytest.mark.parametrize("method", ["mode", "nearest", "none"])
@pytest.mark.parametrize("ngff", ["0.4", "0.5"])
def test_pyramid(voxcc, tmp_path, method, ngff):
    path, data = volume(tmp_path, noise((11, 259, 9), 0.6, 1), "in.nii")
    store = tmp_path / "out.zarr"
    voxcc("label", path, "-c", "6", "-o", store, "--pyramid", method, "--ngff", ngff, "-t", "3")
    levels = [zarr.open_array(store / level["path"].strip("/"), mode="r")[:] for level in info(voxcc, store)["levels"]]
    assert len(levels) == (1 if method == "none" else 2)
    np.testing.assert_array_equal(levels[0], label_scipy(data, 6))
    if method != "none":
        np.testing.assert_array_equal(levels[1], reduced(levels[0], method))


@pytest.mark.parametrize("ngff", ["0.4", "0.5"])
def test_bytes_do_not_depend_on_the_run(voxcc, tmp_path, ngff):
    """Threads, slabs and the order of the blocks do not change a byte."""
    path = tmp_path / "in.nii"
    voxcc("generate", "blobs", "--shape", "256,256,300", "-o", path)
    stores = []
    slabs = ("-t", "1", "--max-memory", "48MB")
    assert json.loads(voxcc("label", path, "-o", tmp_path / "x.zarr", *slabs, "--dry-run").stdout)["volumes"][0]["slabs"] > 1
    for number, way in enumerate([("-t", "1"), ("-t", "4"), slabs]):
        store = tmp_path / f"{number}" / "out.ome.zarr"
        voxcc("label", path, "-o", store, "--mkdir", "--ngff", ngff, *way)
        stores.append(contents(store))
    assert stores[0] == stores[1] == stores[2]
    assert len(stores[0]) > 10


@pytest.mark.parametrize("name, ngff", [("a.ome.zarr.zip", "0.5"), ("a.ozx", "0.5"), ("a.zarr.zip", "0.4"), ("a.zarr.zip", "none")])
def test_archives(voxcc, tmp_path, name, ngff):
    """Members are stored without compression, and the directory lists metadata first."""
    path, data = volume(tmp_path, noise((40, 300, 70), 0.3, 3))
    store = tmp_path / name
    voxcc("label", path, "-o", store, "--ngff", ngff, "-t", "4")
    voxcc("label", path, "-o", tmp_path / "folder.zarr", "--ngff", ngff)
    with zipfile.ZipFile(store) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert {member.compress_type for member in archive.infolist()} == {zipfile.ZIP_STORED}
        is_metadata = [member.rsplit("/")[-1].startswith((".z", "zarr.json")) for member in names]
        assert is_metadata == sorted(is_metadata, reverse=True) and names[0] in ("zarr.json", ".zgroup")
        folder = contents(tmp_path / "folder.zarr")
        assert names and set(names) == set(folder)
        stem = f'"name": "{name.split(".")[0]}"'.encode()
        assert all(archive.read(member).replace(stem, b'"name": "folder"') == folder[member] for member in names)
        comment = {"ome": {"version": "0.5", "zipFile": {"centralDirectory": {"jsonFirst": True}}}}
        assert archive.comment == (json.dumps(comment, separators=(",", ":")).encode() if ngff == "0.5" else b"")
    array = zarr.open_array(zarr.storage.ZipStore(store, mode="r"), path="" if ngff == "none" else "0", mode="r")
    np.testing.assert_array_equal(array[:], label_scipy(data, 26))
    voxcc("compare", "--exact", store, tmp_path / "folder.zarr")
    voxcc("verify", store)
    before = store.read_bytes()
    assert "exists" in voxcc.fails(73, "label", path, "-o", store)
    voxcc("label", path, "-o", store, "--ngff", ngff, "-t", "1", "-f")
    assert store.read_bytes() == before


def test_empty_chunks_are_absent(voxcc, tmp_path):
    data = np.zeros((130, 40, 40), np.uint8)
    data[3, 5, 6] = data[129, 0, 0] = 1
    path, _ = volume(tmp_path, data)
    store = tmp_path / "out.ome.zarr"
    voxcc("label", path, "-o", store)
    assert sorted(p.name for p in (store / "0/c").iterdir()) == ["0", "2"]
    about = info(voxcc, store)
    assert about["chunks"]["missing"] == 1 and "warnings" not in about
    voxcc("label", store, "--missing-chunks", "error", "--stats", "-")  # a chunk that was not written is not missing
    (store / "0/c/0/0/0").unlink()
    for command in ("verify", "info", "label"):
        assert "1 of the 2 shards that were written are missing" in voxcc.fails(65, command, store)
    empty, _ = volume(tmp_path, np.zeros((3, 4, 5), np.uint8), "empty.nii")
    voxcc("label", empty, "-o", tmp_path / "empty.zarr")
    assert not (tmp_path / "empty.zarr/0/c").exists()
    assert not zarr.open_array(tmp_path / "empty.zarr/0", mode="r")[:].any()
    voxcc("verify", tmp_path / "empty.zarr")


def test_missing_chunks(voxcc, tmp_path):
    data = np.zeros((8, 16, 16), np.uint8)
    data[:2, :8, :8] = 1
    zarr.create_array(tmp_path / "a.zarr", shape=data.shape, dtype="u1", chunks=(2, 8, 8))[:] = data
    assert "15 of 16 chunks are not stored" in voxcc("label", tmp_path / "a.zarr", "--missing-chunks", "fill").stderr
    for command in (("label",), ("info",), ("stats", "-o", "-"), ("verify",)):
        assert "15 of 16 chunks are not stored" in voxcc.fails(65, command[0], tmp_path / "a.zarr", *command[1:], "--missing-chunks", "error")


def test_generate_and_other_volumes(voxcc, tmp_path):
    voxcc("generate", "blobs", "--size", "90", "-o", tmp_path / "in.zarr")
    voxcc("generate", "blobs", "--size", "90", "-o", tmp_path / "in.nii")
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "in.zarr/0", mode="r")[:], read_nifti(tmp_path / "in.nii"))
    options = [f"--{name}-output" for name in ("masked", "size", "mask")]
    for extension in ("zarr", "npy"):
        outputs = [text for option in options for text in (option, f"{tmp_path}/{option[2:-7]}.{extension}")]
        voxcc("label", tmp_path / "in.zarr", "-o", tmp_path / f"labels.{extension}", *outputs, "-c", "6")
    for name in ("labels", *(option[2:-7] for option in options)):
        expected = np.load(tmp_path / f"{name}.npy")
        array = zarr.open_array(tmp_path / f"{name}.zarr/0", mode="r")
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array[:], expected)


def test_floats(voxcc, tmp_path):
    data = (np.random.default_rng(1).random((20, 30, 40)) - 0.5).astype(np.float32)
    path, _ = volume(tmp_path, data)
    voxcc("label", path, "--threshold", ">0.2", "--masked-output", tmp_path / "a.zarr", "--pyramid", "none", "--ngff", "0.4")
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "a.zarr/0", mode="r")[:], np.where(data > 0.2, data, 0))


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_labels_in_an_image(voxcc, tmp_path, version):
    image = tmp_path / "image.ome.zarr"
    data, multiscales = image_of(image, version)
    before = contents(image)
    voxcc("label", f"{image}[c=1]", "-o", image / "labels/cells")
    after = contents(image)
    assert {name: after[name] for name in before} == before
    labels = image / "labels/cells"
    assert attributes_of(image / "labels", version)["labels"] == ["cells"]
    own = attributes_of(labels, version)
    assert own["image-label"]["source"] == {"image": "../../"}
    assert "colors" not in own["image-label"]  # napari shows labels that such a list leaves out as transparent
    assert own["multiscales"][0]["axes"] == multiscales["axes"]
    assert own["multiscales"][0]["datasets"] == multiscales["datasets"]
    first, second = (zarr.open_array(labels / f"s{level}", mode="r") for level in (0, 1))
    assert first.shape == (1, 1, 40, 60, 50) and second.shape == (1, 1, 40, 30, 25)
    np.testing.assert_array_equal(first[0, 0], label_scipy(data, 26))
    assert set(np.unique(second[:])) <= set(np.unique(first[:]))
    blocks = first[0, 0].reshape(40, 30, 2, 25, 2)
    assert all(np.isin(second[0, 0], blocks[:, :, j, :, i]).any() for j in (0, 1) for i in (0, 1))
    group = zarr.open_group(image, mode="r")
    ome_zarr_models.open_ome_zarr(zarr.open_group(labels, mode="r"), version=version)
    module = ome_zarr_models.v04 if version == "0.4" else ome_zarr_models.v05
    module.Image.from_zarr(group)
    names = module.Image.from_zarr(group).labels.attributes
    assert (names if version == "0.4" else names.ome).labels == ["cells"]
    nodes = list(ome_zarr.reader.Reader(ome_zarr.io.parse_url(str(image)))())
    assert any(node.metadata.get("name") == "cells" or "cells" in str(node.zarr) for node in nodes)
    np.testing.assert_array_equal(
        np.array(voxcc("stats", labels, "-o", "-").stdout.splitlines()[1:]).size, label_scipy(data, 26).max())
    # A second label image, and the first one again.
    voxcc("label", f"{image}[c=0]", "-o", f"{image}/labels/big ones", "--min-size", "20")
    assert attributes_of(image / "labels", version)["labels"] == ["cells", "big ones"]
    assert "exists" in voxcc.fails(73, "label", f"{image}[c=0]", "-o", labels)
    voxcc("label", f"{image}[c=0]", "-o", labels, "-f", "-c", "6")
    assert attributes_of(image / "labels", version)["labels"] == ["cells", "big ones"]
    np.testing.assert_array_equal(zarr.open_array(labels / "s0", mode="r")[0, 0], label_scipy(data, 6))
    assert not [path for path in image.rglob(".*") if path.name not in (".zattrs", ".zgroup", ".zarray")]


def test_labels_that_do_not_fit(voxcc, tmp_path):
    image = tmp_path / "image.ome.zarr"
    image_of(image, "0.5")
    other, _ = volume(tmp_path, noise((5, 6, 7), 0.5))
    before = contents(tmp_path)
    target = image / "labels/cells"
    assert "has 7 x 6 x 5 voxels, but the image" in voxcc.fails(73, "label", other, "-o", target)
    assert "0.5" in voxcc.fails(64, "label", f"{image}[c=0]", "-o", target, "--ngff", "0.4")
    assert "levels" in voxcc.fails(64, "label", f"{image}[c=0]", "-o", target, "--pyramid", "none")
    voxcc.fails(64, "label", f"{image}[c=0]", "-o", target, "--ngff", "none")
    voxcc.fails(73, "label", other, "-o", tmp_path / "missing.zarr/labels/cells")
    voxcc.fails(73, "label", other, "-o", image / "new.zarr")
    voxcc.fails(73, "label", f"{image}[c=0]", "-o", image, "-f")
    voxcc.fails(73, "label", f"{image}[c=0]", "-o", image / "labels/..", "-f")
    assert contents(tmp_path) == before and not (image / "labels").exists()
    plain = tmp_path / "plain.zarr"
    zarr.create_array(plain, shape=(5, 6, 7), dtype="u1", chunks=(5, 6, 7))
    assert "is not an OME-Zarr image" in voxcc.fails(73, "label", other, "-o", plain / "labels/cells")


def test_labels_by_several_processes(voxcc, tmp_path):
    """The list has all names, although the processes end at the same time."""
    import concurrent.futures

    image = tmp_path / "image.ome.zarr"
    image_of(image, "0.5")
    names = [f"n{number}" for number in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: voxcc("label", f"{image}[c=0]", "-o", image / "labels" / name, "-t", "1"), names))
    assert sorted(attributes_of(image / "labels", "0.5")["labels"]) == names


def test_order_of_labels_equals_scipy(voxcc, tmp_path):
    image = tmp_path / "a.zarr"
    data = noise((30, 40, 50), 0.4, 2)
    zarr.create_array(image, shape=data.shape, dtype="u1", chunks=(8, 16, 16), dimension_names=["x", "y", "z"])[:] = data
    voxcc("label", image, "-o", tmp_path / "out.zarr")
    array = zarr.open_array(tmp_path / "out.zarr/0", mode="r")
    np.testing.assert_array_equal(array[:], scipy.ndimage.label(data, np.ones((3, 3, 3)))[0])
    assert array.metadata.dimension_names == ("x", "y", "z")
