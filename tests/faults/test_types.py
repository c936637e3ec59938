"""Rows 15 to 23: geometry, voxel types, special values and kinds of TIFF."""

import itertools

import h5py
import nibabel
import numpy as np
import pytest
import tifffile
from cases import EXPECTED, VOLUME, files_in, is_labelled, labels_of
from helpers import label_equal_values, label_scipy, read_nifti, read_table, write_nifti

TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")


def table_of(voxcc, folder, path, *options):
    voxcc("label", path, "--stats", folder / "t.csv", "-f", "-q", *options)
    return read_table(folder / "t.csv")


def orientations():
    for axes in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            yield np.array([[signs[row] * (axes[row] == column) for column in range(3)] for row in range(3)], float)


def test_row15_orientations_spacings_and_origins(voxcc, tmp_path):
    """Positions are the affine times the indices, to a relative error of 1e-12 of the largest term."""
    for number, turn in enumerate(orientations()):
        spacing = np.array([1e-3, 1.0, 1e3])[np.roll(np.arange(3), number % 3)]
        affine = np.eye(4)
        affine[:3, :3], affine[:3, 3] = turn @ np.diag(spacing), [1e6, -1e6, number]
        affine = affine.astype(np.float32).astype(np.float64)  # NIfTI stores float32
        path = write_nifti(tmp_path / "in.nii", VOLUME, affine)
        rows = table_of(voxcc, tmp_path, path, "-c", 6)
        assert len(rows) == EXPECTED.max()
        for row in rows:
            index = np.array([row[f"centroid_{axis}"] for axis in "ijk"] + [1])
            found = np.array([row[f"centroid_{axis}_mm"] for axis in "xyz"])
            np.testing.assert_array_less(np.abs(found - affine[:3] @ index), 1e-300 + 1e-12 * (np.abs(affine[:3]) @ np.abs(index)))


@pytest.mark.parametrize("option", ("--mask", "--intensity"))
def test_row16_images_of_another_geometry(voxcc, tmp_path, option):
    path = write_nifti(tmp_path / "in.nii", VOLUME)
    shifted = np.eye(4)
    shifted[0, 3] = 1
    others = {"size": (VOLUME[:, :, :-1], np.eye(4)), "spacing": (VOLUME, np.diag([1, 1, 2, 1])), "origin": (VOLUME, shifted)}
    for name, (array, affine) in others.items():
        other = write_nifti(tmp_path / f"{name}.nii", array, affine)
        line = voxcc.fails(65, "label", path, option, other, "-o", tmp_path / "out.nii", "--stats", tmp_path / "out.csv")
        assert "in.nii" in line and f"{name}.nii" in line
    voxcc.fails(66, "label", path, option, tmp_path / "absent.nii", "-o", tmp_path / "out.nii", "--stats", tmp_path / "out.csv")
    assert not [name for name in files_in(tmp_path) if name.startswith("out")]


