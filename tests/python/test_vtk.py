"""Legacy VTK files of structured points. The files are written here as VTK's own writer does (VTK 9.7), and the values come from numpy and scipy."""

import json

import numpy as np
import pytest
import SimpleITK
from helpers import label_scipy, read_nifti, read_table
from readers import affine_of, check_same, info

SHAPE = (6, 17, 20)  # z, y, x
TYPES = {"char": "i1", "unsigned_char": "u1", "short": "i2", "unsigned_short": "u2", "int": "i4", "unsigned_int": "u4", "long": "i8",
         "unsigned_long": "u8", "vtktypeint64": "i8", "vtktypeuint64": "u8", "vtkIdType": "i4", "float": "f4", "double": "f8"}
NAMES = {"i1": "signed_char", "u1": "unsigned_char", "i2": "short", "u2": "unsigned_short", "i4": "int", "u4": "unsigned_int", "i8": "vtktypeint64",
         "u8": "vtktypeuint64", "f4": "float", "f8": "double"}


def sparse(dtype="i2", shape=SHAPE, seed=5):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(shape) < 0.28, rng.integers(1, 120, shape), 0).astype(dtype)


def values(array, binary):
    if binary:
        return array.astype(array.dtype.newbyteorder(">")).tobytes() + b"\n"
    lines = array.reshape(-1)
    return b"".join(b" ".join(b"%s" % str(v).encode() for v in lines[at:at + 9]) + b" \n" for at in range(0, lines.size, 9))


def scalars(array, name="p", binary=True, kind=None):
    return b"SCALARS %s %s \nLOOKUP_TABLE default\n" % (name.encode(), (kind or NAMES[array.dtype.str[1:]]).encode()) + values(array, binary)


def points(array, name="p", binary=True):
    return b"POINT_DATA %d\n" % array.size + scalars(array, name, binary)


def cells(array, name="c", binary=True):
    return b"CELL_DATA %d\n" % array.size + scalars(array, name, binary)


def vtk(*sections, binary=True, shape=SHAPE, title="vtk output", spacing=b"SPACING 2 2.5 3\n", origin=b"ORIGIN 5 -6 7\n"):
    head = f"# vtk DataFile Version 5.1\n{title}\n{'BINARY' if binary else 'ASCII'}\nDATASET STRUCTURED_POINTS\n".encode()
    return head + b"DIMENSIONS %d %d %d\n" % shape[::-1] + spacing + origin + b"".join(sections)


def write(path, content):
    path.write_bytes(content)
    return path


def read(voxcc, folder, content, *given):
    """The voxels of a file: NaN becomes 0, which is background."""
    (folder / "a.vtk").write_bytes(content)
    voxcc("label", folder / "a.vtk", "--threshold=-inf:inf", "--masked-output", folder / "values.nii", "-f", "-q", *given)
    return read_nifti(folder / "values.nii")


def check_components(voxcc, path, array, *given):
    """The table has the components of scipy, and their centroids in voxels and in mm."""
    table = path.with_suffix(".csv")
    voxcc("label", path, "--stats", table, "-f", "-q", *given)
    labels = label_scipy(np.nan_to_num(array.astype("f8")) != 0, 26)
    rows = read_table(table)
    assert [row["voxels"] for row in rows] == np.bincount(labels.ravel())[1:].tolist()
    return rows, labels


def refused(voxcc, folder, content, cause, *given, code=65):
    (folder / "a.vtk").write_bytes(content)
    for command in ("label", "verify"):
        assert cause in voxcc.fails(code, command, folder / "a.vtk", *given)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("kind", TYPES)
def test_types(voxcc, tmp_path, kind, binary):
    dtype = np.dtype(TYPES[kind])
    rng = np.random.default_rng(1)
    limits = (-2**15, 2**15) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    array = (rng.random((3, 4, 5)) * limits[1] + rng.choice([0, limits[0]], (3, 4, 5)) * (dtype.kind != "u")).astype(dtype)
    content = vtk(b"POINT_DATA 60\n", scalars(array, binary=binary, kind=kind), binary=binary, shape=(3, 4, 5))
    found = read(voxcc, tmp_path, content)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("binary", [True, False])
