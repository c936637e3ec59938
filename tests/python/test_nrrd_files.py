"""NRRD headers with data files of their own: one file, a list, or a template, in every encoding; against SimpleITK."""

import bz2
import gzip
import json

import nrrd
import numpy as np
import pytest
import SimpleITK
from helpers import label_scipy, noise, peak_of, read_nifti, sha256

VOLUME = noise((12, 10, 11), 0.3).astype(np.uint16) * 700
ENCODINGS = ("raw", "gzip", "bzip2", "text", "hex")


def encoded(array, encoding, order="little"):
    voxels = array.astype(array.dtype.newbyteorder("<" if order == "little" else ">")).tobytes()
    if encoding == "text":
        return (" ".join(map(str, array.ravel().tolist())) + "\n").encode()
    return {"raw": lambda: voxels, "gzip": lambda: gzip.compress(voxels), "bzip2": lambda: bz2.compress(voxels),
            "hex": lambda: voxels.hex().encode() + b"\n"}[encoding]()


def header(array, encoding, data, order="little", more=""):
    sizes = " ".join(map(str, array.shape[::-1]))
    return (f"NRRD0004\ntype: {array.dtype.name}\ndimension: {array.ndim}\nsizes: {sizes}\nendian: {order}\nencoding: {encoding}\n"
            f"{more}data file: {data}\n")


def write_list(folder, array, encoding, files, order="little", data="LIST", more=""):
    """Writes `array` into `files` data files of equal size, and a header that lists them."""
    parts = array.reshape(files, -1)
    names = [f"part{i:03d}.{encoding}" for i in range(files)]
    for name, part in zip(names, parts):
        (folder / name).write_bytes(encoded(part, encoding, order))
    path = folder / "v.nhdr"
    path.write_text(header(array, encoding, "\n".join([data, *names]), order, more))
    return path


def values(voxcc, path, folder, *options):
    out = folder / "values.nrrd"
    voxcc("label", path, "--threshold=-inf:inf", "--masked-output", out, "-f", "--allow-external", *options)
    return nrrd.read(str(out), index_order="C")[0]


def by_itk(path):
    return SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path)))


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_one_data_file(voxcc, tmp_path, encoding, order):
    path = tmp_path / "v.nhdr"
    (tmp_path / "v.dat").write_bytes(encoded(VOLUME, encoding, order))
    path.write_text(header(VOLUME, encoding, "v.dat", order))
    before = sha256(tmp_path / "v.dat")
    voxcc("label", path, "-o", tmp_path / "out.nii")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME != 0, 26))
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), VOLUME)
    assert voxcc("verify", path).stderr == "" and sha256(tmp_path / "v.dat") == before
    if encoding != "bzip2":
        np.testing.assert_array_equal(by_itk(path), VOLUME)


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("files, data", [(12, "LIST"), (12, "LIST 2"), (120, "LIST 1"), (3, "LIST 3"), (1, "LIST 3")])
def test_lists(voxcc, tmp_path, encoding, order, files, data):
    path = write_list(tmp_path, VOLUME, encoding, files, order, data)
    assert "spread over several files" in voxcc.fails(65, "label", path)
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), VOLUME)
    voxcc("label", path, "-o", tmp_path / "out.nii", "--allow-external", "--max-memory", "100MB")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME != 0, 26))
    assert voxcc("verify", path, "--allow-external").stderr == ""
    if encoding != "bzip2":
        np.testing.assert_array_equal(by_itk(path), VOLUME)
        np.testing.assert_array_equal(values(voxcc, path, tmp_path, "--reader", "itk"), VOLUME)


@pytest.mark.parametrize("template, numbers, data", [
    ("s%d.raw", range(12), "s%d.raw 0 11 1"), ("s%03d.raw", range(5, 29, 2), "s%03d.raw 5 27 2"), ("s%03d.raw", range(5, 29, 2), "s%03d.raw 5 28 2 2"),
    ("s%d.raw", range(11, -1, -1), "s%d.raw 11 0 -1"), ("sub/s%d.raw", range(12), "sub/s%d.raw 0 11 1"),
])
def test_templates(voxcc, tmp_path, template, numbers, data):
    (tmp_path / "sub").mkdir()
    for number, part in zip(numbers, VOLUME, strict=True):
        (tmp_path / (template % number)).write_bytes(part.tobytes())
    path = tmp_path / "v.nhdr"
    path.write_text(header(VOLUME, "raw", data))
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), VOLUME)
    np.testing.assert_array_equal(by_itk(path), VOLUME)


def test_many_raw_files_of_a_short_header(voxcc, tmp_path):
    """The voxels are much longer than the header."""
    volume = noise((64, 200, 100), 0.2).astype(np.uint16)
    for i, part in enumerate(volume):
        (tmp_path / f"{i}.raw").write_bytes(part.tobytes())
    (tmp_path / "v.nhdr").write_text(header(volume, "raw", "%d.raw 0 63 1"))
    np.testing.assert_array_equal(values(voxcc, tmp_path / "v.nhdr", tmp_path), volume)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("files, data", [(4, "LIST"), (2, "LIST 4"), (12, "LIST 2")])
