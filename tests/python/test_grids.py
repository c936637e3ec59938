"""Two files of one grid: --geometry-tolerance, notes about grids that differ, and headers that contradict themselves."""

import struct

import h5py
import nibabel
import numpy as np
import pytest
import tifffile
from helpers import blobs, read_table, write_nifti

SHAPE = (22, 21, 20)


def rotated(angle, spacing=1.5):
    """An affine that turns the volume around z."""
    affine = np.eye(4)
    cosine, sine = np.cos(angle), np.sin(angle)
    affine[:3, :3] = np.array([[-cosine, sine, 0], [-sine, -cosine, 0], [0, 0, 1]]) * spacing
    affine[:3, 3] = (100, 80, -30)
    return affine


def corner_distance(a, b, shape=SHAPE):
    """The largest distance of equal corner voxels, from the affines in the files."""
    corners = np.array([[x, y, z, 1] for x in (0, shape[2] - 1) for y in (0, shape[1] - 1) for z in (0, shape[0] - 1)])
    return np.linalg.norm((corners @ a.T - corners @ b.T)[:, :3], axis=1).max()


def test_corners_are_compared(voxcc, tmp_path):
    write_nifti(tmp_path / "l.nii", blobs(SHAPE), rotated(0.32))
    accepted = []
    for angle in (0, 1e-5, 1e-4, 2e-4, 3e-4, 4e-4, 6e-4, 1e-3, 1e-2):
        write_nifti(tmp_path / "v.nii", np.ones(SHAPE, np.float32), rotated(0.32 + angle))
        apart = corner_distance(nibabel.load(tmp_path / "l.nii").affine, nibabel.load(tmp_path / "v.nii").affine)
        command = ("stats", tmp_path / "l.nii", "--intensity", tmp_path / "v.nii", "-o", "-")
        if apart <= 0.01 * 1.5:
            assert "note" not in voxcc(*command).stderr
            accepted.append(angle)
        else:
            error = voxcc.fails(65, *command)
            assert f"corners are {apart:.6g} mm apart" in error and "--geometry-tolerance" in error
        for tolerance, limit in (("0.1", 0.15), ("0.02mm", 0.02), ("30um", 0.03), ("0.5 voxels", 0.75), ("0", 0)):
            if apart <= limit:
                voxcc(*command, "--geometry-tolerance", tolerance)
            else:
                voxcc.fails(65, *command, "--geometry-tolerance", tolerance)
        done = voxcc(*command, "--geometry-tolerance", "ignore")
        assert ("note: " in done.stderr) == (apart > 0.015)
    assert 1 < len(accepted) < 7


def test_a_limit_is_in_the_smallest_edge(voxcc, tmp_path):
    write_nifti(tmp_path / "l.nii", blobs(SHAPE), np.diag([0.5, 2, 4, 1]))
    for shift, accepted in ((0.0045, True), (0.0055, False)):
        affine = np.diag([0.5, 2, 4, 1.0])
        affine[2, 3] = shift
        write_nifti(tmp_path / "v.nii", np.ones(SHAPE, np.float32), affine)
        command = ("label", tmp_path / "l.nii", "--mask", tmp_path / "v.nii", "--stats", "-")
        voxcc(*command) if accepted else voxcc.fails(65, *command)


@pytest.mark.parametrize("command", ("label", "stats", "report"))
def test_ignored_differences_use_the_first_grid(voxcc, tmp_path, command):
    write_nifti(tmp_path / "l.nii", blobs(SHAPE), np.diag([2.0, 2, 2, 1]))
    write_nifti(tmp_path / "v.nii", np.ones(SHAPE, np.float32), np.diag([3.0, 3, 3, 1]))
    if command == "report":
        voxcc("stats", tmp_path / "l.nii", "-o", tmp_path / "t.csv")
        run = ("report", tmp_path / "t.csv", "--images", tmp_path / "v.nii", "--labels", tmp_path / "l.nii", "-o", tmp_path / "r.html")
    else:
        run = (command, tmp_path / "l.nii", "--intensity", tmp_path / "v.nii", "--stats" if command == "label" else "-o", tmp_path / "t.csv")
    assert "--geometry-tolerance" in voxcc.fails(65, *run)
    done = voxcc(*run, "--geometry-tolerance", "ignore")
    assert "is used" in done.stderr and "note: " in done.stderr
    if command != "report":
        assert all(row["volume_mm3"] == 8 * row["voxels"] for row in read_table(tmp_path / "t.csv"))


