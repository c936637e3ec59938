"""The program loads libraries from absolute folders only. A file in the current folder must never be loaded as a library."""

import os
import re

import pytest
from PIL import Image


@pytest.mark.parametrize("arguments", [["--version"], ["info", "photo.png"]], ids=["program", "module of ITK"])
def test_no_library_is_searched_in_the_current_folder(voxcc, tmp_path, arguments):
    Image.new("L", (4, 4)).save(tmp_path / "photo.png")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")} | {"LD_DEBUG": "libs"}
    done = voxcc(*arguments, cwd=tmp_path, env=environment)
    tried = re.findall(r"trying file=(\S+)", done.stderr)
    assert tried and [path for path in tried if not path.startswith("/")] == []
