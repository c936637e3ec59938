"""Row 3: bytes after the end of the data give one warning and are otherwise ignored. After a gzip stream they are an error."""

import gzip
import re
import struct
import subprocess
import zlib

import h5py
import nibabel
import numpy as np
import PIL.Image
import pytest
import SimpleITK
import tifffile
from helpers import label_scipy, noise, read_nifti, write_nifti

VOLUME = noise((6, 17, 18), 0.3, seed=4)
GARBAGE = {"text": b"garbage " * 20, "zeros": bytes(160), "one byte": b"x"}


def metaimage(compressed_size):
    """A .mha with zlib, with or without the size of the stream."""
    stream = zlib.compress(VOLUME.tobytes())
    size = f"CompressedDataSize = {len(stream)}\n" if compressed_size else ""
    text = f"ObjectType = Image\nNDims = 3\nBinaryData = True\nCompressedData = True\n{size}DimSize = 18 17 6\nElementType = MET_UCHAR\n"
    return (text + "ElementDataFile = LOCAL\n").encode() + stream


def nrrd(encoding, packed):
    text = f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 18 17 6\nencoding: {encoding}\n\n"
    return text.encode() + packed


def write_hdf5(path, **file_options):
    with h5py.File(path, "w", **file_options) as file:
        file["volume"] = VOLUME
    return path


def imagej(path):
    """One directory, followed by all pages."""
    tifffile.imwrite(path, VOLUME, imagej=True, photometric="minisblack", metadata={"axes": "ZYX"})


def pyramid(path):
    """Sub-directories with reduced copies at the end of the file."""
    with tifffile.TiffWriter(path) as tiff:
        tiff.write(VOLUME[0], subifds=1, photometric="minisblack", metadata=None)
        tiff.write(VOLUME[0, ::2, ::2], subfiletype=1, photometric="minisblack", metadata=None)


def pages_of_pillow(path):
    pages = [PIL.Image.fromarray(page) for page in VOLUME]
    pages[0].save(path, save_all=True, append_images=pages[1:])


def itk(path):
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(VOLUME), str(path), "zlib" in path.name)


def tiff(**options):
    return lambda path: tifffile.imwrite(path, VOLUME, photometric="minisblack", **options)


# Name -> writer. Every file is complete, so it must not give a warning.
WRITERS = {
    "nifti.nii": lambda path: write_nifti(path, VOLUME),
    "raw.nrrd": lambda path: path.write_bytes(nrrd("raw", VOLUME.tobytes())),
    "raw.mha": itk,
    "zlib.mha": itk,
    "zlib_of_size.mha": lambda path: path.write_bytes(metaimage(True)),
    "zlib_without_size.mha": lambda path: path.write_bytes(metaimage(False)),
    "c_order.npy": lambda path: np.save(path, VOLUME),
    "fortran_order.npy": lambda path: np.save(path, VOLUME.T),
    "plain.tif": tiff(),
    "deflate.tif": tiff(compression="zlib"),
    "lzw.tif": tiff(compression="lzw"),
    "tiles.tif": tiff(tile=(16, 16), compression="zlib"),
    "strips.tif": tiff(rowsperstrip=2),
    "big.tif": tiff(bigtiff=True),
    "other_byte_order.tif": tiff(byteorder=">"),
    "big_other_byte_order.tif": tiff(byteorder=">", bigtiff=True, compression="zlib"),
    "ome.ome.tif": tiff(ome=True, metadata={"axes": "ZYX"}),
    "imagej.tif": imagej,
    "pyramid.tif": pyramid,
    "pillow.tif": pages_of_pillow,
    "itk.tif": itk,
    "plain.h5": write_hdf5,
    "latest.h5": lambda path: write_hdf5(path, libver="latest"),
    "user_block.h5": lambda path: write_hdf5(path, userblock_size=1024),
    "paged.h5": lambda path: write_hdf5(path, fs_strategy="page", fs_page_size=4096),
}
# Formats that voxcc writes.
OWN = ("own.nii", "own.nrrd", "own.mha", "own.mhd", "own.tif", "own.h5", "own.npy")


