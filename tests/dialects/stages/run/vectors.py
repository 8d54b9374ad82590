"""Execution of the run-time vectors of the corpus: `outcome(vector)` is the outcome of a run, with
the keys of the vector's `expect` (without its notes)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from tests.dialects.stages.run.scripted_run import ScriptedRun, at_once, is_, then
from workflows.core.dialects.stages.format.templates import convert_references
from workflows.core.dialects.stages.format.tools import REGISTERED
from workflows.core.dialects.stages.program.faults import StageFault
from workflows.core.dialects.stages.program.setup import tool_list
from workflows.core.dialects.stages.program.stage_context import PhaseContext, check_access
from workflows.core.dialects.stages.program.tool_approval import (
    Proposal,
    canonical,
    consume_token,
    decide,
    digest_of,
    issue_token,
)
from workflows.core.engine.effects import CallTool, ToolSpec
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.program import CannotRun
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start
from workflows.core.engine.transition import transition

DIFFERS = {
    "V21": "a gate's `retry` parks the stage or follows its resolutionPolicy (stages.md 7.3): with "
    "the policy `skip`, as here, the outcome is `skip`; Exit and Next run all the same",
}
"""Vectors that a run knowingly does not agree with, and why."""


def outcome(vector):
    """The outcome of `vector["given"]`. Raises KeyError for a vector that is not about runs."""
    return PLAYED[vector["id"]](vector["given"])


def _thrown(fault, *names):
    context = {name: fault["context"][name] for name in names}
    found = {"class": fault["class"], "code": fault["code"]}
    return {"throws": {**found, **({"context": context} if names else {})}}


def _refused(act, *arguments, **named):
    try:
        act(*arguments, **named)
    except StageFault as fault:
        return fault.fault.to_json()
    return None


def _access(given):
    allowed = {
        phase: [what for what in wanted if _refused(check_access, phase, what, "s") is None]
        for phase, wanted in given["access"].items()
    }
    refusal = _refused(check_access, "Act", "read", "s")
    return {
        "allowed": allowed,
        "otherwise": {"class": refusal["class"], "code": refusal["code"]},
    }


def _write_in_gate(given):
    return _thrown(_refused(PhaseContext({}, "CheckGate", "s").put, "field", 1))


def _cap_hit(given):
    play = ScriptedRun({"a": {}}, {"a": {"turnCap": 1}})
    play.say()
    (asserted,) = play.event_fields("assert")
    return {"capHit": asserted["capHit"], "assertOutcome": asserted["verdict"]}


def _gate_retry(given):
    never = {"when": is_("run.input.never", True), "else": given["checkGate"]}
    fails = [{"unless": is_("run.input.never", True), "verdict": given["assertHook"]}]
    stages = {"a": {"gate": never, "assert": fails, "next": given["next"]}, "x": {}, "y": {}}
    play = ScriptedRun(stages, {"a": {"resolutionPolicy": "skip"}})
    (left,) = play.event_fields("exit", stageId="a")
    return {
        "actRan": "Act" in [told["phase"] for told in play.event_fields("phase", stageId="a")],
        "assertOutcome": left["result"]["verdict"],
        "exitSaw": left["result"]["verdict"],
    }


class _Breaks:
    root, steps = "run", ()

    def within(self, scope):
        raise ArithmeticError("a plain error")


def _setup_throws(given):
    whole = ScriptedRun({"a": {"setup": {"x": {"from": "run.input.x"}}}}).program
    stage = whole.pipeline.stages["a"]
    broken = replace(stage, setup_fields=(replace(stage.setup_fields[0], path=_Breaks()),))
    program = replace(whole, pipeline=replace(whole.pipeline, stages={"a": broken}))
    events, _ = transition(program, RunState(), Start(at=1.0))
    (error,) = [event.fields for event in events if event.type == "stages.error"]
    return _thrown(error, "phase")


def _abort_in_act(given):
    play = ScriptedRun({"a": {}})
    play.cancel()
    assert play.run.status == "cancelled"
    return _thrown(play.event_fields("cancelled", stageId="a")[0])


def _siblings(count):
    return [f"sib-{number}" for number in range(1, count + 1)]


def _group(count, **entries):
    names = _siblings(count)
    root = {"next": at_once(*names, join="join"), "exit": {"slot": {"seen": "result.parsed.x"}}}
    reads = {"setup": {"seen": {"from": "slot.seen"}}}
    return ScriptedRun(
        {"root": root, **{n: {**reads, **entries.get(n, {})} for n in names}, "join": {}}
    )


def _one_fails(given):
    fails = [{"unless": is_("result.parsed.good", True), "verdict": given["oneAsserts"]}]
    play = _group(given["siblings"], **{"sib-2": {"assert": fails}})
    play.submit("root", x=1)
    play.submit("sib-2", good=False)
    (failure,) = play.event_fields("parallel_failure")
    return {
        **_thrown(failure, "failedSiblingId", "joinReady"),
        "cancelled": [told["stageId"] for told in play.event_fields("cancelled")],
    }


def _too_few(given):
    try:
        _group(given["siblings"])
    except CannotRun as refused:
        return {"throws": {"class": "ExtensionHost", "code": refused.code}}
    return {}


def _all_ok(given):
    play, names = _group(given["siblings"]), _siblings(given["siblings"])
    play.submit("root", x=1)
    concurrent = play.states == names
    seen = [
        told["memory"]["ctx"]["seen"]
        for told in play.event_fields("context")
        if told["stageId"] != "root"
    ]
    for name in names:
        play.submit(name)
    turns = [told["edge"] for told in play.event_fields("turn") if told["stageId"] in names]
    return {
        "joinReady": play.states == ["join"],
        "concurrent": concurrent,
        "sessionTurnStart": turns.count("start"),
        "sessionTurnEnd": turns.count("end"),
        "eachSees": "the same pre-spawn ctx snapshot" if seen == [1] * len(names) else str(seen),
    }


def _join(given):
    names = list(given["siblingOutcomes"])
    setup = {name: {"from": f"run.input.{name}"} for name in given["parentCtx"]}
    stages = {
        "root": {"next": at_once(*names, join="join")},
        **{name: {} for name in names},
        "join": {"setup": setup},
    }
    heads = {"join": {"body": convert_references(given["joinBody"])}}
    play = ScriptedRun(stages, heads, inputs=given["parentCtx"])
    for name in ("root", *names):
        play.submit(name)
    rendered = play.wanted("join").system
    (context,) = play.event_fields("context", stageId="join")
    play.submit("join")
    ends = [told for told in play.event_fields("turn", edge="end") if told["stageId"] != "root"]
    return {
        "rendered": rendered,
        "ctx.siblings": list(context["memory"]["ctx"]["siblings"]),
        "sessionTurnEnd": len(ends),
    }


def _join_fails(given):
    fails = [{"unless": is_("result.parsed.good", True), "verdict": given["joinStageAsserts"]}]
    stages = {"a": {"next": at_once("b", "c", join="d")}, "b": {}, "c": {}, "d": {"assert": fails}}
    play = ScriptedRun(stages)
    for name in stages:
        play.submit(name)
    return _thrown(play.event_fields("error")[0])


def _sequence(given):
    names = given["stages"]
    following = pairwise(names)
    stages = {name: {} for name in names}
    stages |= {name: {"next": then(after)} for name, after in following}
    play = ScriptedRun({name: stages[name] for name in names})
    for name in names:
        play.submit(name)
    order = [(told["stageId"], told["phase"]) for told in play.event_fields("phase", edge="post")]
    drained = all(
        order.index((one, "Exit")) < order.index((after, "Setup")) for one, after in pairwise(names)
    )
    edges = [told["edge"] for told in play.event_fields("turn")]
    return {
        "sessionTurnStart": edges.count("start"),
        "sessionTurnEnd": edges.count("end"),
        "rule": "a stage's Exit drains before the next stage's Setup" if drained else "broken",
    }


def _abort_between(given):
    play = ScriptedRun({"a": {"next": then("b")}, "b": {}})
    play.submit("a")
    play.cancel()
    return _thrown(play.event_fields("cancelled")[-1])


def _manifest(given):
    tools = {
        name: REGISTERED.get(name, ToolSpec(name=name, description="", parameters={}))
        for name in given["sessionTools"]
    }
    head = {"allowedTools": given["allowedTools"], "completionTool": given["completionTool"]}
    program = ScriptedRun({"a": {}}, {"a": head}, tools=tools).program
    return {
        "toolManifest": [
            tool.name for tool in tool_list(program.pipeline.stages["a"], program.pipeline)
        ]
    }


PROPOSAL = Proposal(execution="e", attempt=1, proposal="p", tool="bash", digest="d")


def _consumed_twice(given):
    tokens = issue_token({}, PROPOSAL.mark)
    tokens = consume_token(tokens, PROPOSAL.mark)
    second = _refused(consume_token, tokens, PROPOSAL.mark)
    return {"first": given["issue"], "second": _thrown(second)}


def _consumed_late(given):
    tokens = issue_token({}, PROPOSAL.mark)
    return _thrown(_refused(consume_token, tokens, PROPOSAL.mark, exited=given["stageExited"]))


def _listed(given):
    play = ScriptedRun({"a": {}}, {"a": {"allowedTools": given["allowedTools"]}}).program.pipeline
    proposal = replace(PROPOSAL, tool=given["call"])
    decision = decide(play, play.stages["a"], proposal, {}, [])
    return {"decision": {"kind": decision.kind, "source": decision.source}}


def _digest(given):
    arguments = given["args"]
    return {"argsDigestSha256": digest_of(arguments), "canonicalJson": canonical(arguments)}


def _rounds(given):
    play = ScriptedRun({"a": {}}, {"a": {"turnCap": given["turnCap"], "allowedTools": ["read"]}})
    rounds = 0
    while play.run.status == "running" and rounds < 10:
        play.call(("read", {"file_path": "x"}))
        rounds += 1
        play.tool()
    asked = [effect for effect in pending_effects(play.run) if not isinstance(effect, CallTool)]
    capped = play.event_fields("assert")[0]["capHit"]
    return {"toolRounds": play.run.tool_calls, "capHit": capped, "render": bool(asked)}


PLAYED = {
    "V17": _access,
    "V18": _write_in_gate,
    "V19": _cap_hit,
    "V21": _gate_retry,
    "V22": _setup_throws,
    "V23": _abort_in_act,
    "V25": _one_fails,
    "V26": _too_few,
    "V27": _all_ok,
    "V29": _join,
    "V30": _join_fails,
    "V31": _sequence,
    "V33": _abort_between,
    "V34": _manifest,
    "V35": _manifest,
    "V37": _consumed_twice,
    "V38": _consumed_late,
    "V39": _listed,
    "V41": _digest,
    "V42": _rounds,
}
