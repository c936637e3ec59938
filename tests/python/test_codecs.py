"""NRRD and MetaImage with every encoding that ITK reads or writes, against SimpleITK and pynrrd."""

import nrrd
import numpy as np
import pytest
import SimpleITK
from helpers import label_scipy, noise, read_nifti

VOLUME = noise((9, 10, 11), 0.3).astype(np.int16) * 7


@pytest.mark.parametrize("extension", ["nrrd", "nhdr", "mha", "mhd"])
@pytest.mark.parametrize("compress", [False, True])
def test_written_by_itk(voxcc, tmp_path, extension, compress):
    path = tmp_path / f"v.{extension}"
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(VOLUME), str(path), compress)
    voxcc("label", path, "-o", tmp_path / "out.nii")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME != 0, 26))


@pytest.mark.parametrize("encoding", ["raw", "gzip", "gz", "ascii", "text", "txt", "hex"])
@pytest.mark.parametrize("order", "<>")
def test_nrrd(voxcc, tmp_path, encoding, order):
    path = tmp_path / "v.nrrd"
    array = VOLUME.astype(np.dtype(np.int16).newbyteorder(order))
    if encoding == "hex":
        header = f"NRRD0004\ntype: int16\ndimension: 3\nsizes: 11 10 9\nendian: {'little' if order == '<' else 'big'}\nencoding: hex\n\n"
        path.write_text(header + array.tobytes().hex() + "\n")
    else:
        nrrd.write(str(path), array, {"encoding": encoding}, index_order="C")
    np.testing.assert_array_equal(SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))), VOLUME)
    voxcc("label", path, "-o", tmp_path / "out.nii")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME != 0, 26))


def test_bzip2_is_refused_as_by_itk(voxcc, tmp_path):
    nrrd.write(str(tmp_path / "v.nrrd"), VOLUME, {"encoding": "bzip2"}, index_order="C")
    assert "encoding 'bzip2' is not read" in voxcc.fails(65, "label", tmp_path / "v.nrrd")
    with pytest.raises(RuntimeError):
        SimpleITK.ReadImage(str(tmp_path / "v.nrrd"))
