"""Approval of tool calls: by the stage's list, by a grant of the pipeline, or by a person
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
"""The tool is in `allowedTools`, which approves it in advance."""
TOKEN = "sm-grant-token"
"""The call was granted by the pipeline or by a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`ask`: a person must decide. `grant`: the index of the pipeline's grant that was used."""

    kind: Literal["approve", "deny", "ask"]
    source: str
    grant: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed tool call. `attempt` is the attempt of Act, from 1."""

    execution: str
    attempt: int
    proposal: str
    tool: str
    digest: str

    @property
    def key(self) -> str:
        """The key of its grant token, as stud-cli builds it."""
        parts = (self.execution, str(self.attempt), self.proposal, self.tool, self.digest)
        return "\0".join(parts)

    @property
    def mark(self) -> str:
        """A hash of the key for memory and events, because some databases cannot store a NUL
        character."""
        return sha256(self.key.encode("utf-8", "replace")).hexdigest()


def canonical(arguments: Any) -> str:
    """The arguments as JSON with sorted keys at every level."""
    return compact_json(_sort_keys(arguments))


def digest_of(arguments: Any) -> str:
    """SHA-256 of the canonical arguments, in hex."""
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
    """Decide on a call. `used`: number of uses of each of the pipeline's grants in this run.
    `tokens`: tokens issued in this execution."""
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
    """The tokens with a new one, valid for one call."""
    return {**tokens, key: "issued"}


def consume_token(tokens: Mapping[str, str], key: str, *, exited: bool = False) -> dict[str, str]:
    """The tokens after one was used. Raises StageFault for a token that is unknown, used, or of an
    ended stage."""
    if exited:
        raise invalid("GrantStageExpired", "The stage of this grant has ended.")
    if key not in tokens:
        raise invalid("GrantNotFound", "This call was not granted.")
    if tokens[key] != "issued":
        raise invalid(
            "GrantAlreadyConsumed", "A grant is valid for one call, and that call was made."
        )
    return {**tokens, key: "consumed"}
