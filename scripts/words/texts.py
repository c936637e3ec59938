"""Extracts the texts of markdown pages, C++ sources and help screens.

A text is a paragraph, a list item, a cell of a table, a comment, a string literal or a line of a help screen. Code in backticks becomes
the word CODE, and text in italics (titles and quotations) becomes the word TITLE, so that rules see prose only. A line break stays a
line break, so that an offset in the text gives a line of the file.
"""
import re
from typing import NamedTuple


class Text(NamedTuple):
    path: str
    first: int  # number of the first line, 1-based
    kind: str  # docs, comments, messages or help
    text: str
    is_cell: bool = False  # cells of tables hold fragments as well as sentences

    def line_at(self, offset):
        return self.first + self.text.count("\n", 0, offset)


def without_code(text):
    """`a b` -> CODE, *a b* -> TITLE, [text](target) -> text. Line breaks are kept."""
    def breaks(match):
        return "CODE" + "\n" * match[0].count("\n")

    text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", breaks, text, flags=re.DOTALL)
    text = re.sub(r"\]\([^)\s]*\)", "]", text)
    text = re.sub(r"(?<![*\w])\*(?=[^\s*])[^*]+\*(?![*\w])", lambda match: "TITLE" + "\n" * match[0].count("\n"), text)
    return re.sub(r"<https?:[^>]*>|https?://\S+", "URL", text)


def code_lines(lines):
    """The indices of the lines of code blocks, with their fences."""
    inside, found = False, set()
    for index, line in enumerate(lines):
        fence = line.lstrip().startswith("```")
        if inside or fence:
            found.add(index)
        if fence:
            inside = not inside
    return found


def of_page(path, content):
    """The texts of a markdown page."""
    lines = content.splitlines()
    skipped = code_lines(lines)
    paragraph, first, found = [], 0, []

    def end():
        if paragraph:
            found.append(Text(path, first, "docs", without_code("\n".join(paragraph))))
            paragraph.clear()

    for index, line in enumerate(lines):
        stripped = line.strip()
        if index in skipped or not stripped or stripped.startswith("<!--") or set(stripped) <= set("|-: "):
            end()
        elif stripped.startswith("|"):
            end()
            cells = re.sub(r"\\\|", "/", stripped).strip("|").split("|")
            found += [Text(path, index + 1, "docs", without_code(cell.strip()), is_cell=True) for cell in cells if cell.strip()]
        else:
            starts = re.match(r"(#+|[-*]|\d+\.) ", stripped)
            if starts:
                end()
            if not paragraph:
                first = index + 1
            paragraph.append(stripped[starts.end():] if starts else stripped)
            if starts and stripped.startswith("#"):
                end()
    end()
    return found


TOKENS = re.compile(r'''(?P<raw>R"(?P<mark>\w*)\((?P<raw_text>.*?)\)(?P=mark)")|(?P<string>"(?:\\.|[^"\\\n])*")|(?<![0-9a-zA-Z])'(?:\\.|[^'\\\n])+'|'''
                    r'''(?P<comment>//[^\n]*|/\*.*?\*/)''', re.DOTALL)


def of_source(path, content):
    """The string literals (kind messages) and the comments of a C++ file. Lines with // and lines with /// are different comments."""
    found, last_end, last_marker = [], {"messages": -1, "comments": -1}, ""
    for match in TOKENS.finditer(content):
        line = content.count("\n", 0, match.start()) + 1
        before = content[content.rfind("\n", 0, match.start()) + 1 : match.start()]
        if match["comment"]:
            kind, text = "comments", comment_text(match["comment"])
            marker = re.match(r"/\*|/+", match[0])[0]
            joins = marker == last_marker and not before.strip() and not content[last_end[kind] : match.start()].strip()
            last_marker = marker
        elif match["string"] or match["raw"]:
            if before.lstrip().startswith("#"):
                continue
            kind, text = "messages", match["raw_text"] if match["raw"] else string_text(match["string"])
            joins = not content[last_end[kind] : match.start()].strip()
        else:
            continue
        if joins and last_end[kind] >= 0:
            gap = "\n" * content.count("\n", last_end[kind], match.start())
            found_index = max(index for index, text_before in enumerate(found) if text_before.kind == kind)
            earlier = found[found_index]
            found[found_index] = earlier._replace(text=(earlier.text.rstrip(" ") + gap if gap else earlier.text) + text)
        else:
            found.append(Text(path, line, kind, text))
        last_end[kind] = match.end()
    return [text._replace(text=without_code(text.text)) for text in found if text.text.strip()]


def comment_text(comment):
    """The text of a comment, without slashes. Drawings and examples are indented by three blanks or more, and are left out."""
    lines = re.sub(r"^/\*+|\*+/$", "", comment).split("\n") if comment.startswith("/*") else [re.sub(r"^//+<?", "", comment)]
    return "\n".join("" if line.startswith("   ") else line.strip() for line in lines)


def string_text(literal):
    return re.sub(r"\\n", " ", literal[1:-1]).replace('\\"', '"')


def of_help(command, screen):
    """The lines of a help screen. Continuation lines are joined to the line before."""
    found = []
    for number, line in enumerate(screen.splitlines(), 1):
        if found and re.match(r" {20,}\S", line):
            found[-1] = found[-1]._replace(text=found[-1].text + "\n" + line.strip())
        elif line.strip():
            found.append(Text(f"voxcc {command} --help".replace("  ", " "), number, "help", line.strip()))
    return found
