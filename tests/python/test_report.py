"""The page of `voxcc report`: its data against the tables, the volumes and the summaries."""

import json
import re
import shutil

import nibabel
import numpy as np
import pandas
import pytest
import tifffile
from helpers import blobs, noise, read_nifti, read_table, write_nifti
from preview_pictures import PALETTE
from report_pages import HOSTILE, batch, data_of, hostile_page, label, picture_of, write_table  # noqa: F401: `batch` is a fixture

LIMIT = 20_000_000  # bytes of a page, as docs/manual/report.md states


def test_rows_and_sums(voxcc, tmp_path):
    image, labels, table, summary = label(voxcc, tmp_path, blobs((20, 30, 40), 0.2))
    voxcc("report", table, "--images", image, "--labels", labels, "--provenance", summary, "-o", tmp_path / "r.html")
    data, rows = data_of(tmp_path / "r.html"), read_table(table)
    volume = data["volumes"][0]
    sizes = [row["voxels"] for row in rows]
    assert [dict(zip(volume["columns"], row))["voxels"] for row in volume["rows"]] == sizes
    expected = dict(name="in", components=len(rows), total=sum(sizes), largest=max(sizes), median=np.median(sizes), size_unit="mm3")
    assert {name: volume[name] for name in expected} == expected
    for shown, row in zip(volume["rows"], rows):
        np.testing.assert_allclose([float(value) for value in shown], [float(value) for value in row.values()], rtol=1e-5)


def test_histograms(voxcc, tmp_path):
    *_, table, _ = label(voxcc, tmp_path, noise((30, 40, 50), 0.2))
    voxcc("report", table, "-o", tmp_path / "r.html")
    sizes = [row["voxels"] for row in read_table(table)]
    histograms = data_of(tmp_path / "r.html")["volumes"][0]["histogram"]
    for histogram in histograms.values():
        np.testing.assert_array_equal(np.histogram(sizes, histogram["edges"])[0], histogram["counts"])
        assert sum(histogram["counts"]) == len(sizes) and histogram["counts"][0] > 0 and histogram["counts"][-1] > 0
    assert set(np.divide(histograms["log"]["edges"][1:], histograms["log"]["edges"][:-1])) == {2}
    assert len(set(np.diff(histograms["linear"]["edges"]))) == 1 and len(histograms["linear"]["counts"]) <= 40


@pytest.mark.parametrize("extension", ["csv", "tsv", "json"])
def test_table_formats(voxcc, tmp_path, extension):
    """Names with separators, quotes, formulas and escapes are read back from every format."""
    names = ["plain.nii", "a,b \"c\".nii", "=1+1.nii", "tab\tand\\n.nii", "007.nii", "zwei\nZeilen.nii"]
    for name in names:
        write_nifti(tmp_path / "new.nii", noise((4, 5, 6), 0.3))
        (tmp_path / "new.nii").rename(tmp_path / name)
    voxcc("label", *names, "--stats", f"t.{extension}", cwd=tmp_path)
    voxcc("report", f"t.{extension}", "--images", "{file}", "-o", "r.html", cwd=tmp_path)
    assert [volume["source"] for volume in data_of(tmp_path / "r.html")["volumes"]] == names


