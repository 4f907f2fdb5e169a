"""The colours of pages on disk, by day and in the dark: those of the dashboard."""

from __future__ import annotations

SCHEME = """
:root { color-scheme: light dark; --ink: #1d2125; --soft: #56606a; --line: #dfe3e6; --card: #f4f6f7;
        --paper: #fff; --link: #00639b; --mark: #b04a00; --good: #00703c; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7eaec; --soft: #a3adb5; --line: #363d43; --card: #20262b; --paper: #15191c;
          --link: #6cb8ea; --mark: #ff9b4a; --good: #6fd39b; --bad: #ff8a80; }
  svg, img { background: #fff; border-radius: .4rem; } }
body { color: var(--ink); background: var(--paper); }
a { color: var(--link); }
"""
"""The start of a style.  Figures keep a white ground: their lines and words are drawn for one."""
