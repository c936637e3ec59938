"""Labels arrays that are larger than memory, block by block, with any scheduler.

Four functions give the labels of the complete array from labels of its blocks. No function holds more than one block, and no labels are
kept between the steps:

    summarise   one block       -> its components, and the voxels on its faces
    join        neighbours      -> the summary of a larger box, up to the complete array
    number      all blocks      -> the final number of each component of each block, the count, the table
    paint       one block again -> its labels

The numbers equal the numbers of voxcc.label() for the complete array, however the array is divided. voxcc.dask uses these functions.

>>> x = np.array([[1, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 1]])
>>> origins = [(0, 0), (0, 2)]
>>> blocks = [x[:, :2], x[:, 2:]]
>>> summaries = [voxcc.blocks.summarise(block, origin, x.shape) for block, origin in zip(blocks, origins)]
>>> numbering = voxcc.blocks.number(voxcc.blocks.join(summaries, axis=1))
>>> numbering.count
3
>>> np.hstack([voxcc.blocks.paint(block, numbering.numbers[origin]) for block, origin in zip(blocks, origins)])
array([[1, 0, 2, 2],
       [1, 0, 0, 0],
       [0, 0, 3, 3]], dtype=uint32)
"""

import dataclasses
from typing import NamedTuple

import numpy as np

from . import _arguments as arguments
from . import _core
from ._label import TIES, label_type, run
from ._result_memory import empty
from ._table import Table

__all__ = ["Numbering", "Summary", "join", "number", "paint", "summarise"]

LONGEST_AXIS = 2**31
COLUMN_BITS = 32  # bits of a column in the position of a run


class Piece(NamedTuple):
    """The components of one block, in the order of their first voxels."""

    origin: tuple
    ids: np.ndarray  # index of the first voxel of each component in the complete array, in C order
    sizes: np.ndarray | None
    sums: np.ndarray | None
    values: np.ndarray | None


@dataclasses.dataclass(frozen=True)
class Rules:
    """What all blocks of an array have in common."""

    shape: tuple
    neighbours: int
    values: bool
    periodic: int  # bit a: the array wraps around along axis a
    measured: str | None

    def thin_axes(self):
        """The number of axes of length 1 that are put in front, because the engine has three axes."""
        return 3 - len(self.shape)

    def is_periodic(self, axis):
        return bool(self.periodic >> axis & 1)


@dataclasses.dataclass(frozen=True, eq=False)
class Summary:
    """What other blocks need to know of a box of the array: its components, and the voxels on its faces. Can be pickled.

    low, high: the box, as indices of its first voxel and of the voxel after its last voxel.
    nbytes: bytes of all arrays in the summary.
    """

    low: tuple
    high: tuple
    rules: Rules
    pieces: tuple  # of Piece
    pairs: np.ndarray  # ids of pieces that touch, one pair per row
    faces: dict  # 2 * axis + (0: low, 1: high), with three axes: rows as FaceRun in block.h

    @property
    def nbytes(self):
        arrays = [self.pairs, *self.faces.values()]
        for piece in self.pieces:
            arrays += [array for array in piece[1:] if array is not None]
        return sum(array.nbytes for array in arrays)


class Numbering(NamedTuple):
    """The result of number().

    count: number of components of the array.
    numbers: one array per block, by the origin of the block: the label of each component of the block, 0 if it is dropped.
    table: None, or a Table as of voxcc.label(table=True).
    """

    count: int
    numbers: dict
    table: Table | None


def indices_argument(values, ndim, name):
    if not hasattr(type(values), "__iter__"):
        raise TypeError(f"{name} is {arguments.shown(values)}; it must be {ndim} integers")
    values = tuple(arguments.integer(value, name, 0) for value in values)
    if len(values) != ndim:
        raise ValueError(f"{name} has {len(values)} numbers, but the block has {ndim} dimensions")
    return values


