#!/usr/bin/env python3
"""Checks that all files of the repository state the version of CMakeLists.txt.

    scripts/check_versions.py [--date] [--root FOLDER]

Prints one line per file with another version. With --date, CHANGELOG.md must also state the date of this version. The Python packages take
their version from CMakeLists.txt, so they must not state one. Exit codes: 0 the versions are equal; 1 they are not.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = r"(\d+\.\d+\.\d+)"
SOURCE = ("CMakeLists.txt", rf"^project\(voxcc VERSION {VERSION}")
# A file, and the places of the version in it. Each place must occur.
FILES = {
    "CITATION.cff": [rf"^version: {VERSION}$"],
    "CHANGELOG.md": [rf"\A(?:(?!^## ).*\n)*^## {VERSION} "],  # the first section
    "packaging/deb/changelog": [rf"\Avoxcc \({VERSION}-\d+\) "],
    "packaging/conda/recipe.yaml": [rf"^  version: {VERSION}$", rf" voxcc {VERSION} "],
}
DYNAMIC = ("pyproject.toml", "packaging/python-cli/pyproject.toml")


def stated(root, name, place):
    """The version at a place of a file, or None."""
    found = re.search(place, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
    return found and found[1]


def differences(root):
    """A sentence per file that does not state the version of CMakeLists.txt."""
    wanted = stated(root, *SOURCE)
    for name, places in FILES.items():
        for place in places:
            version = stated(root, name, place)
            if version != wanted:
                yield f"{name}: states {version or 'no version'}, and CMakeLists.txt states {wanted}"
    for name in DYNAMIC:
        if not re.search(r'^dynamic = \["version"\]$', (root / name).read_text(encoding="utf-8"), re.MULTILINE):
            yield f"{name}: must take the version from CMakeLists.txt; write: dynamic = [\"version\"]"


def has_date(root):
    version = re.escape(stated(root, *SOURCE))
    return re.search(rf"^## {version} \(\d{{4}}-\d\d-\d\d\)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--date", action="store_true", help="CHANGELOG.md must state the date of the version")
    parser.add_argument("--root", type=Path, default=ROOT, help="folder of the repository")
    options = parser.parse_args(arguments)
    found = list(differences(options.root))
    if options.date and not has_date(options.root):
        found.append("CHANGELOG.md: the section of the version has no date; write: ## VERSION (YEAR-MONTH-DAY)")
    print("".join(f"{line}\n" for line in found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
