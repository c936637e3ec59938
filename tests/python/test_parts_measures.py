"""Shape and contacts in parts: both tables have the bytes of one run, for any parts in any order."""

import json
import random

import nibabel
import numpy as np
import pytest
from helpers import blobs, noise, read_nifti, voronoi, write_nifti
from parts_steps import AFFINE, drawn_input, in_parts, label, merge, relabel, split
from test_contacts import assert_equal, counted, table_of

CASES = 48
AFFINES = (AFFINE, np.array([[2.0, 0.25, -0.5, 10.0], [-0.125, 1.5, 0.75, -20.5], [0.0, 0.5, 3.0, 1000.25], [0, 0, 0, 1]]))


def has_contacts(options):
    """Whether --contacts is possible."""
    connectivity = options[1] if options[0] == "-c" else "26"
    return "--periodic" not in options and ("--multilabel" in options or connectivity in ("4", "6", "18"))


def require_equal_tables(voxcc, folder, image, *options, size, order=None):
    """Compares both tables with one run. Returns the number of parts."""
    contacts = has_contacts(options)
    voxcc("label", image, *options, "--shape", "--stats", folder / "one.csv", *(["--contacts", folder / "one-contacts.csv"] if contacts else []),
          "-f")  # fmt: skip
    outputs = ["--stats", folder / "parts.csv"] + (["--contacts", folder / "parts-contacts.csv"] if contacts else [])
    count = in_parts(voxcc, folder, image, *options, "--shape", *(["--contacts"] if contacts else []), *size, outputs=outputs, order=order)
    assert (folder / "one.csv").read_bytes() == (folder / "parts.csv").read_bytes(), (options, size, count)
    if contacts:
        assert (folder / "one-contacts.csv").read_bytes() == (folder / "parts-contacts.csv").read_bytes(), (options, size, count)
    return count


@pytest.mark.parametrize("case", range(CASES))
def test_parts_equal_one_run(voxcc, tmp_path, case):
    draw = random.Random(case)
    _, options = drawn_input(draw, case, tmp_path / "in.nii", affine=AFFINES[case % 2], image_connectivities=("4", "8", "6", "18", "26"))
    if case % 8 and case % 3 == 0 and "--periodic" in options:
        at = options.index("--periodic")
        del options[at : at + 2]
    if draw.random() < 0.3:
        options += ["--units", draw.choice(("um", "voxel"))]
    size = ["--parts", "slabs", "--part-size", str(draw.randint(3, 20))] if draw.random() < 0.3 else ["--part-size", str(draw.randint(8, 40))]
    require_equal_tables(voxcc, tmp_path, tmp_path / "in.nii", *options, size=size, order=draw)


@pytest.mark.parametrize("options", (["--threshold", "otsu"], ["--mask", "mask.nii"], ["--mask", "mask.nii", "--multilabel"],
                                     ["-c", "18", "--invert", "--threshold", "-3.5:12"], ["--intensity", "in.nii"]), ids=" ".join)  # fmt: skip
