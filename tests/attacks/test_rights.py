"""Rights: every operation of the API and every page, by every relation to its object."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache as cache_results
from typing import Any

import pytest
from django.core.cache import cache
from django.core.signals import request_finished
from django.db import close_old_connections, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.attacks.rights_expected import API, CELLS, ELSEWHERE, PAGES, REFUSALS, by_operation
from tests.attacks.rights_world import BODIES, PEOPLE, QUERIES, SENTINEL, World
from tests.support.checks import quick_or_slow
from tests.support.openapi import document
from tests.support.tokens import api_token
from workflows.rights.operations import API as PREFIX
from workflows.rights.operations import operations, route_of
from workflows.selectors.sources import SHELF

API_OPERATIONS = {
    operation["operationId"]: (method.upper(), path)
    for path, methods in document()["paths"].items()
    for method, operation in methods.items()
}


class Undone(Exception):
    """Rolls one cell back."""


def tried(client: Client, method: str, path: str, **given: Any) -> tuple[int, str]:
    """Status and text of one request, whose changes are rolled back and not cached."""
    outcome = (0, "")
    try:
        with transaction.atomic():
            answer = client.generic(method, path, **given)
            if answer.streaming and answer.is_async:  # A live stream, whose events come later.
                parts = []
                close(answer)
            else:
                parts = answer.streaming_content if answer.streaming else [answer.content]
            body = b"".join(parts)
            outcome = (answer.status_code, body.decode(errors="replace"))
            if answer.status_code == 302 and "/sign-in/" in answer["Location"]:
                outcome = (401, "")
            raise Undone
    except Undone:
        pass
    if method != "GET" and outcome[0] not in (401, 403, 404):
        SHELF.clear()
    cache.clear()
    return outcome


def close(answer: Any) -> None:
    """End a live stream without the connection to the database, which has an open transaction."""
    request_finished.disconnect(close_old_connections)
    try:
        answer.close()
    finally:
        request_finished.connect(close_old_connections)


def test_every_operation_of_the_document_has_an_expected_row() -> None:
    assert API_OPERATIONS.keys() == by_operation(API).keys()


def test_every_operation_of_the_document_has_a_rule() -> None:
    rules = {one.name: (one.method, "/" + one.route) for one in operations() if PREFIX in one.route}
    rules.pop("schema")
    assert rules == API_OPERATIONS


def routes(patterns: Any = None, before: str = "") -> set[str]:
    found: set[str] = set()
    for entry in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            found |= routes(entry.url_patterns, route)
        else:
            assert isinstance(entry, URLPattern)
            found.add(route_of(route))
    return found


def test_every_page_has_a_rule_and_an_expected_row() -> None:
    pages = {route or "" for route in routes() if not route.startswith(PREFIX)}
    ruled = {one.route for one in operations() if not one.route.startswith(PREFIX)}
    assert pages == ruled
    keys = {
        f"{one.method}:{one.route or '/'}" + (f":{one.form}" if one.form else "")
        for one in operations()
        if not one.route.startswith(PREFIX)
    }
    assert keys == by_operation(PAGES).keys() | ELSEWHERE


def filled(path: str, world: World) -> str:
    """The path with the keys of the world's objects."""
    ids, last = world.ids, ""
    parts = []
    for part in path.strip("/").split("/"):
        values = {
            "{id}": ids.get(last), "{number}": 1,
            "{member}": "none", "{tool}": "none",
            "{name}": ids["templates"], "{other}": world.other.pk, "{address}": "nowhere",
            "{pack}": world.pack.pk, "{run}": world.run.pk, "{approval}": world.approval.pk,
            "{role}": ids["agent-roles"], "{mode}": ids["modes"], "{code}": "GR101",
            "{repository}": ids["repositories"], "{task}": ids["tasks"],
            "{conflict}": ids["folder-conflicts"],
            "{proposal}": ids["proposals"],
            "{kind}": "packs", "{dialect}": "promptpack", "{name}.svg": "blank.svg",
        }  # fmt: skip
        if part == "{id}" and last == "packs" and "{kind}" in path:
            values["{id}"] = world.pack.pk
        part = str(values.get(part, part))
        last = part if not part.startswith("{") else last
        parts.append(part)
    return "/" + "/".join(parts) + ("/" if path.endswith("/") and parts != [""] else "")


Outcomes = dict[str, tuple[int, str]]
"""Sender of a request → status and text of the answer."""
RANKS = ("stranger", "reader", "editor", "owner", "staff")


def boundary(letter: str) -> list[str]:
    """The weakest user who may, the strongest who may not, a stranger, and an anonymous one."""
    cells = dict(zip(PEOPLE, CELLS[letter], strict=True))
    may = [person for person in RANKS if cells[person] == "ok"]
    refused = [person for person in RANKS if cells[person] != "ok"]
    chosen = {may[0], *refused[-1:], "stranger", "anonymous"}
    return [person for person in PEOPLE if person in chosen]


