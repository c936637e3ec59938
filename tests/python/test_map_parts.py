"""`voxcc map` in parts: the bytes of one run, interrupted, repeated and simultaneous steps, and steps that do not fit together."""

import random
import re
import shutil
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
import tifffile
import zarr
from helpers import noise, read_nifti, voronoi, write_nifti
from parts_steps import drawn_ranges


def labels_of(shape, seed=1, largest=60_000):
    """Cubes of random labels, with background between them."""
    random_labels = np.random.default_rng(seed)
    coarse = [-(-extent // 16) for extent in shape]
    cells = random_labels.integers(1, largest, coarse, dtype=np.uint32)
    for axis in range(3):
        cells = cells.repeat(16, axis)
    return cells[tuple(slice(extent) for extent in shape)] * noise(shape, 0.7, 5, seed)


def write(path, labels):
    name = path.name
    if name.endswith(".zarr"):
        zarr.create_array(path, data=labels, chunks=(24, 100, 90))
    elif name.endswith(".h5"):
        with h5py.File(path, "w") as file:
            file.create_dataset("v", data=labels, chunks=(10, 40, 60), compression="gzip")
    elif name.endswith(".tif"):
        tifffile.imwrite(path, labels, photometric="minisblack", compression="zlib")
    elif name.endswith(".npy"):
        np.save(path, labels)
    else:
        write_nifti(path, labels)
    return path


def write_numbers(path, labels, share=1.0, largest=5000, seed=3):
    """New numbers of a share of the labels. Returns them by label."""
    values = np.unique(labels)
    values = values[values != 0]
    draw = np.random.default_rng(seed)
    numbers = {int(v): int(draw.integers(0, largest)) for v in values if draw.random() < share}
    path.write_text("label,new\n" + "".join(f"{label},{new}\n" for label, new in numbers.items()))
    return numbers


def mapped(labels, numbers, keep):
    values, inverse = np.unique(labels, return_inverse=True)
    new = np.array([numbers.get(int(v), int(v) if keep else 0) if v != 0 else 0 for v in values], np.uint64)
    return new[inverse].reshape(labels.shape)


def files_of(path):
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()} if path.is_dir() else path.read_bytes()


class Run:
    """One run and a run in parts of the same map, in a folder."""

    def __init__(self, voxcc, folder, source, *options, parts=4):
        self.voxcc, self.folder, self.parts = voxcc, folder, parts
        self.command = ["map", source]
        self.options = list(options)
        self.of_parts = ["map", source, folder / "state", *options, "--parts", parts]

    def one(self, name, *outputs):
        """The metadata of outputs contain their names, so both runs have the same name."""
        (self.folder / "one").mkdir(exist_ok=True)
        return self.voxcc(*self.command, *self.options, "-o", self.folder / "one" / name, "-f", *outputs).stderr

    def part(self, part, *options, **how):
        return self.voxcc(*self.of_parts, "--part", part, *options, **how)

    def finish(self, name, *outputs, **how):
        (self.folder / "parts").mkdir(exist_ok=True)
        return self.voxcc(*self.of_parts, "--finish", "-o", self.folder / "parts" / name, *outputs, **how).stderr

    def require_same(self, name, *outputs):
        assert self.one(name, *outputs).replace("/one/", "/parts/") == self.finish(name, "-f", *outputs)
        one, parts = (files_of(self.folder / kind / name) for kind in ("one", "parts"))
        assert len(one) > 0 and one == parts


@pytest.fixture
def small(voxcc, tmp_path):
    """300 slices: 5 layers of chunks of 64 slices."""
    labels = labels_of((300, 60, 70))
    write_numbers(tmp_path / "t.csv", labels)
    return Run(voxcc, tmp_path, write(tmp_path / "in.zarr", labels), "--table", tmp_path / "t.csv")


@pytest.mark.parametrize("parts", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("name", ["in.zarr", "in.h5", "in.nii.gz", "in.nii", "in.tif", "in.npy"])
def test_parts_equal_one_run(voxcc, tmp_path, name, parts):
    """8 parts are more than the 5 layers of chunks: the last ones have no slices. The order and the ranges of the parts are random."""
    draw = random.Random(f"{name} {parts}")
    labels = labels_of((300, 60, 150), parts)
    missing = draw.choice(["keep", "zero", "error"])
    numbers = write_numbers(tmp_path / "t.csv", labels, 1 if missing == "error" else 0.8)
    run = Run(voxcc, tmp_path, write(tmp_path / name, labels), "--table", tmp_path / "t.csv", "--missing", missing, parts=parts)
    for chosen in drawn_ranges(draw, parts):
        run.part(chosen, "-t", draw.choice([1, 2, 5]))
    run.require_same("o.zarr")
    run.require_same("o.nii.gz")
    np.testing.assert_array_equal(read_nifti(tmp_path / "parts" / "o.nii.gz"), mapped(labels, numbers, missing == "keep"))


@pytest.mark.parametrize("options", [["--ngff", "0.4"], ["--ngff", "0.5"], ["--ngff", "none"], ["--pyramid", "none"], ["--pyramid", "nearest"]],
                         ids="-".join)  # fmt: skip
@pytest.mark.parametrize("shape", [(300, 60, 70), (130, 140, 300), (8, 1500, 1600), (5, 2100, 2000), (1, 700, 600)], ids=str)
def test_every_form_of_zarr(voxcc, tmp_path, shape, options):
    """Chunks of 64, 2 and 1 slices, which are in shards of OME-Zarr 0.5; and an image, which has one part."""
    labels = labels_of(shape)
    write_numbers(tmp_path / "t.csv", labels)
    run = Run(voxcc, tmp_path, write(tmp_path / "in.npy", labels), "--table", tmp_path / "t.csv", parts=3)
    for part in (1, 2, 0):
        run.part(part)
    run.require_same("o.zarr", *options)
    run.require_same("o.zarr.zip", *options)


@pytest.mark.parametrize("options", [["--dtype", "uint64"], ["--compress", "0"], ["--compress", "5"], ["--missing", "keep"]], ids="-".join)
def test_types_and_compression(voxcc, tmp_path, options):
    """With --missing keep, the type of the output follows from the labels of all parts, and parts have a type that holds all labels."""
    labels = labels_of((200, 60, 70), largest=200)
    labels[150:] = 0
    write_numbers(tmp_path / "t.csv", labels, largest=99)
    run = Run(voxcc, tmp_path, write(tmp_path / "in.npy", labels), "--table", tmp_path / "t.csv", *options)
    run.part("0..3")
    for name in ("o.zarr", "o.tif", "o.nrrd", "o.h5"):
        run.require_same(name)


def test_labels_in_an_image(voxcc, tmp_path):
    """The labels of an OME-Zarr image get its levels, and its list of labels."""
    labels = labels_of((140, 300, 280))
    write_numbers(tmp_path / "t.csv", labels)
    run = Run(voxcc, tmp_path, write(tmp_path / "in.npy", labels), "--table", tmp_path / "t.csv")
    voxcc("map", tmp_path / "in.npy", "--table", tmp_path / "t.csv", "-o", tmp_path / "image.zarr", "--ngff", "0.4")
    for kind in ("one", "parts"):
        shutil.copytree(tmp_path / "image.zarr", tmp_path / kind / "image.zarr")
    run.part("0..3")
    run.one("image.zarr/labels/cells")
    run.finish("image.zarr/labels/cells")
    one, parts = (files_of(tmp_path / kind / "image.zarr") for kind in ("one", "parts"))
    assert any(name.startswith("labels/cells/1/") for name in one) and one == parts


def test_merge_and_its_warnings(voxcc, tmp_path):
    cells = voronoi((200, 30, 40), 60)
    np.save(tmp_path / "in.npy", cells)
    voxcc("stats", tmp_path / "in.npy", "-o", tmp_path / "t.csv", "--contacts", tmp_path / "c.csv")
    run = Run(voxcc, tmp_path, tmp_path / "in.npy", "--merge", tmp_path / "c.csv", "--where", "faces >= 50")
    for part in (3, 1, 0, 2):
        run.part(part)
    run.require_same("o.zarr")
    other = Run(voxcc, tmp_path, tmp_path / "in.npy", "--merge", tmp_path / "c.csv", "--where", "faces >= 5000")
    assert "0.mapped: was written with another --merge or --where; repeat the options of all parts, or" in other.part(0, expect=65).stderr
    (tmp_path / "none.csv").write_text("label_a,label_b\n501,502\n")
    none = Run(voxcc, tmp_path, tmp_path / "in.npy", "--merge", tmp_path / "none.csv")
    shutil.rmtree(tmp_path / "state")
    none.part("0..3")
    none.require_same("p.zarr")
    assert "has no label of" in none.finish("q.zarr")


def test_keep_warns_as_one_run(voxcc, tmp_path):
    labels = np.ones((200, 4, 5), np.uint16) * np.arange(1, 201, dtype=np.uint16)[:, None, None]
    np.save(tmp_path / "in.npy", labels)
    (tmp_path / "t.csv").write_text("label,new\n1,190\n2,7\n")
    run = Run(voxcc, tmp_path, tmp_path / "in.npy", "--table", tmp_path / "t.csv", "--missing", "keep")
    run.part("0..3")
    assert "both are one label now" in run.finish("o.zarr")
    run.require_same("o.zarr")


def test_a_part_names_labels_without_new_number(voxcc, tmp_path):
    """Labels 1 to 200 in the slices 0 to 199. The chunks have 64 slices, and the table ends at 128."""
    labels = np.ones((200, 4, 5), np.uint16) * np.arange(1, 201, dtype=np.uint16)[:, None, None]
    np.save(tmp_path / "in.npy", labels)
    table = tmp_path / "t.csv"
    table.write_text("label,new\n" + "".join(f"{v},{v + 1}\n" for v in range(1, 129)))
    run = Run(voxcc, tmp_path, tmp_path / "in.npy", "--table", table)
    run.part("0..1")
    error = voxcc.fails(65, *run.of_parts, "--part", 2)
    assert "t.csv: does not have the label 129 and 63 further labels of" in error
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == ["0.mapped", "1.mapped"]
    table.write_text(table.read_text() + "129,300\n")
    narrow = Run(voxcc, tmp_path, tmp_path / "in.npy", "--table", table, "--missing", "zero", "--dtype", "uint8")
    narrow.of_parts[2] = tmp_path / "narrow"
    narrow.part("0..1")
    assert "the label 300 does not fit into uint8" in voxcc.fails(65, *narrow.of_parts, "--part", 2)


def test_jobs_at_the_same_time(voxcc, small):
    """Every part by two processes."""
    jobs = [subprocess.Popen(list(map(str, [voxcc.program, *small.of_parts, "--part", part, "-t", 1])), stderr=subprocess.PIPE)
            for part in (0, 1, 2, 0, 1, 2)]  # fmt: skip
    for job in jobs:
        assert job.communicate(timeout=120)[1] is not None and job.returncode == 0
    small.require_same("o.zarr")


def test_killed_jobs_are_repeated(voxcc, tmp_path):
    """After SIGKILL, a file of a part is complete or absent."""
    labels = labels_of((320, 300, 280))
    write_numbers(tmp_path / "t.csv", labels)
    run = Run(voxcc, tmp_path, write(tmp_path / "in.npy", labels), "--table", tmp_path / "t.csv", "--compress", 9, parts=5)
    killed = absent = 0
    for attempt in range(12):
        job = subprocess.Popen(list(map(str, [voxcc.program, *run.of_parts, "-t", 1])), stderr=subprocess.DEVNULL)
        time.sleep(0.05 + 0.06 * attempt)
        job.send_signal(signal.SIGKILL)
        killed += job.wait(30) == -signal.SIGKILL
        done = {int(path.stem) for path in (tmp_path / "state").glob("*.mapped")}
        absent += len(done) < 5
        for part in done:
            assert f"{part}.mapped is complete, and is kept" in run.part(part).stderr
    assert killed > 0 and absent > 0
    run.part("0..4")
    run.require_same("o.zarr")
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == [f"{part}.mapped" for part in range(5)]


def test_repeated_steps_do_nothing(voxcc, small):
    small.part("0..3")
    times = {path: path.stat().st_mtime_ns for path in (small.folder / "state").iterdir()}
    text = small.part("0..3").stderr
    # 5 layers of chunks: the parts 0 to 2 have 2, 2 and 1 of them.
    assert all(f"{part}.mapped is complete, and is kept" in text for part in range(3)) and "part 3 has no slices of" in text
    assert times == {path: path.stat().st_mtime_ns for path in (small.folder / "state").iterdir()} and len(times) == 3


def test_finish_needs_all_parts(voxcc, small):
    small.part(0), small.part(2)
    error = voxcc.fails(66, *small.of_parts, "--finish", "-o", small.folder / "o.zarr")
    assert "1.mapped: does not exist; run 'voxcc map --part 1'" in error and not (small.folder / "o.zarr").exists()
    small.part(1)
    small.require_same("o.zarr")


def test_existing_outputs_are_kept(voxcc, small):
    small.part("0..3")
    small.finish("o.zarr")
    before = files_of(small.folder / "parts" / "o.zarr")
    error = voxcc.fails(73, *small.of_parts, "--finish", "-o", small.folder / "parts" / "o.zarr")
    assert "exists; overwrite it with --force" in error and files_of(small.folder / "parts" / "o.zarr") == before
    assert "is an input" in voxcc.fails(73, *small.of_parts, "--finish", "-o", small.folder / "in.zarr", "-f")
    small.finish("o.zarr", "-f")
    assert files_of(small.folder / "parts" / "o.zarr") == before


@pytest.mark.parametrize("change, name", [(["--missing", "zero"], "--missing"), (["--dtype", "uint32"], "--dtype"), (["--compress", "3"], "--compress"),
                                          (["--parts", "2"], "--parts"), ("table", "--table"), ("input", "LABELS")])  # fmt: skip
def test_steps_must_fit_together(voxcc, small, change, name):
    small.part("0..3")
    if change == "table":
        path = small.folder / "t.csv"
        path.write_text(re.sub(r",\d+\n", ",77\n", path.read_text(), count=1))
    elif change == "input":
        shutil.rmtree(small.folder / "in.zarr")
        write(small.folder / "in.zarr", labels_of((300, 60, 70)))
    else:
        if change[0] == "--parts":
            small.of_parts[-1] = change[1]
        else:
            small.of_parts += change
    before = files_of(small.folder / "state")
    for step in (["--part", "1"], ["--finish", "-o", small.folder / "o.zarr"]):
        error = voxcc.fails(65, *small.of_parts, *step)
        assert f".mapped: was written with another {name}; repeat the options of all parts, or remove the file, and run" in error
    assert files_of(small.folder / "state") == before and not (small.folder / "o.zarr").exists()


def test_damage_is_found(voxcc, small):
    small.part("0..3")
    path = small.folder / "state" / "1.mapped"
    whole = path.read_bytes()
    for at in (*range(0, 200, 13), len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        error = voxcc.fails(65, *small.of_parts, "--finish", "-o", small.folder / "o.zarr")
        assert "1.mapped" in error and "run 'voxcc map --part 1'" in error and not (small.folder / "o.zarr").exists()
    path.write_bytes(whole[:-9])
    assert "run 'voxcc map --part 1'" in voxcc.fails(65, *small.of_parts, "--part", "1")
    shutil.copy(small.folder / "state" / "0.mapped", path)
    assert "is part 0, not part 1" in voxcc.fails(65, *small.of_parts, "--part", "1")
    path.unlink()
    small.part(1)
    assert path.read_bytes() == whole


def test_parts_read_only_their_chunks(voxcc, small):
    """The input has chunks of 24 slices. Part 1 of 3 has the slices 128 to 255. Layers of fewer than 32 chunks would be read together."""
    shutil.rmtree(small.folder / "in.zarr")
    zarr.create_array(small.folder / "in.zarr", data=labels_of((300, 60, 70)), chunks=(24, 10, 10))
    for damaged in (0, 4, 11):
        (small.folder / "in.zarr" / "c" / str(damaged) / "0" / "0").write_bytes(b"\1\2\3")
    small.part(1)
    for part in (0, 2):
        assert "in.zarr" in voxcc.fails(65, *small.of_parts, "--part", part)
    assert [path.name for path in (small.folder / "state").iterdir()] == ["1.mapped"]


def test_what_parts_do_not_have(voxcc, small):
    state, output = small.folder / "state", ["-o", small.folder / "o.zarr"]
    table, fill = ["--table", small.folder / "t.csv"], ["map", small.folder / "in.zarr", "--fill-holes"]
    one = ["map", small.folder / "in.zarr", *table]
    for arguments, text in [
        ([*one, state, *output], "STATE: is for a volume in parts; state their number with --parts"),
        ([*one, "--part", "1", *output], "--part: is for a volume in parts"),
        ([*one, "--finish", *output], "--finish: is for a volume in parts"),
        ([*one, "--parts", "3"], "needs a folder for the parts"),
        ([*one, state, "--parts", "0"], "--parts: '0'"),
        ([*one, state, "--parts", "3", *output], "--output: is written only when all parts are written; add --finish"),
        ([*one, state, "--parts", "3", "--part", "3"], "--part: the parts are 0..2"),
        ([*one, state, "--parts", "3", "--part", "1", "--finish", *output], "--part: cannot be combined with --finish"),
        ([*one, state, "--parts", "3", "--finish"], "needs an output"),
        ([*one, state, "--parts", "3", "--finish", "-o", small.folder / "o.nii", "--ngff", "0.4"], "Zarr"),
        ([*fill, state, "--parts", "3"], "--fill-holes: is not possible in parts"),
        (["map", "-", *table, state, "--parts", "3"], "-: is a pipe, and parts read the input several times"),
    ]:
        assert text in voxcc.fails(64, *arguments), arguments
    write_nifti(small.folder / "series.nii", np.zeros((2, 3, 4, 5), np.uint8))
    series = ["map", small.folder / "series.nii", state, *table, "--parts", "3"]
    assert "parts are of one volume; choose one volume" in voxcc.fails(64, *series, "--volume", "all")
    voxcc(*series, "--volume", "1")
    assert "was written with another LABELS" in voxcc.fails(65, *series, "--volume", "0")
