"""Row 39: SIGKILL while labels of an OME-Zarr image are replaced. Labels, their list and consolidated metadata change together."""

import shutil
import signal

import numpy as np
import pytest
import zarr
from helpers import noise
from publication import calls_of, files, hidden, require_strace, run

pytestmark = pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")
COMMAND = ("label", "img.ome.zarr", "-c", "6", "-o", "img.ome.zarr/labels/x", "-t", "1", "-f")


@pytest.fixture(params=["0.4", "0.5"])
def folder(voxcc, tmp_path, request):
    """An image with consolidated metadata and labels of uint8."""
    np.save(tmp_path / "in.npy", noise((20, 24, 28), 0.25))
    voxcc("label", "in.npy", "--multilabel", "-o", "img.ome.zarr", "--ngff", request.param, cwd=tmp_path)
    zarr.consolidate_metadata(tmp_path / "img.ome.zarr")
    voxcc(*COMMAND, "--min-size", "20", cwd=tmp_path)
    shutil.copytree(tmp_path / "img.ome.zarr", tmp_path / "before")
    return tmp_path


@pytest.fixture
def new(voxcc, folder):
    """The files after a run that is not disturbed. The labels are of uint16."""
    voxcc(*COMMAND, cwd=folder)
    return files(folder / "img.ome.zarr")


def restore(folder):
    shutil.rmtree(folder / "img.ome.zarr")
    shutil.copytree(folder / "before", folder / "img.ome.zarr")


def reads_as_stated(folder):
    """Whether the metadata that zarr-python finds through the image are the metadata of the labels."""
    by_image = zarr.open_consolidated(folder / "img.ome.zarr")["labels/x/0"]
    own = zarr.open_array(folder / "img.ome.zarr/labels/x/0", mode="r")
    return by_image.dtype == own.dtype and by_image.attrs.asdict() == own.attrs.asdict() and np.array_equal(by_image[:], own[:])


@pytest.mark.parametrize("call", ["renameat2", "unlink", "fsync", "rmdir", "flock"])
def test_row39_labels_of_an_image(voxcc, folder, new, call):
    require_strace()
    mixed = 0
    for number in range(1, 100):
        restore(folder)
        if run(voxcc, folder, *COMMAND, inject=(f"{call}:signal=SIGKILL:when={number}",)).returncode != -signal.SIGKILL:
            break
        codes = {run(voxcc, folder, command, way).returncode for command in ("verify", "info")
                 for way in ("img.ome.zarr:/labels/x/0", "img.ome.zarr/labels/x", "img.ome.zarr/labels/x/0")}
        assert codes in ({0}, {65})
        assert run(voxcc, folder, "verify", "img.ome.zarr").returncode in codes
        mixed += codes == {65}
        assert codes == {65} or reads_as_stated(folder)
        voxcc("info", "img.ome.zarr", cwd=folder)
        voxcc(*COMMAND, cwd=folder)
        assert files(folder / "img.ome.zarr") == new and reads_as_stated(folder)
        voxcc("verify", "img.ome.zarr", "img.ome.zarr:/labels/x", cwd=folder)
    assert number > 1
    if call == "renameat2":
        assert mixed == 1 and hidden(folder) == []  # between the labels and the consolidated metadata


def test_row39_new_labels_in_two_groups(voxcc, folder):
    """The labels and the list are published together, also where no group has consolidated metadata."""
    require_strace()
    voxcc("label", "in.npy", "--multilabel", "-o", "plain.zarr", cwd=folder)
    command = ("label", "plain.zarr", "-o", "plain.zarr/labels/y", "-t", "1", "-f")
    assert run(voxcc, folder, *command, inject=("renameat2:signal=SIGKILL:when=1",)).returncode == -signal.SIGKILL
    voxcc(*command, cwd=folder)
    voxcc("verify", "plain.zarr", "plain.zarr:/labels/y", cwd=folder)
    assert hidden(folder / "plain.zarr") == []


@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EACCES"])
@pytest.mark.parametrize("call", ["pwrite64", "fsync", "fchmod", "renameat2", "mkdir", "ftruncate", pytest.param("openat", marks=pytest.mark.long),
                                  pytest.param("write", marks=pytest.mark.long), pytest.param("flock", marks=pytest.mark.long)])
def test_row39_each_call_fails_in_turn(voxcc, folder, call, error):
    """An exit code other than 0 leaves the old labels, lists, consolidated metadata and table."""
    require_strace()
    command = (*COMMAND, "--stats", "t.csv")
    voxcc(*COMMAND, "--min-size", "20", "--stats", "t.csv", cwd=folder)
    table = (folder / "t.csv").read_bytes()

    def reset():
        restore(folder)
        (folder / "t.csv").write_bytes(table)
        for path in folder.glob(".voxcc*"):  # of a process that was killed
            path.unlink()

    reset()
    before, failed = files(folder), 0
    count = calls_of(voxcc, folder, call, *command)
    for number in range(1, count + 1):
        reset()
        done = run(voxcc, folder, *command, inject=(f"{call}:error={error}:when={number}",))
        if done.returncode != 0:
            failed += 1
            assert files(folder) == before and hidden(folder) == [], (number, done.returncode, done.stderr)
        elif "Consolidate them again" in done.stderr:  # the folder of the metadata has no rights
            assert error == "EACCES"
        elif files(folder) != before:
            voxcc("verify", "img.ome.zarr", "img.ome.zarr:/labels/x", cwd=folder)
            assert reads_as_stated(folder)
    assert failed > 0
    reset()
    # The number of calls is right if a signal at the next execution does not end the program.
    assert run(voxcc, folder, *command, inject=(f"{call}:signal=SIGKILL:when={count + 1}",)).returncode == 0
