"""`voxcc map --table` beside NumPy: new numbers from tables, types, formats, and tables that are refused."""

import itertools
import json
import os

import nibabel
import nrrd
import numpy as np
import pytest
import tifffile
import zarr
from helpers import noise, read_nifti, voronoi, write_nifti
from mapped_labels import mapped, read, write, write_table

SHAPE = (9, 14, 37)  # z y x
DTYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]


def labels_of(dtype, seed=1):
    """Runs of labels over the range of the type, with its least and largest value, and background."""
    random = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    values = [0, 1, 2, 5, info.max, info.max - 1] + ([-1, -3, info.min] if info.min < 0 else [])
    values += [int(v) for v in random.integers(1, min(info.max, 1 << 40), 30)]
    cells = voronoi(SHAPE, 40, 0.3, seed).astype(np.int64)
    return np.array(values, dtype)[cells % len(values)]


def smallest(largest, types):
    return next(np.dtype(t) for t in types if np.iinfo(t).max >= largest)


NUMPY_TYPES, NIFTI_TYPES = ("uint8", "uint16", "uint32", "uint64"), ("uint8", "int16", "int32")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_all_types(voxcc, tmp_path, dtype, threads):
    """Every label of the type gets a new number, up to 2^64 - 1; negative labels, too."""
    labels = labels_of(dtype)
    np.save(tmp_path / "labels.npy", labels)
    values = [int(v) for v in np.unique(labels) if v != 0]
    random = np.random.default_rng(2)
    for largest in (200, 60_000, 4_000_000_000, 2**64 - 1):
        numbers = {v: int(random.integers(0, largest, dtype=np.uint64, endpoint=True)) for v in values}
        numbers[values[0]] = largest
        write_table(tmp_path / "t.csv", numbers.items())
        done = voxcc("map", "labels.npy", "--table", "t.csv", "-o", "o.npy", "-f", "-t", threads, cwd=tmp_path)
        got = read(tmp_path / "o.npy")
        assert got.dtype == smallest(largest, NUMPY_TYPES)
        np.testing.assert_array_equal(got, mapped(labels, numbers, "error"))
        assert f"labels.npy: {len(values)} labels; o.npy: {len(set(numbers.values()) - {0})} label" in done.stderr


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_with_whole_numbers(voxcc, tmp_path, dtype):
    labels = voronoi(SHAPE, 30).astype(dtype) - 7 * (voronoi(SHAPE, 30) == 3)
    np.save(tmp_path / "labels.npy", labels)
    numbers = {int(v): i % 5 for i, v in enumerate(np.unique(labels)) if v != 0}
    write_table(tmp_path / "t.csv", numbers.items())
    voxcc("map", "labels.npy", "--table", "t.csv", "-o", "o.npy", cwd=tmp_path)
    np.testing.assert_array_equal(read(tmp_path / "o.npy"), mapped(labels, numbers, "error"))
    labels[0, 0, 0] = 1.5
    np.save(tmp_path / "labels.npy", labels)
    assert "1.5" in voxcc.fails(65, "map", "labels.npy", "--table", "t.csv", "-o", "p.npy", cwd=tmp_path)
    assert not (tmp_path / "p.npy").exists()


