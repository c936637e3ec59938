"""Pipes that go on after the volume: an error soon after its end, and no copy without bound."""

import gzip
import json
import resource
import struct
import subprocess
import threading

import imagecodecs
import nrrd
import numpy as np
import pytest
from helpers import blobs, write_nifti

VOLUME = blobs((20, 30, 65), 0.4, seed=3)
MIB = 1 << 20
ROOM = 4 * MIB  # for the copy in TMPDIR: the volume, the MiB after it, and a piece of a MiB
RAW = ("--raw", "uint8,65x30x20")
ZEROS = bytes(1 << 16)
MEMBERS = gzip.compress(b"") * 3000
STORED = b"\0\0\0\xff\xff" * 10000  # empty blocks of deflate
FRAMES = (struct.pack("<II", 0x184D2A50, 8) + bytes(8)) * 4000  # skippable frames


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pipes")
    write_nifti(folder / "v.nii", VOLUME)
    nii = (folder / "v.nii").read_bytes()
    for encoding in ("raw", "gzip", "bzip2", "ASCII"):
        nrrd.write(str(folder / f"{encoding}.nrrd"), VOLUME, {"encoding": encoding}, index_order="C")
    np.save(folder / "v.npy", VOLUME)
    named = {path.name: path.read_bytes() for path in folder.iterdir()}
    mgh = struct.pack(">7ih", 1, 65, 30, 20, 1, 0, 0, 0).ljust(284, b"\0") + VOLUME.tobytes()
    return {**named, "v.nii.gz": gzip.compress(nii), "v.nii.zst": imagecodecs.zstd_encode(nii), "v.mgh": mgh, "raw": VOLUME.tobytes()}


def run(voxcc, start, tail, *arguments, folder):
    """Writes `start`, and `tail` again and again until voxcc ends or the test gives up. @return the run and the written bytes"""
    process = subprocess.Popen([voxcc.program, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM)))
    written = [0]

    def write():
        try:
            process.stdin.write(start)
            while written[0] < 1 << 34:
                written[0] += process.stdin.write(tail)
            process.stdin.close()
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=write)
    writer.start()
    # Not communicate(), which would write to stdin, too.
    error = process.stderr.read().decode()
    code = process.wait(timeout=60)
    process.stdout.close()
    writer.join()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    return code, error, written[0]


def refused(voxcc, *arguments, **options):
    code, error, written = run(voxcc, *arguments, **options)
    lines = [line for line in error.splitlines() if line.startswith("voxcc: error:")]
    assert code == 65 and len(lines) == 1, (code, error)
    assert written < 6 * MIB
    return lines[0]


OPTIONS = {
    "once": (), "level": ("--threshold", "otsu"), "json": ("--json", "j.json"), "preview": ("--preview", "p.png"), "masked": ("--masked-output", "m.nii"),
    "all": ("--volume", "all", "--json", "j.json"),
}
TAILS = {
    "v.nii": ZEROS, "v.npy": ZEROS, "v.mgh": ZEROS, "raw.nrrd": ZEROS, "ASCII.nrrd": b"\n" * 65536, "gzip.nrrd": ZEROS, "bzip2.nrrd": ZEROS,
    "v.nii.gz": ZEROS, "v.nii.zst": FRAMES, "raw": ZEROS,
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", TAILS)
def test_endless_after_the_volume(voxcc, contents, tmp_path, name, options):
    raw = RAW if name == "raw" else ()
    error = refused(voxcc, contents[name], TAILS[name], "label", "-", *raw, "-o", "o.nii", *OPTIONS[options], folder=tmp_path)
    assert "goes on for more than 1 MiB after the volume; end it after the volume" in error or "more than 1 MiB" in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["info", "verify", "stats"])
def test_endless_in_other_commands(voxcc, contents, tmp_path, command):
    more = ("-o", "t.csv") if command == "stats" else ()
    refused(voxcc, contents["v.nii"], ZEROS, command, "-", *more, folder=tmp_path)


@pytest.mark.parametrize("option", ["--mask", "--intensity"])
def test_endless_companions(voxcc, contents, tmp_path, option):
    (tmp_path / "v.nii").write_bytes(contents["v.nii"])
    refused(voxcc, contents["v.nii"], ZEROS, "label", "v.nii", option, "-", "--stats", "t.csv", "--json", "j.json", folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["v.nii"]


@pytest.mark.parametrize("options", ["once", "json", "level"])
@pytest.mark.parametrize("start, tail", [
    ("v.nii.gz", MEMBERS), ("cut.nii.gz", STORED), ("cut.nii.gz", MEMBERS), ("v.nii.gz", gzip.compress(b"x") * 3000), ("v.nii.zst", imagecodecs.zstd_encode(b"") * 3000),
    ("cut.nii.zst", FRAMES), ("v.nii.gz", b"garbage" * 1000), ("name.nii.gz", b"n" * 65536),
], ids=["members", "blocks", "early members", "content", "empty frames", "early frames", "garbage", "name"])
def test_compressed_data_without_end(voxcc, contents, tmp_path, start, tail, options):
    """The bytes after the volume, or in its middle, are valid and give nothing or nothing that is needed."""
    nii = contents["v.nii"]
    starts = {
        **contents, "cut.nii.gz": gzip.compress(nii[:3000]), "cut.nii.zst": imagecodecs.zstd_encode(nii[:3000]),
        "name.nii.gz": gzip.compress(nii[:3000]) + b"\x1f\x8b\x08\x08\0\0\0\0\0\xff",  # a second member with a name
    }
    content = starts[start]
    if tail is STORED:
        content += b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    refused(voxcc, content, tail, "label", "-", "-o", "o.nii", *OPTIONS[options], folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_device(voxcc, tmp_path):
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run([voxcc.program, "label", "-", *RAW, "-o", "o.nii"], stdin=zeros, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == 65 and "more than 1 MiB after the volume" in done.stderr


@pytest.mark.parametrize("name", ["v.nii", "v.npy", "raw.nrrd", "raw"])
@pytest.mark.parametrize("bytes_after, code", [(1, 0), (MIB, 0), (MIB + 1, 65)])
def test_the_limit(voxcc, contents, tmp_path, name, bytes_after, code):
    raw = RAW if name == "raw" else ()
    done = subprocess.run([voxcc.program, "label", "-", *raw, "--json", "-", "--threshold", "otsu"], input=contents[name] + bytes(bytes_after), capture_output=True,
                          cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    if code == 0:
        assert f"{bytes_after} byte".encode() in done.stderr and json.loads(done.stdout)["inputs"][0]["bytes"] == len(contents[name]) + bytes_after
