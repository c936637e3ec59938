"""Tests docs/reference/columns.md. `columns_test.py --update` writes the page from the tables of the program."""
import sys
import unittest

from helptext import ROOT, output, run

PAGE = ROOT / "docs" / "reference" / "columns.md"
HEAD = "| column | meaning | formula | unit |\n"
INTRODUCTION = """# Columns of the table of components

For users who look for the meaning of a column. `tests/help/columns_test.py --update` writes this page; the tables are
the output of `voxcc help --format columns`. [table.md](../manual/table.md) describes rows, positions and options.

- The names are the names for files in millimetres. Names and values follow the unit of the file, or `--units`.
- N is the number of voxels of the component. The affine `A` of the file maps (i, j, k) to (x, y, z), and A3 is its left
  3x3 part. C is the covariance of the voxel centres p around the centroid m.
- v are the values of an image, and n is the number of voxels that are not NaN. m2, m3 and m4 are central moments.
- n_d is the number of pairs of voxels of the component in direction d, w_d the weight of d, V the volume of a voxel
  ([measures.md](../manual/measures.md#neighbouring-pairs)).

"""
END = """
## When a value is n/a
| columns | reason |
|---|---|
| volume, area, positions, covariance and axes, `elongation`, `flatness` | the affine is singular or not finite |
| surface, perimeter, diameters and axes of `--shape` | the affine is singular or not finite |
| `volume_*`, `surface_*` | the row is a 2D image, in a table of images and volumes |
| `area_*`, `perimeter_*` | the row is a volume, in a table of images and volumes |
| measures along an axis, axes, `elongation`, `flatness`, `extent`, `feret_*` | the component wraps around the axis |
| all intensity columns | every voxel of the component is NaN in the image |
| `weighted_centroid_*` | the values add up to 0 |
| mean, standard deviation, sum, weighted centroid, `skewness`, `kurtosis` | a value in the component is infinite |
| `skewness`, `kurtosis` | all values are equal, or differ by more than about 1e77 or less than about 1e-77 |

See also: [table.md](../manual/table.md), [measures.md](../manual/measures.md) (shape),
[names in other tools](../manual/glossary.md#columns-libraries), [units](../manual/geometry.md).
"""


def wanted():
    return INTRODUCTION + output("help", "--format", "columns") + END


class Columns(unittest.TestCase):
    def test_the_page_is_up_to_date(self):
        self.assertEqual(PAGE.read_text(), wanted(), "run: VOXCC=build/voxcc python3 tests/help/columns_test.py --update")

    def test_each_section_has_a_table(self):
        tables = output("help", "--format", "columns")
        self.assertEqual(tables.count(HEAD), tables.count("## "))

    def test_a_command_has_no_columns(self):
        done = run("help", "label", "--format", "columns")
        self.assertEqual((done.returncode, done.stdout), (64, ""))
        self.assertIn("leave out the command", done.stderr)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(wanted())
    else:
        unittest.main()
