"""Outputs appear only when complete, errors have the correct exit code, and signals leave no files behind."""

import os
import signal
import subprocess
import time

import pytest
from helpers import noise, write_nifti

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
    with subprocess.Popen([voxcc.program, "label", tmp_path / "fifo.nii", "-o", out / "out.nii"], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        (tmp_path / "fifo.nii").write_bytes(b"no volume")
        assert process.wait(20) == 65
    (tmp_path / "text.nii").write_text("not a volume")
    voxcc.fails(65, "label", tmp_path / "text.nii", "-o", out / "out.nii")
    assert nothing_left(out)


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


@pytest.fixture
def long_mask(volume):
    """A mask whose checksum takes a second or more: after its voxels it has 4 GB without content, which are ignored with a warning."""
    path = write_nifti(volume.parent / "mask.nii", noise((30, 31, 32), 0.9))
    os.truncate(path, 4_000_000_000)
    return path


def test_an_error_while_a_checksum_is_computed_leaves_nothing(voxcc, volume, out, long_mask):
    command = ("label", volume, "--mask", long_mask, "-c", "6", "--dtype", "uint8", "-o", out / "out.nii", "--json", out / "out.json")
    assert "do not fit into uint8" in voxcc.fails(65, *command)
    assert list(out.iterdir()) == []


def test_a_signal_while_a_checksum_is_computed_leaves_nothing(voxcc, volume, out, long_mask):
    command = [voxcc.program, "label", volume, "--mask", long_mask, "-o", out / "out.nii", "--json", out / "out.json"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while process.poll() is None and nothing_left(out) and time.monotonic() < deadline:
            time.sleep(0.005)
        assert process.poll() is None, "it ended before the signal"
        process.send_signal(signal.SIGTERM)
        process.wait(10)
    assert process.returncode == 143
    assert list(out.iterdir()) == []
