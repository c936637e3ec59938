"""Tables of numbers in the shape of the papers: the numbers of a paper and ours, with the same rows and columns."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from statistics import mean

from measurements import parameter, shape, way, without_passes


class Grid:
    """Numbers by row and column. `facts`: the facts of the paper that the numbers come from."""

    def __init__(self, cells=(), facts=()):
        self.cells = dict(cells)
        self.facts = tuple(facts)
        self.rows = list(dict.fromkeys(row for row, _ in self.cells))
        self.columns = list(dict.fromkeys(column for _, column in self.cells))

    def at(self, row, column):
        return self.cells.get((row, column))

    def transposed(self):
        return Grid({(column, row): value for (row, column), value in self.cells.items()}, self.facts)

    def line(self, row):
        """{column: value} of the columns that have a value in this row."""
        return {column: self.at(row, column) for column in self.columns if (row, column) in self.cells}


def merged(*grids):
    return Grid({place: value for grid in grids for place, value in grid.cells.items()}, [fact for grid in grids for fact in grid.facts])


@dataclass
class Table:
    """A table of an item. `key` is unique within the item; the claims in notes.toml name it."""

    key: str
    title: str
    unit: str
    paper: Grid = field(default_factory=Grid)
    ours: Grid = field(default_factory=Grid)
    runs: list = field(default_factory=list)  # the measurements that `ours` contains
    drawn_as: str = "dots"  # dots (a panel per column), transposed (per row), ranges, stacks, curves, areas; empty: not drawn
    xlabel: str = ""
    figure: str = ""  # tables of an item with different names here are drawn as different files
    shown: bool = True  # in docs/reference/papers.md; other tables are only drawn
    wanted_rows: tuple = ()  # of the paper, where its text has no numbers
    wanted_columns: tuple = ()
    command: str = ""  # measures this table, if the command of the item does not

    def missing(self):
        """(rows, columns) of the paper that our measurements do not have."""
        rows, columns = self.paper.rows + list(self.wanted_rows), self.paper.columns + list(self.wanted_columns)
        return [row for row in dict.fromkeys(rows) if row not in self.ours.rows], [
            column for column in dict.fromkeys(columns) if column not in self.ours.columns]


def stated(facts, row, column, **wanted):
    """The grid of the facts whose fields have the wanted values. row, column: functions of a fact."""
    chosen = [f for f in facts if f.number is not None and all(getattr(f, name) == value for name, value in wanted.items())]
    return Grid({(row(f), column(f)): f.number for f in chosen}, chosen)


def case(run):
    """What a measurement is of: measurements of one case that differ in nothing but the algorithm are compared with each other."""
    words = [word for word in run["parameters"].split() if not word.startswith(("properties=", "experiment=", "allocation="))]
    return kind_of(run), run["connectivity"], run["volume"], " ".join(words)


def session(run):
    """Which call of `voxcc bench` a measurement is from."""
    return run["date"], run["machine"], run["device"], run["version"], run["test"], parameter(run, "experiment") or ""


def of_one_session(runs):
    """For each case the measurements of one session, as times of different sessions must not be compared.

    Chooses the newest session that has more than half of the algorithms of the session with the most algorithms.
    """
    cases = defaultdict(lambda: defaultdict(list))
    for run in runs:
        cases[case(run)][session(run)].append(run)
    chosen = []
    for sessions in cases.values():
        algorithms = {key: len({(run["algorithm"], way(run)) for run in some}) for key, some in sessions.items()}
        chosen += sessions[max(key for key, count in algorithms.items() if 2 * count > max(algorithms.values()))]
    return chosen


def measured(runs, row, column, value=lambda run: run["value"]):
    """A grid and the measurements in it. row, column: functions of a measurement; measurements without row or column are left out.

    A cell is the sum over the phases of one volume, and the mean over the volumes.
    """
    used = of_one_session([run for run in runs if row(run) is not None and column(run) is not None])
    sums = defaultdict(lambda: defaultdict(float))
    for run in used:
        sums[row(run), column(run)][run["volume"], run["parameters"]] += value(run)
    return {"ours": Grid({place: mean(volumes.values()) for place, volumes in sums.items()}), "runs": used}


def pick(runs, **wanted):
    """The measurements whose columns have the wanted values; a wanted value may be a collection or a function."""
    def fits(value, wish):
        return wish(value) if callable(wish) else value == wish if isinstance(wish, str) else value in wish

    return [run for run in runs if all(fits(run[name], wish) for name, wish in wanted.items())]


def kind_of(run):
    """cuda or cpu."""
    return "cuda" if run["device"].startswith("cuda") else "cpu"


def on_gpu(runs):
    return [run for run in runs if kind_of(run) == "cuda"]


def usable(runs):
    """Each measurement once. Left out: several GPUs, as the papers have one; and another relabelling than the default."""
    some = [run for run in runs if not re.match(r"cuda:\d+,\d", run["device"]) and parameter(run, "relabel") in (None, "marks")]
    return list({tuple(run.values()): run for run in some}.values())


def step(run):
    """The step of a phase: merge/scan  ->  merge."""
    return run["phase"].split("/")[0]


def number_in(run, name):
    """A parameter as the label of a column: 0.50  ->  0.5; None if the measurement does not have it."""
    text = parameter(run, name)
    return text and f"{float(text):g}"


def is_time(run):
    """Whether a measurement is the median time of a volume, or the mean time of a data set, which has no shape."""
    return run["unit"] == "ms" and (run["statistic"] == "median" or run["statistic"] == "mean" and not shape(run))


def plain(runs):
    """The measurements of labelling without properties."""
    return [run for run in runs if way(run) in (None, "none", "ordinary")]


def totals(runs, *tests):
    """Median times of complete labellings."""
    return [run for run in pick(runs, test=tests, phase="labelling") if is_time(run)]


def step_times(runs):
    """Median times of the steps of labelling, without transfers."""
    some = [run for run in without_passes(pick(runs, test="steps")) if is_time(run)]
    return [run for run in some if step(run) not in ("labelling", "transfer") and not run["phase"].startswith("with")]
