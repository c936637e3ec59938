"""Runs voxcc under strace, which injects errors and signals into system calls, and compares its outputs with old and new ones."""

import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers import noise, write_nifti

RENAMES = ("rename", "renameat", "renameat2", "link", "linkat")

# Name -> options of `voxcc label`, shape of the volume, and the volumes among the outputs, which `voxcc verify` can read.
KINDS = {
    "mhd": (("-o", "l.mhd"), (4, 5, 6), ("l.mhd",)),
    "slices": (("-o", "s/"), (3, 5, 6), ("s", "s/label_0000.tif", "s/label_0001.tif", "s/label_0002.tif")),
    "many_slices": (("-o", "s/"), (300, 2, 2), ("s", "s/label_0000.tif", "s/label_0299.tif")),
    "volumes": (("-o", "l.nii.gz", "--masked-output", "m.mhd", "--size-output", "s.tif", "--mask-output", "k/"), (4, 5, 6),
                ("l.nii.gz", "m.mhd", "s.tif", "k")),
    "series": (("--volume", "all", "-j", "2", "-o", "l.nii.gz", "--size-output", "s.h5", "--stats", "t.csv"), (3, 4, 5, 6), ()),
    "four": (("-o", "l.nii.gz", "--stats", "t.csv", "--json", "j.json", "--preview", "p.png"), (4, 5, 6), ("l.nii.gz",)),
}


def require_strace():
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    if subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("ptrace is not permitted")


def run(voxcc, folder, *arguments, inject=(), path=None):
    """Runs the program in a folder. `inject`: expressions of strace, such as "fsync:error=EIO:when=2"; with `path`, for its calls only."""
    command = [voxcc.program, *map(str, arguments)]
    if inject:
        expressions = [part for expression in inject for part in ("-e", f"inject={expression}")]
        traced = ",".join(expression.split(":")[0] for expression in inject)
        command = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={traced}", *(["-P", path] if path else []), *expressions, *command]
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def calls_of(voxcc, folder, call, *arguments):
    """How often the process that executes a system call most often does so. strace counts the calls of each process separately."""
    log = folder.parent / "strace.txt"
    command = ["strace", "-f", "-qq", "-o", log, "-e", f"trace={call}", voxcc.program, *map(str, arguments)]
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True)
    processes = re.findall(rf"^(\d+) +{call}\(", log.read_text(encoding="utf-8"), re.MULTILINE)
    return max(Counter(processes).values(), default=0)


def hidden(folder):
    return sorted(path.name for path in folder.rglob(".voxcc*"))


def files(folder):
    """Path in the folder -> content, without hidden files."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".voxcc"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@dataclass
class Publication:
    """A command with several outputs, and its outputs for two inputs."""

    voxcc: object
    options: tuple
    volumes: tuple
    inputs: dict  # "old" and "new" -> path
    expected: dict  # "old" and "new" -> files()
    folder: Path

    def prepare(self, state):
        """Makes the folder contain the old outputs, or none."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if state == "old":
            shutil.copytree(self.folder.parent / "old", self.folder)
        else:
            self.folder.mkdir()

    def label_new(self, *inject):
        return run(self.voxcc, self.folder, "label", self.inputs["new"], *self.options, "-f", "-c", "26", inject=inject)

    def states(self):
        """The states of all outputs: "old", "new" or "absent". Every other content is an error."""
        now = files(self.folder)
        assert set(now) <= set(self.expected["new"]), sorted(now)
        return {self.state_of(name, now.get(name)) for name in self.expected["new"]}

    def state_of(self, name, content):
        if content is None:
            return "absent"
        if content == self.expected["old"][name]:
            return "old"
        if name != "j.json":  # it contains times
            assert content == self.expected["new"][name], name
        return "new"

    def check_all_or_none(self, before):
        """Returns the state of the outputs, which must be the same for all."""
        states = self.states()
        assert states in ({before}, {"new"}), states
        return states.pop()

    def folder_is_old(self):
        return files(self.folder) == self.expected["old"]

    def folder_is_new(self):
        return files(self.folder) == self.expected["new"]

    def check_readers(self, expect):
        """Every command that reads a volume of the publication ends with this exit code."""
        for volume in self.volumes:
            if (self.folder / volume).exists():
                for command in ("verify", "info", "label"):
                    done = run(self.voxcc, self.folder, command, volume)
                    assert done.returncode == expect, (command, volume, done.returncode, done.stderr)
                    if expect == 65:
                        assert "its publication was interrupted; run the command that writes it again, with --force" in done.stderr, done.stderr


def make_publication(voxcc, folder, kind):
    options, shape, volumes = KINDS[kind]
    inputs = {}
    for seed, state in ((1, "old"), (2, "new")):
        inputs[state] = write_nifti(folder / f"{state}.nii", noise(shape, 0.4, seed=seed))
        (folder / state).mkdir()
        done = run(voxcc, folder / state, "label", inputs[state], *options, "-c", "26")
        assert done.returncode == 0, done.stderr
    expected = {state: files(folder / state) for state in inputs}
    assert set(expected["old"]) == set(expected["new"]) and len(expected["new"]) > 1
    assert all(expected["old"][name] != expected["new"][name] for name in expected["new"] if kind != "many_slices")
    return Publication(voxcc, options, volumes, inputs, expected, folder / "out")
