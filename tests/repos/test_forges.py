"""Pull requests at GitHub, GitLab and Gitea, against a local forge with their APIs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.checks import crossed
from tests.support.forge_server import ApiAnswer, ForgeServer, Project
from workflows.errors import RepositoryRefused
from workflows.repos.forges import api, forges
from workflows.repos.forges.base import (
    MAX_BODY,
    MAX_TITLE,
    Forge,
    ForgeLogin,
    PullRequest,
    project_path,
    web_address,
)
from workflows.repos.forges.gitlab import without_quick_actions

FILES: dict[str, bytes | None] = {"a.txt": b"one\ntwo\nthree\n"}
KINDS = ["github", "gitlab", "gitea"]
HOST = "127.0.0.1"
NAME = {"github": "team/packs", "gitlab": "group/team/packs", "gitea": "team/packs"}


class Case:
    """A project with the branch `fix`, its forge and a login."""

    def __init__(self, server: ForgeServer, kind: Any, name: str = "", **options: Any) -> None:
        self.server = server
        self.forge: Forge = forges()[kind]
        self.project: Project = server.add(kind, name or NAME[kind], FILES, **options)
        self.project.commit({"a.txt": b"one\n2\nthree\n"}, "Change two", branch="fix")
        self.login = self.login_of(server.add_token())

    def login_of(self, token: str, **changed: Any) -> ForgeLogin:
        url = self.server.api_url(self.project.kind)
        values: dict[str, Any] = {"api_url": url, "token": token, "private_hosts": (HOST,)}
        return ForgeLogin(**{**values, **changed})

    def open(self, head: str = "fix", base: str = "main", **changed: Any) -> PullRequest:
        values: dict[str, Any] = {"login": self.login, "title": "Change two", "body": "Because."}
        values |= changed
        login = values.pop("login")
        return self.forge.open_request(login, self.project.name, head=head, base=base, **values)

    def find(self, head: str = "fix", base: str = "") -> PullRequest | None:
        return self.forge.find_open(self.login, self.project.name, head, base)

    def status(self, number: int = 1) -> PullRequest:
        return self.forge.status(self.login, self.project.name, number)

    def refusal(self, *answers: ApiAnswer) -> RepositoryRefused:
        """The refusal of the first request, which gets these answers."""
        self.server.api_answers = list(answers)
        with pytest.raises(RepositoryRefused) as refused:
            self.status()
        text = repr((refused.value.message, refused.value.hint, refused.value.extra))
        assert self.login.token not in text
        return refused.value


@pytest.fixture(scope="module", params=KINDS)
def shared(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Case]:
    """For tests that change nothing."""
    with ForgeServer(tmp_path_factory.mktemp("forge")) as server:
        yield Case(server, request.param)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ForgeServer]:
    with ForgeServer(tmp_path / "forge") as server:
        yield server


@pytest.fixture(params=KINDS)
def case(request: pytest.FixtureRequest, server: ForgeServer) -> Iterator[Case]:
    case = Case(server, request.param)
    yield case
    assert server.leaks_of(case.login.token) == []


def test_every_forge_is_found() -> None:
    assert sorted(forges()) == sorted(KINDS)


def test_a_pull_request_is_opened(case: Case) -> None:
    opened = case.open()
    [pull] = case.project.pulls
    assert (pull.head, pull.base, pull.title, pull.body) == (
        "fix", "main", "Change two", "Because.",
    )  # fmt: skip
    assert opened.number == pull.number
    assert opened.status == "open"
    assert opened.url.startswith(f"{case.project.web}/")
    assert case.status(opened.number) == opened


def test_a_second_request_of_a_branch_finds_the_first(case: Case) -> None:
    first = case.open()
    case.project.commit({"a.txt": b"1\n2\n3\n"}, branch="fix")
    assert case.open(title="Other") == first
    assert len(case.project.pulls) == 1


def test_a_request_that_appears_meanwhile_is_found(case: Case) -> None:
    """The first look-up finds nothing, and then the forge refuses a second pull request."""
    first = case.open()
    case.server.api_answers = [ApiAnswer(body=[])]
    before = len(case.server.requests)
    assert case.open() == first
    posted = [one for one in case.server.requests[before:] if one.method == "POST"]
    assert [one.status in (409, 422) for one in posted] == [True]
    assert len(case.project.pulls) == 1


def test_a_closed_pull_request_does_not_prevent_a_new_one(case: Case) -> None:
    first = case.open()
    case.project.close(first.number)
    assert case.find() is None
    second = case.open()
    assert second.number == first.number + 1
    assert case.status(first.number).status == "closed"


def test_a_reopened_pull_request_is_open(case: Case) -> None:
    first = case.open()
    case.project.close(first.number)
    case.project.reopen(first.number)
    assert case.status(first.number) == first


@pytest.mark.parametrize(
    ("way", "delete_branch"), crossed(["merge", "squash", "rebase"], [False, True])
)
def test_a_merged_pull_request_is_merged(case: Case, way: Any, delete_branch: bool) -> None:
    opened = case.open()
    case.project.commit({"other.txt": b"other\n"})
    case.project.merge(opened.number, way, delete_branch=delete_branch)
    assert case.status(opened.number).status == "merged"
    assert case.find() is None


def test_a_branch_for_two_targets_has_two_pull_requests(case: Case) -> None:
    case.project.commit({"b.txt": b""}, branch="release")
    first, second = case.open(), case.project.open(
        head="fix", base="release", title="Release", body="", user="grace"
    )  # fmt: skip
    assert case.find(base="main") == first
    found = case.find(base="release")
    assert found is not None
    assert found.number == second.number
    assert case.find() is not None
    assert case.find(base="elsewhere") is not None


def test_no_pull_request_is_found(case: Case) -> None:
    assert case.find() is None
    case.open()
    assert case.find("fi") is None
    assert case.find("fix2") is None


def test_a_branch_of_a_fork_is_not_ours(case: Case) -> None:
    case.open()
    case.status()
    case.server.api_answers = []
    path = next(one.path for one in case.server.requests if one.method == "GET")
    rows = case_rows(case, path)
    for row in rows:
        if case.forge.name == "gitlab":
            row["source_project_id"] = 99
        elif case.forge.name == "gitea":
            row["head"]["repo_id"] = 99
        else:
            row["head"]["repo"] = None
    case.server.api_answers = [ApiAnswer(body=rows), ApiAnswer(body=[])]
    assert case.find() is None


def case_rows(case: Case, path: str) -> list[dict[str, Any]]:
    """The list of pull requests, as the API answers it."""
    import httpx2

    headers = {"authorization": f"Bearer {case.login.token}"}
    rows: list[dict[str, Any]] = httpx2.get(f"{case.server.web}{path}", headers=headers).json()
    assert len(rows) == 1
    return rows


def test_a_pull_request_on_a_later_page_is_found(server: ForgeServer) -> None:
    """Gitea has no filter for the branch and returns 50 rows at most."""
    case = Case(server, "gitea")
    first = case.open()
    tip = case.project.branches["fix"]
    for number in range(60):
        case.project.repository.git("update-ref", f"refs/heads/other-{number}", tip)
        case.project.open(head=f"other-{number}", base="main", title="T", body="", user="grace")
    assert case.find() == first


def test_names_with_slashes_and_other_characters(case: Case) -> None:
    head = "signalbox/fix#1&é+%2F"
    case.project.commit({"a.txt": b"changed\n"}, branch=head)
    opened = case.open(head)
    assert case.find(head) == opened
    assert case.project.pulls[0].head == head


def test_long_texts_are_cut(case: Case) -> None:
    case.open(title="Title\nof two lines " + "x" * 300, body="y" * 200_000)
    [pull] = case.project.pulls
    assert len(pull.title) == MAX_TITLE
    assert pull.title.startswith("Title of two lines xxx")
    assert pull.title.endswith("…")
    assert len(pull.body) == MAX_BODY


def test_a_description_is_no_command_of_gitlab(server: ForgeServer) -> None:
    case = Case(server, "gitlab")
    body = "Reason\n/merge\n  /approve\na /merge\n"
    opened = case.open(body=body)
    assert case.status(opened.number).status == "open"
    assert case.project.pulls[0].body == "Reason\n\\/merge\n  \\/approve\na /merge\n"
    assert without_quick_actions("no command") == "no command"


def test_a_command_of_gitlab_would_merge(server: ForgeServer) -> None:
    """The local forge carries out such commands, so the test above can fail."""
    import httpx2

    case = Case(server, "gitlab")
    httpx2.post(
        f"{case.login.api_url}/projects/group%2Fteam%2Fpacks/merge_requests",
        json={
            "source_branch": "fix",
            "target_branch": "main",
            "title": "T",
            "description": "/merge",
        },
        headers={"private-token": case.login.token},
    )
    assert case.project.pulls[0].state == "merged"


@pytest.mark.parametrize(
    ("rights", "words"),
    [
        ({"may_open": False}, "does not allow this token to do that"),
        ({"projects": ["team/other"]}, "finds no project"),
    ],
)
def test_a_token_without_the_right_is_refused(
    case: Case, rights: dict[str, Any], words: str
) -> None:
    login = case.login_of(case.server.add_token(**rights))
    with pytest.raises(RepositoryRefused) as refused:
        case.open(login=login)
    assert words in refused.value.message
    assert "token" in refused.value.hint
    assert login.token not in repr((refused.value.message, refused.value.hint))
    assert case.project.pulls == []


def test_an_unknown_token_is_refused(shared: Case) -> None:
    login = shared.login_of("token_unknown")
    with pytest.raises(RepositoryRefused) as refused:
        shared.open(login=login)
    assert refused.value.message == f"{HOST} refused the token."


def test_a_public_project_is_read_without_a_token(case: Case) -> None:
    login = case.login_of("")
    opened = case.open()
    with pytest.raises(RepositoryRefused, match="finds no project"):
        case.forge.status(login, case.project.name, opened.number)
    case.project.public = True
    assert case.forge.status(login, case.project.name, opened.number) == opened
    case.project.close(opened.number)
    with pytest.raises(RepositoryRefused) as refused:
        case.open(login=login)
    assert refused.value.message == f"{HOST} requires a token."


def test_a_missing_branch_is_refused(shared: Case) -> None:
    with pytest.raises(RepositoryRefused) as refused:
        shared.open("none")
    assert refused.value.message.startswith(HOST)
    assert refused.value.hint
    with pytest.raises(RepositoryRefused):
        shared.open("fix", "none")
    assert shared.project.pulls == []


def test_a_missing_pull_request_is_refused(shared: Case) -> None:
    with pytest.raises(RepositoryRefused, match="finds no project"):
        shared.status(77)


def test_the_reason_of_a_refusal_is_named(shared: Case) -> None:
    with pytest.raises(RepositoryRefused) as refused:
        shared.open("main", "main")
    reasons = {
        "github": "No commits between main and main.",
        "gitlab": "You can't use same project/branch for source and target.",
        "gitea": "Invalid PullRequest: There are no changes between the head and the base.",
    }
    assert refused.value.message == (
        f"{HOST} refused the request: {reasons[shared.forge.name]}"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "message", "hint"),
    [
        (ApiAnswer(status=401, body={"message": "Bad credentials"}),
         "refused the token", "may have ended"),
        (ApiAnswer(status=403, body={"message": "Must have admin rights"}),
         "does not allow this token to do that: Must have admin rights.", "Use a token"),
        (ApiAnswer(status=403, body={"message": "API rate limit exceeded for user ID 1."},
                   headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"}),
         "accepts no more requests", "in a minute"),
        (ApiAnswer(status=429, body={"message": "Retry later"}, headers={"retry-after": "600"}),
         "accepts no more requests", "in 10 minutes"),
        (ApiAnswer(status=403, body={"message": "You have exceeded a secondary rate limit."}),
         "accepts no more requests", "in a minute"),
        (ApiAnswer(status=429, body=b"", headers={"retry-after": "soon"}),
         "accepts no more requests", "in a minute"),
        (ApiAnswer(status=404, body={"message": "Not Found"}), "finds no project", "Check"),
        (ApiAnswer(status=410, body={}), "refused the request: no reason given.", "Change"),
        (ApiAnswer(status=423, body={"message": "Repo is archived"}),
         "refused the request: Repo is archived.", "Change"),
        (ApiAnswer(status=400, body={"message": {"title": ["is too long", "is odd"]}}),
         "title: is too long; title: is odd.", "Change"),
        (ApiAnswer(status=422, body={"message": "Validation Failed", "errors": [
            {"resource": "PullRequest", "field": "head", "code": "invalid"}]}),
         "refused the request: head is invalid.", "Change"),
        (ApiAnswer(status=502, body=b"<html>"), "does not work at the moment (status 502)",
         "later"),
        (ApiAnswer(status=200, body=b"<html>"), "does not answer as the API", "right kind"),
        (ApiAnswer(status=200, body={"number": "7"}), "without a number", ""),
        (ApiAnswer(status=200, body=[]), "without a number", ""),
    ],
)  # fmt: skip
def test_a_refusal_is_explained(shared: Case, answer: ApiAnswer, message: str, hint: str) -> None:
    refused = shared.refusal(answer)
    assert message in refused.message
    assert hint in refused.hint
    assert refused.code == "repository_refused"


def test_a_token_that_the_forge_repeats_is_removed(shared: Case) -> None:
    body = {"message": f"The token {shared.login.token}\nis\x1b[31m odd"}
    refused = shared.refusal(ApiAnswer(status=422, body=body))
    assert refused.message.endswith("The token … is [31m odd.")


def test_a_list_that_is_none_is_refused(shared: Case) -> None:
    shared.server.api_answers = [ApiAnswer(body={"message": "hello"})]
    with pytest.raises(RepositoryRefused, match="does not answer as the API"):
        shared.find()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(shared: Case, status: int, tmp_path: Path) -> None:
    with ForgeServer(tmp_path / "other") as other:
        target = f"{other.web}/api/v3/repos/team/packs/pulls/1"
        refused = shared.refusal(ApiAnswer(status=status, headers={"location": target}))
        assert "redirects to another address" in refused.message
        assert other.requests == []


def test_a_slow_forge_is_not_waited_for(shared: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "TIMEOUT", 0.2)
    refused = shared.refusal(ApiAnswer(delay=1.5, body={}))
    assert refused.message == f"{HOST} did not answer within the time limit."


def test_a_huge_answer_is_not_read(shared: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "MAX_ANSWER", 1000)
    refused = shared.refusal(ApiAnswer(body=b"x" * 5000))
    assert refused.message == f"An answer of {HOST} is over 1,000 bytes."


def test_an_endless_list_ends(shared: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "MAX_PAGES", 3)
    shared.server.api_answers = [ApiAnswer(body=[{}, "odd", None])] * 9
    assert shared.find() is None
    assert len(shared.server.api_answers) == 6


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("javascript:alert(1)", ""),
        ("https://x/" + "y" * 600, ""),
        (None, ""),
        ("https://x/1", "https://x/1"),
    ],
)
def test_the_address_of_a_page_is_a_web_address(shared: Case, url: object, page: str) -> None:
    body = {"number": 1, "iid": 1, "html_url": url, "web_url": url, "state": "open"}
    shared.server.api_answers = [ApiAnswer(body=body)]
    assert shared.status().url == page


@pytest.mark.parametrize("number", [0, -1, True, 2**31, 1.5, None])
def test_an_odd_number_is_refused(shared: Case, number: object) -> None:
    refused = shared.refusal(ApiAnswer(body={"number": number, "iid": number}))
    assert "without a number" in refused.message


def test_a_merge_in_progress_is_open(server: ForgeServer) -> None:
    case = Case(server, "gitlab")
    case.server.api_answers = [ApiAnswer(body={"iid": 1, "state": "locked"})]
    assert case.status().status == "open"


def test_a_private_address_needs_the_operator(shared: Case) -> None:
    url = shared.login.api_url.replace("http://127.0.0.1", "https://localhost")
    before = len(shared.server.requests)
    with pytest.raises(RepositoryRefused, match="localhost is a private address"):
        shared.open(login=shared.login_of(shared.login.token, api_url=url, private_hosts=()))
    assert len(shared.server.requests) == before


def test_a_token_is_not_sent_over_http(shared: Case) -> None:
    before = len(shared.server.requests)
    with pytest.raises(RepositoryRefused, match="not sent over http"):
        shared.open(login=shared.login_of(shared.login.token, private_hosts=()))
    assert len(shared.server.requests) == before


@pytest.mark.parametrize(
    "url", ["", "ftp://x/api", "https://a:b@x/api", "https://x/api?token=1", "https://[x/api"]
)
def test_a_wrong_address_of_an_api_is_refused(shared: Case, url: str) -> None:
    with pytest.raises(RepositoryRefused, match=r"web address|base URL|Base URL"):
        shared.open(login=shared.login_of(shared.login.token, api_url=url))


def test_a_forge_that_is_not_there_is_reported(shared: Case) -> None:
    url = "http://127.0.0.1:1/api"
    with pytest.raises(RepositoryRefused, match=r"127.0.0.1 does not answer: "):
        shared.open(login=shared.login_of(shared.login.token, api_url=url))
    with pytest.raises(RepositoryRefused, match="does not answer: There is no host"):
        shared.open(login=shared.login_of(shared.login.token, api_url="https://forge.invalid/api"))


def test_a_token_is_not_in_logs_or_representations(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        case.open()
        case.refusal(ApiAnswer(status=500, body={"message": case.login.token}))
    assert caplog.records
    assert case.login.token not in caplog.text
    assert case.login.token not in repr(case.login)


@pytest.mark.parametrize(
    ("kind", "web", "url"),
    [
        ("github", "https://github.com", "https://api.github.com"),
        ("github", "https://www.github.com/", "https://api.github.com"),
        ("github", "https://octo.ghe.com", "https://api.octo.ghe.com"),
        ("github", "https://git.example.org", "https://git.example.org/api/v3"),
        ("gitlab", "https://gitlab.com", "https://gitlab.com/api/v4"),
        ("gitlab", "http://127.0.0.1:80/gitlab/", "http://127.0.0.1:80/gitlab/api/v4"),
        ("gitea", "https://codeberg.org", "https://codeberg.org/api/v1"),
    ],
)
def test_the_address_of_an_api(kind: str, web: str, url: str) -> None:
    assert forges()[kind].api_url(web) == url


@pytest.mark.parametrize(
    ("parts", "web"),
    [
        (("https", "github.com", 443), "https://github.com"),
        (("https", "git.example.org", 8443), "https://git.example.org:8443"),
        (("http", "127.0.0.1", 3000), "http://127.0.0.1:3000"),
        (("https", "2001:db8::1", 443), "https://[2001:db8::1]"),
        (("ssh", "git.example.org", 2222), "https://git.example.org"),
        (("ssh", "ssh.github.com", 443), "https://github.com"),
        (("ssh", "altssh.gitlab.com", 443), "https://gitlab.com"),
    ],
)
def test_the_web_address_of_a_repository(parts: tuple[str, str, int], web: str) -> None:
    assert web_address(*parts) == web


@pytest.mark.parametrize(
    ("url", "project", "nested", "path"),
    [
        ("https://api.github.com", "team/packs", False, "team/packs"),
        ("https://api.github.com", "/team/packs.git/", False, "team/packs"),
        ("https://gitlab.com/api/v4", "a/b/c/d", True, "a/b/c/d"),
        ("https://x.org/gitlab/api/v4", "gitlab/a/b", True, "a/b"),
        ("https://x.org/gitlab/api/v4", "gitlab/b", True, "gitlab/b"),
        ("https://x.org/git/forge/api/v1", "git/forge/a/b", False, "a/b"),
        ("https://x.org/git/api/v1", "a/b", False, "a/b"),
    ],
)
def test_the_path_of_a_project(url: str, project: str, nested: bool, path: str) -> None:
    assert project_path(url, project, nested=nested) == path


@pytest.mark.parametrize(
    "project", ["", "packs", "a/b/c", "a/..", "../b", "a//b", "a/b?x=1", "a/b#c", "a/b c", "a/%2e"]
)
def test_another_path_is_no_project(project: str) -> None:
    with pytest.raises(RepositoryRefused, match="is not a project of a forge"):
        project_path("https://api.github.com", project)
