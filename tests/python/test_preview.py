"""The pictures of --preview, compared with views that numpy computes from the volume.

Arrays are [x, y, z] here: x to the right of the patient, y to anterior, z to superior, as in the affine of NIfTI.
"""

import itertools

import h5py
import nibabel
import numpy as np
import pytest
import scipy.ndimage
import tifffile
from helpers import blobs, label_scipy, sha256, write_nifti
from PIL import Image
from preview_pictures import BACKGROUND, PALETTE, TEXT, panels_of, read_picture, write_oriented

BRIGHTEST_GREY = 120
ORIENTATIONS = ["".join(codes) for order in itertools.permutations(("LR", "PA", "IS")) for codes in itertools.product(*order)]


def samples(panel, shape):
    """One pixel per voxel of a view with `shape` rows and columns: the pixel in the middle."""
    rows, columns = (((np.arange(n) + 0.5) * size / n).astype(int) for n, size in zip(shape, panel.shape))
    return panel[np.ix_(rows, columns)].astype(float)


def colours(pixels):
    """The number of the palette colour whose shade each pixel is, or 0 for grey."""
    length = np.linalg.norm(pixels, axis=-1, keepdims=True)
    cosine = pixels / np.maximum(length, 1) @ (PALETTE / np.linalg.norm(PALETTE, axis=1, keepdims=True)).T
    grey = pixels.max(-1) == pixels.min(-1)
    assert (cosine.max(-1)[~grey] > 0.999).all()
    return np.where(grey, 0, cosine.argmax(-1) + 1)


def first_nonzero(labels, axis):
    """The first label that is not 0 along an axis."""
    at = np.expand_dims((labels != 0).argmax(axis), axis)
    return np.take_along_axis(labels, at, axis).squeeze(axis)


def anatomical_views(labels):
    """Coronal from the front, sagittal from the left, axial from below, as [row, column]."""
    coronal = first_nonzero(labels[:, ::-1], 1)[::-1, ::-1].T
    sagittal = first_nonzero(labels, 0)[::-1, ::-1].T
    axial = first_nonzero(labels, 2)[::-1, ::-1].T
    return [coronal, sagittal, axial]


def stored_views(labels):
    """i j from k = 0, k j from the last i, i k from the last j, as [row, column]."""
    return [first_nonzero(labels, 2).T, first_nonzero(labels[::-1], 0), first_nonzero(labels[:, ::-1], 1).T]


def phantom():
    """Boxes of different sizes. They hide each other in every view, and no view is symmetrical. The number of a box is its rank by size."""
    labels = np.zeros((14, 17, 11), np.uint8)
    labels[1:12, 2:13, 2:5] = 1
    labels[2:10, 3:8, 6:10] = 2
    labels[7:11, 10:16, 6:9] = 3
    labels[2:5, 9:14, 7:9] = 4
    labels[3:6, 5:8, 0:1] = 5
    labels[12:14, 1:3, 8:9] = 6
    assert (np.diff(np.bincount(labels.ravel())[1:]) < 0).all()
    return labels


def preview(voxcc, path, *options, sort="size"):
    picture = path.with_name(path.name.split(".")[0] + ".png")
    voxcc("label", path, "--preview", picture, "--sort", sort, "--device", "cpu", "-f", *options)
    return picture


def check_views(panels, views):
    assert len(panels) == len(views)
    for panel, view in zip(panels, views):
        np.testing.assert_array_equal(colours(samples(panel, view.shape)), view)


def test_views_of_a_phantom(voxcc, tmp_path):
    labels = phantom()
    picture = read_picture(preview(voxcc, write_oriented(tmp_path / "p.nii", labels, "RAS")))
    views = anatomical_views(labels)
    assert any((view != labels.max(axis).T[::-1, ::-1]).any() for view, axis in zip(views, (1, 0, 2)))  # not the largest number
    check_views(panels_of(picture), views)
    assert {panel.shape[0] / view.shape[0] for panel, view in zip(panels_of(picture), views)} == {panels_of(picture)[0].shape[1] / 14}