@pytest.mark.parametrize("kind", ("imagej", "ome"))
def test_row17_spacing_of_tiff_goes_in_and_out(voxcc, tmp_path, kind):
    metadata = {"axes": "ZYX", "spacing": 2.0, "unit": "um"} if kind == "imagej" else {
        "axes": "ZYX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5, "PhysicalSizeZ": 2.0}
    path = tmp_path / ("in.ome.tif" if kind == "ome" else "in.tif")
    tifffile.imwrite(path, VOLUME, **{kind: True}, metadata=metadata, resolution=(2, 2), photometric="minisblack")
    voxcc("label", path, "-c", 6, "-o", tmp_path / "out.tif")
    with tifffile.TiffFile(tmp_path / "out.tif") as file:
        assert file.imagej_metadata["spacing"] == pytest.approx(2.0, rel=1e-6)
        numerator, denominator = file.pages[0].tags["XResolution"].value
        assert denominator / numerator == pytest.approx(0.5, rel=1e-6)
    for row in table_of(voxcc, tmp_path, tmp_path / "out.tif", "-c", 6):
        assert row["volume_um3"] == pytest.approx(row["voxels"] * 0.5, rel=1e-6)
    for row in table_of(voxcc, tmp_path, tmp_path / "out.tif", "-c", 6, "--units", "mm"):
        assert row["volume_mm3"] == pytest.approx(row["voxels"] * 0.5e-9, rel=1e-6)
    for row in table_of(voxcc, tmp_path, path, "-c", 6, "--spacing", "1,2,3"):
        assert row["volume_mm3"] == row["voxels"] * 6
    for bad in ("1,2", "0,1,1", "-1,1,1", "nan,1,1", "inf,1,1", "1,2,3,4", "a,b,c", ""):
        voxcc.fails(64, "label", path, "--spacing", bad)


def write_as(path, array):
    if path.suffix == ".h5":
        with h5py.File(path, "w") as file:
            file["v"] = array
    elif path.suffix == ".tif":
        tifffile.imwrite(path, array, photometric="minisblack", metadata=None)
    elif path.suffix == ".npy":
        np.save(path, array)
    else:
        write_nifti(path, array)


@pytest.mark.parametrize("suffix", ("nii", "tif", "h5", "npy"))
def test_row18_types_are_read_exactly(voxcc, tmp_path, suffix):
    """The largest value of each type is a threshold that only the exact value reaches."""
    path = tmp_path / f"in.{suffix}"
    for name in TYPES:
        kind = np.dtype(name)
        top = 2.0**20 + 0.25 if kind.kind == "f" else min(np.iinfo(kind).max, 2**53)  # thresholds are float64
        top = kind.type(top)
        below = np.nextafter(top, kind.type(0)) if kind.kind == "f" else kind.type(top - 1)
        write_as(path, np.where(VOLUME, top, below).astype(kind))
        is_labelled(voxcc, tmp_path, path, "--threshold", f"{top:d}" if kind.kind != "f" else repr(float(top)))


@pytest.mark.parametrize("suffix", ("tif", "h5", "npy"))
def test_row18_half_precision_and_bits(voxcc, tmp_path, suffix):
    path = tmp_path / f"in.{suffix}"
    for kind in (np.float16, bool):
        write_as(path, VOLUME.astype(kind))
        is_labelled(voxcc, tmp_path, path)


def test_row18_complex_and_colours_are_refused(voxcc, tmp_path):
    write_as(tmp_path / "c.nii", VOLUME.astype(np.complex64))
    tifffile.imwrite(tmp_path / "c.tif", np.zeros((5, 6, 3), np.uint8), photometric="rgb")
    with h5py.File(tmp_path / "c.h5", "w") as file:
        file["v"] = VOLUME.astype(np.complex64)
    for name, code in (("c.nii", 65), ("c.tif", 64), ("c.h5", 65)):  # a colour must be chosen, as in c.tif[c=0]
        voxcc.fails(code, "label", tmp_path / name, "-o", tmp_path / "out.nii")


@pytest.mark.parametrize("suffix", ("nii", "tif", "h5", "npy"))
def test_row19_special_values(voxcc, tmp_path, suffix):
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, 1e38, 1, -1], np.float32)
    image = special[np.random.default_rng(1).integers(0, len(special), (8, 9, 10))]
    path = tmp_path / f"in.{suffix}"
    write_as(path, image)
    rules = {"nonzero": (image != 0) & ~np.isnan(image), ">0": image > 0, ">=1": image >= 1, ">1e37": image > 1e37, "-1:1": (image >= -1) & (image <= 1)}
    for rule, foreground in rules.items():
        np.testing.assert_array_equal(labels_of(voxcc, tmp_path, path, f"--threshold={rule}"), label_scipy(foreground, 6))
    assert f"contains NaN in {np.isnan(image).sum()} voxels" in voxcc("label", path).stderr
    for bad in ("nan", ">nan", "1:nan", "3:2"):
        voxcc.fails(64, "label", path, f"--threshold={bad}")


@pytest.mark.parametrize("slope, intercept", [(0, 0), (np.nan, 0), (0.5, -1024), (1, -1024), (-2, 10)])
def test_row20_thresholds_act_on_scaled_values(voxcc, tmp_path, slope, intercept):
    stored = (np.random.default_rng(1).integers(0, 3000, VOLUME.shape)).astype(np.int16)
    path = write_nifti(tmp_path / "in.nii", stored)
    content = bytearray(path.read_bytes())
    content[112:120] = np.array([slope, intercept], "<f4").tobytes()
    path.write_bytes(content)
    values = stored * float(slope) + intercept if slope and np.isfinite(slope) else stored.astype(float)
    level = float(np.median(values))
    np.testing.assert_array_equal(labels_of(voxcc, tmp_path, path, f"--threshold=>{level}"), label_scipy(values > level, 6))


@pytest.mark.parametrize("dtype, values", [("uint64", (2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1)),
                                           ("int64", (2**53, 2**53 + 1, 2**63 - 1, 2**63 - 2, -(2**53), -(2**53) - 1, -(2**63)))])
