"""Outputs never replace input files, and a failed run leaves no files that make the next run fail."""

import json
import os
import shutil
from pathlib import Path

import nibabel
import numpy as np
import pytest
import tifffile
from helpers import noise, sha256, write_nifti

SHAPE = (6, 7, 8)


def write_detached(path, template):
    """Writes a header file whose voxels are in data.raw."""
    (path.parent / "data.raw").write_bytes(noise(SHAPE, 0.3).tobytes())
    path.write_text(template)


def write_slices(folder):
    folder.mkdir()
    for z, page in enumerate(noise(SHAPE, 0.3)):
        tifffile.imwrite(folder / f"label_{z:04d}.tif", page)


def write_nrrd_list(path):
    for z, page in enumerate(noise(SHAPE, 0.3)):
        (path.parent / f"z{z}.raw").write_bytes(page.tobytes())
    names = "\n".join(f"z{z}.raw" for z in range(SHAPE[0]))
    path.write_text(f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 8 7 6\nencoding: raw\ndata file: LIST\n{names}\n")


# Makes an input of a kind in `folder`. Returns the arguments that read it, and one of its files, which an output must not replace.
def make_input(kind, folder):
    folder.mkdir()
    volume = write_nifti(folder / "volume.nii", noise(SHAPE, 0.3))
    if kind == "file":
        return [volume], volume
    if kind in ("slices", "slices by template"):
        write_slices(folder / "s")
        return [folder / "s" if kind == "slices" else folder / "s" / "label_%04d.tif"], folder / "s" / "label_0003.tif"
    if kind in ("pair by header", "pair by voxels"):
        nibabel.save(nibabel.Nifti1Pair(noise(SHAPE, 0.3).T, np.eye(4)), folder / "pair.hdr")
        return [folder / ("pair.hdr" if kind == "pair by header" else "pair.img")], folder / ("pair.img" if kind == "pair by header" else "pair.hdr")
    if kind == "MetaImage":
        write_detached(folder / "x.mhd", "ObjectType = Image\nNDims = 3\nDimSize = 8 7 6\nElementType = MET_UCHAR\nElementDataFile = data.raw\n")
        return [folder / "x.mhd"], folder / "data.raw"
    if kind == "NRRD":
        write_detached(folder / "x.nhdr", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 8 7 6\nencoding: raw\ndata file: data.raw\n")
        return [folder / "x.nhdr"], folder / "data.raw"
    if kind == "NRRD of a list":
        write_nrrd_list(folder / "x.nhdr")
        return [folder / "x.nhdr", "--allow-external"], folder / "z3.raw"
    if kind in ("--mask", "--intensity"):
        write_slices(folder / "s")
        table = ["--stats", folder / "measured.csv"] if kind == "--intensity" else []
        return [volume, kind, folder / "s", *table], folder / "s" / "label_0003.tif"
    if kind == "--list":
        (folder / "list.txt").write_text(f"{volume}\n")
        return ["--list", folder / "list.txt"], folder / "list.txt"
    (folder / "config.toml").write_text("threads = 1\n")
    return [volume, "--config", folder / "config.toml"], folder / "config.toml"


INPUTS = ("file", "slices", "slices by template", "pair by header", "pair by voxels", "MetaImage", "NRRD", "NRRD of a list", "--mask",
          "--intensity", "--list", "--config")
# Output option -> the file that the output would replace.
OUTPUTS = {("-o", "{stem}.nii.gz"): "volume.nii.gz", ("-o", "{stem}.mhd"): "volume.zraw", ("-o", "s/"): "s/label_0001.tif",
           ("-o", "{stem}_%03d.tif"): "volume_002.tif", ("--stats", "table.csv"): "table.csv", ("--json", "run.json"): "run.json",
           ("--preview", "{stem}.png"): "volume.png", ("--masked-output", "{stem}.mhd"): "volume.zraw",
           ("--masked-output", "s/"): "s/value_0001.tif", ("--size-output", "{stem}.nrrd"): "volume.nrrd",
           ("--mask-output", "{stem}_%03d.tif"): "volume_002.tif"}


def content(folder):
    return {path: sha256(path) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("option, target", OUTPUTS)
def test_no_file_that_is_read_is_replaced(voxcc, tmp_path, kind, option, target):
    """The name of each output is a hard link to a file of each kind of input."""
    arguments, read = make_input(kind, tmp_path / "in")
    if option == "--stats":  # the table whose name is tested is the table of the intensities
        arguments = arguments[: arguments.index("--stats")] if "--stats" in arguments else arguments
    stem = Path(arguments[0]).name.split(".")[0].replace("%04d", "") if kind != "--list" else "volume"
    if kind == "--list" and target == "s/":
        pytest.skip("several inputs need {stem}")
    replaced = tmp_path / "out" / OUTPUTS[option, target].replace("volume", stem)
    replaced.parent.mkdir(parents=True)
    os.link(read, replaced)
    before = content(tmp_path)
    line = voxcc.fails(73, "label", *arguments, option, f"{tmp_path / 'out'}/{target}", "-f")
    assert str(replaced) in line and "is an input" in line
    assert content(tmp_path) == before


@pytest.mark.parametrize("target", ("s/", "s/label_%04d.tif", "s/label_%d.tif", "s/label_0002.tif", "other/", "other/label_0002.tif",
                                    "./s/../s/label_0002.tif"))
@pytest.mark.parametrize("source", ("s", "s/", "s/label_%04d.tif", "other"))
def test_slices_are_not_replaced(voxcc, tmp_path, source, target):
    write_slices(tmp_path / "s")
    os.symlink("s", tmp_path / "other")
    before = content(tmp_path)
    assert "is an input" in voxcc.fails(73, "label", source, "-o", target, "-f", cwd=tmp_path)
    assert content(tmp_path) == before


@pytest.mark.parametrize("command", (["stats", "s", "-o"], ["stats", "volume.nii", "--intensity", "s", "-o"],
                                     ["bench", "s", "--algorithms", "uf", "--repeat", "1", "--csv"]), ids=" ".join)
def test_other_commands_do_not_replace_slices(voxcc, tmp_path, command):
    write_slices(tmp_path / "s")
    write_nifti(tmp_path / "volume.nii", noise(SHAPE, 0.3))
    os.link(tmp_path / "s" / "label_0003.tif", tmp_path / "table.csv")
    before = content(tmp_path)
    assert "is an input" in voxcc.fails(73, *command, "table.csv", "-f", cwd=tmp_path)
    assert content(tmp_path) == before


@pytest.mark.parametrize("second", ("present", "missing", "truncated"))
@pytest.mark.parametrize("target", ("{stem}_l.nii", "link/{stem}_l.nii"))
def test_no_output_of_a_batch_replaces_an_input_of_it(voxcc, tmp_path, second, target):
    """a_l.nii is an output of a.nii and the second input."""
    write_nifti(tmp_path / "a.nii", noise(SHAPE, 0.3))
    os.symlink(".", tmp_path / "link")
    if second != "missing":
        write_nifti(tmp_path / "a_l.nii", noise(SHAPE, 0.5))
    if second == "truncated":
        os.truncate(tmp_path / "a_l.nii", 400)
    before = content(tmp_path)
    assert "is an input" in voxcc.fails(73, "label", "a.nii", "a_l.nii", "-o", target, "-f", cwd=tmp_path)
    assert content(tmp_path) == before


@pytest.mark.parametrize("name", ("d.nii.gz", "results", "d.tif"))
def test_a_folder_needs_a_slash(voxcc, tmp_path, name):
    write_nifti(tmp_path / "a.nii", noise(SHAPE, 0.3))
    (tmp_path / name).mkdir()
    for command in (["label", "a.nii"], ["label", "a.nii", "--dry-run"], ["label", "a.nii", "-f"], ["generate", "solid", "--shape", "4,4,4"]):
        line = voxcc.fails(73, *command, "-o", name, cwd=tmp_path)
        assert line.endswith(f"{name}: is a folder; name a file in the folder, or add '/' to write numbered slices")
    assert list((tmp_path / name).iterdir()) == []
    voxcc("label", "a.nii", "-o", f"{name}/", cwd=tmp_path)
    assert len(list((tmp_path / name).iterdir())) == SHAPE[0]


@pytest.mark.parametrize("option, name", (("--stats", "t.csv"), ("--json", "run.json"), ("--preview", "p.png")))
def test_a_file_is_not_written_over_a_folder(voxcc, tmp_path, option, name):
    write_nifti(tmp_path / "a.nii", noise(SHAPE, 0.3))
    (tmp_path / name).mkdir()
    line = voxcc.fails(73, "label", "a.nii", option, name, "-f", cwd=tmp_path)
    assert line.endswith(f"{name}: is a folder; name a file in the folder")


@pytest.mark.parametrize("jobs", (1, 2))
def test_a_batch_that_fails_can_be_repeated(voxcc, tmp_path, jobs):
    """A failed batch leaves no empty table and no summary, so the same command succeeds once the inputs exist."""
    command = ["label", "a.nii", "b.nii", "-o", "{stem}_l.nii", "--stats", "all.csv", "--json", "run.json", "-j", jobs]
    done = voxcc(*command, cwd=tmp_path, expect=1)
    assert "every input failed" in done.stderr and list(tmp_path.iterdir()) == []
    summary = json.loads(voxcc(*command[:-4], "--json", "-", cwd=tmp_path, expect=1).stdout)
    assert [failure["input"] for failure in summary["failed"]] == ["a.nii", "b.nii"]
    for name in ("a.nii", "b.nii"):
        write_nifti(tmp_path / name, noise(SHAPE, 0.3))
    voxcc(*command, cwd=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"a.nii", "a_l.nii", "all.csv", "b.nii", "b_l.nii", "run.json"}


MISSING_FOLDERS = (["-o", "out/{stem}.nii"], ["-o", "out/{stem}/"], ["-o", "out/{stem}_%d.tif"], ["-o", "out/x/{stem}.nii"],
                   ["-o", "{stem}/x.nii"], ["--preview", "out/{stem}.png"], ["--stats", "out/{stem}.csv"], ["--stats", "out/all.csv"],
                   ["--json", "out/run.json"], ["--masked-output", "out/{stem}.nii"], ["--size-output", "out/x/{stem}/"],
                   ["--mask-output", "{stem}/x.nii"])


@pytest.mark.parametrize("output", MISSING_FOLDERS, ids=" ".join)
def test_missing_folders_end_a_batch_at_once(voxcc, tmp_path, output):
    for name in ("a.nii", "b.nii"):
        write_nifti(tmp_path / name, noise(SHAPE, 0.3))
    (tmp_path / "a").mkdir()
    line = voxcc.fails(73, "label", "a.nii", "b.nii", *output, cwd=tmp_path)
    assert "does not exist" in line and "--mkdir" in line
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "a.nii", "b.nii"]


@pytest.mark.parametrize("output", MISSING_FOLDERS, ids=" ".join)
def test_mkdir_makes_folders(voxcc, tmp_path, output):
    for name in ("a.nii", "b.nii"):
        write_nifti(tmp_path / name, noise(SHAPE, 0.3))
    voxcc("label", "a.nii", "b.nii", *output, "--mkdir", cwd=tmp_path)
    for stem in "ab":
        path = tmp_path / output[1].replace("{stem}", stem).replace("%d", "0")
        assert path.exists() and list(path.parent.iterdir())


@pytest.mark.parametrize("output", MISSING_FOLDERS, ids=" ".join)
def test_folders_of_failed_inputs_are_removed(voxcc, tmp_path, output):
    write_nifti(tmp_path / "a.nii", noise(SHAPE, 0.3))
    voxcc("label", "a.nii", "b.nii", *output, "--mkdir", cwd=tmp_path, expect=1)
    assert not [path for path in tmp_path.rglob("*") if path.is_dir() and not list(path.iterdir())]
    for path in (tmp_path / "out", tmp_path / "a"):
        shutil.rmtree(path, ignore_errors=True)
    (tmp_path / "a.nii").unlink()
    voxcc("label", "a.nii", "b.nii", *output, "--mkdir", cwd=tmp_path, expect=1)
    assert list(tmp_path.iterdir()) == []


def test_mkdir_over_a_file_is_an_error(voxcc, tmp_path):
    write_nifti(tmp_path / "a.nii", noise(SHAPE, 0.3))
    for folder in ("a.nii", "a.nii/below"):
        voxcc.fails(73, "label", "a.nii", "-o", f"new/../{folder}/x.nii", "--mkdir", cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.nii"]


def test_mkdir_does_not_make_an_input(voxcc, tmp_path):
    """in/a.nii is missing. The output of another input must not create it, because it would then be read as input."""
    write_nifti(tmp_path / "a.nii", noise(SHAPE, 0.3))
    voxcc.fails(73, "label", "a.nii", "in/b.nii", "-o", "in/{stem}.nii", "--mkdir", cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.nii"]


def test_outputs_of_two_inputs_in_one_place_by_two_paths(voxcc, tmp_path):
    write_nifti(tmp_path / "a.nii", noise(SHAPE, 0.3))
    os.symlink(".", tmp_path / "link")
    line = voxcc.fails(64, "label", "a.nii", "--stats", "out.json", "--json", "link/out.json", cwd=tmp_path)
    assert "out.json" in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.nii", "link"]


def test_a_file_beside_the_slices_is_no_input(voxcc, tmp_path):
    """Files in the folder of an input that are not slices may be written and overwritten."""
    write_slices(tmp_path / "s")
    for _ in range(2):
        voxcc("label", "s", "-o", "s/labels.nii", "--stats", "s/table.csv", "-f", cwd=tmp_path)
