"""Faults that end a stage execution before its verdict, with the class and code of stud-cli
(stages.md section 11). Codes that begin with `Signalbox` are Signalbox's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workflows.core.dialects.stages.format.js_values import compact_json

UNWRAPPED_KINDS = ("Validation", "Cancellation", "ExtensionHost")
"""Classes that leave a phase unchanged. All others are wrapped as LifecycleFailure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault. `path` is the pointer in the stage's definition (`/body#task`), or ""."""

    kind: str
    code: str
    message: str
    path: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The fault as fields of events."""
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
    """A phase that cannot be completed."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def tool_error(kind: str, code: str, message: str) -> str:
    """A tool result that is an error, with class and code (section 11)."""
    return compact_json({"error": {"class": kind, "code": code, "message": message}})


def invalid(code: str, message: str, path: str = "", **context: Any) -> StageFault:
    """A fault of the definition or of its input."""
    return StageFault(
        Fault(kind="Validation", code=code, message=message, path=path, context=context)
    )


def host_fault(code: str, message: str, **context: Any) -> Fault:
    """A fault outside the stages."""
    return Fault(kind="ExtensionHost", code=code, message=message, context=context)


def cancellation_fault(code: str, message: str, **context: Any) -> Fault:
    """A cancellation: StageCancelled for one execution, TurnCancelled for the whole turn."""
    return Fault(kind="Cancellation", code=code, message=message, context=context)


def wrap_error(error: Exception, phase: str, stage: str) -> Fault:
    """An error of a phase, as stud-cli reports it (section 7)."""
    if isinstance(error, StageFault) and error.fault.kind in UNWRAPPED_KINDS:
        return error.fault
    inner = error.fault.message if isinstance(error, StageFault) else str(error)
    message = f"{phase} of {stage!r} failed: {inner or type(error).__name__}"
    return host_fault("LifecycleFailure", message, phase=phase, stageId=stage)
