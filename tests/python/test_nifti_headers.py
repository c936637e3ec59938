"""NIfTI headers with small faults, which nibabel or ITK read, too: read with a warning, and never with other voxels."""

import gzip
import json
import struct

import nibabel
import numpy as np
import pytest
import SimpleITK
from helpers import blobs, label_scipy, read_nifti

VOLUME = blobs((6, 8, 9), 0.3).astype(np.int16) * 5
BOTH = [nibabel.Nifti1Image, nibabel.Nifti2Image]


def nifti(array=VOLUME, cls=nibabel.Nifti1Image):
    image = cls(array.T, np.diag([2, 3, 4, 1]), dtype=array.dtype)
    image.header["scl_slope"], image.header["scl_inter"] = 1, 0
    return bytearray(image.to_bytes())


def put(content, field, form, value, index=0):
    """Changes one number of a header field; the offsets are those of nifti1.h and nifti2.h."""
    is_two = content[:4] == struct.pack("<i", 540)
    offset = {"dim": (40, 16), "bitpix": (72, 14), "vox_offset": (108, 168)}[field][is_two]
    form = "<" + (form.replace("h", "q") if is_two and field == "dim" else form)
    struct.pack_into(form, content, offset + index * struct.calcsize(form), value)


def expect(voxcc, path, warning, expected=VOLUME):
    """Labels equal scipy's, and each command gives the warning once."""
    for command in (["label", path, "-o", path.parent / "out.nii", "-f"], ["verify", path]):
        warnings = voxcc(*command).stderr.splitlines()
        assert len(warnings) == 1 and warning in warnings[0], (command, warnings)
    assert [warning in line for line in json.loads(voxcc("info", path, "--json").stdout)["warnings"]] == [True]
    np.testing.assert_array_equal(read_nifti(path.parent / "out.nii"), label_scipy(expected != 0, 26))
    out = nibabel.load(path.parent / "out.nii")
    assert np.array_equal(out.affine, np.diag([2, 3, 4, 1])) and np.asarray(out.dataobj).ndim == 3


@pytest.mark.parametrize("cls", BOTH)
@pytest.mark.parametrize("bits", [0, 8, 32, -1])
def test_bits_per_voxel(voxcc, tmp_path, cls, bits):
    content = nifti(cls=cls)
    put(content, "bitpix", "h", bits)
    (tmp_path / "a.nii").write_bytes(content)
    np.testing.assert_array_equal(read_nifti(tmp_path / "a.nii"), VOLUME)
    expect(voxcc, tmp_path / "a.nii", f"states {bits} bits per voxel (bitpix), but the datatype int16; the datatype is used")


@pytest.mark.parametrize("cls", BOTH)
@pytest.mark.parametrize("rank, zeros", [(4, [4]), (5, [4, 5]), (7, [4, 5, 6, 7])])
def test_axes_of_zero_elements(voxcc, tmp_path, cls, rank, zeros):
    content = nifti(cls=cls)
    put(content, "dim", "h", rank)
    for axis in zeros:
        put(content, "dim", "h", 0, axis)
    (tmp_path / "a.nii").write_bytes(content)
    if cls is nibabel.Nifti1Image and rank == 4:
        np.testing.assert_array_equal(SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(tmp_path / "a.nii"))).reshape(VOLUME.shape), VOLUME)
    for command in ("label", "verify"):
        lines = voxcc(command, tmp_path / "a.nii").stderr.splitlines()
        assert [f"dim[{axis}] is 0, and is taken as 1" in line for axis, line in zip(zeros, lines)] == [True] * len(zeros) == [True] * len(lines)
    if len(zeros) == 1:
        expect(voxcc, tmp_path / "a.nii", "dim[4] is 0, and is taken as 1")


def test_an_axis_of_zero_elements_before_volumes(voxcc, tmp_path):
    content = nifti(np.stack([VOLUME, VOLUME[::-1], 2 - VOLUME]))
    for index, value in ((0, 5), (4, 0), (5, 3)):
        put(content, "dim", "h", value, index)
    (tmp_path / "a.nii").write_bytes(content)
    voxcc("label", tmp_path / "a.nii", "--volume", "all", "-o", tmp_path / "out.nii")
    out = nibabel.load(tmp_path / "out.nii")
    assert out.shape == (9, 8, 6, 1, 3)
    np.testing.assert_array_equal(np.asarray(out.dataobj)[..., 0, 1].T, label_scipy(VOLUME[::-1] != 0, 26))


@pytest.mark.parametrize("axis, value", [(4, -1), (5, -3), (1, 0), (3, 0)])
def test_other_extents_are_refused(voxcc, tmp_path, axis, value):
    content = nifti()
    put(content, "dim", "h", 5)
    put(content, "dim", "h", value, axis)
    (tmp_path / "a.nii").write_bytes(content)
    voxcc.fails(65, "label", tmp_path / "a.nii")


