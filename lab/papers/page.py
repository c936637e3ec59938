"""Writes docs/reference/papers.md."""

import textwrap

from measurements import groups
from papers.claims import check_all
from papers.facts import UNREADABLE
from papers.rules import number

MOST_COLUMNS = 14
WIDTH = 120  # of a line of the page
UNITLESS = ("", "1", "formula", "not stated")
INTRODUCTION = """# The numbers of the papers beside ours

This page is for readers who compare voxcc with the five papers that its algorithms come from. `python3
lab/papers.py` writes it from `lab/papers/*.csv` (the numbers of the papers), `lab/papers/notes.toml` (their
statements) and the tables of `voxcc bench` in `lab/results`. Do not edit it by hand.

The papers have other machines, so absolute times do not compare. Ratios, orders and shapes of curves do. For each
statement, a rule computes the ratio (or order, or position) from the numbers of the paper and from ours. Bounds of
ratios are widened by 10 %, unless the statement only says which of two is smaller. A statement *agrees* if the rule
holds in all columns, and *agrees in part* if it holds in some of them.

Our times are medians from the first phase to the last on the GPU, numbering 1..K by first voxel included. Allocation
and transfers are not included unless the table says so. [bench.md](../develop/bench.md) describes the measurement.
"""
DATA_SETS = """## How to get the data sets

The authors of the first paper publish the YACCLAB data sets with their benchmark,
<https://github.com/prittt/YACCLAB>. The archives are:

| archive | address | contains |
|---|---|---|
| 2D | <https://imagelab.ing.unimore.it/files/YACCLAB_dataset_new.zip> | 3DPeS, Fingerprints, Hamlet, Medical, MIRflickr, Tobacco800, XDOCS, random images |
| 3D | <https://imagelab.ing.unimore.it/files/YACCLAB_dataset3D.zip> | Hilbert, OASIS, Mitochondria, random volumes |

The images are PNG files of 1 bit per pixel, which voxcc reads. The sets have licences of their own; read them before
you use the images. The paper's Hilbert volumes and random images need no download, because `voxcc bench` generates
them. To measure data sets and to add them to this page:

```
unzip YACCLAB_dataset_new.zip -d yacclab
voxcc bench --device cuda --paper allegretti --item table2 yacclab/*/fingerprints/*.png \\
  yacclab/*/xdocs/*.png --csv lab/results/DATE-MACHINE/table2.csv
python3 lab/papers.py
```

Each argument is one image, or one folder of numbered slices for a volume. The folders in the archives may have other
names than in this example. `lab/papers.py` recognises a data set by a folder in the path that has the name of the
set; upper and lower case are the same.

The video data sets of Asad et al. (DAVIS 2017, Pascal VOC 2012, SegTrack v2) are published by their authors. The
paper uses the masks of the foreground, scaled to 8192^2 by nearest neighbour.

See also: [algorithms.md](../develop/algorithms.md), [bench.md](../develop/bench.md),
[performance.md](../develop/performance.md).
"""


def text_of(grid, place):
    """A number as the paper has it, or rounded if it is measured or computed; - if there is none."""
    value = grid.at(*place)
    return "-" if value is None else f"{value:.8g}" if grid.facts else number(value)


def ordered(columns):
    """Densities and other numbers in ascending order; columns that are not all numbers as they are."""
    return sorted(columns, key=int) if all(column.isdigit() for column in columns) else columns


def shown_columns(columns):
    """All columns, or every tenth per cent where there are too many densities."""
    if len(columns) <= MOST_COLUMNS:
        return columns
    tens = [column for column in columns if column.isdigit() and int(column) % 10 == 0]
    return tens or columns[:MOST_COLUMNS]


def markdown(table):
    """The table with one line per row for the paper and one for voxcc."""
    columns = shown_columns(ordered(list(dict.fromkeys(table.paper.columns + table.ours.columns))))
    lines = [f"{table.title[0].upper()}{table.title[1:]}{', ' + table.unit if table.unit not in ('', '1') else ''}:", "",
             f"| | source | {' | '.join(columns)} |", "|" + "---|" * (len(columns) + 2)]
    for row in dict.fromkeys(table.paper.rows + table.ours.rows):
        for source, grid in (("paper", table.paper), ("voxcc", table.ours)):
            if row in grid.rows:
                lines.append(f"| {row} | {source} | {' | '.join(text_of(grid, (row, column)) for column in columns)} |")
    return lines + [""]


def missing(tables, command):
    """A sentence per command for the rows and columns of the paper that we have not measured."""
    if not any(table.ours.rows for table in tables):
        return [f"Not measured yet. Command: `{command}`.", ""]
    lacking = {}
    for table in tables:
        rows, columns = table.missing()
        what = [f"{kind} {', '.join(names)}" for kind, names in (("rows", rows), ("columns", columns)) if names]
        if what:
            lacking.setdefault(table.command or command, []).append(f"{table.key}: {'; '.join(what if table.ours.rows else ['all'])}")
    return [line for measuring, of in lacking.items() for line in (f"Not measured yet: {' / '.join(of)}. Command: `{measuring}`.", "")]


