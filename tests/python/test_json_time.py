"""JSON is read in linear time. A quadratic reader needs minutes for each of these files, so the limits are far from both."""

import json

import numpy as np
import pytest
import zarr
from damaged_zarr import edit, write
from helpers import write_nifti

SECONDS = 40
MEMBERS = 200_000


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_metadata_with_many_members(voxcc, tmp_path, zarr_format):
    store = write(tmp_path / "a", zarr_format)
    many = {f"k{i}": {"must_understand": False} for i in range(MEMBERS)}
    edit(store, lambda d: d.update(many if zarr_format == 3 else {"attributes": many}), "zarr.json" if zarr_format == 3 else ".zarray")
    for command in ("info", "verify", "label"):
        voxcc(command, store, timeout=SECONDS)


def test_lists_of_many_objects(voxcc, tmp_path):
    store = write(tmp_path / "a")
    edit(store, lambda d: d.update(attributes={"list": [{"a": {}} for _ in range(MEMBERS)]}))
    voxcc("label", store, timeout=SECONDS)
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5", "multiscales": [
        {"axes": [{"name": n, "type": "space"} for n in "zyx"], "datasets": [{"path": str(i)} for i in range(MEMBERS)]}]}}}
    (tmp_path / "b").mkdir()
    (tmp_path / "b/zarr.json").write_text(json.dumps(group))
    assert "1 to 64 levels" in voxcc.fails(65, "label", tmp_path / "b", timeout=SECONDS)


def consolidate(image, nodes):
    """Adds copies of groups that do not exist to the metadata of an image, which a reader needs not compare."""
    zarr.consolidate_metadata(image)
    group = {"attributes": {}, "zarr_format": 3, "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {}}, "node_type": "group"}
    edit(image, lambda d: d["consolidated_metadata"]["metadata"].update({f"plate/{i}": group for i in range(nodes)}))


def test_consolidated_metadata(voxcc, tmp_path):
    image = tmp_path / "a.ome.zarr"
    write_nifti(tmp_path / "a.nii", np.eye(16, dtype=np.uint8)[:, :, None].repeat(16, 2))
    voxcc("label", tmp_path / "a.nii", "-o", image)
    consolidate(image, 60_000)
    voxcc("label", image, timeout=SECONDS)
    voxcc("label", image / "0", timeout=SECONDS)
    voxcc("label", image, "-o", image / "labels/x", timeout=SECONDS)
    copies = json.loads((image / "zarr.json").read_text())["consolidated_metadata"]["metadata"]
    assert "labels/x" in copies and len(copies) > 60_000 and list(copies) == sorted(copies)


def test_depth_of_metadata(voxcc, tmp_path):
    def nested(levels):
        return json.loads("[" * levels + "]" * levels)

    store = write(tmp_path / "a")
    edit(store, lambda d: d.update(attributes={"x": nested(62)}))
    voxcc("label", store)
    edit(store, lambda d: d.update(attributes={"x": nested(63)}))
    assert "nested too deeply" in voxcc.fails(65, "label", store)


def test_metadata_that_voxcc_does_not_write(voxcc, tmp_path):
    """Labels have the transformations of their image, in a longer notation."""
    write_nifti(tmp_path / "a.nii", np.ones((8, 8, 8), np.uint8))
    image = tmp_path / "k.zarr"
    voxcc("label", tmp_path / "a.nii", "-o", image, "--ngff", "0.5")
    before = sorted(image.rglob("*"))
    multiscales = ("attributes", "ome", "multiscales", 0)

    def set_transformations(transformations):
        def change(document):
            for key in multiscales:
                document = document[key]
            document["datasets"][0]["coordinateTransformations"] = transformations

        return change

    scale = {"type": "scale", "scale": [1, 1, 1]}
    edit(image, set_transformations([scale] * 100_000))
    assert "64 transformations" in voxcc.fails(65, "label", tmp_path / "a.nii", "-o", image / "labels/x")
    edit(image, set_transformations([{**scale, "note": [0] * 1_000_000}]))
    assert "too long to be read again" in voxcc.fails(65, "label", tmp_path / "a.nii", "-o", image / "labels/x")
    assert sorted(image.rglob("*")) == before


@pytest.mark.parametrize("output", ["csv", "json"])
def test_wide_rows(voxcc, tmp_path, output):
    (tmp_path / "a.json").write_text(json.dumps([{f"k{i}": i for i in range(MEMBERS)}] * 2))
    voxcc("join", tmp_path / "a.json", "-o", tmp_path / f"b.{output}", timeout=SECONDS)
    if output == "json":
        assert json.loads((tmp_path / "b.json").read_text())[1][f"k{MEMBERS - 1}"] == MEMBERS - 1


def test_long_summaries(voxcc, tmp_path):
    write_nifti(tmp_path / "a.nii", np.ones((4, 4, 4), np.uint8))
    command = ["label", "a.nii", "--stats", "a.csv", "--json", "a.json"]
    voxcc(*command, cwd=tmp_path)
    summary = json.loads((tmp_path / "a.json").read_text())
    summary["failed"] = [{"input": "x"}] * MEMBERS
    summary["more"] = {f"k{i}": {} for i in range(MEMBERS)}
    (tmp_path / "a.json").write_text(json.dumps(summary, separators=(",", ":")))
    voxcc(*command, "--skip-existing", cwd=tmp_path, timeout=SECONDS)
    voxcc("report", "a.csv", "--provenance", "a.json", "-o", "page.html", cwd=tmp_path, timeout=SECONDS)
