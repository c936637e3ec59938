"""The figures of the tests of `voxcc bench`; docs/develop/bench.md describes the tests and the columns of their tables."""

import math
import re
from statistics import mean

from measurements import PASSES, groups, parameter, shape, voxels_of
from plotting.figure import Figure, Panel
from plotting.looks import LIMIT, step
from plotting.rows import (LIMIT_ROW, added, by_density, by_time, is_central, limits, newest, number, of_data_sets, panels_and_rows,
                           phase_times, place_of, series_of, short, sources, timed_phases, unique, values)

TIMES = ("labelling", "with allocation", "with allocation and transfers")
RATIO_IN_PERCENT = 20  # bars of a panel that differ by more than this factor are shown as shares of their totals
VARIED = {"leveling": "level", "scaling": "factor", "subdivision": "subdivisions", "random-instancing": "probability",
          "random-merging": "probability", "spiral": "factor"}


def name_of(*parts):
    return "-".join(re.sub(r"[^A-Za-z0-9.]+", "_", str(part)).strip("_") for part in parts)


def neighbours(connectivity):
    return f"{connectivity} neighbours"


def common_order(times):
    """{line: mean of the logarithms of its times} of {(panel, line): time}, to order the lines of all panels in the same way.

    The times of a panel are divided by its least time, since a line need not be in all panels.
    """
    least = {}
    for (panel, _), value in times.items():
        least[panel] = min(value, least.get(panel, value))
    found = {}
    for (panel, line), value in times.items():
        found.setdefault(line, []).append(math.log(value / least[panel]) if least[panel] > 0 else 0.0)
    return {line: mean(logs) for line, logs in found.items()}


def speed_order(rows):
    some = [row for row in rows if row["algorithm"] != LIMIT_ROW]
    return common_order(values(some, lambda row: (place_of(row), series_of(row))))


def marks_of(cells, title, name, marks):
    """{mark: value} of a row, without the marks that have no value. cells: {(panel, row, mark): value}"""
    return {mark: cells[title, name, mark] for mark in marks if (title, name, mark) in cells}


def dot_panels(rows, mark_of, weight, xlabel):
    """Panels of dots. mark_of: function of a row; weight: order of the rows."""
    title_of, line_of = panels_and_rows(rows)
    per_volume = title_of is place_of
    cells = values(rows, lambda row: (title_of(row), line_of(row), mark_of(row)))
    shown = [row for row in rows if row["algorithm"] != LIMIT_ROW]
    names = by_time(dict.fromkeys(map(line_of, shown)), weight if per_volume else {})
    limit = limits(rows)
    panels = []
    for title in unique(map(title_of, shown)):
        series = {name: marks_of(cells, title, name, unique(map(mark_of, shown))) for name in names}
        if not per_volume:
            series = {name: marks | ({LIMIT: limit[name]} if name in limit else {}) for name, marks in series.items()}
        panels.append(Panel("dots", title, series, xlabel, shows="" if per_volume else title, limit=limit.get(title)))
    return panels


def average(rows):
    dense, others = by_density(rows)
    yield from grid(dense)
    for (device, connectivity), some in groups(others, "device", "connectivity"):
        timed = [row for row in of_data_sets(some) if is_central(row) and row["phase"] in TIMES and row["unit"] == "ms"]
        weight = speed_order([row for row in timed if row["phase"] == "labelling"])
        title = f"Time of labelling, {neighbours(connectivity)}: algorithms further left are faster"
        yield Figure(name_of("average", device, connectivity), title, sources(timed),
                     dot_panels(timed, lambda row: row["phase"], weight, "ms, median"))


def steps(rows):
    dense, others = by_density(rows)
    yield from steps_over_density(dense)
    for (device, connectivity), some in groups(others, "device", "connectivity"):
        times = phase_times(of_data_sets(some))
        yield Figure(name_of("steps", device, connectivity),
                     f"Time per phase, {neighbours(connectivity)}, without transfers: which phases take the time", sources(times),
                     stack_panels(times))
    for (device, connectivity), some in groups(rows, "device", "connectivity"):
        transfers = timed_phases(of_data_sets(some))
        if any(step(row["phase"]) == "transfer" and row["value"] > 0 for row in transfers):
            yield transfer_figure(device, connectivity, transfers)
        repeated = [row for row in some if row["statistic"] == "calls" and row["phase"] in PASSES]
        if any(row["value"] > 1 for row in repeated):
            yield pass_figure(device, connectivity, repeated)


