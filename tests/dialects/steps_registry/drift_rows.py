"""The rows of the drift table (section 2.2): one pack each, what it does in both readings, and the
finding that reports it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.dialects.steps_registry.packs import (
    Change,
    definition,
    put,
    setting,
    step,
)

S = "registry/steps"
GATE = f"{S}/initial.a/structuredGate"
NEXT = f"{S}/initial.a/transitions/next"
STEPS = ".agent/t/prompts/steps"
FIRST, LATER, LAST = "initial.a", "continuation.a", "closure.a"
USUAL = (FIRST, LATER, LAST)


def says(action: str, **more: Any) -> dict[str, Any]:
    return {"next_action": {"action": action}, **more}


HAPPY = (says("next"), says("handoff"), says("closing"))


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of the table. `documented` and `climpt` are what a run does: its path, and the code
    that it ends with ("" where it completes); `asked` is in a prompt under `documented` and in none
    under `climpt`; `checks` is how often a validator ran in the one and in the other. `code` and
    `place` are the finding, by code and end of its pointer or element."""

    id: str
    change: Change
    documented: tuple[tuple[str, ...], str]
    climpt: tuple[tuple[str, ...], str]
    code: str
    place: str
    script: tuple[Any, ...] = HAPPY
    commands: tuple[int, ...] = (0,)
    asked: str = ""
    checks: tuple[int, int] | None = None


def _guarded(key: str, **more: Any) -> Change:
    """A validator before closure.a, found under this key."""
    guard = {
        "stepId": key,
        "name": "n",
        "c2": "retry",
        "c3": "a",
        "validationConditions": [{"validator": "clean"}],
        "onFailure": {"action": "retry", "maxAttempts": 2},
    }
    validator = {
        "type": "command",
        "command": "check",
        "successWhen": "exitCode:0",
        "failurePattern": "dirty",
        "extractParams": {},
    }
    return setting(
        ("registry/validators", {"clean": validator}),
        (
            "registry/failurePatterns",
            {"dirty": {"description": "d", "edition": "failed", "adaptation": "dirty"}},
        ),
        ("registry/validationSteps", {key: {**guard, **more}}),
    )


def all_of(*changes: Change) -> Change:
    def change(whole: dict[str, Any]) -> None:
        for each in changes:
            each(whole)

    return change


def _file(path: str, text: str) -> Change:
    return lambda whole: whole["files"].update({path: text})


def _intents(id: str, *intents: str) -> Change:
    return setting(
        (f"{S}/{id}/structuredGate/allowedIntents", list(intents)),
        (f"schema/{id}", definition(list(intents))),
    )


def _kindless(whole: dict[str, Any]) -> None:
    """initial.a becomes a step without a kind, which may abort."""
    first = whole["registry"]["steps"][FIRST]
    del first["stepKind"]
    first["c2"] = "other"
    whole["files"][f"{STEPS}/other/a/f_default.md"] = "next_action"
    _intents(FIRST, "next", "abort")(whole)
    whole["registry"]["steps"][FIRST]["transitions"] = {
        "next": {"target": LATER},
        "abort": {"target": None},
    }


def _inferred(whole: dict[str, Any]) -> None:
    for item in whole["registry"]["steps"].values():
        del item["stepKind"]


def _without_gates(whole: dict[str, Any]) -> None:
    for item in whole["registry"]["steps"].values():
        for key in ("structuredGate", "transitions", "outputSchemaRef"):
            del item[key]
    whole["agent"]["runner"]["verdict"]["config"]["maxIterations"] = 3


def _section(whole: dict[str, Any]) -> None:
    value = {"stepId": "section.tone-of-voice", "name": "t", "c2": "section", "c3": "tone"}
    whole["registry"]["steps"]["section.tone-of-voice"] = {**value, "edition": "default"}
    whole["files"][f"{STEPS}/section/tone/f_default.md"] = "Write plainly."
    whole["files"][f"{STEPS}/initial/a/f_default.md"] = "next_action {tone_of_voice_section}"


def _verification(whole: dict[str, Any]) -> None:
    rules = {"next": {"target": LAST}, "handoff": {"target": LAST}}
    whole["registry"]["steps"]["verification.a"] = step(
        "verification.a", "verification", ["next", "handoff"], rules
    )
    whole["schema"]["verification.a"] = definition(["next", "handoff"])
    whole["files"][f"{STEPS}/verification/a/f_default.md"] = "next_action"
    put(whole, f"{NEXT}/target", "verification.a")


BOTH_OUTPUTS = all_of(
    setting(
        (f"{S}/{LATER}/structuredGate/handoffFields", ["plan"]),
        (f"{S}/{LAST}/inputs", {"s": {"from": "continuation.a.summary"}}),
        (f"{S}/{LAST}/uvVariables", ["continuation_a_summary"]),
    ),
    _file(f"{STEPS}/closure/a/f_default.md", "next_action of {uv-continuation_a_summary}"),
)

