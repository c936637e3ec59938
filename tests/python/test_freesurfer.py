"""FreeSurfer volumes (.mgh, .mgz) against nibabel: values, geometry, label volumes, and damaged files."""

import gzip
import struct

import nibabel
import numpy as np
import pytest
from helpers import blobs, label_scipy, noise, read_table, write_nifti

SHEARED = np.array([[-1.5, 0.25, -0.5, 10.0], [-0.125, 1.25, 0.75, -20.5], [0.0, 0.5, 3.0, 100.25], [0, 0, 0, 1]])
CORONAL = np.array([[-1, 0, 0, 128], [0, 0, 1, -128], [0, -1, 0, 128], [0, 0, 0, 1.0]])
TYPES = ("uint8", "int16", "int32", "float32")


def save(path, array, affine=CORONAL):
    nibabel.save(nibabel.freesurfer.MGHImage(array.T, affine), path)
    return path


@pytest.mark.parametrize("name", ["in.mgh", "in.mgz", "in.mgh.gz"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 64), (1, 30, 65), (7, 11, 63), (12, 13, 14)])
def test_values(voxcc, tmp_path, name, dtype, shape):
    array = (blobs(shape, 0.4) if min(shape) > 1 else noise(shape, 0.5)) * np.arange(1, np.prod(shape) + 1).reshape(shape) % 120
    array = (array if dtype == "uint8" else array * 200 - 3000 * (array > 60)).astype(dtype)
    path = tmp_path / name
    if name == "in.mgh.gz":
        path.write_bytes(gzip.compress(save(tmp_path / "in.mgh", array).read_bytes()))
    else:
        save(path, array)
    voxcc("label", path, "-c", 4 if shape[0] == 1 else 6, "-o", tmp_path / "out.nii", "--stats", tmp_path / "t.csv", "--intensity", path)
    labels = np.asarray(nibabel.load(tmp_path / "out.nii").dataobj).T
    np.testing.assert_array_equal(labels, label_scipy(array != 0, 6))
    for row in read_table(tmp_path / "t.csv"):
        values = array[labels == row["label"]].astype(float)
        assert row["intensity_sum"] == values.sum() and row["intensity_min"] == values.min()


@pytest.mark.parametrize("affine", [np.eye(4), CORONAL, SHEARED], ids=["eye", "coronal", "sheared"])
@pytest.mark.parametrize("shape", [(12, 13, 14), (5, 6, 7), (1, 9, 8)])
def test_geometry(voxcc, tmp_path, affine, shape):
    """Read: the affine of nibabel. Written: nibabel reads the affine of the input, within float32."""
    array = noise(shape, 0.2)
    loaded = nibabel.load(save(tmp_path / "in.mgz", array, affine))
    voxcc("label", tmp_path / "in.mgz", "-o", tmp_path / "out.nii", "--stats", tmp_path / "t.csv")
    np.testing.assert_allclose(nibabel.load(tmp_path / "out.nii").affine, loaded.affine, atol=2e-5)
    for row in read_table(tmp_path / "t.csv"):
        ijk = [row["centroid_i"], row["centroid_j"], row["centroid_k"], 1]
        np.testing.assert_allclose([row["centroid_x_mm"], row["centroid_y_mm"], row["centroid_z_mm"]], (loaded.affine @ ijk)[:3], atol=1e-5)
    write_nifti(tmp_path / "n.nii", array, affine)
    for source in ("in.mgz", "n.nii"):
        voxcc("label", tmp_path / source, "-f", "-o", tmp_path / "out.mgz")
        np.testing.assert_allclose(nibabel.load(tmp_path / "out.mgz").affine, affine, atol=3e-5)


def test_header_without_geometry(voxcc, tmp_path):
    """FreeSurfer then assumes coronal slices of 1 mm. (nibabel 5.4 transposes these directions.)"""
    array = noise((6, 7, 8), 0.3)
    content = bytearray(save(tmp_path / "in.mgh", array).read_bytes())
    content[28:30] = b"\0\0"
    (tmp_path / "in.mgh").write_bytes(content)
    voxcc("label", tmp_path / "in.mgh", "-o", tmp_path / "out.nii")
    coronal = np.array([[-1, 0, 0, 4], [0, 0, 1, -3], [0, -1, 0, 3.5], [0, 0, 0, 1]])
    np.testing.assert_array_equal(nibabel.load(tmp_path / "out.nii").affine, coronal)


