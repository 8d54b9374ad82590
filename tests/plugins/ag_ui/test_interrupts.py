"""Interrupts of AG-UI: a stream that ends with questions, and the one that answers them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from ag_ui.core import ResumeEntry, RunAgentInput, RunFinishedEvent, UserMessage
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import Client
from jsonschema import Draft202012Validator

from roles.rights import Level, share
from tests.dialects.stages.run.scripted_run import pack as stages_pack
from tests.plugins.ag_ui.client import Sent, events_in
from tests.plugins.ag_ui.verifier import check_stream
from workflows.actions import packs, runs
from workflows.core.engine.signals import Reply, ToolCall
from workflows.models import Approval, Pack, Run, RunEvent

pytestmark = pytest.mark.django_db(transaction=True)
CALL = {"name": "bash", "arguments": {"command": "rm -rf 'my build'"}}


@pytest.fixture
def pack(ada: User) -> Pack:
    """One stage, whose model asks to call a tool that it does not list."""
    tree = {str(path): data for path, data in stages_pack({"a": {}}).items()}
    return packs.import_files(tree, owner=ada).packs[0]


def model_asks() -> Approval:
    """The model of the newest run calls the tool."""
    run = Run.objects.latest("created_at")
    (key,) = runs.work_of(run.pk).run.pending
    call = ToolCall(id="c1", **CALL)  # type: ignore[arg-type]
    runs.deliver(run.pk, Reply(at=2e9, key=key, text="I clean up.", tool_calls=(call,)))
    return Approval.objects.get(run=run, kind="approve", status="open")


def body(run: str, resume: list[ResumeEntry] | None = None, **more: Any) -> dict[str, Any]:
    """The request as the protocol's own types write it."""
    found: dict[str, Any] = RunAgentInput(
        thread_id="thread-1",
        run_id=run,
        state={},
        messages=[UserMessage(id="m1", role="user", content="Clean up.")],
        tools=[],
        context=[],
        forwarded_props={"driver": "manual", **more.pop("properties", {})},
        resume=resume,
        **more,
    ).model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


async def events_of(answer: Any) -> list[Sent]:
    assert answer.status_code == 200, answer.content
    async with asyncio.timeout(15):
        return [one async for one in events_in(answer.streaming_content)]


async def asked(post: Any, pack: Pack, run: str = "run-1") -> list[Sent]:
    """The events of a stream that ends when its run asks a person."""
    answer = await sync_to_async(post)(f"packs/{pack.pk}/ag-ui/", body(run))
    await sync_to_async(model_asks)()
    return await events_of(answer)


def interrupt_in(sent: list[Sent]) -> Any:
    end = RunFinishedEvent.model_validate(sent[-1].data)
    assert end.outcome is not None
    assert end.outcome.type == "interrupt"
    (interrupt,) = end.outcome.interrupts
    return interrupt


def entry(sent: list[Sent], payload: Any = None, status: Any = "resolved") -> ResumeEntry:
    return ResumeEntry(interrupt_id=interrupt_in(sent).id, status=status, payload=payload)


async def test_a_question_ends_the_stream_and_its_answer_continues_the_run(
    post: Any, pack: Pack, hubs: None
) -> None:
    first = await asked(post, pack)
    check_stream([one.data for one in first])
    interrupt = interrupt_in(first)
    assert (interrupt.reason, interrupt.metadata["signalbox"]["call"]) == ("tool_call", CALL)
    assert "bash" in interrupt.message
    payload = {"approved": True, "editedArgs": {"command": "ls"}}
    Draft202012Validator(interrupt.response_schema).validate(payload)
    assert "CUSTOM" in [one.data["type"] for one in first]

    path = f"packs/{pack.pk}/ag-ui/"
    again = body("run-2", [entry(first, payload)], parent_run_id="run-1")
    answer = await sync_to_async(post)(path, again)
    given = await RunEvent.objects.aget(type="approval.given")
    assert (given.fields["by"], given.fields["structured"]) == ("ada", {"command": "ls"})
    run = await Run.objects.aget()
    await sync_to_async(runs.fail)(run.pk, "Enough.")
    second = await events_of(answer)
    data = [one.data for one in second]
    check_stream(data)
    assert [one["type"] for one in data[:3]] == ["RUN_STARTED", "STATE_SNAPSHOT", "STEP_STARTED"]
    assert (data[0]["runId"], data[0]["parentRunId"]) == ("run-2", "run-1")
    assert list(data[1]["snapshot"]["questions"]) == [given.fields["key"]]
    assert data[-1]["type"] == "RUN_ERROR"
    assert len({one.id for one in second}) == len(second)

    # A client that lost the second stream continues in it, and answers nothing again.
    for n, one in enumerate(second[:-1]):
        rest = await sync_to_async(post)(path, again, HTTP_LAST_EVENT_ID=one.id)
        assert await events_of(rest) == second[n + 1 :], one.id


