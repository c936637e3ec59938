"""One anisotropic volume, labelled into every format and unit: the label volume must give the table of the input again."""

import nibabel
import numpy as np
import pytest
import tifffile
from helpers import blobs, columns, read_table

SIZE = (0.25, 0.5, 1.5)  # exact in float32
FORMATS = (".nii", ".nii.gz", ".tif", ".ome.tif", ".h5", ".nrrd", ".mha", ".mhd", ".ome.zarr", ".ome.zarr.zip", ".zarr", ".mgz")
WORDS = {"m": "m", "mm": "mm", "um": "µm", "nm": "nm", "angstrom": "Å", "cm": "cm", "inch": "in", "unknown": "reference frame"}
TABLE_UNITS = {"um": "um", "nm": "nm", "angstrom": "nm", "unknown": "unit"}  # of --units auto; else mm
CONVERTED = {".nii": ("m", "mm", "um"), ".nii.gz": ("m", "mm", "um"), ".mgz": ("mm",)}  # the units that these formats have


def write_input(path, unit):
    """An OME-TIFF with voxels of SIZE, or of no size."""
    sizes = {f"PhysicalSize{axis}": size for axis, size in zip("XYZ", SIZE)} | {f"PhysicalSize{axis}Unit": WORDS.get(unit) for axis in "XYZ"}
    tifffile.imwrite(path, blobs((5, 12, 17), 0.3, 1.0), metadata={"axes": "ZYX"} | (sizes if unit else {}), ome=True)
    return path


def tables_of(voxcc, folder, unit, extension, *options):
    """The table of labelling, and the table of the label volume."""
    source = write_input(folder / "in.ome.tif", unit)
    voxcc("label", source, "--shape", "-o", folder / f"labels{extension}", "--stats", folder / "a.csv", *options)
    voxcc("stats", folder / f"labels{extension}", "--shape", "-o", folder / "b.csv", *options)
    return [read_table(folder / name) for name in ("a.csv", "b.csv")]


@pytest.mark.parametrize("extension", FORMATS)
@pytest.mark.parametrize("unit", (*WORDS, None))
def test_the_table_is_read_back(voxcc, tmp_path, unit, extension):
    converts = unit is not None and unit != "unknown" and unit not in CONVERTED.get(extension, (unit,))
    states_nothing = extension == ".mgz" and unit in ("unknown", None)
    options = ("--units", "mm") if converts else ("--units", "voxel") if states_nothing else ()
    expected, found = tables_of(voxcc, tmp_path, unit, extension, *options)
    assert len(expected) > 3
    if not converts:
        assert found == expected
        shown = TABLE_UNITS.get(unit, "mm") if unit else "voxel"
        if not options:
            assert list(found[0])[2] == f"volume_{shown}3"
            size = np.prod(SIZE) * {"m": 1e9, "cm": 1e3, "inch": 25.4**3, "angstrom": 1e-3}.get(unit, 1) if unit else 1
            np.testing.assert_allclose(columns(found, f"volume_{shown}3"), columns(found, "voxels") * size, rtol=1e-12)
        return
    assert list(found[0]) == list(expected[0])
    largest = max(row["axis1_mm"] for row in expected)
    for row, wanted in zip(found, expected, strict=True):
        for name, value in row.items():
            assert value == pytest.approx(wanted[name], rel=1e-5, abs=1e-6 * largest), name


def test_other_libraries_read_the_units(voxcc, tmp_path):
    import h5py
    import nrrd
    import zarr

    source = write_input(tmp_path / "in.ome.tif", "um")
    for extension in FORMATS:
        voxcc("label", source, "-o", tmp_path / f"l{extension}")
    nifti = nibabel.load(tmp_path / "l.nii")
    assert nifti.header.get_xyzt_units()[0] == "micron" and np.allclose(nifti.header.get_zooms(), SIZE)
    header = nrrd.read_header(str(tmp_path / "l.nrrd"))
    assert header["units"] == ["um"] * 3 and np.allclose(header["spacings"], SIZE)
    assert b"DistanceUnits = um\nElementSpacing = 0.25 0.5 1.5\n" in (tmp_path / "l.mha").read_bytes()
    with tifffile.TiffFile(tmp_path / "l.tif") as file:
        assert file.imagej_metadata["unit"] == "micron" and file.imagej_metadata["spacing"] == 1.5
        assert file.pages[0].tags["XResolution"].value == (4, 1) and file.pages[0].tags["YResolution"].value == (2, 1)
    with h5py.File(tmp_path / "l.h5") as file:
        assert list(file["labels"].attrs["element_size_um"]) == list(SIZE[::-1]) and "unit" not in file["labels"].attrs
    image = zarr.open_group(tmp_path / "l.ome.zarr", mode="r").attrs["ome"]["multiscales"][0]
    assert [axis["unit"] for axis in image["axes"]] == ["micrometer"] * 3
    assert image["datasets"][0]["coordinateTransformations"][0]["scale"] == list(SIZE[::-1])
    assert np.allclose(nibabel.load(tmp_path / "l.mgz").header.get_zooms(), np.array(SIZE) / 1000)


