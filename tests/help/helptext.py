"""Runs `voxcc help` for the tests of the help. $VOXCC is the program."""
import os
import pathlib
import re
import subprocess
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(pathlib.Path(os.environ.get("VOXCC") or ROOT / "build" / "voxcc").resolve())
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("VOXCC")}


def run(*arguments, folder=None):
    """@return the finished process, with the texts of stdout and stderr"""
    return subprocess.run([PROGRAM, *arguments], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60)


def output(*arguments, folder=None):
    done = run(*arguments, folder=folder)
    assert done.returncode == 0, f"voxcc {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}"
    return done.stdout


def commands():
    """The names of the commands, from the overview."""
    groups = re.findall(r"^[\w ]*[Cc]ommands[\w ]*:\n((?:  .*\n)+)", output("help"), re.MULTILINE)
    names = re.findall(r"^  (\w+)", "".join(groups), re.MULTILINE)
    assert "label" in names
    return names


class Option(NamedTuple):
    group: str
    names: list  # ["-o", "--output"]; an operand: ["IN..."]
    metavar: str
    text: str  # without the default
    default: str  # or ""


def sections(screen):
    """Title -> lines of each section, such as "Output" and "Examples"."""
    found = {}
    for block in screen.split("\n\n")[1:]:
        lines = block.splitlines()
        if re.fullmatch(r"[A-Z][\w ]*:", lines[0]):
            found[lines[0][:-1]] = lines[1:]
    return found


def options(command):
    """All options and operands of the help screen of a command."""
    found = []
    for group, lines in sections(output("help", command)).items():
        if group == "Examples":
            continue
        for line in re.sub(r"\n {20,}", " ", "\n".join(lines)).splitlines():
            left, text = re.fullmatch(r"(\s+\S.*?)\s{2,}(\S.*)", line).groups()
            names = re.findall(r"(?<!\S)-{1,2}[A-Za-z][\w-]*", left) or [left.strip()]
            text, _, default = text.removesuffix(")").partition(" (default: ") if " (default: " in text else (text, "", "")
            found.append(Option(group, names, "".join(left.split(names[-1])[1:]).strip(), text, default))
    return found


def examples(command):
    """The commands in the section on examples. A line that ends with a backslash continues below."""
    lines = [line for line in sections(output("help", *command))["Examples"] if not line.startswith("  #")]
    return [line.strip() for line in re.sub(r" \\\n +", " ", "\n".join(lines)).splitlines()]