@pytest.mark.parametrize("suffix", ("nii", "tif", "h5", "npy"))
def test_row21_large_labels_stay_distinct(voxcc, tmp_path, suffix, dtype, values):
    choices = np.array((0, *values), dtype)
    image = choices[np.random.default_rng(1).integers(0, len(choices), (6, 7, 8))]
    path = tmp_path / f"in.{suffix}"
    write_as(path, image)
    np.testing.assert_array_equal(labels_of(voxcc, tmp_path, path, "--multilabel"), label_equal_values(image, 6))
    rows = table_of(voxcc, tmp_path, path, "--multilabel", "-c", 6)
    labels = read_nifti(tmp_path / "labels.nii")
    assert [row["source_label"] for row in rows] == [int(image.flat[np.flatnonzero(labels == row["label"])[0]]) for row in rows]


READ = ({"photometric": "miniswhite"}, {"tile": (16, 16)}, {"compression": "lzw"}, {"compression": "zlib"}, {"compression": "zstd"},
        {"compression": "lzma"}, {"compression": "packbits"}, {"compression": "zlib", "predictor": 2}, {"compression": "lzw", "predictor": 2},
        {"bigtiff": True}, {"rowsperstrip": 3}, {"compression": "zlib", "tile": (16, 16), "predictor": 2})


@pytest.mark.parametrize("options", READ, ids=str)
def test_row22_kinds_of_tiff(voxcc, tmp_path, options):
    path = tmp_path / "in.tif"
    for dtype in ("uint8", "uint16"):
        tifffile.imwrite(path, VOLUME.astype(dtype), **{"photometric": "minisblack", "metadata": None, **options})
        is_labelled(voxcc, tmp_path, path)
    if options.get("predictor"):
        tifffile.imwrite(path, VOLUME.astype(np.float32), **{**options, "predictor": 3, "metadata": None, "photometric": "minisblack"})
        is_labelled(voxcc, tmp_path, path)


@pytest.mark.parametrize("photometric", ("rgb", "palette", "separated", "planar"))
def test_row22_colours_must_be_chosen(voxcc, tmp_path, photometric):
    """A palette image is its indices. Of other images, one colour is chosen; without a choice nothing is written."""
    path, output, random = tmp_path / "in.tif", tmp_path / "out.tif", np.random.default_rng(1)
    if photometric == "palette":
        values = random.integers(0, 9, (20, 21)).astype(np.uint8)
        tifffile.imwrite(path, values, photometric="palette", colormap=np.zeros((3, 256), np.uint16))
        voxcc("label", path, "--masked-output", output)
    else:
        planar = photometric == "planar"
        samples = random.integers(0, 9, (4 if photometric == "separated" else 3, 20, 21)).astype(np.uint8)
        kind = {"photometric": "rgb" if planar else photometric, "planarconfig": "separate" if planar else "contig"}
        tifffile.imwrite(path, samples if planar else np.moveaxis(samples, 0, -1).copy(), **kind)
        values = samples[1]
        voxcc.fails(64, "label", path, "-o", tmp_path / "out.nii")
        assert files_in(tmp_path) == ["in.tif"]
        voxcc("label", f"{path}[c=1]", "--masked-output", output)
    assert np.array_equal(tifffile.imread(output), values)


def test_row23_pages_that_differ(voxcc, tmp_path):
    path = tmp_path / "in.tif"
    for other in (VOLUME[0, :-1], VOLUME[0].astype(np.uint16)):
        with tifffile.TiffWriter(path) as file:
            for page in (VOLUME[0], VOLUME[1], other):
                file.write(page, photometric="minisblack", metadata=None)
        voxcc.fails(65, "label", path, "-o", tmp_path / "out.nii")


def test_row23_reduced_copies_are_not_slices(voxcc, tmp_path):
    """The full-resolution series is read: neither the thumbnail before it nor the pyramid in SubIFDs."""
    path = tmp_path / "in.tif"
    with tifffile.TiffWriter(path) as file:
        file.write(np.zeros((4, 4), np.uint8), subfiletype=1, photometric="minisblack", metadata=None)
        for page in VOLUME:
            file.write(page, subifds=1, photometric="minisblack", metadata=None)
            file.write(page[::2, ::2], subfiletype=1, photometric="minisblack", metadata=None)
    is_labelled(voxcc, tmp_path, path)
    assert nibabel.load(tmp_path / "labels.nii").shape == VOLUME.T.shape
