"""`signalbox user` and `signalbox token`, with the sign-in and the API that follow."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from signalbox.cli import main
from signalbox.commands.people import changes
from workflows.actions import people
from workflows.models import AuditEntry, Token

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(
    db: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Run a command on the database of the test. Returns its exit code and output."""
    monkeypatch.setattr(changes, "prepare", lambda _: None)

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(arguments)
        return code, *capsys.readouterr()

    return run


def signed_in(link: str) -> Client:
    """A browser that has followed a sign-in link."""
    browser = Client(HTTP_HOST="127.0.0.1")
    address = urlsplit(link.strip())
    browser.get(f"{address.path}?{address.query}")
    browser.post(address.path, {"token": address.query.partition("=")[2]})
    return browser


def test_a_person_is_added_reset_locked_out_and_let_in_again(command: Command) -> None:
    code, link, told = command("user", "add", "ada", "--staff")
    assert code == 0
    assert "SIGNALBOX_ADDRESS" in told
    assert signed_in(link).get("/settings/status/").status_code == 200
    assert command("user", "add", "Ada")[0] == 2

    ada = User.objects.get(username="ada")
    people.set_password(ada, "correct horse battery")
    code, link, _ = command("user", "reset", "ada")
    ada.refresh_from_db()
    assert not ada.has_usable_password()
    assert signed_in(link).get("/").status_code == 200

    now = timezone.now()
    AccessAttempt.objects.create(
        username="ada", ip_address="10.0.0.1", failures_since_start=7, attempt_time=now
    )
    assert command("user", "unlock", "ADA")[1] == "7 wrong passwords of ada were deleted.\n"
    assert not AccessAttempt.objects.exists()

    browser = signed_in(command("user", "link", "ada")[1])
    assert command("user", "deactivate", "ada")[1] == "ada was deactivated.\n"
    assert browser.get("/").status_code == 302
    assert "deactivated" in command("user", "list")[1]
    assert "ada is deactivated." in command("user", "link", "ada")[2]
    assert command("user", "activate", "ada")[0] == 0
    code, _, told = command("user", "link", "unknown")
    assert (code, "signalbox user list" in told) == (2, True)
    operations = list(AuditEntry.objects.order_by("pk").values_list("operation", "object_name"))
    assert operations[0] == ("user add", "ada")
    assert operations[-1] == ("user activate", "ada")


def test_a_token_is_alone_on_standard_output_and_works(command: Command) -> None:
    command("user", "add", "ada")
    scopes = ("--scope", "read", "--scope", "run")
    code, out, told = command("token", "add", "ci", "--user", "ada", *scopes)
    assert code == 0
    assert "ci: read, run as ada until 20" in told
    headers = {"Authorization": f"Bearer {out.strip()}"}
    program = Client(HTTP_HOST="127.0.0.1", headers=headers)
    assert program.get("/api/v1/packs/").status_code == 200
    body = {"name": "work", "kind": "openai", "key": "x"}
    refused = program.post("/api/v1/connections/", body, "application/json")
    assert refused.status_code == 403
    assert command("token", "add", "x", "--user", "eve", *scopes)[0] == 2
    assert command("token", "add", "x", "--user", "ada", *scopes, "--days", "-1")[0] == 2
    assert command("token", "add", "x", "--user", "ada", *scopes, "--days", "0")[0] == 0
    assert Token.objects.get(name="x").expiry is None
