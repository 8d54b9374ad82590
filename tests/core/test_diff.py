"""Differences of two versions of a pack: one edit of each kind, in both formats."""

import json

import pytest

from tests.support.checks import each_row, quick_or_slow
from workflows.core.compare.difference import difference
from workflows.core.dialects import dialects, recognise
from workflows.core.pack.edits import edit_from_json
from workflows.core.pack.files import Files


def source_of(name, sample):
    dialect = dialects()[name]
    files = dialect.samples()[sample]
    (found,) = recognise(files)
    return dialect, dialect.read(Files.of({path: files[path] for path in found.paths}))


def compared(name, sample, *edits):
    """The difference after these edits, with both versions read from their bytes."""
    dialect, before = source_of(name, sample)
    after = before
    for edit in edits:
        after = dialect.apply(after, edit_from_json(edit))
    return difference(dialect, before, dialect.read(after.files), dialect.profiles[0])


def kind_of(row):
    return row["type"] if isinstance(row, dict) else "told"


def told(found):
    """A line for every change in the difference, without the values."""
    lines = set()
    for kind, changes in (
        ("state ", found.states),
        ("transition ", found.transitions),
        ("", found.objects),
    ):
        lines |= {f"+ {kind}{name}" for name in changes.added}
        lines |= {f"- {kind}{name}" for name in changes.removed}
        lines |= {f"{kind}{was} > {now}" for was, now in changes.renamed}
    for entry in found.entries:
        lines.add(f"entry {entry.key} {entry.was} > {entry.now}")
    for one in found.elements:
        pointers = [field.to_json()["pointer"] for field in one.fields]
        lines |= {f"~ {one.element} {pointer}" for pointer in pointers}
        lines |= {f"drawn {one.element} {name}" for name in one.drawing}
    for file in found.files:
        lines |= {f"file {file.path} {field.to_json()['pointer']}" for field in file.fields}
        lines |= set() if file.fields else {f"file {file.change} {file.path}"}
    return lines


REVIEW = "implement|ChangeReady|review"
PROMPTPACK = [
    (
        {"type": "rename_state", "id": "review", "new_id": "inspect"},
        {"state review > inspect", "prompt:review > prompt:inspect"},
    ),
    (
        {"type": "rename_object", "element": "prompt:review", "new_key": "inspect"},
        {"prompt:review > prompt:inspect"},
    ),
    (
        {"type": "add_state", "id": "fresh"},
        {"+ state fresh", "+ prompt:fresh"},
    ),
    (
        {"type": "remove_state", "id": "review"},
        {
            "- state review",
            f"- transition {REVIEW}",
            "- transition review|Approved|done",
            "- transition review|ChangesRequested|implement",
            "- transition review|Rejected|give_up",
            "drawn state:implement terminal",
        },
    ),
    (
        {"type": "connect", "source": "review", "target": "review", "label": "Again"},
        {"+ transition review|Again|review"},
    ),
    (
        {"type": "disconnect", "transition": "review|Rejected|give_up"},
        {"- transition review|Rejected|give_up"},
    ),
    (
        {"type": "retarget", "transition": REVIEW, "target": "done"},
        {f"transition {REVIEW} > implement|ChangeReady|done"},
    ),
    (
        {"type": "relabel", "transition": REVIEW, "label": "Ready"},
        {f"transition {REVIEW} > implement|Ready|review"},
    ),
    (
        {"type": "set_entry", "id": "review"},
        {"entry  implement > review"},
    ),
    (
        {"type": "set_field", "element": "state:review", "field": "/description", "value": "Now."},
        {"~ state:review /description"},
    ),
    (
        {"type": "set_field", "element": "prompt:review", "field": "/system_template", "value": ""},
        {"~ prompt:review /system_template"},
    ),
    (
        {"type": "set_field", "element": "budget", "field": "/max_total_visits", "value": 99},
        {"~ budget /max_total_visits"},
    ),
    (
        {"type": "set_field", "element": "pack", "field": "/version", "value": "9.0.0"},
        {"~ pack /version"},
    ),
]

