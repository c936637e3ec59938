"""External links of HDF5 files: the file that holds the dataset counts, and not the file with the link."""

import json

import h5py
import numpy as np
import pytest
from helpers import blobs, label_scipy, read_nifti

VOLUME = blobs((12, 14, 16), 0.2).astype(np.int16)
LINK = ("--dataset", "/link", "--allow-external")


@pytest.fixture(name="source")
def fixture_source(tmp_path):
    """Contiguous voxels far behind the end of the linking files."""
    (tmp_path / "data").mkdir()
    with h5py.File(tmp_path / "data" / "source.h5", "w") as file:
        file["before"] = np.zeros(10_000, np.uint8)
        file["group/volume"] = VOLUME
        file["soft"] = h5py.SoftLink("/group/volume")
        assert file["group/volume"].id.get_offset() > 10_000
    return tmp_path / "data" / "source.h5"


def link(path, file_name, target):
    with h5py.File(path, "w") as file:
        file["link"] = h5py.ExternalLink(file_name, target)
    assert path.stat().st_size < 4000
    return path


def expect_volume(voxcc, path):
    voxcc("label", path, *LINK, "-o", path.parent / "labels.nii", "-f")
    np.testing.assert_array_equal(read_nifti(path.parent / "labels.nii"), label_scipy(VOLUME != 0, 26))
    voxcc("verify", path, *LINK)
    assert json.loads(voxcc("info", path, *LINK, "--json").stdout)["shape"][:3] == [16, 14, 12]


@pytest.mark.parametrize("target", ["/group/volume", "/soft"])
def test_small_file_with_a_link(voxcc, tmp_path, source, target):
    expect_volume(voxcc, link(tmp_path / "a.h5", "data/source.h5", target))
    assert "leads to another file" in voxcc.fails(65, "label", tmp_path / "a.h5", "--dataset", "/link", "-o", tmp_path / "no.nii")


def test_link_to_a_link(voxcc, tmp_path, source):
    link(tmp_path / "data" / "middle.h5", "source.h5", "/soft")
    expect_volume(voxcc, link(tmp_path / "a.h5", "data/middle.h5", "/link"))


def test_large_file_with_a_link_to_a_truncated_file(voxcc, tmp_path, source):
    """The length of the file with the link must not hide that the other file is truncated."""
    with h5py.File(source, "r") as file:
        voxels = file["group/volume"].id.get_offset()
    path = link(tmp_path / "a.h5", "data/source.h5", "/group/volume")
    with h5py.File(path, "a") as file:
        file["large"] = np.zeros(100_000, np.uint8)
    intact = source.read_bytes()
    for length in (voxels + 100, voxels, len(intact) - 1):
        source.write_bytes(intact[:length])
        line = voxcc.fails(65, "label", path, *LINK, "-o", tmp_path / "labels.nii")
        assert "data/source.h5: is shorter than its header states; the file is truncated" in line and not (tmp_path / "labels.nii").exists()


def test_claims_are_compared_with_the_file_that_holds_the_dataset(voxcc, tmp_path, source):
    """The voxels lie behind the end of their file, which the HDF5 library does not check before it reads."""
    content = source.read_bytes()
    with h5py.File(source, "r") as file:
        voxels = file["group/volume"].id.get_offset()
    far = 1 << 20
    assert content.count(voxels.to_bytes(8, "little")) == 1
    source.write_bytes(content.replace(voxels.to_bytes(8, "little"), far.to_bytes(8, "little")))
    path = link(tmp_path / "a.h5", "data/source.h5", "/group/volume")
    with h5py.File(path, "a") as file:
        file["large"] = np.zeros(2 * far, np.uint8)
    line = voxcc.fails(65, "label", path, *LINK, "-o", tmp_path / "labels.nii")
    assert f"source.h5: /link: expected {VOLUME.nbytes} bytes from byte {far} on, the file has {len(content)}" in line