def with_extensions(content, *extensions):
    """Puts extensions before the voxels: size, code and content."""
    head = 540 if content[:4] == struct.pack("<i", 540) else 348
    block = b"".join(struct.pack("<ii", size, code) + text for size, code, text in extensions)
    block += bytes(-len(block) % 16)
    result = bytearray(content[:head] + b"\1\0\0\0" + block + content[head + 4:])
    put(result, "vox_offset", "q" if head == 540 else "f", head + 4 + len(block))
    return result


@pytest.mark.parametrize("cls", BOTH)
@pytest.mark.parametrize("sizes", [(30,), (9,), (8,), (30, 32), (16, 17, 16)])
def test_sizes_of_extensions(voxcc, tmp_path, cls, sizes):
    """nibabel warns and reads them, too. The output has extensions of valid sizes with the same content."""
    texts = [bytes(range(1, size - 7)) for size in sizes]
    (tmp_path / "a.nii").write_bytes(with_extensions(nifti(cls=cls), *((size, 6, text) for size, text in zip(sizes, texts))))
    with pytest.warns(UserWarning, match="multiple of 16"):
        np.testing.assert_array_equal(read_nifti(tmp_path / "a.nii"), VOLUME)
    wrong = [size for size in sizes if size % 16]
    expect(voxcc, tmp_path / "a.nii", f"has a header extension of {wrong[0]} bytes, which is not a multiple of 16")
    written = nibabel.load(tmp_path / "out.nii").header.extensions
    assert [e.get_content().rstrip(b"\0") for e in written] == texts and [e.get_code() for e in written] == [6] * len(sizes)


def test_extensions_that_reach_into_the_voxels(voxcc, tmp_path):
    for size, cause in ((7, "less than 8"), (0, "less than 8"), (-16, "less than 8"), (49, "reaches into the voxels"), (1 << 30, "reaches into the voxels")):
        (tmp_path / "a.nii").write_bytes(with_extensions(nifti(), (size, 6, bytes(40))))
        assert cause in voxcc.fails(65, "label", tmp_path / "a.nii")


@pytest.mark.parametrize("zeros", [1, 10, 511, 300_000])
@pytest.mark.parametrize("threads", [1, 4])
def test_zeros_after_gzip(voxcc, tmp_path, zeros, threads):
    path, content = tmp_path / "a.nii.gz", gzip.compress(nifti()) + bytes(zeros)
    path.write_bytes(content)
    assert gzip.decompress(content) == nifti()
    done = voxcc("label", path, "-o", tmp_path / "out.nii", "-t", threads)
    assert done.stderr.count("warning") == 1 and f"{zeros} byte{'s' * (zeros > 1)} after the gzip data" in done.stderr and "(all are 0)" in done.stderr
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME != 0, 26))
    assert "after the gzip data" in voxcc("verify", path).stderr
    path.write_bytes(content + b"\1")
    assert "are not a gzip member" in voxcc.fails(65, "verify", path)
    path.write_bytes(gzip.compress(nifti() + b"12") + bytes(zeros))
    assert "2 bytes after the voxels are ignored, and" in voxcc("verify", path).stderr
    path.write_bytes(gzip.compress(nifti()[:-1]) + bytes(zeros))
    voxcc.fails(65, "verify", path)


@pytest.mark.parametrize("names", [("PAIR.HDR", "PAIR.IMG"), ("PAIR.hdr", "PAIR.IMG"), ("pair.HDR", "pair.img"), ("p.HDR.GZ", "p.IMG.GZ"), ("p.Hdr", "p.img")])
def test_case_of_pairs(voxcc, tmp_path, names):
    image = nibabel.Nifti1Pair(VOLUME.T, np.eye(4), dtype=VOLUME.dtype)
    nibabel.save(image, tmp_path / "source.img")
    for name, kind in zip(names, ("hdr", "img")):
        content = (tmp_path / f"source.{kind}").read_bytes()
        (tmp_path / name).write_bytes(gzip.compress(content) if name.upper().endswith(".GZ") else content)
    for name in names if names[0] != "p.Hdr" else names[:1]:
        voxcc("label", tmp_path / name, "-o", tmp_path / "out.nii", "-f")
        np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME != 0, 26))


def test_missing_file_of_a_pair(voxcc, tmp_path):
    nibabel.save(nibabel.Nifti1Pair(VOLUME.T, np.eye(4), dtype=VOLUME.dtype), tmp_path / "a.img")
    (tmp_path / "a.img").rename(tmp_path / "B.IMG")
    assert "B.HDR is missing" in voxcc.fails(66, "label", tmp_path / "B.IMG")
    assert "a.img is missing" in voxcc.fails(66, "label", tmp_path / "a.hdr")
    (tmp_path / "a.hdr").rename(tmp_path / "A.HDR")
    assert "A.IMG is missing" in voxcc.fails(66, "label", tmp_path / "A.HDR")
