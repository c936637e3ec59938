"""--reader: ITK and voxcc's own readers give the same labels and tables. docs/develop/reader.md lists the differences, which are tested here."""

import json
import os
import shutil
import struct
import subprocess

import h5py
import nibabel
import nrrd
import numpy as np
import pytest
import SimpleITK
import tifffile
from helpers import landlock_version, noise, read_nifti, read_table, write_nifti
from readers import ITK_ONLY, TYPES, VOLUME, VOXEL_COLUMNS, affine_of, check_same, info, label, oblique, refused, stored

# ---- the same result


@pytest.mark.parametrize("suffix", ("nii", "nii.gz", "img", "nrrd", "nhdr", "mha", "mhd", "h5"))
def test_volumes_that_itk_wrote(voxcc, tmp_path, suffix):
    """Labels, tables and properties are the same, and both affines are the affine that ITK was given."""
    path = tmp_path / f"in.{suffix}"
    for dtype in TYPES:
        image = oblique(stored(dtype))
        SimpleITK.WriteImage(image, str(path), dtype in ("uint8", "int16", "float32"))
        check_same(voxcc, tmp_path, path, "--multilabel")
        own, by_itk = info(voxcc, path), info(voxcc, path, "--reader", "itk")
        for found in (own, by_itk):
            np.testing.assert_allclose(found["affine"], affine_of(image), rtol=1e-5, atol=1e-5)
        for key in ("format", "compression", "shape", "dimensions", "volumes", "stored_type", "read_as", "range"):
            assert by_itk[key] == own[key], key
        assert "warnings" not in by_itk


@pytest.mark.parametrize("order", "<>")
def test_byte_orders(voxcc, tmp_path, order):
    for dtype in TYPES:
        array = stored(np.dtype(dtype).newbyteorder(order))
        image = nibabel.Nifti1Image(array.T, np.eye(4), nibabel.Nifti1Header(endianness=order), dtype=array.dtype)
        nibabel.save(image, tmp_path / "in.nii")
        check_same(voxcc, tmp_path, tmp_path / "in.nii", "--multilabel")
        for encoding in ("raw", "gzip", "ascii"):
            if encoding == "ascii" and dtype in ("int64", "uint64"):
                continue  # pynrrd rounds them to 17 digits
            nrrd.write(str(tmp_path / "in.nrrd"), array, {"encoding": encoding}, index_order="C")
            check_same(voxcc, tmp_path, tmp_path / "in.nrrd", "--multilabel", columns=VOXEL_COLUMNS)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("given", [{}, {"bigtiff": True}, {"compression": "zlib"}, {"compression": "lzw"}, {"compression": "packbits"},
                                   {"compression": "zlib", "predictor": True}, {"rowsperstrip": 5}], ids=str)
def test_tiff(voxcc, tmp_path, given, order):
    for dtype in ("uint8", "int8", "uint16", "int16", "float32"):
        tifffile.imwrite(tmp_path / "in.tif", stored(dtype), photometric="minisblack", byteorder=order, metadata=None, **given)
        check_same(voxcc, tmp_path, tmp_path / "in.tif", "--multilabel")


def test_2d_images(voxcc, tmp_path):
    for suffix in ("nii", "nrrd", "mha", "h5", "tif"):
        path = tmp_path / f"in.{suffix}"
        SimpleITK.WriteImage(SimpleITK.GetImageFromArray(VOLUME[0]), str(path))
        check_same(voxcc, tmp_path, path, "-c", "4", columns=VOXEL_COLUMNS)
        assert info(voxcc, path, "--reader", "itk")["dimensions"] == 2


@pytest.mark.parametrize("suffix", ("nii", "mha", "h5"))
def test_a_volume_of_a_series(voxcc, tmp_path, suffix):
    path = tmp_path / f"in.{suffix}"
    both = [SimpleITK.GetImageFromArray(array) for array in (VOLUME, 1 - VOLUME)]
    SimpleITK.WriteImage(SimpleITK.JoinSeries(both), str(path))
    assert "holds 2 volumes" in voxcc.fails(64, "label", path, "--reader", "itk", "-o", tmp_path / "no.nii", "-q")
    for volume in ("0", "1"):
        check_same(voxcc, tmp_path, path, "--volume", volume, columns=VOXEL_COLUMNS)
    assert ("affine" in info(voxcc, path, "--reader", "itk")) == (suffix != "h5")
    sizes = []
    for given in ([], ["--reader", "itk"]):
        voxcc("label", path, "--volume", "all", "--stats", tmp_path / "all.csv", "-f", "-q", *given)
        sizes.append([(row["volume"], row["voxels"]) for row in read_table(tmp_path / "all.csv")])
    assert sizes[0] == sizes[1] and {volume for volume, _ in sizes[0]} == {0, 1}


