"""The fields of each event type, as they are on the wire: the single source of the OpenAPI schemas
and of the canvas' types.

Any event may have further fields, so every type is open: a dialect adds its own, and a newer server
may write more. `NotRequired` fields are absent if they are empty, or in older logs.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class EventBase(TypedDict):
    """The fields of every event. `memory` and `run_memory` are notes of the pack's program."""

    n: int
    at: float
    memory: NotRequired[dict[str, Any]]
    run_memory: NotRequired[dict[str, Any]]


class PlacedEvent(EventBase):
    """An event at one position of the run."""

    position: str
    state: str


class RunStarted(EventBase):
    """The run began. `started_by`: a person, the API, a schedule or a webhook; a ticket or a chat
    if its starter named one. `by` and `trigger`: names of the person and of the trigger.
    `simulated_inputs`: names of the inputs that a rehearsal generated. `commit`: the commit that
    has the revision's files, for a pack that follows a repository. `connection` and `model`: of
    states that name none. `bindings`: tool → its `kind`, and `ask` if a person decides first.
    Logs of older releases lack these."""

    type: Literal["run.started"]
    inputs: dict[str, Any]
    run: NotRequired[str]
    started_by: NotRequired[Literal["person", "api", "ticket", "chat", "schedule", "webhook"]]
    by: NotRequired[str]
    trigger: NotRequired[str]
    revision: NotRequired[int]
    connection: NotRequired[str]
    model: NotRequired[str]
    commands: NotRequired[bool]
    bindings: NotRequired[dict[str, Any]]
    breakpoints: NotRequired[list[str]]
    driver: NotRequired[str]
    budget: NotRequired[dict[str, Any]]
    mode: NotRequired[str]
    simulated_inputs: NotRequired[list[str]]
    roles: NotRequired[dict[str, Any]]
    gates: NotRequired[dict[str, Any]]
    templates: NotRequired[dict[str, Any]]
    tools: NotRequired[dict[str, Any]]
    forked_from: NotRequired[dict[str, Any]]
    workspace: NotRequired[dict[str, Any]]
    commit: NotRequired[str]


class StateEntered(PlacedEvent):
    """A position entered a state. `parent` is the position that it branched from."""

    type: Literal["state.entered"]
    visit: int
    terminal: bool
    parent: NotRequired[str]


class PromptLogged(PlacedEvent):
    """The prompt of a model call. `wire_text` is the part that was sent, if not all of it.
    `template`: the task template of the bound role; `fallback`: it replaces a missing one."""

    type: Literal["prompt.logged"]
    key: str
    text: str
    hash: str
    header_hash: NotRequired[str]
    kind: NotRequired[Literal["full", "delta"]]
    turn: NotRequired[int]
    blocks: NotRequired[dict[str, Any]]
    block_hashes: NotRequired[dict[str, Any]]
    wire_text: NotRequired[str]
    template: NotRequired[str]
    fallback: NotRequired[bool]


class ModelAsked(PlacedEvent):
    """A model call was requested."""

    type: Literal["model.asked"]
    key: str
    effect: dict[str, Any]


class SentRequest(TypedDict):
    """One HTTP request to a model. `hash`: SHA-256 of the bytes of its body; `body`: the same as
    JSON, absent if the request before it in the list sent the same bytes. `status`: of the answer,
    absent if there was none; `error`: why this attempt gave no answer. `url` has no query, and no
    header is recorded, because they may contain the key."""

    url: str
    at: float
    seconds: float
    hash: str
    body: NotRequired[Any]
    status: NotRequired[int]
    error: NotRequired[str]


class ModelReplied(PlacedEvent):
    """A model call was answered. `error` is not empty if the call failed. `sent`: the requests for
    this answer, in order; absent for simulated answers and in older logs. `reasoning`: what the
    model wrote before its answer. `response_model`: the model that answered, as the provider names
    it. `finish_reason`: `stop`, `length`, `content_filter`, `tool_call` or `error`. `warnings`: why
    some providers would refuse a request that was answered without one."""

    type: Literal["model.replied"]
    key: str
    text: str
    error: str
    structured: NotRequired[Any]
    tool_calls: NotRequired[list[Any]]
    usage: NotRequired[dict[str, Any]]
    provider: NotRequired[str]
    model: NotRequired[str]
    response_model: NotRequired[str]
    finish_reason: NotRequired[str]
    reasoning: NotRequired[str]
    sent: NotRequired[list[SentRequest]]
    warnings: NotRequired[list[str]]
    by: NotRequired[str]


