"""Tables of periodic arrays, against a model that searches voxel by voxel (tests/python/periodic_model.py)."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
import voxcc
import voxcc.blocks

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "python"))
from periodic_model import search  # noqa: E402

AXIS_SETS = [axes for n in (1, 2, 3) for axes in itertools.combinations(range(3), n)]
LAYOUTS = [lambda x: x, np.asfortranarray, lambda x: x.transpose(2, 0, 1).copy().transpose(1, 2, 0), lambda x: np.repeat(x, 2, axis=2)[:, :, ::2]]


def drawn(rng, shape, values=1):
    return (rng.integers(1, values + 1, shape) * (rng.random(shape) < rng.choice([0.05, 0.1, 0.2, 0.4, 1.0]))).astype(np.uint8)


def check_table(table, components, dimensions, image=None):
    """The array of the model has three axes, of which the last `dimensions` are the axes of the table."""
    thin = 3 - dimensions
    np.testing.assert_array_equal(table["voxels"], [len(component.stored) for component in components])
    for row, component in enumerate(components):
        wraps, box, covariance = component.wraps[thin:], component.box()[thin:], component.covariance()[thin:, thin:]
        for axis in range(dimensions):
            assert table[f"wraps_{axis}"][row] == wraps[axis]
            np.testing.assert_allclose(table[f"centroid_{axis}"][row], component.centroid()[thin + axis], atol=1e-9)
            assert (table[f"bbox_{axis}_min"][row], table[f"bbox_{axis}_max"][row] - 1) == tuple(box[axis])
            for other in range(axis, dimensions):
                np.testing.assert_allclose(table[f"cov_{axis}{other}"][row], covariance[axis, other], atol=1e-9)
        np.testing.assert_equal(np.isnan(table["axis_1"][row]), wraps.any())
        if image is None:
            continue
        weights = image[tuple(component.stored.T)].astype(float)
        got = [table[f"intensity_weighted_centroid_{axis}"][row] for axis in range(dimensions)]
        np.testing.assert_allclose(got, component.centroid(weights)[thin:], atol=1e-9)
        assert table["intensity_mean"][row] == pytest.approx(weights.mean())


@pytest.mark.parametrize("axes", AXIS_SETS)
@pytest.mark.parametrize("connectivity", [6, 18, 26])
def test_volumes(connectivity, axes):
    rng = np.random.default_rng(connectivity + 100 * AXIS_SETS.index(axes))
    for number in range(6):
        x = drawn(rng, rng.integers(2, 8, 3), 2)
        image = rng.integers(1, 30, x.shape).astype([np.uint8, np.float32][number % 2])
        values = bool(number % 2)
        joins = (lambda a, b: a == b) if values else (lambda a, b: True)
        components = search(x, connectivity, [axis in axes for axis in range(3)], joins=joins)
        order = "C" if number % 3 else "F"
        if order == "F":
            components.sort(key=lambda component: min(map(tuple, component.stored[:, ::-1].tolist())))
        result = voxcc.label(LAYOUTS[number % 4](x), connectivity, values=values, periodic=axes, table=True, intensity=image, spacing=1, order=order)
        check_table(result.table, components, 3, image)


@pytest.mark.parametrize("shape", [(9,), (7, 8), (1, 9), (5, 1, 6)])
def test_arrays_of_other_dimensions(shape):
    rng = np.random.default_rng(len(shape))
    for _ in range(10):
        x = drawn(rng, shape)
        volume = x.reshape((1,) * (3 - x.ndim) + x.shape)
        components = search(volume, 26, [True] * 3, joins=lambda a, b: True)
        result = voxcc.label(x, periodic=True, table=True, spacing=1)
        check_table(result.table, components, x.ndim)


def test_selection_and_slices():
    rng = np.random.default_rng(5)
    for _ in range(10):
        x = drawn(rng, (6, 7, 8))
        image = rng.integers(1, 30, x.shape)
        components = search(x, 26, [True, False, True], joins=lambda a, b: True)
        largest = sorted([c for c in components if len(c.stored) > 1], key=lambda component: -len(component.stored))[:3]
        result = voxcc.label(x, periodic=(0, 2), table=True, intensity=image, spacing=1, min_size=2, keep_largest=3, sort="size")
        check_table(result.table, largest, 3, image)
        slices = search(x, 8, [False, True, True], joins=lambda a, b: True, slice_axis=0)
        check_table(voxcc.label(x, 8, per_slice=0, periodic=(1, 2), table=True, intensity=image, spacing=1).table, slices, 3, image)


def test_the_columns_exist_only_with_periodic():
    x = np.ones((3, 3), np.uint8)
    assert "wraps_0" not in voxcc.label(x, table=True).table
    table = voxcc.label(x, periodic=1, table=True, spacing=2).table
    assert list(table["wraps_1"]) == [True] and list(table["wraps_0"]) == [False]
    assert list(table["bbox_1_max"]) == [3] and np.isnan(table["centroid_1"][0]) and table["centroid_0"][0] == 1 and table["volume"][0] == 36


def in_blocks(x, cuts, **options):
    """The numbering of an array that is cut at indices along each axis."""
    ends = [[0, *sorted(of_axis), length] for of_axis, length in zip(cuts, x.shape)]
    boxes = {}
    for index in itertools.product(*(range(len(of_axis) - 1) for of_axis in ends)):
        low = tuple(ends[axis][i] for axis, i in enumerate(index))
        high = tuple(ends[axis][i + 1] for axis, i in enumerate(index))
        block = x[tuple(map(slice, low, high))]
        boxes[index] = voxcc.blocks.summarise(block, low, x.shape, measure="table", **options)
    for axis in reversed(range(x.ndim)):
        lines = {}
        for index, summary in boxes.items():
            lines.setdefault((*index[:axis], 0, *index[axis + 1 :]), []).append(summary)
        boxes = {index: voxcc.blocks.join(line, axis) for index, line in lines.items()}
    return next(iter(boxes.values()))


@pytest.mark.parametrize("axes", [(0,), (1, 2), (0, 1, 2)])
def test_blocks_have_the_table_of_the_array(axes):
    rng = np.random.default_rng(len(axes))
    for number in range(25):
        shape = tuple(rng.integers(1, 12, 1 + number % 3))
        x = drawn(rng, shape, 2)
        options = {"connectivity": None, "values": bool(number % 2), "periodic": [axis for axis in axes if axis < x.ndim]}
        cuts = [rng.choice(np.arange(1, n), rng.integers(0, min(n, 4)), replace=False) if n > 1 else [] for n in shape]
        keep = int(rng.integers(1, 5)) if number % 4 == 0 else None
        numbering = voxcc.blocks.number(in_blocks(x, cuts, **options), keep_largest=keep, spacing=1.5)
        result = voxcc.label(x, **options, keep_largest=keep, spacing=1.5, table=True)
        assert numbering.table.keys() == result.table.keys()
        for name, column in result.table.items():
            np.testing.assert_array_equal(numbering.table[name], column, err_msg=name)
