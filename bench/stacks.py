"""Heights and colours of the bars that plots.py stacks on top of each other. Needs no matplotlib."""

import collections

STEPS = ["allocation", "init", "local", "join", "label", "merge", "compress", "number", "measure", "paint", "transfer"]
NOT_STEPS = ["on one alone"]  # the same labelling on one GPU, beside the run on several
COLOURS = {"labelling": "tab:blue", "allocation and transfers": "tab:orange", "allocation": "tab:gray", "init": "tab:olive",
           "local": "tab:blue", "join": "tab:orange", "label": "tab:cyan", "merge": "tab:green", "compress": "tab:red",
           "number": "tab:purple", "measure": "tab:brown", "paint": "tab:pink", "transfer": "silver"}


def colour_of(part):
    """The same colour in every picture; None for a part without a fixed colour."""
    return COLOURS.get(part)


def first(rows, **wanted):
    """The first value whose row has the wanted columns; 0 if there is none."""
    return next((row["value"] for row in rows if all(row[k] == v for k, v in wanted.items())), 0)


def unique(values):
    return list(dict.fromkeys(values))


def average_stacks(rows, names):
    """{part: [height of each name]}. Tables without the phase "with allocation and transfers" have one part."""
    def medians(phase):
        return [first(rows, algorithm=name, phase=phase, statistic="median") for name in names]

    labelling = medians("labelling")
    added = [max(0, everything - own) for everything, own in zip(medians("with allocation and transfers"), labelling)]
    return {"labelling": labelling, "allocation and transfers": added} if any(added) else {"labelling": labelling}


def step_stacks(rows, names):
    """{step: [height of each name]}: the phases by the step they belong to, in the order of STEPS."""
    sums = collections.Counter()
    for row in rows:
        sums[row["algorithm"], row["phase"].split("/")[0]] += row["value"]
    found = [step for step in unique(step for _, step in sums) if step not in NOT_STEPS]
    return {step: [sums[name, step] for name in names] for step in sorted(found, key=(STEPS + found).index)}
