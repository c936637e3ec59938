"""Runs a command and prints its time and memory as JSON in the last line of stdout: python -S child.py COMMAND [ARGUMENT...]

Prints CPU seconds (user + system) and peak resident memory, both from wait4, and wall seconds. This is a separate process with few
imports, because Linux counts the resident memory of the parent process towards the peak of the child.
"""

import os
import sys
from time import perf_counter

start = perf_counter()
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ), 0)
wall = perf_counter() - start
print(f'{{"cpu": {usage.ru_utime + usage.ru_stime}, "wall": {wall}, "peak": {usage.ru_maxrss * 1024}}}')
sys.exit(os.waitstatus_to_exitcode(status) != 0)