@pytest.mark.parametrize("name", ["out.mgh", "out.mgz"])
@pytest.mark.parametrize("level", [0, 1, 6])
@pytest.mark.parametrize("threads", [1, 3])
def test_labels(voxcc, tmp_path, name, level, threads):
    few, many = blobs((20, 21, 66)), noise((60, 80, 90), 0.08)
    for array, dtype in ((few, np.uint8), (many, np.int16)):
        write_nifti(tmp_path / "in.nii", array)
        voxcc("label", tmp_path / "in.nii", "-f", "-o", tmp_path / name, "--compress", level, "-t", threads)
        image = nibabel.load(tmp_path / name)
        assert image.get_data_dtype() == np.dtype(dtype).newbyteorder(">")
        np.testing.assert_array_equal(np.asarray(image.dataobj).T, label_scipy(array, 26))
        assert voxcc("compare", "--exact", tmp_path / name, tmp_path / name).stdout.startswith("same labels")
    voxcc("label", tmp_path / "in.nii", "-f", "-o", tmp_path / name, "--dtype", "int32", "--size-output", tmp_path / "sizes.mgz", "--mask-output", tmp_path / "mask.mgz")
    assert nibabel.load(tmp_path / name).get_data_dtype() == ">i4"
    sizes = np.bincount(label_scipy(many, 26).ravel())
    sizes[0] = 0
    np.testing.assert_array_equal(np.asarray(nibabel.load(tmp_path / "sizes.mgz").dataobj).T, sizes[label_scipy(many, 26)])


def test_values_as_output(voxcc, tmp_path):
    array = blobs((10, 11, 12)).astype(np.float32) * 0.3
    save(tmp_path / "in.mgz", array)
    voxcc("label", tmp_path / "in.mgz", "--masked-output", tmp_path / "out.mgz")
    np.testing.assert_array_equal(np.asarray(nibabel.load(tmp_path / "out.mgz").dataobj).T, array)
    write_nifti(tmp_path / "d.nii", array.astype(np.float64))
    assert "float64; write .nii.gz" in voxcc.fails(64, "label", tmp_path / "d.nii", "--masked-output", tmp_path / "double.mgz")
    assert not (tmp_path / "double.mgz").exists()
    assert "--dtype" in voxcc.fails(64, "label", tmp_path / "d.nii", "--dtype", "uint64", "-o", tmp_path / "o.mgz")


def test_volumes_and_trailer(voxcc, tmp_path):
    array = np.stack([noise((5, 6, 7), 0.3, seed=s) for s in range(3)])
    save(tmp_path / "in.mgz", array)
    assert "--volume 0..2" in voxcc.fails(64, "label", tmp_path / "in.mgz")
    for volume in range(3):
        done = voxcc("label", tmp_path / "in.mgz", "--volume", volume, "-f", "-o", tmp_path / "out.nii")
        assert not done.stderr  # voxcc does not warn about the bytes after the voxels
        np.testing.assert_array_equal(np.asarray(nibabel.load(tmp_path / "out.nii").dataobj).T, label_scipy(array[volume], 26))


def test_damaged(voxcc, tmp_path):
    array = noise((10, 11, 12), 0.3)
    content = save(tmp_path / "good.mgh", array).read_bytes()
    bad = tmp_path / "bad.mgh"
    for length in (0, 3, 4, 100, 283, 284, 284 + array.size - 1):
        bad.write_bytes(content[:length])
        voxcc.fails(65, "label", bad)
        if length:
            (tmp_path / "bad.mgz").write_bytes(gzip.compress(content[:length]))
            voxcc.fails(65, "label", tmp_path / "bad.mgz")
    for offset, value in ((0, 2), (4, 0), (4, -5), (8, 2**31 - 1), (12, 2**30), (16, 0), (16, 2**31 - 1), (20, 7), (20, -1)):
        bad.write_bytes(content[:offset] + struct.pack(">i", value) + content[offset + 4 :])
        voxcc.fails(65, "label", bad)
    bad.write_bytes(content[:4] + struct.pack(">4i", *[2**31 - 1] * 4) + content[20:])
    assert "2^63" in voxcc.fails(65, "label", bad)
    packed = bytearray(gzip.compress(content))
    packed[-5] ^= 1
    (tmp_path / "bad.mgz").write_bytes(packed)
    voxcc.fails(65, "label", tmp_path / "bad.mgz")
    voxcc.fails(64, "label", tmp_path / "good.mgh", "--reader", "itk")


def test_streamed(voxcc, tmp_path):
    from helpers import streaming_limit
    save(tmp_path / "in.mgz", noise((100, 110, 120), 0.2, 2).astype(np.int16))
    voxcc("label", tmp_path / "in.mgz", "-o", tmp_path / "a.mgz")
    limit = streaming_limit(voxcc, "label", tmp_path / "in.mgz", "-o", "x.mgz", cwd=tmp_path)
    voxcc("label", tmp_path / "in.mgz", "-o", tmp_path / "b.mgz", *limit)
    assert (tmp_path / "a.mgz").read_bytes() == (tmp_path / "b.mgz").read_bytes()
