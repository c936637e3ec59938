"""match() beside counts in numpy and the assignment of scipy. tests/python/test_match.py compares the program with the same definitions."""

import numpy as np
import pytest
import voxcc
from arrays import in_layout
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

METRICS = ["tp", "fp", "fn", "precision", "recall", "f1", "rq", "sq", "pq", "mean_dice", "dice", "iou",
           "lesion_tp", "lesion_fp", "lesion_fn", "lesion_precision", "lesion_recall", "lesion_f1", "lesion_dice"]


def images(ndim, dtypes, seed):
    """Two images with the same objects, of which some are moved or have other numbers."""
    random = np.random.default_rng([ndim, seed])
    shape = (400, (24, 30), (9, 12, 14))[ndim - 1]
    a = np.zeros(shape, int)
    for number in range(1, 26):
        start = random.integers(0, a.shape)
        a[tuple(slice(s, s + random.integers(1, 6)) for s in start)] = number
    b = np.roll(a, 1, -1) * (random.random(shape) < 0.9)
    b = np.append(0, random.permutation(26) + 1)[b]
    return a.astype(dtypes[0]), b.astype(dtypes[1])


def iou_of(a, b):
    names_a, names_b = (np.unique(x[x != 0]) for x in (a, b))
    shared = np.array([[np.count_nonzero((a == m) & (b == n)) for n in names_b] for m in names_a]).reshape(len(names_a), len(names_b))
    sizes_a, sizes_b = (np.array([np.count_nonzero(x == n) for n in names]) for x, names in ((a, names_a), (b, names_b)))
    return names_a, names_b, sizes_a, sizes_b, shared, shared / (sizes_a[:, None] + sizes_b - shared)


@pytest.mark.parametrize("layouts", ["CC", "CF", "FC", "FF"])
@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("dtypes", [(np.uint8, np.int16), (np.uint64, np.uint32), (">i4", np.int64)], ids=str)
def test_same_as_scipy(dtypes, ndim, layouts):
    for seed in range(3):
        a, b = images(ndim, dtypes, seed)
        names_a, names_b, sizes_a, sizes_b, shared, iou = iou_of(a, b)
        result = voxcc.match(in_layout(a, layouts[0]), in_layout(b, layouts[1]), at=0.3, threads=2)
        rows, columns = np.nonzero(shared)
        for name, expected in {"a": names_a[rows], "b": names_b[columns], "voxels": shared[rows, columns]}.items():
            np.testing.assert_array_equal(result.pairs[name], expected)
        np.testing.assert_allclose(result.pairs["iou"], iou[rows, columns], rtol=1e-15)
        np.testing.assert_allclose(result.pairs["fraction_b"], (shared / sizes_b)[rows, columns], rtol=1e-15)
        weights = np.where(iou >= 0.3, iou, 0)
        best = linear_sum_assignment(weights, maximize=True)
        tp = int(np.count_nonzero(weights[best]))
        assert (result.metrics["tp"], result.metrics["fn"], result.metrics["fp"]) == (tp, len(names_a) - tp, len(names_b) - tp)
        assert list(result.metrics) == METRICS and tp > 2
        np.testing.assert_allclose(result.metrics["sq"], weights[best].sum() / tp)
        np.testing.assert_array_equal(result.objects_a["label"], names_a)
        np.testing.assert_array_equal(result.objects_a["voxels"], sizes_a)
        np.testing.assert_array_equal(result.objects_b["voxels"], sizes_b)
        partner = dict(zip(result.objects_a["label"].tolist(), result.objects_a["partner"].tolist()))
        assert {m: n for m, n in partner.items() if n} == {
            n: m for m, n in zip(result.objects_b["label"].tolist(), result.objects_b["partner"].tolist()) if n}
        np.testing.assert_array_equal(result.objects_a["has_partner"], result.objects_a["partner"] != 0)
        np.testing.assert_array_equal(np.isnan(result.objects_a["iou"]), ~result.objects_a["has_partner"])


