"""--units: names and values of all tables in mm, um, nm and voxels, the units of files, and sizes with a unit. Compared with numpy."""

import json

import h5py
import nibabel
import nrrd
import numpy as np
import pytest
import tifffile
from helpers import blobs, columns, read_nifti, read_table, voronoi, write_nifti

PER_MM = {"mm": 1.0, "um": 1e3, "nm": 1e6}
CODES = {"mm": 2, "um": 3}


def random_affine(seed, kind):
    """An affine in mm: oblique, flipped or sheared."""
    random = np.random.default_rng(seed)
    affine = np.eye(4)
    affine[:3, 3] = random.uniform(-100, 100, 3)
    spacing = random.uniform(0.2, 3, 3)
    rotation = np.linalg.qr(random.normal(size=(3, 3)))[0]
    if kind == "oblique":
        affine[:3, :3] = rotation * spacing
    elif kind == "flipped":
        affine[:3, :3] = np.diag(spacing * (-1, 1, -1))[:, [1, 0, 2]]
    else:
        affine[:3, :3] = rotation @ np.diag(spacing) @ (np.eye(3) + np.triu(random.uniform(-0.5, 0.5, (3, 3)), 1))
    return affine


def in_unit(affine, unit):
    """The affine of a volume whose table is in this unit."""
    if unit == "voxel":
        return np.eye(4)
    return affine * np.array([PER_MM[unit]] * 3 + [1])[:, None]


def power_of(name, unit):
    """The power of the unit in which a column is, from its name."""
    for end, power in ((f"_{unit}", 1), (f"_{unit}2", 2), (f"_{unit}3", 3)):
        if name.endswith(end):
            return power
    return 0


def tables(voxcc, folder, path, *options):
    """The tables of components, contacts and local maxima."""
    names = [folder / f"{name}.csv" for name in ("t", "c", "m")]
    voxcc("label", path, "--multilabel", "--shape", "--intensity", path, "--stats", names[0], "--contacts", names[1], "--local-maxima",
          names[2], "-f", *options)
    return [read_table(name) for name in names]


def write_h5(path, volume, affine):
    """A file whose affine has 64-bit numbers."""
    with h5py.File(path, "w") as file:
        file.create_dataset("seg", data=volume).attrs["affine"] = affine
    return path


@pytest.mark.parametrize("kind", ("oblique", "flipped", "sheared"))
@pytest.mark.parametrize("unit", ("um", "nm", "voxel"))
def test_all_columns_are_the_columns_of_the_scaled_affine(voxcc, tmp_path, unit, kind):
    for seed in range(3):
        affine = random_affine(seed, kind)
        volume = voronoi((9, 11, 65), 12, seed=seed)
        ours = tables(voxcc, tmp_path, write_h5(tmp_path / "a.h5", volume, affine), "--units", unit)
        scaled = tables(voxcc, tmp_path, write_h5(tmp_path / "b.h5", volume, in_unit(affine, unit)))
        for table, expected_table in zip(ours, scaled):
            assert len(table) == len(expected_table) > 10
            for row, expected in zip(table, expected_table):
                assert list(row) == [name.replace("_mm", f"_{unit}") for name in expected]
                for (name, value), wanted in zip(row.items(), expected.values()):
                    assert value == wanted or value == pytest.approx(wanted, rel=1e-11, abs=1e-9), (name, value, wanted)


