"""Where Zarr outputs are written: never through a link, never in place of other people's data, and all metadata together with the labels."""

import json
import os
import shutil
import stat

import numpy as np
import pytest
import zarr
from helpers import noise, sha256

VERSIONS = ("0.4", "0.5")


def content(folder):
    """Path -> mode, and content or target of a link."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = stat.S_IMODE(path.stat().st_mode), sha256(path) if path.is_file() else ""
    return found


@pytest.fixture(params=VERSIONS)
def image(voxcc, tmp_path, request):
    """An image with the labels "cells", and a second image."""
    np.save(tmp_path / "a.npy", noise((6, 7, 8), 0.3))
    np.save(tmp_path / "b.npy", noise((6, 7, 8), 0.4))
    for name in ("k.zarr", "victim.zarr"):
        voxcc("label", "a.npy", "-o", name, "--ngff", request.param, "-q", cwd=tmp_path)
    voxcc("label", "a.npy", "-o", "k.zarr/labels/cells", "--stats", "t.csv", "-q", cwd=tmp_path)
    return tmp_path / "k.zarr"


def list_of(image):
    return image / "labels" / ("zarr.json" if (image / "zarr.json").exists() else ".zattrs")


def refused(voxcc, folder, code, *arguments):
    """The error line of a command that changes nothing."""
    before = content(folder)
    line = voxcc.fails(code, *arguments, cwd=folder)
    assert content(folder) == before
    return line


@pytest.mark.parametrize("options", ((), ("-f",)))
@pytest.mark.parametrize("name", ("cells", "new", "0"))
def test_labels_as_a_link(voxcc, image, name, options):
    folder = image.parent
    shutil.rmtree(image / "labels")
    (image / "labels").symlink_to("../victim.zarr")
    assert "is a symbolic link" in refused(voxcc, folder, 73, "label", "a.npy", "-o", f"k.zarr/labels/{name}", *options)
    (image / "labels").unlink()
    (image / "labels").symlink_to("../absent.zarr")
    assert "is a symbolic link" in refused(voxcc, folder, 73, "label", "a.npy", "-o", f"k.zarr/labels/{name}", *options)


@pytest.mark.parametrize("kind", ("damaged", "cut", "not an object", "link", "folder", "too long"))
def test_unusable_lists_are_found_before_labelling(voxcc, image, kind):
    path = list_of(image)
    text = path.read_text()
    if kind == "damaged":
        path.write_text("{")
    elif kind == "cut":
        path.write_text(text[: len(text) // 2])
    elif kind == "not an object":
        path.write_text("[1]")
    elif kind == "link":
        path.rename(image.parent / "moved")
        path.symlink_to(image.parent / "moved")
    elif kind == "folder":
        path.unlink()
        path.mkdir()
    else:
        path.write_text(text.replace("{", '{"long": "' + "x" * (1 << 24) + '",', 1))
    for options in (("-o", "k.zarr/labels/cells", "--stats", "t.csv", "-f"), ("-o", "k.zarr/labels/new")):
        code = 73 if kind == "folder" else 65
        line = refused(voxcc, image.parent, code, "label", "b.npy", *options)
        assert path.name in line


@pytest.mark.parametrize("name", ("zarr.json", ".zattrs", ".zgroup", ".zarray", ".zmetadata", ".voxcc-publication", "...", "__x"))
def test_reserved_names(voxcc, image, name):
    assert "this name" in refused(voxcc, image.parent, 73, "label", "a.npy", "-o", f"k.zarr/labels/{name}")
    voxcc("label", "a.npy", "-o", "k.zarr/labels/next", cwd=image.parent)


def test_numbers_and_order_of_the_list_stay(voxcc, image):
    path = list_of(image)
    kept = '"zz": 123456789012345678901234567890, "b": [1.10, 1e5, -0, 0.1], "a": {"n": 12345678901234567890.5, "s": "\\"7.50 \\\\"}'
    path.write_text(path.read_text().replace("{", "{" + kept + ",", 1))
    voxcc("label", "a.npy", "-o", "k.zarr/labels/new", "-q", cwd=image.parent)
    voxcc("label", "b.npy", "-o", "k.zarr/labels/more", "-q", cwd=image.parent)
    text = "".join(path.read_text().split())
    assert text.startswith("{" + "".join(kept.split()) + ",")
    attributes = json.loads(text)
    attributes = attributes if path.name == ".zattrs" else attributes["attributes"]["ome"]
    assert attributes["labels"] == ["cells", "new", "more"]
    voxcc("verify", "k.zarr:/labels/more", cwd=image.parent)


def test_numbers_of_consolidated_metadata_stay(voxcc, image):
    own = image / ("zarr.json" if (image / "zarr.json").exists() else ".zattrs")
    own.write_text(own.read_text().replace('"ome": {', '"ome": {"n": 1.10,', 1) if own.name == "zarr.json"
                   else own.read_text().replace("{", '{"n": 1.10,', 1))
    with pytest.warns() if own.name == "zarr.json" else pytest.MonkeyPatch.context():
        zarr.consolidate_metadata(image)
    all_metadata = image / ("zarr.json" if own.name == "zarr.json" else ".zmetadata")
    all_metadata.write_text(all_metadata.read_text().replace('"n": 1.1', '"n": 1.10'))
    assert '"n": 1.10' in all_metadata.read_text()
    voxcc("label", "a.npy", "-o", "k.zarr/labels/new", "-q", cwd=image.parent)
    text = "".join(all_metadata.read_text().split())
    assert '"n":1.10' in text and "labels/new" in text


@pytest.mark.parametrize("mode", (0o700, 0o750, 0o777))
def test_a_replaced_folder_keeps_its_mode(voxcc, image, mode):
    folder = image.parent
    for target in (image / "labels/cells", folder / "victim.zarr"):
        target.chmod(mode)
        voxcc("label", "b.npy", "-o", target, "-f", "-q", cwd=folder)
        assert stat.S_IMODE(target.stat().st_mode) == mode


def test_an_image_with_labels_is_not_replaced(voxcc, image):
    line = refused(voxcc, image.parent, 73, "label", "b.npy", "-o", "k.zarr", "-f")
    assert "k.zarr/labels/NAME" in line
    refused(voxcc, image.parent, 73, "generate", "blobs", "--size", "8", "-o", "k.zarr", "-f")
    voxcc("label", "b.npy", "-o", "victim.zarr", "-f", cwd=image.parent)


@pytest.mark.parametrize("zarr_format", (2, 3))
@pytest.mark.parametrize("make", ("array", "group", "mixed"))
def test_a_store_of_another_program_is_not_replaced(voxcc, tmp_path, make, zarr_format):
    np.save(tmp_path / "a.npy", noise((6, 7, 8), 0.3))
    if make == "array":
        zarr.create_array(tmp_path / "x.zarr", shape=(4, 5), dtype="u1", zarr_format=zarr_format)
    else:
        if make == "mixed":
            voxcc("label", "a.npy", "-o", "x.zarr", "--ngff", "0.4" if zarr_format == 2 else "0.5", cwd=tmp_path)
        zarr.open_group(tmp_path / "x.zarr", zarr_format=zarr_format).create_array("raw", shape=(4, 5), dtype="u1")
    assert "was not written by voxcc" in refused(voxcc, tmp_path, 73, "label", "a.npy", "-o", "x.zarr", "-f")
    (tmp_path / "empty.zarr").mkdir()
    voxcc("label", "a.npy", "-o", "empty.zarr", "-f", cwd=tmp_path)


def test_a_damaged_store_is_not_replaced(voxcc, image):
    document = next(path for path in (image.parent / "victim.zarr").rglob("*") if path.name in ("zarr.json", ".zarray") and path.parent.name == "0")
    document.write_text("{")
    assert "damaged" in refused(voxcc, image.parent, 73, "label", "a.npy", "-o", "victim.zarr", "-f")


@pytest.mark.parametrize("level", ("sub-01", "sub-01/anat"))
def test_links_in_a_bids_dataset_are_not_followed(voxcc, tmp_path, level):
    folder = tmp_path / "in/sub-01/anat"
    folder.mkdir(parents=True)
    (tmp_path / "in/dataset_description.json").write_text('{"Name": "n", "BIDSVersion": "1.8.0"}')
    voxcc("generate", "blobs", "--size", "8", "-o", folder / "sub-01_mask.nii.gz", "-q")
    link = tmp_path / "out" / level
    link.parent.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    link.symlink_to(tmp_path / "elsewhere")
    line = refused(voxcc, tmp_path, 73, "label", "in/sub-01/anat/sub-01_mask.nii.gz", "--bids", "-o", "out")
    assert "is a symbolic link" in line and level in line
