"""Log lines: the run's context, JSON, and redacted secrets."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.runner.conftest import Begin
from workflows.models import Run
from workflows.runner.drivers import drivers
from workflows.runner.worker import Worker
from workflows.telemetry.logs import JsonFormatter, TextFormatter, log_context, redact

TABLE = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[str, str]] = []
        self.setFormatter(JsonFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(json.loads(self.format(record)))


@pytest.fixture
def kept() -> Iterator[Kept]:
    handler = Kept()
    root = logging.getLogger()
    root.addHandler(handler)
    yield handler
    root.removeHandler(handler)


async def test_a_workers_log_lines_name_run_pack_and_state(
    begin: Begin, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    from asgiref.sync import sync_to_async

    async def break_down(*_: object, **__: object) -> None:
        raise RuntimeError("with api_key=sk-12345678901234567890")

    monkeypatch.setattr(drivers()["manual"], "answer", break_down)
    run = await sync_to_async(begin)(TABLE)
    worker = Worker()
    await worker.start()
    await worker.run_until_idle()
    await worker.stop()
    assert (await Run.objects.aget()).status != "running"
    line = next(line for line in kept.lines if "failed at" in line["message"])
    assert (line["run"], line["pack"], line["state"]) == (str(run.pk), "Tiny", "start")
    assert (line["level"], line["logger"]) == ("ERROR", "workflows.runner.effects")
    assert "RuntimeError" in line["exception"]
    assert "sk-1234" not in json.dumps(line)


def test_a_foreign_host_is_one_line_and_a_signed_link_is_redacted(
    kept: Kept, settings: Any
) -> None:
    assert Client(HTTP_HOST="elsewhere.example").get("/").status_code == 400
    assert [line["logger"] for line in kept.lines] == ["django.security.DisallowedHost"]
    assert "exception" not in kept.lines[0]
    kept.lines.clear()
    stranger = Client(HTTP_HOST="127.0.0.1", enforce_csrf_checks=True)
    assert stranger.post("/approvals/link/WyI1OGQ0LWEyIiwxXQ:1tX/").status_code == 403
    assert kept.lines
    assert "WyI1" not in json.dumps(kept.lines)


def record(message: str, *args: object) -> logging.LogRecord:
    return logging.LogRecord("house", logging.INFO, "", 1, message, args, None)


def test_a_json_line_is_one_line() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        told = record("first\nsecond %s", "é")
        told.exc_info = sys.exc_info()
    text = JsonFormatter().format(told)
    assert "\n" not in text
    line = json.loads(text)
    assert line["message"] == "first\nsecond é"
    assert line["at"].endswith("Z")
    assert "run" not in line


def test_a_text_line_has_its_context_in_brackets() -> None:
    line = TextFormatter("{levelname}: {message}", style="{")
    with log_context(run=7, pack="Desk"):
        with log_context(state="draft"):
            assert line.format(record("slow\nvery")) == (
                "INFO: slow [run=7 pack=Desk state=draft]\nvery"
            )
        assert line.format(record("slow")) == "INFO: slow [run=7 pack=Desk]"
    assert line.format(record("slow")) == "INFO: slow"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc.def-12345", "Authorization: •••"),
        ("sent bearer abcdef12345 along", "sent bearer ••• along"),
        ('{"api_key": "k-1", "n": 1}', '{"api_key": "•••", "n": 1}'),
        ("?token=abc&x=1", "?token=•••&x=1"),
        ("key sk-proj_12345678 was refused", "key sk-••• was refused"),
        ("postgresql://ada:pass@host/db", "postgresql://•••@host/db"),
        ("whsec_AAAABBBBCCCC=", "whsec_•••"),
        ("the password is set by Ada", "the password is set by Ada"),
        ("3 tokens: 5 in, 7 out", "3 tokens: 5 in, 7 out"),
    ],
)
def test_secrets_are_redacted_in_logs(text: str, shown: str) -> None:
    assert redact(text) == shown
