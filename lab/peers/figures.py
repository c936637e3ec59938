"""The figures of a table with their targets, and the rounds of measurements from which figures are computed."""

import dataclasses
import statistics

from .targets import Target, target_of


@dataclasses.dataclass(frozen=True)
class Figure:
    table: str
    case: str  # volume, and other parameters that identify the row
    connectivity: int
    column: str
    value: float
    unit: str
    least: float
    greatest: float
    times_voxcc: float | None  # ratio of this figure to voxcc's figure
    target: Target | None

    @property
    def reached(self):
        return self.target is None or self.target.reached_by(self.value)

    @property
    def verdict(self):
        return "" if self.target is None else f"{'reached' if self.reached else 'MISSED'} {self.target}: {amount(self.value)}"

    def __str__(self):
        times = "" if self.times_voxcc is None else f" ({amount(self.times_voxcc)})"
        return f"{amount(self.value)}{times}" if self.unit else str(int(self.value))


def amount(value):
    """The value with about three significant digits, without an exponent."""
    digits = next((digits for bound, digits in ((1000, 0), (10, 1), (1, 2)) if abs(value) >= bound), 3)
    return f"{value:.{digits}f}"


class Row:
    """Makes the figures of one row of a table."""

    def __init__(self, table, case, connectivity):
        self.key = table, case, connectivity

    def measured(self, column, unit, values, times_voxcc=None):
        """The median of the rounds."""
        return Figure(*self.key, column, statistics.median(values), unit, min(values), max(values), times_voxcc, None)

    def derived(self, column, unit, value):
        """A ratio or a share that is computed from medians, with its target if there is one."""
        return Figure(*self.key, column, value, unit, value, value, None, target_of(*self.key, column))

    def unjudged(self, column, unit, value):
        """A derived figure to which no target applies, such as the speedup by threads for a labelling of a few milliseconds."""
        return Figure(*self.key, column, value, unit, value, value, None, None)


def interleaved(calls, rounds, dropped=1):
    """Calls each of `calls` once per round, so background load affects all of them equally. Returns name -> results of `rounds` rounds.
    The results of `dropped` earlier rounds are discarded."""
    results = {name: [] for name in calls}
    for number in range(-dropped, rounds):
        for name, call in calls.items():
            result = call()
            if number >= 0:
                results[name].append(result)
    return results
