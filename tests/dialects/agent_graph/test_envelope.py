"""Envelopes: the good and bad ones of the collection, and what bounds a node's rights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.checks import each_row
from tests.support.corpus import CORPUS
from workflows.core.dialects.agent_graph.format.envelope import payload_problems, problems

FOLDER = CORPUS / "agent-graph/edge-payloads"
GOOD = sorted((FOLDER / "valid").glob("*.json"))
BAD = sorted((FOLDER / "invalid").glob("*.json"))
WHERE = {
    "i01": "message",
    "i02": "kind",
    "i03": "expectation",
    "i04": "expectation",
    "i05": "ref",
    "i06": "structured",
    "i07": "fromNodeId",
    "i08": "id",
    "i09": "ok",
    "i10": "priority",
    "i11": "message",
    "i12": "ok",
}


@each_row(GOOD)
def test_a_good_envelope_passes(path: Path) -> None:
    assert problems(json.loads(path.read_text())) == ()


@each_row(BAD)
def test_a_bad_envelope_is_refused_at_its_place(path: Path) -> None:
    found = problems(json.loads(path.read_text()))
    assert WHERE[path.stem[:3]] in [one.path[-1] for one in found]
    assert all(one.message.endswith(".") for one in found)


@each_row([None, [], "x", {}, {"payload": 1}, {"payload": {"artifacts": [1]}}, {"payload": []}])
def test_nonsense_is_refused_and_never_raises(value: Any) -> None:
    assert problems(value)


@each_row([
        ({"message": "x"}, []),
        ({"message": ""}, []),
        ({"message": "x", "artifacts": []}, []),
        ({"message": "x", "response": {"expectation": "none"}}, []),
        ({"message": "x", "artifacts": "a"}, [("artifacts",)]),
        ({"message": "x", "status": True, "response": 1}, [("status",), ("response",)]),
        ({"message": "x", "artifacts": [{"type": "diff", "ref": "a", "n": 1}]}, [
            ("artifacts", 0, "n")
        ]),
    ])  # fmt: skip
def test_all_errors_of_a_payload_are_reported_at_once(payload: Any, places: Any) -> None:
    assert [one.path for one in payload_problems(payload)] == places
