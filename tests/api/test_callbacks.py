"""Results of runs at the callback of their webhook, seen by its receiver."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from workflows.actions import callbacks
from workflows.models import Firing, Pack
from workflows.runner.callbacks import send_due_callbacks


class Receiver:
    """A server that keeps each request with its headers, and answers with `status`."""

    def __init__(self) -> None:
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.received.append((headers, body))
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, *_: Any) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/results"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]
    made = Receiver()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def hook(support: Pack, post: Any, receiver: Receiver) -> dict[str, Any]:
    body = {"kind": "webhook", "name": "Results", "driver": "manual", "callback": receiver.url}
    made = post(f"packs/{support.pk}/triggers/", body)
    assert made.status_code == 201, made.content
    return made.json()


def deliver(hook: dict[str, Any], key: str = "order-7") -> str:
    sender = Client(HTTP_HOST="127.0.0.1")
    headers = {"Authorization": f"Bearer {hook['secret']}", "Idempotency-Key": key}
    answer = sender.post(hook["path"], b"{}", content_type="application/json", headers=headers)
    assert answer.status_code == 202, answer.content
    return answer.json()["run"]


def cancel(post: Any, run: str) -> None:
    assert post(f"runs/{run}/signals/", {"type": "cancel"}).status_code == 200


def test_the_result_is_sent_once_and_signed(
    hook: dict[str, Any], post: Any, site: Client, receiver: Receiver
) -> None:
    run = deliver(hook)
    assert send_due_callbacks() == 0, "The run has not ended."
    assert site.get(f"/api/v1/triggers/{hook['id']}/").json()["firings"][0]["callback"] == "waiting"
    cancel(post, run)
    assert send_due_callbacks() == 1
    assert send_due_callbacks() == 0
    ((headers, body),) = receiver.received
    key = b64decode(hook["secret"].removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    proof = b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{proof}"
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    sent = json.loads(body)
    assert (sent["type"], headers["webhook-id"]) == ("run.finished", run)
    assert sent["delivery"].endswith("order-7")
    assert sent["run"] == site.get(f"/api/v1/runs/{run}/").json()
    assert sent["result"] == site.get(f"/api/v1/runs/{run}/result/").json()
    (firing,) = site.get(f"/api/v1/triggers/{hook['id']}/").json()["firings"]
    assert firing["callback"] == "sent"
    page = site.get(f"/packs/{hook['pack']}/triggers/").content.decode()
    assert 'data-callback="sent"' in page
    assert receiver.url in page


def test_a_refusing_receiver_is_tried_again_and_then_given_up(
    hook: dict[str, Any], post: Any, site: Client, receiver: Receiver
) -> None:
    receiver.status = 500
    cancel(post, deliver(hook))
    for attempt in range(1, callbacks.MAX_TRIES + 1):
        assert send_due_callbacks() == 0
        row = Firing.objects.get()
        assert (row.callback_tries, len(receiver.received)) == (attempt, attempt)
        if attempt < callbacks.MAX_TRIES:
            assert row.callback_due is not None
            assert row.callback_due > timezone.now()
            Firing.objects.update(callback_due=timezone.now())
    assert row.callback_due is None
    (firing,) = site.get(f"/api/v1/triggers/{hook['id']}/").json()["firings"]
    assert firing["callback"] == "failed"
    assert firing["callback_error"] == "The receiver answered with status 500."
    assert len({headers["webhook-id"] for headers, _ in receiver.received}) == 1


def test_a_result_of_a_killed_worker_is_sent_by_another(
    hook: dict[str, Any], post: Any, receiver: Receiver
) -> None:
    cancel(post, deliver(hook))
    assert len(callbacks.claim_callbacks()) == 1  # and then the worker is killed
    assert send_due_callbacks() == 0
    assert len(callbacks.claim_callbacks(timezone.now() + callbacks.LEASE)) == 1
    Firing.objects.update(callback_due=timezone.now())
    assert send_due_callbacks() == 1


def test_a_private_receiver_is_not_contacted(
    hook: dict[str, Any], post: Any, receiver: Receiver, settings: Any
) -> None:
    settings.SIGNALBOX_PRIVATE_HOSTS = []
    cancel(post, deliver(hook))
    assert send_due_callbacks() == 0
    assert receiver.received == []
    assert "127.0.0.1 is a private address" in Firing.objects.get().callback_error


@pytest.mark.parametrize(
    ("kind", "callback", "says"),
    [
        ("webhook", "ftp://example.org", "must begin with https"),
        ("webhook", "https://a:b@example.org/", "must not contain a user"),
        ("webhook", "x" * 1_001, "1000"),
        ("schedule", "https://example.org/", "Only a webhook has a callback."),
    ],
)
def test_invalid_callbacks_are_refused(
    support: Pack, post: Any, kind: str, callback: str, says: str
) -> None:
    body = {"kind": kind, "name": "n", "driver": "manual", "callback": callback}
    more = {"cron": "0 7 * * *"} if kind == "schedule" else {}
    answer = post(f"packs/{support.pk}/triggers/", {**body, **more})
    assert answer.status_code == 400
    assert says in answer.json()["message"]
    assert answer.json()["where"] == "callback"