def summarise(block, origin, shape, connectivity=None, *, values=False, periodic=False, measure=None, threads=None):
    """Labels a block of an array, and returns what is needed to join the block with other blocks.

    block: array with one to three dimensions and at least one voxel; see voxcc.label().
    origin: index of its first voxel in the complete array.
    shape: shape of the complete array; each axis has at most 2^31 voxels.
    connectivity, values, periodic, threads: see voxcc.label(). All blocks must have the same.
    measure: "sizes" for number(min_size=..., keep_largest=...), "table" also for the table of number().

    Returns a Summary: 8 bytes per component of the block, 24 bytes per run of voxels of a component on the faces between blocks; with
    measure="sizes" 8 bytes more per component, with "table" 160 bytes more.
    Raises TypeError or ValueError for arguments that are not valid.
    """
    block = arguments.array_argument(block, "block")
    values = arguments.boolean(values, "values")
    if block.size == 0:
        raise ValueError("block has no voxels")
    low = indices_argument(origin, block.ndim, "origin")
    shape = indices_argument(shape, block.ndim, "shape")
    high = tuple(begin + length for begin, length in zip(low, block.shape))
    if any(end > length for end, length in zip(high, shape)):
        raise ValueError(f"a block of shape {block.shape} at {low} is not inside of an array of shape {shape}")
    if max(shape) > LONGEST_AXIS:
        raise ValueError(f"shape has an axis of {max(shape)} voxels; at most 2^31 are allowed")
    if measure is not None:
        arguments.choice(measure, ("sizes", "table"), "measure")
    rules = Rules(shape, arguments.connectivity_argument(connectivity, block.ndim), values,
                  arguments.periodic_argument(periodic, block.ndim), measure)
    thin = rules.thin_axes()
    block = np.ascontiguousarray(block).reshape((1,) * thin + block.shape)
    labelled = run(block, rules.neighbours, (arguments.NONZERO, 0.0, 0.0), values=rules.values, threads=arguments.threads_argument(threads))
    faces = 0
    for axis, (begin, end, length) in enumerate(zip(low, high, shape)):
        faces |= (begin > 0 or rules.is_periodic(axis)) << 2 * (thin + axis)
        faces |= (end < length or rules.is_periodic(axis)) << 2 * (thin + axis) + 1
    ids, runs = labelled.outline((0,) * thin + low, (1,) * thin + shape, faces)
    piece = Piece(low, ids, labelled.sizes() if measure else None, labelled.sums((0,) * thin + low) if measure == "table" else None,
                  labelled.values() if values and measure == "table" else None)
    return Summary(low, high, rules, (piece,), np.empty((0, 2), np.uint64), runs)


def summary_argument(summary):
    if not isinstance(summary, Summary):
        raise TypeError(f"a summary is of the type {type(summary).__name__}; it must be a result of summarise() or join()")


def join(summaries, axis):
    """Joins boxes that lie side by side along an axis.

    summaries: results of summarise() or join(), in any order. Together they must be a box.
    axis: the axis along which they lie.

    Returns the Summary of the larger box. Raises ValueError if the summaries do not fit together.
    """
    summaries = list(summaries)
    if not summaries:
        raise ValueError("there are no summaries to join")
    for summary in summaries:
        summary_argument(summary)
    rules = summaries[0].rules
    axis = arguments.integer(axis, "axis", 0)
    if axis >= min(len(summary.low) for summary in summaries):
        raise ValueError(f"axis is {arguments.shown(axis)}; the boxes have the axes 0 to {len(rules.shape) - 1}")
    summaries.sort(key=lambda summary: summary.low[axis])
    dimension = axis + rules.thin_axes()
    pairs = [summary.pairs for summary in summaries]
    for a, b in zip(summaries, summaries[1:]):
        if a.rules != b.rules:
            raise ValueError("the summaries have different options or shapes of the array")
        across = [i for i in range(len(a.low)) if i != axis]
        if a.high[axis] != b.low[axis] or any(a.low[i] != b.low[i] or a.high[i] != b.high[i] for i in across):
            raise ValueError(f"the boxes {a.low} to {a.high} and {b.low} to {b.high} are not side by side along axis {axis}")
        pairs.append(_core.touching(a.faces[2 * dimension + 1], b.faces[2 * dimension], rules.neighbours))
    faces = {}
    for face in set(summaries[0].faces) | set(summaries[-1].faces):
        if face // 2 != dimension:
            faces[face] = in_order(np.concatenate([summary.faces[face] for summary in summaries]))
        elif face in summaries[-(face % 2)].faces:
            faces[face] = summaries[-(face % 2)].faces[face]
    first, last = summaries[0], summaries[-1]
    pieces = tuple(piece for summary in summaries for piece in summary.pieces)
    return Summary(first.low, last.high, rules, pieces, np.concatenate(pairs), faces)


