#!/usr/bin/env python3
"""Labels a computed volume of any size in parts, and compares numbers, counts and sums with closed forms.

The volume is never stored: it is an input such as 'generate:solid?shape=10240,10240,10240'. Volumes of 10^12 voxels therefore fit onto one
machine: each part is labelled for real, all parts are merged, and a sample of the parts is painted.

  lab/parts_at_scale.py checkerboard --size 10240 --part-size 1024 --granularity 50 --sample 27 --folder FOLDER
  lab/parts_at_scale.py solid --size 640 --part-size 64 --sample all --folder FOLDER

Steps that are complete are kept, as voxcc does, so an interrupted run continues. FOLDER/figures.json has the processor time, the wall time,
the peak memory and the bytes of each step; they are printed as a table, too. Needs numpy and imagecodecs (tests/python/requirements.txt).
"""

import argparse
import itertools
import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import imagecodecs
import numpy as np

STEPS = ("split", "label", "merge", "relabel", "check")
SUMS = ("n", "x", "y", "z", "xx", "yy", "zz", "xy", "xz", "yz")


# ---- closed forms --------------------------------------------------------------------------------------------------------------------------


def span_sums(first, end):
    """Sums over the positions first..end-1 of an axis: of 1, of the position, of its square."""
    below = lambda n: (n, n * (n - 1) // 2, (n - 1) * n * (2 * n - 1) // 6)
    return tuple(b - a for a, b in zip(below(first), below(end)))


def box_sums(box):
    """The sums of a box of foreground voxels. `box` has (first, end) per axis x, y, z."""
    (nx, x, xx), (ny, y, yy), (nz, z, zz) = (span_sums(*axis) for axis in box)
    values = (nx * ny * nz, x * ny * nz, y * nx * nz, z * nx * ny, xx * ny * nz, yy * nx * nz, zz * nx * ny, x * y * nz, x * z * ny, y * z * nx)
    return dict(zip(SUMS, values))


class Solid:
    """All voxels: one component."""

    connectivity = 26

    def __init__(self, size, _options):
        self.size, self.options = size, {}
        self.components = 1
        self.total = box_sums([(0, size)] * 3)

    def labels(self, x, y, z):
        return np.ones(np.broadcast_shapes(x.shape, y.shape, z.shape), np.uint64)

    def layer(self, z):
        """Slices with the same result have the same labels."""
        return 0

    def row(self, number):
        return {**self.total, "box": [(0, self.size)] * 3}

    def begins_in(self, box):
        return [1] if all(first == 0 for first, _ in box) else []


class Checkerboard:
    """Cubes of `granularity` voxels that touch at edges only. With 6 neighbours, every cube is a component."""

    connectivity = 6

    def __init__(self, size, options):
        self.size, self.edge = size, options.granularity
        self.options = {"granularity": self.edge}
        self.cells = -(-size // self.edge)
        self.components = (self.cells**3 + 1) // 2
        # The sums of all cubes follow from the sums along an axis at cells of even and of odd index.
        spans = [span_sums(c * self.edge, min((c + 1) * self.edge, size)) for c in range(self.cells)]
        axis = [[sum(span[power] for span in spans[parity::2]) for power in range(3)] for parity in (0, 1)]
        powers = {"n": (0, 0, 0), "x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "xx": (2, 0, 0), "yy": (0, 2, 0), "zz": (0, 0, 2),
                  "xy": (1, 1, 0), "xz": (1, 0, 1), "yz": (0, 1, 1)}  # fmt: skip
        even = [p for p in itertools.product((0, 1), repeat=3) if sum(p) % 2 == 0]
        self.total = {name: sum(axis[i][a] * axis[j][b] * axis[k][c] for i, j, k in even) for name, (a, b, c) in powers.items()}

    def numbers(self, i, j, k):
        """The number of the cube (i, j, k), or of the next before it: half of the cubes of a raster of cells are foreground."""
        rows = k * self.cells + j
        if self.cells % 2:
            return (rows * self.cells + i) // 2 + 1
        return rows * (self.cells // 2) + i // 2 + 1

    def labels(self, x, y, z):
        i, j, k = (axis // self.edge for axis in (x, y, z))
        return np.where((i + j + k) % 2 == 0, self.numbers(i, j, k), 0).astype(np.uint64)

    def layer(self, z):
        return z // self.edge

    def row(self, number):
        in_row, rows = number - 1, 0
        if self.cells % 2:
            rows, i = divmod(2 * in_row, self.cells)
        else:
            rows, i = divmod(in_row, self.cells // 2)
            i = 2 * i + sum(divmod(rows, self.cells)) % 2
        k, j = divmod(rows, self.cells)
        box = [(c * self.edge, min((c + 1) * self.edge, self.size)) for c in (i, j, k)]
        return {**box_sums(box), "box": box}

    def begins_in(self, box):
        starts = [range(-(-first // self.edge), -(-end // self.edge)) for first, end in box]
        return [self.numbers(i, j, k) for k in starts[2] for j in starts[1] for i in starts[0] if (i + j + k) % 2 == 0]


class Hilbert:
    """A Hilbert curve: one component. Its voxels are the centres of the cells and the lines between the centres of following cells."""

    connectivity = 6

    def __init__(self, size, options):
        self.size, self.order = size, options.order
        self.options = {"order": self.order}
        cells = 2**self.order
        line = size // cells  # voxels from one centre to the next
        if size % cells or line % 2:
            sys.exit("hilbert: --size must be a multiple of 2^(order + 1)")
        self.components = 1
        centre = lambda cell: line * cell + line // 2
        all_centres = cells**2 * sum(centre(cell) for cell in range(cells))  # along each axis
        # A line has line - 1 voxels between two centres, on average at their midpoint. All centres but the first and the last have two lines.
        ends = {"x": centre(0) + centre(cells - 1), "y": 2 * centre(0), "z": 2 * centre(0)}
        self.total = {"n": (cells**3 - 1) * line + 1}
        for axis, both in ends.items():
            self.total[axis] = all_centres + (line - 1) * (2 * all_centres - both) // 2

    def labels(self, x, y, z):
        return None  # every foreground voxel is 1

    def layer(self, z):
        return z

    def row(self, number):
        return self.total

    def begins_in(self, box):
        return None  # known only for the first part


KINDS = {"solid": Solid, "checkerboard": Checkerboard, "hilbert": Hilbert}


# ---- files of the steps: io/decoded/section_file.h, src/parts/part_files.h, src/parts/painted_file.h -------------------------------------------------


class Sections:
    def __init__(self, path):
        self.bytes = Path(path).read_bytes()
        count = struct.unpack_from("<Q", self.bytes, 88)[0]
        self.entries, at = [], 96 + 24 * count + 8
        for section in range(count):
            raw, packed = struct.unpack_from("<QQ", self.bytes, 96 + 24 * section)
            self.entries.append((at, packed, raw))
            at += packed

    def read(self, section, dtype):
        at, packed, raw = self.entries[section]
        return np.frombuffer(imagecodecs.zstd_decode(self.bytes[at : at + packed], out=raw) if raw else b"", dtype)


def numbers_in(data):
    """Numbers with 7 bits per byte, the lowest first."""
    number = shift = 0
    for byte in data:
        number, shift = number | (byte & 127) << shift, shift + 7
        if byte < 128:
            yield number
            number = shift = 0


def table_rows(blocks):
    """The rows of a table: pairs of a number and sums in the coordinates of the volume. See src/parts/table_blocks.h."""
    for block in blocks:
        numbers, number, corner = numbers_in(block), 0, [0, 0, 0]
        for step in numbers:
            number, _value, n = number + step, next(numbers), next(numbers)
            moves = [next(numbers) for _ in range(3)]
            corner = [c + (move // 2 if move % 2 == 0 else -(move // 2) - 1) for c, move in zip(corner, moves)]
            edges, near = ([next(numbers) for _ in range(3)], [next(numbers) for _ in range(9)]) if n > 1 else ([0] * 3, [0] * 9)
            first = [near[a] + n * corner[a] for a in range(3)]
            second = [near[3 + i] + corner[a] * near[b] + corner[b] * near[a] + n * corner[a] * corner[b]
                      for i, (a, b) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))]  # fmt: skip
            yield number, {**dict(zip(SUMS, [n, *first, *second])), "box": [(c, c + edge + 1) for c, edge in zip(corner, edges)]}


def chunk_edges(size, part_size):
    """The edges of the chunks of painted labels along x, y and z: see io/label_chunk.cpp and painted_form()."""
    depth = min(64, size)
    while depth > 1 and depth * size * size > 1 << 23:
        depth = (depth + 1) // 2
    edge = min(128 if depth >= 8 else 256 if depth >= 2 else 512, size)
    if part_size < size and (part_size % edge or part_size % depth):
        edge, depth = min(edge, part_size), min(depth, part_size)
    return edge, edge, depth


# ---- steps ---------------------------------------------------------------------------------------------------------------------------------


class Run:
    def __init__(self, options):
        self.options = options
        self.voxcc = options.voxcc
        self.folder = options.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.volume = KINDS[options.kind](options.size, options)
        self.plan, self.state, self.merged = (self.folder / name for name in ("plan.json", "state", "merged"))
        self.figures_file = self.folder / "figures.json"
        self.figures = json.loads(self.figures_file.read_text()) if self.figures_file.exists() else {}
        self.checks = 0

    def call(self, step, *arguments, parts=None):
        """Runs voxcc, and adds the time, the memory and the number of parts to the figures of the step."""
        begin = time.monotonic()
        child = subprocess.Popen([self.voxcc, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        out = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"voxcc {step}: exit code {child.returncode}")
        figures = self.figures.setdefault(step, {"cpu_s": 0, "wall_s": 0, "peak_mb": 0, "parts": 0})
        figures["cpu_s"] += usage.ru_utime + usage.ru_stime
        figures["wall_s"] += time.monotonic() - begin
        figures["peak_mb"] = max(figures["peak_mb"], usage.ru_maxrss / 1000)
        figures["parts"] += parts or 0
        return out

    def save(self, step, files):
        self.figures[step]["written_mb"] = sum(file.stat().st_size for file in files) / 1e6
        self.figures_file.write_text(json.dumps(self.figures, indent=1) + "\n")

    def split(self):
        shape = ",".join([str(self.options.size)] * 3)
        text = "&".join([f"shape={shape}"] + [f"{name}={value}" for name, value in self.volume.options.items()])
        self.call("split", "split", f"generate:{self.options.kind}?{text}", "-c", self.volume.connectivity, "--part-size",
                  self.options.part_size, "-o", self.plan, "-f", "-q")  # fmt: skip
        self.save("split", [self.plan])

    def parts(self):
        return json.loads(self.plan.read_text())["parts"]

    def label(self):
        waiting = [part for part in range(self.parts()) if not (self.state / f"{part}.part").exists()]
        for batch in batches(waiting):
            self.call("label", "label", "--plan", self.plan, "--part", f"{batch[0]}..{batch[-1]}", "-o", self.state, "-q", "-t",
                      self.options.threads, parts=len(batch))  # fmt: skip
            self.save("label", self.state.glob("*.part"))

    def merge(self):
        out = self.call("merge", "merge", "--plan", self.plan, self.state, "-o", self.merged, "-q", parts=self.parts())
        self.save("merge", [*self.merged.glob("*.numbers"), self.merged / "merged"])
        self.require("components", json.loads(out)["components"], self.volume.components)

    def sample(self):
        """Parts that are spread over the volume, with the first and the last one."""
        parts = self.parts()
        wanted = parts if self.options.sample == "all" else min(int(self.options.sample), parts)
        return sorted({round(i * (parts - 1) / max(wanted - 1, 1)) for i in range(wanted)})

    def relabel(self):
        waiting = [part for part in self.sample() if not (self.merged / f"{part}.painted").exists()]
        for batch in batches(waiting):
            self.call("relabel", "relabel", "--plan", self.plan, "--part", f"{batch[0]}..{batch[-1]}", self.state, self.merged, "-q", "-t",
                      self.options.threads, parts=len(batch))  # fmt: skip
            self.save("relabel", self.merged.glob("*.painted"))

    # ---- checks ----

    def require(self, what, found, expected):
        if found != expected:
            sys.exit(f"{what}: {found}, and the closed form is {expected}")
        self.checks += 1

    def box(self, part):
        edge, size = self.options.part_size, self.options.size
        counts = -(-size // edge)
        place = (part % counts, part // counts % counts, part // counts**2)
        return [(c * edge, min((c + 1) * edge, size)) for c in place]

    def check(self):
        begin = time.process_time()
        self.check_states()
        for part in self.sample():
            self.check_painted(part)
        print(f"{self.checks} comparisons with closed forms, all equal; {time.process_time() - begin:.0f} s", flush=True)
        self.print_figures()

    def check_states(self):
        """The components of all parts together have the voxels of the volume."""
        files = (Sections(self.state / f"{part}.part") for part in range(self.parts()))
        self.require("voxels of all parts", sum(int(file.read(10, np.uint32).sum(dtype=np.uint64)) for file in files), self.volume.total["n"])

    def check_painted(self, part):
        """The rows of the table that begin in the part, and the labels of all its voxels."""
        painted, box = Sections(self.merged / f"{part}.painted"), self.box(part)
        edges = chunk_edges(self.options.size, self.options.part_size)
        nx, ny, nz = (-(-(end - first) // edge) for (first, end), edge in zip(box, edges))
        rows = int(painted.read(0, np.uint64)[3])
        table = list(table_rows(painted.read(1 + block, np.uint8).tolist() for block in range(-(-rows // 2048))))
        self.require(f"rows of part {part}", len(table), rows)
        expected = self.volume.begins_in(box)
        if expected is not None:
            self.require(f"numbers that begin in part {part}", [number for number, _ in table], expected)
        for number, found in table:
            for name, value in self.volume.row(number).items():
                self.require(f"{name} of component {number}", found[name], value)
        label_type = np.dtype([np.uint8, np.uint16, np.uint32, np.uint64][(self.volume.components >= np.array([1 << 8, 1 << 16, 1 << 32])).sum()])
        x, y = np.arange(*box[0])[None, :], np.arange(*box[1])[:, None]
        layer, wanted = None, None
        for k in range(nz):
            slices = np.zeros((edges[2], ny * edges[1], nx * edges[0]), label_type)
            for j, i in itertools.product(range(ny), range(nx)):
                chunk = painted.read(1 + -(-rows // 2048) + i + nx * (j + ny * k), label_type)
                if chunk.size:
                    slices[:, j * edges[1] : (j + 1) * edges[1], i * edges[0] : (i + 1) * edges[0]] = chunk.reshape(edges[::-1])
            for z in range(box[2][0] + k * edges[2], min(box[2][0] + (k + 1) * edges[2], box[2][1])):
                labels = slices[z - box[2][0] - k * edges[2], : y.size, : x.size]
                if layer != self.volume.layer(z):
                    layer, wanted = self.volume.layer(z), self.volume.labels(x, y, np.asarray(z))
                equal = np.array_equal(labels, wanted) if wanted is not None else set(np.unique(labels)) <= {0, 1}
                self.require(f"labels of slice {z} of part {part}", equal, True)

    def print_figures(self):
        print("| step | parts | processor time, s | s per part | wall, s | peak memory, MB | written, MB |\n|---|---|---|---|---|---|---|")
        for step, f in self.figures.items():
            per_part = f"{f['cpu_s'] / f['parts']:.2f}" if f["parts"] else ""
            print(f"| {step} | {f['parts'] or ''} | {f['cpu_s']:.1f} | {per_part} | {f['wall_s']:.0f} | {f['peak_mb']:.0f} | {f['written_mb']:.1f} |")


def batches(parts, most=100):
    """Runs of consecutive numbers, at most `most` long."""
    batch = []
    for part in parts:
        if batch and (part != batch[-1] + 1 or len(batch) == most):
            yield batch
            batch = []
        batch.append(part)
    if batch:
        yield batch


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--size", type=int, default=640, help="edge of the volume in voxels (default: 640)")
    parser.add_argument("--part-size", type=int, default=64, help="edge of a part in voxels (default: 64)")
    parser.add_argument("--granularity", type=int, default=50, help="checkerboard: edge of a cube in voxels (default: 50)")
    parser.add_argument("--order", type=int, default=5, help="hilbert: order of the curve (default: 5)")
    parser.add_argument("--sample", default="27", help="number of parts to paint, or all (default: 27)")
    parser.add_argument("--steps", default=",".join(STEPS), help=f"steps to run (default: {','.join(STEPS)})")
    parser.add_argument("--threads", default="1", help="threads of label and relabel (default: 1)")
    parser.add_argument("--folder", type=Path, required=True, help="folder of the plan, the states and the results")
    parser.add_argument("--voxcc", default=os.environ.get("VOXCC") or "voxcc", help="the program (default: VOXCC, or voxcc)")
    options = parser.parse_args()
    run = Run(options)
    for step in options.steps.split(","):
        if step not in STEPS:
            parser.error(f"'{step}' is not a step")
        getattr(run, step)()


if __name__ == "__main__":
    main()
