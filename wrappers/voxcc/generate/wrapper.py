"""Runs `voxcc generate`."""

__author__ = "The voxcc developers"
__copyright__ = "Copyright 2026, The voxcc developers"
__license__ = "Apache-2.0"

import shlex

from snakemake.shell import shell

command = shlex.join([snakemake.params.kind, "--output", snakemake.output[0]])
extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
shell("voxcc generate {command} --progress never {extra} {log}")
