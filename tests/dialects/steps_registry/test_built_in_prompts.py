"""`fallbackKey`: the built-in prompts of the format's document, and its error for other keys."""

from __future__ import annotations

import re

from tests.dialects.steps_registry.packs import findings, pack, put
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.format.vocabulary import FALLBACK_KEYS
from workflows.core.engine.effects import AskModel
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Start
from workflows.core.engine.transition import transition

STEPS = ("initial.a", "continuation.a", "closure.a")
OUR_KEYS = dict(
    zip(STEPS, ("initial_issue", "continuation_issue", "issue_closure_default"), strict=True)
)
DOCUMENT_ERROR = 'No fallback prompt found for key: "initial.issue" (step: initial.a)'


def keyed(keys=OUR_KEYS, *, files=False):
    def change(whole):
        for id, key in keys.items():
            put(whole, f"registry/steps/{id}/fallbackKey", key)
        if not files:
            for path in [path for path in whole["files"] if "/prompts/" in path]:
                del whole["files"][path]

    return change


def asked(source, answers=(), profile="documented"):
    """(run, the last effect) after these intents were answered."""
    program = DIALECT.program(source, profile)
    events, _ = transition(program, RunState(), Start(at=1.0, inputs={"issue": "7"}))
    run = fold_all(events)
    for intent in answers:
        (effect,) = pending_effects(run)
        reply = {"next_action": {"action": intent}, "summary": "half is done"}
        events, _ = transition(program, run, Reply(at=2.0, key=effect.key, structured=reply))
        run = fold_all(events, run)
    return run, next(iter(pending_effects(run)), None)


@each_row(FALLBACK_KEYS)
def test_every_key_of_the_document_is_a_prompt_without_open_placeholders(key):
    keys = {**OUR_KEYS, "initial.a": key}
    _, effect = asked(pack(keyed(keys)))
    assert isinstance(effect, AskModel)
    text = effect.messages[-1].text
    assert not re.search(r"\{uv-|KEYWORD", text)
    assert "next_action.action" in text
    assert effect.system


def test_a_whole_run_without_prompt_files_uses_the_key_of_each_step():
    source = pack(keyed())
    _, first = asked(source)
    _, second = asked(source, ["next"])
    run, last = asked(source, ["next", "handoff"])
    texts = [effect.messages[-1].text for effect in (first, second, last)]
    assert len(set(texts)) == 3
    assert "half is done" in texts[1]
    run, _ = asked(source, ["next", "handoff", "closing"])
    assert run.status == "completed"


def test_an_existing_prompt_file_wins():
    _, effect = asked(pack(keyed(files=True)))
    assert effect.messages[-1].text.startswith("initial.a: next_action")


def test_a_dotted_key_ends_the_run_with_the_documents_message():
    source = pack(keyed({**OUR_KEYS, "initial.a": "initial.issue"}))
    run, effect = asked(source)
    assert (run.status, run.reason, effect) == ("failed", DOCUMENT_ERROR, None)
    told = [found.message for found in findings(source) if found.code == "SR421"]
    assert [message.startswith(DOCUMENT_ERROR) for message in told] == [True]


def test_a_dotted_key_does_no_harm_next_to_a_prompt_file():
    run, effect = asked(pack(keyed({**OUR_KEYS, "initial.a": "initial.issue"}, files=True)))
    assert (run.status, bool(effect)) == ("running", True)


def test_climpt_1_13_15_has_built_in_prompts_at_closure_steps_only():
    run, _ = asked(pack(keyed()), profile="climpt")
    assert (run.status, "PR-FALLBACK-003" in run.reason) == ("failed", True)

    def only_closure(whole):
        keyed(files=True)(whole)
        del whole["files"][".agent/t/prompts/steps/closure/a/f_default.md"]

    _, effect = asked(pack(only_closure), ["next", "handoff"], "climpt")
    assert "The issue is about to be closed." in effect.messages[-1].text


def test_a_built_in_prompt_is_a_hint_and_no_missing_file():
    codes = [found.code for found in findings(pack(keyed()))]
    assert "SR401" not in codes
    assert codes.count("SR430") == 3
    plain = [found.code for found in findings(pack(keyed({}, files=False)))]
    assert (plain.count("SR401"), plain.count("SR430")) == (3, 0)
