"""Rules of phases and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workflows.core.dialects.workflow_scripts.edits.places import phase_titles
from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.syntax import text, walk
from workflows.core.dialects.workflow_scripts.format.values import Known
from workflows.core.dialects.workflow_scripts.rules.kit import (
    Report,
    live,
    option_node,
    per_site,
    script_rule,
    set_option_fix,
    suggestion,
)
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.edits import AddObject, RemoveObject
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import make_fix
from workflows.core.text.tolerant import as_object

if TYPE_CHECKING:
    pass


@script_rule("WS501", "warning", "Phase is not declared", profiles=EVERY)
def declared(source: ScriptSource, profile: str) -> Iterator[Report]:
    """`meta.phases` does not have this title. The dialog before the run did not show the phase, and
    its agents are a group of their own."""
    titles = [one["title"] for one in source.meta.phases]
    met: set[str] = set()
    for title, node in phase_titles(source) if titles else ():
        if title not in titles and title not in met:
            met.add(title)
            yield Report(
                message=f"meta declares no phase {title!r}.",
                node=node,
                hint=suggestion(title, titles),
                fix=make_fix("Declare the phase", AddObject(kind="phase", key=title)),
            )


@script_rule("WS502", "warning", "Phase without agents", profiles=EVERY)
def used(source: ScriptSource, profile: str) -> Iterator[Report]:
    """No call can be in this phase. The person who approves the run sees a step that does not
    exist."""
    states = [state for state in source.plan.states if state.alive]
    if any(state.phase is None for state in states) or source.plan.cut:
        return
    if any(state.kind == "agent" and state.options is None for state in states):
        return
    mine = {state.phase for state in states}
    for index, one in enumerate(source.meta.value.get("phases") or []):
        title = as_object(one).get("title")
        if isinstance(title, str) and title not in mine:
            yield Report(
                message=f"No agent works in the phase {title!r}.",
                node=source.meta.nodes.get(("phases", index)),
                element=f"phase:{title}",
                fix=make_fix("Remove the phase", RemoveObject(element=f"phase:{title}")),
            )


@script_rule("WS503", "warning", "Phase changes in a concurrent branch", profiles=EVERY)
def no_race(source: ScriptSource, profile: str) -> Iterator[Report]:
    """`phase()` changes the phase of the whole run. In a branch of a fan-out, agents
    land in the group that another branch has set. Use the option `phase`."""
    for one in source.plan.troubles:
        if one.code == "WS503":
            yield Report(
                message="phase() in a concurrent branch changes the phase of all others.",
                node=one.node,
                hint="Use the option phase of agent().",
            )


@script_rule("WS504", "hint", "Agents have the same label", profiles=EVERY)
def labels_differ(source: ScriptSource, profile: str) -> Iterator[Report]:
    """Several agents have the same label, because it does not depend on what a loop or fan-out
    changes, or because two calls share it. In the progress view they look the same."""
    states = list(per_site(live(source)))
    shared = Counter(values.literal((state.options or {}).get("label")) for state in states)
    for state in states:
        label = (state.options or {}).get("label")
        if label is None:
            continue
        node = option_node(source, state, "label")
        static = values.literal(label)
        names = {text(one) for one in walk(node) if one.type == "identifier"}
        varies = bool(names & state.iteration) or (
            bool(state.function) and not isinstance(label, Known)
        )
        if state.repeated and not varies:
            yield Report(
                message=f"All agents of {state.id!r} can have the same label.",
                node=state.node,
                element=f"state:{state.id}",
                hint="Add the variable of the loop to the label.",
            )
        elif static is not None and shared[static] > 1:
            yield Report(
                message=f"{shared[static]} calls have the label {static!r}.",
                node=node,
                element=f"state:{state.id}",
                hint="Give each call its own label.",
            )


@script_rule("WS505", "hint", "Call without a label", profiles=EVERY)
def labelled(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The progress view names this agent after the beginning of its prompt. Give it a label."""
    for state in per_site(live(source)):
        if state.options is not None and "label" not in state.options and not state.open_options:
            yield Report(
                message=f"{state.id!r} has no label.",
                node=state.node,
                element=f"state:{state.id}",
                fix=set_option_fix("Add a label", state, "/label", state.id),
            )


@script_rule("WS506", "hint", "Phase promises another model", profiles=EVERY)
def same_model(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The model in `meta.phases` is a label in the dialog; the calls of the phase pin another
    one."""
    for index, one in enumerate(source.meta.value.get("phases") or []):
        promised = as_object(one).get("model")
        if not isinstance(promised, str):
            continue
        pinned = {
            name
            for state in live(source)
            if state.phase == one.get("title")
            for name in values.texts((state.options or {}).get("model")) or ()
        }
        if pinned and promised not in pinned:
            yield Report(
                message=f"Phase {one['title']!r} promises {promised}, but its calls use "
                f"{', '.join(sorted(pinned))}.",
                node=source.meta.nodes.get(("phases", index, "model")),
            )