@pytest.mark.parametrize("unit", ("um", "nm"))
def test_values_are_exact_multiples(voxcc, tmp_path, unit):
    """The same positions in mm, multiplied. Spacings of few digits give equal digits; the table in mm differs by rounding only."""
    affine = random_affine(7, "sheared")
    write_nifti(tmp_path / "a.nii", voronoi((8, 9, 40), 10), affine)
    in_mm, in_um = (tables(voxcc, tmp_path, tmp_path / "a.nii", "--units", chosen) for chosen in ("mm", unit))
    for table_mm, table in zip(in_mm, in_um):
        assert len(table_mm) == len(table) > 0
        for row_mm, row in zip(table_mm, table):
            assert [name.replace("_mm", f"_{unit}") for name in row_mm] == list(row)
            for (name, value), other in zip(row.items(), row_mm.values()):
                power = power_of(name, unit)
                if power == 0 and not name.startswith("axis") and name not in ("elongation", "flatness", "sphericity"):
                    assert value == other, name
                else:
                    scale = PER_MM[unit] ** power
                    assert value == pytest.approx(other * scale, rel=1e-9, abs=1e-7 * scale), name


def test_positions_against_numpy(voxcc, tmp_path):
    affine = random_affine(3, "oblique")
    volume = voronoi((9, 11, 65), 12)
    write_nifti(tmp_path / "a.nii", volume, affine)
    stored = nibabel.load(tmp_path / "a.nii").affine
    for unit in ("mm", "um", "nm", "voxel"):
        matrix = in_unit(stored, unit)
        components, contacts, maxima = tables(voxcc, tmp_path, tmp_path / "a.nii", "--units", unit)
        size = abs(np.linalg.det(matrix[:3, :3]))
        np.testing.assert_allclose(columns(components, f"volume_{unit}3")[:, 0], columns(components, "voxels")[:, 0] * size, rtol=1e-12)
        at = columns(components, "centroid_i", "centroid_j", "centroid_k")
        there = columns(components, *(f"centroid_{axis}_{unit}" for axis in "xyz"))
        np.testing.assert_allclose(there, at @ matrix[:3, :3].T + matrix[:3, 3], rtol=1e-11, atol=1e-9)
        at = columns(maxima, "i", "j", "k")
        there = columns(maxima, *(f"{axis}_{unit}" for axis in "xyz"))
        np.testing.assert_allclose(there, at @ matrix[:3, :3].T + matrix[:3, 3], rtol=1e-11, atol=1e-9)
        step = matrix[:3, :3].T
        faces = [np.linalg.norm(np.cross(step[(axis + 1) % 3], step[(axis + 2) % 3])) for axis in range(3)]
        areas = columns(contacts, f"area_{unit}2")[:, 0]
        assert np.all(areas >= columns(contacts, "faces")[:, 0] * min(faces) * (1 - 1e-12))
        assert np.all(areas <= columns(contacts, "faces")[:, 0] * max(faces) * (1 + 1e-12))


def test_voxel_has_the_values_of_an_image_without_geometry(voxcc, tmp_path):
    volume = voronoi((9, 11, 65), 12)
    write_nifti(tmp_path / "a.nii", volume, random_affine(5, "sheared"))
    write_nifti(tmp_path / "b.nii", volume, np.eye(4))
    for ours, plain in zip(tables(voxcc, tmp_path, tmp_path / "a.nii", "--units", "voxel"), tables(voxcc, tmp_path, tmp_path / "b.nii")):
        assert [{name.replace("_voxel", "_mm"): value for name, value in row.items()} for row in ours] == plain
    for row in tables(voxcc, tmp_path, tmp_path / "a.nii", "--units", "voxel")[0]:
        assert row["volume_voxel3"] == row["voxels"] and row["centroid_x_voxel"] == row["centroid_i"] and row["cov_yz_voxel2"] == row["cov_jk"]


