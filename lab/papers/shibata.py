"""Shibata 2014: tables 1 to 8, the time of each pass."""

import re

from measurements import shape
from papers.items import Item, Paper
from papers.tables import Grid, Table, is_time, kind_of, measured, merged, pick, stated

FIRST_BY_LAST = "pass 1 / last pass"
MILLISECONDS = {"ns": 1e-6, "ms": 1}


def pass_of(run):
    """pass 0 is the preparation; pass N the N-th propagation."""
    if run["phase"] in ("prepare", "init/prepare"):
        return "pass 0"
    found = re.fullmatch(r"(?:merge/)?propagate (\d+)", run["phase"])
    return found and f"pass {found[1]}"


def device(run):
    return run["device"].split(", ", 1)[-1]


def ends(grid):
    """The number of passes after the preparation, and the time of the first pass in units of the last pass."""
    cells = {}
    for row in grid.rows:
        times = [grid.at(row, f"pass {n}") for n in range(1, len(grid.columns)) if grid.at(row, f"pass {n}") is not None]
        if times:
            cells |= {(row, "passes"): len(times), (row, FIRST_BY_LAST): times[0] / times[-1]}
    return Grid(cells)


def passes(item, volume, kind):
    def tables(facts, runs):
        said = stated([f for f in facts if f.item == item], lambda f: f"{f.machine}, {f.volume}", lambda f: f.quantity)
        scale = next(MILLISECONDS[f.unit] for f in facts if f.item == item)
        said.cells = {place: value * scale for place, value in said.cells.items()}
        some = [run for run in pick(runs, algorithm="shibata", volume=volume) if is_time(run) and kind_of(run) == kind and pass_of(run)]
        some.sort(key=lambda run: int(pass_of(run).split()[1]))

        def row(run):
            return f"{device(run)}, {run['volume']}"

        ours = merged(measured(some, row, pass_of)["ours"], measured(some, row, lambda run: "total")["ours"])
        return [Table("passes", "time of each pass", "ms", said, ours, some, drawn_as="curves", xlabel="pass"),
                Table("ends", "number of passes, and their first and last time", "", ends(said), ends(ours), some, drawn_as="")]

    return tables


def kernels(facts, runs):
    """The number of passes of the naive, the slow and the fast kernel."""
    calls = pick(runs, statistic="calls", phase=("propagate", "merge/propagate"), algorithm=lambda name: name.startswith("shibata"))
    return [Table("passes", "passes until nothing changes", "1",
                  **measured(calls, lambda run: run["algorithm"], lambda run: f"{run['volume']} {shape(run).removesuffix('x1')}"))]


def item(number, volume, kind, what):
    return Item(f"table{number}", f"Table {number}: {what}", passes(f"table{number}", volume, kind), device=kind)


DRY, ZIGZAG = "dry-earth", "zigzag-spiral"
PAPER = Paper(
    "shibata",
    'N. Shibata, "Connected component labeling algorithm for GPGPU" (web article), after N. Shibata, S. Yamamoto, "GPGPU-assisted subpixel '
    'tracking method for fiducial markers", Journal of Information Processing 22 (1), 2014',
    (item(1, DRY, "cuda", "dry earth on a GeForce GTX 960"), item(2, ZIGZAG, "cuda", "zigzag spiral on a GeForce GTX 960"),
     item(3, DRY, "cuda", "dry earth on a GeForce GTX 670"), item(4, ZIGZAG, "cuda", "zigzag spiral on a GeForce GTX 670"),
     item(5, DRY, "cuda", "dry earth on a GeForce GTX 570"), item(6, ZIGZAG, "cuda", "zigzag spiral on a GeForce GTX 570"),
     item(7, DRY, "cpu", "dry earth on a CPU"), item(8, ZIGZAG, "cpu", "zigzag spiral on a CPU"),
     Item("steps", "Sections 4 to 6: the naive, the slow and the fast kernel", kernels)))
