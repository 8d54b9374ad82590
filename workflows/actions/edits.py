"""Edits of a pack: applied to the author's revision, and rebased if another edit was saved
first."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User

from workflows.actions import file_merge, model_choices, role_bindings, save_revision
from workflows.actions.approval_limit_values import checked_limit
from workflows.actions.edit_summary import summary
from workflows.actions.layout_values import figure, point, routes_of_state
from workflows.actions.rebase import only_adds
from workflows.actions.save_revision import Step
from workflows.core.merge.files import mean_the_same, merged
from workflows.core.pack import edits as kinds
from workflows.core.pack.edits import Edit
from workflows.core.pack.layout_text import LONGEST_NOTE
from workflows.db.text import is_storable
from workflows.errors import BadRequest, Conflict, Refused
from workflows.isolation import Stopped, run_apart
from workflows.isolation.jobs import Refusal
from workflows.models import Pack, Revision
from workflows.opened_packs.pack_work import LIMITS
from workflows.opened_packs.view import Opened
from workflows.selectors.changes import Change, change
from workflows.selectors.layout import Layout, layout_now
from workflows.selectors.sources import opened

MORE_LAYOUT = (
    kinds.Resize,
    kinds.BindRole,
    kinds.WriteNote,
    kinds.LimitApprovals,
    kinds.RenameState,
    kinds.RenameObject,
)
"""Edits that change more of a layout than positions and routes."""


def edit(
    pack_id: int,
    base: int,
    edits: Sequence[Edit],
    author: User | None,
    *,
    check_later: bool = False,
    leave_out_moves: bool = False,
) -> Change:
    """Apply edits as one revision and return the changes since `base`.

    With `check_later`, a large pack is checked after the answer, whose findings are then None. With
    `leave_out_moves`, states are left out of which only the position and routes changed, to those
    of these edits.
    Raises Refused (an edit is not possible), Conflict (another person changed the same place since
    `base`), BadRequest (an unknown base) and NotThere.
    """
    return save_revision.retried(
        pack_id,
        lambda pack: edit_pack(
            pack,
            base,
            edits,
            author,
            check_later=check_later,
            leave_out_moves=leave_out_moves,
        ),
    )


def edit_pack(
    pack: Pack,
    base: int,
    edits: Sequence[Edit],
    author: User | None,
    *,
    check_later: bool = False,
    leave_out_moves: bool = False,
    words: str = "",
    also: Callable[[int], None] | None = None,
) -> Change:
    """One attempt of `edit`, for `save_revision.retried`. `words`: the summary of the revision.
    `also` writes more in the transaction of the revision, with its number."""
    if not 1 <= base <= pack.head:
        raise BadRequest(
            f"The base {base} is not a revision of this pack; the newest is {pack.head}.",
            where="base",
        )
    head = opened(pack)
    if pack.deleted:
        raise Refused(
            f"{pack.main} was deleted in the opened folder, so it cannot be edited.",
            hint="Undo writes its files again.",
        )
    after = applied(pack, base, head, edits)
    layout = _layout(pack, after, edits, author)
    if after.files == head.files and _stands(pack, layout):
        if also:
            also(pack.head)
        return change(pack, base, author, check_later=check_later)
    step = Step(
        kind=Revision.Kind.EDIT,
        author=author,
        summary=words or summary(edits),
        head=head,
        after=after,
        edits=edits,
        layout=layout,
        check_later=check_later,
        also=also,
    )
    save_revision.save(pack, step)
    model_choices.follow(pack, edits)
    rebased = base != pack.head - 1
    return change(
        pack,
        base,
        author,
        rebased=rebased,
        newest=after,
        check_later=check_later,
        known_places=_drawn_by(edits) if leave_out_moves and not rebased else (),
    )


def applied(pack: Pack, base: int, head: Opened, edits: Sequence[Edit]) -> Opened:
    """The newest revision after edits that were made for revision `base`. Raises Refused, and
    Conflict if another person changed the same place since."""
    if base == pack.head:
        return carry_out(head, edits, pack.profile)
    return _Rebase(pack, base, opened(pack, base), head, edits).carried_out()


def _drawn_by(edits: Sequence[Edit]) -> set[str]:
    """The states of whose layout these edits change nothing but position and routes, which the
    author knows."""
    drawn: set[str] = set()
    for one in edits:
        if isinstance(one, MORE_LAYOUT):
            return set()
        if isinstance(one, (kinds.Move, kinds.Draw)):
            drawn.update(one.positions)
        if isinstance(one, kinds.Draw):
            drawn.update(one.routes)
    return drawn


def carry_out(on: Opened, edits: Sequence[Edit], profile: str = "") -> Opened:
    """The pack after these edits, drawn under a profile ("" for the first). Raises Refused with the
    index of the edit."""
    if all(isinstance(one, kinds.LAYOUT) for one in edits):
        return on
    before = on.under(profile or on.dialect.profiles[0])
    is_drawn = before.is_drawn
    try:
        made = run_apart(
            "edited", on.dialect.name, on.files, edits, before.profile, is_drawn, limits=LIMITS
        )
    except Stopped as stopped:
        raise Refused(
            stopped.sentence("This edit"),
            hint="Edit the file in a text editor and import it again, or split the pack.",
            where="edits/0",
            index=0,
        ) from None
    if isinstance(made, Refusal):
        raise Refused(
            made.message,
            hint=made.hint,
            where=made.where or f"edits/{made.index}",
            index=made.index,
        )
    changes, drawing = made
    if not changes:
        return on
    after = Opened(on.dialect, on.files.changed(changes))
    after.under(before.profile, drawing.applied(before.drawn) if is_drawn else drawing)
    return after


@dataclass(frozen=True, slots=True)
class _Rebase:
    """Edits made against `base`, which `expected` holds, to be applied to `head`."""

    pack: Pack
    base: int
    expected: Opened
    head: Opened
    edits: Sequence[Edit]

    def carried_out(self) -> Opened:
        """The edits applied to the head, if rebasing their byte changes gives the same result.

        Raises Conflict if both sides changed the same value, or an edit is no longer possible.
        """
        mine = carry_out(self.expected, self.edits, self.pack.profile)
        changed = self.expected.files.difference(mine.files)
        both = {path: self._merged(path, data) for path, data in changed.items()}
        try:
            edits = [_on_merged(one, both) for one in self.edits]
            after = carry_out(self.head, edits, self.pack.profile)
        except Refused as refused:
            place = {"path": self.pack.main, "line": 0, "yours": refused.message, "theirs": ""}
            raise self._conflict([place]) from refused
        places = [
            self._place(path, data)
            for path, data in changed.items()
            if not self._agrees(path, both[path], after)
        ]
        if places:
            raise self._conflict(places)
        return after

    def _merged(self, path: str, data: bytes | None) -> bytes | None:
        """My version of a file with their changes merged; None if both sides changed one value."""
        old, theirs = self.expected.files.get(path), self.head.files.get(path)
        if theirs == old:
            return data
        if data is None or old is None or theirs is None:
            return None
        return merged(path, old, data, theirs)

    def _agrees(self, path: str, merged: bytes | None, after: Opened) -> bool:
        """Return True if both sides' additions survive. Two people may add at the same place."""
        if after.files.get(path) == self.head.files.get(path):
            return True  # The edit is in the head already; its answer was lost.
        if merged is not None or self.head.files.get(path) == self.expected.files.get(path):
            return mean_the_same(path, after.files.get(path), merged)
        theirs, result = self.head.files.get(path), after.files.get(path)
        old = self.expected.files.get(path)
        if old is None or theirs is None or result is None:
            return False
        return only_adds(old, theirs) and only_adds(theirs, result)

    def _place(self, path: str, data: bytes | None) -> dict[str, Any]:
        """The first stretch that both sides changed: its line and the two replacements."""
        old, theirs = self.expected.files.get(path), self.head.files.get(path)
        if old is None or data is None or theirs is None:
            return {"path": path, "line": 1, "yours": "", "theirs": ""}
        place = file_merge.conflict(path, old, data, theirs).to_json()
        return {key: place[key] for key in ("path", "line", "yours", "theirs")}

    def _conflict(self, places: list[dict[str, Any]]) -> Conflict:
        since = Revision.objects.filter(pack=self.pack, number__gt=self.base).select_related(
            "author"
        )
        theirs = [
            {
                "number": revision.number,
                "author": revision.author.get_username() if revision.author else "",
                "summary": revision.summary,
            }
            for revision in since
        ]
        return Conflict(
            hint="Look at the newest revision, then make your change again.",
            where=places[0]["path"],
            head=self.pack.head,
            yours=[one.to_json() for one in self.edits],
            theirs=theirs,
            places=places,
        )


