"""The tasks of users, as they type them: a student who knows FSL, a microscopist and a pipeline engineer.

Each command runs in a shell, in the folder of the user. The numbers are compared with numpy and scipy. The tests in python/tests and
tests/install contain the tasks of a Python user and of a C++ user.
"""

import csv
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import anndata
import numpy as np
import pytest
import tifffile
from helpers import blobs, label_scipy, read_nifti, read_table, write_nifti


@pytest.fixture
def shell(tmp_path):
    """Runs a line of a shell in the folder of the user. Returns the finished process."""
    environment = {**os.environ, "PATH": f"{Path(os.environ['VOXCC']).parent}:{os.environ['PATH']}"}

    def run(line, code=0, **variables):
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env={**environment, **variables}, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, (line, done.returncode, done.stderr)
        return done

    return run


@pytest.fixture
def study(tmp_path):
    """Six subjects in the layout of FSL and FreeSurfer. sub-03 has no lesion."""
    affine = np.diag([-2, 2, 2, 1.0])
    made = {}
    for subject in range(1, 7):
        folder = tmp_path / "fs" / f"sub-{subject:02}" / "anat"
        folder.mkdir(parents=True)
        lesions = blobs((20, 22, 24), 0.1, seed=subject) if subject != 3 else np.zeros((20, 22, 24), np.uint8)
        flair = np.random.default_rng(subject).normal(100 * subject, 5, lesions.shape).astype(np.float32)
        write_nifti(folder / "lesions.nii.gz", lesions, affine)
        write_nifti(folder / "FLAIR.nii.gz", flair, affine)
        made[f"{subject:02}"] = (lesions, flair)
    return made


def test_student_who_knows_fsl(shell, tmp_path, study):
    done = shell("voxcc label fs/sub-01/anat/lesions.nii.gz -t 0.5 -o x.nii.gz", code=64)
    assert "--threshold" in done.stderr
    # Labels, mean FLAIR, one row per subject and pictures over the anatomy, in one command.
    shell("voxcc label fs/sub-*/anat/lesions.nii.gz -o 'out/{sub}_{stem}.nii.gz' --mkdir --intensity '{dir}/FLAIR.nii.gz' --min-size 80mm3"
          " --stats lesions.csv --summary subjects.csv --preview 'out/{sub}.png'")  # fmt: skip
    rows, subjects = read_table(tmp_path / "lesions.csv"), read_table(tmp_path / "subjects.csv")
    assert [row["components"] for row in subjects if row["sub"] in (3, "03")] == [0] and len(subjects) == 6
    for subject, (lesions, flair) in study.items():
        labels = label_scipy(lesions, 26)
        kept = [label for label in range(1, labels.max() + 1) if (labels == label).sum() * 8 >= 80]
        mine = [row for row in rows if f"sub-{subject}/" in row["file"]]
        np.testing.assert_allclose([row["intensity_mean"] for row in mine], [flair[labels == label].mean(dtype=float) for label in kept], rtol=1e-6)
        written = read_nifti(tmp_path / "out" / f"{subject}_lesions.nii.gz")
        assert np.count_nonzero(written) == sum((labels == label).sum() for label in kept)
        assert (tmp_path / "out" / f"{subject}.png").stat().st_size > 1000
    # A page over the FLAIR images, and a short table.
    shell("voxcc report lesions.csv --labels 'out/{sub}_lesions.nii.gz' --images '{dir}/FLAIR.nii.gz' -o page.html")
    assert "sub-03" in (tmp_path / "page.html").read_text()
    done = shell("voxcc label fs/sub-01/anat/lesions.nii.gz --stats - --columns label,size,centroid --digits 4")
    assert done.stdout.splitlines()[0].startswith("label,voxels,volume_mm3,centroid_i")
    assert all(len(cell.lstrip("-").replace(".", "").lstrip("0")) <= 4 for row in csv.DictReader(done.stdout.splitlines())
               for name, cell in row.items() if name.startswith("centroid"))  # fmt: skip


