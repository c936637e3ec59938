"""An error is one line on stderr, also if a library that reads or writes the file has messages of its own."""

import json
import resource
import subprocess

import h5py
import imagecodecs
import numpy as np
import PIL.Image
import pytest
import tifffile
from helpers import noise, write_nifti

VOLUME = noise((12, 20, 30), 0.3)
OUTPUTS = {
    "label volume": [["-o", f"out{extension}"] for extension in
                     (".nii", ".nii.gz", ".tif", ".ome.tif", ".h5", ".nrrd", ".mha", ".mgz", ".npy", ".npz", ".zarr", "/")],
    "other volumes": [[option, "out.nii"] for option in ("--mask-output", "--masked-output", "--size-output")],
    "tables": [["--stats", f"out{extension}"] for extension in (".csv", ".tsv", ".json")] + [["-c", "6", "--contacts", "out.csv"]],
    "pictures": [["--preview", "out.png"]],
    "texts": [["--json", "out.json"], ["--lut", "out.txt"]],
}


def one_line(done, code):
    """The only line of stderr, as text or as JSON."""
    lines = done.stderr.splitlines()
    assert done.returncode == code and len(lines) == 1 and done.stdout == "", (done.args, done.returncode, done.stderr)
    return lines[0]


def run(voxcc, folder, *arguments, **options):
    return subprocess.run([voxcc.program, *map(str, arguments)], capture_output=True, text=True, cwd=folder, check=False, timeout=60, **options)


@pytest.mark.parametrize("kind", OUTPUTS)
@pytest.mark.parametrize("form", ["text", "json"])
def test_full_disk(voxcc, tmp_path, kind, form):
    """A limit on the size of a file has the effect of a full disk."""
    write_nifti(tmp_path / "a.nii", VOLUME)
    for output in OUTPUTS[kind]:
        for limit in (10, 200):
            done = run(voxcc, tmp_path, "label", "a.nii", *output, "--log-format", form,
                       preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            line = one_line(done, 74)
            if form == "json":
                assert json.loads(line)["exit"] == 74
            else:
                assert line.startswith("voxcc: error: ")
        assert [path.name for path in tmp_path.iterdir()] == ["a.nii"], output


def damaged_tiff(path):
    """Wrong tags, for which libtiff has warnings, and a strip that ends too early."""
    tifffile.imwrite(path, VOLUME[0] * 99, compression="lzw", rowsperstrip=20, extratags=[(65000, 3, 1, 7, True)])
    content = bytearray(path.read_bytes())
    with tifffile.TiffFile(path) as tiff:
        at, size = tiff.pages[0].dataoffsets[0], tiff.pages[0].databytecounts[0]
    content[at + 4:at + size] = b"\xff" * (size - 4)
    path.write_bytes(content)


def damaged_jpeg_in_tiff(path):
    tifffile.imwrite(path, np.tile(VOLUME[0] * 99, (4, 4)), compression="jpeg")
    content = bytearray(path.read_bytes())
    with tifffile.TiffFile(path) as tiff:
        at = tiff.pages[0].dataoffsets[0]
    content[at + 400:at + 420] = bytes(20)
    path.write_bytes(content)


def damaged_hdf5(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("a", data=VOLUME, chunks=(4, 8, 8), compression="gzip")
    content = bytearray(path.read_bytes())
    at = content.index(b"TREE\x01")
    content[at:at + 4] = b"FREE"
    path.write_bytes(content)


def damaged_jpeg2000(path):
    content = bytearray(imagecodecs.jpeg2k_encode(np.tile(VOLUME[0] * 99, (4, 4)), level=0))
    content[content.index(b"\xff\x52") + 5] = 77  # the order of the packets
    path.write_bytes(content)


def damaged_png(path):
    PIL.Image.fromarray(VOLUME[0] * 99).save(path)
    content = bytearray(path.read_bytes())
    content[60:64] = bytes(4)
    path.write_bytes(content)


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("write, name", [
    (damaged_tiff, "a.tif"), (damaged_jpeg_in_tiff, "a.tif"), (damaged_hdf5, "a.h5"), (damaged_jpeg2000, "a.jp2"), (damaged_png, "a.png"),
])
def test_damaged_inputs(voxcc, tmp_path, write, name, form):
    write(tmp_path / name)
    for command in ("label", "verify"):
        done = run(voxcc, tmp_path, command, name, "--log-format", form)
        *warnings, error = done.stderr.splitlines()
        assert done.returncode == 65
        if form == "json":
            assert json.loads(error)["exit"] == 65 and all(json.loads(line)["level"] == "warning" for line in warnings)
        else:
            assert error.startswith(f"voxcc: error: {name}: ") and all(line.startswith("voxcc: warning: ") for line in warnings)
