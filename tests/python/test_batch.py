"""Several inputs: output templates, one combined table, corrupt files among intact files, provenance."""

import hashlib
import json

import nibabel
import numpy as np
import pytest
import tifffile
from helpers import blobs, label_scipy, noise, read_nifti, read_table, write_nifti


@pytest.fixture
def volumes(tmp_path):
    """Three volumes a, b, c in a folder `in`, one of them empty."""
    (tmp_path / "in").mkdir()
    made = {"a": noise((12, 13, 14), 0.2), "b": blobs((20, 21, 40), 0.3), "c": np.zeros((5, 6, 7), np.uint8)}
    for stem, array in made.items():
        write_nifti(tmp_path / "in" / f"{stem}.nii.gz", array)
    return made


def paths(folder, stems):
    return [folder / "in" / f"{stem}.nii.gz" for stem in stems]


def test_templates_and_one_table(voxcc, tmp_path, volumes):
    voxcc("label", *paths(tmp_path, volumes), "-o", tmp_path / "{stem}_labels.nii.gz", "--stats", tmp_path / "all.csv", "-c", "6")
    rows = read_table(tmp_path / "all.csv")
    for stem, array in volumes.items():
        expected = label_scipy(array, 6)
        np.testing.assert_array_equal(read_nifti(tmp_path / f"{stem}_labels.nii.gz"), expected)
        mine = [row for row in rows if row["file"].endswith(f"/{stem}.nii.gz")]
        assert [row["label"] for row in mine] == list(range(1, expected.max() + 1))
        assert [row["voxels"] for row in mine] == list(np.bincount(expected.ravel())[1:])


def test_one_table_per_volume(voxcc, tmp_path, volumes):
    voxcc("label", *paths(tmp_path, volumes), "--stats", tmp_path / "{stem}.tsv")
    for stem, array in volumes.items():
        assert len(read_table(tmp_path / f"{stem}.tsv")) == label_scipy(array, 26).max()


def test_volumes_in_flight_change_nothing(voxcc, tmp_path, volumes):
    tables = []
    for jobs in (1, 2, 3):
        voxcc("label", *paths(tmp_path, volumes), "--stats", tmp_path / "all.csv", "-f", "-j", jobs)
        tables.append((tmp_path / "all.csv").read_bytes())
    assert tables[0] == tables[1] == tables[2]


@pytest.mark.parametrize("jobs", (1, 2))
def test_broken_files_do_not_stop_the_rest(voxcc, tmp_path, volumes, jobs):
    broken = tmp_path / "in" / "broken.nii.gz"
    broken.write_bytes((tmp_path / "in" / "b.nii.gz").read_bytes()[:-40])
    absent = tmp_path / "in" / "absent.nii.gz"
    inputs = [*paths(tmp_path, "ab"), broken, absent, *paths(tmp_path, "c")]
    done = voxcc("label", *inputs, "-o", tmp_path / "{stem}_out.nii", "--stats", tmp_path / "all.csv", "--json", tmp_path / "run.json",
                 "-j", jobs, expect=1)
    errors = [line for line in done.stderr.splitlines() if line.startswith("voxcc: error:")]
    assert sum("broken.nii.gz" in line for line in errors) == 1 and sum("absent.nii.gz" in line for line in errors) == 1
    assert sorted(path.name for path in tmp_path.glob("*_out.nii")) == ["a_out.nii", "b_out.nii", "c_out.nii"]
    rows = read_table(tmp_path / "all.csv")
    assert len(rows) == label_scipy(volumes["a"], 26).max() + label_scipy(volumes["b"], 26).max()
    assert "broken" in (tmp_path / "run.json").read_text() and "absent" in (tmp_path / "run.json").read_text()


