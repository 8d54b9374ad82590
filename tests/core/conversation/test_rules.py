"""Each published rule is broken once in a valid conversation, and the break is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.support.checks import each_row
from workflows.core.conversation.build import Conversation
from workflows.core.conversation.check import violations
from workflows.core.conversation.providers import PROVIDERS
from workflows.core.conversation.rules import RULES
from workflows.core.engine.effects import Message, ToolSpec

OBJECT = {"type": "object", "properties": {"path": {"type": "string"}}}
CALL = {"id": "call_1", "name": "read", "arguments": {"path": "a.md"}}
VALID = Conversation(
    system="Be kind.",
    developer="",
    messages=(
        Message(role="user", text="Read a.md."),
        Message(role="assistant", text="", tool_calls=(CALL,)),
        Message(role="tool", text="one", tool_call_id="call_1"),
        Message(role="assistant", text="It has one line."),
        Message(role="user", text="Thanks. Go on."),
    ),
    tools=(ToolSpec(name="read", description="Read a file.", parameters=OBJECT),),
    schema={"type": "object", "properties": {"done": {"type": "boolean"}}},
    parameters={"temperature": 0.5, "stop": ["END"]},
)
Break = Callable[[Conversation], Conversation]


def messages(change: Callable[[list[Message]], Any]) -> Break:
    def broken(valid: Conversation) -> Conversation:
        turns = list(valid.messages)
        change(turns)
        return replace(valid, messages=tuple(turns))

    return broken


def tools(*specs: ToolSpec) -> Break:
    return lambda valid: replace(valid, tools=specs)


def spec(name: str = "read", **parameters: Any) -> ToolSpec:
    return ToolSpec(name=name, description="", parameters={**OBJECT, **parameters})


def schema(**words: Any) -> Break:
    return lambda valid: replace(valid, schema=words)


def parameters(**given: Any) -> Break:
    return lambda valid: replace(valid, parameters=given)


def called(**changed: Any) -> Message:
    return Message(role="assistant", text="", tool_calls=({**CALL, **changed},))


BREAKS: dict[str, list[Break]] = {
    "calls_are_answered": [
        messages(lambda turns: turns.pop(2)),
        messages(lambda turns: turns.insert(2, Message(role="user", text="Well?"))),
        messages(lambda turns: turns.append(called(id="call_2"))),
    ],
    "results_have_calls": [
        messages(lambda turns: turns.pop(1)),
        messages(lambda turns: turns.append(Message(role="tool", text="x", tool_call_id="call_1"))),
        messages(lambda turns: turns.insert(3, turns[2])),
    ],
    "the_user_begins": [
        messages(lambda turns: turns.pop(0)),
        lambda valid: replace(valid, messages=()),
    ],
    "the_user_is_last": [messages(lambda turns: turns.pop())],
    "sides_alternate": [
        messages(lambda turns: turns.insert(0, turns[0])),
        messages(lambda turns: turns.insert(3, turns[3])),
    ],
    "no_turn_is_empty": [
        messages(lambda turns: turns.__setitem__(0, Message(role="user", text=" "))),
        messages(lambda turns: turns.__setitem__(3, Message(role="assistant", text=""))),
    ],
    "names_are_well_formed": [
        tools(spec("read file")),
        tools(spec("n" * 65)),
        tools(spec("")),
        messages(lambda turns: turns.__setitem__(1, called(name="crm.find"))),
    ],
    "names_are_unique": [tools(spec(), spec())],
    "ids_are_well_formed": [
        messages(lambda turns: turns.__setitem__(1, called(id="a b"))),
        messages(lambda turns: turns.__setitem__(1, called(id="x" * 41))),
        messages(lambda turns: turns.__setitem__(1, called(id=""))),
        messages(lambda turns: turns.extend([turns[1], turns[2], turns[4]])),
    ],
    "parameters_are_objects": [tools(spec(type="string")), tools(spec(type=["object", "null"]))],
    "parameters_are_plain": [
        tools(spec(anyOf=[{}])),
        tools(spec(oneOf=[{}])),
        tools(spec(allOf=[{}])),
        tools(spec(enum=[{}])),
        tools(spec(**{"not": {}})),
    ],
    "parameter_names_are_short": [
        tools(spec(properties={"a b": {}})),
        tools(spec(properties={"x" * 65: {}})),
    ],
    "references_are_local": [
        tools(spec(properties={"a": {"$ref": "https://example.org/a.json"}})),
        schema(type="object", items=[{"$ref": "other.json"}]),
    ],
    "there_are_few_tools": [tools(*(spec(f"tool_{number}") for number in range(129)))],
    "references_have_targets": [
        tools(spec(properties={"a": {"$ref": "#/$defs/gone"}}, **{"$defs": {"here": {}}})),
        schema(type="array", items={"$ref": "#/definitions/gone"}),
    ],
    "loops_end": [
        schema(type="object", properties={"next": {"$ref": "#"}}, required=["next"]),
        schema(
            type="object",
            properties={"all": {"type": "array", "items": {"$ref": "#"}, "minItems": 1}},
            required=["all"],
        ),
        tools(
            spec(
                properties={"tree": {"$ref": "#/$defs/tree"}},
                **{"$defs": {"tree": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/tree"}]}}},
            )
        ),
    ],
    "there_are_four_stops": [parameters(stop=list("abcde"))],
    "there_are_five_stops": [parameters(stop_sequences=list("abcdef"))],
    "stops_have_text": [
        parameters(stop=["END", "\n"]),
        parameters(stop_sequences=[""]),
        parameters(stop=" "),
    ],
    "temperature_is_up_to_one": [parameters(temperature=1.1)],
    "temperature_is_up_to_two": [parameters(temperature=2.1), parameters(temperature=-0.1)],
    "top_p_is_a_share": [parameters(top_p=1.1), parameters(top_p=-1)],
    "penalties_are_up_to_two": [
        parameters(presence_penalty=2.1),
        parameters(frequency_penalty=-2.1),
    ],
    "there_is_room_for_an_answer": [parameters(max_tokens=0)],
}


def test_every_rule_is_broken_here() -> None:
    assert BREAKS.keys() == RULES.keys()
    assert list(violations(VALID)) == []


@each_row(RULES)
def test_a_break_is_found(name: str) -> None:
    rule = RULES[name]
    assert rule.problems.__doc__
    for number, broken in enumerate(BREAKS[name]):
        found = list(violations(broken(VALID)))
        assert name in {violation.rule for violation in found}, number
        for provider in PROVIDERS:
            held = {violation.rule for violation in violations(broken(VALID), (provider,))}
            assert (name in held) == (provider in rule.providers), (number, provider)
