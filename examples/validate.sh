#!/usr/bin/env bash
# Checks an installation of voxcc: labels Hilbert curves with every algorithm on every device, and compares the results.
#
# usage: examples/validate.sh [ORDERS [SIZE]]      default: "1 2 3 4 5 6" in 128^3 voxels, as Allegretti, Bolelli, Grana 2019, section 6.1.2
# VOXCC is the program (default: voxcc if it is in PATH, else build/voxcc). DEVICES are the devices (default: cpu, and all CUDA devices).
#
# Prints one line per check. A check is right if the number of components is right, and the label volume and the table have the same bytes
# as the output of block-runs on the CPU. With connectivities 26 and 6, a curve is one component. For slices (connectivities 8 and 4), the number
# of block-runs on the CPU is the reference. The exit code is 0 only if all checks are right.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
voxcc=${VOXCC:-$(command -v voxcc || echo "$root/build/voxcc")}
orders=${1:-1 2 3 4 5 6}
size=${2:-128}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
checks=0
wrong=0

# These algorithms move labels by one voxel per pass, so that a long path takes very many passes. They get curves up to this order and size.
walk_paths='^(ziegler-|shibata-naive|shibata-slow)'
walk_order=2
walk_size=16

# Labels $1 with the algorithm $2 on the device $3 and the other arguments. Writes $folder/labels.nii and $folder/table.csv.
# Prints the number of components; nothing if voxcc fails, which writes $folder/error.
components() {
    rm -f "$folder/labels.nii" "$folder/table.csv"
    "$voxcc" label "$1" --algorithm "$2" --device "$3" "${@:4}" --output "$folder/labels.nii" --stats "$folder/table.csv" --quiet \
        2>"$folder/error" && echo $(($(wc -l <"$folder/table.csv") - 1))
}

# Prints a line for the check $1: "ok" if $2 is empty, else "WRONG" and $2.
report() {
    checks=$((checks + 1))
    if [ -z "$2" ]; then
        echo "ok     $1"
    else
        wrong=$((wrong + 1))
        echo "WRONG  $1: $2"
    fi
}

# Checks the algorithms of the list $1 on the curve $2, which is described as $3. The other arguments are a connectivity and --per-slice.
check_curve() {
    local list=$1 curve=$2 what=$3 connectivity=$4 expected device devices name connectivities found why
    expected=$(components "$curve" block-runs cpu --connectivity "${@:4}")
    mv -f "$folder/labels.nii" "$folder/expected.nii"
    mv -f "$folder/table.csv" "$folder/expected.csv"
    case $connectivity in 26 | 6) expected=1 ;; esac
    while IFS=$'\t' read -r name connectivities devices _; do
        case " $connectivities " in *" $connectivity "*) ;; *) continue ;; esac
        for device in $present; do
            case " $devices " in *" ${device%%:*} "*) ;; *) continue ;; esac
            found=$(components "$curve" "$name" "$device" --connectivity "${@:4}")
            why=
            if [ -z "$found" ]; then
                why="no result: $(head -n 1 "$folder/error")"
            elif [ "$found" != "$expected" ]; then
                why="$found components instead of $expected"
            elif ! cmp -s "$folder/labels.nii" "$folder/expected.nii"; then
                why="the labels are not the labels of block-runs"
            elif ! cmp -s "$folder/table.csv" "$folder/expected.csv"; then
                why="the table is not the table of block-runs"
            fi
            report "$what, connectivity $connectivity${5:+ per slice}, $device, $name, components: ${found:-none}" "$why"
        done
    done <"$list"
}

if ! "$voxcc" algorithms >"$folder/algorithms"; then
    echo "WRONG  $voxcc algorithms"
    exit 1
fi

# The devices that are present.
"$voxcc" generate solid --size 2 --output "$folder/solid.nii" --quiet
if [ -n "${DEVICES:-}" ]; then
    present=$DEVICES
else
    present=cpu
    for number in {0..63}; do
        [ -n "$(components "$folder/solid.nii" block-runs "cuda:$number")" ] || break
        present="$present cuda:$number"
    done
fi
echo "$("$voxcc" --version | head -n 1); devices: $present"

grep -vE "$walk_paths" "$folder/algorithms" >"$folder/direct"
grep -E "$walk_paths" "$folder/algorithms" >"$folder/walkers"
for order in $orders; do
    for list in direct walkers; do
        cube=$size
        if [ "$list" = walkers ]; then
            [ "$order" -le "$walk_order" ] || continue
            [ "$size" -le "$walk_size" ] || cube=$walk_size
        fi
        curve=$folder/hilbert.nii
        what="order $order in $cube^3"
        if ! "$voxcc" generate hilbert --order "$order" --size "$cube" --output "$curve" --force --quiet; then
            report "$what" "the curve cannot be generated"
            continue
        fi
        check_curve "$folder/$list" "$curve" "$what" 26
        check_curve "$folder/$list" "$curve" "$what" 6
        check_curve "$folder/$list" "$curve" "$what" 8 --per-slice z
        check_curve "$folder/$list" "$curve" "$what" 4 --per-slice z
    done
done
echo "$checks checks, $wrong wrong"
[ "$wrong" -eq 0 ] && [ "$checks" -gt 0 ]
