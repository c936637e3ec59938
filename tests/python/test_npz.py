"""Archives of NumPy arrays (.npz) against numpy and zipfile."""

import io
import json
import struct
import subprocess
import zipfile

import numpy as np
import pytest
from helpers import blobs, label_scipy, noise, read_nifti, streaming_limit, write_nifti

SAVE = {"stored": np.savez, "deflated": np.savez_compressed}
TYPES = ("bool", "uint8", "int8", "<u2", ">i2", "<u4", ">i4", "<u8", ">i8", "<f2", ">f2", "<f4", ">f8")


@pytest.mark.parametrize("save", SAVE)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 63), (7, 9, 65), (4, 1, 64), (5, 6)])
@pytest.mark.parametrize("order", "CF")
def test_values(voxcc, tmp_path, save, dtype, shape, order):
    array = np.asarray((noise(shape, 0.4) * np.random.default_rng(2).integers(1, 90, shape)).astype(dtype), order=order)
    SAVE[save](tmp_path / "v.npz", image=array)
    voxcc("label", tmp_path / "v.npz", "-o", tmp_path / "out.npz", "--masked-output", tmp_path / "values.npz")
    labels = np.load(tmp_path / "out.npz")["labels"]
    assert labels.shape == array.shape
    connectivity = 26 if len(shape) == 3 else 8
    is_fortran = order == "F" and not array.flags.c_contiguous  # numpy.save() prefers C order if both fit
    expected = label_scipy((array != 0).T, connectivity).T if is_fortran else label_scipy(array != 0, connectivity)
    np.testing.assert_array_equal(labels, expected)
    values = np.load(tmp_path / "values.npz")["labels"]
    np.testing.assert_array_equal(values, array)


def test_choice(voxcc, tmp_path):
    first, second = blobs((6, 7, 8)), noise((5, 6, 7), 0.3)
    np.savez(tmp_path / "two.npz", first=first, second=second, spacing=np.ones(3))
    assert "--dataset: first second spacing" in voxcc.fails(64, "label", tmp_path / "two.npz")
    assert "--dataset" in voxcc.fails(64, "label", tmp_path / "two.npz", "--dataset", "third")
    for name, array in (("first", first), ("second", second), ("/second", second), ("second.npy", second)):
        voxcc("label", tmp_path / "two.npz", "--dataset", name, "-f", "-o", tmp_path / "out.nii")
        np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(array, 26))
    np.savez(tmp_path / "one.npz", image=first, spacing=np.ones(3))  # the only array that can be a volume
    voxcc("label", tmp_path / "one.npz", "-f", "-o", tmp_path / "out.nii")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(first, 26))
    info = json.loads(voxcc("info", tmp_path / "two.npz", "--json").stdout)
    assert [d["path"] for d in info["datasets"]] == ["first", "second", "spacing"]
    assert voxcc("verify", tmp_path / "two.npz").stdout.endswith("ok\n")


@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_written(voxcc, tmp_path, level):
    volume = noise((30, 61, 130), 0.1)
    write_nifti(tmp_path / "in.nii", volume)
    for threads in (1, 3):
        voxcc("label", tmp_path / "in.nii", "-f", "-o", tmp_path / f"{threads}.npz", "--compress", level, "-t", threads)
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "3.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "1.npz") as archive:
        assert archive.testzip() is None and archive.namelist() == ["labels.npy"]
    np.testing.assert_array_equal(np.load(tmp_path / "1.npz")["labels"].T, label_scipy(volume, 26))
    subprocess.run(["python3", "-m", "zipfile", "-t", tmp_path / "1.npz"], check=True, capture_output=True)
    assert voxcc("compare", "--exact", tmp_path / "1.npz", tmp_path / "3.npz").stdout.startswith("same labels")


def test_streamed(voxcc, tmp_path):
    np.savez_compressed(tmp_path / "v.npz", noise((128, 128, 128), 0.3, 2))
    voxcc("label", tmp_path / "v.npz", "-o", tmp_path / "a.npz")
    limit = streaming_limit(voxcc, "label", tmp_path / "v.npz", "-o", "x.npz", cwd=tmp_path)
    voxcc("label", tmp_path / "v.npz", "-o", tmp_path / "b.npz", *limit)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def archive(members, **options):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", **options) as file:
        for name, data in members:
            file.writestr(name, data)
    return content.getvalue()


def npy(array):
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


ARRAY = noise((9, 10, 11), 0.3)


