#!/usr/bin/env python3
"""Labels a Zarr array on a SLURM cluster, and writes the labels as a Zarr array and one row per component as CSV.

    python3 label_zarr.py IN.zarr OUT.zarr TABLE.csv --jobs 8 --cores 4 --memory 16GB --walltime 01:00:00 [--partition NAME]
    python3 label_zarr.py IN.zarr OUT.zarr TABLE.csv --local        # two processes on this machine

Needs voxcc, dask[distributed], zarr and, without --local, dask-jobqueue. Each job has one worker process per core. The main memory of a
worker must hold a few chunks. The script runs on the login node, or in a job of its own.
"""

import argparse
import csv

import dask
import dask.array as da
import voxcc.dask
from dask.distributed import Client


def cluster_of(options):
    if options.local:
        from dask.distributed import LocalCluster

        return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(cores=options.cores, processes=options.cores, memory=options.memory, walltime=options.walltime,
                           queue=options.partition)  # fmt: skip
    cluster.scale(jobs=options.jobs)
    return cluster


def write_table(table, path):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(column.tolist() for column in table.values())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="Zarr array; voxels above --threshold are labelled")
    parser.add_argument("labels", help="new Zarr array of labels, with the chunks of the source")
    parser.add_argument("table", help="new CSV file")
    parser.add_argument("--threshold", type=float, default=0, help="foreground is above it (default: 0)")
    parser.add_argument("--min-size", type=int, default=0, help="smallest number of voxels of a component (default: 0)")
    parser.add_argument("--local", action="store_true", help="use two processes on this machine instead of SLURM")
    parser.add_argument("--jobs", type=int, default=4, help="number of SLURM jobs (default: 4)")
    parser.add_argument("--cores", type=int, default=4, help="cores and worker processes per job (default: 4)")
    parser.add_argument("--memory", default="16GB", help="memory per job (default: 16GB)")
    parser.add_argument("--walltime", default="01:00:00", help="longest time of a job (default: 01:00:00)")
    parser.add_argument("--partition", help="SLURM partition")
    options = parser.parse_args()
    with cluster_of(options) as cluster, Client(cluster):
        image = da.from_zarr(options.source)
        result = voxcc.dask.label(image > options.threshold, min_size=options.min_size, table=True)
        # One call of compute(), so that the components are found once. Each worker writes its own chunks.
        written = result.labels.to_zarr(options.labels, compute=False)
        _, count, table = dask.compute(written, result.count, result.table)
    write_table(table, options.table)
    print(f"{count} components")


if __name__ == "__main__":
    main()
