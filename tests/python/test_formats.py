"""Label volumes read with other libraries: values, type, geometry, headers, compression."""

import subprocess
import zlib

import h5py
import nibabel
import nrrd
import numpy as np
import pytest
import SimpleITK
import tifffile
from helpers import blobs, label_scipy, noise, read_nifti, write_nifti

SHEARED = np.array([[2.0, 0.25, -0.5, 10.0], [-0.125, 1.5, 0.75, -20.5], [0.0, 0.5, 3.0, 1000.25], [0, 0, 0, 1]])
SCALED = np.array([[-2.0, 0, 0, 100.5], [0, 1.5, 0, -20.0], [0, 0, 3.0, 7.0], [0, 0, 0, 1]])


def only_dataset(path):
    """The values of the only dataset in an HDF5 file."""
    found = []
    with h5py.File(path) as file:
        file.visititems(lambda name, node: found.append(node[()]) if isinstance(node, h5py.Dataset) and node.ndim == 3 else None)
    assert len(found) == 1
    return found[0]


def read_folder(folder):
    return np.stack([tifffile.imread(path) for path in sorted(folder.iterdir())])


READERS = {
    "out.nii": read_nifti,
    "out.nii.gz": read_nifti,
    "out.h5": only_dataset,
    "out.hdf5": only_dataset,
    "out.tif": tifffile.imread,
    "out.tiff": tifffile.imread,
    "out.nrrd": lambda path: nrrd.read(str(path), index_order="C")[0],
    "out.mha": lambda path: SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))),
    "out.mhd": lambda path: SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))),
    "out.npy": lambda path: np.load(path).T,
    "slices/": read_folder,
    "s/%04d.tif": lambda path: read_folder(path.parent),
}


def write(voxcc, folder, array, name, *options, affine=None):
    write_nifti(folder / "in.nii", array, affine)
    (folder / name).parent.mkdir(exist_ok=True)
    voxcc("label", folder / "in.nii", "-o", f"{folder}/{name}", "-f", *options)
    return folder / name


@pytest.mark.parametrize("name", READERS)
def test_written_as_expected(voxcc, tmp_path, name):
    """--dtype may be any type that fits. The default is the smallest type."""
    volume = noise((20, 21, 66), 0.1)
    expected = label_scipy(volume, 26)
    assert 255 < expected.max() <= 32767
    automatic = READERS[name](write(voxcc, tmp_path, volume, name))
    assert automatic.dtype == (np.int16 if "nii" in name else np.uint16)
    np.testing.assert_array_equal(automatic, expected)
    for dtype in ("uint16", "uint32", "uint64"):
        if "nii" in name and dtype == "uint64":
            continue  # neuroimaging programs do not read uint64
        ours = READERS[name](write(voxcc, tmp_path, volume, name, "--dtype", dtype))
        assert ours.dtype == dtype or ("nii" in name and ours.dtype == np.int32)
        np.testing.assert_array_equal(ours, expected)
    few = blobs((20, 21, 66))
    ours = READERS[name](write(voxcc, tmp_path, few, name))
    assert ours.dtype == np.uint8
    np.testing.assert_array_equal(ours, label_scipy(few, 26))


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("level", (0, 1, 9))
def test_compression_levels(voxcc, tmp_path, name, level):
    volume = blobs((30, 61, 130), 0.3)
    ours = write(voxcc, tmp_path, volume, name, "--compress", level, "-t", "2")
    np.testing.assert_array_equal(READERS[name](ours), label_scipy(volume, 26))
    if name.endswith(".gz"):
        subprocess.run(["gzip", "--test", ours], check=True)


def test_gzip_is_one_member(voxcc, tmp_path):
    """Some readers stop at the end of the first member."""
    volume = noise((64, 128, 256), 0.3)
    path = write(voxcc, tmp_path, volume, "out.nii.gz", "-t", "2")
    member = zlib.decompressobj(wbits=31)
    member.decompress(path.read_bytes())
    assert member.eof and member.unused_data == b""


@pytest.mark.parametrize("name, limits, types", [("out.nii", (255, 32767), (np.uint8, np.int16, np.int32)),
                                                 ("out.tif", (255, 65535), (np.uint8, np.uint16, np.uint32))], ids=["nii", "tif"])
