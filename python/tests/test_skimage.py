"""voxcc.skimage against skimage.measure."""

import numpy as np
import pytest
import skimage.measure
import voxcc.skimage
from arrays import INTEGERS, arrays, random_array
from hypothesis import given
from hypothesis import strategies as st
from test_scipy import outcome

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")


@given(arrays(types=["?", *INTEGERS, "f4", "f8"]), st.data())
def test_label(x, data):
    connectivity = data.draw(st.sampled_from([None, *range(1, x.ndim + 1)]))
    background = data.draw(st.sampled_from([None, 0, 1, -1, 2, 5]))
    arguments = x, background, True, connectivity
    ours, theirs = (outcome(function, *arguments) for function in (voxcc.skimage.label, skimage.measure.label))
    assert ours[:2] + ours[4:] == theirs[:2] + theirs[4:]  # [2]: the layout of the labels, which is always C here
    if 1 in x.shape[1:]:  # scikit-image numbers the components of such arrays in another order of the axes
        assert len(set(zip(np.ravel(ours[3]).tolist(), np.ravel(theirs[3]).tolist()))) == len(np.unique(theirs[3]))
    else:
        assert ours[3] == theirs[3]


@pytest.mark.parametrize(
    ("x", "options"),
    [
        (np.ones((2, 2, 2, 2), int), {}), (np.ones((2, 2, 2, 2), bool), {}), (np.array(3), {}), ([1, 0], {}), (np.eye(2, dtype=complex), {}),
        (np.zeros((0, 3), int), {}), (np.zeros((0, 3), bool), {}), (np.eye(3, dtype=int), {"connectivity": 3}),
        (np.eye(3, dtype=bool), {"connectivity": 0}), (np.eye(3, dtype=bool), {"background": True}), (np.eye(3, dtype=bool), {"background": 5}),
        (np.array([[np.nan, 2.5, 2.0, -0.5]]), {}), (np.eye(2, dtype=int), {"background": 2.5}),
        (np.array([[2**62 + 1, 1, 2**62]]), {"background": 2**62 + 1}), (np.array([[2**62, 1]]), {"background": -(2**60) - 1}),
    ],
)  # fmt: skip
def test_special_arguments(x, options):
    ours, theirs = (outcome(function, x, return_num=True, **options) for function in (voxcc.skimage.label, skimage.measure.label))
    assert ours[:2] + ours[3:] == theirs[:2] + theirs[3:]
    if isinstance(theirs[0], np.dtype):
        alone = voxcc.skimage.label(x, **options)
        assert alone.dtype == theirs[0] and alone.tolist() == theirs[3]


ENGINE = (*voxcc.skimage.SHAPE_PROPERTIES, *voxcc.skimage.INTENSITY_PROPERTIES)


@pytest.mark.parametrize("shape", [(12, 13), (7, 8, 9)])
@pytest.mark.parametrize("options", [{}, {"spacing": (2, 3, 0.5)}, {"separator": "_"}])
@pytest.mark.parametrize("dtype", ["u1", "i4"])
def test_regionprops_table(shape, options, dtype):
    labels = random_array(4, shape, dtype, 5, 0.6)
    image = random_array(5, shape, "f8", 100, 1)
    if "spacing" in options:
        options = {"spacing": options["spacing"][: len(shape)]}
    for properties in [ENGINE, ("label", "bbox"), ("label", "area", "solidity" if len(shape) == 2 else "euler_number")]:
        ours, theirs = (
            function(labels, image, properties=properties, **options)
            for function in (voxcc.skimage.regionprops_table, skimage.measure.regionprops_table)
        )
        assert list(ours) == list(theirs)
        for name in theirs:
            assert ours[name].dtype == theirs[name].dtype, name
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, err_msg=name)


PROPERTIES = ("label", "area", "intensity_mean", "intensity_min", "intensity_max", "intensity_std", "centroid_weighted")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ("f2", "f4", "f8", ">f8"))
@pytest.mark.parametrize("ndim", (2, 3))
def test_special_values(dtype, ndim):
    """NaN and infinity inside and outside of labels: the results of scikit-image."""
    random, original = np.random.default_rng(ndim), skimage.measure.regionprops_table
    with voxcc.patch("skimage"):
        for special in ([np.nan], [np.inf], [-np.inf], [np.inf, -np.inf], [np.nan, np.inf]):
            for where in ("anywhere", "outside"):
                labels = random.integers(-1, 4, (6, 7, 3)[:ndim])
                image = random.random(labels.shape).astype(dtype)
                places = random.random(labels.shape) < 0.1 if where == "anywhere" else labels <= 0
                image[places] = random.choice(special, np.count_nonzero(places))
                for properties in (PROPERTIES, PROPERTIES[:-1], ("label", "intensity_std")):
                    expected = original(labels, image, properties)
                    for function in (voxcc.skimage.regionprops_table, skimage.measure.regionprops_table):
                        table = function(labels, image, properties)
                        assert list(table) == list(expected)
                        for name, column in expected.items():
                            np.testing.assert_allclose(table[name], column, rtol=1e-3 if dtype == "f2" else 1e-5, err_msg=name)


def test_special_values_outside_of_labels_use_the_engine(monkeypatch):
    monkeypatch.setattr(voxcc.skimage, "_skimage", None)
    image = np.array([[1.0, np.nan], [2.0, np.inf]])
    assert voxcc.skimage.regionprops_table(np.array([[1, 0], [1, -1]]), image, ("intensity_mean",))["intensity_mean"] == 1.5