def test_slices(voxcc, tmp_path):
    for suffix in ("tif", "png"):
        folder = tmp_path / suffix
        folder.mkdir()
        for number, image in enumerate(VOLUME):
            SimpleITK.WriteImage(SimpleITK.GetImageFromArray(image), str(folder / f"s{number}.{suffix}"))
        check_same(voxcc, tmp_path, folder, "--spacing", "1,2,3")


def test_scaled_values_of_nifti(voxcc, tmp_path):
    """ITK returns the scaled values as float32. The thresholds below are not near to a value."""
    for dtype, slope, intercept in (("uint8", 2.5, -1024), ("int16", 0.1, 0), ("int32", -2, 10), ("float32", 1, 5), ("float64", 0.5, 3)):
        array = np.arange(VOLUME.size).reshape(VOLUME.shape) % 100
        nibabel.save(nibabel.Nifti1Image(array.astype(dtype).T, np.eye(4)), tmp_path / "in.nii")
        content = bytearray((tmp_path / "in.nii").read_bytes())
        content[112:120] = struct.pack("<2f", slope, intercept)
        (tmp_path / "in.nii").write_bytes(content)
        level = slope * 49.5 + intercept
        check_same(voxcc, tmp_path, tmp_path / "in.nii", f"--threshold=>{level}")
        by_itk = info(voxcc, tmp_path / "in.nii", "--reader", "itk")
        assert "scaling" not in by_itk and by_itk["stored_type"] == dtype
        assert sorted([slope * 99 + intercept, intercept]) == pytest.approx([by_itk["range"]["min"], by_itk["range"]["max"]], rel=1e-6)


def test_slabs_read_the_file_again(voxcc, tmp_path):
    SimpleITK.WriteImage(oblique(noise((40, 50, 60), 0.3)), str(tmp_path / "in.mha"), True)
    command = ["label", tmp_path / "in.mha", "-o", tmp_path / "out.nii", "-f", "-q", "--device", "cpu", "-t", "2"]
    voxcc(*command)
    whole = read_nifti(tmp_path / "out.nii")
    plan = json.loads(voxcc(*command, "--reader", "itk", "--dry-run").stdout)["volumes"][0]
    command += ["--reader", "itk", "--max-memory", plan["memory_bytes"] - 1]
    assert json.loads(voxcc(*command, "--dry-run").stdout)["volumes"][0]["slabs"] > 1
    voxcc(*command)
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), whole)


def test_hdf5_inputs_and_outputs_at_the_same_time(voxcc, tmp_path):
    """Processes start while other threads write with the HDF5 library."""
    paths = [tmp_path / f"in{number}.h5" for number in range(12)]
    for path in paths:
        SimpleITK.WriteImage(oblique(VOLUME), str(path), True)
    voxcc("label", *paths, "-j", "4", "--reader", "itk", "-o", tmp_path / "{stem}_labels.h5", "-q")
    for path in paths:
        with h5py.File(tmp_path / f"{path.stem}_labels.h5") as file:
            assert [dataset.shape for dataset in file.values() if isinstance(dataset, h5py.Dataset)][0] == VOLUME.shape


# ---- the listed differences


def test_geometry_of_files_that_state_none(voxcc, tmp_path):
    """Without a position, ITK puts voxel (0, 0, 0) at the origin and the axes along left, posterior, superior: -x, -y, +z in RAS."""
    nibabel.save(nibabel.Nifti1Image(VOLUME.T, None), tmp_path / "in.nii")
    nrrd.write(str(tmp_path / "in.nrrd"), VOLUME, {"spacings": [2, 3, 4]}, index_order="F")
    for name, steps in (("in.nii", [-1, -1, 1]), ("in.nrrd", [-2, -3, 4])):
        assert "affine" not in info(voxcc, tmp_path / name)
        by_itk = info(voxcc, tmp_path / name, "--reader", "itk")
        np.testing.assert_array_equal(np.array(by_itk["affine"]), np.column_stack([np.diag(steps), np.zeros(3)]))


