"""The pages of reproduced papers: all exhibits, with the verdicts on the papers' claims."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from foragers.errors import UsageError
from foragers.evaluation.tables import Exhibits, judged, worded
from foragers.papers.output import names_of, read_exhibits
from foragers.papers.request import PAPERS
from foragers.serve.site import SiteFrame

EXHIBITS = "exhibits.json"
MOST_BYTES = 1 << 27
TYPES = {".svg": "image/svg+xml", ".csv": "text/csv; charset=utf-8", ".tex": "text/plain"}
"""What is served of an exhibit, as data that runs nothing."""
INERT = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


@dataclass
class PaperPages:
    """The pages of a folder of `reproduce`: one paper, or all of them in folders of their own."""

    site: SiteFrame
    folder: Path

    def routes(self) -> list[Route]:
        """Return the addresses of the pages."""
        guarded = self.site.guarded
        return [
            Route("/", guarded(self.papers)),
            Route("/papers/{paper}", guarded(self.paper)),
            Route("/papers/{paper}/{file}", guarded(self.file)),
        ]

    def _folders(self) -> dict[str, Path]:
        """Return the folders of the papers that were reproduced."""
        if (self.folder / EXHIBITS).is_file():
            return {exhibits_in(self.folder).paper: self.folder}
        return {name: self.folder / name for name in PAPERS if is_paper(self.folder / name)}

    async def papers(self, request: Request) -> Response:
        """Show how many claims of each paper hold; a single paper is shown itself."""
        folders = await run_in_threadpool(self._folders)
        found = await run_in_threadpool(
            lambda: {name: exhibits_in(folder) for name, folder in folders.items()}
        )
        if len(found) == 1:
            return self._shown(request, *found.popitem())
        return self.site.shown(request, "papers.html", papers=found, held=held)

    async def paper(self, request: Request) -> Response:
        """Show one paper."""
        name = request.path_params["paper"]
        folders = await run_in_threadpool(self._folders)
        if name not in folders:
            return self.site.shown(request, "error.html", 404, message="There is no such paper.")
        return self._shown(request, name, await run_in_threadpool(exhibits_in, folders[name]))

    def _shown(self, request: Request, name: str, exhibits: Exhibits) -> Response:
        return self.site.shown(
            request,
            "paper.html",
            name=name,
            exhibits=exhibits,
            worded=worded,
            judged=judged,
            held=held,
        )

    async def file(self, request: Request) -> Response:
        """Return the picture or the data of an exhibit, by its name in exhibits.json."""
        paper, file = request.path_params["paper"], Path(request.path_params["file"])
        folders = await run_in_threadpool(self._folders)
        known = names_of(exhibits_in(folders[paper])) if paper in folders else set()
        place = folders[paper] / file.name if paper in folders else file
        wanted = file.stem in {*known, "claims", "settings"} and file.suffix in TYPES
        if not wanted or place.is_symlink() or not place.is_file():
            return self.site.shown(request, "error.html", 404, message="There is no such file.")
        data = await run_in_threadpool(place.read_bytes)
        # A picture that somebody opens by itself must not run anything either.
        headers = {"content-security-policy": INERT}
        return Response(data, media_type=TYPES[file.suffix], headers=headers)


def is_paper(folder: Path) -> bool:
    """Return whether a folder has the exhibits of a paper."""
    file = folder / EXHIBITS
    return file.is_file() and not folder.is_symlink()


def exhibits_in(folder: Path) -> Exhibits:
    """Return the exhibits in a folder."""
    try:
        if (folder / EXHIBITS).stat().st_size > MOST_BYTES:
            raise UsageError(f"{EXHIBITS} is very large")
        return read_exhibits(folder)
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise UsageError(f"{EXHIBITS} cannot be read ({error}); reproduce it again") from error


def held(exhibits: Exhibits, verdict: bool | None) -> int:
    """Return how many claims have a verdict."""
    return sum(one.holds is verdict for one in exhibits.verdicts)
