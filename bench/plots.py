#!/usr/bin/env python3
"""Plots the tables of `voxcc bench` and bench_algorithms as SVG files; docs/bench.md describes the columns.

    .venv-bench/bin/python bench/plots.py RESULTS.csv [MORE.csv...] --out FOLDER
    .venv-bench/bin/python bench/plots.py --paper allegretti [--item fig17] RESULTS.csv [MORE.csv...] --out FOLDER

average, steps, memory: bars; density, granularity, model: curves; properties: both. Writes one file per test, machine, device,
connectivity, and further parameters that would not fit into one figure. With --paper, draws the results as the tables and figures of a paper,
with the numbers of the paper beside them where its text has numbers.
"""

import argparse
import collections
import sys

import matplotlib.pyplot as plt
import measurements
from drawing import Pictures, bars, bars_beside, curves
from measurements import groups, parameter, shape, voxels_of, way
from papers import figures
from papers.command import PAPERS, items_of, paper_of
from papers.facts import read_facts
from papers.tables import usable
from stacks import average_stacks, first, step_stacks, unique


def named(row):
    """The row; if sums were computed, the name of the algorithm includes the way. The test "properties" has pictures of the ways."""
    if way(row) is None or row["test"] in ("properties", "model"):
        return row
    return {**row, "algorithm": f"{row['algorithm']}, {way(row)}"}


def read(paths):
    """All rows. If they are from several machines, the device names include the machine names."""
    rows = [named(row) for row in measurements.read(paths)]
    if len({row["machine"] for row in rows}) > 1:
        rows = [{**row, "device": f"{row['machine']}, {row['device']}"} for row in rows]
    return rows


def title(rows, text):
    return f"{text}\n{rows[0]['machine']}, {rows[0]['device']}, {rows[0]['date'][:10]}"


def average(rows, pictures):
    for (device, connectivity, volume, extent), some in groups(rows, "device", "connectivity", "volume", shape):
        names = unique(row["algorithm"] for row in some if row["algorithm"] != "ceiling")
        figure, axes = plt.subplots(figsize=(10, 4))
        bars(axes, names, average_stacks(some, names), "ms")
        ceiling = first(some, algorithm="ceiling", statistic="median")
        axes.axhline(ceiling, color="black", linewidth=0.8, label="ceiling: one pass")
        axes.legend(fontsize="small")
        axes.set_title(title(some, f"{volume} {extent}, connectivity {connectivity}, median"))
        pictures.save(figure, "average", device, connectivity, volume, extent)


def steps(rows, pictures):
    for (device, connectivity, volume, extent), some in groups(rows, "device", "connectivity", "volume", shape):
        timed = [row for row in some if row["algorithm"] != "ceiling" and row["statistic"] == "median"]
        names = unique(row["algorithm"] for row in timed)
        figure, axes = plt.subplots(figsize=(10, 4))
        bars(axes, names, step_stacks(timed, names), "ms")
        axes.set_title(title(some, f"{volume} {extent}, connectivity {connectivity}, median of each phase"))
        pictures.save(figure, "steps", device, connectivity, volume, extent)


def grid(rows, pictures):
    medians = [row for row in rows if row["statistic"] == "median"]
    grain_of = lambda row: parameter(row, "granularity")  # noqa: E731
    for (test, device, connectivity, grain, extent), some in groups(medians, "test", "device", "connectivity", grain_of, shape):
        lines = collections.defaultdict(list)  # a point is the mean of the images of a density
        for (algorithm, density), images in groups(some, "algorithm", lambda row: parameter(row, "density")):
            lines[algorithm].append((float(density), sum(row["value"] for row in images) / len(images)))
        figure, axes = plt.subplots(figsize=(8, 5))
        curves(axes, lines, "foreground, %", "ms")
        axes.set_title(title(some, f"granularity {grain}, connectivity {connectivity}, {extent}"))
        pictures.save(figure, test, device, connectivity, f"g{grain}", extent)


def memory(rows, pictures):
    for (device, connectivity, volume, extent, unit), some in groups(rows, "device", "connectivity", "volume", shape, "unit"):
        whole = [row for row in some if row["phase"] == "labelling"]
        names = unique(row["algorithm"] for row in whole)
        kinds = unique(row["statistic"] for row in whole)
        figure, axes = plt.subplots(figsize=(10, 4))
        bars_beside(axes, names, {kind: [first(whole, algorithm=n, statistic=kind) for n in names] for kind in kinds}, unit)
        axes.set_yscale("log")  # iterative algorithms make a hundred times as many accesses
        axes.set_title(title(some, f"{volume} {extent}, connectivity {connectivity}, counted"))
        pictures.save(figure, "memory", device, connectivity, volume, extent, "bytes" if unit.startswith("B") else "accesses")


