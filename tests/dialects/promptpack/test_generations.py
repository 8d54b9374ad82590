"""The two generations of PromptKit: the same pack under each profile."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.promptpack.packs import DIALECT, codes, pack, source
from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.support.checks import each_row
from workflows.core.engine.effects import AskHuman, AskModel
from workflows.core.engine.program import CannotRun

DECLARED: dict[str, Any] = {
    "tools": {
        "lookup": {"name": "lookup", "description": "Look up.", "action_scope": {"effect": "read"},
                   "extensions": {"example:tier": "read"}},
        "refund": {"name": "refund", "description": "Refund.",
                   "action_scope": {"effect": "external"}, "extensions": {"example:tier": "money"}},
    },
    "prompts/draft/tools": ["lookup", "refund"],
    "prompts/draft/extensions": {"example:prompt": "chat"},
    "prompts/draft/validators": [
        {"id": "no-cards", "type": "banned_words", "params": {"words": ["4111"]},
         "extensions": {"example:control": "PCI"}},
        {"id": "short", "type": "max_length", "params": {"max_characters": 5000}},
    ],
    "agents": {
        "entry": "draft",
        "members": {
            "draft": {"extensions": {"example:approver": "chat"}},
            "review": {"extensions": {"example:approver": "billing"}},
        },
    },
    "workflow/states/review/control": "agent",
    "requires": {"providers": ["default"]},
}  # fmt: skip
"""The kinds of declarations with which the tests of PromptKit 2 open a pack."""
GOVERNED: dict[str, Any] = {
    "metadata": {
        "governance": {
            "accountable_owner": "desk",
            "obligations": [
                {"id": "o", "obligation": "x", "controls": [{"field": "accountable_owner"}]}
            ],
            "reviews": [
                {"id": "r", "type": "x", "cadence": "P1Y", "owner": "desk", "satisfies": ["o"]}
            ],
        }
    }
}


def test_the_second_generation_knows_the_fields_that_the_first_one_refuses() -> None:
    tree = pack({**DECLARED, "compilation": {
        "compiled_with": "x", "created_at": "2026-01-01T00:00:00Z", "schema": "v1"
    }})  # fmt: skip
    assert {"PP902", "PP903"} <= set(codes(tree, "promptkit-1"))
    assert [code for code in codes(tree, "promptkit-2") if code.startswith("PP9")] == []


@each_row(["promptkit", "promptkit-1"])
def test_the_old_name_is_the_first_generation(profile: str) -> None:
    found = source(pack(DECLARED))
    graph = DIALECT.graph(found, profile)
    assert (graph.profile, graph.states[0].most_calls) == (profile, 50)
    assert codes(pack(DECLARED), profile) == codes(pack(DECLARED), "promptkit-1")


REFUSED: list[tuple[str, Any, str]] = [
    ("obligations/0/controls", [{"eval": "e"}], "refers to eval 'e'"),
    ("obligations/0/controls", [{"validator": "v"}], "refers to validator 'v'"),
    ("obligations/0/controls", [{"field": "operator_role"}], "is not declared"),
    ("obligations/0/controls", [{"field": "nothing"}], "is not a property of governance"),
    ("reviews/0/cadence", "P", "The cadence 'P'"),
    ("reviews/0/cadence", "P1YT", "The cadence 'P1YT'"),
    ("reviews/0/cadence", "yearly", "The cadence 'yearly'"),
    ("reviews/0/satisfies", ["p"], "refers to obligation 'p'"),
    ("reviews/0/eval", "e", "refers to eval 'e'"),
]


@each_row(REFUSED)
def test_the_second_generation_opens_no_pack_with_unresolved_governance(
    pointer: str, value: Any, message: str
) -> None:
    tree = pack(GOVERNED)
    place: Any = tree["metadata"]["governance"]
    *path, last = pointer.split("/")
    for key in path:
        place = place[int(key)] if isinstance(place, list) else place[key]
    place[last] = value
    assert "PP913" in codes(tree, "promptkit-2")
    with pytest.raises(CannotRun, match=message) as refused:
        DIALECT.program(source(tree), "promptkit-2")
    assert refused.value.code == "PP913"
    assert "PP913" not in codes(tree, "promptkit-1")
    DIALECT.program(source(tree), "promptkit-1")


@each_row(["P1Y", "P6M", "P2W", "P1DT12H", "PT30M", "P1Y2M3W4DT5H6M7S"])
def test_governance_that_resolves_opens(cadence: str) -> None:
    tree = pack(GOVERNED)
    tree["metadata"]["governance"]["reviews"][0]["cadence"] = cadence
    assert "PP913" not in codes(tree, "promptkit-2")
    DIALECT.program(source(tree), "promptkit-2")


def test_an_agents_governance_inherits_the_fields_and_obligations_of_the_pack() -> None:
    own = {
        "obligations": [{"id": "p", "obligation": "x", "controls": [{"field": "operator_role"}]}],
        "operator_role": "deployer",
    }
    review = {"id": "s", "type": "x", "cadence": "P1Y", "owner": "desk", "satisfies": ["o"]}
    members = {"draft": {"governance": {"reviews": [review]}}, "review": {"governance": own}}
    tree = pack({**GOVERNED, "agents": {"entry": "draft", "members": members}})
    assert "PP913" not in codes(tree, "promptkit-2")


@each_row(
    [
        ("promptkit-1", {"promptpack.yields": "yes"}, AskModel),
        ("promptkit-2", {}, AskHuman),
        ("promptkit-2", {"promptpack.yields": "no"}, AskModel),
        ("documented", {}, AskModel),
        ("documented", {"promptpack.yields": "yes"}, AskHuman),
    ]
)
def test_the_second_generation_follows_control(
    profile: str, inputs: dict[str, str], asks: type
) -> None:
    scripted = ScriptedRun({}, profile=profile, inputs=inputs)
    scripted.take("Submit")
    assert (scripted.state, type(scripted.pending)) == ("review", asks)
    agent = ScriptedRun({"workflow/states/review/control": "agent"}, profile=profile, inputs=inputs)
    agent.take("Submit")
    assert isinstance(agent.pending, AskModel)


@each_row([("promptkit-1", 50, ["lookup"]), ("promptkit-2", 2, []), ("documented", 2, [])])
def test_the_second_generation_follows_the_tool_policy(
    profile: str, rounds: int, tools: list[str]
) -> None:
    changes = {
        "tools": {"lookup": {"name": "lookup", "description": "Look up."}},
        "prompts/draft/tools": ["lookup"],
        "prompts/draft/tool_policy": {"max_rounds": 2, "blocklist": ["lookup"]},
    }
    graph = DIALECT.graph(source(pack(changes)), profile)
    assert graph.states[0].most_calls == rounds
    offered = [tool.name for tool in ScriptedRun(changes, profile=profile).pending.tools]
    assert offered == [*tools, "workflow__transition"]


def test_the_second_generation_allows_fifty_rounds_by_default() -> None:
    assert DIALECT.graph(source(pack()), "promptkit-2").states[0].most_calls == 50