def test_spacing_of_tiff(voxcc, tmp_path):
    """ITK reads no metadata of ImageJ and OME, and takes missing lengths as 1 mm. The size is the size of voxcc's reader."""
    path = tmp_path / "in.tif"
    tifffile.imwrite(path, VOLUME, photometric="minisblack", metadata=None)
    assert "unit" not in info(voxcc, path) and "unit" not in info(voxcc, path, "--reader", "itk")
    tifffile.imwrite(path, VOLUME, photometric="minisblack", metadata=None, resolution=(100, 50), resolutionunit="CENTIMETER")
    assert "unit" not in info(voxcc, path) and "unit" not in info(voxcc, path, "--reader", "itk")
    tifffile.imwrite(path, VOLUME, imagej=True, metadata={"axes": "ZYX", "spacing": 2.0, "unit": "um"}, resolution=(2, 2))
    by_itk = info(voxcc, path, "--reader", "itk")
    assert info(voxcc, path)["spacing_um"] == by_itk["spacing_um"] == [0.5, 0.5, 2]
    assert by_itk["warnings"] == ["the spacing that ITK reads is not the spacing that voxcc reads"]
    assert "affine" not in by_itk


def write_forms(path, sform, qform, units=2):
    image = nibabel.Nifti1Image(VOLUME.T, None)
    if qform is not None:
        image.set_qform(qform, 1)
    if sform is not None:
        image.set_sform(sform, 1)
    image.header["xyzt_units"] = units
    nibabel.save(image, path)


TURNED = np.array([[0, -2, 0, 5], [3, 0, 0, 6], [0, 0, 4, 7], [0, 0, 0, 1.0]])
SHEARED = np.array([[2, 0.5, 0, 5], [0, 3, 0, 6], [0, 0, 4, 7], [0, 0, 0, 1.0]])
WARNING = "the affine that ITK reads is not the affine that voxcc reads"


@pytest.mark.parametrize("sform", (TURNED, SHEARED), ids=("turned", "sheared"))
def test_itk_prefers_the_qform(voxcc, tmp_path, sform):
    """The label volume has the position that ITK read."""
    qform = np.diag([2, 3, 4, 1.0])
    write_forms(tmp_path / "in.nii", sform, qform)
    by_itk = info(voxcc, tmp_path / "in.nii", "--reader", "itk")
    np.testing.assert_allclose(info(voxcc, tmp_path / "in.nii")["affine"], sform[:3])
    np.testing.assert_allclose(by_itk["affine"], qform[:3], atol=1e-6)
    assert by_itk["warnings"] == [WARNING]
    assert "pixdim states 2 x 3 x 4" in " ".join(info(voxcc, tmp_path / "in.nii")["warnings"])
    done = voxcc("label", tmp_path / "in.nii", "--reader", "itk", "-o", tmp_path / "out.nii")
    assert WARNING in done.stderr
    np.testing.assert_allclose(nibabel.load(tmp_path / "out.nii").affine, qform, atol=1e-6)


def test_itk_needs_a_rotation(voxcc, tmp_path):
    write_forms(tmp_path / "in.nii", SHEARED, None)
    refused(voxcc, tmp_path, tmp_path / "in.nii", "orthonormal")


@pytest.mark.parametrize("units, millimetres", ((1, 1000), (3, 0.001)), ids=("metres", "micrometres"))
def test_itk_converts_the_spacing_but_not_the_offset(voxcc, tmp_path, units, millimetres):
    write_forms(tmp_path / "in.nii", TURNED, TURNED, units)
    own, by_itk = info(voxcc, tmp_path / "in.nii"), info(voxcc, tmp_path / "in.nii", "--reader", "itk")
    assert own["unit"] == by_itk["unit"] == ("m" if units == 1 else "um")
    np.testing.assert_allclose(own["affine"], TURNED[:3], rtol=1e-6)
    np.testing.assert_allclose(np.array(by_itk["affine"])[:, :3], TURNED[:3, :3], atol=1e-6)
    np.testing.assert_allclose(np.array(by_itk["affine"])[:, 3], TURNED[:3, 3] / millimetres)
    assert by_itk["warnings"] == [WARNING]


def test_itk_mirrors_nrrd_in_las(voxcc, tmp_path):
    """An axis of the space "left-anterior-superior" points to the left (-x in RAS) and to the front (+y)."""
    header = "NRRD0005\ntype: uchar\ndimension: 3\nsizes: 4 3 2\nencoding: raw\nspace: LAS\nspace directions: (2,0,0) (0,3,0) (0,0,4)\n"
    (tmp_path / "in.nrrd").write_bytes(f"{header}space origin: (10,20,30)\n\n".encode() + bytes(range(24)))
    np.testing.assert_array_equal(info(voxcc, tmp_path / "in.nrrd")["affine"], [[-2, 0, 0, -10], [0, 3, 0, 20], [0, 0, 4, 30]])
    by_itk = info(voxcc, tmp_path / "in.nrrd", "--reader", "itk")
    np.testing.assert_array_equal(by_itk["affine"], [[2, 0, 0, 10], [0, -3, 0, -20], [0, 0, 4, 30]])
    assert by_itk["warnings"] == [WARNING]


