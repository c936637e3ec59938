#!/usr/bin/env bash
# Labels a Zarr array with examples/dask/label_zarr.py and dask-jobqueue on a SLURM with two nodes on this machine, and compares the result
# with voxcc.label(). examples/slurm/one_machine.sh sets up SLURM and states its requirements. Takes about two minutes.
#
# usage: tests/slurm/run.sh [FOLDER [OPTION...]]
#   FOLDER   new folder for the volume, the output and the logs (default: a temporary folder, which is removed if the test passes)
#   OPTION   options of tests/slurm/label_on_cluster.py, for example --size 256
# PYTHON names a Python with tests/python/requirements.txt (default: .venv/bin/python); PYTHONPATH must make voxcc importable (default:
# build/python/package). Both must be absolute paths.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PYTHON=${PYTHON:-$repository/.venv/bin/python} PYTHONPATH=${PYTHONPATH:-$repository/build/python/package}

refuse() {
    printf 'tests/slurm/run.sh: %s\n' "$1" >&2
    exit 69
}

(cd / && "$PYTHON" -c 'import voxcc.dask, dask_jobqueue, distributed, scipy, zarr') ||
    refuse "$PYTHON cannot import what the test needs; build the Python package, and install tests/python/requirements.txt"
folder=${1:-}
shift $(($# > 0))
[[ -z $folder || ! -e $folder ]] || refuse "$folder exists; name a new folder"
work=${folder:-$(mktemp -d)/volume}

"$repository/examples/slurm/one_machine.sh" "$PYTHON" "$repository/tests/slurm/label_on_cluster.py" "$work" "$@" ||
    { status=$?; echo "the output is in $work" >&2; exit "$status"; }
if [[ -z $folder ]]; then rm -rf "$(dirname "$work")"; fi
