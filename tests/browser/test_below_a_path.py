"""A server below a path of nginx or Caddy, with the configuration of the documentation: sign-in, an
edit, a live run and an export stay below the path."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.page_actions import Canvas
from tests.support.live_server import ROOT, LiveServer, free_port

pytestmark = [pytest.mark.slow, pytest.mark.machine]

SECTION = (ROOT / "docs/deploy.md").read_text().split("## Below a path")[1].split("\n## ")[0]
CONFIGURATIONS = re.findall(r"```\n(.*?)```", SECTION, re.DOTALL)
NGINX = """
daemon off; pid {folder}/pid; error_log stderr error; events {{}}
http {{
  access_log off; client_body_temp_path {folder}; proxy_temp_path {folder};
  fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port}; {location} }}
}}
"""


def configured(proxy: str, folder: Path, port: int, server: int) -> list[str]:
    """The command of a proxy with the configuration of docs/deploy.md."""
    marker = "proxy_pass" if proxy == "nginx" else "example.com"
    text = next(one for one in CONFIGURATIONS if marker in one and "/signalbox" in one)
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{server}")
    if proxy == "nginx":
        text = NGINX.format(folder=folder, port=port, location=text)
        arguments = ["-p", str(folder), "-c", str(folder / "conf")]
    else:
        text = "{\n admin off\n}\n" + text.replace("example.com", f"http://127.0.0.1:{port}")
        arguments = ["run", "--adapter", "caddyfile", "--config", str(folder / "conf")]
    (folder / "conf").write_text(text)
    return [str(shutil.which(proxy)), *arguments]


@pytest.fixture(params=["nginx", "caddy"])
def proxied(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[LiveServer, str]]:
    """A server, and its address at the proxy."""
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    server, port = LiveServer(tmp_path, program=ROOT, SIGNALBOX_PATH="/signalbox"), free_port()
    server.start()
    command = configured(request.param, tmp_path, port, server.port)
    with (tmp_path / "proxy.log").open("w") as log:
        proxy = subprocess.Popen(command, stdout=log, stderr=log, env={"HOME": str(tmp_path)})
    address = f"http://127.0.0.1:{port}"
    while True:
        assert proxy.poll() is None, (tmp_path / "proxy.log").read_text()
        try:
            urlopen(f"{address}/signalbox/healthz").close()
            break
        except URLError:
            time.sleep(0.05)
    yield server, address
    proxy.terminate()
    proxy.wait()
    server.end(signal.SIGTERM)
    assert not server.complaints()


def test_everything_stays_below_the_path(browser: Browser, proxied: tuple[LiveServer, str]) -> None:
    server, address = proxied
    page = browser.new_context().new_page()
    paths: list[str] = []
    refused: list[str] = []
    page.on("request", lambda one: paths.append(urlsplit(one.url).path))
    page.on("websocket", lambda one: paths.append(urlsplit(one.url).path))
    page.on("response", lambda one: refused.append(one.url) if one.status >= 400 else None)
    page.goto(server.link.replace(server.url, address))
    page.get_by_role("button", name="Sign in as").click()
    card = page.locator("[data-pack]").filter(has_text="Customer support").first
    card.locator(".card-link").click()
    canvas = Canvas(page)
    canvas.stand()
    first = page.locator("[data-state]").first.get_attribute("data-state") or ""
    canvas.rename(first, "renamed")
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("[data-result-line=completed]")).to_be_visible(timeout=60_000)
    page.goto(f"{address}/signalbox/help/")
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.locator("h1")).to_have_text("Runs")
    outside = {one for one in paths if not one.startswith(("/signalbox/", "blob"))}
    assert outside == set()
    assert any(one.startswith("/signalbox/ws/runs/") for one in paths)
    # The form of a renamed prompt is requested once more by its name before.
    assert [one for one in refused if "/fields/?element=prompt" not in one] == []
    page.context.close()
