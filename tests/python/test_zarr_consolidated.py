"""Labels in an image with consolidated metadata: zarr-python and ome-zarr, which use these metadata, find the labels."""

import concurrent.futures
import json
import re
import shutil

import numpy as np
import ome_zarr.io
import ome_zarr.reader
import pytest
import zarr
from helpers import label_scipy
from zarr_images import attributes_of, contents, image_of

pytestmark = pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")


def document_of(group, version):
    return group / (".zmetadata" if version == "0.4" else "zarr.json")


def copies_in(group, version):
    document = json.loads(document_of(group, version).read_text())
    return document["metadata"] if version == "0.4" else document["consolidated_metadata"]["metadata"]


def members(group):
    """All nodes that zarr-python finds by the consolidated metadata."""
    found = zarr.open_consolidated(group).members(max_depth=None)
    return {name: {**member.metadata.to_dict(), "consolidated_metadata": None} for name, member in found}


@pytest.fixture(params=["0.4", "0.5"])
def version(request):
    return request.param


@pytest.fixture
def image(tmp_path, version):
    """An image with a list of labels, so that its consolidated metadata has a group that follows its other members."""
    image_of(tmp_path / "image.ome.zarr", version)
    zarr.open_group(tmp_path / "image.ome.zarr", mode="r+").create_group("zz").create_array("more", shape=(3, 4), dtype="f4")
    zarr.consolidate_metadata(tmp_path / "image.ome.zarr")
    return tmp_path / "image.ome.zarr"


def data_of(image):
    return zarr.open_array(image / "s0", mode="r")[0, 0]


def test_new_labels_are_visible(voxcc, tmp_path, image, version):
    before, attributes = contents(image), attributes_of(image, version)
    expected = label_scipy(data_of(image), 26)
    run = voxcc("label", f"{image}[c=1]", "-o", image / "labels/cells")
    assert "warning" not in run.stderr
    after = contents(image)
    assert {name for name in before if after[name] != before[name]} == {document_of(image, version).name}
    assert attributes_of(image, version) == attributes and list(attributes_of(image, version)) == list(attributes)
    group = zarr.open_consolidated(image)
    np.testing.assert_array_equal(group["labels/cells/s0"][0, 0], expected)
    names = [name for name, _ in group["labels"].members()]
    assert names == ["cells"] and set(dict(group["zz"].members())) == {"more"}
    reader = list(ome_zarr.reader.Reader(ome_zarr.io.parse_url(str(image)))())
    assert any(node.metadata.get("name") == "cells" for node in reader)
    voxcc("label", f"{image}[c=1]", "-o", image / "labels/big", "-c", "6", "--min-size", "20")
    voxcc("label", f"{image}[c=1]", "-o", image / "labels/cells", "-c", "6", "-f", "--dtype", "uint64")
    assert zarr.open_consolidated(image)["labels/cells/s0"].dtype == "uint64"
    assert copies_in(image, version)["labels/.zattrs" if version == "0.4" else "labels"]
    ours = members(image)
    shutil.copytree(image, tmp_path / "copy.zarr")
    zarr.consolidate_metadata(tmp_path / "copy.zarr")
    assert ours == members(tmp_path / "copy.zarr") and "labels/big/s1" in ours
    voxcc("verify", image)


def test_groups_above_the_image(voxcc, tmp_path, version):
    """A store of several images, as bioformats2raw writes it, and a folder of stores."""
    root = tmp_path / "all"
    zarr.create_group(root, zarr_format=2 if version == "0.4" else 3).create_group("store.zarr")
    for name in "01":
        image_of(root / "store.zarr" / name, version)
    zarr.consolidate_metadata(root)
    zarr.consolidate_metadata(root / "store.zarr")
    other = (root / "store.zarr/1").stat().st_mtime_ns
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        targets = [(f"{root}/store.zarr/{i}", f"n{number}") for i in "01" for number in range(4)]
        list(pool.map(lambda target: voxcc("label", f"{target[0]}[c=0]", "-o", f"{target[0]}/labels/{target[1]}", "-t", "1"), targets))
    assert (root / "store.zarr/1").stat().st_mtime_ns != other
    for image, name in targets:
        zarr.open_consolidated(root / "store.zarr")[f"{image[-1]}/labels/{name}/s1"][:]
        assert zarr.open_consolidated(root)[f"store.zarr/{image[-1]}/labels"].attrs == zarr.open_group(f"{image}/labels", mode="r").attrs
    shutil.copytree(root, tmp_path / "copy")
    zarr.consolidate_metadata(tmp_path / "copy")
    assert members(root) == members(tmp_path / "copy")


