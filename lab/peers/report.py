"""Writes the results of a run as markdown, CSV and JSON."""

import csv
import dataclasses
import json

TITLES = {
    "labelling": "Labelling, milliseconds (times voxcc's)",
    "labelling statistics": "Statistics of the components, milliseconds (times voxcc's)",
    "images": "Images, 8-connectivity, milliseconds (times voxcc's)",
    "images statistics": "Statistics of the images' components, milliseconds (times voxcc's)",
    "cuda": "Labelling on a GPU, milliseconds (times voxcc's)",
    "threads": "Threads, milliseconds",
    "isa": "Instruction sets, one thread, milliseconds of processor time",
    "isa statistics": "Statistics of the components by instruction set, one thread, milliseconds of processor time",
    "cold": "The first call of a process, one thread, milliseconds",
    "measures": "Measurements, one thread, milliseconds of processor time",
    "files": "From file to file, table and label volume (times voxcc's, one thread)",
    "memory": "Peak of resident memory from file to file, two threads",
}


def missed(figures):
    """The targets that this run does not reach, one line per target."""
    return [f"{figure.table}, {figure.case}, {figure.connectivity}: {figure.column} {figure} {figure.unit}, target {figure.target}"
            for figure in figures if not figure.reached]


def conclusion(figures):
    judged, missing = sum(figure.target is not None for figure in figures), missed(figures)
    return [f"{judged - len(missing)} of {judged} targets reached" + ("; missed:" if missing else ""), *missing]


def markdown(figures, about):
    text = "# voxcc beside its peers\n\n" + "".join(f"- {name}: {value}\n" for name, value in about.items())
    for table in dict.fromkeys(figure.table for figure in figures):
        text += f"\n## {TITLES[table]}\n\n" + markdown_table([figure for figure in figures if figure.table == table])
    first, *missing = conclusion(figures)
    return text + f"\n## Targets\n\n{first[0].upper()}{first[1:]}\n" + "".join(f"- {line}\n" for line in missing)


def markdown_table(figures):
    """A markdown table with one line per case, one column per figure, and a column of target verdicts if any figure has a target."""
    columns = list(dict.fromkeys((figure.column, figure.unit) for figure in figures))
    judged = any(figure.target for figure in figures)
    heads = ["volume", "connectivity", *(f"{name}, {unit}" if unit not in ("", "ms", "x") else name for name, unit in columns)]
    text = table_line(heads + ["targets"] * judged) + "|" + "---|" * (len(heads) + judged) + "\n"
    for key in dict.fromkeys((figure.case, figure.connectivity) for figure in figures):
        row = {figure.column: figure for figure in figures if (figure.case, figure.connectivity) == key}
        verdicts = ["; ".join(f"{figure.column}: {figure.verdict}" for figure in row.values() if figure.target)] if judged else []
        text += table_line([*map(str, key), *(str(row.get(name, "-")) for name, _ in columns), *verdicts])
    return text


def table_line(cells):
    return "| " + " | ".join(cells) + " |\n"


def record(figure):
    fields = {field.name: getattr(figure, field.name) for field in dataclasses.fields(figure)}
    return fields | {"target": "" if figure.target is None else str(figure.target), "verdict": figure.verdict}


def write(stem, figures, about):
    """Writes STEM.md, STEM.csv and STEM.json."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    records = [record(figure) for figure in figures]
    with open(f"{stem}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, records[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    with open(f"{stem}.json", "w") as file:
        json.dump({"about": about, "figures": records, "missed": missed(figures)}, file, indent=1)
        file.write("\n")
    with open(f"{stem}.md", "w") as file:
        file.write(markdown(figures, about))
