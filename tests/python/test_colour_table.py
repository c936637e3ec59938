"""--colour-table: the colours of --lut inside a TIFF, which remains a grey-level image of labels for all readers."""

import warnings

import numpy as np
import PIL.Image
import pytest
import SimpleITK
import skimage.io
import tifffile
from helpers import label_scipy, noise, sha256, write_nifti
from test_lut import COLOURS


def isolated(components, shape=(20, 21, 40)):
    """A mask of isolated voxels."""
    mask = np.zeros(shape, np.uint8)
    mask[::2, ::2, ::2].flat[:components] = 1
    return mask


def tables(path):
    """The colours of each page, as 256 x 3 bytes, and the photometric interpretations."""
    with tifffile.TiffFile(path) as file:
        maps = [page.tags["ColorMap"].value if "ColorMap" in page.tags else None for page in file.pages]
        assert {page.photometric for page in file.pages} == {tifffile.PHOTOMETRIC.MINISBLACK}
    assert all(table is None or (table % 257 == 0).all() for table in maps)
    return [None if table is None else table.T // 257 for table in maps]


EXPECTED = np.array([(0, 0, 0)] + [COLOURS[(label - 1) % len(COLOURS)] for label in range(1, 256)])


@pytest.mark.parametrize("name", ("out.tif", "out.tiff", "out.ome.tif"))
@pytest.mark.parametrize("given", ((), ("--compress", 0)))
def test_colours_are_those_of_lut(voxcc, tmp_path, name, given):
    mask = isolated(255)
    write_nifti(tmp_path / "in.nii", mask)
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / name, "--colour-table", *given)
    found = tables(tmp_path / name)
    assert len(found) == 20
    for table in found:  # ImageJ opens pages as one stack only if all of them have a table
        np.testing.assert_array_equal(table, EXPECTED)
    with tifffile.TiffFile(tmp_path / name) as file:
        assert not file.is_imagej or "max" not in file.imagej_metadata  # ImageJ would stretch the colours over the range


def test_all_readers_find_the_labels(voxcc, tmp_path):
    mask = isolated(200)
    labels = label_scipy(mask, 26)
    write_nifti(tmp_path / "in.nii", mask)
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "out.tif", "--colour-table")
    path = str(tmp_path / "out.tif")
    for read in (tifffile.imread, skimage.io.imread, lambda name: SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(name))):
        found = read(path)
        assert found.dtype == np.uint8
        np.testing.assert_array_equal(found, labels)
    with warnings.catch_warnings(action="error"), PIL.Image.open(path) as image:
        for page in range(image.n_frames):
            image.seek(page)
            assert image.mode == "L"
            np.testing.assert_array_equal(np.asarray(image), labels[page])
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "plain.tif")
    voxcc("compare", "--exact", path, tmp_path / "plain.tif")
    voxcc("verify", path)
    for name in ("out", "plain"):
        voxcc("stats", tmp_path / f"{name}.tif", "-o", tmp_path / f"{name}.csv")
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    voxcc("label", path, "--multilabel", "-o", tmp_path / "again.tif", "--colour-table")
    assert sha256(tmp_path / "again.tif") == sha256(tmp_path / "out.tif")


def test_only_the_labels_have_colours(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", isolated(9))
    voxcc("label", tmp_path / "in.nii", "-o", f"{tmp_path}/s/", "--mask-output", tmp_path / "mask.tif", "--size-output", tmp_path / "size.tif",
          "--masked-output", tmp_path / "values.tif", "--colour-table")
    slices = sorted((tmp_path / "s").iterdir())
    assert len(slices) == 20
    for file in slices:
        np.testing.assert_array_equal(tables(file)[0], EXPECTED)
    assert all(tables(tmp_path / name) == [None] * 20 for name in ("mask.tif", "size.tif", "values.tif"))


@pytest.mark.parametrize("components, given", ((256, ()), (9, ("--dtype", "uint16"))))
def test_labels_of_other_types_have_no_table(voxcc, tmp_path, components, given):
    write_nifti(tmp_path / "in.nii", isolated(components))
    done = voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "out.tif", "--colour-table", *given)
    assert "out.tif: has no colour table, because a table has 255 colours for labels of type uint8, and the labels are of type uint16" in done.stderr
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "plain.tif", *given)
    assert sha256(tmp_path / "out.tif") == sha256(tmp_path / "plain.tif") and tables(tmp_path / "out.tif") == [None] * 20


@pytest.mark.parametrize("components, given", ((255, ()), (256, ()), (9, ("--dtype", "uint8"))))
def test_frames(voxcc, tmp_path, components, given):
    """All volumes of a file have a table, or none of them; then there is one warning."""
    values = np.stack([isolated(5), isolated(components)])
    tifffile.imwrite(tmp_path / "in.tif", values, imagej=True, metadata={"axes": "TZYX"})
    done = voxcc("label", tmp_path / "in.tif", "--volume", "all", "-o", tmp_path / "out.tif", "--colour-table", *given)
    found = tables(tmp_path / "out.tif")
    assert len(found) == 40 and done.stderr.count("has no colour table") == (components > 255)
    for table in found:
        assert table is None if components > 255 else np.array_equal(table, EXPECTED)


def test_the_option_needs_a_tiff(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", noise((3, 4, 5), 0.3))
    for given in ((), ("-o", tmp_path / "out.nii"), ("-o", "-"), ("--mask-output", tmp_path / "mask.tif")):
        error = voxcc.fails(64, "label", tmp_path / "in.nii", "--colour-table", *given)
        assert error.endswith("--colour-table: is a part of a label volume in a .tif, but no such volume is written; name one, as in -o labels.tif")
    assert [path.name for path in tmp_path.iterdir()] == ["in.nii"]


def test_bytes_do_not_depend_on_threads(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", isolated(255, (20, 60, 200)))
    hashes = set()
    for threads in ("1", "4"):
        voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "out.tif", "--colour-table", "-t", threads, "-f")
        hashes.add(sha256(tmp_path / "out.tif"))
    assert len(hashes) == 1
