"""Skills, models and budgets: what reaches the prompt, and what a starter may choose."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.dialects.promptpack.test_compositions import composed, step
from workflows.core.dialects.promptpack.program.skills import in_scope
from workflows.core.engine.effects import AskModel

S = "workflow/states"


def skill(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"How to {name}.", "instructions": f"{name}!", **more}


def skilled(*skills: Any, profile: str = "documented", **more: Any) -> ScriptedRun:
    return ScriptedRun({"skills": list(skills), **more}, profile=profile)


def tools(play: ScriptedRun) -> list[str]:
    return [tool.name for tool in play.asked.tools if tool.name.startswith("skill__")]


def test_skills_of_the_pack_can_be_taken_up_and_laid_down() -> None:
    play = skilled(skill("calm"), skill("sell"))
    activate, deactivate = play.asked.tools[-2:]
    assert (activate.name, deactivate.name) == ("skill__activate", "skill__deactivate")
    assert "- calm: How to calm." in activate.description
    assert activate.parameters["properties"]["name"]["enum"] == ["calm", "sell"]
    play.say("", ("skill__activate", {"name": "calm"}), ("skill__activate", {"name": "sell"}))
    told = json.loads(play.asked.messages[-2].text)
    assert told == {"instructions": "calm!", "added_tools": []}
    assert play.run.memory["skills"] == ["calm", "sell"]
    play.say("", ("skill__deactivate", {"name": "calm"}), ("skill__deactivate", {"name": "calm"}))
    assert json.loads(play.asked.messages[-2].text) == {"removed_tools": []}
    assert play.asked.messages[-1].text == "Error: the skill 'calm' is not active."
    assert play.run.memory["skills"] == ["sell"]


def test_what_was_taken_up_before_stands_in_the_next_prompt() -> None:
    play = skilled(skill("calm"))
    play.say("", ("skill__activate", {"name": "calm"}))
    assert play.asked.system == "Do it.", "here it stands in the conversation"
    play.go("Submit")
    assert play.asked.system == "Do it.\n\n# Skill: calm\ncalm!"


def test_skills_marked_so_are_there_from_the_start() -> None:
    assert skilled(skill("calm", preload=True)).asked.system.endswith("# Skill: calm\ncalm!")


def test_a_state_without_skills_offers_none_and_lays_down_those_taken_up() -> None:
    play = skilled(
        skill("calm"), **{f"{S}/review/skills": "None", f"{S}/review/on_event/Back": "draft"}
    )
    play.say("", ("skill__activate", {"name": "calm"}))
    play.go("Submit")
    assert (tools(play), play.asked.system) == ([], "Do it.")
    play.say("", ("skill__activate", {"name": "calm"}))
    assert play.asked.messages[-1].text == (
        'Error: skill "calm" is not available in the current state (filter: "None")'
    )
    play.go("Back")
    assert play.asked.system == "Do it.", "laid down is laid down"
    assert tools(play) == ["skill__activate", "skill__deactivate"]


def test_promptkit_looks_at_no_filter() -> None:
    play = skilled(skill("calm"), profile="promptkit", **{f"{S}/draft/skills": "none"})
    assert tools(play) == ["skill__activate", "skill__deactivate"]


def test_skills_whose_files_are_elsewhere_are_told_and_not_offered() -> None:
    play = skilled(
        "./skills/billing", {"path": "skills/legal"}, **{f"{S}/draft/skills": "skills/b*"}
    )
    assert tools(play) == []
    assert play.last("promptpack.skills").fields["missing"] == ["./skills/billing"]
    play.go("Submit")
    assert len(play.every("promptpack.skills")) == 1


def test_an_unknown_skill_is_answered_with_those_there_are() -> None:
    play = skilled(skill("calm"))
    play.say("", ("skill__activate", {"name": "fly"}))
    assert play.asked.messages[-1].text == "Error: there is no skill 'fly'. Available: calm."


@pytest.mark.parametrize(
    ("filter", "path", "inside"),
    [
        ("", "./skills/billing", True),
        ("./skills/billing", "skills/billing/", True),
        ("skills", "./skills/billing", True),
        ("skills/bill", "skills/billing", False),
        ("skills/*", "skills/billing", True),
        ("*/legal", "skills/billing", False),
    ],
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


@pytest.mark.parametrize(
    ("model", "profile", "system", "temperature"),
    [
        ("", "documented", "Do it.", 0.2),
        ("other", "documented", "Do it.", 0.2),
        ("big", "documented", "Think. Do it. now", 0.2),
        ("small", "documented", "Be short.", 0.9),
        ("small", "promptkit", "Do it.", 0.2),
    ],
)
def test_what_a_prompt_says_about_the_model_asked_for_applies(
    model: str, profile: str, system: str, temperature: float
) -> None:
    inputs = {"input": "now", **({"promptpack.model": model} if model else {})}
    asked = ScriptedRun(OVERRIDES, profile=profile, inputs=inputs).asked
    assert isinstance(asked, AskModel)
    assert (asked.model, asked.system) == (model, system)
    assert asked.parameters["temperature"] == temperature
    assert ("top_k" in asked.parameters) == (profile == "documented")


def test_the_starter_names_models_by_the_providers_of_the_pack() -> None:
    changes = composed(step("a", provider="fast"), step("b"))
    changes["prompts"]["p"]["provider"] = "strong"
    inputs = {"input": "x", "promptpack.model": "m", "promptpack.model.fast": "f"}
    play = ScriptedRun(changes, inputs=inputs)
    assert play.asked.model == "f"
    play.reply(text="A")
    assert play.asked.model == "m"


def test_a_budget_is_looked_at_before_each_model_round_too() -> None:
    tools = {"find": {"name": "find", "description": "Find it."}}
    play = ScriptedRun(
        {
            "workflow/engine": {"budget": {"max_tool_calls": 2}},
            "tools": tools,
            "prompts/draft/tools": ["find"],
        }
    )
    play.say("", ("find", {}), ("find", {}))
    play.tool("one")
    play.tool("two")
    assert (play.run.status, play.run.reason) == (
        "budget_exhausted",
        "workflow budget exhausted: max_tool_calls 2 reached limit 2",
    )


def test_steps_stop_at_the_budget_as_well() -> None:
    changes = composed(step("a"), step("b"))
    changes["workflow"]["engine"] = {"budget": {"max_wall_time_sec": 2}}
    play = ScriptedRun(changes, inputs={"input": "x"})
    play.at = 5.0
    play.reply(text="late")
    assert play.run.status == "budget_exhausted"
    assert "max_wall_time_sec 5 reached limit 2" in play.run.reason
