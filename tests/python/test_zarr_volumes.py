"""Several volumes in one Zarr: time points and channels as axes of the array, read by zarr, tensorstore, ome-zarr and ome-zarr-models."""

import json
import zipfile

import numpy as np
import ome_zarr.io
import ome_zarr.reader
import ome_zarr_models
import pytest
import tensorstore
import tifffile
import zarr
from helpers import label_scipy, noise, write_nifti
from zarr_images import contents, image_of

SHAPE = (9, 40, 30)  # z, y, x


def volumes(count, shape=SHAPE):
    """Volumes with different numbers of components; one is empty."""
    data = np.stack([noise(shape, density, 3, 100 + number) for number, density in enumerate(np.linspace(0.05, 0.4, count))])
    data[count // 2] = 0
    return data


def labels_of(data, axes):
    """The labels of each volume. @param axes the number of axes before the axes of a volume"""
    flat = data.reshape(-1, *data.shape[axes:])
    return np.stack([label_scipy(volume, 26 if volume.ndim == 3 else 8) for volume in flat]).reshape(data.shape)


def metadata(store, ngff):
    if ngff == "0.4":
        return json.loads((store / ".zattrs").read_text())
    return json.loads((store / "zarr.json").read_text())["attributes"]["ome"]


@pytest.mark.parametrize("ngff", ["0.4", "0.5", "none"])
def test_time_series_from_nifti(voxcc, tmp_path, ngff):
    data = volumes(5)
    path = write_nifti(tmp_path / "a.nii.gz", data, affine=np.diag([0.5, 0.5, 2, 1]))
    store = tmp_path / "out.ome.zarr"
    voxcc("label", path, "--volume", "all", "-o", store, "--ngff", ngff, "--stats", tmp_path / "out.csv")
    expected = labels_of(data, 1)
    array = zarr.open_array(store if ngff == "none" else store / "0", mode="r")
    assert array.shape == (5, *SHAPE) and array.chunks == (1, *SHAPE) and array.dtype == "uint8"
    np.testing.assert_array_equal(array[:], expected)
    driver = "zarr" if ngff == "0.4" else "zarr3"
    folder = store if ngff == "none" else store / "0"
    by_tensorstore = tensorstore.open({"driver": driver, "kvstore": {"driver": "file", "path": str(folder)}}).result().read().result()
    np.testing.assert_array_equal(by_tensorstore, expected)
    if ngff == "none":
        assert array.metadata.dimension_names == ("t", "z", "y", "x")
    else:
        model = ome_zarr_models.open_ome_zarr(zarr.open_group(store, mode="r"), version=ngff)
        multiscales = (model.attributes if ngff == "0.4" else model.attributes.ome).multiscales[0]
        assert [(axis.name, axis.type) for axis in multiscales.axes] == [("t", "time"), ("z", "space"), ("y", "space"), ("x", "space")]
        assert multiscales.datasets[0].coordinateTransformations[0].scale == [1, 2, 0.5, 0.5]
        nodes = list(ome_zarr.reader.Reader(ome_zarr.io.parse_url(str(store)))())
        np.testing.assert_array_equal(nodes[0].data[0].compute(), expected)
    about = json.loads(voxcc("info", "--json", store).stdout)
    assert about["volumes"] == 5 and "warnings" not in about
    voxcc("verify", store)
    for number in (0, 3):
        voxcc("label", path, "--volume", number, "-f", "-o", tmp_path / "one.npy")
        voxcc("compare", "--exact", f"{store}[t={number}]", tmp_path / "one.npy")


@pytest.mark.parametrize("axes, choice, names, order", [
    ("TCZYX", "", "tczyx", (0, 1)), ("CTZYX", "", "tczyx", (1, 0)), ("TCZYX", "[c=1,t=0..2]", "tzyx", (0,)),
    ("TCZYX", "[c=0..1,t=2]", "czyx", (1,)), ("TCZYX", "[2..4]", "tzyx", None), ("TCZYX", "[2..5]", "tczyx", (0, 1)),
])
def test_axes_of_tiff(voxcc, tmp_path, axes, choice, names, order):
    """The order of NGFF is time, then channels, whatever the order of the input is. All volumes have their place."""
    sizes = {"T": 3, "C": 2}
    data = volumes(6, (4, 20, 30)).reshape(*(sizes[axis] for axis in axes[:2]), 4, 20, 30)
    tifffile.imwrite(tmp_path / "a.ome.tif", data, ome=True, metadata={"axes": axes})
    store = tmp_path / "out.zarr"
    voxcc("label", f"{tmp_path}/a.ome.tif{choice}", *([] if choice else ["--volume", "all"]), "-o", store)
    expected = labels_of(data, 2)
    if choice == "[c=1,t=0..2]":
        expected = expected[:, 1]
    elif choice == "[c=0..1,t=2]":
        expected = expected[2]
    elif choice == "[2..4]":  # not all combinations of positions
        expected = expected.reshape(6, 4, 20, 30)[2:5]
    elif choice == "[2..5]":
        expected = expected[1:]
    elif order == (1, 0):
        expected = expected.swapaxes(0, 1)
    array = zarr.open_array(store / "0", mode="r")
    assert array.metadata.dimension_names == tuple(names)
    np.testing.assert_array_equal(array[:], expected)


def test_images(voxcc, tmp_path):
    """Two-dimensional images have the axes t, y and x, and levels."""
    data = volumes(3, (300, 520))
    zarr.create_array(tmp_path / "in.zarr", shape=data.shape, dtype="u1", chunks=(1, 100, 100), dimension_names=["t", "y", "x"])[:] = data
    for ngff in ("0.4", "0.5"):
        store = tmp_path / f"{ngff}.zarr"
        voxcc("label", tmp_path / "in.zarr", "--volume", "all", "-o", store, "--ngff", ngff, "--pyramid", "nearest")
        levels = [zarr.open_array(store / level["path"], mode="r")[:] for level in metadata(store, ngff)["multiscales"][0]["datasets"]]
        np.testing.assert_array_equal(levels[0], labels_of(data, 1))
        assert [level.shape for level in levels] == [(3, 300, 520), (3, 150, 260), (3, 75, 130)]
        for below, above in zip(levels[1:], levels):
            np.testing.assert_array_equal(below, above[:, ::2, ::2])


def test_all_contents(voxcc, tmp_path):
    data = volumes(4) * np.array([1, 3, 5, 7], np.uint8)[:, None, None, None]
    path = write_nifti(tmp_path / "a.nii", data)
    names = ("masked", "size", "mask")
    for extension in ("zarr", "npy"):
        options = [text for name in names for text in (f"--{name}-output", tmp_path / f"{name}.{extension}")]
        voxcc("label", path, "--volume", "all", "-o", tmp_path / f"labels.{extension}", *options, "-c", "6")
    for name in ("labels", *names):
        expected = np.load(tmp_path / f"{name}.npy")
        array = zarr.open_array(tmp_path / f"{name}.zarr/0", mode="r")
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array[:], expected.T)


