"""voxcc.monai against the rules that MONAI documents, computed with scikit-image and scipy, and against MONAI itself where it is installed.

Without MONAI, the transforms take and return NumPy arrays.
"""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.ndimage
import skimage.measure
import voxcc
import voxcc.monai
from arrays import INTEGERS, arrays, structure_of
from hypothesis import given
from hypothesis import strategies as st
from voxcc.monai import (
    FillHoles, FillHolesd, KeepLargestConnectedComponent, KeepLargestConnectedComponentd, RemoveSmallObjects, RemoveSmallObjectsd,
    get_largest_connected_component_mask,
)  # fmt: skip


def expected_mask(image, connectivity, components):
    labels, count = skimage.measure.label(image, connectivity=connectivity, return_num=True)
    if count <= components:
        return image.astype(bool)
    sizes = np.bincount(labels.ravel())
    sizes[0] = 0
    return np.isin(labels, np.argsort(sizes)[::-1][:components])  # the rule of MONAI, also for equal sizes


@given(arrays(types=["?", *INTEGERS, "f4"], values=(1, 3), layouts=["C"], big_endian=False), st.sampled_from([None, 1]), st.integers(0, 3))
def test_mask(image, connectivity, components):
    mask = get_largest_connected_component_mask(image, connectivity, components)
    assert mask.dtype == bool
    np.testing.assert_array_equal(mask, expected_mask(image, connectivity, components))


def expected_transform(image, labels, onehot, independent, connectivity, components):
    result = image.copy()

    def clear(channel, foreground):
        channel[foreground & ~expected_mask(foreground, connectivity, components)] = 0

    if independent:
        for label in labels:
            if onehot:
                clear(result[label], result[label] > 0)
            else:
                clear(result[0], result[0] == label)
    elif onehot:
        foreground = (result[labels] == 1).any(axis=0)
        for label in labels:
            clear(result[label], foreground)
    else:
        clear(result[0], np.isin(result[0], labels))
    return result


@given(
    st.integers(0, 2**32), st.booleans(), st.booleans(), st.sampled_from([None, 1, 2]), st.integers(1, 2), st.sampled_from(["u1", "f4", "i8"])
)  # fmt: skip
def test_transform(seed, onehot, independent, connectivity, components, dtype):
    random = np.random.default_rng(seed)
    image = (random.random((3, 7, 9)) < 0.4 if onehot else random.integers(0, 4, (1, 7, 9))).astype(dtype)
    labels = [1, 2]
    before = image.copy()
    result = KeepLargestConnectedComponent(labels, onehot, independent, connectivity, components)(image)
    result = np.asarray(result)
    assert result.dtype == image.dtype
    np.testing.assert_array_equal(result, expected_transform(image, labels, onehot, independent, connectivity, components))
    np.testing.assert_array_equal(image, before)


def test_labels_by_default():
    image = np.array([[1, 0, 1, 1, 2, 0, 2, 2]])
    np.testing.assert_array_equal(KeepLargestConnectedComponent()(image), [[0, 0, 1, 1, 0, 0, 2, 2]])
    channels = np.array([[1, 0, 1, 1], [1, 1, 0, 1]])
    np.testing.assert_array_equal(KeepLargestConnectedComponent()(channels), [[1, 0, 1, 1], [1, 1, 0, 0]])
    np.testing.assert_array_equal(KeepLargestConnectedComponent(1)(channels), [[1, 0, 1, 1], [1, 1, 0, 0]])


def test_tensors():
    torch = pytest.importorskip("torch", reason="SKIPPED: tensors: PyTorch is not installed")
    image = torch.tensor([[1, 0, 1, 1]])
    mask = get_largest_connected_component_mask(image)
    assert isinstance(mask, torch.Tensor) and mask.tolist() == [[False, False, True, True]]
    assert KeepLargestConnectedComponent()(image).tolist() == [[0, 0, 1, 1]]


def with_hole(value):
    image = np.zeros((5, 6), int)
    image[1:4, 1:4] = value
    image[2, 2] = 0
    return image


