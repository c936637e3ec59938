"""The commit in the version, for the different ways to get the source. The tests only configure the library, which takes two seconds."""

import re
import subprocess

import pytest
from conftest import REPOSITORY

VERSION = re.search(r"^project\(voxcc VERSION ([\d.]+)", (REPOSITORY / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def git(*arguments, folder=REPOSITORY):
    identity = ("-c", "user.name=test", "-c", "user.email=test@test.example")
    done = subprocess.run(["git", *identity, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def head():
    if not (REPOSITORY / ".git").exists():
        pytest.skip("the source is not a clone")
    return git("rev-parse", "HEAD")[:10]


def unpack_archive(folder):
    folder.mkdir()
    git("archive", "--output", folder.with_suffix(".tar"), "HEAD")
    subprocess.run(["tar", "-xf", folder.with_suffix(".tar"), "-C", folder], check=True)
    return folder


def configured_version(source, build):
    options = ("-G", "Ninja", "-DVOXCC_IO=OFF", "-DVOXCC_TESTS=OFF", "-DVOXCC_CUDA=OFF")
    done = subprocess.run(["cmake", "-S", source, "-B", build, *options], capture_output=True, text=True, check=True)
    return re.search(r"^-- voxcc: version (.*)$", done.stdout, re.MULTILINE)[1]


def test_program(voxcc):
    """The version of the program is the version of the project and 10 digits of a commit."""
    assert re.fullmatch(rf"voxcc {re.escape(VERSION)}(\+[0-9a-f]{{10}})?", voxcc("--version").stdout.splitlines()[0])


def test_archive(head, tmp_path):
    source = unpack_archive(tmp_path / "source")
    assert configured_version(source, tmp_path / "build") == f"{VERSION}, commit {head}"
    assert int((source / "cmake" / "commit.txt").read_text().split()[1]) == int(git("log", "-1", "--format=%ct"))


def test_archive_in_another_repository(head, tmp_path):
    """The commit of a surrounding repository is not the commit of the source."""
    outer = tmp_path / "outer"
    outer.mkdir()
    git("init", folder=outer)
    git("commit", "--allow-empty", "-m", "outer", folder=outer)
    source = unpack_archive(outer / "source")
    assert configured_version(source, tmp_path / "build") == f"{VERSION}, commit {head}"
    (source / "cmake" / "commit.txt").write_text("$Format:%H %ct$\n")  # a copy that git archive did not make
    assert configured_version(source, tmp_path / "build") == f"{VERSION}, commit not known"


def test_clone(head, tmp_path):
    source = tmp_path / "clone"
    git("clone", "--quiet", REPOSITORY, source)
    assert configured_version(source, tmp_path / "build") == f"{VERSION}, commit {head}"


def test_new_commit(head, tmp_path):
    """A build after a new commit configures again."""
    source, build = tmp_path / "clone", tmp_path / "build"
    git("clone", "--quiet", REPOSITORY, source)
    configured_version(source, build)
    git("commit", "--allow-empty", "-m", "new", folder=source)
    done = subprocess.run(["cmake", "--build", build, "--target", "build.ninja"], capture_output=True, text=True, check=True)
    assert f"commit {git('rev-parse', 'HEAD', folder=source)[:10]}" in done.stdout
