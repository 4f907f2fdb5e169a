"""`foragers watch` and `foragers status`."""

from foragers.cli.watch.commands import add as add
