"""Small packs and roles whose prompts repeat a value: a text has a maximum length."""

from __future__ import annotations

import json
from typing import Any

import pytest

from roles.core.assemble import CannotAssemble, assemble
from roles.core.prompt_config import prompt_config
from roles.core.templates import MAX_TEXT as MAX_ROLE_TEXT
from tests.attacks.pack_attacks import Tree, promptpack
from tests.dialects.steps_registry.packs import pack
from tests.support.role_configs import with_text
from workflows.core.dialects import dialects
from workflows.core.dialects.promptpack.format import templates
from workflows.core.dialects.promptpack.program import references
from workflows.core.dialects.steps_registry.program import texts
from workflows.core.engine.effects import AskModel
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Start, ToolCall
from workflows.core.engine.transition import transition
from workflows.core.pack.files import Files
from workflows.core.text.placeholders import MAX_TEXT

TIMES = 300
VALUE = "v" * 20_000


def started(dialect: str, tree: Tree, profile: str = "documented") -> tuple[RunState, list[Event]]:
    """A run of this pack at its first question, and its events."""
    one = dialects()[dialect]
    program = one.program(one.read(Files.of(tree)), profile)
    events, _ = transition(program, RunState(), Start(at=1.0, inputs={"task": VALUE}))
    return fold_all(events), list(events)


def prompt_of(run: RunState) -> str:
    (effect,) = pending_effects(run)
    assert isinstance(effect, AskModel)
    return "".join([effect.system, *(message.text for message in effect.messages)])


def fields_of(events: list[Event], type: str) -> list[Any]:
    return [event.fields for event in events if event.type == type]


def stage(body: str, setup: dict[str, Any], **more: Any) -> Tree:
    front = (
        "id: s\nname: s\ndescription: d\nallowedTools: []\n"
        "retryPolicy:\n  maxAttempts: 1\n  backoff: none\nturnCap: 2\n"
        "resolutionPolicy: retry-later\ncompletionTool: done\n"
        "completionSchema:\n  type: object\n  properties: {}\n"
    )
    pipeline = {
        "format": "signalbox.stud-pipeline/1",
        "id": "p",
        "name": "p",
        "entryStage": "s",
        "runInputSchema": {"type": "object", "properties": {"task": {"type": "string"}}},
        "stages": {
            "s": {"file": "stages/s.md", "next": {"nextStages": []}, "setup": setup, **more}
        },
    }
    return {
        "pipeline.json": json.dumps(pipeline).encode(),
        "stages/s.md": f"---\n{front}---\n{body}\n".encode(),
    }


def test_a_stage_that_repeats_a_value_keeps_its_last_placeholders() -> None:
    setup = {"t": {"from": "run.input.task"}}
    run, events = started("stages", stage("{{ctx.t}}" * TIMES, setup))
    prompt = prompt_of(run)
    assert MAX_TEXT - len(VALUE) <= len(prompt.partition("{{ctx.t}}")[0]) <= MAX_TEXT
    assert prompt.count("{{ctx.t}}") == TIMES - MAX_TEXT // len(VALUE) + 1
    (warning,) = fields_of(events, "stages.warning")
    assert "all later placeholders were left in the prompt" in warning["message"]


def test_a_stage_that_gives_many_names_to_a_value_fails() -> None:
    setup = {f"t{number}": {"from": "run.input.task"} for number in range(TIMES)}
    run, events = started("stages", stage("Work.", setup))
    assert len(json.dumps([event.to_json() for event in events])) < MAX_TEXT
    assert run.finished
    assert "Use fewer or smaller values." in json.dumps([event.to_json() for event in events])


@pytest.mark.parametrize("name", ["slot", "output"])
def test_a_stage_that_keeps_a_value_under_many_names_fails(name: str) -> None:
    kept = {f"t{number}": "ctx.t" for number in range(TIMES)}
    setup = {"t": {"from": "run.input.task"}}
    tree = stage("Work.", setup, exit={name: kept})
    run, _ = started("stages", tree)
    (effect,) = pending_effects(run)
    done = ToolCall(name="done", arguments={}, id="c")
    one = dialects()["stages"]
    program = one.program(one.read(Files.of(tree)), "documented")
    reply = Reply(at=2.0, key=effect.key, tool_calls=(done,))
    events, _ = transition(program, run, reply)
    written = json.dumps([event.to_json() for event in events])
    assert len(written) < MAX_TEXT
    assert f"The values of 'exit.{name}' in 's' have more than" in written
    assert fold_all(events, run).finished


def prompt_with(template: str, **more: Any) -> dict[str, Any]:
    prompt = {"id": "x", "name": "x", "version": "1.0.0", "system_template": template, **more}
    return {"prompts": {"x": prompt}}


START = {"s0": {"prompt_task": "x", "terminal": True}}


