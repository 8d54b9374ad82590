"""Skills, models and budgets: the text of the prompt, and the options of a run."""

from __future__ import annotations

import json
from typing import Any

from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.dialects.promptpack.test_compositions import composed, step
from tests.support.checks import each_row
from workflows.core.dialects.promptpack.program.skills import in_scope
from workflows.core.engine.effects import AskModel

S = "workflow/states"


def skill(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"How to {name}.", "instructions": f"{name}!", **more}


def skilled(*skills: Any, profile: str = "documented", **more: Any) -> ScriptedRun:
    return ScriptedRun({"skills": list(skills), **more}, profile=profile)


def tools(scripted: ScriptedRun) -> list[str]:
    return [tool.name for tool in scripted.pending.tools if tool.name.startswith("skill__")]


def test_skills_of_the_pack_can_be_activated_and_deactivated() -> None:
    scripted = skilled(skill("calm"), skill("sell"))
    activate, deactivate = scripted.pending.tools[-2:]
    assert (activate.name, deactivate.name) == ("skill__activate", "skill__deactivate")
    assert "- calm: How to calm." in activate.description
    assert activate.parameters["properties"]["name"]["enum"] == ["calm", "sell"]
    scripted.model("", ("skill__activate", {"name": "calm"}), ("skill__activate", {"name": "sell"}))
    result = json.loads(scripted.pending.messages[-2].text)
    assert result == {"instructions": "calm!", "added_tools": []}
    assert scripted.run.memory["skills"] == ["calm", "sell"]
    scripted.model(
        "", ("skill__deactivate", {"name": "calm"}), ("skill__deactivate", {"name": "calm"})
    )
    assert json.loads(scripted.pending.messages[-2].text) == {"removed_tools": []}
    assert scripted.pending.messages[-1].text == "Error: the skill 'calm' is not active."
    assert scripted.run.memory["skills"] == ["sell"]


def test_an_active_skill_is_in_the_next_prompt() -> None:
    scripted = skilled(skill("calm"))
    scripted.model("", ("skill__activate", {"name": "calm"}))
    assert scripted.pending.system == "Do it.", "here it stands in the conversation"
    scripted.take("Submit")
    assert scripted.pending.system == "Do it.\n\n# Skill: calm\ncalm!"


def test_preloaded_skills_are_active_from_the_start() -> None:
    assert skilled(skill("calm", preload=True)).pending.system.endswith("# Skill: calm\ncalm!")


def test_a_state_without_skills_offers_none_and_later_ones_have_them_again() -> None:
    scripted = skilled(
        skill("calm"), **{f"{S}/review/skills": "None", f"{S}/review/on_event/Back": "draft"}
    )
    scripted.model("", ("skill__activate", {"name": "calm"}))
    scripted.take("Submit")
    assert (tools(scripted), scripted.pending.system) == ([], "Do it.")
    scripted.model("", ("skill__activate", {"name": "calm"}))
    assert scripted.pending.messages[-1].text == (
        'Error: skill "calm" is not available in the current state (filter: "None")'
    )
    scripted.take("Back")
    assert scripted.pending.system == "Do it.\n\n# Skill: calm\ncalm!"
    assert tools(scripted) == ["skill__activate", "skill__deactivate"]


def test_promptkit_ignores_the_filter() -> None:
    scripted = skilled(skill("calm"), profile="promptkit", **{f"{S}/draft/skills": "none"})
    assert tools(scripted) == ["skill__activate", "skill__deactivate"]


def test_external_skills_are_reported_as_missing_and_not_offered() -> None:
    scripted = skilled(
        "./skills/billing", {"path": "skills/legal"}, **{f"{S}/draft/skills": "skills/b*"}
    )
    assert tools(scripted) == []
    assert scripted.last("promptpack.skills").fields["missing"] == ["./skills/billing"]
    scripted.take("Submit")
    assert len(scripted.events_of("promptpack.skills")) == 1


