#!/usr/bin/env python3
"""Prints the measurements of `voxcc bench` and bench_algorithms as markdown tables; docs/develop/bench.md describes the columns.

    python3 lab/tables.py RESULTS.csv [MORE.csv...] [--keep KEPT.csv]

A cell is the mean of all rows that belong to it, for example of several random images. --keep writes the rows that the tables show
(medians, means, fits, accesses) to KEPT.csv. The complete CSV files have several megabytes.
"""

import argparse
import csv
import sys

from measurements import PASSES, parameter, read, without_passes


def unique(values):
    return list(dict.fromkeys(values))


def shown(row):
    """Whether a table shows the row, or the row is needed to interpret a table."""
    if row["test"] in ("average", "density", "granularity"):
        return row["statistic"] == "mean" or (row["phase"] == "labelling" and row["statistic"] in ("median", "fps", "components", "own memory"))
    if row["test"] == "steps":
        return row["statistic"] in ("median", "calls") and row["algorithm"] != "ceiling"
    if row["test"] == "memory":
        return row["phase"] == "labelling" or row["statistic"] == "reads"
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
    values = {}
    for row in rows:
        values.setdefault(line_of(row), {}).setdefault(column_of(row), []).append(row["value"])
    lines = [(name, {column: sum(found) / len(found) for column, found in cells.items()}) for name, cells in values.items()]
    table(title, "", unique(column_of(row) for row in rows), lines)


def way(row):
    """The algorithm, how it computes sums, and how it relabels unless that is the default."""
    return " ".join(filter(None, (row["algorithm"], parameter(row, "properties"), parameter(row, "relabel"))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--keep", metavar="KEPT.csv")
    arguments = parser.parse_args()
    rows = list(filter(shown, read(arguments.tables)))
    if not rows:
        sys.exit("no rows that a table shows")
    if arguments.keep:
        with open(arguments.keep, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    def place(row):
        return row["device"], row["connectivity"], parameter(row, "experiment")

    for device, connectivity, experiment in unique(map(place, rows)):
        here = [row for row in rows if place(row) == (device, connectivity, experiment)]
        where = f"{experiment + ', ' if experiment else ''}{device}, connectivity {connectivity}"

        def of(test, *statistics):
            return [row for row in here if row["test"] == test and row["statistic"] in statistics]

        for shape in unique(parameter(row, "shape") for row in of("average", "median")):
            for title, statistic in (("labelling, ms", "median"), ("images per second", "fps")):
                cross(f"{where}, shape={shape}: {title}", [row for row in of("average", statistic) if parameter(row, "shape") == shape],
                      way, lambda row: row["volume"])
        for phase in unique(row["phase"] for row in of("average", "mean")):
            cross(f"{where}: data sets, {phase}, mean ms", [row for row in of("average", "mean") if row["phase"] == phase],
                  way, lambda row: row["volume"])
        for title, statistic in (("ms", "median"), ("calls", "calls")):
            phases = without_passes(of("steps", statistic))
            for volume in unique(row["volume"] for row in phases):
                cross(f"{where}, {volume}: phases, {title}", [row for row in phases if row["volume"] == volume],
                      way, lambda row: row["phase"])
        for test in ("density", "granularity"):
            for algorithm in unique(way(row) for row in of(test, "median")):
                cross(f"{where}: {test}, {algorithm}, ms", [row for row in of(test, "median") if way(row) == algorithm],
                      lambda row: parameter(row, "granularity"), lambda row: parameter(row, "density"))
        repeated = [row for row in of("steps", "calls") if row["phase"] in PASSES]
        cross(f"{where}: passes", repeated, lambda row: f"{way(row)}, {row['phase']}", lambda row: row["volume"])
        for volume in unique(row["volume"] for row in of("memory", "reads")):
            counted = [row for row in here if row["test"] == "memory" and row["volume"] == volume]
            cross(f"{where}, {volume}: accesses and bytes per voxel", [row for row in counted if row["phase"] == "labelling"],
                  way, lambda row: row["statistic"])
            cross(f"{where}, {volume}: reads per voxel, by phase", [row for row in counted if row["statistic"] == "reads"],
                  way, lambda row: row["phase"])
        cross(f"{where}: families, mean ms", of("properties", "mean"), way, lambda row: row["volume"])
        fits = [row for row in of("model", *(f"{k} of mean" for k in "abc"), "max error of mean")]
        cross(f"{where}: mean = a + b x^c, ms over pixels", fits, way, lambda row: row["statistic"])


if __name__ == "__main__":
    main()
