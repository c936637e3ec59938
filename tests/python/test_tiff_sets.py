"""OME-TIFF sets of several files, compared with tifffile, and sets that are incomplete or hostile."""

import os
import uuid

import numpy as np
import pytest
import tifffile
from helpers import noise, sha256
from tiff_files import voxels

SIZES = {"C": 2, "Z": 3, "T": 2}
SHAPE = (11, 14)


def stack(seed=1):
    """[T, C, Z, Y, X]"""
    return np.random.default_rng(seed).integers(0, 200, (SIZES["T"], SIZES["C"], SIZES["Z"], *SHAPE)).astype(np.uint16)


def blocks_text(blocks):
    text = ""
    for block in blocks:
        attributes = " ".join(f'{name}="{value}"' for name, value in block.items() if name not in ("file", "uuid"))
        inside = f'<UUID FileName="{block["file"]}">{block.get("uuid", "")}</UUID>' if "file" in block else ""
        text += f"<TiffData {attributes}>{inside}</TiffData>"
    return text


def ome(blocks, own_uuid="", sizes=SIZES, more=""):
    sized = " ".join(f'Size{axis}="{sizes[axis]}"' for axis in "CZT")
    own = f' UUID="{own_uuid}"' if own_uuid else ""
    return ('<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"' + own + ">" + more
            + f'<Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" SizeX="{SHAPE[1]}" SizeY="{SHAPE[0]}" {sized} '
            + 'PhysicalSizeX="0.5" PhysicalSizeY="0.5" PhysicalSizeZ="2"><Channel ID="Channel:0:0" SamplesPerPixel="1"/>'
            + f'<Channel ID="Channel:0:1" SamplesPerPixel="1"/>{blocks_text(blocks)}</Pixels></Image></OME>')


def write_page_file(path, pages, text):
    tifffile.imwrite(path, pages, description=text, metadata=None, photometric="minisblack")


def write_set(folder, array, split, uuids=True):
    """One file per time point, channel or plane. Every file has the complete OME-XML with its own UUID. Returns the names."""
    names = {"T": [f"set_t{t}.ome.tif" for t in range(2)], "C": [f"set c{c}.ome.tif" for c in range(2)],
             "plane": [f"p{n}.ome.tif" for n in range(12)]}[split]
    ids = {name: f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_DNS, name)}" for name in names}
    content, blocks = {name: [] for name in names}, []
    for t in range(2):
        for c in range(2):
            for z in range(3):
                name = names[{"T": t, "C": c, "plane": (t * 2 + c) * 3 + z}[split]]
                block = {"FirstZ": z, "FirstC": c, "FirstT": t, "IFD": len(content[name]), "PlaneCount": 1, "file": name}
                blocks.append(block | ({"uuid": ids[name]} if uuids else {}))
                content[name].append(array[t, c, z])
    for name in names:
        write_page_file(folder / name, np.stack(content[name]), ome(blocks, ids[name] if uuids else ""))
    return names


@pytest.mark.parametrize("uuids", (True, False))
@pytest.mark.parametrize("split", ("T", "C", "plane"))
def test_sets(voxcc, tmp_path, split, uuids):
    array = stack()
    names = write_set(tmp_path, array, split, uuids)
    if uuids:  # tifffile finds files by UUID only
        np.testing.assert_array_equal(tifffile.imread(tmp_path / names[0]).reshape(array.shape), array)
    for name in (names[0], names[-1]):
        for t in range(2):
            for c in range(2):
                read = voxels(voxcc, tmp_path, f"{tmp_path / name}[c={c},t={t}]", "--allow-external")
                np.testing.assert_array_equal(read, array[t, c])
    info = voxcc("info", tmp_path / names[0], "--no-range", "--allow-external").stdout
    assert "volumes      4\n" in info and "axes         Z 3  C 2  T 2\n" in info
    assert "2 channels (C), 2 time points (T)" in voxcc.fails(64, "label", tmp_path / names[0], "--allow-external")
    voxcc("verify", tmp_path / names[0], "--allow-external", "--volume", "all")