def test_voxel_needs_no_affine(voxcc, tmp_path):
    write_h5(tmp_path / "a.h5", blobs((8, 9, 10)).astype(np.uint8), np.diag([1.0, 1, 0, 1]))
    done = voxcc("label", tmp_path / "a.h5", "--units", "voxel", "--stats", tmp_path / "t.csv")
    assert "columns in" not in done.stderr and "n/a" not in (tmp_path / "t.csv").read_text()
    done = voxcc("label", tmp_path / "a.h5", "--units", "um", "--stats", tmp_path / "t.csv", "-f")
    assert "all columns in um are n/a" in done.stderr


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("unit", ("mm", "um", "nm", "voxel"))
def test_area_of_slices(voxcc, tmp_path, unit, axis):
    affine = random_affine(11, "sheared")
    volume = blobs((7, 20, 30)).astype(np.uint8)
    write_nifti(tmp_path / "a.nii", volume, affine)
    voxcc("label", tmp_path / "a.nii", "--per-slice", axis, "--units", unit, "--stats", tmp_path / "t.csv")
    rows = read_table(tmp_path / "t.csv")
    step = in_unit(nibabel.load(tmp_path / "a.nii").affine, unit)[:3, :3].T
    across = "xyz".index(axis)
    area = np.linalg.norm(np.cross(step[(across + 1) % 3], step[(across + 2) % 3]))
    np.testing.assert_allclose(columns(rows, f"area_{unit}2")[:, 0], columns(rows, "voxels")[:, 0] * area, rtol=1e-12)
    assert not any(name.startswith("volume") for name in rows[0])


def write_2d(folder, image):
    """Files of a 2D image of 0.3 x 0.5 um per pixel, except PNG."""
    import imageio.v3 as imageio

    imageio.imwrite(folder / "plain.png", image)
    tifffile.imwrite(folder / "imagej.tif", image, imagej=True, resolution=(1 / 0.3, 2), metadata={"unit": "um"})
    tifffile.imwrite(folder / "ome.tif", image, metadata={"PhysicalSizeX": 0.3, "PhysicalSizeY": 0.5}, ome=True)
    nifti = nibabel.Nifti1Image(image.T[:, :, None], np.diag([0.3, 0.5, 1, 1]))
    nifti.header.set_xyzt_units("micron")
    nibabel.save(nifti, folder / "micron.nii")


def test_area_of_2d_images(voxcc, tmp_path):
    image = blobs((40, 50), 0.4).astype(np.uint8)
    write_2d(tmp_path, image)
    for name in ("imagej.tif", "ome.tif", "micron.nii"):
        for unit, size in (("um", 0.15), ("mm", 0.15e-6), ("nm", 0.15e6), ("auto", 0.15), ("voxel", 1)):
            voxcc("label", tmp_path / name, "--units", unit, "--stats", tmp_path / "t.csv", "-f")
            rows = read_table(tmp_path / "t.csv")
            column = f"area_{'um' if unit == 'auto' else unit}2"
            assert list(rows[0])[2] == column
            np.testing.assert_allclose(columns(rows, column)[:, 0], columns(rows, "voxels")[:, 0] * size, rtol=1e-6)
    voxcc("label", tmp_path / "plain.png", "--units", "auto", "--stats", tmp_path / "t.csv", "-f")
    rows = read_table(tmp_path / "t.csv")
    assert all(row["area_voxel2"] == row["voxels"] for row in rows)
    voxcc("label", tmp_path / "imagej.tif", "-o", tmp_path / "l.tif")
    voxcc("stats", tmp_path / "l.tif", "--units", "auto", "-o", tmp_path / "s.csv")
    assert list(read_table(tmp_path / "s.csv")[0])[2] == "area_um2"


def test_a_table_of_images_and_volumes_has_both_columns(voxcc, tmp_path):
    write_nifti(tmp_path / "plane.nii", blobs((1, 20, 30)).astype(np.uint8), np.diag([2.0, 3, 4, 1]))
    write_nifti(tmp_path / "solid.nii", blobs((6, 20, 30)).astype(np.uint8), np.diag([2.0, 3, 4, 1]))
    voxcc("label", tmp_path / "plane.nii", tmp_path / "solid.nii", "--stats", tmp_path / "t.csv")
    for row in read_table(tmp_path / "t.csv"):
        is_plane = "plane" in row["file"]
        assert row["area_mm2"] == (6 * row["voxels"] if is_plane else "n/a")
        assert row["volume_mm3"] == ("n/a" if is_plane else 24 * row["voxels"])
    for index in range(2):
        write_nifti(tmp_path / f"{index}.nii", blobs((1, 20, 30), seed=index + 1).astype(np.uint8))
    voxcc("label", tmp_path / "0.nii", tmp_path / "1.nii", "--stats", tmp_path / "u.csv")
    assert list(read_table(tmp_path / "u.csv")[0])[:4] == ["label", "voxels", "area_mm2", "centroid_i"]


