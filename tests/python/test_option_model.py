"""Random combinations of the options of `voxcc label`, compared voxel by voxel with a model (option_model.py): in one piece, in slabs, and in parts.

`pytest tests/python/test_option_model.py --long`, or the variable VOXCC_LONG_TESTS, runs 5,000 combinations instead of 300.
"""

import itertools
import json
import random
import shutil
from collections import Counter

import numpy as np
import pytest
from helpers import noise
from option_cases import Case, compare, drawn_case, drawn_objects, drawn_options, in_parts, in_slabs, outputs, write_case
from option_model import Options, label
from option_refusals import REFUSED, REFUSED_IN_PARTS, REFUSED_IN_SLABS, reasons
from parts_steps import split

COMBINATIONS, LONG = 300, 5000


def pytest_generate_tests(metafunc):
    if "number" in metafunc.fixturenames:
        metafunc.parametrize("number", range(LONG if metafunc.config.getoption("long") else COMBINATIONS))


# --- Tests ------------------------------------------------------------------------------------------------------------------------------------


RUNS = Counter()


def test_a_combination(voxcc, tmp_path, number):
    case, is_nifti, draw = drawn_case(number)
    path, arguments = write_case(tmp_path, case, is_nifti)
    command = [path, *arguments]
    print("voxcc label", *map(str, command))  # pytest shows it if the test fails
    if reasons(REFUSED, case.options, case.stored.shape[0]):
        voxcc.fails(64, "label", *command, *outputs(tmp_path, "one"))
        voxcc.fails(64, "split", *command, "--part-size", "5", "-o", tmp_path / "plan.json")
        RUNS["refused"] += 1
    else:
        RUNS.update(compare(voxcc, tmp_path, case, command, draw, slabs=in_slabs(number), parts=in_parts(number)))
    shutil.rmtree(tmp_path)  # the files of a failure stay


def test_the_combinations_reach_all_modes():
    print(dict(RUNS))
    if RUNS["one piece"] + RUNS["refused"] + RUNS["no level"] < COMBINATIONS:
        pytest.skip("some combinations were not selected")
    assert RUNS["one piece"] > 0.7 * COMBINATIONS and RUNS["slabs"] > 0.2 * COMBINATIONS and RUNS["parts"] > 0.15 * COMBINATIONS


def test_the_combinations_have_all_pairs_of_options():
    pairs = set()
    for number in range(COMBINATIONS):
        case, _, _ = drawn_case(number)
        if not reasons(REFUSED, case.options, case.stored.shape[0]):
            pairs |= set(itertools.combinations(case.options.given(), 2))
    refused = {("invert", "multilabel"), ("multilabel", "delta"), ("multilabel", "split_signs"), ("delta", "split_signs"),
               ("fill_holes", "split_signs"), ("max_hole", "split_signs")}  # fmt: skip
    names = [name for name in vars(Options()) if name != "colour"]
    assert set(itertools.combinations(names, 2)) - pairs == refused


def options_of(text, mask):
    """Options from the names and values of a command line without dashes."""
    o = Options()
    for word in text.split():
        name, _, value = word.partition("=")
        number = int(value) if value.isdigit() else value
        setattr(o, name, mask if name == "mask" else number if value else True)
    return o


ONE_REASON = {
    "--invert and --multilabel": "invert multilabel",
    "--delta and --multilabel": "delta=1 multilabel",
    "--split-signs and --multilabel": "split_signs multilabel",
    "--split-signs and --delta": "split_signs delta=1",
    "--split-signs and --fill-holes": "split_signs fill_holes",
    "--delta, --fill-holes and --periodic": "delta=1 fill_holes periodic=x",
    "--colour and --multilabel": "colour=0 multilabel",
    "--colour and --delta": "colour=0 delta=1",
    "--colour and --split-signs": "colour=0 split_signs",
    "--colour and --threshold": "colour=0 threshold=>1",
    "--colour and --periodic": "colour=0 periodic=x",
    "--max-hole without --fill-holes": "max_hole=3",
    "--clear-mask-border without --mask": "clear_mask_border",
    "--periodic along the axis of --per-slice": "periodic=xy per_slice=y",
    "-c 6, 18 or 26 and --per-slice": "connectivity=6 per_slice=z",
    "-c 4 or 8 in a volume": "connectivity=8",
    "--min-size above --max-size": "min_size=5 max_size=4",
}
ONE_REASON_IN_PARTS = {
    "--per-slice": "per_slice=z",
    "--delta": "delta=1",
    "--colour": "colour=1",
    "--split-signs": "split_signs",
    "--fill-holes and --multilabel": "fill_holes multilabel",
    "--clear-mask-border": "mask clear_mask_border",
    "--inside": "inside",
}
ONE_REASON_IN_SLABS = {
    "--fill-holes and --multilabel": "fill_holes multilabel",
    "--fill-holes and --delta": "fill_holes delta=1",
    "--colour": "colour=0",
}


