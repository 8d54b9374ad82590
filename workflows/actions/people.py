"""People and how they get in: one-time links, tokens, who may."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from workflows.errors import BadRequest, NotThere
from workflows.models import SignInLink, Token

TERMINAL_LINK = timedelta(minutes=15)
INVITATION = timedelta(days=3)
OPERATOR = "operator"


@transaction.atomic
def first_person() -> User:
    """Who the terminal's link signs in: the first active member of staff, made if there is none."""
    people = get_user_model().objects
    found = people.filter(is_staff=True, is_active=True).order_by("pk").first()
    if found is not None:
        return found
    if people.filter(username=OPERATOR).exists():
        raise BadRequest("The operator was deactivated and there is no other active staff.")
    return people.create_user(OPERATOR, is_staff=True)


@transaction.atomic
def make_link(user: User, lives: timedelta = TERMINAL_LINK) -> str:
    """A token that signs this person in once. Only its hash is kept."""
    SignInLink.objects.filter(expires_at__lt=timezone.now()).delete()
    token = secrets.token_urlsafe(32)
    SignInLink.objects.create(digest=_digest(token), user=user, expires_at=timezone.now() + lives)
    return token


@transaction.atomic
def redeem(token: str) -> User | None:
    """Who this token signs in; it is used up. None for one that is unknown, used or too old."""
    link = SignInLink.objects.filter(digest=_digest(token)).select_related("user").first()
    if link is None or not SignInLink.objects.filter(pk=link.pk).delete()[0]:
        return None
    fresh = link.expires_at > timezone.now() and link.user.is_active
    return link.user if fresh else None


@transaction.atomic
def add_person(username: str, *, staff: bool = False) -> tuple[User, str]:
    """A person without a password, and the token of the link that lets them in the first time."""
    name = username.strip()
    people = get_user_model()
    try:
        people.username_validator(name)
    except ValidationError as wrong:
        raise BadRequest(str(wrong.messages[0]), where="username") from None
    if not name or len(name) > 150:
        raise BadRequest("A person needs a name of at most 150 characters.", where="username")
    if people.objects.filter(username__iexact=name).exists():
        raise BadRequest(f"There is somebody called {name} already.", where="username")
    user = people.objects.create_user(name, is_staff=staff)
    return user, make_link(user, INVITATION)


@transaction.atomic
def invite_again(user_id: int) -> tuple[User, str]:
    """A fresh link for somebody who lost theirs."""
    user = _person(user_id)
    if not user.is_active:
        raise BadRequest(f"{user.username} is deactivated.", where="person")
    return user, make_link(user, INVITATION)


@transaction.atomic
def set_active(user_id: int, active: bool, *, by: User) -> User:
    """Let somebody in or keep them out. What they made stays. Nobody can lock themselves out."""
    user = _person(user_id)
    if user.pk == by.pk and not active:
        raise BadRequest("You cannot deactivate yourself.", where="person")
    user.is_active = active
    user.save(update_fields=["is_active"])
    if not active:
        Token.objects.filter(user=user).delete()
        SignInLink.objects.filter(user=user).delete()
    return user


@transaction.atomic
def set_password(user: User, password: str) -> None:
    """Raises BadRequest with the validators' sentences."""
    try:
        validate_password(password, user)
    except ValidationError as weak:
        raise BadRequest(" ".join(weak.messages), where="password") from None
    user.set_password(password)
    user.save(update_fields=["password"])


@transaction.atomic
def make_token(user: User, name: str) -> str:
    """An API token. Only its hash is kept, so this is the one time it can be read."""
    label = " ".join(name.split())[:100]
    if not label:
        raise BadRequest(
            "A token needs a name, so that you know which one to revoke.", where="name"
        )
    _, token = Token.objects.create(user=user, name=label)  # type: ignore[no-untyped-call]
    return str(token)


@transaction.atomic
def revoke_token(user: User, token_key: str) -> None:
    """Raises NotThere for a token that is not this person's."""
    gone, _ = Token.objects.filter(user=user, token_key=token_key).delete()
    if not gone:
        raise NotThere("There is no such token of yours.")


def _person(user_id: int) -> User:
    user = get_user_model().objects.filter(pk=user_id).first()
    if user is None:
        raise NotThere("There is no such person.")
    return user


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
