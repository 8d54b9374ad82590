"""Kinds of tool: files, commands, HTTP, MCP servers, notes and fixed answers."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import secrets
import sys
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.support.processes import all_end
from workflows.errors import BadRequest
from workflows.models import Pack
from workflows.runner.tools import check, tools
from workflows.runner.tools import workspace as places
from workflows.runner.tools.base import MAX_RESULT, Context, NeedsPerson, ToolFailed

Call = Callable[..., Awaitable[str]]

SERVER = Path(__file__).with_name("mcp_server.py")
MCP = [sys.executable, str(SERVER)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with a file, a link out of it, and something outside."""
    root = tmp_path / "workspace"
    (root / "docs").mkdir(parents=True)
    (root / "docs/a.md").write_text("one\ntwo\nthree\n")
    (root / "plan.txt").write_text("one and one\n")
    (tmp_path / "secret.txt").write_text("not yours")
    (root / "out").symlink_to(tmp_path)
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    return root


@pytest.fixture
def call(folder: Path) -> Call:
    """Call a kind of tool."""

    def called(kind: str, arguments: dict[str, Any], **around: Any) -> Awaitable[str]:
        async def workspace() -> Path:
            return folder

        given: dict[str, Any] = {
            "name": "it", "pack": 0, "key": "run:1", "settings": {}, "secrets": {},
            "commands": False, "private_hosts": (), "workspace": workspace,
        }  # fmt: skip
        return tools()[kind].call(arguments, Context(**{**given, **around}))

    return called


# -- files

FINE: list[tuple[str, dict[str, Any], str]] = [
    ("read", {"file_path": "docs/a.md"}, "one\ntwo\nthree\n"),
    ("read", {"file_path": "docs/a.md", "offset": 2, "limit": 1}, "two\n… 1 more lines\n"),
    ("read", {"file_path": "docs/a.md", "offset": 0}, "one\ntwo\nthree\n"),
    ("read", {"file_path": "docs/a.md", "offset": 0, "limit": 1}, "one\n… 2 more lines\n"),
    ("read", {"path": "docs/../plan.txt"}, "one and one\n"),
    ("list", {}, "docs/\nlink.txt\nout/\nplan.txt"),
    ("entries", {"path": "docs"}, '[{"name": "a.md", "type": "file"}]'),
    ("glob", {"pattern": "**/*.md"}, "docs/a.md"),
    ("glob", {"pattern": "*.md", "path": "docs"}, "docs/a.md"),
    ("glob", {"pattern": "out/**"}, "Nothing found."),
    ("grep", {"pattern": "^t"}, "docs/a.md:2:two\ndocs/a.md:3:three"),
    ("grep", {"pattern": "one", "glob": "*.txt"}, "plan.txt:1:one and one"),
    ("grep", {"pattern": "yours"}, "Nothing found."),
    ("delete", {"path": "nowhere.txt"}, "Deleted nowhere.txt."),
]


@pytest.mark.parametrize(("operation", "arguments", "result"), FINE)
async def test_files_of_the_workspace_are_read(
    call: Call, operation: str, arguments: dict[str, Any], result: str
) -> None:
    assert await call("files", arguments, name=operation) == result


async def test_a_file_is_written_and_changed(call: Call, folder: Path) -> None:
    await call("files", {"file_path": "new/b.md", "content": "a b a"}, name="write")
    change = {"file_path": "new/b.md", "old_string": "a", "new_string": "c"}
    with pytest.raises(ToolFailed, match="2 times"):
        await call("files", change, name="edit")
    await call("files", {**change, "replace_all": True}, settings={"operation": "edit"})
    assert (folder / "new/b.md").read_text() == "c b c"


@pytest.mark.parametrize("operation", ["read", "write", "edit", "list", "grep", "glob"])
@pytest.mark.parametrize(
    "path", ["../secret.txt", "/etc/passwd", "out/secret.txt", "link.txt", "docs/../../x", "a\0b"]
)
async def test_no_path_leads_out_of_the_workspace(
    call: Call, folder: Path, operation: str, path: str
) -> None:
    arguments = {
        "file_path" if operation in ("read", "write", "edit") else "path": path,
        "content": "gone", "old_string": "not", "new_string": "all", "pattern": "n",
    }  # fmt: skip
    with pytest.raises(ToolFailed, match=r"outside the workspace|contains a NUL"):
        await call("files", arguments, name=operation)
    assert (folder.parent / "secret.txt").read_text() == "not yours"


