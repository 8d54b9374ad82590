"""The graph of a script: its call sites as states, its control flow as arrows and frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.syntax import arguments, short
from workflows.core.dialects.workflow_scripts.format.values import (
    Items,
    Record,
    Value,
)
from workflows.core.dialects.workflow_scripts.graph.model import Frame, PlanState
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.graph import (
    MAX_TRANSITIONS,
    Entry,
    Graph,
    Group,
    State,
    Transition,
)


def graph(source: ScriptSource, profile: str) -> Graph:
    """The projection. States are in the order in which the script comes to them."""
    if not source.readable:
        return Graph(
            dialect="workflow_scripts",
            profile=profile,
            name=source.name,
            entries=(),
            states=(),
            transitions=(),
        )
    plan = source.plan
    ids = {state.id for state in plan.states}
    groups, group_of = phase_groups(plan.states, plan.frames)
    arrows = [one for one in plan.arrows if one.source in ids and one.target in {*ids, ""}]
    return Graph(
        dialect="workflow_scripts",
        profile=profile,
        name=source.name,
        entries=tuple(
            Entry(state=id, key="" if n == 0 else id) for n, id in enumerate(plan.entries)
        ),
        states=tuple(_state(source, one, group_of.get(one.id)) for one in plan.states),
        transitions=tuple(
            Transition(
                source=one.source,
                target=one.target,
                label=one.label,
                kind=one.kind,
                place=source.place(one.node, f"transition:{one.source}|{one.label}|{one.target}"),
            )
            for one in arrows[:MAX_TRANSITIONS]
        ),
        groups=groups,
        most_visits=None if source.root.has_error else plan.cost.total.ceiling,
        more_transitions=max(0, len(arrows) - MAX_TRANSITIONS),
    )


def _state(source: ScriptSource, state: PlanState, group: str | None) -> State:
    options = state.options or {}
    limit = state.count.ceiling
    uses = sum(one.node == state.node for one in source.plan.states)
    return State(
        id=state.id,
        kind=state.kind,
        name=values.pattern(options.get("label")) or "",
        group=group,
        role=role_of(state),
        prompt_users=uses if uses > 1 else 0,
        prompt_line=prompt_line(state),
        counts={"schema": 1} if "schema" in options else {},
        max_visits=limit if limit and state.alive else None,
        answers=answers_of(source, state),
        most_calls=1 if state.kind == "agent" else None,
        place=source.place(state.use, f"state:{state.id}"),
    )


def role_of(state: PlanState) -> str:
    """The model as it is written."""
    if state.kind != "agent":
        return ""
    options = state.options
    if options is None:
        return "?"
    models = values.texts(options.get("model"))
    if models is None:
        return "?"
    if models:
        return " | ".join(models)
    kind = values.literal(options.get("agentType"))
    return f"type:{kind}" if kind else "?" if state.open_options else ""


def prompt_line(state: PlanState) -> str:
    """The first line of the prompt, with `…` for what a run fills in; or what computes it."""
    known = values.pattern(state.prompt) if state.prompt is not None else None
    nodes = arguments(state.node)
    if state.kind == "unknown" or not nodes:
        return short(state.node)
    if known is None or known.strip("… ") == "":
        return short(nodes[0], 120)
    return next(iter(known.strip().splitlines()), "")[:200]


def answers_of(source: ScriptSource, state: PlanState) -> tuple[str, ...]:
    """The values of the one property with an `enum` that the script compares."""
    schema = (state.options or {}).get("schema")
    properties = schema.fields.get("properties") if isinstance(schema, Record) else None
    if not isinstance(properties, Record):
        return ()
    found = {name: _choices(one) for name, one in properties.fields.items() if _choices(one)}
    used = [name for name in found if name in source.compared]
    return found[used[0]] if len(used) == 1 else ()


def _choices(schema: Value) -> tuple[str, ...]:
    listed = schema.fields.get("enum") if isinstance(schema, Record) else None
    if not isinstance(listed, Items) or listed.elements is None:
        return ()
    return tuple(values.literal(one) or "" for one in listed.elements)


@dataclass(eq=False)
class _Box:
    """A frame or the whole script, with what is directly in it."""

    frame: Frame | None
    inside: list[_Box | PlanState] = field(default_factory=list)

    @property
    def order(self) -> int:
        return self.frame.order if self.frame else 0

    @property
    def branches(self) -> tuple[int, ...]:
        return self.frame.branches if self.frame else ()

    def phase(self) -> str | None:
        """The phase of everything inside. None if it has several or none."""
        found = set(map(_phase, self.inside))
        return next(iter(found)) if len(found) == 1 else None

    def by_option(self) -> bool:
        """True if every call inside names its phase itself."""
        return all(
            one.by_option() if isinstance(one, _Box) else one.phase_option for one in self.inside
        )


def _phase(one: _Box | PlanState) -> str | None:
    return one.phase() if isinstance(one, _Box) else (one.phase or None)


def _has_neighbour(box: _Box, one: _Box) -> bool:
    """True if a state or frame next to this one has the same phase."""
    ordered = sorted(box.inside, key=lambda item: item.order)
    place = ordered.index(one)
    beside = [*ordered[max(0, place - 1) : place], *ordered[place + 1 : place + 2]]
    return any((_phase(other), other.branches) == (_phase(one), one.branches) for other in beside)


def phase_groups(
    states: Sequence[PlanState], frames: Sequence[Frame]
) -> tuple[tuple[Group, ...], dict[str, str]]:
    """The frames of control flow and of phases, and the innermost frame of each state."""
    top = _Box(None)
    boxes = {id(frame): _Box(frame) for frame in frames}
    for frame in frames:
        boxes.get(id(frame.parent), top).inside.append(boxes[id(frame)])
    for state in states:
        box = boxes[id(state.frames[-1])] if state.frames else top
        box.inside.append(state)
    groups: list[Group] = []
    group_of: dict[str, str] = {}
    counts: dict[str, int] = {}
    waiting: list[tuple[_Box, str | None, bool]] = [(top, None, False)]
    while waiting:
        box, parent, covered = waiting.pop(0)
        run: tuple[str, tuple[int, ...]] | None = None
        current: str | None = None
        for one in sorted(box.inside, key=lambda item: item.order):
            phase = _phase(one)
            key = (phase, one.branches) if phase and not covered else None
            inner = isinstance(one, _Box) and one.by_option() and not _has_neighbour(box, one)
            key = None if inner else key
            if key is None:
                current = None
            elif key != run:
                counts[key[0]] = counts.get(key[0], 0) + 1
                number = counts[key[0]]
                current = f"phase:{key[0]}" + (f"/{number}" if number > 1 else "")
                groups.append(Group(id=current, name=key[0], kind="phase", parent=parent))
            run = key
            where = current or parent
            if isinstance(one, _Box):
                assert one.frame is not None
                groups.append(
                    Group(id=one.frame.id, name=one.frame.name, kind=one.frame.kind, parent=where)
                )
                waiting.append((one, one.frame.id, covered or key is not None))
            elif where is not None:
                group_of[one.id] = where
    return tuple(groups), group_of
