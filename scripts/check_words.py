#!/usr/bin/env python3
"""Checks the language of pages, messages, help screens and comments, the spelling, the form of pages and the links between them.

    scripts/check_words.py [--program build/voxcc] [--checks LIST] [--root FOLDER] [PATH...]

PATH limits the check to these files. With --program, the help screens of all commands are checked, too. --checks chooses some of the
checks: patterns, sentences, lines, links, form, spelling. Each finding is one line:
file:line, the words, and what to write instead. Exit codes: 0 no findings; 1 findings; 69 the check cannot run.
The rules are in words/patterns.toml. words/exceptions.toml lists the texts that a rule leaves out, each with its reason.
The spelling is checked by codespell; without codespell, the check says that the spelling is skipped.
"""
import argparse
import fnmatch
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from words import form, links, rules, texts

ROOT = Path(__file__).resolve().parents[1]
WORDS = Path(__file__).resolve().parent / "words"
PAGES = ("*.md",)
SOURCES = ("include/*.h", "kernels3d/*.h", "kernels3d/*.cpp", "kernels3d/*.cu", "io/*.h", "io/*.cpp", "src/*.h", "src/*.cpp",
           "lab/*.h", "lab/*.cpp", "lab/*.cu", "python/*.h", "python/*.cpp")
CHECKS = {"patterns", "sentences", "lines", "links", "form", "spelling"}
SPELLED = (*PAGES, *SOURCES, "lab/*.py", "cmake/*", "examples/*.sh", "scripts/*",
           "python/*.py", "tests/*.h", "tests/*.cpp", "tests/*.py")


def tracked_files(root):
    """The files that git tracks or would add, without ignored files."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return sorted(name for name in set(done.stdout.splitlines()) if (root / name).is_file())


def matching(files, patterns):
    return [file for file in files if any(fnmatch.fnmatchcase(file, pattern) for pattern in patterns)]


def read_exceptions(path=WORDS / "exceptions.toml"):
    return tomllib.loads(path.read_text(encoding="utf-8"))["exception"]


class Exceptions:
    """Removes findings that words/exceptions.toml lists, and remembers which entries were used."""

    def __init__(self, entries):
        self.entries = entries
        self.used = set()

    def excuses(self, finding, check):
        for index, entry in enumerate(self.entries):
            if check in entry["checks"] and fnmatch.fnmatchcase(finding.path, entry["path"]) and entry.get("words", "") in finding.what:
                self.used.add(index)
                return True
        return False

    def unused(self):
        return [entry for index, entry in enumerate(self.entries) if index not in self.used]


def findings_of_page(root, page, patterns):
    content = (root / page).read_text(encoding="utf-8")
    for finding in rules.find_long_lines(page, content):
        yield "lines", finding
    for finding in links.find_broken_links(root, page):
        yield "links", finding
    for finding in form.find_form(page, content):
        yield "form", finding
    for text in texts.of_page(page, content):
        yield from findings_of_text(text, patterns)


def findings_of_text(text, patterns):
    for finding in rules.find_patterns(text, patterns):
        yield "patterns", finding
    for finding in rules.find_long_sentences(text):
        yield "sentences", finding


def findings_of_source(root, file, patterns):
    """Messages in sources; comments only in headers."""
    for text in texts.of_source(file, (root / file).read_text(encoding="utf-8")):
        if text.kind == "messages" or file.endswith(".h"):
            yield from findings_of_text(text, patterns)


def help_screens(program):
    """(command, screen) of the program and of each of its commands."""
    def screen(*command):
        return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout

    first = screen()
    yield "", first
    listed = re.findall(r"^(?:[\w ]* )?(?:sub)?commands(?: [\w ]*)?:\n((?:  .*\n)+)", first, re.IGNORECASE | re.MULTILINE)
    names = re.findall(r"^  ([a-z]+) ", "".join(listed), re.MULTILINE)
    if not names:
        raise ValueError(f"{program} --help lists no commands")
    for name in names:
        yield name, screen(name)


def misspelled(root, files):
    """Findings of codespell, or None if codespell is not installed."""
    if not shutil.which("codespell"):
        return None
    if not files:
        return []
    command = ["codespell", "--ignore-words", str(WORDS / "codespell-ignore.txt"), *files]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode not in (0, 65):  # 65: words were found
        raise ValueError(f"codespell failed: {done.stderr.strip()}")
    found = []
    for line in done.stdout.splitlines():
        match = re.match(r"(.+?):(\d+): (.+?) ==> (.+)$", line)
        if match:
            found.append(rules.Finding(match[1], int(match[2]), f"'{match[3]}'", f"write: {match[4]} (spelling)"))
    return found


def findings_of_texts(root, files, program, patterns):
    for page in matching(files, PAGES):
        yield from findings_of_page(root, page, patterns)
    for file in matching(files, SOURCES):
        yield from findings_of_source(root, file, patterns)
    if program:
        for command, screen in help_screens(program):
            for text in texts.of_help(command, screen):
                yield from findings_of_text(text, patterns)


def findings_of_spelling(root, files):
    spelled = misspelled(root, matching(files, SPELLED))
    if spelled is None:
        print("check_words.py: skipped: the spelling is not checked, because codespell is not installed", file=sys.stderr)
    return [("spelling", finding) for finding in spelled or ()]


def all_findings(root, files, program, checks):
    found = []
    if checks != {"spelling"}:
        found += findings_of_texts(root, files, program, rules.read_patterns())
    if "spelling" in checks:
        found += findings_of_spelling(root, files)
    return [(check, finding) for check, finding in found if check in checks]


def some_checks(text):
    names = set(text.split(","))
    if not names <= CHECKS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of checks; the checks are {', '.join(sorted(CHECKS))}")
    return names


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", help="path of voxcc: also check its help screens")
    parser.add_argument("--checks", type=some_checks, default=CHECKS, metavar="LIST", help="only these checks (default: all)")
    parser.add_argument("--root", type=Path, default=ROOT, help="folder of the repository")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="check only these files, relative to the root")
    options = parser.parse_args(arguments)
    try:
        files = options.paths or tracked_files(options.root)
        exceptions = Exceptions(read_exceptions())
        found = all_findings(options.root, files, options.program, options.checks)
        left = [finding for check, finding in found if not exceptions.excuses(finding, check)]
    except (OSError, ValueError, re.error, subprocess.CalledProcessError) as error:
        print(f"check_words.py: error: {error}", file=sys.stderr)
        return 69
    for finding in sorted(set(left)):
        print(finding)
    if not options.paths and options.program and options.checks == CHECKS:
        for entry in exceptions.unused():
            print(f"check_words.py: note: the exception for '{entry['path']}' is not needed any more", file=sys.stderr)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