@pytest.mark.parametrize("codes", ORIENTATIONS)
def test_orientations(voxcc, tmp_path, codes):
    """The picture does not depend on the order and the direction in which the axes are stored. It contains the letters."""
    labels, spacing = phantom(), (1, 2, 1.5)
    pictures = [preview(voxcc, write_oriented(tmp_path / c / "p.nii", labels, c, spacing)) for c in ("RAS", codes)]
    assert len(ORIENTATIONS) == 48
    assert sha256(pictures[0]) == sha256(pictures[1])


@pytest.mark.parametrize("codes", ("RAS", "LPI", "SAR", "PSL"))
def test_oblique(voxcc, tmp_path, codes):
    turn = scipy.spatial.transform.Rotation.from_euler("xyz", (20, -15, 10), degrees=True).as_matrix()
    straight = preview(voxcc, write_oriented(tmp_path / "a" / "p.nii", phantom(), "RAS", (1, 2, 1.5)))
    oblique = preview(voxcc, write_oriented(tmp_path / "b" / "p.nii", phantom(), codes, (1, 2, 1.5), turn))
    assert sha256(straight) == sha256(oblique)


def margin_text(pixels, panel_box, side):
    """The letters beside a panel, without empty rows and columns."""
    top, left, height, width = panel_box
    rows, columns = {"left": (slice(top, top + height), slice(left - 30, left)),
                     "right": (slice(top, top + height), slice(left + width, left + width + 30)),
                     "top": (slice(top - 30, top), slice(left, left + width)),
                     "bottom": (slice(top + height, top + height + 30), slice(left, left + width))}[side]
    text = (pixels[rows, columns] == TEXT).all(2)
    assert text.any(), side
    rows, columns = np.nonzero(text)
    return text[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].tobytes()


def test_letters(voxcc, tmp_path):
    """Equal letters are at the edges that must have equal letters; others differ."""
    def letters(path):
        pixels = read_picture(preview(voxcc, path))
        regions, _ = scipy.ndimage.label((pixels != BACKGROUND).any(2))
        boxes = sorted((rows.start, columns.start, rows.stop - rows.start, columns.stop - columns.start)
                       for rows, columns in scipy.ndimage.find_objects(regions) if rows.stop - rows.start > 50)
        return [[margin_text(pixels, box, side) for side in ("left", "right", "top", "bottom")] for box in boxes]

    coronal, sagittal, axial = letters(write_oriented(tmp_path / "p.nii", phantom(), "RAS"))
    right, left, superior, inferior = coronal
    anterior, posterior = sagittal[:2]
    assert sagittal == [anterior, posterior, superior, inferior]
    assert axial == [right, left, anterior, posterior]
    assert len({right, left, superior, inferior, anterior, posterior}) == 6
    tifffile.imwrite(tmp_path / "p.tif", phantom().T)
    first, second, third = letters(tmp_path / "p.tif")
    assert first[2:] == second[2:] and first[:2] == third[:2] and second[:2] == third[2:]
    assert len({*first, *second, *third, right, left, superior, inferior, anterior, posterior}) == 12


def test_a_file_without_orientation(voxcc, tmp_path):
    labels = phantom()
    tifffile.imwrite(tmp_path / "p.tif", labels.T)
    check_views(panels_of(read_picture(preview(voxcc, tmp_path / "p.tif"))), stored_views(labels))


@pytest.mark.parametrize("chunks", ((4, 5, 6), (11, 17, 14), None))
def test_chunks(voxcc, tmp_path, chunks):
    """Chunked data are read chunk by chunk."""
    values = np.random.default_rng(2).integers(0, 900, (14, 17, 11)).astype(np.uint16)
    values[phantom() > 0] = 1000
    with h5py.File(tmp_path / "p.h5", "w") as file:
        file.create_dataset("volume", data=values.T, chunks=chunks, compression="gzip" if chunks else None)
    panels = panels_of(read_picture(preview(voxcc, tmp_path / "p.h5", "--threshold", ">=1000")))
    numbers = np.where(values >= 1000, label_scipy((values >= 1000).astype(int), 26), 0)
    sizes = np.bincount(numbers.ravel())[1:]
    assert len(set(sizes)) == len(sizes) > 1
    ranks = np.concatenate(([0], np.argsort(np.argsort(-sizes)) + 1))[numbers]
    projections = [values.max(2).T, values.max(0), values.max(1).T]
    for panel, view, grey in zip(panels, stored_views(ranks), grey_levels([p.astype(float) for p in projections])):
        shown = samples(panel, view.shape)
        np.testing.assert_array_equal(colours(shown), view)
        np.testing.assert_allclose(shown[view == 0][:, 0], grey[view == 0], atol=0.51)