def test_several_volumes(voxcc, tmp_path, encoding, files, data):
    series = (np.random.default_rng(1).random((4, 3, 5, 6)) < 0.4).astype(np.int16) * 5
    path = write_list(tmp_path, series, encoding, files, data=data)
    assert json.loads(voxcc("info", path, "--json", "--allow-external", "--no-range").stdout)["volumes"] == 4
    for volume in (3, 0, 1, 2):
        np.testing.assert_array_equal(values(voxcc, path, tmp_path, "--volume", volume), series[volume])


def test_images(voxcc, tmp_path):
    """Each file holds a row."""
    np.testing.assert_array_equal(values(voxcc, write_list(tmp_path, VOLUME[0], "raw", 10), tmp_path).squeeze(), VOLUME[0])


def test_skips_apply_to_each_file(voxcc, tmp_path):
    path = write_list(tmp_path, VOLUME, "raw", 12, more="line skip: 1\nbyte skip: 2\n")
    for part in tmp_path.glob("part*"):
        part.write_bytes(b"line\nab" + part.read_bytes())
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), VOLUME)
    path.write_text(path.read_text().replace("line skip: 1\nbyte skip: 2\n", "byte skip: -1\n"))
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), VOLUME)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("files, data", [(12, "LIST"), (3, "LIST 3")])
def test_damaged_data_files(voxcc, tmp_path, encoding, files, data):
    path = write_list(tmp_path, VOLUME, encoding, files, data=data)
    last = tmp_path / f"part{files - 1:03d}.{encoding}"
    content = last.read_bytes()
    for wrong in (content[:-3], content[:len(content) // 2], b"", content[:1]):
        last.write_bytes(wrong)
        voxcc.fails(65, "label", path, "--allow-external", "-o", tmp_path / "out.nii")
        voxcc.fails(65, "verify", path, "--allow-external")
    last.write_bytes(content + b"\n7 7\n")
    if encoding in ("gzip", "bzip2"):
        voxcc.fails(65, "label", path, "--allow-external")
    else:
        done = voxcc("label", path, "--allow-external", "--stats", "-")
        assert last.name in done.stderr and "bytes after the voxels are ignored" in done.stderr
    last.unlink()
    voxcc.fails(66, "label", path, "--allow-external", "-o", tmp_path / "out.nii")
    assert not (tmp_path / "out.nii").exists()


@pytest.mark.parametrize("data", [
    "LIST 0", "LIST 4", "LIST -1", "LIST 2 2", "LIST x", "s%d.raw", "s%d.raw 0", "s%d.raw 0 11", "s%d.raw 0 11 0", "s%d.raw 11 0 1", "s%d.raw 0 11 -1",
    "s%d.raw -3 8 1", "s%s.raw 0 11 1", "s%d%d.raw 0 11 1", "s%n.raw 0 11 1", "s%5000d.raw 0 11 1", "s%d.raw 0 11 1 7", "s%d.raw 0 9223372036854775807 1",
    "s%d.raw 0 12 1", "s%d.raw 0 10 1", "s%d.raw 9223372036854775807 0 -9223372036854775808",
])
def test_wrong_lists_and_templates(voxcc, tmp_path, data):
    for i in range(13):
        (tmp_path / f"s{i}.raw").write_bytes(VOLUME[0].tobytes())
    names = "".join(f"s{i}.raw\n" for i in range(12)) if data.startswith("LIST") else ""
    (tmp_path / "v.nhdr").write_text(header(VOLUME, "raw", data) + names)
    voxcc.fails(65, "label", tmp_path / "v.nhdr", "--allow-external", "--max-memory", "50MB")


@pytest.mark.parametrize("count", [0, 11, 13])
def test_lists_of_a_wrong_length(voxcc, tmp_path, count):
    (tmp_path / "s.raw").write_bytes(VOLUME[0].tobytes())
    (tmp_path / "v.nhdr").write_text(header(VOLUME, "raw", "LIST") + "s.raw\n" * count)
    assert f"names {count} data files" in voxcc.fails(65, "label", tmp_path / "v.nhdr", "--allow-external")


def test_sizes_are_checked_before_memory_is_allocated(voxcc, tmp_path):
    for encoding in ENCODINGS:
        path = write_list(tmp_path, VOLUME, encoding, 12)
        path.write_text(path.read_text().replace("sizes: 11 10 12", "sizes: 4000000000 4000000 12"))
        voxcc.fails(65, "label", path, "--allow-external", "--max-memory", "50MB")


@pytest.mark.parametrize("data", ["LIST", "s%d.raw 0 3999 1"])
def test_memory_of_many_files(voxcc, tmp_path, data):
    """It grows with the number of files, and not with its square: 4000 files needed 6 GB."""
    for i in range(4000):
        (tmp_path / f"s{i}.raw").write_bytes(b"\1")
    names = "".join(f"s{i}.raw\n" for i in range(4000)) if data == "LIST" else ""
    (tmp_path / "v.nhdr").write_text(f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 1 1 4000\nencoding: raw\ndata file: {data}\n" + names)
    for command in (("info", "--no-range"), ("label",)):
        assert peak_of(voxcc.program, *command, tmp_path / "v.nhdr", "--allow-external", "-q") < 100e6
