"""Runs `voxcc label`. Describes each file by its name in the rule, or by the extension of an output without a name."""

__author__ = "The voxcc developers"
__copyright__ = "Copyright 2026, The voxcc developers"
__license__ = "Apache-2.0"

import shlex

from snakemake.shell import shell

INPUTS = {"volume": None, "mask": "--mask", "intensity": "--intensity", "threshold_from": "--threshold-from"}
OUTPUTS = {
    "labels": "--output",
    "table": "--stats",
    "summary": "--json",
    "preview": "--preview",
    "colours": "--lut",
    "contacts": "--contacts",
    "local_maxima": "--local-maxima",
    "masked": "--masked-output",
    "sizes": "--size-output",
    "foreground": "--mask-output",
}
EXTENSIONS = {".csv": "table", ".tsv": "table", ".json": "summary", ".png": "preview"}


def files_by_name(files, default_name):
    """Pairs (name, path). Files without a name come first and get the name default_name(path)."""
    named = [(name, path) for name, value in files.items() for path in ([value] if isinstance(value, str) else value)]
    unnamed = list(files)[: len(files) - len(named)]
    return [(default_name(path), path) for path in unnamed] + named


def input_arguments(name, path):
    if name.startswith("intensity_"):
        return ["--intensity", f"{name.removeprefix('intensity_')}={path}"]
    if name not in INPUTS:
        raise ValueError(f"'{name}' is not a name of an input of voxcc label; the names are {', '.join(INPUTS)} and intensity_NAME")
    return [INPUTS[name], path] if INPUTS[name] else [path]


def output_arguments(name, path):
    if name not in OUTPUTS:
        raise ValueError(f"'{name}' is not a name of an output of voxcc label; the names are {', '.join(OUTPUTS)}")
    return [OUTPUTS[name], path]


def name_of_output(path):
    return next((name for extension, name in EXTENSIONS.items() if path.endswith(extension)), "labels")


arguments = []
for name, path in files_by_name(snakemake.input, lambda path: "volume"):
    arguments += input_arguments(name, path)
for name, path in files_by_name(snakemake.output, name_of_output):
    arguments += output_arguments(name, path)
arguments += ["--threads", str(snakemake.threads), "--progress", "never"]

extra = snakemake.params.get("extra", "")
chosen = [word.split("=")[0] for word in shlex.split(extra)]
if "--device" not in chosen:
    arguments += ["--device", "cuda" if snakemake.resources.get("gpu", 0) else "cpu"]
if "--max-memory" not in chosen and "mem_mb" in snakemake.resources.keys():
    arguments += ["--max-memory", f"{snakemake.resources.mem_mb}MB"]

command = shlex.join(arguments)
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
shell("voxcc label {command} {extra} {log}")
