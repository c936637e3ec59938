"""Heights and colours of the stacked bars of plots.py. Does not need matplotlib."""

import collections

from measurements import without_passes

STEPS = ["allocation", "init", "local", "join", "label", "merge", "compress", "number", "measure", "paint", "transfer"]
NOT_STEPS = ["on one alone"]  # the same labelling on one GPU, for comparison with a run on several GPUs
COLOURS = {"labelling": "tab:blue", "allocation and transfers": "tab:orange", "allocation": "tab:gray", "init": "tab:olive",
           "local": "tab:blue", "join": "tab:orange", "label": "tab:cyan", "merge": "tab:green", "compress": "tab:red",
           "number": "tab:purple", "measure": "tab:brown", "paint": "tab:pink", "transfer": "silver"}


def colour_of(part):
    """The fixed colour of a part, or None."""
    return COLOURS.get(part)


def first(rows, **wanted):
    """The value of the first row with the wanted columns; 0 if no row has them."""
    return next((row["value"] for row in rows if all(row[k] == v for k, v in wanted.items())), 0)


def unique(values):
    return list(dict.fromkeys(values))


def average_stacks(rows, names):
    """{part: [height per name]}. Tables without the phase "with allocation and transfers" have one part."""
    def medians(phase):
        return [first(rows, algorithm=name, phase=phase, statistic="median") for name in names]

    labelling = medians("labelling")
    added = [max(0, everything - own) for everything, own in zip(medians("with allocation and transfers"), labelling)]
    return {"labelling": labelling, "allocation and transfers": added} if any(added) else {"labelling": labelling}


def step_stacks(rows, names):
    """{step: [height per name]}: the sums of the phases of each step, in the order of STEPS."""
    sums = collections.Counter()
    for row in without_passes(rows):
        sums[row["algorithm"], row["phase"].split("/")[0]] += row["value"]
    found = [step for step in unique(step for _, step in sums) if step not in NOT_STEPS]
    return {step: [sums[name, step] for name in names] for step in sorted(found, key=(STEPS + found).index)}