def test_group_of_labels(voxcc, image, version):
    voxcc("label", f"{image}[c=0]", "-o", image / "labels/a")
    zarr.consolidate_metadata(image / "labels")
    voxcc("label", f"{image}[c=0]", "-o", image / "labels/b")
    assert {"a", "b", "b/s0", "b/s1"} < set(members(image / "labels"))
    assert attributes_of(image / "labels", version)["labels"] == ["a", "b"]


def test_levels_in_folders(voxcc, tmp_path, version):
    """ngff-zarr names the levels scale0/image. Without a group scale0, zarr-python cannot open such consolidated metadata."""
    image = tmp_path / "image.zarr"
    image_of(image, version, paths="scale{}/image")
    zarr.consolidate_metadata(image)
    voxcc("label", f"{image}[c=0]", "-o", image / "labels/a")
    expected = label_scipy(zarr.open_array(image / "scale0/image", mode="r")[0, 0], 26)
    np.testing.assert_array_equal(zarr.open_consolidated(image)["labels/a/scale0/image"][0, 0], expected)
    assert set(dict(zarr.open_group(image / "labels/a", mode="r").members(max_depth=None))) == {
        "scale0", "scale0/image", "scale1", "scale1/image"}


def test_images_without_consolidated_metadata(voxcc, tmp_path, version):
    image_of(tmp_path / "image.zarr", version)
    before = contents(tmp_path)
    voxcc("label", tmp_path / "image.zarr[c=0]", "-o", tmp_path / "image.zarr/labels/a")
    after = contents(tmp_path)
    assert {name: after[name] for name in before} == before and not list(tmp_path.rglob(".zmetadata"))


def change(document, function):
    content = json.loads(document.read_text())
    function(content if document.name == ".zmetadata" else content["consolidated_metadata"])
    document.write_text(json.dumps(content))


def remove_members(content):
    content["metadata"] = {}


def other_form(content):
    content.pop("zarr_consolidated_format", None)
    content["kind"] = "elsewhere"


@pytest.mark.parametrize("function, message", [
    (lambda content: content.update(note=float("nan")), "is not valid JSON"),
    (other_form, "has consolidated metadata of another form"),
    (lambda content: content.update(metadata=[]), "has consolidated metadata of another form"),
    (remove_members, "has consolidated metadata without the group 'image.zarr'"),
])
def test_metadata_that_cannot_be_updated(voxcc, tmp_path, version, function, message):
    """The labels are written, the metadata stay as they are, and a warning says what to do."""
    zarr.create_group(tmp_path / "root", zarr_format=2 if version == "0.4" else 3)
    image = tmp_path / "root/image.zarr"
    image_of(image, version)
    zarr.consolidate_metadata(tmp_path / "root")
    document = document_of(tmp_path / "root", version)
    change(document, function)
    before = document.read_bytes()
    run = voxcc("label", f"{image}[c=0]", "-o", image / "labels/a")
    assert message in run.stderr and document.read_bytes() == before
    assert zarr.open_array(image / "labels/a/s0", mode="r").shape == (1, 1, 40, 60, 50)
    command = re.search(r"zarr\.consolidate_metadata\('(.*)'\)", run.stderr)
    assert command.group(1) == str(tmp_path / "root")
    if version == "0.5" and "JSON" in message:
        return  # zarr-python cannot read the group, either
    zarr.consolidate_metadata(command.group(1))
    assert "image.zarr/labels/a/s0" in members(tmp_path / "root")


