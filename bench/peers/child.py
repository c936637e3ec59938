"""Runs a command and prints, on stdout's last line, JSON of what it took: python -S child.py COMMAND [ARGUMENT...]

CPU seconds (user + system) and peak of resident memory by wait4, wall seconds. A process of its own, with nothing imported: Linux counts
the memory that the caller has touched as the peak of what it starts.
"""

import os
import sys
from time import perf_counter

start = perf_counter()
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ), 0)
wall = perf_counter() - start
print(f'{{"cpu": {usage.ru_utime + usage.ru_stime}, "wall": {wall}, "peak": {usage.ru_maxrss * 1024}}}')
sys.exit(os.waitstatus_to_exitcode(status) != 0)
