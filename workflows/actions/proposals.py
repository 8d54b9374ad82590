"""Proposals: edits that are tried, kept, and accepted or rejected in parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from workflows.actions import save_revision
from workflows.actions.edit_summary import summary
from workflows.actions.edits import applied, carry_out, edit_pack
from workflows.consequences.consequences import Consequences
from workflows.consequences.parts import Part
from workflows.core.pack.edits import Edit, RemoveFile, WriteFile
from workflows.db.text import to_storable
from workflows.errors import BadRequest, Conflict, Refused, Stale
from workflows.models import Pack, Proposal
from workflows.notifications import bus
from workflows.opened_packs.view import Opened
from workflows.selectors.changes import Change, graph_difference
from workflows.selectors.consequences import completed_runs, consequences_of
from workflows.selectors.packs import pack_named
from workflows.selectors.proposals import edits_of, pending_parts, proposal_json, proposal_named
from workflows.selectors.sources import opened

MOST_EDITS = 100


def proposed(
    pack_id: int, base: int, edits: Sequence[Edit], user: User, *, rehearse: bool = True
) -> Consequences:
    """The consequences of all these edits of the newest revision, which has to be `base`. Writes
    nothing. Raises Stale, BadRequest, Refused (with the edit), NotThere and TookTooLong."""
    pack = pack_named(pack_id)
    if base != pack.head:
        raise Stale(
            f"The newest revision is {pack.head}, and this proposal expects {base}.",
            hint=f"Read the pack again, and propose the edits for revision {pack.head}.",
            where="base",
        )
    if not 1 <= len(edits) <= MOST_EDITS:
        raise BadRequest(
            f"A proposal has 1 to {MOST_EDITS} edits or files, and this one has {len(edits)}.",
            where="edits",
        )
    head = opened(pack)
    after = carry_out(head, edits)
    runs = completed_runs(pack, user)
    return consequences_of(pack, head.files, after.files, edits, runs=runs, rehearse=rehearse)


def edits_of_files(files: Mapping[str, str | None]) -> tuple[Edit, ...]:
    """The edits that write these texts by path; None removes a file."""
    return tuple(
        RemoveFile(path=path) if text is None else WriteFile(path=path, text=text)
        for path, text in files.items()
    )


def keep(
    pack_id: int, base: int, edits: Sequence[Edit], parts: Sequence[Part], user: User, note: str
) -> Proposal:
    """Store a proposal, whose parts wait for a decision. It changes no file of the pack."""
    pack = pack_named(pack_id)
    bodies = [one.to_json() for one in edits]
    for body in bodies:
        body.pop("group", None)  # Each acceptance is an undo step of its own.
    with transaction.atomic():
        row = Proposal.objects.create(
            pack=pack,
            author=user,
            note=to_storable(note),
            base=base,
            edits=bodies,
            parts=[
                {
                    "edits": list(part),
                    "summary": summary([edits[n] for n in part]),
                    "status": Proposal.Status.PENDING,
                    "by": "",
                    "reason": "",
                    "revision": None,
                }
                for part in parts
            ],
        )
        _announce(pack)
    return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A proposal as it would apply to the newest revision, `head`. `stale`: reasons why parts no
    longer apply, by their number. Without a part that applies there are no `consequences`;
    `graph` is None if the files become unreadable."""

    proposal: Proposal
    head: int
    stale: Mapping[int, str]
    consequences: Consequences | None = None
    graph: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        found = self.consequences
        return {
            **proposal_json(self.proposal, self.stale),
            "head": self.head,
            "consequences": found and {"base": self.head, **found.to_json()},
            "graph": self.graph,
        }


def review(
    pack_id: int, key: int, user: User, chosen: Collection[int] | None = None, *, quick: bool
) -> Review:
    """The consequences of the chosen pending parts of a proposal, of all without a choice, for the
    newest revision. `quick`: without coverage and recorded runs. Raises NotThere, TookTooLong."""
    pack = pack_named(pack_id)
    row = proposal_named(pack, key)
    pending = [n for n in pending_parts(row) if chosen is None or n in chosen]
    head = opened(pack)
    after, stale = _as_far_as_possible(pack, row, head, pending)
    if after is None:
        return Review(proposal=row, head=pack.head, stale=stale)
    runs = None if quick else completed_runs(pack, user)
    found = consequences_of(pack, head.files, after.files, runs=runs, rehearse=not quick)
    before, now = head.under(pack.profile), after.under(pack.profile)
    graph = graph_difference(pack, before, now) if found.difference is not None else None
    return Review(proposal=row, head=pack.head, stale=stale, consequences=found, graph=graph)


