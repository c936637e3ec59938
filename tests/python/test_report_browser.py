"""The page of `voxcc report` in a headless Chromium: pictures, plots, sorting, filters, and its behaviour without a network."""

import nibabel
import numpy as np
import pandas
import pytest
from browser import CHROMIUM, Browser
from helpers import noise, read_table
from matplotlib.image import imread
from report_pages import HOSTILE, batch, data_of, hostile_page, label  # noqa: F401: `batch` is a fixture

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def open_page(tmp_path_factory):
    """Opens pages in one browser, and checks in the end that no page had an error or made a request."""
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser.open
        assert browser.problems == []


def test_hostile_texts_are_inert_in_the_browser(voxcc, tmp_path, open_page):
    page = open_page(hostile_page(voxcc, tmp_path))
    page.click("#all-columns")
    assert page.value("window.attacked") is None
    assert page.value("document.title") == page.value("document.getElementById('title').textContent") == HOSTILE
    assert page.value("document.querySelector('#components td:nth-child(3)').textContent") == HOSTILE
    assert page.value("document.querySelectorAll('img, #components b').length") == 0


def test_the_policy_stops_scripts_and_requests(voxcc, batch, tmp_path):
    """The same page with an added script, image and request: none of them has an effect."""
    text = (batch / "batch.html").read_text(encoding="utf-8")
    attack = "<script>window.attacked = 1</script><img src='https://example.com/a.png' onerror='window.attacked = 1'>"
    (tmp_path / "attack.html").write_text(text.replace("</main>", attack + "</main>"), encoding="utf-8")
    with Browser(tmp_path / "profile") as browser:
        browser.open(tmp_path / "attack.html")
        assert browser.value("window.attacked") is None
        assert "TypeError" in browser.value("fetch('https://example.com/').then(() => 'loaded', error => String(error))")
        assert any("Content Security Policy" in str(problem) for problem in browser.problems)


def test_pictures_and_plots_are_drawn(batch, open_page, tmp_path):
    page = open_page(batch / "batch.html")
    colours = """(id => {
        const canvas = document.querySelector(id), pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return new Set(new Uint32Array(pixels.buffer)).size;
    })"""
    for canvas in (".view canvas", "#size-chart", "#batch-chart", "#volumes canvas"):
        assert page.value(f"{colours}('{canvas}')") >= 3, canvas
    assert page.value("[...document.querySelectorAll('.view h3')].map(e => e.firstChild.textContent)") == ["axial", "coronal", "sagittal"]
    page.screenshot(tmp_path / "page.png")
    pixels = imread(tmp_path / "page.png")
    assert pixels.shape[0] > 1000 and len(np.unique((pixels[..., :3] * 255).astype(int) @ (1, 256, 65536))) > 50


def shown(page, column):
    """The cells of a column that are in the page."""
    cells = page.value(f"""(() => {{
        const names = [...document.querySelectorAll('#components th')].map(e => e.textContent.split(' ')[0]);
        return [...document.querySelectorAll('#components tbody tr:not(.spacer)')].map(e => e.cells[names.indexOf('{column}')].textContent);
    }})()""")
    return [float(cell) for cell in cells]


def click_column(page, column):
    page.value(f"[...document.querySelectorAll('#components th button')].find(e => e.textContent.startsWith('{column}')).id = 'clicked'")
    page.click("#clicked")


def test_numbers_and_units(voxcc, tmp_path, open_page):
    """Counts have all digits. Voxels of electron microscopy have sizes in micrometres."""
    size = 4e-5  # mm
    image, labels, table, _ = label(voxcc, tmp_path, np.ones((10, 10, 20), np.uint8), affine=np.diag([size, size, size, 1]))
    voxcc("report", table, "--images", image, "--labels", labels, "-o", tmp_path / "r.html")
    page = open_page(tmp_path / "r.html")
    facts = dict(page.value("[...document.querySelectorAll('#volume-facts div')].map(e => [...e.children].map(c => c.textContent))"))
    assert facts["voxel size (µm)"] == "0.04 × 0.04 × 0.04" and facts["total"] == facts["largest"] == "0.128 µm³"
    texts = page.value("[readable(12345678), readable(0.123456789), short(65536), short(9999), readable(null)]")
    assert texts == ["12,345,678", "0.123457", "65.5K", "9,999", "n/a"]
    assert page.value("[binName([4, 8, 9], 0, readable), binName([4, 8, 9], 1, readable)]") == ["4–7", "8"]


