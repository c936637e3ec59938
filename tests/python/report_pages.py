"""Pages of `voxcc report` for the tests, and their data."""

import csv
import json
import re

import numpy as np
import pytest
from helpers import blobs, write_nifti

HOSTILE = "</script><script>window.attacked = 1</script><img src=x onerror='window.attacked=1'>&\"'"


def data_of(page):
    """The data in the page."""
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


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


def hostile_page(voxcc, folder):
    """A page with markup in the title, the file name, a column and a cell."""
    rows = [["label", "voxels", "<b onclick=alert(1)>", "file"], ["1", "5", HOSTILE, HOSTILE], ["2", "6", "{{data}}", HOSTILE]]
    voxcc("report", write_table(folder / "t.csv", rows), "--title", HOSTILE, "-o", folder / "hostile.html")
    return folder / "hostile.html"
