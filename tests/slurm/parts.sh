#!/usr/bin/env bash
# Labels one volume in parts on a SLURM with two nodes on this machine, and compares the label volume and the table with one run, byte for
# byte: examples/distributed/slurm_arrays.sh, the same with a cancelled job and a node that goes down, and examples/distributed/Snakefile.
# The first and the last one also fill holes, which takes two rounds. examples/slurm/one_machine.sh sets up SLURM and states its
# requirements. Takes about six minutes.
#
# usage: tests/slurm/parts.sh
# VOXCC is the program (default: build/voxcc), and SNAKEMAKE the command (default: .venv/bin/snakemake). Both must be absolute paths.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export VOXCC=${VOXCC:-$repository/build/voxcc} SNAKEMAKE=${SNAKEMAKE:-$repository/.venv/bin/snakemake}

if [[ ${1:-} != --on-cluster ]]; then
    [[ -x $VOXCC && -x $SNAKEMAKE ]] || { echo "tests/slurm/parts.sh: build voxcc, and install tests/python/requirements.txt" >&2; exit 69; }
    exec "$repository/examples/slurm/one_machine.sh" "${BASH_SOURCE[0]}" --on-cluster
fi

PATH=$(dirname "$VOXCC"):$PATH
work=$(mktemp -d)
trap 'status=$?; if ((status == 0)); then rm -rf "$work"; else echo "the output is in $work" >&2; fi' EXIT
options=(--min-size 3 --connectivity 18)
voxcc generate random --shape 150,140,130 --density 0.25 --seed 3 -o "$work/in.nii.gz" -q
voxcc label "$work/in.nii.gz" "${options[@]}" -o "$work/one.nii.gz" --stats "$work/one.csv" -q
voxcc label "$work/in.nii.gz" "${options[@]}" --fill-holes -o "$work/filled.nii.gz" --stats "$work/filled.csv" -q

# require_equal FOLDER one|filled
require_equal() {
    cmp "$work/$2.nii.gz" "$1/labels.nii.gz"
    cmp "$work/$2.csv" "$1/table.csv"
}

# Waits until no job is left. Fails after three minutes.
wait_for_jobs() {
    local seconds
    for ((seconds = 0; seconds < 180; ++seconds)); do
        [[ -n $(squeue --noheader) ]] || return 0
        sleep 1
    done
    squeue
    return 1
}

# submit FOLDER [OPTION...]: 27 parts, one job per part
submit() {
    mkdir -p "$1"
    (cd "$1" && BATCH=1 "$repository/examples/distributed/slurm_arrays.sh" "$work/in.nii.gz" labels.nii.gz table.csv --part-size 50 \
        "${options[@]}" "${@:2}")
}

echo "== Job arrays"
submit "$work/arrays"
wait_for_jobs
require_equal "$work/arrays" one
(cd "$work/arrays" && test "$(ls state | wc -l)" = 27 && cat voxcc-*.log)

echo "== Job arrays that fill holes"
submit "$work/holes" --fill-holes
wait_for_jobs
require_equal "$work/holes" filled
(cd "$work/holes" && test "$(ls state | wc -l)" = 54 && cat voxcc-*.log)

echo "== Job arrays with a cancelled job and a node that goes down"
submit "$work/faults"
label=$(squeue --noheader --format %A --sort i | head -1)
scancel "${label}_26"
scontrol update nodename=n1 state=down reason=test
sleep 2
scontrol update nodename=n1 state=resume
wait_for_jobs
test ! -e "$work/faults/labels.nii.gz"  # the steps after a cancelled job do not run
test ! -e "$work/faults/state/26.part"
before=$(cd "$work/faults/state" && stat --format '%n %y' ./*.part)
test -n "$before"
submit "$work/faults"
wait_for_jobs
require_equal "$work/faults" one
kept=$(cd "$work/faults/state" && stat --format '%n %y' $(cut -d ' ' -f 1 <<<"$before"))
test "$kept" = "$before"  # complete parts are not labelled again

echo "== Snakemake"
mkdir "$work/snakemake"
# The cluster of one_machine.sh has neither accounts nor accounting.
"$SNAKEMAKE" --snakefile "$repository/examples/distributed/Snakefile" --directory "$work/snakemake" --executor slurm --jobs 6 \
    --slurm-array-jobs=background,label,relabel --slurm-array-limit 3 --slurm-no-account --slurm-status-command squeue --latency-wait 10 \
    --slurm-init-seconds-before-status-checks 2 --default-resources slurm_partition=main \
    --config input="$work/in.nii.gz" voxcc="$VOXCC" part_size=50 batch=5 options="${options[*]} --fill-holes"
require_equal "$work/snakemake" filled
echo "The cluster wrote the same bytes as one run."
