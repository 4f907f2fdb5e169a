"""Foragers: a learning, focused web crawler."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from foragers.version import __version__

if TYPE_CHECKING:
    from foragers.api import LiveCrawl, crawl
    from foragers.comparing import compare, generate, import_warc, open_world, replay
    from foragers.core.plugins.page import FetchedPage
    from foragers.errors import UsageError
    from foragers.judges.function import register_judge
    from foragers.strategies.registry import register_strategy

__all__ = [
    "FetchedPage",
    "LiveCrawl",
    "UsageError",
    "__version__",
    "compare",
    "crawl",
    "generate",
    "import_warc",
    "open_world",
    "register_judge",
    "register_strategy",
    "replay",
]
PLACES = {
    "FetchedPage": "foragers.core.plugins.page",
    "LiveCrawl": "foragers.api",
    "UsageError": "foragers.errors",
    "compare": "foragers.comparing",
    "crawl": "foragers.api",
    "generate": "foragers.comparing",
    "import_warc": "foragers.comparing",
    "open_world": "foragers.comparing",
    "register_judge": "foragers.judges.function",
    "register_strategy": "foragers.strategies.registry",
    "replay": "foragers.comparing",
}
"""Where each name is: it is loaded when it is first asked for."""


def __getattr__(name: str) -> Any:
    """Load what takes long to load when it is first asked for."""
    if name in PLACES:
        return getattr(import_module(PLACES[name]), name)
    raise AttributeError(f"module 'foragers' has no attribute '{name}'")


def __dir__() -> list[str]:
    """Show the public names, also those that are loaded only when asked for."""
    return sorted(__all__)