def test_distances_have_the_spacing():
    a, b = np.zeros((2, 20, 30), np.uint8)
    a[3, 4], a[10, 20], b[3, 8], b[12, 20] = 1, 2, 5, 6
    result = voxcc.match(a, b, by="distance", at=3, spacing=(2, 0.5))
    np.testing.assert_array_equal(result.objects_a["partner"], [5, 0])
    np.testing.assert_allclose(result.objects_a["distance"], [2, np.nan])
    assert voxcc.match(a.T, b.T, by="distance", at=4, spacing=(0.5, 2)).objects_a["partner"].tolist() == [5, 6]
    assert voxcc.match(a, b, by="distance", at=3).objects_a["partner"].tolist() == [0, 6]


def test_changes():
    a = np.array([1, 1, 0, 2, 2, 2, 0, 3, 0, 4, 4, 0, 0, 5])
    b = np.array([7, 7, 0, 6, 0, 5, 0, 4, 4, 4, 4, 0, 9, 0])
    result = voxcc.match(a, b)
    assert result.objects_a["change"].tolist() == ["unchanged", "split", "merged", "merged", "gone"]
    assert result.objects_a["voxel_change"].tolist() == [0, -1, 1, 1, -1]
    assert dict(zip(result.objects_b["label"].tolist(), result.objects_b["change"].tolist())) == {
        4: "merged", 5: "split", 6: "split", 7: "unchanged", 9: "new"}
    grown = np.array([1, 1, 1, 1]), np.array([1, 1, 1, 0])
    assert voxcc.match(*grown).objects_a["change"].tolist() == ["shrunk"]
    assert voxcc.match(*grown, least_change=0.3).objects_a["change"].tolist() == ["unchanged"]


def test_empty_arrays_and_masks():
    for shape in ((0,), (3, 0, 2), (4, 5)):
        result = voxcc.match(np.zeros(shape, np.uint8), np.zeros(shape, np.int64))
        assert result.metrics["tp"] == len(result.pairs["a"]) == len(result.objects_a["label"]) == 0 and np.isnan(result.metrics["f1"])
    assert voxcc.match(np.array([True, False]), np.array([True, True])).metrics["iou"] == 0.5
    assert voxcc.match([1, 0, 2], [1, 0, 2], assign="many").metrics["pq"] == 1


def test_mistakes():
    x = np.array([1, 2])
    for error, arguments in [
        (ValueError, {"b": np.array([1, 2, 3])}), (TypeError, {"b": np.array([1.0, 2.0])}), (ValueError, {"by": "jaccard"}), (ValueError, {"at": 0}),
        (ValueError, {"at": 1.5}), (ValueError, {"at": np.nan}), (ValueError, {"by": "distance"}), (ValueError, {"by": "distance", "at": -1}),
        (ValueError, {"assign": "best"}), (ValueError, {"least_change": -1}), (ValueError, {"spacing": (1, 2)}), (ValueError, {"at": "0.5"}),
    ]:
        with pytest.raises(error):
            voxcc.match(x, **{"b": x, **arguments})


def test_lesions_are_dilated_and_selected():
    rng = np.random.default_rng(4)
    structure = ndimage.generate_binary_structure(3, 2)
    for dilation, least in ((0, 1), (1, 3), (3, 8)):
        a, b = (ndimage.label(rng.random((14, 15, 16)) < 0.03, np.ones((3, 3, 3)))[0] for _ in "ab")
        near = ndimage.binary_dilation(a != 0, structure, dilation) if dilation else a != 0
        groups = ndimage.label(near, np.ones((3, 3, 3)))[0]
        dices, touched = [], set()
        for group in range(1, groups.max() + 1):
            lesion, names = (groups == group) & (a != 0), set(np.unique(b[groups == group]).tolist()) - {0}
            touched |= names
            if lesion.sum() >= least:
                union = np.isin(b, list(names))
                dices.append(2 * (union & lesion).sum() / (union.sum() + lesion.sum()))
        false_positives = b.max() - len(touched)
        metrics = voxcc.match(np.asfortranarray(a), b, dilate=dilation, min_lesion=least).metrics
        assert metrics["lesion_tp"] + metrics["lesion_fn"] == len(dices) and metrics["lesion_fp"] == false_positives
        np.testing.assert_allclose(metrics["lesion_dice"], sum(dices) / (len(dices) + false_positives), rtol=1e-12)


@pytest.mark.parametrize("arguments", [{"dilate": -1}, {"dilate": 1.5}, {"dilate": 2000}, {"min_lesion": -1}])
def test_wrong_lesions(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        voxcc.match(np.ones(3, int), np.ones(3, int), **arguments)
