"""Firefox over WebDriver BiDi, which is a part of it."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.browser.engines.person import LOOK, PageLeft, wait_while_alive
from tests.browser.page_actions import PATIENCE

PROGRAM = "firefox-esr"
PREFERENCES = """
user_pref("focusmanager.testmode", true);
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.normandy.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""
"""The window has the focus without a display, and the browser sends nothing outside."""
ADDRESS = "WebDriverBiDiServer.json"
"""The file of a profile that has the port of a browser that has started."""


class Firefox:
    """A browser with one page. Raises RuntimeError with the browser's words if it refuses a
    command."""

    def __init__(self, folder: Path) -> None:
        """`folder` becomes its profile."""
        (folder / "user.js").write_text(PREFERENCES)
        command = [PROGRAM, "--headless", "--no-remote", "--profile", str(folder)]
        self._process = subprocess.Popen(
            [*command, "--remote-debugging-port=0", "--width=1440", "--height=900"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "HOME": str(folder)},
        )
        self._numbers = itertools.count(1)
        self._open = ExitStack()
        try:
            self._socket = self._connected(folder / ADDRESS)
        except BaseException:
            self._process.kill()
            raise
        self._send("session.new", capabilities={})
        pages = self._send("browsingContext.getTree")["contexts"]
        self._page = pages[0]["context"]

    def _connected(self, file: Path) -> ClientConnection:
        for _ in range(PATIENCE // 50):
            try:
                port = json.loads(file.read_text())["ws_port"]
            except (FileNotFoundError, json.JSONDecodeError):
                wait_while_alive(self._process)
                continue
            return self._open.enter_context(
                connect(f"ws://127.0.0.1:{port}/session", max_size=None)
            )
        raise RuntimeError(f"{PROGRAM} does not accept connections.")

    def _send(self, method: str, timeout: float = PATIENCE / 1_000, **params: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            try:
                message = json.loads(self._socket.recv(timeout=timeout))
            except TimeoutError:
                raise PageLeft(f"No answer to {method}.") from None
            if message.get("id") == number:
                if message["type"] == "error":
                    kind = PageLeft if message["error"] == "no such frame" else RuntimeError
                    raise kind(f"{message['error']}: {message['message']}")
                return message["result"]

    def open(self, url: str) -> None:
        self._send("browsingContext.navigate", context=self._page, url=url, wait="complete")

    def value(self, expression: str) -> Any:
        """The JSON value of an expression; of a promise, what it becomes."""
        source = f"(async () => JSON.stringify(await ({expression})))()"
        done = self._send(
            "script.evaluate",
            timeout=5 * LOOK / 1_000,
            expression=source,
            target={"context": self._page},
            awaitPromise=True,
            userActivation=True,
        )
        if done["type"] != "success":
            raise RuntimeError(done["exceptionDetails"]["text"])
        return json.loads(done["result"].get("value", "null"))

    def perform(self, actions: Sequence[dict[str, Any]]) -> None:
        """Move, press and type, as the WebDriver standard writes it."""
        self._send("input.performActions", context=self._page, actions=list(actions))

    def picture(self) -> str:
        """A PNG of the window, in base64."""
        done = self._send("browsingContext.captureScreenshot", context=self._page)
        return str(done["data"])

    def close(self) -> None:
        self._open.close()
        self._process.kill()
        self._process.wait()
