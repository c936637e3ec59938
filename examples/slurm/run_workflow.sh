#!/usr/bin/env bash
# Runs examples/Snakefile on SLURM: labels six volumes as jobs of a cluster, and compares the results with a run on this machine.
#
# usage: examples/slurm/run_workflow.sh [FOLDER]      FOLDER must be new (default: a temporary folder, which is removed at the end)
# VOXCC is the program (default: build/voxcc), and SNAKEMAKE the command (default: .venv/bin/snakemake). Snakemake needs its plugin for
# SLURM (snakemake-executor-plugin-slurm from PyPI). Without SLURM on this machine, examples/slurm/one_machine.sh can provide it:
#
#   examples/slurm/one_machine.sh examples/slurm/run_workflow.sh
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
voxcc=${VOXCC:-$repository/build/voxcc}
snakemake=${SNAKEMAKE:-$repository/.venv/bin/snakemake}
command -v sinfo >/dev/null || { echo "SLURM is not installed; see the comment in $0" >&2; exit 69; }
if (($# > 0)); then
    folder=$1
    mkdir "$folder"
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
folder=$(cd "$folder" && pwd)

mkdir "$folder/data"
for seed in 1 2 3 4 5 6; do
    "$voxcc" generate blobs --shape 80,70,60 --scale 2 --seed "$seed" --output "$folder/data/scan $seed.nii.gz" --quiet
done

# Arguments: the name of the folder of results, then options of Snakemake.
label() {
    "$snakemake" --snakefile "$repository/examples/Snakefile" --directory "$folder" "${@:2}" \
        --config voxcc="$voxcc" results="$1" options="--sort size"
}
label local --cores 2
# The cluster of one_machine.sh has neither accounts nor accounting. On other clusters, leave out --slurm-no-account and
# --slurm-status-command, and set slurm_account and slurm_partition with --default-resources.
label cluster --executor slurm --jobs 6 --slurm-no-account --slurm-status-command squeue --latency-wait 10 \
    --slurm-init-seconds-before-status-checks 2 --default-resources slurm_partition=main

for results in local cluster; do
    (cd "$folder/$results" && find . -name '*.nii.gz' -o -name '*.tsv' ! -path './benchmarks/*' | sort | xargs -d '\n' sha256sum) \
        >"$folder/$results.sha256"
done
test "$(wc -l <"$folder/local.sha256")" = 13  # a label volume and a table per volume, and the table of all volumes
cmp "$folder/local.sha256" "$folder/cluster.sha256"
echo "The cluster wrote the same bytes as this machine."
