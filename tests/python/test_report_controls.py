"""The page of `voxcc report` in use: links to volumes, downloads, marks, the keyboard, phones and the dark mode."""

import csv
import io
import json
import time

import numpy as np
import pandas
import pytest
from browser import CHROMIUM, Browser
from helpers import noise, read_table, write_nifti
from report_pages import HOSTILE, batch, label, write_table  # noqa: F401: `batch` is a fixture

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

SIZES = [(390, 844), (1400, 1000)]
SCHEMES = ["light", "dark"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A browser that saves downloads. No page may have an error or make a request."""
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        browser.folder = tmp_path_factory.mktemp("downloads")
        browser.downloads_to(browser.folder)
        browser.show_as(1400, 1000, "light")
        yield browser
        assert browser.problems == []


def text_of(page, element):
    return page.value(f"document.getElementById('{element}').textContent")


def saved(page, name):
    """The text of a download. Removes the file."""
    path = page.folder / name
    for _ in range(200):
        if path.exists():
            break
        time.sleep(0.05)
    text = path.read_text(encoding="utf-8")
    path.unlink()
    return text


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def load_marks(page, path):
    document = page.call("DOM.getDocument")["root"]["nodeId"]
    node = page.call("DOM.querySelector", nodeId=document, selector="#marks-file")["nodeId"]
    page.value("document.getElementById('marks-loaded').textContent = ''")
    page.call("DOM.setFileInputFiles", files=[str(path)], nodeId=node)
    page.wait("document.getElementById('marks-loaded').textContent !== ''")
    return text_of(page, "marks-loaded")


def test_links_to_volumes(batch, browser):
    """The address chooses the volume, and a chosen volume changes the address."""
    page = browser.open(batch / "batch.html")
    assert text_of(page, "volume-name") == "sub-0.nii.gz" and page.value("location.hash") == ""
    page.open(batch / "batch.html", "#sub-3")
    assert text_of(page, "volume-name") == "sub-3.nii.gz"
    top = page.value("document.getElementById('volume-name').getBoundingClientRect().top")
    assert -1 < top < 1000
    page.click("#next-volume")
    assert page.value("location.hash") == "#sub-4" == page.value("document.getElementById('volume-link').hash")
    page.value("void (location.hash = '#sub-1')")
    page.wait("document.body.dataset.ready === 'sub-1.nii.gz'")
    assert page.value("document.querySelector('#volumes tr.selected').dataset.row") == "1"
    assert page.value("[...document.querySelectorAll('#volumes td a')].map(link => link.hash)")[:3] == ["#sub-0", "#sub-1", "#sub-2"]
    page.click("#volumes tr[data-row='2'] a")
    assert text_of(page, "volume-name") == "sub-2.nii.gz" and page.value("location.hash") == "#sub-2"
    page.open(batch / "batch.html", "#sub-99")
    assert "#sub-99" in text_of(page, "unknown-volume") and text_of(page, "volume-name") == "sub-0.nii.gz"
    page.click("#next-volume")
    assert page.value("document.getElementById('unknown-volume').hidden")
    page.open(batch / "batch.html", "#%E0%A4%A")  # percent signs that encode no text
    assert text_of(page, "volume-name") == "sub-0.nii.gz"


def test_links_to_equal_names(voxcc, tmp_path, browser):
    """Folders distinguish files of one name. A part of the path is a link, too."""
    names = [f"ds/sub-{number}/anat/lesions.nii.gz" for number in ("01", "02", "03")]
    for seed, name in enumerate(names):
        (tmp_path / name).parent.mkdir(parents=True)
        write_nifti(tmp_path / name, noise((4, 5, 6), 0.3, seed=seed))
    voxcc("label", *names, "--stats", "t.csv", cwd=tmp_path)
    voxcc("report", "t.csv", "-o", "r.html", cwd=tmp_path)
    page = browser.open(tmp_path / "r.html", "#sub-03")
    assert text_of(page, "volume-name") == "sub-03/anat/lesions.nii.gz"
    assert page.value("document.getElementById('volume-link').hash") == "#sub-03/anat/lesions"
    page.click("#download-components")
    assert len(rows_of(saved(page, "r-sub-03_anat_lesions.csv"))) == sum(row["file"] == names[2] for row in read_table(tmp_path / "t.csv"))


def test_download_of_the_volumes(voxcc, batch, browser):
    """The order of the page, and the values of --summary."""
    voxcc("report", "all.csv", "--provenance", "run.json", "-o", "s.html", "--summary", "s.csv", cwd=batch)
    page = browser.open(batch / "s.html")
    page.value("volumesTable.sortBy(volumesTable.columns.findIndex(column => column.name === 'total'))")
    page.click("#download-volumes")
    got = pandas.read_csv(io.StringIO(saved(page, "s-volumes.csv")), keep_default_na=True, na_values="n/a")
    want = pandas.read_csv(batch / "s.csv").sort_values("voxels", kind="stable").reset_index(drop=True)
    names = ["file", "components", "voxels", "volume_mm3", "largest", "median"]
    pandas.testing.assert_frame_equal(got[names], want[names], check_dtype=False)
    assert got["outlier"].notna().sum() == 2


def test_download_of_the_components(voxcc, tmp_path, browser):
    """Only the rows and columns that are shown, in their order. `voxcc join` reads the file."""
    image, _, table, _ = label(voxcc, tmp_path, noise((20, 30, 40), 0.05))
    voxcc("report", table, "-o", tmp_path / "r.html")
    page = browser.open(tmp_path / "r.html")
    page.type_into("#filter", "voxels > 1")
    page.value("components.sortBy(1)")
    page.click("#download-components")
    text = saved(page, "r-in.csv")
    want = sorted((row for row in read_table(table) if row["voxels"] > 1), key=lambda row: row["voxels"])
    got = rows_of(text)
    assert [int(row["label"]) for row in got] == [row["label"] for row in want] and "cov_ii" not in got[0]
    np.testing.assert_allclose([float(row["centroid_x_mm"]) for row in got], [row["centroid_x_mm"] for row in want], rtol=1e-5)
    (tmp_path / "rows.csv").write_text(text)
    voxcc("join", tmp_path / "rows.csv", "-o", tmp_path / "joined.csv")
    assert len(read_table(tmp_path / "joined.csv")) == len(want)


def test_cells_of_downloads_are_cells_of_the_program(voxcc, tmp_path, browser):
    """Separators, quotes and formulas: the page writes the bytes that the program writes."""
    texts = ["=1+1", "-x", "@a", "+5", "-5", "a,b", 'say "a"', "two\nlines", "\t=a", "-inf", "007", "n/a", "", "+1e5", "-1+1", HOSTILE]
    rows = [["label", "voxels", "text"], *([number, 1, text] for number, text in enumerate(texts, 1))]
    (tmp_path / "t.json").write_text(json.dumps([dict(zip(rows[0], row)) for row in rows[1:]]))
    voxcc("join", tmp_path / "t.json", "--file", "x", "-o", tmp_path / "program.csv")
    voxcc("report", tmp_path / "t.json", "-o", tmp_path / "r.html")
    page = browser.open(tmp_path / "r.html")
    page.click("#all-columns")
    page.click("#download-components")
    with open(tmp_path / "program.csv", newline="") as file:
        want = [row["text"] for row in csv.DictReader(file)]
    assert [row["text"] for row in csv.DictReader(io.StringIO(saved(page, "r-t.csv"), newline=""))] == want


def set_mark(page, row, mark, note=""):
    page.click(f"#volumes tr[data-row='{row}']")
    page.click(f"#mark input[value='{mark}']")
    page.type_into("#mark-note", note)


def test_marks_are_kept_in_a_file(voxcc, batch, browser, tmp_path):
    page = browser.open(batch / "batch.html")
    set_mark(page, 1, "checked", "=good, \"really\"")
    set_mark(page, 4, "wrong", HOSTILE)
    set_mark(page, 2, "wrong")
    assert "1 checked, 2 wrong of 6 volumes" in text_of(page, "marks-count") and "Download them" in text_of(page, "marks-count")
    assert page.value("document.querySelector('#volumes tr[data-row=\"4\"] td[data-name=mark]').textContent") == f"✗ wrong: {HOSTILE}"
    page.click("#download-marks")
    text = saved(page, "batch-marks.csv")
    rows = rows_of(text)
    assert [(row["file"], row["mark"]) for row in rows] == [(f"scans/sub-{n}.nii.gz", m) for n, m in ((1, "checked"), (2, "wrong"), (4, "wrong"))]
    assert rows[0]["note"].startswith("'=good") and rows[2]["note"] == HOSTILE and "Download them" not in text_of(page, "marks-count")
    page.click("#download-wrong")
    (batch / "wrong.txt").write_text(saved(page, "batch-wrong.txt"))
    voxcc("label", "--list", "wrong.txt", "--summary", "again.csv", "-f", cwd=batch)
    assert pandas.read_csv(batch / "again.csv")["file"].tolist() == ["scans/sub-2.nii.gz", "scans/sub-4.nii.gz"]

    # A new page has no marks, until the file is loaded. A spreadsheet may have saved it with semicolons and a byte order mark.
    table = pandas.read_csv(io.StringIO(text), keep_default_na=False)
    table.loc[len(table)] = ["other.nii", "n/a", "checked", ""]
    forms = {"a.csv": text, "b.csv": "\ufeff" + table.to_csv(sep=";", index=False, lineterminator="\r\n")}
    for name, content in forms.items():
        (tmp_path / name).write_text(content, encoding="utf-8", newline="")
        page.open(batch / "batch.html", "#sub-4")
        assert "0 checked, 0 wrong" in text_of(page, "marks-count")
        message = load_marks(page, tmp_path / name)
        assert message.startswith("3 marks loaded.") and ("other reports: 1" in message) == (name == "b.csv")
        assert page.value("[document.querySelector('#mark input:checked').value, document.getElementById('mark-note').value]") == ["wrong", HOSTILE]
        assert page.value("marks.of(1).note") == "=good, \"really\"" and page.value("marks.csv()") == text
    assert page.value("window.attacked") is None and page.value("document.querySelectorAll('img').length") == 0


@pytest.mark.parametrize("content, message", (
    ("file,mark\na,checked\n", "no column 'note'"), ("", "no column 'file'"), ("file,volume,mark,note\na,n/a,perfect,\n", "the mark 'perfect'"),
    ('file,mark,note\n"a"b,checked,\n', "quotation mark"), (HOSTILE, "quotation mark"),
))
def test_files_that_have_no_marks(batch, browser, tmp_path, content, message):
    (tmp_path / "m.csv").write_text(content)
    page = browser.open(batch / "batch.html")
    found = load_marks(page, tmp_path / "m.csv")
    assert "m.csv is not a file of marks" in found and message in found
    assert "0 checked, 0 wrong" in text_of(page, "marks-count")


def test_marks_of_volumes_of_a_file(voxcc, tmp_path, browser):
    write_nifti(tmp_path / "in.nii", noise((3, 4, 5, 6), 0.3))
    voxcc("label", "in.nii", "--volume", "all", "--stats", "t.csv", cwd=tmp_path)
    voxcc("report", "t.csv", "-o", "r.html", cwd=tmp_path)
    page = browser.open(tmp_path / "r.html", "#t_2")
    assert text_of(page, "volume-name").endswith("volume 2")
    page.value("marks.set(2, {mark: 'wrong'})")
    page.click("#download-marks")
    assert [row["volume"] for row in rows_of(saved(page, "r-marks.csv"))] == ["2"]
    assert page.value("marks.list().split('\\n')[1]").endswith("[2]")


def test_the_page_warns_before_marks_are_lost(batch, browser):
    page = browser.open(batch / "batch.html")
    asks = "(() => { const event = new Event('beforeunload', {cancelable: true}); dispatchEvent(event); return event.defaultPrevented; })()"
    assert not page.value(asks)
    page.click("#mark input[value='checked']")
    assert page.value(asks)
    page.click("#download-marks")
    saved(page, "batch-marks.csv")
    assert not page.value(asks)


def focus_of(page):
    return page.value("document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.value || "
                      "document.activeElement.textContent")


def tab_to(page, name, shift=False):
    for _ in range(80):
        if focus_of(page) == name:
            return
        page.press("Tab", shift)
    raise AssertionError(f"the Tab key does not reach {name}")


def test_the_keyboard_is_enough(batch, browser):
    """Every control is a stop of the Tab key. Volumes, marks, notes and downloads need no mouse."""
    page = browser.open(batch / "batch.html")
    stops = []
    while len(stops) < 80 and (len(stops) < 2 or stops[-1] != stops[0]):
        page.press("Tab")
        stops.append(focus_of(page))
    for name in ("volumes", "download-volumes", "download-marks", "load-marks", "batch-value", "batch-log", "volume-link", "next-volume",
                 "mark-note", "show-labels", "opacity", "slice, axial", "slice, sagittal", "size-axis", "count-axis", "filter", "all-columns",
                 "download-components", "components", "voxels", "volume"):
        assert name in stops, (name, stops)
    page.open(batch / "batch.html")
    tab_to(page, "volumes")
    for key, name in (("End", "sub-5"), ("Home", "sub-0"), ("PageDown", "sub-5"), ("Home", "sub-0"), ("ArrowDown", "sub-1")):
        page.press(key)
        assert text_of(page, "volume-name") == f"{name}.nii.gz", key
    tab_to(page, "next-volume")
    page.press("Enter")
    page.press("Tab")
    page.press("ArrowRight")
    assert page.value("marks.of(2).mark") == "checked"
    tab_to(page, "mark-note")
    page.call("Input.insertText", text="fine")
    tab_to(page, "download-marks", shift=True)
    page.press("Enter")
    assert [row["note"] for row in rows_of(saved(page, "batch-marks.csv"))] == ["fine"]
    tab_to(page, "filter")
    page.call("Input.insertText", text="voxels > 5")
    tab_to(page, "download-components")
    page.press(" ")
    assert all(int(row["voxels"]) > 5 for row in rows_of(saved(page, "batch-sub-2.csv")))


# The least contrast of a text with the colour behind it (WCAG 2.1), and the text.
LEAST_CONTRAST = """(() => {
    const parts = colour => colour.match(/[\\d.]+/g).map(Number);
    const linear = value => value <= 10.31475 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const behind = element => {
        for (; element; element = element.parentElement) {
            const colour = parts(getComputedStyle(element).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
        }
        return [255, 255, 255];
    };
    const texts = [...document.querySelectorAll("body *")].filter(element => element.offsetParent && !element.disabled &&
        [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()));
    const contrasts = texts.map(element => {
        const [a, b] = [parts(getComputedStyle(element).color), behind(element)].map(light).sort((a, b) => b - a);
        return [(a + 0.05) / (b + 0.05), element.textContent];
    });
    return contrasts.sort((a, b) => a[0] - b[0])[0];
})()"""


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
def test_every_text_is_readable(batch, browser, size, scheme, tmp_path):
    """No horizontal scroll, a contrast of at least 4.5, and a background that fits the colour scheme."""
    browser.show_as(*size, scheme)
    page = browser.open(batch / "batch.html", "#no-such-volume")
    page.value("marks.set(4, {mark: 'wrong', note: 'a note that is longer than the cell of the table on a phone'})")
    page.value("marks.isSaved = true")
    page.click("#volumes tr[data-row='4']")
    page.type_into("#filter", "no_such > 3")
    assert page.value("document.documentElement.scrollWidth") == size[0]
    contrast, text = page.value(LEAST_CONTRAST)
    assert contrast >= 4.5, text
    brightness = page.value("Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g))")
    assert brightness < 60 if scheme == "dark" else brightness > 200
    assert page.value("Chart.defaults.color") == page.value("themeColour('muted')")
    browser.show_as(1400, 1000, "light")


def test_the_plots_follow_the_colour_scheme(batch, browser):
    page = browser.open(batch / "batch.html")
    colour = "charts['batch-chart'].data.datasets[0].borderColor"
    light = page.value(colour)
    browser.show_as(1400, 1000, "dark")
    page.wait(f"{colour} !== '{light}'")
    browser.show_as(1400, 1000, "light")
    page.wait(f"{colour} === '{light}'")


def test_a_phone_shows_all_numbers(batch, browser):
    """Each number of a volume is inside the window, and its text is not cut."""
    browser.show_as(390, 844, "light")
    page = browser.open(batch / "batch.html")
    cells = page.value("""[...document.querySelectorAll("#volumes tr[data-row='1'] td")].map(cell => {
        const box = cell.getBoundingClientRect();
        return [cell.dataset.name, cell.textContent, box.left, box.right, cell.scrollWidth - cell.clientWidth];
    })""")
    shown = {name: (text, left, right, cut) for name, text, left, right, cut in cells}
    for name in ("volume", "components", "total", "largest", "median"):
        text, left, right, cut = shown[name]
        assert text and 0 <= left < right <= 390 and cut <= 0, name
    heights = page.value("[...document.querySelectorAll('#volumes tbody tr:not(.spacer)')].map(row => row.getBoundingClientRect().height)")
    assert set(heights) == {108}
    box = "document.getElementById('volumes')"
    assert page.value(f"{box}.scrollWidth - {box}.clientWidth") == 0
    browser.show_as(1400, 1000, "light")
