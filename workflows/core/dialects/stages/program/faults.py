"""What ends a stage execution before its verdict: class and code as upstream has them
(stages.md section 11). Codes that begin with `Signalbox` are ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workflows.core.dialects.stages.format.js_values import compact_json

UNWRAPPED_KINDS = ("Validation", "Cancellation", "ExtensionHost")
"""Classes that go through a phase unchanged; whatever else is wrapped as LifecycleFailure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`path` names the place in the stage's definition (`/body#task`), "" where there is none."""

    kind: str
    code: str
    message: str
    path: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As events carry it."""
        body = {"class": self.kind, "code": self.code, "message": self.message}
        path = {"path": self.path} if self.path else {}
        return {**body, **path, "context": dict(self.context)}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Fault:
        """The inverse of `to_json`."""
        return cls(
            kind=body["class"],
            code=body["code"],
            message=body["message"],
            path=body.get("path", ""),
            context=body.get("context", {}),
        )


class StageFault(Exception):
    """A phase cannot be finished."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def tool_error(kind: str, code: str, message: str) -> str:
    """A tool result that is an error: the model sees class and code, as section 11 has it."""
    return compact_json({"error": {"class": kind, "code": code, "message": message}})


def invalid(code: str, message: str, path: str = "", **context: Any) -> StageFault:
    """The definition, or what was handed to it, is wrong."""
    return StageFault(
        Fault(kind="Validation", code=code, message=message, path=path, context=context)
    )


def host_fault(code: str, message: str, **context: Any) -> Fault:
    """What went wrong around the stages."""
    return Fault(kind="ExtensionHost", code=code, message=message, context=context)


def cancellation_fault(code: str, message: str, **context: Any) -> Fault:
    """Somebody broke off: StageCancelled for one execution, TurnCancelled for the whole turn."""
    return Fault(kind="Cancellation", code=code, message=message, context=context)


def wrap_error(error: Exception, phase: str, stage: str) -> Fault:
    """An error that came out of a phase, as upstream reports it (section 7)."""
    if isinstance(error, StageFault) and error.fault.kind in UNWRAPPED_KINDS:
        return error.fault
    inner = error.fault.message if isinstance(error, StageFault) else str(error)
    message = f"{phase} of {stage!r} failed: {inner or type(error).__name__}"
    return host_fault("LifecycleFailure", message, phase=phase, stageId=stage)
