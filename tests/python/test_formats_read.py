"""Files written by other libraries: every type, byte order and compression must give the labels of the array."""

import gzip
import json

import h5py
import nibabel
import nrrd
import numpy as np
import pytest
import SimpleITK
import tifffile
from helpers import label_scipy, noise, read_nifti, read_table, write_nifti

TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")
VOLUME = noise((7, 12, 35), 0.25)
EXPECTED = label_scipy(VOLUME, 18)


def stored(dtype):
    """VOLUME as values of `dtype`. The low byte of foreground values is 0 for types of several bytes, so a wrong type is detected."""
    kind = np.dtype(dtype)
    value = 1 if kind.itemsize == 1 else 0.25 if kind.kind == "f" else 1 << (kind.itemsize * 8 - 2)
    return np.where(VOLUME, value, 0).astype(kind)


def check(voxcc, folder, path, *options, expected=EXPECTED):
    voxcc("label", path, "-o", folder / "labels.nii", "-f", "-c", "18", *options)
    np.testing.assert_array_equal(read_nifti(folder / "labels.nii"), expected)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("cls", [nibabel.Nifti1Image, nibabel.Nifti2Image, nibabel.Nifti1Pair], ids=["nifti1", "nifti2", "pair"])
def test_nifti(voxcc, tmp_path, cls, order):
    for dtype in TYPES:
        array = stored(np.dtype(dtype).newbyteorder(order))
        image = cls(array.T, np.eye(4), cls.header_class(endianness=order), dtype=array.dtype)
        path = tmp_path / ("in.img" if cls is nibabel.Nifti1Pair else "in.nii")
        nibabel.save(image, path)
        check(voxcc, tmp_path, path)


def test_nifti_gz(voxcc, tmp_path):
    nibabel.save(nibabel.Nifti1Image(stored("int16").T, np.eye(4)), tmp_path / "in.nii")
    raw = (tmp_path / "in.nii").read_bytes()
    half = len(raw) // 2
    for content in (gzip.compress(raw, 9), gzip.compress(raw, 0), gzip.compress(raw[:half]) + gzip.compress(raw[half:]), gzip.compress(b"") + gzip.compress(raw)):
        (tmp_path / "in.nii.gz").write_bytes(content)
        check(voxcc, tmp_path, tmp_path / "in.nii.gz")
    (tmp_path / "zipped.nii").write_bytes(gzip.compress(raw))
    check(voxcc, tmp_path, tmp_path / "zipped.nii")


@pytest.mark.parametrize("place", (5, 400, -6, -2), ids=["header", "stream", "crc", "length"])
def test_damaged_gzip(voxcc, tmp_path, place):
    nibabel.save(nibabel.Nifti1Image(noise((20, 30, 40), 0.5).T, np.eye(4)), tmp_path / "in.nii.gz")
    content = bytearray((tmp_path / "in.nii.gz").read_bytes())
    content[3 if place == 5 else place] ^= 0x55
    (tmp_path / "in.nii.gz").write_bytes(content)
    voxcc.fails(65, "label", tmp_path / "in.nii.gz", "-o", tmp_path / "out.nii")
    voxcc("verify", tmp_path / "in.nii.gz", expect=65)


@pytest.mark.parametrize("share", (0.0, 0.02, 0.6, 0.99))
@pytest.mark.parametrize("suffix", ("nii", "nii.gz", "tif", "h5", "nrrd", "mha", "npy"))
def test_truncated(voxcc, tmp_path, suffix, share):
    """A truncated file must never be read with exit code 0."""
    write_nifti(tmp_path / "in.nii", noise((30, 31, 32), 0.5))
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / f"whole.{suffix}", "-c", "6")
    content = (tmp_path / f"whole.{suffix}").read_bytes()
    (tmp_path / f"cut.{suffix}").write_bytes(content[: int(len(content) * share)])
    voxcc.fails(65, "label", tmp_path / f"cut.{suffix}", "-o", tmp_path / "out.nii")
    voxcc("verify", tmp_path / f"cut.{suffix}", expect=65)
    voxcc("verify", tmp_path / f"whole.{suffix}")
    assert not (tmp_path / "out.nii").exists()


