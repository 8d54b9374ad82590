"""A real server in a process of its own, a real Chromium, and one person signed in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.page_actions import api
from tests.browser.page_monitor import PageMonitor
from tests.support.live_server import LiveServer

PATIENCE = 20_000
"""Milliseconds that anything may take: what is never going to happen is the rare case."""
expect.set_options(timeout=PATIENCE)


DISABLED = (
    # Hidden windows: two pages of Chromium's own that every context would load.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    # Playwright's own: of several lists Chromium takes the last.
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
)


def chromium() -> str:
    """The browser that `scripts/test_programs.sh` saw to."""
    for name in (os.environ.get("SIGNALBOX_CHROMIUM"), "chromium", "chromium-browser"):
        if name and (path := shutil.which(name)):
            return path
    pytest.exit("No Chromium: run scripts/test_programs.sh", returncode=1)


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
            f"--disable-features={','.join(DISABLED)}",
        ],
    }


def start_server(data: Path, **more: Any) -> LiveServer:
    """A started server that may write repositories below its folder and connect to models on
    loopback."""
    repositories = data / "repositories"
    repositories.mkdir()
    settings = {"SIGNALBOX_REPOSITORIES": str(repositories), "SIGNALBOX_PRIVATE_HOSTS": "127.0.0.1"}
    server = LiveServer(data, **settings, **more)
    server.start()
    return server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    server = start_server(tmp_path_factory.mktemp("data"))
    yield server
    server.stop()


def sign_in(browser: Browser, server: LiveServer, link: str) -> Any:
    """Follow a one-time link; the cookies it gives, as playwright's storage state."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Sign in as").click()
    page.wait_for_url(server.url + "/")
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="session")
def signed_in(server: LiveServer, browser: Browser) -> Any:
    return sign_in(browser, server, server.link)


@pytest.fixture
def watch(server: LiveServer) -> Iterator[PageMonitor]:
    """Fails the test for what must never happen on any of its pages."""
    watch = PageMonitor(host=urlsplit(server.url).netloc)
    yield watch
    assert watch.left() == []


Opening = Callable[..., BrowserContext]


@pytest.fixture
def opening(browser: Browser, watch: PageMonitor) -> Iterator[Opening]:
    """Open a browser: `opening(server, cookies, …)`. Each is monitored, and closed at the end."""
    opened: list[BrowserContext] = []

    def open_one(server: LiveServer, cookies: Any, **wishes: Any) -> BrowserContext:
        context = browser.new_context(
            storage_state=cookies,
            base_url=server.url,
            **{
                "viewport": {"width": 1440, "height": 900},
                "reduced_motion": "reduce",
                "accept_downloads": True,
                **wishes,
            },
        )
        context.set_default_timeout(PATIENCE)
        watch.over(context)
        opened.append(context)
        return context

    yield open_one
    for context in opened:
        context.close()


@pytest.fixture
def context(opening: Opening, server: LiveServer, signed_in: Any) -> BrowserContext:
    return opening(server, signed_in)


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """Connections of a test are deleted at its end, because other tests start without any."""
    page = context.new_page()
    yield page
    if page.request.get("/api/v1/connections/").ok:
        for one in api(page, "GET", "connections/"):
            api(page, "DELETE", f"connections/{one['id']}/")


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server of a file's own, which can be stopped or killed and started again where it was."""
    own_server = start_server(tmp_path_factory.mktemp("own_server"))
    yield own_server
    if own_server.process is not None:
        own_server.stop()


@pytest.fixture(scope="module")
def own_server_cookies(own_server: LiveServer, browser: Browser) -> Any:
    return sign_in(browser, own_server, own_server.link)


@pytest.fixture
def own_server_page(
    own_server: LiveServer, own_server_cookies: Any, opening: Opening, watch: PageMonitor
) -> Page:
    if own_server.process is None:
        own_server.start()
    watch.host = urlsplit(own_server.url).netloc
    watch.pardon(
        r"ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|WebSocket connection"
    )
    return opening(own_server, own_server_cookies).new_page()
