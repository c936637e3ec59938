"""voxcc.patch()."""

import sys
import types

import cc3d
import numpy as np
import pytest
import scipy.ndimage
import skimage.measure
import skimage.morphology
import skimage.segmentation
import voxcc
import voxcc.cc3d
import voxcc.fill_voids
import voxcc.scipy
import voxcc.skimage

MASK = np.array([[1, 0], [0, 1]])


def test_functions_are_replaced_and_restored():
    originals = scipy.ndimage.label, scipy.ndimage.sum, skimage.measure.label, skimage.segmentation.clear_border, cc3d.connected_components
    with voxcc.patch("scipy", "skimage", "cc3d"):
        assert voxcc.patched() == ["scipy", "skimage", "cc3d"]
        assert scipy.ndimage.label is voxcc.scipy.label
        assert scipy.ndimage.find_objects is voxcc.scipy.find_objects
        assert skimage.measure.label is voxcc.skimage.label
        assert scipy.ndimage.sum is scipy.ndimage._measurements.sum is voxcc.scipy.sum
        assert scipy.ndimage.median is voxcc.scipy.median
        assert scipy.ndimage.maximum_position(MASK) == (0, 0)  # passed on to scipy itself
        assert skimage.measure.regionprops is voxcc.skimage.regionprops
        assert skimage.morphology.remove_small_objects is voxcc.skimage.remove_small_objects
        assert skimage.morphology.remove_small_holes([[1]] == MASK, max_size=1).all()
        assert skimage.segmentation.clear_border is voxcc.skimage.clear_border
        assert skimage.morphology.remove_small_objects(MASK, max_size=1).sum() == 2  # passed on to scikit-image itself
        assert cc3d.dust is voxcc.cc3d.dust
        assert scipy.ndimage.label(MASK)[1] == 2
        assert scipy.ndimage.label(np.ones((1, 2, 2, 2)))[1] == 1  # passed on to scipy itself
        assert skimage.measure.regionprops_table(MASK, properties=("label", "solidity"))["solidity"][0] > 0
    assert voxcc.patched() == []
    assert originals == (
        scipy.ndimage.label, scipy.ndimage.sum, skimage.measure.label, skimage.segmentation.clear_border, cc3d.connected_components
    )  # fmt: skip


def test_names_in_other_modules():
    library = types.ModuleType("library")
    library.ndi_label = scipy.ndimage.label
    sys.modules["library"] = library
    try:
        patch = voxcc.patch("scipy")
        assert library.ndi_label is voxcc.scipy.label
        inner = voxcc.patch("scipy")
        inner.undo()
        assert voxcc.patched() == ["scipy"]
        patch.undo()
        patch.undo()
        assert library.ndi_label is scipy.ndimage.label is not voxcc.scipy.label
    finally:
        del sys.modules["library"]


def test_restored_after_an_exception():
    with pytest.raises(KeyError), voxcc.patch("scipy"):
        raise KeyError
    assert voxcc.patched() == []


def test_a_package_that_imports_its_function_from_a_module():
    fill_voids = pytest.importorskip("fill_voids", reason="SKIPPED: patch('fill_voids'): the package is not installed")
    original = fill_voids.fill
    with voxcc.patch("fill_voids"):
        assert fill_voids.fill is sys.modules["fill_voids.fill_voids"].fill is voxcc.fill_voids.fill
    assert fill_voids.fill is original


def test_unknown_package():
    with pytest.raises(ValueError, match="'numpy' cannot be replaced"):
        voxcc.patch("scipy", "numpy")
    assert voxcc.patched() == []
