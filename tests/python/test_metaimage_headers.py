"""MetaImage headers with small faults, as SimpleITK reads them."""

import json

import numpy as np
import pytest
import SimpleITK
from helpers import label_scipy, noise, read_nifti

VOLUME = noise((6, 8, 9), 0.3).astype(np.int16)


def write(path, text, array=VOLUME):
    path.write_bytes(text.encode() + array.tobytes())
    return path


def expect(voxcc, path, array=VOLUME):
    np.testing.assert_array_equal(SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))), array)
    done = voxcc("label", path, "-o", path.parent / "out.nii", "-f")
    np.testing.assert_array_equal(read_nifti(path.parent / "out.nii").reshape(array.shape), label_scipy(array != 0, 26 if array.ndim == 3 else 8))
    return done.stderr


@pytest.mark.parametrize("separator", [": ", ":", " : ", " = ", "="])
@pytest.mark.parametrize("first", ["ObjectType{}Image\nNDims{}3\n", "NDims{}3\n", "Comment{}made by a test\nNDims{}3\n"])
def test_separators(voxcc, tmp_path, separator, first):
    lines = first + "DimSize{}9 8 6\nElementSpacing{}2 3 4\nElementType{}MET_SHORT\nElementDataFile{}LOCAL\n"
    path = write(tmp_path / "a.mha", lines.replace("{}", separator))
    assert expect(voxcc, path).count("warning") == 0
    assert json.loads(voxcc("info", path, "--json").stdout)["spacing_mm"] == [2, 3, 4]


def test_both_separators_in_one_header(voxcc, tmp_path):
    expect(voxcc, write(tmp_path / "a.mha", "ObjectType: Image\nNDims = 3\nDimSize: 9 8 6\nComment = a: b = c\nElementType = MET_SHORT\nElementDataFile: LOCAL\n"))


@pytest.mark.parametrize("field", ["ElementSpacing", "ElementSize"])
@pytest.mark.parametrize("dimensions, numbers", [(2, 3), (2, 5), (3, 4)])
def test_more_numbers_than_axes(voxcc, tmp_path, field, dimensions, numbers):
    array = VOLUME if dimensions == 3 else VOLUME[0]
    spacing = " ".join(str(2 + i) for i in range(numbers))
    path = write(tmp_path / "a.mha", f"ObjectType = Image\nNDims = {dimensions}\nDimSize = {' '.join(map(str, array.shape[::-1]))}\n{field} = {spacing}\n"
                                     "ElementType = MET_SHORT\nElementDataFile = LOCAL\n", array)
    assert f"'{field.lower()}' has {numbers} numbers; the first {dimensions} are used" in expect(voxcc, path, array)
    read = SimpleITK.ReadImage(str(path)).GetSpacing()
    assert list(read) == [2, 3, 4][:dimensions] == json.loads(voxcc("info", path, "--json").stdout)["spacing_mm"][:dimensions]


def test_more_numbers_of_a_position(voxcc, tmp_path):
    path = write(tmp_path / "a.mha", "ObjectType = Image\nNDims = 2\nDimSize = 9 8\nOffset = 5 6 7\nElementType = MET_SHORT\nElementDataFile = LOCAL\n", VOLUME[0])
    assert "'offset' has 3 numbers; the first 2 are used" in expect(voxcc, path, VOLUME[0])
    assert np.allclose(SimpleITK.ReadImage(str(path)).GetOrigin(), (5, 6))


@pytest.mark.parametrize("line, cause", [
    ("ElementSpacing = 2 3\n", "is of 2 numbers, not 3"), ("ElementSpacing = 2 3 x\n", "not a number"), ("Offset = 1\n", "is of 1 numbers, not 3"),
    ("TransformMatrix = 1 0 0 0 1 0 0 0 1 0\n", "is of 10 numbers, not 9"),
])
def test_other_numbers_are_refused(voxcc, tmp_path, line, cause):
    path = write(tmp_path / "a.mha", f"ObjectType = Image\nNDims = 3\nDimSize = 9 8 6\n{line}ElementType = MET_SHORT\nElementDataFile = LOCAL\n")
    assert cause in voxcc.fails(65, "label", path)
