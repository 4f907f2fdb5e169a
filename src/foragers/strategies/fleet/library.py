"""The compiled functions of fleets, which are optional, and the columns that are open for them."""

from __future__ import annotations

from typing import Any

from foragers.compiled import compiled

LIBRARY: Any | None = compiled("foragers.strategies.fleet._steps")


class OpenColumns:
    """Columns as the compiled functions see them; None until they are needed, and in a pickle."""

    __slots__ = ("columns",)

    def __init__(self) -> None:
        self.columns: Any | None = None

    def __reduce__(self) -> tuple[type[OpenColumns], tuple[()]]:
        return OpenColumns, ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenColumns)
