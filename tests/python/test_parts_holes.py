"""--fill-holes and --max-hole in parts: labels and tables have the bytes of one run, and the holes are the holes of scipy."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
import scipy.ndimage
from helpers import blobs, label_scipy, noise, read_nifti, structure, voronoi, write_nifti
from parts_steps import (AFFINE, drawn_options, finish, in_parts, label, merge, merge_background, relabel, split, write_hdf5,
                         write_zarr)  # fmt: skip

CASES = 48
DUAL = {4: 8, 8: 4, 6: 26, 18: 6, 26: 6}


def require_equal(voxcc, folder, image, *options, size, order=None, extension="nii", contacts=False):
    """Compares labels and tables with one run. Returns the number of parts."""
    names = {name: [folder / f"{name}.{extension}", folder / f"{name}.csv", folder / f"{name}-contacts.csv"] for name in ("one", "parts")}
    outputs = {name: ["-o", paths[0], "--stats", paths[1], *(["--contacts", paths[2]] if contacts else [])] for name, paths in names.items()}
    voxcc("label", image, "--fill-holes", *options, *outputs["one"], "-f")
    count = in_parts(voxcc, folder, image, "--fill-holes", *options, *(["--contacts"] if contacts else []), "--part-size", size,
                     outputs=outputs["parts"], order=order)  # fmt: skip
    for one, parts in zip(*names.values()):
        assert contacts or "contacts" not in one.name or not one.exists()
        assert not one.exists() or one.read_bytes() == parts.read_bytes(), (options, size, count)
    return count


@pytest.mark.parametrize("case", range(CASES))
def test_parts_equal_one_run(voxcc, tmp_path, case):
    draw = random.Random(case)
    shape = tuple(draw.randint(12, 40) for _ in range(3)) if case % 6 else (1, 70, 50)
    kind = draw.choice(("noise", "blobs", "cells"))
    if kind == "cells":
        volume = voronoi(shape, cells=60, background=draw.choice((0.02, 0.1)), seed=case)
    elif kind == "blobs":
        volume = blobs(shape, draw.choice((0.7, 0.9)), 0.8, case)
    else:
        volume = noise(shape, draw.choice((0.75, 0.9, 0.97)), draw.choice((1, 2)), case)
    write_nifti(tmp_path / "in.nii", volume, AFFINE)
    options = [option for option in drawn_options(draw, kind) if option != "--multilabel"]  # refused with --fill-holes
    if case % 6 == 0:
        options[1] = draw.choice(("4", "8"))
    if draw.random() < 0.4:
        options += ["--max-hole", draw.choice(("1", "3", "20", "4mm3" if case % 6 else "2mm2"))]
    if draw.random() < 0.3:
        write_nifti(tmp_path / "mask.nii", noise(shape, 0.97, 2, case + 1), AFFINE)
        options += ["--mask", tmp_path / "mask.nii"]
    if draw.random() < 0.3:
        values = np.random.default_rng(case).normal(0, 10, shape).astype(np.float32)
        write_nifti(tmp_path / "image.nii", values, AFFINE)
        options += ["--intensity", tmp_path / "image.nii"]
    if draw.random() < 0.3:
        options.append("--shape")
    contacts = "--periodic" not in options and options[1] in ("4", "6", "18") and draw.random() < 0.5
    require_equal(voxcc, tmp_path, tmp_path / "in.nii", *options, size=draw.choice((5, 9, 13, 20, 31)), order=draw, contacts=contacts)


@pytest.mark.parametrize("connectivity", (6, 18, 26))
@pytest.mark.parametrize("size", (1, 4, 7))
def test_holes_are_the_holes_of_scipy(voxcc, tmp_path, connectivity, size):
    shape = (6, 7, 8) if size == 1 else (24, 26, 28)
    volume = noise(shape, 0.6 if size == 1 else 0.75 if connectivity > 6 else 0.93, seed=size)
    if size == 1:  # a shell, so that parts of one voxel have holes, too
        volume[1, 1:6, 1:6] = volume[4, 1:6, 1:6] = volume[1:5, 1, 1:6] = volume[1:5, 5, 1:6] = volume[1:5, 1:6, 1] = volume[1:5, 1:6, 5] = 1
    write_nifti(tmp_path / "in.nii", volume)
    filled = scipy.ndimage.binary_fill_holes(volume, structure(DUAL[connectivity], 3))
    in_parts(voxcc, tmp_path, tmp_path / "in.nii", "--fill-holes", "-c", connectivity, "--part-size", size, outputs=["-o", tmp_path / "p.nii"])
    np.testing.assert_array_equal(read_nifti(tmp_path / "p.nii"), label_scipy(filled, connectivity))
    holes = scipy.ndimage.label(filled & (volume == 0), structure(DUAL[connectivity], 3))[1]
    assert holes > 0 and merge_background(voxcc, tmp_path) == holes


@pytest.mark.parametrize("connectivity", (4, 8))
def test_holes_of_an_image_are_the_holes_of_scipy(voxcc, tmp_path, connectivity):
    image = noise((1, 90, 100), 0.65, seed=connectivity)
    write_nifti(tmp_path / "in.nii", image)
    filled = scipy.ndimage.binary_fill_holes(image[0], structure(DUAL[connectivity], 2))
    assert filled.sum() > image.sum() + 10
    in_parts(voxcc, tmp_path, tmp_path / "in.nii", "--fill-holes", "-c", connectivity, "--part-size", 17, outputs=["-o", tmp_path / "p.nii"])
    np.testing.assert_array_equal(read_nifti(tmp_path / "p.nii").reshape(filled.shape), label_scipy(filled, connectivity))


def nested_shells(shape, edge):
    """Cubes in cubes: shells of one voxel, with gaps of one voxel."""
    z, y, x = np.indices(shape)
    distance = np.minimum.reduce([z, y, x, shape[0] - 1 - z, shape[1] - 1 - y, shape[2] - 1 - x])
    return ((distance % 2 == 1) & (distance <= edge)).astype(np.uint8)


@pytest.mark.parametrize("limit, holes", ((None, 5), ("1538", 5), ("1537", 4), ("385", 2), ("97", 1)))
def test_islands_in_holes_of_many_parts(voxcc, tmp_path, limit, holes):
    """Five gaps between shells. The gap in the centre has one voxel."""
    volume = nested_shells((21, 21, 21), 9)
    write_nifti(tmp_path / "in.nii", volume)
    options = ["--max-hole", limit] if limit else []
    require_equal(voxcc, tmp_path, tmp_path / "in.nii", *options, size=4)
    sizes = np.bincount(label_scipy(volume == 0, 6)[volume == 0])[2:]  # without the voxels around the largest shell
    assert sorted(sizes) == [1, 98, 386, 866, 1538]
    assert merge_background(voxcc, tmp_path) == holes


@pytest.mark.parametrize("name", ("in.zarr", "in.h5", "in.nii.gz"))
@pytest.mark.parametrize("extension", ("nii.gz", "tif"))
def test_every_format(voxcc, tmp_path, name, extension):
    volume = voronoi((30, 33, 36), background=0.05)
    if name.endswith(".zarr"):
        write_zarr(tmp_path / name, volume)
    elif name.endswith(".h5"):
        write_hdf5(tmp_path / name, volume)
    else:
        write_nifti(tmp_path / name, volume)
    require_equal(voxcc, tmp_path, tmp_path / name, size=11, extension=extension)
    assert merge_background(voxcc, tmp_path) > 3


def test_a_zarr_label_volume(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", blobs((30, 40, 150), 0.9, 1, 3))
    files = []
    for name in ("one", "parts"):
        target = tmp_path / name / "labels.zarr"
        target.parent.mkdir()
        if name == "one":
            voxcc("label", tmp_path / "in.nii", "--fill-holes", "-o", target)
        else:
            in_parts(voxcc, tmp_path, tmp_path / "in.nii", "--fill-holes", "--part-size", 128, outputs=["-o", target])
        files.append({str(path.relative_to(target)): path.read_bytes() for path in target.rglob("*") if path.is_file()})
    assert len(files[0]) > 1 and files[0] == files[1]


@pytest.mark.parametrize("options", (["--threshold", "otsu"], ["--threshold", "-3.5:30", "--max-hole", "2"], ["--invert", "--threshold", "12"],
                                     ["--mask", "mask.nii"], ["--mask", "mask.nii", "--threshold", "0.5:"],
                                     ["--threshold", "3", "--min-size", "9mm3", "--max-hole", "8mm3"]), ids=" ".join)  # fmt: skip
def test_thresholds_masks_and_nan(voxcc, tmp_path, options, monkeypatch):
    """Filled voxels keep their values: also below the threshold, and NaN."""
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(5).normal(13, 10, (26, 28, 30)).astype(np.float32)
    values[3, 4, 5:9] = np.nan
    write_nifti("in.nii", values, AFFINE)
    write_nifti("mask.nii", noise(values.shape, 0.9), AFFINE)
    require_equal(voxcc, tmp_path, "in.nii", *options, size=10)
    assert merge_background(voxcc, tmp_path) > 3
    # The voxels that are NaN are counted once, in the step that reads all of them.
    for name in ("state", "merged"):
        shutil.rmtree(name)
    warnings = voxcc("label", "--plan", "plan.json", "--background", "-o", "state").stderr
    assert "NaN" in warnings
    merge_background(voxcc, tmp_path)
    assert "NaN" not in voxcc("label", "--plan", "plan.json", "--holes", "merged", "-o", "state").stderr


def test_volumes_without_holes_and_without_foreground(voxcc, tmp_path):
    for number, volume in enumerate((np.zeros((9, 10, 11), np.uint8), np.ones((9, 10, 11), np.uint8), blobs((9, 10, 11), 0.1))):
        write_nifti(tmp_path / f"{number}.nii", volume)
        require_equal(voxcc, tmp_path, tmp_path / f"{number}.nii", size=4)
    write_nifti(tmp_path / "in.nii", np.zeros((9, 10, 11), np.uint8))
    require_equal(voxcc, tmp_path, tmp_path / "in.nii", "--periodic", "xyz", size=4)  # without border, all is one hole
    assert merge_background(voxcc, tmp_path) == 1


def test_the_summary_of_split(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", blobs((20, 20, 20)))
    one, two = (json.loads(voxcc("split", tmp_path / "in.nii", *options, "--dry-run").stdout) for options in ([], ["--fill-holes"]))
    assert (one.pop("rounds"), two.pop("rounds")) == (1, 2)
    assert two.pop("state_bytes_per_part") == 2 * one.pop("state_bytes_per_part")
    assert one == two


@pytest.fixture
def planned(voxcc, tmp_path):
    """A plan of 8 parts with holes in several parts, and the outputs of one run."""
    write_nifti(tmp_path / "in.nii", noise((24, 24, 24), 0.8, seed=4))
    write_nifti(tmp_path / "image.nii", np.random.default_rng(1).normal(0, 1, (24, 24, 24)).astype(np.float32))
    voxcc("label", tmp_path / "in.nii", "--fill-holes", "-o", tmp_path / "one.nii", "--stats", tmp_path / "one.csv")
    assert split(voxcc, tmp_path, tmp_path / "in.nii", "--fill-holes", "--part-size", "12") == 8
    return tmp_path


def complete(voxcc, folder):
    label(voxcc, folder, "0..7", "--background")
    assert merge_background(voxcc, folder) > 10
    label(voxcc, folder, "0..7", "--holes", folder / "merged")
    merge(voxcc, folder)
    relabel(voxcc, folder, "0..7")
    finish(voxcc, folder, "-o", folder / "parts.nii", "--stats", folder / "parts.csv")
    assert (folder / "one.nii").read_bytes() == (folder / "parts.nii").read_bytes()
    assert (folder / "one.csv").read_bytes() == (folder / "parts.csv").read_bytes()


def labelling(folder, *options):
    return ("label", "--plan", folder / "plan.json", *options, "-o", folder / "state")


def merging(folder, *options):
    return ("merge", "--plan", folder / "plan.json", *options, folder / "state", "-o", folder / "merged")


def test_every_step_can_be_repeated(voxcc, planned):
    complete(voxcc, planned)
    paths = [path for folder in ("state", "merged") for path in (planned / folder).iterdir()]
    assert sorted({path.suffix or path.name for path in paths}) == sorted([".background", ".part", ".holes", ".numbers", ".painted", "holes", "merged"])
    before = {path: path.stat().st_mtime_ns for path in paths}
    complete(voxcc, planned)
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert "3.background is complete, and is kept" in voxcc(*labelling(planned, "--part", 3, "--background")).stderr
    assert "3.part is complete, and is kept" in voxcc(*labelling(planned, "--part", 3, "--holes", planned / "merged")).stderr
    assert "holes is complete, and is kept" in voxcc(*merging(planned, "--background")).stderr


def test_the_second_round_reads_the_files_only_for_masks_and_images(voxcc, planned):
    complete(voxcc, planned)
    for path in (planned / "state").glob("*.part"):
        path.unlink()
    (planned / "in.nii").rename(planned / "kept.nii")
    label(voxcc, planned, "0..7", "--holes", planned / "merged")
    for option in ("--mask", "--intensity"):
        for folder in ("state", "merged"):
            shutil.rmtree(planned / folder)
        (planned / "kept.nii").rename(planned / "in.nii")
        split(voxcc, planned, planned / "in.nii", "--fill-holes", "--part-size", "12", option, planned / "image.nii")
        label(voxcc, planned, "0..7", "--background")
        merge_background(voxcc, planned)
        (planned / "in.nii").rename(planned / "kept.nii")
        voxcc.fails(66, *labelling(planned, "--holes", planned / "merged"))


def test_wrong_orders_of_the_steps(voxcc, planned):
    error = voxcc.fails(64, *labelling(planned))
    assert all(step in error for step in ("label --background", "merge --background", "label --holes"))
    assert "cannot be combined" in voxcc.fails(64, *labelling(planned, "--background", "--holes", planned / "merged"))
    assert not (planned / "state").exists()
    error = voxcc.fails(66, *labelling(planned, "--holes", planned / "merged"))
    assert "merged/holes" in error and "'voxcc merge --background'" in error
    error = voxcc.fails(66, *merging(planned, "--background"))
    assert "0.background" in error and "--part 0 --background" in error
    error = voxcc.fails(66, *merging(planned))
    assert "0.part" in error and "--part 0 --holes MERGED" in error
    label(voxcc, planned, "0..6", "--background")
    error = voxcc.fails(66, *merging(planned, "--background"))
    assert "7.background" in error and "--part 7 --background" in error
    label(voxcc, planned, "7", "--background")
    merge_background(voxcc, planned)
    assert "0.part" in voxcc.fails(66, *merging(planned))
    error = voxcc.fails(66, "relabel", "--plan", planned / "plan.json", planned / "state", planned / "merged")
    assert "merged/merged" in error and "'voxcc merge'" in error
    complete(voxcc, planned)


def test_a_plan_without_holes_has_one_round(voxcc, planned):
    split(voxcc, planned, planned / "in.nii", "--part-size", "12")
    for command in (labelling(planned, "--background"), labelling(planned, "--holes", planned / "merged"), merging(planned, "--background")):
        assert "the plan does not fill holes" in voxcc.fails(64, *command)
    for options in (["--background"], ["--holes", planned / "merged"]):
        assert "needs a plan" in voxcc.fails(64, "label", planned / "in.nii", *options, "-o", planned / "x.nii")
    assert "--fill-holes" in voxcc.fails(64, "split", planned / "in.nii", "--max-hole", "3", "-o", planned / "p.json")
    assert "--fill-holes" in voxcc.fails(64, *labelling(planned, "--fill-holes"))


def changed_state(voxcc, folder):
    """A state of part 2 with other sections: of another volume, under the identity of the plan."""
    whole = (folder / "state" / "2.background").read_bytes()
    other = folder / "other"
    other.mkdir()
    write_nifti(other / "in.nii", noise((24, 24, 24), 0.6, seed=9))
    split(voxcc, other, other / "in.nii", "--fill-holes", "--part-size", "12")
    label(voxcc, other, 2, "--background")
    return whole, (other / "state" / "2.background").read_bytes()


def test_changed_and_foreign_states_are_refused_by_name(voxcc, planned):
    label(voxcc, planned, "0..7", "--background")
    whole, foreign = changed_state(voxcc, planned)
    path = planned / "state" / "2.background"
    path.write_bytes(foreign)
    for command in (merging(planned, "--background"), labelling(planned, "--part", 2, "--background")):
        assert "2.background: belongs to the plan" in voxcc.fails(65, *command)
    path.write_bytes((planned / "state" / "3.background").read_bytes())
    assert "2.background: is part 3, not part 2" in voxcc.fails(65, *merging(planned, "--background"))
    path.write_bytes(whole)
    merge_background(voxcc, planned)
    # A state of another labelling of the same plan: the input is put back after other values were read.
    shutil.copytree(planned / "state", planned / "kept")
    times = os.stat(planned / "in.nii")
    content = (planned / "in.nii").read_bytes()
    write_nifti(planned / "in.nii", noise((24, 24, 24), 0.7, seed=5))
    os.utime(planned / "in.nii", ns=(times.st_atime_ns, times.st_mtime_ns))
    path.unlink()
    label(voxcc, planned, 2, "--background")
    error = voxcc.fails(65, *labelling(planned, "--part", 2, "--holes", planned / "merged"))
    assert "2.background: has changed since the merge" in error and "'voxcc merge --background' again" in error
    assert "2.background: has changed since the merge" in voxcc.fails(65, *merging(planned, "--background"))
    label(voxcc, planned, 1, "--holes", planned / "merged")
    (planned / "in.nii").write_bytes(content)
    os.utime(planned / "in.nii", ns=(times.st_atime_ns, times.st_mtime_ns))
    shutil.copy(planned / "kept" / "2.background", path)
    complete(voxcc, planned)


def test_files_of_other_kinds_are_refused(voxcc, planned):
    complete(voxcc, planned)
    state, merged = planned / "state", planned / "merged"
    filled = labelling(planned, "--part", 5, "--holes", merged)
    for wrong, right, command in ((state / "5.part", state / "5.background", filled), (state / "5.background", state / "5.part", merging(planned)),
                                  (merged / "5.numbers", merged / "5.holes", filled), (merged / "merged", merged / "holes", filled)):  # fmt: skip
        whole = right.read_bytes()
        kept = (state / "5.part").read_bytes()
        right.write_bytes(wrong.read_bytes())
        if command is filled:
            (state / "5.part").unlink()
        assert f"{right.name}: is a file of another step" in voxcc.fails(65, *command)
        (state / "5.part").write_bytes(kept)
        right.write_bytes(whole)
    complete(voxcc, planned)


def test_damaged_and_missing_files_are_refused_by_name(voxcc, planned):
    label(voxcc, planned, "0..7", "--background")
    merge_background(voxcc, planned)
    draw = random.Random(1)
    filled = labelling(planned, "--part", 6, "--holes", planned / "merged")
    steps = {"state/6.background": "--part 6 --background", "merged/6.holes": "'voxcc merge --background'", "merged/holes": "'voxcc merge --background'"}
    for name, step in steps.items():
        path = planned / name
        whole = path.read_bytes()
        path.unlink()
        error = voxcc.fails(66, *filled)
        assert name in error and step in error
        for length in (0, 50, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:length])
            assert name in voxcc.fails(65, *filled)
        for _ in range(30):
            at = draw.randrange(len(whole))
            path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << draw.randrange(8))]) + whole[at + 1 :])
            damaged = subprocess.run([voxcc.program, *map(str, filled)], capture_output=True, text=True)
            if damaged.returncode == 0:  # the section with the damage is not needed: the part is the part of intact files
                assert name == "state/6.background"
                (planned / "state" / "6.part").rename(planned / "found.part")
                path.write_bytes(whole)
                voxcc(*filled)
                assert (planned / "found.part").read_bytes() == (planned / "state" / "6.part").read_bytes()
                (planned / "state" / "6.part").unlink()
            else:
                assert damaged.returncode == 65 and name in damaged.stderr and step in damaged.stderr, damaged.stderr
            assert not (planned / "state" / "6.part").exists()
        path.write_bytes(whole)
    complete(voxcc, planned)


def test_killed_steps_leave_no_file_and_can_be_repeated(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", noise((96, 96, 96), 0.8, seed=4))
    voxcc("label", tmp_path / "in.nii", "--fill-holes", "-o", tmp_path / "one.nii", "--stats", tmp_path / "one.csv")
    assert split(voxcc, tmp_path, tmp_path / "in.nii", "--fill-holes", "--part-size", "48") == 8
    killed = 0
    for step in (labelling(tmp_path, "--background"), merging(tmp_path, "--background"), labelling(tmp_path, "--holes", tmp_path / "merged")):
        for delay in (0.005, 0.01, 0.02, 0.03, 0.05, 0.08):
            run = subprocess.Popen([voxcc.program, *map(str, step), "-q"], stdout=subprocess.DEVNULL)
            time.sleep(delay)
            run.send_signal(signal.SIGKILL)
            killed += run.wait(30) == -signal.SIGKILL
        voxcc(*step, "-q")
    assert killed >= 3
    complete(voxcc, tmp_path)


def test_the_same_part_twice_gives_the_same_bytes(voxcc, planned):
    label(voxcc, planned, "0..7", "--background")
    merge_background(voxcc, planned)
    steps = (labelling(planned, "--background"), labelling(planned, "--holes", planned / "merged"))
    for step in steps:
        voxcc(*step, "-q")
    first = {path.name: path.read_bytes() for path in (planned / "state").iterdir()}
    shutil.rmtree(planned / "state")
    for step in steps:
        runs = [subprocess.Popen([voxcc.program, *map(str, step), "-q", "-t", str(1 + i % 3)]) for i in range(4)]
        assert [run.wait(60) for run in runs] == [0] * 4
    assert first == {path.name: path.read_bytes() for path in (planned / "state").iterdir()}
    complete(voxcc, planned)
