"""The changes of `signalbox user` and `signalbox token`, with their entries in the audit log."""

from __future__ import annotations

import argparse
import sys
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from signalbox.commands.errors import Trouble
from signalbox.database import errors_in_words, prepare

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LOCAL = "http://127.0.0.1:8000"


def change(options: argparse.Namespace) -> None:
    """Carry out one change. Raises Trouble."""
    with errors_in_words():
        prepare(options.command)
        from workflows.errors import CallerError

        try:
            _token(options) if options.command == "token" else _user(options)
        except CallerError as refused:
            raise Trouble(refused.message, hint=refused.hint) from refused


def _token(options: argparse.Namespace) -> None:
    from workflows.actions import tokens
    from workflows.errors import BadRequest

    if not 0 <= options.days <= 36_500:
        raise BadRequest(f"{options.days} days are not between 0 and a hundred years.")
    owner = _named(options.user)
    lifetime = timedelta(days=options.days) if options.days else None
    row, token = tokens.make_token(owner, options.name, scopes=options.scope, lifetime=lifetime)
    _record(options, owner)
    until = f"{row.expiry:%Y-%m-%d}" if row.expiry else "it is revoked"
    print(f"{row.name}: {', '.join(row.scopes)} as {owner.username} until {until}", file=sys.stderr)
    print(token)


def _user(options: argparse.Namespace) -> None:
    from workflows.actions import people
    from workflows.security.sign_in_attempts import forget_failures

    if options.action == "list":
        return _list()
    if options.action == "add":
        person, link = people.add_person(options.name, staff=options.staff)
        _record(options, person)
        return _print_link(person, link)
    person = _named(options.name)
    match options.action:
        case "link":
            _print_link(*people.invite_again(person.pk))
        case "reset":
            _print_link(*people.reset(person.pk))
        case "unlock":
            forgotten = forget_failures(person.username)
            print(f"{forgotten} wrong passwords of {person.username} were deleted.")
        case _:
            people.set_active(person.pk, options.action == "activate")
            print(f"{person.username} was {options.action}d.")
    _record(options, person)
    return None


def _named(name: str) -> User:
    """The user with this name, in any case. Raises BadRequest."""
    from django.contrib.auth import get_user_model

    from workflows.errors import BadRequest

    person = get_user_model().objects.filter(username__iexact=name.strip()).first()
    if person is None:
        raise BadRequest(f"There is no user {name!r}.", hint="signalbox user list prints all.")
    return person


def _list() -> None:
    from django.contrib.auth import get_user_model

    for person in get_user_model().objects.order_by("username"):
        role = "administrator" if person.is_staff else "user"
        state = "active" if person.is_active else "deactivated"
        seen = f"{person.last_login:%Y-%m-%d}" if person.last_login else "never"
        print(f"{person.username}\t{role}\t{state}\tlast sign-in: {seen}")


def _print_link(person: User, token: str) -> None:
    from django.conf import settings
    from django.urls import reverse

    address = settings.SIGNALBOX_ADDRESS.rstrip("/")
    print(f"{address or LOCAL}{reverse('sign-in')}?{urlencode({'token': token})}")
    print(f"It signs {person.username} in once, within three days.", file=sys.stderr)
    if not address:
        print(
            "Replace host and port by those of your server, or set SIGNALBOX_ADDRESS.",
            file=sys.stderr,
        )


def _record(options: argparse.Namespace, person: User) -> None:
    from workflows.actions.audit import Entry, record

    entry = Entry(
        user=None,
        user_name="",
        by="command line",
        operation=f"{options.command} {options.action}",
        method="",
        path="",
        kind="user",
        object_id=str(person.pk),
        object_name=person.username,
        refused=False,
        status=0,
        address="",
    )
    record(entry)
