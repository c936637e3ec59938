"""A model of `voxcc label`: labels voxel by voxel and columns of the table, for any combination of options.

The model follows the pages in docs (options.md, foreground.md, periodic.md, table.md) and shares no code and no method with voxcc. It lists all
pairs of neighbours of a small volume, and finds components in this graph. Arrays are [z, y, x], x fastest.
"""

import functools
import itertools
import re
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

REACH = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}  # unit steps between two neighbours
OUTSIDE = -1  # the component of a voxel that belongs to no component


@dataclass
class Options:
    """The options of `voxcc label` that the model has. None, False or an empty text: not given."""

    threshold: str | None = None
    invert: bool = False
    mask: np.ndarray | None = None
    fill_holes: bool = False
    max_hole: int | None = None
    connectivity: int | None = None
    periodic: str = ""
    per_slice: str = ""
    multilabel: bool = False
    delta: float | None = None
    colour: int | None = None
    split_signs: bool = False
    clear_border: bool = False
    clear_mask_border: bool = False
    min_size: int | None = None
    max_size: int | None = None
    keep_largest: int | None = None
    sort: str | None = None
    inside: bool = False

    def given(self):
        """The names of the options that are given."""
        return [name for name, value in vars(self).items() if not (value is None or value is False or isinstance(value, str) and not value)]

    def arguments(self, mask_path):
        """The command line, without input and outputs."""
        words = []
        for name in self.given():
            value = getattr(self, name)
            option = "--" + name.replace("_", "-")
            words.append(option if value is True else f"{option}={mask_path if name == 'mask' else value}")
        return words


# --- Foreground -------------------------------------------------------------------------------------------------------------------------------


class NoLevel(Exception):
    """The level of a rule such as 50% does not exist. The exit code is 65."""


def selected(values, rule, counted):
    """The voxels that a rule of --threshold selects. NaN is never selected.

    values: scaled values, float32 or float64. counted: the voxels that the level of a rule such as p50 is computed from."""
    rule = rule or "nonzero"
    with np.errstate(invalid="ignore"):
        if rule == "nonzero":
            return (values != 0) & ~np.isnan(values)
        if match := re.fullmatch(r"p(\d+)", rule):
            known = values[counted & ~np.isnan(values)]
            if not known.size:
                raise NoLevel
            return values > np.percentile(known, int(match[1]))
        if match := re.fullmatch(r"(\d+)%", rule):
            finite = values[counted & np.isfinite(values)].astype(float)
            if not finite.size or finite.min() == finite.max():
                raise NoLevel
            return values >= finite.min() + int(match[1]) / 100 * (finite.max() - finite.min())
        if match := re.fullmatch(r"(==|!=)(.*)", rule):
            is_listed = np.isin(values, [float(text) for text in match[2].split(",")])
            return is_listed if match[1] == "==" else ~is_listed & ~np.isnan(values)
        if ":" in rule:
            low, high = rule.split(":")
            return (values >= float(low or "-inf")) & (values <= float(high or "inf"))
        match = re.fullmatch(r"(abs)?(>=|>|<=|<|)(.*)", rule)
        compare = {">=": np.greater_equal, ">": np.greater, "<=": np.less_equal, "<": np.less, "": np.greater_equal}[match[2]]
        return compare(np.abs(values) if match[1] else values, float(match[3])) & ~np.isnan(values)


def is_inside(mask):
    """The voxels inside a mask: neither 0 nor NaN."""
    return (mask != 0) & ~np.isnan(mask)


def foreground_of(values, options):
    inside = np.ones(values.shape, bool) if options.mask is None else is_inside(options.mask)
    chosen = selected(values, options.threshold, inside)
    if options.invert:
        chosen = ~chosen & ~np.isnan(values)
    return chosen & inside, inside


