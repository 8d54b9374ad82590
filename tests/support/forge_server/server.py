"""The HTTP server of the forge, on threads of its own."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qsl, unquote

from tests.support.forge_server import git_http, gitea, github, gitlab
from tests.support.forge_server.access import Access, App
from tests.support.forge_server.projects import Kind, Project, bare_repository
from tests.support.forge_server.requests import ApiAnswer, ForgeRequest, Refusal
from tests.support.forge_server.webhooks import Delivery, Webhooks

APIS = {"github": github, "gitlab": gitlab, "gitea": gitea}


class ForgeServer:
    """A forge that keeps its repositories in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests: list[ForgeRequest] = []
        self.projects: list[Project] = []
        self.tokens: dict[str, Access] = {}
        self.apps: list[App] = []
        self.api_answers: list[ApiAnswer] = []
        """Answers of the next requests to an API, instead of the real ones."""
        self._webhooks = Webhooks()
        self._gate = threading.Lock()

    def __enter__(self) -> ForgeServer:
        handler = type("Handler", (_Handler,), {"forge": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(120)
        self._webhooks.stop()

    @property
    def host(self) -> str:
        return "127.0.0.1"

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def web(self) -> str:
        return f"http://{self.host}:{self.port}"

    def api_url(self, kind: Kind) -> str:
        return f"{self.web}{APIS[kind].PREFIX}"

    def add(
        self,
        kind: Kind,
        name: str,
        files: Mapping[str, bytes | None] | None = None,
        *,
        default_branch: str = "main",
        public: bool = False,
    ) -> Project:
        """A new project, with one commit of these files on its default branch."""
        project = Project(
            id=len(self.projects) + 1,
            kind=kind,
            name=name,
            web=f"{self.web}/{name}",
            repository=bare_repository(self.folder / f"{name}.git", default_branch),
            fire=self._webhooks.fire,
            default_branch=default_branch,
            public=public,
        )
        if files:
            project.commit(files, "Begin", branch=default_branch)
        self.projects.append(project)
        return project

    def add_token(
        self,
        user: str = "ada",
        *,
        may_push: bool = True,
        may_open: bool = True,
        projects: Collection[str] | None = None,
        prefix: str = "token_",
    ) -> str:
        """A new token. `projects`: names of the projects that it may see, None for all."""
        token = prefix + secrets.token_hex(20)
        self.tokens[token] = Access(
            user=user,
            may_push=may_push,
            may_open=may_open,
            projects=None if projects is None else frozenset(projects),
        )
        return token

    def access_of(self, token: str) -> Access | None:
        return self.tokens.get(token)

    def find(self, kind: Kind, name: str) -> Project | None:
        """A project by its name, whose case does not matter."""
        wanted = (kind, name.lower())
        return next((one for one in self.projects if (one.kind, one.name.lower()) == wanted), None)

    def deliveries(self) -> list[Delivery]:
        """The deliveries of all webhooks, after the last one was answered."""
        return self._webhooks.deliveries()

    def leaks_of(self, secret: str) -> list[str]:
        """Requests that have a secret anywhere but in the header for it, and deliveries."""
        leaks = [f"{one.method} {one.path}" for one in self.requests if one.contains(secret)]
        sent = [one for one in self.deliveries() if secret.encode() in one.body]
        return leaks + [f"webhook {one.url}" for one in sent]

    def answer(self, request: ForgeRequest) -> ApiAnswer:
        """The answer of a request. An API answers one after the other."""
        with self._gate:
            self.requests.append(request)
        try:
            answer = self._answer(request)
        except Refusal as refusal:
            answer = refusal.answer
        request.status = answer.status
        return answer

    def _answer(self, request: ForgeRequest) -> ApiAnswer:
        for api in APIS.values():
            if request.path.startswith(f"{api.PREFIX}/"):
                with self._gate:
                    scripted = self.api_answers.pop(0) if self.api_answers else None
                if scripted is not None:
                    time.sleep(scripted.delay)
                    return scripted
                if request.body and request.headers.get("content-type") != "application/json":
                    raise Refusal(415, {"message": "The body is not JSON."})
                with self._gate:
                    return api.answer(self, request, request.path.removeprefix(api.PREFIX))
        match = git_http.PATH.fullmatch(unquote(request.path))
        if match is None:
            raise Refusal(404, b"Not Found\n", content_type="text/plain")
        names = {one.name.lower(): one for one in self.projects}
        project = names.get(match["project"].lower())
        access = self.access_of(request.basic[1]) if request.basic else None
        user = git_http.authorised(request, project, access)
        assert project is not None
        return git_http.run(request, project, match["rest"], user)


class _Handler(BaseHTTPRequestHandler):
    """One connection for each request."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    forge: ClassVar[ForgeServer]

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        request = ForgeRequest(
            method=self.command,
            path=path,
            query=dict(parse_qsl(query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self._body(),
        )
        answer = self.forge.answer(request)
        with suppress(ConnectionError):
            self._send(answer)

    def do_POST(self) -> None:
        self.do_GET()

    def _send(self, answer: ApiAnswer) -> None:
        self.close_connection = True
        self.send_response(answer.status)
        headers = {"content-type": "application/json"} | {
            name.lower(): value for name, value in answer.headers.items()
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer.data)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(answer.data)

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are kept in `requests`, not printed."""
