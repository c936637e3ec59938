"""The table `files`: reads, labels and measures a volume, and writes a table and a label volume, with voxcc and with the peers."""

import csv
import statistics
import sys

from . import formats, processes
from .figures import Row, interleaved
from .targets import ALL_THREADS, CPU_SECONDS, FILE_SIZE
from .volumes import VOLUMES, path_of

VOLUME = "blobs-50"
CASES = {".nii.gz": ("auto", "uint32"), ".nii": ("auto",), ".tif": ("auto",), ".h5": ("auto",)}  # format -> types of the labels
PIPELINES = {".nii.gz": ("cc3d", "SimpleITK"), ".nii": ("cc3d", "SimpleITK"), ".tif": ("cc3d",), ".h5": ("cc3d",)}
CONNECTIVITY = 26
MIB = 1 << 20
QUANTITIES = (("cpu", "CPU", "s", 1), ("wall", "wall", "s", 1), ("peak", "peak", "MiB", 1 / MIB), ("bytes", "file", "MB", 1e-6))


def files(arguments):
    if VOLUME not in arguments.volumes or CONNECTIVITY not in arguments.connectivities:
        return
    original = path_of(VOLUMES[VOLUME], arguments)
    for suffix, types in CASES.items():
        source = formats.variant(original, suffix, "u8")
        outputs = Outputs(arguments.work, suffix)
        calls = {"start": lambda: processes.start_of_voxcc(arguments)}
        for dtype in types:
            for threads, key in ((1, "one"), (None, "all")):
                calls[key, dtype] = lambda threads=threads, dtype=dtype: processes.voxcc(
                    arguments, source, *outputs.of(f"voxcc-{dtype}"), threads=threads, dtype=dtype)
        for name in PIPELINES[suffix]:
            if name in arguments.peers:
                calls["peer", name] = lambda name=name: processes.peer(name, source, *outputs.of(name))
        results = interleaved(calls, arguments.rounds)
        if ("peer", "cc3d") in results:
            for dtype in types:
                verify(outputs, dtype)
        for dtype in types:
            yield from figures(Row("files", f"{VOLUME} {suffix} {dtype}", CONNECTIVITY), dtype, results)
        outputs.remove()


class Outputs:
    """The files that a method writes: label volume and table."""

    def __init__(self, folder, suffix):
        self.folder, self.suffix, self.made = folder, suffix, set()

    def of(self, name):
        pair = self.folder / f"out-{name}{self.suffix}", self.folder / f"out-{name}.csv"
        self.made.update(pair)
        return pair

    def remove(self):
        for path in self.made:
            path.unlink(missing_ok=True)


def figures(row, dtype, results):
    def values(key, quantity):
        return [result[quantity] for result in results[key]]

    def median(key, quantity):
        return statistics.median(values(key, quantity))

    one, several = ("one", dtype), ("all", dtype)
    peers = {key[1]: key for key in results if key[0] == "peer"}
    methods = {"voxcc": one, **{"library + cc3d" if name == "cc3d" else name: key for name, key in peers.items()}}
    for quantity, title, unit, scale in QUANTITIES:
        for name, key in methods.items():
            times = None if key == one else median(key, quantity) / median(one, quantity)
            yield row.measured(f"{name}: {title}", unit, [value * scale for value in values(key, quantity)], times)
    yield row.measured("of it voxcc's start: CPU", "s", values("start", "cpu"))
    yield row.measured("voxcc, all threads: wall", "s", values(several, "wall"))
    yield row.measured("voxcc, all threads: CPU", "s", values(several, "cpu"))
    yield row.derived(ALL_THREADS, "x", median(one, "wall") / median(several, "wall"))
    if peers:
        yield row.derived(CPU_SECONDS, "x", min(median(key, "cpu") for key in peers.values()) / median(one, "cpu"))
    if "cc3d" in peers:
        yield row.derived(FILE_SIZE, "x", median(one, "bytes") / median(peers["cc3d"], "bytes"))


def verify(outputs, dtype):
    """Exits with an error unless voxcc's labels and voxel counts equal cc3d's, for every library that reads voxcc's file."""
    import numpy as np

    volume, table = outputs.of(f"voxcc-{dtype}")
    expected_volume, expected_table = outputs.of("cc3d")
    expected = formats.read(expected_volume)
    for name, labels in formats.readers(volume):
        if not np.array_equal(labels, expected):
            sys.exit(f"{volume}, read by {name}: labels other than cc3d's in {expected_volume}")
    if voxels(table) != voxels(expected_table):
        sys.exit(f"{table}: components other than in {expected_table}")


def voxels(table):
    with open(table, newline="") as file:
        return [(int(row["label"]), int(row["voxels"])) for row in csv.DictReader(file)]