class ToolAsked(PlacedEvent):
    """The pack asks for a call of a tool. Only `tool.called` records that the call was made."""

    type: Literal["tool.asked"]
    key: str
    name: str
    arguments: dict[str, Any]
    effect: dict[str, Any]


class ToolCalled(PlacedEvent):
    """A tool was called: the one that `tool.asked` requested with this `key`, or, without `key`,
    one that a model's own turn answers. Before `tool.asked` existed, the request had this type and
    an `effect`; such a call was made unless its `tool.returned` has `by`."""

    type: Literal["tool.called"]
    name: str
    key: NotRequired[str]
    arguments: NotRequired[dict[str, Any]]
    effect: NotRequired[dict[str, Any]]


class ToolReturned(PlacedEvent):
    """A tool's result. `diff` is the unified diff of what the call changed in the workspace. `by`:
    no tool was called; this person denied the call (`error`) or answered for the tool."""

    type: Literal["tool.returned"]
    result: str
    error: str
    name: NotRequired[str]
    key: NotRequired[str]
    diff: NotRequired[str]
    by: NotRequired[str]


class ToolRefused(PlacedEvent):
    """A call that was not made, because its arguments do not fit the tool's parameters."""

    type: Literal["tool.refused"]
    name: str
    arguments: dict[str, Any]
    error: str


class ToolAllowed(EventBase):
    """A person allowed all further calls of a tool in this run; a fork of the run has to ask
    again."""

    type: Literal["tool.allowed"]
    name: str
    by: NotRequired[str]


class ToolRevoked(EventBase):
    """A person withdrew `tool.allowed`: further calls of the tool wait for a person again."""

    type: Literal["tool.revoked"]
    name: str
    by: NotRequired[str]


class CommandAsked(PlacedEvent):
    """A command was requested."""

    type: Literal["command.asked"]
    key: str
    effect: dict[str, Any]
    command: NotRequired[list[str]]
    why: NotRequired[str]


class CommandFinished(PlacedEvent):
    """A command ended with this exit code."""

    type: Literal["command.finished"]
    key: str
    exit: int
    stdout: str
    stderr: str
    by: NotRequired[str]


class CheckPassed(PlacedEvent):
    """A check of an answer passed."""

    type: Literal["check.passed"]
    name: NotRequired[str]
    check: NotRequired[str]
    message: NotRequired[str]


class CheckFailed(PlacedEvent):
    """A check of an answer failed."""

    type: Literal["check.failed"]
    name: NotRequired[str]
    check: NotRequired[str]
    message: NotRequired[str]


class IntentRead(PlacedEvent):
    """The intent in an answer, and the state that it leads to."""

    type: Literal["intent.read"]
    intent: str
    target: NotRequired[str]
    reason: NotRequired[str]


class ArtifactSet(EventBase):
    """An artifact has a new value; with `mode` "append" the value is added to the old one."""

    type: Literal["artifact.set"]
    name: str
    value: NotRequired[Any]
    mode: NotRequired[str]
    position: NotRequired[str]
    state: NotRequired[str]


class ApprovalAsked(PlacedEvent):
    """A question to a person."""

    type: Literal["approval.asked"]
    key: str
    effect: dict[str, Any]
    question: str
    kind: Literal["event", "approve", "answer"]
    choices: NotRequired[list[Any]]


class ApprovalGiven(PlacedEvent):
    """A person's answer."""

    type: Literal["approval.given"]
    key: str
    approve: bool
    event: str
    text: str
    structured: NotRequired[Any]
    by: NotRequired[str]


class TransitionTaken(EventBase):
    """A position took a transition. `redirected`: the target's visit limit sent it elsewhere."""

    type: Literal["transition.taken"]
    position: str
    source: str
    target: str
    label: str
    redirected: bool
    transition: str
    original_target: NotRequired[str]
    by: NotRequired[str]


class StateLeft(PlacedEvent):
    """A position left a state. `joined`: the position ended with it."""

    type: Literal["state.left"]
    joined: NotRequired[bool]
    cancelled: NotRequired[bool]


class RunPaused(EventBase):
    """The run paused, or one position is held because of that (`position`). `unanswered`: the key
    of a request that cannot be answered now, `connection` the one at fault, and `sent` the requests
    that failed."""

    type: Literal["run.paused"]
    reason: NotRequired[str]
    position: NotRequired[str]
    state: NotRequired[str]
    effect: NotRequired[dict[str, Any]]
    unanswered: NotRequired[str]
    connection: NotRequired[str]
    sent: NotRequired[list[SentRequest]]
    breakpoint: NotRequired[str]
    by: NotRequired[str]


