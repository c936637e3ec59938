"""label_file() starts the program voxcc, which labels a file.

The functions import the modules that only they need, because importing voxcc must be fast.
"""

import os

from . import _arguments as arguments
from . import _core, _errors
from ._results import FileResult


def _program():
    import shutil

    program = os.environ.get("VOXCC") or shutil.which("voxcc")
    if not program:
        raise ImportError("label_file() needs the program voxcc, which is not in PATH; install it, or name it in the environment variable VOXCC")
    return program


def _rule(threshold):
    rule = arguments.threshold_argument(threshold)
    if isinstance(rule, str):
        return rule
    kind, low, high = rule
    low, high = _core.text_of_bound(low), _core.text_of_bound(high)
    return {arguments.NONZERO: "nonzero", arguments.ABOVE: f">{low}", arguments.AT_LEAST: f">={low}", arguments.RANGE: f"{low}:{high}"}[kind]


def _text(value, name):
    value = arguments.scalar(value)
    if not isinstance(value, str):
        raise TypeError(f"{name} is {arguments.shown(value)}; it must be a text")
    return value


def _integer_or_text(least):
    """A function that makes the text of an argument that is an integer or a text."""

    def text_of(value, name):
        value = arguments.scalar(value)
        return value if isinstance(value, str) else str(arguments.integer(value, name, least))

    return text_of


def _integer(least):
    return lambda value, name: str(arguments.integer(value, name, least))


def _choice(*choices):
    return lambda value, name: choices[arguments.choice(value, choices, name)]


def _file(path, name):
    try:
        return os.fsdecode(path)
    except TypeError:
        raise TypeError(f"{name} is {arguments.shown(path)}; it must be the name of a file") from None


def _numbers(spacing, _):
    return ",".join(map(repr, arguments.spacing_argument(spacing, 3)))


def _percents(percentiles, _):
    from ._images import percents_argument, text_of

    return ",".join(text_of(percent) for _, percent in percents_argument(percentiles))


# Per argument of label_file(): the option of the program, and the function of the value and the name that makes its text. None: a switch.
OPTIONS = {
    "connectivity": ("--connectivity", _integer(1)), "threshold": ("--threshold", lambda value, _: _rule(value)), "mask": ("--mask", _file),
    "values": ("--multilabel", None), "delta": ("--delta", lambda value, _: _core.text_of_bound(arguments.delta_argument(value))),
    "periodic": ("--periodic", _text), "per_slice": ("--per-slice", _choice("x", "y", "z")), "min_size": ("--min-size", _integer_or_text(0)),
    "max_size": ("--max-size", _integer_or_text(0)), "keep_largest": ("--keep-largest", _integer(1)), "fill_holes": ("--fill-holes", None),
    "clear_border": ("--clear-border", None), "sort": ("--sort", _choice("raster", "size")), "spacing": ("--spacing", _numbers),
    "intensity": ("--intensity", _file), "percentiles": ("--percentiles", _percents), "shape": ("--shape", None),
    "dtype": ("--dtype", lambda value, name: arguments.dtype_argument(value, name).name),
    "dataset": ("--dataset", _text), "volume": ("--volume", _integer_or_text(0)), "max_memory": ("--max-memory", _integer_or_text(0)),
    "device": ("--device", _text), "threads": ("--threads", _integer(1)), "overwrite": ("--force", None),
}  # fmt: skip
NAMES = {*OPTIONS, "output", "table"}  # arguments that messages may name


def _checked(check, value, name):
    """The result of check(value, name). Its exceptions get the attributes subject, cause and remedy."""
    try:
        return check(value, name)
    except (TypeError, ValueError) as error:
        cause, _, remedy = str(error).removeprefix(f"{name} ").partition("; ")
        kind = _errors.WrongType if isinstance(error, TypeError) else _errors.UsageError
        raise kind(name, cause, remedy or "see help(voxcc.label_file)") from None


