"""Selectors of volumes, datasets, channels and time points, compared with volumes that nibabel, tifffile and h5py extract."""

import json
import os

import h5py
import nibabel
import numpy as np
import pytest
import tifffile
from helpers import noise, read_table, sha256, write_nifti

SHAPE = (5, 6, 7)  # z, y, x
VOLUMES = 4


def volumes(seed=1):
    """Different volumes of small integers, [n, z, y, x]."""
    random = np.random.default_rng(seed)
    return random.integers(1, 9, (VOLUMES, *SHAPE)).astype(np.uint8) * noise((VOLUMES, *SHAPE), 0.3, 1, seed)


def write_four(path, values):
    nibabel.save(nibabel.Nifti1Image(values.T, np.diag([2, 3, 4, 1])), path)


# File -> selector of volume n. C is the fastest axis of the TIFF files, so n = t * 2 + c.
FILES = {"four.nii.gz": "[{n}]", "four.nii": "[{n}]", "four.npy": "[{n}]", "four.h5": ":/four[{n}]", "named.h5": ":/group/v{n}", "one.h5": "[{n}]",
         "ome.ome.tif": "[c={c},t={t}]", "imagej.tif": "[T={t},C={c}]", "shaped.tif": "[t={t},c={c}]", "tiff.tif": "[{n}]"}


@pytest.fixture(name="folder", scope="module")
def make_files(tmp_path_factory):
    """4D files of all formats with the same volumes, and each volume as a file of its own."""
    folder = tmp_path_factory.mktemp("files")
    values = volumes()
    write_four(folder / "four.nii.gz", values)
    write_four(folder / "four.nii", values)
    np.save(folder / "four.npy", values)
    with h5py.File(folder / "one.h5", "w") as file:
        file["four"] = values
    with h5py.File(folder / "four.h5", "w") as file:
        file["four"] = values
        file["other"] = values[0]
    with h5py.File(folder / "named.h5", "w") as file:
        for n, volume in enumerate(values):
            file[f"group/v{n}"] = volume
    stack = values.reshape(2, 2, *SHAPE).transpose(0, 2, 1, 3, 4)  # T Z C Y X
    for name in ("ome.ome.tif", "tiff.tif"):
        tifffile.imwrite(folder / name, stack, metadata={"axes": "TZCYX"}, ome=True)
    tifffile.imwrite(folder / "imagej.tif", stack, imagej=True, metadata={"axes": "TZCYX"})
    tifffile.imwrite(folder / "shaped.tif", stack, metadata={"axes": "TZCYX"}, ome=False)
    for n, volume in enumerate(values):
        write_nifti(folder / f"v{n}.nii", volume, np.diag([2, 3, 4, 1]))
    write_nifti(folder / "image.nii", np.arange(np.prod(SHAPE), dtype=np.int16).reshape(SHAPE), np.diag([2, 3, 4, 1]))
    return folder


def selected(name, n):
    return name + FILES[name].format(n=n, c=n % 2, t=n // 2)


def cells(text, *left_out):
    """Rows of a CSV text without the columns that a test does not compare."""
    lines = [line.split(",") for line in text.splitlines()]
    keep = [i for i, name in enumerate(lines[0]) if name not in left_out]
    return [[line[i] for i in keep] for line in lines]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("n", range(VOLUMES))
def test_every_format(voxcc, folder, tmp_path, name, n):
    """One volume has the labels and the table of its own file."""
    spacing = ["--spacing", "2,3,4"]  # formats without an affine
    options = ["--multilabel", "--stats", "-", *spacing]
    alone = voxcc("label", f"v{n}.nii", *options, "-o", tmp_path / "alone.tif", cwd=folder).stdout
    chosen = voxcc("label", selected(name, n), *options, "-o", tmp_path / "chosen.tif", cwd=folder).stdout
    assert cells(chosen) == cells(alone) and len(cells(alone)) > 10
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "chosen.tif"), tifffile.imread(tmp_path / "alone.tif"))


