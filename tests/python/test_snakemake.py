"""The example workflow runs unchanged: it labels a folder of volumes and joins the tables. A failed volume does not cost the table."""

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


def recorder(voxcc, folder, faults):
    """A program that writes its arguments to the file `calls` and behaves like voxcc, except for the volumes that have a fault.

    @param faults the name of a volume -> commands of a shell that the program runs instead of labelling the volume
    """
    program = folder / "recorder"
    cases = "".join(f"*--dry-run*) ;; 'label data/{name}.nii.gz'*) {commands} ;;\n" for name, commands in faults.items())
    program.write_text(f"""#!/bin/bash
echo "$*" >> '{folder}/calls'
case "$*" in
{cases}esac
exec '{voxcc.program}' "$@"
""")
    program.chmod(0o755)
    return Voxcc(str(program))


def memory_of_jobs(folder, name):
    """The values of --max-memory, in the order of the attempts to label a volume."""
    return re.findall(rf"^label data/{name}.nii.gz .*--max-memory (\d+)MB", (folder / "calls").read_text(), re.MULTILINE)


def test_workflow(voxcc, tmp_path):
    (tmp_path / "data").mkdir()
    volumes = {"scan 1": noise((14, 15, 40), 0.15), "scan-2": blobs((20, 21, 40), 0.2), "scan_3": noise((9, 9, 9), 0.0)}
    for stem, array in volumes.items():
        write_nifti(tmp_path / "data" / f"{stem}.nii.gz", array)
    done = snakemake(tmp_path, recorder(voxcc, tmp_path, {}))
    assert done.returncode == 0, done.stderr

    rows = read_table(tmp_path / "results" / "components.tsv")
    for stem, array in volumes.items():
        labels = label_scipy(array, 26)
        large = [size for size in np.bincount(labels.ravel())[1:] if size >= 10]
        assert [row["voxels"] for row in rows if row["file"] == f"{stem}.nii.gz"] == large
        assert read_nifti(tmp_path / "results" / "volumes" / stem / f"{stem}.nii.gz").max() == len(large)
        assert (tmp_path / "results" / "benchmarks" / f"{stem}.tsv").exists()
        plan = json.loads(voxcc("label", tmp_path / "data" / f"{stem}.nii.gz", "--device", "cpu", "-t", "2", "--dry-run").stdout)
        assert memory_of_jobs(tmp_path, stem) == [str(200 + math.ceil(plan["memory_bytes"] / 1e6))]
    assert not (tmp_path / "results" / "failed.txt").exists()
    assert "--device cpu" in (tmp_path / "calls").read_text()
    assert "Nothing to be done" in snakemake(tmp_path, recorder(voxcc, tmp_path, {})).stderr


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


def files_of_rows(folder):
    return {row["file"] for row in read_table(folder / "results" / "components.tsv")}


def failed_inputs(folder):
    """The failed volumes -> the reasons, of a list that `voxcc label --list` reads."""
    lines = (folder / "results" / "failed.txt").read_text().splitlines()
    return {name: reason for reason, name in zip(lines[1::2], lines[2::2], strict=True)}


