"""OME-TIFF outputs: the XML against the schema of OME, and read by ome-types and tifffile."""

import json
import sys

import numpy as np
import ome_types
import pytest
import tifffile
import zarr
from helpers import blobs, label_scipy, noise, write_nifti

SPACING = np.diag([0.0003, 0.0004, 0.0005, 1])  # mm
OPTIONS = {"labels": "-o", "values": "--masked-output", "sizes": "--size-output", "mask": "--mask-output"}


def pixels_of(path):
    """The only image of a file, whose XML must fit the schema."""
    with tifffile.TiffFile(path) as file:
        assert file.is_ome and not file.is_imagej
        assert file.pages[0].tags["Software"].value == ome_types.from_xml(file.ome_metadata).creator
        ome_types.validate_xml(file.ome_metadata)
        assert file.ome_metadata.isascii()
    (image,) = ome_types.from_tiff(path, validate=True).images
    assert image.pixels.big_endian == (sys.byteorder == "big")
    return image


def sizes_of(pixels):
    return pixels.size_x, pixels.size_y, pixels.size_z, pixels.size_c, pixels.size_t


@pytest.mark.parametrize("name", ("out.ome.tif", "out.ome.tiff", "OUT.OME.TIF"))
@pytest.mark.parametrize("given, dtype", (((), "uint8"), (("--dtype", "uint16"), "uint16"), (("--dtype", "uint32", "--compress", 0), "uint32")))
def test_labels(voxcc, tmp_path, name, given, dtype):
    mask = blobs((12, 13, 30), 0.2)
    write_nifti(tmp_path / "in.nii", mask, affine=SPACING)
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / name, *given)
    image = pixels_of(tmp_path / name)
    pixels = image.pixels
    assert sizes_of(pixels) == (30, 13, 12, 1, 1)
    assert pixels.type.value == dtype
    assert [channel.name for channel in pixels.channels] == ["labels"] and image.name == "labels"
    assert [pixels.physical_size_x, pixels.physical_size_y, pixels.physical_size_z] == pytest.approx([0.0003, 0.0004, 0.0005], rel=1e-6)
    assert {pixels.physical_size_x_unit.value, pixels.physical_size_y_unit.value, pixels.physical_size_z_unit.value} == {"mm"}
    with tifffile.TiffFile(tmp_path / name) as file:
        (series,) = file.series
        assert series.kind == "ome" and series.axes == "ZYX"
        labels = series.asarray()
    assert labels.dtype == dtype
    np.testing.assert_array_equal(labels, label_scipy(mask, 26))


@pytest.mark.parametrize("dtype, ome", (("uint8", "uint8"), ("int8", "int8"), ("int16", "int16"), ("int32", "int32"), ("float32", "float"),
                                        ("float64", "double")))
def test_all_kinds_of_volumes(voxcc, tmp_path, dtype, ome):
    values = (noise((5, 6, 7), 0.3) * 100).astype(dtype)
    write_nifti(tmp_path / "in.nii", values)
    voxcc("label", tmp_path / "in.nii", *(text for kind, option in OPTIONS.items() for text in (option, tmp_path / f"{kind}.ome.tif")))
    for kind in OPTIONS:
        image = pixels_of(tmp_path / f"{kind}.ome.tif")
        assert image.name == kind and sizes_of(image.pixels) == (7, 6, 5, 1, 1)
        assert image.pixels.physical_size_x == 1 and image.pixels.physical_size_x_unit.value == "mm"
    assert pixels_of(tmp_path / "values.ome.tif").pixels.type.value == ome
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "values.ome.tif"), values)


