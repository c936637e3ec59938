#!/usr/bin/env python3
"""voxcc beside cc3d, scipy, scikit-image and SimpleITK: same volumes, same run, same machine.

    python3 -m venv .venv-bench && .venv-bench/bin/pip install -r bench/requirements.txt
    .venv-bench/bin/python bench/peers.py [--volumes blobs-50,...] [--peers cc3d,scipy] [--connectivities 26,6] [--rounds 5] [--work FOLDER]
    python3 bench/peers.py --device cuda [--peers CuPy,cuCIM] [--rows bke,buf]      # where there is a GPU, and CuPy or cuCIM

Every round calls each method once, so that whatever else the machine does meets all of them; the median of the rounds counts, wall time.
Timed is the call that labels, from an array in memory to an array of u32 labels 1..K in raster order, one thread. Peers keep freed
memory (malloc gives nothing back), voxcc paints into memory it touched before: page faults of fresh memory are in neither figure.
The component counts of all methods must agree. Results: bench/results/peers-DATE.csv and .md.

--device cuda: volume and labels are on the GPU, times are its own (events), the first of --rows stands for voxcc in the ratios. Each call of
voxcc is a process of its own, `voxcc bench`, whose first run does not count.
"""

import argparse
import csv
import dataclasses
import datetime
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEEP_FREED_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 62)}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def generated(*options):
    """A recipe: how `voxcc generate` makes the volume."""
    return lambda voxcc, path: subprocess.run([voxcc, "generate", *options, "-o", path], check=True)


def voronoi(voxcc, path, edge=512, cells=1900):
    """Each voxel gets the number of the nearest of `cells` random points: a segmentation without background."""
    import nibabel
    import numpy as np
    from scipy.spatial import cKDTree

    tree = cKDTree(np.random.default_rng(1).random((cells, 3)) * edge)
    plane = np.stack(np.meshgrid(np.arange(edge), np.arange(edge), indexing="ij"), -1).reshape(-1, 2)
    labels = np.empty((edge, edge, edge), np.uint32)
    for z in range(edge):
        labels[z] = tree.query(np.column_stack([np.full(len(plane), z), plane]), workers=-1)[1].reshape(edge, edge) + 1
    nibabel.save(nibabel.Nifti1Image(labels.T, np.eye(4)), path)


VOLUMES = {
    **{f"random-{density}-g{grain}": generated("random", "--shape", "256,256,256", "--density", str(density / 100), "--granularity", str(grain))
       for grain in (1, 4) for density in (10, 31, 50, 90)},
    "blobs-50": generated("blobs", "--shape", "512,512,512", "--density", "0.5"),
    "blobs-10": generated("blobs", "--shape", "512,512,512", "--density", "0.1"),
    "hilbert-6": generated("hilbert", "--size", "128", "--order", "6"),
    "voronoi": voronoi,
}
MULTILABEL = {"voronoi"}
LIMIT = "streaming limit"  # the time to read the voxels and write the labels and do nothing else, measured by voxcc_bench


@dataclasses.dataclass
class Case:
    volume: str
    connectivity: int
    path: Path
    array: object  # numpy, [z, y, x]

    @property
    def multilabel(self):
        return self.volume in MULTILABEL


@dataclasses.dataclass
class Timing:
    seconds: dict  # task -> seconds
    components: int


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


# Each peer: a function of a case that returns a call without arguments, or None where it cannot do that case. The call returns a Timing.


def cc3d(case):
    import cc3d as library

    def call():
        seconds, (labels, count) = timed(lambda: library.connected_components(
            case.array, connectivity=case.connectivity, binary_image=not case.multilabel, return_N=True))
        measuring, _ = timed(lambda: library.statistics(labels))
        return Timing({"label": seconds, "measure": measuring}, count)

    return call


