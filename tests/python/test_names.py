"""Words in braces in the names of files, columns of BIDS entities, the table of volumes, the list of failed inputs, and lists of inputs."""

import io
import json
import os
import subprocess

import numpy as np
import pandas
import pytest

from helpers import noise, read_nifti, write_nifti


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Three subjects with a mask and an image. The mask of the second subject is empty."""
    monkeypatch.chdir(tmp_path)
    for number in (1, 2, 3):
        folder = tmp_path / f"sub-0{number}" / "anat"
        folder.mkdir(parents=True)
        write_nifti(folder / "lesions.nii.gz", noise((6, 7, 8), 0.3, seed=number) * np.uint8(number != 2))
        write_nifti(folder / "FLAIR.nii.gz", noise((6, 7, 8), 0.9, seed=number + 10) * np.int16(number * 100))
        write_nifti(folder / "brain.nii.gz", noise((6, 7, 8), 0.8, seed=number + 20))
    return [f"sub-0{number}/anat/lesions.nii.gz" for number in (1, 2, 3)]


def test_one_command_for_a_study(voxcc, study):
    voxcc("label", *study, "-o", "out/{sub}_{stem}.nii.gz", "--mkdir", "--intensity", "{dir}/FLAIR.nii.gz", "--mask", "{dir}/brain.nii.gz",
          "--stats", "all.csv", "--summary", "volumes.csv", "--preview", "out/{parent}_{sub}.png", "--json", "out/{sub}.json")
    table = pandas.read_csv("all.csv", dtype={"sub": str})
    volumes = pandas.read_csv("volumes.csv", dtype={"sub": str})
    assert volumes["file"].tolist() == study and volumes["sub"].tolist() == ["01", "02", "03"]
    for number, path in enumerate(study, 1):
        own = voxcc("label", path, "--intensity", path.replace("lesions", "FLAIR"), "--mask", path.replace("lesions", "brain"), "--stats", "-",
                    "-o", f"single{number}.nii.gz")
        rows = table[table["file"] == path].drop(columns=["file", "sub"]).to_csv(index=False, header=False)
        assert rows == pandas.read_csv(io.StringIO(own.stdout)).to_csv(index=False, header=False)
        labels = read_nifti(f"out/0{number}_lesions.nii.gz")
        np.testing.assert_array_equal(labels, read_nifti(f"single{number}.nii.gz"))
        sizes = np.bincount(labels.ravel())[1:]
        row = volumes.iloc[number - 1]
        assert row["components"] == labels.max() == len(sizes) and row["voxels"] == sizes.sum() == row["foreground_voxels"]
        assert row["voxels_in_volume"] == labels.size and row["volume_mm3"] == sizes.sum()
        if len(sizes):
            assert row["largest"] == sizes.max() and row["median"] == np.median(sizes)
        else:
            assert np.isnan(row["largest"]) and np.isnan(row["median"])
        assert os.path.exists(f"out/anat_0{number}.png") and os.path.exists(f"out/0{number}.json")
    assert table["sub"].tolist() == [path[4:6] for path in table["file"]]


@pytest.mark.parametrize("arguments, message", (
    (["-o", "{subject}.nii"], "'{subject}' in '{subject}.nii' is not a known word"),
    (["-o", "{stem}.nii"], "would write 'lesions.nii', as 'sub-01/anat/lesions.nii.gz' does"),
    (["-o", "{sub}.nii", "--stats", "{stem}.csv"], "would write 'lesions.csv'"),
    (["-o", "{ses}.nii"], "has no entity 'ses'"),
    (["-o", "{sub}.nii", "--mask", "brain{x}.nii"], "is not a known word"),
    (["-o", "{sub}.nii", "--mask", "sub-01/anat/brain.nii.gz"], "is one file, but there are 3 inputs"),
    (["--stats", "-", "--intensity", "sub-01/anat/FLAIR.nii.gz"], "add --shared"),
    (["--stats", "-", "--summary", "{sub}.csv"], "is one file for all inputs"),
    (["-o", "{sub}.nii", "--shared"], "no such file is given"),
))
def test_names_are_checked_before_work(voxcc, study, arguments, message):
    before = set(os.listdir())
    assert message in voxcc.fails(64, "label", *study, *arguments)
    assert set(os.listdir()) == before


def test_one_image_for_all_inputs(voxcc, study):
    write_nifti("atlas.nii", np.full((6, 7, 8), 7, np.uint8))
    voxcc("label", *study, "--intensity", "atlas.nii", "--shared", "--stats", "all.csv")
    assert (pandas.read_csv("all.csv")["intensity_mean"] == 7).all()
    voxcc("label", study[0], "--intensity", "atlas.nii", "--stats", "one.csv")  # one input needs no option


def test_entities_that_contradict(voxcc, study, tmp_path):
    os.rename("sub-03/anat/lesions.nii.gz", "sub-03/anat/sub-04_lesions.nii.gz")
    other = "sub-03/anat/sub-04_lesions.nii.gz"
    assert "has two values of the entity 'sub'" in voxcc.fails(64, "label", study[0], other, "-o", "{sub}.nii")
    voxcc("label", study[0], other, "--stats", "all.csv")
    table = pandas.read_csv("all.csv", dtype={"sub": str})
    assert set(table[table["file"] == other]["sub"].isna()) == {True}


def test_columns_of_entities_need_a_subject(voxcc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("run-1_a.nii", "run-2_a.nii"):
        write_nifti(name, noise((3, 4, 5), 0.4))
    voxcc("label", "run-1_a.nii", "run-2_a.nii", "--stats", "all.csv", "-o", "{run}_{stem}_labels.nii")
    assert "run" not in pandas.read_csv("all.csv").columns
    assert os.path.exists("1_run-1_a_labels.nii")


def test_chosen_columns_of_entities(voxcc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"sub-{subject}/ses-{session}/a.nii" for subject, session in ((1, 5), (2, 6))]
    for name in names:
        os.makedirs(os.path.dirname(name))
        write_nifti(name, np.ones((2, 2, 2), np.uint8))
    for columns in ("ses,label", "ses,file,sub", "sub"):
        voxcc("label", *names, "--stats", "all.csv", "--columns", columns, "-f")
        expected = pandas.DataFrame({"file": names, "label": 1, "sub": [1, 2], "ses": [5, 6]})[columns.split(",")]
        pandas.testing.assert_frame_equal(pandas.read_csv("all.csv"), expected)


def test_stats_and_report_know_the_words(voxcc, study):
    voxcc("label", *study, "-o", "{dir}/labels.nii.gz", "--stats", "all.csv")
    voxcc("stats", "sub-01/anat/labels.nii.gz", "--intensity", "{dir}/FLAIR.nii.gz", "-o", "{sub}.csv", "--summary", "{sub}_volume.csv")
    table, volume = pandas.read_csv("01.csv"), pandas.read_csv("01_volume.csv")
    assert "intensity_mean" in table and volume["components"].tolist() == [len(table)] and volume["voxels"][0] == table["voxels"].sum()
    voxcc("report", "all.csv", "--images", "{dir}/FLAIR.nii.gz", "--labels", "{dir}/labels.nii.gz", "-o", "report.html")
    assert "'{subject}'" in voxcc.fails(64, "report", "all.csv", "--images", "{subject}.nii", "-o", "other.html")


def test_summary_after_selection_and_of_slices(voxcc, study):
    voxcc("label", *study, "--min-size", "2", "--summary", "volumes.tsv", "--stats", "all.csv", "--per-slice", "z")
    volumes, table = pandas.read_csv("volumes.tsv", sep="\t"), pandas.read_csv("all.csv")
    for _, row in volumes.iterrows():
        own = table[table["file"] == row["file"]]
        assert row["components"] == len(own) and row["voxels"] == own["voxels"].sum() and row["area_mm2"] == own["area_mm2"].sum()
        assert row["foreground_voxels"] >= row["voxels"] and "volume_mm3" not in row


def test_failed_inputs_are_listed(voxcc, study):
    with open(study[1], "r+b") as file:
        file.truncate(40)
    for options in ([], ["-j", "3"]):
        voxcc("label", *study, "missing.nii", "-o", "{dir}/out.nii",
              "--failed", "failed.txt", "-f", *options, expect=1)
        lines = open("failed.txt").read().splitlines()
        assert lines[0] == "# 2 of 4 inputs are not complete" and [line for line in lines if line[0] != "#"] == [study[1], "missing.nii"]
        assert "truncated" in lines[1] or "end" in lines[1] or "damaged" in lines[1]
    write_nifti(study[1], noise((6, 7, 8), 0.3))
    write_nifti("missing.nii", noise((6, 7, 8), 0.3))
    voxcc("label", "--list", "failed.txt", "-o", "{dir}/again.nii", "--failed", "none.txt")
    assert open("none.txt").read() == "# 0 of 2 inputs are not complete\n"
    assert os.path.exists("sub-02/anat/again.nii") and not os.path.exists("sub-01/anat/again.nii")


def test_failed_inputs_are_listed_if_all_fail(voxcc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    voxcc("label", "a.nii", "b.nii", "--stats", "all.csv", "--failed", "failed.txt", expect=1)
    assert [line for line in open("failed.txt").read().splitlines() if line[0] != "#"] == ["a.nii", "b.nii"]
    assert not os.path.exists("all.csv")
    assert "one input" in voxcc.fails(64, "label", "a.nii", "--failed", "x.txt")


def test_failed_names_that_lists_read_in_another_way(voxcc, tmp_path, monkeypatch):
    """A line that begins with # is a comment. Blanks at the end of a line, and names with line ends, cannot be in a list."""
    monkeypatch.chdir(tmp_path)
    names = ["#a.nii", "plain.nii", "#c d.nii"]
    done = voxcc("label", *names, "blank.nii ", "two\nlines.nii", "--failed", "failed.txt", expect=1)
    assert done.stderr.count("is not in failed.txt") == 2
    for name in names:
        write_nifti(name, noise((6, 7, 8), 0.3))
    voxcc("label", "--list", "failed.txt", "-o", "{stem}_labels.nii")
    assert sorted(path.name for path in tmp_path.glob("*_labels.nii")) == sorted(name.replace(".nii", "_labels.nii") for name in names)


