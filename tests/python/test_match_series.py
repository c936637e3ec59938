"""`voxcc match` for series against a model in numpy and scipy, and its files in other libraries."""

import itertools
import json

import nibabel
import numpy as np
import pytest
import tifffile
import zarr
from helpers import read_table
from track_model import SPACING, Frames, Model, as_tracks, random_series


def write(path, series):
    """The array t, z, y, x as a 4D NIfTI file."""
    nibabel.Nifti1Image(series.transpose(3, 2, 1, 0), np.diag([*SPACING[::-1], 1.0]), dtype=series.dtype).to_filename(path)
    return path


def check(folder, series, model):
    """Compares links.csv, tracks.csv, tracks.txt and out.nii with a model."""
    rows = read_table(folder / "links.csv")
    expected = [(t, a, t + 1, b, links[a, b], model.pairs[t].shared.get((a, b), 0), model.track_of[t][a], model.track_of[t + 1][b])
                for t, links in enumerate(model.links) for a, b in sorted(links)]
    names = ["frame", "label", "next_frame", "next_label", "kind", "voxels", "track", "next_track"]
    assert [tuple(row[name] for name in names) for row in rows] == expected
    for row in rows:
        pair = model.pairs[int(row["frame"])]
        assert row["iou"] == pytest.approx(pair.iou(row["label"], row["next_label"]), rel=1e-12)
        assert row["distance_mm"] == pytest.approx(pair.distance(row["label"], row["next_label"]), abs=1e-9)
    tracks = read_table(folder / "tracks.csv")
    names = ["first_frame", "last_frame", "parent", "tree", "begins", "ends"]
    assert {row["track"]: [row[name] for name in names] for row in tracks} == {
        number: [track[name] for name in ("first", "last", "parent", "tree", "begins", "ends")] for number, track in model.tracks.items()}
    assert [row["track"] for row in tracks] == list(range(1, len(tracks) + 1))
    for row in tracks:
        track = model.tracks[row["track"]]
        assert row["frames"] == track["last"] - track["first"] + 1
        assert row["mean_voxels"] == pytest.approx(track["voxels"] / row["frames"], rel=1e-12)
        assert row["path_mm"] == pytest.approx(track["path"], abs=1e-9)
    lines = [list(map(int, line.split())) for line in (folder / "tracks.txt").read_text().splitlines()]
    assert lines == [[n, track["first"], track["last"], track["parent"]] for n, track in model.tracks.items()]
    out = np.asarray(nibabel.load(folder / "out.nii").dataobj).transpose(3, 2, 1, 0)
    assert (out == as_tracks(series, model)).all()


OUTPUTS = ["--links", "links.csv", "--tracks", "tracks.csv", "--tracks", "tracks.txt", "-o", "out.nii", "-f"]
RULES = [
    {}, {"at": 0.2}, {"at": 0.05, "inside": 0.1}, {"by": "dice", "at": 0.3, "how": "greedy", "inside": 1.0}, {"by": "fraction", "at": 0.4, "how": "many"},
    {"by": "distance", "at": 4.5, "inside": 0.3}, {"reach": 6.0}, {"reach": 9.0, "how": "greedy"}, {"at": 0.9, "inside": 0.75, "reach": 2.6, "how": "many"}]


def options_of(rule):
    words = {"by": "--by", "at": "--at", "how": "--assign", "inside": "--inside", "reach": "--reach"}
    return [word for name, value in rule.items() for word in (words[name], f"{value}mm" if name == "reach" else value)]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_random_series(voxcc, tmp_path, rule):
    compared, kinds, ends = 0, set(), set()
    for seed in range(40):
        series = random_series(np.random.default_rng([seed, RULES.index(rule)]))
        model = Model(series, **rule)
        if None in model.links:
            continue  # several choices of partners are equally good
        write(tmp_path / "s.nii", series)
        voxcc("match", "s.nii", "--volume", "all", *options_of(rule), *OUTPUTS, "-t", 1 + 3 * (seed % 2), cwd=tmp_path)
        check(tmp_path, series, model)
        compared += 1
        kinds |= {kind for links in model.links for kind in links.values()}
        ends |= {track[name] for track in model.tracks.values() for name in ("begins", "ends")}
    assert compared > 20
    assert {"partner", "split", "merge"} <= kinds and {"start", "new", "gone", "end", "split"} <= ends


