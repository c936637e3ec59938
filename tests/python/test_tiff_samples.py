"""TIFF samples: palettes, packed bits and several samples per pixel, compared with tifffile and imagecodecs."""

import numpy as np
import pytest
import tifffile
from tiff_files import (LONG, MINISWHITE, PALETTE, RGB, SHORT, packed_rows, page_tags, reversed_bits, strips_of, tiff_file,
                        tiles_of, voxels)

SHAPE = (3, 13, 21)  # z, y, x
ORDERS = [("<", False), (">", False), ("<", True), (">", True)]


def numbers(bits, shape=SHAPE, seed=1):
    random = np.random.default_rng(seed)
    return random.integers(0, 1 << bits, shape).astype(np.uint8 if bits <= 8 else np.uint16)


def palette(bits):
    return {320: (SHORT, np.random.default_rng(2).integers(0, 65536, 3 << bits).tolist())}


def check(voxcc, folder, path, expected, stored_type=None):
    oracle = tifffile.imread(path)
    np.testing.assert_array_equal(oracle.reshape(expected.shape), expected)
    read = voxels(voxcc, folder, path)
    np.testing.assert_array_equal(read, expected)
    assert read.dtype == expected.dtype
    if stored_type:
        assert f"stored_type  {stored_type}\n" in voxcc("info", path, "--no-range").stdout


@pytest.mark.parametrize("order, big", ORDERS)
@pytest.mark.parametrize("bits", (1, 2, 3, 4, 6, 7, 9, 10, 12, 14, 15))
def test_packed_samples(voxcc, tmp_path, bits, order, big):
    array = numbers(bits)
    for rows_per_strip in (4, 13):
        pages = [(page_tags(SHAPE[1:], bits, rows_per_strip=rows_per_strip), strips_of(packed_rows(page, bits), rows_per_strip)) for page in array]
        (tmp_path / "in.tif").write_bytes(tiff_file(pages, order, big))
        check(voxcc, tmp_path, tmp_path / "in.tif", array, "bool" if bits == 1 else f"uint{bits}")


@pytest.mark.parametrize("bits", (1, 2, 4, 12))
@pytest.mark.parametrize("compression", ("none", "deflate", "packbits", "lzw"))
def test_packed_samples_in_tiles_and_compressed(voxcc, tmp_path, bits, compression):
    import imagecodecs

    number, encode = {"none": (1, bytes), "deflate": (8, imagecodecs.zlib_encode), "packbits": (32773, imagecodecs.packbits_encode),
                      "lzw": (5, imagecodecs.lzw_encode)}[compression]
    array = numbers(bits, (2, 37, 50))
    tiles = [(page_tags(array.shape[1:], bits, compression=number, more={322: (LONG, [32]), 323: (LONG, [32])}),
              [encode(tile) for tile in tiles_of(page, bits, 32)]) for page in array]
    strips = [(page_tags(array.shape[1:], bits, compression=number, rows_per_strip=8),
               [encode(strip) for strip in strips_of(packed_rows(page, bits), 8)]) for page in array]
    for pages in (tiles, strips):
        for _, chunks in pages:
            for tags, _ in pages:
                tags.pop(278, None) if 322 in tags else None
        (tmp_path / "in.tif").write_bytes(tiff_file(pages))
        check(voxcc, tmp_path, tmp_path / "in.tif", array)


@pytest.mark.parametrize("bits", (1, 2, 4, 8, 12, 16))
@pytest.mark.parametrize("compression", (1, 8))
def test_fill_order(voxcc, tmp_path, bits, compression):
    """FillOrder 2: the lowest bit of each byte is first. It applies to the stored bytes, before they are decompressed."""
    import imagecodecs

    array = numbers(bits)
    encode = imagecodecs.zlib_encode if compression == 8 else bytes
    pages = [(page_tags(SHAPE[1:], bits, compression=compression, more={266: (SHORT, [2])}),
              [reversed_bits(encode(packed_rows(page, bits).tobytes() if bits < 16 else page.astype("<u2").tobytes()))]) for page in array]
    (tmp_path / "in.tif").write_bytes(tiff_file(pages))
    check(voxcc, tmp_path, tmp_path / "in.tif", array)


