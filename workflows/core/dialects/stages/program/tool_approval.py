"""Who says yes to a tool call: the stage's list, a grant of the pipeline, or a person
(stages.md section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from workflows.core.dialects.stages.format.js_values import compact_json
from workflows.core.dialects.stages.program.faults import invalid
from workflows.core.dialects.stages.program.pipeline import Pipeline
from workflows.core.dialects.stages.program.stage_definition import Stage

ENVELOPE = "sm-envelope"
"""The tool is in `allowedTools`, which approves it beforehand."""
TOKEN = "sm-grant-token"
"""The call was granted, by the pipeline or by a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`ask`: a person has to decide. `grant`: the number of the pipeline's grant that was used."""

    kind: Literal["approve", "deny", "ask"]
    source: str
    grant: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One tool call that wants to be made. `attempt` is the Assert attempt, from 1."""

    execution: str
    attempt: int
    proposal: str
    tool: str
    digest: str

    @property
    def key(self) -> str:
        """The key of its grant token, as upstream builds it."""
        parts = (self.execution, str(self.attempt), self.proposal, self.tool, self.digest)
        return "\0".join(parts)

    @property
    def mark(self) -> str:
        """What stands for the key in notes and events: not every database takes a NUL."""
        return sha256(self.key.encode("utf-8", "replace")).hexdigest()


def canonical(arguments: Any) -> str:
    """The arguments as JSON with keys sorted at every level."""
    return compact_json(_sort_keys(arguments))


def digest_of(arguments: Any) -> str:
    """SHA-256 of that, in hex."""
    return sha256(canonical(arguments).encode()).hexdigest()


def _sort_keys(value: Any) -> Any:
    match value:
        case Mapping():
            return {key: _sort_keys(value[key]) for key in sorted(value, key=_code_units)}
        case list() | tuple():
            return [_sort_keys(item) for item in value]
        case _:
            return value


def _code_units(key: str) -> bytes:
    """JavaScript sorts by UTF-16 code units."""
    return key.encode("utf-16-be", "surrogatepass")


def decide(
    pipeline: Pipeline, stage: Stage, proposal: Proposal, tokens: Mapping[str, str], used: list[int]
) -> Decision:
    """Whether this call may be made. `used`: how often each of the pipeline's grants was used in
    this run; `tokens`: what was issued in this execution."""
    if stage.allowed is None or proposal.tool in stage.allowed:
        return Decision(kind="approve", source=ENVELOPE)
    if proposal.mark in tokens:
        return Decision(kind="approve", source=TOKEN)
    for number, grant in enumerate(pipeline.grants):
        times = used[number] if number < len(used) else 0
        here = grant.stages is None or stage.id in grant.stages
        if grant.tool == proposal.tool and here and (grant.most is None or times < grant.most):
            return Decision(kind="approve", source=TOKEN, grant=number)
    return Decision(kind="ask", source=TOKEN)


def issue_token(tokens: Mapping[str, str], key: str) -> dict[str, str]:
    """The tokens with one more, good for one call."""
    return {**tokens, key: "issued"}


def consume_token(tokens: Mapping[str, str], key: str, *, exited: bool = False) -> dict[str, str]:
    """The tokens after this one was used. Raises StageFault for one that is not there, was used
    before, or belongs to a stage that is over."""
    if exited:
        raise invalid("GrantStageExpired", "The stage that this was granted to is over.")
    if key not in tokens:
        raise invalid("GrantNotFound", "Nothing was granted for this call.")
    if tokens[key] != "issued":
        raise invalid("GrantAlreadyConsumed", "A grant is good for one call, and it was made.")
    return {**tokens, key: "consumed"}
