"""info, verify and label give the same exit code for each damaged file of each format."""

import subprocess

import pytest
from mutated_formats import FORMATS
from mutations import ERROR, generator_of, read_files, write_mutant

MUTANTS, LONG = 5, 200


def code_of(voxcc, *arguments):
    done = subprocess.run([voxcc.program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60)
    assert done.stderr.count(ERROR) == (done.returncode != 0), done.stderr
    return done.returncode


@pytest.mark.parametrize("kind", FORMATS)
def test_commands_agree(voxcc, tmp_path, request, kind):
    (tmp_path / "intact").mkdir()
    name = FORMATS[kind].write(tmp_path / "intact")
    files, differences = read_files(tmp_path / "intact"), []
    for number in range(LONG if request.config.getoption("long") else MUTANTS):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_mutant(files, generator_of(kind, "commands", number), folder)
        path = folder / name
        codes = [code_of(voxcc, *command) for command in (("info", path), ("verify", path), ("label", path, "--stats", "-"))]
        if len(set(codes)) > 1:
            differences.append(f"{kind}, mutant {number}: info {codes[0]}, verify {codes[1]}, label {codes[2]}")
    assert not differences, "\n".join(differences)
