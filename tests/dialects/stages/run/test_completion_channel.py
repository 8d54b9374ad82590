"""Act and the completion channel, as the document defines them."""

import json

from tests.dialects.stages.run.scripted_run import ScriptedRun, is_
from tests.support.checks import each_row
from workflows.core.dialects.stages.program.assertions import backoff_seconds
from workflows.core.engine.effects import CallTool
from workflows.core.engine.signals import Reply, ToolCall

SCHEMA = {
    "type": "object",
    "required": ["good"],
    "properties": {"good": {"type": "boolean"}},
    "additionalProperties": False,
}
HEAD = {"completionSchema": SCHEMA, "allowedTools": ["read", "grep"]}


def play(**head):
    return ScriptedRun({"a": {}}, {"a": {**HEAD, "turnCap": 9, **head}})


def results(now):
    """The tool results for the model; of an error its message."""
    texts = [turn.text for turn in now.wanted().messages if turn.role == "tool"]
    return [
        json.loads(text)["error"]["message"] if text.startswith("{") else text for text in texts
    ]


def test_the_model_sees_the_listed_tools_in_their_order_and_the_completion_tool_last():
    now = play(allowedTools=["grep", "bash", "read"])
    assert [tool.name for tool in now.wanted().tools] == ["grep", "bash", "read", "submit"]
    assert now.wanted().tools[-1].parameters == SCHEMA
    assert now.wanted().answer_tool == "submit"


def test_a_stage_without_tools_still_has_its_completion_tool():
    assert [tool.name for tool in play(allowedTools=[]).wanted().tools] == ["submit"]


def test_a_valid_payload_ends_the_stage():
    now = play()
    now.submit(good=True)
    assert now.result("a")["parsed"] == {"good": True}
    assert now.event_fields("turn_judged")[0]["as"] == "completed"
    assert now.event_fields("approval") == []
    assert [e.type for e in now.log if e.type.startswith("tool.")] == []


def test_an_invalid_payload_is_returned_and_may_be_corrected():
    now = play()
    now.submit(good="yes", more=1)
    (error,) = results(now)
    assert "do not fit its schema" in error
    assert '/good: "yes" is not of type "boolean"' in error
    assert "'more' was unexpected" in error
    assert now.wanted().messages[-1].tool_call_id == "c1"
    now.submit(good=True)
    assert now.result("a")["attemptCount"] == 1
    (context,) = [told["memory"]["attempts"] for told in now.event_fields("turn_judged", turn=2)]
    assert context[0]["parseError"] == error
    assert context[0]["turns"] == 2


def test_arguments_that_are_no_json_are_a_parse_failure():
    now = play()
    call = ToolCall(name="submit", unread='{"good": tru')
    now.send(Reply(at=2.0, key=now.wanted().key, tool_calls=(call,)))
    assert results(now) == ["The arguments of `submit` are no JSON object."]
    assert now.event_fields("turn_judged")[-1]["as"] == "parse_failed"
    assert now.wanted().messages[0].tool_calls[0]["unread"] == '{"good": tru'


def test_another_tool_is_not_called_with_unreadable_arguments():
    now = play()
    now.send(Reply(at=2.0, key=now.wanted().key, tool_calls=(ToolCall(name="read", unread="x"),)))
    assert results(now) == ["The arguments of `read` are no JSON object."]
    assert now.run.tool_calls == 0


def nested(depth):
    value = {}
    for _ in range(depth):
        value = {"good": value}
    return value


ODD = {
    "half a character": {"\ud800": 1},
    "deep": nested(90),
    "a huge number": {"good": 10**400},
    "no number": {"good": float("nan")},
}


@each_row(ODD.values())
def test_a_malformed_payload_is_returned_as_invalid(payload):
    now = play()
    now.call(("submit", payload))
    assert now.event_fields("turn_judged")[-1]["as"] == "parse_failed"
    assert len(results(now)[0]) < 500
    now.submit(good=True)
    assert now.run.status == "completed"


BATCHES = {
    "beside another": [("read", {"file_path": "x"}), ("submit", {"good": True})],
    "before others": [("submit", {"good": True}), ("read", {}), ("grep", {})],
    "twice": [("submit", {"good": True}), ("submit", {"good": False})],
    "twice and another": [("submit", {"good": True}), ("grep", {}), ("submit", {"good": True})],
    "beside one that is not listed": [("bash", {}), ("submit", {"good": True})],
}


@each_row(BATCHES.values())
def test_a_completion_call_among_other_calls_rejects_the_batch(batch):
    now = play()
    now.call(*batch)
    assert now.event_fields("turn_judged")[-1]["as"] == "batch_rejected"
    assert now.run.tool_calls == 0
    assert now.event_fields("approval") == []
    answered = [turn.tool_call_id for turn in now.wanted().messages if turn.role == "tool"]
    assert answered == [f"c{number}" for number in range(1, len(batch) + 1)]
    assert all("must be the only tool call" in text for text in results(now))
    now.submit(good=True)
    assert now.run.status == "completed"


