"""Real volumes are compared with the counts of cc3d and scipy. Hostile files must give one error line within limits of time and memory,
and leave no files behind."""

import csv
import os
import re
import subprocess
import threading
from pathlib import Path

import h5py
import numpy as np
import pytest
from helpers import label_scipy, read_nifti, read_table

FOLDER = Path(os.environ.get("VOXCC_TEST_DATA") or "absent")
needs_data = pytest.mark.skipif(not FOLDER.is_dir(), reason="VOXCC_TEST_DATA names no folder of real volumes")

# This volume has 512^3 voxels, so each rule is tested with one connectivity only.
SLOW = "hdf5/connectomics512.h5"
SLOW_CONNECTIVITY = "26"


def reference():
    """Cases (file, rule) -> list of (connectivity, components, foreground, largest)."""
    cases = {}
    if FOLDER.is_dir():
        with open(FOLDER / "reference.csv", newline="") as file:
            for row in csv.DictReader(file):
                if row["file"] == SLOW and row["connectivity"] != SLOW_CONNECTIVITY:
                    continue
                wanted = tuple(int(row[name]) for name in ("components", "foreground_voxels", "largest_component"))
                cases.setdefault((row["file"], row["rule"]), []).append((row["connectivity"], wanted))
    return cases


def inputs(name):
    """The input files of a reference entry."""
    path = FOLDER / name.split(" + ")[0]
    return sorted(path.iterdir()) if name.endswith("dtypes3x3x3") else [path]


def options(rule):
    """The options of `voxcc label` for a rule of the reference."""
    if match := re.match(r"(?:(\w+) )?each label", rule):
        return ["--multilabel", *(["--dataset", match[1]] if match[1] else [])]
    match = re.match(r"binary (?:(?:volume|page) (\d+) |(\w+)(?:\[\.\.\.,(\d+)\])? )?(>=?|!=|==) (\S+)", rule)
    volume, dataset, channel, relation, value = match.groups()
    chosen = ["--dataset", dataset] if dataset else []
    if volume or channel:
        chosen += ["--volume", volume or channel]
    if relation == "==":
        return [*chosen, "--invert"]
    return [*chosen, "--threshold", "nonzero" if relation == "!=" else relation + value]


@needs_data
@pytest.mark.parametrize("name, rule", reference(), ids=str)
def test_counts(voxcc, tmp_path, name, rule):
    table = tmp_path / "table.csv"
    external = ["--allow-external"] if name.endswith(".raw") else []
    for path in inputs(name):
        for connectivity, wanted in reference()[name, rule]:
            voxcc("label", path, "--stats", table, "-c", connectivity, "-f", *external, *options(rule))
            sizes = [row["voxels"] for row in read_table(table)]
            assert (len(sizes), sum(sizes), max(sizes, default=0)) == wanted, (path, connectivity)


@pytest.mark.parametrize("channel", (0, 1))
def test_thresholds_of_a_probability_map_are_compared_in_float32(voxcc, data, tmp_path, channel):
    """The map has two decimal places: in float64, voxels of exactly 0.1f are greater than 0.1, and other components result."""
    path = data / "hdf5/ilastik_prob_zyxc.h5"
    with h5py.File(path) as file:
        image = file["exported_data"][..., channel]
    for threshold in ("0.1", "0.2", "0.55", "0.67", "0.86", "0.92"):
        foreground = image > np.float32(threshold)
        assert (foreground != (image.astype(np.float64) > float(threshold))).any()
        voxcc("label", path, "--volume", channel, "--threshold", ">" + threshold, "-c", 6, "-o", tmp_path / "labels.nii", "-f")
        np.testing.assert_array_equal(read_nifti(tmp_path / "labels.nii"), label_scipy(foreground, 6), err_msg=threshold)


def test_detached_data_elsewhere_is_refused_unless_allowed(voxcc, data, tmp_path):
    """A data file in another folder than its header is refused without --allow-external."""
    header = (data / "other/tooth.nhdr").read_text()
    away = tmp_path / "away.nhdr"
    away.write_text(header.replace("tooth.raw", str(data / "other/tooth.raw")))
    assert "--allow-external" in voxcc.fails(65, "label", away, "--stats", "-")
    assert voxcc("label", away, "--stats", "-", "--allow-external").returncode == 0


# Files that voxcc may either read or refuse.
MAY_BE_READ = re.compile(r"hdf5/cve-|tiff/(crash|colormap|sample|oom|test_ifd|tiff_overflow)|nifti/(5D_small|slope_zero)|slices_gap")
MOST_SECONDS, MOST_KB = 20, 1 << 20


def hostile():
    return sorted(
        str(path.relative_to(FOLDER / "hostile"))
        for path in FOLDER.glob("hostile/**/*")
        if path.name == "slices_gap" or path.is_file() and path.parent.name != "slices_gap"
    )


def run_bounded(command):
    """Returns exit code, stdout, stderr and peak resident memory in kB. Kills the process (exit code -9) after MOST_SECONDS."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        killer = threading.Timer(MOST_SECONDS, process.kill)
        killer.start()
        texts = {}
        readers = [threading.Thread(target=lambda name=name: texts.update({name: getattr(process, name).read()})) for name in ("stdout", "stderr")]
        for reader in readers:
            reader.start()
        status, usage = os.wait4(process.pid, 0)[1:]
        process.returncode = os.waitstatus_to_exitcode(status)
        killer.cancel()
        for reader in readers:
            reader.join()
    return process.returncode, texts["stdout"], texts["stderr"], usage.ru_maxrss


@needs_data
@pytest.mark.parametrize("name", hostile())
@pytest.mark.parametrize("command", ("label", "info", "verify"))
def test_hostile(voxcc, tmp_path, command, name):
    path = FOLDER / "hostile" / name
    arguments = ["-o", tmp_path / "out.nii.gz", "--stats", tmp_path / "out.csv", "-c", "26"] if command == "label" else []
    code, out, err, kilobytes = run_bounded([voxcc.program, command, path, *arguments])
    assert kilobytes < MOST_KB
    assert all(line.startswith("voxcc: ") for line in err.splitlines()), err
    errors = [line for line in err.splitlines() if line.startswith("voxcc: error:")]
    if code == 0:
        assert errors == [] and (command == "info" or MAY_BE_READ.search(name)), f"{name} was taken for good"
        return
    assert code in {64, 65, 66, 71, 74}, f"exit {code}\n{err}"
    assert len(errors) == 1 and out == "", (out, err)
    assert Path(name).name in errors[0]
    assert list(tmp_path.iterdir()) == []


def test_slope_of_zero_means_no_scaling(voxcc, data, tmp_path):
    for connectivity, wanted in ((6, 1427), (18, 463), (26, 310)):
        done = voxcc("label", data / "hostile/nifti/slope_zero_nan_pixdim.nii.gz", "--stats", tmp_path / "t.csv", "-f",
                     "--threshold", ">0", "-c", connectivity)
        rows = read_table(tmp_path / "t.csv")
        assert len(rows) == wanted
        # The spacing is invalid, and voxcc warns about it. The volume per voxel is computed from the valid sform (3 mm).
        assert all(row["volume_mm3"] == 27 * row["voxels"] for row in rows) and "warning" in done.stderr


def test_missing_slice_is_named(voxcc, data, tmp_path):
    code, _, err, _ = run_bounded([voxcc.program, "label", data / "hostile/slices_gap", "--stats", tmp_path / "t.csv"])
    assert "2" in err, (code, err)
