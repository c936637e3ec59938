"""Runs `voxcc stats`."""

__author__ = "The voxcc developers"
__copyright__ = "Copyright 2026, The voxcc developers"
__license__ = "Apache-2.0"

import shlex

from snakemake.shell import shell

OUTPUTS = {"table": "--output", "contacts": "--contacts", "local_maxima": "--local-maxima"}


def files_by_name(files, default_name):
    """Pairs (name, path). Files without a name come first and get the name default_name."""
    named = [(name, path) for name, value in files.items() for path in ([value] if isinstance(value, str) else value)]
    unnamed = list(files)[: len(files) - len(named)]
    return [(default_name, path) for path in unnamed] + named


arguments = []
for name, path in files_by_name(snakemake.input, "labels"):
    if name == "labels":
        arguments.append(path)
    elif name == "intensity":
        arguments += ["--intensity", path]
    elif name.startswith("intensity_"):
        arguments += ["--intensity", f"{name.removeprefix('intensity_')}={path}"]
    else:
        raise ValueError(f"'{name}' is not a name of an input of voxcc stats; the names are labels, intensity and intensity_NAME")
for name, path in files_by_name(snakemake.output, "table"):
    if name not in OUTPUTS:
        raise ValueError(f"'{name}' is not a name of an output of voxcc stats; the names are {', '.join(OUTPUTS)}")
    arguments += [OUTPUTS[name], path]

command = shlex.join(arguments)
extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
shell("voxcc stats {command} --progress never {extra} {log}")
