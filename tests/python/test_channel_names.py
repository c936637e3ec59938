"""Channels chosen by name, and intensity images of all channels, compared with numpy."""

import json

import numpy as np
import pytest
import tifffile
import zarr
from helpers import noise, read_table, sha256, write_nifti

NAMES = ["DAPI", "CD45-PE, clone [2]", "Ki-67/p53", "488"]
PREFIXES = ["DAPI", "CD45_PE_clone_2", "Ki_67_p53", "c488"]
SHAPE = (3, 20, 30)  # z, y, x
IMAGES = ("cells.ome.tif", "cells.ome.zarr", "v05.ome.zarr")


def stack(channels=len(NAMES), seed=1):
    return np.random.default_rng(seed).integers(1, 1000, (channels, *SHAPE), dtype=np.uint16)


def write_tiff(path, values, names, **options):
    metadata = {"axes": "CZYX"[-values.ndim:], **({"Channel": {"Name": names}} if names else {})}
    tifffile.imwrite(path, values, metadata=metadata, ome=True, photometric="minisblack", **options)


def write_zarr(path, values, channels, version="0.4"):
    axes = [{"name": "c", "type": "channel"}, *({"name": name, "type": "space"} for name in "zyx")]
    multiscales = [{"version": version, "axes": axes, "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1.0] * 4}]}]}]
    attributes = {"multiscales": multiscales, **({"omero": {"channels": channels}} if channels is not None else {})}
    group = zarr.open_group(path, mode="w", zarr_format=2 if version == "0.4" else 3)
    group.create_array("0", shape=values.shape, dtype=values.dtype, chunks=(1, *SHAPE))[:] = values
    group.attrs.update(attributes if version == "0.4" else {"ome": {"version": version, **attributes}})


@pytest.fixture(name="folder", scope="module")
def make_folder(tmp_path_factory):
    """The same channels in all formats, and labels."""
    folder = tmp_path_factory.mktemp("channels")
    write_tiff(folder / "cells.ome.tif", stack(), NAMES)
    write_zarr(folder / "cells.ome.zarr", stack(), [{"label": name} for name in NAMES])
    write_zarr(folder / "v05.ome.zarr", stack(), [{"label": name} for name in NAMES], "0.5")
    write_tiff(folder / "plain.ome.tif", stack(), None)
    write_tiff(folder / "twice.ome.tif", stack(), ["CD3", "CD4", "CD3", ""])
    write_tiff(folder / "small.ome.tif", stack()[:1], ["only one"])
    labels = noise(SHAPE, 0.3, 2).astype(np.uint8) * np.arange(1, 31, dtype=np.uint8)
    tifffile.imwrite(folder / "labels.tif", labels, photometric="minisblack", metadata={"axes": "ZYX"})
    return folder


def labels_of(folder):
    return tifffile.imread(folder / "labels.tif")


def check_means(rows, labels, columns):
    """Compares columns of means with numpy. @param columns name of the column -> image"""
    assert [int(row["label"]) for row in rows] == sorted(set(np.unique(labels)) - {0})
    for row in rows:
        for column, image in columns.items():
            assert row[column] == pytest.approx(image[labels == int(row["label"])].mean(), rel=1e-12)


@pytest.mark.parametrize("name", IMAGES)
def test_info(voxcc, folder, name):
    about = json.loads(voxcc("info", "--json", "--no-range", name, cwd=folder).stdout)
    assert about["channel_names"] == NAMES
    text = voxcc("info", "--no-range", name, cwd=folder).stdout
    assert all(f"{position}: {channel}\n" in text for position, channel in enumerate(NAMES))


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("position", range(len(NAMES)))
def test_one_channel(voxcc, folder, tmp_path, name, position):
    """A name chooses the voxels of the channel, and so does its position."""
    for text in (quoted(NAMES[position]), str(position)):
        about = json.loads(voxcc("info", "--json", f"{name}[c={text}]", cwd=folder).stdout)
        channel = stack()[position]
        assert (about["range"]["min"], about["range"]["max"]) == (channel.min(), channel.max())
        voxcc("label", f"{name}[c={text}]", "--threshold", ">500", "--masked-output", tmp_path / "out.tif", "-f", cwd=folder)
        np.testing.assert_array_equal(tifffile.imread(tmp_path / "out.tif"), np.where(channel > 500, channel, 0))


def test_quotes_are_needed_only_for_special_names(voxcc, folder, tmp_path):
    for text in ("DAPI", "Ki-67/p53"):
        voxcc("verify", f"cells.ome.tif[c={text}]", cwd=folder)
        voxcc("compare", f"cells.ome.tif[c={text}]", f"cells.ome.zarr[C={quoted(text)}]", "--exact", cwd=folder)
    assert "in double quotes, as in '[c=\"488\"]'" in voxcc.fails(64, "info", "cells.ome.tif[c=488]", cwd=folder)
    assert "double quotes" in voxcc.fails(64, "info", "cells.ome.tif[c=CD45-PE, clone [2]]", cwd=folder)
    write_tiff(tmp_path / "odd.ome.tif", stack(2), ['a "b", c=1', "*"])
    odd = str(tmp_path / "odd.ome.tif")
    voxcc("compare", odd + '[c="a ""b"", c=1"]', odd + "[c=0]", "--exact")
    voxcc("compare", odd + '[c="*"]', odd + "[c=1]", "--exact")


def test_a_single_channel_has_its_name(voxcc, folder):
    voxcc("compare", "small.ome.tif[c=only one]", "cells.ome.tif[c=0]", "--exact", cwd=folder)


def test_errors(voxcc, folder, tmp_path):
    fails = lambda text: voxcc.fails(64, "label", text, cwd=folder)  # noqa: E731
    assert "has no channel with the name 'dapi', nearest: 'DAPI'; choose from DAPI, " in fails("cells.ome.tif[c=dapi]")
    assert "has no channel with the name 'DAPPI', nearest: 'DAPI'; choose from DAPI, " in fails("cells.ome.zarr[c=DAPPI]")
    assert "has no channel with the name 'x'; choose from " in fails("cells.ome.tif[c=x]")
    assert "states no names of its axis C, so 'DAPI' cannot be found; choose by number, from [c=0..3]" in fails("plain.ome.tif[c=DAPI]")
    assert "has the name 'CD3' twice: at the positions 0 and 2 of its axis C; choose by number" in fails("twice.ome.tif[c=CD3]")
    assert "states no names of its axis T" in fails("cells.ome.tif[t=DAPI]")
    for form in ('[c=""]', '[c="]', '[c="DAPI]', '[c="DAPI"x]', "[c==DAPI]", '[c=DA"PI]', "[c=-1]", "[c=1.5]", "[*]", "[c=**,c=1]"):
        voxcc.fails(64, "label", "cells.ome.tif" + form, cwd=folder)
    assert "needed" in voxcc.fails(64, "label", "labels.tif", "--mask", "cells.ome.tif[c=*]", cwd=folder)
    write_nifti(tmp_path / "a.nii", stack(1)[0])
    assert "does not name the axes" in voxcc.fails(64, "label", f"{tmp_path}/a.nii[c=DAPI]")


def test_names_that_do_not_fit_the_channels(voxcc, tmp_path):
    write_zarr(tmp_path / "few.ome.zarr", stack(), [{"label": "A"}, {"label": "B"}])
    about = json.loads(voxcc("info", "--json", "--no-range", tmp_path / "few.ome.zarr").stdout)
    assert "channel_names" not in about and about["channel_names_note"] == "states 2 names for 4 channels; the names are not used"
    assert "states 2 names for 4 channels, so 'A' cannot be found" in voxcc.fails(64, "info", f"{tmp_path}/few.ome.zarr[c=A]")


@pytest.mark.parametrize("channels", ("x", {"label": "x"}, [], [1, 2, 3, 4], [{"label": 1}] * 4, [{}] * 4, [None] * 4, [{"label": "x" * 257}] * 4))
def test_hostile_metadata(voxcc, tmp_path, channels):
    """Names that are not texts are no names, and no error."""
    write_zarr(tmp_path / "odd.ome.zarr", stack(), channels)
    about = json.loads(voxcc("info", "--json", "--no-range", tmp_path / "odd.ome.zarr").stdout)
    assert "channel_names" not in about and about["volumes"] == 4


def test_control_characters(voxcc, tmp_path):
    names = ["a\x1b[31m", "b\nvoxcc: error: c", "\u202e", "d\0"]
    write_zarr(tmp_path / "odd.ome.zarr", stack(), [{"label": name} for name in names])
    assert json.loads(voxcc("info", "--json", "--no-range", tmp_path / "odd.ome.zarr").stdout)["channel_names"] == names
    text = voxcc("info", "--no-range", tmp_path / "odd.ome.zarr").stdout
    assert "0: a?[31m\n" in text and "1: b?voxcc: error: c\n" in text and "\x1b" not in text
    assert "\x1b" not in voxcc.fails(64, "info", f"{tmp_path}/odd.ome.zarr[c=e]")
    table = tmp_path / "t.csv"
    write_nifti(tmp_path / "labels.nii", np.ones(SHAPE, np.uint8))
    voxcc("stats", tmp_path / "labels.nii", "--intensity", f"{tmp_path}/odd.ome.zarr[c=*]", "--geometry-tolerance", "ignore", "-o", table)
    header = table.read_text().split("\n", maxsplit=1)[0]
    assert header.isprintable() and all(f"{prefix}_mean" in header for prefix in ("a_31m", "b_voxcc_error_c", "c2", "d"))


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("prefix", ("", "im"))
def test_intensity_of_all_channels(voxcc, folder, name, prefix):
    image = f"{prefix}={name}[c=*]" if prefix else f"{name}[c=*]"
    table = folder / "all.csv"
    voxcc("stats", "labels.tif", "--intensity", image, "-o", table, "-f", cwd=folder)
    expected = {(f"{prefix}_" if prefix else "") + f"{column}_mean": stack()[c] for c, column in enumerate(PREFIXES)}
    check_means(read_table(table), labels_of(folder), expected)
    # The same as images that are named one by one.
    single = [f"{column[:-5]}={name}[c={c}]" for c, column in enumerate(expected)]
    alone = voxcc("stats", "labels.tif", *(word for one in single for word in ("--intensity", one)), "-o", "-", cwd=folder).stdout
    assert table.read_text() == alone
    voxcc("label", "labels.tif", "--multilabel", "--intensity", image, "--stats", table, "-f", "--keep", f"{next(iter(expected))} > 0",
          "--columns", f"label,{next(iter(expected))}", cwd=folder)
    assert table.read_text().startswith(f"label,{next(iter(expected))}\n")


def test_prefixes(voxcc, folder):
    def header(image):
        return voxcc("stats", "labels.tif", "--intensity", image, "-o", "-", cwd=folder).stdout.split("\n", maxsplit=1)[0].split(",")

    assert [name for name in header("plain.ome.tif[c=*]") if name.endswith("_mean")] == ["c0_mean", "c1_mean", "c2_mean", "c3_mean"]
    assert [name for name in header("twice.ome.tif[c=*]") if name.endswith("_mean")] == ["CD3_0_mean", "CD4_mean", "CD3_2_mean", "c3_mean"]
    assert [name for name in header("small.ome.tif[c=*,t=0]") if name.endswith("_mean")] == ["only_one_mean"]
    two = ["--intensity", "cells.ome.tif[c=*]", "--intensity", "cells.ome.zarr[c=*]"]
    assert "gives two columns the name 'DAPI_mean'" in voxcc.fails(64, "stats", "labels.tif", *two, "-o", "-", cwd=folder)
    error = voxcc.fails(64, "label", "labels.tif", "--intensity", "cells.ome.tif[c=*]", "--stats", "-", "--columns", "FITC_mean", cwd=folder)
    assert "no column 'FITC_mean'" in error


def test_all_channels_as_inputs(voxcc, folder, tmp_path):
    """An input with [c=*] is a list of volumes, as with a range."""
    everything = voxcc("label", "cells.ome.tif[c=*]", "--threshold", ">900", "--stats", "-", cwd=folder).stdout
    assert everything == voxcc("label", "cells.ome.tif[c=0..3]", "--threshold", ">900", "--stats", "-", cwd=folder).stdout
    voxcc("label", "cells.ome.tif[c=*]", "cells.ome.tif[c=DAPI]", 'cells.ome.tif[c="Ki-67/p53"]', "--threshold", ">900", "--stats",
          tmp_path / "{stem}.csv", cwd=folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cells_c-all.csv", "cells_cDAPI.csv", "cells_cKi-67_p53.csv"]


def test_batch_with_channels(voxcc, tmp_path):
    """Images of all inputs must have the same channels. An image that is missing is a failure of its input only."""
    for name in "abc":
        write_nifti(tmp_path / f"{name}.nii", noise(SHAPE, 0.3, 2))
        write_tiff(tmp_path / f"{name}.ome.tif", stack(2), ["DAPI", "CD3"])
    command = ["label", "a.nii", "b.nii", "c.nii", "--intensity", "{dir}/{stem}.ome.tif[c=*]", "--geometry-tolerance", "ignore", "--stats"]
    voxcc(*command, "all.csv", cwd=tmp_path)
    assert {"DAPI_mean", "CD3_mean"} <= set(read_table(tmp_path / "all.csv")[0])
    (tmp_path / "a.ome.tif").unlink()
    voxcc(*command, "two.csv", cwd=tmp_path, expect=1)
    assert {row["file"] for row in read_table(tmp_path / "two.csv")} == {"b.nii", "c.nii"}
    write_tiff(tmp_path / "a.ome.tif", stack(2), ["CD3", "DAPI"])
    assert "has the channels DAPI, CD3, but ./a.ome.tif[c=*] has the channels CD3, DAPI" in voxcc.fails(64, *command, "x.csv", cwd=tmp_path)


def test_parts_and_provenance(voxcc, folder, tmp_path):
    """A plan and a summary state each channel. The file is read for one checksum only."""
    command = ["labels.tif", "--multilabel", "--intensity", "cells.ome.tif[c=*]"]
    voxcc("label", *command, "--stats", tmp_path / "one.csv", "--json", tmp_path / "one.json", cwd=folder)
    summary = json.loads((tmp_path / "one.json").read_text())
    assert [record["path"] for record in summary["inputs"]] == ["labels.tif", "cells.ome.tif"]
    assert summary["inputs"][1]["sha256"] == sha256(folder / "cells.ome.tif")
    voxcc("split", *command, "--part-size", 16, "-o", tmp_path / "plan.json", cwd=folder)
    for step in (["label", "-o", "state"], ["merge", "state", "-o", "merged"], ["relabel", "state", "merged"],
                 ["relabel", "state", "merged", "--finish", "--stats", "parts.csv"]):
        voxcc(step[0], "--plan", "plan.json", *step[1:], cwd=tmp_path)
    assert (tmp_path / "parts.csv").read_text() == (tmp_path / "one.csv").read_text()
