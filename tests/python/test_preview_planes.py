"""--preview over an image: grey values, outlines and numbers in three planes, compared with a drawing by numpy and scipy.

Arrays are [x, y, z] here: x to the right of the patient, y to anterior, z to superior, as in the affine of NIfTI.
"""

import json

import nibabel
import numpy as np
import pytest
import scipy.ndimage
import tifffile
from helpers import blobs, sha256, write_nifti
from preview_pictures import PALETTE, panels_of, read_picture, write_oriented

BRIGHTEST_GREY = 210


def boxes(count=13):
    """Boxes of different sizes; the number of a box is its rank by size. Planes through the first one cut most of them."""
    labels = np.zeros((60, 50, 40), np.uint8)
    labels[20:40, 20:32, 14:26] = 1
    places = [(2, 24, 18), (44, 24, 18), (28, 3, 18), (28, 40, 18), (28, 24, 3), (28, 24, 33), (2, 3, 19), (44, 40, 19), (2, 40, 19),
              (44, 3, 19), (10, 10, 10), (52, 10, 18)]
    for number, (x, y, z) in enumerate(places[: count - 1], 2):
        labels[x : x + 7, y : y + 7, z : z + 5] = number
        labels[x : x + 7, y, z : z + 5].flat[: 2 * (number - 2)] = 0
    assert (np.diff(np.bincount(labels.ravel())[1:]) < 0).all()
    return labels


def ring():
    """A component whose centroid is outside: the planes must still cut it."""
    labels = np.zeros((40, 44, 20), np.uint8)
    labels[5:35, 6:38, 8:12] = 1
    labels[9:31, 10:34, 8:12] = 0
    labels[18:22, 20:24, 9:11] = 2
    return labels


def image_for(labels):
    return (1000 + 100 * np.random.default_rng(5).random(labels.shape) + 50 * (labels > 0)).astype(np.int16)


def middle_voxel(labels, spacing, codes="RAS"):
    """The voxel of component 1 that is nearest to its centroid. Of equal ones the first in the file, whose axes are in the order of `codes`."""
    voxels = np.argwhere(labels == 1)
    distance = (((voxels - voxels.mean(0)) * spacing) ** 2).sum(1)
    nearest = voxels[distance <= distance.min() * (1 + 1e-12)]
    world = ["LR", "PA", "IS"]
    axes = [next(axis for axis, ends in enumerate(world) if code in ends) for code in codes]
    stored = [nearest[:, axis] * (1 if code in "RAS" else -1) for axis, code in zip(axes, codes)]
    return nearest[np.lexsort(stored)[0]]  # the last key counts first: k, then j, then i


def planes_through(array, voxel):
    """Coronal from the front, sagittal from the left, axial from below, as [row, column]."""
    x, y, z = voxel
    return [array[:, y][::-1, ::-1].T, array[x][::-1, ::-1].T, array[:, :, z][::-1, ::-1].T]


