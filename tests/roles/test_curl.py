"""The document's own curl examples run as they are written; only token, id and host are filled in.

They are in `curl/` as in the document, with its example config.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.contrib.auth.models import User
from pytest_django.live_server_helper import LiveServer

from roles.actions.copies import provide
from roles.models import Role
from tests.support.corpus import CORPUS
from tests.support.tokens import api_token

CURL = Path(__file__).parent / "curl"
HOST = "https://your-instance.com"


class Shell:
    """Runs one of the examples for a role on a server."""

    def __init__(self, url: str, token: str, home: Path) -> None:
        self._url = url
        self._token = token
        self._home = home
        (home / ".curlrc").write_text("silent\nshow-error\nfail-with-body\n")

    def run(self, example: str, role: int) -> Any:
        text = (CURL / f"{example}.sh").read_text()
        assert text.count(HOST) == text.count("/:id/") == 1
        text = text.replace(HOST, self._url).replace("/:id/", f"/{role}/")
        return json.loads(self._with_curl(text) if shutil.which("curl") else self._read(text))

    def _with_curl(self, text: str) -> str:
        path = {"PATH": os.environ["PATH"], "no_proxy": "*"}
        here = {**path, "TOKEN": self._token, "CURL_HOME": str(self._home)}
        done = subprocess.run(
            ["sh", "-c", text], env=here, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def _read(self, text: str) -> str:
        """The request of curl, on machines without it."""
        command = argparse.ArgumentParser()
        command.add_argument("-X", dest="method", default="GET")
        command.add_argument("-H", dest="headers", action="append")
        command.add_argument("-d", dest="data")
        command.add_argument("url")
        line = text.replace("\\\n", " ").replace("$TOKEN", self._token)
        given = command.parse_args(shlex.split(line)[1:])
        headers = dict(header.split(": ", 1) for header in given.headers)
        data = given.data.encode() if given.data else None
        asked = Request(given.url, data=data, headers=headers, method=given.method)
        return str(urlopen(asked).read().decode())


@pytest.fixture
def shell(live_server: LiveServer, tmp_path: Path) -> Shell:
    user = User.objects.create_user("ada")
    provide(user)
    return Shell(live_server.url, api_token(user, "curl"), tmp_path)


@pytest.mark.parametrize("curl", [True, False], ids=["curl", "without curl"])
def test_the_examples_of_the_document_run(
    shell: Shell, curl: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not curl:
        monkeypatch.setattr(shutil, "which", lambda name: None)
    role = Role.objects.get(owner__username="ada", name="Reviewer")
    shipped = role.prompt_config
    assert shell.run("get", role.pk)["prompt_config"] == shipped

    updated = shell.run("update", role.pk)
    assert updated["warnings"] == []
    config = updated["prompt_config"]
    assert config["system_prompt"] == "You are a code reviewer..."
    assert config["memory_profile"] == {}
    assert "cron_task" not in config["templates"]
    assert shell.run("get", role.pk) == updated

    assert shell.run("reset", role.pk)["prompt_config"] == shipped
    assert shell.run("get", role.pk)["prompt_config"] == shipped


def test_the_example_config_of_the_document_is_saved_and_read_back(
    live_server: LiveServer,
) -> None:
    user = User.objects.create_user("ada")
    headers = {
        "Authorization": f"Bearer {api_token(user, 'example')}",
        "Content-Type": "application/json",
    }
    example = json.loads((CURL / "example.json").read_text())
    body = json.dumps({"name": "Example", "prompt_config": example}).encode()
    address = f"{live_server.url}/api/v1/agent-roles"
    made = json.load(urlopen(Request(address, data=body, headers=headers)))
    read = Request(f"{address}/{made['id']}/prompt", headers=headers)
    answer = json.load(urlopen(read))
    assert answer["prompt_config"] == example
    assert answer["warnings"] == []


@pytest.mark.third_party
def test_the_examples_are_those_of_the_document() -> None:
    told = (CORPUS.parent / "specs/documents/prompt-config.txt").read_text()
    for path in sorted(CURL.iterdir()):
        assert path.read_text().strip() in told
