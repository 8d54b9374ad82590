"""Upper bounds of a visit, as the graph passes them to the rules."""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.packs import DIALECT, pack, source
from tests.dialects.promptpack.test_compositions import composed, fan, step
from tests.support.checks import each_row
from workflows.core.dialects.promptpack.graph.cost_bounds import CostBounds, max_total_visits

RETRIED = {"retry": {"max_attempts": 2}}
THREE = {"max_steps": 3}


@each_row(
    [
        ({}, "documented", 5, None),
        ({}, "promptkit", 50, None),
        ({"prompts/draft/tool_policy": {"max_rounds": 2}}, "documented", 2, None),
        ({"prompts/draft/tool_policy": {"max_rounds": 2}}, "promptkit", 50, None),
        ({"prompts/draft/parameters": {"max_tokens": 100}}, "documented", 5, 100),
        (
            {
                "prompts/draft/parameters": {"max_tokens": 100},
                "prompts/draft/model_overrides": {"m": {"parameters": {"max_tokens": 300}}},
            },
            "documented",
            5,
            300,
        ),
        ({"workflow/states/draft/orchestration": "external"}, "documented", 0, None),
        ({"workflow/states/draft/prompt_task": "nobody"}, "documented", 0, None),
    ]
)
def test_the_bound_of_a_state_is_the_rounds_of_its_prompt(
    changes: dict[str, Any], profile: str, calls: int | None, tokens: int | None
) -> None:
    found = source(pack(changes))
    drawn = next(s for s in DIALECT.graph(found, profile).states if s.id == "draft")
    assert (drawn.most_calls, drawn.most_tokens) == (calls, tokens)


@each_row(
    [
        ([step("a"), step("t", "tool", tool="find")], 1),
        ([step("a", modifiers=RETRIED), step("b")], 3),
        ([step("a", "agent", termination=THREE, modifiers=RETRIED)], 6),
        ([step("a", "agent", termination={"tool_called": "find"})], 5),
        ([fan(step("a"), step("b", modifiers=RETRIED)) | {"modifiers": RETRIED}], 6),
    ]
)
def test_the_bound_of_a_composition_counts_steps_and_retries(
    steps: list[dict[str, Any]], calls: int
) -> None:
    changes = composed(*steps)
    changes["prompts"]["p"]["parameters"] = {"max_tokens": 50}
    found = source(pack(changes))
    bounds = CostBounds(found.parts, "documented")
    assert bounds.of(found.parts.states["run"]) == (calls, 50)


def test_the_budget_bounds_the_visits() -> None:
    budget = {"workflow/engine": {"budget": {"max_total_visits": 7}}}
    assert max_total_visits(source(pack(budget))) == 7
    assert max_total_visits(source(pack())) is None


def test_each_profile_of_a_pack_has_its_own_bounds() -> None:
    found = source(pack())
    seen = [DIALECT.graph(found, profile).states[0].most_calls for profile in DIALECT.profiles * 2]
    assert seen == [5, 50, 50, 50] * 2
