"""Row 37: names of up to 255 bytes work, and longer names are refused before a volume is read."""

import gzip

import pytest
from helpers import noise, write_nifti
from publication import hidden

LONGEST = 255


@pytest.fixture
def volume(tmp_path):
    return write_nifti(tmp_path / "in.nii", noise((12, 5, 6), 0.4))


@pytest.fixture
def truncated(tmp_path, volume):
    """A volume that cannot be labelled. So an error about an output is found before the labelling."""
    path = tmp_path / "truncated.nii.gz"
    path.write_bytes(gzip.compress(volume.read_bytes())[:-20])
    return path


# Options with a name of the given length.
NAMES = {
    "nii": lambda n: ("-o", "n" * (n - 4) + ".nii"),
    "nii.gz": lambda n: ("-o", "n" * (n - 7) + ".nii.gz"),
    "h5": lambda n: ("-o", "n" * (n - 3) + ".h5"),
    "tif": lambda n: ("-o", "n" * (n - 4) + ".tif"),
    "mhd": lambda n: ("-o", "n" * (n - 5) + ".mhd"),  # its data file, .zraw, has one byte more
    "csv": lambda n: ("--stats", "n" * (n - 4) + ".csv"),
    "json": lambda n: ("--json", "n" * (n - 5) + ".json"),
    "png": lambda n: ("--preview", "n" * (n - 4) + ".png"),
    "masked mhd": lambda n: ("--masked-output", "n" * (n - 5) + ".mhd"),
    "sizes": lambda n: ("--size-output", "n" * n + "/"),
    "mask": lambda n: ("--mask-output", "n" * (n - 7) + ".nii.gz"),
    "folder": lambda n: ("-o", "n" * n + "/"),
    "template": lambda n: ("-o", "n" * (n - 8) + "%04d.tif"),
    "digits": lambda n: ("-o", "n" * (n - 6) + "%d.tif"),  # slices 10 and 11 have two digits
}


@pytest.mark.parametrize("kind", NAMES)
def test_row37_longest_names(voxcc, tmp_path, volume, kind):
    out = tmp_path / "out"
    out.mkdir()
    for attempt in ((), ("-f",)):
        voxcc("label", volume, *NAMES[kind](LONGEST), *attempt, cwd=out)
        assert hidden(out) == []
    longest = max(len(path.name) for path in out.iterdir())
    assert longest == LONGEST


@pytest.mark.parametrize("kind", NAMES)
def test_row37_longer_names_are_refused_early(voxcc, tmp_path, truncated, kind):
    out = tmp_path / "out"
    out.mkdir()
    line = voxcc.fails(73, "label", truncated, *NAMES[kind](LONGEST + 1), cwd=out)
    assert "File name too long" in line
    assert list(out.iterdir()) == []


def test_row37_stem(voxcc, tmp_path, volume, truncated):
    """A name that becomes too long by {stem}: the other inputs of the batch are labelled."""
    out = tmp_path / "out"
    out.mkdir()
    prefix = "n" * (LONGEST - len("in_.nii"))
    done = voxcc("label", truncated, volume, "-o", prefix + "{stem}_.nii", cwd=out, expect=1)
    assert done.stderr.count("File name too long") == 1
    assert [len(path.name) for path in out.iterdir()] == [LONGEST]


def test_row37_longest_paths(voxcc, tmp_path, volume, truncated):
    """The path of the temporary file is longer than the path of the output."""
    folder = tmp_path / "out"
    while len(str(folder)) < 3780:
        folder /= "f" * 100
    folder.mkdir(parents=True)
    voxcc("label", volume, "-o", folder / "l.nii", "--stats", folder / "t.csv")
    name = "n" * (4090 - len(str(folder)) - len("/.nii"))
    voxcc.fails(73, "label", truncated, "-o", folder / (name + ".nii"))
    assert sorted(path.name for path in folder.iterdir()) == ["l.nii", "t.csv"]
