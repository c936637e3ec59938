"""The combinations of options that `voxcc label` refuses, with the reasons, for option_model.py. docs/manual/options.md lists them."""

# Each row: its name, and whether it refuses the options for a volume of `slices` slices. The exit code is 64.
REFUSED = {
    "--invert and --multilabel": lambda o, slices: o.invert and o.multilabel,
    "--delta and --multilabel": lambda o, slices: o.delta is not None and o.multilabel,
    "--split-signs and --multilabel": lambda o, slices: o.split_signs and o.multilabel,
    "--split-signs and --delta": lambda o, slices: o.split_signs and o.delta is not None,
    "--split-signs and --fill-holes": lambda o, slices: o.split_signs and o.fill_holes,
    "--delta, --fill-holes and --periodic": lambda o, slices: o.delta is not None and o.fill_holes and o.periodic,
    "--colour and --multilabel": lambda o, slices: o.colour is not None and o.multilabel,
    "--colour and --delta": lambda o, slices: o.colour is not None and o.delta is not None,
    "--colour and --split-signs": lambda o, slices: o.colour is not None and o.split_signs,
    "--colour and --threshold": lambda o, slices: o.colour is not None and (o.threshold or "nonzero") != "nonzero",
    "--colour and --periodic": lambda o, slices: o.colour is not None and bool(o.periodic),
    "--max-hole without --fill-holes": lambda o, slices: o.max_hole is not None and not o.fill_holes,
    "--clear-mask-border without --mask": lambda o, slices: o.clear_mask_border and o.mask is None,
    "--periodic along the axis of --per-slice": lambda o, slices: bool(o.per_slice) and o.per_slice in o.periodic,
    "-c 6, 18 or 26 and --per-slice": lambda o, slices: bool(o.per_slice) and o.connectivity in (6, 18, 26),
    "-c 4 or 8 in a volume": lambda o, slices: not o.per_slice and o.connectivity in (4, 8) and slices > 1,
    "--min-size above --max-size": lambda o, slices: None not in (o.min_size, o.max_size) and o.min_size > o.max_size,
}

# As REFUSED, for parts. `voxcc split` has the exit code 64.
REFUSED_IN_PARTS = {
    "--per-slice": lambda o: bool(o.per_slice),
    "--delta": lambda o: o.delta is not None,
    "--colour": lambda o: o.colour is not None,
    "--split-signs": lambda o: o.split_signs,
    "--fill-holes and --multilabel": lambda o: o.fill_holes and o.multilabel,
    "--clear-mask-border": lambda o: o.clear_mask_border,
    "--inside": lambda o: o.inside,
}

# As REFUSED, for volumes that need more memory than --max-memory. The exit code is 71.
REFUSED_IN_SLABS = {
    "--fill-holes and --multilabel": lambda o: o.fill_holes and o.multilabel,
    "--fill-holes and --delta": lambda o: o.fill_holes and o.delta is not None,
    "--colour": lambda o: o.colour is not None,
}


def reasons(table, *about):
    """The names of the rows that refuse the options."""
    return [name for name, refuses in table.items() if refuses(*about)]