def test_the_option_is_needed(voxcc, tmp_path):
    names = write_set(tmp_path, stack(), "T")
    for command in ("label", "info", "verify"):
        error = voxcc.fails(65, command, tmp_path / names[0]) if command != "verify" else voxcc("verify", tmp_path / names[0], expect=65).stderr
        assert f"is one of several files; its planes are also in '{names[1]}'; read it with --allow-external" in error


def test_no_output_replaces_a_file_of_the_set(voxcc, tmp_path):
    names = write_set(tmp_path, stack(), "plane")
    before = sha256(tmp_path / names[5])
    voxcc.fails(73, "label", f"{tmp_path / names[0]}[0]", "--allow-external", "-o", tmp_path / names[5], "--force")
    assert sha256(tmp_path / names[5]) == before


def test_missing_and_exchanged_files(voxcc, tmp_path):
    names = write_set(tmp_path, stack(), "plane")
    (tmp_path / names[7]).rename(tmp_path / "other.tif")
    error = voxcc.fails(66, "label", f"{tmp_path / names[0]}[0]", "--allow-external")
    assert f"is one of several files, and '{names[7]}' is missing; put the missing file in the same folder" in error
    (tmp_path / names[7]).write_bytes((tmp_path / names[6]).read_bytes())
    error = voxcc.fails(65, "label", f"{tmp_path / names[0]}[0]", "--allow-external")
    assert f"'{names[7]}' is not the file that its OME-XML names" in error
    write_page_file(tmp_path / names[7], np.zeros((1, 11, 15), np.uint16), "no OME-XML")
    assert "all pages of a volume have one size and type" in voxcc.fails(65, "label", f"{tmp_path / names[0]}[0]", "--allow-external")
    write_page_file(tmp_path / names[7], stack()[0, 0, :1], "no OME-XML")
    voxcc("label", f"{tmp_path / names[0]}[0]", "--allow-external")
    (tmp_path / names[7]).write_bytes((tmp_path / names[7]).read_bytes()[:200])
    voxcc.fails(65, "label", f"{tmp_path / names[0]}[0]", "--allow-external")
    (tmp_path / names[7]).unlink()
    os.mkfifo(tmp_path / names[7])
    voxcc.fails(66, "label", f"{tmp_path / names[0]}[0]", "--allow-external", timeout=20)


def two_files(folder, second, first="a.ome.tif", **block):
    """a.ome.tif with one plane of its own and one plane in the file `second`."""
    blocks = [{"FirstZ": 0, "IFD": 0, "PlaneCount": 1, "file": first, "uuid": "urn:uuid:1"},
              {"FirstZ": 1, "IFD": 0, "PlaneCount": 1, "file": second, "uuid": "urn:uuid:2"} | block]
    write_page_file(folder / "a.ome.tif", stack()[0, 0, :1], ome(blocks, "urn:uuid:1", {"C": 1, "Z": 2, "T": 1}))


def test_only_files_of_the_folder(voxcc, tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir(), outside.mkdir()
    plane = stack()[0, 0, 1:2]
    write_page_file(outside / "b.tif", plane, "")
    write_page_file(inside / "b.tif", plane, "")
    two_files(inside, "b.tif")
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, inside / "a.ome.tif", "--allow-external"), stack()[0, 0, :2])
    os.symlink(outside / "b.tif", inside / "link.tif")
    os.symlink(inside / "b.tif", inside / "near.tif")
    os.symlink("/dev/zero", inside / "zero.tif")
    for name in ("../out/b.tif", str(outside / "b.tif"), "link.tif", "..", ".", "", "..\\b.tif", "./b.tif", "zero.tif"):
        two_files(inside, name)
        error = voxcc.fails(65, "label", inside / "a.ome.tif", "--allow-external")
        assert f"its OME-XML names '{name}', which is not in its folder" in error
    two_files(inside, "near.tif")
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, inside / "a.ome.tif", "--allow-external"), stack()[0, 0, :2])
    two_files(inside, "in")
    (inside / "in").mkdir()
    voxcc.fails(65, "label", inside / "a.ome.tif", "--allow-external")


