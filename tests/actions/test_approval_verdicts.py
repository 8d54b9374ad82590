"""The final status of an approval, by the event that answers it."""

from __future__ import annotations

from typing import Any

import pytest

from workflows.actions.approvals import _verdict
from workflows.core.engine.effect_events import NOT_EXECUTED
from workflows.core.engine.events import Event, EventType
from workflows.models import Approval


@pytest.mark.parametrize(
    ("type", "denied", "approved"),
    [
        ("approval.given", {"approve": False, "text": "No."}, {"approve": True, "text": "Yes."}),
        ("command.finished", {"exit": NOT_EXECUTED, "stderr": "No."}, {"exit": 1, "stderr": "x"}),
        ("tool.returned", {"error": "No."}, {"result": "x", "error": ""}),
        ("model.replied", {"error": "No."}, {"text": "x", "error": ""}),
    ],
)
def test_every_kind_of_answer_denies_or_approves(
    type: EventType, denied: dict[str, Any], approved: dict[str, Any]
) -> None:
    no, yes = (Event(n=1, at=1.0, type=type, fields=fields) for fields in (denied, approved))
    assert _verdict(no) == (Approval.Status.DENIED, "No.")
    assert _verdict(yes) == (Approval.Status.APPROVED, "")
    assert _verdict(None) == (Approval.Status.WITHDRAWN, "")
