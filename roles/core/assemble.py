"""The exact messages to the model for one step of a role (section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roles.core.memory import profile_block
from roles.core.problems import Problem, Problems
from roles.core.prompt_config import PromptConfig
from roles.core.template_choice import Selected, StepKind, Trigger, select
from roles.core.templates import (
    MAX_TEXT,
    TOO_LONG,
    Mention,
    Renderer,
    TemplateStopped,
    Variables,
    is_program,
    mentions,
    render,
    written,
)
from roles.core.variables import doubt

OUTPUT_HEADING = "## Output format"
STEP_HEADING = "## Your step"
STEP_RULES = (
    # prose: off (a prompt; its hash is part of recorded runs)
    "You work in one state of a workflow. What you do and say is recorded, step by step.\n"
    "Do the task of this state and nothing beyond it; another state does the rest.\n"
    "If you cannot do it, say so and say what is missing. Never invent a result."  # prose: off
)
CRITERIA_HEADING = "## Criteria"
FEEDBACK_HEADING = "## Sent back by a gate"
FEEDBACK_LEAD = "Earlier work did not pass. Settle this first, point by point:"
GATE_OUTPUTS = {
    "gate_pass": "If the work passes, answer in this form:",
    "gate_fail": "If it does not, answer in this form:",
}
STATE_PROMPT: Mapping[bool, str] = {False: "step.prompt", True: "gate.criteria"}
"""The variable with the prompt of the step's state, by whether the step is a gate."""
FEEDBACK = "gate.feedback"


class CannotAssemble(Exception):
    """A text of the config could not be rendered, so nothing is sent. `path`: its pointer."""

    def __init__(self, path: str, message: str) -> None:
        self.path = path
        self.message = message
        super().__init__(f"{path}: {message}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """The texts of one request, exactly as they are sent.

    `task`: the rendered template. `step` and `feedback`: the sections with the state's own prompt
    and with a gate's reason; "" if there is none, or if the template names it itself. `output`: the
    section on the form of the answer. `user` is all four. `template` is None for steps that send
    nothing to a model; the four are "" then. `fallback`: `ticket_task` was used for a missing
    `cron_task`."""

    system: str
    developer: str
    task: str
    step: str
    feedback: str
    output: str
    template: str | None
    fallback: bool
    warnings: Problems

    @property
    def user(self) -> str:
        return joined(self.task, self.step, self.feedback, self.output)

    @property
    def system_and_developer(self) -> str:
        """The system message for a provider without developer messages."""
        return joined(self.system, self.developer)


def assemble(
    config: PromptConfig,
    *,
    kind: StepKind,
    trigger: Trigger = "ticket",
    variables: Variables,
    addon: str = "",
    renderer: Renderer | None = None,
) -> Messages:
    """The messages of one step.

    `variables` are flat (`ticket.title` → value); `addon` is the active mode's, not yet rendered.
    `renderer` renders texts with Jinja statements (`roles.rendering.render_program` does, in a
    process of its own); without one, all texts are plain. Raises CannotAssemble: nothing is sent
    with a part missing.
    """
    pen = _Pen(variables, renderer)
    chosen = select(kind, trigger, config.templates)
    system = pen.write("/system_prompt", config.system_prompt)
    developer = joined(
        pen.write("/developer_prompt", config.developer_prompt),
        pen.write("/mode/system_addon", addon, like="/developer_prompt"),
        profile_block(config.memory_profile),
    )
    task = step = feedback = ""
    if chosen.template is not None:
        # A fallback template is checked against the place it is used in, which may have no ticket.
        path = f"/templates/{chosen.template}"
        text = config.templates.get(chosen.template, "")
        task = pen.write(path, text)
        is_gate = chosen.template == "gate_eval"
        step = "" if pen.names(text, STATE_PROMPT[is_gate]) else _step(variables, gate=is_gate)
        feedback = "" if pen.names(text, FEEDBACK) else rework(written(variables.get(FEEDBACK)))
    return Messages(
        system=system,
        developer=developer,
        task=task,
        step=step,
        feedback=feedback,
        output=_output(pen, chosen, config.output_templates),
        template=chosen.template,
        fallback=chosen.fallback,
        warnings=tuple(pen.warnings),
    )


def joined(*parts: str) -> str:
    """Parts with a blank line between them, without empty ones."""
    return "\n\n".join(part for part in parts if part.strip())


def rework(reason: str) -> str:
    """The section of a task with the reason of the gate that sent the work back."""
    return f"{FEEDBACK_HEADING}\n\n{FEEDBACK_LEAD}\n\n{reason}" if reason.strip() else ""


def _step(variables: Variables, *, gate: bool) -> str:
    """The section with the prompt of the step's state: the criteria of a gate, or the task."""
    prompt = written(variables.get(STATE_PROMPT[gate]))
    if not prompt.strip():
        return ""
    return joined(CRITERIA_HEADING, prompt) if gate else joined(STEP_HEADING, STEP_RULES, prompt)


def _output(pen: _Pen, chosen: Selected, templates: Mapping[str, str]) -> str:
    texts = {
        name: pen.write(f"/output_templates/{name}", templates.get(name, ""))
        for name in chosen.outputs
    }
    lines = [
        f"{GATE_OUTPUTS[name]}\n\n{text}" if name in GATE_OUTPUTS else text
        for name, text in texts.items()
        if text.strip()
    ]
    return joined(OUTPUT_HEADING, *lines) if lines else ""


class _Pen:
    """Renders texts, and records missing variables with their places."""

    def __init__(self, variables: Variables, renderer: Renderer | None) -> None:
        self._variables = variables
        self._renderer = renderer
        self._left = MAX_TEXT
        self.warnings: list[Problem] = []

    def names(self, text: str, name: str) -> bool:
        """Return True if the text places this variable itself."""
        if self._renderer is not None and is_program(text):
            return name in text
        return any(mention.name == name for mention in mentions(text))

    def write(self, path: str, text: str, *, like: str = "") -> str:
        """Render a text. `like`: the path whose variables this text may name, if it is another
        one."""
        if not text:
            return ""
        try:
            rendered = render(text, self._variables, self._renderer)
        except TemplateStopped as stopped:
            raise CannotAssemble(path, str(stopped)) from None
        self._left -= len(rendered.text)
        if self._left < 0:
            raise CannotAssemble(path, TOO_LONG)
        places = {} if is_program(text) and self._renderer else _places(text)
        for name in rendered.unknown:
            at = places.get(name)
            self.warnings.append(
                Problem(
                    path=path,
                    code="unknown_variable",
                    message=doubt(name, like or path) or f"`{name}` has no value in this step.",
                    level="warning",
                    start=at.start if at else 0,
                    end=at.end if at else 0,
                )
            )
        return rendered.text


def _places(text: str) -> dict[str, Mention]:
    by_name: dict[str, Mention] = {}
    for mention in mentions(text):
        by_name.setdefault(mention.name, mention)
    return by_name
