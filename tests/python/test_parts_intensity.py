"""Intensity images in parts: the table has the bytes of one run, for every type, for any values and in any order of the parts."""

import itertools
import json
import random
import shutil

import nibabel
import numpy as np
import pytest
from helpers import blobs, noise, read_table, write_nifti
from parts_steps import AFFINE, complete, drawn_input, in_parts, label, require_damage_is_found, split, write_hdf5, write_zarr

CASES = 40
TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")


def drawn_image(draw, shape, dtype):
    """Values of any bits, few values (equal extremes), or values that cancel. Floats contain NaN."""
    random_of = np.random.default_rng(draw.randrange(1 << 30))
    dtype = np.dtype(dtype)
    kind = draw.choice(("bits", "few", "cancel"))
    if kind == "bits":
        values = random_of.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
    elif kind == "few":
        values = random_of.integers(0, 3, shape).astype(dtype)
    else:
        values = (random_of.normal(0, 1, shape) * 10.0 ** random_of.integers(0, 3, shape)).astype(dtype if dtype.kind != "u" else "i8").astype(dtype)
    if dtype.kind == "f":
        values = np.where(np.isinf(values), dtype.type(0), values)
        values[random_of.random(shape) < 0.05] = np.nan
    return values


def in_one_run_and_in_parts(voxcc, folder, *options, order=None):
    """The tables, and the warnings about NaN voxels."""
    one = voxcc("label", folder / "in.nii", *options[:-2], "--stats", folder / "one.csv", "-f")
    in_parts(voxcc, folder, folder / "in.nii", *options, outputs=["--stats", folder / "parts.csv"], order=order)
    parts = voxcc("relabel", "--plan", folder / "plan.json", "--finish", folder / "state", folder / "merged", "-f", "--stats", folder / "parts.csv")
    assert (folder / "one.csv").read_bytes() == (folder / "parts.csv").read_bytes(), options
    left_out = [sorted(line for line in run.stderr.splitlines() if "left out" in line) for run in (one, parts)]
    assert left_out[0] == left_out[1]
    return left_out[0]


@pytest.mark.parametrize("case", range(CASES))
def test_parts_equal_one_run(voxcc, tmp_path, case):
    draw = random.Random(case)
    shape, options = drawn_input(draw, case, tmp_path / "in.nii", longest=50)
    for i in range(1 + case % 3):
        write_nifti(tmp_path / f"{i}.nii", drawn_image(draw, shape, TYPES[(case + 3 * i) % len(TYPES)]), AFFINE)
        options += ["--intensity", f"{'' if i == 0 else f'image{i}='}{tmp_path}/{i}.nii"]
    in_one_run_and_in_parts(voxcc, tmp_path, *options, "--part-size", draw.randint(8, 30), order=draw)


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_with_components_in_many_parts(voxcc, tmp_path, dtype):
    draw = random.Random(dtype)
    shape = (30, 33, 36)
    write_nifti(tmp_path / "in.nii", blobs(shape, 0.5, 2))
    write_nifti(tmp_path / "image.nii", drawn_image(draw, shape, dtype))
    options = ["--min-size", "3", "--intensity", tmp_path / "image.nii"]
    left_out = in_one_run_and_in_parts(voxcc, tmp_path, *options, "--part-size", "7", order=draw)
    assert len(left_out) == (dtype[0] == "f")
    assert max(row["voxels"] for row in read_table(tmp_path / "parts.csv")) > 5000


def test_scaled_values_and_selectors(voxcc, tmp_path):
    shape = (20, 22, 24)
    write_nifti(tmp_path / "in.nii", blobs(shape, 0.4, 1))
    stack = np.random.default_rng(1).integers(-900, 900, (3, *shape)).astype(np.int16)
    image = nibabel.Nifti1Image(stack.T, np.eye(4))
    image.header.set_slope_inter(-0.25, 3)
    image.to_filename(tmp_path / "stack.nii")
    selected = ["--intensity", f"first={tmp_path}/stack.nii[0]", "--intensity", f"last={tmp_path}/stack.nii[2]"]
    in_one_run_and_in_parts(voxcc, tmp_path, *selected, "--part-size", "9")
    assert {"first_mean", "last_weighted_centroid_i"} <= set(read_table(tmp_path / "parts.csv")[0])


