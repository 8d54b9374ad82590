"""A scripted model that repairs the project over a provider's protocol, and fails once.

It knows its part by the tools that a request offers. Each answer advances the part.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from tests.real_work.project import CLEAN, COMMIT, DIALECTS, RIGHT, RUN_TESTS, WRONG
from tests.support.model_server import Answer, ErrorReply, ModelRequest, TextReply

Call = tuple[str, Mapping[str, Any]]


def offered(request: ModelRequest) -> set[str]:
    """The names of the tools in a request, in both protocols."""
    tools = request.body.get("tools") or []
    return {str((tool.get("function") or tool)["name"]) for tool in tools}


def says(*calls: Call, **more: Any) -> TextReply:
    return TextReply(tool_calls=calls, **more)


class Coder:
    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []
        self._lock = threading.Lock()
        self._parts: dict[str, Iterator[TextReply]] = {}

    def __call__(self, request: ModelRequest) -> Answer:
        with self._lock:
            self.requests.append(request)
            names = offered(request)
            part = self._part_of(names, request)
            turns = self._parts.setdefault(part, getattr(self, f"_{part}")(names))
            return next(turns, ErrorReply(status=400, message=f"{part} has no more to say."))

    def saw(self, text: str) -> bool:
        """True if a request had this text: what a tool returned."""
        return any(text in json.dumps(one.body, ensure_ascii=False) for one in self.requests)

    def _part_of(self, names: set[str], request: ModelRequest) -> str:
        for name in names:
            if name.startswith("submit_"):
                return name.removeprefix("submit_")
        if "send_handoff" in names:
            return "lead" if "complete_run" in names else "programmer"
        return "agent"

    # -- stages: one part per stage ------------------------------------------------------------

    def _plan(self, names: set[str]) -> Iterator[TextReply]:
        yield says(("read", {"file_path": "calc.py"}), ("grep", {"pattern": "add"}))
        steps = [{"title": "Repair add", "files": ["calc.py"]}]
        yield says(("submit_plan", {"summary": "Repair.", "steps": steps, "riskLevel": "low"}))

    def _change(self, names: set[str]) -> Iterator[TextReply]:
        submitted = {"branch": "work/repair", "filesChanged": ["calc.py"]}
        yield says(("read", {"file_path": "test_calc.py"}))
        yield says(("edit", {"file_path": "calc.py", "old_string": "-", "new_string": "*"}))
        yield says(("bash", {"command": RUN_TESTS}))
        yield says(("submit_change", {**submitted, "testsPassed": False}))
        yield says(("edit", {"file_path": "calc.py", "old_string": "*", "new_string": "+"}))
        yield says(("bash", {"command": f"{RUN_TESTS} && {COMMIT} && {CLEAN}"}))
        yield says(("submit_change", {**submitted, "testsPassed": True}))

    def _security_review(self, names: set[str]) -> Iterator[TextReply]:
        yield says(("submit_security_review", {"approved": True, "findings": []}))

    def _test_review(self, names: set[str]) -> Iterator[TextReply]:
        yield says(("submit_test_review", {"approved": True, "gaps": []}))

    def _verdict(self, names: set[str]) -> Iterator[TextReply]:
        yield says(("submit_verdict", {"approved": True, "feedback": "Good."}))

    def _handoff(self, names: set[str]) -> Iterator[TextReply]:
        yield says(("submit_handoff", {"title": "Repair add", "body": "It adds."}))

    # -- agent graph -----------------------------------------------------------------------------

    def _lead(self, names: set[str]) -> Iterator[TextReply]:
        yield says(("send_handoff", {"to": "coder", "message": "Repair calc.py."}))
        sample = DIALECTS / "agent_graph/samples/feature-team/feature-team.agents.json"
        met = json.loads(sample.read_text())["definition_of_done"]
        yield says(("complete_run", {"summary": "The tests pass.", "met": met}))

    def _programmer(self, names: set[str]) -> Iterator[TextReply]:
        yield says(("read_file", {"path": "calc.py"}), ("command", {"cmd": RUN_TESTS}))
        yield says(
            ("write_file", {"path": "calc.py", "content": WRONG}),
            ("command", {"cmd": RUN_TESTS}),
        )
        yield says(
            ("write_file", {"path": "calc.py", "content": RIGHT}),
            ("command", {"cmd": f"{RUN_TESTS} && {COMMIT} && {CLEAN}"}),
        )
        yield says(("send_handoff", {"to": "lead", "message": "The tests pass."}))

    # -- Climpt: one conversation through its steps ------------------------------------------------

    def _agent(self, names: set[str]) -> Iterator[TextReply]:
        yield says(("Read", {"file_path": "calc.py"}))
        yield _intent("next")
        yield says(("Edit", {"file_path": "calc.py", "old_string": "-", "new_string": "*"}))
        yield _intent("handoff", summary="Repaired.")
        yield _intent("closing")
        yield says(("Edit", {"file_path": "calc.py", "old_string": "*", "new_string": "+"}))
        yield says(("Bash", {"command": f"{RUN_TESTS} && {COMMIT}"}))
        yield _intent("handoff", summary="Repaired.")
        yield _intent("closing")


def _intent(action: str, **more: Any) -> TextReply:
    return TextReply(structured={"next_action": {"action": action}, **more})