def write(voxcc, folder, name):
    if name in OWN:
        write_nifti(folder / "source.nii", VOLUME)
        voxcc("label", folder / "source.nii", "-o", folder / name, "--compress", "0" if "nrrd" in name else "1", "-q")
        return next(folder.glob("own*raw")) if name == "own.mhd" else folder / name
    WRITERS[name](folder / name)
    return folder / name


def warnings(done):
    return [line for line in done.stderr.splitlines() if line.startswith("voxcc: warning:")]


@pytest.mark.parametrize("name", [*WRITERS, *OWN])
def test_row03_complete_files_give_no_warning(voxcc, tmp_path, name):
    write(voxcc, tmp_path, name)
    path = tmp_path / name
    assert warnings(voxcc("label", path, "--stats", tmp_path / "t.csv")) == []
    assert warnings(voxcc("verify", path)) == []


@pytest.mark.parametrize("garbage", GARBAGE)
@pytest.mark.parametrize("name", [*WRITERS, *OWN])
def test_row03_one_warning(voxcc, tmp_path, name, garbage):
    data, path = write(voxcc, tmp_path, name), tmp_path / name
    options = ["-o", tmp_path / "out.nii", "--stats", tmp_path / "out.csv", "-f", "--threshold", "1"]
    voxcc("label", path, *options)
    expected = (tmp_path / "out.nii").read_bytes(), (tmp_path / "out.csv").read_bytes()
    with open(data, "ab") as file:
        file.write(GARBAGE[garbage])
    count = len(GARBAGE[garbage])
    for done in (voxcc("label", path, *options), voxcc("verify", path), voxcc("stats", path, "-o", "-")):
        lines = warnings(done)
        assert len(lines) == 1, done.stderr
        found = re.search(r": (\d+) bytes? after .* (is|are) ignored$", lines[0])
        padding = 31 if ".tif" in name else 0  # zeros before the garbage, which cannot be told from it
        assert found and count <= int(found[1]) <= count + padding, lines
    assert expected == ((tmp_path / "out.nii").read_bytes(), (tmp_path / "out.csv").read_bytes())
    assert voxcc("verify", path).stdout == f"{path}: ok\n"


@pytest.mark.parametrize("name", ["volume.nii.gz", "volume.nrrd", "detached.nhdr"])
@pytest.mark.parametrize("garbage", GARBAGE)
def test_row03_bytes_after_gzip(voxcc, tmp_path, name, garbage):
    """A gzip file consists of members. Zeros at its end are padding, as in gzip itself. Other bytes are a damaged member."""
    packed = gzip.compress(VOLUME.tobytes())
    data = path = tmp_path / name
    if name == "volume.nii.gz":
        write_nifti(path, VOLUME)
    elif name == "volume.nrrd":
        path.write_bytes(nrrd("gzip", packed))
    else:
        data = tmp_path / "voxels.gz"
        data.write_bytes(packed)
        path.write_bytes(nrrd("gzip", b"").replace(b"\n\n", b"\ndata file: voxels.gz\n"))
    assert warnings(voxcc("label", path, "--stats", tmp_path / "t.csv")) == []
    with open(data, "ab") as file:
        file.write(GARBAGE[garbage])
    if garbage == "zeros":
        for command in (["label", path, "--stats", tmp_path / "u.csv"], ["verify", path]):
            lines = warnings(voxcc(*command))
            assert len(lines) == 1 and "160 bytes after" in lines[0], lines
        assert (tmp_path / "u.csv").read_bytes() == (tmp_path / "t.csv").read_bytes()
        return
    assert data.name in voxcc.fails(65, "label", path, "-o", tmp_path / "out.nii", "--stats", tmp_path / "u.csv")
    assert not (tmp_path / "out.nii").exists() and not (tmp_path / "u.csv").exists()
    voxcc.fails(65, "verify", path)


def test_row03_several_gzip_members_are_one_stream(voxcc, tmp_path):
    half = VOLUME.size // 2
    packed = gzip.compress(VOLUME.tobytes()[:half]) + gzip.compress(VOLUME.tobytes()[half:])
    (tmp_path / "two.nrrd").write_bytes(nrrd("gzip", packed))
    assert warnings(voxcc("label", tmp_path / "two.nrrd", "-o", tmp_path / "out.nii")) == []
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME, 26))


