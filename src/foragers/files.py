"""Files that are there whole, or not at all."""

from __future__ import annotations

from pathlib import Path


def write(file: Path, data: bytes) -> None:
    """Write a file in one step."""
    partial = file.with_name(f".{file.name}.partial")
    partial.write_bytes(data)
    partial.replace(file)
