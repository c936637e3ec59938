"""Folders of DICOM slices: which files are slices, and what is left out or refused."""

import os
import shutil

import numpy as np
import pytest
from dicom_files import AXIAL, dataset, enhanced, groups_of, info, save, series, set_pixels, slice_of, values
from pydicom.uid import (
    CTImageStorage,
    GrayscaleSoftcopyPresentationStateStorage,
    MediaStorageDirectoryStorage,
    RTPlanStorage,
    RTStructureSetStorage,
)

SHAPE = (6, 17, 20)


def volume(dtype="u2", most=4000):
    return np.random.default_rng(1).integers(0, most, SHAPE).astype(dtype)


@pytest.fixture
def folder(tmp_path):
    return series(tmp_path / "series", volume(), bits=12)


def last_slice(folder):
    """The slice at the end of the volume, whose absence no gap shows."""
    return folder / "038.dcm"


def test_slices_are_sorted(voxcc, folder, tmp_path):
    np.testing.assert_array_equal(values(voxcc, folder, tmp_path), volume())
    found = info(voxcc, folder)
    assert found["format"] == "DICOM series" and found["spacing_mm"] == [0.25, 0.5, 3] and "warnings" not in found
    np.testing.assert_allclose(found["affine"], [[-0.25, 0, 0, -10], [0, -0.5, 0, -20], [0, 0, 3, 0]])


WITHOUT_PIXELS = {
    "DICOMDIR": (MediaStorageDirectoryStorage, "directory of files, DICOMDIR"),
    "PR.dcm": (GrayscaleSoftcopyPresentationStateStorage, "presentation state"),
    "SR.dcm": ("1.2.840.10008.5.1.4.1.1.88.22", "structured report"),
    "KO.dcm": ("1.2.840.10008.5.1.4.1.1.88.59", "key object selection"),
    "RS.dcm": (RTStructureSetStorage, "RT structure set"),
    "RP.dcm": (RTPlanStorage, "RT plan"),
    "PDF.dcm": ("1.2.840.10008.5.1.4.1.1.104.1", "document or surface mesh"),
}


def test_objects_without_pixels_are_left_out(voxcc, folder, tmp_path):
    for name, (sop_class, kind) in WITHOUT_PIXELS.items():
        path = save(dataset(sop_class, SeriesInstanceUID="9.9", Modality="OT"), folder / name)
        assert f"holds no pixels: {kind}; give the file of an image" in voxcc.fails(65, "info", path)
    np.testing.assert_array_equal(values(voxcc, folder, tmp_path), volume())
    (warning,) = info(voxcc, folder)["warnings"]
    assert warning == ("objects without pixels are left out: DICOMDIR (directory of files, DICOMDIR), KO.dcm (key object selection), "
                       "PDF.dcm (document or surface mesh), PR.dcm (presentation state), RP.dcm (RT plan) and 2 others")
    done = voxcc("label", folder, "--stats", tmp_path / "t.csv")
    assert done.stderr.count("objects without pixels are left out") == 1
    for path in folder.glob("*.dcm"):
        if path.name not in WITHOUT_PIXELS:
            path.unlink()
    assert "holds no DICOM images, only DICOMDIR" in voxcc.fails(65, "info", folder)


@pytest.mark.parametrize("size", (0, 1, 127, 131, 132, 200, 700, -1))
def test_damaged_end_slice(voxcc, folder, size):
    """A file that is too short is an error, also at the end of the volume."""
    path = last_slice(folder)
    path.write_bytes(path.read_bytes()[:size])
    for command in ("info", "verify"):
        assert str(path) in voxcc.fails(65, command, folder)


def test_end_slice_without_pixels(voxcc, folder):
    """An image that ends before its pixels, between two elements, is not an object without pixels."""
    path = last_slice(folder)
    save(dataset(CTImageStorage), path)
    assert f"{path}: has no pixel data" in voxcc.fails(65, "info", folder)
    assert f"{path}: has no pixel data" in voxcc.fails(65, "info", path)


@pytest.mark.parametrize("content", (bytes(1000), b"DICX" * 300, b"\x89PNG\r\n\x1a\n" + bytes(500)))
def test_end_slice_that_is_not_dicom(voxcc, folder, content):
    last_slice(folder).write_bytes(content)
    assert f"{last_slice(folder)}: is not a DICOM file" in voxcc.fails(65, "info", folder)


def test_unreadable_end_slice(voxcc, folder):
    last_slice(folder).unlink()
    last_slice(folder).symlink_to("missing.dcm")
    assert str(last_slice(folder)) in voxcc.fails(66, "info", folder)
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    last_slice(folder).unlink()
    last_slice(folder).write_bytes(b"x")
    last_slice(folder).chmod(0)
    assert str(last_slice(folder)) in voxcc.fails(77, "info", folder)


