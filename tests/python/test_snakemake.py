"""The example workflow runs unchanged: it labels a folder of volumes and joins the tables. The second run does nothing."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import REPOSITORY
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
    (["volumes=nowhere"], "nowhere: is not a folder; set the key 'volumes'"),
    (["extension=.nrrd"], "data: contains no file with the extension .nrrd; set the keys 'volumes' and 'extension'"),
    (["conectivity=6"], "'conectivity' is not a key of the configuration; the keys are voxcc, volumes,"),
    (["threshold=>4"], "the key 'threshold' is empty; write values that begin with '>' into a file"),
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