ROWS: tuple[Row, ...] = (
    Row(
        id="D1 abort ends with an error",
        change=_kindless,
        script=(says("abort"),),
        documented=((FIRST,), "ABORTED"),
        climpt=((FIRST,), ""),
        code="SR704",
        place="/structuredGate/allowedIntents",
    ),
    Row(
        id="D1 abort needs no listing",
        change=_intents(LATER, "repeat", "handoff", "abort"),
        script=(says("next"), says("abort")),
        documented=((FIRST, LATER), "ABORTED"),
        climpt=((), "SR-VALID-001"),
        code="SR103",
        place="/structuredGate/allowedIntents/2",
    ),
    Row(
        id="D2 repeat leads elsewhere",
        change=setting((f"{S}/{FIRST}/transitions/repeat/target", LATER)),
        script=(says("repeat"), says("handoff"), says("closing")),
        documented=(USUAL, ""),
        climpt=((FIRST, FIRST), "GATE_INTERPRETATION_ERROR"),
        code="SR701",
        place="/transitions/repeat/target",
    ),
    Row(
        id="D3 work goes on after a failed check",
        change=_guarded("closure.iteration"),
        script=(*HAPPY, says("handoff"), says("closing")),
        commands=(1, 0),
        documented=((FIRST, LATER, LAST, LATER, LAST), ""),
        climpt=((FIRST, LATER, LAST, LAST), ""),
        code="SR708",
        place="/steps/closure.a",
    ),
    Row(
        id="D4 checks are keyed by the closure step",
        change=_guarded(LAST, onFailure={"action": "abort"}),
        commands=(1,),
        documented=(USUAL, "AGENT_VALIDATION_ABORT"),
        climpt=(USUAL, ""),
        code="SR702",
        place="/validationSteps/closure.a",
    ),
    Row(
        id="D5 maxAttempts is a limit",
        change=_guarded("closure.iteration"),
        script=(*HAPPY, says("handoff"), says("closing")),
        commands=(1, 1, 1, 1, 1, 1, 1, 1),
        documented=((FIRST, LATER, LAST, LATER, LAST), "AGENT_VALIDATION_ABORT"),
        climpt=((FIRST, LATER, *[LAST] * 8), "AGENT_MAX_ITERATIONS"),
        code="SR703",
        place="/onFailure/maxAttempts",
    ),
    Row(
        id="D6 checks run at closing",
        change=_guarded("closure.iteration"),
        script=(says("next"), says("handoff"), says("repeat"), says("closing")),
        commands=(0, 1, 0, 0),
        checks=(1, 4),
        documented=((FIRST, LATER, LAST, LAST), ""),
        climpt=((FIRST, LATER, LAST, LAST), ""),
        code="SR719",
        place="/steps/closure.a",
    ),
    Row(
        id="D7 retry prompts lie beside the closure step's",
        change=all_of(
            _guarded("closure.iteration"),
            _file(f"{STEPS}/closure/a/f_failed_dirty.md", "Tidy up first."),
        ),
        script=(*HAPPY, says("handoff"), says("closing")),
        commands=(1, 0),
        documented=((FIRST, LATER, LAST, LATER, LAST), ""),
        climpt=((FIRST, LATER, LAST, LAST), ""),
        asked="Tidy up first.",
        code="SR720",
        place="file:.agent/t/prompts/steps/closure/a/f_failed_dirty.md",
    ),
    Row(
        id="D8 base and template make the path",
        change=all_of(
            setting(
                ("registry/userPromptsBase", "texts"),
                ("registry/pathTemplateNoAdaptation", "{c2}-{c3}.md"),
                *((f"{S}/{id}/fallbackKey", "initial_issue") for id in USUAL),
            ),
            _file("texts/initial-a.md", "From the template."),
        ),
        documented=(USUAL, ""),
        climpt=(USUAL, ""),
        asked="From the template.",
        code="SR707",
        place="/pathTemplateNoAdaptation",
    ),
    Row(
        id="D9 a step says its model",
        change=setting((f"{S}/{FIRST}/model", "haiku")),
        documented=(USUAL, ""),
        climpt=(USUAL, ""),
        code="SR706",
        place="/steps/initial.a/model",
    ),
    Row(
        id="D10 every intent has its rule",
        change=setting((f"{S}/{FIRST}/transitions/repeat", ...)),
        script=(says("repeat"), *HAPPY),
        documented=((FIRST, FIRST, LATER, LAST), ""),
        climpt=((FIRST, FIRST, LATER, LAST), ""),
        code="SR721",
        place="/steps/initial.a/transitions",
    ),
    Row(
        id="D11 only null ends",
        change=setting((f"{S}/{LAST}/transitions/closing/target", FIRST)),
        script=(*HAPPY, *HAPPY, *HAPPY, says("next")),
        documented=(USUAL * 3 + (FIRST,), "AGENT_MAX_ITERATIONS"),
        climpt=(USUAL, ""),
        code="SR717",
        place="/transitions/closing/target",
    ),
    Row(
        id="D12 aliases close",
        change=_file(f"{STEPS}/closure/a/f_default.md", 'Say "next_action": {"action": "done"}'),
        script=(says("next"), says("handoff"), says("done"), says("closing")),
        documented=(USUAL, ""),
        climpt=((FIRST, LATER, LAST, LAST), ""),
        code="SR722",
        place="/steps/closure.a",
    ),
    Row(
        id="D12 intentField counts on closure steps",
        change=all_of(
            setting(
                (f"{S}/{LAST}/structuredGate/intentField", "verdict.action"),
                (
                    f"{S}/{LAST}/structuredGate/intentSchemaRef",
                    "#/properties/verdict/properties/action",
                ),
            ),
            lambda whole: whole["schema"][LAST]["properties"].update(
                verdict=whole["schema"][LAST]["properties"].pop("next_action")
            ),
        ),
        script=(says("next"), says("handoff"), {"verdict": {"action": "closing"}}),
        documented=(USUAL, ""),
        climpt=((FIRST, LATER, *[LAST] * 8), ""),
        code="SR705",
        place="/structuredGate/intentField",
    ),
    Row(
        id="D13 the continuation follows by name",
        change=setting((NEXT, ...)),
        documented=(USUAL, ""),
        climpt=(USUAL, ""),
        code="SR718",
        place="/steps/initial.a",
    ),
    Row(
        id="D13 the continuation follows without gates",
        change=_without_gates,
        script=({"__text": "x"},),
        documented=((FIRST, LATER, LATER), ""),
        climpt=((FIRST, FIRST, FIRST), ""),
        code="SR723",
        place="/steps/initial.a",
    ),
    Row(
        id="D14 kinds are inferred",
        change=_inferred,
        documented=(USUAL, ""),
        climpt=((FIRST,), "PR-C3L-003"),
        code="SR710",
        place="/steps/initial.a",
    ),
    Row(
        id="D15 the runtime fills its own variables",
        change=setting((f"{S}/{FIRST}/uvVariables", ["previous_summary"])),
        documented=(USUAL, ""),
        climpt=((FIRST,), "PR-RESOLVE-003"),
        code="SR407",
        place="/steps/initial.a/uvVariables",
    ),
    Row(
        id="D16 custom intents are refused",
        change=setting((f"{S}/{FIRST}/transitions/complete", {"target": LATER})),
        script=(says("complete"),),
        documented=((FIRST,), "GATE_INTERPRETATION_ERROR"),
        climpt=((FIRST,), "GATE_INTERPRETATION_ERROR"),
        code="SR206",
        place="/transitions/complete",
    ),
    Row(
        id="D17 null among values is no end",
        change=setting(
            (NEXT, {"condition": "status", "targets": {"ready": None, "default": LATER}}),
            (f"{GATE}/handoffFields", ["status"]),
        ),
        script=(says("next", status="ready"), *HAPPY[1:]),
        documented=(USUAL, ""),
        climpt=(USUAL, ""),
        code="SR211",
        place="/targets/ready",
    ),
    Row(
        id="D18 sections are injected",
        change=_section,
        documented=(USUAL, ""),
        climpt=(USUAL, ""),
        asked="Write plainly.",
        code="SR726",
        place="state:initial.a",
    ),
    Row(
        id="D18 sections are no steps",
        change=all_of(_section, setting((f"{NEXT}/target", "section.tone-of-voice"))),
        documented=((FIRST, "section.tone-of-voice"), "FAILED_STEP_ROUTING"),
        climpt=((FIRST, "section.tone-of-voice"), "FAILED_STEP_ROUTING"),
        code="SR709",
        place="/transitions/next/target",
    ),
    Row(
        id="D19 a mapping is enough for a graph",
        change=setting(
            ("agent/runner/verdict/type", "detect:graph"),
            ("registry/entryStep", ...),
            ("registry/entryStepMapping", {"detect:graph": FIRST}),
        ),
        documented=(USUAL, ""),
        climpt=((), "SR-ENTRY-004"),
        code="SR113",
        place="agent:",
    ),
    Row(
        id="D20 an answer stays whole",
        change=BOTH_OUTPUTS,
        script=(says("next"), says("handoff", plan="p", summary="all is well"), says("closing")),
        documented=(USUAL, ""),
        climpt=(USUAL, "PR-RESOLVE-001"),
        asked="next_action of all is well",
        code="SR713",
        place="/inputs/s/from",
    ),
    Row(
        id="D21 verification does not hand off",
        change=_verification,
        script=(says("next"), says("handoff")),
        documented=((FIRST, "verification.a"), "SR-INTENT-001"),
        climpt=((), "SR-VALID-001"),
        code="SR103",
        place="/structuredGate/allowedIntents/1",
    ),
)
