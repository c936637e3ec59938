"""The program of the wheel voxcc-cli (WHEEL_VOXCC) against a program with all formats (VOXCC). scripts/check_wheels.sh runs this file."""

import os
import subprocess

import pytest

BAD_DATA, USAGE, INTERNAL = 65, 64, 70


def run(variable, *arguments, cwd):
    return subprocess.run([os.environ[variable], *map(str, arguments)], cwd=cwd, capture_output=True, text=True)


def made(path, *arguments):
    done = run("VOXCC", *arguments, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.parametrize("extension", ["nii", "nii.gz", "tif", "nrrd", "mha", "mhd", "npy"])
def test_same_bytes(tmp_path, extension):
    volume = made(tmp_path / f"in.{extension}", "generate", "blobs", "--shape", "40,50,30", "-o", f"in.{extension}")
    for threads in (1, 2):
        names, messages = {}, {}
        for variable in ("VOXCC", "WHEEL_VOXCC"):
            folder = tmp_path / f"{variable}{threads}"
            folder.mkdir()
            done = run(variable, "label", volume, "-o", f"out.{extension}", "--stats", "table.csv", "-t", threads, cwd=folder)
            assert done.returncode == 0 and not any(word in done.stderr for word in ("error:", "warning:")), done.stderr
            messages[variable] = done.stderr
            names[variable] = {file.name: file.read_bytes() for file in folder.iterdir()}
        assert names["WHEEL_VOXCC"] == names["VOXCC"] and messages["WHEEL_VOXCC"] == messages["VOXCC"]
        assert len(names["VOXCC"]["table.csv"].splitlines()) > 2


def test_slices(tmp_path):
    made(tmp_path / "s", "generate", "blobs", "--size", "24", "-o", "s/")
    run("VOXCC", "label", "s", "-o", "expected.nii", cwd=tmp_path)
    assert run("WHEEL_VOXCC", "label", "s", "-o", "labels.nii", cwd=tmp_path).returncode == 0
    assert (tmp_path / "labels.nii").read_bytes() == (tmp_path / "expected.nii").read_bytes()


def png(folder):
    made(folder / "in.nii", "generate", "blobs", "--size", "16", "-o", "in.nii")
    return made(folder / "in.png", "label", "in.nii", "-o", "labels.nii", "--preview", "in.png")


def dicom(folder):
    """A file of 2 x 2 pixels of 8 bits, compressed with JPEG. voxcc reads other DICOM files without ITK."""
    path = folder / "in.dcm"
    meta = b"\x02\x00\x10\x00UI\x16\x00" + b"1.2.840.10008.1.2.4.50"
    numbers = {0x10: 2, 0x11: 2, 0x100: 8, 0x101: 8, 0x102: 7, 0x103: 0}
    image = b"\x28\x00\x02\x00US\x02\x00\x01\x00" + b"\x28\x00\x04\x00CS\x0c\x00MONOCHROME2 "
    image += b"".join(b"\x28\x00" + tag.to_bytes(2, "little") + b"US\x02\x00" + value.to_bytes(2, "little") for tag, value in numbers.items())
    item = b"\xfe\xff\x00\xe0"
    pixels = b"\xe0\x7f\x10\x00OB\0\0\xff\xff\xff\xff" + item + bytes(4) + item + b"\x04\0\0\0\xff\xd8\xff\xd9" + b"\xfe\xff\xdd\xe0" + bytes(4)
    path.write_bytes(bytes(128) + b"DICM" + meta + image + pixels)
    return path


def hdf5(folder):
    return made(folder / "in.h5", "generate", "blobs", "--size", "16", "-o", "in.h5")


@pytest.mark.parametrize("make, library", [(png, "ITK"), (dicom, "ITK"), (hdf5, "HDF5")])
@pytest.mark.parametrize("command", ["label", "info", "verify"])
def test_files_that_need_a_library(tmp_path, make, library, command):
    done = run("WHEEL_VOXCC", command, make(tmp_path), cwd=tmp_path)
    assert done.returncode == BAD_DATA
    assert f"this voxcc was built without {library}; install voxcc with {library} (docs/manual/install.md), or convert the file" in done.stderr


def test_hdf5_output(tmp_path):
    volume = made(tmp_path / "in.nii", "generate", "blobs", "--size", "16", "-o", "in.nii")
    done = run("WHEEL_VOXCC", "label", volume, "-o", "out.h5", cwd=tmp_path)
    assert done.returncode == USAGE
    assert "out.h5: this voxcc was built without HDF5; install voxcc with HDF5" in done.stderr
    assert not (tmp_path / "out.h5").exists()


@pytest.mark.parametrize("command", [("label", "in.nii", "--stats"), ("stats", "in.nii", "-o")], ids=lambda words: words[0])
def test_anndata_output(tmp_path, command):
    made(tmp_path / "in.nii", "generate", "blobs", "--size", "16", "-o", "in.nii")
    done = run("WHEEL_VOXCC", *command, "out.h5ad", cwd=tmp_path)
    assert done.returncode == USAGE
    assert "out.h5ad: this voxcc was built without HDF5; install voxcc with HDF5" in done.stderr and ".h5ad;" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.nii"]


@pytest.mark.parametrize("arguments", [("label", "in.nii", "-o", "out.nii", "--algorithm", "buf"), ("bench", "--size", "8")], ids=lambda words: words[0])
def test_without_the_laboratory(tmp_path, arguments):
    made(tmp_path / "in.nii", "generate", "blobs", "--size", "16", "-o", "in.nii")
    done = run("WHEEL_VOXCC", *arguments, cwd=tmp_path)
    assert done.returncode == INTERNAL
    assert "the laboratory, which contains the published algorithms, cannot be loaded" in done.stderr and "; install the package voxcc-lab, or put " in done.stderr


def test_help_and_version(tmp_path):
    version = run("WHEEL_VOXCC", "--version", cwd=tmp_path).stdout
    assert "\nITK not in this build\nHDF5 not in this build\n" in version
    assert ".h5" not in run("WHEEL_VOXCC", "label", "--help", cwd=tmp_path).stdout
    page = " ".join(run("WHEEL_VOXCC", "help", "--format", "markdown", cwd=tmp_path).stdout.split())
    assert "It reads NIfTI, DICOM, TIFF, NRRD, MetaImage, NumPy, NumPy archive, VTK, GIPL, MRC, FreeSurfer and numbered slices." in page
    table = run("WHEEL_VOXCC", "help", "--format", "formats", cwd=tmp_path)
    assert table.returncode == 0 and "| NIfTI |" in table.stdout and "HDF5" not in table.stdout
