"""How a registry runs, under both readings (specs of the format, sections 4, 8 and 15).

One *iteration* is one model call, one process, or one failed check before a call. A stay at a
step has a stage, kept in the position's memory: "" (begin) → `preflight` → `model` → `post`,
or `runner`. What lasts is in the run's memory: `iteration`, `output:<step>`, `errors`, `answered`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from json import dumps
from typing import Any

from workflows.core.dialects.steps_registry import load
from workflows.core.dialects.steps_registry.run import asking, verdicts
from workflows.core.dialects.steps_registry.run.checks import (
    Checks,
    checks_for,
    command_of,
    hopeless,
    parameters_of,
    retry_text,
    succeeded,
    validator_of,
)
from workflows.core.dialects.steps_registry.run.effects import ask_model, process_of
from workflows.core.dialects.steps_registry.run.gate import Reading, RunFault, interpret
from workflows.core.dialects.steps_registry.run.needs import needs
from workflows.core.dialects.steps_registry.run.router import route
from workflows.core.dialects.steps_registry.run.texts import found_object, json_block, value_at
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.dialects.steps_registry.steps import Step
from workflows.core.engine.effects import Effect, RunCommand, Wait
from workflows.core.engine.events import Draft
from workflows.core.engine.program import (
    Again,
    Ask,
    Budget,
    CannotRun,
    End,
    Outcome,
    Take,
)
from workflows.core.engine.run import Position, Run
from workflows.core.engine.schema_fit import fits
from workflows.core.engine.signals import CommandDone, Reply, Signal

RATE_LIMITS = 5
FORMAT_RETRY = (
    "The previous response did not match the expected format.\n\nError: {}\n\n"
    "Please provide a response in the correct format."
)

Drafts = tuple[Draft, ...]


def program(source: RegistrySource, profile: str) -> RegistryProgram:
    """Raises CannotRun for a pack that can only be looked at."""
    if not source.readable:
        raise CannotRun("The registry cannot be read.", code="SR001")
    if source.generation == "legacy":
        raise CannotRun("A registry from before 1.13 is only shown, not run.", code="SR004")
    if source.generation == "B" and profile == "climpt":
        raise CannotRun("Climpt 1.13.27 cannot load the 1.14 generation.", code="SR005")
    return RegistryProgram(source=source, profile=profile)


class RegistryProgram:
    """See `engine.program.Program`."""

    def __init__(self, *, source: RegistrySource, profile: str) -> None:
        self.source = source
        self.profile = profile
        self.budget = Budget()
        self.terminals = frozenset(
            step.id for step in source.steps.values() if step.kind == "closure"
        )

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """Inputs that a run has to bring along; a rehearsal makes them up."""
        return needs(self.source)

    @property
    def climpt(self) -> bool:
        return self.profile == "climpt"

    # -- the protocol -----------------------------------------------------------------------

    def start(self, run: Run) -> tuple[str, ...]:
        """The entry of the agent's verdict type. Climpt refuses whatever its load would refuse."""
        source = self.source
        if self.climpt:
            if (failure := load.first_failure(source)) is not None:
                raise CannotRun(failure[1], code=failure[0])
            if source.verdict == "poll:state" and not run.inputs.get("issue"):
                raise CannotRun(
                    '[AC-VERDICT-001] poll:state verdict type requires "issue" parameter.',
                    code="AC-VERDICT-001",
                )
        entry = source.entry or next((id for _, id in source.entries), None)
        if entry is None or entry not in source.steps:
            raise CannotRun(
                f'No entry step configured for verdictType "{source.verdict}".', code="SR-GATE-002"
            )
        return (entry,)

    def ask(self, run: Run, position: Position, key: str) -> Outcome:
        """What the stage of this stay wants next."""
        step = self.source.steps.get(position.state)
        if step is None:
            return self._fail(RunFault("SR-TRANS-001", f"There is no step {position.state!r}."))
        try:
            match position.memory.get("stage", ""):
                case "":
                    return self._begin(run, step)
                case "runner":
                    return self._run_process(run, position, step, key)
                case "preflight" | "post" as stage:
                    return self._check(run, position, step, key, stage)
                case _:
                    return self._ask_model(run, position, step, key)
        except RunFault as fault:
            return self._fail(fault)

    def answer(self, run: Run, position: Position, effect: Effect, signal: Signal) -> Outcome:
        """What came back: an answer, a command's end, or the end of a wait."""
        step = self.source.steps[position.state]
        try:
            match signal:
                case Reply(error=error) if error:
                    return self._model_failed(run, position, step, error)
                case Reply():
                    return self._replied(run, position, step, signal)
                case CommandDone() if position.memory.get("stage") == "runner":
                    return self._process_ended(run, step, signal)
                case CommandDone():
                    return self._check_ended(run, position, step, signal)
            return Outcome(next=Again())
        except RunFault as fault:
            return self._fail(fault)

    def fire(self, run: Run, position: Position, event: str) -> Outcome | None:
        """A person takes an arrow of this step, by its intent or its whole label."""
        step = self.source.steps.get(position.state)
        for arrow in step.arrows if step is not None else ():
            if event in (arrow.label, arrow.id) and arrow.target in self.source.steps:
                return Outcome(next=Take(target=arrow.target, label=arrow.label))
        return None

    # -- an iteration begins ----------------------------------------------------------------

    def _begin(self, run: Run, step: Step) -> Outcome:
        number = asking.iteration(run) + 1
        stage, notes = "model", {}
        if step.kind == "closure" and isinstance(step.value.get("runner"), dict):
            stage = "runner"
        elif step.kind == "closure" and self._before_model(step):
            stage, notes = "preflight", {"index": 0}
        fields = {
            "iteration": number,
            "run_memory": {"iteration": number},
            "memory": {"stage": stage, **notes},
        }
        return Outcome(
            drafts=(Draft(type="steps_registry.iteration", fields=fields),), next=Again()
        )

    def _before_model(self, step: Step) -> bool:
        """Climpt (since 1.13.23) and the 1.14 generation check before the model is asked, too."""
        checks = checks_for(self.source, step, self.profile)
        stated = "preflightConditions" in checks.value
        return (stated or (self.climpt and self.source.flow)) and bool(
            checks.conditions("preflight")
        )

    def _ask_model(self, run: Run, position: Position, step: Step, key: str) -> Outcome:
        retry = position.memory.get("retry")
        if retry:
            prompt = asking.Prompt(text=str(retry))
        else:
            prompt = asking.render(self.source, run, step, self.profile)
        drafts = [_warning(text) for text in prompt.warnings]
        asked = {"stage": "model", "retry": "", "prompt": prompt.text}
        drafts.append(
            Draft(
                type="steps_registry.prompt",
                fields={"path": prompt.path, "text": prompt.text, "memory": asked},
            )
        )
        effect = ask_model(self.source, run, step, self.profile, prompt.text, key, position.id)
        return Outcome(drafts=tuple(drafts), next=Ask(effect=effect))

    def _run_process(self, run: Run, position: Position, step: Step, key: str) -> Outcome:
        try:
            command, timeout = process_of(step, run)
        except RunFault as fault:
            return self._next_iteration(run, (_error(run, fault.message),))
        effect = RunCommand(
            key=key,
            position=position.id,
            state=step.id,
            command=command,
            timeout=timeout,
            why=f"The closure step {step.id} runs a process instead of the model.",
        )
        return Outcome(next=Ask(effect=effect))

    def _process_ended(self, run: Run, step: Step, done: CommandDone) -> Outcome:
        output = found_object(done.stdout) or {"raw": done.stdout}
        drafts: Drafts = (_output(run, step.id, output), *_verdict(output), _boundary(step))
        if done.exit == 0:
            return self._done(run, None, drafts)
        problem = f"Subprocess exited with code {done.exit}"
        return self._next_iteration(run, (*drafts, _error(run, problem)))

    # -- validators -------------------------------------------------------------------------

    def _check(self, run: Run, position: Position, step: Step, key: str, stage: str) -> Outcome:
        checks = checks_for(self.source, step, self.profile)
        index = int(position.memory.get("index", 0))
        conditions = checks.conditions(stage)
        if index >= len(conditions):
            return self._checks_passed(run, position, step, checks, stage)
        name, validator = validator_of(self.source, conditions[index])
        command = command_of(validator, conditions[index])
        if command is None:
            passed = _check_draft("check.passed", name, checks, stage, {"index": index + 1})
            note = _warning(f"Validator {name!r} has nothing to run and counts as passed.")
            return Outcome(drafts=(note, passed), next=Again())
        effect = RunCommand(
            key=key,
            position=position.id,
            state=step.id,
            command=command,
            why=f"Validator {name} of {checks.key}.",
        )
        return Outcome(next=Ask(effect=effect))

    def _check_ended(self, run: Run, position: Position, step: Step, done: CommandDone) -> Outcome:
        stage = str(position.memory.get("stage", "post"))
        checks = checks_for(self.source, step, self.profile)
        index = int(position.memory.get("index", 0))
        condition = checks.conditions(stage)[index]
        name, validator = validator_of(self.source, condition)
        if succeeded(validator, done.exit, done.stdout):
            passed = _check_draft("check.passed", name, checks, stage, {"index": index + 1})
            return Outcome(drafts=(passed,), next=Again())
        output = {"stdout": done.stdout, "stderr": done.stderr, "exit": done.exit}
        params = parameters_of(validator, output, self.profile)
        text = retry_text(self.source, checks, validator, output, params)
        failed = _check_draft("check.failed", name, checks, stage, {})
        if stage == "preflight":
            return self._before_failed(run, checks, text, failed)
        return self._after_failed(
            run, position, step, checks, text, failed, hopeless(validator, done.exit, done.stderr)
        )

    def _before_failed(self, run: Run, checks: Checks, text: str, failed: Draft) -> Outcome:
        """Before the call `onFailure` does not count: the same step again, with the retry prompt
        (1.14: the run ends)."""
        if "preflightConditions" in checks.value:
            return self._fail(_aborted(checks, text), failed)
        return self._next_iteration(run, (failed,), {"retry": text})

    def _after_failed(
        self,
        run: Run,
        position: Position,
        step: Step,
        checks: Checks,
        text: str,
        failed: Draft,
        hopeless: bool,
    ) -> Outcome:
        if checks.action == "skip" and not hopeless:
            return self._checks_passed(run, position, step, checks, "post", (failed,))
        attempts = int(run.memory.get(checks.counter, 0)) + 1
        count = Draft(
            type="steps_registry.attempt",
            fields={"attempts": attempts, "run_memory": {checks.counter: attempts}},
        )
        if hopeless or checks.action == "abort" or attempts >= checks.most:
            return self._fail(_aborted(checks, text), failed, count)
        back = run.memory.get("worked")
        if self.climpt or back not in self.source.steps:
            return self._next_iteration(run, (failed, count), {"retry": text})
        if asking.iteration(run) >= asking.most_iterations(self.source):
            return self._out_of_iterations(run, (failed, count))
        take = Take(target=str(back), label="retry", memory=(("retry", text),))
        return Outcome(drafts=(failed, count), next=take)

    def _checks_passed(
        self,
        run: Run,
        position: Position,
        step: Step,
        checks: Checks,
        stage: str,
        drafts: Drafts = (),
    ) -> Outcome:
        """Go on to the model, or to what the answer said. A pass sets the counter back, but in the
        document's reading only one that ends the visit (D5)."""
        fields: dict[str, Any] = {"stage": stage}
        if checks.key and (self.climpt or stage == "post"):
            fields["run_memory"] = {checks.counter: 0}
        if stage == "preflight":
            fields["memory"] = {"stage": "model"}
            draft = Draft(type="steps_registry.checked", fields=fields)
            return Outcome(drafts=(*drafts, draft), next=Again())
        draft = Draft(type="steps_registry.checked", fields=fields)
        memory = position.memory
        answer = memory.get("answer")
        return self._decide(
            run,
            step,
            answer if isinstance(answer, dict) else None,
            str(memory.get("text", "")),
            (*drafts, draft),
            ended=bool(memory.get("ended")),
        )

    # -- answers ----------------------------------------------------------------------------

    def _model_failed(self, run: Run, position: Position, step: Step, error: str) -> Outcome:
        """A rate limit waits and asks again; any other failure is an answer without content."""
        if not _rate_limited(error):
            return self._without_answer(run, position, step, (_error(run, error),))
        count = int(run.memory.get("rate_limits", 0)) + 1
        seconds = min(60.0, 5.0 * 2 ** (count - 1))
        note = _error(run, f"Rate limit hit, will retry after {int(seconds * 1000)}ms")
        if count >= RATE_LIMITS:
            fault = RunFault("AGENT_RATE_LIMIT", f"Rate limit exceeded after {count} retries")
            return self._fail(fault, note)
        stage = "model" if step.kind == "closure" else ""
        over = stage == "" and asking.iteration(run) >= asking.most_iterations(self.source)
        if over:
            return self._out_of_iterations(run, (note,))
        notes = {"memory": {"stage": stage}, "run_memory": {"rate_limits": count}}
        draft = Draft(type="steps_registry.rate_limited", fields={"seconds": seconds, **notes})
        wait = Wait(key="", position=position.id, state=step.id, seconds=seconds)
        return Outcome(drafts=(note, draft), next=Ask(effect=wait))

    def _without_answer(self, run: Run, position: Position, step: Step, drafts: Drafts) -> Outcome:
        if step.kind == "closure" or not self.source.flow:
            return self._decide(_noted(run, drafts), step, None, "", drafts)
        return self._unrouted(run, step, drafts)

    def _replied(self, run: Run, position: Position, step: Step, reply: Reply) -> Outcome:
        answer = reply.structured if isinstance(reply.structured, dict) else None
        if answer is None and reply.text:
            answer = found_object(reply.text)
        drafts = self._recorded(run, position, step, answer, reply.text)
        run = _noted(run, drafts)
        if step.kind == "closure" and (self.climpt or step.gate is None):
            return self._after_answer(run, position, step, answer, reply.text, drafts)
        if not self.source.flow:
            return self._after_answer(run, position, step, answer, reply.text, drafts)
        return self._routed(run, position, step, answer, reply.text, drafts)

    def _recorded(
        self, run: Run, position: Position, step: Step, answer: dict[str, Any] | None, text: str
    ) -> Drafts:
        """The answer as the step's output, and the turn for those who are asked next."""
        number = asking.iteration(run)
        summary = (answer or {}).get("summary")
        shown = text or _compact(answer)
        memory: dict[str, Any] = {
            "answered": int(run.memory.get("answered", 0)) + 1,
            "checks": int(run.memory.get("checks", 0)) + 1,
            "rate_limits": 0,
            "summary": summary if isinstance(summary, str) else shown[:500],
            f"turn:{number}": {"prompt": position.memory.get("prompt", ""), "answer": shown},
        }
        if answer is not None:
            own = {"stepId": step.id} if "stepId" in answer else {}
            memory[f"output:{step.id}"] = {**answer, **own, "iteration": number}
        return (
            Draft(type="steps_registry.output", fields={"run_memory": memory}),
            *_verdict(answer),
        )

    def _routed(
        self,
        run: Run,
        position: Position,
        step: Step,
        answer: dict[str, Any] | None,
        text: str,
        drafts: Drafts,
    ) -> Outcome:
        if step.gate is None or (answer is None and self.climpt):
            return self._unrouted(run, step, drafts)
        answer = answer or {}
        reading = interpret(step, answer)
        drafts = (*drafts, _intent_draft(reading))
        if reading.warning:
            drafts = (*drafts, _warning(reading.warning))
        way = route(self.source, step, reading, self.profile)
        closing = value_at(answer, "next_action.action") == "closing"
        if closing and self.climpt and way.target is not None and step.kind is not None:
            raise RunFault(
                "FAILED_STEP_ROUTING",
                f'Non-closure step "{step.id}" (kind: {step.kind}) emitted closing signal '
                '"closing". Only closure steps may emit closing/repeat signals.',
            )
        if way.target is None:
            if reading.intent == "abort" and not self.climpt:
                fault = RunFault(
                    "ABORTED", f"{step.id!r} ended the run: {reading.reason or 'abort'}"
                )
                return self._fail(fault, *drafts)
            return self._after_answer(run, position, step, answer, text, drafts, ended=True)
        if reading.handoff:
            drafts = (*drafts, _output(run, step.id, reading.handoff))
        return self._go(run, step, way.target, way.label, way.meant, drafts)

    def _go(
        self, run: Run, step: Step, target: str, label: str, meant: str, drafts: Drafts
    ) -> Outcome:
        if asking.iteration(run) >= asking.most_iterations(self.source):
            return self._out_of_iterations(run, drafts)
        if step.kind != "closure":
            worked = Draft(type="steps_registry.worked", fields={"run_memory": {"worked": step.id}})
            drafts = (*drafts, worked)
        take = Take(target=target, label=label, redirected=bool(meant), original_target=meant)
        return Outcome(drafts=drafts, next=take)

    def _unrouted(self, run: Run, step: Step, drafts: Drafts) -> Outcome:
        """Nothing to route by: the first iteration runs again, a later one ends the run."""
        number = asking.iteration(run)
        if number == 1:
            return self._next_iteration(run, drafts)
        raise_with = RunFault(
            "FAILED_STEP_ROUTING",
            f'[StepFlow] No intent produced for iteration {number} on step "{step.id}". Flow steps '
            "must produce structured output with a valid intent. Check that the step's schema "
            "includes next_action.action and the LLM returns valid JSON.",
        )
        return self._fail(raise_with, *drafts)

    def _after_answer(
        self,
        run: Run,
        position: Position,
        step: Step,
        answer: dict[str, Any] | None,
        text: str,
        drafts: Drafts,
        ended: bool = False,
    ) -> Outcome:
        """Validators after the answer, then what it said."""
        checks = checks_for(self.source, step, self.profile)
        schema = checks.value.get("outputSchema")
        if isinstance(schema, dict):
            block = json_block(text)
            problem = "No JSON block found in response" if block is None else ""
            if not problem and not fits(block, schema, schema):
                problem = "The JSON block does not fit the expected schema"
            if problem:
                return self._next_iteration(run, drafts, {"retry": FORMAT_RETRY.format(problem)})
        if not checks.conditions("post"):
            return self._decide(run, step, answer, text, drafts, ended=ended)
        memory = {"stage": "post", "index": 0, "answer": answer, "text": text, "ended": ended}
        draft = Draft(type="steps_registry.checking", fields={"memory": memory})
        return Outcome(drafts=(*drafts, draft), next=Again())

    def _decide(
        self,
        run: Run,
        step: Step,
        answer: dict[str, Any] | None,
        text: str,
        drafts: Drafts,
        *,
        ended: bool = False,
    ) -> Outcome:
        """Is the run over? Exactly `closing` at next_action.action, else the verdict (4.7)."""
        action = value_at(answer or {}, "next_action.action")
        hook: Drafts = (_boundary(step),) if step.kind == "closure" else ()
        if ended or action == "closing":
            return self._done(run, answer, (*drafts, *hook))
        if action == "repeat" and step.kind == "closure":
            return self._go(run, step, step.id, "repeat", "", drafts)
        if verdicts.is_finished(self.source, run, answer, text):
            return self._done(run, answer, (*drafts, *hook))
        return self._next_iteration(run, drafts)

    # -- ends -------------------------------------------------------------------------------

    def _done(self, run: Run, answer: dict[str, Any] | None, drafts: Drafts) -> Outcome:
        """Finished. In Climpt a run that had an error, or no answer at all, is no success."""
        run = _noted(run, drafts)
        reason = verdicts.how_it_ended(self.source, run)
        if run.memory.get("errors"):
            if self.climpt:
                why = "Completion reported but errors accumulated"
                return Outcome(drafts=drafts, next=End(status="failed", reason=why))
            reason = f"{reason}; on the way: {'; '.join(run.memory['errors'])}"
        if self.climpt and not run.memory.get("answered"):
            why = "Completion reported but no LLM responses received"
            return Outcome(drafts=drafts, next=End(status="failed", reason=why))
        return Outcome(drafts=drafts, next=End(status="completed", reason=reason))

    def _next_iteration(
        self, run: Run, drafts: Drafts, memory: dict[str, Any] | None = None
    ) -> Outcome:
        """The same step once more, unless the iterations are used up."""
        if asking.iteration(run) >= asking.most_iterations(self.source):
            return self._out_of_iterations(run, drafts)
        notes = {"memory": {"stage": "", **(memory or {})}}
        draft = Draft(type="steps_registry.again", fields=notes)
        return Outcome(drafts=(*drafts, draft), next=Again())

    def _out_of_iterations(self, run: Run, drafts: Drafts) -> Outcome:
        most = asking.most_iterations(self.source)
        reason = f"Maximum iterations ({most}) reached without completion"
        code = Draft(
            type="steps_registry.error", fields={"code": "AGENT_MAX_ITERATIONS", "message": reason}
        )
        return Outcome(drafts=(*drafts, code), next=End(status="budget_exhausted", reason=reason))

    def _fail(self, fault: RunFault, *drafts: Draft) -> Outcome:
        code = Draft(
            type="steps_registry.error", fields={"code": fault.code, "message": fault.message}
        )
        return Outcome(drafts=(*drafts, code), next=End(status="failed", reason=fault.message))


