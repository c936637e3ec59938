#!/usr/bin/env python3
"""Prints the measurements of `voxcc bench` and bench_algorithms as markdown tables; docs/bench.md describes the columns.

    python3 bench/tables.py RESULTS.csv [MORE.csv...] [--keep KEPT.csv]

--keep writes the rows that the tables show (medians, means, fits) to KEPT.csv. The complete CSV files have several megabytes.
"""

import argparse
import csv
import sys


PASSES = ("merge/scan", "merge/propagate", "merge/max-gather")  # the phases that algorithms repeat until nothing changes


def unique(values):
    return list(dict.fromkeys(values))


def shown(row):
    """Whether a table shows the row, or the row is needed to interpret a table."""
    if row["test"] in ("average", "density", "granularity"):
        return row["phase"] == "labelling" and row["statistic"] in ("median", "components", "own memory")
    if row["test"] == "steps":
        return row["statistic"] in ("median", "calls")
    if row["test"] == "memory":
        return row["phase"] == "labelling"
    return row["statistic"] not in ("median", "min", "max", "components", "own memory")


def number(value):
    value = float(value)
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3g}"


def table(title, corner, columns, lines):
    print(f"\n{title}\n\n| {corner} | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    for name, cells in lines:
        print(f"| {name} | {' | '.join(number(cells[c]) if c in cells else '-' for c in columns)} |")


def cross(title, rows, line_of, column_of):
    """Prints a table of the values of the rows."""
    if not rows:
        return
    cells = {}
    for row in rows:
        cells.setdefault(line_of(row), {})[column_of(row)] = row["value"]
    table(title, "", unique(column_of(row) for row in rows), cells.items())


def way(row):
    found = [word for word in row["parameters"].split() if word.startswith("properties=")]
    return f"{row['algorithm']} {found[0].split('=')[1]}" if found else row["algorithm"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--keep", metavar="KEPT.csv")
    arguments = parser.parse_args()
    rows = []
    for path in arguments.tables:
        with open(path, newline="") as file:
            rows += filter(shown, csv.DictReader(file))
    if not rows:
        sys.exit("no rows that a table shows")
    if arguments.keep:
        with open(arguments.keep, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    for device, connectivity in unique((row["device"], row["connectivity"]) for row in rows):
        here = [row for row in rows if row["device"] == device and row["connectivity"] == connectivity]
        where = f"{device}, connectivity {connectivity}"

        def of(test, *statistics):
            return [row for row in here if row["test"] == test and row["statistic"] in statistics]

        for shape in unique(row["parameters"].split()[0] for row in of("average", "median")):
            cross(f"{where}, {shape}: labelling, ms", [row for row in of("average", "median") if row["parameters"].split()[0] == shape],
                  way, lambda row: row["volume"])
        for test in ("density", "granularity"):
            for algorithm in unique(way(row) for row in of(test, "median")):
                cross(f"{where}: {test}, {algorithm}, ms", [row for row in of(test, "median") if way(row) == algorithm],
                      lambda row: row["volume"].split("-g")[-1], lambda row: row["volume"].split("-g")[0].removeprefix("random-"))
        repeated = [row for row in of("steps", "calls") if row["phase"] in PASSES]
        cross(f"{where}: passes", repeated, lambda row: f"{way(row)}, {row['phase']}", lambda row: row["volume"])
        for volume in unique(row["volume"] for row in of("memory", "reads")):
            counted = [row for row in here if row["test"] == "memory" and row["volume"] == volume]
            cross(f"{where}, {volume}: accesses and bytes per voxel", counted, way, lambda row: row["statistic"])
        cross(f"{where}: families, mean ms", of("properties", "mean"), way, lambda row: row["volume"])
        fits = [row for row in of("model", *(f"{k} of mean" for k in "abc"), "max error of mean")]
        cross(f"{where}: mean = a + b x^c, ms over pixels", fits, way, lambda row: row["statistic"])


if __name__ == "__main__":
    main()