async def test_delete_removes_a_file_or_the_link_itself(call: Call, folder: Path) -> None:
    await call("files", {"path": "docs/a.md"}, name="delete")
    await call("files", {"path": "link.txt"}, name="delete")
    await call("files", {"path": "out"}, name="delete")
    assert sorted(path.name for path in folder.iterdir()) == ["docs", "plan.txt"]
    assert (folder.parent / "secret.txt").read_text() == "not yours"


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "out/secret.txt", "a\0b"])
async def test_nothing_outside_is_deleted(call: Call, folder: Path, path: str) -> None:
    with pytest.raises(ToolFailed, match=r"outside the workspace|contains a NUL"):
        await call("files", {"path": path}, name="delete")
    assert (folder.parent / "secret.txt").exists()


@pytest.mark.parametrize("path", [".", "docs", "docs/", "docs/.."])
async def test_a_folder_is_not_deleted(call: Call, folder: Path, path: str) -> None:
    with pytest.raises(ToolFailed, match="is a folder"):
        await call("files", {"path": path}, name="delete")


@pytest.mark.parametrize("path", ["plan.txt", "docs/../plan.txt", "docs/up", "docs/up/x"])
@pytest.mark.parametrize("operation", ["write", "delete"])
async def test_links_do_not_lead_out_of_the_writable_folder(
    call: Call, folder: Path, operation: str, path: str
) -> None:
    (folder / "docs/up").symlink_to(folder)
    arguments = {"path": path, "content": "x"}
    with pytest.raises(ToolFailed, match=r"leads out of docs/"):
        await call("files", arguments, name=operation, within=("docs",))
    assert (folder / "plan.txt").read_text() == "one and one\n"
    await call("files", {"path": "docs/b", "content": "x"}, name="write", within=("docs",))
    assert (folder / "docs/b").read_text() == "x"


async def test_a_command_may_name_its_folder(call: Call) -> None:
    said = await call("command", {"cmd": "cat a.md", "cwd": "docs"}, commands=True)
    assert said == "one\ntwo\nthree\n"
    with pytest.raises(ToolFailed, match="outside the workspace"):
        await call("command", {"cmd": "ls", "cwd": "out"}, commands=True)


async def test_special_files_are_rejected_without_waiting(call: Call, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(ToolFailed, match="not a regular file"):
        await call("files", {"file_path": "pipe"}, name="read")
    with pytest.raises(ToolFailed, match=r"cannot be written|not a regular file"):
        await call("files", {"file_path": "pipe", "content": "x"}, name="write")


async def test_a_huge_file_is_neither_read_nor_written(call: Call, folder: Path) -> None:
    with (folder / "huge").open("wb") as file:
        file.truncate(places.MAX_FILE + 1)
    with pytest.raises(ToolFailed, match="the limit is"):
        await call("files", {"file_path": "huge"}, name="read")
    huge = {"file_path": "b", "content": "x" * (places.MAX_FILE + 1)}
    with pytest.raises(ToolFailed, match="the limit is"):
        await call("files", huge, name="write")
    assert not (folder / "b").exists()


async def test_a_full_workspace_rejects_writes(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "MAX_WORKSPACE", 30)
    with pytest.raises(ToolFailed, match="full"):
        await call("files", {"file_path": "b", "content": "x" * 20}, name="write")


async def test_a_long_search_times_out(
    call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workflows.runner.tools.files.SEARCH_SECONDS", -1.0)
    (folder / "long").write_text("a" * 40 + "!")
    with pytest.raises(ToolFailed, match="too long"):
        await call("files", {"pattern": "^(a|aa|a?a)+$"}, name="grep")


async def test_a_search_finds_nothing_with_a_runaway_expression(call: Call, folder: Path) -> None:
    (folder / "long").write_text("a" * 4_000 + "!")
    found = await call("files", {"pattern": "^(a|aa|a?a)+$", "path": "long"}, name="grep")
    assert found == "Nothing found."


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("read", {}, "needs `file_path`"),
        ("read", {"file_path": 3}, "must be a text"),
        ("read", {"file_path": "no"}, "no file"),
        ("read", {"file_path": "docs"}, "not a regular file"),
        ("read", {"file_path": "plan.txt", "offset": -1}, "whole number"),
        ("grep", {"pattern": "("}, "is not a regular expression"),
        ("grep", {"pattern": r"(a)\1"}, "uses a backreference, which RE2 does not support"),
        ("grep", {"pattern": "(?:a{300}){300}"}, "more than 1,000 copies"),
        ("grep", {"pattern": "a", "glob": "*" * 500}, "file names is too long"),
        ("glob", {"pattern": "*" * 30}, "too long"),
        ("multi-edit", {"file_path": "plan.txt", "edits": [3]}, "list of changes"),
        ("launch", {}, "is not an operation"),
    ],
)
async def test_an_invalid_call_is_rejected_with_the_reason(
    call: Call, name: str, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ToolFailed, match=sentence):
        await call("files", arguments, name=name)


