"""Row 36: one system call fails. The outputs are then all old or all new, and no temporary file is left."""

import pytest
from publication import hidden, make_publication, require_strace

# Without an exchange of names, an earlier file is kept by a hard link.
NO_EXCHANGE = "renameat2:error=EINVAL"


def fail_each(publication, before, call, *always):
    """Lets every execution of a system call fail in turn. Returns the exit codes."""
    codes = []
    for number in range(1, 500):
        publication.prepare(before)
        done = publication.label_new(f"{call}:error=EIO:when={number}", *always)
        codes.append(done.returncode)
        state = publication.check_all_or_none(before)
        if done.returncode == 0:
            assert state == "new"
        elif call != "close":  # a close() of the loader can fail, too
            assert state == before and done.returncode == 74, (number, done.returncode, done.stderr)
            assert done.stderr.count("voxcc: error:") == 1
        if call != "unlink":
            assert hidden(publication.folder) == [], (number, done.stderr)
        publication.check_readers(0)
        if is_last(publication, before, call, number, always):
            return codes
    raise AssertionError("the last execution was not found")


def is_last(publication, before, call, number, always):
    """Whether the program executes the call at most `number` times: then a signal at the next execution does not end it."""
    publication.prepare(before)
    return publication.label_new(f"{call}:signal=SIGKILL:when={number + 1}", *always).returncode == 0


@pytest.mark.parametrize("before", ("old", "absent"))
@pytest.mark.parametrize("kind", ("mhd", "series", pytest.param("four", marks=pytest.mark.long)))
@pytest.mark.parametrize("call", ("renameat2", "fsync", "ftruncate", "fchmod", "pwrite64", "unlink"))
def test_row36_each_call_fails_in_turn(voxcc, tmp_path, kind, call, before):
    require_strace()
    codes = fail_each(make_publication(voxcc, tmp_path, kind), before, call)
    if call != "unlink":
        assert set(codes) - {0} == {74}


@pytest.mark.parametrize("call", ("rename", "link", "unlink", "fsync"))
def test_row36_each_call_fails_in_turn_without_exchange(voxcc, tmp_path, call):
    require_strace()
    fail_each(make_publication(voxcc, tmp_path, "mhd"), "old", call, NO_EXCHANGE)


@pytest.mark.long
def test_row36_close_and_locks_fail(voxcc, tmp_path):
    require_strace()
    publication = make_publication(voxcc, tmp_path, "mhd")
    for call in ("close", "flock"):
        fail_each(publication, "old", call)


def test_row36_slices(voxcc, tmp_path):
    require_strace()
    fail_each(make_publication(voxcc, tmp_path, "slices"), "old", "renameat2")


@pytest.mark.parametrize("number", (1, 2, 150, 300))
def test_row36_many_slices(voxcc, tmp_path, number):
    require_strace()
    publication = make_publication(voxcc, tmp_path, "many_slices")
    for call in ("renameat2", "fsync"):
        publication.prepare("old")
        done = publication.label_new(f"{call}:error=ENOSPC:when={number}")
        assert done.returncode == 74
        assert publication.folder_is_old() and hidden(publication.folder) == []


def test_row36_files_that_cannot_be_restored_are_reported(voxcc, tmp_path):
    """All renames fail from the second on, also those that restore: the readers then refuse the files."""
    require_strace()
    publication = make_publication(voxcc, tmp_path, "mhd")
    publication.prepare("old")
    done = publication.label_new("rename:error=EIO", "renameat2:error=EIO:when=2+")
    assert done.returncode == 74 and "could not be restored" in done.stderr
    assert publication.states() == {"old", "new"}
    publication.check_readers(65)
    assert publication.label_new().returncode == 0
    assert publication.states() == {"new"}
    publication.check_readers(0)
