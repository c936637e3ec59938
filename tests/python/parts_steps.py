"""The steps of a labelling in parts, random inputs for them, and checks that several tests share."""

import json
import random
import shutil
import subprocess

import h5py
import numpy as np
import zarr
from helpers import blobs, noise, voronoi, write_nifti

AFFINE = np.diag([0.5, 1, 2, 1])


def split(voxcc, folder, *options):
    done = voxcc("split", *options, "-o", folder / "plan.json", "-f")
    return json.loads(done.stdout)["parts"]


def label(voxcc, folder, part, *options, **how):
    return voxcc("label", "--plan", folder / "plan.json", "--part", part, "-o", folder / "state", "-q", *options, **how)


def merge_background(voxcc, folder):
    done = voxcc("merge", "--plan", folder / "plan.json", "--background", folder / "state", "-o", folder / "merged", "-q")
    return json.loads(done.stdout)["holes"]


def merge(voxcc, folder):
    return json.loads(voxcc("merge", "--plan", folder / "plan.json", folder / "state", "-o", folder / "merged", "-q").stdout)["components"]


def relabel(voxcc, folder, part):
    voxcc("relabel", "--plan", folder / "plan.json", "--part", part, folder / "state", folder / "merged", "-q")


def finish(voxcc, folder, *outputs):
    voxcc("relabel", "--plan", folder / "plan.json", "--finish", folder / "state", folder / "merged", "-f", "-q", *outputs)


def drawn_ranges(draw, count):
    """The parts 0..count - 1 as at most 12 ranges, some of them single parts, in a random order. A process per part would take minutes."""
    starts = sorted({0, *draw.choices(range(count), k=11)})
    ranges = [f"{first}..{last - 1}" if last - first > 1 else str(first) for first, last in zip(starts, [*starts[1:], count])]
    draw.shuffle(ranges)
    return ranges


def in_parts(voxcc, folder, *options, outputs, order=None):
    """Runs all steps, the parts in a random order. Returns the number of parts."""
    for name in ("state", "merged"):
        shutil.rmtree(folder / name, ignore_errors=True)
    count = split(voxcc, folder, *options)
    draw = order or random
    if "--fill-holes" in options:
        label(voxcc, folder, f"{draw.randrange(count)}..{count - 1}", "--background")
        label(voxcc, folder, f"0..{count - 1}", "--background")
        merge_background(voxcc, folder)
    for parts in drawn_ranges(draw, count):
        label(voxcc, folder, parts, *(["--holes", folder / "merged"] if "--fill-holes" in options else []))
    merge(voxcc, folder)
    relabel(voxcc, folder, f"0..{count - 1}")
    finish(voxcc, folder, *outputs)
    return count


def drawn_volume(draw, shape):
    kind = draw.choice(("noise", "blobs", "cells"))
    if kind == "cells":
        return kind, voronoi(shape, cells=60, seed=draw.randrange(99))
    if kind == "blobs":
        return kind, blobs(shape, draw.choice((0.2, 0.5)), draw.choice((0.8, 2)), draw.randrange(99))
    return kind, noise(shape, draw.choice((0.05, 0.2, 0.35)), draw.choice((1, 2)), draw.randrange(99))


def drawn_options(draw, kind):
    options = ["-c", str(draw.choice((6, 18, 26)))]
    if kind == "cells" or draw.random() < 0.1:
        options.append("--multilabel")
    elif draw.random() < 0.2:
        options.append("--invert")
    for option, likely in ((["--periodic", draw.choice(("x", "y", "z", "xy", "xyz"))], 0.3), (["--min-size", "4"], 0.3),
                           (["--max-size", "60"], 0.15), (["--clear-border"], 0.2), (["--keep-largest", "5"], 0.2),
                           (["--sort", "size"], 0.2)):  # fmt: skip
        if draw.random() < likely:
            options += option
    return options


def drawn_input(draw, case, path, *, longest=64, affine=AFFINE, image_connectivities=("4", "8")):
    """Writes a random volume to a NIfTI file; every eighth one is an image. Returns its shape and random options of a labelling."""
    shape = tuple(draw.randint(20, longest) for _ in range(3)) if case % 8 else (1, 90, 70)
    kind, volume = drawn_volume(draw, shape)
    write_nifti(path, volume, affine)
    options = drawn_options(draw, kind)
    if case % 8 == 0:
        options[1] = draw.choice(image_connectivities)
    return shape, options



def write_zarr(path, volume):
    zarr.save_array(path, volume, chunks=(16, 16, 16)) if not hasattr(zarr, "create_array") else zarr.create_array(
        path, data=volume, chunks=(16, 16, 16)
    )


def write_hdf5(path, volume):
    with h5py.File(path, "w") as file:
        file.create_dataset("v", data=volume, chunks=(9, 11, 17), compression="gzip")


def complete(voxcc, folder):
    merge(voxcc, folder)
    relabel(voxcc, folder, "0..7")
    finish(voxcc, folder, "-o", folder / "parts.nii", "--stats", folder / "parts.csv")
    assert (folder / "one.nii").read_bytes() == (folder / "parts.nii").read_bytes()
    assert (folder / "one.csv").read_bytes() == (folder / "parts.csv").read_bytes()


def require_damage_is_found(voxcc, folder, part):
    """The merge refuses a damaged state by name, or the relabelling does: the merge does not read all sections."""
    shutil.rmtree(folder / "merged", ignore_errors=True)
    merging = ("merge", "--plan", folder / "plan.json", folder / "state", "-o", folder / "merged")
    done = subprocess.run([voxcc.program, *map(str, merging)], capture_output=True, text=True)
    if done.returncode == 0:
        relabelling = ("relabel", "--plan", folder / "plan.json", "--part", part, folder / "state", folder / "merged")
        assert f"{part}.part" in voxcc.fails(65, *relabelling)
    else:
        assert done.returncode == 65 and f"{part}.part" in done.stderr
