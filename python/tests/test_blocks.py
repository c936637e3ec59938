"""voxcc.blocks: blocks joined in any order against voxcc.label() for the complete array, and against scipy."""

import itertools
import pickle

import numpy as np
import pytest
import scipy.ndimage
import voxcc
import voxcc.blocks
from arrays import arrays, flood_fill, random_array
from hypothesis import given, settings
from hypothesis import strategies as st
from voxcc.blocks import join, number, paint, summarise


def boxes(shape, data, most=4):
    """Random chunks of a shape: one tuple of (begin, end) per axis."""
    axes = []
    for length in shape:
        cuts = data.draw(st.lists(st.integers(1, max(1, length - 1)), max_size=most, unique=True))
        cuts = sorted({0, length, *(cut for cut in cuts if cut < length)})
        axes.append(list(itertools.pairwise(cuts)))
    return axes


def label_blocks(x, axes, connectivity, axis_order, *, values=False, periodic=False, measure=None, **selection):
    """The result of voxcc.label(), from blocks that are joined along one axis after the other."""
    options = {"connectivity": connectivity, "values": values}
    grid = {}
    for index in itertools.product(*(range(len(axis)) for axis in axes)):
        box = [axes[axis][i] for axis, i in enumerate(index)]
        block = x[tuple(slice(*bounds) for bounds in box)]
        grid[index] = summarise(block, [begin for begin, _ in box], x.shape, **options, periodic=periodic, measure=measure)
    for axis in axis_order:
        groups = {}
        for index, summary in grid.items():
            groups.setdefault((*index[:axis], 0, *index[axis + 1 :]), []).append(summary)
        grid = {index: join(summaries, axis) for index, summaries in groups.items()}
    (summary,) = grid.values()
    numbering = number(pickle.loads(pickle.dumps(summary)), **selection)
    labels = np.zeros(x.shape, np.uint32)
    for box in itertools.product(*axes):
        where = tuple(slice(*bounds) for bounds in box)
        labels[where] = paint(x[where], numbering.numbers[tuple(begin for begin, _ in box)], **options)
    return labels, numbering


@given(arrays(), st.data())
def test_blocks_give_the_labels_and_the_table_of_the_complete_array(x, data):
    connectivity = data.draw(st.integers(1, x.ndim))
    options = {
        "values": data.draw(st.booleans()),
        "periodic": data.draw(st.lists(st.integers(0, x.ndim - 1), unique=True)),
        "min_size": data.draw(st.sampled_from([0, 0, 3])),
        "keep_largest": data.draw(st.sampled_from([None, None, 0, 2])),
        "ties": data.draw(st.sampled_from(["first", "last", "all"])),
        "spacing": data.draw(st.sampled_from([None, 0.7])),
    }
    expected = voxcc.label(np.ascontiguousarray(x), connectivity, **options, table=True)  # axis_1 differs in the last bit between layouts
    axis_order = data.draw(st.permutations(range(x.ndim)))
    labels, numbering = label_blocks(x, boxes(x.shape, data), connectivity, axis_order, measure="table", **options)
    assert numbering.count == expected.count
    np.testing.assert_array_equal(labels, expected.labels)
    assert list(numbering.table) == list(expected.table)
    for name, column in expected.table.items():
        assert numbering.table[name].dtype == column.dtype and numbering.table[name].tobytes() == column.tobytes(), name


@settings(max_examples=20)
@given(arrays(types=["?", "u1"]), st.data())
def test_blocks_give_the_labels_of_scipy(x, data):
    reach = data.draw(st.integers(1, x.ndim))
    labels, numbering = label_blocks(x, boxes(x.shape, data), reach, range(x.ndim))
    structure = scipy.ndimage.generate_binary_structure(x.ndim, reach)
    expected, count = scipy.ndimage.label(x, structure)
    assert numbering.count == count
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("connectivity", [6, 18, 26])
@pytest.mark.parametrize("periodic", list(itertools.product([False, True], repeat=3)))
def test_periodic_corners(connectivity, periodic):
    """Voxels that touch only across edges or corners of the array."""
    axes = [axis for axis in range(3) if periodic[axis]]
    for seed in range(4):
        x = random_array(seed, (3, 4, 2), "u1", 2, 0.3)
        expected, count = flood_fill(x, connectivity, values=True, periodic=axes)
        labels, numbering = label_blocks(x, [[(0, 1), (1, 3)], [(0, 4)], [(0, 1), (1, 2)]], connectivity, (1, 0, 2), values=True,
                                         periodic=axes)  # fmt: skip
        assert numbering.count == count
        np.testing.assert_array_equal(labels, expected)


