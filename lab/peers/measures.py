"""Measurements on one thread, of volumes in memory with bench_measures, beside cc3d where cc3d has the same: processor time."""

import json
import statistics
import subprocess
import time

from . import processes
from .figures import Row, interleaved
from .targets import CC3D, CC3D_CONTACTS, HOLES, PASSES, SHAPE
from .volumes import cases, path_of

DELTA = 10.0  # of field-f32, whose values have the standard deviation 200


def bench(arguments, part, *options):
    """The JSON of bench_measures."""
    command = [arguments.bench_measures, part, *options, *(["--isa", arguments.isa] if arguments.isa else [])]
    return json.loads(subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout)


def milliseconds(results, name):
    return [result[name] * 1e3 for result in results]


def processor_time(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def array_of(volume, arguments):
    import nibabel
    import numpy as np

    return np.ascontiguousarray(np.asarray(nibabel.load(path_of(volume, arguments)).dataobj).T)


def measures(arguments):
    for volume, connectivity in cases(arguments, lambda volume: volume.name in PARTS, table="measures"):
        yield from PARTS[volume.name](arguments, volume, connectivity)
    if "blobs-50" in arguments.volumes:
        yield from percentiles(arguments)


def shape(arguments, volume, connectivity):
    options = path_of(volume, arguments), "--connectivity", connectivity
    results = interleaved({"bench": lambda: bench(arguments, "shape", *options), "plain": lambda: program(arguments, *options),
                           "filled": lambda: program(arguments, *options, "--fill-holes")}, arguments.rounds, dropped=0)
    row = Row("measures", volume.name, connectivity)
    taken = {name: milliseconds(results["bench"], name) for name in ("label", "shape")}
    taken |= {name: milliseconds(results[name], "cpu") for name in ("plain", "filled")}
    for name, column in (("label", "label"), ("shape", "shape"), ("plain", "voxcc label"), ("filled", "voxcc label --fill-holes")):
        yield row.measured(column, "ms", taken[name])
    median = {name: statistics.median(values) for name, values in taken.items()}
    yield row.derived(SHAPE, "%", 100 * median["shape"] / median["label"])
    yield row.derived(HOLES, "labellings", 1 + (median["filled"] - median["plain"]) / median["label"])


def program(arguments, path, *options):
    """Processor time of the complete program, which reads the volume and writes a table."""
    table = arguments.work / "measures.csv"
    command = [arguments.voxcc, "label", path, *options, "--stats", table, "--device", "cpu", "--threads", 1, "--force", "-q"]
    command += ["--isa", arguments.isa] if arguments.isa else []
    return json.loads(processes.run(command)[-1])


def beside_cc3d(arguments, volume, connectivity, part, options, call, times):
    """The row of a part that cc3d has, too. call: runs cc3d. times: the name of the ratio"""
    where = path_of(volume, arguments), "--connectivity", connectivity
    calls = {"voxcc": lambda: bench(arguments, part, *where, *options)}
    if "cc3d" in arguments.peers:
        array = array_of(volume, arguments)
        calls["cc3d"] = lambda: {part: processor_time(lambda: call(array))}
    results = interleaved(calls, arguments.rounds)
    row = Row("measures", volume.name, connectivity)
    ours = milliseconds(results["voxcc"], part)
    yield row.measured(part, "ms", ours)
    if "cc3d" in results:
        theirs = milliseconds(results["cc3d"], part)
        yield row.measured(f"cc3d, {part}", "ms", theirs)
        yield row.derived(times, "x", statistics.median(theirs) / statistics.median(ours))


def contacts(arguments, volume, connectivity):
    def call(array):
        import cc3d

        cc3d.contacts(array, connectivity=connectivity)

    yield from beside_cc3d(arguments, volume, connectivity, "contacts", (), call, CC3D_CONTACTS)


def delta(arguments, volume, connectivity):
    def call(array):
        import cc3d

        cc3d.connected_components(array, connectivity=connectivity, delta=DELTA)

    yield from beside_cc3d(arguments, volume, connectivity, "delta", ("--delta", DELTA), call, CC3D)


def percentiles(arguments):
    size = "--size", arguments.size or 512
    results = interleaved({"voxcc": lambda: bench(arguments, "percentiles", *size)}, arguments.rounds, dropped=0)["voxcc"]
    row = Row("measures", "percentiles", 0)
    taken = {name: milliseconds(results, name) for name in ("percentiles", "pass", "sums")}
    yield row.measured("percentiles", "ms", taken["percentiles"])
    yield row.measured("one pass", "ms", taken["pass"])
    yield row.measured("other intensity columns", "ms", taken["sums"])
    yield row.derived(PASSES, "passes", statistics.median(taken["percentiles"]) / statistics.median(taken["pass"]))


PARTS = {"blobs-50": shape, "voronoi": contacts, "field-f32": delta}
