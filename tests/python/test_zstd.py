"""Volumes compressed with zstd as a whole (.nii.zst), made with imagecodecs and the program zstd."""

import shutil
import subprocess

import imagecodecs
import nibabel
import numpy as np
import pytest
from helpers import blobs, label_scipy, noise, read_nifti, streaming_limit, write_nifti

VOLUME = blobs((30, 41, 65), 0.4)


@pytest.fixture
def plain(tmp_path):
    return write_nifti(tmp_path / "v.nii", VOLUME).read_bytes()


@pytest.mark.parametrize("level", [-5, 1, 3, 19])
def test_levels(voxcc, tmp_path, plain, level):
    (tmp_path / "v.nii.zst").write_bytes(imagecodecs.zstd_encode(plain, level=level))
    voxcc("label", tmp_path / "v.nii.zst", "-o", tmp_path / "{stem}_out.nii")
    np.testing.assert_array_equal(read_nifti(tmp_path / "v_out.nii"), label_scipy(VOLUME, 26))
    assert '"compression": "zstd"' in voxcc("info", tmp_path / "v.nii.zst", "--json").stdout
    assert voxcc("verify", tmp_path / "v.nii.zst").stdout.endswith(": ok\n")


@pytest.mark.skipif(not shutil.which("zstd"), reason="needs the program zstd")
@pytest.mark.parametrize("options", [["--check"], ["--no-check"], ["--long=27"], ["-B16384", "-T2"], ["--ultra", "-22"]])
def test_program(voxcc, tmp_path, plain, options):
    subprocess.run(["zstd", "-q", *options, tmp_path / "v.nii", "-o", tmp_path / "v.nii.zst"], check=True)
    voxcc("label", tmp_path / "v.nii.zst", "-o", tmp_path / "out.nii")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME, 26))


def test_several_frames_and_skippable_frames(voxcc, tmp_path, plain):
    skipped = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"skip."
    frames = [imagecodecs.zstd_encode(plain[i : i + 20_000]) for i in range(0, len(plain), 20_000)]
    (tmp_path / "v.nii.zst").write_bytes(skipped.join(frames))
    voxcc("label", tmp_path / "v.nii.zst", "-o", tmp_path / "out.nii")
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME, 26))


def test_pipe_and_slabs(voxcc, tmp_path):
    content = write_nifti(tmp_path / "v.nii", noise((128, 128, 128), 0.3, 2)).read_bytes()
    (tmp_path / "v.nii.zst").write_bytes(imagecodecs.zstd_encode(content))
    voxcc("label", tmp_path / "v.nii", "-o", tmp_path / "plain.nii")
    limit = streaming_limit(voxcc, "label", tmp_path / "v.nii.zst", "-o", "x.nii", cwd=tmp_path)
    voxcc("label", tmp_path / "v.nii.zst", "-o", tmp_path / "slabs.nii", *limit)
    subprocess.run([voxcc.program, "label", "-", "-o", tmp_path / "pipe.nii"], input=(tmp_path / "v.nii.zst").read_bytes(), check=True)
    for name in ("slabs.nii", "pipe.nii"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "plain.nii").read_bytes()


def test_damaged(voxcc, tmp_path, plain):
    content = imagecodecs.zstd_encode(plain)
    path = tmp_path / "v.nii.zst"
    for length in (3, 4, 5, 20, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        voxcc.fails(65, "label", path)
    for position in range(4, len(content), max(1, len(content) // 60)):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :])
        done = subprocess.run([voxcc.program, "label", path], capture_output=True, timeout=60, check=False)
        assert done.returncode in (0, 65) and done.stderr.count(b"voxcc: error:") == (done.returncode == 65), done
    path.write_bytes(content + b"garbage")
    voxcc.fails(65, "label", path)
    path.write_bytes(imagecodecs.zstd_encode(plain[:-1]))
    voxcc.fails(65, "label", path)
    path.write_bytes(imagecodecs.zstd_encode(b"no volume"))
    voxcc.fails(65, "label", path)


@pytest.mark.skipif(not shutil.which("zstd"), reason="needs the program zstd")
def test_a_damaged_byte_of_a_frame_with_a_checksum_is_an_error(voxcc, tmp_path, plain):
    content = subprocess.run(["zstd", "-q", "-c", "--check"], input=plain, stdout=subprocess.PIPE, check=True).stdout
    path = tmp_path / "v.nii.zst"
    path.write_bytes(content)
    voxcc("label", path)
    for position in range(12, len(content), max(1, len(content) // 60)):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :])
        voxcc.fails(65, "label", path)


@pytest.mark.skipif(not shutil.which("zstd"), reason="needs the program zstd")
def test_large_window_is_refused(voxcc, tmp_path):
    """A frame states the memory that its decoder needs. More than 128 MiB are refused before they are allocated."""
    header = nibabel.Nifti1Image(np.zeros((640, 640, 640), np.uint8), np.eye(4)).to_bytes()
    subprocess.run(["zstd", "-q", "-1", "--long=30", "-o", tmp_path / "v.nii.zst"], input=header, check=True)
    assert "window of more than 128 MiB" in voxcc.fails(65, "label", tmp_path / "v.nii.zst")


def test_bomb(voxcc, tmp_path):
    """A header that claims more than the best ratio allows is refused at once."""
    header = bytearray(nibabel.Nifti2Image(np.zeros((1, 1, 1), np.uint8), np.eye(4)).to_bytes())
    header[16 + 8 : 16 + 32] = b"".join((1 << 14).to_bytes(8, "little") for _ in range(3))
    (tmp_path / "v.nii.zst").write_bytes(imagecodecs.zstd_encode(bytes(header)))
    assert "cannot hold more than" in voxcc.fails(65, "label", tmp_path / "v.nii.zst")
