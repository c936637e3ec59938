"""TIFF outputs: the display range of ImageJ in every kind of volume, read by tifffile."""

import json
import shutil

import numpy as np
import pytest
import tifffile
from helpers import blobs, label_scipy, sha256, spacing_in_mm, streaming_limits, write_nifti

SPACING = np.diag([0.0003, 0.0004, 0.0005, 1])  # mm
VOLUMES = {"-o": "labels", "--masked-output": "values", "--size-output": "sizes", "--mask-output": "mask"}


def separate(components, shape=(40, 41, 60)):
    """A mask of isolated voxels."""
    mask = np.zeros(shape, np.uint8)
    mask[::2, ::2, ::2].flat[:components] = 1
    assert mask.sum() == components
    return mask


def imagej(path):
    with tifffile.TiffFile(path) as file:
        assert file.is_imagej and not file.is_ome
        assert file.pages[0].tags["Software"].value.startswith("voxcc ")
        assert file.pages[0].photometric == tifffile.PHOTOMETRIC.MINISBLACK
        return file.imagej_metadata


def display_range(path):
    metadata = imagej(path)
    return metadata.get("min"), metadata.get("max")


def outputs(folder, extension):
    return [text for option, name in VOLUMES.items() for text in (option, str(folder / name) + extension)]


def write_all(voxcc, folder, image, extension=".tif", *given):
    voxcc("label", image, *outputs(folder, extension), *given)


@pytest.mark.parametrize("components, dtype", ((1, "uint8"), (9, "uint8"), (255, "uint8"), (256, "uint16"), (12_000, "uint16")))
def test_labels_are_shown_between_0_and_the_largest(voxcc, tmp_path, components, dtype):
    mask = separate(components)
    write_nifti(tmp_path / "in.nii", mask, affine=SPACING)
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "out.tif")
    labels = tifffile.imread(tmp_path / "out.tif")
    assert labels.dtype == dtype and labels.max() == components
    np.testing.assert_array_equal(labels, label_scipy(mask, 26))
    metadata = imagej(tmp_path / "out.tif")
    assert (metadata["min"], metadata["max"]) == (0, components)
    assert (metadata["images"], metadata["slices"], metadata["unit"]) == (40, 40, "mm")
    assert metadata["spacing"] == pytest.approx(0.0005, rel=1e-6)


@pytest.mark.parametrize("dtype", ("uint32", "uint64"))
def test_wide_labels_stay_whole_numbers(voxcc, tmp_path, dtype):
    """ImageJ shows 32 bits as floats. The file has integers, because other programs need them."""
    write_nifti(tmp_path / "in.nii", separate(300))
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "out.tif", "--dtype", dtype)
    assert tifffile.imread(tmp_path / "out.tif").dtype == dtype and display_range(tmp_path / "out.tif") == (0, 300)


def test_a_million_labels(voxcc, tmp_path):
    mask = separate(1_000_000, (200, 200, 200))
    write_nifti(tmp_path / "in.nii", mask)
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "out.tif")
    assert display_range(tmp_path / "out.tif") == (0, 1_000_000)


def test_no_component_has_no_range(voxcc, tmp_path):
    """ImageJ ignores a range from 0 to 0."""
    write_nifti(tmp_path / "in.nii", np.zeros((3, 4, 5), np.uint8))
    for option, name in VOLUMES.items():
        voxcc("label", tmp_path / "in.nii", option, tmp_path / f"{name}.tif")
        assert display_range(tmp_path / f"{name}.tif") == ((0, 1) if name == "mask" else (None, None))