def enlarged(plane, shape):
    rows, columns = (np.arange(size) * n // size for size, n in zip(shape, plane.shape))
    return plane[np.ix_(rows, columns)]


def expected_panel(labels, image, window, shape):
    """The pixels of a panel without numbers. Outlines are where a square of pixels contains another label or the edge."""
    grey = np.clip((image - window[0]) / (window[1] - window[0]), 0, 1) * BRIGHTEST_GREY
    labels_here, grey_here = enlarged(labels, shape), enlarged(grey, shape)
    pixels = np.repeat(np.floor(grey_here + 0.5)[..., None], 3, 2)
    size = 5 if shape[0] >= 4 * labels.shape[0] and shape[1] >= 4 * labels.shape[1] else 3
    least, most = (f(labels_here.astype(int), size, mode="constant", cval=-1) for f in (scipy.ndimage.minimum_filter, scipy.ndimage.maximum_filter))
    outline = (labels_here > 0) & ((least != labels_here) | (most != labels_here))
    pixels[outline] = PALETTE[(labels_here[outline].astype(int) - 1) % len(PALETTE)]
    return pixels


def window_of(planes):
    values = np.sort(np.concatenate([plane.ravel() for plane in planes]).astype(float))
    return [values[(values.size - 1) * p // 100] for p in (1, 99)]


def check_panel(panel, expected, labels):
    """Compares a panel. Pixels that differ belong to numbers. @return the shape of the letters of each number, by label"""
    differs = (np.abs(panel.astype(float) - expected) > 1).any(2)
    numbers, count = scipy.ndimage.label(scipy.ndimage.binary_dilation(differs, np.ones((3, 3)), 3))
    numbered = sorted(set(np.unique(labels)) & set(range(1, 11)))
    found = {}
    for index, box in enumerate(scipy.ndimage.find_objects(numbers), 1):
        assert box[0].stop - box[0].start <= 26 and box[1].stop - box[1].start <= 42
        changed = panel[box][differs[box] & (numbers[box] == index)]
        letters = changed[changed.any(1)]
        colours = np.unique(letters, axis=0)
        assert len(colours) == 1  # one colour on black
        (label,) = np.flatnonzero((PALETTE == colours[0]).all(1)) + 1
        mask = (panel[box] == colours[0]).all(2) & differs[box]
        rows, columns = np.nonzero(mask)
        found[int(label)] = mask[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    assert sorted(found) == numbered and count == len(numbered)
    return found


def picture_of(voxcc, mask, image, *options):
    picture = mask.with_name(mask.name.split(".")[0] + ".png")
    voxcc("label", mask, "--preview", picture, "--preview-image", image, "--multilabel", "--sort", "size", "--device", "cpu", "-f", *options)
    return picture


def write_pair(folder, labels, image, codes="RAS", spacing=(1, 1, 1)):
    return write_oriented(folder / "mask.nii", labels, codes, spacing), write_oriented(folder / "image.nii", image, codes, spacing)


@pytest.mark.parametrize("labels", (boxes(), boxes(2), ring()), ids=("boxes", "two", "ring"))
@pytest.mark.parametrize("codes, spacing", (("RAS", (1, 1, 1)), ("LPI", (1, 2, 1.5)), ("SAR", (0.7, 0.7, 3))))
def test_planes(voxcc, tmp_path, labels, codes, spacing):
    image = image_for(labels)
    picture = picture_of(voxcc, *write_pair(tmp_path, labels, image, codes, spacing))
    voxel = middle_voxel(labels, spacing, codes)
    assert labels[tuple(voxel)] == 1
    cut, values = planes_through(labels, voxel), planes_through(image, voxel)
    panels, letters = panels_of(read_picture(picture)), {}
    assert len(panels) == 3
    for panel, plane, grey in zip(panels, cut, values):
        assert (plane == 1).any()
        for label, mask in check_panel(panel, expected_panel(plane, grey, window_of(values), panel.shape[:2]), plane).items():
            assert (letters.setdefault(label, mask) == mask).all()  # the same digits in each plane
    assert len({mask.tobytes() for mask in letters.values()}) == len(letters)
    assert letters.keys() >= {1, 2}
    assert 10 not in letters or letters[10].shape[1] > 2 * letters[2].shape[1] - 2
    sizes = [(panel.shape[0] / plane.shape[0], panel.shape[1] / plane.shape[1]) for panel, plane in zip(panels, cut)]
    x, y, z = (step / min(spacing) for step in spacing)
    for (height, width), (down, right) in zip(sizes, ((z, x), (z, y), (y, x))):
        assert height / down == pytest.approx(sizes[2][1] / x, rel=0.01) and width / right == pytest.approx(sizes[2][1] / x, rel=0.01)


def test_a_file_without_orientation(voxcc, tmp_path):
    """A TIFF has the planes i j, k j and i k."""
    labels = ring()
    image = image_for(labels)
    for name, array in (("mask.tif", labels), ("image.tif", image)):
        tifffile.imwrite(tmp_path / name, array.T)
    panels = panels_of(read_picture(picture_of(voxcc, tmp_path / "mask.tif", tmp_path / "image.tif")))
    x, y, z = middle_voxel(labels, (1, 1, 1))
    cut, values = ([a[:, :, z].T, a[x], a[:, y].T] for a in (labels, image))
    for panel, plane, grey in zip(panels, cut, values):
        check_panel(panel, expected_panel(plane, grey, window_of(values), panel.shape[:2]), plane)


def test_two_dimensions_reduced(voxcc, tmp_path):
    """A large 2D image is reduced: a pixel shows the largest value of its voxels."""
    labels = np.zeros((2600, 1900), np.uint8)
    labels[300:700, 200:900] = 1
    labels[2000, 1500] = 1
    image = (labels * 0 + np.random.default_rng(1).integers(10, 200, labels.shape)).astype(np.uint8)
    for name, array in (("mask.tif", labels), ("image.tif", image)):
        tifffile.imwrite(tmp_path / name, array)
    (panel,) = panels_of(read_picture(picture_of(voxcc, tmp_path / "mask.tif", tmp_path / "image.tif")))
    rows, columns = (np.arange(n) * size // n for n, size in zip(labels.shape, panel.shape))
    largest, first = np.zeros(panel.shape[:2]), np.zeros(panel.shape[:2], int)
    np.maximum.at(largest, (rows[:, None], columns), image)
    np.maximum.at(first, (rows[:, None], columns), scipy.ndimage.label(labels)[0])
    check_panel(panel, expected_panel(first, largest, window_of([largest]), panel.shape[:2]), first)


def test_the_first_intensity_is_the_background(voxcc, tmp_path):
    labels = boxes(4)
    mask, image = write_pair(tmp_path, labels, image_for(labels))
    other = write_oriented(tmp_path / "other.nii", image_for(labels)[::-1].copy(), "RAS")
    first = sha256(picture_of(voxcc, mask, image))
    table = ["--stats", tmp_path / "t.csv"]
    command = ["label", mask, "--multilabel", "--sort", "size", "--preview", tmp_path / "i.png", "-f"]
    voxcc(*command, *table, "--intensity", image, "--intensity", f"b={other}")
    assert sha256(tmp_path / "i.png") == first
    voxcc(*command, *table, "--intensity", other, "--preview-image", image)
    assert sha256(tmp_path / "i.png") == first
    voxcc(*command, *table, "--intensity", other, "--percentiles", "5,50")
    assert sha256(tmp_path / "i.png") != first
    voxcc(*command)
    assert sha256(tmp_path / "i.png") != first


def test_without_components(voxcc, tmp_path):
    """The planes through the middle of the image, without outlines."""
    image = image_for(np.zeros((20, 24, 30), np.uint8))
    mask, image_file = write_pair(tmp_path, np.zeros((20, 24, 30), np.uint8), image)
    panels = panels_of(read_picture(picture_of(voxcc, mask, image_file)))
    values = planes_through(image, (10, 12, 15))
    for panel, grey in zip(panels, values):
        check_panel(panel, expected_panel(np.zeros(grey.shape, int), grey, window_of(values), panel.shape[:2]), np.zeros(1))


def test_slabs_and_threads_give_the_same_bytes(voxcc, tmp_path):
    array = blobs((96, 160, 160), 0.4, 3)
    mask = write_nifti(tmp_path / "mask.nii", array, np.diag([-1, 1, 2, 1]))
    image = write_nifti(tmp_path / "image.nii.gz", image_for(array), np.diag([-1, 1, 2, 1]))

    def picture(*options):
        voxcc("label", mask, "--preview-image", image, "--preview", tmp_path / "p.png", "--device", "cpu", "-f", *options)
        return sha256(tmp_path / "p.png")

    first = picture("-t", "1")
    assert first == picture("-t", "2")
    assert first == picture("--algorithm", "uf")
    options = ["label", mask, "--preview-image", image, "--preview", tmp_path / "p.png", "--device", "cpu", "-t", "2", "-f"]
    memory = json.loads(voxcc(*options, "--dry-run").stdout)["memory_bytes"]
    done = voxcc(*options, "--max-memory", memory - 400_000, "-v")
    assert "streams" in done.stderr
    assert first == sha256(tmp_path / "p.png")


@pytest.mark.parametrize("options", (["--periodic", "xyz"], ["--per-slice", "x"], ["--per-slice", "y"], ["--fill-holes"]))
def test_options_that_change_the_labelling(voxcc, tmp_path, options):
    """The planes go through the largest component also if axes are exchanged or components cross the ends."""
    labels = np.roll((boxes(3) > 0).astype(np.uint8), 30, 0)
    mask, image = write_pair(tmp_path, labels, image_for(labels))
    voxcc("label", mask, "--preview-image", image, "--preview", tmp_path / "p.png", "--sort", "size", "-f", *options)
    panels = panels_of(read_picture(tmp_path / "p.png"))
    assert len(panels) == 3 and all((panel == PALETTE[0]).all(2).sum() > 20 for panel in panels)


def test_colours_are_distinct():
    """CIELAB differences of at least 20 between all colours."""
    skimage = pytest.importorskip("skimage.color")
    lab = skimage.rgb2lab(PALETTE[None] / 255)[0]
    distance = np.linalg.norm(lab[:, None] - lab[None], axis=2) + 1000 * np.eye(len(PALETTE))
    assert len(PALETTE) > 7 and distance.min() > 20


def test_batches_have_an_image_each(voxcc, tmp_path):
    pictures = {}
    for subject, count in (("01", 3), ("02", 5)):
        folder = tmp_path / f"sub-{subject}"
        labels = boxes(count)
        mask, image = write_pair(folder, labels, image_for(labels))
        pictures[subject] = panels_of(read_picture(picture_of(voxcc, mask, image)))
        nibabel.save(nibabel.Nifti1Image(np.stack([image_for(labels)[::-1], nibabel.load(image).dataobj], 3), nibabel.load(image).affine),
                     folder / "series.nii")
    masks = sorted(tmp_path.glob("sub-*/mask.nii"))
    for image in ("{dir}/image.nii", "{dir}/series.nii[1]"):
        voxcc("label", *masks, "--multilabel", "--sort", "size", "--preview", tmp_path / "{sub}.png", "--preview-image",
              f"{tmp_path}/sub-{{sub}}/{image.split('/')[1]}", "-f")
        for subject, expected in pictures.items():  # the text states the name of the image
            panels = panels_of(read_picture(tmp_path / f"{subject}.png"))
            assert len(panels) == 3 and all(map(np.array_equal, panels, expected))
    one = ["label", *masks, "--preview", tmp_path / "{sub}.png", "-f", "--preview-image"]
    assert "is one file, but there are 2 inputs" in voxcc.fails(64, *one, tmp_path / "sub-01/image.nii")
    assert "is not a known word" in voxcc.fails(64, *one, "{subject}.nii")
    voxcc(*one, tmp_path / "sub-01/image.nii", "--shared")


def test_errors(voxcc, tmp_path):
    labels = boxes(3)
    mask, image = write_pair(tmp_path, labels, image_for(labels))
    assert "no picture is written" in voxcc.fails(64, "label", mask, "--preview-image", image)
    write_oriented(tmp_path / "small.nii", image_for(labels)[1:], "RAS")
    write_oriented(tmp_path / "moved.nii", image_for(labels), "RAS", (1, 1, 1.5))
    for name, code, cause in (("small.nii", 65, "has the extent"), ("moved.nii", 65, "corners are"), ("none.nii", 66, "cannot open")):
        assert cause in voxcc.fails(code, "label", mask, "--preview", tmp_path / "p.png", "--preview-image", tmp_path / name)
    assert "is an input" in voxcc.fails(73, "label", mask, "--preview", image.rename(tmp_path / "image.png"), "--preview-image",
                                      tmp_path / "image.png", "-f")
    assert not (tmp_path / "p.png").exists()