def test_type_steps_exactly_at_the_limits(voxcc, tmp_path, name, limits, types):
    points = np.argwhere((np.indices((80, 82, 84)) % 2 == 0).all(0))
    for step, limit in enumerate(limits):
        for count in (limit, limit + 1):
            expected = np.zeros((80, 82, 84), np.int64)
            expected[tuple(points[:count].T)] = np.arange(1, count + 1)
            ours = READERS[name](write(voxcc, tmp_path, (expected > 0).astype(np.uint8), name))
            np.testing.assert_array_equal(ours, expected)
            assert ours.dtype == types[step + (count > limit)]


@pytest.mark.parametrize("cls", [nibabel.Nifti1Image, nibabel.Nifti2Image], ids=["nifti1", "nifti2"])
@pytest.mark.parametrize("suffix", ("nii", "nii.gz"))
def test_nifti_header_is_kept(voxcc, tmp_path, cls, suffix):
    image = cls(blobs((12, 13, 14)).T, SHEARED)
    image.set_sform(SHEARED, 4)
    image.set_qform(SCALED, 1)
    header = image.header
    header.set_xyzt_units("mm", "sec")
    header["dim_info"] = 57
    header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"written by a scanner"))
    nibabel.save(image, tmp_path / f"in.{suffix}")
    voxcc("label", tmp_path / f"in.{suffix}", "-o", tmp_path / f"out.{suffix}")
    before, after = nibabel.load(tmp_path / f"in.{suffix}"), nibabel.load(tmp_path / f"out.{suffix}")
    assert type(after) is type(before)
    np.testing.assert_array_equal(after.affine, before.affine)
    for get in ("get_sform", "get_qform"):
        for ours, theirs in zip(getattr(after, get)(coded=True), getattr(before, get)(coded=True)):
            np.testing.assert_array_equal(ours, theirs)
    for field in ("pixdim", "xyzt_units", "dim_info", "quatern_b", "quatern_c", "quatern_d", "qoffset_x", "srow_x", "srow_y", "srow_z"):
        np.testing.assert_array_equal(after.header[field], before.header[field], err_msg=field)
    assert [(e.get_code(), e.get_content()) for e in after.header.extensions] == [(e.get_code(), e.get_content()) for e in before.header.extensions]
    assert after.header.get_slope_inter() in ((None, None), (1.0, 0.0))


@pytest.mark.parametrize("cls", [nibabel.Nifti1Image, nibabel.Nifti2Image], ids=["nifti1", "nifti2"])
@pytest.mark.parametrize("order", "<>")
def test_nifti_labels_have_the_intent_of_labels(voxcc, tmp_path, cls, order):
    """The labels of a t map must have its geometry, but not its intent, description and display range."""
    header = cls.header_class(endianness=order)
    image = cls(blobs((12, 13, 14)).T.astype(np.float32), SHEARED, header)
    image.header.set_intent("t test", (20,), name="group > control")
    image.header["descrip"] = b"t map of a study with 21 subjects"
    image.header["cal_min"], image.header["cal_max"] = -5, 5
    nibabel.save(image, tmp_path / "in.nii")
    assert nibabel.load(tmp_path / "in.nii").header.endianness == order
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "out.nii")
    before, after = nibabel.load(tmp_path / "in.nii"), nibabel.load(tmp_path / "out.nii")
    assert after.header.get_intent() == ("label", (), "")
    assert [float(after.header[f"intent_p{i}"]) if f"intent_p{i}" in after.header else 0 for i in (1, 2, 3)] == [0, 0, 0]
    assert after.header["descrip"].item().decode().startswith("voxcc ")
    assert (after.header["cal_min"], after.header["cal_max"]) == (0, 0)
    np.testing.assert_array_equal(after.affine, before.affine)
    for field in ("pixdim", "xyzt_units", "sform_code", "qform_code"):
        np.testing.assert_array_equal(after.header[field], before.header[field], err_msg=field)


@pytest.mark.parametrize("name", ("in.tif", "in.nrrd"))
def test_nifti_labels_of_another_format_have_the_intent_of_labels(voxcc, tmp_path, name):
    volume = blobs((12, 13, 14))
    if name.endswith("tif"):
        tifffile.imwrite(tmp_path / name, volume)
    else:
        nrrd.write(str(tmp_path / name), volume, index_order="C")
    voxcc("label", tmp_path / name, "-o", tmp_path / "out.nii.gz")
    header = nibabel.load(tmp_path / "out.nii.gz").header
    assert header.get_intent() == ("label", (), "no voxel size")
    voxcc("label", tmp_path / name, "--spacing", "1,2,3", "-o", tmp_path / "sized.nii.gz")
    assert nibabel.load(tmp_path / "sized.nii.gz").header.get_intent() == ("label", (), "")
    assert header["descrip"].item().decode().startswith("voxcc ")