def test_links_to_all_files_of_a_set(voxcc, tmp_path):
    """Pipelines make links to their inputs in the folder of the job."""
    (tmp_path / "data").mkdir(), (tmp_path / "job").mkdir()
    array = stack()
    for name in write_set(tmp_path / "data", array, "T"):
        os.symlink(tmp_path / "data" / name, tmp_path / "job" / name)
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, f"{tmp_path / 'job' / 'set_t0.ome.tif'}[c=1,t=1]", "--allow-external"), array[1, 1])


@pytest.mark.parametrize("block", [{"IFD": 1}, {"IFD": 0, "PlaneCount": 2}, {"FirstZ": 2}, {"FirstZ": 0}, {"IFD": 9223372036854775807}, {"IFD": -1},
                                   {"PlaneCount": 0}, {"PlaneCount": 9223372036854775807}, {"PlaneCount": "x"}, {"FirstC": 1}])
def test_wrong_numbers(voxcc, tmp_path, block):
    write_page_file(tmp_path / "b.tif", stack()[0, 0, 1:2], "")
    two_files(tmp_path, "b.tif", **block)
    assert "OME-XML: " in voxcc.fails(65, "label", tmp_path / "a.ome.tif", "--allow-external", "-o", tmp_path / "out.nii")
    assert not (tmp_path / "out.nii").exists()


def test_a_renamed_single_file_needs_no_option(voxcc, tmp_path):
    array = stack()[:1, :1]
    blocks = [{"FirstZ": z, "IFD": z, "PlaneCount": 1, "file": "old name.ome.tif", "uuid": "urn:uuid:1"} for z in range(3)]
    for own in ("urn:uuid:1", ""):
        write_page_file(tmp_path / "new.tif", array[0, 0], ome(blocks, own, {"C": 1, "Z": 3, "T": 1}))
        np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "new.tif"), array[0, 0])
    del blocks[2]
    write_page_file(tmp_path / "new.tif", array[0, 0], ome(blocks, "urn:uuid:1", {"C": 1, "Z": 3, "T": 1}))
    assert "TiffData leaves out 1 plane" in voxcc.fails(65, "label", tmp_path / "new.tif")


def test_all_pages_of_a_file_without_a_number(voxcc, tmp_path):
    """TiffData without IFD and PlaneCount names all pages of its file."""
    array = stack()[0, 0]
    write_page_file(tmp_path / "b.tif", array[1:], "")
    blocks = [{"FirstZ": 0, "file": "a.ome.tif"}, {"FirstZ": 1, "file": "b.tif"}]
    write_page_file(tmp_path / "a.ome.tif", array[:1], ome(blocks, "", {"C": 1, "Z": 3, "T": 1}))
    np.testing.assert_array_equal(voxels(voxcc, tmp_path, tmp_path / "a.ome.tif", "--allow-external"), array)


def test_metadata_in_another_file(voxcc, tmp_path):
    text = '<OME xmlns="x"><BinaryOnly MetadataFile="master.companion.ome" UUID="urn:uuid:3"/></OME>'
    write_page_file(tmp_path / "a.ome.tif", stack()[0, 0], text)
    assert "its metadata are in 'master.companion.ome'" in voxcc.fails(65, "label", tmp_path / "a.ome.tif")


BOMB = ('<?xml version="1.0"?><!DOCTYPE OME [<!ENTITY a "aaaaaaaaaa">'
        + "".join(f'<!ENTITY {chr(98 + n)} "{("&" + chr(97 + n) + ";") * 10}">' for n in range(12)) + "]><OME >&m;</OME>")


@pytest.mark.parametrize("text", [BOMB, '<?xml version="1.0"?><!DOCTYPE OME SYSTEM "file:///etc/passwd"><OME ></OME>', "<OME ><Image>", "<OME \0", "<OME ></OME><OME >",
                                  "<OME >" + "<a>" * 100000, ome([]).replace('SizeC="2"', 'SizeC="99999999999999999999"'),
                                  ome([]).replace('SizeZ="3"', 'SizeZ="4611686018427387904"'), ome([{"file": "a" * 5000}, {"file": "b"}])],
                         ids=("entities", "external entity", "open", "nul", "two roots", "deep", "overflow", "product", "long name"))
