"""Tests scripts/check_words.py: each rule finds its wrong sentences, and the texts of pages, sources and help screens are found."""
import contextlib
import io
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import check_words  # noqa: E402
from words import form, links, rules, texts  # noqa: E402

PAGE = """# Title

For users. The count is
4 bytes a voxel.

```
a drawing: 4 bytes a voxel
```
- first item
- [link](other.md#a-heading) and `4 bytes a voxel`

| a cell | the whole file |
|---|---|
"""
SOURCE = '''#include "those of.h"
/// The whole
/// volume.
///    # a drawing of the whole volume
int x = 1'000;  // no finding
auto s = "first "
         "the whole file";
auto t = R"(a whole
file)";
char c = '"';  // one file a slice
'''


class Repository(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def write(self, files):
        for name, content in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(content, encoding="utf-8")

    def check(self, *arguments):
        """@return exit code, lines on stdout, lines on stderr"""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = check_words.main(["--root", str(self.root), *arguments])
        return code, out.getvalue().splitlines(), err.getvalue().splitlines()


class Patterns(unittest.TestCase):
    def test_each_pattern_finds_its_wrong_sentences_only(self):
        for pattern in rules.read_patterns():
            self.assertTrue(pattern.wrong and pattern.instead and pattern.reason, pattern.regex.pattern)
            self.assertTrue(pattern.where and pattern.where <= {"docs", "help", "messages", "comments"}, pattern.regex.pattern)
            for sentence in pattern.wrong:
                with self.subTest(wrong=sentence):
                    self.assertRegex(sentence, pattern.regex)
            for sentence in pattern.right:
                with self.subTest(right=sentence):
                    self.assertNotRegex(sentence, pattern.regex)

    def test_a_rule_applies_to_its_kinds_of_texts_only(self):
        peers = [pattern for pattern in rules.read_patterns() if "peers" in pattern.wrong[0]]
        self.assertEqual(len(peers), 1)
        for kind, count in (("docs", 1), ("comments", 0)):
            self.assertEqual(len(list(rules.find_patterns(texts.Text("a", 1, kind, "our peers"), peers))), count)


class Sentences(unittest.TestCase):
    def words(self, text, **fields):
        return [(finding.line, finding.what) for finding in rules.find_long_sentences(texts.Text("a.md", 1, "docs", text, **fields))]

    def test_thirty_words_are_allowed(self):
        self.assertEqual(self.words("word " * 29 + "end."), [])
        self.assertEqual(self.words("Short one.\n" + "word " * 30 + "end."), [(2, "'word word word word word ...' has 31 words")])

    def test_a_semicolon_ends_a_sentence_in_a_cell_only(self):
        text = "word " * 20 + "end; " + "word " * 20
        self.assertEqual(self.words(text, is_cell=True), [])
        self.assertEqual(len(self.words(text)), 1)

    def test_a_file_name_does_not_end_a_sentence(self):
        self.assertEqual(len(self.words("word " * 15 + "docs.md " + "word " * 15)), 1)


class Texts(unittest.TestCase):
    def found(self, all_texts, words):
        return [(text.kind, text.line_at(text.text.index(words))) for text in all_texts if words in text.text]

    def test_page(self):
        page = texts.of_page("a.md", PAGE)
        self.assertEqual(self.found(page, "bytes a voxel"), [("docs", 4)])
        self.assertEqual(self.found(page, "first item"), [("docs", 9)])
        self.assertEqual(self.found(page, "whole"), [("docs", 12)])
        self.assertEqual([text.text for text in page if "link" in text.text], ["[link] and CODE"])

    def test_source(self):
        source = texts.of_source("a.h", SOURCE)
        self.assertEqual(self.found(source, "whole\nvolume"), [("comments", 2)])
        self.assertEqual(self.found(source, "whole file"), [("messages", 7)])
        self.assertEqual(self.found(source, "whole\nfile"), [("messages", 8)])
        self.assertEqual(self.found(source, "a slice"), [("comments", 10)])
        self.assertEqual(self.found(source, "drawing") + self.found(source, "those of"), [])

    def test_help(self):
        screen = "Usage: voxcc\n  -o PATH                   the first line\n                            of an option\n"
        self.assertEqual([(text.first, text.text) for text in texts.of_help("label", screen)],
                         [(1, "Usage: voxcc"), (2, "-o PATH                   the first line\nof an option")])


class Links(Repository):
    def test_anchors(self):
        self.assertEqual(links.anchors("# A `b`, c-d: e\n```\n# code\n```\n## Same\n## Same\n"), {"a-b-c-d-e", "same", "same-1"})

    def test_broken_links(self):
        self.write({"docs/a.md": "[1](b.md#two-words) [2](#top) [3](https://example.org)\n# Top\n", "docs/b.md": "# Two words\n"})
        self.assertEqual(list(links.find_broken_links(self.root, "docs/a.md")), [])
        self.write({"docs/a.md": "[1](c.md)\n[2](b.md#three) [3](#none)\n[4](../../../etc)\n`[5](c.md)`\n"})
        self.assertEqual([(finding.line, finding.what) for finding in links.find_broken_links(self.root, "docs/a.md")],
                         [(1, "'c.md'"), (2, "'b.md#three'"), (2, "'#none'"), (3, "'../../../etc'")])


class Form(unittest.TestCase):
    def form(self, content, page="docs/a.md"):
        return [(finding.line, finding.what) for finding in form.find_form(page, content)]

    def test_good_page(self):
        self.assertEqual(self.form("# Title\n\nFor users.\n\nSee also: [b](b.md).\n"), [])

    def test_missing_parts(self):
        self.assertEqual(self.form("Title\n\nSee also: [b](b.md).\n"), [(1, "the first line is not a title")])
        self.assertEqual([line for line, _ in self.form("# Title\n\nA page.\n\nEnd.\n")], [3, 5])
        self.assertEqual(self.form("# Title\n\nA page.\n\nEnd.\n", "README.md"), [])

    def test_length(self):
        page = "# Title\n\nFor users.\n" + "\n" * 146 + "See also: [b](b.md).\n"
        self.assertEqual(self.form(page), [])
        self.assertEqual(self.form(page.replace("users.\n", "users.\n\n")), [(151, "the page has 151 lines")])


class Check(Repository):
    def test_good_files(self):
        self.write({"README.md": "# Title\n\nA short sentence.\n", "io/a.h": "/// One row per component\n"})
        self.assertEqual(self.check()[:2], (0, []))

    def test_findings_name_file_line_and_advice(self):
        self.write({"README.md": "# Title\n\nIt takes\n4 bytes a voxel.\n" + "x" * 121 + "\n[a](b.md)\n",
                    "src/a.cpp": 'auto s = "the file is cut short";  // the whole file\n', "src/a.h": "/// the whole file\n"})
        code, out, _ = self.check()
        self.assertEqual(code, 1)
        starts = ["README.md:4: 'bytes a voxel': write: per", "README.md:5: the line 'xxxxxxxxxxxxxxxxxxxx ...' has 121", "README.md:6: 'b.md': the file of the link",
                  "src/a.cpp:1: 'cut short': write: truncated", "src/a.h:1: 'whole': write: complete"]
        self.assertEqual(len(out), len(starts), out)
        for line, start in zip(out, starts):
            self.assertTrue(line.startswith(start), line)

    def test_ignored_files_are_not_read(self):
        self.write({".gitignore": "build/\n", "build/a.md": "the whole file\n"})
        self.assertEqual(self.check()[:2], (0, []))

    def test_help_of_every_command_is_read(self):
        program = self.root / "program"
        program.write_text('#!/bin/sh\n[ "$1" = label ] && echo "one row a component" || '
                           'printf "Usage\\n\\nCommands:\\n  label    reads\\n  info     reads\\n\\nExamples:\\n  voxcc help\\n"\n')
        program.chmod(0o755)
        code, out, _ = self.check("--program", str(program))
        self.assertEqual((code, [line.split(": ")[0] for line in out]), (1, ["voxcc label --help:1"]))
        program.write_text("#!/bin/sh\necho nothing\n")
        self.assertEqual(self.check("--program", str(program))[0], 69)

    def test_exceptions_leave_out_their_words_only(self):
        self.write({"examples/a.md": "# The whole file\n\nThe file is cut short.\n"})
        entries = [{"path": "examples/*", "checks": ["patterns"], "words": "whole", "reason": "test"}]
        with mock.patch.object(check_words, "read_exceptions", lambda: entries):
            code, out, _ = self.check()
        self.assertEqual((code, len(out)), (1, 1))
        self.assertIn("cut short", out[0])

    def test_every_exception_has_a_reason_and_files(self):
        files = check_words.tracked_files(check_words.ROOT)
        for entry in check_words.read_exceptions():
            self.assertTrue(entry["reason"])
            self.assertTrue(set(entry["checks"]) <= {"patterns", "sentences", "lines", "links", "form", "spelling"}, entry)
            self.assertTrue(entry["path"].startswith("voxcc ") or check_words.matching(files, [entry["path"]]), entry)

    @unittest.skipUnless(shutil.which("codespell"), "SKIPPED: codespell is not installed")
    def test_spelling(self):
        self.write({"README.md": "# Title\n\nThe lenght.\n", "io/a.cpp": "// teh file, lable\n"})
        code, out, _ = self.check()
        self.assertEqual((code, out), (1, ["README.md:3: 'lenght': write: length (spelling)", "io/a.cpp:1: 'teh': write: the (spelling)"]))

    def test_chosen_checks(self):
        self.write({"README.md": "# Title\n\nThe whole file.\n[a](b.md)\n"})
        self.assertEqual([line.split("'")[1] for line in self.check("--checks", "links")[1]], ["b.md"])
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
            check_words.main(["--checks", "words"])

    def test_missing_codespell_is_reported(self):
        self.write({"README.md": "# Title\n\nThe lenght.\n"})
        with mock.patch.object(check_words.shutil, "which", lambda name: None):
            code, out, err = self.check()
        self.assertEqual((code, out), (0, []))
        self.assertIn("skipped: the spelling", err[0])


if __name__ == "__main__":
    unittest.main()
