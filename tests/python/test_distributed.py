"""The examples that label one volume in parts: Snakemake, job arrays of SLURM, and Dask. Their outputs have the bytes of one run."""

import itertools
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import REPOSITORY
from helpers import noise, voronoi, write_nifti

EXAMPLES = REPOSITORY / "examples" / "distributed"
OPTIONS = ["--min-size", "3", "--shape", "--intensity", "image.nii.gz"]

SBATCH = """#!/usr/bin/env bash
# Runs the job at once: every task of an array, one after the other.
set -euo pipefail
array=none
while (($# > 0)); do
    case $1 in
        --array) array=$2; shift ;;
        --wrap) command=$2; shift ;;
    esac
    shift
done
job=$(($(cat jobs.count 2>/dev/null || echo 0) + 1))
echo $job > jobs.count
[[ $array != none ]] || { bash -c "$command" >&2; echo $job; exit; }
for task in $(seq ${array%-*} ${array#*-}); do SLURM_ARRAY_TASK_ID=$task bash -c "$command" >&2; done
echo $job
"""


# Starts a job in the background, in another folder and almost without variables, and prints its number. Kills every fifth job.
SUBMIT = """#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"
job=$(($(cat submitted 2>/dev/null || echo 0) + 1))
echo $job > submitted
cp "$1" "$job.sh"
setsid bash -c 'cd / && env -i HOME="$HOME" PATH=/usr/bin:/bin sh "$0/$1.sh"; echo $? > "$0/$1.code"' "$PWD" "$job" </dev/null >"$job.log" 2>&1 &
pid=$!
((job % 5)) || { (sleep 1; kill -9 -- -$pid; echo 137 > "$job.code") </dev/null >/dev/null 2>&1 & }
echo $job
"""
STATUS = """#!/usr/bin/env bash
code=$(cat "$(dirname "$0")/$1.code" 2>/dev/null)
case $code in '') echo running ;; 0) echo success ;; *) echo failed ;; esac
"""


@pytest.fixture(params=(["--multilabel"], ["-c", "6", "--fill-holes", "--max-hole", "30"]), ids=("one-round", "holes"))
def options(request):
    return [*OPTIONS, *request.param]


@pytest.fixture
def one_run(voxcc, tmp_path, monkeypatch, options):
    """A volume with an intensity image, and the outputs of one run."""
    volume = voronoi((40, 41, 42), cells=300, seed=8)
    if "--fill-holes" in options:  # with 6 neighbours: components that touch by edges and corners, and 27 hollow cubes
        volume = noise(volume.shape, 0.15, seed=8)
        for corner in itertools.product((3, 15, 27), repeat=3):
            z, y, x = corner
            volume[z : z + 3, y : y + 3, x : x + 3] = 1
            volume[z + 1, y + 1, x + 1] = 0
    write_nifti(tmp_path / "in.nii.gz", volume)
    write_nifti(tmp_path / "image.nii.gz", np.random.default_rng(9).integers(0, 200, (40, 41, 42), np.uint8))
    monkeypatch.chdir(tmp_path)  # the options name the image without its folder
    voxcc("label", "in.nii.gz", *options, "-o", "one.nii.gz", "--stats", "one.csv", "--contacts", "one-contacts.csv")
    without = [*OPTIONS, "-c", "6"] if "--fill-holes" in options else options
    voxcc("label", "in.nii.gz", *without, "-o", "one-round.nii.gz", "--stats", "one-round.csv")
    assert ((tmp_path / "one.nii.gz").read_bytes() == (tmp_path / "one-round.nii.gz").read_bytes()) == ("--fill-holes" not in options)
    assert b"euler" in (tmp_path / "one.csv").read_bytes() and (tmp_path / "one-contacts.csv").read_bytes().count(b"\n") > 100
    return tmp_path


def check(folder, *, contacts=False):
    assert (folder / "one.nii.gz").read_bytes() == (folder / "labels.nii.gz").read_bytes()
    assert (folder / "one.csv").read_bytes() == (folder / "table.csv").read_bytes()
    assert (folder / "contacts.csv").exists() == contacts
    if contacts:
        assert (folder / "one-contacts.csv").read_bytes() == (folder / "contacts.csv").read_bytes()