@pytest.fixture(scope="module")
def large(voxcc, tmp_path_factory):
    """A report with more than 10,000 components."""
    folder = tmp_path_factory.mktemp("large")
    image, labels, table, _ = label(voxcc, folder, noise((60, 90, 100), 0.03))
    voxcc("report", table, "--images", image, "--labels", labels, "-o", folder / "r.html")
    assert len(read_table(table)) > 10_000
    return folder / "r.html", read_table(table)


def test_sorting_keeps_few_rows(large, open_page):
    path, rows = large
    page = open_page(path)
    sizes = sorted(row["voxels"] for row in rows)
    for expected in (sizes, sizes[::-1]):
        click_column(page, "voxels")
        first = shown(page, "voxels")
        assert 10 < len(first) < 60 and first == expected[: len(first)]
    assert page.value("document.querySelector('#components th[aria-sort=descending]').textContent").startswith("voxels")


def test_scrolling_keeps_few_rows(large, open_page):
    path, rows = large
    page = open_page(path)
    box = "document.getElementById('components')"
    assert page.value(f"{box}.scrollHeight") > 28 * len(rows)
    for share in (0.3, 0.7, 1):
        page.value(f"{box}.scrollTop = {share} * {box}.scrollHeight")
        page.wait("true")
        labels = shown(page, "label")
        assert 10 < len(labels) < 60 and labels == list(np.arange(labels[0], labels[0] + len(labels)))
        assert abs(labels[0] / len(rows) - share) < 0.01
    assert labels[-1] == len(rows)


def test_filter(large, open_page):
    path, rows = large
    page = open_page(path)
    result = lambda text: (page.type_into("#filter", text), page.value("document.getElementById('filter-result').textContent"))[1]
    total = f"{len(rows):,}"
    matching = [row["label"] for row in rows if row["voxels"] > 3 and row["touches_border"] == 0]
    assert result("voxels > 3 and touches_border = 0") == f"{len(matching):,} of {total} components"
    labels = shown(page, "label")
    assert labels == matching[: len(labels)]
    near = sum(row["bbox_i_min"] <= 2 and row["bbox_i_max"] != 0 for row in rows)
    assert near > 0 and result("bbox_i_min <= 2 AND BBOX_I_MAX != 0") == f"{near:,} of {total} components"
    with_text = sum(any("77" in f"{value:.6g}" for value in row.values()) for row in rows)
    assert 0 < with_text < len(rows) and result("77") == f"{with_text:,} of {total} components"
    table = pandas.DataFrame(rows)
    for text, query in {"volume > 3 or not touches_border = 0": "volume_mm3 > 3 or not touches_border == 0",
                        "(voxels = 1 or elongation > 0.7) and centroid_i - 2 * centroid_j < -1.5 / 2":
                            "(voxels == 1 or elongation > 0.7) and centroid_i - 2 * centroid_j < -0.75",
                        "voxels != 1 and 1e-3 < flatness": "voxels != 1 and 0.001 < flatness"}.items():
        assert result(text) == f"{len(table.query(query)):,} of {total} components"
    assert result("voxels >= 'a'") == "The order of texts is compared."
    assert result("voxels > 3 and") == "The filter ends too early."
    assert result("(voxels > 3") == "'(' has no ')'."
    assert result("voxels > 3 4") == "'4' stands after the end."
    assert result("no_such > 3") == "The table has no column 'no_such'."
    assert result("voxel > 3") == "The table has no column 'voxel'. Did you mean 'voxels'?"
    assert result("voxels > many") == "The table has no column 'many'."
    assert result("") == f"{total} of {total} components"


