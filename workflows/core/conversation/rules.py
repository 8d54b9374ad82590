"""Published rules of the providers for a conversation. Each names the providers that enforce it.

Sources: the API references of OpenAI (chat completions), Anthropic (messages) and Google
(generateContent). Compatible servers implement OpenAI's protocol.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from workflows.core.conversation.build import Conversation

Provider: TypeAlias = Literal["openai", "anthropic", "google", "compatible"]
PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic", "google", "compatible")
CHAT: tuple[Provider, ...] = ("openai", "compatible")

Problems: TypeAlias = Callable[[Conversation], Iterator[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRule:
    """`problems` yields one sentence for each violation."""

    name: str
    providers: tuple[Provider, ...]
    problems: Problems


RULES: dict[str, ConversationRule] = {}


def _rule(*providers: Provider) -> Callable[[Problems], Problems]:
    def declare(problems: Problems) -> Problems:
        name = problems.__name__
        RULES[name] = ConversationRule(
            name=name, providers=providers or PROVIDERS, problems=problems
        )
        return problems

    return declare


@_rule()
def calls_are_answered(sent: Conversation) -> Iterator[str]:
    """Each call has a result before the next turn of user or model."""
    waiting: dict[str, str] = {}
    for number, turn in enumerate(sent.messages, start=1):
        if turn.role == "tool":
            waiting.pop(turn.tool_call_id, None)
            continue
        if waiting:
            yield f"Message {number} follows calls without a result: {_listed(waiting.values())}."
        waiting = {str(call.get("id")): str(call.get("name")) for call in turn.tool_calls}
    if waiting:
        yield f"The last message has calls without a result: {_listed(waiting.values())}."


@_rule()
def results_have_calls(sent: Conversation) -> Iterator[str]:
    """Each result belongs to a call of the turn before it."""
    ids: set[str] = set()
    for number, turn in enumerate(sent.messages, start=1):
        if turn.role != "tool":
            ids = {str(call.get("id")) for call in turn.tool_calls}
        elif turn.tool_call_id not in ids:
            yield f"Message {number} is the result of {turn.tool_call_id!r}, which was not called."
        else:
            ids.discard(turn.tool_call_id)


@_rule()
def the_user_begins(sent: Conversation) -> Iterator[str]:
    """The first message is the user's."""
    if not sent.messages or sent.messages[0].role != "user":
        yield "The first message is not the user's."


@_rule()
def the_user_is_last(sent: Conversation) -> Iterator[str]:
    """The last message is the user's or a result, because not every model continues its own."""
    if sent.messages and sent.messages[-1].role == "assistant":
        yield "The last message is the model's."


@_rule("anthropic", "google", "compatible")
def sides_alternate(sent: Conversation) -> Iterator[str]:
    """The user and the model alternate."""
    for number, (one, two) in enumerate(zip(sent.messages, sent.messages[1:], strict=False), 2):
        if one.role == two.role != "tool":
            yield f"Messages {number - 1} and {number} are of the same side."


@_rule()
def no_turn_is_empty(sent: Conversation) -> Iterator[str]:
    """Each message has a text or calls."""
    for number, turn in enumerate(sent.messages, start=1):
        if turn.role != "tool" and not turn.text.strip() and not turn.tool_calls:
            yield f"Message {number} is empty."


@_rule()
def names_are_well_formed(sent: Conversation) -> Iterator[str]:
    """Names of tools have letters, digits, underscores and dashes, 64 at most."""
    names = [tool.name for tool in sent.tools]
    names += [str(call.get("name")) for turn in sent.messages for call in turn.tool_calls]
    for name in dict.fromkeys(names):
        if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", name):
            yield f"The tool name {name[:80]!r} is not accepted."


@_rule()
def names_are_unique(sent: Conversation) -> Iterator[str]:
    """No two tools have one name."""
    seen: set[str] = set()
    for tool in sent.tools:
        if tool.name in seen:
            yield f"Two tools have the name {tool.name!r}."
        seen.add(tool.name)


@_rule()
def ids_are_well_formed(sent: Conversation) -> Iterator[str]:
    """Ids of calls have letters, digits, underscores and dashes, 40 at most, and are unique."""
    seen: set[str] = set()
    for turn in sent.messages:
        for call in turn.tool_calls:
            id = str(call.get("id", ""))
            if not re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", id):
                yield f"The call id {id[:80]!r} is not accepted."
            elif id in seen:
                yield f"Two calls have the id {id!r}."
            seen.add(id)


@_rule()
def parameters_are_objects(sent: Conversation) -> Iterator[str]:
    """The parameters of a tool are the JSON Schema of an object."""
    for tool in sent.tools:
        if tool.parameters.get("type") != "object":
            yield f"The parameters of {tool.name} are not the schema of an object."


@_rule("anthropic")
def parameters_are_plain(sent: Conversation) -> Iterator[str]:
    """Parameters have no combination of schemas at their top, and short names of properties."""
    for tool in sent.tools:
        for word in ("oneOf", "anyOf", "allOf"):
            if word in tool.parameters:
                yield f"The parameters of {tool.name} have {word} at the top."
        for name in _properties(tool.parameters):
            if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name):
                yield f"The parameter {name[:80]!r} of {tool.name} is not accepted."


@_rule()
def references_are_local(sent: Conversation) -> Iterator[str]:
    """Schemas refer to themselves only."""
    schemas = {tool.name: tool.parameters for tool in sent.tools}
    if sent.schema is not None:
        schemas["the answer"] = sent.schema
    for name, schema in schemas.items():
        for target in _references(schema):
            if not target.startswith("#"):
                yield f"The schema of {name} refers to {target[:80]!r}."


@_rule(*CHAT)
def there_are_few_tools(sent: Conversation) -> Iterator[str]:
    """There are 128 tools at most."""
    if len(sent.tools) > 128:
        yield f"There are {len(sent.tools)} tools; 128 are the limit."


@_rule(*CHAT)
def there_are_few_stops(sent: Conversation) -> Iterator[str]:
    """There are 4 stop sequences at most."""
    stops = sent.parameters.get("stop_sequences", sent.parameters.get("stop"))
    if isinstance(stops, list) and len(stops) > 4:
        yield f"There are {len(stops)} stop sequences; 4 are the limit."


def _temperature(sent: Conversation, most: float) -> Iterator[str]:
    given = sent.parameters.get("temperature")
    if isinstance(given, int | float) and not isinstance(given, bool) and not 0 <= given <= most:
        yield f"The temperature {given} is not between 0 and {most:g}."


@_rule("anthropic")
def temperature_is_up_to_one(sent: Conversation) -> Iterator[str]:
    """The temperature is between 0 and 1."""
    return _temperature(sent, 1)


@_rule("openai", "google", "compatible")
def temperature_is_up_to_two(sent: Conversation) -> Iterator[str]:
    """The temperature is between 0 and 2."""
    return _temperature(sent, 2)


def _listed(names: Any) -> str:
    return ", ".join(dict.fromkeys(names))


def _properties(schema: Mapping[str, Any]) -> list[str]:
    properties = schema.get("properties")
    return list(properties) if isinstance(properties, Mapping) else []


def _references(schema: Any) -> Iterator[str]:
    left = [schema]
    while left:
        value = left.pop()
        if isinstance(value, Mapping):
            target = value.get("$ref")
            if isinstance(target, str):
                yield target
            left += value.values()
        elif isinstance(value, list | tuple):
            left += value