@pytest.mark.parametrize("seed", range(4))
def test_threads_give_the_same_bytes(voxcc, tmp_path, seed):
    """Many objects with equal values, so that ties are frequent."""
    rng = np.random.default_rng(seed)
    series = np.kron(rng.integers(0, 4000, (4, 8, 40, 40)), np.ones((1, 1, 2, 2))).astype(np.int16)
    write(tmp_path / "s.nii.gz", series)
    results = []
    for threads, how in itertools.product((1, 4), ("optimal", "greedy", "many")):
        name = f"{how}{threads}"
        voxcc("match", "s.nii.gz", "--volume", "all", "--by", "fraction", "--at", 0.1, "--inside", 0.01, "--assign", how, "--reach", "3mm", "-t", threads, "--links",
              f"{name}.csv", "--tracks", f"{name}.json", "-o", f"{name}.nii.gz", cwd=tmp_path)
        results.append([(tmp_path / f"{name}.{kind}").read_bytes() for kind in ("csv", "json", "nii.gz")])
    assert results[:3] == results[3:]
    assert len(read_table(tmp_path / "greedy1.csv")) > 1000


def test_components(voxcc, tmp_path):
    rng = np.random.default_rng(3)
    series = random_series(rng)
    write(tmp_path / "mask.nii", (series != 0).astype(np.uint8) * 7)
    voxcc("label", "mask.nii", "--volume", "all", "-o", "labels.nii", cwd=tmp_path)
    labels = np.asarray(nibabel.load(tmp_path / "labels.nii").dataobj).transpose(3, 2, 1, 0).astype(np.int64)
    voxcc("match", "mask.nii", "--volume", "all", "--components", *OUTPUTS, cwd=tmp_path)
    check(tmp_path, labels, Model(labels))
    summary = voxcc("match", "mask.nii", "--volume", "all", "--components", "-c", 6, cwd=tmp_path).stdout
    assert summary.startswith("frames       6\nobjects ")


def test_summary(voxcc, tmp_path):
    series = random_series(np.random.default_rng(11))
    write(tmp_path / "s.nii", series)
    model = Model(series)
    summary = json.loads(voxcc("match", "s.nii", "--volume", "all", "--json", "-", cwd=tmp_path).stdout)
    tracks = model.tracks.values()
    assert {name: summary[name] for name in list(summary)[4:]} == {
        "frames": 6, "objects": sum(map(len, model.track_of)), "links": sum(map(len, model.links)), "tracks": len(tracks),
        "new": sum(t["begins"] == "new" for t in tracks), "gone": sum(t["ends"] == "gone" for t in tracks),
        "splits": sum(t["ends"] == "split" for t in tracks), "merges": sum(t["begins"] == "merge" for t in tracks)}


def test_range_counts_frames_from_0(voxcc, tmp_path):
    series = random_series(np.random.default_rng(5))
    write(tmp_path / "s.nii", series)
    voxcc("match", "s.nii[2..4]", *OUTPUTS, cwd=tmp_path)
    check(tmp_path, series[2:5], Model(series[2:5]))


def test_time_axis_of_tiff_and_zarr(voxcc, tmp_path):
    """Frames of one channel. Outputs are OME-Zarr, TIFF and OME-TIFF."""
    series = random_series(np.random.default_rng(6))
    both = np.stack([series, np.roll(series, 3, axis=3)], axis=1)  # t, c, z, y, x
    tifffile.imwrite(tmp_path / "s.ome.tif", both.transpose(0, 2, 1, 3, 4), metadata={"axes": "TZCYX"})
    model = Model(series)
    expected = as_tracks(series, model)
    voxcc("match", "s.ome.tif[c=0,t=0..5]", "-o", "out.ome.zarr", cwd=tmp_path)
    assert (zarr.open(tmp_path / "out.ome.zarr")["0"][:].reshape(series.shape) == expected).all()
    voxcc("match", "out.ome.zarr", "--volume", "all", "-o", "out.tif", cwd=tmp_path)
    assert (tifffile.imread(tmp_path / "out.tif").reshape(series.shape) == expected).all()
    voxcc("match", "out.tif", "--volume", "all", "-o", "again.ome.tif", cwd=tmp_path)
    assert (tifffile.imread(tmp_path / "again.ome.tif").reshape(series.shape) == expected).all()
    error = voxcc.fails(64, "match", "s.ome.tif", "--volume", "all", cwd=tmp_path)
    assert "axes C, T" in error