def _option(name, value):
    """An argument as an option of the program, or None if it has no effect."""
    option, text = OPTIONS[name]
    if text is None:
        return option if _checked(arguments.boolean, value, name) else None
    return None if value is None else f"{option}={_checked(text, value, name)}"


def _command(given):
    options = (_option(name, value) for name, value in given.items())
    return [option for option in options if option is not None]


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
            from ._program_errors import exception_of

            raise exception_of(message, NAMES)
    raise _errors.Failure(command[0], f"ended with the exit code {done.returncode}", "see " + done.stderr[-500:])


def label_file(path, output=None, *, connectivity=None, threshold=None, values=False, delta=None, mask=None, min_size=None, max_size=None,
               keep_largest=None, fill_holes=False, clear_border=False, sort=None, periodic=None, per_slice=None, spacing=None, dtype=None,
               table=False, intensity=None, dataset=None, volume=None, max_memory=None, device=None, threads=None, overwrite=False,
               percentiles=None, shape=False):
    """Labels the components of a file with the program voxcc, which must be in PATH or in the environment variable VOXCC.

    path: a file of a format that the program reads. output: a file for the labels, or None. overwrite: replaces existing outputs.
    connectivity, threshold, values, delta, keep_largest, clear_border, sort, percentiles, threads: see label(). shape: see measure().
    fill_holes: fill background that is enclosed by foreground before labelling.
    mask, intensity: files of the shape of the input. periodic: axes as "xy". per_slice: "x", "y" or "z".
    min_size, max_size: a number of voxels, or a volume as "5mm3" or "5um3", or in 2D an area as "5mm2". spacing: three numbers in mm; None is the spacing of the file.
    dtype: integer type of the labels in output. dataset: a dataset in an HDF5 file.
    volume: the number of a 3D volume in a 4D file, from 0, or "all". output then holds all label volumes, the count is their sum, and the
    table has the column "volume_index". path may also end in a selector, as "x.nii.gz[0..4]" or "x.tif[c=1]".
    max_memory: a limit as "8GiB"; larger volumes are labelled slab by slab. device: "auto", "cpu" or "cuda".
    table: True adds a Table, a dict with one array per column. Names and types are those of label(table=True) of an array with the axes x,
     y, z, as nibabel returns it: axis 0 is x, and bbox_A_max is exclusive. Files of 2D images have three axes, too. volume, axis_1 to
     axis_3 and the lengths of the shape are in the unit that the names of the further columns state, for example centroid_x_mm. The axes
     of the shape are axis1_x, ...: unit vectors in the positions of the file.

    Returns a FileResult with the attributes labels, count and table. labels is None: the labels are in the output.
    Raises FormatError for damaged or unknown files, FileNotFoundError for absent files and folders, FileExistsError, PermissionError,
    OSError, DeviceError, MemoryError, and TypeError or ValueError for arguments that are not valid. These exceptions have the attributes
    subject, cause and remedy. Raises ImportError if the program voxcc is not installed.

    >>> voxcc.label_file("mask.nii.gz", "labels.nii.gz", min_size="10mm3", table=True).table["volume"]    # doctest: +SKIP
    array([125.5,  17. ])
    """
    given = {name: value for name, value in locals().items() if name in OPTIONS}

    import json
    import tempfile
    from pathlib import Path

    path, table = _checked(_file, path, "path"), _checked(arguments.boolean, table, "table")
    command = [_program(), "label", "--log-format=json", "--json=-", *_command(given)]
    if output is not None:
        output = _checked(_file, output, "output")
        if output == "-":
            raise _errors.UsageError("output", "is '-', which is the standard output of the program", "name a file")
        command.append(f"--output={output}")
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "table.csv"
        if table:
            command.append(f"--stats={rows}")
        summary = json.loads(_run([*command, "--", path]))
        columns = None
        if table:
            from ._file_table import read_table

            columns = read_table(rows, summary["volumes"][0]["shape"])
    return FileResult(None, summary["count"], columns)
