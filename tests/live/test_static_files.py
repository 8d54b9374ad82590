"""Files of the canvas as a server sends them: compressed, and kept by browsers forever."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from django.conf import settings

from tests.support.live_server import LiveServer
from workflows.views.canvas_files import entry


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    server = LiveServer(tmp_path_factory.mktemp("static_files"))
    server.start()
    server.sign_in()
    yield server
    server.stop()


def editor_page(server: LiveServer) -> str:
    pack = server.get("packs/")["results"][0]["id"]
    return server.browser().open(f"{server.url}/packs/{pack}/").read().decode()


def files_of(page: str) -> list[str]:
    """The scripts, modules and style sheets that a page names."""
    return re.findall(r'(?:href|src)="(/static/[^"]+)"', page)


def fetched(server: LiveServer, path: str, accepts: str) -> tuple[dict[str, str], bytes]:
    answer = urlopen(Request(server.url + path, headers={"Accept-Encoding": accepts}))
    return {name.lower(): value for name, value in answer.headers.items()}, answer.read()


def test_every_file_of_the_editor_is_sent_compressed_and_kept(server: LiveServer) -> None:
    files = files_of(editor_page(server))
    assert any(path.endswith(".css") for path in files)
    assert any(path.endswith(".js") for path in files)
    for path in files:
        headers, plain = fetched(server, path, "identity")
        assert "content-encoding" not in headers
        assert headers["cache-control"] == "max-age=315360000, public, immutable"
        if len(plain) < 700:
            continue
        assert headers["vary"] == "Accept-Encoding"
        zipped_headers, zipped = fetched(server, path, "gzip, deflate")
        assert zipped_headers["content-encoding"] == "gzip"
        assert gzip.decompress(zipped) == plain
        small_headers, small = fetched(server, path, "gzip, deflate, br, zstd")
        assert small_headers["content-encoding"] == "br"
        assert len(small) < len(zipped) < len(plain)


def test_the_page_preloads_its_modules_and_the_graph(server: LiveServer) -> None:
    page = editor_page(server)
    script = re.search(r'<script type="module" src="([^"]+)"', page)
    assert script is not None
    text = fetched(server, script[1], "identity")[1].decode()
    imported = set(re.findall(r'(?:from|import)\s*"\./([^"]+\.js)"', text))
    assert imported
    preloaded = set(re.findall(r'<link rel="modulepreload" href="[^"]*/([^"/]+)"', page))
    assert imported <= preloaded
    assert re.search(r'<link rel="preload" as="fetch" [^>]*href="/api/v1/packs/\d+/graph/', page)


def test_other_static_files_are_fetched_again(server: LiveServer) -> None:
    headers, _ = fetched(server, "/static/dist/manifest.json", "identity")
    assert "immutable" not in headers["cache-control"]


def test_the_manifest_names_only_files_of_the_build() -> None:
    for name in ("app", "site"):
        files = entry(name)
        for path in (files.script, *files.styles, *files.imports):
            assert Path(settings.CANVAS_MANIFEST.parent.parent, path).exists(), path


def test_a_large_answer_of_the_api_is_sent_compressed(server: LiveServer) -> None:
    pack = server.get("packs/")["results"][0]["id"]
    request = Request(f"{server.url}/api/v1/packs/{pack}/graph/")
    request.add_header("Accept-Encoding", "gzip")
    answer = server.browser().open(request)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(answer.read())) == server.get(f"packs/{pack}/graph/")


def test_an_answer_with_a_new_token_is_never_compressed(server: LiveServer) -> None:
    body = json.dumps({"name": "length " * 12, "scopes": ["read"]}).encode()
    request = Request(f"{server.url}/api/v1/tokens/", data=body)
    request.add_header("Accept-Encoding", "gzip")
    request.add_header("Content-Type", "application/json")
    request.add_header("X-CSRFToken", server.cookie("csrftoken"))
    answer = server.browser().open(request)
    assert "Content-Encoding" not in answer.headers
    assert json.loads(answer.read())["token"]


def test_the_answer_to_a_start_has_the_whole_log_of_a_short_run(server: LiveServer) -> None:
    tiny = json.dumps(
        {
            "id": "tiny",
            "name": "Tiny",
            "version": "1.0.0",
            "template_engine": {"version": "v1", "syntax": "{{variable}}"},
            "prompts": {
                "work": {"id": "work", "name": "W", "version": "1.0.0", "system_template": "Go."}
            },
            "workflow": {
                "version": 1,
                "entry": "first",
                "states": {
                    "first": {"prompt_task": "work", "on_event": {"Next": "last"}},
                    "last": {"prompt_task": "work", "terminal": True},
                },
            },
        }
    )
    pack = server.post("import/", {"text": tiny, "name": "tiny.pack.json"})["packs"][0]["id"]
    run = server.post("runs/?wait_ms=1000", {"pack": pack, "driver": "rehearsal"})
    log = server.get(f"runs/{run['id']}/events/")
    assert log["status"] == "completed"
    assert run["events"] == log["events"][: len(run["events"])]
    assert run["events"][0]["type"] == "run.started"
