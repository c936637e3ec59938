"""Tables of many intensity images, whose sums exist only between the first and the last row of a label: compared with numpy, and with tables
that also have columns for which all sums must stay."""

import anndata
import nibabel
import numpy as np
import pytest
from helpers import peak_of, read_table

BRIEF = ["intensity_mean", "intensity_std", "intensity_min", "intensity_max", "intensity_sum"]
LABELS = {"u1": np.uint8, "i2": np.int16, "u8": np.uint64}
TYPES = [np.uint8, np.int16, np.uint16, np.float32, np.float64]


def write(path, values):
    """The array z, y, x as a NIfTI file, with spacing 1, 2 and 3."""
    nibabel.Nifti1Image(values.transpose(), np.diag([1.0, 2.0, 3.0, 1.0]), dtype=values.dtype).to_filename(path)
    return path


def label_volume(kind, shape, rng):
    """Labels in any order, some of them in many separate pieces."""
    near = np.zeros(shape, int)
    for number in range(1, 60):  # boxes: each open for some rows only
        start = [int(rng.integers(0, size)) for size in shape]
        near[tuple(slice(s, s + int(rng.integers(1, 9))) for s in start)] = number
    far = rng.integers(60, 90, shape) * (rng.random(shape) < 0.02)
    numbers = np.where(far > 0, far, near)
    names = rng.permutation(100)[:90] + 1
    names[:2] = [0, names[1]]
    labels = names[numbers].astype(LABELS[kind])
    if kind == "i2":
        labels[labels % 3 == 1] *= -1
    if kind == "u8":
        labels[labels == labels.max()] = 2**64 - 1
    return labels


def image(dtype, shape, rng):
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    values = (rng.normal(size=shape) * 10.0 ** rng.integers(-20, 20, shape)).astype(dtype)
    values[rng.random(shape) < 0.05] = np.nan
    values[rng.random(shape) < 0.001] = np.inf
    return values


def intensities(names):
    return [word for name in names for word in ("--intensity", f"{name}={name}.nii")]


@pytest.fixture(name="files", scope="module", params=[(kind, shape) for kind in LABELS for shape in [(1, 70, 90), (9, 40, 30)]], ids=str)
def make_files(request, tmp_path_factory):
    kind, shape = request.param
    rng = np.random.default_rng([shape[0], list(LABELS).index(kind)])
    folder = tmp_path_factory.mktemp("many")
    images = {f"im{at}": image(dtype, shape, rng) for at, dtype in enumerate(TYPES)}
    for name, values in images.items():
        write(folder / f"{name}.nii", values)
    labels = label_volume(kind, shape, rng)
    np.save(folder / "labels.npy", labels)
    return folder, labels, images


def table(voxcc, folder, names, *options):
    voxcc("stats", "labels.npy", *intensities(names), "-o", "table.csv", "-f", *options, cwd=folder)
    return (folder / "table.csv").read_text()


@pytest.mark.parametrize("members", [BRIEF, BRIEF[:1], ["weighted_centroid_k", "intensity_max"], ["weighted_centroid_x", "weighted_centroid_j"]], ids=len)
def test_same_text_as_with_all_sums(voxcc, files, members):
    folder, _, images = files
    stems = [member.removeprefix("intensity_") for member in members]
    brief = [f"{name}_{stem}{'_unit' * stem.endswith('_x')}" for name in images for stem in stems]
    every = table(voxcc, folder, images).splitlines()
    header = every[0].split(",")
    brief = [name if name in header else next(column for column in header if column.startswith(name.removesuffix("_unit") + "_")) for name in brief]
    wanted = ["label", "voxels", *brief]
    expected = [",".join(np.array(line.split(","))[[header.index(column) for column in wanted]]) for line in every]
    assert table(voxcc, folder, images, "--columns", ",".join(wanted)).splitlines() == expected
    assert len(expected) > 50


