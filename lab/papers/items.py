"""What a paper consists of: items, which are its tables and figures."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """A table or figure. `name` is its name in `voxcc bench --paper PAPER --item NAME`.

    tables: function of the facts of the paper and of our measurements. It returns the tables that docs/reference/papers.md shows.
    inputs: further arguments of the command, for example images of data sets.
    measurable: whether `voxcc bench` measures the item.
    measured_by: the item of `voxcc bench` that measures this item, if it has another name.
    """

    name: str
    title: str
    tables: Callable
    inputs: str = ""
    measurable: bool = True
    device: str = "cuda"
    measured_by: str = ""


@dataclass(frozen=True)
class Paper:
    name: str
    citation: str
    items: tuple

    def item(self, name):
        found = [item for item in self.items if item.name == name]
        if not found:
            raise KeyError(f"'{name}' is not an item of {self.name}; use {', '.join(item.name for item in self.items)}")
        return found[0]

    def command(self, item):
        """The command that measures an item."""
        name = item.measured_by or item.name
        words = f"voxcc bench --device {item.device} --paper {self.name} --item {name} {item.inputs} --csv {self.name}-{name}.csv"
        return " ".join(words.split())