def in_order(runs):
    """The runs of several parts of a face in ascending order of their positions."""
    return runs[np.argsort(runs[:, 0], kind="stable")]


def wrapped_pairs(summary):
    """The pairs of pieces that touch across the ends of periodic axes, and per pair the ends between the pieces: -1, 0 or 1 per axis.

    Rows and columns are moved by 1, so that -1 becomes 0. An axis of length 1 does not wrap around."""
    rules = summary.rules
    lengths = {axis + rules.thin_axes(): length for axis, length in enumerate(rules.shape) if rules.is_periodic(axis) and length > 1}
    pairs, steps = [], []
    for axis in lengths:
        low, high = summary.faces[2 * axis].copy(), summary.faces[2 * axis + 1].copy()
        for runs in (low, high):
            runs[:, 0] += np.uint64(2**COLUMN_BITS + 1)
        row_axis, column_axis = (other for other in range(3) if other != axis)
        for column_step, columns in end_columns(low, lengths.get(column_axis)):
            for row_step, runs in end_rows(columns, lengths.get(row_axis)):
                pairs.append(_core.touching(high, in_order(runs), rules.neighbours))
                step = {axis: 1, row_axis: row_step, column_axis: column_step}
                steps.append(np.tile(np.array([step[a] for a in range(3)], np.int64), (len(pairs[-1]), 1)))
    return pairs, steps


def end_columns(runs, columns):
    """The runs, and if the rows wrap around, copies of the first column after the last one, and of the last column before the first one.

    columns: length of the rows; None if they do not wrap around. Yields (ends between the runs and their copies, copies)."""
    yield 0, runs
    if columns is None:
        return
    begin = runs[:, 0] & np.uint64(2**COLUMN_BITS - 1)
    first, last = runs[begin == 1], runs[begin + runs[:, 1] == np.uint64(columns + 1)]
    first[:, 0] += np.uint64(columns)
    last[:, 0] &= ~np.uint64(2**COLUMN_BITS - 1)
    first[:, 1] = last[:, 1] = 1
    yield 1, first
    yield -1, last


def end_rows(runs, rows):
    """As end_columns(), for the first and the last row."""
    yield 0, runs
    if rows is None:
        return
    row = runs[:, 0] >> np.uint64(COLUMN_BITS)
    first, last = runs[row == 1], runs[row == rows]
    first[:, 0] += np.uint64(rows << COLUMN_BITS)
    last[:, 0] -= np.uint64(rows << COLUMN_BITS)
    yield 1, first
    yield -1, last


