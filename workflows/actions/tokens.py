"""API tokens: create, revoke, record their use. Only hashes of them are stored."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from workflows.errors import BadRequest, NotThere, TokenTooWeak
from workflows.models import Token
from workflows.rights.scopes import SCOPES

USE_EVERY = timedelta(minutes=1)
"""The last use is stored to the minute, so that reading requests seldom write."""


@transaction.atomic
def make_token(
    user: User,
    name: str,
    *,
    scopes: Sequence[str],
    lifetime: timedelta | None = None,
    by: Token | None = None,
) -> tuple[Token, str]:
    """Create a token. The second value is the token itself, which can be shown once.

    `lifetime`: None for no expiry. `by`: the token that the request was made with; it passes on
    its own scopes and expiry at most. Raises BadRequest, TokenTooWeak.
    """
    label = " ".join(name.split())[:100]
    if not label:
        raise BadRequest(
            "A token needs a name, so that you know which one to revoke.", where="name"
        )
    chosen = [scope for scope in SCOPES if scope in scopes]
    if not chosen or set(scopes) - set(SCOPES):
        raise BadRequest(f"A token needs at least one scope: {', '.join(SCOPES)}.", where="scopes")
    expires_at = None if lifetime is None else timezone.now() + lifetime
    if by is not None:
        _check_within(by, chosen, expires_at)
    row, token = Token.objects.create(  # type: ignore[no-untyped-call]
        user=user, name=label, scopes=chosen, expiry=lifetime
    )
    return row, str(token)


@transaction.atomic
def revoke_token(user: User, token_key: str) -> None:
    """Revoke a token. Raises NotThere unless it belongs to this user."""
    gone, _ = Token.objects.filter(user=user, token_key=token_key).delete()
    if not gone:
        raise NotThere("You have no such token.")


def record_use(token: Token) -> None:
    """Store that the token was used now. A database that is busy does not refuse the request."""
    now = timezone.now()
    if token.last_used_at is not None and now - token.last_used_at < USE_EVERY:
        return
    unrecorded = Q(last_used_at=None) | Q(last_used_at__lt=now)
    with suppress(OperationalError):
        Token.objects.filter(unrecorded, pk=token.pk).update(last_used_at=now)


def _check_within(by: Token, scopes: Sequence[str], expires_at: object) -> None:
    missing = [scope for scope in scopes if scope not in by.scopes]
    if missing:
        raise TokenTooWeak(f"This token lacks the scope {missing[0]!r}, so it cannot pass it on.")
    if by.expiry is not None and (expires_at is None or expires_at > by.expiry):  # type: ignore[operator]
        raise TokenTooWeak(
            "This token cannot create one that expires later.",
            hint=f"It expires at {by.expiry:%Y-%m-%d %H:%M} UTC. Choose fewer days.",
        )