def test_numbers(voxcc, files):
    folder, labels, images = files
    columns = [f"{name}_{stem.removeprefix('intensity_')}" for name in images for stem in BRIEF]
    table(voxcc, folder, images, "--columns", ",".join(["label", *columns]))
    rows = read_table(folder / "table.csv")
    assert len(rows) == len(set(np.unique(labels)) - {0})
    for name, values in images.items():
        if np.issubdtype(values.dtype, np.floating):
            continue  # infinite values and NaN: the other test
        for row in rows:
            inside = values[labels == np.array(int(row["label"]), labels.dtype)].astype(float)
            expected = [inside.mean(), inside.std(), inside.min(), inside.max(), inside.sum()]
            assert [float(row[f"{name}_{stem}"]) for stem in ("mean", "std", "min", "max", "sum")] == pytest.approx(expected, rel=1e-12)


def test_conditions(voxcc, files):
    folder, _, images = files
    some = table(voxcc, folder, images, "--columns", "label,im0_mean", "--keep", "im2_mean > 30000 and im0_std > 20")
    every = table(voxcc, folder, images, "--columns", "label,im0_mean", "--keep", "im2_mean > 30000 and im0_std > 20 and im0_kurtosis > -9")
    assert some == every and 1 < len(some.splitlines()) < len(table(voxcc, folder, images, "--columns", "label").splitlines())


def test_anndata(voxcc, files):
    folder, _, images = files
    voxcc("stats", "labels.npy", *intensities(images), "-o", "brief.h5ad", "--columns", "label", "-f", cwd=folder)
    voxcc("stats", "labels.npy", *intensities(images), "-o", "every.h5ad", "-f", cwd=folder)
    brief, every = (anndata.read_h5ad(folder / name) for name in ("brief.h5ad", "every.h5ad"))
    np.testing.assert_array_equal(brief.X, every.X)
    np.testing.assert_array_equal(brief.obsm["spatial"], every.obsm["spatial"])
    assert list(brief.var_names) == list(images) and list(brief.obs.columns) == ["label"]


def test_other_measures(voxcc, files):
    """Percentiles and maxima need the image again; shapes, contacts and inside voxels do not depend on images."""
    folder, _, images = files
    chosen = ["--columns", "label,im1_mean,inside_i,euler_number", "--inside", "--shape"]
    text = table(voxcc, folder, images, *chosen, "--contacts", "contacts.csv", "--summary", "summary.csv")
    contacts, summary = ((folder / name).read_text() for name in ("contacts.csv", "summary.csv"))
    few = table(voxcc, folder, ["im1"], *chosen, "--contacts", "contacts.csv", "--summary", "summary.csv")
    assert text == few and (contacts, summary) == tuple((folder / name).read_text() for name in ("contacts.csv", "summary.csv"))
    with_percentiles = table(voxcc, folder, images, "--percentiles", "50", "--columns", "label,im0_p50,im0_mean")
    assert with_percentiles == table(voxcc, folder, ["im0"], "--percentiles", "50", "--columns", "label,im0_p50,im0_mean")


def test_memory_of_many_images(voxcc, tmp_path):
    """40 images and 60,000 labels: one column needs 19 MB, the sums of all labels would need more than 400 MB."""
    shape = (1, 1000, 2400)
    np.save(tmp_path / "labels.npy", np.arange(60_000, dtype=np.uint32).reshape(200, 300).repeat(5, 0).repeat(8, 1)[None])
    write(tmp_path / "im.nii", np.random.default_rng(3).integers(0, 60_000, shape, dtype=np.uint16))
    names = [f"c{at}" for at in range(40)]
    words = [word for name in names for word in ("--intensity", f"{name}={tmp_path / 'im.nii'}")]
    columns = ",".join(["label", *(f"{name}_mean" for name in names)])
    peak = peak_of(voxcc.program, "stats", tmp_path / "labels.npy", *words, "-o", tmp_path / "t.csv", "--columns", columns)
    assert peak < 350e6