@pytest.mark.parametrize("order, big", ORDERS)
@pytest.mark.parametrize("bits", (1, 2, 4, 8, 16))
def test_palette_images_are_their_indices(voxcc, tmp_path, bits, order, big):
    array = numbers(bits)
    stored = lambda page: [page.astype(page.dtype.newbyteorder(order)).tobytes()] if bits >= 8 else strips_of(packed_rows(page, bits), 13)  # noqa: E731
    pages = [(page_tags(SHAPE[1:], bits, photometric=PALETTE, more=palette(bits)), stored(page)) for page in array]
    (tmp_path / "in.tif").write_bytes(tiff_file(pages, order, big))
    check(voxcc, tmp_path, tmp_path / "in.tif", array)


def test_label_image_of_fiji_with_a_colour_table(voxcc, tmp_path):
    """Labels with a LUT, as tifffile and Fiji write them, are the labels."""
    labels = numbers(8) % 5
    table = np.random.default_rng(3).integers(0, 65536, (3, 256)).astype(np.uint16)
    tifffile.imwrite(tmp_path / "in.tif", labels, photometric="palette", colormap=table)
    check(voxcc, tmp_path, tmp_path / "in.tif", labels)
    luts = (table >> 8).astype(np.uint8)
    tifffile.imwrite(tmp_path / "in.tif", labels, imagej=True, colormap=luts, metadata={"axes": "ZYX", "LUTs": [luts]})
    check(voxcc, tmp_path, tmp_path / "in.tif", labels)


