#!/usr/bin/env python3
"""Compares the functions of the Python package with cc3d and scipy on the same arrays in the same run.

    PYTHONPATH=build/python/package python3 lab/python_peers.py [--size 256] [--rounds 5] [--threads N] [--memory fresh] [--csv PATH]
        [--only TEXT]
    PYTHONPATH=build/python/package python3 lab/python_peers.py --gpu [--size 512 --size 64] [--rounds 5]

Needs numpy, scipy and connected-components-3d, and the program voxcc, which makes the volume of the rows with "blobs" (`voxcc generate
blobs`, 50 % foreground). The other volumes are finer: noise that is smoothed with a standard deviation of 2 voxels. With --gpu, arrays are
on a CUDA device, and the others are cupyx.scipy.ndimage and cucim, if it is installed; needs CuPy. Every round calls each function once, so background load affects all of them equally; the
result is the median of the rounds. With one thread, times are processor time, which other programs on the machine hardly change. Prints a
table in Markdown: milliseconds, or microseconds for the small array, and how many times as long cc3d takes, with its target.
"""

import argparse
import csv
import os
import statistics
import sys
import tempfile
import time

import numpy as np
import scipy.ndimage
import voxcc
import voxcc.cc3d
import voxcc.scipy
from peers import gpu_arrays
from peers.processes import KEEP_FREED_MEMORY
from peers.volumes import VOLUMES


# By row: how many times as long cc3d must take.
TARGETS = {"label, 26": 5, "label, 6": 5, "label, 26, 10 % random": 5, "statistics of labels": 50, "cc3d.statistics": 50, "dust, 26": 8,
           "largest_k, 26, k = 1": 8, "cc3d.dust, 26": 8, "cc3d.largest_k, 26, k = 1": 8, "largest_k, 26, k = 5": 8, "contacts, 26": 20,
           "contacts, 6": 20, "blobs: label, 26": 5, "blobs: label, 6": 5, "blobs: statistics": 50, "blobs: dust, 26": 8, "blobs: largest_k, 26, k = 1": 8,
           "blobs: largest_k, 26, k = 5": 8, "blobs: contacts, 26": 20, "blobs: contacts, 6": 20, "label, 26, delta": 3,
           "label, 6, delta": 3}  # fmt: skip


def sum_of_indices(size, of_axis):
    """The sum of a function of the index along each axis, for all voxels of a cube."""
    x, y, z = np.ogrid[:size, :size, :size]
    return of_axis(x) + of_axis(y) + of_axis(z)


def blobs(size, seed=1):
    """Smoothed noise, half of it foreground."""
    noise = np.random.default_rng(seed).random((size,) * 3, dtype=np.float32)
    return scipy.ndimage.gaussian_filter(noise, 2, mode="wrap") > 0.5


