"""An input name that the system cannot use is 66, with a true remedy, in every command and option: too long, or a link to itself."""

import pytest
from helpers import noise, write_nifti

LONG = "n" * 300 + ".nii"
DEEP = "d/" * 2100 + "v.nii"
REMEDIES = {"long": "give a shorter path", "deep": "give a shorter path", "loop": "the symbolic link leads back to itself"}


@pytest.fixture(params=REMEDIES)
def name(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_nifti(tmp_path / "v.nii", noise((4, 5, 6), 0.4))
    (tmp_path / "loop.nii").symlink_to("loop.nii")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    return request.param, {"long": LONG, "deep": DEEP, "loop": "loop.nii"}[request.param]


COMMANDS = [
    ("info", "NAME"), ("info", "--no-range", "NAME"), ("verify", "NAME"), ("label", "NAME", "-o", "o.nii"), ("label", "NAME", "--json", "j.json", "--stats", "-"),
    ("stats", "NAME", "-o", "t.csv"), ("compare", "NAME", "v.nii"), ("compare", "v.nii", "NAME"), ("label", "v.nii", "--mask", "NAME"),
    ("label", "v.nii", "--intensity", "NAME", "--stats", "t.csv"), ("stats", "v.nii", "--intensity", "NAME", "-o", "t.csv"),
    ("label", "v.nii", "--threshold", "otsu", "--threshold-from", "NAME"), ("label", "--list", "NAME"), ("label", "NAME[0]"), ("label", "NAME", "--raw", "uint8,4x5x6"),
    ("split", "NAME", "-o", "plan.json"), ("label", "--plan", "NAME", "--part", "0", "-o", "state"), ("label", "NAME", "--reader", "itk"), ("label", "NAME", "--dry-run"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_volumes_and_lists(voxcc, name, command):
    kind, path = name
    error = voxcc.fails(66, *[word.replace("NAME", path) for word in command])
    assert REMEDIES[kind] in error


@pytest.mark.parametrize("command", [("join", "NAME", "-o", "o.csv"), ("report", "NAME", "-o", "o.html")], ids=" ".join)
def test_tables(voxcc, name, command):
    kind, path = name
    error = voxcc.fails(66, *[word.replace("NAME", path.replace(".nii", ".csv")) for word in command])
    assert REMEDIES[kind] in error


def test_a_list_in_the_encoding_of_windows(voxcc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_nifti(tmp_path / "v.nii", noise((4, 5, 6), 0.4))
    (tmp_path / "plain.txt").write_text("v.nii\n")
    (tmp_path / "list.txt").write_bytes("\ufeffv.nii\r\n".encode())
    assert voxcc("label", "--list", "list.txt", "--stats", "-").stdout == voxcc("label", "--list", "plain.txt", "--stats", "-").stdout
