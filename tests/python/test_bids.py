"""--bids writes a derivative dataset that the validator of BIDS accepts."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nibabel
import numpy as np
import pytest
from helpers import label_equal_values, label_scipy, noise, read_nifti, read_table, sha256, voronoi

VALIDATOR = Path(sys.executable).with_name("bids-validator-deno")
HINTS = {"README_FILE_MISSING", "TOO_FEW_AUTHORS"}  # what only the owner of a dataset can add


def issues(dataset):
    """Errors and warnings of the validator, except HINTS."""
    done = subprocess.run([VALIDATOR, "--json", dataset], stdout=subprocess.PIPE, timeout=120, check=False)
    found = json.loads(done.stdout)["issues"]["issues"]
    return [issue for issue in found if issue["code"] not in HINTS]


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def load(path):
    return json.loads(path.read_text())


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    """A raw dataset, which is the current folder."""
    root = tmp_path / "ds"
    root.mkdir()
    monkeypatch.chdir(root)
    (root / "dataset_description.json").write_text(json.dumps({"Name": "raw", "BIDSVersion": "1.10.0"}))
    (root / "derivatives").mkdir()
    return root


def add(name, seed=1):
    """Adds a volume to the dataset in the current folder. Returns its voxels."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    return save(name, noise((6, 7, 8), 0.3, seed=seed))


def save(name, volume):
    image = nibabel.Nifti1Image(volume.T, np.diag([1, 1, 2.5, 1]))
    image.header.set_xyzt_units("mm")
    nibabel.save(image, name)
    return volume


NAMES = {
    "sub-01/anat/sub-01_T1w.nii.gz": "sub-01/anat/sub-01",
    "sub-02/ses-b/anat/sub-02_ses-b_acq-hi_run-2_FLAIR.nii": "sub-02/ses-b/anat/sub-02_ses-b_acq-hi_run-2",
    "sub-02/func/sub-02_task-rest_run-1_space-MNI152NLin6Asym_res-2_desc-brain_mask.nii.gz":
        "sub-02/func/sub-02_task-rest_run-1_space-MNI152NLin6Asym_res-2_desc-brain",
    "sub-03/dwi/sub-03_dir-AP_space-own_desc-fa+low_probseg.nii.gz": "sub-03/dwi/sub-03_dir-AP_space-own_desc-fa+low",
}


def test_the_validator_finds_mistakes(voxcc, dataset):
    """It checks names, tables and metadata: without this, the next test could pass for a wrong reason."""
    add("sub-01/anat/sub-01_T1w.nii.gz")
    voxcc("label", "sub-01/anat/sub-01_T1w.nii.gz", "--bids", "-o", "derivatives/voxcc")
    out = dataset / "derivatives/voxcc"
    assert issues(out) == []
    table = out / "sub-01/anat/sub-01_dseg.tsv"
    text = table.read_text()
    table.write_text(text.replace("index", "label", 1))
    assert "error" in [issue["severity"] for issue in issues(out)]
    table.write_text(text)
    (out / "sub-01/anat/sub-01_dseg.nii.gz").rename(out / "sub-01/anat/sub-01_run-1_acq-2_dseg.nii.gz")
    assert "error" in [issue["severity"] for issue in issues(out)]