def test_list_of_inputs(voxcc, tmp_path, volumes):
    (tmp_path / "list.txt").write_text("".join(f"{path}\n" for path in paths(tmp_path, "bc")))
    voxcc("label", *paths(tmp_path, "a"), "--list", tmp_path / "list.txt", "-o", tmp_path / "{stem}.nii")
    assert sorted(path.name for path in tmp_path.glob("*.nii")) == ["a.nii", "b.nii", "c.nii"]


def test_equal_stems_do_not_write_to_one_place(voxcc, tmp_path, volumes):
    (tmp_path / "more").mkdir()
    write_nifti(tmp_path / "more" / "a.nii.gz", volumes["b"])
    line = voxcc.fails(64, "label", *paths(tmp_path, "ab"), tmp_path / "more" / "a.nii.gz", "-o", tmp_path / "{stem}.nii")
    assert "more/a.nii.gz" in line and "in/a.nii.gz" in line
    assert not list(tmp_path.glob("*.nii"))  # the names are compared before any work


def test_several_inputs_need_a_template(voxcc, tmp_path, volumes):
    voxcc.fails(64, "label", *paths(tmp_path, "ab"), "-o", tmp_path / "out.nii")
    assert not (tmp_path / "out.nii").exists()


def test_provenance(voxcc, tmp_path, volumes):
    (source,) = paths(tmp_path, "b")
    done = voxcc("label", source, "-o", tmp_path / "out.nii.gz", "--json", "-", "-c", "18", "--threshold", ">0", "-t", "1")
    summary = json.loads(done.stdout)
    text = json.dumps(summary)
    assert hashlib.sha256(source.read_bytes()).hexdigest() in text
    assert summary["version"] and "label" in summary["argv"] and str(source) in summary["argv"]
    assert str(label_scipy(volumes["b"], 18).max()) in text
    assert {"pack", "unite", "number", "measure", "select", "write"} <= set(summary["seconds"])


@pytest.mark.parametrize("extra", [(), ("--fill-holes",), ("--intensity", "IN"), ("--preview", "p.png")])
def test_every_second_belongs_to_a_stage(voxcc, tmp_path, volumes, extra):
    """voxcc's clock runs from stage to stage. So the stages must add up to the elapsed time on any machine, also under load."""
    sources = paths(tmp_path, volumes)
    extra = [str(sources[0]) if argument == "IN" else argument for argument in extra]
    one = json.loads(voxcc("label", sources[0], "-o", "a.nii", "--stats", "a.csv", "--json", "-", *extra, cwd=tmp_path).stdout)
    several = one if extra else json.loads(voxcc("label", *sources, "-j", "1", "-o", "{stem}.b.nii", "--stats", "all.csv", "--json", "-", cwd=tmp_path).stdout)
    for summary in (one, several):
        assert 0 < 0.95 * summary["wall_seconds"] <= sum(summary["seconds"].values())
        assert sum(summary["seconds"].values()) == pytest.approx(summary["wall_seconds"])


def stages_of(summary):
    """The sum of the stages, relative to the elapsed time."""
    return sum(summary["seconds"].values()) / summary["wall_seconds"]


def test_failed_and_skipped_inputs_of_a_batch_belong_to_stages(voxcc, tmp_path, volumes):
    broken = tmp_path / "in" / "broken.nii.gz"
    broken.write_bytes((tmp_path / "in" / "b.nii.gz").read_bytes()[:-40])
    inputs = [*paths(tmp_path, "a"), broken, *paths(tmp_path, "bc")]
    done = voxcc("label", *inputs, "-j", "1", "-o", "{stem}.nii", "--json", "-", cwd=tmp_path, expect=1)
    assert stages_of(json.loads(done.stdout)) == pytest.approx(1)
    for jobs in (1, 2):
        voxcc("label", *inputs, "-j", jobs, "-f", "-o", "{stem}.nii", "--json", "{stem}.json", cwd=tmp_path, expect=1)
        summaries = [json.loads((tmp_path / f"{stem}.json").read_text()) for stem in "abc"]
        assert [stages_of(summary) for summary in summaries] == pytest.approx([1, 1, 1])
    (tmp_path / "b.nii").unlink()
    voxcc("label", *inputs, "-j", "1", "--skip-existing", "-o", "{stem}.nii", "--json", "{stem}.json", cwd=tmp_path, expect=1)
    assert stages_of(json.loads((tmp_path / "b.json").read_text())) == pytest.approx(1)


