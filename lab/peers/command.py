"""The command line of lab/peers.py: chooses tables, runs them, prints each figure as it comes, and writes the results."""

import argparse
import datetime
import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

from . import cuda, engine, files, labelling, measures, memory, methods, report
from .volumes import VOLUMES

ROOT = Path(__file__).resolve().parents[2]
PEERS = {"cpu": methods.PEERS, "cuda": cuda.PEERS}
FILE_LIBRARIES = ("nibabel", "tifffile", "imagecodecs", "h5py", "numpy")


TABLES = {
    "cpu": {"labelling": labelling.volumes, "images": labelling.images, "threads": engine.threads, "isa": engine.isa, "cold": engine.cold, "measures": measures.measures,
            "files": files.files, "memory": memory.memory},
    "cuda": {"cuda": labelling.on_gpu},
}


def some_of(known):
    """Parser of a comma-separated list of names, each of which must be in `known`."""

    def parse(text):
        names = [name for name in text.split(",") if name]
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name}: choose from {', '.join(known)}")
        return names

    return parse


def numbers(text):
    return [int(number) for number in text.split(",")]


def parse_arguments(description, argv):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    every = {name for tables in TABLES.values() for name in tables}
    parser.add_argument("--device", choices=PEERS, default="cpu")
    parser.add_argument("--tables", type=some_of(every), help=f"some of: {','.join(TABLES['cpu'])} (default: all)")
    parser.add_argument("--volumes", type=some_of(VOLUMES), default=list(VOLUMES), help=f"some of: {','.join(VOLUMES)}")
    parser.add_argument("--peers", type=some_of(PEERS["cpu"] | PEERS["cuda"]),
                        help=f"some of: {'; '.join(f'{device}: {chr(44).join(peers)}' for device, peers in PEERS.items())}")
    parser.add_argument("--connectivities", type=numbers, default=[26, 18, 6, 8], help="of volumes 26,18,6, of images 8")
    parser.add_argument("--threads", type=numbers, default=[1, 2], help="of the table threads, as in 1,2,4,8,16 (default 1,2)")
    parser.add_argument("--rows", type=lambda text: text.split(","), default=["bke", "buf"],
                        help="--device cuda: rows of 'voxcc algorithms', the first stands for voxcc (default bke,buf)")
    parser.add_argument("--isa", choices=engine.ISAS,
                        help="instruction set of voxcc in the tables labelling, images, threads, cold and measures (default: the best of this processor)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, help="edge of every volume, to try things out: targets are for the volumes' own")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench", help="where volumes are kept from run to run")
    parser.add_argument("--results", type=Path, help="folder for the results (default: lab/results/DATE-MACHINE)")
    parser.add_argument("--voxcc", type=Path, default=ROOT / "build" / "voxcc")
    parser.add_argument("--bench-engine", type=Path, default=ROOT / "build" / "bench_engine")
    parser.add_argument("--bench-measures", type=Path, default=ROOT / "build" / "bench_measures")
    arguments = parser.parse_args(argv)
    known = PEERS[arguments.device]
    arguments.name = "-".join(["peers", *(["gpu"] if arguments.device == "cuda" else []),
                               *(arguments.tables or []), *([arguments.isa] if arguments.isa else [])])
    arguments.tables = arguments.tables or list(TABLES[arguments.device])
    if arguments.peers is None:
        arguments.peers = [name for name, (_, module, _) in known.items() if importlib.util.find_spec(module)]
        for name in known.keys() - arguments.peers:
            print(f"{name} is not installed: left out", file=sys.stderr)
    for given, possible in ((arguments.tables, TABLES[arguments.device]), (arguments.peers, known)):
        if wrong := [name for name in given if name not in possible]:
            parser.error(f"--device {arguments.device} has no {', '.join(wrong)}")
    return arguments


def about_this_run(arguments, argv):
    lscpu = subprocess.run(["lscpu"], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    model = next((line.split(":", 1)[1].strip() for line in lscpu.splitlines() if line.startswith("Model name")), "unknown")
    version = subprocess.run([arguments.voxcc, "--version"], capture_output=True, text=True).stdout.splitlines()
    packages = [PEERS[arguments.device][name][2] for name in arguments.peers] + list(FILE_LIBRARIES)
    gpu = {}
    if arguments.device == "cuda":
        import cupy

        gpu = {"GPU": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()}
    return {"machine": f"{model}, {len(os.sched_getaffinity(0))} cores", **gpu, "date": datetime.date.today().isoformat(),
            **({"instruction set": arguments.isa} if arguments.isa else {}),
            "command": " ".join(["lab/peers.py", *argv]), "voxcc": version[0] if version else "unknown",
            "peers": ", ".join(f"{name} {version_of(name)}" for name in dict.fromkeys(packages)),
            "rounds": f"median of {arguments.rounds}, one thread where nothing else is said"}


def version_of(package):
    """The version of an installed package. The names of CuPy and cuCIM wheels contain the CUDA version."""
    for name in (package, *(f"{package}-{tag}" for cuda in (12, 13) for tag in (f"cu{cuda}x", f"cuda{cuda}x", f"cu{cuda}"))):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return "(not installed)"


def default_folder(about):
    """A folder per date and machine: 'AMD EPYC, 2 cores' gives lab/results/2026-11-21-amd-epyc-2-cores."""
    machine = re.sub(r"[^a-z0-9]+", "-", about.get("GPU", about["machine"]).lower()).strip("-")
    return ROOT / "lab" / "results" / f"{about['date']}-{machine}"


def main(description, argv):
    arguments = parse_arguments(description, argv)
    arguments.work.mkdir(parents=True, exist_ok=True)
    figures = []
    for table in arguments.tables:
        for figure in TABLES[arguments.device][table](arguments):
            print(f"{figure.table:20} {figure.case:32} {figure.connectivity:3} {figure.column:28} {figure} {figure.unit:8}", figure.verdict,
                  flush=True)
            figures.append(figure)
    if not figures:
        sys.exit("nothing to measure: no table has these volumes and connectivities")
    about = about_this_run(arguments, argv)
    report.write((arguments.results or default_folder(about)) / arguments.name, figures, about)
    print("", *report.conclusion(figures), sep="\n")
