"""Axes of NRRD files that count volumes, at every position; against numpy, pynrrd and SimpleITK."""

import bz2
import gzip
import itertools
import json
import subprocess

import nrrd
import numpy as np
import pytest
import SimpleITK
from helpers import label_scipy, noise, read_nifti

VOLUMES = np.stack([noise((6, 7, 8), 0.4, seed=seed).astype(np.int16) * (1000 + seed) for seed in range(3)])  # [volume, z, y, x]
DIRECTIONS = ("(2,0.1,0)", "(0,2.5,0.2)", "(0.3,0,3)")
PACK = {"raw": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "hex": lambda b: b.hex().encode(), "text": None}


def write(path, position, kind, encoding="raw", order="<", directions=True, more=""):
    """The axis that counts volumes is the axis `position` of the file, whose first axis is the fastest."""
    array = np.moveaxis(VOLUMES, 0, 3 - position).astype(order + "i2")
    space = list(DIRECTIONS)
    space.insert(position, "none")
    kinds = ["domain"] * 3
    kinds.insert(position, kind)
    lines = ["NRRD0005", "type: int16", "dimension: 4", "sizes: " + " ".join(map(str, array.shape[::-1])),
             "endian: " + ("little" if order == "<" else "big"), "encoding: " + encoding, "kinds: " + " ".join(kinds)]
    if directions:
        lines += ["space: left-posterior-superior", "space origin: (5,-6,7)", "space directions: " + " ".join(space)]
    voxels = " ".join(map(str, array.ravel())).encode() + b"\n" if encoding == "text" else PACK[encoding](array.tobytes())
    path.write_bytes("\n".join([*lines, *more, "", ""]).encode() + voxels)
    return path


def values(voxcc, path, folder, selector=""):
    out = folder / "values.nrrd"
    voxcc("label", f"{path}{selector}", "--threshold=-inf:inf", "--masked-output", out, "-f", "-q")
    return nrrd.read(str(out), index_order="C")[0]


def expect_volumes(voxcc, path, folder, expected=VOLUMES):
    for number, volume in enumerate(expected):
        np.testing.assert_array_equal(values(voxcc, path, folder, f"[{number}]"), volume)


CASES = [case for case in itertools.product(range(4), ("list", "time", "vector", "none", "???"), ("raw", "gzip"))]


@pytest.mark.parametrize("position, kind, encoding", CASES)
def test_positions(voxcc, tmp_path, position, kind, encoding):
    path = write(tmp_path / "a.nrrd", position, kind, encoding)
    array, _ = nrrd.read(str(path), index_order="C")
    np.testing.assert_array_equal(np.moveaxis(array, 3 - position, 0), VOLUMES)
    expect_volumes(voxcc, path, tmp_path)
    assert "holds 3 volumes" in voxcc.fails(64, "label", path)
    info = json.loads(voxcc("info", path, "--json").stdout)
    assert (info["shape"], info["volumes"]) == ([8, 7, 6], 3)
    assert np.allclose(info["affine"], [[-2, 0, -.3, -5], [-.1, -2.5, 0, 6], [0, .2, 3, 7]])
    if kind == "time":
        np.testing.assert_array_equal(values(voxcc, path, tmp_path, "[t=1]"), VOLUMES[1])


@pytest.mark.parametrize("encoding", PACK)
@pytest.mark.parametrize("order", "<>")
def test_encodings(voxcc, tmp_path, encoding, order):
    for position in range(4):
        path = write(tmp_path / "a.nrrd", position, "list", encoding, order)
        expect_volumes(voxcc, path, tmp_path)
        voxcc("verify", path)
        voxcc("label", path, "--volume", "all", "-o", tmp_path / "all.nii", "-f")
        np.testing.assert_array_equal(read_nifti(tmp_path / "all.nii"), [label_scipy(volume != 0, 26) for volume in VOLUMES])