def test_units_are_converted_before_grids_are_compared(voxcc, tmp_path):
    volume = blobs((5, 12, 17))
    tifffile.imwrite(tmp_path / "um.tif", volume, imagej=True, resolution=(2, 2), metadata={"unit": "um", "spacing": 3, "axes": "ZYX"})
    tifffile.imwrite(tmp_path / "unknown.tif", volume, imagej=True, resolution=(2, 2), metadata={"unit": "parsec", "spacing": 7, "axes": "ZYX"})
    for micrometres, accepted in ((3, True), (3.1, False)):
        write_nifti(tmp_path / "mm.nii", volume, np.diag([0.0005, 0.0005, micrometres / 1000, 1]))
        command = ("label", tmp_path / "um.tif", "--mask", tmp_path / "mm.nii", "--stats", tmp_path / "t.csv", "-f")
        voxcc(*command) if accepted else voxcc.fails(65, *command)
    voxcc("label", tmp_path / "um.tif", "--mask", tmp_path / "unknown.tif", "--stats", tmp_path / "t.csv", "-f")
    assert "volume_um3" in read_table(tmp_path / "t.csv")[0]


def test_compare_mentions_the_grids(voxcc, tmp_path):
    for name, step in (("a", 0.98), ("b", 3.0), ("c", 0.98)):
        write_nifti(tmp_path / f"{name}.nii", blobs(SHAPE), np.diag([step, step, step, 1]))
    done = voxcc("compare", tmp_path / "a.nii", tmp_path / "b.nii")
    assert done.stdout.startswith("same partition") and "note: " in done.stderr and "corners are" in done.stderr
    assert not voxcc("compare", tmp_path / "a.nii", tmp_path / "c.nii").stderr
    assert not voxcc("compare", tmp_path / "a.nii", tmp_path / "b.nii", "-q").stderr


@pytest.mark.parametrize("text", ("x", "-1", "nan", "1mm2", "5pixel", "1e400", "ignored"))
def test_wrong_tolerances(voxcc, tmp_path, text):
    write_nifti(tmp_path / "a.nii", blobs(SHAPE))
    assert "'ignore'" in voxcc.fails(64, "stats", tmp_path / "a.nii", f"--geometry-tolerance={text}", "-o", "-")


def nifti_with_pixdim(path, affine, pixdim, qform=None):
    image = nibabel.Nifti1Image(blobs((6, 7, 8)).T, np.eye(4))
    image.set_sform(affine, 1)
    image.set_qform(affine if qform is None else qform, 1)
    nibabel.save(image, path)
    data = bytearray(path.read_bytes())
    if pixdim:
        struct.pack_into("<fff", data, 80, *pixdim)
    path.write_bytes(data)


def test_pixdim_and_sform_that_differ(voxcc, tmp_path):
    """The spacing of `info` is the spacing of the table, and a warning states the other one."""
    nifti_with_pixdim(tmp_path / "a.nii", np.diag([-1, 1, 1.5, 1]), (2.875, 3, 2.875))
    info = voxcc("info", tmp_path / "a.nii").stdout
    assert "spacing_mm   1.0  1.0  1.5\n" in info and "pixdim states 2.875 x 3 x 2.875" in info
    done = voxcc("label", tmp_path / "a.nii", "--stats", tmp_path / "t.csv")
    assert "1 x 1 x 1.5, but pixdim states 2.875 x 3 x 2.875" in done.stderr
    assert all(row["volume_mm3"] == 1.5 * row["voxels"] for row in read_table(tmp_path / "t.csv"))
    nifti_with_pixdim(tmp_path / "b.nii", np.diag([-1, 1, 1.5, 1]), None, np.diag([1, 1, 1.5, 1]))
    assert "mirror image" in voxcc("label", tmp_path / "b.nii").stderr
    for affine in (np.diag([-1, 1, 1.5, 1]), rotated(0.3, 0.7)):
        nifti_with_pixdim(tmp_path / "c.nii", affine, None)
        assert not voxcc("label", tmp_path / "c.nii", "-o", tmp_path / "l.nii", "-f").stderr


def test_hdf5_attributes_that_differ(voxcc, tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("seg", data=blobs((6, 7, 8)))
        data.attrs["affine"] = np.diag([1.0, 1, 2, 1])
        data.attrs["element_size_um"] = (2000.0, 1000.0, 1000.0)
    assert not voxcc("label", tmp_path / "a.h5", "--stats", "-").stderr
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file["seg"].attrs["element_size_um"] = (3.0, 1.0, 1.0)
    done = voxcc("label", tmp_path / "a.h5", "--stats", tmp_path / "t.csv")
    assert "the affine, which is used, states voxels of 1 x 1 x 2, but element_size_um states 0.001 x 0.001 x 0.003" in done.stderr
    assert read_table(tmp_path / "t.csv")[0]["volume_mm3"] == 2 * read_table(tmp_path / "t.csv")[0]["voxels"]
