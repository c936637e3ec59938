"""Reads the numbers of the papers from the CSV files beside this file.

Columns: item (table or figure; machine, datasets, rules for what belongs to no table), machine, volume, algorithm, quantity, value, unit,
page_or_section. A number that the text of the paper does not give has the value "not readable" or "not stated".
"""

import csv
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
UNREADABLE = "not readable"


@dataclass(frozen=True)
class Fact:
    item: str
    machine: str
    volume: str
    algorithm: str
    quantity: str
    value: str
    unit: str
    page_or_section: str

    @property
    def number(self):
        """The value as a number, or None."""
        try:
            return float(self.value)
        except ValueError:
            return None


def read_facts(paper, folder=FOLDER):
    """All facts of a paper."""
    with open(folder / f"{paper}.csv", newline="") as file:
        return [Fact(**row) for row in csv.DictReader(file)]
