"""Sign-in by an OpenID Connect provider, on django-allauth.

A new user gets the provider's name, or one like it if that is taken here: two people are never one
because their names are equal. A user who is gone at the provider is out within a day.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.signals import user_logged_in
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.providers.openid_connect import views
from allauth.utils import generate_unique_username
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

from workflows.actions.single_sign_on import follow_groups
from workflows.views.sign_in import refused

log = logging.getLogger(__name__)
Page = Callable[..., HttpResponse]
SESSION_SECONDS = 86_400
"""Length of a session, after which the provider decides again."""


class SingleSignOn(DefaultSocialAccountAdapter):
    """Refusals are on the page of sign-in."""

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        groups = groups_of(sociallogin)
        if settings.SIGNALBOX_OIDC_ALLOWED and settings.SIGNALBOX_OIDC_ALLOWED not in groups:
            raise _refusal(
                request,
                f"You are not in the group {settings.SIGNALBOX_OIDC_ALLOWED}, which may use this "
                "server. Ask those who manage your groups.",
            )
        if not sociallogin.is_existing:
            return
        if not sociallogin.user.is_active:
            raise _refusal(request, "You were deactivated on this server. Ask its staff.")
        follow_groups(sociallogin.user, groups)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return True

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: Any) -> User:
        user: User = super().populate_user(request, sociallogin, data)
        if User.objects.filter(username__iexact=user.username).exists():
            user.username = generate_unique_username([user.username])
        return user

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        user: User = super().save_user(request, sociallogin, form)
        follow_groups(user, groups_of(sociallogin))
        return user

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Any = None,
        extra_context: Any = None,
    ) -> None:
        why = f" ({exception})" if exception else ""
        raise _refusal(
            request, f"{settings.SIGNALBOX_OIDC_NAME} did not sign you in{why}. Try again."
        )


def groups_of(sociallogin: Any) -> frozenset[str]:
    """The groups in the configured claim of the user's information, or else of the id token."""
    data = sociallogin.account.extra_data
    for part in ("userinfo", "id_token"):
        groups = (data.get(part) or {}).get(settings.SIGNALBOX_OIDC_GROUPS)
        if isinstance(groups, list):
            return frozenset(str(one) for one in groups)
    return frozenset()


def _refusal(request: HttpRequest, notice: str) -> ImmediateHttpResponse:
    return ImmediateHttpResponse(refused(request, notice))


@receiver(user_logged_in)
def _limit_session(request: HttpRequest, sociallogin: Any = None, **_: Any) -> None:
    if sociallogin is not None:
        request.session.set_expiry(SESSION_SECONDS)


def _with_reason(page: Page) -> Page:
    """The page of sign-in with the reason, where the provider does not answer as one."""

    @wraps(page)
    def answered(request: HttpRequest, provider_id: str) -> HttpResponse:
        name = settings.SIGNALBOX_OIDC_NAME
        try:
            return page(request, provider_id)
        except OSError as error:
            log.warning("%s cannot be reached: %s", name, error)
            notice = f"{name} cannot be reached."
        except (LookupError, TypeError, ValueError, AttributeError, ImproperlyConfigured):
            log.warning("%s sent an answer that cannot be read", name, exc_info=True)
            notice = f"{name} sent an answer that cannot be read."
        return refused(request, f"{notice} Try again later, or sign in with a password or link.")

    return answered


login = _with_reason(views.login)
callback = _with_reason(views.callback)
