"""Files that hold all volumes of an input (4D), compared with nibabel, numpy, and one run of voxcc per volume."""

import hashlib
import json
import subprocess

import nibabel
import numpy as np
import pytest
import SimpleITK
from helpers import blobs, label_equal_values, label_scipy, nifti_type, noise, read_nifti, read_table, sha256, streaming_limit, write_nifti
from series_files import AFFINE, labels_of, read, series_of, write_series

EXTENSIONS = (".nii", ".nii.gz", ".h5", ".tif", ".ome.tif", ".npy", ".npz", ".mgz", ".mgh", ".nrrd", ".mha", ".mhd")
CONTENTS = {"labels": "-o", "values": "--masked-output", "sizes": "--size-output", "mask": "--mask-output"}


def type_for(extension, most):
    if extension in (".nii", ".nii.gz", ".mgz", ".mgh"):
        return nifti_type(most)
    return next(np.dtype(name) for name in ("uint8", "uint16", "uint32") if most <= np.iinfo(name).max)


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    """A folder with the file four.nii.gz, and its volumes."""
    folder = tmp_path_factory.mktemp("four")
    series = series_of()
    write_series(folder / "four.nii.gz", series)
    return folder / "four.nii.gz", series


def sizes_of(labels):
    sizes = [np.bincount(volume.ravel()) for volume in labels]
    for size in sizes:
        size[0] = 0
    return np.stack([size[volume] for size, volume in zip(sizes, labels)])


def without_volume(rows, volume):
    """The rows of a volume, without the column `volume`."""
    return [{key: row[key] for key in row if key != "volume"} for row in rows if row["volume"] == volume]


def outputs(folder, extension):
    return [text for content, option in CONTENTS.items() for text in (option, folder / (content + extension))]


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_labels_and_table(voxcc, tmp_path, four, extension):
    path, series = four
    voxcc("label", path, "--volume", "all", "-o", tmp_path / f"l{extension}", "--stats", tmp_path / "t.csv")
    labels = labels_of(series)
    assert labels[1].max() > 255 > labels[0].max() and labels[2].max() == 0
    found = read(tmp_path / f"l{extension}")
    np.testing.assert_array_equal(found, labels)
    assert found.dtype.newbyteorder("=") == type_for(extension, labels.max())
    rows = read_table(tmp_path / "t.csv")
    assert [(row["volume"], row["label"]) for row in rows] == [
        (volume, label) for volume in range(4) for label in range(1, labels[volume].max() + 1)]
    for volume in range(4):
        voxcc("label", f"{path}[{volume}]", "--stats", tmp_path / "one.csv", "-f")
        assert without_volume(rows, volume) == read_table(tmp_path / "one.csv")


@pytest.mark.parametrize("extension", [extension for extension in EXTENSIONS if extension != ".npz"])
def test_all_contents(voxcc, tmp_path, four, extension):
    path, series = four
    voxcc("label", path, "--volume", "all", "-c", 6, "--min-size", 3, "-j", 3, *outputs(tmp_path, extension))
    labels = labels_of(series, 6)
    kept = sizes_of(labels) >= 3
    np.testing.assert_array_equal(read(tmp_path / f"mask{extension}"), kept)
    np.testing.assert_array_equal(read(tmp_path / f"values{extension}"), np.where(kept, series, 0))
    np.testing.assert_array_equal(read(tmp_path / f"sizes{extension}"), np.where(kept, sizes_of(labels), 0))
    found = read(tmp_path / f"labels{extension}")
    for volume in range(4):
        of_kept = np.unique(labels[volume][kept[volume]])
        np.testing.assert_array_equal(found[volume], np.where(kept[volume], np.searchsorted(of_kept, labels[volume]) + 1, 0))


RULES = ([], ["--dtype", "uint32"], ["--fill-holes"], ["--per-slice", "x"], ["--multilabel", "--sort", "size"], ["--compress", "0"], ["--compress", "6"])


