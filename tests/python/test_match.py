"""`voxcc match` against models in numpy and scipy."""

import itertools
import json

import nibabel
import numpy as np
import pytest
from helpers import read_table
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

METRICS = ["tp", "fp", "fn", "precision", "recall", "f1", "rq", "sq", "pq", "mean_dice", "dice", "iou",
           "lesion_tp", "lesion_fp", "lesion_fn", "lesion_precision", "lesion_recall", "lesion_f1", "lesion_dice"]
COUNTS = ["tp", "fp", "fn", "lesion_tp", "lesion_fp", "lesion_fn"]
SPACING = (1.0, 2.0, 3.0)  # x, y, z


def write(path, labels, spacing=SPACING):
    """The array z, y, x as a NIfTI file."""
    nibabel.Nifti1Image(labels.transpose(), np.diag([*spacing, 1.0]), dtype=labels.dtype).to_filename(path)
    return path


def boxes(shape, count, rng, dtype=np.int16):
    labels = np.zeros(shape, dtype)
    for number in range(1, count + 1):
        start = [int(rng.integers(0, size)) for size in shape]
        labels[tuple(slice(s, s + int(rng.integers(1, 7))) for s in start)] = number
    return labels


def moved(labels, rng):
    """The same objects, some of them moved, dropped or with other numbers."""
    result = np.zeros_like(labels)
    for number in np.unique(labels[labels != 0]):
        if rng.random() < 0.2:
            continue
        voxels = np.argwhere(labels == number) + rng.integers(-1, 2, 3)
        voxels = voxels[((voxels >= 0) & (voxels < labels.shape)).all(1)]
        result[tuple(voxels.T)] = number if rng.random() < 0.5 else 100 + rng.integers(0, 12)
    return result


class Model:
    """Objects, shared voxels, and metrics of two label arrays."""

    def __init__(self, a, b):
        self.a, self.b = ({int(n): int(c) for n, c in zip(*np.unique(v[v != 0], return_counts=True))} for v in (a, b))
        both = (a != 0) & (b != 0)
        pairs, counts = np.unique(np.stack([a[both], b[both]]), axis=1, return_counts=True)
        self.shared = {(int(x), int(y)): int(c) for (x, y), c in zip(pairs.T, counts)}
        scale = np.array(SPACING[::-1])
        self.centroids = [{n: np.argwhere(v == n).mean(0) * scale for n in np.unique(v[v != 0]).tolist()} for v in (a, b)]

    def score(self, a, b, by):
        shared = self.shared.get((a, b), 0)
        if by == "distance":
            return float(np.linalg.norm(self.centroids[0][a] - self.centroids[1][b]))
        return {"iou": shared / (self.a[a] + self.b[b] - shared), "dice": 2 * shared / (self.a[a] + self.b[b]), "fraction": shared / min(self.a[a], self.b[b])}[by]

    def weights(self, by, at):
        """The weight of each pair; 0: no candidate."""
        weights = np.zeros((len(self.a), len(self.b)))
        for (i, a), (j, b) in itertools.product(enumerate(self.a), enumerate(self.b)):
            score = self.score(a, b, by)
            weights[i, j] = max(0, at - score) if by == "distance" else score * (score >= at)
        return weights

    def optimal(self, by, at):
        weights = self.weights(by, at)
        rows, columns = linear_sum_assignment(weights, maximize=True)
        names_a, names_b = list(self.a), list(self.b)
        return weights[rows, columns].sum(), {(names_a[i], names_b[j]) for i, j in zip(rows, columns) if weights[i, j] > 0}

    def metrics(self, partners):
        def ratio(x, y):
            return x / y if y else None

        ious, dices = ([self.score(a, b, by) for a, b in partners] for by in ("iou", "dice"))
        tp, fn, fp = len({a for a, _ in partners}), len(self.a) - len({a for a, _ in partners}), len(self.b) - len({b for _, b in partners})
        f1, sq = ratio(2 * tp, 2 * tp + fp + fn), ratio(sum(ious), len(partners))
        lesions = []
        for a in self.a:
            touching = [b for x, b in self.shared if x == a]
            lesions.append(2 * sum(self.shared[a, b] for b in touching) / (self.a[a] + sum(self.b[b] for b in touching)))
        untouched = sum(all(y != b for _, y in self.shared) for b in self.b)
        all_a, all_b, shared = sum(self.a.values()), sum(self.b.values()), sum(self.shared.values())
        return {"tp": tp, "fp": fp, "fn": fn, "precision": ratio(tp, tp + fp), "recall": ratio(tp, tp + fn), "f1": f1, "rq": f1, "sq": sq,
                "pq": f1 if not partners else f1 * sq, "mean_dice": ratio(sum(dices), len(partners)),
                "lesion_dice": ratio(sum(lesions), len(self.a) + untouched), "dice": ratio(2 * shared, all_a + all_b),
                "iou": ratio(shared, all_a + all_b - shared)}


