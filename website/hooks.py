"""Hooks of MkDocs: pages from the code and from the root of the repository, links, mathematics."""

from __future__ import annotations

import logging
import re
import sys
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
for _folder in ("src", "website"):
    sys.path.insert(0, str(ROOT / _folder))

from website import commands, formulas, notebooks, python_api, schemas, settings  # noqa: E402

FROM_ROOT = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
}
"""Files in the root of the repository that are pages of the site too."""
MADE = {
    "reference/commands.md": commands.page,
    "reference/python.md": python_api.page,
    "reference/settings.md": settings.page,
    "reference/schemas.md": schemas.page,
}
"""Pages that are made from the code."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
FENCED = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
log = logging.getLogger("mkdocs.hooks.website")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not files of the documentation's folder."""
    for source, place in FROM_ROOT.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, place, content=text))
    for place, made in MADE.items():
        files.append(File.generated(config, place, content=made()))
    for notebook in sorted((ROOT / "docs").rglob("*.ipynb")):
        place = notebook.relative_to(ROOT / "docs").with_suffix(".md").as_posix()
        files.remove(files.src_uris[notebook.relative_to(ROOT / "docs").as_posix()])
        files.append(File.generated(config, place, content=notebooks.as_markdown(notebook)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Let links lead to pages of the site wherever there is one."""
    place = page.file.src_uri
    source = next((file for file, made in FROM_ROOT.items() if made == place), f"docs/{place}")
    parts = FENCED.split(markdown)
    return "".join(
        part if part.startswith("```") else LINK.sub(lambda m: linked(m, source, place), part)
        for part in parts
    )


def linked(match: re.Match[str], source: str, place: str) -> str:
    """Return a link of a file of the repository as one of its page on the site."""
    picture, text, target, anchor = match[1], match[2], match[3], match[4] or ""
    if ":" in target:
        return match[0]
    file = normpath(str(PurePosixPath(source).parent / target))
    if file == "README.md":
        file = "docs/README.md"
    if file.endswith(".ipynb"):
        file = f"{file.removesuffix('.ipynb')}.md"
    page = FROM_ROOT.get(file) or (file.removeprefix("docs/") if file.startswith("docs/") else "")
    if page:
        return f"{picture}[{text}]({relpath(page, str(PurePosixPath(place).parent))}{anchor})"
    if not (ROOT / file).exists():
        log.warning("%s links to %s, which does not exist", source, target)
    # A file of the repository that is no page: its path says where it is.
    return text if file.rpartition("/")[2] in text else f"{text} (`{file}`)"


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Turn formulas into MathML, which browsers draw without a script."""
    try:
        return formulas.drawn(html)
    except formulas.FormulaError as error:
        log.warning("%s: %s", page.file.src_uri, error)
        return html