@pytest.mark.parametrize("options", [[], ["-j", "3"], ["--max-memory", "100MB", "--shape", "--units", "um"]])
def test_a_dataset_is_valid(voxcc, dataset, options):
    volumes = {name: add(name, seed) for seed, name in enumerate(NAMES)}
    voxcc("label", *NAMES, "--bids", "-o", "derivatives/voxcc", *options)
    out = dataset / "derivatives/voxcc"
    assert issues(out) == []
    expected = [f"{stem}_dseg.{end}" for stem in NAMES.values() for end in ("nii.gz", "tsv", "json")]
    assert files(out) == sorted([*expected, "dataset_description.json"])
    description = load(out / "dataset_description.json")
    version = voxcc("--version").stdout.split()[1]
    assert description["DatasetType"] == "derivative" and description["GeneratedBy"][0]["Name"] == "voxcc"
    assert description["GeneratedBy"][0]["Version"] == version and description["Name"] and description["BIDSVersion"]
    link = description["DatasetLinks"]["source"]
    for name, stem in NAMES.items():
        labels = label_scipy(volumes[name], 26)
        np.testing.assert_array_equal(read_nifti(out / f"{stem}_dseg.nii.gz"), labels)
        assert nibabel.load(out / f"{stem}_dseg.nii.gz").header["intent_code"] == 1002
        rows = [line.split("\t") for line in (out / f"{stem}_dseg.tsv").read_text().splitlines()]
        assert rows[0][:3] == ["index", "name", "voxels"] and "label" not in rows[0]
        assert [row[:3] for row in rows[1:]] == \
            [[str(k), f"component {k}", str((labels == k).sum())] for k in range(1, labels.max() + 1)]
        sidecar = load(out / f"{stem}_dseg.json")
        assert list(sidecar)[-len(rows[0]):] == rows[0] and all(sidecar[column]["Description"] for column in rows[0])
        assert sidecar["Sources"] == [f"bids:source:{name}"]
        assert (out / link / sidecar["Sources"][0].removeprefix("bids:source:")).samefile(dataset / name)
        assert sidecar["SpatialReference"] == (sidecar["Sources"][0] if "space-" in name else "orig")
        assert sidecar.get("Resolution") == ("voxels of 1 x 1 x 2.5 mm" if "_res-" in name else None)


def test_the_table_is_the_usual_table(voxcc, dataset):
    add("sub-1_T1w.nii")
    options = ("--shape", "--intensity", "sub-1_T1w.nii", "--percentiles", "50", "--sort", "size", "--min-size", "2")
    voxcc("label", "sub-1_T1w.nii", *options, "--stats", "usual.tsv", "--sidecar")
    voxcc("label", "sub-1_T1w.nii", *options, "--bids", "-o", "out")
    usual, table = (Path(path).read_text().splitlines() for path in ("usual.tsv", "out/sub-1/anat/sub-1_dseg.tsv"))
    assert [line.split("\t")[1:] for line in usual] == [line.split("\t")[2:] for line in table]
    usual, sidecar = load(Path("usual.json")), load(Path("out/sub-1/anat/sub-1_dseg.json"))
    assert {name: sidecar[name] for name in usual if name != "label"} == {name: usual[name] for name in usual if name != "label"}


def test_values_are_in_the_table(voxcc, dataset):
    values = voronoi((9, 10, 11), cells=9)
    Path("sub-1/anat").mkdir(parents=True)
    save("sub-1/anat/sub-1_dseg.nii.gz", values)
    voxcc("label", "sub-1/anat/sub-1_dseg.nii.gz", "--multilabel", "-c", "6", "--bids", "-o", "derivatives/voxcc")
    out = dataset / "derivatives/voxcc"
    labels = read_nifti(out / "sub-1/anat/sub-1_dseg.nii.gz")
    np.testing.assert_array_equal(labels, label_equal_values(values, 6))
    rows = read_table(out / "sub-1/anat/sub-1_dseg.tsv")
    assert [row["source_label"] for row in rows] == [values[labels == row["index"]][0] for row in rows]
    assert issues(out) == []


def test_a_volume_without_components(voxcc, dataset):
    save("sub-1_T1w.nii", np.zeros((3, 4, 5), np.uint8))
    voxcc("label", "sub-1_T1w.nii", "--bids", "-o", "out")
    assert (dataset / "out/sub-1/anat/sub-1_dseg.tsv").read_text().startswith("index\tname\tvoxels\t")
    assert issues(dataset / "out") == []


def test_files_outside_of_a_dataset(voxcc, tmp_path, monkeypatch):
    """Names of BIDS are sufficient: the folders follow from the names."""
    monkeypatch.chdir(tmp_path)
    for name in ("my scans/sub-1_T1w.nii.gz", "my scans/sub-2_ses-1_task-x_bold.nii.gz"):
        add(name)
    voxcc("label", "my scans/sub-1_T1w.nii.gz", "my scans/sub-2_ses-1_task-x_bold.nii.gz", "--bids", "-o", "out/")
    out = tmp_path / "out"
    assert [name for name in files(out) if name.endswith(".tsv")] == \
        ["sub-1/anat/sub-1_dseg.tsv", "sub-2/ses-1/func/sub-2_ses-1_task-x_dseg.tsv"]
    assert load(out / "dataset_description.json")["DatasetLinks"] == {"source": "../my%20scans"}
    assert "SourceDatasets" not in load(out / "dataset_description.json")
    assert issues(out) == []