def test_without_directions(voxcc, tmp_path):
    """Only the kinds tell the axes apart; spacings of other axes are NaN."""
    for position in range(4):
        spacings = ["2", "2.5", "3"]
        spacings.insert(position, "nan")
        path = write(tmp_path / "a.nrrd", position, "list", directions=False, more=["spacings: " + " ".join(spacings)])
        expect_volumes(voxcc, path, tmp_path)
        assert json.loads(voxcc("info", path, "--json").stdout)["spacing_mm"] == [2, 2.5, 3]


def test_layers_of_a_segmentation(voxcc, tmp_path):
    """As 3D Slicer writes overlapping segments: SimpleITK reads the same file as a vector image."""
    path, layers = tmp_path / "a.seg.nrrd", VOLUMES[:2] > 0
    header = {"kinds": ["list", "domain", "domain", "domain"], "encoding": "gzip", "space": "left-posterior-superior",
              "space directions": np.array([[np.nan] * 3, [2, 0, 0], [0, 2, 0], [0, 0, 3]]), "space origin": [1, 2, 3],
              "Segment0_Layer": "0", "Segment1_Layer": "1"}
    nrrd.write(str(path), np.moveaxis(layers.astype(np.uint8), 0, 3), header, index_order="C")
    expected = np.moveaxis(SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))), 3, 0)
    np.testing.assert_array_equal(expected, layers)
    expect_volumes(voxcc, path, tmp_path, expected)
    voxcc("label", f"{path}[1]", "-o", tmp_path / "out.nii")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(layers[1], 26))
    out = SimpleITK.ReadImage(str(tmp_path / "out.nii"))
    assert np.allclose(out.GetOrigin(), (1, 2, 3)) and np.allclose(out.GetSpacing(), (2, 2, 3))


@pytest.mark.parametrize("kind", ["RGB-color", "3-color", "3-vector", "3-normal", "HSV-color", "covariant-vector"])
def test_colours_are_refused(voxcc, tmp_path, kind):
    for position in (0, 1, 2):
        assert "its voxels are vectors or colours" in voxcc.fails(65, "label", write(tmp_path / "a.nrrd", position, kind))
    expect_volumes(voxcc, write(tmp_path / "a.nrrd", 3, kind), tmp_path)  # planes


def test_axes_of_one_element(voxcc, tmp_path):
    for sizes, kinds in (("1 8 7 6", "RGB-color domain domain domain"), ("8 1 7 6", "domain list domain domain"), ("1 8 1 7 6", "list domain time domain domain")):
        voxels = VOLUMES[0].tobytes()
        (tmp_path / "a.nrrd").write_bytes(f"NRRD0005\ntype: int16\ndimension: {len(sizes.split())}\nsizes: {sizes}\nkinds: {kinds}\n"
                                          "endian: little\nencoding: raw\n\n".encode() + voxels)
        np.testing.assert_array_equal(values(voxcc, tmp_path / "a.nrrd", tmp_path), VOLUMES[0])


def test_other_shapes_are_refused(voxcc, tmp_path):
    voxels = bytes(2 * 3 * 4 * 5 * 6 * 2)
    for sizes, kinds, cause in (
        ("2 3 4 5 6", "list domain time domain domain", "has 3 axes of space and 2 others; one axis beside space is read"),
        ("2 3 4 5 6", "domain domain domain domain domain", "has 3 axes of space and 2 others"),
        ("6 5 24", "list time vector", "its voxels are vectors or colours"), ("720 -1", "list domain", "an extent of -1"),
        ("0 720", "list domain", "an extent of 0"), ("4294967296 4294967296", "list domain", "more than 2^63"),
        ("3 240", "list domain domain", "'kinds' is not given for each of the 2 axes"),
    ):
        (tmp_path / "a.nrrd").write_bytes(f"NRRD0005\ntype: uint8\ndimension: {len(sizes.split())}\nsizes: {sizes}\nkinds: {kinds}\nencoding: raw\n\n".encode() + voxels)
        assert cause in voxcc.fails(65, "label", tmp_path / "a.nrrd"), cause


