"""The page of a signed link: one approval, answered without signing in."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from roles.rights import Level, level_of
from workflows.models import Approval
from workflows.security.approval_links import target_of
from workflows.views.approvals import answer_by_form, card


@login_not_required
@never_cache
@require_http_methods(["GET", "POST"])
def approval_link(request: HttpRequest, token: str) -> HttpResponse:
    """Opening the link only shows the question: programs that fetch links in advance answer
    nothing. A form on the page answers, as the person the link was made for, if that person still
    may. Later the page shows the answer."""
    target = target_of(token)
    if target is None or level_of(target.person, target.approval) < Level.EDIT:
        return render(request, "approval_link.html", {"gone": True}, status=403)
    if request.method == "POST":
        answer_by_form(request, target.approval.pk, by=target.person.get_username())
        return redirect(request.path)
    shown = {**card(target.approval), "action": request.path, "by_link": True}
    context = {
        "card": shown,
        "person": target.person,
        "open": target.approval.status == Approval.Status.OPEN,
    }
    return render(request, "approval_link.html", context)
