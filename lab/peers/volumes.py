"""Makes the volumes of the tables, and keeps their files for later runs."""

import dataclasses
import subprocess
import sys
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Volume:
    name: str
    edge: int
    make: Callable  # (voxcc, path, edge)
    connectivities: tuple = (26, 18, 6)
    values: str = "binary"  # or "labels": neighbours are connected if their values are equal
    dimensions: int = 3
    above: float | None = None  # voxels above this value are foreground; None: voxels that are not 0
    only: tuple = ()  # the only tables with this volume; empty: all tables

    @property
    def multilabel(self):
        return self.values == "labels"


def generated(kind, axes, *options):
    """A function that makes a volume with `voxcc generate`. axes: the extents along x, y and z as functions of the edge."""

    def make(voxcc, path, edge):
        shape = ",".join(str(axis(edge)) for axis in axes)
        subprocess.run([voxcc, "generate", kind, "--shape", shape, *options, "-q", "-o", path], check=True)

    return make


CUBE = (int, int, int)
IMAGE = (int, int, lambda edge: 1)


def hilbert(voxcc, path, edge):
    """Makes the Hilbert curve of the highest order whose turns are one background voxel apart: order 6 in 128^3."""
    order = str(edge.bit_length() - 2)
    subprocess.run([voxcc, "generate", "hilbert", "--size", str(edge), "--order", order, "-q", "-o", path], check=True)


def voronoi(voxcc, path, edge):
    """Makes a segmentation without background: the value of a voxel is the number of the nearest of 1900 random points."""
    import nibabel
    import numpy as np
    from scipy.spatial import cKDTree

    tree = cKDTree(np.random.default_rng(1).random((1900, 3)) * edge)
    plane = np.stack(np.meshgrid(np.arange(edge), np.arange(edge), indexing="ij"), -1).reshape(-1, 2)
    labels = np.empty((edge, edge, edge), np.uint32)
    for z in range(edge):
        labels[z] = tree.query(np.column_stack([np.full(len(plane), z), plane]), workers=-1)[1].reshape(edge, edge) + 1
    nibabel.save(nibabel.Nifti1Image(labels.T, np.eye(4)), path)


def field(dtype):
    """A function that makes a smooth random image with mean 0 and standard deviation 200, as a CT image in Hounsfield units."""

    def make(voxcc, path, edge):
        import nibabel
        import numpy as np
        from scipy.ndimage import gaussian_filter

        values = gaussian_filter(np.random.default_rng(1).standard_normal((edge, edge, edge), np.float32), 4)
        nibabel.save(nibabel.Nifti1Image((values * (200 / values.std())).astype(dtype).T, np.eye(4)), path)

    return make


def random(density, grain):
    return "--density", str(density / 100), "--granularity", str(grain)


VOLUMES = {volume.name: volume for volume in (
    *(Volume(f"random-{density}-g{grain}", 256, generated("random", CUBE, *random(density, grain)))
      for grain in (1, 4) for density in (10, 31, 50, 90)),
    Volume("blobs-50", 512, generated("blobs", CUBE, "--density", "0.5")),
    Volume("blobs-10", 512, generated("blobs", CUBE, "--density", "0.1")),
    Volume("hilbert-6", 128, hilbert),
    Volume("voronoi", 512, voronoi, values="labels"),
    *(Volume(f"image-50-g{grain}", 8192, generated("random", IMAGE, *random(50, grain)), connectivities=(8,), dimensions=2)
      for grain in (1, 8)),
    Volume("slices-50", 512, generated("blobs", CUBE, "--density", "0.5"), connectivities=(8,), only=("isa",)),
    Volume("field-f32", 256, field("float32"), above=100.5, only=("isa", "measures")),
    Volume("field-i16", 256, field("int16"), above=100, only=("isa",)),
)}


def is_image(volume):
    return volume.dimensions == 2


def path_of(volume, arguments):
    """The file of a volume. Makes the file if it is missing. --size replaces the edge of the volume."""
    name = volume.name if arguments.size is None else f"{volume.name}-{arguments.size}"
    path = arguments.work / f"{name}.nii"
    if not path.exists():
        print(f"making {path}", file=sys.stderr)
        unfinished = arguments.work / f"unfinished-{name}.nii"
        unfinished.unlink(missing_ok=True)
        volume.make(arguments.voxcc, unfinished, arguments.size or volume.edge)
        unfinished.rename(path)
    return path


def cases(arguments, wanted=lambda volume: True, table=None):
    """Pairs (volume, connectivity) selected by --volumes and --connectivities. table: include the volumes that only this table has."""
    for name in arguments.volumes:
        volume = VOLUMES[name]
        if (not volume.only or table in volume.only) and wanted(volume):
            for connectivity in volume.connectivities:
                if connectivity in arguments.connectivities:
                    yield volume, connectivity