def test_fill_holes_of_labels():
    image = (with_hole(2) + np.roll(with_hole(3), 2, axis=1) * (with_hole(2) == 0))[np.newaxis]
    image[0, 2, 2] = 3  # a voxel of another label inside the hole
    filled = np.asarray(FillHoles()(image))
    want = image.copy()
    for label in (2, 3):
        want[0][scipy.ndimage.binary_fill_holes(want[0] == label, np.ones((3, 3)))] = label
    np.testing.assert_array_equal(filled, want)
    channels = np.stack([with_hole(0), with_hole(1), with_hole(1)]).astype(np.uint8)
    filled = np.asarray(FillHoles(applied_labels=1)(channels))
    assert filled.sum(axis=(1, 2)).tolist() == [0, 9, 8] and filled.dtype == np.uint8
    assert np.asarray(FillHolesd("a")({"a": channels})["a"]).sum() == 18
    assert np.asarray(FillHoles()(with_hole(1)[np.newaxis, np.newaxis])).sum() == 8  # all voxels are at a face


@given(st.integers(0, 2**32), st.sampled_from([(1, 9, 8), (2, 9, 8), (1, 5, 6, 7), (1, 40)]), st.integers(1, 3), st.integers(0, 9), st.booleans())
def test_remove_small_objects(seed, shape, connectivity, min_size, independent):
    image = (np.random.default_rng(seed).random(shape) < 0.4).astype("f4")
    image.flat[:2] = 0, 1
    labels, count = scipy.ndimage.label(image, scipy.ndimage.generate_binary_structure(image.ndim, connectivity))
    want = image * (np.bincount(labels.ravel(), minlength=count + 1) >= min_size)[labels]
    got = RemoveSmallObjects(min_size, connectivity, independent)(image)
    assert got.dtype == image.dtype
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(RemoveSmallObjectsd(["a"], min_size, connectivity, independent)({"a": image})["a"], want)


def test_small_labels():
    image = np.array([[5, 5, 0, 2, 0, 5, 1]])
    np.testing.assert_array_equal(RemoveSmallObjects(2)(image), [[5, 5, 0, 0, 0, 5, 0]])
    np.testing.assert_array_equal(RemoveSmallObjects(2, independent_channels=False)(image), [[5, 5, 0, 0, 0, 5, 1]])
    np.testing.assert_array_equal(RemoveSmallObjects(2)(image * 10**8), [[5 * 10**8] * 2 + [0, 0, 0, 5 * 10**8, 0]])
    mask = np.array([[1, 1, 0, 1]])
    assert RemoveSmallObjects(3, by_measure=True, pixdim=1.5)(mask).tolist() == [[1, 1, 0, 0]]
    with pytest.warns(UserWarning, match="assumed to be 1"):
        assert RemoveSmallObjects(2, by_measure=True)(mask).tolist() == [[1, 1, 0, 0]]
    with pytest.warns(UserWarning, match="not used"):
        RemoveSmallObjects(2, pixdim=1)(mask)
    ones = np.ones((1, 4))
    assert RemoveSmallObjects()(ones) is ones


def test_dictionaries():
    data = {"a": np.array([[1, 1, 0, 1]]), "b": np.array([[0, 2, 0, 2]]), "name": "c"}
    transform = KeepLargestConnectedComponentd(["a", "b"], num_components=2)
    assert {key: value if key == "name" else np.asarray(value).tolist() for key, value in transform(data).items()} == {
        "a": [[1, 1, 0, 1]], "b": [[0, 2, 0, 2]], "name": "c"
    }  # fmt: skip
    kept = KeepLargestConnectedComponentd(keys="a")(data)
    assert np.asarray(kept["a"]).tolist() == [[1, 1, 0, 0]] and kept["b"] is data["b"] and data["a"][0, 3] == 1
    with pytest.raises(KeyError, match="`x`"):
        KeepLargestConnectedComponentd(["a", "x"])(data)
    assert KeepLargestConnectedComponentd("x", allow_missing_keys=True)(data).keys() == data.keys()
    assert voxcc.monai.KeepLargestConnectedComponentD is voxcc.monai.KeepLargestConnectedComponentDict is KeepLargestConnectedComponentd
    copied = pickle.loads(pickle.dumps(transform))
    assert copied.keys == ("a", "b") and copied.converter.num_components == 2
    with pytest.raises(ValueError, match="keys must be non empty"):
        KeepLargestConnectedComponentd([])