def number(summary, *, min_size=0, keep_largest=None, ties="first", spacing=None):
    """Numbers the components of an array by their first voxels in C order, and selects components.

    summary: the summary of the complete array.
    min_size, keep_largest, ties: see voxcc.label(). They need summarise(measure="sizes") or "table".
    spacing: see voxcc.label(); used only in the table.

    Returns a Numbering. It has a table if all blocks were summarised with measure="table". The table equals the table of voxcc.label()
    in every bit, because integer sums are merged. Needs about 50 bytes per component of a block; with a table, 160 bytes more per
    component of the array.
    Raises ValueError if the summary is not complete.
    """
    summary_argument(summary)
    rules = summary.rules
    if any(summary.low) or summary.high != rules.shape:
        raise ValueError(f"the summary is of the box {summary.low} to {summary.high}, but the array has the shape {rules.shape}")
    spacing = arguments.spacing_argument(spacing, len(rules.shape))
    smallest = arguments.size_argument(min_size, "min_size")
    keep = None if keep_largest is None else arguments.size_argument(keep_largest, "keep_largest")
    ties = arguments.choice(ties, TIES, "ties")
    pieces = summary.pieces
    ids = np.concatenate([piece.ids for piece in pieces])
    by_id = np.argsort(ids, kind="stable")
    wrapped, steps = wrapped_pairs(summary)
    pairs = np.concatenate([summary.pairs, *wrapped])
    indices = np.searchsorted(ids[by_id], pairs).astype(np.uint64, copy=False)
    moved = wraps = None
    if rules.periodic and rules.measured == "table":
        steps = np.concatenate([np.zeros((len(summary.pairs), 3), np.int64), *steps]).view(np.uint64)
        sets, moved_by_id, wraps = _core.unwrap_sets(len(ids), indices, steps, (1,) * rules.thin_axes() + rules.shape)
        moved = np.empty_like(moved_by_id)
        moved[by_id] = moved_by_id
    else:
        sets = _core.number_sets(len(ids), indices)
    numbers = np.empty_like(sets)
    numbers[by_id] = sets
    count = int(sets.max(initial=0))
    if smallest > 1 or keep is not None:
        if rules.measured is None:
            raise ValueError("min_size and keep_largest need summarise(measure='sizes')")
        sizes = np.zeros(count, np.uint64)
        np.add.at(sizes, numbers - 1, np.concatenate([piece.sizes for piece in pieces]))
        selected = _core.selected_numbers(sizes, smallest, keep, ties)
        count = int(selected.max(initial=0))
        numbers = selected[numbers - 1]
        wraps = None if wraps is None else wraps[np.argsort(selected, kind="stable")[len(selected) - count :]]
    ends = np.cumsum([len(piece.ids) for piece in pieces])
    parts = np.split(numbers, ends[:-1])
    table = None
    if rules.measured == "table":
        moved_parts = [None] * len(pieces) if moved is None else np.split(moved, ends[:-1])
        table = table_of(rules, pieces, parts, count, spacing, moved_parts, wraps)
    kind = label_type(None, count)
    return Numbering(count, {piece.origin: part.astype(kind) for piece, part in zip(pieces, parts)}, table)


def table_of(rules, pieces, parts, count, spacing, moved, wraps):
    """The table of number(). moved, wraps: results of unwrap_sets(), or None without periodic axes"""
    sums = _core.MergedSums(count)
    for piece, numbers, by in zip(pieces, parts, moved):
        sums.add(piece.sums, numbers, by)
    table = Table(sums.table(rules.shape, rules.periodic, spacing, None if wraps is None else np.ascontiguousarray(wraps)))
    if rules.values:
        column = np.zeros(count, pieces[0].values.dtype)
        for piece, numbers in zip(pieces, parts):
            column[numbers[numbers > 0] - 1] = piece.values[numbers > 0]
        table["value"] = column
    return table


def paint(block, numbers, connectivity=None, *, values=False, dtype=None, threads=None):
    """Labels a block again, and writes the final labels.

    block, connectivity, values, threads: as in summarise(). The voxels must not have changed.
    numbers: the array of Numbering.numbers for this block.
    dtype: integer type of the labels. None: the type of the numbers.

    Returns an array of labels. Raises ValueError if the block has another number of components than it had in summarise(), or if a number
    does not fit the type.
    """
    block = arguments.array_argument(block, "block")
    values = arguments.boolean(values, "values")
    neighbours = arguments.connectivity_argument(connectivity, block.ndim)
    numbers = np.asarray(numbers)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise TypeError(f"numbers has the type {numbers.dtype} and {numbers.ndim} axes; it must be a result of number()")
    dtype = numbers.dtype if dtype is None else label_type(dtype, int(numbers.max(initial=0)))
    labelled = run(block, neighbours, (arguments.NONZERO, 0.0, 0.0), values=values, threads=arguments.threads_argument(threads))
    labels = empty(block.shape, dtype, arguments.layout_of(block))
    labelled.paint_numbers(labels, np.ascontiguousarray(numbers, np.uint64))
    return labels
