"""Rules about agents: members, entry, modes and calls."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.edits import AddObject
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix
from workflows.core.text.tolerant import as_list, as_str


@pack_rule("PP401", "error", "Entry agent does not exist", profiles=EVERY)
def missing_entry(parts: Parts) -> Iterable[Note]:
    """The agents' entry names a prompt that is not a member, so runtimes refuse the pack. Name a
    member, or add the prompt to the members."""
    entry = as_str((parts.agents or {}).get("entry"))
    if entry and parts.members and entry not in parts.members:
        near = closest_name(entry, parts.members) or next(iter(parts.members))
        here = ("agents", "entry")
        yield Note(
            message=f"The entry {entry!r} is not a member of the agents.",
            pointer=here,
            fix=make_fix(f"Make {entry} an agent", AddObject(kind="agent", key=entry))
            if entry in parts.prompts
            else set_fix(parts, f"Use {near}", here, near),
        )


@pack_rule("PP402", "error", "Agent without a prompt", profiles=EVERY)
def member_without_prompt(parts: Parts) -> Iterable[Note]:
    """An agent publishes a prompt: its key must be the key of a prompt. No prompt has this key.
    Rename the agent or add the prompt."""
    for key in parts.members:
        if key not in parts.prompts:
            yield Note(
                message=f"Agent {key!r} has no prompt with the same key.",
                pointer=("agents", "members", key),
                fix=make_fix(f"Add prompt {key}", AddObject(kind="prompt", key=key)),
            )


@pack_rule("PP403", "error", "Agent starts at a missing state", profiles=EVERY)
def member_state(parts: Parts) -> Iterable[Note]:
    """A call to this agent runs the workflow from a given state, but the pack has no workflow, or
    the workflow has no such state. Name an existing state, or remove the field."""
    for key, member in parts.members.items():
        state = member.get("state")
        if isinstance(state, str) and state not in parts.states:
            here = ("agents", "members", key, "state")
            near = closest_name(state, parts.states)
            why = "a missing state" if parts.states else "but the pack has no workflow"
            yield Note(
                message=f"Agent {key!r} starts at {state!r}, {why}.",
                pointer=here,
                fix=set_fix(parts, f"Start at {near}", here, near)
                if near
                else unset_fix(parts, "Remove the state", here),
            )


@pack_rule("PP404", "warning", "Not a MIME type", profiles=EVERY)
def modes(parts: Parts) -> Iterable[Note]:
    """The input and output modes of an agent are MIME types such as text/plain: two words separated
    by one slash. Routers cannot match anything else."""
    for key, member in parts.members.items():
        for field in ("input_modes", "output_modes"):
            for index, mode in enumerate(as_list(member.get(field))):
                if isinstance(mode, str) and not is_mime(mode):
                    here = ("agents", "members", key, field, index)
                    yield Note(
                        message=f"Mode {mode!r} of agent {key!r} is not a MIME type.",
                        pointer=here,
                        fix=set_fix(parts, "Change to text/plain", here, "text/plain"),
                    )


def is_mime(text: str) -> bool:
    """Return whether the text has the form of a MIME type: two words around one slash."""
    first, slash, second = text.partition("/")
    return bool(first and slash and second and "/" not in second)


@pack_rule("PP405", "warning", "Empty tag", profiles=EVERY)
def empty_tag(parts: Parts) -> Iterable[Note]:
    """A search cannot find an agent by a tag that is empty or contains only spaces. Remove it."""
    for key, member in parts.members.items():
        for index, tag in enumerate(as_list(member.get("tags"))):
            if isinstance(tag, str) and not tag.strip():
                here = ("agents", "members", key, "tags", index)
                yield Note(
                    message=f"Agent {key!r} has an empty tag.",
                    pointer=here,
                    fix=unset_fix(parts, "Remove the tag", here),
                )


@pack_rule("PP406", "warning", "Agent that calls itself", profiles=EVERY)
def calls_itself(parts: Parts) -> Iterable[Note]:
    """The agent's prompt lists the agent itself as a tool, so it can call itself without end.
    Remove it from the list."""
    for key in parts.members:
        for index, name in enumerate(as_list(parts.prompts.get(key, {}).get("tools"))):
            if name == key and key not in parts.tools:
                here = ("prompts", key, "tools", index)
                yield Note(
                    message=f"Agent {key!r} lists itself as a tool.",
                    pointer=here,
                    fix=unset_fix(parts, "Remove it from the list", here),
                )


@pack_rule("PP407", "warning", "Tool is a prompt but not an agent", profiles=EVERY)
def calls_a_prompt(parts: Parts) -> Iterable[Note]:
    """The prompt lists another prompt as a tool, but that prompt is not an agent, so it cannot be
    called. Add it to the agents, or remove it from the list."""
    if parts.agents is None:
        return
    for key, prompt in parts.prompts.items():
        for index, name in enumerate(as_list(prompt.get("tools"))):
            if not isinstance(name, str) or name in parts.tools or name in parts.members:
                continue
            if name in parts.prompts:
                yield Note(
                    message=f"Prompt {key!r} lists {name!r}, a prompt that is not an agent.",
                    pointer=("prompts", key, "tools", index),
                    fix=make_fix(f"Make {name} an agent", AddObject(kind="agent", key=name)),
                )