def test_a_reply_without_calls_is_steered():
    now = play()
    now.say("I think I am done.")
    assert now.transcript == [
        ("assistant", "I think I am done."),
        ("user", "Call `submit` when you are done; a reply in words alone ends nothing."),
    ]


def test_the_last_allowed_reply_may_still_succeed():
    now = play(turnCap=3)
    now.say()
    now.submit(good="no")
    now.submit(good=True)
    assert now.result("a") == {
        "verdict": "ok",
        "parsed": {"good": True},
        "capHit": False,
        "attemptCount": 1,
    }
    assert now.run.model_calls == 3


def test_an_attempt_ends_at_its_turn_cap():
    now = play(turnCap=3)
    for _ in range(3):
        now.say()
    assert now.run.model_calls == 3
    assert now.result("a") == {
        "verdict": "fail",
        "reason": "attempts exhausted: the turn cap was reached without a result",
        "capHit": True,
        "attemptCount": 1,
    }
    assert now.run.status == "failed"


def test_a_rejected_batch_counts_as_a_turn():
    now = play(turnCap=1)
    now.call(("read", {}), ("submit", {"good": True}))
    assert now.event_fields("assert")[0]["capHit"] is True


def test_calls_of_other_tools_run_in_sequence_and_return_all_results():
    now = play()
    now.call(("read", {"file_path": "x"}), ("grep", {"pattern": "y"}))
    assert now.wanted(kind=CallTool).name == "read"
    now.tool("one")
    assert now.wanted(kind=CallTool).arguments == {"pattern": "y"}
    now.tool(error="no such folder")
    assert results(now) == ["one", "no such folder"]
    assert now.wanted().messages[0].tool_calls == (
        {"id": "c1", "name": "read", "arguments": {"file_path": "x"}},
        {"id": "c2", "name": "grep", "arguments": {"pattern": "y"}},
    )


def test_at_the_cap_the_calls_of_the_last_reply_are_made_and_not_sent_back():
    now = play(turnCap=1)
    now.call(("read", {"file_path": "x"}), ("grep", {"pattern": "y"}))
    now.tool()
    now.tool()
    assert now.run.tool_calls == 2
    assert now.run.model_calls == 1
    assert now.event_fields("assert")[0]["capHit"] is True


def test_errors_sent_to_the_model_are_typed():
    now = play()
    now.call(("read", {}), ("submit", {}))
    now.call(("submit", {}))
    now.call(("fly", {}))
    now.call(("read", {}))
    now.tool(error="gone")
    errors = [
        json.loads(turn.text)["error"] for turn in now.wanted().messages if turn.role == "tool"
    ]
    assert [(error["class"], error["code"]) for error in errors] == [
        ("Validation", "SignalboxBatchRejected"),
        ("Validation", "SignalboxBatchRejected"),
        ("Validation", "SignalboxPayloadInvalid"),
        ("ToolTerminal", "SignalboxToolUnknown"),
        ("ToolTransient", "SignalboxToolFailed"),
    ]


def test_a_call_of_an_unknown_tool_fails_without_approval():
    now = play()
    now.call(("fly", {}))
    assert results(now) == ["There is no tool `fly`."]
    assert now.event_fields("approval") == []


def test_a_structured_answer_counts_as_a_completion_call():
    now = play()
    now.send(Reply(at=2.0, key=now.wanted().key, structured={"good": True}))
    assert now.result("a")["parsed"] == {"good": True}


def test_calls_without_an_id_and_calls_with_the_same_one_get_ids_of_their_own():
    now = play()
    calls = (ToolCall(name="read"), ToolCall(name="read", id="x"), ToolCall(name="read", id="x"))
    now.send(Reply(at=2.0, key=now.wanted().key, tool_calls=calls))
    for _ in calls:
        now.tool()
    answered = [turn.tool_call_id for turn in now.wanted().messages if turn.role == "tool"]
    assert answered == ["turn-1-1", "x", "turn-1-3"]


def test_a_model_that_gives_no_answer_fails_the_stage_and_closes_act():
    now = play()
    now.send(Reply(at=2.0, key=now.wanted().key, error="The line is dead."))
    assert now.run.status == "failed"
    assert "The line is dead." in now.run.reason
    assert now.phases[-2:] == ["Act", "/Act"]
    assert now.event_fields("init_failed") == []


# -- assertions and retries -------------------------------------------------------------------