def test_other_files_are_left_out(voxcc, folder, tmp_path):
    for name in (".DS_Store", "README.txt", "Thumbs.db", "labels.nii.gz", "table.CSV"):
        (folder / name).write_bytes(b"x" * 6000)
    (folder / "notes.txt").touch()
    (folder / "sub").mkdir()
    np.testing.assert_array_equal(values(voxcc, folder, tmp_path), volume())
    (warning,) = info(voxcc, folder)["warnings"]
    assert warning == "files that are not DICOM are left out: .DS_Store, README.txt, Thumbs.db, labels.nii.gz, notes.txt and 1 others"


def test_names_without_extension(voxcc, folder, tmp_path):
    """Digits after a point are not an extension, so a damaged file with such a name is an error."""
    for i, path in enumerate(sorted(folder.iterdir())):
        path.rename(folder / f"1.2.840.{i}")
    np.testing.assert_array_equal(values(voxcc, folder, tmp_path), volume())
    (folder / "1.2.840.77").write_bytes(b"x" * 500)
    assert "1.2.840.77: is not a DICOM file" in voxcc.fails(65, "info", folder)
    (folder / "1.2.840.77").rename(folder / "IM7")
    assert "IM7: is not a DICOM file" in voxcc.fails(65, "info", folder)
    (folder / "IM7").rename(folder / "IM7.txt")
    assert info(voxcc, folder)["warnings"] == ["files that are not DICOM are left out: IM7.txt"]


# ---- slices that are not alike

CHANGES = {
    "slope": ({"RescaleSlope": "2", "RescaleIntercept": "0"}, "u2", lambda a: a * 2),
    "intercept": ({"RescaleSlope": "1", "RescaleIntercept": "-1024"}, "i2", lambda a: a.astype("i4") - 1024),
    "fraction": ({"RescaleSlope": "0.3", "RescaleIntercept": "7"}, "f8", lambda a: a * 0.3 + 7),
    "large": ({"RescaleSlope": "100000", "RescaleIntercept": "0"}, "u4", lambda a: a.astype("u4") * 100000),
    "zero": ({"RescaleSlope": "0", "RescaleIntercept": "0"}, "u2", lambda a: a),
}


@pytest.mark.parametrize("name", CHANGES)
def test_transform_of_one_slice(voxcc, tmp_path, name):
    elements, dtype, change = CHANGES[name]
    array = volume(most=1000)

    def each(k, made):
        if k == 3:
            made.RescaleSlope, made.RescaleIntercept = elements["RescaleSlope"], elements["RescaleIntercept"]

    folder = series(tmp_path / "series", array, bits=12, each=each)
    expected = array.astype(dtype)
    expected[3] = change(array[3])
    found = values(voxcc, folder, tmp_path)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)
    assert ("the slope 0, which is not used" in str(info(voxcc, folder).get("warnings"))) == (name == "zero")


def test_types_of_slices(voxcc, tmp_path):
    """Signed and unsigned slices: the type holds the values of both."""
    array = volume("i4", 30000)
    array[2] -= 15000

    def each(k, made):
        if k == 2:
            set_pixels(made, array[k].astype("i2"))

    folder = series(tmp_path / "series", array.astype("u2"), each=each)
    found = values(voxcc, folder, tmp_path)
    assert found.dtype == "i4"
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("photometric", ("MONOCHROME1", "M\0\0\0NOCHROME2", "RGB", "YBR_FULL", "PALETTE COLOR", ""))
def test_photometric_interpretations(voxcc, tmp_path, photometric):
    """One slice with another interpretation is an error."""
    def each(k, made):
        if k == 5:
            made.PhotometricInterpretation = photometric

    folder = series(tmp_path / "series", volume(), each=each)
    assert "photometric" in voxcc.fails(65, "info", folder) or photometric == "PALETTE COLOR"


def test_white_is_zero(voxcc, tmp_path):
    """MONOCHROME1 is read as stored, as in TIFF, in a folder and as a single file."""
    array = volume()
    folder = series(tmp_path / "series", array, bits=12, PhotometricInterpretation="MONOCHROME1", RescaleSlope=1, RescaleIntercept=-100)
    np.testing.assert_array_equal(values(voxcc, folder, tmp_path), array.astype("i4") - 100)
    np.testing.assert_array_equal(values(voxcc, folder / "003.dcm", tmp_path)[0], array[0].astype("i4") - 100)
    assert info(voxcc, folder)["warnings"] == ["0 is white in this file (MONOCHROME1); values are taken as they are stored"]


@pytest.mark.parametrize("missing", ("ImagePositionPatient", "ImageOrientationPatient", "both", "not_unit"))
def test_positions_are_missing(voxcc, tmp_path, missing):
    def each(k, made):
        for name in ("ImagePositionPatient", "ImageOrientationPatient"):
            if missing in (name, "both"):
                delattr(made, name)
        if missing == "not_unit":
            made.ImageOrientationPatient = [0, 0, 0, 0, 0, 0]

    folder = series(tmp_path / "series", volume(), each=each)
    error = voxcc.fails(65, "info", folder)
    assert "states no position and orientation of its slice, so the order of the slices is not known; convert" in error
    assert "affine" not in info(voxcc, folder / "003.dcm")


