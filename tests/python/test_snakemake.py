"""The example workflow runs unchanged: it labels a folder of volumes and joins the tables. The second run does nothing."""

import json
import math
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import REPOSITORY, Voxcc
from helpers import blobs, label_scipy, noise, read_nifti, read_table, write_nifti

pytest.importorskip("snakemake")
EXAMPLES = REPOSITORY / "examples"


def snakemake(folder, voxcc, *options, config=()):
    command = [sys.executable, "-m", "snakemake", "--snakefile", EXAMPLES / "Snakefile", "--directory", folder, "--cores", "2",
               *options, "--config", f"voxcc={voxcc.program}", *config]
    environment = {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / ".cache")}
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, env=environment)


def test_workflow(voxcc, tmp_path):
    (tmp_path / "data").mkdir()
    volumes = {"scan 1": noise((14, 15, 40), 0.15), "scan-2": blobs((20, 21, 40), 0.2), "scan_3": noise((9, 9, 9), 0.0)}
    for stem, array in volumes.items():
        write_nifti(tmp_path / "data" / f"{stem}.nii.gz", array)
    done = snakemake(tmp_path, voxcc)
    assert done.returncode == 0, done.stderr

    rows = read_table(tmp_path / "results" / "components.tsv")
    for stem, array in volumes.items():
        labels = label_scipy(array, 26)
        large = [size for size in np.bincount(labels.ravel())[1:] if size >= 10]
        assert [row["voxels"] for row in rows if row["file"] == f"{stem}.nii.gz"] == large
        assert read_nifti(tmp_path / "results" / "labels" / f"{stem}.nii.gz").max() == len(large)
        assert (tmp_path / "results" / "benchmarks" / f"{stem}.tsv").exists()
    assert "Nothing to be done" in snakemake(tmp_path, voxcc).stderr


def test_a_broken_volume_fails_the_workflow_and_leaves_no_output(voxcc, tmp_path):
    (tmp_path / "data").mkdir()
    write_nifti(tmp_path / "data" / "good.nii.gz", blobs((10, 11, 12)))
    (tmp_path / "data" / "bad.nii.gz").write_bytes((tmp_path / "data" / "good.nii.gz").read_bytes()[:-20])
    done = snakemake(tmp_path, voxcc, "--keep-going")
    assert done.returncode != 0
    assert (tmp_path / "results" / "labels" / "good.nii.gz").exists()
    assert not (tmp_path / "results" / "labels" / "bad.nii.gz").exists()
    assert "voxcc: error:" in (tmp_path / "results" / "logs" / "bad.log").read_text()


def test_the_keys_of_the_configuration_reach_voxcc(voxcc, tmp_path):
    (tmp_path / "my scans").mkdir()
    array = np.where(noise((14, 15, 40), 0.15), 5, 3).astype(np.uint8)
    write_nifti(tmp_path / "my scans" / "scan.nii.gz", array)
    (tmp_path / "own.yaml").write_text('threshold: ">4"\noptions: --sort size\n')
    done = snakemake(tmp_path, voxcc, "--configfile", tmp_path / "own.yaml",
                     config=["volumes=my scans", "connectivity=6", "min_size=3"])
    assert done.returncode == 0, done.stderr
    sizes = np.bincount(label_scipy(array > 4, 6).ravel())[1:]
    voxels = [row["voxels"] for row in read_table(tmp_path / "results" / "components.tsv")]
    assert voxels == sorted(sizes[sizes >= 3], reverse=True)


@pytest.mark.parametrize("config, message", [
    (["volumes=nowhere"], "nowhere: has no file with the extension .nii.gz; set the keys 'volumes' and 'extension'"),
    (["extension=.nrrd"], "data: has no file with the extension .nrrd; set the keys 'volumes' and 'extension'"),
    (["conectivity=6"], "Additional properties are not allowed ('conectivity' was unexpected); see config.schema.yaml"),
    (["threshold=>4"], "the configuration is not valid: threshold: "),
    (["connectivity=7"], "connectivity: 7 is not one of [4, 6, 8, 18, 26]"),
    (["mem_mb=some"], "the configuration is not valid: mem_mb: "),
])
def test_a_configuration_that_cannot_work_is_one_clear_error(voxcc, tmp_path, config, message):
    (tmp_path / "data").mkdir()
    write_nifti(tmp_path / "data" / "scan.nii.gz", blobs((10, 11, 12)))
    done = snakemake(tmp_path, voxcc, config=config)
    assert done.returncode != 0
    assert message in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists()


def test_quickstart(voxcc, tmp_path):
    done = subprocess.run([EXAMPLES / "quickstart.sh", tmp_path], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "VOXCC": voxcc.program})
    assert done.returncode == 0, done.stderr
    rows = read_table(tmp_path / "lesions.tsv")
    assert rows[0]["voxels"] == 139932 and all(row["voxels"] >= 10 for row in rows)
    assert done.stdout.splitlines()[1].split()[:3] == ["label", "voxels", "volume_mm3"]
    assert (tmp_path / "lesions.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def recorded(voxcc, tmp_path):
    """A program that writes its arguments to the file `calls`. Its first label volume fails for lack of memory; it then behaves like voxcc."""
    (tmp_path / "data").mkdir()
    write_nifti(tmp_path / "data" / "scan.nii.gz", blobs((10, 11, 12)))
    program = tmp_path / "recorded"
    program.write_text(f"""#!/bin/sh
echo "$@" >> '{tmp_path}/calls'
case "$*" in
*--dry-run* | join*) ;;
*) [ -e '{tmp_path}/failed' ] || {{ touch '{tmp_path}/failed'; exit 71; }} ;;
esac
exec '{voxcc.program}' "$@"
""")
    program.chmod(0o755)
    return Voxcc(str(program))


@pytest.mark.parametrize("config, first", [((), None), (["mem_mb=300"], 300)])
def test_a_job_without_enough_memory_gets_more(voxcc, recorded, tmp_path, config, first):
    done = snakemake(tmp_path, recorded, config=config)
    assert done.returncode == 0, done.stderr
    calls = (tmp_path / "calls").read_text()
    if first is None:
        plan = json.loads(voxcc("label", tmp_path / "data" / "scan.nii.gz", "--device", "cpu", "-t", "2", "--dry-run").stdout)
        first = 200 + math.ceil(plan["memory_bytes"] / 1e6)
    assert re.findall(r"--max-memory (\S+)", calls) == [f"{first}MB", f"{2 * first}MB"]
    assert "--device cpu" in calls


def test_a_job_on_a_gpu_asks_for_one(recorded, tmp_path):
    done = snakemake(tmp_path, recorded, "--dry-run", "--verbose", config=["gpu=1"])
    assert done.returncode == 0, done.stderr
    assert "--device cuda" in (tmp_path / "calls").read_text()
    assert "gpu=1" in done.stdout + done.stderr


def test_lint(voxcc, tmp_path):
    (tmp_path / "data").mkdir()
    write_nifti(tmp_path / "data" / "scan.nii.gz", blobs((10, 11, 12)))
    done = snakemake(tmp_path, voxcc, "--lint")
    assert done.returncode == 0, done.stdout + done.stderr
