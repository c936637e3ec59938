#!/usr/bin/env python3
"""Compares voxcc with cc3d, scipy, scikit-image, SimpleITK and OpenCV on the same volumes in the same run, and lists the missed targets.

    python3 -m venv .venv-bench && .venv-bench/bin/pip install -r lab/requirements.txt
    .venv-bench/bin/python lab/peers.py [--tables labelling,files,...] [--volumes blobs-50,...] [--peers cc3d,scipy] [--rounds 5]
    python3 lab/peers.py --device cuda [--peers CuPy,cuCIM] [--rows bke,buf]      # needs a GPU, and CuPy or cuCIM

Tables: labelling (and statistics), images, threads, isa, cold, measures, files, memory; with --device cuda: cuda. docs/develop/bench.md describes each table.
Every round calls each method once, so background load affects all methods equally; the result is the median of the rounds.
Component counts, and in `files` also the labels, must agree. Results: lab/results/DATE-MACHINE/peers[-TABLES].md, .csv and .json.
"""

import os
import sys

from peers.processes import KEEP_FREED_MEMORY, ONE_THREAD

if __name__ == "__main__":
    settings = KEEP_FREED_MEMORY | ONE_THREAD
    if any(os.environ.get(name) != value for name, value in settings.items()):  # malloc reads these variables only when a process starts
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | settings)
    from peers.command import main

    main(__doc__, sys.argv[1:])