def expected_panels(shape, spacing):
    """The sizes (height, width) of the panels, in steps of the smallest spacing."""
    x, y, z = np.array(shape) * np.array(spacing) / min(spacing)
    return [(z, x), (z, y), (y, x)]


@pytest.mark.parametrize("shape, spacing", [((64, 64, 9), (0.78125, 0.78125, 6.5)), ((40, 30, 20), (1, 1, 1)), ((20, 50, 30), (2, 0.5, 1)),
                                            ((30, 20, 10), (1e-3, 1e-3, 4e-3))])
def test_spacing(voxcc, tmp_path, shape, spacing):
    array = np.zeros(shape, np.uint8)
    array[2:5, 3:9, 4:6] = 1
    panels = panels_of(read_picture(preview(voxcc, write_oriented(tmp_path / "p.nii", array, "RAS", spacing))))
    expected = expected_panels(shape, spacing)
    factor = panels[0].shape[1] / expected[0][1]
    for panel, (height, width) in zip(panels, expected):
        assert abs(panel.shape[0] - height * factor) <= 1 and abs(panel.shape[1] - width * factor) <= 1
    check_views(panels, anatomical_views(array))
    other = preview(voxcc, write_oriented(tmp_path / "q.nii", array, "RAS"), "--spacing", ",".join(map(str, spacing)))
    assert [p.shape for p in panels_of(read_picture(other))] == [p.shape for p in panels]


@pytest.mark.parametrize("shape", [(3, 4, 5), (60, 70, 80), (180, 200, 150), (300, 300, 300), (20, 20, 900), (700, 30, 40), (1300, 40, 30),
                                   (4, 5, 1), (256, 254, 1), (1500, 900, 1), (30, 1, 40)])
