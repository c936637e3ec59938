# shellcheck shell=bash
# Sourced by the scripts of this folder. Sets the current folder to the root of the source.
# VOXCC_PACKAGING is the folder for packages and temporary files (default: build/packaging).
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
source scripts/packages.sh

work=$(realpath -m "${VOXCC_PACKAGING:-build/packaging}")
# shellcheck disable=SC2034  # used by the scripts
version=$(sed -n 's/^project(voxcc VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
mkdir -p "$work"

fail() { say "$*" >&2; exit 1; }

# install_tools PACKAGE...: installs Debian packages that only the packaging needs.
install_tools() {
    local VOXCC_PACKAGES=("$@")
    install_packages
}

# copy_source FOLDER: the commit HEAD of a clone, or the files of a source archive. Sets SOURCE_DATE_EPOCH to the time of the commit.
copy_source() {
    rm -rf "$1"
    mkdir -p "$1"
    if [[ -e .git ]]; then
        if [[ -n $(git status --porcelain) ]]; then say "Uncommitted changes are not packaged"; fi
        git archive HEAD | tar -x -C "$1"
    else
        tar -c --exclude='./build*' --exclude=./.venv . | tar -x -C "$1"
    fi
    local commit_time
    commit_time=$(sed -n 's/^[0-9a-f]\{40\} //p' "$1/cmake/commit.txt")
    export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$commit_time}
    if [[ -z $SOURCE_DATE_EPOCH ]]; then fail "The source has no commit; set SOURCE_DATE_EPOCH"; fi
}

# make_root SUITE FOLDER: a minimal system, as a folder for chroot. debootstrap runs once per suite; later calls unpack its result.
make_root() {
    local suite=$1 folder=$2 archive=$work/$1.tar options=(--variant=minbase)
    if [[ ! -e $archive ]]; then
        say "Making a minimal system: $suite"
        rm -rf "$work/$suite.new"
        # Debian 12 has neither the keys of Ubuntu nor the names of newer releases. The system is used for tests only.
        if [[ $suite == noble ]]; then
            debootstrap "${options[@]}" --no-check-gpg noble "$work/$suite.new" '' /usr/share/debootstrap/scripts/gutsy >"$work/$suite.log"
        else
            debootstrap "${options[@]}" "$suite" "$work/$suite.new" >"$work/$suite.log"
        fi
        tar -c --numeric-owner -C "$work/$suite.new" . >"$archive.new"
        mv "$archive.new" "$archive"
        rm -rf "$work/$suite.new"
    fi
    rm -rf "$folder"
    mkdir -p "$folder"
    tar -x --numeric-owner -C "$folder" -f "$archive"
    cp /etc/resolv.conf /etc/hosts "$folder/etc/"
}

# in_root FOLDER COMMAND...: runs a command in the system of a folder. Mounts and processes end with the command.
in_root() {
    local folder=$1
    shift
    # shellcheck disable=SC2016  # the inner shell expands its arguments
    unshare --mount --pid --fork --kill-child --uts --ipc sh -euc '
        folder=$1
        shift
        mount -t proc proc "$folder/proc"
        mount --rbind /dev "$folder/dev"
        exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            chroot "$folder" "$@"' sh "$folder" "$@" </dev/null
}

# add_smoke_test FOLDER: copies the smoke test and its files into a system, as /smoke.
add_smoke_test() {
    mkdir -p "$1/smoke"
    cp packaging/smoke/* examples/data/ct_lesions.nii.gz "$1/smoke/"
}