RETRY = {"unless": is_("result.parsed.good", True), "verdict": "retry", "reason": "not good yet"}


def retrying(attempts=3, backoff="none", turns=3, rule=RETRY):
    head = {**HEAD, "retryPolicy": {"maxAttempts": attempts, "backoff": backoff}, "turnCap": turns}
    setup = {"task": {"from": "run.input.task"}}
    entry = {"assert": [rule], "setup": setup}
    return ScriptedRun({"a": entry}, {"a": {**head, "body": "{{ctx.task}}"}}, inputs={"task": "T"})


def test_a_retry_continues_the_conversation_without_rendering_again():
    now = retrying()
    now.say("Let me see.")
    now.submit(good=False)
    assert now.transcript[0] == ("assistant", "Let me see.")
    assert now.transcript[-1] == (
        "tool",
        "Try again: not good yet. Call `submit` when you are done.",
    )
    assert now.wanted().system == "T"
    assert len(now.event_fields("rendered")) == 1
    assert now.phases[6:] == ["Act", "/Act", "Assert", "/Assert", "Act"]
    now.submit(good=True)
    assert now.result("a")["attemptCount"] == 2
    assert now.result("a")["verdict"] == "ok"


def test_assertions_and_payloads_are_checks_as_in_every_dialect():
    now = retrying()
    now.submit(good="no")
    now.submit(good=False)
    now.submit(good=True)
    checks = [(e.type, e.fields["name"]) for e in now.log if e.type.startswith("check.")]
    assert checks == [
        ("check.failed", "completionSchema"),
        ("check.failed", "assert"),
        ("check.passed", "assert"),
    ]
    assert [e.fields["message"] for e in now.log if e.type == "check.failed"][1] == (
        "retry: not good yet"
    )


def test_every_attempt_has_its_own_turns():
    now = retrying(attempts=2, turns=2)
    now.say()
    now.submit(good=False)
    now.say()
    now.submit(good=True)
    assert now.run.status == "completed"
    assert now.run.model_calls == 4


def test_exhausted_attempts_fail_with_a_reason():
    now = retrying(attempts=2)
    now.submit(good=False)
    now.submit(good=False)
    assert now.result("a")["verdict"] == "fail"
    assert now.result("a")["reason"] == "attempts exhausted: not good yet"
    assert [told["verdict"] for told in now.event_fields("assert")] == ["retry", "retry"]
    assert now.run.status == "failed"
    assert "no case handles the failure" in now.run.reason


def test_a_reached_cap_is_retried_if_attempts_are_left():
    now = ScriptedRun({"a": {}}, {"a": {"turnCap": 1, "retryPolicy": {"maxAttempts": 2}}})
    now.say()
    assert now.event_fields("assert")[0]["verdict"] == "retry"
    now.submit()
    assert now.result("a")["verdict"] == "ok"
    assert now.result("a")["capHit"] is False


def test_assertions_may_accept_a_cap_for_salvage():
    rule = {"unless": is_("run.input.strict", "no"), "verdict": "fail"}
    now = ScriptedRun({"a": {"assert": [rule]}}, {"a": {"turnCap": 1}}, inputs={"strict": "no"})
    now.say()
    assert now.result("a") == {"verdict": "ok", "capHit": True, "attemptCount": 1}


def test_assertions_see_the_attempts_so_far():
    rule = {"unless": is_("ctx.attempts[0].turns", 1), "verdict": "skip", "reason": "slow"}
    now = ScriptedRun({"a": {"assert": [rule]}})
    now.say()
    now.submit()
    assert now.result("a")["verdict"] == "skip"
    assert now.result("a")["reason"] == "slow"
    assert now.run.status == "completed"


@each_row([("none", []), ("linear", [1.0, 2.0]), ("exponential", [1.0, 2.0]), ("fibonacci", [])])
def test_attempts_are_spaced_by_the_retry_policy(backoff, waits):
    now = retrying(backoff=backoff)
    seen = []
    for _ in range(2):
        now.submit(good=False)
        if waits:
            assert now.run.status == "waiting"
            seen.append(now.event_fields("retry")[-1]["seconds"])
            assert now.phases[-1] == "/Assert"
            now.time_up()
        assert now.phases[-1] == "Act"
    assert seen == waits
    assert now.wanted().messages[-1].text.startswith("Try again")


@each_row(
    [
        ("linear", 59, 59.0),
        ("linear", 61, 60.0),
        ("exponential", 3, 4.0),
        ("exponential", 6, 32.0),
        ("exponential", 7, 60.0),
        ("exponential", 10_000, 60.0),
        ("none", 5, 0.0),
    ]
)
def test_no_wait_is_longer_than_a_minute(kind, retry, seconds):
    assert backoff_seconds(kind, retry) == seconds