def test_sources_list_every_file_of_a_dataset(voxcc, dataset):
    for name in ("sub-1/anat/sub-1_T1w.nii", "sub-1/anat/sub-1_mask.nii", "../elsewhere.nii"):
        add(name)
    command = ("label", "sub-1/anat/sub-1_T1w.nii[0]", "--mask", "sub-1/anat/sub-1_mask.nii", "--bids", "-o", "derivatives/voxcc")
    voxcc(*command, "--intensity", "a=../elsewhere.nii", "--intensity", "b=sub-1/anat/sub-1_T1w.nii")
    assert load(dataset / "derivatives/voxcc/sub-1/anat/sub-1_dseg.json")["Sources"] == \
        ["bids:source:sub-1/anat/sub-1_T1w.nii", "bids:source:sub-1/anat/sub-1_mask.nii"]


def test_links_of_git_annex_keep_their_names(voxcc, dataset, tmp_path):
    """The files of a DataLad dataset are symbolic links to files with other names."""
    add("../annex/MD5E-1.nii")
    Path("sub-1/anat").mkdir(parents=True)
    Path("sub-1/anat/sub-1_T1w.nii").symlink_to(tmp_path / "annex/MD5E-1.nii")
    voxcc("label", "sub-1/anat/sub-1_T1w.nii", "--bids", "-o", "derivatives/voxcc")
    assert load(dataset / "derivatives/voxcc/sub-1/anat/sub-1_dseg.json")["Sources"] == ["bids:source:sub-1/anat/sub-1_T1w.nii"]


@pytest.mark.parametrize("source, stated", [
    ({"DatasetDOI": "doi:10.1/x"}, [{"DOI": "doi:10.1/x"}]),
    ({"DatasetDOI": 7}, None),
    ({}, None),
    ("{broken", None),
    ("[" * 100000, None),
    (None, None),
])
def test_the_doi_of_the_source(voxcc, dataset, source, stated):
    """The description of the inputs is not ours: whatever it holds, the labels are written."""
    add("sub-1/anat/sub-1_T1w.nii")
    description = dataset / "dataset_description.json"
    description.unlink()
    if source is not None:
        description.write_text(source if isinstance(source, str) else json.dumps({"Name": "raw", "BIDSVersion": "1.10.0", **source}))
    voxcc("label", "sub-1/anat/sub-1_T1w.nii", "--bids", "-o", "derivatives/voxcc")
    assert load(dataset / "derivatives/voxcc/dataset_description.json").get("SourceDatasets") == stated
    assert issues(dataset / "derivatives/voxcc") == []


def test_a_description_by_voxcc_is_kept(voxcc, dataset):
    for name in ("sub-1/anat/sub-1_T1w.nii", "sub-2/anat/sub-2_T1w.nii"):
        add(name)
    voxcc("label", "sub-1/anat/sub-1_T1w.nii", "--bids", "-o", "derivatives/voxcc")
    description = dataset / "derivatives/voxcc/dataset_description.json"
    edited = load(description) | {"Name": "mine", "Authors": ["A. Author"]}
    edited["GeneratedBy"].insert(0, {"Name": "other", "Version": "1"})
    edited["GeneratedBy"][1]["Version"] = "0.0.1"
    description.write_text(json.dumps(edited))
    before = sha256(description), description.stat().st_ino
    voxcc("label", "sub-2/anat/sub-2_T1w.nii", "--bids", "-o", "derivatives/voxcc")
    voxcc("label", "sub-2/anat/sub-2_T1w.nii", "--bids", "-o", "derivatives/voxcc", "--force")
    assert (sha256(description), description.stat().st_ino) == before


