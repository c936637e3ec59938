"""lab/performance.py and docs/develop/performance.md: the tables and the size of the page; the list and the tables of lab/notebook."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
NOTEBOOK = ROOT / "lab" / "notebook"
PAGES = sorted(path for path in NOTEBOOK.glob("*.md") if path.name != "README.md")
sys.path.insert(0, str(ROOT / "lab"))

import performance  # noqa: E402


def test_page_is_up_to_date():
    page = performance.PAGE.read_text()
    assert set(re.findall(r"<!-- table (\S+) -->", page)) == performance.TABLES.keys()
    assert performance.filled(page) == page, "run python3 lab/performance.py"


def test_page_is_short():
    assert len(performance.PAGE.read_text().splitlines()) <= 150


def test_tables_show_the_values_of_the_results():
    # Values that were read from the files in lab/results by eye.
    assert "| blobs-50 | 26 | 27 | 49.5 | 6.00 x | 35.2 x | 287 x | 10.3 x | 6.59 | 123 x |" in performance.other_tools()
    assert "| image-50-g8 | 34.0 | 5.33 x | 4.33 x | 4.49 x |" in performance.images()
    assert "| blobs-50 | 6 | 69.5 | 48.1 | 24.8 | 14.0 | 8.43 | 1.44 x | 8.25 x |" in performance.threads()
    assert "| .nii auto | 0.189 | 0.191 | 0.115 | 11.7 x | 51.3 | 747 | 134 | 537 |" in performance.files()
    assert "| blobs 512^3, .h5 | 57 to 58 | 67 to 68 | 87 to 88 |" in performance.memory()
    assert "| blobs-50 512^3 | 0.232 | 0.329 | bke 4.85 x | 0.369 | buf 5.69 x | 0.395 | buf 6.02 x |" in performance.gpu()


@pytest.mark.parametrize("name", performance.TABLES)
def test_every_table_has_its_machine_date_command_and_file(name):
    below = " ".join(performance.TABLES[name]().rpartition("|\n\n")[2].split())
    assert re.match(r"(AMD|Intel).+\. 2026-11-\d\d\. `(lab/|bench).+`; .*voxcc 0\.1\.0.+\[csv\]\(\.\./\.\./lab/results/.+\)\.$", below), below


def test_unknown_table_is_an_error():
    with pytest.raises(SystemExit, match="'speed' is not a table; use other-tools, "):
        performance.filled("<!-- table speed -->\n<!-- end -->")


@pytest.mark.parametrize("value, text", [(6, "6.00"), (0.0851, "0.0851"), (12.34, "12.3"), (99.97, "100"), (287.2, "287"), (1234.5, "1234")])
def test_numbers_have_three_digits(value, text):
    assert performance.number(value) == text


def test_checkout_is_small():
    """12 MB without git. Older runs of a table leave lab/results; git keeps them."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a checkout of git")
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=True).stdout.split("\0")
    sizes = {name: (ROOT / name).stat().st_size for name in names if (ROOT / name).is_file()}
    assert sum(sizes.values()) <= 12_000_000
    assert {name: size for name, size in sizes.items() if size > 200_000} == {}


def test_figures_are_small():
    figures = list((DOCS / "figures").iterdir())
    assert figures and [path.name for path in figures if path.stat().st_size > 200_000] == []


# The notebook

def links(path):
    """The relative links of a page: [(file, anchor)]."""
    targets = re.findall(r"\]\(([^)\s]+)\)", path.read_text())
    return [target.partition("#")[::2] for target in targets if "://" not in target]


def test_every_page_of_the_notebook_is_listed():
    listed = {name for name, _ in links(NOTEBOOK / "README.md")}
    assert {path.name for path in PAGES} <= listed


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_pages_of_the_notebook_have_tables_of_attempts(page):
    text = page.read_text()
    lines = text.splitlines()
    assert len(lines) <= 100 and lines[2].startswith("For developers who "), "a page begins with its readers"
    assert re.search(r"^\| tried \| before \| after[^|]* \| kept \|$", text, re.MULTILINE), "no table of attempts"
    assert re.search(r"20\d\d-\d\d-\d\d", text), "no date"
    assert re.search(r"EPYC|Xeon|H100|H200", text), "no processor"
    for table in re.findall(r"(?:^\|.+\n)+", text, re.MULTILINE):
        rows = table.splitlines()
        assert len(rows) > 2 and {row.count("|") for row in rows} == {rows[0].count("|")}, rows[0]
