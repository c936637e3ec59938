"""Random volumes and options for test_option_model.py, and the comparison of a run of `voxcc label` with the model, in slabs and in parts."""

import json
import random
import subprocess
from dataclasses import dataclass

import nibabel
import numpy as np
import pytest
import scipy.ndimage
from helpers import noise, read_table, write_nifti
from option_model import NoLevel, Options, columns_of, label
from option_refusals import REFUSED, REFUSED_IN_PARTS, REFUSED_IN_SLABS, reasons
from parts_steps import finish, merge, merge_background, relabel, split
from parts_steps import label as label_parts
from PIL import Image

DTYPES = ("uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
NIFTI_DTYPES = ("uint8", "int16", "uint16", "int32", "float32", "float64")
RULES = ("", "multilabel", "delta", "split_signs")  # which neighbours are connected
KINDS = ("noise", "cells", "shells", "boxes", "layers")
SCALINGS = ((0.5, -1), (2, 1), (-1, 0), (0.5, 0))


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
