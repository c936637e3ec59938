"""Pixels of DICOM objects: types, byte orders, transfer syntaxes, and files that are damaged. Against pydicom, numpy and imagecodecs."""

import struct
import subprocess
import zlib
from pathlib import Path

import imagecodecs
import numpy as np
import pydicom
import pytest
from dicom_files import AXIAL, dataset, enhanced, groups_of, info, save, series, set_pixels, slice_of, values
from pydicom.uid import (
    DeflatedExplicitVRLittleEndian,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    HTJ2KLossless,
    ImplicitVRLittleEndian,
    JPEG2000,
    JPEG2000Lossless,
    JPEGBaseline8Bit,
    JPEGLossless,
    JPEGLSLossless,
    JPEGLSNearLossless,
    UID,
    ParametricMapStorage,
    RLELossless,
)

LOSSY = "its compression changes values; thresholds and borders are not exact"
FOLDER = Path(pydicom.__file__).parent / "data/test_files"
NATIVE = (ExplicitVRLittleEndian, ImplicitVRLittleEndian, ExplicitVRBigEndian, DeflatedExplicitVRLittleEndian)


def image(dtype, bits=None, shape=(4, 15, 13), seed=1):
    """Random values with the limits of the type."""
    dtype = np.dtype(dtype)
    random = np.random.default_rng(seed)
    if dtype == bool:
        return random.random(shape) < 0.5
    if dtype.kind == "f":
        return random.standard_normal(shape).astype(dtype)
    bits = bits or dtype.itemsize * 8
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.kind == "i" else (0, (1 << bits) - 1)
    array = random.integers(low, high, shape, endpoint=True, dtype=dtype)
    array.flat[:2] = low, high
    return array


def frames(array, syntax, bits=None, encode=None, **elements):
    """A multi-frame object with positions."""
    made = enhanced(array, [groups_of((10, 20, 3 * k)) for k in range(len(array))], bits=bits, encode=encode, **elements)
    made.file_meta.TransferSyntaxUID = syntax
    return made if encode else set_pixels(made, array, bits)


@pytest.mark.parametrize("syntax", NATIVE, ids=lambda uid: uid.name.replace(" ", "_"))
@pytest.mark.parametrize("dtype", (bool, "u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"))
def test_native(voxcc, tmp_path, syntax, dtype):
    array = image(dtype)
    path = save(frames(array, syntax), tmp_path / "a.dcm")
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)
    for threads in (1, 3):
        done = voxcc("label", path, "--threshold", ">0", "--stats", "-", "-t", threads, "-q")
        assert len(done.stdout.splitlines()) > 1


@pytest.mark.parametrize("allocated, stored, high, signed", ((16, 12, 11, 0), (16, 12, 11, 1), (16, 12, 15, 0), (16, 10, 12, 1), (8, 5, 4, 0), (8, 5, 7, 1), (32, 20, 19, 1)))
@pytest.mark.parametrize("syntax", (ExplicitVRLittleEndian, ExplicitVRBigEndian))
def test_stored_bits(voxcc, tmp_path, allocated, stored, high, signed, syntax):
    """Other bits, such as overlays, are not part of the value."""
    words = image(f"u{allocated // 8}")
    made = frames(words, syntax)
    made.BitsStored, made.HighBit, made.PixelRepresentation = stored, high, signed
    path = save(made, tmp_path / "a.dcm")
    expected = (words.astype("i8") >> (high + 1 - stored)) & ((1 << stored) - 1)
    if signed:
        expected = np.where(expected >> (stored - 1), expected - (1 << stored), expected)
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), expected)


def test_big_endian_words_of_bytes(voxcc, tmp_path):
    """In big-endian order, 16-bit words (OW) hold two pixels of 8 bits or 16 pixels of 1 bit in reverse order."""
    for dtype in ("u1", bool):
        array = image(dtype, shape=(3, 15, 13))
        made = frames(array, ExplicitVRBigEndian)
        stored = np.frombuffer(made.PixelData, "u2").byteswap().tobytes()
        made.PixelData = stored
        made["PixelData"].VR = "OW"
        np.testing.assert_array_equal(values(voxcc, save(made, tmp_path / "a.dcm"), tmp_path), array)


def test_float_pixels_with_transform(voxcc, tmp_path):
    array = image("f4")
    made = enhanced(array, [groups_of((10, 20, 3 * k), slope=2, intercept=0.5) for k in range(4)], sop_class=ParametricMapStorage)
    np.testing.assert_array_equal(values(voxcc, save(made, tmp_path / "a.dcm"), tmp_path), array.astype("f8") * 2 + 0.5)


