"""A figure of a table, with the target that it is held against; and the rounds that figures come from."""

import dataclasses
import statistics

from .targets import Target, target_of


@dataclasses.dataclass(frozen=True)
class Figure:
    table: str
    case: str  # volume, and whatever else tells rows apart
    connectivity: int
    column: str
    value: float
    unit: str
    least: float
    greatest: float
    times_voxcc: float | None  # how many times voxcc's figure this is
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
    """Three digits or so, never a power of ten."""
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
        """A ratio of medians or a share; what targets are about."""
        return Figure(*self.key, column, value, unit, value, value, None, target_of(*self.key, column))

    def unjudged(self, column, unit, value):
        """Derived where the target does not hold, such as the gain of threads in a few milliseconds."""
        return Figure(*self.key, column, value, unit, value, value, None, None)


def interleaved(calls, rounds, dropped=1):
    """Calls each of `calls` once a round: whatever else the machine does meets all. Name -> results, without the first `dropped` rounds."""
    results = {name: [] for name in calls}
    for number in range(-dropped, rounds):
        for name, call in calls.items():
            result = call()
            if number >= 0:
                results[name].append(result)
    return results
