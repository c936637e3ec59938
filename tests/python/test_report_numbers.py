"""The numbers in the slices of the page of `voxcc report`, in a headless Chromium, compared with slices by numpy and scipy."""

import nibabel
import numpy as np
import pytest
import scipy.ndimage
from browser import CHROMIUM, Browser
from helpers import write_nifti
from report_pages import label, pixels_of

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

MOST = 10


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser
        assert browser.problems == []


def spheres():
    """15 components of different sizes in a noisy image [z, y, x]; the largest has two parts in some slices."""
    rng = np.random.default_rng(3)
    labels = np.zeros((40, 50, 60), np.int16)
    z, y, x = np.indices(labels.shape)
    for number in range(14):
        centre = (8 + 12 * (number % 3), 6 + 10 * (number // 3), 6 + 12 * (number % 5))
        labels[(z - centre[0]) ** 2 + (y - centre[1]) ** 2 + (x - centre[2]) ** 2 <= 1 + 1.4 * number] = 1
    labels[35:39, 2:48, 50:58] = 1
    labels[20:39, 2:6, 50:58] = labels[20:39, 38:48, 50:58] = 1
    return (labels * 500 + rng.integers(0, 300, labels.shape)).astype(np.int16)


@pytest.fixture(scope="module")
def page_file(voxcc, tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    image, labels, table, _ = label(voxcc, folder, spheres(), **{"--threshold": "400", "--sort": "raster"})
    voxcc("report", table, "--images", image, "--labels", labels, "-o", folder / "r.html")
    array = np.asarray(nibabel.load(labels).dataobj)  # [i, j, k]
    return folder / "r.html", array


def largest_of(array):
    sizes = np.bincount(array.ravel())[1:]
    return sorted(np.lexsort((np.arange(sizes.size), -sizes))[:MOST] + 1)


def shown(browser):
    """Per panel: its axis, slice, size and numbers."""
    return browser.value("""viewer.panels.map(({view, canvas, numbers}) => ({across: view.across, slice: viewer.position[view.across],
        right: view.right, down: view.down, width: canvas.width, height: canvas.height, numbers, label: canvas.getAttribute("aria-label")}))""")


def plane_of(array, panel):
    """The slice of a panel as it is on the screen, [row, column]."""
    plane = np.take(array, panel["slice"], panel["across"])
    if panel["right"]["stored"] < panel["down"]["stored"]:
        plane = plane.T
    return plane[:: -1 if panel["down"]["reverse"] else 1, :: -1 if panel["right"]["reverse"] else 1]


def check(array, panel):
    """Each large component that the slice cuts has its number once, near its largest part. Numbers do not overlap."""
    plane, numbers = plane_of(array, panel), panel["numbers"]
    assert sorted(int(number["text"]) for number in numbers) == [n for n in largest_of(array) if (plane == n).any()]
    scale = np.array([panel["height"], panel["width"]]) / plane.shape
    for number in numbers:
        parts, count = scipy.ndimage.label(plane == int(number["text"]), np.ones((3, 3)))
        largest = parts == 1 + np.argmax(np.bincount(parts.ravel())[1:])
        rows, columns = np.nonzero(largest)
        box = [number["top"], number["left"], number["top"] + number["height"], number["left"] + number["width"]]
        assert box[0] >= 0 and box[1] >= 0 and box[2] <= panel["height"] and box[3] <= panel["width"]
        gap = [max(rows.min() * scale[0] - box[2], box[0] - (rows.max() + 1) * scale[0]),
               max(columns.min() * scale[1] - box[3], box[1] - (columns.max() + 1) * scale[1])]
        assert max(gap) <= 41
    for i, a in enumerate(numbers):
        for b in numbers[:i]:
            assert (a["left"] >= b["left"] + b["width"] or b["left"] >= a["left"] + a["width"] or
                    a["top"] >= b["top"] + b["height"] or b["top"] >= a["top"] + a["height"])
    texts = ", components " + ", ".join(number["text"] for number in numbers) if numbers else ""
    assert panel["label"].split("slice", 1)[1] == f" {panel['slice'] + 1} of {array.shape[panel['across']]}{texts}"


@pytest.mark.parametrize("width, scheme", [(1400, "light"), (390, "light"), (1400, "dark"), (390, "dark")])
def test_numbers_follow_the_slices(browser, page_file, width, scheme):
    path, array = page_file
    browser.show_as(width, 1000, scheme)
    browser.open(path)
    found = set()
    for position in [None, *((i, j, k) for i, j, k in zip(range(3, 60, 7), range(2, 50, 6), range(1, 40, 5)))]:
        if position:
            browser.value(f"{list(position)}.forEach((index, axis) => viewer.moveTo(axis, index))")
        panels = shown(browser)
        assert len(panels) == 3
        for panel in panels:
            check(array, panel)
            found |= {int(number["text"]) for number in panel["numbers"]}
    assert found == set(largest_of(array))


@pytest.mark.parametrize("scheme", ("light", "dark"))
@pytest.mark.parametrize("width", (390, 1400))
def test_numbers_are_readable(browser, page_file, width, scheme):
    """A number has bright pixels on black (contrast of at least 4.5 as WCAG defines it), and changes no pixel outside of its box."""
    path, _ = page_file
    browser.show_as(width, 1000, scheme)
    browser.open(path)
    with_numbers, panels = [pixels_of(browser, view) for view in range(3)], shown(browser)
    browser.click("#show-numbers")
    assert all(panel["numbers"] == [] for panel in shown(browser))
    luminance = lambda pixels: np.where(pixels <= 10, pixels / 3294.6, ((pixels / 255 + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)
    count = 0
    for view, panel in enumerate(panels):
        changed = (pixels_of(browser, view) != with_numbers[view]).any(2)
        for number in panel["numbers"]:
            rows, columns = (slice(max(0, int(number[a]) - 2), int(number[a] + number[b]) + 3) for a, b in (("top", "height"), ("left", "width")))
            light = luminance(with_numbers[view][rows, columns][changed[rows, columns]])
            assert (light.max() + 0.05) / (light.min() + 0.05) >= 4.5 and changed[rows, columns].sum() >= 25
            assert number["height"] >= 16
            changed[rows, columns] = False
            count += 1
        assert not changed.any()
    assert count >= 3


def test_switches(browser, page_file):
    """Without components there are no numbers. The selected component has its number, too."""
    path, array = page_file
    browser.show_as(1400, 1000, "light")
    browser.open(path)
    small = next(n for n in range(1, array.max() + 1) if n not in largest_of(array))
    browser.value(f"components.choose({small - 1})")
    for panel in shown(browser):
        texts = [number["text"] for number in panel["numbers"]]
        assert texts[0] == str(small)
    browser.click("#show-labels")
    assert all(panel["numbers"] == [] for panel in shown(browser))
    browser.click("#show-labels")
    assert any(panel["numbers"] for panel in shown(browser))


def test_labels_of_the_table(browser, voxcc, tmp_path):
    """The texts are the labels of the table, also if these are not 1, 2, ..."""
    array = np.zeros((6, 30, 30), np.uint16)
    array[1:5, 2:12, 2:12], array[1:5, 18:26, 18:28] = 700, 41
    write_nifti(tmp_path / "labels.nii", array)
    voxcc("stats", "labels.nii", "-o", "t.csv", cwd=tmp_path)
    voxcc("report", "t.csv", "--labels", "labels.nii", "-o", "r.html", cwd=tmp_path)
    browser.open(tmp_path / "r.html")
    axial = next(panel for panel in shown(browser) if panel["across"] == 2)
    assert [number["text"] for number in axial["numbers"]] == ["700", "41"]
