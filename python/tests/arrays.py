"""Random arrays of every type and layout, and the labels that they must have."""

import itertools

import numpy as np
import scipy.ndimage
from hypothesis import strategies as st

INTEGERS = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"]
TYPES = ["?", *INTEGERS, "f2", "f4", "f8"]
LAYOUTS = ["C", "F", "crop", "step", "negative", "transposed", "read-only", "unaligned"]
FULL = {1: 26, 2: 8, 3: 26}


def in_layout(array, layout):
    """The same elements in another layout."""
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "crop":
        return np.pad(array, 3, constant_values=1)[(slice(3, -3),) * array.ndim]
    if layout == "step":
        return np.repeat(array, 2, axis=array.ndim - 1)[..., ::2]
    if layout == "negative":
        turned = (slice(None, None, -1),) * array.ndim
        return np.ascontiguousarray(array[turned])[turned]
    if layout == "transposed":  # the middle axis, or the first of two, is the fastest in memory
        axes = {1: (0,), 2: (1, 0), 3: (2, 0, 1)}[array.ndim]
        return np.ascontiguousarray(array.transpose(axes)).transpose(np.argsort(axes))
    if layout == "unaligned":
        memory = np.zeros(array.nbytes + 1, np.uint8)
        moved = memory[1:].view(array.dtype).reshape(array.shape)
        moved[...] = array
        return moved
    array = array.copy()
    if layout == "read-only":
        array.flags.writeable = False
    return array


def random_array(seed, shape, dtype, values, density):
    random = np.random.default_rng(seed)
    numbers = random.integers(1, values + 1, shape) * (random.random(shape) < density)
    if np.dtype(dtype).kind in "if":
        numbers *= random.choice([-1, 1], shape)
    return numbers.astype(dtype)


@st.composite
def arrays(draw, types=TYPES, dimensions=(1, 2, 3), values=(1, 2, 3), layouts=LAYOUTS, big_endian=True):
    ndim = draw(st.sampled_from(dimensions))
    long = draw(st.integers(0, ndim - 1))  # one axis crosses words of 64 bits, the others are short
    shape = tuple(draw(st.integers(1, 140 if axis == long else 12)) for axis in range(ndim))
    dtype = np.dtype(draw(st.sampled_from(types)))
    array = random_array(draw(st.integers(0, 2**32)), shape, dtype, draw(st.sampled_from(values)), draw(st.sampled_from([0.1, 0.5, 0.9])))
    if big_endian and draw(st.booleans()):
        array = array.astype(dtype.newbyteorder(">"))
    return in_layout(array, draw(st.sampled_from(layouts)))


def reach_of(connectivity):
    return {4: 1, 6: 1, 8: 2, 18: 2, 26: 3}[connectivity]


def structure_of(connectivity, ndim):
    return scipy.ndimage.generate_binary_structure(ndim, min(reach_of(connectivity), ndim))


def flood_fill(array, connectivity, values=False, periodic=(), order="C", slice_axis=None):
    """Labels and count, voxel by voxel. Elements that are not 0 and not NaN are foreground."""
    foreground = (array != 0) & (array == array)
    labels = np.zeros(array.shape, np.int64)
    steps = [
        step for step in itertools.product((-1, 0, 1), repeat=array.ndim)
        if 0 < np.abs(step).sum() <= reach_of(connectivity) and (slice_axis is None or step[slice_axis] == 0)
    ]
    count = 0
    axes = list(range(array.ndim))
    if order == "F":
        axes.reverse()
    if slice_axis is not None:
        axes.remove(slice_axis)
        axes.insert(0, slice_axis)
    for start in itertools.product(*(range(array.shape[axis]) for axis in axes)):
        start = tuple(start[axes.index(axis)] for axis in range(array.ndim))
        if not foreground[start] or labels[start]:
            continue
        count += 1
        labels[start] = count
        stack = [start]
        while stack:
            at = stack.pop()
            for step in steps:
                to = [a + s for a, s in zip(at, step)]
                for axis in periodic:
                    to[axis] %= array.shape[axis]
                to = tuple(to)
                if any(not 0 <= t < n for t, n in zip(to, array.shape)):
                    continue
                if foreground[to] and not labels[to] and (not values or array[to] == array[at]):
                    labels[to] = count
                    stack.append(to)
    return labels, count


def equal_tables(got, want):
    assert list(got) == list(want)
    for name in want:
        assert got[name].dtype == want[name].dtype
        np.testing.assert_array_equal(got[name], want[name])
