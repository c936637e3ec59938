"""Labels one volume in parts with Dask. Each task is one run of voxcc.

usage: python dask_jobs.py INPUT OUTPUT TABLE [--contacts TABLE] [--scheduler ADDRESS] [--batch 8] [option of 'voxcc split' ...]

Without --scheduler, two processes of this machine work. Other workers must see the current folder under the same name. A task that is
repeated after the loss of a worker keeps the parts that are complete.
"""

import argparse
import json
import subprocess
from pathlib import Path

from distributed import Client, LocalCluster, wait


def run(folder, *arguments):
    """Runs voxcc in a folder. Returns what it prints."""
    done = subprocess.run(["voxcc", *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def run_after(_, folder, *arguments):
    """A task that runs voxcc when other tasks are complete."""
    return run(folder, *arguments)


def label(client, folder, plan, batch, outputs):
    """Submits all steps of a plan, which is the summary of 'voxcc split'. Returns the future of the last one."""
    parts = plan["parts"]
    ranges = [f"{first}..{min(first + batch, parts) - 1}" for first in range(0, parts, batch)]

    def submit(before, *arguments):
        return client.submit(run_after, before, folder, *arguments, "--plan", "plan.json", "-q", retries=3)

    found, holes = None, []
    if plan["rounds"] == 2:  # --fill-holes: the holes are found first
        background = [submit(None, "label", "--background", "--part", part, "-o", "state", "-t", "1") for part in ranges]
        found, holes = submit(background, "merge", "--background", "state", "-o", "merged"), ["--holes", "merged"]
    labelled = [submit(found, "label", *holes, "--part", part, "-o", "state", "-t", "1") for part in ranges]
    merged = submit(labelled, "merge", "state", "-o", "merged")
    painted = [submit(merged, "relabel", "state", "merged", "--part", part, "-t", "1") for part in ranges]
    return submit(painted, "relabel", "--finish", "state", "merged", *outputs, "-f")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("table")
    parser.add_argument("--contacts")
    parser.add_argument("--scheduler")
    parser.add_argument("--batch", type=int, default=8)
    arguments, options = parser.parse_known_args()
    outputs = ["-o", arguments.output, "--stats", arguments.table]
    if arguments.contacts:
        options.append("--contacts")
        outputs += ["--contacts", arguments.contacts]
    folder = str(Path.cwd())
    plan = json.loads(run(folder, "split", arguments.input, *options, "-o", "plan.json", "-f"))
    with Client(arguments.scheduler or LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)) as client:
        last = label(client, folder, plan, arguments.batch, outputs)
        wait(last)
        last.result()


if __name__ == "__main__":
    main()
