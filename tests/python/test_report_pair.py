"""Two label volumes on the page of `voxcc report` (`--beside`), against numpy and in a headless Chromium."""

import nibabel
import numpy as np
import pytest
from browser import CHROMIUM, Browser
from helpers import blobs, read_nifti, write_nifti
from report_pages import CORNERS_A, PAIR_SHAPE, cubes, data_of, pair, pixels_of, unpacked, write_table  # noqa: F401: `pair` is a fixture

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
LIMIT = 20_000_000  # bytes of a page


@pytest.fixture(scope="module")
def page_file(voxcc, pair):
    """The report of the pair, with an image."""
    voxcc("report", "a.csv", "--images", "image.nii.gz", "--labels", "a.nii.gz", "--beside", "matched.nii.gz", "-o", "a.html", cwd=pair)
    return pair / "a.html"


def rows_of_labels(labels, table_labels):
    """Labels as the page stores them: row + 1, or rows + 1 for labels without a row."""
    numbers = np.full(max(labels.max(), *table_labels) + 1, len(table_labels) + 1)
    numbers[0] = 0
    numbers[list(table_labels)] = np.arange(1, len(table_labels) + 1)
    return numbers[labels]


def blockwise(numbers, sizes, steps):
    """The number of the smallest component of each block; numbers beyond the rows come last."""
    order = np.argsort([*sizes, np.inf], kind="stable") + 1
    ranks = np.zeros(len(order) + 1, int)
    ranks[order] = np.arange(len(order), 0, -1)  # the smallest component has the highest rank
    padded = np.pad(ranks[numbers], [(0, -count % step) for count, step in zip(numbers.shape, steps)])
    for axis, step in enumerate(steps):
        padded = np.maximum.reduceat(padded, np.arange(0, padded.shape[axis], step), axis)
    return np.array([0, *order[::-1]])[padded]


def test_both_volumes_are_in_the_page(pair, page_file):
    picture = data_of(page_file)["volumes"][0]["picture"]
    matched = read_nifti(pair / "matched.nii.gz")
    assert set(np.unique(matched)) == {0, 5, 7, 301}
    np.testing.assert_array_equal(unpacked(picture, "labels"), rows_of_labels(read_nifti(pair / "a.nii.gz"), [5, 7, 300]))
    np.testing.assert_array_equal(unpacked(picture, "beside"), rows_of_labels(matched, [5, 7, 300]))
    assert (picture["labels_file"], picture["beside_file"]) == ("a.nii.gz", "matched.nii.gz")


def test_without_beside_there_is_no_second_volume(voxcc, pair, tmp_path):
    voxcc("report", pair / "a.csv", "--labels", pair / "a.nii.gz", "-o", tmp_path / "r.html")
    assert data_of(tmp_path / "r.html")["volumes"][0]["picture"]["beside"] is None


def test_labels_without_a_row_give_no_warning(voxcc, pair, tmp_path):
    done = voxcc("report", pair / "a.csv", "--labels", pair / "a.nii.gz", "--beside", pair / "matched.nii.gz", "-o", tmp_path / "r.html")
    assert done.stderr == ""
    done = voxcc("report", pair / "a.csv", "--labels", pair / "matched.nii.gz", "-f", "-o", tmp_path / "r.html")
    assert "lacks" in done.stderr  # as the first label volume, it does


def test_a_volume_without_components_shows_the_other_one(voxcc, pair, tmp_path):
    write_nifti(tmp_path / "a.nii", np.zeros(PAIR_SHAPE, np.uint8))
    voxcc("stats", "a.nii", "-o", "a.csv", cwd=tmp_path)
    voxcc("report", "a.csv", "--labels", "a.nii", "--beside", pair / "b.nii.gz", "-o", "r.html", cwd=tmp_path)
    picture = data_of(tmp_path / "r.html")["volumes"][0]["picture"]
    np.testing.assert_array_equal(unpacked(picture, "beside"), read_nifti(pair / "b.nii.gz") > 0)


