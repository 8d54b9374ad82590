"""Generated requests to every operation of the OpenAPI document: no 5xx, and only documented
statuses and bodies.

FUZZ=N makes N requests of each kind instead, with a new seed each time (`make fuzz`), at least
100 N in all, and prints their number. None may take longer than SECONDS of processor time.
"""

from __future__ import annotations

import copy
import json
import os
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.http import HttpResponse
from django.test import override_settings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.fuzz.populated_database import API, CLIENT, ApiUser, settle, usual
from tests.fuzz.value_pool import ValuePool
from tests.support.checks import quick_or_slow
from tests.support.malformed_values import BODIES, NUMBERS, QUERIES, SEGMENTS, TEXTS, malformed
from tests.support.openapi import document
from workflows.plugins.ag_ui import views as ag_ui

FUZZ = int(os.environ.get("FUZZ", "0"))
EVERY_VALUE = [True] if FUZZ else quick_or_slow(False, True)
"""True for all odd values in the requests of an operation, False for one of each kind."""
SPOILED = FUZZ * 3 or 5
SECONDS = 2.0
PARAMETER = re.compile(r"{(\w+)}")
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
DOCUMENT = copy.deepcopy(document())
for _methods in DOCUMENT["paths"].values():
    for _operation in _methods.values():
        _operation["responses"].pop("default", None)  # expected statuses have their own number
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
SCHEMA.app = get_wsgi_application()
ERROR = Draft202012Validator(
    {"$ref": "#/components/schemas/Error", "components": DOCUMENT["components"]}
)
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}
GENERATED = (
    [(label, FUZZ) for label in OPERATIONS]
    if FUZZ
    else [
        *(pytest.param(label, 2, marks=pytest.mark.quick) for label in list(OPERATIONS)[::6]),
        *(pytest.param(label, 8, marks=pytest.mark.slow) for label in OPERATIONS),
    ]
)
"""Operations and the number of their requests: every sixth operation with two, or all."""
PLAIN = {"Accept-Encoding": "identity"}
"""The transport within this process does not decompress."""
ODD_REQUESTS: list[tuple[str, dict[str, str]]] = [
    (f"?{'x' * 60_000}=%00&%FF=%FE&&&=", {}),
    ("", {"Accept": "text/plain"}),
    ("", {"Accept": "\u00ff;q=x,,,*"}),
    ("", {"Authorization": "Bearer \u00ff\u00fe"}),
    ("", {"Authorization": "Basic eA=="}),
]
"""Queries and headers."""
pytestmark = pytest.mark.django_db


class FuzzTarget:
    """The people, and what there is."""

    def __init__(self) -> None:
        self.ada = ApiUser("ada", is_staff=True)
        self.people = [self.ada, ApiUser("bob"), ApiUser()]
        settle(self.ada)
        self.usual = usual(self.ada)
        self.known = ValuePool(DOCUMENT["paths"], self.ada)
        self.requests = 0
        self.slowest = 0.0

    @contextmanager
    def request(self, name: str) -> Iterator[None]:
        """Count a request and measure its time."""
        begin = time.thread_time()
        yield
        spent = time.thread_time() - begin
        self.requests += 1
        self.slowest = max(self.slowest, spent)
        assert spent < SECONDS, f"{name} took {spent:.1f} s"


def empty_stream(viewer: Any, log: Any, leave: Callable[[], None]) -> HttpResponse:
    """In place of an event stream, which ends with its run only."""
    leave()
    return HttpResponse(content_type="text/event-stream")


@pytest.fixture(scope="module")
def target(django_db_setup: None, django_db_blocker: Any) -> Iterator[FuzzTarget]:
    """Committed, so that a worker could have its share; every request is rolled back."""
    signals = (request_started, request_finished)
    with (
        django_db_blocker.unblock(),
        override_settings(SIGNALBOX_PRIVATE_HOSTS=["127.0.0.1"]),
        patch.object(ag_ui, "EventStream", empty_stream),
    ):
        made = FuzzTarget()
        for signal in signals:
            signal.disconnect(close_old_connections)  # the connection is ours, and in a transaction
        yield made
        for signal in signals:
            signal.connect(close_old_connections)
        call_command("flush", verbosity=0, interactive=False)
        if FUZZ:
            print(f"{made.requests:,} requests, the slowest took {made.slowest:.2f} s")
            assert made.requests >= 100 * FUZZ