def scale_nifti(path, slope, intercept):
    write_nifti(path, VOLUME)
    content = bytearray(path.read_bytes())
    content[112:120] = struct.pack("<2f", slope, intercept)
    path.write_bytes(content)


def test_refused_nifti(voxcc, tmp_path):
    path = tmp_path / "in.nii"
    write_nifti(path, VOLUME, cls=nibabel.Nifti2Image)
    refused(voxcc, tmp_path, path, "is not recognized as a NIFTI file")
    for odd in (np.nan, np.inf):
        image = VOLUME.astype(np.float32)
        image[3, 4, 5] = odd
        write_nifti(path, image)
        refused(voxcc, tmp_path, path, f"ITK reads 0 at voxel (5, 4, 3), voxcc reads {odd}")
    scale_nifti(path, 0, 7)
    refused(voxcc, tmp_path, path, "ITK reads 7 at voxel (0, 0, 0), voxcc reads 0")
    scale_nifti(path, 1e-20, 0)
    refused(voxcc, tmp_path, path, "ITK reads 1 at voxel")
    write_nifti(path, np.stack([VOLUME] * 4).reshape(2, 2, *VOLUME.shape))
    refused(voxcc, tmp_path, path, "has 5 dimensions", "--volume", "3")
    (tmp_path / "volume.dat").write_bytes(write_nifti(path, VOLUME).read_bytes())
    refused(voxcc, tmp_path, tmp_path / "volume.dat", "ITK does not read this file")


@pytest.mark.parametrize("dtype, given, fragment", [
    ("uint32", {}, "ITK reads 0 at voxel"), ("int32", {}, "ITK reads 0 at voxel"), ("uint64", {}, "64-bit"), ("int64", {}, "64-bit"),
    ("float64", {}, "64-bit"), ("float16", {}, "at voxel"), ("bool", {}, "4 components"), ("uint16", {"tile": (16, 16)}, "4 components"),
    ("float32", {"tile": (16, 16)}, "32-bit"), ("uint16", {"compression": "zstd"}, "CODEC"), ("uint16", {"compression": "lzma"}, "CODEC")], ids=str)
def test_refused_tiff(voxcc, tmp_path, dtype, given, fragment):
    array = VOLUME.astype(dtype) if dtype in ("bool", "float16") else stored(dtype)
    tifffile.imwrite(tmp_path / "in.tif", array, photometric="minisblack", metadata=None, **given)
    refused(voxcc, tmp_path, tmp_path / "in.tif", fragment)