def scipy(case):
    import scipy.ndimage

    if case.multilabel:
        return None
    structure = scipy.ndimage.generate_binary_structure(3, steps(case))

    def call():
        seconds, (_, count) = timed(lambda: scipy.ndimage.label(case.array, structure))
        return Timing({"label": seconds}, count)

    return call


def skimage(case):
    import skimage.measure

    def call():
        seconds, (_, count) = timed(lambda: skimage.measure.label(case.array, connectivity=steps(case), background=0, return_num=True))
        return Timing({"label": seconds}, count)

    return call


def simpleitk(case):
    import SimpleITK

    if case.multilabel or case.connectivity == 18:
        return None
    SimpleITK.ProcessObject.SetGlobalDefaultNumberOfThreads(1)
    image = SimpleITK.GetImageFromArray(case.array)
    labeller = SimpleITK.ConnectedComponentImageFilter()
    labeller.SetFullyConnected(case.connectivity == 26)

    def call():
        seconds, _ = timed(lambda: labeller.Execute(image))
        return Timing({"label": seconds}, labeller.GetObjectCount())

    return call


def voxcc_bench(program):
    def method(case):
        command = [program, case.path, "--connectivity", case.connectivity, "--threads", 1, "--repeat", 1, "--warmup", 1]
        command += ["--multilabel"] if case.multilabel else []

        def call():
            done = json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout)
            return Timing({"label": done["label"][0], "measure": done["stages"]["measure"][0], LIMIT: done["stream"][0]}, done["components"])

        return call

    return method


# The same on a GPU.


def on_device(seconds_and_count_of):
    """A peer that is called with the volume on the device; timed by the device's events."""

    def method(case):
        import cupy

        array = cupy.asarray(case.array)
        label = seconds_and_count_of(case)
        if label is None:
            return None

        def call():
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            count = label(array)
            end.record()
            end.synchronize()
            return Timing({"label": cupy.cuda.get_elapsed_time(begin, end) / 1e3}, int(count))

        return call

    return method


def cupy_label(case):
    import cupyx.scipy.ndimage as library
    import scipy.ndimage

    if case.multilabel:
        return None
    structure = scipy.ndimage.generate_binary_structure(3, steps(case))
    return lambda array: library.label(array, structure)[1]


def cucim_label(case):
    import cucim.skimage.measure as library

    return lambda array: library.label(array, connectivity=steps(case), background=0, return_num=True)[1]


def voxcc_cuda(program, row):
    def method(case):
        if case.multilabel:
            return None
        command = [program, "bench", case.path, "--device", "cuda", "--algorithms", row, "--connectivity", case.connectivity, "--repeat", 1, "-q"]

        def call():
            table = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout.splitlines()
            found = {(line["algorithm"], line["phase"], line["statistic"]): float(line["value"]) for line in csv.DictReader(table)}
            return Timing({"label": found[row, "labelling", "median"] / 1e3, LIMIT: found["ceiling", "labelling", "median"] / 1e3},
                          int(found[row, "labelling", "components"]))

        return call

    return method


def steps(case):
    return {6: 1, 18: 2, 26: 3}[case.connectivity]


PEERS = {
    "cpu": {"cc3d": cc3d, "scipy": scipy, "scikit-image": skimage, "SimpleITK": simpleitk},
    "cuda": {"CuPy": on_device(cupy_label), "cuCIM": on_device(cucim_label)},
}
PACKAGES = {"cc3d": "connected-components-3d", "CuPy": "cupy", "cuCIM": "cucim"}
MODULES = {"CuPy": "cupyx", "cuCIM": "cucim"}


