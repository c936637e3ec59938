"""Connected components of Dask arrays: the labels, count and table of voxcc.label(), for any chunks.

>>> import dask.array as da
>>> import voxcc.dask
>>> x = da.from_array(np.array([[1, 1, 0, 1], [0, 0, 0, 1]]), chunks=(1, 3))
>>> labels, count = voxcc.dask.label(x)
>>> labels.compute()
array([[1, 1, 0, 2],
       [0, 0, 0, 2]], dtype=uint32)
>>> count.compute()
2
"""

import functools
import itertools
import math
import operator

import dask
import dask.array as da
import numpy as np
from dask._task_spec import Alias, Task, TaskRef, convert_legacy_graph
from dask.base import tokenize
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph, Layer
from dask.utils import ensure_dict

from . import _arguments as arguments
from . import blocks
from ._label import TIES, label_type
from ._results import LabelResult
from ._results import Result as ComputedResult

__all__ = ["Result", "label"]

CHILDREN = 8  # most summaries per task that joins boxes along an axis


class Result(LabelResult):
    """The result of label(): a Dask array of labels and a Delayed int, and as the attribute table a Delayed Table or None."""

    def compute(self, **options):
        """The voxcc.Result of labels, count and table, which are computed together. @param options see dask.compute()"""
        return ComputedResult(*dask.compute(self.labels, self.count, self.table, **options))

    __eq__, __ne__, __hash__ = object.__eq__, object.__ne__, object.__hash__  # values are not known before computing


def label(x, /, connectivity=None, *, values=False, periodic=False, min_size=0, keep_largest=None, ties="first", dtype=None, table=False,
          spacing=None, threads=1):
    """Labels the connected components of a Dask array with one, two or three dimensions.

    x: booleans, integers or floats in chunks of known sizes. Voxels that are not 0 are foreground. NaN is background. Tasks must give
       the same voxels each time they run, because each chunk is read twice.
    connectivity, values, periodic, min_size, keep_largest, ties, spacing: see voxcc.label().
    dtype: integer type of the labels. None: uint32 if the shape allows fewer than 2^32 components, else uint64.
    table: True also makes a table.
    threads: number of threads per task.

    Returns a Result: labels, count = voxcc.dask.label(x). Its attributes are labels, a Dask array with the chunks of x, count, a Delayed
    int, and table, a Delayed Table or None. The values are equal to the values of voxcc.label(x.compute()), whatever the chunks, the
    scheduler and the number of workers are. All of them need one pass over the complete array, so compute them together: with
    result.compute(), or in one call of dask.compute().
    Raises TypeError or ValueError for arguments that are not valid, for example unknown chunk sizes. Computing raises ValueError if a
    label does not fit dtype, or if the voxels of a chunk change between its two readings.

    >>> x = da.from_array(np.eye(4, dtype=bool), chunks=2)
    >>> labels, count = voxcc.dask.label(x, 4)
    >>> labels.dtype, count.compute()
    (dtype('uint32'), 4)
    >>> voxcc.dask.label(x, 4, min_size=1, table=True).compute().table["bbox_0_max"]
    array([1, 2, 3, 4])
    """
    x = array_argument(x)
    values, table = arguments.boolean(values, "values"), arguments.boolean(table, "table")
    neighbours = arguments.connectivity_argument(connectivity, x.ndim)
    wrapped = arguments.periodic_argument(periodic, x.ndim)
    spacing = arguments.spacing_argument(spacing, x.ndim)
    if not table and spacing is not None:
        raise ValueError("spacing is used only in the table; add table=True")
    ties = TIES[arguments.choice(ties, TIES, "ties")]
    min_size = arguments.size_argument(min_size, "min_size")
    keep_largest = None if keep_largest is None else arguments.size_argument(keep_largest, "keep_largest")
    threads = arguments.integer(threads, "threads", 1)
    if isinstance(dtype, str) and dtype == "min":
        raise ValueError("dtype is 'min', but the count is not known before computing; use an integer type")
    most = most_components(x.shape, neighbours, values)
    dtype = label_type(dtype, 0) if dtype is not None else label_type(None, most)

    if x.size == 0:  # an empty array has the results of an array of background
        background = label(da.zeros((1,) * x.ndim, dtype=x.dtype), neighbours, values=values, table=table, spacing=spacing)
        return Result(da.zeros(x.shape, dtype=dtype, chunks=x.chunks), background.count, background.table)

    chunks = x.chunks
    x = x.rechunk(tuple(tuple(n for n in lengths if n > 0) for lengths in chunks))
    measure = "table" if table else "sizes" if min_size > 1 or keep_largest is not None else None
    rules = {"connectivity": neighbours, "values": values, "threads": threads}
    of_blocks = {"periodic": [axis for axis in range(x.ndim) if wrapped >> axis & 1], "measure": measure}
    of_numbers = {"min_size": min_size, "keep_largest": keep_largest, "ties": ties, "spacing": spacing}
    token = tokenize(x.name, rules, of_blocks, of_numbers, str(dtype))
    summaries = x.map_blocks(
        functools.partial(summarise_block, origins=origins_of(x.chunks), shape=x.shape, options={**rules, **of_blocks}),
        dtype=object, meta=np.empty((0,) * x.ndim, object), name=f"voxcc-summarise-{token}",
    )  # fmt: skip
    name = f"voxcc-number-{token}"
    numbering = delayed(name, Tasks(join_tasks, name, summaries.name, x.numblocks, of_numbers), [summaries])
    count = entry_of(numbering, "count")
    labels = labels_of(x, numbering, count, rules, dtype, token).rechunk(chunks)
    return Result(labels, count, entry_of(numbering, "table") if table else None)


