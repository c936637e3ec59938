"""The rules that check a claim against the numbers of a table. A rule takes a grid and a claim, and returns an Outcome.

A rule returns None if the grid does not have the numbers that the claim needs.
"""

from dataclasses import dataclass

AGREES, PARTLY, DIFFERS = "agrees", "agrees in part", "does not agree"
TOLERANCE = 0.1  # bounds of ratios and values are widened by this share, except in claims with strict = true


@dataclass(frozen=True)
class Outcome:
    found: str  # what the numbers give
    state: str


def number(value):
    if value >= 100:
        return f"{value:.0f}" if value < 1e6 else f"{value:.3g}"
    return f"{value:.3g}"


def span(values):
    least, greatest = number(min(values)), number(max(values))
    return least if least == greatest else f"{least} to {greatest}"


def state_of(kept):
    """agrees if all are kept, agrees in part if some are."""
    return AGREES if all(kept) else PARTLY if any(kept) else DIFFERS


def columns_of(grid, claim, *rows):
    """The columns of the claim (default: all) in which every row has a number."""
    wanted = claim.get("columns", grid.columns)
    return [column for column in wanted if all(grid.at(row, column) is not None for row in rows)]


def line(grid, claim):
    """[(column as a number, value)] of the row of the claim, in the order of the columns."""
    points = [(float(column), grid.at(claim["row"], column)) for column in columns_of(grid, claim, claim["row"])]
    return sorted(point for point in points if claim.get("from", point[0]) <= point[0] <= claim.get("to", point[0]))


def within(value, claim):
    slack = 1 if claim.get("strict") else 1 + TOLERANCE
    return claim.get("low", value) / slack <= value <= claim.get("high", value) * slack


def ratio(grid, claim):
    """The numbers of the row `over`, divided by the numbers of the row `under`, lie between `low` and `high`."""
    columns = columns_of(grid, claim, claim["over"], claim["under"])
    values = [grid.at(claim["over"], column) / grid.at(claim["under"], column) for column in columns]
    return Outcome(span(values), state_of([within(value, claim) for value in values])) if values else None


def column_ratio(grid, claim):
    """As ratio, for two columns instead of two rows; `rows` chooses the rows."""
    rows = [row for row in claim.get("rows", grid.rows) if grid.at(row, claim["over"]) is not None and grid.at(row, claim["under"])]
    values = [grid.at(row, claim["over"]) / grid.at(row, claim["under"]) for row in rows]
    return Outcome(span(values), state_of([within(value, claim) for value in values])) if values else None


def value(grid, claim):
    """The numbers of a row lie between `low` and `high`."""
    values = [grid.at(claim["row"], column) for column in columns_of(grid, claim, claim["row"])]
    return Outcome(span(values), state_of([within(v, claim) for v in values])) if values else None


def below(grid, claim):
    """The numbers of the rows `rows` are below the numbers of the rows `others`, column by column."""
    rows, others = ([row for row in claim[key] if row in grid.rows] for key in ("rows", "others"))
    kept = []
    for column in columns_of(grid, claim):
        low = [grid.at(row, column) for row in rows if grid.at(row, column) is not None]
        high = [grid.at(row, column) for row in others if grid.at(row, column) is not None]
        if low and high:
            kept.append(max(low) < min(high))
    return Outcome(f"{sum(kept)} of {len(kept)} columns", state_of(kept)) if kept else None


def greatest(grid, claim):
    """In the columns `columns` (default: all), the number of the row `row` is the greatest of its column, or of the rows `rows`."""
    rows = claim.get("rows", grid.rows)
    columns = columns_of(grid, claim, claim["row"])
    kept = [all((grid.at(row, column) or 0) <= grid.at(claim["row"], column) for row in rows) for column in columns]
    return Outcome(f"{sum(kept)} of {len(kept)} columns", state_of(kept)) if kept else None


def peak(grid, claim):
    """The row has its greatest number in the column `at`, give or take `within`.

    If the greatest number is in the first or last column, the numbers beyond may be greater, so the claim agrees in part at most.
    """
    points = line(grid, claim)
    if len(points) < 3:
        return None
    found = max(points, key=lambda point: point[1])[0]
    near = abs(found - claim["at"]) <= claim.get("within", 0)
    end = {points[0][0]: ", the first column", points[-1][0]: ", the last column"}.get(found, "")
    return Outcome(f"at {found:g}{end}", DIFFERS if not near else PARTLY if end else AGREES)


def trend(sign):
    def check(grid, claim):
        values = [sign * v for _, v in line(grid, claim)]
        if len(values) < 3:
            return None
        kept = [b >= a - TOLERANCE / 2 * abs(a) for a, b in zip(values, values[1:])]
        ends = f"{number(abs(values[0]))} to {number(abs(values[-1]))}"
        return Outcome(ends, AGREES if all(kept) and values[-1] > values[0] else PARTLY if values[-1] > values[0] else DIFFERS)

    return check


def crossing(grid, claim):
    """The row `row` is below the row `other` from the column `at` on, give or take `within`."""
    columns = [column for column in columns_of(grid, claim, claim["row"], claim["other"])]
    columns = sorted(columns, key=float)
    if len(columns) < 3:
        return None
    lower = [grid.at(claim["row"], column) < grid.at(claim["other"], column) for column in columns]
    from_here = [column for i, column in enumerate(columns) if all(lower[i:])]
    if not from_here:
        return Outcome("nowhere up to the last column", DIFFERS)
    found = float(from_here[0])
    return Outcome(f"from {found:g} on", AGREES if abs(found - claim["at"]) <= claim.get("within", 0) else DIFFERS)


RULES = {"ratio": ratio, "column ratio": column_ratio, "value": value, "below": below, "greatest": greatest, "peak": peak,
         "rises": trend(1), "falls": trend(-1), "crossing": crossing}
