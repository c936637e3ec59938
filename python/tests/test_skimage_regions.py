"""voxcc.skimage.regionprops() against scikit-image."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import skimage.measure
import voxcc.skimage
from arrays import LAYOUTS, in_layout, random_array
from skimage.measure._regionprops import RegionProperties

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

# These read the table, or follow from attributes that read it. The others are inherited, and some take long.
ENGINE = ["label", "slice", "bbox", "num_pixels", "area", "area_bbox", "centroid", "extent", "equivalent_diameter_area", "image", "coords"]
INTENSITIES = ["intensity_mean", "intensity_std", "intensity_min", "intensity_max", "centroid_weighted", "image_intensity"]


def value_of(region, name):
    try:
        return region[name]
    except Exception as error:
        return type(error), str(error)


def compare(names, *arguments, **options):
    ours, theirs = (module.regionprops(*arguments, **options) for module in (voxcc.skimage, skimage.measure))
    assert len(ours) == len(theirs)
    for our, their in zip(ours, theirs):
        assert isinstance(our, RegionProperties) and repr(our) == repr(their) and list(our) == list(their)
        for name in names or their:
            mine, expected = value_of(our, name), value_of(their, name)
            assert type(mine) is type(expected), name
            if name == "slice" or (isinstance(expected, tuple) and isinstance(expected[0], type)):
                assert mine == expected
                continue
            assert np.asarray(mine).dtype == np.asarray(expected).dtype, name
            np.testing.assert_allclose(np.asarray(mine, float), np.asarray(expected, float), rtol=1e-5, err_msg=name)
    return ours


@pytest.mark.parametrize("shape", [(9, 11), (5, 6, 7)])
@pytest.mark.parametrize("dtype", ["u1", "i4", "u8", ">i2"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_shapes(shape, dtype, layout):
    labels = in_layout(random_array(1, shape, dtype, 4, 0.5), layout)
    compare(ENGINE, labels)
    compare([*ENGINE, *INTENSITIES], labels, offset=(3,) * len(shape), spacing=(0.5, 2, 3)[: len(shape)])


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "i8", "f2", "f4", "f8", "complex64"])
@pytest.mark.parametrize("count", [3, 40])
def test_intensities(dtype, count):
    """With 40 labels, this volume is measured in one table; with 3, images of floats are not."""
    labels = random_array(2, (30, 31, 30), "i4", count, 0.3)
    compare([*ENGINE, *INTENSITIES], labels, np.random.default_rng(3).integers(0, 200, labels.shape).astype(dtype))


@pytest.mark.parametrize("special", [np.nan, np.inf, 0.0])
def test_special_values(special):
    labels = random_array(2, (20, 21), "u1", 9, 0.3)
    image = random_array(3, labels.shape, "f4", 9, 1)
    image[labels == 3] = special
    image[(labels == 4) & (np.random.default_rng(1).random(labels.shape) < 0.3)] = special
    compare(INTENSITIES, labels, image)


def test_all_attributes_and_channels():
    labels = np.zeros((24, 25), int)
    labels[2:9, 3:11], labels[12:20, 5:20], labels[14:16, 8:12] = 2, 5, 0
    image = np.random.default_rng(1).random(labels.shape)
    compare(None, labels, image)
    compare(None, labels, np.stack([image, image + 1], axis=2))
    assert sorted(set(dir(skimage.measure.regionprops(labels)[0])) - set(dir(voxcc.skimage.regionprops(labels)[0]))) == []


def test_other_attributes():
    labels = np.array([[1, 1, 0], [0, 3, 3]])

    def twice(mask):
        return 2 * mask.sum()

    region = voxcc.skimage.regionprops(labels, extra_properties=[twice])[1]
    assert region.twice == 4 and region["label"] == 3
    with pytest.warns(FutureWarning, match="bbox_area"):
        assert region.bbox_area == 2
    with pytest.raises(AttributeError, match="intensity_image"):
        region.intensity_mean
    with pytest.raises(AttributeError, match="nothing"):
        region.nothing
    other = voxcc.skimage.regionprops(labels)[0]
    other.label = 3
    assert not other.image.any()


def test_equality_copies_and_pickles():
    labels = random_array(2, (15, 16), "u1", 9, 0.3)
    image = random_array(3, labels.shape, "u1", 99, 1)
    ours, theirs = voxcc.skimage.regionprops(labels, image), skimage.measure.regionprops(labels, image)
    region = ours[2]
    area = region.area
    for other in (pickle.loads(pickle.dumps(region)), copy.copy(region), copy.deepcopy(region), pickle.loads(pickle.dumps(ours))[2]):
        assert other == region and isinstance(other, RegionProperties) and other.area == area and other.slice == region.slice
    assert region == region and region != ours[3] and region != 3
    shapes = [module.regionprops(labels)[2] for module in (voxcc.skimage, skimage.measure)]
    assert shapes[0] == shapes[1] and shapes[1] == shapes[0] and shapes[0] != theirs[3]


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (np.array([1, 2]), {}), (np.eye(3), {}), (np.eye(3, dtype=bool), {}), (np.zeros((3, 3), int), {}), (np.zeros((0, 3), int), {}),
        (np.full((2, 2), -1), {}), (np.eye(3, dtype=int), {"offset": (1, 2, 3)}), (np.eye(3, dtype=int), {"spacing": (1, 2, 3)}),
        (np.eye(3, dtype=int), {"spacing": np.inf}), (np.eye(3, dtype=int), {"intensity_image": np.eye(2)}), ([[1, 2]], {}),
        (np.ones((2, 2, 2, 2), int), {}),
    ],
)  # fmt: skip
def test_special_arguments(labels, options):
    results = []
    for module in (voxcc.skimage, skimage.measure):
        try:
            results.append(len(module.regionprops(labels, **options)))
        except Exception as error:
            results.append((type(error), str(error)))
    assert results[0] == results[1]


def test_import_is_light():
    code = "import sys, voxcc.skimage, voxcc.scipy; sys.exit(any(name in sys.modules for name in ('scipy', 'skimage')))"
    subprocess.run([sys.executable, "-c", code], check=True)
