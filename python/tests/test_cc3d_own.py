"""cc3d's own tests, run on voxcc.cc3d.

The file automated_test.py of connected-components-3d is under the LGPL, and this repository does not contain it. Its sdist of version 4.1.1
does not hold it either. VOXCC_CC3D_TESTS names the file, from a clone of its repository. The tests need fastremap and crackle-codec.
"""

import os

import pytest


def test_file(run_tests_of, request):
    """All tests pass. The test of an array of 512^3 labels of 64 bits needs 2 GB and runs with --long only."""
    path = os.environ.get("VOXCC_CC3D_TESTS")
    if not path:
        pytest.skip("SKIPPED: cc3d's own tests: VOXCC_CC3D_TESTS does not name the file automated_test.py of connected-components-3d")
    for package in ("crackle", "fastremap"):
        pytest.importorskip(package, reason=f"SKIPPED: cc3d's own tests: {package} is not installed")
    options = [] if request.config.getoption("--long") else ["-k", "not test_512_cube"]
    assert run_tests_of(path, "import sys, voxcc.cc3d\nsys.modules['cc3d'] = voxcc.cc3d\n", *options) > 1000