@pytest.mark.parametrize("rule", RULES, ids=" ".join)
@pytest.mark.parametrize("extension", (".nii", ".nii.gz", ".h5", ".tif", ".ome.tif", ".nrrd", ".mha"))
def test_bytes_do_not_depend_on_jobs_threads_and_slabs(voxcc, tmp_path, four, rule, extension):
    path, _ = four
    command = ["label", path, "--volume", "all", "--device", "cpu", "-f", *rule, *outputs(tmp_path, extension), "--stats", tmp_path / "t.csv"]
    names = [*(content + extension for content in CONTENTS), "t.csv"]
    contents = set()
    for jobs, threads in ((1, 1), (1, 3), (2, 4), (3, 3), (9, 1)):
        voxcc(*command, "-j", jobs, "-t", threads)
        contents.add(tuple(sha256(tmp_path / name) for name in names))
    assert len(contents) == 1


def test_streamed_volumes_have_the_same_bytes(voxcc, tmp_path):
    series = np.stack([np.tile(blobs((24, 40, 64), 0.3, 1.5, seed), (12, 5, 4)) for seed in (1, 2, 3)])
    write_series(tmp_path / "in.nii", series)
    command = ["label", "in.nii", "--volume", "all", "--device", "cpu", "-f", "-t", "1", *outputs(tmp_path, ".nii.gz")]
    contents = set()
    option, limit = streaming_limit(voxcc, *command, cwd=tmp_path)
    for limited in ([], [option, limit], [option, 2 * int(limit), "-j", 2]):
        voxcc(*command, *limited, cwd=tmp_path)
        contents.add(tuple(sha256(tmp_path / f"{content}.nii.gz") for content in CONTENTS))
    assert len(contents) == 1
    np.testing.assert_array_equal(read(tmp_path / "labels.nii.gz"), labels_of(series))


def test_header_of_nifti(voxcc, tmp_path, four):
    path, _ = four
    wanted = nibabel.load(path).header
    voxcc("label", path, "--volume", "all", *outputs(tmp_path, ".nii"))
    voxcc("label", f"{path}[1..3]", "-o", tmp_path / "range.nii")
    for name, volumes in (("labels", 4), ("values", 4), ("sizes", 4), ("mask", 4), ("range", 3)):
        image = nibabel.load(tmp_path / f"{name}.nii")
        assert image.shape == (65, 20, 12, volumes)
        assert image.header.get_zooms() == wanted.get_zooms() == (2, 2.5, 3, 1.75)
        assert image.header.get_xyzt_units() == ("mm", "sec") and image.header["toffset"] == 4.5
        np.testing.assert_array_equal(image.affine, AFFINE)
        assert (image.header.get_intent()[0] == "label") == (name in ("labels", "range"))


@pytest.mark.parametrize("extension", (".nrrd", ".mha", ".mhd"))
@pytest.mark.parametrize("given", ((), ("--compress", "0"), ("--spacing", "2,2.5,3")), ids=" ".join)
def test_geometry_of_nrrd_and_metaimage(voxcc, tmp_path, four, extension, given):
    """Each volume has the geometry of a file of its own. SimpleITK reads the volumes of a NRRD as components of the voxels."""
    path, series = four
    voxcc("label", path, "--volume", "all", *given, *outputs(tmp_path, extension))
    voxcc("label", f"{path}[3]", *given, "-o", tmp_path / f"one{extension}")
    one = SimpleITK.ReadImage(tmp_path / f"one{extension}")
    for content in CONTENTS:
        image = SimpleITK.ReadImage(tmp_path / (content + extension))
        if extension == ".nrrd":
            assert image.GetNumberOfComponentsPerPixel() == 4
            fourth = SimpleITK.VectorIndexSelectionCast(image, 3)
        else:
            assert image.GetDimension() == 4 and image.GetSpacing()[3] == 1
            fourth = image[..., 3]
        assert (fourth.GetSpacing(), fourth.GetOrigin(), fourth.GetDirection()) == (one.GetSpacing(), one.GetOrigin(), one.GetDirection())
        if content == "labels":
            np.testing.assert_array_equal(SimpleITK.GetArrayFromImage(fourth), SimpleITK.GetArrayFromImage(one))
            found, wanted = (json.loads(voxcc("info", name, "--json", cwd=tmp_path).stdout) for name in (f"labels{extension}[3]", f"one{extension}"))
            assert (found["spacing_mm"], found.get("affine")) == (wanted["spacing_mm"], wanted.get("affine"))