@pytest.mark.parametrize("text", [
    "", "{", "[]", "null", "{}", '"voxcc"', "\0" * 100, "[" * 200000, '{"a":' * 50000, "x" * 2_000_000,
    json.dumps({"Name": "a", "BIDSVersion": "1.10.0", "DatasetType": "derivative", "GeneratedBy": [{"Name": "fmriprep"}]}),
    json.dumps({"Name": "a", "BIDSVersion": "1.10.0", "DatasetType": "raw", "GeneratedBy": [{"Name": "voxcc"}]}),
    json.dumps({"Name": "a", "BIDSVersion": "1.10.0", "DatasetType": "derivative", "GeneratedBy": "voxcc"}),
    json.dumps({"Name": 1, "BIDSVersion": "1.10.0", "DatasetType": "derivative", "GeneratedBy": [{"Name": "voxcc"}]}),
])
def test_another_description_is_never_replaced(voxcc, dataset, text):
    add("sub-1/anat/sub-1_T1w.nii")
    Path("out").mkdir()
    Path("out/dataset_description.json").write_text(text)
    for options in ([], ["--force"], ["--dry-run"]):
        error = voxcc.fails(73, "label", "sub-1/anat/sub-1_T1w.nii", "--bids", "-o", "out", *options)
        assert "dataset_description.json: exists, and voxcc has not written it or it is damaged; name another folder" in error
    assert files(dataset / "out") == ["dataset_description.json"] and Path("out/dataset_description.json").read_text() == text


def test_a_dataset_has_one_source(voxcc, dataset, tmp_path):
    add("sub-1/anat/sub-1_T1w.nii")
    add("../other/sub-2/anat/sub-2_T1w.nii")
    inputs = ("sub-1/anat/sub-1_T1w.nii", "../other/sub-2/anat/sub-2_T1w.nii")
    assert "is not in the same dataset as" in voxcc.fails(64, "label", *inputs, "--bids", "-o", "out")
    assert not Path("out").exists()
    voxcc("label", inputs[0], "--bids", "-o", "out")
    before = files(dataset / "out")
    assert "states that the inputs are in '..'" in voxcc.fails(73, "label", inputs[1], "--bids", "-o", "out")
    assert files(dataset / "out") == before
    shutil.copytree(dataset, tmp_path / "moved")  # the link is relative
    voxcc("label", tmp_path / "moved" / inputs[0], "--bids", "-o", tmp_path / "moved/out", "--force")


@pytest.mark.parametrize("names", [
    ["sub-1/anat/sub-1_T1w.nii", "sub-1/anat/sub-1_FLAIR.nii"],
    ["sub-1/anat/sub-1_T1w.nii", "sub-1/anat/sub-1_T1w.nii.gz"],
    ["sub-1/anat/sub-1_T1w.nii[0]", "sub-1/anat/sub-1_T1w.nii"],
])
def test_two_inputs_with_one_output(voxcc, dataset, names):
    for name in ("sub-1/anat/sub-1_T1w.nii", "sub-1/anat/sub-1_FLAIR.nii", "sub-1/anat/sub-1_T1w.nii.gz", "sub-0/anat/sub-0_T1w.nii"):
        add(name)
    error = voxcc.fails(64, "label", "sub-0/anat/sub-0_T1w.nii", *names, "--bids", "-o", "derivatives/voxcc", "-j", "2")
    assert f"{names[1]}: would write 'derivatives/voxcc/sub-1/anat/sub-1_dseg.nii.gz', as '{names[0]}' does" in error
    assert files(dataset / "derivatives") == []


@pytest.mark.parametrize("name, cause", [
    ("a.nii", "it does not begin with an entity such as sub-01"),
    ("sub-1.nii", "it does not begin"),
    ("sub-1_run_T1w.nii", "'run' is not an entity such as run-1"),
    ("sub-1_task-a_ses-1_bold.nii", "'ses' must come before 'task'"),
    ("sub-1_run-1_run-2_T1w.nii", "it has two entities 'run'"),
    ("sub-1_T1-w.nii", "it does not end with a suffix such as T1w"),
])
def test_names_that_are_not_of_bids(voxcc, dataset, name, cause):
    add(name)
    add("sub-0/anat/sub-0_T1w.nii")
    error = voxcc.fails(64, "label", "sub-0/anat/sub-0_T1w.nii", name, "--bids", "-o", "derivatives/voxcc")
    assert f"{name}: does not have a name of BIDS: {cause}" in error and "name the file as in sub-01_ses-2_T1w.nii.gz" in error
    assert files(dataset / "derivatives") == []