def test_a_row_shows_its_slice(large, open_page):
    """The voxel under the cross has the label of the row. A click into the slice selects the row of the component."""
    path, rows = large
    page = open_page(path)
    one_voxel = next(index for index, row in enumerate(rows) if row["voxels"] == 1 and index > 15)
    page.value(f"document.getElementById('components').scrollTop = 28 * {one_voxel - 5}")
    page.wait("true")
    page.click(f"#components tr[data-row='{one_voxel}']")
    row = rows[one_voxel]
    position = page.value("document.getElementById('position').textContent")
    assert position == "voxel i {}, j {}, k {}".format(*(row[f"centroid_{axis}"] for axis in "ijk"))
    assert page.value("document.querySelector('#components tr.selected').dataset.row") == str(one_voxel)
    axial = page.value("document.querySelector('.view h3').textContent")
    assert axial == f"axialslice {row['centroid_k'] + 1} of 60"
    centre = page.value("""(() => {
        const canvas = document.querySelector('.view canvas'), view = viewer.picture.views[0], [i, j] = viewer.position;
        const x = (viewer.picture.reduced[0] - 1 - i + 0.5) / 100, y = (viewer.picture.reduced[1] - 1 - j + 0.5) / 90;
        return [...canvas.getContext('2d').getImageData(x * canvas.width, y * canvas.height, 1, 1).data];
    })()""")
    palette = page.value(f"colourOf({one_voxel})")
    assert centre[:3] == palette
    page.value("components.mark(0)")
    page.value("""(() => {
        const box = document.querySelector('.view canvas').getBoundingClientRect(), [i, j] = viewer.position;
        const x = box.left + box.width * (99.5 - i) / 100, y = box.top + box.height * (89.5 - j) / 90;
        document.querySelector('.view canvas').dispatchEvent(new MouseEvent('click', {clientX: x, clientY: y}));
    })()""")
    assert page.value("components.selected") == one_voxel


def test_volumes_of_a_batch(batch, open_page):
    """Every volume can be opened, also the empty one. The choices of the plots work."""
    page = open_page(batch / "batch.html")
    for _ in range(5):
        page.click("#next-volume")
    name = page.value("document.getElementById('volume-name').textContent")
    assert name == "sub-5.nii.gz" and page.value("document.getElementById('filter-result').textContent") == "0 of 0 components"
    page.click("#volumes tr[data-row='1']")
    assert page.value("document.getElementById('volume-name').textContent") == "sub-1.nii.gz"
    page.choose("#size-axis", "linear")
    edges = data_of(batch / "batch.html")["volumes"][1]["histogram"]["linear"]["counts"]
    assert page.value("charts['size-chart'].data.datasets[0].data") == edges
    page.choose("#count-axis", "logarithmic")
    assert page.value("charts['size-chart'].scales.y.type") == "logarithmic"
    page.choose("#batch-value", "total")
    colours = page.value("charts['batch-chart'].data.datasets[1].backgroundColor")
    outliers = [abs(volume["z"]["total"]) > 3.5 for volume in data_of(batch / "batch.html")["volumes"]]
    assert [colour != colours[0] for colour in colours] == outliers == [False] * 4 + [True] * 2


@pytest.mark.parametrize("codes", ["RAS", "LPS", "PIR"])
def test_radiological_convention(voxcc, tmp_path, open_page, codes):
    """A marker in the right, front, top corner of the patient appears at the top left of the axial slice."""
    array = np.zeros((10, 12, 14), np.uint8)  # world z, y, x
    array[9, 11, 13] = 1  # top, front, right
    image = nibabel.Nifti1Image(array.T, np.eye(4))
    turned = image.as_reoriented(nibabel.orientations.ornt_transform(nibabel.io_orientation(image.affine),
                                                                     nibabel.orientations.axcodes2ornt(codes)))
    nibabel.save(turned, tmp_path / "in.nii")
    voxcc("label", "in.nii", "-o", "labels.nii", "--stats", "t.csv", cwd=tmp_path)
    voxcc("report", "t.csv", "--labels", "labels.nii", "-o", "r.html", cwd=tmp_path)
    page = open_page(tmp_path / "r.html")
    for view, (width, height) in enumerate(((14, 12), (14, 10), (12, 10))):
        found = page.value(f"""(() => {{
            const view = viewer.picture.views[{view}], canvas = sliceCanvas(viewer.picture, view, viewer.position[view.across],
                {{labels: true, opacity: 1, selected: -1}});
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, found = [];
            for (let p = 0; p < pixels.length / 4; ++p) if (pixels[4 * p] > 0) found.push([p % canvas.width, Math.floor(p / canvas.width)]);
            return [canvas.width, canvas.height, found, view.right.letters.join('') + view.down.letters.join('')];
        }})()""")
        assert found == [width, height, [[0, 0]], ("RLAP", "RLSI", "APSI")[view]]