def test_geometry_of_slices(voxcc, folder, tmp_path):
    made = slice_of(volume()[0], (10, 20, 9))
    save(made, folder / "double.dcm")
    assert "two slices lie at the same position: 024.dcm and double.dcm; remove one" in voxcc.fails(65, "info", folder)
    (folder / "double.dcm").unlink()
    (folder / "024.dcm").unlink()
    assert "a slice is missing between 017.dcm and 031.dcm: 6 mm instead of 3 mm; complete" in voxcc.fails(65, "info", folder)
    save(slice_of(volume()[3], (10, 20, 9), ImageOrientationPatient=[0, 1, 0, 1, 0, 0]), folder / "024.dcm")
    assert "oriented or scaled otherwise than" in voxcc.fails(65, "info", folder)
    save(slice_of(volume()[3][:9], (10, 20, 9)), folder / "024.dcm")
    assert "another number of rows or columns" in voxcc.fails(65, "info", folder)
    save(slice_of(volume()[3], (10, 20, 9), SeriesInstanceUID="1.2.3.9"), folder / "024.dcm")
    assert "several DICOM series: 1.2.3.1 (CT, 5 files), 1.2.3.9 (CT, 1 file)" in voxcc.fails(64, "info", folder)


def test_gantry_tilt(voxcc, tmp_path):
    """Slices that are shifted along a line have a sheared affine, without a warning."""
    def each(k, made):
        made.ImagePositionPatient = [10, 20 + 0.7 * k, 3 * k]

    found = info(voxcc, series(tmp_path / "series", volume(), each=each))
    np.testing.assert_allclose(found["affine"], [[-0.25, 0, 0, -10], [0, -0.5, -0.7, -20], [0, 0, 3, 0]], atol=1e-12)
    assert "warnings" not in found


def test_multi_frame_in_a_folder(voxcc, tmp_path):
    """A folder may hold one multi-frame object. Several files must have one frame each."""
    folder = tmp_path / "series"
    folder.mkdir()
    frames = [groups_of((10, 20, 3 * k)) for k in range(6)]
    save(enhanced(volume(), frames), folder / "a.dcm")
    save(dataset("1.2.840.10008.5.1.4.1.1.88.22"), folder / "sr.dcm")
    np.testing.assert_array_equal(values(voxcc, folder, tmp_path), volume())
    shutil.copy(folder / "a.dcm", folder / "b.dcm")
    assert "has several frames; name the file itself" in voxcc.fails(65, "info", folder)


# ---- spacing of a single slice

SPACINGS = {
    "thickness": ({}, [0.25, 0.5, 3], None),
    "distance": ({"SpacingBetweenSlices": 4}, [0.25, 0.5, 4], None),
    "neither": ({"SliceThickness": None}, [0.25, 0.5, 1], "no thickness of its slice, which is taken as 1 mm"),
    "no_spacing": ({"PixelSpacing": None}, None, "states no spacing of pixels"),
    "imager": ({"PixelSpacing": None, "ImagerPixelSpacing": [0.2, 0.1]}, [0.1, 0.2, 3], "at the detector only"),
    "negative": ({"PixelSpacing": [-1, 1]}, None, "a spacing of pixels that is not a positive length"),
    "no_position": ({"ImagePositionPatient": None}, [0.25, 0.5, 3], None),
    "nothing": ({"ImagePositionPatient": None, "PixelSpacing": None}, None, None),
}


@pytest.mark.parametrize("name", SPACINGS)
def test_spacing_of_a_slice(voxcc, tmp_path, name):
    elements, spacing, warning = SPACINGS[name]
    path = save(slice_of(volume()[0], (10, 20, 9), **elements), tmp_path / "a.dcm")
    found = info(voxcc, path)
    assert found.get("spacing_mm") == spacing and found["dimensions"] == 2
    assert ("affine" in found) == (spacing is not None and "ImagePositionPatient" not in elements)
    assert (warning is None) == ("warnings" not in found) and (warning or "") in str(found.get("warnings"))


def test_orientation_is_kept(voxcc, tmp_path):
    path = save(slice_of(volume()[0], (1, 2, 3), ImageOrientationPatient=[0, 1, 0, 0, 0, -1]), tmp_path / "a.dcm")
    np.testing.assert_allclose(info(voxcc, path)["affine"], [[0, 0, 3, -1], [-0.25, 0, 0, -2], [0, -0.5, 0, 3]], atol=1e-12)
    assert AXIAL == [1, 0, 0, 0, 1, 0]
