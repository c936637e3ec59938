"""Mutants of small files of all formats: voxcc refuses them, or reads what an independent reader reads.

A second change can alter voxels without a checksum in a file that the other reader refuses for its first change, so one in 100 is allowed.

`pytest tests/python/test_mutations.py --long`, or the variable VOXCC_LONG_TESTS, runs 1,500 mutants of each format instead of 12. The
variable MUTATION_SEED chooses others. A failure names the format, the seed and the number, which repeat it.
"""

import os
import signal
import warnings

import numpy as np
import pytest
from mutated_formats import FORMATS
from mutations import fault_of, generator_of, read_files, run, write_mutant

MUTANTS, LONG = 12, 1500
SEED = os.environ.get("MUTATION_SEED", "1")


@pytest.fixture(name="mutants")
def fixture_mutants(request):
    return LONG if request.config.getoption("long") else MUTANTS


def stop(*_):
    raise TimeoutError


def read_or_none(read, path):
    """The array of the independent reader; None if it refuses the file or needs more than 5 s."""
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(5)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.squeeze(np.asarray(read(path)))
    except Exception:  # pylint: disable=broad-except
        return None
    finally:
        signal.alarm(0)


def are_equal(array, other):
    """Background is 0, and NaN is background."""
    return array.shape == other.shape and np.array_equal(*(np.nan_to_num(a.astype(np.float64), nan=0) for a in (array, other)))


@pytest.mark.parametrize("kind", FORMATS)
def test_mutants(voxcc, tmp_path, mutants, kind):
    form = FORMATS[kind]
    (tmp_path / "intact").mkdir()
    name = form.write(tmp_path / "intact")
    files, intact = read_files(tmp_path / "intact"), np.squeeze(form.read(tmp_path / "intact" / name))
    out, faults, accepted = tmp_path / "values.npy", [], []
    for number in range(mutants):
        folder = tmp_path / str(number)
        folder.mkdir()
        changed = write_mutant(files, generator_of(kind, SEED, number), folder)
        done = run(voxcc.program, folder / name, out)
        fault = fault_of(done, sum(map(len, files.values())), intact.nbytes)
        if not fault and done["code"] == 0:
            values = np.load(out)
            values = np.squeeze(values if form.is_numpy else values.T)
            reference = read_or_none(form.read, folder / name)
            expected = [intact] if reference is None else [reference, intact]
            if not any(are_equal(array, values) for array in expected):
                fault = "other values than " + ("the intact file, and the other reader refuses it" if reference is None else "the other reader")
                if reference is None:
                    accepted.append(number)
        if fault:
            faults.append(f"{kind}, seed {SEED}, mutant {number} ({changed}): {fault}")
    assert len(faults) == len(accepted) <= mutants // 100, "\n".join(faults)
