"""Messages on stderr: colours on a terminal, the note on the device, and remedies for missing permissions.

The texts of the messages are tested in tests/cli/cases.
"""

import json
import os
import pty
import re
import subprocess

import h5py
import numpy as np
import pytest

from conftest import REPOSITORY
from helpers import write_nifti

ESCAPE = "\x1b"
RED, YELLOW, RESET = f"{ESCAPE}[1;31m", f"{ESCAPE}[33m", f"{ESCAPE}[0m"


def environment(**changes):
    """The environment of the caller with changes. None removes a variable."""
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CI") and not name.startswith("VOXCC_")}
    variables["TERM"] = "xterm-256color"
    variables.update(changes)
    return {name: value for name, value in variables.items() if value is not None}


def on_terminal(voxcc, *arguments, stream="stderr", **changes):
    """Runs the program with a pseudo-terminal as stderr (or stdout). Returns the exit code and what the terminal received."""
    terminal, end_of_program = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: end_of_program}
    with subprocess.Popen([voxcc.program, *map(str, arguments)], stdin=subprocess.DEVNULL, **streams,
                          env=environment(**changes)) as process:
        os.close(end_of_program)
        received = b""
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:  # EIO: the program has closed the terminal
                piece = b""
            if not piece:
                break
            received += piece
        code = process.wait(timeout=60)
    os.close(terminal)
    return code, received.decode().replace("\r\n", "\n")


@pytest.fixture
def volume(tmp_path):
    write_nifti(tmp_path / "in.nii", np.ones((3, 4, 5), np.uint8))
    return tmp_path / "in.nii"


@pytest.fixture
def with_nan(tmp_path):
    values = np.ones((3, 4, 5), np.float32)
    values[1, 1, 1] = np.nan
    write_nifti(tmp_path / "nan.nii", values)
    return tmp_path / "nan.nii"


def test_an_error_is_red_and_bold(voxcc, tmp_path):
    code, text = on_terminal(voxcc, "info", tmp_path / "absent.nii")
    assert code == 66
    assert text == f"voxcc: {RED}error{RESET}: {tmp_path}/absent.nii: cannot open: No such file or directory; check the path\n"


def test_a_usage_error_is_red_and_bold(voxcc):
    code, text = on_terminal(voxcc, "label", "in.nii", "-t", "0")
    assert code == 64 and text.startswith(f"voxcc: {RED}error{RESET}: --threads: ")


def test_a_warning_is_yellow(voxcc, with_nan):
    code, text = on_terminal(voxcc, "label", with_nan, "--device", "cpu", "--progress", "never")
    assert code == 0
    assert text == f"voxcc: {YELLOW}warning{RESET}: {with_nan}: contains NaN in 1 voxel; NaN is always background\n"


def test_a_note_has_no_colour(voxcc, tmp_path):
    code, text = on_terminal(voxcc, "generate", "random", "--size", 4, "-o", tmp_path / "random.nii", "--progress", "never")
    assert code == 0 and text == "voxcc: note: seed 1\n"


def test_an_empty_variable_does_not_switch_colours_off(voxcc, tmp_path):
    assert RED in on_terminal(voxcc, "info", tmp_path / "absent.nii", NO_COLOR="")[1]


@pytest.mark.parametrize("variables", ({"NO_COLOR": "1"}, {"NO_COLOR": "0"}, {"TERM": "dumb"}, {"TERM": None}, {"TERM": ""}), ids=str)
def test_variables_switch_colours_off(voxcc, tmp_path, with_nan, variables):
    code, text = on_terminal(voxcc, "info", tmp_path / "absent.nii", **variables)
    assert code == 66 and text.startswith("voxcc: error: ") and ESCAPE not in text
    code, text = on_terminal(voxcc, "label", with_nan, "--device", "cpu", "--progress", "never", **variables)
    assert code == 0 and text.startswith("voxcc: warning: ") and ESCAPE not in text


