"""Rules over agents: who is one, where they begin, what they take and whom they call."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import Parts, word
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.edits import AddObject
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note, make_fix


@pack_rule("PP401", "error", "Entry is not an agent")
def missing_entry(parts: Parts) -> Iterable[Note]:
    """The agents' entry names a prompt that is not among the members, so runtimes refuse the pack.
    Name a member, or make that prompt one."""
    entry = word((parts.agents or {}).get("entry"))
    if entry and parts.members and entry not in parts.members:
        near = closest(entry, parts.members) or next(iter(parts.members))
        here = ("agents", "entry")
        yield Note(
            message=f"The agents begin with {entry!r}, which is not one of them.",
            pointer=here,
            fix=make_fix(f"Make {entry} an agent", AddObject(kind="agent", key=entry))
            if entry in parts.prompts
            else set_fix(parts, f"Begin with {near}", here, near),
        )


@pack_rule("PP402", "error", "Agent without a prompt")
def member_without_prompt(parts: Parts) -> Iterable[Note]:
    """An agent is a prompt under another light: its key has to be the key of a prompt. This one is
    not, so there is nothing it could do. Rename it or add the prompt."""
    for key in parts.members:
        if key not in parts.prompts:
            yield Note(
                message=f"The agent {key!r} has no prompt of that name.",
                pointer=("agents", "members", key),
                fix=make_fix(f"Add the prompt {key}", AddObject(kind="prompt", key=key)),
            )


@pack_rule("PP403", "error", "Agent begins in a missing state")
def member_state(parts: Parts) -> Iterable[Note]:
    """Calling this agent runs the workflow from a certain state on, but the pack has no workflow,
    or no such state in it. Name a state, or take the field out."""
    for key, member in parts.members.items():
        state = member.get("state")
        if isinstance(state, str) and state not in parts.states:
            here = ("agents", "members", key, "state")
            near = closest(state, parts.states)
            why = "which is not a state" if parts.states else "but the pack has no workflow"
            yield Note(
                message=f"The agent {key!r} begins in {state!r}, {why}.",
                pointer=here,
                fix=set_fix(parts, f"Begin in {near}", here, near)
                if near
                else unset_fix(parts, "Take the state out", here),
            )


@pack_rule("PP404", "warning", "Not a MIME type")
def modes(parts: Parts) -> Iterable[Note]:
    """What an agent takes and gives is named by MIME types such as text/plain: two words with one
    slash between them. Routers cannot match anything else."""
    for key, member in parts.members.items():
        for field in ("input_modes", "output_modes"):
            value = member.get(field)
            for index, mode in enumerate(value if isinstance(value, list) else []):
                if isinstance(mode, str) and not _is_mime(mode):
                    here = ("agents", "members", key, field, index)
                    yield Note(
                        message=f"{mode!r} of the agent {key!r} is not a MIME type.",
                        pointer=here,
                        fix=set_fix(parts, "Change to text/plain", here, "text/plain"),
                    )


def _is_mime(text: str) -> bool:
    first, slash, second = text.partition("/")
    return bool(first and slash and second and "/" not in second)


@pack_rule("PP405", "warning", "Empty tag")
def empty_tag(parts: Parts) -> Iterable[Note]:
    """A tag without a word in it cannot be searched for. Remove it."""
    for key, member in parts.members.items():
        tags = member.get("tags")
        for index, tag in enumerate(tags if isinstance(tags, list) else []):
            if isinstance(tag, str) and not tag.strip():
                here = ("agents", "members", key, "tags", index)
                yield Note(
                    message=f"The agent {key!r} has an empty tag.",
                    pointer=here,
                    fix=unset_fix(parts, "Remove it", here),
                )


@pack_rule("PP406", "warning", "Agent that calls itself")
def calls_itself(parts: Parts) -> Iterable[Note]:
    """The agent's prompt lists the agent itself as a tool, so it could call itself without end.
    Remove it from the list."""
    for key in parts.members:
        tools = parts.prompts.get(key, {}).get("tools")
        for index, name in enumerate(tools if isinstance(tools, list) else []):
            if name == key and key not in parts.tools:
                here = ("prompts", key, "tools", index)
                yield Note(
                    message=f"The agent {key!r} may call itself.",
                    pointer=here,
                    fix=unset_fix(parts, "Remove it", here),
                )


@pack_rule("PP407", "warning", "Calls a prompt that is no agent")
def calls_a_prompt(parts: Parts) -> Iterable[Note]:
    """The prompt lists another prompt as a tool, but that one is not among the agents, so it cannot
    be called. Make it an agent, or remove it from the list."""
    if parts.agents is None:
        return
    for key, prompt in parts.prompts.items():
        tools = prompt.get("tools")
        for index, name in enumerate(tools if isinstance(tools, list) else []):
            if not isinstance(name, str) or name in parts.tools or name in parts.members:
                continue
            if name in parts.prompts:
                yield Note(
                    message=f"{key!r} lists {name!r} as a tool, which is a prompt but no agent.",
                    pointer=("prompts", key, "tools", index),
                    fix=make_fix(f"Make {name} an agent", AddObject(kind="agent", key=name)),
                )
