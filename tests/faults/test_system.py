"""Rows 45 to 50, 52, 54, 55 and 60: limits, network file systems, GPUs, batches, environment, configuration, threads."""

import ctypes
import errno
import json
import os
import resource
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cases import EXPECTED, SUFFIXES, VOLUME, files_in, make, need_gpu, preloaded_library
from helpers import blobs, noise, read_nifti, read_table, sha256, write_nifti

CGROUPS = (Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup"))


class MemoryGroup:
    """A control group with a memory limit."""

    def __init__(self, folder, limit):
        self.folder, self.limit = folder, limit

    def set(self, mebibytes):
        (self.folder / self.limit).write_text(str(mebibytes << 20))

    def run(self, *command, **options):
        def join():
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, preexec_fn=join, timeout=300, check=False, **options)


@pytest.fixture
def memory_group():
    """Makes a control group; skips where the user or the system does not permit it."""
    limits = {"memory.limit_in_bytes": CGROUPS[0], "memory.max": CGROUPS[1]}
    folder = next((root / f"voxcc_test_{os.getpid()}" for root in CGROUPS if (root / "cgroup.procs").exists()), None)
    try:
        folder.mkdir()
        yield MemoryGroup(folder, next(name for name in limits if (folder / name).exists()))
    except (OSError, AttributeError, StopIteration) as error:
        pytest.skip(f"no control group with a memory limit can be made: {error}")
    finally:
        if folder and folder.exists():
            folder.rmdir()


def test_row45_memory_limit_of_a_control_group(voxcc, tmp_path, memory_group):
    """The limit of the group is the memory of the plan: the volume is labelled in less memory, or refused, and never killed."""
    path, target = tmp_path / "in.nii", tmp_path / "out.nii.gz"
    voxcc("generate", "blobs", "--shape", "400,400,300", "--density", "0.3", "-o", path, "-q")
    voxcc("label", path, "-c", 6, "-o", target, "-q")
    expected, ends = sha256(target), {}
    for mebibytes in (60, 40, 24, 16):
        target.unlink(missing_ok=True)
        memory_group.set(mebibytes)
        done = memory_group.run(voxcc.program, "label", path, "-c", 6, "-t", 1, "-o", target)
        ends[mebibytes] = done.returncode
        assert done.returncode in (0, 71), (mebibytes, done.returncode, done.stderr)
        if done.returncode == 0:
            assert sha256(target) == expected
        else:
            assert "needs at least" in done.stderr and "cgroups" in done.stderr and files_in(tmp_path) == ["in.nii"]
    assert ends[60] == 0 and ends[16] == 71


NOISE = {
    "in memory": (), "outputs": ("-o", "l.nii.gz", "--stats", "t.csv", "--json", "j.json", "--preview", "p.png"), "holes": ("--fill-holes",),
    "volumes": ("--masked-output", "m.nii.gz", "--size-output", "s.h5", "--mask-output", "k.tif"),
    "criteria": ("--min-size", "2", "--sort", "size"), "multi-label": ("--multilabel",), "intensity": ("--intensity", "in.nii", "--stats", "t.csv"),
    "slices": ("--per-slice", "x", "-c", "4"), "published": ("--algorithm", "uf")}