def test_thresholds_masks_and_intensities(voxcc, tmp_path, options, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(5).normal(0, 10, (30, 34, 38)).astype(np.float32)
    if "--multilabel" in options:
        values = np.round(values / 10)
    write_nifti("in.nii", values)
    write_nifti("mask.nii", blobs(values.shape, 0.6))
    require_equal_tables(voxcc, tmp_path, "in.nii", *options, size=["--part-size", "13"])


@pytest.mark.parametrize("size", (1, 2))
def test_parts_of_one_and_two_voxels(voxcc, tmp_path, size):
    write_nifti(tmp_path / "in.nii", voronoi((5, 6, 7), cells=9, seed=3))
    assert require_equal_tables(voxcc, tmp_path, tmp_path / "in.nii", "-c", "26", "--multilabel", size=["--part-size", size]) > 30
    require_equal_tables(voxcc, tmp_path, tmp_path / "in.nii", "-c", "18", "--periodic", "xyz", size=["--part-size", size])


def test_volumes_without_positions(voxcc, tmp_path):
    """Without an affine that can be inverted, diameters and areas are n/a."""
    image = nibabel.Nifti1Image(voronoi((20, 21, 22), cells=20, seed=1).T, None)
    image.set_sform(np.diag([1, 1, 0, 1]), 2)
    image.header["qform_code"] = 0
    nibabel.save(image, tmp_path / "in.nii")
    require_equal_tables(voxcc, tmp_path, tmp_path / "in.nii", "--multilabel", size=["--part-size", "9"])


def test_contacts_equal_a_count_of_all_pairs(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", voronoi((24, 26, 28), cells=80, seed=2), AFFINES[1])
    in_parts(voxcc, tmp_path, tmp_path / "in.nii", "--multilabel", "--contacts", "--part-size", "11",
             outputs=["-o", tmp_path / "labels.nii", "--contacts", tmp_path / "contacts.csv"])  # fmt: skip
    assert_equal(table_of(tmp_path / "contacts.csv"), counted(read_nifti(tmp_path / "labels.nii"), 26, AFFINES[1]), 26)


def test_many_blocks_of_rows(voxcc, tmp_path):
    """Parts with more rows of both tables than a block has, numbered in an order that mixes the parts."""
    write_nifti(tmp_path / "in.nii", np.random.default_rng(8).integers(0, 200, (60, 60, 60), np.uint8))
    for options in ((), ("--sort", "size")):
        require_equal_tables(voxcc, tmp_path, tmp_path / "in.nii", "-c", "6", "--multilabel", *options, size=["--part-size", "37"])
    assert (tmp_path / "one-contacts.csv").read_bytes().count(b"\n") > 4 * 2048


@pytest.fixture
def planned(voxcc, tmp_path):
    """A plan of 8 parts with shape and contacts, whose parts are labelled, and the tables of one run."""
    write_nifti(tmp_path / "in.nii", noise((24, 24, 24), 0.25, seed=4))
    voxcc("label", tmp_path / "in.nii", "-c", "6", "--shape", "--stats", tmp_path / "one.csv", "--contacts", tmp_path / "one-contacts.csv")
    assert split(voxcc, tmp_path, tmp_path / "in.nii", "-c", "6", "--shape", "--contacts", "--part-size", "12") == 8
    label(voxcc, tmp_path, "0..7")
    return tmp_path


def painting(folder, part):
    return ("relabel", "--plan", folder / "plan.json", "--part", part, folder / "state", folder / "merged", "-q")


def finishing(folder):
    return ("relabel", "--plan", folder / "plan.json", "--finish", folder / "state", folder / "merged", "-f", "-q",
            "--stats", folder / "parts.csv", "--contacts", folder / "parts-contacts.csv")  # fmt: skip


def complete(voxcc, folder):
    merge(voxcc, folder)
    relabel(voxcc, folder, "0..7")
    voxcc(*finishing(folder))
    for name in ("", "-contacts"):
        assert (folder / f"one{name}.csv").read_bytes() == (folder / f"parts{name}.csv").read_bytes()


def test_painting_can_be_repeated(voxcc, planned):
    complete(voxcc, planned)
    before = {path: path.stat().st_mtime_ns for path in (planned / "merged").iterdir()}
    assert sum(path.suffix == ".measures" for path in before) == 8
    complete(voxcc, planned)
    assert before == {path: path.stat().st_mtime_ns for path in before}
    for name in ("3.measures", "5.painted"):
        whole = (planned / "merged" / name).read_bytes()
        (planned / "merged" / name).unlink()
        error = voxcc.fails(66, *finishing(planned))
        assert name in error and f"--part {name[0]}" in error
        complete(voxcc, planned)
        assert (planned / "merged" / name).read_bytes() == whole


def test_damaged_measures_are_refused_by_name(voxcc, planned):
    complete(voxcc, planned)
    path = planned / "merged" / "6.measures"
    whole = path.read_bytes()
    (planned / "parts.csv").unlink()
    for length in (0, 50, 200, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert "6.measures" in voxcc.fails(65, *finishing(planned))
    draw = random.Random(1)
    for _ in range(60):
        at = draw.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << draw.randrange(8))]) + whole[at + 1 :])
        assert "6.measures" in voxcc.fails(65, *finishing(planned))
    path.write_bytes((planned / "merged" / "5.measures").read_bytes())
    assert "6.measures: is part 5, not part 6" in voxcc.fails(65, *finishing(planned))
    assert not (planned / "parts.csv").exists()
    path.write_bytes(whole)
    complete(voxcc, planned)


