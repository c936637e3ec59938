#!/usr/bin/env python3
"""Checks every #include line of the repository against the dependency rules in docs/develop/architecture/dependencies.md.

The section "Dependency rules" of that page holds three tables and a list:
  | group | stands for |              a name for a list of modules and `single files`
  | module | folder | may include |   folder: `folder/`; may include: module names, `single files`, or "everything"
  | text | only in |                  `text` may appear only in the code of these modules
  - `file` includes `header`          known exceptions; an exception that no longer occurs is an error
  - `file` contains `text`
A file belongs to the module with the longest matching folder name. In the folders of the library and the program, folders must not include
each other, directly or by way of other folders. Each public header must be included by a file in examples/library.

Prints one line per violation: file:line: message. Exit status: 0 without violations, else 1. Needs only Python 3.
"""
import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

RULES = "docs/develop/architecture/dependencies.md"
SECTION = "## Dependency rules"
FOLDERS = ("include", "kernels3d", "io", "src", "lab", "python", "tests", "examples")
EXAMPLES = "examples/library/"
FOLDERS_WITHOUT_CYCLES = ("kernels3d", "io", "src")
SUFFIXES = {".h", ".hpp", ".cuh", ".c", ".cpp", ".cu"}
SEARCH_PATH = ("", "include", "tests")  # the include directories of CMake; the folder of the including file is searched first
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
EXCEPTION = re.compile(r"^- `([^`]+)` (includes|contains) `([^`]+)`")


class RulesError(Exception):
    """The rules in docs/develop/architecture/dependencies.md are missing or invalid."""


@dataclass
class Module:
    name: str
    folder: str
    may_include: set
    single_files: set
    line: int


@dataclass
class Rules:
    modules: dict = field(default_factory=dict)  # by name
    texts: dict = field(default_factory=dict)  # text -> names of the modules that may contain it
    groups: dict = field(default_factory=dict)  # name -> what the name stands for
    exceptions: dict = field(default_factory=dict)  # (file, verb, what) -> line


@dataclass(frozen=True)
class Include:
    file: str
    line: int
    target: str  # path in the repository


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


def named(cell):
    return {name for name in (part.strip() for part in re.sub(r"`[^`]+`", "", cell).split(",")) if name}


def without_groups(rules, cell):
    """The cell, in which the names of groups are replaced by what they stand for."""
    return ", ".join(rules.groups.get(part.strip(), part.strip()) for part in cell.split(","))


def read_rules(root):
    """The rules of the page. Raises RulesError if the section is missing or invalid."""
    lines = (root / RULES).read_text(encoding="utf-8").splitlines()
    if SECTION not in lines:
        raise RulesError(f"{RULES}:1: the section '{SECTION}' is missing")
    rules, columns = Rules(), []
    for number, line in enumerate(lines[lines.index(SECTION) + 1:], lines.index(SECTION) + 2):
        if line.startswith("## "):
            break
        exception = EXCEPTION.match(line)
        if exception:
            rules.exceptions[exception.groups()] = number
        if not line.startswith("|"):
            columns = []
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not columns:
            columns = cells
        elif not set(line) <= set("|-: "):
            read_row(rules, columns, cells, number)
    check_names(rules)
    return rules


def read_row(rules, columns, cells, number):
    if len(cells) != len(columns):
        raise RulesError(f"{RULES}:{number}: the row has {len(cells)} cells instead of {len(columns)}")
    if columns == ["module", "folder", "may include"]:
        name, folder, may_include = *cells[:2], without_groups(rules, cells[2])
        if name in rules.modules:
            raise RulesError(f"{RULES}:{number}: the module '{name}' has two rows")
        if not re.fullmatch(r"`[\w/.-]+/`", folder):
            raise RulesError(f"{RULES}:{number}: {folder} is not a folder")
        rules.modules[name] = Module(name, folder.strip("`"), named(may_include), set(quoted(may_include)), number)
    elif columns == ["text", "only in"]:
        for text in quoted(cells[0]):
            rules.texts[text] = named(without_groups(rules, cells[1]))
    elif columns == ["group", "stands for"]:
        rules.groups[cells[0]] = cells[1]
    else:
        raise RulesError(f"{RULES}:{number}: a table with the columns {columns} is not a table of rules")


def check_names(rules):
    if not rules.modules:
        raise RulesError(f"{RULES}: the section '{SECTION}' has no table of modules")
    for name in set(rules.groups) & set(rules.modules):
        raise RulesError(f"{RULES}:{rules.modules[name].line}: '{name}' is a module and a group")
    for module in rules.modules.values():
        if "everything" in module.may_include:
            module.may_include = set(rules.modules)
        for name in module.may_include - set(rules.modules):
            raise RulesError(f"{RULES}:{module.line}: '{name}' is not a module of the table")
    for text, names in rules.texts.items():
        for name in names - set(rules.modules):
            raise RulesError(f"{RULES}: '{name}', where `{text}` may appear, is not a module of the table")


def source_files(root):
    return sorted(
        path.relative_to(root).as_posix()
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.suffix in SUFFIXES and path.is_file())


def modules_of(rules, files):
    """@return file -> name of its module; and errors for files without a module."""
    owner, errors = {}, []
    for file in files:
        module = max((module for module in rules.modules.values() if file.startswith(module.folder)),
                     key=lambda module: len(module.folder), default=None)
        if module:
            owner[file] = module.name
        else:
            errors.append(f"{file}:1: no module of {RULES} contains this file")
    return owner, errors