def test_one_slice_without_spacing(voxcc, tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", noise((20, 30), 0.2))
    voxcc("label", tmp_path / "in.tif", "-o", tmp_path / "out.ome.tif")
    pixels = pixels_of(tmp_path / "out.ome.tif").pixels
    assert sizes_of(pixels) == (30, 20, 1, 1, 1) and pixels.physical_size_x is None


def test_numbered_slices(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", blobs((4, 13, 30), 0.2))
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "s%02d.ome.tif")
    assert [sizes_of(pixels_of(file).pixels) for file in sorted(tmp_path.glob("*.ome.tif"))] == [(30, 13, 1, 1, 1)] * 4


def test_types_that_ome_does_not_have(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", np.full((3, 4, 5), 2, np.int64))
    error = voxcc.fails(64, "label", tmp_path / "in.nii", "-o", tmp_path / "out.ome.tif", "--dtype", "uint64")
    assert "uint64" in error
    for dtype in ("int64", "uint64"):
        write_nifti(tmp_path / "in.nii", np.full((3, 4, 5), 2, dtype))
        error = voxcc.fails(64, "label", tmp_path / "in.nii", "--masked-output", tmp_path / "out.ome.tif")
        assert f"this format cannot hold values of type {dtype}" in error
    assert [path.name for path in tmp_path.iterdir()] == ["in.nii"]


def test_files_are_read_back(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", blobs((12, 13, 30), 0.2), affine=SPACING)
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "a.ome.tif")
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "b.tif")
    info = json.loads(voxcc("info", tmp_path / "a.ome.tif", "--json").stdout)
    assert info["shape"] == [30, 13, 12] and info["spacing_mm"] == pytest.approx([0.0003, 0.0004, 0.0005]) and info["unit"] == "mm"
    voxcc("compare", "--exact", tmp_path / "a.ome.tif", tmp_path / "b.tif")
    voxcc("verify", tmp_path / "a.ome.tif")


@pytest.mark.parametrize("axes, sizes, given, found", (("TCZYX", (3, 2), (), (2, 3)), ("CTZYX", (2, 3), (), (2, 3)), ("CZYX", (2,), (), (2, 1)),
                                                       ("TZYX", (3,), (), (1, 3)), ("TCZYX", (3, 2), "[c=1,t=0..2]", (1, 3))))
def test_channels_and_time_points_are_kept(voxcc, tmp_path, axes, sizes, given, found):
    """The order of the input is kept, too. A range has its volumes as time points. @param found SizeC and SizeT"""
    values = noise((*sizes, 4, 5, 6), 0.2)
    tifffile.imwrite(tmp_path / "in.ome.tif", values, photometric="minisblack", metadata={"axes": axes})
    voxcc("label", f"{tmp_path / 'in.ome.tif'}{given or ''}", *(() if given else ("--volume", "all")), "-o", tmp_path / "out.ome.tif")
    pixels = pixels_of(tmp_path / "out.ome.tif").pixels
    assert sizes_of(pixels) == (6, 5, 4, *found)
    assert [channel.name for channel in pixels.channels] == ["labels"] * found[0]
    volumes = (values[:, 1] if given else values).reshape(-1, 4, 5, 6)
    wanted = np.stack([label_scipy(volume, 26) for volume in volumes])
    with tifffile.TiffFile(tmp_path / "out.ome.tif") as file:
        assert file.series[0].axes == ("TZYX" if given else axes)
        np.testing.assert_array_equal(file.asarray().reshape(wanted.shape), wanted)


def test_channels_and_time_points_of_zarr(voxcc, tmp_path):
    values = noise((3, 2, 4, 5, 6), 0.2)
    axes = [{"name": name, "type": kind} for name, kind in (("t", "time"), ("c", "channel"), ("z", "space"), ("y", "space"), ("x", "space"))]
    group = zarr.open_group(tmp_path / "in.zarr", mode="w", zarr_format=2)
    group.create_array("0", data=values, chunks=(1, 1, 4, 5, 6))
    scale = [{"type": "scale", "scale": [1, 1, 2, 0.5, 0.5]}]
    group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": [{"path": "0", "coordinateTransformations": scale}]}]
    voxcc("label", tmp_path / "in.zarr", "--volume", "all", "-o", tmp_path / "out.ome.tif")
    assert sizes_of(pixels_of(tmp_path / "out.ome.tif").pixels) == (6, 5, 4, 2, 3)
    with tifffile.TiffFile(tmp_path / "out.ome.tif") as file:
        assert file.series[0].axes == "TCZYX"
        np.testing.assert_array_equal(file.asarray(), np.stack([[label_scipy(volume, 26) for volume in of] for of in values]))


@pytest.mark.parametrize("axes", ("TTZYX", "CCZYX", "QTZYX", "RCZYX"))
def test_axes_that_ome_does_not_have(voxcc, tmp_path, axes):
    """Axes that occur twice, or with other names: the volumes become time points, in the order of the file."""
    values = noise((2, 3, 4, 5, 6), 0.2)
    tifffile.imwrite(tmp_path / "in.tif", values, photometric="minisblack", metadata=None,
                     description=json.dumps({"shape": values.shape, "axes": axes}))
    voxcc("label", tmp_path / "in.tif", "--volume", "all", "-o", tmp_path / "out.ome.tif")
    assert sizes_of(pixels_of(tmp_path / "out.ome.tif").pixels) == (6, 5, 4, 1, 6)
    wanted = np.stack([label_scipy(volume, 26) for volume in values.reshape(6, 4, 5, 6)])
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "out.ome.tif"), wanted)


def test_colours_and_channels(voxcc, tmp_path):
    """Samples of pixels are channels; beside an axis C they are not, and all volumes become time points."""
    values = noise((2, 4, 5, 6, 3), 0.3) * np.uint8(200)
    for axes, found in (("TZYXS", (3, 2)), ("CZYXS", (1, 6))):
        tifffile.imwrite(tmp_path / "in.tif", values, photometric="rgb", metadata={"axes": axes})
        voxcc("label", tmp_path / "in.tif", "--volume", "all", "-o", tmp_path / "out.ome.tif", "-f")
        assert sizes_of(pixels_of(tmp_path / "out.ome.tif").pixels) == (6, 5, 4, *found)
        wanted = np.stack([label_scipy(values[volume, ..., sample], 26) for volume in range(2) for sample in range(3)])
        np.testing.assert_array_equal(tifffile.imread(tmp_path / "out.ome.tif").reshape(wanted.shape), wanted)


def test_the_stem_of_an_ome_tiff(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", blobs((4, 13, 30), 0.2))
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "a.ome.tif")
    voxcc("label", tmp_path / "a.ome.tif", "-o", tmp_path / "{stem}_labels.ome.tif")
    assert (tmp_path / "a_labels.ome.tif").is_file()
