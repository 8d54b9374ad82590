"""Settings: account, tokens, people."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlencode

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, get_user_model, update_session_auth_hash
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from workflows.actions import people, tokens
from workflows.actions.command_right import has_command_right, set_command_right
from workflows.core.plugins import declared
from workflows.db.integers import integer_or_zero
from workflows.db.search_text import check_search_text
from workflows.errors import BadRequest, CallerError
from workflows.rights.scopes import MEANINGS
from workflows.runner.isolation.levels import isolation_in_words
from workflows.selectors import retention
from workflows.selectors.tokens import tokens_of
from workflows.views import connections, mcp_servers, notifications

TOTP = Authenticator.Type.TOTP
LIFETIMES = {"7": "7 days", "30": "30 days", "90": "90 days", "365": "a year"}
"""Days until a token expires, and their text."""

OF_STAFF = (
    *("add-person", "invite-again", "deactivate", "activate", "remove-second-factor"),
    *("allow-commands", "forbid-commands"),
)
"""Forms that only staff may send."""


@never_cache
@require_GET
def account(request: HttpRequest) -> HttpResponse:
    """Account, tokens and (for staff) people."""
    return _account(request)


def _account(request: HttpRequest, **shown_once: Any) -> HttpResponse:
    user: Any = request.user
    context = {
        **shown_once,
        **connections.shown(request),
        **mcp_servers.shown(),
        **notifications.shown(request),
        "tokens": tokens_of(user),
        "now": timezone.now(),
        "scopes": MEANINGS,
        "lifetimes": LIFETIMES,
        "people": _people(request.GET.get("person", "")) if user.is_staff else None,
        "has_password": user.has_usable_password(),
        "second_factor": Authenticator.objects.filter(user=user, type=TOTP).first(),
        "with_second_factor": set(
            Authenticator.objects.filter(type=TOTP).values_list("user_id", flat=True)
        ),
        "repositories": settings.SIGNALBOX_REPOSITORIES,
        "commands": settings.SIGNALBOX_COMMANDS,
        "isolation": isolation_in_words() if settings.SIGNALBOX_COMMANDS else "",
        "private_hosts": settings.SIGNALBOX_PRIVATE_HOSTS,
        "worker": settings.SIGNALBOX_WORKER,
        "keeps": retention.limits(),
        "old": retention.in_words(retention.old(retention.limits())),
        "metrics": _metrics(),
        "facts": [fact for path in declared("facts") for fact in import_string(path)()],
    }
    return render(request, "settings.html", context)


def _people(query: str) -> list[User]:
    """The users with this text in name or address, with `runs_commands`: True if they may run
    commands."""
    check_search_text(person=query)
    matching = Q(username__icontains=query.strip()) | Q(email__icontains=query.strip())
    people = list(get_user_model().objects.filter(matching).order_by("username"))
    for person in people:
        person.runs_commands = has_command_right(person)  # type: ignore[attr-defined]
    return people


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
    form = request.POST
    match form.get("do"):
        case "password":
            _set_password(request, user)
        case "make-token":
            _, token = tokens.make_token(
                user,
                form.get("name", ""),
                scopes=form.getlist("scope"),
                lifetime=_lifetime(form.get("days", "")),
            )
            return {"fresh_token": token}
        case "revoke-token":
            tokens.revoke_token(user, form.get("token", ""))
            messages.success(request, "The token no longer works.")
        case what if what in OF_STAFF and not user.is_staff:
            messages.error(request, "Only staff can change who may sign in.")
        case "add-person":
            staff = form.get("staff") == "on"
            name, email = form.get("username", ""), form.get("email", "")
            return _link(request, *people.add_person(name, staff=staff, email=email))
        case "invite-again":
            return _link(request, *people.invite_again(integer_or_zero(form.get("person"))))
        case "remove-second-factor":
            person = people.remove_second_factor(integer_or_zero(form.get("person")))
            messages.success(request, f"{person.username} signs in without a second factor.")
        case "deactivate" | "activate" as what:
            person = people.set_active(
                integer_or_zero(form.get("person")), what == "activate", by=user
            )
            messages.success(request, f"{person.username} was {what}d.")
        case "allow-commands" | "forbid-commands" as what:
            allowed = what == "allow-commands"
            person = set_command_right(integer_or_zero(form.get("person")), allowed)
            word = "may" if allowed else "may not"
            messages.success(request, f"{person.username} {word} run commands.")
        case _:
            messages.error(request, "Unknown form.")
    return {}


def _lifetime(days: str) -> timedelta | None:
    """The lifetime chosen in the form of a token; None for no expiry. Raises BadRequest."""
    if days == "never":
        return None
    if days not in LIFETIMES:
        raise BadRequest("Choose when the token expires.", where="days")
    return timedelta(days=int(days))


def _set_password(request: HttpRequest, user: Any) -> None:
    name, old = user.get_username(), request.POST.get("old", "")
    if user.has_usable_password() and not authenticate(request, username=name, password=old):
        messages.error(request, "The present password is wrong.")
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
    if person.email and settings.SIGNALBOX_SMTP:
        _mail(request, person, shown["address"])
    return {"fresh_link": shown}


def _mail(request: HttpRequest, person: Any, address: str) -> None:
    """Send a sign-in link to its person. The page shows it, whether this works or not."""
    text = f"This link signs you in to Signalbox once, within three days:\n\n{address}\n"
    try:
        send_mail("Sign in to Signalbox", text, settings.DEFAULT_FROM_EMAIL, [person.email])
    except (OSError, SMTPException) as error:
        messages.error(request, f"The message to {person.email} was not sent: {error}.")
        return
    messages.success(request, f"The link was sent to {person.email}.")


def _metrics() -> str:
    """Access to /metrics, for the settings page."""
    token = settings.SIGNALBOX_METRICS_TOKEN
    return "off" if token == "off" else "token" if token else "staff"