def missing_entries(root, rules):
    for module in rules.modules.values():
        if not (root / module.folder).is_dir():
            yield f"{RULES}:{module.line}: module '{module.name}' names '{module.folder}', which does not exist"
        for entry in sorted(module.single_files):
            if not (root / entry).is_file():
                yield f"{RULES}:{module.line}: module '{module.name}' may include '{entry}', which does not exist"


def read_includes(root, files):
    """@return all includes of repository files; and errors for quoted names that are not repository files."""
    known, includes, errors = set(files), [], []
    for file in files:
        for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            folders = (file.rpartition("/")[0],) + SEARCH_PATH if match[1] == '"' else SEARCH_PATH
            candidates = [f"{folder}/{match[2]}".lstrip("/") for folder in folders]
            target = next((candidate for candidate in candidates if candidate in known), None)
            if target:
                includes.append(Include(file, number, target))
            elif match[1] == '"':
                errors.append(f"{file}:{number}: '{match[2]}' is not a file of the repository; write <> for headers of other projects")
    return includes, errors


def is_permitted(rules, owner, include):
    module, target = rules.modules[owner[include.file]], owner[include.target]
    return target == module.name or target in module.may_include or include.target in module.single_files


def check_includes(rules, owner, includes):
    """@return violations of the include rules; and the keys of the exceptions that occur."""
    errors, occurred = [], set()
    for include in includes:
        if include.file not in owner or include.target not in owner:
            continue
        if is_permitted(rules, owner, include):
            continue
        module, target = rules.modules[owner[include.file]], owner[include.target]
        key = (include.file, "includes", include.target)
        if key in rules.exceptions:
            occurred.add(key)
        else:
            errors.append(f"{include.file}:{include.line}: module '{module.name}' must not include '{include.target}' of module '{target}' "
                          f"({RULES}:{module.line})")
    return errors, occurred


def check_texts(root, rules, owner):
    """@return the same for texts that only some modules may contain. Line comments are ignored."""
    errors, occurred = [], set()
    for file, module in owner.items():
        for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), 1):
            code = line.partition("//")[0]
            for text, names in rules.texts.items():
                key = (file, "contains", text)
                if text not in code or module in names:
                    continue
                if key in rules.exceptions:
                    occurred.add(key)
                else:
                    errors.append(f"{file}:{number}: '{text}' may appear only in {', '.join(sorted(names))} ({RULES})")
    return errors, occurred


def check_examples(files, includes):
    """Public headers that no example includes. Does nothing in a tree without examples."""
    if not any(file.startswith(EXAMPLES) for file in files):
        return []
    shown = {include.target for include in includes if include.file.startswith(EXAMPLES)}
    return [f"{file}:1: no file in {EXAMPLES} includes this public header"
            for file in files if file.startswith("include/voxcc/") and file not in shown]


def find_cycle(edges):
    """The nodes of one cycle, with the first node repeated at the end; empty if there is no cycle. edges: node -> nodes."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return []
        path.append(node)
        for following in sorted(edges.get(node, ())):
            cycle = visit(following)
            if cycle:
                return cycle
        done.add(path.pop())
        return []

    return next((cycle for cycle in map(visit, sorted(edges)) if cycle), [])


def check_cycles(rules, owner, includes):
    """At most one error per kind of cycle: between files, between folders, between modules, and in the table of the rules. Forbidden
    includes are not edges between modules."""
    files, folders, modules, line_of = {}, {}, {}, {}
    for include in includes:
        files.setdefault(include.file, set()).add(include.target)
        line_of[include.file, include.target] = include.line
        if include.file in owner and include.target in owner and is_permitted(rules, owner, include):
            modules.setdefault(owner[include.file], set()).add(owner[include.target])
            folder, target = (name.rpartition("/")[0] for name in (include.file, include.target))
            if folder != target and folder.startswith(FOLDERS_WITHOUT_CYCLES):
                folders.setdefault(folder, set()).add(target)
    cycle = find_cycle(files)
    if cycle:
        yield f"{cycle[0]}:{line_of[cycle[0], cycle[1]]}: include cycle between files: {' > '.join(cycle)}"
    cycle = find_cycle(folders)
    if cycle:
        yield f"{RULES}: include cycle between folders: {' > '.join(cycle)}"
    cycle = find_cycle({name: targets - {name} for name, targets in modules.items()})
    if cycle:
        yield f"{RULES}: include cycle between modules: {' > '.join(cycle)}"
    cycle = find_cycle({name: module.may_include - {name} for name, module in rules.modules.items()})
    if cycle:
        yield f"{RULES}:{rules.modules[cycle[0]].line}: the table permits a cycle between modules: {' > '.join(cycle)}"


def check(root):
    """All violations, as lines of text."""
    rules = read_rules(root)
    files = source_files(root)
    owner, errors = modules_of(rules, files)
    errors += missing_entries(root, rules)
    includes, unresolved = read_includes(root, files)
    of_includes, occurred = check_includes(rules, owner, includes)
    of_texts, occurred_texts = check_texts(root, rules, owner)
    errors += unresolved + of_includes + of_texts + list(check_cycles(rules, owner, includes)) + check_examples(files, includes)
    for key, line in rules.exceptions.items():
        if key not in occurred | occurred_texts:
            errors.append(f"{RULES}:{line}: the exception '{' '.join(key)}' no longer occurs; remove the line")
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[2], help="root of the repository")
    try:
        errors = check(parser.parse_args().root)
    except RulesError as error:
        errors = [str(error)]
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
