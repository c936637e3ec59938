"""The tables that measure only voxcc, with bench_engine: threads, instruction sets, and the first call of a process."""

import itertools
import json
import os
import statistics
import subprocess
import sys

from .figures import Row, interleaved
from .targets import AVX2, COLD, WIDER
from .volumes import cases, path_of

ISAS = ("portable", "avx2", "avx512")
SHORT = 20.0  # milliseconds; targets for threads apply only to volumes that take longer with one thread


def bench(arguments, volume, connectivity, *, threads=1, isa=None, warmup=1, repeat=1):
    """The JSON of bench_engine: seconds of each repetition per stage, and the number of components. isa: overrides --isa."""
    wanted = isa or arguments.isa
    command = [arguments.bench_engine, path_of(volume, arguments), "--connectivity", connectivity, "--threads", threads, "--repeat", repeat,
               "--warmup", warmup]
    command += ["--isa", wanted] if wanted else []
    command += ["--multilabel"] if volume.multilabel else []
    command += [] if volume.above is None else ["--above", volume.above]
    done = json.loads(subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout)
    if not isa and arguments.isa not in (None, done["isa"]):
        sys.exit(f"--isa {arguments.isa}: this processor does not support it; choose {done['isa']}")
    return done


def milliseconds(result):
    return statistics.median(result["label"]) * 1e3


def compared(arguments, volume, connectivity, variants):
    """Milliseconds of each round; variants: name -> options of bench()."""
    calls = {name: lambda options=options: milliseconds(bench(arguments, volume, connectivity, **options))
             for name, options in variants.items()}
    return interleaved(calls, arguments.rounds, dropped=0)


def threads(arguments):
    """Compares one thread with several threads."""
    cores = len(os.sched_getaffinity(0))
    numbers = [1, *(number for number in arguments.threads if number > 1)]
    for volume, connectivity in cases(arguments):
        row = Row("threads", volume.name, connectivity)
        taken = compared(arguments, volume, connectivity, {number: {"threads": number} for number in numbers})
        one = statistics.median(taken[1])
        for number in numbers:
            yield row.measured(f"{number} thread{'s' * (number > 1)}", "ms", taken[number])
        for number in numbers[1:]:
            judged = row.derived if one > SHORT and number <= cores else row.unjudged
            yield judged(f"{number} threads, times faster", "x", one / statistics.median(taken[number]))


def isa(arguments):
    """Compares the instruction sets that this machine supports: labelling, and the sums of all components."""
    volumes = list(cases(arguments, table="isa"))
    here = [name for name in ISAS if volumes and bench(arguments, *volumes[0], isa=name)["isa"] == name]
    for volume, connectivity in volumes:
        calls = {name: lambda name=name: bench(arguments, volume, connectivity, isa=name, repeat=3) for name in here}
        done = interleaved(calls, arguments.rounds, dropped=0)
        yield from isa_rows(Row("isa", volume.name, connectivity), done, "label")
        yield from isa_rows(Row("isa statistics", volume.name, connectivity), done, "measure")


def isa_rows(row, done, task):
    """The processor time of a task in milliseconds per instruction set, and the ratios of the sets. done: name -> results of bench(),
    narrow sets first."""
    taken = {name: [statistics.median(result["cpu"][task]) * 1e3 for result in results] for name, results in done.items()}
    for name, values in taken.items():
        yield row.measured(name, "ms", values)
    if {"avx2", "avx512"} <= taken.keys():
        yield row.derived(AVX2, "x", statistics.median(taken["avx2"]) / statistics.median(taken["avx512"]))
    medians = [statistics.median(values) for values in taken.values()]
    if len(medians) > 1:
        yield row.derived(WIDER, "x", max(wide / narrow for narrow, wide in itertools.combinations(medians, 2)))


def cold(arguments):
    """Compares the first call in a process, which accesses its memory for the first time, with the median of the next four calls."""
    for volume, connectivity in cases(arguments):
        row = Row("cold", volume.name, connectivity)
        label = [bench(arguments, volume, connectivity, warmup=0, repeat=5)["label"] for _ in range(arguments.rounds)]
        first, later = [seconds[0] * 1e3 for seconds in label], [statistics.median(seconds[1:]) * 1e3 for seconds in label]
        yield row.measured("cold", "ms", first)
        yield row.measured("warm", "ms", later)
        yield row.derived(COLD, "x", statistics.median(first) / statistics.median(later))
