"""Conversions of single features from one dialect to another."""

from __future__ import annotations

import json

import pytest

from tests.core.convert.packs import KnownPack, converted, samples
from tests.core.convert.test_review_loop import completed
from tests.support.checks import each_row
from tests.support.flow_dialect import Flow
from workflows.core.convert.conversion import CannotConvert, convert
from workflows.core.convert.neutral import Machine, Ref, State, Transition, pascal, unpascal
from workflows.core.convert.simplify import in_sequence, most_entries, with_separate_ends
from workflows.core.dialects import dialects
from workflows.core.dialects.stages.convert.yaml_writer import to_yaml
from workflows.core.pack.files import Files
from workflows.core.text.json.new_file import pretty
from workflows.core.text.yaml.document import YamlText


def machine(*states, entry=""):
    return Machine(id="m", entry=entry or states[0].id, states=states)


def state(id, *ways, **more):
    return State(id=id, prompt=(f"Do {id}.",), transitions=ways, **more)


def way(label, *targets, **more):
    return Transition(label=label, targets=targets, **more)


def arrows(made):
    return {each.id: {way.label: way.targets for way in each.transitions} for each in made.states}


def pack(states, prompts=None, **more):
    """A PromptPack as a Known; a prompt for every state."""
    value = {
        "id": "p", "name": "P", "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": {
            name: {"id": name, "name": name, "version": "1.0.0",
                   "system_template": (prompts or {}).get(name, f"Do {name}.")}
            for name in states
        },
        "workflow": {"version": 2, "entry": next(iter(states)), "states": {
            name: {"prompt_task": name, **said} for name, said in states.items()
        }},
        **more,
    }  # fmt: skip
    files = Files.of({"p.pack.json": pretty(value).encode()})
    return KnownPack(name="p", dialect="promptpack", files=files)


def again(made, dialect):
    return KnownPack(name="again", dialect=dialect, files=made.files)


def registry(made):
    main = next(path for path in made.files if path.endswith("steps_registry.json"))
    return json.loads(made.files[main])


def fate(made, element, feature):
    (found,) = {t.fate for t in made.report if (t.element, t.feature) == (element, feature)}
    return found


# -- branches and ends


def test_branches_follow_one_another_and_the_last_leads_to_where_they_meet():
    made, notes = in_sequence(
        machine(
            state("plan", way("next", "a", "b", parallel=True, join="meet")),
            state("a"), state("b"), state("meet"),
        )
    )  # fmt: skip
    assert arrows(made) == {
        "plan": {"next": ("a",)}, "a": {"next": ("b",)}, "b": {"next": ("meet",)}, "meet": {},
    }  # fmt: skip
    assert {note.why for note in notes} == {"Parallel branches run one after another: "
                                            "a → b → meet."}  # fmt: skip


def test_a_branch_with_its_own_transitions_continues_from_its_end():
    made, _ = in_sequence(
        machine(
            state("plan", way("next", "a", "b", parallel=True)),
            state("a", way("next", "deeper")), state("deeper"), state("b"),
        )
    )  # fmt: skip
    assert arrows(made)["deeper"] == {"next": ("b",)}


def test_a_state_that_may_end_or_go_on_gets_a_state_to_end_in():
    made, _ = with_separate_ends(
        machine(state("a", way("again", "b"), way("closing")), state("b")), lambda _: False
    )
    assert arrows(made)["a"] == {"again": ("b",), "closing": ("finish",)}
    assert made.by_id["finish"].ends


def test_a_state_that_only_stays_until_it_is_done_just_ends():
    made, _ = with_separate_ends(
        machine(state("a", way("repeat", "a"), way("closing"))), lambda _: False
    )
    assert arrows(made) == {"a": {}}


@each_row([(7, 4, 3), (2, 1, 1), (3, 2, 1)])
def test_a_bound_of_the_run_is_shared_out_among_the_stages_of_a_loop(visits, draft, review):
    loop = machine(
        state("draft", way("next", "review")),
        state("review", way("no", "draft"), way("ok", "done")),
        state("done"),
    )
    assert most_entries(loop, ["draft", "review"], visits) == {"draft": draft, "review": review}