def measure(case, methods, rounds):
    """Rows of results: medians over the rounds of every method, after one round that does not count."""
    calls = {name: call for name, method in methods.items() if (call := method(case))}
    if "voxcc" not in calls:
        return []
    timings = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            timing = call()
            if number > 0:
                timings[name].append(timing)
    counts = {name: {timing.components for timing in list_} for name, list_ in timings.items()}
    if len(set().union(*counts.values())) != 1:
        sys.exit(f"{case.volume}, {case.connectivity}: the methods disagree on the number of components: {counts}")
    rows = []
    for name, list_ in timings.items():
        for task in list_[0].seconds:
            seconds = [timing.seconds[task] for timing in list_]
            method, of = (LIMIT, "label") if task == LIMIT else (name, task)
            rows.append({"volume": case.volume, "connectivity": case.connectivity, "components": list_[0].components, "method": method, "task": of,
                         "median_ms": statistics.median(seconds) * 1e3, "min_ms": min(seconds) * 1e3, "rounds": rounds})
    ours = {row["task"]: row["median_ms"] for row in rows if row["method"] == "voxcc"}
    for row in rows:
        row["ratio_to_voxcc"] = row["median_ms"] / ours[row["task"]]
    return rows


def markdown(rows, about):
    """A table a task, one line a case, milliseconds and in brackets how many times voxcc's."""
    text = "# voxcc beside its peers\n\n" + "".join(f"- {name}: {value}\n" for name, value in about.items())
    for task, title in (("label", "Labelling"), ("measure", "Statistics of the components")):
        ours = [row for row in rows if row["task"] == task]
        if not ours:
            continue
        methods = list(dict.fromkeys(row["method"] for row in ours))
        text += f"\n## {title}, milliseconds (times voxcc's)\n\n| volume | connectivity | components | " + " | ".join(methods) + " |\n"
        text += "|---|---|---|" + "---|" * len(methods) + "\n"
        for key in dict.fromkeys((row["volume"], row["connectivity"], row["components"]) for row in ours):
            cells = {row["method"]: row for row in ours if (row["volume"], row["connectivity"], row["components"]) == key}
            text += "| " + " | ".join(map(str, key)) + " | " + " | ".join(cell(cells.get(method)) for method in methods) + " |\n"
    return text + "\n" + "".join(f"- {line}\n" for line in verdicts(rows))


def cell(row):
    if row is None:
        return "-"
    return f"{row['median_ms']:.1f}" + ("" if row["method"] == "voxcc" else f" ({row['ratio_to_voxcc']:.1f})")


def verdicts(rows):
    """What voxcc sets out to be, and whether this run shows it."""
    peers = [row for row in rows if not row["method"].startswith("voxcc") and row["method"] != LIMIT]
    goals = [
        ("at least twice as fast as every peer on blobs, 26 and 6", 2, [row for row in peers if row["task"] == "label"
                                                                       and row["volume"].startswith("blobs") and row["connectivity"] != 18]),
        ("no slower than any peer anywhere", 1, [row for row in peers if row["task"] == "label"]),
        ("statistics faster than cc3d.statistics", 1, [row for row in peers if row["task"] == "measure"]),
    ]
    for goal, least, considered in goals:
        if considered:
            worst = min(considered, key=lambda row: row["ratio_to_voxcc"])
            yield (f"{'reached' if worst['ratio_to_voxcc'] >= least else 'MISSED'}: {goal} (least ratio {worst['ratio_to_voxcc']:.2f}: "
                   f"{worst['method']}, {worst['volume']}, {worst['connectivity']})")


