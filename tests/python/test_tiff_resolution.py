"""XResolution, YResolution and ResolutionUnit of TIFF files: when they are the size of pixels, and when they are a default."""

import csv
import json

import numpy as np
import pytest
import tifffile
from helpers import spacing_in_mm
from tiff_files import RATIONAL, SHORT, page_tags, tiff_file

IMAGE = np.ones((6, 7), np.uint8)
INCH, CENTIMETRE, MM_PER = 2, 3, {2: 25.4, 3: 10.0}


def info(voxcc, path):
    return json.loads(voxcc("info", path, "--no-range", "--json").stdout)


def write(path, resolution, unit, array=IMAGE, **options):
    tifffile.imwrite(path, array, resolution=resolution, resolutionunit=unit, photometric="minisblack", **({"metadata": None} | options))


@pytest.mark.parametrize("unit", (INCH, CENTIMETRE))
@pytest.mark.parametrize("micrometres", (9.99, 0.645, 0.1, 0.00005))
def test_sizes_of_microscopes_are_read(voxcc, tmp_path, unit, micrometres):
    per_unit = MM_PER[unit] / (micrometres / 1000)
    write(tmp_path / "in.tif", (per_unit, per_unit / 2), unit)
    with tifffile.TiffFile(tmp_path / "in.tif") as file:
        x, y = (denominator / numerator * MM_PER[unit] for numerator, denominator in (file.pages[0].tags[tag].value for tag in (282, 283)))
    if micrometres * 2 >= 10:
        assert spacing_in_mm(info(voxcc, tmp_path / "in.tif")) is None
        return
    found = info(voxcc, tmp_path / "in.tif")
    np.testing.assert_allclose(spacing_in_mm(found)[:2], (x, y), rtol=1e-12)
    np.testing.assert_allclose(spacing_in_mm(found)[0], micrometres / 1000, rtol=1e-6)
    assert found["warnings"] == [f"states the size of pixels only by its resolution, which can be a default: {x * 1000:.4g} x {y * 1000:.4g} um"]
    row = voxcc("label", tmp_path / "in.tif", "--units", "um", "--stats", "-").stdout.splitlines()
    np.testing.assert_allclose(float(row[1].split(",")[row[0].split(",").index("area_um2")]), 42 * x * y * 1e6, rtol=1e-9)


@pytest.mark.parametrize("resolution, unit", [((72, 72), INCH), ((300, 300), INCH), ((1200, 1200), INCH), ((2400, 2400), INCH), ((2500, 2500), INCH),
                                              ((28.35, 28.35), CENTIMETRE), ((118.11, 118.11), CENTIMETRE), ((1, 1), INCH), ((1, 1), CENTIMETRE),
                                              ((20000, 72), INCH), ((20000, 20000), 1), (((4294967295, 1), (4294967295, 1)), CENTIMETRE)])
def test_other_resolutions_are_not_used(voxcc, tmp_path, resolution, unit):
    write(tmp_path / "in.tif", resolution, unit)
    assert spacing_in_mm(info(voxcc, tmp_path / "in.tif")) is None and "warnings" not in info(voxcc, tmp_path / "in.tif")


def test_metadata_and_options_come_first(voxcc, tmp_path):
    per_cm = 20000  # 0.5 um
    write(tmp_path / "in.ome.tif", (per_cm, per_cm), CENTIMETRE, metadata={"axes": "YX", "PhysicalSizeX": 3, "PhysicalSizeY": 4}, ome=True)
    np.testing.assert_allclose(spacing_in_mm(info(voxcc, tmp_path / "in.ome.tif"))[:2], (0.003, 0.004))
    write(tmp_path / "in.ome.tif", (per_cm, per_cm), CENTIMETRE, metadata={"axes": "YX"}, ome=True)
    np.testing.assert_allclose(spacing_in_mm(info(voxcc, tmp_path / "in.ome.tif"))[:2], (0.0005, 0.0005))
    write(tmp_path / "in.tif", (per_cm, per_cm), CENTIMETRE, metadata={"axes": "YX"}, imagej=True)  # the unit of ImageJ counts: pixels
    assert spacing_in_mm(info(voxcc, tmp_path / "in.tif")) is None
    write(tmp_path / "in.tif", (2, 2), None, metadata={"axes": "YX", "unit": "um"}, imagej=True)
    np.testing.assert_allclose(spacing_in_mm(info(voxcc, tmp_path / "in.tif"))[:2], (0.0005, 0.0005))
    write(tmp_path / "in.tif", (per_cm, per_cm), CENTIMETRE)
    table = voxcc("label", tmp_path / "in.tif", "--spacing", "2,3,4", "--stats", "-").stdout.splitlines()
    assert float(table[1].split(",")[table[0].split(",").index("area_mm2")]) == 42 * 6


def test_a_stack_needs_the_distance_of_slices(voxcc, tmp_path):
    write(tmp_path / "in.tif", (20000, 20000), CENTIMETRE, np.ones((3, 6, 7), np.uint8))
    found = info(voxcc, tmp_path / "in.tif")
    assert found["spacing_cm"] == [5e-05, 5e-05, None] and "states the size of pixels but not the distance of slices" in found["warnings"]
    row = next(csv.DictReader(voxcc("label", tmp_path / "in.tif", "--stats", "-").stdout.splitlines()))
    assert row["volume_mm3"] == "n/a"


@pytest.mark.parametrize("x, unit", [((0, 1), 2), ((1, 0), 2), ((20000, 1), 0), ((20000, 1), 4), ((20000, 1), 65535)])
def test_wrong_tags(voxcc, tmp_path, x, unit):
    (tmp_path / "in.tif").write_bytes(tiff_file([(page_tags(IMAGE.shape, more={282: (RATIONAL, [x]), 283: (RATIONAL, [x]), 296: (SHORT, [unit])}), [IMAGE.tobytes()])]))
    assert spacing_in_mm(info(voxcc, tmp_path / "in.tif")) is None


def test_no_unit_means_inches(voxcc, tmp_path):
    (tmp_path / "in.tif").write_bytes(tiff_file([(page_tags(IMAGE.shape, more={282: (RATIONAL, [(25400, 1)]), 283: (RATIONAL, [(25400, 1)])}), [IMAGE.tobytes()])]))
    np.testing.assert_allclose(spacing_in_mm(info(voxcc, tmp_path / "in.tif"))[:2], (0.001, 0.001))
