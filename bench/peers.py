#!/usr/bin/env python3
"""voxcc beside cc3d, scipy, scikit-image, SimpleITK and OpenCV: same volumes, same run, same machine; which targets are missed.

    python3 -m venv .venv-bench && .venv-bench/bin/pip install -r bench/requirements.txt
    .venv-bench/bin/python bench/peers.py [--tables labelling,files,...] [--volumes blobs-50,...] [--peers cc3d,scipy] [--rounds 5]
    python3 bench/peers.py --device cuda [--peers CuPy,cuCIM] [--rows bke,buf]      # where there is a GPU, and CuPy or cuCIM

Tables: labelling (and statistics), images, threads, isa, cold, files, memory. docs/bench.md says what each shows and how it is measured.
Every round calls each method once, so that whatever else the machine does meets all of them; the median of the rounds counts.
Component counts, and in `files` the labels themselves, must agree. Results: bench/results/DATE-MACHINE/peers[-TABLES].md, .csv and .json.
"""

import os
import sys

from peers.processes import KEEP_FREED_MEMORY, ONE_THREAD

if __name__ == "__main__":
    settings = KEEP_FREED_MEMORY | ONE_THREAD
    if any(os.environ.get(name) != value for name, value in settings.items()):  # malloc reads them when a process starts
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | settings)
    from peers.command import main

    main(__doc__, sys.argv[1:])
