"""The command line as a user meets it: what it prints, writes and refuses."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from foragers.cli.main import main, parser, with_settings
from foragers.worlds.generated import generate
from foragers.worlds.store import open_world, save
from support.waiting import until
from support.worlds_by_hand import small_world

HTML = b"<html><title>Home</title><body><a href=/a>first page</a></body></html>"


def record(url: str, body: bytes, date: str = "2024-01-01T00:00:00Z") -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{abs(hash(url))}>\r\n"
        f"WARC-Date: {date}\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    ).encode() + http + b"\r\n\r\n"  # fmt: skip


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    file = tmp_path / "web.warc.gz"
    urls = ("http://site.test/", "http://site.test/a")
    file.write_bytes(b"".join(gzip.compress(record(url, HTML)) for url in urls))
    return file


@pytest.fixture
def world(tmp_path: Path) -> Path:
    archive = small_world(
        {"home": ["a", "b"], "a": ["t"], "b": [], "t": []},
        seeds=["home"],
        labels={"target": ["t"]},
        texts={"t": "robot arms"},
    )
    save(archive, tmp_path / "world")
    return tmp_path / "world"


def said(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


def refused(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    """Return the one line with which a command was refused."""
    code, _, err = said(capsys, *words)
    assert code == 2, err
    assert err.startswith("foragers: ")
    assert err.count("\n") == 1, err
    return err


def test_a_warc_becomes_a_world(
    warc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = said(capsys, "world", "import", tmp_path / "w", warc)
    assert code == 0
    assert "a static world of 2 pages, 2 versions, 1 link, 1 host" in " ".join(out.split())
    assert open_world(tmp_path / "w").pages == 2


def test_compare_writes_all_it_promises(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = said(
        capsys, "compare", world, "--relevant", "target", "--budget", "4", "--runs", "2",
        "--json", tmp_path / "r.json", "--out", tmp_path / "out",
    )  # fmt: skip
    assert code == 0
    assert "optimal" in out
    written = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"report.html", "harvest.png", "harvest.svg", "result.json", "ledgers"} <= written
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["strategies"]["optimal"]["runs"][0]["curve"] == [[1, 0], [2, 0], [3, 1]]
    report = (tmp_path / "out" / "report.html").read_text()
    assert "<svg" in report
    assert "http" not in report.replace("http://www.w3.org", "").replace(
        "http://purl.org", ""
    ).replace("http://creativecommons.org", "").replace("https://matplotlib.org", "")


def test_the_tables_fit_a_terminal(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("world", "info", world), ("strategies",)):
        _, out, _ = said(capsys, *words)
        assert max(len(line) for line in out.splitlines()) <= 80


def test_options_come_from_a_file_and_the_command_line_wins(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "options.toml"
    file.write_text('relevant = "target"\nbudget = 3\nstrategies = ["breadth-first", "random"]\n')
    json_file = tmp_path / "r.json"
    words = ("compare", world, "--config", file, "--budget", "2", "--json", json_file)
    assert said(capsys, *words)[0] == 0
    result = json.loads(json_file.read_text())
    assert (result["budget"], set(result["strategies"])) == (2, {"breadth-first", "random"})


def test_a_finished_comparison_can_be_repeated(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("compare", world, "--relevant", "target", "--budget", "4", "--out", tmp_path / "out")
    first, second = said(capsys, *words), said(capsys, *words)
    assert (first[0], second[0]) == (0, 0)
    assert first[1].split("ms/page")[1].split()[0] == second[1].split("ms/page")[1].split()[0]


def test_other_labels_make_another_comparison(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = tmp_path / "l.jsonl"
    words = (
        "compare", world, "--labels", labels, "--relevant", "x", "--budget", "4",
        "--out", tmp_path / "out",
    )  # fmt: skip
    labels.write_text('{"url": "http://site.test/a", "labels": ["x"]}\n')
    assert said(capsys, *words)[0] == 0
    labels.write_text('{"url": "http://site.test/b", "labels": ["x"]}\n')
    assert "holds another comparison" in refused(capsys, *words)


def test_one_run_of_a_strategy_of_chance_proves_nothing(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = said(capsys, "compare", world, "--strategies", "random", "--budget", "3")
    line = next(line for line in out.splitlines() if line.strip().startswith("random"))
    assert "exact" not in line


def test_json_goes_through_a_pipe_and_through_a_link(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    words = ("compare", world, "--strategies", "breadth-first", "--budget", "2", "--json")
    assert said(capsys, *words, tmp_path / "link.json")[0] == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["budget"] == 2
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE)
    assert said(capsys, *words, tmp_path / "pipe")[0] == 0
    assert json.loads(reader.communicate()[0])["budget"] == 2


def test_words_that_look_like_markup_are_shown_as_they_are(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = said(capsys, "compare", world, "--topic", "[bold]x[/bold] [/]", "--budget", "2")
    assert code == 0
    assert "[bold]x[/bold] [/]" in " ".join(out.split())


def test_rewired_worlds_keep_their_degrees(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "world", "rewire", world, tmp_path / "w2")[0] == 0
    before, after = open_world(world), open_world(tmp_path / "w2")
    assert sorted(before.targets.tolist()) == sorted(after.targets.tolist())
    assert before.link_starts.tolist() == after.link_starts.tolist()


class TestBadInput:
    """Bad input gets one line that names what is wrong and the remedy, and exit code 2."""

    def test_no_such_world(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert "does not exist; make one with" in refused(capsys, "compare", tmp_path / "w")

    def test_a_folder_that_is_no_world(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert "is not a world" in refused(capsys, "world", "info", tmp_path)

    def test_an_empty_warc(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "e.warc.gz").touch()
        line = refused(capsys, "world", "import", tmp_path / "w", tmp_path / "e.warc.gz")
        assert "holds no WARC record" in line
        assert sorted(file.name for file in tmp_path.iterdir()) == ["e.warc.gz"]

    def test_a_file_that_is_no_warc(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "e.warc").write_text("<html>hello</html>")
        line = refused(capsys, "world", "import", tmp_path / "w", tmp_path / "e.warc")
        assert "holds no WARC record" in line

    def test_a_truncated_warc(
        self, warc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        warc.write_bytes(warc.read_bytes()[:-40])
        line = refused(capsys, "world", "import", tmp_path / "w", warc)
        assert "cut off in the middle of record 2" in line
        assert "--salvage" in line
        assert not (tmp_path / "w").exists()
        assert said(capsys, "world", "import", tmp_path / "w", warc, "--salvage")[0] == 0
        assert open_world(tmp_path / "w").pages == 1

    def test_labels_for_unknown_urls(
        self, warc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        labels = tmp_path / "l.jsonl"
        labels.write_text('{"url": "http://elsewhere.test/", "labels": ["x"]}\n')
        line = refused(capsys, "world", "import", tmp_path / "w", warc, "--labels", labels)
        assert "1 of the URLs are not in this world, the first is http://elsewhere.test/" in line
        assert not (tmp_path / "w").exists()

    def test_labels_that_are_no_labels(
        self, warc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        labels = tmp_path / "l.jsonl"
        labels.write_text('{"url": "http://site.test/", "labels": "x"}\n')
        line = refused(capsys, "world", "import", tmp_path / "w", warc, "--labels", labels)
        assert "line 1" in line

    def test_unknown_strategies_and_parameters(
        self, world: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        line = refused(capsys, "compare", world, "--strategies", "best-frist")
        assert "did you mean 'best-first'" in line
        line = refused(capsys, "compare", world, "--strategies", "best-first(inherits=1)")
        assert "has no parameter 'inherits'; did you mean 'inherit'" in line

    def test_a_world_of_a_newer_version(
        self, world: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        manifest = world / "world.json"
        manifest.write_text(manifest.read_text().replace('"version": 1', '"version": 99'))
        assert "world format 99" in refused(capsys, "world", "info", world)

    def test_no_seed_with_a_page(
        self, world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "s.txt").write_text("http://nowhere.test/\n")
        line = refused(capsys, "compare", world, "--seeds", tmp_path / "s.txt")
        assert "http://nowhere.test/ is not in this world" in line

    def test_an_unknown_label(self, world: Path, capsys: pytest.CaptureFixture[str]) -> None:
        line = refused(capsys, "compare", world, "--relevant", "targets")
        assert "no such label; there is target" in line

    @pytest.mark.parametrize(
        ("words", "remedy"),
        [
            (("--budget", "0"), "--budget 0: must be at least 1"),
            (("--budget", "many"), "--budget many: must be a whole number"),
            (("--runs", "-1"), "--runs -1"),
            (("--seed", "-1"), "--seed -1"),
            (("--strategies", ""), "--strategies is empty"),
            (("--strategies", "random,random()"), "twice"),
            (("--json", "."), "is a folder"),
            (("--json", "no/such/folder/r.json"), "does not exist"),
            (("--since", "inf"), "--since inf"),
            (("--since", "2999-01-01"), "after the end"),
            (("--conf", "x.toml"), "unrecognized arguments"),
            (("--config=no.toml",), "--config no.toml"),
            (("--concurrency", "0"), "--concurrency 0"),
            (("--jobs", "0"), "--jobs 0"),
            (("--topic", "..."), "--topic"),
            (("--new-within", "soon"), "--new-within soon"),
            (("--since", "yesterday"), "--since yesterday"),
            (("--seconds-per-page", "-1"), "--seconds-per-page"),
            (("--nonsense", "1"), "unrecognized arguments"),
            (("--config", "no.toml"), "--config no.toml"),
            (("--labels", "no.jsonl"), "--labels no.jsonl"),
            (("--examples", "no.jsonl"), "--examples no.jsonl"),
            (("--judge", "no.such:thing"), "--judge no.such:thing"),
        ],
    )
    def test_options_that_make_no_sense(
        self, world: Path, words: tuple[str, ...], remedy: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert remedy in refused(capsys, "compare", world, *words)

    @pytest.mark.parametrize(
        ("words", "remedy"),
        [
            (("--out", ""), "--out is empty: name a folder"),
            (("--scope", "galaxy"), "--scope galaxy: there is host, site, any"),
            (("--minutes", "inf"), "--minutes inf: must be at most"),
            (("--minutes", "nan"), "--minutes nan: must be at least 0"),
            (("--delay", "inf"), "--delay inf: must be at most"),
            (("--concurrency", "100000000"), "must be at most 10,000"),
            (("--chromium", "/no/browser"), "--chromium names the browser for --render"),
        ],
    )
    def test_crawls_that_make_no_sense(
        self,
        tmp_path: Path,
        words: tuple[str, ...],
        remedy: str,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        out = () if "--out" in words else ("--out", tmp_path / "c")
        assert remedy in refused(capsys, "crawl", "http://127.0.0.1:1/", *out, *words)
        assert not (tmp_path / "c").exists()

    @pytest.mark.parametrize("name", ["pages", "seed", "preset"])
    def test_settings_that_have_an_option(
        self, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ("world", "generate", tmp_path / "w", "--preset", "topics", "--set", f"{name}=5")
        assert f"use --{name}" in refused(capsys, *words)

    def test_times_without_end(
        self, warc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for option, value in (("--time-scale", "inf"), ("--window", "1..inf")):
            assert option in refused(capsys, "world", "import", tmp_path / "w", warc, option, value)
        assert not (tmp_path / "w").exists()

    def test_a_world_that_is_there_already(
        self, world: Path, warc: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert "exists already" in refused(capsys, "world", "import", world, warc)
        line = refused(capsys, "world", "generate", world, "--preset", "topics")
        assert "exists already" in line


def test_a_killed_import_leaves_no_world_and_can_be_repeated(tmp_path: Path) -> None:
    file = tmp_path / "web.warc"
    body = HTML + b"<p>words and words</p>" * 3000
    with file.open("wb") as stream:
        for number in range(2000):
            stream.write(record(f"http://site.test/{number}", body))
    command = [
        sys.executable, "-m", "foragers.cli.main", "world", "import", str(tmp_path / "w"), str(file)
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    until((tmp_path / ".w.partial").exists)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "w").exists()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert open_world(tmp_path / "w").pages == 2000
    assert not list(tmp_path.glob(".*"))


def test_an_interrupted_import_cleans_up(tmp_path: Path) -> None:
    file = tmp_path / "web.warc"
    body = HTML + b"<p>words and words</p>" * 3000
    file.write_bytes(b"".join(record(f"http://site.test/{n}", body) for n in range(2000)))
    process = subprocess.Popen(
        [sys.executable, "-m", "foragers.cli.main", "world", "import", tmp_path / "w", file],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    until((tmp_path / ".w.partial" / "words.bin").exists)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err.startswith(b"foragers: interrupted")
    assert sorted(left.name for left in tmp_path.iterdir()) == ["web.warc"]


def test_generated_worlds_are_the_same_for_the_same_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        words = ("world", "generate", tmp_path / name, "--preset", "companies", "--seed", "7")
        assert said(capsys, *words)[0] == 0
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_a_setting_reaches_the_preset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("world", "generate", tmp_path / "w", "--preset", "topics", "--pages", "300")
    assert said(capsys, *words, "--set", "links=20")[0] == 0
    sparse = generate("topics", seed=0, pages=300)
    assert len(open_world(tmp_path / "w").targets) > 1.5 * len(sparse.targets)


def settings(tmp_path: Path, verb: str, text: str) -> list[str]:
    """Return what the lines of a settings file are on the command line."""
    file = tmp_path / "options.toml"
    file.write_text(text)
    return with_settings([verb, "--config", str(file)], parser(verb))[1:-2]


def test_values_of_options_that_may_hold_a_comma_are_given_one_by_one(tmp_path: Path) -> None:
    given = settings(tmp_path, "crawl", 'exclude = ["a{1,2}", "b"]\nhosts = ["a.org", ".b.org"]')
    assert given == ["--exclude=a{1,2}", "--exclude=b", "--hosts=a.org", "--hosts=.b.org"]
    assert settings(tmp_path, "compare", 'strategies = ["a", "b"]') == ["--strategies=a,b"]


def test_a_settings_file_turns_off_what_is_on_by_default(tmp_path: Path) -> None:
    assert settings(tmp_path, "crawl", "warc = false\ntraps = true") == ["--no-warc"]
    assert settings(tmp_path, "crawl", "no_warc = true\nno-traps = false") == ["--no-warc"]
    assert settings(tmp_path, "crawl", "render = true\nfeeds = false") == ["--render"]


def test_a_settings_file_with_an_unknown_option_is_refused_by_name(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "options.toml"
    file.write_text("bugdet = 3\n")
    code, _, err = said(capsys, "compare", world, "--config", file)
    assert (code, "'bugdet' is not an option" in err, str(file) in err) == (2, True, True)
