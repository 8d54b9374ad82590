"""The work of single steps: a model call, a bounded loop with tools, a tool call (section 5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, whole, word, words
from workflows.core.dialects.promptpack.format.templates import missing
from workflows.core.dialects.promptpack.program import composition_memory as written
from workflows.core.dialects.promptpack.program.branch_answers import replies, results
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.context import Setting
from workflows.core.dialects.promptpack.program.conversation import (
    after_call,
    after_reply,
    next_call,
    remembered,
)
from workflows.core.dialects.promptpack.program.expected_values import output_schema, read_of
from workflows.core.dialects.promptpack.program.options import model_for
from workflows.core.dialects.promptpack.program.outcomes import note, unresolved
from workflows.core.dialects.promptpack.program.prompts import OPENING, message
from workflows.core.dialects.promptpack.program.references import (
    MISSING,
    Unresolved,
    as_text,
    from_text,
    parsed,
    resolved,
)
from workflows.core.dialects.promptpack.program.replies import Bench, read_reply
from workflows.core.dialects.promptpack.program.tools import Policy, pack_tools
from workflows.core.dialects.promptpack.program.validators import Guards, Verdict
from workflows.core.engine.effects import AskModel, CallTool, Message
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply, Signal, ToolDone


class Trouble(Exception):
    """The step cannot be carried out."""

    def __init__(self, message: str, *drafts: Draft) -> None:
        super().__init__(message)
        self.message = message
        self.drafts = drafts


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The step is over, with what it came to."""

    output: Any
    drafts: tuple[Draft, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWork:
    """Carries out prompt, agent and tool steps. Raises Trouble."""

    setting: Setting
    guards: Guards

    def opening(self, run: RunState, plan: Plan) -> Any:
        """What the run itself has as the input of a composition: its input, or an object of those
        inputs that the steps read by name. None where it has nothing."""
        text = run.inputs.get(OPENING)
        if text is not None:
            return from_text(text)
        names = {path[0] for path in read_of(plan, (OPENING,)) if path}
        if names and names <= run.inputs.keys():
            return {name: from_text(run.inputs[name]) for name in sorted(names)}
        return None

    def ask(
        self, run: RunState, position: Position, key: str, plan: Plan, step: Step
    ) -> Outcome | Done:
        call = next_call(position, key)
        if call is not None:
            return Outcome(next=Ask(effect=call))
        if position.memory.get("rounds"):
            done = self._ended(position, step)
            if done is not None:
                return done
        given = self._input(run, position, plan, step)
        drafts: tuple[Draft, ...] = ()
        if not position.memory.get("begun"):
            drafts = (written.entered(plan, step, input=given, memory={"begun": True}),)
            verdict = self._heard(step, given)
            drafts += verdict.drafts
            if verdict.blocked:
                return Done(output=verdict.text, drafts=drafts)
        if step.kind == "tool":
            effect = self._call(position, key, plan, step, given)
            return Outcome(drafts=drafts, next=Ask(effect=effect))
        asked, told = self._ask_model(run, position, key, plan, step, given)
        return Outcome(drafts=(*drafts, *told), next=Ask(effect=asked))

    def answer(
        self, run: RunState, position: Position, plan: Plan, step: Step, signal: Signal
    ) -> Outcome | Done:
        match signal:
            case Reply(error=error) if error:
                raise Trouble(error)
            case Reply():
                return self._replied(run, position, plan, step, signal)
            case ToolDone() if step.kind == "tool":
                if signal.error:
                    raise Trouble(signal.error)
                value = parsed(signal.result)
                return Done(output=signal.result if value is MISSING else value)
            case ToolDone():
                return self._called(position, step, signal)
        return Outcome(next=Again())

    # -- asking

    def _heard(self, step: Step, given: Any) -> Verdict:
        """What a model is going to hear, checked where a validator of its prompt wants to."""
        prompt = {} if step.kind == "tool" else self._prompt(step)
        return self.guards.check(prompt, as_text(given), "input")

    def _input(self, run: RunState, position: Position, plan: Plan, step: Step) -> Any:
        """What the step works on: what it says, else the input of the whole composition."""
        root = written.root_of(position)
        field = "args" if step.kind == "tool" else "input"
        try:
            if field in step.body:
                return resolved(step.body[field], written.scope_at(run, root, plan))
        except Unresolved as lost:
            raise Trouble(lost.message) from None
        return {} if step.kind == "tool" else written.given_to(run, root, plan)

    def _call(self, position: Position, key: str, plan: Plan, step: Step, given: Any) -> CallTool:
        name = word(step.body.get("tool"))
        if name not in self.setting.parts.tools:
            raise Trouble(f'tool "{name}" does not reference a valid tool')
        arguments = given if isinstance(given, dict) else {}
        return CallTool(
            key=key,
            position=position.id,
            state=position.state,
            name=name,
            arguments=arguments,
            choices=results(self.setting, plan, step),
        )

    def _ask_model(
        self, run: RunState, position: Position, key: str, plan: Plan, step: Step, given: Any
    ) -> tuple[AskModel, tuple[Draft, ...]]:
        prompt = self._prompt(step)
        prompting, model = self.setting.prompting, model_for(run, step.body, prompt)
        bench = self._bench(step, prompt)
        first = not position.memory.get("rounds")
        values = _values(given)
        lacking = missing(prompt, {**run.inputs, **values})
        if lacking:
            raise Trouble(f"missing required variables: [{' '.join(lacking)}]")
        system, left_over = prompting.system(run, position, prompt, model=model, values=values)
        schema = output_schema(plan, step, self.setting.parts.tree)
        asked = AskModel(
            key=key,
            position=position.id,
            state=position.state,
            system=system,
            messages=_messages(position, given),
            tools=bench.tools,
            schema=schema,
            model=model,
            parameters=prompting.parameters(prompt, bench.policy, model=model, first=first),
            choices=replies(self.setting, plan, step),
        )
        return asked, unresolved(left_over)

    def _prompt(self, step: Step) -> Object:
        name = word(step.body.get("prompt_task"))
        prompt = self.setting.parts.prompts.get(name)
        if prompt is None:
            raise Trouble(f'prompt_task "{name}" does not reference a valid prompt')
        return prompt

    def _bench(self, step: Step, prompt: Object) -> Bench:
        """A prompt step has no tools; an agent step those of its prompt that it names itself."""
        policy = Policy.of(prompt, promptkit=self.setting.promptkit)
        if step.kind == "prompt":
            return Bench(policy=policy)
        named = step.body.get("tools")
        only = words(named) if isinstance(named, list) else None
        tools = pack_tools(self.setting.parts, prompt, policy, only=only)
        outside = frozenset(tool.name for tool in tools)
        return Bench(policy=policy, tools=tools, outside=outside)

    # -- answers

    def _replied(
        self, run: RunState, position: Position, plan: Plan, step: Step, reply: Reply
    ) -> Outcome | Done:
        prompt = self._prompt(step)
        verdict = self.guards.on_reply(prompt, reply)
        reply = verdict.reply
        if step.kind == "prompt" or not reply.tool_calls:
            output, told = _output(plan, step, reply)
            return Done(output=output, drafts=(*verdict.drafts, *told))
        bench = self._bench(step, prompt)
        reading = read_reply(bench, calls=position.memory.get("calls", 0), reply=reply)
        given = self._input(run, position, plan, step)
        memory = after_reply(position, _messages(position, given), reading)
        memory["last"] = reply.text or position.memory.get("last", "")
        drafts = (*verdict.drafts, *reading.drafts, remembered(**memory))
        return Outcome(drafts=drafts, next=Again())

    def _called(self, position: Position, step: Step, done: ToolDone) -> Outcome:
        """A tool of an agent step has answered. The one that ends it does so once it succeeded."""
        memory = after_call(position, done)
        waiting = position.memory.get("waiting") or [{}]
        final = word(_ending(step).get("tool_called"))
        if final and waiting[0].get("name") == final and not done.error:
            memory["final"] = waiting[0].get("arguments", {})
        return Outcome(drafts=(remembered(**memory),), next=Again())

    def _ended(self, position: Position, step: Step) -> Done | None:
        """Whether an agent step is over between two rounds, with the last words said; where there
        are none, with what the tool that ended it was called with."""
        memory = position.memory
        if memory.get("final") is not None:
            return Done(output=_said(step, memory.get("last", "")) or memory["final"])
        most = whole(_ending(step).get("max_steps"))
        rounds = memory.get("rounds", 0)
        if most is not None and rounds >= most and not self.setting.promptkit:
            return Done(output=_said(step, memory.get("last", "")))
        limit = most or Policy.of(self._prompt(step), promptkit=self.setting.promptkit).rounds
        if rounds >= limit:
            raise Trouble(f"max rounds ({limit}) exceeded")
        return None


def _values(given: Any) -> dict[str, str]:
    """The variables that a step's prompt is filled in with: its input, and the parts of that."""
    parts = given.items() if isinstance(given, dict) else ()
    return {**{name: as_text(value) for name, value in parts}, OPENING: as_text(given)}


def _messages(position: Position, given: Any) -> tuple[Message, ...]:
    turns = position.memory.get("messages")
    if turns:
        return tuple(message(turn) for turn in turns)
    return (Message(role="user", text=as_text(given)),)


def _output(plan: Plan, step: Step, reply: Reply) -> tuple[Any, tuple[Draft, ...]]:
    """What a reply comes to: JSON where the author expects it and the model said it, else text."""
    if reply.structured is not None:
        return reply.structured, ()
    if not step.structured:
        return reply.text, ()
    if parsed(reply.text) is MISSING:
        return reply.text, (note("promptpack.step.unparsed", step=plan.state_of(step)),)
    return _said(step, reply.text), ()


def _said(step: Step, text: str) -> Any:
    """The words of a step as its output: what they mean as JSON where the author expects that."""
    value = parsed(text) if step.structured else MISSING
    return text if value is MISSING else value


def _ending(step: Step) -> Object:
    value = step.body.get("termination")
    return value if isinstance(value, dict) else {}