def test_a_promptpack_that_repeats_an_input_keeps_its_last_placeholders() -> None:
    run, events = started("promptpack", promptpack(START, **prompt_with("{{task}}" * TIMES)))
    (effect,) = pending_effects(run)
    assert isinstance(effect, AskModel)
    assert len(effect.system) <= MAX_TEXT
    assert "{{task}}" in effect.system
    assert fields_of(events, "promptpack.unresolved")[0]["names"] == ["task"]


def test_a_promptpack_that_repeats_a_fragment_keeps_its_placeholders() -> None:
    repeated = {"f": VALUE, "g": "{{f}}" * TIMES}
    rendered = templates.render("{{g}} {{a}}", repeated, {"a": "b"})
    assert rendered.text == "{{f}}" * TIMES + " b"
    assert rendered.unresolved == ("f",)


def test_the_expanded_text_of_a_prompt_is_not_cached() -> None:
    before = templates.placeholders.cache_info().currsize
    templates.render("{{g}}", {"g": f"{{{{new}}}} {VALUE}"}, {})
    assert templates.placeholders.cache_info().currsize == before


@pytest.mark.parametrize(
    "value",
    [
        "a ${input}" * TIMES,
        ["${input}"] * TIMES,
        {str(number): {"q": "${input}"} for number in range(TIMES)},
        ["a ${input}"] * TIMES,
    ],
)
def test_the_input_of_a_step_has_a_maximum_length(value: Any) -> None:
    with pytest.raises(references.CannotResolve, match="refer to fewer or smaller values"):
        references.resolve(value, references.scope_of(VALUE, {}))


def test_a_registry_prompt_that_repeats_a_value_keeps_its_last_placeholders() -> None:
    filled = texts.fill_template("{uv-a}" * TIMES, {"a": VALUE})
    assert filled.stop == 6 * (MAX_TEXT // len(VALUE) - 1)
    assert len(filled.text) <= MAX_TEXT


def test_a_registry_run_warns_of_placeholders_that_are_left() -> None:
    def repeat(whole: Tree) -> None:
        path = ".agent/t/prompts/steps/initial/a/f_default.md"
        whole["files"][path] = "{uv-task}" * TIMES  # type: ignore[index]

    program = dialects()["steps_registry"].program(pack(repeat), "documented")
    begin = Start(at=1.0, inputs={"task": VALUE, "issue": "1"})
    events, _ = transition(program, RunState(), begin)
    assert MAX_TEXT - len(VALUE) <= len(prompt_of(fold_all(events))) <= MAX_TEXT + 100
    messages = [fields["message"] for fields in fields_of(list(events), "steps_registry.warning")]
    left = "{uv-task} and all later placeholders of 'initial.a' were left in the prompt."
    assert any(message.startswith(left) for message in messages)


@pytest.mark.parametrize(
    "text",
    [
        "{{a}}" * TIMES,
        "{{#each list}}{{this}}{{/each}}" * TIMES,
        "{{#each list}} {{/each}}" * 2_000,
    ],
)
def test_a_retry_prompt_that_repeats_a_value_keeps_its_last_blocks(text: str) -> None:
    filled = texts.inject_values(text, {"a": VALUE, "list": ["v" * 20] * 2_000})
    assert len(filled) <= MAX_TEXT + len(text)
    assert filled.endswith(text[-8:])


def test_a_block_without_text_is_not_repeated_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    with_item = texts._with_item
    monkeypatch.setattr(texts, "_with_item", lambda *a: (made.append(""), with_item(*a))[1])
    monkeypatch.setattr(texts, "MAX_TEXT", 10_000)
    texts.inject_values("{{#each list}}{{this.a}}{{/each}}" * 100, {"list": [{}] * 100})
    assert len(made) <= 10_000 // texts.ITEM + 1


def test_a_command_that_repeats_a_value_is_refused() -> None:
    with pytest.raises(ValueError, match="Shorten the value"):
        texts.insert_argument("${a}" * 100, "${a}", VALUE)


def config(text: str) -> Any:
    return prompt_config(with_text("/templates/ticket_task", text))


def test_a_role_that_repeats_a_value_is_refused() -> None:
    with pytest.raises(CannotAssemble, match="Use fewer or smaller values") as refused:
        assemble(
            config("{{ticket.title}}" * TIMES),
            kind="agent",
            variables={"ticket.title": VALUE},
        )
    assert refused.value.path == "/templates/ticket_task"


def test_the_texts_of_a_role_have_a_maximum_length_together() -> None:
    values = with_text("/system_prompt", "{{ticket.title}}")
    values["developer_prompt"] = "{{ticket.title}}"
    title = "t" * (MAX_ROLE_TEXT // 2 + 1)
    with pytest.raises(CannotAssemble, match="Use fewer or smaller values"):
        assemble(prompt_config(values), kind="agent", variables={"ticket.title": title})


def test_both_layers_have_the_same_limit() -> None:
    assert MAX_ROLE_TEXT == MAX_TEXT
