"""Lists of --list with columns: a spreadsheet drives a batch. The values are compared with numpy."""

import csv
import json
import os
import signal
import subprocess
import time

import nibabel
import numpy as np
import pandas
import pytest

from helpers import label_scipy, noise, read_nifti, write_nifti

SHAPE = (6, 7, 8)


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Volumes v0 to v2, images i0 to i2, and masks m0 to m2, each with its own voxels."""
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        write_nifti(f"v{number}.nii", noise(SHAPE, 0.3, seed=number))
        write_nifti(f"i{number}.nii", np.random.default_rng(number).random(SHAPE).astype(np.float32) + 10 * number)
        write_nifti(f"m{number}.nii", noise(SHAPE, 0.8, seed=number + 7))
    return tmp_path


def write(*rows, name="list.csv", separator=","):
    with open(name, "w", newline="") as file:
        csv.writer(file, delimiter=separator).writerows(rows)


def texts(path, separator=","):
    return pandas.read_csv(path, sep=separator, dtype=str, keep_default_na=False)


def expected_of(number, mask=None):
    """The labels and the mean of the image in each component."""
    inside = read_nifti(f"m{mask}.nii") if mask is not None else 1
    labels = label_scipy(read_nifti(f"v{number}.nii") * inside, 6)
    image = read_nifti(f"i{number}.nii").astype(np.float64)
    return labels, [image[labels == label].mean() for label in range(1, labels.max() + 1)]


@pytest.mark.parametrize("separator", (",", ";", "\t"))
@pytest.mark.parametrize("jobs", (1, 3))
def test_each_row_has_its_own_files(voxcc, study, separator, jobs):
    header = ["input", "age", "intensity", "mask", "output", "group name"]
    rows = [["v0.nii", "007", "i0.nii", "m2.nii", "zero.nii", "a,b;c"], ["v1.nii", "", "i1.nii", "m0.nii", "one.nii.gz", 'q"x'], ["v2.nii", "1.50", "i2.nii", "m1.nii", "two.mha", "\u00e4"]]
    write(["# made by hand"], header, *rows, [""] * 6, separator=separator)
    with open("list.csv") as file:
        text = "\ufeff" + file.read()
    with open("list.csv", "w", newline="") as file:
        file.write(text)  # with byte order mark; csv writes CR LF
    voxcc("label", "--list", "list.csv", "--stats", "all.csv", "--summary", "volumes.tsv", "-c", "6", "-j", jobs, "--json", "run.json")
    table, volumes, records = pandas.read_csv("all.csv"), texts("volumes.tsv", "\t"), json.load(open("run.json"))["volumes"]
    assert list(table.columns[-3:]) == ["file", "age", "group name"] and list(volumes.columns[:4]) == ["file", "age", "group name", "components"]
    for number, (row, mask) in enumerate(zip(rows, (2, 0, 1))):
        labels, means = expected_of(number, mask)
        own = texts("all.csv")[table["file"] == row[0]]
        np.testing.assert_allclose(own["intensity_mean"].astype(float), means)
        assert set(own["age"]) == {row[1]} and set(own["group name"]) == {row[5]}
        assert list(volumes.loc[number][["file", "age", "group name", "components"]]) == [row[0], row[1], row[5], str(labels.max())]
        assert (records[number]["mask"], records[number]["intensity"], records[number]["output"]) == (row[3], [row[2]], row[4])
        assert records[number]["row"] == dict(zip(header, row))
        if number < 2:
            np.testing.assert_array_equal(read_nifti(row[4]), labels)
    plan = json.loads(voxcc("label", "--list", "list.csv", "--stats", "all.csv", "--dry-run", "-f").stdout)["volumes"]
    assert [(volume["mask"], volume["intensity"]) for volume in plan] == [(row[3], [row[2]]) for row in rows]


def test_columns_are_words_in_names(voxcc, study):
    """A value with words has priority over a column. A column can be a word of other options, too."""
    write(["input", "intensity", "output", "subject_1"], ["v0.nii", "i0.nii", "x.nii", "s-0"], ["v1.nii", "i1.nii", "y.nii", "s-1"])
    voxcc("label", "--list", "list.csv", "-o", "out/{subject_1}_{stem}.nii", "--stats", "{subject_1}/{stem}.csv", "--mkdir", "-c", "6")
    assert sorted(os.listdir("out")) == ["s-0_v0.nii", "s-1_v1.nii"] and not os.path.exists("x.nii")
    for number in range(2):
        table = pandas.read_csv(f"s-{number}/v{number}.csv")
        np.testing.assert_allclose(table["intensity_mean"], expected_of(number)[1])
        assert set(table["subject_1"]) == {f"s-{number}"} and "file" not in table
    voxcc("join", "s-0/v0.csv", "s-1/v1.csv", "-o", "all.csv", "--summary", "volumes.csv")
    assert list(pandas.read_csv("all.csv").groupby("subject_1").size()) == [expected_of(number)[0].max() for number in range(2)]


def test_all_columns_of_options(voxcc, study):
    options = ["output", "masked-output", "size-output", "mask-output", "stats", "contacts", "local-maxima", "json", "preview", "lut"]
    names = ["o.nii", "m.nrrd", "s.nii", "b.mha", "t.json", "c.tsv", "p.csv", "j.json", "p.png", "l.txt"]
    write(["input", "intensity", "preview-image", "site", *options],
          *([f"v{number}.nii", f"i{number}.nii", f"i{number}.nii", "x", *(f"{number}{name}" for name in names)] for number in range(2)))
    voxcc("label", "--list", "list.csv", "-c", "6")
    for number in range(2):
        assert all(os.path.getsize(f"{number}{name}") > 0 for name in names)
        for name, separator in (("c.tsv", "\t"), ("p.csv", ",")):
            assert set(texts(f"{number}{name}", separator)["site"]) == {"x"}
        assert {row["site"] for row in json.load(open(f"{number}t.json"))} == {"x"}


def test_one_input_with_two_masks(voxcc, study):
    write(["input", "mask", "output", "part"], ["v0.nii", "m0.nii", "a.nii", "left"], ["v0.nii", "m1.nii", "b.nii", "right"])
    voxcc("label", "--list", "list.csv", "--summary", "volumes.csv", "--columns", "part,label", "--stats", "all.csv", "-c", "6")
    counts = [expected_of(0, mask)[0].max() for mask in (0, 1)]
    assert list(pandas.read_csv("volumes.csv")["components"]) == counts
    table = pandas.read_csv("all.csv")
    assert list(table.columns) == ["part", "label"] and list(table["part"]) == ["left"] * counts[0] + ["right"] * counts[1]


REFUSED = (
    ("input,mask\nv0.nii\n", 65, "line 2 has 1 cell, but the header has 2"), ("input,a\n\n# x\nv0.nii,1,2\n", 65, "line 4 has 3 cells"),
    ("input,a,a\nv0.nii,,\n", 65, "'a'"), ("input, \nv0.nii,\n", 65, "without a name"), ("input,mask\n,m1.nii\n", 65, "line 2 has no input"),
    ("input,mask\nv0.nii,m0.nii\nv1.nii,\n", 65, "line 3 has no mask"), ("input,intensity\nv0.nii,\n", 65, "line 2 has no intensity"),
    ("input,output\nv0.nii,\n", 65, "line 2 has no output"), ("input,output\nv0.nii,{stem}_x.nii\n", 65, "{stem}_x.nii"),
    ("input,output\nv0.nii,-\n", 65, "'-'"), ("input,stem\nv0.nii,a\n", 65, "{stem}"), ("input,Mask\nv0.nii,a\n", 65, "write it as mask"),
    ("input,local_maxima\nv0.nii,a\n", 65, "local-maxima"), ("input,\"mask\nv0.nii,a\n", 65, "quote"), ("input,a\nv0.nii,\udce9\n", 65, "UTF-8"),
    ("input,voxels\nv0.nii,1\n", 64, "'voxels'"), ("input,file\nv0.nii,1\n", 64, "'file'"), ("input,label\nv0.nii,1\n", 64, "'label'"),
    ("input,largest\nv0.nii,1\n", 64, "'largest'"), ("input,output\nv0.nii,v1.nii\nv1.nii,x.nii\n", 73, "v1.nii"),
    ("input,output\nv0.nii,x.nii\nv1.nii,./x.nii\n", 64, "x.nii"), ("input,output,a\nv0.nii,x.nii,1\nv0.nii,x.nii,2\n", 64, "x.nii"),
    ("input,json\nv0.nii,list.csv\n", 73, "list.csv"), ("input,preview\nv0.nii,p.jpg\n", 64, "p.jpg"), ("input,contacts\nv0.nii,c.txt\n", 64, "c.txt"),
    ("input,a\n", 64, "no file name"))


@pytest.mark.parametrize(("text", "code", "message"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_lists_that_are_refused(voxcc, study, text, code, message):
    with open("list.csv", "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
    before = sorted(os.listdir())
    assert message in voxcc.fails(code, "label", "--list", "list.csv", "--stats", "all.csv", "--summary", "volumes.csv", "-f", "-c", "6")
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(("arguments", "message"), (
    (["-o", "x.nii"], "--output"), (["--intensity", "i0.nii", "--shared"], "--intensity"), (["v2.nii"], "v2.nii"),
    (["-o", "{group}.nii", "--mask", "{subject}.nii"], "'{subject}'"), (["-o", "{group}.nii"], "'group'"), (["--bids", "-o", "out"], "--output")))
def test_options_and_columns_that_contradict(voxcc, study, arguments, message):
    write(["input", "intensity", "output", "group"], ["v0.nii", "i0.nii", "a.nii", "x"], ["v1.nii", "i1.nii", "b.nii", ""])
    before = sorted(os.listdir())
    assert message in voxcc.fails(64, "label", "--list", "list.csv", "--stats", "all.csv", *arguments)
    assert sorted(os.listdir()) == before


def test_failed_keeps_the_columns(voxcc, study):
    note = 'two "words", here; #1\nand a line'
    write(["note", "output", "input"], ["x", "a.nii", "v0.nii"], [note, "b.nii", "missing.nii"], ["y", "c.nii", "absent.nii"])
    with open("list.csv") as file:
        text = file.read().replace("\ny,", '\n"#y",')  # without quotes, the row would be a comment
    with open("list.csv", "w") as file:
        file.write(text)
    for jobs in (1, 2):
        voxcc("label", "--list", "list.csv", "--failed", "failed.csv", "--stats", "all.csv", "-f", "-j", jobs, expect=1)
        assert set(texts("all.csv")["note"]) == {"x"}
    text = open("failed.csv").read()
    assert text.startswith("# 2 of 3 inputs are not complete\nnote,output,input\n# missing.nii: ")
    for name in ("missing.nii", "absent.nii"):
        write_nifti(name, noise(SHAPE, 0.3))
    done = subprocess.run([voxcc.program, "label", "--list", "-", "--summary", "all.csv", "-f", "--failed", "none.csv"], input=text.encode(), check=True)
    assert done.returncode == 0 and list(texts("all.csv")["note"]) == [note, "#y"] and read_nifti("b.nii").any()
    assert open("none.csv").read() == "# 0 of 2 inputs are not complete\nnote,output,input\n"


def test_skip_existing_compares_the_row(voxcc, study):
    def run(*ages):
        write(["input", "mask", "age"], *([f"v{number}.nii", f"m{number}.nii", age] for number, age in enumerate(ages)))
        return voxcc("label", "--list", "list.csv", "--stats", "{stem}.csv", "--json", "{stem}.json", "--skip-existing", "-v").stderr

    assert "3 labelled, 0 skipped" in run(1, 2, 3)
    assert "0 labelled, 3 skipped" in run(1, 2, 3)
    again = run(1, 5, 3)
    assert "1 labelled, 2 skipped" in again and "v1.nii is labelled: the row of the list differs" in again
    assert set(pandas.read_csv("v1.csv")["age"]) == {5}


def test_bids_takes_masks_and_columns_of_the_list(voxcc, study):
    for number in range(2):
        os.makedirs(f"ds/sub-{number}/anat")
        os.rename(f"v{number}.nii", f"ds/sub-{number}/anat/sub-{number}_T1w.nii")
        os.rename(f"m{number}.nii", f"ds/sub-{number}/anat/mask.nii")
    rows = [[f"ds/sub-{number}/anat/sub-{number}_T1w.nii", f"ds/sub-{number}/anat/mask.nii", f"x{number}"] for number in range(2)]
    write(["input", "mask", "site"], *rows)
    voxcc("label", "--list", "list.csv", "--bids", "-o", "out", "--summary", "volumes.csv")
    for number in range(2):
        folder = f"out/sub-{number}/anat/sub-{number}_dseg"
        assert set(texts(folder + ".tsv", "\t")["site"]) == {f"x{number}"}
        sidecar = json.load(open(folder + ".json"))
        assert sidecar["Sources"][1] == f"bids:source:sub-{number}/anat/mask.nii" and "LongName" in sidecar["site"]
    assert list(pandas.read_csv("volumes.csv").columns[:3]) == ["file", "sub", "site"]
    write(["input", "mask", "sub"], *rows)
    assert "'sub'" in voxcc.fails(64, "label", "--list", "list.csv", "--summary", "other.csv")


def test_interruption_lists_the_other_rows(voxcc, study):
    """The second input is a pipe that does not end, so the run waits there."""
    os.mkfifo("pipe.nii")
    writer = os.open("pipe.nii", os.O_RDWR)
    os.write(writer, write_nifti(study / "long.nii", noise((4, 5, 60), 0.4)).read_bytes()[:1000])
    write(["input", "output", "age"], ["v0.nii", "a.nii", "7"], ["pipe.nii", "b.nii", "8"])
    run = subprocess.Popen([voxcc.program, "label", "--list", "list.csv", "--stats", "all.csv", "--failed", "failed.csv", "--device", "cpu"])
    end = time.monotonic() + 30
    while not os.path.exists("a.nii") and time.monotonic() < end:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=30) == 130
    os.close(writer)
    assert set(texts("all.csv")["age"]) == {"7"}
    assert [line for line in open("failed.csv") if line[0] != "#"] == ["input,output,age\n", "pipe.nii,b.nii,8\n"]


def test_plain_lists_keep_their_meaning(voxcc, study):
    for name in ("a,b.nii", "c,d.nii", "input"):
        nibabel.save(nibabel.load("v0.nii"), "file.nii")
        os.rename("file.nii", name)
    for lines, expected in ((["a,b.nii", "c,d.nii"], 2), (["input", "v1.nii"], 2), (["v1.nii", "input,mask"], None)):
        with open("list.txt", "w") as file:
            file.write("\n".join(lines))
        done = voxcc("label", "--list", "list.txt", expect=0 if expected else 1)
        assert done.stdout.count("component") == (expected or 1)
    os.remove("input")
    write(["input"], ["a,b.nii"], ["v1.nii"])
    assert voxcc("label", "--list", "list.csv").stdout.count("component") == 2
