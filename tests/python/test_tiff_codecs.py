"""TIFF files compressed with CCITT, JPEG and LERC, which libtiff decodes in a child process, compared with tifffile and imagecodecs."""

import io
import os
import subprocess

import imagecodecs
import numpy as np
import pytest
import tifffile
from helpers import noise
from PIL import Image
from tiff_files import LONG, MINISBLACK, MINISWHITE, RGB, SHORT, page_tags, reversed_bits, tiff_file, voxels

BITS = noise((3, 37, 70), 0.3, 3)
RLE, G3, G4, JPEG, LERC = 2, 3, 4, 7, 34887
CCITT = {"rle": (RLE, "tiff_ccitt", {}), "g3": (G3, "group3", {}), "g3-2d": (G3, "group3", {292: 1}), "g3-fill": (G3, "group3", {292: 4}),
         "g4": (G4, "group4", {})}


def ccitt(bits, name):
    """The CCITT codes of a page, by the libtiff of Pillow: strips of an image of one strip."""
    _, compression, info = CCITT[name]
    stream = io.BytesIO()
    Image.fromarray(bits.astype(bool)).save(stream, "tiff", compression=compression, tiffinfo=info | {278: len(bits)})
    stream.seek(0)
    with tifffile.TiffFile(stream) as file:
        page = file.pages[0]
        assert len(page.dataoffsets) == 1 and page.photometric == MINISBLACK
        return stream.getvalue()[page.dataoffsets[0]:page.dataoffsets[0] + page.databytecounts[0]]


def tags_of(shape, name, **more):
    number, _, info = CCITT[name]
    options = {292: (LONG, [info[292]])} if 292 in info else {}
    return page_tags(shape, 1, compression=number, **more) | options


@pytest.mark.parametrize("order, big", [("<", False), (">", False), ("<", True), (">", True)])
@pytest.mark.parametrize("photometric", (MINISBLACK, MINISWHITE))
@pytest.mark.parametrize("name", CCITT)
def test_ccitt(voxcc, tmp_path, name, photometric, order, big):
    """Values are as stored. tifffile reads the same bits."""
    pages = [(tags_of(page.shape, name, rows_per_strip=8, photometric=photometric), [ccitt(page[y:y + 8], name) for y in range(0, len(page), 8)])
             for page in BITS]
    (tmp_path / "in.tif").write_bytes(tiff_file(pages, order, big))
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "in.tif"), BITS)
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif"), BITS)
    info = voxcc("info", tmp_path / "in.tif", "--no-range").stdout
    assert f"compression  ccitt-{name[:3].rstrip('-')}\n" in info and "stored_type  bool\n" in info
    voxcc("verify", tmp_path / "in.tif")


@pytest.mark.parametrize("name", CCITT)
def test_ccitt_in_tiles_and_with_fill_order_2(voxcc, tmp_path, name):
    padded = np.ones((3, 48, 80), np.uint8)
    padded[:, :37, :70] = BITS
    tiles = {322: (LONG, [16]), 323: (LONG, [16])}
    pages = [({tag: value for tag, value in tags_of(BITS.shape[1:], name, more=tiles).items() if tag != 278},
              [ccitt(page[y:y + 16, x:x + 16], name) for y in range(0, 48, 16) for x in range(0, 80, 16)]) for page in padded]
    (tmp_path / "in.tif").write_bytes(tiff_file(pages))
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif"), BITS)
    pages = [(tags_of(page.shape, name, more={266: (SHORT, [2])}), [reversed_bits(ccitt(page, name))]) for page in BITS]
    (tmp_path / "in.tif").write_bytes(tiff_file(pages))
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif"), BITS)