def test_row03_bytes_inside_gzip(voxcc, tmp_path):
    """The compressed file is intact, but its content is longer than the header states."""
    write_nifti(tmp_path / "plain.nii", VOLUME)
    (tmp_path / "in.nii.gz").write_bytes(gzip.compress((tmp_path / "plain.nii").read_bytes() + bytes(7)))
    for done in (voxcc("label", tmp_path / "in.nii.gz", "--stats", tmp_path / "t.csv", "--threshold", "otsu"), voxcc("verify", tmp_path / "in.nii.gz")):
        assert len(warnings(done)) == 1 and "7 bytes after the voxels are ignored" in done.stderr


def test_row03_every_volume_of_a_4d_file(voxcc, tmp_path):
    write_nifti(tmp_path / "plain.nii", np.stack([VOLUME, VOLUME, VOLUME]))
    path = tmp_path / "in.nii.gz"
    path.write_bytes(gzip.compress((tmp_path / "plain.nii").read_bytes()))
    assert warnings(voxcc("label", path, "--volume", "1", "--stats", tmp_path / "t.csv")) == []
    path.write_bytes(gzip.compress((tmp_path / "plain.nii").read_bytes() + bytes(7)))
    for options in (["label", path, "--volume", "1", "--stats", tmp_path / "u.csv"], ["verify", path]):
        assert len(warnings(voxcc(*options))) == 1


def test_row03_mask_intensity_image_and_slices(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", VOLUME)
    (tmp_path / "other.mha").write_bytes(metaimage(False) + b"garbage")
    for option in ("--mask", "--intensity"):
        done = voxcc("label", tmp_path / "in.nii", option, tmp_path / "other.mha", "--stats", tmp_path / "t.csv", "-f")
        assert len(warnings(done)) == 1 and "other.mha: 7 bytes" in done.stderr
    (tmp_path / "s").mkdir()
    for z, page in enumerate(VOLUME):
        tifffile.imwrite(tmp_path / "s" / f"s{z}.tif", page)
    for z in (2, 4):
        with open(tmp_path / "s" / f"s{z}.tif", "ab") as file:
            file.write(b"garbage")
    for done in (voxcc("label", tmp_path / "s", "--stats", tmp_path / "t.csv", "-f"), voxcc("verify", tmp_path / "s")):
        assert len(warnings(done)) == 1 and "s2.tif: 7 bytes after" in done.stderr and "2 slices" in done.stderr


@pytest.mark.parametrize("padding", [1, 7, 31])
def test_row03_short_padding_of_a_tiff(voxcc, tmp_path, padding):
    """Strips and directories may be aligned. GARBAGE has longer zeros, and a byte that is not zero."""
    tifffile.imwrite(tmp_path / "in.tif", VOLUME, photometric="minisblack")
    with open(tmp_path / "in.tif", "ab") as file:
        file.write(bytes(padding))
    assert warnings(voxcc("verify", tmp_path / "in.tif")) == []


def test_row03_blocks_of_micro_manager(voxcc, tmp_path):
    """Micro-Manager stores an index after the last directory. Only its own header leads to it."""
    tifffile.imwrite(tmp_path / "plain.tif", VOLUME[0], photometric="minisblack", metadata=None)
    plain = bytearray((tmp_path / "plain.tif").read_bytes())
    assert warnings(voxcc("verify", tmp_path / "plain.tif")) == []
    plain[8:12] = struct.pack("<I", 54773648)
    (tmp_path / "in.tif").write_bytes(plain + b"index of the images")
    done = subprocess.run([voxcc.program, "verify", tmp_path / "in.tif"], capture_output=True, text=True)
    assert "ignored" not in done.stderr


def test_row03_verify_continues_after_a_warning(voxcc, tmp_path):
    for name in ("a.nii", "b.nii"):
        write_nifti(tmp_path / name, VOLUME)
    with open(tmp_path / "a.nii", "ab") as file:
        file.write(b"garbage")
    done = voxcc("verify", tmp_path / "a.nii", tmp_path / "b.nii")
    assert done.stdout == f"{tmp_path}/a.nii: ok\n{tmp_path}/b.nii: ok\n" and len(warnings(done)) == 1
    assert voxcc("verify", tmp_path / "a.nii", "-q").stderr == ""
    assert nibabel.load(tmp_path / "a.nii").shape == VOLUME.T.shape
