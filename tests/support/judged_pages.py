"""Pages made by hand, for judges to judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foragers.core.types import Choice, Document, Links, Page, ParsedLink, Status

NONE = np.empty(0, np.int32)


@dataclass(frozen=True)
class Said:
    said: Document

    def document(self) -> Document:
        return self.said

    def outlinks(self) -> tuple[ParsedLink, ...]:
        return ()


class Numbered:
    def href(self, url: int) -> str:
        return f"http://site.test/{url}"

    def hrefs(self, urls: Sequence[int]) -> list[str]:
        return list(map(self.href, urls))


def page(
    text: str = "",
    title: str = "",
    *,
    status: Status = Status.OK,
    url: int = 0,
    final: int | None = None,
    time: float = 0.0,
    born: float = 0.0,
    version: int = 0,
) -> Page:
    content = Said(Document(title=title, text=text))
    links = Links(NONE, NONE, Numbered(), content)
    ended = url if final is None else final
    return Page(Choice(url, 0), status, "", ended, time, born, version, links, content)
