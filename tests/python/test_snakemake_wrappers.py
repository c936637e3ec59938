"""The wrappers for Snakemake run in the form of the repository snakemake-wrappers, on their own test workflows."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import yaml
from conftest import REPOSITORY
from helpers import label_scipy, read_nifti, read_table

pytest.importorskip("snakemake")
WRAPPERS = REPOSITORY / "wrappers" / "voxcc"
NAMES = ("generate", "label", "stats")


@pytest.fixture
def run(voxcc, tmp_path):
    """Copies the wrappers to the place that their test workflows name, puts the program into PATH, and runs a workflow."""
    shutil.copytree(WRAPPERS, tmp_path / "master" / "bio" / "voxcc")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "voxcc").symlink_to(voxcc.program)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / ".cache"),
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
    }

    def run(name, *options, snakefile=None):
        folder = tmp_path / "master" / "bio" / "voxcc" / name / "test"
        if snakefile is not None:
            (folder / "Snakefile").write_text(snakefile)
        command = [sys.executable, "-m", "snakemake", "--cores", "2", "--directory", folder, "--snakefile", folder / "Snakefile"]
        done = subprocess.run([*command, "--wrapper-prefix", f"file://{tmp_path}/", *options], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300, env=environment)
        return done, folder

    return run


def rule(name, inputs, outputs, more=""):
    return f"rule one:\n    input:\n        {inputs}\n    output:\n        {outputs}\n    log: 'one.log'\n{more}" \
           f"    wrapper: 'master/bio/voxcc/{name}'\n"


def test_label(run, tmp_path):
    done, folder = run("label", "labels/a.nii.gz", "inferred/a.csv")
    assert done.returncode == 0, done.stderr
    array = read_nifti(folder / "scans" / "a.nii.gz")
    sizes = np.bincount(label_scipy(array, 6).ravel())[1:]
    rows = read_table(folder / "tables" / "a.tsv")
    assert [row["voxels"] for row in rows] == sorted(sizes[sizes >= 5], reverse=True)
    assert read_nifti(folder / "labels" / "a.nii.gz").max() == len(rows)
    assert (folder / "summaries" / "a.json").exists()
    inferred = read_table(folder / "inferred" / "a.csv")
    assert [row["voxels"] for row in inferred] == list(np.bincount(label_scipy(array, 26).ravel())[1:])
    assert all(row["ct_mean"] == 1 for row in inferred)
    assert read_nifti(folder / "inferred" / "a.nii.gz").max() == len(inferred)


def test_stats(run):
    done, folder = run("stats", "tables/a.csv")
    assert done.returncode == 0, done.stderr
    labels = read_nifti(folder / "labels" / "a.nii.gz")
    rows = read_table(folder / "tables" / "a.csv")
    assert [row["voxels"] for row in rows] == list(np.bincount(labels.ravel())[1:])
    assert all(row["ct_mean"] == 1 and row["surface_mm2"] > 0 for row in rows)
    assert (folder / "contacts" / "a.csv").exists()


def test_generate(run, voxcc, tmp_path):
    done, folder = run("generate", "volumes/7.nii.gz")
    assert done.returncode == 0, done.stderr
    voxcc("generate", "blobs", "--shape", "24,20,16", "--scale", "2", "--seed", "7", "-o", tmp_path / "same.nii.gz")
    assert (folder / "volumes" / "7.nii.gz").read_bytes() == (tmp_path / "same.nii.gz").read_bytes()


def test_inputs_and_outputs_may_have_any_name_and_place(run):
    """Blanks and quotes in names, several images, outputs with and without names."""
    done, folder = run("label", "it's/here now.tif", snakefile=rule(
        "label", "'scans/a.nii.gz', mask='scans/a.nii.gz', intensity_one='scans/a.nii.gz', intensity_two='scans/a.nii.gz'",
        "\"it's/here now.tif\", table='some table.tsv', sizes='sizes.nii'"))
    assert done.returncode == 0, done.stderr
    assert {"one_mean", "two_mean"} <= set(read_table(folder / "some table.tsv")[0])
    assert (folder / "it's" / "here now.tif").exists() and (folder / "sizes.nii").exists()


def command_of(folder, run, resources="", extra=""):
    """The options that the program `voxcc` gets from the wrapper for `label`."""
    fake = folder / "bin" / "voxcc"
    fake.unlink()
    fake.write_text('#!/bin/sh\necho "$@"\nfor last; do case $last in *.nii) touch "$last";; esac; done\n')
    fake.chmod(0o755)
    more = (f"    resources: {resources}\n" if resources else "") + (f"    params: extra={extra!r}\n" if extra else "")
    done, test = run("label", "out.nii", snakefile=rule("label", "'scans/a.nii.gz'", "'out.nii'", more))
    assert done.returncode == 0, done.stderr
    return (test / "one.log").read_text()


@pytest.mark.parametrize("resources, extra, expected, absent", [
    ("", "", ["--threads 1", "--device cpu"], ["--max-memory"]),
    ("mem_mb=700", "", ["--max-memory 700MB"], []),
    ("gpu=1", "", ["--device cuda"], ["--device cpu"]),
    ("gpu=1", "--device=cuda:1 -c 6", ["--device=cuda:1 -c 6"], ["--device cuda ", "--device cpu"]),
    ("mem_mb=700", "--max-memory 1GiB", ["--max-memory 1GiB"], ["700MB"]),
])
def test_resources_become_options(run, tmp_path, resources, extra, expected, absent):
    command = command_of(tmp_path, run, resources, extra)
    assert all(option in command for option in expected) and not any(option in command for option in absent), command


@pytest.mark.parametrize("name, inputs, outputs, message", [
    ("label", "image='scans/a.nii.gz'", "'x.nii'", "'image' is not a name of an input of voxcc label"),
    ("label", "'scans/a.nii.gz'", "image='x.nii'", "'image' is not a name of an output of voxcc label"),
    ("stats", "image='scans/a.nii.gz'", "'x.csv'", "'image' is not a name of an input of voxcc stats"),
    ("stats", "'labels/a.nii.gz'", "labels='x.csv'", "'labels' is not a name of an output of voxcc stats"),
])
def test_unknown_names_are_errors(run, name, inputs, outputs, message):
    done, folder = run(name, "one", snakefile=rule(name, inputs, outputs))
    assert done.returncode != 0 and message in done.stderr
    assert not list(folder.glob("x.*"))


def test_an_error_of_voxcc_is_in_the_log(run):
    done, folder = run("label", "one", snakefile=rule("label", "'Snakefile'", "'x.nii'"))
    assert done.returncode != 0 and not (folder / "x.nii").exists()
    assert "voxcc: error: Snakefile" in (folder / "one.log").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_each_wrapper_has_what_the_repository_of_wrappers_asks_for(run, name):
    description = yaml.safe_load((WRAPPERS / name / "meta.yaml").read_text())
    assert {"name", "description", "authors", "output", "params"} <= set(description)
    environment = yaml.safe_load((WRAPPERS / name / "environment.yaml").read_text())
    assert environment == {"channels": ["conda-forge", "nodefaults"], "dependencies": []}  # no channel has voxcc
    done, _ = run(name, "--lint")
    assert done.returncode == 0, done.stdout + done.stderr
