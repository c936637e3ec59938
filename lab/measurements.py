#!/usr/bin/env python3
"""Reads the CSV tables of `voxcc bench` and bench_algorithms; docs/develop/bench.md describes the columns. Does not need matplotlib.

    python3 lab/measurements.py TABLE.csv...   # makes the tables shorter: cells that have the text of the cell above become empty
"""

import collections
import csv
import gzip
import io
import re
import sys
from pathlib import Path

COLUMNS = ["machine", "device", "driver", "date", "version", "test", "algorithm", "connectivity", "volume", "parameters", "phase", "statistic",
           "value", "unit"]
PASSES = ("merge/scan", "merge/propagate", "merge/max-gather")  # the phases that algorithms repeat until nothing changes


def open_table(path):
    """Opens a CSV table for reading. Large tables in lab/results are compressed: NAME.csv.gz."""
    return gzip.open(path, "rt", newline="") if str(path).endswith(".gz") else open(path, newline="")


def is_table(path):
    """Whether the file is a table of `voxcc bench`."""
    with open_table(path) as file:
        return next(csv.reader(file), None) == COLUMNS


def texts(path):
    """All rows as dictionaries of texts. An empty cell has the text of the cell above; `voxcc bench` writes no empty cells."""
    rows = [dict.fromkeys(COLUMNS, "")]
    with open_table(path) as file:
        for row in csv.DictReader(file):
            rows.append({name: row[name] or rows[-1][name] for name in COLUMNS})
    return rows[1:]


def read(paths):
    """The rows of all tables. The column `value` is a number."""
    return [{**row, "value": float(row["value"])} for path in paths for row in texts(path)]


def shortened(path):
    """The text of a table in which cells are empty that have the text of the cell above. The values stay, so that each row can be read."""
    rows, text = texts(path), io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for above, row in zip([dict.fromkeys(COLUMNS), *rows], rows):
        writer.writerow({name: "" if row[name] == above[name] and name != "value" else row[name] for name in COLUMNS})
    return text.getvalue()


def parameter(row, name):
    """The value of the entry name=value in the column `parameters`, or None."""
    found = re.search(rf"(?:^| ){name}=(\S+)", row["parameters"])
    return found and found[1]


def shape(row):
    return parameter(row, "shape")


def way(row):
    """How properties are computed: none or ordinary (both: not at all), early, late, ...; None if the row does not say it."""
    return parameter(row, "properties")


def allocation(row):
    """How the arrays of a run on one CUDA device are allocated: fresh (cudaMalloc for each) or pool, which is the default."""
    return parameter(row, "allocation") or "pool"


def voxels_of(row):
    """The number of voxels, from the parameter shape=XxYxZ."""
    x, y, z = map(int, shape(row).split("x"))
    return x * y * z


def groups(rows, *keys):
    """The rows grouped by the values of `keys` (columns, or functions of a row), in the order of their first rows."""
    found = collections.defaultdict(list)
    for row in rows:
        found[tuple(key(row) if callable(key) else row[key] for key in keys)].append(row)
    return found.items()


def without_passes(rows):
    """The rows without the times of single passes ("merge/scan 3"), which the row of their phase ("merge/scan") contains."""
    def of(row, phase):
        return tuple(row.get(name) for name in ("device", "date", "algorithm", "connectivity", "volume", "parameters", "statistic")) + (phase,)

    phases = {of(row, row["phase"]) for row in rows}
    return [row for row in rows if of(row, re.sub(r" \d+$", "", row["phase"])) not in phases or not re.search(r" \d+$", row["phase"])]


if __name__ == "__main__":
    for table in sys.argv[1:]:
        Path(table).write_text(shortened(table))
