"""NRRD and MetaImage with every encoding that ITK or pynrrd writes, against SimpleITK and pynrrd."""

import bz2
import gzip
import subprocess

import nrrd
import numpy as np
import pytest
import SimpleITK
from helpers import label_scipy, noise, read_nifti, sha256

VOLUME = noise((9, 10, 11), 0.3).astype(np.int16) * 7
TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")


def nrrd_file(array, encoding, content, endian="little", more=""):
    """The bytes of an NRRD file. @param content of the voxels"""
    sizes = " ".join(map(str, array.shape[::-1]))
    dtype = {"float32": "float", "float64": "double"}.get(array.dtype.name, array.dtype.name)
    head = f"NRRD0004\ntype: {dtype}\ndimension: {array.ndim}\nsizes: {sizes}\nendian: {endian}\nencoding: {encoding}\n{more}\n"
    return head.encode() + content


META_TYPES = {"uint8": "UCHAR", "int8": "CHAR", "uint16": "USHORT", "int16": "SHORT", "uint32": "UINT", "int32": "INT",
              "uint64": "ULONG_LONG", "int64": "LONG_LONG", "float32": "FLOAT", "float64": "DOUBLE"}


def meta_file(array, content, more="", data="LOCAL"):
    sizes = " ".join(map(str, array.shape[::-1]))
    return (f"ObjectType = Image\nNDims = {array.ndim}\nBinaryData = False\n{more}DimSize = {sizes}\n"
            f"ElementType = MET_{META_TYPES[array.dtype.name]}\nElementDataFile = {data}\n").encode() + content


def as_text(array, separator=" "):
    return (separator.join(map(str, array.ravel().tolist())) + "\n").encode()


def extremes(dtype):
    """A volume with the limits of its type, which ITK reads through a double."""
    values = np.arange(4 * 5 * 6).reshape(4, 5, 6).astype(dtype)
    if np.dtype(dtype).kind == "f":
        values.flat[:6] = [0.1, -1e-30, 3.4e38, 1 / 3, np.pi * 1e10, -0.0]
    else:
        values.flat[:2] = np.iinfo(dtype).min, np.iinfo(dtype).max
    return values


def read_values(voxcc, path, folder, *options):
    """The voxels that voxcc has read: all of them are foreground."""
    out = folder / "values.nrrd"
    voxcc("label", path, "--threshold=-inf:inf", "--masked-output", out, "-f", *options)
    return nrrd.read(str(out), index_order="C")[0]


@pytest.mark.parametrize("extension", ["nrrd", "nhdr", "mha", "mhd"])
@pytest.mark.parametrize("compress", [False, True])
def test_written_by_itk(voxcc, tmp_path, extension, compress):
    path = tmp_path / f"v.{extension}"
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(VOLUME), str(path), compress)
    voxcc("label", path, "-o", tmp_path / "out.nii")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME != 0, 26))


@pytest.mark.parametrize("encoding", ["raw", "gzip", "gz", "bzip2", "bz2", "ascii", "text", "txt", "hex"])
@pytest.mark.parametrize("order", "<>")
def test_nrrd(voxcc, tmp_path, encoding, order):
    path = tmp_path / "v.nrrd"
    array = VOLUME.astype(np.dtype(np.int16).newbyteorder(order))
    if encoding == "hex":
        path.write_bytes(nrrd_file(VOLUME, "hex", array.tobytes().hex().encode() + b"\n", "little" if order == "<" else "big"))
    else:
        nrrd.write(str(path), array, {"encoding": encoding}, index_order="C")
    if encoding.startswith("bz"):  # ITK is built without bzip2
        np.testing.assert_array_equal(nrrd.read(str(path), index_order="C")[0], VOLUME)
    else:
        np.testing.assert_array_equal(SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))), VOLUME)
    voxcc("label", path, "-o", tmp_path / "out.nii", "--max-memory", "100MB")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME != 0, 26))
    np.testing.assert_array_equal(read_values(voxcc, path, tmp_path), VOLUME)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("form", ["nrrd", "mha", "mhd"])
@pytest.mark.parametrize("separator", [" ", "\n", ", ", "\t\r\n "])
def test_numbers_as_text(voxcc, tmp_path, dtype, form, separator):
    array, path = extremes(dtype), tmp_path / f"v.{form}"
    text = as_text(array, separator)
    if form == "nrrd":
        path.write_bytes(nrrd_file(array, "text", text))
    elif form == "mha":
        path.write_bytes(meta_file(array, text))
    else:
        path.write_bytes(meta_file(array, b"", data="v.txt"))
        (tmp_path / "v.txt").write_bytes(text)
    before = sha256(path)
    read = read_values(voxcc, path, tmp_path)
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read, array)
    np.testing.assert_array_equal(np.signbit(read), np.signbit(array))
    assert sha256(path) == before
    if np.dtype(dtype).itemsize < 8 and "," not in separator:  # ITK rounds 64-bit integers to doubles
        np.testing.assert_array_equal(SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))), array)