def test_forms_of_archives(voxcc, tmp_path):
    """Comments, folders and other files in an archive; members with a data descriptor; forced zip64."""
    path = tmp_path / "v.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.comment = b"a comment that contains PK\x05\x06 and more text"
        file.writestr("readme.txt", "text")
        with file.open("image.npy", "w", force_zip64=True) as member:
            member.write(npy(ARRAY))
    voxcc("label", path, "-o", tmp_path / "a.nii")

    class Unseekable(io.RawIOBase):
        def __init__(self, file):
            self.file = file

        def writable(self):
            return True

        def write(self, data):
            return self.file.write(data)

    with open(path, "wb") as file, zipfile.ZipFile(Unseekable(file), "w", zipfile.ZIP_DEFLATED) as streamed:
        streamed.writestr("image.npy", npy(ARRAY))
    voxcc("label", path, "-o", tmp_path / "b.nii")
    for name in ("a.nii", "b.nii"):
        np.testing.assert_array_equal(read_nifti(tmp_path / name), label_scipy(ARRAY, 26))


def test_refused(voxcc, tmp_path):
    path = tmp_path / "v.npz"
    np.savez(path, np.zeros((2, 2, 2), complex))
    voxcc.fails(65, "label", path)
    np.savez(path, np.array([[{}]], dtype=object))
    voxcc.fails(65, "label", path)
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path.write_bytes(archive([("a.npy", npy(ARRAY))], compression=method))
        assert "method" in voxcc.fails(65, "label", path)
    path.write_bytes(archive([("a.txt", b"text")]))
    assert "without NumPy arrays" in voxcc.fails(65, "label", path)
    path.write_bytes(archive([(f"{i}.txt", b"") for i in range(5000)]))
    assert "5000 members" in voxcc.fails(65, "label", path)
    np.savez(path, ARRAY)
    assert "--reader voxcc" in voxcc.fails(64, "label", path, "--reader", "itk")


def test_hostile(voxcc, tmp_path):
    """Sizes, offsets and names that do not fit: an error before anything is allocated."""
    path = tmp_path / "v.npz"
    good = archive([("a.npy", npy(ARRAY))], compression=zipfile.ZIP_DEFLATED)
    directory = good.index(b"PK\1\2")
    for offset, value in ((20, 0xFFFFFFFE), (20, 0), (24, 0xFFFFFFFE), (24, 5), (24, 0xFFFFFFFF), (42, 7), (42, 0xFFFFFFF0), (16, 1), (10, 1 << 16)):
        path.write_bytes(good[: directory + offset] + struct.pack("<I", value) + good[directory + offset + 4 :])
        voxcc.fails(65, "label", path)
    end = good.index(b"PK\5\6")
    for offset, value in ((8, 0xFFFF0001), (8, 0x00020002), (12, 1 << 30), (16, 1 << 30), (16, 0), (4, 1)):
        path.write_bytes(good[: end + offset] + struct.pack("<I", value) + good[end + offset + 4 :])
        voxcc.fails(65, "label", path)
    two = archive([("a.npy", npy(ARRAY)), ("b.npy", npy(ARRAY))])
    second = two.rindex(b"PK\1\2")
    overlapping = bytearray(two[: second + 42] + struct.pack("<I", 0) + two[second + 46 :])
    path.write_bytes(overlapping)
    voxcc.fails(65, "label", path, "--dataset", "a")
    same = bytearray(overlapping)
    same[second + 46] = ord("a")
    path.write_bytes(same)
    assert "overlap" in voxcc.fails(65, "label", path, "--dataset", "a")
    for length in (0, 3, 21, 30, len(good) // 2, len(good) - 1):
        path.write_bytes(good[:length])
        voxcc.fails(65, "label", path)
    header = b"{'descr': '<u2', 'fortran_order': False, 'shape': (2000000, 2000000, 2000000), }"
    path.write_bytes(archive([("a.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header)]))
    voxcc.fails(65, "label", path)
    path.write_bytes(archive([("a.npy", bytes(30_000_000))], compression=zipfile.ZIP_DEFLATED))
    voxcc.fails(65, "label", path)


def test_every_damaged_byte(voxcc, tmp_path):
    """A damaged byte is an error, or it does not matter for the voxels, such as a date."""
    array = ARRAY[:4, :5, :6]
    content = archive([("a.npy", npy(array))], compression=zipfile.ZIP_DEFLATED)
    errors = 0
    for position in range(0, len(content), 2):
        path = tmp_path / "v.npz"
        path.write_bytes(content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :])
        command = [voxcc.program, "label", path, "--masked-output", tmp_path / "values.npy", "--force"]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert done.returncode in (0, 64, 65) and done.stderr.count(b"voxcc: error:") == (done.returncode != 0), (position, done)
        errors += done.returncode != 0
        if done.returncode == 0:
            np.testing.assert_array_equal(np.load(tmp_path / "values.npy"), array, err_msg=str(position))
    assert errors > len(content) // 4
