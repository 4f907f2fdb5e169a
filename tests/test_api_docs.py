"""Every example of docs/python.md runs."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

import foragers
from support.crawling import serving
from support.hostile_server import page

ROOT = Path(__file__).parents[1]
EXAMPLES = re.findall(
    r"^```python\n(.*?)^```",
    (ROOT / "docs" / "python.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)


def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("foragers.strategies.registry.REGISTRY", {})
    fast = partial(foragers.crawl, delay=0, allow_private="127.0.0.0/8")
    monkeypatch.setattr("foragers.api.crawl", fast)
    names: dict[str, object] = {"__name__": __name__}
    with serving({"/a": page("/b"), "/b": page()}) as server:
        for example in EXAMPLES:
            code = example.replace("https://example.org/", server.url("/"))
            exec(compile(code, "python.md", "exec"), names)
        assert server.paths.count("/a") == len(re.findall(r"foragers\.crawl\(", "".join(EXAMPLES)))