def test_each_reason_of_a_refusal(voxcc, tmp_path):
    """Each row of the tables of refusals alone. In all other combinations, several rows may apply."""
    assert [*ONE_REASON] == [*REFUSED] and [*ONE_REASON_IN_PARTS] == [*REFUSED_IN_PARTS] and [*ONE_REASON_IN_SLABS] == [*REFUSED_IN_SLABS]
    values = np.random.default_rng(1).integers(0, 4, (9, 8, 7)).astype(np.int16)
    colours = np.random.default_rng(2).integers(0, 2, (1, 18, 17, 3)).astype(np.uint8)
    for texts, table in ((ONE_REASON, REFUSED), (ONE_REASON_IN_PARTS, REFUSED_IN_PARTS), (ONE_REASON_IN_SLABS, REFUSED_IN_SLABS)):
        for name, text in texts.items():
            stored = colours if "colour" in text else values
            case = Case(stored, (1, 0), options_of(text, np.ones(stored.shape[:3], np.uint8)), "colour" in text)
            assert reasons(table, case.options, *([len(stored)] if table is REFUSED else [])) == [name]
            path, arguments = write_case(tmp_path, case, False)
            if table is REFUSED:
                voxcc.fails(64, "label", path, *arguments, *outputs(tmp_path, "one"))
                voxcc.fails(64, "split", path, *arguments, "--part-size", "5", "-o", tmp_path / "plan.json")
            else:
                compare(voxcc, tmp_path, case, [path, *arguments, "-f"], random.Random(1))


@pytest.mark.parametrize("seed", range(40))
def test_colours(voxcc, tmp_path, seed):
    """Images of layers and boxes of a few colours, with holes."""
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    shape = (1, draw.randint(3, 24), draw.randint(3, 24))
    palette = np.array([[0, 0, 0], [9, 0, 0], [0, 5, 0], [9, 1, 0], [0, 0, 200]], np.uint8)
    stored = palette[drawn_objects(draw, rng, shape, ("layers", "cells", "noise"))]
    o = drawn_options(draw, rng, np.zeros(shape, np.uint8), draw.random() < 0.6)
    o.colour, o.threshold, o.multilabel, o.delta, o.split_signs, o.periodic = draw.choice((0, 1, 13, 14)), None, False, None, False, ""
    case = Case(stored, (1, 0), o, True)
    path, arguments = write_case(tmp_path, case, False)
    if reasons(REFUSED, o, 1):
        voxcc.fails(64, "label", path, *arguments, *outputs(tmp_path, "one"))
    else:
        compare(voxcc, tmp_path, case, [path, *arguments], draw)


def block(shape=(7, 7, 10), zeros=()):
    """Ones, with zeros at the named voxels: (z, y, x)."""
    values = np.ones(shape, np.int16)
    for place in zeros:
        values[place] = 0
    return values


def crafted():
    """Name -> values, mask, options, and the number of voxels with a label that the docs state."""
    hole = np.s_[2:5, 2:5, 3:6]
    shell = block(zeros=[hole])
    ends, steps = block(zeros=[(3, 3, 9)]), block(zeros=[(3, 3, 4)])
    ends[:, :, 0] = 2
    steps += np.where(steps == 1, np.arange(10, dtype=np.int16), 0)
    inner = np.zeros(shell.shape, np.uint8)  # the voxel in the middle of the hole, and the voxels outside the shell's hole
    inner[3, 3, 4] = 1
    inner[shell == 1] = 1
    part = np.ones(shell.shape, np.uint8)
    part[2:5, 2:5, 3:5] = 0
    half = np.ones(ends.shape, np.uint8)
    half[3, 3, 0] = 0
    alone = np.zeros(ends.shape, np.int16)
    alone[3, 3, 9] = 1
    return {
        "a hole between two values around an end": (ends, None, "fill_holes multilabel periodic=x", 489),
        "a hole at an end that is border": (ends, None, "fill_holes multilabel", 489),
        "a hole between two values around an end": (ends, None, "fill_holes multilabel periodic=x", 489),
        "a ring of steps whose ends are not connected": (steps, None, "delta=1 periodic=x connectivity=6", 489),
        "voxels outside the mask count for the size of a hole: too large": (shell, part, "fill_holes max_hole=26 mask", 463),
        "voxels outside the mask count for the size of a hole": (shell, part, "fill_holes max_hole=27 mask", 472),
        "a filled voxel apart from the component around it": (shell, inner, "fill_holes mask inside", 464),
        "a filled voxel apart, with values": (shell, inner, "fill_holes mask multilabel", 464),
        "a filled voxel apart, with differences": (shell, inner, "fill_holes mask delta=1", 464),
        "a mask border around an end": (alone, half, "mask clear_mask_border periodic=x", 0),
        "a mask border at an end that is not periodic": (alone, half, "mask clear_mask_border", 1),
        "a volume without border and without foreground": (alone * 0, None, "fill_holes periodic=xyz", 490),
        "a volume without border and without values": (alone * 0, None, "fill_holes periodic=xyz multilabel", 0),
        "an axis whose two voxels are neighbours twice": (block((4, 5, 2)), None, "periodic=xy connectivity=6", 40),
    }


@pytest.mark.parametrize("name", crafted())
def test_a_crafted_volume(voxcc, tmp_path, name):
    values, mask, text, count = crafted()[name]
    case = Case(values, (1, 0), options_of(text, mask), False)
    assert np.count_nonzero(label(values, case.options)[0]) == count
    path, arguments = write_case(tmp_path, case, False)
    compare(voxcc, tmp_path, case, [path, *arguments], random.Random(1))
