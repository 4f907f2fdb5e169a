"""Foragers: a learning, focused web crawler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foragers.version import __version__

if TYPE_CHECKING:
    from foragers.api import crawl

__all__ = ["__version__", "crawl"]


def __getattr__(name: str) -> Any:
    """Load what takes long to load when it is first asked for."""
    if name == "crawl":
        from foragers.api import crawl

        return crawl
    raise AttributeError(f"module 'foragers' has no attribute '{name}'")