class RunResumed(EventBase):
    """The run resumed, or a wait ended (`key`)."""

    type: Literal["run.resumed"]
    reason: NotRequired[str]
    step: NotRequired[bool]
    position: NotRequired[str]
    state: NotRequired[str]
    key: NotRequired[str]
    by: NotRequired[str]


class RunBreakpoints(EventBase):
    """The run's breakpoints: ids of states and transitions. `until` is removed once reached."""

    type: Literal["run.breakpoints"]
    ids: list[str]
    until: NotRequired[str]


class RunTold(EventBase):
    """A message to the agent of a state."""

    type: Literal["run.told"]
    state: str
    text: str
    interrupt: bool
    by: NotRequired[str]


class RunFired(EventBase):
    """An external event that takes no transition."""

    type: Literal["run.fired"]
    event: str
    state: str
    by: NotRequired[str]


class EffectDropped(PlacedEvent):
    """A pending effect was withdrawn; its answer is ignored."""

    type: Literal["effect.dropped"]
    key: str


# `for` is a keyword, so the class syntax cannot declare it.
_Repeated = TypedDict("_Repeated", {"for": NotRequired[Literal["tool", "command"]]})
_Allowed = TypedDict("_Allowed", {"for": Literal["tool", "command"]})
_Wait = TypedDict("_Wait", {"for": Literal["person", "event", "time"]})


class EffectRepeated(PlacedEvent, _Repeated):
    """An effect is performed again, because the worker that performed it stopped before the answer.
    `for`: a tool or a command, which may have had its effect already; without it a model, whose
    second cost is unknown. `estimated_input_tokens` estimates the size of what a model was sent.
    `idle`: seconds before the event in which no worker had the run."""

    type: Literal["effect.repeated"]
    key: str
    reason: str
    estimated_input_tokens: NotRequired[int]
    idle: NotRequired[float]


class EffectAllowed(PlacedEvent, _Allowed):
    """A person allowed a command or a call that had been left to people: it is performed once."""

    type: Literal["effect.allowed"]
    key: str
    by: NotRequired[str]


class RunWaiting(PlacedEvent, _Wait):
    """A position waits for a person, an event or a time. `reason`: why nothing on this
    server performs it; `can_allow`: a person can allow it."""

    type: Literal["run.waiting"]
    key: str
    effect: NotRequired[dict[str, Any]]
    seconds: NotRequired[float]
    reason: NotRequired[str]
    can_allow: NotRequired[bool]


class RunFinished(EventBase):
    """The run ended. `cause` of a failure: the request that was refused last, or the answer that
    could not be read; `reason` is the sentence of the pack's program."""

    type: Literal["run.finished"]
    status: Literal["completed", "failed", "budget_exhausted", "cancelled"]
    reason: str
    cause: NotRequired[str]
    code: NotRequired[str]
    transition: NotRequired[str]
    by: NotRequired[str]


class WorkspaceClosed(EventBase):
    """The changes of the run in its workspace. `commit`: the changes in a repository, as one commit
    on `base` that `ref` holds. `left_out`: folders that are repositories of their own."""

    type: Literal["workspace.closed"]
    kind: Literal["pack", "folder", "git"]
    files: NotRequired[list[str]]
    diff: NotRequired[str]
    base: NotRequired[str]
    commit: NotRequired[str]
    ref: NotRequired[str]
    left_out: NotRequired[list[str]]
    error: NotRequired[str]


class WorkspaceKept(EventBase):
    """The run's changes became a branch."""

    type: Literal["workspace.kept"]
    branch: str
    commit: str
    by: NotRequired[str]


class DialectEvent(EventBase):
    """An event of a dialect or of a role: `type` has its name, a dot and a word."""

    type: str


CoreEvent: TypeAlias = (
    RunStarted
    | StateEntered
    | PromptLogged
    | ModelAsked
    | ModelReplied
    | ToolAsked
    | ToolCalled
    | ToolReturned
    | ToolRefused
    | ToolAllowed
    | ToolRevoked
    | CommandAsked
    | CommandFinished
    | CheckPassed
    | CheckFailed
    | IntentRead
    | ArtifactSet
    | ApprovalAsked
    | ApprovalGiven
    | TransitionTaken
    | StateLeft
    | RunPaused
    | RunResumed
    | RunBreakpoints
    | RunTold
    | RunFired
    | EffectDropped
    | EffectAllowed
    | EffectRepeated
    | RunWaiting
    | RunFinished
    | WorkspaceClosed
    | WorkspaceKept
)
