"""Allegretti, Bolelli, Grana 2019: tables 2 to 4 and figures 13 to 17."""

import re

from measurements import allocation, shape, voxels_of
from papers.items import Item, Paper
from papers.tables import Table, is_time, kind_of, measured, merged, number_in, on_gpu, pick, plain, stated, step, step_times, totals
from plotting.looks import STEPS

ALGORITHMS = ("buf", "buf-ic", "bke", "bke-ic", "be", "uf", "ole", "lbuf", "ke", "dlp")
ALGORITHMS_3D = ("buf", "buf-ic", "bke", "bke-ic", "be", "uf")
CURVES_2D, CURVES_3D = ("buf", "bke", "be", "uf", "ole", "lbuf", "ke", "dlp"), ("buf", "bke", "be", "uf")
SETS_2D = ("3DPeS", "Fingerprints", "Hamlet", "Medical", "MIRflickr", "Tobacco800", "XDOCS")
SETS_3D = ("Hilbert", "Oasis", "Mitochondria")
GENERATED = ("random-10-g1", "random-50-g1", "random-90-g1", "blobs-50")
STEPPED = (*GENERATED, "random-50-g8-mt19937")
CPU_AND_GPU = {("blobs-10", "2048x2048x1"), *((name, "8192x8192x1") for name in GENERATED)}
GRANULARITIES = ("1", "2", "4", "8", "16")


def data_set(run):
    """The data set of a measurement: a folder in the path of the volume has its name, or the volume is a Hilbert curve in 128^3."""
    if re.fullmatch(r"hilbert-[1-6]", run["volume"]):
        return "Hilbert" if shape(run) == "128x128x128" and run["connectivity"] == "26" else None
    folders = re.split(r"[/\\]", run["volume"].lower())
    found = next((name for name in SETS_2D + SETS_3D if name.lower() in folders), None)
    return found if run["connectivity"] == ("26" if found in SETS_3D else "8") else None


def algorithm(row):
    """The algorithm of a fact or of a measurement, if the paper has the algorithm."""
    name = row["algorithm"] if isinstance(row, dict) else row.algorithm
    return name if name in ALGORITHMS else None


def with_allocation(runs):
    """Median times with the allocation of labels and arrays, without a pool, as the paper measures them."""
    some = [run for run in pick(plain(on_gpu(runs)), test="average", phase="with allocation") if is_time(run)]
    return [run for run in some if allocation(run) == "fresh"]


def table2(facts, runs):
    times = totals(plain(on_gpu(runs)), "average")
    paper = stated(facts, algorithm, lambda f: f.volume, item="table2", quantity="time")
    tables = [Table("data sets", "mean time per data set, with allocation", "ms", paper,
                    **measured(with_allocation(runs), algorithm, data_set))]
    for key, connectivity, size in (("generated images", "8", "8192x8192x1"), ("generated volumes", "26", "512x512x512")):
        some = [run for run in pick(times, connectivity=connectivity, volume=GENERATED) if shape(run) == size]
        command = f"voxcc bench --device cuda --tests average --connectivity {connectivity} --csv generated-{connectivity}.csv"
        tables.append(Table(key, f"{key}, {size}, {connectivity} neighbours", "ms", **measured(some, algorithm, lambda run: run["volume"]),
                            command=command))
    return tables


def table3(facts, runs):
    paper = stated(facts, algorithm, lambda f: f.volume, item="table3", quantity="reads in compression")
    reads = pick(runs, test="memory", statistic="reads", phase=lambda phase: phase.startswith("compress"), connectivity="8")
    counted = [run for run in reads if run["algorithm"] in ("buf", "buf-ic", "bke", "bke-ic")]

    def per_image(run):
        return run["value"] * voxels_of(run)

    generated = measured(counted, algorithm, lambda run: None if "/" in run["volume"] else run["volume"], per_image)
    return [Table("data sets", "reads in the compression, mean per image", "1/image", paper,
                  **measured(counted, algorithm, data_set, per_image)),
            Table("generated images", "generated images: reads in the compression", "1/image", **generated)]


def table4(facts, runs):
    paper = stated(facts, algorithm, lambda f: f.volume.removeprefix("density "), item="table4")
    calls = pick(plain(runs), statistic="calls", connectivity="8", algorithm="ole", phase=("scan", "merge/scan"))
    calls = [run for run in calls if number_in(run, "granularity") == "1"]
    return [Table("iterations", "iterations of OLE by density", "1", paper, drawn_as="curves", xlabel="foreground, %",
                  **measured(calls, algorithm, lambda run: number_in(run, "density")))]