def addition(table):
    """A sentence below a table that the paper does not have and the command of the item does not measure."""
    if not table.command or table.paper.rows or table.wanted_rows or table.wanted_columns:
        return []
    return [f"The paper does not have this table. Command: `{table.command}`.", ""]


def sources(tables):
    """The machines and versions of our measurements."""
    found = {(run["device"].split(", ", 1)[-1], run["machine"], run["date"][:10], run["version"]) for table in tables for run in table.runs}
    return [f"voxcc: {'; '.join(f'{d} ({m}), {date}, {v}' for d, m, date, v in sorted(found))}.", ""] if found else []


def stated(fact):
    return f"{fact.quantity} {fact.value}{'' if fact.unit in UNITLESS else ' ' + fact.unit}"


def lines_of(facts):
    """One line per algorithm, volume and place: - MIRflickr: images 25000; density 0.4459 (section 6.1.1)."""
    together = groups(facts, lambda f: ", ".join(text for text in (f.algorithm, f.volume) if text), lambda f: f.page_or_section)
    return [f"- {f'{about}: ' if about else ''}{'; '.join(map(stated, some))} ({where})" for (about, where), some in together]


def other_facts(facts, tables):
    """The facts of an item that its tables do not show."""
    shown = {fact for table in tables for fact in table.paper.facts}
    rest = [fact for fact in facts if fact not in shown]
    unreadable = [f"The text of the paper does not give the {f.quantity} of {f.page_or_section}." for f in rest if f.value == UNREADABLE]
    others = lines_of([fact for fact in rest if fact.value != UNREADABLE])
    return [*dict.fromkeys(unreadable), *([""] if unreadable else []), *(["Also stated:", "", *others, ""] if others else [])]


def item_section(paper, item, facts, runs, notes):
    tables = item.tables(facts, runs)
    lines = [f"### {item.title}", ""]
    about = notes.get(paper.name, {}).get(item.name, {}).get("about")
    lines += [about, ""] if about else []
    for table in tables:
        if table.shown and (table.paper.rows or table.ours.rows):
            lines += markdown(table) + addition(table)
    lines += sources(tables)
    if item.measurable:
        lines += missing([table for table in tables if table.shown], paper.command(item))
    claims = check_all(notes, paper.name, item.name, tables)
    lines += [*(f"- {claim}" for claim in claims), ""] if claims else []
    return lines + other_facts([fact for fact in facts if fact.item == item.name], tables)


def summary(paper, facts, runs, notes):
    """[(verdict, number of claims)] of a paper."""
    verdicts = [claim.verdict for item in paper.items for claim in check_all(notes, paper.name, item.name, item.tables(facts, runs))]
    return {verdict: verdicts.count(verdict) for verdict in ("agrees", "agrees in part", "does not agree", "not measured", "not compared")}


def wrapped(line):
    """The line in parts of at most WIDTH characters; rows of tables are not divided."""
    if len(line) <= WIDTH or line.startswith("|"):
        return [line]
    indent = "  " if line.startswith("- ") else ""
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def paper_section(paper, facts, runs, notes, items):
    lines = [f"## {paper.name.capitalize()}", "", f"{paper.citation}.", ""]
    machine = [fact for fact in facts if fact.item == "machine"]
    if machine:
        lines += [f"The paper's machine: {'; '.join(map(stated, machine))}.", ""]
    for item in items:
        lines += item_section(paper, item, facts, runs, notes)
    if len(items) == len(paper.items):
        named = {item.name for item in paper.items} | {"machine"}
        rest = [fact for fact in facts if fact.item not in named]
        lines += ["### Further numbers", "", *lines_of(rest), ""] if rest else []
    return lines


def overview(papers, facts, runs, notes):
    counts = {paper.name: summary(paper, facts[paper.name], runs, notes) for paper in papers}
    verdicts = list(next(iter(counts.values())))
    return ["Statements of the papers:", "", f"| paper | {' | '.join(verdicts)} |", "|" + "---|" * (len(verdicts) + 1),
            *(f"| [{name}](#{name}) | {' | '.join(str(count[v]) for v in verdicts)} |" for name, count in counts.items()), ""]


def page(papers, facts, runs, notes):
    """The complete page as text."""
    lines = overview(papers, facts, runs, notes)
    for paper in papers:
        lines += paper_section(paper, facts[paper.name], runs, notes, paper.items)
    return "\n".join([INTRODUCTION, *(part for line in lines for part in wrapped(line)), DATA_SETS]).rstrip("\n") + "\n"
