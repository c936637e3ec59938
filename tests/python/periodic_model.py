"""A model of periodic volumes. It searches voxel by voxel, and shares no code and no method with voxcc.

The search goes through an unlimited space that the volume fills again and again. It finds a place for each voxel of a component. If it reaches
a voxel in two places, the component wraps around the axes along which the places differ.
"""

import itertools

import numpy as np

REACH = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}


class Component:
    """stored: indices of the voxels, one row per voxel. places: the same, unwrapped. wraps: one boolean per axis."""

    def __init__(self, stored, places, wraps, shape, periodic):
        self.stored, self.wraps = np.array(stored), np.array(wraps)
        self.shape, self.periodic = np.array(shape), np.array(periodic)
        places = np.where(self.wraps, self.stored, np.array(places))
        shift = np.where(self.periodic, (places.min(0) // self.shape) * self.shape, 0)
        self.places = places - shift  # along each axis, the smallest place is inside of the volume

    def centroid(self, weights=None):
        """NaN along axes that the component wraps around."""
        weights = np.ones(len(self.places)) if weights is None else weights
        mean = (self.places * weights[:, None]).sum(0) / weights.sum()
        inside = np.where(self.periodic, mean % self.shape, mean)
        return np.where(self.wraps, np.nan, inside)

    def covariance(self):
        points = self.places - self.places.mean(0)
        covariance = points.T @ points / len(points)
        covariance[self.wraps, :] = np.nan
        covariance[:, self.wraps] = np.nan
        return covariance

    def box(self):
        """First and last index per axis."""
        return np.stack([self.places.min(0), self.places.max(0)], axis=1)

    def corners(self, axes):
        """The corners of all voxels. @param axes along which voxels have an extent"""
        steps = np.array(list(itertools.product(*[(0, 1) if axis in axes else (0,) for axis in range(3)])))
        return np.unique((self.places[:, None, :] + steps[None]).reshape(-1, 3), axis=0)

    def mask(self):
        mask = np.zeros(self.shape, bool)
        mask[tuple(self.stored.T)] = True
        return mask


def search(values, connectivity, periodic, *, joins, slice_axis=None):
    """The components of an array [z, y, x] in the order of their first voxels.

    periodic: one boolean per axis. joins: joins(a, b) for the values of two neighbours. slice_axis: neighbours have the same index along it."""
    shape = values.shape
    periodic = [bool(wraps) and n > 1 for wraps, n in zip(periodic, shape)]
    steps = [step for step in itertools.product((-1, 0, 1), repeat=3)
             if 0 < sum(map(abs, step)) <= REACH[connectivity] and (slice_axis is None or step[slice_axis] == 0)]
    place_of, component_of, components = {}, {}, []
    order = np.argwhere(values != 0)
    if slice_axis is not None:
        others = [axis for axis in range(3) if axis != slice_axis]
        order = sorted(order.tolist(), key=lambda v: (v[slice_axis], *(v[axis] for axis in others)))
    for first in map(tuple, order):
        if first in place_of:
            continue
        wraps = [False] * 3
        place_of[first] = first
        component_of[first] = len(components)
        found, todo = [first], [first]
        while todo:
            voxel = todo.pop()
            for step in steps:
                place = tuple(p + s for p, s in zip(place_of[voxel], step))
                index = tuple(v + s for v, s in zip(voxel, step))
                if any(not (0 <= i < n) and not p for i, n, p in zip(index, shape, periodic)):
                    continue
                other = tuple(i % n for i, n in zip(index, shape))
                if values[other] == 0 or not joins(values[voxel], values[other]):
                    continue
                if other not in place_of:
                    place_of[other] = place
                    component_of[other] = len(components)
                    found.append(other)
                    todo.append(other)
                wraps = [w or a != b for w, a, b in zip(wraps, place, place_of[other])]
        components.append(Component(found, [place_of[v] for v in found], wraps, shape, periodic))
    return components


def exposed_faces(component, axes):
    """The number of faces across each axis that are at the surface. @param axes that voxels have faces across"""
    mask = component.mask()
    exposed = []
    for axis in range(3):
        if axis not in axes:
            exposed.append(0)
            continue
        pairs = np.count_nonzero(mask & shifted(mask, axis, 1, component.periodic))
        exposed.append(2 * (np.count_nonzero(mask) - pairs))
    return exposed


def shifted(mask, axis, step, periodic):
    """The mask moved against the axis: element i becomes element i + step of the mask, around the ends of periodic axes."""
    moved = np.roll(mask, -step, axis)
    if not periodic[axis] and step:
        end = [slice(None)] * 3
        end[axis] = -1 if step > 0 else 0
        moved[tuple(end)] = False
    return moved


def euler_number(component, connectivity, axes):
    """The Euler number of the component in the volume whose ends touch. @param axes along which voxels have an extent"""
    return open_euler(component, axes) if connectivity in (4, 6) else closed_euler(component, connectivity == 18, axes)


def open_euler(component, axes):
    """Voxels - pairs + squares of 4 voxels - cubes of 8 voxels."""
    euler = 0
    for size in range(len(axes) + 1):
        for block in itertools.combinations(axes, size):
            full = component.mask()
            for axis in block:
                full = full & shifted(full, axis, 1, component.periodic)
            euler += (-1) ** size * np.count_nonzero(full)
    return euler


def closed_euler(component, split, axes):
    """Vertices - edges + faces - cubes. split: a vertex that joins only two opposite voxels counts twice."""
    cells, voxels = {}, set(map(tuple, component.stored.tolist()))
    steps = list(itertools.product(*[(0, 1, 2) if axis in axes else (1,) for axis in range(3)]))
    for voxel in voxels:
        for step in steps:
            cell = tuple((2 * v + s) % (2 * n) if p else 2 * v + s for v, s, n, p in zip(voxel, step, component.shape, component.periodic))
            cells.setdefault(cell, []).append(step)
    euler = 0
    for cell, used in cells.items():
        dimension = sum(cell[axis] % 2 for axis in axes)
        euler += (-1) ** dimension
        opposite = len(used) == 2 and all(used[0][axis] != used[1][axis] for axis in axes)
        euler += split and dimension == 0 and len(axes) == 3 and opposite
    return euler