def compare(found, expected):
    assert list(found) == METRICS
    for name, value in expected.items():
        assert found[name] == (value if value is None else pytest.approx(value, rel=1e-12)), name


def run(voxcc, folder, *options):
    voxcc("match", "a.nii", "b.nii", *options, "--json", "m.json", "--pairs", "pairs.csv", "--stats", "objects.csv", "-f", cwd=folder)
    return json.loads((folder / "m.json").read_text()), read_table(folder / "pairs.csv"), read_table(folder / "objects.csv")


def partners_in(objects):
    return {(int(row["label"]), int(row["partner"])) for row in objects if row["side"] == "a" and row["class"] == "tp"}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("by, at", [("iou", 0.5), ("iou", 0.05), ("dice", 0.3), ("fraction", 0.4), ("distance", 4.5)])
def test_random_objects(voxcc, tmp_path, seed, by, at):
    rng = np.random.default_rng(seed)
    shape = [(12, 20, 24), (1, 30, 40), (5, 5, 40)][seed % 3]
    a = boxes(shape, int(rng.integers(0, 40)), rng)
    b = moved(a, rng)
    write(tmp_path / "a.nii", a), write(tmp_path / "b.nii", b)
    summary, pairs, objects = run(voxcc, tmp_path, "--by", by, "--at", at)
    model = Model(a, b)
    size = SPACING[0] * SPACING[1] * (1 if shape[0] == 1 else SPACING[2])
    column = "area_mm2" if shape[0] == 1 else "volume_mm3"
    assert [(int(row["label_a"]), int(row["label_b"]), int(row["voxels"])) for row in pairs] == [(*key, n) for key, n in sorted(model.shared.items())]
    for row in pairs:
        key = int(row["label_a"]), int(row["label_b"])
        expected = [model.score(*key, "iou"), model.score(*key, "dice"), model.shared[key] / model.a[key[0]], model.shared[key] / model.b[key[1]]]
        assert [float(row[name]) for name in ("iou", "dice", "fraction_a", "fraction_b")] == pytest.approx(expected, rel=1e-12)
        assert float(row[column]) == pytest.approx(model.shared[key] * size)
    assert [(row["side"], int(row["label"]), int(row["voxels"])) for row in objects] == [
        *(("a", n, model.a[n]) for n in sorted(model.a)), *(("b", n, model.b[n]) for n in sorted(model.b))]
    best, _ = model.optimal(by, at)
    partners = partners_in(objects)
    assert partners == {(int(row["partner"]), int(row["label"])) for row in objects if row["side"] == "b" and row["class"] == "tp"}
    assert len({x for x, _ in partners}) == len({y for _, y in partners}) == len(partners)
    scores = [model.score(*pair, by) for pair in partners]
    assert sum(at - score if by == "distance" else score for score in scores) == pytest.approx(best, rel=1e-9, abs=1e-9)
    compare(summary["metrics"], model.metrics(partners))
    for row in objects:
        expected = {"a": "fn", "b": "fp"}[row["side"]] if row["partner"] == "n/a" else "tp"
        assert row["class"] == expected and (row["iou"] == row["dice"] == row["distance_mm"] == "n/a") == (expected != "tp")
        if expected == "tp":
            pair = (int(row["label"]), int(row["partner"]))[:: 1 if row["side"] == "a" else -1]
            assert float(row["distance_mm"]) == pytest.approx(model.score(*pair, "distance"), abs=1e-9)
            assert float(row["iou"]) == pytest.approx(model.score(*pair, "iou"))


