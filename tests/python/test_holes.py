"""--fill-holes and --max-hole, in memory and streamed, compared with scipy."""

import json

import nibabel
import numpy as np
import pytest
import scipy.ndimage
from helpers import label_scipy, read_nifti, write_nifti

DUAL = {6: 26, 18: 6, 26: 6, 4: 8, 8: 4}


def filled(foreground, connectivity, most=np.inf):
    """Holes of at most `most` voxels become foreground. A hole is a component of the background that does not touch the border."""
    background = label_scipy(~foreground, DUAL[connectivity])
    at_border = set()
    for axis in range(foreground.ndim):
        if foreground.shape[axis] > 1:
            for face in (0, -1):
                at_border |= set(np.unique(background.take(face, axis)))
    sizes = np.bincount(background.ravel())
    is_hole = np.array([label > 0 and label not in at_border and sizes[label] <= most for label in range(len(sizes))])
    return foreground | is_hole[background]


def sponge(shape, density=0.62, seed=1, smooth=0.7):
    noise = scipy.ndimage.gaussian_filter(np.random.default_rng(seed).standard_normal(shape), smooth)
    return noise > np.quantile(noise, 1 - density)


def run(voxcc, folder, *options):
    voxcc("label", folder / "in.nii", "--fill-holes", "--device", "cpu", "-o", folder / "out.nii", "--stats", folder / "t.csv", "-f", *options)
    return read_nifti(folder / "out.nii")


@pytest.mark.parametrize("connectivity", (6, 18, 26))
@pytest.mark.parametrize("most", (None, 1, 2, 5, 1000))
def test_holes_of_a_volume(voxcc, tmp_path, connectivity, most):
    foreground = sponge((20, 30, 70), 0.75 if connectivity != 6 else 0.9, smooth=0.5)
    write_nifti(tmp_path / "in.nii", foreground.astype(np.uint8))
    wanted = filled(foreground, connectivity, most or np.inf)
    assert (wanted & ~foreground).sum() > 10
    options = ["--max-hole", most] if most else []
    np.testing.assert_array_equal(run(voxcc, tmp_path, "-c", connectivity, *options), label_scipy(wanted, connectivity))
    if most is None and connectivity != 6:
        structure = scipy.ndimage.generate_binary_structure(3, 1)
        np.testing.assert_array_equal(wanted, scipy.ndimage.binary_fill_holes(foreground, structure))


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("connectivity", (4, 8))
@pytest.mark.parametrize("most", (np.inf, 3))
def test_holes_of_slices(voxcc, tmp_path, axis, connectivity, most):
    foreground = sponge((12, 25, 68), 0.6)
    write_nifti(tmp_path / "in.nii", foreground.astype(np.uint8))
    place, count = "zyx".index(axis), 0
    labels = np.zeros(np.moveaxis(foreground, place, 0).shape, int)
    for number, part in enumerate(np.moveaxis(foreground, place, 0)):
        own = label_scipy(filled(part, connectivity, most), connectivity)
        labels[number] = np.where(own > 0, own + count, 0)
        count += own.max()
    options = [] if most == np.inf else ["--max-hole", most]
    np.testing.assert_array_equal(run(voxcc, tmp_path, "--per-slice", axis, "-c", connectivity, *options), np.moveaxis(labels, 0, place))


def limit_for_slabs(voxcc, *command):
    """The options that make a run stream in slabs. All runs use one thread."""
    plan = json.loads(voxcc(*command, "--dry-run", "-t", "1").stdout)["volumes"][0]
    limit = ["-t", "1", "--max-memory", int(plan["memory_bytes"] * 0.97)]
    assert plan["slabs"] == 1 and json.loads(voxcc(*command, *limit, "--dry-run").stdout)["volumes"][0]["slabs"] > 1
    return limit


STREAMED = {"26": ["-c", "26"], "18": ["-c", "18"], "6": ["-c", "6"], "slices": ["--per-slice", "z", "-c", "8"],
            "slices-4": ["--per-slice", "z", "-c", "4"], "limit": ["--max-hole", "9"], "periodic": ["--periodic", "xz", "-c", "6"],
            "invert": ["--invert"], "table": ["--min-size", "3", "--sort", "size", "--clear-border"],
            "threshold": ["--threshold", "!=2"]}


