"""Ziegler, Rasmusson 2010 (slides): iterations by image and by criterion, with and without links and masters."""

from pathlib import PurePath

from measurements import parameter, shape
from papers.items import Item, Paper
from papers.tables import Table, measured, on_gpu, pick, totals


GATHERS = ("ziegler-gather", "ziegler-links", "ziegler-master-slave")


def is_ziegler(name):
    return name.startswith("ziegler-")


def algorithm(run):
    return run["algorithm"]


def criterion(run):
    """How neighbours join: "equal", "difference:25" or "colour:25"; None if all foreground neighbours join."""
    return parameter(run, "criterion")


def image(run):
    words = (f"{PurePath(run['volume']).name} {shape(run).removesuffix('x1')}", f"{run['connectivity']} neighbours", criterion(run))
    return ", ".join(word for word in words if word)


def tables_of(runs):
    """Iterations and times by image, for the gatherings of the slides."""
    on_images = [run for run in runs if is_ziegler(run["algorithm"]) and (shape(run) or "").endswith("x1")]
    calls = pick(on_images, statistic="calls", phase=("propagate", "merge/propagate", "merge/max-gather"))
    return [Table("iterations", "iterations by image", "1", **measured(calls, algorithm, image), wanted_rows=GATHERS),
            Table("times", "times by image", "ms", **measured(totals(on_gpu(on_images), "average"), algorithm, image))]


def iterations(facts, runs):
    return tables_of([run for run in runs if criterion(run) is None])


def colours(facts, runs):
    return tables_of([run for run in runs if criterion(run) is not None])


PAPER = Paper(
    "ziegler",
    'G. Ziegler, A. Rasmusson, "Efficient volume segmentation on the GPU", GPU Technology Conference 2010 (slides)',
    (Item("iterations", "Iterations by image, with and without links", iterations),
     Item("colours", "Grey and colour images: iterations by connectivity criterion", colours)))
