#!/usr/bin/env bash
# Labels one volume in parts on SLURM, with one job array per step.
#
# usage: examples/distributed/slurm_arrays.sh INPUT OUTPUT TABLE [option of 'voxcc split'...]
#
# Must run in a folder that all nodes see. BATCH is the number of parts per job (default: 8). CONTACTS is the name of a table of touching
# components (default: none). If a job fails, run the script again: parts that are complete are kept.
set -euo pipefail
(($# >= 3)) || { echo "usage: $0 INPUT OUTPUT TABLE [option of 'voxcc split'...]" >&2; exit 64; }
input=$1 output=$2 table=$3
shift 3
batch=${BATCH:-8} contacts=${CONTACTS:-}

summary=$(voxcc split "$input" "$@" ${contacts:+--contacts} -o plan.json -f)
[[ $summary =~ \"parts\":([0-9]+) ]]
parts=${BASH_REMATCH[1]}
last=$(((parts - 1) / batch))

# Submits a job. The other arguments are options of sbatch, then "--", then the command.
submit() {
    local options=()
    while [[ $1 != -- ]]; do options+=("$1"); shift; done
    shift
    sbatch --parsable --job-name voxcc --output voxcc-%A-%a.log "${options[@]}" --wrap "$*"
}

# The parts of a task of an array. They may end after the last part.
range="--part \$((SLURM_ARRAY_TASK_ID * $batch))..\$((SLURM_ARRAY_TASK_ID * $batch + $batch - 1))"
threads='-t ${SLURM_CPUS_PER_TASK:-1}'
outputs=$(printf -- '-o %q --stats %q' "$output" "$table")
[[ -z $contacts ]] || outputs+=$(printf -- ' --contacts %q' "$contacts")
after=() holes=()
if [[ $summary == *'"rounds":2'* ]]; then  # --fill-holes: the holes are found first
    background=$(submit --array "0-$last" -- voxcc label --plan plan.json "$range" --background -o state "$threads" -q)
    found=$(submit --dependency "afterok:$background" --kill-on-invalid-dep=yes -- voxcc merge --plan plan.json --background state -o merged -q)
    after=(--dependency "afterok:$found" --kill-on-invalid-dep=yes)
    holes=(--holes merged)
fi
label=$(submit --array "0-$last" "${after[@]}" -- voxcc label --plan plan.json "$range" "${holes[@]}" -o state "$threads" -q)
merge=$(submit --dependency "afterok:$label" --kill-on-invalid-dep=yes -- voxcc merge --plan plan.json state -o merged -q)
relabel=$(submit --array "0-$last" --dependency "afterok:$merge" --kill-on-invalid-dep=yes -- \
    voxcc relabel --plan plan.json "$range" state merged "$threads" -q)
submit --dependency "afterok:$relabel" --kill-on-invalid-dep=yes -- voxcc relabel --plan plan.json --finish state merged "$outputs" -f -q