def test_errors():
    with pytest.raises(ValueError, match="connectivity is 4"):
        get_largest_connected_component_mask(np.ones((2, 2)), connectivity=4)
    for components, error in ((-1, ValueError), (1.5, ValueError), (None, TypeError)):
        with pytest.raises(error, match="num_components is"):
            KeepLargestConnectedComponent(num_components=components)
        with pytest.raises(error, match="num_components is"):
            get_largest_connected_component_mask(np.ones(2), num_components=components)
    with pytest.raises(ValueError, match="connectivity is 0"):
        KeepLargestConnectedComponent(connectivity=0)
    for transform in (KeepLargestConnectedComponent(is_onehot=False), KeepLargestConnectedComponent(is_onehot=False, independent=False)):
        with pytest.raises(ValueError, match="img has 3 channels"):
            transform(np.ones((3, 2, 2)))
    with pytest.raises(ValueError, match="label -1"):
        RemoveSmallObjects()(np.array([[-1, 2]]))
    with pytest.raises(voxcc.DimensionError, match="4 dimensions"):
        RemoveSmallObjects()(np.eye(16).reshape(2, 2, 8, 8))
    with pytest.raises(AttributeError, match="no attribute 'KeepAll'"):
        voxcc.monai.KeepAll


def test_nothing_is_imported():
    code = "import sys, voxcc.monai; voxcc.monai.get_largest_connected_component_mask([1]); assert not {'monai', 'torch'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture
def monai():
    pytest.importorskip("torch", reason="SKIPPED: MONAI: PyTorch is not installed")
    return pytest.importorskip("monai.transforms", reason="SKIPPED: MONAI is not installed")


def equal(ours, theirs):
    """Equal classes, types, values and metadata."""
    import torch
    from monai.data import MetaTensor

    assert type(ours) is type(theirs) and ours.dtype == theirs.dtype
    if not isinstance(ours, torch.Tensor):
        return np.testing.assert_array_equal(ours, theirs)
    assert torch.equal(torch.as_tensor(ours), torch.as_tensor(theirs))
    assert not isinstance(ours, MetaTensor) or torch.equal(ours.affine, theirs.affine)


def test_classes(monai):
    for name in ("KeepLargestConnectedComponent", "FillHoles", "RemoveSmallObjects"):
        assert issubclass(getattr(voxcc.monai, name), monai.Transform)
        assert issubclass(getattr(voxcc.monai, name + "d"), monai.MapTransform)
        assert {name + end for end in ("", "D", "Dict", "d")} <= {*dir(monai)} & {*dir(voxcc.monai)}


@pytest.mark.parametrize("kind", ["array", "tensor", "MetaTensor", "bfloat16", "without metadata"])
def test_against_monai(monai, kind):
    import torch
    from monai.data import MetaTensor, set_track_meta

    def image_of(array):
        if kind == "array":
            return array.copy()
        tensor = torch.from_numpy(array.copy()).to(torch.bfloat16 if kind == "bfloat16" else torch.float32)
        return MetaTensor(tensor, affine=torch.diag(torch.tensor([2.0, 3, 1, 1]))) if kind == "MetaTensor" else tensor

    random = np.random.default_rng(4)
    set_track_meta(kind != "without metadata")
    try:
        for number in range(40):
            shape = ((1, 9, 8), (3, 9, 8), (1, 6, 5, 7), (1, 9, 1), (1, 30))[number % 5]
            onehot = shape[0] > 1
            array = random.integers(0, 2 if onehot else 3, shape)
            labels = [None, [1, 2], 1][number % 3]
            options = {"applied_labels": labels, "independent": number % 2 == 0, "connectivity": [None, 1][number // 2 % 2],
                       "num_components": 1 + number % 4}  # fmt: skip
            transforms = [("KeepLargestConnectedComponent", options)]
            if kind != "bfloat16":  # NumPy has no such type, which FillHoles of MONAI needs
                transforms.append(("FillHoles", {"applied_labels": labels, "connectivity": options["connectivity"]}))
            for name, arguments in transforms:
                equal(getattr(voxcc.monai, name)(**arguments)(image_of(array)), getattr(monai, name)(**arguments)(image_of(array)))
                of_dictionary = getattr(voxcc.monai, name + "d")(keys="x", **arguments)({"x": image_of(array)})["x"]
                equal(of_dictionary, getattr(monai, name)(**arguments)(image_of(array)))
    finally:
        set_track_meta(True)