def test_checksums_of_inputs_and_outputs(voxcc, tmp_path):
    """Large files are hashed by threads of their own, while the volume is labelled and the outputs are synced."""
    write_nifti(tmp_path / "in.nii", noise((128, 128, 128), 0.3))
    write_nifti(tmp_path / "mask.nii", noise((128, 128, 128), 0.9))
    summary = json.loads(voxcc("label", "in.nii", "--mask", "mask.nii", "-o", "out.nii", "--stats", "t.csv", "--dtype", "uint32", "--json", "-", cwd=tmp_path).stdout)
    assert [file["path"] for file in summary["inputs"]] == ["in.nii", "mask.nii"]
    assert sorted(file["path"] for file in summary["outputs"]) == ["out.nii", "t.csv"]
    for file in summary["inputs"] + summary["outputs"]:
        content = (tmp_path / file["path"]).read_bytes()
        assert (file["bytes"], file["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())


@pytest.mark.parametrize("limit", ("40MB", "160MB"))
def test_checksums_of_an_input_that_exceeds_the_memory_limit(voxcc, tmp_path, limit):
    """The labelling and the checksum then wait for each other, with and without slabs."""
    volume = np.zeros((320, 512, 512), np.uint8)
    volume[::7, ::9, ::111] = 1
    write_nifti(tmp_path / "in.nii", volume)
    command = ("label", "in.nii", "-t", "2", "--device", "cpu", "-q", "--stats")
    voxcc(*command, "free.csv", cwd=tmp_path)
    voxcc(*command, "limited.csv", "--json", "limited.json", "--max-memory", limit, cwd=tmp_path)
    assert (tmp_path / "limited.csv").read_bytes() == (tmp_path / "free.csv").read_bytes()
    summary = json.loads((tmp_path / "limited.json").read_text())
    assert [file["sha256"] for file in summary["inputs"]] == [hashlib.sha256((tmp_path / "in.nii").read_bytes()).hexdigest()]


def test_provenance_lists_every_file_of_an_input(voxcc, tmp_path):
    nibabel.save(nibabel.Nifti1Pair(noise((5, 6, 7), 0.3).T, np.eye(4)), tmp_path / "pair.hdr")
    (tmp_path / "s").mkdir()
    for z in (8, 9, 10):
        tifffile.imwrite(tmp_path / "s" / f"z{z}.tif", noise((6, 7), 0.3))
    (tmp_path / "s" / "notes.txt").write_text("not read")
    for source, names in (("pair.img", ["pair.hdr", "pair.img"]), ("s", [f"s/z{z}.tif" for z in (10, 8, 9)]), ("s/z%d.tif", [f"s/z{z}.tif" for z in (10, 8, 9)])):
        listed = json.loads(voxcc("label", source, "--json", "-", cwd=tmp_path).stdout)["inputs"]
        assert sorted(file["path"] for file in listed) == names
        assert all(file["sha256"] == hashlib.sha256((tmp_path / file["path"]).read_bytes()).hexdigest() for file in listed)


def test_dry_run_writes_nothing_and_tells_the_memory(voxcc, tmp_path, volumes):
    before = sorted(tmp_path.rglob("*"))
    done = voxcc("label", *paths(tmp_path, "b"), "-o", tmp_path / "out.nii.gz", "--stats", tmp_path / "out.csv", "--dry-run")
    assert sorted(tmp_path.rglob("*")) == before
    plan = json.loads(done.stdout)
    assert "bytes" in json.dumps(plan)
