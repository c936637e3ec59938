"""Row 39: SIGKILL at each rename. Old files beside new ones are refused by the readers, and the next run repairs them."""

import os
import signal
import subprocess

import pytest
from helpers import noise, write_nifti
from publication import RENAMES, files, hidden, make_publication, require_strace, run

NO_EXCHANGE = "renameat2:error=EINVAL"


def check_after_kill(publication, before):
    """Returns whether old and new outputs were mixed."""
    states = publication.states()
    is_mixed = len(states) > 1
    assert states <= {before, "new"}
    if states != {"absent"}:
        publication.check_readers(65 if is_mixed else 0)
    again = publication.label_new()
    assert again.returncode == 0, again.stderr
    assert publication.states() == {"new"}
    assert hidden(publication.folder) == []
    publication.check_readers(0)
    return is_mixed


def kill_at(publication, before, call, number, *always):
    publication.prepare(before)
    return publication.label_new(*always, f"{call}:signal=SIGKILL:when={number}").returncode


def kill_each(publication, before, call, *always):
    """Kills the program at every execution of a system call. Returns the number of executions that left mixed outputs."""
    mixed = 0
    for number in range(1, 100):
        if kill_at(publication, before, call, number, *always) == 0:
            return mixed
        mixed += check_after_kill(publication, before)
    raise AssertionError("the last execution was not found")


@pytest.mark.parametrize("before", ("old", "absent"))
@pytest.mark.parametrize("kind", ("mhd", pytest.param("slices", marks=pytest.mark.long), pytest.param("four", marks=pytest.mark.long), pytest.param("volumes", marks=pytest.mark.long)))
def test_row39_killed_at_each_rename(voxcc, tmp_path, kind, before):
    require_strace()
    publication = make_publication(voxcc, tmp_path, kind)
    outputs = len(publication.expected["new"])
    assert kill_each(publication, before, "renameat2") >= outputs - 1
    for call in ("fsync", "unlink", "pwrite64"):
        kill_each(publication, before, call)


def test_row39_killed_at_each_rename_without_exchange(voxcc, tmp_path):
    require_strace()
    publication = make_publication(voxcc, tmp_path, "mhd")
    assert kill_each(publication, "old", "rename", NO_EXCHANGE) == 1
    kill_each(publication, "old", "link", NO_EXCHANGE)


@pytest.mark.parametrize("number", (2, 150, 300))
def test_row39_killed_between_many_slices(voxcc, tmp_path, number):
    require_strace()
    publication = make_publication(voxcc, tmp_path, "many_slices")
    assert kill_at(publication, "old", "renameat2", number) != 0
    now = files(publication.folder)
    assert now != publication.expected["old"] and now != publication.expected["new"]
    publication.check_readers(65)
    assert publication.label_new().returncode == 0
    assert publication.folder_is_new() and hidden(publication.folder) == []
    publication.check_readers(0)


def test_row39_removed_and_replaced_files_are_readable(voxcc, tmp_path):
    """The journal of an interrupted publication has no effect on files that were written later."""
    require_strace()
    publication = make_publication(voxcc, tmp_path, "four")
    assert kill_at(publication, "old", "renameat2", 2) != 0
    publication.check_readers(65)
    (publication.folder / "l.nii.gz").write_bytes(publication.expected["old"]["l.nii.gz"])
    publication.check_readers(0)


def test_row39_outputs_in_two_folders(voxcc, tmp_path):
    """The journals of both folders list the outputs of both."""
    require_strace()
    path = write_nifti(tmp_path / "in.nii", noise((4, 5, 6), 0.4))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    options = ("label", path, "-o", "a/l.nii", "--stats", "b/t.csv", "--json", "b/j.json", "-f")
    assert run(voxcc, tmp_path, *options).returncode == 0
    assert run(voxcc, tmp_path, *options, inject=("renameat2:signal=SIGKILL:when=2",)).returncode == -signal.SIGKILL
    for output in ("a/l.nii", "b/t.csv", "b/j.json"):
        assert "was interrupted" in voxcc.fails(65, "verify", tmp_path / output)
    assert run(voxcc, tmp_path, *options).returncode == 0
    assert "a/l.nii: ok" in voxcc("verify", tmp_path / "a/l.nii").stdout
    assert hidden(tmp_path) == []


def test_row39_single_outputs_have_no_journal(voxcc, tmp_path):
    require_strace()
    path = write_nifti(tmp_path / "in.nii", noise((4, 5, 6), 0.4))
    trace = tmp_path / "trace"
    for _ in range(2):
        subprocess.run(
            ["strace", "-f", "-qq", "-o", trace, "-e", "trace=openat,creat", voxcc.program, "label", path, "-o", tmp_path / "l.nii", "-f"],
            check=True)
        assert not [line for line in trace.read_text().splitlines() if "voxcc-publication" in line and "O_CREAT" in line]
    assert hidden(tmp_path) == []


def test_row39_later_run_removes_temporary_files(voxcc, tmp_path):
    require_strace()
    path = write_nifti(tmp_path / "in.nii", noise((4, 5, 6), 0.4))
    assert run(voxcc, tmp_path, "label", path, "-o", "l.nii", inject=("fsync:signal=SIGKILL:when=1",)).returncode == -signal.SIGKILL
    left = hidden(tmp_path)
    assert len(left) == 1
    foreign = tmp_path / (".voxcc-0123456789abcdef-" + left[0].split("-", 2)[2])
    os.link(tmp_path / left[0], foreign)  # as of a process of another machine
    voxcc("label", path, "-o", tmp_path / "l.nii")
    assert hidden(tmp_path) == [foreign.name]


def test_row39_concurrent_publications_are_not_mixed(voxcc, tmp_path):
    publication = make_publication(voxcc, tmp_path, "mhd")
    publication.prepare("absent")
    for _ in range(10):
        commands = [[voxcc.program, "label", path, *publication.options, "-f", "-c", "26"] for path in publication.inputs.values()]
        processes = [subprocess.Popen(command, cwd=publication.folder) for command in commands]
        assert [process.wait(60) for process in processes] == [0, 0]
        assert files(publication.folder) in publication.expected.values()
        assert hidden(publication.folder) == []


def test_row39_output_that_another_process_writes_meanwhile(voxcc, tmp_path):
    """One call after the other reports that the output does not exist, as if another process had created it afterwards."""
    require_strace()
    path = write_nifti(tmp_path / "in.nii", noise((4, 5, 6), 0.4))
    target = tmp_path / "l.nii"
    voxcc("label", path, "-o", target)
    expected = target.read_bytes()
    for number in range(1, 30):
        done = run(voxcc, tmp_path, "label", path, "-o", target, "-f", inject=(f"newfstatat:error=ENOENT:when={number}",), path=target)
        assert (done.returncode, done.stderr) == (0, "")
        assert target.read_bytes() == expected


def test_row39_renames_are_the_traced_calls(voxcc, tmp_path):
    """All renames are made with the system calls into which the other tests inject signals."""
    require_strace()
    publication = make_publication(voxcc, tmp_path, "four")
    for call in set(RENAMES) - {"renameat2"}:
        assert kill_at(publication, "old", call, 1) == 0
