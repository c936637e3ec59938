"""Row 40: SIGINT, SIGTERM, SIGHUP and the signals of schedulers at any moment. No temporary file is left, and the outputs are all old or all new."""

import random
import signal
import subprocess
import time

import pytest
from helpers import noise, write_nifti
from publication import files, hidden, make_publication, require_strace, run

CODES = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}


@pytest.mark.parametrize("name", sorted(CODES))
@pytest.mark.parametrize("kind", ("mhd", "series", pytest.param("slices", marks=pytest.mark.long), pytest.param("four", marks=pytest.mark.long), pytest.param("volumes", marks=pytest.mark.long)))
def test_row40_signal_at_each_step(voxcc, tmp_path, kind, name):
    require_strace()
    publication = make_publication(voxcc, tmp_path, kind)
    for call in ("renameat2", "fsync", "flock", "unlink"):
        for number in range(1, 100):
            publication.prepare("old")
            done = publication.label_new(f"{call}:signal={name}:when={number}")
            state = publication.check_all_or_none("old")
            assert hidden(publication.folder) == []
            if call == "renameat2":
                assert state == "new"  # the publication is completed
            if done.returncode == 0:
                break
            assert done.returncode == CODES[name], (call, number, done.stderr)
        else:
            raise AssertionError("the last execution was not found")


@pytest.mark.long
def test_row40_many_slices(voxcc, tmp_path):
    """Signals at random times while 1200 slices are written and published."""
    inputs = [write_nifti(tmp_path / f"{seed}.nii", noise((1200, 3, 3), 0.4, seed=seed)) for seed in (1, 2)]
    outputs = []
    for seed, path in enumerate(inputs, 1):
        voxcc("label", path, "-o", f"{tmp_path}/{seed}/", "-c", "26")
        outputs.append(files(tmp_path / str(seed)))
    folder = tmp_path / "1"
    begin = time.monotonic()
    voxcc("label", inputs[0], "-o", f"{folder}/", "-c", "26", "-f")
    seconds = time.monotonic() - begin
    times = random.Random(1)
    codes = []
    for _ in range(30):
        command = [voxcc.program, "label", inputs[len(codes) % 2], "-o", f"{folder}/", "-c", "26", "-f"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(0.02 + times.random() * seconds)
            process.send_signal(signal.SIGTERM)
            codes.append(process.wait(30))
        assert files(folder) in outputs
        assert hidden(folder) == []
    assert 143 in codes and set(codes) <= {0, 143}


@pytest.mark.parametrize("name", ("SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGPWR", "SIGIO"))
def test_row40_signals_of_schedulers(voxcc, tmp_path, name):
    """Slurm and Grid Engine send some of these signals at a limit of time. A Zarr folder has most temporary files."""
    require_strace()
    path = write_nifti(tmp_path / "in.nii", noise((20, 30, 40), 0.4))
    command = ("label", path, "-o", "l.zarr", "--stats", "t.csv", "-f")
    voxcc(*command, cwd=tmp_path)
    before = files(tmp_path)
    for number in (1, 2, 3):
        done = run(voxcc, tmp_path, *command, "--min-size", "3", inject=(f"fsync:signal={name}:when={number}",))
        assert done.returncode == 128 + getattr(signal, name)
        assert files(tmp_path) == before and hidden(tmp_path) == []