@pytest.mark.parametrize("volume, shape", (("all", (12, 7, 5, 1, 3, 2)), ("0..3", (12, 7, 5, 4)), ("5..5", (12, 7, 5))))
def test_axes_of_nifti(voxcc, tmp_path, volume, shape):
    """The axes of the volumes are kept if all volumes are labelled."""
    values = noise((2, 3, 1, 5, 7, 12), 0.2)
    nibabel.save(nibabel.Nifti1Image(values.T, AFFINE), tmp_path / "six.nii")
    voxcc("label", *(["six.nii", "--volume", "all"] if volume == "all" else [f"six.nii[{volume}]"]), "-o", "l.nii", cwd=tmp_path)
    image = nibabel.load(tmp_path / "l.nii")
    first, last = (0, 5) if volume == "all" else map(int, volume.split(".."))
    assert image.shape == shape
    np.testing.assert_array_equal(np.asarray(image.dataobj).T.reshape(-1, 5, 7, 12), labels_of(values.reshape(6, 5, 7, 12)[first : last + 1]))


def test_axes_of_numpy(voxcc, tmp_path):
    """The shape and the order of a NumPy input are kept if all volumes are labelled."""
    values = noise((2, 3, 5, 7, 12), 0.2)
    labels = labels_of(values.reshape(6, 5, 7, 12)).reshape(values.shape)
    np.save(tmp_path / "c.npy", values)
    np.save(tmp_path / "f.npy", np.asfortranarray(values.T))
    for name, wanted in (("c.npy", labels), ("f.npy", labels.T)):
        voxcc("label", name, "--volume", "all", "-o", "l.npy", "-f", cwd=tmp_path)
        found = np.load(tmp_path / "l.npy")
        np.testing.assert_array_equal(found, wanted)
        assert found.flags.c_contiguous == (name == "c.npy")
        voxcc("label", f"{name}[1..4]", "-o", "l.npz", "-f", cwd=tmp_path)
        found = np.load(tmp_path / "l.npz")["labels"]
        np.testing.assert_array_equal(found if name == "c.npy" else found.T, labels.reshape(6, 5, 7, 12)[1:5])


@pytest.mark.parametrize("shape", ((3, 1, 7, 12), (3, 5, 1, 12), (3, 5, 7, 1), (2, 1, 1, 1), (2, 1, 7, 1)))
@pytest.mark.parametrize("extension", EXTENSIONS)
def test_extents_of_one_voxel(voxcc, tmp_path, shape, extension):
    values = noise(shape, 0.4)
    values.flat[-1] = 1
    nibabel.save(nibabel.Nifti1Image(values.T, AFFINE), tmp_path / "in.nii")
    voxcc("label", "in.nii", "--volume", "all", "-o", f"l{extension}", cwd=tmp_path)
    voxcc("label", "in.nii", "--volume", "all", "-o", "{volume}.nii", cwd=tmp_path)
    info = json.loads(voxcc("info", f"l{extension}", "--json", cwd=tmp_path).stdout)
    assert (info["volumes"], info["shape"]) == (shape[0], list(shape[:0:-1]))
    for volume in range(shape[0]):
        voxcc("compare", f"l{extension}[{volume}]", f"{volume}.nii", "--exact", cwd=tmp_path)


