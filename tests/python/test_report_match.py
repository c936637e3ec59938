"""Tables of `voxcc match --stats` on the page of `voxcc report`: the rows of A, also in a headless Chromium."""

import numpy as np
import pytest
from browser import CHROMIUM, Browser
from helpers import read_table, write_nifti
from report_pages import CORNERS_A, PAIR_SHAPE, cubes, data_of, pair, write_table  # noqa: F401: `pair` is a fixture

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


def test_tables_of_match_show_the_objects_of_a(voxcc, pair, tmp_path):
    """The rows of B are not components of the page."""
    voxcc("report", pair / "objects.csv", "--labels", pair / "a.nii.gz", "-o", tmp_path / "r.html", "--summary", tmp_path / "s.csv")
    volume = data_of(tmp_path / "r.html")["volumes"][0]
    rows = [row for row in read_table(pair / "objects.csv") if row["side"] == "a"]
    assert volume["components"] == 3 == len(rows) and volume["total"] == 3 * 64
    shown = [dict(zip(volume["columns"], cells)) for cells in volume["rows"]]
    assert [row["label"] for row in shown] == [5, 7, 300] and [row["class"] for row in shown] == ["tp", "tp", "fn"]
    assert [row["change"] for row in shown] == ["unchanged", "unchanged", "gone"]
    assert [row["partner"] for row in shown] == [1, 2, None]
    np.testing.assert_allclose([row["iou"] for row in shown[:2]], [1, 48 / 80], rtol=1e-5)
    summary = read_table(tmp_path / "s.csv")[0]
    assert [summary[name] for name in ("components", "voxels", "volume_mm3")] == [3, 3 * 64, 3 * 64]
    voxcc("report", pair / "a.csv", "--labels", pair / "a.nii.gz", "-o", tmp_path / "a.html")
    assert volume["picture"] == data_of(tmp_path / "a.html")["volumes"][0]["picture"]


def test_tables_of_match_without_objects_of_a(voxcc, pair, tmp_path):
    write_nifti(tmp_path / "a.nii", np.zeros(PAIR_SHAPE, np.uint8))
    voxcc("match", "a.nii", pair / "b.nii.gz", "--stats", "t.csv", cwd=tmp_path)
    done = voxcc("report", "t.csv", "--labels", "a.nii", "-o", "r.html", cwd=tmp_path)
    volume = data_of(tmp_path / "r.html")["volumes"][0]
    assert volume["components"] == 0 and volume["rows"] == [] and done.stderr == ""


def test_a_column_side_of_another_table_is_not_special(voxcc, tmp_path):
    write_table(tmp_path / "t.csv", [["label", "voxels", "side"], [1, 5, "a"], [2, 6, "b"]])
    voxcc("report", tmp_path / "t.csv", "-o", tmp_path / "r.html")
    assert data_of(tmp_path / "r.html")["volumes"][0]["components"] == 2


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser
        assert browser.problems == []


@needs_browser
def test_rows_have_places_and_filters(voxcc, pair, browser, tmp_path):
    """The table has no centroids: the page finds them in the label volume. The columns of the match are shown."""
    voxcc("report", pair / "objects.csv", "--labels", pair / "a.nii.gz", "-o", tmp_path / "r.html")
    browser.open(tmp_path / "r.html")
    z, y, x = CORNERS_A[0]  # the largest component, of equal ones the first
    assert browser.value("viewer.position") == [x + 2, y + 2, z + 2]
    names = browser.value("[...document.querySelectorAll('#components th')].map(cell => cell.textContent.split(' ')[0])")
    assert [name for name in names if name] == ["label", "voxels", "volume_mm3", "partner", "iou", "dice", "class", "change"]
    for row, (z, y, x) in enumerate(CORNERS_A):
        browser.click(f"#components tr[data-row='{row}']")
        assert browser.value("viewer.position") == [x + 2, y + 2, z + 2]  # the centroid is x + 1.5
    browser.type_into("#filter", "class = 'fn'")
    assert browser.value("document.getElementById('filter-result').textContent") == "1 of 3 components"


@needs_browser
def test_places_in_reduced_pictures(voxcc, browser, tmp_path):
    """The centre of the voxels of the picture is at most one voxel of the picture away from the centroid."""
    corners = [(1, 40, 1200), (2, 1000, 90), (0, 600, 700)]
    write_nifti(tmp_path / "a.nii", cubes((6, 1300, 1500), (1, 2, 3), corners))
    voxcc("match", "a.nii", "a.nii", "--stats", "t.csv", cwd=tmp_path)
    voxcc("report", "t.csv", "--labels", "a.nii", "-o", "r.html", cwd=tmp_path)
    browser.open(tmp_path / "r.html")
    steps = browser.value("viewer.picture.step")
    assert max(steps) > 1
    for row, corner in enumerate(corners):
        centre = browser.value(f"centreOf(viewer.picture, {row})")
        assert (np.abs(np.subtract(centre, np.add(corner[::-1], 1.5))) <= steps).all()
    assert browser.value("centreOf(viewer.picture, 3)") is None