@pytest.mark.parametrize("name", FILES)
def test_other_commands(voxcc, folder, tmp_path, name):
    text = selected(name, 2)
    assert "same" in voxcc("compare", text, "v2.nii", "--exact", cwd=folder).stdout
    assert "differ" in voxcc("compare", selected(name, 1), "v2.nii", expect=1, cwd=folder).stdout
    assert voxcc("verify", text, cwd=folder).stdout == f"{text}: ok\n"
    info = json.loads(voxcc("info", text, "--json", cwd=folder).stdout)
    values = volumes()[2]
    assert info["shape"] == list(SHAPE[::-1]) and [info["range"][key] for key in ("min", "max")] == [values.min(), values.max()]
    spacing = ["--spacing", "2,3,4", "-o", "-"]
    assert cells(voxcc("stats", text, *spacing, cwd=folder).stdout) == cells(voxcc("stats", "v2.nii", *spacing, cwd=folder).stdout)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("option", ("mask", "intensity", "named", "threshold-from"))
def test_companions(voxcc, folder, name, option):
    def run(image):
        arguments = {"mask": ["--mask", image], "intensity": ["--intensity", image], "named": ["--intensity", f"ct={image}", "--percentiles", "20"],
                     "threshold-from": ["--threshold", "60%", "--threshold-from", image]}[option]
        return voxcc("label", "image.nii", *arguments, "--stats", "-", "--spacing", "2,3,4", cwd=folder).stdout

    assert run(selected(name, 3)) == run("v3.nii")
    assert run(selected(name, 3)) != run("v2.nii") or option == "threshold-from"
    if option == "intensity":
        chosen = voxcc("stats", "v1.nii", "--intensity", selected(name, 3), "-o", "-", "--spacing", "2,3,4", cwd=folder).stdout
        assert chosen == voxcc("stats", "v1.nii", "--intensity", "v3.nii", "-o", "-", "--spacing", "2,3,4", cwd=folder).stdout


def test_the_file_of_the_input_follows_the_input(voxcc, folder):
    """A mask or an image without a selector that is the file of the input: the same volume, and the same dataset."""
    for number in range(VOLUMES):
        alone = voxcc("label", f"v{number}.nii", "--intensity", f"v{number}.nii", "--stats", "-", cwd=folder).stdout
        for command in (["four.nii.gz", "--volume", number], [f"four.nii.gz[{number}]"], [f"./four.nii.gz[{number}]"]):
            assert voxcc("label", *command, "--intensity", "four.nii.gz", "--stats", "-", cwd=folder).stdout == alone
    dataset = ["--intensity", "named.h5", "--mask", "named.h5", "--stats", "-"]
    expected = voxcc("label", "v1.nii", "--intensity", "v1.nii", "--stats", "-", "--spacing", "1,1,1", cwd=folder).stdout
    assert voxcc("label", "named.h5:/group/v1", *dataset, "--spacing", "1,1,1", cwd=folder).stdout == expected
    assert voxcc("label", "named.h5", "--dataset", "/group/v1", *dataset, "--spacing", "1,1,1", cwd=folder).stdout == expected
    other = voxcc("label", "v0.nii", "--intensity", "v2.nii", "--stats", "-", cwd=folder).stdout
    assert voxcc("label", "four.nii.gz[0]", "--intensity", "four.nii.gz[2]", "--stats", "-", cwd=folder).stdout == other
    every = read_rows(voxcc("label", "four.nii.gz", "--volume", "all", "--intensity", "four.nii.gz", "--stats", "-", cwd=folder).stdout)
    values = volumes()
    assert all(float(row["intensity_max"]) == values[int(row["volume"])].max() for row in every if row["voxels"] == str(np.count_nonzero(values[int(row["volume"])])))
    assert {row["volume"] for row in every} == {"0", "1", "2", "3"}


def read_rows(text):
    header, *rows = cells(text)
    return [dict(zip(header, row)) for row in rows]


@pytest.mark.parametrize("text, numbers", (("four.nii.gz[1..2]", (1, 2)), ("four.nii.gz[3..3]", (3,)), ("four.h5:/four[0..3]", (0, 1, 2, 3)),
                                           ("ome.ome.tif[c=1,t=0..1]", (1, 3)), ("imagej.tif[t=1,c=0..1]", (2, 3)),
                                           ("shaped.tif[t=0..1,c=0..1]", (0, 1, 2, 3))))