# ---- compressed

def rle(dtype):
    def encode(frame):
        if frame.dtype == bool:  # packed, as in the standard
            segment = imagecodecs.packbits_encode(np.packbits(frame.ravel(), bitorder="little").tobytes())
            return struct.pack("<16I", 1, 64, *[0] * 14) + segment + bytes(len(segment) % 2)
        planes = frame.astype(np.dtype(dtype).newbyteorder(">")).view("u1").reshape(frame.size, -1).T
        segments = [imagecodecs.packbits_encode(plane.tobytes()) for plane in planes]
        segments = [segment + b"\x80" * (len(segment) % 2) for segment in segments]
        offsets = np.cumsum([64] + [len(segment) for segment in segments])[:-1]
        return struct.pack("<16I", len(segments), *offsets, *[0] * (15 - len(segments))) + b"".join(segments)
    return encode


@pytest.mark.parametrize("dtype", (bool, "u1", "i1", "u2", "i2", "u4", "i4"))
def test_rle(voxcc, tmp_path, dtype):
    array = image(dtype)
    path = save(frames(array, RLELossless, encode=rle(dtype)), tmp_path / "a.dcm")
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)
    assert info(voxcc, path, "--no-range")["compression"] == "rle"


def test_rle_of_pydicom(voxcc, tmp_path):
    array = image("u2")
    made = frames(array, ExplicitVRLittleEndian)
    made.compress(RLELossless, encoding_plugin="pydicom", generate_instance_uid=False)
    np.testing.assert_array_equal(values(voxcc, save(made, tmp_path / "a.dcm"), tmp_path), array)


def test_rle_with_one_byte_per_bit(voxcc, tmp_path):
    array = image(bool)
    path = save(frames(array, RLELossless, encode=lambda frame: rle("u1")(frame.astype("u1"))), tmp_path / "a.dcm")
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)


LOSSLESS = {
    "j2k_u1": (JPEG2000Lossless, "u1", 8, lambda a: imagecodecs.jpeg2k_encode(a, level=0, codecformat="j2k", reversible=True)),
    "j2k_u2": (JPEG2000Lossless, "u2", 12, lambda a: imagecodecs.jpeg2k_encode(a, level=0, codecformat="j2k", reversible=True, bitspersample=12)),
    "j2k_i2": (JPEG2000Lossless, "i2", 16, lambda a: imagecodecs.jpeg2k_encode(a, level=0, codecformat="j2k", reversible=True)),
    "j2k_bits": (JPEG2000Lossless, bool, 1, lambda a: imagecodecs.jpeg2k_encode(a.astype("u1"), level=0, codecformat="j2k", reversible=True, bitspersample=1)),
    "htj2k_u2": (HTJ2KLossless, "u2", 12, imagecodecs.htj2k_encode),
    "htj2k_i2": (HTJ2KLossless, "i2", 16, imagecodecs.htj2k_encode),
    "jls_u1": (JPEGLSLossless, "u1", 8, imagecodecs.jpegls_encode),
    "jls_u2": (JPEGLSLossless, "u2", 16, imagecodecs.jpegls_encode),
    "ljpeg_u1": (JPEGLossless, "u1", 8, lambda a: imagecodecs.ljpeg_encode(a, bitspersample=8)),
    "ljpeg_u2": (JPEGLossless, "u2", 16, lambda a: imagecodecs.ljpeg_encode(a, bitspersample=16)),
    "ljpeg_12": (JPEGLossless, "u2", 12, lambda a: imagecodecs.ljpeg_encode(a, bitspersample=12)),
}


@pytest.mark.parametrize("name", LOSSLESS)
def test_lossless(voxcc, tmp_path, name):
    syntax, dtype, bits, encode = LOSSLESS[name]
    array = image(dtype, bits, (3, 37, 53))
    path = save(frames(array, syntax, bits, encode), tmp_path / "a.dcm")
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)
    assert "warnings" not in info(voxcc, path)