# -- commands

SHOW = {"command": ["printf", "%s", "{what}"]}


@pytest.mark.parametrize(
    ("kind", "settings"), [("command", {}), ("command", SHOW), ("mcp", {"command": MCP})]
)
async def test_a_command_that_is_not_allowed_needs_a_person(
    call: Call, kind: str, settings: dict[str, Any]
) -> None:
    with pytest.raises(NeedsPerson):
        await call(kind, {"command": "touch was-here", "what": "x"}, settings=settings)


async def test_a_command_runs_in_the_workspace(call: Call) -> None:
    assert await call("command", {"command": "cat plan.txt"}, commands=True) == "one and one\n"
    with pytest.raises(ToolFailed, match=r"Exit 3\.\nout\n"):
        await call("command", {"command": "echo out; exit 3"}, commands=True)


async def test_long_output_loses_neither_the_exit_nor_the_errors(call: Call, folder: Path) -> None:
    lines = "begin; head -c 300000 /dev/zero | tr '\\0' x; echo end; echo boom >&2; exit 3"
    with pytest.raises(ToolFailed) as failed:
        await call("command", {"command": f"echo {lines}"}, commands=True)
    error = str(failed.value)
    assert error.startswith("Exit 3.\nboom\n\nbegin\nxxx")
    assert error.endswith("xxxend\n")
    left_out = 300_010 - (MAX_RESULT // 2 - 200)
    assert f"\n… {left_out:,} bytes left out …\n" in error
    assert len(error) <= MAX_RESULT


async def test_command_arguments_are_not_expanded_by_a_shell(call: Call) -> None:
    shown = await call("command", {"what": "$(id); {what}"}, settings=SHOW, commands=True)
    assert shown == "$(id); {what}"


@pytest.mark.parametrize("what", ["--help", ["a"], None, True])
async def test_no_argument_becomes_an_option(call: Call, what: Any) -> None:
    with pytest.raises(ToolFailed):
        await call("command", {"what": what}, settings=SHOW, commands=True)


# -- HTTP


class Answers(BaseHTTPRequestHandler):
    """Echoes the request; `/to/<url>` redirects, `/long` never ends, `/packed` is compressed."""

    def do_GET(self) -> None:
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("location", self.path[4:])
            self.end_headers()
            return
        self.send_response(404 if self.path == "/none" else 200)
        if self.path == "/packed":
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        try:
            self.wfile.write(self._body())
        except ConnectionError:
            return

    def do_POST(self) -> None:
        self.do_GET()

    def _body(self) -> bytes:
        match self.path:
            case "/long":
                return b"x" * 3_000_000
            case "/packed":
                return gzip.compress(b"x")
        told = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        return json.dumps(
            {"method": self.command, "path": self.path, "body": told, "headers": headers}
        ).encode()

    def log_message(self, format: str, *args: Any) -> None:
        return


@pytest.fixture
def web() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


LOCAL = {"private_hosts": ("127.0.0.1",)}


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/",
        "http://localhost:1/",
        "http://[::1]:1/",
        "http://169.254.169.254/latest/",
        "http://[::ffff:10.0.0.1]/",
        "http://2130706433/",
        "http://0.0.0.0/",
    ],
)
async def test_private_addresses_are_refused(call: Call, url: str) -> None:
    with pytest.raises(ToolFailed, match="private address"):
        await call("http", {"url": url})


