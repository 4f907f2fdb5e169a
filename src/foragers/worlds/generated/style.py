"""How a generated world writes: all that its words follow from, apart from its columns."""

from __future__ import annotations

import msgspec

from foragers.worlds.generated.kinds import Kind


class Style(msgspec.Struct, frozen=True):
    """The seed of the words, the topics and kinds they are about, and how much links tell.

    `fidelity` is the share of links whose anchor speaks of their target; the others
    say "more" or "click here".  `noise` is the share of the words around a link that
    have nothing to do with its target.
    """

    seed: int
    topics: tuple[str, ...]
    kinds: tuple[Kind, ...]
    fidelity: float = 0.8
    noise: float = 0.4
