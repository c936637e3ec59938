"""`voxcc match` with several pairs of volumes."""

import json

import nibabel
import numpy as np
import pytest
from helpers import read_nifti, read_table, write_nifti

SUBJECTS = ("01", "02", "03")


@pytest.fixture
def study(tmp_path):
    """ref/sub-01_dseg.nii, ... and pred/sub-01_dseg.nii, ..."""
    rng = np.random.default_rng(3)
    for folder in ("ref", "pred"):
        (tmp_path / folder).mkdir()
    for subject in SUBJECTS:
        a = np.zeros((6, 9, 20), np.int16)
        for label in range(1, 6):
            z, y, x = (int(rng.integers(0, size - 2)) for size in a.shape)
            a[z : z + 2, y : y + 2, x : x + 2] = label
        b = np.where(rng.random(a.shape) < 0.8, a, 0).astype(np.int16)
        for folder, array in (("ref", a), ("pred", b)):
            write_nifti(tmp_path / folder / f"sub-{subject}_dseg.nii", array)
    return tmp_path


def names(folder):
    return [f"{folder}/sub-{subject}_dseg.nii" for subject in SUBJECTS]


def single(voxcc, study, subject):
    """The metrics and the rows of one pair, from a run of its own."""
    a, b = (f"{folder}/sub-{subject}_dseg.nii" for folder in ("ref", "pred"))
    voxcc("match", a, b, "--json", "one.json", "--pairs", "one.csv", "--stats", "objects.csv", "-o", "one.nii", "--longitudinal", "-f", cwd=study)
    return json.loads((study / "one.json").read_text()), read_table(study / "one.csv"), read_table(study / "objects.csv"), read_nifti(study / "one.nii")


def test_batch_equals_single_runs(voxcc, study):
    done = voxcc("match", *names("ref"), "pred/{stem}.nii", "--pairs", "pairs.csv", "--stats", "objects/{sub}.csv", "--summary", "summary.csv",
                 "--json", "all.json", "-o", "matched_{sub}.nii", "--longitudinal", cwd=study, expect=1)
    assert "objects" in done.stderr and not (study / "summary.csv").exists()  # the folder is missing, so all pairs fail
    (study / "objects").mkdir()
    done = voxcc("match", *names("ref"), "pred/{stem}.nii", "--pairs", "pairs.csv", "--stats", "objects/{sub}.csv", "--summary", "summary.csv",
                 "--json", "all.json", "-o", "matched_{sub}.nii", "--longitudinal", cwd=study)
    document, summary, pairs = json.loads((study / "all.json").read_text()), read_table(study / "summary.csv"), read_table(study / "pairs.csv")
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == names("ref")
    assert document["failed"] == [] and len(document["pairs"]) == len(summary) == 3
    for subject, entry, row in zip(SUBJECTS, document["pairs"], summary):
        one, one_pairs, one_objects, one_volume = single(voxcc, study, subject)
        assert entry == {name: one[name] for name in ("a", "b", "objects_a", "objects_b", "metrics", "changes")}
        name = f"ref/sub-{subject}_dseg.nii"
        assert [row["file"], row["file_b"], row["sub"]] == [name, name.replace("ref", "pred"), int(subject)]
        for metric, value in (one["metrics"] | one["changes"]).items():
            assert row[metric] == (value if value is not None else "n/a"), metric
        assert [{k: v for k, v in r.items() if k not in ("file", "sub")} for r in pairs if r["file"] == name] == one_pairs
        assert read_table(study / "objects" / f"{subject}.csv") == one_objects
        np.testing.assert_array_equal(read_nifti(study / f"matched_{subject}.nii"), one_volume)


def test_list_and_one_json_per_pair(voxcc, study):
    (study / "list.txt").write_text("\n".join(names("ref")))
    voxcc("match", "pred/{stem}.nii", "--list", "list.txt", "--json", "{stem}.json", cwd=study)
    for subject in SUBJECTS:
        one = single(voxcc, study, subject)[0]
        del one["changes"]  # of --longitudinal
        assert json.loads((study / f"sub-{subject}_dseg.json").read_text()) == one


