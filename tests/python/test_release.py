"""The quick items of the release checklist: scripts/release_check.sh, and scripts/check_versions.py."""

import re
import shutil
import subprocess

import pytest
from conftest import REPOSITORY

SCRIPTS = REPOSITORY / "scripts"
PAGE = "docs/develop/release.md"


def run(*command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout.splitlines(), done.stderr


def items():
    """(item, kind, command) of the table."""
    return re.findall(r"^\| ([^|]+) \| (quick|long) \| `([^|]+)` \|$", (REPOSITORY / PAGE).read_text(), re.MULTILINE)


@pytest.fixture
def checklist(tmp_path):
    """A repository with the script and a page with the given rows; a function that runs the script there."""

    def made(rows, *options):
        (tmp_path / "scripts").mkdir(exist_ok=True)
        shutil.copy(SCRIPTS / "release_check.sh", tmp_path / "scripts")
        (tmp_path / PAGE).parent.mkdir(parents=True, exist_ok=True)
        lines = [f"| {item} | {kind} | `{command}` |" for item, kind, command in rows]
        (tmp_path / PAGE).write_text("\n".join(["# Page", "", "| item | kind | command |", "|---|---|---|", *lines, ""]))
        return run(tmp_path / "scripts" / "release_check.sh", *options)

    return made


def test_one_line_per_item(checklist, tmp_path):
    rows = [("first", "quick", "test -d scripts"), ("second", "quick", 'echo "a message"; exit 3'), ("third", "long", "true")]
    assert checklist(rows, "--quick") == (1, ["ok      first", "failed  second: see build/release/2.log"], "")
    assert (tmp_path / "build" / "release" / "2.log").read_text() == "a message\n"
    assert checklist(rows)[:2] == (1, ["ok      first", "failed  second: see build/release/2.log", "ok      third"])
    assert checklist(rows[::2]) == (0, ["ok      first", "ok      third"], "")


def test_wrong_use(checklist):
    assert checklist([("a", "quick", "true")], "--fast")[0] == 64
    assert checklist([])[0] == 69


def test_the_page_lists_what_must_be_checked():
    commands = [command.split()[0] for _, _, command in items()]
    assert {"./test.sh", "scripts/check_sanitizers.sh", "scripts/check_wheels.sh", "packaging/test_deb.sh", "packaging/test_tar.sh",
            "packaging/test_conda.sh", "packaging/test_containers.sh"} <= set(commands)
    for command in commands:
        assert not command.startswith(("scripts/", "packaging/", "examples/")) or (REPOSITORY / command).is_file(), command


@pytest.fixture
def versions(tmp_path):
    """A copy of the files that state the version."""
    copied = ["CMakeLists.txt", "CITATION.cff", "CHANGELOG.md", "pyproject.toml", "packaging/deb/changelog", "packaging/conda/recipe.yaml",
              "packaging/python-cli/pyproject.toml"]
    for path in copied:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / path, tmp_path / path)
    return tmp_path


def test_versions_are_equal():
    assert run(SCRIPTS / "check_versions.py") == (0, [], "")


@pytest.mark.parametrize("name, old, new, message", [
    ("CITATION.cff", "\nversion: ", "\nversion: 9", "CITATION.cff: states 9"),
    ("CHANGELOG.md", "\n## ", "\n## 9.9.9 (not released)\n\n## ", "CHANGELOG.md: states 9.9.9"),
    ("packaging/deb/changelog", "voxcc (", "voxcc (9", "packaging/deb/changelog: states 9"),
    ("packaging/conda/recipe.yaml", "  version: ", "  number: ", "packaging/conda/recipe.yaml: states no version"),
    ("pyproject.toml", 'dynamic = ["version"]', 'version = "0.1.0"', "pyproject.toml: must take"),
])
def test_other_versions_are_found(versions, name, old, new, message):
    assert run(SCRIPTS / "check_versions.py", "--root", versions)[:2] == (0, [])
    text = (versions / name).read_text()
    assert old in text
    (versions / name).write_text(text.replace(old, new, 1))
    code, lines, _ = run(SCRIPTS / "check_versions.py", "--root", versions)
    assert code == 1 and lines[0].startswith(message)


@pytest.mark.parametrize("date, code", [("not released", 1), ("2026-12-01", 0)])
def test_the_date_of_the_changelog(versions, date, code):
    page = versions / "CHANGELOG.md"
    page.write_text(re.sub(r"^(## [\d.]+) \(.*\)$", rf"\1 ({date})", page.read_text(), count=1, flags=re.MULTILINE))
    assert run(SCRIPTS / "check_versions.py", "--date", "--root", versions)[0] == code
