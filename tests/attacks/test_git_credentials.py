"""Git without a credential of the repository uses none of the server's user."""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from workflows.repos.addresses import address_of
from workflows.repos.ssh_login import Login, ssh_command

ROOT = Path(__file__).parents[2]


class Recorder(HTTPServer):
    """A server that wants a password, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.sent: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/team/packs.git"


class Answer(BaseHTTPRequestHandler):
    server: Recorder

    def do_GET(self) -> None:
        self.server.sent += [
            value
            for name, value in self.headers.items()
            if name.lower() in ("authorization", "cookie", "proxy-authorization")
        ]
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="packs"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with Recorder() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a password for every host, and a key."""
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".netrc").write_text("default login operator password op-secret\n")
    (folder / ".netrc").chmod(0o600)
    (folder / ".ssh/id_ed25519").write_text("a key\n")
    (folder / ".ssh/id_ed25519.pub").write_text("its public half\n")
    return folder


def listed(recorder: Recorder, home: Path, tmp_path: Path, *more: str) -> str:
    """The output of a process for which `home` is the home in the password file too."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        pytest.skip("needs bubblewrap, to have another home")
    real = pwd.getpwuid(os.getuid()).pw_dir
    work = tmp_path / "work"
    work.mkdir()
    python = [sys.base_prefix] if Path(sys.base_prefix).is_relative_to(real) else []
    done = subprocess.run(
        [
            *(bwrap, "--dev-bind", "/", "/", "--tmpfs", real),
            *(word for path in python for word in ("--ro-bind", path, path)),
            *("--ro-bind", str(home / ".netrc"), f"{real}/.netrc"),
            *(sys.executable, "-m", "tests.attacks.ambient_git", recorder.url, str(work), *more),
        ],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": real},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.machine
def test_no_password_of_the_servers_user_is_sent(
    recorder: Recorder, home: Path, tmp_path: Path
) -> None:
    assert "refused the credential" in listed(recorder, home, tmp_path)
    assert recorder.sent == []


@pytest.mark.machine
def test_the_operator_can_name_a_home(recorder: Recorder, home: Path, tmp_path: Path) -> None:
    listed(recorder, home, tmp_path, str(home))
    assert recorder.sent == ["Basic b3BlcmF0b3I6b3Atc2VjcmV0"]


def options(url: str, login: Login, tmp_path: Path, home: Path | None = None) -> dict[str, str]:
    """The options that ssh itself reads from its arguments."""
    words = shlex.split(
        ssh_command(
            address_of(url),
            login,
            address="192.0.2.1",
            known_hosts=tmp_path / "known_hosts",
            home=home,
            folder=tmp_path,
        )
    )
    done = subprocess.run([*words, "-G", "host"], capture_output=True, text=True, check=True)
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    found: dict[str, str] = {}
    for key, _, value in lines:
        found[key] = f"{found[key]} {value}" if key in found else value
    return found


@pytest.mark.skipif(shutil.which("ssh") is None, reason="needs ssh")
@pytest.mark.machine
def test_ssh_offers_no_key_agent_or_ticket_of_the_servers_user(tmp_path: Path) -> None:
    found = options("git@git.example.org:team/packs.git", Login(), tmp_path)
    assert found["identityfile"] == "none"
    assert found["identityagent"] == "none"
    for name in (
        "pubkeyauthentication",
        "passwordauthentication",
        "kbdinteractiveauthentication",
        "hostbasedauthentication",
    ):
        assert found[name] in ("no", "false"), name
    assert found.get("gssapiauthentication", "no") == "no"


@pytest.mark.skipif(shutil.which("ssh") is None, reason="needs ssh")
@pytest.mark.machine
def test_ssh_offers_the_key_of_the_repository_alone(tmp_path: Path, home: Path) -> None:
    found = options("git@git.example.org:team/packs.git", Login(ssh_key="mine"), tmp_path, home)
    assert found["identityfile"] == str(tmp_path / "key")
    assert found["pubkeyauthentication"] in ("yes", "true")
    found = options("git@git.example.org:team/packs.git", Login(), tmp_path, home)
    assert found["identityfile"] == str(home / ".ssh/id_ed25519")


@pytest.mark.skipif(shutil.which("ssh") is None, reason="needs ssh")
@pytest.mark.machine
def test_the_key_of_a_host_counts_for_its_port(tmp_path: Path) -> None:
    usual = options("ssh://git@git.example.org/a.git", Login(), tmp_path)
    other = options("ssh://git@git.example.org:2222/a.git", Login(), tmp_path)
    assert usual["hostkeyalias"] == "git.example.org"
    assert other["hostkeyalias"] == "[git.example.org]:2222"
