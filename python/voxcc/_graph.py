"""The neighbours of each voxel that have the same value, as bits."""

import numpy as np

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
