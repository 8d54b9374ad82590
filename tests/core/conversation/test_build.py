"""The conversation that is sent for a question."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.checks import each_row
from workflows.core.conversation.build import CONTINUATION, OPENING, conversation_of, wire_names
from workflows.core.conversation.check import RequestRefused, check_question, violations
from workflows.core.engine.effects import AskModel, Message, ToolSpec


def call(id: str, name: str = "look") -> dict[str, Any]:
    return {"id": id, "name": name, "arguments": {}}


def user(text: str) -> Message:
    return Message(role="user", text=text)


def model(text: str = "", *calls: dict[str, Any]) -> Message:
    return Message(role="assistant", text=text, tool_calls=calls)


def result(id: str, text: str = "seen") -> Message:
    return Message(role="tool", text=text, tool_call_id=id)


def question(*messages: Message, **more: Any) -> AskModel:
    return AskModel(
        key="0:1", position="0", state="here", system="Be kind.", messages=messages, **more
    )


def sent(*messages: Message) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in conversation_of(question(*messages)).messages]


BEGIN, GO_ON = ("user", OPENING), ("user", CONTINUATION)

CASES: list[tuple[str, tuple[Message, ...], list[tuple[str, str]]]] = [
    ("nothing was said", (), [BEGIN]),
    ("the user began", (user("Hi"),), [("user", "Hi")]),
    (
        "the model spoke last",
        (user("Hi"), model("Yes")),
        [("user", "Hi"), ("assistant", "Yes"), GO_ON],
    ),
    ("the model began", (model("Yes"), user("No")), [BEGIN, ("assistant", "Yes"), ("user", "No")]),
    ("the user spoke twice", (user("a"), user("b")), [("user", "a\n\nb")]),
    ("a turn is empty", (user("a"), model(" "), user("b")), [("user", "a\n\nb")]),
    (
        "a tool answered",
        (user("a"), model("", call("1")), result("1")),
        [("user", "a"), ("assistant", ""), ("tool", "seen")],
    ),
]


@each_row([case[1:] for case in CASES])
def test_turns(messages: tuple[Message, ...], turns: list[tuple[str, str]]) -> None:
    assert sent(*messages) == turns
    assert list(violations(conversation_of(question(*messages)))) == []


def test_the_opening_stays_in_the_conversation_of_a_later_turn() -> None:
    first = sent()
    later = sent(model("", call("1")), result("1"))
    assert later[: len(first)] == first


def test_ids_are_unique_and_well_formed_and_their_results_follow() -> None:
    long = "x" * 80
    messages = (
        user("a"),
        model("", call("call-1"), call("")),
        result("call-1"),
        result(""),
        model("", call("call-1"), call(long)),
        result(long),
        result("call-1"),
    )
    conversation = conversation_of(question(*messages))
    ids = [str(one["id"]) for turn in conversation.messages for one in turn.tool_calls]
    answers = [turn.tool_call_id for turn in conversation.messages if turn.role == "tool"]
    assert len(set(ids)) == 4
    assert answers == [ids[0], ids[1], ids[3], ids[2]]
    assert ids[0] == "call-1"
    assert list(violations(conversation)) == []


def test_only_names_that_a_provider_refuses_are_changed() -> None:
    names = ["look", "crm.find", "crm_find", "9lives", "ü" * 3, "n" * 80, "n" * 81]
    wire = wire_names(names)
    assert (wire["look"], wire["crm_find"]) == ("look", wire["crm_find"])
    assert len(set(wire.values())) == len(names)
    tools = tuple(ToolSpec(name=name, description="", parameters={}) for name in names)
    conversation = conversation_of(
        question(user("a"), model("", call("1", "crm.find")), result("1"), tools=tools)
    )
    assert conversation.names[wire["crm.find"]] == "crm.find"
    assert conversation.messages[1].tool_calls[0]["name"] == wire["crm.find"]
    assert list(violations(conversation)) == []


A, B = {"type": "string"}, {"type": "number"}
ONE_OF = {
    "type": "object",
    "properties": {"path": A},
    "required": ["path"],
    "additionalProperties": False,
    "oneOf": [
        {"properties": {"line": B}, "required": ["line"]},
        {"properties": {"text": A}, "required": ["text"]},
    ],
}


@each_row(
    [
        (ONE_OF, {"path": A, "line": B, "text": A}, ["path"]),
        ({"anyOf": [{"type": "object", "properties": {"a": A}, "required": ["a"]}]}, {"a": A}, []),
        ({"allOf": [{"properties": {"a": A}, "required": ["a"]}]}, {"a": A}, ["a"]),
        (
            {"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"a": A}, "required": ["a"]}}},
            {"a": A},
            ["a"],
        ),
        ({"anyOf": [{"$ref": "#"}, {"properties": {"a": A}}]}, {"a": A}, []),
        ({"type": "object", "not": {"required": ["b"]}}, {}, []),
    ]
)
def test_a_choice_at_the_top_of_parameters_becomes_their_properties(
    given: dict[str, Any], properties: dict[str, Any], required: list[str]
) -> None:
    tool = ToolSpec(name="edit", description="", parameters=given)
    conversation = conversation_of(question(user("a"), tools=(tool,)))
    sent = conversation.tools[0].parameters
    assert (sent["type"], sent["properties"]) == ("object", properties)
    assert sent.get("required", []) == required
    assert list(violations(conversation)) == []


def test_plain_parameters_are_sent_as_they_are() -> None:
    plain = {"type": "object", "properties": {"a": {"anyOf": [A, B]}}, "additionalProperties": {}}
    tool = ToolSpec(name="edit", description="", parameters=plain)
    assert conversation_of(question(user("a"), tools=(tool,))).tools[0].parameters == plain


def test_a_call_without_a_result_is_refused_with_the_reason() -> None:
    asked = question(user("a"), model("", call("1", "submit")), user("Try again."))
    with pytest.raises(RequestRefused) as refused:
        check_question(asked)
    assert refused.value.message == (
        "The request of here would be refused by OpenAI, Anthropic, Google and compatible servers. "
        "Message 3 follows calls without a result: submit."
    )


def test_a_rule_of_one_provider_stops_only_its_requests() -> None:
    asked = question(user("a"), parameters={"temperature": 1.5})
    check_question(asked)
    check_question(asked, "openai")
    with pytest.raises(RequestRefused, match="Anthropic"):
        check_question(asked, "anthropic")
