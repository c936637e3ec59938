"""Rows 34, 35, 38, 41 to 43: outputs that exist, a full disk, several writers, other programs that read, repeated runs."""

import json
import os
import resource
import subprocess

import h5py
import nibabel
import numpy as np
import pytest
import SimpleITK
import tifffile
from cases import files_in
from helpers import label_scipy, noise, read_table, sha256, write_nifti

OUTPUTS = ("out.nii", "out.nii.gz", "out.tif", "out.h5", "out.nrrd", "out.mha", "out.npy", "slices/s%04d.tif", "folder/")
LIMITS = (0, 1, 100, 352, 900)  # file size limits in bytes; every output is larger, including slices of 960 voxels
VOLUME = noise((30, 31, 32), 0.3)


@pytest.fixture
def volume(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    return write_nifti(tmp_path / "in" / "volume.nii", VOLUME)


@pytest.fixture
def out(tmp_path, volume):
    return tmp_path / "out"


def test_row34_odd_inputs_leave_no_output(voxcc, tmp_path, out):
    voxcc.fails(66, "label", tmp_path / "absent.nii", "-o", out / "out.nii")
    (tmp_path / "text.nii").write_text("not a volume")
    voxcc.fails(65, "label", tmp_path / "text.nii", "-o", out / "out.nii")
    assert files_in(out) == []


@pytest.mark.parametrize("name", OUTPUTS)
def test_row35_disk_full(voxcc, volume, out, name):
    """A file size limit below the size of the output has the same effect as a full disk."""
    if name.startswith("slices"):
        (out / "slices").mkdir()
    for limit in LIMITS:
        line = voxcc.fails(74, "label", volume, "-o", f"{out}/{name}", "--compress", "0",
                           preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        assert name.split("/")[0].split(".")[0] in line
        assert files_in(out) == []
    assert not (out / "folder").exists()


@pytest.mark.parametrize("name", OUTPUTS[:7])
def test_row35_disk_full_at_the_last_bytes(voxcc, volume, out, name):
    """The old file stays as it was."""
    target = out / name
    voxcc("label", volume, "-o", target, "--compress", "0")
    size = target.stat().st_size
    target.write_text("old")
    for limit in (size // 2, size - 4096, size - 1):
        voxcc.fails(74, "label", volume, "-o", target, "--compress", "0", "-f",
                    preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        assert target.read_text() == "old" and files_in(out) == [name]


OTHER_OUTPUTS = {"out.csv": "--stats", "out.tsv": "--stats", "out.json": "--json", "out.png": "--preview", "out.nii": "--masked-output",
                 "out.h5": "--masked-output", "out.tif": "--size-output", "folder/": "--mask-output"}


@pytest.mark.parametrize("name", OTHER_OUTPUTS)
def test_row35_disk_full_for_other_outputs(voxcc, volume, out, name):
    option = OTHER_OUTPUTS[name]
    voxcc.fails(74, "label", volume, option, f"{out}/{name}", "-c", 6, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)))
    assert files_in(out) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
@pytest.mark.parametrize("kib", (16, 32, 64, 100))
def test_row35_full_file_system(voxcc, volume, out, kib):
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", out], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"a file system cannot be mounted: {mounted.stderr.strip()}")
    try:
        for name in ("out.tif", "out.h5", "out.nrrd", "out.npy", "folder/"):
            code = voxcc_code(voxcc, "label", volume, "-c", 6, "-o", f"{out}/{name}", "--compress", "0", "--dtype", "uint64")
            assert code == 74 and files_in(out) == []
    finally:
        subprocess.run(["umount", out], check=True)


def voxcc_code(voxcc, *arguments):
    return subprocess.run([voxcc.program, *map(str, arguments)], capture_output=True, check=False).returncode


def test_row35_disk_full_for_the_table_takes_the_volume_along(voxcc, tmp_path, out):
    """A run publishes both outputs or none."""
    volume = write_nifti(tmp_path / "in" / "sparse.nii", (np.indices((20, 20, 20)) % 2 == 0).all(0).astype(np.uint8))
    voxcc.fails(74, "label", volume, "-o", out / "out.nii.gz", "--stats", out / "out.csv", "-c", "6",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)))
    assert files_in(out) == []


