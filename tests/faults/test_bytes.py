"""Rows 1 to 7: empty, truncated and changed files, and names that state another format."""

import gzip
import struct
import zlib

import numpy as np
import pytest
import tifffile
from cases import EXPECTED, SHAPE, SUFFIXES, VOLUME, files_in, is_labelled, is_refused_or_harmless, make, refused
from helpers import label_scipy, noise, write_nifti

EXTENSIONS = (*SUFFIXES, "hdr", "img", "mhd", "nhdr", "tiff", "hdf5", "png", "mrc", "vtk", "gipl", "dcm")
LARGER = noise((30, 31, 32), 0.5)
LARGER_LABELS = label_scipy(LARGER, 6)


@pytest.mark.parametrize("suffix", EXTENSIONS)
def test_row01_empty_file(voxcc, tmp_path, suffix):
    path = tmp_path / f"in.{suffix}"
    path.touch()
    assert "empty" in refused(voxcc, tmp_path, path)


def cut_positions(suffix, size):
    headers = {"nii": 352, "nii.gz": 10, "tif": 8, "h5": 96, "nrrd": 100, "mha": 100, "npy": 128}
    header = headers[suffix]
    return sorted({1, header - 1, header, size * 6 // 10, size - 1})


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row02_truncated(voxcc, tmp_path, suffix):
    path = make(voxcc, tmp_path, suffix, LARGER)
    content = path.read_bytes()
    for position in cut_positions(suffix, len(content)):
        path.write_bytes(content[:position])
        if suffix == "tif" and position == len(content) - 1:
            assert is_refused_or_harmless(voxcc, tmp_path, path, LARGER_LABELS) or position == len(content) - 1
        else:
            refused(voxcc, tmp_path, path, commands=("label", "verify"))


def test_row02_truncated_nifti_states_both_sizes(voxcc, tmp_path):
    path = write_nifti(tmp_path / "in.nii", VOLUME)
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:-100])
    assert f"expected {size} bytes by its header, got {size - 100}" in refused(voxcc, tmp_path, path)


def test_row02_tiff_truncated_in_its_chain_of_pages(voxcc, tmp_path):
    """A cut inside a page directory or the pointer to the next page must not give fewer pages."""
    path = tmp_path / "in.tif"
    for page in VOLUME:
        tifffile.imwrite(path, page, append=path.exists(), photometric="minisblack", metadata=None)
    content = path.read_bytes()
    with tifffile.TiffFile(path) as file:
        starts = [page.offset for page in file.pages]
    for start in starts[1::4]:
        entries = struct.unpack("<H", content[start : start + 2])[0]
        pointer = start + 2 + 12 * entries
        for position in (start + 1, start + 20, *range(pointer, pointer + 4)):
            path.write_bytes(content[:position])
            refused(voxcc, tmp_path, path, commands=("label", "verify"))


@pytest.mark.long
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row02_truncated_at_every_byte(voxcc, tmp_path, suffix):
    path = make(voxcc, tmp_path, suffix)
    content = path.read_bytes()
    errors, local = 0, content.find(b"LOCAL")
    for position in range(len(content)):
        path.write_bytes(content[:position])
        # MetaImage: the rest of the word LOCAL is the name of a data file that does not exist.
        names_a_file = suffix == "mha" and local < position < local + len("LOCAL")
        errors += is_refused_or_harmless(voxcc, tmp_path, path, code=66 if names_a_file else 65)
    assert errors == len(content) if suffix != "tif" else errors > len(content) - 20


def compressed(voxcc, folder, suffix):
    """A compressed volume, and the range of bytes of its compressed stream."""
    path = folder / f"in.{suffix}"
    if suffix == "tif":
        tifffile.imwrite(path, LARGER, compression="zlib", rowsperstrip=31, metadata=None, photometric="minisblack")
        with tifffile.TiffFile(path) as file:
            page = file.pages[7]
            return path, page.dataoffsets[0], page.dataoffsets[0] + page.databytecounts[0]
    make(voxcc, folder, suffix, LARGER)
    content = path.read_bytes()
    start = {"nii.gz": 10, "nrrd": content.find(b"\n\n") + 12, "mha": content.find(b"LOCAL\n") + 6}.get(suffix)
    if suffix == "h5":
        start = content.find(b"\x78", 2048)
    return path, start, len(content) if suffix != "h5" else start + 200


def flips(voxcc, folder, suffix, count):
    path, start, end = compressed(voxcc, folder, suffix)
    content = path.read_bytes()
    random = np.random.default_rng(4)
    errors = 0
    for position in np.linspace(start, end - 1, min(count, end - start)).astype(int):
        changed = bytearray(content)
        changed[position] ^= 1 << random.integers(8)
        path.write_bytes(changed)
        errors += is_refused_or_harmless(voxcc, folder, path, LARGER_LABELS)
    return errors