@pytest.mark.parametrize("threads", (1, 2))
@pytest.mark.parametrize("options", NOISE.values(), ids=NOISE)
def test_row45_noise_in_a_control_group(voxcc, tmp_path, memory_group, options, threads):
    """Noise has many more runs and components than the plan expects. The run ends with complete outputs or with 71, and is never killed."""
    write_nifti(tmp_path / "in.nii", (np.random.default_rng(1).integers(0, 10, (120, 200, 200)) // 7).astype(np.uint8))
    ends = []
    for mebibytes in (24, 40, 60, 80, 110, 160, 300, 600):
        for output in ("l.nii.gz", "t.csv", "j.json", "p.png", "m.nii.gz", "s.h5", "k.tif"):
            (tmp_path / output).unlink(missing_ok=True)
        memory_group.set(mebibytes)
        connectivity = () if "-c" in options else ("-c", 6)
        done = memory_group.run(voxcc.program, "label", "in.nii", *connectivity, *options, "-t", threads, "-q", cwd=tmp_path)
        ends.append(done.returncode)
        assert done.returncode in (0, 71), (mebibytes, done.returncode, done.stderr)
        assert done.returncode == 0 or files_in(tmp_path) == ["in.nii"]
    assert ends[0] == 71 and ends[-1] == 0, ends


def test_row45_noise_is_labelled_in_thin_slabs(voxcc, tmp_path):
    """Noise needs more memory than planned, but its few components fit. The labels are equal to the labels in one piece."""
    path = write_nifti(tmp_path / "in.nii", (np.random.default_rng(1).random((300, 200, 200)) < 0.6).astype(np.uint8))
    voxcc("label", path, "-c", 6, "-o", tmp_path / "all.nii", "--stats", tmp_path / "all.csv")
    done = voxcc("label", path, "-c", 6, "-o", tmp_path / "thin.nii", "--stats", tmp_path / "thin.csv", "--max-memory", "36MB", "-t", 1, "-v")
    assert "starts again and streams" in done.stderr
    for suffix in ("nii", "csv"):
        assert (tmp_path / f"thin.{suffix}").read_bytes() == (tmp_path / f"all.{suffix}").read_bytes()
    refused = voxcc.fails(71, "label", path, "-c", 26, "--fill-holes", "--max-memory", "36MB", "-t", 1)
    assert "has too many components for the memory: --max-memory allows 36 MB" in refused


def limited(which, amount):
    return lambda: resource.setrlimit(which, (amount, amount))


@pytest.mark.parametrize("name, limit", [("files", (resource.RLIMIT_NOFILE, 16)), ("stack", (resource.RLIMIT_STACK, 256 << 10)),
                                         ("processor", (resource.RLIMIT_CORE, 0))], ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row46_other_limits(voxcc, tmp_path, suffix, name, limit):
    """test_memory.py tests the limits on processes and on address space."""
    path = make(voxcc, tmp_path, suffix)
    environment = {**os.environ, "TMPDIR": "/dev/full"}
    for target in ("out.nii.gz", "out.tif", "out.h5"):
        voxcc("label", path, "-c", 26, "-t", 4, "-o", tmp_path / target, "-f", env=environment, preexec_fn=limited(*limit))
    assert read_nifti(tmp_path / "out.nii.gz").max() > 0, name


@pytest.fixture(scope="module")
def faulty_io():
    return preloaded_library("faulty_io", "FAULTS_FAULTY_IO")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row47_short_and_interrupted_transfers(voxcc, tmp_path, faulty_io, suffix):
    path = make(voxcc, tmp_path, suffix)
    for target in ("out.nii.gz", "out.tif", "out.h5", "out.nrrd", "t.csv"):
        digests = set()
        for environment in (os.environ, {**os.environ, "LD_PRELOAD": str(faulty_io), "FAULTY_IO_FLOCK": str(errno.ENOLCK)}):
            voxcc("label", path, "--stats" if target == "t.csv" else "-o", tmp_path / target, "-f", env=environment)
            digests.add(sha256(tmp_path / target))
        assert len(digests) == 1, target


needs_strace = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")


@needs_strace
@pytest.mark.parametrize("error", ("EIO", "ESTALE", "EINTR"))
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row47_failed_reads_and_writes(voxcc, tmp_path, suffix, error):
    """A call that ends with EINTR is repeated. Other errors, here from the second call of each thread on, end with 74."""
    calls = "1" if error == "EINTR" else "2+"
    path = make(voxcc, tmp_path, suffix)
    intact = voxcc("label", path, "--stats", "-").stdout
    for call, arguments in (("pread64", ["--stats", "-"]), ("pwrite64", ["-o", str(tmp_path / "out.nii")])):
        only_input = ["-P", str(path)] if call == "pread64" else []
        strace = ["strace", "-f", "-qq", "-o", "/dev/null", *only_input, "-e", f"inject={call}:error={error}:when={calls if call == 'pread64' else 1}"]
        done = subprocess.run([*strace, voxcc.program, "label", str(path), *arguments, "-f"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60, check=False)
        if "ptrace" in done.stderr:
            pytest.skip("strace cannot trace")
        assert done.returncode == (0 if error == "EINTR" else 74), (call, done.returncode, done.stderr)
        if error == "EINTR" and call == "pread64":
            assert done.stdout == intact
    assert ("out.nii" in files_in(tmp_path)) == (error == "EINTR")


def test_row48_no_usable_gpu(voxcc, tmp_path):
    path = write_nifti(tmp_path / "in.nii", VOLUME)
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    voxcc("label", path, "-c", 6, "--device", "auto", "-o", tmp_path / "out.nii", env=environment)
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), EXPECTED)
    for device in ("cuda", "cuda:7"):
        voxcc.fails(69, "label", path, "--device", device, "-o", tmp_path / "no.nii", env=environment)
    assert not (tmp_path / "no.nii").exists()


class FilledGpu:
    """Holds memory of the first GPU, so that other processes can allocate only a given number of bytes."""

    def __init__(self, left):
        self.driver = ctypes.CDLL("libcuda.so.1")
        device, self.context, free, total = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuCtxCreate_v2", ctypes.byref(self.context), 0, device)
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        self.call("cuMemAlloc_v2", ctypes.byref(ctypes.c_uint64()), ctypes.c_size_t(free.value - left))

    def call(self, name, *arguments):
        assert getattr(self.driver, name)(*arguments) == 0, name

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.call("cuCtxDestroy_v2", self.context)


@pytest.mark.long
def test_row49_no_gpu_memory(voxcc, tmp_path):
    """While another process holds the memory of the GPU, each run ends with the labels of the CPU or with 71."""
    need_gpu(voxcc, tmp_path)
    path = write_nifti(tmp_path / "in.nii", blobs((200, 300, 400)))
    voxcc("label", path, "--device", "cpu", "-o", tmp_path / "cpu.nii")
    codes = []
    for mebibytes in (50, 250, 400, 450, 500, 525, 550, 575, 600, 650, 700, 800, 1000, 1200):
        with FilledGpu(mebibytes << 20):
            done = subprocess.run([voxcc.program, "label", path, "--device", "cuda", "-f", "-o", tmp_path / "gpu.nii"],
                                  capture_output=True, timeout=300, check=False)
        codes.append(done.returncode)
        assert done.returncode in (0, 71), (mebibytes, done.returncode, done.stderr)
        assert (tmp_path / "gpu.nii").exists() == (done.returncode == 0)
        if done.returncode == 0:
            assert sha256(tmp_path / "gpu.nii") == sha256(tmp_path / "cpu.nii")
            (tmp_path / "gpu.nii").unlink()
    assert codes[0] == 71 and codes[-1] == 0, codes


@pytest.mark.long
def test_row50_gpu_that_disappears(voxcc, tmp_path):
    """Processes of GPUs that the driver refuses end with 69, 70 or 71, and write nothing."""
    need_gpu(voxcc, tmp_path)
    path = write_nifti(tmp_path / "in.nii", VOLUME)
    for variables in ({"CUDA_VISIBLE_DEVICES": "99"}, {"CUDA_FORCE_PTX_JIT": "1", "CUDA_DISABLE_PTX_JIT": "1"}):
        done = subprocess.run([voxcc.program, "label", str(path), "--device", "cuda", "-o", str(tmp_path / "no.nii")], capture_output=True,
                              env={**os.environ, **variables}, check=False)
        assert done.returncode in (69, 70, 71) and not (tmp_path / "no.nii").exists()


@pytest.mark.long
def test_row51_compute_sanitizer():
    binary = os.environ.get("FAULTS_KERNELS_TEST")
    if not binary or not shutil.which("compute-sanitizer"):
        pytest.skip("needs compute-sanitizer, and FAULTS_KERNELS_TEST with kernels_test of the preset racecheck")
    subprocess.run([Path(__file__).parent / "sanitize_gpu.sh", binary], check=True)


@pytest.mark.parametrize("count, jobs", [(60, 1), (60, 4), pytest.param(1000, 4, marks=pytest.mark.long)])
def test_row52_large_batches(voxcc, tmp_path, count, jobs):
    """3 damaged inputs, 1 missing input and 1 empty volume between intact volumes. A stem twice is an error before any work."""
    (tmp_path / "in").mkdir()
    (tmp_path / "again").mkdir()
    arrays = {f"v{n:04}": noise((4, 5, 6), 0.3, seed=n) for n in range(count)}
    arrays["v0005"] = np.zeros((4, 5, 6), np.uint8)
    for stem, array in arrays.items():
        write_nifti(tmp_path / "in" / f"{stem}.nii", array)
    damaged = ("v0003", "v0010", "v0031")
    for stem in damaged:
        os.truncate(tmp_path / "in" / f"{stem}.nii", 400)
    write_nifti(tmp_path / "again" / "v0007.nii", arrays["v0007"])
    (tmp_path / "list").write_text("".join(f"in/{stem}.nii\n" for stem in arrays) + "again/v0007.nii\n")
    command = ["label", "--list", "list", "-o", "out/{stem}.nii", "--mkdir", "-j", jobs, "--json", "run.json", "--stats", "all.csv", "-c", 6]
    assert "again/v0007.nii: would write 'out/v0007.nii'" in voxcc.fails(64, *command, cwd=tmp_path)
    assert not (tmp_path / "out").exists()
    (tmp_path / "again" / "v0007.nii").rename(tmp_path / "again" / "w0007.nii")
    (tmp_path / "list").write_text((tmp_path / "list").read_text().replace("again/v0007.nii", "again/w0007.nii\nagain/absent.nii"))
    voxcc(*command, cwd=tmp_path, expect=1, timeout=600)
    failed = [failure["input"] for failure in json.loads((tmp_path / "run.json").read_text())["failed"]]
    assert sorted(failed) == sorted([f"in/{stem}.nii" for stem in damaged] + ["again/absent.nii"])
    intact = [stem for stem in arrays if stem not in damaged]
    assert files_in(tmp_path / "out") == [f"{stem}.nii" for stem in [*intact, "w0007"]]
    rows = read_table(tmp_path / "all.csv")
    for stem in intact:
        assert sum(row["voxels"] for row in rows if row["file"] == f"in/{stem}.nii") == arrays[stem].sum()


def test_row54_locale_umask_folder_and_names(voxcc, tmp_path):
    text = tmp_path / "müller_Ñ.nii"
    write_nifti(text, noise((5, 6, 7), 0.3))
    latin = os.path.join(os.fsencode(tmp_path), b"m\xfcller.nii")
    shutil.copyfile(text, latin)
    tables = set()
    for locale in ("C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "de_DE"):
        environment = {**os.environ, "LC_ALL": locale, "LANG": locale}
        for path in (os.fsencode(text), latin):
            done = subprocess.run([os.fsencode(voxcc.program), b"label", path, b"--stats", b"-"], env=environment, capture_output=True, check=False)
            assert done.returncode == 0, done.stderr
            tables.add(done.stdout)
    assert len(tables) == 1
    for mask, mode in ((0o077, 0o600), (0o022, 0o644), (0o777, 0)):
        voxcc("label", text, "-o", tmp_path / "out.nii.gz", preexec_fn=lambda mask=mask: os.umask(mask) and None)
        assert (tmp_path / "out.nii.gz").stat().st_mode & 0o777 == mode
        (tmp_path / "out.nii.gz").unlink()
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
    done = subprocess.run(["bash", "-c", script, "bash", voxcc.program, "label", str(text), "-o", str(tmp_path / "out.nii")], capture_output=True, check=False)
    assert done.returncode == 0 and (tmp_path / "out.nii").exists(), done.stderr


BAD_CONFIGURATIONS = ("unknown = 1", "[label]\nunknown = 1", "threads = \"many\"", "threads = [1, 2]", "connectivity = 7", "threads =", "\x00",
                      "threads = 1\nthreads = 2 = 3", "threshold = [")


@pytest.mark.parametrize("text", BAD_CONFIGURATIONS, ids=range(len(BAD_CONFIGURATIONS)))
def test_row55_bad_configuration(voxcc, tmp_path, text):
    path = write_nifti(tmp_path / "in.nii", VOLUME)
    (tmp_path / "c.toml").write_text(text)
    done = subprocess.run([voxcc.program, "label", str(path), "--config", str(tmp_path / "c.toml"), "-o", str(tmp_path / "out.nii")],
                          capture_output=True, text=True, check=False)
    assert done.returncode in (64, 78) and done.stderr.count("voxcc: error:") == 1, (done.returncode, done.stderr)
    assert not (tmp_path / "out.nii").exists()


def test_row55_order_of_precedence(voxcc, tmp_path):
    """Flag, then environment, then file."""
    path = write_nifti(tmp_path / "in.nii", (np.indices((6, 6, 6)).sum(0) % 2 == 0).astype(np.uint8))
    (tmp_path / "c.toml").write_text("connectivity = 6\n")

    def components(*arguments, **variables):
        return voxcc("label", path, "--stats", "-", *arguments, env={**os.environ, **variables}).stdout.count("\n") - 1

    assert components() == 1
    assert components("--config", tmp_path / "c.toml") == 108
    assert components("--config", tmp_path / "c.toml", VOXCC_CONNECTIVITY="18") == 1
    assert components("-c", "6", VOXCC_CONNECTIVITY="18") == 108
    assert components("--config", tmp_path / "c.toml", "-c", "26", VOXCC_CONNECTIVITY="6") == 1
    voxcc.fails(78, "label", path, env={**os.environ, "VOXCC_CONECTIVITY": "6"})
    voxcc("label", path, "--config", tmp_path / "absent.toml", expect=66)


def test_row60_threads_give_one_result(voxcc, tmp_path):
    """The preset tsan of .ci/run runs kernels_test with the thread sanitizer."""
    path = write_nifti(tmp_path / "in.nii", blobs((40, 60, 130), 0.4, 1.0))
    digests = set()
    for run in range(20):
        voxcc("label", path, "-t", 1 + run % 8, "-o", tmp_path / "out.nii", "-f", "-q")
        digests.add(sha256(tmp_path / "out.nii"))
    assert len(digests) == 1


@pytest.mark.long
def test_row60_1000_runs_on_a_gpu(voxcc, tmp_path):
    """10 processes label one volume 100 times each."""
    need_gpu(voxcc, tmp_path)
    path = write_nifti(tmp_path / "in.nii", blobs((40, 60, 130), 0.4, 1.0))
    voxcc("label", path, "--device", "cpu", "-o", tmp_path / "cpu.nii")
    digests = {sha256(tmp_path / "cpu.nii")}
    copies = [tmp_path / f"{n:03}.nii" for n in range(100)]
    for copy in copies:
        os.link(path, copy)
    for _ in range(10):
        voxcc("label", *copies, "--device", "cuda", "-o", tmp_path / "{stem}-labels.nii", "-f", "-q")
        digests |= {sha256(tmp_path / f"{copy.stem}-labels.nii") for copy in copies}
    assert len(digests) == 1
