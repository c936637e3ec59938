#!/usr/bin/env python3
"""Compiles every header of the repository alone. This finds headers that depend on earlier includes of their users.

If a source file of the build includes a header first, the build has already compiled the header in this way, and also the header that
this header includes first. A header is compiled after other headers, in the same run of the compiler, if it includes all of them itself,
because it then finds the same declarations as if it were compiled alone. If such a run fails, its headers are compiled one by one.
In a build with groups of sources (VOXCC_GROUPS), a group includes only one header first, and three times as many headers must be compiled
alone. So this check then leaves out all headers but the public ones. --all also compiles the others, as .ci/run does.
The include directories come from compile_commands.json of a build. Headers in folders that this build does not compile are skipped (io and
src without VOXCC_IO, CUDA headers without nvcc); the last line states their number. Prints one paragraph per header that does not compile.
Exit status: 0 if all headers compile, else 1. Needs only Python 3 and the compilers of the build.
"""
import argparse
import fnmatch
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("include", "kernels3d", "io", "src", "lab", "python", "tests", "examples")
NEEDS_NVCC = "kernels3d/exec/cuda_*.h"
LINES = 12  # printed per header


@dataclass
class Build:
    cxx: str
    nvcc: str  # empty: the build does not use CUDA
    include_flags: list
    folders: set  # folders with sources that the build compiles
    sources: set  # these sources, relative to the root
    only_public: bool


def folder_of(file):
    """The first folder of a path; for tests/ the first two, because a build can compile only some of the test folders."""
    parts = Path(file).parts
    return "/".join(parts[:2] if parts[0] == "tests" and len(parts) > 2 else parts[:1])


def include_flags(arguments):
    """The options -I and -isystem of a command, with their folders."""
    flags, rest = [], iter(arguments)
    for argument in rest:
        if argument in ("-I", "-isystem"):
            flags.append((argument, next(rest)))
        elif argument.startswith("-isystem="):  # nvcc
            flags.append(("-isystem", argument.removeprefix("-isystem=")))
        elif argument.startswith("-I"):
            flags.append(("-I", argument.removeprefix("-I")))
    return flags


def read_build(root, folder, every):
    cxx, nvcc, flags, folders, sources, files = "", "", {}, {"include"}, set(), []
    for entry in json.loads((folder / "compile_commands.json").read_text(encoding="utf-8")):
        arguments = entry.get("arguments") or shlex.split(entry["command"])
        if "ccache" in Path(arguments[0]).name:
            arguments = arguments[1:]
        if entry["file"].endswith(".cu"):
            nvcc = nvcc or arguments[0]
        elif entry["file"].endswith((".cpp", ".cxx")):
            cxx = cxx or arguments[0]
        flags.update(dict.fromkeys(include_flags(arguments)))
        file = Path(entry["file"])
        files.append(file)
        if file.is_relative_to(root):
            if not any("cmake_pch" in argument for argument in arguments):  # a precompiled header is included before the first header
                sources.add(file.relative_to(root).as_posix())
            folders.add(folder_of(file.relative_to(root).as_posix()))
    groups = [file for file in files if file.name.startswith("unity_")]
    for group in groups:
        grouped = re.findall(r'#include "(.*)"', group.read_text(encoding="utf-8"))
        folders.update(folder_of(Path(file).relative_to(root).as_posix()) for file in grouped if Path(file).is_relative_to(root))
    only_public = bool(groups) and not every
    return Build(cxx, nvcc, [part for flag in flags for part in flag], folders, sources, only_public)


def headers(root):
    return sorted(path.relative_to(root).as_posix() for folder in FOLDERS for path in (root / folder).rglob("*.h"))


def is_compiled(header, build):
    if build.only_public:
        return folder_of(header) == "include"
    return folder_of(header) in build.folders and (build.nvcc or not fnmatch.fnmatchcase(header, NEEDS_NVCC))