@pytest.mark.parametrize("name", CCITT)
def test_damaged_ccitt_is_an_error_or_read_as_libtiff_reads_it(voxcc, tmp_path, name):
    """CCITT has no checksum. Data that end too early, and codes that do not fill a row, must be errors."""
    page = BITS[0]
    codes = ccitt(page, name)
    for end in (0, 1, len(codes) // 2, len(codes) * 3 // 4):
        (tmp_path / "in.tif").write_bytes(tiff_file([(tags_of(page.shape, name), [codes[:end]])]))
        voxcc.fails(65, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")
    (tmp_path / "in.tif").write_bytes(tiff_file([(tags_of(page.shape, name), [b"\x00\x00\x01\xff" + codes[4:]])]))
    voxcc.fails(65, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")
    assert not (tmp_path / "out.nii").exists()


@pytest.mark.parametrize("missing", (1, 2, 10, 36))
@pytest.mark.parametrize("name", CCITT)
def test_missing_rows_of_ccitt(voxcc, tmp_path, name, missing):
    """An intact stream of fewer rows. libtiff returns such G4 data without a message."""
    page = BITS[0]
    (tmp_path / "in.tif").write_bytes(tiff_file([(tags_of(page.shape, name), [ccitt(page[:-missing], name)])]))
    error = voxcc.fails(65, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")
    assert "page 0 (0-based): strip 0 is truncated or corrupt" in error


@pytest.mark.parametrize("value", (0, 1))
def test_blank_and_narrow_pages_of_ccitt(voxcc, tmp_path, value):
    """A blank row has one bit in G4, for any width. The last strip may be stored with the rows of a full strip."""
    for shape in ((5, 1), (1, 1), (7, 3), (9, 64), (4, 70000)):
        page = np.full(shape, value, np.uint8)
        for name in CCITT:
            (tmp_path / "in.tif").write_bytes(tiff_file([(tags_of(shape, name), [ccitt(page, name)])]))
            np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif").reshape(shape), page)
    full = np.full((8, 40), value, np.uint8)
    (tmp_path / "in.tif").write_bytes(tiff_file([(tags_of((13, 40), "g4", rows_per_strip=8), [ccitt(full, "g4")] * 2)]))
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif"), np.full((13, 40), value))


def grey(shape, seed=5):
    y, x = np.indices(shape[-2:])
    return (np.stack([(x * 3 + y * 2 + z * 20) % 256 for z in range(int(np.prod(shape[:-2])))]).reshape(shape)
            // 2 + np.random.default_rng(seed).integers(0, 20, shape)).astype(np.uint8)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("options", [{}, {"rowsperstrip": 16}, {"tile": (32, 48)}, {"bigtiff": True}], ids=lambda o: " ".join(o) or "plain")
def test_jpeg_of_grey_levels(voxcc, tmp_path, options, order):
    """Values are those that the file gives, which tifffile reads, too; a warning tells of the loss."""
    image = grey((2, 45, 70))
    for level in (40, 95):
        tifffile.imwrite(tmp_path / "in.tif", image, compression="jpeg", compressionargs={"level": level}, byteorder=order, photometric="minisblack", **options)
        expected = tifffile.imread(tmp_path / "in.tif")
        np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif"), expected)
        info = voxcc("info", tmp_path / "in.tif", "--no-range").stdout
        assert "compression  jpeg\n" in info and "is compressed with JPEG, which changes values" in info


def test_jpeg_with_common_tables(voxcc, tmp_path):
    """libtiff stores the tables of all strips in one tag."""
    image = grey((45, 70))
    Image.fromarray(image).save(tmp_path / "in.tif", compression="jpeg")
    with tifffile.TiffFile(tmp_path / "in.tif") as file:
        assert file.pages[0].jpegtables is not None
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif"), tifffile.imread(tmp_path / "in.tif"))


@pytest.mark.parametrize("options", [{"photometric": "rgb"}, {"photometric": "rgb", "tile": (32, 48)}, {"photometric": "rgb", "planarconfig": "separate"},
                                     {"photometric": "ycbcr", "subsampling": (1, 1)}, {"photometric": "ycbcr", "subsampling": (2, 2)},
                                     {"photometric": "ycbcr", "subsampling": (2, 1)}], ids=lambda o: " ".join(map(str, o.values())))
def test_jpeg_of_colours_has_channels(voxcc, tmp_path, options):
    """YCbCr becomes RGB, as in tifffile and Fiji. The file has two pages, and the last strip is not full."""
    pixels = np.stack([grey((45, 70), seed) for seed in (5, 6, 7)], -1)
    if "subsampling" in options and options["photometric"] == "ycbcr":
        options = options | {"photometric": "rgb"}
    image = np.moveaxis(pixels, -1, 0) if options.get("planarconfig") == "separate" else pixels
    tifffile.imwrite(tmp_path / "in.tif", image, compression="jpeg", rowsperstrip=None if "tile" in options else 16, **options)
    expected = tifffile.imread(tmp_path / "in.tif")
    expected = np.moveaxis(expected, 0, -1) if options.get("planarconfig") == "separate" else expected
    assert "3 channels (C), chosen as in [c=0]" in voxcc.fails(64, "label", tmp_path / "in.tif")
    for c in range(3):
        np.testing.assert_array_equal(voxels(voxcc, tmp_path, f"{tmp_path / 'in.tif'}[c={c}]"), expected[..., c])


def jpeg_file(folder):
    tifffile.imwrite(folder / "in.tif", grey((64, 70)), compression="jpeg", compressionargs={"level": 90}, photometric="minisblack", rowsperstrip=32)
    with tifffile.TiffFile(folder / "in.tif") as file:
        return (folder / "in.tif").read_bytes(), file.pages[0].dataoffsets, file.pages[0].databytecounts


def test_damaged_jpeg(voxcc, tmp_path):
    """libjpeg fills what is missing with grey and reports a warning, which is an error here."""
    content, offsets, counts = jpeg_file(tmp_path)
    first = content[offsets[0]:offsets[0] + counts[0]]
    for damaged in (first[:-2] + b"\0\0", first[:counts[0] // 2].ljust(counts[0], b"\0"), first[:counts[0] // 2] + b"\xff\xd9" + first[counts[0] // 2 + 2:],
                    b"\0\0" + first[2:], first[:200].ljust(counts[0], b"\xff")):
        (tmp_path / "bad.tif").write_bytes(content.replace(first, damaged))
        error = voxcc.fails(65, "label", tmp_path / "bad.tif", "-o", tmp_path / "out.nii")
        assert "strip 0 is truncated or corrupt" in error
        voxcc("verify", tmp_path / "bad.tif", expect=65)
    assert not (tmp_path / "out.nii").exists()


def test_jpeg_of_another_size_than_its_strip(voxcc, tmp_path):
    """Too small is an error. A last strip with the rows of a full strip is read: some programs write it."""
    def encoded(image):
        stream = io.BytesIO()
        Image.fromarray(image).save(stream, "jpeg", quality=90)
        return stream.getvalue()

    image = grey((48, 64))
    for rows, shown in ((32, 48), (32, 33), (40, 48)):
        padded = np.zeros((64, 64), np.uint8)
        padded[:48] = image
        strips = [encoded(padded[:32]), encoded(padded[32:32 + rows])]
        (tmp_path / "in.tif").write_bytes(tiff_file([(page_tags((shown, 64), 8, compression=JPEG, rows_per_strip=32), strips)]))
        whole = np.concatenate([np.asarray(Image.open(io.BytesIO(strip))) for strip in strips])
        np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif"), whole[:shown])
    for strip in (encoded(image[:8]), encoded(image[:16, :48]), encoded(np.zeros((16, 80), np.uint8)), encoded(np.stack([image[:16]] * 3, -1))):
        (tmp_path / "in.tif").write_bytes(tiff_file([(page_tags((16, 64), 8, compression=JPEG), [strip])]))
        voxcc.fails(65, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")


def test_samples_that_a_codec_does_not_have(voxcc, tmp_path):
    for bits, samples, compression in ((12, 1, JPEG), (16, 1, JPEG), (8, 1, G4), (2, 1, G3), (1, 3, G4), (4, 1, LERC)):
        tags = page_tags((4, 6), bits, samples=samples, photometric=RGB if samples == 3 else MINISBLACK, compression=compression)
        (tmp_path / "in.tif").write_bytes(tiff_file([(tags, [bytes(100)])]))
        assert "samples is not supported" in voxcc.fails(65, "label", tmp_path / "in.tif")


@pytest.mark.parametrize("dtype", ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"))
@pytest.mark.parametrize("options", [{}, {"tile": (32, 48)}, {"rowsperstrip": 16}, {"compressionargs": {"compression": "deflate"}},
                                     {"compressionargs": {"compression": "zstd"}}], ids=lambda o: " ".join(map(str, o.items())) or "plain")
def test_lerc(voxcc, tmp_path, options, dtype):
    image = (np.random.default_rng(6).integers(0, 100, (2, 45, 70)) * 1.0 - (40 if dtype[0] != "u" else 0)).astype(dtype)
    tifffile.imwrite(tmp_path / "in.tif", image, compression="lerc", photometric="minisblack", **options)
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "in.tif"), image)
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif", "--threshold", "!=0"), image)


def test_lerc_in_big_endian_files(voxcc, tmp_path):
    """libtiff swaps the bytes of the decoded numbers and tifffile does not, so only numbers of one byte are read."""
    for dtype in (np.uint8, np.uint16):
        image = np.random.default_rng(6).integers(0, 100, (45, 70)).astype(dtype)
        tags = page_tags(image.shape, image.itemsize * 8, compression=LERC, more={50674: (LONG, [4, 0])})
        (tmp_path / "in.tif").write_bytes(tiff_file([(tags, [imagecodecs.lerc_encode(image)])], ">"))
        if dtype == np.uint8:
            np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif"), image)
        else:
            assert "byte order of lerc" in voxcc.fails(65, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")


def test_lerc_of_several_samples_and_constant_pages(voxcc, tmp_path):
    pixels = np.random.default_rng(7).integers(0, 256, (45, 70, 3)).astype(np.uint8)
    tifffile.imwrite(tmp_path / "in.tif", pixels, compression="lerc", photometric="rgb")
    for c in range(3):
        np.testing.assert_array_equal(voxels(voxcc, tmp_path, f"{tmp_path / 'in.tif'}[c={c}]"), pixels[..., c])
    constant = np.full((2, 300, 400), 7, np.uint16)
    tifffile.imwrite(tmp_path / "in.tif", constant, compression="lerc", photometric="minisblack")
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif"), constant)


def test_damaged_lerc(voxcc, tmp_path):
    image = np.random.default_rng(8).integers(0, 5000, (45, 70)).astype(np.uint16)
    tifffile.imwrite(tmp_path / "in.tif", image, compression="lerc", photometric="minisblack", rowsperstrip=45)
    with tifffile.TiffFile(tmp_path / "in.tif") as file:
        at, count = file.pages[0].dataoffsets[0], file.pages[0].databytecounts[0]
    content = (tmp_path / "in.tif").read_bytes()
    for place in (0, 5, 20, 33, 60, count // 2, count - 3):
        (tmp_path / "bad.tif").write_bytes(content[:at + place] + bytes([content[at + place] ^ 0x55]) + content[at + place + 1:])
        voxcc.fails(65, "label", tmp_path / "bad.tif", "-o", tmp_path / "out.nii")


FAULTS = {
    "crash": ("abort();", "crashed on it"),
    "null": ("*(volatile int*)0 = 1;", "crashed on it"),
    "hang": ("for (volatile int i = 0;; ++i) {}", "was not understood within"),
    "memory": ("for (;;) if (!malloc(1 << 26)) return 0; else ++grown;", "needs more memory than is allowed"),
    "write": ('if (open("stolen.txt", O_CREAT | O_WRONLY, 0600) >= 0) return 0; abort();', "crashed on it"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_a_codec_are_errors_of_the_file(voxcc, tmp_path, fault):
    """A library that takes the place of a function of libjpeg. It runs in the child process, so that voxcc reports an error."""
    jpeg_file(tmp_path)
    body, message = FAULTS[fault]
    source = f"#include <fcntl.h>\n#include <stdlib.h>\nint grown;\nint jpeg_start_decompress(void* unused) {{ (void)unused; {body} return 0; }}\n"
    (tmp_path / "fault.c").write_text(source)
    subprocess.run(["cc", "-shared", "-fPIC", "-O0", "-o", tmp_path / "fault.so", tmp_path / "fault.c"], check=True)
    environment = os.environ | {"LD_PRELOAD": str(tmp_path / "fault.so")}
    code = 71 if fault == "memory" else 65
    error = voxcc.fails(code, "label", "in.tif", "-o", "out.nii", "--device", "cpu", env=environment, cwd=tmp_path)
    assert message in error
    assert not (tmp_path / "out.nii").exists() and not (tmp_path / "stolen.txt").exists()
    voxcc("info", "in.tif", "--no-range", env=environment, cwd=tmp_path)  # decodes nothing
