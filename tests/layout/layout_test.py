"""Tests check_includes.py and check_headers.py on small trees in a temporary folder. Needs only Python and a C++ compiler."""
import contextlib
import io
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import check_headers
import check_includes

RULES = """# Architecture
## Dependency rules
| module | folder | may include |
|---|---|---|
| api | `include/voxcc/` | |
| exec | `kernels3d/exec/` | api |
| engine | `kernels3d/` | api, exec |
| main | `kernels3d/program/` | `kernels3d/label.h` |

| text | only in |
|---|---|
| `__CUDA_ARCH__` | exec |

### Known exceptions
"""
FILES = {
    "include/voxcc/volume.h": "#pragma once\n",
    "kernels3d/exec/tile.h": "#include <voxcc/volume.h>\n#ifdef __CUDA_ARCH__\n#endif\n",
    "kernels3d/label.h": '#include "kernels3d/exec/tile.h"\n#include <vector>\n',
    "kernels3d/program/main.cpp": '#include <vector>\n#include "kernels3d/label.h"\n',
}


class Tree(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.write({"docs/develop/architecture/dependencies.md": RULES, **FILES})

    def write(self, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")

    def add_rule(self, text):
        self.write({"docs/develop/architecture/dependencies.md": RULES + text})


class Includes(Tree):
    def expect(self, *errors):
        found = check_includes.check(self.root)
        self.assertEqual(len(found), len(errors), found)
        for line, parts in zip(found, errors):
            for part in parts:
                self.assertIn(part, line)

    def test_a_tree_that_follows_the_rules_has_no_violations(self):
        self.expect()

    def test_a_forbidden_include_is_reported_with_file_line_and_rule(self):
        self.write({"kernels3d/exec/tile.h": '#include <voxcc/volume.h>\n\n#  include "kernels3d/union.h"\n', "kernels3d/union.h": ""})
        self.expect(["kernels3d/exec/tile.h:3: ", "module 'exec' must not include 'kernels3d/union.h' of module 'engine'", "docs/develop/architecture/dependencies.md:6"])

    def test_angle_brackets_are_checked_like_quotes(self):
        self.write({"include/voxcc/volume.h": "#include <kernels3d/union.h>\n", "kernels3d/union.h": ""})
        self.expect(["include/voxcc/volume.h:1: module 'api'"])

    def test_a_module_that_may_include_one_file_may_not_include_others(self):
        self.write({"kernels3d/program/main.cpp": '#include "kernels3d/label.h"\n#include "kernels3d/union.h"\n', "kernels3d/union.h": ""})
        self.expect(["kernels3d/program/main.cpp:2: module 'main' must not include 'kernels3d/union.h'"])

    def test_a_known_exception_is_accepted(self):
        self.write({"kernels3d/exec/tile.h": '#include "kernels3d/union.h"\n', "kernels3d/union.h": ""})
        self.add_rule("- `kernels3d/exec/tile.h` includes `kernels3d/union.h`\n")
        self.expect()

    def test_a_stale_exception_is_an_error(self):
        self.add_rule("- `kernels3d/exec/tile.h` includes `kernels3d/label.h`\n")
        self.expect(["docs/develop/architecture/dependencies.md:15: ", "no longer occurs"])

    def test_a_text_outside_its_module_is_reported_unless_it_is_a_comment(self):
        self.write({"kernels3d/label.h": "// not __CUDA_ARCH__\n#ifdef __CUDA_ARCH__\n#endif\n"})
        self.expect(["kernels3d/label.h:2: '__CUDA_ARCH__' may appear only in exec"])
        self.add_rule("- `kernels3d/label.h` contains `__CUDA_ARCH__`\n")
        self.expect()

    def test_a_group_stands_for_modules_and_files(self):
        groups = "| group | stands for |\n|---|---|\n| lower | api, exec, `kernels3d/label.h` |\n\n| module"
        rules = RULES.replace("| module", groups).replace("| `kernels3d/label.h` |", "| lower |").replace("| exec |\n\n###", "| lower |\n\n###")
        self.write({"docs/develop/architecture/dependencies.md": rules})
        self.expect()
        self.write({"docs/develop/architecture/dependencies.md": rules.replace("| lower | api, exec, `kernels3d/label.h` |", "| lower | api, exec |")})
        self.expect(["kernels3d/program/main.cpp:2: module 'main' must not include 'kernels3d/label.h'"])

    def test_a_group_with_the_name_of_a_module_is_an_error(self):
        self.add_rule("\n| group | stands for |\n|---|---|\n| exec | api |\n")
        with self.assertRaisesRegex(check_includes.RulesError, "dependencies.md:6: 'exec' is a module and a group"):
            check_includes.check(self.root)

    def test_a_cycle_between_files_is_reported(self):
        self.write({"kernels3d/a.h": '#include "b.h"\n', "kernels3d/b.h": '#include "a.h"\n'})
        self.expect(["kernels3d/a.h:1: include cycle between files: kernels3d/a.h > kernels3d/b.h > kernels3d/a.h"])

    def test_a_cycle_between_modules_is_reported(self):
        self.write({"docs/develop/architecture/dependencies.md": RULES.replace("| exec | `kernels3d/exec/` | api |", "| exec | `kernels3d/exec/` | api, engine |"),
                    "kernels3d/exec/tile.h": '#include "kernels3d/union.h"\n', "kernels3d/union.h": ""})
        self.expect(["include cycle between folders: kernels3d > kernels3d/exec > kernels3d"], ["include cycle between modules: engine > exec > engine"], ["the table permits a cycle between modules: engine > exec > engine"])

    def test_a_cycle_between_folders_of_one_module_is_reported(self):
        self.write({"kernels3d/a.h": '#include "kernels3d/cpu/b.h"\n', "kernels3d/cpu/b.h": '#include "kernels3d/c.h"\n', "kernels3d/c.h": ""})
        self.expect(["include cycle between folders: kernels3d > kernels3d/cpu > kernels3d"])

    def test_a_module_has_one_folder(self):
        for folder in ("`kernels3d/exec/` `kernels3d/cpu/`", "`kernels3d/exec/*`", "`kernels3d/exec/tile.h`"):
            self.write({"docs/develop/architecture/dependencies.md": RULES.replace("`kernels3d/exec/`", folder)})
            with self.assertRaisesRegex(check_includes.RulesError, "dependencies.md:6: .* is not a folder"):
                check_includes.check(self.root)

    def test_a_public_header_without_an_example_is_an_error(self):
        self.write({"docs/develop/architecture/dependencies.md": RULES.replace("\n| text", "| examples | `examples/` | api |\n\n| text", 1),
                    "examples/library/main.cpp": "#include <voxcc/volume.h>\n"})
        self.expect()
        self.write({"include/voxcc/label.h": ""})
        self.expect(["include/voxcc/label.h:1: no file in examples/library/ includes this public header"])

    def test_a_file_without_a_module_is_an_error(self):
        self.write({"io/io.h": ""})
        self.expect(["io/io.h:1: no module"])

    def test_a_quoted_include_that_is_not_in_the_repository_is_an_error(self):
        self.write({"kernels3d/label.h": '#include "kernels3d/gone.h"\n'})
        self.expect(["kernels3d/label.h:1: 'kernels3d/gone.h' is not a file of the repository"])

    def test_a_table_that_names_a_missing_folder_or_file_is_an_error(self):
        self.write({"docs/develop/architecture/dependencies.md": RULES.replace("| `kernels3d/program/` |", "| `engines/` | `kernels3d/gone.h`")})
        self.expect(["docs/develop/architecture/dependencies.md:8: ", "'engines/'"], ["'kernels3d/gone.h'"])

    def test_a_table_that_names_an_unknown_module_is_an_error(self):
        self.write({"docs/develop/architecture/dependencies.md": RULES.replace("| api, exec |", "| api, executors |")})
        with self.assertRaisesRegex(check_includes.RulesError, "docs/develop/architecture/dependencies.md:7: 'executors' is not a module"):
            check_includes.check(self.root)

    def test_a_page_without_rules_is_an_error(self):
        self.write({"docs/develop/architecture/dependencies.md": "# Architecture\n"})
        with self.assertRaisesRegex(check_includes.RulesError, "missing"):
            check_includes.check(self.root)


@unittest.skipUnless(shutil.which("c++"), "no C++ compiler")
class Headers(Tree):
    def run_check(self, options="", source="kernels3d/program/main.cpp", more=()):
        command = f"c++ {options} -I{self.root}/include -isystem {self.root}/other -c {source}"
        self.write({"build/compile_commands.json": json.dumps([{"file": f"{self.root}/{source}", "command": command}])})
        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["check_headers.py", f"{self.root}/build", str(self.root), *more]), contextlib.redirect_stdout(out):
            return check_headers.main(), out.getvalue()

    def expect_failure(self, *texts):
        status, printed = self.run_check()
        self.assertEqual(status, 1)
        for text in texts:
            self.assertIn(text, printed)

    def test_headers_that_compile_alone_pass(self):
        self.write({"io/io.h": "neither compiled here\n", "kernels3d/exec/cuda_kernels.h": "nor without nvcc\n"})
        self.assertEqual(self.run_check(), (0, "1 headers compiled alone, 0 failed, 2 first in other files, 2 left out\n"))

    def test_a_header_that_another_header_includes_first_is_compiled_with_it(self):
        self.write({"include/voxcc/volume.h": "std::vector<int> labels();\n"})
        self.expect_failure("kernels3d/label.h: does not compile alone\n", "volume.h:1")

    def test_headers_that_their_source_files_include_first_are_not_compiled_again(self):
        self.write({"kernels3d/program/main.h": "the build would report this line\n", "kernels3d/program/main.cpp": '// Text.\n#include "kernels3d/program/main.h"\n#include <vector>\n'})
        self.assertEqual(self.run_check(), (0, "1 headers compiled alone, 0 failed, 3 first in other files, 0 left out\n"))
        self.write({"kernels3d/program/main.cpp": '#include <vector>\n#include "kernels3d/program/main.h"\n'})
        self.expect_failure("kernels3d/program/main.h: does not compile alone\n")

    def test_a_precompiled_header_counts_as_an_include_before_the_header(self):
        self.write({"kernels3d/program/main.h": "", "kernels3d/program/main.cpp": '#include "kernels3d/program/main.h"\n'})
        self.assertIn("1 headers compiled alone, 0 failed, 3 first in other files", self.run_check()[1])
        self.assertIn("2 headers compiled alone, 0 failed, 2 first in other files", self.run_check("-include cmake_pch.hxx")[1])

    def test_with_groups_of_sources_only_public_headers_are_compiled(self):
        self.write({"include/voxcc/label.h": "std::vector<int> labels();\n", "kernels3d/label.h": "std::vector<int> labels();\n"})
        self.expect_failure("include/voxcc/label.h: does not compile alone\n", "kernels3d/label.h: does not compile alone\n")
        self.write({"build/Unity/unity_in_program_0_cxx.cxx": f'#include "{self.root}/kernels3d/program/main.cpp"\n'})
        status, printed = self.run_check(source="build/Unity/unity_in_program_0_cxx.cxx")
        self.assertEqual(status, 1)
        self.assertIn("2 headers compiled alone, 1 failed, 0 first in other files, 2 left out", printed)
        status, printed = self.run_check(source="build/Unity/unity_in_program_0_cxx.cxx", more=["--all"])
        self.assertEqual(status, 1)
        self.assertIn("kernels3d/label.h: does not compile alone\n", printed)

    def test_a_header_that_needs_another_before_it_is_reported(self):
        self.write({"kernels3d/label.h": "std::vector<int> labels();\n"})
        self.expect_failure("kernels3d/label.h: does not compile alone\n", "2 headers compiled alone, 1 failed, 1 first in other files, 0 left out")

    def test_a_header_is_compiled_after_headers_that_it_includes(self):
        self.write({"kernels3d/exec/other.h": '#include <vector>\n#include "kernels3d/exec/tile.h"\n', "kernels3d/exec/more.h": "#include <vector>\n"})
        root = self.root
        compiled = ["kernels3d/exec/tile.h", "kernels3d/exec/other.h", "kernels3d/exec/more.h"]
        self.assertEqual(check_headers.chains(compiled, root), [["kernels3d/exec/more.h"], ["kernels3d/exec/tile.h", "kernels3d/exec/other.h"]])

    def test_a_header_in_a_chain_that_needs_another_before_it_is_reported_alone(self):
        self.write({"kernels3d/exec/other.h": '#include <vector>\n#include "kernels3d/exec/tile.h"\n',
                    "kernels3d/exec/tile.h": '#include "include/voxcc/volume.h"\nstd::vector<int> labels();\n',
                    "kernels3d/program/main.cpp": "int main() {}\n", "kernels3d/label.h": "#pragma once\n"})
        self.expect_failure("kernels3d/exec/tile.h: does not compile alone\n", "1 failed")
        self.assertNotIn("other.h: does not", self.run_check()[1])

    def test_a_header_that_cannot_be_included_twice_is_reported(self):
        self.write({"kernels3d/exec/other.h": '#include <vector>\n#include "kernels3d/exec/tile.h"\n#pragma once\nint b;\n',
                    "kernels3d/exec/tile.h": "struct Tile {};\n", "kernels3d/label.h": "#pragma once\n"})
        self.expect_failure("kernels3d/exec/other.h: does not compile alone\n", "redefinition of", "1 failed")


if __name__ == "__main__":
    unittest.main()
