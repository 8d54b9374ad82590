"""Webhooks of the forge: signed as the three kinds sign them, and sent in the background."""

from __future__ import annotations

import hashlib
import hmac
import json
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tests.support.forge_server.projects import Project, Pull, Push

TIMEOUT = 20.0


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """A request of a webhook. `status` is that of the answer, 0 if there was none."""

    url: str
    event: str
    headers: Mapping[str, str]
    body: bytes
    status: int


class Webhooks:
    """Sends deliveries one after the other."""

    def __init__(self) -> None:
        self._sender = ThreadPoolExecutor(max_workers=1)
        self._sent: list[Future[Delivery]] = []

    def fire(self, project: Project, event: str, subject: Push | Pull) -> None:
        body = json.dumps(payload(project, event, subject)).encode()
        for url, secret in project.hooks.items():
            headers = headers_of(project.kind, event, secret, body)
            self._sent.append(self._sender.submit(_send, url, event, headers, body))

    def deliveries(self) -> list[Delivery]:
        """All deliveries so far, after the last one was answered."""
        return [one.result(TIMEOUT * 2) for one in list(self._sent)]

    def stop(self) -> None:
        self._sender.shutdown(cancel_futures=True)


def headers_of(kind: str, event: str, secret: str, body: bytes) -> dict[str, str]:
    """The headers of a delivery. Without a secret, Gitea's signatures are empty texts and the
    others are missing."""
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest() if secret else ""
    id = str(uuid.uuid4())
    match kind:
        case "github":
            headers = {"X-GitHub-Event": event, "X-GitHub-Delivery": id}
            if secret:
                headers["X-Hub-Signature-256"] = f"sha256={signature}"
        case "gitlab":
            name = "Push Hook" if event == "push" else "Merge Request Hook"
            headers = {"X-Gitlab-Event": name, "X-Gitlab-Event-UUID": id, "Idempotency-Key": id}
            if secret:
                headers["X-Gitlab-Token"] = secret
        case _:
            headers = {
                "X-Gitea-Event": event,
                "X-Gitea-Delivery": id,
                "X-Gitea-Signature": signature,
                "X-GitHub-Event": event,
                "X-Hub-Signature-256": f"sha256={signature}",
            }
    return {"Content-Type": "application/json", "User-Agent": f"{kind}-hook", **headers}


def payload(project: Project, event: str, subject: Push | Pull) -> dict[str, Any]:
    """The main fields of a delivery."""
    match subject:
        case Push() if project.kind == "gitlab":
            return {
                "object_kind": "push",
                "ref": f"refs/heads/{subject.branch}",
                "before": subject.before,
                "after": subject.after,
                "user_username": subject.user,
                "project": {"id": project.id, "path_with_namespace": project.name},
            }
        case Push():
            return {
                "ref": f"refs/heads/{subject.branch}",
                "before": subject.before,
                "after": subject.after,
                "forced": subject.forced,
                "pusher": {"name": subject.user},
                "repository": {"id": project.id, "full_name": project.name},
            }
        case Pull() if project.kind == "gitlab":
            actions = {"open": "open", "closed": "close", "merged": "merge"}
            return {
                "object_kind": "merge_request",
                "project": {"id": project.id, "path_with_namespace": project.name},
                "object_attributes": {
                    "iid": subject.number,
                    "action": actions[subject.state],
                    "source_branch": subject.head,
                    "target_branch": subject.base,
                },
            }
        case Pull():
            return {
                "action": "opened" if subject.state == "open" else "closed",
                "number": subject.number,
                "pull_request": {
                    "number": subject.number,
                    "merged": subject.state == "merged",
                    "head": {"ref": subject.head},
                    "base": {"ref": subject.base},
                },
                "repository": {"id": project.id, "full_name": project.name},
            }


def _send(url: str, event: str, headers: Mapping[str, str], body: bytes) -> Delivery:
    request = urllib.request.Request(url, data=body, headers=dict(headers), method="POST")
    status = 0
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            status = answer.status
    except urllib.error.HTTPError as refused:
        status = refused.code
        refused.close()
    except OSError:
        pass
    return Delivery(url=url, event=event, headers=headers, body=body, status=status)
