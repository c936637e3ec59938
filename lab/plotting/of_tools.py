"""The figures of the tables of lab/peers.py: voxcc beside other tools."""

import csv
import re

from measurements import groups, open_table
from plotting.figure import Figure, Panel
from plotting.looks import LIMIT, TOOLS
from plotting.rows import number

OLD_COLUMNS = {"volume", "connectivity", "method", "task", "median_ms"}
NEW_COLUMNS = {"table", "case", "connectivity", "column", "value", "unit"}
LABELLING = ("labelling", "images", "cuda")  # the tables with the time of labelling per tool


def read(path):
    """The times of labelling as dictionaries: case, connectivity, tool, ms. An empty list if the file has no such table."""
    with open_table(path) as file:
        rows = list(csv.DictReader(file))
    columns = set(rows[0]) if rows else set()
    if columns >= OLD_COLUMNS:
        return [{"case": row["volume"], "connectivity": row["connectivity"], "tool": row["method"], "ms": float(row["median_ms"])}
                for row in rows if row["task"] == "label"]
    if columns >= NEW_COLUMNS:
        return [{"case": row["case"], "connectivity": row["connectivity"], "tool": row["column"], "ms": float(row["value"])}
                for row in rows if row["table"] in LABELLING and row["unit"] == "ms"]
    return []


def panel(rows, title, xlabel, names=None):
    """One case: a row per tool, the fastest first, with its time and its ratio to the first tool of the rows.

    names: {tool: name in the figure}, for tables in which another algorithm than block-runs stands for voxcc.
    """
    times = {}
    for row in rows:
        times.setdefault((names or {}).get(row["tool"], row["tool"]), row["ms"])
    limit = times.pop(LIMIT, None)
    first = next(iter(times.values()))
    series = {tool: {"time": ms} for tool, ms in sorted(times.items(), key=lambda item: item[1])}
    notes = {tool: f"{number(ms)} ms" + (f", {number(ms / first)} x" if ms != first else "") for tool, ms in times.items()}
    return Panel("dots", title, series, xlabel, limit=limit, notes=notes)


def figures(path):
    """The figures of a file: one per connectivity, with a panel per case."""
    known = [row for row in read(path) if row["tool"] in (*TOOLS, LIMIT) or row["tool"].startswith("voxcc ")]
    for (connectivity,), some in groups(known, "connectivity"):
        panels = [panel(rows, case, "ms, median") for (case,), rows in groups(some, "case")]
        name = "-".join(["tools", re.sub(r"[^A-Za-z0-9.]+", "_", path.stem), connectivity])
        yield Figure(name, f"Time of labelling in memory, {connectivity} neighbours: tools further left are faster", path.name, panels)
