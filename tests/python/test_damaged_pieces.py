"""Volumes made of several pieces, of which one is damaged, missing or of another kind: info, verify and label agree, and nothing disappears."""

import os
import shutil
import struct

import numpy as np
import pytest
import tifffile
import zarr
from mutated_formats import VOLUME, write_dicom, write_png
from zarr.codecs import BytesCodec, Crc32cCodec, ShardingCodec

USER = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def expect(voxcc, code, path, *options, cause="", **how):
    """All three commands end with the same exit code. Returns the messages of label."""
    for command in (["info", path], ["verify", path], ["label", path, "--stats", "-"]):
        done = voxcc(*command, *options, expect=code, **how)
        if code:
            assert len([line for line in done.stderr.splitlines() if line.startswith("voxcc: error:")]) == 1
    assert cause in done.stderr
    return done.stderr


def png(folder):
    return folder / write_png(folder), ".png"


def dicom(folder):
    return folder / write_dicom(folder), ".dcm"


def tiff(folder):
    (folder / "t").mkdir()
    for z, slice_ in enumerate(VOLUME):
        tifffile.imwrite(folder / "t" / f"{z:03}.tif", slice_)
    return folder / "t", ".tif"


FOLDERS = {"png": png, "dicom": dicom, "tiff": tiff}
NAMES = pytest.mark.parametrize("number", (0, 2, 4))
KINDS = pytest.mark.parametrize("kind", FOLDERS)


