"""Row 61: options that are absent, repeated, empty, huge, negative or not numbers."""

import json
import re
import subprocess

import pytest
from cases import VOLUME, files_in
from helpers import write_nifti

COMMANDS = ("label", "stats", "compare", "generate", "info", "verify", "algorithms", "bench", "report")
BAD_VALUES = ("", "nan", "-1e999", "999999999999999999999999", "-1", "%n%n", "1,2,3,4,5,6,7", "\x1b[2J", "1.5.2", "0x")


@pytest.fixture
def volume(tmp_path):
    return write_nifti(tmp_path / "in.nii", VOLUME)


@pytest.mark.parametrize("options", [["--no-such-option"], ["-c", "7"], ["-c", "4"], ["--threshold", "many"], ["-t", "0"], ["-t", "x"],
                                     ["--dtype", "float32"], ["--compress", "10"], ["--keep-largest", "-1"], ["--min-size", "5mm"],
                                     ["--periodic", "q"], ["--algorithm", "no-such"], ["-o", "out.jpeg"], ["--stats", "out.xls"]], ids=" ".join)
def test_row61_usage(voxcc, tmp_path, volume, options):
    output = [] if "-o" in options else ["-o", tmp_path / "out.nii"]
    voxcc.fails(64, "label", volume, *output, *options, cwd=tmp_path)
    assert files_in(tmp_path) == ["in.nii"]


def options_of(voxcc, command):
    """Names of the options of a command that take a value, from its help."""
    text = voxcc("help", command).stdout
    return sorted(set(re.findall(r"^ +(?:-\w, +)?(--[a-z-]+) +[A-Z0-9x|a-z.,]+  ", text, re.MULTILINE)))


@pytest.mark.parametrize("command", COMMANDS)
def test_row61_every_option_with_bad_values(voxcc, tmp_path, volume, command):
    """No value crashes the program. Every error is one line, and none is an internal fault."""
    for option in options_of(voxcc, command):
        for value in BAD_VALUES:
            done = subprocess.run([voxcc.program, command, *(["solid", "-o", "out.nii"] if command == "generate" else ["in.nii"]), f"{option}={value}"],
                                  cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
            case = (command, option, value, done.returncode, done.stderr)
            assert done.returncode in (0, 1, 64, 65, 66, 69, 71, 73, 78), case  # 1: a file of --list does not exist
            assert done.returncode == 1 or done.stderr.count("voxcc: error:") == (done.returncode != 0), case
    volume.unlink()


@pytest.mark.parametrize("option", ("--connectivity", "--threads", "--output", "--stats", "--dtype", "--threshold", "--keep-largest"))
def test_row61_options_that_are_repeated_or_lack_a_value(voxcc, tmp_path, volume, option):
    value = {"--connectivity": "6", "--threads": "1", "--output": "out.nii", "--stats": "out.csv", "--dtype": "uint8", "--threshold": ">0",
             "--keep-largest": "1"}[option]
    voxcc.fails(64, "label", volume, option, value, option, value, cwd=tmp_path)
    voxcc.fails(64, "label", volume, option, cwd=tmp_path)
    assert files_in(tmp_path) == ["in.nii"]


@pytest.mark.parametrize("command", COMMANDS)
def test_row61_help_of_every_command(voxcc, command):
    """tests/help compares the help with the manual pages."""
    text = voxcc(command, "--help").stdout
    assert text == voxcc("help", command).stdout and f"voxcc {command}" in text and "Exit codes:" in text
    if command == "algorithms":
        assert json.loads(voxcc("algorithms", "--json").stdout)
