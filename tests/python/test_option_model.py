"""Random combinations of the options of `voxcc label`, compared voxel by voxel with a model (option_model.py): in one piece, in slabs, and in parts.

`pytest tests/python/test_option_model.py --long`, or the variable VOXCC_LONG_TESTS, runs 5,000 combinations instead of 300.
"""

import itertools
import json
import os
import random
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass

import nibabel
import numpy as np
import pytest
import scipy.ndimage
from helpers import noise, read_table, write_nifti
from option_model import REFUSED, REFUSED_IN_PARTS, REFUSED_IN_SLABS, NoLevel, Options, columns_of, is_inside, label, reasons
from parts_steps import finish, merge, merge_background, relabel, split
from parts_steps import label as label_parts
from PIL import Image

COMBINATIONS, LONG = 300, 5000
DTYPES = ("uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
NIFTI_DTYPES = ("uint8", "int16", "uint16", "int32", "float32", "float64")
RULES = ("", "multilabel", "delta", "split_signs")  # which neighbours are connected
KINDS = ("noise", "cells", "shells", "boxes", "layers")
SCALINGS = ((0.5, -1), (2, 1), (-1, 0), (0.5, 0))


def pytest_generate_tests(metafunc):
    if "number" in metafunc.fixturenames:
        metafunc.parametrize("number", range(LONG if metafunc.config.getoption("long") else COMBINATIONS))


# --- Random volumes and options ---------------------------------------------------------------------------------------------------------------


@dataclass
class Case:
    stored: np.ndarray  # [z, y, x]
    scaling: tuple
    options: Options
    is_image: bool  # the file has two axes


def drawn_shape(draw):
    kind = draw.random()
    if kind < 0.65:
        return tuple(draw.randint(draw.choice((2, 4, 6)), 14) for _ in range(3))
    if kind < 0.8:
        return (1, draw.randint(2, 24), draw.randint(2, 24))
    if kind < 0.85:
        return tuple(draw.sample((1, draw.randint(1, 9), draw.randint(1, 20)), 3))
    return tuple(draw.sample((draw.randint(1, 6), draw.randint(2, 6), draw.randint(40, 140)), 3))


def drawn_objects(draw, rng, shape, kinds):
    """Numbers of objects from 0 (background) to 4."""
    kind = draw.choice(kinds)
    if kind == "noise":
        return rng.integers(1, draw.choice((2, 3, 5)), shape) * (rng.random(shape) < draw.choice((0.1, 0.3, 0.6, 0.8, 0.9, 0.96)))
    if kind == "cells":
        seeds = np.ones(shape, bool)
        seeds.flat[rng.integers(0, seeds.size, draw.randint(1, 12))] = False
        nearest = scipy.ndimage.distance_transform_edt(seeds, return_distances=False, return_indices=True)
        objects = rng.integers(draw.choice((0, 1)), 5, shape)[tuple(nearest)]
    elif kind == "shells":
        ends = [np.minimum(index, extent - 1 - index) if extent > 1 else 99 for index, extent in zip(np.indices(shape), shape)]
        objects = np.isin(np.minimum.reduce(np.broadcast_arrays(*ends)) % 3, draw.choice(((0,), (1,), (0, 1)))) * draw.randint(1, 4)
    elif kind == "layers":  # with holes inside of them and between them
        along = np.indices(shape)[draw.randrange(3)] // draw.randint(3, 9)
        first = draw.choice(((1,), (1, 2), (3, 1, 2), (1, 0, 2), (1, 2, 3, 4)))
        objects = np.array([*first, *(rng.integers(1, 4, 50) if draw.random() < 0.5 else [first[-1]] * 50)])[along]
        for _ in range(draw.randint(1, 12)):
            objects[drawn_box(draw, shape, draw.choice((1, 2, 3)))] = 0
    else:
        objects = np.zeros(shape, int)
        for _ in range(draw.randint(1, 8)):
            objects[drawn_box(draw, shape, 9)] = draw.randint(1, 4)
    for _ in range(draw.randint(0, 8)):
        objects[drawn_box(draw, shape, 3)] = draw.choice((0, 0, 0, 1, 2, 3))
    return np.where(rng.random(shape) < draw.choice((0, 0.02, 0.06, 0.12)), 0, objects)


def drawn_box(draw, shape, longest):
    return tuple(slice(start := draw.randrange(extent), start + draw.randint(1, longest)) for extent in shape)


def drawn_values(draw, rng, objects, dtype):
    """Objects with values of a type. Floating-point volumes may have NaN, infinities and -0."""
    values = np.array([0, *draw.choice(((1, 2, 3, 4), (4, 1, 3, 2), (1, 1, 2, 5), (1, -1, 2, -2), (-3, 1, 4, -1)))])
    volume = (np.abs(values) if dtype.startswith("u") else values)[objects].astype(dtype)
    if dtype.startswith("f"):
        volume *= dtype == "float64" or draw.choice((1, 0.5))
        for special, likely in ((np.nan, 0.5), (-0.0, 0.3), (np.inf, 0.15), (-np.inf, 0.1)):
            if draw.random() < likely:
                volume[rng.random(volume.shape) < draw.choice((0.01, 0.03, 0.1))] = special
    return volume


def drawn_threshold(draw, volume):
    rules = [">0", ">1", ">=2", "<2", "<=1", "1", "0.5", "1:3", ":1", "2:", "-2:1", "==1", "==1,4", "!=0", "!=2", "!=2,3", "abs>1", "abs>=2", ">0.5",
             "50%", "25%"]  # fmt: skip
    if not np.isinf(volume.astype(float)).any():
        rules += ["p50", "p75", "p10"]
    return draw.choice(rules)


def drawn_mask(draw, rng, shape):
    inside = noise(shape, draw.choice((0.5, 0.8, 0.95)), draw.choice((1, 2, 4)), draw.randrange(999))
    if draw.random() < 0.6:
        inside[...] = 1
        for _ in range(draw.randint(0, 4)):
            inside[drawn_box(draw, shape, 5)] = 0
    if draw.random() < 0.6:
        return (inside * draw.choice((1, 7))).astype(draw.choice(("uint8", "int16")))
    mask = (inside * rng.choice([0.5, 2, -1], shape)).astype(draw.choice(("float32", "float64")))
    mask[rng.random(shape) < 0.03] = np.nan
    return mask


def drawn_options(draw, rng, volume, with_holes):
    """Options without regard to contradictions. with_holes: fill holes, and select fewer components."""
    o = Options()
    likely = draw.choice((0.15, 0.3, 0.5))
    has = lambda factor=1.0: draw.random() < likely * factor  # noqa: E731
    if has(0.5 if with_holes else 1.3):
        o.threshold = drawn_threshold(draw, volume)
    o.invert = has(0.3 if with_holes else 0.7)
    if has(1.5):
        o.mask = drawn_mask(draw, rng, volume.shape)
    rules = draw.choices(RULES, (5, 3, 2, 0.2) if with_holes else (4, 2, 2, 3), k=2 if draw.random() < 0.06 else 1)
    o.multilabel, o.split_signs = "multilabel" in rules, "split_signs" in rules
    o.delta = draw.choice((0, 0.5, 1, 2)) if "delta" in rules else None
    o.fill_holes = with_holes or has(0.1 if o.split_signs else 1)
    if has(0.8 if o.fill_holes else 0.1):
        o.max_hole = draw.choice((1, 2, 5, 20))
    o.per_slice = draw.choice("xyz") if has(0.9) else ""
    numbers = (4, 8) if o.per_slice else (6, 18, 26, 4, 8) if volume.shape[0] == 1 else (6, 18, 26)
    if draw.random() < 0.8:
        o.connectivity = draw.choice(numbers if draw.random() < 0.97 else (4, 8, 6, 18, 26))
    o.periodic = "".join(axis for axis in "xyz" if draw.random() < 0.6) if has(1.3) else ""
    o.clear_border = has(0.4 if with_holes else 0.8)
    o.clear_mask_border = has(1 if o.mask is not None else 0.1)
    o.min_size = draw.choice((1, 2, 3, 8)) if has(0.6) else None
    o.max_size = draw.choice((4, 30, 200, 1000)) if has(0.6) else None
    o.keep_largest = draw.choice((1, 2, 3, 6)) if has(0.8) else None
    o.sort = draw.choice(("size", "size", "raster")) if has(0.8) else None
    o.inside = has()
    return o


def in_slabs(number):
    return number % 2 == 0


def in_parts(number):
    return number % 4 == 1


def drawn_case(number):
    """A volume and options. Some combinations that are refused are kept, to see that the program refuses them."""
    draw, rng = random.Random(number), np.random.default_rng(number)
    shape, with_holes = drawn_shape(draw), number % 5 < 2
    is_nifti = draw.random() < 0.3
    objects = drawn_objects(draw, rng, shape, ("layers", "layers", "cells", "shells", "noise") if with_holes else KINDS)
    volume = drawn_values(draw, rng, objects, draw.choice(NIFTI_DTYPES if is_nifti else DTYPES))
    options = drawn_options(draw, rng, volume, with_holes)
    is_refused = lambda: reasons(REFUSED, options, shape[0]) or in_parts(number) and reasons(REFUSED_IN_PARTS, options)  # noqa: E731
    while is_refused() and draw.random() < 0.875:
        options = drawn_options(draw, rng, volume, with_holes)
    scaling = draw.choice(SCALINGS) if is_nifti and draw.random() < 0.5 else (1, 0)
    return Case(volume, scaling, options, shape[0] == 1 and not is_nifti and draw.random() < 0.5), is_nifti, draw


# --- Files ------------------------------------------------------------------------------------------------------------------------------------


def write_scaled_nifti(path, volume, scaling):
    """nibabel would change the stored values, so the scaling is written into the header afterwards."""
    write_nifti(path, volume)
    if scaling != (1, 0):
        header = nibabel.load(path).header
        header.set_data_offset(352)
        header["scl_slope"], header["scl_inter"] = scaling
        with open(path, "r+b") as file:
            file.write(header.binaryblock)
    return path


def write_case(folder, case, is_nifti):
    """Writes the input and the mask. Returns the path of the input, and the options of the command line."""
    save = (lambda name, array, scaling: write_scaled_nifti(folder / f"{name}.nii", array, scaling)) if is_nifti else (
        lambda name, array, scaling: np.save(folder / f"{name}.npy", array[0] if case.is_image else array) or folder / f"{name}.npy")  # fmt: skip
    if case.options.colour is not None:
        path = folder / "in.png"
        Image.fromarray(case.stored[0]).save(path)
    else:
        path = save("in", case.stored, case.scaling)
    mask = save("mask", case.options.mask, (1, 0)) if case.options.mask is not None else None
    return path, case.options.arguments(mask)


def read_labels(path, shape):
    """[z, y, x] of a label volume, whose order is C, or Fortran if the input is not a .npy file."""
    labels = np.load(path)
    return (labels.T if np.isfortran(labels) else labels).reshape(shape)


# --- Checks -----------------------------------------------------------------------------------------------------------------------------------


ALL_COLUMNS = columns_of(Options(periodic="x", per_slice="x", inside=True, multilabel=True, split_signs=True))


def require_labels(path, wanted):
    got = read_labels(path, wanted.shape)
    if not np.array_equal(got, wanted):
        z, y, x = np.argwhere(got != wanted)[0]
        raise AssertionError(f"voxel ({x}, {y}, {z}): voxcc {got[z, y, x]} of {got.max()}, model {wanted[z, y, x]} of {wanted.max()}")


def require_table(path, rows, options):
    names = path.read_text().splitlines()[0].split(",")
    assert [name for name in names if name in ALL_COLUMNS] == columns_of(options)
    table = read_table(path)
    assert len(table) == len(rows)
    for got, wanted in zip(table, rows):
        for name, value in wanted.items():
            expected = "n/a" if value is None else pytest.approx(value, abs=1e-9) if name.startswith("centroid") else value
            assert got[name] == expected, f"row {wanted['label']}, {name}: voxcc {got[name]}, model {value}"


def outputs(folder, name):
    return ["-o", folder / f"{name}.npy", "--stats", folder / f"{name}.csv"]


def require_equal_bytes(folder, name):
    for kind in ("npy", "csv"):
        assert (folder / f"one.{kind}").read_bytes() == (folder / f"{name}.{kind}").read_bytes(), f"{name}.{kind} differs from one piece"


def plan_of(voxcc, command, *limit):
    """The plan of a run, and the error that it prints."""
    done = subprocess.run([voxcc.program, *map(str, (*command, *limit)), "--dry-run"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 71), done.stderr
    return json.loads(done.stdout)["volumes"][0], done.stderr


def check_slabs(voxcc, folder, case, command, draw):
    """Compares a run in several slabs with the run in one piece. Returns whether there was one: the memory may not suffice for any slabs."""
    command = ["label", *command, *outputs(folder, "slabs"), "-t", "1", "-f"]
    least, error = plan_of(voxcc, command, "--max-memory", "1KB")
    whole, _ = plan_of(voxcc, command)
    if reasons(REFUSED_IN_SLABS, case.options):
        assert least["slabs"] == 1 and "in one piece for" in error
        assert "in one piece" in voxcc.fails(71, *command, "--max-memory", whole["memory_bytes"] - 1)
        return False
    assert "in one piece" not in error
    if least["slabs"] == 1:
        return False  # slabs would not need less memory
    share = draw.random()
    for part in (share, (1 + share) / 2, 1):  # smaller limits than `whole` may not suffice for the components
        limit = least["memory_bytes"] + 2 + int(part * (whole["memory_bytes"] - 3 - least["memory_bytes"]))
        assert plan_of(voxcc, command, "--max-memory", limit)[0]["slabs"] > 1
        done = subprocess.run([voxcc.program, *map(str, command), "--max-memory", str(limit)], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            require_equal_bytes(folder, "slabs")
            return True
        assert done.returncode == 71 and "too many components" in done.stderr, done.stderr
    return False


def check_parts(voxcc, folder, case, command, draw):
    """Compares a run in parts with the run in one piece. Returns whether there was one."""
    splitting = [*command, "--part-size", str(draw.choice((3, 4, 5, 7, 9))), *(["--parts", "slabs"] if draw.random() < 0.3 else [])]
    if reasons(REFUSED_IN_PARTS, case.options):
        voxcc.fails(64, "split", *splitting, "-o", folder / "plan.json")
        return False
    count = split(voxcc, folder, *splitting)
    middle = draw.randrange(count)
    ranges = [f"{middle}..{count - 1}"] + ([f"0..{middle - 1}"] if middle else [])
    if case.options.fill_holes:
        for parts in ranges:
            label_parts(voxcc, folder, parts, "--background")
        merge_background(voxcc, folder)
    for parts in ranges:
        label_parts(voxcc, folder, parts, *(["--holes", folder / "merged"] if case.options.fill_holes else []))
    merge(voxcc, folder)
    relabel(voxcc, folder, f"0..{count - 1}")
    finish(voxcc, folder, *outputs(folder, "parts"))
    require_equal_bytes(folder, "parts")
    return True


def compare(voxcc, folder, case, command, draw, *, slabs=True, parts=True):
    """Compares a run in one piece with the model, and the other modes with this run. Returns the modes that were run."""
    try:
        labels, rows = label(case.stored, case.options, case.scaling)
    except NoLevel:
        voxcc.fails(65, "label", *command, *outputs(folder, "one"))
        return ["no level"]
    voxcc("label", *command, *outputs(folder, "one"))
    require_labels(folder / "one.npy", labels)
    require_table(folder / "one.csv", rows, case.options)
    modes = ["one piece"]
    if slabs and check_slabs(voxcc, folder, case, command, draw):
        modes.append("slabs")
    if parts and check_parts(voxcc, folder, case, command, draw):
        modes.append("parts")
    return modes


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