@pytest.mark.parametrize(("label", "examples"), GENERATED)
def test_generated_requests_get_documented_answers(
    target: FuzzTarget, label: str, examples: int
) -> None:
    operation = OPERATIONS[label]
    cases = st.one_of(*(operation.as_strategy(mode) for mode in GenerationMode))

    @given(case=cases, chance=st.randoms(use_true_random=True))
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=not FUZZ,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def answered(case: Any, chance: random.Random) -> None:
        if chance.random() < 0.9 and (place := target.known.place(operation.path, chance)):
            case.path_parameters = place
        if isinstance(case.body, dict | list):
            case.body = target.known.named(case.body, chance)
            if chance.random() < 0.3:
                case.body = malformed(case.body, chance)
        if case.query:
            case.query = target.known.named(dict(case.query), chance, given_as_text=True)
            if chance.random() < 0.2:
                case.query[chance.choice(list(case.query))] = chance.choice(TEXTS + NUMBERS)
        for person in target.people if chance.random() < 0.2 else target.people[:2]:
            with transaction.atomic(), target.request(label):
                answer = case.call(headers={**person.headers, **PLAIN})
                transaction.set_rollback(True)
            case.validate_response(answer, checks=CHECKS)

    answered()


@pytest.mark.parametrize("every", EVERY_VALUE)
@pytest.mark.parametrize("label", OPERATIONS)
def test_odd_requests_are_refused_with_a_message(
    target: FuzzTarget, label: str, every: bool
) -> None:
    operation = OPERATIONS[label]
    method, path = operation.method.upper(), operation.path
    declared = DOCUMENT["paths"][path][operation.method]
    chance = random.Random(label)
    place = target.known.place(path, chance) or dict.fromkeys(PARAMETER.findall(path), "1")

    def ask(href: str, body: bytes = b"", kind: str = "application/json", **more: str) -> None:
        headers = {**target.ada.headers, **more}
        with transaction.atomic(), target.request(href[:200]):
            answer = CLIENT.generic(method, href, body, kind, headers=headers)
            transaction.set_rollback(True)
        where = (answer.status_code, href[:200], body[:80], answer.getvalue()[:200])
        assert answer.status_code < 500, where
        assert str(answer.status_code) in declared["responses"] or answer.status_code == 404, where
        if answer.status_code >= 400:
            said = json.loads(answer.getvalue())
            assert {"code", "message", "hint", "where"} <= said.keys(), where
            assert said["message"], where

    def some(values: Iterable[Any]) -> list[Any]:
        return list(values) if every else [chance.choice(list(values))]

    usual = path.format(**place)
    for name in PARAMETER.findall(path):
        for segment in some(SEGMENTS):
            ask(path.format(**{**place, name: segment}))
    for parameter in declared.get("parameters", ()):
        if parameter["in"] == "query":
            for value in some(QUERIES):
                ask(f"{usual}?{parameter['name']}={value}")
    if "requestBody" in declared:
        for kind, body in some(BODIES.values()):
            ask(usual, body, kind)
    for query, header in some(ODD_REQUESTS):
        ask(f"{usual}{query}", **header)


def fits(declared: dict[str, Any], answer: Any) -> bool:
    """True if the body has the schema that the document gives this response."""
    if answer.status_code >= 400:
        return bool(ERROR.is_valid(answer.json()))
    if (content := declared.get("content", {}).get("application/json")) is None:
        return True
    schema = {**content["schema"], "components": DOCUMENT["components"]}
    return bool(Draft202012Validator(schema).is_valid(answer.json()))


def test_valid_requests_work_and_malformed_ones_are_refused(target: FuzzTarget) -> None:
    wrong: list[Any] = []
    for label, (href, good) in target.usual.items():
        method, _, path = label.partition(" ")
        declared = DOCUMENT["paths"][f"{API}/{path}"][method.lower()]["responses"]
        chance = random.Random(label if not FUZZ else None)
        spoils = [malformed(copy.deepcopy(good), chance) for _ in range(SPOILED if good else 0)]
        for body in (good, *spoils):
            with transaction.atomic(), target.request(label):
                answer = target.ada.ask(method, f"{API}/{href}", body)
                transaction.set_rollback(True)
            status = answer.status_code
            told = str(status) in declared and fits(declared[str(status)], answer)
            if not told or (body is good and status >= 400):
                wrong.append((label, status, str(body)[:300], answer.content[:300]))
    assert not wrong