def write_volumes(folder, volume):
    """One file per format and unit, with the voxel size 0.26 x 0.26 x 0.5 of that unit. Returns the unit of each file."""
    units = {}
    spacing = (0.26, 0.26, 0.5)
    for name, unit in (("meter", "m"), ("mm", "mm"), ("micron", "um"), ("unknown", "mm")):
        image = nibabel.Nifti1Image(np.ascontiguousarray(volume.T), np.diag([*spacing, 1]))
        image.header.set_xyzt_units(name)
        nibabel.save(image, folder / f"{name}.nii.gz")
        units[f"{name}.nii.gz"] = unit
    for text, unit in (("micron", "um"), ("um", "um"), ("\\u00B5m", "um"), ("nm", "nm"), ("mm", "mm"), ("pixel", "unknown")):
        name = f"imagej{len(units)}.tif"
        tifffile.imwrite(folder / name, volume, imagej=True, resolution=(1 / 0.26, 1 / 0.26), metadata={"unit": text, "spacing": 0.5, "axes": "ZYX"})
        units[name] = unit
    for text, unit in (("µm", "um"), ("nm", "nm"), ("Å", "angstrom"), ("mm", "mm"), (None, "um")):
        name = f"ome{len(units)}.ome.tif"
        sizes = {f"PhysicalSize{axis}": size for axis, size in zip("XYZ", spacing)}
        if text:
            sizes |= {f"PhysicalSize{axis}Unit": text for axis in "XYZ"}
        tifffile.imwrite(folder / name, volume, metadata={"axes": "ZYX", **sizes}, ome=True)
        units[name] = unit
    for text in ("um", "nm", "mm"):
        with h5py.File(folder / f"{text}.h5", "w") as file:
            data = file.create_dataset("seg", data=volume)
            data.attrs["resolution"], data.attrs["unit"] = spacing[::-1], text
        units[f"{text}.h5"] = text
    with h5py.File(folder / "element.h5", "w") as file:
        file.create_dataset("seg", data=volume).attrs["element_size_um"] = spacing[::-1]
    units["element.h5"] = "um"
    for text, unit in (("um", "um"), ("microns", "um"), ("mm", "mm"), ("nm", "nm")):
        header = {"space": "left-posterior-superior", "space directions": np.diag(spacing), "space origin": (0, 0, 0), "space units": [text] * 3}
        nrrd.write(str(folder / f"space_{text}.nrrd"), np.ascontiguousarray(volume.T), header)
        nrrd.write(str(folder / f"axes_{text}.nrrd"), np.ascontiguousarray(volume.T), {"spacings": spacing, "units": [text] * 3})
        units[f"space_{text}.nrrd"] = units[f"axes_{text}.nrrd"] = unit
    for text in ("um", "mm", "cm"):
        lines = ["ObjectType = Image", "NDims = 3", "BinaryData = True", "BinaryDataByteOrderMSB = False", f"DistanceUnits = {text}",
                 "ElementSpacing = 0.26 0.26 0.5", "DimSize = " + " ".join(map(str, volume.shape[::-1])), "ElementType = MET_UCHAR",
                 "ElementDataFile = LOCAL"]
        (folder / f"{text}.mha").write_bytes("\n".join(lines).encode() + b"\n" + volume.tobytes())
        units[f"{text}.mha"] = text
    return units


