"""`foragers watch` and `foragers status` as a user runs them."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from foragers.cli.main import parser
from foragers.core.options import make
from foragers.watching.watch_options import WatchOptions
from support.crawl_folders import refused, said
from support.news_site import NewsSite, served
from support.waiting import LONG


def test_a_watch_prints_events_and_stops_when_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "news"
    with served(NewsSite(old=12)) as site:
        words = [
            *(sys.executable, "-m", "foragers.cli.main", "watch", site.url(), "--out", str(folder)),
            *("--allow-private", "127.0.0.1", "--every", "1s", "--requests", "1000000/day"),
            *("--delay", "0", "--log-format", "json", "--for", "5m"),
        ]
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as watch:
            try:
                while sum(path == "/" for _, path in site.log) < 2:  # it has come back
                    time.sleep(0.05)
                    assert watch.poll() is None, watch.stderr and watch.stderr.read()
                url = site.article_url(site.publish())
                assert watch.stdout is not None
                event = msgspec.json.decode(watch.stdout.readline())
                watch.send_signal(signal.SIGTERM)
                _, log = watch.communicate(timeout=LONG)
            finally:
                watch.kill()
    assert (event["event"], event["url"]) == ("new", url)
    assert watch.returncode == 0
    assert all("message" in msgspec.json.decode(line) for line in log.splitlines())
    code, out, _ = said(capsys, "status", folder, "--json")
    assert code == 0
    assert msgspec.json.decode(out)["new"] == 1
    code, out, _ = said(capsys, "status", folder)
    assert "1 today, 1 in all" in out
    assert "what it brought" in out
    assert "new: Story" in out
    code, out, _ = said(capsys, "report", folder)
    assert "<svg" in (folder / "report.html").read_text()
    code, out, _ = said(
        capsys, "export", folder, "--all", "--since", "1h", "--no-text", "--no-links"
    )
    assert (
        len(out.splitlines())
        == msgspec.json.decode((folder / "status.json").read_bytes())["visits"]
    )
    code, out, _ = said(capsys, "export", folder, "--since", "2100-01-01")
    assert out == ""
    code, out, _ = said(capsys, "export", folder, "--new", "--since", "1h")
    assert [json.loads(line)["url"] for line in out.splitlines()] == [url]
    (folder / "events.jsonl").unlink()
    assert said(capsys, "export", folder, "--new")[:2] == (0, "")
    (folder / "watch.json").unlink()
    assert "--new is for watches" in refused(capsys, "export", folder, "--new")
    assert "24h for the last day" in refused(capsys, "export", folder, "--since", "soon")


def test_a_watch_that_is_killed_after_an_event_does_not_repeat_it(tmp_path: Path) -> None:
    folder = tmp_path / "news"
    with served(NewsSite(old=12)) as site:
        words = [
            *(sys.executable, "-m", "foragers.cli.main", "watch", site.url(), "--out", str(folder)),
            *("--allow-private", "127.0.0.1", "--every", "1s", "--requests", "1000000/day"),
            *("--delay", "0", "--for", "5m"),
        ]
        found = []
        for _ in range(3):
            looks = sum(path == "/" for _, path in site.log)
            with subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            ) as watch:
                try:
                    while sum(path == "/" for _, path in site.log) < looks + 2:
                        time.sleep(0.05)
                        assert watch.poll() is None
                    url = site.article_url(site.publish())
                    assert watch.stdout is not None
                    found.append((msgspec.json.decode(watch.stdout.readline())["url"], url))
                finally:
                    watch.kill()
    assert [one for one, _ in found] == [url for _, url in found]
    lines = (folder / "events.jsonl").read_bytes().splitlines()
    assert [msgspec.json.decode(line)["url"] for line in lines] == [url for _, url in found]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "name a site"),
        (("http://a.test/", "--requests", "many"), "--requests many"),
        (("http://a.test/", "--every", "0"), "--every 0"),
        (("http://a.test/", "--quiet", "late"), "--quiet late"),
        (("http://a.test/", "--digest", "25:00"), "--digest 25:00"),
        (("http://a.test/", "--keep", "long"), "--keep long"),
        (("http://a.test/", "--notify", "nonsense"), "--notify"),
        (("--sites", "none.csv"), "--sites none.csv: No such file or directory"),
        (("http://a.test/", "--template", "none"), "--template none: No such file or directory"),
        (("http://a.test/", "--exec", "no-such-command"), "there is no command 'no-such-command'"),
    ],
)
def test_wrong_options_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], problem: str
) -> None:
    assert problem in refused(capsys, "watch", *words, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_unit_and_the_containers_of_the_docs_run_a_valid_command() -> None:
    text = (Path(__file__).parents[2] / "docs" / "watching.md").read_text(encoding="utf-8")
    unit = re.search(r"^ExecStart=/usr/bin/env foragers (.*)$", text, re.MULTILINE)
    command = re.search(r"^ +command: (\[.*\])$", text, re.MULTILINE)
    assert unit
    assert command
    in_container = json.loads(command[1])
    for words in (shlex.split(unit[1]), in_container):
        options = parser("watch").parse_args(words)
        make(WatchOptions, vars(options), seeds=tuple(options.urls)).check()


def test_the_state_of_another_folder_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no status.json" in refused(capsys, "status", tmp_path)
    (tmp_path / "status.json").write_text("{")
    assert "cannot be read" in refused(capsys, "status", tmp_path)