def test_ranges(voxcc, folder, tmp_path, text, numbers):
    """A range gives one row per component of each volume, with the number of the volume in the file."""
    rows = read_rows(voxcc("label", text, "--multilabel", "--stats", "-", cwd=folder).stdout)
    assert tuple(dict.fromkeys(int(row["volume"]) for row in rows)) == numbers
    for number in numbers:
        alone = read_rows(voxcc("label", f"v{number}.nii", "--multilabel", "--stats", "-", cwd=folder).stdout)
        of_volume = [row for row in rows if int(row["volume"]) == number]
        assert [(r["label"], r["voxels"], r["centroid_i"]) for r in of_volume] == [(r["label"], r["voxels"], r["centroid_i"]) for r in alone]
    voxcc("label", text, "-o", tmp_path / "l_{volume}.nii", cwd=folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"l_{number}.nii" for number in numbers]
    stats = read_rows(voxcc("stats", text, "-o", "-", cwd=folder).stdout)
    assert tuple(dict.fromkeys(int(row["volume"]) for row in stats)) == numbers
    assert voxcc("verify", text, cwd=folder).stdout == f"{text}: ok\n"


@pytest.mark.parametrize("command", (["label", "image.nii", "--mask"], ["label", "image.nii", "--stats", "-", "--intensity"], ["label", "v0.nii", "--threshold-from"],
                                     ["info"], ["compare", "v0.nii"], ["stats", "v0.nii", "-o", "-", "--intensity"]))
def test_a_range_where_one_volume_is_needed(voxcc, folder, command):
    error = voxcc.fails(64, *command, "four.nii.gz[0..1]", cwd=folder)
    assert error.endswith("four.nii.gz[0..1]: chooses several volumes, but one is needed; choose one, as in 'four.nii.gz[0]'")


HOSTILE = ("[", "]", "[]", "[-1]", "[99999999999999999999]", "[0..]", "[4..0]", "[..]", "[c=1,c=2]", "[x=1]", "[z=0]", "[q=0]", "[c=9,t=0]", "[c=0]", "[1][2]",
           "[4]", "[0..4]", "[1\n]", "[\x1b[2J]", ":/", ":raw", ":/raw", ":/raw[1]", "[1,2]", "[ 1]", "[%d]", "[1]\n")


@pytest.mark.parametrize("name", ("four.nii.gz", "named.h5", "ome.ome.tif", "four.npy", "v0.nii"))
def test_hostile_selectors(voxcc, folder, name):
    """Each is one error line with a remedy, of the subject that was typed or of its file, in all places."""
    for text in HOSTILE:
        for command in (["label"], ["info"], ["verify"], ["compare", "v0.nii"], ["stats", "-o", "-"], ["label", "v0.nii", "--stats", "-", "--intensity"],
                        ["label", "v0.nii", "--mask"], ["label", "v0.nii", "--threshold-from"]):
            missing = text in ("]",)  # not a selector: the name of a file
            error = voxcc.fails(66 if missing else 64, *command, name + text, cwd=folder)
            assert f" {name}" in error and "; " in error and error.isprintable()


def test_missing_files(voxcc, folder):
    for text in ("none.nii.gz[3]", "none.h5:/raw", "none.tif[c=1,t=0]", "none[3]", "d/none.nii[0]"):
        assert "No such file" in voxcc.fails(66, "label", text, cwd=folder)
        assert "No such file" in voxcc.fails(66, "info", text, cwd=folder)


def test_conflicts_with_options(voxcc, folder):
    assert "--volume" in voxcc.fails(64, "label", "four.nii.gz[1]", "--volume", 2, cwd=folder)
    assert "--volume" in voxcc.fails(64, "label", "four.nii.gz[1..2]", "--volume", "all", cwd=folder)
    assert "--volume" in voxcc.fails(64, "label", "ome.ome.tif[c=1,t=0]", "--volume", 2, cwd=folder)
    assert "--dataset" in voxcc.fails(64, "info", "named.h5:/group/v1", "--dataset", "/group/v2", cwd=folder)
    assert "has no datasets" in voxcc.fails(64, "label", "v0.nii:/raw", cwd=folder)
    # A dataset and a volume may be chosen in different ways.
    voxcc("compare", "four.h5:/four", "four.h5:/four", "--volume", 1, cwd=folder)
    voxcc("info", "four.h5[1]", "--dataset", "/four", cwd=folder)
    # --volume chooses in the input only.
    assert "four.nii.gz[0]" in voxcc.fails(64, "label", "v0.nii", "--volume", 0, "--intensity", "four.nii.gz", "--stats", "-", cwd=folder)
    assert "named.h5:/group/v0" in voxcc.fails(64, "label", "v0.nii", "--dataset", "/group/v0", "--mask", "named.h5", cwd=folder)
    voxcc("label", "four.nii.gz", "--volume", 0, "--intensity", "v1.nii", "--stats", "-", cwd=folder)