def steps_over_density(rows):
    for (device, connectivity, extent), some in groups(phase_times(rows), "device", "connectivity", shape):
        panels = []
        for (series, grain), of_panel in groups(some, series_of, lambda row: parameter(row, "granularity")):
            layers = {}
            for (part, x), value in added(of_panel, lambda row: (step(row["phase"]), float(parameter(row, "density")))).items():
                layers.setdefault(part, {})[x] = value
            xs = sorted({x for layer in layers.values() for x in layer})
            areas = {part: [[x, layer.get(x, 0.0)] for x in xs] for part, layer in layers.items()}
            panels.append(Panel("areas", f"{series}, granularity {grain}", areas, "foreground, %", "ms, median per phase"))
        yield Figure(name_of("steps", device, connectivity, extent, "density"),
                     f"Time per phase by foreground, random {short(extent)}, {neighbours(connectivity)}: which phases take the time", sources(some),
                     panels)


def stack_panels(times):
    title_of, line_of = panels_and_rows(times)
    order = common_order(added(times, lambda row: (title_of(row), line_of(row)))) if title_of is place_of else {}
    panels = []
    for (title,), some in groups(times, title_of):
        series = {}
        for (name, phase), value in values(some, lambda row: (line_of(row), row["phase"])).items():
            phases = series.setdefault(name, {})
            phases[step(phase)] = phases.get(step(phase), 0.0) + value
        panels.append(stack_panel(title, by_time(series, order)))
    return panels


def stack_panel(title, series):
    """Bars in ms, or in percent with the totals beside them if the totals differ much."""
    totals = {name: sum(phases.values()) for name, phases in series.items()}
    if max(totals.values()) <= RATIO_IN_PERCENT * min(totals.values()):
        return Panel("stacks", title, series, "ms, median per phase")
    shares = {name: {phase: 100 * value / (totals[name] or 1.0) for phase, value in phases.items()} for name, phases in series.items()}
    return Panel("stacks", title, shares, "% of the time", notes={name: f"{number(total)} ms" for name, total in totals.items()})


def transfer_figure(device, connectivity, rows):
    def mark_of(row):
        return "transfers" if step(row["phase"]) == "transfer" else "phases without transfers"

    title_of, line_of = panels_and_rows(rows)
    order = {}
    if title_of is place_of:
        order = common_order(added([row for row in rows if mark_of(row) != "transfers"], lambda row: (title_of(row), line_of(row))))
    cells = added(rows, lambda row: (title_of(row), line_of(row), mark_of(row)))
    panels = []
    for title in unique(key[0] for key in cells):
        names = by_time(dict.fromkeys(key[1] for key in cells if key[0] == title), order)
        series = {name: marks_of(cells, title, name, ["phases without transfers", "transfers"]) for name in names}
        panels.append(Panel("dots", title, series, "ms, sum of the medians", shows="" if title_of is place_of else title))
    return Figure(name_of("transfers", device, connectivity),
                  f"Copies to and from the device, {neighbours(connectivity)}: how long they take beside the phases", sources(rows), panels)


def pass_figure(device, connectivity, rows):
    dense, others = by_density(rows)
    panels = [Panel("curves", f"{short(extent)}, granularity {grain}", lines_over(some, "density"), "foreground, %", "passes", scales="y")
              for (extent, grain), some in groups(dense, shape, lambda row: parameter(row, "granularity"))]
    panels += dot_panels(others, lambda row: "passes", common_order(values(others, lambda row: (place_of(row), series_of(row)))), "passes, median")
    return Figure(name_of("passes", device, connectivity), f"Passes until nothing changes, {neighbours(connectivity)}: fewer are better",
                  sources(rows), panels)


def grid(rows):
    """The tests density and granularity: a panel per granularity."""
    medians = [row for row in rows if is_central(row) and shape(row) and row["phase"] == "labelling"]
    for (test, device, connectivity, extent), some in groups(medians, "test", "device", "connectivity", shape):
        panels = []
        for (grain,), of_grain in groups(some, lambda row: parameter(row, "granularity")):
            panels.append(Panel("curves", f"granularity {grain}", lines_over(of_grain, "density"), "foreground, %", "ms, median", scales="y"))
        yield Figure(name_of(test, device, connectivity, extent),
                     f"Time by foreground, random {short(extent)}, {neighbours(connectivity)}: lower curves are faster", sources(some), panels)