# --- Neighbours -------------------------------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def pairs_of(shape, reach, periodic, slice_axis):
    """All pairs of neighbours, each in both directions: first voxels, second voxels, and the step from the first to the second, unwrapped.

    A pair of voxels occurs several times if they are neighbours around an end, too. periodic: one boolean per axis. slice_axis: neighbours
    have the same index along it."""
    places = np.indices(shape).reshape(3, -1)
    firsts, seconds, steps = [], [], []
    for step in itertools.product((-1, 0, 1), repeat=3):
        moves = sum(map(abs, step))
        if not 0 < moves <= reach or slice_axis is not None and step[slice_axis]:
            continue
        target = places + np.array(step)[:, None]
        is_there = np.ones(places.shape[1], bool)
        for axis, extent in enumerate(shape):
            if not (periodic[axis] and extent > 1):
                is_there &= (target[axis] >= 0) & (target[axis] < extent)
        target %= np.array(shape)[:, None]
        firsts.append(np.flatnonzero(is_there))
        seconds.append(np.ravel_multi_index(target, shape)[is_there])
        steps.append(np.tile(step, (len(firsts[-1]), 1)))
    if not firsts:
        return np.zeros(0, int), np.zeros(0, int), np.zeros((0, 3), int)
    return np.concatenate(firsts), np.concatenate(seconds), np.concatenate(steps)


class Space:
    """The neighbours, the order and the border of a volume."""

    def __init__(self, shape, options):
        self.shape = shape
        self.slice_axis = "zyx".index(options.per_slice) if options.per_slice else None
        self.periodic = tuple(axis in options.periodic and extent > 1 for axis, extent in zip("zyx", shape))
        self.reach = REACH[options.connectivity or (8 if options.per_slice else 26)]
        raster = np.arange(np.prod(shape))
        of_slice = np.indices(shape)[self.slice_axis].ravel() if options.per_slice else np.zeros_like(raster)
        self.rank = of_slice * len(raster) + raster  # components are numbered by the least rank

    def pairs(self, reach):
        return pairs_of(self.shape, reach, self.periodic, self.slice_axis)

    def dual_reach(self):
        """The background has all neighbours if the foreground has faces only, else faces only."""
        return 3 if self.reach == 1 else 1

    def border(self):
        at_border = np.zeros(self.shape, bool)
        for axis, extent in enumerate(self.shape):
            if extent > 1 and not self.periodic[axis] and axis != self.slice_axis:
                ends = [slice(None)] * 3
                ends[axis] = [0, -1]
                at_border[tuple(ends)] = True
        return at_border.ravel()

    def components(self, members, joined):
        """The component of each voxel, in the order of the ranks. joined: the pairs of this space that are joined, as (first, second)."""
        count = members.size
        graph = coo_array((np.ones(len(joined[0]), bool), joined), (count, count))
        found = connected_components(graph, directed=False)[1]
        voxels = np.flatnonzero(members)
        voxels = voxels[np.argsort(self.rank[voxels], kind="stable")]
        _, first, inverse = np.unique(found[voxels], return_index=True, return_inverse=True)
        number = np.empty(len(first), int)
        number[np.argsort(first)] = np.arange(len(first))
        component = np.full(count, OUTSIDE)
        component[voxels] = number[inverse]
        return component


# --- Components -------------------------------------------------------------------------------------------------------------------------------


def holes_of(foreground, space, options):
    """The holes, each as an array of voxels. A hole may have voxels outside the mask; they count for its size."""
    first, second, _ = space.pairs(space.dual_reach())
    background = ~foreground
    both = background[first] & background[second]
    component = space.components(background, (first[both], second[both]))
    at_border = set(component[space.border() & background])
    holes = [np.flatnonzero(component == number) for number in range(component.max() + 1) if number not in at_border]
    return [hole for hole in holes if options.max_hole is None or len(hole) <= options.max_hole]


def touching(hole, foreground, space):
    """The foreground voxels that touch a voxel of the hole by a face."""
    first, second, _ = space.pairs(1)
    return second[np.isin(first, hole) & foreground[second]]