def test_frames_of_several_fragments(voxcc, tmp_path):
    """The offset table assigns fragments to frames. Without a table, they can be assigned only if there is one per frame."""
    array = image("u1", shape=(3, 37, 53))
    made = frames(array, JPEG2000Lossless, 8, LOSSLESS["j2k_u1"][3])
    codes = [LOSSLESS["j2k_u1"][3](frame) for frame in array]
    made.PixelData = pydicom.encaps.encapsulate(codes, fragments_per_frame=2, has_bot=True)
    made["PixelData"].is_undefined_length = True
    np.testing.assert_array_equal(values(voxcc, save(made, tmp_path / "a.dcm"), tmp_path), array)
    made.PixelData = pydicom.encaps.encapsulate(codes, fragments_per_frame=2, has_bot=False)
    made["PixelData"].is_undefined_length = True
    path = save(made, tmp_path / "b.dcm")
    assert "6 fragments for 3 frames, and no table that assigns them; convert it" in voxcc.fails(65, "info", path)
    pixels, offsets, lengths = pydicom.encaps.encapsulate_extended(codes)
    made.PixelData, made.ExtendedOffsetTable, made.ExtendedOffsetTableLengths = pixels, offsets, lengths
    made["PixelData"].is_undefined_length = True
    np.testing.assert_array_equal(values(voxcc, save(made, tmp_path / "c.dcm"), tmp_path), array)


def test_fragments_without_compression(voxcc, tmp_path):
    for dtype in ("u2", bool):
        array = image(dtype)
        encode = lambda a: np.packbits(a.ravel(), bitorder="little").tobytes() if a.dtype == bool else a.tobytes()  # noqa: E731
        path = save(frames(array, UID("1.2.840.10008.1.2.1.98"), encode=encode), tmp_path / "a.dcm")
        np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)


def test_compressed_folder(voxcc, tmp_path):
    """Slices of a series in several transfer syntaxes, with a transform."""
    array = image("u2", 12, (6, 37, 53))
    syntaxes = [(JPEG2000Lossless, LOSSLESS["j2k_u2"][3]), (RLELossless, rle("u2")), (ExplicitVRLittleEndian, None)] * 2

    def each(k, made):
        made.file_meta.TransferSyntaxUID, encode = syntaxes[k]
        del made.PixelData
        set_pixels(made, array[k], 12, encode)

    folder = series(tmp_path / "series", array, bits=12, each=each, RescaleSlope=1, RescaleIntercept=-1024)
    np.testing.assert_array_equal(values(voxcc, folder, tmp_path), array.astype("i4") - 1024)


LOSSY_FILES = {
    "jpeg": (JPEGBaseline8Bit, lambda a: imagecodecs.jpeg8_encode(a, level=50), imagecodecs.jpeg8_decode, None, True),
    "j2k": (JPEG2000, lambda a: imagecodecs.jpeg2k_encode(a, level=40, codecformat="j2k"), imagecodecs.jpeg2k_decode, None, True),
    "j2k_00": (JPEG2000, lambda a: imagecodecs.jpeg2k_encode(a, level=0, codecformat="j2k", reversible=True), imagecodecs.jpeg2k_decode, "00", False),
    "jls": (JPEGLSNearLossless, lambda a: imagecodecs.jpegls_encode(a, level=3), imagecodecs.jpegls_decode, "01", True),
    "native": (ExplicitVRLittleEndian, None, None, "01", True),
}


@pytest.mark.parametrize("name", LOSSY_FILES)
def test_lossy(voxcc, tmp_path, name):
    """Lossy images give the warning of lossy TIFF and JPEG 2000, and what the codec decodes."""
    syntax, encode, decode, stated, warns = LOSSY_FILES[name]
    array = np.random.default_rng(3).integers(0, 255, (40, 56)).astype("u1")
    made = slice_of(array, encode=encode, **({"LossyImageCompression": stated} if stated else {}))
    made.file_meta.TransferSyntaxUID = syntax
    path = save(made, tmp_path / "a.dcm")
    expected = decode(encode(array)) if encode else array
    np.testing.assert_allclose(values(voxcc, path, tmp_path)[0], expected, atol=1)
    assert info(voxcc, path).get("warnings", []) == [LOSSY] * warns


@pytest.mark.parametrize("syntax, text", (("1.2.840.10008.1.2.4.204", "HTJ2K by JPIP"), ("1.2.840.10008.1.2.4.102", "MPEG-4 video"), ("1.2.840.10008.1.2.4.110", "JPEG XL"), ("1.2.3.4", "")))
def test_syntaxes_that_are_not_read(voxcc, tmp_path, syntax, text):
    made = slice_of(image("u1")[0], encode=lambda a: b"xx")
    made.file_meta.TransferSyntaxUID = syntax
    path = save(made, tmp_path / "a.dcm")
    error = voxcc.fails(65, "info", path)
    assert f"transfer syntax {syntax}" in error and text in error and "is not read; convert it" in error and "corrupt" not in error


# ---- files of other programs

