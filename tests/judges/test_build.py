import json
from pathlib import Path
from typing import TypedDict, Unpack

import pytest

from foragers.core.options import Target
from foragers.core.protocols import Judge
from foragers.errors import UsageError
from foragers.judges.build import build_judge, topic_of, truth
from foragers.judges.corpus import Example, read_texts
from foragers.judges.examples import Examples
from foragers.judges.function import FunctionJudge
from foragers.judges.keywords import Keywords, Tfidf
from foragers.judges.novelty import Novelty, parse_duration
from foragers.judges.simple import Everything, LabelJudge
from foragers.judges.topic import NoTopic
from foragers.judges.words import Words
from foragers.worlds.archive import Archive
from support.judged_pages import page
from support.worlds_by_hand import small_world

WORLD = small_world(
    {"a": ["b", "c"], "b": [], "c": []},
    texts={"a": "green tea", "b": "green house", "c": "tea house"},
    labels={"topic:tea": ["a", "c"], "topic:house": ["b", "c"], "class:home": ["a"]},
)


class TargetKeywords(TypedDict, total=False):
    topic: str
    similarity: str
    threshold: float
    examples: str
    relevant: str
    new_within: str
    judge: str
    idf: str
    vectors: str


def judge_of(archive: Archive | None = None, **options: Unpack[TargetKeywords]) -> Judge:
    return build_judge(Target(**options), archive)


def refusal(archive: Archive | None = None, **options: Unpack[TargetKeywords]) -> str:
    with pytest.raises(UsageError) as error:
        judge_of(archive, **options)
    message = str(error.value)
    assert "\n" not in message
    return message


def test_nothing_said_means_everything() -> None:
    assert judge_of() == Everything()


def test_words_make_a_judge_of_words_unless_another_is_named() -> None:
    assert judge_of(topic="green tea") == Words("green tea")
    assert judge_of(topic="green tea", threshold=0.6) == Words("green tea", 0.6)
    assert judge_of(topic="green tea", similarity="keywords") == Keywords("green tea")


def test_the_judge_of_words_has_learned_from_a_recorded_world_beforehand() -> None:
    judge = judge_of(topic="green tea", archive=WORLD)
    assert isinstance(judge, Words)
    assert (judge.growing, judge.standing().pages) == (False, 3)


def test_tfidf_grows_on_a_live_web_and_is_fixed_on_a_recorded_one() -> None:
    live = judge_of(topic="tea", similarity="tfidf")
    recorded = judge_of(topic="tea", similarity="tfidf", archive=WORLD)
    assert isinstance(live, Tfidf)
    assert isinstance(recorded, Tfidf)
    assert (live.growing, live.frequencies.documents) == (True, 0)
    assert (recorded.growing, recorded.frequencies.documents) == (False, 3)
    assert recorded.frequencies.counts == {"green": 2, "tea": 2, "house": 2}


