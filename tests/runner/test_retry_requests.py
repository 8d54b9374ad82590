"""After a failed validator, the next request has the words of its failure, over each protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.documents.tired_files import sample_files
from tests.runner.test_model_answers import WIRES, send
from tests.support.git_repository import make_repository
from tests.support.model_server import ModelServer, TextReply
from workflows.core.dialects import dialects
from workflows.core.engine.effects import AskModel, RunCommand
from workflows.core.engine.fold import fold_all
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import CommandDone, Reply, Start
from workflows.core.engine.transition import transition
from workflows.core.pack.files import Files
from workflows.core.rules.check import check
from workflows.runner import sandbox
from workflows.runner.models import clients

REGISTRY = dialects()["steps_registry"]
BLANK = ".agent/my-agent/steps_registry.json"


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A validator of the blank sample, and words of the request after its command."""

    command: str
    success: str
    words: tuple[str, ...]
    extract: dict[str, str]


WORK = {
    "calc.py": "def add(a, b):\n    return a + b + 1\n",
    "test_calc.py": "import unittest\nimport calc\n\nclass Sums(unittest.TestCase):\n"
    "    def test_sum(self):\n        self.assertEqual(calc.add(2, 2), 4)\n",
    "half.py": "def half(:\n",
}
"""An agent's work, in a repository that has an empty `calc.py`."""
NEW = {
    "git-clean": Failure(
        command="git status --porcelain",
        success="empty",
        extract={"changedFiles": "parseChangedFiles"},
        words=("git-clean failed", "git status --porcelain", "M calc.py", "changedFiles: calc.py"),
    ),
    "tests-pass": Failure(
        command="python3 -m unittest",
        success="exitCode:0",
        extract={"errorOutput": "stderr"},
        words=("tests-pass failed", "exit code 1", "test_sum", "5 != 4"),
    ),
    "compiles": Failure(
        command="python3 -m py_compile half.py",
        success="exitCode:0",
        extract={},
        words=("compiles failed", "python3 -m py_compile half.py", "exit code 1", "def half(:"),
    ),
}


def with_validator(name: str, failure: Failure) -> dict[str, bytes]:
    """The blank sample with this validator of its closure step, and the prompt of SR507's fix."""
    files = sample_files("steps_registry/blank")
    tree = json.loads(files[BLANK])
    tree["failurePatterns"] = {name: {"description": name, "edition": "failed", "adaptation": name}}
    tree["validators"] = {
        name: {
            "type": "command",
            "command": failure.command,
            "successWhen": failure.success,
            "failurePattern": name,
            "extractParams": failure.extract,
        }
    }
    tree["validationSteps"] = {
        "closure.task": {
            "stepId": "closure.task",
            "name": name,
            "c2": "retry",
            "c3": "task",
            "validationConditions": [{"validator": name}],
            "onFailure": {"action": "retry", "maxAttempts": 3},
        }
    }
    return {**files, BLANK: json.dumps(tree).encode()}


def with_prompt(files: dict[str, bytes]) -> Files:
    source = REGISTRY.read(Files.of(files))
    (missing,) = [one for one in check(REGISTRY, source, "documented") if one.code == "SR507"]
    assert missing.fix is not None
    for edit in missing.fix.edits:
        source = REGISTRY.apply(source, edit)
    return source.files


ANSWERS = {
    "initial.task": "next",
    "continuation.task": "handoff",
    "closure.task": "closing",
    "initial.read": "next",
    "continuation.answer": "next",
    "verification.review": "next",
    "closure.report": "closing",
}
VALUES = {"finding": {"readiness": "ready"}, "reply": "r", "notes": [], "verdict": "answered"}


def retried(files: Files, work: Path) -> AskModel:
    """The question after the first failed validator, whose command really runs in this folder."""
    program = REGISTRY.program(REGISTRY.read(files), "documented")
    run, signal, failed = RunState(), Start(at=0.0, inputs={"issue": "7"}), False
    for _ in range(20):
        events, effects = transition(program, run, signal)
        run = fold_all(events, run)
        (effect,) = effects
        match effect:
            case AskModel() if failed:
                return effect
            case AskModel():
                value = {**VALUES, "next_action": {"action": ANSWERS[effect.state]}}
                signal = Reply(at=1.0, key=effect.key, structured=value)
            case RunCommand():
                ended = asyncio.run(sandbox.run(effect.command, folder=work, timeout=60))
                signal, failed = (
                    CommandDone(
                        at=1.0,
                        key=effect.key,
                        exit=ended.exit,
                        stdout=ended.stdout,
                        stderr=ended.stderr,
                    ),
                    True,
                )
    raise AssertionError("No question follows the failure.")


QUESTIONS: dict[str, Callable[[Path], tuple[AskModel, tuple[str, ...]]]] = {
    "sample": lambda work: (
        retried(Files.of(sample_files("steps_registry/triage-bot")), work),
        ("The notes are missing", "'notes-written' failed with exit code 1"),
    ),
    "no prompt": lambda work: (
        retried(Files.of(with_validator("tests-pass", NEW["tests-pass"])), work),
        ("5 != 4", "test_calc.py"),
    ),
    **{
        name: lambda work, name=name, failure=failure: (
            retried(with_prompt(with_validator(name, failure)), work),
            failure.words,
        )
        for name, failure in NEW.items()
    },
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_words_of_the_failure_are_in_the_next_request(name: str, tmp_path: Path) -> None:
    make_repository(tmp_path, {"calc.py": ""})
    for path, text in WORK.items():
        (tmp_path / path).write_text(text)
    question, words = QUESTIONS[name](tmp_path)

    async def over(server: ModelServer) -> None:
        try:
            for wire in WIRES:
                await send(server, question, wire)
        finally:
            await clients.close_clients()

    with ModelServer(otherwise=TextReply(text="{}")) as server:
        asyncio.run(over(server))
    assert (len(server.asked), server.refused) == (len(WIRES), [])
    for asked in server.asked:
        text = "\n".join(texts(asked.body))
        assert [word for word in words if word not in text] == [], asked.path


def texts(value: Any) -> list[str]:
    """Every text in a body."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in texts(one)]