def test_labels_of_64_bits(voxcc, tmp_path):
    series = random_series(np.random.default_rng(8)).astype(np.uint64)
    large = np.where(series > 0, np.uint64(2**64 - 1) - series, 0)
    np.save(tmp_path / "s.npy", large)
    voxcc("match", "s.npy", "--volume", "all", "--links", "links.csv", "-o", "out.npy", cwd=tmp_path)
    links = read_table(tmp_path / "links.csv")
    frames = [Frames(a, b).links() for a, b in itertools.pairwise(large)]
    assert [(int(row["label"]), int(row["next_label"])) for row in links] == [pair for found in frames for pair in sorted(found)]
    tracked = np.load(tmp_path / "out.npy")
    assert ((tracked > 0) == (large > 0)).all() and tracked.max() < 200


def test_negative_labels(voxcc, tmp_path):
    series = random_series(np.random.default_rng(9))
    write(tmp_path / "s.nii", -series)
    write(tmp_path / "plus.nii", series)
    voxcc("match", "s.nii", "--volume", "all", "--links", "links.csv", "-o", "out.nii", cwd=tmp_path)
    model = Model(series)
    assert {(row["frame"], -row["label"], -row["next_label"]) for row in read_table(tmp_path / "links.csv")} == {
        (t, a, b) for t, links in enumerate(model.links) for a, b in links}


@pytest.mark.parametrize("planes", [1, 4])
def test_geff(voxcc, tmp_path, planes):
    """The graph, read with Zarr. test_geff_library reads it with the library of the format."""
    series = random_series(np.random.default_rng(13), shape=(planes, 20, 30))
    write(tmp_path / "s.nii", series)
    voxcc("match", "s.nii", "--volume", "all", "--tracks", "g.geff", cwd=tmp_path)
    group, model = zarr.open_group(tmp_path / "g.geff", mode="r"), Model(series)
    metadata = group.attrs["geff"]
    assert metadata["directed"] and [axis["name"] for axis in metadata["axes"]] == ["t", *"zyx"[planes == 1:]]
    assert metadata["track_node_props"] == {"tracklet": "track", "lineage": "tree"}
    nodes = [(t, label) for t, numbers in enumerate(model.track_of) for label in sorted(numbers)]
    props = {name: group[f"nodes/props/{name}/values"][:].tolist() for name in metadata["node_props_metadata"]}
    assert group["nodes/ids"][:].tolist() == list(range(len(nodes)))
    assert list(zip(props["t"], props["label"])) == nodes
    assert props["track"] == [model.track_of[t][label] for t, label in nodes]
    assert props["tree"] == [model.tracks[model.track_of[t][label]]["tree"] for t, label in nodes]
    assert props["voxels"] == [int((series[t] == label).sum()) for t, label in nodes]
    for axis, name in enumerate("zyx"):
        if name in props:
            assert props[name] == pytest.approx([np.argwhere(series[t] == label)[:, axis].mean() * SPACING[axis] for t, label in nodes])
    edges = [((t, a), (t + 1, b)) for t, links in enumerate(model.links) for a, b in sorted(links)]
    assert [(nodes[a], nodes[b]) for a, b in group["edges/ids"][:].tolist()] == edges
    assert group["edges/props/voxels/values"][:].tolist() == [model.pairs[a[0]].shared.get((a[1], b[1]), 0) for a, b in edges]
    assert group["edges/props/iou/values"][:].tolist() == pytest.approx([model.pairs[a[0]].iou(a[1], b[1]) for a, b in edges])
    assert "exists" in voxcc.fails(73, "match", "s.nii", "--volume", "all", "--tracks", "g.geff", cwd=tmp_path)
    voxcc("match", "s.nii", "--volume", "all", "--tracks", "g.geff", "-f", cwd=tmp_path)


def test_geff_library(voxcc, tmp_path):
    geff = pytest.importorskip("geff")
    from geff.validate import graph, structure, tracks

    for name, series in [("s", random_series(np.random.default_rng(17))), ("empty", np.zeros((3, 4, 5, 6), np.int16))]:
        write(tmp_path / "s.nii", series)
        voxcc("match", "s.nii", "--volume", "all", "--at", 0.2, "--tracks", f"{name}.geff", cwd=tmp_path)
        structure.validate_structure(tmp_path / f"{name}.geff")
        found, metadata = geff.read(tmp_path / f"{name}.geff", backend="networkx")
        ids, edges = np.array(found.nodes, np.uint64), np.array(found.edges, np.uint64).reshape(-1, 2)
        assert graph.validate_nodes_for_edges(ids, edges)[0] and graph.validate_no_repeated_edges(edges)[0]
        values = {key: np.array([data[key] for _, data in found.nodes(data=True)]) for key in ("track", "tree")}
        if len(ids):
            assert tracks.validate_tracklets(ids, edges, values["track"]) == (True, [])
            assert tracks.validate_lineages(ids, edges, values["tree"]) == (True, [])


