"""Options and random arrays of the tests of the Python package.

pytest --long: runs 20 times as many random arrays, and the tests with the mark "long".
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest
import voxcc

sys.path.insert(0, str(Path(__file__).parent))


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="more random arrays, and the tests with the mark 'long'")


def pytest_configure(config):
    # Tests start processes in other folders.
    if "PYTHONPATH" in os.environ:
        os.environ["PYTHONPATH"] = os.pathsep.join(str(Path(folder).absolute()) for folder in os.environ["PYTHONPATH"].split(os.pathsep))
    config.addinivalue_line("markers", "long: takes minutes; runs only with --long")
    examples = 1200 if config.getoption("--long") else 60
    hypothesis.settings.register_profile("voxcc", max_examples=examples, deadline=None, database=None, derandomize=True)
    hypothesis.settings.load_profile("voxcc")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        for item in items:
            if "long" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="runs with --long"))


@pytest.fixture
def run_tests_of(tmp_path):
    """Returns the function run(file, code, *options), which runs the test file of another package in a new process.

    The process executes `code` before it loads the test file. run() returns the number of passed tests. It fails if a test fails.
    """

    def run(file, code, *options):
        (tmp_path / "before_tests.py").write_text(code)
        folders = [str(tmp_path), str(Path(voxcc.__file__).absolute().parents[1]), os.environ.get("PYTHONPATH", "")]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "before_tests", *options, str(file)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
        return int(re.search(r"(\d+) passed", done.stdout)[1])

    return run
