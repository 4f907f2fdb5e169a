"""`foragers world`: import, generate, rewire, serve and measure worlds."""

from foragers.cli.world.commands import add

__all__ = ["add"]
