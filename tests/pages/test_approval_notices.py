"""Messages about approvals, their links, time limits and delegation, seen from outside."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone

from tests.dialects.stages.run.scripted_run import pack as stages_pack
from workflows.actions import approval_notices, packs, runs
from workflows.core.engine.signals import Reply, ToolCall
from workflows.models import Approval, ApprovalNotice, NotificationChannel, Run
from workflows.runner.approval_messages import send_due_notices
from workflows.security.approval_links import LIFETIME, link_token

ADDRESS = "https://signalbox.example"


class Chat:
    """An incoming webhook that checks bodies by Slack's published rules."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        self.status = 200
        chat = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = chat.status if chat.accepts(body) else 400
                if status == 200:
                    chat.received.append(body)
                self.send_response(status)
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_: Any) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/services/T0/B0/secret"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def accepts(body: dict[str, Any]) -> bool:
        texts = [block["text"] for block in body["blocks"] if block["type"] == "section"]
        buttons = [
            element
            for block in body["blocks"]
            if block["type"] == "actions"
            for element in block["elements"]
        ]
        return (
            isinstance(body["text"], str)
            and 0 < len(body["blocks"]) <= 50
            and all(0 < len(text["text"]) <= 3000 for text in texts)
            and all(len(one["url"]) <= 3000 and len(one["text"]["text"]) <= 75 for one in buttons)
        )


def question(person: User) -> Approval:
    tree = {str(path): data for path, data in stages_pack({"a": {}}).items()}
    pack = packs.import_files(tree, owner=person).packs[0]
    run = runs.start(pack, driver="manual", options={}, owner=person)
    (key,) = runs.work_of(run.pk).run.pending
    call = ToolCall(name="bash", arguments={"command": "make <b>"}, id="c1")
    runs.deliver(run.pk, Reply(at=time.time(), key=key, tool_calls=(call,)))
    return Approval.objects.get(run=run, kind="approve")


@pytest.fixture
def chat() -> Iterator[Chat]:
    made = Chat()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(autouse=True)
def _settings(settings: Any) -> None:
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]
    settings.SIGNALBOX_ADDRESS = ADDRESS
    settings.SIGNALBOX_SMTP = "smtp://mail.example"


@pytest.fixture
def channels(site: Client, chat: Chat) -> None:
    for kind, address in (("chat", chat.url), ("mail", "ada@example.org")):
        site.post("/settings/notifications/", {"kind": kind, "address": address})


@pytest.fixture
def asked(channels: None, ada: User) -> Approval:
    """A model wants to call a tool that its stage does not list."""
    return question(ada)


def link_in(text: str) -> str:
    (found,) = re.findall(rf"{ADDRESS}(/approvals/link/\S+)", text)
    return str(found)


def visitor() -> Client:
    return Client(HTTP_HOST="127.0.0.1", raise_request_exception=False)


def test_a_question_reaches_chat_and_mail_once(asked: Approval, chat: Chat) -> None:
    assert send_due_notices() == 2
    assert send_due_notices() == 0
    (message,) = chat.received
    (letter,) = mail.outbox
    assert asked.run.pack.name in message["text"]
    assert letter.to == ["ada@example.org"]
    assert asked.run.pack.name in letter.subject
    button = message["blocks"][-1]["elements"][0]
    assert visitor().get(link_in(button["url"])).status_code == 200
    assert visitor().get(link_in(str(letter.body))).status_code == 200
    for said in (json.dumps(message), str(letter.message())):
        assert "The call of bash needs an approval." in said
        assert "make" not in said


def test_a_link_shows_the_question_and_answers_once_as_its_person(asked: Approval) -> None:
    send_due_notices()
    path = link_in(str(mail.outbox[0].body))
    client = visitor()
    for _ in range(3):
        page = client.get(path).content.decode()
    asked.refresh_from_db()
    assert asked.status == "open"
    assert "<strong data-person>ada</strong>" in page
    assert f'action="{path}"' in page
    assert client.get(f"/runs/{asked.run_id}/").status_code == 302

    assert client.post(path, {"approve": "yes"}).status_code == 302
    asked.refresh_from_db()
    assert (asked.status, asked.answered_by) == ("approved", "ada")
    later = client.get(path).content.decode()
    assert "This question was answered" in later
    client.post(path, {"approve": "no"})
    asked.refresh_from_db()
    assert asked.status == "approved"


def test_forged_old_and_revoked_links_do_nothing(asked: Approval, ada: User, bob: User) -> None:
    token = link_token(asked, ada)
    for bad in (token[:-2] + "xx", "x", link_token(asked, bob)):
        assert visitor().get(f"/approvals/link/{bad}/").status_code == 403
        assert visitor().post(f"/approvals/link/{bad}/", {"approve": "no"}).status_code == 403
    good = f"/approvals/link/{token}/"
    assert visitor().get(good).status_code == 200
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert visitor().post(good, {"approve": "no"}).status_code == 403
    asked.refresh_from_db()
    assert asked.status == "open"