def array_argument(x):
    if not isinstance(x, da.Array):
        raise TypeError(f"x is of the type {type(x).__name__}; it must be a Dask array")
    arguments.array_argument(np.empty((1,) * x.ndim, x.dtype))
    if any(math.isnan(length) for length in x.shape):
        raise ValueError("x has chunks of unknown sizes; call x.compute_chunk_sizes() first")
    if max(x.shape) > blocks.LONGEST_AXIS:
        raise ValueError(f"x has an axis of {max(x.shape)} voxels; at most 2^31 are allowed")
    return x


def most_components(shape, neighbours, values):
    """A bound of the number of components of an array of this shape."""
    if values:
        return math.prod(shape)
    if neighbours in (8, 26):  # two voxels of a cube of 2^3 voxels touch
        return math.prod((length + 1) // 2 for length in shape)
    return (math.prod(shape) + 1) // 2


def origins_of(chunks):
    """The first index of each chunk along each axis."""
    return tuple(tuple(itertools.accumulate(lengths[:-1], initial=0)) for lengths in chunks)


def origin_of(origins, index):
    return tuple(begins[i] for begins, i in zip(origins, index))


def summarise_block(block, *, origins, shape, options, block_id):
    """An array with one element, the summary."""
    result = np.empty((1,) * block.ndim, object)
    result[(0,) * block.ndim] = blocks.summarise(block, origin_of(origins, block_id), shape, **options)
    return result


def join_summaries(arrays, axis):
    result = np.empty_like(arrays[0])
    result.flat[0] = blocks.join([array.flat[0] for array in arrays], axis)
    return result


def number_summary(array, options):
    return blocks.number(array.flat[0], **options)


def paint_block(block, numbers, *, options, dtype):
    return blocks.paint(block, numbers, dtype=dtype, **options)


class Tasks(Layer):
    """A layer of a graph whose tasks are made when they are first needed. So a client of a distributed scheduler makes no tasks.

    make: a function that can be pickled. make(*arguments) returns a dict of tasks.
    """

    def __init__(self, make, *arguments):
        super().__init__()
        self.make, self.arguments = make, arguments

    @functools.cached_property
    def tasks(self):
        return self.make(*self.arguments)

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("tasks", "has_legacy_tasks")}

    def __getitem__(self, key):
        return self.tasks[key]

    def __iter__(self):
        return iter(self.tasks)

    def __len__(self):
        return len(self.tasks)

    def is_materialized(self):
        return "tasks" in self.__dict__

    def get_output_keys(self):
        return self.keys()


