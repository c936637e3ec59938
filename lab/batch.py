#!/usr/bin/env python3
"""Times `voxcc label` on a batch of volumes, on the CPU and on GPUs in turn, and compares the outputs.

    python3 lab/batch.py [--voxcc build/voxcc] [--volumes 200] [--size 256] [--devices cpu,all] [--jobs 16] [--threads 16] [--rounds 5]

The volumes are blobs (`voxcc generate blobs`, 50 % foreground) with ten seeds, as .nii and as .nii.gz. Their files have just been written,
so they are in the page cache. Prints a table in Markdown: seconds of wall-clock time per command, the median and
the range of the rounds. Needs only Python, and disk space for two sets of volumes and two sets of labels.
"""

import argparse
import filecmp
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

SEEDS = 10


def make_volumes(options, folder, extension):
    """Makes the input files. Files with the same seed have the same content."""
    folder.mkdir()
    for index in range(options.volumes):
        path = folder / f"scan{index:04}{extension}"
        if index < SEEDS:
            size = str(options.size)
            subprocess.run([options.voxcc, "generate", "blobs", "--shape", f"{size},{size},{size}", "--density", "0.5",
                            "--seed", str(index), "-q", "-o", path], check=True)  # fmt: skip
        else:
            shutil.copyfile(folder / f"scan{index % SEEDS:04}{extension}", path)


def seconds_of(options, device, inputs, extension, output):
    """Labels all volumes in one command."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir()
    command = [options.voxcc, "label", *sorted(inputs.iterdir()), "-o", output / ("{stem}" + extension), "--stats", output / "table.csv",
               "--device", device, "-j", str(options.jobs), "-t", str(options.threads), "-q"]  # fmt: skip
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begin


def require_equal(first, second):
    """Compares all files of two folders byte by byte."""
    names = sorted(path.name for path in first.iterdir())
    _, different, failed = filecmp.cmpfiles(first, second, names, shallow=False)
    if different or failed:
        raise SystemExit(f"outputs differ: {different + failed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--voxcc", default="build/voxcc", help="program (default: build/voxcc)")
    parser.add_argument("--volumes", type=int, default=200)
    parser.add_argument("--size", type=int, default=256, help="edge of a volume in voxels")
    parser.add_argument("--devices", default="cpu,all", help="devices, as cpu,cuda:0 (default: cpu,all)")
    parser.add_argument("--jobs", type=int, default=16, help="volumes at the same time")
    parser.add_argument("--threads", type=int, default=16, help="threads of all volumes together")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    devices = options.devices.split(",")
    print("| files | device | median, s | least | greatest |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for extension in (".nii", ".nii.gz"):
            inputs = work / f"inputs{extension}"
            make_volumes(options, inputs, extension)
            times = {device: [] for device in devices}
            for _ in range(options.rounds):
                for device in devices:
                    times[device].append(seconds_of(options, device, inputs, extension, work / device))
                for device in devices[1:]:
                    require_equal(work / devices[0], work / device)
            for device, seconds in times.items():
                print(f"| {extension} | {device} | {statistics.median(seconds):.2f} | {min(seconds):.2f} | {max(seconds):.2f} |", flush=True)
            shutil.rmtree(inputs)


if __name__ == "__main__":
    main()
