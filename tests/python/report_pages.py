"""Pages of `voxcc report` for the tests, and their data."""

import base64
import csv
import io
import json
import re
import zlib

import numpy as np
import pytest
from helpers import blobs, write_nifti
from PIL import Image

HOSTILE = "</script><script>window.attacked = 1</script><img src=x onerror='window.attacked=1'>&\"'"


def data_of(page):
    """The data in the page."""
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def unpacked(picture, name):
    """An array of a picture as [z, y, x]: "image", "labels" or "beside"; None if the page does not have it."""
    kind = np.uint8 if name == "image" else f"<u{picture['label_bytes']}"
    return picture[name] and np.frombuffer(zlib.decompress(base64.b64decode(picture[name])), kind).reshape(picture["reduced"][::-1])


def picture_of(volume):
    """Grey values and labels of a picture."""
    return unpacked(volume["picture"], "image"), unpacked(volume["picture"], "labels")


def pixels_of(browser, panel):
    """The colours of a slice on the page, [row, column, channel]."""
    data = browser.value(f"viewer.panels[{panel}].canvas.toDataURL().split(',')[1]")
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")).astype(int)


def label(voxcc, folder, array, name="in", affine=None, **options):
    """Labels an array. Returns the paths of image, label volume, table and summary."""
    image = write_nifti(folder / f"{name}.nii.gz", array, affine)
    paths = [folder / f"{name}_labels.nii.gz", folder / f"{name}.csv", folder / f"{name}.json"]
    words = [word for option in options.items() for word in option]
    voxcc("label", image, "-o", paths[0], "--stats", paths[1], "--json", paths[2], *words)
    return image, *paths


def write_table(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture(scope="module")
def batch(voxcc, tmp_path_factory):
    """Six volumes, one of them empty and one with many more voxels, and a report of them."""
    folder = tmp_path_factory.mktemp("batch")
    (folder / "scans").mkdir()
    for number, share in enumerate((0.10, 0.11, 0.12, 0.105, 0.6, 0)):
        array = blobs((20, 24, 28), share, 1.5, seed=number) if share else np.zeros((20, 24, 28), np.uint8)
        write_nifti(folder / "scans" / f"sub-{number}.nii.gz", array)
    names = sorted(str(path.relative_to(folder)) for path in (folder / "scans").iterdir())
    (folder / "out").mkdir()
    voxcc("label", *names, "-o", "out/{stem}.nii.gz", "--stats", "all.csv", "--json", "run.json", cwd=folder)
    voxcc("report", "all.csv", "--images", "{file}", "--labels", "out/{stem}.nii.gz", "--provenance", "run.json", "-o", "batch.html",
          cwd=folder)
    return folder


# Cubes of 4 voxels per edge, [z, y, x]. Object 5 of A is unchanged in B, 7 moves by one voxel, and 300 is gone. B has a new object.
PAIR_SHAPE = (16, 20, 28)
CORNERS_A = [(2, 2, 2), (2, 12, 14), (10, 3, 20)]
CORNERS_B = [(2, 2, 2), (2, 12, 15), (10, 14, 4)]


def cubes(shape, numbers, corners, edge=4):
    """A label volume [z, y, x] with one cube per number."""
    labels = np.zeros(shape, np.uint16)
    for number, (z, y, x) in zip(numbers, corners):
        labels[z : z + edge, y : y + edge, x : x + edge] = number
    return labels


@pytest.fixture(scope="module")
def pair(voxcc, tmp_path_factory):
    """A folder with label volumes a and b, b with the labels of a (matched), their tables (objects.csv, a.csv), and an image."""
    folder = tmp_path_factory.mktemp("pair")
    write_nifti(folder / "a.nii.gz", cubes(PAIR_SHAPE, (5, 7, 300), CORNERS_A))
    write_nifti(folder / "b.nii.gz", cubes(PAIR_SHAPE, (1, 2, 3), CORNERS_B))
    write_nifti(folder / "image.nii.gz", np.random.default_rng(4).integers(0, 100, PAIR_SHAPE).astype(np.int16))
    voxcc("match", "a.nii.gz", "b.nii.gz", "-o", "matched.nii.gz", "--stats", "objects.csv", "--longitudinal", cwd=folder)
    voxcc("stats", "a.nii.gz", "-o", "a.csv", cwd=folder)
    return folder


def hostile_page(voxcc, folder):
    """A page with markup in the title, the file name, a column and a cell."""
    rows = [["label", "voxels", "<b onclick=alert(1)>", "file"], ["1", "5", HOSTILE, HOSTILE], ["2", "6", "{{data}}", HOSTILE]]
    voxcc("report", write_table(folder / "t.csv", rows), "--title", HOSTILE, "-o", folder / "hostile.html")
    return folder / "hostile.html"