def test_scaling_does_not_reach_the_labels(voxcc, tmp_path):
    image = nibabel.Nifti1Image(blobs((12, 13, 14)).T, np.eye(4))
    image.header.set_slope_inter(0.5, -3)
    nibabel.save(image, tmp_path / "in.nii")
    raw = bytearray((tmp_path / "in.nii").read_bytes())
    raw[112:120] = np.array([0.5, -3.0], "<f4").tobytes()  # nibabel removes these values when it saves
    (tmp_path / "in.nii").write_bytes(raw)
    voxcc("label", tmp_path / "in.nii", "--threshold", ">-3", "-o", tmp_path / "out.nii")
    stored = np.frombuffer(bytes(raw[352:]), np.uint8).reshape(12, 13, 14)
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(stored > 0, 26))


@pytest.mark.parametrize("name", ["out.nrrd", "out.mha", "out.mhd"])
def test_geometry_for_itk(voxcc, tmp_path, name):
    """World coordinates are RAS+ in NIfTI and LPS+ in ITK."""
    volume = blobs((12, 13, 14))
    path = write(voxcc, tmp_path, volume, name, affine=SCALED)
    image = SimpleITK.ReadImage(str(path))
    for index in ((0, 0, 0), (13, 12, 11), (3, 5, 7)):
        world = np.diag([-1, -1, 1]) @ (SCALED @ [*index, 1])[:3]
        np.testing.assert_allclose(image.TransformIndexToPhysicalPoint(index), world, rtol=1e-12)


def test_spacing_in_tiff_and_hdf5(voxcc, tmp_path):
    """Other programs read the voxel size from these fields."""
    path = write(voxcc, tmp_path, blobs((12, 13, 14)), "out.tif", affine=SCALED)
    with tifffile.TiffFile(path) as file:
        assert file.imagej_metadata["spacing"] == 3.0
        numerator, denominator = file.pages[0].tags["XResolution"].value
        assert denominator / numerator == pytest.approx(2.0, rel=1e-5)
    path = write(voxcc, tmp_path, blobs((12, 13, 14)), "out.h5", affine=SCALED)
    for suffix in ("tif", "h5"):
        voxcc("label", tmp_path / f"out.{suffix}", "--stats", tmp_path / "t.csv", "-f")
        voxcc("label", tmp_path / "in.nii", "--stats", tmp_path / "u.csv", "-f")
        volumes = [[line.split(",")[2] for line in (tmp_path / name).read_text().splitlines()[1:]] for name in ("t.csv", "u.csv")]
        np.testing.assert_allclose(np.array(volumes[0], float), np.array(volumes[1], float), rtol=1e-5)


def test_seventy_thousand_pages(voxcc, tmp_path):
    volume = np.zeros((70_000, 2, 3), np.uint8)
    volume[::7] = 1
    tifffile.imwrite(tmp_path / "in.tif", volume, photometric="minisblack", metadata=None)
    voxcc("label", tmp_path / "in.tif", "-o", tmp_path / "out.tif", "--stats", tmp_path / "t.csv")
    ours = tifffile.imread(tmp_path / "out.tif")
    np.testing.assert_array_equal(ours, label_scipy(volume, 26))
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 10_001


def test_same_bytes_twice(voxcc, tmp_path):
    """Outputs must not contain time stamps, file names or temporary paths."""
    volume = blobs((20, 21, 40))
    for name in READERS:
        seen = set()
        for folder in ("first", "second"):
            (tmp_path / folder / "out").mkdir(parents=True, exist_ok=True)
            write(voxcc, tmp_path / folder, volume, f"out/{name}" if "%" not in name else "out/%04d.tif")
            files = [path for path in sorted((tmp_path / folder / "out").rglob("*")) if path.is_file()]
            seen.add(b"".join(path.read_bytes() for path in files))
            for path in files:
                path.unlink()
        assert len(seen) == 1 and seen != {b""}, name


def test_template_leaves_other_files_alone(voxcc, tmp_path):
    volume = blobs((5, 6, 7))
    write_nifti(tmp_path / "in.nii", volume)
    (tmp_path / "slices").mkdir()
    (tmp_path / "slices" / "notes.txt").write_text("mine")
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "slices" / "s%04d.tif")
    assert (tmp_path / "slices" / "notes.txt").read_text() == "mine"
    assert len(list((tmp_path / "slices").glob("s*.tif"))) == 5