def test_measures_of_another_merge_are_refused(voxcc, planned):
    complete(voxcc, planned)
    old = (planned / "merged" / "2.measures").read_bytes()
    write_nifti(planned / "in.nii", noise((24, 24, 24), 0.5, seed=5))
    for folder in ("state", "merged"):
        for path in (planned / folder).iterdir():
            path.unlink()
    split(voxcc, planned, planned / "in.nii", "-c", "6", "--shape", "--contacts", "--part-size", "12")
    label(voxcc, planned, "0..7")
    merge(voxcc, planned)
    relabel(voxcc, planned, "0..7")
    (planned / "merged" / "2.measures").write_bytes(old)
    assert "2.measures: belongs to the plan" in voxcc.fails(65, *finishing(planned))


def test_painting_needs_the_states_of_the_next_parts(voxcc, planned):
    merge(voxcc, planned)
    path = planned / "state" / "1.part"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert "1.part" in voxcc.fails(65, *painting(planned, 0))
    path.unlink()
    assert "1.part" in voxcc.fails(66, *painting(planned, 0))
    path.write_bytes(whole)
    numbers = planned / "merged" / "7.numbers"
    kept = numbers.read_bytes()
    numbers.write_bytes(kept[:-2] + bytes([kept[-2] ^ 4]) + kept[-1:])
    assert "7.numbers" in voxcc.fails(65, *painting(planned, 0))
    assert not list((planned / "merged").glob("0.*ed")) and not list((planned / "merged").glob("*.measures"))
    numbers.write_bytes(kept)
    complete(voxcc, planned)


def test_wrong_command_lines(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", noise((9, 9, 9), 0.3))
    plan = tmp_path / "plan.json"
    assert "--periodic" in voxcc.fails(64, "split", tmp_path / "in.nii", "--contacts", "-c", "6", "--periodic", "x", "-o", plan)
    assert "--contacts" in voxcc.fails(64, "split", tmp_path / "in.nii", "--contacts", "-o", plan)
    assert not plan.exists()
    done = voxcc("split", tmp_path / "in.nii", "--contacts", "--shape", "-c", "6", "--dry-run")
    assert json.loads(done.stdout)["parts"] == 1
    in_parts(voxcc, tmp_path, tmp_path / "in.nii", "-c", "6", outputs=["--stats", tmp_path / "t.csv"])
    assert not list((tmp_path / "merged").glob("*.measures"))
    finishes = ("relabel", "--plan", plan, "--finish", tmp_path / "state", tmp_path / "merged")
    assert "the plan has no contacts" in voxcc.fails(64, *finishes, "--contacts", tmp_path / "c.csv")
    assert "--finish" in voxcc.fails(64, "relabel", "--plan", plan, tmp_path / "state", tmp_path / "merged", "--contacts", tmp_path / "c.csv")
    in_parts(voxcc, tmp_path, tmp_path / "in.nii", "-c", "6", "--contacts", outputs=["--contacts", tmp_path / "c.csv"])
    for options in (("--contacts", tmp_path / "c.txt"), ("--contacts", "-", "--stats", "-"), ("--contacts", tmp_path / "s.csv", "--stats", tmp_path / "s.csv")):
        voxcc.fails(64, *finishes, *options)
    voxcc.fails(73, *finishes, "--contacts", tmp_path / "c.csv")
    voxcc.fails(73, *finishes, "--contacts", plan, "-f")
    assert voxcc(*finishes, "--contacts", "-").stdout == (tmp_path / "c.csv").read_text()