def test_tiff_preamble(voxcc, tmp_path):
    """A file that is DICOM and TIFF is read as DICOM."""
    array = image("u2")[0]
    made = slice_of(array, RescaleSlope=2, RescaleIntercept=0)
    for preamble in (b"II*\0" + struct.pack("<I", 1000), b"MM\0*" + struct.pack(">I", 1000), b"\x93NUMPY\1\0", b"NRRD0004", b"PK\3\4", b"\xff\xd8\xff"):
        made.preamble = preamble.ljust(128, b"\0")
        path = save(made, tmp_path / "a.dcm")
        np.testing.assert_array_equal(values(voxcc, path, tmp_path)[0], array.astype("u4") * 2)


READ = ("CT_small.dcm", "MR_small.dcm", "MR_small_RLE.dcm", "MR_small_bigendian.dcm", "MR_small_expb.dcm", "MR_small_implicit.dcm", "MR_small_padded.dcm",
        "examples_overlay.dcm", "image_dfl.dcm", "liver_1frame.dcm", "liver_expb_1frame.dcm", "rtdose.dcm", "rtdose_1frame.dcm", "rtdose_expb.dcm",
        "rtdose_expb_1frame.dcm", "rtdose_rle.dcm", "rtdose_rle_1frame.dcm")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READ)
def test_files_of_pydicom(voxcc, tmp_path, name):
    made = pydicom.dcmread(FOLDER / name)
    expected = made.pixel_array
    if "DoseGridScaling" in made:
        expected = expected * float(made.DoseGridScaling)
    elif "RescaleSlope" in made:
        expected = expected * float(made.RescaleSlope) + float(made.RescaleIntercept)
    np.testing.assert_array_equal(values(voxcc, FOLDER / name, tmp_path), np.atleast_3d(expected.T).T)


DECODED = {  # files that pydicom decodes only with further packages
    "MR_small_jp2klossless.dcm": "MR_small.dcm",
    "MR_small_jpeg_ls_lossless.dcm": "MR_small.dcm",
}


@pytest.mark.parametrize("name", DECODED)
def test_compressed_files_of_pydicom(voxcc, tmp_path, name):
    expected = pydicom.dcmread(FOLDER / DECODED[name]).pixel_array
    np.testing.assert_array_equal(values(voxcc, FOLDER / name, tmp_path)[0], expected)


@pytest.mark.parametrize("name, text", (
    ("reportsi.dcm", "holds no pixels: structured report"), ("test-SR.dcm", "holds no pixels: structured report"),
    ("rtplan.dcm", "holds no pixels: RT plan"), ("waveform_ecg.dcm", "holds no pixels: waveform"),
    ("dicomdirtests/DICOMDIR", "holds no pixels: directory of files, DICOMDIR"), ("rtplan_truncated.dcm", "should end at byte 2394, the file has 2129 bytes"),
    ("badVR.dcm", "(0028,0008) has the value '1A', which is not a number"), ("MR_truncated.dcm", "pixel data should end at byte"),
    ("examples_palette.dcm", "colours of a palette"), ("examples_rgb_color.dcm", "vectors or colours (3 components)"),
))
def test_refused_files_of_pydicom(voxcc, name, text):
    assert text in voxcc.fails(65, "info", FOLDER / name)


# ---- damage

