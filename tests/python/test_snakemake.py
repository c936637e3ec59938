"""The example workflow runs as it stands: labels a folder of volumes, joins the tables, and does nothing the second time."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import REPOSITORY
from helpers import blobs, label_scipy, noise, read_nifti, read_table, write_nifti

pytest.importorskip("snakemake")
EXAMPLES = REPOSITORY / "examples"


def snakemake(folder, voxcc, *options):
    command = [sys.executable, "-m", "snakemake", "--snakefile", EXAMPLES / "Snakefile", "--directory", folder, "--cores", "2",
               *options, "--config", f"voxcc={voxcc.program}"]
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


def test_quickstart(voxcc, tmp_path):
    done = subprocess.run([EXAMPLES / "quickstart.sh", tmp_path], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "VOXCC": voxcc.program})
    assert done.returncode == 0, done.stderr
    rows = read_table(tmp_path / "lesions.tsv")
    assert rows[0]["voxels"] == 139932 and all(row["voxels"] >= 10 for row in rows)
    assert done.stdout.splitlines()[1].split()[:3] == ["label", "voxels", "volume_mm3"]
    assert (tmp_path / "lesions.png").read_bytes().startswith(b"\x89PNG")
