#!/usr/bin/env python3
"""Writes the tables of docs/develop/performance.md from lab/results.

    python3 lab/performance.py

A table stands between the lines `<!-- table NAME -->` and `<!-- end -->`. The script replaces what is between them, and leaves the other text
unchanged. The line below a table states the machine, the date, the command and the file, from MANIFEST.md of the folder of results.
"""

import csv
import re
import sys
import textwrap
from pathlib import Path

import measurements

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "lab" / "results"
PAGE = ROOT / "docs" / "develop" / "performance.md"
WIDTH = 120


def rows_of(name):
    """The rows of a table in lab/results."""
    if measurements.is_table(RESULTS / name):
        return measurements.texts(RESULTS / name)
    with measurements.open_table(RESULTS / name) as file:
        return list(csv.DictReader(file))


def source(*names):
    """The line below a table: machine, date, and the command and the link of each file. All files must be in the same folder."""
    folder, = {name.split("/")[0] for name in names}
    manifest = (RESULTS / folder / "MANIFEST.md").read_text()
    date = re.search(r"^# Results of (\S+)$", manifest, re.MULTILINE)[1]
    machine = re.search(r"^Machine: (.+)\.$", manifest, re.MULTILINE)[1]
    commands = dict(re.findall(r"^\| `([^`]+)` \| (.+) \| .+ \|$", manifest, re.MULTILINE))
    files = [f"{commands[name.split('/')[1]]}; [csv](../../lab/results/{name})" for name in names]
    return textwrap.fill(f"{machine}. {date}. {'. '.join(files)}.", WIDTH, break_long_words=False, break_on_hyphens=False)


def markdown(columns, lines, *names):
    """The lines as a table, with the source of the files below it."""
    rows = [f"| {' | '.join(map(str, line))} |" for line in (columns, *lines)]
    return "\n".join([rows[0], f"|{'---|' * len(columns)}", *rows[1:], "", source(*names)])


def number(value):
    """Three digits, or all digits before the decimal point."""
    value = float(value)
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def times(value, voxcc):
    return f"{number(float(value) / float(voxcc))} x"


class Figures:
    """The values of a table of lab/peers.py by table, case, connectivity and column."""

    def __init__(self, name):
        self.name = name
        self.values = {(row["table"], row["case"], row["connectivity"], row["column"]): float(row["value"]) for row in rows_of(name)}

    def value(self, table, case, connectivity, column):
        return self.values[table, case, str(connectivity), column]

    def times(self, table, case, connectivity, column):
        return times(self.value(table, case, connectivity, column), self.value(table, case, connectivity, "voxcc"))


def other_tools():
    """Labelling and sums with one thread, beside all other tools."""
    name = "2026-11-21-epyc-2-cores/peers.csv.gz"
    tools = ["cc3d", "scipy", "scikit-image", "SimpleITK"]
    found, components = {}, {}
    for row in rows_of(name):
        found[row["volume"], row["connectivity"], row["task"], row["method"]] = row["median_ms"]
        components[row["volume"], row["connectivity"]] = row["components"]
    lines = []
    for volume, connectivity in (("blobs-50", "26"), ("blobs-10", "26"), ("random-10-g1", "26"), ("random-50-g1", "26"),
                                 ("blobs-50", "6")):
        label, sums = ({m: v for (*of, m), v in found.items() if of == [volume, connectivity, task]} for task in ("label", "measure"))
        lines.append([volume, connectivity, components[volume, connectivity], number(label["voxcc"]),
                      *(times(label[tool], label["voxcc"]) if tool in label else "-" for tool in tools),
                      number(sums["voxcc"]), times(sums["cc3d"], sums["voxcc"])])
    return markdown(["volume", "connectivity", "components", "voxcc, ms", *tools, "sums, ms", "cc3d: sums"], lines, name)


def instruction_sets():
    """Labelling with AVX2 and with AVX-512, beside cc3d in the same run."""
    sets = {"AVX2": Figures("2026-11-23-epyc-2-cores/peers-labelling-avx2.csv"),
            "AVX-512": Figures("2026-11-23-epyc-2-cores/peers-labelling-avx512.csv")}
    cases = dict.fromkeys((case, connectivity) for _, case, connectivity, _ in sets["AVX2"].values if connectivity != "18")
    lines = [[*case, *(cell for figures in sets.values()
                       for cell in (number(figures.value("labelling", *case, "voxcc")), figures.times("labelling", *case, "cc3d")))]
             for case in cases]
    columns = ["volume", "connectivity", *(column for name in sets for column in (f"{name}, ms", f"{name}: cc3d"))]
    return markdown(columns, lines, *(figures.name for figures in sets.values()))


def images():
    """Images beside cc3d and OpenCV."""
    figures = Figures("2026-11-22-xeon-16-cores/peers-images.csv")
    tools = ["cc3d", "OpenCV BBDT", "OpenCV SPAGHETTI"]
    lines = [[image, number(figures.value("images", image, 8, "voxcc")), *(figures.times("images", image, 8, tool) for tool in tools)]
             for image in ("image-50-g1", "image-50-g8")]
    return markdown(["image", "voxcc, ms", *tools], lines, figures.name)


