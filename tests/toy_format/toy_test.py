"""A format that has one folder and one row in the table of formats is found everywhere. TOY_PROGRAM is the program with the format."""
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

TOY = os.environ["TOY_PROGRAM"]
VOXELS = bytes([1, 0, 1, 1, 0, 1])


class Toy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "a.toy").write_bytes(b"TOY1" + bytes([3, 2, 1]) + VOXELS)

    def run_toy(self, *arguments, code=0):
        done = subprocess.run([TOY, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def test_reading_and_stem(self):
        self.run_toy("label", "a.toy", "-c", "4", "-o", "{stem}_labels.npy")
        labels = (self.folder / "a_labels.npy").read_bytes()
        self.assertEqual(labels[-6:], bytes([1, 0, 2, 1, 0, 2]))

    def test_recognition_by_content(self):
        (self.folder / "a.toy").rename(self.folder / "b.data")
        self.assertIn("toy", self.run_toy("info", "b.data"))

    def test_short_form_of_the_command(self):
        """A first word with the extension of a volume is a file, not a command."""
        self.assertIn("write 'voxcc label missing.toy'", self.run_toy("missing.toy", code=64))

    def test_writing(self):
        self.run_toy("label", "a.toy", "-c", "4", "-o", "out.toy")
        self.assertEqual((self.folder / "out.toy").read_bytes(), b"TOY1" + bytes([3, 2, 1, 1, 0, 2, 1, 0, 2]))

    def test_truncated(self):
        (self.folder / "a.toy").write_bytes(b"TOY1" + bytes([3, 2, 1]) + VOXELS[:-1])
        self.assertIn("a.toy", self.run_toy("label", "a.toy", code=65))

    def test_errors(self):
        (self.folder / "unknown.foo").write_bytes(struct.pack("<4I", 1, 2, 3, 4))
        self.assertIn(".toy", self.run_toy("label", "unknown.foo", code=65))
        self.assertIn(".toy", self.run_toy("label", "a.toy", "-o", "out.foo", code=64))
        (self.folder / "several").mkdir()
        for name in ("a.toy", "b.toy"):
            (self.folder / "several" / name).write_bytes(b"TOY1")
        self.assertIn("2 toy files here; name them, as in several/*.toy", self.run_toy("label", "several", code=66))

    def test_help_and_page(self):
        self.assertIn("toy, NIfTI", self.run_toy("help", "--format", "markdown"))
        self.assertIn(".toy", self.run_toy("help", "label"))
        self.assertIn("| toy | `.toy` | | | | `.toy` | uint8 |", self.run_toy("help", "--format", "formats"))


if __name__ == "__main__":
    unittest.main()
