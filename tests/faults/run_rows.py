"""Runs the tests of the fault matrix, and prints one line per row: number, title, and held, failed, skipped or no test.

usage: tests/faults/run [--all] [ROW...]
  --all   also run the tests with the mark "long"
The exit code is 1 if a row failed or has no test.
"""

import argparse
import os
import re
import sys
from pathlib import Path

import pytest
from rows import TITLES

FOLDER = Path(__file__).resolve().parent


class Results:
    """A plugin of pytest that collects the results by row."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.failed, self.held, self.skipped, self.long = {}, {}, {}, {}

    def pytest_collection_modifyitems(self, config, items):
        wanted = [item for item in items if row_of(item.name) in self.numbers]
        config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
        items[:] = wanted

    def pytest_deselected(self, items):
        for item in items:
            if item.get_closest_marker("long"):
                self.long.setdefault(row_of(item.name), []).append(item.name)

    def pytest_runtest_logreport(self, report):
        row = row_of(report.nodeid.split("::")[-1])
        if report.failed:
            self.failed.setdefault(row, []).append(report.nodeid.split("::")[-1])
        elif report.skipped:
            known = getattr(report, "wasxfail", None)  # an expected failure
            reason = f"known fault: {known}" if known else str(report.longrepr[-1]).removeprefix("Skipped: ")
            self.skipped.setdefault(row, []).append(reason)
        elif report.when == "call":
            self.held.setdefault(row, []).append(report.nodeid)

    def state_of(self, row):
        """One of held, failed, skipped and no test, and its reason."""
        if row in self.failed:
            return "failed", "; ".join(self.failed[row])
        reasons = sorted(set(self.skipped.get(row, [])))
        if row in self.long:
            reasons.append(f"{len(self.long[row])} long; run with --all")
        if row in self.held:
            return "held", f"{len(self.held[row])} tests" + (f"; not run: {'; '.join(reasons)}" if reasons else "")
        return ("skipped", "; ".join(reasons)) if reasons else ("no test", "")


def row_of(name):
    found = re.match(r"test_row(\d\d)_", name)
    return int(found[1]) if found else 0


def main():
    parser = argparse.ArgumentParser(prog="tests/faults/run", description="Run the tests of the fault matrix (docs/develop/reliability.md).")
    parser.add_argument("--all", action="store_true", help="also run long tests")
    parser.add_argument("rows", metavar="ROW", type=int, nargs="*", help="row numbers (default: all rows)")
    given = parser.parse_args()
    numbers = given.rows or list(TITLES)
    if not set(numbers) <= set(TITLES):
        parser.error("rows have numbers from 1 to 62")
    results = Results(set(numbers))
    os.environ.setdefault("VOXCC", str(FOLDER.parents[1] / "build" / "voxcc"))
    pytest.main(["-q", "-p", "no:cacheprovider", *([] if given.all else ["-m", "not long"]), str(FOLDER)], plugins=[results])
    counts = {}
    for row in numbers:
        state, reason = results.state_of(row)
        counts[state] = counts.get(state, 0) + 1
        print(f"{row:2}  {TITLES[row]:42}  {state}{f' ({reason})' if reason else ''}")
    print(", ".join(f"{count} {state}" for state, count in sorted(counts.items())))
    return 1 if "failed" in counts or "no test" in counts else 0


if __name__ == "__main__":
    sys.exit(main())
