"""Tests the completions in the three shells: completions_test.py Bash|Zsh|Fish. A shell that is not installed is reported as skipped.

bash and zsh run in a pseudo-terminal. A function `voxcc` prints the words of the command line after the key Tab.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

from helptext import commands, options, output

# What is typed before Tab -> the last word after it.
TYPED = {
    "voxcc lab": "label",
    "voxcc --ver": "--version",
    "voxcc help comp": "compare",
    "voxcc label --fill-h": "--fill-holes",
    "voxcc label --threshold ot": "otsu",
    "voxcc label --sort si": "size",
    "voxcc label -c 1": "18",
    "voxcc label --algorithm block-r": "block-runs",
    "voxcc label --device cp": "cpu",
    "voxcc label sca": "scan.nii",
    "voxcc label --mask sca": "scan.nii",
    "voxcc label -o sca": "scan.nii",
    "voxcc label scan.nii --keep-": "--keep-largest",
    "voxcc compare scan.nii tab": "table.csv",
    "voxcc generate check": "checkerboard",
    "voxcc generate ridge --family sub": "subdivision",
    "voxcc bench --paper shi": "shibata",
    "voxcc help --format mark": "markdown",
}
DEADLINE = 60  # seconds; an answer takes much less


class Terminal:
    """A shell in a pseudo-terminal."""

    def __init__(self, command, folder):
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C"})

    def send(self, text):
        os.write(self.descriptor, text.encode())

    def read_until(self, pattern):
        """@return the match"""
        text, end = "", time.monotonic() + DEADLINE
        while not (found := re.search(pattern, text)):
            if time.monotonic() > end or not select.select([self.descriptor], [], [], DEADLINE)[0]:
                raise AssertionError(f"no {pattern} in {text!r}")
            text += os.read(self.descriptor, 4096).decode(errors="replace")
        return found

    def close(self):
        os.close(self.descriptor)
        os.waitpid(self.pid, 0)


class Shell:
    """The tests of each shell. completed() must be defined by the class of the shell."""

    def setUp(self):
        if not shutil.which(self.shell):
            self.skipTest(f"SKIPPED: {self.shell} is not installed")
        name = tempfile.TemporaryDirectory()
        self.addCleanup(name.cleanup)
        self.folder = pathlib.Path(name.name)
        for file in ("scan.nii", "table.csv"):
            (self.folder / file).write_text("")
        (self.folder / "scripts").mkdir()
        self.script = self.folder / "scripts" / self.file
        self.script.write_text(output("help", "--format", self.shell))

    def test_syntax(self):
        done = subprocess.run([self.shell, "-n", self.script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_typed_words(self):
        for typed, wanted in TYPED.items():
            with self.subTest(typed):
                self.assertEqual(self.completed(typed), wanted)

    def test_every_option_is_completed(self):
        for command in commands():
            for option in options(command):
                name = option.names[-1]
                if name.startswith("--"):
                    self.assertIn(name, self.script.read_text() if self.shell != "fish" else self.fish_options(command))


class Typed(Shell):
    """A shell that completes the line at the key Tab."""

    def setUp(self):
        super().setUp()
        self.terminal = Terminal(self.command, self.folder)
        self.addCleanup(self.terminal.close)
        self.terminal.send(self.start.replace("SCRIPT", str(self.script)).replace("FOLDER", str(self.script.parent)) + "\n")
        self.terminal.send("echo RE''ADY\n")  # the terminal shows the quotes, the output has none
        self.terminal.read_until("READY")

    def completed(self, typed):
        self.terminal.send(typed + "\t\n")
        words = self.terminal.read_until(r"WORDS:([^\r\n]*):END")[1].split(":")
        return words[-1].rstrip("=")


FUNCTION = "voxcc() { printf '%s' WORDS; printf ':%s' \"$@\"; printf ':%s\\n' END; }"


class Bash(Typed, unittest.TestCase):
    shell, file, command = "bash", "voxcc", ["bash", "--norc", "--noprofile", "-i"]
    start = f"{FUNCTION}; source 'SCRIPT'"

    def offered(self, *words):
        """The completions of the last word, from the function itself."""
        script = f"source '{self.script}'; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _voxcc; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_all_commands_are_offered(self):
        self.assertEqual([word for word in self.offered("voxcc", "") if not word.startswith("-")], commands())

    def test_values(self):
        self.assertEqual(self.offered("voxcc", "label", "--sort", ""), ["raster", "size"])
        self.assertEqual(self.offered("voxcc", "label", "--sort", "=", ""), ["raster", "size"])
        self.assertEqual(self.offered("voxcc", "label", "--sort", "="), ["raster", "size"])
        self.assertEqual(self.offered("voxcc", "label", "--sort", "=", "r"), ["raster"])
        self.assertEqual(self.offered("voxcc", "label", "--spacing", ""), [])
        self.assertEqual(self.offered("voxcc", "label", "scan.nii", "--quiet", "tab"), ["table.csv"])
        names = [line.split("\t")[0] for line in output("algorithms").splitlines()]
        self.assertEqual(self.offered("voxcc", "label", "--algorithm", ""), ["auto", *names])


class Zsh(Typed, unittest.TestCase):
    shell, file, command = "zsh", "_voxcc", ["zsh", "-f", "-i"]
    start = f"unsetopt prompt_cr prompt_sp; fpath=('FOLDER' $fpath); autoload -Uz compinit; compinit -D -u; {FUNCTION}"


class Fish(Shell, unittest.TestCase):
    shell, file = "fish", "voxcc.fish"

    def complete(self, typed):
        command = f"source '{self.script}'; complete -C '{typed}'"
        done = subprocess.run(["fish", "--no-config", "-c", command], cwd=self.folder, capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def completed(self, typed):
        found = self.complete(typed)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def fish_options(self, command):
        return self.complete(f"voxcc {command} --")

    def test_all_commands_are_offered(self):
        self.assertEqual(sorted(self.complete("voxcc ")), sorted(commands()))


if __name__ == "__main__":
    unittest.main()
