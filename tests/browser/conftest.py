"""A real server in a process of its own, a real Chromium, and one person signed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.page_actions import PATIENCE, api
from tests.browser.page_monitor import PageMonitor
from tests.support.chromium import chromium
from tests.support.live_server import LiveServer, use_link

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
    # A process for a page that may come.
    "SpareRendererForSitePerProcess",
)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {
        **browser_type_launch_args,
        "executable_path": chromium(),
        "args": [
            "--no-sandbox",
            "--disable-gpu",
            # With `blank` below, all pages share a process that has compiled the app.
            "--process-per-site",
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


def sign_in(link: str) -> Any:
    """Follow a one-time link; the cookies it gives, as playwright's storage state."""
    jar = CookieJar()
    use_link(build_opener(HTTPCookieProcessor(jar)), link)
    place = {"domain": urlsplit(link).hostname, "path": "/", "expires": -1, "sameSite": "Lax"}
    cookies = [
        {"name": one.name, "value": one.value, "httpOnly": False, "secure": False, **place}
        for one in jar
    ]
    assert any(one["name"].startswith("sessionid_") for one in cookies)
    return {"cookies": cookies}


@pytest.fixture(scope="session")
def signed_in(server: LiveServer) -> Any:
    return sign_in(server.link)


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
        """Close all pages, then delete what they stored and were allowed. No request of a page
        arrives after that."""
        for page in self.context.pages:
            if page is not self.blank:
                page.close()
        protocol = self.context.new_cdp_session(self.blank)
        protocol.send("Storage.clearDataForOrigin", {"origin": self.origin, "storageTypes": STORED})
        protocol.detach()
        self.context.clear_permissions()
        self.context.clear_cookies()
        self.context.add_cookies(self.cookies["cookies"])
        # Other tests start without connections to models.
        for one in api(self.blank, "GET", "connections/"):
            api(self.blank, "DELETE", f"connections/{one['id']}/?force=1")


@pytest.fixture(scope="session")
def shared_browser(browser: Browser, server: LiveServer, signed_in: Any) -> Iterator[SharedBrowser]:
    context = new_context(browser, server, signed_in)
    blank = context.new_page()
    blank.goto("/healthz")
    yield SharedBrowser(context, signed_in, blank, server.url)
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


@pytest.fixture(scope="session")
def commands_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server whose operator allows commands, and limits the time of approvals."""
    settings = {"SIGNALBOX_COMMANDS": "1", "SIGNALBOX_APPROVAL_HOURS": "10"}
    server = start_server(tmp_path_factory.mktemp("commands"), **settings)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def commands_cookies(commands_server: LiveServer) -> Any:
    return sign_in(commands_server.link)


@pytest.fixture
def commands_page(
    commands_server: LiveServer, commands_cookies: Any, opening: Opening, watch: PageMonitor
) -> Page:
    watch.host = urlsplit(commands_server.url).netloc
    return opening(commands_server, commands_cookies).new_page()


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server of a file's own, which can be stopped or killed and started again where it was."""
    own_server = start_server(tmp_path_factory.mktemp("own_server"))
    yield own_server
    if own_server.process is not None:
        own_server.stop()


@pytest.fixture(scope="module")
def own_server_cookies(own_server: LiveServer) -> Any:
    return sign_in(own_server.link)


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