def test_row35_stdout_that_cannot_be_written(voxcc, volume):
    with open("/dev/full", "w") as full:
        for command in (["label", volume, "--stats", "-"], ["info", volume], ["algorithms"]):
            done = subprocess.run([voxcc.program, *command], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            assert done.returncode == 74, (command, done.stderr)
            assert "voxcc: error: stdout" in done.stderr


def test_row38_existing_output_is_refused(voxcc, volume, out):
    for name in ("out.nii.gz", "out.csv"):
        (out / name).write_text("mine")
    assert "--force" in voxcc.fails(73, "label", volume, "-o", out / "out.nii.gz")
    voxcc.fails(73, "label", volume, "--stats", out / "out.csv")
    assert (out / "out.nii.gz").read_text() == (out / "out.csv").read_text() == "mine"
    voxcc("label", volume, "-o", out / "out.nii.gz", "--stats", out / "out.csv", "-f")
    assert len(read_table(out / "out.csv")) > 0


def test_row38_input_is_never_overwritten(voxcc, volume, out):
    """tests/python/test_outputs.py tests every kind of input and output."""
    before = sha256(volume)
    os.link(volume, out / "hard.nii")
    os.symlink(volume, out / "soft.nii")
    for target in (volume, out / "hard.nii", out / "soft.nii"):
        voxcc.fails(73, "label", volume, "-o", target, "-f")
    assert sha256(volume) == before


@pytest.mark.parametrize("name", ("out.nii", "out.nii.gz", "out.h5", "out.tif"))
def test_row41_two_processes_write_one_output(voxcc, tmp_path, volume, out, name):
    """Two inputs with different labels: the target is complete, and from one of them."""
    other = write_nifti(tmp_path / "in" / "other.nii", 1 - VOLUME)
    expected = set()
    for source in (volume, other):
        voxcc("label", source, "-o", out / name)
        expected.add(sha256(out / name))
        (out / name).unlink()
    for force in ([], ["-f"]):
        runs = [subprocess.Popen([voxcc.program, "label", str(source), "-o", str(out / name), *force], stderr=subprocess.DEVNULL)
                for source in (volume, other) * 3]
        codes = [run.wait(60) for run in runs]
        assert set(codes) <= {0, 73} and 0 in codes and (not force or set(codes) == {0})
        assert sha256(out / name) in expected and files_in(out) == [name]
        (out / name).unlink()


def test_row42_outputs_in_other_programs(voxcc, volume, out):
    expected, affine = label_scipy(VOLUME, 6), np.array([[-2, 0, 0, 5], [0, 0, 3, -7], [0, 1.5, 0, 11], [0, 0, 0, 1]], float)
    write_nifti(volume, VOLUME, affine)
    for name in OUTPUTS[:7]:
        voxcc("label", volume, "-c", 6, "-o", out / name)
    for name in ("out.nii", "out.nii.gz"):
        image = nibabel.load(out / name)
        np.testing.assert_array_equal(np.asarray(image.dataobj).T, expected)
        np.testing.assert_array_equal(image.affine, affine)
        assert image.get_data_dtype() in (np.uint8, np.int16, np.int32)
    np.testing.assert_array_equal(tifffile.imread(out / "out.tif"), expected)
    with h5py.File(out / "out.h5") as file:
        np.testing.assert_array_equal(file["labels"][:], expected)
    np.testing.assert_array_equal(np.load(out / "out.npy").T, expected)
    for name in ("out.nrrd", "out.mha", "out.nii.gz"):
        image = SimpleITK.ReadImage(str(out / name))
        np.testing.assert_array_equal(SimpleITK.GetArrayFromImage(image), expected)
        np.testing.assert_allclose(image.TransformIndexToPhysicalPoint((1, 2, 3)), (affine @ (1, 2, 3, 1))[:3] * (-1, -1, 1), atol=1e-9)


@pytest.mark.parametrize("name", ("out.nii.gz", "out.tif", "out.h5", "out.nrrd", "out.mha", "out.npy"))
def test_row43_repeated_runs(voxcc, tmp_path, out, name):
    """The same bytes with 1 to 16 threads, and in slabs."""
    path = write_nifti(tmp_path / "in" / "large.nii", noise((192, 64, 200), 0.2))
    need = json.loads(voxcc("label", path, "-o", out / name, "--stats", out / "t.csv", "-t", 1, "--dry-run").stdout)["memory_bytes"]
    digests = set()
    for given in (["-t", 1], ["-t", 2], ["-t", 7], ["-t", 16], ["-t", 1, "--max-memory", need - 200_000], ["-t", 1]):
        done = voxcc("label", path, "-o", out / name, "--stats", out / "t.csv", "-f", "-v", *given)
        assert ("streams" in done.stderr) == ("--max-memory" in given)
        digests.add((sha256(out / name), sha256(out / "t.csv")))
    assert len(digests) == 1
