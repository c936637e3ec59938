"""Asad, Marroquim, Souza 2019: tables I to IX and figures 5 to 10."""

import math
import re
from statistics import mean, pstdev, quantiles

from measurements import groups, parameter, shape, voxels_of, way, without_passes
from papers.items import Item, Paper
from papers.tables import Grid, Table, is_time, measured, merged, number_in, on_gpu, pick, plain, stated, totals

NAMES = {"le-hybrid": "LE", "tm": "TM"}
WAYS = {"none": "ordinary", "ordinary": "ordinary", "early": "early", "late-per-voxel": "late", "late": "voxcc's late"}
LARGE = "8192x8192x1"
VARIED = {"leveling": "level", "scaling": "factor", "subdivision": "subdivisions", "random-instancing": "probability",
          "random-merging": "probability", "spiral": "factor"}
SEARCHES = {"le-hybrid-f8": "F8", "le-hybrid": "F4", "le-hybrid-p4": "P4"}
PAPERS_WAYS = tuple(f"{way} {name}" for way in ("ordinary", "early", "late") for name in ("LE", "TM"))
FLAGS = {"le-hybrid": "shared flag", "le-hybrid-global": "global flag"}
CURVES = tuple(f"{flag}, level {level}" for flag in ("shared flag", "global flag") for level in (3, 5))
SUMS = {"size": lambda w: w * w, "x": lambda w: w * w * (w - 1) / 2, "x^2": lambda w: w * (w**3 / 3 + w**2 / 2 + w / 6),
        "x y": lambda w: w * w * (w - 1) ** 2 / 4}


def name(row):
    """ordinary LE, early TM and so on, of a fact or a measurement; None for other algorithms. Our way late is not the paper's."""
    if not isinstance(row, dict):
        return row.algorithm
    return f"{WAYS[way(row)]} {NAMES[row['algorithm']]}" if row["algorithm"] in NAMES and way(row) in WAYS else None


def of_file(run):
    """As name, for files: without properties, the parameters do not say so."""
    return name({**run, "parameters": f"{run['parameters']} properties=ordinary"} if way(run) is None else run)


def edge(run):
    return f"{shape(run).split('x')[0]}^2"


def families(runs, size=LARGE):
    """The measurements on the families of patterns, 8 neighbours."""
    return [run for run in pick(on_gpu(runs), test="properties", connectivity="8") if shape(run) == size]


def members(runs, family, level, subdivisions=None):
    """The measurements on the members of a family with this level and, unless None, this number of subdivisions.

    The volume of a member has the name of the family, or the name with its numbers: subdivision-1-3.
    """
    wanted = {"level": level, "subdivisions": subdivisions}
    return [run for run in runs if re.fullmatch(rf"{family}(-\d+)*", run["volume"])
            if all(number is None or number_in(run, key) == str(number) for key, number in wanted.items())]


def table1(facts, runs):
    rows = {"memory of the labels": "labels", "memory of the properties": "properties, early"}
    said = stated([f for f in facts if f.quantity in rows], lambda f: rows[f.quantity], lambda f: f.volume, item="table1")
    own = pick(on_gpu(runs), test="properties", statistic="own memory", algorithm="le-hybrid", connectivity="8", phase="labelling")
    own = [run for run in own if way(run) == "early"]
    per_pixel = measured(own, lambda run: "properties, early", edge, lambda run: run["value"] / voxels_of(run))
    said_per_pixel = stated([f for f in facts if f.quantity.endswith("per pixel, early")], lambda f: "properties, early", lambda f: "any size")
    return [Table("per pixel", "memory of the properties per pixel", "B", said_per_pixel, **per_pixel),
            Table("memory", "memory of LE by size of the image", "MB", said,
                  **measured(own, lambda run: "properties, early", edge, lambda run: run["value"] / 2**20))]


def table3(facts, runs):
    def table(key, title, unit, statistic, quantity):
        paper = stated(facts, lambda f: f.volume, name, item="table3", quantity=quantity)
        some = [run for run in pick(families(runs), statistic=statistic) if name(run)]
        return Table(key, title, unit, paper, **measured(some, lambda run: run["volume"], name), drawn_as="transposed")

    return [table("mean", "mean time per family, 8192^2", "ms", "mean", "mean time"),
            table("deviation", "standard deviation per family, relative to the mean", "%", "relative deviation", "relative deviation")]


