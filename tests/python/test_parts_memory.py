"""One volume in parts: no step holds all components, and labels and table have the bytes of one run."""

import pytest
from helpers import noise, peak_of, write_nifti
from parts_steps import label, relabel, split

MB = 1 << 20


@pytest.mark.parametrize("options", ([], ["--sort", "size"], ["--keep-largest", "300000"], ["--sort", "size", "--multilabel"]), ids="-".join)
def test_no_step_holds_all_components(voxcc, tmp_path, options):
    """1.2 million components in 64 parts: rows of the table as the program holds them have 184 bytes, together 220 MB."""
    volume = noise((256, 256, 256), 0.1, seed=3)
    volume *= 1 + (volume.cumsum(axis=2) % 3).astype(volume.dtype)
    write_nifti(tmp_path / "in.nii", volume)
    one, parts, plan = tmp_path / "one.nii", tmp_path / "parts.nii", ["--plan", tmp_path / "plan.json"]
    folders = [tmp_path / "state", tmp_path / "merged"]
    voxcc("label", tmp_path / "in.nii", "-c", "6", *options, "-o", one, "--stats", tmp_path / "one.csv")
    assert split(voxcc, tmp_path, tmp_path / "in.nii", "-c", "6", *options, "--part-size", "64") == 64
    base = peak_of(voxcc.program, "split", tmp_path / "in.nii", "--part-size", "64", "--dry-run")
    label(voxcc, tmp_path, "0..63")
    merging = peak_of(voxcc.program, "merge", *plan, folders[0], "-o", folders[1], "-q")
    relabel(voxcc, tmp_path, "0..63")
    finishing = peak_of(voxcc.program, "relabel", *plan, "--finish", *folders, "-o", parts, "--stats", tmp_path / "parts.csv", "-q", "-t", 2)
    assert one.read_bytes() == parts.read_bytes()
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()
    assert (tmp_path / "one.csv").read_bytes().count(b"\n") > 300_000
    assert merging - base < 40 * MB and finishing - base < 80 * MB, (base / MB, merging / MB, finishing / MB)