def test_cells_before_points(voxcc, tmp_path, binary):
    """The order in which VTK writes both."""
    array, of_cells = sparse(), sparse(shape=(5, 16, 19), seed=6)
    for sections in ((cells(of_cells, binary=binary), points(array, binary=binary)), (points(array, binary=binary), cells(of_cells, binary=binary))):
        (tmp_path / "a.vtk").write_bytes(vtk(*sections, binary=binary))
        check_components(voxcc, tmp_path / "a.vtk", array)
        check_components(voxcc, tmp_path / "a.vtk", of_cells, "--dataset", "c")


@pytest.mark.parametrize("word", ["nan", "NaN", "-nan", "inf", "-inf", "Infinity", "-INFINITY"])
def test_nan_and_infinity(voxcc, tmp_path, word):
    array = sparse("f4")
    for voxel in (0, 1000, array.size - 1):
        changed = array.copy()
        changed.flat[voxel] = float(word)
        content = vtk(points(array, binary=False), binary=False).split(b"\n")
        numbers = b" ".join(content[10:]).split()
        numbers[voxel] = word.encode()
        (tmp_path / "a.vtk").write_bytes(b"\n".join([*content[:10], b" ".join(numbers), b""]))
        check_components(voxcc, tmp_path / "a.vtk", changed)
        assert info(voxcc, tmp_path / "a.vtk")["range"]["nan"] == np.isnan(changed).sum()


def test_names_and_titles(voxcc, tmp_path):
    array = sparse()
    for title, name in (("vectors of Bob", "s"), ("tensors", "vector_field"), ("", "color_scalars"), ("SCALARS s int", "LOOKUP_TABLE")):
        (tmp_path / "a.vtk").write_bytes(vtk(points(array, name), title=title))
        check_components(voxcc, tmp_path / "a.vtk", array)
        assert info(voxcc, tmp_path / "a.vtk")["dataset"] == "/" + name


def test_positions(voxcc, tmp_path):
    """Centroids in mm follow from ORIGIN and SPACING. Cells lie half a step from the points. Axes are LPS, as for ITK and 3D Slicer."""
    array = sparse()
    of_cells = sparse(shape=(5, 16, 19))
    for content, expected, shift in ((vtk(points(array)), array, 0), (vtk(cells(of_cells)), of_cells, 0.5)):
        (tmp_path / "a.vtk").write_bytes(content)
        rows, labels = check_components(voxcc, tmp_path / "a.vtk", expected)
        for row in rows:
            k, j, i = np.mean(np.argwhere(labels == row["label"]), axis=0) + shift
            found = [row[f"centroid_{axis}_mm"] for axis in "xyz"]
            np.testing.assert_allclose(found, (-(5 + 2 * i), -(-6 + 2.5 * j), 7 + 3 * k))
            assert row["volume_mm3"] == row["voxels"] * 15
    image = SimpleITK.GetImageFromArray(array)
    image.SetSpacing((2, 2.5, 3))
    image.SetOrigin((5, -6, 7))
    SimpleITK.WriteImage(image, str(tmp_path / "itk.vtk"))
    np.testing.assert_allclose(info(voxcc, tmp_path / "itk.vtk")["affine"], affine_of(image))
    check_same(voxcc, tmp_path, tmp_path / "itk.vtk")


def test_a_file_without_spacing_has_no_voxel_size(voxcc, tmp_path):
    (tmp_path / "a.vtk").write_bytes(vtk(points(sparse()), spacing=b""))
    described = info(voxcc, tmp_path / "a.vtk")
    assert "spacing_mm" not in described and "affine" not in described
    voxcc("label", tmp_path / "a.vtk", "--spacing", "2,2.5,3", "--stats", tmp_path / "a.csv", "-q")
    assert read_table(tmp_path / "a.csv")[0]["volume_mm3"] == 15 * read_table(tmp_path / "a.csv")[0]["voxels"]
    (tmp_path / "b.vtk").write_bytes(vtk(points(sparse()), spacing=b"ASPECT_RATIO 2 2.5 3\n"))
    assert info(voxcc, tmp_path / "b.vtk")["spacing_mm"] == [2, 2.5, 3]


