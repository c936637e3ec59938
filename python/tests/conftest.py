"""Options and random arrays of the tests of the Python package.

pytest --long: runs 20 times as many random arrays, and the tests with the mark "long".
"""

import sys
from pathlib import Path

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="more random arrays, and the tests with the mark 'long'")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes minutes; runs only with --long")
    examples = 1200 if config.getoption("--long") else 60
    hypothesis.settings.register_profile("voxcc", max_examples=examples, deadline=None, database=None, derandomize=True)
    hypothesis.settings.load_profile("voxcc")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        for item in items:
            if "long" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="runs with --long"))
