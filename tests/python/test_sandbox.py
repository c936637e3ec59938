"""The rights of the processes that parse untrusted files, and what happens if the kernel does not restrict them.

tests/sandbox/probe.c makes all system calls in such a process. tests/sandbox/calls.txt lists what each of them must return."""

import ctypes
import os
import platform
import re
import struct
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np
import PIL.Image
import pytest
from conftest import REPOSITORY
from helpers import landlock_version, noise, write_nifti
from jpeg2000_files import encode

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the lists of system calls are for x86-64")

KINDS = {"HDF5": "in.h5", "TIFF codec": "in.tif", "JPEG 2000": "in.jp2", "ITK": "in.png"}
OPENS_FILES = {"JPEG 2000", "ITK"}
NOBODY = 65534
PRCTL, SET_SECCOMP = 157, 22
CREATE_RULESET, RESTRICT_SELF = 444, 446  # of Landlock
EINVAL, ENOSYS, EPERM = 22, 38, 1


def refuse_call(number, error, first_argument=None):
    """Returns a function for preexec_fn: a system call of the program, and of its processes, fails with this error."""
    load, equal, answer = 0x20, 0x15, 0x06
    steps = [(load, 0, 0, 0), (equal, 0, 1 if first_argument is None else 3, number)]
    if first_argument is not None:
        steps += [(load, 0, 0, 16), (equal, 0, 1, first_argument)]
    steps += [(answer, 0, 0, 0x00050000 | error), (answer, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)

    def install():
        libc, buffer = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(code)
        program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(buffer)))
        assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(SET_SECCOMP, 2, program) == 0, os.strerror(ctypes.get_errno())

    return install


no_landlock = refuse_call(CREATE_RULESET, ENOSYS)
no_seccomp = refuse_call(PRCTL, EINVAL, SET_SECCOMP)


@pytest.fixture(scope="module")
def probe():
    built = Path(os.environ.get("SANDBOX_PROBE") or REPOSITORY / "build" / "tests" / "libsandbox_probe.so")
    if not built.exists():
        pytest.skip(f"there is no {built}: build the target sandbox_probe")
    return built


@pytest.fixture
def inputs(public_folder):
    image = (np.random.default_rng(1).random((16, 24)) < 0.3).astype(np.uint8)
    with h5py.File(public_folder / "in.h5", "w") as file:
        file.create_dataset("volume", data=np.stack([image, image]))
    PIL.Image.fromarray(image.astype(bool)).save(public_folder / "in.tif", compression="group4")
    (public_folder / "in.jp2").write_bytes(encode(image))
    PIL.Image.fromarray(image * 255).save(public_folder / "in.png")
    write_nifti(public_folder / "in.nii", noise((4, 5, 6), 0.3))
    other = public_folder / "other"
    other.mkdir(mode=0o777)
    other.chmod(0o777)
    (other / "secret.txt").write_text("secret")
    (other / "secret.txt").chmod(0o644)
    return public_folder


def expected_calls(column):
    rows = {}
    for line in (REPOSITORY / "tests" / "sandbox" / "calls.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, *results = (cell.strip() for cell in line.split("|"))
            if results[column] != "-":
                rows[name] = results[column]
    return rows


def probed_calls(voxcc, probe, folder, kind, user, preexec):
    """What the system calls return in a process that parses a file of this kind, and whether another process of the user is alive."""
    identity = {"user": user, "group": user, "extra_groups": []} if user else {}
    victim = subprocess.Popen(["sleep", "60"], **identity)
    try:
        report = folder / "other" / f"report-{user}"
        report.unlink(missing_ok=True)
        environment = {**os.environ, "LD_PRELOAD": str(probe), "SANDBOX_REPORT": str(report), "SANDBOX_FOLDER": str(folder / "other"),
                       "SANDBOX_VICTIM": str(victim.pid)}
        subprocess.run([voxcc.program, "label", folder / KINDS[kind], "--stats", "-", "-q", "-t", "1"], env=environment, preexec_fn=preexec,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False, **identity)
        time.sleep(0.1)
        lines = report.read_bytes().rstrip(b"\0").decode().splitlines()
        assert lines[0] == "begin" and lines[-1] == "end"
        return dict(line.split(": ") for line in lines[1:-1]), victim.poll() is None
    finally:
        victim.kill()
        victim.wait()


@pytest.mark.parametrize("landlock", [True, False], ids=["Landlock", "no Landlock"])
@pytest.mark.parametrize("user", [0, NOBODY], ids=["root", "nobody"])
@pytest.mark.parametrize("kind", KINDS)
def test_calls(voxcc, probe, inputs, kind, user, landlock):
    """The complete list of what the process can do. Nothing that it does ends another process."""
    if landlock and not landlock_version():
        pytest.skip("the kernel has no Landlock: the list without it is tested")
    if user != os.getuid() and os.getuid() != 0:
        pytest.skip("only root can run the program as another user")
    if user == 0 and os.getuid() != 0:
        pytest.skip("needs root")
    calls, is_alive = probed_calls(voxcc, probe, inputs, kind, user, None if landlock else no_landlock)
    assert calls == expected_calls(0 if kind not in OPENS_FILES else 1 if landlock else 2)
    assert is_alive


def test_version(voxcc):
    line = re.search(r"^sandbox: (.*)$", voxcc("--version").stdout, re.MULTILINE)[1]
    assert line == "seccomp" + (f", Landlock {landlock_version()}" if landlock_version() else "")
    assert "\nsandbox: seccomp\n" in voxcc("--version", preexec_fn=no_landlock).stdout
    assert "\nsandbox: none\n" in voxcc("--version", preexec_fn=lambda: (no_landlock(), no_seccomp())).stdout


@pytest.mark.parametrize("name", KINDS.values())
def test_a_process_that_cannot_be_restricted_reads_nothing(voxcc, inputs, name):
    error = voxcc.fails(70, "label", inputs / name, "--stats", "-", preexec_fn=no_seccomp)
    assert "the kernel accepts no filter of its system calls (seccomp); if you trust the file, read it with --allow-unsandboxed" in error
    for command in ("info", "verify"):
        voxcc.fails(70, command, inputs / name, preexec_fn=no_seccomp)


@pytest.mark.parametrize("name", KINDS.values())
def test_allow_unsandboxed(voxcc, inputs, name):
    table = voxcc("label", inputs / name, "--stats", "-").stdout
    done = voxcc("label", inputs / name, "--stats", "-", "--allow-unsandboxed", preexec_fn=no_seccomp)
    assert done.stdout == table
    assert done.stderr.count("voxcc: warning: --allow-unsandboxed: ") == 1 and "(seccomp)" in done.stderr
    by_environment = voxcc("label", inputs / name, "--stats", "-", preexec_fn=no_seccomp, env={**os.environ, "VOXCC_ALLOW_UNSANDBOXED": "true"})
    assert by_environment.stdout == table
    restricted = voxcc("label", inputs / name, "--stats", "-", "--allow-unsandboxed")
    assert restricted.stdout == table and "warning" not in restricted.stderr


@pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock")
def test_landlock_that_fails_is_an_error(voxcc, inputs):
    """A kernel without Landlock is none."""
    fails = refuse_call(RESTRICT_SELF, EPERM)
    assert "(Landlock)" in voxcc.fails(70, "label", inputs / "in.png", "--stats", "-", preexec_fn=fails)
    voxcc("label", inputs / "in.png", "--stats", "-", preexec_fn=no_landlock)


def test_formats_without_a_process_need_no_sandbox(voxcc, inputs):
    voxcc("label", inputs / "in.nii", "--stats", "-", preexec_fn=no_seccomp)