def test_hostile_ome_xml(voxcc, tmp_path, text):
    tifffile.imwrite(tmp_path / "a.ome.tif", noise((12, *SHAPE), 0.3), description=text.encode(), metadata=None, photometric="minisblack")
    voxcc.fails(66 if "aaaaa" * 100 in text else 65, "label", tmp_path / "a.ome.tif", "--allow-external", "-o", tmp_path / "out.nii", timeout=20)


def write_companion_set(folder, array, split):
    """The OME-XML is in a file of its own, and each TIFF states only its UUID and the name of this file."""
    names = write_set(folder, array, split)
    with tifffile.TiffFile(folder / names[0]) as tiff:
        text = tiff.pages[0].description
    companion = folder / "set.companion.ome"
    companion.write_text(text.replace(f'UUID="urn:uuid:{uuid.uuid5(uuid.NAMESPACE_DNS, names[0])}"', 'UUID="urn:uuid:companion"', 1))
    for name in names:
        binary_only = (f'<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:{uuid.uuid5(uuid.NAMESPACE_DNS, name)}">'
                       '<BinaryOnly MetadataFile="set.companion.ome" UUID="urn:uuid:companion"/></OME>')
        pages = tifffile.imread(folder / name, is_ome=False).reshape(-1, *SHAPE)
        write_page_file(folder / name, pages, binary_only)
    return companion, names


@pytest.mark.parametrize("split", ("T", "C", "plane"))
def test_companion_files(voxcc, tmp_path, split):
    array = stack()
    companion, names = write_companion_set(tmp_path, array, split)
    for t in range(2):
        for c in range(2):
            np.testing.assert_array_equal(voxels(voxcc, tmp_path, f"{companion}[c={c},t={t}]", "--allow-external"), array[t, c])
    info = voxcc("info", companion, "--no-range", "--allow-external").stdout
    assert "volumes      4\n" in info and "axes         Z 3  C 2  T 2\n" in info and "spacing_um   0.5  0.5  2.0" in info
    voxcc("verify", companion, "--allow-external", "--volume", "all")
    voxcc("label", f"{companion}[0]", "--allow-external", "-o", tmp_path / "{stem}.nii")
    assert [path.name for path in tmp_path.glob("*.nii")] == ["set_0.nii"]
    assert "read it with --allow-external" in voxcc.fails(65, "label", f"{companion}[0]")
    for options in ([], ["--allow-external"]):
        line = voxcc.fails(65, "label", tmp_path / names[0], *options)
        assert "its metadata are in 'set.companion.ome'; give the name of that file" in line
    for victim in (companion, tmp_path / names[-1]):
        before = sha256(victim)
        voxcc.fails(73, "label", f"{companion}[0]", "--allow-external", "--stats", victim, "--force")
        assert sha256(victim) == before


def test_damaged_companion_files(voxcc, tmp_path):
    companion, names = write_companion_set(tmp_path, stack(), "T")
    text = companion.read_text()
    for wrong, code, cause in (
        ("", 65, "the file is empty"), ("plain text", 65, "is not OME-XML"), (text[:300], 65, "not well-formed"),
        (text.replace("set_t0.ome.tif", "none.ome.tif"), 66, "'none.ome.tif' is missing"), (text.replace("set_t0", "../set_t0"), 65, "not in its folder"),
        (ome([]), 65, "names no TIFF file"), (ome([{"FirstZ": 0, "IFD": 0}]), 65, "names no TIFF file"),
        (text.replace('SizeZ="3"', 'SizeZ="4"'), 65, "planes"),
    ):
        companion.write_text(wrong)
        assert cause in voxcc.fails(code, "label", f"{companion}[0]", "--allow-external"), cause