def test_a_link_ends_after_its_lifetime(
    asked: Approval, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = link_token(asked, ada)
    monkeypatch.setattr("workflows.security.approval_links.LIFETIME", -LIFETIME)
    assert visitor().get(f"/approvals/link/{token}/").status_code == 403


def test_a_private_address_is_refused_when_it_is_entered(site: Client, settings: Any) -> None:
    settings.SIGNALBOX_PRIVATE_HOSTS = []
    form = {"kind": "chat", "address": "http://169.254.169.254/hook"}
    answer = site.post("/settings/notifications/", form, follow=True)
    assert "169.254.169.254 is a private address" in answer.content.decode()
    assert not NotificationChannel.objects.exists()


def test_a_refusing_chat_is_tried_again_later(asked: Approval, chat: Chat) -> None:
    chat.status = 503
    assert send_due_notices() == 1
    row = ApprovalNotice.objects.get(channel__kind="chat")
    assert (row.tries, row.done_at, row.error) == (1, None, "The chat answered with status 503.")
    assert row.due > timezone.now()
    ApprovalNotice.objects.filter(pk=row.pk).update(due=timezone.now())
    chat.status = 200
    assert send_due_notices() == 1
    assert len(chat.received) == 1
    assert "secret" not in row.error


def test_a_message_of_a_killed_worker_is_sent_by_another(
    asked: Approval, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(approval_notices.claim_notices()) == 2  # and then the worker is killed
    assert send_due_notices() == 0
    later = timezone.now() + approval_notices.LEASE
    assert len(approval_notices.claim_notices(later)) == 2
    ApprovalNotice.objects.update(due=timezone.now())
    assert send_due_notices() == 2
    assert len(chat.received) == 1


def test_a_message_about_an_answered_question_is_not_sent(
    asked: Approval, site: Client, chat: Chat
) -> None:
    site.post(f"/api/v1/runs/{asked.run_id}/signals/", {"type": "cancel"}, "application/json")
    assert send_due_notices() == 0
    assert (chat.received, mail.outbox) == ([], [])
    assert not ApprovalNotice.objects.filter(done_at=None).exists()


def test_the_time_limit_answers_and_reminds(
    asked: Approval, settings: Any, ada: User, chat: Chat
) -> None:
    settings.SIGNALBOX_APPROVAL_HOURS = 10
    new = question(ada)
    assert send_due_notices() == 4
    assert "it is denied after" in str(mail.outbox[-1].body)
    reminders = ApprovalNotice.objects.filter(approval=new, kind="reminder")
    assert {row.due for row in reminders} == {new.asked_at + timedelta(hours=5)}
    reminders.update(due=timezone.now())
    assert send_due_notices() == 2
    assert mail.outbox[-1].subject.startswith("Reminder: ")

    Approval.objects.filter(pk=new.pk).update(asked_at=timezone.now() - timedelta(hours=11))
    send_due_notices()
    new.refresh_from_db()
    assert (new.status, new.answered_by) == ("denied", "the time limit")
    assert new.reason == "No answer within 10 h."
    asked.refresh_from_db()
    assert asked.status == "open"


def test_approval_by_the_time_limit_runs_no_command(asked: Approval, settings: Any) -> None:
    settings.SIGNALBOX_APPROVAL_HOURS = 1
    settings.SIGNALBOX_APPROVAL_OUTCOME = "approve"
    Approval.objects.update(asked_at=timezone.now() - timedelta(hours=2))
    send_due_notices()
    asked.refresh_from_db()
    assert asked.status == "open"
    Approval.objects.update(asks={**asked.asks, "call": None})
    send_due_notices()
    asked.refresh_from_db()
    assert (asked.status, asked.answered_by) == ("approved", "the time limit")


def test_a_question_is_passed_to_another_person(
    asked: Approval, site: Client, bob: User, chat: Chat
) -> None:
    address = f"/approvals/{asked.pk}/pass/"
    refused = site.post(address, {"person": "bob"}, follow=True).content.decode()
    assert "may not answer this" in refused
    Run.objects.filter(pk=asked.run_id).update(owner=bob)
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    other = visitor()
    other.force_login(bob)
    other.post("/settings/notifications/", {"kind": "mail", "address": "bob@example.org"})
    page = site.post(address, {"person": "bob"}, follow=True).content.decode()
    assert 'data-passed-to="bob"' in page
    send_due_notices()
    assert ["bob@example.org"] in [letter.to for letter in mail.outbox]
    row = site.get(f"/api/v1/approvals/{asked.pk}/").json()
    assert row["passed_to"] == "bob"


@pytest.mark.parametrize(
    ("kind", "address", "says"),
    [
        ("chat", "ftp://x", "must begin with https"),
        ("chat", "", "is not a web address"),
        ("mail", "nobody", "is not a mail address"),
        ("fax", "1", "A channel is chat or mail."),
    ],
)
def test_invalid_channels_are_refused(site: Client, kind: str, address: str, says: str) -> None:
    body = {"kind": kind, "address": address}
    page = site.post("/settings/notifications/", body, follow=True).content.decode()
    assert says in page


def test_channels_are_shown_without_their_secret_and_removed(
    site: Client, channels: None, bob: User
) -> None:
    page = site.get("/settings/").content.decode()
    assert "ada@example.org" in page
    assert "secret" not in page.partition('id="notifications"')[2].partition("</section>")[0]
    assert "services/T0" not in str(list(NotificationChannel.objects.values()))
    other = visitor()
    other.force_login(bob)
    numbers = re.findall(r'name="remove" value="(\d+)"', page)
    other.post("/settings/notifications/", {"remove": numbers[0]})
    assert "ada@example.org" in site.get("/settings/").content.decode()
    for number in numbers:
        site.post("/settings/notifications/", {"remove": number})
    assert "data-channels" not in site.get("/settings/").content.decode()