def test_an_unknown_skill_is_answered_with_the_list_of_skills() -> None:
    scripted = skilled(skill("calm"))
    scripted.model("", ("skill__activate", {"name": "fly"}))
    assert scripted.pending.messages[-1].text == "Error: there is no skill 'fly'. Available: calm."


@each_row(
    [
        ("", "./skills/billing", True),
        ("./skills/billing", "skills/billing/", True),
        ("skills", "./skills/billing", True),
        ("skills/bill", "skills/billing", False),
        ("skills/*", "skills/billing", True),
        ("*/legal", "skills/billing", False),
    ]
)
def test_a_filter_is_a_path_a_folder_or_a_pattern(filter: str, path: str, inside: bool) -> None:
    assert in_scope(path, filter) is inside


OVERRIDES = {
    "prompts/draft/parameters": {"temperature": 0.2, "top_k": 5, "max_tokens": 100},
    "prompts/draft/model_overrides": {
        "big": {"system_template_prefix": "Think. ", "system_template_suffix": " {{input}}"},
        "small": {"system_template": "Be short.", "parameters": {"temperature": 0.9}},
    },
}


@each_row(
    [
        ("", "documented", "Do it.", 0.2),
        ("other", "documented", "Do it.", 0.2),
        ("big", "documented", "Think. Do it. now", 0.2),
        ("small", "documented", "Be short.", 0.9),
        ("small", "promptkit", "Do it.", 0.2),
    ]
)
def test_the_overrides_for_the_named_model_apply(
    model: str, profile: str, system: str, temperature: float
) -> None:
    inputs = {"input": "now", **({"promptpack.model": model} if model else {})}
    effect = ScriptedRun(OVERRIDES, profile=profile, inputs=inputs).pending
    assert isinstance(effect, AskModel)
    assert (effect.model, effect.system) == (model, system)
    assert effect.parameters["temperature"] == temperature
    assert ("top_k" in effect.parameters) == (profile == "documented")


def test_a_run_can_name_a_model_per_provider() -> None:
    changes = composed(step("a", provider="fast"), step("b"))
    changes["prompts"]["p"]["provider"] = "strong"
    inputs = {"input": "x", "promptpack.model": "m", "promptpack.model.fast": "f"}
    scripted = ScriptedRun(changes, inputs=inputs)
    assert scripted.pending.model == "f"
    scripted.reply(text="A")
    assert scripted.pending.model == "m"


def test_a_budget_is_checked_before_each_model_round() -> None:
    tools = {"find": {"name": "find", "description": "Find it."}}
    scripted = ScriptedRun(
        {
            "workflow/engine": {"budget": {"max_tool_calls": 2}},
            "tools": tools,
            "prompts/draft/tools": ["find"],
        }
    )
    scripted.model("", ("find", {}), ("find", {}))
    scripted.tool("one")
    scripted.tool("two")
    assert (scripted.run.status, scripted.run.reason) == (
        "budget_exhausted",
        "workflow budget exhausted: max_tool_calls 2 reached limit 2",
    )


def test_steps_stop_at_the_budget() -> None:
    changes = composed(step("a"), step("b"))
    changes["workflow"]["engine"] = {"budget": {"max_wall_time_sec": 2}}
    scripted = ScriptedRun(changes, inputs={"input": "x"})
    scripted.at = 5.0
    scripted.reply(text="late")
    assert scripted.run.status == "budget_exhausted"
    assert "max_wall_time_sec 5 reached limit 2" in scripted.run.reason


def test_a_preloaded_skill_returns_after_a_state_without_skills() -> None:
    scripted = skilled(
        skill("calm", preload=True),
        **{f"{S}/review/skills": "none", f"{S}/review/on_event/Back": "draft"},
    )
    scripted.take("Submit")
    assert "calm!" not in scripted.pending.system
    scripted.take("Back")
    assert scripted.pending.system.endswith("# Skill: calm\ncalm!")
