"""Each row of the fault matrix has a test, and the page docs/develop/reliability.md lists each row with its title."""

import re
from pathlib import Path

from rows import TITLES

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER.parents[1] / "docs" / "develop" / "reliability.md"


def test_every_row_has_a_test():
    tests = "".join(path.read_text() for path in FOLDER.glob("test_*.py"))
    tested = {int(number) for number in re.findall(r"^def test_row(\d\d)_", tests, re.MULTILINE)}
    assert sorted(tested) == sorted(TITLES) == list(range(1, 63))


def test_the_page_lists_every_row():
    listed = re.findall(r"^\| (\d+) \| ([^|]+?) \|", PAGE.read_text(), re.MULTILINE)
    assert {int(number): title for number, title in listed} == TITLES
