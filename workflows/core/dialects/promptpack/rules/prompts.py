"""Rules about prompts and tools: references, unused objects, providers, media."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.promptpack.format.parts import Object, Parts, Pointer, skill_label
from workflows.core.dialects.promptpack.format.references import used_tools
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.edits import AddObject, RemoveObject
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix
from workflows.core.text.tolerant import as_list, as_object, as_str, as_str_list, indexed_objects


@pack_rule("PP320", "warning", "Prompt uses a missing tool", profiles=EVERY)
def missing_tool(parts: Parts) -> Iterable[Note]:
    """The prompt lists a tool that the pack does not define. The host may provide it; otherwise
    runtimes omit it without a warning and the model cannot call it. Define the tool, or correct its
    name."""
    for key, prompt in parts.prompts.items():
        for index, name in enumerate(as_list(prompt.get("tools"))):
            if not isinstance(name, str) or name in parts.tools or name in parts.members:
                continue
            if name in parts.prompts or "__" in name:
                continue
            here = ("prompts", key, "tools", index)
            near = closest_name(name, parts.tools)
            yield Note(
                message=f"Prompt {key!r} lists tool {name!r}, which is not defined.",
                pointer=here,
                hint="Tools that the host provides need no definition here.",
                fix=set_fix(parts, f"Use {near}", here, near)
                if near
                else make_fix(f"Define {name}", AddObject(kind="tool", key=name)),
            )


@pack_rule("PP321", "hint", "Tool is never used", profiles=EVERY)
def unused_tool(parts: Parts) -> Iterable[Note]:
    """No prompt and no step lists this tool, so no model receives it. List it in a prompt, or
    remove it."""
    if not parts.tools:
        return
    used = used_tools(parts)
    for key in parts.tools:
        if key not in used:
            yield Note(
                message=f"Tool {key!r} is never used.",
                pointer=("tools", key),
                fix=make_fix("Remove it", RemoveObject(element=f"tool:{key}")),
            )


@pack_rule("PP322", "hint", "Tool key and name differ", profiles=EVERY)
def tool_name(parts: Parts) -> Iterable[Note]:
    """Prompts list a tool by its key, and the model sees the key too; the name inside is for
    display. If the two differ, logs and prompts use two names for one tool."""
    for key, tool in parts.tools.items():
        name = as_str(tool.get("name"))
        if name.isidentifier() and name != key:
            here = ("tools", key, "name")
            yield Note(
                message=f"Tool {key!r} has a different name: {name!r}.",
                pointer=here,
                fix=set_fix(parts, f"Change the name to {key}", here, key)
                if key.isidentifier()
                else None,
            )


@pack_rule("PP323", "warning", "Required argument is not defined", profiles=EVERY)
def required_argument(parts: Parts) -> Iterable[Note]:
    """The tool requires an argument that its `properties` do not describe, so the model has no
    information about its value. Describe the argument, or remove it from `required`."""
    for key, tool in parts.tools.items():
        schema = tool.get("parameters")
        if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
            continue
        for name in as_str_list(schema.get("required")):
            if name not in schema["properties"]:
                here = ("tools", key, "parameters", "properties", name)
                yield Note(
                    message=f"Tool {key!r} does not describe the required argument {name!r}.",
                    pointer=("tools", key, "parameters", "required"),
                    fix=set_fix(parts, f"Describe {name}", here, {"type": "string"}),
                )


@pack_rule("PP324", "hint", "Blocked tool is not listed", profiles=EVERY)
def blocked_but_not_listed(parts: Parts) -> Iterable[Note]:
    """The policy blocks a tool that this prompt does not list. The entry has no effect unless the
    host adds the tool. The name may be misspelt."""
    for key, prompt in parts.prompts.items():
        policy = prompt.get("tool_policy")
        if not isinstance(policy, dict):
            continue
        for index, name in enumerate(as_list(policy.get("blocklist"))):
            if isinstance(name, str) and name not in as_str_list(prompt.get("tools")):
                here = ("prompts", key, "tool_policy", "blocklist", index)
                yield Note(
                    message=f"Prompt {key!r} blocks tool {name!r}, which it does not list.",
                    pointer=here,
                    fix=unset_fix(parts, "Remove it", here),
                )


@pack_rule("PP325", "hint", "Prompt is never used", profiles=EVERY)
def unused_prompt(parts: Parts) -> Iterable[Note]:
    """No state, agent, step or other prompt uses this prompt, so no run of the workflow reaches it.
    A host may still open it by its key. Otherwise, remove it."""
    if parts.workflow is None:
        return
    used = set(parts.users) | set(parts.members) | {as_str((parts.agents or {}).get("entry"))}
    used |= {as_str(step.get("prompt_task")) for _, step in parts.steps}
    used |= {name for prompt in parts.prompts.values() for name in as_str_list(prompt.get("tools"))}
    for key in parts.prompts:
        if key not in used:
            yield Note(
                message=f"Prompt {key!r} is never used.",
                pointer=("prompts", key),
                fix=make_fix("Remove it", RemoveObject(element=f"prompt:{key}")),
            )


@pack_rule("PP326", "error", "Provider is not declared", profiles=EVERY)
def missing_provider(parts: Parts) -> Iterable[Note]:
    """A prompt or step names a provider that `requires.providers` does not list, so a host cannot
    prepare it. Only `default` needs no entry. Declare the provider or correct its key."""
    users = [(("prompts", key, "provider"), item) for key, item in parts.prompts.items()]
    users += [((*pointer, "provider"), step) for pointer, step in parts.steps]  # type: ignore[misc]
    for pointer, item in users:
        name = item.get("provider")
        if isinstance(name, str) and name != "default" and name not in parts.providers:
            near = closest_name(name, parts.providers)
            yield Note(
                message=f"Provider {name!r} is not declared in requires.providers.",
                pointer=pointer,
                fix=set_fix(parts, f"Use {near}", pointer, near)
                if near
                else make_fix(f"Declare {name}", AddObject(kind="provider", key=name)),
            )


@pack_rule("PP327", "error", "Provider declared twice", profiles=EVERY)
def repeated_provider(parts: Parts) -> Iterable[Note]:
    """Two required providers have the same key, and only the first is used. Rename or remove one of
    them."""
    needs = as_object(parts.tree.get("requires")).get("providers")
    keys: set[str] = set()
    for index, need in enumerate(as_list(needs)):
        key = need if isinstance(need, str) else as_object(need).get("key")
        if isinstance(key, str) and key in keys:
            here = ("requires", "providers", index)
            yield Note(
                message=f"Provider {key!r} is declared twice.",
                pointer=here,
                fix=unset_fix(parts, "Remove the second entry", here),
            )
        keys.add(str(key))


@pack_rule("PP328", "warning", "Unsuitable provider", profiles=EVERY)
def doubtful_provider(parts: Parts) -> Iterable[Note]:
    """A prompt or step uses a provider that is optional, or that is not a language model. An
    optional provider may be missing when the prompt is reached. Another kind of model cannot hold a
    conversation, and in a step it works only if `output_schema` describes its result. Use a
    required language model here."""
    for pointer, item, talks in _provider_users(parts):
        provider = parts.providers.get(as_str(item.get("provider")))
        if provider is None:
            continue
        _, need = provider
        kind = "Step" if pointer[0] == "compositions" else "Prompt"
        what = f"{kind} {_name_of(pointer, item)!r}"
        here = (*pointer, "provider")
        if need.get("required") is False:
            yield Note(
                message=f"{what} uses an optional provider, which may be missing.", pointer=here
            )
        if as_str(need.get("role")) not in ("", "llm") and talks:
            yield Note(
                message=f"{what} uses a provider with the role {need['role']!r}, not llm.",
                pointer=here,
            )


def _provider_users(parts: Parts) -> Iterator[tuple[Pointer, Object, bool]]:
    """The prompts and steps that may name a provider, each with whether it needs a conversation."""
    for key, prompt in parts.prompts.items():
        yield ("prompts", key), prompt, key in parts.users
    for pointer, step in parts.steps:
        yield pointer, step, step.get("kind") == "prompt" and "output_schema" not in step


def _name_of(pointer: Pointer, item: Object) -> str:
    return str(pointer[1]) if pointer[0] == "prompts" else as_str(item.get("id"))


@pack_rule("PP329", "warning", "Contradictory media settings", profiles=EVERY)
def media(parts: Parts) -> Iterable[Note]:
    """Media are enabled without a list of accepted types, or an example message has a file with no
    source or several, or a part has no content or two. Hosts then refuse the pack or guess."""
    for key, prompt in parts.prompts.items():
        block = prompt.get("media")
        if not isinstance(block, dict):
            continue
        here = ("prompts", key, "media")
        if block.get("enabled") is True and not block.get("supported_types"):
            kinds = [kind for kind in ("image", "audio", "video", "document") if kind in block]
            yield Note(
                message=f"Prompt {key!r} enables media without supported_types.",
                pointer=here,
                fix=set_fix(
                    parts, "Add supported_types", (*here, "supported_types"), kinds or ["image"]
                ),
            )
        for index, example in indexed_objects(block.get("examples")):
            for at, part in indexed_objects(example.get("parts")):
                problem = _wrong_part(part)
                if problem:
                    yield Note(
                        message=f"An example part in the media of prompt {key!r} {problem}.",
                        pointer=(*here, "examples", index, "parts", at),
                    )


def _wrong_part(part: object) -> str:
    if not isinstance(part, dict):
        return ""
    if part.get("type") == "text":
        return "" if part.get("text") else "has the type text but no text"
    file = part.get("media")
    if not isinstance(file, dict):
        return "has no file"
    if part.get("text"):
        return "has both a text and a file"
    sources = [name for name in ("file_path", "url", "base64") if file.get(name)]
    return "" if len(sources) == 1 else f"has {len(sources)} sources instead of one"


@pack_rule("PP330", "warning", "Skill listed twice or outside the pack", profiles=EVERY)
def skills(parts: Parts) -> Iterable[Note]:
    """Two skill sources have the same name or path, and only the first one is used; or a path leads
    out of the pack's folder, which hosts refuse. Remove or correct the entry."""
    sources = parts.tree.get("skills")
    labels: set[str] = set()
    for index, item in enumerate(as_list(sources)):
        label = skill_label(item)
        here = ("skills", index)
        if label and label in labels:
            yield Note(
                message=f"Skill {label!r} is listed twice.",
                pointer=here,
                fix=unset_fix(parts, "Remove the second entry", here),
            )
        elif ".." in label.split("/") or label.startswith("/"):
            yield Note(
                message=f"The path of skill {label!r} leads out of the pack's folder.", pointer=here
            )
        labels.add(label)
