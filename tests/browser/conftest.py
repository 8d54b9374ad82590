"""A real server in a process of its own, a real Chromium, and one person signed in."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where it listens, its one-time link, and a folder it may write repositories in."""

    url: str
    link: str
    repositories: Path
    env: dict[str, str]


def chromium() -> str:
    """The browser that `scripts/chromium.sh` saw to."""
    for name in (os.environ.get("SIGNALBOX_CHROMIUM"), "chromium", "chromium-browser"):
        if name and (path := shutil.which(name)):
            return path
    pytest.exit("No Chromium: run scripts/chromium.sh", returncode=1)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {
        **browser_type_launch_args,
        "executable_path": chromium(),
        "args": [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
        ],
    }


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("data")
    repositories = tmp_path_factory.mktemp("repositories")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {
        **os.environ,
        "SIGNALBOX_DATA": str(data),
        "SIGNALBOX_REPOSITORIES": str(repositories),
        "PYTHONUNBUFFERED": "1",
    }
    log = (data / "server.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "signalbox", "serve", "--port", str(port)],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    assert process.stdout is not None
    link = ""
    for line in process.stdout:
        if found := re.search(r"http://\S+/sign-in/\S+", line):
            link = found.group()
            break
    assert link, (data / "server.log").read_text()
    yield Server(
        url=f"http://127.0.0.1:{port}", link=link, repositories=repositories, env=env
    )
    process.terminate()
    process.wait(20)
    process.stdout.close()
    log.close()
    complaints = [
        line
        for line in (data / "server.log").read_text().splitlines()
        if "Traceback" in line or "Unclosed" in line
    ]
    assert complaints == []


@pytest.fixture(scope="session")
def signed_in(server: Server, browser: Browser) -> Any:
    """The cookies of somebody who followed the link, as playwright's storage state."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.link)
    page.wait_for_url(server.url + "/")
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def context(browser: Browser, server: Server, signed_in: Any) -> Iterator[BrowserContext]:
    context = browser.new_context(
        storage_state=signed_in,
        base_url=server.url,
        viewport={"width": 1440, "height": 900},
        reduced_motion="reduce",
        accept_downloads=True,
    )
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page on which any script error or refused resource fails the test."""
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console",
        lambda message: wrong.append(message.text)
        if "Content Security Policy" in message.text
        else None,
    )
    yield page
    assert wrong == []