@pytest.mark.parametrize("missing", ["keep", "zero"])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint32", "uint64"])
def test_labels_that_the_table_does_not_have(voxcc, tmp_path, dtype, missing):
    labels = np.abs(labels_of("int64" if dtype == "uint64" else dtype).astype(np.int64)).astype(dtype)
    np.save(tmp_path / "labels.npy", labels)
    values = [int(v) for v in np.unique(labels) if v != 0]
    numbers = {v: 3 + i // 2 for i, v in enumerate(values[::3])} | {123456789012: 77}  # the last label is not in the volume
    write_table(tmp_path / "t.csv", numbers.items())
    expected = mapped(labels, numbers, missing)
    for threads in (1, 2):
        voxcc("map", "labels.npy", "--table", "t.csv", "--missing", missing, "-o", "o.npy", "-f", "-t", threads, cwd=tmp_path)
        got = read(tmp_path / "o.npy")
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == smallest(max(int(expected.max()), 77), NUMPY_TYPES)
    absent = [v for v in values if v not in numbers]
    error = voxcc.fails(65, "map", "labels.npy", "--table", "t.csv", "-o", "p.npy", cwd=tmp_path)
    assert f"does not have the label {absent[0]} and {len(absent) - 1} further labels" in error and not (tmp_path / "p.npy").exists()


def test_keep_refuses_negative_labels(voxcc, tmp_path):
    labels = labels_of("int16")
    np.save(tmp_path / "labels.npy", labels)
    write_table(tmp_path / "t.csv", [(-1, 4)])
    command = ["map", "labels.npy", "--table", "t.csv", "-o", "o.npy"]
    assert "negative label -32768" in voxcc.fails(65, *command, "--missing", "keep", cwd=tmp_path)
    assert "negative label -32768" in voxcc.fails(65, *command, "--missing", "keep", "--dtype", "uint64", cwd=tmp_path)
    assert not (tmp_path / "o.npy").exists()
    voxcc(*command, "--missing", "zero", cwd=tmp_path)
    np.testing.assert_array_equal(read(tmp_path / "o.npy"), np.where(labels == -1, 4, 0))


def test_keep_warns_of_labels_that_become_one(voxcc, tmp_path):
    np.save(tmp_path / "labels.npy", np.array([[[1, 2, 3, 4, 5, 6]]], np.uint16))
    command = ["map", "labels.npy", "--missing", "keep", "-o", "o.npy", "-f", "--table"]
    one, two = write_table(tmp_path / "one.csv", [(1, 3), (2, 9), (40, 5)]), write_table(tmp_path / "two.csv", [(1, 3), (2, 5), (6, 6)])
    assert "warning" not in voxcc(*command, write_table(tmp_path / "none.csv", [(1, 7), (2, 8)]), cwd=tmp_path).stderr
    text = voxcc(*command, one, cwd=tmp_path).stderr
    assert "the label 3 is not in" in text and "new number of the label 1; both are one label now\n" in text
    text = voxcc(*command, two, cwd=tmp_path).stderr
    assert "the label 3 is not in" in text and "the same holds for 1 further label" in text
    np.testing.assert_array_equal(read(tmp_path / "o.npy").ravel(), [3, 5, 3, 4, 5, 6])


@pytest.mark.parametrize("source, target", [*itertools.product(["nii.gz", "nii", "npy", "h5", "tif", "nrrd"], ["nii.gz", "npy"]), *[("nii.gz", t) for t in ("nii", "h5", "tif", "nrrd")]])
def test_formats(voxcc, tmp_path, source, target):
    labels = voronoi(SHAPE, 40)
    write(tmp_path / f"labels.{source}", labels)
    numbers = {int(v): int(v) * 311 % 997 for v in np.unique(labels) if v != 0}
    write_table(tmp_path / "t.tsv", numbers.items())
    for threads in (1, 2):
        voxcc("map", f"labels.{source}", "--table", "t.tsv", "-o", f"o.{target}", "-f", "-t", threads, cwd=tmp_path)
        np.testing.assert_array_equal(read(tmp_path / f"o.{target}"), mapped(labels, numbers, "error"))


def test_grid_and_description(voxcc, tmp_path):
    affine = np.array([[-2, 0.1, 0, 90], [0, 2.5, 0.2, -126], [0, 0, 3, -72], [0, 0, 0, 1.0]])
    write_nifti(tmp_path / "labels.nii.gz", voronoi(SHAPE, 9), affine)
    voxcc("label", "labels.nii.gz", "-o", "label.nii.gz", cwd=tmp_path)
    write_table(tmp_path / "t.csv", [(1, 6)])
    voxcc("map", "labels.nii.gz", "--table", "t.csv", "--missing", "keep", "-o", "o.nii.gz", cwd=tmp_path)
    image, other = nibabel.load(tmp_path / "o.nii.gz"), nibabel.load(tmp_path / "label.nii.gz")
    np.testing.assert_allclose(image.affine, affine, atol=1e-6)
    assert image.header["descrip"] == other.header["descrip"] and image.header["intent_code"] == other.header["intent_code"] == 1002


def test_selectors_and_pipes(voxcc, tmp_path):
    series = np.stack([voronoi(SHAPE, 20, seed=seed) for seed in range(4)])
    nibabel.save(nibabel.Nifti1Image(series.T, np.eye(4)), tmp_path / "s.nii")
    numbers = {int(v): int(v) % 3 * 400 for v in np.unique(series) if v != 0}
    write_table(tmp_path / "t.csv", numbers.items())
    voxcc("map", "s.nii[2]", "--table", "t.csv", "-o", "two.nii", cwd=tmp_path)
    np.testing.assert_array_equal(read_nifti(tmp_path / "two.nii"), mapped(series[2], numbers, "error"))
    for missing, table in (("keep", "few.csv"), ("zero", "few.csv"), ("error", "t.csv")):
        few = {v: n for v, n in numbers.items() if v % 2}
        write_table(tmp_path / "few.csv", few.items())
        used = numbers if table == "t.csv" else few
        for output in ("all.nii", "all.nii.gz"):
            voxcc("map", "s.nii", "--volume", "all", "--table", table, "--missing", missing, "-o", output, "-f", cwd=tmp_path)
            np.testing.assert_array_equal(read_nifti(tmp_path / output), mapped(series, used, missing))
        for command in (f"map - --volume 1 --table {table} --missing {missing} -o pipe.nii -f < s.nii", f"map 's.nii[1]' --table {table} --missing {missing} -o - > pipe.nii"):
            assert os.system(f"cd {tmp_path} && {voxcc.program} {command} 2>/dev/null") == 0
            np.testing.assert_array_equal(read_nifti(tmp_path / "pipe.nii"), mapped(series[1], used, missing))
    voxcc("map", "s.nii[1..2]", "--table", "t.csv", "-o", "part.nii.gz", cwd=tmp_path)
    np.testing.assert_array_equal(read_nifti(tmp_path / "part.nii.gz"), mapped(series[1:3], numbers, "error"))
    voxcc.fails(64, "map", "s.nii", "--table", "t.csv", "-o", "p.nii", cwd=tmp_path)
    assert "holds one volume" in voxcc.fails(64, "map", "s.nii", "--volume", "all", "--table", "t.csv", "-o", "slices/", cwd=tmp_path)


def test_types_of_outputs(voxcc, tmp_path):
    labels = voronoi(SHAPE, 20)
    write_nifti(tmp_path / "labels.nii", labels)
    values = [int(v) for v in np.unique(labels) if v != 0]
    for largest in (255, 256, 32767, 32768):
        write_table(tmp_path / "t.csv", [(v, largest - i) for i, v in enumerate(values)])
        voxcc("map", "labels.nii", "--table", "t.csv", "-o", "o.nii", "-f", cwd=tmp_path)
        assert read_nifti(tmp_path / "o.nii").dtype == smallest(largest, NIFTI_TYPES)
    error = voxcc.fails(65, "map", "labels.nii", "--table", "t.csv", "-o", "p.nii", "--dtype", "int16", cwd=tmp_path)
    assert "the label 32768 does not fit into int16" in error and not (tmp_path / "p.nii").exists()
    voxcc("map", "labels.nii", "--table", "t.csv", "-o", "wide.nii", "--dtype", "int32", cwd=tmp_path)
    assert read_nifti(tmp_path / "wide.nii").dtype == np.int32
    write_table(tmp_path / "t.csv", [(v, 2**40) for v in values])
    voxcc.fails(65, "map", "labels.nii", "--table", "t.csv", "-o", "p.nii", cwd=tmp_path)


@pytest.mark.parametrize("extension", ["csv", "tsv", "json"])
def test_tables(voxcc, tmp_path, extension):
    """Other columns, rows for the background, repeated rows, and 7.0 as pandas writes whole numbers."""
    np.save(tmp_path / "labels.npy", np.array([[[0, 7, 8, 9]]], np.int32))
    rows = [("x", 7.0, "y", 3), (1, 8, "n/a", 3.0), (2, 9, "", 0), (3, 0, "", 0), (4, 8, "", 3), (5, -2, "", 1), (6, 2**64 - 1, "", 1)]
    write_table(tmp_path / f"t.{extension}", rows, ("name", "label", "other", "new"))
    voxcc("map", "labels.npy", "--table", f"t.{extension}", "-o", "o.npy", cwd=tmp_path)
    np.testing.assert_array_equal(read(tmp_path / "o.npy").ravel(), [0, 3, 3, 0])


BAD_TABLES = {
    "label,new\n1,2\n1,3\n": "row 2 gives the label 1 the new number 3, and a row before it the number 2",
    "label,new\n0,5\n": "row 1 gives a new number to the label 0",
    "label,new\n1,-2\n": "row 1 has '-2' in the column 'new'",
    "label,new\n1,2\n2,2.5\n": "row 2 has '2.5' in the column 'new'",
    "label,new\n1,n/a\n": "row 1 has 'n/a' in the column 'new'",
    "label,new\n1,18446744073709551616\n": "row 1 has '18446744073709551616' in the column 'new'",
    "label,new\nx,2\n": "row 1 has 'x' in the column 'label'",
    "label,new\n1.25,2\n": "row 1 has '1.25' in the column 'label'",
    "label,news\n1,2\n": "has no column 'new', nearest: 'news'",
    "lable,new\n": "has no column 'label', nearest: 'lable'",
    "label,new\n1\n": "line 2 has 1 cells",
    "": "is empty",
}


@pytest.mark.parametrize("text", BAD_TABLES)
def test_bad_tables(voxcc, tmp_path, text):
    np.save(tmp_path / "labels.npy", np.ones((1, 2, 3), np.uint8))
    (tmp_path / "t.csv").write_text(text)
    error = voxcc.fails(65, "map", "labels.npy", "--table", "t.csv", "-o", "o.npy", cwd=tmp_path)
    assert error.startswith("voxcc: error: t.csv: ") and BAD_TABLES[text] in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.npy", "t.csv"]


def test_outputs_are_protected(voxcc, tmp_path):
    np.save(tmp_path / "labels.npy", np.array([[[1, 2]]], np.uint8))
    write_table(tmp_path / "t.csv", [(1, 2), (2, 1)])
    command = ["map", "labels.npy", "--table", "t.csv", "-o"]
    before = (tmp_path / "labels.npy").read_bytes()
    voxcc.fails(73, *command, "labels.npy", "--force", cwd=tmp_path)
    assert (tmp_path / "labels.npy").read_bytes() == before
    voxcc(*command, "o.npy", cwd=tmp_path)
    assert "exists" in voxcc.fails(73, *command, "o.npy", cwd=tmp_path)
    voxcc(*command, "o.npy", "--force", cwd=tmp_path)
    voxcc.fails(73, *command, "no/o.npy", cwd=tmp_path)
    voxcc.fails(66, "map", "absent.npy", "--table", "t.csv", "-o", "p.npy", cwd=tmp_path)
    voxcc.fails(66, "map", "labels.npy", "--table", "absent.csv", "-o", "p.npy", cwd=tmp_path)
    (tmp_path / "cut.npy").write_bytes(before[:-1])
    voxcc.fails(65, "map", "cut.npy", "--table", "t.csv", "-o", "p.npy", cwd=tmp_path)
    assert not (tmp_path / "p.npy").exists()


def test_errors_of_compressed_files_end_the_run(voxcc, tmp_path):
    """A reader that fails in the middle wakes the threads that wait for their blocks."""
    write_nifti(tmp_path / "l.nii.gz", noise((60, 200, 200), 0.5).astype(np.uint16))
    damaged = bytearray((tmp_path / "l.nii.gz").read_bytes())
    damaged[len(damaged) // 2] ^= 0x55
    (tmp_path / "l.nii.gz").write_bytes(damaged)
    write_table(tmp_path / "t.csv", [(1, 2)])
    for missing in ("keep", "zero"):
        for output in ("o.nii.gz", "o.npy"):
            voxcc.fails(65, "map", "l.nii.gz", "--table", "t.csv", "--missing", missing, "-t", 4, "-o", output, cwd=tmp_path, timeout=60)


def test_frames_of_one_channel(voxcc, tmp_path):
    """The output has the axis of the frames, and not the axis of the channels."""
    series = np.random.default_rng(4).integers(0, 9, (3, 4, 2, 6, 7)).astype(np.uint8)  # t, z, c, y, x
    tifffile.imwrite(tmp_path / "s.ome.tif", series, metadata={"axes": "TZCYX"})
    (tmp_path / "new.csv").write_text("label,new\n" + "".join(f"{n},{n + 1}\n" for n in range(1, 9)))
    voxcc("map", "s.ome.tif[c=1,t=0..2]", "--table", "new.csv", "-o", "out.ome.zarr", cwd=tmp_path)
    assert (zarr.open(tmp_path / "out.ome.zarr")["0"][:] == np.where(series > 0, series + 1, 0)[:, :, 1]).all()
