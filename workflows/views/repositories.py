"""Repositories and one repository: add, fetch, scan, follow. Works without JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from roles.request_user import request_user
from roles.rights import visible
from workflows.actions import repositories as actions
from workflows.core.pack.files import TooMuch
from workflows.core.rules.kit import count_of
from workflows.errors import BadRequest, CallerError
from workflows.models import Repository as Row
from workflows.repos import pulls, registration, scans
from workflows.runner import repository_tasks as tasks
from workflows.runner.repository_tasks import Kind
from workflows.selectors import repositories as read
from workflows.selectors.repository_tasks import running_task

CREDENTIALS = {
    "none": "None: a public repository or a folder",
    "token": "Token",
    "ssh-key": "SSH key",
    "github-app": "GitHub App",
}
FORGES = {
    "github": "GitHub",
    "gitlab": "GitLab",
    "gitea": "Gitea or Forgejo",
    "": "None: plain git",
}
GUESS = "guess"
"""Value of the forge's field: the host decides."""
POLLS = {
    0: "never: by hand or by the webhook", 300: "every 5 minutes", 900: "every 15 minutes",
    3600: "every hour", 86400: "every day",
}  # fmt: skip
TEXTS = (
    "name", "url", "api_url", "username", "app_id", "installation_id",
    "committer_name", "committer_email",
)  # fmt: skip
FIELDS = {*TEXTS, "forge", "credential", "secret", "poll_seconds", "git_wins"}


@never_cache
@sensitive_post_parameters("secret")
@require_http_methods(["GET", "POST"])
def repositories(request: HttpRequest) -> HttpResponse:
    """All repositories, and the form of a new one. A refused form is shown with its values."""
    person = request_user(request)
    if request.method == "POST":
        try:
            row = tasks.add(person, _params(request.POST))
        except CallerError as refused:
            return _list(request, _refused(request.POST, refused), status=refused.status)
        messages.success(request, f"The repository {row.name} was added.")
        return redirect("repository", repository=row.pk)
    return _list(request, {"values": {"forge": GUESS, "credential": "none"}})


def _list(request: HttpRequest, form: dict[str, Any], status: int = 200) -> HttpResponse:
    rows = [
        {**one, "needs": read.needs_of(one)} for one in read.repositories(request_user(request))
    ]
    behind = any(one["states"]["changed"] or one["states"]["both"] for one in rows)
    context = {
        "repositories": rows,
        "behind": behind,
        "forge_labels": FORGES,
        **_choices(),
        **form,
    }
    return render(request, "repositories.html", context, status=status)


@require_POST
def pull_repositories(request: HttpRequest) -> HttpResponse:
    """Pull the packs of all repositories that merge without a decision."""
    person = request_user(request)
    _pull(request, list(visible(Row.objects.all(), person)))
    return redirect("repositories")


def _pull(request: HttpRequest, rows: Sequence[Row]) -> None:
    done = [pulls.pull_clean(row, request_user(request)) for row in rows]
    pulled = sum(len(one["pulled"]) for one in done)
    messages.success(request, f"{count_of(pulled, 'pack')} pulled.")
    for left in (pack for one in done for pack in one["left"]):
        messages.warning(request, f"{left['name']} was not pulled. {left['problem']}")


@never_cache
@require_http_methods(["GET"])
def repository(request: HttpRequest, repository: int) -> HttpResponse:
    """One repository. With `ref` in the query, the packs of that branch are listed."""
    return _page(request, read.repository_numbered(repository))


@never_cache
@sensitive_post_parameters("secret")
@require_POST
def change_repository(request: HttpRequest, repository: int) -> HttpResponse:
    """A form of the page, chosen by `do`. A secret is shown in this response only."""
    row = read.repository_numbered(repository)
    try:
        shown_once = _change(request, row)
    except (CallerError, TooMuch) as refused:
        if request.POST.get("do") == "change" and isinstance(refused, CallerError):
            form = _refused(request.POST, refused)
            return _page(request, row, status=refused.status, **form)
        messages.error(request, _sentence(refused))
        return _page(request, row, status=getattr(refused, "status", 422))
    if shown_once:
        return _page(request, row, **shown_once)
    if request.POST.get("do") == "delete":
        return redirect("repositories")
    return redirect("repository", repository=repository)


