"""What the live web needs of a browser that renders pages: a protocol, and one for no browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from foragers.fetching.job import FetchJob, ResponseRecorder
from foragers.http.messages import Response


class RenderedPage(Protocol):
    """A job whose page was rendered, or could not be."""

    @property
    def job(self) -> FetchJob:
        """The job."""
        ...

    @property
    def outcome(self) -> Response:
        """The response to extract: with the rendered page, or the server's own."""
        ...

    @property
    def record(self) -> str:
        """Where the server's response was archived."""
        ...

    @property
    def note(self) -> str:
        """What the ledger says about the rendering."""
        ...


class PageRenderer(Protocol):
    """Renders pages whose content comes from scripts."""

    def __len__(self) -> int:
        """Return how many pages are being rendered or wait for it."""
        ...

    def takes(self, job: FetchJob, response: Response, record: str) -> bool:
        """Queue a page if it needs rendering; return whether it was queued."""
        ...

    def until(self, latest: float) -> float:
        """Return the time to look again for rendered pages, at the latest `latest`."""
        ...

    def finished(self, recorder: ResponseRecorder | None) -> Sequence[RenderedPage]:
        """Return the pages rendered since the last call."""
        ...

    def close(self) -> None:
        """Stop all browsers."""
        ...


class NoRenderer:
    """Renders nothing: every page is extracted as the server sent it."""

    def __len__(self) -> int:
        return 0

    def takes(self, job: FetchJob, response: Response, record: str) -> bool:  # noqa: ARG002
        """Refuse every page."""
        return False

    def until(self, latest: float) -> float:
        """Return the same time."""
        return latest

    def finished(self, recorder: ResponseRecorder | None) -> Sequence[RenderedPage]:  # noqa: ARG002
        """Return nothing."""
        return ()

    def close(self) -> None:
        """Stop nothing."""
