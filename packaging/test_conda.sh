#!/usr/bin/env bash
# Runs build.sh and the test script of the conda recipe with the compilers and libraries of Debian. conda is not needed.
# PYTHON is a Python with tests/python/requirements.txt (default: .venv/bin/python).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python=$(realpath --no-symlinks "${PYTHON:-.venv/bin/python}")
export PREFIX=$work/conda/prefix SRC_DIR=$work/conda/source

install_packages
rm -rf "$work/conda"
git clone --quiet . "$SRC_DIR"
cd "$SRC_DIR"
recipe_value() { "$python" packaging/conda_recipe.py "$1"; }

say "Building into a prefix"
script=$(recipe_value build.script)
bash -euc "$script" >"$work/conda.log" 2>&1 || { tail -n 40 "$work/conda.log"; fail "See $work/conda.log"; }
for file in $(recipe_value tests.1.package_contents.files) bin/voxcc; do [[ -e $PREFIX/$file ]] || fail "$PREFIX/$file is missing"; done
script=$(recipe_value tests.0.script)
PATH=$PREFIX/bin:$PATH bash -euc "$script"
say "The conda recipe passed"