def test_auto_takes_the_unit_of_the_file(voxcc, tmp_path):
    volume = blobs((5, 12, 17)).astype(np.uint8)
    tables_of = {"um": "um", "nm": "nm", "angstrom": "nm", "unknown": "unit"}
    in_nm = {"m": 1e9, "cm": 1e7, "mm": 1e6, "um": 1e3, "nm": 1, "angstrom": 0.1, "unit": 1, "unknown": 1}
    for name, unit in write_volumes(tmp_path, volume).items():
        info = json.loads(voxcc("info", tmp_path / name, "--json").stdout)
        assert info.get("unit") == unit, name
        voxcc("label", tmp_path / name, "--units", "auto", "--stats", tmp_path / "t.csv", "--json", tmp_path / "s.json", "-f")
        rows = read_table(tmp_path / "t.csv")
        table_unit = tables_of.get(unit, "mm")
        assert json.loads((tmp_path / "s.json").read_text())["volumes"][0]["units"] == table_unit, name
        assert list(rows[0])[2] == f"volume_{table_unit}3", name
        size = 0.26 * 0.26 * 0.5 * (in_nm[unit] / in_nm[table_unit]) ** 3
        np.testing.assert_allclose(columns(rows, f"volume_{table_unit}3")[:, 0], columns(rows, "voxels")[:, 0] * size, rtol=1e-6, err_msg=name)
        if unit == table_unit and not name.endswith((".nii.gz", ".tif")):  # float32, and rationals
            assert columns(rows, f"centroid_x_{table_unit}")[0, 0] in (s * 0.26 * rows[0]["centroid_i"] for s in (1, -1)), name


def test_both_readers_convert_units(voxcc, tmp_path):
    volume = blobs((5, 12, 17)).astype(np.uint8)
    for name in write_volumes(tmp_path, volume):
        if not name.endswith((".nrrd", ".mha")):
            continue
        for spacing in ((), ("--spacing", "1,2,3")):
            own = voxcc("label", tmp_path / name, "--units", "auto", "--stats", "-", "--reader", "voxcc", *spacing).stdout
            done = voxcc("label", tmp_path / name, "--units", "auto", "--stats", "-", "--reader", "itk", *spacing)
            assert "differs" not in done.stderr and "is not the" not in done.stderr, done.stderr
            ours, of_itk = own.splitlines(), done.stdout.splitlines()
            assert ours[0] == of_itk[0] and len(ours) == len(of_itk)


def test_auto_in_a_batch(voxcc, tmp_path):
    volume = blobs((5, 12, 17)).astype(np.uint8)
    write_volumes(tmp_path, volume)
    inputs = [tmp_path / name for name in ("micron.nii.gz", "mm.nii.gz")]
    error = voxcc.fails(64, "label", *inputs, "--units", "auto", "--stats", tmp_path / "t.csv")
    assert "um" in error and "mm" in error and "one table" in error and not (tmp_path / "t.csv").exists()
    voxcc.fails(64, "label", *inputs, "--units", "auto", "--multilabel", "--contacts", tmp_path / "t.csv")
    voxcc("label", *inputs, "--units", "auto", "--stats", tmp_path / "{stem}.csv", "--sidecar")
    for name, unit in (("micron", "um"), ("mm", "mm")):
        assert f"volume_{unit}3" in read_table(tmp_path / f"{name}.csv")[0]
        assert json.loads((tmp_path / f"{name}.json").read_text())[f"volume_{unit}3"]["Units"] == f"{unit}^3"
    voxcc("label", inputs[0], tmp_path / "um.h5", "--units", "auto", "--stats", tmp_path / "t.csv")
    assert "volume_um3" in read_table(tmp_path / "t.csv")[0]
    voxcc("label", *inputs, "--units", "um", "--stats", tmp_path / "u.csv")


