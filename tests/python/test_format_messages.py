"""Messages about files that are not read: each names the cause and one remedy."""

import struct

import h5py
import nibabel
import numpy as np
import pytest
from helpers import noise

VOLUME = noise((4, 5, 6), 0.4)


def test_only_datasets_that_can_be_volumes_are_listed(voxcc, tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["entry/data/frames"], file["entry/mask"] = VOLUME, VOLUME
        file["entry/angle"], file["entry/name"], file["entry/times"] = 3.5, "text", np.arange(9.0)
        for i in range(1000):
            file[f"entry/detector/setting{i:04d}"] = i
    line = voxcc.fails(64, "label", tmp_path / "a.h5")
    assert line.endswith("choose one with --dataset: /entry/data/frames uint8 4x5x6, /entry/mask uint8 4x5x6")
    assert voxcc("label", tmp_path / "a.h5", "--dataset", "/entry/mask").returncode == 0


def test_at_most_ten_datasets_are_listed(voxcc, tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for i in range(25):
            file[f"v{i:02d}"] = VOLUME
    line = voxcc.fails(64, "label", tmp_path / "a.h5")
    assert line.count("uint8") == 10 and line.endswith("/v09 uint8 4x5x6 and 15 more")


@pytest.mark.parametrize("shape, further", [((4, 5, 6), (4,)), ((3, 4, 5, 6), (3, 4))])
def test_minc(voxcc, tmp_path, shape, further):
    """The datasets with the scales of a 4D image have two axes, and are not the volume."""
    with h5py.File(tmp_path / "a.mnc", "w") as file:
        file["minc-2.0/image/0/image"] = np.ones(shape, np.uint16)
        file["minc-2.0/image/0/image-min"], file["minc-2.0/image/0/image-max"] = np.zeros(further), np.ones(further)
    line = voxcc.fails(65, "label", tmp_path / "a.mnc")
    assert "is a MINC image" in line and "mnc2nii" in line and "choose its dataset /minc-2.0/image/0/image" in line
    voxcc("label", tmp_path / "a.mnc", "--dataset", "/minc-2.0/image/0/image", "--volume", 0)


def test_newer_hdf5(voxcc, tmp_path):
    """A byte of the data layout message states a version that no library knows."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["d"] = VOLUME
        address = h5py.h5o.get_info(file["d"].id).addr
    content = bytearray((tmp_path / "a.h5").read_bytes())
    layout = content.index(struct.pack("<HH", 8, 24), address)  # type and size of the message
    content[layout + 8] = 9
    (tmp_path / "a.h5").write_bytes(content)
    line = voxcc.fails(65, "label", tmp_path / "a.h5")
    assert "its format is newer than HDF5 " in line and "bad version number for layout message" in line
    assert line.endswith("write it in an older format, for example with libver='v110' in h5py")


@pytest.mark.parametrize("intent", [3001, 3002, 3006, 3007, 3099])
def test_cifti(voxcc, tmp_path, intent):
    image = nibabel.Nifti2Image(np.zeros((1, 1, 1, 1, 7, 9), np.float32), np.eye(4))
    image.header["intent_code"] = intent
    nibabel.save(image, tmp_path / "a.dtseries.nii")
    for command in ("label", "info", "verify"):
        line = voxcc.fails(65, command, tmp_path / "a.dtseries.nii")
        assert f"is not a volume (CIFTI-2 connectivity data, intent {intent}); write its voxels with 'wb_command -cifti-separate'" in line


@pytest.mark.parametrize("intent", [0, 2, 1001, 1002, 3000, 3100])
def test_other_intents_are_volumes(voxcc, tmp_path, intent):
    image = nibabel.Nifti2Image(VOLUME.T, np.eye(4))
    image.header["intent_code"] = intent
    nibabel.save(image, tmp_path / "a.nii")
    voxcc("label", tmp_path / "a.nii")


FOREIGN = {
    "image.vti": (b'<?xml version="1.0"?>\n<VTKFile type="ImageData">', "is a VTK XML file; save it as .mha or legacy .vtk"),
    "volume.slc": (b"11111 10 10 10 8 ", "is a VolVis volume (SLC); read it with VTK or ParaView"),
    "data.nc": (b"CDF\x01" + bytes(60), "is a NetCDF file of version 3; convert it to HDF5 with 'nccopy -k nc4 "),
    "data": (b"CDF\x02" + bytes(60), "is a NetCDF file of version 3"), "file": (b'<VTKFile type="ImageData" version="1.0">', "is a VTK XML file"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_formats_of_other_programs(voxcc, tmp_path, name):
    content, message = FOREIGN[name]
    (tmp_path / name).write_bytes(content)
    for command in ("label", "info", "verify"):
        assert message in voxcc.fails(65, command, tmp_path / name)
