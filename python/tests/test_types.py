"""The stubs of the package."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
import voxcc

FILE = Path(__file__).parent / "typed_calls.py"
ERRORS = """import voxcc, voxcc.cc3d
voxcc.label([1], order="Z")
voxcc.patch("numpy")
voxcc.label_file("x", per_slice="w")
voxcc.cc3d.connected_components([1], connectivity=5)
voxcc.label([1], delta="1")
"""
OF_XARRAY = """import numpy as np, voxcc, xarray
from typing_extensions import assert_type
x = xarray.DataArray(np.zeros((2, 2)))
assert_type(voxcc.label(x, mask=x), voxcc.Result[xarray.DataArray])
assert_type(voxcc.label(x).count, int)
assert_type(voxcc.keep_largest(x), xarray.DataArray)
assert_type(voxcc.remove_small(x, 2), xarray.DataArray)
assert_type(voxcc.filter(x, lambda table: table["voxels"] > 1), xarray.DataArray)
assert_type(voxcc.measure(x, x), voxcc.Table)
"""


def mypy(*arguments):
    pytest.importorskip("mypy", reason="SKIPPED: the types: mypy is not installed")
    package = Path(voxcc.__file__).absolute().parents[1]
    environment = {**os.environ, "MYPYPATH": str(package)}
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, *map(str, arguments)]
    if importlib.util.find_spec("dask") is None:  # the stubs import it
        command.insert(4, "--ignore-missing-imports")
    return subprocess.run(command, env=environment, cwd=package, capture_output=True, text=True)


def test_types():
    done = mypy(FILE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_of_xarray(tmp_path):
    """A DataArray has __getattr__, so it also looks like an array of a CUDA device."""
    pytest.importorskip("xarray", reason="SKIPPED: the types of xarray: xarray is not installed")
    (tmp_path / "of_xarray.py").write_text(OF_XARRAY)
    done = mypy(tmp_path / "of_xarray.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_calls_run():
    subprocess.run([sys.executable, FILE], check=True)


def test_wrong_types(tmp_path):
    (tmp_path / "wrong.py").write_text(ERRORS)
    done = mypy(tmp_path / "wrong.py")
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if " error: " in line}
    assert found >= set(range(2, 7)), done.stdout


def test_stubs():
    files = set(Path(voxcc.__file__).parent.glob("*.pyi"))
    if importlib.util.find_spec("dask") is None:
        files = {file for file in files if file.name != "dask.pyi"}
    done = mypy(*sorted(files))
    assert done.returncode == 0, done.stdout + done.stderr
