"""Git without a credential of the repository uses none of the server's user."""

from __future__ import annotations

import base64
import os
import pwd
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.attacks.recorders import HttpRecorder, SshRecorder, TicketRecorder
from tests.attacks.tickets import make_cache
from workflows.errors import RepositoryRefused
from workflows.repos.addresses import address_of
from workflows.repos.git import Git
from workflows.repos.remote import Remote
from workflows.repos.ssh_login import Login, ssh_command

ROOT = Path(__file__).parents[2]
PASSWORD = "Basic b3BlcmF0b3I6b3Atc2VjcmV0"


Recorder = HttpRecorder | SshRecorder


@contextmanager
def served(server: Recorder) -> Iterator[None]:
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield
        server.shutdown()
        thread.join()


@pytest.fixture(params=[HttpRecorder, TicketRecorder, SshRecorder])
def recorder(request: pytest.FixtureRequest) -> Iterator[Recorder]:
    server = request.param()
    with served(server):
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a password for every host, and a key."""
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".netrc").write_text("default login operator password op-secret\n")
    (folder / ".netrc").chmod(0o600)
    make_key(folder / ".ssh/id_ed25519")
    return folder


@pytest.fixture
def session(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a user with a running agent, which has another key, and with tickets."""
    key, socket = tmp_path / "agents_key", tmp_path / "agent"
    make_key(key)
    found = {"SSH_AUTH_SOCK": str(socket), **make_cache(tmp_path)}
    with subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL) as agent:
        while not socket.exists():
            assert agent.poll() is None
        subprocess.run(["ssh-add", "-q", key], env={**os.environ, **found}, check=True)
        yield found
        agent.terminate()


def make_key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


def public(path: Path) -> bytes:
    return base64.b64decode(path.with_suffix(".pub").read_text().split()[1])


def listed(home: Path, session: dict[str, str], *command: str) -> str:
    """The output of a command for which `home` is the home in the password file too."""
    bwrap = shutil.which("bwrap")
    real = pwd.getpwuid(os.getuid()).pw_dir
    if bwrap is None or not Path(real).is_dir():
        pytest.skip("needs bubblewrap and a home, to have another one there")
    python = [sys.base_prefix] if Path(sys.base_prefix).is_relative_to(real) else []
    done = subprocess.run(
        [
            *(bwrap, "--dev-bind", "/", "/", "--tmpfs", real),
            *(word for path in python for word in ("--ro-bind", path, path)),
            *("--ro-bind", str(home / ".netrc"), f"{real}/.netrc"),
            *("--ro-bind", str(home / ".ssh"), f"{real}/.ssh"),
            *command,
        ],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": real, **session},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.stdout


OURS = (sys.executable, "-m", "tests.attacks.ambient_git")


@pytest.mark.machine
def test_no_credential_of_the_servers_user_is_sent(
    recorder: Recorder, home: Path, session: dict[str, str], tmp_path: Path
) -> None:
    """Of a home with a password and a key, a running agent, and a cache of tickets."""
    said = listed(home, session, *OURS, recorder.url, str(tmp_path))
    assert "refused the credential" in said
    assert recorder.sent == []


@pytest.mark.machine
def test_plain_git_sends_them(
    recorder: Recorder, home: Path, session: dict[str, str], tmp_path: Path
) -> None:
    """So the test above can fail."""
    ssh = "ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o GSSAPIAuthentication=yes"
    listed(home, session, "git", "-c", f"core.sshCommand={ssh}", "ls-remote", recorder.url)
    if isinstance(recorder, SshRecorder):
        keys = public(tmp_path / "agents_key"), public(home / ".ssh/id_ed25519")
        assert {*recorder.sent} == {*keys, b"gssapi-with-mic"}
    else:
        start = "Negotiate YII" if isinstance(recorder, TicketRecorder) else PASSWORD
        assert [one[: len(start)] for one in recorder.sent] == [start]


@pytest.mark.machine
def test_the_operator_can_name_a_home(
    recorder: Recorder, home: Path, session: dict[str, str], tmp_path: Path
) -> None:
    listed(home, session, *OURS, recorder.url, str(tmp_path), str(home))
    key = public(home / ".ssh/id_ed25519")
    assert recorder.sent == {HttpRecorder: [PASSWORD], SshRecorder: [key]}.get(type(recorder), [])


def refused(recorder: Recorder, folder: Path, login: Login) -> str:
    """The reason why the branches of this address are not listed."""
    remote = Remote(
        address=address_of(recorder.url),
        login=login,
        private_hosts=("127.0.0.1",),
        known_hosts=folder / "known_hosts",
    )
    with pytest.raises(RepositoryRefused) as refusal:
        remote.branches(Git(folder=folder))
    return refusal.value.message


def test_git_follows_no_redirect(tmp_path: Path) -> None:
    first, other = HttpRecorder(), HttpRecorder()
    first.leads_to = other.url.removesuffix("/team/packs.git")
    with served(first), served(other):
        assert "redirects to another address" in refused(first, tmp_path, Login(token="secret"))
    assert (first.asked, other.asked) == (1, 0)


@pytest.mark.skipif(shutil.which("ssh") is None, reason="needs ssh")
@pytest.mark.machine
def test_a_host_with_another_key_is_refused(tmp_path: Path) -> None:
    """The recorder has a new key for each connection."""
    make_key(tmp_path / "mine")
    login = Login(ssh_key=(tmp_path / "mine").read_text())
    host = SshRecorder()
    with served(host):
        assert "refused the credential" in refused(host, tmp_path, login)
        assert "The host key of 127.0.0.1 has changed" in refused(host, tmp_path, login)
    assert host.sent == [public(tmp_path / "mine")]


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
