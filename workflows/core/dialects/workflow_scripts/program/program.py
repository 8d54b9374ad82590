"""The program of a script: the script itself runs in QuickJS, and each call of an agent is a
question to a model.

A step runs the script with the answers so far, up to its first call without one. The answers are in
the memory of the run, so a fork or a replay is a run with other answers.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.graph.model import Arrow, PlanState
from workflows.core.dialects.workflow_scripts.program.args_search import fitting_args
from workflows.core.dialects.workflow_scripts.program.inputs import (
    possible_args,
    reads_args,
    simulated_args,
)
from workflows.core.dialects.workflow_scripts.program.replay import (
    MOST_CALLS,
    Replay,
    Status,
    instrumented,
)
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.engine.effects import AskHuman, AskModel, Choice, Effect, Message
from workflows.core.engine.events import Draft
from workflows.core.engine.program import (
    Again,
    Ask,
    Budget,
    CannotRun,
    End,
    Outcome,
    Program,
    Take,
)
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.run_options import RunInput
from workflows.core.engine.signals import Approve, Reply, Signal
from workflows.core.pack.graph import END

ARGS = "args"
ABSENT = re.compile(r"![\w$]{1,80}\Z")
EQUAL = re.compile(
    r"[\w$]{1,80}\??\.(?P<key>[\w$]{1,80}) (?:===?|=) "
    r"(?P<quote>['\"])(?P<value>[^'\"]{1,80})(?P=quote)\Z"
)


def program(source: ScriptSource, profile: str) -> ScriptProgram:
    """The program of a pack. Raises CannotRun for a script that cannot start."""
    if not source.readable:
        raise CannotRun("The script cannot be read.", code="WS101")
    if source.root.has_error:
        raise CannotRun("The script does not parse.", code="WS101")
    return ScriptProgram(source)


class ScriptProgram(Program):
    """See `engine.program.Program`. The run's memory holds each answer as `answer <number>`."""

    def __init__(self, source: ScriptSource) -> None:
        self.source = source
        self.body = instrumented(source)
        self._kept: list[tuple[str, Mapping[str, Any], Replay]] = []

    @property
    def budget(self) -> Budget:
        """The cap of the runtime."""
        return Budget(model_calls=MOST_CALLS)

    @property
    def inputs(self) -> tuple[RunInput, ...]:
        """`args`, if the script reads them."""
        if not reads_args(self.source):
            return ()
        help = self.source.meta.value.get("whenToUse")
        return (
            RunInput(
                name=ARGS,
                help=help
                if isinstance(help, str)
                else "The args of the workflow, as JSON or text.",
                examples=(json.dumps(simulated_args(self.source)),),
            ),
        )

    @cached_property
    def simulated_inputs(self) -> Mapping[str, str]:
        """The first value of `args` with which the script calls an agent; none if it needs none."""
        if not reads_args(self.source):
            return {}
        value = fitting_args(self.source, self.body, tuple(possible_args(self.source)))
        return {ARGS: json.dumps(value)} if value is not None else {}

    @cached_property
    def arrows_from(self) -> Mapping[str, list[Arrow]]:
        """The drawn arrows from each state."""
        found = defaultdict(list)
        for one in self.source.plan.arrows:
            found[one.source].append(one)
        return found

    @cached_property
    def arrows_into(self) -> Mapping[str, list[Arrow]]:
        """The drawn arrows into each state, and into the end."""
        found = defaultdict(list)
        for one in self.source.plan.arrows:
            found[one.target].append(one)
        return found

    @cached_property
    def by_site(self) -> Mapping[int, tuple[PlanState, ...]]:
        """The states of each call site."""
        return {number: site.states for number, site in enumerate(self.source.sites)}

    def start(self, run: RunState) -> tuple[str, ...]:
        status = self._status(run, {})
        if status.call is None:
            why = status.failure or f"It returns {json.dumps(status.result)[:200]}."
            raise CannotRun(f"The script calls no agent with these args. {why}")
        return (self._state_of(status.call),)

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        status = self._status(run, run.memory)
        if status.call is None:
            return Outcome(next=self._end(run, position, status))
        return Outcome(next=Ask(effect=self._question(status.call, position, key)))

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        match signal:
            case Reply():
                has_schema = isinstance(effect, AskModel) and effect.schema is not None
                value = signal.structured if has_schema else signal.text or None
                value = None if signal.error else value
            case Approve():
                value = signal.structured if signal.structured is not None else _data(signal.text)
            case _:
                return Outcome(next=Again())
        memory = {f"answer {len(run.memory)}": value}
        draft = Draft(type="workflow_scripts.answered", fields={"run_memory": memory})
        status = self._status(run, {**run.memory, **memory})
        if status.call is None:
            return Outcome(drafts=(draft,), next=self._end(run, position, status))
        target = self._state_of(status.call)
        arrow = self._arrow(run, position.state, target)
        if arrow is None:
            again = target == position.state
            return Outcome(
                drafts=(draft,), next=Again() if again else Take(target=target, label="then")
            )
        return Outcome(
            drafts=(draft,),
            next=Take(target=target, label=arrow.label, sources=(arrow.source,)),
        )

    def fire(self, run: RunState, position: Position, event: str) -> None:
        """A script has no external events."""
        return

    def _end(self, run: RunState, position: Position, status: Status) -> End:
        if status.failure:
            return End(status="failed", reason=status.failure)
        arrow = self._arrow(run, position.state, END)
        shown = json.dumps(status.result, ensure_ascii=False)
        reason = f"The script returned {shown[:300]}"
        id = f"{arrow.source}|{arrow.label}|{arrow.target}" if arrow is not None else ""
        return End(status="completed", reason=reason, transition=id)

    def _arrow(self, run: RunState, source: str, target: str) -> Arrow | None:
        """The drawn arrow to the next state: from this state, else from one that was visited."""
        into = self.arrows_into.get(target, ())
        here = (one for one in into if one.source == source)
        visited = (one for one in into if run.visits.get(one.source))
        return next(here, None) or next(visited, None)

    def _state_of(self, call: Mapping[str, Any]) -> str:
        """The state of a call: of its site, and among uses of a helper, of its label."""
        if call["kind"] == "workflow":
            named = [one for one in self.source.plan.states if one.kind == "workflow"]
            fits = [one for one in named if values.literal(one.prompt) == call["prompt"]]
        else:
            named = list(self.by_site.get(call["site"], ()))
            fits = [one for one in named if _fits((one.options or {}).get("label"), call["label"])]
        states = fits or named or list(self.source.plan.states)
        return states[0].id

    def _question(self, call: Mapping[str, Any], position: Position, key: str) -> Effect:
        if call["kind"] == "workflow":
            return AskHuman(
                key=key,
                position=position.id,
                state=position.state,
                kind="answer",
                question=f"What does the workflow {call['prompt']!r} return?",
            )
        schema = call["schema"] if isinstance(call["schema"], dict) else None
        return AskModel(
            key=key,
            position=position.id,
            state=position.state,
            system="",
            messages=(Message(role="user", text=call["prompt"]),),
            schema=schema,
            model=call["model"],
            choices=tuple(self._choices(position.state, schema)),
        )

    def _choices(self, state: str, schema: Mapping[str, Any] | None) -> list[Choice]:
        """The answers that lead along an arrow, where its text is a comparison with an answer."""
        found: list[Choice] = []
        others: list[Choice] = []
        for one in self.arrows_from.get(state, ()):
            part = one.label.partition(" · ")[0]
            equal = EQUAL.match(part)
            reply: dict[str, Any] | None = None
            if ABSENT.match(part) and schema is not None:
                reply = {"structured": None}
            elif equal and schema is not None and equal["key"] in (schema.get("properties") or {}):
                reply = {"structured": {equal["key"]: equal["value"]}}
            id = f"{one.source}|{one.label}|{one.target}"
            (found if reply is not None else others).append(
                Choice(label=part, transition=id, reply=reply or {})
            )
        return [*found, *others] if found else []

    def call_of(self, run: RunState) -> Mapping[str, Any] | None:
        """The call that waits for its answer: its label, phase, prompt, model and schema."""
        return self._status(run, run.memory).call

    def _status(self, run: RunState, answers: Mapping[str, Any]) -> Status:
        """The run of the script with these answers. The last one is kept and continues."""
        given = str(run.inputs.get(ARGS) or "")
        try:
            kept = self._kept.pop()
        except IndexError:
            kept = None
        if kept is None or kept[0] != given or not kept[1].items() <= answers.items():
            kept = (given, {}, Replay(self.body, _data(given), has_args=bool(given)))
        _, earlier, replay = kept
        for number in range(len(earlier), len(answers)):
            replay.answer(answers[f"answer {number}"])
        self._kept[:] = [(given, answers, replay)]
        return replay.status


def _data(given: str) -> Any:
    """A text as JSON, if it is JSON."""
    try:
        return json.loads(given)
    except ValueError:
        return given


def _fits(label: values.Value | None, shown: str) -> bool:
    """True if a label can have this text."""
    known = values.pattern(label)
    if known is None:
        return False
    pieces = known.split("…")
    return shown.startswith(pieces[0]) and shown.endswith(pieces[-1])
