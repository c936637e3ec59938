"""Finds relative links of markdown pages whose file or heading does not exist."""
import re

from .rules import Finding
from .texts import code_lines


def anchors(content):
    """The anchors of the headings of a page, as GitHub makes them. A repeated heading gets the suffix -1, -2, ..."""
    lines = content.splitlines()
    skipped, counts, found = code_lines(lines), {}, set()
    for index, line in enumerate(lines):
        heading = re.match(r"#+ (.+)$", line)
        if heading and index not in skipped:
            text = re.sub(r"\]\([^)]*\)", "]", heading[1])
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
            count = counts.get(anchor, 0)
            counts[anchor] = count + 1
            found.add(f"{anchor}-{count}" if count else anchor)
    return found


def targets(content):
    """(line number, target) of each link and picture outside of code."""
    lines = content.splitlines()
    skipped = code_lines(lines)
    for number, line in enumerate(lines, 1):
        if number - 1 not in skipped:
            for match in re.finditer(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                yield number, match[1]


def find_broken_links(root, page):
    """page: path relative to root."""
    content = (root / page).read_text(encoding="utf-8")
    for number, target in targets(content):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = ((root / page).parent / name).resolve() if name else root / page
        if root.resolve() not in (path, *path.resolve().parents):
            yield Finding(page, number, f"'{target}'", "the link leaves the repository")
        elif not path.exists():
            yield Finding(page, number, f"'{target}'", "the file of the link does not exist")
        elif anchor and anchor not in anchors(path.read_text(encoding="utf-8")):
            yield Finding(page, number, f"'{target}'", "the page of the link has no such heading")
