"""Draws the tables of a paper as SVG files: the numbers of the paper, where its text has numbers, beside ours. Needs matplotlib."""

import re

import matplotlib.pyplot as plt
from drawing import areas, bars, bars_beside, curves


def position(column):
    """The place of a column on the x axis: 40  ->  40.0, 8192^2  ->  67108864.0; None for columns that are not numbers."""
    square = re.fullmatch(r"(\d+)\^2", column)
    if square:
        return float(square[1]) ** 2
    return float(column) if re.fullmatch(r"\d+(\.\d+)?", column) else None


def lines_of(grid, rows):
    """{row: [(x, y)]} of the columns that are numbers."""
    return {row: [(position(column), y) for column, y in grid.line(row).items() if position(column) is not None]
            for row in rows if row in grid.rows}


def draw_grid(axes, table, grid):
    rows = dict.fromkeys(table.paper.rows + table.ours.rows)  # in one order, so that a row has one colour
    if table.drawn_as in ("curves", "areas"):
        (curves if table.drawn_as == "curves" else areas)(axes, lines_of(grid, rows), table.xlabel, table.unit)
        if any("^2" in column for column in grid.columns):
            axes.set_ylim(auto=True)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.autoscale()
    elif table.drawn_as == "stacks":
        bars(axes, grid.rows, {column: [grid.at(row, column) or 0 for row in grid.rows] for column in grid.columns}, table.unit)
    else:
        bars_beside(axes, grid.columns, {row: [grid.at(row, column) or 0 for column in grid.columns] for row in rows}, table.unit)


def source_of(table):
    """The machine and the date of our measurements."""
    places = {f"{run['device'].split(', ', 1)[-1]}, {run['date'][:10]}" for run in table.runs}
    return "; ".join(sorted(places))


def draw_table(paper, item, table, pictures):
    grids = [(name, grid) for name, grid in (("paper", table.paper), (f"voxcc, {source_of(table)}", table.ours)) if grid.rows]
    figure, axes = plt.subplots(1, len(grids), figsize=(8 * len(grids), 5), squeeze=False, layout="constrained")
    for (name, grid), one in zip(grids, axes[0]):
        draw_grid(one, table, grid)
        one.set_title(name)
    figure.suptitle(f"{item.title}: {table.title}" if table.title not in item.title else item.title)
    pictures.save(figure, paper.name, item.name, table.key)


def draw(paper, item, facts, runs, pictures):
    """Draws the tables of an item that have measurements. @return the number of files"""
    tables = [table for table in item.tables(facts, runs) if table.ours.rows and table.runs]
    for table in tables:
        draw_table(paper, item, table, pictures)
    return len(tables)
