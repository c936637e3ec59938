"""Labelling on a GPU. Volume and labels are in device memory; times are device times, measured with events."""

import csv
import subprocess

from .methods import Timing
from .volumes import path_of


def on_device(counting):
    """A method that labels a volume in device memory. counting: case -> function from array to component count, or None."""

    def method(case):
        import cupy

        array = cupy.asarray(case.array)
        label = counting(case)
        if label is None:
            return None

        def call():
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            count = label(array)
            end.record()
            end.synchronize()
            return Timing({"label": cupy.cuda.get_elapsed_time(begin, end) / 1e3}, int(count))

        return call

    return method


def cupy_label(case):
    import cupyx.scipy.ndimage as library
    import scipy.ndimage

    if case.volume.multilabel:
        return None
    structure = scipy.ndimage.generate_binary_structure(case.array.ndim, case.steps)
    return lambda array: library.label(array, structure)[1]


def cucim_label(case):
    import cucim.skimage.measure as library

    return lambda array: library.label(array, connectivity=case.steps, background=0, return_num=True)[1]


def voxcc(arguments, row):
    """A method that runs an algorithm of `voxcc algorithms`. Each call is a process `voxcc bench` with one warm-up and one timed run."""

    def method(case):
        if case.volume.multilabel:
            return None
        command = [arguments.voxcc, "bench", path_of(case.volume, arguments), "--device", "cuda", "--algorithms", row,
                   "--connectivity", case.connectivity, "--repeat", 1, "-q"]

        def call():
            table = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
            found = {(line["algorithm"], line["phase"], line["statistic"]): float(line["value"]) for line in csv.DictReader(table)}
            return Timing({"label": found[row, "labelling", "median"] / 1e3, "stream": found["ceiling", "labelling", "median"] / 1e3},
                          int(found[row, "labelling", "components"]))

        return call

    return method


PEERS = {"CuPy": (on_device(cupy_label), "cupyx", "cupy"), "cuCIM": (on_device(cucim_label), "cucim", "cucim")}
