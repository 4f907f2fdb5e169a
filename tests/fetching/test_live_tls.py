"""Certificates: whose, for whom, until when."""

from __future__ import annotations

import socket
import ssl
import subprocess
from pathlib import Path
from shutil import which

import pytest

from support.crawling import BRIEF, crawl, serving
from support.hostile_server import HostileServer, page

MADE = {
    "good": ("IP:127.0.0.1", "20491231000000Z"),
    "other-host": ("DNS:elsewhere.test", "20491231000000Z"),
    "expired": ("IP:127.0.0.1", "20200102000000Z"),
}
SETTINGS = """
[ca]
default_ca = own
[own]
database = index
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
unique_subject = no
x509_extensions = extensions
[any]
commonName = supplied
[extensions]
subjectAltName = {}
"""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make certificates for a server on this machine, each signed by itself."""
    if which("openssl") is None:
        pytest.skip("certificates are made with the openssl command, which is not here")
    folder = tmp_path_factory.mktemp("certificates")
    (folder / "index").touch()
    (folder / "serial").write_text("01\n")
    for name, (subject, end) in MADE.items():
        (folder / "settings").write_text(SETTINGS.format(subject))
        request = (
            f"req -new -newkey rsa:2048 -nodes -keyout {name}.key -out request -subj /CN={name}"
        )
        sign = f"ca -batch -selfsign -notext -config settings -keyfile {name}.key -in request"
        dates = f"-startdate 20200101000000Z -enddate {end} -out {name}.pem"
        for command in (request, f"{sign} {dates}"):
            words = ["openssl", *command.split()]
            subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder


def crawled(folder: Path, certificates: Path, name: str) -> tuple[str, str, int]:
    """Crawl a server with a certificate; return status, reason and how often it was asked."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
    with HostileServer({"*": page()}, tls=context) as server:
        outcome = crawl(folder, server.url("/"))
        return outcome.status("/"), outcome.reason("/"), len(server.log)


def test_a_certificate_that_nobody_vouches_for_is_refused(
    certificates: Path, tmp_path: Path
) -> None:
    status, reason, asked = crawled(tmp_path, certificates, "good")
    assert (status, asked) == ("skipped", 0)
    assert "robots.txt could not be fetched: self-signed certificate: " in reason


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("good", "ok", ""),
        ("other-host", "skipped", "certificate of another host: "),
        ("expired", "skipped", "certificate expired: "),
    ],
)
def test_a_certificate_must_be_for_this_host_and_this_day(
    name: str,
    status: str,
    said: str,
    certificates: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("certifi.where", lambda: str(certificates / f"{name}.pem"))
    found, reason, asked = crawled(tmp_path, certificates, name)
    assert found == status
    assert said in reason
    assert bool(asked) == (status == "ok")


def test_http_where_https_is_meant_fails_with_a_reason(tmp_path: Path) -> None:
    with serving({}) as server:
        outcome = crawl(tmp_path, server.url("/").replace("http:", "https:"))
        assert outcome.status("/") == "skipped"
        assert "TLS" in outcome.reason("/")


def test_a_server_that_does_not_shake_hands_is_given_up_in_time(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/"
        outcome = crawl(tmp_path, url, limits=BRIEF)
        assert outcome.status("/") == "skipped"
        assert "timeout" in outcome.reason("/")
