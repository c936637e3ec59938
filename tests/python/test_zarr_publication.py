"""Zarr folders appear complete or not at all, and replace nothing else: existing folders, signals, full disks, names."""

import os
import resource
import signal
import subprocess
import time

import numpy as np
import pytest
import zarr
from helpers import label_scipy, noise, write_nifti

SHAPE = (12, 30, 40)


@pytest.fixture
def image(tmp_path):
    return write_nifti(tmp_path / "in.nii", noise(SHAPE, 0.3, 2))


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def expected(connectivity=26):
    return label_scipy(noise(SHAPE, 0.3, 2), connectivity)


def labels_in(store):
    return zarr.open_array(store / "0", mode="r")[:]


def test_existing_store(voxcc, image, out):
    """Without --force, a store stays as it is. With it, nothing of the old store is left."""
    store = out / "a.zarr"
    voxcc("label", image, "-o", store, "--ngff", "0.4", "-c", "6")
    before = contents(out)
    assert "exists" in voxcc.fails(73, "label", image, "-o", store)
    assert "exists" in voxcc.fails(73, "generate", "solid", "--size", "9", "-o", store)
    assert contents(out) == before
    voxcc("label", image, "-o", store, "-f", "--stats", out / "a.csv")
    np.testing.assert_array_equal(labels_in(store), expected())
    assert not list(store.rglob(".z*")) and sorted(path.name for path in out.iterdir()) == ["a.csv", "a.zarr"]


def with_file(store, name):
    (store / name).parent.mkdir(parents=True, exist_ok=True)
    (store / name).write_text("mine")


def link(store):
    store.rename(store.parent / "elsewhere")
    store.symlink_to(store.parent / "elsewhere")


def plain_folder(store):
    for path in store.iterdir():
        if path.is_file():
            path.unlink()
        else:
            path.rename(store.parent / "rest")
    with_file(store, "7")


@pytest.mark.parametrize("change, message", [
    (lambda store: with_file(store, "notes.txt"), "notes.txt' does not belong to a Zarr store"),
    (lambda store: with_file(store, "0/c/0/0/thumbs.db"), "thumbs.db' does not belong to a Zarr store"),
    (lambda store: with_file(store, "0/1..2"), "does not belong to a Zarr store"),
    (lambda store: (store / "0/c/9").symlink_to("/etc/passwd"), "does not belong to a Zarr store"),
    (lambda store: os.mkfifo(store / "0/c/9"), "does not belong to a Zarr store"),
    (link, "is a symbolic link"),
    (plain_folder, "is a folder that is not a Zarr store"),
])
def test_other_folders_are_not_replaced(voxcc, image, out, change, message):
    store = out / "a.zarr"
    voxcc("label", image, "-o", store)
    change(store)
    before = sorted(out.rglob("*"))
    assert message in voxcc.fails(73, "label", image, "-f", "-o", store)
    assert sorted(out.rglob("*")) == before


def test_a_file_is_not_replaced(voxcc, image, out):
    (out / "a.zarr").write_text("mine")
    assert "is not a folder" in voxcc.fails(73, "label", image, "-f", "-o", out / "a.zarr")
    assert (out / "a.zarr").read_text() == "mine"
    (out / "b.zarr").mkdir()  # an empty folder holds nothing
    assert "exists" in voxcc.fails(73, "label", image, "-o", out / "b.zarr")
    voxcc("label", image, "-f", "-o", out / "b.zarr")
    np.testing.assert_array_equal(labels_in(out / "b.zarr"), expected())


def test_inputs_are_not_replaced(voxcc, image, out):
    voxcc("label", image, "-o", out / "a.zarr")
    before = contents(out)
    for source in ("a.zarr", "a.zarr/0", "a.zarr/zarr.json"):
        voxcc.fails(73, "label", out / source, "-f", "-o", out / "a.zarr")
    voxcc.fails(73, "label", image, "--mask", out / "a.zarr/0", "-f", "-o", f"{out}/a.zarr/")
    assert contents(out) == before


def large(tmp_path):
    return write_nifti(tmp_path / "large.nii", noise((200, 256, 256), 0.3, 1))


