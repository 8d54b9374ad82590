"""Sign-in, sign-out and settings: account, tokens, people."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import get_user_model, login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from workflows.actions import people
from workflows.db.integers import integer_or_zero
from workflows.errors import CallerError
from workflows.models import Token
from workflows.runner.tracing import COLLECTOR
from workflows.selectors import retention
from workflows.views import connections

MOST_FAILURES = 10
FAILURES_COUNT_FOR = 15 * 60
BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in by a link (`?token=`), or by name and password."""
    wanted = _next(request)
    if token := request.GET.get("token", ""):
        user = people.redeem(token)
        if user is not None:
            login(request, user, backend=BACKEND)
            return redirect(wanted)
        notice = "This link was used already or is too old. Ask for a new one."
        return render(
            request, "sign_in.html", {"form": AuthenticationForm(), "notice": notice}, status=403
        )
    if request.user.is_authenticated:
        return redirect(wanted)
    if request.method == "GET":
        return render(request, "sign_in.html", {"form": AuthenticationForm(), "next": wanted})
    return _with_password(request, wanted)


def _with_password(request: HttpRequest, wanted: str) -> HttpResponse:
    counter = f"sign-in:{request.POST.get('username', '')[:150].casefold()}"
    if cache.get(counter, 0) >= MOST_FAILURES:
        notice = "Too many attempts. Wait a quarter of an hour, or use a one-time link."
        context = {"form": AuthenticationForm(), "notice": notice, "next": wanted}
        return render(request, "sign_in.html", context, status=429)
    form = AuthenticationForm(request, data=request.POST)
    if form.is_valid():
        cache.delete(counter)
        login(request, form.get_user())
        return redirect(wanted)
    cache.add(counter, 0, FAILURES_COUNT_FOR)
    cache.incr(counter)
    notice = "Name and password do not match."
    context = {"form": form, "notice": notice, "next": wanted}
    return render(request, "sign_in.html", context, status=403)


def _next(request: HttpRequest) -> str:
    asked = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        asked, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return asked if safe else resolve_url(settings.LOGIN_REDIRECT_URL)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign-in")


@never_cache
@require_GET
def account(request: HttpRequest) -> HttpResponse:
    """Account, tokens and (for staff) people."""
    return _account(request)


def _account(request: HttpRequest, **shown_once: Any) -> HttpResponse:
    user: Any = request.user
    context = {
        **shown_once,
        **connections.shown(),
        "tokens": Token.objects.filter(user=user).order_by("-created"),
        "people": get_user_model().objects.order_by("username") if user.is_staff else None,
        "has_password": user.has_usable_password(),
        "repositories": settings.SIGNALBOX_REPOSITORIES,
        "commands": settings.SIGNALBOX_COMMANDS,
        "private_hosts": settings.SIGNALBOX_PRIVATE_HOSTS,
        "worker": settings.SIGNALBOX_WORKER,
        "keeps": retention.limits(),
        "old": retention.in_words(retention.old(retention.limits())),
        "metrics": _metrics(),
        "traces": any(os.environ.get(name) for name in COLLECTOR),
    }
    return render(request, "settings.html", context)


@never_cache
@sensitive_post_parameters()
@require_POST
def change_settings(request: HttpRequest) -> HttpResponse:
    """A form of the settings page, chosen by `do`.

    Secrets that are shown once are part of this response; they are stored nowhere, not even in the
    session.
    """
    user: Any = request.user
    try:
        shown_once = _change(request, user)
    except CallerError as refused:
        messages.error(request, refused.message)
        return redirect("settings")
    return _account(request, **shown_once) if shown_once else redirect("settings")


def _change(request: HttpRequest, user: Any) -> dict[str, Any]:
    """Carry out a form. Returns the secrets to show once. Raises CallerError."""
    given = request.POST
    match given.get("do"):
        case "password":
            _set_password(request, user)
        case "make-token":
            return {"fresh_token": people.make_token(user, given.get("name", ""))}
        case "revoke-token":
            people.revoke_token(user, given.get("token", ""))
            messages.success(request, "The token no longer works.")
        case "add-person" | "invite-again" | "deactivate" | "activate" if not user.is_staff:
            messages.error(request, "Only staff can change who may sign in.")
        case "add-person":
            staff = given.get("staff") == "on"
            return _link(request, *people.add_person(given.get("username", ""), staff=staff))
        case "invite-again":
            return _link(request, *people.invite_again(integer_or_zero(given.get("person"))))
        case "deactivate" | "activate" as what:
            person = people.set_active(
                integer_or_zero(given.get("person")), what == "activate", by=user
            )
            messages.success(request, f"{person.username} was {what}d.")
        case _:
            messages.error(request, "Unknown form.")
    return {}


def _set_password(request: HttpRequest, user: Any) -> None:
    if user.has_usable_password() and not user.check_password(request.POST.get("old", "")):
        messages.error(request, "The present password is another.")
        return
    if request.POST.get("new", "") != request.POST.get("again", ""):
        messages.error(request, "The two new passwords differ.")
        return
    people.set_password(user, request.POST.get("new", ""))
    update_session_auth_hash(request, user)
    messages.success(request, "The password was set.")


def _link(request: HttpRequest, person: Any, token: str) -> dict[str, Any]:
    address = f"{reverse('sign-in')}?{urlencode({'token': token})}"
    shown = {"person": person.username, "address": request.build_absolute_uri(address)}
    return {"fresh_link": shown}


def _metrics() -> str:
    """Access to /metrics, for the settings page."""
    token = settings.SIGNALBOX_METRICS_TOKEN
    return "off" if token == "off" else "token" if token else "staff"
