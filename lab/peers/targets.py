"""The targets of lab/peers.py: each target is a minimum or a maximum for a figure of a table."""

import dataclasses
import enum
import fnmatch


class Bound(enum.Enum):
    AT_LEAST = ">="
    AT_MOST = "<="


@dataclasses.dataclass(frozen=True)
class Target:
    table: str
    cases: str  # pattern for case names, for example blobs-*
    connectivity: int  # ANY: all connectivities
    column: str
    bound: Bound
    value: float
    unit: str

    def concerns(self, table, case, connectivity, column):
        return (self.table == table and self.column == column and self.connectivity in (ANY, connectivity)
                and fnmatch.fnmatchcase(case, self.cases))

    def reached_by(self, value):
        return value >= self.value if self.bound is Bound.AT_LEAST else value <= self.value

    def __str__(self):
        amount = f"{self.value:g}{'' if self.unit == 'x' else ' '}{self.unit}"
        return amount if self.bound is Bound.AT_LEAST else f"at most {amount}"


ANY = 0
CC3D, BEST, LIMIT_SHARE = "times cc3d", "times the best peer", "share of limit"
CC3D_STATISTICS, ON_TOP = "times cc3d.statistics", "on top of label"
TWO_THREADS, AVX2, COLD = "2 threads, times faster", "avx2 over avx512", "cold over warm"
WIDER = "wider over narrower"  # the largest time of an instruction set divided by the time of a narrower set
CPU_SECONDS, ALL_THREADS, FILE_SIZE = "times fewer CPU seconds", "all threads, times faster", "file over nibabel's"
PEAK = "peak over 64 MiB"
SHAPE, HOLES = "shape on top of label", "label --fill-holes, labellings"
CC3D_CONTACTS, PASSES = "times cc3d.contacts", "passes"

# Minimum speedup over cc3d with connectivity 26, 18 and 6.
LABELLING = {
    "blobs-50": (10, 12, 8),
    "blobs-10": (7, 7, 6),
    "random-50-g4": (8, 10, 6),
    "random-10-g1": (4, 3, 5),
    "random-31-g1": (12, 6, 5),
    "random-50-g1": (22, 10, 6),
    "random-90-g1": (16, 20, 4),
    "hilbert-6": (4, 3, 2.5),
    "voronoi": (6, 8, 6),
}
IMAGES = {"image-50-g1": 5, "image-50-g8": 4}
FILES = {
    "blobs-50 .nii.gz auto": 10,
    "blobs-50 .nii.gz uint32": 5,
    "blobs-50 .nii auto": 6,
    "blobs-50 .tif auto": 4,
    "blobs-50 .h5 auto": 4,
}
# Maximum bytes per voxel. The first matching pattern applies. f32 images and u32 volumes contain 4 bytes per voxel.
MEMORY = {"* intensity f32*": 4 + 1, "voronoi * u32*": 4 + 1, "blobs-*": 0.5, "random-*": 1.5}


def at_least(table, cases, connectivity, column, value, unit="x"):
    return Target(table, cases, connectivity, column, Bound.AT_LEAST, value, unit)


def at_most(table, cases, connectivity, column, value, unit="x"):
    return Target(table, cases, connectivity, column, Bound.AT_MOST, value, unit)


TARGETS = [
    *(at_least("labelling", volume, connectivity, CC3D, value)
      for volume, values in LABELLING.items() for connectivity, value in zip((26, 18, 6), values)),
    at_least("labelling", "blobs-*", 26, LIMIT_SHARE, 55, "%"),
    *(at_least("images", image, 8, BEST, value) for image, value in IMAGES.items()),
    *(at_least(table, "*", ANY, BEST, 1) for table in ("labelling", "cuda")),  # not slower than any peer on any case
    *(at_least(f"{table} statistics", "*", ANY, CC3D_STATISTICS, 1) for table in ("labelling", "images")),
    at_most("labelling statistics", "blobs-*", ANY, ON_TOP, 15, "%"),
    at_most("labelling statistics", "random-*", ANY, ON_TOP, 60, "%"),
    at_least("threads", "*", ANY, TWO_THREADS, 1.8),
    at_most("isa", "*", ANY, AVX2, 1.4),
    *(at_most(table, "*", ANY, WIDER, 1.1) for table in ("isa", "isa statistics")),
    at_most("cold", "*", ANY, COLD, 1.5),
    at_most("measures", "blobs-50", ANY, SHAPE, 40, "%"),
    at_most("measures", "blobs-50", ANY, HOLES, 2.2, "labellings"),
    at_least("measures", "voronoi", ANY, CC3D_CONTACTS, 20),
    at_least("measures", "field-f32", ANY, CC3D, 3),
    at_most("measures", "percentiles", ANY, PASSES, 1.5, "passes"),
    *(at_least("files", case, ANY, CPU_SECONDS, value) for case, value in FILES.items()),
    at_most("files", "* .nii.gz *", ANY, FILE_SIZE, 1),
    at_least("files", "* .nii.gz *", ANY, ALL_THREADS, 1.6),
    *(at_most("memory", case, ANY, PEAK, value, "B/voxel") for case, value in MEMORY.items()),
]


def target_of(table, case, connectivity, column):
    """The first of TARGETS that applies to this figure, or None."""
    return next((target for target in TARGETS if target.concerns(table, case, connectivity, column)), None)