def start(voxcc, command, out):
    """Starts the program, and returns when it has created a file in the folder."""
    process = subprocess.Popen([voxcc.program, *map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while process.poll() is None and not any(path.is_file() for path in out.rglob("*")) and time.monotonic() < deadline:
        time.sleep(0.002)
    assert process.poll() is None, "it ended before the signal"
    return process


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signal_leaves_nothing(voxcc, tmp_path, out, number, code):
    process = start(voxcc, ["label", large(tmp_path), "-o", out / "a.ome.zarr", "--compress", 9, "-t", 1, "--stats", out / "a.csv"], out)
    process.send_signal(number)
    assert process.wait(10) == code
    assert list(out.iterdir()) == []


def test_kill(voxcc, tmp_path, image, out):
    """SIGKILL prevents cleanup. No folder has the name of the output, the old one stays, and the next run removes the rest."""
    voxcc("label", image, "-o", out / "a.zarr")
    before = contents(out / "a.zarr")
    process = start(voxcc, ["label", large(tmp_path), "-o", out / "a.zarr", "-f", "--compress", 9, "-t", 1], tmp_path / "out")
    while len(list(out.iterdir())) < 2 and process.poll() is None:
        time.sleep(0.002)
    process.kill()
    process.wait(10)
    assert contents(out / "a.zarr") == before
    assert len(list(out.iterdir())) == 2, "it ended before the signal"
    voxcc("label", image, "-o", out / "b.zarr")
    assert sorted(path.name for path in out.iterdir()) == ["a.zarr", "b.zarr"]


@pytest.mark.parametrize("limit", [0, 300, 5_000])
def test_full_disk(voxcc, image, out, limit):
    """A file size limit has the effect of a full disk. It hits the chunks or the metadata."""
    voxcc("label", image, "-o", out / "a.zarr", "-c", 6)
    before = contents(out)
    voxcc.fails(74, "label", image, "-o", out / "a.zarr", "-f", "--compress", 0,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert contents(out) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_folder(voxcc, image, out):
    out.chmod(0o500)
    try:
        voxcc.fails(77, "label", image, "-o", out / "a.zarr")
    finally:
        out.chmod(0o700)


def test_missing_folder(voxcc, image, out):
    assert "does not exist" in voxcc.fails(73, "label", image, "-o", out / "new/a.zarr")
    voxcc("label", image, "-o", out / "new/a.zarr", "--mkdir")
    np.testing.assert_array_equal(labels_in(out / "new/a.zarr"), expected())


@pytest.mark.parametrize("name", ["a b.zarr", "äöü 🧠.ome.zarr", "-.zarr", "a'\"$(x).zarr", "new\nline.zarr", "A.ZARR", "x" * 180 + ".zarr"])
def test_names(voxcc, image, out, name):
    voxcc("label", image, "-o", f"{out}/{name}")
    voxcc("verify", f"{out}/{name}")
    assert [path.name for path in out.iterdir()] == [name]
    np.testing.assert_array_equal(labels_in(out / name), expected())


def test_names_that_are_too_long(voxcc, image, out):
    voxcc.fails(73, "label", image, "-o", f"{out}/{'x' * 300}.zarr")
    assert list(out.iterdir()) == []


def test_slash_and_stem(voxcc, image, out):
    voxcc("label", image, "-o", f"{out}/a.zarr/")
    np.testing.assert_array_equal(labels_in(out / "a.zarr"), expected())
    other = write_nifti(image.parent / "other.nii", noise(SHAPE, 0.3, 2))
    voxcc("label", image, other, "-o", f"{out}/{{stem}}_labels.ome.zarr", "-j", 2)
    for stem in ("in", "other"):
        np.testing.assert_array_equal(labels_in(out / f"{stem}_labels.ome.zarr"), expected())
    assert "single file" in voxcc.fails(64, "label", image, other, "-o", out / "one.zarr")


def test_skip_existing(voxcc, image, out):
    command = ("label", image, "-o", out / "a.zarr", "--json", out / "a.json", "--skip-existing")
    voxcc(*command)
    assert "is skipped" in voxcc(*command).stderr
    for other in (("--ngff", "0.4"), ("--pyramid", "none"), ("--missing-chunks", "error")):
        assert "is labelled" in voxcc(*command, *other, "-f", "-v").stderr
        assert "is skipped" in voxcc(*command, *other).stderr
    assert "is labelled" in voxcc(*command, "-f", "-v").stderr
    (out / "a.zarr/0/c/0/0/0").unlink()
    assert "is labelled" in voxcc(*command, "-f", "-v").stderr
    np.testing.assert_array_equal(labels_in(out / "a.zarr"), expected())


def test_several_volumes(voxcc, tmp_path, out):
    series = write_nifti(tmp_path / "series.nii", np.stack([noise(SHAPE, 0.3, 2)] * 2))
    voxcc("label", series, "--volume", "all", "-o", out / "a.zarr")
    np.testing.assert_array_equal(labels_in(out / "a.zarr"), [expected()] * 2)
    voxcc("label", series, "--volume", "all", "-o", f"{out}/{{volume}}.zarr")
    np.testing.assert_array_equal(labels_in(out / "1.zarr"), expected())


def test_options_without_a_store(voxcc, image, out):
    for option in (("--ngff", "0.4"), ("--pyramid", "none")):
        assert "Zarr" in voxcc.fails(64, "label", image, "-o", out / "a.nii", *option)
        assert "Zarr" in voxcc.fails(64, "generate", "solid", "-o", out / "a.nii", *option)