def test_itk_takes_the_voxels_of_an_uncompressed_file_with_the_same_name(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii.gz", VOLUME)
    check_same(voxcc, tmp_path, tmp_path / "in.nii.gz")
    write_nifti(tmp_path / "in.nii", 1 - VOLUME)
    if landlock_version():  # ITK cannot open the other file
        check_same(voxcc, tmp_path, tmp_path / "in.nii.gz")
    else:
        refused(voxcc, tmp_path, tmp_path / "in.nii.gz", "at voxel (0, 0, 0)")
    check_same(voxcc, tmp_path, tmp_path / "in.nii")


def test_refused_float128(voxcc, tmp_path):
    path = write_nifti(tmp_path / "in.nii", VOLUME)
    header = bytearray(path.read_bytes()[:352])
    header[70:74] = struct.pack("<hh", 1536, 128)
    path.write_bytes(header + bytes(16 * VOLUME.size))
    assert "0 components" in voxcc("label", path).stdout
    refused(voxcc, tmp_path, path, "ITK does not read this file")


def test_tiff_pages_that_are_not_slices(voxcc, tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", np.stack([VOLUME, 1 - VOLUME], 1), imagej=True, metadata={"axes": "ZCYX"}, photometric="minisblack")
    fragment = "ITK reads the extent 35 x 12 x 14 (1 volume), voxcc reads 35 x 12 x 7 (2 volumes)"
    refused(voxcc, tmp_path, tmp_path / "in.tif", fragment, "--volume", "1")


def test_refused_hdf5(voxcc, tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["volume"] = VOLUME
    refused(voxcc, tmp_path, tmp_path / "in.h5", "does not hold /ITKImage/0/VoxelData, the only dataset that ITK reads")
    refused(voxcc, tmp_path, tmp_path / "in.h5", "ITK reads no dataset but /ITKImage/0/VoxelData", "--dataset", "volume")
    SimpleITK.WriteImage(oblique(VOLUME), str(tmp_path / "itk.h5"))
    with h5py.File(tmp_path / "itk.h5", "a") as file:
        file["other"] = 1 - VOLUME
    assert info(voxcc, tmp_path / "itk.h5", "--reader", "itk")["dataset"] == "/ITKImage/0/VoxelData"
    check_same(voxcc, tmp_path, tmp_path / "itk.h5", "--dataset", "ITKImage/0/VoxelData")
    assert "ok" in voxcc("verify", tmp_path / "itk.h5", "--reader", "itk").stdout


def metaimage(fields, data="LOCAL"):
    header = f"ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\n{fields}ElementType = MET_UCHAR\nElementDataFile = {data}\n"
    return header.encode() + bytes(range(24))


def test_refused_metaimage(voxcc, tmp_path):
    path = tmp_path / "in.mha"
    path.write_bytes(metaimage("ElementToIntensityFunctionSlope = 2\nElementToIntensityFunctionOffset = 3\n"))
    refused(voxcc, tmp_path, path, "ITK reads 0 at voxel (0, 0, 0), voxcc reads 3")


def test_a_header_must_not_lead_itk_to_another_file(voxcc, tmp_path):
    """The names of fields have upper and lower case for ITK only, so ITK takes the voxels from the second file, or Landlock refuses it."""
    (tmp_path / "secret").write_bytes(bytes(range(100, 124)))
    content = metaimage("").replace(b"ElementDataFile = LOCAL", b"elementdatafile = LOCAL\nElementDataFile = secret")
    (tmp_path / "in.mha").write_bytes(content)
    refused(voxcc, tmp_path, tmp_path / "in.mha", "ITK does not read this file" if landlock_version() else "ITK reads 100 at voxel (0, 0, 0)")
    for name in ("../secret", "/etc/hostname"):
        (tmp_path / "in.mha").write_bytes(metaimage("", name))
        assert "--allow-external" in voxcc.fails(65, "label", tmp_path / "in.mha", "--reader", "itk", "--stats", "-", "-q")


# ---- voxcc's own readers only


def test_formats_of_itk_are_refused_by_the_own_reader(voxcc, tmp_path):
    for number, image in enumerate(VOLUME):
        SimpleITK.WriteImage(SimpleITK.GetImageFromArray(image), str(tmp_path / f"s{number}.png"))
    for name in ("s0.png", "s%d.png"):
        line = voxcc.fails(64, "label", tmp_path / name, "--reader", "voxcc", "-o", tmp_path / "no.nii", "-q")
        assert ITK_ONLY in line and line.endswith("; read it with --reader itk")
        check_same(voxcc, tmp_path, tmp_path / name, columns=VOXEL_COLUMNS)
    assert not (tmp_path / "no.nii").exists()


def test_the_own_reader_is_the_default(voxcc, tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", stored("uint32"), photometric="minisblack", metadata=None)
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["volume"] = VOLUME
    write_nifti(tmp_path / "in.nii", VOLUME, cls=nibabel.Nifti2Image)
    for name in ("in.tif", "in.h5", "in.nii"):
        choices = ([], ["--reader", "auto"], ["--reader", "voxcc"])
        assert len({voxcc("label", tmp_path / name, "--stats", "-", "-q", *given).stdout for given in choices}) == 1


def test_itk_loads_no_library_that_the_environment_names(voxcc, tmp_path):
    """ITK loads every library in the folders of ITK_AUTOLOAD_PATH, unless voxcc removes the variable. This library ends its process."""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler")
    folder, picture, source = tmp_path / "libraries", tmp_path / "picture.png", tmp_path / "library.c"
    folder.mkdir()
    source.write_text("#include <unistd.h>\n__attribute__((constructor)) static void loaded(void) { _exit(9); }\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "libfactory.so", source], check=True)
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(np.ones((4, 5), np.uint8)), str(picture))
    environment = {**os.environ, "ITK_AUTOLOAD_PATH": str(folder)}
    assert subprocess.run(["cat", "/dev/null"], env={**environment, "LD_PRELOAD": str(folder / "libfactory.so")}, check=False).returncode == 9
    done = subprocess.run([voxcc.program, "label", picture, "--stats", "-"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