def _on_merged(one: Edit, merged: Mapping[str, bytes | None]) -> Edit:
    """Replace a whole file's text by that text merged with the other changes in it."""
    text = merged.get(one.path) if isinstance(one, kinds.WriteFile) else None
    if isinstance(one, kinds.WriteFile) and text is not None:
        return replace(one, text=text.decode())
    return one


def _layout(pack: Pack, after: Opened, edits: Sequence[Edit], author: User | None) -> Layout:
    """Layout after these edits: positions, sizes, routes, notes, roles, and the entries of renamed
    states."""
    placed: Layout = {}
    drawn: list[kinds.Draw] = []
    for one in edits:
        match one:
            case kinds.Move():
                for key, place in one.positions.items():
                    placed.setdefault(key, {}).update(point(key, place))
            case kinds.Draw():
                drawn.append(one)
            case kinds.Resize():
                size = {"width": figure(one.width), "height": figure(one.height)}
                placed.setdefault(one.id, {}).update(size)
            case kinds.BindRole():
                bound = role_bindings.checked(one.binding, author)
                placed.setdefault(one.id, {}).update(bound=bound)
            case kinds.WriteNote():
                placed.setdefault(one.id, {}).update(note=_note(one))
            case kinds.LimitApprovals():
                limit = checked_limit(one.hours, one.outcome)
                placed.setdefault(one.id, {}).update(approval_limit=limit)
            case kinds.RenameState():
                took = layout_now(pack.pk, [one.id]).get(one.id, {}) | placed.pop(one.id, {})
                if took:
                    placed[one.new_id] = took
            case kinds.RenameObject():
                placed.update(_level_moved(pack, one))
    states = after.under(pack.profile).states if placed or drawn else {}
    for key in placed:
        if key not in states:
            raise Refused(f"The pack has no state {key!r}.", where=key)
    for one in drawn:
        _draw(pack, one, states, placed)
    return placed


