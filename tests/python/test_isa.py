"""--isa: every instruction set of the processor gives the same bytes, and an instruction set that the processor lacks is an error."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from helpers import noise, voronoi, write_nifti

SETS = ("portable", "avx2", "avx512")
SHAPE = (9, 21, 331)  # rows of five complete words of 64 voxels and one incomplete word


def sets_of(program):
    """The instruction sets of the processor, and the one that the program uses, from `voxcc --version`."""
    text = subprocess.run([*program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    sets, used = re.search(r"^instruction sets: (.*); used: (\w+)$", text, re.MULTILINE).groups()
    return sets.split(), used


@pytest.fixture(scope="module")
def sets(voxcc):
    """The instruction sets of this processor."""
    found, used = sets_of([voxcc.program])
    assert found == [name for name in SETS if name in found] and found[0] == "portable" and used == found[-1]
    if len(found) == 1:
        pytest.skip("this processor has only the portable instruction set")
    return found


def waves(dtype, scale):
    """Values of a smooth sum of waves and noise, with negative values for signed types."""
    z, y, x = np.meshgrid(*map(np.arange, SHAPE), indexing="ij")
    values = np.sin(x / 7) + np.cos(y / 5) * np.sin(z / 3) + noise(SHAPE, 0.5, seed=3) / 4
    if not np.issubdtype(dtype, np.signedinteger) and not np.issubdtype(dtype, np.floating):
        values = values + 3
    return (values * scale).astype(dtype)


def with_special_values(values):
    """Replaces some values by NaN, infinities and -0."""
    values = values.copy()
    for start, special in enumerate((np.nan, np.inf, -np.inf, -0.0)):
        values.reshape(-1)[start::37] = special
    return values


VOLUMES = {
    "binary": noise(SHAPE, 0.4, seed=1),
    "few": noise(SHAPE, 0.002, seed=2),
    "solid": np.ones(SHAPE, np.uint8),
    "labels8": voronoi(SHAPE, 20, seed=4).astype(np.uint8),
    "labels32": voronoi(SHAPE, 600, seed=5).astype(np.uint32),
    "u8": waves(np.uint8, 40),
    "u16": waves(np.uint16, 9000),
    "i16": waves(np.int16, 9000),
    "i32": waves(np.int32, 5e8),
    "u64": waves(np.uint64, 2**60),
    "f32": waves(np.float32, 1.5),
    "f64": with_special_values(waves(np.float64, 1e-3)),
    "special": with_special_values(waves(np.float32, 1.5)),
}

# A name of VOLUMES, and options.
RUNS = [
    *(("binary", "-c", connectivity) for connectivity in (6, 18, 26)),
    ("binary", "--invert", "-c", 6),
    ("binary", "--sort", "size", "--min-size", 3),
    ("binary", "--per-slice", "y"),
    ("binary", "--fill-holes"),
    ("binary", "--periodic", "xy"),
    *(("binary", "--dtype", dtype) for dtype in ("uint16", "uint32", "uint64")),
    ("few", "--dtype", "uint8"),
    ("solid",),
    *(("labels8", "--multilabel", "-c", connectivity) for connectivity in (6, 26)),
    *(("labels32", "--multilabel", "-c", connectivity) for connectivity in (18, 26)),
    ("special", "--multilabel"),
    ("i16", "--threshold", ">100"),
    ("u64", "--threshold", f">={2**61}"),
    ("f32", "--threshold", "-0.5:0.75"),
    ("special", "--threshold", "-1:1"),
    ("special", "--invert"),
    *((volume, "--threshold", rule) for volume in ("u8", "u16", "i16", "i32", "u64", "f32", "f64") for rule in ("otsu", "p60")),
    *(("binary", "--intensity", f"{volume}.nii") for volume in ("u8", "i16", "f32", "special")),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("isa")
    for name, volume in VOLUMES.items():
        write_nifti(folder / f"{name}.nii", volume)
    return folder


def same_bytes(files):
    return len({path.read_bytes() for path in files}) == 1


@pytest.mark.parametrize("run", RUNS, ids=lambda run: "-".join(map(str, run)))
def test_label_writes_the_same_bytes(voxcc, sets, folder, run):
    name, *options = run
    labels, tables = ([folder / f"{name}_{isa}{extension}" for isa in sets] for extension in (".nrrd", ".csv"))  # NRRD: also uint64
    for isa, volume, table in zip(sets, labels, tables):
        voxcc("label", f"{name}.nii", *options, "--isa", isa, "-o", volume, "--stats", table, "--compress", 0, "--force", "-q", cwd=folder)
    assert same_bytes(labels) and same_bytes(tables)
    assert len(tables[0].read_text().splitlines()) > 1  # at least one component


@pytest.mark.parametrize("image", ("u8", "i16", "i32", "u64", "f32", "f64"))
@pytest.mark.parametrize("labels", ("labels8", "labels32"))
def test_stats_writes_the_same_bytes(voxcc, sets, folder, labels, image):
    tables = [folder / f"stats_{isa}.csv" for isa in sets]
    for isa, table in zip(sets, tables):
        voxcc("stats", f"{labels}.nii", "--intensity", f"{image}.nii", "--isa", isa, "-o", table, "--force", "-q", cwd=folder)
    assert same_bytes(tables) and len(tables[0].read_text().splitlines()) > 10


def test_summary_and_messages_name_the_set(voxcc, sets, folder):
    for isa in sets:
        done = voxcc("label", "few.nii", "--isa", isa, "--json", "-", "-v", cwd=folder)
        assert f'"instructions": "{isa}"' in done.stdout and f"block-runs ({isa})" in done.stderr
    assert f'"instructions": "{sets[-1]}"' in voxcc("label", "few.nii", "--isa", "auto", "--json", "-", cwd=folder).stdout


def test_bench_runs_with_each_set(voxcc, sets):
    for isa in sets:
        done = voxcc("bench", "--algorithms", "block-runs", "--volumes", "solid", "--size", 16, "--isa", isa, "--csv", "-")
        assert "block-runs" in done.stdout


def emulated(program, cpu):
    """The program on another processor, which qemu emulates. Skips the test if qemu is not installed or does not start the program."""
    if not shutil.which("qemu-x86_64"):
        pytest.skip("qemu-x86_64 is not installed (Debian: qemu-user)")
    command = ["qemu-x86_64", "-cpu", cpu, program]
    if subprocess.run([*command, "--version"], capture_output=True, check=False).returncode != 0:
        pytest.skip("qemu-x86_64 cannot run this program")
    return command


@pytest.mark.parametrize("cpu, expected", [("Nehalem", ["portable"]), ("Haswell", ["portable", "avx2"])])
def test_missing_set_is_an_error(voxcc, folder, tmp_path, cpu, expected):
    program = emulated(voxcc.program, cpu)
    assert sets_of(program) == (expected, expected[-1])
    for arguments in (["label", "few.nii", "-o", tmp_path / "out.nii"], ["stats", "labels8.nii", "-o", tmp_path / "out.csv"],
                      ["bench", "--csv", tmp_path / "out.csv"]):
        done = subprocess.run([*program, *map(str, arguments), "--isa", "avx512"], cwd=folder, capture_output=True, text=True, check=False)
        errors = [line for line in done.stderr.splitlines() if not line.startswith("qemu-x86_64: warning:")]
        message = "--isa avx512: this processor does not support the instruction set; use one of " + ", ".join(expected)
        assert (done.returncode, done.stdout, errors) == (69, "", [f"voxcc: error: {message}"])
        assert list(tmp_path.iterdir()) == []


def test_emulated_processor_writes_the_same_bytes(voxcc, folder, tmp_path):
    """The widest set of a processor is used without --isa."""
    program = emulated(voxcc.program, "Haswell")
    subprocess.run([*program, "label", "few.nii", "-o", tmp_path / "emulated.nii", "-q"], cwd=folder, check=True)
    voxcc("label", "few.nii", "-o", tmp_path / "native.nii", "-q", cwd=folder)
    assert same_bytes([tmp_path / "emulated.nii", tmp_path / "native.nii"])