def test_a_file_with_the_name_wins(voxcc, tmp_path):
    values = volumes()
    write_four(tmp_path / "a.nii", values)
    for name, n in (("a.nii[1]", 3), ("ct=a.nii", 2), ("b.h5:", 0)):
        write_nifti(tmp_path / "x.nii", values[n], np.diag([2, 3, 4, 1]))
        os.rename(tmp_path / "x.nii", tmp_path / name)
    count = lambda text: voxcc("label", text, "--multilabel", cwd=tmp_path).stdout.split(": ")[-1]  # noqa: E731
    assert count("a.nii[1]") == count("a.nii[3]")
    with h5py.File(tmp_path / "odd.h5", "w") as file:
        file["v"] = values
        file["v[1]"] = values[3]
        file["v[x"] = values[2]
    assert count("odd.h5:/v[1]") == count("a.nii[3]")
    assert count("odd.h5:/v[x") == count("a.nii[2]")
    assert count("odd.h5:/v[2]") == count("a.nii[2]")
    assert count("ct=a.nii") == count("a.nii[2]")
    first = voxcc("label", "a.nii[0]", "--intensity", "ct=a.nii", "--stats", "-", cwd=tmp_path).stdout
    assert "intensity_mean" in first and "ct_mean" not in first
    os.rename(tmp_path / "ct=a.nii", tmp_path / "other.nii")
    assert "ct_mean" in voxcc("label", "a.nii[0]", "--intensity", "ct=a.nii", "--stats", "-", cwd=tmp_path).stdout


def test_names_of_outputs(voxcc, folder, tmp_path):
    """Selections of one file have different stems, without brackets and slashes."""
    inputs = ["four.nii.gz[0]", "four.nii.gz[2..3]", "named.h5:/group/v1", "four.h5:/four[1]", "ome.ome.tif[c=1,t=0]", "v0.nii"]
    voxcc("label", *inputs, "--stats", tmp_path / "{stem}.csv", "--json", tmp_path / "{stem}.json", cwd=folder)
    stems = ["four_0", "four_2-3", "named_group_v1", "four_four_1", "ome_c1_t0", "v0"]
    assert {path.name for path in tmp_path.iterdir()} == {stem + end for stem in stems for end in (".csv", ".json")}
    voxcc("label", *inputs, "--units", "voxel", "--stats", tmp_path / "all.csv", cwd=folder)
    rows = read_table(tmp_path / "all.csv")
    assert list(dict.fromkeys((row["file"], row["volume"]) for row in rows)) == [
        (inputs[0], "n/a"), (inputs[1], 2), (inputs[1], 3), *((text, "n/a") for text in inputs[2:])]
    assert "as 'four.nii.gz[1]' does" in voxcc(
        "label", "four.nii.gz[1]", "four.nii[1]", "-o", tmp_path / "{stem}.nii", expect=64, cwd=folder).stderr


