"""Rules over prompts and tools: what they name, what nobody uses, providers, media."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.promptpack.format.parts import (
    Object,
    Parts,
    Pointer,
    listed,
    skill_label,
    word,
    words,
)
from workflows.core.dialects.promptpack.format.references import used_tools
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.edits import AddObject, RemoveObject
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note, make_fix


@pack_rule("PP320", "warning", "Tool is missing")
def missing_tool(parts: Parts) -> Iterable[Note]:
    """The prompt lists a tool that the pack does not define. It may come from the host, but where
    it does not, runtimes leave it out without a word and the model cannot call it. Define the tool,
    or correct its name."""
    for key, prompt in parts.prompts.items():
        listed_tools = prompt.get("tools")
        for index, name in enumerate(listed_tools if isinstance(listed_tools, list) else []):
            if not isinstance(name, str) or name in parts.tools or name in parts.members:
                continue
            if name in parts.prompts or "__" in name:
                continue
            here = ("prompts", key, "tools", index)
            near = closest(name, parts.tools)
            yield Note(
                message=f"The prompt {key!r} lists the tool {name!r}, which is not defined.",
                pointer=here,
                hint="Tools of the host need no definition here.",
                fix=set_fix(parts, f"Use {near}", here, near)
                if near
                else make_fix(f"Define {name}", AddObject(kind="tool", key=name)),
            )


@pack_rule("PP321", "hint", "Tool is never used")
def unused_tool(parts: Parts) -> Iterable[Note]:
    """No prompt and no step lists this tool, so no model ever sees it. List it where it is needed,
    or remove it."""
    if not parts.tools:
        return
    used = used_tools(parts)
    for key in parts.tools:
        if key not in used:
            yield Note(
                message=f"No prompt uses the tool {key!r}.",
                pointer=("tools", key),
                fix=make_fix("Remove it", RemoveObject(element=f"tool:{key}")),
            )


@pack_rule("PP322", "hint", "Tool key and name differ")
def tool_name(parts: Parts) -> Iterable[Note]:
    """Prompts list a tool by its key, and the model sees the key too; the name inside is for
    display. Where they differ, logs and prompts speak of one tool under two names."""
    for key, tool in parts.tools.items():
        name = word(tool.get("name"))
        if name.isidentifier() and name != key:
            here = ("tools", key, "name")
            yield Note(
                message=f"The tool {key!r} calls itself {name!r}.",
                pointer=here,
                fix=set_fix(parts, f"Name it {key}", here, key) if key.isidentifier() else None,
            )


@pack_rule("PP323", "warning", "Required argument is not defined")
def required_argument(parts: Parts) -> Iterable[Note]:
    """The tool requires an argument that its properties do not describe, so the model does not know
    what to put there. Describe it, or take it off the list."""
    for key, tool in parts.tools.items():
        schema = tool.get("parameters")
        if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
            continue
        for name in words(schema.get("required")):
            if name not in schema["properties"]:
                here = ("tools", key, "parameters", "properties", name)
                yield Note(
                    message=f"The tool {key!r} requires {name!r}, which it does not describe.",
                    pointer=("tools", key, "parameters", "required"),
                    fix=set_fix(parts, f"Describe {name}", here, {"type": "string"}),
                )


@pack_rule("PP324", "hint", "Blocked tool is not listed")
def blocked_but_not_listed(parts: Parts) -> Iterable[Note]:
    """The policy blocks a tool that this prompt does not list. Blocking it has no effect unless the
    host adds it. The name may be misspelt."""
    for key, prompt in parts.prompts.items():
        policy = prompt.get("tool_policy")
        if not isinstance(policy, dict):
            continue
        blocked = policy.get("blocklist")
        for index, name in enumerate(blocked if isinstance(blocked, list) else []):
            if isinstance(name, str) and name not in words(prompt.get("tools")):
                here = ("prompts", key, "tool_policy", "blocklist", index)
                yield Note(
                    message=f"The prompt {key!r} blocks {name!r}, which it does not list.",
                    pointer=here,
                    fix=unset_fix(parts, "Remove it", here),
                )


@pack_rule("PP325", "hint", "Prompt is never used")
def unused_prompt(parts: Parts) -> Iterable[Note]:
    """No state, agent, step or other prompt uses this one, so no run of the workflow gets to it. A
    host may still open it by its key. Remove it if it is left over."""
    if parts.workflow is None:
        return
    used = set(parts.users) | set(parts.members) | {word((parts.agents or {}).get("entry"))}
    used |= {word(step.get("prompt_task")) for _, step in parts.steps}
    used |= {name for prompt in parts.prompts.values() for name in words(prompt.get("tools"))}
    for key in parts.prompts:
        if key not in used:
            yield Note(
                message=f"No state uses the prompt {key!r}.",
                pointer=("prompts", key),
                fix=make_fix("Remove it", RemoveObject(element=f"prompt:{key}")),
            )


@pack_rule("PP326", "error", "Provider is not declared")
def missing_provider(parts: Parts) -> Iterable[Note]:
    """A prompt or step wants to be answered by a provider that `requires.providers` does not list,
    so a host cannot know what to bring. Only `default` needs no entry. Declare the provider or
    correct its key."""
    users = [(("prompts", key, "provider"), item) for key, item in parts.prompts.items()]
    users += [((*pointer, "provider"), step) for pointer, step in parts.steps]  # type: ignore[misc]
    for pointer, item in users:
        name = item.get("provider")
        if isinstance(name, str) and name != "default" and name not in parts.providers:
            near = closest(name, parts.providers)
            yield Note(
                message=f"The provider {name!r} is not among the required ones.",
                pointer=pointer,
                fix=set_fix(parts, f"Use {near}", pointer, near)
                if near
                else make_fix(f"Declare {name}", AddObject(kind="provider", key=name)),
            )


@pack_rule("PP327", "error", "Provider declared twice")
def repeated_provider(parts: Parts) -> Iterable[Note]:
    """Two required providers have the same key, so it is unclear which one is meant. Rename or
    remove one of them."""
    requires = parts.tree.get("requires")
    needs = requires.get("providers") if isinstance(requires, dict) else None
    seen: set[str] = set()
    for index, need in enumerate(needs if isinstance(needs, list) else []):
        key = need if isinstance(need, str) else need.get("key") if isinstance(need, dict) else None
        if isinstance(key, str) and key in seen:
            here = ("requires", "providers", index)
            yield Note(
                message=f"The provider {key!r} is declared twice.",
                pointer=here,
                fix=unset_fix(parts, "Remove the second one", here),
            )
        seen.add(str(key))


@pack_rule("PP328", "warning", "Provider that may not do")
def doubtful_provider(parts: Parts) -> Iterable[Note]:
    """A prompt or step is answered by a provider that is optional, or that is no language model. In
    the first case it may be missing when the prompt is reached; in the second it cannot hold a
    conversation, and as a step it only works where `output_schema` says what comes back. Use a
    required language model here."""
    for pointer, item, talks in _answered(parts):
        found = parts.providers.get(word(item.get("provider")))
        if found is None:
            continue
        _, need = found
        what = (
            f"The {'step' if pointer[0] == 'compositions' else 'prompt'} {_called(pointer, item)!r}"
        )
        here = (*pointer, "provider")
        if need.get("required") is False:
            yield Note(message=f"{what} relies on an optional provider.", pointer=here)
        if word(need.get("role")) not in ("", "llm") and talks:
            yield Note(
                message=f"{what} is answered by a provider for {need['role']}.", pointer=here
            )


def _answered(parts: Parts) -> Iterator[tuple[Pointer, Object, bool]]:
    """Prompts and steps that may name a provider, and whether it has to hold a conversation."""
    for key, prompt in parts.prompts.items():
        yield ("prompts", key), prompt, key in parts.users
    for pointer, step in parts.steps:
        yield pointer, step, step.get("kind") == "prompt" and "output_schema" not in step


def _called(pointer: Pointer, item: Object) -> str:
    return str(pointer[1]) if pointer[0] == "prompts" else word(item.get("id"))


@pack_rule("PP329", "warning", "Media settings that contradict each other")
def media(parts: Parts) -> Iterable[Note]:
    """Media are switched on without saying which kinds are taken, or an example message names none
    or several sources for a file, or a part has no content or two. Hosts then refuse or guess."""
    for key, prompt in parts.prompts.items():
        block = prompt.get("media")
        if not isinstance(block, dict):
            continue
        here = ("prompts", key, "media")
        if block.get("enabled") is True and not block.get("supported_types"):
            kinds = [kind for kind in ("image", "audio", "video", "document") if kind in block]
            yield Note(
                message=f"{key!r} takes media but does not say which kinds.",
                pointer=here,
                fix=set_fix(
                    parts, "Say which kinds", (*here, "supported_types"), kinds or ["image"]
                ),
            )
        for index, example in listed(block.get("examples")):
            for at, part in listed(example.get("parts")):
                wrong = _wrong_part(part)
                if wrong:
                    yield Note(
                        message=f"A part of an example of {key!r} {wrong}.",
                        pointer=(*here, "examples", index, "parts", at),
                    )


def _wrong_part(part: object) -> str:
    if not isinstance(part, dict):
        return ""
    if part.get("type") == "text":
        return "" if part.get("text") else "is text without a text"
    file = part.get("media")
    if not isinstance(file, dict):
        return "has no file"
    if part.get("text"):
        return "has a text beside its file"
    sources = [name for name in ("file_path", "url", "base64") if file.get(name)]
    return "" if len(sources) == 1 else f"has {len(sources)} sources instead of one"


@pack_rule("PP330", "warning", "Skill listed twice or outside")
def skills(parts: Parts) -> Iterable[Note]:
    """Two sources of skills have the same name or path, and only the first one counts. Or a path
    leads out of the pack's folder, and hosts refuse to follow it. Remove or correct it."""
    sources = parts.tree.get("skills")
    seen: set[str] = set()
    for index, item in enumerate(sources if isinstance(sources, list) else []):
        label = skill_label(item)
        here = ("skills", index)
        if label and label in seen:
            yield Note(
                message=f"The skill {label!r} is listed twice.",
                pointer=here,
                fix=unset_fix(parts, "Remove the second one", here),
            )
        elif ".." in label.split("/") or label.startswith("/"):
            yield Note(message=f"The skill {label!r} lies outside the pack's folder.", pointer=here)
        seen.add(label)
