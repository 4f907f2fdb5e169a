"""The interface of URLFrontier over real gRPC, and what the strategy learns through it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from foragers.cli.main import main
from foragers.core.options import Target
from foragers.crawling.learner import CrawlLearner
from foragers.errors import UsageError

if find_spec("grpc") is None:
    pytest.skip("grpcio is not installed", allow_module_level=True)

import grpc

from foragers.urlfrontier.messages import METHODS, SERVICE, classes
from foragers.urlfrontier.service import FrontierService, serve

TYPES = classes()


class Client:
    """A client that knows nothing but the interface."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel

    def call(self, name: str, request: Any) -> Any:
        method = METHODS[name]
        kind = {
            (False, False): self._channel.unary_unary,
            (False, True): self._channel.unary_stream,
            (True, True): self._channel.stream_stream,
        }[method.takes_many, method.gives_many]
        answer = kind(
            f"/{SERVICE}/{name}",
            request_serializer=TYPES[method.takes].SerializeToString,
            response_deserializer=TYPES[method.gives].FromString,
        )(request)
        return list(answer) if method.gives_many else answer

    def ask(self, name: str, **given: Any) -> Any:
        return self.call(name, TYPES[METHODS[name].takes](**given))

    def put(self, *items: Any) -> list[tuple[str, int]]:
        return [(ack.ID, ack.status) for ack in self.call("PutURLs", iter(items))]

    def get(self, **given: Any) -> list[str]:
        return [info.url for info in self.ask("GetURLs", **given)]


def info(url: str, crawl: str = "", key: str = "", **metadata: str) -> Any:
    values = {
        name.replace("__", "."): TYPES["StringList"](values=[v]) for name, v in metadata.items()
    }
    return TYPES["URLInfo"](url=url, key=key, crawlID=crawl, metadata=values)


def found(url: str, **more: str) -> Any:
    return TYPES["URLItem"](discovered=TYPES["DiscoveredURLItem"](info=info(url, **more)))


def known(url: str, due: int = 0, **more: str) -> Any:
    item = TYPES["KnownURLItem"](info=info(url, **more), refetchable_from_date=due)
    return TYPES["URLItem"](known=item)


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def learner() -> CrawlLearner:
    return CrawlLearner.of("auto", Target())


@pytest.fixture
def client(clock: Clock) -> Iterator[Client]:
    service = FrontierService(learner, None, clock)
    server, port = serve(service, "127.0.0.1:0")
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Client(channel)
    server.stop(0).wait()


def test_urls_are_sent_once_and_completed(client: Client) -> None:
    assert client.put(found("http://a.test/1"), found("http://a.test/2"), found("nonsense")) == [
        ("http://a.test/1", 0), ("http://a.test/2", 0), ("nonsense", 1),
    ]  # fmt: skip
    assert sorted(client.get()) == ["http://a.test/1", "http://a.test/2"]
    assert client.get() == []
    stats = client.ask("GetStats")
    assert (stats.size, stats.inProcess, stats.numberOfQueues) == (0, 2, 1)
    client.put(known("http://a.test/1"))
    assert client.ask("GetStats").counts["completed"] == 1
    assert client.put(found("http://a.test/1")) == [("http://a.test/1", 0)]
    assert client.get() == []


def test_a_lock_runs_out_and_a_date_comes(client: Client, clock: Clock) -> None:
    client.put(found("http://a.test/1"))
    assert client.get(delay_requestable=60) == ["http://a.test/1"]
    clock.now += 59
    assert client.get() == []
    clock.now += 1
    assert client.get() == ["http://a.test/1"]
    client.put(known("http://a.test/1", due=int(clock.now) + 500))
    clock.now += 499
    assert client.get() == []
    clock.now += 1
    assert client.get() == ["http://a.test/1"]


def test_queues_have_limits_delays_and_blocks(client: Client, clock: Clock) -> None:
    hosts = [f"h{n}.test" for n in range(4)]
    client.put(*(found(f"http://{host}/{n}") for host in hosts for n in range(5)))
    sent = client.get(max_urls_per_queue=2, max_queues=3)
    assert len(sent) == 6
    assert len({url.split("/")[2] for url in sent}) == 3
    client.ask("SetDelay", delay_requestable=10)
    assert {url.split("/")[2] for url in client.get(max_urls_per_queue=1)} == set(hosts) - {
        url.split("/")[2] for url in sent
    }
    clock.now += 10
    client.ask("BlockQueueUntil", key=hosts[0], time=int(clock.now) + 100)
    client.ask("SetCrawlLimit", key=hosts[1], limit=1)
    assert {url.split("/")[2] for url in client.get(max_urls_per_queue=1)} == set(hosts[2:])
    assert client.get(key=hosts[0]) == []


