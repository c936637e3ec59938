"""JPEG 2000 images, against imagecodecs (OpenJPEG and OpenJPH), Pillow and SimpleITK."""

import json
import struct
import subprocess

import imagecodecs
import numpy as np
import PIL.Image
import pytest
import SimpleITK
from helpers import label_scipy, noise, read_nifti, sha256
from jpeg2000_files import GREY, MAPPING, PALETTE, SHAPE, by_pillow, codestream_of, encode, jp2, samples, tile_parts, values

LOSSY = "its compression changes values"
TYPES = [(dtype, bits) for dtype, most in (("uint8", 8), ("uint16", 16), ("uint32", 24)) for bits in range(most - 7, most + 1)]
TYPES += [(dtype.removeprefix("u"), bits) for dtype, bits in TYPES]


@pytest.mark.parametrize("dtype, bits", TYPES)
def test_types(voxcc, tmp_path, dtype, bits):
    array = samples(dtype, bits)
    for form in ("jp2", "j2k"):
        path = tmp_path / f"a.{form}"
        path.write_bytes(encode(array, form, bitspersample=bits))
        before = sha256(path)
        read = values(voxcc, path, tmp_path)
        assert read.dtype == array.dtype
        np.testing.assert_array_equal(read, array)
        np.testing.assert_array_equal(imagecodecs.imread(path, codec="jpeg2k"), array)
        info = json.loads(voxcc("info", path, "--json").stdout)
        assert (info["format"], info["shape"][:2], info["stored_type"]) == ("JPEG 2000", [53, 37], f"{dtype.rstrip('0123456789')}{bits}")
        assert voxcc("verify", path).stderr == "" and sha256(path) == before
    if dtype in ("uint8", "uint16") and bits in (8, 16):
        SimpleITK.WriteImage(SimpleITK.GetImageFromArray(array), str(tmp_path / "itk.png"))
        np.testing.assert_array_equal(values(voxcc, tmp_path / "itk.png", tmp_path), read)


@pytest.mark.parametrize("bits", [25, 26])
def test_too_many_bits(voxcc, tmp_path, bits):
    path = tmp_path / "a.j2k"
    path.write_bytes(encode(samples("uint32", 20), "j2k", bitspersample=bits))
    assert f"has samples of {bits} bits; up to 24 are read" in voxcc.fails(65, "label", path)


PILLOW_OPTIONS = [
    {}, {"tile_size": (16, 16)}, {"tile_size": (64, 64)}, {"tile_size": (17, 40), "tile_offset": (0, 0), "offset": (5, 7)},
    {"num_resolutions": 1}, {"num_resolutions": 6}, {"codeblock_size": (4, 4)}, {"codeblock_size": (64, 64)}, {"precinct_size": (32, 32)},
    {"progression": "LRCP"}, {"progression": "RLCP"}, {"progression": "RPCL"}, {"progression": "PCRL"}, {"progression": "CPRL"},
    {"plt": True}, {"comment": "text"}, {"no_jp2": True}, {"quality_layers": [40, 20, 0], "quality_mode": "rates"},
]


@pytest.mark.parametrize("options", PILLOW_OPTIONS, ids=str)
@pytest.mark.parametrize("kind", ["grey8", "grey16", "rgb", "rgba"])
def test_coding(voxcc, tmp_path, options, kind):
    channels = {"rgb": 3, "rgba": 4}.get(kind)
    array = samples("uint16" if kind == "grey16" else "uint8", 12 if kind == "grey16" else 8, SHAPE + ((channels,) if channels else ()))
    path = tmp_path / "a.jp2"
    path.write_bytes(by_pillow(array, **options))
    if kind == "grey16" and "tile_size" in options:
        array = imagecodecs.imread(path, codec="jpeg2k")  # Pillow does not write the values of the array
    else:
        with PIL.Image.open(path) as image:
            np.testing.assert_array_equal(np.array(image), array)
    if channels is None:
        np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)
    for channel in range(channels or 0):
        np.testing.assert_array_equal(values(voxcc, path, tmp_path, f"[c={channel}]"), array[..., channel])


