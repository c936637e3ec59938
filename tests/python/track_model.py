"""A model of links and tracks in numpy and scipy, by the definitions of docs/manual/tracking.md, and random series."""

import itertools

import numpy as np
from scipy.optimize import linear_sum_assignment

SPACING = np.array([3.0, 2.0, 1.0])  # z, y, x


def drawn(shape, objects):
    """The array of boxes {label: (centre, half size)}."""
    frame = np.zeros(shape, np.int16)
    for label, (centre, half) in objects.items():
        frame[tuple(slice(max(0, c - h), c + h + 1) for c, h in zip(centre, half))] = label
    return frame


def random_series(rng, shape=(4, 20, 30), frames=6):
    """Boxes that move, grow, split, merge (by overlap of their labels), disappear and appear. Some frames are empty."""
    series = np.zeros((frames, *shape), np.int16)
    objects = {}
    for t in range(frames):
        after = {}
        for centre, half in objects.values():
            if rng.random() < 0.12:
                continue
            centre = centre + rng.integers(-1, 2, 3)
            half = np.maximum(half + rng.integers(-1, 2, 3) * (rng.random() < 0.3), 0)
            parts = [(centre, half)]
            if rng.random() < 0.2 and half[2] > 1:
                shift = np.array([0, 0, half[2] // 2 + 1])
                parts = [(centre - shift, half // [1, 1, 2]), (centre + shift, half // [1, 1, 2])]
            for part in parts:
                after[int(rng.choice([n for n in range(1, 60) if n not in after]))] = part
        for _ in range(int(rng.integers(0, 6 if t == 0 else 2)) + (2 if t == 0 else 0)):
            label = int(rng.choice([n for n in range(1, 60) if n not in after]))
            after[label] = (np.array([int(rng.integers(0, n)) for n in shape]), np.array([int(rng.integers(0, 2)), *rng.integers(1, 4, 2)]))
        labels = list(after)
        if len(labels) > 1 and rng.random() < 0.3:  # two objects become one
            a, b = rng.choice(len(labels), 2, replace=False)
            frame = drawn(shape, after)
            frame[frame == labels[a]] = labels[b]
        else:
            frame = drawn(shape, after)
        series[t] = 0 if rng.random() < 0.08 else frame
        objects = {} if not series[t].any() else after
    return series


class Frames:
    """Objects of two frames, the voxels that they share, and their centroids."""

    def __init__(self, a, b):
        self.sizes = [{int(n): int(c) for n, c in zip(*np.unique(v[v != 0], return_counts=True))} for v in (a, b)]
        both = (a != 0) & (b != 0)
        pairs, counts = np.unique(np.stack([a[both], b[both]]), axis=1, return_counts=True)
        self.shared = {(int(x), int(y)): int(c) for (x, y), c in zip(pairs.T, counts)}
        self.centroids = [{n: np.argwhere(v == n).mean(0) * SPACING for n in sizes} for v, sizes in zip((a, b), self.sizes)]

    def iou(self, a, b):
        shared = self.shared.get((a, b), 0)
        return shared / (self.sizes[0][a] + self.sizes[1][b] - shared)

    def distance(self, a, b):
        return float(np.linalg.norm(self.centroids[0][a] - self.centroids[1][b]))

    def score(self, a, b, by, at):
        """0: no candidate."""
        if by == "distance":
            return max(0.0, at - self.distance(a, b))
        shared = self.shared.get((a, b), 0)
        value = {"iou": self.iou(a, b), "dice": 2 * shared / (self.sizes[0][a] + self.sizes[1][b]),
                 "fraction": shared / min(self.sizes[0][a], self.sizes[1][b])}[by]
        return value if value >= at else 0.0

    def assigned(self, score, how):
        """Pairs of a and b. @return None if several assignments are best"""
        names_a, names_b = list(self.sizes[0]), list(self.sizes[1])
        weights = np.array([[score(a, b) for b in names_b] for a in names_a]).reshape(len(names_a), len(names_b))
        candidates = sorted((-weights[i, j], names_a[i], names_b[j]) for i, j in np.argwhere(weights > 0))
        if how == "many":
            return {(min((w, a) for w, a, y in candidates if y == b)[1], b) for b in {b for _, _, b in candidates}}
        if how == "greedy":
            chosen = set()
            for _, a, b in candidates:
                if all(a != x and b != y for x, y in chosen):
                    chosen.add((a, b))
            return chosen
        rows, columns = linear_sum_assignment(weights, maximize=True)
        best = weights[rows, columns].sum()
        chosen = [(i, j) for i, j in zip(rows, columns) if weights[i, j] > 0]
        for i, j in chosen:
            without = weights.copy()
            without[i, j] = 0
            if without[linear_sum_assignment(without, maximize=True)].sum() > best - 1e-9:
                return None
        return {(names_a[i], names_b[j]) for i, j in chosen}

    def links(self, by="iou", at=0.5, how="optimal", inside=0.5, reach=0.0):
        """{(a, b): kind}, or None if the choice of partners has ties."""
        pairs = self.assigned(lambda a, b: self.score(a, b, by, at), how)
        if pairs is None:
            return None
        with_partner = {a for a, _ in pairs}, {b for _, b in pairs}
        links = set(pairs)
        for side in (0, 1):
            for own in self.sizes[side]:
                others = [(-n, pair[1 - side], pair) for pair, n in self.shared.items() if pair[side] == own]
                if own not in with_partner[side] and others and -min(others)[0] >= inside * self.sizes[side][own]:
                    links.add(min(others)[2])
        if reach:
            linked = {a for a, _ in links}, {b for _, b in links}
            near = self.assigned(lambda a, b: 0.0 if a in linked[0] or b in linked[1] else max(0.0, reach - self.distance(a, b)), how)
            if near is None:
                return None
            links |= near
        kinds = {}
        for a, b in links:
            splits, merges = sum(x == a for x, _ in links) > 1, sum(y == b for _, y in links) > 1
            kinds[a, b] = "split_merge" if splits and merges else "split" if splits else "merge" if merges else "partner"
        return kinds


class Model:
    """Links and tracks of a series. @param series integers t, z, y, x"""

    def __init__(self, series, **rule):
        self.pairs = [Frames(a, b) for a, b in itertools.pairwise(series)]
        self.links = [pair.links(**rule) for pair in self.pairs]
        if None in self.links:
            return
        self.tracks, self.track_of = {}, [{} for _ in series]
        for t, frame in enumerate(series):
            before = self.links[t - 1] if t else {}
            for label in np.unique(frame[frame != 0]).tolist():
                voxels = int((frame == label).sum())
                incoming = sorted((-self.pairs[t - 1].shared.get((a, b), 0), a) for a, b in before if b == label)
                if incoming and before[incoming[0][1], label] == "partner":
                    track = self.tracks[self.track_of[t - 1][incoming[0][1]]]
                    track["last"], track["voxels"] = t, track["voxels"] + voxels
                    track["path"] += self.pairs[t - 1].distance(incoming[0][1], label)
                    self.track_of[t][label] = self.track_of[t - 1][incoming[0][1]]
                    continue
                self.track_of[t][label] = len(self.tracks) + 1
                self.tracks[len(self.tracks) + 1] = {
                    "first": t, "last": t, "voxels": voxels, "path": 0.0, "parent": self.track_of[t - 1][incoming[0][1]] if incoming else 0,
                    "begins": "merge" if len(incoming) > 1 else "split" if incoming else "start" if t == 0 else "new"}
        self.set_ends(len(series))
        self.set_trees()

    def set_ends(self, frames):
        for number, track in self.tracks.items():
            t = track["last"]
            label = next(label for label, n in self.track_of[t].items() if n == number)
            kinds = [kind for (a, _), kind in self.links[t].items() if a == label] if t + 1 < frames else None
            track["ends"] = "end" if kinds is None else "gone" if not kinds else "split" if len(kinds) > 1 else "merge"

    def set_trees(self):
        trees = {number: number for number in self.tracks}
        for _ in self.tracks:
            for t, links in enumerate(self.links):
                for a, b in links:
                    x, y = self.track_of[t][a], self.track_of[t + 1][b]
                    trees[x] = trees[y] = min(trees[x], trees[y])
        for number, track in self.tracks.items():
            track["tree"] = trees[number]


def as_tracks(series, model):
    tracked = np.zeros(series.shape, np.int64)
    for t, numbers in enumerate(model.track_of):
        for label, number in numbers.items():
            tracked[t][series[t] == label] = number
    return tracked
