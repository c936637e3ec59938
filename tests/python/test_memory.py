"""Memory use with limits on memory, address space and processes."""

import json
import os
import resource
import signal
import subprocess
import time

import h5py
import nibabel
import numpy as np
import pytest
import SimpleITK as sitk
import zarr
from helpers import blobs, peak_of, sha256, write_nifti

SHAPE = (1024, 1024, 1300)  # x, y, z; the foreground bits take 170 MB
LIMIT = 160 << 20
MARGIN = 64 << 20  # for the program, its libraries, and freed memory that malloc keeps


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A sparse file with a volume of 1.4 GB. It contains a bar through all slices, and cubes 100 slices apart."""
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


def test_a_streamed_volume_stays_below_the_limit(voxcc, tmp_path, large):
    common = ["label", large, "-t", 2, "--device", "cpu", "-q"]
    whole = peak_of(voxcc.program, *common, "-o", tmp_path / "whole.nii.gz", "--stats", tmp_path / "whole.csv")
    slabs = peak_of(voxcc.program, *common, "-o", tmp_path / "slabs.nii.gz", "--stats", tmp_path / "slabs.csv", "--max-memory", LIMIT)
    assert (tmp_path / "whole.nii.gz").read_bytes() == (tmp_path / "slabs.nii.gz").read_bytes()
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "slabs.csv").read_bytes()
    assert (tmp_path / "slabs.csv").read_text().count("\n") == 15
    assert whole > LIMIT + MARGIN
    assert slabs < LIMIT + MARGIN


def test_a_preview_of_a_streamed_volume_stays_below_the_limit(voxcc, tmp_path, large):
    peak = peak_of(voxcc.program, "label", large, "-t", 2, "--device", "cpu", "-q", "--preview", tmp_path / "p.png", "--max-memory", LIMIT)
    assert (tmp_path / "p.png").stat().st_size > 1000
    assert peak < LIMIT + MARGIN


def test_the_plan_tells_slabs_and_passes(voxcc, tmp_path, large):
    done = voxcc("label", large, "-t", 2, "--device", "cpu", "-o", tmp_path / "a.nii", "--max-memory", LIMIT, "--dry-run")
    plan = json.loads(done.stdout)["volumes"][0]
    assert plan["fits"] and plan["memory_bytes"] <= LIMIT == plan["memory_limit"]
    assert plan["slabs"] > 1 and plan["passes"] == 2
    assert (plan["slabs"] - 1) * plan["slices_a_slab"] < SHAPE[2] <= plan["slabs"] * plan["slices_a_slab"]


@pytest.mark.parametrize("name, data", (("a.nii", "a.nii"), ("a.nrrd", "a.nrrd"), ("a.mha", "a.mha"), ("a.mhd", "a.raw"), ("a.npy", "a.npy")))
def test_plain_labels_do_not_depend_on_threads_and_slabs(voxcc, tmp_path, name, data):
    """Uncompressed label volumes end with the labels. Each voxel is a component, and its label is its number in raster order."""
    volume = np.zeros((160, 512, 512), np.uint8)
    volume[::40, ::90, ::110] = 1
    labels = np.cumsum(volume, dtype=np.uint8).reshape(volume.shape) * volume
    write_nifti(tmp_path / "in.nii", volume)
    contents = set()
    for slabs, limits in ((1, ("-t", "1")), (1, ("-t", "3")), (5, ("-t", "1", "--max-memory", "20MB")), (4, ("-t", "2", "--max-memory", "32MB"))):
        command = ("label", tmp_path / "in.nii", "-o", tmp_path / name, "--compress", "0", "--device", "cpu", "-q", "-f", *limits)
        assert json.loads(voxcc(*command, "--dry-run").stdout)["volumes"][0]["slabs"] == slabs
        voxcc(*command)
        contents.add((tmp_path / data).read_bytes())
    assert len(contents) == 1
    assert contents.pop().endswith(labels.tobytes())


@pytest.mark.parametrize("connectivity", (26, 6))
@pytest.mark.parametrize("threshold", ("nonzero", "otsu"))
def test_chunks_are_not_held_as_voxels(voxcc, tmp_path, connectivity, threshold):
    """64 slices of voxels take 64 MiB, and there are two threads."""
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


@pytest.fixture
def small(voxcc, tmp_path):
    """A volume, and the labels and table of a run without limits: (volume, digests)."""
    volume = write_nifti(tmp_path / "in.nii.gz", blobs((96, 96, 96), 0.3))
    voxcc(*outputs_of(volume, tmp_path, "free"))
    return volume, digests(tmp_path, "free")


def outputs_of(volume, folder, name):
    return ["label", volume, "--device", "cpu", "-o", folder / f"{name}.nii.gz", "--stats", folder / f"{name}.csv", "-f"]


def digests(folder, name):
    return [sha256(folder / f"{name}{extension}") for extension in (".nii.gz", ".csv")]


def run_with(limit, bytes_or_count, command, **options):
    """Runs a command with a resource limit. limit: RLIMIT_AS or RLIMIT_NPROC"""
    return subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          preexec_fn=lambda: resource.setrlimit(limit, (bytes_or_count, bytes_or_count)), **options)


def test_any_limit_of_address_space_ends_well_or_as_out_of_memory(voxcc, tmp_path, small):
    volume, expected = small
    ends = set()
    for limit in [megabytes * 1_000_000 for megabytes in (*range(20, 100, 4), *range(100, 401, 50))]:
        if run_with(resource.RLIMIT_AS, limit, [voxcc.program, "--version"]).returncode != 0:
            continue  # the system cannot load the program
        done = run_with(resource.RLIMIT_AS, limit, [voxcc.program, *outputs_of(volume, tmp_path, "limited"), "-t", 4])
        ends.add(done.returncode)
        errors = [line for line in done.stderr.splitlines() if line.startswith("voxcc: error:")]
        if done.returncode == 0:
            assert digests(tmp_path, "limited") == expected and not errors
        else:
            assert done.returncode == 71 and len(errors) == 1 and "fault of voxcc" not in errors[0], (limit, done.stderr)
    if not ends:
        pytest.skip("the program does not start below 400 MB (sanitizers)")
    assert 0 in ends


def can_load(program, limit):
    """Whether the system can load the program and its libraries into this address space. The dynamic linker ends a process by 127; the kernel
    kills a process whose program file it cannot map completely."""
    end = run_with(resource.RLIMIT_AS, limit, [program, "--version"]).returncode
    too_small_for_the_file = limit < os.path.getsize(program) + 2_000_000
    return end != 127 and not (end == -signal.SIGSEGV and too_small_for_the_file)


def test_the_least_address_space_that_loads_the_program_is_no_crash(voxcc, tmp_path):
    """Just above this limit, allocation can fail in constructors of static objects or during the start of the HDF5 library."""
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file.create_dataset("v", data=np.ones((3, 4, 5), np.uint8))
    step = 50_000
    least, most = 0, 400_000_000
    while most - least > step:
        middle = (least + most) // 2
        loads = can_load(voxcc.program, middle)
        least, most = (least, middle) if loads else (middle, most)
    if most == 400_000_000:
        pytest.skip("the program does not start below 400 MB (sanitizers)")
    for command in (["--version"], ["label", tmp_path / "in.h5", "-t", 1]):
        ends = [run_with(resource.RLIMIT_AS, limit, [voxcc.program, *command]).returncode for limit in range(most, most + 4_000_000, step)]
        assert set(ends) <= {0, 71}, ends


def test_a_library_that_cannot_be_loaded_into_the_address_space_is_out_of_memory(voxcc, tmp_path):
    """voxcc loads ITK only for files that ITK reads, for example PNG."""
    sitk.WriteImage(sitk.GetImageFromArray(np.eye(16, dtype=np.uint8)), tmp_path / "in.png")
    voxcc("label", tmp_path / "in.png")
    limit = 50_000_000
    if run_with(resource.RLIMIT_AS, limit, [voxcc.program, "--version"]).returncode != 0:
        pytest.skip("the program does not start below 50 MB (sanitizers)")
    done = run_with(resource.RLIMIT_AS, limit, [voxcc.program, "label", tmp_path / "in.png", "-t", 1])
    assert done.returncode == 71 and "ITK" in done.stderr, done.stderr


def notes_about_threads(done):
    return [line for line in done.stderr.splitlines() if line.startswith("voxcc: note: threads: ")]


@pytest.mark.parametrize("processes", (0, 1, 2, 4))
@pytest.mark.parametrize("batch", (False, True))
def test_a_limit_on_processes_is_no_error(voxcc, public_folder, small, processes, batch):
    """The limit does not apply to root. If root runs the test, another user without processes runs the program."""
    volume, expected = small
    user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    data = volume.read_bytes()
    if user and subprocess.run([voxcc.program, "--version"], capture_output=True, **user, check=False).returncode != 0:
        pytest.skip("another user cannot start the program")
    inputs = [public_folder / name for name in ("first.nii.gz", "second.nii.gz", "third.nii.gz")[: 3 if batch else 1]]
    for copy in inputs:
        copy.write_bytes(data)
    command = [voxcc.program, "label", *inputs, "--device", "cpu", "-t", 9, "-j", len(inputs), "--stats", "-"]
    free = voxcc(*command[1:])
    done = run_with(resource.RLIMIT_NPROC, processes, command, **user)
    assert done.returncode == 0, done.stderr
    assert done.stdout == free.stdout
    assert len(notes_about_threads(done)) == 1


def test_a_plan_that_does_not_fit_is_an_error(voxcc, tmp_path, small):
    volume, _ = small
    done = voxcc("label", volume, "--device", "cpu", "--dry-run", "--max-memory", "100KB", expect=71)
    plan = json.loads(done.stdout)
    assert [volume["fits"] for volume in plan["volumes"]] == [False]
    assert "needs at least" in done.stderr and "--max-memory allows 100 kB" in done.stderr
    huge = write_nifti(tmp_path / "huge.nii", np.zeros((64, 1024, 1024), np.uint8))
    limit = plan["memory_bytes"] + 1_000_000
    done = voxcc("label", volume, huge, "--device", "cpu", "--per-slice", "y", "--shape", "--stats", tmp_path / "t{stem}.csv",
                 "--dry-run", "--max-memory", limit, expect=71)
    assert [volume["fits"] for volume in json.loads(done.stdout)["volumes"]] == [True, False]
    assert f"voxcc: error: {huge}: needs at least" in done.stderr
    voxcc("label", volume, "--device", "cpu", "--dry-run", "--max-memory", limit)


def test_slabs_compare_and_count_as_one_piece_does(voxcc, tmp_path):
    """Streaming must compare thresholds in float32 and count NaN voxels as labelling in one piece does."""
    image = np.random.default_rng(8).choice(np.array([0, 0.1, 1, np.nan], np.float32), (192, 64, 200), p=(0.2, 0.2, 0.5, 0.1))
    write_nifti(tmp_path / "in.nii", image)
    common = ["label", tmp_path / "in.nii", "--threshold", ">0.1", "--device", "cpu", "-t", 1, "-v", "-f"]
    need = json.loads(voxcc(*common, "-o", tmp_path / "slabs.nii", "--dry-run").stdout)["memory_bytes"]
    done = voxcc(*common, "-o", tmp_path / "slabs.nii", "--max-memory", need - 200_000)
    assert "streams" in done.stderr and f"contains NaN in {np.isnan(image).sum()} voxels" in done.stderr
    labels = np.asarray(nibabel.load(tmp_path / "slabs.nii").dataobj).T
    np.testing.assert_array_equal(labels > 0, image > 0.1)


@pytest.mark.parametrize("layout", [{"chunks": (64, 64, 64)}, {"chunks": (1, 400, 400)}, {"chunks": (32, 32, 32), "shards": (256, 256, 256)}])
def test_chunks_of_zarr_become_bits_one_by_one(voxcc, tmp_path, layout):
    """The voxels of a smooth volume need at most half a byte each, beyond the program itself."""
    volume = blobs((64, 50, 50), 0.4, 4.0)
    for axis in range(3):
        volume = volume.repeat(8, axis)
    for name, data in (("small", volume[:8, :8, :8]), ("large", volume)):
        zarr.create_array(tmp_path / name, shape=data.shape, dtype="u1", **layout)[:] = data
    small, large = (peak_of(voxcc.program, "label", tmp_path / name, "-t", 2, "--device", "cpu", "-q", "--stats", tmp_path / f"{name}.csv")
                    for name in ("small", "large"))
    assert large - small <= volume.size // 2
    assert json.loads(voxcc("label", tmp_path / "large", "-t", 2, "--device", "cpu", "--dry-run").stdout)["volumes"][0]["memory_bytes"] >= large - small