@pytest.mark.parametrize("count", (0, 3, 255, 767, 769))
def test_palette_of_wrong_length(voxcc, tmp_path, count):
    """The colours are not used, so 8-bit indices are read. libtiff refuses narrower indices without a palette of the right length."""
    array = numbers(8)
    pages = [(page_tags(SHAPE[1:], 8, photometric=PALETTE, more={320: (SHORT, [7] * count)}), [page.tobytes()]) for page in array]
    (tmp_path / "in.tif").write_bytes(tiff_file(pages))
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "in.tif"), array)
    pages = [(page_tags(SHAPE[1:], 4, photometric=PALETTE, more={320: (SHORT, [7] * count)}), strips_of(packed_rows(page % 16, 4), 13)) for page in array]
    (tmp_path / "in.tif").write_bytes(tiff_file(pages))
    assert '"Colormap"' in voxcc.fails(65, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")


@pytest.mark.parametrize("planar", ("contig", "separate"))
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("options", [{}, {"compression": "zlib"}, {"compression": "zlib", "predictor": True}, {"compression": "lzw", "predictor": True},
                                     {"compression": "zlib", "predictor": 3}, {"tile": (16, 32)}, {"tile": (16, 32), "compression": "zlib", "predictor": True},
                                     {"rowsperstrip": 5}, {"bigtiff": True}, {"compression": "zstd"}],
                         ids=lambda options: " ".join(map(str, options.items())) or "plain")
def test_samples_of_a_pixel_are_channels(voxcc, tmp_path, planar, order, options):
    random = np.random.default_rng(4)
    for dtype, samples, photometric in (("uint8", 3, "rgb"), ("uint8", 4, "rgb"), ("uint16", 2, "minisblack"), ("float32", 3, "rgb"), ("uint8", 4, "separated"),
                                        ("float16", 3, "rgb"), ("int32", 5, "minisblack"), ("float64", 2, "minisblack")):
        if options.get("predictor") == 3 and not dtype.startswith("float"):
            continue
        pixels = random.integers(-90 if dtype[0] != "u" else 0, 90, (2, 19, 40, samples)).astype(dtype)
        array = pixels if planar == "contig" else np.ascontiguousarray(np.moveaxis(pixels, -1, 1))
        tifffile.imwrite(tmp_path / "in.tif", array, photometric=photometric, planarconfig=planar, byteorder=order, **options)
        error = voxcc.fails(64, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")
        assert f"{samples} channels (C), chosen as in [c=0]" in error
        for c in range(samples):
            read = voxels(voxcc, tmp_path, f"{tmp_path / 'in.tif'}[c={c}]", "--threshold", "!=0")
            np.testing.assert_array_equal(read, pixels[..., c].astype(read.dtype))
        voxcc.fails(64, "label", f"{tmp_path / 'in.tif'}[c={samples}]")


@pytest.mark.parametrize("bits", (1, 2, 4, 12))
def test_packed_samples_of_several_channels(voxcc, tmp_path, bits):
    array = numbers(bits, (13, 21 * 3))
    pages = [(page_tags((13, 21), bits, samples=3, photometric=RGB, rows_per_strip=4), strips_of(packed_rows(array, bits), 4))]
    (tmp_path / "in.tif").write_bytes(tiff_file(pages))
    for c in range(3):
        np.testing.assert_array_equal(voxels(voxcc, tmp_path, f"{tmp_path / 'in.tif'}[c={c}]"), array[:, c::3])


@pytest.mark.parametrize("photometric", (4, 6, 8, 9, 10, 32803, 32844, 32845))
def test_samples_that_are_not_grey_levels_are_refused(voxcc, tmp_path, photometric):
    pages = [(page_tags((4, 6), 8, samples=3, photometric=photometric), [bytes(72)])]
    (tmp_path / "in.tif").write_bytes(tiff_file(pages))
    voxcc.fails(65, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")
    voxcc("verify", tmp_path / "in.tif", expect=65)


@pytest.mark.parametrize("tags, chunks", [
    (page_tags((13, 21), 12, rows_per_strip=4), [bytes(32 * 4)] * 3 + [bytes(31)]),
    (page_tags((13, 21), 12, rows_per_strip=4), [bytes(32 * 4)] * 3),
    (page_tags((13, 21), 0), [bytes(273)]),
    (page_tags((13, 21), 17), [bytes(21 * 17 * 13)]),
    (page_tags((13, 21), 65535), [bytes(273)]),
    (page_tags((13, 21), 4, more={339: (SHORT, [2])}), [bytes(11 * 13)]),
    (page_tags((13, 21), 8, samples=3, photometric=RGB), [bytes(272)]),
    (page_tags((13, 21), 8, samples=3, photometric=RGB, more={284: (SHORT, [2])}), [bytes(273)] * 2),
    (page_tags((1 << 31, 1 << 31), 12), [bytes(273)]),
    (page_tags((1 << 20, 1 << 20), 16, samples=3, photometric=RGB), [bytes(273)]),
    (page_tags((13, 21), 8, samples=65535) | {258: (SHORT, [8])}, [bytes(273)]),
], ids=range(11))
def test_wrong_sizes(voxcc, tmp_path, tags, chunks):
    (tmp_path / "in.tif").write_bytes(tiff_file([(tags, chunks)]))
    voxcc.fails(65, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")
    voxcc("verify", tmp_path / "in.tif", expect=65)
    assert not (tmp_path / "out.nii").exists()


def test_directories_in_a_circle(voxcc, tmp_path):
    page = (page_tags((4, 6), 4), [bytes(12)])
    for following in (1, 2):
        (tmp_path / "in.tif").write_bytes(tiff_file([page, page], last_next=following))
        voxcc.fails(65, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")


def test_pages_of_other_samples_are_refused(voxcc, tmp_path):
    grey, rgb = (page_tags((4, 6), 8), [bytes(24)]), (page_tags((4, 6), 8, samples=3, photometric=RGB), [bytes(72)])
    nibbles, white = (page_tags((4, 6), 4), [bytes(12)]), (page_tags((4, 6), 8, photometric=MINISWHITE), [bytes(24)])
    for other in (rgb, nibbles, white):
        (tmp_path / "in.tif").write_bytes(tiff_file([grey, other]))
        assert "page 1 (from 0)" in voxcc.fails(65, "label", tmp_path / "in.tif", "-o", tmp_path / "out.nii")
