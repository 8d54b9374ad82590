"""`signalbox verify` over a sample of each dialect, with a realistic change."""

from pathlib import Path

import pytest

from workflows.core import dialects
from workflows.core.engine.replay.recording import read_recording, script_of

DIALECTS = Path(dialects.__file__).parent
CODE_REVIEW = ("promptpack/samples/code-review.pack.json", "")
STEPS = ("steps_registry/samples/review-loop", "agent/review-loop/steps_registry.json")
STAGES = ("stages/samples/review-loop", "pipeline.json")

CHANGES = [
    pytest.param(
        *CODE_REVIEW,
        '"ChangesRequested": "implement"',
        '"ChangesRequested": "give_up"',
        id="promptpack-another-target",
    ),
    pytest.param(*CODE_REVIEW, '"max_visits": 4', '"max_visits": 1', id="promptpack-fewer-visits"),
    pytest.param(*STEPS, '"changes": "draft"', '"changes": "done"', id="steps-another-target"),
    pytest.param(*STEPS, '"target": "review"', '"target": "done"', id="steps-left-out"),
    pytest.param(*STAGES, '"value": "approve"', '"value": "agree"', id="stages-another-condition"),
    pytest.param(*STAGES, '"maxVisits": 3', '"maxVisits": 1', id="stages-fewer-visits"),
]

PUT_OTHERWISE = {
    "at", "driver", "usage", "effect", "memory", "run_memory", "hash", "why", "code",
    "stageExecutionId",
}  # fmt: skip
"""Fields that the answers of a run do not hang on."""


@pytest.fixture
def place(cli, tmp_path):
    """The sample as an author's files. `edit` changes one piece of text in one of them."""

    def put(sample, file="", old="", new=""):
        path = tmp_path / ("changed" if old else "pack")
        origin = DIALECTS / sample
        files = [one for one in origin.rglob("*") if one.is_file()] or [origin]
        for one in files:
            name = one.relative_to(origin if file else origin.parent).as_posix()
            text = one.read_text()
            if old and (not file or name == file):
                assert text.count(old) == 1, name
                text = text.replace(old, new)
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(text)
        return path

    return put


def brief(sample):
    return () if sample == CODE_REVIEW[0] else ("--input", "brief=A short text.")


def essence(event):
    worded = ("text", "message", "reason") if event["type"] != "model.replied" else ()
    return {name: event[name] for name in event if name not in PUT_OTHERWISE.union(worded)}


@pytest.mark.parametrize(("sample", "file", "old", "new"), CHANGES)
def test_the_first_event_that_would_be_another_is_the_one_named(
    cli, place, write, sample, file, old, new
):
    pack, changed = place(sample, file), place(sample, file, old, new)
    ran = cli("run", pack, "--driver", "rehearsal", "--seed", 1, *brief(sample), "--json")
    recorded = write("run.jsonl", ran.out)
    saved = write("saved.json", script_of(read_recording(ran.events)))
    assert cli("verify", pack, recorded, saved).out.endswith("2 of 2 runs without divergence.\n")

    again = cli("run", changed, "--script", saved, "--json").events
    first = next(
        n
        for n, (was, now) in enumerate(zip(ran.events, [*again, {}], strict=False), start=1)
        if not now or essence(was) != essence(now)
    )
    said = cli("verify", changed, recorded, saved, "--format", "json")
    assert said.code == 1
    from_events, from_script = (one["departure"] for one in said.json["runs"])
    assert from_events["n"] == first, from_events["message"]
    assert from_events["type"] == ran.events[first - 1]["type"]
    was, _, now = from_events["message"].partition("; now ")
    assert was.startswith(f"Event {first} was {from_events['type']}")
    assert was.removeprefix(f"Event {first} was ") != now.rstrip("."), (
        "the sentence tells them apart"
    )
    taken = [event["transition"] for event in ran.events if event["type"] == "transition.taken"]
    parted = next(
        event
        for event in again
        if event["n"] >= first
        and (event["type"] == "transition.taken" or event["type"] == "run.finished")
    )
    assert from_script["n"] == parted["n"], from_script["message"]
    assert any(arrow in from_script["message"] for arrow in taken)
