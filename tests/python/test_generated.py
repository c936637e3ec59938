"""Inputs such as "generate:blobs?size=64": they give the results of the file that `voxcc generate` writes with the same options."""

import json

import nibabel
import numpy as np
import pytest
from helpers import read_nifti
from parts_steps import in_parts

VOLUMES = {
    "hilbert": {"size": 40, "order": 4},
    "random": {"shape": "50,40,30", "density": 0.3, "granularity": 2, "seed": 7},
    "random 32 bits": {"shape": "50,40,30", "density": 0.2, "generator": "mt19937"},
    "random by position": {"shape": "50,40,30", "density": 0.3, "granularity": 3, "generator": "splitmix64", "seed": 5},
    "random image": {"shape": "90,70", "density": 0.4},
    "spiral": {"shape": "41,37,9"},
    "zigzag-spiral": {"shape": "40,33,5"},
    "dry-earth": {"shape": "70,64,4", "seed": 2},
    "ridge": {"shape": "64,64,3", "level": 2},
    "ridge random": {"shape": "64,64,3", "family": "random-merging", "level": 2, "subdivisions": 2, "probability": 0.6, "seed": 3},
    "blobs": {"shape": "60,50,40", "scale": 2, "density": 0.3},
    "blobs tiled": {"shape": "60,50,40", "scale": 2, "density": 0.3, "tile": 24},
    "checkerboard": {"shape": "21,20,19"},
    "checkerboard coarse": {"shape": "41,40,39", "granularity": 7},
    "solid": {"shape": "33,32,31"},
    "solid by default": {},
}


def name_of(volume):
    options = VOLUMES[volume]
    return "generate:" + volume.split()[0] + ("?" if options else "") + "&".join(f"{key}={value}" for key, value in options.items())


def write(voxcc, volume, path):
    options = [text for key, value in VOLUMES[volume].items() for text in ("--" + key, value)]
    voxcc("generate", volume.split()[0], *options, "-o", path, "-q")
    return path


@pytest.mark.parametrize("volume", VOLUMES)
def test_labels_and_table_are_those_of_the_file(voxcc, tmp_path, volume):
    write(voxcc, volume, tmp_path / "in.nii")
    for source, out in ((tmp_path / "in.nii", "file"), (name_of(volume), "computed")):
        voxcc("label", source, "-c", "4" if "image" in volume else "6", "-o", tmp_path / f"{out}.nii", "--stats", tmp_path / f"{out}.csv", "-q")
    assert (tmp_path / "file.nii").read_bytes() == (tmp_path / "computed.nii").read_bytes()
    assert (tmp_path / "file.csv").read_bytes() == (tmp_path / "computed.csv").read_bytes()


@pytest.mark.parametrize("volume", VOLUMES)
def test_parts_of_a_computed_volume(voxcc, tmp_path, volume):
    source = name_of(volume)
    voxcc("label", source, "-o", tmp_path / "one.nii", "--stats", tmp_path / "one.csv", "-q")
    outputs = ["-o", tmp_path / "parts.nii", "--stats", tmp_path / "parts.csv"]
    assert in_parts(voxcc, tmp_path, source, "--part-size", "17", outputs=outputs) > 1
    assert (tmp_path / "one.nii").read_bytes() == (tmp_path / "parts.nii").read_bytes()
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["image"] == {"path": source, "type": "uint8", "bytes": 0, "modified_ns": 0, "files": ""}


def test_every_command_that_reads_a_volume(voxcc, tmp_path):
    source, file = name_of("blobs"), write(voxcc, "blobs", tmp_path / "in.nii")
    assert voxcc("compare", source, file, "--exact").returncode == 0
    info = json.loads(voxcc("info", source, "--json").stdout)
    assert (info["shape"], info["format"], info["spacing_mm"]) == ([60, 50, 40], "generated", [1, 1, 1])
    voxcc("verify", source)
    voxcc("label", file, "--stats", "-", "-q", "--mask", name_of("checkerboard coarse"), expect=65)  # another shape
    mask = "generate:checkerboard?shape=60,50,40&granularity=7"
    results = [voxcc("label", of, "--mask", mask, "--intensity", of, "--stats", "-", "-q").stdout for of in (source, file)]
    assert results[0] == results[1] and results[0].count("\n") > 10
    results = [voxcc("stats", of, "--intensity", mask, "-o", "-", "-q").stdout for of in (source, file)]
    assert results[0] == results[1] and results[0].count("\n") == 2
    results = [voxcc("label", of, "--max-memory", "20MB", "-t", "1", "--stats", "-", "-q").stdout for of in (source, file)]
    assert results[0] == results[1]


