"""Foragers: a learning, focused web crawler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foragers.version import __version__

if TYPE_CHECKING:
    from foragers.api import crawl
    from foragers.comparing import compare, generate, import_warc, open_world, replay

__all__ = ["__version__", "compare", "crawl", "generate", "import_warc", "open_world", "replay"]
COMPARING = ("compare", "generate", "import_warc", "open_world", "replay")


def __getattr__(name: str) -> Any:
    """Load what takes long to load when it is first asked for."""
    if name == "crawl":
        from foragers.api import crawl

        return crawl
    if name in COMPARING:
        from foragers import comparing

        return getattr(comparing, name)
    raise AttributeError(f"module 'foragers' has no attribute '{name}'")


def __dir__() -> list[str]:
    """Show what is loaded only when asked for, too."""
    return sorted({*globals(), *__all__})
