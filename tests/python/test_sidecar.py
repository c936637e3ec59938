"""--sidecar: the JSON beside a table describes its columns in the form of BIDS, and is an output like the others."""

import json

import numpy as np
import pytest
from helpers import noise, sha256, write_nifti

KEYS = {"LongName", "Description", "Format", "Units", "Formula"}


@pytest.fixture
def volume(tmp_path):
    return write_nifti(tmp_path / "in.nii", noise((6, 7, 8), 0.2))


def header(path):
    if path.suffix == ".json":
        return list(json.loads(path.read_text())[0])
    return path.read_text().splitlines()[0].split("\t" if path.suffix == ".tsv" else ",")


@pytest.mark.parametrize("table, sidecar", [("t.csv", "t.json"), ("sub-1_dseg.tsv", "sub-1_dseg.json"), ("t.json", "t.columns.json")])
@pytest.mark.parametrize("command", ["label", "stats"])
def test_every_column_is_described(voxcc, tmp_path, volume, command, table, sidecar):
    option = "--stats" if command == "label" else "-o"
    voxcc(command, volume, "--intensity", volume, option, tmp_path / table, "--sidecar", *(["--per-slice", "z"] if command == "label" else []))
    described = json.loads((tmp_path / sidecar).read_text())
    assert list(described) == header(tmp_path / table)
    for name, column in described.items():
        assert {"LongName", "Description"} <= set(column) <= KEYS, name
        assert all(isinstance(text, str) and text for text in column.values())
    assert described["axis1_mm"]["Units"] == "mm" and "tandard deviation" in described["axis1_mm"]["Description"]
    assert described["cov_xx_mm2"]["Units"] == "mm^2" and described["centroid_i"]["Units"] == "voxel"


def test_an_option_without_a_table_file_is_refused(voxcc, tmp_path, volume):
    assert "no table is written; add --stats" in voxcc.fails(64, "label", volume, "--sidecar")
    assert "stdout; name a file for --stats" in voxcc.fails(64, "label", volume, "--sidecar", "--stats", "-")
    assert "stdout; name a file for --output" in voxcc.fails(64, "stats", volume, "--sidecar", "-o", "-")
    table, summary = tmp_path / "t.csv", tmp_path / "t.json"
    error = voxcc.fails(64, "label", volume, "--sidecar", "--stats", table, "--json", summary)
    assert "is also the file of --json; name another file for --json" in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.nii"]


@pytest.mark.parametrize("command, option", [("label", "--stats"), ("stats", "-o")])
def test_files_are_not_overwritten(voxcc, tmp_path, volume, command, option):
    table, sidecar = tmp_path / "t.csv", tmp_path / "t.json"
    sidecar.write_text("mine")
    arguments = (command, volume, option, table, "--sidecar")
    assert "t.json: exists" in voxcc.fails(73, *arguments)
    assert sidecar.read_text() == "mine" and not table.exists()
    voxcc(*arguments, "--force")
    assert "label" in json.loads(sidecar.read_text()) and table.exists()


@pytest.mark.parametrize("inputs", [1, 2])
def test_an_input_is_never_replaced(voxcc, tmp_path, volume, inputs):
    list_of_inputs = tmp_path / "t.json"
    list_of_inputs.write_text(f"{volume}\n" * inputs)
    before = list_of_inputs.read_text()
    arguments = ("label", "--list", list_of_inputs, "--stats", tmp_path / "t.csv", "--sidecar", "--force")
    assert "t.json" in voxcc.fails(73, *arguments)
    assert list_of_inputs.read_text() == before and not (tmp_path / "t.csv").exists()


def test_a_batch_has_one_sidecar_per_table(voxcc, tmp_path):
    volumes = [write_nifti(tmp_path / f"{stem}.nii", noise((4, 5, 6), 0.3, seed=seed)) for seed, stem in enumerate("ab")]
    voxcc("label", *volumes, "--stats", tmp_path / "{stem}.csv", "--sidecar", "--json", tmp_path / "run-{stem}.json")
    for stem in "ab":
        assert list(json.loads((tmp_path / f"{stem}.json").read_text())) == header(tmp_path / f"{stem}.csv")
        outputs = json.loads((tmp_path / f"run-{stem}.json").read_text())["outputs"]
        recorded = {record["path"]: record["sha256"] for record in outputs}
        assert recorded == {str(tmp_path / name): sha256(tmp_path / name) for name in (f"{stem}.csv", f"{stem}.json")}
    voxcc("label", *volumes, "--stats", tmp_path / "all.csv", "--sidecar", "--json", tmp_path / "run.json")
    assert list(json.loads((tmp_path / "all.json").read_text())) == header(tmp_path / "all.csv")
    assert {record["path"] for record in json.loads((tmp_path / "run.json").read_text())["outputs"]} == \
        {str(tmp_path / "all.csv"), str(tmp_path / "all.json")}


def test_nothing_is_left_of_a_batch_that_fails(voxcc, tmp_path):
    voxcc("label", tmp_path / "no1.nii", tmp_path / "no2.nii", "--stats", tmp_path / "all.csv", "--sidecar", expect=1)
    assert list(tmp_path.iterdir()) == []


def test_an_input_without_its_sidecar_is_not_skipped(voxcc, tmp_path, volume):
    arguments = ("label", volume, "--stats", tmp_path / "{stem}.csv", "--json", tmp_path / "run-{stem}.json", "--skip-existing")
    voxcc(*arguments)
    assert "is skipped" not in voxcc(*arguments, "--sidecar", "-v").stderr  # the names of the outputs differ
    assert (tmp_path / "in.json").exists()
    assert "is skipped" in voxcc(*arguments, "--sidecar").stderr
    (tmp_path / "in.json").unlink()
    assert "in.json does not exist" in voxcc(*arguments, "--sidecar", "-v").stderr
    assert (tmp_path / "in.json").exists()


def test_a_table_without_rows_has_a_sidecar(voxcc, tmp_path):
    volume = write_nifti(tmp_path / "in.nii", np.zeros((4, 5, 6), np.uint8))
    voxcc("label", volume, "--stats", tmp_path / "t.tsv", "--sidecar")
    assert list(json.loads((tmp_path / "t.json").read_text())) == header(tmp_path / "t.tsv")