def test_series_of_another_format(voxcc, tmp_path):
    """Without a NIfTI input, the volumes are counted along axis 4. Many volumes need NIfTI-2."""
    many = np.zeros((33000, 1, 1, 2), np.uint8)
    many[::7, 0, 0, 1] = 1
    np.save(tmp_path / "many.npy", many)
    voxcc("label", "many.npy", "--volume", "all", "-o", "l.nii", "--dtype", "uint8", cwd=tmp_path)
    image = nibabel.load(tmp_path / "l.nii")
    assert image.shape == (2, 1, 1, 33000) and isinstance(image, nibabel.Nifti2Image)
    np.testing.assert_array_equal(np.asarray(image.dataobj).T, many)


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_selectors_read_the_volumes(voxcc, tmp_path, four, extension):
    path, series = four
    name = f"l{extension}"
    voxcc("label", path, "--volume", "all", "-o", tmp_path / name, "--stats", tmp_path / "t.csv")
    assert json.loads(voxcc("info", name, "--json", cwd=tmp_path).stdout)["volumes"] == 4
    voxcc("verify", name, f"{name}[0..3]", cwd=tmp_path)
    for volume in range(4):
        voxcc("label", f"{path}[{volume}]", "-o", tmp_path / "one.nii", "-f")
        voxcc("compare", f"{name}[{volume}]", "one.nii", "--exact", cwd=tmp_path)
    voxcc("compare", f"{name}[0]", f"{name}[1]", expect=1, cwd=tmp_path)
    voxcc("stats", name, "--volume", "all", "-o", "s.csv", cwd=tmp_path)
    stats, table = read_table(tmp_path / "s.csv"), read_table(tmp_path / "t.csv")
    assert [(row["volume"], row["label"], row["voxels"]) for row in stats] == [(row["volume"], row["label"], row["voxels"]) for row in table]
    voxcc("report", "t.csv", "--images", path, "--labels", name, "-o", "r.html", cwd=tmp_path)


def test_a_number_in_the_name_gives_separate_files(voxcc, tmp_path, four):
    path, series = four
    voxcc("label", path, "--volume", "all", "-o", "{volume}.nii", "--mask-output", "mask.nii", "--stats", "t.csv", "-j", 3, cwd=tmp_path)
    labels = labels_of(series)
    for volume in range(4):
        found = read(tmp_path / f"{volume}.nii")
        np.testing.assert_array_equal(found, labels[volume])
        assert found.dtype == nifti_type(labels[volume].max())
    np.testing.assert_array_equal(read(tmp_path / "mask.nii"), labels > 0)


def test_batch(voxcc, tmp_path):
    """Each input has a file of its own, with its own type."""
    (tmp_path / "in").mkdir()
    series = {name: series_of(number + 2)[::-1] for number, name in enumerate("abc")}
    for name, volumes in series.items():
        write_series(tmp_path / "in" / f"{name}.nii", volumes)
    contents = set()
    for jobs in (1, 2, 7):
        voxcc("label", *(f"in/{name}.nii" for name in series), "--volume", "all", "-o", "{stem}.nii.gz", "--stats", "t.csv", "-f", "-j", jobs, cwd=tmp_path)
        contents.add(tuple(sha256(tmp_path / name) for name in ("a.nii.gz", "b.nii.gz", "c.nii.gz", "t.csv")))
    assert len(contents) == 1
    for name, volumes in series.items():
        labels = labels_of(volumes)
        np.testing.assert_array_equal(read(tmp_path / f"{name}.nii.gz"), labels)
        assert read(tmp_path / f"{name}.nii.gz").dtype == nifti_type(labels.max())
        rows = [(row["volume"], row["label"]) for row in read_table(tmp_path / "t.csv") if row["file"] == f"in/{name}.nii"]
        assert rows == [(volume, label) for volume, of in enumerate(labels) for label in range(1, of.max() + 1)]


def test_measurements(voxcc, tmp_path, four):
    """Measurements and their tables have the same values as in one run per volume."""
    path, series = four
    tables = ["--stats", "t.csv", "--contacts", "c.csv", "--local-maxima", "m.csv", "--intensity", path, "--shape", "--percentiles", "50", "--multilabel"]
    voxcc("label", path, "--volume", "all", "-o", "l.nii.gz", *tables, "--lut", "l.txt", "-j", 2, cwd=tmp_path)
    together = {name: read_table(tmp_path / name) for name in ("t.csv", "c.csv", "m.csv")}
    for volume in range(4):
        voxcc("label", f"{path}[{volume}]", "-f", *tables, cwd=tmp_path)
        for name, rows in together.items():
            assert without_volume(rows, volume) == read_table(tmp_path / name)
    labels = np.stack([label_equal_values(volume, 26) for volume in series])
    np.testing.assert_array_equal(read(tmp_path / "l.nii.gz"), labels)
    assert f"component {labels.max()}" in (tmp_path / "l.txt").read_text()