def test_images_of_one_slice(voxcc, tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", np.eye(20, 30, dtype=np.uint8)[:, ::2])
    write_all(voxcc, tmp_path, tmp_path / "in.tif")
    assert display_range(tmp_path / "labels.tif") == (0, tifffile.imread(tmp_path / "labels.tif").max())
    assert "slices" not in imagej(tmp_path / "labels.tif")


@pytest.mark.parametrize("dtype", ("uint8", "uint16", "int16", "int32", "uint32", "float32", "float64"))
def test_range_of_values_sizes_and_mask(voxcc, tmp_path, dtype):
    """The range contains 0, the background. ImageJ stores the pixel 0 of int16 images as 32768, also in the description."""
    kind = np.dtype(dtype)
    values = blobs((12, 13, 30), 0.3).astype(kind)
    values[values > 0] += np.random.default_rng(1).integers(0, 99, int((values > 0).sum())).astype(kind)
    if kind.kind in "if":
        values[values > 50] *= -1
    if kind.kind == "f":
        values += (values > 0) * kind.type(0.125)
        values[0, 0, 0] = np.nan
        values[11, 12, 29] = np.inf
    write_nifti(tmp_path / "in.nii", values)
    write_all(voxcc, tmp_path, tmp_path / "in.nii", ".tif", "--min-size", 2)
    written = tifffile.imread(tmp_path / "values.tif").astype(np.float64)
    finite = written[np.isfinite(written)]
    offset = 32768 if dtype == "int16" else 0
    assert display_range(tmp_path / "values.tif") == (min(0, finite.min()) + offset, finite.max() + offset) and finite.max() > 9
    assert display_range(tmp_path / "sizes.tif") == (0, tifffile.imread(tmp_path / "sizes.tif").max())
    assert display_range(tmp_path / "mask.tif") == (0, 1)
    assert display_range(tmp_path / "labels.tif") == (0, tifffile.imread(tmp_path / "labels.tif").max())


def test_int8_values_have_no_range(voxcc, tmp_path):
    """ImageJ reads int8 as uint8, so no range is right."""
    write_nifti(tmp_path / "in.nii", np.full((3, 4, 5), -7, np.int8))
    voxcc("label", tmp_path / "in.nii", "--masked-output", tmp_path / "values.tif")
    assert display_range(tmp_path / "values.tif") == (None, None)


def test_slices_have_the_range_of_the_volume(voxcc, tmp_path):
    """A viewer may open a slice alone; its labels then have the brightness of the other slices. The values are not known in advance."""
    write_nifti(tmp_path / "in.nii", separate(300, (4, 40, 60)))
    write_all(voxcc, tmp_path, tmp_path / "in.nii", "/")
    for name, wanted in {"labels": (0, 300), "values": (None, None), "sizes": (0, 1), "mask": (0, 1)}.items():
        files = sorted((tmp_path / name).iterdir())
        assert len(files) == 4 and {display_range(file) for file in files} == {wanted}


def test_generated_volumes_are_not_black(voxcc, tmp_path):
    voxcc("generate", "random", "--shape", "8,8,8", "-o", tmp_path / "out.tif", "-q")
    assert display_range(tmp_path / "out.tif") == (0, 1) and tifffile.imread(tmp_path / "out.tif").max() == 1


@pytest.mark.parametrize("extension", (".tif", ".ome.tif"))
def test_bytes_do_not_depend_on_slabs_and_threads(voxcc, tmp_path, extension):
    part = blobs((40, 64, 64), 0.3, 5.0) * np.random.default_rng(1).integers(1, 2000, (40, 64, 64)).astype(np.int16)
    write_nifti(tmp_path / "a.nii", np.tile(part, (12, 3, 2)))
    shutil.copy(tmp_path / "a.nii", tmp_path / "b.nii")
    large, small = streaming_limits(voxcc, ("label", "a.nii", *outputs(tmp_path, extension), "-t", "2"), tmp_path)
    ways = {"one": ("-t", "1"), "four": ("-t", "4"), "slabs": (*large, "-t", "2"), "thin_slabs": (*small, "-t", "2"),
            "jobs": ("-j", "2", tmp_path / "b.nii")}
    seen = {name: set() for name in VOLUMES.values()}
    for way, given in ways.items():
        (tmp_path / way).mkdir()
        write_all(voxcc, tmp_path / way, tmp_path / "a.nii", "_{stem}" + extension, *given)
        for name, hashes in seen.items():
            hashes |= {sha256(file) for file in (tmp_path / way).glob(f"{name}_*{extension}")}
    assert all(len(hashes) == 1 for hashes in seen.values()), seen


@pytest.mark.parametrize("given", ((), ("--dtype", "uint16"), ("-j", 2)), ids=("two passes", "one pass", "jobs"))
def test_frames_have_one_range(voxcc, tmp_path, given):
    """The range follows from all volumes. With --dtype, each volume is labelled once, so it is known only at the end."""
    values = np.stack([separate(components, (4, 40, 60)) for components in (7, 500, 0)])
    tifffile.imwrite(tmp_path / "in.tif", values, imagej=True, metadata={"axes": "TZYX"})
    voxcc("label", tmp_path / "in.tif", "--volume", "all", *outputs(tmp_path, ".tif"), *given)
    for name, most in {"labels": 500, "values": 1, "sizes": 1, "mask": 1}.items():
        metadata = imagej(tmp_path / f"{name}.tif")
        assert (metadata["min"], metadata["max"]) == (0, most)
        assert (metadata["images"], metadata["slices"], metadata["frames"], metadata["hyperstack"]) == (12, 4, 3, True)
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "labels.tif"), np.stack([label_scipy(volume, 26) for volume in values]))


