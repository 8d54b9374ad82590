"""The final status of an approval is in the words of the event that answers it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workflows.actions.approvals import _verdict
from workflows.core.engine.events import Event
from workflows.core.engine.fold import ANSWER_EVENTS
from workflows.models import Approval

ROWS = json.loads((Path(__file__).parents[1] / "vectors" / "people.json").read_text())
CLOSING = [row for row in ROWS if row["event"]["type"] in (*ANSWER_EVENTS, "effect.allowed")]
WORDS = {"approved": "approved", "allowed": "approved", "denied": "denied"}


@pytest.mark.parametrize("row", CLOSING, ids=lambda row: row["kind"])
def test_the_status_has_the_verb_of_the_log(row: dict) -> None:
    fields = dict(row["event"])
    status, reason = _verdict(Event(n=1, at=1.0, type=fields.pop("type"), fields=fields))
    assert status == WORDS.get(row["words"].split(" ")[0], "answered")
    assert reason == (row["detail"] if status == "denied" else "")


def test_an_approval_without_an_answer_is_withdrawn() -> None:
    assert _verdict(None) == (Approval.Status.WITHDRAWN, "")
