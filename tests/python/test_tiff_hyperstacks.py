"""Hyperstacks of ImageJ and stacks of OME and tifffile: order of channels, slices and time points, compared with tifffile."""

import json

import numpy as np
import pytest
import tifffile
from helpers import spacing_in_mm
from tiff_files import LONG, RGB, SHORT, page_tags, tiff_file, voxels

SHAPE = (2, 3, 4, 11, 14)  # T, Z, C, Y, X


def stack(dtype=np.uint16, shape=SHAPE):
    return np.random.default_rng(1).integers(0, 200, shape).astype(dtype)


def check_volumes(voxcc, folder, path, expected):
    """expected: [T, Z, C, Y, X]"""
    for t in range(expected.shape[0]):
        for c in range(expected.shape[2]):
            np.testing.assert_array_equal(voxels(voxcc, folder, f"{path}[c={c},t={t}]"), expected[t, :, c].squeeze())


def description(array, more=""):
    t, z, c = array.shape[:3]
    return f"ImageJ=1.54f\nimages={t * z * c}\nchannels={c}\nslices={z}\nframes={t}\nhyperstack=true\nmode=composite\n{more}\0".encode()


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("dtype", (np.uint8, np.uint16, np.float32))
def test_hyperstacks_of_imagej(voxcc, tmp_path, dtype, order):
    array = stack(dtype)
    path = tmp_path / "in.tif"
    tifffile.imwrite(path, array, imagej=True, byteorder=order, metadata={"axes": "TZCYX", "unit": "um", "spacing": 2.0}, resolution=(2, 2))
    check_volumes(voxcc, tmp_path, path, array)
    error = voxcc.fails(64, "label", path, "-o", tmp_path / "out.nii")
    assert ("holds 8 volumes: 4 channels (C), 2 time points (T), chosen as in [c=0,t=0], in the order N = t * 4 + c; choose one with --volume 0..7") in error
    info = json.loads(voxcc("info", path, "--no-range", "--json").stdout)
    assert list(info["axes"].items()) == [("C", 4), ("Z", 3), ("T", 2)] and info["volumes"] == 8
    np.testing.assert_allclose(spacing_in_mm(info), (0.0005, 0.0005, 0.002))


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("dtype", ("u1", "u2", "f4"))
def test_hyperstacks_with_one_directory(voxcc, tmp_path, dtype, order):
    """ImageJ stores stacks above 4 GB so. All pages follow the first one."""
    array = stack(np.dtype(dtype).newbyteorder(order))
    tags = page_tags(SHAPE[-2:], array.itemsize * 8, more={270: (2, description(array)), 279: (LONG, [array[0, 0, 0].nbytes]),
                                                           339: (SHORT, [3 if dtype == "f4" else 1])})
    content = tiff_file([(tags, [array.tobytes()])], order)
    (tmp_path / "in.tif").write_bytes(content)
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "in.tif"), array)
    check_volumes(voxcc, tmp_path, tmp_path / "in.tif", array)
    tags = page_tags(SHAPE[-2:], array.itemsize * 8, more=tags | {270: (2, description(array).replace(b"slices=3", b"slices=4").replace(b"images=24", b"images=32"))})
    (tmp_path / "in.tif").write_bytes(tiff_file([(tags, [array.tobytes()])], order))
    voxcc.fails(65, "label", f"{tmp_path / 'in.tif'}[0]", "-o", tmp_path / "out.nii")


def test_a_hyperstack_of_5_gigabytes_with_one_directory(voxcc, tmp_path):
    """A sparse file: 2 time points, 4 slices, 40 channels of 4096 x 4096 voxels."""
    edge, start, shape = 4096, 4096, (2, 4, 40)
    text = description(np.empty((*shape, 0)))
    tags = page_tags((edge, edge), 8, more={270: (2, text), 273: (LONG, [start]), 279: (LONG, [edge * edge])})
    path = tmp_path / "in.tif"
    with open(path, "wb") as file:
        file.write(tiff_file([(tags, [])]))
        assert file.tell() < start
        for t, z, c, value in ((1, 3, 39, 7), (1, 0, 39, 5), (1, 3, 38, 9), (0, 3, 39, 2)):
            file.seek(start + ((t * 4 + z) * 40 + c) * edge * edge + 17 * edge + 23)
            file.write(bytes([value]))
        file.truncate(start + 320 * edge * edge)
    assert path.stat().st_size > 5 << 30
    table = voxcc("label", f"{path}[c=39,t=1]", "--multilabel", "--stats", "-").stdout.splitlines()
    names = table[0].split(",")
    rows = [dict(zip(names, line.split(","))) for line in table[1:]]
    assert [(row["source_label"], row["centroid_i"], row["centroid_j"], row["centroid_k"]) for row in rows] == [("5", "23", "17", "0"), ("7", "23", "17", "3")]
    path.unlink()