def test_other_inputs_are_refused(voxcc, dataset):
    add("sub-1/anat/sub-1_T1w.nii")
    assert "does not have a name of BIDS" in voxcc.fails(64, "label", "-", "--bids", "-o", "out")
    error = voxcc.fails(64, "label", "sub-1/anat/sub-1_T1w.nii[0..1]", "--bids", "-o", "out")
    assert "several volumes are chosen, but a label volume of BIDS has one" in error
    assert "several volumes" in voxcc.fails(64, "label", "sub-1/anat/sub-1_T1w.nii", "--volume", "all", "--bids", "-o", "out")
    add("sub-2/anat/sub-3_T1w.nii")
    assert "is in the folder sub-2/, but its name states sub-3/" in \
        voxcc.fails(64, "label", "sub-2/anat/sub-3_T1w.nii", "--bids", "-o", "out")
    assert not Path("out").exists()


@pytest.mark.parametrize("options, code, text", [
    ([], 64, "--bids: needs the folder of the dataset; add -o FOLDER"),
    (["-o", "-"], 64, "is not a folder"),
    (["-o", "a.nii.gz"], 64, "'a.nii.gz' is not a folder, which --bids needs"),
    (["-o", "{stem}"], 64, "is not a folder"),
    (["-o", "out", "--stats", "t.tsv"], 64, "--stats: contradicts --bids"),
    (["-o", "."], 64, "'.' is the dataset of the inputs; name another folder, as in -o ./derivatives/voxcc"),
    (["-o", "missing/out"], 73, "missing/out: the output folder does not exist"),
    (["-o", "out", "--json", "out/dataset_description.json"], 64, "would write 'out/dataset_description.json'"),
    (["-o", "out", "--mask-output", "out/{bids}_dseg.nii.gz"], 64, "is also the file of --output"),
    (["-o", "out", "--list", "out/dataset_description.json"], 66, "cannot open"),
])
def test_contradictions(voxcc, dataset, options, code, text):
    add("sub-1/anat/sub-1_T1w.nii")
    before = files(dataset)
    assert text in voxcc.fails(code, "label", "sub-1/anat/sub-1_T1w.nii", "--bids", *options)
    assert files(dataset) == before


def test_mkdir_and_existing_files(voxcc, dataset):
    add("sub-1/anat/sub-1_T1w.nii")
    command = ("label", "sub-1/anat/sub-1_T1w.nii", "--bids", "-o", "new/folder/out")
    voxcc(*command, "--mkdir")
    before = {name: sha256(dataset / name) for name in files(dataset)}
    assert "sub-1_dseg.tsv: exists" in voxcc.fails(73, *command)
    voxcc(*command, "--force")
    assert {name: sha256(dataset / name) for name in files(dataset)} == before


def test_nothing_is_left_of_a_failure(voxcc, dataset):
    Path("sub-1/anat").mkdir(parents=True)
    Path("sub-1/anat/sub-1_T1w.nii").write_bytes(b"\0" * 400)
    voxcc.fails(65, "label", "sub-1/anat/sub-1_T1w.nii", "--bids", "-o", "derivatives/voxcc")
    assert list((dataset / "derivatives").iterdir()) == []
    add("sub-2/anat/sub-2_T1w.nii")
    voxcc("label", "sub-1/anat/sub-1_T1w.nii", "sub-2/anat/sub-2_T1w.nii", "--bids", "-o", "derivatives/voxcc", expect=1)
    assert issues(dataset / "derivatives/voxcc") == [] and not (dataset / "derivatives/voxcc/sub-1").exists()


