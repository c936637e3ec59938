#!/usr/bin/env python3
"""Plots the tables of `voxcc bench` and bench_algorithms as SVG files; docs/bench.md describes the columns.

    .venv-bench/bin/python bench/plots.py RESULTS.csv [MORE.csv...] --out FOLDER

average, steps, memory: bars; density, granularity, model: curves; properties: both. Writes one file per test, machine, device,
connectivity, and further parameters that would not fit into one figure.
"""

import argparse
import collections
import csv
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "voxcc"  # the same table gives the same file
import matplotlib.pyplot as plt  # noqa: E402

from stacks import average_stacks, colour_of, first, step_stacks, unique  # noqa: E402


def parameter(row, name):
    """The value of the entry name=value in the column `parameters`, or None."""
    found = re.search(rf"(?:^| ){name}=(\S+)", row["parameters"])
    return found and found[1]


def shape(row):
    return parameter(row, "shape")


def way(row):
    return parameter(row, "properties")


def read(paths):
    """All rows. If they are from several machines, the device names include the machine names."""
    rows = []
    for path in paths:
        with open(path, newline="") as file:
            rows += [{**row, "value": float(row["value"])} for row in csv.DictReader(file)]
    if len({row["machine"] for row in rows}) > 1:
        rows = [{**row, "device": f"{row['machine']}, {row['device']}"} for row in rows]
    return rows


def groups(rows, *keys):
    """The rows grouped by the values of `keys` (columns, or functions of a row), in the order of their first rows."""
    found = collections.defaultdict(list)
    for row in rows:
        found[tuple(key(row) if callable(key) else row[key] for key in keys)].append(row)
    return found.items()


class Pictures:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def save(self, figure, *parts):
        name = "-".join(re.sub(r"[^A-Za-z0-9.]+", "_", str(part)).strip("_") for part in parts)
        path = self.folder / f"{name}.svg"
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
        plt.close(figure)
        print(path)


def title(rows, text):
    return f"{text}\n{rows[0]['machine']}, {rows[0]['device']}, {rows[0]['date'][:10]}"


def bars(axes, names, stacks, unit):
    """Draws stacked bars. stacks: {part: [height per name]}. A part has the same colour in every figure."""
    bottom = [0.0] * len(names)
    for part, heights in stacks.items():
        if any(heights):
            axes.bar(range(len(names)), heights, bottom=bottom, label=part, color=colour_of(part))
            bottom = [b + h for b, h in zip(bottom, heights)]
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right")
    axes.set_ylabel(unit)
    if len(stacks) > 1:
        axes.legend(fontsize="small")


def bars_beside(axes, names, kinds, unit):
    """Draws bars next to each other. kinds: {kind: [height per name]}."""
    width = 0.8 / len(kinds)
    for i, (kind, heights) in enumerate(kinds.items()):
        axes.bar([x + i * width for x in range(len(names))], heights, width, label=kind, align="edge")
    axes.set_xticks([x + 0.4 for x in range(len(names))], names, rotation=60, ha="right")
    axes.set_ylabel(unit)
    axes.legend(fontsize="x-small", ncols=4)


def curves(axes, lines, xlabel, ylabel):
    """Draws curves. lines: {name: [(x, y)]}"""
    for name, points in lines.items():
        axes.plot(*zip(*sorted(points)), marker=".", label=name)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="x-small", ncols=2)


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


def voxels_of(row):
    """The number of voxels, from the parameter shape=XxYxZ."""
    x, y, z = map(int, shape(row).split("x"))
    return x * y * z


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", metavar="CSV")
    parser.add_argument("--out", default="figures", metavar="FOLDER")
    arguments = parser.parse_args()
    of_data_sets = ("average", "steps", "density", "granularity")  # their rows without a shape are means over a data set
    rows = [row for row in read(arguments.tables) if shape(row) or row["test"] not in of_data_sets]
    pictures = Pictures(arguments.out)
    drawn = {"average": average, "steps": steps, "density": grid, "granularity": grid, "memory": memory, "properties": properties,
             "model": model}
    unknown = {row["test"] for row in rows} - drawn.keys()
    if unknown:
        sys.exit(f"plots.py: error: tests that are not known: {', '.join(sorted(unknown))}")
    for (test,), some in groups(rows, "test"):
        drawn[test](some, pictures)


if __name__ == "__main__":
    main()
