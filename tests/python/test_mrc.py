"""MRC and CCP4 files against mrcfile (voxels, stacks, compression) and gemmi (positions in the cell)."""

import struct
import warnings

import gemmi
import mrcfile
import numpy as np
import pytest
import SimpleITK
from helpers import label_scipy, read_nifti, read_table
from readers import info

SHAPE = (6, 17, 20)  # sections, rows, columns
MODES = {"i1": 0, "i2": 1, "f4": 2, "u2": 6, "f2": 12}
MAPC, ORIGIN, NXSTART, ISPG, MZ, ANGLES, CELL, STAMP = 64, 196, 16, 88, 36, 52, 40, 212


def sparse(dtype="f4", shape=SHAPE, seed=4):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(shape) < 0.28, rng.integers(1, 120, shape), 0).astype(dtype)


def write(path, array, spacing=(2, 2.5, 3), compression=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with mrcfile.new(path, overwrite=True, compression=compression) as file:
            file.set_data(array)
            file.voxel_size = spacing
    return path


def patched(path, *fields):
    """Overwrites numbers of a header: (offset, format, numbers...)."""
    content = bytearray(path.read_bytes())
    for offset, form, *numbers in fields:
        struct.pack_into(form, content, offset, *numbers)
    path.write_bytes(content)
    return path


def voxels(voxcc, path, *given):
    out = path.parent / "values.nii"
    voxcc("label", path, "--threshold=-inf:inf", "--masked-output", out, "-f", "-q", *given)
    return read_nifti(out)


def affine(voxcc, path, *given):
    """Index to position in angstrom."""
    return np.array(info(voxcc, path, *given)["affine"])


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("dtype", MODES)
def test_modes(voxcc, tmp_path, dtype, order):
    array = (np.random.default_rng(1).random((3, 4, 5)) * 100 - 50 * (dtype[0] != "u")).astype(order + dtype)
    path = write(tmp_path / "a.mrc", array)
    with mrcfile.open(path) as file:
        assert file.header.mode == MODES[dtype] and file.data.dtype.newbyteorder("=") == np.dtype(dtype)
        np.testing.assert_array_equal(voxels(voxcc, path), file.data.astype("f4") if dtype == "f2" else file.data)
    described = info(voxcc, path)
    assert described["stored_type"] == np.dtype(dtype).name and described["format"] == "MRC" and "warnings" not in described
    labels = label_scipy(array != 0, 26)
    voxcc("label", path, "--stats", tmp_path / "a.csv", "-q")
    assert [row["voxels"] for row in read_table(tmp_path / "a.csv")] == np.bincount(labels.ravel())[1:].tolist()


def test_modes_that_are_not_read(voxcc, tmp_path):
    path = write(tmp_path / "a.mrc", sparse().astype("c8"))
    assert "its voxels are complex numbers of 32-bit floats" in voxcc.fails(65, "label", path)
    for mode, cause in ((3, "complex numbers of 16-bit integers"), (101, "its voxels have 4 bits"), (7, "has the mode 7"), (16, "colours")):
        assert cause in voxcc.fails(65, "label", patched(path, (12, "<i", mode)))


@pytest.mark.parametrize("compression, suffix", [(None, "map"), ("gzip", "map.gz"), ("gzip", "mrc.gz"), (None, "ccp4"), (None, "st")])
def test_names(voxcc, tmp_path, compression, suffix):
    path = write(tmp_path / f"a.{suffix}", sparse(), compression=compression)
    np.testing.assert_array_equal(voxels(voxcc, path), sparse())
    voxcc("label", path, "-o", tmp_path / "{stem}_labels.nii", "-q")
    assert (tmp_path / "a_labels.nii").exists()
    voxcc("verify", path)


def test_bzip2_is_refused_by_name(voxcc, tmp_path):
    assert "is compressed with bzip2" in voxcc.fails(65, "label", write(tmp_path / "a.mrc.bz2", sparse(), compression="bzip2"))


def test_spacing_and_unit(voxcc, tmp_path):
    path = write(tmp_path / "a.mrc", sparse())
    described = info(voxcc, path)
    assert described["unit"] == "angstrom"
    with mrcfile.open(path) as file:
        np.testing.assert_allclose(described["spacing_angstrom"], file.voxel_size.tolist(), rtol=1e-6)
    voxcc("label", path, "--units", "nm", "--stats", tmp_path / "a.csv", "-q")
    row = read_table(tmp_path / "a.csv")[0]
    assert row["volume_nm3"] == pytest.approx(row["voxels"] * 0.2 * 0.25 * 0.3)


@pytest.mark.parametrize("axes", [(1, 2, 3), (3, 2, 1), (2, 3, 1), (2, 1, 3)])
@pytest.mark.parametrize("angles", [(90, 90, 90), (90, 90, 120), (90, 112, 90), (75, 80, 85)])
def test_positions_against_gemmi(voxcc, tmp_path, axes, angles):
    """gemmi turns the map into the axes of the cell. Each voxel must have the position that gemmi gives its index there."""
    array = np.arange(1, 3 * 4 * 5 + 1, dtype="f4").reshape(3, 4, 5)
    path = write(tmp_path / "a.ccp4", array)
    extents, starts = (5, 4, 3), (1, 2, 0)  # columns, rows, sections
    intervals, lengths = [0, 0, 0], [0, 0, 0]
    for axis, extent, start in zip(axes, extents, starts):
        intervals[axis - 1] = extent + start + axis  # larger than the map, so that the complete map is inside the cell
        lengths[axis - 1] = (extent + start + axis) * (1.5 + axis)
    patched(path, (28, "<3i", *intervals), (CELL, "<3f", *lengths), (ANGLES, "<3f", *angles), (MAPC, "<3i", *axes), (NXSTART, "<3i", *starts))
    found = affine(voxcc, path)
    grid_map = gemmi.read_ccp4_map(str(path))
    grid_map.setup(0.0, gemmi.MapSetup.ReorderOnly)
    first = [starts[axes.index(axis)] for axis in (1, 2, 3)]
    cell = grid_map.grid.unit_cell
    of_cell = np.array(grid_map.grid)
    for index in np.ndindex(of_cell.shape):
        k, j, i = np.argwhere(array == of_cell[index])[0]
        fraction = [(first[axis] + index[axis]) / intervals[axis] for axis in range(3)]
        expected = cell.orthogonalize(gemmi.Fractional(*fraction)).tolist()
        np.testing.assert_allclose(found @ [i, j, k, 1], expected, atol=1e-4)


def test_origin_comes_before_the_start_indices(voxcc, tmp_path):
    path = patched(write(tmp_path / "a.mrc", sparse()), (NXSTART, "<3i", 25, 18, 40))
    np.testing.assert_allclose(affine(voxcc, path)[:, 3], (50, 45, 120), rtol=1e-6)
    patched(path, (ORIGIN, "<3f", 7, -8, 9))
    np.testing.assert_allclose(affine(voxcc, path)[:, 3], (7, -8, 9), rtol=1e-6)
    np.testing.assert_array_equal(voxels(voxcc, path), sparse())


def test_a_cell_that_is_not_possible(voxcc, tmp_path):
    path = patched(write(tmp_path / "a.mrc", sparse()), (ANGLES, "<3f", 10, 10, 170))
    assert "its cell is not possible" in voxcc("verify", path).stderr
    assert not {"spacing_angstrom", "affine"} & set(info(voxcc, path))
    np.testing.assert_allclose(info(voxcc, path, "--spacing", "1,2,3")["spacing_mm"], (1, 2, 3))
    assert "spacing_angstrom" not in info(voxcc, patched(path, (CELL, "<3f", 0, 0, 0)))


def test_stack_of_volumes(voxcc, tmp_path):
    array = sparse(shape=(2, 3, 17, 20))
    path = tmp_path / "a.mrc"
    with mrcfile.new(path) as file:
        file.set_data(array)
        file.voxel_size = (2, 2.5, 3)
        assert file.is_volume_stack()
    assert info(voxcc, path)["volumes"] == 2
    np.testing.assert_allclose(info(voxcc, path)["spacing_angstrom"], (2, 2.5, 3))
    assert "holds 2 volumes; choose one with --volume 0..1" in voxcc.fails(64, "label", path)
    for volume in (0, 1):
        np.testing.assert_array_equal(voxels(voxcc, path, "--volume", volume), array[volume])
    assert "of 4 sections (MZ), but has 6 sections" in voxcc.fails(65, "label", patched(path, (MZ, "<i", 4)))


def test_stack_of_images(voxcc, tmp_path):
    path = tmp_path / "a.mrcs"
    with mrcfile.new(path) as file:
        file.set_data(sparse())
        file.set_image_stack()
        file.voxel_size = 2
    np.testing.assert_array_equal(voxels(voxcc, path), sparse())
    assert "is a stack of images (ISPG 0, MZ 1), which is read as one volume" in voxcc("verify", path).stderr
    described = info(voxcc, path)
    assert described["spacing_angstrom"] == [2, 2, None] and "affine" not in described


def test_byte_orders_of_wrong_stamps(voxcc, tmp_path):
    for order, stamp in (("<", b"\x11\x11"), (">", b"DD")):
        path = write(tmp_path / "a.mrc", sparse(order + "f4"))
        patched(path, (STAMP, "2s", stamp))
        np.testing.assert_array_equal(voxels(voxcc, path), sparse())
        assert "its machine stamp states another byte order" in voxcc("verify", path).stderr
        patched(path, (STAMP, "2s", b"\0\0"))
        assert voxcc("verify", path).stderr == ""


def test_extended_header(voxcc, tmp_path):
    path = tmp_path / "a.mrc"
    with mrcfile.new(path) as file:
        file.set_data(sparse())
        file.set_extended_header(np.frombuffer(b"x" * 768, "V1"))
    np.testing.assert_array_equal(voxels(voxcc, path), sparse())
    assert "the file is truncated or its header is wrong" in voxcc.fails(65, "verify", patched(path, (92, "<i", 772)))
    voxcc.fails(65, "verify", patched(path, (92, "<i", -4)))


def test_lengths(voxcc, tmp_path):
    path = write(tmp_path / "a.mrc", sparse())
    content = path.read_bytes()
    path.write_bytes(content + b"1234")
    assert "4 bytes after the voxels are ignored" in voxcc("verify", path).stderr
    for size in (0, 100, 1023, 1024, len(content) - 1):
        path.write_bytes(content[:size])
        voxcc.fails(65, "label", path, "-o", tmp_path / "no.nii")
    assert not (tmp_path / "no.nii").exists()


def test_other_files_with_names_of_mrc(voxcc, tmp_path):
    """The pixels of a Philips PAR/REC image, and texts."""
    pixels = np.random.default_rng(0).integers(0, 4096, 4096, dtype="u2").tobytes()
    (tmp_path / "scan.REC").write_bytes(pixels)
    line = voxcc.fails(65, "label", tmp_path / "scan.REC")
    assert "is not an MRC volume, and can be a part of a Philips PAR/REC image; convert it with 'parrec2nii" in line
    (tmp_path / "scan.REC").write_bytes(bytes(4096) + pixels)
    assert "Philips" in voxcc.fails(65, "label", tmp_path / "scan.REC")
    (tmp_path / "a.mrc").write_bytes(pixels)
    assert "is not an MRC file: 'MAP ' is missing at byte 208" in voxcc.fails(65, "label", tmp_path / "a.mrc")
    (tmp_path / "a.map").write_bytes(b"source map\n" * 200)
    assert "is not in a known image format" in voxcc.fails(65, "label", tmp_path / "a.map")


@pytest.mark.parametrize("dtype", ["u1", "i1", "i2", "u2", "f4"])
def test_reader_itk(voxcc, tmp_path, dtype):
    """ITK reads the same voxels. Its x and y axes are mirrored, and it does not read a reordered or a sheared cell."""
    image = SimpleITK.GetImageFromArray(sparse(dtype))
    if dtype == "i1":
        path = write(tmp_path / "a.mrc", sparse("i1"))
    else:
        path = tmp_path / "a.mrc"
        image.SetSpacing((2, 2.5, 3))
        SimpleITK.WriteImage(image, str(path))
    tables = []
    for reader in ("voxcc", "itk"):
        voxcc("label", path, "--reader", reader, "--stats", tmp_path / "a.csv", "-f", "-q")
        tables.append([(row["voxels"], row["centroid_i"], row["bbox_k_max"]) for row in read_table(tmp_path / "a.csv")])
    assert tables[0] == tables[1] and len(tables[0]) > 1
    assert info(voxcc, path, "--reader", "itk")["read_as"] == np.dtype(dtype).name
    assert info(voxcc, path, "--reader", "itk")["warnings"] == ["the affine that ITK reads is not the affine that voxcc reads"]


def test_files_that_itk_reads_in_another_way(voxcc, tmp_path):
    for given in ((MAPC, "<3i", 3, 2, 1), (ANGLES, "<3f", 90, 112, 90)):
        path = patched(write(tmp_path / "a.mrc", sparse()), given)
        assert info(voxcc, path, "--reader", "itk")["warnings"] == ["the affine that ITK reads is not the affine that voxcc reads"]
    stack = patched(write(tmp_path / "stack.mrc", sparse()), (MZ, "<i", 3), (ISPG, "<i", 401))
    shifted = patched(write(tmp_path / "shifted.mrc", sparse()), (NXSTART, "<3i", 25, 18, 40))
    for path in (stack, shifted, write(tmp_path / "a.mrc", sparse("f2")), write(tmp_path / "a.mrc.gz", sparse(), compression="gzip")):
        line = voxcc.fails(64, "label", path, "--reader", "itk", *(["--volume", "0"] if path == stack else []))
        assert line.endswith("; read it with --reader voxcc"), line