@pytest.mark.parametrize("form", ["nrrd", "mha"])
def test_both_readers_agree_on_text(voxcc, tmp_path, form):
    path = tmp_path / f"v.{form}"
    path.write_bytes(nrrd_file(VOLUME, "ascii", as_text(VOLUME)) if form == "nrrd" else meta_file(VOLUME, as_text(VOLUME)))
    np.testing.assert_array_equal(read_values(voxcc, path, tmp_path, "--reader", "itk"), VOLUME)
    np.testing.assert_array_equal(read_values(voxcc, path, tmp_path, "--reader", "voxcc"), VOLUME)


def test_itk_does_not_read_bzip2(voxcc, tmp_path):
    path = tmp_path / "v.nrrd"
    nrrd.write(str(path), VOLUME, {"encoding": "bzip2"}, index_order="C")
    with pytest.raises(RuntimeError):
        SimpleITK.ReadImage(str(path))
    assert "--reader" in voxcc.fails(64, "label", path, "--reader", "itk")


@pytest.mark.parametrize("text, value", [("+7", 7), ("7.0", 7), ("0.7e1", 7), ("7", 7), ("007", 7)])
def test_forms_of_integers(voxcc, tmp_path, text, value):
    path, array = tmp_path / "v.mha", np.full((1, 2, 2), value, np.uint8)
    path.write_bytes(meta_file(array, (f"{text} " * 4).encode()))
    np.testing.assert_array_equal(read_values(voxcc, path, tmp_path).squeeze(), array.squeeze())


def test_infinite_and_missing_numbers(voxcc, tmp_path):
    path = tmp_path / "v.mha"
    path.write_bytes(meta_file(np.zeros((1, 2, 3), np.float32), b"nan inf -inf NaN 1 0\n"))
    done = voxcc("label", path, "--threshold", "nonzero", "--stats", "-", "-c", "4")
    assert "contains NaN in 2 voxels" in done.stderr
    assert [line.split(",")[:2] for line in done.stdout.splitlines()] == [["label", "voxels"], ["1", "3"]]


@pytest.mark.parametrize("dtype, word", [
    ("uint8", "256"), ("uint8", "-1"), ("int8", "128"), ("uint8", "1.5"), ("uint8", "nan"), ("uint8", "1e3"), ("uint64", "18446744073709551616"),
    ("int64", "1e17"), ("float32", "x"), ("float32", "1e999"), ("float32", "1..2"), ("float64", "+-1"), ("float64", "0x1p3"),
    ("uint8", "\0"), ("uint8", "1;2"), ("uint16", "9" * 500), ("uint8", "é"), ("float64", "--1"), ("uint8", "+"),
])
@pytest.mark.parametrize("form", ["nrrd", "mha"])
def test_words_that_are_not_voxels(voxcc, tmp_path, form, dtype, word):
    path, array = tmp_path / f"v.{form}", np.ones((2, 3, 4), dtype)
    text = as_text(array).replace(b"1", word.encode(), 20).replace(word.encode(), b"1", 19)
    path.write_bytes(nrrd_file(array, "text", text) if form == "nrrd" else meta_file(array, text))
    line = voxcc.fails(65, "label", path, "-o", tmp_path / "out.nii")
    assert "voxel 19 is '" in line and f"which is not a number of type {dtype}" in line
    assert not (tmp_path / "out.nii").exists()


@pytest.mark.parametrize("form", ["nrrd", "mha", "hex", "bzip2"])
def test_every_truncation_is_an_error(voxcc, tmp_path, form):
    path, array = tmp_path / ("v.mha" if form == "mha" else "v.nrrd"), (noise((2, 3, 4), 0.5) * 100).astype(np.uint8)
    contents = {"nrrd": nrrd_file(array, "text", as_text(array)), "mha": meta_file(array, as_text(array)),
                "hex": nrrd_file(array, "hex", array.tobytes().hex().encode()),
                "bzip2": nrrd_file(array, "bzip2", bz2.compress(array.tobytes()))}
    content = contents[form]
    for cut in range(content.index(b"\n\n") + 2 if form != "mha" else content.index(b"LOCAL\n") + 6, len(content)):
        path.write_bytes(content[:cut])
        voxcc.fails(65, "label", path)
    path.write_bytes(content)
    voxcc("verify", path)


@pytest.mark.parametrize("form", ["nrrd", "mha", "hex"])
def test_text_after_the_voxels_is_ignored_with_a_warning(voxcc, tmp_path, form):
    path = tmp_path / ("v.mha" if form == "mha" else "v.nrrd")
    contents = {"nrrd": nrrd_file(VOLUME, "text", as_text(VOLUME)), "mha": meta_file(VOLUME, as_text(VOLUME)),
                "hex": nrrd_file(VOLUME, "hex", VOLUME.tobytes().hex().encode() + b"\n")}
    path.write_bytes(contents[form] + b"  \n\t ")
    assert voxcc("verify", path).stderr == ""
    path.write_bytes(contents[form] + b"\n12 3\n")
    assert "5 bytes" in voxcc("label", path, "--stats", "-").stderr


