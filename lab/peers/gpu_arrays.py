"""Compares voxcc with cupyx.scipy.ndimage and cucim on arrays that are on a CUDA device, as whole Python calls."""

import statistics
import subprocess
import time

import numpy as np
import voxcc
import voxcc.scipy
import voxcc.skimage


def blobs(cupy, size, seed=1):
    """Smoothed noise, half of it foreground."""
    from cupyx.scipy.ndimage import gaussian_filter

    noise = cupy.asarray(np.random.default_rng(seed).random((size,) * 3, dtype=np.float32))
    return gaussian_filter(noise, 2, mode="wrap") > 0.5


def rows(cupy, sizes):
    """Per row: what is done, calls per round, and a function per package; None if the package is not there."""
    from cupyx.scipy.ndimage import label as cupyx_label

    try:
        from cucim.skimage.measure import label as cucim_label
    except ImportError:
        cucim_label = None
    cube = cupy.ones((3, 3, 3), bool)
    result = []
    for size in sizes:
        x = blobs(cupy, size)
        values = (x * (1 + (cupy.indices(x.shape, dtype=cupy.int32) // 32).sum(axis=0) % 4)).astype(cupy.int32)
        floats = x.astype(cupy.float32)
        calls = 3 if size > 128 else 50
        cucim = [None if cucim_label is None else f for f in (lambda x=x: cucim_label(x), lambda x=x: cucim_label(x, connectivity=1),
                                                              lambda x=values: cucim_label(x))]
        result += [
            (f"{size}^3, 26", calls, lambda x=x: voxcc.label(x), lambda x=x: cupyx_label(x, cube), cucim[0]),
            (f"{size}^3, 6", calls, lambda x=x: voxcc.label(x, 6), lambda x=x: cupyx_label(x), cucim[1]),
            (f"{size}^3, 26, with the count", calls, lambda x=x: int(voxcc.label(x).count), lambda x=x: cupyx_label(x, cube), None),
            (f"{size}^3, 26, float32", calls, lambda x=floats: voxcc.label(x), lambda x=floats: cupyx_label(x, cube), None),
            (f"{size}^3, 26, equal values, int32", calls, lambda x=values: voxcc.label(x, values=True), None, cucim[2]),
            (f"{size}^3, voxcc.scipy.label, 6", calls, lambda x=x: voxcc.scipy.label(x), lambda x=x: cupyx_label(x), None),
            (f"{size}^3, voxcc.skimage.label, 26", calls, lambda x=x: voxcc.skimage.label(x), None, cucim[0]),
        ]
    return result


def seconds_of(cupy, function, calls, wait_after):
    """Seconds per call. @param wait_after "each" call for the device, or "all" calls"""
    device = cupy.cuda.Device()
    device.synchronize()
    begin = time.perf_counter()
    for _ in range(calls):
        result = function()
        if wait_after == "each":
            device.synchronize()
    seconds = (time.perf_counter() - begin) / calls
    device.synchronize()
    del result
    return seconds


def compare(rounds, sizes):
    """Prints a table in Markdown. Every round calls each function, so that background load affects all of them equally."""
    import cupy

    table = rows(cupy, sizes)
    times = {}
    for round_ in range(rounds + 1):
        for name, calls, *functions in table:
            for column, function in enumerate(functions):
                if function is None:
                    continue
                seconds = seconds_of(cupy, function, calls, "each")
                if round_ > 0:
                    times.setdefault((name, column), []).append(seconds)
            host = seconds_of(cupy, functions[0], calls if calls > 3 else 1, "all")
            if round_ > 0:
                times.setdefault((name, "host"), []).append(host)
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    driver = subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip()
    print(f"{gpu} ({driver}), {processor()}, voxcc {voxcc.__version__}, CuPy {cupy.__version__}, median of {rounds} rounds\n")
    print("| array, neighbours | voxcc (ms) | until the call returns | cupyx (ms) | factor | cucim (ms) | factor |")
    print("|---|---|---|---|---|---|---|")
    for name, *_ in table:
        medians = {column: 1e3 * statistics.median(times[name, column]) for column in (0, 1, 2, "host") if (name, column) in times}
        cells = [f"{medians[0]:.4f}", f"{medians['host']:.4f}"]
        for column in (1, 2):
            cells += [f"{medians[column]:.3f}", f"{medians[column] / medians[0]:.0f}"] if column in medians else ["", ""]
        print(f"| {name} | {' | '.join(cells)} |")


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown processor")