@pytest.mark.parametrize("seed", range(4))
def test_other_assignments(voxcc, tmp_path, seed):
    rng = np.random.default_rng(100 + seed)
    a = boxes((10, 16, 20), 30, rng)
    b = moved(a, rng)
    write(tmp_path / "a.nii", a), write(tmp_path / "b.nii", b)
    model = Model(a, b)
    by_score = sorted(((model.score(*pair, "dice"), pair) for pair in model.shared if model.score(*pair, "dice") >= 0.1), key=lambda x: (-x[0], x[1]))
    greedy, many = set(), set()
    for _, (x, y) in by_score:
        if all(x != p and y != q for p, q in greedy):
            greedy.add((x, y))
        if all(y != q for _, q in many):
            many.add((x, y))
    summary, _, objects = run(voxcc, tmp_path, "--by", "dice", "--at", "10%", "--assign", "greedy")
    assert partners_in(objects) == greedy
    compare(summary["metrics"], model.metrics(greedy))
    summary, _, objects = run(voxcc, tmp_path, "--by", "dice", "--at", "10%", "--assign", "many")
    assert {(int(row["partner"]), int(row["label"])) for row in objects if row["side"] == "b" and row["class"] == "tp"} == many
    compare(summary["metrics"], model.metrics(many))


def changes_of(model, least):
    links_a, links_b = {a: [y for x, y in model.shared if x == a] for a in model.a}, {b: [x for x, y in model.shared if y == b] for b in model.b}
    of_a, of_b = {}, {}
    for a, links in links_a.items():
        n = model.a[a]
        if not links:
            of_a[a] = "gone", -n
        elif len(links) > 1:
            of_a[a] = "split", sum(model.b[b] for b in links) - n
        elif len(links_b[links[0]]) > 1:
            of_a[a] = "merged", model.b[links[0]] - sum(model.a[x] for x in links_b[links[0]])
        else:
            change = model.b[links[0]] - n
            of_a[a] = ("unchanged" if change == 0 or abs(change) < least * n else "grown" if change > 0 else "shrunk"), change
    for b, links in links_b.items():
        of_b[b] = ("new", model.b[b]) if not links else ("merged", model.b[b] - sum(model.a[a] for a in links)) if len(links) > 1 else of_a[links[0]]
    return of_a, of_b


@pytest.mark.parametrize("seed, least", [(0, 0), (1, 0.25), (2, 0.25), (3, 1.5)])
def test_changes(voxcc, tmp_path, seed, least):
    rng = np.random.default_rng(200 + seed)
    a = boxes((10, 16, 20), 30, rng)
    b = moved(a, rng)
    write(tmp_path / "a.nii", a), write(tmp_path / "b.nii", b)
    summary, _, objects = run(voxcc, tmp_path, "--longitudinal", *(["--least-change", f"{least * 100}%"] if least else []))
    of_a, of_b = changes_of(Model(a, b), least)
    for row in objects:
        change, voxels = {"a": of_a, "b": of_b}[row["side"]][int(row["label"])]
        assert (row["change"], float(row["volume_change_mm3"])) == (change, pytest.approx(voxels * np.prod(SPACING)))
    expected = {change: sum(name == change for name, _ in of_a.values()) for change in ("gone", "unchanged", "grown", "shrunk", "split")}
    expected |= {change: sum(name == change for name, _ in of_b.values()) for change in ("new", "merged")}
    assert summary["changes"] == expected and sum(expected.values()) > 5