@pytest.mark.parametrize("suffix", ("nii", "nii.gz", "h5", "nrrd", "mha", "npy"))
def test_last_byte_missing(voxcc, tmp_path, suffix):
    write_nifti(tmp_path / "in.nii", noise((30, 31, 32), 0.5))
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / f"whole.{suffix}", "-c", "6", "--compress", "0")
    (tmp_path / f"cut.{suffix}").write_bytes((tmp_path / f"whole.{suffix}").read_bytes()[:-1])
    voxcc.fails(65, "label", tmp_path / f"cut.{suffix}", "-o", tmp_path / "out.nii")


def test_scaled_values_meet_the_threshold(voxcc, tmp_path):
    image = nibabel.Nifti1Image((VOLUME * 100).T, np.eye(4))
    nibabel.save(image, tmp_path / "in.nii")
    raw = bytearray((tmp_path / "in.nii").read_bytes())
    raw[112:120] = np.array([2.5, -1024], "<f4").tobytes()
    (tmp_path / "in.nii").write_bytes(raw)
    for threshold, expected in ((">-775", EXPECTED), (">=-774", EXPECTED), (">-774", 0 * EXPECTED), ("-1024:-1000", label_scipy(1 - VOLUME, 18))):
        check(voxcc, tmp_path, tmp_path / "in.nii", f"--threshold={threshold}", expected=expected)


def test_volumes_of_a_series_must_be_chosen(voxcc, tmp_path):
    both = np.stack([VOLUME, 1 - VOLUME])
    nibabel.save(nibabel.Nifti1Image(both.T, np.eye(4)), tmp_path / "in.nii")
    assert "--volume" in voxcc.fails(64, "label", tmp_path / "in.nii", "-o", tmp_path / "out.nii")
    check(voxcc, tmp_path, tmp_path / "in.nii", "--volume", "0")
    check(voxcc, tmp_path, tmp_path / "in.nii", "--volume", "1", expected=label_scipy(1 - VOLUME, 18))
    voxcc.fails(64, "label", tmp_path / "in.nii", "-o", tmp_path / "out.nii", "--volume", "2")
    voxcc("label", tmp_path / "in.nii", "--volume", "all", "--stats", tmp_path / "all.csv", "-c", "18")
    rows = read_table(tmp_path / "all.csv")
    assert [sum(row["volume"] == n for row in rows) for n in (0, 1)] == [EXPECTED.max(), label_scipy(1 - VOLUME, 18).max()]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("options", [{}, {"bigtiff": True}, {"compression": "zlib"}, {"compression": "lzw"}, {"compression": "packbits"},
                                     {"compression": "zlib", "predictor": True}, {"compression": "zstd"}, {"compression": "lzma"},
                                     {"tile": (16, 16)}, {"tile": (16, 16), "compression": "zlib"}, {"rowsperstrip": 5}],
                         ids=lambda options: " ".join(map(str, options.items())) or "plain")
def test_tiff(voxcc, tmp_path, options, order):
    for dtype in TYPES if options in ({}, {"compression": "zlib"}) else ("uint8", "uint16", "float32"):
        tifffile.imwrite(tmp_path / "in.tif", stored(dtype), photometric="minisblack", byteorder=order, metadata=None, **options)
        check(voxcc, tmp_path, tmp_path / "in.tif")


