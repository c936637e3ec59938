"""voxcc and the peers from file to file as processes: what they took, and their peak of memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
KEEP_FREED_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 62)}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def run(command):
    """The lines that the command printed, and child.py's as the last. The allocator is left as users have it."""
    environment = {name: value for name, value in os.environ.items() if name not in KEEP_FREED_MEMORY}
    done = subprocess.run([sys.executable, "-S", PACKAGE / "child.py", *map(str, command)], stdout=subprocess.PIPE, text=True,
                          env=environment | {"PYTHONPATH": str(PACKAGE.parent)})
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return done.stdout.splitlines()


def start_of_voxcc(arguments):
    """What the program takes to do nothing."""
    return json.loads(run([arguments.voxcc, "--version"])[-1])


def voxcc(arguments, source, target, table, *, connectivity=26, threads=None, dtype="auto", options=()):
    """CPU seconds, wall seconds and peak (bytes) of `voxcc label`, its start included; bytes of the file written. table: may be None."""
    command = [arguments.voxcc, "label", source, "-o", target, "--connectivity", connectivity, "--dtype", dtype]
    command += ["--device", "cpu", "--force", "-q"]
    command += ["--stats", table] if table else []
    command += ["--threads", threads] if threads else []
    return {**json.loads(run([*command, *options])[-1]), "bytes": target.stat().st_size}


def peer(name, source, target, table, *, connectivity=26, rule="binary"):
    """The same of a pipeline, the start of Python and imports left out of the seconds."""
    command = [sys.executable, "-m", "peers.pipelines", name, source, target, table, connectivity, rule]
    own, outer = map(json.loads, run(command)[-2:])
    return {**own, "peak": outer["peak"], "bytes": target.stat().st_size}