def table4(facts, runs):
    some = [run for run in families(runs, "16384x16384x1") if run["volume"] == "all"]
    return [Table("mean", "mean time of all families, 16384^2", "ms",
                  stated(facts, lambda f: f.volume, name, item="table4", quantity="mean time"),
                  **measured(pick(some, statistic="mean"), edge, name), drawn_as="transposed"),
            Table("deviation", "standard deviation, relative to the mean", "%",
                  stated(facts, lambda f: f.volume, name, item="table4", quantity="relative deviation"),
                  **measured(pick(some, statistic="relative deviation"), edge, name), drawn_as="transposed")]


def table6(facts, runs):
    def said(fact):
        return f"{fact.volume}: {'mean' if fact.quantity == 'mean time' else 'deviation'}"

    paper = stated([f for f in facts if f.quantity in ("mean time", "deviation")], name, said, item="table6")
    some = [run for run in pick(on_gpu(runs), test=("properties", "model"), statistic=("mean", "deviation"), volume="all", connectivity="8")
            if shape(run) == LARGE]
    newest = {(name(run), run["statistic"]): run for run in some}  # both tests have the same mean
    patterns = measured(newest.values(), name, lambda run: f"patterns: {run['statistic']}")
    files = [run for run in totals(on_gpu(runs), "average") if "/" in run["volume"] and (parameter(run, "experiment") or "").startswith("asad")]
    cells = {}
    for (which,), times in groups([run for run in files if of_file(run)], of_file):
        values = [run["value"] for run in times]
        cells |= {(which, "data sets: mean"): mean(values), (which, "data sets: deviation"): pstdev(values)}
    return [Table("times", "mean and standard deviation of the times, 8192^2", "ms", paper, merged(Grid(cells), patterns["ours"]),
                  files + patterns["runs"])]


def model(item, of):
    """Table VII or VIII. The paper's a and b are in microseconds, ours are recorded in milliseconds."""
    quantities = ("a", "b", "c", "max error")

    def tables(facts, runs):
        paper = stated([f for f in facts if f.quantity in quantities], name, lambda f: f.quantity, item=item)
        wanted = {f"{quantity} of {of}": quantity for quantity in quantities}
        some = pick(on_gpu(runs), test="model", statistic=wanted, connectivity="8")
        return [Table("parameters", "parameters, a and b in microseconds", "", paper,
                      **measured(some, name, lambda run: wanted[run["statistic"]],
                                 lambda run: run["value"] * (1000 if run["statistic"][0] in "ab" else 1)))]

    return tables


def table9(facts, runs):
    edges = (1024, 4096, 16384, 65536)
    said = {(f"sum of {key}", f"{w}^2"): math.ceil(math.log2(largest(w))) for key, largest in SUMS.items() for w in edges}
    return [Table("bits", "bits per sum, computed from the expressions of the paper; voxcc has 64 bits for every sum", "bits", Grid(said),
                  Grid({place: 64.0 for place in said}))]


def by_parameter(family, some, row, wanted, title=None, figure=""):
    """A table of curves over the parameter of a family. Its title has the size of the images, unless they are as large as the paper's."""
    sizes = sorted({edge(run) for run in some} - {edge({"parameters": f"shape={LARGE}"})})
    words = [title or family, *sizes, f"columns: {VARIED[family]}"]
    return Table(family, ", ".join(words), "ms", drawn_as="curves", xlabel=VARIED[family], figure=figure,
                 **measured(some, row, lambda run: number_in(run, VARIED[family])), wanted_rows=wanted)


def scans(runs, phase, algorithms):
    """The times of a scan of ordinary labelling, of images of 8192^2, or else of the largest images that were measured."""
    some = [run for run in pick(plain(on_gpu(runs)), test=("properties", "steps"), connectivity="8", phase=phase, algorithm=algorithms)
            if is_time(run) and shape(run)]
    size = LARGE if any(shape(run) == LARGE for run in some) else max(map(voxels_of, some), default=0)
    return [run for run in some if size in (shape(run), voxels_of(run))]


def fig5(facts, runs):
    some = scans(runs, "merge/first scan", SEARCHES)
    generated = ("random-10-g1", "random-50-g1", "random-90-g1", "blobs-50")
    times = pick(totals(plain(on_gpu(runs)), "average"), connectivity="8", volume=generated, algorithm=SEARCHES)

    def search(run):
        return SEARCHES[run["algorithm"]]

    return [by_parameter("subdivision", members(some, "subdivision", 1), search, tuple(SEARCHES.values()), "subdivision(1)"),
            by_parameter("random-instancing", members(some, "random-instancing", 1, 9), search, tuple(SEARCHES.values()), "random-instancing(1, 9)"),
            Table("generated images", "complete labellings of generated images, 8192^2", "ms",
                  **measured([run for run in times if shape(run) == LARGE], search, lambda run: run["volume"]),
                  command=f"voxcc bench --device cuda --tests average --connectivity 8 --algorithms {','.join(SEARCHES)} --csv searches.csv")]


