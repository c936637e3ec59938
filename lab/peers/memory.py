"""The table `memory`: peak resident memory from file to file, for voxcc and peers. Also in bytes per voxel, minus 64 MiB."""

import dataclasses
import math

from . import formats, processes
from .files import MIB, Outputs
from .figures import Row
from .targets import PEAK
from .volumes import VOLUMES, path_of

ALLOWANCE = 64 * MIB  # for the program itself and its buffers
THREADS = 2


@dataclasses.dataclass(frozen=True)
class Input:
    volume: str
    suffix: str = ".nii.gz"
    scalar: str = "u8"
    table: str = "table"  # or "no table"
    intensity: str = ""  # voxel type of the intensity image, which is the same volume

    def __str__(self):
        return f"{self.volume} {self.suffix} {self.scalar}, {'intensity ' + self.intensity + ', ' if self.intensity else ''}{self.table}"


INPUTS = [
    *(Input("blobs-50", suffix, scalar) for suffix in (".nii", ".nii.gz", ".tif", ".h5", ".nrrd") for scalar in ("u8", "u16", "f32")),
    Input("blobs-50", intensity="f32"),
    *(Input(f"random-{density}-g1", table=table) for density in (10, 31, 50, 90) for table in ("no table", "table")),
    Input("voronoi", scalar="u32"),
]


def memory(arguments):
    """voxcc's figure is the maximum of all rounds. Peers run once, only for .nii.gz with connectivity 26."""
    for input_ in INPUTS:
        if input_.volume in arguments.volumes:
            for connectivity in VOLUMES[input_.volume].connectivities:
                if connectivity in arguments.connectivities:
                    yield from figures(arguments, input_, connectivity)


def figures(arguments, input_, connectivity):
    volume = VOLUMES[input_.volume]
    original = path_of(volume, arguments)
    source = formats.variant(original, input_.suffix, input_.scalar)
    voxels = math.prod(formats.read(original).shape)
    outputs = Outputs(arguments.work, input_.suffix)
    target, table = outputs.of("memory")
    options = ["--multilabel"] if volume.multilabel else []
    if input_.intensity:
        options += ["--intensity", formats.variant(original, input_.suffix, input_.intensity)]
    peaks = [processes.voxcc(arguments, source, target, table if input_.table == "table" else None, connectivity=connectivity,
                             threads=THREADS, options=options)["peak"] for _ in range(arguments.rounds)]
    row = Row("memory", str(input_), connectivity)
    yield row.measured("voxcc: peak", "MiB", [max(peaks) / MIB])
    yield row.derived(PEAK, "B/voxel", (max(peaks) - ALLOWANCE) / voxels)
    for name in peers_of(arguments, input_, connectivity):
        peak = processes.peer(name, source, target, table, connectivity=connectivity, rule=volume.values)["peak"]
        title = "nibabel + cc3d" if name == "cc3d" else name
        yield row.measured(f"{title}: peak", "MiB", [peak / MIB], peak / max(peaks))
        yield row.unjudged(f"{title}: peak over 64 MiB", "B/voxel", (peak - ALLOWANCE) / voxels)
    outputs.remove()


def peers_of(arguments, input_, connectivity):
    if input_.suffix != ".nii.gz" or input_.intensity or input_.table == "no table" or connectivity != 26:
        return []
    able = ("cc3d",) if VOLUMES[input_.volume].multilabel else ("cc3d", "SimpleITK")
    return [name for name in able if name in arguments.peers]
