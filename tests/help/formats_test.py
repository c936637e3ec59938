"""Tests docs/reference/formats.md. `formats_test.py --update` writes the page from the table of the program."""
import sys
import unittest

from helptext import ROOT, output

PAGE = ROOT / "docs" / "reference" / "formats.md"
INTRODUCTION = """# Table of file formats

For users who look for the extension of a file, or for the types of label volumes. `tests/help/formats_test.py --update`
writes this page; the table is the output of `voxcc help --format formats`.
[formats.md](../manual/formats.md) describes what voxcc reads of each format.

"""
END = """
- **also with**: compressions of the complete file, which follow the extension, as in `.nii.gz`.
- **pipes**: the volume can come from stdin or another pipe ([pipes](../manual/selectors.md#pipes-reading)).
- **slices**: the images of a folder of numbered slices can have this format.
- **outputs**: the extensions that voxcc writes ([outputs.md](../manual/outputs.md#formats-types-and-compression)).
  Numbered slices are TIFF.
- **types of labels**: voxcc chooses the smallest that is sufficient. Types in brackets need `--dtype`. OME-TIFF has no
  labels of 64 bits.
- Longer forms of an extension are left out: `.ome.tif` is TIFF, and `.ome.zarr` is Zarr.

See also: [formats](../manual/formats.md), [outputs](../manual/outputs.md), [selectors](../manual/selectors.md).
"""


def wanted():
    return INTRODUCTION + output("help", "--format", "formats") + END


class Formats(unittest.TestCase):
    def test_the_page_is_up_to_date(self):
        self.assertEqual(PAGE.read_text(), wanted(), "run: VOXCC=build/voxcc python3 tests/help/formats_test.py --update")

    def test_each_format_has_a_section(self):
        """The name or an extension of each format is in docs/manual/formats.md."""
        text = (ROOT / "docs" / "manual" / "formats.md").read_text()
        for line in output("help", "--format", "formats").splitlines()[2:]:
            name, extensions = (cell.strip() for cell in line.split("|")[1:3])
            words = [name, *extensions.replace("`", "").split()]
            self.assertTrue(any(word.lower() in text.lower() for word in words), line)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(wanted())
    else:
        unittest.main()