@pytest.mark.parametrize("name", ("image.zarr", "image.h5", "image.npy", "image.nii.gz"))
def test_images_of_every_format(voxcc, tmp_path, name):
    shape = (30, 34, 38)
    write_nifti(tmp_path / "in.nii", blobs(shape, 0.5, 2))
    values = drawn_image(random.Random(3), shape, "f4")
    values[10:20] = 7  # equal extremes in many chunks
    if name.endswith(".zarr"):
        write_zarr(tmp_path / name, values)
    elif name.endswith(".h5"):
        write_hdf5(tmp_path / name, values)
    elif name.endswith(".npy"):
        np.save(tmp_path / name, values)
    else:
        write_nifti(tmp_path / name, values)
    in_one_run_and_in_parts(voxcc, tmp_path, "--intensity", tmp_path / name, "--part-size", "13")


@pytest.fixture
def planned(voxcc, tmp_path):
    """A plan of 8 parts with two images, whose parts are labelled, and the table of one run."""
    write_nifti(tmp_path / "in.nii", noise((24, 24, 24), 0.25, seed=4))
    for name, dtype in (("a", np.float64), ("b", np.int16)):
        write_nifti(tmp_path / f"{name}.nii", np.random.default_rng(2).normal(0, 50, (24, 24, 24)).astype(dtype))
    images = ["--intensity", f"a={tmp_path}/a.nii", "--intensity", f"b={tmp_path}/b.nii"]
    voxcc("label", tmp_path / "in.nii", *images, "-o", tmp_path / "one.nii", "--stats", tmp_path / "one.csv")
    assert split(voxcc, tmp_path, tmp_path / "in.nii", *images, "--part-size", "12") == 8
    label(voxcc, tmp_path, "0..7")
    return tmp_path


def test_the_same_part_twice_gives_the_same_bytes(voxcc, planned):
    complete(voxcc, planned)
    first = {path.name: path.read_bytes() for path in (planned / "state").iterdir()}
    shutil.rmtree(planned / "state")
    for part in reversed(range(8)):
        label(voxcc, planned, part)
    assert first == {path.name: path.read_bytes() for path in (planned / "state").iterdir()}
    complete(voxcc, planned)


def test_images_belong_to_the_plan(voxcc, planned):
    plan = json.loads((planned / "plan.json").read_text())
    assert [image["name"] for image in plan["intensities"]] == ["a", "b"]
    (planned / "state" / "3.part").unlink()
    image = (planned / "b.nii").read_bytes()
    (planned / "b.nii").write_bytes(image[:-1] + bytes([image[-1] ^ 1]))
    error = voxcc.fails(65, "label", "--plan", planned / "plan.json", "--part", 3, "-o", planned / "state")
    assert "b.nii" in error and "has changed since" in error
    # The plan without the images is another plan.
    other = planned / "other"
    other.mkdir()
    split(voxcc, other, planned / "in.nii", "--part-size", "12")
    assert "0.part: belongs to the plan" in voxcc.fails(65, "merge", "--plan", other / "plan.json", planned / "state", "-o", other / "merged")
    # The image is an input, and is never overwritten.
    assert "a.nii" in voxcc.fails(73, "split", planned / "in.nii", "--intensity", planned / "a.nii", "-o", planned / "a.nii", "-f")


@pytest.mark.parametrize("version", (3, 5), ids=("without-intensities", "without-holes"))
def test_plans_of_earlier_versions_are_refused_by_name(voxcc, planned, version):
    plan = planned / "plan.json"
    plan.write_text(plan.read_text().replace('"version": 7', f'"version": {version}'))
    for step in (["label", "--plan", plan, "-o", planned / "state"], ["merge", "--plan", plan, planned / "state", "-o", planned / "merged"]):
        error = voxcc.fails(65, *step)
        assert "plan.json: is a plan of another version of voxcc" in error


def test_images_of_another_extent_are_refused(voxcc, planned):
    write_nifti(planned / "c.nii", np.zeros((24, 24, 23), np.int16))
    assert "c.nii" in voxcc.fails(65, "split", planned / "in.nii", "--intensity", planned / "c.nii", "-o", planned / "p.json")
    voxcc.fails(66, "split", planned / "in.nii", "--intensity", planned / "missing.nii", "-o", planned / "p.json")
    assert not (planned / "p.json").exists()


def test_damaged_states_are_refused_by_name(voxcc, planned):
    part = planned / "state" / "6.part"
    whole = part.read_bytes()
    draw = random.Random(1)
    # The sections of intensities are the last ones.
    for length, at in itertools.chain(((len(whole) - n, None) for n in (1, 100, 3000)),
                                      ((None, len(whole) - 1 - draw.randrange(6000)) for _ in range(40))):  # fmt: skip
        part.write_bytes(whole[:length] if at is None else whole[:at] + bytes([whole[at] ^ (1 << draw.randrange(8))]) + whole[at + 1 :])
        require_damage_is_found(voxcc, planned, 6)
    part.write_bytes(whole)
    shutil.rmtree(planned / "merged", ignore_errors=True)
    complete(voxcc, planned)
