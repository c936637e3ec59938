"""The function label_file(). It starts the program voxcc, which labels a file.

The functions import the modules that only they need, because importing voxcc must be fast.
"""

import os

import numpy as np

from . import _arguments as arguments
from . import _core, _errors
from ._results import FileResult
from ._table import Table


def _program():
    import shutil

    program = os.environ.get("VOXCC") or shutil.which("voxcc")
    if not program:
        raise ImportError("label_file() needs the program voxcc, which is not in PATH; install it, or name it in the environment variable VOXCC")
    return program


def _rule(threshold):
    kind, low, high = arguments.threshold_argument(threshold)
    low, high = _core.text_of_bound(low), _core.text_of_bound(high)
    return {arguments.NONZERO: "nonzero", arguments.ABOVE: f">{low}", arguments.AT_LEAST: f">={low}", arguments.RANGE: f"{low}:{high}"}[kind]


def _numbers(spacing):
    return ",".join(map(repr, arguments.spacing_argument(spacing, 3)))


# Per argument of label_file(): the option of the program, and the function that makes its text. None: the option has no text.
OPTIONS = {
    "connectivity": ("--connectivity", str), "threshold": ("--threshold", _rule), "mask": ("--mask", os.fspath),
    "values": ("--multilabel", None), "delta": ("--delta", lambda delta: _core.text_of_bound(arguments.delta_argument(delta))),
    "periodic": ("--periodic", str), "per_slice": ("--per-slice", str), "min_size": ("--min-size", str), "max_size": ("--max-size", str),
    "keep_largest": ("--keep-largest", str), "clear_border": ("--clear-border", None), "sort": ("--sort", str),
    "spacing": ("--spacing", _numbers), "intensity": ("--intensity", os.fspath), "dtype": ("--dtype", lambda dtype: np.dtype(dtype).name),
    "dataset": ("--dataset", str), "volume": ("--volume", str), "max_memory": ("--max-memory", str), "device": ("--device", str), "threads": ("--threads", str),
    "overwrite": ("--force", None),
}  # fmt: skip


def _command(given):
    command = []
    for name, value in given.items():
        option, text = OPTIONS[name]
        if text is None and value:
            command.append(option)
        elif text is not None and value is not None:
            command.append(f"{option}={text(value)}")
    return command


def _run(command):
    """The standard output of the program. Raises the exception of its message."""
    import json
    import subprocess

    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout
    for line in done.stderr.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("level") == "error":
            raise _errors.of_exit_code(message["exit"], message["file"], message["cause"], message["remedy"])
    raise _errors.of_exit_code(done.returncode, command[0], f"ended with the exit code {done.returncode}", "see " + done.stderr[-500:])


def label_file(path, output=None, *, connectivity=None, threshold=None, values=False, delta=None, mask=None, min_size=None, max_size=None,
               keep_largest=None, clear_border=False, sort=None, periodic=None, per_slice=None, spacing=None, dtype=None, table=False,
               intensity=None, dataset=None, volume=None, max_memory=None, device=None, threads=None, overwrite=False):
    """Labels the components of a file with the program voxcc, which must be in PATH or in the environment variable VOXCC.

    path: a file of a format that the program reads. output: a file for the labels, or None. overwrite: replaces existing outputs.
    connectivity, threshold, values, delta, keep_largest, clear_border, sort, threads: see label().
    mask, intensity: files of the shape of the input. periodic: axes as "xy". per_slice: "x", "y" or "z".
    min_size, max_size: a number of voxels, or a volume as "5mm3" or "5um3", or in 2D an area as "5mm2". spacing: three numbers in mm; None is the spacing of the file.
    dtype: integer type of the labels in output. dataset: a dataset in an HDF5 file.
    volume: the number of a 3D volume in a 4D file, from 0, or "all". output then holds all label volumes, the count is their sum, and the
    table has the column "volume". path may also end in a selector, as "x.nii.gz[0..4]" or "x.tif[c=1]".
    max_memory: a limit as "8GiB"; larger volumes are labelled slab by slab. device: "auto", "cpu" or "cuda".
    table: True adds a Table, a dict with one array per column of the table of the program.

    Returns a FileResult with the attributes labels, count and table. labels is None: the labels are in the output.
    Raises FormatError for damaged or unknown files, FileNotFoundError, FileExistsError, PermissionError, OSError, DeviceError, MemoryError,
    and ValueError for options that are not valid. These exceptions have the attributes subject, cause and remedy. Raises ImportError if
    the program voxcc is not installed.
    """
    given = {name: value for name, value in locals().items() if name in OPTIONS}

    import json
    import tempfile
    from pathlib import Path

    command = [_program(), "label", "--log-format=json", "--json=-", *_command(given)]
    if output is not None:
        command.append(f"--output={os.fspath(output)}")
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "table.json"
        if table:
            command.append(f"--stats={rows}")
        count = json.loads(_run([*command, "--", os.fspath(path)]))["count"]
        columns = _columns(json.loads(rows.read_text()), count) if table else None
    return FileResult(None, count, columns)


INFINITE = {"inf": np.inf, "-inf": -np.inf}  # JSON has no infinite numbers


def _columns(rows, count):
    names = rows[0] if rows else ()
    if not count:
        return Table(label=np.zeros(0, np.int64), voxels=np.zeros(0, np.int64))
    return Table({name: np.array([INFINITE.get(row[name], row[name]) for row in rows]) for name in names})
