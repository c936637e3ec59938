"""Runs voxcc and the peers as processes from file to file, and returns their times and peak memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
KEEP_FREED_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 62)}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def run(command):
    """The lines that the command printed, and the line of child.py as the last line. The allocator has its default settings."""
    environment = {name: value for name, value in os.environ.items() if name not in KEEP_FREED_MEMORY}
    done = subprocess.run([sys.executable, "-S", PACKAGE / "child.py", *map(str, command)], stdout=subprocess.PIPE, text=True,
                          env=environment | {"PYTHONPATH": str(PACKAGE.parent)})
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return done.stdout.splitlines()


def start_of_voxcc(arguments):
    """Time and memory of `voxcc --version`, which only starts the program."""
    return json.loads(run([arguments.voxcc, "--version"])[-1])


def voxcc(arguments, source, target, table, *, connectivity=26, threads=None, dtype="auto", options=()):
    """CPU seconds, wall seconds and peak memory in bytes of `voxcc label`, including its start; size of the label volume in bytes.
    table: may be None."""
    command = [arguments.voxcc, "label", source, "-o", target, "--connectivity", connectivity, "--dtype", dtype]
    command += ["--device", "cpu", "--force", "-q"]
    command += ["--stats", table] if table else []
    command += ["--threads", threads] if threads else []
    return {**json.loads(run([*command, *options])[-1]), "bytes": target.stat().st_size}


def peer(name, source, target, table, *, connectivity=26, rule="binary"):
    """The same for a pipeline of pipelines.py. The seconds do not include the start of Python and the imports."""
    command = [sys.executable, "-m", "peers.pipelines", name, source, target, table, connectivity, rule]
    own, outer = map(json.loads, run(command)[-2:])
    return {**own, "peak": outer["peak"], "bytes": target.stat().st_size}