def test_sizes(voxcc, tmp_path, shape):
    """Small volumes are enlarged by whole factors, large ones are reduced, and no edge has more than 1200 pixels."""
    array = np.zeros(shape, np.uint8)
    array[tuple(n // 2 for n in shape)] = 1
    pixels = read_picture(preview(voxcc, write_oriented(tmp_path / "p.nii", array, "RAS")))
    assert 560 <= max(pixels.shape) <= 1200
    panels = panels_of(pixels)
    x, y, z = shape
    sizes = {(30, 1, 40): [(z, x)]}.get(shape, [(y, x)] if z == 1 else [(z, x), (z, y), (y, x)])
    assert len(panels) == len(sizes)
    factor = panels[0].shape[1] / sizes[0][1]
    assert factor == int(factor) or factor < 1
    if factor >= 1:
        assert [panel.shape[:2] for panel in panels] == [(height * factor, width * factor) for height, width in sizes]
    assert all((colours(panel.astype(float)) == 1).any() for panel in panels)  # one voxel remains visible, also if it is reduced


def test_two_dimensions(voxcc, tmp_path):
    array = blobs((50, 70), 0.3, 4)
    tifffile.imwrite(tmp_path / "p.tif", array)
    labels = label_scipy(array, 8)
    panels = panels_of(read_picture(preview(voxcc, tmp_path / "p.tif", sort="raster")))
    assert len(panels) == 1
    np.testing.assert_array_equal(colours(samples(panels[0], labels.shape)), np.where(labels, (labels - 1) % len(PALETTE) + 1, 0))


def grey_levels(projections):
    """The window from the 1st to the 99th percentile of all projected values."""
    values = np.sort(np.concatenate([p.ravel() for p in projections]))
    low, high = (values[(values.size - 1) * p // 100] for p in (1, 99))
    return [BRIGHTEST_GREY * np.clip((p - low) / (high - low), 0, 1) for p in projections]


@pytest.mark.parametrize("slope", (1, 2.5, -3))
def test_the_image_is_under_the_components(voxcc, tmp_path, slope):
    """Where no component is, the picture shows the maximum of the scaled values."""
    values = np.random.default_rng(3).gamma(2, 300, (20, 18, 16)).astype(np.int16)
    values[5:9, 4:8, 3:7] = 30000 if slope > 0 else -30000
    image = nibabel.Nifti1Image(values, np.eye(4))
    image.header.set_slope_inter(slope, 10)
    nibabel.save(image, tmp_path / "p.nii")
    scaled = values * float(slope) + 10
    panels = panels_of(read_picture(preview(voxcc, tmp_path / "p.nii", "--threshold", ">20000")))
    projections = [scaled.max(axis)[::-1, ::-1].T for axis in (1, 0, 2)]
    for panel, grey, view in zip(panels, grey_levels(projections), anatomical_views((scaled > 20000).astype(int))):
        shown = samples(panel, view.shape)
        np.testing.assert_array_equal(colours(shown), view)
        np.testing.assert_allclose(shown[view == 0][:, 0], grey[view == 0], atol=0.51)


def test_removed_components_remain_in_the_mask(voxcc, tmp_path):
    labels = phantom()
    panels = panels_of(read_picture(preview(voxcc, write_oriented(tmp_path / "p.nii", (labels > 0).astype(np.uint8), "RAS"),
                                            "--keep-largest", "2")))
    for panel, kept, mask in zip(panels, anatomical_views(np.where(labels > 2, 0, labels)), anatomical_views((labels > 0).astype(int))):
        shown = samples(panel, kept.shape)
        np.testing.assert_array_equal(colours(shown), kept)
        np.testing.assert_array_equal(shown[kept == 0].max(-1), BRIGHTEST_GREY * mask[kept == 0])


@pytest.mark.parametrize("value", (0, 7, np.nan, np.inf))
def test_no_component(voxcc, tmp_path, value):
    array = np.full((9, 8, 7), value, np.float32)
    panels = panels_of(read_picture(preview(voxcc, write_oriented(tmp_path / "p.nii", array, "RAS"), "--threshold", "1e38:2e38")))
    assert len(panels) == 3 and all((panel == 0).all() for panel in panels)


def test_values_that_are_not_finite_do_not_count(voxcc, tmp_path):
    random = np.random.default_rng(1)
    array = random.random((12, 11, 10)).astype(np.float32)
    array[random.random(array.shape) < 0.3] = np.nan
    array[random.random(array.shape) < 0.1] = np.inf
    panels = panels_of(read_picture(preview(voxcc, write_oriented(tmp_path / "p.nii", array, "RAS"), "--threshold", "5:6")))
    finite = np.where(np.isfinite(array), array, -1).astype(float)
    projections = [finite.max(axis)[::-1, ::-1].T for axis in (1, 0, 2)]
    assert min(p.min() for p in projections) >= 0
    for panel, grey in zip(panels, grey_levels(projections)):
        np.testing.assert_allclose(samples(panel, grey.shape)[..., 0], grey, atol=0.51)


@pytest.mark.parametrize("spacing", (1, 0.35, 3, 6e-5))
def test_scale_bar(voxcc, tmp_path, spacing):
    """The bar is the longest of 1, 2, 5, 10, ... units that has at most 150 pixels, drawn to scale."""
    array = np.zeros((40, 30, 20), np.uint8)
    array[1:3, 2:5, 3:6] = 1
    pixels = read_picture(preview(voxcc, write_oriented(tmp_path / "p.nii", array, "RAS", (spacing,) * 3)))
    per_unit = panels_of(pixels)[0].shape[1] / 40 / spacing
    lengths = [digit * 10.0**power for power in range(-9, 9) for digit in (1, 2, 5)]
    expected = max(length for length in lengths if length * per_unit <= 150.001) * per_unit
    text = (pixels == TEXT).all(2)
    edges = np.diff(np.pad(text, ((0, 0), (1, 1))).astype(int), axis=1)
    runs = [end - start for row in edges for start, end in zip(np.flatnonzero(row == 1), np.flatnonzero(row == -1))]
    assert max(runs) == round(expected) and 60 <= expected <= 150


def test_more_slabs_and_threads_give_the_same_bytes(voxcc, tmp_path):
    """Also for another algorithm, and if the labels are written in the same run."""
    array = blobs((96, 160, 160), 0.4, 3)
    path = write_nifti(tmp_path / "p.nii", array, np.diag([-1, 1, 2, 1]))
    first = sha256(preview(voxcc, path, "-t", "1"))
    assert first == sha256(preview(voxcc, path, "-t", "2"))
    assert first == sha256(preview(voxcc, path, "--algorithm", "uf"))
    assert first == sha256(preview(voxcc, path, "-o", tmp_path / "l.nii.gz", "--stats", tmp_path / "t.csv"))
    command = ["label", path, "--preview", tmp_path / "s.png", "--sort", "size", "--device", "cpu", "-t", "2", "-f"]
    plan = voxcc(*command, "--dry-run").stdout
    memory = int(plan.split('"memory_bytes": ')[1].split(",")[0])
    done = voxcc(*command, "--max-memory", memory - 400_000, "-v")
    assert "streams" in done.stderr
    assert first == sha256(tmp_path / "s.png")


def test_slices_across_other_axes(voxcc, tmp_path):
    """--per-slice exchanges axes for labelling. The picture shows the stored axes."""
    labels = np.zeros((8, 9, 10), np.uint8)
    labels[1:3, 2:8, 4:9], labels[5:7, 1:4, 2:6] = 1, 1
    for axis in "xyz":
        path = write_oriented(tmp_path / "p.nii", labels, "RAS")
        panels = panels_of(read_picture(preview(voxcc, path, "--per-slice", axis)))
        slices = np.moveaxis(labels, "xyz".index(axis), 0)
        count = sum(scipy.ndimage.label(s, np.ones((3, 3)))[1] for s in slices)
        assert count > 2
        for panel, view in zip(panels, anatomical_views(labels)):
            np.testing.assert_array_equal(colours(samples(panel, view.shape)) > 0, view > 0)


def test_volumes_of_a_series(voxcc, tmp_path):
    labels = phantom()
    series = np.stack([labels, labels[::-1]], 3)
    nibabel.save(nibabel.Nifti1Image(series, np.eye(4)), tmp_path / "p.nii")
    voxcc("label", "p.nii", "--volume", "all", "--sort", "size", "--preview", "v{volume}.png", cwd=tmp_path)
    for volume in range(2):
        check_views(panels_of(read_picture(tmp_path / f"v{volume}.png")), anatomical_views(series[..., volume]))
    voxcc("label", "p.nii", "--volume", "1", "--sort", "size", "--preview", "one.png", cwd=tmp_path)
    assert sha256(tmp_path / "one.png") == sha256(tmp_path / "v1.png")
    assert sha256(tmp_path / "one.png") != sha256(tmp_path / "v0.png")


@pytest.mark.parametrize("stem", ("a" * 120, "Gehirn-ä-脳", "x y"))
def test_names(voxcc, tmp_path, stem):
    path = write_oriented(tmp_path / f"{stem}.nii", phantom(), "RAS")
    check_views(panels_of(read_picture(preview(voxcc, path))), anatomical_views(phantom()))


def test_colours_of_an_image(voxcc, tmp_path):
    """The picture of a colour image shows the sum of the channels."""
    image = np.zeros((20, 30, 3), np.uint8)
    image[2:8, 3:9] = (10, 20, 30)
    image[10:18, 12:28] = (200, 100, 0)
    Image.fromarray(image).save(tmp_path / "p.png")
    voxcc("label", tmp_path / "p.png", "--colour", "0", "--algorithm", "ziegler-gather", "--min-size", "100", "--preview", tmp_path / "out.png")
    (panel,) = panels_of(read_picture(tmp_path / "out.png"))
    shown = samples(panel, (20, 30))
    np.testing.assert_array_equal(colours(shown), (image.sum(2) == 300).astype(int))
    np.testing.assert_array_equal(shown[2:8, 3:9], BRIGHTEST_GREY * 60 / 300)


@pytest.mark.parametrize("name", ("p.jpg", "p", "png", "p.png.tif", ".png"))
def test_other_extensions_are_refused_before_anything_is_read(voxcc, tmp_path, name):
    assert "does not end in .png" in voxcc.fails(64, "label", tmp_path / "missing.nii", "--preview", name, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