@pytest.mark.parametrize("connectivity", [6, 18, 26])
def test_components_of_masks(voxcc, tmp_path, connectivity):
    rng = np.random.default_rng(7)
    masks = [ndimage.gaussian_filter(rng.normal(size=(20, 24, 28)), 1.5) > 0.06]
    masks.append(masks[0] ^ (rng.random(masks[0].shape) < 0.02))
    for name, mask in zip("ab", masks):
        write(tmp_path / f"{name}.nii", mask.astype(np.uint8) * 7)
    structure = ndimage.generate_binary_structure(3, {6: 1, 18: 2, 26: 3}[connectivity])
    model = Model(*(ndimage.label(mask, structure)[0] for mask in masks))
    summary, pairs, _ = run(voxcc, tmp_path, "--components", "-c", connectivity, "-t", 2)
    assert [(int(row["label_a"]), int(row["label_b"]), int(row["voxels"])) for row in pairs] == [(*key, n) for key, n in sorted(model.shared.items())]
    compare(summary["metrics"], model.metrics(model.optimal("iou", 0.5)[1]))
    assert summary["objects_a"] == len(model.a) > 3


def renumbered(b, objects, labels_a):
    """B with the numbers that the table of objects states."""
    expected, following = np.zeros(b.shape, np.int64), max([0, *labels_a])
    for row in objects:
        if row["side"] == "b":
            following += row["partner"] == "n/a"
            expected[b == row["label"]] = following if row["partner"] == "n/a" else row["partner"]
    return expected


@pytest.mark.parametrize("seed, assign", [(0, "optimal"), (1, "greedy"), (2, "many"), (3, "optimal")])
@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_of_partners(voxcc, tmp_path, seed, assign, threads):
    rng = np.random.default_rng(300 + seed)
    a = boxes((10, 16, 20), 30 * (seed < 3), rng)
    b = moved(boxes((10, 16, 20), 30, np.random.default_rng(300 + seed)), rng)
    write(tmp_path / "a.nii", a), write(tmp_path / "b.nii", b)
    _, _, objects = run(voxcc, tmp_path, "--at", 0.2, "--assign", assign, "-o", "out.nii.gz", "-t", threads)
    found = nibabel.load(tmp_path / "out.nii.gz")
    np.testing.assert_array_equal(np.asarray(found.dataobj).transpose(), renumbered(b, objects, np.unique(a).tolist()))
    assert found.get_data_dtype() == np.uint8 and found.header.get_zooms() == SPACING


@pytest.mark.parametrize("extension", ["nii", "tif", "npy"])
def test_numbers_of_components(voxcc, tmp_path, extension):
    rng = np.random.default_rng(9)
    masks = [ndimage.gaussian_filter(rng.normal(size=(20, 24, 28)), 1.5) > 0.06]
    masks.append(masks[0] & (rng.random(masks[0].shape) < 0.9))
    for name, mask in zip("ab", masks):
        np.save(tmp_path / f"{name}.npy", mask.astype(np.uint8))
    labels = [ndimage.label(mask, ndimage.generate_binary_structure(3, 1))[0] for mask in masks]
    words = ("match", "a.npy", "b.npy", "--components", "-c", 6, "--at", 0.3)
    voxcc(*words, "-o", f"out.{extension}", "--stats", "objects.csv", cwd=tmp_path)
    voxcc("label", f"out.{extension}", "--multilabel", "-c", 6, "-o", "found.npy", cwd=tmp_path)
    expected = renumbered(labels[1], read_table(tmp_path / "objects.csv"), [labels[0].max()])
    voxcc("match", *words[1:], "-o", "out2.npy", "--dtype", "uint32", cwd=tmp_path)
    np.testing.assert_array_equal(np.load(tmp_path / "out2.npy"), expected)
    assert voxcc("compare", "--exact", f"out.{extension}", "out2.npy", cwd=tmp_path).returncode == 0


