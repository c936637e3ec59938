"""Labels of small volumes in a few slabs and in all possible slabs, against a graph of the voxels. Voxels of two slabs must be connected by the rule."""

import itertools
import json
import subprocess

import numpy as np
import pytest
from helpers import STEPS
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

RULES = {
    "foreground": ([], lambda a, b: np.ones(len(a), bool)),
    "multilabel": (["--multilabel"], lambda a, b: a == b),
    "delta 0": (["--delta", "0"], lambda a, b: a == b),
    "delta 1": (["--delta", "1"], lambda a, b: differ_by_at_most(a, b, 1)),
    "signs": (["--split-signs"], lambda a, b: (a > 0) == (b > 0)),
}


def differ_by_at_most(a, b, most):
    """Differences are differences of Python integers or of floats. Equal infinities differ by 0."""
    if a.dtype.kind in "iu":
        a, b = a.astype(object), b.astype(object)
    with np.errstate(invalid="ignore"):
        return (a == b) | (np.abs(a - b) <= most).astype(bool)


def pairs_of_neighbours(shape, connectivity, axis, periodic):
    """Indices of all pairs of neighbours. @param axis across the slices, or None @param periodic axes that wrap around"""
    place = np.indices(shape).reshape(3, -1)
    for step in itertools.product((-1, 0, 1), repeat=3):
        if not 0 < np.abs(step).sum() <= STEPS[connectivity] or (axis is not None and step[axis]):
            continue
        other = place + np.array(step)[:, None]
        for wrapped in periodic:
            other[wrapped] %= shape[wrapped]
        inside = ((other >= 0) & (other < np.array(shape)[:, None])).all(0)
        yield np.flatnonzero(inside), np.ravel_multi_index(other[:, inside], shape)


def graph_labels(x, connectivity, joined, axis, periodic):
    """Numbers by first voxel; with slices across an axis, by slice and then by first voxel."""
    values = x.ravel()
    foreground = (values != 0) & (values == values)
    edges = []
    for a, b in pairs_of_neighbours(x.shape, connectivity, axis, periodic):
        both = foreground[a] & foreground[b]
        a, b = a[both], b[both]
        near = joined(values[a], values[b])
        edges.append((a[near], b[near]))
    a, b = (np.concatenate(ends) for ends in zip(*edges, strict=True))
    component = connected_components(coo_matrix((np.ones(len(a)), (a, b)), (x.size, x.size)), directed=False)[1]
    component[~foreground] = -1
    order = np.arange(x.size) if axis is None else np.argsort(np.indices(x.shape)[axis].ravel(), kind="stable")
    found, first = np.unique(component[order], return_index=True)
    kept = found >= 0
    numbers = np.zeros(x.size + 1, int)
    numbers[found[kept][np.argsort(first[kept])]] = np.arange(1, kept.sum() + 1)
    return numbers[component].reshape(x.shape)


def volume(dtype, shape, seed):
    """Few values, so that many neighbours differ by 0 or 1. Integers of 64 bits lie at the limits of their type."""
    x = np.random.default_rng(seed).integers(0, 5, shape)
    if dtype in ("i8", "u8"):
        limits = np.iinfo(dtype)
        return np.array([0, limits.max, limits.max - 1, limits.max - 2, limits.min + (limits.min == 0)], dtype)[x]
    if dtype == "f4":
        return np.array([0, 1, -1.5, np.nan, np.inf], dtype)[x]
    return np.array([0, 1, 2, -1, -2], dtype)[x]


def limits_by_slabs(voxcc, command):
    """The option --max-memory for the largest number of slabs, for a small one, and for one in between."""
    def plan(*limit):
        command_line = [voxcc.program, *map(str, command), "--dry-run", *limit]
        return json.loads(subprocess.run(command_line, capture_output=True, text=True, check=False).stdout)["volumes"][0]

    least, whole = plan("--max-memory", "1KB"), plan()
    assert whole["slabs"] == 1 < least["slabs"]
    limits = {least["slabs"]: ["--max-memory", str(least["memory_bytes"])]}
    steps = 12
    for step in range(1, steps + 1):
        option = ["--max-memory", str(least["memory_bytes"] + (whole["memory_bytes"] - least["memory_bytes"]) * step // steps - step // steps)]
        limits.setdefault(plan(*option)["slabs"], option)
        if len(limits) == 3:
            break
    return limits


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("axis", [None, "x", "y", "z"])
def test_several_slabs(voxcc, tmp_path, axis, rule):
    options, joined = RULES[rule]
    shape, across = (16, 6, 9), None if axis is None else "zyx".index(axis)
    periodic = [axes for axes in (("", "z", "xyz") if axis is None else ("", "z", "xy", "xz", "yz")) if axis is None or axis not in axes]
    cases = itertools.product((4, 8) if axis else (6, 18, 26), periodic)
    for seed, ((connectivity, axes), dtype) in enumerate(zip(cases, itertools.cycle(("i2", "f4", "i8", "u8")))):
        if rule == "signs" and dtype == "u8":
            dtype = "i1"
        x = volume(dtype, shape, seed)
        np.save(tmp_path / "in.npy", x)
        command = ["label", tmp_path / "in.npy", "-c", connectivity, *options, "-t", 1, "--device", "cpu", "-f", "-v"]
        command += ["-o", tmp_path / "out.npy", "--stats", tmp_path / "t.csv"]
        command += ["--per-slice", axis] if axis else []
        command += ["--periodic", axes] if axes else []
        limits = limits_by_slabs(voxcc, command)
        assert len(limits) > 1 and min(limits) > 1
        want = graph_labels(x, connectivity, joined, across, ["zyx".index(a) for a in axes])
        for slabs, limit in [(1, []), *limits.items()]:
            done = voxcc(*command, *limit)
            assert slabs == 1 or f"streams {slabs} slabs" in done.stderr
            message = f"{dtype} -c {connectivity} --periodic {axes}: {slabs} slabs"
            np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), want, err_msg=message)
            voxels = np.genfromtxt(tmp_path / "t.csv", delimiter=",", names=True, usecols=("voxels",), ndmin=1)["voxels"]
            np.testing.assert_array_equal(voxels, np.bincount(want.ravel())[1:], err_msg=message)
