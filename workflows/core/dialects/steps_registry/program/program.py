"""The program of a registry, in both profiles (specs of the format, sections 4, 8 and 15).

An iteration is one model call, one process, or one failed check before a call. A visit has a stage
in the position's memory: "" (start) → `preflight` → `model` → `tools` → `post`, or `runner`. The
run's memory holds `iteration`, `output:<step>`, `errors` and `answered`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.tools import agent_tools, step_tools
from workflows.core.dialects.steps_registry.graph.implicit_transitions import EXIT
from workflows.core.dialects.steps_registry.graph.projection import runs_process
from workflows.core.dialects.steps_registry.program import prompts, tool_use
from workflows.core.dialects.steps_registry.program.answer_schemas import schema_failure
from workflows.core.dialects.steps_registry.program.answers import handle_model_error, handle_reply
from workflows.core.dialects.steps_registry.program.context import Drafts, RegistryContext
from workflows.core.dialects.steps_registry.program.effects import (
    ask_model,
    permission_of,
    process_of,
)
from workflows.core.dialects.steps_registry.program.endings import (
    fail_run,
    finish_run,
    next_iteration,
)
from workflows.core.dialects.steps_registry.program.event_drafts import (
    boundary_draft,
    error_draft,
    verdict_drafts,
    warning_draft,
)
from workflows.core.dialects.steps_registry.program.gate import RunFault
from workflows.core.dialects.steps_registry.program.required_inputs import needs
from workflows.core.dialects.steps_registry.program.texts import extract_object
from workflows.core.dialects.steps_registry.program.validator_sequence import (
    handle_check_result,
    next_check,
)
from workflows.core.dialects.steps_registry.program.validators import checks_for
from workflows.core.dialects.steps_registry.rules import startup
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.effects import AskModel, Effect, RunCommand, ToolSpec
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, CannotRun, Outcome, Program, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.run_options import RunInput, declared_input
from workflows.core.engine.signals import CommandDone, Reply, Signal, ToolDone
from workflows.core.text.tolerant import as_object


def program(source: RegistrySource, profile: str) -> RegistryProgram:
    """The program of a pack. Raises CannotRun for a pack that cannot run."""
    if not source.readable:
        raise CannotRun("The registry cannot be read.", code="SR001")
    if source.generation == "legacy":
        raise CannotRun("A registry from before 1.13 is only shown, not run.", code="SR004")
    return RegistryProgram(source=source, profile=profile)


class RegistryProgram(Program):
    """See `engine.program.Program`."""

    def __init__(self, *, source: RegistrySource, profile: str) -> None:
        self.source = source
        self.profile = profile
        self.context = RegistryContext(source, profile)
        self._session: Mapping[str, ToolSpec] | None = None

    @cached_property
    def terminals(self) -> frozenset[str]:
        return frozenset(step.id for step in self.source.steps.values() if step.kind == "closure")

    @cached_property
    def required_inputs(self) -> tuple[str, ...]:
        """Names of the inputs that a run requires; a rehearsal simulates them."""
        return needs(self.source)

    @property
    def inputs(self) -> tuple[RunInput, ...]:
        """The parameters of agent.json, and the other inputs that a run requires."""
        declared: dict[str, Any] = as_object(self.source.agent_value("parameters"))
        required = self.required_inputs
        parts = {name: declared.get(name) for name in dict.fromkeys((*required, *declared))}
        return tuple(
            declared_input(name, as_object(part), required=name in required)
            for name, part in parts.items()
        )

    @cached_property
    def _tools(self) -> dict[str, ToolSpec]:
        return agent_tools(self.source, self._session)

    @cached_property
    def tool_parameters(self) -> Mapping[str, Mapping[str, Any]]:
        tools = self._tools if self._session is not None else {}
        return {name: tool.parameters for name, tool in tools.items()}

    def with_tools(self, tools: Mapping[str, ToolSpec]) -> RegistryProgram:
        other = RegistryProgram(source=self.source, profile=self.profile)
        other._session = dict(tools)
        return other

    @property
    def wants_worktree(self) -> bool:
        """`runner.execution.worktree.enabled` of agent.json."""
        settings = self.source.agent_value("runner", "execution", "worktree")
        return isinstance(settings, dict) and settings.get("enabled") is True

    def start(self, run: RunState) -> tuple[str, ...]:
        """The entry of the agent's verdict type. Under `climpt`, raises CannotRun for every error
        that stops Climpt at startup."""
        source = self.source
        if self.context.climpt:
            if (failure := startup.first_failure(source)) is not None:
                raise CannotRun(failure[1], code=failure[0])
            if source.verdict == "poll:state" and not run.inputs.get("issue"):
                raise CannotRun(
                    '[AC-VERDICT-001] poll:state verdict type requires "issue" parameter.',
                    code="AC-VERDICT-001",
                )
        entry = source.entry
        if entry is None and not source.agent:  # Without agent.json, no verdict type is known.
            entry = next((id for _, id in source.entries), None)
        if entry is None or entry not in source.steps:
            raise CannotRun(
                f'No entry step configured for verdictType "{source.verdict}".', code="SR-GATE-002"
            )
        return (entry,)

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        """The next effect of this visit, by its stage."""
        step = self.source.steps.get(position.state)
        if step is None:
            return fail_run(RunFault("SR-TRANS-001", f"There is no step {position.state!r}."))
        try:
            match position.memory.get("stage", ""):
                case "":
                    return self._begin(run, step)
                case "runner":
                    return self._run_process(run, position, step, key)
                case "preflight" | "post" as stage:
                    return next_check(self.context, run, position, step, key, stage)
                case tool_use.STAGE:
                    return self._use_tools(run, position, step, key)
                case _:
                    return self._ask_model(run, position, step, key)
        except RunFault as fault:
            return fail_run(fault)

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        """The outcome of a reply, of a finished command, or of a wait."""
        step = self.source.steps[position.state]
        try:
            match signal:
                case Reply(error=error) if (
                    error and signal.finish_reason and not self.context.climpt
                ):
                    return fail_run(RunFault("AGENT_NO_ANSWER", error), error_draft(run, error))
                case Reply(error=error) if error:
                    return handle_model_error(self.context, run, position, step, error)
                case ToolDone():
                    return tool_use.handle_result(position, signal)
                case Reply() if isinstance(effect, AskModel) and tool_use.calls_tools(
                    position, effect, signal
                ):
                    return tool_use.begin_calls(position, signal)
                case Reply():
                    return handle_reply(self.context, run, position, step, signal)
                case CommandDone() if position.memory.get("stage") == "runner":
                    return self._process_ended(run, step, signal)
                case CommandDone():
                    return handle_check_result(self.context, run, position, step, signal)
            return Outcome(next=Again())
        except RunFault as fault:
            return fail_run(fault)

    def fire(self, run: RunState, position: Position, event: str) -> Outcome | None:
        """Take a transition that a person chose by its intent or full label."""
        step = self.source.steps.get(position.state)
        for transition in step.transitions if step is not None else ():
            if (
                event in (transition.label, transition.id)
                and transition.target in self.source.steps
            ):
                return Outcome(next=Take(target=transition.target, label=transition.label))
        return None

    def _begin(self, run: RunState, step: Step) -> Outcome:
        number = prompts.iteration(run) + 1
        stage, notes = "model", {}
        if runs_process(step) and not self.context.runs_as_1_13_15:
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
        """True if validators run before the model call: in Climpt since 1.13.23. 1.14 has a list
        for them."""
        checks = checks_for(self.source, step, self.profile)
        if self.source.generation == "B":
            return "preflightConditions" in checks.value and bool(checks.conditions("preflight"))
        early = self.context.climpt and not self.context.runs_as_1_13_15 and self.source.flow
        return early and bool(checks.conditions("preflight"))

    def _ask_model(self, run: RunState, position: Position, step: Step, key: str) -> Outcome:
        trouble, over = schema_failure(self.context, run, step)
        if over is not None:
            return over
        retry = position.memory.get("retry")
        if retry:
            prompt = prompts.Prompt(text=str(retry))
        else:
            adaptation = position.memory.get("adaptation")
            prompt = prompts.render(self.context, run, step, adaptation)
        drafts = [*trouble, *(warning_draft(text) for text in prompt.warnings)]
        memory = {"stage": "model", "retry": "", "prompt": prompt.text}
        drafts.append(
            Draft(
                type="steps_registry.prompt",
                fields={"path": prompt.path, "text": prompt.text, "memory": memory},
            )
        )
        effect = self._question(run, step, prompt.text, key, position.id)
        return Outcome(drafts=tuple(drafts), next=Ask(effect=effect))

    def _question(
        self, run: RunState, step: Step, prompt: str, key: str, position: str
    ) -> AskModel:
        question = ask_model(self.context, run, step, prompt, key, position)
        return replace(question, tools=self._offered(step))

    def _offered(self, step: Step) -> tuple[ToolSpec, ...]:
        return step_tools(self._tools, step, permission_of(self.context, step))

    def _use_tools(self, run: RunState, position: Position, step: Step, key: str) -> Outcome:
        offered = {tool.name: tool for tool in self._offered(step)}
        made = tool_use.next_call(self.source, position, offered, key)
        if made is not None:
            return made
        prompt = str(position.memory.get("prompt", ""))
        question = self._question(run, step, prompt, key, position.id)
        return Outcome(next=Ask(effect=tool_use.ask_again(position, question)))

    def _run_process(self, run: RunState, position: Position, step: Step, key: str) -> Outcome:
        try:
            command, timeout = process_of(step, run)
        except RunFault as fault:
            return next_iteration(self.context, run, step, (error_draft(run, fault.message),))
        effect = RunCommand(
            key=key,
            position=position.id,
            state=step.id,
            command=command,
            timeout=timeout,
            why=f"The closure step {step.id} runs a process instead of the model.",
        )
        return Outcome(next=Ask(effect=effect))

    def _process_ended(self, run: RunState, step: Step, done: CommandDone) -> Outcome:
        output = extract_object(done.stdout) or {"raw": done.stdout}
        drafts: Drafts = (
            Draft(type="steps_registry.process", fields={"exit": done.exit, "output": output}),
            *verdict_drafts(self.context, output),
            boundary_draft(self.source, step, output),
        )
        if done.exit == 0:
            return finish_run(self.context, run, step, EXIT, drafts)
        problem = f"Subprocess exited with code {done.exit}"
        return next_iteration(self.context, run, step, (*drafts, error_draft(run, problem)))
