"""Finds the patterns of patterns.toml, long sentences and long lines in texts."""
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
LONGEST_SENTENCE = 30  # words
LONGEST_LINE = 120  # characters


class Pattern(NamedTuple):
    regex: re.Pattern
    where: frozenset  # kinds of texts
    instead: str
    reason: str
    wrong: tuple  # sentences that the pattern must find
    right: tuple  # sentences that the pattern must not find


class Finding(NamedTuple):
    path: str
    line: int
    what: str  # the words that were found, or a measure
    advice: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.what}: {self.advice}"


def read_patterns(path=HERE / "patterns.toml"):
    data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    names = {f"{{{name}}}": text for name, text in data["names"].items()}
    found = []
    for entry in data["pattern"]:
        text = entry["regex"]
        for name, value in names.items():
            text = text.replace(name, value)
        regex = re.compile(text.replace(" ", r"\s+"), 0 if entry.get("case") else re.IGNORECASE)
        found.append(Pattern(regex, frozenset(entry["where"]), entry["instead"], entry["reason"],
                             tuple(entry["wrong"]), tuple(entry.get("right", ()))))
    return found


def find_patterns(text, patterns):
    """The findings of all patterns in one text."""
    for pattern in patterns:
        if text.kind in pattern.where:
            for match in pattern.regex.finditer(text.text):
                words = " ".join(match[0].split())
                yield Finding(text.path, text.line_at(match.start()), f"'{words}'", f"write: {pattern.instead} ({pattern.reason})")


def sentences(text):
    """(offset, sentence). A sentence ends at a full stop, a question mark or a colon.
    In cells of tables and in comments, which hold fragments too, it also ends at a semicolon, and before a tag as @param."""
    ends = r"[.?!:]"
    if text.is_cell or text.kind == "comments":
        ends = r"[.?!:;]"
    start = 0
    for match in re.finditer(ends + r"[\"')\]*]*(?=\s|$)|(?=@\w)|\n(?=- )", text.text):
        yield start, text.text[start : match.end()]
        start = match.end()
    yield start, text.text[start:]


def find_long_sentences(text):
    if text.kind not in ("docs", "comments"):
        return
    for start, sentence in sentences(text):
        words = re.findall(r"\w[\w'.,^/-]*", sentence)
        if len(words) > LONGEST_SENTENCE:
            offset = start + len(sentence) - len(sentence.lstrip())
            opening = " ".join(words[:5])
            yield Finding(text.path, text.line_at(offset), f"'{opening} ...' has {len(words)} words",
                          f"divide it; at most {LONGEST_SENTENCE} words per sentence")


def find_long_lines(path, content):
    for number, line in enumerate(content.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            yield Finding(path, number, f"the line '{line[:20]} ...' has {len(line)} characters",
                          f"wrap it; at most {LONGEST_LINE} characters per line")