@pytest.mark.parametrize("option, variables", ((("--log-format", "json"), {}), ((), {"VOXCC_LOG_FORMAT": "json"})), ids=str)
def test_json_has_no_colours(voxcc, tmp_path, with_nan, option, variables):
    for arguments, level in ((("info", tmp_path / "absent.nii"), "error"), (("label", with_nan, "--device", "cpu"), "warning")):
        text = on_terminal(voxcc, *arguments, *option, **variables)[1]
        assert ESCAPE not in text and json.loads(text)["level"] == level


def test_a_pipe_gets_no_colours(voxcc, tmp_path, with_nan):
    assert ESCAPE not in voxcc.fails(66, "info", tmp_path / "absent.nii", env=environment())
    assert ESCAPE not in voxcc("label", with_nan, "--device", "cpu", env=environment()).stderr


def test_the_note_on_the_device_needs_a_choice(voxcc, volume):
    """--device auto has a choice only if a GPU is usable. Otherwise the device is told with -v only."""
    try_cuda = subprocess.run([voxcc.program, "label", volume, "--device", "cuda"], capture_output=True, text=True)
    has_choice = try_cuda.returncode == 0
    assert has_choice or try_cuda.returncode == 69
    assert ("voxcc: note: device: " in voxcc("label", volume, "--threshold", "nonzero").stderr) == has_choice
    if not has_choice:
        assert voxcc("label", volume, "--threshold", "nonzero").stderr == ""
        assert "voxcc: detail: device: cpu" in voxcc("label", volume, "-v").stderr
    assert voxcc("label", volume, "--threshold", "nonzero", "--device", "cpu").stderr == ""


def test_missing_permissions(voxcc, public_folder):
    user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    if user and subprocess.run([voxcc.program, "--version"], capture_output=True, check=False, **user).returncode != 0:
        pytest.skip("another user may not run this build")
    volume, locked = public_folder / "in.nii", public_folder / "locked"
    write_nifti(volume, np.ones((3, 4, 5), np.uint8))
    volume.chmod(0o644)
    locked.mkdir()
    locked.chmod(0o555)
    remedy = "; change the permissions with chmod, or ask the owner for access"
    for output in (("-o", locked / "out.nii"), ("--stats", locked / "out.csv"), ("--preview", locked / "out.png")):
        error = voxcc.fails(77, "label", volume, *output, **user)
        assert error == f"voxcc: error: {locked}: cannot write in the folder: Permission denied{remedy}"
    volume.chmod(0)
    for command in (("label",), ("info",), ("verify",), ("stats", "-o", "-")):
        error = voxcc.fails(77, *command, volume, **user)
        assert error == f"voxcc: error: {volume}: cannot open: Permission denied{remedy}"
    volume.chmod(0o644)
    locked.chmod(0)
    error = voxcc.fails(77, "label", locked, **user)
    assert error.startswith(f"voxcc: error: {locked}: ") and error.endswith(remedy)
    locked.chmod(0o755)
    assert list(locked.iterdir()) == []


def test_datasets_of_hdf5(voxcc, tmp_path, volume):
    """The error lists the datasets. --dataset chooses in the labelled image only."""
    with h5py.File(tmp_path / "two.h5", "w") as file:
        file["seg/mask"] = np.ones((5, 4, 3), np.uint8)
        file["raw"] = np.ones((5, 4, 3), np.uint16)
    (tmp_path / "other.h5").write_bytes((tmp_path / "two.h5").read_bytes())
    with h5py.File(tmp_path / "line.h5", "w") as file:
        file["a"] = np.arange(4)
    datasets = "/raw uint16 5x4x3, /seg/mask uint8 5x4x3"
    error = voxcc.fails(64, "label", "two.h5", cwd=tmp_path)
    assert error == f"voxcc: error: two.h5: holds several datasets that could be the volume; choose one with --dataset: {datasets}"
    error = voxcc.fails(64, "info", "two.h5", "--dataset", "/nothing", cwd=tmp_path)
    assert error == f"voxcc: error: two.h5: does not contain the dataset /nothing; choose one with --dataset: {datasets}"
    for command in (("label", "two.h5", "--dataset", "/raw", "--intensity", "other.h5", "--stats", "-"), ("label", "in.nii", "--mask", "other.h5")):
        error = voxcc.fails(64, *command, cwd=tmp_path)
        assert error.endswith(f"several datasets that could be the volume; choose one, as in 'other.h5:/raw': {datasets}")
    error = voxcc.fails(65, "label", "line.h5", cwd=tmp_path)
    assert error.endswith("no dataset that could be a volume: /a int64 4; store the volume as a dataset of numbers with 2 to 4 axes")


