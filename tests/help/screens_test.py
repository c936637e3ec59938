"""Tests the help screens: form, order of groups, defaults, conflicts, and the ways to ask for help."""
import hashlib
import pathlib
import random
import re
import sys
import tempfile
import unittest

import helptext
from helptext import ROOT, commands, options, output, run, sections

sys.path.append(str(ROOT / "tests" / "cli"))
import make_inputs

GROUPS = ["Input", "Output", "Foreground", "Connectivity", "Selection", "Measures", "Resources", "Messages"]
# Options that must state a default. Other options may state one.
DEFAULTS = {
    "label": {"--reader": "auto", "--volume": "the only volume", "--dtype": "auto", "--compress": "1", "--threshold": "nonzero",
              "--connectivity": "26; in 2D 8", "--sort": "raster", "--device": "auto", "--algorithm": "auto", "--threads": "all",
              "--max-memory": "free memory", "--jobs": "1", "--progress": "auto", "--log-format": "text"},
    "generate": {"--size": "128", "--order": "6", "--density": "0.5", "--granularity": "1", "--scale": "8", "--generator": "mt19937-64",
                 "--seed": "1", "--family": "leveling", "--level": "3", "--factor": "0.5", "--subdivisions": "2", "--probability": "0.5"},
    "bench": {"--algorithms": "all", "--device": "cpu", "--tests": "average", "--repeat": "10", "--patience": "60", "--measure": "none",
              "--passes": "sum", "--relabel": "marks", "--allocation": "pool", "--csv": "stdout", "--density-step": "10", "--images": "1",
              "--threads": "all", "--item": "all"},
    "help": {"--format": "text"},
}
# Pairs of options that voxcc refuses. The line of one of the two options must say so.
CONFLICTS = {
    "label": [("--invert", "--multilabel"), ("--delta", "--multilabel"), ("--colour", "--multilabel"), ("--colour", "--delta"),
              ("--colour", "--threshold"), ("--quiet", "--verbose"), ("--json -", "--stats -"), ("--dry-run", "--stats -"),
              ("--dry-run", "--json -")],
    "generate": [("--size", "--shape")],
}
VALUES = {"--delta": "1", "--colour": "1", "--threshold": ">1", "--size": "8", "--shape": "4,4,4"}

TEXTS = "".join((ROOT / "src" / "cli" / "help" / name).read_text() for name in ("texts.cpp", "volume_texts.cpp"))


