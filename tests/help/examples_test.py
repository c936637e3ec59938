"""Runs the examples of all help screens, each in a folder with the files that they name."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

from helptext import ENVIRONMENT, PROGRAM, ROOT, commands, examples, output

sys.path.append(str(ROOT / "tests" / "cli"))
import make_inputs


def make_files(folder):
    """The inputs of the examples. Their names must not be outputs of an example."""
    output("generate", "blobs", "--size", "24", "--scale", "2", "-o", "mask.nii.gz", folder=folder)
    values = [v * (v % 7 < 3) for v in range(12 * 10 * 8)]
    (folder / "ct.nii.gz").write_bytes(make_inputs.nifti((12, 10, 8), "h", values, spacing=(2, 2, 2)))
    output("label", "ct.nii.gz", "-o", "labels.nii.gz", "--stats", "parts.csv", folder=folder)
    output("label", "ct.nii.gz", "--sort", "size", "-o", "other.nii.gz", folder=folder)
    series = [label for label in (0, 3, 3, 7) for _ in range(120)] * 4
    (folder / "series.nii.gz").write_bytes(make_inputs.nifti((12, 10, 8, 2), "h", series))
    (folder / "same.nii.gz").write_bytes((folder / "labels.nii.gz").read_bytes())
    (folder / "scans").mkdir()
    for name in ("a.nii.gz", "b.nii.gz"):
        (folder / "scans" / name).write_bytes((folder / "mask.nii.gz").read_bytes())
    output("label", "scans/a.nii.gz", "scans/b.nii.gz", "-o", "parts/{stem}.nii.gz", "--mkdir", "--stats", "batch.csv", folder=folder)
    for name in ("first.csv", "second.csv"):
        (folder / name).write_bytes((folder / "parts.csv").read_bytes())
    (folder / "numbers.csv").write_text("label,new\n1,7\n2,7\n")
    output("label", "ct.nii.gz", "--multilabel", "-c", "6", "--contacts", "contacts.csv", folder=folder)
    output("split", "ct.nii.gz", "--part-size", "6", "-o", "plan.json", folder=folder)
    output("label", "--plan", "plan.json", "-o", "state", folder=folder)
    output("merge", "--plan", "plan.json", "state", "-o", "merged", folder=folder)
    output("relabel", "--plan", "plan.json", "state", "merged", folder=folder)


def written_files(command):
    """The outputs that a command names."""
    words = shlex.split(command)
    for option, path in zip(words, words[1:]):
        if option in ("-o", "--stats", "--csv"):
            yield from [path.replace("{stem}", stem) for stem in ("a", "b")] if "{stem}" in path else [path]


class Examples(unittest.TestCase):
    def run_examples(self, command):
        for example in examples(command):
            with self.subTest(example), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                make_files(folder)
                (folder / "bin").mkdir()
                (folder / "bin" / "voxcc").symlink_to(PROGRAM)
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", example], cwd=folder, capture_output=True, text=True,
                                      env={**ENVIRONMENT, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotRegex(done.stderr, "error|warning")
                for path in written_files(example):
                    self.assertGreater((folder / path).stat().st_size, 0)
                if re.match(r"voxcc label ", example):
                    tables = [path for path in written_files(example) if path.endswith(".csv")]
                    self.assertTrue(all(len((folder / path).read_text().splitlines()) > 1 for path in tables), "no components")

    def test_program(self):
        self.run_examples([])

    def test_commands(self):
        for command in commands():
            self.run_examples([command])


if __name__ == "__main__":
    unittest.main()