def test_one_image_for_all_inputs_is_refused(shell, study):
    done = shell("voxcc label fs/sub-*/anat/lesions.nii.gz --intensity fs/sub-01/anat/FLAIR.nii.gz --stats t.csv", code=64)
    assert "--shared" in done.stderr
    done = shell("voxcc label fs/sub-*/anat/lesions.nii.gz -o 'out/{stem}.nii.gz' --mkdir", code=64)
    assert "lesions.nii.gz" in done.stderr
    done = shell("voxcc label fs/sub-*/anat/lesions.nii.gz -o '{subject}.nii.gz'", code=64)
    assert "{subject}" in done.stderr


def test_lists_of_a_student(shell, tmp_path, study):
    (tmp_path / "windows.txt").write_bytes("\ufefffs/sub-01/anat/lesions.nii.gz\r\n# done\r\nfs/sub-02/anat/lesions.nii.gz \r\n\r\n".encode())
    shell("voxcc label --list windows.txt --summary two.csv")
    assert len(read_table(tmp_path / "two.csv")) == 2
    shell("voxcc label --list <(find fs -name 'lesions.nii.gz' | sort) --summary six.csv")
    shell("find fs -name 'lesions.nii.gz' -print0 | sort -z | voxcc label --list - --summary again.csv")
    assert (tmp_path / "six.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()


def test_spreadsheet_of_a_student(shell, tmp_path, study):
    lines = ["input,intensity,output,age"]
    for subject in ("06", "01"):
        folder = f"fs/sub-{subject}/anat"
        lines.append(f'{folder}/lesions.nii.gz,{folder}/FLAIR.nii.gz,"out/first, {subject}.nii.gz",{30 + int(subject)}')
    (tmp_path / "patients.csv").write_text("\n".join(lines) + "\n")
    shell("voxcc label --list patients.csv --stats lesions.csv --summary subjects.csv --mkdir")
    assert [row["age"] for row in read_table(tmp_path / "subjects.csv")] == [36, 31]
    for subject in ("06", "01"):
        lesions, flair = study[subject]
        labels = label_scipy(lesions, 26)
        np.testing.assert_array_equal(read_nifti(tmp_path / "out" / f"first, {subject}.nii.gz"), labels)
        mine = [row for row in read_table(tmp_path / "lesions.csv") if row["age"] == 30 + int(subject)]
        np.testing.assert_allclose([row["intensity_mean"] for row in mine],
                                   [flair[labels == label].mean(dtype=float) for label in range(1, labels.max() + 1)], rtol=1e-6)  # fmt: skip


def test_microscopist(shell, tmp_path):
    nuclei, spots = blobs((8, 60, 70), 0.2, seed=1), blobs((8, 60, 70), 0.03, 1.0, seed=2)
    image = np.stack([nuclei.astype(np.uint16) * 900 + 50, spots.astype(np.uint16) * 500 + 20])
    tifffile.imwrite(tmp_path / "cells.ome.tif", image, ome=True, metadata={
        "axes": "CZYX", "Channel": {"Name": ["DAPI", "FISH"]}, "PhysicalSizeX": 0.26, "PhysicalSizeY": 0.26, "PhysicalSizeZ": 0.29,
        "PhysicalSizeXUnit": "um", "PhysicalSizeYUnit": "um", "PhysicalSizeZUnit": "um"})  # fmt: skip
    assert "DAPI" in shell("voxcc info cells.ome.tif").stdout
    shell("voxcc label 'cells.ome.tif[c=DAPI]' --threshold otsu --intensity 'cells.ome.tif[c=*]' --stats nuclei.csv -o nuclei.tif")
    labels = label_scipy(nuclei, 26)
    rows = read_table(tmp_path / "nuclei.csv")
    expected = np.bincount(labels.ravel())[1:]
    assert [row["voxels"] for row in rows] == list(expected)
    np.testing.assert_allclose([row["volume_um3"] for row in rows], expected * 0.26 * 0.26 * 0.29)
    for name, channel in (("DAPI", 0), ("FISH", 1)):
        means = np.bincount(labels.ravel(), image[channel].ravel())[1:] / expected
        np.testing.assert_allclose([row[f"{name}_mean"] for row in rows], means)
    shell("voxcc stats nuclei.tif --intensity 'cells.ome.tif[c=*]' -o nuclei.h5ad")
    cells = anndata.read_h5ad(tmp_path / "nuclei.h5ad")
    assert list(cells.var_names) == ["DAPI", "FISH"]
    np.testing.assert_allclose(cells.X, np.stack([np.bincount(labels.ravel(), c.ravel())[1:] / expected for c in image], axis=1))
    # Labels of another tool without voxel size: sizes in micrometres need one.
    tifffile.imwrite(tmp_path / "cellpose.tif", labels.astype(np.uint16), photometric="minisblack")
    assert "--spacing" in shell("voxcc stats cellpose.tif --units um -o c.csv", code=65).stderr
    done = shell("voxcc stats cellpose.tif --intensity 'dapi=cells.ome.tif[c=DAPI]' -o c.csv")
    assert "cells.ome.tif" in done.stderr  # the note names the file that states the voxel size
    np.testing.assert_allclose([row["volume_um3"] for row in read_table(tmp_path / "c.csv")], expected * 0.26 * 0.26 * 0.29)


def test_pipeline_engineer(shell, tmp_path, study):
    damaged = tmp_path / "fs" / "sub-05" / "anat" / "lesions.nii.gz"
    intact = damaged.read_bytes()
    damaged.write_bytes(intact[:-30])
    line = ("voxcc label fs/sub-*/anat/lesions.nii.gz -o 'out/{sub}.nii.gz' --json 'out/{sub}.json' --stats 'out/{sub}.csv' --mkdir --skip-existing"
            " --failed failed.txt")  # fmt: skip
    done = shell(line, code=1, VOXCC_ROOT="/opt/voxcc")
    assert "5 labelled" in done.stderr and "1 failed" in done.stderr and "VOXCC_ROOT" in done.stderr and "warning" in done.stderr
    shell("voxcc join out/*.csv -o all.csv --summary subjects.csv")  # the tables of the others are complete
    assert len(read_table(tmp_path / "subjects.csv")) == 5
    damaged.write_bytes(intact)
    assert "1 labelled" in shell("voxcc label --list failed.txt -o 'out/{sub}.nii.gz' --json 'out/{sub}.json' --stats 'out/{sub}.csv' --skip-existing").stderr
    assert "6 skipped" in shell(f"rm failed.txt; {line}").stderr
    assert json.loads((tmp_path / "out" / "05.json").read_text())["inputs"][0]["sha256"]
    shell("voxcc label fs/sub-01/anat/lesions.nii.gz -o y.nii.gz", code=78, VOXCC_THREADSS="2")  # close to the name of an option


def test_interrupted_batch(tmp_path, study):
    for number in range(60):
        for subject in ("01", "02"):
            (tmp_path / f"m{number:02}-{subject}.nii.gz").symlink_to(tmp_path / "fs" / f"sub-{subject}" / "anat" / "lesions.nii.gz")
    inputs = sorted(path.name for path in tmp_path.glob("m*.nii.gz"))
    running = subprocess.Popen([os.environ["VOXCC"], "label", *inputs, "--mkdir", "-o", "o/{stem}.nii.gz", "--stats", "t.csv", "--progress", "always"],
                               cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)  # fmt: skip
    while len(list(tmp_path.glob("o/m*.nii.gz"))) < 3:
        time.sleep(0.005)
    running.send_signal(signal.SIGINT)
    messages = running.communicate(timeout=60)[1]
    complete = {path.name for path in tmp_path.glob("o/m*.nii.gz")}
    assert running.returncode == 130 and f"{len(complete)} of {len(inputs)}" in messages
    assert {row["file"] for row in read_table(tmp_path / "t.csv")} == complete
