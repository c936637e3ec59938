"""The sentences of notes.toml, and whether the numbers of the papers and ours agree with them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from papers.rules import AGREES, RULES, Outcome

NOTES = Path(__file__).with_name("notes.toml")
FIELDS = {"says", "where", "table", "rule", "reason", "over", "under", "low", "high", "columns", "rows", "others", "row", "other", "at",
          "within", "from", "to", "transposed", "strict"}


@dataclass(frozen=True)
class Checked:
    """A claim, with what the numbers of the paper and our numbers give; None where there are no numbers."""

    claim: dict
    paper: Outcome | None
    ours: Outcome | None

    @property
    def verdict(self):
        return self.ours.state if self.ours else "not measured" if "rule" in self.claim else "not compared"

    def __str__(self):
        claim = self.claim
        words = [f"{claim['says']} ({claim['where']})."]
        if self.paper:
            words.append(f"The paper's numbers: {self.paper.found}.")
        if self.ours:
            words.append(f"voxcc: {self.ours.found}.")
        words.append(f"**{self.verdict[0].upper()}{self.verdict[1:]}.**")
        if "reason" in claim and self.ours and self.ours.state != AGREES:
            words.append(claim["reason"])
        return " ".join(words)


class NotesError(Exception):
    """notes.toml does not fit the items."""


def read_notes(path=NOTES):
    """{paper: {item: {"about": text, "claims": [claim]}}}"""
    with open(path, "rb") as file:
        return tomllib.load(file)


def check(claim, tables):
    """The claim against the tables of its item."""
    unknown = claim.keys() - FIELDS
    if unknown or not {"says", "where"} <= claim.keys():
        raise NotesError(f"claim '{claim.get('says')}': unknown or missing fields: {sorted(unknown)}")
    if "rule" not in claim:
        return Checked(claim, None, None)
    if claim["rule"] not in RULES:
        raise NotesError(f"claim '{claim['says']}': '{claim['rule']}' is not a rule; use {', '.join(RULES)}")
    found = [table for table in tables if table.key == claim["table"]]
    if not found:
        raise NotesError(f"claim '{claim['says']}': '{claim['table']}' is not a table; use {', '.join(table.key for table in tables)}")
    rule = RULES[claim["rule"]]
    grids = [grid.transposed() if claim.get("transposed") else grid for grid in (found[0].paper, found[0].ours)]
    return Checked(claim, *(rule(grid, claim) for grid in grids))


def check_all(notes, paper, item, tables):
    """All claims of an item."""
    return [check(claim, tables) for claim in notes.get(paper, {}).get(item, {}).get("claims", [])]