def steps(connectivity, sets, algorithms):
    def tables(facts, runs):
        some = pick(step_times(plain(on_gpu(runs))), connectivity=connectivity, algorithm=ALGORITHMS)

        def where(run):
            return data_set(run) or (f"{run['volume']} {shape(run)}" if run["volume"] in STEPPED else None)

        # Times of a memory pool are not comparable with the paper.
        some = [run for run in some if step(run) != "allocation" or allocation(run) == "fresh"]
        core = [run for run in some if step(run) != "allocation"]
        all_tables = [Table("without allocation", "sum of the steps without allocation", "ms", **measured(core, algorithm, where),
                            wanted_rows=algorithms, wanted_columns=sets),
                      Table("allocation", "allocation of labels and arrays, without a pool", "ms",
                            **measured(pick(some, phase="allocation"), algorithm, where), wanted_rows=algorithms, wanted_columns=sets)]
        places = sorted({where(run) for run in some} - {None}, key=lambda place: (place not in sets, place))
        for place in places:
            here = sorted((run for run in some if where(run) == place), key=lambda run: [*STEPS, step(run)].index(step(run)))
            all_tables.append(Table(place, f"{place}: steps", "ms", drawn_as="stacks", **measured(here, algorithm, step)))
        return all_tables

    return tables


def granularity(connectivity, size, algorithms):
    def tables(facts, runs):
        times = [run for run in pick(totals(plain(on_gpu(runs)), "density", "granularity"), connectivity=connectivity) if shape(run) == size]

        def table(grain):
            some = [run for run in times if number_in(run, "granularity") == grain]
            return Table(f"g{grain}", f"granularity {grain}, columns: foreground in percent", "ms", drawn_as="curves", xlabel="foreground, %",
                         **measured(some, algorithm, lambda run: number_in(run, "density")), wanted_rows=algorithms)

        return [table(grain) for grain in GRANULARITIES]

    return tables


def fig16(facts, runs):
    phases = {"labelling": "labelling", "with allocation and transfers": "with transfers"}
    some = [run for run in pick(plain(runs), test="average", phase=phases, connectivity="8") if is_time(run)]

    def row(run):
        if kind_of(run) == "cpu":
            return "block-runs on the CPU" if (run["algorithm"], run["phase"]) == ("block-runs", "labelling") else None
        return f"{run['algorithm']} {phases[run['phase']]}" if run["algorithm"] in ALGORITHMS[:4] else None

    def column(run):
        if data_set(run) == "Tobacco800":
            return "Tobacco800"
        return f"{run['volume']} {shape(run)}" if (run["volume"], shape(run)) in CPU_AND_GPU else None

    rows = ("block-runs on the CPU", *(f"{name} {phase}" for phase in phases.values() for name in ALGORITHMS[:4]))
    return [Table("times", "CPU and GPU", "ms", **measured(some, row, column), wanted_rows=rows, wanted_columns=("Tobacco800",))]


def hilbert(facts, runs):
    paper = stated([f for f in facts if f.volume == "Hilbert"], algorithm, lambda f: "mean", item="table2")
    times = [run for run in with_allocation(runs) if data_set(run) == "Hilbert"]
    orders = measured(times, algorithm, lambda run: run["volume"].replace("hilbert-", "order "))
    mean = measured(times, algorithm, lambda run: "mean")
    return [Table("orders", "Hilbert curves in 128^3, 26 neighbours, with allocation", "ms", paper, merged(orders["ours"], mean["ours"]),
                  orders["runs"])]


PAPER = Paper(
    "allegretti",
    'S. Allegretti, F. Bolelli, C. Grana, "Optimized block-based algorithms to label connected components on GPUs", IEEE Transactions on '
    "Parallel and Distributed Systems 31 (2), 2020 (published online 2019)",
    (Item("table2", "Table 2: mean time per data set", table2, "IMAGES..."),
     Item("table3", "Table 3: reads saved by inline compression", table3, "IMAGES..."),
     Item("table4", "Table 4: iterations of OLE by density", table4),
     Item("fig13", "Figure 13: steps, 2D data sets", steps("8", SETS_2D, ALGORITHMS), "IMAGES..."),
     Item("fig14", "Figure 14: steps, 3D data sets", steps("26", SETS_3D, ALGORITHMS_3D), "IMAGES..."),
     Item("fig15", "Figure 15: images of 2048^2 by density and granularity", granularity("8", "2048x2048x1", CURVES_2D)),
     Item("fig16", "Figure 16: CPU and GPU", fig16, "IMAGES..."),
     Item("fig17", "Figure 17: volumes of 256^3 by density and granularity", granularity("26", "256x256x256", CURVES_3D)),
     Item("hilbert", "Hilbert curves by order (column Hilbert of table 2)", hilbert)))