def test_other_outputs_can_use_the_placeholder(voxcc, dataset):
    for name in ("sub-1/anat/sub-1_T1w.nii", "sub-2/anat/sub-2_T1w.nii"):
        add(name)
    voxcc("label", "sub-1/anat/sub-1_T1w.nii", "sub-2/anat/sub-2_T1w.nii", "--bids", "-o", "out", "--mask-output",
          "masks/{bids}_mask.nii.gz", "--lut", "luts/{stem}.lut", "--json", "all.json", "--mkdir")
    assert files(dataset / "masks") == ["sub-1/anat/sub-1_mask.nii.gz", "sub-2/anat/sub-2_mask.nii.gz"]
    assert files(dataset / "luts") == ["sub-1_T1w.lut", "sub-2_T1w.lut"]
    outputs = {record["path"]: record["sha256"] for record in load(dataset / "all.json")["outputs"]}
    assert outputs["out/dataset_description.json"] == sha256(dataset / "out/dataset_description.json")
    assert outputs["out/sub-2/anat/sub-2_dseg.json"] == sha256(dataset / "out/sub-2/anat/sub-2_dseg.json")


@pytest.mark.parametrize("inputs", [1, 2])
def test_inputs_that_are_up_to_date_are_skipped(voxcc, dataset, inputs):
    names = [f"sub-{n}/anat/sub-{n}_T1w.nii" for n in range(inputs)]
    for name in names:
        add(name)
    command = ("label", *names, "--json", "logs/{stem}.json", "--mkdir", "--skip-existing")
    bids = (*command, "--bids", "-o", "derivatives/voxcc")
    voxcc(*bids)
    assert voxcc(*bids).stderr.count("is skipped") == inputs
    plan = json.loads(voxcc(*bids, "--dry-run").stdout)
    assert plan["skipped"] == names and plan["volumes"] == []
    description = dataset / "derivatives/voxcc/dataset_description.json"
    before = description.read_bytes()
    description.unlink()
    assert voxcc(*bids).stderr.count("is skipped") == inputs  # the description is written again, the labels are not
    assert description.read_bytes() == before
    sidecar = dataset / "derivatives/voxcc/sub-0/anat/sub-0_dseg.json"
    sidecar.unlink()
    assert voxcc(*bids).stderr.count("is skipped") == inputs - 1
    assert sidecar.exists()
    assert "is skipped" not in voxcc(*command, "-o", "{stem}.nii.gz").stderr  # --bids is an option that changes outputs


def test_dry_run_writes_nothing(voxcc, dataset):
    add("sub-1/anat/sub-1_T1w.nii")
    before = files(dataset)
    plan = json.loads(voxcc("label", "sub-1/anat/sub-1_T1w.nii", "--bids", "-o", "derivatives/voxcc", "--dry-run").stdout)
    assert plan["volumes"][0]["input"] == "sub-1/anat/sub-1_T1w.nii" and files(dataset) == before
    assert list((dataset / "derivatives").iterdir()) == []


def test_jobs_of_a_cluster_share_a_dataset(voxcc, dataset):
    """Each job labels one volume. All of them want to write the description."""
    names = [f"sub-{n}/anat/sub-{n}_T1w.nii" for n in range(8)]
    for name in names:
        add(name)
    jobs = [subprocess.Popen([voxcc.program, "label", name, "--bids", "-o", "derivatives/voxcc"], stderr=subprocess.PIPE) for name in names]
    assert [(job.communicate(timeout=120)[1], job.returncode) for job in jobs] == [(b"", 0)] * len(jobs)
    assert len(files(dataset / "derivatives/voxcc")) == 3 * len(names) + 1
    assert issues(dataset / "derivatives/voxcc") == []


def test_settings(voxcc, dataset, monkeypatch):
    add("sub-1/anat/sub-1_T1w.nii")
    Path("c.toml").write_text('bids = true\noutput = "derivatives/a"\n')
    voxcc("label", "sub-1/anat/sub-1_T1w.nii", "--config", "c.toml")
    monkeypatch.setenv("VOXCC_BIDS", "true")
    voxcc("label", "sub-1/anat/sub-1_T1w.nii", "-o", "derivatives/b")
    assert files(dataset / "derivatives/a") == files(dataset / "derivatives/b") != []
