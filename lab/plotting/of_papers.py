"""The figures of the papers: the numbers of a paper, where its text has numbers, beside ours."""

import re

from measurements import groups
from plotting.figure import Figure, Panel
from plotting.rows import unique


def position(column):
    """The place of a column on the x axis: 40  ->  40.0, pass 3  ->  3.0, 8192^2  ->  67108864.0; None if the column is not a number."""
    square = re.fullmatch(r"(\d+)\^2", column)
    if square:
        return float(square[1]) ** 2
    found = re.fullmatch(r"(?:pass )?(\d+(?:\.\d+)?)", column)
    return found and float(found[1])


def lines_of(grid, rows):
    """{row: points} of the columns that are numbers."""
    lines = {row: sorted([position(column), y] for column, y in grid.line(row).items() if position(column) is not None)
             for row in rows if row in grid.rows}
    return {row: points for row, points in lines.items() if points}


def layers_of(grid):
    """{row: points}, where all rows have the same x; a missing value is 0."""
    columns = sorted((column for column in grid.columns if position(column) is not None), key=position)
    return {row: [[position(column), grid.at(row, column) or 0.0] for column in columns] for row in grid.rows}


def source_of(runs):
    """The devices, dates and versions of our measurements."""
    return "; ".join(sorted({f"{run['device'].split(', ', 1)[-1]}, {run['date'][:10]}, voxcc {run['version']}" for run in runs}))


def unit_of(table, column):
    return table.unit if table.unit not in ("", "1") else "number" if table.unit else column


def grids_of(table):
    return [(source, grid) for source, grid in (("paper", table.paper), ("voxcc", table.ours)) if grid.rows]


def curves(table, title):
    rows = unique(table.paper.rows + table.ours.rows)  # in one order, so that a row has one look
    sizes = any("^2" in column for column in table.paper.columns + table.ours.columns)
    scales = "xy" if sizes else "y" if table.unit == "ms" else ""
    return [Panel("curves", f"{title}, {source}", lines_of(grid, rows), table.xlabel, unit_of(table, ""), scales=scales)
            for source, grid in grids_of(table) if lines_of(grid, rows)]


def areas(table, title):
    return [Panel("areas", f"{title}, {source}", layers_of(grid), table.xlabel, unit_of(table, "")) for source, grid in grids_of(table)]


def stacks(table, title):
    return [Panel("stacks", f"{title}, {source}", {row: grid.line(row) for row in grid.rows}, unit_of(table, "")) for source, grid in grids_of(table)]


def dots(table, title):
    """A panel per column, with our value and the value of the paper in one row."""
    grids = grids_of(table)
    rows, columns = (unique(name for _, grid in grids for name in getattr(grid, names)) for names in ("rows", "columns"))

    def marks(row, column):
        return {source: grid.at(row, column) for source, grid in reversed(grids) if grid.at(row, column) is not None}

    return [Panel("dots", f"{title}: {column}" if len(columns) > 1 else title, {row: marks(row, column) for row in rows}, unit_of(table, column))
            for column in columns]


def transposed(table, title):
    """As dots, with a panel per row."""
    rows = unique(table.paper.rows + table.ours.rows)
    columns = unique(table.paper.columns + table.ours.columns)
    return [Panel("dots", f"{title}: {row}" if len(rows) > 1 else title,
                  {column: {source: grid.at(row, column) for source, grid in reversed(grids_of(table)) if grid.at(row, column) is not None}
                   for column in columns}, unit_of(table, row)) for row in rows]


def ranges(table, title):
    """A panel; the columns of our numbers are the marks of a row."""
    return [Panel("dots", title, {row: table.ours.line(row) for row in table.ours.rows}, unit_of(table, ""))]


KINDS = {"dots": dots, "transposed": transposed, "ranges": ranges, "stacks": stacks, "curves": curves, "areas": areas}


def figures(paper, item, facts, runs):
    """The figures of an item that have measurements: one, unless the item divides its tables into several."""
    tables = [table for table in item.tables(facts, runs) if table.drawn_as and table.ours.rows and table.runs]
    for (part,), some in groups([{"table": table, "part": table.figure} for table in tables], "part"):
        kept = [one["table"] for one in some]
        panels = [panel for table in kept for panel in KINDS[table.drawn_as](table, table.title.split(", columns:")[0])]
        title = f"{paper.name.capitalize()}, {item.title[0].lower()}{item.title[1:]}" + (f": {part}" if part else "")
        yield Figure("-".join(filter(None, (paper.name, item.name, part))), title, source_of([run for table in kept for run in table.runs]), panels)
