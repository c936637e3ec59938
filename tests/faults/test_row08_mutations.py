"""Row 8: random mutations of files. tests/fuzz has the fuzz targets; docs/develop/fuzzing.md describes them."""

import shutil
import subprocess
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
SEEDS = sorted(path for path in (FUZZ / "seeds").glob("*/*"))

INTACT = {"chunkbomb2", "deflate_intact", "fill_chunk_hang", "gipl_ok", "h5_index", "h5_scaleoffset", "tiff_imagej_ok", "tiff_ok", "vtk_ok"}


@pytest.mark.parametrize("seed", SEEDS, ids=lambda path: path.name)
def test_row08_files_that_caused_faults(voxcc, seed):
    """These files made an earlier version crash, hang or read wrong voxels, or are the intact forms of such files."""
    done = subprocess.run([voxcc.program, "verify", str(seed)], capture_output=True, timeout=30, check=False)
    assert done.returncode == (0 if seed.stem in INTACT else 65), done.stderr


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("clang++-14"), reason="clang++-14 is not installed")
def test_row08_fuzz_targets():
    done = subprocess.run([FUZZ / "run", "--seconds", "5"], capture_output=True, text=True, timeout=3000, check=False)
    if "skipped" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