# -- drafts ----------------------------------------------------------------------------------


def _warning(text: str) -> Draft:
    return Draft(type="steps_registry.warning", fields={"message": text})


def _error(run: Run, text: str) -> Draft:
    """An error that does not end the run, but is remembered."""
    errors = [*run.memory.get("errors", ()), text]
    return Draft(
        type="steps_registry.warning", fields={"message": text, "run_memory": {"errors": errors}}
    )


def _output(run: Run, id: str, value: dict[str, Any]) -> Draft:
    memory = {f"output:{id}": value}
    return Draft(type="steps_registry.handed_over", fields={"values": value, "run_memory": memory})


def _verdict(answer: dict[str, Any] | None) -> Drafts:
    given = (answer or {}).get("verdict")
    if not isinstance(given, str):
        return ()
    return (Draft(type="artifact.set", fields={"name": "verdict", "value": given}),)


def _boundary(step: Step) -> Draft:
    """Where Climpt closes or labels the issue. Here it is only told."""
    return Draft(type="steps_registry.boundary", fields={"step": step.id, "done": False})


def _intent_draft(reading: Reading) -> Draft:
    fields = {"intent": reading.intent, "target": reading.target, "reason": reading.reason}
    return Draft(type="intent.read", fields={**fields, "handoff": reading.handoff})


def _check_draft(type: str, name: str, checks: Checks, stage: str, memory: dict[str, Any]) -> Draft:
    fields: dict[str, Any] = {"check": name, "of": checks.key, "stage": stage}
    return Draft(type=type, fields={**fields, "memory": memory} if memory else fields)


def _aborted(checks: Checks, text: str) -> RunFault:
    return RunFault("AGENT_VALIDATION_ABORT", f'Validation aborted for step "{checks.key}": {text}')


def _noted(run: Run, drafts: Drafts) -> Run:
    """The run as it will be once these drafts are folded in."""
    memory = dict(run.memory)
    for draft in drafts:
        memory.update(draft.fields.get("run_memory") or {})
    return replace(run, memory=memory)


def _rate_limited(error: str) -> bool:
    lower = error.lower()
    return "429" in lower or "rate limit" in lower or "rate_limit" in lower


def _compact(answer: dict[str, Any] | None) -> str:
    return "" if answer is None else dumps(answer, ensure_ascii=False)