@pytest.mark.parametrize("extension", (".tif", ".ome.tif"))
def test_each_volume_has_the_pages_of_its_own_file(voxcc, tmp_path, extension):
    """The same samples as files of single volumes, and the same in the volumes that voxcc reads back."""
    values = np.stack([separate(components, (4, 40, 60)) for components in (7, 500, 0, 260)])
    tifffile.imwrite(tmp_path / "in.tif", values, imagej=True, metadata={"axes": "TZYX", "unit": "um", "spacing": 2.0}, resolution=(4.0, 4.0))
    voxcc("label", tmp_path / "in.tif", "--volume", "all", *outputs(tmp_path, extension), "--dtype", "uint16")
    assert json.loads(voxcc("info", tmp_path / f"labels{extension}", "--json").stdout)["volumes"] == 4
    for volume in range(4):
        (tmp_path / str(volume)).mkdir()
        write_all(voxcc, tmp_path / str(volume), f"{tmp_path / 'in.tif'}[{volume}]", extension, "--dtype", "uint16")
        for name in VOLUMES.values():
            together, alone = tmp_path / (name + extension), tmp_path / str(volume) / (name + extension)
            np.testing.assert_array_equal(tifffile.imread(together)[volume], tifffile.imread(alone))
            voxcc("compare", f"{together}[{volume}]", alone, "--exact")
            found, wanted = (json.loads(voxcc("info", path, "--json").stdout) for path in (f"{together}[{volume}]", alone))
            assert (found["shape"], spacing_in_mm(found), found["stored_type"]) == (wanted["shape"], spacing_in_mm(wanted), wanted["stored_type"])
    assert "no volume 4" in voxcc.fails(64, "compare", f"{tmp_path / 'labels'}{extension}[4]", tmp_path / "in.tif")


@pytest.mark.parametrize("extension", (".tif", ".ome.tif"))
def test_series_that_cannot_be_written(voxcc, tmp_path, extension):
    """More pages than libtiff reads, a name that exists, the input, and labels beyond the type. Nothing is written."""
    np.save(tmp_path / "many.npy", np.zeros((2**20 + 1, 1, 1, 1), np.uint8))
    name = f"l{extension}"
    error = voxcc.fails(73, "label", "many.npy", "--volume", "all", "-o", name, "--dtype", "uint8", cwd=tmp_path)
    assert "1048577 pages are more than libtiff reads" in error
    values = np.stack([separate(components, (4, 40, 60)) for components in (7, 300)])
    tifffile.imwrite(tmp_path / f"in{extension}", values, photometric="minisblack", metadata={"axes": "TZYX"})
    before = sha256(tmp_path / f"in{extension}")
    common = ["label", f"in{extension}", "--volume", "all", "-o"]
    assert "do not fit into uint8" in voxcc.fails(65, *common, name, "--dtype", "uint8", cwd=tmp_path)
    assert "is an input" in voxcc.fails(73, *common, f"in{extension}", "-f", cwd=tmp_path)
    assert "holds one volume" in voxcc.fails(64, *common, "slices/", cwd=tmp_path)
    (tmp_path / name).write_text("mine")
    assert "--force" in voxcc.fails(73, *common, name, cwd=tmp_path)
    assert (tmp_path / name).read_text() == "mine" and sha256(tmp_path / f"in{extension}") == before
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([name, f"in{extension}", "many.npy"])


def test_a_damaged_page_of_a_later_volume(voxcc, tmp_path):
    values = np.random.default_rng(1).integers(0, 2, (3, 4, 40, 60)).astype(np.uint8)
    tifffile.imwrite(tmp_path / "in.tif", values, photometric="minisblack", metadata={"axes": "TZYX"}, compression="zlib")
    with tifffile.TiffFile(tmp_path / "in.tif") as file:
        begin = file.pages[9].dataoffsets[0]
    content = bytearray((tmp_path / "in.tif").read_bytes())
    content[begin + 20 : begin + 60] = bytes(40)
    (tmp_path / "in.tif").write_bytes(content)
    for given in ((), ("--dtype", "uint16"), ("-j", 3)):
        voxcc.fails(65, "label", tmp_path / "in.tif", "--volume", "all", *outputs(tmp_path, ".ome.tif"), *given)
        assert [file.name for file in tmp_path.iterdir()] == ["in.tif"]


def test_files_are_read_back(voxcc, tmp_path):
    mask = blobs((12, 13, 30), 0.2)
    write_nifti(tmp_path / "in.nii", mask, affine=SPACING)
    write_all(voxcc, tmp_path, tmp_path / "in.nii")
    for name in VOLUMES.values():
        info = json.loads(voxcc("info", tmp_path / f"{name}.tif", "--json").stdout)
        assert info["shape"] == [30, 13, 12] and spacing_in_mm(info) == pytest.approx([0.0003, 0.0004, 0.0005])
    voxcc("compare", "--exact", tmp_path / "labels.tif", tmp_path / "labels.tif")
    voxcc("verify", *(tmp_path / f"{name}.tif" for name in VOLUMES.values()))
