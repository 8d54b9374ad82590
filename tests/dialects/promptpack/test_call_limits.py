"""The number of tool calls in one turn, under each profile."""

from __future__ import annotations

import pytest

from tests.dialects.promptpack.scripted_run import ScriptedRun
from workflows.core.engine.effects import CallTool
from workflows.core.engine.signals import ToolDone

FIND = {"name": "find", "description": "Find."}


@pytest.mark.parametrize(
    ("profile", "allowed"), [("promptkit-1", 12), ("promptkit-2", 12), ("documented", 10)]
)
def test_both_generations_allow_any_number_of_calls_in_one_turn(profile: str, allowed: int) -> None:
    run = ScriptedRun({"tools": {"find": FIND}, "prompts/draft/tools": ["find"]}, profile=profile)
    run.model("", *[("find", {})] * 12)
    called = 0
    while isinstance(run.pending, CallTool):
        called += 1
        run.send(ToolDone(at=3.0, key=run.pending.key, result="x"))
    assert called == allowed