def test_masks_of_floats(voxcc, tmp_path):
    """A probability map: every voxel that is neither 0 nor NaN, as `voxcc label` does."""
    values = np.zeros((6, 7, 8), np.float32)
    values[1:3, 1:3, 1:3], values[4, 4, 4], values[5, 5, 6] = 0.25, np.nan, -1.5
    np.save(tmp_path / "a.npy", values)
    done = voxcc("match", "a.npy", "a.npy", "--components", "--stats", "s.csv", "-f", cwd=tmp_path)
    assert [(row["label"], row["voxels"]) for row in read_table(tmp_path / "s.csv")] == [(1, 8), (2, 1)] * 2
    assert "NaN in 1 voxel" in done.stderr
    assert "whole numbers" in voxcc.fails(65, "match", "a.npy", "a.npy", cwd=tmp_path)


def test_positions_that_are_not_known(voxcc, tmp_path):
    """A singular affine: a warning, no positions and volumes, and no matching by distance."""
    labels = boxes((5, 6, 7), 4, np.random.default_rng(1))
    image = nibabel.Nifti1Image(labels.transpose(), None)
    image.header.set_sform(np.diag([1.0, 0.0, 1.0, 1.0]), 1)
    image.to_filename(tmp_path / "a.nii")
    done = voxcc("match", "a.nii", "a.nii", "--stats", "s.csv", cwd=tmp_path)
    rows = read_table(tmp_path / "s.csv")
    assert {row["volume_mm3"] for row in rows} == {row["distance_mm"] for row in rows} == {"n/a"} and {row["iou"] for row in rows} == {1}
    assert "warning: a.nii: " in done.stderr and "affine" in done.stderr
    voxcc.fails(64, "match", "a.nii", "a.nii", "--by", "distance", "--at", "3mm", "--stats", "t.csv", cwd=tmp_path)
    np.save(tmp_path / "b.npy", labels)
    assert "--spacing" in voxcc.fails(65, "match", "b.npy", "b.npy", "--by", "distance", "--at", "3mm", "--stats", "t.csv", cwd=tmp_path)
    assert not (tmp_path / "t.csv").exists()


