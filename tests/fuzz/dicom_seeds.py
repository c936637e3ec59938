"""Seeds of the target dicom: slices, multi-frame objects with functional groups, and compressed pixels."""
import struct
import zlib

IMPLICIT, EXPLICIT, BIG, DEFLATED = "1.2.840.10008.1.2", "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.2", "1.2.840.10008.1.2.1.99"
RLE, STORED = "1.2.840.10008.1.2.5", "1.2.840.10008.1.2.1.98"
LONG = ("OB", "OD", "OF", "OV", "OW", "SQ", "UN")
OPEN = 0xFFFFFFFF
AXIAL = "1\\0\\0\\0\\1\\0"
AXES = {(0x0020, 0x9116): ("SQ", [{(0x0020, 0x0037): ("DS", AXIAL)}]), (0x0028, 0x9110): ("SQ", [{(0x0028, 0x0030): ("DS", "0.5\\0.25"), (0x0018, 0x0050): ("DS", "3")}])}


class Encoder:
    """Writes elements. Every second sequence has no length, so that both forms occur."""

    def __init__(self, syntax):
        self.order = ">" if syntax == BIG else "<"
        self.has_types = syntax != IMPLICIT
        self.sequences = 0

    def header(self, tag, kind, length):
        if not self.has_types:
            return struct.pack(self.order + "HHI", *tag, length)
        if kind in LONG:
            return struct.pack(self.order + "HH2sHI", *tag, kind.encode(), 0, length)
        return struct.pack(self.order + "HH2sH", *tag, kind.encode(), length)

    def item(self, tag, length):
        return struct.pack(self.order + "HHI", 0xFFFE, tag, length)

    def value(self, kind, value):
        codes = {"US": "H", "UL": "I", "FD": "d", "FL": "f", "AT": "HH"}
        if kind in codes:
            numbers = value if isinstance(value, (list, tuple)) else [value]
            return struct.pack(self.order + codes[kind] * (len(numbers) // len(codes[kind])), *numbers)
        content = value.encode() if isinstance(value, str) else value
        return content + (b"\0" if kind in ("UI", "OB") else b" ") * (len(content) % 2)

    def sequence(self, tag, sets):
        self.sequences += 1
        is_open = self.sequences % 2 == 0
        content = b""
        for elements in sets:
            inner = self.elements(elements)
            content += self.item(0xE000, OPEN) + inner + self.item(0xE00D, 0) if is_open else self.item(0xE000, len(inner)) + inner
        if is_open:
            return self.header(tag, "SQ", OPEN) + content + self.item(0xE0DD, 0)
        return self.header(tag, "SQ", len(content)) + content

    def elements(self, elements):
        content = b""
        for tag, (kind, value) in sorted(elements.items()):
            if kind == "SQ":
                content += self.sequence(tag, value)
            else:
                stored = self.value(kind, value)
                content += self.header(tag, kind, len(stored)) + stored
        return content


def dicom(syntax, elements, pixels, fragments=None):
    """A file. pixels: the element of the pixel data, or its tag if there are fragments."""
    encoder = Encoder(syntax)
    meta = Encoder(EXPLICIT).elements({(2, 0x10): ("UI", syntax)})
    data = encoder.elements({**elements, **({} if fragments else pixels)})
    if fragments:
        data += encoder.header((0x7FE0, 0x0010), "OB", OPEN) + b"".join(encoder.item(0xE000, len(f)) + f for f in fragments) + encoder.item(0xE0DD, 0)
    if syntax == DEFLATED:
        coder = zlib.compressobj(9, zlib.DEFLATED, -15)
        data = coder.compress(data) + coder.flush()
    return bytes(128) + b"DICM" + meta + data


def image(bits=16, frames=1, **others):
    elements = {(0x0008, 0x0016): ("UI", "1.2.840.10008.5.1.4.1.1.2"), (0x0028, 0x0002): ("US", 1), (0x0028, 0x0004): ("CS", "MONOCHROME2"), (0x0028, 0x0010): ("US", 4),
                (0x0028, 0x0011): ("US", 4), (0x0028, 0x0100): ("US", bits), (0x0028, 0x0101): ("US", bits), (0x0028, 0x0102): ("US", bits - 1), (0x0028, 0x0103): ("US", 0)}
    if frames > 1:
        elements[0x0028, 0x0008] = ("IS", str(frames))
    return {**elements, **others}


def native(bits, frames=1, kind="OW"):
    count = 16 * frames * bits // 8
    return {(0x7FE0, 0x0010): (kind, bytes(i * 37 % 251 for i in range(count)))}


def grouped(bits, groups, shared=AXES, **others):
    return {**image(bits, len(groups)), (0x5200, 0x9229): ("SQ", [shared]), (0x5200, 0x9230): ("SQ", groups), **others}


def group(position, **others):
    found = {(0x0020, 0x9113): ("SQ", [{(0x0020, 0x0032): ("DS", f"1\\2\\{position}")}])}
    names = {"content": (0x0020, 0x9111), "slope": (0x0028, 0x9145), "segment": (0x0062, 0x000A), "echo": (0x0018, 0x9114), "diffusion": (0x0018, 0x9117)}
    for name, elements in others.items():
        found[names[name]] = ("SQ", [elements])
    return found


def rle(frame):
    planes = [frame[1::2], frame[0::2]]
    segments = [bytes([len(plane) - 1]) + plane + b"\x80" * ((len(plane) + 1) % 2) for plane in planes]
    return struct.pack("<16I", 2, 64, 64 + len(segments[0]), *[0] * 13) + b"".join(segments)


def add_dicom(seeds):
    place = {(0x0020, 0x0032): ("DS", "1\\2\\3"), (0x0020, 0x0037): ("DS", AXIAL), (0x0028, 0x0030): ("DS", "0.5\\0.25"), (0x0018, 0x0050): ("DS", "3"),
             (0x0028, 0x1052): ("DS", "-1024"), (0x0028, 0x1053): ("DS", "1")}
    for name, syntax in (("implicit", IMPLICIT), ("explicit", EXPLICIT), ("big", BIG), ("deflated", DEFLATED)):
        seeds.add("dicom", name, dicom(syntax, {**image(), **place}, native(16)))
    slopes = [group(3 * k, slope={(0x0028, 0x1052): ("DS", "0"), (0x0028, 0x1053): ("DS", str(k / 2))}) for k in (2, 1, 3)]
    seeds.add("dicom", "slopes", dicom(EXPLICIT, grouped(8, slopes), native(8, 3, "OB")))
    times = [group(3 * k, content={(0x0020, 0x9128): ("UL", t), (0x0020, 0x9056): ("SH", "1"), (0x0020, 0x9157): ("UL", [1, t])}) for k in (0, 1) for t in (1, 2)]
    listed = {(0x0020, 0x9222): ("SQ", [{(0x0020, 0x9165): ("AT", [0x0020, 0x9056])}, {(0x0020, 0x9165): ("AT", [0x0018, 0x9327])}])}
    seeds.add("dicom", "times", dicom(IMPLICIT, {**grouped(16, times), **listed}, native(16, 4)))
    echoes = [group(3 * k, echo={(0x0018, 0x9082): ("FD", 2.5 * e)}, diffusion={(0x0018, 0x9087): ("FD", 100.0 * e)}) for e in (1, 2) for k in (0, 1)]
    seeds.add("dicom", "echoes", dicom(BIG, grouped(16, echoes), native(16, 4)))
    segments = [group(3 * k, segment={(0x0062, 0x000B): ("US", s)}) for s, k in ((1, 0), (1, 2), (2, 3))]
    segmentation = {**grouped(1, segments), (0x0008, 0x0016): ("UI", "1.2.840.10008.5.1.4.1.1.66.4")}
    seeds.add("dicom", "segments", dicom(EXPLICIT, segmentation, native(1, 3, "OB")))
    dose = {**image(32, 3), **place, (0x0008, 0x0060): ("CS", "RTDOSE"), (0x3004, 0x000C): ("DS", "0\\3\\6"), (0x3004, 0x000E): ("DS", "1e-6")}
    seeds.add("dicom", "dose", dicom(EXPLICIT, dose, native(32, 3)))
    nuclear = {**image(8, 4), (0x0008, 0x0008): ("CS", "ORIGINAL\\PRIMARY\\RECON TOMO"), (0x0018, 0x0088): ("DS", "-3"), (0x0028, 0x0030): ("DS", "1\\1"),
               (0x0054, 0x0010): ("US", [1, 1, 2, 2]), (0x0054, 0x0080): ("US", [1, 2, 1, 2]),
               (0x0054, 0x0022): ("SQ", [{(0x0020, 0x0032): ("DS", "1\\2\\3"), (0x0020, 0x0037): ("DS", AXIAL)}])}
    seeds.add("dicom", "nuclear", dicom(EXPLICIT, nuclear, native(8, 4, "OB")))
    real = {(0x7FE0, 0x0008): ("OF", struct.pack("<16f", *range(16)))}
    seeds.add("dicom", "float", dicom(EXPLICIT, image(32), real))
    frames = [bytes(i * 37 % 251 for i in range(32)), bytes(32)]
    seeds.add("dicom", "rle", dicom(RLE, image(16, 2), None, [b"", *map(rle, frames)]))
    offsets = struct.pack("<2I", 0, 48)
    seeds.add("dicom", "fragments", dicom(STORED, image(16, 2), None, [offsets, frames[0][:16], frames[0][16:], frames[1]]))
    seeds.add("dicom", "report", dicom(EXPLICIT, {(0x0008, 0x0016): ("UI", "1.2.840.10008.5.1.4.1.1.88.22")}, {}))