def common_value(values):
    return values[0] if len(values) and (values == values[0]).all() else None


def is_near(a, b, options):
    """The rule of --delta or --colour. a, b: one row per voxel, with one value or several channels."""
    with np.errstate(invalid="ignore"):
        return (a == b).all(1) | (np.abs(a - b).sum(1) <= (options.delta if options.colour is None else options.colour))


class Joined:
    """The foreground with filled holes, and the pairs of neighbours that are joined."""

    def __init__(self, stored, scaled, options, space):
        foreground, inside = foreground_of(scaled, options)
        foreground, self.inside = foreground.ravel(), inside.ravel()
        self.members = foreground.copy()
        holes = holes_of(foreground, space, options) if options.fill_holes else []
        first, second, step = space.pairs(space.reach)
        stored = stored.reshape(foreground.size, -1).astype(float)
        if options.multilabel:
            self.key = stored[:, 0].copy()
            for hole in holes:
                value = common_value(stored[touching(hole, foreground, space), 0])
                if value is not None:
                    self.fill(hole, value)
            rule = self.key[first] == self.key[second]
        elif options.delta is not None or options.colour is not None:
            rule = foreground[first] & foreground[second] & is_near(stored[first], stored[second], options)
            self.key = space.components(foreground, (first[rule], second[rule]))
            for hole in holes:
                around = common_value(self.key[touching(hole, foreground, space)])
                if around is not None:
                    self.fill(hole, around)
            is_filled = self.members & ~foreground
            rule |= (is_filled[first] | is_filled[second]) & (self.key[first] == self.key[second])
        elif options.split_signs:
            self.key = np.sign(scaled.ravel())
            self.members &= self.key != 0
            rule = self.key[first] == self.key[second]
        else:
            self.key = None
            for hole in holes:
                self.fill(hole)
            rule = np.ones(len(first), bool)
        chosen = self.members[first] & self.members[second] & rule
        self.first, self.second, self.step = first[chosen], second[chosen], step[chosen]

    def fill(self, hole, key=None):
        """Only voxels inside the mask are filled."""
        voxels = hole[self.inside[hole]]
        self.members[voxels] = True
        if key is not None:
            self.key[voxels] = key


def unwrapped(component, joined, shape):
    """The places of all voxels in an unlimited space, and for each component the axes that it wraps around."""
    places = np.indices(shape).reshape(3, -1).T.copy()
    voxels = np.flatnonzero(component != OUTSIDE)
    placed = np.zeros(component.size, bool)
    placed[voxels[np.unique(component[voxels], return_index=True)[1]]] = True
    while True:
        new = placed[joined.first] & ~placed[joined.second]
        if not new.any():
            break
        second, where = np.unique(joined.second[new], return_index=True)
        places[second] = (places[joined.first[new]] + joined.step[new])[where]
        placed[second] = True
    assert placed[voxels].all()
    differs = places[joined.second] != places[joined.first] + joined.step
    wraps = np.zeros((component.max() + 1, 3), bool)
    for axis in range(3):
        wraps[component[joined.first[differs[:, axis]]], axis] = True
    return places, wraps


