"""The result of label() and other functions of voxcc, tables, and the modules that are loaded late."""

import builtins
import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import voxcc
from arrays import random_array

X = random_array(5, (9, 10, 11), "u1", 1, 0.1)
RESULT = voxcc.label(X, table=True)


def test_a_result_unpacks_to_labels_and_count():
    labels, count = RESULT
    assert isinstance(RESULT, tuple) and len(RESULT) == 2
    assert labels is RESULT.labels is RESULT[0] and count is RESULT.count is RESULT[1]
    assert voxcc.label(X).table is None
    assert voxcc.Result(labels, count).table is None


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, *(lambda r, p=p: pickle.loads(pickle.dumps(r, p)) for p in range(6))])
def test_copies_and_pickles_are_equal(copied):
    result = copied(RESULT)
    assert type(result) is voxcc.Result and type(result.table) is voxcc.Table
    assert result == RESULT and not result != RESULT


def test_equality():
    labels, count = RESULT
    other = labels.copy()
    other[0, 0, 0] += 1
    for different in (voxcc.label(X), voxcc.Result(other, count, RESULT.table), voxcc.Result(labels[1:], count, RESULT.table), (1, 2)):
        assert RESULT != different and not RESULT == different
    columns = {**RESULT.table, "voxels": RESULT.table["voxels"] + 1}
    assert RESULT.table == dict(RESULT.table) and RESULT.table != columns and RESULT.table != {} and RESULT.table != 3
    nan = voxcc.label(np.ones((3, 3)), periodic=True, table=True).table
    assert np.isnan(nan["centroid_0"]).all() and nan == copy.deepcopy(nan)
    for value in (RESULT, RESULT.table):
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)


def test_text():
    assert repr(voxcc.label(np.array([1, 0, 1]), table=True)) == (
        "Result(labels=array([1, 0, 2], dtype=uint32), count=2, table=<2 rows x 7 columns>)"
    )
    assert repr(voxcc.label(np.zeros(2))) == "Result(labels=array([0, 0], dtype=uint32), count=0, table=None)"
    assert repr(voxcc.Table()) == "Table of 0 rows x 0 columns"
    lines = repr(voxcc.label(np.arange(40) % 2, table=True).table).splitlines()
    assert lines[0] == "Table of 20 rows x 7 columns" and len(lines) == 13 and lines[-1] == "..."
    assert repr(voxcc.Table(a=[1.5], b=["x"])).splitlines() == ["Table of 1 row x 2 columns", "  a  b", "1.5  x"]


def test_every_table_is_a_dict_and_a_table():
    tables = [RESULT.table, voxcc.measure(X), voxcc.contacts(X), voxcc.measure(X).copy()]
    voxcc.filter(X, lambda table: tables.append(table) or table["voxels"] > 0)
    for table in tables:
        assert isinstance(table, dict) and type(table) is voxcc.Table


@pytest.mark.parametrize("rows", [X, X[:0]])
@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_data_frames(package, rows):
    frames = pytest.importorskip(package, reason=f"SKIPPED: data frames: {package} is not installed")
    table = voxcc.label(rows.astype("f4"), table=True, intensity=rows, spacing=2, values=True, periodic=0).table
    frame = frames.DataFrame(table)
    assert list(frame.columns) == list(table) and len(frame) == len(table["label"])
    for name, column in table.items():
        np.testing.assert_array_equal(frame[name].to_numpy(), column)


@pytest.mark.parametrize("rows", [X, X[:0]])
def test_tables_of_arrow(rows):
    pytest.importorskip("pyarrow", reason="SKIPPED: tables of Arrow: pyarrow is not installed")
    table = voxcc.label(rows, table=True, intensity=rows, spacing=2, values=True, periodic=0).table
    arrow = table.to_arrow()
    assert arrow.column_names == list(table) and arrow.num_rows == len(table["label"])
    for name, column in table.items():
        np.testing.assert_array_equal(arrow[name].to_numpy(), column)
        assert arrow.schema.field(name).type.to_pandas_dtype() == column.dtype


def test_arrow_without_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"to_arrow\(\) needs the package pyarrow"):
        RESULT.table.to_arrow()


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_modules_are_imported_when_they_are_used():
    """The list of modules is complete, and none of them is imported with the package."""
    files = {path.stem for path in Path(voxcc.__file__).parent.glob("[!_]*.py")}
    assert files == set(voxcc.MODULES)
    code = "import numpy as np, sys, voxcc; before = set(sys.modules); "
    loaded = run(code + "print(*(name for name in before if name.startswith('voxcc.') and not name.startswith('voxcc._')))")
    assert loaded == []
    assert run(code + "print(voxcc.scipy.label(np.eye(3))[1], voxcc.cc3d.connected_components(np.eye(3)).max())") == ["3", "1"]
    assert set(voxcc.MODULES) < set(dir(voxcc))


def test_a_module_without_its_package():
    code = "import sys; sys.modules['dask'] = sys.modules['dask.array'] = None; import voxcc; print(hasattr(voxcc, 'dask')); voxcc.dask"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n" and "voxcc.dask needs the package dask, which is not installed" in done.stderr.splitlines()[-1]
    with pytest.raises(AttributeError, match="module 'voxcc' has no attribute 'nothing'"):
        voxcc.nothing  # noqa: B018


def test_import_of_all_names_keeps_the_functions_of_python():
    assert not set(voxcc.__all__) & set(dir(builtins))
    names = {}
    exec("from voxcc import *", names)
    assert names["label"] is voxcc.label and "filter" not in names


def test_import_is_light():
    """Modules that only some functions need are not imported with the package."""
    heavy = {"json", "subprocess", "tempfile", "shutil", "decimal", "fractions", "scipy", "pandas", "xarray", "dask", "torch"}
    extra = run("import numpy, sys; before = set(sys.modules); import voxcc; print(*(set(sys.modules) - before))")
    assert not heavy & set(extra), sorted(heavy & set(extra))