def lines_over(rows, name):
    """{series: points} over a parameter; a point is the mean over the images of one name. The streaming limit is the last series."""
    found = {}
    for (series, x), value in values(rows, lambda row: (series_of(row), float(parameter(row, name)))).items():
        found.setdefault(series, []).append([x, value])
    return {series: sorted(found[series]) for series in sorted(found, key=lambda series: series == LIMIT)}


def memory(rows):
    for (device, connectivity), some in groups(rows, "device", "connectivity"):
        counted = [row for row in some if row["phase"] == "labelling" and row["statistic"] in (
            "reads", "writes", "atomics", "bytes read", "bytes written")]
        panels = []
        for (unit,), of_unit in groups(counted, "unit"):
            panels += dot_panels(of_unit, lambda row: row["statistic"], {}, "bytes per voxel" if unit.startswith("B") else "accesses per voxel")
        yield Figure(name_of("memory", device, connectivity),
                     f"Accesses to memory, counted, {neighbours(connectivity)}: fewer are better (zero is not drawn)", sources(counted), panels)


def properties(rows):
    """Figures 7 and 8 of Asad et al. (x is the parameter of a family), and table III."""
    medians = [row for row in rows if row["statistic"] == "median" and row["phase"] == "labelling"]
    for (device, connectivity, extent), some in groups(medians, "device", "connectivity", shape):
        panels = [Panel("curves", family, lines_over(of_family, VARIED[family]), VARIED[family], "ms, median", scales="y")
                  for (family,), of_family in groups(some, "volume")]
        yield Figure(name_of("properties", device, connectivity, extent),
                     f"Labelling and sums by family of images, {short(extent)}, {neighbours(connectivity)}: lower curves are faster",
                     sources(some), panels)
    means = [row for row in rows if row["statistic"] == "mean"]
    for (device, connectivity, extent), some in groups(means, "device", "connectivity", shape):
        weight = speed_order(some)
        yield Figure(name_of("properties", device, connectivity, "families", extent),
                     f"Labelling and sums, {neighbours(connectivity)}, mean per family of images: further left is faster", sources(some),
                     dot_panels(some, lambda row: "mean of the family", weight, "ms, mean"))


def model(rows):
    """Equation 18 and figure 10 of Asad et al.: measured values and fitted curves."""
    for (device, connectivity), some in groups(rows, "device", "connectivity"):
        panels = [model_panel(some, of) for of in ("mean", "deviation") if any(row["statistic"] == of for row in some)]
        yield Figure(name_of("model", device, connectivity),
                     f"Time by size, {neighbours(connectivity)}, fitted by a + b x^c: with c = 1, the time grows as the size does",
                     sources(some), panels)


def model_panel(rows, of):
    lines, fits, exponents = {}, {}, {}
    for (series,), some in groups(rows, series_of):
        points = sorted([voxels_of(row), row["value"]] for row in some if row["statistic"] == of)
        a, b, c = ([row["value"] for row in some if row["statistic"] == f"{letter} of {of}"] for letter in "abc")
        lines[series] = points
        if c:
            exponents[series] = f"c = {c[0]:.3f}"
            fits[series] = [[x, a[0] + b[0] * x ** c[0]] for x in between(points[0][0], points[-1][0], 40)]
    return Panel("curves", f"{of} over all families", lines, "voxels", f"ms, {of}", scales="xy", fits=fits,
                 notes=exponents if of == "mean" else {})


def between(low, high, count):
    """Numbers from low to high with equal ratios."""
    return [low * (high / low) ** (i / count) for i in range(count + 1)]


TESTS = {"average": average, "steps": steps, "density": grid, "granularity": grid, "memory": memory, "properties": properties, "model": model}


def figures(rows):
    """The figures of all rows. The device names include the machine names if the rows are from several machines."""
    if len({row["machine"] for row in rows}) > 1:
        rows = [{**row, "device": f"{row['machine']}, {row['device']}"} for row in rows]
    for (test,), some in groups(newest(rows), "test"):
        yield from (figure for figure in TESTS[test](some) if figure.panels)
