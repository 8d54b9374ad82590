"""One table of the events that people cause: `tests/vectors/people.json`. Every place has the same
words about them. `people.test.ts` reads the same table for log, story and inspector."""

import json
from pathlib import Path

import pytest

from signalbox.commands.run_output import line
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all
from workflows.core.engine.people import act_of
from workflows.core.engine.result import run_result

ROWS = json.loads((Path(__file__).parents[1] / "vectors" / "people.json").read_text())
CALLS = {
    "tool.returned": ("tool.asked", {"name": "look", "arguments": {}}),
    "command.finished": ("command.asked", {"command": ["make", "test"]}),
}


def event(n, type, **fields):
    return Event(n=n, at=100.0 + n, type=type, fields=fields)


@pytest.fixture(params=ROWS, ids=lambda row: row["kind"])
def row(request):
    return request.param


def fields_of(row):
    fields = dict(row["event"])
    return fields.pop("type"), fields


def log_of(row):
    """A log that ends with the event. The call before it was requested in the same place."""
    type, fields = fields_of(row)
    log = [
        event(1, "run.started", inputs={}),
        event(2, "state.entered", position="0", state="review", visit=1, terminal=False),
    ]
    if type in CALLS:
        called, call = CALLS[type]
        place = {name: fields[name] for name in ("key", "position", "state")}
        log.append(event(3, called, **place, **call))
    return [*log, event(len(log) + 1, type, **fields)]


def test_the_words_and_the_detail(row):
    act = act_of(*fields_of(row))
    assert (act.words, act.detail) == (row["words"], row["detail"])


def test_the_terminal_has_the_words(row):
    assert row["words"] in line(*fields_of(row))


def test_the_result_has_the_words(row):
    log = log_of(row)
    result = run_result(fold_all(log), log)
    words = {"words": row["words"], "detail": row["detail"]}
    assert result["people"] == [{"n": log[-1].n, **words}]
    assert all(turn["by"] == "ada" for turn in result["turns"])