def test_join_needs_one_unit(voxcc, tmp_path):
    for index, unit in enumerate(("um", "um", "nm")):
        write_nifti(tmp_path / f"{index}.nii", blobs((5, 12, 17), seed=index + 1).astype(np.uint8))
        voxcc("label", tmp_path / f"{index}.nii", "--units", unit, "--stats", tmp_path / f"{index}.csv")
    joined = ("join", tmp_path / "0.csv", tmp_path / "1.csv")
    voxcc(*joined, "-o", tmp_path / "all.csv")
    assert "volume_um3" in read_table(tmp_path / "all.csv")[0]
    error = voxcc.fails(65, *joined, tmp_path / "2.csv", "-o", tmp_path / "none.csv")
    assert "volume_nm3" in error and "volume_um3" in error


def test_units_are_an_option_of_skip_existing(voxcc, tmp_path):
    write_nifti(tmp_path / "a.nii", blobs((5, 12, 17)).astype(np.uint8))
    run = ("label", tmp_path / "a.nii", "--stats", tmp_path / "t.csv", "--json", tmp_path / "s.json", "--skip-existing")
    voxcc(*run)
    assert "is skipped" in voxcc(*run).stderr
    assert "is skipped" not in voxcc(*run, "--units", "um").stderr
    assert "volume_um3" in read_table(tmp_path / "t.csv")[0]
    assert json.loads((tmp_path / "s.json").read_text())["options"]["units"] == "um"


def test_sizes(voxcc, tmp_path):
    """Voxels of 0.25 x 0.5 x 2 mm: 0.25 mm3 per voxel."""
    volume = blobs((12, 30, 40), 0.3).astype(np.uint8)
    write_nifti(tmp_path / "a.nii", volume, np.diag([0.25, 0.5, 2, 1]))
    voxcc("label", tmp_path / "a.nii", "--stats", tmp_path / "all.csv")
    sizes = columns(read_table(tmp_path / "all.csv"), "voxels")[:, 0]
    for limit, voxels in (("20", 20), ("20vox", 20), ("5mm3", 20), ("5 mm3", 20), ("5mm^3", 20), ("5mm³", 20), ("5e9um3", 20), ("0.005ml", 20),
                          ("5e18nm3", 20), ("5.1mm3", 21)):
        voxcc("label", tmp_path / "a.nii", "--stats", tmp_path / "t.csv", "-f", "--min-size", limit)
        assert sorted(columns(read_table(tmp_path / "t.csv"), "voxels")[:, 0]) == sorted(sizes[sizes >= voxels]), limit
        voxcc("label", tmp_path / "a.nii", "--stats", tmp_path / "t.csv", "-f", "--max-size", limit)
        largest = voxels if limit != "5.1mm3" else 20
        assert sorted(columns(read_table(tmp_path / "t.csv"), "voxels")[:, 0]) == sorted(sizes[sizes <= largest]), limit


def test_areas(voxcc, tmp_path):
    volume = blobs((12, 30, 40), 0.3).astype(np.uint8)
    write_nifti(tmp_path / "a.nii", volume, np.diag([0.25, 0.5, 2, 1]))
    for axis, area in (("z", 0.125), ("y", 0.5), ("x", 1.0)):
        run = ("label", tmp_path / "a.nii", "--per-slice", axis, "--stats", tmp_path / "t.csv", "-f")
        voxcc(*run)
        sizes = columns(read_table(tmp_path / "t.csv"), "voxels")[:, 0]
        for limit in (f"{10 * area}mm2", f"{10 * area} mm²", f"{10 * area * 1e6}um2"):
            voxcc(*run, "--min-size", limit)
            assert sorted(columns(read_table(tmp_path / "t.csv"), "voxels")[:, 0]) == sorted(sizes[sizes >= 10]), (axis, limit)
    hole = np.ones((1, 9, 9), np.uint8)
    hole[0, 2:4, 2:4] = hole[0, 6, 6] = 0
    write_nifti(tmp_path / "h.nii", hole, np.diag([0.5, 0.5, 2, 1]))
    voxcc("label", tmp_path / "h.nii", "--fill-holes", "--max-hole", "0.25mm2", "-o", tmp_path / "l.nii")
    assert read_nifti(tmp_path / "l.nii").sum() == 81 - 4


