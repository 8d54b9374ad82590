"""The graph of a pack: a state per stage, a transition per successor, a group around branches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from workflows.core.dialects.stages.format.parts import Fork, forks, routes
from workflows.core.dialects.stages.format.results import answers
from workflows.core.dialects.stages.format.tools import MUTATING
from workflows.core.dialects.stages.graph.labels import JOIN, PARALLEL
from workflows.core.dialects.stages.graph.transitions import StageTransition, outgoing_transitions
from workflows.core.dialects.stages.recognise import name_of
from workflows.core.dialects.stages.source import StageFile, StagesSource
from workflows.core.pack.findings import Place
from workflows.core.pack.forms import Json
from workflows.core.pack.graph import Entry, Graph, Group, State, Transition
from workflows.core.prompts.first_line import first_line
from workflows.core.text.tolerant import as_positive_int, as_str
from workflows.core.tools.standard import STANDARD


def graph(source: StagesSource, profile: str) -> Graph:
    """Project the pack. A successor that is not declared keeps its transition; no state is added
    for it."""
    if not source.readable:
        return Graph(
            dialect="stages", profile=profile, name="", entries=(), states=(), transitions=()
        )
    parallel = tuple(fork for fork in forks(source) if len(set(fork.plan.siblings)) > 1)
    frames = _frames(source, parallel)
    joins = {fork.plan.join for fork in forks(source)}
    leaving = outgoing_transitions(source)
    entry = source.whole().get("entryStage")
    users = Counter(file.path for file in source.stages.values())
    return Graph(
        dialect="stages",
        profile=profile,
        name=pack_name(source),
        entries=(Entry(state=entry),) if isinstance(entry, str) and entry in source.stages else (),
        states=tuple(
            _state(source, stage, leaving[stage], frames.get(stage), users, meets=stage in joins)
            for stage in source.stages
        ),
        transitions=tuple(
            _transition(source, each)
            for transitions in leaving.values()
            for each in _unique(transitions)
        ),
        groups=tuple(
            Group(id=frame, name=_frame_name(frame, parallel), kind="parallel")
            for frame in dict.fromkeys(frames.values())
        ),
    )


def _unique(leaving: tuple[StageTransition, ...]) -> Iterable[StageTransition]:
    """The transitions without repetitions: forks that share a join have one transition to it."""
    by_id: dict[str, StageTransition] = {}
    for each in leaving:
        by_id.setdefault(each.id, each)
    return by_id.values()


def pack_name(source: StagesSource) -> str:
    """The name of the pack."""
    if source.pipeline is not None:
        return name_of(source.main, dict(source.whole()))
    first = next(iter(source.stages.values()), None)
    name = first.values.get("name") if first is not None and len(source.stages) == 1 else ""
    return as_str(name)


def _frames(source: StagesSource, parallel: Iterable[Fork]) -> dict[str, str]:
    """Stage → its group: that of the first fork that starts it."""
    frames: dict[str, str] = {}
    for fork in parallel:
        for sibling in fork.plan.siblings:
            if sibling in source.stages and sibling != fork.stage:
                frames.setdefault(sibling, frame_of(fork))
    return frames


def frame_of(fork: Fork) -> str:
    """The id of the group of a fork: its stage, with the condition if any."""
    return fork.stage if fork.label == PARALLEL else f"{fork.stage}|{fork.label}"


def _frame_name(frame: str, parallel: Iterable[Fork]) -> str:
    fork = next(fork for fork in parallel if frame_of(fork) == frame)
    return f"Parallel after {fork.stage}"


def _state(
    source: StagesSource,
    stage: str,
    leaving: tuple[StageTransition, ...],
    frame: str | None,
    users: Mapping[str, int],
    *,
    meets: bool,
) -> State:
    file, entry = source.stages[stage], source.entry(stage)
    name = file.values.get("name")
    if source.pipeline is None:
        place = Place(path=file.path, element=f"state:{stage}")
    else:
        place = source.place("stages", stage, element=f"state:{stage}")
    return State(
        id=stage,
        kind="join" if meets else "reader" if is_read_only(file.values) else "stage",
        name=as_str(name),
        terminal=all(transition.part == "failure" for transition in leaving),
        group=frame,
        prompt_users=users[file.path] if users[file.path] > 1 else 0,
        prompt_line=first_line(file.body),
        counts=_counts(file, entry),
        max_visits=as_positive_int(entry.get("maxVisits")),
        most_calls=most_calls(file.values),
        answers=answers(source, stage),
        may_end=any(route.plan.ends for route in routes(source, stage)),
        place=place,
    )


def _counts(file: StageFile, entry: Mapping[str, Json]) -> dict[str, int]:
    """Number of tools, model replies per attempt, and checks (gate and asserts)."""
    tools, asserts = file.values.get("allowedTools"), entry.get("assert")
    counts = {
        "tools": len(tools) if isinstance(tools, list) else 0,
        "turns": as_positive_int(file.values.get("turnCap")) or 0,
        "checks": (len(asserts) if isinstance(asserts, list) else 0)
        + isinstance(entry.get("gate"), dict),
    }
    return {name: count for name, count in counts.items() if count}


def most_calls(values: Mapping[str, Json]) -> int | None:
    """The maximum number of model replies in one visit: `turnCap` times `maxAttempts`. None if one
    of them is not an integer of at least 1."""
    policy = values.get("retryPolicy")
    turns = as_positive_int(values.get("turnCap"))
    attempts = as_positive_int(policy.get("maxAttempts")) if isinstance(policy, dict) else None
    return turns * attempts if turns and attempts else None


def is_read_only(values: Mapping[str, Json]) -> bool:
    """Return True if none of the stage's tools is known to change state, and all are known."""
    tools = values.get("allowedTools")
    return isinstance(tools, list) and all(
        isinstance(tool, str) and tool in STANDARD and tool not in MUTATING for tool in tools
    )


def _transition(source: StagesSource, transition: StageTransition) -> Transition:
    return Transition(
        source=transition.source,
        target=transition.target,
        label=transition.label,
        kind=transition.kind,
        event="" if transition.label in (PARALLEL, JOIN) else transition.label,
        place=source.place(*transition.pointer, element=f"transition:{transition.id}"),
    )
