"""examples/validate.sh accepts this build, and finds wrong labels, wrong numbers of components and failures."""

import os
import subprocess

import pytest
from conftest import REPOSITORY


def validate(program, *arguments):
    return subprocess.run([REPOSITORY / "examples" / "validate.sh", *map(str, arguments)], capture_output=True, text=True, timeout=500,
                          env={**os.environ, "VOXCC": str(program), "DEVICES": "cpu"})


def test_this_build_is_valid(voxcc):
    done = validate(voxcc.program, "1 3", 16)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert lines[-1] == f"{len(lines) - 2} checks, 0 wrong"
    for line in lines[1:-1]:
        assert line.startswith("ok ")
    algorithms = {line.split("\t")[0]: line.split("\t")[1].split() for line in voxcc("algorithms").stdout.splitlines()}
    for name, connectivities in algorithms.items():
        of_order_1 = [line for line in lines if "order 1 " in line and f" cpu, {name}, " in line]
        assert len(of_order_1) == len({"4", "6", "8", "26"} & set(connectivities)), name
    for line in lines[1:-1]:
        assert line.endswith("components: 1") or "per slice" in line


@pytest.mark.parametrize("change, why", [
    ("sed -i '2s/^1,/2,/' \"$table\"", "the table is not the table of block-runs"),
    ("sed -i '$d' \"$table\"", " components instead of "),
    ('printf "\\3" | dd of="$labels" bs=1 seek=352 conv=notrunc 2>/dev/null', "the labels are not the labels of block-runs"),
    ('rm "$labels"', "the labels are not the labels of block-runs"),
    ('echo "voxcc: error: broken" >&2; exit 70', "no result: voxcc: error: broken"),
])
def test_faults_are_found(voxcc, tmp_path, change, why):
    program = tmp_path / "voxcc"
    program.write_text(f"""#!/bin/sh
for a in "$@"; do
    [ "$last" = --output ] && labels=$a
    [ "$last" = --stats ] && table=$a
    last=$a
done
{voxcc.program} "$@" || exit
case "$*" in *"--algorithm bke "*) {change} ;; esac
""")
    program.chmod(0o755)
    done = validate(program, "1", 8)
    lines = done.stdout.splitlines()
    wrong = [line for line in lines if line.startswith("WRONG")]
    assert done.returncode == 1
    assert lines[-1].endswith(" checks, 4 wrong")
    assert len(wrong) == 4 and all(", bke, " in line and why in line for line in wrong)


def test_a_program_that_does_not_run_is_wrong(tmp_path):
    done = validate(tmp_path / "absent", "1", 8)
    assert done.returncode == 1 and "WRONG" in done.stdout