@pytest.mark.parametrize("name, ngff", [("a.ome.zarr", "0.4"), ("a.ome.zarr", "0.5"), ("a.zarr.zip", "0.5"), ("a.zarr.zip", "0.4")])
def test_bytes_do_not_depend_on_the_run(voxcc, tmp_path, name, ngff):
    """Volumes that are labelled at the same time, threads and slabs do not change a byte."""
    data = volumes(6, (66, 40, 130))
    path = write_nifti(tmp_path / "in.nii", data)
    ways = [("-j", "1", "-t", "1"), ("-j", "4"), ("-t", "3"), ("-j", "2", "-t", "2"), ("-j", "3", "--dtype", "uint32")]
    stores = []
    for number, way in enumerate([*ways, ("-t", "1", "--dtype", "uint32")]):
        store = tmp_path / f"{number}" / name
        voxcc("label", path, "--volume", "all", "-o", store, "--mkdir", "--ngff", ngff, *way)
        stores.append(store.read_bytes() if store.is_file() else contents(store))
    assert stores[0] == stores[1] == stores[2] == stores[3] and stores[4] == stores[5] != stores[0]
    if name.endswith("zip"):
        with zipfile.ZipFile(store) as archive:
            assert archive.testzip() is None
        array = zarr.open_array(zarr.storage.ZipStore(store, mode="r"), path="0", mode="r")
    else:
        array = zarr.open_array(store / "0", mode="r")
    np.testing.assert_array_equal(array[:], labels_of(data, 1))


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_labels_of_all_volumes_of_an_image(voxcc, tmp_path, version):
    image = tmp_path / "image.ome.zarr"
    image_of(image, version, shape=(3, 2, 12, 40, 30))
    data = volumes(6, (12, 40, 30)).reshape(3, 2, 12, 40, 30)
    zarr.open_array(image / "s0", mode="r+")[:] = data
    expected = labels_of(data, 2)
    voxcc("label", image, "--volume", "all", "-o", image / "labels/all")
    voxcc("label", f"{image}[c=1,t=0..2]", "-o", image / "labels/times")
    voxcc("label", f"{image}[c=0..1,t=0]", "-o", image / "labels/channels")
    voxcc("label", f"{image}[c=1,t=2]", "-o", image / "labels/one")
    for name, wanted in (("all", expected), ("times", expected[:, 1:]), ("channels", expected[:1]), ("one", expected[2:, 1:])):
        array = zarr.open_array(image / "labels" / name / "s0", mode="r")
        assert array.shape == wanted.shape
        np.testing.assert_array_equal(array[:], wanted)
        assert zarr.open_array(image / "labels" / name / "s1", mode="r").shape == (*wanted.shape[:3], 20, 15)
        ome_zarr_models.open_ome_zarr(zarr.open_group(image / "labels" / name, mode="r"), version=version)
    series = write_nifti(tmp_path / "a.nii", data[:, 1])
    voxcc("label", series, "--volume", "all", "-o", image / "labels/nifti")
    np.testing.assert_array_equal(zarr.open_array(image / "labels/nifti/s0", mode="r")[:], expected[:, 1:])
    before = contents(image)
    two = write_nifti(tmp_path / "b.nii", data[0])
    for choice in (f"{image}[0..2]", f"{image}[c=1,t=0..1]", f"{image}[1..2]", f"{two}[0..1]"):
        assert "not all positions along axes of the image" in voxcc.fails(73, "label", choice, "-o", image / "labels/x")
    assert contents(image) == before
