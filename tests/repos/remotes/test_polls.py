"""Fetches by the clock and after a webhook, and packs that only git changes."""

from __future__ import annotations

import hashlib
import hmac
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.repos.conftest import FIRST
from tests.repos.remotes.conftest import Team, edit, here, place
from workflows.actions import repositories as actions
from workflows.errors import Refused
from workflows.models import Repository, Revision
from workflows.runner.repository_polls import due_repositories, fetch_due
from workflows.selectors.repositories import status_of
from workflows.selectors.sources import opened

THEIRS = FIRST.replace(b"Two", b"Zwei")


def test_a_repository_is_fetched_when_its_time_has_come(team: Team) -> None:
    (pack,) = team.track()
    assert fetch_due() == 0
    actions.change(team.row.pk, poll_seconds=60)
    assert due_repositories(timezone.now()) == []
    team.push({"a.flow.json": THEIRS})
    past = timezone.now() - timedelta(seconds=61)
    Repository.objects.update(fetched_at=past)
    assert fetch_due() == 1
    assert status_of(place(pack)) == "changed"
    assert fetch_due() == 0


def test_one_of_two_workers_fetches(team: Team) -> None:
    actions.request_fetch(team.row.pk)
    (row,) = due_repositories(timezone.now())
    assert actions.claim_fetch(row)
    assert not actions.claim_fetch(row)


@pytest.mark.parametrize("header", ["X-Hub-Signature-256", "X-Gitea-Signature", "X-Gitlab-Token"])
def test_a_webhook_asks_for_a_fetch_with_the_secret_only(
    team: Team, client: Client, header: str
) -> None:
    secret = actions.new_hook_secret(team.row.pk)
    body = b'{"ref": "refs/heads/main"}'
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    proof = {
        "X-Hub-Signature-256": f"sha256={digest}",
        "X-Gitea-Signature": digest,
        "X-Gitlab-Token": secret,
    }[header]
    address = f"/api/v1/repositories/{team.row.pk}/hook/"

    def deliver(value: str) -> int:
        return client.post(
            address, body, content_type="application/json", headers={header: value}
        ).status_code

    assert deliver("sha256=" + "0" * 64) == 401
    assert deliver("") == 401
    assert not Repository.objects.get().fetch_wanted
    assert deliver(proof) == 202
    assert Repository.objects.get().fetch_wanted
    assert client.post("/api/v1/repositories/999/hook/", body, "text/plain").status_code == 401


def test_packs_of_a_repository_that_wins_follow_it_and_are_not_edited(team: Team) -> None:
    (pack,) = team.track()
    actions.change(team.row.pk, git_wins=True)
    with pytest.raises(Refused, match="edited with git only"):
        edit(pack, b"One", b"Eins")
    commit = team.push({"a.flow.json": THEIRS})
    actions.request_fetch(team.row.pk)
    assert fetch_due() == 1
    assert opened(here(pack)).files["a.flow.json"] == THEIRS
    newest = Revision.objects.get(pack=pack, number=here(pack).head)
    assert (newest.kind, newest.commit) == ("pull", commit)
    assert status_of(place(pack)) == "in-step"


def test_a_run_names_the_commit_of_its_pack(team: Team) -> None:
    (pack,) = team.track()
    commit = team.row.branches["main"]
    assert _started(pack)["commit"] == commit
    edit(pack, b"One", b"Eins")
    assert "commit" not in _started(pack)
    edit(pack, b"Eins", b"One")
    assert _started(pack)["commit"] == commit


def _started(pack: object) -> dict[str, object]:
    from workflows.actions.run_programs import start_fields
    from workflows.models import Run

    current = here(pack)  # type: ignore[arg-type]
    row = Run(pack=current, revision=current.head, profile=current.profile, driver="rehearsal")
    return start_fields(row)