def voxel_inside(voxels, shape):
    """i, j, k of the voxel of --inside. voxels: the voxels of the component in raster order."""
    middle = voxels[(len(voxels) - 1) // 2]
    row, members = middle - middle % shape[2], set(voxels.tolist())
    first = last = middle
    while first - 1 >= row and first - 1 in members:
        first -= 1
    while last + 1 < row + shape[2] and last + 1 in members:
        last += 1
    k, j, i = np.unravel_index((first + last) // 2, shape)
    return [int(i), int(j), int(k)]


def columns_of(options):
    """The columns that the model has, in the order of the table."""
    names = ["label", "voxels", *(f"centroid_{i}" for i in "ijk"), *(f"bbox_{i}_{end}" for i in "ijk" for end in ("min", "max")), "touches_border"]
    if options.periodic:
        names.append("wraps")
    if options.inside:
        names += ["inside_i", "inside_j", "inside_k"]
    if options.multilabel:
        names.append("source_label")
    if options.split_signs:
        names.append("sign")
    if options.per_slice:
        names.append("slice")
    return names


def row_of(label, voxels, places, wraps, space, scaled, options):
    """The cells of a component. None: n/a."""
    row = {"label": label, "voxels": len(voxels)}
    for axis, index, letter in ((2, "i", "x"), (1, "j", "y"), (0, "k", "z")):
        along, extent = places[:, axis], space.shape[axis]
        low, high = int(along.min()), int(along.max())
        mean = along.mean() % extent if space.periodic[axis] else along.mean()
        shift = low // extent * extent
        row |= {f"centroid_{index}": mean, f"bbox_{index}_min": low - shift, f"bbox_{index}_max": high - shift}
        if wraps[axis]:
            row |= {f"centroid_{index}": None, f"bbox_{index}_min": None, f"bbox_{index}_max": None}
    row["touches_border"] = int(space.border()[voxels].any())
    row["wraps"] = "".join(letter for axis, letter in ((2, "x"), (1, "y"), (0, "z")) if wraps[axis]) or "none"
    row["inside_i"], row["inside_j"], row["inside_k"] = voxel_inside(voxels, space.shape)
    if options.per_slice:
        row["slice"] = int(np.unravel_index(voxels[0], space.shape)[space.slice_axis])
    return {name: row[name] for name in columns_of(options) if name in row}


def chosen_components(component, joined, space, options):
    """The components that the selection keeps, in the order of their labels."""
    sizes = np.bincount(component[component != OUTSIDE], minlength=component.max() + 1)
    keep = np.ones(len(sizes), bool)
    if options.min_size is not None:
        keep &= sizes >= options.min_size
    if options.max_size is not None:
        keep &= sizes <= options.max_size
    if options.clear_border:
        keep[component[space.border() & (component != OUTSIDE)]] = False
    if options.clear_mask_border:
        first, second, _ = space.pairs(1)
        at_mask = first[(component[first] != OUTSIDE) & ~joined.inside[second]]
        keep[component[at_mask]] = False
    kept = np.flatnonzero(keep)
    by_size = kept[np.argsort(-sizes[kept], kind="stable")]
    if options.keep_largest is not None:
        by_size = by_size[: options.keep_largest]
    return by_size if options.sort == "size" else np.sort(by_size)


def label(stored, options, scaling=(1, 0)):
    """Labels [z, y, x] and the rows of the table. stored: an array [z, y, x], for colours [z, y, x, channel]. scaling: slope and intercept.

    @throw NoLevel"""
    if options.colour is not None:
        scaled = (stored != 0).any(-1).astype(float)
    else:
        scaled = stored * float(scaling[0]) + scaling[1] if scaling != (1, 0) else stored if stored.dtype.kind == "f" else stored.astype(float)
    shape = scaled.shape
    space = Space(shape, options)
    joined = Joined(stored, scaled, options, space)
    component = space.components(joined.members, (joined.first, joined.second))
    places, wraps = unwrapped(component, joined, shape)
    labels, rows = np.zeros(component.size, int), []
    for number in chosen_components(component, joined, space, options):
        voxels = np.flatnonzero(component == number)
        labels[voxels] = len(rows) + 1
        row = row_of(len(rows) + 1, voxels, places[voxels], wraps[number], space, scaled, options)
        if options.multilabel:
            row["source_label"] = joined.key[voxels[0]] * scaling[0] + scaling[1]
        if options.split_signs:
            row["sign"] = int(joined.key[voxels[0]])
        rows.append({name: row[name] for name in columns_of(options)})
    return labels.reshape(shape), rows
