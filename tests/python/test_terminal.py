"""What a terminal shows: aligned tables on stdout, and the progress of a batch on stderr."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import numpy as np
import pytest
import skimage.io

from helpers import noise, write_nifti

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("VOXCC_")} | {"TERM": "xterm"}


def on_terminal(command, columns=80, ctrl_c_after=None, **environment):
    """Runs a command with a terminal as stdin, stdout and stderr. Returns the exit code and the text that the terminal received.

    `ctrl_c_after`: a text after which the user presses Ctrl-C.
    """
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    take_terminal = lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # noqa: E731
    with subprocess.Popen(list(map(str, command)), stdin=end, stdout=end, stderr=end, env=ENVIRONMENT | environment,
                          start_new_session=True, preexec_fn=take_terminal) as process:
        os.close(end)
        received = b""
        while True:
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # the program has closed the terminal
                piece = b""
            if not piece:
                break
            received += piece
            if ctrl_c_after is not None and re.search(ctrl_c_after, received.decode(errors="replace")):
                os.write(terminal, b"\x03")
                ctrl_c_after = None
        code = process.wait(timeout=60)
    os.close(terminal)
    return code, received.decode().replace("\r\n", "\n")


@pytest.fixture
def volumes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in (1, 2, 3):
        write_nifti(tmp_path / f"sub-0{number}_mask.nii", noise((6, 7, 8), 0.1, seed=number), np.diag([0.7, 1.1, 1.3, 1]))
    return [f"sub-0{number}_mask.nii" for number in (1, 2, 3)]


def cells_of(text):
    lines = text.splitlines()
    starts = [match.start() for match in re.finditer(r"\S+", lines[0])]
    assert starts and len({len(line.split()) for line in lines}) == 1
    return [line.split() for line in lines]


@pytest.mark.parametrize("command", (["label", "sub-01_mask.nii", "--stats", "-"], ["stats", "labels.nii", "-o", "-"]))
def test_a_short_aligned_table(voxcc, volumes, command):
    voxcc("label", volumes[0], "-o", "labels.nii", "--stats", "all.csv")
    code, text = on_terminal([voxcc.program, *command, "-q"])
    rows = cells_of(text)
    assert code == 0 and rows[0] == ["label", "voxels", "volume_mm3", "centroid_i", "centroid_j", "centroid_k", "centroid_x_mm",
                                     "centroid_y_mm", "centroid_z_mm"]
    ends = {tuple(match.end() for match in re.finditer(r"\S+", line)) for line in text.splitlines()}
    assert len(ends) == 1  # numbers are aligned to the right
    table = np.genfromtxt("all.csv", delimiter=",", names=True)
    for column, name in enumerate(rows[0]):
        np.testing.assert_allclose([float(row[column]) for row in rows[1:]], table[name], rtol=1e-4, atol=1e-12)


def test_columns_and_digits_on_a_terminal(voxcc, volumes):
    text = on_terminal([voxcc.program, "label", volumes[0], "--stats", "-", "--columns", "elongation,label", "--digits", "2", "-q"])[1]
    assert cells_of(text)[0] == ["elongation", "label"]
    assert all(len(row[0].replace("0.", "")) <= 2 for row in cells_of(text)[1:])


def test_files_and_entities_on_a_terminal(voxcc, volumes):
    text = on_terminal([voxcc.program, "label", *volumes, "--stats", "-", "-q"])[1]
    assert cells_of(text)[0][-2:] == ["file", "sub"] and cells_of(text)[-1][-2:] == ["sub-03_mask.nii", "03"]
    summary = on_terminal([voxcc.program, "label", *volumes, "--summary", "-", "-q"])[1]
    assert [row[0] for row in cells_of(summary)] == ["file", *volumes]


def test_a_table_without_rows(voxcc, tmp_path):
    path = write_nifti(tmp_path / "in.nii", np.zeros((3, 4, 5), np.uint8))
    assert cells_of(on_terminal([voxcc.program, "label", path, "--stats", "-", "-q"])[1])[0][:2] == ["label", "voxels"]


def test_a_pipe_gets_the_complete_table(voxcc, volumes):
    voxcc("label", volumes[0], "--stats", "all.csv")
    assert voxcc("label", volumes[0], "--stats", "-", "-q").stdout == open("all.csv").read()


@pytest.mark.parametrize("columns", (20, 40, 80, 200))
@pytest.mark.parametrize("jobs", (1, 2))
def test_progress_of_a_batch(voxcc, tmp_path, columns, jobs):
    """The bar appears after half a second, so the batch is long enough for it on a fast machine."""
    first = write_nifti(tmp_path / "first.nii.gz", noise((200, 300, 300), 0.5))
    paths = [tmp_path / f"a_long_name_of_a_volume_{number}.nii.gz" for number in range(16)]
    for path in paths:
        os.link(first, path)
    code, text = on_terminal([voxcc.program, "label", *paths, "-o", tmp_path / "{stem}_labels.nii.gz", "--device", "cpu", "-j", jobs,
                              "--progress", "always"], columns)
    lines = re.split(r"\r\x1b\[K|\n", text)
    bars = [line for line in lines if line.startswith("[")]
    assert code == 0 and bars, text
    for bar in bars:
        assert len(bar) < columns and re.match(r"\[\d+/16\] ", bar) and re.search(r"\d+ %", bar), bar
    assert jobs > 1 or columns < 80 or any(f"volume_{number}.nii.gz" in bar for number in range(16) for bar in bars)
    assert "16 inputs: 16 labelled, 0 skipped, 0 failed" in text


@pytest.mark.parametrize("jobs", (1, 3))
@pytest.mark.parametrize("suffix", (".nii.gz", ".png"))  # a process of its own reads the second format; Ctrl-C ends it, too
def test_ctrl_c_in_a_batch(voxcc, tmp_path, jobs, suffix):
    first = tmp_path / f"first{suffix}"
    if suffix == ".png":
        skimage.io.imsave(first, noise((1500, 1500), 0.5, 5) * 255, check_contrast=False)
    else:
        write_nifti(first, noise((40, 200, 200), 0.5, 5))
    paths = [tmp_path / f"volume_{number:02}{suffix}" for number in range(90)]
    for path in paths:
        os.link(first, path)
    code, text = on_terminal([voxcc.program, "label", *paths, "-o", tmp_path / "{stem}_labels.tif", "--summary", tmp_path / "all.csv", "--failed",
                              tmp_path / "failed.txt", "--device", "cpu", "-j", jobs, "--progress", "always"], 80, r"\[\d+/90\]")
    assert code == 130, text
    lines = re.split(r"\r\x1b\[K|\n", text.replace("^C", ""))  # a terminal can show the keys
    assert "error" not in text and not text.replace("\r\x1b[K", "").rstrip("\n").endswith("%"), text
    complete = int(re.fullmatch(r"voxcc: note: interrupted: (\d+) of 90 inputs are complete; label the others with .*", lines[-2])[1])
    assert len(list(tmp_path.glob("*_labels.tif"))) == complete and not list(tmp_path.glob(".voxcc*"))
    assert len(open(tmp_path / "all.csv").read().splitlines()) == 1 + complete if complete else not (tmp_path / "all.csv").exists()
    assert len([line for line in open(tmp_path / "failed.txt") if line[0] != "#"]) == 90 - complete
