"""voxcc.monai against the rules that MONAI documents, computed with scikit-image, and against MONAI itself where it is installed."""

import sys

import numpy as np
import pytest
import skimage.measure
from arrays import INTEGERS, arrays
from hypothesis import given
from hypothesis import strategies as st
from voxcc.monai import KeepLargestConnectedComponent, get_largest_connected_component_mask


def expected_mask(image, connectivity, components):
    labels, count = skimage.measure.label(image, connectivity=connectivity, return_num=True)
    if count <= components:
        return image.astype(bool)
    sizes = np.bincount(labels.ravel())[1:]
    kept = sorted(range(1, count + 1), key=lambda number: (sizes[number - 1], number))[-components:]
    return np.isin(labels, kept)


@given(arrays(types=["?", *INTEGERS, "f4"], values=(1, 3), layouts=["C"], big_endian=False), st.sampled_from([None, 1]), st.integers(1, 3))
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


def test_against_monai():
    torch = pytest.importorskip("torch", reason="SKIPPED: MONAI: PyTorch is not installed")
    monai = pytest.importorskip("monai.transforms", reason="SKIPPED: MONAI is not installed")
    random = np.random.default_rng(4)
    for number in range(30):
        image = torch.from_numpy(random.integers(0, 3, (1, 9, 10, 8)))
        theirs = monai.KeepLargestConnectedComponent(applied_labels=[1, 2], independent=number % 2 == 0, connectivity=1 + number % 3)
        ours = KeepLargestConnectedComponent(applied_labels=[1, 2], independent=number % 2 == 0, connectivity=1 + number % 3)
        assert torch.equal(ours(image.clone()), torch.as_tensor(theirs(image.clone())))


def test_nothing_is_imported():
    assert "monai" not in sys.modules or "torch" in sys.modules


def test_errors():
    with pytest.raises(ValueError, match="connectivity is 4"):
        get_largest_connected_component_mask(np.ones((2, 2)), connectivity=4)
