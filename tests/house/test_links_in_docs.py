"""Links between pages of the documentation lead somewhere, and the index lists every page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def prose(page: Path) -> str:
    """Return a page without its code blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings in a page, as GitHub makes them."""
    plain = (LINK.sub("]", heading).lower().strip() for heading in HEADING.findall(text))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def targets(page: Path) -> Iterator[tuple[str, Path, str]]:
    """Give the links from a page to other files: as written, the file, the anchor."""
    for link in LINK.findall(prose(page)):
        if "://" not in link:
            name, _, anchor = link.partition("#")
            yield link, (page.parent / name).resolve() if name else page, anchor


def test_links_lead_to_files_and_headings_that_exist() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in PAGES
        for link, file, anchor in targets(page)
        if not file.exists() or (anchor and anchor not in anchors(prose(file)))
    ]
    assert not broken, "\n".join(broken)


def test_the_index_lists_every_page() -> None:
    listed = {file for _, file, _ in targets(DOCS / "README.md")}
    missing = sorted(
        str(page.relative_to(DOCS))
        for page in DOCS.rglob("*.md")
        if page not in listed and page.name != "README.md"
    )
    assert not missing, f"docs/README.md does not list {', '.join(missing)}"


def test_headings_become_anchors() -> None:
    text = "# What `auto` does\n## X-Robots-Tag, and [more](a.md)\n"
    assert anchors(text) == {"what-auto-does", "x-robots-tag-and-more"}


SRC = ROOT / "src" / "foragers"
CODE_PAGES = (ROOT / "ARCHITECTURE.md", DOCS / "life-of-a-url.md", DOCS / "glossary.md")
DOTTED = re.compile(r"(?<![\w./-])([a-z]\w*(?:\.\w+)+)")


def exists(name: str) -> bool:
    """Say whether a dotted name is a package, a module (in Python or C), or something in one."""
    path = SRC.joinpath(*name.split("."))
    if path.is_dir() or any(path.with_suffix(kind).is_file() for kind in (".py", ".c")):
        return True
    inside = rf"\b{path.name}\b"
    files = (path.parent.with_suffix(".py"), path.parent / "__init__.py")
    texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    return any(re.search(inside, text) for text in texts)


def test_modules_named_in_pages_about_the_code_exist() -> None:
    packages = {folder.name for folder in SRC.iterdir() if folder.is_dir()}
    missing = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in CODE_PAGES
        for name in DOTTED.findall(page.read_text(encoding="utf-8"))
        if name.partition(".")[0] in packages and not exists(name.removesuffix(".py"))
    ]
    assert not missing, "\n".join(missing)


def test_missing_modules_are_noticed() -> None:
    names = ("core.loop", "core.loop.Crawl", "frontier.Frontier")
    assert all(map(exists, names))
    assert not any(map(exists, ("core.nothing", "core.loop.Nothing", "nothing.loop")))


IMPORT = re.compile(r"^(?:>>> )?(from foragers[\w.]* import [\w, ]+|import foragers[\w.]*)$", re.M)


def test_imports_in_the_docs_work() -> None:
    broken = []
    for page in PAGES:
        for statement in IMPORT.findall(page.read_text(encoding="utf-8")):
            try:
                exec(statement, {})
            except ImportError as error:
                broken.append(f"{page.relative_to(ROOT)}: {statement}: {error}")
    assert not broken, "\n".join(broken)
