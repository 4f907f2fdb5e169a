"""Generated worlds: the same preset, size and seed give the same web, byte for byte."""

from foragers.worlds.generated.presets import PRESETS, generate

__all__ = ["PRESETS", "generate"]