def attributes_copy(copies, node, version):
    return copies[f"{node}/.zattrs"] if version == "0.4" else copies[node]["attributes"]


def array_copy(copies, node, version):
    return copies[f"{node}/.zarray"] if version == "0.4" else copies[node]


CHANGES = {  # of copies -> whether `verify` of the labels reads the changed copy
    "shape of a level": (lambda copies, version: array_copy(copies, "labels/cells/s1", version).update(shape=[1, 1, 40, 30, 26]), True),
    "type": (lambda copies, version: array_copy(copies, "labels/cells/s0", version).update(
        {"dtype": "|i1"} if version == "0.4" else {"data_type": "int8"}), True),
    "fill value": (lambda copies, version: array_copy(copies, "labels/cells/s0", version).update(fill_value=1), True),
    "scale": (lambda copies, version: attributes_copy(copies, "labels/cells", version).update(multiscales=[]), True),
    "list": (lambda copies, version: attributes_copy(copies, "labels", version).update(labels=[]), False),
    "array of the image": (lambda copies, version: array_copy(copies, "s1", version).update(shape=[1, 2, 40, 30, 26]), False),
    "array that does not exist": (lambda copies, version: copies.update(
        {key.replace("cells", "gone"): copy for key, copy in copies.items() if "cells" in key}), False),
}


@pytest.mark.parametrize("change_of", CHANGES)
def test_verify_finds_old_copies(voxcc, image, version, change_of):
    function, in_labels = CHANGES[change_of]
    voxcc("label", f"{image}[c=1]", "-o", image / "labels/cells")
    ways = [image, f"{image}:/labels/cells", image / "labels/cells", f"{image}:/labels/cells/s0"]
    for way in ways:
        assert "consolidated" not in voxcc("verify", way).stderr
    document = document_of(image, version)
    before = document.read_text()
    change(document, lambda content: function(content["metadata"], version))
    message = voxcc.fails(65, "verify", image)
    assert "consolidated metadata" in message and f"zarr.consolidate_metadata('{image}')" in message
    for way in ways[1:]:
        touched = in_labels and not (str(way).endswith("/s0") and change_of in ("shape of a level", "scale"))
        voxcc("verify", way, expect=65 if touched else 0)
    voxcc("info", image)
    voxcc("label", f"{image}[c=1]", "-o", image / "labels/again")  # other commands do not read the copies
    document.write_text(before)


def test_verify_accepts_another_form_of_the_same_metadata(voxcc, image, version):
    """Members that are left out, another order, and a codec in its short form."""
    voxcc("label", f"{image}[c=1]", "-o", image / "labels/cells")

    def rewrite(content):
        for key, copy in content["metadata"].items():
            content["metadata"][key] = dict(reversed(copy.items()))
            for name in ("attributes", "storage_transformers", "filters", "dimension_names"):
                if name in copy and not copy[name]:
                    del content["metadata"][key][name]

    change(document_of(image, version), rewrite)
    assert "consolidated" not in voxcc("verify", image).stderr


@pytest.mark.parametrize("function", [other_form, lambda content: content.update(note=float("nan"))])
def test_verify_warns_of_copies_that_it_cannot_compare(voxcc, image, version, function):
    voxcc("label", f"{image}[c=1]", "-o", image / "labels/cells")
    if version == "0.5" and function is not other_form:
        return  # the metadata of the group are in the same document, which voxcc then cannot read
    change(document_of(image, version), function)
    assert "are not compared" in voxcc("verify", image).stderr


def test_two_labels_of_one_run(voxcc, image, version):
    """Both names are in the list and in the consolidated metadata."""
    voxcc("label", f"{image}[c=1]", "-o", image / "labels/a", "--mask-output", image / "labels/b", "--size-output", image / "labels/c")
    assert sorted(attributes_of(image / "labels", version)["labels"]) == ["a", "b", "c"]
    assert {f"labels/{name}/s1" for name in "abc"} < set(members(image))
    assert "consolidated" not in voxcc("verify", image).stderr