def test_tfidf_may_count_words_in_a_corpus_file(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("green tea\n\nhouse\n")
    judge = judge_of(topic="tea", similarity="tfidf", idf=str(tmp_path / "corpus.txt"))
    assert isinstance(judge, Tfidf)
    assert (judge.growing, judge.frequencies.documents) == (False, 2)


def test_a_label_alone_is_the_judge_and_beside_a_topic_it_is_not() -> None:
    assert judge_of(relevant="topic:tea", archive=WORLD) == LabelJudge(frozenset({0, 2}))
    assert isinstance(judge_of(relevant="topic:tea", topic="x", archive=WORLD), Words)


def test_labels_joined_by_commas_mean_any_of_them() -> None:
    assert truth(WORLD, "topic:tea, topic:house") == {0, 1, 2}


def test_news_may_be_of_a_kind() -> None:
    assert judge_of(new_within="24h") == Novelty(86400.0)
    assert judge_of(new_within="60m", topic="tea") == Novelty(3600.0, Words("tea"))
    both = judge_of(new_within="1h", relevant="class:home", archive=WORLD)
    assert both == Novelty(3600.0, LabelJudge(frozenset({0})))


def test_a_function_is_looked_for_at_once() -> None:
    assert judge_of(judge="math:sqrt") == FunctionJudge("math:sqrt")
    assert "math has no function half" in refusal(judge="math:half")


def test_examples_come_with_their_counterexamples_or_with_pages_of_the_world(
    tmp_path: Path,
) -> None:
    file = tmp_path / "examples.jsonl"
    lines = [{"text": "green tea", "relevant": True}, {"text": "house", "label": 0}]
    file.write_text("\n".join(map(json.dumps, lines)))
    assert judge_of(examples=str(file), archive=WORLD) == Examples(("green tea",), ("house",))
    file.write_text(json.dumps({"text": "green tea"}))
    judge = judge_of(examples=str(file), archive=WORLD)
    assert isinstance(judge, Examples)
    assert judge.negative == ()
    assert len(judge.background) == 3
    assert judge_of(examples=str(file)) == Examples(("green tea",))


def test_contradictions_are_refused() -> None:
    assert refusal(examples="a", judge="b:c") == (
        "--examples and --judge exclude each other; give one of them"
    )
    assert refusal(topic="a", judge="b:c").startswith("--topic and --judge exclude each other")
    assert "add --topic" in refusal(similarity="tfidf")
    assert "use words or meaning or keywords or tfidf" in refusal(similarity="lsi", topic="tea")
    assert "add --similarity tfidf" in refusal(topic="tea", idf="corpus.txt")
    assert refusal(threshold=0.5).startswith("--threshold needs --topic")
    for threshold in (0.0, 1.5, float("nan")):
        assert "above 0 and at most 1" in refusal(topic="tea", threshold=threshold)


@pytest.mark.parametrize("topic", ["", " ", "?!…", "---"])
def test_a_topic_without_words_is_refused(topic: str) -> None:
    assert "has no words" in refusal(topic=topic)


def test_an_unknown_label_is_refused_with_the_closest_ones() -> None:
    assert refusal(relevant="topic:teas", archive=WORLD) == (
        "--relevant topic:teas: no such label; there is topic:tea, topic:house, …"
    )
    assert "there is class:home, topic:house, topic:tea" in refusal(relevant="xx", archive=WORLD)
    assert "contains no label" in refusal(relevant=" , ", archive=WORLD)
    assert "has none; import it with --labels" in refusal(
        relevant="x", archive=small_world({"a": []})
    )
    assert "needs a recorded world" in refusal(relevant="topic:tea")


def test_example_files_that_are_missing_empty_or_one_sided_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "examples.jsonl"
    assert f"--examples {file}: no such file or folder" in refusal(examples=str(file))
    file.write_text("\n \n")
    assert "holds no text" in refusal(examples=str(file))
    file.write_text('{"text": "tea", "relevant": false}')
    assert "all are negative" in refusal(examples=str(file))
    file.write_text('{"text": "tea"}\n{"body": "tea"}')
    assert "line 2: Object missing required field `text`" in refusal(examples=str(file))
    file.write_text('{"text": "tea", "label": "perhaps"}')
    assert "line 1: 'perhaps' is neither yes nor no" in refusal(examples=str(file))
    file.write_bytes(b"\xff\xfe\x00tea")
    assert "cannot be read as text" in refusal(examples=str(file))
    folder = tmp_path / "empty"
    folder.mkdir()
    assert "holds no text" in refusal(examples=str(folder))


def test_a_text_file_holds_one_example_a_line(tmp_path: Path) -> None:
    file = tmp_path / "examples.txt"
    file.write_text("green tea\n\n?!\nblack tea\n")
    assert read_texts(file, "--examples") == [Example("green tea"), Example("black tea")]


def test_a_folder_holds_one_example_a_file(tmp_path: Path) -> None:
    (tmp_path / "negative").mkdir()
    (tmp_path / "a.txt").write_text("green tea")
    (tmp_path / "negative" / "b.txt").write_text("house")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")
    assert read_texts(tmp_path, "--examples") == [Example("green tea"), Example("house", False)]


def test_an_html_example_is_read_as_a_page(tmp_path: Path) -> None:
    pytest.importorskip("foragers.parsing.html.parse")
    file = tmp_path / "a.html"
    file.write_text("<title>Tea</title><script>no()</script><p>Green <b>leaves</b></p>")
    (example,) = read_texts(file, "--examples")
    assert example.text.split() == ["Tea", "Green", "leaves"]
    assert example.relevant


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("90", 90), ("90s", 90), ("45m", 2700), ("24h", 86400), ("1d12h", 129600), ("2W", 1209600),
     ("1d 12h", 129600), (3600, 3600), (0.5, 0.5), ("1.5h", 5400)],
)  # fmt: skip
def test_durations_are_read_as_people_write_them(given: str | float, seconds: float) -> None:
    assert parse_duration(given) == seconds


@pytest.mark.parametrize("given", ["", "h", "24x", "-1h", "0", "0h", "1h!", "nan", "inf", -5])
def test_what_is_no_duration_is_refused(given: str | float) -> None:
    with pytest.raises(UsageError) as error:
        parse_duration(given)
    assert str(error.value).startswith(f"--new-within {given}: not a duration; write for example")


def test_judges_with_words_are_topics_and_others_have_none() -> None:
    words = Keywords("tea")
    assert topic_of(words) is words
    assert topic_of(Novelty(topic=words)) is words
    for judge in (Everything(), LabelJudge(frozenset()), Novelty(), FunctionJudge("math:sqrt")):
        assert topic_of(judge) == NoTopic()
    examples = Examples(("green tea",), ("house",))
    assert topic_of(examples).likeness("tea") == examples.relevance(page("tea"))