def test_mask_and_intensity_of_another_file(voxcc, tmp_path, four):
    path, series = four
    mask = noise(series.shape[1:], 0.5)
    write_nifti(tmp_path / "mask.nii", mask, AFFINE)
    voxcc("label", path, "--volume", "all", "--mask", "mask.nii", "-o", "l.nii", "-j", 4, cwd=tmp_path)
    np.testing.assert_array_equal(read(tmp_path / "l.nii"), labels_of(series * mask))


def test_series_of_labels_with_a_series_of_images(voxcc, tmp_path):
    """A mask and an image with as many volumes as the input are used volume by volume."""
    random = np.random.default_rng(4)
    labels = (random.random((3, 6, 7, 8)) < 0.3).astype(np.uint8)
    images, masks = random.random(labels.shape).astype(np.float32), (random.random(labels.shape) < 0.8).astype(np.uint8)
    for name, volume in (("l", labels), ("i", images), ("m", masks), ("two", images[:2]), ("one", images[0])):
        write_nifti(tmp_path / f"{name}.nii", volume)
    command = ["label", "l.nii", "--volume", "all", "--intensity", "i.nii", "--mask", "m.nii"]
    voxcc(*command, "--stats", "t.csv", "-o", "out.nii", cwd=tmp_path)
    found = read_nifti(tmp_path / "out.nii")
    rows = iter(read_table(tmp_path / "t.csv"))
    for volume in range(3):
        wanted = label_scipy(labels[volume] & masks[volume], 26)
        np.testing.assert_array_equal(found[volume], wanted)
        for label in range(1, wanted.max() + 1):
            row = next(rows)
            assert (row["volume"], row["label"]) == (volume, label)
            assert row["intensity_mean"] == pytest.approx(images[volume][wanted == label].mean(dtype=float), rel=1e-12)
    voxcc("stats", "out.nii", "--volume", "all", "--intensity", "i.nii", "-o", "s.csv", cwd=tmp_path)
    assert read_table(tmp_path / "s.csv") == read_table(tmp_path / "t.csv")
    voxcc("stats", "out.nii[1]", "--intensity", "i.nii", "-o", "one.csv", cwd=tmp_path)
    assert [r["intensity_mean"] for r in read_table(tmp_path / "one.csv")] == [r["intensity_mean"] for r in read_table(tmp_path / "t.csv") if r["volume"] == 1]
    assert "holds 2 volumes" in voxcc.fails(64, "stats", "out.nii", "--volume", "all", "--intensity", "two.nii", "-o", "x.csv", cwd=tmp_path)
    voxcc("stats", "out.nii", "--volume", "all", "--intensity", "one.nii", "-o", "x.csv", cwd=tmp_path)


def test_summary(voxcc, tmp_path, four):
    path, series = four
    voxcc("label", path, "--volume", "all", "-o", "l.nii.gz", "--size-output", "s.nii", "--json", "s.json", "-j", 2, cwd=tmp_path)
    summary = json.loads((tmp_path / "s.json").read_text())
    labels = labels_of(series)
    assert [record["path"] for record in summary["outputs"]] == ["l.nii.gz", "s.nii"]
    assert [record["sha256"] for record in summary["outputs"]] == [sha256(tmp_path / "l.nii.gz"), sha256(tmp_path / "s.nii")]
    assert summary["count"] == sum(of.max() for of in labels)
    for number, volume in enumerate(summary["volumes"]):
        assert volume["volume"] == number and volume["count"] == labels[number].max()
        assert volume["output"] == "l.nii.gz" and volume["dtype"] == str(nifti_type(labels.max()))
        assert volume["other_volumes"]["size-output"]["path"] == "s.nii"