async def test_a_client_that_lost_the_end_gets_it_again(post: Any, pack: Pack, hubs: None) -> None:
    first = await asked(post, pack)
    path = f"packs/{pack.pk}/ag-ui/"
    for n in range(len(first)):
        lost = await sync_to_async(post)(path, body("run-1"), HTTP_LAST_EVENT_ID=first[n].id)
        assert await events_of(lost) == first[n + 1 :]


@pytest.mark.parametrize(
    ("payload", "status", "given"),
    [
        ({"approved": False, "reason": "No!"}, "resolved", (False, "No!")),
        (True, "resolved", (True, "")),
        (None, "cancelled", (False, "")),
    ],
)
async def test_each_answer_reaches_the_approval(
    post: Any, pack: Pack, hubs: None, payload: Any, status: Any, given: tuple[bool, str]
) -> None:
    first = await asked(post, pack)
    again = body("run-2", [entry(first, payload, status)])
    answer = await sync_to_async(post)(f"packs/{pack.pk}/ag-ui/", again)
    assert answer.status_code == 200
    row = await Approval.objects.aget(kind="approve")
    assert (row.status == "approved", row.reason) == given
    assert row.answered_by == "ada"


async def test_a_second_answer_is_refused_with_a_message(post: Any, pack: Pack, hubs: None) -> None:
    first = await asked(post, pack)
    path = f"packs/{pack.pk}/ag-ui/"
    await sync_to_async(post)(path, body("run-2", [entry(first, {"approved": True})]))
    other = await sync_to_async(post)(path, body("run-3", [entry(first, {"approved": False})]))
    assert (other.status_code, other.json()["code"]) == (409, "answered_meanwhile")
    assert other.json()["message"] == "ada has already answered or ended this question."
    assert await RunEvent.objects.filter(type="approval.given").acount() == 1


async def test_wrong_answers_are_refused_and_change_nothing(
    post: Any, pack: Pack, bob: User, hubs: None
) -> None:
    first = await asked(post, pack)
    id = interrupt_in(first).id
    place, _, key = id.partition(":")

    def refused(resume: list[dict[str, Any]], status: int, client: Client | None = None) -> str:
        path = f"packs/{pack.pk}/ag-ui/"
        more = {"client": client} if client else {}
        answer = post(path, {**body("run-2"), "resume": resume}, **more)
        assert answer.status_code == status, answer.content
        return str(answer.json()["message"])

    ask = sync_to_async(refused)
    yes = {"interruptId": id, "status": "resolved", "payload": {"approved": True}}
    assert await ask([{**yes, "interruptId": "x"}], 400) == "No interrupt has this id."
    assert await ask([{**yes, "interruptId": id + "x"}], 400) == "No interrupt has this id."
    none = f"{place[:-1]}{'0' if place[-1] != '0' else '1'}:{key}"
    assert await ask([{**yes, "interruptId": none}], 400) == "No interrupt has this id."
    assert "twice" in await ask([yes, yes], 400)
    await ask([{**yes, "status": "perhaps"}], 400)
    await ask([{**yes, "payload": {"approved": True, "editedArgs": 7}}], 400)
    theirs = Client(HTTP_HOST="127.0.0.1")
    await sync_to_async(theirs.force_login)(bob)
    await ask([yes], 404, theirs)
    await sync_to_async(share)(pack, bob, Level.READ)
    assert await ask([yes], 403, theirs) == "You may watch this approval, but not control it."
    assert (await Approval.objects.aget(kind="approve")).status == "open"


async def test_a_client_can_keep_the_stream_open(post: Any, pack: Pack, hubs: None) -> None:
    keeps = body("run-1", properties={"interrupts": False})
    answer = await sync_to_async(post)(f"packs/{pack.pk}/ag-ui/", keeps)
    approval = await sync_to_async(model_asks)()
    sent = events_in(answer.streaming_content)
    async with asyncio.timeout(15):
        async for one in sent:
            if one.data.get("name") == "signalbox.approval.asked":
                break
        await sync_to_async(runs.fail)(approval.run_id, "Enough.")
        assert [one.data["type"] async for one in sent][-1] == "RUN_ERROR"
