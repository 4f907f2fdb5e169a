"""A walk through the web: where it stands, and what it can go back to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from foragers.strategies.automaton import Flags
from foragers.types import HostId


class Step(NamedTuple):
    """A choice under way: whose, by which automaton, among which actions."""

    walker: int
    document: int
    action: int
    enabled: Flags


@dataclass(slots=True)
class Walker:
    """One walk: the document it stands on (-1: none), and those it can go back to.

    Where all hosts that it could go to were closed, `needs` are these: one of them must open.
    """

    stack: list[int] = field(default_factory=list)
    here: int = -1
    waiting: bool = False
    needs: tuple[HostId, ...] = ()

    def push(self, document: int) -> None:
        """Put a document on the stack."""
        self.stack.append(document)
        self.needs = ()
