#!/usr/bin/env python3
"""Compares voxcc in parts with tools that label volumes larger than memory: from a Zarr array to stored labels, with two workers.

    python3 lab/parts_peers.py [--size 512] [--volumes blobs random] [--only voxcc igneous] [--time-limit 600] [--memory-limit 12]

Needs numpy, zarr, psutil and the programs that are compared: igneous-pipeline, dask-image, tilewise-ccl, connected-components-3d (with
crackle-codec). Install them beside each other, and run this script with their Python. The volumes are made by `voxcc generate`, and copied
into Zarr arrays (v2, zstd, chunks of 128^3). Every tool is one process with its children. The methods run one after the other.

Prints a table in Markdown: processor seconds of all processes, wall seconds, and the greatest memory of all processes together: the sum of
their proportional set sizes, every 50 ms. Starts of programs and imports are included. Labels are compared with voxcc afterwards. A run
that exceeds a limit is ended; its row states the processor seconds until then.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

CHUNK = 128
VOLUMES = {"blobs": ("blobs", "--density", "0.5"), "random": ("random", "--density", "0.1"), "random-31": ("random", "--density", "0.31")}
WORKERS = 2


def source_of(options, name):
    """The Zarr array of a volume, made once."""
    path = options.work / f"{name}-{options.size}.zarr"
    if path.exists():
        return path
    import numcodecs
    import numpy as np
    import zarr

    plain, unfinished = options.work / "volume.npy", options.work / "unfinished.zarr"
    kind, *rest = VOLUMES[name]
    subprocess.run([options.voxcc, "generate", kind, "--size", str(options.size), *rest, "-q", "-f", "-o", plain], check=True)
    data = np.load(plain, mmap_mode="r").T  # z, y, x
    array = zarr.create_array(unfinished, shape=data.shape, chunks=(CHUNK,) * 3, dtype="u1", zarr_format=2, overwrite=True,
                              compressors=numcodecs.Zstd(1))
    for z in range(0, options.size, CHUNK):
        array[z : z + CHUNK] = data[z : z + CHUNK]
    del data
    plain.unlink()
    unfinished.rename(path)
    return path


# The methods. Each gets the source, the target and the number of neighbours, and writes the labels.


def voxcc_parts(options, source, target, neighbours):
    """Two processes with one thread each label and paint the parts. A shell replaces this process, so that its memory does not count."""
    state, merged, plan = (target.with_name(name) for name in ("state", "merged", "plan.json"))
    parts = (options.size // options.part_size) ** 3
    halves = [f"0..{parts // 2 - 1}", f"{parts // 2}..{parts - 1}"] if parts > 1 else ["0"]

    def step(*command):
        return shlex.join([str(options.voxcc), *map(str, command), "-q"]) + " > /dev/null"

    def steps_of_halves(*command):
        started = [f"{step(*command, '--part', half, '-t', 1)} & p{i}=$!" for i, half in enumerate(halves)]
        return [*started, *(f"wait $p{i}" for i in range(len(halves)))]

    script = [
        step("split", source, "-o", plan, "--part-size", options.part_size, "-c", neighbours),
        *steps_of_halves("label", "--plan", plan, "-o", f"{state}/"),
        step("merge", "--plan", plan, f"{state}/", "-o", f"{merged}/"),
        *steps_of_halves("relabel", "--plan", plan, f"{state}/", f"{merged}/"),
        step("relabel", "--plan", plan, "--finish", f"{state}/", f"{merged}/", "-o", target, "--pyramid", options.pyramid, "-t", WORKERS),
    ]
    os.execvp("sh", ["sh", "-ec", "\n".join(script)])


def voxcc_label(options, source, target, neighbours):
    command = [options.voxcc, "label", source, "-o", target, "--pyramid", options.pyramid, "-c", neighbours, "-t", WORKERS, "-q"]
    os.execv(options.voxcc, list(map(str, command)))


def igneous(options, source, target, neighbours):
    part = str(max(options.size // 2, 2 * CHUNK))
    program = Path(sys.executable).with_name("igneous")
    subprocess.run([program, "-p", str(WORKERS), "image", "ccl", "auto", f"zarr2://file://{source}", f"precomputed://file://{target}",
                    "--shape", ",".join([part] * 3), "--chunk-size", ",".join([str(CHUNK)] * 3)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def dask_image(options, source, target, neighbours):
    import dask
    import dask.array
    import dask_image.ndmeasure
    import scipy.ndimage

    structure = scipy.ndimage.generate_binary_structure(3, {6: 1, 26: 3}[neighbours])
    with dask.config.set(scheduler="threads", num_workers=WORKERS):
        labels, _ = dask_image.ndmeasure.label(dask.array.from_zarr(source), structure)
        labels.to_zarr(target)


def tilewise(options, source, target, neighbours):
    import dask
    import tilewise_ccl
    import zarr

    with dask.config.set(scheduler="threads", num_workers=WORKERS):
        labels = tilewise_ccl.label_array(zarr.open_array(source, mode="r"), connectivity={6: 1, 26: 3}[neighbours], max_threads=WORKERS)
        labels.to_zarr(target)


def cc3d_stack(options, source, target, neighbours):
    """One thread. The labels stay compressed (crackle) and are stored in this form."""
    import cc3d
    import numpy as np
    import zarr

    array = zarr.open_array(source, mode="r")
    slabs = (np.asfortranarray(array[z : z + CHUNK].T) for z in range(0, options.size, CHUNK))
    labels = cc3d.connected_components_stack(slabs, connectivity=neighbours, binary_image=True)
    target.write_bytes(labels.binary)


METHODS = {"voxcc, parts": (voxcc_parts, (26, 6)), "voxcc label": (voxcc_label, (26, 6)), "igneous": (igneous, (6,)),
           "dask-image": (dask_image, (26,)), "tilewise-ccl": (tilewise, (26, 6)), "cc3d stack": (cc3d_stack, (26, 6))}  # fmt: skip


class Usage(threading.Thread):
    """The greatest memory of a process and its children, and the processor time of those that exist."""

    def __init__(self, pid, options):
        import psutil

        super().__init__(daemon=True)
        self.gone = (psutil.NoSuchProcess, psutil.AccessDenied)
        self.process, self.options, self.most, self.seconds, self.ended_by, self.done = psutil.Process(pid), options, 0, 0, "", threading.Event()
        self.begin = time.perf_counter()
        self.start()

    def run(self):
        while not self.done.wait(0.05):
            memory = seconds = 0
            try:
                tree = [self.process, *self.process.children(recursive=True)]
            except self.gone:
                return
            for process in tree:
                try:
                    memory += process.memory_full_info().pss
                    seconds += sum(process.cpu_times())
                except self.gone:
                    pass
            self.most, self.seconds = max(self.most, memory), max(self.seconds, seconds)
            passed = time.perf_counter() - self.begin
            if passed > self.options.time_limit or memory > self.options.memory_limit * 1e9:
                self.ended_by = f"ended after {passed:.0f} s"
                for process in tree:
                    try:
                        process.kill()
                    except self.gone:
                        pass


def measure(options, name, volume, source, neighbours):
    """The row of a method: processor seconds, wall seconds, bytes, remark; and the labels, or None."""
    folder = options.work / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    target = folder / "out.zarr"
    command = [sys.executable, __file__, "--worker", name, "--size", options.size, "--voxcc", options.voxcc, "--source", source,
               "--target", target, "--neighbours", neighbours, "--pyramid", options.pyramid, "--part-size", options.part_size]
    begin = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)))
    usage = Usage(process.pid, options)
    _, status, resources = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    usage.done.set()
    usage.join()
    seconds = max(resources.ru_utime + resources.ru_stime, usage.seconds if usage.ended_by else 0)
    remark = usage.ended_by or ("failed" if process.returncode else "")
    print(f"{name}, {volume}, {neighbours}: {seconds:.1f} s, wall {wall:.1f} s, {usage.most / 1e6:.0f} MB {remark}", file=sys.stderr, flush=True)
    return (seconds, wall, usage.most, remark), target


def readable(options, name, target):
    """The labels in a form that voxcc reads."""
    import numpy as np

    if name == "cc3d stack":
        import crackle

        np.save(options.work / "labels.npy", crackle.decompress(target.read_bytes()).T)
        return options.work / "labels.npy"
    if name == "igneous":
        from cloudvolume import CloudVolume

        np.save(options.work / "labels.npy", np.asarray(CloudVolume(f"precomputed://file://{target}", progress=False)[:])[..., 0].T.copy())
        return options.work / "labels.npy"
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512, help="edge of the volumes (default: 512)")
    parser.add_argument("--voxcc", type=Path, default=Path("build/voxcc"), help="the program (default: build/voxcc)")
    parser.add_argument("--work", type=Path, default=Path("peers-work"), help="folder for the volumes (default: peers-work)")
    parser.add_argument("--volumes", nargs="*", choices=VOLUMES, default=["blobs", "random"], help="default: blobs random")
    parser.add_argument("--only", nargs="*", choices=METHODS, default=list(METHODS), help="methods (default: all)")
    parser.add_argument("--connectivity", type=int, nargs="*", choices=(6, 26), default=[26, 6], help="default: 26 6")
    parser.add_argument("--part-size", type=int, default=2 * CHUNK, help="edge of the parts of voxcc (default: 256)")
    parser.add_argument("--pyramid", choices=["none", "auto"], default="none",
                        help="levels of voxcc's labels; the other tools write one level (default: none)")
    parser.add_argument("--time-limit", type=float, default=600, help="wall seconds of a run (default: 600)")
    parser.add_argument("--memory-limit", type=float, default=12, help="GB of a run (default: 12)")
    for name in ("--worker", "--source", "--target", "--neighbours"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.voxcc = options.voxcc.resolve()
    if options.worker:
        return METHODS[options.worker][0](options, Path(options.source), Path(options.target), int(options.neighbours))
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    print("| volume | neighbours | tool | processor time (s) | wall time (s) | memory (MB) | remark |\n|---|---|---|---|---|---|---|")
    for volume in options.volumes:
        source = source_of(options, volume)
        for neighbours in options.connectivity:
            reference = None
            for name in options.only:
                if neighbours not in METHODS[name][1]:
                    continue
                (seconds, wall, memory, remark), target = measure(options, name, volume, source, neighbours)
                if not remark and reference is None:
                    reference = options.work / "reference.zarr"
                    shutil.rmtree(reference, ignore_errors=True)
                    shutil.copytree(target, reference)
                elif not remark:
                    same = subprocess.run([options.voxcc, "compare", reference, readable(options, name, target)], capture_output=True, text=True)
                    print(same.stderr, file=sys.stderr, end="")
                    remark = "" if same.returncode == 0 else "other components"
                print(f"| {volume} | {neighbours} | {name} | {seconds:.1f} | {wall:.1f} | {memory / 1e6:.0f} | {remark} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
