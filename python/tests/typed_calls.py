"""Calls with the types that mypy must find. test_types.py checks this file with mypy --strict, and runs it."""

from typing import Any

import numpy as np
import voxcc
import voxcc.cc3d
import voxcc.fill_voids
import voxcc.monai
import voxcc.scipy
import voxcc.skimage
from numpy.typing import NDArray
from typing_extensions import assert_type

Array = NDArray[Any]
x = np.array([[1, 1, 0], [0, 0, 2]])

result = voxcc.label(x, 4, delta=1, table=True, structure=None, background=0)
assert_type(result.count, int)
labels, count = result
assert_type(labels, Array)
assert_type(count, int)
assert_type(result.labels, Array)
assert_type(result.table, voxcc.Table | None)
columns: dict[str, Array] = voxcc.measure(labels, background=True)
assert_type(voxcc.measure(labels, background=True), voxcc.Table)
assert_type(voxcc.contacts(labels, spacing=(1.0, 2.0)), voxcc.Table)
copied: voxcc.Result = voxcc.Result(labels, count, result.table)
assert_type(voxcc.filter(x, lambda rows: rows["voxels"] > 1), Array)
assert_type(voxcc.keep_largest(x, ties="all"), Array)
assert_type(voxcc.level(x, "otsu"), float)
assert_type(voxcc.label(x, table=True, intensity={"a": x}, percentiles=[5, 95], shape=True, seed_threshold=2).count, int)
assert_type(voxcc.map_labels(labels, {1: 2}, missing="zero"), Array)
assert_type(voxcc.map_labels(labels, ([1, 2], [3, 4]), dtype="min"), Array)
assert_type(voxcc.tfce(labels, step=0.5), NDArray[Any])
assert_type(voxcc.match(labels, labels, by="dice").pairs, voxcc.Table)
assert_type(voxcc.fill_holes(x, 4, values=True, max_size=3), Array)
assert_type(voxcc.fill_holes(x, return_fill_count=True), tuple[Array, int])
with voxcc.patch("scipy", "cc3d") as patch:
    assert_type(patch, voxcc.Patch)
assert_type(voxcc.patched(), list[str])

assert_type(voxcc.cc3d.connected_components(x), Array)
assert_type(voxcc.cc3d.connected_components(x, return_N=True), tuple[Array, int])
assert_type(voxcc.cc3d.dust(x, (1, 2), return_N=True), tuple[Array, int])
assert_type(voxcc.cc3d.color_connectivity_graph(voxcc.cc3d.voxel_connectivity_graph(x, 4), 4, return_N=True), tuple[Array, int])
assert_type(voxcc.cc3d.connected_components_stack([np.ones((2, 2, 2))]), Array)
assert_type(voxcc.cc3d.estimate_provisional_labels(x), tuple[int, int, int])
assert_type(voxcc.scipy.label(x), tuple[Array, int])
assert_type(voxcc.scipy.find_objects(x), list[tuple[slice, ...] | None])
assert_type(voxcc.scipy.extrema(x, x, [1, 2]), tuple[Any, Any, Any, Any])
assert_type(voxcc.skimage.remove_small_objects(x > 0, max_size=1), Array)
assert_type(voxcc.skimage.remove_small_holes(x > 0, max_size=1), Array)
assert_type(voxcc.skimage.clear_border(x), Array)
assert_type(voxcc.skimage.regionprops(x), list[Any])
assert_type(voxcc.skimage.label(x, return_num=True), tuple[Array, int])
mask = np.ones((3, 3), np.uint8)
assert_type(voxcc.fill_voids.fill(mask), NDArray[np.uint8])
assert_type(voxcc.fill_voids.fill(mask, False, True), tuple[NDArray[np.uint8], int])
assert_type(voxcc.monai.get_largest_connected_component_mask(labels, num_components=2), Array)
voxcc.monai.KeepLargestConnectedComponent(applied_labels=1)(labels)
voxcc.monai.RemoveSmallObjectsd(["a"], min_size=2)({"a": labels})

try:
    voxcc.label(np.ones((1, 1, 1, 1)))
except voxcc.DimensionError as error:
    assert_type(error.remedy, str)