def first_includes(file, root):
    """The names of the files that a file includes before its first other directive, relative to the root if they are in the repository."""
    text = (root / file).read_text(encoding="utf-8")
    for directive in re.findall(r"^#(?!pragma once)(.*)", text, re.MULTILINE):
        included = re.match(r'include ["<](.*?)[">]', directive)
        if not included:
            return
        folders = (root, root / "include", root / "tests")
        found = [folder / included.group(1) for folder in folders if (folder / included.group(1)).is_file()]
        yield found[0].relative_to(root).as_posix() if found else included.group(1)


def first_include(file, root):
    """The header, relative to the root, that a file includes before all others; None if this is not a header of the repository."""
    name = next(first_includes(file, root), None)
    return name if name and (root / name).is_file() else None


def included_first(files, root):
    """The headers that one of the files includes first, the headers that these headers include first, and so on."""
    found = set()
    for file in files:
        while (file := first_include(file, root)) and file not in found:
            found.add(file)
    return found


def includes_of(header, root, known):
    """The headers of the repository that a header includes in all builds, and those that these include, and so on. `known`: earlier results."""
    if header not in known:
        direct = [name for name in first_includes(header, root) if (root / name).is_file()]
        known[header] = set(direct).union(*(includes_of(name, root, known) for name in direct))
    return known[header]


def chains(compiled, root):
    """Lists of headers. Each header of a list includes the headers before it."""
    known, found = {}, []
    for header in sorted(compiled, key=lambda name: (len(includes_of(name, root, known)), name)):
        included = [chain for chain in found if chain[-1] in known[header] and not fnmatch.fnmatchcase(header, NEEDS_NVCC)]
        if included:
            max(included, key=lambda chain: len(known[chain[-1]])).append(header)
        else:
            found.append([header])
    return found


def run(command, source, root):
    return subprocess.run(command, input=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=root)


def compile_in_order(root, headers, build):
    """The messages of the compiler for a file that includes these headers only; empty if it compiles."""
    source = "".join(f'#include "{header}"\n' for header in headers)
    if fnmatch.fnmatchcase(headers[0], NEEDS_NVCC):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "alone.cu"
            path.write_text(source, encoding="utf-8")
            command = [build.nvcc, "-std=c++20", "--extended-lambda", "-ptx", *build.include_flags, f"-I{root}", str(path)]
            done = run([*command, "-o", f"{folder}/alone.ptx"], "", root)
    else:
        command = [build.cxx, "-std=c++20", "-fsyntax-only", *build.include_flags, f"-I{root}", "-x", "c++", "-"]
        done = run(command, source, root)
    return "" if done.returncode == 0 else done.stdout or f"exit status {done.returncode}"


def failures(root, chain, build):
    """Pairs of a header that does not compile, and messages of the compiler."""
    together = compile_in_order(root, chain, build)
    if not together or len(chain) == 1:
        return [(chain[0], together)] if together else []
    alone = [(header, compile_in_order(root, [header], build)) for header in chain]
    # Otherwise a header cannot be included twice.
    return [(header, messages) for header, messages in alone if messages] or [(chain[-1], together)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="build folder with compile_commands.json")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[2], help="root of the repository")
    parser.add_argument("--all", action="store_true", help="compile all headers also in a build with groups of sources")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    build = read_build(root, arguments.build, arguments.all)
    every = headers(root)
    of_build = [header for header in every if is_compiled(header, build)]
    by_build = included_first(build.sources, root)
    others = [header for header in of_build if header not in by_build]
    by_others = included_first(others, root)
    compiled = [header for header in others if header not in by_others]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        failed = [pair for pairs in pool.map(lambda chain: failures(root, chain, build), chains(compiled, root)) for pair in pairs]
    for header, message in failed:
        print(f"{header}: does not compile alone", *message.splitlines()[:LINES], sep="\n    ")
    print(f"{len(compiled)} headers compiled alone, {len(failed)} failed, {len(of_build) - len(compiled)} first in other files, "
          f"{len(every) - len(of_build)} left out")
    return 1 if failed or not compiled else 0


if __name__ == "__main__":
    sys.exit(main())