def peak(voxcc, *arguments):
    """Exit code, errors, and peak memory in bytes."""
    code = "import resource, subprocess, sys; r = subprocess.run(sys.argv[1:], capture_output=True, text=True); " \
           "print(r.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); print(r.stderr)"
    done = subprocess.run(["python3", "-c", code, voxcc.program, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=True)
    first, _, errors = done.stdout.partition("\n")
    status, kilobytes = map(int, first.split())
    return status, errors, kilobytes << 10


@pytest.mark.parametrize("types", (b"UJ", b"DW", b"\0\0", b"us"))
def test_unknown_value_representation(voxcc, tmp_path, types):
    """GDCM takes the following bytes as a length of up to 4 GiB."""
    content = save(slice_of(image("u2")[0]), tmp_path / "a.dcm").read_bytes()
    at = content.index(b"\x08\0\x16\0UI") + 4
    (tmp_path / "a.dcm").write_bytes(content[:at] + types + b"\xf0\xff\xff\xff" + content[at + 6:])
    status, errors, memory = peak(voxcc, "info", tmp_path / "a.dcm")
    assert status == 65 and "(0008,0016) at byte" in errors and "does not define" in errors and memory < 100 << 20


def test_lengths_are_checked(voxcc, tmp_path):
    """Every length beyond the end of the file or of its sequence is an error."""
    made = frames(image("u2"), ExplicitVRLittleEndian)
    content = save(made, tmp_path / "a.dcm").read_bytes()
    for element in (b"\x28\0\x10\0US", b"\x20\0\x32\0DS"):
        at = content.index(element) + 6
        (tmp_path / "a.dcm").write_bytes(content[:at] + b"\xff\xff" + content[at + 2:])
        assert "element (" in voxcc.fails(65, "info", tmp_path / "a.dcm")
    for cut in range(132, len(content), 97):
        (tmp_path / "a.dcm").write_bytes(content[:cut])
        voxcc.fails(65, "info", tmp_path / "a.dcm")


@pytest.mark.parametrize("elements, text", (
    ({"BitsStored": 17}, "states 17 bits up to bit"), ({"BitsAllocated": 12}, "pixels of 12 bits are not read"),
    ({"Rows": 16}, "bytes of pixels, there are"), ({"NumberOfFrames": 5}, "bytes of pixels, there are"),
    ({"Rows": 65535, "Columns": 65535, "NumberOfFrames": 2147483647}, "more than 2^63 bytes"), ({"Rows": 0}, "extent"),
    ({"NumberOfFrames": 3}, "the header claims 1170 bytes of pixels, there are 1560"), ({"PixelRepresentation": 2}, "neither 0 nor 1"),
    ({"PixelRepresentation": None}, "states no sign of its pixels"),
    ({"PhotometricInterpretation": "MONOCHROME3"}, "photometric interpretation 'MONOCHROME3' is not known"),
    ({"SamplesPerPixel": 3}, "vectors or colours (3 components)"),
))
def test_contradictions(voxcc, tmp_path, elements, text):
    made = dataset(ImagePositionPatient=[0, 0, 0], ImageOrientationPatient=AXIAL)
    set_pixels(made, image("u2"))
    for name, value in elements.items():
        setattr(made, name, value)
    assert text in voxcc.fails(65, "info", save(made, tmp_path / "a.dcm"))


def test_repeated_element(voxcc, tmp_path):
    content = save(slice_of(image("u2")[0]), tmp_path / "a.dcm").read_bytes()
    (tmp_path / "a.dcm").write_bytes(content.replace(b"\x28\0\x02\x01US", b"\x28\0\x00\x01US"))
    assert "has the element (0028,0100) twice" in voxcc.fails(65, "info", tmp_path / "a.dcm")


def test_damaged_frames(voxcc, tmp_path):
    """Each damaged frame is an error, and no output is written."""
    array = image("u2", 12, (2, 37, 53))
    for syntax, encode in ((RLELossless, rle("u2")), (JPEG2000Lossless, LOSSLESS["j2k_u2"][3]), (JPEGLossless, LOSSLESS["ljpeg_12"][3])):
        for damage in (lambda code: code[:len(code) // 2 * 2 // 3], lambda code: bytes(len(code)), lambda code: b"\xff" * len(code)):
            made = frames(array, syntax, 12, lambda a: (damage(encode(a)) if (a == array[1]).all() else encode(a)))  # noqa: B023
            path = save(made, tmp_path / "a.dcm")
            voxcc.fails(65, "label", path, "-o", tmp_path / "out.nii")
            assert not (tmp_path / "out.nii").exists()


def test_claimed_size_of_compressed_frames(voxcc, tmp_path):
    for syntax, most in ((JPEG2000Lossless, 400 << 20), (RLELossless, 100 << 20)):
        made = slice_of(image("u2")[0], encode=lambda a: bytes(64))
        made.file_meta.TransferSyntaxUID = syntax
        made.Rows = made.Columns = 65535
        status, errors, memory = peak(voxcc, "label", save(made, tmp_path / "a.dcm"), "--stats", "-")
        assert status == 65 and "bytes of pixels" in errors and memory < most


def test_deflate_bomb(voxcc, tmp_path):
    """A deflated data set of up to 256 MiB is inflated; a longer one is refused."""
    made = slice_of(image("u2")[0])
    content = save(made, tmp_path / "a.dcm").read_bytes()
    made.file_meta.TransferSyntaxUID = DeflatedExplicitVRLittleEndian
    meta_end = save(made, tmp_path / "b.dcm").read_bytes().index(b"1.2.840.10008.1.2.1.99") + 22
    start = content.index(b"\x08\0\x16\0UI")
    (tmp_path / "b.dcm").write_bytes((tmp_path / "b.dcm").read_bytes()[:meta_end])
    coder = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = (tmp_path / "b.dcm").read_bytes()
    (tmp_path / "b.dcm").write_bytes(head + coder.compress(content[start:] + bytes(300 << 20)) + coder.flush())
    status, errors, memory = peak(voxcc, "info", tmp_path / "b.dcm")
    assert status == 65 and "deflated data set has more than 256 MiB" in errors and memory < 900 << 20
