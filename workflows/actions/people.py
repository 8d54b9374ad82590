"""People: one-time sign-in links, passwords and active accounts."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from allauth.mfa.models import Authenticator
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from roles.rows import found
from workflows.errors import BadRequest, NotThere
from workflows.models import SignInLink, Token

TERMINAL_LINK = timedelta(minutes=15)
INVITATION = timedelta(days=3)
OPERATOR = "operator"


@transaction.atomic
def first_person() -> User:
    """The user of the terminal's sign-in link: the first active staff user, created if there is
    none."""
    people = get_user_model().objects
    person = people.filter(is_staff=True, is_active=True).order_by("pk").first()
    if person is not None:
        return person
    if people.filter(username=OPERATOR).exists():
        raise BadRequest("The operator was deactivated and there is no other active staff.")
    return people.create_user(OPERATOR, is_staff=True)


@transaction.atomic
def make_link(
    user: User, lives: timedelta = TERMINAL_LINK, *, skips_second_factor: bool = False
) -> str:
    """Create a one-time sign-in token. Only its hash is stored."""
    SignInLink.objects.filter(expires_at__lt=timezone.now()).delete()
    token = secrets.token_urlsafe(32)
    SignInLink.objects.create(
        digest=_digest(token),
        user=user,
        expires_at=timezone.now() + lives,
        skips_second_factor=skips_second_factor,
    )
    return token


def user_of_link(token: str) -> User | None:
    """The user whom a sign-in token would sign in, which is not used up. None if it would not."""
    link = SignInLink.objects.filter(digest=_digest(token)).select_related("user").first()
    return link.user if link is not None and _is_valid(link) else None


@transaction.atomic
def redeem(token: str) -> SignInLink | None:
    """The link of a sign-in token, which is used up. None if it is unknown, used or expired."""
    link = SignInLink.objects.filter(digest=_digest(token)).select_related("user").first()
    if link is None or not SignInLink.objects.filter(pk=link.pk).delete()[0]:
        return None
    return link if _is_valid(link) else None


def _is_valid(link: SignInLink) -> bool:
    return link.expires_at > timezone.now() and link.user.is_active


@transaction.atomic
def add_person(username: str, *, staff: bool = False, email: str = "") -> tuple[User, str]:
    """Create a user without a password, and the token of their first sign-in link."""
    name = username.strip()
    people = get_user_model()
    try:
        people.username_validator(name)
    except ValidationError as error:
        raise BadRequest(str(error.messages[0]), where="username") from None
    if not name or len(name) > 150:
        raise BadRequest("A person needs a name of at most 150 characters.", where="username")
    if people.objects.filter(username__iexact=name).exists():
        raise BadRequest(f"The name {name!r} is taken.", where="username")
    try:
        people._meta.get_field("email").run_validators(email.strip())
    except ValidationError as error:
        raise BadRequest(str(error.messages[0]), where="email") from None
    user = people.objects.create_user(name, email.strip(), is_staff=staff)
    return user, make_link(user, INVITATION)


@transaction.atomic
def invite_again(user_id: int) -> tuple[User, str]:
    """Create a new sign-in link for a user."""
    user = _person(user_id)
    if not user.is_active:
        raise BadRequest(f"{user.username} is deactivated.", where="person")
    return user, make_link(user, INVITATION)


@transaction.atomic
def set_active(user_id: int, active: bool, *, by: User | None = None) -> User:
    """Activate or deactivate a user. Their work is kept. Users cannot deactivate themselves.
    `by`: None for the operator."""
    user = _person(user_id)
    if by is not None and user.pk == by.pk and not active:
        raise BadRequest("You cannot deactivate yourself.", where="person")
    user.is_active = active
    user.save(update_fields=["is_active"])
    if not active:
        Token.objects.filter(user=user).delete()
        SignInLink.objects.filter(user=user).delete()
    return user


@transaction.atomic
def remove_second_factor(user_id: int) -> User:
    """Remove a user's authenticator app and recovery codes, because they lost them."""
    user = _person(user_id)
    Authenticator.objects.filter(user=user).delete()
    return user


@transaction.atomic
def reset(user_id: int) -> tuple[User, str]:
    """Remove a user's password and second factor, which ends their sessions, and create a sign-in
    link."""
    user = remove_second_factor(user_id)
    user.set_unusable_password()
    user.save(update_fields=["password"])
    return invite_again(user_id)


@transaction.atomic
def set_password(user: User, password: str) -> None:
    """Set a password. Raises BadRequest with the validators' messages."""
    try:
        validate_password(password, user)
    except ValidationError as weak:
        raise BadRequest(" ".join(weak.messages), where="password") from None
    user.set_password(password)
    user.save(update_fields=["password"])


def _person(user_id: int) -> User:
    return found(get_user_model().objects.filter(pk=user_id), NotThere("No user has this id."))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
