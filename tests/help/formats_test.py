"""Tests the table of formats in docs/reference/formats.md. `formats_test.py --update` writes it anew."""
import sys
import unittest

from helptext import ROOT, output

PAGE = ROOT / "docs" / "reference" / "formats.md"
HEAD = "| format | extensions |"


def with_table(page):
    """The page with the table of the program."""
    before, rest = page.split(HEAD, 1)
    return before + output("help", "--format", "formats").rstrip() + "\n\n" + rest.split("\n\n", 1)[1]


class Formats(unittest.TestCase):
    def test_the_table_is_up_to_date(self):
        page = PAGE.read_text()
        self.assertEqual(page, with_table(page), "run: VOXCC=build/voxcc python3 tests/help/formats_test.py --update")

    def test_each_format_has_a_section(self):
        """The name or an extension of each format is in docs/manual/formats.md."""
        table = PAGE.read_text().split(HEAD, 1)[1].split("\n\n", 1)[0]
        text = (ROOT / "docs" / "manual" / "formats.md").read_text()
        for line in table.splitlines()[2:]:
            name, extensions = (cell.strip() for cell in line.split("|")[1:3])
            words = [name, *extensions.replace("`", "").split()]
            self.assertTrue(any(word.lower() in text.lower() for word in words), line)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(with_table(PAGE.read_text()))
    else:
        unittest.main()
