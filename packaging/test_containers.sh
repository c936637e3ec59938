#!/usr/bin/env bash
# Runs the steps of the Dockerfile and of the Apptainer definition file in minimal Debian 12 systems, and uses voxcc there.
# Neither Docker nor Apptainer is needed. Must run as root, in a clone. The program is compiled once per recipe.
#
# usage: packaging/test_containers.sh [RECIPE...]      default: Dockerfile voxcc.def
# PYTHON is a Python with tests/python/requirements.txt (default: .venv/bin/python).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python=${PYTHON:-.venv/bin/python}
containers=$work/containers

# The commands that recipe_steps.py prints.
stage() {
    [[ $2 == debian:12 || $2 == debian:12-slim ]] || fail "There is no test for the image $2"
    current=$containers/$1 working_folder=/
    make_root bookworm "$current"
}
folder() {
    working_folder=$1
    mkdir -p "$current$1"
}
copy() {
    local from=$containers/context target=$3
    if [[ -n $1 ]]; then from=$containers/$1; fi
    if [[ $target != /* ]]; then target=$working_folder/$target; fi
    if [[ -d $from/$2 ]]; then
        mkdir -p "$current$target"
        cp -a "$from/$2/." "$current$target"
    else
        if [[ $target == */ ]]; then mkdir -p "$current$target"; fi
        # shellcheck disable=SC2086  # the source may be a pattern
        cp -a $from/$2 "$current$target"
    fi
}
run() { in_root "$current" sh -euc "cd '$working_folder'; $1"; }
start() { start_command=$1; }

install_tools debootstrap git
if (($# == 0)); then set -- Dockerfile voxcc.def; fi
for recipe in "$@"; do
    say "The steps of $recipe"
    rm -rf "$containers"
    mkdir -p "$containers"
    git clone --quiet . "$containers/context"
    start_command=''
    "$python" packaging/recipe_steps.py "packaging/$recipe" >"$work/steps.sh"
    # shellcheck source=/dev/null
    source "$work/steps.sh"
    say "Using the container of $recipe"
    add_smoke_test "$current"
    printf '#!/bin/sh\nexec %s\n' "$start_command" >"$current/smoke/start.sh"
    chmod +x "$current/smoke/start.sh"
    in_root "$current" /smoke/smoke_test.sh /smoke/start.sh "$version"
done
rm -rf "$containers"
say "The container recipes passed"
