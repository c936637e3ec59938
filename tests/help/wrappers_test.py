"""Tests that the descriptors in wrappers/ fit the options of the program. `wrappers_test.py --update` writes them anew."""
import json
import sys
import unittest

from helptext import ROOT, options, output, run

sys.path.insert(0, str(ROOT / "wrappers"))
from generator import boutiques, galaxy, nextflow  # noqa: E402
from generator.options import LEFT_OUT, command_of  # noqa: E402


def command():
    return command_of(json.loads(output("help", "label", "--format", "json")))


def wanted():
    """Path -> text of each file."""
    label = command()
    folder = ROOT / "wrappers"
    return {
        folder / "boutiques" / "voxcc_label.json": boutiques.descriptor(label),
        folder / "galaxy" / "voxcc_label.xml": galaxy.tool(label),
        folder / "nextflow" / "voxcc" / "label" / "main.nf": nextflow.main(label),
        folder / "nextflow" / "voxcc" / "label" / "meta.yml": nextflow.meta(label),
    }


class Wrappers(unittest.TestCase):
    def test_the_files_are_up_to_date(self):
        stale = [str(path) for path, text in wanted().items() if path.read_text() != text]
        self.assertEqual(stale, [], "run: VOXCC=build/voxcc python3 tests/help/wrappers_test.py --update")

    def test_each_option_is_offered_or_left_out(self):
        """Options that are left out exist, so that a renamed option does not appear by accident."""
        label = command()
        screen = {name for option in options("label") for name in option.names if name.startswith("-")}
        self.assertLessEqual(LEFT_OUT, screen)
        self.assertLessEqual({option.flag for option in label.options}, screen)
        self.assertEqual(len(label.options) + len(label.left_out), sum(option.names[0].startswith("-") for option in options("label")))

    def test_json_of_all_commands(self):
        pages = json.loads(output("help", "--format", "json"))
        for page in pages["commands"]:
            alone = json.loads(output("help", page["command"], "--format", "json"))
            self.assertEqual({"version": pages["version"], **page}, alone)
        self.assertEqual(run("help", "no-command", "--format", "json").returncode, 64)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        for path, text in wanted().items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    else:
        unittest.main()
