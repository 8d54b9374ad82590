"""Rules about the names in a workflow: entry, targets, prompts, events, visit caps."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.elements import StateTransition
from workflows.core.dialects.promptpack.format.parts import ON_MAX_VISITS, Parts
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.edits import AddObject, Disconnect, Relabel, Retarget, SetEntry
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name, did_you_mean
from workflows.core.rules.kit import Note, make_fix, short_list
from workflows.core.text.ascii_names import ascii_name
from workflows.core.text.tolerant import as_positive_int, as_str, as_str_map

PASCAL = re.compile(r"[A-Z][a-zA-Z0-9]*")
EVENT_INSTRUCTION = re.compile(
    r"(?:end(?<=\b[Ss]end)|mit(?<=\b[Ee]mit)|ire(?<=\b[Ff]ire)|rigger(?<=\b[Tt]rigger))"
    r"\s+(?:the\s+)?"
    r"(?:[`\"']([A-Z][a-zA-Z0-9]*)[`\"']|([A-Z][a-zA-Z0-9]*)(?=\s+event\b))"
)
"""An instruction in a prompt to send an event: the name in quotes, or before the word "event".

The pattern matches the ends of the verbs first: a pattern that begins with letters is searched
faster.
"""


@pack_rule("PP201", "error", "Unknown workflow version", profiles=EVERY)
def workflow_version(parts: Parts) -> Iterable[Note]:
    """A workflow's version is 1 or 2; runtimes refuse any other. In version 2 the author is
    expected to mark ends, so states without outgoing transitions are reported."""
    version = (parts.workflow or {}).get("version")
    if isinstance(version, int) and not isinstance(version, bool) and version > 2:
        here = ("workflow", "version")
        yield Note(
            message=f"The workflow's version is {version}. Use 1 or 2.",
            pointer=here,
            fix=set_fix(parts, "Change to 2", here, 2),
        )


@pack_rule("PP202", "error", "Entry state does not exist", profiles=EVERY)
def missing_entry(parts: Parts) -> Iterable[Note]:
    """A run starts at the entry state, but the workflow names an entry that does not exist. This
    often happens after a state was renamed by hand. No run can start until the entry is an existing
    state."""
    if parts.states and parts.entry and parts.entry not in parts.states:
        near = closest_name(parts.entry, parts.states) or next(iter(parts.states))
        yield Note(
            message=f"The entry {parts.entry!r} is not a state of the workflow.",
            pointer=("workflow", "entry"),
            fix=make_fix(f"Start at {near}", SetEntry(id=near)),
        )


@pack_rule("PP203", "error", "State uses a missing prompt", profiles=EVERY)
def missing_prompt(parts: Parts) -> Iterable[Note]:
    """The state names a prompt that the pack does not have. Runtimes refuse such a pack. Name an
    existing prompt, or add one with this key."""
    if not isinstance(parts.tree.get("prompts", {}), dict):
        return  # All prompts are at the wrong place, which a rule of the schema finds.
    for name, state in parts.states.items():
        task = as_str(state.get("prompt_task"))
        if task and task not in parts.prompts and state.get("orchestration") != "composition":
            here = ("workflow", "states", name, "prompt_task")
            near = closest_name(task, parts.prompts)
            yield Note(
                message=f"State {name!r} uses prompt {task!r}, which does not exist.",
                pointer=here,
                hint=did_you_mean(
                    task,
                    parts.prompts,
                    f"Existing prompts: {short_list(parts.prompts)}." if parts.prompts else "",
                ),
                fix=set_fix(parts, f"Use {near}", here, near)
                if near
                else make_fix(f"Add prompt {task}", AddObject(kind="prompt", key=task)),
            )


@pack_rule("PP204", "error", "Transition to a missing state", profiles=EVERY)
def dangling_target(parts: Parts) -> Iterable[Note]:
    """The target of the transition does not exist, so a run that takes it fails. Move the
    transition to an existing state, add the missing state, or remove the transition."""
    for name, events in parts.events.items():
        for event, target in events.items():
            if target not in parts.states:
                near = closest_name(target, parts.states)
                transition = StateTransition(source=name, event=event, target=target)
                yield Note(
                    message=f"Event {event!r} of {name!r} leads to the missing state {target!r}.",
                    pointer=transition.pointer,
                    hint=did_you_mean(target, parts.states),
                    fix=make_fix(
                        f"Change the target to {near}",
                        Retarget(transition=transition.id, target=near),
                    )
                    if near
                    else make_fix("Remove the transition", Disconnect(transition=transition.id)),
                )


@pack_rule("PP205", "hint", "Event name is not in PascalCase", profiles=EVERY)
def event_name(parts: Parts) -> Iterable[Note]:
    """Event names are usually written in PascalCase, such as ReviewDone. Other names work too, but
    readers and some tools expect this form. The prompt may still mention the old name, so check it
    after renaming."""
    for name, events in parts.events.items():
        for event, target in events.items():
            if PASCAL.fullmatch(event):
                continue
            better = pascal_case(event)
            transition = StateTransition(source=name, event=event, target=target)
            free = better and better not in events
            yield Note(
                message=f"Event {event!r} of {name!r} is not in PascalCase, such as ReviewDone.",
                pointer=transition.pointer,
                hint="If the prompt mentions the event, change it there too.",
                fix=make_fix(f"Rename to {better}", Relabel(transition=transition.id, label=better))
                if free
                else None,
            )


def pascal_case(name: str) -> str:
    """The name in PascalCase; "" if no letters or digits are left."""
    words = ascii_name(name).split("-")
    joined = "".join(part[:1].upper() + part[1:] for part in words)
    return joined if PASCAL.fullmatch(joined) else ""


@pack_rule("PP206", "error", "Unknown persistence", profiles=EVERY)
def persistence(parts: Parts) -> Iterable[Note]:
    """`persistence` controls whether the conversation is kept when the state is entered again. It
    is transient or persistent; runtimes refuse any other value."""
    for name, state in parts.states.items():
        value = state.get("persistence")
        if isinstance(value, str) and value not in ("transient", "persistent"):
            here = ("workflow", "states", name, "persistence")
            near = closest_name(value, ("transient", "persistent")) or "transient"
            yield Note(
                message=f"The persistence of {name!r} is {value!r}. Use transient or persistent.",
                pointer=here,
                fix=set_fix(parts, f"Change to {near}", here, near),
            )


@pack_rule("PP207", "error", "Composition without the matching orchestration", profiles=EVERY)
def stray_composition(parts: Parts) -> Iterable[Note]:
    """The state names a composition, but its `orchestration` is not `composition`, so the
    composition never runs. Set `orchestration` to `composition`, or remove the field
    `composition`."""
    for name, state in parts.states.items():
        if "composition" in state and state.get("orchestration") != "composition":
            here = ("workflow", "states", name)
            yield Note(
                message=f"State {name!r} names a composition but does not run it.",
                pointer=(*here, "composition"),
                fix=set_fix(parts, "Run the composition", (*here, "orchestration"), "composition"),
            )


@pack_rule("PP208", "error", "State runs a missing composition", profiles=EVERY)
def missing_composition(parts: Parts) -> Iterable[Note]:
    """The state runs a composition that the pack does not have. Name an existing composition, or
    add it under Compositions."""
    for name, state in parts.states.items():
        wanted = as_str(state.get("composition"))
        if wanted and wanted not in parts.compositions:
            here = ("workflow", "states", name, "composition")
            near = closest_name(wanted, parts.compositions)
            yield Note(
                message=f"State {name!r} runs composition {wanted!r}, which does not exist.",
                pointer=here,
                fix=set_fix(parts, f"Run {near}", here, near) if near else None,
            )


@pack_rule("PP209", "error", "Redirect to a missing state", profiles=EVERY)
def dangling_redirect(parts: Parts) -> Iterable[Note]:
    """When the state reaches `max_visits`, the run is redirected to a state that does not exist,
    and fails. Some runtimes do not check this when they load the pack, so the error appears only
    when the cap is reached."""
    for name, state in parts.states.items():
        target = state.get(ON_MAX_VISITS)
        if isinstance(target, str) and target not in parts.states:
            here = ("workflow", "states", name, ON_MAX_VISITS)
            near = closest_name(target, parts.states)
            yield Note(
                message=f"After its last visit {name!r} redirects to {target!r}, "
                "which is not a state.",
                pointer=here,
                fix=set_fix(parts, f"Redirect to {near}", here, near)
                if near
                else unset_fix(parts, "Remove the redirect", here),
            )


@pack_rule("PP210", "warning", "Redirect to a state with a cap", profiles=EVERY)
def guarded_redirect(parts: Parts) -> Iterable[Note]:
    """The target of the redirect has a visit cap of its own. Only one redirect is followed: the
    second cap is not checked, and its state can be entered more often than allowed. Redirect to a
    state without a cap, preferably to an end."""
    for name, state in parts.states.items():
        target = as_str(state.get(ON_MAX_VISITS))
        if target != name and as_positive_int(parts.states.get(target, {}).get("max_visits")):
            yield Note(
                message=f"{name!r} redirects to {target!r}, whose own cap is then not checked.",
                pointer=("workflow", "states", name, ON_MAX_VISITS),
            )


@pack_rule("PP211", "warning", "Redirect to the state itself", profiles=EVERY)
def self_redirect(parts: Parts) -> Iterable[Note]:
    """When the cap is reached, the run is redirected to the same state. Redirects are not checked
    again, so the cap has no effect. Name a different state."""
    for name, state in parts.states.items():
        if state.get(ON_MAX_VISITS) == name:
            here = ("workflow", "states", name, ON_MAX_VISITS)
            yield Note(
                message=f"The cap of {name!r} redirects to {name!r} itself, so it has no effect.",
                pointer=here,
                fix=unset_fix(parts, "Remove the redirect", here),
            )


@pack_rule("PP212", "warning", "Redirect without a cap", profiles=EVERY)
def redirect_without_cap(parts: Parts) -> Iterable[Note]:
    """`on_max_visits` names the target when the visit cap is reached, but the state has no
    `max_visits`, so the redirect is never taken. Set a cap or remove the redirect."""
    for name, state in parts.states.items():
        if ON_MAX_VISITS in state and "max_visits" not in state:
            here = ("workflow", "states", name)
            yield Note(
                message=f"State {name!r} has on_max_visits but no max_visits.",
                pointer=(*here, ON_MAX_VISITS),
                fix=set_fix(parts, "Allow 3 visits", (*here, "max_visits"), 3),
            )


@pack_rule("PP213", "warning", "Transitions out of an end", profiles=EVERY)
def terminal_with_events(parts: Parts) -> Iterable[Note]:
    """The state is marked as an end, so its transitions are never taken. Remove the mark or the
    transitions."""
    for name, state in parts.states.items():
        if state.get("terminal") is True and as_str_map(state.get("on_event")):
            here = ("workflow", "states", name, "terminal")
            yield Note(
                message=f"State {name!r} ends the run, so its transitions are never taken.",
                pointer=here,
                fix=unset_fix(parts, "Remove the mark", here),
            )


@pack_rule("PP214", "warning", "State without outgoing transitions", profiles=EVERY)
def dead_end(parts: Parts) -> Iterable[Note]:
    """In version 2 workflows, ends are marked. This state has no transition, no cap and no mark, so
    it is unclear whether the run should end here. Mark the state as an end, or add a transition."""
    if (parts.workflow or {}).get("version") not in (2,):
        return
    for name, state in parts.states.items():
        if state.get("terminal") is not True and not state.get("on_event"):
            if as_positive_int(state.get("max_visits")):
                continue
            here = ("workflow", "states", name)
            yield Note(
                message=f"State {name!r} has no outgoing transition and is not marked as an end.",
                pointer=here,
                fix=set_fix(parts, "Mark as an end", (*here, "terminal"), True),
            )


@pack_rule("PP215", "warning", "Waiting state without events", profiles=EVERY)
def external_without_events(parts: Parts) -> Iterable[Note]:
    """The state waits for an event from outside but defines none, so the run ends here. Add a
    transition, or choose an orchestration in which the model picks the event."""
    for name, state in parts.states.items():
        waits = state.get("orchestration") == "external" and state.get("terminal") is not True
        if waits and not parts.events[name]:
            yield Note(
                message=f"State {name!r} waits for an event from outside but defines none.",
                pointer=("workflow", "states", name, "orchestration"),
            )


@pack_rule("PP228", "hint", "Prompt mentions an unknown event", profiles=EVERY)
def unknown_event(parts: Parts) -> Iterable[Note]:
    """The prompt instructs the model to send an event that no state with this prompt defines, often
    the old name of a renamed event. The model also gets a list of the defined events, so it may
    still choose one, but the two should match."""
    for key, states in parts.users.items():
        text = as_str(parts.prompts.get(key, {}).get("system_template"))
        events = {event for name in states for event in parts.events[name]}
        mentioned = dict.fromkeys(
            name for names in EVENT_INSTRUCTION.findall(text) for name in names if name
        )
        for event in mentioned if events else ():
            if event not in events:
                near = closest_name(event, events)
                yield Note(
                    message=f"Prompt {key!r} mentions event {event!r}, "
                    "which none of its states defines.",
                    pointer=("prompts", key, "system_template"),
                    hint=f"Did you mean {near!r}?" if near else "",
                )
