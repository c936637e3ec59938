"""The command line of lab/papers.py."""

import argparse
import sys
from pathlib import Path

from measurements import is_table, read
from papers import allegretti, asad, hennequin, shibata, ziegler
from papers.claims import read_notes
from papers.facts import read_facts
from papers.page import page, paper_section
from papers.tables import usable

ROOT = Path(__file__).resolve().parents[2]
PAPERS = {module.PAPER.name: module.PAPER for module in (allegretti, hennequin, asad, ziegler, shibata)}


def paper_of(name):
    if name not in PAPERS:
        sys.exit(f"error: --paper: '{name}' is not a paper; use {', '.join(PAPERS)}")
    return PAPERS[name]


def items_of(paper, name):
    """The item of that name, or all items if the name is None."""
    try:
        return [paper.item(name)] if name else list(paper.items)
    except KeyError as error:
        sys.exit(f"error: --item: {error.args[0]}")


def results():
    """All tables of `voxcc bench` in lab/results, except peers.csv: it has some of the algorithms, beside block-runs."""
    return [path for path in sorted((ROOT / "lab" / "results").glob("*/*.csv*")) if is_table(path) and path.name.removesuffix(".gz") != "peers.csv"]


def write(text, path):
    if path == "-":
        sys.stdout.write(text)
    else:
        Path(path).write_text(text)


def main(description, arguments):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="CSV", help="tables of voxcc bench (default: all in lab/results but peers.csv)")
    parser.add_argument("--paper", metavar="NAME", help=f"one paper only: {', '.join(PAPERS)}")
    parser.add_argument("--item", metavar="ITEM", help="one table or figure of the paper only, for example table2")
    parser.add_argument("--out", metavar="PATH", help="file to write, - for stdout (default: docs/reference/papers.md; - with --paper)")
    options = parser.parse_args(arguments)
    if options.item and not options.paper:
        sys.exit("error: --item: needs --paper")
    runs = usable(read(options.tables or results()))
    notes = read_notes()
    if not options.paper:
        text = page(PAPERS.values(), {name: read_facts(name) for name in PAPERS}, runs, notes)
        return write(text, options.out or ROOT / "docs" / "reference" / "papers.md")
    paper = paper_of(options.paper)
    lines = paper_section(paper, read_facts(paper.name), runs, notes, items_of(paper, options.item))
    return write("\n".join(lines).rstrip("\n") + "\n", options.out or "-")
