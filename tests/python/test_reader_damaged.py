"""--reader itk: damaged files and real files."""

import shutil
import struct

import dicom_files
import h5py
import numpy as np
import pytest
import SimpleITK
from helpers import NODE, SIZE_IN_NODE, read_nifti, read_table
from readers import VOXEL_COLUMNS, check_same, info, label, refused
from test_data import FOLDER, MOST_KB, hostile, inputs, needs_data, options, reference, run_bounded

# ---- damaged files


@pytest.mark.parametrize("compressed", (False, True))
@pytest.mark.parametrize("suffix", ("nii", "nii.gz", "nrrd", "mha", "h5", "tif"))
def test_damaged(voxcc, tmp_path, suffix, compressed):
    """Truncated files, and files with a changed byte in compressed voxels, are errors and leave no output."""
    image = np.random.default_rng(1).integers(0, 9, (20, 30, 40)).astype(np.uint8)
    whole, path = tmp_path / f"whole.{suffix}", tmp_path / f"in.{suffix}"
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(image), str(whole), compressed)
    content = whole.read_bytes()
    damaged = [content[: int(len(content) * share)] for share in (0.0, 0.02, 0.5, 0.99)]
    if suffix != "tif":
        damaged.append(content[:-1])
    if suffix == "nii.gz" or (compressed and suffix in ("nrrd", "mha", "h5")):
        damaged.append(content[: len(content) // 2] + bytes([content[len(content) // 2] ^ 4]) + content[len(content) // 2 + 1 :])
    for text in damaged:
        path.write_bytes(text)
        for command in (["label", path, "-o", tmp_path / "out.nii.gz", "--stats", tmp_path / "out.csv", "-q"], ["verify", path]):
            voxcc.fails(65, *command, "--reader", "itk", timeout=30)
        assert not (tmp_path / "out.nii.gz").exists() and not (tmp_path / "out.csv").exists()


def itk_hdf5(path, shape=(4, 5, 6), **given):
    """A file in the layout of ITK."""
    with h5py.File(path, "w", libver="earliest") as file:
        group = file.create_group("ITKImage/0")
        group["Dimension"] = np.array(shape[::-1], np.uint64)
        group["Directions"], group["Origin"], group["Spacing"] = np.eye(3), np.zeros(3), np.ones(3)
        group.create_group("MetaData")
        group.create_dataset("VoxelType", (1,), h5py.string_dtype(), data=[b"UCHAR"])
        group.create_dataset("VoxelData", shape, np.uint8, maxshape=(None,) * 3, **given)
    return path


def test_hdf5_that_contradicts_itself(voxcc, tmp_path):
    """ITK believes /ITKImage/0/Dimension and VoxelType; the own reader believes the dataset."""
    path = itk_hdf5(tmp_path / "in.h5", data=np.ones((4, 5, 6), np.uint8), chunks=(2, 5, 6))
    assert "1 component" in voxcc("label", path, "--reader", "itk").stdout
    with h5py.File(path, "a") as file:
        file["ITKImage/0/Dimension"][...] = (6, 5, 3)
    refused(voxcc, tmp_path, path, "ITK reads the extent 6 x 5 x 3")
    with h5py.File(path, "a") as file:
        file["ITKImage/0/Dimension"][...] = (1 << 40, 1 << 40, 1 << 40)
    code, out, err, kilobytes = run_bounded([voxcc.program, "label", path, "--reader", "itk", "-o", tmp_path / "out.nii", "-q"])
    assert code in (64, 65, 71) and len(err.splitlines()) == 1 and out == "" and kilobytes < MOST_KB
    with h5py.File(path, "a") as file:
        file["ITKImage/0/Dimension"][...] = (6, 5, 4)
        file["ITKImage/0/VoxelType"][0] = b"ULONG"
    code, out, err, kilobytes = run_bounded([voxcc.program, "label", path, "--reader", "itk", "-o", tmp_path / "out.nii", "-q"])
    assert code in (0, 64, 65), err
    assert code == 0 or not (tmp_path / "out.nii").exists()


def test_hdf5_that_leads_itk_to_another_file(voxcc, tmp_path):
    """The HDF5 library of ITK follows links. The own reader follows none without --allow-external."""
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["secret"] = np.array([11.0, 12.0, 13.0])
        file["voxels"] = np.ones((4, 5, 6), np.uint8)
    for name, target, code in (("Origin", "secret", 64), ("Spacing", "secret", 64), ("VoxelData", "voxels", 65)):
        path = itk_hdf5(tmp_path / "in.h5", data=np.ones((4, 5, 6), np.uint8))
        with h5py.File(path, "a") as file:
            del file[f"ITKImage/0/{name}"]
            file[f"ITKImage/0/{name}"] = h5py.ExternalLink(str(tmp_path / "other.h5"), target)
        for command in (["label", path, "-o", tmp_path / "out.nii", "-q"], ["info", path]):
            line = voxcc.fails(code, *command, "--reader", "itk")
            assert "11" not in line.replace(str(tmp_path), "")  # the folder may contain the number
        assert not (tmp_path / "out.nii").exists()


def test_hdf5_with_huge_chunks_that_were_never_written(voxcc, tmp_path):
    path = itk_hdf5(tmp_path / "in.h5", (100, 100, 100), chunks=(1, 1024, 1 << 20), fillvalue=7)
    code, out, err, kilobytes = run_bounded([voxcc.program, "label", path, "--reader", "itk", "--stats", tmp_path / "t.csv", "-q"])
    assert code in (0, 64, 65, 71) and kilobytes < MOST_KB, err
    assert code != 0 or read_table(tmp_path / "t.csv")[0]["voxels"] == 10**6


def test_hdf5_with_a_wrong_size_of_a_chunk(voxcc, tmp_path):
    """The HDF5 library writes past its buffers if the size of a chunk in the index is too large."""
    path = itk_hdf5(tmp_path / "in.h5", data=np.ones((4, 5, 6), np.uint8), chunks=(4, 5, 6))
    content = path.read_bytes()
    at = content.index(NODE) + SIZE_IN_NODE
    assert content[at : at + 4] == struct.pack("<I", 120)
    for claimed in (0, 1, 119, 121, 100_000, 10_000_000, 0x7FFFFFFF, 0xFFFFFFFF):
        path.write_bytes(content[:at] + struct.pack("<I", claimed) + content[at + 4 :])
        code, out, err, _ = run_bounded([voxcc.program, "label", path, "--reader", "itk", "-o", tmp_path / "out.nii", "-q"])
        assert code in (64, 65) and len(err.splitlines()) == 1 and out == "", (claimed, code, err)
        assert not (tmp_path / "out.nii").exists()


# ---- real files

# Files of VOXCC_TEST_DATA that ITK must not read, and a part of the reason.
REFUSED = {
    "hdf5/": "does not hold /ITKImage/0/VoxelData",
    "nifti/avg152T1_nifti2.nii.gz": "is not recognized as a NIFTI file",
    "nifti/nan_be_float.nii": "voxcc reads nan",
    "tiff/cells3d_nuclei_labels_u32.tif": "ITK reads 0 at voxel",
    "tiff/channels_bigtiff_ome.tif": "voxcc reads 402 x 1112 x 1 (3 volumes)",
    "tiff/variants/miniswhite-1c-1b.tiff": "4 components",
    "tiff/variants/tiled-oversize-gray-i8.tif": "4 components",
}


@needs_data
@pytest.mark.parametrize("name, rule", reference(), ids=str)
def test_real_volumes(voxcc, tmp_path, name, rule):
    connectivity = reference()[name, rule][-1][0]
    reason = next((text for start, text in REFUSED.items() if name.startswith(start)), None)
    for path in inputs(name):
        if path.name == "tooth.raw":
            path = path.with_name("tooth.nhdr")
        given = ["-c", connectivity, *options(rule)]
        if reason:
            refused(voxcc, tmp_path, path, reason, *([] if name.startswith("hdf5/") else given))
            continue
        check_same(voxcc, tmp_path, path, *given, columns=None if name.startswith(("nifti/", "other/brain", "other/dicom")) else VOXEL_COLUMNS)
        own, by_itk = info(voxcc, path, "--no-range"), info(voxcc, path, "--no-range", "--reader", "itk")
        assert by_itk.get("warnings", []) == own.get("warnings", []) or name.startswith("tiff/")
        if "affine" in own:
            np.testing.assert_allclose(by_itk["affine"], own["affine"], rtol=1e-4, atol=1e-4)


@needs_data
@pytest.mark.parametrize("name", hostile())
@pytest.mark.parametrize("command", ("label", "verify"))
def test_hostile(voxcc, tmp_path, command, name):
    """With ITK, a hostile file is an error, or gives the labels of the own reader."""
    path = FOLDER / "hostile" / name
    outputs = ["-o", tmp_path / "out.nii.gz", "--stats", tmp_path / "out.csv", "-q"] if command == "label" else []
    code, out, err, kilobytes = run_bounded([voxcc.program, command, path, "--reader", "itk", *outputs])
    assert kilobytes < MOST_KB
    if code == 0:
        if command == "label":
            labels = read_nifti(tmp_path / "out.nii.gz")
            voxcc("label", path, "-o", tmp_path / "own.nii.gz", "-q")
            np.testing.assert_array_equal(labels, read_nifti(tmp_path / "own.nii.gz"))
        return
    errors = [line for line in err.splitlines() if line.startswith("voxcc: error:")]
    assert code in {64, 65, 66, 71, 74} and len(errors) == 1 and out == "", (code, err)
    assert path.name in errors[0] and list(tmp_path.iterdir()) == []


def test_dicom(voxcc, data, tmp_path):
    """ITK inverts MONOCHROME1, and reads frames in the order of the file."""
    series = tmp_path / "series"
    shutil.copytree(data / "other/dicom_17", series)
    check_same(voxcc, tmp_path, series)
    first = min(series.iterdir())
    check_same(voxcc, tmp_path, first)
    first.write_bytes(first.read_bytes().replace(b"MONOCHROME2", b"MONOCHROME1"))
    refused(voxcc, tmp_path, first, "ITK reads")
    array = np.arange(3 * 15 * 13, dtype="u2").reshape(3, 15, 13)
    for order, reason in (([0, 1, 2], ""), ([2, 0, 1], "ITK reads")):
        path = dicom_files.save(dicom_files.enhanced(array, [dicom_files.groups_of((10, 20, 3 * k)) for k in order]), tmp_path / "frames.dcm")
        if reason:
            refused(voxcc, tmp_path, path, reason)
        else:
            check_same(voxcc, tmp_path, path)
