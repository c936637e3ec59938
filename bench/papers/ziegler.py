"""Ziegler, Rasmusson 2010 (slides): iterations by image, with and without links and masters."""

from measurements import shape
from papers.items import Item, Paper
from papers.tables import Table, measured, on_gpu, pick, totals


GATHERS = ("ziegler-gather", "ziegler-links", "ziegler-master-slave")


def is_ziegler(name):
    return name.startswith("ziegler-")


def algorithm(run):
    return run["algorithm"]


def image(run):
    return f"{run['volume']} {shape(run).removesuffix('x1')}, {run['connectivity']} neighbours"


def iterations(facts, runs):
    calls = pick(runs, statistic="calls", algorithm=is_ziegler, phase=("propagate", "merge/propagate", "merge/max-gather"))
    on_images = [run for run in totals(on_gpu(runs), "average") if is_ziegler(run["algorithm"]) and shape(run).endswith("x1")]
    return [Table("iterations", "iterations by image", "1", **measured(calls, algorithm, image), wanted_rows=GATHERS),
            Table("times", "times by image", "ms", **measured(on_images, algorithm, image))]


PAPER = Paper(
    "ziegler",
    'G. Ziegler, A. Rasmusson, "Efficient volume segmentation on the GPU", GPU Technology Conference 2010 (slides)',
    (Item("iterations", "Iterations by image, with and without links", iterations),))