ASK = "continuation.ask"
FOLDER = ".agent/triage-bot"
REGISTRY = [
    (
        {"type": "rename_state", "id": ASK, "new_id": "continuation.query"},
        {f"state {ASK} > continuation.query"},
    ),
    (
        {"type": "rename_object", "element": "validator:notes-written", "new_key": "notes-there"},
        {"validator:notes-written > validator:notes-there"},
    ),
    (
        {"type": "remove_state", "id": ASK},
        {
            f"- state {ASK}",
            f"- transition initial.read|next: unclear|{ASK}",
            f"- transition initial.read|next: default|{ASK}",
            f"- transition {ASK}|next|continuation.answer",
            f"- transition {ASK}|handoff|closure.report",
            f"- transition closure.report|retry|{ASK}",
        },
    ),
    (
        {"type": "disconnect", "transition": "initial.read|next: ready|continuation.answer"},
        {"- transition initial.read|next: ready|continuation.answer"},
    ),
    (
        {"type": "set_entry", "id": ASK, "key": "count:iteration"},
        {f"entry count:iteration initial.read > {ASK}"},
    ),
    (
        {"type": "set_field", "element": f"state:{ASK}", "field": "/description", "value": "Ask."},
        {f"~ state:{ASK} /description"},
    ),
    (
        {
            "type": "set_field",
            "element": f"state:{ASK}",
            "field": "/prompt/text",
            "value": "Ask.\n",
        },
        {f"~ state:{ASK} /prompt/text"},
    ),
    (
        {"type": "set_field", "element": "agent:", "field": "/displayName", "value": "Bot"},
        {"~ agent: /displayName"},
    ),
    (
        {"type": "write_file", "path": f"{FOLDER}/prompts/system.md", "text": "Hello."},
        {f"file {FOLDER}/prompts/system.md "},
    ),
    (
        {"type": "write_file", "path": f"{FOLDER}/prompts/more.md", "text": "Hello."},
        {f"file added {FOLDER}/prompts/more.md"},
    ),
]


@each_row(PROMPTPACK)
def test_an_edit_of_a_promptpack_is_the_only_reported_change(edit, lines):
    assert told(compared("promptpack", "code-review", edit)) == lines


@each_row(REGISTRY)
def test_an_edit_of_a_registry_is_the_only_reported_change(edit, lines):
    assert told(compared("steps_registry", "triage-bot", edit)) == lines


def test_a_new_step_brings_its_files_with_it_unmentioned():
    add = {"type": "add_state", "id": "continuation.fresh", "kind": "work"}
    found = compared("steps_registry", "triage-bot", add)
    assert found.states.added == ("continuation.fresh",)
    assert found.files == ()


@each_row(sorted(dialects()))
def test_a_pack_is_the_same_as_itself(name):
    for sample in dialects()[name].samples():
        found = compared(name, sample)
        assert found.same
        assert found.to_json()["elements"] == []


def promptpack(body, path="a.pack.json", indent=None):
    text = json.dumps(body, indent=indent)
    return dialects()["promptpack"].read(Files.of({path: text.encode()}))


def large(count):
    states = {
        f"s{n}": {"prompt_task": f"p{n}", "on_event": {"Next": f"s{n + 1}", "Back": f"s{n // 2}"}}
        for n in range(count - 1)
    }
    states[f"s{count - 1}"] = {"prompt_task": "p0", "terminal": True}
    prompts = {
        f"p{n}": {"id": f"p{n}", "name": f"P{n}", "version": "1.0.0", "system_template": "Do it."}
        for n in range(count)
    }
    return {
        "id": "large",
        "name": "Large",
        "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": prompts,
        "workflow": {"version": 1, "entry": "s0", "states": states},
    }


def test_whitespace_order_and_another_file_name_are_no_difference():
    body = large(4)
    turned = dict(reversed(body.items()))
    one, other = promptpack(body, "a.pack.json"), promptpack(turned, "b/c.pack.json", indent=2)
    found = difference(dialects()["promptpack"], one, other, "documented")
    assert found.same
    assert found.reformatted == ("b/c.pack.json",)


