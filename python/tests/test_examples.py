"""The scripts of examples/python, and the page that describes them, against scipy, and with napari and MONAI where they are installed."""

import doctest
import importlib
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
import scipy.ndimage
import voxcc

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples" / "python"
PAGE = REPOSITORY / "docs" / "manual" / "python-packages.md"
PICTURE = REPOSITORY / "docs" / "figures" / "nuclei.png"
FULL = np.ones((3, 3, 3))


def blocks_of_page(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def import_from_examples(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


class Tutorial:
    """The variables of the tutorial after its last cell, its output, and the folder with its figure."""

    def __init__(self, folder):
        self.folder = folder
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setenv("MPLBACKEND", "Agg")
            patch.syspath_prepend(str(EXAMPLES))
            for name, value in runpy.run_path(str(EXAMPLES / "nuclei_tutorial.py")).items():
                setattr(self, name, value)


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory):
    pytest.importorskip("matplotlib", reason="SKIPPED: the tutorial: matplotlib is not installed")
    return Tutorial(tmp_path_factory.mktemp("tutorial"))


def sizes_of(labels, count):
    return np.bincount(labels.ravel(), minlength=count + 1)[1:]


def test_components_of_the_tutorial(tutorial):
    mask = tutorial.image >= 350
    components, count = scipy.ndimage.label(mask, FULL)
    sizes = sizes_of(components, count)
    kept = np.flatnonzero(sizes >= 100) + 1
    assert 0 < kept.size < count
    np.testing.assert_array_equal(tutorial.clumps, scipy.ndimage.label(np.isin(components, kept), FULL)[0])

    cores, count = scipy.ndimage.label((tutorial.image >= 800) & (tutorial.clumps > 0), FULL)
    kept = np.flatnonzero(sizes_of(cores, count) >= 20) + 1
    np.testing.assert_array_equal(tutorial.cores, scipy.ndimage.label(np.isin(cores, kept), FULL)[0])


def test_each_nucleus_that_was_drawn_is_found(tutorial):
    """The core with the number of a nucleus contains the centre of one ellipsoid."""
    indices = np.floor(np.divide(tutorial.centres, tutorial.spacing) + 0.5).astype(int)
    assert sorted(tutorial.cores[tuple(indices.T)]) == list(range(1, len(tutorial.centres) + 1))
    assert len(tutorial.centres) == tutorial.count == 50


def test_measurements_of_the_tutorial(tutorial):
    numbers = np.arange(1, tutorial.count + 1)
    table = tutorial.table
    voxels = sizes_of(tutorial.nuclei, tutorial.count)
    assert voxels.sum() == np.count_nonzero(tutorial.clumps)
    np.testing.assert_array_equal(table["label"], numbers)
    np.testing.assert_array_equal(table["voxels"], voxels)
    np.testing.assert_allclose(table["volume"], voxels * 0.25, rtol=1e-12)
    np.testing.assert_allclose(table["intensity_mean"], scipy.ndimage.mean(tutorial.image, tutorial.nuclei, numbers), rtol=1e-12)
    centroids = scipy.ndimage.center_of_mass(tutorial.nuclei > 0, tutorial.nuclei, numbers)
    np.testing.assert_allclose(np.stack([table[f"centroid_{axis}"] for axis in range(3)], 1), centroids, rtol=1e-12)


def test_pairs_of_the_tutorial(tutorial):
    """A pair touches if a shift by one of 13 directions lays one nucleus onto the other."""
    nuclei, pairs = np.pad(tutorial.nuclei, 1), set()
    for direction in np.argwhere(FULL)[14:] - 1:
        other = np.roll(nuclei, direction, axis=(0, 1, 2))
        meet = (nuclei != other) & (nuclei > 0) & (other > 0)
        pairs |= {tuple(sorted(pair)) for pair in zip(nuclei[meet].tolist(), other[meet].tolist())}
    assert set(zip(tutorial.touching["a"].tolist(), tutorial.touching["b"].tolist())) == pairs


def test_data_frame_of_the_tutorial(tutorial):
    pandas = pytest.importorskip("pandas", reason="SKIPPED: the data frame of the tutorial: pandas is not installed")
    assert isinstance(tutorial.frame, pandas.DataFrame)
    assert len(tutorial.frame) == tutorial.count and list(tutorial.frame) == list(tutorial.table)
    np.testing.assert_array_equal(tutorial.frame["voxels"], tutorial.table["voxels"])


def test_layers_of_the_tutorial(tutorial):
    (image, _, _), (labels, options, _), (points, with_table, _) = tutorial.layers
    assert image is tutorial.image and labels is tutorial.nuclei and with_table["features"] is tutorial.table
    assert points.shape == (tutorial.count, 3)
    assert [layer[1]["scale"] for layer in tutorial.layers] == [tutorial.spacing] * 3
    assert [layer[2] for layer in tutorial.layers] == ["image", "labels", "points"]
    colours = options["metadata"]["colours"]
    assert colours[0, 3] == 0 and len(np.unique(colours[1:], axis=0)) == tutorial.count


def test_figure_of_the_page(tutorial):
    """The figure has the pixels of the picture in the repository, but for the text of other versions of matplotlib."""
    image = pytest.importorskip("PIL.Image")
    assert PICTURE.stat().st_size <= 200_000
    made, stored = (np.asarray(image.open(path).convert("RGB"), dtype=float) for path in (tutorial.folder / "nuclei.png", PICTURE))
    assert made.shape == stored.shape
    assert np.abs(made - stored).mean() < 5
    assert len(np.unique(made.reshape(-1, 3), axis=0)) > tutorial.count


def test_output_of_the_page(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib", reason="SKIPPED: the output of the tutorial: matplotlib is not installed")
    pytest.importorskip("pandas", reason="SKIPPED: the output of the tutorial: pandas is not installed")
    Tutorial(tmp_path)
    assert [capsys.readouterr().out] == blocks_of_page("text")


def test_code_of_the_page():
    """Each block of the page is a part of a script, or calls a function that the scripts define."""
    scripts = "".join(path.read_text() for path in sorted(EXAMPLES.glob("*.py")))
    blocks = blocks_of_page("python")
    assert len(blocks) >= 4
    for block in blocks:
        for line in filter(None, block.splitlines()):
            assert line.strip() in scripts, line


def test_a_volume_without_components_has_layers():
    from napari_layers import layers_of

    empty = np.zeros((3, 4, 5), np.uint8)
    result = voxcc.label(empty, table=True)
    _, _, (points, _, _) = layers_of(empty, result.labels, result.table, (1, 1, 1))
    assert points.shape == (0, 3)


def test_doctest_of_the_layers():
    result = doctest.testmod(importlib.import_module("napari_layers"))
    assert result.attempted > 1 and result.failed == 0


def test_napari(tutorial, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    napari = pytest.importorskip("napari", reason="SKIPPED: the layers in napari: napari is not installed")
    from napari.components import ViewerModel
    from napari_layers import add_layers

    viewer = add_layers(ViewerModel(ndisplay=3), tutorial.layers)
    image, labels, points = viewer.layers
    assert [type(layer) for layer in viewer.layers] == [napari.layers.Image, napari.layers.Labels, napari.layers.Points]
    np.testing.assert_array_equal(labels.data, tutorial.nuclei)
    np.testing.assert_array_equal(image.scale, tutorial.spacing)
    np.testing.assert_array_equal(points.features["voxels"], tutorial.table["voxels"])
    colours = tutorial.layers[1][1]["metadata"]["colours"]
    for number in (1, 2, tutorial.count):
        np.testing.assert_allclose(labels.get_color(number), colours[number], atol=1e-6)
    for point in points.data:
        np.testing.assert_allclose(labels.world_to_data(points.data_to_world(point)), point)


def test_monai():
    torch = pytest.importorskip("torch", reason="SKIPPED: post-processing with MONAI: PyTorch is not installed")
    monai = pytest.importorskip("monai.transforms", reason="SKIPPED: post-processing with MONAI: MONAI is not installed")
    from monai.data import MetaTensor
    from monai_postprocessing import RemoveSmallComponents, postprocessing, postprocessing_of_dictionaries

    random = np.random.default_rng(3)
    smooth = scipy.ndimage.gaussian_filter(random.standard_normal((6, 20, 24, 28)), (0, 1, 1, 1))
    output = MetaTensor(torch.from_numpy(smooth), affine=torch.diag(torch.tensor([2.0, 1, 1, 1], dtype=torch.float64)))
    classes = monai.AsDiscrete(argmax=True)(output)
    expected = monai.KeepLargestConnectedComponent(applied_labels=[1, 2])(classes.clone())  # it changes its input
    result = postprocessing([1, 2])(output)
    assert isinstance(result, MetaTensor) and torch.equal(result.affine, output.affine)
    assert torch.equal(result.as_tensor(), expected.as_tensor())
    assert not torch.equal(result.as_tensor(), classes.as_tensor())
    of_dictionary = postprocessing_of_dictionaries("pred", [1, 2])({"pred": output, "name": "a"})
    assert of_dictionary["name"] == "a" and torch.equal(of_dictionary["pred"].as_tensor(), expected.as_tensor())

    cleaned = RemoveSmallComponents(30)(classes)
    assert isinstance(cleaned, MetaTensor) and torch.equal(cleaned.affine, output.affine) and cleaned.dtype == classes.dtype
    numbers = np.asarray(classes[0]).astype(int)
    for number in (1, 2):
        components, count = scipy.ndimage.label(numbers == number, FULL)
        kept = np.isin(components, np.flatnonzero(sizes_of(components, count) >= 30) + 1)
        assert 0 < np.count_nonzero(kept) < np.count_nonzero(components)
        np.testing.assert_array_equal(np.asarray(cleaned[0]) == number, kept)
