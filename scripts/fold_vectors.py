"""Record runs of the shipped samples, and write their logs with the folded views as test vectors.

    .venv/bin/python scripts/fold_vectors.py          # write tests/vectors/fold/*.json again

tests/vectors/fold/recordings.toml lists what is recorded; the README.md of that folder
defines the shape of a vector. The clock is simulated and every choice follows from a seed, so
the same code writes the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "vectors" / "fold"
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from workflows.core.dialects import dialects  # noqa: E402
from workflows.core.engine.effects import AskHuman, AskModel, Effect  # noqa: E402
from workflows.core.engine.events import Event  # noqa: E402
from workflows.core.engine.fold import fold, fold_all, pending_effects  # noqa: E402
from workflows.core.engine.program import Budget, CannotRun, Program  # noqa: E402
from workflows.core.engine.rehearsal.rehearse import simulated_inputs  # noqa: E402
from workflows.core.engine.rehearsal.rng import Rng  # noqa: E402
from workflows.core.engine.replay.fork import fork_point, repeat_requests  # noqa: E402
from workflows.core.engine.replay.script_file import (  # noqa: E402
    next_entry,
    read_script,
    scripted_reply,
)
from workflows.core.engine.run import RunState  # noqa: E402
from workflows.core.engine.signals import (  # noqa: E402
    Breakpoints,
    Control,
    Fire,
    Reply,
    Signal,
    Start,
    Tell,
    TimeUp,
    Usage,
)
from workflows.core.engine.transition import transition  # noqa: E402
from workflows.core.pack.edits import edit_from_json  # noqa: E402
from workflows.core.pack.graph import Graph  # noqa: E402
from workflows.runner.simulated import rehearse_answer, script_answer  # noqa: E402

BEGIN = 1_700_000_000.0
MOST_EVENTS = 400
LONGEST_TEXT = 60
READ_WHOLE = (
    "arguments",
    "breakpoints",
    "effect",
    "forked_from",
    "grown",
    "ids",
    "inputs",
    "shrunk",
    "usage",
    "value",
)
"""Lists and objects of an event that some fold may read; the others are left out of a vector."""

FOR = {"AskModel": "model", "CallTool": "tool", "RunCommand": "command", "Wait": "time"}


def shared_view(run: RunState, events: Sequence[Event] = ()) -> dict[str, Any]:
    """The part of a run that the server and the canvas both know. `events` is the run's log, which
    holds what the run added to its graph."""
    return {
        "n": run.n,
        "at": run.now,
        "status": run.status,
        "reason": run.reason if run.finished else "",
        "started_at": run.started_at,
        "active_seconds": round(run.active_seconds, 6),
        "positions": {place.id: place.state for place in run.positions},
        "visits": dict(run.visits),
        "taken": dict(run.taken),
        "pending": {key: _pending(run, key) for key in run.pending},
        "artifacts": dict(run.artifacts),
        "breakpoints": list(run.breakpoints),
        "spent": {
            "visits": sum(run.visits.values()),
            "transitions": run.transitions,
            "model_calls": run.model_calls,
            "tool_calls": run.tool_calls,
            "input_tokens": run.input_tokens,
            "output_tokens": run.output_tokens,
            "cost": run.cost,
        },
        "grown": {name: _grown(events[: run.n], name) for name in ("states", "transitions")},
    }


def _pending(run: RunState, key: str) -> dict[str, str]:
    effect = run.pending[key]
    if effect["effect"] == "AskHuman":
        whom = "event" if effect["kind"] == "event" else "person"
    elif key in run.left_to_people:
        whom = "person"
    else:
        whom = FOR[effect["effect"]]
    return {"position": effect["position"], "state": effect["state"], "for": whom}


def _grown(events: Iterable[Event], name: str) -> list[str]:
    ids: dict[str, None] = {}
    for event in events:
        for id in event.fields.get("shrunk", {}).get(name, ()):
            ids.pop(str(id), None)
        ids.update({str(one["id"]): None for one in event.fields.get("grown", {}).get(name, ())})
    return list(ids)


def vector_of(name: str, about: str, events: Sequence[Event]) -> dict[str, Any]:
    """A vector: the log cut to what folds read, each change of status, and views of the run at
    each new status or kind of wait, at the most parallel event, half-way and at the end."""
    log = [cut(event) for event in events]
    run, runs = RunState(), [RunState()]
    for event in log:
        run = fold(run, event)
        runs.append(run)
    statuses = [
        [after.n, after.status] for before, after in pairwise(runs) if before.status != after.status
    ]
    busiest = max(runs[1:], key=lambda after: len(after.positions)).n
    points = sorted({*_first_seen(runs), busiest, max(1, len(log) // 2), len(log)})
    return {
        "name": name,
        "about": about,
        "events": [event.to_json() for event in log],
        "statuses": statuses,
        "views": [shared_view(runs[n], log) for n in points],
    }


def _first_seen(runs: Sequence[RunState]) -> Iterable[int]:
    """Where the run has a status, or waits for a kind of answer, for the first time."""
    seen: set[str] = set()
    for run in runs[1:]:
        now = {run.status, *(_pending(run, key)["for"] for key in run.pending)}
        if not now <= seen:
            yield run.n
        seen |= now


def cut(event: Event) -> Event:
    """The event without the fields that no fold reads. Long texts end early, and of an effect only
    the plain fields stay."""
    fields = {
        name: _short(value)
        for name, value in event.fields.items()
        if not isinstance(value, list | dict) or name in READ_WHOLE
    }
    if "effect" in fields:
        effect = fields["effect"].items()
        fields["effect"] = {
            name: value for name, value in effect if not isinstance(value, list | dict)
        }
    return replace(event, fields=fields)


def _short(value: Any) -> Any:
    match value:
        case str():
            return value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 1] + "…"
        case list():
            return [_short(item) for item in value]
        case dict():
            return {name: _short(item) for name, item in value.items()}
        case _:
            return value


class Recorder:
    """Plays one recording. An act is done after so many answers, or when no effect is left that can
    be answered: `[3, "pause"]`, `[4, "tell", {state = "coder", text = "Hurry."}]`."""

    def __init__(self, spec: Mapping[str, Any], earlier: Mapping[str, Recorder]) -> None:
        self.spec = spec
        self.seed = spec.get("seed", 1)
        self.script = read_script(spec.get("script") or {})
        self.budget = Budget(**spec["budget"]) if "budget" in spec else None
        self.acts = list(spec.get("acts", ()))
        self.log: list[Event] = []
        self.run = RunState()
        self.now = BEGIN
        self.answers = 0
        self.gone = False
        self.program, self.graph = _program(spec)
        if "fork_of" in spec:
            self._fork(earlier[spec["fork_of"]])
        else:
            self._start()
        while self._go_on():
            pass

    def _start(self) -> None:
        begin = {"breakpoints": tuple(self.spec.get("breakpoints", ()))}
        inputs = self.spec.get("inputs", simulated_inputs(self.program))
        paused = bool(self.spec.get("paused"))
        self.send(Start(at=self.now, inputs=inputs, paused=paused, run="r1", **begin))

    def _fork(self, old: Recorder) -> None:
        """As `workflows.actions.forks` does it: the old log up to a point where nothing is half
        done; under another revision the program asks again for all that is pending."""
        point = fork_point(old.log, self.spec["fork_at"])
        first, *rest = old.log[:point]
        came_from = {"run": "r2", "forked_from": {"run": "r1", "at": point}}
        self.take([replace(first, fields={**first.fields, **came_from}), *rest])
        self.now = BEGIN + 1_000
        if "edits" in self.spec:
            self.take(repeat_requests(self.program, self.run, self.now, budget=self.budget))

    def _go_on(self) -> bool:
        """False at the end of the log."""
        if self.gone or len(self.log) > MOST_EVENTS:
            return False
        if self.run.finished:
            return self._after_the_end()
        effects = [e for e in pending_effects(self.run) if e.key not in self.run.unanswered]
        if self.acts and (self.acts[0][0] <= self.answers or not effects):
            _, what, *more = self.acts.pop(0)
            self._act(what, more[0] if more else {})
            return True
        if not effects:
            return False
        effect = effects[0]
        if self.spec.get("any_order"):
            effect = Rng(self.seed, self.answers, "order").pick(effects)
        self.answers += 1
        return self.send(self._answer(effect))

    def _answer(self, effect: Effect) -> Signal:
        """The script's answer, or the rehearsal driver's where the script has none."""
        options = {"seed": self.seed, "script": self.spec.get("script") or {}}
        if isinstance(effect, AskModel):
            if next_entry(self.script, "replies", effect, self.run):
                return scripted_reply(self.script, effect, self.run, self.seed)
        elif answer := script_answer(effect, self.run, self.graph, options):
            return answer
        answer = rehearse_answer(effect, self.run, self.graph, options)
        if isinstance(answer, Reply) and self.spec.get("usage"):
            rng = Rng(self.seed, effect.key, "usage")
            answer = replace(
                answer,
                usage=Usage(
                    input_tokens=rng.between(100, 900),
                    output_tokens=rng.between(10, 90),
                    cost=rng.between(1, 99) / 1000,
                ),
            )
        assert answer is not None
        return answer

    def _after_the_end(self) -> bool:
        """False if no act is left that follows the end of a run."""
        if not self.acts or self.acts[0][1] != "workspace":
            return False
        _, what, more = self.acts.pop(0)
        self._act(what, more)
        return True

    def _act(self, what: str, more: Mapping[str, Any]) -> None:
        at = self.now
        match what:
            case "pause" | "resume" | "step" | "cancel":
                self.send(Control(at=at, what=what, **more))
            case "breakpoints":
                self.send(
                    Breakpoints(at=at, ids=tuple(more.get("ids", ())), until=more.get("until", ""))
                )
            case "fire":
                self.send(Fire(at=at, **more))
            case "tell":
                self.send(Tell(at=at, **more))
            case "time_up":
                self.send(TimeUp(at=at, key=pending_effects(self.run)[0].key))
            case "wait":
                self.now += more["seconds"]
            case "leave":
                self.gone = True
            case _:
                self._shell(what, more)

    def _shell(self, what: str, more: Mapping[str, Any]) -> None:
        """Events that no program writes: those of `workflows.actions.runs`, and artifacts of kinds
        that no dialect sets yet."""
        for effect in pending_effects(self.run):
            at = {"key": effect.key, "position": effect.position, "state": effect.state}
            if what == "left_to_people" and not isinstance(effect, AskHuman):
                self.write("run.waiting", {**at, "for": "person"})
            if what == "allow" and effect.key in self.run.left_to_people:
                self.write("effect.allowed", {**at, "for": effect.performer, "by": "ada"})
            if what == "repeat" and effect.performer in ("model", "tool", "command"):
                of_model = isinstance(effect, AskModel)
                kind = {"estimated_input_tokens": 12} if of_model else {"for": effect.performer}
                self.write("effect.repeated", {**at, "reason": "The worker stopped.", **kind})
            if what == "unanswered":
                self.write("run.paused", {"reason": "The model is away.", "unanswered": effect.key})
        if what == "fail":
            reason = "It cannot go on."  # prose: off, part of the vectors
            self.write("run.finished", {"status": "failed", "reason": reason})
        if what == "workspace":
            self.write("workspace.closed", {"kind": "git", **more})
            self.write("workspace.kept", {"branch": "done", "commit": more["commit"], "by": "ada"})
        if what == "artifact":
            self.write("artifact.set", {"state": self.run.positions[0].state, **more})

    def send(self, signal: Signal) -> bool:
        self.now += 1.5
        signal = replace(signal, at=self.now)
        events, _ = transition(self.program, self.run, signal, budget=self.budget)
        self.take(events)
        return bool(events)

    def write(self, type: str, fields: Mapping[str, Any]) -> None:
        self.take([Event(n=self.run.n + 1, at=self.now, type=type, fields=fields)])

    def take(self, events: Iterable[Event]) -> None:
        new = list(events)
        self.log += new
        self.run = fold_all(new, self.run)


def _program(spec: Mapping[str, Any]) -> tuple[Program, Graph]:
    dialect_name, _, sample = spec["pack"].partition("/")
    dialect = dialects()[dialect_name]
    profile = spec.get("profile", dialect.profiles[0])
    source = dialect.read(dialect.samples()[sample])
    for edit in spec.get("edits", ()):
        source = dialect.apply(source, edit_from_json(edit))
    program = dialect.program(source, profile)
    if spec.get("checks_calls"):
        program = program.with_tools({})
    return program, dialect.graph(source, profile)


def recordings() -> list[dict[str, Any]]:
    body = tomllib.loads((FOLDER / "recordings.toml").read_text())
    return list(body["recording"])


def record(specs: Iterable[Mapping[str, Any]]) -> dict[str, Recorder]:
    """The recordings by name. A fork follows the recording that it was forked from."""
    done: dict[str, Recorder] = {}
    for spec in specs:
        try:
            done[spec["name"]] = Recorder(spec, done)
        except CannotRun as cannot:
            raise SystemExit(f"{spec['name']}: {cannot.message}") from cannot
    return done


def as_text(vector: Mapping[str, Any]) -> str:
    """JSON with one event and one view a line, so that a change shows where it is."""
    parts = []
    for name, value in vector.items():
        lines = ",\n".join("  " + _line(item) for item in value) if isinstance(value, list) else ""
        parts.append(f'"{name}": ' + (f"[\n{lines}\n]" if lines else _line(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def main() -> int:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    specs = recordings()
    vectors = {
        name: as_text(vector_of(name, spec["about"], recorder.log))
        for spec, (name, recorder) in zip(specs, record(specs).items(), strict=True)
    }
    for old in FOLDER.glob("*.json"):
        if old.stem not in vectors:
            old.unlink()
    for name, text in vectors.items():
        (FOLDER / f"{name}.json").write_text(text)
    print(f"{len(vectors)} vectors, {sum(map(len, vectors.values())):,} characters.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
