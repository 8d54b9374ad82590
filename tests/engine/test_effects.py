"""Effects survive being written to JSON and read back."""

from __future__ import annotations

import json

from workflows.core.engine.effects import (
    AskModel,
    Choice,
    Message,
    ToolSpec,
    effect_from_json,
    effect_to_json,
)


def asking(key: str, steps: float = 1, reply: str = "go") -> AskModel:
    return AskModel(
        key=key,
        position="0",
        state="asking",
        system=f"You are {key}.",
        messages=(Message(role="user", text="Begin."),),
        tools=(ToolSpec(name="go", description="Goes.", parameters={"default": steps}),),
        choices=(Choice(label="Go", transition="a|go|b", reply={"text": reply}),),
    )


def logged(effect: AskModel) -> AskModel:
    read = effect_from_json(json.loads(json.dumps(effect_to_json(effect))))
    assert isinstance(read, AskModel)
    return read


def test_different_tools_with_one_name_stay_different() -> None:
    one, whole, yes = asking("1"), asking("2", steps=1.0, reply="stay"), asking("3", steps=True)
    assert [repr(logged(effect)) for effect in (one, whole, yes)] == [
        repr(one),
        repr(whole),
        repr(yes),
    ]