def properties(rows, pictures):
    """Figures 7 and 8 of Asad et al. (x is the parameter of a family), and table III as bars."""
    varied = {"leveling": "level", "scaling": "factor", "subdivision": "subdivisions", "random-instancing": "probability",
              "random-merging": "probability", "spiral": "factor"}
    medians = [row for row in rows if row["statistic"] == "median" and row["phase"] == "labelling"]
    for (device, connectivity, family, extent), some in groups(medians, "device", "connectivity", "volume", shape):
        lines = collections.defaultdict(list)
        for row in some:
            lines[f"{row['algorithm']} {way(row)}"].append((float(parameter(row, varied[family])), row["value"]))
        figure, axes = plt.subplots(figsize=(9, 6))
        curves(axes, lines, varied[family], "ms")
        axes.set_title(title(some, f"{family} {extent}, connectivity {connectivity}"))
        pictures.save(figure, "properties", device, connectivity, family, extent)
    means = [row for row in rows if row["statistic"] == "mean"]
    for (device, connectivity, extent), some in groups(means, "device", "connectivity", shape):
        families = unique(row["volume"] for row in some)
        kinds = {f"{name} {how}": [first(of, volume=family) for family in families] for (name, how), of in groups(some, "algorithm", way)}
        figure, axes = plt.subplots(figsize=(12, 5))
        bars_beside(axes, families, kinds, "ms, mean of the family")
        axes.set_title(title(some, f"{extent}, connectivity {connectivity}"))
        pictures.save(figure, "properties", device, connectivity, "families", extent)


def model(rows, pictures):
    """Equation 18 and figure 10 of Asad et al.: measured values and fitted curves."""
    both = [{**row, "of": of} for row in rows for of in ("mean", "deviation") if row["statistic"].endswith(of)]
    for (device, connectivity, of), some in groups(both, "device", "connectivity", "of"):
        figure, axes = plt.subplots(figsize=(8, 6))
        for (algorithm, how), curve in groups(some, "algorithm", way):
            points = sorted((voxels_of(row), row["value"]) for row in curve if row["statistic"] == of)
            (dots,) = axes.plot(*zip(*points), ".")
            a, b, c = (first(curve, statistic=f"{letter} of {of}") for letter in "abc")
            if b:
                xs = [points[0][0] * (points[-1][0] / points[0][0]) ** (i / 100) for i in range(101)]
                axes.plot(xs, [a + b * x**c for x in xs], color=dots.get_color(), label=f"{algorithm} {how}: c = {c:.3f}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("voxels")
        axes.set_ylabel(f"ms, {of} of all families")
        axes.legend(fontsize="x-small", ncols=2)
        axes.set_title(title(some, f"f(x) = a + b x^c, connectivity {connectivity}"))
        pictures.save(figure, "model", device, connectivity, of)


def draw_tests(rows, pictures):
    """One figure per test, machine, device and so on. Rows of the means over data sets, which have no shape, are not drawn."""
    of_data_sets = ("average", "steps", "density", "granularity")
    rows = [row for row in rows if shape(row) or row["test"] not in of_data_sets]
    drawn = {"average": average, "steps": steps, "density": grid, "granularity": grid, "memory": memory, "properties": properties,
             "model": model}
    unknown = {row["test"] for row in rows} - drawn.keys()
    if unknown:
        sys.exit(f"plots.py: error: tests that are not known: {', '.join(sorted(unknown))}")
    for (test,), some in groups(rows, "test"):
        drawn[test](some, pictures)


def draw_paper(name, item, rows, pictures):
    """The tables and figures of a paper."""
    paper = paper_of(name)
    items = items_of(paper, item)
    facts, runs = read_facts(name), usable(rows)
    if not sum([figures.draw(paper, one, facts, runs, pictures) for one in items]):
        sys.exit("error: the tables have no measurements for this; measure with:\n" + "\n".join(f"  {paper.command(one)}" for one in items))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", metavar="CSV")
    parser.add_argument("--paper", metavar="NAME", help=f"draw as the tables and figures of this paper: {', '.join(PAPERS)}")
    parser.add_argument("--item", metavar="ITEM", help="one table or figure of the paper only, for example fig17")
    parser.add_argument("--out", default="figures", metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.item and not arguments.paper:
        sys.exit("error: --item: needs --paper")
    pictures = Pictures(arguments.out)
    if arguments.paper:
        draw_paper(arguments.paper, arguments.item, measurements.read(arguments.tables), pictures)
    else:
        draw_tests(read(arguments.tables), pictures)


if __name__ == "__main__":
    main()
