"""A real server in a process of its own, a real Chromium, and one person signed in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.page_actions import api
from tests.browser.page_monitor import PageMonitor
from tests.support.live_server import LiveServer

PATIENCE = 90_000
"""Milliseconds that anything may take, on a machine that is busy with other things."""
expect.set_options(timeout=PATIENCE)
STORED = "local_storage,indexeddb"


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
    watch.stop()
    assert watch.left() == []


Opening = Callable[..., BrowserContext]


def new_context(browser: Browser, server: LiveServer, cookies: Any, **wishes: Any) -> Any:
    defaults: dict[str, Any] = {
        "viewport": {"width": 1440, "height": 900},
        "reduced_motion": "reduce",
        "accept_downloads": True,
    }
    context = browser.new_context(
        storage_state=cookies, base_url=server.url, **{**defaults, **wishes}
    )
    context.set_default_timeout(PATIENCE)
    return context


@pytest.fixture
def opening(browser: Browser, watch: PageMonitor) -> Iterator[Opening]:
    """Open a browser of a test's own, without anything in its cache: `opening(server, cookies,
    …)`. Each is monitored, and closed at the end."""
    opened: list[BrowserContext] = []

    def open_one(server: LiveServer, cookies: Any, **wishes: Any) -> BrowserContext:
        context = new_context(browser, server, cookies, **wishes)
        watch.over(context)
        opened.append(context)
        return context

    yield open_one
    watch.stop()
    for context in opened:
        context.close()


@dataclass(frozen=True)
class SharedBrowser:
    """The browser of most tests. Its cache saves each of them half of the time to load the app."""

    context: BrowserContext
    cookies: Any
    blank: Page
    origin: str

    def clear(self) -> None:
        """Close all pages, and forget what they stored and were allowed. Nothing of a page is under
        way any more when the server is asked to forget, too."""
        for page in self.context.pages:
            if page is not self.blank:
                page.close()
        protocol = self.context.new_cdp_session(self.blank)
        protocol.send("Storage.clearDataForOrigin", {"origin": self.origin, "storageTypes": STORED})
        protocol.detach()
        self.context.clear_permissions()
        # Other tests start without connections to models.
        for one in api(self.blank, "GET", "connections/"):
            api(self.blank, "DELETE", f"connections/{one['id']}/")
        self.context.clear_cookies()
        self.context.add_cookies(self.cookies["cookies"])


@pytest.fixture(scope="session")
def shared_browser(browser: Browser, server: LiveServer, signed_in: Any) -> Iterator[SharedBrowser]:
    context = new_context(browser, server, signed_in)
    yield SharedBrowser(context, signed_in, context.new_page(), server.url)
    context.close()


@pytest.fixture
def context(shared_browser: SharedBrowser, watch: PageMonitor) -> Iterator[BrowserContext]:
    watch.over(shared_browser.context)
    yield shared_browser.context
    watch.stop()
    shared_browser.clear()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


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