def test_long_steps(voxcc, tmp_path):
    """More volumes than a piece of the reader has samples."""
    count = 200_000
    array = np.zeros((2, 3, count), np.uint8)
    array[1, :2, 150_000] = array[0, 0, 150_000] = 1
    (tmp_path / "a.nrrd").write_bytes(f"NRRD0005\ntype: uint8\ndimension: 3\nsizes: {count} 3 2\nkinds: list domain domain\nencoding: gzip\n\n".encode()
                                      + gzip.compress(array.tobytes()))
    np.testing.assert_array_equal(values(voxcc, tmp_path / "a.nrrd", tmp_path, "[150000]").reshape(2, 3), array[..., 150_000])


@pytest.mark.parametrize("encoding", ["raw", "gzip", "bzip2", "text", "hex"])
def test_damage(voxcc, tmp_path, encoding):
    path = write(tmp_path / "a.nrrd", 0, "list", encoding)
    content = path.read_bytes()
    for less in (1, 2, 500):
        path.write_bytes(content[:-less])
        for number in range(3):
            voxcc.fails(65, "label", f"{path}[{number}]", "-o", tmp_path / "out.nii")
            assert not (tmp_path / "out.nii").exists()
    path.write_bytes(content + (b" 1\n" if encoding == "text" else b"00"))
    done = subprocess.run([voxcc.program, "label", f"{path}[0]", "--stats", "-"], capture_output=True, text=True, check=False)
    assert done.returncode == 65 or done.stderr.count("after the voxels are ignored") == 1, done.stderr


def test_pipes(voxcc, tmp_path):
    for encoding, position in itertools.product(("raw", "gzip"), (0, 1)):
        content = write(tmp_path / "a.nrrd", position, "list", encoding).read_bytes()
        for number in range(3):
            done = subprocess.run([voxcc.program, "label", "-", "--volume", str(number), "-o", tmp_path / "out.nii", "-f", "-q"], input=content, check=False)
            assert done.returncode == 0
            np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUMES[number] != 0, 26))
        done = subprocess.run([voxcc.program, "label", "-", "--volume", "0", "-o", tmp_path / "out.nii", "-f"], input=content[:-9], check=False, capture_output=True)
        assert done.returncode == 65


def test_several_data_files(voxcc, tmp_path):
    (tmp_path / "a.nhdr").write_text("NRRD0005\ntype: uint8\ndimension: 4\nsizes: 2 4 4 2\nkinds: list domain domain domain\nencoding: raw\ndata file: s%d.raw 0 1 1\n")
    for number in range(2):
        (tmp_path / f"s{number}.raw").write_bytes(bytes(32))
    assert "only if the axis that counts volumes is the last one" in voxcc.fails(65, "label", tmp_path / "a.nhdr", "--volume", 0, "--allow-external")


@pytest.mark.parametrize("encoding", ["gzip", "bzip2"])
def test_byte_skip_of_compressed_voxels(voxcc, tmp_path, encoding):
    """As pynrrd reads -1: the voxels are the last bytes. Other bytes before them would be an error here."""
    path = write(tmp_path / "a.nrrd", 3, "list", encoding, more=["byte skip: -1"])
    np.testing.assert_array_equal(nrrd.read(str(path), index_order="C")[0], VOLUMES)
    expect_volumes(voxcc, path, tmp_path)
    head = path.read_bytes().split(b"\n\n", 1)[0]
    path.write_bytes(head + b"\n\n" + PACK[encoding](b"12" + VOLUMES.tobytes()))
    assert "more than the header claims" in voxcc.fails(65, "label", path, "--volume", 2)
    path = write(tmp_path / "b.nrrd", 3, "list", "text", more=["byte skip: -1"])
    assert "byte skip -1 is not allowed" in voxcc.fails(65, "label", path, "--volume", 2)
