"""Draws one panel into axes of matplotlib. Needs matplotlib."""

import math

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from plotting.looks import BLACK, LIMIT, LIMIT_LOOK, MARKS, PALE, ordered

MARGIN = 1.4  # factor between the least and the greatest value and the ends of a logarithmic axis
TICKS = ((0.8, (1, 1.5, 2, 3, 5, 7)), (2.5, (1, 2, 5)), (math.inf, (1,)))  # multiples of powers of 10, for axes below so many decades
NOTE_PLACE = 1.02  # of notes beside the rows, in widths of the axes
GRID = {"color": "#EEEEEE", "linewidth": 0.6}


def marker_of(mark, look):
    """The symbol of a value of a dot plot."""
    return MARKS.get(mark, "o") or look.marker


def plain(value, _position=None):
    """A number of an axis without an exponent, where it is short: 0.05, 1, 2000, 10^6."""
    if value <= 0:
        return f"{value:g}"
    power = math.log10(value)
    return f"$10^{{{power:.0f}}}$" if power > 4 and power == int(power) else f"{value:.10f}".rstrip("0").rstrip(".")


def logarithmic(axis, low, high):
    """Sets the range and the ticks of a logarithmic axis."""
    low, high = low / MARGIN, high * MARGIN
    span = math.log10(high / low)
    subs = next(subs for decades, subs in TICKS if span < decades)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1, max(1, round(span / 5)))
    ticks = [10.0**decade * sub for decade in decades for sub in subs]
    axis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_locator(NullLocator())
    axis.axes.set(**{f"{axis.axis_name}lim": (low, high)})


def rows_of(axes, panel, names):
    """Gives each series a row with a name, the first at the top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def dots(axes, panel, looks, span):
    axes.set_xscale("log")
    for row, (name, values) in enumerate(panel.series.items()):
        drawn = {mark: value for mark, value in values.items() if value > 0}  # a logarithmic axis has no zero
        look = looks[panel.shows or name]
        axes.axhline(row, color=PALE, linewidth=0.6, zorder=0)
        ends = [value for mark, value in drawn.items() if mark != LIMIT]
        if len(ends) > 1:
            axes.plot([min(ends), max(ends)], [row, row], color=look.colour, linewidth=1, label="_range")
        for mark, value in drawn.items():
            axes.plot(value, row, linestyle="none", marker=marker_of(mark, look), markersize=7, label=f"{name}: {mark}",
                      color=BLACK if mark == LIMIT else look.colour, fillstyle=look.fill)
        if name in panel.notes:
            axes.annotate(panel.notes[name], (NOTE_PLACE, row), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    logarithmic(axes.xaxis, *span)
    axes.grid(axis="x", **GRID)
    limit_line(axes.axvline, panel)


def stacks(axes, panel, looks, span):
    for row, (name, phases) in enumerate(panel.series.items()):
        left = 0.0
        for phase in ordered(phases):
            colour, hatch = looks[phase]
            axes.barh(row, phases[phase], left=left, height=0.7, color=colour, hatch=hatch, edgecolor=BLACK, linewidth=0.3, label=phase)
            left += phases[phase]
        if name in panel.notes:
            axes.annotate(panel.notes[name], (NOTE_PLACE, row), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    axes.set_xlim(0, span[1] * 1.02)
    limit_line(axes.axvline, panel)


def curves(axes, panel, looks, span):
    axes.set_xscale("log" if "x" in panel.scales else "linear")
    axes.set_yscale("log" if "y" in panel.scales else "linear")
    for name, points in panel.series.items():
        look, fit = looks[name], panel.fits.get(name)
        axes.plot(*zip(*points), color=look.colour, marker=look.marker, fillstyle=look.fill, markersize=5, linewidth=1.2, label=name,
                  linestyle="none" if fit else look.line)
        if fit:
            axes.plot(*zip(*fit), color=look.colour, linewidth=1, linestyle=look.line, label="_fit")
    if "y" in panel.scales:
        logarithmic(axes.yaxis, *span)
    else:
        axes.set_ylim(0, span[1] * 1.05)
    if "x" in panel.scales:
        xs = [x for points in panel.series.values() for x, _ in points]
        logarithmic(axes.xaxis, min(xs), max(xs))
    axes.grid(**GRID)
    limit_line(axes.axhline, panel)


def areas(axes, panel, looks, span):
    phases = ordered(panel.series)
    xs = [x for x, _ in panel.series[phases[0]]]
    drawn = axes.stackplot(xs, [[y for _, y in panel.series[phase]] for phase in phases], labels=phases,
                           colors=[looks[phase][0] for phase in phases])
    for area, phase in zip(drawn, phases):
        area.set(hatch=looks[phase][1], edgecolor=BLACK, linewidth=0.3)
    if len(xs) > 1:
        axes.set_xlim(xs[0], xs[-1])
    axes.set_ylim(0, span[1] * 1.05)


def limit_line(line, panel):
    if panel.limit:
        line(panel.limit, color=LIMIT_LOOK.colour, linestyle=LIMIT_LOOK.line, linewidth=1.2, label=LIMIT)


KINDS = {"dots": dots, "stacks": stacks, "curves": curves, "areas": areas}