def test_arrays_are_listed_and_chosen(voxcc, tmp_path):
    one, two, other = sparse(), sparse("f4", seed=7), sparse("u1", shape=(5, 16, 19), seed=8)
    field = b"FIELD FieldData 2\ntwo 1 2040 float\n" + values(two, True) + b"vec 3 2040 float\n" + values(np.zeros(3 * 2040, "f4"), True)
    metadata = b"METADATA\nCOMPONENT_NAMES\nX%20comp\n\n\n\n"
    path = tmp_path / "a.vtk"
    path.write_bytes(vtk(cells(other), points(one), field, metadata))
    line = voxcc.fails(64, "label", path)
    assert line.endswith("holds several arrays that could be the volume; choose one with --dataset: /CELL_DATA/c, /p, /two")
    assert "choose one, as in '" + str(path) + ":/CELL_DATA/c'" in voxcc.fails(64, "label", str(path) + "[0]")
    listed = info(voxcc, path)["datasets"]
    assert [(d["path"], d["type"], d["shape"]) for d in listed] == [("/CELL_DATA/c", "uint8", [5, 16, 19]), ("/p", "int16", [6, 17, 20]),
                                                                    ("/two", "float32", [6, 17, 20])]
    for name, array in (("p", one), ("/two", two), ("/POINT_DATA/p", one), ("CELL_DATA/c", other), ("c", other)):
        np.testing.assert_array_equal(read(voxcc, tmp_path, path.read_bytes(), "--dataset", name), array)
    voxcc("label", f"{path}:/two", "--stats", tmp_path / "two.csv", "-q")
    assert len(read_table(tmp_path / "two.csv")) == label_scipy(two != 0, 26).max()
    assert "does not contain the array 'x'" in voxcc.fails(64, "label", path, "--dataset", "x")
    assert "the voxels of 'vec' have 3 components" in voxcc.fails(65, "label", path, "--dataset", "vec")
    voxcc("verify", path)


def test_everything_that_vtk_writes_beside_the_scalars(voxcc, tmp_path):
    array = sparse("u1")
    n = array.size
    for binary in (True, False):
        def numbers(dtype, components):
            return values(np.arange(n * components).astype(dtype), binary)
        table = bytes(range(20)) + b"\n" if binary else b"1 0 0 1\n" * 5 + b"\n"
        strings = (b"\xc3a b" * n if binary else b"a%20b\n" * n) + b"\n"
        around = [b"VECTORS v float\n", numbers("f4", 3), b"METADATA\nCOMPONENT_NAMES\nx\n\n\n\n", b"NORMALS n double\n", numbers("f8", 3),
                  b"TEXTURE_COORDINATES t 2 float\n", numbers("f4", 2), b"TENSORS t float\n", numbers("f4", 9), b"GLOBAL_IDS g vtkIdType\n",
                  numbers("i4", 1), b"LOOKUP_TABLE table 5\n", table, b"FIELD f 2\nNULL_ARRAY\nstr 1 %d string\n" % n, strings]
        own = scalars(array, "s", binary)
        time = b"FIELD FieldData 1\nTIME 1 1 double\n" + values(np.array([1.5]), binary)
        for sections in ([own, *around], [*around, own]):
            np.testing.assert_array_equal(read(voxcc, tmp_path, vtk(time, b"POINT_DATA %d\n" % n, *sections, binary=binary)), array)


def test_colours_of_one_component(voxcc, tmp_path):
    """VTK writes bytes as COLOR_SCALARS, and as fractions with six digits in a text."""
    array = np.arange(256, dtype="u1").reshape(4, 8, 8)
    head = b"POINT_DATA 256\nCOLOR_SCALARS s 1\n"
    np.testing.assert_array_equal(read(voxcc, tmp_path, vtk(head, values(array, True), shape=array.shape)), array)
    fractions = b" ".join(b"%g" % (value / 255) for value in range(256)) + b"\n"
    np.testing.assert_array_equal(read(voxcc, tmp_path, vtk(head, fractions, binary=False, shape=array.shape)), array)
    refused(voxcc, tmp_path, vtk(b"POINT_DATA 256\nCOLOR_SCALARS s 3\n", bytes(768), shape=array.shape), "vectors or colours (3 components)")


