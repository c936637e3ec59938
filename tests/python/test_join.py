"""`voxcc join` beside pandas.concat(), and the errors of tables that do not fit together."""

import hashlib
import json
import subprocess

import numpy as np
import pandas
import pytest

from helpers import noise, write_nifti

EXTENSIONS = ["csv", "tsv", "json"]


@pytest.fixture
def folder(tmp_path, monkeypatch, voxcc):
    """The current folder, with tables of three volumes in each format; the second volume has no component."""
    monkeypatch.chdir(tmp_path)
    for seed, stem in enumerate("abc"):
        write_nifti(f"{stem}.nii", noise((6, 7, 8), 0.3, seed=seed) * (stem != "b"))
        for extension in EXTENSIONS:
            voxcc("label", f"{stem}.nii", "--intensity", f"{stem}.nii", "--stats", f"tables/{stem}.{extension}", "--mkdir")
    return tmp_path


def frame_of(path):
    if str(path).endswith(".json"):
        return pandas.DataFrame(json.loads(path.read_text())).fillna(np.nan)
    return pandas.read_csv(path, sep="\t" if str(path).endswith(".tsv") else ",")


@pytest.mark.parametrize("output", EXTENSIONS)
@pytest.mark.parametrize("extension", EXTENSIONS)
def test_rows_equal_the_rows_of_the_tables(voxcc, folder, extension, output):
    tables = [f"tables/{stem}.{extension}" for stem in "abc"]
    voxcc("join", *tables, "-o", f"all.{output}")
    wanted = pandas.concat([frame_of(folder / table).assign(file=table) for table in tables], ignore_index=True)
    pandas.testing.assert_frame_equal(frame_of(folder / f"all.{output}"), wanted, check_dtype=False, check_exact=True)


def test_a_batch_and_the_joined_tables_have_the_same_bytes(voxcc, folder):
    voxcc("label", "a.nii", "b.nii", "c.nii", "--stats", "batch.csv", "--intensity", "a.nii", "--shared")
    for stem in "abc":
        voxcc("label", f"{stem}.nii", "--stats", f"{stem}.csv", "--intensity", "a.nii")
    voxcc("join", "a.csv", "b.csv", "c.csv", "--file", "{stem}.nii", "-o", "joined.csv")
    assert (folder / "joined.csv").read_bytes() == (folder / "batch.csv").read_bytes()


def test_tables_of_batches_keep_the_column(voxcc, folder):
    voxcc("label", "a.nii", "b.nii", "c.nii", "--stats", "batch.csv")
    voxcc("label", "a.nii", "--stats", "one.csv")
    voxcc("join", "batch.csv", "one.csv", "--file", "x/{stem}|{table}", "-o", "all.tsv")
    batch, joined = frame_of(folder / "batch.csv"), frame_of(folder / "all.tsv")
    assert joined["file"].tolist() == batch["file"].tolist() + ["x/one|one.csv"] * (len(joined) - len(batch))
    assert len(joined) == len(batch) + len(frame_of(folder / "one.csv"))


def test_the_column_stands_before_volume(voxcc, folder):
    write_nifti("four.nii", noise((2, 6, 7, 8), 0.3, seed=5))
    voxcc("label", "four.nii", "--volume", "all", "--stats", "four.csv")
    voxcc("join", "four.csv", "four.csv", "-o", "all.csv")
    assert list(frame_of(folder / "all.csv").columns)[-2:] == ["file", "volume"]


def test_a_list_and_stdout(voxcc, folder):
    names = "tables/b.csv\n\ntables/c.csv\r\n"
    (folder / "list.txt").write_text(names)
    printed = voxcc("join", "tables/a.csv", "--list", "list.txt", "-o", "-").stdout
    voxcc("join", *[f"tables/{stem}.csv" for stem in "abc"], "-o", "all.csv")
    assert printed == (folder / "all.csv").read_text()
    command = [voxcc.program, "join", "tables/a.csv", "--list", "-", "-o", "-"]
    assert subprocess.run(command, input=names, text=True, stdout=subprocess.PIPE, check=True).stdout == printed


def test_volumes_from_stdin(voxcc, folder):
    command = [voxcc.program, "label", "--list", "-", "--stats", "batch.csv"]
    subprocess.run(command, input="a.nii\nb.nii\nc.nii\n", text=True, check=True)
    voxcc("label", "a.nii", "b.nii", "c.nii", "--stats", "wanted.csv")
    assert (folder / "batch.csv").read_bytes() == (folder / "wanted.csv").read_bytes()
    failed = subprocess.run([voxcc.program, "label", "--list", "-"], input=b"a\0b", stderr=subprocess.PIPE)
    assert failed.returncode == 65 and b"is not a list of names" in failed.stderr


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_tables_without_rows(voxcc, folder, extension):
    voxcc("join", f"tables/b.{extension}", f"tables/b.{extension}", "-o", "all.csv")
    header = "file" if extension == "json" else (folder / "tables/b.csv").read_text().rstrip("\n") + ",file"
    assert (folder / "all.csv").read_text() == header + "\n"


def test_names_that_a_spreadsheet_would_run(voxcc, folder):
    (folder / "=a,\"b.csv").write_bytes((folder / "tables/a.csv").read_bytes())
    voxcc("join", '=a,"b.csv', "-o", "all.csv")
    voxcc("join", "all.csv", "-o", "all.json")
    assert {row["file"] for row in json.loads((folder / "all.json").read_text())} == {'=a,"b.csv'}


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["tables/a.csv", "shape.csv", "-o", "all.csv"], 65, "has the column 'surface_mm2' where the first table has 'intensity_mean'"),
        (["shape.csv", "tables/a.csv", "-o", "all.csv"], 65, "has the column 'intensity_mean' where the first table has 'surface_mm2'"),
        (["plain.csv", "tables/a.csv", "-o", "all.csv"], 65, "has the column 'intensity_mean' where the first table has 'file'"),
        (["tables/a.csv", "missing.csv", "-o", "all.csv"], 66, "missing.csv"),
        (["tables/a.csv", "cut.csv", "-o", "all.csv"], 65, "cut.csv"),
        (["tables/a.csv", "a.nii", "-o", "all.csv"], 64, "a.nii"),
        (["tables/a.csv", "-o", "tables/a.csv", "-f"], 73, "tables/a.csv"),
        (["tables/a.csv", "--list", "list.csv", "-o", "list.csv", "-f"], 73, "list.csv"),
        (["tables/a.csv", "-o", "plain.csv"], 73, "plain.csv"),
        (["tables/a.csv", "-o", "all.txt"], 64, "all.txt"),
        (["tables/a.csv"], 64, "needs an output"),
        (["-o", "all.csv"], 64, "needs a table"),
    ],
)
def test_errors_leave_no_output(voxcc, folder, arguments, code, message):
    voxcc("label", "a.nii", "--shape", "--stats", "shape.csv")
    voxcc("label", "a.nii", "--stats", "plain.csv")
    (folder / "cut.csv").write_bytes((folder / "tables/a.csv").read_bytes()[:-60])
    (folder / "list.csv").write_text("tables/c.csv\n")
    before = {path: hashlib.sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()}
    assert message in voxcc.fails(code, "join", *arguments)
    assert {path: hashlib.sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()} == before