class Screens(unittest.TestCase):
    def setUp(self):
        name = tempfile.TemporaryDirectory()
        self.addCleanup(name.cleanup)
        self.folder = pathlib.Path(name.name)
        (self.folder / "two.nii").write_bytes(make_inputs.files()["two.nii"])
        values = [random.Random(voxel).choice([0] * 18 + [5, 9]) for voxel in range(10 * 10 * 10)]
        (self.folder / "many.nii").write_bytes(make_inputs.nifti((10, 10, 10), "h", values))

    def test_all_ways_to_ask(self):
        self.assertEqual(output("help"), output("--help"))
        self.assertEqual(output("-V"), output("--version"))
        for command in commands():
            screen = output("help", command)
            for words in ((command, "--help"), (command, "help"), (command, "-h", "--help")):
                self.assertEqual(output(*words, folder=self.folder), screen)

    def test_short_help(self):
        """`voxcc` alone and -h fit into a window of 24 lines and 80 columns, and show the daily commands and options."""
        alone = run()
        self.assertEqual((alone.returncode, alone.stdout, alone.stderr), (64, output("-h"), ""))
        self.assertEqual(re.findall(r"^  (\w+) ", alone.stdout.split("\nDaily commands:\n")[1].split("\n\n")[0], re.MULTILINE)[0], "label")
        for command in commands():
            self.assertRegex(alone.stdout, rf"\b{command}\b")
        for screen in [alone.stdout, *(output(command, "-h") for command in commands())]:
            with self.subTest(screen.splitlines()[0]):
                lines = screen.splitlines()
                self.assertLessEqual(len(lines), 24)
                self.assertEqual([line for line in lines if len(line) > 80 or line != line.rstrip()], [])

    def test_options_of_the_short_help_exist(self):
        """Each option that the texts name for -h is shown, with the metavar of --help."""
        for command in commands():
            known = {option.names[-1]: option.metavar for option in options(command)}
            source = TEXTS.split(f'.name = "{command}"')[1]
            daily = re.findall(r'\{"(-*[\w.]+(?:-\w+)*)"[,}]', source.split(".daily = {")[1].split("},\n    .")[0] + "}")
            lines = sections(output(command, "-h"))["Daily options"]
            self.assertNotEqual(daily, [])
            for name in daily:
                with self.subTest(f"{command} {name}"):
                    self.assertIn(name, known)
                    shown = [line for line in lines if re.match(rf" {{2,6}}(-\w, )?{re.escape(name)}(, | |$)", line)]
                    self.assertEqual(len(shown), 1)
                    self.assertIn(known[name], shown[0])

    def test_a_file_named_help_is_an_input(self):
        (self.folder / "help").write_bytes(make_inputs.files()["two.nii"])
        self.assertEqual(output("label", "help", folder=self.folder), "help: 1 component\n")

    def test_form(self):
        for screen in [output("help", command) for command in commands()]:
            with self.subTest(screen.splitlines()[0]):
                self.assertEqual([line for line in screen.splitlines() if len(line) > 80 or line != line.rstrip()], [])
                self.assertNotIn("\n\n\n", screen)
                self.assertNotRegex(screen, r"Excludes|REQUIRED|SUBCOMMAND|OPTIONS\]|`|\(default [^:]")
                self.assertEqual(len(re.findall(r"^Exit codes: 0 ok.*$", screen, re.MULTILINE)), 1)
                self.assertRegex(screen, r"^voxcc \w+: [a-z][^.]*\n\nUsage: voxcc ")

    def test_the_overview_fits_into_80_columns(self):
        self.assertEqual([line for line in output("help").splitlines() if len(line) > 80 or line != line.rstrip()], [])

    def test_groups(self):
        for command in commands():
            titles = [title for title in sections(output("help", command)) if title != "Examples"]
            self.assertEqual(titles, [group for group in GROUPS if group in titles], f"{command}: set ->group(help_group::...)")

    def test_options(self):
        """Lower case without a full stop, and at most two lines. Names such as HDF5 and CPU keep their capitals."""
        for command in commands():
            for option in options(command):
                with self.subTest(f"{command} {option.names}"):
                    self.assertRegex(option.text, r"^(?![A-Z][a-z ]).*[^.]$|\.\w+$")
                    if option.names[0].startswith("-"):
                        self.assertLessEqual(len(option.text + f" (default: {option.default})" * bool(option.default)), 85)

    def test_defaults_are_stated(self):
        for command, wanted in DEFAULTS.items():
            stated = {option.names[-1]: option.default for option in options(command)}
            self.assertEqual({name: stated[name] for name in wanted}, wanted)

    def test_stated_defaults_are_the_defaults_of_label(self):
        plain = self.outputs_of("label", "many.nii")
        for option in options("label"):
            if re.fullmatch(r"[a-z0-9-]+", option.default) and option.default != "all":
                with self.subTest(option.names[-1]):
                    self.assertEqual(self.outputs_of("label", "many.nii", option.names[-1], option.default), plain)
        self.assertEqual(self.outputs_of("label", "many.nii", "-c", "26"), plain)
        for different in ("--compress 9", "--sort size", "--threshold p99", "--dtype int32", "-c 6"):
            self.assertNotEqual(self.outputs_of("label", "many.nii", *different.split()), plain, different)

    def test_stated_defaults_are_the_defaults_of_generate(self):
        for option in options("generate"):
            if not option.default or option.names[-1] in ("--size", "--compress", "--progress", "--log-format", "--ngff", "--pyramid"):
                continue
            kind, *family = option.text.split(":")[0].split(",")[0].split()
            words = ["generate", kind] + (["--family", family[0].replace("*", "instancing")] if family else [])
            if kind != "hilbert":
                words += ["--shape", "128,128"]
            with self.subTest(option.names[-1]):
                self.assertEqual(self.volume(*words, option.names[-1], option.default), self.volume(*words))
        self.assertEqual(self.volume("generate", "blobs", "--size", "128"), self.volume("generate", "blobs"))

    def volume(self, *words):
        output(*words, "-f", "-o", "v.nii", folder=self.folder)
        return hashlib.sha256((self.folder / "v.nii").read_bytes()).hexdigest()

    def outputs_of(self, *words):
        output(*words, "-f", "-o", "o.nii.gz", "--stats", "t.csv", folder=self.folder)
        return [hashlib.sha256((self.folder / name).read_bytes()).hexdigest() for name in ("o.nii.gz", "t.csv")]

    def test_conflicts_are_stated(self):
        for command, pairs in CONFLICTS.items():
            texts = {name: option.text for option in options(command) for name in option.names}
            for pair in pairs:
                with self.subTest(pair):
                    stated = [re.search(rf"not with .*{re.escape(other)}\b|not with .*{re.escape(other)}", texts[name.split()[0]])
                              for name, other in (pair, pair[::-1])]
                    self.assertTrue(any(stated), texts)
                    words = [word for name in pair for word in [*name.split(), *([VALUES[name]] if name in VALUES else [])]]
                    self.assertEqual(run(command, {"label": "two.nii", "generate": "blobs"}[command], *words, folder=self.folder).returncode, 64)

    def test_examples_and_documents(self):
        for command in commands():
            screen = output("help", command)
            self.assertIn(len(helptext.examples([command])), (2, 3), f"{command}: write its text in src/cli/help/texts.cpp or volume_texts.cpp")
            line = re.search(r"^Docs: man (\S+), docs/(\S+); in docs: (.*)$", screen.replace("\n    ", " "), re.MULTILINE)
            self.assertEqual(line[1], f"voxcc-{command}")
            for page in (line[2], *line[3].split(", ")):
                self.assertTrue((ROOT / "docs" / page).is_file(), page)

    def test_first_word_is_a_file(self):
        for word in ("two.nii", "no_such_file.nii.gz", "NO.TIF"):
            done = run(word, "-o", "out.nii", folder=self.folder)
            self.assertEqual(done.returncode, 64)
            self.assertIn(f"write 'voxcc label {word}'", done.stderr)
        self.assertNotIn("voxcc label", run("two", folder=self.folder).stderr)


if __name__ == "__main__":
    unittest.main()
