"""One volume in parts (split, label --plan, merge, relabel): the label volume and the table have the bytes of one run."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
import zarr
from helpers import blobs, noise, voronoi, write_nifti
from parts_steps import (complete, drawn_input, finish, in_parts, label, merge, relabel, require_damage_is_found, split,
                         write_hdf5, write_zarr)  # fmt: skip

CASES = 48


@pytest.mark.parametrize("case", range(CASES))
def test_parts_equal_one_run(voxcc, tmp_path, case):
    draw = random.Random(case)
    _, options = drawn_input(draw, case, tmp_path / "in.nii")
    name = draw.choice(("out.nii", "out.nii.gz", "out.tif", "out.npy", "out.nrrd"))
    one, parts = tmp_path / f"one-{name}", tmp_path / f"parts-{name}"
    voxcc("label", tmp_path / "in.nii", *options, "-o", one, "--stats", tmp_path / "one.csv")
    size = ["--parts", "slabs", "--part-size", str(draw.randint(3, 20))] if draw.random() < 0.3 else ["--part-size", str(draw.randint(14, 40))]
    count = in_parts(voxcc, tmp_path, tmp_path / "in.nii", *options, *size, outputs=["-o", parts, "--stats", tmp_path / "parts.csv"], order=draw)
    assert one.read_bytes() == parts.read_bytes(), (options, size, count)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes(), (options, size, count)


@pytest.mark.parametrize("name", ("in.zarr", "in.h5", "in.npy", "in.nii.gz"))
@pytest.mark.parametrize("values", ([], ["--multilabel"]), ids=("binary", "multilabel"))
def test_parts_read_boxes_of_every_format(voxcc, tmp_path, name, values):
    volume = voronoi((40, 50, 60))
    path = tmp_path / name
    if name.endswith(".zarr"):
        write_zarr(path, volume)
    elif name.endswith(".h5"):
        write_hdf5(path, volume)
    elif name.endswith(".npy"):
        np.save(path, volume)
    else:
        write_nifti(path, volume)
    voxcc("label", path, *values, "-o", tmp_path / "one.nii", "--stats", tmp_path / "one.csv")
    assert in_parts(voxcc, tmp_path, path, *values, "--part-size", "19",
                    outputs=["-o", tmp_path / "parts.nii", "--stats", tmp_path / "parts.csv"]) == 36  # fmt: skip
    assert (tmp_path / "one.nii").read_bytes() == (tmp_path / "parts.nii").read_bytes()
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()


@pytest.mark.parametrize("case", range(16))
def test_threads_read_chunks_of_a_part_at_the_same_time(voxcc, tmp_path, case):
    """Chunks and parts of any size, so that two chunks can share a word of 64 columns. The image is float, and has NaN."""
    draw = random.Random(case)
    volume = noise((18, 40, 500), draw.choice((0.1, 0.3)), draw.choice((1, 3)), case).astype(np.float32)
    volume[np.random.default_rng(case).random(volume.shape) < 0.01] = np.nan
    chunks = (draw.choice((3, 18)), draw.randint(5, 40), draw.choice((64, 128, draw.randint(1, 12), draw.randint(13, 200))))
    zarr.create_array(tmp_path / "in.zarr", data=volume, chunks=chunks)
    zarr.create_array(tmp_path / "mask.zarr", data=noise(volume.shape, 0.8, 5, case), chunks=(9, 20, draw.randint(10, 100)))
    options = draw.choice(([], ["--multilabel", "--intensity", tmp_path / "in.zarr"], ["--mask", tmp_path / "mask.zarr"]))
    voxcc("label", tmp_path / "in.zarr", *options, "-t", 1, "-o", tmp_path / "one.nii", "--stats", tmp_path / "one.csv")
    outputs, size = ["-o", tmp_path / "parts.nii", "--stats", tmp_path / "parts.csv"], draw.choice((64, draw.randint(20, 300)))
    split(voxcc, tmp_path, tmp_path / "in.zarr", *options, "--part-size", size)
    warnings = voxcc("label", "--plan", tmp_path / "plan.json", "-o", tmp_path / "state", "-t", 4).stderr
    assert sum(int(count) for count in re.findall(r"in\.zarr: contains NaN in (\d+) voxel", warnings)) == np.isnan(volume).sum()
    merge(voxcc, tmp_path)
    voxcc("relabel", "--plan", tmp_path / "plan.json", tmp_path / "state", tmp_path / "merged", "-q")
    finish(voxcc, tmp_path, *outputs)
    assert (tmp_path / "one.nii").read_bytes() == (tmp_path / "parts.nii").read_bytes(), (chunks, options, size)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes(), (chunks, options, size)


@pytest.mark.parametrize("form", ([], ["--ngff", "0.4"], ["--ngff", "none"], ["--pyramid", "none"], ["--pyramid", "nearest"]), ids="-".join)
@pytest.mark.parametrize("part_size", (90, 128))
def test_parts_write_every_form_of_zarr(voxcc, tmp_path, form, part_size):
    """Chunks have 128 columns. The chunks of parts of 128 columns are copied, and those of 90 are not."""
    write_nifti(tmp_path / "in.nii", blobs((30, 40, 270), 0.4, 1.5, 3))
    files = {}
    for name in ("one", "parts"):  # the metadata contain the name of the output, so it is the same
        target = tmp_path / name / "labels.zarr"
        target.parent.mkdir()
        if name == "one":
            voxcc("label", tmp_path / "in.nii", "-o", target, *form)
        else:
            in_parts(voxcc, tmp_path, tmp_path / "in.nii", "--part-size", str(part_size), outputs=["-o", target, *form])
        files[name] = {str(path.relative_to(target)): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    assert len(files["one"]) > 1
    assert files["one"] == files["parts"]


@pytest.mark.parametrize("options", ([], ["--dtype", "uint64"], ["--compress", "0"], ["--compress", "3"]), ids="-".join)
@pytest.mark.parametrize("name", ("labels.zarr", "labels.zarr.zip"))
def test_parts_of_several_chunks(voxcc, tmp_path, options, name):
    """Chunks have 128 x 128 x 64 voxels. One of them has no label, and the last ones along each axis are not complete."""
    volume = noise((300, 280, 140), 0.02, seed=6)
    volume[128:192, :128, :128] = 0
    write_nifti(tmp_path / "in.nii", volume)
    for run in ("one", "parts"):
        (tmp_path / run).mkdir()
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "one" / name, "--stats", tmp_path / "one.csv", *options)
    assert in_parts(voxcc, tmp_path, tmp_path / "in.nii", "--part-size", "128",
                    outputs=["-o", tmp_path / "parts" / name, "--stats", tmp_path / "parts.csv", *options]) == 18  # fmt: skip
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()
    found = [{str(path.relative_to(tmp_path / run)): path.read_bytes() for path in (tmp_path / run).rglob("*") if path.is_file()}
             for run in ("one", "parts")]  # fmt: skip
    assert len(found[0]) > 0 and found[0] == found[1]
    # Damage of the table is found, and damage of a chunk, whether it is copied or read.
    painted = tmp_path / "merged" / "4.painted"
    whole = painted.read_bytes()
    for at, output in ((len(whole) // 20, ["--stats", tmp_path / "parts.csv"]), (len(whole) - 5, ["-o", tmp_path / "parts" / name, *options])):
        painted.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        error = voxcc.fails(65, "relabel", "--plan", tmp_path / "plan.json", "--finish", tmp_path / "state", tmp_path / "merged", "-f", "-q",
                            *output)  # fmt: skip
        assert "4.painted" in error and "--part 4" in error
    assert (tmp_path / "parts" / name).exists()  # the output of the complete step


def test_a_form_of_zarr_needs_a_zarr_output(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", blobs((20, 20, 20), 0.4, 1.5, 3))
    in_parts(voxcc, tmp_path, tmp_path / "in.nii", outputs=["--stats", tmp_path / "t.csv"])
    for option in (["--pyramid", "none"], ["--ngff", "0.4"]):
        error = voxcc.fails(64, "relabel", "--plan", tmp_path / "plan.json", "--finish", tmp_path / "state", tmp_path / "merged", "-o",
                            tmp_path / "out.nii", *option)  # fmt: skip
        assert "Zarr" in error
    assert not (tmp_path / "out.nii").exists()


def damage_zarr(path, place):
    """Replaces the chunk at a place in the grid of chunks by bytes that cannot be decoded."""
    (path / "c" / "/".join(map(str, place))).write_bytes(b"\1\2\3")


def damage_hdf5(path, place):
    with h5py.File(path, "r+") as file:
        file["v"].id.write_direct_chunk(tuple(at * edge for at, edge in zip(place, file["v"].chunks)), b"\1\2\3")


@pytest.mark.parametrize("name", ("in.zarr", "in.h5"))
def test_parts_read_only_their_chunks(voxcc, tmp_path, name):
    volume = voronoi((40, 50, 60))
    write, damage, edges = (write_zarr, damage_zarr, (16, 16, 16)) if name == "in.zarr" else (write_hdf5, damage_hdf5, (9, 11, 17))
    write(tmp_path / name, volume)
    damage(tmp_path / name, (1, 1, 1))
    parts = split(voxcc, tmp_path, tmp_path / name, "--part-size", "8")
    counts = [-(-length // 8) for length in reversed(volume.shape)]
    failed = set()
    for part in range(parts):
        at = (part // counts[0] // counts[1], part // counts[0] % counts[1], part % counts[0])
        overlaps = all(8 * a < 2 * edge and 8 * a + 8 > edge for a, edge in zip(at, edges))
        if overlaps or all(8 * a < 3 * edge for a, edge in zip(at, edges)):
            label(voxcc, tmp_path, part, expect=65 if overlaps else 0)
            failed.add(overlaps)
    assert failed == {True, False}


@pytest.mark.parametrize("options", (["--threshold", "otsu"], ["--threshold", "p70"], ["--threshold", "-3.5:12"], ["--mask", "mask.nii"],
                                     ["--mask", "mask.nii", "--multilabel"], ["--units", "um"], ["--min-size", "9mm3"]), ids=" ".join)  # fmt: skip
def test_parts_with_thresholds_and_masks(voxcc, tmp_path, options, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(5).normal(0, 10, (30, 34, 38)).astype(np.float32)
    values[3, 4, 5:9] = np.nan
    if "--multilabel" in options:
        values = np.round(values / 10)
    write_nifti("in.nii", values)
    write_nifti("mask.nii", blobs(values.shape, 0.6))
    voxcc("label", "in.nii", *options, "-o", "one.nii", "--stats", "one.csv")
    in_parts(voxcc, tmp_path, "in.nii", *options, "--part-size", "13", outputs=["-o", "parts.nii", "--stats", "parts.csv"])
    assert (tmp_path / "one.nii").read_bytes() == (tmp_path / "parts.nii").read_bytes()
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()


def test_parts_without_components(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", np.zeros((9, 10, 11), np.uint8))
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "one.nii", "--stats", tmp_path / "one.csv")
    in_parts(voxcc, tmp_path, tmp_path / "in.nii", "--part-size", "4", outputs=["-o", tmp_path / "p.nii", "--stats", tmp_path / "p.csv"])
    assert (tmp_path / "one.nii").read_bytes() == (tmp_path / "p.nii").read_bytes()
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "p.csv").read_bytes()


@pytest.mark.parametrize("option", (["--per-slice", "z"], ["--delta", "2"], ["--split-signs"],
                                    ["--percentiles", "50", "--intensity", "in.nii"], ["--local-maxima", "m.csv", "--intensity", "in.nii"],
                                    ["--peak-distance", "3", "--intensity", "in.nii"]), ids=" ".join)  # fmt: skip
def test_unsupported_options_are_refused_with_a_reason(voxcc, tmp_path, option, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_nifti("in.nii", noise((9, 9, 9), 0.3))
    error = voxcc.fails(64, "split", "in.nii", *option, "-o", "plan.json")
    assert option[0] in error and "is not possible in parts: " in error
    assert f" {option[0]} " not in voxcc("split", "--help").stdout.replace("not along the axis of --per-slice", "")
    assert not os.path.exists("plan.json")


@pytest.fixture
def planned(voxcc, tmp_path):
    """A plan of 8 parts whose parts are labelled, and the outputs of one run."""
    write_nifti(tmp_path / "in.nii", noise((24, 24, 24), 0.25, seed=4))
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "one.nii", "--stats", tmp_path / "one.csv")
    assert split(voxcc, tmp_path, tmp_path / "in.nii", "--part-size", "12") == 8
    label(voxcc, tmp_path, "0..7")
    return tmp_path


def test_every_step_can_be_repeated(voxcc, planned):
    complete(voxcc, planned)
    before = {path: path.stat().st_mtime_ns for folder in ("state", "merged") for path in (planned / folder).iterdir()}
    label(voxcc, planned, "0..7")
    complete(voxcc, planned)
    assert before == {path: path.stat().st_mtime_ns for path in before}
    done = voxcc("label", "--plan", planned / "plan.json", "--part", 3, "-o", planned / "state")
    assert "3.part is complete, and is kept" in done.stderr


def test_the_same_part_twice_gives_the_same_bytes(voxcc, planned):
    first = {path.name: path.read_bytes() for path in (planned / "state").iterdir()}
    shutil.rmtree(planned / "state")
    command = [voxcc.program, "label", "--plan", planned / "plan.json", "-o", planned / "state", "-q"]
    runs = [subprocess.Popen([*command, "-t", str(1 + i % 3)]) for i in range(4)]
    assert [run.wait(60) for run in runs] == [0] * 4
    assert first == {path.name: path.read_bytes() for path in (planned / "state").iterdir()}
    complete(voxcc, planned)


def test_killed_steps_leave_no_file_and_can_be_repeated(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", noise((96, 96, 96), 0.25, seed=4))
    voxcc("label", tmp_path / "in.nii", "-o", tmp_path / "one.nii", "--stats", tmp_path / "one.csv")
    assert split(voxcc, tmp_path, tmp_path / "in.nii", "--part-size", "48") == 8
    steps = (("label", "-o", tmp_path / "state"), ("merge", tmp_path / "state", "-o", tmp_path / "merged"),
             ("relabel", tmp_path / "state", tmp_path / "merged"))  # fmt: skip
    killed = 0
    for step in steps:
        for delay in (0.005, 0.01, 0.02, 0.03, 0.05, 0.08):
            run = subprocess.Popen([voxcc.program, step[0], "--plan", tmp_path / "plan.json", "-q", *step[1:]], stdout=subprocess.DEVNULL)
            time.sleep(delay)
            run.send_signal(signal.SIGKILL)
            killed += run.wait(30) == -signal.SIGKILL
        voxcc(step[0], "--plan", tmp_path / "plan.json", "-q", *step[1:])
    assert killed >= 3
    complete(voxcc, tmp_path)


def test_missing_foreign_and_doubled_states_are_refused_by_name(voxcc, planned):
    state = planned / "state"
    merging = ("merge", "--plan", planned / "plan.json", state, "-o", planned / "merged")
    (state / "5.part").rename(state / "kept")
    error = voxcc.fails(66, *merging)
    assert "5.part" in error and "--part 5" in error
    shutil.copy(state / "4.part", state / "5.part")
    assert "5.part: is part 4, not part 5" in voxcc.fails(65, *merging)
    (state / "kept").replace(state / "5.part")
    other = planned / "other"
    other.mkdir()
    write_nifti(other / "in.nii", noise((24, 24, 24), 0.5, seed=9))
    split(voxcc, other, other / "in.nii", "--part-size", "12")
    label(voxcc, other, 5)
    shutil.copy(other / "state" / "5.part", state / "5.part")
    error = voxcc.fails(65, *merging)
    assert "5.part: belongs to the plan" in error and json.loads((planned / "plan.json").read_text())["identity"][:12] in error
    assert "5.part" in voxcc.fails(65, "label", "--plan", planned / "plan.json", "--part", 5, "-o", state)
    (state / "5.part").unlink()
    label(voxcc, planned, 5)
    complete(voxcc, planned)


def test_damaged_states_are_refused_by_name(voxcc, planned):
    part = planned / "state" / "6.part"
    whole = part.read_bytes()
    merging = ("merge", "--plan", planned / "plan.json", planned / "state", "-o", planned / "merged")
    for length in (0, 50, 300, len(whole) // 2, len(whole) - 1):
        part.write_bytes(whole[:length])
        assert "6.part" in voxcc.fails(65, *merging)
    part.write_bytes(whole + b"x")
    assert "6.part" in voxcc.fails(65, *merging)
    draw = random.Random(1)
    for _ in range(60):
        at = draw.randrange(len(whole))
        part.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << draw.randrange(8))]) + whole[at + 1 :])
        require_damage_is_found(voxcc, planned, 6)
    part.write_bytes(whole)
    shutil.rmtree(planned / "merged", ignore_errors=True)
    complete(voxcc, planned)


def test_damaged_results_of_the_merge_are_refused_by_name(voxcc, planned):
    merge(voxcc, planned)
    for name in ("merged", "2.numbers"):
        path = planned / "merged" / name
        whole = path.read_bytes()
        path.write_bytes(whole[:-1])
        painting = ("relabel", "--plan", planned / "plan.json", "--part", 2, planned / "state", planned / "merged")
        assert name in voxcc.fails(65, *painting)
        path.unlink()
        assert name in voxcc.fails(66, *painting)
        path.write_bytes(whole)
    relabel(voxcc, planned, "0..7")
    finishing = ("relabel", "--plan", planned / "plan.json", "--finish", planned / "state", planned / "merged", "-o", planned / "out.nii")
    path = planned / "merged" / "7.painted"
    whole = path.read_bytes()
    path.write_bytes(whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:])
    assert "7.painted" in voxcc.fails(65, *finishing)
    path.unlink()
    error = voxcc.fails(66, *finishing)
    assert "7.painted" in error and "--part 7" in error
    assert not (planned / "out.nii").exists()
    path.write_bytes(whole)
    finish(voxcc, planned, "-o", planned / "out.nii")


def test_changed_inputs_and_plans_are_refused(voxcc, planned):
    plan = planned / "plan.json"
    text = plan.read_text()
    os.utime(planned / "in.nii")
    (planned / "state" / "1.part").unlink()
    assert "has changed since" in voxcc.fails(65, "label", "--plan", plan, "--part", 1, "-o", planned / "state")
    plan.write_text(text.replace('"connectivity": 26', '"connectivity": 6'))
    assert "was changed after it was made" in voxcc.fails(65, "label", "--plan", plan, "--part", 1, "-o", planned / "state")
    for damaged in ("{}", "", text[:200], "[1]", '{"program": "voxcc", "content": "plan", "version": 99}'):
        plan.write_text(damaged)
        assert "plan.json" in voxcc.fails(65, "label", "--plan", plan, "--part", 1, "-o", planned / "state")


def test_wrong_command_lines(voxcc, planned):
    plan = planned / "plan.json"
    for part in ("8", "9..12", "3..2", "x", "-1", "1.."):
        voxcc.fails(64, "label", "--plan", plan, f"--part={part}", "-o", planned / "state")
    assert "--threshold" in voxcc.fails(64, "label", "--plan", plan, "--threshold", "2", "-o", planned / "state")
    voxcc.fails(64, "label", "--part", "2", planned / "in.nii", "-o", planned / "x.nii")
    voxcc.fails(64, "label", "--plan", plan)
    voxcc.fails(64, "relabel", "--plan", plan, planned / "state", planned / "merged", "-o", planned / "x.nii")
    voxcc.fails(64, "relabel", "--plan", plan, "--finish", planned / "state", planned / "merged")
    voxcc.fails(64, "split", planned / "in.nii", "--part-size", "0", "-o", planned / "p.json")
    voxcc.fails(64, "split", planned / "in.nii")
    voxcc.fails(73, "split", planned / "in.nii", "-o", plan)
    voxcc.fails(73, "split", planned / "in.nii", "-o", planned / "in.nii", "-f")
    merge(voxcc, planned)
    relabel(voxcc, planned, "0..7")
    voxcc.fails(73, "relabel", "--plan", plan, "--finish", planned / "state", planned / "merged", "-o", planned / "one.nii")
    voxcc.fails(73, "relabel", "--plan", plan, "--finish", planned / "state", planned / "merged", "-o", planned / "in.nii", "-f")
