# shellcheck shell=bash
# Sourced by setup.sh, test.sh and .ci/run: the Debian packages that voxcc needs, and functions to install them and to configure a build.
# The current folder must be the root of the repository.

VOXCC_PACKAGES=(
    build-essential cmake ninja-build pkg-config git ca-certificates
    libinsighttoolkit5-dev libgdcm-tools  # without libgdcm-tools, the CMake files of ITK warn about each GDCM program
    libhdf5-dev libtiff-dev libpng-dev
    zlib1g-dev libbz2-dev libdeflate-dev libisal-dev libzstd-dev libblosc-dev liblz4-dev libopenjp2-7-dev libssl-dev libexpat1-dev
    libcli11-dev nlohmann-json3-dev libstb-dev libjs-chart.js
    doctest-dev python3-venv python3-dev
)
# shellcheck disable=SC2034  # used by .ci/run
VOXCC_CI_PACKAGES=(clang-14 libclang-rt-14-dev clang-format-14 codespell chromium mandoc zsh fish shellcheck strace
                   zstd  # writes files for the tests of .nii.zst
                   ccache  # the wheels consist of objects of the main build
                   qemu-user)  # runs the tests of --isa on other processors

say() { printf '== %s\n' "$*"; }

missing_packages() {
    local package
    for package in "${VOXCC_PACKAGES[@]}"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf '%s\n' "$package"
    done
}

# Runs a command again after 5 seconds if it fails, because package mirrors fail sometimes.
twice() { "$@" || { say "Failed, once more: $*" >&2; sleep 5; "$@"; }; }

# Installs missing packages on Debian. On other systems, prints the package names and returns; the build then reports missing packages.
install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "This is not Debian. Install what your system calls these, then go on: ${VOXCC_PACKAGES[*]}"
        return 0
    fi
    local missing as_root=()
    mapfile -t missing < <(missing_packages)
    if ((${#missing[@]} == 0)); then
        say "All Debian packages are here"
        return 0
    fi
    if (($(id -u) != 0)); then
        if ! command -v sudo >/dev/null; then
            say "Not root and no sudo. As root: apt-get install --no-install-recommends ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    say "Installing ${missing[*]}"
    as_root+=(env DEBIAN_FRONTEND=noninteractive)
    twice "${as_root[@]}" apt-get -qq update
    twice "${as_root[@]}" apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 install "${missing[@]}" >/dev/null
}

# configure PRESET [cmake arguments]: configures build/ for the preset cpu, else build-PRESET/. A new folder uses Ninja if it is installed,
# and is built for the CPU only on a machine without a GPU, because the CUDA code takes most of the time of a build. An existing folder keeps
# both choices.
configure() {
    local preset=$1 folder=build defaults=()
    shift
    [[ $preset == cpu ]] || folder=build-$preset
    if [[ ! -e $folder/CMakeCache.txt ]]; then
        if command -v ninja >/dev/null; then defaults=(-G Ninja); fi
        if ! nvidia-smi -L >/dev/null 2>&1; then defaults+=(-DVOXCC_CUDA=OFF); fi
    fi
    cmake --preset "$preset" "${defaults[@]}" "$@"
}

# Prints the folder of real volumes: VOXCC_TEST_DATA, else ../shared/data if it exists, else nothing.
test_data() {
    if [[ -n ${VOXCC_TEST_DATA:-} ]]; then printf '%s' "$VOXCC_TEST_DATA"
    elif [[ -d ../shared/data ]]; then (cd ../shared/data && pwd)
    fi
}
