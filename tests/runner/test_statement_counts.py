"""What one step says to the database, asked of SQLite, which tells what it was told."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.runner.conftest import Begin
from tests.runner.test_inline import RELAY, events, held, reply
from workflows.actions import runs
from workflows.actions.run_steps import step
from workflows.core.engine.fold import fold_all

pytestmark = pytest.mark.sqlite


def test_a_step_with_a_held_log_takes_two_statements(begin: Begin) -> None:
    log = runs.work_of(held(begin(RELAY)).pk)
    log = step(log, reply(log, "on"))
    said: list[str] = []
    connection.connection.set_trace_callback(said.append)
    log = step(log, reply(log, "on"))
    connection.connection.set_trace_callback(None)
    assert [one.split()[0] for one in said] == ["BEGIN", "UPDATE", *["INSERT"] * 6, "COMMIT"]
    assert fold_all(events(log.row)) == log.run