def test_a_component_that_winds_through_all_blocks():
    """A line crosses each border of blocks many times; its pieces are united over long chains."""
    x = np.zeros((61, 60), np.uint8)
    x[::2] = 1
    x[1::4, -1] = x[3::4, 0] = 1
    axes = [[(i, i + 1) for i in range(61)], [(0, 20), (20, 21), (21, 60)]]
    labels, numbering = label_blocks(x, axes, 4, (0, 1), measure="table")
    assert numbering.count == 1
    np.testing.assert_array_equal(labels, x)
    assert numbering.table["voxels"].tolist() == [x.sum()]


def test_summary_is_small():
    """A summary holds components and faces, but no labels."""
    x = np.ones((64, 64, 64), np.uint8)
    summary = summarise(x, (64, 0, 64), (192, 64, 192))
    runs = sum(len(face) for face in summary.faces.values())
    assert sorted(summary.faces) == [0, 1, 4, 5] and runs == 4 * 64
    assert summary.nbytes == 8 + 24 * runs
    assert len(pickle.dumps(summary)) < summary.nbytes + 2000
    assert summarise(x, (64, 0, 64), (192, 64, 192), measure="sizes").nbytes == summary.nbytes + 8
    assert summarise(x, (64, 0, 64), (192, 64, 192), measure="table").nbytes == summary.nbytes + 160


def test_sums_of_large_indices_are_exact():
    """Second moments of voxels at indices of 2^31 do not fit 64 bits after they are added up."""
    shape = (2**31, 1, 64)
    block = np.ones((1, 1, 64), np.uint8)
    first = summarise(block, (0, 0, 0), shape, measure="table")
    last = summarise(block, (2**31 - 1, 0, 0), shape, measure="table")
    assert first.pieces[0].ids.tolist() == [0] and last.pieces[0].ids.tolist() == [(2**31 - 1) * 64]
    words = last.pieces[0].sums[0].tolist()
    assert words[:4] == [64, 64 * (2**31 - 1), 0, 2016]
    assert words[4] + (words[5] << 64) == 64 * (2**31 - 1) ** 2
    assert words[16] & 0xFFFFFFFF == words[16] >> 32 == 2**31 - 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: summarise(np.zeros((0, 2)), (0, 0), (4, 2)), "no voxels"),
        (lambda s: summarise(np.zeros((2, 2)), (3, 0), (4, 2)), "not inside"),
        (lambda s: summarise(np.zeros((2, 2)), (0,), (4, 2)), "origin has 1 numbers"),
        (lambda s: summarise(np.zeros((2, 2)), (0, 0), (4, 2**31 + 1)), "at most 2\\^31"),
        (lambda s: summarise(np.zeros((2, 2)), (0, 0), (4, 2), measure="all"), "measure is 'all'"),
        (lambda s: join([], 0), "no summaries"),
        (lambda s: join(s[::2], 0), "not side by side along axis 0"),
        (lambda s: join(s, 1), "not side by side along axis 1"),
        (lambda s: join([s[0], summarise(np.ones((2, 2)), (2, 0), (6, 2), 4)], 0), "different options"),
        (lambda s: number(join(s[:2], 0)), "but the array has the shape \\(6, 2\\)"),
        (lambda s: number(join(s, 0), min_size=2), "measure='sizes'"),
        (lambda s: paint(np.ones(3), np.array([1, 2])), "there are 2, but the array has 1 components"),
        (lambda s: paint(np.ones(3), np.array([300]), dtype="u1"), "do not fit uint8"),
    ],
)  # fmt: skip
def test_errors(call, message):
    summaries = [summarise(np.ones((2, 2)), (2 * i, 0), (6, 2)) for i in range(3)]
    with pytest.raises(ValueError, match=message):
        call(summaries)