@pytest.mark.parametrize("arguments", (
    ("label", "a.nii", "--stats", "{volume}.csv"), ("label", "a.nii", "--stats", "t.csv", "--intensity", "{volume}.nii"),
    ("label", "a.nii", "--mask", "{volume}.nii"), ("label", "a.nii", "--json", "{volume}.json"), ("label", "a.nii", "-o", "{volume}.nii"),
    ("stats", "a.nii", "-o", "{volume}.csv"), ("stats", "a.nii", "-o", "t.csv", "--contacts", "{volume}.csv")), ids=" ".join)
def test_number_of_a_volume_without_a_value(voxcc, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    write_nifti("a.nii", noise((6, 7, 8), 0.3))
    assert "{volume}" in voxcc.fails(64, *arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["a.nii"]


def test_two_tables_of_stats_with_one_name(voxcc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_nifti("a.nii", noise((6, 7, 8), 0.3))
    voxcc.fails(64, "stats", "a.nii", "-o", "{stem}.csv", "--summary", "a.csv")
    assert "'{subject}'" in voxcc.fails(64, "stats", "a.nii", "-o", "{subject}.csv")


def test_summary_of_a_component_without_a_volume(voxcc, tmp_path, monkeypatch):
    """The sum of the other components would be a wrong volume."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("label,voxels,volume_mm3\n1,5,2.5\n2,7,n/a\n")
    (tmp_path / "b.csv").write_text("label,voxels,volume_mm3\n1,5,2.5\n2,7,3.5\n")
    voxcc("join", "a.csv", "b.csv", "-o", "all.csv", "--summary", "volumes.csv")
    volumes = pandas.read_csv("volumes.csv")
    assert volumes["voxels"].tolist() == [12, 12] and np.isnan(volumes["volume_mm3"][0]) and volumes["volume_mm3"][1] == 6


@pytest.mark.parametrize("text", (
    b"\xef\xbb\xbf%s\r\n%s \t\r\n\r\n# comment\r\n%s", b"%s\0%s\0%s\0", b"%s\n%s\n%s\n", b"#a\n%s\n   \n%s\n%s   \n",
))
def test_forms_of_lists(voxcc, study, text):
    with open("list.txt", "wb") as file:
        file.write(text % tuple(name.encode() for name in study))
    voxcc("label", "--list", "list.txt", "--summary", "volumes.csv")
    assert pandas.read_csv("volumes.csv")["file"].tolist() == study
    done = subprocess.run(f"'{voxcc.program}' label --list <(cat list.txt) --summary - -q", shell=True, executable="/bin/bash",
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout == open("volumes.csv").read(), done.stderr


@pytest.mark.parametrize("extension", ("csv", "tsv", "json"))
def test_summary_of_joined_tables(voxcc, study, extension):
    for path in study:
        voxcc("label", path, "--stats", f"{{sub}}.{extension}")
    voxcc("label", *study, "--summary", "all.csv", "--stats", f"together.{extension}")
    voxcc("join", f"01.{extension}", f"02.{extension}", f"03.{extension}", "--file", "sub-{stem}/anat/lesions.nii.gz", "-o", "joined.csv",
          "--summary", "joined_volumes.csv")
    want, got = pandas.read_csv("all.csv", dtype={"sub": str}), pandas.read_csv("joined_volumes.csv", dtype={"sub": str})
    if extension == "json":  # a JSON table without rows has no columns, and its volume has no size
        got["volume_mm3"] = got["volume_mm3"].fillna(0)
    for name in ("file", "sub", "components", "voxels", "largest", "median"):
        assert got[name].tolist() == want[name].tolist() or np.array_equal(got[name], want[name], equal_nan=True), name
    np.testing.assert_allclose(got["volume_mm3"].fillna(0), want["volume_mm3"])
    assert got["foreground_voxels"].isna().all() and got["voxels_in_volume"].isna().all()
    voxcc("join", f"together.{extension}", "-o", "again.csv", "--summary", "again_volumes.csv")  # without the volume that has no row
    again = pandas.read_csv("again_volumes.csv", dtype={"sub": str})
    assert again["file"].tolist() == [study[0], study[2]] and again["voxels"].tolist() == want["voxels"][[0, 2]].tolist()


def test_table_of_volumes_beside_the_provenance_of_one_input(voxcc, tmp_path, monkeypatch):
    """The table of volumes is completed after the provenance of the last input, so the provenance lists the other outputs only."""
    monkeypatch.chdir(tmp_path)
    write_nifti(tmp_path / "in.nii", noise((3, 5, 6), 0.3))
    voxcc("label", "in.nii", "-o", "out.nii", "--stats", "t.csv", "--summary", "v.csv", "--json", "j.json")
    outputs = json.loads((tmp_path / "j.json").read_text())["outputs"]
    assert [os.path.basename(output["path"]) for output in outputs] == ["out.nii", "t.csv"]
    assert pandas.read_csv("v.csv")["components"].tolist() == [len(pandas.read_csv("t.csv"))]


def test_summary_of_joined_4d_tables(voxcc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_nifti(tmp_path / "in.nii", noise((3, 5, 6, 7), 0.3))
    voxcc("label", "in.nii", "--volume", "all", "--stats", "t.csv", "--summary", "v.csv")
    voxcc("join", "t.csv", "-o", "j.csv", "--summary", "s.csv", "--file", "in.nii")
    want, got = pandas.read_csv("v.csv"), pandas.read_csv("s.csv")
    assert got[["volume", "components", "voxels"]].values.tolist() == want[["volume", "components", "voxels"]].values.tolist()


def test_summary_of_joined_areas_and_empty_tables(voxcc, tmp_path, monkeypatch):
    """The columns follow from the tables: no volume for slices, and the unit of a table without rows."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"area": "area_um2\n1,4,2.5\n2,1,0.5\n", "empty": "volume_um3\n"}.items():
        (tmp_path / f"{name}.csv").write_text(f"label,voxels,{text}")
        voxcc("join", f"{name}.csv", "-o", "all.csv", "--summary", "v.csv", "-f")
        volumes = pandas.read_csv("v.csv")
        assert volumes.columns[3] == text.split("\n")[0] and not any(column.endswith("mm3") for column in volumes)
        assert volumes.iloc[0, 3] == (3 if name == "area" else 0)


def test_summary_needs_sizes(voxcc, study):
    voxcc("label", study[0], "--stats", "t.csv", "--columns", "label")
    assert "has no column 'voxels'" in voxcc.fails(65, "join", "t.csv", "-o", "j.csv", "--summary", "s.csv")
    assert not os.path.exists("j.csv")