def _draw(pack: Pack, one: kinds.Draw, states: Container[str], placed: Layout) -> None:
    """Add the drawing of known states. A position that a state has already stays."""
    now = layout_now(pack.pk, one.positions)
    for key, place in one.positions.items():
        fresh = point(key, place)
        if key in states and "x" not in placed.get(key, {}) and _is_unplaced(now.get(key)):
            placed.setdefault(key, {}).update(fresh)
    for key, routes in one.routes.items():
        of_state = routes_of_state(key, routes)
        if key in states:
            placed.setdefault(key, {}).update(routes=of_state)


def _is_unplaced(place: Mapping[str, Any] | None) -> bool:
    return place is None or place["x"] is None


def _note(edit: kinds.WriteNote) -> str:
    text = edit.text.strip()
    if len(text) > LONGEST_NOTE or not is_storable(text):
        raise BadRequest(
            f"A note is plain text of at most {LONGEST_NOTE:,} characters.", where=edit.id
        )
    return text


def _level_moved(pack: Pack, rename: kinds.RenameObject) -> Layout:
    """Layout of the states on the level that the renamed element opens: their ids begin with its
    key."""
    key = rename.element.partition(":")[2]
    states = opened(pack).under(pack.profile).states
    inside = [id for id, state in states.items() if state.level == rename.element]
    took = layout_now(pack.pk, inside) if inside else {}
    return {f"{rename.new_key}/{id.removeprefix(f'{key}/')}": place for id, place in took.items()}


def _stands(pack: Pack, layout: Layout) -> bool:
    """Return True if every entry of `layout` is already stored."""
    now = layout_now(pack.pk, layout)
    return all(now.get(key, {}) | place == now.get(key) for key, place in layout.items())