def test_skipping(voxcc, tmp_path, four):
    path, _ = four
    command = ["label", path, "--volume", "all", "-o", "l.nii.gz", "--json", "l.json", "--skip-existing", "-j", 2]
    voxcc(*command, cwd=tmp_path)
    before = sha256(tmp_path / "l.nii.gz")
    assert "is skipped" in voxcc(*command, cwd=tmp_path).stderr
    assert json.loads(voxcc(*command, "--dry-run", cwd=tmp_path).stdout)["skipped"] == [str(path)]
    (tmp_path / "l.nii.gz").unlink()
    assert "is skipped" not in voxcc(*command, cwd=tmp_path).stderr
    assert sha256(tmp_path / "l.nii.gz") == before


def test_plan(voxcc, tmp_path, four):
    path, _ = four

    def plan(*options):
        return json.loads(voxcc("label", path, "--volume", "all", "--device", "cpu", "-t", 2, *options, "--dry-run", cwd=tmp_path).stdout)

    one, two, nine = (plan("-o", "l.nii", "-j", jobs) for jobs in (1, 2, 9))
    assert [volume["output"] for volume in one["volumes"]] == ["l.nii"] * 4
    assert (two["memory_bytes"], nine["memory_bytes"]) == (2 * one["memory_bytes"], 4 * one["memory_bytes"])
    passes = {options: plan(*options)["volumes"][0]["passes"] for options in (
        (), ("-o", "l.nii"), ("-o", "{volume}.nii"), ("-o", "l.nii", "--dtype", "uint16"), ("--mask-output", "m.nii"), ("--size-output", "m.nii"))}
    assert list(passes.values()) == [1, 2, 1, 1, 1, 2]


@pytest.mark.parametrize("extension", ("-", "-.nii.gz"))
def test_stdout(voxcc, tmp_path, four, extension):
    path, series = four
    done = subprocess.run([voxcc.program, "label", path, "--volume", "all", "-j", "3", "-o", extension], capture_output=True, check=True)
    voxcc("label", path, "--volume", "all", "-o", tmp_path / ("l.nii.gz" if extension.endswith("gz") else "l.nii"))
    written = tmp_path / ("piped" + (".nii.gz" if extension.endswith("gz") else ".nii"))
    written.write_bytes(done.stdout)
    np.testing.assert_array_equal(read(written), labels_of(series))
    if extension == "-":
        assert hashlib.sha256(done.stdout).hexdigest() == sha256(tmp_path / "l.nii")


def test_stdin(voxcc, tmp_path, four):
    path, series = four
    subprocess.run([voxcc.program, "label", "-", "--volume", "all", "-j", "2", "-o", tmp_path / "l.nii"], input=path.read_bytes(), check=True)
    np.testing.assert_array_equal(read(tmp_path / "l.nii"), labels_of(series))


def test_wrong_outputs(voxcc, tmp_path, four):
    path, series = four
    common = ["label", path, "--volume", "all"]
    for option in CONTENTS.values():
        assert "holds one volume, but there are 4 volumes; use {volume}" in voxcc.fails(64, *common, option, "slices/", cwd=tmp_path)
        assert "is an input" in voxcc.fails(73, *common, option, path, "-f", cwd=tmp_path)
    assert "also the file" in voxcc.fails(64, *common, "-o", "l.nii", "--mask-output", "l.nii", cwd=tmp_path)
    assert "{stem}" in voxcc.fails(64, *common, path, "-o", "l.nii", cwd=tmp_path)
    (tmp_path / "l.nii").write_text("mine")
    assert "--force" in voxcc.fails(73, *common, "-o", "l.nii", cwd=tmp_path)
    assert "labels do not fit into uint8" in voxcc.fails(65, *common, "-o", "u.nii", "--dtype", "uint8", cwd=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["l.nii"] and (tmp_path / "l.nii").read_text() == "mine"
