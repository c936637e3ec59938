"""lab/parts_at_scale.py: computed volumes in 1,000 parts against closed forms, and its checks find mistakes."""

import subprocess
import sys

import pytest
from conftest import REPOSITORY

SCRIPT = REPOSITORY / "lab" / "parts_at_scale.py"


def run(voxcc, folder, *options, expect=0):
    command = [sys.executable, SCRIPT, *options, "--folder", folder, "--voxcc", voxcc.program]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout if expect == 0 else done.stderr


@pytest.mark.parametrize("kind", ("checkerboard --granularity 25", "solid", "hilbert --order 6"))
def test_a_thousand_parts(voxcc, tmp_path, kind):
    out = run(voxcc, tmp_path, *kind.split(), "--size", 640, "--part-size", 64)
    assert "comparisons with closed forms, all equal" in out
    assert len(list((tmp_path / "state").iterdir())) == 1000 and len(list((tmp_path / "merged").glob("*.painted"))) == 27


@pytest.mark.parametrize(
    "kind",
    ("checkerboard --size 200 --part-size 64 --granularity 7", "checkerboard --size 210 --part-size 50 --granularity 21",
     "checkerboard --size 60 --part-size 17 --granularity 1", "solid --size 100 --part-size 30", "hilbert --size 128 --part-size 30 --order 4"),
)  # fmt: skip
def test_all_parts_painted(voxcc, tmp_path, kind):
    assert "all equal" in run(voxcc, tmp_path, *kind.split(), "--sample", "all")


def test_mistakes_are_found(voxcc, tmp_path):
    volume = ["checkerboard", "--size", 120, "--part-size", 40]
    run(voxcc, tmp_path, *volume, "--granularity", 25)
    assert "voxels of all parts" in run(voxcc, tmp_path, *volume, "--granularity", 24, "--steps", "check", expect=1)
    assert "components" in run(voxcc, tmp_path, *volume, "--granularity", 20, "--steps", "merge", expect=1)
    state, painted = tmp_path / "state", tmp_path / "merged"
    (painted / "5.painted").write_bytes((painted / "6.painted").read_bytes())
    assert "part 5" in run(voxcc, tmp_path, *volume, "--granularity", 25, "--steps", "check", expect=1)
    (state / "5.part").write_bytes((state / "0.part").read_bytes())
    assert "of all parts" in run(voxcc, tmp_path, *volume, "--granularity", 25, "--steps", "check", expect=1)