async def test_a_name_of_a_private_address_is_refused(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = [(2, 1, 6, "", ("10.1.2.3", 0))]
    monkeypatch.setattr("workflows.security.egress.socket.getaddrinfo", lambda *_, **__: inside)
    with pytest.raises(ToolFailed, match=r"metadata\.example is a private address \(10\.1\.2\.3\)"):
        await call("http", {"url": "http://metadata.example/"})


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/to/file:///etc/passwd", "begin with https"),
        ("/to//to//to//to//to//to//to//x", "redirects more than"),
        ("/long", "over"),
        ("/packed", "unexpected content encoding"),
        ("/none", "returned 404"),
    ],
)
async def test_invalid_responses_are_reported(
    call: Call, web: str, path: str, sentence: str
) -> None:
    with pytest.raises(ToolFailed, match=sentence):
        await call("http", {"url": f"{web}{path}"}, **LOCAL)


@pytest.mark.parametrize("url", ["ftp://a/", "//a/", "http://u:p@a/", "http://[/", "nonsense"])
async def test_an_invalid_url_is_reported(call: Call, url: str) -> None:
    with pytest.raises(ToolFailed):
        await call("http", {"url": url})


async def test_a_bound_url_receives_arguments_and_secrets(call: Call, web: str) -> None:
    bound = {"settings": {"url": f"{web}/orders"}, "secrets": {"authorization": "Bearer s3cret"}}
    heard = json.loads(await call("http", {"id": 7, "url": "http://other/"}, **bound, **LOCAL))
    assert (heard["method"], heard["path"]) == ("POST", "/orders")
    assert json.loads(heard["body"]) == {"id": 7, "url": "http://other/"}
    assert heard["headers"]["authorization"] == "Bearer s3cret"
    assert heard["headers"]["idempotency-key"] == "run:1"
    bound["settings"] = {"url": f"{web}/orders?a=1", "method": "GET"}
    heard = json.loads(await call("http", {"q": "x y"}, **bound, **LOCAL))
    assert heard["path"] in ("/orders?a=1&q=x+y", "/orders?a=1&q=x%20y")


async def test_in_planning_requests_only_read(call: Call, web: str) -> None:
    planned = {**LOCAL, "planning": True}
    assert json.loads(await call("http", {"url": f"{web}/orders"}, **planned))["method"] == "GET"
    with pytest.raises(ToolFailed, match="POST was not sent"):
        await call("http", {"id": 7}, settings={"url": f"{web}/orders"}, **planned)
    with pytest.raises(ToolFailed, match="DELETE was not sent"):
        await call("http", {"url": f"{web}/orders", "method": "delete"}, **planned)


async def test_secrets_are_not_sent_to_another_host(call: Call, web: str) -> None:
    other = web.replace("127.0.0.1", "localhost")
    bound = {"settings": {"url": f"{web}/to/{other}/x", "method": "GET"}}
    secrets = {"secrets": {"authorization": "Bearer s3cret"}}
    hosts = {"private_hosts": ("127.0.0.1", "localhost")}
    heard = json.loads(await call("http", {}, **bound, **secrets, **hosts))
    assert heard["headers"]["host"].startswith("localhost")
    assert "authorization" not in heard["headers"]


async def test_a_call_cannot_set_the_host_header(call: Call, web: str) -> None:
    told = {"url": web, "headers": {"Host": "inside.example", "X-Note": "1"}}
    heard = json.loads(await call("http", told, **LOCAL))
    assert heard["headers"]["host"].startswith("127.0.0.1")
    assert heard["headers"]["x-note"] == "1"


# -- MCP


async def test_a_tool_of_an_mcp_server_is_called(call: Call) -> None:
    bound = {"settings": {"command": MCP, "tool": "add"}, "commands": True}
    assert await call("mcp", {"a": 2, "b": 3}, **bound) == "5"


