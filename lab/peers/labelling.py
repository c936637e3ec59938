"""Labelling and statistics in memory, with voxcc and every peer: volumes, images, and volumes on a GPU."""

import statistics
import sys

from . import cuda, engine
from .figures import Row, interleaved
from .methods import PEERS, Case, Timing
from .targets import BEST, CC3D, CC3D_STATISTICS, LIMIT_SHARE, ON_TOP
from .volumes import cases, is_image, path_of


def volumes(arguments):
    return compared("labelling", arguments, cpu_methods(arguments), lambda volume: not is_image(volume))


def images(arguments):
    return compared("images", arguments, cpu_methods(arguments), is_image)


def on_gpu(arguments):
    first, *others = arguments.rows
    methods = {"voxcc": cuda.voxcc(arguments, first), **{f"voxcc {row}": cuda.voxcc(arguments, row) for row in others}}
    return compared("cuda", arguments, methods | {name: cuda.PEERS[name][0] for name in arguments.peers}, lambda volume: True)


def cpu_methods(arguments):
    return {"voxcc": lambda case: voxcc_call(arguments, case)} | {name: PEERS[name][0] for name in arguments.peers}


def voxcc_call(arguments, case):
    def call():
        done = engine.bench(arguments, case.volume, case.connectivity)
        seconds = {"label": done["label"][0], "measure": done["stages"]["measure"][0], "stream": done["stream"][0]}
        return Timing(seconds, done["components"])

    return call


def compared(table, arguments, methods, wanted):
    """The figures of all cases. For each case, the times of labelling precede the times of the statistics."""
    import nibabel
    import numpy as np

    read, array = None, None
    for volume, connectivity in cases(arguments, wanted):
        if read != volume:
            array = np.ascontiguousarray(np.asarray(nibabel.load(path_of(volume, arguments)).dataobj).T)
            read, array = volume, array.reshape(array.shape[-2:]) if is_image(volume) else array
        case = Case(volume, connectivity, array)
        calls = {name: call for name, method in methods.items() if (call := method(case))}
        if "voxcc" in calls:
            timings = interleaved(calls, arguments.rounds)
            components = same_components(volume, connectivity, timings)
            yield from labelling_row(Row(table, volume.name, connectivity), timings, components)
            yield from statistics_row(Row(f"{table} statistics", volume.name, connectivity), timings)


def same_components(volume, connectivity, timings):
    counts = {name: {timing.components for timing in list_} for name, list_ in timings.items()}
    if len(set().union(*counts.values())) != 1:
        sys.exit(f"{volume.name}, {connectivity}: the methods disagree on the number of components: {counts}")
    return timings["voxcc"][0].components


def milliseconds(timings, task):
    """Method -> milliseconds of `task` in each round, for the methods that measure this task."""
    return {name: [timing.seconds[task] * 1e3 for timing in list_] for name, list_ in timings.items() if task in list_[0].seconds}


def medians(taken):
    return {name: statistics.median(values) for name, values in taken.items()}


def is_peer(name):
    return not name.startswith("voxcc")


def labelling_row(row, timings, components):
    taken = milliseconds(timings, "label")
    median = medians(taken)
    ours = median["voxcc"]
    yield row.unjudged("components", "", components)
    yield row.measured("voxcc", "ms", taken["voxcc"])
    limit = milliseconds(timings, "stream")["voxcc"]
    yield row.measured("streaming limit", "ms", limit)
    yield row.derived(LIMIT_SHARE, "%", 100 * statistics.median(limit) / ours)
    for name in [name for name in taken if name != "voxcc"]:
        yield row.measured(name, "ms", taken[name], median[name] / ours)
    peers = [median[name] for name in median if is_peer(name)]
    if "cc3d" in median:
        yield row.derived(CC3D, "x", median["cc3d"] / ours)
    if peers:
        yield row.derived(BEST, "x", min(peers) / ours)


def statistics_row(row, timings):
    taken = milliseconds(timings, "measure")
    if "voxcc" not in taken:
        return
    median = medians(taken)
    yield row.measured("voxcc", "ms", taken["voxcc"])
    yield row.derived(ON_TOP, "%", 100 * median["voxcc"] / medians(milliseconds(timings, "label"))["voxcc"])
    if "cc3d" in taken:
        yield row.measured("cc3d.statistics", "ms", taken["cc3d"], median["cc3d"] / median["voxcc"])
        yield row.derived(CC3D_STATISTICS, "x", median["cc3d"] / median["voxcc"])