def test_one_pair_that_fails(voxcc, study):
    (study / "pred" / "sub-02_dseg.nii").unlink()
    done = voxcc("match", *names("ref"), "pred/{stem}.nii", "--summary", "summary.csv", "--json", "all.json", "--failed", "failed.txt", cwd=study, expect=1)
    assert "pred/sub-02_dseg.nii: cannot open" in done.stderr
    assert [row["sub"] for row in read_table(study / "summary.csv")] == [1, 3]
    document = json.loads((study / "all.json").read_text())
    assert [pair["a"] for pair in document["pairs"]] == [names("ref")[0], names("ref")[2]]
    assert [failure["a"] for failure in document["failed"]] == [names("ref")[1]]
    lines = [line for line in (study / "failed.txt").read_text().splitlines() if not line.startswith("#")]
    assert lines == [names("ref")[1]]


def test_one_b_for_all(voxcc, study):
    error = voxcc.fails(64, "match", *names("ref"), names("pred")[0], cwd=study)
    assert "is one file, but there are 3 volumes A" in error
    voxcc("match", *names("ref"), names("pred")[0], "--shared", "--summary", "summary.csv", cwd=study)
    assert {row["file_b"] for row in read_table(study / "summary.csv")} == {names("pred")[0]}


@pytest.mark.parametrize("options, part", [
    (["-o", "out.nii"], "'out.nii' is one file, but there are several pairs"),
    (["--stats", "{subject}.csv"], "'{subject}' in '{subject}.csv' is not a known word"),
    (["--stats", "{parent}.csv"], "would write 'ref.csv'"),
    (["--stats", "a.csv", "--pairs", "a.csv"], "a.csv"),
    (["--json", "{ses}.json"], "has no entity 'ses'"),
])
def test_wrong_names(voxcc, study, options, part):
    assert part in voxcc.fails(64, "match", *names("ref"), "pred/{stem}.nii", *options, cwd=study)
    assert sorted(path.name for path in study.iterdir()) == ["pred", "ref"]


def test_existing_outputs_and_inputs_stay(voxcc, study):
    (study / "summary.csv").write_text("old")
    voxcc.fails(73, "match", *names("ref"), "pred/{stem}.nii", "--summary", "summary.csv", cwd=study)
    assert (study / "summary.csv").read_text() == "old"
    before = (study / "ref" / "sub-01_dseg.nii").read_bytes()
    voxcc("match", *names("ref"), "pred/{stem}.nii", "-o", "ref/{stem}.nii", "-f", cwd=study, expect=1)
    assert (study / "ref" / "sub-01_dseg.nii").read_bytes() == before


def test_options_of_batches(voxcc, study):
    a, b = names("ref")[0], names("pred")[0]
    for options in (["--shared"], ["--failed", "failed.txt"]):
        assert voxcc.fails(64, "match", a, b, *options, cwd=study).startswith(f"voxcc: error: {options[0]}: ")
    for operands in ([], [a]):
        assert "needs two volumes" in voxcc.fails(64, "match", *operands, cwd=study)


def test_one_volume_against_many(voxcc, study):
    """A file with several volumes beside a volume: one of them must be chosen."""
    volumes = np.stack([read_nifti(study / name) for name in names("pred")])
    write_nifti(study / "many.nii", volumes)
    assert "many.nii: holds 3 volumes; choose one" in voxcc.fails(64, "match", names("ref")[1], "many.nii", cwd=study)
    one = json.loads(voxcc("match", names("ref")[1], "many.nii[1]", "--json", "-", cwd=study).stdout)
    assert one["metrics"] == single(voxcc, study, "02")[0]["metrics"]


def test_units_of_one_table(voxcc, study):
    for folder in ("ref", "pred"):
        image = nibabel.load(study / folder / "sub-02_dseg.nii")
        image.header.set_xyzt_units("micron")
        nibabel.save(image, study / folder / "sub-02_dseg.nii")
    done = voxcc("match", *names("ref"), "pred/{stem}.nii", "--stats", "objects.csv", cwd=study, expect=1)
    assert "another unit of length" in done.stderr
    assert {row["sub"] for row in read_table(study / "objects.csv")} == {1, 3}
    voxcc("match", *names("ref"), "pred/{stem}.nii", "--stats", "{sub}.csv", cwd=study)
    voxcc("match", *names("ref"), "pred/{stem}.nii", "--stats", "all.csv", "--units", "mm", cwd=study)