@KINDS
@NAMES
def test_slices_that_are_not_intact(voxcc, tmp_path, kind, number):
    folder, extension = FOLDERS[kind](tmp_path)
    path = folder / f"{number:03}{extension}"
    content = path.read_bytes()
    expect(voxcc, 0, folder)
    for damaged in (b"", content[:1], content[:100], content[: len(content) // 2], content[:-1], bytes(len(content)), b"text " * 300):
        path.write_bytes(damaged)
        assert path.name in expect(voxcc, 65, folder)
    path.unlink()
    path.symlink_to(tmp_path / "absent")
    expect(voxcc, 66, folder, cause=path.name)


@KINDS
def test_missing_slice(voxcc, tmp_path, kind):
    folder, extension = FOLDERS[kind](tmp_path)
    (folder / f"002{extension}").unlink()
    expect(voxcc, 65, folder, cause="missing")


@KINDS
def test_folder_in_place_of_a_slice(voxcc, tmp_path, kind):
    folder, extension = FOLDERS[kind](tmp_path)
    (folder / f"004{extension}").unlink()
    (folder / f"004{extension}").mkdir()
    expect(voxcc, 65 if kind == "dicom" else 66, folder, cause=f"004{extension}")


@KINDS
def test_foreign_files(voxcc, tmp_path, kind):
    """A text is not a slice. A warning names it only in a DICOM folder, because DICOM files need no extension."""
    folder, extension = FOLDERS[kind](tmp_path)
    (folder / "readme.txt").write_text("notes")
    messages = expect(voxcc, 0, folder)
    assert ("readme.txt" in messages) == (kind == "dicom")
    if kind != "dicom":
        shutil.copy(folder / f"000{extension}", folder / f"cover{extension}")
        expect(voxcc, 65, folder, cause="several series")


@KINDS
@pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed")
@NAMES
def test_slices_without_permission(voxcc, public_folder, kind, number):
    folder, extension = FOLDERS[kind](public_folder)
    (folder / f"{number:03}{extension}").chmod(0)
    expect(voxcc, 77, folder, cause=f"{number:03}{extension}", cwd=public_folder, **USER)


def write_list(folder, names=None):
    for z, slice_ in enumerate(VOLUME):
        (folder / f"s{z}.raw").write_bytes(slice_.astype("<i2").tobytes())
    listed = "\n".join(names or [f"s{z}.raw" for z in range(5)])
    header = "NRRD0004\ntype: short\ndimension: 3\nsizes: 13 11 5\nspacings: 1 1 1\nendian: little\nencoding: raw\ndata file: LIST\n"
    (folder / "a.nhdr").write_text(header + listed + "\n")
    return folder / "a.nhdr"


def test_lists_of_data_files(voxcc, tmp_path):
    expect(voxcc, 0, write_list(tmp_path), "--allow-external")
    expect(voxcc, 65, write_list(tmp_path, ["s0.raw", "s1.raw", "s2.raw", "s4.raw"]), "--allow-external", cause="names 4 data files")
    path = write_list(tmp_path, ["s0.raw", "s1.raw", "s1.raw", "s3.raw", "s4.raw"])
    expect(voxcc, 0, path, "--allow-external", cause="names the data file s1.raw more than once")
    path = write_list(tmp_path)
    (tmp_path / "s4.raw").write_bytes(bytes(285))
    expect(voxcc, 65, path, "--allow-external", cause="s4.raw")
    (tmp_path / "s4.raw").unlink()
    expect(voxcc, 66, path, "--allow-external", cause="s4.raw")


CHUNK = 2 * 6 * 7 * 2  # bytes
SHARD = "c/0/0/0"


def write_shards(folder, location, checksum=False):
    codecs = [BytesCodec(), Crc32cCodec()] if checksum else [BytesCodec()]
    sharding = ShardingCodec(chunk_shape=(2, 6, 7), codecs=[BytesCodec()], index_codecs=codecs, index_location=location)
    shape = VOLUME.shape
    array = zarr.create(store=str(folder / "a.zarr"), shape=shape, chunks=(4, 12, 14), dtype="i2", zarr_format=3, codecs=[sharding], fill_value=0)
    array[:] = VOLUME + 1
    return folder / "a.zarr"


def damage_index(path, location, number, offset, length, checksum=False):
    content = bytearray((path / SHARD).read_bytes())
    at = 0 if location == "start" else len(content) - 8 * 16 - 4 * checksum
    content[at + 16 * number : at + 16 * (number + 1)] = struct.pack("<QQ", offset, length)
    (path / SHARD).write_bytes(content)


@pytest.mark.parametrize("location", ("start", "end"))
@pytest.mark.parametrize(
    ("offset", "length", "cause"),
    [
        (10, CHUNK, "states chunks that overlap"),
        (0, CHUNK - 2, "states chunks that overlap"),
        (10**9, CHUNK, "leads outside of its chunks"),
        (2**64 - 8, CHUNK, "leads outside of its chunks"),
        (8 * CHUNK - 1, CHUNK, "leads outside of its chunks"),
        (-1, CHUNK, "leads outside of its chunks"),
        (2**64 - 1, CHUNK, "leads outside of its chunks"),
        (CHUNK, 0, "a chunk without bytes"),
    ],
    ids=str,
)
def test_damaged_index_of_a_shard(voxcc, tmp_path, location, offset, length, cause):
    path = write_shards(tmp_path, location)
    expect(voxcc, 0, path)
    first = 8 * 16 if location == "start" else 0
    at = offset if offset >= 10**9 else offset + first
    damage_index(path, location, 1, at % 2**64, length)
    expect(voxcc, 65, path, cause=cause)


def test_checksum_of_the_index_of_a_shard(voxcc, tmp_path):
    path = write_shards(tmp_path, "end", checksum=True)
    damage_index(path, "end", 1, 2**64 - 1, 2**64 - 1, checksum=True)
    expect(voxcc, 65, path, cause="wrong checksum")


def test_shards_that_are_not_intact(voxcc, tmp_path):
    path = write_shards(tmp_path, "end")
    content = (path / SHARD).read_bytes()
    for damaged in (b"", content[:1], content[:-1]):
        (path / SHARD).write_bytes(damaged)
        expect(voxcc, 65, path, cause=SHARD)
    (path / SHARD).unlink()
    (path / SHARD).mkdir()
    expect(voxcc, 65, path, cause="is a folder")
    (path / SHARD).rmdir()
    assert "1 of 2 shards are not stored" in expect(voxcc, 0, path)
    expect(voxcc, 65, path, "--missing-chunks", "error", cause="1 of 2 shards are not stored")


def test_chunks_of_a_shard_that_are_not_stored(voxcc, tmp_path):
    path = write_shards(tmp_path, "end")
    damage_index(path, "end", 1, 2**64 - 1, 2**64 - 1)
    expect(voxcc, 0, path)
    assert np.asarray(zarr.open_array(str(path))[:2, :6, 7:]).max() == 0