def _change(request: HttpRequest, row: Row) -> dict[str, Any]:
    """Carry out a form. Returns the secret to show once. Raises CallerError and TooMuch."""
    form = request.POST
    match form.get("do"):
        case "fetch":
            fetched = tasks.start(row, Kind.FETCH, {}, request_user(request))
            if fetched.task.status == "done":
                messages.success(request, f"The repository {row.name} was fetched.")
        case "pull":
            _pull(request, [row])
        case "track":
            chosen = {"ref": form.get("ref", ""), "packs": form.getlist("pack")}
            made = tasks.start(row, Kind.FOLLOW, chosen, request_user(request))
            if not made.is_running:
                count = len(made.result()["packs"])
                packs = "One pack follows" if count == 1 else f"{count} packs follow"
                messages.success(request, f"{packs} the branch {form.get('ref')} now.")
        case "end":
            if task := running_task(row):
                tasks.end(task, request_user(request))
            messages.success(request, "The task has ended.")
        case "secret":
            return {"fresh_secret": actions.new_hook_secret(row.pk)}
        case "change":
            registration.change(row.pk, _params(form))
            messages.success(request, "The repository was changed.")
        case "delete":
            registration.delete(row.pk)
            messages.success(request, f"The repository {row.name} was deleted. Its packs stay.")
        case _:
            raise BadRequest("Unknown form.")
    return {}


def _page(request: HttpRequest, row: Row, status: int = 200, **more: Any) -> HttpResponse:
    person = request_user(request)
    ref = request.POST.get("ref", request.GET.get("ref"))
    scan, scan_problem = None, ""
    if ref is not None:
        try:
            outcome = tasks.scan(row, ref, person)
            if not outcome.is_running:
                scan = scans.compared(row, outcome.result(), person)
        except (CallerError, TooMuch) as refused:
            scan_problem = _sentence(refused)
    shown = read.repository_json(read.repository_numbered(row.pk), person)
    context = {
        "repository": shown,
        "forge_label": FORGES[shown["forge"]],
        "branches": read.packs_by_branch(row, person),
        "changes": read.changes_of(row, person),
        "behind": shown["states"]["changed"] or shown["states"]["both"],
        "scan": scan,
        "scan_new": sum(one["status"] == "new" for one in scan["packs"]) if scan else 0,
        "scan_problem": scan_problem,
        "chosen": request.POST.getlist("pack"),
        "hook": request.build_absolute_uri(
            f"{settings.ROOT_PATH}api/v1/repositories/{row.pk}/hook/"
        ),
        "may_edit": shown["level"] in ("edit", "own"),
        "may_own": shown["level"] == "own",
        "values": shown,
        **_choices(shown["poll_seconds"]),
        **more,
    }
    return render(request, "repository.html", context, status=status)


def _choices(seconds: int = 0) -> dict[str, Any]:
    """The options of the form. `seconds`: another time between fetches, set through the API."""
    polls = POLLS if seconds in POLLS else {**POLLS, seconds: f"every {seconds} seconds"}
    return {
        "credentials": CREDENTIALS.items(),
        "forges": FORGES.items(),
        "polls": sorted(polls.items()),
    }


def _params(form: QueryDict) -> dict[str, Any]:
    """Values of the form. An empty secret keeps the stored one. Raises BadRequest."""
    params: dict[str, Any] = {name: str(form[name]) for name in TEXTS if name in form}
    params.setdefault("url", "")
    forge, credential = form.get("forge", GUESS), form.get("credential", "none")
    if forge not in FORGES and forge != GUESS:
        raise BadRequest("Choose a forge of the list.", where="forge")
    if credential not in CREDENTIALS:
        raise BadRequest("Choose a credential of the list.", where="credential")
    seconds = form.get("poll_seconds", "0")
    if not seconds.isdecimal() or len(seconds) > 8 or not seconds.isascii():
        raise BadRequest("Choose a time of the list.", where="poll_seconds")
    if form.get("secret", "").strip():
        params["secret"] = str(form["secret"]).replace("\r\n", "\n")
    return {
        **params,
        **({} if forge == GUESS else {"forge": forge}),
        "credential": credential,
        "poll_seconds": int(seconds),
        "git_wins": form.get("git_wins") == "on",
    }


def _refused(form: QueryDict, refused: CallerError) -> dict[str, Any]:
    """A form as it was sent, without the secret, with the reason at its field."""
    values: dict[str, Any] = {name: form.get(name, "") for name in FIELDS - {"secret"}}
    seconds = values["poll_seconds"]
    return {
        "values": {**values, "poll_seconds": int(seconds) if seconds.isdecimal() else 0},
        "problem": _sentence(refused),
        "problem_at": refused.where if refused.where in FIELDS else "url",
        "secret_lost": bool(form.get("secret")),
    }


def _sentence(refused: CallerError | TooMuch) -> str:
    return f"{refused.message} {getattr(refused, 'hint', '')}".strip()