def test_ctc_library(voxcc, tmp_path):
    ctc = pytest.importorskip("traccuracy.loaders")
    series = random_series(np.random.default_rng(19))
    write(tmp_path / "s.nii", series)
    voxcc("match", "s.nii", "--volume", "all", "--tracks", "res_track.txt", "-o", "out.nii", "--links", "links.csv", cwd=tmp_path)
    out = np.asarray(nibabel.load(tmp_path / "out.nii").dataobj).transpose(3, 2, 1, 0)
    (tmp_path / "RES").mkdir()
    for t, frame in enumerate(out):
        tifffile.imwrite(tmp_path / "RES" / f"mask{t:03}.tif", frame.astype(np.uint16))
    graph = ctc.load_ctc_data(str(tmp_path / "RES"), str(tmp_path / "res_track.txt")).graph
    node = {n: (data["t"], data["segmentation_id"]) for n, data in graph.nodes(data=True)}
    found = {(*node[a], *node[b]) for a, b in graph.edges}
    links = [row for row in read_table(tmp_path / "links.csv")]
    parent = {row[0]: row[3] for row in (tuple(map(int, line.split())) for line in (tmp_path / "res_track.txt").read_text().splitlines())}
    expected = {(row["frame"], row["track"], row["next_frame"], row["next_track"]) for row in links
                if row["track"] == row["next_track"] or parent[row["next_track"]] == row["track"]}
    assert found == expected and len(found) > 10


def test_refusals(voxcc, tmp_path):
    series = random_series(np.random.default_rng(1))
    write(tmp_path / "s.nii", series), write(tmp_path / "one.nii", series[:1])
    for arguments, code, words in [
        (["s.nii"], 64, "needs two volumes"),
        (["s.nii", "--volume", "1"], 64, "needs two volumes"),
        (["s.nii", "s.nii", "--volume", "all"], 64, "--volume"),
        (["s.nii", "--volume", "all", "--pairs", "p.csv"], 64, "--pairs"),
        (["s.nii", "--volume", "all", "--stats", "p.csv"], 64, "--stats"),
        (["s.nii", "--volume", "all", "--longitudinal"], 64, "--longitudinal"),
        (["s.nii", "--volume", "all", "--least-change", "1%"], 64, "--least-change"),
        (["one.nii", "one.nii", "--links", "p.csv"], 64, "--links"),
        (["one.nii", "one.nii", "--tracks", "p.csv"], 64, "--tracks"),
        (["one.nii", "one.nii", "--inside", "1"], 64, "--inside"),
        (["one.nii", "one.nii", "--reach", "1"], 64, "--reach"),
        (["s.nii", "--volume", "all", "--by", "distance", "--at", "1", "--reach", "1"], 64, "--reach"),
        (["s.nii", "--volume", "all", "--reach", "0"], 64, "--reach"),
        (["s.nii", "--volume", "all", "--inside", "0"], 64, "--inside"),
        (["s.nii", "--volume", "all", "--inside", "2"], 64, "--inside"),
        (["s.nii", "--volume", "all", "--tracks", "p.xyz"], 64, "p.xyz"),
        (["s.nii", "--volume", "all", "--tracks", "p.csv", "--links", "p.csv"], 64, "p.csv"),
        (["s.nii", "--volume", "all", "-o", "slices/"], 64, "slices/"),
        (["one.nii", "--volume", "all"], 65, "one frame"),
        (["s.nii[2..2]"], 65, "one frame"),
        (["s.nii", "--volume", "all", "-o", "s.nii", "-f"], 73, "s.nii"),
        (["s.nii", "--volume", "all", "--links", "s.nii/x.csv"], 73, "s.nii"),
        (["absent.nii", "--volume", "all"], 66, "absent.nii"),
    ]:
        assert words in voxcc.fails(code, "match", *arguments, cwd=tmp_path), arguments
    (tmp_path / "old.csv").write_text("x")
    for option in ("--links", "--tracks"):
        voxcc.fails(73, "match", "s.nii", "--volume", "all", option, "old.csv", cwd=tmp_path)
    assert (tmp_path / "old.csv").read_text() == "x"
    series[2, 0, 0, 0] = 1
    write(tmp_path / "half.nii", series + 0.5)
    assert "labels must be whole numbers" in voxcc.fails(65, "match", "half.nii", "--volume", "all", "--links", "half.csv", cwd=tmp_path)
    assert not (tmp_path / "half.csv").exists()
