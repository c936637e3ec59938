"""Row 53: --skip-existing labels an input again exactly if an input, an output, an option or the version has changed."""

import gzip
import json
import os
import re
import signal
import subprocess
import time

import h5py
import nibabel
import numpy as np
import pytest

from helpers import label_scipy, noise, read_nifti, sha256, voronoi, write_nifti

COMMON = ("--stats", "out/{stem}.csv", "--json", "out/{stem}.json", "--mkdir", "--skip-existing")
OUTPUTS = ("-o", "out/{stem}.nii.gz", *COMMON)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with the volumes a, b and c."""
    monkeypatch.chdir(tmp_path)
    for seed, stem in enumerate("abc"):
        write_nifti(f"{stem}.nii", noise((6, 7, 8), 0.3, seed=seed))
    return tmp_path


def skipped(done):
    """The inputs that a run has skipped, from its messages."""
    return re.findall(r"^voxcc: note: (\S+) is skipped: \S+ is complete and up to date$", done.stderr, re.MULTILINE)


def state(folder):
    """Identity, time and contents of all files: it changes if a file is written again."""
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns, sha256(path)) for path in folder.rglob("*") if path.is_file()}


def test_row53_second_run_skips_everything(voxcc, folder):
    first = voxcc("label", "a.nii", "b.nii", "c.nii", *OUTPUTS)
    assert skipped(first) == [] and "3 inputs: 3 labelled, 0 skipped, 0 failed" in first.stderr
    before = state(folder)
    second = voxcc("label", "a.nii", "b.nii", "c.nii", *OUTPUTS)
    assert skipped(second) == ["a.nii", "b.nii", "c.nii"] and "0 labelled, 3 skipped" in second.stderr
    assert state(folder) == before
    assert voxcc("label", "a.nii", "b.nii", "c.nii", *OUTPUTS, "-j", "3", "-q").stderr == ""
    assert state(folder) == before


def test_row53_summary_states_every_file(voxcc, folder):
    write_nifti("m.nii", np.ones((6, 7, 8), np.uint8))
    voxcc("label", "a.nii", *OUTPUTS, "--mask", "m.nii", "--intensity", "b.nii")
    summary = json.loads((folder / "out/a.json").read_text())
    for kind, paths in (("inputs", ["a.nii", "m.nii", "b.nii"]), ("outputs", ["out/a.nii.gz", "out/a.csv"])):
        assert [file["path"] for file in summary[kind]] == paths
        assert [file["sha256"] for file in summary[kind]] == [sha256(folder / path) for path in paths]
        assert [file["bytes"] for file in summary[kind]] == [(folder / path).stat().st_size for path in paths]


def test_row53_messages_as_json_and_dry_run(voxcc, folder):
    voxcc("label", "a.nii", *OUTPUTS)
    lines = voxcc("label", "a.nii", "b.nii", *OUTPUTS, "--log-format", "json").stderr.splitlines()
    messages = [json.loads(line)["message"] for line in lines]
    assert messages == ["a.nii is skipped: out/a.nii.gz is complete and up to date", "2 inputs: 1 labelled, 1 skipped, 0 failed"]
    before = state(folder)
    plan = json.loads(voxcc("label", "a.nii", "b.nii", "c.nii", *OUTPUTS, "--dry-run").stdout)
    assert plan["skipped"] == ["a.nii", "b.nii"] and [volume["input"] for volume in plan["volumes"]] == ["c.nii"]
    assert state(folder) == before


def test_row53_changed_input(voxcc, folder):
    voxcc("label", "a.nii", "b.nii", *OUTPUTS)
    times = os.stat("b.nii")
    volume = noise((6, 7, 8), 0.3, seed=9)
    write_nifti("b.nii", volume)
    os.utime("b.nii", ns=(times.st_atime_ns, times.st_mtime_ns))  # the same name, size and time: only the contents differ
    assert os.stat("b.nii").st_size == times.st_size
    assert skipped(voxcc("label", "a.nii", "b.nii", *OUTPUTS)) == ["a.nii"]
    np.testing.assert_array_equal(read_nifti("out/b.nii.gz"), label_scipy(volume, 26))
    os.utime("a.nii")  # only the time differs
    assert skipped(voxcc("label", "a.nii", "b.nii", *OUTPUTS)) == ["a.nii", "b.nii"]


@pytest.mark.parametrize("companion", ["--mask", "--intensity"])
def test_row53_changed_mask_or_intensity_image(voxcc, folder, companion):
    voxcc("label", "a.nii", *OUTPUTS, companion, "c.nii")
    assert skipped(voxcc("label", "a.nii", *OUTPUTS, companion, "c.nii")) == ["a.nii"]
    write_nifti("c.nii", noise((6, 7, 8), 0.9, seed=9))
    assert skipped(voxcc("label", "a.nii", *OUTPUTS, companion, "c.nii")) == []


def test_row53_the_other_companion_is_another_option(voxcc, folder):
    voxcc("label", "a.nii", *OUTPUTS, "--mask", "c.nii")
    assert skipped(voxcc("label", "a.nii", *OUTPUTS, "--intensity", "c.nii")) == []


def test_row53_every_file_of_an_input(voxcc, folder):
    array = noise((6, 7, 8), 0.3)
    nibabel.save(nibabel.Nifti1Pair(array.T, np.eye(4)), "pair.hdr")
    voxcc("label", "pair.hdr", *OUTPUTS)
    assert skipped(voxcc("label", "pair.hdr", *OUTPUTS)) == ["pair.hdr"]
    voxels = bytearray((folder / "pair.img").read_bytes())
    voxels[0] ^= 1
    (folder / "pair.img").write_bytes(voxels)
    assert skipped(voxcc("label", "pair.hdr", *OUTPUTS)) == []


# Each option with another value than its default, and the options that must be given together with it.
CHANGED = {
    "connectivity": ["-c", "6"],
    "per-slice": ["--per-slice", "z"],
    "threshold": ["--threshold", ">1"],
    "threshold-from": ["--threshold", "p50", "--threshold-from", "b.nii"],
    "invert": ["--invert"],
    "multilabel": ["--multilabel"],
    "split-signs": ["--split-signs"],
    "delta": ["--delta", "1"],
    "colour": None,  # needs a colour image
    "ngff": None,  # needs a Zarr output
    "pyramid": None,  # needs a Zarr output
    "missing-chunks": None,  # needs a Zarr input
    "mask": ["--mask", "b.nii"],
    "intensity": ["--intensity", "b.nii"],
    "preview-image": ["--preview", "out/{stem}.png", "--preview-image", "b.nii", "--force"],
    "inside": ["--inside"],
    "peak-distance": ["--intensity", "b.nii", "--local-maxima", "out/{stem}_peaks.csv", "--peak-distance", "2", "--force"],
    "percentiles": ["--intensity", "b.nii", "--percentiles", "50"],
    "shape": ["--shape"],
    "units": ["--units", "um"],
    "min-size": ["--min-size", "2"],
    "max-size": ["--max-size", "2mm3"],
    "keep-largest": ["--keep-largest", "1"],
    "per-value": ["--multilabel", "--keep-largest", "1", "--per-value"],
    "keep": ["--keep", "voxels > 1"],
    "columns": ["--columns", "label,voxels"],
    "digits": ["--digits", "3"],
    "seed-threshold": ["--threshold", ">0", "--seed-threshold", ">1"],
    "sort": ["--sort", "size"],
    "fill-holes": ["--fill-holes"],
    "max-hole": ["--fill-holes", "--max-hole", "5"],
    "clear-border": ["--clear-border"],
    "clear-mask-border": ["--mask", "b.nii", "--clear-mask-border"],
    "periodic": ["--periodic", "x"],
    "dtype": ["--dtype", "int32"],
    "colour-table": None,  # needs a TIFF
    "compress": ["--compress", "5"],
    "dataset": None,  # needs an HDF5 file
    "volume": ["--volume", "0"],
    "bids": None,  # replaces -o and --stats: see test_bids.py
    "raw": ["--raw", "uint8,8x7x6,offset=352"],
    "spacing": ["--spacing", "1,1,2"],
    "geometry-tolerance": ["--mask", "b.nii", "--geometry-tolerance", "0.5"],
    "reader": ["--reader", "voxcc"],
    "allow-external": ["--allow-external"],
}


def test_row53_every_option_of_the_summary_is_tested(voxcc, folder):
    voxcc("label", "a.nii", *OUTPUTS)
    assert set(json.loads((folder / "out/a.json").read_text())["options"]) == set(CHANGED)


@pytest.mark.parametrize("name", [name for name, option in CHANGED.items() if option])
def test_row53_changed_option(voxcc, folder, name):
    voxcc("label", "a.nii", *OUTPUTS)
    assert skipped(voxcc("label", "a.nii", *OUTPUTS, *CHANGED[name])) == []
    voxcc("label", "a.nii", "-o", "expected.nii.gz", "--stats", "expected.csv", *CHANGED[name])
    assert sha256(folder / "out/a.nii.gz") == sha256(folder / "expected.nii.gz")
    assert sha256(folder / "out/a.csv") == sha256(folder / "expected.csv")
    assert skipped(voxcc("label", "a.nii", *OUTPUTS, *CHANGED[name])) == ["a.nii"]
    assert skipped(voxcc("label", "a.nii", *OUTPUTS)) == []


def test_row53_changed_dataset(voxcc, folder):
    with h5py.File("v.h5", "w") as file:
        file["one"], file["two"] = noise((6, 7, 8), 0.3, seed=1), noise((6, 7, 8), 0.3, seed=2)
    voxcc("label", "v.h5", *OUTPUTS, "--dataset", "/one")
    assert skipped(voxcc("label", "v.h5", *OUTPUTS, "--dataset", "/one")) == ["v.h5"]
    assert skipped(voxcc("label", "v.h5", *OUTPUTS, "--dataset", "/two")) == []


def test_row53_changed_colour_table(voxcc, folder):
    outputs = ["-o", "{stem}.tif", "--json", "{stem}.json", "--skip-existing"]
    voxcc("label", "a.nii", *outputs)
    assert skipped(voxcc("label", "a.nii", *outputs, "--colour-table")) == []
    voxcc("label", "a.nii", "-o", "expected.tif", "--colour-table")
    assert sha256(folder / "a.tif") == sha256(folder / "expected.tif")
    assert skipped(voxcc("label", "a.nii", *outputs, "--colour-table")) == ["a.nii"]


def test_row53_options_that_change_no_byte(voxcc, folder):
    voxcc("label", "a.nii", *OUTPUTS, "--threshold", "0.50")
    (folder / "options.toml").write_text('threshold = ">=0.5"\n')
    for options in (
        ["--threshold", ".5", "-t", "1", "--device", "cpu", "--algorithm", "ke", "--isa", "portable", "--max-memory", "1GiB", "-j", "2", "-v", "--force"],
        ["--config", "options.toml", "--progress", "never"],
    ):
        assert skipped(voxcc("label", "a.nii", *OUTPUTS, *options)) == ["a.nii"]
    environment = {**os.environ, "VOXCC_THRESHOLD": "0.5", "VOXCC_SKIP_EXISTING": "true"}
    assert skipped(voxcc("label", "a.nii", *OUTPUTS[:-1], env=environment)) == ["a.nii"]
    (folder / "list.txt").write_text("a.nii\n")
    assert skipped(voxcc("label", "--list", "list.txt", *OUTPUTS, "--threshold", "0.5")) == ["a.nii"]


def test_row53_other_version(voxcc, folder):
    voxcc("label", "a.nii", *OUTPUTS)
    path = folder / "out/a.json"
    summary = json.loads(path.read_text())
    path.write_text(json.dumps({**summary, "version": summary["version"] + "x"}))
    assert skipped(voxcc("label", "a.nii", *OUTPUTS)) == []
    assert json.loads(path.read_text())["version"] == summary["version"]


@pytest.mark.parametrize("output", ["out/a.nii.gz", "out/a.csv", "out/a.json"])
def test_row53_missing_output(voxcc, folder, output):
    """Outputs with the recorded contents are replaced without --force. Without a summary, nothing states who has written them."""
    voxcc("label", "a.nii", *OUTPUTS)
    before = sha256(folder / "out/a.nii.gz")
    os.remove(output)
    if output.endswith(".json"):
        assert "exists" in voxcc.fails(73, "label", "a.nii", *OUTPUTS)
        voxcc("label", "a.nii", *OUTPUTS, "--force")
    else:
        assert skipped(voxcc("label", "a.nii", *OUTPUTS)) == []
    assert sha256(folder / "out/a.nii.gz") == before
    assert skipped(voxcc("label", "a.nii", *OUTPUTS)) == ["a.nii"]


@pytest.mark.parametrize("output", ["out/a.nii.gz", "out/a.csv"])
@pytest.mark.parametrize("change", ["truncated", "edited"])
def test_row53_changed_output(voxcc, folder, output, change):
    """A file that differs from the record can contain work by hand. It is replaced with --force only."""
    voxcc("label", "a.nii", "b.nii", *OUTPUTS)
    intact = (folder / output).read_bytes()
    (folder / output).write_bytes(intact[:-1] if change == "truncated" else intact[:-1] + bytes([intact[-1] ^ 1]))
    changed = sha256(folder / output)
    done = voxcc("label", "a.nii", "b.nii", *OUTPUTS, expect=1)
    assert skipped(done) == ["b.nii"] and output in done.stderr and sha256(folder / output) == changed
    assert skipped(voxcc("label", "a.nii", "b.nii", *OUTPUTS, "--force")) == ["b.nii"]
    assert (folder / output).read_bytes() == intact


def test_row53_outputs_of_other_programs_are_kept(voxcc, folder):
    (folder / "out").mkdir()
    (folder / "out/a.nii.gz").write_bytes(b"not of voxcc")
    assert "out/a.nii.gz: exists" in voxcc.fails(73, "label", "a.nii", *OUTPUTS)
    assert (folder / "out/a.nii.gz").read_bytes() == b"not of voxcc"


def test_row53_another_output(voxcc, folder):
    voxcc("label", "a.nii", *OUTPUTS)
    assert skipped(voxcc("label", "a.nii", *OUTPUTS, "--preview", "out/{stem}.png")) == []
    assert (folder / "out/a.png").exists()
    assert skipped(voxcc("label", "a.nii", *OUTPUTS, "--preview", "out/{stem}.png")) == ["a.nii"]
    assert skipped(voxcc("label", "a.nii", *OUTPUTS)) == []


def test_row53_another_input_with_the_same_stem(voxcc, folder):
    """Its results replace the results of the first input with --force only, also in the case of equal contents."""
    voxcc("label", "a.nii", *OUTPUTS)
    before = state(folder / "out")
    (folder / "a.nii.gz").write_bytes(gzip.compress((folder / "b.nii").read_bytes()))
    (folder / "more").mkdir()
    (folder / "more/a.nii").write_bytes((folder / "a.nii").read_bytes())
    for other in ("a.nii.gz", "more/a.nii"):
        assert "exists" in voxcc.fails(73, "label", other, *OUTPUTS)
        assert state(folder / "out") == before
    # The same name in another folder.
    outputs = [option.replace("out/", f"{folder}/out/") for option in OUTPUTS]
    voxcc("label", "a.nii", *outputs, "--force")
    before = state(folder / "out")
    write_nifti(folder / "more/a.nii", noise((6, 7, 8), 0.4, seed=5))
    voxcc.fails(73, "label", "a.nii", *outputs, cwd=folder / "more")
    assert state(folder / "out") == before


NESTED = "[" * 100000 + "]" * 100000


@pytest.mark.parametrize("damage", [
    "", "{", "[]", "null", "\0" * 100, "truncated", '{"program": "voxcc"}', '{"program": "other"}',
    '{"program": "voxcc", "version": {}, "inputs": 1, "outputs": "x"}', "outputs without a checksum", "bytes as text", f'{{"a": {NESTED}}}',
    "no inputs", "no outputs", "options as a list", "another checksum of the input",
])
def test_row53_damaged_summary(voxcc, folder, damage):
    voxcc("label", "a.nii", *OUTPUTS)
    path = folder / "out/a.json"
    text = path.read_text()
    summary = json.loads(text)
    if damage == "truncated":
        damage = text[:-20]
    elif damage == "outputs without a checksum":
        damage = json.dumps({**summary, "outputs": [{"path": file["path"], "bytes": file["bytes"]} for file in summary["outputs"]]})
    elif damage == "bytes as text":
        damage = json.dumps({**summary, "outputs": [{**file, "bytes": str(file["bytes"])} for file in summary["outputs"]]})
    elif damage == "no inputs":
        damage = json.dumps({**summary, "inputs": []})
    elif damage == "no outputs":
        damage = json.dumps({**summary, "outputs": []})
    elif damage == "options as a list":
        damage = json.dumps({**summary, "options": list(summary["options"].values())})
    elif damage == "another checksum of the input":
        damage = json.dumps({**summary, "inputs": [{**file, "sha256": "0" * 64} for file in summary["inputs"]]})
    path.write_text(damage)
    done = voxcc("label", "a.nii", *OUTPUTS, "--force")
    assert skipped(done) == []
    assert json.loads(path.read_text())["outputs"] == summary["outputs"]


def test_row53_hostile_summary_reads_no_other_file(voxcc, folder):
    """The names in a summary are compared, but never opened, written or removed."""
    (folder / "private").write_text("private")
    record = {"path": "private", "bytes": 7, "sha256": sha256(folder / "private")}
    voxcc("label", "a.nii", *OUTPUTS)
    path = folder / "out/a.json"
    summary = json.loads(path.read_text())
    path.write_text(json.dumps({**summary, "outputs": [*summary["outputs"], record]}))
    assert skipped(voxcc("label", "a.nii", *OUTPUTS)) == []
    assert (folder / "private").read_text() == "private"


def test_row53_several_volumes_and_slices(voxcc, folder):
    write_nifti("t.nii", np.stack([noise((6, 7, 8), 0.3, seed=seed) for seed in range(3)]))
    options = ("label", "t.nii", "--volume", "all", "-o", "out/{stem}_{volume}.mhd", *COMMON)
    voxcc(*options)
    assert len(json.loads((folder / "out/t.json").read_text())["inputs"]) == 1
    assert skipped(voxcc(*options)) == ["t.nii"]
    data = next((folder / "out").glob("t_1.*raw"))
    data.unlink()
    assert skipped(voxcc(*options)) == [] and data.exists()

    slices = ("label", "a.nii", "-o", "out/slices/", *COMMON)
    voxcc(*slices)
    assert skipped(voxcc(*slices)) == ["a.nii"]
    (folder / "out/slices/label_0003.tif").unlink()
    assert skipped(voxcc(*slices)) == [] and (folder / "out/slices/label_0003.tif").exists()


def test_row53_failed_input_is_tried_again(voxcc, folder):
    complete = (folder / "b.nii").read_bytes()
    (folder / "b.nii").write_bytes(complete[:-1])
    voxcc("label", "a.nii", "b.nii", *OUTPUTS, expect=1)
    assert not (folder / "out/b.json").exists()
    (folder / "b.nii").write_bytes(complete)
    assert skipped(voxcc("label", "a.nii", "b.nii", *OUTPUTS)) == ["a.nii"]


@pytest.mark.parametrize("ends", [signal.SIGKILL, signal.SIGTERM])
def test_row53_after_a_kill(voxcc, folder, ends):
    """Whatever is complete when the run ends is skipped by the next run, and everything else is labelled."""
    inputs = []
    for number in range(30):
        inputs.append(f"v{number:02}.nii")
        write_nifti(inputs[-1], voronoi((30, 30, 30), seed=number))
    command = [voxcc.program, "label", *inputs, *OUTPUTS, "-q"]
    run = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while len(list(folder.glob("out/*.json"))) < 5 and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    run.send_signal(ends)
    run.communicate()
    complete = sorted(f"{path.stem}.nii" for path in folder.glob("out/v*.json"))
    assert complete and run.returncode in (-signal.SIGKILL, 128 + signal.SIGTERM, 0)
    # --force: a kill between the renames of two outputs leaves an output without a summary.
    assert skipped(voxcc("label", *inputs, *OUTPUTS, "--force")) == complete
    assert skipped(voxcc("label", *inputs, *OUTPUTS)) == inputs
    voxcc("label", *inputs, "-o", "expected/{stem}.nii.gz", "--mkdir")
    for name in inputs:
        stem = name[:-4]
        assert sha256(folder / f"out/{stem}.nii.gz") == sha256(folder / f"expected/{stem}.nii.gz")


@pytest.mark.parametrize("options, subject", [
    (["-o", "o/{stem}.nii"], "--skip-existing"),
    (["-o", "o/{stem}.nii", "--json", "-"], "--skip-existing"),
    (["-o", "o/{stem}.nii", "--json", "all.json"], "--json"),
    (["--stats", "all.csv", "--json", "o/{stem}.json"], "--stats"),
    (["--stats", "-", "--json", "o/{stem}.json"], "--stats"),
])
def test_row53_wrong_usage(voxcc, folder, options, subject):
    line = voxcc.fails(64, "label", "a.nii", "b.nii", "--skip-existing", *options)
    assert line.startswith(f"voxcc: error: {subject}:") and ";" in line
    assert not (folder / "o").exists() and not (folder / "all.csv").exists()


def test_row53_one_summary_per_input_without_skipping(voxcc, folder):
    voxcc("label", "a.nii", "b.nii", "--stats", "all.csv", "--json", "{stem}.json")
    for stem in "ab":
        assert [file["path"] for file in json.loads((folder / f"{stem}.json").read_text())["inputs"]] == [f"{stem}.nii"]
    assert not (folder / "{stem}.json").exists()