@pytest.mark.parametrize("extension", (".nii", ".nii.gz"))
@pytest.mark.parametrize("unit, text", ((None, "no voxel size"), ("unknown", "unknown unit")))
def test_nifti_states_that_the_size_is_unknown(voxcc, tmp_path, unit, text, extension):
    voxcc("label", write_input(tmp_path / "in.ome.tif", unit), "-o", tmp_path / f"l{extension}")
    header = nibabel.load(tmp_path / f"l{extension}").header
    assert bytes(header["intent_name"]).rstrip(b"\0").decode() == text and header["intent_code"] == 1002 and header.get_xyzt_units()[0] == "unknown"
    assert bytes(header["descrip"]).decode().startswith("voxcc ")
    voxcc("label", tmp_path / f"l{extension}", "-o", tmp_path / f"again{extension}")
    assert bytes(nibabel.load(tmp_path / f"again{extension}").header["intent_name"]).rstrip(b"\0").decode() == text


def test_a_size_from_the_intensity_image(voxcc, tmp_path):
    """Masks of other programs have no size; the image beside them has one."""
    image = write_input(tmp_path / "image.ome.tif", "um")
    mask = tmp_path / "mask.tif"
    tifffile.imwrite(mask, (tifffile.imread(image) > 0).astype(np.uint8), photometric="minisblack", metadata=None)
    for option in ("--intensity", "--mask"):
        done = voxcc("label", mask, option, image, "--stats", tmp_path / "t.csv", "-o", tmp_path / "l.tif", "--min-size", "1um3", "-f")
        rows = read_table(tmp_path / "t.csv")
        np.testing.assert_allclose(columns(rows, "volume_um3"), columns(rows, "voxels") * np.prod(SIZE), rtol=1e-12)
        assert "note: " in done.stderr and "the size of" in done.stderr and "image.ome.tif" in done.stderr and "0.25 x 0.5 x 1.5 um" in done.stderr
        assert min(row["voxels"] for row in rows) * np.prod(SIZE) >= 1
    done = voxcc("stats", mask, "--intensity", image, "-o", tmp_path / "s.csv")
    assert list(read_table(tmp_path / "s.csv")[0])[2] == "volume_um3" and "image.ome.tif" in done.stderr
    voxcc("stats", tmp_path / "l.tif", "-o", tmp_path / "v.csv")
    assert list(read_table(tmp_path / "v.csv")[0])[2] == "volume_um3"


def test_without_a_size(voxcc, tmp_path):
    np.save(tmp_path / "a.npy", blobs((5, 12, 17)).astype(np.uint8))
    done = voxcc("label", tmp_path / "a.npy", "--stats", tmp_path / "t.csv")
    assert done.stderr.count("note: ") == 1 and "does not state the size of its voxels" in done.stderr and "--spacing" in done.stderr
    assert [row["volume_voxel3"] for row in read_table(tmp_path / "t.csv")] == [row["voxels"] for row in read_table(tmp_path / "t.csv")]
    for quiet in (("--units", "voxel"), ("--spacing", "1,1,1")):
        assert "note" not in voxcc("label", tmp_path / "a.npy", "--stats", tmp_path / "t.csv", "-f", *quiet).stderr
    assert "note" not in voxcc("label", tmp_path / "a.npy", "-o", tmp_path / "l.npy").stderr
    for unit in ("mm", "um", "nm"):
        for command in (("label", tmp_path / "a.npy", "--stats"), ("stats", tmp_path / "a.npy", "-o")):
            error = voxcc.fails(65, *command, tmp_path / f"{unit}.csv", "--units", unit)
            assert f"lengths in {unit} are not known" in error and "--spacing" in error and not (tmp_path / f"{unit}.csv").exists()
    for option in (("--min-size", "5um3"), ("--max-size", "1ml"), ("--fill-holes", "--max-hole", "2mm3")):
        assert "--spacing" in voxcc.fails(65, "label", tmp_path / "a.npy", "--stats", tmp_path / "u.csv", *option)
    error = voxcc.fails(65, "label", tmp_path / "a.npy", "--intensity", tmp_path / "a.npy", "--local-maxima", tmp_path / "u.csv", "--peak-distance", "3")
    assert "--spacing" in error and not (tmp_path / "u.csv").exists()


@pytest.mark.parametrize("text, unit", (("0.25,0.5,1.5um", "um"), ("0.25um,0.5um,1.5um", "um"), ("250nm,500nm,1500nm", "nm"), ("0.25,0.5,1.5", "mm"),
                                        ("0.25,0.5,1.5 µm", "um"), ("2.5,5,15angstrom", "nm"), ("0.025,0.05,0.15cm", "mm")))
def test_spacing_with_a_unit(voxcc, tmp_path, text, unit):
    np.save(tmp_path / "a.npy", blobs((5, 12, 17)).astype(np.uint8))
    voxcc("label", tmp_path / "a.npy", "--spacing", text, "--stats", tmp_path / "t.csv")
    rows = read_table(tmp_path / "t.csv")
    size = {"250nm,500nm,1500nm": 0.1875e9}.get(text, 0.1875)
    np.testing.assert_allclose(columns(rows, f"volume_{unit}3"), columns(rows, "voxels") * size, rtol=1e-12)


@pytest.mark.parametrize("text", ("1,2", "1,2,3,4", "1,2,0um", "1,2,3pixel", "1um,2,3", "1um,2um,3mm", "um", "1,2,nanum", "1,2,3um2", "0x1,2,3", "1,2,-3um"))
def test_wrong_spacings(voxcc, tmp_path, text):
    np.save(tmp_path / "a.npy", np.ones((3, 4, 5), np.uint8))
    error = voxcc.fails(64, "label", tmp_path / "a.npy", f"--spacing={text}", "--stats", "-")
    assert "0.26,0.26,0.29um" in error
