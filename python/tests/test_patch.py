"""voxcc.patch()."""

import inspect
import pickle
import subprocess
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
        assert scipy.ndimage.label.__wrapped__ is voxcc.scipy.label
        assert scipy.ndimage.find_objects.__wrapped__ is voxcc.scipy.find_objects
        assert skimage.measure.label.__wrapped__ is voxcc.skimage.label
        assert scipy.ndimage.sum is scipy.ndimage._measurements.sum
        assert scipy.ndimage.sum.__wrapped__ is voxcc.scipy.sum
        assert scipy.ndimage.median.__wrapped__ is voxcc.scipy.median
        assert scipy.ndimage.maximum_position(MASK) == (0, 0)  # passed on to scipy itself
        assert skimage.measure.regionprops.__wrapped__ is voxcc.skimage.regionprops
        assert skimage.morphology.remove_small_objects.__wrapped__ is voxcc.skimage.remove_small_objects
        assert skimage.morphology.remove_small_holes([[1]] == MASK, max_size=1).all()
        assert skimage.segmentation.clear_border.__wrapped__ is voxcc.skimage.clear_border
        assert skimage.morphology.remove_small_objects(MASK, max_size=1).sum() == 2  # passed on to scikit-image itself
        assert cc3d.dust.__wrapped__ is voxcc.cc3d.dust
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
        assert library.ndi_label.__wrapped__ is voxcc.scipy.label
        inner = voxcc.patch("scipy")
        inner.undo()
        assert voxcc.patched() == ["scipy"]
        patch.undo()
        patch.undo()
        assert library.ndi_label is scipy.ndimage.label is not voxcc.scipy.label
    finally:
        del sys.modules["library"]


IMPORTED = """
from scipy.ndimage import label
from voxcc.scipy import label as own_label
import skimage.measure as measure
table = measure.regionprops_table
"""


def test_modules_imported_while_patched(monkeypatch):
    """undo() restores what they have imported from the package, and not what they have imported from voxcc."""
    originals = scipy.ndimage.label, skimage.measure.regionprops_table
    with voxcc.patch("scipy", "skimage"):
        module = types.ModuleType("imported_meanwhile")
        monkeypatch.setitem(sys.modules, "imported_meanwhile", module)
        exec(IMPORTED, module.__dict__)
        stored = {"label": module.label}
        assert module.label.__wrapped__ is voxcc.scipy.label
    assert (module.label, module.table) == originals
    assert module.own_label is voxcc.scipy.label
    calls = []
    monkeypatch.setattr(voxcc._label, "run", lambda *args, **options: calls.append(args))
    assert stored["label"](MASK)[1] == 2 and not calls  # a stored replacement calls the function of scipy


def test_assigned_functions_are_kept(monkeypatch):
    monkeypatch.setattr(scipy.ndimage, "label", scipy.ndimage.label)
    with voxcc.patch("scipy"):
        scipy.ndimage.label = len
    assert scipy.ndimage.label is len


def test_patches_that_overlap():
    function = scipy.ndimage.label
    first, second = voxcc.patch("scipy"), voxcc.patch("scipy", "skimage")
    first.undo()
    first.undo()
    assert voxcc.patched() == ["scipy", "skimage"] and scipy.ndimage.label is not function
    second.undo()
    assert voxcc.patched() == [] and scipy.ndimage.label is function


def test_pickle():
    """A pickle names the function of the package: a process without a patch loads this function."""
    with voxcc.patch("scipy", "cc3d"):
        stored = pickle.dumps((scipy.ndimage.label, cc3d.dust))
        assert pickle.loads(stored) == (scipy.ndimage.label, cc3d.dust)
    assert pickle.loads(stored) == (scipy.ndimage.label, cc3d.dust)
    code = f"import pickle, scipy.ndimage; print(pickle.loads({stored!r})[0] is scipy.ndimage.label)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\n"


def test_exceptions_of_the_package():
    with voxcc.patch("cc3d"), pytest.raises(cc3d.DimensionError, match="Only 1D, 2D, and 3D"):
        cc3d.connected_components(np.ones((1, 1, 1, 1), np.uint8))


def test_signature():
    with voxcc.patch("scipy"):
        assert list(inspect.signature(scipy.ndimage.label).parameters) == ["input", "structure", "output"]


def test_restored_after_an_exception():
    with pytest.raises(KeyError), voxcc.patch("scipy"):
        raise KeyError
    assert voxcc.patched() == []


def test_a_package_that_imports_its_function_from_a_module():
    fill_voids = pytest.importorskip("fill_voids", reason="SKIPPED: patch('fill_voids'): the package is not installed")
    original = fill_voids.fill
    with voxcc.patch("fill_voids"):
        assert fill_voids.fill is sys.modules["fill_voids.fill_voids"].fill
        assert fill_voids.fill.__wrapped__ is voxcc.fill_voids.fill
    assert fill_voids.fill is original


def test_packages_must_be_names():
    for packages in (["scipy"], ("scipy", "cc3d"), None, 1):
        with pytest.raises(TypeError, match="write the names"):
            voxcc.patch(packages)
    assert voxcc.patch().undo() is None


def test_unknown_package():
    with pytest.raises(ValueError, match="'numpy' cannot be replaced"):
        voxcc.patch("scipy", "numpy")
    assert voxcc.patched() == []
