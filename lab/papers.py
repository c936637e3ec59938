#!/usr/bin/env python3
"""Puts the numbers of the five papers beside the measurements of `voxcc bench`, and says where both agree.

    python3 lab/papers.py [RESULTS.csv...]                               # writes docs/reference/papers.md
    python3 lab/papers.py RESULTS.csv --paper allegretti --item table2   # prints one table or figure

Reads lab/papers/PAPER.csv (the numbers of the papers), lab/papers/notes.toml (their statements, with rules that check them), and tables of
`voxcc bench` (default: all in lab/results but peers.csv). Of several measurements of the same value, the newest counts. docs/develop/bench.md
describes the columns.
"""

import sys

from papers.command import main

if __name__ == "__main__":
    main(__doc__, sys.argv[1:])
