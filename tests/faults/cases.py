"""Helpers of the tests of the fault matrix: volumes in every format, and checks of a run that must fail."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from helpers import label_scipy, noise, read_nifti, write_nifti

SUFFIXES = ("nii", "nii.gz", "tif", "h5", "nrrd", "mha", "npy")
SHAPE = (10, 11, 12)
VOLUME = noise(SHAPE, 0.3)
EXPECTED = label_scipy(VOLUME, 6)


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def make(voxcc, folder, suffix, array=VOLUME, stem="in"):
    """Writes the array as a volume of one label per voxel value 1, in a format. Returns its path."""
    source = write_nifti(folder / "source.nii", np.where(array, 1, 0).astype(np.uint8))
    path = folder / f"{stem}.{suffix}"
    voxcc("label", source, "-c", 26, "-o", path, "-f", "-q")
    source.unlink()
    return path


def refused(voxcc, folder, path, code=65, options=(), commands=("label", "verify", "info")):
    """Checks that every command refuses the file with one error, and leaves no output. Returns the error line of the first command."""
    before = files_in(folder)
    lines = []
    for command in commands:
        outputs = ["-o", folder / "refused.nii", "--stats", folder / "refused.csv"] if command == "label" else []
        given = options if command == "label" else ()
        lines.append(voxcc.fails(code, command, path, *outputs, *given))
        assert str(path) in lines[-1] or os.path.basename(path) in lines[-1]
    assert files_in(folder) == before
    return lines[0]


def labels_of(voxcc, folder, path, *options, connectivity=6):
    voxcc("label", path, "-c", connectivity, "-o", folder / "labels.nii", "-f", "-q", *options)
    return read_nifti(folder / "labels.nii")


def is_labelled(voxcc, folder, path, *options, expected=EXPECTED):
    np.testing.assert_array_equal(labels_of(voxcc, folder, path, *options), expected)


def is_refused_or_harmless(voxcc, folder, path, expected=EXPECTED, code=65):
    """Checks that a damaged file is an error, or gives the labels of the intact file. Returns whether it is an error."""
    target = folder / "labels.nii"
    done = subprocess.run([voxcc.program, "label", str(path), "-c", "6", "-o", str(target), "-f", "-q"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60, check=False)
    assert done.returncode in (0, code), (path, done.returncode, done.stderr)
    verified = subprocess.run([voxcc.program, "verify", str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert verified.returncode == done.returncode, (path, verified.stderr)
    if done.returncode == 0:
        np.testing.assert_array_equal(read_nifti(target), expected)
        target.unlink()
    else:
        assert len([line for line in done.stderr.splitlines() if line.startswith("voxcc: error:")]) == 1
    assert not target.exists()
    return done.returncode != 0


def need_gpu(voxcc, folder):
    """Skips a test if voxcc finds no GPU. With FAULTS_TEST_GPU=1, a missing GPU is a failure."""
    tiny = write_nifti(folder / "tiny.nii", VOLUME)
    done = subprocess.run([voxcc.program, "label", str(tiny), "--device", "cuda"], capture_output=True, text=True, check=False)
    tiny.unlink()
    if done.returncode == 69 and os.environ.get("FAULTS_TEST_GPU") != "1":
        pytest.skip("voxcc finds no GPU")
    assert done.returncode == 0, done.stderr


def preloaded_library(name, variable):
    """A library for LD_PRELOAD. ctest names it in an environment variable. Skips the test if the library is not built."""
    built = Path(os.environ.get(variable) or Path(__file__).resolve().parents[2] / "build" / "tests" / f"lib{name}.so")
    if not built.exists():
        pytest.skip(f"there is no {built}: build the target {name}")
    return built


def need_memory(gigabytes):
    """Skips a test on machines with less available memory."""
    with open("/proc/meminfo") as file:
        available = {line.split(":")[0]: int(line.split()[1]) for line in file}["MemAvailable"] / 1e6
    if available < gigabytes:
        pytest.skip(f"needs {gigabytes} GB of memory, {available:.0f} GB are available")


def need_disk(folder, gigabytes):
    state = os.statvfs(folder)
    if state.f_bavail * state.f_frsize < gigabytes * 1e9:
        pytest.skip(f"needs {gigabytes} GB of disk space")
