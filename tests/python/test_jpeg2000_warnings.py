"""Warnings of OpenJPEG that do not mean damaged data, and warnings that do."""

import struct

import imagecodecs
import numpy as np
import pytest
from jpeg2000_files import SHAPE, by_pillow, codestream_of, encode, samples, tile_parts, values

STYLE, CODE_BLOCKS, TRANSFORMATION = 4, 12, 8  # bytes of the marker COD
MAY_HAVE_MARKERS, PREDICTABLE = 2, 0x10


def with_style(codestream, offset, bits):
    changed = bytearray(codestream)
    changed[codestream.index(b"\xff\x52") + offset] |= bits
    return bytes(changed)


def packets_of(codestream):
    """The main header, and the packets of the only tile-part. Its marker PLT states their lengths."""
    head, (part,) = tile_parts(codestream)
    lengths, at = [0], part.index(b"\xff\x58")
    for byte in part[at + 5:at + 2 + int.from_bytes(part[at + 2:at + 4], "big")]:
        lengths[-1] = lengths[-1] << 7 | byte & 0x7f
        if byte < 0x80:
            lengths.append(0)
    data, packets = part[part.index(b"\xff\x93") + 2:], []
    for length in lengths[:-1]:
        packets.append(data[:length])
        data = data[length:]
    assert data == b"" and len(packets) > 4
    return head, packets


def with_markers(head, packets, numbers):
    """A codestream with markers before these packets."""
    data = b"".join((struct.pack(">HHH", 0xff91, 4, i) if i in numbers else b"") + packet for i, packet in enumerate(packets))
    part = struct.pack(">HHHIBBH", 0xff90, 10, 0, 14 + len(data), 0, 1, 0xff93) + data
    return with_style(head, STYLE, MAY_HAVE_MARKERS) + part + b"\xff\xd9"


@pytest.fixture(scope="module", name="packets")
def fixture_packets():
    return packets_of(codestream_of(by_pillow(samples("uint8", 8), plt=True, num_resolutions=3, quality_layers=[9, 4, 0], quality_mode="rates")))


def test_packet_markers_are_optional(voxcc, tmp_path, packets):
    head, bodies = packets
    for count in range(len(bodies) + 1):
        content = with_markers(head, bodies, range(count))
        (tmp_path / "a.j2k").write_bytes(content)
        np.testing.assert_array_equal(imagecodecs.jpeg2k_decode(content), samples("uint8", 8))
        np.testing.assert_array_equal(values(voxcc, tmp_path / "a.j2k", tmp_path), samples("uint8", 8))


def test_missing_packet_markers_are_refused(voxcc, tmp_path, packets):
    head, bodies = packets
    for missing in range(len(bodies) - 1):
        (tmp_path / "a.j2k").write_bytes(with_markers(head, bodies, [i for i in range(len(bodies)) if i != missing]))
        assert "a packet marker is missing" in voxcc.fails(65, "verify", tmp_path / "a.j2k")


def test_truncation_is_an_error_with_optional_markers(voxcc, tmp_path, packets):
    head, bodies = packets
    for numbers in ((), (0, 1), range(len(bodies))):
        content = with_markers(head, bodies, numbers)
        for cut in range(len(head), len(content), 1 + len(content) // 25):
            (tmp_path / "a.j2k").write_bytes(content[:cut])
            voxcc.fails(65, "verify", tmp_path / "a.j2k")
        for less in (1, 7, 50):
            (tmp_path / "a.j2k").write_bytes(with_markers(head, [*bodies[:-1], bodies[-1][:-less]], numbers))
            voxcc.fails(65, "verify", tmp_path / "a.j2k")


def test_look_ahead_of_the_decoder_is_not_damage(voxcc, tmp_path):
    """The last byte of the code block is 0xff, as some encoders write it. The decoder reads 3 bytes ahead, and all values are right."""
    path = tmp_path / "a.j2k"
    for rows, edge, expected in ((26, 16, 0), (24, 14, 65)):
        array = np.where(np.indices((32, 32))[0] > rows, 200, edge).astype(np.uint8)
        content = codestream_of(by_pillow(array, num_resolutions=1, no_jp2=True))
        content = bytearray(with_style(content, CODE_BLOCKS, PREDICTABLE))
        content[-3] = 0xff
        path.write_bytes(content)
        if expected == 0:
            np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)
        else:
            assert (imagecodecs.jpeg2k_decode(bytes(content)) != array).any()
            assert "PTERM check failure" in voxcc.fails(65, "verify", path)


@pytest.mark.parametrize("channels", [1, 2])
def test_transformation_of_three_colours_without_colours(voxcc, tmp_path, channels):
    array, path = samples("uint8", 8, (*SHAPE, channels)), tmp_path / "a.j2k"
    path.write_bytes(with_style(codestream_of(encode(array.squeeze(), "j2k", mct=False)), TRANSFORMATION, 1))
    np.testing.assert_array_equal(imagecodecs.jpeg2k_decode(path.read_bytes()).reshape(array.shape), array)
    for channel in range(channels):
        np.testing.assert_array_equal(values(voxcc, path, tmp_path, f"[{channel}]" if channels > 1 else ""), array[..., channel])