def delayed(name, layer, dependencies):
    return Delayed(name, HighLevelGraph.from_collections(name, layer, dependencies=dependencies))


def entry_of(numbering, entry):
    name = f"voxcc-{entry}-{tokenize(numbering.key)}"
    return delayed(name, Tasks(entry_tasks, name, numbering.key, entry), [numbering])


def entry_tasks(name, numbering, entry):
    return {name: (operator.attrgetter(entry), numbering)}


def join_tasks(name, summaries, numblocks, options):
    """Joins boxes along the last axis until one is left, then along the axes before it, then numbers the components."""
    keys = {index: (summaries, *index) for index in itertools.product(*map(range, numblocks))}
    tasks = {}
    for axis in reversed(range(len(numblocks))):
        while max(index[axis] for index in keys) > 0:
            children = {}
            for index, key in keys.items():
                children.setdefault((*index[:axis], index[axis] // CHILDREN, *index[axis + 1 :]), []).append(key)
            level = len(tasks)
            keys = {index: (f"join-{name}", level, *index) for index in children}
            for index, key in keys.items():
                tasks[key] = (join_summaries, children[index], axis)
    (last,) = keys.values()
    tasks[name] = (number_summary, last, options)
    return tasks


def labels_of(x, numbering, count, rules, dtype, token):
    """Reads the chunks of x again when the components are numbered, and paints them."""
    again_name = f"again-{token}"
    with_data = [name for name, layer in x.dask.layers.items() if layer.is_materialized()]
    layer = Tasks(tasks_again, again_name, x.dask, x.name, x.numblocks, count.key)
    graph = HighLevelGraph.merge(x.dask, count.dask)
    again = HighLevelGraph({**graph.layers, again_name: layer}, {**graph.dependencies, again_name: {*with_data, count.key}})
    again = da.Array(again, again_name, x.chunks, meta=x._meta)
    split_name = f"voxcc-split-{token}"
    layer = Tasks(split_tasks, split_name, numbering.key, origins_of(x.chunks))
    numbers = da.Array(HighLevelGraph.from_collections(split_name, layer, dependencies=[numbering]), split_name, x.chunks, dtype=object)
    return da.map_blocks(functools.partial(paint_block, options=rules, dtype=dtype), again, numbers, dtype=dtype,
                         meta=np.empty((0,) * x.ndim, dtype), name=f"voxcc-paint-{token}")  # fmt: skip


def split_tasks(name, numbering, origins):
    """One task per block, so that only the numbers of its components are sent to the worker that paints the block."""
    tasks = {}
    for index in itertools.product(*(range(len(begins)) for begins in origins)):
        tasks[(name, *index)] = (numbers_of_block, numbering, list(origin_of(origins, index)))
    return tasks


def numbers_of_block(numbering, origin):
    return numbering.numbers[tuple(origin)]


def tasks_again(name, graph, array, numblocks, count):
    """The tasks of an array under other names. With the same names, a scheduler would keep all chunks in memory from the first reading
    until the labels are painted. Tasks that read depend on the count, so they do not run before the components are numbered. Data that is
    in memory already, such as persisted chunks, is not copied."""
    tasks = convert_legacy_graph(ensure_dict(graph))
    chunks = {(array, *index): (name, *index) for index in itertools.product(*map(range, numblocks))}
    names = {key: chunks.get(key, (f"{name}-task", key)) for key, task in tasks.items() if isinstance(task, (Alias, Task))}
    again = {new: Alias(new, key) for key, new in chunks.items() if key not in names}
    for key, new in names.items():
        if isinstance(tasks[key], Alias):
            again[new] = Alias(new, names.get(tasks[key].target, tasks[key].target))
            continue
        task = tasks[key].substitute(names, key=new)
        reads = task.dependencies.isdisjoint(names.values())
        again[new] = Task(new, second, TaskRef(count), task) if reads else task
    return again


def second(_, value):
    return value
