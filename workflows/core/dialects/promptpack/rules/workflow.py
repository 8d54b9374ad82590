"""Rules over a workflow's names: entry, targets, prompts, events, caps."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.elements import Arrow
from workflows.core.dialects.promptpack.format.parts import ON_MAX_VISITS, Parts, texts, whole, word
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.edits import AddObject, Disconnect, Relabel, Retarget, SetEntry
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note, make_fix, short_list

PASCAL = re.compile(r"[A-Z][a-zA-Z0-9]*")
TOLD = re.compile(
    r"(?:end(?<=\b[Ss]end)|mit(?<=\b[Ee]mit)|ire(?<=\b[Ff]ire)|rigger(?<=\b[Tt]rigger))"
    r"\s+(?:the\s+)?"
    r"(?:[`\"']([A-Z][a-zA-Z0-9]*)[`\"']|([A-Z][a-zA-Z0-9]*)(?=\s+event\b))"
)
"""Where a prompt tells the model to send an event: with the name in quotes, or before "event". It
looks for the ends of the words first, because a pattern that begins with letters is found faster.
"""


@pack_rule("PP201", "error", "Unknown workflow version")
def workflow_version(parts: Parts) -> Iterable[Note]:
    """The version of a workflow is 1 or 2, and runtimes refuse anything else. Version 2 says that
    the author knows of loops, caps and artifacts; then states without a way out are pointed out."""
    version = (parts.workflow or {}).get("version")
    if isinstance(version, int) and not isinstance(version, bool) and version > 2:
        here = ("workflow", "version")
        yield Note(
            message=f"The workflow's version is {version}; there are only 1 and 2.",
            pointer=here,
            fix=set_fix(parts, "Change to 2", here, 2),
        )


@pack_rule("PP202", "error", "Entry is not a state")
def missing_entry(parts: Parts) -> Iterable[Note]:
    """A run begins in the entry state, and this workflow names one that is not there, usually after
    a state was renamed by hand. Nothing can run until the entry names a state."""
    if parts.states and parts.entry and parts.entry not in parts.states:
        near = closest(parts.entry, parts.states) or next(iter(parts.states))
        yield Note(
            message=f"The workflow begins in {parts.entry!r}, which is not a state.",
            pointer=("workflow", "entry"),
            fix=make_fix(f"Begin in {near}", SetEntry(id=near)),
        )


@pack_rule("PP203", "error", "Prompt of a state is missing")
def missing_prompt(parts: Parts) -> Iterable[Note]:
    """The state names a prompt that the pack does not have, so there is nothing to do in it and
    runtimes refuse the pack. Name an existing prompt, or add one with this key."""
    for name, state in parts.states.items():
        task = word(state.get("prompt_task"))
        if task and task not in parts.prompts and state.get("orchestration") != "composition":
            here = ("workflow", "states", name, "prompt_task")
            near = closest(task, parts.prompts)
            yield Note(
                message=f"The state {name!r} uses the prompt {task!r}, which does not exist.",
                pointer=here,
                hint=f"There are {short_list(parts.prompts)}." if parts.prompts else "",
                fix=set_fix(parts, f"Use {near}", here, near)
                if near
                else make_fix(f"Add the prompt {task}", AddObject(kind="prompt", key=task)),
            )


@pack_rule("PP204", "error", "Event leads to a missing state")
def dangling_target(parts: Parts) -> Iterable[Note]:
    """An event leads to a state that is not there, so a run that takes it is stuck. Let the arrow
    end at an existing state, add the missing one, or remove the arrow."""
    for name, events in parts.events.items():
        for event, target in events.items():
            if target not in parts.states:
                near = closest(target, parts.states)
                arrow = Arrow(source=name, event=event, target=target)
                yield Note(
                    message=f"{event!r} leads from {name!r} to {target!r}, which is not a state.",
                    pointer=arrow.pointer,
                    fix=make_fix(f"Lead to {near}", Retarget(transition=arrow.id, target=near))
                    if near
                    else make_fix("Remove the arrow", Disconnect(transition=arrow.id)),
                )


@pack_rule("PP205", "hint", "Event name is not in PascalCase")
def event_name(parts: Parts) -> Iterable[Note]:
    """Events are commonly written like ReviewDone: words together, each with a capital. Other names
    work just as well, but readers and some tools expect this. The prompt may speak of the event by
    its old name, so look there after renaming."""
    for name, events in parts.events.items():
        for event, target in events.items():
            if PASCAL.fullmatch(event):
                continue
            better = pascal(event)
            arrow = Arrow(source=name, event=event, target=target)
            free = better and better not in events
            yield Note(
                message=f"The event {event!r} of {name!r} is not written like ReviewDone.",
                pointer=arrow.pointer,
                hint="If the prompt names the event, change it there as well.",
                fix=make_fix(f"Rename to {better}", Relabel(transition=arrow.id, label=better))
                if free
                else None,
            )


def pascal(name: str) -> str:
    """An event name as it is commonly written, "" where nothing is left of it."""
    words = re.findall(r"[A-Za-z0-9]+", name)
    joined = "".join(part[:1].upper() + part[1:] for part in words)
    return joined if PASCAL.fullmatch(joined) else ""


@pack_rule("PP206", "error", "Unknown persistence")
def persistence(parts: Parts) -> Iterable[Note]:
    """`persistence` says whether the conversation is kept when the state is entered: transient or
    persistent. Runtimes refuse any other word."""
    for name, state in parts.states.items():
        value = state.get("persistence")
        if isinstance(value, str) and value not in ("transient", "persistent"):
            here = ("workflow", "states", name, "persistence")
            near = closest(value, ("transient", "persistent")) or "transient"
            yield Note(
                message=f"The persistence of {name!r} is {value!r}; "
                "there are only transient and persistent.",
                pointer=here,
                fix=set_fix(parts, f"Change to {near}", here, near),
            )


@pack_rule("PP207", "error", "Composition on an ordinary state")
def stray_composition(parts: Parts) -> Iterable[Note]:
    """The state names a composition, but its orchestration is another one, so the composition would
    never run. Set orchestration to composition, or take the name out."""
    for name, state in parts.states.items():
        if "composition" in state and state.get("orchestration") != "composition":
            here = ("workflow", "states", name)
            yield Note(
                message=f"{name!r} names a composition but is not orchestrated by one.",
                pointer=(*here, "composition"),
                fix=set_fix(parts, "Run the composition", (*here, "orchestration"), "composition"),
            )


@pack_rule("PP208", "error", "Composition is missing")
def missing_composition(parts: Parts) -> Iterable[Note]:
    """The state runs a composition that the pack does not have. Name an existing one or add it
    under Compositions."""
    for name, state in parts.states.items():
        wanted = word(state.get("composition"))
        if wanted and wanted not in parts.compositions:
            here = ("workflow", "states", name, "composition")
            near = closest(wanted, parts.compositions)
            yield Note(
                message=f"{name!r} runs the composition {wanted!r}, which does not exist.",
                pointer=here,
                fix=set_fix(parts, f"Run {near}", here, near) if near else None,
            )


@pack_rule("PP209", "error", "Way out of a cap leads nowhere")
def dangling_redirect(parts: Parts) -> Iterable[Note]:
    """Once the state had its visits the run goes to a state that is not there, and is stuck. Not
    every runtime notices this when it loads the pack, so it shows only when the cap is reached."""
    for name, state in parts.states.items():
        target = state.get(ON_MAX_VISITS)
        if isinstance(target, str) and target not in parts.states:
            here = ("workflow", "states", name, ON_MAX_VISITS)
            near = closest(target, parts.states)
            yield Note(
                message=f"When {name!r} had its visits, the run goes to {target!r}, "
                "which is not a state.",
                pointer=here,
                fix=set_fix(parts, f"Go to {near}", here, near)
                if near
                else unset_fix(parts, "Remove the way out", here),
            )


@pack_rule("PP210", "warning", "Way out leads to another cap")
def guarded_redirect(parts: Parts) -> Iterable[Note]:
    """The state that a run is sent to has a cap of its own. Redirects go one hop only: that second
    cap is not looked at, and the state is entered more often than it says. Send the run to a state
    without a cap, best to an end."""
    for name, state in parts.states.items():
        target = word(state.get(ON_MAX_VISITS))
        if target != name and whole(parts.states.get(target, {}).get("max_visits")):
            yield Note(
                message=f"{name!r} sends runs to {target!r}, whose own cap does not hold then.",
                pointer=("workflow", "states", name, ON_MAX_VISITS),
            )


@pack_rule("PP211", "warning", "Way out leads back to the state itself")
def self_redirect(parts: Parts) -> Iterable[Note]:
    """The cap sends the run to the very state that had all its visits, and since redirects are not
    checked again, the cap has no effect at all. Name another state."""
    for name, state in parts.states.items():
        if state.get(ON_MAX_VISITS) == name:
            here = ("workflow", "states", name, ON_MAX_VISITS)
            yield Note(
                message=f"The cap of {name!r} leads back to {name!r} and so never holds.",
                pointer=here,
                fix=unset_fix(parts, "Remove the way out", here),
            )


@pack_rule("PP212", "warning", "Way out without a cap")
def redirect_without_cap(parts: Parts) -> Iterable[Note]:
    """`on_max_visits` says where to go when the cap is reached, but the state has no `max_visits`,
    so that never happens. Set a cap or remove the way out."""
    for name, state in parts.states.items():
        if ON_MAX_VISITS in state and "max_visits" not in state:
            here = ("workflow", "states", name)
            yield Note(
                message=f"{name!r} has a way out for a cap, but no cap.",
                pointer=(*here, ON_MAX_VISITS),
                fix=set_fix(parts, "Allow 3 visits", (*here, "max_visits"), 3),
            )


@pack_rule("PP213", "warning", "Arrows out of an end")
def terminal_with_events(parts: Parts) -> Iterable[Note]:
    """The state is marked as an end, so its arrows never fire. Either it is no end, or the arrows
    are left over."""
    for name, state in parts.states.items():
        if state.get("terminal") is True and texts(state.get("on_event")):
            here = ("workflow", "states", name, "terminal")
            yield Note(
                message=f"{name!r} ends the run, so its arrows never fire.",
                pointer=here,
                fix=unset_fix(parts, "Not an end", here),
            )


@pack_rule("PP214", "warning", "State without a way out")
def dead_end(parts: Parts) -> Iterable[Note]:
    """Version 2 workflows are expected to mark their ends. This state has no arrow, no cap and no
    mark, so it is unclear whether the run shall end here or whether an arrow is missing. Mark it as
    terminal, or draw an arrow."""
    if (parts.workflow or {}).get("version") not in (2,):
        return
    for name, state in parts.states.items():
        if state.get("terminal") is not True and not state.get("on_event"):
            if whole(state.get("max_visits")):
                continue
            here = ("workflow", "states", name)
            yield Note(
                message=f"{name!r} has no arrow out of it and is not marked as an end.",
                pointer=here,
                fix=set_fix(parts, "Mark as an end", (*here, "terminal"), True),
            )


@pack_rule("PP215", "warning", "Nobody can send an event")
def external_without_events(parts: Parts) -> Iterable[Note]:
    """The state waits for an event from outside, but it has none, so there is nothing to wait for
    and the run ends here. Draw an arrow, or let the model lead on."""
    for name, state in parts.states.items():
        waits = state.get("orchestration") == "external" and state.get("terminal") is not True
        if waits and not parts.events[name]:
            yield Note(
                message=f"{name!r} waits for an event from outside but has none.",
                pointer=("workflow", "states", name, "orchestration"),
            )


@pack_rule("PP228", "hint", "Prompt speaks of an event that is not there")
def spoken_event(parts: Parts) -> Iterable[Note]:
    """The prompt tells the model to send an event that no state with this prompt has, often the old
    name of one that was renamed. The model sees the real names in a list, so it may still find its
    way, but the two should agree."""
    for key, states in parts.users.items():
        text = word(parts.prompts.get(key, {}).get("system_template"))
        known = {event for name in states for event in parts.events[name]}
        told = dict.fromkeys(name for found in TOLD.findall(text) for name in found if name)
        for event in told if known else ():
            if event not in known:
                near = closest(event, known)
                yield Note(
                    message=f"The prompt {key!r} speaks of the event {event!r}, "
                    "which leads nowhere.",
                    pointer=("prompts", key, "system_template"),
                    hint=f"Did you mean {near!r}?" if near else "",
                )