def test_colours_in_hyperstacks(voxcc, tmp_path):
    """The samples of a pixel are the axis C, or S beside channels of pages."""
    array = stack(np.uint8, (2, 3, 11, 14, 3))  # T, Z, Y, X, S
    tifffile.imwrite(tmp_path / "in.tif", array, imagej=True, metadata={"axes": "TZYXS"}, photometric="rgb")
    assert "axes         C 3  Z 3  T 2\n" in voxcc("info", tmp_path / "in.tif", "--no-range").stdout
    check_volumes(voxcc, tmp_path, tmp_path / "in.tif", np.moveaxis(array, -1, 2))
    array = stack(np.uint8, (2, 3, 4, 11, 14, 3))  # T, Z, C, Y, X, S
    tifffile.imwrite(tmp_path / "in.tif", array, imagej=True, metadata={"axes": "TZCYXS"}, photometric="rgb")
    assert "axes         S 3  C 4  Z 3  T 2\n" in voxcc("info", tmp_path / "in.tif", "--no-range").stdout
    for s, c, t in ((0, 0, 0), (2, 1, 0), (1, 3, 1)):
        np.testing.assert_array_equal(voxels(voxcc, tmp_path, f"{tmp_path / 'in.tif'}[s={s},c={c},t={t}]"), array[t, :, c, ..., s])
    assert "3 samples (S), 4 channels (C), 2 time points (T)" in voxcc.fails(64, "label", tmp_path / "in.tif")


@pytest.mark.parametrize("planar", ("contig", "separate"))
@pytest.mark.parametrize("kind", ("ome", "shaped"))
def test_colours_in_ome_and_tifffile(voxcc, tmp_path, kind, planar):
    array = stack(np.uint8, (2, 3, 11, 14, 3))  # T, Z, Y, X, S
    stored, axes = (array, "TZYXS") if planar == "contig" else (np.ascontiguousarray(np.moveaxis(array, -1, 2)), "TZSYX")
    path = tmp_path / ("in.ome.tif" if kind == "ome" else "in.tif")
    tifffile.imwrite(path, stored, ome=kind == "ome", metadata={"axes": axes}, photometric="rgb", planarconfig=planar)
    check_volumes(voxcc, tmp_path, path, np.moveaxis(array, -1, 2))
    assert "axes         C 3  Z 3  T 2\n" in voxcc("info", path, "--no-range").stdout


def test_one_directory_with_colours(voxcc, tmp_path):
    array = stack(np.uint8, (5, 11, 14, 3))
    text = b"ImageJ=1.54f\nimages=5\nslices=5\n\0"
    tags = page_tags((11, 14), 8, samples=3, photometric=RGB, more={270: (2, text), 279: (LONG, [array[0].nbytes])})
    (tmp_path / "in.tif").write_bytes(tiff_file([(tags, [array.tobytes()])]))
    for c in range(3):
        np.testing.assert_array_equal(voxels(voxcc, tmp_path, f"{tmp_path / 'in.tif'}[c={c}]"), array[..., c])


@pytest.mark.parametrize("lines", ("images=24\nchannels=0\nslices=3\nframes=2", "images=24\nchannels=-4\nslices=-3\nframes=2", "images=24\nchannels=5\nslices=3\nframes=2",
                                   "images=48\nchannels=4\nslices=6\nframes=2", "images=9999999999999999999999\nchannels=4\nslices=3\nframes=2",
                                   "images=24\nchannels=4611686018427387904\nslices=4\nframes=2", "images=12\nchannels=2\nslices=3\nframes=2"))
def test_contradictory_hyperstacks(voxcc, tmp_path, lines):
    array = stack(np.uint8).reshape(24, 11, 14)
    tifffile.imwrite(tmp_path / "in.tif", array, description=f"ImageJ=1.54f\n{lines}\n", metadata=None, photometric="minisblack")
    voxcc.fails(65, "label", f"{tmp_path / 'in.tif'}[0]", "-o", tmp_path / "out.nii")
    assert not (tmp_path / "out.nii").exists()