def test_a_volume_is_not_an_area(voxcc, tmp_path):
    write_nifti(tmp_path / "solid.nii", blobs((6, 20, 30)).astype(np.uint8))
    write_nifti(tmp_path / "plane.nii", blobs((1, 20, 30)).astype(np.uint8))
    for option in ("--min-size", "--max-size", "--max-hole"):
        fill = ("--fill-holes",) if option == "--max-hole" else ()
        error = voxcc.fails(64, "label", tmp_path / "solid.nii", option, "5mm2", *fill, "--stats", tmp_path / "t.csv")
        assert "5mm2 is an area" in error and "5mm3" in error and "--per-slice" in error
        error = voxcc.fails(64, "label", tmp_path / "plane.nii", option, "5um3", *fill, "--stats", tmp_path / "t.csv")
        assert "5um3 is a volume" in error and "5um2" in error
        voxcc.fails(64, "label", tmp_path / "solid.nii", "--per-slice", "y", option, "5mm3", *fill, "--stats", tmp_path / "t.csv")
        voxcc.fails(64, "label", tmp_path / "plane.nii", option, "5um3", *fill, "--dry-run")
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize("text", ("5mm4", "5 m m3", "nan mm3", "-1mm3", "1e400ml", "5m3", "mm3", "5mm", "5.5", "1.5vox", "inf um3", "5mm³³", "0x5mm3"))
def test_hostile_sizes(voxcc, tmp_path, text):
    write_nifti(tmp_path / "a.nii", np.ones((3, 4, 5), np.uint8))
    assert "is not a valid size" in voxcc.fails(64, "label", tmp_path / "a.nii", f"--min-size={text}", "--stats", "-")


def test_peak_distance_with_a_unit(voxcc, tmp_path):
    image = np.zeros((1, 1, 20), np.float32)
    image[0, 0] = 1
    image[0, 0, [2, 5, 12]] = 5, 4, 3
    write_nifti(tmp_path / "a.nii", image, np.diag([0.001, 0.001, 0.001, 1]))
    run = ("label", tmp_path / "a.nii", "--intensity", tmp_path / "a.nii", "--local-maxima", "-", "--peak-distance")
    for distance, peaks in (("2um", 3), ("0.002", 3), ("4um", 2), ("0.004mm", 2), ("4000 nm", 2), ("11um", 1)):
        assert len(voxcc(*run, distance).stdout.splitlines()) == peaks + 1, distance
    for distance in ("4vox", "4um2", "nan", "-1um", "1e400"):
        voxcc.fails(64, *run[:-1], f"--peak-distance={distance}")


def test_stats_has_the_same_columns(voxcc, tmp_path):
    write_nifti(tmp_path / "a.nii", voronoi((7, 9, 20), 8), random_affine(1, "oblique"))
    for unit in ("mm", "um", "nm", "voxel", "auto"):
        options = ("--units", unit, "--shape", "--intensity", tmp_path / "a.nii")
        voxcc("label", tmp_path / "a.nii", "--multilabel", *options, "-o", tmp_path / "l.nii", "--stats", tmp_path / "t.csv", "-f")
        voxcc("stats", tmp_path / "l.nii", *options, "-o", tmp_path / "s.csv", "--sidecar", "-f")
        ours = [{name: value for name, value in row.items() if name != "source_label"} for row in read_table(tmp_path / "t.csv")]
        assert read_table(tmp_path / "s.csv") == ours
        sidecar = json.loads((tmp_path / "s.json").read_text())
        assert list(sidecar) == list(ours[0])
        shown = "mm" if unit == "auto" else unit
        assert all(("Units" in sidecar[name]) for name in sidecar if name.endswith((f"_{shown}", f"_{shown}2", f"_{shown}3")))