# -- names


@each_row([("Approve", "approve"), ("NeedsChanges", "needs-changes"), ("Step2Done", "step2-done"),
     ("needs_human", "needs_human"), ("OK", "OK"), ("fooBar", "fooBar"), ("", "")])  # fmt: skip
def test_events_are_written_small_where_that_leads_back(event, label):
    assert unpascal(event) == label
    assert pascal(label) == event


def test_an_event_that_the_prompt_names_keeps_its_spelling():
    known = pack(
        {"a": {"on_event": {"Ready": "b"}}, "b": {"terminal": True}},
        {"a": "When it is done, send `Ready`."},
    )
    made = converted(known, "stages")
    assert b"enum: [Ready]" in made.files["stages/a.md"]
    back = converted(again(made, "stages"), "promptpack")
    assert b'"Ready": "b"' in back.files["p.pack.json"]


def test_an_event_in_lower_case_is_reported_with_its_spelling():
    made = converted(pack({"a": {"on_event": {"go": "b"}}, "b": {"terminal": True}}), "stages")
    (told,) = [each for each in made.report if each.feature == "spelling"]
    assert told.fate == "approximated"
    assert told.why == "The outcome is “go”; its spelling “go” is lost."


def test_a_stage_has_a_name_of_small_words_and_keeps_the_other():
    made = converted(pack({"give_up": {"terminal": True}}), "stages")
    assert b"id: give-up\n" in made.files["stages/give-up.md"]
    assert fate(made, "state:give_up", "id") == "approximated"
    back = converted(again(made, "stages"), "promptpack")
    assert b'"entry": "give_up"' in back.files["p.pack.json"]


def test_a_step_whose_values_others_show_has_a_name_for_placeholders():
    artifact = {"artifacts": {"notes": {"type": "text/plain"}}}
    known = pack(
        {
            "re-view": {"on_event": {"Next": "end"}, **artifact},
            "end": {"terminal": True, **artifact},
        },
        {"end": "They said {{artifacts.notes}}"},
    )
    made = converted(known, "steps_registry")
    steps = registry(made)["steps"]
    assert steps["re_view"]["convertedFrom"] == "re-view"
    assert steps["end"]["uvVariables"] == ["re_view_notes"]
    back = converted(again(made, "steps_registry"), "promptpack")
    assert json.loads(back.files["p.pack.json"])["workflow"]["entry"] == "re-view"


# -- features of registries


def test_intents_are_used_where_they_lead_to_what_they_may_lead_to():
    known = pack({
        "work": {"on_event": {"Next": "check", "Repeat": "work"}},
        "check": {"on_event": {"Escalate": "end", "Next": "end"}},
        "end": {"terminal": True},
    })  # fmt: skip
    steps = registry(converted(known, "steps_registry"))["steps"]
    assert steps["work"]["transitions"] == {
        "next": {"target": "check"}, "repeat": {"target": "work"}
    }  # fmt: skip
    assert steps["check"]["transitions"]["next"]["targets"] == {
        "escalate": "end", "next": "end", "default": "end"
    }  # fmt: skip
    kinds = [step["stepKind"] for step in steps.values()]
    assert kinds == ["work", "verification", "closure"]


def test_unreachable_states_get_an_entry():
    known = pack(
        {"a": {"terminal": True}, "b": {"on_event": {"Next": "c"}}, "c": {"terminal": True}}
    )
    entries = registry(converted(known, "steps_registry"))["entryStepMapping"]
    assert entries == {"count:iteration": "a", "b": "b"}


# -- features of stages


def test_the_last_outcome_is_what_happens_otherwise_and_keeps_its_name():
    known = pack({"a": {"on_event": {"Yes": "b", "No": "a"}}, "b": {"terminal": True}})
    made = converted(known, "stages")
    following = json.loads(made.files["pipeline.json"])["stages"]["a"]["next"]
    assert [case["when"]["value"] for case in following["cases"]] == ["yes"]
    assert following["else"]["nextStages"] == ["a"]
    back = json.loads(converted(again(made, "stages"), "promptpack").files["p.pack.json"])
    assert back["workflow"]["states"]["a"]["on_event"] == {"Yes": "b", "No": "a"}