@pytest.mark.parametrize("suffix", ("nii.gz", "tif", "h5", "nrrd", "mha"))
def test_row04_flipped_byte_of_a_stream(voxcc, tmp_path, suffix):
    assert flips(voxcc, tmp_path, suffix, 12) >= 10


@pytest.mark.long
@pytest.mark.parametrize("suffix", ("nii.gz", "tif", "h5", "nrrd", "mha"))
def test_row04_flipped_bytes_of_a_stream(voxcc, tmp_path, suffix):
    assert flips(voxcc, tmp_path, suffix, 400) > 100


@pytest.mark.parametrize("suffix, place", [("nii.gz", -5), ("nii.gz", -1), ("nrrd", -5), ("nrrd", -1), ("mha", -1)])
def test_row05_wrong_checksum_or_length(voxcc, tmp_path, suffix, place):
    """The last 8 bytes of gzip are CRC and length, the last 4 bytes of zlib are the Adler-32 checksum."""
    path = make(voxcc, tmp_path, suffix)
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    refused(voxcc, tmp_path, path, commands=("label", "verify"))


def members(raw):
    half = len(raw) // 2
    flushed = zlib.compressobj(6, zlib.DEFLATED, 31)
    sync = b"".join(flushed.compress(raw[at : at + 100]) + flushed.flush(zlib.Z_SYNC_FLUSH) for at in range(0, len(raw), 100)) + flushed.flush()
    return {"two members": gzip.compress(raw[:half]) + gzip.compress(raw[half:]), "sync flush": sync,
            "empty members": gzip.compress(b"") * 3 + gzip.compress(raw) + gzip.compress(b""), "stored": gzip.compress(raw, 0)}


def test_row06_unusual_gzip(voxcc, tmp_path):
    raw = write_nifti(tmp_path / "in.nii", VOLUME).read_bytes()
    path = tmp_path / "in.nii.gz"
    for name, content in members(raw).items():
        path.write_bytes(content)
        assert gzip.decompress(content) == raw, name
        is_labelled(voxcc, tmp_path, path)
        voxcc("verify", path)


@pytest.mark.long
def test_row06_length_field_of_more_than_4_gib(voxcc, tmp_path):
    """gzip stores the length modulo 2^32."""
    shape = (1626, 1626, 1626)
    small = write_nifti(tmp_path / "small.nii", np.zeros((1, 1, 1), np.uint8)).read_bytes()
    header = bytearray(small[:352])
    header[40:48] = struct.pack("<4h", 3, *shape)
    path, one_slice = tmp_path / "in.nii.gz", bytes(shape[0] * shape[1])
    with gzip.open(path, "wb", 1) as file:
        file.write(header)
        for z in range(shape[2]):
            file.write(one_slice if z != 1000 else b"\1" + one_slice[1:])
    voxcc("label", path, "--stats", tmp_path / "t.csv", "-q", timeout=600)
    assert (tmp_path / "t.csv").read_text().splitlines()[1].startswith("1,1,")


def lies(voxcc, folder):
    """(name, content, whether it is a volume with EXPECTED)"""
    contents = {suffix: make(voxcc, folder, suffix).read_bytes() for suffix in SUFFIXES}
    for suffix in SUFFIXES:
        (folder / f"in.{suffix}").unlink()
    return [("a.nii", contents["nii.gz"], True), ("b.nii.gz", contents["nii"], True), ("c.tif", contents["h5"], None), ("d.h5", contents["tif"], None),
            ("e.nrrd", contents["mha"], None), ("f.mha", contents["nrrd"], None), ("g.nii", contents["tif"], None), ("h.nii", b"text " * 200, False),
            ("i.tif", b"\x89PNG\r\n\x1a\n" + bytes(300), False), ("j.nii", bytes(348) + VOLUME.tobytes(), False),
            ("k.hdr", struct.pack("<i", 348) + bytes(344) + VOLUME.tobytes(), False)]


def test_row07_names_that_state_another_format(voxcc, tmp_path):
    """The content decides. A file that is not a volume is an error, and is never read as Analyze."""
    for name, content, is_volume in lies(voxcc, tmp_path):
        path = tmp_path / name
        path.write_bytes(content)
        if is_volume:
            is_labelled(voxcc, tmp_path, path)
            (tmp_path / "labels.nii").unlink()
        elif is_volume is None:
            is_refused_or_harmless(voxcc, tmp_path, path)
        else:
            refused(voxcc, tmp_path, path, commands=("label", "verify"))
        path.unlink()
    assert files_in(tmp_path) == [] and EXPECTED.shape == SHAPE