def test_bits(voxcc, tmp_path):
    array = (np.random.default_rng(3).random((3, 5, 7)) < 0.5).astype("u1")
    head = b"POINT_DATA 105\nSCALARS s bit\nLOOKUP_TABLE default\n"
    for content in (vtk(head, np.packbits(array.ravel()).tobytes(), shape=array.shape), vtk(head, values(array, False), binary=False, shape=array.shape)):
        np.testing.assert_array_equal(read(voxcc, tmp_path, content), array)
        assert info(voxcc, tmp_path / "a.vtk")["stored_type"] == "bit"


def test_damaged(voxcc, tmp_path):
    array = sparse("f4", (5, 6, 7))
    good = vtk(points(array, "v"), shape=array.shape)
    assert read(voxcc, tmp_path, good).max() == array.max()
    for old, new, cause in ((b"LOOKUP_TABLE", b"MOOKUP_TABLE", "where a keyword of VTK must be"),
                            (b"DIMENSIONS 7 6 5", b"DIMENSIONS 7 6 3", "POINT_DATA is 210, and the DIMENSIONS 7 6 3 mean 126"),
                            (b"SPACING", b"PACING", "has 'PACING' at byte"), (b"ORIGIN 5", b"ORIGIN x", "'ORIGIN' holds 'x', which is not a number"),
                            (b"STRUCTURED_POINTS", b"RECTILINEAR_GRID", "is a VTK file of 'RECTILINEAR_GRID', and only STRUCTURED_POINTS are read"),
                            (b"Version 5.1", b"Version 7.0", "of the version '7.0'"), (b"float", b"floot", "values of type 'floot' are not read"),
                            (b"float", b"double", "expected 1"), (b"float", b"short", "where a keyword of VTK must be")):
        refused(voxcc, tmp_path, good.replace(old, new), cause)
    refused(voxcc, tmp_path, good[:-2], "the file is truncated")
    refused(voxcc, tmp_path, good + b"more", "has 'more' at byte")
    text = vtk(points(array, "v", False), binary=False, shape=array.shape)
    refused(voxcc, tmp_path, text.replace(b"LOOKUP_TABLE", b"MOOKUP_TABLE"), "value 0 of 'v' is 'MOOKUP_TABLE', which is not a number")
    refused(voxcc, tmp_path, text[:-40], "expected 210 values of 'v'")
    refused(voxcc, tmp_path, text + b"5\n", "has '5' at byte")
    for number in (b"1e39", b"1e400", b"0,5"):
        refused(voxcc, tmp_path, text[:-2].rsplit(b" ", 1)[0] + b" " + number + b"\n", f"is '{number.decode()}', which is not a number")


def test_reader_itk(voxcc, tmp_path):
    """ITK has faults with valid files; the voxels of both readers are compared."""
    itk_path, array = tmp_path / "a.vtk", sparse()
    assert voxcc("verify", write(itk_path, vtk(points(array))), "--reader", "itk").stdout == f"{itk_path}: ok\n"
    text = vtk(points(sparse("f4"), binary=False), binary=False)
    for content, given in ((vtk(cells(sparse(shape=(5, 16, 19))), points(array)), []), (vtk(points(array, "vector_field")), []),
                           (text.replace(b" 0.0 ", b" nan ", 1), []), (vtk(points(array), scalars(array + 1, "q")), ["--dataset", "q"])):
        line = voxcc.fails(64, "label", write(itk_path, content), "--reader", "itk", *given)
        assert line.endswith("; read it with --reader voxcc")
        voxcc("verify", itk_path, "--reader", "voxcc", *given)


def test_compressed(voxcc, tmp_path):
    import gzip
    (tmp_path / "a.vtk.gz").write_bytes(gzip.compress(vtk(points(sparse()))))
    assert "is a compressed VTK file; unpack it" in voxcc.fails(65, "label", tmp_path / "a.vtk.gz")


def test_label_volume_and_plan(voxcc, tmp_path):
    """The label volume has the position of the input. The stem of a template does not have the extension."""
    (tmp_path / "a.vtk").write_bytes(vtk(points(sparse())))
    voxcc("label", tmp_path / "a.vtk", "-o", tmp_path / "{stem}_labels.nii", "-q")
    described, written = info(voxcc, tmp_path / "a.vtk"), info(voxcc, tmp_path / "a_labels.nii")
    np.testing.assert_allclose(written["affine"], described["affine"])
    plan = json.loads(voxcc("label", tmp_path / "a.vtk", "--dry-run").stdout)
    assert plan