def test_other_tables_give_the_same_data(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", blobs((9, 10, 11), 0.2))
    pages = []
    for extension in ("csv", "tsv", "json"):
        voxcc("label", "in.nii", "--stats", f"t.{extension}", cwd=tmp_path)
        voxcc("report", f"t.{extension}", "-o", f"{extension}.html", cwd=tmp_path)
        pages.append(data_of(tmp_path / f"{extension}.html"))
        pages[-1]["volumes"][0]["source"] = ""
    assert pages[0] == pages[1] == pages[2]


def test_pictures_hold_the_volumes(voxcc, tmp_path):
    """A small volume is not reduced: labels are the rows of the table plus 1, grey values grow with the image."""
    array = (1000 * blobs((12, 14, 16), 0.3).astype(int) + np.random.default_rng(1).integers(0, 200, (12, 14, 16))).astype(np.int16)
    image, labels, table, _ = label(voxcc, tmp_path, array, **{"--threshold": 900, "--sort": "size"})
    voxcc("report", table, "--images", image, "--labels", labels, "-o", tmp_path / "r.html")
    grey, shown = picture_of(data_of(tmp_path / "r.html")["volumes"][0])
    np.testing.assert_array_equal(shown, np.asarray(nibabel.load(labels).dataobj).T)
    black, white = np.percentile(array, (0.5, 99.5), method="lower")
    np.testing.assert_array_equal(grey, np.clip((array - black) * (255 / (white - black)), 0, 255).astype(np.uint8))


def test_reduced_pictures(voxcc, tmp_path):
    """A picture voxel has the mean of its block, and the smallest of its components."""
    array = np.zeros((4, 1500, 2000), np.uint8)
    array[:, 100:1400, 100:1900] = 9
    array[2, 50, 60] = 5
    image, labels, table, _ = label(voxcc, tmp_path, array)
    message = voxcc("report", table, "--images", image, "--labels", labels, "-o", tmp_path / "r.html").stderr
    assert "fewer voxels" in message
    volume = data_of(tmp_path / "r.html")["volumes"][0]
    picture, (grey, shown) = volume["picture"], picture_of(volume)
    steps = picture["step"]
    assert max(steps) > 1 and np.prod(picture["reduced"]) <= 8_000_000
    assert picture["reduced"] == [-(-count // step) for count, step in zip((2000, 1500, 4), steps)]
    sx, sy, sz = steps
    small = shown[2 // sz, 50 // sy, 60 // sx]
    assert volume["rows"][small - 1][volume["columns"].index("voxels")] == 1
    block = array[: sz, 100 // sy * sy : 100 // sy * sy + sy, 500 // sx * sx : 500 // sx * sx + sx]
    assert grey[0, 100 // sy, 500 // sx] == int(block.mean() * 255 / 9)


@pytest.mark.parametrize("codes", ["RAS", "LPI", "PIR", "SLA", "ILP", "ASR"])
def test_axes_of_the_patient(voxcc, tmp_path, codes):
    """The axes of the picture agree with nibabel for several orientations."""
    orientation = nibabel.orientations.axcodes2ornt(codes)
    affine = np.zeros((4, 4))
    affine[3, 3] = 1
    for stored, (world, sign) in enumerate(orientation):
        affine[int(world), stored] = sign * (stored + 1.5)
    image, _, table, _ = label(voxcc, tmp_path, blobs((6, 7, 8)), affine=affine)
    voxcc("report", table, "--images", image, "-o", tmp_path / "r.html")
    picture = data_of(tmp_path / "r.html")["volumes"][0]["picture"]
    for world, (stored, reverse) in enumerate(picture["patient"]):
        assert orientation[stored][0] == world and (orientation[stored][1] < 0) == reverse
    np.testing.assert_allclose(picture["spacing"], [1.5, 2.5, 3.5], rtol=1e-6)


def test_image_without_orientation(voxcc, tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", blobs((40, 50)))
    voxcc("label", "a.tif", "--stats", "a.csv", cwd=tmp_path)
    voxcc("report", "a.csv", "--images", "a.tif", "-o", "r.html", cwd=tmp_path)
    picture = data_of(tmp_path / "r.html")["volumes"][0]["picture"]
    assert picture["patient"] is None and picture["reduced"] == [50, 40, 1]


def test_outliers(batch):
    """Robust z-scores, computed here with numpy."""
    volumes = data_of(batch / "batch.html")["volumes"]
    assert sorted(volume["name"] for volume in volumes) == [f"sub-{number}.nii.gz" for number in range(6)]
    for name in ("components", "total", "largest"):
        values = np.array([volume[name] for volume in volumes], float)
        distance = np.abs(values - np.median(values))
        expected = 0.6745 * (values - np.median(values)) / np.median(distance)
        np.testing.assert_allclose([volume["z"][name] for volume in volumes], expected, atol=0.006)
    z = {volume["name"]: volume["z"]["total"] for volume in volumes}
    assert z["sub-4.nii.gz"] > 3.5 and abs(z["sub-1.nii.gz"]) < 3.5


def test_volumes_without_components_are_listed(batch):
    """The table has no row for such a volume; the summary has."""
    empty = [volume for volume in data_of(batch / "batch.html")["volumes"] if volume["components"] == 0]
    assert [volume["source"] for volume in empty] == ["scans/sub-5.nii.gz"]


def test_volumes_without_components_are_at_their_places(voxcc, tmp_path):
    """The order of the page is the order of the run: at the start, between others, and at the end. --summary has the same rows."""
    names = [f"sub-{number:02}.nii.gz" for number in range(7)]
    for seed, name in enumerate(names):
        write_nifti(tmp_path / name, noise((4, 5, 6), 0.3, seed=seed) * (seed not in (0, 2, 3, 6)))
    voxcc("label", *names, "--stats", "t.csv", "--json", "run.json", "--summary", "label.csv", cwd=tmp_path)
    voxcc("report", "t.csv", "--provenance", "run.json", "-o", "r.html", "--summary", "report.csv", cwd=tmp_path)
    assert [volume["source"] for volume in data_of(tmp_path / "r.html")["volumes"]] == names
    assert (tmp_path / "report.csv").read_text() == (tmp_path / "label.csv").read_text()


def test_summary(voxcc, tmp_path):
    """One row per volume of a 4D file. Without --provenance, numbers that the tables do not have are n/a."""
    array = np.stack([noise((5, 6, 7), share, seed=9) for share in (0.1, 0.2, 0, 0.3)])
    nibabel.save(nibabel.Nifti1Image(array.transpose(3, 2, 1, 0), np.diag([0.5, 1, 2, 1])), tmp_path / "sub-01.nii")
    options = "sub-01.nii", "--volume", "all", "--min-size", "2"
    voxcc("label", *options, "--stats", "t.csv", "--json", "run.json", cwd=tmp_path)
    voxcc("label", *options, "--summary", "label.csv", cwd=tmp_path)
    voxcc("report", "t.csv", "-o", "r.html", "--summary", "report.csv", cwd=tmp_path)
    want, got = pandas.read_csv(tmp_path / "label.csv"), pandas.read_csv(tmp_path / "report.csv")
    want = want[want["components"] > 0].reset_index(drop=True)
    assert got["voxels"].tolist() == want["voxels"].tolist() and got["volume"].tolist() == want["volume"].tolist() == [0, 1, 3]
    np.testing.assert_allclose(got["volume_mm3"], want["volume_mm3"])
    assert got[["foreground_voxels", "voxels_in_volume"]].isna().all().all()
    voxcc("report", "t.csv", "--provenance", "run.json", "-o", "r.html", "--summary", "with.csv", "-f", cwd=tmp_path)
    counts = pandas.read_csv(tmp_path / "with.csv")[["foreground_voxels", "voxels_in_volume"]]
    assert counts.values.tolist() == want[["foreground_voxels", "voxels_in_volume"]].values.tolist()
    assert "exists" in voxcc.fails(73, "report", "t.csv", "-o", "other.html", "--summary", "with.csv", cwd=tmp_path)
    assert not (tmp_path / "other.html").exists()


def test_summary_of_tables_with_provenance_each(voxcc, tmp_path):
    """Each table gets the numbers of its own run. A run with other components states nothing about a table."""
    for seed in range(3):
        write_nifti(tmp_path / f"a{seed}.nii", noise((4, 5, 6 + seed), 0.3, seed=seed))
        voxcc("label", f"a{seed}.nii", "--stats", f"a{seed}.csv", "--json", f"a{seed}.json", cwd=tmp_path)
    voxcc("label", "a1.nii", "--min-size", 9, "--json", "a1.json", "-f", cwd=tmp_path)
    voxcc("report", "a0.csv", "a1.csv", "a2.csv", "--provenance", "{stem}.json", "-o", "r.html", "--summary", "s.csv", cwd=tmp_path)
    table = pandas.read_csv(tmp_path / "s.csv")
    assert table["file"].tolist() == ["a0.csv", "a1.csv", "a2.csv"]
    assert table["voxels_in_volume"].fillna(0).tolist() == [120, 0, 160]
    assert table["foreground_voxels"].fillna(0).tolist() == [table["voxels"][0], 0, table["voxels"][2]]


def test_summary_has_one_unit(voxcc, tmp_path):
    for unit in ("mm", "um"):
        write_table(tmp_path / f"{unit}.csv", [["label", "voxels", f"volume_{unit}3"], [1, 5, 2.5]])
    message = voxcc.fails(64, "report", "mm.csv", "um.csv", "-o", "r.html", "--summary", "s.csv", cwd=tmp_path)
    assert "sizes in mm" in message and "in um" in message and not (tmp_path / "r.html").exists()


def test_names_of_volumes(voxcc, tmp_path):
    """Files of one name get their folders. All anchors are different, also of one file in two tables."""
    files = ["a/x/scan.nii", "b/x/scan.nii", "b/y/other.nii", "../evil/<b>.nii"]
    rows = [[number, 2, name] for number, name in enumerate(files, 1)]
    for name in ("one.csv", "two.csv"):
        write_table(tmp_path / name, [["label", "voxels", "file"], *rows])
    voxcc("report", "one.csv", "-o", "r.html", cwd=tmp_path)
    volumes = data_of(tmp_path / "r.html")["volumes"]
    assert [volume["name"] for volume in volumes] == files
    assert [volume["anchor"] for volume in volumes] == ["a/x/scan", "b/x/scan", "b/y/other", "../evil/<b>"]
    voxcc("report", "one.csv", "two.csv", "-f", "-o", "r.html", cwd=tmp_path)
    anchors = [volume["anchor"] for volume in data_of(tmp_path / "r.html")["volumes"]]
    assert len(set(anchors)) == 8 and anchors[4] == "a/x/scan-2"


def test_the_colours_are_those_of_the_preview(batch):
    assert data_of(batch / "batch.html")["palette"] == PALETTE.tolist()


def test_provenance(batch):
    run, shown = json.loads((batch / "run.json").read_text()), data_of(batch / "batch.html")["runs"][0]
    for name in ("version", "argv", "device", "algorithm", "seconds", "threads"):
        assert shown[name] == run[name]
    assert shown["inputs"] == run["inputs"] and shown["inputs_total"] == 6


def test_every_volume_of_a_4d_file(voxcc, tmp_path):
    array = np.stack([noise((5, 6, 7), share, seed=9) for share in (0.1, 0.2, 0.3)])
    nibabel.save(nibabel.Nifti1Image(array.transpose(3, 2, 1, 0), np.eye(4)), tmp_path / "t.nii")
    voxcc("label", "t.nii", "--volume", "all", "-o", "out_{volume}.nii", "--stats", "t.csv", cwd=tmp_path)
    voxcc("report", "t.csv", "--images", "t.nii", "--labels", "out_{volume}.nii", "-o", "r.html", cwd=tmp_path)
    volumes = data_of(tmp_path / "r.html")["volumes"]
    assert [volume["name"] for volume in volumes] == ["t, volume 0", "t, volume 1", "t, volume 2"]
    for volume, content in zip(volumes, array):
        grey, labels = picture_of(volume)
        np.testing.assert_array_equal(grey > 0, content > 0)
        np.testing.assert_array_equal(labels > 0, content > 0)


def test_many_components_are_limited(voxcc, tmp_path):
    """The page lists the largest components; counts and histograms include all of them. The page stays below its limit."""
    columns = ["label", "voxels", *(f"value_{number}" for number in range(98))]
    count = 20_000
    rows = ([number, 1 + number % 1000, *[0.123456789] * 98] for number in range(1, count + 1))
    write_table(tmp_path / "t.csv", [columns, *rows])
    voxcc("report", tmp_path / "t.csv", "-o", tmp_path / "r.html")
    volume = data_of(tmp_path / "r.html")["volumes"][0]
    assert volume["components"] == count and sum(volume["histogram"]["log"]["counts"]) == count
    sizes = [row[1] for row in volume["rows"]]
    assert len(sizes) == 7000 and min(sizes) >= 1000 - len(sizes) / (count / 1000)
    assert [row[0] for row in volume["rows"]] == sorted(row[0] for row in volume["rows"])
    assert (tmp_path / "r.html").stat().st_size < LIMIT


def test_pages_that_are_too_large_are_refused(voxcc, tmp_path):
    batch_table = write_table(tmp_path / "batch.csv", [["label", "voxels", "file"], *([1, 2, f"{number}.nii"] for number in range(1001))])
    assert "at most 1000 volumes" in voxcc.fails(64, "report", batch_table, "-o", tmp_path / "r.html")
    texts = write_table(tmp_path / "texts.csv", [["label", "voxels", "text"], *([number, 2, "x" * 1_000_000] for number in range(21))])
    assert "20 MB" in voxcc.fails(64, "report", texts, "-o", tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


def test_values_that_javascript_cannot_hold(voxcc, tmp_path):
    """Integers beyond 2^53 are texts, values that do not exist are null, and a size of n/a leaves the unit out."""
    largest = 2**64 - 1
    rows = [["label", "voxels", "volume_mm3", "x"], [largest, 3, "n/a", -(2**63)], [5, 2**52, "n/a", "inf"]]
    table = write_table(tmp_path / "t.csv", rows)
    voxcc("report", table, "-o", tmp_path / "r.html")
    volume = data_of(tmp_path / "r.html")["volumes"][0]
    assert volume["rows"] == [[str(largest), 3, None, str(-(2**63))], [5, 2**52, None, "inf"]]
    assert volume["size_unit"] == "" and volume["total"] == 2**52 + 3


def test_deeply_nested_json(voxcc, tmp_path):
    """Nesting must not overflow the stack of the program."""
    nested = "[" * 200_000 + "]" * 200_000
    (tmp_path / "cell.json").write_text('[{"label": 1, "voxels": 1, "a": ' + nested + "}]")
    assert "list or an object" in voxcc.fails(65, "report", tmp_path / "cell.json", "-o", tmp_path / "r.html")
    (tmp_path / "run.json").write_text('{"program": "voxcc", "version": "1", "argv": ' + nested + ', "inputs": [' + nested + "]}")
    table = write_table(tmp_path / "t.csv", [["label", "voxels"], [1, 2]])
    voxcc("report", table, "--provenance", tmp_path / "run.json", "-o", tmp_path / "r.html")
    assert data_of(tmp_path / "r.html")["runs"][0]["version"] == "1"


def test_noise_stays_below_the_limit(voxcc, tmp_path):
    """Voxels that cannot be compressed are reduced until the page is small enough. Small components stay visible."""
    array = np.random.default_rng(2).integers(0, 60_000, (100, 250, 250)).astype(np.uint16)
    image = write_nifti(tmp_path / "in.nii", array)
    voxcc("label", image, "--threshold", 59_000, "-c", 6, "-o", tmp_path / "labels.nii", "--stats", tmp_path / "0.json", "--min-size", 3)
    for name in ("1.json", "2.json"):
        (tmp_path / name).symlink_to("0.json")
    for number in range(3):
        (tmp_path / f"in{number}.nii").symlink_to("in.nii")
        (tmp_path / f"labels{number}.nii").symlink_to("labels.nii")
    done = voxcc("report", "0.json", "1.json", "2.json", "--images", "in{stem}.nii", "--labels", "labels{stem}.nii", "-o", "r.html",
                 cwd=tmp_path)
    assert LIMIT / 4 < (tmp_path / "r.html").stat().st_size < LIMIT and "below 20 MB" in done.stderr
    volume = data_of(tmp_path / "r.html")["volumes"][0]
    grey, shown = picture_of(volume)
    steps = volume["picture"]["step"][::-1]
    assert grey.shape == tuple(-(-count // step) for count, step in zip(array.shape, steps))
    labels = read_nifti(tmp_path / "labels.nii")
    sizes = np.bincount(labels.ravel())
    sizes_of_rows = np.array([2**40] + [row[volume["columns"].index("voxels")] for row in volume["rows"]] + [2**39])
    for at in np.random.default_rng(3).integers(0, grey.shape, (300, 3)):
        block = tuple(slice(index * step, (index + 1) * step) for index, step in zip(at, steps))
        low, high = volume["picture"]["window"]
        assert abs(grey[tuple(at)] - np.clip((array[block].mean() - low) * 255 / (high - low), 0, 255)) < 2
        inside = labels[block][labels[block] > 0]
        assert sizes_of_rows[shown[tuple(at)]] == (sizes[inside].min() if len(inside) else 2**40)


def test_small_volumes_of_a_batch_are_not_reduced(voxcc, tmp_path):
    """The budget of the page counts compressed bytes: 24 volumes with 21 million voxels together need 1 MB."""
    write_nifti(tmp_path / "0.nii.gz", blobs((96, 96, 96), 0.1, 3))
    voxcc("label", "0.nii.gz", "--stats", "0.csv", "-o", "l0.nii.gz", cwd=tmp_path)
    for number in range(1, 24):
        for name in ("{}.nii.gz", "{}.csv", "l{}.nii.gz"):
            (tmp_path / name.format(number)).symlink_to(name.format(0))
    tables = [f"{number}.csv" for number in range(24)]
    done = voxcc("report", *tables, "--images", "{stem}.nii.gz", "--labels", "l{stem}.nii.gz", "-o", "r.html", cwd=tmp_path)
    assert "20 MB" not in done.stderr and (tmp_path / "r.html").stat().st_size < LIMIT / 4
    assert {tuple(volume["picture"]["step"]) for volume in data_of(tmp_path / "r.html")["volumes"]} == {(1, 1, 1)}


def test_same_bytes_twice(voxcc, batch):
    for name in ("one.html", "two.html"):
        voxcc("report", "all.csv", "--images", "{file}", "--labels", "out/{stem}.nii.gz", "-o", name, cwd=batch)
    assert (batch / "one.html").read_bytes() == (batch / "two.html").read_bytes()


def test_the_table_of_another_volume(voxcc, tmp_path):
    """A component outside of the volume is an error, labels that differ are a warning."""
    *_, table, _ = label(voxcc, tmp_path, blobs((20, 20, 20), 0.3), "large")
    small, labels, _, _ = label(voxcc, tmp_path, noise((20, 20, 10), 0.3), "small")
    assert "outside" in voxcc.fails(65, "report", table, "--images", small, "-o", tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()
    _, others, few, _ = label(voxcc, tmp_path, noise((20, 20, 20), 0.2), "others", **{"--keep-largest": 1})
    assert "this volume lacks" in voxcc("report", table, "--labels", others, "-o", tmp_path / "r.html").stderr
    label(voxcc, tmp_path, noise((20, 20, 20), 0.2), "all")
    messages = voxcc("report", few, "--labels", tmp_path / "all_labels.nii.gz", "-f", "-o", tmp_path / "r.html").stderr
    assert f"the table {few} lacks" in messages


def test_hostile_texts_are_inert_in_the_file(voxcc, tmp_path):
    page = hostile_page(voxcc, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert text.count("window.attacked") > 0 and "<script>window.attacked" not in text and "<img src=x" not in text
    assert data_of(page)["volumes"][0]["source"] == HOSTILE
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and "http" not in policy


def test_inputs_do_not_change(voxcc, batch):
    before = {path: path.read_bytes() for path in batch.rglob("*.*") if path.is_file() and path.suffix != ".html"}
    shutil.copy(batch / "batch.html", batch / "again.html")
    voxcc("report", "all.csv", "--images", "{file}", "--labels", "out/{stem}.nii.gz", "-f", "-o", "again.html", cwd=batch)
    assert {path: path.read_bytes() for path in before} == before
    assert not [path for path in batch.iterdir() if path.name.startswith(".")]


def test_the_licence_is_in_the_page(batch):
    """The licence of Chart.js requires this."""
    text = (batch / "batch.html").read_text(encoding="utf-8")
    assert "Chart.js Contributors" in text and "The MIT License" in text and "shall be included in all copies" in text
