"""Approval of tool calls: its sources and the number of calls."""

import json

import pytest

from tests.dialects.stages.run.scripted_run import ScriptedRun, then
from tests.support.checks import each_row
from workflows.core.dialects.stages.program.faults import StageFault
from workflows.core.dialects.stages.program.tool_approval import (
    Proposal,
    canonical,
    consume_token,
    digest_of,
)
from workflows.core.engine.effects import AskHuman, CallTool

BASH = ("bash", {"command": "ls", "timeout": 1.0})


def play(grants=(), **stages):
    stages = stages or {"a": {}}
    heads = {"a": {"allowedTools": ["read"], "turnCap": 9}}
    return ScriptedRun(stages, heads, grants=list(grants))


def test_a_listed_tool_is_approved_beforehand():
    now = play()
    now.call(("read", {"file_path": "x"}))
    (approval,) = now.event_fields("approval")
    assert approval["audit"] == "Approval"
    assert (approval["decision"], approval["source"]) == ("approve", "sm-envelope")
    assert approval["toolId"] == "read"
    assert approval["argsDigest"] == digest_of({"file_path": "x"})
    assert approval["stageExecutionId"] == "run-1::a::1"
    assert approval["attempt"] == 1


def test_another_tool_is_put_to_a_person_with_all_that_will_happen():
    now = play()
    now.call(BASH)
    question = now.wanted(kind=AskHuman)
    assert question.kind == "approve"
    assert now.run.status == "waiting"
    assert question.question == (
        "The model wants to call bash, which this stage does not list. Arguments: "
        f'{{"command":"ls","timeout":1}} (SHA-256 {digest_of(BASH[1])}). Allow this one call?'
    )


def test_a_yes_is_good_for_one_call():
    now = play()
    now.call(BASH)
    now.approve(True)
    assert now.wanted(kind=CallTool).name == "bash"
    assert now.event_fields("approval")[-1]["source"] == "sm-grant-token"
    now.tool("files")
    assert now.transcript[-1] == ("tool", "files")
    now.call(BASH)
    assert now.wanted(kind=AskHuman)


def test_a_denied_call_is_reported_to_the_model_and_the_stage_continues():
    now = play()
    now.call(BASH, ("read", {"file_path": "x"}))
    now.approve(False)
    denied = now.event_fields("approval", decision="deny")
    assert [(told["toolId"], told["source"]) for told in denied] == [("bash", "sm-grant-token")]
    assert now.wanted(kind=CallTool).name == "read"
    now.tool()
    heard = json.loads(now.transcript[1][1])["error"]
    assert (heard["class"], heard["code"]) == ("ToolTerminal", "SignalboxCallDenied")
    assert heard["message"] == "The call of `bash` was denied. Go on without it."
    now.submit()
    assert now.run.status == "completed"


def test_a_denial_has_a_reason():
    now = play()
    now.call(BASH)
    now.approve(False, text="Not on this machine.")
    heard = json.loads(now.transcript[1][1])["error"]["message"]
    assert heard == "The call of `bash` was denied: Not on this machine. Go on without it."


def test_a_person_may_change_the_arguments_before_approval():
    now = play()
    now.call(BASH, ("read", {"file_path": "x"}))
    assert now.wanted(kind=AskHuman).call == {"name": "bash", "arguments": BASH[1]}
    now.approve(True, structured={"command": "ls -l"})
    assert now.wanted(kind=CallTool).arguments == {"command": "ls -l"}
    approval = now.event_fields("approval")[-1]
    assert (approval["decision"], approval["argsDigest"]) == (
        "approve",
        digest_of({"command": "ls -l"}),
    )
    now.tool("files")
    now.tool("text")
    changed = 'A person changed the arguments of this call to {"command":"ls -l"}.'
    assert now.transcript[1:3] == [("tool", f"{changed}\n\nfiles"), ("tool", "text")]


def test_a_yes_with_the_same_arguments_changes_nothing():
    now = play()
    now.call(BASH)
    now.approve(True, structured=dict(BASH[1]))
    now.tool("files")
    assert now.transcript[-1] == ("tool", "files")


def test_the_pipeline_may_grant_a_tool_a_number_of_times():
    now = play([{"tool": "bash", "stages": ["a"], "max": 2}])
    for _ in range(2):
        now.call(BASH)
        now.tool()
    now.call(BASH)
    assert now.wanted(kind=AskHuman)
    assert now.run.tool_calls == 2


def test_a_grant_holds_in_its_stages_and_over_the_whole_run():
    stages = {"a": {"next": then("b")}, "b": {"next": then("c")}, "c": {}}
    now = play([{"tool": "bash", "stages": ["a", "b"], "max": 1}], **stages)
    now.call(BASH)
    now.tool()
    now.submit()
    now.call(BASH)
    assert now.states == ["b"]
    assert now.wanted(kind=AskHuman)
    now.approve(False)
    now.submit()
    now.call(BASH)
    assert now.wanted(kind=AskHuman).state == "c"


@each_row(
    [
        {"tool": "bash", "stages": ["b"]},
        {"tool": "Bash"},
        {"tool": "bash", "stages": "a"},
        {"tool": "bash", "max": "many"},
        {"tool": "bash", "max": 0},
        {"stages": ["a"]},
        "bash",
    ]
)
def test_a_grant_for_something_else_or_of_a_wrong_shape_grants_nothing(grant):
    now = play([grant])
    now.call(BASH)
    assert now.wanted(kind=AskHuman)


def test_a_grant_without_limits_is_good_everywhere():
    now = play([{"tool": "bash"}])
    for _ in range(3):
        now.call(BASH)
        now.tool()
    assert now.run.tool_calls == 3


def test_the_key_of_a_token_joins_five_values_with_nul():
    proposal = Proposal(execution="exec-1", attempt=2, proposal="p", tool="bash", digest="abc")
    assert proposal.key == "exec-1\x002\x00p\x00bash\x00abc"
    assert "\x00" not in proposal.mark


def test_a_token_that_was_never_issued_cannot_be_used():
    with pytest.raises(StageFault) as missing:
        consume_token({}, "mark")
    assert missing.value.fault.code == "GrantNotFound"


@each_row(
    [
        ({}, "{}"),
        ({"b": 1.0, "a": None}, '{"a":null,"b":1}'),
        ({"é": "ü", "e": [True, {"z": 1, "a": 1e21}]}, '{"e":[true,{"a":1e+21,"z":1}],"é":"ü"}'),
        ({"\U0001f600": 1, "\uffff": 2}, '{"\U0001f600":1,"\uffff":2}'),
    ]
)
def test_arguments_have_one_canonical_form(arguments, text):
    assert canonical(arguments) == text


def test_grants_do_not_outlive_the_execution():
    now = play(**{"a": {"next": then("a")}})
    now.call(BASH)
    now.approve(True)
    now.tool()
    now.submit()
    assert now.event_fields("exit")[0]["memory"]["tokens"] == {}
    now.call(BASH)
    assert now.wanted(kind=AskHuman)