def test_a_paragraph_that_every_prompt_begins_with_is_the_packs_own():
    known = next(known for known in samples() if known.name == "stages/review-loop")
    made = converted(known, "steps_registry")
    system = made.files[".agent/review-loop/prompts/system.md"].decode()
    assert system.startswith("You belong to a small writing desk.")
    assert made.files[".agent/review-loop/prompts/steps/initial/draft/f_default.md"].startswith(
        b"Write the text"
    )


def test_where_a_full_state_sends_a_run_is_a_case_before_each_way_to_it():
    known = pack({
        "draft": {"max_visits": 2, "on_max_visits": "stop", "control": "agent",
                  "on_event": {"Next": "check"}},
        "check": {"control": "agent", "on_event": {"Fine": "done", "Again": "draft"}},
        "done": {"terminal": True},
        "stop": {"terminal": True},
    })  # fmt: skip
    made = converted(known, "stages")
    assert fate(made, "state:draft", "on max visits") == "kept"
    staged = again(made, "stages")
    assert completed(staged) == completed(known)
    assert ("draft", "check", "draft", "check", "stop") in completed(staged)
    back = json.loads(converted(staged, "promptpack").files["p.pack.json"])
    assert back["workflow"]["states"]["draft"]["on_max_visits"] == "stop"


@each_row(
    [
        {"a": "plain words", "b": "yes", "c": "12", "d": "- x", "e": "a: b", "f": "# no", "g": ""},
        {"a": [1, 2.5, None, True], "b": [], "c": {}, "d": {"e": {"f": [{"g": "h"}]}}},
        {"a": "two\nlines", "b": "tab\there", "c": "Größe", "d": "\u2028", "e": "\x7f"},
        {"a": [["x", ["y"]], [{"k": [1]}]], "long": "word " * 40, "12": "key", "a b": "c"},
        {"a": "null", "b": "~", "c": "0x1F", "d": "1e3", "e": ".5", "f": "=", "g": "<<", "h": "*x"},
    ]
)
def test_front_matter_holds_the_given_value(value):
    assert YamlText.parse(to_yaml(value).encode()).value == value


@each_row([{}, [], {"a": [1, {"b": None}], "c": {}}, "x", [[], [[1.5]]]])
def test_json_is_written_as_the_standard_library_does(value):
    assert pretty(value) == json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def test_tools_are_called_as_each_side_knows_them():
    (known,) = [known for known in samples() if known.name == "steps_registry/triage-bot"]
    made = converted(known, "stages")
    assert b"allowedTools: [read, grep, glob]" in made.files["stages/initial-read.md"]
    assert fate(made, "state:initial.read", "tools") == "approximated"
    back = converted(again(made, "stages"), "steps_registry")
    agent = json.loads(back.files[".agent/triage-bot/agent.json"])
    assert agent["runner"]["boundaries"]["allowedTools"] == ["Read", "Grep", "Glob"]


# -- dialects with a converter


def test_a_dialect_without_conversions_is_refused_with_a_message():
    known = samples()[0]
    here = dialects()[known.dialect]
    with pytest.raises(CannotConvert, match=r"^Flow packs are not converted"):
        convert(here, known.source(), here.profiles[0], Flow())


def test_a_pack_is_not_converted_to_what_it_is():
    known = samples()[0]
    with pytest.raises(CannotConvert, match=r"^This pack is PromptPack already\.$"):
        converted(known, known.dialect)


def test_a_placeholder_that_the_target_cannot_fill_stays_as_a_word():
    made, _ = in_sequence(machine(State(id="a", prompt=("In round ", Ref("run", "iteration")))))
    files = dialects()["promptpack"].converter().from_neutral(made).files
    assert b"In round (iteration)" in files["m.pack.json"]
