"""Arrays of xarray: dimensions, coordinates and names of results."""

import numpy as np
import pytest
import voxcc
from arrays import random_array

xarray = pytest.importorskip("xarray", reason="SKIPPED: arrays of xarray: xarray is not installed")

DIMS = "zyx"


def data_array(ndim, type_="u1"):
    values = random_array(ndim, (5, 6, 7)[:ndim], type_, 3, 0.4)
    coordinates = {DIMS[axis]: np.arange(n) * 0.5 for axis, n in enumerate(values.shape)}
    coordinates["quality"] = ((DIMS[0],), np.ones(len(values)))
    array = xarray.DataArray(values, coordinates, tuple(DIMS[:ndim]), "image", {"units": "K"})
    array.encoding = {"scale_factor": 0.1, "_FillValue": 7}
    return array


def check_axes(result, x):
    assert isinstance(result, xarray.DataArray)
    xarray.testing.assert_identical(result.coords.to_dataset(), x.coords.to_dataset())
    assert result.dims == x.dims


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("type_", ["?", "u1", "i4", "f4"])
def test_labels_have_the_axes_of_the_array(ndim, type_):
    x = data_array(ndim, type_)
    for options in ({}, {"values": True, "order": "F"}, {"min_size": 2, "dtype": "min"}, {"table": True, "intensity": x}):
        result = voxcc.label(x, **options)
        expected = voxcc.label(x.values, **options)
        assert type(result) is voxcc.Result
        check_axes(result.labels, x)
        assert (result.labels.name, result.labels.attrs, result.labels.encoding) == ("labels", {"long_name": "connected components"}, {})
        assert voxcc.Result(result.labels.values, *result[1:], result.table) == expected
        assert result.labels.dtype == expected.labels.dtype
    assert x.name == "image" and x.attrs == {"units": "K"} and x.encoding


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_filters_keep_name_and_attributes(ndim):
    x = data_array(ndim, "f4")
    for function in (
        lambda x: voxcc.keep_largest(x, 2, values=True),
        lambda x: voxcc.remove_small(x, 3),
        lambda x: voxcc.filter(x, lambda table: table["voxels"] > 2, 1, spacing=2),
    ):
        result = function(x)
        xarray.testing.assert_identical(result, x.copy(data=function(x.values)))


def test_out_receives_the_values():
    x = data_array(3)
    out = np.zeros(x.shape, "i8")
    labels, _ = voxcc.label(x, out=out)
    assert labels.values is out
    with pytest.raises(TypeError, match="out is of the type DataArray"):
        voxcc.label(x, out=labels)
    voxcc.keep_largest(x, out=x.values)
    assert x.equals(x.copy(data=voxcc.keep_largest(x.values)))


def test_arrays_beside_the_array():
    """They are read in the order of its dimensions, and must have its coordinates."""
    x, image = data_array(3), data_array(3, "f8")
    options = {"mask": image.values > 0, "intensity": image.values, "table": True}
    expected = voxcc.label(x.values, **options)
    turned = image.transpose("x", "z", "y")
    assert voxcc.label(x, mask=turned > 0, intensity=turned, table=True).table == expected.table
    assert voxcc.label(x, **options).table == expected.table
    labels = voxcc.label(x).labels
    table = voxcc.measure(labels.values, image.values)
    assert voxcc.measure(labels, turned) == voxcc.measure(labels, image.values) == voxcc.measure(labels.values, image) == table
    assert voxcc.contacts(labels) == voxcc.contacts(labels.values)
    without = image.drop_vars("x")
    assert voxcc.measure(labels, without) == table
    for call in (lambda other: voxcc.label(x, mask=other), lambda other: voxcc.measure(labels, other)):
        with pytest.raises(ValueError, match="has the dimensions .*, but the array has the dimensions"):
            call(image.rename(x="t"))
        with pytest.raises(ValueError, match="different coordinates along 'x'"):
            call(image.assign_coords(x=np.arange(7)))


def test_empty_arrays():
    x = data_array(3)[:0]
    labels, count = voxcc.label(x)
    check_axes(labels, x)
    assert count == 0 and voxcc.keep_largest(x).identical(x)
    assert voxcc.label(x, table=True).table == voxcc.label(x.values, table=True).table


def test_arrays_of_dask_are_refused():
    pytest.importorskip("dask.array", reason="SKIPPED: chunked arrays of xarray: Dask is not installed")
    x = data_array(3).chunk()
    computed = x.compute()
    for function in (
        voxcc.label, voxcc.keep_largest, lambda x: voxcc.remove_small(x, 2), lambda x: voxcc.filter(x, lambda table: table["voxels"] > 2),
        voxcc.measure, voxcc.contacts, lambda x: voxcc.label(computed, mask=x), lambda x: voxcc.measure(computed, x),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=r"is a DataArray in chunks; label .* with voxcc.dask.label\(\), or pass"):
            function(x)
    assert voxcc.dask.label(x.data).count.compute() == voxcc.label(computed).count