def test_every_error_in_the_cases_has_a_remedy():
    """SUBJECT: CAUSE; REMEDY, on one line. The cases compare these lines with those of the program."""
    cases = sorted((REPOSITORY / "tests" / "cli" / "cases").glob("*.case"))
    errors = [line.strip() for case in cases for line in case.read_text().splitlines() if line.startswith("    voxcc: error: ")]
    assert len(errors) > 300
    assert [error for error in errors if not re.fullmatch(r"voxcc: error: .+: .*; .+", error)] == []


HOSTILE, SHOWN = "e\x1b]0;t\x07\x1b[31m\u009b2J\u202egpj", "e?]0;t??[31m?2J?gpj"


@pytest.fixture
def hostile(tmp_path):
    """A volume, a file that is not a volume, and an HDF5 file whose names contain codes of terminals."""
    volume, broken, datasets = tmp_path / f"{HOSTILE}.nii", tmp_path / f"{HOSTILE}.txt", tmp_path / "names.h5"
    write_nifti(volume, np.ones((3, 4, 5), np.uint8))
    broken.write_text("not a volume")
    with h5py.File(datasets, "w") as file:
        for name in ("a", "b"):
            file[name + HOSTILE.replace("/", "")] = np.ones((2, 2, 2), np.uint8)
    return volume, broken, datasets


def test_names_do_not_control_the_terminal_of_stderr(voxcc, hostile):
    volume, broken, _ = hostile
    code, text = on_terminal(voxcc, "info", broken)
    assert code == 65 and f"{SHOWN}.txt: " in text
    code, text = on_terminal(voxcc, "info", broken, "--log-format", "json")
    assert code == 65 and text.isascii() and ESCAPE not in text and json.loads(text)["file"] == str(broken)
    for name in (volume.name, broken.name):
        text = on_terminal(voxcc, "label", volume, "-o", volume.parent / "out.nii", "-v", "--mask", volume.parent / name)[1]
        assert HOSTILE not in text and ESCAPE not in text.replace(RED, "").replace(YELLOW, "").replace(RESET, "").replace("\x1b[K", "")
        assert "\u009b" not in text and "\u202e" not in text


def test_names_do_not_control_the_terminal_of_stdout(voxcc, hostile):
    volume, _, datasets = hostile
    for arguments in (("label", volume), ("verify", volume), ("info", volume), ("info", datasets), ("info", datasets, "--json"),
                      ("label", volume, "--json", "-"), ("label", volume, volume, "--stats", "-")):
        code, text = on_terminal(voxcc, *arguments, stream="stdout")
        assert code == 0, arguments
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text.replace("\r", "")), arguments
        assert "\n" in text
    assert on_terminal(voxcc, "verify", volume, stream="stdout")[1] == f"{volume.parent}/{SHOWN}.nii: ok\n"


def test_a_pipe_gets_names_as_they_are(voxcc, hostile):
    volume, broken, _ = hostile
    assert voxcc("verify", volume).stdout == f"{volume}: ok\n"
    # An error is one line also in a pipe, without ASCII control characters.
    assert f"{SHOWN[:12]}\u009b2J\u202egpj.txt: " in voxcc.fails(65, "info", broken)
