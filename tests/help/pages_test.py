"""Tests the pages in docs/reference/cli and the manual pages: pages_test.py [CLASS...]. `pages_test.py --update` writes docs/reference/cli anew."""
import re
import shutil
import subprocess
import sys
import unittest

from helptext import ROOT, commands, examples, options, output

FOLDER = ROOT / "docs" / "reference" / "cli"


def wanted():
    """File name -> text of each page."""
    pages = {f"{command}.md": output("help", command, "--format", "markdown") for command in commands()}
    return {"README.md": output("help", "--format", "markdown"), **pages}


class Pages(unittest.TestCase):
    def test_committed_pages_are_up_to_date(self):
        committed = {path.name: path.read_text() for path in FOLDER.glob("*.md")}
        stale = [name for name, text in wanted().items() if committed.pop(name, None) != text]
        self.assertEqual((stale, list(committed)), ([], []), "run: VOXCC=build/voxcc python3 tests/help/pages_test.py --update")

    def test_every_option_is_on_its_page(self):
        for command in commands():
            page = (FOLDER / f"{command}.md").read_text()
            for option in options(command):
                row = re.search(rf"^\| `[^`]*(?<![\w-]){re.escape(option.names[-1])}(?![\w-]).*$|^\| `{re.escape(option.names[-1])}` .*$", page, re.MULTILINE)
                self.assertIsNotNone(row, option)
                self.assertTrue(row[0].endswith(f"| {option.default.replace('|', chr(92) + '|')} |"), row[0])

    def test_examples_are_those_of_the_screen(self):
        """examples_test.py runs the examples of the screens."""
        for command in commands():
            block = re.search(r"```sh\n(.*?)```", (FOLDER / f"{command}.md").read_text(), re.DOTALL)[1]
            self.assertEqual([line for line in block.splitlines() if not line.startswith("#")], examples([command]))

    def test_exit_codes(self):
        """The pages list the codes of src/errors/exit_codes.h. One row covers the signals."""
        header = (ROOT / "src" / "errors" / "exit_codes.h").read_text()
        codes = {int(code) for code in re.findall(r"^ +\w+ = (\d+),", header, re.MULTILINE)}
        table = (FOLDER / "README.md").read_text().split("## Exit codes\n")[1].split("\n\n")[0]
        listed = {int(code) for line in table.splitlines()[2:] for code in re.findall(r"\b(\d+)(?: \||:)", line)}
        self.assertEqual(listed, codes)

    def test_lines_and_links(self):
        for path in FOLDER.glob("*.md"):
            lines = path.read_text().splitlines()
            self.assertEqual([line for line in lines if len(line) > 120], [], path)
            self.assertTrue(any(line.startswith("See also: ") for line in lines[-3:]), path)


def manual_pages():
    """Name -> text of each manual page."""
    pages = {f"voxcc-{command}": output("help", command, "--format", "man") for command in commands()}
    return {"voxcc": output("help", "--format", "man"), **pages}


class Manual(unittest.TestCase):
    def test_sections(self):
        for name, text in manual_pages().items():
            found = re.findall(r"^\.SH (.*)$", text, re.MULTILINE)
            extra = ["COMMANDS"] if name == "voxcc" else []
            self.assertEqual(found, ["NAME", "SYNOPSIS", "DESCRIPTION", *extra, "OPTIONS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"])

    def test_references_exist(self):
        pages = manual_pages()
        for text in pages.values():
            names = re.findall(r"^\.BR (\S+) \(1\)", text, re.MULTILINE)
            self.assertNotEqual(names, [])
            self.assertEqual([name for name in names if name.replace("\\-", "-") not in pages], [])


@unittest.skipUnless(shutil.which("mandoc"), "SKIPPED: mandoc is not installed")
class Mandoc(unittest.TestCase):
    def test_no_fault(self):
        for name, text in manual_pages().items():
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=text, capture_output=True, text=True)
            # The pages have no date, so that the same source always gives the same bytes.
            faults = [line for line in done.stdout.splitlines() if "missing date" not in line]
            self.assertEqual(faults, [], name)

    def test_text_is_as_on_the_screen(self):
        """troff changes no character of the options and examples."""
        pages = manual_pages()
        for command in commands():
            shown = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=200"], input=pages[f"voxcc-{command}"], capture_output=True, text=True)
            plain = " ".join(re.sub(r".\x08", "", shown.stdout).split())
            for option in options(command):
                default = f" (default: {option.default})" if option.default else ""
                self.assertIn(", ".join(option.names), plain)
                self.assertIn(option.text + default, plain)
            for example in examples([command]):
                self.assertIn(example, plain)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        FOLDER.mkdir(exist_ok=True)
        for old in FOLDER.glob("*.md"):
            old.unlink()
        for name, text in wanted().items():
            (FOLDER / name).write_text(text)
    else:
        unittest.main()