def test_numbers_that_do_not_fit(voxcc, tmp_path):
    np.save(tmp_path / "a.npy", np.array([[[300, 300, 0, 0]]], np.uint16))
    np.save(tmp_path / "b.npy", np.array([[[4, 4, 0, 5]]], np.int8))
    np.save(tmp_path / "negative.npy", np.array([[[-4, -4, 0, 5]]], np.int8))
    np.save(tmp_path / "last.npy", np.array([[[2**64 - 1, 2**64 - 1, 0, 0]]], np.uint64))
    voxcc("match", "a.npy", "b.npy", "-o", "c.npy", cwd=tmp_path)
    assert np.load(tmp_path / "c.npy").tolist() == [[[300, 300, 0, 301]]] and np.load(tmp_path / "c.npy").dtype == np.uint16
    voxcc("match", "a.npy", "negative.npy", "-o", "d.npy", cwd=tmp_path)
    assert np.load(tmp_path / "d.npy").tolist() == [[[300, 300, 0, 301]]]
    before = sorted(path.name for path in tmp_path.iterdir())
    voxcc.fails(65, "match", "a.npy", "b.npy", "-o", "e.npy", "--dtype", "uint8", "--pairs", "p.csv", cwd=tmp_path)
    assert "-4" in voxcc.fails(65, "match", "negative.npy", "b.npy", "-o", "e.npy", "--pairs", "p.csv", cwd=tmp_path)
    voxcc.fails(65, "match", "last.npy", "b.npy", "-o", "e.npy", "--pairs", "p.csv", cwd=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_wide_and_negative_labels(voxcc, tmp_path):
    a = np.array([[[2**64 - 1, 2**64 - 1, 0, 1, 2**63]]], np.uint64)
    b = np.array([[[-1, -1, 5, -(2**63), 0]]], np.int64)
    np.save(tmp_path / "a.npy", a), np.save(tmp_path / "b.npy", b)
    voxcc("match", "a.npy", "b.npy", "--pairs", "pairs.csv", "--stats", "objects.csv", cwd=tmp_path)
    assert [(row["label_a"], row["label_b"], row["voxels"]) for row in read_table(tmp_path / "pairs.csv")] == [
        (1, -(2**63), 1), (2**64 - 1, -1, 2)]
    assert [row["label"] for row in read_table(tmp_path / "objects.csv")] == [1, 2**63, 2**64 - 1, -(2**63), -1, 5]


def test_empty_volumes(voxcc, tmp_path):
    write(tmp_path / "a.nii", np.zeros((3, 4, 5), np.uint8)), write(tmp_path / "b.nii", np.zeros((3, 4, 5), np.uint8))
    summary, pairs, objects = run(voxcc, tmp_path)
    assert summary["metrics"] == dict.fromkeys(METRICS) | dict.fromkeys(COUNTS, 0) and pairs == objects == []
    done = voxcc("match", "a.nii", "b.nii", cwd=tmp_path)
    assert [line.split() for line in done.stdout.splitlines()][:4] == [["tp", "0"], ["fp", "0"], ["fn", "0"], ["precision", "n/a"]]


def test_mistakes(voxcc, tmp_path):
    ones = np.ones((3, 4, 5), np.uint8)
    write(tmp_path / "a.nii", ones), write(tmp_path / "b.nii", ones, (1, 2, 4)), write(tmp_path / "c.nii", ones[:, :3])
    np.save(tmp_path / "d.npy", ones / 3)
    error = voxcc.fails(65, "match", "a.nii", "b.nii", "--pairs", "p.csv", cwd=tmp_path)
    assert "has the affine" in error and "--geometry-tolerance" in error
    voxcc("match", "a.nii", "b.nii", "--geometry-tolerance", "ignore", cwd=tmp_path)
    voxcc.fails(65, "match", "a.nii", "c.nii", "--pairs", "p.csv", cwd=tmp_path)
    voxcc.fails(65, "match", "d.npy", "d.npy", "--pairs", "p.csv", cwd=tmp_path)
    voxcc.fails(66, "match", "a.nii", "none.nii", cwd=tmp_path)
    for options in [("--at", "0"), ("--at", "1.5"), ("--at", "-1"), ("--at", "x"), ("--by", "distance"), ("--by", "distance", "--at", "0"), ("-c", "6"),
                    ("--least-change", "1"), ("--pairs", "p.txt"), ("--pairs", "p.csv", "--stats", "p.csv"), ("--pairs", "p.h5ad"), ("--volume", "all")]:
        voxcc.fails(64, "match", "a.nii", "a.nii", *options, cwd=tmp_path)
    (tmp_path / "p.csv").write_text("kept")
    voxcc.fails(73, "match", "a.nii", "a.nii", "--pairs", "p.csv", cwd=tmp_path)
    voxcc.fails(73, "match", "a.nii", "a.nii", "--json", "a.nii", "-f", cwd=tmp_path)
    assert (tmp_path / "p.csv").read_text() == "kept" and sorted(path.name for path in tmp_path.iterdir()) == ["a.nii", "b.nii", "c.nii", "d.npy", "p.csv"]


@pytest.mark.parametrize("how", ["greedy", "many"])
def test_ties_do_not_depend_on_threads(voxcc, tmp_path, how):
    """Small objects of equal sizes, which share equal parts with many objects."""
    rng = np.random.default_rng(0)
    for name in "ab":
        labels = np.kron(rng.integers(0, 9000, (40, 60, 60)), np.ones((1, 2, 2), int)).astype(np.int16)
        write(tmp_path / f"{name}.nii", labels)
    tables = set()
    for threads in (1, 4, 4, 4):
        voxcc("match", "a.nii", "b.nii", "--by", "fraction", "--at", 0.01, "--assign", how, "-t", threads, "--stats", "s.csv", "-f", cwd=tmp_path)
        tables.add((tmp_path / "s.csv").read_bytes())
    assert len(tables) == 1
