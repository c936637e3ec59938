"""Connectivity graphs: the neighbours of each voxel that have the same value, as bits."""

import numpy as np

from . import _core

# The steps of the bits of a connectivity graph, from bit 0 on: 6 faces, 12 edges, 8 corners.
FACES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
EDGES = (
    (1, 1, 0), (-1, 1, 0), (1, -1, 0), (-1, -1, 0), (1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1), (1, 0, -1), (-1, 0, -1), (0, 1, -1),
    (0, -1, -1),
)
CORNERS = tuple((x, y, z) for z in (1, -1) for y in (1, -1) for x in (1, -1))
STEPS_2D = (*FACES[:4], *EDGES[:4])
STEPS = {4: FACES[:4], 8: STEPS_2D, 6: FACES, 18: FACES + EDGES, 26: FACES + EDGES + CORNERS}


def connectivity_graph(data, connectivity):
    """See voxcc.cc3d.voxel_connectivity_graph(), which checks the arguments."""
    dtype = np.uint8 if connectivity in (4, 6, 8) else np.uint32
    volume = data.reshape(data.shape + (1,) * (3 - data.ndim), order="A")
    graph = np.zeros(volume.shape, dtype, order="F")
    for bit, step in enumerate(STEPS[connectivity]):
        own = tuple(slice(max(-s, 0), n - max(s, 0)) for s, n in zip(step, volume.shape))
        other = tuple(slice(max(s, 0), n - max(-s, 0)) for s, n in zip(step, volume.shape))
        differs = np.zeros(volume.shape, bool, order="F")
        differs[own] = volume[own] != volume[other]
        graph |= np.where(differs, dtype(0), dtype(1 << bit))
    return graph.reshape(data.shape, order="F")


def color_graph(graph, connectivity):
    """Labels and count; see voxcc.cc3d.color_connectivity_graph(), which checks the arguments."""
    labels = np.zeros(graph.shape, np.uint32, order="F")
    if graph.size == 0:
        return labels, 0
    volume = np.asfortranarray(graph).reshape(graph.shape + (1,) * (3 - graph.ndim), order="F")
    count = _core.label_connectivity_graph(volume, connectivity, labels.reshape(volume.shape, order="F"))
    return labels, count


def provisional_labels(data):
    """See voxcc.cc3d.estimate_provisional_labels(), which checks the argument."""
    if data.size == 0:
        return 0, -1, -1
    rows = data.ravel(order="K").reshape(-1, data.shape[0 if data.flags.f_contiguous else -1])
    starts = rows != 0
    starts[:, 1:] &= rows[:, 1:] != rows[:, :-1]
    used = np.flatnonzero(starts.any(axis=1))
    return int(np.count_nonzero(starts)), int(used[0]) if len(used) else -1, int(used[-1]) if len(used) else -1
