"""The data of a figure, as values that JSON can hold. Does not need matplotlib."""

from dataclasses import asdict, dataclass, field

DIGITS = 4  # significant digits of the values


@dataclass
class Panel:
    """One of the small pictures of a figure. `kind` says what `series` contains, in the order from top to bottom:

    dots    {name: {mark: value}}: a row per series, a symbol per mark, logarithmic axis
    stacks  {name: {phase: value}}: a bar per series
    curves  {name: [[x, y], ...]}
    areas   {phase: [[x, y], ...]}, on top of each other; all have the same x
    """

    kind: str
    title: str
    series: dict
    xlabel: str
    ylabel: str = ""
    shows: str = ""  # the series that all rows belong to, if the rows are volumes
    limit: float | None = None  # the streaming limit, on the axis of the values
    scales: str = ""  # logarithmic axes of curves: "", "y" or "xy"
    fits: dict = field(default_factory=dict)  # fitted curves of `series`: {name: [[x, y], ...]}
    notes: dict = field(default_factory=dict)  # text beside a row, or beside the name of a curve in the legend: {name: text}


@dataclass
class Figure:
    """A file. `name`: of the file. `title`: what the figure shows. `source`: machine, date and version."""

    name: str
    title: str
    source: str
    panels: list

    def record(self):
        """The figure as JSON values, with rounded numbers and without empty fields."""
        panels = [{name: value for name, value in asdict(panel).items() if value not in ("", None, {})} for panel in self.panels]
        return rounded({"name": self.name, "title": self.title, "source": self.source, "panels": panels})


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, (list, tuple)) else value
