"""Ends live views whose session or token has ended, or whose user may no longer watch their pack or
run."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Literal

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from workflows.models import Token
from workflows.runner.database_threads import DatabaseThreads
from workflows.selectors.socket_access import readable_packs, readable_runs

log = logging.getLogger(__name__)

PERIOD = 2.0
"""Seconds between two checks of all sockets. A socket ends within five seconds."""
SIGNED_OUT, NOT_THERE = 4401, 4404
Kind = Literal["run", "pack"]
End = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The session and the object of a live view. `auth_hash` changes with the user's password. A
    view that was opened with an API token has its digest as `token`, and no session."""

    user: int
    session: str
    auth_hash: str
    kind: Kind
    object: str
    token: str = ""


class SessionGuard:
    """The open sockets of a process. Use it on the loop that created it."""

    def __init__(self, threads: DatabaseThreads) -> None:
        self._threads = threads
        self._watched: dict[int, tuple[Viewer, End]] = {}
        self._numbers = count()
        self._checks: asyncio.Task[None] | None = None

    async def close(self) -> None:
        if self._checks is not None:
            self._checks.cancel()
            await asyncio.gather(self._checks, return_exceptions=True)

    async def code_for(self, viewer: Viewer) -> int | None:
        """The close code for a socket that must not be served; None if it may be."""
        return (await self._threads.run(ended, {viewer})).get(viewer)

    def watch(self, viewer: Viewer, end: End) -> Callable[[], None]:
        """Call `end` with a close code once the viewer may no longer watch. Returns a function
        that stops watching."""
        number = next(self._numbers)
        self._watched[number] = (viewer, end)
        if self._checks is None:
            self._checks = asyncio.create_task(self._check_all(), name="session-guard")
        return lambda: self._watched.pop(number, None) and None

    async def _check_all(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            if not self._watched:
                continue
            try:
                codes = await self._threads.run(
                    ended, {viewer for viewer, _ in self._watched.values()}
                )
            except Exception:
                log.exception("Sessions of sockets cannot be checked; retrying")
                continue
            for number, (viewer, end) in list(self._watched.items()):
                if viewer in codes:
                    del self._watched[number]
                    end(codes[viewer])


def ended(viewers: Collection[Viewer]) -> Mapping[Viewer, int]:
    """The viewers that may no longer watch, each with the close code of its socket."""
    alive = Session.objects.filter(expire_date__gt=timezone.now())
    sessions = set(
        alive.filter(session_key__in={viewer.session for viewer in viewers}).values_list(
            "session_key", flat=True
        )
    )
    users = get_user_model().objects.filter(is_active=True).in_bulk({v.user for v in viewers})
    tokens = _valid_tokens({viewer.token for viewer in viewers if viewer.token})
    codes: dict[Viewer, int] = {}
    signed_in: dict[int, list[Viewer]] = defaultdict(list)
    for viewer in viewers:
        user = users.get(viewer.user)
        if user is None:
            proved = False
        elif viewer.token:
            proved = viewer.token in tokens
        else:
            proved = viewer.session in sessions and _same_password(viewer, user)
        if proved:
            signed_in[viewer.user].append(viewer)
        else:
            codes[viewer] = SIGNED_OUT
    for user_id, theirs in signed_in.items():
        readable = _readable(users[user_id], theirs)
        codes |= {viewer: NOT_THERE for viewer in theirs if viewer not in readable}
    return codes


def _valid_tokens(digests: Collection[str]) -> set[str]:
    if not digests:
        return set()
    alive = Q(expiry=None) | Q(expiry__gt=timezone.now())
    tokens = Token.objects.filter(alive, digest__in=digests)
    return set(tokens.values_list("digest", flat=True))


def _same_password(viewer: Viewer, user: User) -> bool:
    return constant_time_compare(viewer.auth_hash, user.get_session_auth_hash())


def _readable(user: User, viewers: Collection[Viewer]) -> set[Viewer]:
    packs = {viewer.object for viewer in viewers if viewer.kind == "pack"}
    runs = {viewer.object for viewer in viewers if viewer.kind == "run"}
    may = {
        "pack": readable_packs(user, packs) if packs else set(),
        "run": readable_runs(user, runs) if runs else set(),
    }
    return {viewer for viewer in viewers if viewer.object in may[viewer.kind]}
