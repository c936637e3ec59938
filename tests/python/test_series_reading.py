"""All volumes of a compressed 4D file are read with one pass over the file, and the rest of the file is verified."""

import gzip
import resource

import imagecodecs
import nibabel
import numpy as np
import pytest
from helpers import label_scipy, noise, read_table, sha256


def bytes_of(series, image=nibabel.Nifti1Image):
    return image(series.T, np.eye(4)).to_bytes()


def compressed(content, name):
    return imagecodecs.zstd_encode(content) if name.endswith(".zst") else gzip.compress(content, 1)


def write(path, series):
    path.write_bytes(compressed(bytes_of(series, nibabel.MGHImage if path.suffix == ".mgz" else nibabel.Nifti1Image), path.name))


def seconds(voxcc, *arguments, **options):
    """Processor time of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    voxcc(*arguments, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


LABEL = (("--stats", "t.csv"), ("-o", "l.nii", "--dtype", "int32"), ("--threshold", "otsu", "--stats", "t.csv"),
         ("--threshold", ">90", "--masked-output", "m.nii", "--intensity", "in.nii.gz", "--stats", "t.csv"))
RUNS = [*(("label", "in.nii.gz", *given, "-t", "1", "-j", jobs, "-f") for given in LABEL for jobs in ("1", "3")),
        ("stats", "in.nii.gz", "-o", "t.csv", "-f"), ("verify", "in.nii.gz")]


@pytest.mark.parametrize("command", RUNS, ids=" ".join)
def test_the_time_is_linear(voxcc, tmp_path, command):
    """Decoding the file for each of 60 volumes would add about 60 times the time for the last volume."""
    values = np.random.default_rng(1).integers(0, 100, (60, 24, 64, 64)).astype(np.uint8)
    values[:, :, :, 1:] *= values[:, :, :, 1:] > 97
    write(tmp_path / "in.nii.gz", values)
    (tmp_path / "in.nii").write_bytes(bytes_of(values))
    one = seconds(voxcc, command[0], "in.nii.gz[59]", *command[2:], cwd=tmp_path)
    every = seconds(voxcc, *command, "--volume", "all", cwd=tmp_path)
    decoded = [word.replace("in.nii.gz", "in.nii") for word in command]
    assert every < seconds(voxcc, *decoded, "--volume", "all", cwd=tmp_path) + 10 * one


@pytest.mark.parametrize("name", ("in.nii.gz", "in.nii.zst", "in.mgz"))
@pytest.mark.parametrize("options", ((), ("--threshold", "otsu"), ("--intensity", "in", "--percentiles", "10,90"), ("--fill-holes", "--per-slice", "x")), ids=" ".join)
def test_results_are_those_of_single_volumes(voxcc, tmp_path, name, options):
    series = (noise((5, 9, 20, 33), 0.2) * np.random.default_rng(2).integers(1, 99, (5, 9, 20, 33))).astype(np.int16)
    write(tmp_path / name, series)
    options = [name if text == "in" else text for text in options]
    for volume in range(5):
        voxcc("label", f"{name}[{volume}]", *options, "-o", f"one_{volume}.nii", "--stats", f"one_{volume}.csv", cwd=tmp_path)
    hashes = set()
    for jobs in (1, 2, 5):
        outputs = ("-o", "l.nii", "--masked-output", "m.nii.gz", "--stats", "t.csv")
        voxcc("label", name, "--volume", "all", *options, *outputs, "-j", jobs, "-f", cwd=tmp_path)
        hashes.add(tuple(sha256(tmp_path / output) for output in outputs[1::2]))
    assert len(hashes) == 1
    labels = np.asarray(nibabel.load(tmp_path / "l.nii").dataobj)
    rows = read_table(tmp_path / "t.csv")
    for volume in range(5):
        np.testing.assert_array_equal(labels[..., volume], np.asarray(nibabel.load(tmp_path / f"one_{volume}.nii").dataobj))
        of_volume = [{key: row[key] for key in row if key != "volume"} for row in rows if row["volume"] == volume]
        assert of_volume == read_table(tmp_path / f"one_{volume}.csv") and of_volume
    if not options:
        np.testing.assert_array_equal(labels.T, np.stack([label_scipy(volume != 0, 26) for volume in series]))


DAMAGES = {"cut": lambda content: content[: len(content) * 3 // 4], "checksum": lambda content: content[:-8] + bytes([content[-8] ^ 1]) + content[-7:],
           "no end": lambda content: content[:-4], "more": lambda content: content + b"more"}
LABELLING = (("-o", "l.nii", "--stats", "t.csv", "--json", "j.json"), ("-o", "l.nii", "--dtype", "int32"), ("-o", "{volume}.nii", "--stats", "t.csv"))
COMMANDS = [*(("label", *outputs, "-j", jobs) for outputs in LABELLING for jobs in ("1", "3")), ("stats", "-o", "t.csv"), ("verify",)]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_damage_after_the_last_volume(voxcc, tmp_path, command, damage):
    """The volumes 0 and 1 are intact. The error is that of volume 0 alone, and nothing is written."""
    series = np.random.default_rng(3).integers(0, 9, (4, 10, 30, 40)).astype(np.uint8)
    (tmp_path / "in.nii.gz").write_bytes(DAMAGES[damage](compressed(bytes_of(series), "in.nii.gz")))
    expected = voxcc.fails(65, "verify", "in.nii.gz[0]", cwd=tmp_path)
    assert voxcc.fails(65, command[0], "in.nii.gz[0..1]", *command[1:], cwd=tmp_path) == expected
    assert [file.name for file in tmp_path.iterdir()] == ["in.nii.gz"]


@pytest.mark.parametrize("selector", ("[0..1]", "[0..2]", "[2..2]"))
def test_bytes_after_the_voxels(voxcc, tmp_path, selector):
    """The warning is printed once."""
    (tmp_path / "in.nii.gz").write_bytes(gzip.compress(bytes_of(noise((3, 5, 6, 7), 0.3)) + b"more"))
    for arguments in (("label", f"in.nii.gz{selector}", "-o", "l.nii", "-f"), ("stats", f"in.nii.gz{selector}", "-o", "t.csv", "-f"), ("verify", f"in.nii.gz{selector}")):
        assert voxcc(*arguments, cwd=tmp_path).stderr.count("4 bytes after the voxels are ignored") == 1
