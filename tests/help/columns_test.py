"""Tests the tables of columns in docs/manual/table.md. `columns_test.py --update` writes them anew."""
import sys
import unittest

from helptext import ROOT, output, run

PAGE = ROOT / "docs" / "manual" / "table.md"
HEAD = "| column | meaning | formula | unit |\n"


def with_tables(page):
    """The page with the tables of the program: for each title, the table that follows the title."""
    for section in output("help", "--format", "columns").split("## ")[1:]:
        title, table = section.split("\n", 1)
        before, rest = page.split(f"## {title}\n", 1)
        assert rest.startswith(HEAD), f"the section '{title}' does not begin with a table"
        page = f"{before}## {title}\n{table.rstrip()}\n\n" + rest.split("\n\n", 1)[1]
    return page


class Columns(unittest.TestCase):
    def test_the_tables_are_up_to_date(self):
        page = PAGE.read_text()
        self.assertEqual(page, with_tables(page), "run: VOXCC=build/voxcc python3 tests/help/columns_test.py --update")

    def test_other_tables_of_columns_do_not_exist(self):
        self.assertEqual(PAGE.read_text().count(HEAD), output("help", "--format", "columns").count("## "))

    def test_a_command_has_no_columns(self):
        done = run("help", "label", "--format", "columns")
        self.assertEqual((done.returncode, done.stdout), (64, ""))
        self.assertIn("leave out the command", done.stderr)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(with_tables(PAGE.read_text()))
    else:
        unittest.main()
