"""Row 44: an allocation that fails ends the program with exit code 71, without partial outputs, or has no effect."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cases import preloaded_library
from helpers import noise, write_nifti

COMMANDS = {  # name -> arguments; outputs have the stem "out"
    "nifti": "label in.nii -o out.nii", "gzip": "label in.nii.gz -o out.nii.gz", "tiff": "label in.tif -o out.tif",
    "hdf5": "label in.h5 -o out.h5", "nrrd": "label in.nrrd -o out.nrrd", "metaimage": "label in.mha -o out.mha",
    "npy": "label in.npy -o out.npy",
    "itk": "label in.nrrd --reader itk --stats out.csv", "slices": "label in.nii -o out/", "table": "label in.nii --stats out.csv",
    "json": "label in.nii --stats out.json --json out_summary.json", "preview": "label in.nii --preview out.png",
    "volumes": "label in.nii.gz --masked-output out.nii.gz --size-output out.tif --mask-output out.nrrd",
    "stats": "stats in.nii -o out.csv", "compare": "compare in.tif in.h5",
    "generate": "generate blobs --shape 8,8,8 -o out.nii", "verify tiff": "verify in.tif", "verify hdf5": "verify in.h5",
    "info nifti": "info in.nii", "info tiff": "info in.tif", "info hdf5": "info in.h5", "report": "report table.csv -o out.html"}
SAMPLE, SAMPLE_OF_LAST = 6, 18
VARIES = re.compile(rb'"(seconds|time|date|started|finished|memory)[^"]*": *[^,}]*[,}]|\d+\.\d+(e-?\d+)?')  # in the JSON summary


@pytest.fixture(scope="module")
def library():
    return preloaded_library("fail_allocation", "FAULTS_FAIL_ALLOCATION")


@pytest.fixture(scope="module")
def folder(voxcc, library, tmp_path_factory):
    path = tmp_path_factory.mktemp("allocations")
    write_nifti(path / "in.nii", noise((6, 7, 8), 0.2))
    for suffix in ("nii.gz", "tif", "h5", "nrrd", "mha", "npy"):
        voxcc("label", path / "in.nii", "-o", path / f"in.{suffix}", "-q")
    voxcc("label", path / "in.nii", "--stats", path / "table.csv", "-q")
    probe = run(voxcc, library, path, "info in.nii", FAIL_ALLOCATION_FROM="10")
    if probe.returncode != 71:
        pytest.skip("allocations of this program cannot be made to fail (sanitizers)")
    return path


def run(voxcc, library, folder, command, **variables):
    environment = {**os.environ, **variables, "LD_PRELOAD": str(library)}
    return subprocess.run([voxcc.program, *command.split(), *(["-t", "2"] if command.startswith("label") else [])], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)


def outputs(folder):
    return {str(path.relative_to(folder)): VARIES.sub(b"", path.read_bytes()) if path.name == "out_summary.json" else path.read_bytes()
            for path in folder.rglob("*") if path.is_file() and re.match(r"out|\.", str(path.relative_to(folder)))}


def clear(folder):
    for path in folder.iterdir():
        if path.name.startswith(("out", ".")):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def intact_run(voxcc, library, folder, command):
    """The exit code, stdout, outputs and number of allocations of a run without failures."""
    clear(folder)
    done = run(voxcc, library, folder, command, FAIL_ALLOCATION_COUNT="count")
    assert done.returncode in (0, 1), done.stderr
    return done, outputs(folder), int((folder / "count").read_text())


def check_failures(voxcc, library, folder, command, positions_of):
    intact, made, count = intact_run(voxcc, library, folder, command)
    ends = {}
    for variable in ("FAIL_ALLOCATION_AT", "FAIL_ALLOCATION_FROM"):
        for k in positions_of(count):
            clear(folder)
            done = run(voxcc, library, folder, command, **{variable: str(k)})
            errors = [line for line in done.stderr.splitlines() if line.startswith(b"voxcc: error:")]
            case = f"{variable}={k} {command}\nexit {done.returncode}\n{done.stderr.decode(errors='replace')[-1500:]}"
            ends[done.returncode] = ends.get(done.returncode, 0) + 1
            left = outputs(folder)
            if done.returncode == 71:
                assert len(errors) == 1, case
                # The program can fail after the outputs have been renamed; they are complete.
                assert left in ({}, made), (case, sorted(left))
            else:
                assert done.returncode == intact.returncode and not errors, case
                assert VARIES.sub(b"", done.stdout) == VARIES.sub(b"", intact.stdout), case
                assert left == made, case
    assert ends.get(71, 0) > 0
    clear(folder)


def sample(count):
    """Some positions over the complete run, and more in its last part. The first 6000 allocations define the options."""
    last = min(count, 6000)
    return sorted({*np.linspace(0, count - 1, SAMPLE).astype(int), *np.linspace(last, count - 1, SAMPLE_OF_LAST).astype(int)})


@pytest.mark.parametrize("name", COMMANDS)
def test_row44_some_failed_allocations(voxcc, library, folder, name):
    check_failures(voxcc, library, folder, COMMANDS[name], sample)


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_row44_every_failed_allocation(voxcc, library, folder, name):
    """Each allocation of a run; of the 100,000 allocations with which ITK starts, each 40th, and all others."""
    check_failures(voxcc, library, folder, COMMANDS[name], lambda count: [*range(0, max(0, count - 6000), 40 if count > 50_000 else 1),
                                                                         *range(max(0, count - 6000), count)])


def test_row44_address_space(voxcc, folder):
    """test_memory.py tests more limits. Each limit ends with 0 or 71."""
    ends = {}
    for megabytes in range(30, 400, 20):
        limit = megabytes << 20
        clear(folder)
        command = ["bash", "-c", f"ulimit -v {limit >> 10}; exec \"$@\"", "bash", voxcc.program]
        if subprocess.run([*command, "--version"], capture_output=True, check=False).returncode != 0:
            continue
        for arguments in ("label in.h5 -o out.h5 -t 2", "label in.nrrd --reader itk -o out.tif -t 2"):
            done = subprocess.run([*command, *arguments.split()], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode in (0, 71), (megabytes, arguments, done.returncode, done.stderr)
            assert done.returncode == 0 or outputs(folder) == {}
            ends[done.returncode] = True
            clear(folder)
    assert ends