def test_tiff_of_bits_and_halves(voxcc, tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", VOLUME.astype(bool), photometric="minisblack", metadata=None)
    check(voxcc, tmp_path, tmp_path / "in.tif")
    tifffile.imwrite(tmp_path / "in.tif", stored("float32").astype(np.float16), photometric="minisblack", metadata=None)
    check(voxcc, tmp_path, tmp_path / "in.tif", "--threshold", "0.25")


@pytest.mark.parametrize("kind", ("imagej", "ome"))
def test_tiff_metadata(voxcc, tmp_path, kind):
    """The table uses the spacing of the file, 0.5 x 0.5 x 2 um."""
    metadata = {"axes": "ZYX", "spacing": 2.0, "unit": "um"} if kind == "imagej" else {
        "axes": "ZYX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5, "PhysicalSizeZ": 2.0}
    path = tmp_path / ("in.ome.tif" if kind == "ome" else "in.tif")
    tifffile.imwrite(path, stored("uint16"), **{kind: True}, metadata=metadata, resolution=(2, 2), photometric="minisblack")
    check(voxcc, tmp_path, path)
    voxcc("label", path, "--stats", tmp_path / "t.csv")
    for row in read_table(tmp_path / "t.csv"):
        assert row["volume_um3"] == pytest.approx(row["voxels"] * 0.5, rel=1e-6)


def test_tiff_channels_are_not_depth(voxcc, tmp_path):
    both = np.stack([VOLUME, 1 - VOLUME], 1)
    tifffile.imwrite(tmp_path / "in.tif", both, imagej=True, metadata={"axes": "ZCYX"}, photometric="minisblack")
    assert "--volume" in voxcc.fails(64, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")
    check(voxcc, tmp_path, tmp_path / "in.tif", "--volume", "0")
    check(voxcc, tmp_path, tmp_path / "in.tif", "--volume", "1", expected=label_scipy(1 - VOLUME, 18))


@pytest.mark.parametrize("options", [{}, {"chunks": (2, 5, 16)}, {"chunks": (3, 4, 9), "compression": "gzip"}, {"compression": "gzip", "shuffle": True},
                                     {"chunks": (7, 12, 35), "fletcher32": True}],
                         ids=lambda options: " ".join(options) or "contiguous")
@pytest.mark.parametrize("order", "<>")
def test_hdf5(voxcc, tmp_path, options, order):
    for dtype in TYPES:
        with h5py.File(tmp_path / "in.h5", "w") as file:
            file.create_dataset("group/volume", data=stored(np.dtype(dtype).newbyteorder(order)), **options)
        check(voxcc, tmp_path, tmp_path / "in.h5")


def test_hdf5_bool_and_half(voxcc, tmp_path):
    for dtype in (bool, np.float16):
        with h5py.File(tmp_path / "in.h5", "w") as file:
            file["volume"] = VOLUME.astype(dtype)
        check(voxcc, tmp_path, tmp_path / "in.h5")


def test_hdf5_in_chunks_is_labelled_as_the_same_nifti(voxcc, tmp_path):
    """voxcc converts chunks directly to bits, or to rows if voxel values are needed."""
    image = np.random.default_rng(1).normal(100, 30, (14, 24, 131)).round().astype(np.float32)
    image[0, 0, :5] = np.nan
    mask = noise(image.shape, 0.8)
    write_nifti(tmp_path / "image.nii", image), write_nifti(tmp_path / "mask.nii", mask)
    widths = {1: (3, 5, 1), 7: (4, 4, 7), 100: (2, 12, 100)}
    for width, chunks in widths.items():
        for name, array in (("image", image), ("mask", mask)):
            with h5py.File(tmp_path / f"{name}-{width}.h5", "w") as file:
                file.create_dataset("volume", data=array, chunks=chunks, compression="gzip", shuffle=True)

    def result(path, mask_path, *options):
        masked = ("--mask", mask_path) if mask_path else ()
        voxcc("label", path, "-o", tmp_path / "labels.nii", "--stats", tmp_path / "table.csv", "-f", "-t", 2, *masked, *options)
        columns = ("label", "voxels", "centroid_i", "bbox_j_min", "cov_jk")  # columns that do not depend on the spacing
        return read_nifti(tmp_path / "labels.nii"), [[row[column] for column in columns] for row in read_table(tmp_path / "table.csv")]

    for options in (("--threshold", "100:130"), ("--threshold", "p60"), ("--threshold", "otsu"), ("--threshold", ">110", "--invert"),
                    ("--multilabel",), ("--threshold", ">110", "--fill-holes"), ("--threshold", ">110", "--per-slice", "x")):
        options += ("-c", 4 if "--per-slice" in options else 6)
        for masked in (False, True):
            labels, table = result(tmp_path / "image.nii", tmp_path / "mask.nii" if masked else None, *options)
            assert len(table) > 10
            for width in widths:
                mask_path = tmp_path / ("mask.nii" if width == 7 else f"mask-{width}.h5") if masked else None
                found = result(tmp_path / f"image-{width}.h5", mask_path, *options)
                np.testing.assert_array_equal(found[0], labels)
                assert found[1] == table


def test_hdf5_layers_cut_by_slabs(voxcc, tmp_path):
    image = noise((30, 40, 150), 0.3)
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file.create_dataset("volume", data=image, chunks=(8, 16, 50), compression="gzip")
    common = ["label", tmp_path / "in.h5", "-c", "6", "-t", 2, "--device", "cpu", "-f", "-o", tmp_path / "labels.nii"]
    plan = json.loads(voxcc(*common, "--dry-run").stdout)["volumes"][0]
    common += ["--max-memory", plan["memory_bytes"] - 1]
    assert json.loads(voxcc(*common, "--dry-run").stdout)["volumes"][0]["slabs"] > 1
    voxcc(*common)
    np.testing.assert_array_equal(read_nifti(tmp_path / "labels.nii"), label_scipy(image, 6))


def test_hdf5_dataset_must_be_chosen(voxcc, tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["a/image"], file["b/labels"] = 1 - VOLUME, VOLUME
    line = voxcc.fails(64, "label", tmp_path / "in.h5", "-o", tmp_path / "out.nii")
    assert "--dataset" in line and "a/image" in line and "b/labels" in line
    check(voxcc, tmp_path, tmp_path / "in.h5", "--dataset", "b/labels")
    check(voxcc, tmp_path, tmp_path / "in.h5", "--dataset", "/a/image", expected=label_scipy(1 - VOLUME, 18))
    voxcc.fails(64, "label", tmp_path / "in.h5", "-o", tmp_path / "out.nii", "--dataset", "c")


def test_hdf5_reads_no_other_file(voxcc, tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["volume"] = VOLUME
    (tmp_path / "raw").write_bytes(VOLUME.tobytes())
    with h5py.File(tmp_path / "link.h5", "w") as file:
        file["volume"] = h5py.ExternalLink("other.h5", "volume")
    with h5py.File(tmp_path / "external.h5", "w") as file:
        file.create_dataset("volume", VOLUME.shape, np.uint8, external=[("raw", 0, VOLUME.nbytes)])
    with h5py.File(tmp_path / "virtual.h5", "w") as file:
        layout = h5py.VirtualLayout(VOLUME.shape, np.uint8)
        layout[:] = h5py.VirtualSource("other.h5", "volume", VOLUME.shape)
        file.create_virtual_dataset("volume", layout)
    for name in ("link", "external", "virtual"):
        for options in ([], ["--dataset", "volume"]):
            voxcc.fails(65, "label", tmp_path / f"{name}.h5", "-o", tmp_path / "out.nii", *options)


@pytest.mark.parametrize("encoding", ("raw", "gzip", "bzip2", "ascii"))
@pytest.mark.parametrize("order", "<>")
def test_nrrd(voxcc, tmp_path, encoding, order):
    for dtype in TYPES:
        array = stored(np.dtype(dtype).newbyteorder(order))
        nrrd.write(str(tmp_path / "in.nrrd"), array, {"encoding": encoding}, index_order="C")
        if encoding == "ascii" and dtype in ("int64", "uint64"):  # pynrrd rounds them to 17 digits, and does not read them
            assert f"not a number of type {dtype}" in voxcc.fails(65, "label", tmp_path / "in.nrrd", "-o", tmp_path / "no.nii")
        else:
            check(voxcc, tmp_path, tmp_path / "in.nrrd")


@pytest.mark.parametrize("compressed", (False, True))
def test_metaimage(voxcc, tmp_path, compressed):
    for dtype in TYPES:
        SimpleITK.WriteImage(SimpleITK.GetImageFromArray(stored(dtype)), str(tmp_path / "in.mha"), compressed)
        check(voxcc, tmp_path, tmp_path / "in.mha")


def test_world_of_nrrd_is_ras(voxcc, tmp_path):
    image = SimpleITK.GetImageFromArray(VOLUME)
    image.SetSpacing((0.5, 2, 3))
    image.SetOrigin((10, -20, 30))
    image.SetDirection((0, 1, 0, 1, 0, 0, 0, 0, -1))
    for suffix in ("nrrd", "mha"):
        SimpleITK.WriteImage(image, str(tmp_path / f"in.{suffix}"))
        voxcc("label", tmp_path / f"in.{suffix}", "--stats", tmp_path / "t.csv", "-f")
        for row in read_table(tmp_path / "t.csv"):
            lps = image.TransformContinuousIndexToPhysicalPoint([row["centroid_i"], row["centroid_j"], row["centroid_k"]])
            np.testing.assert_allclose([row["centroid_x_mm"], row["centroid_y_mm"], row["centroid_z_mm"]], np.multiply(lps, (-1, -1, 1)), rtol=1e-9, atol=1e-9)


def test_numbered_slices(voxcc, tmp_path):
    """Slices are ordered by number: s10 is after s9."""
    volume = noise((12, 13, 40), 0.25)
    (tmp_path / "in").mkdir()
    for number, image in enumerate(volume):
        tifffile.imwrite(tmp_path / "in" / f"s{number}.tif", image)
    expected = label_scipy(volume, 18)
    check(voxcc, tmp_path, tmp_path / "in", expected=expected)
    check(voxcc, tmp_path, tmp_path / "in" / "s%d.tif", expected=expected)