def judged(row: str, letter: str, outcomes: Outcomes) -> list[str]:
    """The cells of a row that differ from what is expected."""
    if letter == "X":
        different = len({status for status, _ in outcomes.values()}) > 1
        return [f"{row}: {outcomes}"] if different else []
    cells = dict(zip(PEOPLE, CELLS[letter], strict=True))
    hidden = outcomes["stranger"][1] if cells["stranger"] == 404 else None
    wrong = []
    for person, (status, body) in outcomes.items():
        expected = cells[person]
        refused = status in (401, 403) or (status == 404 and body == hidden)
        fine = (not refused and status < 500) if expected == "ok" else status == expected
        if expected == 403:
            fine = fine and bool(re.search(r"[Oo]nly|can't change|not control|shared", body))
        if person == "stranger" and expected == 404:
            # Its own key may be repeated, in quotes.
            fine = fine and SENTINEL not in re.sub(rf"('|&#x27;|“){SENTINEL}", "", body)
        if not fine:
            wrong.append(f"{row} as {person}: {status}, expected {expected}. {body[:300]}")
    return wrong


def request_of(name: str, world: World) -> tuple[str, str, dict[str, Any]]:
    """Method, address and further arguments of a request that the operation accepts."""
    method, path = API_OPERATIONS[name]
    query = QUERIES.get(name, lambda _: "")(world)
    address = filled(path, world) + (f"?{query}" if query else "")
    if method == "GET":
        return method, address, {}
    body = BODIES.get(name, lambda _: {})(world)
    return method, address, {"data": json.dumps(body), "content_type": "application/json"}


def unfinished(name: str, letter: str, outcomes: Outcomes) -> list[str]:
    """The cells of users who may do an operation, but did not: neither a success nor the documented
    refusal."""
    wrong = []
    for person, expected in zip(PEOPLE, CELLS[letter], strict=True):
        status, body = outcomes.get(person, (200, ""))
        if expected != "ok" or 200 <= status < 300:
            continue
        code = json.loads(body).get("code") if body.startswith("{") else ""
        if (status, code) != REFUSALS.get(name):
            wrong.append(f"{name} as {person}: {status} {code}. {body[:200]}")
    return wrong


@pytest.mark.parametrize("people", quick_or_slow(boundary, lambda letter: PEOPLE))
def test_every_operation_of_the_api(world: World, people: Callable[[str], Sequence[str]]) -> None:
    wrong = []
    for name, letter in sorted(by_operation(API).items()):
        method, address, given = request_of(name, world)
        outcomes = {
            person: tried(world.clients[person], method, address, **given)
            for person in people(letter)
        }
        wrong += judged(f"{method} {address} ({name})", letter, outcomes)
        wrong += unfinished(name, letter, outcomes)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("step", quick_or_slow(9, 1))
def test_a_token_has_the_rights_of_its_user(world: World, step: int) -> None:
    """Operations × users: a token of the operation's scope gets the answer of the user's session.
    `test_token_scopes.py` has every operation with every scope."""
    taken = [name for name in sorted(by_operation(API)) if scopes_of(name)]
    assert len(taken) > 100
    client = Client(HTTP_HOST="127.0.0.1", raise_request_exception=False)
    token = cache_results(lambda person, scope: api_token(world.users[person], scopes=[scope]))
    wrong = []
    for name in taken[::step]:
        method, address, given = request_of(name, world)
        if name == "tokens_create":  # A token passes on only its own scopes.
            given["data"] = json.dumps({**json.loads(given["data"]), "scopes": scopes_of(name)})
        for person in PEOPLE[:-1]:
            bearer = {"headers": {"Authorization": f"Bearer {token(person, *scopes_of(name))}"}}
            status, body = tried(client, method, address, **given, **bearer)
            expected, _ = tried(world.clients[person], method, address, **given)
            if status != expected:
                wrong.append(f"{name} as {person}: {status}, not {expected}. {body[:200]}")
    assert not wrong, "\n".join(wrong)


def scopes_of(name: str) -> list[str]:
    """The scope that the document names for tokens; none for operations without tokens."""
    method, path = API_OPERATIONS[name]
    security = document()["paths"][path][method.lower()].get("security", ())
    return [scope for one in security for scope in one.get("bearerToken", ())]


FORMS: dict[str, dict[str, str]] = {
    "packs/{pack}/triggers/change/": {"trigger": "triggers"},
    "roles/change/": {"role": "agent-roles"},
    "settings/connections/": {"connection": "connections"},
    "settings/mcp-servers/": {"server": "mcp-servers"},
}
"""Route of a form → its field with the key of an object."""


@pytest.mark.parametrize("people", quick_or_slow(boundary, lambda letter: PEOPLE))
def test_every_page(world: World, people: Callable[[str], Sequence[str]]) -> None:
    wrong = []
    for row, letter in sorted(by_operation(PAGES).items()):
        method, route, *rest = row.split(":")
        form = {name: world.ids[kind] for name, kind in FORMS.get(route, {}).items()}
        if rest:
            form["do"] = rest[0]
        if route.startswith("roles/memory/"):
            adds = rest == ["add"]
            form |= (
                {"role": world.ids["agent-roles"]} if adds else {"memory": world.ids["memories"]}
            )
        address = filled(route, world)
        if route == "runs/compare/":
            address += f"?run={world.run.pk}&run={world.other.pk}"
        data = "&".join(f"{name}={value}" for name, value in form.items())
        given = {"data": data, "content_type": "application/x-www-form-urlencoded"}
        given = given if method == "POST" else {}
        outcomes = {
            person: tried(world.clients[person], method, address, **given)
            for person in people(letter)
        }
        wrong += judged(row, letter, outcomes)
    assert not wrong, "\n".join(wrong)
