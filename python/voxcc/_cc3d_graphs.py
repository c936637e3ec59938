"""The functions of voxcc.cc3d for graphs: contacts of labels, and connectivity graphs."""

import math

import numpy as np

from . import _arguments as arguments
from . import _graph, _measure
from ._errors import DimensionError
from ._frameworks import framework_of


def array_like_cc3d(data):
    """The array as the engine must see it. cc3d compares the bits of halves."""
    arguments.on_host(data, "the array")
    data = np.asarray(data)
    if data.ndim not in (1, 2, 3):
        raise DimensionError(f"Only 1D, 2D, and 3D arrays supported. Got: {data.ndim}")
    if data.dtype.kind not in "biuf" or data.dtype.itemsize > 8 or not data.dtype.isnative:
        raise TypeError(f"Type {data.dtype} is not supported. Supported: bool, integers and floats in the byte order of the machine")
    return data.view(np.uint16) if data.dtype == np.float16 else data


def choice_like_cc3d(connectivity, valid, message):
    """The connectivity as an integer. Raises ValueError with the message if it is not valid."""
    try:
        number = arguments.integer(connectivity, "connectivity", 1)
    except (TypeError, ValueError):
        number = None
    if number not in valid:
        raise ValueError(f"{message} Got: {arguments.shown(connectivity)}")
    return number


def connectivity_like_cc3d(connectivity, ndim):
    valid = (4, 8, 6, 18, 26) if ndim == 2 else (6, 18, 26)
    message = f"Only {', '.join(map(str, valid))} connectivities are supported for {ndim}D images."
    return arguments.connectivity_argument(choice_like_cc3d(connectivity, valid, message), ndim)


def contacts(labels, connectivity=26, surface_area=True, anisotropy=(1, 1, 1)):
    """A dict {(a, b): contact} for each pair of labels that touch, a < b, without background.

    surface_area: the contact is the area of common faces, where anisotropy is the size of a voxel; else the number of pairs of voxels.

    >>> cc3d.contacts(np.array([[1, 1, 2], [1, 3, 2]]))
    {(1, 2): 1.0, (1, 3): 2.0, (2, 3): 1.0}
    """
    if framework_of(labels) is None:
        labels = array_like_cc3d(labels)
    valid = (4, 8, 6, 18, 26)
    connectivity = choice_like_cc3d(connectivity, valid, "Only (2d) 4, 8, (3d) 6, 18, and 26 connectivities are supported.")
    table = _measure.contacts(labels, connectivity)
    faces = [table[f"faces_{axis}"].astype(float) for axis in range(3) if f"faces_{axis}" in table]
    if surface_area:
        size = lengths_of_voxel(anisotropy, len(faces))[: 2 if connectivity in (4, 8) else 3]
        amounts = sum(count * (math.prod(size) / size[axis]) for axis, count in enumerate(faces))
    else:
        amounts = sum(faces) + table["edges_and_corners"]
    return dict(zip(zip(table["a"].tolist(), table["b"].tolist()), amounts.tolist()))


def lengths_of_voxel(anisotropy, axes):
    """At least as many lengths as there are axes, as floats that are not 0."""
    lengths = tuple(float(length) for length in anisotropy)
    if len(lengths) < axes or not all(lengths):
        raise ValueError(f"anisotropy is {arguments.shown(anisotropy)}; it must be one length per axis, and not 0")
    return lengths


def region_graph(labels, connectivity=26):
    """The set of pairs (a, b) of labels that touch, a < b, without background.

    >>> sorted(cc3d.region_graph(np.array([[1, 1, 2], [0, 3, 2]])))
    [(1, 2), (1, 3), (2, 3)]
    """
    return set(contacts(labels, connectivity, surface_area=False))


def voxel_connectivity_graph(data, connectivity=26):
    """One bit per neighbour and voxel: 1 if the neighbour has the same value, or lies outside the array.

    Returns uint8 (connectivity 4, 6 and 8) or uint32 (18, 26), in Fortran order. Bits 0 to 5 are the faces +x -x +y -y +z -z, bits 6 to 17
    the edges, bits 18 to 25 the corners, where x is the first axis.

    >>> cc3d.voxel_connectivity_graph(np.array([[1, 1], [1, 2]], np.uint8), 4)
    array([[15, 14],
           [11,  5]], dtype=uint8)
    """
    data = array_like_cc3d(data)
    if data.dtype.kind == "f":
        raise TypeError(f"Type {data.dtype} not currently supported.")
    connectivity_like_cc3d(connectivity, data.ndim)
    return _graph.connectivity_graph(data, int(connectivity))


def color_connectivity_graph(vcg, connectivity=26, return_N=False):
    """Labels the components of a connectivity graph as uint32 in Fortran order. All voxels belong to a component.

    vcg: uint8 or uint32; see voxel_connectivity_graph(). Of two neighbours, the later one in Fortran order states whether they are connected.
    connectivity: 4 or 8 in 2D (6 and 26 mean the same), 6 or 26 in 3D. Returns labels, or (labels, count) with return_N.

    >>> cc3d.color_connectivity_graph(cc3d.voxel_connectivity_graph(np.array([[1, 1], [1, 2]], np.uint8), 4), 4)
    array([[1, 1],
           [1, 2]], dtype=uint32)
    """
    vcg = np.asarray(vcg)
    if vcg.dtype not in (np.uint8, np.uint32):
        raise ValueError(f"Only uint8 and uint32 are supported. Got: {vcg.dtype}")
    if vcg.ndim not in (2, 3):
        raise DimensionError(f"Only 2D, and 3D arrays supported. Got: {vcg.ndim}")
    neighbours = {2: {4: 4, 6: 4, 8: 8, 26: 8}, 3: {6: 6, 26: 26}}[vcg.ndim]
    message = f"Only {'4 and 8' if vcg.ndim == 2 else '6 and 26'} connectivity is supported for {vcg.ndim}D images."
    labels, count = _graph.color_graph(vcg, neighbours[choice_like_cc3d(connectivity, neighbours, message)])
    return (labels, count) if return_N else labels


def estimate_provisional_labels(data):
    """The number of runs of equal values in the rows of an array, and the first and the last row that has one; -1 if no row has one.

    Rows lie along the first axis of arrays in Fortran order, else along the last axis.

    >>> cc3d.estimate_provisional_labels(np.array([[0, 1, 1, 5], [0, 0, 0, 0]]))
    (2, 0, 0)
    """
    data = np.asarray(data)
    if data.ndim == 0:
        raise DimensionError("Only arrays with at least 1 axis are supported. Got: 0")
    return _graph.provisional_labels(data)