def test_voxels_follow_from_positions(voxcc, tmp_path):
    """Against numpy: a checkerboard, and blocks that SplitMix64 draws in raster order."""
    voxcc("label", "generate:checkerboard?shape=31,26,17&granularity=4", "-c", "26", "-o", tmp_path / "board.nii", "-q")
    z, y, x = np.indices((17, 26, 31)) // 4
    assert np.array_equal(read_nifti(tmp_path / "board.nii"), (x + y + z) % 2 == 0)
    voxcc("label", "generate:random?shape=31,26,17&granularity=4&generator=splitmix64&density=0.4&seed=11", "-o", tmp_path / "r.nii", "-q")
    with np.errstate(over="ignore"):
        index = ((z * 7 + y) * 8 + x).astype(np.uint64)
        draw = np.uint64(11) + (index + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        draw = (draw ^ (draw >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        draw = (draw ^ (draw >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        draw ^= draw >> np.uint64(31)
    assert np.array_equal(read_nifti(tmp_path / "r.nii") > 0, draw < np.uint64(int(0.4 * 2.0**64)))


def test_names_and_files(voxcc, tmp_path):
    voxcc("label", "generate:solid?shape=4,3,2", "-o", tmp_path / "{stem}.nii", "-q", "--spacing", "1,2,3")
    labels = nibabel.load(tmp_path / "generate_solid_shape4_3_2.nii")
    assert labels.shape == (4, 3, 2) and labels.header.get_zooms() == (1, 2, 3)
    write(voxcc, "checkerboard", tmp_path / "in.nii").rename(tmp_path / "generate:solid?size=9")  # a file of this name wins
    assert json.loads(voxcc("info", "generate:solid?size=9", "--json", cwd=tmp_path).stdout)["shape"] == [21, 20, 19]


@pytest.mark.parametrize(
    ("text", "cause"),
    (
        ("", "kind: '' is not a valid value"),
        ("cube?size=4", "kind: 'cube' is not a valid value"),
        ("solid?", "'': is not an option"),
        ("solid?size", "'size': is not an option"),
        ("solid?=4", "'=4': is not an option"),
        ("solid?size=4&", "'': is not an option"),
        ("solid?sizes=4", "nearest: 'size'"),
        ("solid?size=", "size: '' is not a whole number"),
        ("solid?size=-4", "size: '-4' is not a whole number"),
        ("solid?size=0", "size: '0' is not a whole number"),
        ("solid?size=4&size=5", "size: is given twice"),
        ("solid?size=4&shape=4,4,4", "shape: excludes size"),
        ("solid?shape=4", "shape: '4' is not two or three whole numbers"),
        ("solid?shape=1099511627777,1,1", "shape:"),
        ("solid?shape=99999999999,99999999999,9", "shape:"),
        ("solid?size=4[0]", "size: '4[0]' is not a whole number"),
        ("solid?size=4:/a", "size: '4:/a' is not a whole number"),
        ("solid?size=4&seed=1", "seed: is not used by 'solid'"),
        ("ridge?size=64&seed=1", "seed: is not used by 'leveling'"),
        ("hilbert?size=8&order=4", "size: 8 voxels cannot hold a curve of order 4"),
        ("hilbert?shape=8,8,9&order=2", "shape: a Hilbert curve fills a cube"),
        ("random?density=nan", "density: 'nan' is not a number"),
        ("random?generator=xorshift", "generator: 'xorshift' is not a valid value"),
        ("checkerboard?granularity=1025", "granularity: '1025' is not a whole number"),
        ("blobs?tile=0", "tile: '0' is not a whole number"),
    ),
)
@pytest.mark.parametrize("command", ("label", "info", "split"))
def test_texts_that_are_refused(voxcc, tmp_path, command, text, cause):
    output = {"label": ["--stats", "-"], "info": [], "split": ["-o", tmp_path / "plan.json"]}[command]
    message = voxcc.fails(64, command, "generate:" + text, *output)
    assert f"generate:{text}: " in message and cause in message and "; " in message
    assert not (tmp_path / "plan.json").exists()


def test_options_that_do_not_fit(voxcc):
    for options, cause in ((["--volume", "1"], "has no volume 1"), (["--raw", "uint8,4x4x4"], "--raw"), (["--reader", "itk"], "computed")):
        assert cause in voxcc.fails(64, "label", "generate:solid?size=4", *options, "--stats", "-")


def test_a_volume_that_needs_too_much_memory(voxcc, tmp_path):
    shape = "10000,10000,10000"
    assert "memory" in voxcc.fails(71, "label", f"generate:blobs?shape={shape}", "--stats", "-")
    assert "memory" in voxcc.fails(71, "generate", "blobs", "--shape", shape, "-o", tmp_path / "out.nii.gz")
    assert "memory" in voxcc.fails(71, "info", f"generate:blobs?shape={shape}")
    assert json.loads(voxcc("info", f"generate:blobs?shape={shape}", "--no-range", "--json").stdout)["shape"] == [10000, 10000, 10000]
    assert list(tmp_path.iterdir()) == []
