"""Inputs out of a delivery's body, and proofs of its secret."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode

import pytest

from tests.support.checks import each_row
from workflows.core.triggers.webhook_inputs import BadBody, check_mapping, inputs_from
from workflows.core.triggers.webhook_signature import is_authentic

SECRET = "whsec_" + b64encode(b"k" * 32).decode()
BODY = b'{"issue": {"title": "Broken", "tags": ["a", "b"]}, "n": 3}'
NOW = 1_800_000_000.0


@each_row(
    [
        ({}, {"kind": "bug"}),
        ({"title": "/issue/title"}, {"kind": "bug", "title": "Broken"}),
        ({"tag": "/issue/tags/1", "n": "/n"}, {"kind": "bug", "tag": "b", "n": "3"}),
        ({"issue": "/issue/tags"}, {"kind": "bug", "issue": '["a", "b"]'}),
        ({"kind": "/nothing"}, {"kind": "bug"}),
        ({"kind": "/n"}, {"kind": "3"}),
        ({"all": ""}, {"kind": "bug", "all": BODY.decode()}),
    ]
)
def test_inputs_are_taken(takes: dict[str, str], inputs: dict[str, str]) -> None:
    assert inputs_from(takes, BODY, {"kind": "bug"}) == inputs


@each_row(
    [
        ({"title": "/issue/name"}, BODY, "nothing at /issue/name, which the input 'title' takes"),
        ({"title": "/issue/tags/7"}, BODY, "nothing at"),
        ({"title": "/issue/tags/-1"}, BODY, "nothing at"),
        ({"title": "/n/x"}, BODY, "nothing at"),
        ({"title": "/x"}, b"{", "not JSON"),
        ({"title": "/x"}, b'{"x": NaN}', "not JSON"),
        ({"title": "/x"}, b'{"x": "\\ud800"}', "not JSON"),
        ({"title": "/x"}, b"[" * 100_000, "nested too deeply"),
        ({"all": ""}, b"\xff", "not UTF-8"),
    ]
)
def test_a_missing_value_is_reported(takes: dict[str, str], body: bytes, sentence: str) -> None:
    with pytest.raises(BadBody, match=sentence):
        inputs_from(takes, body, {})


@each_row([{"a": "b"}, {"a": 3}, {"": "/x"}])
def test_an_invalid_pointer_is_refused(takes: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="ointer"):
        check_mapping(takes)


def in_hex(secret: str = SECRET, body: bytes = BODY) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard(time: float = NOW, id: str = "msg_1", body: bytes = BODY) -> dict[str, str]:
    signed = f"{id}.{time:.0f}.".encode() + body
    key = b64decode(SECRET.removeprefix("whsec_"))
    digest = b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": id,
        "webhook-timestamp": f"{time:.0f}",
        "webhook-signature": f"v1,bm9wZQ== v1,{digest}",
    }


@each_row(
    [
        ({"authorization": f"Bearer {SECRET}"}, True),
        ({"authorization": f"bearer  {SECRET} "}, True),
        ({"authorization": f"Basic {SECRET}"}, False),
        ({"authorization": "Bearer whsec_x"}, False),
        ({"authorization": "Bearer ü"}, False),
        ({"x-signalbox-signature": f"sha256={in_hex()}"}, True),
        ({"x-hub-signature-256": f"sha256={in_hex()}"}, True),
        ({"x-hub-signature-256": f"sha256={in_hex('other')}"}, False),
        ({"x-hub-signature-256": f"sha256={in_hex(body=b'other')}"}, False),
        ({"x-hub-signature-256": ""}, False),
        (standard(), True),
        (standard(NOW - 299), True),
        (standard(NOW - 301), False),
        (standard(NOW + 301), False),
        (standard(body=b"other"), False),
        ({**standard(), "webhook-id": "msg_2"}, False),
        ({**standard(), "webhook-timestamp": "soon"}, False),
        ({}, False),
    ]
)
def test_only_who_knows_the_secret_proves_it(headers: dict[str, str], good: bool) -> None:
    assert is_authentic(SECRET, headers, BODY, NOW) is good
