"""Time limits of approvals: of the run, the state, the pack and the server."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.dialects.stages.run.scripted_run import pack as stages_pack
from tests.support.server_fixtures import files_of
from workflows.actions import packs, runs
from workflows.actions.approval_limits import apply_time_limit
from workflows.core.engine.signals import Reply, ToolCall
from workflows.core.pack.edits import edits_from_json
from workflows.models import Approval, Pack, Run, RunEvent, State
from workflows.selectors.approvals import approval_json

DENY, END = {"hours": 4, "outcome": "deny"}, {"hours": 2, "outcome": "end"}
NEVER = {"hours": 0, "outcome": "deny"}


@pytest.fixture
def pack(ada: User) -> Pack:
    tree = {str(path): data for path, data in stages_pack({"a": {}}).items()}
    return packs.import_files(tree, owner=ada).packs[0]


def asked(pack: Pack, ada: User, **options: Any) -> Approval:
    """A question of a new run: its model calls a tool that the stage does not list."""
    pack.refresh_from_db()
    run = runs.start(pack, driver="manual", options=options, owner=ada)
    (key,) = runs.work_of(run.pk).run.pending
    call = ToolCall(name="bash", arguments={"command": "ls"}, id="c1")
    runs.deliver(run.pk, Reply(at=2e9, key=key, tool_calls=(call,)))
    return Approval.objects.get(run=run, kind="approve")


def limit_state(pack: Pack, limit: dict[str, Any] | None) -> None:
    pack.refresh_from_db()
    edit = {"type": "limit_approvals", "id": "a", **(limit or {})}
    packs.edit(pack.pk, pack.head, edits_from_json([edit]), None)


@pytest.mark.parametrize(
    ("server", "of_pack", "state", "run", "expected"),
    [
        (0, None, None, None, None),
        (8, None, None, None, (8, "deny")),
        (8, DENY, None, None, (4, "deny")),
        (8, DENY, END, None, (2, "end")),
        (8, DENY, END, {"hours": 1, "outcome": "deny"}, (1, "deny")),
        (8, DENY, NEVER, None, None),
        (8, NEVER, None, END, (2, "end")),
        # A call is never approved by time.
        (8, {"hours": 1, "outcome": "approve"}, None, None, None),
    ],
)
def test_the_smallest_scope_has_precedence(
    pack: Pack,
    ada: User,
    settings: Any,
    server: int,
    of_pack: Any,
    state: Any,
    run: Any,
    expected: Any,
) -> None:
    settings.SIGNALBOX_APPROVAL_HOURS = server
    packs.limit_approvals(pack.pk, of_pack)
    limit_state(pack, state)
    approval = asked(pack, ada, **({"approval_limit": run} if run else {}))
    shown = approval_json(approval)
    if expected is None:
        assert (shown["deadline"], shown["outcome"]) == (None, "")
        assert apply_time_limit(approval.asked_at + timedelta(days=99)) == 0
        return
    hours, outcome = expected
    due = approval.asked_at + timedelta(hours=hours)
    assert (shown["deadline"], shown["outcome"]) == (due.isoformat(), outcome)
    assert apply_time_limit(due - timedelta(seconds=1)) == 0
    assert apply_time_limit(due) == 1
    assert apply_time_limit(due) == 0
    approval.refresh_from_db()
    stored = Run.objects.get(pk=approval.run_id)
    if outcome == "end":
        assert (stored.status, stored.reason) == ("cancelled", f"No answer within {hours} h.")
        assert approval.status == "withdrawn"
    else:
        assert (approval.status, approval.reason) == ("denied", f"No answer within {hours} h.")
        given = RunEvent.objects.get(run=stored, type="approval.given")
        assert given.fields["by"] == "the time limit"


def test_a_question_keeps_its_limit_when_the_limit_of_the_pack_changes(
    pack: Pack, ada: User
) -> None:
    packs.limit_approvals(pack.pk, DENY)
    approval = asked(pack, ada)
    packs.limit_approvals(pack.pk, None)
    approval = Approval.objects.get(pk=approval.pk)
    assert approval.limit == {**DENY, "scope": "pack"}
    assert apply_time_limit(approval.asked_at + timedelta(hours=4)) == 1


def test_the_limit_of_a_state_follows_its_new_name_and_is_in_no_file(pack: Pack, ada: User) -> None:
    files = packs_files(pack)
    limit_state(pack, DENY)
    assert packs_files(pack) == files
    pack.refresh_from_db()
    rename = {"type": "rename_state", "id": "a", "new_id": "b"}
    packs.edit(pack.pk, pack.head, edits_from_json([rename]), None)
    assert State.objects.get(pack=pack, key="b").approval_limit == DENY


def packs_files(pack: Pack) -> Any:
    return files_of(Pack.objects.get(pk=pack.pk))


def test_limits_over_http(site: Client, post: Any, pack: Pack) -> None:
    path = f"/api/v1/packs/{pack.pk}/"

    def change(limit: Any) -> Any:
        return site.patch(path, {"approval_limit": limit}, content_type="application/json")

    assert change(DENY).json()["approval_limit"] == DENY
    assert site.get(path).json()["approval_limit"] == DENY
    for wrong in ({"hours": -1, "outcome": "deny"}, {"hours": 1, "outcome": "wait"}, {"hours": 1}):
        assert change(wrong).status_code == 400
    assert change(None).json()["approval_limit"] is None
    body = {"pack": pack.pk, "driver": "manual", "approval_limit": {"hours": 1, "outcome": "x"}}
    assert post("runs/", body).status_code == 400
    run = post("runs/", {**body, "approval_limit": END}).json()["id"]
    assert Run.objects.get(pk=run).options["approval_limit"] == END
    edit = {"type": "limit_approvals", "id": "a", "hours": 99_999, "outcome": "deny"}
    head = Pack.objects.get(pk=pack.pk).head
    answer = post(f"packs/{pack.pk}/edits/", {"base": head, "edits": [edit]})
    assert answer.status_code == 400