def test_outputs_do_not_replace_the_file_of_a_selector(voxcc, folder, tmp_path):
    """Also with --force, and by another path."""
    for name in ("four.nii", "ome.ome.tif", "four.h5"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    os.link(tmp_path / "four.nii", tmp_path / "link.nii")
    write_nifti(tmp_path / "v0.nii", volumes()[0], np.diag([2, 3, 4, 1]))
    before = {path: sha256(path) for path in tmp_path.iterdir()}
    for command in (["four.nii[1]", "-o", "four.nii"], ["four.nii[1]", "-o", "link.nii"], ["four.nii[9]", "-o", "four.nii"],
                    ["ome.ome.tif[c=0,t=0]", "-o", "ome.ome.tif"], ["four.h5:/four[0]", "-o", "./four.h5"], ["v0.nii", "--mask", "four.nii[1]", "-o", "four.nii"],
                    ["v0.nii", "--stats", "-", "--intensity", "four.nii[1]", "-o", "four.nii"],
                    ["v0.nii", "--stats", "-", "--intensity", "x=four.nii[1]", "--size-output", "four.nii"],
                    ["v0.nii", "--threshold", "otsu", "--threshold-from", "four.nii[1]", "-o", "four.nii"]):
        assert "is an input" in voxcc.fails(73, "label", *command, "-f", cwd=tmp_path)
    voxcc.fails(64, "label", "four.nii[x]", "-o", "four.nii", "-f", cwd=tmp_path)
    assert {path: sha256(path) for path in tmp_path.iterdir()} == before


def test_skipping(voxcc, folder, tmp_path):
    """The selector is a part of the input. Two selections have summaries of their own."""
    command = ["label", "-o", tmp_path / "{stem}.nii", "--json", tmp_path / "{stem}.json", "--skip-existing"]
    voxcc(*command, "four.nii.gz[0]", "four.nii.gz[1]", cwd=folder)
    done = voxcc(*command, "four.nii.gz[0]", "four.nii.gz[1]", "four.nii.gz[2]", cwd=folder)
    assert "1 labelled, 2 skipped, 0 failed" in done.stderr
    summary = json.loads((tmp_path / "four_1.json").read_text())
    assert [record["path"] for record in summary["inputs"]] == ["four.nii.gz"] and summary["volumes"][0]["input"] == "four.nii.gz[1]"
    # Names of files are equal, but the choice in the image differs.
    image = ["label", "four.nii.gz[0]", "--json", tmp_path / "i.json", "--stats", tmp_path / "i.csv", "--skip-existing", "--intensity"]
    voxcc(*image, "four.nii.gz[1]", cwd=folder)
    assert "is skipped" in voxcc(*image, "four.nii.gz[1]", cwd=folder).stderr
    assert "is skipped" not in voxcc(*image, "four.nii.gz[2]", "-f", cwd=folder).stderr


def test_lists_and_reports(voxcc, folder, tmp_path):
    (tmp_path / "list").write_text("four.nii.gz[0]\r\nfour.nii.gz[2..3]\n")
    table = tmp_path / "all.csv"
    voxcc("label", "--list", tmp_path / "list", "--stats", table, "-j", 2, cwd=folder)
    assert {row["file"] for row in read_table(table)} == {"four.nii.gz[0]", "four.nii.gz[2..3]"}
    voxcc("report", table, "--images", "{file}", "-o", tmp_path / "batch.html", cwd=folder)
    (tmp_path / "page.html").write_bytes((folder / "four.nii.gz").read_bytes())
    voxcc("label", "four.nii.gz[0]", "--stats", tmp_path / "one.csv", cwd=folder)
    voxcc("report", tmp_path / "one.csv", "--images", "four.nii.gz[0]", "-o", tmp_path / "one.html", cwd=folder)
    assert "is an input" in voxcc.fails(73, "report", tmp_path / "one.csv", "--images", "page.html[0]", "-o", "page.html", "-f", cwd=tmp_path)


def test_axes_of_info(voxcc, folder):
    """`axes` are in the order of the file, the fastest first."""
    for name in ("ome.ome.tif", "imagej.tif", "shaped.tif"):
        info = json.loads(voxcc("info", name, "--json", cwd=folder).stdout)
        assert list(info["axes"].items()) == [("C", 2), ("Z", 5), ("T", 2)]
    assert "axes         C 2  Z 5  T 2\n" in voxcc("info", "imagej.tif", cwd=folder).stdout


def test_single_positions(voxcc, tmp_path):
    """TIFF files without channels or time points have one position on these axes."""
    values = volumes()[0]
    tifffile.imwrite(tmp_path / "plain.tif", values)
    tifffile.imwrite(tmp_path / "z.ome.tif", values, metadata={"axes": "ZYX"}, ome=True)
    tifffile.imwrite(tmp_path / "c.tif", np.stack([values, values], 1), imagej=True, metadata={"axes": "ZCYX"})
    for text in ("plain.tif[c=0]", "plain.tif[c=0,t=0]", "z.ome.tif[t=0]", "c.tif[c=1]", "c.tif[c=1,t=0]", "c.tif[1]"):
        voxcc("compare", text, "plain.tif", "--exact", cwd=tmp_path)
    assert "has 1 position; choose from [c=0]" in voxcc.fails(64, "info", "plain.tif[c=1]", cwd=tmp_path)
    assert "choose from [c=0..1]" in voxcc.fails(64, "info", "c.tif[c=2]", cwd=tmp_path)


def test_templates_and_folders(voxcc, tmp_path):
    values = volumes()[0]
    (tmp_path / "s").mkdir()
    for z, page in enumerate(values):
        tifffile.imwrite(tmp_path / "s" / f"{z:02}.tif", page)
    np.save(tmp_path / "v.npy", values)
    for text in ("s[0]", "s/[0]", "s/%02d.tif[0]"):
        voxcc("compare", text, "v.npy", "--exact", cwd=tmp_path)
        voxcc.fails(64, "compare", text.replace("0]", "1]"), "v.npy", cwd=tmp_path)