def _as_far_as_possible(
    pack: Pack, row: Proposal, head: Opened, parts: Sequence[int]
) -> tuple[Opened | None, dict[int, str]]:
    """The newest revision after those of the parts that still apply, None for no part; and the
    reasons of the others."""
    stale: dict[int, str] = {}
    while left := [n for n in parts if n not in stale]:
        try:
            return applied(pack, row.base, head, edits_of(row, left)), stale
        except (Conflict, Refused) as refused:
            alone = {n: _reason(pack, row, head, n) for n in left}
            stale |= {n: reason for n, reason in alone.items() if reason} or dict.fromkeys(
                left, refused.message
            )
    return None, stale


def _reason(pack: Pack, row: Proposal, head: Opened, part: int) -> str:
    """The reason why a part no longer applies; "" if it does."""
    try:
        applied(pack, row.base, head, edits_of(row, [part]))
    except Conflict as conflict:
        theirs = conflict.extra["theirs"]
        if not theirs:
            return conflict.message
        last = theirs[-1]
        who = last["author"] or "Another person"
        return f"{who} changed the same place since ({last['summary']}, r{last['number']})."
    except Refused as refused:
        return refused.message
    return ""


def accept(pack_id: int, key: int, parts: Collection[int], user: User) -> Change:
    """Apply pending parts of a proposal as one revision of this user; the others stay pending.

    Raises Refused (a part is decided already, or an edit is not possible), Conflict (another person
    changed the same place since), BadRequest and NotThere.
    """

    def attempt(pack: Pack) -> Change:
        row = proposal_named(pack, key)
        chosen = _checked(row, parts)
        rest = edits_of(row, [n for n in pending_parts(row) if n not in chosen])
        fresh = row.base == pack.head or _applies(pack, row.base, rest)
        who = row.author.get_username() if row.author else "someone"
        edits = edits_of(row, chosen)

        def decide(revision: int) -> None:
            made = {"status": Proposal.Status.ACCEPTED, "revision": revision}
            _decide(row, chosen, user, made, base=revision if fresh else None)

        words = f"{summary(edits)}, proposed by {who}"
        return edit_pack(pack, row.base, edits, user, words=words, also=decide)

    return save_revision.retried(pack_id, attempt)


def _applies(pack: Pack, base: int, edits: Sequence[Edit]) -> bool:
    try:
        applied(pack, base, opened(pack), edits)
    except (Conflict, Refused):
        return False
    return True


def reject(pack_id: int, key: int, parts: Collection[int], user: User, reason: str) -> Proposal:
    """Reject pending parts of a proposal, with a reason that it keeps. Raises Refused (a part is
    decided already), BadRequest and NotThere."""
    row = proposal_named(pack_named(pack_id), key)
    made = {"status": Proposal.Status.REJECTED, "reason": to_storable(reason)}
    return _decide(row, parts, user, made)


def withdraw(pack_id: int, key: int, user: User) -> Proposal:
    """Withdraw the pending parts of one's own proposal. Raises Refused (of another author, or all
    parts are decided) and NotThere."""
    row = proposal_named(pack_named(pack_id), key)
    if row.author_id != user.pk:
        raise Refused(
            "Only its author can withdraw a proposal.", hint="Reject its parts.", where="proposal"
        )
    pending = pending_parts(row)
    if not pending:
        raise Refused("All parts of this proposal are decided already.", where="proposal")
    return _decide(row, pending, user, {"status": Proposal.Status.WITHDRAWN})


def _checked(row: Proposal, parts: Collection[int]) -> list[int]:
    if not parts or not set(parts) <= set(range(len(row.parts))):
        raise BadRequest(
            f"`parts` has numbers of parts of this proposal: 0 to {len(row.parts) - 1}.",
            where="parts",
        )
    for n in parts:
        if row.parts[n]["status"] != Proposal.Status.PENDING:
            raise Refused(
                f"Change {n + 1} of this proposal is {row.parts[n]['status']} already.",
                hint="Read the proposal again.",
                where="parts",
            )
    return sorted(set(parts))


@transaction.atomic
def _decide(
    row: Proposal,
    parts: Collection[int],
    user: User,
    made: Mapping[str, Any],
    *,
    base: int | None = None,
) -> Proposal:
    """Store the decision about parts. `base`: the revision on which the others are based now."""
    row = Proposal.objects.select_for_update(of=("self",)).get(pk=row.pk)
    for n in _checked(row, parts):
        row.parts[n] |= {**made, "by": user.get_username()}
    left = {part["status"] for part in row.parts}
    row.status = next(one for one in Proposal.Status if one in left)
    row.base = base or row.base
    row.save(update_fields=["parts", "status", "base"])
    _announce(row.pack)
    return row


def _announce(pack: Pack) -> None:
    """Count a change of the pack's proposals, and notify its pages after the commit."""
    Pack.objects.filter(pk=pack.pk).update(proposed=F("proposed") + 1)
    changes = Pack.objects.values_list("proposed", flat=True).get(pk=pack.pk)
    changed = bus.ProposalsChanged(pack=pack.pk, changes=changes)
    transaction.on_commit(lambda: bus.notify(changed))