def environment(folder, voxcc):
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    if not (programs / "voxcc").exists():
        (programs / "voxcc").symlink_to(voxcc.program)
    return {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / ".cache"), "PATH": f"{programs}:{os.environ['PATH']}"}


def test_snakemake(voxcc, one_run, options):
    pytest.importorskip("snakemake")
    command = [sys.executable, "-m", "snakemake", "--snakefile", EXAMPLES / "Snakefile", "--directory", one_run, "--cores", "2", "--config",
               "input=in.nii.gz", "part_size=16", "batch=5", f"options={' '.join(options)}", "contacts=contacts.csv", f"voxcc={voxcc.program}"]  # fmt: skip
    # The jobs run in the folder of the workflow, and the file is also needed when the workflow is read.
    run = lambda: subprocess.run(command, cwd=one_run, capture_output=True, text=True, timeout=300, env=environment(one_run, voxcc))  # noqa: E731
    done = run()
    assert done.returncode == 0, done.stderr
    check(one_run, contacts=True)
    assert "Nothing to be done" in run().stderr


def test_snakemake_on_a_cluster_that_kills_every_fifth_job(voxcc, one_run, options):
    pytest.importorskip("snakemake_executor_plugin_cluster_generic")
    for name, text in {"submit": SUBMIT, "status": STATUS}.items():
        (one_run / "cluster" / name).parent.mkdir(exist_ok=True)
        (one_run / "cluster" / name).write_text(text)
        (one_run / "cluster" / name).chmod(0o755)
    command = [sys.executable, "-m", "snakemake", "--snakefile", EXAMPLES / "Snakefile", "--directory", one_run, "--jobs", "3", "--executor",
               "cluster-generic", "--cluster-generic-submit-cmd", one_run / "cluster" / "submit", "--cluster-generic-status-cmd",
               one_run / "cluster" / "status", "--max-status-checks-per-second", "10", "--seconds-between-status-checks", "1",
               "--latency-wait", "10", "--config", f"input={one_run / 'in.nii.gz'}", "part_size=16", "batch=9",
               f"options={' '.join(options)}", f"voxcc={voxcc.program}"]  # fmt: skip
    done = subprocess.run(command, cwd=one_run, capture_output=True, text=True, timeout=300, env=environment(one_run, voxcc))
    codes = [path.read_text().strip() for path in (one_run / "cluster").glob("*.code")]
    assert done.returncode == 0, done.stderr[-4000:]
    assert codes.count("137") >= 1 and set(codes) == {"0", "137"}
    check(one_run)


def test_job_arrays_of_slurm(voxcc, one_run, options):
    variables = environment(one_run, voxcc)
    sbatch = one_run / "programs" / "sbatch"
    sbatch.write_text(SBATCH)
    sbatch.chmod(0o755)
    command = [EXAMPLES / "slurm_arrays.sh", "in.nii.gz", "labels.nii.gz", "table.csv", "--part-size", "16", *options]
    for _ in range(2):
        subprocess.run(command, cwd=one_run, check=True, timeout=300, env={**variables, "BATCH": "4"})
        check(one_run)
    shutil.rmtree(one_run / "state")
    shutil.rmtree(one_run / "merged")
    subprocess.run(command, cwd=one_run, check=True, timeout=300, env={**variables, "BATCH": "4", "CONTACTS": "contacts.csv"})
    check(one_run, contacts=True)
    assert subprocess.run(command[:2], cwd=one_run, stderr=subprocess.PIPE, env=variables).returncode == 64


def test_dask(voxcc, one_run, options):
    pytest.importorskip("distributed")
    command = [sys.executable, EXAMPLES / "dask_jobs.py", "in.nii.gz", "labels.nii.gz", "table.csv", "--contacts", "contacts.csv",
               "--part-size", "16", *options]  # fmt: skip
    done = subprocess.run(command, cwd=one_run, capture_output=True, text=True, timeout=300, env=environment(one_run, voxcc))
    assert done.returncode == 0, done.stderr
    check(one_run, contacts=True)
