"""Sign-in by password or one-time link, and sign-out."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from workflows.actions import people
from workflows.security.second_factor import finish_sign_in
from workflows.security.sign_in_attempts import still_allowed
from workflows.security.sign_in_limits import PAIR_WAIT

BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_not_required
@never_cache
@sensitive_post_parameters("password", "token")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in by a link (`?token=`), or by name and password.

    Opening a link only shows whom it signs in; the form on that page uses it up. Programs that
    fetch links in advance therefore use up no link.
    """
    wanted = _next(request)
    if request.method == "POST" and (token := request.POST.get("token", "")):
        return _with_link(request, token, wanted)
    if token := request.GET.get("token", ""):
        return _link_page(request, token, wanted)
    if request.user.is_authenticated:
        return redirect(wanted)
    if request.method == "GET":
        return _page(request, wanted)
    return _with_password(request, wanted)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign-in")


def locked_out(
    request: HttpRequest, response: HttpResponse | None = None, credentials: Any = None
) -> HttpResponse:
    """The answer to an attempt that has to wait; django-axes calls it."""
    notice = "Too many attempts. Wait a quarter of an hour, or use a one-time link."
    if request.user.is_authenticated:
        messages.error(request, notice)
        return redirect("settings")
    answer = _page(request, _next(request), notice, status=429)
    answer["Retry-After"] = str(int(PAIR_WAIT.total_seconds()))
    return answer


def _link_page(request: HttpRequest, token: str, wanted: str) -> HttpResponse:
    user = people.user_of_link(token)
    if user is None:
        return _used_link(request)
    other = request.user.is_authenticated and request.user.pk != user.pk
    context = {"person": user, "token": token, "next": wanted, "other": other}
    return render(request, "sign_in_link.html", context)


def _with_link(request: HttpRequest, token: str, wanted: str) -> HttpResponse:
    link = people.redeem(token)
    if link is None:
        return _used_link(request)
    if not link.skips_second_factor:
        return finish_sign_in(request, link.user, wanted)
    login(request, link.user, backend=BACKEND)
    return redirect(wanted)


def _used_link(request: HttpRequest) -> HttpResponse:
    notice = "This link was used already or is too old. Ask for a new one."
    return _page(request, "", notice, status=403)


def _with_password(request: HttpRequest, wanted: str) -> HttpResponse:
    form = AuthenticationForm(request, data=request.POST)
    if not form.is_valid():
        return _page(request, wanted, "Name and password do not match.", status=403)
    if not still_allowed(request, form.cleaned_data["username"]):
        return HttpResponse(status=429)  # the middleware of django-axes answers with `locked_out`
    return finish_sign_in(request, form.get_user(), wanted)


def refused(request: HttpRequest, notice: str) -> HttpResponse:
    """The page of sign-in, with the reason of a refusal."""
    return _page(request, "", notice, status=403)


def _page(request: HttpRequest, wanted: str, notice: str = "", status: int = 200) -> HttpResponse:
    provider = settings.SIGNALBOX_OIDC and settings.SIGNALBOX_OIDC_NAME
    context = {"notice": notice, "next": wanted, "single_sign_on": provider}
    return render(request, "sign_in.html", context, status=status)


def _next(request: HttpRequest) -> str:
    address = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if safe else resolve_url(settings.LOGIN_REDIRECT_URL)
