"""Tools of coding agents and of the assistant over packs of the server, with the rights of a
user."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from django.contrib.auth.models import User

from roles.rights import Level, share
from tests.support.checks import failure_note
from tests.support.recorded_run import recorded
from tests.support.server_fixtures import files_of
from workflows.actions.agent_tools import PackTools, StoredPacks, pack_tools
from workflows.actions.packs import create_from_sample
from workflows.agent_tools.calls import CallEnded, answered
from workflows.models import Pack, Proposal

NOTE = {"type": "set_field", "element": "state:draft", "field": "/description", "value": "Short."}
GONE = {"type": "disconnect", "transition": "draft|Next|review"}


def call(packs: StoredPacks, name: str, **given: Any) -> dict[str, Any]:
    answer, is_error = answered(packs, name, given)
    assert not is_error, answer
    return answer


def test_a_user_reads_tries_and_writes(ada: User) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    other = create_from_sample("promptpack/review-loop", owner=ada)
    run = recorded(pack, ada)
    here, before = str(pack.pk), files_of(pack)
    packs = StoredPacks(user=ada, writes=True)
    rows = call(packs, "packs", like="Review")["packs"]
    assert {"pack": here, "dialect": "promptpack", "name": "Review loop"} in rows
    assert call(packs, "graph", pack=here, near="done")["transitions"] == ["review|Approve|done"]
    assert call(packs, "check", pack=here)["counts"]["error"] == 0
    assert "reaches" in call(packs, "rule", code="GR104")["help"]
    assert call(packs, "rehearse", pack=here)["taken"] == "3 of 3"
    assert call(packs, "verify", pack=here, runs=[str(run.pk)])["runs"] == 1
    tried = call(packs, "propose", pack=here, edits=[NOTE, GONE], revision="1")
    assert tried["parts"] == [[0], [1]]
    assert [one["run"] for one in tried["diverging_runs"]] == [str(run.pk)]
    assert files_of(pack) == before
    written = call(packs, "apply", pack=here, edits=[NOTE], revision="1")
    assert (written["revision"], written["changes"]) == (
        "2", {"fields": ["state:draft /description"]}
    )  # fmt: skip
    found = call(packs, "diff", before=str(other.pk), after=here)
    assert found["fields"]["state:draft /description"][1] == "Short."


def test_without_the_right_to_write_edits_become_a_proposal(ada: User, bob: User) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    share(pack, bob, Level.READ)
    edits = {"pack": str(pack.pk), "edits": [NOTE, GONE], "revision": "1"}
    for packs in (StoredPacks(user=ada), StoredPacks(user=bob, writes=True)):
        answer = call(packs, "apply", **edits)
        row = Proposal.objects.get(pk=answer["proposal"])
        assert (row.author, len(row.parts)) == (packs.user, 2)
        assert "a proposal" in answer["note"]
    assert Pack.objects.get(pk=pack.pk).head == 1


def test_packs_of_others_and_bad_arguments_have_a_reason(ada: User, bob: User) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    mine = create_from_sample("promptpack/review-loop", owner=bob)
    foreign = recorded(mine, bob)
    here, packs = str(pack.pk), StoredPacks(user=ada)
    rows: list[tuple[StoredPacks, str, dict[str, Any], str]] = [
        (StoredPacks(user=bob), "graph", {"pack": here}, f"There is no pack {here}."),
        (packs, "graph", {"pack": "none"}, "There is no pack none."),
        (packs, "graph", {"pack": here, "near": "x"}, "no state 'x'"),
        (packs, "element", {"pack": here, "element": "state:x"}, "no state 'x'"),
        (packs, "propose", {"pack": here, "edits": [NOTE], "revision": "2"}, "has revision 1"),
        (packs, "propose", {"pack": here, "edits": [{"type": "connect"}]}, "needs"),
        (packs, "verify", {"pack": here, "runs": [str(foreign.pk)]}, "There is no run"),
    ]
    for of, name, given, words in rows:
        with failure_note(f"{name} {given}"):
            answer, is_error = answered(of, name, given)
            assert is_error
            assert words in answer["error"]
    assert [one["pack"] for one in call(StoredPacks(user=bob), "packs")["packs"]] == [str(mine.pk)]


def test_the_assistant_has_the_reading_tools_of_one_pack(ada: User) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    other = create_from_sample("promptpack/release", owner=ada)
    tools: PackTools = pack_tools(ada, pack.pk)
    names = [one.name for one in tools.declarations]
    assert names == [
        "graph", "element", "offers", "check", "rule", "worst_case", "rehearse", "propose", "verify"
    ]  # fmt: skip
    for one in tools.declarations:
        jsonschema.Draft202012Validator.check_schema(one.parameters)
        assert "pack" not in one.parameters["properties"]
    assert "draft" in tools.call("graph", {})["entries"]
    assert "draft" in tools.call("graph", {"pack": str(other.pk)})["entries"]
    assert tools.call("propose", {"edits": [NOTE]})["lines"]
    assert "no tool 'apply'" in tools.call("apply", {"edits": [NOTE]})["error"]
    assert not Proposal.objects.exists()


def test_a_cancelled_call_ends_its_work(ada: User) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)

    def gone(stage: str) -> None:
        raise CallEnded

    with pytest.raises(CallEnded):
        answered(StoredPacks(user=ada), "rehearse", {"pack": str(pack.pk)}, gone)
