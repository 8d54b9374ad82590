"""Published rules of the providers for a conversation. Each names the providers that enforce it.

Sources: the API references of OpenAI (chat completions), Anthropic (messages) and Google
(generateContent). Compatible servers implement OpenAI's protocol.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from workflows.core.conversation.build import Conversation
from workflows.core.conversation.providers import CHAT, PROVIDERS, Provider
from workflows.core.conversation.tool_parameters import AT_TOP
from workflows.core.json_schemas.document import SchemaDocument
from workflows.core.json_schemas.loops import endless_loops, subschemas

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
    names: set[str] = set()
    for tool in sent.tools:
        if tool.name in names:
            yield f"Two tools have the name {tool.name!r}."
        names.add(tool.name)


@_rule()
def ids_are_well_formed(sent: Conversation) -> Iterator[str]:
    """Ids of calls have letters, digits, underscores and dashes, 40 at most, and are unique."""
    ids: set[str] = set()
    for turn in sent.messages:
        for call in turn.tool_calls:
            id = str(call.get("id", ""))
            if not re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", id):
                yield f"The call id {id[:80]!r} is not accepted."
            elif id in ids:
                yield f"Two calls have the id {id!r}."
            ids.add(id)


@_rule()
def parameters_are_objects(sent: Conversation) -> Iterator[str]:
    """The parameters of a tool are the JSON Schema of an object."""
    for tool in sent.tools:
        if tool.parameters.get("type") != "object":
            yield f"The parameters of {tool.name} are not the schema of an object."


@_rule("openai", "anthropic")
def parameters_are_plain(sent: Conversation) -> Iterator[str]:
    """Parameters have no combination of schemas at their top."""
    for tool in sent.tools:
        for word in AT_TOP:
            if word in tool.parameters:
                yield f"The parameters of {tool.name} have {word} at the top."


@_rule("anthropic")
def parameter_names_are_short(sent: Conversation) -> Iterator[str]:
    """Parameters have names of letters, digits, underscores, dashes and dots, 64 at most."""
    for tool in sent.tools:
        for name in _properties(tool.parameters):
            if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name):
                yield f"The parameter {name[:80]!r} of {tool.name} is not accepted."


@_rule()
def references_are_local(sent: Conversation) -> Iterator[str]:
    """Schemas refer to themselves only."""
    for name, _, references in _referring_schemas(sent):
        for node in references:
            if not node["$ref"].startswith("#"):
                yield f"The schema of {name} refers to {node['$ref'][:80]!r}."


@_rule()
def references_have_targets(sent: Conversation) -> Iterator[str]:
    """A reference leads to a part of its schema."""
    for name, schema, references in _referring_schemas(sent):
        document = SchemaDocument(schema)
        for node in references:
            if node["$ref"].startswith("#") and not any(document.targets(node)):
                yield f"The schema of {name} refers to {node['$ref'][:80]!r}, which is missing."


@_rule("google")
def loops_end(sent: Conversation) -> Iterator[str]:
    """A schema contains itself only in an optional property or in a list that may be empty."""
    for name, schema, _ in _referring_schemas(sent):
        for pointer in endless_loops(schema):
            where = f"at {pointer[:80]!r}" if pointer else "at its top"
            yield f"The schema of {name} requires itself {where}."


@_rule(*CHAT)
def there_are_few_tools(sent: Conversation) -> Iterator[str]:
    """There are 128 tools at most."""
    if len(sent.tools) > 128:
        yield f"There are {len(sent.tools)} tools; 128 are the limit."


def _stops(sent: Conversation) -> list[str]:
    stops = sent.parameters.get("stop_sequences", sent.parameters.get("stop"))
    if isinstance(stops, list):
        return [str(one) for one in stops]
    return [stops] if isinstance(stops, str) else []


@_rule(*CHAT)
def there_are_four_stops(sent: Conversation) -> Iterator[str]:
    """There are 4 stop sequences at most."""
    if len(_stops(sent)) > 4:
        yield f"There are {len(_stops(sent))} stop sequences; 4 are the limit."


@_rule("google")
def there_are_five_stops(sent: Conversation) -> Iterator[str]:
    """There are 5 stop sequences at most."""
    if len(_stops(sent)) > 5:
        yield f"There are {len(_stops(sent))} stop sequences; 5 are the limit."


@_rule("anthropic")
def stops_have_text(sent: Conversation) -> Iterator[str]:
    """A stop sequence is more than white space."""
    for stop in _stops(sent):
        if not stop.strip():
            yield f"The stop sequence {stop[:20]!r} has no text."


def _between(sent: Conversation, name: str, least: float, most: float) -> Iterator[str]:
    value = sent.parameters.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if not least <= value <= most:
        yield f"The {name} {value} is not between {least:g} and {most:g}."


@_rule("anthropic")
def temperature_is_up_to_one(sent: Conversation) -> Iterator[str]:
    """The temperature is between 0 and 1."""
    return _between(sent, "temperature", 0, 1)


@_rule("openai", "google", "compatible")
def temperature_is_up_to_two(sent: Conversation) -> Iterator[str]:
    """The temperature is between 0 and 2."""
    return _between(sent, "temperature", 0, 2)


@_rule()
def top_p_is_a_share(sent: Conversation) -> Iterator[str]:
    """`top_p` is between 0 and 1."""
    return _between(sent, "top_p", 0, 1)


@_rule("openai", "google", "compatible")
def penalties_are_up_to_two(sent: Conversation) -> Iterator[str]:
    """Penalties are between -2 and 2. Anthropic has none, so they are not sent to it."""
    for name in ("presence_penalty", "frequency_penalty"):
        yield from _between(sent, name, -2, 2)


@_rule()
def there_is_room_for_an_answer(sent: Conversation) -> Iterator[str]:
    """An answer has one token at least."""
    limit = sent.parameters.get("max_tokens")
    if isinstance(limit, int | float) and not isinstance(limit, bool) and limit < 1:
        yield f"The max_tokens {limit} leave no room for an answer."


def _listed(names: Any) -> str:
    return ", ".join(dict.fromkeys(names))


def _properties(schema: Mapping[str, Any]) -> list[str]:
    properties = schema.get("properties")
    return list(properties) if isinstance(properties, Mapping) else []


def _referring_schemas(
    sent: Conversation,
) -> Iterator[tuple[str, Mapping[str, Any], list[Mapping[str, Any]]]]:
    """Each schema with references: whose it is, the schema, and its subschemas with one."""
    schemas = [(tool.name, tool.parameters) for tool in sent.tools]
    if sent.schema is not None:
        schemas.append(("the answer", sent.schema))
    for name, schema in schemas:
        references = [node for node in _nodes(schema) if isinstance(node.get("$ref"), str)]
        if references:
            yield name, schema, references


def _nodes(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every subschema of a schema, itself included."""
    left: list[Any] = [schema]
    while left:
        node = left.pop()
        if isinstance(node, Mapping):
            yield node
            left += [item for item, _ in subschemas(node)]
