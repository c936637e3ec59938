"""Draws a figure as an SVG file. Needs matplotlib."""

import json
import math

import matplotlib
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from plotting.layout import ROW, WIDTHS, columns_of, entry_width, height_of, spans, title_of, width_of, wrapped
from plotting.looks import BLACK, GREY, LIMIT, LIMIT_LOOK, MARKS, looks_of, ordered, phase_looks
from plotting.panels import KINDS, rows_of

STYLE = {"svg.hashsalt": "voxcc",  # the same data gives the same file
         "svg.fonttype": "none",  # text remains text: it can be searched, and the files are small
         "font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9, "xtick.labelsize": 8, "ytick.labelsize": 8, "legend.fontsize": 8,
         "axes.spines.top": False, "axes.spines.right": False, "hatch.linewidth": 0.6, "figure.dpi": 72}


def curve_entry(name, look, note):
    return Line2D([], [], color=look.colour, marker=look.marker, fillstyle=look.fill, linestyle=look.line, linewidth=1.2, markersize=5,
                  label=", ".join(filter(None, [name, note])))


def phase_entry(phase, look):
    colour, hatch = look
    return Patch(facecolor=colour, hatch=hatch, edgecolor=BLACK, linewidth=0.3, label=phase)


def mark_entry(mark):
    return Line2D([], [], color=BLACK if mark == LIMIT else GREY, linestyle="none", label=mark, markersize=6, marker=MARKS.get(mark, "o") or "o")


def limit_entry():
    return Line2D([], [], color=LIMIT_LOOK.colour, linestyle=LIMIT_LOOK.line, label=f"{LIMIT}: one pass over voxels and labels")


def legend_entries(panels, looks, phases):
    """The entries of the legend: series of curves, phases, symbols of dots if there are several, and the streaming limit."""
    curves = [(name, panel.notes.get(name)) for panel in panels if panel.kind == "curves" for name in panel.series]
    notes = {name: note for name, note in reversed(curves)}  # of the first panel
    shown = ordered(phase for panel in panels for phase in phases_of(panel))
    marks = list(dict.fromkeys(mark for panel in panels if panel.kind == "dots" for values in panel.series.values() for mark in values))
    return [*(curve_entry(name, looks[name], notes[name]) for name in dict.fromkeys(name for name, _ in curves)),
            *(phase_entry(phase, phases[phase]) for phase in shown), *(map(mark_entry, marks) if len(marks) > 1 else ()),
            *([limit_entry()] if any(panel.limit for panel in panels) else [])]


def phases_of(panel):
    """The phases that a panel shows."""
    if panel.kind == "stacks":
        return [phase for values in panel.series.values() for phase in values]
    return list(panel.series) if panel.kind == "areas" else []


def names_differ(panels, i, columns):
    """Whether a panel shows the names of its rows: not if the panel on its left shows the same ones."""
    return i % columns == 0 or list(panels[i - 1].series) != list(panels[i].series) or panels[i - 1].kind != panels[i].kind


def draw_panels(panels, grid, columns, looks, phases):
    """Draws the panels into the axes, and removes the axes that are left."""
    places = [axes for line in grid for axes in line]
    for i, (panel, span) in enumerate(zip(panels, spans(panels))):
        axes = places[i]
        KINDS[panel.kind](axes, panel, phases if panel.kind in ("stacks", "areas") else looks, span)
        if panel.kind in ("dots", "stacks"):
            rows_of(axes, panel, list(panel.series) if names_differ(panels, i, columns) else [""] * len(panel.series))
        axes.set_title(title_of(panel), loc="left")
        axes.set_xlabel(panel.xlabel)
        axes.set_ylabel(panel.ylabel)
    for axes in places[len(panels):]:
        axes.remove()


def drawn(figure):
    """The figure of matplotlib."""
    with matplotlib.rc_context(STYLE):
        panels = figure.panels
        looks = looks_of(panel.shows or name for panel in panels if panel.kind in ("dots", "curves") for name in panel.series)
        phases = phase_looks(phase for panel in panels for phase in phases_of(panel))
        columns = columns_of(panels)
        heights = [max(map(height_of, panels[i:i + columns])) for i in range(0, len(panels), columns)]
        width = max(columns * max(map(width_of, panels)), WIDTHS["title"])
        entries = legend_entries(panels, looks, phases)
        legend_columns = max(1, min(len(entries), int(width / entry_width([entry.get_label() for entry in entries]))))
        legend_height = 0.3 + ROW * math.ceil(len(entries) / legend_columns)
        canvas = Canvas((width, sum(heights) + legend_height + 0.7), layout="constrained")
        grid = canvas.subplots(len(heights), columns, squeeze=False, height_ratios=heights)
        draw_panels(panels, grid, columns, looks, phases)
        canvas.suptitle(f"{wrapped(figure.title, width)}\n{wrapped(figure.source, width)}", fontsize=10)
        if entries:
            canvas.legend(handles=entries, loc="outside lower center", ncols=legend_columns, frameon=False)
        return canvas


def save(figure, folder):
    """Writes the figure as NAME.svg. The data of the figure are in the metadata of the file."""
    path = folder / f"{figure.name}.svg"
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STYLE):
        drawn(figure).savefig(path, format="svg", metadata={"Date": None, "Title": figure.title, "Description": json.dumps(figure.record())})
    return path
