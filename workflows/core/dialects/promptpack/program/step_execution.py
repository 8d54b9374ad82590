"""Execution of single steps: a model call, a bounded loop with tools, a tool call (section 5.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.format.templates import missing_variables
from workflows.core.dialects.promptpack.program import composition_memory
from workflows.core.dialects.promptpack.program.agent_calls import AgentCalls
from workflows.core.dialects.promptpack.program.branch_answers import reply_choices, result_choices
from workflows.core.dialects.promptpack.program.call_approvals import (
    APPROVED,
    after_approval,
    approved_arguments,
    ask_approval,
    denial,
    needs_approval,
    next_effect,
)
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.conversation import (
    after_call,
    after_reply,
    remember,
)
from workflows.core.dialects.promptpack.program.expected_values import output_schema, values_read
from workflows.core.dialects.promptpack.program.options import model_for
from workflows.core.dialects.promptpack.program.outcomes import make_event, unresolved_event
from workflows.core.dialects.promptpack.program.prompts import OPENING_INPUT, to_message
from workflows.core.dialects.promptpack.program.references import (
    MISSING,
    CannotResolve,
    as_text,
    from_text,
    parse_json,
    resolve,
)
from workflows.core.dialects.promptpack.program.replies import AvailableTools, read_reply
from workflows.core.dialects.promptpack.program.tools import Policy, pack_tools
from workflows.core.dialects.promptpack.program.validators import Validators, Verdict, scores_at
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Approve, Reply, Signal, ToolDone
from workflows.core.text.tolerant import as_object, as_positive_int, as_str, as_str_list


class StepFailed(Exception):
    """The step cannot be executed."""

    def __init__(self, message: str, *drafts: Draft) -> None:
        super().__init__(message)
        self.message = message
        self.drafts = drafts


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDone:
    """The step has finished with this output."""

    output: Any
    drafts: tuple[Draft, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepExecutor:
    """Executes prompt, agent and tool steps. Raises StepFailed."""

    context: PackContext
    validators: Validators

    def opening(self, run: RunState, plan: Plan) -> Any:
        """The composition's input from the run: its input `input`, or an object of the inputs that
        the steps read by name. None if the run has neither."""
        text = run.inputs.get(OPENING_INPUT)
        if text is not None:
            return from_text(text)
        names = {path[0] for path in values_read(plan, (OPENING_INPUT,)) if path}
        if names and names <= run.inputs.keys():
            return {name: from_text(run.inputs[name]) for name in sorted(names)}
        return None

    def ask(
        self, run: RunState, position: Position, key: str, plan: Plan, step: Step
    ) -> Outcome | StepDone:
        called = AgentCalls(context=self.context).next_call(run, position)
        if called is not None:
            return called
        call = next_effect(self.context.parts, position, key)
        if call is not None:
            return Outcome(next=Ask(effect=call))
        if position.memory.get("rounds"):
            done = self._finish_agent(position, step)
            if done is not None:
                return done
        step_input = self._input(run, position, plan, step)
        drafts: tuple[Draft, ...] = ()
        if not position.memory.get("begun"):
            drafts = (
                composition_memory.step_entered(
                    plan, step, input=step_input, memory={"begun": True}
                ),
            )
            verdict = self._check_input(step, step_input)
            drafts += verdict.drafts
            if verdict.blocked:
                return StepDone(output=verdict.text, drafts=drafts)
        if step.kind == "tool":
            effect = self._tool_effect(position, key, plan, step, step_input)
            return Outcome(drafts=drafts, next=Ask(effect=effect))
        request, unresolved = self._ask_model(run, position, key, plan, step, step_input)
        return Outcome(drafts=(*drafts, *unresolved), next=Ask(effect=request))

    def answer(
        self,
        run: RunState,
        position: Position,
        plan: Plan,
        step: Step,
        effect: Effect,
        signal: Signal,
    ) -> Outcome | StepDone:
        match signal:
            case Reply(error=error) if error:
                raise StepFailed(error)
            case Reply():
                return self._model_replied(run, position, plan, step, signal)
            case ToolDone() if step.kind == "tool":
                if signal.error:
                    raise StepFailed(signal.error)
                value = parse_json(signal.result)
                return StepDone(output=signal.result if value is MISSING else value)
            case ToolDone():
                return self._tool_returned(position, step, signal)
            case Approve():
                return self._approved(position, step, effect, signal)
        return Outcome(next=Again())

    # -- asking

    def _check_input(self, step: Step, step_input: Any) -> Verdict:
        """Validate the input of a model, if its prompt has validators for input."""
        prompt = {} if step.kind == "tool" else self._prompt(step)
        return self.validators.check(prompt, as_text(step_input), "input")

    def _input(self, run: RunState, position: Position, plan: Plan, step: Step) -> Any:
        """The input of a step: its own, else the input of the whole composition."""
        root = composition_memory.root_of(position)
        field = "args" if step.kind == "tool" else "input"
        try:
            if field in step.body:
                return resolve(step.body[field], composition_memory.scope_at(run, root, plan))
        except CannotResolve as error:
            raise StepFailed(error.message) from None
        return {} if step.kind == "tool" else composition_memory.input_of(run, root, plan)

    def _approved(self, position: Position, step: Step, effect: Effect, answer: Approve) -> Outcome:
        """A person approved or denied a call. A denied tool step fails."""
        call = effect.call if isinstance(effect, AskHuman) else None
        if call is None:
            return Outcome(next=Again())
        if step.kind != "tool":
            return Outcome(drafts=(remember(**after_approval(position, answer)),), next=Again())
        if not answer.approve:
            raise StepFailed(denial(answer))
        memory = {APPROVED: approved_arguments(answer, call["arguments"])}
        return Outcome(drafts=(remember(**memory),), next=Again())

    def _tool_effect(
        self, position: Position, key: str, plan: Plan, step: Step, step_input: Any
    ) -> CallTool | AskHuman:
        """The call of a tool step, or the question whether to make it."""
        call = self._call(position, key, plan, step, step_input)
        approved = position.memory.get(APPROVED)
        if approved is not None:
            return replace(call, arguments=approved)
        parts = self.context.parts
        return ask_approval(parts, call) if needs_approval(parts, call.name) else call

    def _call(
        self, position: Position, key: str, plan: Plan, step: Step, step_input: Any
    ) -> CallTool:
        name = as_str(step.body.get("tool"))
        if name not in self.context.parts.tools:
            raise StepFailed(f'tool "{name}" does not reference a valid tool')
        arguments = as_object(step_input)
        return CallTool(
            key=key,
            position=position.id,
            state=position.state,
            name=name,
            arguments=arguments,
            choices=result_choices(self.context, plan, step),
        )

    def _ask_model(
        self, run: RunState, position: Position, key: str, plan: Plan, step: Step, step_input: Any
    ) -> tuple[AskModel, tuple[Draft, ...]]:
        prompt = self._prompt(step)
        prompting, model = self.context.prompt_builder, model_for(run, step.body, prompt)
        available = self._tools(step, prompt)
        first = not position.memory.get("rounds")
        values = _values(step_input)
        lacking = missing_variables(prompt, {**run.inputs, **values})
        if lacking:
            raise StepFailed(f"missing required variables: [{' '.join(lacking)}]")
        system, left_over = prompting.system(run, position, prompt, model=model, values=values)
        schema = output_schema(plan, step, self.context.parts.tree)
        effect = AskModel(
            key=key,
            position=position.id,
            state=position.state,
            system=system,
            messages=tuple([to_message(turn) for turn in _turns(position, step_input)]),
            tools=available.tools,
            schema=schema,
            model=model,
            parameters=prompting.parameters(prompt, available.policy, model=model, first=first),
            choices=reply_choices(self.context, plan, step),
        )
        return effect, unresolved_event(left_over)

    def _prompt(self, step: Step) -> Object:
        name = as_str(step.body.get("prompt_task"))
        prompt = self.context.parts.prompts.get(name)
        if prompt is None:
            raise StepFailed(f'prompt_task "{name}" does not reference a valid prompt')
        return prompt

    def _tools(self, step: Step, prompt: Object) -> AvailableTools:
        """A prompt step has no tools; an agent step has those of its prompt that it names
        itself."""
        policy = Policy.of(prompt, self.context.behaviour)
        if step.kind == "prompt":
            return AvailableTools(policy=policy)
        named = step.body.get("tools")
        only = as_str_list(named) if isinstance(named, list) else None
        tools = pack_tools(self.context.parts, prompt, policy, only=only)
        outside = frozenset(tool.name for tool in tools)
        return AvailableTools(policy=policy, tools=tools, outside=outside)

    # -- answers

    def _model_replied(
        self, run: RunState, position: Position, plan: Plan, step: Step, reply: Reply
    ) -> Outcome | StepDone:
        prompt = self._prompt(step)
        verdict = self.validators.check_reply(prompt, reply, scores_at(position))
        reply = verdict.reply
        if step.kind == "prompt" or not reply.tool_calls:
            output, events = _output(plan, step, reply)
            return StepDone(output=output, drafts=(*verdict.drafts, *events))
        available = self._tools(step, prompt)
        parsed = read_reply(available, calls=position.memory.get("calls", 0), reply=reply)
        step_input = self._input(run, position, plan, step)
        memory = after_reply(position, _turns(position, step_input), parsed)
        memory["last"] = reply.text or position.memory.get("last", "")
        drafts = (*verdict.drafts, *parsed.drafts, remember(**memory))
        return Outcome(drafts=drafts, next=Again())

    def _tool_returned(self, position: Position, step: Step, done: ToolDone) -> Outcome:
        """Handle a tool result in an agent step. A successful call of the terminating tool ends the
        step."""
        memory = after_call(position, done)
        waiting = position.memory.get("waiting") or [{}]
        final = as_str(_ending(step).get("tool_called"))
        if final and waiting[0].get("name") == final and not done.error:
            memory["final"] = waiting[0].get("arguments", {})
        return Outcome(drafts=(remember(**memory),), next=Again())

    def _finish_agent(self, position: Position, step: Step) -> StepDone | None:
        """The result of an agent step that has ended between two rounds: its last reply, or the
        arguments of the terminating tool. None if the step continues."""
        memory = position.memory
        if memory.get("final") is not None:
            return StepDone(output=_as_output(step, memory.get("last", "")) or memory["final"])
        most = as_positive_int(_ending(step).get("max_steps"))
        rounds = memory.get("rounds", 0)
        if most is not None and rounds >= most and not self.context.promptkit:
            return StepDone(output=_as_output(step, memory.get("last", "")))
        limit = most or Policy.of(self._prompt(step), self.context.behaviour).rounds
        if rounds >= limit:
            raise StepFailed(f"max rounds ({limit}) exceeded")
        return None


def _values(step_input: Any) -> dict[str, str]:
    """The variables of a step's prompt: its input, and the members of the input."""
    parts = as_object(step_input).items()
    return {**{name: as_text(value) for name, value in parts}, OPENING_INPUT: as_text(step_input)}


def _turns(position: Position, step_input: Any) -> Sequence[Mapping[str, Any]]:
    """The conversation of an agent step, in its stored form."""
    turns: Sequence[Mapping[str, Any]] = position.memory.get("messages") or ()
    return turns or ({"role": "user", "text": as_text(step_input)},)


def _output(plan: Plan, step: Step, reply: Reply) -> tuple[Any, tuple[Draft, ...]]:
    """The output of a reply: JSON if the step declares a schema and the reply is JSON, else
    text."""
    if reply.structured is not None:
        return reply.structured, ()
    if not step.structured:
        return reply.text, ()
    if parse_json(reply.text) is MISSING:
        return reply.text, (make_event("promptpack.step.unparsed", step=plan.state_id(step)),)
    return _as_output(step, reply.text), ()


def _as_output(step: Step, text: str) -> Any:
    """The text of a step as its output: parsed JSON if the step declares a schema."""
    value = parse_json(text) if step.structured else MISSING
    return text if value is MISSING else value


def _ending(step: Step) -> Object:
    return as_object(step.body.get("termination"))
