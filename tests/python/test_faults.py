"""Outputs appear only when complete, errors have the correct exit code, and signals leave no files behind."""

import os
import resource
import signal
import subprocess
import time

import numpy as np
import pytest
from helpers import noise, read_table, sha256, write_nifti

OUTPUTS = ("out.nii", "out.nii.gz", "out.tif", "out.h5", "out.nrrd", "out.mha", "slices/s%04d.tif", "folder/")
LIMITS = (0, 100, 900)  # file size limits in bytes; every output is larger, including slices of 960 voxels


@pytest.fixture
def volume(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    return write_nifti(tmp_path / "in" / "volume.nii", noise((30, 31, 32), 0.3))


@pytest.fixture
def out(tmp_path, volume):
    return tmp_path / "out"


def nothing_left(folder):
    return [path for path in folder.rglob("*") if not path.is_dir()] == []


def test_existing_output_is_refused(voxcc, volume, out):
    for name in ("out.nii.gz", "out.csv"):
        (out / name).write_text("mine")
    assert "--force" in voxcc.fails(73, "label", volume, "-o", out / "out.nii.gz")
    voxcc.fails(73, "label", volume, "--stats", out / "out.csv")
    assert (out / "out.nii.gz").read_text() == (out / "out.csv").read_text() == "mine"
    voxcc("label", volume, "-o", out / "out.nii.gz", "--stats", out / "out.csv", "-f")
    assert len(read_table(out / "out.csv")) > 0


def test_input_is_never_overwritten(voxcc, volume, out):
    before = sha256(volume)
    os.link(volume, out / "hard.nii")
    os.symlink(volume, out / "soft.nii")
    for target in (volume, out / "hard.nii", out / "soft.nii"):
        voxcc.fails(73, "label", volume, "-o", target, "-f")
    assert sha256(volume) == before


@pytest.mark.parametrize("target", ("absent/out.nii.gz", "absent/out.tif", "absent/out.h5", "absent/out.nrrd"))
def test_missing_folder(voxcc, volume, out, target):
    voxcc.fails(73, "label", volume, "-o", out / target)
    voxcc.fails(73, "label", volume, "--stats", out / "absent" / "out.csv")
    assert nothing_left(out)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")
def test_no_permission(voxcc, volume, out):
    out.chmod(0o500)
    voxcc.fails(77, "label", volume, "-o", out / "out.nii.gz")
    out.chmod(0o700)
    volume.chmod(0)
    voxcc.fails(77, "label", volume, "-o", out / "out.nii.gz")


def test_missing_and_odd_inputs(voxcc, tmp_path, out):
    voxcc.fails(66, "label", tmp_path / "absent.nii", "-o", out / "out.nii")
    os.mkfifo(tmp_path / "fifo.nii")
    done = subprocess.run([voxcc.program, "label", tmp_path / "fifo.nii", "-o", out / "out.nii"], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=20)
    assert done.returncode in (65, 66)
    (tmp_path / "text.nii").write_text("not a volume")
    voxcc.fails(65, "label", tmp_path / "text.nii", "-o", out / "out.nii")
    assert nothing_left(out)


@pytest.mark.parametrize("options", [["--no-such-option"], ["-c", "7"], ["-c", "4"], ["--threshold", "many"], ["-t", "0"], ["-t", "x"],
                                     ["--dtype", "float32"], ["--compress", "10"], ["--keep-largest", "-1"], ["--min-size", "5mm"],
                                     ["--periodic", "q"], ["--algorithm", "no-such"], ["-o", "out.jpeg"], ["--stats", "out.xls"]], ids=" ".join)
def test_usage(voxcc, volume, out, options):
    output = [] if "-o" in options else ["-o", out / "out.nii"]
    voxcc.fails(64, "label", volume, *output, *options, cwd=out)
    assert nothing_left(out)


def test_a_type_too_small_is_an_error(voxcc, volume, out):
    voxcc.fails(65, "label", volume, "-o", out / "out.tif", "-c", "6", "--dtype", "uint8")
    assert nothing_left(out)


@pytest.mark.parametrize("name", OUTPUTS)
def test_disk_full(voxcc, volume, out, name):
    """A file size limit below the size of the output has the same effect as a full disk."""
    if name.startswith("slices"):
        (out / "slices").mkdir()
    for limit in LIMITS:
        line = voxcc.fails(74, "label", volume, "-o", f"{out}/{name}", "--compress", "0",
                           preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        assert name.split("/")[0].split(".")[0] in line
        assert nothing_left(out)
    assert not (out / "folder").exists()


def test_disk_full_for_the_table_takes_the_volume_along(voxcc, tmp_path, out):
    """A run publishes both outputs or none."""
    volume = write_nifti(tmp_path / "in" / "sparse.nii", (np.indices((20, 20, 20)) % 2 == 0).all(0).astype(np.uint8))
    voxcc.fails(74, "label", volume, "-o", out / "out.nii.gz", "--stats", out / "out.csv", "-c", "6",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)))
    assert nothing_left(out)


def test_stdout_that_cannot_be_written(voxcc, volume):
    with open("/dev/full", "w") as full:
        for command in (["label", volume, "--stats", "-"], ["info", volume], ["algorithms"]):
            done = subprocess.run([voxcc.program, *command], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            assert done.returncode == 74, (command, done.stderr)
            assert "voxcc: error: stdout" in done.stderr


@pytest.fixture(scope="module")
def large(voxcc, tmp_path_factory):
    """A volume that takes a second or more to label."""
    path = tmp_path_factory.mktemp("large") / "large.nii"
    voxcc("generate", "random", "--shape", "512,400,300", "--density", "0.3", "-o", path)
    return path


@pytest.mark.parametrize("name, number, code", [
    *((name, signal.SIGTERM, 143) for name in ("out.nii.gz", "out.tif", "out.h5", "slices/")),
    ("out.nii.gz", signal.SIGINT, 130), ("out.nii.gz", signal.SIGHUP, 129)])
def test_signal_leaves_nothing(voxcc, out, large, name, number, code):
    command = [voxcc.program, "label", large, "-o", f"{out}/{name}", "--stats", out / "out.csv", "--compress", "9", "-t", "1"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while process.poll() is None and nothing_left(out) and time.monotonic() < deadline:
            time.sleep(0.005)
        assert process.poll() is None, "it ended before the signal"
        process.send_signal(number)
        process.wait(10)
    assert process.returncode == code
    assert list(out.iterdir()) == []


def test_kill_leaves_no_half_output(voxcc, out, large):
    """SIGKILL prevents cleanup, but no file may have the name of the output."""
    process = subprocess.Popen([voxcc.program, "label", large, "-o", out / "out.nii.gz", "-t", "1"], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while process.poll() is None and nothing_left(out) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    process.wait(10)
    assert not (out / "out.nii.gz").exists()
