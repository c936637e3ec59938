"""Checks the form of the pages in docs: a title, a first sentence that names the readers, links at the end, and a limited length."""
import re

from .rules import Finding

LONGEST_PAGE = 150  # lines


def find_form(page, content):
    """page: path relative to the root. Pages outside of docs have other forms."""
    if not page.startswith("docs/"):
        return
    lines = content.splitlines()
    if not (len(lines) > 2 and lines[0].startswith("# ") and not lines[1]):
        yield Finding(page, 1, "the first line is not a title", "write: '# Title' and an empty line")
    elif not re.match(r"(For|This page is for) \w", lines[2]):
        yield Finding(page, 3, "the first sentence does not say who needs the page", "write: 'For users who ...'")
    paragraphs = re.split(r"\n\s*\n", content.strip())
    if not paragraphs[-1].startswith("See also: "):
        yield Finding(page, len(lines), "the page does not end with links", "write: 'See also: [page](page.md).' as the last paragraph")
    if len(lines) > LONGEST_PAGE:
        yield Finding(page, len(lines), f"the page has {len(lines)} lines", f"divide it; at most {LONGEST_PAGE} lines per page")