def test_both_volumes_are_reduced(voxcc, tmp_path):
    """Above 8 million voxels, both have the smallest component of each block."""
    a = cubes((5, 1300, 1501), range(1, 41), [(1, 60 * (n % 20), 700 * (n // 20) + 7) for n in range(40)], 3)
    b = np.roll(a, 2, 2)
    b[:, 1290:, :] = 77
    write_nifti(tmp_path / "a.nii", a), write_nifti(tmp_path / "b.nii", b)
    voxcc("stats", "a.nii", "-o", "a.csv", cwd=tmp_path)
    assert "fewer voxels" in voxcc("report", "a.csv", "--labels", "a.nii", "--beside", "b.nii", "-o", "r.html", cwd=tmp_path).stderr
    picture = data_of(tmp_path / "r.html")["volumes"][0]["picture"]
    sizes = np.bincount(a.ravel())[1:]
    assert max(picture["step"]) > 1
    for name, array in (("labels", a), ("beside", b)):
        expected = blockwise(rows_of_labels(array, range(1, 41)), sizes, picture["step"][::-1])
        np.testing.assert_array_equal(unpacked(picture, name), expected)


def test_the_limit_of_a_page_counts_both_volumes(voxcc, tmp_path):
    """Noise cannot be compressed: the page has room for one volume with all of its voxels, and for two with fewer voxels. A quarter of the
    labels of the second volume have no row."""
    rng, count = np.random.default_rng(5), 20_000
    arrays = {name: rng.integers(0, end, (130, 200, 200)).astype(np.uint16) for name, end in (("labels", 20_001), ("beside", 26_667))}
    for name, array in arrays.items():
        write_nifti(tmp_path / f"{name}.nii", array)
    write_table(tmp_path / "t.csv", [["label", "voxels"], *([number, number] for number in range(1, count + 1))])
    command = "report", "t.csv", "--labels", "labels.nii"
    assert "below 20 MB" not in voxcc(*command, "-o", "one.html", cwd=tmp_path).stderr
    assert data_of(tmp_path / "one.html")["volumes"][0]["picture"]["step"] == [1, 1, 1]
    assert "below 20 MB" in voxcc(*command, "--beside", "beside.nii", "-o", "two.html", cwd=tmp_path).stderr
    assert LIMIT / 3 < (tmp_path / "two.html").stat().st_size < LIMIT
    picture = data_of(tmp_path / "two.html")["volumes"][0]["picture"]
    for name, array in arrays.items():
        expected = blockwise(rows_of_labels(array, range(1, count + 1)), range(1, count + 1), picture["step"][::-1])
        np.testing.assert_array_equal(unpacked(picture, name), expected)


def test_a_batch_has_a_second_volume_each(voxcc, tmp_path):
    for folder in ("ref", "pred", "matched"):
        (tmp_path / folder).mkdir()
    names = [f"sub-0{number}" for number in (1, 2, 3)]
    for seed, name in enumerate(names):
        voxels = blobs((10, 12, 14), 0.2, 1.5, seed=seed)
        write_nifti(tmp_path / f"{name}.nii", voxels)
        write_nifti(tmp_path / "pred" / f"{name}.nii", np.roll(voxels, 1, 2))
    voxcc("label", *(f"{name}.nii" for name in names), "-o", "ref/{stem}.nii", cwd=tmp_path)
    files = [f"ref/{name}.nii" for name in names]
    voxcc("match", *files, "pred/{stem}.nii", "--components", "-o", "matched/{stem}.nii", "--stats", "objects.csv", cwd=tmp_path)
    for file, name in zip(files, names):
        voxcc("stats", file, "-o", f"{name}.csv", cwd=tmp_path)
    for tables, labels, beside in ((["objects.csv"], "{file}", "matched/{stem}.nii"),
                                   (["objects.csv"], "ref/sub-{sub}.nii", "matched/sub-{sub}.nii"),
                                   ([f"{name}.csv" for name in names], "ref/{stem}.nii", "matched/{stem}.nii")):
        voxcc("report", *tables, "--labels", labels, "--beside", beside, "-f", "-o", "r.html", cwd=tmp_path)
        volumes = data_of(tmp_path / "r.html")["volumes"]
        assert [volume["picture"]["beside_file"] for volume in volumes] == [f"matched/{name}.nii" for name in names]
        for volume, name in zip(volumes, names):
            labels = [row[volume["columns"].index("label")] for row in volume["rows"]]
            for key, folder in (("labels", "ref"), ("beside", "matched")):
                expected = rows_of_labels(read_nifti(tmp_path / folder / f"{name}.nii"), labels)
                np.testing.assert_array_equal(unpacked(volume["picture"], key), expected)
    message = voxcc.fails(64, "report", "objects.csv", "--labels", "{file}", "--beside", "matched/sub-01.nii", "-o", "s.html", cwd=tmp_path)
    assert "--beside: 'matched/sub-01.nii' would be used for" in message and not (tmp_path / "s.html").exists()


def test_every_volume_of_a_4d_file(voxcc, tmp_path):
    arrays = [np.stack([cubes(PAIR_SHAPE, (1, 2, 3), np.add(CORNERS_A, shift)) for shift in shifts]) for shifts in ((0, 1), (1, 2))]
    for name, array in zip("ab", arrays):
        nibabel.save(nibabel.Nifti1Image(array.transpose(3, 2, 1, 0), np.eye(4)), tmp_path / f"{name}.nii")
    voxcc("stats", "a.nii", "--volume", "all", "-o", "a.csv", cwd=tmp_path)
    voxcc("report", "a.csv", "--labels", "a.nii", "--beside", "b.nii", "-o", "r.html", cwd=tmp_path)
    volumes = data_of(tmp_path / "r.html")["volumes"]
    assert len(volumes) == 2
    for number, volume in enumerate(volumes):
        for name, array in zip(("labels", "beside"), arrays):
            np.testing.assert_array_equal(unpacked(volume["picture"], name), array[number])


def test_errors(voxcc, pair, tmp_path):
    labels = "report", pair / "a.csv", "--labels", pair / "a.nii.gz"
    page = "-o", tmp_path / "r.html"
    message = voxcc.fails(64, "report", pair / "a.csv", "--images", pair / "image.nii.gz", "--beside", pair / "matched.nii.gz", *page)
    assert "--beside" in message and "add --labels" in message
    assert "missing.nii" in voxcc.fails(66, *labels, "--beside", tmp_path / "missing.nii", *page)
    write_nifti(tmp_path / "shape.nii", np.zeros((16, 20, 27), np.uint8))
    assert "extent" in voxcc.fails(65, *labels, "--beside", tmp_path / "shape.nii", *page)
    moved = write_nifti(tmp_path / "moved.nii", read_nifti(pair / "b.nii.gz"), nibabel.affines.from_matvec(np.eye(3), [0.3, 0, 0]))
    message = voxcc.fails(65, *labels, "--beside", moved, *page)
    assert "moved.nii" in message and "0.3 mm" in message and "--geometry-tolerance" in message
    halves = write_nifti(tmp_path / "halves.nii", np.full(PAIR_SHAPE, 0.5, np.float32))
    assert "0.5" in voxcc.fails(65, *labels, "--beside", halves, *page)
    assert not (tmp_path / "r.html").exists()
    voxcc(*labels, "--beside", moved, "--geometry-tolerance", "0.5", *page)
    assert "moved.nii" in voxcc(*labels, "--beside", moved, "--geometry-tolerance", "ignore", "-f", *page).stderr


def test_no_output_is_the_second_volume(voxcc, pair, tmp_path):
    content = (pair / "matched.nii.gz").read_bytes()
    (tmp_path / "page.html").hardlink_to(pair / "matched.nii.gz")
    message = voxcc.fails(73, "report", pair / "a.csv", "--labels", pair / "a.nii.gz", "--beside", pair / "matched.nii.gz", "-f",
                          "-o", tmp_path / "page.html")
    assert "is an input" in message and (tmp_path / "page.html").read_bytes() == content


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser
        assert browser.problems == []


def cells(page):
    """The canvases of the page: the box of each on the screen, its view, and the name of the label volume above it."""
    return page.value("""[...document.querySelectorAll('#views figure')].flatMap(figure => [...figure.querySelectorAll('.view')].map(view => {
        const box = view.getBoundingClientRect();
        return {file: figure.querySelector('figcaption').textContent, view: view.querySelector('h3').firstChild.textContent,
                slice: view.querySelector('h3 span').textContent, left: box.left, top: box.top, width: box.width, height: box.height};
    }))""")


AXIAL = (0, 3)  # the panels of both volumes


def share_of(i, j):
    """The place of the voxel in an axial slice, as shares of its width and height. Files with the affine 1 have both axes reversed."""
    return (PAIR_SHAPE[2] - i - 0.5) / PAIR_SHAPE[2], (PAIR_SHAPE[1] - j - 0.5) / PAIR_SHAPE[1]


def colours_at(page, i, j):
    """The colours of a voxel in the axial slices of both volumes."""
    slices, (x, y) = [pixels_of(page, panel) for panel in AXIAL], share_of(i, j)
    return [list(pixels[int(y * pixels.shape[0]), int(x * pixels.shape[1])]) for pixels in slices]


def click_in(page, panel, i, j):
    """Clicks a voxel of an axial slice with the mouse. panel: one of AXIAL"""
    page.value(f"viewer.panels[{panel}].canvas.scrollIntoView({{block: 'center'}})")
    box = page.value(f"(box => [box.left, box.top, box.width, box.height])(viewer.panels[{panel}].canvas.getBoundingClientRect())")
    x, y = share_of(i, j)
    for kind in ("mousePressed", "mouseReleased"):
        page.call("Input.dispatchMouseEvent", type=kind, x=box[0] + x * box[2], y=box[1] + y * box[3], button="left", clickCount=1)
    page.wait("true")


@needs_browser
@pytest.mark.parametrize("width", [1400, 390])
def test_both_viewers_are_in_the_page(page_file, browser, width):
    """The panels of --beside are below the panels of --labels, in the same order and of the same size."""
    browser.show_as(width, 1000, "light")
    panels = cells(browser.open(page_file))
    assert [panel["file"] for panel in panels] == ["a.nii.gz"] * 3 + ["matched.nii.gz"] * 3
    assert [panel["view"] for panel in panels] == ["axial", "coronal", "sagittal"] * 2
    assert min(panel["top"] for panel in panels[3:]) >= max(panel["top"] + panel["height"] for panel in panels[:3])
    for upper, lower in zip(panels[:3], panels[3:]):
        assert all(abs(upper[name] - lower[name]) < 1 for name in ("left", "width", "height"))
    assert all(panel["left"] >= 0 and panel["left"] + panel["width"] <= width for panel in panels)
    assert "not in the table are grey" in browser.value("document.getElementById('picture-note').textContent")


@needs_browser
def test_one_viewer_without_beside(voxcc, pair, browser, tmp_path):
    voxcc("report", pair / "a.csv", "--labels", pair / "a.nii.gz", "-o", tmp_path / "r.html")
    browser.show_as(1400, 1000, "light")
    browser.open(tmp_path / "r.html")
    assert browser.value("viewer.panels.length") == 3 and browser.value("document.querySelector('#views figcaption').hidden")


@needs_browser
def test_colours_of_both_volumes(page_file, browser):
    """A label of the table has the colour of its row in both volumes, other labels are grey, and voxels without a label are the image."""
    browser.show_as(1400, 1000, "light")
    browser.open(page_file)
    browser.value("viewer.options.opacity = 1; viewer.options.numbers = false; viewer.picture.image.fill(255); 0")
    palette = browser.value("report.palette")
    grey, white = [170] * 3, [255] * 3
    for voxel, expected in (((3, 4, 3), [palette[0]] * 2), ((16, 14, 3), [palette[1]] * 2), ((14, 14, 3), [palette[1], white]),
                            ((18, 14, 3), [white, palette[1]]), ((21, 5, 11), [palette[2], white]), ((5, 16, 11), [white, grey])):
        browser.value(f"viewer.moveTo(0, 0); viewer.moveTo(1, 0); viewer.moveTo(2, {voxel[2]})")
        assert colours_at(browser, *voxel[:2]) == expected, voxel


@needs_browser
@pytest.mark.parametrize("panel", AXIAL)
def test_a_click_in_one_viewer_moves_and_selects_in_both(page_file, browser, panel):
    browser.show_as(1400, 1000, "light")
    browser.open(page_file)
    browser.value("viewer.moveTo(2, 4)")
    click_in(browser, panel, 16, 13)
    assert browser.value("viewer.position") == [16, 13, 4] and browser.value("components.selected") == 1
    assert browser.value("document.querySelector('#components tr.selected').dataset.row") == "1"
    assert [cell["slice"] for cell in cells(browser)] == ["slice 5 of 16", "slice 14 of 20", "slice 17 of 28"] * 2
    numbers = browser.value("viewer.panels.map(panel => panel.numbers[0].text)")
    assert numbers == ["7"] * 6  # the selected component is the first one
    assert browser.value("[...document.querySelectorAll('.view input')].map(slider => Number(slider.value))") == [4, 13, 16] * 2
    for i, of_both in ((14, [1, -1]), (18, [-1, 1])):  # object 7 is there in A, and in B
        click_in(browser, panel, i, 13)
        assert browser.value("components.selected") == of_both[AXIAL.index(panel)] and browser.value("viewer.position") == [i, 13, 4]
    browser.value("viewer.moveTo(2, 11)")
    click_in(browser, AXIAL[1], 5, 15)  # a new object has no row
    assert browser.value("components.selected") == -1 and browser.value("viewer.position") == [5, 15, 11]
