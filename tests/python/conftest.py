"""Fixtures for the tests that run the program voxcc and exchange files with other libraries."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", default=os.environ.pop("VOXCC_LONG_TESTS", "") != "", help="more random combinations of options")


class Voxcc:
    """Runs the program. If the exit code is not the expected one, the test fails and shows the output of the program."""

    def __init__(self, program):
        self.program = program

    def __call__(self, *arguments, expect=0, timeout=120, **options):
        command = [self.program, *map(str, arguments)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout, **options
        )
        assert done.returncode == expect, f"{' '.join(command)}\nexit {done.returncode}, expected {expect}\n{done.stderr[-3000:]}"
        return done

    def fails(self, code, *arguments, **options):
        """Checks that the program fails with one error line and without output on stdout. Returns the error line."""
        done = self(*arguments, expect=code, **options)
        errors = [line for line in done.stderr.splitlines() if line.startswith("voxcc: error:")]
        assert len(errors) == 1 and done.stdout == "", f"stdout: {done.stdout!r}\nstderr: {done.stderr!r}"
        return errors[0]


@pytest.fixture(scope="session")
def voxcc():
    program = os.path.abspath(os.environ.get("VOXCC") or REPOSITORY / "build" / "voxcc")
    assert os.access(program, os.X_OK), f"no program at {program}: build it, or say where it is with VOXCC"
    return Voxcc(program)


@pytest.fixture(scope="session")
def data():
    """The folder with real volumes, from VOXCC_TEST_DATA."""
    folder = os.environ.get("VOXCC_TEST_DATA")
    if not folder:
        pytest.skip("VOXCC_TEST_DATA names no folder of real volumes")
    return Path(folder)


@pytest.fixture
def public_folder():
    """A folder that every user may enter. It lies outside the folders of pytest, because each start of pytest closes these to other users."""
    with tempfile.TemporaryDirectory(prefix="voxcc-test-") as name:
        os.chmod(name, 0o755)
        yield Path(name)
