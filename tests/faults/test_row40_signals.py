"""Row 40: SIGINT, SIGTERM, SIGHUP and the signals of schedulers at any moment. No temporary file is left, and the outputs are all old or all new."""

import contextlib
import json
import os
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


TABLES = ("--stats", "all.csv", "--summary", "volumes.tsv", "--contacts", "contacts.csv")


class Batch:
    """Volumes 0 to 5, of which the third is a pipe that never ends. So the other volumes are complete when a run is interrupted."""

    names = [f"sub-{number}.nii" for number in range(6)]

    def __init__(self, voxcc, folder):
        self.voxcc, self.folder = voxcc, folder
        for number, name in enumerate(self.names):
            write_nifti(folder / name, noise((4, 5, 60), 0.4, seed=number))
        beginning = (folder / self.names[2]).read_bytes()[:1000]
        (folder / self.names[2]).unlink()
        os.mkfifo(folder / self.names[2])
        self.writer = os.open(folder / self.names[2], os.O_RDWR)
        os.write(self.writer, beginning)

    @contextlib.contextmanager
    def start(self, *options, **arguments):
        command = [self.voxcc.program, "label", *self.names, "-o", "out/{stem}_labels.nii", "--mkdir", "-c", "6", "--device", "cpu", *options]
        process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **arguments)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            os.close(self.writer)

    def wait_for(self, *numbers):
        end = time.monotonic() + 30
        while not all((self.folder / f"out/sub-{number}_labels.nii").exists() for number in numbers):
            assert time.monotonic() < end
            time.sleep(0.01)

    def expected(self, complete):
        """The tables of a run over the complete volumes only."""
        (self.folder / "expected").mkdir()
        tables = [f"expected/{option}" if "." in option else option for option in TABLES]
        self.voxcc("label", *complete, "-c", "6", *tables, cwd=self.folder)
        return {path.name: path.read_bytes() for path in (self.folder / "expected").iterdir()}


@pytest.mark.parametrize("name", sorted(CODES))
@pytest.mark.parametrize(("jobs", "complete"), ((1, (0, 1)), (4, (0, 1, 3, 4, 5))))
def test_row40_interrupted_batch(voxcc, tmp_path, jobs, complete, name):
    """The common tables have the rows of the complete volumes in the order of the inputs. The list of --failed has the others."""
    batch = Batch(voxcc, tmp_path)
    with batch.start(*TABLES, "--json", "p.json", "--failed", "failed.txt", "-j", str(jobs)) as process:
        batch.wait_for(*complete)
        for _ in range(3):  # `timeout` sends each signal twice
            process.send_signal(getattr(signal, name))
        messages = process.communicate(timeout=60)[1]
    assert process.returncode == CODES[name], messages
    assert messages.splitlines()[-1].startswith(f"voxcc: note: interrupted: {len(complete)} of 6 inputs are complete; "), messages
    assert "error" not in messages and hidden(tmp_path) == []
    done = [batch.names[number] for number in complete]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [name.replace(".nii", "_labels.nii") for name in done]
    rest = [line for line in (tmp_path / "failed.txt").read_text().splitlines() if line[0] != "#"]
    assert rest == [name for name in batch.names if name not in done]
    summary = json.loads((tmp_path / "p.json").read_text())
    assert [volume["input"] for volume in summary["volumes"]] == done
    assert [failure["exit"] for failure in summary["failed"]] == [CODES[name]] * len(rest)
    for path, content in batch.expected(done).items():
        assert (tmp_path / path).read_bytes() == content, path


def test_row40_interrupted_without_a_complete_input(voxcc, tmp_path):
    batch = Batch(voxcc, tmp_path)
    batch.names = batch.names[2:]
    with batch.start(*TABLES) as process:
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        messages = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and hidden(tmp_path) == []
    assert "0 of 4 inputs are complete" in messages and "every input failed" not in messages
    assert not (tmp_path / "all.csv").exists() and not (tmp_path / "out").exists()


def test_row40_second_signal(voxcc, tmp_path):
    """Nobody reads the table on stdout, so the first signal cannot complete it. A second signal ends the run at once."""
    batch = Batch(voxcc, tmp_path)
    write_nifti(tmp_path / batch.names[0], noise((40, 40, 40), 0.3))
    with batch.start("--stats", "-", "--summary", "volumes.csv", "-j", "4", stdout=subprocess.PIPE) as process:
        batch.wait_for(3, 4, 5)
        process.send_signal(signal.SIGTERM)
        time.sleep(1.2)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 143
    assert hidden(tmp_path) == [] and not (tmp_path / "volumes.csv").exists()