async def test_an_mcp_server_gets_its_secrets_and_no_other_environment(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_SECRET_KEY", "very secret")
    bound = {"settings": {"command": MCP}, "commands": True, "secrets": {"API_KEY": "k"}}
    names = (await call("mcp", {}, name="environment", **bound)).split()
    assert "API_KEY" in names
    assert "SIGNALBOX_SECRET_KEY" not in names


@pytest.mark.parametrize(
    ("name", "command", "sentence"),
    [
        ("breaks", MCP, "out of paper|breaks"),
        ("nothing", MCP, "nothing"),
        ("add", ["no-such-command-here"], "cannot be started"),
        ("add", ["true"], "did not answer"),
        ("add", ["echo", "no json"], "did not answer"),
        ("add", ["sh", "-c", "echo no module >&2; exit 1"], r"did not answer.*\nno module$"),
        ("add", ["sh", "-c", "echo cannot open $0 >&2", str(SERVER)], "SIGNALBOX_COMMAND_PATHS"),
    ],
)
async def test_a_failing_mcp_server_is_reported(
    call: Call, name: str, command: list[str], sentence: str
) -> None:
    with pytest.raises(ToolFailed, match=sentence):
        await call("mcp", {}, name=name, settings={"command": command}, commands=True)


async def test_a_cancelled_call_leaves_no_process(call: Call, folder: Path) -> None:
    word = f"stdio-{secrets.token_hex(8)}"
    bound = {"settings": {"command": [*MCP, word]}, "commands": True}
    os.mkfifo(folder / "pid")
    asked = asyncio.ensure_future(call("mcp", {}, name="hangs", **bound))
    await asyncio.to_thread((folder / "pid").read_text)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert all_end(word)


# -- notes and fixed answers


async def test_notes_are_kept_for_each_pack(call: Call, transactional_db: None) -> None:
    def made() -> int:
        return Pack.objects.create(name="A", dialect="tiny", profile="plain", main="m", head=1).pk

    mine, other = await sync_to_async(made)(), await sync_to_async(made)()
    note = {"action": "write", "key": "plan", "content": "first"}
    await call("memory", note, pack=mine)
    await call("memory", {**note, "content": "second"}, pack=mine)
    assert await call("memory", {"action": "read", "key": "plan"}, pack=mine) == "second"
    assert await call("memory", {"action": "list"}, pack=mine) == '["plan"]'
    assert await call("memory", {"action": "list"}, pack=other) == "[]"
    await call("memory", {"action": "delete", "key": "plan"}, pack=mine)
    for wrong in (
        {"action": "read", "key": "plan"},
        {**note, "key": "x" * 201},
        {**note, "content": "x" * 70_000},
        {**note, "content": "a\0b"},
        {"action": "burn"},
    ):
        with pytest.raises(ToolFailed):
            await call("memory", wrong, pack=mine)


async def test_a_fixed_answer_is_given(call: Call) -> None:
    assert await call("canned", {}, settings={"result": "4 °C"}) == "4 °C"
    with pytest.raises(ToolFailed, match="closed"):
        await call("canned", {}, settings={"error": "The shop is closed."})


# -- valid bindings


@pytest.mark.parametrize(
    ("kind", "settings", "secrets"),
    [
        ("teleport", {}, {}),
        ("canned", {}, {}),
        ("canned", {"result": "a", "error": "b"}, {}),
        ("canned", {"result": 3}, {}),
        ("files", {"operation": "launch"}, {}),
        ("files", {"folder": "/etc"}, {}),
        ("command", {"command": []}, {}),
        ("command", {"timeout": 0}, {}),
        ("command", {"timeout": 10**9}, {}),
        ("http", {"url": "file:///etc/passwd"}, {}),
        ("http", {}, {"authorization": "x"}),
        ("http", {"url": "https://a.example"}, {"authorization": 3}),
        ("mcp", {}, {}),
        ("mcp", {"url": "https://a.example", "command": ["x"]}, {}),
    ],
)
def test_invalid_settings_are_rejected(
    kind: str, settings: dict[str, Any], secrets: dict[str, Any]
) -> None:
    with pytest.raises(BadRequest) as refused:
        check(kind, settings, secrets)
    assert refused.value.message
    assert refused.value.where
