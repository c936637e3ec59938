#!/usr/bin/env python3
"""Compares voxcc.dask.label with dask_image.ndmeasure.label on a Zarr array, with the same cluster in the same run.

    PYTHONPATH=build/python/package python3 lab/dask_peers.py [--size 512] [--chunk 128] [--workers 2] [--rounds 3] [--connectivity 26]
    ... lab/dask_peers.py --size 1024 --rounds 1 --time-limit 1500 --memory-limit 16 --only dask-image

Needs numpy, scipy, zarr, psutil, dask, distributed and dask-image. Each run has a new LocalCluster with one thread per worker. It computes
all labels and the count, and drops the labels, so that only labelling is measured. The runs of both packages alternate, so background load
affects both equally. Prints a table in Markdown with medians: seconds of the client to make the graph, seconds to compute it, processor
time and greatest memory of all workers together, beyond a cluster that has labelled one chunk. The counts must be equal. A run that exceeds
the time limit or the memory limit is ended; the table then states the processor time and the greatest memory of all its processes until
then. Progress and the load average of the machine go to stderr.
"""

import argparse
import math
import multiprocessing
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import dask
import dask.array as da
import dask_image.ndmeasure
import distributed
import numpy as np
import psutil
import scipy.ndimage
import voxcc.dask
import zarr

SEED_SIZE = 256


class Nowhere:
    """A target of da.store() that drops what is written."""

    def __setitem__(self, index, block):
        pass


def write_volume(path, size, chunk, threshold):
    """Smoothed noise above a threshold. A cube of 256^3 voxels, whose opposite faces fit together, is repeated in all directions."""
    noise = np.random.default_rng(1).random((SEED_SIZE,) * 3, dtype=np.float32)
    cube = (scipy.ndimage.gaussian_filter(noise, 2, mode="wrap") > threshold).view(np.uint8)
    volume = zarr.create_array(store=path, shape=(size,) * 3, chunks=(chunk,) * 3, dtype=np.uint8, compressors=None)
    layer = np.tile(cube, (1, -(-size // SEED_SIZE), -(-size // SEED_SIZE)))[:, :size, :size]
    for z in range(0, size, SEED_SIZE):
        volume[z : z + SEED_SIZE] = layer[: size - z]


def with_voxcc(x, connectivity):
    labels, count = voxcc.dask.label(x, connectivity)
    return labels, count


def with_dask_image(x, connectivity):
    reach = {6: 1, 18: 2, 26: 3}[connectivity]
    return dask_image.ndmeasure.label(x, scipy.ndimage.generate_binary_structure(3, reach))


def usage_of(processes):
    """Processor time in seconds, and resident memory in bytes, of all processes together that still exist."""
    seconds = memory = 0
    for process in processes:
        try:
            seconds += sum(process.cpu_times()[:2])
            memory += process.memory_info().rss
        except psutil.NoSuchProcess:
            pass
    return seconds, memory


class Usage(threading.Thread):
    """The greatest resident memory of some processes together, every 10 ms, and their processor time."""

    def __init__(self, processes):
        super().__init__(daemon=True)
        self.processes, self.most, self.done = [psutil.Process(p) for p in processes], 0, threading.Event()
        self.seconds_before, self.bytes_before = usage_of(self.processes)
        self.start()

    def run(self):
        while not self.done.wait(0.01):
            self.most = max(self.most, usage_of(self.processes)[1])

    def stop(self):
        """Seconds and bytes more than at the beginning."""
        self.done.set()
        self.join()
        seconds, memory = usage_of(self.processes)
        return seconds - self.seconds_before, max(self.most, memory) - self.bytes_before


def measure(function, path, options):
    """Count, seconds to make the graph, seconds to compute it, processor time of the workers, bytes."""
    with distributed.LocalCluster(options.workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0) as cluster:
        with distributed.Client(cluster) as client:
            x = da.from_zarr(path)
            run(function, x[(slice(options.chunk),) * 3], options)
            usage = Usage(client.run(os.getpid).values())
            return *run(function, x, options), *usage.stop()


def send_measurement(connection, *arguments):
    connection.send(measure(*arguments))


def measure_with_limits(function, path, options):
    """What measure() returns in a process of its own, or a text if its processes exceeded a limit and were ended."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=send_measurement, args=(sender, function, path, options))
    begin = time.perf_counter()
    child.start()
    sender.close()
    process, seconds, most = psutil.Process(child.pid), 0, 0
    while not receiver.poll(0.5):
        tree = [process, *process.children(recursive=True)]
        now, memory = usage_of(tree)
        seconds, most = max(seconds, now), max(most, memory)
        passed = time.perf_counter() - begin
        if passed > options.time_limit or memory > options.memory_limit * 1e9:
            for ended in tree:
                ended.kill()
            child.join()
            return f"ended after {passed:.0f} s: {seconds:.0f} s of processor time, {most / 1e6:.0f} MB in all processes"
    result = receiver.recv()
    child.join()
    return result


def run(function, x, options):
    begin = time.perf_counter()
    labels, count = function(x, options.connectivity)
    made = time.perf_counter()
    _, count = dask.compute(da.store(labels, Nowhere(), compute=False, lock=False), count)
    return int(count), made - begin, time.perf_counter() - made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512, help="edge of the volume (default: 512)")
    parser.add_argument("--chunk", type=int, default=128, help="edge of a chunk (default: 128)")
    parser.add_argument("--workers", type=int, default=2, help="number of workers (default: 2)")
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds (default: 3)")
    parser.add_argument("--connectivity", type=int, choices=(6, 18, 26), default=26, help="number of neighbours (default: 26)")
    parser.add_argument("--threshold", type=float, default=0.515, help="smoothed noise above it is foreground (default: 0.515)")
    parser.add_argument("--time-limit", type=float, default=math.inf, help="seconds after which a run is ended (default: none)")
    parser.add_argument("--memory-limit", type=float, default=math.inf, help="GB of memory above which a run is ended (default: none)")
    parser.add_argument("--only", choices=("voxcc", "dask-image"), help="measure one package")
    options = parser.parse_args()
    functions = {"voxcc": with_voxcc, "dask-image": with_dask_image}
    if options.only:
        functions = {options.only: functions[options.only]}
    runs = {name: [] for name in functions}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "volume.zarr")
        write_volume(path, options.size, options.chunk, options.threshold)
        for _ in range(options.rounds):
            for name, function in functions.items():
                runs[name].append(measure_with_limits(function, path, options))
                print(f"{name}: {runs[name][-1]}; load average {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    counts = {found[0] for of_package in runs.values() for found in of_package if not isinstance(found, str)}
    if len(counts) > 1:
        raise SystemExit(f"the counts differ: {counts}")
    components = f"{counts.pop()} components, " if counts else ""
    print(f"{options.size}^3 voxels in chunks of {options.chunk}^3, {components}{options.workers} workers\n")
    print("| | graph (s) | compute (s) | processor time of workers (s) | memory (MB) |\n|---|---|---|---|---|")
    for name, found in runs.items():
        ended = [text for text in found if isinstance(text, str)]
        if ended:
            print(f"| {name} | {ended[0]} | | | |")
            continue
        _, graph, compute, processor, memory = (statistics.median(column) for column in zip(*found))
        print(f"| {name} | {graph:.3g} | {compute:.3g} | {processor:.3g} | {memory / 1e6:.0f} |")


if __name__ == "__main__":
    main()