def blobs_of_program(voxcc_program, size):
    """The blobs of the other benchmarks: coarser than the smoothed noise of blobs()."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "blobs.npy")
        VOLUMES["blobs-50"].make(voxcc_program, path, size)
        return np.load(path)


def classes_of(volume):
    """Four values in the foreground, in cubes of 32 voxels."""
    return volume * (1 + sum_of_indices(volume.shape[0], lambda index: (index // 32).astype(np.uint8)) % 4)


def rows_of_blobs(volume):
    """The rows of the volume of the other benchmarks."""
    import cc3d

    classes, labels = classes_of(volume), cc3d.connected_components(volume, connectivity=6)
    return [
        ("blobs: label, 26", lambda: voxcc.label(volume), lambda: cc3d.connected_components(volume), None),
        ("blobs: label, 6", lambda: voxcc.label(volume, 6), lambda: cc3d.connected_components(volume, connectivity=6), None),
        ("blobs: statistics", lambda: voxcc.measure(labels), lambda: cc3d.statistics(labels), None),
        ("blobs: dust, 26", lambda: voxcc.remove_small(volume, 100), lambda: cc3d.dust(volume, 100), None),
        ("blobs: largest_k, 26, k = 1", lambda: voxcc.cc3d.largest_k(volume, 1), lambda: cc3d.largest_k(volume, 1), None),
        ("blobs: largest_k, 26, k = 5", lambda: voxcc.cc3d.largest_k(volume, 5), lambda: cc3d.largest_k(volume, 5), None),
        ("blobs: contacts, 26", lambda: voxcc.contacts(classes), lambda: cc3d.contacts(classes), None),
        ("blobs: contacts, 6", lambda: voxcc.contacts(classes, 6), lambda: cc3d.contacts(classes, connectivity=6), None),
    ]


def rows(size):
    """Per row: what is done, and a function per package."""
    import cc3d

    volume = blobs(size)
    classes = classes_of(volume)
    labels = cc3d.connected_components(volume, connectivity=6)
    smooth = sum_of_indices(size, lambda index: index.astype(np.float32))
    np.sin(smooth / 20, out=smooth)
    smooth *= 50
    smooth += np.random.default_rng(3).random(volume.shape, np.float32)
    sparse = np.random.default_rng(2).random(volume.shape, np.float32) < 0.1
    cube = np.ones((3, 3, 3))
    small = blobs(32)
    return [
        ("label, 26", lambda: voxcc.label(volume), lambda: cc3d.connected_components(volume), lambda: scipy.ndimage.label(volume, cube)),
        ("label, 6", lambda: voxcc.label(volume, 6), lambda: cc3d.connected_components(volume, connectivity=6),
         lambda: scipy.ndimage.label(volume)),
        ("label, 26, 10 % random", lambda: voxcc.label(sparse), lambda: cc3d.connected_components(sparse),
         lambda: scipy.ndimage.label(sparse, cube)),
        ("label, 26, F array", lambda v=np.asfortranarray(volume): voxcc.label(v, order="memory"),
         lambda v=np.asfortranarray(volume): cc3d.connected_components(v), None),
        ("label, 26, F array, C numbers", lambda v=np.asfortranarray(volume): voxcc.label(v), None,
         lambda v=np.asfortranarray(volume): scipy.ndimage.label(v, cube)),
        ("label, 26, equal values", lambda: voxcc.label(classes, values=True), lambda: cc3d.connected_components(classes), None),
        ("label, 26, delta", lambda: voxcc.label(smooth, delta=1), lambda: cc3d.connected_components(smooth, delta=1), None),
        ("label, 6, delta", lambda: voxcc.label(smooth, 6, delta=1), lambda: cc3d.connected_components(smooth, delta=1, connectivity=6), None),
        ("label and table, 26", lambda: voxcc.label(volume, table=True), lambda: cc3d.statistics(cc3d.connected_components(volume)), None),
        ("statistics of labels", lambda: voxcc.measure(labels), lambda: cc3d.statistics(labels), None),
        ("cc3d.statistics", lambda: voxcc.cc3d.statistics(labels), lambda: cc3d.statistics(labels), None),
        ("dust, 26", lambda: voxcc.remove_small(volume, 100), lambda: cc3d.dust(volume, 100), None),
        ("largest_k, 26, k = 1", lambda: voxcc.keep_largest(volume), lambda: cc3d.largest_k(volume, 1), None),
        ("cc3d.dust, 26", lambda: voxcc.cc3d.dust(volume, 100), lambda: cc3d.dust(volume, 100), None),
        ("cc3d.largest_k, 26, k = 1", lambda: voxcc.cc3d.largest_k(volume, 1), lambda: cc3d.largest_k(volume, 1), None),
        ("largest_k, 26, k = 5", lambda: voxcc.cc3d.largest_k(sparse, 5), lambda: cc3d.largest_k(sparse, 5), None),
        ("contacts, 26", lambda: voxcc.contacts(classes), lambda: cc3d.contacts(classes), None),
        ("contacts, 6", lambda: voxcc.contacts(classes, 6), lambda: cc3d.contacts(classes, connectivity=6), None),
        ("label 32^3, 26 (us)", lambda: voxcc.label(small), lambda: cc3d.connected_components(small),
         lambda: scipy.ndimage.label(small, cube)),
        ("scipy label 32^3, 6 (us)", lambda: voxcc.scipy.label(small), None, lambda: scipy.ndimage.label(small)),
    ]  # fmt: skip


def seconds_of(function, calls, clock):
    begin = clock()
    for _ in range(calls):
        function()
    return (clock() - begin) / calls


def parsed_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="store_true", help="compare on arrays that are on a CUDA device")
    parser.add_argument("--size", type=int, action="append", help="edge of the volumes (default: 256; with --gpu 512 and 64)")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds after one warm-up round (default: 5)")
    parser.add_argument("--threads", type=int, default=1, help="threads of voxcc (default: 1)")
    parser.add_argument("--only", default="", help="only the rows whose names contain this text")
    parser.add_argument("--memory", choices=["kept", "fresh"], default="kept",
                        help="kept: malloc keeps freed arrays, so the results lie in memory that was used before; fresh: malloc has its usual"
                        " settings, so the system clears new memory for each result (default: kept)")
    parser.add_argument("--voxcc", default="build/voxcc", help="program that makes the blobs (default: build/voxcc)")
    parser.add_argument("--csv", help="file for the median, least and greatest time of each row and package")
    return parser.parse_args()


def main(options):
    if options.gpu:
        return gpu_arrays.compare(options.rounds, options.size or [512, 64])
    voxcc.set_threads(options.threads)
    clock = time.process_time if options.threads == 1 else time.perf_counter
    size = options.size[-1] if options.size else 256
    table = [row for row in rows_of_blobs(blobs_of_program(options.voxcc, size)) + rows(size) if options.only in row[0]]
    times = {(row, column): [] for row in range(len(table)) for column in range(3)}
    for round_ in range(options.rounds + 1):
        for row, (name, *functions) in enumerate(table):
            calls = 200 if name.endswith("(us)") else 1
            for column, function in enumerate(functions):
                if function is not None:
                    seconds = seconds_of(function, calls, clock)
                    if round_ > 0:
                        times[row, column].append(seconds)
    report(table, times, options.csv)


def report(table, times, path):
    """Prints the table. @param path of a CSV file with the same times, or None"""
    lines = []
    print("| | voxcc | cc3d | scipy | cc3d / voxcc | target |\n|---|---|---|---|---|---|")
    for row, (name, *functions) in enumerate(table):
        unit, factor = ("us", 1e6) if name.endswith("(us)") else ("ms", 1e3)
        taken = {column: [seconds * factor for seconds in times[row, column]] for column in range(3) if functions[column]}
        medians = {column: statistics.median(values) for column, values in taken.items()}
        cells = [f"{medians[c]:.3g}" if c in medians else "" for c in range(3)]
        cells += [f"{medians[1] / medians[0]:.3g}" if 1 in medians else "", str(TARGETS.get(name, ""))]
        print(f"| {name} | {' | '.join(cells)} |")
        lines += [[name, ("voxcc", "cc3d", "scipy")[c], unit, f"{medians[c]:.4g}", f"{min(values):.4g}", f"{max(values):.4g}"]
                  for c, values in taken.items()]
    if path:
        with open(path, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([["row", "package", "unit", "median", "least", "greatest"], *lines])


if __name__ == "__main__":
    options = parsed_options()
    if options.memory == "kept" and any(os.environ.get(name) != value for name, value in KEEP_FREED_MEMORY.items()):  # malloc reads them only when a process starts
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | KEEP_FREED_MEMORY)
    main(options)