@pytest.mark.parametrize("name", STREAMED)
@pytest.mark.parametrize("extension", ("nii", "nii.gz"))
def test_streamed_holes_have_the_same_bytes(voxcc, tmp_path, name, extension):
    """The holes of a volume that is larger than its slabs: tubes along z, closed at both ends, and small holes."""
    random = np.random.default_rng(2)
    image = np.ones((200, 130, 150), np.uint8)
    image[:, 60:, :75] = 2
    image[40:42] = 3
    for _ in range(400):
        z, y, x = random.integers(0, image.shape)
        size = random.integers(1, 7, 3)
        image[z : z + size[0] * (20 if size[1] == 1 else 1), y : y + size[1], x : x + size[2]] = 0
    path = write_nifti(tmp_path / f"in.{extension}", image)
    command = ["label", path, "--fill-holes", "--device", "cpu", *STREAMED[name], "-o", tmp_path / "out.nii", "--stats", tmp_path / "t.csv", "-f"]
    outputs = []
    for memory in ([], limit_for_slabs(voxcc, *command)):
        voxcc(*command, *memory)
        outputs.append([(tmp_path / file).read_bytes() for file in ("out.nii", "t.csv")])
    assert outputs[0] == outputs[1]
    labels = read_nifti(tmp_path / "out.nii")
    if name in ("26", "18", "6", "limit", "threshold"):
        connectivity = int(name) if name.isdigit() else 26
        selected = image != 2 if name == "threshold" else image > 0
        np.testing.assert_array_equal(labels, label_scipy(filled(selected, connectivity, 9 if name == "limit" else np.inf), connectivity))


def test_streamed_with_an_intensity_image_and_a_preview(voxcc, tmp_path):
    foreground = sponge((150, 120, 160), 0.8, smooth=2)
    write_nifti(tmp_path / "in.nii", foreground.astype(np.uint8))
    write_nifti(tmp_path / "image.nii", np.random.default_rng(1).integers(0, 99, foreground.shape).astype(np.int16))
    command = ["label", tmp_path / "in.nii", "--fill-holes", "--device", "cpu", "--intensity", tmp_path / "image.nii", "-o", tmp_path / "out.nii",
               "--stats", tmp_path / "t.csv", "--preview", tmp_path / "p.png", "-f"]
    outputs = []
    for memory in ([], limit_for_slabs(voxcc, *command)):
        voxcc(*command, *memory)
        outputs.append([(tmp_path / file).read_bytes() for file in ("out.nii", "t.csv", "p.png")])
    assert outputs[0] == outputs[1]


def test_sizes_in_mm3(voxcc, tmp_path):
    foreground = np.ones((9, 9, 30), bool)
    foreground[4, 4, 2:3] = foreground[4, 4, 5:7] = foreground[4, 4, 9:12] = foreground[4, 4, 14:18] = False
    write_nifti(tmp_path / "in.nii", foreground.astype(np.uint8), affine=np.diag([0.1, 0.1, 0.1, 1]))
    for size, holes in (("0.003mm3", 3), ("0.0029mm3", 2), ("4", 4), ("0.5", None), ("1", 1)):
        if holes is None:
            continue
        labels = run(voxcc, tmp_path, "--max-hole", size)
        assert (labels == 0).sum() == sum((1, 2, 3, 4)[holes:]), size
    image = nibabel.Nifti1Image(foreground.T.astype(np.uint8), np.diag([2, 2, 2, 1]))
    nibabel.save(image, tmp_path / "in.nii")
    assert (run(voxcc, tmp_path, "--max-hole", "16mm3") == 0).sum() == 7


def test_option_without_filling_is_an_error(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", np.ones((3, 4, 5), np.uint8))
    assert "--fill-holes" in voxcc.fails(64, "label", tmp_path / "in.nii", "--max-hole", "5")


def test_holes_take_no_more_than_the_memory_limit(voxcc, tmp_path):
    image = (np.random.default_rng(3).random((120, 200, 200)) < 0.9).astype(np.uint8)
    write_nifti(tmp_path / "in.nii", image)
    command = ["label", tmp_path / "in.nii", "--fill-holes", "--device", "cpu", "-o", tmp_path / "out.nii"]
    message = voxcc.fails(71, *command, *limit_for_slabs(voxcc, *command))
    assert "too many components" in message and not (tmp_path / "out.nii").exists()
