"""How much memory the program takes where it is told how much it may."""

import json
import subprocess
import time

import h5py
import nibabel
import numpy as np
import pytest

SHAPE = (1024, 1024, 1200)  # x, y, z: 157 MB of bits
LIMIT = 160 << 20
MARGIN = 64 << 20  # program and libraries, and what malloc keeps


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A volume of 1.3 GB, nearly all of it a hole in the file: a bar through all slices, and a cube a hundred slices apart."""
    path = tmp_path_factory.mktemp("memory") / "large.nii"
    header = nibabel.Nifti1Header()
    header.set_data_dtype(np.uint8)
    header.set_data_shape(SHAPE)
    header["vox_offset"], header["magic"] = 352, b"n+1"
    nx, ny, nz = SHAPE
    with open(path, "wb") as file:
        file.write(header.binaryblock + bytes(4))
        file.truncate(352 + nx * ny * nz)
        for z in range(nz):
            file.seek(352 + (z * ny + 500) * nx + 300)
            file.write(bytes([1]) * 40)
            for y in range(8 if z % 100 < 8 else 0):
                file.seek(352 + (z * ny + 20 + y) * nx + 60)
                file.write(bytes([1]) * 8)
    return path


def peak_of(program, *arguments):
    """Bytes of memory that a run had at most, as the kernel counted for it (rusage would count what Python had before exec)."""
    process = subprocess.Popen([program, *map(str, arguments)], stdin=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                peak = max([peak] + [int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM")])
        except ProcessLookupError:
            pass
        time.sleep(0.005)
    assert process.returncode == 0
    return peak


def test_a_streamed_volume_stays_below_the_limit(voxcc, tmp_path, large):
    common = ["label", large, "-t", 2, "--device", "cpu", "-q"]
    whole = peak_of(voxcc.program, *common, "-o", tmp_path / "whole.nii.gz", "--stats", tmp_path / "whole.csv")
    slabs = peak_of(voxcc.program, *common, "-o", tmp_path / "slabs.nii.gz", "--stats", tmp_path / "slabs.csv", "--max-memory", LIMIT)
    assert (tmp_path / "whole.nii.gz").read_bytes() == (tmp_path / "slabs.nii.gz").read_bytes()
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "slabs.csv").read_bytes()
    assert (tmp_path / "slabs.csv").read_text().count("\n") == 14
    assert whole > LIMIT + MARGIN
    assert slabs < LIMIT + MARGIN


def test_the_plan_tells_slabs_and_passes(voxcc, tmp_path, large):
    done = voxcc("label", large, "-t", 2, "--device", "cpu", "-o", tmp_path / "a.nii", "--max-memory", LIMIT, "--dry-run")
    plan = json.loads(done.stdout)["volumes"][0]
    assert plan["fits"] and plan["memory_bytes"] <= LIMIT == plan["memory_limit"]
    assert plan["slabs"] > 1 and plan["passes"] == 2
    assert (plan["slabs"] - 1) * plan["slices_a_slab"] < SHAPE[2] <= plan["slabs"] * plan["slices_a_slab"]


@pytest.mark.parametrize("connectivity", (26, 6))
@pytest.mark.parametrize("threshold", ("nonzero", "otsu"))
def test_chunks_are_not_held_as_voxels(voxcc, tmp_path, connectivity, threshold):
    """64 slices of these voxels are 64 MiB, and there are two threads."""
    image = np.zeros((130, 512, 512), np.float32)
    image[::9, 3:, 5:] = 1
    with h5py.File(tmp_path / "image.h5", "w") as file:
        file.create_dataset("volume", data=image, chunks=(64, 64, 64), compression="gzip", compression_opts=1)
    common = ["label", tmp_path / "image.h5", "-t", 2, "--device", "cpu", "-q", "-c", connectivity, "--threshold", threshold]
    peak = peak_of(voxcc.program, *common, "--stats", tmp_path / "table.csv")
    plan = json.loads(voxcc(*common, "--stats", tmp_path / "other.csv", "--dry-run").stdout)["volumes"][0]
    assert (tmp_path / "table.csv").read_text().count("\n") == 1 + 15
    assert peak < MARGIN and plan["memory_bytes"] < MARGIN
    assert plan["memory_bytes"] > image.size / 8