def test_crawls_are_kept_apart_and_deleted(client: Client) -> None:
    client.put(found("http://a.test/", crawl="one"), found("http://a.test/", crawl="two"))
    assert list(client.ask("ListCrawls").values) == ["one", "two"]
    assert client.get(crawlID="one") == ["http://a.test/"]
    assert client.get(anyCrawlID=TYPES["AnyCrawlID"]()) == ["http://a.test/"]
    assert client.ask("DeleteCrawl", value="one").value == 1
    assert client.ask("CountURLs", crawlID="one").value == 0


def test_the_other_methods_answer(client: Client, clock: Clock) -> None:
    batch = TYPES["DiscoveredBatch"](ID="7", items=[info("http://a.test/X"), info("no url")])
    (ack,) = client.call("PutDiscovered", iter([batch]))
    assert (ack.ID, list(ack.statuses)) == ("7", [0, 1])
    assert list(client.ask("ListNodes").values) == ["localhost"]
    assert list(client.ask("ListQueues").values) == ["a.test"]
    assert client.ask("CountURLs", filter="x", ignoreCase=True).value == 1
    assert client.ask("CountURLs", filter="x").value == 0
    (item,) = client.ask("ListURLs")
    assert item.discovered.info.url == "http://a.test/X"
    assert item.creation_date == int(clock.now)
    assert client.ask("GetURLStatus", url="http://a.test/X").discovered.info.key == "a.test"
    with pytest.raises(grpc.RpcError) as error:
        client.ask("GetURLStatus", url="http://a.test/none")
    assert error.value.code() is grpc.StatusCode.NOT_FOUND
    client.ask("SetActive", state=False)
    assert client.ask("GetActive").state is False
    assert client.get() == []
    client.ask("SetActive", state=True)
    client.ask("SetLogLevel", package="x")
    clock.now += 3 * 86_400
    assert client.ask("PurgeURLs", days=2).value == 1
    assert client.ask("DeleteQueue", key="a.test").value == 0


def harvest(client: Client, downloads: int) -> int:
    """Crawl a web with two sections, of which one is wanted; return the wanted pages found."""
    client.put(found("http://w.test/"))
    wanted = 0
    for _ in range(downloads):
        (url,) = client.get(max_urls_per_queue=1, max_queues=1)
        path = url.removeprefix("http://w.test/")
        good = path.startswith("good/")
        wanted += good
        links = ["good/0", "bad/0"] if not path else [f"{path}{digit}" for digit in range(5)]
        client.put(*(found(f"http://w.test/{link}", parent=url, anchor=link) for link in links))
        client.put(known(url, relevance="1" if good else "0", fetch__statusCode="200"))
    return wanted


def test_the_order_is_learned_from_what_the_crawler_reports(client: Client) -> None:
    assert harvest(client, 60) > 45


def test_a_killed_frontier_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    def use(act: Callable[[Client], Any]) -> Any:
        command = [sys.executable, "-m", "foragers.cli.main", "frontier"]
        process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0", "--out", str(tmp_path)], stdout=subprocess.PIPE
        )
        try:
            assert process.stdout is not None
            address = process.stdout.readline().decode().split()[2].rstrip(";")
            with grpc.insecure_channel(address) as channel:
                return act(Client(channel))
        finally:
            process.kill()
            process.communicate()

    use(lambda client: client.put(*(found(f"http://a.test/{n}") for n in range(5))))
    use(lambda client: client.put(known("http://a.test/0", relevance="1")))
    sent = use(lambda client: client.get())
    assert sorted(sent) == [f"http://a.test/{n}" for n in range(1, 5)]
    use(lambda client: client.ask("DeleteCrawl", value=""))
    assert use(lambda client: client.get()) == []


def test_a_port_and_a_folder_are_for_one_frontier(tmp_path: Path) -> None:
    first = FrontierService(learner, tmp_path)
    server, port = serve(first, "127.0.0.1:0")
    try:
        with pytest.raises(UsageError, match="another folder"):
            FrontierService(learner, tmp_path)
        with pytest.raises(UsageError, match="cannot listen"):
            serve(FrontierService(learner), f"127.0.0.1:{port}")
    finally:
        server.stop(0).wait()
        first.close()


@pytest.mark.parametrize(
    "wrong",
    [
        ["--listen", "nowhere.test:x"],
        ["--listen", "127.0.0.1:99999"],
        ["--strategy", "no"],
        ["--topic", " "],
    ],
)
def test_wrong_options_are_named_in_one_line(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["frontier", *wrong]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert wrong[1].strip() in line