def about_this_run(arguments):
    lscpu = subprocess.run(["lscpu"], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    model = next((line.split(":", 1)[1].strip() for line in lscpu.splitlines() if line.startswith("Model name")), "unknown")
    version = subprocess.run([arguments.voxcc, "--version"], capture_output=True, text=True).stdout.splitlines()
    packages = [PACKAGES.get(name, name) for name in arguments.peers] + ["numpy"]
    gpu = {}
    if arguments.device == "cuda":
        import cupy

        gpu = {"GPU": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()}
    return {"machine": f"{model}, {os.cpu_count()} cores", **gpu, "date": datetime.date.today().isoformat(),
            "command": "bench/peers.py " + " ".join(sys.argv[1:]), "voxcc": version[0] if version else "unknown",
            "peers": ", ".join(f"{name} {version_of(name)}" for name in packages),
            "rounds": f"median of {arguments.rounds}" + (", one thread" if arguments.device == "cpu" else "")}


def version_of(package):
    """Wheels of CuPy and cuCIM carry CUDA's version in their names."""
    import importlib.metadata

    for name in (package, *(f"{package}-cu{cuda}x" for cuda in (12, 13)), *(f"{package}-cuda{cuda}x" for cuda in (12, 13)),
                 *(f"{package}-cu{cuda}" for cuda in (12, 13))):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return "(version unknown)"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=PEERS, default="cpu")
    parser.add_argument("--rows", default="bke,buf", help="--device cuda: rows of 'voxcc algorithms' (default %(default)s)")
    parser.add_argument("--volumes", default=",".join(VOLUMES), help="some of: %(default)s")
    parser.add_argument("--peers", help=f"some of: {'; '.join(f'{device}: {chr(44).join(names)}' for device, names in PEERS.items())}")
    parser.add_argument("--connectivities", default="26,18,6")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench", help="where volumes are kept from run to run")
    parser.add_argument("--results", type=Path, default=ROOT / "bench" / "results")
    parser.add_argument("--voxcc", type=Path, default=ROOT / "build" / "voxcc")
    parser.add_argument("--voxcc-bench", type=Path, default=ROOT / "build" / "voxcc_bench")
    arguments = parser.parse_args()
    if arguments.peers is None:
        known = PEERS[arguments.device]
        arguments.peers = [name for name in known if importlib.util.find_spec(MODULES.get(name, "numpy"))]
        for name in known.keys() - arguments.peers:
            print(f"{name} is not installed: left out", file=sys.stderr)
    else:
        arguments.peers = [name for name in arguments.peers.split(",") if name]
    return arguments


def methods_of(arguments):
    peers = {name: PEERS[arguments.device][name] for name in arguments.peers}
    if arguments.device == "cpu":
        return {"voxcc": voxcc_bench(arguments.voxcc_bench), **peers}
    first, *others = arguments.rows.split(",")
    return {"voxcc": voxcc_cuda(arguments.voxcc, first), **{f"voxcc {row}": voxcc_cuda(arguments.voxcc, row) for row in others}, **peers}


def main():
    arguments = parse_arguments()
    import nibabel
    import numpy as np

    arguments.work.mkdir(parents=True, exist_ok=True)
    methods = methods_of(arguments)
    rows = []
    for volume in arguments.volumes.split(","):
        path = arguments.work / f"{volume}.nii"
        if not path.exists():
            print(f"making {path}", file=sys.stderr)
            VOLUMES[volume](arguments.voxcc, path)
        array = np.ascontiguousarray(np.asarray(nibabel.load(path).dataobj).T)
        for connectivity in map(int, arguments.connectivities.split(",")):
            rows += measure(Case(volume, connectivity, path, array), methods, arguments.rounds)
            for row in rows:
                if (row["volume"], row["connectivity"]) == (volume, connectivity):
                    print(f"{volume:14} {connectivity:3} {row['task']:8} {row['method']:16} {row['median_ms']:10.1f} ms {row['ratio_to_voxcc']:8.2f}",
                          flush=True)
    arguments.results.mkdir(parents=True, exist_ok=True)
    about = about_this_run(arguments)
    stem = arguments.results / f"peers-{'gpu-' if arguments.device == 'cuda' else ''}{about['date']}"
    with open(stem.with_suffix(".csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    stem.with_suffix(".md").write_text(markdown(rows, about))
    print("\n".join(verdicts(rows)))


if __name__ == "__main__":
    settings = KEEP_FREED_MEMORY | ONE_THREAD
    if any(os.environ.get(name) != value for name, value in settings.items()):  # malloc reads them when a process starts
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | settings)
    main()
