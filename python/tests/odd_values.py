"""Values that a caller may pass by mistake, and all public functions with a valid call for each."""

import datetime
import fractions
import inspect
from decimal import Decimal

import numpy as np
import scipy.ndimage
import voxcc
import voxcc.blocks
import voxcc.cc3d
import voxcc.dask
import voxcc.monai
import voxcc.scipy
import voxcc.skimage

try:
    import skimage.measure as skimage_measure
except ImportError:
    skimage_measure = None


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no text")


def odd_values():
    """Objects of about 70 kinds. Each call makes new ones."""
    return [
        None, True, False, 0, 1, 2, 3, 6, -1, -7, 1.0, 3.0, 1.5, -0.5, 1e300, float("nan"), float("inf"), float("-inf"), 10**400, -(10**400),
        2**31, 2**63, 2**64, 10**5000, 1j, Decimal("2.5"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), fractions.Fraction(1, 3),
        "", "1", "abc", "inf", ">1e99999999999999999999", "x" * 10**5, "é\n\0", "\ud800", b"1", bytearray(b"2"), memoryview(b"12"),
        (), [], {}, set(), (1,), (1, 2), [1, 2, 3], [[1, 2], [3]], [None, None], ["a"], {"a": 1}, {1, 2}, range(3), iter([1, 2]),
        object(), Unprintable(), int, len, lambda *values: values, Exception("e"), datetime.datetime(2020, 1, 1), slice(1), Ellipsis,
        np.bool_(True), np.uint8(3), np.int64(-2), np.float32(1), np.float64(3), np.float64("nan"), np.longdouble(2), np.complex64(1),
        np.str_("C"), np.bytes_(b"C"), np.datetime64("2020"), np.void(b"12"), np.array(1), np.array(2.5), np.array("C"), np.array(None),
        np.array([]), np.array([1, 2]), np.array([[0.5, 1.5], [1, 2]]), np.array(["a", "b"]), np.array([1, "a"], object), np.ones((1,) * 5),
        np.zeros((0, 3)), np.ma.masked, np.ma.array([1, 2], mask=[0, 1]), np.dtype("i4"), np.random.default_rng(0), np,
        np.zeros(3, [("a", "i4")]), np.zeros((2, 3), np.longdouble), np.asmatrix([[1, 2]]), np.zeros((2, 3), ">f4"), np.zeros((2, 3), "f2"),
        np.broadcast_to(np.uint8(1), (2, 3)), np.ones((2, 3), "u1")[:, ::-1],
    ]  # fmt: skip


X = np.array([[1, 0, 2], [1, 0, 2]], np.uint8)
IMAGE = np.array([[0.5, 1.0, 2.0], [3.0, 4.0, 5.0]])
SUMMARY = voxcc.blocks.summarise(X, (0, 0), X.shape, measure="table")


def dask_array():
    import dask.array

    return dask.array.from_array(X, chunks=2)


# Per function: the valid arguments of a call, and the function of the other package whose exceptions it must raise; None: no such function.
CALLS = {
    voxcc.label: ({"x": X, "table": True}, None),
    voxcc.keep_largest: ({"x": X}, None),
    voxcc.remove_small: ({"x": X, "min_size": 2}, None),
    voxcc.filter: ({"x": X, "keep": lambda table: table["voxels"] > 1}, None),
    voxcc.measure: ({"labels": X}, None),
    voxcc.contacts: ({"labels": X}, None),
    voxcc.map_labels: ({"labels": X, "table": {1: 3, 2: 4}}, None),
    voxcc.match: ({"a": X, "b": X}, None),
    voxcc.tfce: ({"x": IMAGE}, None),
    voxcc.set_threads: ({"threads": 1}, None),
    voxcc.blocks.summarise: ({"block": X, "origin": (0, 0), "shape": X.shape}, None),
    voxcc.blocks.join: ({"summaries": [SUMMARY], "axis": 0}, None),
    voxcc.blocks.number: ({"summary": SUMMARY}, None),
    voxcc.blocks.paint: ({"block": X, "numbers": np.array([1, 2])}, None),
    voxcc.dask.label: ({"x": dask_array()}, None),
    voxcc.monai.get_largest_connected_component_mask: ({"img": X}, None),
    voxcc.scipy.label: ({"input": X}, scipy.ndimage.label),
    voxcc.scipy.find_objects: ({"input": X}, scipy.ndimage.find_objects),
    voxcc.scipy.sum_labels: ({"input": IMAGE, "labels": X, "index": [1, 2]}, scipy.ndimage.sum_labels),
    voxcc.scipy.mean: ({"input": IMAGE, "labels": X, "index": [1, 2]}, scipy.ndimage.mean),
    voxcc.scipy.standard_deviation: ({"input": IMAGE, "labels": X, "index": [1, 2]}, scipy.ndimage.standard_deviation),
    voxcc.scipy.minimum: ({"input": IMAGE, "labels": X, "index": [1, 2]}, scipy.ndimage.minimum),
    voxcc.scipy.maximum: ({"input": IMAGE, "labels": X, "index": [1, 2]}, scipy.ndimage.maximum),
    voxcc.scipy.center_of_mass: ({"input": IMAGE, "labels": X, "index": [1, 2]}, scipy.ndimage.center_of_mass),
    voxcc.skimage.label: ({"label_image": X}, skimage_measure and skimage_measure.label),
    voxcc.skimage.regionprops_table: (
        {"label_image": X, "intensity_image": IMAGE, "properties": ("label", "intensity_mean")},
        skimage_measure and skimage_measure.regionprops_table,
    ),
    voxcc.cc3d.connected_components: ({"data": X}, None),
    voxcc.cc3d.statistics: ({"out_labels": X}, None),
    voxcc.cc3d.dust: ({"img": X, "threshold": 2}, None),
    voxcc.cc3d.largest_k: ({"img": X, "k": 1}, None),
    voxcc.cc3d.each: ({"labels": X}, None),
    voxcc.cc3d.contacts: ({"labels": X}, None),
    voxcc.cc3d.region_graph: ({"labels": X}, None),
    voxcc.cc3d.voxel_connectivity_graph: ({"data": X}, None),
    voxcc.cc3d.color_connectivity_graph: ({"vcg": X, "connectivity": 4}, None),
    voxcc.cc3d.estimate_provisional_labels: ({"data": X}, None),
    voxcc.cc3d.connected_components_stack: ({"stacked_images": [np.ones((2, 2, 2), np.uint8)]}, None),
}


def call(function, given):
    """Calls a function with arguments by name, except for arguments that can be passed by position only."""
    parameters = inspect.signature(function).parameters
    positional = [given[name] for name, parameter in parameters.items() if parameter.kind is parameter.POSITIONAL_ONLY]
    named = {name: value for name, value in given.items() if parameters[name].kind is not parameters[name].POSITIONAL_ONLY}
    return function(*positional, **named)