def test_itk_agrees_on_unsigned_samples(voxcc, tmp_path):
    for dtype, bits in (("uint8", 8), ("uint16", 16)):
        array = samples(dtype, bits)
        (tmp_path / "a.jp2").write_bytes(encode(array))
        np.testing.assert_array_equal(SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(tmp_path / "a.jp2"))), array)
        np.testing.assert_array_equal(values(voxcc, tmp_path / "a.jp2", tmp_path), array)
    line = voxcc.fails(64, "label", tmp_path / "a.jp2", "--reader", "itk")
    assert "ITK reads wrong values from JPEG 2000" in line and "--reader voxcc" in line


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int8", "int16"])
def test_high_throughput(voxcc, tmp_path, dtype):
    array = samples(dtype, np.dtype(dtype).itemsize * 8)
    (tmp_path / "a.jph").write_bytes(imagecodecs.htj2k_encode(array))
    done = subprocess.run([voxcc.program, "verify", tmp_path / "a.jph"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode == 65:  # OpenJPH stores signed samples with a marker of part 2
        assert "which is not of part 1 or 15" in done.stderr and dtype.startswith("int")
        return
    np.testing.assert_array_equal(values(voxcc, tmp_path / "a.jph", tmp_path), array)


def test_components(voxcc, tmp_path):
    array, path = samples("uint8", 8, (*SHAPE, 3)), tmp_path / "a.jp2"
    for options in ({"mct": True}, {"mct": False}):
        path.write_bytes(encode(array, **options))
        for number in range(3):
            np.testing.assert_array_equal(values(voxcc, path, tmp_path, f"[{number}]"), array[..., number])
    assert "3 volumes" in voxcc.fails(64, "label", path)
    voxcc.fails(64, "label", f"{path}[c=3]")
    voxcc.fails(64, "label", f"{path}[t=0]")
    info = json.loads(voxcc("info", path, "--json").stdout)
    assert info["volumes"] == 3
    voxcc("label", path, "--volume", "all", "-o", tmp_path / "all.nii.gz", "--threshold", "128")
    assert read_nifti(tmp_path / "all.nii.gz").shape[0] == 3
    for number in range(3):
        voxcc("stats", f"{path}[c={number}]", "-o", tmp_path / "t.csv", "-f")


def test_components_of_different_types(voxcc, tmp_path):
    """One component is marked as one of fewer bits, or signed: the type holds all of them."""
    content = bytearray(encode(np.zeros((*SHAPE, 3), np.uint8), "j2k", mct=False))
    size = content.index(b"\xff\x51")
    for depth, first, stored in ((3, "uint8", "uint8, uint4"), (11, "uint16", "uint8, uint12"), (0x87, "int16", "uint8, int8")):
        content[size + 40 + 3] = depth
        (tmp_path / "a.j2k").write_bytes(content)
        info = json.loads(voxcc("info", tmp_path / "a.j2k", "--json").stdout)
        assert info["stored_type"] == stored
        assert values(voxcc, tmp_path / "a.j2k", tmp_path, "[c=0]").dtype == first


def test_palette_gives_indices(voxcc, tmp_path):
    array = samples("uint8", 2)
    (tmp_path / "a.jp2").write_bytes(jp2(array, GREY, PALETTE, MAPPING))
    assert imagecodecs.imread(tmp_path / "a.jp2", codec="jpeg2k").shape == (*SHAPE, 3)
    np.testing.assert_array_equal(values(voxcc, tmp_path / "a.jp2", tmp_path), array)
    (tmp_path / "a.jp2").write_bytes(jp2(array, GREY, PALETTE))  # a palette that is not used
    np.testing.assert_array_equal(values(voxcc, tmp_path / "a.jp2", tmp_path), array)


def test_lossy_images_have_a_warning(voxcc, tmp_path):
    array = (np.indices(SHAPE).sum(0) * 2).astype(np.uint8)
    (tmp_path / "a.jp2").write_bytes(imagecodecs.jpeg2k_encode(array, level=40, reversible=False))
    assert LOSSY in voxcc("label", tmp_path / "a.jp2", "--stats", "-").stderr
    np.testing.assert_array_equal(values(voxcc, tmp_path / "a.jp2", tmp_path), imagecodecs.imread(tmp_path / "a.jp2", codec="jpeg2k"))


@pytest.mark.parametrize("extension", ["jp2", "j2k"])
def test_numbered_slices(voxcc, tmp_path, extension):
    volume = noise((6, 20, 30), 0.3).astype(np.uint16) * 999
    volume[4] = 0  # an empty slice needs few bytes
    (tmp_path / "stack").mkdir()
    for z, image in enumerate(volume):
        (tmp_path / "stack" / f"s{z:04d}.{extension}").write_bytes(encode(image, extension))
    for path in (tmp_path / "stack", tmp_path / "stack" / f"s%04d.{extension}"):
        voxcc("label", path, "-o", tmp_path / "out.nii", "-f")
        np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(volume != 0, 26))


def test_names(voxcc, tmp_path):
    """The content decides. Names of outputs leave the extension out."""
    array = samples("uint8", 1)
    (tmp_path / "a.dat").write_bytes(encode(array))
    np.testing.assert_array_equal(values(voxcc, tmp_path / "a.dat", tmp_path), array)
    (tmp_path / "b.jp2").write_bytes(encode(array))
    voxcc("label", tmp_path / "b.jp2", "-o", tmp_path / "{stem}_out.nii")
    assert (tmp_path / "b_out.nii").exists()


def test_large_empty_image(voxcc, tmp_path):
    (tmp_path / "a.jp2").write_bytes(encode(np.zeros((6000, 7000), np.uint16)))
    assert (tmp_path / "a.jp2").stat().st_size < 20000
    assert voxcc("label", tmp_path / "a.jp2", "--stats", "-").stdout.count("\n") == 1


# ---- damaged and hostile files

TILED = codestream_of(by_pillow(samples("uint8", 8), tile_size=(16, 16)))


@pytest.mark.parametrize("form", ["jp2", "j2k", "tiles"])
def test_every_truncation_is_an_error(voxcc, tmp_path, form):
    path = tmp_path / "a.jp2"
    content = TILED if form == "tiles" else encode(samples("uint8", 8, (9, 11)), form)
    for cut in range(12, len(content), 1 + len(content) // 150):
        path.write_bytes(content[:cut])
        line = voxcc.fails(65, "label", path, "-o", tmp_path / "out.nii")
        assert not (tmp_path / "out.nii").exists(), line
    path.write_bytes(content[:-1])
    voxcc.fails(65, "verify", path)
    path.write_bytes(content + b"tail")
    done = subprocess.run([voxcc.program, "label", path, "--stats", "-"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode == 65 if form == "jp2" else "4 bytes" in done.stderr), done.stderr


def test_missing_tiles(voxcc, tmp_path):
    head, parts = tile_parts(TILED)
    path = tmp_path / "a.j2k"
    for wrong in (parts[1:], parts[:-1], parts[:5] + parts[6:], parts + parts[:1], [parts[0]] * len(parts), []):
        path.write_bytes(head + b"".join(wrong) + b"\xff\xd9")
        voxcc.fails(65, "label", path)
    path.write_bytes(head + b"".join(reversed(parts)) + b"\xff\xd9")  # the order is free
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), samples("uint8", 8))
    announced = bytearray(parts[0])
    announced[11] = 2  # a second part follows
    path.write_bytes(head + bytes(announced) + b"".join(parts[1:]) + b"\xff\xd9")
    assert "tile 0 is missing or not complete" in voxcc.fails(65, "label", path)


def test_shorter_coded_data_are_an_error(voxcc, tmp_path):
    """The lengths fit, but the data of a tile are not complete."""
    head, parts = tile_parts(TILED)
    for less in (1, 7, 50):
        part = bytearray(parts[3][:-less])
        part[6:10] = struct.pack(">I", len(part))
        (tmp_path / "a.j2k").write_bytes(head + b"".join(parts[:3]) + part + b"".join(parts[4:]) + b"\xff\xd9")
        voxcc.fails(65, "label", tmp_path / "a.j2k")


def patched(content, offset, number, form=">I"):
    """Replaces a number of the marker with the sizes."""
    at = content.index(b"\xff\x51") + offset
    return content[:at] + struct.pack(form, number) + content[at + struct.calcsize(form):]


@pytest.mark.parametrize("patches, cause", [
    ([(6, 0xffffffff), (22, 0xffffffff)], "bytes of compressed data"),
    ([(6, 60000), (10, 60000), (22, 60000), (26, 60000)], "bytes of compressed data"),
    ([(6, 0xffffffff)], ""), ([(6, 0)], ""), ([(14, 53)], ""), ([(14, 4000000000)], ""),
    ([(22, 0)], "its tiles do not cover the image"), ([(22, 1), (26, 1), (6, 70000)], "tiles; at most 65535"),
    ([(30, 1)], "its tiles do not cover the image"), ([(38, 0, ">H")], "the marker of its size"), ([(38, 2, ">H")], "the marker of its size"),
    ([(40, 30, ">B")], "samples of 31 bits"), ([(40, 0xff, ">B")], "samples of 128 bits"),
    ([(41, 2, ">B")], "component 0 has fewer samples"), ([(42, 0, ">B")], "component 0 has fewer samples"),
])
def test_sizes_are_checked_first(voxcc, tmp_path, patches, cause):
    content = encode(samples("uint8", 8), "j2k")
    for patch in patches:
        content = patched(content, *patch)
    (tmp_path / "a.j2k").write_bytes(content)
    for command in ("label", "info", "verify"):
        done = subprocess.run([voxcc.program, command, tmp_path / "a.j2k"], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 65 and cause in done.stderr, done.stderr


def test_markers_of_part_2_are_refused(voxcc, tmp_path):
    head, parts = tile_parts(encode(samples("uint8", 8), "j2k"))
    for marker in (0x74, 0x75, 0x76, 0x77, 0x78, 0x30):
        (tmp_path / "a.j2k").write_bytes(head + bytes([0xff, marker]) + struct.pack(">HH", 4, 0) + b"".join(parts) + b"\xff\xd9")
        assert f"has the marker 0xff{marker:02x}" in voxcc.fails(65, "label", tmp_path / "a.j2k")


@pytest.mark.parametrize("form", ["jp2", "tiles"])
def test_changed_bytes(voxcc, tmp_path, form):
    """JPEG 2000 has no checksums: a changed byte of the coded data can change values. Nothing else may happen."""
    content = bytearray(TILED if form == "tiles" else encode(samples("uint8", 8, (9, 11))))
    start = 90 if form == "jp2" else 0
    for at in range(start, len(content), 1 + len(content) // 120):
        for mask in (0x01, 0xff):
            content[at] ^= mask
            (tmp_path / "a.jp2").write_bytes(content)
            done = subprocess.run([voxcc.program, "verify", tmp_path / "a.jp2"], capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode in (0, 65), (at, mask, done.stderr)
            content[at] ^= mask