@pytest.mark.parametrize("encoding", ["text", "hex", "bzip2"])
def test_sizes_are_checked_before_memory_is_allocated(voxcc, tmp_path, encoding):
    path = tmp_path / "v.nrrd"
    content = {"text": b"1 1 1 1\n", "hex": b"0101\n", "bzip2": bz2.compress(b"1111")}[encoding]
    for sizes in ("4000000000 4000000000 4", "1000 1000 100000", "0 4 1", "-1 4 4"):
        path.write_bytes(nrrd_file(VOLUME, encoding, content).replace(b"sizes: 11 10 9", f"sizes: {sizes}".encode()))
        voxcc.fails(65, "label", path, "--max-memory", "50MB")
        voxcc.fails(65, "verify", path)


def test_bzip2_streams(voxcc, tmp_path):
    """bunzip2 reads several streams as one."""
    path, voxels = tmp_path / "v.nrrd", VOLUME.tobytes()
    for pieces in (1, 2, 3, 100):
        parts = [bz2.compress(voxels[i * len(voxels) // pieces:(i + 1) * len(voxels) // pieces]) for i in range(pieces)]
        path.write_bytes(nrrd_file(VOLUME, "bzip2", b"".join(parts)))
        np.testing.assert_array_equal(read_values(voxcc, path, tmp_path), VOLUME)
    path.write_bytes(nrrd_file(VOLUME, "bzip2", bz2.compress(voxels) + b"x"))
    assert "its last 1 bytes are not compressed voxels" in voxcc.fails(65, "label", path)
    path.write_bytes(nrrd_file(VOLUME, "bzip2", bz2.compress(voxels + b"x")))
    assert "are more than the header claims" in voxcc.fails(65, "label", path)
    path.write_bytes(nrrd_file(VOLUME, "bzip2", bz2.compress(voxels[:-1])))
    assert "end too early" in voxcc.fails(65, "label", path)
    for wrong in (gzip.compress(voxels), voxels, b"BZh", b"BZh0" + bz2.compress(voxels)[4:]):
        path.write_bytes(nrrd_file(VOLUME, "bzip2", wrong))
        voxcc.fails(65, "label", path)
    path.write_bytes(nrrd_file(VOLUME, "bzip2", bz2.compress(b"head" + voxels), more="byte skip: 4\n"))
    np.testing.assert_array_equal(read_values(voxcc, path, tmp_path), VOLUME)


def test_bits_of_bzip2(voxcc, tmp_path):
    """Each block has a CRC: a flipped bit is an error, or has no effect."""
    path, content = tmp_path / "v.nrrd", bytearray(nrrd_file(VOLUME, "bzip2", bz2.compress(VOLUME.tobytes())))
    start = content.index(b"\n\n") + 2
    found = 0
    for at in range(start, len(content), 7):
        content[at] ^= 16
        path.write_bytes(content)
        done = subprocess.run([voxcc.program, "verify", path], capture_output=True, timeout=60, check=False)
        content[at] ^= 16
        assert done.returncode in (0, 65)
        found += done.returncode == 65
    assert found > 0.9 * len(range(start, len(content), 7))


def test_skips_of_text(voxcc, tmp_path):
    path = tmp_path / "v.nrrd"
    path.write_bytes(nrrd_file(VOLUME, "text", b"a line\nabc" + as_text(VOLUME), more="line skip: 1\nbyte skip: 3\n"))
    np.testing.assert_array_equal(read_values(voxcc, path, tmp_path), VOLUME)


@pytest.mark.parametrize("encoding", ["text", "hex", "bzip2"])
def test_pipes(voxcc, tmp_path, encoding):
    content = {"text": as_text(VOLUME), "hex": VOLUME.tobytes().hex().encode() + b"\n", "bzip2": bz2.compress(VOLUME.tobytes())}[encoding]
    whole = nrrd_file(VOLUME, encoding, content)
    command = [voxcc.program, "label", "-", "-o", tmp_path / "out.nii", "-f"]
    assert subprocess.run(command, input=whole, timeout=60, check=False).returncode == 0
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME != 0, 26))
    (tmp_path / "out.nii").unlink()
    done = subprocess.run(command, input=whole[:-20], capture_output=True, timeout=60, check=False)
    assert done.returncode == 65 and not (tmp_path / "out.nii").exists()


@pytest.mark.parametrize("more, cause", [
    ("CompressedData = True\n", "voxels that are text and compressed are not read"),
    ("HeaderSize = -1\n", "HeaderSize -1 is not allowed"),
    ("ElementNumberOfChannels = 3\n", "its voxels are vectors of 3"),
])
def test_metaimage_text_with_other_fields(voxcc, tmp_path, more, cause):
    path = tmp_path / "v.mha"
    path.write_bytes(meta_file(VOLUME, as_text(VOLUME), more))
    assert cause in voxcc.fails(65, "label", path)
