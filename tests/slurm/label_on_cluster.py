#!/usr/bin/env python3
"""Runs examples/dask/label_zarr.py on the SLURM cluster of this machine, and compares its output with voxcc.label().

    python3 label_on_cluster.py FOLDER [--size 192] [--chunk 48] [--jobs 2] [--cores 2]

FOLDER must be empty or new, and all nodes must see it. Exit code 0: the labels and the table have the same bytes as the results for the
array in one piece, and each job ran on a node of the cluster.
"""

import argparse
import csv
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.ndimage
import voxcc
import zarr

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "dask" / "label_zarr.py"
MIN_SIZE = 5


def write_volume(path, size, chunk):
    """Smoothed noise with a fixed seed: many components, some of which cross most chunks. Returns the volume."""
    noise = np.random.default_rng(23).standard_normal((size, size + 5, size - 7), dtype=np.float32)
    volume = (scipy.ndimage.gaussian_filter(noise, 1.5) > 0.06).view(np.uint8)
    array = zarr.create_array(store=path, shape=volume.shape, chunks=(chunk,) * 3, dtype=np.uint8)
    array[:] = volume
    return volume


def worker_jobs():
    """Number, state and node of each job of dask-jobqueue that SLURM still lists, as strings."""
    listed = subprocess.run(["scontrol", "--oneliner", "show", "jobs"], capture_output=True, text=True, check=True).stdout
    fields = ("JobId", "JobState", "NodeList")
    jobs = (dict(re.findall(r"(\w+)=(\S*)", line)) for line in listed.splitlines() if "JobName=dask-worker" in line)
    return {job["JobId"]: tuple(job.get(field, "") for field in fields) for job in jobs}


def compare(folder, volume):
    """The number of components. Raises AssertionError if a label or a value of the table differs."""
    expected = voxcc.label(volume, min_size=MIN_SIZE, table=True)
    assert 100 < expected.count, "the volume has too few components for a test"
    labels = zarr.open_array(folder / "labels.zarr", mode="r")[:]
    assert labels.dtype == expected.labels.dtype and labels.tobytes() == expected.labels.tobytes(), "the labels differ"
    with open(folder / "table.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == list(expected.table), "the columns of the tables differ"
    for name, texts in zip(header, zip(*rows, strict=True), strict=True):
        # The text of a float has as many digits as its bits need, so equal texts are equal bits.
        assert list(texts) == [str(value) for value in expected.table[name].tolist()], f"the column {name} differs"
    return expected.count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder for the volume, the output and the logs of the jobs")
    parser.add_argument("--size", type=int, default=192, help="approximate edge of the volume (default: 192)")
    parser.add_argument("--chunk", type=int, default=48, help="edge of a chunk (default: 48)")
    parser.add_argument("--jobs", type=int, default=2, help="number of jobs (default: 2)")
    parser.add_argument("--cores", type=int, default=2, help="cores and worker processes per job (default: 2)")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(exist_ok=True)
    volume = write_volume(folder / "image.zarr", options.size, options.chunk)
    before = worker_jobs()
    command = [sys.executable, EXAMPLE, "image.zarr", "labels.zarr", "table.csv", "--min-size", MIN_SIZE, "--jobs", options.jobs,
               "--cores", options.cores, "--memory", "2GB", "--walltime", "00:20:00"]  # fmt: skip
    begin = time.perf_counter()
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    assert done.returncode == 0, done.stderr
    jobs = {number: job for number, job in worker_jobs().items() if number not in before}
    assert len(jobs) == options.jobs and all(node and node != "(null)" for _, _, node in jobs.values()), f"the jobs: {jobs}"
    count = compare(folder, volume)
    assert done.stdout == f"{count} components\n", done.stdout
    chunks = int(np.prod([-(-length // options.chunk) for length in volume.shape]))
    for number, state, node in jobs.values():
        print(f"job {number} on node {node}: {state.lower()}")
    print(f"{count} components in {chunks} chunks: labels and table are equal, after {seconds:.0f} s")


if __name__ == "__main__":
    main()