def test_only_errors_that_can_disappear_are_repeated(voxcc, tmp_path):
    """Lack of memory, errors of a disk and kills are repeated with more memory. No error costs the table of the other volumes."""
    (tmp_path / "data").mkdir()
    names = ("good", "damaged", "internal", "killed_once", "full_disk", "no_memory")
    for name in names:
        write_nifti(tmp_path / "data" / f"{name}.nii.gz", blobs((10, 11, 12)))
    intact = (tmp_path / "data" / "damaged.nii.gz").read_bytes()
    (tmp_path / "data" / "damaged.nii.gz").write_bytes(intact[:-20])
    program = recorder(voxcc, tmp_path, {
        "internal": "exit 70",
        "killed_once": "[ -e killed ] || { touch killed; kill -9 $$; }",
        "full_disk": "echo 'the disk is full' >&2; exit 74",
        "no_memory": "exit 71",
    })  # fmt: skip
    done = snakemake(tmp_path, program, config=["mem_mb=300"])
    assert done.returncode != 0 and "4 of 6 volumes failed" in done.stderr, done.stderr
    assert {name: memory_of_jobs(tmp_path, name) for name in names} == {
        "good": ["300"], "damaged": ["300"], "internal": ["300"], "killed_once": ["300", "600"],
        "full_disk": ["300", "600", "900"], "no_memory": ["300", "600", "900"],
    }  # fmt: skip
    assert files_of_rows(tmp_path) == {"good.nii.gz", "killed_once.nii.gz"}
    failed = failed_inputs(tmp_path)
    assert set(failed) == {f"data/{name}.nii.gz" for name in ("damaged", "internal", "full_disk", "no_memory")}
    assert failed["data/damaged.nii.gz"].startswith("# exit code 65: voxcc: error: data/damaged.nii.gz: ends ")
    assert failed["data/full_disk.nii.gz"] == "# exit code 74: the disk is full"
    assert {path.name for path in (tmp_path / "results" / "volumes").iterdir()} == {"good", "killed_once"}
    listed = voxcc("label", "--list", "results/failed.txt", "--stats", "-", cwd=tmp_path, expect=1)
    assert "data/internal.nii.gz" in listed.stdout  # only the damaged volume fails

    (tmp_path / "calls").unlink()
    (tmp_path / "data" / "damaged.nii.gz").write_bytes(intact)
    done = snakemake(tmp_path, recorder(voxcc, tmp_path, {}), config=["mem_mb=300"])
    assert done.returncode == 0, done.stderr
    assert {name for name in names if memory_of_jobs(tmp_path, name)} == {"damaged", "internal", "full_disk", "no_memory"}
    assert files_of_rows(tmp_path) == {f"{name}.nii.gz" for name in names}
    assert not (tmp_path / "results" / "failed.txt").exists()


def test_a_job_that_the_cluster_ends_does_not_cost_the_table(voxcc, tmp_path):
    """The job cannot record its failure, because its shell is killed too."""
    (tmp_path / "data").mkdir()
    for name in ("a", "ended", "z"):
        write_nifti(tmp_path / "data" / f"{name}.nii.gz", blobs((10, 11, 12)))
    done = snakemake(tmp_path, recorder(voxcc, tmp_path, {"ended": "kill -9 $PPID; exit 137"}), "--keep-going", config=["mem_mb=300", "retries=1"])
    assert done.returncode != 0
    assert memory_of_jobs(tmp_path, "ended") == ["300", "600"]
    assert files_of_rows(tmp_path) == {"a.nii.gz", "z.nii.gz"}
    assert failed_inputs(tmp_path) == {"data/ended.nii.gz": "# was not labelled; see results/logs/ended.log"}


def test_no_table_is_written_if_every_volume_fails(voxcc, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "bad.nii.gz").write_bytes(b"")
    done = snakemake(tmp_path, voxcc)
    assert done.returncode != 0 and "1 of 1 volumes failed" in done.stderr
    assert list(failed_inputs(tmp_path)) == ["data/bad.nii.gz"]
    assert not (tmp_path / "results" / "components.tsv").exists()


def test_a_job_on_a_gpu_asks_for_one(voxcc, tmp_path):
    (tmp_path / "data").mkdir()
    write_nifti(tmp_path / "data" / "scan.nii.gz", blobs((10, 11, 12)))
    done = snakemake(tmp_path, recorder(voxcc, tmp_path, {}), "--dry-run", "--verbose", config=["gpu=1"])
    assert done.returncode == 0, done.stderr
    assert "--device cuda" in (tmp_path / "calls").read_text()
    assert "gpu=1" in done.stdout + done.stderr


def test_lint(voxcc, tmp_path):
    (tmp_path / "data").mkdir()
    write_nifti(tmp_path / "data" / "scan.nii.gz", blobs((10, 11, 12)))
    done = snakemake(tmp_path, voxcc, "--lint")
    assert done.returncode == 0, done.stdout + done.stderr
