"""States of pages trained for live fleets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foragers.cli.main import main
from foragers.core.models import load_model
from foragers.text.state import KIND, VERSION, StateMap
from foragers.worlds.generated import generate
from foragers.worlds.store import open_world, save


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("states")
    save(generate("topics", seed=4, pages=400), folder / "w")
    kind = "states(k=6, sample=200)"
    command = ["train", str(folder / "w"), "-o", str(folder / "m"), "--kind", kind]
    assert main(command) == 0
    return folder


def test_pages_of_a_topic_have_states_of_their_own(trained: Path) -> None:
    model = load_model(trained / "m", KIND, VERSION)
    assert model.facts == {"k": 6, "worlds": "w", "texts": 200}
    states = StateMap.of(6, model.arrays)
    archive = open_world(trained / "w")
    texts = [archive.texts.document(version).text for version in range(archive.versions)]
    found = states.states(texts)
    assert found.shape == (archive.versions, 6)
    assert ((found >= -1) & (found <= 1)).all()
    # Pages of a topic are more alike than pages of different ones.
    topics = [urls for name, urls in archive.labels.urls.items() if name.startswith("topic:")]
    large = [urls for urls in topics if len(urls) > 20][:3]
    means = np.array([found[urls].mean(axis=0) for urls in large])
    spread = np.mean([found[urls].std(axis=0).mean() for urls in large])
    assert np.ptp(means, axis=0).max() > spread


def test_a_fleet_uses_the_states(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strategy = f"wlrl(model={trained / 'm'})"
    options = ["--strategies", strategy, "--budget", "60", "--runs", "1", "--topic", "robot"]
    assert main(["compare", str(trained / "w"), *options]) == 0
    assert "wlrl" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kind", "told"),
    [("states(k=0)", "k must be at least 1"), ("states(sample=3)", "too few to learn from")],
)
def test_what_cannot_be_trained_is_told_in_one_line(
    trained: Path, capsys: pytest.CaptureFixture[str], kind: str, told: str
) -> None:
    command = ["train", str(trained / "w"), "-o", str(trained / "n"), "--kind", kind]
    assert main(command) == 2
    assert told in capsys.readouterr().err
