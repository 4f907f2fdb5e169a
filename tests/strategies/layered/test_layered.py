"""HMM, BPM, HW and context graphs, with numbers worked out by hand and on small webs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from foragers.core.loop import Crawl
from foragers.core.models import Model, load_model, save_model, words_to_array
from foragers.core.options import ReplayOptions, Target
from foragers.core.types import Choice
from foragers.errors import UsageError
from foragers.evaluation.comparison.study import prepare
from foragers.judges.keywords import Keywords
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.layered.context_graph import ContextGraph, Hw, LayerReader, RelevancyReader
from foragers.strategies.layered.hmm import Bpm, CentroidReader, Hmm, PathReader, ranked
from foragers.strategies.layered.hmm_model import HmmModel, fit_hmm
from foragers.strategies.layered.layer_words import LayerWords
from foragers.strategies.layered.layers import Layers
from foragers.strategies.layered.page_scorer import PageScorer
from foragers.strategies.layered.settings import LayeredSettings
from foragers.strategies.registry import StrategyInputs, build
from foragers.text.bag_of_words import BagStore
from foragers.training.layered import layered, of_lesson
from foragers.training.lesson import Lesson
from foragers.training.registry import trainer_of
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded
from foragers.worlds.store import save
from support.progress import silent
from support.worlds_by_hand import small_world

KINDS: dict[str, type[Hmm | Bpm | ContextGraph | Hw]] = {
    "hmm": Hmm,
    "bpm": Bpm,
    "context-graph": ContextGraph,
    "hw": Hw,
}


def hidden(**changed: np.ndarray) -> HmmModel:
    """Two states and two clusters; the word tea is seen as cluster 0, rain as 1."""
    arrays = {
        "words": words_to_array(["tea", "rain"]),
        "idf": np.array([1.0, 2.0]),
        "directions": np.eye(2),
        "centres": np.eye(2),
        "centroid": np.array([0.8, 0.6]),
        "transitions": np.array([[0.6, 0.4], [0.3, 0.7]]),
        "emissions": np.array([[0.9, 0.1], [0.2, 0.8]]),
        **changed,
    }
    return HmmModel.of(Model("hmm", 1, {}, arrays))


def test_forward_estimate_follows_the_path() -> None:
    reader = PathReader(hidden(), 0.01)
    # At a seed nothing is known: α = (0.9, 0.2) / 1.1; ahead Σ α_i a_ij.
    _, ahead = reader.read({"tea": 3}, None)
    assert ahead == pytest.approx([(0.9 * 0.6 + 0.2 * 0.3) / 1.1, (0.9 * 0.4 + 0.2 * 0.7) / 1.1])
    # Behind it a page of cluster 1: α = (0.1, 0.8) times that, normalised.
    alpha = np.array([0.1, 0.8]) * ahead
    alpha /= alpha.sum()
    _, onward = reader.read({"rain": 1}, ahead)
    expected = [alpha @ [0.6, 0.3], alpha @ [0.4, 0.7]]
    assert onward == pytest.approx(expected, rel=1e-6)


def test_impossible_path_falls_back_on_what_is_seen() -> None:
    found = hidden().forward(0, np.array([0.0, 0.0]))
    assert found == pytest.approx([0.9 / 1.1, 0.2 / 1.1])


def test_page_without_known_words_says_nothing_about_its_layer() -> None:
    # It is no wanted page for want of words: where it is, is where the links before it led.
    _, ahead = PathReader(hidden(), 0.01).read({"unknown": 4}, np.array([0.25, 0.75], np.float32))
    assert ahead == pytest.approx([0.25 * 0.6 + 0.75 * 0.3, 0.25 * 0.4 + 0.75 * 0.7])
    _, at_first = PathReader(hidden(), 0.01).read({}, None)
    assert at_first == pytest.approx([0.45, 0.55])
    promise, _ = CentroidReader(hidden()).read({}, None)
    assert promise == pytest.approx(0.45 / 2)
    assert LayerReader(layer_words(), 0.0).read({"unknown": 4}, None)[0] == 0.0


def test_pages_without_words_are_not_counted_as_the_cluster_of_wanted_ones() -> None:
    shelf = BagStore()
    for text in ({"tea": 2}, {"tea": 1, "cup": 1}, {"rain": 1, "wet": 1}, {"rain": 2}, {}, {}):
        shelf.add(text)
    layers = Layers(shelf, np.array([0, 0, 1, 1, 1, 1]), np.eye(2, dtype=np.int64))
    found = fit_hmm(layers, clusters=1, rank=2).arrays["emissions"]
    # Two wanted pages in cluster 0 and two others in cluster 1, each with ½ added.
    assert found == pytest.approx(np.array([[2.5 / 3, 0.5 / 3], [0.5 / 3, 2.5 / 3]]))


def test_links_sort_by_the_first_state_and_if_about_equal_by_the_next() -> None:
    step = 0.1
    assert ranked(np.array([0.35, 0.0, 0.65]), step) > ranked(np.array([0.25, 0.75, 0.0]), step)
    assert ranked(np.array([0.31, 0.5, 0.19]), step) > ranked(np.array([0.39, 0.2, 0.41]), step)
    assert 0 <= ranked(np.array([1.0, 0.0]), step) < 1


def test_bpm_averages_the_chance_with_the_likeness_to_wanted_pages() -> None:
    promise, ahead = CentroidReader(hidden()).read({"tea": 1}, None)
    assert ahead is not None
    # The cosine of a page with the one word tea to the centroid (0.8, 0.6) is 0.8.
    assert promise == pytest.approx(float(ahead[0]) / 2 + 0.8 / 4)
    # Anchor "tea rain": weights 1 and 2, so (0.8 + 1.2) / √5.
    assert hidden().likeness_of("Tea, rain!") == pytest.approx(2 / 5**0.5)
    assert hidden().likeness_of("the unknown") == 0.0


def layer_words(**changed: NDArray[np.generic]) -> LayerWords:
    arrays: dict[str, NDArray[np.generic]] = {
        "words": words_to_array(["tea", "rain", "train"]),
        "idf": np.ones(3),
        "counts": np.array([[8, 0, 0], [0, 8, 0], [0, 0, 8]]),
        "shares": np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]),
        **changed,
    }
    return LayerWords.of(Model("context-graph", 1, {}, arrays))


def test_context_graph_prefers_the_nearest_layer_and_in_it_the_likelier_page() -> None:
    reader = LayerReader(layer_words(), 0.5)
    values = [
        reader.read(text, None)[0]
        for text in ({"tea": 2}, {"tea": 1}, {"rain": 2}, {"rain": 1}, {"tea": 1, "rain": 1})
    ]
    # P(w|c) = 9/11 for a layer's own word and 1/11 for others: one word is 9 : 1, two 81 : 1.
    assert values[:4] == sorted(values[:4], reverse=True)
    assert values[0] == pytest.approx((2 - 0 + 81 / 82) / 3, abs=1e-6)
    assert values[2] == pytest.approx((2 - 1 + 81 / 82) / 3, abs=1e-6)
    # Neither is likelier than 0.5 here but for the tie; asked to be surer it is put last.
    assert LayerReader(layer_words(), 0.6).read({"tea": 1, "rain": 1}, None)[0] == pytest.approx(
        0.5 / 3, abs=1e-6
    )


def test_hw_values_place_and_words() -> None:
    reader = RelevancyReader.of(layer_words(), 0.5)
    promise, _ = reader.read({"tea": 1}, None)
    # Place: layers are worth 1, ½ and (far) 0; tea is of layer 0 with 9/11, of the others 1/11.
    place = 9 / 11 + 0.5 / 11
    # Words: P_T(tea) = (2/3 + 1/3) / 2 and P_G(tea) = (1/3 + 1/3) / 2.
    spoken = 0.5 / (0.5 + 1 / 3)
    assert promise == pytest.approx((place + spoken) / 2)
    assert reader.read({"unknown": 4}, None)[0] == 0.0


def test_layer_of_which_nothing_was_read_takes_no_page() -> None:
    words = layer_words(counts=np.array([[8, 0, 0], [0, 8, 0], [0, 0, 0]]))
    assert words.layers(*words.words_of({"train": 1}), 3)[2] == 0.0


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (hidden, "transitions", np.eye(3)),
        (hidden, "idf", np.array([1.0])),
        (hidden, "emissions", np.array([np.nan, 1.0]).reshape(1, 2)),
        (hidden, "directions", np.zeros(2)),
        (layer_words, "counts", np.eye(2)),
        (layer_words, "shares", -np.eye(3)),
        (layer_words, "idf", np.array(["x"])),
    ],
)
def test_garbled_model_is_refused_in_one_line(
    make: Callable[..., object], name: str, value: NDArray[np.generic]
) -> None:
    with pytest.raises(UsageError, match="train again"):
        make(**{name: value})


def lesson_of(archive: Archive, wanted: list[str]) -> Lesson:
    rewards = [archive.book.find(f"http://site.test/{name}") for name in wanted]
    sites = np.zeros(len(archive.book), np.int32)
    return Lesson("by hand", archive, np.array(rewards, np.int32), sites, ("site",))


def test_layers_of_a_recorded_world_follow_redirects_and_leave_out_what_is_missing() -> None:
    archive = small_world(
        {"far": ["near", "gone"], "near": ["old", "near"], "wanted": ["far"], "lost": []},
        redirects={"old": "wanted"},
    )
    layers, links = of_lesson(lesson_of(archive, ["wanted"]), 4)
    assert layers.tolist() == [2, 1, 0, 3]
    # far -> near, near -> wanted (by way of old), wanted -> far.
    assert links.tolist() == [[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]


def test_world_without_wanted_pages_teaches_nothing() -> None:
    with pytest.raises(UsageError, match="nothing to learn"):
        layered([lesson_of(small_world({"a": []}), [])], 3, 10, silent)


@pytest.mark.parametrize("seed", range(4))
def test_counts_of_a_trained_model_are_those_of_a_web_with_known_distances(seed: int) -> None:
    chance = np.random.default_rng(seed)
    names = [f"p{number}" for number in range(60)]
    web = {name: [names[at] for at in chance.integers(60, size=2)] for name in names}
    wanted = names[:4]
    archive = small_world(web, texts={name: f"tea {name} rain" for name in names})
    trained = trainer_of("hmm(states=5)").train([lesson_of(archive, wanted)], silent)
    # Distances by asking again and again who links to those that are known.
    away = dict.fromkeys(wanted, 0)
    for step in range(1, 60):
        near = [name for name in names if any(away.get(link) == step - 1 for link in web[name])]
        away |= {name: step for name in near if name not in away}
    state = {name: min(away.get(name, 99), 4) for name in names}
    counts = np.zeros((5, 5))
    for name in names:
        for link in set(web[name]) - {name}:
            counts[state[name], state[link]] += 1
    assert all(counts[i, j] == 0 for i in range(5) for j in range(i - 1))
    expected = np.triu(counts + 0.5, -1)
    expected /= expected.sum(axis=1, keepdims=True)
    assert trained.model.arrays["transitions"] == pytest.approx(expected)


TOPIC = Target("robot sensor actuator")


@pytest.fixture(scope="module")
def webs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("webs")
    for name, seed in (("known", 1), ("new", 2)):
        save(generate("topics", seed=seed, pages=2000), folder / name)
    return folder / "known", folder / "new"


@pytest.fixture(scope="module")
def models(webs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Model]:
    study = prepare(ReplayOptions(str(webs[0]), "", TOPIC))
    study.score()
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for kind in ("hmm(clusters=6, rank=10, pages=60)", "context-graph(pages=60)"):
        trained = trainer_of(kind).train([Lesson.of("known", study)], silent)
        file = folder / trained.model.kind
        save_model(trained.model, file)
        found[trained.model.kind] = load_model(file, trained.model.kind, 1)
        again = trainer_of(kind).train([Lesson.of("known", study)], silent)
        save_model(again.model, folder / "again")
        assert file.read_bytes() == (folder / "again").read_bytes()
    return found


def harvest(strategy: PageScorer, web: Path, budget: int = 250) -> int:
    """Return how many relevant pages a crawl of a web finds."""
    study = prepare(ReplayOptions(str(web), "", TOPIC))
    ledger = MemoryLedger()
    world = Budget(Recorded(study.archive), budget)
    work = Crawl(strategy, world, Keywords("robot sensor actuator"), ledger)
    work.begin()
    work.run()
    return sum(visit.relevant for visit in ledger.read())


@pytest.mark.parametrize("name", KINDS)
def test_trained_crawler_finds_more_than_chance(
    name: str, webs: tuple[Path, Path], models: dict[str, Model]
) -> None:
    kind = KINDS[name]
    # In 250 of 2,000 pages chance finds an eighth of some 160 relevant ones.
    assert harvest(kind(models[kind.model_kind[0]]), webs[1]) > 50


@pytest.mark.parametrize("name", KINDS)
def test_crawler_without_a_model_learns_on_the_job(name: str, webs: tuple[Path, Path]) -> None:
    strategy = KINDS[name]()
    assert harvest(strategy, webs[1]) > 50
    assert strategy._reader is not None
    never = KINDS[name](settings=LayeredSettings(lessons=(), max_pages=10))
    harvest(never, webs[1], 60)
    assert never._reader is None or never._learner is None


@pytest.mark.parametrize("name", KINDS)
def test_wanted_pages_without_links_are_learned_from(name: str) -> None:
    leaves = [f"leaf{number}" for number in range(60)]
    archive = small_world(
        {"s": leaves, **{leaf: [] for leaf in leaves}},
        texts={"s": "rain wind", **dict.fromkeys(leaves, "tea cup pot")},
    )
    strategy = KINDS[name]()
    work = Crawl(strategy, Recorded(archive), Keywords("tea cup pot"), MemoryLedger())
    work.begin()
    work.run()
    assert strategy._reader is not None


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("hmm(epsilon=0)", "epsilon=0: must be between 0.001 and 1"),
        ("hmm(epsilon=2)", "epsilon=2"),
        ("hw(alpha=0)", "alpha=0: must be above 0"),
        ("hw(alpha=1.1)", "alpha=1.1"),
        ("context-graph(sure=-0.1)", "sure=-0.1: must be between 0 and 1"),
        ("context-graph(sure=1.5)", "sure=1.5"),
    ],
)
def test_parameter_that_makes_no_sense_is_refused(spec: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        build(spec, StrategyInputs(NoTopic(), np.random.default_rng(3)))


@pytest.mark.parametrize(("spec", "kind"), [("hmm", "hmm"), ("hw", "context-graph")])
def test_model_that_is_not_whole_is_refused_before_the_crawl(
    spec: str, kind: str, tmp_path: Path
) -> None:
    save_model(Model(kind, 1, {}, {"words": words_to_array(["tea"])}), tmp_path / "model")
    with pytest.raises(UsageError, match="train again"):
        build(
            f'{spec}(model="{tmp_path / "model"}")',
            StrategyInputs(NoTopic(), np.random.default_rng(3)),
        )


def test_bad_option_of_a_trainer_is_named() -> None:
    with pytest.raises(UsageError, match="states must be at least 2"):
        trainer_of("hmm(states=1)").train([], silent)
    with pytest.raises(UsageError, match="layers must be at least 1"):
        trainer_of("context-graph(layers=0)").train([], silent)


def test_bpm_adds_a_quarter_of_how_like_wanted_pages_the_words_of_a_link_are() -> None:
    world = small_world({"home": ["tea", "rain", "other"]})
    strategy = Bpm()
    strategy._reader = CentroidReader(hidden())
    page = Recorded(world).answer(Choice(0, 0))
    strategy.queue(page, 0.5)
    # The cosines of tea and rain with the centroid (0.8, 0.6).
    promised = {world.book.href(one.url)[-3:]: one.promise for one in strategy.ask(3, frozenset())}
    expected = {"tea": 0.5 + 0.8 / 4, "ain": 0.5 + 0.6 / 4, "her": 0.5}
    assert promised == pytest.approx(expected)