def fig6(facts, runs):
    some = scans(runs, "merge/scan", FLAGS)

    def flag(run):
        return f"{FLAGS[run['algorithm']]}, level {number_in(run, 'level')}"

    def both_levels(family, subdivisions=None):
        return [run for level in (3, 5) for run in members(some, family, level, subdivisions)]

    return [by_parameter("subdivision", both_levels("subdivision"), flag, CURVES),
            by_parameter("random-instancing", both_levels("random-instancing", 5), flag, CURVES),
            by_parameter("leveling", members(some, "leveling", None), lambda run: FLAGS[run["algorithm"]], ())]


def stacked(figure):
    """Figures 7 and 8: totals over the parameter of a family, and the phases of each algorithm on top of each other."""
    def tables(facts, runs):
        some = [run for run in without_passes(families(runs)) if is_time(run) and name(run)]
        found = []
        for family, (level, subdivisions) in figure.items():
            here = members(some, family, level, subdivisions)
            found.append(by_parameter(family, totals(here, "properties"), name, PAPERS_WAYS, figure=family))
            for (which,), phases in groups([run for run in here if run["phase"] != "labelling"], name):
                found.append(Table(f"{family} {which}", f"{family}: phases of {which}", "ms", shown=False, drawn_as="areas",
                                   xlabel=VARIED[family], figure=family,
                                   **measured(phases, lambda run: run["phase"], lambda run: number_in(run, VARIED[family]))))
        return found

    return tables


FIGURE_7 = {"leveling": (None, None), "subdivision": (3, None), "random-instancing": (3, 5), "random-merging": (3, 5)}
FIGURE_8 = {"spiral": (None, None), "scaling": (2, None)}


def fig9(facts, runs):
    some = [run for run in totals(families(runs), "properties") if name(run)]
    cells = {}
    for (which,), members in groups(some, name):
        times = sorted(run["value"] for run in members)
        tenths = quantiles(times, n=10, method="inclusive") if len(times) > 1 else times * 9
        for label, value in zip(["least", "10 %", "median", "90 %", "greatest"], [times[0], tenths[0], tenths[4], tenths[8], times[-1]]):
            cells[which, label] = value
    return [Table("distribution", "distribution of the times over all patterns, 8192^2", "ms", Grid(), Grid(cells), some, drawn_as="ranges")]


def fig10(facts, runs):
    means = pick(on_gpu(runs), test="model", statistic="mean", volume="all", connectivity="8")
    ours = measured(means, name, edge)
    a, b, c = (stated(facts, name, lambda f: "", item="table7", quantity=quantity) for quantity in "abc")
    sizes = {edge(run): voxels_of(run) for run in means} or {"8192^2": 8192**2}
    said = {(which, size): (a.at(which, "") + b.at(which, "") * voxels ** c.at(which, "")) / 1000
            for which in a.rows for size, voxels in sorted(sizes.items(), key=lambda item: item[1])}
    return [Table("mean", "mean time by size; the paper's numbers are computed from its table VII", "ms", Grid(said), drawn_as="curves",
                  xlabel="size of the image", **ours)]


PAPER = Paper(
    "asad",
    'P. Asad, R. Marroquim, A. L. e L. Souza, "On GPU connected components and properties: a systematic evaluation of connected component '
    'labeling algorithms and their extension for property extraction", 2019',
    (Item("table1", "Table I: memory of labels and properties", table1, measured_by="table3"),
     Item("table3", "Table III: families of patterns", table3),
     Item("table4", "Table IV: images of 16384^2", table4),
     Item("table5", "Table V: the video data sets", lambda facts, runs: [], measurable=False),
     Item("table6", "Table VI: data sets and patterns", table6, "IMAGES..."),
     Item("table7", "Table VII: model of the mean time", model("table7", "mean")),
     Item("table8", "Table VIII: model of the standard deviation", model("table8", "deviation")),
     Item("table9", "Table IX: bits per sum", table9, measurable=False),
     Item("fig5", "Figure 5: searches of the first scan", fig5),
     Item("fig6", "Figure 6: flags of the later scans", fig6),
     Item("fig7", "Figure 7: phases on four families", stacked(FIGURE_7)),
     Item("fig8", "Figure 8: spirals and scaling", stacked(FIGURE_8)),
     Item("fig9", "Figure 9: distribution of the times", fig9),
     Item("fig10", "Figure 10: mean time by size", fig10)))
