"""The fixtures and helpers of tests/python, for the tests of the fault matrix. Both folders can be tested in one run."""

import importlib.util
import sys
from pathlib import Path

PYTHON_TESTS = Path(__file__).resolve().parents[1] / "python"
sys.path.insert(0, str(PYTHON_TESTS))  # for `from helpers import ...`

_specification = importlib.util.spec_from_file_location("voxcc_fixtures", PYTHON_TESTS / "conftest.py")
_fixtures = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(_fixtures)
voxcc, data, REPOSITORY = _fixtures.voxcc, _fixtures.data, _fixtures.REPOSITORY