def threads():
    """Labelling by threads."""
    figures = Figures("2026-11-23-xeon-16-cores/peers-threads.csv.gz")
    counts = ["1 thread", "2 threads", "4 threads", "8 threads", "16 threads"]
    lines = []
    for volume, connectivity in (("blobs-50", 26), ("blobs-50", 6), ("random-10-g1", 26), ("random-50-g1", 26),
                                 ("voronoi", 26), ("image-50-g1", 8)):
        ms = [figures.value("threads", volume, connectivity, count) for count in counts]
        lines.append([volume, connectivity, *map(number, ms), times(ms[0], ms[1]), times(ms[0], ms[-1])])
    return markdown(["volume", "connectivity", *counts, "gain of 2", "gain of 16"], lines, figures.name)


def files():
    """From file to file."""
    figures = Figures("2026-11-22-epyc-2-cores/peers-files.csv")
    lines = []
    for case in dict.fromkeys(case for _, case, _, _ in figures.values):
        def of(column, case=case):
            return number(figures.value("files", case, 26, column))

        lines.append([case.removeprefix("blobs-50 "), of("voxcc: wall"), of("voxcc, all threads: wall"), of("voxcc: CPU"),
                      f"{of('times fewer CPU seconds')} x", of("voxcc: peak"), of("library + cc3d: peak"), of("voxcc: file"), of("library + cc3d: file")])
    columns = ["file", "wall, s", "2 threads, s", "CPU, s", "other: CPU", "peak, MiB", "cc3d: peak", "labels, MB", "cc3d: labels"]
    return markdown(columns, lines, figures.name)


def memory():
    """The peak of memory over groups of inputs."""
    figures = Figures("2026-11-22-epyc-2-cores/peers-memory.csv.gz")
    groups = {"blobs 512^3, .nii .nii.gz .tif .nrrd": r"blobs-50 \.(nii|nii\.gz|tif|nrrd) \w+, table",
              "blobs 512^3, .h5": r"blobs-50 \.h5 .*",
              **{f"random 256^3, {d} %": rf"random-{d}-g1 .*" for d in (10, 50)}, "Voronoi 512^3 u32, equal values": r"voronoi .*"}
    lines = []
    for name, pattern in groups.items():
        cells = []
        for connectivity in ("26", "18", "6"):
            peaks = [value for (_, case, of, column), value in figures.values.items()
                     if re.fullmatch(pattern, case) and of == connectivity and column == "voxcc: peak"]
            cells.append(" to ".join(dict.fromkeys(f"{peak:.0f}" for peak in (min(peaks), max(peaks)))))
        lines.append([name, *cells])
    return markdown(["input", "26, MiB", "18, MiB", "6, MiB"], lines, figures.name)


def gpu_medians(name):
    """Medians of labelling in ms: {(volume, edge, connectivity): {algorithm: ms}}."""
    found = {}
    for row in rows_of(name):
        if row["phase"] == "labelling" and row["statistic"] == "median" and row["test"] == "average":
            edge = int(re.search(r"shape=(\d+)x", row["parameters"])[1])
            found.setdefault((row["volume"], edge, int(row["connectivity"])), {})[row["algorithm"]] = float(row["value"])
    return found


def beside_the_best(medians):
    """Two cells: the time of block-runs, and the fastest published algorithm with its factor."""
    published = {name: ms for name, ms in medians.items() if name not in ("ceiling", "block-runs")}
    best = min(published, key=published.get)
    return [number(medians["block-runs"]), f"{best} {times(published[best], medians['block-runs'])}"]


def gpu():
    """Volumes on one GPU, beside the fastest published algorithm."""
    name = "2026-11-28-h100-x4/peers.csv.gz"
    medians = gpu_medians(name)
    lines = []
    left_out = ("random-90-g1", "random-50-g8")
    for volume, edge in dict.fromkeys((volume, edge) for volume, edge, _ in medians if volume not in left_out):
        cells = [beside_the_best(medians[volume, edge, c]) if (volume, edge, c) in medians else ["-", "-"] for c in (26, 18, 6)]
        lines.append([f"{volume} {edge}^3", number(medians[volume, edge, 26]["ceiling"]), *sum(cells, [])])
    columns = ["volume", "limit, ms", *(text for c in (26, 18, 6) for text in (f"{c}, ms", "published"))]
    return markdown(columns, lines, name)


TABLES = {"other-tools": other_tools, "instruction-sets": instruction_sets, "images": images, "threads": threads, "files": files,
          "memory": memory, "gpu": gpu}


def filled(page):
    """The text of the page with all tables written again."""
    def block(found):
        if found[1] not in TABLES:
            sys.exit(f"error: {PAGE}: '{found[1]}' is not a table; use {', '.join(TABLES)}")
        return f"<!-- table {found[1]} -->\n{TABLES[found[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- table (\S+) -->\n.*?<!-- end -->", block, page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