def test_a_rename_is_not_taken_for_what_it_may_not_be():
    """A state is removed and two equal ones are added, so the rename is ambiguous."""
    before, after = large(3), large(3)
    before["workflow"]["states"]["old"] = {"prompt_task": "p1", "terminal": True}
    for name in ("one", "two"):
        after["workflow"]["states"][name] = {"prompt_task": "p1", "terminal": True}
    found = difference(
        dialects()["promptpack"], promptpack(before), promptpack(after), "documented"
    )
    assert told(found) == {"- state old", "+ state one", "+ state two"}


def test_a_state_named_like_its_prompt_is_renamed_alone():
    before, after = large(2), large(2)
    prompt = before["prompts"]["p1"]
    for body in (before, after):
        body["prompts"]["work"] = {**prompt, "id": "work"}
    before["workflow"]["states"]["work"] = {"prompt_task": "work", "on_event": {"Again": "work"}}
    after["workflow"]["states"]["job"] = {"prompt_task": "work", "on_event": {"Again": "job"}}
    found = difference(
        dialects()["promptpack"], promptpack(before), promptpack(after), "documented"
    )
    assert told(found) == {"state work > job"}


def test_keys_that_no_form_has_are_reported():
    body = large(3)
    before = promptpack({**body, "x-team": {"lead": "a"}})
    after = promptpack({**body, "x-team": {"lead": "b"}})
    found = difference(dialects()["promptpack"], before, after, "documented")
    assert told(found) == {"~ pack /x-team/lead"}


def test_null_true_and_one_are_three_values():
    for was, now in ((1, True), (None, False), (1, 1.0)):
        before = promptpack({**large(2), "x-flag": was})
        after = promptpack({**large(2), "x-flag": now})
        found = difference(dialects()["promptpack"], before, after, "documented")
        assert told(found) == {"~ pack /x-flag"}, (was, now)


def test_of_very_many_changes_none_is_lost():
    body, changed = large(700), large(700)
    for prompt in changed["prompts"].values():
        prompt["system_template"] = "Do it well."
    for state in changed["workflow"]["states"].values():
        state["description"] = "Another."
    before, after = promptpack(body), promptpack(changed)
    lines = told(difference(dialects()["promptpack"], before, after, "documented"))
    assert {f"~ state:s{n} /description" for n in range(700)} <= lines
    far = [line for line in lines if line.startswith("file a.pack.json /prompts/p")]
    near = [line for line in lines if line.startswith("~ prompt:p")]
    assert len(near) + len(far) == 700 == len(lines) - 700


class Counting:
    """The dialect, with the number of requested forms."""

    def __init__(self, dialect):
        self.dialect = dialect
        self.forms = 0

    def __getattr__(self, name):
        return getattr(self.dialect, name)

    def fields(self, *arguments):
        self.forms += 1
        return self.dialect.fields(*arguments)


def test_the_cost_of_one_changed_field_does_not_grow_with_the_pack():
    asked = []
    for size in (100, 1_000):
        body, changed = large(size), large(size)
        changed["workflow"]["states"]["s77"]["description"] = "Another."
        counting = Counting(dialects()["promptpack"])
        found = difference(counting, promptpack(body), promptpack(changed), "documented")
        assert told(found) == {"~ state:s77 /description"}
        asked.append(counting.forms)
    assert asked[0] == asked[1]


def leaves(value, at=()):
    """Pointers to all values that hold no others."""
    if isinstance(value, dict | list) and value:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*at, key))
    else:
        yield at


@pytest.mark.parametrize("every", quick_or_slow(4, 1))
@pytest.mark.parametrize(
    ("name", "sample"), [("promptpack", "code-review"), ("steps_registry", "triage-bot")]
)
def test_no_value_of_any_file_can_change_unseen(name, sample, every):
    dialect, source = source_of(name, sample)
    seen = 0
    for path in source.files:
        if not path.endswith(".json"):
            continue
        for at in list(leaves(json.loads(source.files[path])))[::every]:
            body = json.loads(source.files[path])
            parent = body
            for key in at[:-1]:
                parent = parent[key]
            parent[at[-1]] = "another"
            changed = dialect.read(source.files.changed({path: json.dumps(body).encode()}))
            if changed.readable:
                seen += 1
                found = difference(dialect, source, changed, dialect.profiles[0])
                assert not found.same, (path, at)
    assert seen > 80 / every
