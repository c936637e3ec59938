#!/usr/bin/env bash
# Checks that clang-format 14 would not change any C++ or CUDA file of the repository. Other versions format differently.
# With --fix, formats the files instead. CLANG_FORMAT is the program (default: clang-format-14).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${CLANG_FORMAT:-clang-format-14}
if ! command -v "$program" >/dev/null; then
    echo "check_format.sh: error: $program is not installed; install the Debian package clang-format-14" >&2
    exit 69
fi
if ! "$program" --version | grep -q 'version 14\.'; then
    echo "check_format.sh: error: $program is not version 14; set CLANG_FORMAT" >&2
    exit 69
fi

mode=(--dry-run --Werror)
case ${1:-} in
    "") ;;
    --fix) mode=(-i) ;;
    *)
        echo "check_format.sh: error: '$1' is not an option; the only option is --fix" >&2
        exit 64
        ;;
esac
git ls-files -z -- '*.h' '*.cpp' '*.cu' | xargs -0 "$program" --style=file "${mode[@]}"
