"""The approval queue: all open questions of runs. Works without JavaScript."""

from __future__ import annotations

import json
import shlex
import uuid
from typing import Any, assert_never
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_POST

from roles.request_user import request_user
from workflows.actions.approval_answers import GIVEN, answer
from workflows.actions.approval_notices import pass_on
from workflows.core.engine.effects import (
    AskHuman,
    AskModel,
    CallTool,
    Effect,
    RunCommand,
    Wait,
    effect_from_json,
)
from workflows.core.engine.signals import ToolCall
from workflows.errors import BadRequest, CallerError
from workflows.models import Approval
from workflows.selectors import approvals as read
from workflows.selectors.approval_deadlines import YES_OR_NO

PER_PAGE = 100
EDITORS = {
    "approve": "Arguments",
    "answer": "Answer",
    "command": "Result of the command, as you saw it",
    "tool": "Result of the tool",
    "model": "Answer as the model",
}
OPENS = {"approve": "Edit…", "command": "I ran it…", "tool": "Write the result…"}
COMMAND_WENT = {"exit": 0, "stdout": "", "stderr": ""}
YES = {"command": "Run it now", "tool": "Call it once"}


@ensure_csrf_cookie
@require_GET
def approvals(request: HttpRequest) -> HttpResponse:
    """Open approvals, or answered ones (`?status=`)."""
    filters = {name: request.GET.get(name, "").strip() for name in ("status", "q")}
    status = filters["status"] if filters["status"] in Approval.Status.values else "open"
    page = Paginator(
        read.approvals(request_user(request), status=status, q=filters["q"]), PER_PAGE
    ).get_page(request.GET.get("page"))
    context = {
        "cards": [card(approval) for approval in page.object_list],
        "page": page,
        "query": urlencode(filters),
        "asked": {**filters, "status": status},
        "statuses": Approval.Status.values,
    }
    return render(request, "approvals.html", context)


@require_POST
def answer_approval(request: HttpRequest, approval: uuid.UUID) -> HttpResponse:
    """A form of the queue, sent without JavaScript."""
    answer_by_form(request, approval, by=request.user.get_username())
    return redirect("approvals")


@require_POST
def pass_approval(request: HttpRequest, approval: uuid.UUID) -> HttpResponse:
    """Ask another person to answer."""
    row = Approval.objects.filter(pk=approval).first()
    name = request.POST.get("person", "").strip()
    try:
        if row is not None:
            pass_on(row, name)
            messages.success(request, f"Passed to {name}." if name else "Withdrawn.")
    except CallerError as refused:
        messages.error(request, refused.sentence)
    return redirect("approvals")


def answer_by_form(request: HttpRequest, approval: uuid.UUID, *, by: str) -> bool:
    """Answer with the fields of a form. A refusal becomes a message and False."""
    sent = request.POST
    try:
        edited = _edited(sent.get("edited"), sent.get("json") == "true")
        answer(
            approval,
            approve=sent.get("approve") != "no",
            reason=sent.get("reason", ""),
            event=sent.get("event", ""),
            edited=edited,
            tool_calls=_calls(sent.get("tool", ""), edited),
            rest=sent.get("approve") == "rest",
            by=by,
        )
    except (CallerError, ValueError) as refused:
        messages.error(request, getattr(refused, "message", f"This is not JSON: {refused}"))
        return False
    return True


def _edited(text: str | None, is_json: bool) -> dict[str, Any] | None:
    """The edited value. Raises ValueError if JSON is required and the text is not JSON."""
    if text is None:
        return None
    return {GIVEN: json.loads(text) if is_json else text.replace("\r\n", "\n")}


def _calls(tool: str, edited: dict[str, Any] | None) -> tuple[ToolCall, ...]:
    """The call of a tool in an answer for a model. Raises BadRequest."""
    if not tool:
        return ()
    arguments = edited[GIVEN] if edited else {}
    if not isinstance(arguments, dict):
        raise BadRequest("The arguments of a call are a JSON object.", where="edited")
    return (ToolCall(name=tool, arguments=arguments),)


def card(approval: Approval) -> dict[str, Any]:
    """Template data of one approval: the exact question, and the ways to answer."""
    effect = effect_from_json(approval.asks)
    named, enough = _named(approval), _yes_is_enough(approval)
    return {
        **read.approval_json(approval),
        "action": reverse("answer-approval", args=[approval.pk]),
        "exact": exact(effect),
        "prompt": _prompt(effect) if isinstance(effect, AskModel) else "",
        "choices": _choices(approval),
        "yes_or_no": approval.kind in YES_OR_NO,
        "yes": YES.get(approval.kind, "Approve") if enough and not named else "",
        "no": named[1] if named else "Deny",
        "rest": enough and _calls_tool(effect),
        "act": read.act_on(approval),
        "callable": [tool.name for tool in effect.tools] if isinstance(effect, AskModel) else [],
        "editor": _editor(approval),
    }


def _calls_tool(effect: Effect) -> bool:
    return isinstance(effect, CallTool) or (isinstance(effect, AskHuman) and bool(effect.call))


def _named(approval: Approval) -> list[str]:
    """The words for yes and no, if the question has its own."""
    choices = approval.asks.get("choices") or ()
    named = approval.kind == "approve" and len(choices) == 2
    return [choice["label"] for choice in choices] if named else []


def _yes_is_enough(approval: Approval) -> bool:
    """Return True if approving needs no more: a question, or what the server performs then."""
    if approval.kind in (Approval.Kind.COMMAND, Approval.Kind.TOOL):
        return approval.can_allow
    return approval.kind == Approval.Kind.APPROVE


def exact(effect: Effect) -> dict[str, str] | None:
    """The command as a shell line, or the call with all of its arguments."""
    match effect:
        case RunCommand(command=command):
            return {"name": "Command", "text": shlex.join(command)}
        case CallTool(name=name, arguments=arguments):
            return {"name": f"Call of {name}", "text": written(arguments)}
        case AskHuman(call=call) if call is not None:
            return {"name": f"Call of {call['name']}", "text": written(call["arguments"])}
        case AskHuman() | AskModel() | Wait():
            return None
        case _:
            assert_never(effect)


def written(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _prompt(effect: AskModel) -> str:
    """The prompt of the model, for a person who answers in its place."""
    turns = [f"{message.role}: {message.text}" for message in effect.messages]
    return "\n\n".join([effect.system, *turns])


def _choices(approval: Approval) -> list[str]:
    if approval.kind not in ("event", "answer"):
        return []
    return [choice["label"] for choice in approval.asks.get("choices") or ()]


def _editor(approval: Approval) -> dict[str, Any] | None:
    """The editor of an answer: as JSON if it has a schema, and its initial text."""
    kind, asks = approval.kind, approval.asks
    if named := _named(approval):
        text = {"name": "Message", "json": False, "text": "", "open": True}
        return {**text, "opens": f"{named[0]}…", "send": named[0]}
    if kind == "event" or (kind == "approve" and asks.get("call") is None):
        return None
    starts: dict[str, str] = {"command": written(COMMAND_WENT)}
    if kind == "approve":
        starts["approve"] = written(asks["call"]["arguments"])
    shaped = asks.get("schema") is not None or bool(asks.get("answer_tool"))
    return {
        "name": EDITORS[kind],
        "json": kind in starts or shaped,
        "text": starts.get(kind, ""),
        "open": kind == "answer",
        "opens": OPENS.get(kind, "Write…"),
        "send": "Approve as edited" if kind == "approve" else "Send",
    }
