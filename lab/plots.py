#!/usr/bin/env python3
"""Draws the tables of `voxcc bench`, bench_algorithms and lab/peers.py as SVG files; docs/develop/bench.md describes the figures.

    .venv-bench/bin/python lab/plots.py RESULTS.csv [MORE.csv...] --out FOLDER
    .venv-bench/bin/python lab/plots.py --paper allegretti [--item fig17] RESULTS.csv [MORE.csv...] --out FOLDER
    .venv-bench/bin/python lab/plots.py --docs          # docs/figures, from lab/results

Writes one file per test, device and connectivity, with a panel per volume or granularity. With --paper, draws the results as the tables and
figures of a paper, with the numbers of the paper beside them where its text has numbers.
"""

import argparse
import sys
from pathlib import Path

import measurements
from papers.command import PAPERS, items_of, paper_of
from papers.facts import read_facts
from papers.tables import usable
from plotting import of_docs, of_papers, of_tests, of_tools


def test_figures(paths):
    """The figures of tables of `voxcc bench` and of lab/peers.py."""
    tables = [path for path in paths if measurements.is_table(path)]
    rows = measurements.read(tables)
    unknown = {row["test"] for row in rows} - of_tests.TESTS.keys()
    if unknown:
        sys.exit(f"error: '{min(unknown)}' is not a known test; use {', '.join(of_tests.TESTS)}")
    for path in paths:
        if path not in tables and not of_tools.read(path):
            sys.exit(f"error: {path}: is not a table of voxcc bench or of lab/peers.py with times of labelling")
    found = [*of_tests.figures(rows), *(figure for path in paths if path not in tables for figure in of_tools.figures(path))]
    if not found:
        sys.exit("error: the tables have no times, accesses or fits to draw")
    return found


def paper_figures(name, item, paths):
    """The tables and figures of a paper."""
    paper = paper_of(name)
    items = items_of(paper, item)
    facts, runs = read_facts(name), usable(measurements.read(paths))
    found = [figure for one in items for figure in of_papers.figures(paper, one, facts, runs)]
    if not found:
        sys.exit("error: the tables have no measurements for this; measure with:\n" + "\n".join(f"  {paper.command(one)}" for one in items))
    return found


def save(figures, folder):
    try:
        from plotting import draw  # needs matplotlib, which takes a second to load
    except ImportError as error:
        sys.exit(f"error: {error.name} is not installed; run python3 -m pip install -r lab/requirements.txt in a virtual environment")
    for figure in figures:
        try:
            print(draw.save(figure, folder))
        except OSError as error:
            sys.exit(f"error: {folder}: {error.strerror}; choose another folder with --out")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", type=Path, metavar="CSV")
    parser.add_argument("--paper", metavar="NAME", help=f"draw as the tables and figures of this paper: {', '.join(PAPERS)}")
    parser.add_argument("--item", metavar="ITEM", help="one table or figure of the paper only, for example fig17")
    parser.add_argument("--docs", action="store_true", help="draw the figures of docs/figures from lab/results")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="folder for the files (default: figures; docs/figures with --docs)")
    arguments = parser.parse_args()
    if arguments.item and not arguments.paper:
        sys.exit("error: --item: needs --paper")
    if arguments.docs and (arguments.tables or arguments.paper):
        sys.exit("error: --docs: not with CSV files or --paper")
    if not arguments.docs and not arguments.tables:
        sys.exit("error: no CSV file is given; give the tables of voxcc bench")
    if missing := [path for path in arguments.tables if not path.is_file()]:
        sys.exit(f"error: {missing[0]}: is not a file; check the path")
    if arguments.docs:
        save([figure() for figure in of_docs.FIGURES.values()], arguments.out or of_docs.FOLDER)
    elif arguments.paper:
        save(paper_figures(arguments.paper, arguments.item, arguments.tables), arguments.out or Path("figures"))
    else:
        save(test_figures(arguments.tables), arguments.out or Path("figures"))


if __name__ == "__main__":
    main()
