"""Sizes in inches, line ends, and ranges of the axes of the panels of a figure. Does not need matplotlib."""

import textwrap

MOST_COLUMNS = 4
CHARACTER, SMALL_CHARACTER = 0.075, 0.066  # mean width of a character of a title and of other text
WIDTHS = {"dots": 3.4, "stacks": 3.4, "curves": 3.6, "areas": 3.6, "title": 7.5}  # of a panel, and least width of the title
MOST_RATIO = 10  # of the greatest values of panels that have one linear axis
ROW, LINE = 0.19, 0.15  # height of a row of a panel or of the legend, and of a line of a title


def wrapped(text, width):
    """The text with line ends, for a width."""
    return textwrap.fill(text, int(width / CHARACTER), break_long_words=False)


def entry_width(labels):
    """The width of a column of the legend."""
    return 0.55 + SMALL_CHARACTER * max(map(len, labels), default=0)


def width_of(panel):
    """The width of a panel with the notes beside its rows."""
    beside = panel.kind != "curves" and max(map(len, panel.notes.values()), default=0)
    return WIDTHS[panel.kind] + SMALL_CHARACTER * beside


def title_of(panel):
    """The title of a panel with line ends."""
    return wrapped(panel.title, width_of(panel) * 0.9)


def height_of(panel):
    """The height of a panel."""
    rows = 0.9 + ROW * max(3, len(panel.series)) if panel.kind in ("dots", "stacks") else 2.9
    return rows + LINE * title_of(panel).count("\n")


def columns_of(panels):
    """Columns of the grid of panels: as few empty places as possible; two if there are notes beside the rows."""
    count = len(panels)
    if any(panel.notes and panel.kind != "curves" for panel in panels):
        return min(count, 2)
    if count <= MOST_COLUMNS:
        return count
    return min((4, 3), key=lambda columns: (-count % columns, -columns))


def values_of(panel):
    """All values on the axis of the values, including the streaming limit."""
    if panel.kind == "dots":
        found = [value for marks in panel.series.values() for value in marks.values() if value > 0]
    elif panel.kind == "stacks":
        found = [sum(phases.values()) for phases in panel.series.values()]
    elif panel.kind == "curves":
        lines = [*panel.series.values(), *panel.fits.values()]
        found = [y for points in lines for _, y in points if y > 0 or "y" not in panel.scales]
    else:
        found = [sum(ys) for ys in zip(*([y for _, y in points] for points in panel.series.values()))]
    return found + ([panel.limit] if panel.limit else [])


def spans(panels):
    """The range of the values of each panel.

    Panels that have the same kind and the same labels have the same range, unless the values of a linear axis differ too much.
    """
    def like(panel):
        return panel.kind, panel.scales, panel.ylabel if panel.kind in ("curves", "areas") else panel.xlabel

    values = [values_of(panel) or [1] for panel in panels]
    together = {}
    for panel, some in zip(panels, values):
        together.setdefault(like(panel), []).append(some)
    found = []
    for panel, some in zip(panels, values):
        others = together[like(panel)]
        greatest = list(map(max, others))
        alone = panel.kind in ("stacks", "areas") and max(greatest) > MOST_RATIO * min(greatest)
        found.append((min(some), max(some)) if alone else (min(map(min, others)), max(greatest)))
    return found
